"""From a record to the lines that a person pastes into a shell."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui.catalog.neff_bucket import Bucket
from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.verdict import Record, Verdict
from tui.rerun.recipe import cache_command, recipe_of

FOLDER = Path("/shared/neffs")
COMPILER = "2.28.7631.0"


def record(**values: Any) -> Record:
    all_values: dict[str, Any] = dict.fromkeys(set(COLUMN_NAMES) - LONG_TEXT)
    return Record({**all_values, **values}, {}, {}, 0, 0, Verdict.PASS)


def bucket(address: str, *folders: str, candidate: bool = False, listed: bool = True) -> Bucket:
    return Bucket(address, "dataset card, line 12", "Graphs: here", candidate, folders if listed else None)


# packages


def test_the_install_line_names_library_transformers_and_accelerate_once_each() -> None:
    recipe = recipe_of(
        record(library="transformers", library_version="5.23.1", transformers="5.23.1", accelerate="1.9.0"),
        None,
    )
    assert recipe.install_line == "pip install transformers==5.23.1 accelerate==1.9.0"
    assert " ".join(recipe.left_out) == ""


def test_another_library_comes_first_under_its_name_on_the_package_index() -> None:
    recipe = recipe_of(
        record(
            library="sentence_transformers",
            library_version="6.1.0",
            transformers="5.23.1",
            accelerate="1.9.0",
        ),
        None,
    )
    assert recipe.install_line == "pip install sentence-transformers==6.1.0 transformers==5.23.1 accelerate==1.9.0"


def test_a_version_that_is_not_recorded_is_never_invented() -> None:
    recipe = recipe_of(record(library="transformers", library_version="5.23.1", transformers="5.23.1"), None)
    assert recipe.install_line == "pip install transformers==5.23.1"
    assert " ".join(recipe.left_out) == "accelerate: no version is recorded, so it is left out."


def test_without_any_version_there_is_no_install_line_and_a_reason() -> None:
    recipe = recipe_of(record(), None)
    assert recipe.install_line == ""
    assert "The record names no library." in " ".join(recipe.left_out)
    assert "transformers: no version is recorded" in " ".join(recipe.left_out)


@pytest.mark.parametrize(
    "version",
    [
        "5.23.1; rm -rf ~",
        "5.23.1 --index-url=http://x.example",
        "$(id)",
        "None",
        "5.*",
        "1\n2",
        "9" * 5000,
        "",
    ],
)
def test_only_what_is_a_version_gets_into_the_install_line(version: str) -> None:
    recipe = recipe_of(record(library="transformers", library_version=version, accelerate="1.9.0"), None)
    assert recipe.install_line == "pip install accelerate==1.9.0"
    assert "transformers: " in " ".join(recipe.left_out)
    assert "\n" not in " ".join(recipe.left_out)


@pytest.mark.parametrize("library", ["-r/etc/passwd", "a b", "../x", "git+https://x.example/y", "x;y", "\x1b]0;x\x07"])
def test_only_what_is_a_package_name_gets_into_the_install_line(library: str) -> None:
    recipe = recipe_of(record(library=library, library_version="1.0", transformers="5.23.1"), None)
    assert recipe.install_line == "pip install transformers==5.23.1"
    assert "is not a package name" in " ".join(recipe.left_out)
    assert "\x1b" not in " ".join(recipe.left_out)


def test_a_version_with_odd_spelling_is_written_as_pip_spells_it() -> None:
    recipe = recipe_of(record(library="Transformers", library_version=" v5.24.0-rc1 "), None)
    assert recipe.install_line == "pip install transformers==5.24.0rc1"


def test_a_package_of_the_stack_is_never_installed_over_it() -> None:
    recipe = recipe_of(record(library="torch", library_version="2.14.0", transformers="5.23.1"), None)
    assert recipe.install_line == "pip install transformers==5.23.1"
    assert "torch belongs to the stack" in " ".join(recipe.left_out)


def test_two_recorded_versions_of_one_package_are_told() -> None:
    recipe = recipe_of(record(library="transformers", library_version="5.23.1", transformers="5.23.0"), None)
    assert recipe.install_line == "pip install transformers==5.23.1"
    assert "transformers: 5.23.0 is recorded as well; 5.23.1 is used." in " ".join(recipe.left_out)


def test_the_stack_is_listed_as_recorded_and_null_stays_null() -> None:
    recipe = recipe_of(record(torch_neuronx="2.14.3.0.1", torch="2.14.0", neuronx_cc=COMPILER, python=""), None)
    assert recipe.stack == (
        ("torch-neuronx", "2.14.3.0.1"),
        ("torch", "2.14.0"),
        ("neuronx-cc", COMPILER),
        ("nki", None),
        ("python", ""),
        ("driver", None),
    )


# script


def test_the_script_is_counted_and_hashed_as_its_bytes() -> None:
    text = "import torch\nprint('é')"
    recipe = recipe_of(record(), text)
    assert (recipe.script, recipe.script_lines, recipe.script_bytes) == (text, 2, 24)
    assert recipe.script_sha256 == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\x0cb\r\n", 1)])
def test_lines_of_a_script_are_counted_like_an_editor_does(text: str, lines: int) -> None:
    assert recipe_of(record(), text).script_lines == lines


def test_no_script_is_not_an_empty_script() -> None:
    assert (recipe_of(record(), None).script, recipe_of(record(), None).script_sha256) == (None, "")
    assert recipe_of(record(), "").script_sha256 == hashlib.sha256(b"").hexdigest()


# cache command


def test_the_folder_of_this_compiler_is_synced_from_a_bucket_on_the_hub() -> None:
    found = bucket(
        "hf://buckets/acme/neffs",
        "neuronxcc-2.27.5334.0",
        f"neuronxcc-{COMPILER}",
        f"neuronxcc-{COMPILER}/ab",
    )
    command = cache_command(found, COMPILER, FOLDER)
    assert command.line == f"hf buckets sync hf://buckets/acme/neffs/neuronxcc-{COMPILER} /shared/neffs"
    assert command.source == "dataset card, line 12: Graphs: here"
    assert "The bucket has a folder for neuronx-cc 2.28.7631.0." in command.note
    assert not command.candidate


def test_s3_is_synced_without_credentials() -> None:
    command = cache_command(bucket("s3://acme-neffs/{neuronx_cc}", listed=False), COMPILER, FOLDER)
    assert command.line == f"aws s3 sync --no-sign-request s3://acme-neffs/{COMPILER} /shared/neffs"
    assert "not looked up" in command.note


def test_a_bucket_without_a_folder_of_this_compiler_is_synced_whole_and_says_so() -> None:
    command = cache_command(bucket("hf://buckets/acme/neffs", "2.27.5334.0"), COMPILER, FOLDER)
    assert command.line == "hf buckets sync hf://buckets/acme/neffs /shared/neffs"
    assert "No folder for neuronx-cc 2.28.7631.0 was seen" in command.note


@pytest.mark.parametrize("folder", ["12.28.7631.0", "2.28.7631.01", "2.28.7631.0.1", "2.28.7631.0+abc"])
def test_a_longer_version_is_another_compiler(folder: str) -> None:
    command = cache_command(bucket("hf://buckets/acme/neffs", folder), COMPILER, FOLDER)
    assert command.line == "hf buckets sync hf://buckets/acme/neffs /shared/neffs"


def test_a_bucket_that_was_not_listed_says_so() -> None:
    command = cache_command(bucket("s3://acme-neffs", listed=False), COMPILER, FOLDER)
    assert command.line == "aws s3 sync --no-sign-request s3://acme-neffs /shared/neffs"
    assert "was not looked up; all of it is fetched" in command.note


@pytest.mark.parametrize("address", ["hf://buckets/acme/gone", "hf://buckets/acme/gone/{neuronx_cc}"])
def test_from_a_bucket_that_the_hub_does_not_have_nothing_is_fetched(address: str) -> None:
    gone = replace(bucket(address, listed=False), trouble="The Hub has no such bucket, or it is private.")
    command = cache_command(gone, COMPILER, FOLDER)
    assert command.argv == ()
    assert f"{address}: The Hub has no such bucket, or it is private. Name one yourself" in command.note
    assert "not looked up" not in command.note


def test_a_bucket_whose_folders_could_not_be_listed_says_that() -> None:
    silent = replace(bucket("hf://buckets/acme/neffs", listed=False), trouble="Its folders could not be listed: x.")
    command = cache_command(silent, COMPILER, FOLDER)
    assert command.line == "hf buckets sync hf://buckets/acme/neffs /shared/neffs"
    assert "Its folders could not be listed: x. The run needs" in command.note


def test_only_folders_under_the_found_address_count() -> None:
    found = bucket("hf://buckets/acme/neffs/trn2", f"trn1/{COMPILER}", f"trn2/v{COMPILER}", f"trn2/v{COMPILER}/ab/cd")
    assert f"hf://buckets/acme/neffs/trn2/v{COMPILER} " in cache_command(found, COMPILER, FOLDER).line


@pytest.mark.parametrize(
    "address",
    [
        "hf://buckets/acme/neffs/neuronxcc-{neuronx_cc}",
        "hf://buckets/acme/neffs/neuronxcc-${NEURONX_CC_VERSION}",
        "hf://buckets/acme/neffs/neuronxcc-<version>",
        "hf://buckets/acme/neffs/neuronxcc-%s",
        "hf://buckets/acme/neffs/neuronxcc-{{ compiler_version }}",
        "hf://buckets/acme/neffs/neuronxcc-$CC",
        "hf://buckets/acme/neffs/neuronxcc-{}",
        "hf://buckets/acme/neffs/neuronxcc-2.27.5334.0",
    ],
)
def test_placeholders_and_other_compilers_give_way_to_this_one(address: str) -> None:
    command = cache_command(bucket(address, listed=False), COMPILER, FOLDER, ["2.27", "2.27.5334.0", COMPILER])
    assert command.line == f"hf buckets sync hf://buckets/acme/neffs/neuronxcc-{COMPILER} /shared/neffs"


def test_a_replaced_version_is_told() -> None:
    command = cache_command(bucket("s3://acme-neffs/2.27.5334.0", listed=False), COMPILER, FOLDER, ["2.27.5334.0"])
    assert "2.27.5334.0 in the address was replaced." in command.note


def test_a_placeholder_for_something_else_gives_no_command() -> None:
    command = cache_command(bucket("s3://acme-neffs/{model_id}/{neuronx_cc}"), COMPILER, FOLDER)
    assert command.line == ""
    assert "{model_id}" in command.note


@pytest.mark.parametrize("compiler", [None, "", "  "])
def test_a_record_without_a_compiler_has_no_command(compiler: str | None) -> None:
    command = cache_command(bucket("hf://buckets/acme/neffs"), compiler, FOLDER)
    assert command.line == ""
    assert "names no neuronx-cc version" in command.note


@pytest.mark.parametrize("compiler", ["2.28/../..", "2.28; id", "$(id)", "\x1b[2J", "-2"])
def test_a_compiler_that_is_no_version_never_gets_into_a_command(compiler: str) -> None:
    command = cache_command(bucket("s3://acme-neffs/{neuronx_cc}"), compiler, FOLDER)
    assert command.line == ""
    assert "\x1b" not in command.note


def test_without_a_bucket_nothing_is_made_up_and_the_way_to_set_one_is_told() -> None:
    command = cache_command(None, COMPILER, FOLDER)
    assert (command.line, command.source) == ("", "")
    assert "TRN_MODELS_NEFF_BUCKET" in command.note
    assert "neff_bucket = " in command.note


def test_a_candidate_says_that_it_is_unverified() -> None:
    command = cache_command(bucket("hf://buckets/acme/neffs", candidate=True), COMPILER, FOLDER)
    assert command.candidate
    assert command.note.startswith("A candidate, unverified")


def test_the_folder_that_the_run_must_be_told_is_named() -> None:
    note = cache_command(bucket("hf://buckets/acme/neffs"), COMPILER, Path("/shared/my neffs")).note
    assert "TORCH_NEURONX_NEFF_CACHE_DIR='/shared/my neffs'" in note
    assert "/tmp/neff_cache, which all users of a host share" in note


def test_without_a_set_folder_the_users_own_cache_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_command(bucket("hf://buckets/acme/neffs"), COMPILER, None).destination == tmp_path / "neff_cache"


def test_a_folder_with_spaces_is_quoted_in_the_line() -> None:
    command = cache_command(bucket("hf://buckets/acme/neffs"), COMPILER, Path("/shared/my neffs; x"))
    assert shlex.split(command.line) == [
        "hf",
        "buckets",
        "sync",
        "hf://buckets/acme/neffs",
        "/shared/my neffs; x",
    ]


def test_the_home_folder_is_a_tilde_on_screen_only_and_never_inside_quotes() -> None:
    home = Path("/home/ada")
    plain = cache_command(bucket("hf://buckets/acme/neffs"), COMPILER, home / ".cache/neff_cache")
    assert plain.shown(home) == "hf buckets sync hf://buckets/acme/neffs ~/.cache/neff_cache"
    assert plain.line.endswith(" /home/ada/.cache/neff_cache")
    quoted = cache_command(bucket("hf://buckets/acme/neffs"), COMPILER, home / "my neffs")
    assert quoted.shown(home) == quoted.line
    assert cache_command(None, COMPILER, home).shown(home) == ""


def test_folder_names_that_a_shell_or_path_could_misread_are_not_used() -> None:
    found = bucket("hf://buckets/acme/neffs", f"$(id)-{COMPILER}", f"../{COMPILER}")
    assert cache_command(found, COMPILER, FOLDER).line == "hf buckets sync hf://buckets/acme/neffs /shared/neffs"
