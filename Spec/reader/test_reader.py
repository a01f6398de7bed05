#!/usr/bin/env python3
"""Tests of the second reader: run `python3 -m unittest` in this folder.

Each test makes its archive with archive_writer.py, breaks one thing, and states what comes out of the
program: items, exit status, and for --verify the findings.
"""

import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import archive_writer as w
import worked_example

HERE = pathlib.Path(__file__).parent
READER = HERE / "kcarchive_reader.py"
AID = bytes(range(16))
FK = bytes(range(32, 64))
CHEAP = w.argon2id(8, 1, 1)
KEYS = w.Keys(AID, FK)
KEY_FILE = bytes(range(100, 140))
SLOT = KEYS.slot(4, 1, b"\x11" * 32, w.key_file_digest(KEY_FILE), "test")[0]


def segment(n):
    return b"segment" + n.to_bytes(5, "big")


def uuid(n):
    return b"item" + n.to_bytes(12, "big")


def password(account, service="example"):
    return {"clas": (w.TEXT, b"genp"), "acct": (w.TEXT, account.encode()),
            "svce": (w.TEXT, service.encode())}


def small(slots=(SLOT,), **options):
    """Two sessions' worth of archive with three items in one session."""
    archive = w.Archive(KEYS, slots, **options)
    archive.begin(segment(1))
    places = [archive.item(uuid(n), password(a), a.encode() * 3)
              for n, a in enumerate(["alice", "bob", "carol"])]
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
            result = subprocess.run(
                [sys.executable, str(READER), *options, path], capture_output=True,
                env={**os.environ, **(env or {})})
        self.assertNotIn(b"Traceback", result.stderr)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return result.returncode, lines, result.stderr.decode()

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


class SoundArchives(ReaderTest):
    def test_items_come_out_with_their_values_as_json(self):
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        archive.item(uuid(1), {
            **password("alice"), "agrp": (w.TEXT, b"group"), "cdat": (w.DATE, struct.pack("<d", 1.5)),
            "mdat": (w.DATE, struct.pack("<d", -0.25)), "sync": (w.BOOLEAN, b"\0"),
            "crtr": (w.INTEGER, struct.pack("<q", -3)), "gena": (w.BYTES, b"\1\2"),
            "own thing": (w.REAL, struct.pack("<d", 0.1)), "x": (99, b"\7")}, "s3cret\n".encode())
        archive.item(uuid(2), password("bell"), b"a\x07")
        archive.item(uuid(3), password("none"))
        archive.item(uuid(4), password("empty"), b"")
        archive.commit()
        _, lines, _ = self.expect(archive.data, 0, ["alice", "bell", "none", "empty"])
        self.assertEqual(lines[0], {
            "class": "genp", "account": "alice", "service": "example", "accessGroup": "group",
            "created": "2001-01-01T00:00:01.5Z", "modified": "2000-12-31T23:59:59.75Z",
            "synchronizable": False, "creator": -3, "generic": {"base64": "AQI="},
            "own thing": 0.1, "x": {"type": 99, "base64": "Bw=="}, "value": {"utf8": "s3cret\n"}})
        self.assertEqual(lines[1]["value"], {"base64": "YQc="})
        self.assertNotIn("value", lines[2])
        self.assertEqual(lines[3]["value"], {"utf8": ""})
        self.expect(archive.data, 0, None, "--verify")

    def test_several_sessions_give_the_newest_revisions_and_no_deleted_item(self):
        archive, _ = history()
        self.expect_everywhere(archive.data, (0, ["alice", "bob", "dave"]),
                               (0, ["alice", "bob", "dave"]), 0)
        _, lines, _ = self.run_reader(bytes(archive.data))
        self.assertEqual([line["value"] for line in lines], [
            {"utf8": "alice" * 3}, {"utf8": "new"}, {"base64": "AP8="}])

    def test_an_archive_without_items_is_sound(self):
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        archive.commit()
        self.expect_everywhere(archive.data, (0, []), (0, []), 0)

    def test_values_of_every_boundary_size_come_back(self):
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        sizes = [0, 1, 56, 57, w.CHUNK - 1, w.CHUNK, w.CHUNK + 1, 2 * w.CHUNK]
        for n, size in enumerate(sizes):
            archive.item(uuid(n), password("a%d" % n), b"v" * size, known=n % 2 == 0, deflate=n > 3)
        archive.commit()
        for option in ([], ["--scan"]):
            _, lines, _ = self.expect(archive.data, 0, None, *option)
            self.assertEqual([len(line["value"]["utf8"]) for line in lines], sizes)
        self.expect(archive.data, 0, None, "--verify")

    def test_an_index_of_three_levels_lists_every_item(self):
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        for n in range(30):
            archive.item(uuid(n), password("a%02d" % n), b"v")
        archive.commit(width=4)
        self.assertEqual(archive.root[3], 2)
        everyone = ["a%02d" % n for n in range(30)]
        self.expect_everywhere(archive.data, (0, everyone), (0, everyone), 0)

    def test_a_larger_header_is_read(self):
        archive, _ = small(size=16384)
        self.expect_everywhere(archive.data, *[(0, ["alice", "bob", "carol"])] * 2, 0)

    def test_unknown_frames_and_slots_are_skipped(self):
        unknown = struct.pack("<BBHI", 77, 255, 24, 9) + b"what is it?     "
        archive = w.Archive(KEYS, [unknown, SLOT])
        archive.begin(segment(1))
        archive.append(200, 9, b"a thing of the future")
        archive.item(uuid(1), password("alice"), b"v")
        archive.commit()
        self.expect_everywhere(archive.data, (0, ["alice"]), (0, ["alice"]), 0)

    def test_the_standard_input_is_a_pipe(self):
        archive, _ = small()
        with tempfile.NamedTemporaryFile() as key:
            key.write(KEY_FILE)
            key.flush()
            result = subprocess.run([sys.executable, str(READER), "--key-file", key.name, "-"],
                                    input=bytes(archive.data), capture_output=True)
        self.assertEqual((result.returncode, result.stdout.count(b"\n")), (0, 3))


