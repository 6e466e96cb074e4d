"""neuron-ls: which one is run, with which flags, and what is read from all it may print."""

import json
import os
import threading
import time
from pathlib import Path

import fake_hosts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.errors import TrnModelsError
from tui.host.neuron_ls import Answer, ListedDevice, Process, ask, find, is_monitor, read

OLD = {
    "neuron_device": 0,
    "bdf": "00:1e.0",
    "connected_to": None,
    "nc_count": 2,
    "memory_size": 34359738368,
    "neuron_processes": [],
}
TRN1 = OLD | {"cpu_affinity": "0-7", "numa_node": "-1", "neuroncore_ids": [0, 1]}
TRN2 = {
    "neuron_device": 0,
    "bdf": "33:00.0",
    "connected_to": [3, 1],
    "nc_count": 4,
    "logical_neuroncore_config": 2,
    "memory_size": 103079215104,
    "neuroncore_ids": [0, 1, 2, 3],
    "neuron_processes": [
        {"pid": 113985, "command": "neuron-bench exec --run-as-cc-neff --...", "neuron_runtime_version": "2.0.0"}
    ],
}
NEW = TRN2 | {"instance_type": "trn2.3xlarge", "instance_id": "i-0123456789abcdef0", "connected_to": None}


def answer_of(*devices: object) -> Answer:
    return read(json.dumps(devices))


def program(root: Path) -> str:
    return str(root / "opt/aws/neuron/bin/neuron-ls")


def reason(root: Path, **limits: float) -> str:
    with pytest.raises(TrnModelsError) as raised:
        ask(program(root), {}, **limits)
    return raised.value.detail


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return fake_hosts.trn2_48xlarge(tmp_path / "host")


# Which program


def test_the_one_of_the_tools_folder_comes_before_path(root, tmp_path):
    other = fake_hosts.trn2_3xlarge(tmp_path / "other")
    environ = {"PATH": str(other / "opt/aws/neuron/bin")}
    assert find(root / "opt/aws/neuron", environ) == program(root)
    fake_hosts.remove(root)
    assert find(root / "opt/aws/neuron", environ) == program(other)


def test_one_that_may_not_be_executed_is_passed_over(root):
    (root / "opt/aws/neuron/bin/neuron-ls").chmod(0o644)
    assert find(root / "opt/aws/neuron", {"PATH": ""}) is None


# How it is asked


def test_the_new_flag_is_tried_first_and_is_enough(root):
    assert len(ask(program(root), {}).devices) == 16
    assert fake_hosts.calls(root) == ["--output-format json"]


def test_older_tools_are_asked_with_their_own_flag(root):
    fake_hosts.old_tools(root)
    assert len(ask(program(root), {}).devices) == 16
    assert fake_hosts.calls(root) == ["--output-format json", "--json-output"]


def test_an_object_that_holds_the_list_is_read(root):
    fake_hosts.new_tools(root)
    assert [device.core_ids for device in ask(program(root), {}).devices][-1] == (60, 61, 62, 63)


def test_a_driver_error_of_calls_at_the_same_time_is_tried_once_more(root):
    fake_hosts.fails_at_first(root, times=2)
    assert len(ask(program(root), {}, pause_s=0.01).devices) == 16
    assert len(fake_hosts.calls(root)) == 3


def test_what_fails_each_time_is_given_up_with_its_own_words(root):
    fake_hosts.fails(root)
    assert reason(root, pause_s=0.01) == "It ended with 1: failed to discover Neuron devices."
    assert len(fake_hosts.calls(root)) == 4


def test_the_failure_of_older_tools_is_told_too(root):
    fake_hosts.fails_as_old_tools_do(root)
    assert reason(root, pause_s=0.01).startswith("It ended with 1: Unable to read device information from the driver.")


@pytest.mark.parametrize("known", [fake_hosts.old_tools, fake_hosts.new_tools])
def test_the_drivers_error_is_told_and_not_the_unknown_flag(root, known):
    known(root)
    path = root / "opt/aws/neuron/bin/neuron-ls"
    path.write_text(path.read_text().replace("exit 0", "exit 1").replace('cat "', 'echo "no driver" >&2; : "'))
    assert reason(root, pause_s=0.01) == "It ended with 1: no driver."


def test_the_second_try_comes_after_a_pause(root):
    fake_hosts.fails(root)
    started = time.monotonic()
    reason(root, pause_s=0.6)
    assert time.monotonic() - started > 0.6


