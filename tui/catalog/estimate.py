"""What a model without a record would take, in sentences with their arithmetic: an estimate, never a verdict. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tui import numbers
from tui.catalog.weights import CORE_BYTES, CORES, Part, Weights, weights_of

if TYPE_CHECKING:
    from tui.catalog.evidence import Evidence, Passing
    from tui.catalog.facts import ModelFacts

HEADING: Final = "What would it take?"
BESIDES: Final = (
    "An estimate, not a test: activations, KV cache and compiler workspace come on top, and so may weights that are "
    f"loaded as a wider dtype. Tests cover at most {CORES[-1]} cores."
)

_MOST_PARTS: Final = 4
_MORE_WEIGHTS: Final = {
    "diffusers": "Of a diffusers pipeline the Hub counts the main part: text encoders and VAE come on top.",
    "peft": "It is an adapter: the weights of its base model come on top.",
}
"""Libraries of whose models the Hub counts a part (huggingface.js, parse-safetensors-metadata)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is known of a model without a record.

    `facts` are the Hub's, None when they are not at hand, and `why_not` says why, as a clause; `evidence` is None
    when it was not looked for (yet).
    """

    facts: ModelFacts | None
    why_not: str = ""
    evidence: Evidence | None = None

    @property
    def weights(self) -> Weights | None:
        """The weights as far as the Hub tells of them."""
        return None if self.facts is None else weights_of(self.facts)


def weights_sentences(estimate: Estimate) -> list[str]:
    """How many bytes, and how many cores at the least; or why that cannot be estimated. Not cleaned."""
    weights = estimate.weights
    if weights is None:
        return [f"Cannot be estimated: {_why_not(estimate)}."]
    said = [_arithmetic(weights), _cores(weights)]
    if weights.not_counted and weights.file_bytes is None:
        named = ", ".join(f"{dtype} {many(count)}" for dtype, count in weights.not_counted[:_MOST_PARTS])
        said.append(f"Not counted, since the size of this dtype is not known here: {named}.")
    if (more := _MORE_WEIGHTS.get((estimate.facts and estimate.facts.library) or "")) is not None:
        said.append(more)
    return said


def _why_not(estimate: Estimate) -> str:
    facts = estimate.facts
    if facts is None:
        return f"the Hub's facts of it are not at hand ({estimate.why_not or 'not asked'})"
    if not facts.all_asked:
        return "an earlier version kept the Hub's facts of it without dtypes; they are asked for again"
    if facts.parameters_by_dtype:
        return f"the size of its dtype {next(iter(facts.parameters_by_dtype))} is not known here"
    of_library = f", and this is a {facts.library} model" if facts.library else ""
    return (
        "the Hub tells no dtypes of its weights. It counts them in model.safetensors files only, "
        f"not in GGUF or other files{of_library}"
    )


def _arithmetic(weights: Weights) -> str:
    """`8.19 B weights: BF16 8.19 B x 2 bytes = 16.4 GB`."""
    if weights.file_bytes is not None:
        counted = ", ".join(f"{part.dtype} {many(part.weights)}" for part in weights.parts[:_MOST_PARTS])
        return (
            f"Its safetensors files have {numbers.size(weights.file_bytes)}. They may hold packed weights (the Hub "
            f"counts {counted}), so the bytes of the files count, not the number of weights."
        )
    parts = weights.parts[:_MOST_PARTS]
    terms = [_term(part) for part in parts]
    if (more := len(weights.parts) - len(parts)) > 0:
        terms.append(f"{numbers.counted(more, 'more dtype')}")
    at_least = "at least " if weights.not_counted else ""
    if len(weights.parts) == 1:
        total = f" = {at_least}{_bytes(weights)}"
        text = f"{many(weights.number)} weights: {terms[0]}{total}"
    else:
        text = f"{many(weights.number)} weights: {', '.join(terms)}; {at_least}{_bytes(weights)} in all"
    if not weights.packed:
        return text
    return (
        f"{text}. The Hub counts packed weights one by one or by what holds them, and does not tell which: the sizes "
        "of the files would, and are not at hand."
    )


def _term(part: Part) -> str:
    if part.least_bits != part.most_bits:
        return f"{part.dtype} {many(part.weights)} x {part.least_bits} to {part.most_bits} bits"
    if part.most_bits % 8:
        return f"{part.dtype} {many(part.weights)} x {part.most_bits} bits"
    width = part.most_bits // 8
    return f"{part.dtype} {many(part.weights)} x {width} byte{'' if width == 1 else 's'}"


def _bytes(weights: Weights) -> str:
    least, most = numbers.size(weights.least_bytes), numbers.size(weights.most_bytes)
    return least if not weights.packed or least == most else f"{least} to {most}"


def _cores(weights: Weights) -> str:
    """`One core has 24 GiB (25.8 GB): at least 1 NeuronCore for the weights alone`."""
    one = f"One core has {CORE_BYTES // 2**30} GiB ({numbers.size(CORE_BYTES)})"
    needed, cores = weights.least_bytes, weights.cores
    if cores is None:
        most = f"{CORES[-1]} have {CORES[-1] * CORE_BYTES // 2**30} GiB ({numbers.size(CORES[-1] * CORE_BYTES)})"
        return f"{one}, {most}: more than {CORES[-1]} NeuronCores for the weights alone, more than was ever tested."
    if cores == 1:
        return f"{one}: at least 1 NeuronCore for the weights alone."
    tested = ", ".join(map(str, CORES))
    filled = numbers.decimal(round(needed / CORE_BYTES, 2))
    return (
        f"{one}: {numbers.size(needed)} fill {filled} of them, and tests are on {tested}: "
        f"at least {cores} NeuronCores for the weights alone."
    )


def evidence_sentences(evidence: Evidence) -> list[str]:
    """How tested models like it fared, before they are named. Not cleaned."""
    kind = evidence.model_type
    if kind is None:
        return ["The Hub tells no model type of it, so no tested model can be named as its like.", _limits(evidence)]
    like = evidence.like_size
    if like is None:
        of_type = numbers.counted(evidence.of_type, f"tested {kind} model")
        return [f"Its size is not known: of {of_type} none can be named as of like size.", _limits(evidence)]
    if not evidence.tested:
        found = f"No record of a {kind} model of like size ({between(*like)}) is known here"
    else:
        found = f"{evidence.passing} of {numbers.count(evidence.tested)} tested {kind} models of {between(*like)} pass"
        if evidence.cores is not None:
            least, most = evidence.cores
            cores = numbers.counted(most, "core") if least == most else f"{least}-{most} cores"
            found += f", on {cores}"
        if evidence.passing > len(evidence.named):
            found += f". {len(evidence.named)} of them, on the newest stacks"
    nearest = any((evidence.smaller, evidence.larger))
    found += ". The nearest in size that pass:" if nearest else ":" if evidence.named else "."
    return [found, _limits(evidence)]


def named(evidence: Evidence) -> list[str]:
    """The models that are told as evidence, each with its weights, cores and stack, newest stack first. Not cleaned."""
    nearest = [passing for passing in (evidence.smaller, evidence.larger) if passing is not None]
    return [_passing(passing) for passing in (*evidence.named, *nearest)]


def _passing(passing: Passing) -> str:
    cores = "cores not recorded" if passing.cores is None else numbers.counted(passing.cores, "core")
    return f"{passing.model_id}: {many(passing.parameters)}, {cores}, {passing.stack.label}"


def _limits(evidence: Evidence) -> str:
    """How far this reaches: what was never asked for is not known."""
    known = "Types are known of models that the Hub was asked about before, sizes from rankings too."
    if evidence.without_type:
        without = numbers.count(evidence.without_type)
        known += f" {without} of {numbers.counted(evidence.all_tested, 'other tested model')} have no known type."
    if evidence.without_size:
        known += f" {numbers.count(evidence.without_size)} of this type have no known size."
    return known


def many(weights: int) -> str:
    """A number of weights to three digits: `494 M`, `8.19 B`."""
    value = float(weights)
    for unit in ("", " k", " M", " B"):
        # 999.5 would be rounded to 1000 of the smaller unit.
        if value < 999.5:
            return f"{value:.3g}{unit}"
        value /= 1000
    return f"{value:,.0f} T" if value >= 999.5 else f"{value:.3g} T"


def between(least: int, most: int) -> str:
    """Two numbers of weights: `4.1-16.4 B`, `512 M - 2.05 B`."""
    first, last = many(least), many(most)
    number, _, unit = first.partition(" ")
    return f"{number}-{last}" if unit == last.partition(" ")[2] else f"{first} - {last}"


def as_object(estimate: Estimate) -> dict[str, Any]:
    """The estimate for JSON: bytes are numbers, null for what is not known."""
    facts, weights, evidence = estimate.facts, estimate.weights, estimate.evidence
    return {
        "model_type": None if facts is None else facts.model_type,
        "parameters": None if facts is None else facts.parameters,
        "parameters_by_dtype": {} if facts is None else dict(facts.parameters_by_dtype),
        "weights_least_bytes": None if weights is None else weights.least_bytes,
        "weights_most_bytes": None if weights is None else weights.most_bytes,
        "weights_file_bytes": None if weights is None else weights.file_bytes,
        "dtypes_not_counted": [] if weights is None else [dtype for dtype, _ in weights.not_counted],
        "core_bytes": CORE_BYTES,
        "least_cores": None if weights is None else weights.cores,
        "most_tested_cores": CORES[-1],
        "sentences": [*weights_sentences(estimate), BESIDES],
        "like_it": None if evidence is None else _evidence_object(evidence),
    }


def _evidence_object(evidence: Evidence) -> dict[str, Any]:
    nearest = [passing for passing in (evidence.smaller, evidence.larger) if passing is not None]
    like = evidence.like_size
    return {
        "model_type": evidence.model_type,
        "least_parameters": None if like is None else like[0],
        "most_parameters": None if like is None else like[1],
        "tested": evidence.tested,
        "passing": evidence.passing,
        "named": [_passing_object(passing) for passing in evidence.named],
        "nearest": [_passing_object(passing) for passing in nearest],
        "tested_without_type": evidence.without_type,
        "tested_in_all": evidence.all_tested,
    }


def _passing_object(passing: Passing) -> dict[str, Any]:
    stack = passing.stack
    return {
        "model_id": passing.model_id,
        "parameters": passing.parameters,
        "cores": passing.cores,
        "neuronx_cc": stack.neuronx_cc,
        "library": stack.library,
        "library_version": stack.library_version,
    }
