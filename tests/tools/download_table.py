"""Every request of a download, every way in which it can go wrong, and what must hold then; see `fault_table`."""

from __future__ import annotations

import os
import random
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import psutil
from fault_table import FAULTS, SECRET, failure
from loopback_hub import LoopbackHub

from tui.catalog import hub as asked
from tui.catalog import hub_download, hub_session
from tui.errors import TrnModelsError
from tui.settings import DEFAULT_DATASET, Settings

STEPS: Mapping[str, tuple[str, bool]] = {
    "list of files": (f"/api/datasets/{DEFAULT_DATASET}/tree", False),
    "head": (f"/datasets/{DEFAULT_DATASET}/resolve", False),
    "body": ("/content/", False),
    "Xet's token": (f"/api/datasets/{DEFAULT_DATASET}/xet-read-token", True),
    "reconstruction": ("/v", True),
    "Xet's content": ("/xorbs/", True),
}
"""By step: what the address begins with, and whether the files are in Xet storage."""

NO_NEWS = ("silent", "a byte a second", "an endless head")
STORAGE = ("reconstruction", "Xet's content")
"""Of these hf_xet tells no more than a sentence, without headers."""

_HARMLESS = {(step, "old copy") for step in STEPS} | {("head", "a byte a second"), ("head", "truncated")}
"""What is named by its hash is never old; a head has no body."""
_REPEATED = {("body", "truncated")}
"""What had arrived is kept and the rest is asked for, a few times."""
_NO_ANSWER = ("The Hub did not answer within", "Fetching stopped: nothing arrived for")
_UNUSABLE = "The Hub gave no usable answer"


def titles(step: str, fault: str) -> tuple[str, ...]:
    """What may be told; nothing when the files arrive all the same."""
    if (step, fault) in _HARMLESS:
        return ()
    if step in STORAGE and fault in (*NO_NEWS, "reset"):
        return ("The Hub's storage of files did not answer", *_NO_ANSWER)
    if fault in NO_NEWS:
        return _NO_ANSWER
    if (step, fault) in _REPEATED:
        return (FAULTS[fault][1].title, *_NO_ANSWER)
    nonsense = fault in ("garbage", "login page")
    if step in STORAGE and (nonsense or fault in ("401", "403", "gated", "404", "truncated")):
        return (_UNUSABLE,)
    if step in ("body", "Xet's token") and nonsense:
        return (_UNUSABLE,)
    return (FAULTS[fault][1].title,)


def wrong_with(hub: LoopbackHub, given: Settings, home: Path, step: str, fault: str) -> list[str]:
    """Fetch into an empty cache while it goes wrong; what is not as it must be."""
    prefix, hub.xet = STEPS[step]
    hub.clear_faults()
    hub.set_fault(prefix, FAULTS[fault][0])
    hub.forget_requests()
    hub_session.forget_waits()
    commit = hub.datasets[DEFAULT_DATASET].main
    with patch.dict(os.environ, HF_HOME=str(home)):
        error = failure(lambda: asked.fetch_dataset(given, commit, lambda _: None))
        wrong = list(_in_answer(hub, error, titles(step, fault)))
        concerned = len(hub.paths(prefix))
        # Without the token it is another request, and so is the older address of a reconstruction.
        most = 2 if fault == "401" or step == "reconstruction" else 1
        if concerned > most and fault != "redirect loop" and (step, fault) not in _REPEATED:
            wrong.append(f"{concerned} requests")
        if psutil.Process().children():
            wrong.append(f"processes stay: {psutil.Process().children()}")
        hub.clear_faults()
        hub_session.forget_waits()
        if (lasting := failure(lambda: asked.fetch_dataset(given, commit, lambda _: None))) is not None:
            wrong.append(f"still wrong when the Hub is well again: {lasting!r}")
    wrong += [f"the token is in {path}" for path in home.rglob("*") if path.is_file() and _has_secret(path)]
    return [f"download, {step}, {fault}: {each}" for each in wrong]


def _in_answer(hub: LoopbackHub, error: TrnModelsError | None, allowed: tuple[str, ...]) -> Iterator[str]:
    if error is None or not allowed:
        if error is not None or allowed:
            yield f"told as {error!r} instead of {allowed}"
        return
    if not error.title.startswith(allowed):
        yield f"told as {error!r} instead of {allowed}"
    if hub.url not in error.detail or DEFAULT_DATASET not in error.detail or not error.remedy:
        yield f"without the address or a way out: {error}"
    if SECRET in "".join(traceback.format_exception(error)):
        yield "the token is in the error"


def _has_secret(path: Path) -> bool:
    return SECRET.encode() in path.read_bytes()


def cases(seed: int, number: int) -> list[tuple[str, str]]:
    """Some (step, fault) that need no time limit, by chance, of each step as many."""
    chance = random.Random(seed)
    quick = [name for name in FAULTS if name not in NO_NEWS]
    return [(step, fault) for step in STEPS for fault in chance.sample(quick, number)]


@contextmanager
def short_silence(seconds: float) -> Iterator[None]:
    """A download that brings nothing is ended sooner."""
    with patch.object(hub_download, "STALLED_S", seconds):
        yield
