"""The part of a checklist that is about weights, disks, token and logout. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.host.checklist import HUGGING_FACE_CACHE, NEFF_CACHE, RUN_FOLDER, Disk, Item, Level, Surroundings, Topic
from tui.numbers import size
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts

LOW_BYTES = 5_000_000_000
"""Free space below which a disk is worth a warning."""
FULL_BYTES = 100_000_000
"""Free space below which nothing can be expected to work."""

_ROOM = "Make room, or put it on another disk"
_NAMED_BY = {
    HUGGING_FACE_CACHE: "HF_HOME",
    NEFF_CACHE: "TORCH_NEURONX_NEFF_CACHE_DIR",
    RUN_FOLDER: "TRN_MODELS_STATE_DIR",
}


def items(surroundings: Surroundings, facts: ModelFacts | None, *, asking: bool = False) -> list[Item]:
    """Items about what is around a run; `facts` are the Hub's of the model, None when not asked, or not yet.

    With `asking` the Hub is being asked for them.
    """
    said = [_weights(surroundings, facts, asking=asking)]
    if facts is not None and facts.gated:
        said.append(_token(surroundings, str(facts.gated)))
    said += [_disk(disk) for disk in surroundings.disks]
    if surroundings.logout_kills:
        text = "a logout ends all your processes here, this run too (KillUserProcesses of logind)"
        said.append(Item(Level.WARNING, "logout", text, "`loginctl enable-linger` lets it go on."))
    elif surroundings.logout_kills is False:
        said.append(Item(Level.OK, "logout", "KillUserProcesses of logind does not end this run"))
    return said


def least_bytes(facts: ModelFacts) -> int | None:
    """What the weights take at the least, in bytes; None when nothing is known.

    A parameter as safetensors counts it takes a byte or more; the Hub's size is of all revisions and formats
    together, so it is only what they take at the most.
    """
    if facts.parameters is None or facts.size_bytes is None:
        return facts.parameters
    return min(facts.parameters, facts.size_bytes)


def _weights(surroundings: Surroundings, facts: ModelFacts | None, *, asking: bool) -> Item:
    if surroundings.weights_here:
        return Item(Level.OK, Topic.WEIGHTS, "already in the Hugging Face cache")
    most = None if facts is None else facts.size_bytes
    least = None if facts is None else least_bytes(facts)
    free = next((disk.free_bytes for disk in surroundings.disks if disk.name == HUGGING_FACE_CACHE), None)
    has = "free space is not known" if free is None else f"{size(free)} free"
    if most is not None:
        text = f"up to {size(most)} to download (all revisions together), {has}"
    elif least is not None:
        text = f"at least {size(least)} to download, {has}"
    elif asking:
        text = f"asking the Hub how much there is to download …, {has}"
        return Item(Level.WARNING, Topic.WEIGHTS, text, "Its answer comes in a moment, also whether a token is needed.")
    else:
        text = f"how much there is to download is not known, {has}"
        return Item(Level.WARNING, Topic.WEIGHTS, text, "Look at the files of the model on the Hub.")
    if free is not None and least is not None and free < least:
        text = f"at least {size(least)} to download, {has}"
        return Item(
            Level.BLOCKING, Topic.WEIGHTS, text, f"{_ROOM}: HF_HOME names the folder.", "no room for the weights"
        )
    if free is not None and most is not None and free < most:
        return Item(Level.WARNING, Topic.WEIGHTS, text, f"It may not be enough. {_ROOM}: HF_HOME names the folder.")
    return Item(Level.OK, Topic.WEIGHTS, text)


def _token(surroundings: Surroundings, gated: str) -> Item:
    how = "" if gated == "True" else f" ({gated} approval)"
    if surroundings.has_token:
        text = f"the model is gated{how}; there is a token, and only the Hub knows whether its owner may read it"
        return Item(Level.OK, "token", text)
    if surroundings.weights_here:
        return Item(Level.OK, "token", f"the model is gated{how} and there is no token, but its weights are here")
    advice = "Accept the terms on the model's page, then `hf auth login` or set HF_TOKEN."
    text = f"the model is gated{how} and no token was found: the Hub answers 401 or 403"
    return Item(Level.BLOCKING, "token", text, advice, "gated, and no token")


def _disk(disk: Disk) -> Item:
    if not disk.writable:
        level = Level.BLOCKING if disk.name == RUN_FOLDER else Level.WARNING
        text = f"{disk.name}: cannot be written by you ({_shown(disk)})"
        advice = f"Make it writable for you, or let {_NAMED_BY[disk.name]} name another folder."
        return Item(level, "disk", text, advice, f"the {disk.name} cannot be written")
    if disk.free_bytes is None:
        text = f"{disk.name}: free space is not known ({_shown(disk)})"
        return Item(Level.WARNING, "disk", text, "See that the folder can be read: `df` tells the space.")
    text = f"{disk.name}: {size(disk.free_bytes)} free ({_shown(disk)})"
    if disk.free_bytes < FULL_BYTES:
        return Item(Level.BLOCKING, "disk", text, f"{_ROOM}.", f"no room for the {disk.name}")
    return (
        Item(Level.WARNING, "disk", text, f"{_ROOM}.") if disk.free_bytes < LOW_BYTES else Item(Level.OK, "disk", text)
    )


def _shown(disk: Disk) -> str:
    return clean(str(disk.folder))
