"""`sql`: what it answers, what it refuses, and what it reads."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, parquet

from tui.catalog import rankings
from tui.catalog.views import View
from tui.cli import sql
from tui.cli.command import run
from tui.settings import Settings

SCRIPT = "import torch\nprint('€')\n"
ROWS = (
    {"model_id": "acme/one", "wall_s": 372, "run_py": SCRIPT},
    {"model_id": "acme/two", "result": "fail", "wall_s": None, "error": "OutOfMemory on core 3", "run_py": None},
    {"model_id": "acme/huge", "result": None, "exclusion": "more than 16 cores", "run_py": None},
    {"model_id": "acme/odd", "result": "timeout", "hbm_peak_gb": float("nan"), "notes": ""},
)


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").write_bytes(parquet(*ROWS[:2]))
    (tmp_path / "data" / "b.parquet").write_bytes(parquet(*ROWS[2:]))
    return str(tmp_path / "data")


@pytest.fixture
def ask(data: str, capfd: pytest.CaptureFixture[str]):
    """The rows that a query has as its answer."""

    def answer(query: str, *options: str) -> list[dict[str, object]]:
        code = run(["sql", "--data", data, *options, "--format", "json", query])
        out, err = capfd.readouterr()
        assert code == 0, err
        return json.loads(out)

    return answer


@pytest.fixture
def refused(data: str, capfd: pytest.CaptureFixture[str]):
    """What is told of a query that cannot be answered."""

    def told(query: str) -> str:
        assert run(["sql", "--data", data, "--", query]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert "Traceback" not in err
        assert "FAILED HERE" not in err
        return err

    return told


def test_records_are_counted_by_verdict(ask) -> None:
    found = ask("select verdict, count(*) as n from records group by verdict order by verdict")
    assert found == [
        {"verdict": "EXCLUDED", "n": 1},
        {"verdict": "FAIL", "n": 1},
        {"verdict": "OTHER", "n": 1},
        {"verdict": "PASS", "n": 1},
    ]


def test_a_with_statement_is_answered(ask) -> None:
    query = "/* slow */ WITH slow AS (select model_id from records where wall_s >= 372) SELECT count(*) AS n FROM slow"
    assert ask(query) == [{"n": 3}]


@pytest.mark.parametrize(
    "query",
    [
        "-- how many?\nselect count(*) as n from records",
        "--how many?\n-- all of them\nselect count(*) as n from records",
        "-- a = b\nselect count(*) as n from records",
        "--data=x\nselect count(*) as n from records",
        " \n -- how many?\n select count(*) as n from records",
        "/* how\nmany? */ select count(*) as n from records",
        "/* a */ -- b\n(select count(*) as n from records)",
    ],
)
def test_a_query_may_begin_with_comments(query: str, data: str, capfd: pytest.CaptureFixture[str]) -> None:
    if not query.startswith("--data="):  # which is an option
        assert run(["sql", query, "--format", "csv", "--data", data]) == 0
        assert capfd.readouterr().out == "n\n4\n"
    assert run(["sql", "--format=csv", "--data", data, "--", query]) == 0
    assert capfd.readouterr().out == "n\n4\n"


@pytest.mark.parametrize("query", ["-- only\n", "-- only", "/* only */", "-- a\ndrop table records", "--nope"])
def test_a_comment_is_no_question(query: str, data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", query, "--data", data]) == 2
    assert capfd.readouterr().out == ""


def test_options_and_a_query_that_is_missing_are_still_told_apart(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", "--nope", "select 1", "--data", data]) == 2
    assert "No such option '--nope'" in capfd.readouterr().err
    assert run(["sql", "--data", data]) == 2
    assert "Missing argument 'QUERY'" in capfd.readouterr().err


def test_more_rows_than_memory_should_hold_are_refused(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sql, "MOST_ROWS", 15)
    pairs = "from records a cross join records b"
    assert run(["sql", f"select a.model_id {pairs}", "--data", data]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "The answer has more than 15 rows\nNothing was printed.\nAsk for fewer" in err
    assert run(["sql", f"select a.model_id {pairs} where b.tp = 1 limit 15", "--data", data, "--format", "csv"]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 16
    assert run(["sql", f"select count(*) as n {pairs}", "--data", data, "--format", "csv"]) == 0
    assert capfd.readouterr().out == "n\n16\n"


def test_all_rows_of_a_table_are_never_too_many(
    ask, data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sql, "MOST_ROWS", 1)
    assert len(ask("select model_id from records")) == 4


@pytest.mark.parametrize(
    ("query", "code", "told"),
    [
        ("select count(*) as n from records a cross join records b", 0, "100000000"),
        ("select * from records a cross join records b", 2, "more than 1,000,000 rows"),
        ("select a.model_id from records a cross join records b order by b.run_py", 2, "more than 1,000,000 rows"),
        (
            "select count(*) from (select 1 as x from records limit 5000) a cross join records b cross join records c",
            2,
            "leads over more than 4,294,967,295 rows",
        ),
    ],
)
def test_tables_without_a_condition_between_them_do_not_fill_the_memory(
    query: str, code: int, told: str, many: Path
) -> None:
    """10,000 records, and 3 GB of addresses: far less than their pairs would take."""
    script = 'ulimit -v 3000000; exec "$0" -m tui sql --data "$1" --format csv "$2"'
    environ = {**os.environ, "TRN_MODELS_CACHE_DIR": str(many / "cache"), "POLARS_MAX_THREADS": "2"}
    done = subprocess.run(
        ["bash", "-c", script, sys.executable, str(many / "a.parquet"), query],
        capture_output=True, text=True, env=environ,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert told in (done.stderr if code else done.stdout)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    (folder / "a.parquet").write_bytes(parquet(*({"model_id": f"acme/model-{n}"} for n in range(10_000))))
    return folder


def test_a_star_has_the_documented_columns_and_no_long_text(ask) -> None:
    first, *_ = ask("select * from records order by model_id limit 1")
    assert list(first) == [
        "model_id", "library", "tp", "runner", "result", "notes", "exclusion", "wall_s", "hbm_peak_gb",
        "hbm_capacity_gb", "cpu_match", "english", "neuronx_cc", "library_version", "transformers", "accelerate",
        "torch_neuronx", "torch", "nki", "python", "neuron_driver", "tested_at", "verdict", "has_run_py", "has_error",
        "extra", "unconverted",
    ]  # fmt: skip
    assert first["tested_at"] == "2026-11-20T09:30:00Z"


def test_long_texts_are_those_of_their_record_across_files(ask) -> None:
    found = ask("select model_id, run_py, error from records order by model_id")
    assert [(row["model_id"], row["run_py"], row["error"]) for row in found] == [
        ("acme/huge", None, None),
        ("acme/odd", "import torch\nprint('hello')\n", None),
        ("acme/one", SCRIPT, None),
        ("acme/two", None, "OutOfMemory on core 3"),
    ]


def test_long_texts_are_searched(ask) -> None:
    assert ask("select model_id from records where error like '%OutOfMemory%'") == [{"model_id": "acme/two"}]


def test_a_query_that_names_no_long_text_reads_none(ask, monkeypatch: pytest.MonkeyPatch) -> None:
    ask("select 1 as one")

    def no_reading(*_: object) -> pl.DataFrame:
        raise AssertionError("long texts were read")

    monkeypatch.setattr("tui.catalog.sql_tables._long_texts", no_reading)
    assert len(ask("select model_id, has_run_py from records")) == 4


def test_numbers_and_text_keep_their_values(ask) -> None:
    query = "select model_id, hbm_peak_gb, wall_s, notes from records where model_id = 'acme/odd'"
    assert ask(query) == [{"model_id": "acme/odd", "hbm_peak_gb": "NaN", "wall_s": 372, "notes": ""}]


def test_a_table_is_what_a_person_gets(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    query = "select model_id, wall_s from records where wall_s is not null order by model_id limit 2"
    assert run(["sql", "--data", data, query]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == ["model_id   wall_s", "acme/huge     372", "acme/odd      372"]
    assert err == f"{data}, tested to 2026-11-20\n"


def test_csv_tells_nothing_from_an_empty_text(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    query = "select model_id, notes from records where model_id in ('acme/odd', 'acme/one') order by model_id"
    assert run(["sql", "--data", data, "--format", "csv", query]) == 0
    assert capfd.readouterr().out.splitlines() == ["model_id,notes", 'acme/odd,""', "acme/one,"]


def test_parquet_has_exact_types(data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["sql", "--data", data, "--format", "parquet", "select model_id, tested_at, verdict from records"]) == 0
    frame = pl.read_parquet(io.BytesIO(capfdbinary.readouterr().out))
    assert dict(frame.schema) == {
        "model_id": pl.String(), "tested_at": pl.Datetime("ms", "UTC"), "verdict": pl.String(),
    }  # fmt: skip
    assert frame.height == 4


def test_rows_of_the_sample_say_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", "--sample", "--format", "jsonl", "select model_id from records limit 2"]) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["sample"] for row in rows] == [True, True]
    assert all(row["model_id"].startswith("sample/") for row in rows)


def test_the_sample_has_rankings_too(capfd: pytest.CaptureFixture[str]) -> None:
    query = "select view, task, rank, model_id from ranking where task = 'text-generation' and rank = 1"
    assert run(["sql", "--sample", "--format", "json", query]) == 0
    first, second = json.loads(capfd.readouterr().out)
    assert (first["view"], second["view"]) == ("downloads", "trending")
    assert first["model_id"].startswith("sample/")


def keep_ranking(settings: Settings, view: View, *model_ids: str) -> None:
    rows = [{"id": each, "downloads": 100 - place, "trendingScore": 7} for place, each in enumerate(model_ids)]
    models = rankings._models(rows, view)
    at = datetime(2026, 11, 29, 12, tzinfo=UTC)
    rankings._keep(settings, rankings.Ranking(view, "text-generation", at, models, None, sample=False))


def test_rankings_on_disk_are_joined_with_records(ask, tmp_path: Path) -> None:
    settings = Settings(cache_dir=tmp_path / "cache")
    keep_ranking(settings, View.DOWNLOADS, "acme/new", "Acme/Two")
    keep_ranking(settings, View.TRENDING, "acme/one")
    found = ask(
        "select r.view, r.rank, r.model_id, r.figure, s.verdict from ranking r "
        "left join records s on lower(r.model_id) = lower(s.model_id) order by r.view, r.rank"
    )
    assert [tuple(row.values()) for row in found] == [
        ("downloads", 1, "acme/new", 100.0, None),
        ("downloads", 2, "Acme/Two", 99.0, "FAIL"),
        ("trending", 1, "acme/one", 7.0, "PASS"),
    ]


def test_without_a_ranking_on_disk_that_is_said(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", "--data", data, "--format", "json", "select * from ranking"]) == 0
    out, err = capfd.readouterr()
    assert out == "[]\n"
    assert "No ranking is on disk yet" in err


@pytest.mark.parametrize(
    "query",
    [
        "drop table records", "create table t as select 1", "delete from records", "insert into records values (1)",
        "update records set tp = 1", "truncate table records", "explain select 1", "show tables", "from records",
        "values (1)", "", "  ", ";", "-- nothing", "selec 1",
    ],
)  # fmt: skip
def test_anything_but_a_question_is_refused(refused, query: str) -> None:
    assert "begins with SELECT or WITH" in refused(query)


@pytest.mark.parametrize(
    "query", ["select 1; select 2", "select 1; drop table records", "with t as (select 1) delete from t"]
)
def test_more_than_one_statement_is_refused(refused, query: str) -> None:
    assert "The query cannot be answered" in refused(query)


@pytest.mark.parametrize(
    "call",
    [
        "read_parquet('{file}')", "READ_PARQUET ('{file}')", '"read_parquet"(\'{file}\')', "`read_parquet`('{file}')",
        "read_parquet/* */('{file}')", "read_csv('{file}')", "read_ipc('{file}')", "read_json('{file}')",
    ],
)  # fmt: skip
def test_no_query_opens_a_file(refused, tmp_path: Path, call: str) -> None:
    file = tmp_path / "own.parquet"
    pl.DataFrame({"secret": ["x"]}).write_parquet(file)
    for query in (
        "select * from {}",
        "with t as (select * from {}) select * from t",
        "select 1 where 1 in (select * from {})",
    ):
        assert "is not allowed" in refused(query.format(call.format(file=file)))


@pytest.mark.parametrize("name", ["parquet_scan", "csv_scan", "delta_scan", "iceberg_scan", "glob", "postgres_scan"])
def test_polars_opens_files_by_no_other_name_than_those_that_are_refused(name: str) -> None:
    with pytest.raises(pl.exceptions.SQLInterfaceError, match="not a supported table function"):
        pl.SQLContext().execute(f"select * from {name}('/nowhere/at.all')", eager=True)


def test_frames_of_the_program_are_no_tables(refused) -> None:
    assert "There is no table «frame»" in refused("select * from frame")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("select model_id frm records where", "at line 1"),
        ("select 'x", "Unterminated string literal at line 1, column 8"),
        ("select nope from records", "There is no column «nope»\nrecords has: model_id, library, tp"),
        ("select MODEL_ID from records", "told apart by case"),
        ("select * from models", "There is no table «models»\nThe tables are records and ranking."),
        ("select *, error from records", "In a query that names error, * has it too."),
        ("select tp, tp from records", "Two columns of the answer are called «tp»\nRename one"),
        ("select sum(model_id) from records", "`sum` operation not supported"),
        ("select nofunc(tp) from records", "unsupported function 'nofunc'"),
        ("select cast(model_id as int) from records", "conversion from `str` to `i32` failed"),
    ],
)
def test_a_mistake_is_told_in_few_words(refused, query: str, said: str) -> None:
    told = refused(query)
    assert said in told
    assert len(told) < 900


def test_a_damaged_own_file_is_no_answer_with_holes(
    hub: LoopbackHub, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet(*ROWS)})
    assert run(["sql", "select 1 as one"]) == 0
    capfd.readouterr()
    (own,) = (tmp_path / "cache" / "records").glob("*.parquet")
    own.write_bytes(b"PAR1" + bytes(own.stat().st_size - 8) + b"PAR1")
    assert run(["sql", "--format", "csv", "select count(*) as n from records"]) == 0
    assert capfd.readouterr().out.split() == ["n", "4"]
    assert run(["sql", "--format", "csv", "select model_id, run_py from records"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "run_py cannot be read\na.parquet: the app's own copy is damaged or missing." in err


def test_without_data_it_is_exit_code_5(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", "select 1 as one"]) == 5
    assert capfd.readouterr().out == ""


def test_refresh_asks_the_hub_first(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet(ROWS[0])})
    assert run(["sql", "--format", "csv", "select count(*) as n from records"]) == 0
    hub.datasets[DATASET].add_revision({"a.parquet": parquet(*ROWS)})
    assert run(["sql", "--format", "csv", "select count(*) as n from records"]) == 0
    assert run(["sql", "--refresh", "--format", "csv", "select count(*) as n from records"]) == 0
    assert capfd.readouterr().out.split() == ["n", "1", "n", "1", "n", "4"]


def test_the_help_has_two_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", "--help"]) == 0
    assert capsys.readouterr().out.count("trn-models sql ") >= 3


def test_no_module_of_the_ui_is_loaded(data: str) -> None:
    program = (
        "import sys\nfrom tui.cli.command import run\ncode = run(sys.argv[1:])\n"
        'sys.exit(f\'{code} {sorted({"textual", "rich", "huggingface_hub"} & sys.modules.keys())}\')'
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "sql", "--data", data, "select 1 as one"],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == "0 []"