class Credentials(ReaderTest):
    def test_every_kind_of_credential_opens(self):
        code = bytes(range(16))
        recipient = w.X25519PrivateKey.from_private_bytes(b"\x42" * 32).public_key().public_bytes_raw()
        slots = [
            KEYS.passphrase_slot(1, b"\1" * 32, "caf\u00e9".encode(), CHEAP)[0],
            KEYS.passphrase_slot(2, b"\2" * 32, b"mixed", w.scrypt(4, 1, 1), key_file=KEY_FILE)[0],
            KEYS.passphrase_slot(3, b"\3" * 32, b"\xff", w.pbkdf2(10), nfc=False)[0],
            KEYS.recipient_slot(4, b"\4" * 32, recipient)[0],
            KEYS.slot(3, 5, b"\5" * 32, code)[0]]
        data = bytes(small(slots)[0].data)
        everyone = ["alice", "bob", "carol"]

        def with_passphrase(passphrase, *options):
            return self.run_reader(data, *options, key_file=None,
                                   env={"KCARCHIVE_PASSPHRASE": os.fsdecode(passphrase)})[0]

        self.assertEqual(with_passphrase("cafe\u0301".encode()), 0)
        self.assertEqual(with_passphrase(b"\xff"), 0)
        self.assertEqual(with_passphrase(b"mixed"), 12)
        self.assertEqual(with_passphrase(b"cafe"), 12)
        with tempfile.TemporaryDirectory() as folder:
            key, identity, text = (os.path.join(folder, n) for n in "kit")
            pathlib.Path(key).write_bytes(KEY_FILE)
            pathlib.Path(identity).write_text(
                "# mine\n%s\n" % worked_example.age_text("AGE-SECRET-KEY-", b"\x42" * 32).upper())
            pathlib.Path(text).write_text(worked_example.recovery_text(code).lower())
            self.assertEqual(with_passphrase(b"mixed", "--with-key-file", key), 0)
            self.expect(data, 0, everyone, "-i", identity, key_file=None)
            self.expect(data, 0, everyone, "--recovery-code-file", text, key_file=None)
            pathlib.Path(text).write_text(worked_example.recovery_text(code).replace("0", "1", 1))
            self.expect(data, 2, [], "--recovery-code-file", text, key_file=None)

    def test_a_wrong_credential_is_12_and_nothing_else(self):
        archive, _ = small()
        self.expect(archive.data, 12, [], key_file=b"\0" * 32)

    def test_no_credential_is_a_usage_error(self):
        self.expect(small()[0].data, 2, [], key_file=None)

    def test_hostile_key_derivations_are_refused_before_any_work(self):
        hostile = [(1, 4 << 20, 64, 16), (1, 8, 65, 1), (1, 7, 1, 1), (1, 1 << 20, 17, 1),
                   (2, 24, 32, 1), (2, 63, 1, 1), (2, 25, 1, 1), (3, 100_000_001, 0, 0),
                   (3, 40_000_000, 0, 0)]
        for code, a, b, c in hostile:
            slot = KEYS.slot(1, 1, b"\1" * 32, bytes(32), flags=2, kdf=(code, a, b, c, None))[0]
            started = time.monotonic()
            self.expect(small([slot])[0].data, 16, [], key_file=None,
                        env={"KCARCHIVE_PASSPHRASE": "x"})
            self.assertLess(time.monotonic() - started, 2)

    def test_limits_are_summed_over_the_slots_and_equal_passes(self):
        kdf = (1, 1024, 8, 1, None)
        slots = [KEYS.slot(1, n, bytes([n]) * 32, bytes(32), flags=2, kdf=kdf)[0] for n in (1, 2)]
        data = small(slots)[0].data
        env = {"KCARCHIVE_PASSPHRASE": "x"}
        self.expect(data, 16, [], "--kdf-max-time", "15", key_file=None, env=env)
        self.expect(data, 12, [], "--kdf-max-time", "16", key_file=None, env=env)
        self.expect(data, 16, [], "--kdf-max-memory", "1048575", key_file=None, env=env)
        self.expect(data, 12, [], "--kdf-max-memory", "1MiB", key_file=None, env=env)

    def test_more_than_64_slots_are_16_and_none_14(self):
        def slots(count):
            return [struct.pack("<BBHI", 9, 0, 8, n + 2) for n in range(count)]
        self.expect(small([SLOT] + slots(63))[0].data, 0)
        self.expect(small([SLOT] + slots(64))[0].data, 16, [])
        self.expect(small([])[0].data, 14, [])


