"""What the checklist of a record says of this host, its cores, memory and disks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_fits import INSTALLED, NO_DEVICE, STACK, devices, facts, item, python, record, said, surroundings, trn2

from tui.host.checklist import Level, Surroundings
from tui.host.fit import fit_of
from tui.host.neuron import Device, Holder, Host

# the one line


def test_all_as_tested_is_one_short_line() -> None:
    fit = fit_of(record(), trn2(held={3: (Holder(4711, "python train.py"),)}), python())
    assert fit.line == "fits: 8 of 60 cores, stack as tested"
    assert fit.blocking == ()


def test_what_differs_is_named_in_the_line() -> None:
    fit = fit_of(record(), trn2(), python({**INSTALLED, "transformers": "5.24.0"}))
    assert fit.line == "fits: 8 of 64 cores, transformers differs"


def test_of_many_differences_two_are_named_and_the_others_counted() -> None:
    other = {**dict.fromkeys(INSTALLED, "1.0"), "neuronx-cc": INSTALLED["neuronx-cc"]}
    fit = fit_of(record(), trn2(), python(other))
    assert fit.line == "fits: 8 of 64 cores, torch-neuronx differs, torch differs, 3 more"


def test_a_host_that_is_too_small_does_not_fit() -> None:
    fit = fit_of(record(tp=16), trn2(1), python())
    assert fit.line == "does not fit: 16 cores needed, this host has 4"
    assert [item.name for item in fit.blocking] == ["cores"]


def test_without_a_device_the_line_says_why_there_is_none() -> None:
    fit = fit_of(record(), NO_DEVICE, python())
    assert fit.line == "no Neuron device here: driver not loaded"
    assert item(fit, "device").level is Level.BLOCKING
    assert "trn2" in item(fit, "device").advice


def test_any_host_turns_what_is_missing_of_host_and_stack_into_warnings() -> None:
    fit = fit_of(record(), NO_DEVICE, python({"pip": "26.0"}), any_host=True)
    assert fit.blocking == ()
    assert item(fit, "device").level is Level.WARNING
    assert said(fit, "torch-neuronx") == (Level.WARNING, "2.14.3.0 tested, not installed")
    assert fit.line == "no Neuron device here: driver not loaded"


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (trn2(1), "16 cores needed, this host has 4"),
        (trn2(4, {0: (Holder(1),)}), "16 cores needed, 12 of 16 not in use"),
        (trn2(1, devices=(Device(0, ()),)), "number of cores not known"),
    ],
)
def test_no_allowance_gives_cores_that_are_not_there_or_in_use(host: Host, words: str) -> None:
    fit = fit_of(record(tp=16), host, python(), any_host=True)
    assert [item.name for item in fit.blocking] == ["cores"]
    assert fit.line == f"does not fit: {words}"


# host


@pytest.mark.parametrize(("name", "instance"), [("Trainium1", "trn1.32xlarge"), ("Inferentia2", "inf2.xlarge")])
def test_records_do_not_apply_to_other_families(name: str, instance: str) -> None:
    family = instance.partition(".")[0]
    fit = fit_of(record(tp=2), trn2(16, device_name=name, instance_type=instance), python())
    assert item(fit, "host").level is Level.BLOCKING
    assert f"do not apply to {family}" in item(fit, "host").text
    assert fit.line == f"does not fit: {family}, not trn2"
    allowed = fit_of(record(tp=2), trn2(16, device_name=name, instance_type=instance), python(), any_host=True)
    assert allowed.line == f"fits: 2 of 64 cores, {family}, not trn2"


def test_trn3_is_a_warning() -> None:
    fit = fit_of(record(), trn2(16, device_name="Trainium3", instance_type="trn3.x"), python())
    assert item(fit, "host").level is Level.WARNING
    assert fit.line == "fits: 8 of 64 cores, trn3, not trn2"


def test_lnc_1_is_a_warning_and_cores_are_counted_by_it() -> None:
    fit = fit_of(record(), trn2(1, lnc=1, devices=devices(1, cores=8)), python())
    assert item(fit, "LNC").level is Level.WARNING
    assert fit.line == "fits: 8 of 8 cores, LNC=1"
    assert "a core here has 12 GB" in item(fit, "memory").text


@pytest.mark.parametrize(
    ("name", "instance", "told"),
    [
        ("Trainium2", "trn2.3xlarge", True),
        ("Trainium3", "trn3.x", True),
        (None, None, True),
        ("Trainium1", "trn1.2xlarge", False),
        ("Inferentia2", "inf2.xlarge", False),
    ],
)
def test_lnc_is_told_only_where_cores_are_counted_by_it(name: str | None, instance: str | None, told: bool) -> None:
    fit = fit_of(record(tp=1), trn2(1, device_name=name, instance_type=instance, lnc=1), python())
    assert any(item.name == "LNC" for item in fit.items) is told


def test_a_container_may_count_its_cores_in_another_way() -> None:
    inside = replace(python(), argv=("docker", "exec", "-i", "box", "python"))
    level, text = said(fit_of(record(), trn2(), inside), "container")
    assert level is Level.WARNING
    assert text == "cores are counted as this machine counts them; the container may count its own"
    assert all(item.name != "container" for item in fit_of(record(), trn2(), python()).items)
    assert all(item.name != "container" for item in fit_of(record(), NO_DEVICE, inside).items)


def test_what_the_host_could_not_tell_is_a_warning_of_the_checklist() -> None:
    fit = fit_of(record(), trn2(remarks=("neuron-ls gave no answer.",)), python())
    assert (Level.WARNING, "neuron-ls gave no answer.") in [(item.level, item.text) for item in fit.items]


# cores


def test_devices_of_our_own_runs_count_as_in_use_and_are_named() -> None:
    fit = fit_of(record(tp=4), trn2(1), python(), taken={0: 12})
    assert said(fit, "cores") == (Level.BLOCKING, "4 cores needed, 0 of 4 not in use")
    assert "queue" in item(fit, "cores").advice
    assert said(fit, "in use") == (Level.WARNING, "1 of 1 device in use: your run 12 (device 0)")


def test_holders_are_told_with_user_pid_and_command() -> None:
    holder = Holder(4711, "python train.py \x1b[31m" + "x" * 100, "alice")
    fit = fit_of(record(), trn2(held={3: (holder,), 5: (Holder(None),)}), python())
    _, told = said(fit, "in use")
    assert told.startswith("2 of 16 devices in use: alice, pid 4711, python train.py \\x1b[31m")
    assert told.endswith("… (device 3); a process that is not known (device 5)")
    assert len(told) < 170


def test_a_full_host_is_one_row_with_three_holders_named() -> None:
    held = {index: (Holder(100 + index // 2, "python train.py", "alice"),) for index in range(14)}
    used = item(fit_of(record(tp=8), trn2(held=held), python()), "in use")
    named = "; ".join(f"alice, pid {100 + n}, python train.py (devices {2 * n}-{2 * n + 1})" for n in range(3))
    assert used.text == f"14 of 16 devices in use: {named}; and 4 more"
    assert (used.advice, used.on_screen) == ("`neuron-ls` shows all.", "H shows all.")


def test_a_gap_between_unused_devices_cannot_be_bridged() -> None:
    held = {index: (Holder(1, "x"),) for index in range(1, 16, 2)}
    fit = fit_of(record(tp=8), trn2(held=held), python())
    assert said(fit, "cores") == (Level.BLOCKING, "8 cores needed, the 32 not in use are not next to each other")
    assert fit_of(record(tp=4), trn2(held=held), python()).line == "fits: 4 of 32 cores, stack as tested"


def test_unknown_holders_are_a_warning() -> None:
    fit = fit_of(record(), trn2(holders_known=False), python())
    assert item(fit, "in use").level is Level.WARNING


@pytest.mark.parametrize("tp", [None, 0, -1])
def test_without_recorded_cores_one_is_assumed_and_said(tp: int | None) -> None:
    fit = fit_of(record(tp=tp), trn2(), python())
    assert fit.line == "fits: 1 of 64 cores, cores not recorded"
    assert "one is assumed" in item(fit, "cores recorded").text


def test_cores_that_are_no_number_are_shown_as_recorded() -> None:
    odd = replace(record(tp=None), unconverted={"tp": "four"})
    assert "«four»" in item(fit_of(odd, trn2(), python()), "cores recorded").text


def test_devices_without_known_cores_do_not_look_like_room() -> None:
    fit = fit_of(record(), trn2(1, devices=(Device(0, ()),)), python())
    assert fit.line == "does not fit: number of cores not known"


# memory


def test_memory_of_several_cores_is_never_a_plain_ok_as_its_unit_is_not_documented() -> None:
    level, text = said(fit_of(record(), trn2(), python()), "memory")
    assert level is Level.WARNING
    assert text == "18.2 of 24 GB recorded; whether for one core or for all is not documented; a core here has 24 GB"


def test_memory_of_one_core_is_compared_with_that_of_a_core() -> None:
    def memory(peak: float) -> tuple[Level, str]:
        return said(fit_of(record(tp=1, hbm_peak_gb=peak), trn2(), python()), "memory")

    assert memory(1.4) == (Level.OK, "as recorded 1.4 of 24 GB on one core; a core here has 24 GB")
    assert memory(23.0)[0] is Level.WARNING
    unknown = trn2(device_name="Trainium9", devices=(Device(0, (0, 1)),))
    assert said(fit_of(record(tp=1, hbm_peak_gb=1.4), unknown, python()), "memory")[0] is Level.WARNING


def test_before_any_python_was_looked_for_nothing_is_said_of_it() -> None:
    fit = fit_of(record(), trn2(), None, pythons_asked=False)
    assert fit.line == "fits: 8 of 64 cores"
    assert {item.name for item in fit.items} == {"host", "cores", "memory", "driver"}
    assert fit_of(record(), trn2(), None).line == "does not fit: no Python chosen"


def test_devices_that_were_not_passed_into_a_container_are_told() -> None:
    assert said(fit_of(record(tp=1), trn2(1, devices_of_host=16), python()), "host")[1].endswith(
        "1 device, 4 cores; 1 of the host's 16 devices was passed in"
    )
    assert "passed in" not in said(fit_of(record(), trn2(devices_of_host=16), python()), "host")[1]


def test_advice_for_the_screen_names_keys() -> None:
    fit = fit_of(record(), trn2(), None)
    assert "--python" in item(fit, "interpreter").advice
    assert item(fit, "interpreter").on_screen == "i picks another."


def test_more_memory_than_all_cores_have_is_said() -> None:
    fit = fit_of(record(tp=1, hbm_peak_gb=30.0, hbm_capacity_gb=36.0), trn2(), python())
    assert "may run out" in item(fit, "memory").advice
    assert "may run out" not in item(fit_of(record(tp=8, hbm_peak_gb=30.0), trn2(), python()), "memory").advice


@pytest.mark.parametrize("peak", [None, float("nan"), 0.0])
def test_a_peak_that_is_none_is_not_one(peak: float | None) -> None:
    level, text = said(fit_of(record(hbm_peak_gb=peak), trn2(), python()), "memory")
    assert level is Level.WARNING
    assert text.startswith("peak device memory is ")


# weights, disks, token, logout


def test_the_download_is_an_upper_bound_beside_the_free_space() -> None:
    fit = fit_of(record(), trn2(), python(), surroundings(), facts(size_bytes=34 * 10**9, parameters=8 * 10**9))
    assert said(fit, "weights") == (Level.OK, "up to 34 GB to download (all revisions together), 900 GB free")


def test_a_disk_that_cannot_hold_the_weights_blocks() -> None:
    known = facts(size_bytes=34 * 10**9, parameters=8 * 10**9)
    fit = fit_of(record(), trn2(), python(), surroundings(7 * 10**9), known)
    assert said(fit, "weights") == (Level.BLOCKING, "at least 8 GB to download, 7 GB free")
    assert fit.line == "does not fit: no room for the weights"
    maybe = fit_of(record(), trn2(), python(), surroundings(20 * 10**9), known)
    assert item(maybe, "weights").level is Level.WARNING
    here = fit_of(record(), trn2(), python(), surroundings(7 * 10**9, weights_here=True), known)
    assert said(here, "weights") == (Level.OK, "already in the Hugging Face cache")


def test_an_unknown_size_is_said() -> None:
    fit = fit_of(record(), trn2(), python(), surroundings())
    assert said(fit, "weights") == (Level.WARNING, "how much there is to download is not known, 900 GB free")
    asking = fit_of(record(), trn2(), python(), surroundings(), asking=True)
    assert said(asking, "weights")[1] == "asking the Hub how much there is to download …, 900 GB free"


@pytest.mark.parametrize(
    ("free", "level"),
    [(6 * 10**9, Level.OK), (4 * 10**9, Level.WARNING), (99 * 10**6, Level.BLOCKING), (None, Level.WARNING)],
)
def test_each_disk_is_looked_at(free: int | None, level: Level) -> None:
    fit = fit_of(record(), trn2(), python(), surroundings(free, weights_here=True))
    told = [item for item in fit.items if item.name == "disk"]
    assert [item.level for item in told] == [level] * 3
    assert [item.text.split(":")[0] for item in told] == ["Hugging Face cache", "NEFF cache", "run folder"]


def test_a_folder_that_cannot_be_written_is_told_and_without_one_for_the_run_nothing_runs() -> None:
    disks = tuple(replace(disk, writable=False) for disk in surroundings().disks)
    fit = fit_of(record(), trn2(), python(), Surroundings(disks, weights_here=True))
    told = [item for item in fit.items if item.name == "disk"]
    assert [item.level for item in told] == [Level.WARNING, Level.WARNING, Level.BLOCKING]
    assert told[2].text == "run folder: cannot be written by you (/disk/run folder)"
    assert told[0].advice == "Make it writable for you, or let HF_HOME name another folder."
    assert fit.line == "does not fit: the run folder cannot be written"


def test_a_gated_model_needs_a_token_unless_its_weights_are_here() -> None:
    gated = facts(gated="manual", size_bytes=1)
    fit = fit_of(record(), trn2(), python(), surroundings(), gated)
    assert item(fit, "token").level is Level.BLOCKING
    assert "hf auth login" in item(fit, "token").advice
    assert fit.line == "does not fit: gated, and no token"
    assert item(fit_of(record(), trn2(), python(), surroundings(has_token=True), gated), "token").level is Level.OK
    assert item(fit_of(record(), trn2(), python(), surroundings(weights_here=True), gated), "token").level is Level.OK
    open_model = fit_of(record(), trn2(), python(), surroundings(), facts(gated=False, size_bytes=1))
    assert [item for item in open_model.items if item.name == "token"] == []


def test_every_item_that_is_not_well_says_what_to_do() -> None:
    nothing = dict.fromkeys([*STACK, "tp", "hbm_peak_gb", "hbm_capacity_gb"])
    taken = {0: 12}
    container = replace(python(), argv=("docker", "exec", "python"))
    for fit in (
        fit_of(record(**nothing), trn2(1, remarks=("Odd.",), holders_known=False), container, surroundings(None)),
        fit_of(record(**{**nothing, "library": "peft"}), trn2(1, device_name=None, instance_type=None), python()),
        fit_of(record(), trn2(1, held={0: (Holder(1, "x"),)}, driver=None, lnc=1), python(version=None), taken=taken),
        fit_of(record(tp=1), trn2(1), python(dict.fromkeys(INSTALLED, "1.0"), version="3.9.1"), surroundings(10**9)),
        fit_of(record(), NO_DEVICE, None, surroundings(10**6, logout_kills=True), facts(gated="manual", parameters=9)),
        fit_of(record(), trn2(1, devices=(Device(0, ()),)), python(), surroundings(), asking=True),
    ):
        silent = [item.name for item in fit.items if item.level is not Level.OK and not item.advice]
        assert silent == []


def test_a_logout_that_kills_is_a_warning_with_the_remedy() -> None:
    fit = fit_of(record(), trn2(), python(), surroundings(logout_kills=True))
    assert item(fit, "logout").level is Level.WARNING
    assert "loginctl enable-linger" in item(fit, "logout").advice
    unknown = fit_of(record(), trn2(), python(), surroundings(logout_kills=None))
    assert [item for item in unknown.items if item.name == "logout"] == []
