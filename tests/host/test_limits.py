"""What a search learns of this host."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from made_fits import NO_DEVICE, devices, python, trn2

from tui.catalog.question import Limits
from tui.catalog.stacks import Stack
from tui.host.limits import limits_of
from tui.host.neuron import Device, Holder, Host

NEWEST = Stack("2.28.7631.0", "transformers", "5.23.1")
STACKS = (Stack("2.29.1.0", "transformers", "5.23.1"), NEWEST)


def test_a_host_has_its_cores_and_the_stack_of_its_python() -> None:
    held = {0: (Holder(4711, "python train.py"),)}
    assert limits_of(trn2(16, held), python(), STACKS) == Limits(64, NEWEST)
    assert limits_of(trn2(1), python(), STACKS) == Limits(4, NEWEST)


@pytest.mark.parametrize(
    ("host", "interpreter", "limits"),
    [
        (NO_DEVICE, python(), Limits(0, NEWEST, "no Neuron device: driver not loaded")),
        (trn2(16), None, Limits(64, None, "no Python was found that can run a run.py")),
        (trn2(16), python({"torch": "2.14.0"}), Limits(64, None, "/venv/bin/python has no stack of the records")),
        (trn2(devices=(Device(0, ()),)), python(), Limits(0, NEWEST, "the number of its cores is not known")),
        (
            Host(datetime(2026, 11, 30, tzinfo=UTC), "trn1.32xlarge", "Trainium", devices(16, cores=2)),
            python(),
            Limits(0, NEWEST, "this is trn1, tested was trn2"),
        ),
    ],
)
def test_where_nothing_fits_it_says_why(host, interpreter, limits) -> None:
    assert limits_of(host, interpreter, STACKS) == limits
