#!/usr/bin/env python3
"""Runs every vector through the reader in Spec/reader and, on request, through the program.

    check.py [--program PROGRAM] [--jobs N] [NAME ...]

Prints each difference between a vector and what came out, then the counts; status 1 if anything
differs. README.md describes the vectors and their paths.
"""

import argparse
import base64
import fnmatch
import concurrent.futures
import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Spec" / "reader"))

import kcarchive_reader  # noqa: E402  (found by the line above)

GIVING = ("list", "read", "pipe-list", "pipe")
MADE = ("compact", "salvage")  # make a new archive
STATUSES = {0, 3, 4, 10, 11, 12, 13, 14, 15, 16, 17}  # of Spec/cli.md, as far as archives have them
READER_WORDS = {
    "list": ["--list"],
    "read": [],
    "pipe-list": ["--list", "--scan"],
    "pipe": ["--scan"],
    "verify": ["--verify"],
    "structure": ["--verify"],
}
PROGRAM_WORDS = {
    "list": ["list", "{}", "--jsonl"],
    "read": ["restore", "{}", "--to", "jsonl", "-o", "-"],
    "pipe-list": ["list", "-", "--jsonl"],
    "pipe": ["restore", "-", "--to", "jsonl", "-o", "-"],
    "verify": ["verify", "{}", "--json"],
    "pipe-verify": ["verify", "-", "--json"],
    "structure": ["verify", "{}", "--json"],
}
NEW = ("zoe", b"a value that was put")  # what `append` adds
CREDENTIALS = ("passphrase-hex", "key-file", "with-key-file", "identity", "recovery-code")
READER_OPTIONS = {
    "key-file": "--key-file",
    "with-key-file": "--with-key-file",
    "identity": "-i",
    "recovery-code": "--recovery-code-file",
}
PROGRAM_OPTIONS = {
    "passphrase-hex": "--passphrase-file",
    "key-file": "--key-file",
    "with-key-file": "--with-key-file",
    "identity": "-i",
    "recovery-code": "--recovery-code --passphrase-file",
}


class Vector:
    def __init__(self, path):
        head, _, packed = path.read_text().partition("\n\n")
        first, *lines = head.split("\n")
        if first != "kcarchive vector 1":
            raise ValueError("%s is not a vector" % path)
        self.fields = [tuple(line.split(": ", 1)) for line in lines]
        self.name = self.only("name")
        self.data = zlib.decompress(base64.b64decode(packed))
        if hashlib.sha256(self.data).hexdigest() != self.only("sha256"):
            raise ValueError("%s does not hold the archive that it names" % path)
        self.credentials = [(k, v) for k, v in self.fields if k in CREDENTIALS]
        self.options = [word for option in self.all("option") for word in option.split(" ")]
        self.limits = [w for w in self.all("option") if w.startswith("--kdf")]
        self.limits = [word for option in self.limits for word in option.split(" ")]
        self.freshness = [word for word in self.options if word not in self.limits]

    def all(self, key):
        return [value for name, value in self.fields if name == key]

    def only(self, key):
        (value,) = self.all(key)
        return value

    def statuses(self, path):
        """The statuses that the path may end with, or None when the vector says nothing."""
        said = self.all(path)
        return set(map(int, said[0].split(" or "))) if said else None

    def items(self, path):
        """(name, digest, marked as possibly outdated), sorted; None where it is left open."""
        if path in self.all("free"):
            return None
        rows = []
        for line in self.all("item"):
            name, digest, *paths = line.split(" ")
            digest = None if path.endswith("list") else digest
            marks = {path: False, path + "*": True, path + "?": None}
            rows += [(name, digest, marks[p]) for p in paths if p in marks]
        return sorted(rows, key=str)


def shown(lines, values=True):
    """The items that came out as JSON lines, as Vector.items has them."""
    rows = []
    for line in filter(None, lines.split("\n")):
        item = json.loads(line)
        value, digest = item.get("value"), None
        if values:
            digest = "none"
            if value is not None:
                raw = (
                    value["utf8"].encode() if "utf8" in value else base64.b64decode(value["base64"])
                )
                digest = hashlib.sha256(raw).hexdigest()
        rows.append((item.get("account", "?"), digest, item.get("mayBeOutdated", False)))
    return sorted(rows, key=str)


