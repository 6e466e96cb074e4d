"""recipe.json: what of a plan is kept, what is a secret, and the plan to run it again."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from run_folders import end, plan, stored

from tui.errors import TrnModelsError
from tui.rerun import runs
from tui.rerun.secret_values import looks_secret
from tui.settings import Settings

SCRIPT = "print('ä')\r\nprint('\udce9')\n"
"""With an end of line that must stay, and a byte that is no UTF-8."""


# What is secret


SECRETS = (
    "HF_TOKEN HUGGING_FACE_HUB_TOKEN AWS_SECRET_ACCESS_KEY API_KEY OPENAI_APIKEY DB_PASSWORD MYSQL_PASSWD "
    "GOOGLE_CREDENTIALS BASIC_AUTH AUTHORIZATION my_key KEY"
)


@pytest.mark.parametrize("name", SECRETS.split())
def test_names_of_secrets(name):
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name", ["PATH", "TOKENIZERS_PARALLELISM", "MAX_NEW_TOKENS", "KEYBOARD", "MONKEY", "AUTHOR", "NEURON_RT_NUM_CORES"]
)
def test_names_that_are_none(name):
    assert not looks_secret(name)


def everything_written(settings: Settings) -> bytes:
    return b"".join(path.read_bytes() for path in settings.state_dir.rglob("*") if path.is_file())


def test_no_secret_is_written_and_the_names_are(settings, monkeypatch):
    made = runs.create(
        settings,
        plan(
            argv=("python", "run.py", "--token=hf_abc123", "hf_abc"),
            hidden={"HF_TOKEN": "hf_abc", "LONGER": "hf_abc123"},
            environment={"MY_API_KEY": "swordfish", "URL": "https://me:hf_abc@host", "PLAIN": "1"},
            elsewhere=("docker", "exec", "-e", "MY_API_KEY=swordfish", "box", "python"),
            about={"note": ["said hf_abc123"], "record": {"tp": 8}},
        ),
    )
    monkeypatch.setenv("HF_TOKEN", "hf_abc")
    end(made, killed=("pid 4711 python run.py hf_abc (SIGKILL)",), note="hf_abc is still alive")
    written = everything_written(settings)
    for secret in (b"hf_abc", b"swordfish"):
        assert secret not in written
    recipe = stored(made, "recipe.json")
    assert recipe["hidden"] == ["HF_TOKEN", "LONGER", "MY_API_KEY"]
    assert recipe["argv"] == ["python", "run.py", "--token=(not kept: LONGER)", "(not kept: HF_TOKEN)"]
    assert recipe["environment"] == {
        "MY_API_KEY": "(not kept)",
        "URL": "https://me:(not kept: HF_TOKEN)@host",
        "PLAIN": "1",
    }
    assert recipe["note"] == ["said (not kept: LONGER)"]
    assert runs.read(made.folder).outcome.killed == ("pid 4711 python run.py (not kept: HF_TOKEN) (SIGKILL)",)


def test_what_is_no_longer_known_is_taken_from_the_environment_of_whoever_runs_it(settings, monkeypatch):
    made = runs.create(
        settings,
        plan(argv=("a", "--token=hf_old"), hidden={"HF_TOKEN": "hf_old"}, environment={"A_KEY": "1234", "B": "2"}),
    )
    monkeypatch.delenv("HF_TOKEN", raising=False)
    assert runs.plan_of(made).argv == ("a", "--token=(not kept: HF_TOKEN)")
    monkeypatch.setenv("HF_TOKEN", "hf_new")
    again = runs.plan_of(made)
    assert again.argv == ("a", "--token=hf_new")
    assert again.environment == {"B": "2"}, "a secret comes from the environment, and never as «(not kept)»"
    assert again.hidden == {}


def test_a_value_that_is_too_short_for_a_secret_does_not_spoil_the_record(settings):
    made = runs.create(settings, plan(hidden={"DEBUG_AUTH": "1"}, about={"record": {"tp": "16"}}))
    assert made.recipe["record"] == {"tp": "16"}


# The plan of a run


def test_the_script_is_kept_byte_for_byte_so_that_its_hash_fits(settings):
    made = runs.create(settings, plan(script=SCRIPT))
    content = (made.folder / "run.py").read_bytes()
    assert content == SCRIPT.encode("utf-8", "surrogatepass")
    assert hashlib.sha256(content).hexdigest() == made.recipe["sha256"]


def test_the_plan_of_a_run_is_the_plan_it_was_made_of(settings):
    asked = plan(
        script=SCRIPT,
        cores=8,
        any_host=True,
        queue=True,
        edited=True,
        recorded_sha256="0" * 64,
        elsewhere=("docker", "exec", "-i", "box", "python"),
        environment={"PATH": "/bin"},
        about={"record": {"tp": "8"}, "host": {"cores": 4}},
    )
    found = runs.plan_of(runs.create(settings, asked))
    assert found == replace(asked, environment={"PATH": "/bin"}, about={"record": {"tp": "8"}, "host": {"cores": 4}})
    assert runs.plan_of(runs.create(settings, asked), queue=False).queue is False


def test_a_run_py_that_was_changed_in_the_folder_counts_as_edited(settings):
    made = runs.create(settings, plan())
    assert not runs.plan_of(made).edited
    (made.folder / "run.py").write_text("print(2)\n")
    again = runs.plan_of(made)
    assert (again.script, again.edited) == ("print(2)\n", True)
    assert again.sha256 == hashlib.sha256(b"print(2)\n").hexdigest()


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"\xff\xfe")])
def test_a_run_py_that_cannot_be_read_is_an_error_for_people(settings, spoil):
    made = runs.create(settings, plan())
    spoil(made.folder / "run.py")
    with pytest.raises(TrnModelsError, match="What run 1 ran cannot be read"):
        runs.plan_of(made)


def test_a_link_in_place_of_run_py_is_not_followed(settings, tmp_path):
    made = runs.create(settings, plan())
    (tmp_path / "other.py").write_text("print('other')")
    (made.folder / "run.py").unlink()
    (made.folder / "run.py").symlink_to(tmp_path / "other.py")
    with pytest.raises(TrnModelsError):
        runs.plan_of(made)
