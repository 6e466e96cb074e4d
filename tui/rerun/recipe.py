"""From a record to what is needed to run it again: stack, packages on top, script, cache command. Pure.

Versions, names and addresses are text from outside: only what is a version, a package name or a bucket
address by its own grammar gets into a command, and every command is joined with `shlex.join`.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

from tui.catalog import bucket_address
from tui.catalog.neff_bucket import HOW_TO_SET, Bucket
from tui.catalog.tested_packages import STACK, STACK_PACKAGES, distribution_of, packages_on_top
from tui.catalog.verdict import Record
from tui.terminal_text import acting, clean

TESTED_WITH: tuple[tuple[str, str], ...] = (*STACK, ("python", "python"), ("driver", "neuron_driver"))
"""(label, column) of what a record was tested with, below the packages that pip puts on top."""

DEFAULT_NEFF_CACHE = "/tmp/neff_cache"
"""Where torch-neuronx keeps compiled graphs when TORCH_NEURONX_NEFF_CACHE_DIR is not set (its source)."""

_COMPILER = re.compile(r"[0-9][0-9A-Za-z.+-]{0,63}")


@dataclass(frozen=True, slots=True)
class Package:
    """One package that pip puts on top of the stack."""

    name: str
    version: str

    @property
    def requirement(self) -> str:
        """What pip is given: `name==version`."""
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to run a record again."""

    stack: tuple[tuple[str, str | None], ...]
    """(label, version as recorded) of every TESTED_WITH entry; None when no version is recorded."""
    packages: tuple[Package, ...]
    left_out: tuple[str, ...]
    """A sentence for each package that is not in the install line, or not as recorded."""
    script: str | None
    script_lines: int
    script_bytes: int

    @property
    def script_sha256(self) -> str:
        """Of the script's UTF-8 bytes, in hexadecimal; empty without a script."""
        return "" if self.script is None else hashlib.sha256(_bytes(self.script)).hexdigest()

    @property
    def install_line(self) -> str:
        """`pip install transformers==5.23.1 accelerate==1.9.0`; empty when no package can be named."""
        if not self.packages:
            return ""
        return shlex.join(["pip", "install", *(package.requirement for package in self.packages)])


def recipe_of(record: Record, script: str | None) -> Recipe:
    """The recipe of a record; `script` is its run.py, which the caller reads; None when there is none."""
    packages, left_out = _packages(record)
    return Recipe(
        stack=tuple((label, record.text(column)) for label, column in TESTED_WITH),
        packages=packages,
        left_out=left_out,
        script=script,
        script_lines=_lines(script or ""),
        script_bytes=len(_bytes(script or "")),
    )


def _bytes(script: str) -> bytes:
    return script.encode("utf-8", errors="surrogatepass")


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _packages(record: Record) -> tuple[tuple[Package, ...], tuple[str, ...]]:
    found = packages_on_top(record)
    said = [*_about_library(record)]
    for package in found:
        name, version = package.name, package.version
        said += [f"{name}: {other} is recorded as well; {version} is used." for other in package.others]
        if package.recorded is None:
            said.append(f"{name}: no version is recorded, so it is left out.")
        elif version is None:
            said.append(f"{name}: «{clean(package.recorded)}» is not a version, so it is left out.")
    return tuple(Package(each.name, each.version) for each in found if each.version is not None), tuple(said)


def _about_library(record: Record) -> Iterator[str]:
    """Why the library is not among the packages on top, if it is not."""
    written = record.library
    name = distribution_of(written)
    if written is None or not written.strip():
        yield "The record names no library."
    elif name is None:
        yield f"«{clean(written.strip())}» is not a package name, so it is left out."
    elif name in STACK_PACKAGES:
        yield f"{name} belongs to the stack, so pip is not asked for it."


@dataclass(frozen=True, slots=True)
class CacheCommand:
    """The command that fetches compiled graphs, or why there is none."""

    argv: tuple[str, ...]
    """Empty when there is no command."""
    source: str
    """Where the address came from, with the line it stood on; empty without an address."""
    destination: Path
    candidate: bool
    """True: nobody said that this bucket holds the cache; never run it without a yes."""
    note: str

    @property
    def line(self) -> str:
        """The line for a shell; empty when there is no command."""
        return shlex.join(self.argv)

    def into(self, folder: Path) -> CacheCommand:
        """The same with another folder of this user; without a command when no line can name it."""
        if why := _why_not_named(folder):
            return replace(self, argv=(), destination=folder, note=why)
        return replace(self, argv=(*self.argv[:-1], str(folder)) if self.argv else (), destination=folder)

    def shown(self, home: Path) -> str:
        """The line with `~` for the home folder, which a shell reads alike; never inside a quoted path."""
        if not self.argv:
            return ""
        *words, folder = self.argv
        if shlex.quote(folder) == folder and self.destination.is_relative_to(home) and self.destination != home:
            return f"{shlex.join(words)} ~/{self.destination.relative_to(home)}"
        return self.line


def cache_folder(neff_cache_dir: Path | None) -> Path:
    """Absolute folder for compiled graphs: the one that is set, else `neff_cache` in the user's cache."""
    return (neff_cache_dir or platformdirs.user_cache_path("neff_cache")).expanduser().absolute()


