"""Kinds of failure: the last line of an error without what is another each time. Pure.

Two runs that fail for one reason print other numbers, addresses, paths and names. In a kind `#` stands for numbers and
hexadecimal texts, `*` for paths, addresses of pages, ids and model names; words, codes such as `NCC_EOOM001` and names
of Python stay as they are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tui.catalog.search_terms import quoted

if TYPE_CHECKING:
    import polars as pl

LONGEST: Final = 240
"""Characters of a kind."""
_KEY: Final = "\0"
_LONGEST_LINE: Final = 4_000
"""Characters of a last line that are looked at: its end."""
_SHORTEST_NAME: Final = 3
"""Characters of a model's name below which it is as likely a word of the message."""

_PART: Final = "[A-Za-z0-9_.@+=%~-]"
_RULES: Final[tuple[tuple[str, str], ...]] = (
    (r"\x1b\[[0-9;:?]*[A-Za-z]", ""),
    (r"\s+", " "),
    (r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"`<>()\[\]]+", "*"),
    (r"\b[0-9]+/[0-9]+\b", "#"),
    # Paths from the root or a folder, paths of several parts, then an id with its organization.
    (rf"(^|[\s'\"`«(\[{{<=:,])[~.]*(?:/{_PART}+)+/?", "${1}*"),
    (rf"{_PART}+(?:/{_PART}+){{2,}}/?", "*"),
    (rf"{_PART}+/{_PART}*[0-9.-]{_PART}*|{_PART}*[0-9.-]{_PART}*/{_PART}+", "*"),
    (r"\b0[xX][0-9a-fA-F]+\b", "#"),
    (r"\b(?:[0-9a-f]{8,}|[0-9A-F]{8,})\b", "#"),
    (r"\?x(?:[0-9?]+x)*", "#"),
    (r"\b[A-Za-z]+[0-9]+[A-Za-z]+[0-9][A-Za-z0-9]*\b", "#"),
    (r"_[0-9]+", "_#"),
    (r"\b[0-9][0-9A-Za-z_.,]*", "#"),
    (r"#(?:[-:,.x/*+ ]{0,2}#)+", "#"),
    # In quotes, what has the look of an id or of a file: a name of Python stays.
    (r"(['\"`«])[A-Za-z0-9_.+@#*/-]*[0-9.#*/-][A-Za-z0-9_.+@#*/-]*(['\"`»])", "${1}*${2}"),
)
"""Patterns that the regular expressions of polars know, and what takes the place of what they find, in this order."""


def last_line(error: pl.Expr) -> pl.Expr:
    """The last line of an error that is not blank, of a long one the end; "" without one, never null."""
    text = error.fill_null("").str.strip_chars_end()
    return text.str.tail(_LONGEST_LINE).str.extract(r"([^\r\n]*)\z").str.strip_chars()


def kinds_of(lines: pl.Series, model_ids: pl.Series) -> pl.Series:
    """The kind of each error, of which `lines` are the last ones; "" for a blank one.

    `model_ids` are those of their records, or null. A kind is a single line of at most `LONGEST` characters, and the
    kind of a kind is the kind itself.
    """
    import polars as pl

    frame = pl.DataFrame({"line": lines, "model_id": model_ids.cast(pl.String)})
    frame = frame.with_columns(name=pl.col("model_id").str.split("/").list.last())
    return _generalised(_without_own_names(frame)).alias("kind")


def kind_of(error: str) -> str:
    """The kind of one error, of whatever model."""
    import polars as pl

    line = pl.select(line=last_line(pl.lit(error))).to_series()
    return str(kinds_of(line, pl.Series([None], dtype=pl.String))[0])


@lru_cache(maxsize=256)
def key(text: str) -> str:
    """What `Beyond.errors` has the records with an error of this kind under; no needle of `error:` is equal to it.

    `text` is a kind, or an error of that kind; blank for records without an error.
    """
    import polars as pl

    return str(pl.select(key=keys_of(pl.lit(kind_of(text)))).item())


def is_key(text: str) -> bool:
    """Whether this is a `key` and no text that an error may have."""
    return text.startswith(_KEY)


def keys_of(kinds: pl.Expr) -> pl.Expr:
    """The `key` of each kind."""
    import polars as pl

    return pl.concat_str(pl.lit(_KEY), kinds.str.to_lowercase())


def search_for(kind: str) -> str:
    """The term of the search language that finds the errors of this kind."""
    return f"error={quoted(kind)}"


def _without_own_names(frame: pl.DataFrame) -> pl.Series:
    """The lines, with a `*` for the id and the name of the model in its own error."""
    import polars as pl

    has_name = pl.col("line").str.contains(pl.col("name"), literal=True)
    long_enough = pl.col("name").str.len_chars() >= _SHORTEST_NAME
    rows = frame.select(at=(has_name & long_enough).fill_null(value=False))["at"].arg_true()
    lines = frame["line"]
    if not len(rows):
        return lines
    named = [
        line.replace(model_id, "*").replace(name, "*")
        for line, model_id, name in frame[rows].select("line", "model_id", "name").iter_rows()
    ]
    return lines.scatter(rows, named)


def _generalised(lines: pl.Series) -> pl.Series:
    import polars as pl

    def all_rules(line: pl.Expr) -> pl.Expr:
        for pattern, sign in _RULES:
            line = line.str.replace_all(pattern, sign)
        return line.str.strip_chars()

    different = lines.alias("line").to_frame().unique()
    kinds = different.with_columns(kind=all_rules(pl.col("line")))
    long = pl.col("kind").str.len_chars() > LONGEST
    if kinds.select(long.any()).item():
        # What is cut may end in something that a rule would have seen otherwise.
        cut = all_rules(pl.col("kind").str.head(LONGEST))
        kinds = kinds.with_columns(kind=pl.when(long).then(cut).otherwise("kind"))
    return lines.alias("line").to_frame().join(kinds, on="line", how="left", maintain_order="left")["kind"]
