"""`--format` on stdout: golden outputs, terminals, pipes that close, disks that are full."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import polars as pl
import pytest
from click.testing import CliRunner

from tui.cli import formats
from tui.cli.command import run
from tui.cli.formats import FORMATS, Types, format_option, write_frame, write_object, write_rows
from tui.errors import UsageError

FRAME = pl.DataFrame(
    {
        "model_id": ["acme/one", "acme/\x1b[2Jtwo", None],
        "wall_s": [372, None, 0],
        "hbm_peak_gb": [18.2, math.nan, None],
        "note": ["", "a,b", None],
        "tested_at": [datetime(2026, 11, 20, 9, 30, tzinfo=UTC), None, None],
    },
    schema_overrides={"tested_at": pl.Datetime("ms", "UTC")},
)
PROGRAMS = [form for form in FORMATS if form != "table"]
AT = datetime(2026, 11, 20, 9, 30, 0, 5000, tzinfo=UTC)
TYPES: Types = {
    "model_id": str, "wall_s": int, "peak": float, "live": bool, "at": datetime, "cores": list[int],
    "words": list[str], "stack": dict,
}  # fmt: skip
OBJECT = {
    "model_id": "acme/one", "wall_s": None, "peak": math.nan, "live": True, "at": AT, "cores": [0, 1],
    "words": [], "stack": {"nki": "0.7.0"},
}  # fmt: skip

GOLDEN = {
    "table": (
        "model            seconds  hbm_peak_gb  note\n"
        'acme/one             372         18.2  ""\n'
        "acme/\\x1b[2Jtwo        –          NaN  a,b\n"
        "–                      0            –  –\n"
    ),
    "json": (
        "[\n"
        '{"model_id": "acme/one", "wall_s": 372, "hbm_peak_gb": 18.2, "note": "",'
        ' "tested_at": "2026-11-20T09:30:00Z"},\n'
        '{"model_id": "acme/\\u001b[2Jtwo", "wall_s": null, "hbm_peak_gb": "NaN", "note": "a,b", "tested_at": null},\n'
        '{"model_id": null, "wall_s": 0, "hbm_peak_gb": null, "note": null, "tested_at": null}\n'
        "]\n"
    ),
    "csv": (
        "model_id,wall_s,hbm_peak_gb,note,tested_at\n"
        'acme/one,372,18.2,"",2026-11-20T09:30:00Z\n'
        'acme/\x1b[2Jtwo,,NaN,"a,b",\n'
        ",0,,,\n"
    ),
}
GOLDEN["markdown"] = (
    "| model | seconds | hbm\\_peak\\_gb | note | tested\\_at |\n"
    "| :-- | --: | --: | :-- | :-- |\n"
    '| acme/one | 372 | 18.2 | "" | 2026-11-20T09:30:00Z |\n'
    "| acme/\\\\x1b\\[2Jtwo | – | NaN | a,b | – |\n"
    "| – | 0 | – | – | – |\n"
)
GOLDEN["jsonl"] = GOLDEN["json"].removeprefix("[\n").removesuffix("]\n").replace("},\n", "}\n")


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(formats, "is_terminal", lambda _stream: True)
    monkeypatch.setenv("COLUMNS", str(columns))


# golden outputs


@pytest.mark.parametrize("form", GOLDEN)
def test_each_format_is_exactly_this(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    frame = FRAME.drop("tested_at") if form == "table" else FRAME
    write_frame(frame, form, headers={"model_id": "model", "wall_s": "seconds"})
    assert capfd.readouterr() == (GOLDEN[form], "")


def test_parquet_is_the_frame_itself(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_frame(FRAME, "parquet")
    out = capfdbinary.readouterr().out
    back = pl.read_parquet(out)
    assert back.schema == FRAME.schema
    assert back.equals(FRAME)


def test_every_row_of_the_sample_says_so_for_programs(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    told = {}
    for form in FORMATS:
        write_frame(FRAME, form, sample=True)
        told[form] = capfdbinary.readouterr().out
    assert [row["sample"] for row in json.loads(told["json"])] == [True] * 3
    assert [json.loads(line)["sample"] for line in told["jsonl"].splitlines()] == [True] * 3
    assert pl.read_csv(told["csv"])["sample"].to_list() == [True] * 3
    assert pl.read_parquet(told["parquet"])["sample"].to_list() == [True] * 3
    assert [line.split(" | ")[-1] for line in told["markdown"].decode().splitlines()[2:]] == ["true |"] * 3
    assert told["table"].decode().splitlines()[0] == "SAMPLE DATA: invented models, not results of any real one"


def test_no_rows_are_an_empty_list_no_line_or_the_headers(capfd: pytest.CaptureFixture[str]) -> None:
    empty = FRAME.select("model_id", "wall_s").clear()
    told = []
    for form in ("json", "jsonl", "csv", "table"):
        write_frame(empty, form)
        told.append(capfd.readouterr().out)
    assert told == ["[]\n", "", "model_id,wall_s\n", "model_id  wall_s\n"]


NAMES = "model_id,wall_s,peak,live,at,cores,words,stack\n"
SCHEMA = {
    "model_id": pl.String(), "wall_s": pl.Int64(), "peak": pl.Float64(), "live": pl.Boolean(),
    "at": pl.Datetime("us", "UTC"), "cores": pl.List(pl.Int64), "words": pl.List(pl.String), "stack": pl.String(),
}  # fmt: skip
GOLDEN_ROWS = {
    "json": (
        "[\n"
        '{"model_id": "acme/one", "wall_s": null, "peak": "NaN", "live": true, "at": "2026-11-20T09:30:00.005Z",'
        ' "cores": [0, 1], "words": [], "stack": {"nki": "0.7.0"}},\n'
        '{"model_id": "a\\udc80", "wall_s": null, "peak": null, "live": null, "at": null, "cores": null,'
        ' "words": null, "stack": null}\n'
        "]\n"
    ),
    "csv": (
        f'{NAMES}acme/one,,NaN,true,2026-11-20T09:30:00.005Z,"[0, 1]",[],"{{""nki"": ""0.7.0""}}"\na\\udc80,,,,,,,\n'
    ),
}
GOLDEN_ROWS["jsonl"] = GOLDEN_ROWS["json"].removeprefix("[\n").removesuffix("]\n").replace("},\n", "}\n")


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_rows_of_values_in_each_format_are_exactly_this(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    write_rows([OBJECT, {"model_id": "a\udc80"}], TYPES, form)
    assert capfd.readouterr() == (GOLDEN_ROWS[form], "")


@pytest.mark.parametrize("rows", [[], [OBJECT], [{}]])
def test_parquet_of_rows_has_the_same_types_whatever_is_in_them(
    rows: list[dict[str, object]], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    write_rows(rows, TYPES, "parquet")
    back = pl.read_parquet(capfdbinary.readouterr().out)
    assert back.schema == SCHEMA
    assert back.height == len(rows)


def test_no_rows_of_values_keep_their_names(capfd: pytest.CaptureFixture[str]) -> None:
    told = []
    for form in ("json", "jsonl", "csv"):
        write_rows([], TYPES, form)
        told.append(capfd.readouterr().out)
    assert told == ["[]\n", "", NAMES]


def test_one_thing_in_each_format(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    told = {}
    for form in PROGRAMS:
        write_object(OBJECT, form, TYPES)
        told[form] = capfdbinary.readouterr().out
    as_told = {**OBJECT, "peak": "NaN", "at": "2026-11-20T09:30:00.005Z"}
    assert json.loads(told["json"]) == json.loads(told["jsonl"]) == as_told
    assert told["json"].decode().startswith('{\n  "model_id": "acme/one",\n')
    assert told["csv"].decode() == "".join(GOLDEN_ROWS["csv"].splitlines(keepends=True)[:2])
    assert told["markdown"].decode() == (
        "| field | value |\n| :-- | :-- |\n| model\\_id | acme/one |\n| wall\\_s | – |\n| peak | NaN |\n"
        "| live | true |\n| at | 2026-11-20T09:30:00.005Z |\n| cores | \\[0, 1\\] |\n| words | \\[\\] |\n"
        '| stack | \\{"nki": "0.7.0"\\} |\n'
    )
    (row,) = pl.read_parquet(told["parquet"]).to_dicts()
    assert math.isnan(row.pop("peak"))
    assert row == {name: value for name, value in OBJECT.items() if name != "peak"} | {"stack": '{"nki": "0.7.0"}'}


def test_json_needs_no_polars() -> None:
    program = (
        "import sys\nsys.modules['polars'] = None\nfrom tui.cli.formats import write_object, write_rows\n"
        "write_rows([{'a': 1}], {'a': int}, 'json')\nwrite_rows([{'a': 1}], {'a': int}, 'jsonl')\n"
        "write_object({'a': 1}, 'json')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ('[\n{"a": 1}\n]\n{"a": 1}\n{\n  "a": 1\n}\n', "")


def test_the_table_is_the_default_and_other_words_are_refused() -> None:
    @click.command()
    @format_option()
    def verb(form: str) -> None:
        click.echo(form)

    assert CliRunner().invoke(verb, []).output == "table\n"
    assert CliRunner().invoke(verb, ["--format", "csv"]).output == "csv\n"
    assert CliRunner().invoke(verb, ["--format", "xml"]).exit_code == 2


# terminals


@pytest.mark.parametrize("columns", [40, 20, 10])
def test_a_table_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch, columns)
    write_frame(FRAME, "table", sample=True)
    lines = capfd.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert "SAMPLE DATA: invented models" in " ".join(lines)


def test_what_is_piped_is_not_cut(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    write_frame(pl.DataFrame({"note": ["n" * 500], "tp": [1]}), "table")
    assert capfd.readouterr().out.splitlines()[1] == f"{'n' * 500}   1"


def test_markdown_is_the_same_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    on_a_terminal(monkeypatch, 40)
    write_frame(FRAME, "markdown", headers={"model_id": "model", "wall_s": "seconds"})
    assert capfd.readouterr().out == GOLDEN["markdown"]


def test_csv_on_a_terminal_cannot_act_on_it(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    on_a_terminal(monkeypatch, 80)
    write_frame(FRAME, "csv")
    assert capfd.readouterr().out == GOLDEN["csv"].replace("\x1b", "\\x1b")


def test_parquet_on_a_terminal_is_refused(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    on_a_terminal(monkeypatch, 80)
    with pytest.raises(UsageError, match="nothing for a terminal"):
        write_frame(FRAME, "parquet")
    assert capfd.readouterr().out == ""


def test_signs_that_an_ascii_terminal_lacks_are_replaced_in_tables(capfd: pytest.CaptureFixture[str]) -> None:
    write_frame(FRAME, "table", ascii_only=True)
    assert capfd.readouterr().out.isascii()


def test_a_stdout_that_was_closed_before_the_start_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    for form in FORMATS:
        write_frame(FRAME, form)
    for form in PROGRAMS:
        write_object(OBJECT, form, TYPES)


def test_data_are_utf8_whatever_the_locale_says(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    write_frame(pl.DataFrame({"a": ["日本"]}), "csv")
    write_frame(pl.DataFrame({"a": ["日本"]}), "table")
    stream.flush()
    assert stream.buffer.getvalue() == "a\n日本\n".encode() + b"a\n??\n"  # type: ignore[attr-defined]


def test_no_color_reaches_whatever_draws(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NO_COLOR", "")  # so that it is put back afterwards
    assert run(["stacks", "--sample"]) == 0
    assert os.environ["NO_COLOR"] == ""
    assert run(["stacks", "--sample", "--no-color"]) == 0
    assert os.environ["NO_COLOR"] == "1"


# real processes: the ends of pipes and disks

ROWS = 3_000
PROGRAM = f"""
import sys
import polars as pl
from tui.cli import command, main
from tui.cli.formats import write_frame
import click

