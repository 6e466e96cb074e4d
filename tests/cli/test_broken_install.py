"""An installation from which a part is missing: no exit code that means something of a model."""

from __future__ import annotations

import subprocess
import sys

NO_CLICK = "import sys; sys.modules['click'] = None; from tui.cli import main; main(['show', 'acme/one'])"


def test_a_missing_library_ends_with_70_and_a_sentence() -> None:
    done = subprocess.run([sys.executable, "-c", NO_CLICK], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 70
    assert done.stdout == ""
    assert done.stderr.startswith("trn-models is not installed whole: ")
    assert "Traceback" not in done.stderr
