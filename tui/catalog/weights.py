"""What the weights of a model take in memory, from what the Hub tells of its safetensors files. Pure.

A lower bound with its arithmetic, never a verdict: a model may be loaded as another dtype, and more than weights has to
fit beside them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tui.catalog.facts import ModelFacts, count_of

CORE_BYTES: Final = 24 * 2**30
"""Memory of one logical NeuronCore of Trainium2: 24 GiB, 25.8 GB.

A Trainium2 device has 96 GiB in 4 banks of 24 GiB, and by default (a logical core made of two physical ones) 4 logical
cores: Neuron SDK, about-neuron/arch/neuron-hardware/trainium2 and neuron-features/logical-neuroncore-config. The
runtime reports `total_hbm=25769803776`. "GB" in the compiler's messages ("HBM limit of 24.00GB") is GiB.
"""

CORES: Final = (1, 2, 4, 8, 16)
"""Numbers of cores that models are tested on; no record has more than the last."""

BITS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("F4", "FP4"), 4),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    **dict.fromkeys(("BOOL", "I8", "U8"), 8),
    **dict.fromkeys(("F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "E8M0", "UE8"), 8),
    **dict.fromkeys(("BF16", "F16", "I16", "U16"), 16),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("C64", "F64", "I64", "U64"), 64),
}
"""Bits of one element of each safetensors dtype (`Dtype::bitsize` of its Rust source). FP4, E8M0 and UE8 are names that
the Hub's own reader of these files knows as well (huggingface.js, parse-safetensors-metadata)."""

CONTAINERS: Final = frozenset({"I8", "U8", "I16", "U16", "I32", "U32"})
"""Dtypes in which quantized weights are packed, several in one element: GPTQ, AWQ and compressed-tensors in I32, MLX in
U32, MXFP4 and bitsandbytes in U8. For some of these methods the Hub's count is that of the weights inside, for others
(and for models that were uploaded earlier) that of the elements; its answer does not tell which."""

NARROWEST_BITS: Final = 2
"""Bits of the narrowest packed weight that the Hub counts one by one (int2)."""

_PACKED_FROM = 100
"""Packed weights are most of a model: less than one of so many is a table of integers, such as position ids."""

_WEIGHTS_FILE = re.compile(r"model(?:-(\d{5,6})-of-(\d{5,6}))?\.safetensors")
"""The file or files that the Hub counts in: `model.safetensors`, `model-00001-of-00009.safetensors`."""


@dataclass(frozen=True, slots=True)
class Part:
    """The weights of one dtype; `least_bits` and `most_bits` of one of them differ where they may be packed."""

    dtype: str
    weights: int
    least_bits: int
    most_bits: int

    @property
    def least_bytes(self) -> int:
        """Bytes that these take at the least."""
        return _bytes(self.weights, self.least_bits)

    @property
    def most_bytes(self) -> int:
        """Bytes that these take in the files at the most."""
        return _bytes(self.weights, self.most_bits)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a model as the Hub counts them, most of them first.

    `not_counted` are (dtype, weights) of dtypes whose size is not known here; `file_bytes` what the safetensors files
    have together, where that was asked for because weights may be packed.
    """

    parts: tuple[Part, ...]
    not_counted: tuple[tuple[str, int], ...] = ()
    file_bytes: int | None = None

    @property
    def number(self) -> int:
        """Weights as the Hub counts them, of all dtypes."""
        return sum(part.weights for part in self.parts) + sum(count for _, count in self.not_counted)

    @property
    def packed(self) -> bool:
        """Whether it depends on packing how many bytes they take."""
        return any(part.least_bits != part.most_bits for part in self.parts)

    @property
    def least_bytes(self) -> int:
        """Bytes that the weights take at the least."""
        return sum(part.least_bytes for part in self.parts) if self.file_bytes is None else self.file_bytes

    @property
    def most_bytes(self) -> int:
        """Bytes that the counted weights take in the files at the most."""
        return sum(part.most_bytes for part in self.parts) if self.file_bytes is None else self.file_bytes

    @property
    def cores(self) -> int | None:
        """The fewest cores of `CORES` whose memory holds the weights alone; None when not even the most do."""
        return least_cores(self.least_bytes)


def weights_of(facts: ModelFacts) -> Weights | None:
    """The weights of a model; None when the Hub tells no dtype whose size is known, nor the size of the files."""
    by_dtype = facts.parameters_by_dtype
    packed = may_be_packed(by_dtype)
    parts, not_counted = [], []
    for dtype, count in sorted(by_dtype.items(), key=lambda pair: (-pair[1], pair[0])):
        bits = BITS.get(dtype.upper())
        if bits is None:
            not_counted.append((dtype, count))
        else:
            least = NARROWEST_BITS if packed and dtype.upper() in CONTAINERS else bits
            parts.append(Part(dtype, count, least, bits))
    file_bytes = facts.weights_file_bytes if packed else None
    return Weights(tuple(parts), tuple(not_counted), file_bytes) if parts else None


def least_cores(number_of_bytes: int) -> int | None:
    """The fewest cores of `CORES` that together have so many bytes; None when not even the most have them."""
    return next((cores for cores in CORES if cores * CORE_BYTES >= number_of_bytes), None)


def may_be_packed(by_dtype: Mapping[str, int]) -> bool:
    """Whether so many weights are in dtypes that may hold several of them that it matters."""
    in_containers = sum(count for dtype, count in by_dtype.items() if dtype.upper() in CONTAINERS)
    return in_containers * _PACKED_FROM > sum(by_dtype.values())


def stored_bytes(entries: Iterable[Mapping[str, Any]]) -> int | None:
    """Bytes of the safetensors files in a listing of a model's files (`path`, `size`); None when they are not whole.

    Where the same weights are there twice, in one file and in several, the smaller ones.
    """
    sets: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for entry in entries:
        path, size = entry.get("path"), count_of(entry.get("size"))
        named = _WEIGHTS_FILE.fullmatch(path) if isinstance(path, str) else None
        if named is not None and size:
            number, of = (1, 0) if named[1] is None else (int(named[1]), int(named[2]))
            sets[of][number] = size
    whole = [sum(sizes.values()) for of, sizes in sets.items() if len(sizes) == max(of, 1) == max(sizes)]
    return min(whole) if whole else None


def _bytes(weights: int, bits: int) -> int:
    return -(-weights * bits // 8)
