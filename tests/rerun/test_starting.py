"""Words for the log of a run."""

import pytest

from tui.rerun.devices import Allocation
from tui.rerun.starting import where_it_runs
from tui.rerun.waiting import Granted


@pytest.mark.parametrize(
    ("devices", "cores", "words"),
    [
        ((0,), (0,), "on core 0 of device 0"),
        ((0,), (0, 1), "on cores 0-1 of device 0"),
        ((1, 2), (4, 5, 6, 7, 8), "on cores 4-8 of devices 1-2"),
        ((), (0,), "on core 0, though there is no Neuron device here"),
    ],
)
def test_where_a_run_is_reads_well_for_one_and_for_several(devices, cores, words):
    assert where_it_runs(Granted(Allocation(devices, cores), None)) == words
