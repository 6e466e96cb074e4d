"""From a record to a run: what speaks for it and against it here, and the steps, each of which asks first."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from tui.host import neuron
from tui.host.interpreters import Interpreter
from tui.rerun.plan import Kind, Plan
from tui.rerun.preparation import Wanted
from tui.rerun.runs import runs_folder
from tui.screens import rerun_work
from tui.screens.dialogs import TextDialog
from tui.screens.rerun_choices import LOOKING, RerunChoices
from tui.screens.step_dialog import StepDialog
from tui.settings import Settings
from tui.terminal_text import acting, clean
from tui.widgets import rerun_text
from tui.widgets.bars import Bar
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.long_text import script_text
from tui.widgets.reading_pane import ReadingPane
from tui.widgets.verdict_look import MUTED

LONGEST_LOOK_S = 2.0
"""A question waits so long for a new look at this host; then it is asked by the old one."""


class RerunScreen(RerunChoices):
    """Answers with the id of the run that was started, or whose log was asked for; None when it is left."""

    HORIZONTAL_BREAKPOINTS = [(0, "-alone"), (160, "-beside")]  # noqa: RUF012 - an instance attribute of Screen
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,4", "step('run')", "run", id="rerun.run", tooltip="Run it, after a question"),
        Binding("1", "step('weights')", "fetch weights", id="rerun.weights", tooltip="Fetch the weights"),
        Binding("2", "step('graphs')", "fetch graphs", id="rerun.graphs", tooltip="Fetch compiled graphs"),
        Binding("3", "step('install')", "install", id="rerun.install", tooltip="Install packages on top"),
        Binding("e", "edit", "edit", id="rerun.edit", tooltip="Edit a copy of run.py in $VISUAL or $EDITOR"),
        Binding("E", "recorded", "recorded script", id="rerun.recorded", tooltip="Back to the recorded run.py"),
        Binding("a", "arguments", "arguments", id="rerun.arguments", tooltip="Add variables and arguments"),
        Binding("i", "interpreter", "interpreter", id="rerun.interpreter", tooltip="Take another Python"),
        Binding("h,u", "look", "look again", id="rerun.look", tooltip="Look at this host again, and ask the Hub again"),
        Binding("Q", "queue", "queue", id="rerun.queue", tooltip="Without free devices: wait in the queue, or end"),
        Binding("O", "own", "install place", id="rerun.own", tooltip="Install on top, or into the interpreter itself"),
        Binding("H", "host", "host", id="rerun.host", tooltip="This host: devices, who holds them, Pythons"),
        Binding("y", "copy", "copy command", id="rerun.copy", tooltip="Copy the command of Run"),
        Binding("l", "log", "its log", id="rerun.log", tooltip="Log of the run of this model that goes on"),
        Binding("R", "runs", "runs", id="rerun.runs", tooltip="All runs"),
        Binding("question_mark,f1", "help", "help", id="rerun.help", tooltip="This help"),
        Binding("escape,q", "leave", "back", id="rerun.leave", tooltip="Back to the record"),
    ]

    def __init__(self, settings: Settings, wanted: Wanted, interpreters: tuple[Interpreter, ...] | None = None) -> None:
        """`interpreters` that were asked already are not asked again, until a person looks at the host again."""
        super().__init__(settings, wanted, interpreters)
        self._starting = ""
        self._asking_about: Kind | None = None
        self._started: int | None = None
        self._script_shown: str | None = None

    def compose(self) -> ComposeResult:
        """Title and verdict, the checklist with the steps, the script below or beside it, the keys."""
        yield Static(
            Content("SAMPLE DATA  an invented model; its run.py is a demonstration: trains nothing"), id="banner"
        )
        yield Bar(id="title")
        yield Bar(id="rerun-verdict")
        with Horizontal(id="rerun-body"):
            with ReadingPane(id="rerun-steps-pane"):
                for name in ("trouble", "checklist", "steps", "interpreter", "environment"):
                    yield Static(id=f"rerun-{name}", classes="section")
                yield Static(classes="section of-script script-head")
                yield Static(classes="section of-script script")
            with ReadingPane(id="rerun-beside"):
                yield Static(classes="section script-head")
                yield Static(classes="section script")
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """The banner of a sample; the keys of the scrolling pane."""
        self.set_class(self.wanted.sample, "-sample")
        self.query_one("#rerun-steps-pane").focus()

    def on_resize(self, _: events.Resize) -> None:
        """The texts are folded for the width of their pane, which is known after the layout."""
        self.call_after_refresh(self.draw)

    # Drawing

    def draw(self) -> None:
        """Everything anew; what is the same is not painted again."""
        if not self.is_mounted:
            return
        record = self.wanted.record
        left = Content.assemble((f"{clean(record.model_id or 'no model id')}", "bold"), "   run it again")
        if self.changes:
            left = left + Content.styled("   EDITED", "bold $text-warning")
        host = neuron.in_words(self.here.host, tuple(self.here.taken)) if self.here is not None else ()
        right = tuple(Content.styled(clean(words), MUTED) for words in host)
        self.query_one("#title", Bar).show(left, right or (Content(""),))
        self.query_one("#rerun-verdict", Bar).show(rerun_text.verdict_line(record))
        self._draw_sections()
        self.query_one(KeyHints).show(self._hints())

    def _draw_sections(self) -> None:
        pane = self.query_one("#rerun-steps-pane", ReadingPane)
        width = max(40, pane.scrollable_content_region.width or self.app.size.width - 2)
        self._fill("trouble", self._state_of_things(width))
        here, preparation = self.here, self.preparation
        if here is None or preparation is None:
            for name in ("checklist", "steps", "interpreter", "environment"):
                self._fill(name, Content(""))
        else:
            self._fill("checklist", rerun_text.checklist(preparation.fit, width, rerun_text.looked_at(here.host)))
            self._fill(
                "steps",
                rerun_text.steps(preparation, self.live, width, queue=self.queue, into_own=self.into_own),
            )
            self._fill("interpreter", rerun_text.interpreter(here, width, into_own=self.into_own))
            self._fill("environment", rerun_text.environment(preparation, self.changes, width))
        beside = self.query_one("#rerun-beside", ReadingPane).scrollable_content_region.width
        for place in self.query(".script-head").results(Static):
            room = width if place.has_class("of-script") else max(40, beside)
            place.update(rerun_text.script_head(self.wanted, self.changes, room))
        script = self.changes.script or self.wanted.script or ""
        if script != self._script_shown:
            self._script_shown = script
            text = script_text(script) if script else Content("")
            for place in self.query(".script").results(Static):
                place.update(text)

    def _fill(self, name: str, content: Content) -> None:
        static = self.query_one(f"#rerun-{name}", Static)
        static.display = bool(content)
        static.update(content)

    def _state_of_things(self, width: int) -> Content:
        lines: list[Content] = []
        if self.trouble is not None:
            said = Content(clean(one_line(self.trouble), newlines=True))
            lines += rerun_text.hanging(Content.styled("✗ ", "$text-error"), said, width)
        if self._starting:
            lines.append(Content.styled(f"starting: {self._starting} …", "$primary"))
        elif self.looking:
            lines.append(Content.styled("looking at this host …", MUTED))
        if self.wanted.asking:
            lines.append(Content.styled("asking the Hub …", MUTED))
        return Content("\n").join(lines)

    def _hints(self) -> tuple[Hint, ...]:
        can = {kind: self.preparation is not None and self.preparation.step(kind).plan is not None for kind in Kind}
        return (
            Hint("r", "run", "step('run')", can[Kind.RUN]),
            Hint("1", "weights", "step('weights')", can[Kind.WEIGHTS]),
            Hint("2", "graphs", "step('graphs')", can[Kind.GRAPHS]),
            Hint("3", "install", "step('install')", can[Kind.INSTALL]),
            Hint("e", "edit", "edit", self.wanted.script is not None),
            Hint("i", "interpreter", "interpreter"),
            Hint("a", "arguments", "arguments"),
            Hint("h", "look again", "look"),
            Hint("y", "copy command", "copy", self._command_of_run != ""),
            Hint("l", "its log", "log", bool(self.live)),
            Hint("R", "runs", "runs"),
            Hint("Q", "queue", "queue"),
            Hint("O", "install place", "own"),
            Hint("?", "help", "help"),
            Hint("esc", "back", "leave"),
        )

    # Steps

    def action_step(self, name: str) -> None:
        """Ask about a step, or say why it cannot be started; by a look at this host that is of just now."""
        if self.here is None or self.preparation is None:
            self.tell(LOOKING if self.looking else "This host could not be looked at; h tries again.", "warning")
        elif self._starting:
            self.tell(f"{self._starting} is being started.", "warning")
        elif self._asking_about is not None:
            self._asking_about = Kind(name)
        elif self.fresh and not self.looking:
            self._ask(Kind(name))
        else:
            self._asking_about = Kind(name)
            self.set_timer(LONGEST_LOOK_S, self.looked)
            if not self.looking:
                self.look()

    def looked(self) -> None:
        """Ask what a person waits for."""
        kind, self._asking_about = self._asking_about, None
        if kind is not None and self.is_active:
            self._ask(kind)

    def _ask(self, kind: Kind) -> None:
        here, preparation = self.here, self.preparation
        if here is None or preparation is None:
            return
        step = preparation.step(kind)
        if step.plan is None:
            self.tell(step.on_screen or step.reason or "It cannot be started.", "warning")
            return
        blocking = preparation.in_the_way(step.kind)
        in_use = preparation.cores_in_use(step.kind)
        # The supervisor gives no cores that are in use, whatever a person says.
        plan = step.plan if in_use is None else replace(step.plan, queue=True)
        width = self._dialog_width
        live = [run for run in self.live if run.kind is step.kind]
        asked = replace(step, plan=plan)
        body = rerun_text.question(asked, preparation, here, live, width, runs_folder=str(runs_folder(self.settings)))
        model_id = self.wanted.record.model_id or "it"
        if blocking:
            body = Content("\n\n").join([rerun_text.what_is_in_the_way(blocking, width), body])
            verb = "run anyway" if in_use is None else "wait in the queue anyway"
            dialog = StepDialog(f"Run {model_id} although this is in the way?", [body], verb, "a")
        elif in_use is not None:
            body = Content("\n\n").join([rerun_text.waits_for(in_use, width), body])
            dialog = StepDialog(f"Let {model_id} wait until devices are free?", [body], "wait in the queue")
        else:
            dialog = StepDialog(_QUESTIONS[step.kind].format(model_id), [body], _YES[step.kind])
        self.app.push_screen(dialog, partial(self._answered, step.title, plan))

    @property
    def _dialog_width(self) -> int:
        """Cells of a text in a dialog: 84, or most of the screen, less border, padding and scrollbar."""
        return min(84, int(self.app.size.width * 0.96)) - 5

    def _answered(self, title: str, plan: Plan, yes: bool | None) -> None:
        if not yes:
            return
        self._starting = title
        self.trouble = None
        rerun_work.bring_start(self, self.settings, plan)
        self.draw()

    @on(rerun_work.StepStarted)
    def _step_started(self, event: rerun_work.StepStarted) -> None:
        self._started = event.run.id
        self.on_screen_resume()

    def on_screen_resume(self) -> None:
        """A step was started; with a dialog over it a screen cannot be left. Or runs came and went meanwhile."""
        if self._started is not None:
            if self.is_active:
                self.dismiss(self._started)
        elif self.here is None or self.fresh or self._starting:
            self.look_at_live()
        elif not self.looking:
            self.look()

    @on(rerun_work.StepFailed)
    def _step_failed(self, event: rerun_work.StepFailed) -> None:
        self._starting = ""
        self.fail(event.error)

    def action_log(self) -> None:
        """Leave for the log of the newest run of this model that goes on."""
        if self.live:
            self.dismiss(self.live[0].id)
        else:
            self.tell("No run of this model goes on.", "warning")

    def action_host(self) -> None:
        """Devices, all who hold them, and Pythons, as they were looked at."""
        from tui.screens.host_dialog import HostDialog
        from tui.widgets import host_text

        if self.here is None:
            self.tell(LOOKING, "warning")
            return
        body = host_text.about(self.here.host, self.interpreters, self.here.taken)
        self.app.push_screen(HostDialog(self.here.host, body, looking=False))

    def action_runs(self) -> None:
        """The list of all runs; what they did meanwhile is seen on the way back."""
        from tui.screens.runs import RunsScreen

        self.app.push_screen(RunsScreen(self.settings))

    # The rest

    @property
    def _command_of_run(self) -> str:
        return self.preparation.step(Kind.RUN).command if self.preparation is not None else ""

    def action_copy(self) -> None:
        """Copy the command of Run, also where it cannot be started: it may be meant for another host."""
        command = self._command_of_run
        if found := acting(command):
            self.tell(f"Not copied: a shell's terminal would act on {found} in the command.", "warning")
        elif command:
            self.post_message(CopyRequested(command, "the command of Run", "it is on screen: select it with Shift"))
        else:
            self.tell("There is no command." if self.preparation is not None else LOOKING, "warning")

    def action_help(self) -> None:
        """The signs and the keys."""
        from tui.screens.help_text import keys_of

        body = Content("\n\n").join([rerun_text.signs(), keys_of(self, (("Reading", ReadingPane),))])
        self.app.push_screen(TextDialog("Run it again: signs and keys", body, body.plain))

    def action_leave(self) -> None:
        """Back to the record; what was started goes on."""
        self.dismiss(None)


_QUESTIONS = {
    Kind.RUN: "Run {} here?",
    Kind.WEIGHTS: "Fetch the weights of {}?",
    Kind.GRAPHS: "Fetch compiled graphs for {}?",
    Kind.INSTALL: "Install packages for {}?",
}

_YES = {
    Kind.RUN: "run it",
    Kind.WEIGHTS: "fetch them",
    Kind.GRAPHS: "fetch them",
    Kind.INSTALL: "install them",
}
