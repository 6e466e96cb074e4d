"""Who holds the devices of a host, what goes wrong while looking, and what is said of it in words."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import fake_hosts
import pytest
from neuron_looks import TWO_MINUTES_PAST_TWO, device_file, seen, write_list

from tui.host.neuron import Device, Holder, Host, in_words, look_at

# Holders


def test_a_holder_of_this_machine_is_shown_with_its_user(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path, held={0: [(4711, "python train.py --long ...")]})
    (root / "proc/4711/cmdline").write_bytes(b"python\0train.py\0--long\0--and\0more\0")
    assert seen(root).devices[0].holders == (Holder(4711, "python train.py --long ...", (tmp_path / "dev").owner()),)


def test_a_pid_that_belongs_to_another_process_here_has_no_user(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    fake_hosts.hold(root, 0, 1, "python train.py", process=False)
    assert seen(root).devices[0].holders == (Holder(1, "python train.py", ""),)


def test_tools_that_only_look_do_not_hold(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path, held={0: [(7, "neuron-top"), (8, "/opt/aws/neuron/bin/neuron-monitor")]})
    assert not seen(root).devices[0].in_use
    fake_hosts.remove(root)
    assert not seen(root).devices[0].in_use


def test_without_neuron_ls_open_device_files_tell_who_holds(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path, held={3: [(4711, "python train.py")]})
    fake_hosts.remove(root)
    host = seen(root)
    assert host.devices[3].holders == (Holder(4711, "python train.py", (tmp_path / "dev").owner()),)
    assert [device.index for device in host.devices if device.in_use] == [3]
    assert host.holders_known
    assert len(host.remarks) == 1


def test_processes_that_cannot_be_seen_leave_the_use_unknown(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path, held={3: [(4711, "python train.py")]})
    fake_hosts.remove(root)
    (root / "proc/88").mkdir()
    (root / "proc/88/fd").write_text("of another user")
    host = seen(root)
    assert not host.holders_known
    assert [device.index for device in host.devices if device.in_use] == [3]
    assert "only some processes of the machine can be seen" in host.remarks[-1]


def test_a_container_without_neuron_ls_does_not_know_the_use(tmp_path):
    root = fake_hosts.container(tmp_path)
    fake_hosts.remove(root)
    assert not seen(root).holders_known


def test_hidden_processes_leave_the_use_unknown(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    fake_hosts.remove(root)
    shutil.rmtree(root / "proc/1")
    assert not seen(root).holders_known


def test_a_process_that_ended_meanwhile_does_not_matter(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    fake_hosts.remove(root)
    (root / "proc/88").mkdir()
    assert seen(root).holders_known


def test_where_neuron_ls_tells_no_holders_open_files_do(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    write_list(root, {"neuron_device": 0, "neuroncore_ids": [0, 1, 2, 3]})
    (root / "proc/55/fd").mkdir(parents=True)
    (root / "proc/55/cmdline").write_bytes(b"python\0")
    (root / "proc/55/fd/9").symlink_to(root / "dev/neuron0")
    assert [holder.pid for holder in seen(root).devices[0].holders] == [55]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (fake_hosts.garbage, "Its answer cannot be read"),
        (fake_hosts.fails, "It ended with 1: failed to discover Neuron devices."),
        (fake_hosts.not_found, "It ended with 127"),
        (fake_hosts.hang, "It did not answer within 0.3 s."),
    ],
)
def test_when_neuron_ls_fails_the_devices_are_there_with_a_remark(tmp_path, spoil, said):
    root = fake_hosts.trn2_48xlarge(tmp_path, held={3: [(4711, "python train.py")]})
    spoil(root)
    host = seen(root, timeout_s=0.3 if spoil is fake_hosts.hang else 20)
    assert (host.cores, len(host.unused())) == (64, 15)
    assert host.remarks[0].startswith(f"neuron-ls could not tell about the devices: {said}")


def test_what_hosts_say_cannot_act_on_the_terminal(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    fake_hosts.hold(root, 0, 5, "python \x1b]52;c;x\x07", process=False)
    device_file(root, 0, "info/architecture/device_name").write_text("Train\x1b[31mium2\n")
    (root / "sys/module/neuron/version").write_text("2.31\x9b\n")
    host = seen(root)
    assert host.devices[0].holders[0].command == r"python \x1b]52;c;x\x07"
    assert host.device_name == r"Train\x1b[31mium2"
    assert "\x9b" not in (host.driver or "")
    assert host.generation == "trn2"


def test_looking_changes_no_file(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path, held={3: [(4711, "python train.py")]})
    fake_hosts.remove(root)

    def state() -> dict[Path, tuple[int, int]]:
        return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in root.rglob("*")}

    before = state()
    seen(root)
    assert state() == before


def test_pipes_in_place_of_files_hold_nothing_up(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    (root / "sys/module/neuron/version").unlink()
    os.mkfifo(root / "sys/module/neuron/version")
    assert seen(root).driver is None


# In words


def host_of(*devices: Device, known: bool = True, **values: str) -> Host:
    return Host(TWO_MINUTES_PAST_TWO, "trn2.48xlarge", devices=devices, holders_known=known, **values)


SIXTEEN = tuple(Device(index, tuple(range(4 * index, 4 * index + 4))) for index in range(16))


def test_the_header_tells_cores_and_how_many_are_not_in_use():
    held = (*SIXTEEN[:15], Device(15, SIXTEEN[15].core_ids, (Holder(1966680),)))
    assert in_words(host_of(*held)) == (
        "trn2.48xlarge · 64 cores, 60 not in use 14:02",
        "trn2.48xlarge · 64 cores, 60 not in use",
        "64 cores, 60 not in use 14:02",
        "64 cores, 60 not in use",
        "60/64 cores",
    )


def test_devices_of_our_own_runs_are_in_use_as_well():
    assert in_words(host_of(*SIXTEEN), taken=[0, 1])[-1] == "56/64 cores"


def test_where_holders_are_unknown_no_number_is_claimed():
    assert in_words(host_of(*SIXTEEN, known=False), taken=[0]) == (
        "trn2.48xlarge · 64 cores, use unknown 14:02",
        "trn2.48xlarge · 64 cores, use unknown",
        "64 cores, use unknown 14:02",
        "64 cores, use unknown",
        "64 cores",
    )


def test_a_host_without_devices_says_why():
    assert in_words(host_of(why_none="driver not loaded")) == (
        "no Neuron device: driver not loaded",
        "no Neuron device",
    )
    assert in_words(host_of()) == ("no Neuron device",)


def test_devices_whose_cores_are_unknown_are_counted(tmp_path):
    root = fake_hosts.other_machine(tmp_path)
    (root / "dev/neuron0").write_text("")
    words = in_words(seen(root))
    assert words[0].startswith("Neuron · 1 device, cores unknown ")
    assert words[-1] == "1 device"


@pytest.mark.parametrize("lay_out", [fake_hosts.trn2_48xlarge, fake_hosts.no_driver, fake_hosts.container])
def test_the_words_get_shorter(tmp_path, lay_out):
    lengths = [len(words) for words in in_words(seen(lay_out(tmp_path)))]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == len(lengths)


def test_the_root_that_the_settings_name_is_looked_below(settings, tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path / "host")
    assert look_at(replace(settings, host_root=root), {}).cores == 64
