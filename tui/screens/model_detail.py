"""The detail pane with the work that fills it: long texts from disk, facts and the bucket from the Hub.

What is cheap is drawn when the cursor has rested for a moment, what costs a read or a request a little later. Nothing
of it is on the path of a key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from textual import on
from textual.message import Message
from textual.timer import Timer

from tui.catalog.facts import ModelFacts
from tui.errors import TrnModelsError
from tui.screens import arrivals
from tui.settings import Settings
from tui.widgets.detail_panel import DetailPanel
from tui.widgets.detail_text import Detail

if TYPE_CHECKING:
    from tui.catalog.evidence import Evidence
    from tui.catalog.neff_bucket import Search
    from tui.catalog.snapshot import Snapshot
    from tui.host.interpreters import Interpreter
    from tui.host.neuron import Host
    from tui.screens.long_texts import LongTexts

DETAIL_AFTER_S = 0.12
"""The cursor rests this long before the detail is drawn and run.py is read: a held arrow key, or a word typed quickly,
moves the table alone."""

WARM_UP_AFTER_S = 0.6
WARM_UP_STEP_S = 0.05
WARM_UP = ("tui.catalog.hub", "tui.screens.detail_of", "pygments.lexers.python", "textual.highlight")
"""What the first detail needs. Imported while nothing is pressed, one at a time, so that no key waits for all."""

FACTS_AFTER_S = 1.0
"""It rests this long before the Hub is asked about a model."""


class ModelDetail(DetailPanel):
    """All that is known of the model on the cursor's line."""

    @dataclass
    class RenameFound(Message):
        """The Hub knows the model `old` (a key) as `new`."""

        old: str
        new: str

    class BucketKnown(Message):
        """Where compiled graphs are kept is known now, or that nobody knows."""

    def __init__(self, settings: Settings, classes: str = "") -> None:
        super().__init__(classes)
        self.settings = settings
        self.bucket: Search | None = None
        self._line: Mapping[str, Any] | None = None
        self._chosen: int | None = None
        self._snapshot: Snapshot | None = None
        self._renames: Mapping[str, str] = {}
        self._texts: LongTexts | None = None
        self._facts: dict[str, ModelFacts | TrnModelsError] = {}
        self._facts_asked: set[str] = set()
        self._evidence: arrivals.EvidenceArrived | None = None
        self._evidence_asked: tuple[Snapshot, ModelFacts] | None = None
        self._bucket_asked = False
        self._rest: Timer | None = None
        self._host: Host | None = None
        self._interpreters: tuple[Interpreter, ...] | None = None
        self._taken: Mapping[int, int] = {}

    def on_mount(self) -> None:
        """A detail that is opened later is ready by then."""
        self.set_timer(WARM_UP_AFTER_S, partial(self._warm_up, WARM_UP))

    def _warm_up(self, modules: Sequence[str]) -> None:
        if modules:
            import_module(modules[0])
            self.set_timer(WARM_UP_STEP_S, partial(self._warm_up, modules[1:]))
        else:
            from textual.highlight import highlight

            highlight("pass", language="python")

    def know_machine(
        self, host: Host | None, interpreters: tuple[Interpreter, ...] | None, taken: Mapping[int, int]
    ) -> None:
        """What this machine has, for the line that says whether a record fits it; `taken`: device index -> our run."""
        self._host, self._interpreters, self._taken = host, interpreters, taken
        self.draw()

    @property
    def _of_sample(self) -> bool:
        return self._snapshot is not None and self._snapshot.source == "sample"

    def rest_on(self, line: Mapping[str, Any] | None, snapshot: Snapshot | None, renames: Mapping[str, str]) -> None:
        """The cursor is on this line now (`LINES` of `snapshot`); it may move on before anything is drawn."""
        was_sample = self._of_sample
        if snapshot is not self._snapshot or line != self._line:
            self._chosen = None
        self._line, self._snapshot, self._renames = line, snapshot, renames
        if self._of_sample is not was_sample:
            self.bucket, self._bucket_asked = None, False
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(DETAIL_AFTER_S, self._rested)

    def _rested(self) -> None:
        self.draw()
        self._bring_texts()
        self._rest = self.set_timer(FACTS_AFTER_S - DETAIL_AFTER_S, self.ask) if self.display else None

    def draw(self) -> None:
        """Show what is known. A pane that is not on screen is made ready too: Enter then has only to show it."""
        if self._line is None:
            self.clear()
        else:
            self.show(self._known_of(self._line))

    def open(self) -> None:
        """The pane comes on screen, or a person asked for it: draw at once and ask the Hub again where it failed."""
        self.rest_on(self._line, self._snapshot, self._renames)
        self.draw()
        self._bring_texts()
        self.ask(again=True)

    @property
    def _index(self) -> int | None:
        """The record shown: the line's own, or the one that a person chose."""
        return self._chosen if self._chosen is not None or self._line is None else self._line["record"]

    def show_another(self, step: int) -> bool:
        """Show the next (1) or previous (-1) record of the same model; False when there is no other."""
        if self._line is None:
            return False
        from tui.screens.detail_of import indexes_of

        indexes = indexes_of(self._line, self._snapshot, self._renames)
        at = indexes.index(self._index) if self._index in indexes else -1 if step > 0 else 0
        if not indexes or (len(indexes) == 1 and at == 0):
            return False
        self._chosen = indexes[(at + step) % len(indexes)]
        self.draw()
        self._bring_texts()
        return True

    @property
    def detail(self) -> Detail | None:
        """The detail with its long texts, read now if they are not here yet; None without a line."""
        if self._line is None:
            return None
        index = self._index
        if self._snapshot is not None and index is not None and not self._texts_are_here():
            from tui.screens.long_texts import LongTexts, read_long_texts

            try:
                self._texts = read_long_texts(self._snapshot, index)
            except TrnModelsError as error:
                self._texts = LongTexts(self._snapshot, index, None, None, error)
        return self._known_of(self._line)

    def _known_of(self, line: Mapping[str, Any]) -> Detail:
        from tui.screens.detail_of import detail_of

        facts = self._facts.get(line["key"])
        return detail_of(
            line,
            chosen=self._chosen,
            renames=self._renames,
            snapshot=self._snapshot,
            texts=self._texts,
            bucket=self.bucket,
            facts=facts if isinstance(facts, ModelFacts) else None,
            facts_note=self._facts_note(line["key"]),
            settings=self.settings,
            evidence=self._evidence_of(line["key"], facts),
            host=self._host,
            interpreters=self._interpreters,
            taken=self._taken,
        )

    # Long texts

    def _texts_are_here(self) -> bool:
        """Whether the long texts of the line are read; what could not be read is tried again."""
        line, texts = self._line, self._texts
        return (
            line is not None
            and texts is not None
            and texts.problem is None
            and texts.are_of(self._snapshot, self._index)
        )

    def _bring_texts(self) -> None:
        line = self._line
        if line is None:
            return
        self._recall_facts(line)
        if self._snapshot is not None and self._index is not None and not self._texts_are_here():
            arrivals.bring_long_texts(self, self._snapshot, self._index)

    @on(arrivals.LongTextsArrived)
    def _texts_arrived(self, event: arrivals.LongTextsArrived) -> None:
        if event.texts.are_of(self._snapshot, self._index):
            self._texts = event.texts
            self.draw()

    # What the Hub says

    def ask(self, *, again: bool = False) -> None:
        """Ask the Hub about the model when what is known is not fresh; after a failure only with `again`."""
        line = self._line
        if self._index is not None:
            self.want_bucket()
        self._want_evidence()
        if line is None or not line["model_id"] or self._of_sample or self.settings.offline:
            return
        from tui.catalog.hub import FACTS_KEPT

        key = line["key"]
        known = self._recall_facts(line)
        fresh = isinstance(known, ModelFacts) and known.all_asked and datetime.now(UTC) - known.fetched_at < FACTS_KEPT
        failed = isinstance(known, TrnModelsError) and not again
        if not fresh and not failed and key not in self._facts_asked:
            self._facts_asked.add(key)
            arrivals.bring_facts(self, self.settings, key, line["model_id"])
            self.draw()

    def _recall_facts(self, line: Mapping[str, Any]) -> ModelFacts | TrnModelsError | None:
        key = line["key"]
        if key not in self._facts and not self._of_sample and line["model_id"]:
            from tui.catalog.hub import cached_facts

            kept = cached_facts(self.settings, line["model_id"])
            if kept is not None:
                self._facts[key] = kept
                self.draw()
        return self._facts.get(key)

    def _facts_note(self, key: str) -> str:
        if self._of_sample:
            return "sample models are invented: the Hub has none of them"
        failure = self._facts.get(key)
        if isinstance(failure, TrnModelsError):
            return f"not known: {failure.title}"
        if self.settings.offline:
            return "not asked: offline"
        return "asking …" if key in self._facts_asked else ""

    def forget_failures(self) -> None:
        """A person asks for news: what failed may be asked again."""
        self._facts = {key: facts for key, facts in self._facts.items() if isinstance(facts, ModelFacts)}
        if self.bucket is not None and self.bucket.looked_at is None:
            self._bucket_asked = False

    @on(arrivals.FactsArrived)
    def _facts_arrived(self, event: arrivals.FactsArrived) -> None:
        self._facts[event.key] = event.facts
        self._facts_asked.discard(event.key)
        new = event.facts.id.casefold()
        if new != event.key:
            self.post_message(self.RenameFound(event.key, new))
        self._want_evidence()
        self.draw()

    @on(arrivals.FactsFailed)
    def _facts_failed(self, event: arrivals.FactsFailed) -> None:
        self._facts_asked.discard(event.key)
        if not isinstance(self._facts.get(event.key), ModelFacts):
            self._facts[event.key] = event.error
        self.draw()

    # Models like it

    def _want_evidence(self) -> None:
        """Look for tested models like one without a record, once its facts are known."""
        line, snapshot = self._line, self._snapshot
        facts = None if line is None else self._recall_facts(line)
        if line is None or snapshot is None or self._index is not None or not isinstance(facts, ModelFacts):
            return
        asked = self._evidence_asked
        if asked is None or asked[0] is not snapshot or asked[1] != facts:
            self._evidence_asked = snapshot, facts
            arrivals.bring_evidence(self, self.settings, snapshot, line["key"], facts, renames=self._renames)

    def _evidence_of(self, key: str, facts: object) -> Evidence | None:
        found = self._evidence
        if found is None or found.key != key or found.snapshot is not self._snapshot or found.facts != facts:
            return None
        return found.evidence

    @on(arrivals.EvidenceArrived)
    def _evidence_arrived(self, event: arrivals.EvidenceArrived) -> None:
        self._evidence = event
        self.draw()

    def want_bucket(self) -> None:
        """Find out, once, where compiled graphs are kept; `BucketKnown` tells when that is over."""
        if not self._bucket_asked:
            self._bucket_asked = True
            arrivals.bring_bucket(self, replace(self.settings, sample=self._of_sample), of_sample=self._of_sample)

    @on(arrivals.BucketArrived)
    def _bucket_arrived(self, event: arrivals.BucketArrived) -> None:
        if event.of_sample is self._of_sample:
            self.bucket = event.search
            self.post_message(self.BucketKnown())
            self.draw()
