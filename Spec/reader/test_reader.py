#!/usr/bin/env python3
"""Tests of the second reader on sound archives, credentials, headers and the worked example.

`python3 -m unittest` in this folder runs these, test_damage.py and test_history.py.
"""

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
from reader_case import (
    HERE,
    KEY_FILE,
    KEYS,
    READER,
    SLOT,
    ReaderTest,
    history,
    password,
    segment,
    small,
    uuid,
)

CHEAP = w.argon2id(8, 1, 1)


class SoundArchives(ReaderTest):
    def test_items_come_out_with_their_values_as_json(self):
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        archive.item(
            uuid(1),
            {
                **password("alice"),
                "agrp": (w.TEXT, b"group"),
                "cdat": (w.DATE, struct.pack("<d", 1.5)),
                "mdat": (w.DATE, struct.pack("<d", -0.25)),
                "sync": (w.BOOLEAN, b"\0"),
                "crtr": (w.INTEGER, struct.pack("<q", -3)),
                "gena": (w.BYTES, b"\1\2"),
                "own thing": (w.REAL, struct.pack("<d", 0.1)),
                "x": (99, b"\7"),
            },
            "s3cret\n".encode(),
        )
        archive.item(uuid(2), password("bell"), b"a\x07")
        archive.item(uuid(3), password("none"))
        archive.item(uuid(4), password("empty"), b"")
        archive.commit()
        _, lines, _ = self.expect(archive.data, 0, ["alice", "bell", "none", "empty"])
        self.assertEqual(
            lines[0],
            {
                "class": "genp",
                "account": "alice",
                "service": "example",
                "accessGroup": "group",
                "created": "2001-01-01T00:00:01.5Z",
                "modified": "2000-12-31T23:59:59.75Z",
                "synchronizable": False,
                "creator": -3,
                "generic": {"base64": "AQI="},
                "own thing": 0.1,
                "x": {"type": 99, "base64": "Bw=="},
                "value": {"utf8": "s3cret\n"},
            },
        )
        self.assertEqual(lines[1]["value"], {"base64": "YQc="})
        self.assertNotIn("value", lines[2])
        self.assertEqual(lines[3]["value"], {"utf8": ""})
        self.expect(archive.data, 0, None, "--verify")

    def test_several_sessions_give_the_newest_revisions_and_no_deleted_item(self):
        archive, _ = history()
        self.expect_everywhere(
            archive.data, (0, ["alice", "bob", "dave"]), (0, ["alice", "bob", "dave"]), 0
        )
        _, lines, _ = self.run_reader(bytes(archive.data))
        self.assertEqual(
            [line["value"] for line in lines],
            [{"utf8": "alice" * 3}, {"utf8": "new"}, {"base64": "AP8="}],
        )

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
            result = subprocess.run(
                [sys.executable, str(READER), "--key-file", key.name, "-"],
                input=bytes(archive.data),
                capture_output=True,
            )
        self.assertEqual((result.returncode, result.stdout.count(b"\n")), (0, 3))