class Run:
    """One vector in a folder of its own: the archive and what opens it."""

    def __init__(self, vector, folder):
        self.vector, self.folder, self.differences, self.count = vector, folder, [], 0
        self.archive = os.path.join(folder, "vector.kcarchive")
        pathlib.Path(self.archive).write_bytes(vector.data)
        self.files = []
        for n, (kind, text) in enumerate(vector.credentials):
            path = os.path.join(folder, "credential-%d" % n)
            plain = kind in ("identity", "recovery-code")
            pathlib.Path(path).write_bytes(text.encode() + b"\n" if plain else bytes.fromhex(text))
            self.files.append((kind, path))

    def words(self, options):
        words = list(self.vector.options)
        for kind, path in self.files:
            if kind in options:
                words += [*options[kind].split(" "), path]
        return words

    def compare(self, who, path, status, items, message):
        """Compares with what the vector says of a path: nothing, or the difference is noted."""
        self.count += 1
        fault = self.fault(path, status, items)
        if fault:
            self.differ(who, path, fault, message)

    def fault(self, path, status, items, tail_warns=False):
        wanted = self.vector.statuses(path)
        if wanted is None:
            return None
        if tail_warns and 4 in wanted:  # what a pipe ends with and a file is only warned of
            wanted = wanted | {0}
        if status not in wanted:
            return "status %s, should be %s" % (status, " or ".join(map(str, sorted(wanted))))
        wanted = self.vector.items(path)
        if items is None or wanted is None:
            return None
        if any(mark is None for _, _, mark in wanted):
            items, wanted = ([row[:2] + (None,) for row in rows] for rows in (items, wanted))
        if sorted(items, key=str) != sorted(wanted, key=str):
            return "items differ: %s" % difference(items, wanted)
        return None

    def differ(self, who, path, text, message):
        last = message.strip().splitlines()[-1:] or [""]
        self.differences.append("%s: %s %s: %s [%s]" % (self.vector.name, who, path, text, last[0]))

    def reader(self):
        passphrases = [p for kind, p in self.files if kind == "passphrase-hex"]
        if len(passphrases) > 1:
            return  # the reader takes one
        os.environ.pop("KCARCHIVE_PASSPHRASE", None)
        for path in READER_WORDS:
            self.compare("reader", path, *self.read(path))

    def read(self, path, archive=None):
        """(status, items or None, message) of the reader in Spec/reader."""
        words = list(READER_WORDS[path])
        environment = os.environ
        environment.pop("KCARCHIVE_PASSPHRASE_FILE", None)
        if path != "structure":
            words += self.words(READER_OPTIONS)
            for _, file in [pair for pair in self.files if pair[0] == "passphrase-hex"]:
                environment["KCARCHIVE_PASSPHRASE_FILE"] = file
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = kcarchive_reader.main([*words, archive or self.archive])
        items = None
        if path in GIVING:
            items = shown(output.getvalue(), not path.endswith("list"))
        return status, items, errors.getvalue()

    def program(self, program):
        """False when the program has no option for a credential of the vector yet."""
        for path, words in PROGRAM_WORDS.items():
            words = [program] + [self.archive if word == "{}" else word for word in words]
            if path == "structure":
                words += [w for w in self.vector.options if w.startswith("--kdf")]
            else:
                words += self.words(PROGRAM_OPTIONS)
            status, output, errors = self.started(words, path.startswith("pipe"))
            if status == 2 and "unknown option" in errors:
                return False
            if path not in GIVING:
                self.compare("program", path.removeprefix("pipe-"), status, None, errors)
                continue
            try:
                items = shown(output, not path.endswith("list"))
            except ValueError as error:
                self.differ("program", path, "its output is no JSON: %s" % error, errors)
                continue
            if "may be outdated" in errors:  # the program says so in a message for each item
                items = [(name, digest, self.marked(path, name)) for name, digest, _ in items]
            if path in ("list", "read"):
                self.compare_file(path, status, items, errors)
            else:
                self.compare("program", path, status, items, errors)
        self.gets(program)
        self.append(program)
        for path in MADE:
            self.make(program, path)
        known = self.vector.statuses("read") != {10}
        for words in ([], self.words(PROGRAM_OPTIONS)):
            words = [program, "inspect", "--json", self.archive, *words]
            status, output, errors = self.started(words, False)
            self.count += 1
            shape = json.loads(output)["files"] if output else []
            if status not in (0, 4, 10, 12, 13, 14, 15, 16, 17):
                self.differ("program", "inspect", "status %d" % status, errors)
            elif known != (status != 10) or (
                status == 0 and [f.get("kind") for f in shape] != ["archive"]
            ):
                self.differ("program", "inspect", "status %d, %s" % (status, output[:80]), errors)
        return True

    def make(self, program, path):
        """`compact` and `salvage`: the new archive is sound, and has what the vector says. Where it
        says nothing, no item has another value than somewhere in the vector."""
        made = os.path.join(self.folder, "made.kcarchive")
        words = [program, path, self.archive, "-o", made, *self.words(PROGRAM_OPTIONS)]
        if path == "salvage":
            words = [word for word in words if word not in self.vector.freshness]
        words = [word for word in words if word != "--accept-old-header"]  # readers' only
        status, _, errors = self.started(words, False)
        self.count += 1
        wanted = self.vector.statuses(path)
        if status not in (wanted or STATUSES):
            said = "status %d, should be %s" % (status, wanted or "one of the Spec's")
            self.differ("program", path, said, errors)
        if os.path.exists(made) != (status in (0, 3)):
            self.differ("program", path, "status %d, and a new archive or none" % status, errors)
        elif status in (0, 3):
            self.compare_made(path, made)
            os.unlink(made)
        if path == "salvage" and pathlib.Path(self.archive).read_bytes() != self.vector.data:
            self.differ("program", path, "the archive has changed", errors)
        pathlib.Path(self.archive).write_bytes(self.vector.data)

    def compare_made(self, path, made):
        self.count += 1
        options, self.vector.options = self.vector.options, self.vector.limits
        sound, _, message = self.read("verify", made)
        _, items, _ = self.read("read", made)
        self.vector.options = options
        # The header is kept byte for byte, and with it a label that does not open.
        if sound != 0 and not self.vector.name.startswith("slot_label"):
            self.differ("program", path, "verifying what was made: %d" % sound, message)
        rows = [line.split(" ")[:2] for line in self.vector.all("item")]
        wanted = self.vector.items(path)
        if self.vector.statuses(path) is None:
            strange = [row for row in items if [row[0], row[1]] not in rows]
            if strange:
                self.differ("program", path, "strange items: %s" % strange, "")
        elif wanted is not None and items != wanted:
            self.differ("program", path, "items differ: %s" % difference(items, wanted), "")

    def marked(self, path, name):
        wanted = self.vector.items(path) or []
        return any(mark for other, _, mark in wanted if other == name)

    def compare_file(self, path, status, items, message):
        """By the index, or by a scan: as from a pipe, but a tail is only warned of."""
        self.count += 1
        by_index = self.fault(path, status, items)
        scanned = "pipe" if path == "read" else "pipe-list"
        by_scan = self.fault(scanned, status, items, tail_warns=True)
        if by_index and by_scan:
            self.differ("program", path, "%s; by a scan: %s" % (by_index, by_scan), message)

    def append(self, program):
        """`put` adds an item: what it gives has to be sound, what it refuses stays as it was."""
        if self.vector.statuses("append") is None:
            return
        words = [program, "put", self.archive, "-s", "vectors", "-a", NEW[0]]
        words += [word for word in self.words(PROGRAM_OPTIONS) if word != "--accept-old-header"]
        status, _, errors = self.started(words, False, value=NEW[1])
        if status == 2 and "unknown verb" in errors:
            return
        self.compare("program", "append", status, None, errors)
        if status != 0:
            if pathlib.Path(self.archive).read_bytes() != self.vector.data:
                self.differ("program", "append", "refused, and the file has changed", errors)
        elif self.vector.statuses("append") == {0}:
            added = [(NEW[0], hashlib.sha256(NEW[1]).hexdigest(), False)]
            wanted = sorted(self.vector.items("read") + added, key=str)
            for path in ("verify", "read", "pipe"):
                status, items, message = self.read(path)
                if status != 0 or (items is not None and items != wanted):
                    self.differ("program", "append", "%s afterwards: %d" % (path, status), message)
        pathlib.Path(self.archive).write_bytes(self.vector.data)

    def gets(self, program):
        """`get` finds each item through the index; what `read` does not give must not come out."""
        given = self.vector.items("read")
        if given is None:
            return
        for name in sorted({line.split(" ")[0] for line in self.vector.all("item")}):
            words = [program, "get", self.archive, "-s", "vectors", "-a", name]
            words += self.words(PROGRAM_OPTIONS)
            status, output, errors = self.started(words, False, text=False)
            wanted = [d for other, d, _ in given if other == name]
            if status == 19 and wanted:  # with a token that is not its attributes' own
                words[3:5] = []
                status, output, errors = self.started(words, False, text=False)
            self.count += 1
            digest = hashlib.sha256(output).hexdigest()
            errors = errors.decode()
            if not wanted and status == 0:
                self.differ("program", "get", "%s comes out, status %d" % (name, status), errors)
            elif len(wanted) == 1 and digest != wanted[0] and wanted != ["none"]:
                self.differ("program", "get", "%s does not, status %d" % (name, status), errors)

    def started(self, words, piped, text=True, value=b""):
        if piped:
            value = pathlib.Path(self.archive).read_bytes()
        done = subprocess.run(
            words,
            input=value,
            capture_output=True,
            timeout=60,
            start_new_session=True,
            env={"LC_ALL": "C.UTF-8", "PATH": os.defpath},
        )
        if not text:
            return done.returncode, done.stdout, done.stderr
        return done.returncode, done.stdout.decode(), done.stderr.decode()


