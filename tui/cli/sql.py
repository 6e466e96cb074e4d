"""The verb `sql`: a question to the records and the rankings on disk, in the SQL of polars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

from tui.cli.formats import format_option, write_frame
from tui.cli.options import begin, refresh_option, source_options
from tui.cli.output import say
from tui.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.snapshot import Snapshot
    from tui.settings import Settings

_LONGEST_SENTENCE: Final = 300

MOST_ROWS: Final = 1_000_000
"""Rows of an answer, unless a table has more. An answer is held in memory, which two tables without a condition
between them would fill: 100,000,000 rows from 10,000 records."""

# Also within a text, where it does no harm: whether it is one depends on how quotes and comments are read, and a file
# of the person must not be opened when that is done otherwise than polars does it.
_OPENS_A_FILE: Final = re.compile(r"\b(?:read|scan)_(?:csv|ipc|json|ndjson|parquet|\w+(?=\W*\())", re.IGNORECASE)

_BEFORE_THE_FIRST_WORD: Final = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)

# No option has a space in its name, and a comment ends at a line end.
_COMMENT: Final = re.compile(r"--(?:[^=]*\s|.*\n)", re.DOTALL)


class _SqlCommand(click.Command):
    """A verb whose query may begin with a comment, `-- so`, which is no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put a query that begins with a comment where no option is looked for."""
        options = {name for each in self.params for name in each.opts}
        end = args.index("--") if "--" in args else len(args)
        for place, word in enumerate(args[:end]):
            if _COMMENT.match(word) and word.partition("=")[0] not in options:
                args = [*args[:place], *args[place + 1 : end], "--", word, *args[end + 1 :]]
                break
        return super().parse_args(ctx, args)


@click.command("sql", cls=_SqlCommand, short_help="Ask records and rankings in SQL.")
@click.argument("query", metavar="QUERY")
@refresh_option
@format_option()
@source_options
@click.pass_context
def sql_verb(context: click.Context, /, query: str, fresh: bool, form: str, **flags: Any) -> None:
    """Answer QUERY, one SELECT or WITH statement in the SQL of polars, from what is on disk. It may begin with
    comments. Of more than 1,000,000 rows (or as many as a table has) nothing is printed.

    Table `records` has a row for each record: the columns of the dataset, and verdict, has_run_py, has_error, extra,
    unconverted. The long texts run_py and error are there in a query that names them.

    Table `ranking` has the models of all rankings on disk: view, task, rank, model_id, figure, library, pipeline_tag,
    gated, likes, downloads, parameters, fetched_at.

    \b
    Examples:
      trn-models sql "select verdict, count(*) as n from records group by verdict"
      trn-models sql --format csv "select r.rank, r.model_id, max(s.wall_s) as s
          from ranking r join records s on lower(r.model_id) = lower(s.model_id)
          where r.view = 'trending'
          group by r.rank, r.model_id order by r.rank"
    """
    from tui.cli.records_source import open_told

    refuse_other_than_a_question(query)
    settings = begin(context, flags)
    snapshot = open_told(settings, fresh)
    frame = answer(settings, snapshot, query)
    write_frame(frame, form, sample=snapshot.source == "sample", ascii_only=bool(settings.ascii))
    context.exit(0)


def refuse_other_than_a_question(query: str) -> None:
    """Raise `UsageError` for a query that does not begin with SELECT or WITH, or that would open a file."""
    begin_at = _BEFORE_THE_FIRST_WORD.match(query)
    word = re.match(r"\w*", query[begin_at.end() :] if begin_at else query)
    first = word[0] if word else ""
    if first.casefold() not in {"select", "with"}:
        raise UsageError(
            f"«{first or query.strip()[:40]}» does not begin a question" if query.strip() else "The query is empty",
            "Records and rankings are read only: one statement that begins with SELECT or WITH.",
            'As in: trn-models sql "select model_id, verdict from records limit 5"',
        )
    if found := _OPENS_A_FILE.search(query):
        raise UsageError(
            f"«{found[0]}» is not allowed",
            "The tables are records and ranking; a query opens no file, and the name is refused within a text too.",
            "To read other records use --data PATH.",
        )


def answer(settings: Settings, snapshot: Snapshot, query: str) -> pl.DataFrame:
    """The rows that the query asks for. Raises `UsageError` for one that polars does not take."""
    import polars as pl

    from tui.catalog import sql_tables

    tables: dict[str, pl.DataFrame] = {
        sql_tables.RECORDS: sql_tables.records_table(snapshot, sql_tables.long_texts_named(query))
    }
    if sql_tables.RANKING in query:
        ranking = sql_tables.ranking_table(settings, sample=snapshot.source == "sample")
        tables[sql_tables.RANKING] = ranking
        if ranking.is_empty():
            say("No ranking is on disk yet: the app fetches one, or trn-models list --view trending.")
    most = max(MOST_ROWS, *(table.height for table in tables.values()))
    try:
        # Streaming, a part of the rows at a time, and none after those that are too many.
        found = pl.SQLContext(tables).execute(query).head(most + 1).collect(engine="streaming")
    except (Exception, pl.exceptions.PanicException) as error:
        # What polars raises for a query is open: it has an error class for each cause, and panics.
        raise _not_taken(query, error, tables) from error
    if found.height > most:
        from tui import numbers

        raise UsageError(
            f"The answer has more than {numbers.count(most)} rows",
            "Nothing was printed.",
            "Ask for fewer: a condition between the tables (on, where), a group by, a limit.",
        )
    # A number with a point, as 60.0, is a decimal there, which is no number in JSON.
    return found.cast({pl.Decimal: pl.Float64})


def _not_taken(query: str, error: BaseException, tables: dict[str, pl.DataFrame]) -> UsageError:
    said = _in_words(str(error))
    detail, remedy = "", "The SQL is that of polars: https://docs.pola.rs/api/python/stable/reference/sql/"
    if "one (and only one) statement" in said:
        said = "One statement at a time, please"
    elif missing := re.match(r"relation '(.*)' was not found", said):
        said, remedy = f"There is no table «{missing[1]}»", "The tables are records and ranking."
    elif missing := re.match(r"unable to find column \"([^\"]*)\"", said):
        said = f"There is no column «{missing[1]}»"
        detail = "\n".join(
            f"{name} has: {', '.join(table.columns)}"
            for name, table in tables.items()
            if re.search(rf"\b{name}\b", query)
        )
        remedy = "Names are told apart by case."
    elif "maximum length reached" in said:
        said = "it leads over more than 4,294,967,295 rows"
        remedy = "Put a condition between the tables: on, or where."
    elif duplicate := re.search(r"duplicate output name '([^']*)'", said):
        said = f"Two columns of the answer are called «{duplicate[1]}»"
        remedy = f"Rename one: ... as other_name. In a query that names {duplicate[1]}, * has it too."
        if duplicate[1] not in {"run_py", "error"}:
            remedy = "Rename one: ... as other_name."
    return UsageError(f"The query cannot be answered: {said}", detail, remedy)


def _in_words(said: str) -> str:
    """The first sentence of polars, without its plans and its hints for people who write Python."""
    first = said.partition("\n")[0].removeprefix("sql parser error: ").strip()
    first = re.sub(r" at Line: (\d+), Column: (\d+)", r" at line \1, column \2", first)
    return first if len(first) <= _LONGEST_SENTENCE else f"{first[:_LONGEST_SENTENCE]}…"
