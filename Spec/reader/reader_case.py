"""What the tests of the second reader share: archives to break and a way to run the program.

Each test makes its archive with archive_writer.py, breaks one thing, and states what comes out of
the program: items, exit status, and for --verify the findings.
"""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import archive_writer as w
import kcarchive_reader

HERE = pathlib.Path(__file__).parent
READER = HERE / "kcarchive_reader.py"
AID = bytes(range(16))
FK = bytes(range(32, 64))
KEYS = w.Keys(AID, FK)
KEY_FILE = bytes(range(100, 140))
SLOT = KEYS.slot(4, 1, b"\x11" * 32, w.key_file_digest(KEY_FILE), "test")[0]


def segment(n):
    return b"segment" + n.to_bytes(5, "big")


def uuid(n):
    return b"item" + n.to_bytes(12, "big")


def password(account, service="example"):
    return {
        "clas": (w.TEXT, b"genp"),
        "acct": (w.TEXT, account.encode()),
        "svce": (w.TEXT, service.encode()),
    }


def small(slots=(SLOT,), **options):
    """Two sessions' worth of archive with three items in one session."""
    archive = w.Archive(KEYS, slots, **options)
    archive.begin(segment(1))
    places = [
        archive.item(uuid(n), password(a), a.encode() * 3)
        for n, a in enumerate(["alice", "bob", "carol"])
    ]
    archive.commit()
    return archive, places


def history():
    """Three sessions: three items, then bob replaced and dave added, then carol deleted."""
    archive, places = small()
    archive.begin(segment(2))
    places.append(archive.item(uuid(1), password("bob"), b"new"))
    places.append(archive.item(uuid(3), password("dave"), b"\x00\xff"))
    archive.commit()
    archive.begin(segment(3))
    places.append(archive.tombstone(uuid(2)))
    archive.commit()
    return archive, places


class ReaderTest(unittest.TestCase):
    def run_reader(self, data, *options, env=None, key_file=KEY_FILE):
        with tempfile.TemporaryDirectory() as folder:
            path, key = os.path.join(folder, "a.kcarchive"), os.path.join(folder, "key")
            pathlib.Path(path).write_bytes(data)
            if key_file is not None:
                pathlib.Path(key).write_bytes(key_file)
                options = ("--key-file", key, *options)
            output, errors = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(
                errors
            ), unittest.mock.patch.dict(os.environ, env or {}):
                status = kcarchive_reader.main([*options, path])
        lines = [json.loads(line) for line in output.getvalue().splitlines()]
        return status, lines, errors.getvalue()

    def accounts(self, lines):
        return sorted(line["account"] for line in lines)

    def expect(self, data, status, accounts=None, *options, **more):
        """Runs the reader; checks its status and, when given, the accounts that came out."""
        result = self.run_reader(bytes(data), *options, **more)
        self.assertEqual(result[0], status, result)
        if accounts is not None:
            self.assertEqual(self.accounts(result[1]), sorted(accounts), result)
        return result

    def expect_everywhere(self, data, random, scan, verify):
        """(status, accounts) at random and by a scan, and the status of --verify."""
        self.expect(data, *random)
        self.expect(data, *scan, "--scan")
        self.expect(data, verify, None, "--verify")