class Credentials(ReaderTest):
    def test_every_kind_of_credential_opens(self):
        code = bytes(range(16))
        recipient = w.x25519_public(b"\x42" * 32)
        slots = [
            KEYS.passphrase_slot(1, b"\1" * 32, "caf\u00e9".encode(), CHEAP)[0],
            KEYS.passphrase_slot(2, b"\2" * 32, b"mixed", w.scrypt(4, 1, 1), key_file=KEY_FILE)[0],
            KEYS.passphrase_slot(3, b"\3" * 32, b"\xff", w.pbkdf2(10), nfc=False)[0],
            KEYS.recipient_slot(4, b"\4" * 32, recipient)[0],
            KEYS.slot(3, 5, b"\5" * 32, code)[0],
        ]
        data = bytes(small(slots)[0].data)
        everyone = ["alice", "bob", "carol"]

        def with_passphrase(passphrase, *options):
            return self.run_reader(
                data, *options, key_file=None, env={"KCARCHIVE_PASSPHRASE": os.fsdecode(passphrase)}
            )[0]

        self.assertEqual(with_passphrase("cafe\u0301".encode()), 0)
        self.assertEqual(with_passphrase(b"\xff"), 0)
        self.assertEqual(with_passphrase(b"mixed"), 12)
        self.assertEqual(with_passphrase(b"cafe"), 12)
        with tempfile.TemporaryDirectory() as folder:
            key, identity, text = (os.path.join(folder, n) for n in "kit")
            pathlib.Path(key).write_bytes(KEY_FILE)
            pathlib.Path(identity).write_text(
                "# mine\n%s\n" % worked_example.age_text("AGE-SECRET-KEY-", b"\x42" * 32).upper()
            )
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
        hostile = [
            (1, 4 << 20, 64, 16),
            (1, 8, 65, 1),
            (1, 7, 1, 1),
            (1, 1 << 20, 17, 1),
            (2, 24, 32, 1),
            (2, 63, 1, 1),
            (2, 25, 1, 1),
            (3, 100_000_001, 0, 0),
            (3, 40_000_000, 0, 0),
        ]
        for code, a, b, c in hostile:
            slot = KEYS.slot(1, 1, b"\1" * 32, bytes(32), flags=2, kdf=(code, a, b, c, None))[0]
            started = time.monotonic()
            self.expect(
                small([slot])[0].data, 16, [], key_file=None, env={"KCARCHIVE_PASSPHRASE": "x"}
            )
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
        for offset, status in (
            (60, 14),
            (16, 14),
            (64, 14),
            (96 + 90, 14),
            (3000, 14),
            (8, 15),
            (12, 15),
            (96 + 57, 12),
            (96 + 30, 12),
        ):
            self.expect(self.broken(offset, 4096 + offset, repaired=True), status, [])

    def signed(self, offset, content, slots=(SLOT,)):
        """An archive whose header copies have other bytes at an offset and were signed again."""
        archive, _ = small(slots)
        copy = archive.data[:4096]
        copy[offset : offset + len(content)] = content
        archive.data[:8192] = KEYS.signed_header(copy) * 2
        return archive.data

    def test_malformed_headers_are_refused_although_their_mac_holds(self):
        for offset, content, status in (
            (8, b"\2", 15),
            (12, b"\1", 15),
            (28, struct.pack("<I", 4096 - 160 + 8), 14),
            (28, struct.pack("<I", 180), 14),
            (28, struct.pack("<I", 188), 14),
            (48, b"\0", 14),
            (56, b"\1", 14),
            (63, b"\1", 14),
            (64, b"\1", 14),
            (96 + 184, b"\1", 14),
            (4031, b"\1", 14),
        ):
            self.expect(self.signed(offset, content), status, [])
        for offset in (10, 16, 20):  # minor, read-only-compatible, compatible
            self.expect(self.signed(offset, b"\1"), 0, ["alice", "bob", "carol"])

    def test_malformed_slots_refuse_the_header_even_when_another_slot_opens(self):
        def head(kind=9, flags=0, length=8, identity=2, body=b""):
            return struct.pack("<BBHI", kind, flags, length, identity) + body

        def known(kind=1, flags=0, length=184, kdf=(1, 8, 1, 1), zero=bytes(3)):
            front = bytes([kdf[0]]) + zero + struct.pack("<III", *kdf[1:])
            return head(kind, flags, length, 2, (front + bytes(160)).ljust(length - 8, b"\0"))

        none = (0, 0, 0, 0)
        good = [
            head(),
            head(flags=255),
            head(length=1024, body=bytes(1016)),
            known(),
            known(flags=3),
        ]
        good += [known(kind, 0, kdf=none) for kind in (2, 3, 4)]
        good += [known(kdf=k) for k in ((1, 4 << 20, 64, 16), (2, 24, 2, 16), (2, 20, 32, 1))]
        good += [known(kdf=(2, 1, 1, 1)), known(kdf=(3, 1, 0, 0)), known(kdf=(3, 10**8, 0, 0))]
        bad = [head(kind=0), head(length=0), head(length=12, body=b"four"), head(identity=0)]
        bad += [head(identity=1), head(length=1032, body=bytes(1024)), head(length=16), b"\0" * 4]
        bad += [known(length=192), known(length=176)[:176], known(flags=4), known(zero=b"\0\0\1")]
        bad += [known(4, 1, kdf=none), known(3, 0), known(2, 0, kdf=(0, 0, 0, 1))]
        bad += [known(kdf=(3, 1, 1, 0)), known(kdf=(3, 1, 0, 1))]
        hostile = [(1, 8, 0, 1), (1, 8, 65, 1), (1, 8, 1, 0), (1, 136, 1, 17), (1, 15, 1, 2)]
        hostile += [
            (1, (4 << 20) + 1, 1, 1),
            (2, 0, 1, 1),
            (2, 25, 1, 1),
            (2, 1, 0, 1),
            (2, 1, 33, 1),
        ]
        hostile += [(2, 1, 1, 0), (2, 1, 1, 17), (2, 24, 3, 1), (2, 2**32 - 1, 1, 1)]
        hostile += [(3, 0, 0, 0), (3, 10**8 + 1, 0, 0)]
        for slot in good:
            self.expect(small([SLOT, slot])[0].data, 0, ["alice", "bob", "carol"])
        for slot in bad:
            self.expect(small([SLOT, slot])[0].data, 14, [])
        for kdf in hostile:
            self.expect(small([SLOT, known(kdf=kdf)])[0].data, 16, [])
        self.expect(small([SLOT, known(kdf=(4, 1, 1, 1))])[0].data, 15, [])

    def test_a_copy_with_a_wrong_magic_or_size_counts_as_damaged(self):
        for offset, content in ((0, b"\x88"), (24, struct.pack("<I", 12288)), (24, bytes(4))):
            archive, _ = small()
            copy = archive.data[:4096]
            copy[offset : offset + len(content)] = content
            for place in (0, 4096):
                data = bytearray(archive.data)
                data[place : place + 4096] = KEYS.signed_header(copy)
                self.expect(data, 0, ["alice", "bob", "carol"])
                self.expect(data, 13, None, "--verify")

    def test_a_file_cut_in_its_header_is_4_before_any_credential(self):
        data = small()[0].data
        for end in (8, 100, 4096, 8191):
            self.expect(data[:end], 4, [], key_file=b"\0" * 32)

    def test_a_label_that_does_not_open_is_14_for_verify_only(self):
        slot = SLOT[:140] + bytes([SLOT[140] ^ 1]) + SLOT[141:]
        data = small([slot])[0].data
        self.expect(data, 0, ["alice", "bob", "carol"])
        self.expect(data, 14, None, "--verify")

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


