"""Addresses of buckets in texts that others wrote: found, checked strictly, filled in. Pure.

An address is `hf://buckets/ORG/NAME[/PATH]` (huggingface_hub, guide "Buckets") or `s3://BUCKET[/PREFIX]`. Its
path may hold placeholders (`{neuronx_cc}`, `${VERSION}`, `<version>`, `%s`), organisation and name may not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HF_PREFIX = "hf://buckets/"
S3_PREFIX = "s3://"

_PLACEHOLDER = (
    r"\$?\{\{?[A-Za-z0-9_.: -]{0,40}\}?\}"  # {name}, {{ name }}, ${NAME}, {}
    r"|\$[A-Za-z_][A-Za-z0-9_]{0,40}"
    r"|<(?!/|(?:a|b|br|code|div|em|hr|i|li|p|pre|span|strong|td|tr|u)\b)[A-Za-z][A-Za-z0-9_. -]{0,40}>"
    r"|%\([A-Za-z_][A-Za-z0-9_]{0,40}\)s|%s"
)
_PLACEHOLDER_RE = re.compile(_PLACEHOLDER)
_SEGMENT = re.compile(rf"(?:[A-Za-z0-9._=+-]|{_PLACEHOLDER})+")
_PLAIN_SEGMENT = re.compile(r"[A-Za-z0-9._=+-]{1,255}")
_HF_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_S3_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")

_FOUND = re.compile(rf"(?:{HF_PREFIX}|{S3_PREFIX})(?:[A-Za-z0-9._=+/-]|{_PLACEHOLDER})+")
_PAGE = re.compile(r"https://huggingface\.co/buckets/([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+)")

# What may stand right after an address; anything else means that the address goes on in a way this app does
# not understand, and half an address would be another address.
_END = re.compile(
    r"""\Z|[\s"'`)\],;|>\\]|<(?!\w+[\w. -]*>)|</|<(?:br|p|li|td)\b|&(?:quot|apos|lt|gt|\#\d+);"""
    r"""|[:!?](?=\W|\Z)|\*+(?=\W|\Z)"""
)

_EXAMPLE = re.compile(r"(?:my|your|example|user|username|org|organi[sz]ation|namespace)(?:[-_.].*)?", re.IGNORECASE)
_CACHE_WORDS = re.compile(r"neff|cache|compil|graph|neuronx?-?cc|buckets sync|s3 sync", re.IGNORECASE)
_COMPILER_WORDS = re.compile(r"neuronx?_?cc|compiler|(?:^|_)cc(?:_|$)|^(?:ver|version|v)$")
_LINES_AROUND = 2
_SHOWN_AROUND = 100


@dataclass(frozen=True, slots=True)
class Found:
    """One address in a text: its line (from 1), the line, and whether the words around speak of a cache."""

    address: str
    line_number: int
    line: str
    about_cache: bool


def addresses_in(text: str) -> tuple[Found, ...]:
    """Every usable address of a text, in its order, each once; not those of examples (`username/...`)."""
    lines = text.split("\n")
    found: dict[str, Found] = {}
    for index, line in enumerate(lines):
        for start, address in _addresses_of(line):
            around = lines[max(0, index - _LINES_AROUND) : index + _LINES_AROUND + 1]
            near = " ".join(each if len(each) < 400 else "" for each in around)
            near += line[max(0, start - _SHOWN_AROUND) : start] + _path_of(address)
            item = Found(address, index + 1, _excerpt(line, start), bool(_CACHE_WORDS.search(near)))
            if address not in found or (item.about_cache and not found[address].about_cache):
                found[address] = item
    return tuple(found.values())


