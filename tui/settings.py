"""Flags > environment > config file > defaults: one frozen object, made once at start.

The config file is TOML at `config.toml` in the config folder (`~/.config/trn-models` on Linux) and uses
the field names below; the environment uses the same names in capitals after `TRN_MODELS_`.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from tui.errors import ConfigFileError, UsageError

APP_NAME = "trn-models"
DEFAULT_DATASET = "aws-neuron/torch-neuronx-model-support"

# 74,994 bytes of text are 100,000 bytes of base64 with the escape sequence around them: the figure that
# hterm's osc52.sh uses and most terminals take.
DEFAULT_OSC52_LIMIT = 74_994

DEFAULT_LOG_LIMIT = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set from outside. `None` means: decide from the surroundings."""

    data: Path | None = None
    """A folder or parquet file to read instead of the Hub dataset."""
    dataset: str = DEFAULT_DATASET
    revision: str = "main"
    sample: bool = False
    offline: bool = False
    ascii: bool | None = None
    theme: str | None = None
    neff_bucket: str | None = None
    """`hf://buckets/...` or `s3://...` with compiled graphs."""
    neff_cache_dir: Path | None = None
    """Where compiled graphs are kept; TORCH_NEURONX_NEFF_CACHE_DIR when that is set."""
    osc52_limit: int = DEFAULT_OSC52_LIMIT
    """Bytes of text above which OSC 52 is not tried."""
    python: str | None = None
    """The interpreter that runs run.py: a path, or a command line such as `docker exec -i NAME python`."""
    any_host: bool = False
    """Allow runs where there is no trn2 host, to try the app."""
    host_root: Path | None = None
    """A folder that stands for `/` when Neuron devices are looked for, as when a container mounts the host's trees."""
    bell: bool = True
    """Ring the terminal's bell once when a run has ended."""
    log_limit: int = DEFAULT_LOG_LIMIT
    """Bytes of a run's log that are kept, half of them from its beginning and half from its end."""

    cache_dir: Path = field(default_factory=lambda: _default_dir("cache"))
    state_dir: Path = field(default_factory=lambda: _default_dir("state"))
    config_dir: Path = field(default_factory=lambda: _default_dir("config"))


_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}
_BOOLEANS = {"sample", "offline", "ascii", "any_host", "bell"}
_NUMBERS = {"osc52_limit", "log_limit"}
_DIRS = {"neff_cache_dir", "cache_dir", "state_dir", "config_dir", "host_root"}
_PATHS = {"data"} | _DIRS

# As huggingface_hub.utils.validate_repo_id has it, which costs the import of that library.
_REPO_NAME = r"\b[\w.-]{1,96}\b"
_REPO_ID = re.compile(rf"(?!.*(?:--|\.\.))(?!.*\.git\Z)(?:{_REPO_NAME}/)?{_REPO_NAME}", re.ASCII)


