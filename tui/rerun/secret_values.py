"""What of a plan is secret, how it is left out of what is written, and put back from an environment. Pure.

Of variables the name tells, or a value that is a token by its form. So it is with the words of a command: `--hf-token`
and the next word, `api_key=...`. What was such a word when the run was made is handed to its supervisor as a variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

NOT_KEPT: Final = "(not kept)"
"""Stands for the value of a secret variable."""

OF_A_WORD: Final = "TRN_MODELS_WORD_"
"""Begins the name of a variable that holds a secret word of a command, on its way to the supervisor."""

_SHORTEST = 4
"""A shorter value is no secret, and would be found in many words."""

# TOKENIZERS_PARALLELISM, MAX_NEW_TOKENS, KEYBOARD and AUTHOR are none.
_SECRET_NAME = re.compile(
    r"TOKEN(?!IZER|S(?:_|$))|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(?:^|_)KEYS?(?:_|$)|AUTH(?!OR(?:S?(?:_|$)))"
)
_PLACE = re.compile(r"\(not kept: ([^()=]+)\)")
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:hf|api_org)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}"
    r"|glpat-[\w-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|sk-[A-Za-z0-9_-]{20,}|xox[a-z]-[A-Za-z0-9-]{10,})"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"
)
"""Tokens of the Hub, GitHub, GitLab, AWS, OpenAI and Slack; user and password in an address, as of a proxy."""
# What every model's configuration has: --pad-token, --eos-token-id; and other keys than those that open something.
OF_A_MODEL = re.compile(
    r"(?:bos|eos|pad|unk|sep|cls|mask|image|video|audio|start|end|special|next|new|first|last)[-_]token"
    r"|token[-_](?:id|index|type|count|limit)|(?:sort|primary|foreign|group|cache|dict|column|text)[-_]key",
    re.IGNORECASE,
)
TELLS_NOTHING = re.compile(r"None|null|True|False|\d{1,6}(?:\.\d*)?", re.IGNORECASE)


def looks_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY; not TOKENIZERS_PARALLELISM."""
    return _SECRET_NAME.search(name.upper()) is not None


def looks_like_token(value: str) -> bool:
    """Whether there is a token in it by its form, under whatever name."""
    return bool(_token(value))


def secret_words(words: Sequence[str]) -> dict[int, str]:
    """Index of a word -> what of it is secret: a token, or the value of an option with a secret's name.

    Not `--max-new-tokens 32`, `--pad-token '<pad>'`, or what is left out already.
    """
    found: dict[int, str] = {}
    for index, word in enumerate(words):
        name, separator, value = word.partition("=")
        named = looks_secret(name.lstrip("-").replace("-", "_")) and not OF_A_MODEL.search(name)
        if named and separator and " " not in name:
            _note(found, index, value)
        elif named and name.startswith("-") and not separator:
            following = next(iter(words[index + 1 : index + 2]), "-")
            _note(found, index + 1, "" if following.startswith("-") else following)
        if index not in found and (token := _token(word)):
            found[index] = token
    return found


def _token(text: str) -> str:
    """The first token in it; empty when there is none that is not left out already."""
    return next((match[0] for match in _TOKEN.finditer(text) if "(not kept" not in match[0]), "")


def _note(found: dict[int, str], index: int, value: str) -> None:
    if value and "(not kept" not in value and not TELLS_NOTHING.fullmatch(value):
        found[index] = value


def masked_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a command with `(not kept)` for what is secret in them."""
    secret = secret_words(words)
    masked = [word.replace(secret[index], NOT_KEPT) if index in secret else word for index, word in enumerate(words)]
    return tuple(_TOKEN.sub(NOT_KEPT, word) for word in masked)


def masked_line(line: str) -> str:
    """The same for a command whose words stand in one line."""
    return " ".join(masked_words(line.split(" ")))


def masked(value: Any) -> Any:
    """JSON without the secret words of its lists, and without tokens anywhere."""
    if isinstance(value, str):
        return _TOKEN.sub(NOT_KEPT, value)
    if isinstance(value, Mapping):
        return {name: masked(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        words = all(isinstance(item, str) for item in value)
        return list(masked_words(value)) if words else [masked(item) for item in value]
    return value


def without(value: object, secrets: Mapping[str, str]) -> Any:
    """`value` as JSON in which `(not kept: NAME)` stands wherever a text has the value of the secret NAME.

    Mappings become objects with text keys, sequences lists; what JSON does not know becomes text. Values of fewer
    than four characters are not looked for.
    """
    if isinstance(value, str):
        # The longest first: one may be a part of another.
        for name, secret in sorted(secrets.items(), key=lambda item: -len(item[1])):
            if len(secret) >= _SHORTEST:
                value = value.replace(secret, f"(not kept: {name})")
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {without(str(key), secrets): without(item, secrets) for key, item in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [without(item, secrets) for item in value]
    return without(str(value), secrets)


def put_back(text: str, environ: Mapping[str, str]) -> str:
    """`text` with the value of the variable in place of each `(not kept: NAME)`; those that are not set stay."""
    return _PLACE.sub(lambda place: environ.get(place[1], place[0]), text)