@command.trn_models.command("many")
@click.argument("form")
@click.pass_context
def many(context, form):
    write_frame(pl.DataFrame({{"model_id": [f"acme/model-{{i}}" * 9 for i in range({ROWS})]}}), form)
    context.exit(6)

main(["many", sys.argv[1]])
"""


def shell(script: str, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script, sys.executable, *words],
        capture_output=True, text=True, timeout=60, env={**os.environ, **environ},
    )  # fmt: skip


@pytest.mark.parametrize("form", ["table", "jsonl", "csv"])
def test_a_reader_that_stops_reading_is_no_error_and_hides_no_exit_code(form: str) -> None:
    done = shell('"$0" -c "$1" "$2" | head -n 1; echo "${PIPESTATUS[0]}"', PROGRAM, form)
    first, code = done.stdout.splitlines()
    assert len(first) < 300
    assert (code, done.stderr) == ("6", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("form", ["table", "parquet"])
def test_a_full_disk_on_stdout_is_told_and_exits_2(form: str) -> None:
    done = shell('"$0" -c "$1" "$2" > /dev/full', PROGRAM, form)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "No space left on device",
        "It was stdout, or a file of this app.",
        "Not everything was written. Make room, or write elsewhere.",
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", ["--version", "stacks --sample", "stacks --sample --format json", "--sample"])
def test_also_of_little_output_that_is_written_at_the_very_end(words: str) -> None:
    done = shell(f'"$0" -m tui {words} > /dev/full')
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", ["nonsense", "stacks --data /nowhere"])
def test_a_stderr_that_is_full_never_looks_like_a_fail(words: str) -> None:
    assert shell(f'"$0" -m tui {words} 2> /dev/full').returncode in {2, 5}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("stderr", ["2> /dev/full", "2>&-", "2< /dev/null"])
def test_a_stderr_that_takes_nothing_leaves_the_answer_as_it_is(stderr: str) -> None:
    whole = shell('"$0" -m tui stacks --sample --format json')
    done = shell(f'"$0" -m tui stacks --sample --format json {stderr}')
    assert (done.returncode, done.stdout) == (0, whole.stdout)
    assert json.loads(done.stdout)


@pytest.mark.parametrize("form", ["table", "csv", "parquet"])
def test_a_closed_stdout_is_no_error(form: str) -> None:
    done = shell(f'"$0" -m tui stacks --sample --format {form} >&-')
    assert done.returncode == 0
    assert done.stderr == "bundled sample, tested to 2026-11-20\n"


def test_the_c_locale_prints_ascii_tables_and_the_same_data() -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    tables = [shell('"$0" -m tui stacks --sample', **environ).stdout for environ in ({}, plain)]
    assert tables[0] == tables[1]
    done = shell('"$0" -m tui stacks --sample --format json', **plain)
    assert json.loads(done.stdout)[0]["sample"] is True


def test_textual_is_not_imported_for_any_format() -> None:
    program = (
        "import sys\nfrom tui.cli.command import run\n"
        "from tui.cli.formats import FORMATS\n"
        "codes = [run(['stacks', '--sample', '--format', form]) for form in FORMATS]\n"
        "print(codes, sorted({'textual', 'rich', 'huggingface_hub'} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.stderr.decode().splitlines()[-1] == "[0, 0, 0, 0, 0, 0] []"
