"""What else of this machine concerns a run: free disks, a token, weights that are here, what a logout does.

Reads only. No token is read beyond its first byte, and none is ever logged.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

from tui.host.checklist import HUGGING_FACE_CACHE, NEFF_CACHE, RUN_FOLDER, Disk, Surroundings
from tui.settings import Settings

_WEIGHTS = frozenset({".safetensors", ".bin", ".pt", ".pth", ".msgpack", ".h5", ".ckpt", ".gguf", ".onnx"})
_SHARD = re.compile(r"(?P<before>.*)-(?P<number>[0-9]{5})-of-(?P<total>[0-9]{5})(?P<after>\..*)")
_LOGIND = "systemd/logind.conf"
# In the order in which they win, as logind.conf(5) says.
_CONFIG_FOLDERS = ("etc", "run", "usr/local/lib", "usr/lib", "lib")


def look_around(
    settings: Settings,
    model_id: str | None,
    neff_cache: Path,
    environ: Mapping[str, str],
    *,
    root: Path = Path("/"),
    user: str | None = None,
) -> Surroundings:
    """Look at disks, token, weights of `model_id` and logind. Raises nothing.

    `root` is where /etc, /run, /var and /usr are; `user` is the name whose logout is meant, the own one when None.
    """
    cache = hub_cache(environ)
    folders = ((HUGGING_FACE_CACHE, cache), (NEFF_CACHE, neff_cache), (RUN_FOLDER, settings.state_dir / "runs"))
    return Surroundings(
        disks=tuple(Disk(name, folder, free_bytes(folder), can_be_written(folder)) for name, folder in folders),
        has_token=has_token(environ),
        weights_here=model_id is not None and weights_here(cache, model_id),
        logout_kills=logout_kills(root, user),
    )


def free_bytes(folder: Path) -> int | None:
    """Free space for this user where `folder` is, or would be made; None when it cannot be asked."""
    for place in (folder, *folder.absolute().parents):
        try:
            return shutil.disk_usage(place).free
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            return None
    return None


def what_is_there(folder: Path) -> Path:
    """The folder, or the nearest above it that is there, in which it would be made."""
    places = (folder, *folder.absolute().parents)
    return next((place for place in places if os.path.lexists(place)), Path("/"))


def can_be_written(folder: Path) -> bool:
    """Whether this user can make files in the folder; where there is none, whether it can be made."""
    there = what_is_there(folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def hub_cache(environ: Mapping[str, str]) -> Path:
    """The folder of the Hugging Face cache, by the rules of huggingface_hub's constants.py."""
    old = environ.get("HUGGINGFACE_HUB_CACHE", str(_hf_home(environ) / "hub"))
    return Path(_expanded(environ.get("HF_HUB_CACHE", old), environ)).absolute()


def has_token(environ: Mapping[str, str]) -> bool:
    """Whether huggingface_hub would find a token: in a variable, or in the file that `hf auth login` writes."""
    if any(environ.get(name, "").strip() for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")):
        return True
    path = _expanded(environ.get("HF_TOKEN_PATH", str(_hf_home(environ) / "token")), environ)
    try:
        with Path(path).open("rb", buffering=0) as file:
            return bool(file.read(1).strip())
    except (OSError, ValueError):
        return False


def weights_here(cache: Path, model_id: str) -> bool:
    """Whether a snapshot of the model is there whole, as far as file names tell: weights, and no shard missing."""
    folder = cache / f"models--{model_id.replace('/', '--')}"
    try:
        if any((folder / "blobs").glob("*.incomplete")):
            return False
        return any(_whole(snapshot) for snapshot in (folder / "snapshots").iterdir())
    except (OSError, ValueError):
        return False


def logout_kills(root: Path = Path("/"), user: str | None = None) -> bool | None:
    """Whether logind ends the processes of a user's session at logout, and no linger keeps them; None: not known.

    Without systemd nobody does, and None is answered as well. Linger helps only what runs below the user's own
    service manager, as under `systemd-run --user`.
    """
    if not (root / "run/systemd/system").is_dir():
        return None
    name = user or _user_name()
    if name is None:
        return None
    wanted = _login_setting(root, "KillUserProcesses")
    if wanted is None:
        return None
    if wanted.lower() not in {"1", "yes", "y", "true", "t", "on"}:
        return False
    excluded = _login_setting(root, "KillExcludeUsers")
    if name in ("root" if excluded is None else excluded).split():
        return False
    only = (_login_setting(root, "KillOnlyUsers") or "").split()
    return (not only or name in only) and not lingers(root, name)


def lingers(root: Path = Path("/"), user: str | None = None) -> bool:
    """Whether the user's service manager stays after the last logout (`loginctl enable-linger`).

    Without it logind stops user@.service, and all that runs below it, some seconds after the last logout.
    """
    name = user or _user_name()
    return name is not None and os.path.lexists(root / "var/lib/systemd/linger" / name)


def _hf_home(environ: Mapping[str, str]) -> Path:
    cache = environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(_expanded(environ.get("HF_HOME", f"{cache}/huggingface"), environ))


def _expanded(path: str, environ: Mapping[str, str]) -> str:
    """`~` and `$NAME` in a path, from `environ`; a name that is not set stays as it is."""
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        path = home + path[1:]
    return Template(os.path.expanduser(path)).safe_substitute(environ)  # noqa: PTH111 - never raises, unlike Path's


def _whole(snapshot: Path) -> bool:
    weights, shards = False, dict[tuple[str, str, str], int]()
    for path in snapshot.rglob("*"):
        if path.suffix not in _WEIGHTS or not path.is_file():
            continue
        weights = True
        if match := _SHARD.fullmatch(path.name):
            key = (str(path.parent / match["before"]), match["total"], match["after"])
            shards[key] = shards.get(key, 0) + 1
    return weights and all(count >= int(total) for (_, total, _), count in shards.items())


def _user_name() -> str | None:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return None


def _login_setting(root: Path, name: str) -> str | None:
    """A setting of logind.conf: the last one that is set, else the default that the main file shows in a comment."""
    found, default = None, None
    for place, path in enumerate(_config_files(root)):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            key, separator, value = line.strip().partition("=")
            if not separator:
                continue
            if key.strip() == name:
                found = value.strip()
            elif place == 0 and key.strip() == f"#{name}":
                default = value.strip()
    return default if found is None else found


def _config_files(root: Path) -> Iterator[Path]:
    """The main file, then the drop-ins by name; one in a folder that wins hides its namesakes."""
    mains = [root / folder / _LOGIND for folder in _CONFIG_FOLDERS]
    yield next((path for path in mains if path.is_file()), mains[0])
    drop_ins: dict[str, Path] = {}
    for folder in _CONFIG_FOLDERS:
        for path in (root / folder / f"{_LOGIND}.d").glob("*.conf"):
            drop_ins.setdefault(path.name, path)
    yield from (drop_ins[name] for name in sorted(drop_ins))