def test_a_missing_program_inside_is_told(root):
    fake_hosts.not_found(root)
    assert reason(root, pause_s=0.01) == "It ended with 127: neuron-ls: command not found."


def test_garbage_is_told(root):
    fake_hosts.garbage(root)
    assert reason(root, pause_s=0.01).startswith("Its answer cannot be read: ")


def test_silence_is_told(root):
    fake_hosts.prints(root, "", status=1)
    assert reason(root, pause_s=0.01) == "It ended with 1: it said nothing."


def test_one_that_hangs_is_ended_and_not_asked_again(root):
    fake_hosts.hang(root)
    started = time.monotonic()
    assert reason(root, timeout_s=0.5) == "It did not answer within 0.5 s."
    assert time.monotonic() - started < 5
    assert len(fake_hosts.calls(root)) == 1


def test_endless_output_is_cut_off(root):
    fake_hosts.prints(root, "[" + " " * 5_000_000)
    assert reason(root, pause_s=0.01) == "It said more than 4000000 bytes."


def test_what_it_says_cannot_act_on_the_terminal(root):
    fake_hosts.prints(root, "\x1b]0;title\x07 broken", status=3)
    assert reason(root, pause_s=0.01) == r"It ended with 3: \x1b]0;title\x07 broken."


def test_a_program_that_is_gone_is_an_error_like_the_others(tmp_path):
    with pytest.raises(TrnModelsError):
        ask(str(tmp_path / "neuron-ls"), {})


def test_it_gets_the_environment_that_was_given(root):
    path = root / "opt/aws/neuron/bin/neuron-ls"
    path.write_text('#!/bin/sh\necho "COLOUR=$COLOUR" >&2; exit 1\n')
    with pytest.raises(TrnModelsError) as raised:
        ask(str(path), {"COLOUR": "blue"}, pause_s=0.01)
    assert raised.value.detail == "It ended with 1: COLOUR=blue."


def test_holders_that_change_are_seen_by_the_next_call(root):
    fake_hosts.hold(root, 3, 4711, "python train.py")
    assert ask(program(root), {}).devices[3].processes == (Process(4711, "python train.py"),)
    fake_hosts.release(root, 3)
    assert ask(program(root), {}).devices[3].processes == ()


def test_many_at_the_same_time_each_get_their_answer(root):
    answers: list[Answer] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(program(root), os.environ))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(answer.devices) for answer in answers] == [16] * 4


# What is read


def test_the_oldest_shape_counts_cores_and_names_none():
    assert answer_of(OLD) == Answer((ListedDevice(0, (), 2, 32 << 30, ()),))


def test_the_shape_of_trn1_has_ids_and_no_lnc():
    answer = answer_of(TRN1)
    assert (answer.devices[0].core_ids, answer.lnc, answer.instance_type) == ((0, 1), None, None)


def test_the_shape_of_trn2_has_lnc_and_holders():
    answer = answer_of(TRN2)
    assert answer.lnc == 2
    assert answer.devices[0].core_ids == (0, 1, 2, 3)
    assert answer.devices[0].processes == (Process(113985, "neuron-bench exec --run-as-cc-neff --..."),)
    assert answer.devices[0].memory_bytes == 96 << 30


def test_the_newest_shape_names_the_instance_type():
    assert answer_of(NEW).instance_type == "trn2.3xlarge"


@pytest.mark.parametrize(
    "answer",
    [
        {"devices": [NEW]},
        {"version": 1, "ultraserver": None, "names": ["a"], "anything": [NEW]},
        {"instance": {"neuron_devices": [NEW]}},
    ],
)
def test_the_list_may_be_anywhere_in_an_object(answer):
    assert read(json.dumps(answer)) == answer_of(NEW)


def test_type_and_lnc_may_stand_above_the_list():
    device = {key: value for key, value in TRN2.items() if key != "logical_neuroncore_config"}
    answer = read(
        json.dumps({"instance": {"instance_type": "trn2.3xlarge"}, "logical_neuroncore_config": 1, "x": [device]})
    )
    assert (answer.instance_type, answer.lnc) == ("trn2.3xlarge", 1)


def test_devices_come_in_the_order_of_their_numbers():
    answer = answer_of(*({**OLD, "neuron_device": index} for index in (2, 0, 1)))
    assert [device.index for device in answer.devices] == [0, 1, 2]


