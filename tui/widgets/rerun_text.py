"""What the rerun screen says: checklist, steps, interpreter, environment, script. Pure: values in, `Content` out.

Lines are folded here, below the text they belong to, so every function takes the width of its place in cells.
Everything from outside is cleaned here, on its way to the screen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from textual.content import Content

from tui import numbers
from tui.catalog.verdict import Record, sentence
from tui.host.checklist import Item, Level
from tui.host.fit import Fit
from tui.host.interpreters import PACKAGES, Interpreter
from tui.host.neuron import Host
from tui.rerun.plan import Kind, Plan
from tui.rerun.preparation import Changes, Here, Preparation, Step, Wanted
from tui.rerun.recipe import recipe_of
from tui.rerun.runs import Run, State
from tui.terminal_text import brief
from tui.widgets.detail_text import HEADING
from tui.widgets.verdict_look import FAINT, MUTED, SIGNS, STYLES

KEYS: Mapping[Kind, str] = {Kind.WEIGHTS: "1", Kind.GRAPHS: "2", Kind.INSTALL: "3", Kind.RUN: "r"}
"""The key that starts a step."""

LEVEL_SIGNS: Mapping[Level, str] = {Level.OK: "✓", Level.WARNING: "!", Level.BLOCKING: "✗"}
LEVEL_WORDS: Mapping[Level, str] = {Level.OK: "ok", Level.WARNING: "warning", Level.BLOCKING: "in the way"}
LEVEL_STYLES: Mapping[Level, str] = {
    Level.OK: "$text-success",
    Level.WARNING: "$text-warning",
    Level.BLOCKING: "$text-error",
}

CHOSEN_AT_START = ("NEURON_RT_VISIBLE_CORES", "MASTER_PORT")
"""Set by the supervisor, once it knows which devices and which port are free."""

_DOING: Mapping[Kind, str] = {
    Kind.WEIGHTS: "fetching",
    Kind.GRAPHS: "fetching",
    Kind.INSTALL: "installing",
    Kind.RUN: "running",
}

LONGEST_COMMAND = 20_000
"""Characters; what a person says yes to is on screen."""
NARROWEST = 24
"""Cells that a folded text gets at least, however far to the right it begins."""


def hanging(first: Content, text: Content, width: int) -> list[Content]:
    """`first`, then `text` folded to what is left of `width`, every further line below its beginning."""
    indent = first.cell_length
    lines = text.wrap(max(NARROWEST, width - indent)) or [Content("")]
    blank = Content(" " * indent)
    return [first + lines[0], *(blank + line for line in lines[1:])]


def verdict_line(record: Record) -> Content:
    """What the dataset recorded, as one sentence with its sign."""
    style = STYLES[record.verdict]
    return Content.assemble((f"{SIGNS[record.verdict]} ", style), (brief(sentence(record)), f"bold {style}"))


# Checklist


def summary(fit: Fit) -> Content:
    """How many items are in the way, are warnings, are well: `1 in the way · 3 warnings · 7 ok`."""
    number = {level: sum(item.level is level for item in fit.items) for level in Level}
    parts = []
    if number[Level.BLOCKING]:
        parts.append((f"✗ {number[Level.BLOCKING]} in the way", f"bold {LEVEL_STYLES[Level.BLOCKING]}"))
    if number[Level.WARNING]:
        parts.append((f"! {numbers.counted(number[Level.WARNING], 'warning')}", LEVEL_STYLES[Level.WARNING]))
    if number[Level.OK] or not parts:
        parts.append((f"✓ {number[Level.OK]} ok", LEVEL_STYLES[Level.OK]))
    return Content(" · ").join(Content.styled(text, style) for text, style in parts)


def checklist(fit: Fit, width: int, looked: str = "") -> Content:
    """Every item, what is in the way first; below those that are not well what to do, once for several in a row.

    `looked` tells when the host was looked at.
    """
    order = (Level.BLOCKING, Level.WARNING, Level.OK)
    items = sorted(fit.items, key=lambda item: order.index(item.level))
    head = Content.assemble(("Checklist", HEADING), "   ", summary(fit), (f"   {looked}" if looked else "", MUTED))
    return Content("\n").join([head, *_item_lines(items, width)])


def _item_lines(items: Sequence[Item], width: int) -> list[Content]:
    names = [brief(item.name) for item in items]
    name_width = min(20, max(map(len, names), default=0))
    word_width = max((len(LEVEL_WORDS[item.level]) for item in items), default=0)
    lines: list[Content] = []
    for item, name, below in zip(items, names, [*items[1:], None], strict=True):
        style = LEVEL_STYLES[item.level]
        well = item.level is Level.OK
        first = Content.assemble(
            (f"{LEVEL_SIGNS[item.level]} {LEVEL_WORDS[item.level].ljust(word_width)}  ", style),
            (f"{name.ljust(name_width)}  ", MUTED if well else "bold"),
        )
        lines += hanging(first, Content.styled(brief(item.text), MUTED if well else ""), width)
        advice = _advice(item)
        same_below = below is not None and (below.level, _advice(below)) == (item.level, advice)
        if advice and (not well or item.on_screen) and not same_below:
            blank = Content(" " * first.cell_length)
            lines += hanging(blank + Content.styled("→ ", MUTED), Content.styled(brief(advice), MUTED), width)
    return lines


def _advice(item: Item) -> str:
    return item.on_screen or item.advice


# Steps


def steps(
    preparation: Preparation, live: Collection[Run], width: int, *, queue: bool = False, into_own: bool = False
) -> Content:
    """The four steps with their keys and commands, or why they cannot be started; then the two choices about them."""
    lines = [Content.assemble(("Steps", HEADING), ("   each asks first", MUTED))]
    title_width = max(len(step.title) for step in preparation.steps) + 2
    for number, step in enumerate(preparation.steps, 1):
        key = f"{number} {KEYS[step.kind]}" if KEYS[step.kind] != str(number) else str(number)
        lines += _step_lines(f"{key:<5}", step, [run for run in live if run.kind is step.kind], title_width, width)
    full = "it waits in the queue" if queue else "it ends at once"
    place = "into the interpreter itself" if into_own else "into an environment of their own on top of it"
    for key, about, now, why in (
        ("Q", "without free devices  ", full, "" if queue else "Q lets it wait"),
        ("O", "packages are installed", place, ""),
    ):
        said = Content.assemble((now, "bold $text-warning" if now.endswith("itself") else ""))
        said = said + Content.styled(f" · {why}", MUTED) if why else said
        lines += hanging(Content.assemble((f"{key:<5}", "bold $primary"), (f"{about}  ", MUTED)), said, width)
    return Content("\n").join(lines)


def _step_lines(key: str, step: Step, live: Collection[Run], title_width: int, width: int) -> list[Content]:
    can = step.plan is not None
    first = Content.assemble(
        (key, "bold $primary" if can else FAINT), (step.title.ljust(title_width), "bold" if can else FAINT)
    )
    said = [Content.assemble((live_words(run), "$primary"), (": R shows it", MUTED)) for run in live]
    if not can:
        said.append(Content.styled(f"cannot be started: {brief(step.on_screen or step.reason)}", MUTED))
    if step.remark:
        said.append(Content.styled(brief(step.remark), MUTED))
    lines = hanging(first, Content(" · ").join(said), width)
    if step.command:
        command = Content.styled(brief(step.command, LONGEST_COMMAND), "" if can else FAINT)
        lines += hanging(Content(" " * len(key)), command, width)
    return lines


def live_words(run: Run) -> str:
    """`run 3 is fetching`."""
    doing = {State.WAITING: "waiting for devices", State.STOPPING: "being stopped"}.get(run.state, _DOING[run.kind])
    return f"run {run.id} is {doing}"


# Interpreter


def interpreter(here: Here, width: int, *, into_own: bool = False) -> Content:
    """The Python that will run the script, what it has, and what lies on top of it (unused with `into_own`)."""
    lines = [Content.assemble(("Interpreter", HEADING), "   ", ("i", "bold $primary"), (" takes another", MUTED))]
    python = here.interpreter
    if python is None:
        lines.append(Content.styled("No Python that could run it was found.", "$text-error"))
        return Content("\n").join(lines)
    lines += hanging(Content(""), Content.styled(brief(python.name), "bold"), width)
    about = [f"python {brief(python.version)}" if python.version else "version not known", f"found: {python.origin}"]
    lines += hanging(Content(""), Content.styled(brief(" · ".join(about)), MUTED), width)
    if python.problem:
        lines += hanging(Content.styled("✗ ", "$text-error"), Content(brief(python.problem)), width)
    elif has := packages_of(python):
        lines += hanging(Content.styled("has       ", MUTED), Content(has), width)
    else:
        lines.append(Content.assemble(("has       ", MUTED), "no package of a Neuron stack"))
    if here.overlay is not None and not into_own:
        overlay = here.overlay
        where = Content.assemble(brief(overlay.name), (f"  {packages_of(overlay)}", MUTED))
        lines += hanging(Content.styled("on top    ", MUTED), where, width)
    return Content("\n").join(lines)


def looked_at(host: Host) -> str:
    """`looked at 18:12:03`, local time."""
    return f"looked at {host.looked_at.astimezone():%H:%M:%S}"


def packages_of(python: Interpreter, names: Collection[str] = PACKAGES) -> str:
    """Those of the named packages that it has: `torch 2.14.0 · neuronx-cc 2.28.7631.0`."""
    return " · ".join(f"{name} {brief(python.packages[name])}" for name in names if name in python.packages)


# Environment


def environment(preparation: Preparation, changes: Changes, width: int) -> Content:
    """What is set for Run, what a person added, and the arguments."""
    lines = [
        Content.assemble(
            ("Environment of Run", HEADING), "   ", ("a", "bold $primary"), (" adds variables and arguments", MUTED)
        )
    ]
    for name, value in preparation.environment.items():
        added = Content.styled("  (yours)", "$text-warning") if name in changes.environment else Content("")
        shown_value = Content(brief(value, LONGEST_COMMAND)) + added
        lines += hanging(Content.styled(f"{brief(name)}=", MUTED), shown_value, width)
    lines.append(Content.assemble((", ".join(CHOSEN_AT_START), MUTED), (" are chosen at the start", MUTED)))
    if changes.arguments:
        import shlex

        said = Content.assemble(brief(shlex.join(changes.arguments), LONGEST_COMMAND), ("  (yours)", "$text-warning"))
        lines += hanging(Content.styled("arguments of run.py: ", MUTED), said, width)
    return Content("\n").join(lines)


# Script


def script_head(wanted: Wanted, changes: Changes, width: int) -> Content:
    """Which run.py it is: lines, where it is from, its hash; and whether a person changed anything of the run."""
    script = changes.script if changes.script is not None else wanted.script
    if script is None:
        return Content.assemble(("run.py", HEADING), "\n", "None is recorded for this record.")
    recorded, now = (recipe_of(wanted.record, text) for text in (wanted.script, script))
    size = f"{numbers.counted(now.script_lines, 'line')}, {numbers.size(now.script_bytes)}"
    lines = [Content.assemble(("run.py", HEADING), f"   {size}   ", ("e", "bold $primary"), (" edits a copy", MUTED))]
    if changes:
        what = "The script is changed" if changes.script is not None else "Environment or arguments are changed"
        said = Content.styled(f"{what}: the outcome will not be compared as the same run.", "$text-warning")
        if changes.script is not None:
            said = Content.assemble(said, "  ", ("E", "bold $primary"), (" back to the recorded one", MUTED))
        lines += hanging(Content.styled("EDITED    ", "bold $text-warning"), said, width)
    source = "the bundled sample" if wanted.sample else brief(wanted.dataset)
    source += f", revision {brief(wanted.revision)}" if wanted.revision else ""
    lines += hanging(Content.styled("from      ", MUTED), Content(source), width)
    lines += hanging(Content.styled("sha256    ", MUTED), Content(now.script_sha256), width)
    if changes.script is not None:
        lines += hanging(Content.styled("recorded  ", MUTED), Content(recorded.script_sha256), width)
    return Content("\n").join(lines)


# Questions


def question(
    step: Step, preparation: Preparation, here: Here, live: Iterable[Run], width: int, *, runs_folder: str
) -> Content:
    """What a step will do, before it is started."""
    plan = step.plan
    assert plan is not None
    # pip is run by a program that makes the environment first: its line alone would not do the same.
    label = "pip there" if step.kind is Kind.INSTALL else "command"
    rows: list[tuple[str, Content]] = [(label, Content(brief(step.command, LONGEST_COMMAND)))]
    if here.interpreter is not None and step.kind in (Kind.RUN, Kind.INSTALL):
        version = f", python {here.interpreter.version}" if here.interpreter.version else ""
        rows.append(("python", Content(brief(here.interpreter.name + version))))
    if step.kind is Kind.RUN:
        edited = [Content.styled("EDITED, ", "bold $text-warning")] if preparation.edited else []
        as_recorded = preparation.edited and preparation.sha256 == preparation.recorded_sha256
        then = ", as recorded; variables or arguments added" if as_recorded else ""
        rows.append(("script", Content.assemble(*edited, f"sha256 {preparation.sha256[:16]}…{then}")))
    rows.append(("takes", Content(_what_it_takes(plan, here))))
    if step.remark:
        rows.append(("note", Content(brief(step.remark))))
    rows.append(("log", Content(brief(f"a new folder in {runs_folder}"))))
    warnings = [item for item in preparation.fit.items if item.level is Level.WARNING]
    if step.kind is Kind.RUN and warnings:
        names = ", ".join(brief(item.name) for item in warnings)
        rows.append(("warnings", Content.styled(names, LEVEL_STYLES[Level.WARNING])))
    rows += [("already", Content.styled(live_words(run), "$primary")) for run in live]
    lines: list[Content] = []
    for label, said in rows:
        lines += hanging(Content.styled(f"{label:<10}", MUTED), said, width)
    lines.append(Content(""))
    lines += hanging(Content(""), Content.styled("It goes on when you leave the app or lose the line.", MUTED), width)
    return Content("\n").join(lines)


def _what_it_takes(plan: Plan, here: Here) -> str:
    if not plan.cores:
        return "no NeuronCore"
    cores = numbers.counted(plan.cores, "NeuronCore")
    if not here.host.devices:
        return f"{cores}, counted from 0: there is no device here"
    waits = ", for which it waits in the queue" if plan.queue else ""
    return f"{cores} on devices of its own{waits}"


def what_is_in_the_way(items: Sequence[Item], width: int) -> Content:
    """Blocking items, to be read before a run that is started all the same."""
    return Content("\n").join(
        [
            *_item_lines(items, width),
            Content(""),
            *hanging(Content(""), Content.styled("It may fail, or wait for ever.", MUTED), width),
        ]
    )


def waits_for(item: Item, width: int) -> Content:
    """Why a run cannot begin at once, to be read before it is put into the queue."""
    said = "It begins by itself when they are, also with no app open."
    return Content("\n").join(
        [*_item_lines([item], width), Content(""), *hanging(Content(""), Content.styled(said, MUTED), width)]
    )


# Help


def signs() -> Content:
    """What the signs of the checklist mean."""
    meanings = {
        Level.OK: "nothing speaks against it",
        Level.WARNING: "it may fail, or differ; the line below says what to do",
        Level.BLOCKING: "in the way: Run asks for an explicit «run anyway»",
    }
    lines = [Content.assemble((f"  {LEVEL_SIGNS[level]}  ", LEVEL_STYLES[level]), meanings[level]) for level in Level]
    return Content("\n").join([Content.styled("Signs", HEADING), *lines])
