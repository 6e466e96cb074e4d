"""One line for any POSIX shell that runs a record again elsewhere: for a colleague, or a file for sbatch. Pure."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import shlex

from tui.errors import NoDataError, UsageError
from tui.host.fit_devices import cores_needed
from tui.numbers import counted
from tui.rerun import run_environment
from tui.rerun.preparation import Changes, Wanted
from tui.rerun.recipe import recipe_of
from tui.rerun.recipe_file import script_bytes
from tui.rerun.run_environment import NEFF_CACHE_VARIABLE, NEFF_LOCKS_VARIABLE, NEURON_TOOLS, StepEnvironment
from tui.terminal_text import acting, clean

FOLDER = "trn-models-runs"
"""Below the home folder there; TRN_MODELS_FOLDER names another."""

_FOLDERS = (NEFF_CACHE_VARIABLE, NEFF_LOCKS_VARIABLE)
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def shell_line(wanted: Wanted, changes: Changes, *, python: str = "python3") -> str:
    """The line: it makes a folder, writes run.py from its own text, checks the SHA-256, and runs it.

    It installs nothing: a no-op at its beginning tells what it is and which packages belong on top. It takes
    NEURON_RT_NUM_CORES cores, as which ones are free there is not known (NEURON_RT_VISIBLE_CORES wins when it is
    set there). Its exit code is the script's. Secrets are not in it: they are taken from the variables there.

    Raises `NoDataError` without a script, and `UsageError` for a word with a line break or other control characters.
    """
    script = wanted.script if changes.script is None else changes.script
    if script is None:
        raise NoDataError("No run.py is recorded", clean(wanted.record.model_id or ""), "Choose another record.")
    for word in (python, *changes.arguments, *changes.environment.values()):
        if found := acting(word):
            detail = f"A terminal would act on {found} in «{clean(word)}» when the line is pasted."
            raise UsageError("No line for a shell can hold control characters", detail, "Leave them out.")
    data = script_bytes(script)
    digest = hashlib.sha256(data).hexdigest()
    packed = base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")
    part = '"run.py.$$"'
    added = run_environment.separated(changes.environment)
    assignments = _assignments(wanted, added)
    set_there = (f"{name}={value}" for name, value in assignments.items())
    steps = [
        # Before the folder is changed: `python` may be a relative path.
        f"p=$({shlex.quote(python)} -c {shlex.quote('import sys; print(sys.executable)')})",
        f'd="${{TRN_MODELS_FOLDER:-$HOME/{FOLDER}}}"/{_folder_name(wanted, digest)}',
        'mkdir -p "$d"',
        'cd "$d"',
        f"printf %s {packed} | base64 -d | gzip -dc > {part}",
        f"printf '%s  %s\\n' {digest} {part} | sha256sum -c - >&2",
        f"mv -f {part} run.py",
        *(f'export {name}="${{{name}?is to be set before}}"' for name in added.hidden),
        # A folder that cannot be used is fatal to torch-neuronx; whether it makes all parents is not documented.
        f"mkdir -p -- {' '.join(assignments[name] for name in _FOLDERS)}",
        f'exec env {" ".join(set_there)} "$p" {shlex.join(["run.py", *changes.arguments])}',
    ]
    return f": {shlex.quote(_about(wanted, changes, digest))}; ( {' && '.join(steps)} )"


def _assignments(wanted: Wanted, added: StepEnvironment) -> dict[str, str]:
    """Name -> value as a shell reads it; a secret is set before and not among them."""
    usual = {
        "PATH": f'"${{p%/*}}":{NEURON_TOOLS}:"$PATH"',
        "NEURON_RT_NUM_CORES": str(cores_needed(wanted.record)),
        NEFF_CACHE_VARIABLE: f'"${{{NEFF_CACHE_VARIABLE}:-$HOME/.cache/neff_cache}}"',
        NEFF_LOCKS_VARIABLE: f'"${{{NEFF_LOCKS_VARIABLE}:-$HOME/.cache/trn-models/neff_locks}}"',
        "PYTHONUNBUFFERED": "1",
    }
    # An empty folder means the default to torch-neuronx, as here.
    chosen = {name: shlex.quote(value) for name, value in added.open.items() if value or name not in _FOLDERS}
    return {**usual, **chosen}


def _folder_name(wanted: Wanted, digest: str) -> str:
    name = _NOT_IN_A_NAME.sub("-", wanted.record.model_id or "model").strip("-.") or "model"
    return f"{name[:80]}-{digest[:12]}"


def _about(wanted: Wanted, changes: Changes, digest: str) -> str:
    record = wanted.record
    recipe = recipe_of(record, None)
    revision = f" at {wanted.revision}" if wanted.revision else ""
    said = [
        f"trn-models: {record.model_id or 'model'} on {counted(cores_needed(record), 'core')}",
        f"recorded with {record.stack.label}",
        f"run.py {'(edited) ' if changes else ''}of {wanted.dataset}{revision}",
        f"SHA-256 {digest}",
    ]
    if recipe.install_line and not wanted.sample:
        said.append(f"it needs, and does not install: {recipe.install_line}")
    return clean("; ".join(said))