def test_entries_of_the_same_device_are_one_device():
    other = TRN2 | {"neuroncore_ids": [2, 3], "neuron_processes": [{"pid": 5, "command": "b"}]}
    first = TRN2 | {"neuroncore_ids": [0, 1], "neuron_processes": []}
    (device,) = answer_of(first, other).devices
    assert (device.core_ids, device.processes) == ((0, 1, 2, 3), (Process(5, "b"),))


def test_a_holder_with_an_empty_command_counts():
    answer = answer_of(TRN2 | {"neuron_processes": [{"pid": 1966680, "command": ""}]})
    assert answer.devices[0].processes == (Process(1966680, ""),)


@pytest.mark.parametrize(
    "command", ["neuron-ls -a", "neuron-top", "/opt/aws/neuron/bin/neuron-monitor -c x", "neuron-monitor"]
)
def test_tools_that_only_look_are_no_holders(command):
    assert is_monitor(command)
    assert answer_of(TRN2 | {"neuron_processes": [{"pid": 5, "command": command}]}).devices[0].processes == ()


@pytest.mark.parametrize("command", ["", "  ", "python neuron-top.py", "neuron-bench exec", "neuron-topology"])
def test_other_commands_are_holders(command):
    assert not is_monitor(command)


def test_no_list_of_processes_is_not_the_same_as_an_empty_one():
    untold = {key: value for key, value in TRN2.items() if key != "neuron_processes"}
    assert answer_of(untold).devices[0].processes is None
    assert answer_of(TRN2 | {"neuron_processes": None}).devices[0].processes == ()
    told = TRN2 | {"neuron_device": 1, "neuroncore_ids": [4, 5, 6, 7]}
    assert answer_of(untold, told).devices[0].processes == ()


@pytest.mark.parametrize("item", [4711, "python", None, [1], {}, {"pid": True, "command": 7}, {"pid": -3}])
def test_a_holder_in_an_unknown_form_still_holds(item):
    assert answer_of(TRN2 | {"neuron_processes": [item]}).devices[0].processes == (Process(None, ""),)


@pytest.mark.parametrize("ids", ["0-3", [0, "one"], [0, 0], [-1], [0.5], {"0": 1}, [None], 7, [True], [10**9]])
def test_core_ids_that_do_not_fit_are_left_out_with_a_remark(ids):
    answer = answer_of(TRN2 | {"neuroncore_ids": ids})
    assert answer.devices[0].core_ids == ()
    assert answer.devices[0].core_count == 4
    assert answer.remarks == ("Core ids of neuron-ls that are no different whole numbers were not used.",)


def test_numbers_may_be_texts():
    answer = answer_of(TRN2 | {"neuron_device": "0", "neuroncore_ids": ["0", "1"], "logical_neuroncore_config": "2"})
    assert (answer.devices[0].index, answer.devices[0].core_ids, answer.lnc) == (0, (0, 1), 2)


@pytest.mark.parametrize("lnc", [0, 3, "two", [2], 2.5])
def test_an_lnc_that_cannot_be_is_left_out_with_a_remark(lnc):
    answer = answer_of(TRN2 | {"logical_neuroncore_config": lnc})
    assert answer.lnc is None
    assert answer.remarks


def test_an_entry_without_a_device_number_is_left_out_with_a_remark():
    answer = answer_of(TRN2, {"neuron_device": None}, "text", 7)
    assert len(answer.devices) == 1
    assert answer.remarks == ("An entry of neuron-ls without a device number was left out.",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "3",
        '"x"',
        "[1]",
        '[{"a": 1}]',
        '{"a": []}',
        '[{"neuron_device": null}]',
        "{",
        "[" * 9999,
        '[{"neuron_device": ' + "9" * 5000 + "}]",
    ],
)
def test_what_lists_no_device_is_an_error(text):
    with pytest.raises((ValueError, RecursionError)):
        read(text)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(NEW)), ANYTHING), ANYTHING)
def test_no_value_of_any_type_raises(odd, other):
    try:
        answer = read(json.dumps([{"neuron_device": 0} | odd, other]))
    except ValueError:
        assert "neuron_device" in odd
        return
    assert all(isinstance(number, int) for device in answer.devices for number in device.core_ids)
    assert answer.lnc in (None, 1, 2)