def _addresses_of(line: str) -> list[tuple[int, str]]:
    if "://" not in line:
        return []
    hits: list[tuple[int, str]] = []
    for match in _FOUND.finditer(line):
        rest = line[match.end() :][:60]
        if not _END.match(rest):
            continue
        if rest.startswith("*") and not match.group().endswith("/") and line[match.start() - 1 : match.start()] != "*":
            continue
        address = match.group().rstrip(".")
        if line[match.start() - 1 : match.start()] == "_":
            address = address.rstrip("_")
        address = address.rstrip("/")
        if well_formed(address) and not _is_example(address):
            hits.append((match.start(), address))
    for match in _PAGE.finditer(line):
        address = f"{HF_PREFIX}{match.group(1)}/{match.group(2).rstrip('.')}"
        if well_formed(address) and not _is_example(address):
            hits.append((match.start(), address))
    return sorted(hits)


def _excerpt(line: str, start: int) -> str:
    if len(line) <= 2 * _SHOWN_AROUND:
        return line.strip()
    return line[max(0, start - _SHOWN_AROUND // 2) : start + _SHOWN_AROUND].strip()


def _is_example(address: str) -> bool:
    first = address.split("://", 1)[1].removeprefix("buckets/").split("/")[0]
    return bool(_EXAMPLE.fullmatch(first))


def _path_of(address: str) -> str:
    """Bucket name and path, without the organisation: `aws-neuron` says nothing of a cache."""
    if address.startswith(HF_PREFIX):
        return " " + address.removeprefix(HF_PREFIX).partition("/")[2]
    return " " + address.removeprefix(S3_PREFIX)


def well_formed(address: str) -> bool:
    """True for an address of only allowed characters; placeholders may stand in its path."""
    return _checked(address, _SEGMENT)


def complete(address: str) -> bool:
    """True for an address that a command can take as it stands: well formed, without placeholders."""
    return _checked(address, _PLAIN_SEGMENT)


def _checked(address: str, segment: re.Pattern[str]) -> bool:
    if address.startswith(HF_PREFIX):
        organisation, _, rest = address.removeprefix(HF_PREFIX).partition("/")
        name, *path = rest.split("/")
        named = bool(_HF_NAME.fullmatch(organisation) and _HF_NAME.fullmatch(name))
    elif address.startswith(S3_PREFIX):
        name, *path = address.removeprefix(S3_PREFIX).split("/")
        named = bool(_S3_NAME.fullmatch(name))
    else:
        return False
    return named and len(address) <= 1024 and all(segment.fullmatch(part) and part not in {".", ".."} for part in path)


def bucket_id(address: str) -> str | None:
    """`ORG/NAME` of a Hub bucket; None for s3, which is not asked."""
    if not address.startswith(HF_PREFIX):
        return None
    return "/".join(address.removeprefix(HF_PREFIX).split("/")[:2])


def path_in_bucket(address: str) -> str:
    """What comes after the bucket's name; empty for the whole bucket."""
    parts = address.split("://", 1)[1].split("/")
    return "/".join(parts[3:] if address.startswith(HF_PREFIX) else parts[1:])


def unfillable(address: str) -> tuple[str, ...]:
    """Placeholders that do not stand for the compiler's version, so that nothing can be put there."""
    marks = [match.group() for match in _PLACEHOLDER_RE.finditer(address)]
    return tuple(mark for mark in marks if not _means_compiler(mark, alone=len(marks) == 1))


def filled(address: str, compiler: str) -> str:
    """The address with `compiler` in every placeholder that stands for the compiler's version."""
    alone = len(_PLACEHOLDER_RE.findall(address)) == 1
    return _PLACEHOLDER_RE.sub(
        lambda match: compiler if _means_compiler(match.group(), alone=alone) else match.group(), address
    )


def _means_compiler(mark: str, *, alone: bool) -> bool:
    name = re.sub(r"[^a-z0-9]+", "_", mark.removeprefix("%").lower().removesuffix(")s")).strip("_")
    if name in {"", "s"}:
        return alone
    return bool(_COMPILER_WORDS.search(name))


def names_version(text: str, version: str) -> re.Match[str] | None:
    """Where `text` holds exactly this version, not as a part of a longer one."""
    return re.search(rf"(?<![0-9.]){re.escape(version)}(?![0-9+])(?!\.[0-9])", text)
