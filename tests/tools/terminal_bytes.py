"""What came over a pseudo-terminal, taken apart: text, and sequences of which each must be one that the app makes.

`faults_of` names everything else: control characters in text, C1 as code points or as bytes, bidi and invisible
characters, sequences that the app has no use for, or with numbers that it cannot have meant.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator

_SEQUENCE = re.compile(
    r"\x1b(?:"
    r"\[(?P<csi>[0-?]*[ -/]*[@-~])"
    r"|\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|P(?P<dcs>[^\x1b]*)\x1b\\"
    r"|(?P<other>[ -/]*[0-~]))"
)
_MODES = frozenset(map(str, (7, 25, 1000, 1002, 1003, 1004, 1006, 1007, 1015, 1016, 1049, 2004, 2026, 2048)))
_SGR = frozenset(("", "0", "1", "2", "3", "4", "7", "9", "22", "23", "24", "27", "29", "39", "49")) | frozenset(
    map(str, (*range(30, 38), *range(40, 48), *range(90, 98), *range(100, 108)))
)
"""Colours, and what widgets and logs use: no blinking, no hidden text, no overline."""
_LINE_ENDS = frozenset("\r\n")


def faults_of(data: bytes, size: tuple[int, int], *, copying: bool = False) -> list[str]:
    """What in `data` the app cannot have meant, each with what comes before it.

    `size` is (columns, rows); with `copying` there may be OSC 52, whose texts are for `copied`.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        around = data[max(error.start - 60, 0) : error.end + 20]
        return [f"not UTF-8 at byte {error.start}: {around!r}"]
    faults = []
    for start, part in _parts(text):
        fault = _fault_of_text(part) if isinstance(part, str) else _fault_of_sequence(part, size, copying)
        if fault:
            faults.append(f"{fault}, after {text[max(start - 80, 0) : start]!r}")
    return faults


def copied(data: bytes) -> list[bytes]:
    """The texts that were sent to the terminal's clipboard."""
    return [base64.b64decode(found) for found in re.findall(rb"\x1b\]52;c;([^\x07\x1b]*)", data)]


def _parts(text: str) -> Iterator[tuple[int, str | re.Match[str]]]:
    at = 0
    for found in _SEQUENCE.finditer(text):
        if found.start() > at:
            yield at, text[at : found.start()]
        yield found.start(), found
        at = found.end()
    if at < len(text):
        yield at, text[at:]


def _fault_of_text(text: str) -> str:
    wrong = {
        each
        for each in text
        if unicodedata.category(each) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} and each not in _LINE_ENDS
    }
    return f"{''.join(sorted(wrong))!a} in the text {text[:80]!r}" if wrong else ""


def _fault_of_sequence(found: re.Match[str], size: tuple[int, int], copying: bool) -> str:
    if found["csi"] is not None:
        known = _is_own_csi(found["csi"], size)
    elif found["osc"] is not None:
        known = _is_own_osc(found["osc"], copying)
    elif found["dcs"] is not None:
        known = False
    else:
        known = found["other"] in ("7", "8", "=", ">")
    return "" if known else f"a sequence that is not the app's: {found[0][:80]!r}"


def _is_own_csi(text: str, size: tuple[int, int]) -> bool:
    parameters, final = text[:-1], text[-1]
    numbers = parameters.split(";")
    if final == "m" and not parameters.startswith(("<", "=", ">", "?")):
        return _is_own_sgr(numbers)
    if final == "H":
        at = [int(number or 1) for number in numbers]
        return len(at) <= 2 and at[0] <= size[1] and at[-1 if len(at) == 2 else 0] <= max(size)
    if final in "ABCD":
        return int(parameters or 1) <= max(size)
    if final in "hl":
        return parameters[:1] == "?" and _MODES.issuperset(parameters[1:].split(";"))
    if text.endswith("$p"):
        return parameters[:1] == "?" and parameters[1:-1] in _MODES
    # The keyboard protocol on and off; line and screen erased (a prompt, a progress line).
    return bool(re.fullmatch(r">\d+u", text)) or text in {"<u", "K", "0K", "2K", "J", "0J"}


def _is_own_sgr(numbers: list[str]) -> bool:
    while numbers:
        if numbers[0] in ("38", "48") and len(numbers) > 1:
            taken = {"5": 3, "2": 5}.get(numbers[1], 0)
            if not taken or len(numbers) < taken or not all(int(each or 0) < 256 for each in numbers[2:taken]):
                return False
            numbers = numbers[taken:]
        elif numbers[0] in _SGR:
            numbers = numbers[1:]
        else:
            return False
    return True


def _is_own_osc(text: str, copying: bool) -> bool:
    if text.startswith("52;c;"):
        return copying
    return text.startswith("22;") and text.removeprefix("22;").replace("-", "").isalpha()
