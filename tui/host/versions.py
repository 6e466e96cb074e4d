"""When two spellings name one version. Pure."""

from __future__ import annotations

from packaging.version import Version


def same_version(one: str, other: str) -> bool:
    """Whether two spellings name one version; a local part (`+cpu`) that only one of them has does not count."""
    try:
        first, second = Version(one.strip()), Version(other.strip())
        if (first.local is None) != (second.local is None):
            return Version(first.public) == Version(second.public)
    except ValueError:  # InvalidVersion is one; so is a number of more digits than int() takes
        return one.strip() == other.strip()
    return first == second
