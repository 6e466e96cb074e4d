"""What of a plan is secret, how it is left out of what is written, and put back from an environment. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

NOT_KEPT: Final = "(not kept)"
"""Stands for the value of a secret variable."""

_SHORTEST = 4
"""A shorter value is no secret, and would be found in many words."""

# TOKENIZERS_PARALLELISM, MAX_NEW_TOKENS, KEYBOARD and AUTHOR are none.
_SECRET_NAME = re.compile(
    r"TOKEN(?!IZER|S(?:_|$))|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(?:^|_)KEYS?(?:_|$)|AUTH(?!OR(?:S?(?:_|$)))"
)
_PLACE = re.compile(r"\(not kept: ([^()=]+)\)")


def looks_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY; not TOKENIZERS_PARALLELISM."""
    return _SECRET_NAME.search(name.upper()) is not None


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
