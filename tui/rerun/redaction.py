"""A text made ready to be published: home folders, names of users and hosts, tokens and keys are taken out. Pure.

What cannot be told from other text stays (a password that stands alone), so a person reads it before it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

REMOVED = "[removed]"

_SHORTEST_SECRET = 4

_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|["']?[^\s"']+)"""
_SECRET_WORD = (
    r"(?:token|secret|password|passwd|passphrase|pwd|credentials?|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|auth|authorization|signature|key-pair-id)"
)

# HF_TOKEN=x, "token": "x", --password x, X-Amz-Signature=x; not max_new_tokens=32 or tokenizer=x.
_ASSIGNED = re.compile(
    rf"""((?<![A-Za-z0-9])(?:[\w-]{{0,60}}[_-])?{_SECRET_WORD}(?:[_-][\w-]{{0,60}})?["'`]?\s*[=:]\s*"""
    rf"""|--(?:[\w-]{{0,60}}-)?{_SECRET_WORD}\s+)(?!\[removed\])((?:Bearer\s+|Basic\s+|Token\s+)?{_VALUE})""",
    re.IGNORECASE,
)
# pad_token_id=2, eos_token='</s>': what every model's configuration has.
_OF_A_MODEL = re.compile(
    r"(?:bos|eos|pad|unk|sep|cls|mask|image|video|audio|start|end|forced_\w+|special|next|new|first|last)_token|token_ids?\b",
    re.IGNORECASE,
)
_TELLS_NOTHING = re.compile(r"(?:None|null|True|False)\W*", re.IGNORECASE)
_SHORT_NUMBER = re.compile(r"\d{1,6}[^\w]*")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE)
_KNOWN_TOKENS = re.compile(
    r"""
      (?:hf|api_org)_[A-Za-z0-9]{8,}                                    # Hugging Face
    | (?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,})                 # GitHub
    | glpat-[\w-]{16,}                                                  # GitLab
    | (?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ABIA|ACCA)[A-Z0-9]{12,}          # AWS ids
    | (?:sk|pk|rk)-[A-Za-z0-9_-]{20,}                                   # OpenAI and others
    | xox[abeoprs]-[A-Za-z0-9-]{10,}                                    # Slack
    | AIza[\w-]{30,}                                                    # Google
    | wandb_v1_\w{16,}                                                  # Weights & Biases
    | npm_[A-Za-z0-9]{30,} | pypi-[\w-]{30,}
    | eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*                                   # JSON web tokens
    """,
    re.VERBOSE,
)
# The base64 of 30 bytes: an AWS secret access key. A hash is hexadecimal and stays.
_AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+])(?=[a-z0-9/+]{0,39}[A-Z])(?=[A-Z0-9a-f/+]{0,39}[g-z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_URL_CREDENTIALS = re.compile(r"((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}://)[^/\s@\"']+@", re.IGNORECASE)
_HOME = re.compile(
    r"(?:/(?:home|Users|fsx/users|efs/users|mnt/home|data/home)/([^/\s:\"',;)\]}]+)|/root)(?=/|[\s:\"',;)\]}]|$)",
    re.MULTILINE,
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b")
_EC2_NAME = re.compile(r"\bip-\d+-\d+-\d+-\d+(?:\.[\w-]+)*|\bec2-\d+-\d+-\d+-\d+(?:\.[\w-]+)*")
_AWS_RESOURCE = re.compile(r"\b(?:i|vpc|subnet|sg|eni|vol)-[0-9a-f]{8,17}\b|\barn:aws[\w-]*:[^\s\"']+")
# Four numbers can be a version as well; these networks are private and no versions of this stack.
_PRIVATE_ADDRESS = re.compile(
    r"(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d{1,3}\.\d{1,3}(?![\d.])"
)

_COMMON_NAMES = frozenset(
    {
        *("root", "user", "users", "ubuntu", "admin", "ec2", "ec2-user", "debian", "centos", "localhost", "local"),
        *("test", "tests", "home", "host", "python", "python3", "torch", "neuron", "model", "models", "run", "runs"),
        *("data", "main", "app", "opt", "tmp", "var", "usr", "lib", "bin", "error", "rank", "file", "line"),
    }
)
"""Names that tell nothing, or that are words of any log."""


def without_secrets(
    text: str,
    *,
    homes: Iterable[str] = (),
    users: Iterable[str] = (),
    hosts: Iterable[str] = (),
    secrets: Iterable[str] = (),
) -> str:
    """`text` without home paths (they become `~`), names of users and hosts, tokens, keys and credentials.

    `homes`, `users`, `hosts` and `secrets` (values of four characters at least) are this machine's own; home folders in
    the usual places, and the names of their users, are found without them.
    """
    for secret in sorted(set(secrets), key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, REMOVED)
    text = _PRIVATE_KEY.sub(REMOVED, text)
    text = _URL_CREDENTIALS.sub(rf"\1{REMOVED}@", text)
    text = _KNOWN_TOKENS.sub(REMOVED, text)
    text = _ASSIGNED.sub(_without_value, text)
    text = _BEARER.sub(rf"\1 {REMOVED}", text)
    for home in sorted(set(homes), key=len, reverse=True):
        if len(home.rstrip("/")) > 1:
            text = re.sub(rf"{re.escape(home.rstrip('/'))}(?![\w.-])", "~", text)
    users = {*users, *(found[1] for found in _HOME.finditer(text) if found[1])}
    text = _HOME.sub("~", text)
    text = _AWS_SECRET.sub(REMOVED, text)
    text = _EMAIL.sub(REMOVED, text)
    text = _EC2_NAME.sub("[host]", text)
    text = _PRIVATE_ADDRESS.sub("[address]", text)
    text = _AWS_RESOURCE.sub(REMOVED, text)
    text = _without_names(text, hosts, "[host]")
    return _without_names(text, users, "[user]")


def _without_value(found: re.Match[str]) -> str:
    name, value = found[1], found[2]
    if _OF_A_MODEL.search(name) or _TELLS_NOTHING.fullmatch(value):
        return found[0]
    if "token" in name.casefold() and _SHORT_NUMBER.fullmatch(value):
        return found[0]
    return f"{found[1]}{REMOVED}"


def _without_names(text: str, names: Iterable[str], instead: str) -> str:
    for name in sorted(set(names), key=len, reverse=True):
        if len(name) >= 3 and name.casefold() not in _COMMON_NAMES:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", instead, text, flags=re.IGNORECASE)
    return text
