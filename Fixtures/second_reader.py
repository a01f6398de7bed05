#!/usr/bin/env python3
"""Compares archives of the program with what the second reader, Spec/reader, finds in them.

    second_reader.py                         every archive of vaults/golden, with every credential
    second_reader.py --program PROGRAM       archives that PROGRAM makes for it, large ones too

Every archive is read through its index, without it as from a pipe, and verified. Prints each
disagreement and ends with 1 if there is one. Needs `cryptography` and `argon2-cffi`; with --program
about a gigabyte of memory, for the second reader holds archives and values as a whole.
"""

import base64
import datetime
import decimal
import hashlib
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Spec" / "reader"))

from container.credentials import Credentials  # noqa: E402
from container.items_json import NAMES  # noqa: E402
from container.primitives import Finding  # noqa: E402
from container.reading import items, open_archive, verify  # noqa: E402

LIMITS = (16384, 1 << 30)
DATES = {"cdat", "mdat", "sdat", "edat", "mtim"}
COLUMNS = {name: column for column, name in NAMES.items()}
COLUMNS |= {"kind": "fkin", "modificationTime": "mtim", "keyType": "type"}


def seconds(text):
    """Seconds since 2001 of an RFC 3339 text in UTC, rounded once."""
    moment = datetime.datetime.fromisoformat(text[:19])
    whole = (moment - datetime.datetime(2001, 1, 1)) // datetime.timedelta(seconds=1)
    with decimal.localcontext() as context:
        context.prec = 400
        return float(whole + decimal.Decimal("0" + text[19:].rstrip("Z")))


def attribute(column, content):
    """What an archive holds for an attribute in JSON: its type and bytes."""
    if column in DATES and not isinstance(content, dict):
        number = seconds(content) if isinstance(content, str) else content
        return 4, struct.pack("<d", number)
    if isinstance(content, bool):
        return 5, bytes([content])
    if isinstance(content, int):
        return 3, content.to_bytes(8, "little", signed=True)
    if isinstance(content, float):
        return 6, struct.pack("<d", content)
    if isinstance(content, str):
        return 1, content.encode()
    (form, inner), = content.items()
    if form == "dateBits" or form == "realBits":
        return 4 if form == "dateBits" else 6, bytes.fromhex(inner)[::-1]
    if form == "plist":
        return 7, base64.b64decode(inner["base64"])
    if form == "unknown":
        return inner["type"], base64.b64decode(inner["base64"])
    if form == "date":
        return attribute("cdat", inner)
    if form == "base64":
        return 2, base64.b64decode(inner)
    return attribute("", inner)  # "text", "integer" or "real" of what is expected to be a date


def expected_item(line):
    """An item in JSON as (attributes by column, value's SHA-256 or None)."""
    given = json.loads(line)
    value, digest = given.pop("value", None), given.pop("valueSHA256", None)
    if value is not None:
        content = value["utf8"].encode() if "utf8" in value else base64.b64decode(value["base64"])
        digest = hashlib.sha256(content).hexdigest()
    plain = given.pop("attributes", {})
    columns = {COLUMNS.get(name, name): content for name, content in given.items()} | plain
    return {c: attribute(c, content) for c, content in columns.items()}, digest


def found_item(archive, item):
    value = archive.value(item)
    digest = None if value is None else hashlib.sha256(value).hexdigest()
    return {c: (kind, bytes(content)) for c, (kind, content) in item.attributes.items()}, digest


def disagreements(path, credentials, expected):
    """Every way in which the reader sees `path` differently, as texts."""
    data = path.read_bytes()
    for way in ("index", "scan", "verify"):
        try:
            archive, copies = open_archive(data, credentials, LIMITS)
            if way == "verify":
                verify(archive, copies)
            else:
                by_scan = way == "scan"
                found = [found_item(archive, i) for i in items(archive, by_scan, by_scan)]
                if found != expected:
                    pairs = [n for n, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]]
                    yield "%s: %d items for %d, different: %s" % (
                        way, len(found), len(expected), pairs[:3],
                    )
                    for n in pairs[:3]:
                        yield "%s: item %d is %r for %r" % (way, n, found[n], expected[n])
            for finding in archive.findings + archive.warnings:
                yield "%s: finding %d at %s: %s" % (
                    way, finding.status, finding.place, finding.reason,
                )
        except Finding as finding:
            yield "%s: error %d at %s: %s" % (way, finding.status, finding.place, finding.reason)


