"""What is found on hosts of several kinds, laid out as trees with a neuron-ls that runs."""

import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import fake_hosts
import pytest

from tui.host.neuron import Device, Holder, Host, Roots, in_words, look, look_at

GIB = 1 << 30
TWO_MINUTES_PAST_TWO = datetime(2026, 11, 30, 14, 2).astimezone(UTC)


def seen(root: Path, timeout_s: float = 20, **environ: str) -> Host:
    return look(Roots.below(root), {"PATH": "/usr/bin:/bin", **environ}, timeout_s=timeout_s)


def device_file(root: Path, index: int, name: str) -> Path:
    return root / f"sys/devices/virtual/neuron_device/neuron{index}" / name


def write_list(root: Path, *devices: object) -> None:
    (root / "opt/aws/neuron/bin/neuron-ls.json").write_text(json.dumps(devices))


def core_ids(host: Host) -> dict[int, tuple[int, ...]]:
    return {device.index: device.core_ids for device in host.devices}


# The kinds of hosts


def test_a_trn2_3xlarge_has_one_device_of_four_cores(tmp_path):
    host = seen(fake_hosts.trn2_3xlarge(tmp_path))
    assert (host.instance_type, host.device_name, host.generation) == ("trn2.3xlarge", "Trainium2", "trn2")
    assert host.devices == (Device(0, (0, 1, 2, 3), (), 96 * GIB),)
    assert (host.lnc, host.driver, host.holders_known) == (2, "2.31.7.0", True)
    assert (host.why_none, host.remarks) == ("", ())


def test_a_trn2_48xlarge_has_sixty_four_cores_and_says_who_holds_which(tmp_path):
    host = seen(fake_hosts.trn2_48xlarge(tmp_path, held={3: [(4711, "python train.py"), (4712, "python train.py")]}))
    assert (len(host.devices), host.cores) == (16, 64)
    assert host.devices[3].in_use
    assert [holder.pid for holder in host.devices[3].holders] == [4711, 4712]
    assert [device.index for device in host.unused(taken=[0])] == [1, 2, *range(4, 16)]


def test_in_a_container_sysfs_still_tells_how_many_devices_the_host_has(tmp_path):
    assert seen(fake_hosts.trn2_48xlarge(tmp_path / "host")).devices_of_host == 16
    inside = seen(fake_hosts.container(tmp_path / "container", 3))
    assert (len(inside.devices), inside.devices_of_host) == (1, 16)
    assert seen(fake_hosts.other_machine(tmp_path / "other")).devices_of_host is None


def test_with_lnc_1_the_cores_are_twice_as_many(tmp_path):
    host = seen(fake_hosts.trn2_48xlarge(tmp_path, lnc=1))
    assert (host.lnc, host.cores) == (1, 128)


def test_a_trn1_is_told_from_its_chip_and_has_lnc_1(tmp_path):
    host = seen(fake_hosts.trn1(tmp_path))
    assert (host.generation, host.lnc, host.cores) == ("trn1", 1, 32)


def test_an_inf2_is_not_taken_for_a_trn2_of_the_same_arch_type(tmp_path):
    host = seen(fake_hosts.inf2(tmp_path))
    assert (host.generation, host.device_name, host.cores) == ("inf2", "Inferentia2", 2)


def test_a_trn3_is_told_from_its_chip(tmp_path):
    host = seen(fake_hosts.trn3(tmp_path))
    assert (host.generation, host.lnc, host.devices[0].memory_bytes) == ("trn3", 2, 144 * GIB)


@pytest.mark.parametrize(
    ("device_name", "instance_type", "generation"),
    [
        ("Trainium2", None, "trn2"),
        ("Trainium2", "trn1.2xlarge", "trn2"),
        ("Trainium", None, "trn1"),
        ("unknown", "trn2u.48xlarge", "trn2"),
        (None, "trn2p.48xlarge", "trn2"),
        (None, "trn1n.32xlarge", "trn1"),
        (None, "trn3sn.48xlarge", "trn3"),
        (None, "m7i.large", None),
        (None, None, None),
    ],
)
def test_the_generation_comes_from_the_chip_then_from_the_type(device_name, instance_type, generation):
    host = Host(TWO_MINUTES_PAST_TWO, instance_type=instance_type, device_name=device_name)
    assert host.generation == generation


