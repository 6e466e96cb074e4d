"""`python -m tui`: the same command as `trn-models`."""

from tui.cli import main

if __name__ == "__main__":
    main()
