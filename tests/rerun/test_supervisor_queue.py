"""Which devices runs get when there are several, and how they wait for them."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import fake_hosts
import pytest
from real_runs import RealRuns, gone

from tui.rerun import devices, run_files, runs, start, waiting
from tui.rerun.run import Result, State
from tui.rerun.timing import Timing
from tui.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sub-reaper and /proc: Linux only")

ENDLESS = """
note('cores', os.environ['NEURON_RT_VISIBLE_CORES'])
note('port', os.environ['MASTER_PORT'])
note('port_of_torchrun', os.environ['PET_MASTER_PORT'])
note('main')
time.sleep(60)
"""
NEVER_AGAIN = {"devices_s": 3_600.0}


@pytest.fixture
def host(tmp_path: Path) -> Path:
    return fake_hosts.trn2_48xlarge(tmp_path / "host")


@pytest.fixture
def real(settings: Settings, host: Path) -> Iterator[RealRuns]:
    with RealRuns(replace(settings, host_root=host)) as made:
        yield made


def running(run) -> bool:
    return run.state is State.RUNNING


def waits(run) -> bool:
    return run.state is State.WAITING and bool(run.waiting_for)


def test_two_runs_at_once_get_devices_and_ports_of_their_own_though_neuron_ls_tells_of_none(real, host):
    both = [real.create(ENDLESS, cores=8) for _ in range(2)]
    for run in both:
        real.supervise(run)
    first, second = [real.until(run, running) for run in both]
    assert not {*first.devices} & {*second.devices} and len(first.devices) == len(second.devices) == 2
    assert not {*first.cores} & {*second.cores}
    assert {real.noted(run, "cores") for run in both} == {"0-7", "8-15"}
    assert real.noted(first, "cores") == f"{first.cores[0]}-{first.cores[-1]}"
    assert len({real.noted(run, "port") for run in both}) == 2
    assert all(real.noted(run, "port") == real.noted(run, "port_of_torchrun") for run in both)
    assert all(29_500 < int(real.noted(run, "port")) < 32_768 for run in both)
    assert run_files.read(first.folder / "state.json")["visible_cores"] == real.noted(first, "cores")


def test_a_run_for_one_core_sees_one_core_of_a_device_that_nobody_else_gets(real):
    small = real.start(ENDLESS, cores=1)
    real.until(small, running)
    other = real.until(real.start(ENDLESS, cores=4), running)
    assert real.noted(small, "cores") == "0"
    assert other.devices == (1,)
    assert f"trn-models: in {other.folder}, on cores 4-7 of device 1\n" in real.log(other)


def test_a_step_without_cores_asks_nobody_for_devices(real, host):
    run = real.start("print(os.environ.get('NEURON_RT_VISIBLE_CORES'))")
    assert real.outcome(run).result is Result.DONE
    assert "None\n" in real.log(run)
    assert fake_hosts.calls(host) == []


def test_devices_that_somebody_holds_are_left_alone(real, host):
    fake_hosts.hold(host, 0, 4711, "")
    run = real.until(real.start(ENDLESS, cores=4), running)
    assert run.devices == (1,)


def test_without_queue_a_run_that_does_not_fit_is_not_started_and_says_why(real, host):
    for device in range(15):
        fake_hosts.hold(host, device, 4711, "python train.py")
    run = real.start(ENDLESS, cores=8)
    outcome = real.outcome(run)
    assert (outcome.result, outcome.note) == (Result.NOT_STARTED, "8 cores needed, 4 not in use")
    assert real.log(run) == "trn-models: not started: 8 cores needed, 4 not in use\n"


def test_a_run_that_never_fits_does_not_wait(real):
    outcome = real.outcome(real.start(ENDLESS, cores=65, queue=True))
    assert outcome.result is Result.NOT_STARTED
    assert outcome.note == "needs 65 cores, this host has 64"


def test_where_there_is_no_device_only_any_host_starts_it(real, settings, tmp_path):
    with RealRuns(replace(settings, host_root=fake_hosts.no_driver(tmp_path / "bare"))) as elsewhere:
        refused = elsewhere.outcome(elsewhere.start(ENDLESS, cores=4, queue=True))
        assert refused.result is Result.NOT_STARTED
        assert refused.note == "needs 4 cores, this host has no Neuron device: driver not loaded"
        run = elsewhere.until(elsewhere.start(ENDLESS, cores=4, any_host=True), running)
        assert (run.devices, run.cores) == ((), (0, 1, 2, 3))
        assert elsewhere.noted(run, "cores") == "0-3"
        assert "on cores 0-3, though there is no Neuron device here" in elsewhere.log(run)


def test_a_queued_run_starts_at_once_when_a_run_before_it_ends(real, host):
    first = real.until(real.start(ENDLESS, cores=64), running)
    # Nothing but the end of the first run can make it try again.
    second = real.start(ENDLESS, cores=8, queue=True, timing=NEVER_AGAIN)
    waiting = real.until(second, waits)
    assert waiting.waiting_for == "8 cores needed, 0 not in use"
    assert (waiting.started_at, waiting.devices) == (None, ())
    beat = waiting.heartbeat_at
    real.until(second, lambda now: now.heartbeat_at > beat)
    calls = len(fake_hosts.calls(host))
    real.stop(first)
    started = real.until(second, running)
    assert (started.devices, started.waiting_for) == ((0, 1), "")
    assert runs.read(first.folder).state is State.FINISHED
    # The second one looked once, long ago; the first one after its end.
    assert len(fake_hosts.calls(host)) <= calls + 1


def test_a_queued_run_starts_when_somebody_else_lets_go(real, host):
    for device in range(16):
        fake_hosts.hold(host, device, 4711, "python train.py")
    run = real.start(ENDLESS, cores=4, queue=True)
    real.until(run, waits)
    fake_hosts.release(host, 9)
    assert real.until(run, running).devices == (9,)


def test_a_later_run_waits_for_an_earlier_one_also_when_it_would_fit(real):
    first = real.until(real.start(ENDLESS, cores=60), running)
    second = real.start(ENDLESS, cores=8, queue=True)
    real.until(second, waits)
    third = real.start(ENDLESS, cores=4, queue=True)
    assert real.until(third, waits).waiting_for == "run 2, which waits for devices too, came first"
    hasty = real.start(ENDLESS, cores=4)
    assert real.outcome(hasty).note == "runs 2, 3, which wait too, came first"
    real.stop(first)
    second, third = real.until(second, running), real.until(third, running)
    assert second.started_at <= third.started_at
    assert not {*second.devices} & {*third.devices}


def test_a_later_run_goes_on_when_the_earlier_one_is_stopped_or_its_supervisor_is_killed(real):
    real.until(real.start(ENDLESS, cores=60), running)
    earlier = [real.start(ENDLESS, cores=8, queue=True) for _ in range(2)]
    earlier = [real.until(run, waits) for run in earlier]
    last = real.start(ENDLESS, cores=4, queue=True, timing=NEVER_AGAIN)
    real.until(last, waits)
    real.stop(earlier[0])
    os.kill(earlier[1].supervisor.pid, signal.SIGKILL)
    assert real.until(last, running).devices == (15,)


def test_a_stop_while_it_waits_ends_it_without_having_started_it(real):
    first = real.until(real.start(ENDLESS, cores=64), running)
    run = real.start(ENDLESS, cores=4, queue=True, timing=NEVER_AGAIN)
    real.until(run, waits)
    real.stop(run)
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, outcome.wall_s) == (Result.STOPPED, None, 0.0)
    assert real.log(run) == "trn-models: stopped: it was waiting, and was not started\n"
    assert runs.read(first.folder).state is State.RUNNING


def test_a_stop_is_not_held_up_by_a_neuron_ls_that_hangs(real, host):
    fake_hosts.hang(host)
    run = real.start(ENDLESS, cores=4)
    real.until(run, lambda now: fake_hosts.calls(host))
    real.stop(run)
    assert real.outcome(run, within_s=5).result is Result.STOPPED
    assert gone(run.supervisor, within_s=5)


def test_a_neuron_ls_that_hangs_keeps_nobody_from_the_lock(real, host, tmp_path):
    fake_hosts.hang(host)
    slow = real.start(ENDLESS, cores=4)
    real.until(slow, lambda now: fake_hosts.calls(host))
    with devices.locked(real.settings, wait_s=0.5):
        assert runs.read(slow.folder).state is State.WAITING
    real.stop(slow)
    assert real.outcome(slow).result is Result.STOPPED


def test_devices_of_a_lost_run_are_not_given_away_while_a_process_of_it_lives(real):
    lost = real.until(real.start(ENDLESS, cores=64), running)
    main = real.pid(lost, "main")
    os.kill(lost.supervisor.pid, signal.SIGKILL)
    real.until(lost, lambda now: now.state is State.LOST)
    run = real.start(ENDLESS, cores=4, queue=True)
    real.until(run, waits)
    os.kill(main.pid, signal.SIGKILL)
    real.until(run, running)


def test_who_still_holds_the_devices_afterwards_is_told(real, host):
    run = real.until(real.start(ENDLESS, cores=8), running)
    real.pid(run, "main")
    fake_hosts.hold(host, 1, 987654, "python left_behind.py")
    fake_hosts.hold(host, 7, 987655, "python other.py")
    real.stop(run)
    outcome = real.outcome(run)
    assert "device 1 is still held by " in outcome.note and "pid 987654 python left_behind.py" in outcome.note
    assert "device 7" not in outcome.note and outcome.result is Result.STOPPED


def test_who_still_holds_the_devices_of_a_lost_run_is_told_when_it_is_stopped(real, host):
    run = real.until(real.start(ENDLESS, cores=8), running)
    real.pid(run, "main")
    os.kill(run.supervisor.pid, signal.SIGKILL)
    lost = real.until(run, lambda now: now.state is State.LOST)
    fake_hosts.hold(host, 1, 987654, "python left_behind.py")
    start.stop(real.settings, lost, Timing(sigint_s=0.3, sigterm_s=0.3))
    note = runs.read(run.folder).outcome.note
    assert note.startswith("it was lost before it was stopped; device 1 is still held by ")
    assert note.endswith("pid 987654 python left_behind.py")


def test_a_port_is_neither_one_of_another_run_nor_one_that_somebody_listens_on(monkeypatch):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        occupied = listener.getsockname()[1]
        monkeypatch.setattr(waiting.random, "sample", lambda ports, count: [29_777, occupied, 29_778])
        assert waiting._free_port({29_777}) == 29_778
    assert waiting._free_port({29_777, 29_778, occupied}) is None
