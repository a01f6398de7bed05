#!/usr/bin/env python3
"""Writes what the container's fuzz targets begin with: parts of the golden archives in the clear.

    seeds.py FOLDER    makes FOLDER/Header, Frame, Record, Attributes, Archive and ItemJSON

Each file is one input in the form that its target reads. The reader in Spec/reader opens the archives.
"""

import hashlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GOLDEN = ROOT / "Fixtures" / "vaults" / "golden"
sys.path.insert(0, str(ROOT / "Spec" / "reader"))

from container.credentials import Credentials  # noqa: E402
from container.frames import FrameHeader  # noqa: E402
from container.primitives import COMMIT, INDEX, ITEM, Finding  # noqa: E402
from container.reading import open_archive  # noqa: E402

# Edits for the Archive target, five bytes each: see ArchiveScript.swift.
SCRIPTS = [bytes([edit, frame, 1, 40, 1]) for edit in range(12) for frame in range(0, 24, 3)]


def frames(archive):
    """All frames of the archive, opened."""
    place = archive.two_s
    while place < len(archive.data):
        try:
            header = FrameHeader(archive.data, place)
            yield archive.frame(place)
            place = header.end
        except Finding:
            place += 16  # an end mark


def main(folder):
    def write(target, content):
        path = pathlib.Path(folder) / target
        path.mkdir(parents=True, exist_ok=True)
        (path / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)

    credentials = Credentials()
    credentials.key_files = [path.read_bytes() for path in sorted((GOLDEN / "keys").iterdir())]
    credentials.key_files = [key for key in credentials.key_files if len(key) >= 32]
    for path in sorted(GOLDEN.glob("*.kcarchive")):
        data = path.read_bytes()
        write("Header", data[:4096])
        try:
            archive, _ = open_archive(data, credentials, (16384, 1 << 30))
        except Finding:
            continue
        write("Frame", b"\0" + data[archive.two_s :][:8192])
        for frame in frames(archive):
            content = bytes(frame.content)
            if frame.header.type == ITEM:
                write("Record", bytes([0 + 3 * frame.code]) + content)
                write("Attributes", content[64:])
            elif frame.header.type == INDEX:
                write("Record", bytes([1 + 3 * frame.code]) + content)
            elif frame.header.type == COMMIT:
                write("Record", bytes([2]) + content)
    for script in SCRIPTS:
        write("Archive", script)
    for line in (ROOT / "Fixtures/vaults/sample/items.jsonl").read_bytes().splitlines():
        write("ItemJSON", line)


if __name__ == "__main__":
    main(sys.argv[1])