def difference(items, wanted):
    missing = [row[0] for row in wanted if row not in items]
    surplus = [row[0] + ("*" if row[2] else "") for row in items if row not in wanted]
    return "missing %s, too many %s" % (missing or "none", surplus or "none")


def run(path, program):
    """(differences, comparisons, whether the program could run it) of one vector."""
    with tempfile.TemporaryDirectory() as folder:
        one = Run(Vector(path), folder)
        one.reader()
        able = one.program(program) if program else True
        return one.differences, one.count, able


def missing_names(vectors):
    """What README.md's tables name and there is not: vectors, and titles of tests."""
    _, _, tables = (HERE / "README.md").read_text(encoding="utf-8").partition("\n## Attacks")
    cells = [line.split("|")[-2] for line in tables.split("\n") if line.startswith("| ")]
    names = [name for cell in cells for name in re.findall("`([^`]+)`", cell)]
    titles = [title for cell in cells for title in re.findall('"([^"]+)"', cell)]
    tests = [path.read_text(encoding="utf-8") for path in HERE.parents[1].glob("Tests/*/*.swift")]
    return [name for name in names if not fnmatch.filter(vectors, name)] + [
        title for title in titles if not any('"%s"' % title in test for test in tests)
    ]


def main(words=None):
    parser = argparse.ArgumentParser(description="run the conformance vectors")
    parser.add_argument("--program", help="a kcarchive program to be judged as well")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", help="only these vectors")
    options = parser.parse_args(words)
    if options.program:
        options.program = os.path.abspath(options.program)
    paths = sorted((HERE / "container").glob("*.txt"))
    paths = [p for p in paths if not options.names or p.stem in options.names]
    if not paths or len(paths) < len(options.names):
        print("no such vectors", file=sys.stderr)
        return 2
    differing = comparisons = unable = 0
    for name in missing_names([path.stem for path in (HERE / "container").glob("*.txt")]):
        print("README.md names what is not there: " + name)
        differing += 1
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for differences, count, able in pool.map(run, paths, [options.program] * len(paths)):
            comparisons += count
            unable += not able
            differing += bool(differences)
            for text in differences:
                print(text)
    print(
        "%d vectors, %d comparisons, %d vectors with a difference; %d with a credential that the "
        "program does not know" % (len(paths), comparisons, differing, unable)
    )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