@pytest.mark.parametrize(
    "name", ["KVM", "HVM domU", "Standard PC (i440FX + PIIX, 1996)", "VMware7,1", "Google Compute Engine", ""]
)
def test_a_product_name_of_other_machines_is_no_instance_type(tmp_path, name):
    host = seen(fake_hosts.other_machine(tmp_path, name))
    assert host.instance_type is None
    assert host.devices == ()


@pytest.mark.parametrize("name", ["trn2.3xlarge", "trn2u.48xlarge", "trn3-dev0.48xlarge", "u-6tb1.metal", "m7i.large"])
def test_a_product_name_of_ec2_is_the_instance_type(tmp_path, name):
    assert seen(fake_hosts.other_machine(tmp_path, name)).instance_type == name


def test_the_type_is_found_at_its_other_place_too(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    (root / "sys/class/dmi/id").unlink()
    assert seen(root).instance_type == "trn2.3xlarge"


def test_the_type_of_neuron_ls_stands_in_where_dmi_is_hidden(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    shutil.rmtree(root / "sys/devices/virtual/dmi")
    assert seen(root).instance_type == "trn2.3xlarge"


# Why there is none


def test_without_the_driver_there_is_no_device_and_it_says_so(tmp_path):
    root = fake_hosts.no_driver(tmp_path)
    host = seen(root)
    assert (host.devices, host.why_none, host.driver) == ((), "driver not loaded", None)
    assert fake_hosts.calls(root) == []


def test_a_container_without_devices_is_told_how_to_get_them(tmp_path):
    host = seen(fake_hosts.container_without_devices(tmp_path))
    assert (host.devices, host.why_none) == ((), "driver loaded, no /dev/neuron*")
    assert host.generation == "trn2"
    assert "--device=/dev/neuron0" in host.remarks[0]


@pytest.mark.parametrize("name", ["KVM", "m7i.large"])
def test_another_machine_is_called_what_it_is_not(tmp_path, name):
    assert seen(fake_hosts.other_machine(tmp_path, name)).why_none == "not an EC2 accelerator machine"


def test_an_empty_root_is_no_accelerator_machine(tmp_path):
    host = seen(tmp_path)
    assert (host.devices, host.why_none) == ((), "not an EC2 accelerator machine")


def test_this_machine_can_be_looked_at():
    host = look(Roots.below(None), dict(os.environ))
    assert bool(host.devices) != bool(host.why_none)


# /dev decides


def test_other_names_in_dev_are_no_devices(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    for name in ("neuron", "neuron1x", "neuron_1", "xneuron2"):
        (root / "dev" / name).write_text("")
    (root / "dev/neuron7").mkdir()
    assert list(core_ids(seen(root))) == [0]


def test_devices_are_in_the_order_of_their_numbers(tmp_path):
    assert list(core_ids(seen(fake_hosts.trn2_48xlarge(tmp_path)))) == list(range(16))


def test_a_container_has_only_the_device_that_it_got(tmp_path):
    host = seen(fake_hosts.container(tmp_path))
    assert core_ids(host) == {0: (0, 1, 2, 3)}
    assert host.instance_type == "trn2.48xlarge"
    assert host.remarks == ()


def test_in_a_container_a_holder_of_the_host_without_a_command_counts(tmp_path):
    host = seen(fake_hosts.container(tmp_path, held=True))
    assert host.devices[0].holders == (Holder(1966680, "", ""),)
    assert host.unused() == ()


def test_a_device_that_neuron_ls_renumbers_keeps_its_name_in_dev(tmp_path):
    host = seen(fake_hosts.container(tmp_path, 5, held=True))
    assert core_ids(host) == {5: (0, 1, 2, 3)}
    assert host.devices[0].in_use
    assert host.remarks == ("neuron-ls numbers the devices differently than /dev; they were matched in their order.",)


def test_devices_that_neuron_ls_lists_and_dev_has_not_do_not_count(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path)
    for index in range(16):
        if index not in (4, 5):
            (root / f"dev/neuron{index}").unlink()
    host = seen(root)
    assert core_ids(host) == {4: (16, 17, 18, 19), 5: (20, 21, 22, 23)}
    assert host.remarks == ("neuron-ls lists 16 devices, /dev has 2: only those count.",)


def test_a_device_that_neuron_ls_does_not_list_is_left_out(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    (root / "dev/neuron1").write_text("")
    host = seen(root)
    assert list(core_ids(host)) == [0]
    assert host.remarks == ("neuron-ls does not list /dev/neuron1: left out.",)


def test_where_the_numbers_do_not_fit_at_all_dev_and_sysfs_count(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path)
    for index in range(14):
        (root / f"dev/neuron{index}").unlink()
    write_list(root, {"neuron_device": 0, "neuroncore_ids": [0, 1], "neuron_processes": []})
    host = seen(root)
    assert core_ids(host) == {14: (0, 1, 2, 3), 15: (4, 5, 6, 7)}
    assert "do not fit together; those of /dev count" in host.remarks[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
def test_devices_that_this_user_may_not_open_are_told(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    (root / "dev/neuron0").chmod(0)
    assert seen(root).remarks == (f"This user may not open {root}/dev/neuron0.",)


# Cores and LNC


def test_ids_win_over_the_count_of_neuron_ls(tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    write_list(root, {"neuron_device": 0, "nc_count": 8, "neuroncore_ids": [0, 1, 2, 3], "neuron_processes": []})
    assert core_ids(seen(root)) == {0: (0, 1, 2, 3)}


def test_older_tools_without_ids_have_cores_counted_through(tmp_path):
    root = fake_hosts.trn1(tmp_path)
    fake_hosts.without_ids(root)
    host = seen(root)
    assert (core_ids(host)[0], core_ids(host)[15]) == ((0, 1), (30, 31))
    assert host.remarks == ()


def test_ids_that_two_devices_share_are_not_believed(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path)
    write_list(root, *({"neuron_device": i, "neuroncore_ids": [0, 1], "neuron_processes": []} for i in range(16)))
    host = seen(root)
    assert core_ids(host)[1] == (2, 3)
    assert host.remarks == ("The core ids of neuron-ls do not fit together; the cores were counted through.",)


@pytest.mark.parametrize(
    ("lay_out", "cores"),
    [
        (fake_hosts.trn2_3xlarge, 4),
        (fake_hosts.trn2_48xlarge, 64),
        (fake_hosts.trn1, 32),
        (fake_hosts.inf2, 2),
        (fake_hosts.trn3, 16),
        (fake_hosts.container, 4),
    ],
)
def test_without_neuron_ls_logical_cores_are_counted_from_sysfs(tmp_path, lay_out, cores):
    root = lay_out(tmp_path)
    fake_hosts.remove(root)
    host = seen(root)
    assert [core for device in host.devices for core in device.core_ids] == list(range(cores))
    assert host.remarks[0] == f"There is no neuron-ls, neither in {root}/opt/aws/neuron/bin nor on PATH."


@pytest.mark.parametrize("core_count", [None, "", "many", "0", "-8", "999"])
def test_without_neuron_ls_and_a_core_count_the_generation_tells(tmp_path, core_count):
    root = fake_hosts.trn2_3xlarge(tmp_path)
    fake_hosts.remove(root)
    device_file(root, 0, "core_count").unlink()
    if core_count is not None:
        device_file(root, 0, "core_count").write_text(core_count)
    assert core_ids(seen(root)) == {0: (0, 1, 2, 3)}


def test_lnc_of_the_environment_counts_where_neuron_ls_tells_none(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path)
    assert seen(root, NEURON_LOGICAL_NC_CONFIG="1").lnc == 2
    fake_hosts.remove(root)
    host = seen(root, NEURON_LOGICAL_NC_CONFIG="1")
    assert (host.lnc, host.cores) == (1, 128)


def test_lnc_of_the_hosts_file_counts_after_the_environment(tmp_path):
    root = fake_hosts.trn2_48xlarge(tmp_path)
    fake_hosts.remove(root)
    (root / "opt/aws/neuron/logical_nc_config").write_text("# set by the administrator\nNEURON_LOGICAL_NC_CONFIG=1\n")
    assert seen(root).lnc == 1
    assert seen(root, NEURON_LOGICAL_NC_CONFIG="2").lnc == 2


def test_an_lnc_that_cannot_be_is_passed_over_with_a_remark(tmp_path):
    root = fake_hosts.trn1(tmp_path)
    host = seen(root, NEURON_LOGICAL_NC_CONFIG="4")
    assert host.lnc == 1
    assert host.remarks == ("NEURON_LOGICAL_NC_CONFIG=4 of the environment is neither 1 nor 2.",)


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
