"""What each list to pick from offers. Pure: values in, a dialog out."""

from __future__ import annotations

from collections.abc import Sequence

from tui import numbers
from tui.catalog.question import Question, View
from tui.catalog.sort_columns import ONLY_IN_RANKINGS, SORT_NAMES
from tui.catalog.stacks import (
    ANY,
    StackChoice,
    StackCount,
    compiler_label,
    compilers,
    libraries,
    library_label,
)
from tui.screens.dialogs import Choice, PickDialog

TASKS: tuple[str, ...] = (
    "text-generation",
    "image-text-to-text",
    "any-to-any",
    "audio-text-to-text",
    "automatic-speech-recognition",
    "feature-extraction",
    "fill-mask",
    "image-classification",
    "image-feature-extraction",
    "image-to-image",
    "image-to-text",
    "object-detection",
    "question-answering",
    "sentence-similarity",
    "summarization",
    "text-classification",
    "text-ranking",
    "text-to-image",
    "text-to-speech",
    "text-to-video",
    "token-classification",
    "translation",
    "video-text-to-text",
    "zero-shot-image-classification",
)
"""Pipeline tags offered by name; any other can be typed."""


def task_dialog(current: str) -> PickDialog[str]:
    """The known pipeline tags, and whatever is typed."""
    names = TASKS if current in TASKS else (current, *TASKS)
    return PickDialog(
        "Task of the rankings",
        [Choice(name, name) for name in names],
        current,
        lambda text: Choice(text.casefold(), text.casefold(), "any other pipeline tag"),
    )


def compiler_dialog(stacks: Sequence[StackCount], choice: StackChoice) -> PickDialog[str | None]:
    """Every compiler version with its number of records beside the chosen library version, or of all."""
    beside = {count.neuronx_cc: count.records for count in compilers(stacks, choice.library, choice.library_version)}
    choices: list[Choice[str | None]] = [Choice(ANY, "any", "for each model the newest that has a record")]
    library = library_label(choice.library, choice.library_version)
    for count in compilers(stacks):
        if count.neuronx_cc in beside:
            remark = _records(beside[count.neuronx_cc])
        else:
            remark = f"{_records(count.records)}, none with {library}"
        choices.append(Choice(count.neuronx_cc, compiler_label(count.neuronx_cc), remark))
    return PickDialog("neuronx-cc version", choices, choice.neuronx_cc)


def library_dialog(stacks: Sequence[StackCount], choice: StackChoice) -> PickDialog[tuple[str | None, str | None]]:
    """Every library version with its number of records beside the chosen compiler, or of all."""
    beside = {(count.library, count.library_version): count.records for count in libraries(stacks, choice.neuronx_cc)}
    choices: list[Choice[tuple[str | None, str | None]]] = [
        Choice((ANY, ANY), "any", "for each model the newest that has a record")
    ]
    for count in libraries(stacks):
        pair = (count.library, count.library_version)
        if pair in beside:
            remark = _records(beside[pair])
        else:
            remark = f"{_records(count.records)}, none with {compiler_label(choice.neuronx_cc)}"
        choices.append(Choice(pair, library_label(*pair), remark))
    return PickDialog("Library version", choices, (choice.library, choice.library_version))


def sort_dialog(question: Question) -> PickDialog[str | None]:
    """The columns; the one that sorts now offers the other direction."""
    turned = "rising" if question.descending else "falling"
    choices: list[Choice[str | None]] = [Choice(None, "the view's own order")]
    choices += [
        Choice(column, name, turned if column == question.sort else "")
        for column, name in SORT_NAMES.items()
        if question.view is not View.SELECTED or column not in ONLY_IN_RANKINGS
    ]
    return PickDialog("Sort by", choices, question.sort)


def _records(number: int) -> str:
    return f"{numbers.count(number)} record{'' if number == 1 else 's'}"
