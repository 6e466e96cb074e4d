"""From a record and this host to the steps of a rerun, each ready to start or with the reason why not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tui.host import fit_stack
from tui.host.checklist import Topic
from tui.host.fit import Fit, fit_of
from tui.host.fit_devices import OTHER_FAMILY, cores_needed
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.host.versions import same_version
from tui.numbers import counted, size
from tui.rerun import devices, run_environment
from tui.rerun import overlay as overlays
from tui.rerun.about import about_of
from tui.rerun.plan import TITLES, Kind, Plan
from tui.rerun.preparation import Changes, Here, Preparation, Step, Wanted
from tui.rerun.recipe import Recipe, recipe_of
from tui.rerun.run_environment import StepEnvironment
from tui.rerun.step_commands import find_program
from tui.settings import Settings
from tui.terminal_text import clean

__all__ = ["overlay_folder", "prepare"]

# As huggingface_hub checks a repository's id; a word that begins with - would be an option.
_MODEL_ID = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)?[A-Za-z0-9_][A-Za-z0-9_.-]*")

# huggingface_hub shows bars where there is no terminal when TQDM_POSITION is -1 (utils/tqdm.py), and the other keeps
# it from asking for its own newest version.
_PROGRESS: Mapping[str, str] = {"TQDM_POSITION": "-1", "HF_HUB_DISABLE_UPDATE_CHECK": "1"}

_OFFLINE = "Offline use was asked for."
_NO_HF = "`hf` was found neither beside this app's Python nor on PATH: install huggingface_hub."
_OFF_HOST = "Off a trn2 host nothing is run; --any-host allows it, to try the app."


def prepare(
    settings: Settings,
    wanted: Wanted,
    here: Here,
    changes: Changes,
    environ: Mapping[str, str],
    *,
    queue: bool = False,
    into_own: bool = False,
) -> Preparation:
    """The checklist and the steps. Reads nothing but its values, apart from looking where `hf` and `aws` are.

    `settings.any_host` allows Run where there is no trn2 host. `into_own` installs packages into the interpreter
    itself instead of an overlay, and then no overlay is used.
    """
    recipe = recipe_of(wanted.record, wanted.script)
    cores = cores_needed(wanted.record)
    overlay = None if into_own or here.overlay is None or here.overlay.problem else here.overlay
    python = overlay or here.interpreter
    script = wanted.script if changes.script is None else changes.script
    edited = script != wanted.script or bool(changes.environment) or bool(changes.arguments)
    fit = _fit(settings, wanted, here, overlay)
    base = _Base(
        settings=settings,
        wanted=wanted,
        here=here,
        environ=environ,
        added=changes.environment,
        about=about_of(wanted, here, overlay, changes),
    )
    environment = run_environment.of_run(settings, python, here.interpreter, changes.environment, environ)
    digest = recipe_of(wanted.record, script).script_sha256
    plan = None
    if python is not None and not python.problem and script is not None:
        plan = base.plan(
            Kind.RUN,
            _run_argv(python, changes.arguments),
            environment,
            cores=cores,
            any_host=settings.any_host,
            queue=queue,
            script=script,
            sha256=digest,
            recorded_sha256=recipe.script_sha256,
            edited=edited,
            elsewhere=python.argv if python.elsewhere else (),
        )
    steps = (
        _weights(base),
        _graphs(base),
        _install(base, recipe, overlay, into_own=into_own),
        _run(base, plan, _why_not_run(settings, here, script, cores)),
    )
    return Preparation(_as_can_be_done(fit, steps), steps, environment.shown, digest, recipe.script_sha256, edited)


def overlay_folder(settings: Settings, interpreter: Interpreter, packages: tuple[str, ...]) -> Path:
    """Where the overlay for these requirements on top of this interpreter is, or will be made."""
    return overlays.folder(settings.cache_dir, interpreter, packages)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """What all steps are made from."""

    settings: Settings
    wanted: Wanted
    here: Here
    environ: Mapping[str, str]
    added: Mapping[str, str]
    about: Mapping[str, Any]

    def plan(self, kind: Kind, argv: Sequence[str], environment: StepEnvironment, **fields: Any) -> Plan:
        return Plan(
            kind=kind,
            model_id=self.wanted.record.model_id or "",
            argv=tuple(argv),
            environment=environment.open,
            hidden=environment.hidden,
            about=self.about,
            **fields,
        )

    def step(self, kind: Kind, argv: Sequence[str], set_here: Mapping[str, str], remark: str) -> Step:
        """A step that runs a program of this machine and touches no device."""
        environment = run_environment.separated({**set_here, **self.added})
        command = run_environment.command_line(argv, environment, self.environ)
        return Step(kind, TITLES[kind], command, self.plan(kind, argv, environment), remark=remark)


def _without(kind: Kind, reason: str, command: str = "", remark: str = "", on_screen: str = "") -> Step:
    return Step(kind, TITLES[kind], command, None, reason, remark, on_screen)


def _fit(settings: Settings, wanted: Wanted, here: Here, overlay: Interpreter | None) -> Fit:
    fit = fit_of(
        wanted.record,
        here.host,
        here.interpreter,
        here.surroundings,
        wanted.facts,
        taken=here.taken,
        any_host=settings.any_host,
        installed_on_top=None if overlay is None else overlay.packages,
        asking=wanted.asking,
    )
    # An invented model has no weights to fetch.
    return Fit(tuple(item for item in fit.items if item.name != Topic.WEIGHTS)) if wanted.sample else fit


def _as_can_be_done(fit: Fit, steps: Sequence[Step]) -> Fit:
    """Nobody is sent to a step that cannot be started: why it cannot stands there instead."""
    install = next(step for step in steps if step.kind is Kind.INSTALL)
    if install.plan is not None:
        return fit
    reason, by_key = install.reason, install.on_screen
    return Fit(
        tuple(
            replace(item, advice=reason, on_screen=by_key) if item.advice == fit_stack.ON_TOP else item
            for item in fit.items
        )
    )


def _weights(base: _Base) -> Step:
    model_id = base.wanted.record.model_id or ""
    if base.wanted.sample:
        return _without(Kind.WEIGHTS, "The models of the sample are invented: there is nothing to fetch.")
    if not _MODEL_ID.fullmatch(model_id):
        return _without(Kind.WEIGHTS, f"«{clean(model_id)}» is not an id of a model on the Hub.")
    if base.settings.offline:
        return _without(Kind.WEIGHTS, _OFFLINE)
    program = find_program("hf", base.environ)
    if program is None:
        return _without(Kind.WEIGHTS, _NO_HF)
    here, facts = base.here.surroundings.weights_here, base.wanted.facts
    if here:
        remark = "already there"
    elif facts is not None and facts.size_bytes is not None:
        remark = f"up to {size(facts.size_bytes)} to download"
    else:
        remark = "asking the Hub for its size …" if base.wanted.asking else "its size is not known"
    if base.here.interpreter is not None and base.here.interpreter.elsewhere:
        remark += "; into this machine's cache, which the other place may not see"
    return base.step(Kind.WEIGHTS, (program, "download", model_id), _PROGRESS, remark)


def _graphs(base: _Base) -> Step:
    cache = base.wanted.cache
    if base.wanted.sample:
        return _without(Kind.GRAPHS, "The records of the sample are invented: no compiled graphs belong to them.")
    if cache is None:
        asking = "Asking the Hub where compiled graphs are …"
        return _without(Kind.GRAPHS, asking if base.wanted.asking else "Nobody looked yet where compiled graphs are.")
    if base.added.get(run_environment.NEFF_CACHE_VARIABLE):
        cache = cache.into(run_environment.neff_cache_of_run(base.settings, base.added))
    if not cache.argv:
        return _without(Kind.GRAPHS, cache.note)
    remark = f"a candidate, unverified; {cache.source}" if cache.candidate else cache.source
    if base.settings.offline:
        return _without(Kind.GRAPHS, _OFFLINE, cache.line, remark)
    name, *rest = cache.argv
    program = find_program(name, base.environ)
    if program is None:
        missing = _NO_HF if name == "hf" else f"`{name}` is not on PATH: install the AWS command line interface."
        return _without(Kind.GRAPHS, missing, cache.line, remark)
    return base.step(Kind.GRAPHS, (program, *rest), _PROGRESS if name == "hf" else {}, remark)


def _install(base: _Base, recipe: Recipe, overlay: Interpreter | None, *, into_own: bool) -> Step:
    packages = tuple(package.requirement for package in recipe.packages)
    interpreter = base.here.interpreter
    left_out = " ".join(recipe.left_out)
    if interpreter is None or interpreter.problem:
        # No command: a line with `pip` would change whatever environment it is pasted into.
        reason = _why_not_install(base, recipe, overlay, into_own=into_own)
        asks_for_python = reason == _why_no_python(interpreter)
        remark = " · ".join(filter(None, (" ".join(packages), left_out)))
        return _without(
            Kind.INSTALL, reason, remark=remark, on_screen=_why_no_python(interpreter, keys=True) * asks_for_python
        )
    if reason := _why_not_install(base, recipe, overlay, into_own=into_own):
        return _without(Kind.INSTALL, reason, remark=left_out)
    folder = None if into_own or interpreter.elsewhere else overlay_folder(base.settings, interpreter, packages)
    command = overlays.pip_line(interpreter, folder, packages)
    if interpreter.elsewhere:
        reason = "That place is not this machine: install them there by hand."
        return _without(Kind.INSTALL, reason, command, left_out)
    own = f"into {interpreter.name} itself, whose stack is held by the constraints"
    goes = own if folder is None else f"into an environment of its own: {folder}"
    argv = overlays.install_argv(interpreter, folder, packages)
    plan = base.plan(Kind.INSTALL, argv, run_environment.separated(base.added))
    remark = " · ".join(filter(None, [clean(goes), left_out]))
    return Step(Kind.INSTALL, TITLES[Kind.INSTALL], command, plan, remark=remark)


def _why_not_install(base: _Base, recipe: Recipe, overlay: Interpreter | None, *, into_own: bool) -> str:
    interpreter = base.here.interpreter
    if base.wanted.sample:
        return "The script of the sample needs no packages."
    if not recipe.packages:
        return "The record names no package with its version."
    if interpreter is None or interpreter.problem:
        return _why_no_python(interpreter)
    installed = {**interpreter.packages, **(overlay.packages if overlay is not None else {})}
    if all(same_version(installed.get(package.name, ""), package.version) for package in recipe.packages):
        return "Already as tested." if overlay is None else "Already as tested, on top of the interpreter."
    if into_own and not interpreter.elsewhere and not interpreter.has_pip:
        return clean(f"{interpreter.name} has no pip.")
    return ""


def _run(base: _Base, plan: Plan | None, reason: str) -> Step:
    """The step that runs the script; where it cannot be started, its command all the same, for another host."""
    if plan is None:
        python = base.here.interpreter
        by_key = _why_no_python(python, keys=True) if reason == _why_no_python(python) else ""
        return _without(Kind.RUN, reason, on_screen=by_key)
    environment = StepEnvironment(plan.environment, plan.hidden)
    if plan.elsewhere:
        command = shlex.join([*plan.elsewhere, *plan.argv[1:]])
        remark = "the script and its environment are handed over through stdin; cores and port are chosen at the start"
    else:
        command = run_environment.command_line(plan.argv, environment, base.environ)
        remark = "cores and port are chosen at the start"
    return Step(Kind.RUN, TITLES[Kind.RUN], command, None if reason else plan, reason, remark)


def _run_argv(python: Interpreter, arguments: Sequence[str]) -> tuple[str, ...]:
    if python.elsewhere:
        return ("python", "run.py", *arguments)
    # As it calls itself: that is absolute, and a run starts in a folder of its own.
    return (python.executable or python.argv[0], "run.py", *arguments)


def _why_not_run(settings: Settings, here: Here, script: str | None, cores: int) -> str:
    if script is None:
        return "No run.py is recorded."
    if here.interpreter is None or here.interpreter.problem:
        return _why_no_python(here.interpreter)
    host = here.host
    if not settings.any_host and not host.devices:
        why = f": {host.why_none}" if host.why_none else ""
        return clean(f"There is no Neuron device here{why}. {_OFF_HOST}")
    if not settings.any_host and host.generation in OTHER_FAMILY:
        return f"This is a host with {host.generation} devices, to which the records do not apply. {_OFF_HOST}"
    return _why_never(host, cores) if host.devices else ""


def _why_never(host: Host, cores: int) -> str:
    """Why the devices would not do even if nobody held one; no queue and no «run anyway» help then."""
    if not host.cores:
        return "How many cores the devices have could not be found out, so none can be given to a run."
    if cores > host.cores:
        other = "Take a larger host, or a record with fewer cores."
        return f"{counted(cores, 'core')} needed, this host has {host.cores}. {other}"
    empty = replace(host, devices=tuple(replace(device, holders=()) for device in host.devices))
    answer = devices.allocate(empty, cores, ())
    return f"It cannot have its cores here: {answer}." if isinstance(answer, str) else ""


def _why_no_python(interpreter: Interpreter | None, *, keys: bool = False) -> str:
    """With `keys` what to do is told by the key of the rerun screen instead of an option."""
    if interpreter is None:
        return f"No Python was found to run it with. {'i takes one.' if keys else '--python PATH names one.'}"
    said = f"{interpreter.name}: {interpreter.problem}"
    end = "" if said.endswith((".", "?", "!", "…")) else "."
    return clean(f"{said}{end} {'i picks another.' if keys else '--python PATH names another.'}")
