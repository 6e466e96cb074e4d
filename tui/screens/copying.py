"""What each copy key copies from a detail, or why there is nothing to copy. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.catalog.question import NOT_READ
from tui.catalog.verdict import Record, shown
from tui.widgets.detail_text import Detail, one_line

if TYPE_CHECKING:
    from tui.rerun.recipe import Recipe

NO_MODEL = "No model is on the cursor line."


@dataclass(frozen=True, slots=True)
class Copy:
    """Text for the clipboard and what to call it in the answer."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a key does not apply to this line."""

    reason: str


def what_to_copy(what: str, detail: Detail | None) -> Copy | Refusal:
    """`what` is one of script, cache, install, model, error."""
    if detail is None:
        return Refusal(NO_MODEL)
    if what == "model":
        return Copy(detail.model_id, "the model id")
    record, recipe = detail.record, detail.recipe
    if record is None or recipe is None:
        if detail.word == NOT_READ:
            return Refusal(f"Nothing is known of {detail.model_id}: {detail.note}.")
        return Refusal(f"{detail.model_id} has no record on this stack: {detail.note or 'not tested'}.")
    if what in ("script", "error") and detail.texts_problem is not None:
        return Refusal(one_line(detail.texts_problem))
    text, name, reason = _texts(detail, record, recipe)[what]
    return Copy(text, name) if text else Refusal(reason)


def _texts(detail: Detail, record: Record, recipe: Recipe) -> dict[str, tuple[str | None, str, str]]:
    """By what is asked for: the text, what to call it, and why there is none."""
    command, why_no_command = None, "Still looking for the bucket of compiled graphs."
    if detail.cache is not None:
        command, why_no_command = detail.cache.line, detail.cache.note
    unverified = " (candidate, unverified)" if detail.cache is not None and detail.cache.candidate else ""
    no_script = f"No run.py is recorded for {detail.model_id} on this stack."
    return {
        "script": (recipe.script, f"run.py {which(record, detail)}", no_script),
        "install": (recipe.install_line, "the install line", " ".join(recipe.left_out)),
        "cache": (command, f"the cache command{unverified}", why_no_command),
        "error": (detail.error, "the error", "No error is recorded for this record."),
    }


def which(record: Record, detail: Detail) -> str:
    """Names the record when the model has several on its stack, or when it is not the one of the table's line."""
    cores = shown(record.values["tp"], record.unconverted.get("tp"))
    siblings = sum(other.stack == record.stack for other in detail.records)
    parts = [] if detail.on_line else [record.stack.label]
    if siblings > 1:
        parts.append(f"{record.verdict} on {cores} core{'' if cores == '1' else 's'}, one of {siblings} records")
    return f"of {detail.model_id}" + (f" ({', '.join(parts)})" if parts else "")


def script_file_name(model_id: str) -> str:
    """A file name for run.py of this model: `run-Quartz-8B-Instruct.py`."""
    name = model_id.rsplit("/", 1)[-1]
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    return f"run-{safe.strip('.-') or 'model'}.py"