class Headers(ReaderTest):
    def broken(self, *places, repaired=False):
        archive, _ = small()
        for place in places:
            archive.data[place] ^= 1
            if repaired:
                w.repair_header(archive.data, place // 4096 * 4096)
        return archive.data

    def test_one_damaged_copy_is_a_warning_and_13_for_verify(self):
        for place in (0, 24, 50, 100, 4095, 4096, 4096 + 25, 8191):
            data = self.broken(place)
            self.expect(data, 0, ["alice", "bob", "carol"])
            self.expect(data, 13, None, "--verify")

    def test_two_damaged_copies_are_13(self):
        self.expect(self.broken(100, 4096 + 100), 13, [])

    def test_one_repaired_copy_is_a_warning_and_14_for_verify(self):
        data = self.broken(60, repaired=True)
        self.expect(data, 0, ["alice", "bob", "carol"])
        self.expect(data, 14, None, "--verify")

    def test_repaired_copies_are_14_or_look_like_a_wrong_credential(self):
        for offset, status in ((60, 14), (16, 14), (64, 14), (96 + 90, 14), (3000, 14), (8, 15),
                               (12, 15), (96 + 57, 12), (96 + 30, 12)):
            self.expect(self.broken(offset, 4096 + offset, repaired=True), status, [])

    def test_an_unfinished_change_is_read_and_4_for_verify(self):
        archive, _ = small()
        archive.data[4096:8192] = KEYS.header_copy(2, [SLOT])
        self.expect(archive.data, 0, ["alice", "bob", "carol"])
        self.expect(archive.data, 4, None, "--verify")

    def test_two_headers_of_one_sequence_are_14(self):
        archive, _ = small()
        archive.data[4096:8192] = KEYS.header_copy(1, [SLOT, struct.pack("<BBHI", 9, 0, 8, 7)])
        self.expect(archive.data, 14, [])

    def test_a_header_of_another_archive_does_not_take_over(self):
        archive, _ = small()
        other = w.Keys(b"other archive id", b"\7" * 32)
        slot = other.slot(4, 1, b"\x11" * 32, w.key_file_digest(KEY_FILE))[0]
        archive.data[4096:8192] = other.header_copy(9, [slot])
        self.expect(archive.data, 0, ["alice", "bob", "carol"])
        self.expect(archive.data, 14, None, "--verify")

    def test_an_old_header_put_back_is_17_unless_accepted(self):
        archive, _ = small()
        archive.header_sequence = 2
        archive.begin(segment(2))
        archive.commit()
        self.expect(archive.data, 17, [])
        self.expect(archive.data, 0, ["alice", "bob", "carol"], "--accept-old-header")

    def test_files_that_are_no_archives_are_10(self):
        for data in (b"", b"\x89KCA\r\n\x1a", b"x" * 10000, bytes(3 << 20)):
            self.expect(data, 10, [])

    def test_a_required_commit_is_looked_up(self):
        archive, _ = history()
        newest = archive.previous_hash.hex()
        older = struct.unpack_from("<QQQQ32s", archive.data, 0) and None
        del older
        self.expect(archive.data, 0, None, "--require-commit", "3:" + newest)
        self.expect(archive.data, 0, None, "--require-commit", "1")
        self.expect(archive.data, 17, [], "--require-commit", "4")
        self.expect(archive.data, 17, [], "--require-commit", "2:" + newest[:16])
        short, _ = small()
        pin = "1:" + short.previous_hash.hex()[:16]
        self.expect(archive.data, 0, None, "--require-commit", pin)
        copy = bytearray(archive.data)
        copy[short.previous + 100] ^= 1  # rebuilt from copy 2
        self.expect(copy, 0, None, "--require-commit", pin)
        again, _ = small(number=1, previous_hash=short.previous_hash)  # compacted
        self.expect(again.data, 0, None, "--require-commit", pin)


class Frames(ReaderTest):
    def test_a_flipped_bit_is_13_and_costs_one_item(self):
        archive, places = small()
        for offset in (0, 9, 26, 31, 32, 100):
            data = bytearray(archive.data)
            data[places[1] + offset] ^= 4
            self.expect_everywhere(data, (13, ["alice", "carol"]), (13, ["alice", "carol"]), 13)

    def test_a_flipped_bit_in_a_value_is_13_and_costs_one_item(self):
        archive, places = small()
        archive.data[places[2] - 5] ^= 128
        self.expect_everywhere(archive.data, (13, ["alice", "carol"]), (13, ["alice", "carol"]), 13)

    def test_a_change_with_repaired_checks_is_14(self):
        archive, places = small()
        for offset in (4, 8, 12, 40, 100):
            data = bytearray(archive.data)
            data[places[1] + offset] ^= 2
            w.repair(data, places[1])
            status, lines, _ = self.expect(data, 14)
            self.assertEqual(self.accounts(lines), ["alice", "carol"])
            self.expect(data, 14, None, "--scan")
            self.expect(data, 14, None, "--verify")

    def test_a_body_check_alone_is_seen_by_verify_only(self):
        archive, places = small()
        archive.data[places[0] + 24] ^= 1
        archive.data[places[0] + 28:places[0] + 32] = w.zlib.crc32(
            archive.data[places[0]:places[0] + 28]).to_bytes(4, "little")
        everyone = ["alice", "bob", "carol"]
        self.expect_everywhere(archive.data, (0, everyone), (0, everyone), 13)

    def test_exchanged_and_repeated_frames_are_14(self):
        archive, places = small()
        data, size = archive.data, places[1] - places[0]
        alice, bob = data[places[0]:places[1]], data[places[1]:places[1] + size]
        swapped, repeated = bytearray(data), bytearray(data)
        swapped[places[0]:places[1] + size] = bob + alice
        repeated[places[1]:places[1] + size] = alice
        self.expect_everywhere(swapped, (14, ["carol"]), (14, None), 14)
        self.expect_everywhere(repeated, (14, ["alice", "carol"]), (14, None), 14)

    def test_a_lost_index_falls_back_to_the_scan(self):
        archive, _ = history()
        archive.data[archive.root[0] + 50] ^= 1
        status, lines, _ = self.expect(archive.data, 13, ["alice", "bob", "dave"])
        self.assertTrue(all(line["mayBeOutdated"] for line in lines))
        self.expect(archive.data, 13, ["alice", "bob", "dave"], "--scan")

    def test_a_damaged_tombstone_does_not_bring_the_item_back(self):
        archive, places = history()
        archive.data[places[5] + 60] ^= 1
        self.expect_everywhere(archive.data, (0, ["alice", "bob", "dave"]),
                               (13, ["alice", "bob", "dave"]), 13)

    def test_a_damaged_revision_does_not_bring_the_old_secret_back(self):
        archive, places = history()
        archive.data[places[3] + 60] ^= 1
        self.expect_everywhere(archive.data, (13, ["alice", "dave"]), (13, ["alice", "dave"]), 13)

    def test_damage_in_a_dead_item_is_not_seen_at_random(self):
        archive, places = history()
        archive.data[places[2] + 60] ^= 1
        self.expect_everywhere(archive.data, (0, ["alice", "bob", "dave"]),
                               (13, ["alice", "bob", "dave"]), 13)

    def malformed(self, kind, code, content, index=False):
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        archive.item(uuid(1), password("alice"), b"v")
        place = archive.append(kind, code, content)
        if index:
            archive.live[uuid(9)] = (content[16:32], place, segment(1), archive.sequence - 1, 1, 0)
        archive.commit()
        return archive.data

    def test_malformed_items_are_14(self):
        def item(attributes=b"", revision=1, replaced=0, length=0, value=0, zero=bytes(7)):
            return uuid(9) + bytes(16) + struct.pack("<QQQB", revision, replaced, length, value) \
                + zero + attributes
        a = bytes([1, 97])
        bad = [
            item(revision=0), item(replaced=8192), item(revision=2, replaced=16),
            item(revision=2, replaced=8192 + 8), item(revision=2, replaced=1 << 40),
            item(length=1), item(value=2), item(zero=b"\0" * 6 + b"\1"),
            item(length=(1 << 43) + 1, value=1), item(a + w.field(w.TEXT, b"\xff")),
            item(a + w.field(w.INTEGER, b"1234567")), item(a + w.field(w.BOOLEAN, b"\2")),
            item((a + w.field(w.TEXT, b"")) * 2), item(b"\0" + w.field(w.TEXT, b"")),
            item(bytes([1, 98]) + w.field(w.TEXT, b"") + a + w.field(w.TEXT, b"")),
            item(a + w.field(w.TEXT, b"x")[:-1]), item(a), item(b"\1"), uuid(9) * 3,
            item(b"".join(bytes([2, n >> 8, n & 255]) + w.field(9, b"") for n in range(1025))
                 .replace(b"\x80", b"\x7f"))]
        for content in bad:
            data = self.malformed(w.ITEM, 0, content, index=True)
            self.expect(data, 14, ["alice"])
            self.expect(data, 14, None, "--scan")
        self.expect(self.malformed(w.ITEM, 2, item()), 14, None, "--scan")
        self.expect(self.malformed(w.ITEM, 1, item(revision=1)), 14, None, "--scan")

    def test_frames_where_none_belong_are_14(self):
        for kind, code, content in ((w.VALUE, 1, b"v"), (w.VALUE, 5, b"v"), (w.INDEX, 6, bytes(40)),
                                    (6, 0, b""), (127, 0, b""), (w.COMMIT, 0, bytes(132))):
            self.expect(self.malformed(kind, code, content), 14, None, "--scan")

    def test_a_value_cut_short_or_too_long_is_14(self):
        for chunks in ([(0, b"short"), (1, b"x")], [(0, bytes(w.CHUNK)), (1, b"")],
                       [(1, b"12345")], [(3, b"not deflated")], [(3, w.raw_deflate(b"1234") + b"x")],
                       [(3, w.raw_deflate(bytes(w.CHUNK + 1)))], [(0, bytes(w.CHUNK))]):
            archive = w.Archive(KEYS, [SLOT])
            archive.begin(segment(1))
            content = uuid(1) + KEYS.token(password("alice")) + struct.pack("<QQQB7x", 1, 0, 4, 1)
            place = archive.append(w.ITEM, 0, content + w.attribute_bytes(password("alice")))
            archive.live[uuid(1)] = (KEYS.token(password("alice")), place, segment(1), 0, 1, 0)
            for code, chunk in chunks:
                archive.append(w.VALUE, code, chunk)
            archive.changed = True
            archive.commit()
            self.expect(archive.data, 14, [])
            self.expect(archive.data, 14, [], "--scan")
            self.expect(archive.data, 14, None, "--verify")

    def test_malformed_commits_are_14(self):
        for changes in ({"number": 0}, {"previous": 8192}, {"first": 8208}, {"root_place": 0},
                        {"root_level": 1}, {"root_sequence": 0}, {"header_sequence": 0},
                        {"previous_hash": b"\1" * 32}, {"live_items": 0}, {"root_level": 6}):
            archive = w.Archive(KEYS, [SLOT])
            archive.begin(segment(1))
            archive.item(uuid(1), password("alice"), b"v")
            archive.commit(**changes)
            self.expect(archive.data, 14)
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        archive.item(uuid(1), password("alice"), b"v")
        archive.commit(live_items=2)
        self.expect(archive.data, 14, None, "--verify")


class Ends(ReaderTest):
    def test_a_cut_before_the_first_commit_is_4_and_nothing_comes_out(self):
        archive, places = small()
        for end in (8, 4096, 8191, 8192, 8200, places[1] + 40, archive.previous,
                    archive.previous + 239):
            for option in ([], ["--scan"], ["--verify"]):
                result = self.run_reader(bytes(archive.data[:end]), *option)
                self.assertEqual(result[0], 4, (end, result))
                self.assertEqual([line for line in result[1] if "account" in line], [])
        self.assertIn("1 whole items", self.run_reader(bytes(archive.data[:places[1] + 40]))[2])

    def test_a_cut_inside_the_newest_session_gives_the_older_state(self):
        archive, places = history()
        for end in (places[5] + 10, archive.previous, archive.previous + 200):
            self.expect_everywhere(archive.data[:end], (0, ["alice", "bob", "carol", "dave"]),
                                   (4, ["alice", "bob", "carol", "dave"]), 4)

    def test_a_cut_inside_the_end_of_session_loses_nothing(self):
        archive, _ = small()
        everyone = ["alice", "bob", "carol"]
        for end in (240, 300, 480, 511):
            self.expect_everywhere(archive.data[:archive.previous + end], (0, everyone),
                                   (4, everyone), 4)

    def test_one_damaged_part_of_the_end_of_session_is_a_warning(self):
        archive, _ = history()
        for offset in (5, 100, 245, 300, 481, 509):
            data = bytearray(archive.data)
            data[archive.previous + offset] ^= 1
            self.expect_everywhere(data, *[(0, ["alice", "bob", "dave"])] * 2, 13)

    def test_a_commit_that_does_not_open_is_never_an_unfinished_append(self):
        archive, _ = history()
        older = ["alice", "bob", "carol", "dave"]
        data = bytearray(archive.data)
        data[archive.previous + 100] ^= 1
        data[archive.previous + 300] ^= 1
        self.expect_everywhere(data, (13, older), (13, older), 13)
        w.repair(data, archive.previous)
        self.expect_everywhere(data, (14, older), (14, older), 14)

    def test_the_only_commit_lost_is_13_and_not_a_cut(self):
        archive, _ = small()
        archive.data[archive.previous + 100] ^= 1
        archive.data[archive.previous + 300] ^= 1
        self.expect_everywhere(archive.data, (13, []), (13, []), 13)

    def test_an_old_commit_put_at_the_end_is_14(self):
        archive, _ = history()
        first, _ = small()
        data = archive.data + archive.data[first.previous:first.previous + 512]
        self.expect_everywhere(data, *[(14, ["alice", "bob", "dave"])] * 2, 14)

    def test_two_archives_joined_are_13(self):
        archive, _ = history()
        self.expect_everywhere(archive.data * 2, *[(13, ["alice", "bob", "dave"])] * 2, 13)

    def test_a_lost_commit_in_the_middle_costs_no_item(self):
        archive, _ = history()
        first, _ = small()
        data = bytearray(archive.data)
        data[first.previous + 100] ^= 1
        data[first.previous + 300] ^= 1
        self.expect_everywhere(data, (0, ["alice", "bob", "dave"]), (13, ["alice", "bob", "dave"]), 13)

    def test_a_session_of_a_fork_in_the_middle_is_14(self):
        archive, places = history()
        fork, _ = small()
        fork.begin(segment(9))
        fork.item(uuid(1), password("bob"), b"old")
        fork.item(uuid(3), password("dave"), b"\x00\xff")
        fork.commit()
        data = bytearray(archive.data)
        data[len(small()[0].data):len(fork.data)] = fork.data[len(small()[0].data):]
        self.expect(data, 14, None, "--scan")
        self.expect(data, 14, None, "--verify")
        self.expect(data, 14, ["alice"])


class Shredding(ReaderTest):
    def shredded(self, overwrite=True):
        archive, places = small()
        extent = (places[1], places[2] - places[1])
        archive.begin(segment(2))
        archive.tombstone(uuid(1), [extent])
        archive.commit()
        if overwrite:
            archive.shred(extent)
        return archive, places

    def test_a_shredded_item_leaves_a_sound_archive(self):
        archive, places = self.shredded()
        self.assertEqual(set(archive.data[places[1] + 32:places[1] + 80]), {0})
        self.expect_everywhere(archive.data, *[(0, ["alice", "carol"])] * 2, 0)

    def test_an_unfinished_shred_is_4_for_verify(self):
        archive, places = self.shredded(overwrite=False)
        self.expect_everywhere(archive.data, *[(0, ["alice", "carol"])] * 2, 4)
        archive.data[places[1] + 50:places[1] + 90] = bytes(40)
        self.expect_everywhere(archive.data, *[(0, ["alice", "carol"])] * 2, 4)

    def test_voids_without_a_tombstone_are_14_also_after_a_rollback(self):
        archive, places = small()
        archive.shred((places[1], places[2] - places[1]))
        self.expect_everywhere(archive.data, (14, ["alice", "carol"]), (14, ["alice", "carol"]), 14)
        archive, places = self.shredded()
        self.expect(archive.data[:len(small()[0].data)], 14, None, "--scan")

    def test_a_void_before_a_lost_frame_is_part_of_that_damage(self):
        archive, places = self.shredded()
        tombstone = len(small()[0].data)
        archive.data[tombstone + 50] ^= 1
        self.expect(archive.data, 13, ["alice", "carol"], "--scan")
        self.expect(archive.data, 13, None, "--verify")


class WorkedExample(ReaderTest):
    def test_the_text_of_the_spec_is_what_the_writer_makes(self):
        spec = (HERE.parent / "container.md").read_text()
        self.assertIn(worked_example.markdown(), spec)

    def test_the_example_is_read(self):
        example = worked_example.archive()
        code, lines, _ = self.run_reader(
            bytes(example.data), key_file=None,
            env={"KCARCHIVE_PASSPHRASE": worked_example.PASSPHRASE})
        self.assertEqual(code, 0)
        self.assertEqual(lines, [worked_example.EXPECTED])
        self.expect(example.data, 0, None, "--verify", key_file=None,
                    env={"KCARCHIVE_PASSPHRASE": worked_example.PASSPHRASE})

    def test_padding_matches_the_table(self):
        for size, padded in ((8, 64), (64, 64), (65, 128), (140, 192), (1000, 1024), (16368, 16384),
                             (70000, 71680), (1 << 20, 1 << 20)):
            self.assertEqual(w.padded_size(size), padded)

    def test_equal_items_have_equal_tokens_however_they_were_given(self):
        def token(name, **attributes):
            return KEYS.token({"clas": (w.TEXT, name), **attributes})
        i64 = struct.Struct("<q").pack
        self.assertEqual(token(b"genp", acct=(w.TEXT, b"a")), token(
            b"genp", acct=(w.BYTES, b"a"), svce=(w.TEXT, b""), sync=(w.BOOLEAN, b"\0"),
            musr=(w.BYTES, b""), labl=(w.TEXT, b"not in the key")))
        self.assertEqual(token(b"inet", ptcl=(w.TEXT, b"htps")),
                         token(b"inet", ptcl=(w.INTEGER, i64(0x68747073))))
        self.assertEqual(token(b"keys", sdat=(w.DATE, struct.pack("<d", -0.0))), token(b"keys"))
        self.assertEqual(token(b"keys", sdat=(w.INTEGER, i64(2))),
                         token(b"keys", sdat=(w.REAL, struct.pack("<d", 2.0))))
        self.assertNotEqual(token(b"genp", sync=(w.TEXT, b"1")), token(b"genp", sync=(w.INTEGER, i64(1))))
        one, other = token(b"genp", agrp=(w.TEXT, b"x")), token(b"genp", agrp=(w.TEXT, b"y"))
        self.assertEqual(one[:8], other[:8])
        self.assertNotEqual(one[8:], other[8:])


if __name__ == "__main__":
    unittest.main()
