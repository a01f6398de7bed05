#!/usr/bin/env python3
"""Makes the conformance vectors of Spec/container.md in the folder container/.

    make_container_vectors.py            writes every vector; removes those that are no more
    make_container_vectors.py --check    compares them with what is there, archive by archive

It shares no code with the program nor with Spec/reader. All keys, salts and segments are fixed.
"""

import pathlib
import sys

from making import (
    cases_attacks,
    cases_chain,
    cases_commits,
    cases_deletion,
    cases_frames,
    cases_header,
    cases_index,
    cases_items,
    cases_order,
    cases_sessions,
    cases_slots,
    cases_state,
)
from making.vector import VECTORS

FOLDER = pathlib.Path(__file__).resolve().parent / "container"
CASES = [
    cases_header,
    cases_slots,
    cases_frames,
    cases_order,
    cases_items,
    cases_index,
    cases_commits,
    cases_chain,
    cases_sessions,
    cases_state,
    cases_deletion,
    cases_attacks,
]


def described(text):
    """A vector without its packed bytes, which differ between versions of zlib; SHA-256 stays."""
    return text.partition("\n\n")[0]


def main(words):
    for cases in CASES:
        cases.make()
    FOLDER.mkdir(exist_ok=True)
    there = {path.stem: path.read_text() for path in FOLDER.glob("*.txt")}
    if words == ["--check"]:
        names = sorted(VECTORS.keys() | there.keys())
        differing = [
            n for n in names if described(VECTORS.get(n, "")) != described(there.get(n, ""))
        ]
        for name in differing:
            print("differs: " + name)
        return 1 if differing else 0
    for name in there.keys() - VECTORS.keys():
        (FOLDER / (name + ".txt")).unlink()
    for name, text in VECTORS.items():
        (FOLDER / (name + ".txt")).write_text(text)
    print("%d vectors, %d bytes" % (len(VECTORS), sum(map(len, VECTORS.values()))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
