"""The columns of a record: their types, units and meaning.

Source: the dataset card and files of aws-neuron/torch-neuronx-model-support. Units that the dataset does
not document are named so here and on screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "int32", "float64", "time"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the dataset."""

    name: str
    kind: Kind
    meaning: str


COLUMNS: tuple[Column, ...] = (
    Column("model_id", "text", "the model's id on the Hub"),
    Column("library", "text", "the Python library that ran the model"),
    Column("tp", "int32", "NeuronCores that the model was sharded over"),
    Column("runner", "text", "how the model was run; its words are not documented"),
    Column("result", "text", "the result; its words are not documented"),
    Column("notes", "text", "notes of the testers"),
    Column("error", "text", "the error when the run failed"),
    Column("exclusion", "text", "why the model was left out; missing in some files"),
    Column("wall_s", "int32", "wall time in seconds, compilation included"),
    Column("hbm_peak_gb", "float64", "peak device memory in GB; per core or per run is not documented"),
    Column("hbm_capacity_gb", "float64", "device memory available in GB; per core or per run is not documented"),
    Column("cpu_match", "text", "answer of the comparison with a CPU run; its words are not documented"),
    Column("english", "text", "answer of the judge model; its words are not documented"),
    Column("neuronx_cc", "text", "version of the Neuron compiler"),
    Column("library_version", "text", "version of `library`"),
    Column("transformers", "text", "version of transformers"),
    Column("accelerate", "text", "version of accelerate"),
    Column("torch_neuronx", "text", "version of torch-neuronx"),
    Column("torch", "text", "version of torch"),
    Column("nki", "text", "version of nki"),
    Column("python", "text", "version of Python"),
    Column("neuron_driver", "text", "version of the Neuron driver"),
    Column("tested_at", "time", "when it was tested, UTC, to the millisecond"),
    Column("run_py", "text", "the script that was run"),
)

COLUMN_NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)

EXTRA = "extra"
"""Column of the app's own files: a JSON object with the columns that are not in COLUMNS; null when none."""

UNCONVERTED = "unconverted"
"""Column of the app's own files: a JSON object {column: raw text} of values that do not fit their column."""

OWN_COLUMNS: tuple[str, ...] = (*COLUMN_NAMES, EXTRA, UNCONVERTED)

LONG_TEXT: frozenset[str] = frozenset({"run_py", "error"})
"""Columns that stay on disk until a person asks for them: they are most of a file's bytes."""
