"""Flags > environment > config file > defaults, and what is said about a value that does not fit."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tui import settings
from tui.errors import ConfigFileError, UsageError
from tui.settings import DEFAULT_DATASET, Settings, load


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"TRN_MODELS_CONFIG_DIR": str(tmp_path)}


def configure(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.toml").write_text(content, encoding="utf-8")


def test_with_nothing_set_the_hub_dataset_is_read(environ: dict[str, str]) -> None:
    found = load({"data": None, "sample": None}, environ)
    assert (found.dataset, found.revision, found.data) == (DEFAULT_DATASET, "main", None)
    assert (found.sample, found.offline, found.ascii, found.theme) == (False, False, None, None)
    assert (found.osc52_limit, found.neff_bucket, found.neff_cache_dir) == (74_994, None, None)
    assert found.state_dir.name == found.cache_dir.name == "trn-models"


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path, environ: dict[str, str]) -> None:
    configure(tmp_path, 'dataset = "acme/file"\nrevision = "file"\ntheme = "file"\n')
    environ |= {"TRN_MODELS_DATASET": "acme/env", "TRN_MODELS_REVISION": "env"}
    found = load({"dataset": "acme/flag", "revision": None}, environ)
    assert (found.dataset, found.revision, found.theme) == ("acme/flag", "env", "file")


def test_an_empty_variable_counts_as_not_set(tmp_path: Path, environ: dict[str, str]) -> None:
    configure(tmp_path, 'dataset = "acme/file"')
    assert load({}, environ | {"TRN_MODELS_DATASET": "", "TRN_MODELS_ASCII": ""}).dataset == "acme/file"


def test_every_setting_can_come_from_the_environment(environ: dict[str, str]) -> None:
    values = {
        "data": "records",
        "dataset": "acme/d",
        "revision": "abc",
        "sample": "yes",
        "offline": "ON",
        "ascii": "0",
        "theme": "nord",
        "neff_bucket": "s3://acme/neffs",
        "neff_cache_dir": "/neffs",
        "osc52_limit": "5000",
        "python": "docker exec -i neuron python",
        "any_host": "1",
        "host_root": "/host",
        "bell": "no",
        "log_limit": "1000000",
        "cache_dir": "/c",
        "state_dir": "/s",
    }
    assert values.keys() | {"config_dir"} == {item.name for item in fields(Settings)}
    found = load({}, environ | {f"TRN_MODELS_{name.upper()}": value for name, value in values.items()})
    assert found == Settings(
        data=Path("records"),
        dataset="acme/d",
        revision="abc",
        sample=True,
        offline=True,
        ascii=False,
        theme="nord",
        neff_bucket="s3://acme/neffs",
        neff_cache_dir=Path("/neffs"),
        osc52_limit=5000,
        python="docker exec -i neuron python",
        any_host=True,
        host_root=Path("/host"),
        bell=False,
        log_limit=1_000_000,
        cache_dir=Path("/c"),
        state_dir=Path("/s"),
        config_dir=Path(environ["TRN_MODELS_CONFIG_DIR"]),
    )


def test_types_of_the_file_are_taken(tmp_path: Path, environ: dict[str, str]) -> None:
    configure(tmp_path, "ascii = true\noffline = false\nosc52_limit = 0\n")
    found = load({}, environ)
    assert (found.ascii, found.offline, found.osc52_limit) == (True, False, 0)


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_use_of_hugging_face_is_respected(environ: dict[str, str], variable: str) -> None:
    assert load({}, environ | {variable: "1"}).offline
    assert not load({}, environ | {variable: "0"}).offline
    assert not load({}, environ | {variable: "1", "TRN_MODELS_OFFLINE": "0"}).offline


def test_the_neff_cache_of_the_stack_is_used_unless_another_is_set(environ: dict[str, str]) -> None:
    environ["TORCH_NEURONX_NEFF_CACHE_DIR"] = "~/neffs"
    assert load({}, environ).neff_cache_dir == Path.home() / "neffs"
    assert load({}, environ | {"TRN_MODELS_NEFF_CACHE_DIR": "/other"}).neff_cache_dir == Path("/other")


def test_folders_stay_the_same_when_the_current_one_changes(environ: dict[str, str]) -> None:
    found = load({"data": Path("records")}, environ | {"TRN_MODELS_STATE_DIR": "state"})
    assert found.state_dir == Path.cwd() / "state"
    assert found.data == Path("records")


def test_the_config_folder_may_start_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    configure(tmp_path, 'theme = "nord"')
    assert load({}, {"TRN_MODELS_CONFIG_DIR": "~"}).theme == "nord"


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        ("ascii = 'maybe'", ["«maybe» is no value for ascii", "Give true or false."]),
        ("osc52_limit = -1", ["«-1» is no value for osc52_limit", "Give a whole number of bytes, 0 or more."]),
        ("osc52_limit = inf", ["«inf» is no value for osc52_limit"]),
        ("osc52_limit = 1.5", ["«1.5» is no value for osc52_limit"]),
        ("osc52_limit = true", ["«True» is no value for osc52_limit"]),
        ("dataset = 5", ["«5» is no value for dataset", "Give the id of a dataset on the Hub, ORG/NAME:"]),
        ("dataset = ' '", ["« » is no value for dataset"]),
        ("data = ['a']", ["is no value for data", "Give a path."]),
        ("state_dir = '~no-such-user/x'", ["«~no-such-user/x» is no value for state_dir", "Give the whole path."]),
        ("them = 'nord'", ["Unknown setting «them»", "Known settings: any_host, ascii, bell,"]),
        ("[table]", ["Unknown setting «table»"]),
        ("theme = nord", ["The config file cannot be read", "(at line 1, column 9)"]),
    ],
)
def test_a_value_of_the_file_that_does_not_fit_is_named_with_the_file(
    tmp_path: Path, environ: dict[str, str], content: str, sentences: list[str]
) -> None:
    configure(tmp_path, content)
    with pytest.raises(UsageError) as raised:
        load({}, environ)
    for sentence in [*sentences, str(tmp_path / "config.toml")]:
        assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("flags", "variables", "origin"),
    [
        ({}, {"TRN_MODELS_OFFLINE": "perhaps"}, "TRN_MODELS_OFFLINE"),
        ({}, {"TRN_MODELS_OSC52_LIMIT": "5 KB"}, "TRN_MODELS_OSC52_LIMIT"),
        ({}, {"TORCH_NEURONX_NEFF_CACHE_DIR": "~no-such-user/x"}, "TORCH_NEURONX_NEFF_CACHE_DIR"),
        ({"data": ""}, {}, "--data"),
        ({"revision": ""}, {}, "--revision"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_where_it_comes_from(
    environ: dict[str, str], flags: dict[str, Any], variables: dict[str, str], origin: str
) -> None:
    with pytest.raises(UsageError, match="is no value for") as raised:
        load(flags, environ | variables)
    assert f"It comes from {origin}" in raised.value.detail


def test_a_config_file_in_another_encoding_is_named(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "config.toml").write_bytes(b"theme = '\xff'")
    with pytest.raises(UsageError, match="cannot be read"):
        load({}, environ)


def test_a_config_folder_that_is_a_file_has_no_config(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert load({}, {"TRN_MODELS_CONFIG_DIR": str(tmp_path / "file")}).theme is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_a_home_that_is_closed_to_this_user_has_no_config(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o700)
    configure(closed, 'theme = "nord"')
    assert as_nobody(f"print(load({{}}, {{'TRN_MODELS_CONFIG_DIR': {str(closed)!r}}}).theme)") == "None"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a link to another user")
def test_a_link_that_another_user_made_in_a_shared_folder_is_not_followed(tmp_path: Path) -> None:
    shared, target = tmp_path / "shared", tmp_path / "target"
    target.mkdir()
    shared.mkdir()
    shared.chmod(0o1777)
    link = shared / "trn"
    link.symlink_to(target)
    given = {"TRN_MODELS_STATE_DIR": str(link / "state")}
    assert load({}, given, config_file=False).state_dir == link / "state"  # one's own
    os.chown(link, 54321, 54321, follow_symlinks=False)
    with pytest.raises(UsageError) as caught:
        load({}, given, config_file=False)
    assert caught.value.title == f"{link / 'state'} leads through a link of another user"
    assert str(link) in caught.value.detail
    shared.chmod(0o755)  # only its owner can have let it in
    assert load({}, given, config_file=False).state_dir == link / "state"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_a_user_without_a_home_gets_a_private_folder_among_the_temporary_ones() -> None:
    with tempfile.TemporaryDirectory() as shared:
        Path(shared).chmod(0o1777)
        folders = as_nobody(f"tempfile.tempdir = {shared!r}; print(Settings().cache_dir, Settings().state_dir)")
        home = Path(shared) / "trn-models-54321"
        assert folders == f"{home}/cache {home}/state"
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        home.rename(f"{home}-moved")
        home.mkdir(0o700)  # now it is root's
        other = as_nobody(f"tempfile.tempdir = {shared!r}; print(Settings().cache_dir)")
        assert other.startswith(f"{shared}/trn-models-")
        assert Path(other).parent != home
        os.chown(home, 54321, 54321)
        home.chmod(0o777)  # it is this user's, and was open to everybody
        assert Path(as_nobody(f"tempfile.tempdir = {shared!r}; print(Settings().cache_dir)")).parent != home


def as_nobody(line: str) -> str:
    """What a line prints that runs as a user who is not in the list of users and has no HOME."""
    program = (
        "import os, tempfile\nfrom tui.settings import Settings, load\n"
        f"os.setgroups([]); os.setgid(54321); os.setuid(54321)\n{line}\n"
    )
    environ = {name: value for name, value in os.environ.items() if name != "HOME" and not name.startswith("XDG_")}
    return subprocess.check_output([sys.executable, "-c", program], text=True, env=environ).strip()


def test_the_limit_for_a_terminal_is_what_a_hundred_thousand_bytes_can_carry() -> None:
    sequence = len("\x1b]52;c;") + len("\x07") + (settings.DEFAULT_OSC52_LIMIT + 2) // 3 * 4
    assert 99_990 <= sequence <= 100_000


@pytest.mark.parametrize(
    "text",
    [
        "acme/support", "support", "Acme-1/a.b_c-d", "a" * 96 + "/" + "b" * 96, "_acme/x_", "a b", "a/b/c", "", "/a",
        "a/", "-a/b", "a/-b", "a/b-", "a.", "a/b.", "a--b/c", "a/b..c", "a/b.git", "a.git/b", "é/b", "a/b\n", "a" * 97,
        "a/" + "b" * 97, "https://huggingface.co/datasets/a/b", "datasets/a/b", "a/b?x", "-.-",
    ],
)  # fmt: skip
def test_a_dataset_is_what_the_library_of_the_hub_takes_for_one(text: str, environ: dict[str, str]) -> None:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(text)
    except HFValidationError:
        if text.strip() == text:  # around an id, spaces are taken off
            with pytest.raises(UsageError, match="is no value for dataset"):
                load({"dataset": text}, environ)
    else:
        assert load({"dataset": text}, environ).dataset == text


def test_the_config_file_can_be_left_out(tmp_path: Path, environ: dict[str, str]) -> None:
    for content in ("not toml", "nonsense = 1", "offline = 'perhaps'"):
        configure(tmp_path, content)
        with pytest.raises(ConfigFileError):
            load({}, environ)
        assert load({"revision": "v2"}, environ | {"TRN_MODELS_ASCII": "1"}, config_file=False) == Settings(
            revision="v2", ascii=True, config_dir=tmp_path
        )
    configure(tmp_path, "")
    with pytest.raises(UsageError) as raised:
        load({}, environ | {"TRN_MODELS_ASCII": "perhaps"})
    assert not isinstance(raised.value, ConfigFileError)