def cache_command(
    bucket: Bucket | None,
    neuronx_cc: str | None,
    neff_cache_dir: Path | None,
    known_compilers: Collection[str] = (),
) -> CacheCommand:
    """The command that fetches the graphs compiled by `neuronx_cc` into this user's cache folder.

    `known_compilers` are the dataset's neuronx-cc versions: one of them in the address stands where this
    record's belongs. A hit needs the same version, which is part of the cache's key (torch-neuronx source).
    """
    folder = cache_folder(neff_cache_dir)
    if bucket is None:
        return CacheCommand((), "", folder, False, f"No bucket with compiled graphs is known. {HOW_TO_SET}")
    source = f"{bucket.source}: {bucket.line}" if bucket.line else bucket.source
    if bucket.missing:
        gone = f"{clean(bucket.address)}: {bucket.trouble} {HOW_TO_SET}"
        return CacheCommand((), source, folder, bucket.candidate, gone)
    compiler = (neuronx_cc or "").strip()
    if why := _why_no_graphs_of(compiler) or _why_not_named(folder):
        return CacheCommand((), source, folder, bucket.candidate, why)
    address, about = _for_compiler(bucket, compiler, known_compilers)
    if address is None:
        return CacheCommand((), source, folder, bucket.candidate, about)
    if address.startswith(bucket_address.S3_PREFIX):
        words = ["aws", "s3", "sync", "--no-sign-request"]
    else:
        words = ["hf", "buckets", "sync"]
    needs = (
        f"The run needs TORCH_NEURONX_NEFF_CACHE_DIR={shlex.quote(str(folder))}: "
        f"without it torch-neuronx uses {DEFAULT_NEFF_CACHE}, which all users of a host share."
    )
    guess = "A candidate, unverified: nothing read says that this bucket is the cache. " if bucket.candidate else ""
    return CacheCommand((*words, address, str(folder)), source, folder, bucket.candidate, f"{guess}{about} {needs}")


def _why_no_graphs_of(compiler: str) -> str:
    """Why no graphs can be asked for; empty for a version."""
    if not compiler:
        return "The record names no neuronx-cc version, and graphs of another compiler never fit."
    if not _COMPILER.fullmatch(compiler):
        return f"The recorded neuronx-cc version, «{clean(compiler)}», is not a version."
    return ""


def _why_not_named(folder: Path) -> str:
    """Why no line for a shell can name this folder; empty when one can."""
    if not (found := acting(str(folder))):
        return ""
    return (
        f"The folder for compiled graphs, «{clean(str(folder))}», has {found} in its name, which a terminal acts on: "
        "no line for a shell can hold that. TORCH_NEURONX_NEFF_CACHE_DIR names another one."
    )


def _for_compiler(bucket: Bucket, compiler: str, known_compilers: Collection[str]) -> tuple[str | None, str]:
    """The address for this compiler and a sentence about it; None with the reason when there is none."""
    if missing := bucket_address.unfillable(bucket.address):
        return None, f"The address {bucket.address} has parts that are not known here: {', '.join(missing)}."
    address = bucket_address.filled(bucket.address, compiler)
    replaced = ""
    if not _names(address, compiler) and (match := _known_version(address, known_compilers)):
        replaced = f"{match.group()} in the address was replaced. "
        address = f"{address[: match.start()]}{compiler}{address[match.end() :]}"
    if not bucket_address.complete(address):
        return None, f"{clean(bucket.address)} is not an address that a command can take."
    if _names(address, compiler):
        return address, replaced + _seen(bucket, address, compiler)
    matching = _folders_of(bucket, address, compiler)
    if bucket.folders is None:
        unknown = f"Whether it has graphs of neuronx-cc {compiler} was not looked up; all of it is fetched."
        return address, bucket.trouble or unknown
    if not matching:
        return address, f"No folder for neuronx-cc {compiler} was seen there; all of it is fetched."
    also = f" Others that name it: {', '.join(matching[1:4])}." if len(matching) > 1 else ""
    return f"{_root(address)}/{matching[0]}", f"The bucket has a folder for neuronx-cc {compiler}.{also}"


def _root(address: str) -> str:
    path = bucket_address.path_in_bucket(address)
    return address.removesuffix(path).rstrip("/") if path else address


def _names(address: str, compiler: str) -> bool:
    return bool(bucket_address.names_version(bucket_address.path_in_bucket(address), compiler))


def _known_version(address: str, known_compilers: Collection[str]) -> re.Match[str] | None:
    """Where the address's path names one of the dataset's compiler versions."""
    start = len(_root(address))
    for known in sorted(filter(None, known_compilers), key=len, reverse=True):
        match = bucket_address.names_version(address, known)
        if match and match.start() > start:
            return match
    return None


def _seen(bucket: Bucket, address: str, compiler: str) -> str:
    path = bucket_address.path_in_bucket(address)
    if bucket.trouble:
        return f"The address names neuronx-cc {compiler}. {bucket.trouble}"
    if bucket.folders is None:
        return f"The address names neuronx-cc {compiler}; whether it holds graphs was not looked up."
    if any(f"{folder}/".startswith(f"{path}/") for folder in bucket.folders):
        return f"The bucket has a folder for neuronx-cc {compiler}."
    return f"No folder for neuronx-cc {compiler} was seen in the bucket."


def _folders_of(bucket: Bucket, address: str, compiler: str) -> list[str]:
    """Folders under the address that name this compiler, each cut after that part, shallowest first."""
    base = bucket_address.path_in_bucket(address)
    found: set[str] = set()
    for folder in bucket.folders or ():
        parts = folder.strip("/").split("/")
        if base and parts[: len(base.split("/"))] != base.split("/"):
            continue
        for depth, part in enumerate(parts, start=1):
            cut = "/".join(parts[:depth])
            if bucket_address.names_version(part, compiler):
                if bucket_address.complete(f"{bucket_address.HF_PREFIX}o/n/{cut}"):
                    found.add(cut)
                break
    return sorted(found, key=lambda folder: (folder.count("/"), folder))
