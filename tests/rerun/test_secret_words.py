"""Secrets in the words of a command: found, left out of all that is written, and yet given to the run."""

import json
import sys

import pytest
from real_runs import RealRuns
from run_folders import plan, stored

from tui.errors import TrnModelsError
from tui.rerun import runs, start
from tui.rerun.identity import Identity
from tui.rerun.members import Member
from tui.rerun.secret_values import masked, masked_line, masked_words

HUB = "hf_" + "a1B2" * 8


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("run.py", "--hf-token", "mine"), ("run.py", "--hf-token", "(not kept)")),
        (("--token=mine", "x"), ("--token=(not kept)", "x")),
        (("--db_password", "p w"), ("--db_password", "(not kept)")),
        (("--client-secret", "s"), ("--client-secret", "(not kept)")),
        (("--api-key", "k", "--steps", "5"), ("--api-key", "(not kept)", "--steps", "5")),
        (("-e", "HF_TOKEN=mine", "box"), ("-e", "HF_TOKEN=(not kept)", "box")),
        ((f"--say=x{HUB}", HUB), (f"--say=x{HUB}", "(not kept)")),
        (("AKIAIOSFODNN7EXAMPLE",), ("(not kept)",)),
        (("ghp_" + "a" * 36,), ("(not kept)",)),
        (("https://me:word@proxy:80",), ("https://(not kept)@proxy:80",)),
    ],
)
def test_secret_words_are_left_out(words, shown):
    assert masked_words(words) == shown


@pytest.mark.parametrize(
    "words",
    [
        ("--max-new-tokens", "32"),
        ("--pad-token", "<pad>"),
        ("--tokenizer", "acme/small"),
        ("--token-count", "many"),
        ("--token", "--verbose"),
        ("--token",),
        ("--use-auth", "True"),
        ("--sort-key", "name"),
        ("hf_transformers", "https://host/a@b", "--path=hf_cache"),
    ],
)
def test_other_words_stay(words):
    assert masked_words(words) == words


def test_lines_and_json_are_masked_by_the_same_rules():
    assert masked_line(f"python run.py --hf-token mine {HUB}") == "python run.py --hf-token (not kept) (not kept)"
    assert masked({"a": [1, {"b": ["--token", "x"]}], "c": HUB}) == {
        "a": [1, {"b": ["--token", "(not kept)"]}],
        "c": "(not kept)",
    }
    assert str(Member(Identity(7, 1, ""), ("python", "--hf-token", "mine"))) == "pid 7 python --hf-token (not kept)"


def test_a_secret_argument_reaches_the_script_and_no_file(settings):
    argv = (sys.executable, "run.py", "--hf-token", "name", "--other", HUB, "name")
    about = {"added": {"arguments": list(argv[2:])}, "record": {"name": "name"}}
    with RealRuns(settings) as real:
        run = real.create(
            "open('got', 'w').write(repr(sys.argv[1:] + [name for name in os.environ if 'WORD' in name]))",
            argv=argv,
            about=about,
        )
        given = start.supervisor_environment(plan(argv=argv), {})
        real.supervise(run, given)
        real.outcome(run)
        assert (run.folder / "got").read_text() == repr([*argv[2:]])
        (run.folder / "got").unlink()
        recipe = stored(run, "recipe.json")
        hidden = ["TRN_MODELS_WORD_ARGV_3", "TRN_MODELS_WORD_ARGV_5"]
        assert recipe["hidden"] == hidden and sorted(given) == hidden
        assert recipe["argv"][2:] == [
            "--hf-token",
            f"(not kept: {hidden[0]})",
            "--other",
            f"(not kept: {hidden[1]})",
            "name",
        ]
        assert recipe["added"]["arguments"] == ["--hf-token", "(not kept)", "--other", "(not kept)", "name"]
        assert recipe["record"] == {"name": "name"}
        assert "run.py --hf-token '(not kept)' --other '(not kept)' name" in real.log(run).splitlines()[1].replace(
            f": {hidden[0]}", ""
        ).replace(f": {hidden[1]}", "")
        for path in run.folder.rglob("*"):
            assert not path.is_file() or HUB.encode() not in path.read_bytes(), path


def test_what_was_a_secret_argument_is_not_run_again_without_it(settings):
    run = runs.create(settings, plan(argv=("python", "run.py", "--hf-token", "mine")))
    with pytest.raises(TrnModelsError, match="looked like a secret, and was not kept"):
        start.again(settings, run)
    assert len(runs.every(settings)) == 1


def test_a_variable_whose_value_is_a_token_is_not_written(settings):
    run = runs.create(settings, plan(environment={"PLAIN": HUB}))
    assert HUB not in (run.folder / "recipe.json").read_text()
    assert stored(run, "recipe.json")["hidden"] == ["PLAIN"]
    assert start.supervisor_environment(plan(environment={"PLAIN": HUB}), {})["PLAIN"] == HUB
    assert json.loads((run.folder / "recipe.json").read_text())["environment"] == {"PLAIN": "(not kept)"}
