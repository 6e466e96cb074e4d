"""One error tree: what happened, to what, what to do next; and the exit code of each.

Exit codes are part of the command line's contract. `1` means FAIL of a model and nothing else ever uses it.
"""

from __future__ import annotations

import errno
from datetime import datetime

EXIT_PASS = 0
EXIT_FAIL = 1
EXIT_USAGE = 2
EXIT_EXCLUDED = 3
EXIT_UNTESTED = 4
EXIT_NO_DATA = 5
EXIT_OTHER_RESULT = 6
EXIT_NO_SUCH_MODEL = 7
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


class TrnModelsError(Exception):
    """An error that a person reads: `title` (what happened), `detail` (to what), `remedy` (what to do next)."""

    exit_code = EXIT_INTERNAL

    def __init__(self, title: str, detail: str = "", remedy: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.detail = detail
        self.remedy = remedy

    def __str__(self) -> str:
        return "\n".join(part for part in (self.title, self.detail, self.remedy) if part)


class UsageError(TrnModelsError):
    """The words of the command, a setting or a configuration file cannot be used."""

    exit_code = EXIT_USAGE


class ConfigFileError(UsageError):
    """The configuration file cannot be read, or has a setting that does not fit."""


class NoDataError(TrnModelsError):
    """No record could be read from the named source."""

    exit_code = EXIT_NO_DATA


class UnreadableFileError(NoDataError):
    """One file could not be read at all; the others are not concerned."""


class HubError(TrnModelsError):
    """A request to the Hub gave no usable answer. `until` is when it may be asked again, if a header told it."""

    exit_code = EXIT_NO_DATA
    until: datetime | None = None


class HubOfflineError(HubError):
    """No request was made, because offline use was asked for."""


class HubUnreachableError(HubError):
    """The Hub refused, broke off, or did not answer within the time limit."""


class HubRateLimitedError(HubError):
    """The Hub answered 429."""

    def __init__(self, title: str, detail: str = "", remedy: str = "", until: datetime | None = None) -> None:
        super().__init__(title, detail, remedy)
        self.until = until


class HubNotFoundError(HubError):
    """The repository, revision or file does not exist, or is private and no token was accepted."""


class HubGatedError(HubError):
    """The repository exists and its terms must be accepted first."""


def what_helps(error: OSError) -> str:
    """The beginning of a remedy for a folder in which nothing can be written."""
    refused = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    return "Make it writable for you" if refused else "Make room there"