def load(flags: Mapping[str, Any], environ: Mapping[str, str], *, config_file: bool = True) -> Settings:
    """Settings from the four places, or without the config file; a flag of `None` was not given.

    `HF_HUB_OFFLINE` and `TRANSFORMERS_OFFLINE` count as `offline`, `TORCH_NEURONX_NEFF_CACHE_DIR` as
    `neff_cache_dir`, below this app's own variables.

    Raises `UsageError` for a value that does not fit, or a folder behind a link that another user made in a shared
    one; `ConfigFileError` for a value in the config file that does not fit, or a file that cannot be read.
    """
    names = {item.name for item in fields(Settings)}
    chosen = _from_file(_config_dir(flags, environ) / "config.toml", names) if config_file else {}
    if any(environ.get(name, "").lower() in _TRUE for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")):
        chosen["offline"] = True
    if environ.get("TORCH_NEURONX_NEFF_CACHE_DIR"):
        variable = "TORCH_NEURONX_NEFF_CACHE_DIR"
        chosen["neff_cache_dir"] = _convert("neff_cache_dir", environ[variable], variable)
    for name in sorted(names):
        variable = f"TRN_MODELS_{name.upper()}"
        if environ.get(variable):
            chosen[name] = _convert(name, environ[variable], variable)
    for name, value in flags.items():
        if value is not None:
            chosen[name] = _convert(name, value, f"--{name.replace('_', '-')}")
    settings = Settings(**chosen)
    for folder in (settings.cache_dir, settings.state_dir, settings.config_dir, settings.neff_cache_dir):
        if folder is not None and (link := _foreign_link(folder)) is not None:
            raise UsageError(
                f"{folder} leads through a link of another user",
                f"{link} is in a folder that everybody may write to; whoever made it chooses where files go.",
                "Remove the link, or name another folder.",
            )
    return settings


def _config_dir(flags: Mapping[str, Any], environ: Mapping[str, str]) -> Path:
    for value, origin in (
        (flags.get("config_dir"), "--config-dir"),
        (environ.get("TRN_MODELS_CONFIG_DIR"), "TRN_MODELS_CONFIG_DIR"),
    ):
        if value:
            path = _convert("config_dir", value, origin)
            assert isinstance(path, Path)
            return path
    return _default_dir("config")


def _from_file(path: Path, names: Collection[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in _read_config(path).items():
        if name not in names:
            known = f"Known settings: {', '.join(sorted(names))}."
            raise ConfigFileError(f"Unknown setting «{name}»", f"In {path}.", known)
        try:
            found[name] = _convert(name, value, str(path))
        except UsageError as error:
            raise ConfigFileError(error.title, error.detail, error.remedy) from error
    return found


def _read_config(path: Path) -> dict[str, Any]:
    if not os.access(path, os.F_OK):
        return {}  # also a home that is closed to this user: no file of theirs can be in it
    import tomllib  # a start without the file does without it

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        title = "The config file cannot be read"
        raise ConfigFileError(title, f"{path}: {error}", "Mend it or move it away.") from error


def _convert(name: str, value: Any, origin: str) -> Any:
    if name in _BOOLEANS:
        expected = "true or false"
        word = str(value).strip().lower()
        if word in _TRUE | _FALSE:
            return word in _TRUE
    elif name in _PATHS:
        expected = "a path"
        if isinstance(value, (str, Path)) and str(value).strip():
            return _path(name, str(value), origin)
    elif name in _NUMBERS:
        expected = "a whole number of bytes, 0 or more"
        if isinstance(value, (int, str)) and not isinstance(value, bool):
            try:
                number = int(value)
            except ValueError:
                number = -1
            if number >= 0:
                return number
    elif name == "dataset":
        expected = "the id of a dataset on the Hub, ORG/NAME: letters, digits, «_», and between them single «-» or «.»"
        if isinstance(value, str) and _REPO_ID.fullmatch(value.strip()):
            return value.strip()
    else:
        expected = "a text"
        if isinstance(value, str) and value.strip():
            return value.strip()
    raise UsageError(f"«{value}» is no value for {name}", f"It comes from {origin}.", f"Give {expected}.")


def _path(name: str, value: str, origin: str) -> Path:
    try:
        path = Path(value).expanduser()
    except RuntimeError as error:
        raise UsageError(
            f"«{value}» is no value for {name}",
            f"It comes from {origin}; the home folder that ~ stands for is not known.",
            "Give the whole path.",
        ) from error
    # Folders outlive the current one: a run's supervisor changes it. `data` stays as it was named.
    return path.absolute() if name in _DIRS else path


def _foreign_link(path: Path) -> Path | None:
    """The part of a path that somebody else made a link, in a folder such as /tmp; None when there is none."""
    for place in (path, *path.parents):
        with contextlib.suppress(OSError):
            found = place.lstat()
            foreign = stat.S_ISLNK(found.st_mode) and found.st_uid not in (0, os.getuid())
            if foreign and place.parent.stat().st_mode & stat.S_IWOTH:
                return place
    return None


_USUAL_DIRS = {
    "cache": platformdirs.user_cache_path,
    "state": platformdirs.user_state_path,
    "config": platformdirs.user_config_path,
}


def _default_dir(kind: str) -> Path:
    """The usual folder; for a user without a home, one among the temporary files."""
    try:
        return _USUAL_DIRS[kind](APP_NAME)
    except RuntimeError:
        return _without_home() / kind


@cache
def _without_home() -> Path:
    """A private folder in the shared one, the same each time unless somebody else took its name."""
    import tempfile  # milliseconds that a completion does not have

    shared = Path(tempfile.gettempdir()) / f"{APP_NAME}-{os.getuid()}"
    try:
        shared.mkdir(mode=0o700, exist_ok=True)
        found = shared.lstat()
    except OSError:
        return shared
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
        return shared
    return Path(tempfile.mkdtemp(prefix=f"{APP_NAME}-"))
