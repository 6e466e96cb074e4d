"""What is found on hosts of several kinds, laid out as trees with a neuron-ls that runs."""

import os
import shutil

import fake_hosts
import pytest
from neuron_looks import GIB, TWO_MINUTES_PAST_TWO, core_ids, device_file, seen, write_list

from tui.host.neuron import Device, Holder, Host, Roots, look

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