class WorkedExample(ReaderTest):
    def test_the_text_of_the_spec_is_what_the_writer_makes(self):
        spec = (HERE.parent / "container.md").read_text()
        self.assertIn(worked_example.markdown(), spec)

    def test_the_example_is_read(self):
        example = worked_example.archive()
        code, lines, _ = self.run_reader(
            bytes(example.data),
            key_file=None,
            env={"KCARCHIVE_PASSPHRASE": worked_example.PASSPHRASE},
        )
        self.assertEqual(code, 0)
        self.assertEqual(lines, [worked_example.EXPECTED])
        self.expect(
            example.data,
            0,
            None,
            "--verify",
            key_file=None,
            env={"KCARCHIVE_PASSPHRASE": worked_example.PASSPHRASE},
        )

    def test_padding_matches_the_table(self):
        for size, padded in (
            (8, 64),
            (64, 64),
            (65, 128),
            (140, 192),
            (1000, 1024),
            (16368, 16384),
            (70000, 71680),
            (1 << 20, 1 << 20),
        ):
            self.assertEqual(w.padded_size(size), padded)

    def test_equal_items_have_equal_tokens_however_they_were_given(self):
        def token(name, **attributes):
            return KEYS.token({"clas": (w.TEXT, name), **attributes})

        i64 = struct.Struct("<q").pack
        self.assertEqual(
            token(b"genp", acct=(w.TEXT, b"a")),
            token(
                b"genp",
                acct=(w.BYTES, b"a"),
                svce=(w.TEXT, b""),
                sync=(w.BOOLEAN, b"\0"),
                musr=(w.BYTES, b""),
                labl=(w.TEXT, b"not in the key"),
            ),
        )
        self.assertEqual(
            token(b"inet", ptcl=(w.TEXT, b"htps")),
            token(b"inet", ptcl=(w.INTEGER, i64(0x68747073))),
        )
        self.assertEqual(token(b"keys", sdat=(w.DATE, struct.pack("<d", -0.0))), token(b"keys"))
        self.assertEqual(
            token(b"keys", sdat=(w.INTEGER, i64(2))),
            token(b"keys", sdat=(w.REAL, struct.pack("<d", 2.0))),
        )
        self.assertEqual(
            token(b"genp", sync=(w.TEXT, b"1")), token(b"genp", sync=(w.INTEGER, i64(1)))
        )
        self.assertNotEqual(
            token(b"genp", sync=(w.TEXT, b"01")), token(b"genp", sync=(w.INTEGER, i64(1)))
        )
        self.assertEqual(token(b"inet", ptcl=(w.INTEGER, i64(0))), token(b"inet"))
        self.assertNotEqual(
            token(b"else", a=(w.TEXT, b"x")), token(b"else", b=(w.TEXT, b"x"))
        )
        one, other = token(b"genp", agrp=(w.TEXT, b"x")), token(b"genp", agrp=(w.TEXT, b"y"))
        self.assertEqual(one[:8], other[:8])
        self.assertNotEqual(one[8:], other[8:])


if __name__ == "__main__":
    unittest.main()
