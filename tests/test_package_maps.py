"""The docstrings that list the modules of a package."""

import re
from pathlib import Path

import pytest

import tui.host
import tui.rerun


@pytest.mark.parametrize("package", [tui.host, tui.rerun])
def test_the_map_of_a_package_names_each_of_its_modules_once(package):
    listed = re.findall(r"^    (\w+) ", package.__doc__, re.MULTILINE)
    there = {path.stem for path in Path(package.__file__).parent.glob("*.py")} - {"__init__"}
    assert sorted(listed) == sorted(there)