def expected_items(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return [expected_item(line) for line in lines]


def golden():
    """(what, path, credentials, expected items) of each line of the manifest."""
    folder = HERE / "vaults" / "golden"
    lines = (folder / "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()[1:]
    for line in lines:
        name, passphrase, key_file, mixed, expected = line.split("\t")
        credentials = Credentials()
        if passphrase != "-":
            credentials.passphrases.append(passphrase.encode())
        if key_file != "-":
            credentials.key_files.append((folder / key_file).read_bytes())
        if mixed != "-":
            credentials.mixed_key_files.append((folder / mixed).read_bytes())
        yield name, folder / name, credentials, expected_items(folder / expected)


def line_of(number, value):
    service = "s%d" % (number % 97)
    return {"class": "genp", "service": service, "account": str(number), "value": value}


def recipes():
    """(what, items as JSON, further options) of each archive that the program is asked for."""
    source = random.Random(20240501)
    text = "peas, beans and marrows; "
    yield "empty", [], []
    yield "60,000 items", (
        line_of(n, {"utf8": "v%d" % n}) for n in range(60_000)
    ), []
    chunk = 1_048_568
    yield "random values around chunks", (
        line_of(n, {"base64": base64.b64encode(source.randbytes(count)).decode()})
        for n, count in enumerate((0, 1, 63, 4096, chunk - 1, chunk, chunk + 1, 5 * chunk + 17))
    ), []
    yield "deflated values around chunks", (
        line_of(n, {"utf8": (text * (count // len(text) + 1))[:count]})
        for n, count in enumerate((4095, 4096, 4097, chunk, 2 * chunk, 40 * chunk + 3))
    ), []
    mixed = [source.randbytes(chunk), text.encode() * 50_000]
    mixed += [source.randbytes(3 * chunk), bytes(chunk)]
    yield "chunks that deflate and chunks that do not", [
        line_of(0, {"base64": base64.b64encode(b"".join(mixed)).decode()}),
        line_of(1, {"base64": base64.b64encode(b"".join(reversed(mixed))).decode()}),
    ], []
    yield "1,023 attributes", [
        {"class": "keys"} | {"attribute%04d" % n: "x" * (n % 200) for n in range(1023)}
    ], []
    yield "long attributes and names", [
        {"class": "genp", "account": "ä" * 30_000, "n" * 255: {"base64": "AA" * 20_000}}
    ], []
    yield "stored values", (
        line_of(n, {"utf8": text * n}) for n in range(2000)
    ), ["--no-compress"]


def made(program, folder):
    """As `golden`, for archives that the program makes."""
    key_file = folder / "key"
    key_file.write_bytes(random.Random(1).randbytes(64))
    credentials = Credentials()
    credentials.key_files.append(key_file.read_bytes())
    source, output = folder / "items.jsonl", folder / "made.kcarchive"
    command = [program, "pack", "--key-file", key_file, "--force"]
    quiet = {"check": True, "stderr": subprocess.DEVNULL}
    for what, lines, options in recipes():
        with open(source, "w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        expected = expected_items(source)
        subprocess.run([*command, *options, "-o", output, source], **quiet)
        yield what, output, credentials, expected
        with open(output, "wb") as pipe, open(source, "rb") as standard_input:
            to_pipe = [*command, *options, "-o", "-", "-"]
            packing = subprocess.Popen(
                to_pipe, stdin=standard_input, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            pipe.write(packing.stdout.read())
            if packing.wait() != 0:
                raise SystemExit("%s: the program ended with %d" % (what, packing.returncode))
        yield what + ", through pipes", output, credentials, expected
        output.unlink()


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:2] == ["--program"] and len(sys.argv) == 3:
            for variable in ("KCARCHIVE_PASSPHRASE", "KCARCHIVE_PASSPHRASE_FILE"):
                os.environ.pop(variable, None)
            archives = made(sys.argv[2], pathlib.Path(folder))
        elif len(sys.argv) == 1:
            archives = golden()
        else:
            raise SystemExit("usage: second_reader.py [--program PROGRAM]")
        for what, path, credentials, expected in archives:
            size = path.stat().st_size
            found = list(disagreements(path, credentials, expected))
            count += len(found)
            print("%s: %d items, %d bytes: %s" % (
                what, len(expected), size, "different" if found else "the same",
            ), flush=True)
            for text in found:
                print("  " + text[:2000])
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
