"""A plan as it stands in recipe.json, without secrets; and the plan that a recipe.json tells. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final

from tui import __version__
from tui.rerun import run_files, secret_values
from tui.rerun.plan import Kind, Plan
from tui.rerun.secret_values import NOT_KEPT, OF_A_WORD, looks_like_token, looks_secret, put_back, without
from tui.settings import Settings

SCRIPT_NAME: Final = "run.py"

_OWN = frozenset({"app", "created_at", "settings", *(item.name for item in fields(Plan))})
"""What is not part of `Plan.about`."""


def script_bytes(script: str) -> bytes:
    """The bytes of a script, those included that are no UTF-8: its hash is over these."""
    return script.encode("utf-8", errors="surrogatepass")


def secrets_of(plan: Plan) -> dict[str, str]:
    """Name of a variable -> value of what must not be written, and is handed to the supervisor.

    It is `hidden`, what is secret in `environment`, and each secret word of the commands under a name of its own.
    """
    secrets = _variables(plan)
    of_words = [*_without_words("argv", plan.argv, secrets)[1], *_without_words("python", plan.elsewhere, secrets)[1]]
    return {**secrets, **dict(of_words)}


def is_of_a_word(name: str) -> bool:
    """Whether a name in `recipe["hidden"]` stands for a word of a command and not for a variable of the run."""
    return name.startswith(OF_A_WORD)


def _variables(plan: Plan) -> dict[str, str]:
    chosen = tuple(plan.environment.items())
    named = {**{name: value for name, value in chosen if looks_secret(name)}, **plan.hidden}
    return {**{name: value for name, value in chosen if looks_like_token(without(value, named))}, **named}


def _without_words(
    which: str, words: Sequence[str], variables: Mapping[str, str]
) -> tuple[list[str], list[tuple[str, str]]]:
    """The words with `(not kept: NAME)` for what is secret in them, and (NAME, value) of those that are no variables.

    Only there: a word such as `name` may stand anywhere else for something else.
    """
    kept: list[str] = without(words, variables)
    found = []
    for index, value in secret_values.secret_words(kept).items():
        name = f"{OF_A_WORD}{which}_{index}".upper()
        kept[index] = kept[index].replace(value, f"(not kept: {name})")
        found.append((name, value))
    return kept, found


def to_values(plan: Plan, settings: Settings, created_at: datetime) -> dict[str, Any]:
    """The JSON object for recipe.json. The keys of `about` stand beside those of the plan."""
    secrets = _variables(plan)
    argv, of_argv = _without_words("argv", plan.argv, secrets)
    elsewhere, of_elsewhere = _without_words("python", plan.elsewhere, secrets)
    environment = {name: NOT_KEPT if name in secrets else value for name, value in plan.environment.items()}
    values: dict[str, Any] = {
        "app": __version__,
        "created_at": created_at.isoformat(),
        "kind": plan.kind.value,
        "model_id": plan.model_id,
        "argv": argv,
        "elsewhere": elsewhere,
        "environment": environment,
        "hidden": sorted([*secrets, *dict(of_argv), *dict(of_elsewhere)]),
        "cores": plan.cores,
        "any_host": plan.any_host,
        "queue": plan.queue,
        "script": None if plan.script is None else SCRIPT_NAME,
        "sha256": plan.sha256,
        "recorded_sha256": plan.recorded_sha256,
        "edited": plan.edited,
        "settings": {
            "state_dir": str(settings.state_dir),
            "host_root": None if settings.host_root is None else str(settings.host_root),
            "log_limit": settings.log_limit,
        },
    }
    values |= {name: secret_values.masked(value) for name, value in plan.about.items() if name not in _OWN}
    kept: dict[str, Any] = without(values, secrets)
    return {**kept, "hidden": values["hidden"]}


def to_plan(
    recipe: Mapping[str, Any], script: bytes | None, environ: Mapping[str, str], *, queue: bool | None = None
) -> Plan:
    """The plan of a recipe.json; its secrets, where they stood in words, are taken from `environ`.

    `hidden` is empty; `queue` None: as in the recipe. A `script` that is no longer the one of the recipe has its
    own hash and counts as edited. Raises `ValueError` for a kind of step that is not known here.
    """
    environment = run_files.table(recipe.get("environment"))
    plan = Plan(
        kind=Kind(run_files.text(recipe.get("kind"))),
        model_id=run_files.text(recipe.get("model_id")),
        argv=_words(recipe.get("argv"), environ),
        environment={name: put_back(value, environ) for name, value in environment.items() if value != NOT_KEPT},
        cores=run_files.count(recipe.get("cores")),
        any_host=recipe.get("any_host") is True,
        queue=recipe.get("queue") is True if queue is None else queue,
        sha256=run_files.text(recipe.get("sha256")),
        recorded_sha256=run_files.text(recipe.get("recorded_sha256")),
        edited=recipe.get("edited") is True,
        elsewhere=_words(recipe.get("elsewhere"), environ),
        about={name: value for name, value in recipe.items() if name not in _OWN},
    )
    if script is None:
        return plan
    digest = hashlib.sha256(script).hexdigest()
    return replace(
        plan,
        script=script.decode("utf-8", errors="surrogatepass"),
        sha256=digest,
        edited=plan.edited or digest != plan.sha256,
    )


def _words(value: object, environ: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(put_back(word, environ) for word in run_files.texts(value))
