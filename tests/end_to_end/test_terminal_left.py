"""What the app leaves of a terminal, however it ends; and that no window, no terminal's name and no byte ends it."""

from __future__ import annotations

import pytest
from terminal_cases import (
    dies_of_an_error,
    end_in,
    ends_though_it_hangs,
    prints_the_list,
    random_keys,
    reads_in,
    resized_often,
)


@pytest.mark.parametrize(
    ("screen", "end"),
    [
        ("palette", "SIGTERM and SIGCONT"),
        ("search", "SIGINT"),
        ("table", "stops"),
        ("checklist", "closed window"),
        ("plain text", "SIGHUP"),
    ],
)
def test_it_ends_at_once_and_leaves_the_terminal_as_it_was(tmp_path, screen, end):
    end_in(tmp_path, screen, end)


def test_an_internal_error_is_told_with_the_path_of_the_log_on_the_restored_terminal(tmp_path):
    dies_of_an_error(tmp_path)


def test_a_signal_gives_the_terminal_back_though_the_app_hangs(tmp_path):
    ends_though_it_hangs(tmp_path)


def test_a_hundred_resizes_a_second_do_no_harm(tmp_path):
    assert resized_often(tmp_path, 1.5, seed=1) > 100


@pytest.mark.parametrize(
    "environ",
    [{"TERM": "screen", "NO_COLOR": "1"}, {"TERM": ""}, {"TERM": "vt100", "PYTHONIOENCODING": "latin-1"}],
    ids=str,
)
def test_it_reads_in_any_terminal(tmp_path, environ):
    reads_in(tmp_path, **environ)


@pytest.mark.parametrize(("redirection", "term"), [("<&-", "xterm"), ("2>errors", "xterm"), ("", "unknown")])
def test_where_a_full_screen_has_no_place_the_list_is_printed(tmp_path, redirection, term):
    assert "sample/" in prints_the_list(tmp_path, redirection, TERM=term)


def test_random_keys_in_a_real_terminal(tmp_path):
    random_keys(tmp_path, 150, seed=1)
