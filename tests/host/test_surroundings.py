"""What is around a run: disks, token, weights, logout."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tui.host.surroundings import (
    can_be_written,
    free_bytes,
    has_token,
    hub_cache,
    lingers,
    logout_kills,
    look_around,
    weights_here,
)
from tui.settings import Settings

TOKEN = "hf_abcdefghijklmnopqrstuvwxyz"


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_free_space_is_that_of_the_nearest_folder_that_exists(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "not" / "yet" / "there") == pytest.approx(shutil.disk_usage(tmp_path).free, abs=1e9)
    file = write(tmp_path / "file")
    assert free_bytes(file / "below") is not None
    assert free_bytes(Path("a\0b")) is None


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({}, "/home/alice/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/xdg"}, "/xdg/huggingface/hub"),
        ({"HF_HOME": "~/hf", "XDG_CACHE_HOME": "/xdg"}, "/home/alice/hf/hub"),
        ({"HF_HOME": "$SCRATCH/hf", "SCRATCH": "/scratch"}, "/scratch/hf/hub"),
        ({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/hf"}, "/old"),
        ({"HF_HUB_CACHE": "/new", "HUGGINGFACE_HUB_CACHE": "/old"}, "/new"),
    ],
)
def test_the_cache_is_where_huggingface_hub_puts_it(environ: dict[str, str], folder: str) -> None:
    assert hub_cache({"HOME": "/home/alice", **environ}) == Path(folder)


def test_a_token_is_found_in_variables_and_in_its_file(tmp_path: Path) -> None:
    home = {"HF_HOME": str(tmp_path)}
    assert not has_token(home)
    assert has_token({**home, "HF_TOKEN": TOKEN})
    assert has_token({**home, "HUGGING_FACE_HUB_TOKEN": TOKEN})
    assert not has_token({**home, "HF_TOKEN": " "})
    write(tmp_path / "token", "\n")
    assert not has_token(home)
    write(tmp_path / "token", TOKEN)
    assert has_token(home)
    assert not has_token({**home, "HF_TOKEN_PATH": str(tmp_path / "elsewhere")})


def snapshot(cache: Path, *names: str) -> Path:
    folder = cache / "models--acme--Model" / "snapshots" / "abc"
    for name in names:
        blob = write(cache / "models--acme--Model" / "blobs" / name.replace("/", "-"))
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
    return folder


def test_weights_are_here_when_a_snapshot_has_them_all(tmp_path: Path) -> None:
    assert not weights_here(tmp_path, "acme/Model")
    snapshot(tmp_path, "config.json")
    assert not weights_here(tmp_path, "acme/Model")
    snapshot(tmp_path, "model-00001-of-00002.safetensors")
    assert not weights_here(tmp_path, "acme/Model")
    folder = snapshot(tmp_path, "model-00002-of-00002.safetensors", "unet/other.bin")
    assert weights_here(tmp_path, "acme/Model")
    (folder / "model-00001-of-00002.safetensors").resolve().unlink()
    assert not weights_here(tmp_path, "acme/Model")


def test_a_download_under_way_is_not_here(tmp_path: Path) -> None:
    snapshot(tmp_path, "model.safetensors")
    write(tmp_path / "models--acme--Model" / "blobs" / "1234.abcd.incomplete")
    assert not weights_here(tmp_path, "acme/Model")


@pytest.mark.parametrize("model_id", ["../../etc", "a\0b", "x" * 5000, ""])
def test_odd_ids_have_no_weights(tmp_path: Path, model_id: str) -> None:
    assert not weights_here(tmp_path, model_id)


def systemd(root: Path, main: str = "[Login]\n#KillUserProcesses=no\n") -> Path:
    (root / "run/systemd/system").mkdir(parents=True)
    write(root / "etc/systemd/logind.conf", main)
    return root


def test_without_systemd_nothing_is_known_of_logout(tmp_path: Path) -> None:
    write(tmp_path / "etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n")
    assert logout_kills(tmp_path, "alice") is None


@pytest.mark.parametrize(
    ("main", "kills"),
    [
        ("[Login]\n#KillUserProcesses=no\n", False),
        ("[Login]\n#KillUserProcesses=yes\n", True),
        ("[Login]\n#KillUserProcesses=no\nKillUserProcesses = yes\n", True),
        ("[Login]\nKillUserProcesses=yes\nKillUserProcesses=no\n", False),
        ("[Login]\nKillUserProcesses=yes\nKillExcludeUsers=alice bob\n", False),
        ("[Login]\nKillUserProcesses=yes\nKillOnlyUsers=bob\n", False),
        ("[Login]\n", None),
    ],
)
def test_logind_tells_what_a_logout_does(tmp_path: Path, main: str, kills: bool | None) -> None:
    assert logout_kills(systemd(tmp_path, main), "alice") is kills


def test_root_is_left_alone_unless_that_is_changed(tmp_path: Path) -> None:
    systemd(tmp_path, "[Login]\nKillUserProcesses=yes\n#KillExcludeUsers=root\n")
    assert logout_kills(tmp_path, "root") is False
    write(tmp_path / "etc/systemd/logind.conf.d/10.conf", "[Login]\nKillExcludeUsers=\n")
    assert logout_kills(tmp_path, "root") is True


def test_drop_ins_win_by_name_and_those_of_etc_hide_their_namesakes(tmp_path: Path) -> None:
    systemd(tmp_path)
    write(tmp_path / "usr/lib/systemd/logind.conf.d/50-kill.conf", "[Login]\nKillUserProcesses=yes\n")
    assert logout_kills(tmp_path, "alice") is True
    write(tmp_path / "etc/systemd/logind.conf.d/50-kill.conf", "")
    assert logout_kills(tmp_path, "alice") is False
    write(tmp_path / "run/systemd/logind.conf.d/60-kill.conf", "[Login]\nKillUserProcesses=yes\n")
    assert logout_kills(tmp_path, "alice") is True


def test_linger_keeps_the_run(tmp_path: Path) -> None:
    systemd(tmp_path, "[Login]\nKillUserProcesses=yes\n")
    assert not lingers(tmp_path, "alice")
    write(tmp_path / "var/lib/systemd/linger/alice", "")
    assert lingers(tmp_path, "alice")
    assert logout_kills(tmp_path, "alice") is False
    assert logout_kills(tmp_path, "bob") is True


def test_all_is_looked_at_together(tmp_path: Path, settings: Settings) -> None:
    systemd(tmp_path / "root", "[Login]\nKillUserProcesses=yes\n")
    snapshot(tmp_path / "hf" / "hub", "model.safetensors")
    environ = {"HF_HOME": str(tmp_path / "hf"), "HF_TOKEN": TOKEN}
    found = look_around(settings, "acme/Model", tmp_path / "neffs", environ, root=tmp_path / "root", user="alice")
    assert [(disk.name, disk.folder) for disk in found.disks] == [
        ("Hugging Face cache", tmp_path / "hf" / "hub"),
        ("NEFF cache", tmp_path / "neffs"),
        ("run folder", settings.state_dir / "runs"),
    ]
    assert all(disk.free_bytes for disk in found.disks)
    assert (found.has_token, found.weights_here, found.logout_kills) == (True, True, True)
    assert TOKEN not in repr(found)


def test_the_cache_is_the_one_that_huggingface_hub_uses() -> None:
    # The library reads the environment once, at import; tests/conftest.py set it before.
    constants = pytest.importorskip("huggingface_hub.constants")
    environ = {**os.environ, "HF_HOME": constants.HF_HOME}
    assert str(hub_cache(environ)) == constants.HF_HUB_CACHE


def test_a_folder_can_be_written_where_the_nearest_that_exists_can(tmp_path: Path) -> None:
    assert can_be_written(tmp_path / "not" / "yet" / "there")
    assert not can_be_written(write(tmp_path / "file") / "below")
    assert not can_be_written(Path("/proc/self/below"))
