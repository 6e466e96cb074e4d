"""What a person may add to a run: words for its environment and its arguments."""

from __future__ import annotations

import pytest
from made_steps import TOKEN

from tui.errors import UsageError
from tui.rerun.run_environment import parse_environment, without_secret_words


@pytest.mark.parametrize(
    "arguments",
    [("--hf-token", "hf_x"), ("--hf-token=hf_x",), ("-v", "--password", "x"), ("--api-key", "x"), ("token=abc",),
     ("--push", TOKEN)],
)  # fmt: skip
def test_a_secret_is_no_argument(arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as raised:
        without_secret_words(arguments)
    assert "--env NAME=" in raised.value.remedy
    assert "hf_" not in str(raised.value)


@pytest.mark.parametrize(
    "line",
    ["--max-new-tokens 32", "--tokenizer acme/x", "--pad-token <pad>", "--seconds 1", "--use-auth-token --seed 3",
     "--token-ids 3", "--keyboard qwerty", "--sort-key name", "--eos-token=</s>", ""],
)  # fmt: skip
def test_words_of_a_model_are_no_secrets(line: str) -> None:
    assert without_secret_words(tuple(line.split())) == tuple(line.split())


def test_words_for_the_environment_are_name_and_value() -> None:
    assert parse_environment(["A=1", "B_2=x=y", "C=", "A=2"]) == {"A": "2", "B_2": "x=y", "C": ""}


@pytest.mark.parametrize(
    "word", ["A", "=1", "A B=1", "1A=1", "A-B=1", "É=1", "A=\0", "TRN_MODELS_RUN=1", "NEURON_RT_VISIBLE_CORES=0-3",
             "NEURON_RT_NUM_CORES=1", "MASTER_PORT=1", "PYTHONHOME=/x"],
)  # fmt: skip
def test_what_cannot_be_set_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        parse_environment([word])


def test_a_refused_word_does_not_repeat_its_value() -> None:
    with pytest.raises(UsageError) as error:
        parse_environment([f"MY-TOKEN={TOKEN}"])
    assert TOKEN not in str(error.value)
