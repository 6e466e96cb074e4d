"""Text that wants something of a terminal, in every place from which the app shows text; one world for all tests.

`World(folder, hub, poisons)` lays it out: records, file names, Hub answers, runs, a host, Pythons, the environment.
Each place has a label that reads on a screen, and its text is `label poison label`: a screen with `label label` next
to each other shows that something between them was interpreted.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fake_hosts
import made_packages
import pyarrow as pa
import pyarrow.parquet as pq
import run_folders
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, DEFAULTS

from tui.rerun import runs
from tui.rerun.run import Result
from tui.settings import Settings

ESCAPES = (
    "\x1b[2J",
    "\x1b[999;999H",
    "\x1b[5;8;53m",
    "\x1b]0;owned\x07",
    "\x1b]52;c;b3duZWQ=\x07",
    "\x1b]8;;http://x\x1b\\",
    "\x1bPq#0\x1b\\",
    "\x1b[6n",
    "\x1b[c",
    "\x1bc",
    "\x1b[?1049l",
    "\x1b[201~",
    "\x1b_Gi=1\x1b\\",
    "\x1b",
    "\x07",
    "\r",
    "\b\b\b",
    "\x00",
    "\x7f",
    "\x0e",
)
C1 = ("\x9b2J", "\x9d0;owned\x9c", "\x90q\x9c", "\x9d52;c;b3duZWQ=\x07", "\x85", "\x8d", "\x80\x81\x9f")
ORDER = (
    "\u202egpj.exe",
    "\u202a\u202b\u202d\u202c",
    "\u2066\u2067\u2068\u2069",
    "\u200e\u200f\u061c",
    "\u200b\u200c\u200d",
    "\ufeff\u00ad",
    "e" + "\u0301" * 40,
    "模型模型",
    "👨\u200d👩\u200d👧",
    "🇦🇹✔\ufe0f",
    "\u2028",
    "\u2029",
    "\v",
    "\f",
    "\n",
    "\U000e0041\U000e007f",
    "\ue000\ufdd0\U0010ffff",
    "\u3164\u115f",
)
MARKUP = (
    "[red]",
    "[/]",
    "[/red]",
    "[@click=app.quit]",
    "[link=http://x]",
    "[b on #ff0000]",
    "[[",
    "\\[red]",
    "[$primary]",
    ":smile:",
    "{0}",
    "%s",
    "$(id)",
    "`id`",
    "; id",
    "'",
    '"',
    "<b>",
    "|",
    "*",
    "~",
)
LONG = ("x" * 100_000, "模" * 50_000, "e\u0301" * 50_000)
GROUPS = {"escapes": ESCAPES, "c1": C1, "order": ORDER, "markup": MARKUP, "long": LONG}

MODEL = "acme/poisoned"
"""A record whose id and versions are usual, and every other text is not."""
FIGURES = {"tp", "wall_s", "hbm_peak_gb", "hbm_capacity_gb", "tested_at"}
VERSIONS = {"library", "library_version", "transformers", "accelerate", "neuronx_cc"}
_DOUBLED = re.compile(r"(q[0-9]{2,3}z)\1")


class World:
    """A folder of this name, and what it needs around it. `environ` is for the process, `places` every label."""

    def __init__(
        self, folder: Path, hub: LoopbackHub, poisons: Sequence[str], *, seed: int = 1, in_a_text: int = 100
    ) -> None:
        """`in_a_text` of the poisons are in each text, drawn by `seed`."""
        self.folder = folder
        self.poisons = list(poisons)
        self._in_a_text = min(in_a_text, len(poisons))
        self.places: dict[str, str] = {}
        self._random = random.Random(seed)
        self.data = folder / "a[" / "]b" / self.name("folder")
        self._fill_hub(hub)
        self._fill_folder()
        self.environ = self._environment(hub)
        settings = Settings(
            cache_dir=Path(self.environ["TRN_MODELS_CACHE_DIR"]), state_dir=Path(self.environ["TRN_MODELS_STATE_DIR"])
        )
        self._make_runs(settings)
        self._remember(settings)

    # Texts

    def text(self, place: str) -> str:
        """The poisons, in another order each time, in the text of this place."""
        label = f"q{len(self.places):02d}z" if place not in self.places.values() else self._label(place)
        self.places[label] = place
        poisons = self._random.sample(self.poisons, self._in_a_text)
        return f"{label}{''.join(f'{poison}{label}' for poison in poisons)}"

    def name(self, place: str) -> str:
        """The same as a name for a file: not too long, and without `/`, NUL, and `:`, which PATH cannot have."""
        return re.sub(r"[/:\0]", "_", self.text(place)).encode()[:200].decode(errors="ignore")

    def word(self, place: str) -> str:
        """The same for a value of the environment."""
        return self.text(place).replace("\0", "_")[:2000]

    def _label(self, place: str) -> str:
        return next(label for label, named in self.places.items() if named == place)

    def interpreted(self, screen: str) -> list[str]:
        """The places of which a screen shows the label twice in a row."""
        return sorted({self.places.get(label, label) for label in _DOUBLED.findall(screen)})

    def seen(self, screen: str) -> set[str]:
        """The places of which something is on a screen."""
        return {place for label, place in self.places.items() if label in screen}

    # Records

    def records(self) -> list[dict[str, Any]]:
        texts = {name: self.text(f"record {name}") for name in DEFAULTS if name not in FIGURES}
        script = f"# {self.text('script')}\nprint(1)\n"
        failing = {"result": "fail", "error": f"first\n{self.text('error')}\n{self.text('last line of the error')}"}
        usual = {name: DEFAULTS[name] for name in VERSIONS} | {"exclusion": None}
        more = {
            self.text("column"): self.text("value of a column"),
            "nested": json.dumps({self.text("key"): self.text("nested value")}),
        }
        return [
            {**DEFAULTS, **texts, **usual, **more, **failing, "model_id": MODEL, "run_py": script},
            {**DEFAULTS, **texts, **usual, **more, "model_id": MODEL, "tp": 2, "run_py": script},
            {**DEFAULTS, **texts, **more, "model_id": f"acme/{self.text('model id')}", "result": "pass"},
            {**DEFAULTS, **texts, **usual, "model_id": f"acme/b{self.text('id with another word')}"},
            {**DEFAULTS, "model_id": "acme/out", "result": None, "exclusion": self.text("exclusion")},
            {**DEFAULTS, "model_id": f"acme/[red]{self.name('ranked id').replace(' ', '')}"},
        ]

    def parquet(self) -> bytes:
        """A file with all of them; figures of one column are texts."""
        records = self.records()
        names = dict.fromkeys(name for record in records for name in record)
        columns = {name: [record.get(name) for record in records] for name in names}
        columns["wall_s"] = [self.text("figure"), *map(str, columns["wall_s"][1:])]
        target = io.BytesIO()
        pq.write_table(pa.table(columns), target)
        return target.getvalue()

    def _fill_hub(self, hub: LoopbackHub) -> None:
        bucket = "hf://buckets/acme/neff-cache"
        files = {f"{self.name('file of the dataset')}.parquet": self.parquet(), "a.parquet": self.parquet()}
        files |= {f"{self.name('unreadable file')}.parquet": b"no parquet"}
        files["README.md"] = f"compiled graphs: {bucket} {self.text('card line')}".encode("utf-8", "surrogatepass")
        hub.add_dataset(DATASET, files)
        texts = {
            name: self.text(f"Hub {name}")[:290]
            for name in ("pipeline_tag", "library_name", "gated", "createdAt", "lastModified", "author")
        }
        card = {"cardData": {"license": self.text("Hub license")[:290]}, "tags": [self.text("Hub tag")[:290]]}
        card["config"] = {"model_type": self.text("Hub model type")[:60]}
        card["safetensors"] = {"parameters": {"BF16": 8 * 10**9, self.text("Hub dtype")[:60]: 10**9}}
        for number, ranked in enumerate((MODEL, "acme/[red]ranked[/]", f"acme/{self.text('ranking id')}")):
            model = {**texts, **card, "trendingScore": 9 - number, "downloads": 9 - number, "usedStorage": 5 << 30}
            hub.add_model(ranked, **{**model, "pipeline_tag": "text-generation"})
        hub.add_bucket("acme/neff-cache", {f"{self.name('bucket folder')}/2.28.7631.0/x.neff": b"x"})

    def _fill_folder(self) -> None:
        self.data.mkdir(parents=True)
        (self.data / f"{self.name('file')}.parquet").write_bytes(self.parquet())
        (self.data / f"{self.name('damaged file')}.parquet").write_bytes(b"nothing")
        (self.data / b"raw-\x9b2J\x80.parquet".decode(errors="surrogateescape")).write_bytes(b"nothing")

    # Around it

    def _environment(self, hub: LoopbackHub) -> dict[str, str]:
        around = self.folder / "a[" / "]b" / self.name("home")
        venv = around / self.name("venv")
        host = fake_hosts.trn2_3xlarge(self.folder / self.name("host root"))
        fake_hosts.hold(host, 0, 4711, self.word("holder").replace("\n", " "))
        made_packages.write_program(around / "odd" / "bin" / "python", "printf 'x\\033[2Jno\\n' >&2; exit 3")
        python = made_packages.make_venv(venv)
        return {
            "HOME": str(around),
            "TRN_MODELS_CACHE_DIR": str(around / self.name("cache")),
            "TRN_MODELS_STATE_DIR": str(around / self.name("state")),
            "TRN_MODELS_CONFIG_DIR": str(around / self.name("config")),
            "TRN_MODELS_HOST_ROOT": str(host),
            "TORCH_NEURONX_NEFF_CACHE_DIR": str(around / self.name("graphs")),
            "VIRTUAL_ENV": str(python.parent.parent),
            "CONDA_PREFIX": str(around / "odd"),
            "HF_HOME": str(around / self.name("Hub cache")),
            "HF_ENDPOINT": hub.url,
            "EDITOR": self.word("editor"),
            "TERM_PROGRAM": self.word("terminal program"),
            "NEURON_RT_VISIBLE_CORES": self.word("visible cores"),
            "TRN_MODELS_BELL": "0",
        }

    def _make_runs(self, settings: Settings) -> None:
        about = {"record": {"neuronx_cc": self.text("run record")}, "dataset": self.text("run dataset")}
        about |= {"interpreter": {"argv": [self.text("run python")], "version": self.text("run python version")}}
        plan = run_folders.plan(
            model_id=f"acme/{self.text('run model')}",
            argv=("python", "run.py", self.text("run argument")),
            environment={"A": self.text("run variable")},
            about=about,
        )
        for number in range(2):
            run = runs.create(settings, plan)
            runs.update_state(run.folder, supervisor=run_folders.GONE, note=self.text("run note"))
            if not number:
                run_folders.end(
                    run,
                    result=Result.FAILED,
                    exit_code=1,
                    note=self.text("outcome note"),
                    killed=(self.text("killed"),),
                )
            (run.folder / "log").write_bytes(self.log())
        (runs.runs_folder(settings) / self.name("run folder")).mkdir()

    def log(self) -> bytes:
        """A run's output: every poison as text, and as the bytes that a latin-1 program writes."""
        lines = [f"{self.text('log')}\n".encode("utf-8", "surrogatepass")]
        lines += [f"q{poison}\n".encode("latin-1", "replace") for poison in self.poisons]
        return b"".join([*lines, b"\x9b2J\x90q\x9c \xff\xfe\n", f"RuntimeError: {self.text('log error')}\n".encode()])

    def _remember(self, settings: Settings) -> None:
        values = {"view": "selected", "task": self.text("remembered task")[:900], "searches": {}}
        settings.state_dir.mkdir(parents=True, exist_ok=True)
        (settings.state_dir / "state.json").write_text(json.dumps(values))


NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
