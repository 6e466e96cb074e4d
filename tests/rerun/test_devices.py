"""Which devices a run gets, and that two runs never get the same."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tui.errors import TrnModelsError
from tui.host.neuron import Device, Holder, Host
from tui.rerun import devices, holding, runs
from tui.rerun.devices import Allocation, allocate
from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.plan import Kind
from tui.rerun.runs import Run, State

NOW = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)


def host(count: int, *, held: Iterable[int] = (), per_device: int = 4) -> Host:
    """A host with this many devices, those in `held` held by somebody."""
    return Host(
        NOW,
        devices=tuple(
            Device(
                index,
                tuple(range(per_device * index, per_device * (index + 1))),
                (Holder(4711, ""),) if index in held else (),
            )
            for index in range(count)
        ),
    )


def test_one_core_takes_a_whole_device_and_only_that_core_is_visible():
    given = allocate(host(16), 1, ())
    assert given == Allocation((0,), (0,))
    assert given.visible_cores == "0"


def test_a_run_gets_devices_next_to_each_other_that_nobody_holds_or_has():
    given = allocate(host(16, held=[0]), 8, {1: 7})
    assert given == Allocation((2, 3), tuple(range(8, 16)))
    assert given.visible_cores == "8-15"


def test_cores_that_do_not_fill_the_last_device_still_take_it_whole():
    assert allocate(host(4), 6, ()) == Allocation((0, 1), (0, 1, 2, 3, 4, 5))


def test_cores_are_counted_as_the_devices_have_them():
    assert allocate(host(2, per_device=8), 8, ()) == Allocation((0,), tuple(range(8)))


def test_the_whole_host_can_be_given_to_one_run():
    assert allocate(host(16), 64, ()).visible_cores == "0-63"


def test_the_smallest_gap_that_suffices_is_used():
    gaps = host(16, held=[4, 7, 9])  # 0-3, 5-6, 8, 10-15
    assert allocate(gaps, 4, ()).devices == (8,)
    assert allocate(host(16, held=[0, 2, 4, 5]), 8, ()).devices == (6, 7)
    assert allocate(gaps, 12, ()).devices == (0, 1, 2)
    assert allocate(gaps, 24, ()).devices == (10, 11, 12, 13, 14, 15)


def test_a_run_starts_at_a_multiple_of_its_size_where_one_is_free():
    assert allocate(host(16), 16, {0: 1}).devices == (4, 5, 6, 7)
    assert allocate(host(16, held=[0, 1, 12]), 32, ()).devices == (2, 3, 4, 5, 6, 7, 8, 9)
    assert allocate(host(16, held=[4, 7, 9]), 8, ()).devices == (0, 1)


def test_a_single_device_goes_where_the_largest_run_still_fits():
    assert allocate(host(16, held=[0, 1, 2, *range(8, 16)]), 1, ()).devices == (3,)
    assert allocate(host(16, held=[*range(8), 13, 14, 15]), 1, ()).devices == (12,)
    taken = set()
    for _ in range(4):
        taken |= set(allocate(host(16), 4, taken).devices)
    assert allocate(host(16), 32, taken).devices == (8, 9, 10, 11, 12, 13, 14, 15)


def test_core_ids_and_not_device_numbers_tell_what_is_next_to_each_other():
    apart = Host(NOW, devices=(Device(0, (0, 1, 2, 3)), Device(1, (8, 9, 10, 11)), Device(5, (4, 5, 6, 7))))
    assert allocate(apart, 8, (1,)) == Allocation((0, 5), (0, 1, 2, 3, 4, 5, 6, 7))
    swapped = Host(NOW, devices=(Device(0, (4, 5, 6, 7)), Device(1, (0, 1, 2, 3))))
    assert allocate(swapped, 6, ()) == Allocation((1, 0), (0, 1, 2, 3, 4, 5))


def test_core_ids_with_a_hole_are_never_given():
    assert allocate(Host(NOW, devices=(Device(0, (0, 2)), Device(1, (3, 4)))), 2, ()).cores == (3, 4)


@pytest.mark.parametrize(
    ("where", "cores", "taken", "sentence"),
    [
        (host(1), 16, (), "needs 16 cores, this host has 4"),
        (host(2, held=[0]), 8, (), "8 cores needed, 4 not in use"),
        (host(2), 8, (0, 1), "8 cores needed, 0 not in use"),
        (host(1, held=[0]), 1, (), "1 core needed, 0 not in use"),
        (host(4, held=[1]), 12, (), "no 3 unused devices are next to each other"),
        (host(3, held=[1]), 8, (), "no 2 unused devices are next to each other"),
        (Host(NOW), 8, (), "needs 8 cores, this host has no Neuron device"),
        (
            Host(NOW, why_none="driver not loaded"),
            1,
            (),
            "needs 1 core, this host has no Neuron device: driver not loaded",
        ),
    ],
)
def test_why_a_run_gets_no_devices(where, cores, taken, sentence):
    assert allocate(where, cores, taken) == sentence


def test_a_step_without_cores_gets_none_and_needs_no_device():
    given = allocate(Host(NOW), 0, ())
    assert given == Allocation((), ())
    assert given.visible_cores == ""


def test_any_host_counts_cores_from_0_where_there_is_no_device():
    assert allocate(Host(NOW), 2, (), any_host=True) == Allocation((), (0, 1))


def test_any_host_takes_nothing_from_others_where_there_are_devices():
    assert allocate(host(1, held=[0]), 2, (), any_host=True) == "2 cores needed, 0 not in use"


def run(number: int, state: State, devices: tuple[int, ...], token: str = "") -> Run:
    folder = runs.Path(f"/nowhere/{number}")
    return Run(
        id=number,
        folder=folder,
        kind=Kind.RUN,
        model_id="acme/small",
        state=state,
        created_at=NOW,
        devices=devices,
        token=token or f"token-{number}",
    )


def test_devices_of_live_runs_are_taken_and_those_of_ended_ones_are_not():
    ours = [
        run(1, State.FINISHED, (0,)),
        run(2, State.RUNNING, (1, 2)),
        run(3, State.STOPPING, (3,)),
        run(4, State.WAITING, ()),
        run(5, State.WAITING, (4,)),
        run(6, State.LOST, (5,)),
    ]
    assert holding.taken(ours) == {1: 2, 2: 2, 3: 3, 4: 5}


def test_devices_of_a_lost_run_are_taken_as_long_as_one_of_its_processes_lives():
    lost = run(6, State.LOST, (5,), "token-of-a-lost-run")
    environ: Mapping[str, str] = os.environ | {TOKEN_VARIABLE: "token-of-a-lost-run"}
    program = "print('up', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as child:
        assert child.stdout.readline() == b"up\n"
        assert holding.taken([lost]) == {5: 6}
        assert holding.taken([replace(lost, token="")]) == {}
        child.kill()
    assert holding.taken([lost]) == {}


HOLDER = """
import sys
from pathlib import Path
from tui.rerun import devices
from tui.settings import Settings
with devices.locked(Settings(state_dir=Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.readline()
    print("letting go", flush=True)
"""


@pytest.fixture
def holder(settings):
    """Another process that holds the lock until a line is written to it."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(settings.state_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout.readline() == b"held\n"
        yield child
        child.kill()


def test_the_lock_is_waited_for_until_the_other_process_lets_go(settings, holder):
    order = []

    def wait() -> None:
        with devices.locked(settings):
            order.append("taken")

    waiting = threading.Thread(target=wait)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive() and order == []
    holder.stdin.write(b"\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == b"letting go\n"
    waiting.join(10)
    assert order == ["taken"]


def test_a_lock_that_is_held_for_too_long_is_an_error_that_says_what_to_do(settings, holder):
    with pytest.raises(TrnModelsError) as caught, devices.locked(settings, wait_s=0.05):
        raise AssertionError("it was given twice")
    assert caught.value.title == "Another run is choosing its devices"
    assert "devices.lock" in caught.value.detail
    assert "fuser" in caught.value.remedy


def test_a_killed_holder_leaves_no_lock_behind(settings, holder):
    holder.kill()
    holder.wait()
    with devices.locked(settings, wait_s=5):
        pass


def test_an_error_inside_the_lock_is_passed_on_and_the_lock_let_go(settings):
    with pytest.raises(OSError, match="mine"), devices.locked(settings):
        raise OSError("mine")
    with devices.locked(settings, wait_s=0):
        pass


def test_a_state_folder_that_cannot_be_written_is_an_error(settings, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TrnModelsError) as caught, devices.locked(replace(settings, state_dir=tmp_path / "file")):
        pass
    assert caught.value.title == "The lock on the devices cannot be taken"
