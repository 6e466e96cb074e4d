"""Ways to damage bytes, chosen by a `random.Random`."""

from __future__ import annotations

import random

_OF_BYTES = ("bits", "bits at the end", "bits in front", "cut", "zeros", "moved", "doubled", "numbers")
KINDS = (*_OF_BYTES, *_OF_BYTES, "random bytes", "empty")


def damaged(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    """(kind, the damaged content). Of a parquet file the end is its footer, of another one its second half."""
    data = bytearray(content)
    kind = chance.choice(KINDS) if data else "random bytes"
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little") if data[-4:] == b"PAR1" else len(data) // 2
    footer = min(max(0, footer), len(data) - 1)
    match kind:
        case "bits" | "bits at the end" | "bits in front":
            first = footer if kind == "bits at the end" else 0
            last = footer if kind == "bits in front" else len(data)
            for _ in range(chance.choice([1, 1, 2, 8, 40])):
                data[chance.randrange(first, max(last, first + 1))] ^= 1 << chance.randrange(8)
        case "cut":
            start = chance.randrange(len(data))
            del data[start : start + chance.choice([1, 4, 100, len(data)])]
        case "zeros":
            start = chance.randrange(len(data))
            length = min(chance.choice([4, 64, 1000]), len(data) - start)
            data[start : start + length] = bytes(length)
        case "moved" | "doubled":
            start, to = chance.randrange(len(data)), chance.randrange(len(data))
            piece = data[start : start + chance.choice([4, 64, 1000])]
            data[to : to + (len(piece) if kind == "moved" else 0)] = piece
        case "numbers":
            for _ in range(chance.choice([1, 3])):
                number = chance.choice([0, 1, 127, 2**31 - 1, -1, -(2**31), 2**62])
                place = chance.randrange(footer, len(data)) if chance.random() < 0.7 else chance.randrange(len(data))
                piece = number.to_bytes(8, "little", signed=True)[: chance.choice([1, 2, 4, 8])]
                data[place : place + len(piece)] = piece
        case "random bytes":
            data = bytearray(chance.randbytes(chance.choice([1, 12, 100, 5_000])))
            if chance.random() < 0.5:
                data = bytearray(b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1")
        case "empty":
            data = bytearray()
    return kind, bytes(data)
