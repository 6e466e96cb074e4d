"""Tiny distributions made by hand: as wheels for pip, or put straight into a venv."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def write_wheel(
    folder: Path, name: str, version: str, requires: Sequence[str] = (), more: Mapping[str, str] | None = None
) -> Path:
    """A wheel with one module that has `__version__`; `more` are further files beside it (name -> text)."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {
        f"{module}.py": f"__version__ = {version!r}\n",
        **(more or {}),
        f"{info}/METADATA": metadata + "".join(f"Requires-Dist: {line}\n" for line in requires),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text.encode())}\n" for path, text in files.items())
    wheel = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        for path, text in files.items():
            file.writestr(path, text)
        file.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return wheel


def make_venv(folder: Path, wheels: Sequence[Path] = (), python: str | None = None) -> Path:
    """A venv without pip, made by `python` (this one when not given); its python. The wheels are unpacked into it."""
    if python is None:
        venv.create(folder, symlinks=True)
    else:
        subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            file.extractall(site_packages(folder))
    return folder / "bin" / "python"


def site_packages(folder: Path) -> Path:
    """The folder of a venv's packages."""
    (place,) = folder.glob("lib/python*/site-packages")
    return place


def write_program(path: Path, text: str) -> Path:
    """An executable shell script; `PYTHON` in it is the Python that runs the tests."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text.replace('PYTHON', sys.executable)}\n")
    path.chmod(0o755)
    return path


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
