"""Looking at hosts that are laid out as trees, and changing what they say."""

import json
from datetime import UTC, datetime
from pathlib import Path

from tui.host.neuron import Host, Roots, look

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
