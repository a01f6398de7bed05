"""Tests of the second reader on damaged, cut and tampered frames and sessions, and on shredding."""

import struct
import unittest
import zlib

import archive_writer as w
from reader_case import KEYS, SLOT, ReaderTest, history, password, segment, small, uuid


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

    def test_any_flipped_bit_is_13_and_costs_at_most_one_item(self):
        data = bytes(history()[0].data)
        sound = [("alice", "alice" * 3), ("bob", "new"), ("dave", None)]
        for bit in range(0, len(data) * 8, 397):
            broken = bytearray(data)
            broken[bit // 8] ^= 1 << bit % 8
            self.expect(broken, 13, None, "--verify")
            for option in ([], ["--scan"]):
                status, lines, _ = self.run_reader(bytes(broken), *option)
                items = {(line["account"], line["value"].get("utf8")) for line in lines}
                self.assertIn(status, (0, 13), bit)
                self.assertLessEqual(items, set(sound), bit)
                self.assertGreaterEqual(len(items), 2 if status else 3, bit)

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
        archive.data[places[0] + 28 : places[0] + 32] = zlib.crc32(
            archive.data[places[0] : places[0] + 28]
        ).to_bytes(4, "little")
        everyone = ["alice", "bob", "carol"]
        self.expect_everywhere(archive.data, (0, everyone), (0, everyone), 13)

    def test_exchanged_and_repeated_frames_are_14(self):
        archive, places = small()
        data, size = archive.data, places[1] - places[0]
        alice, bob = data[places[0] : places[1]], data[places[1] : places[1] + size]
        swapped, repeated = bytearray(data), bytearray(data)
        swapped[places[0] : places[1] + size] = bob + alice
        repeated[places[1] : places[1] + size] = alice
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
        self.expect_everywhere(
            archive.data, (0, ["alice", "bob", "dave"]), (13, ["alice", "bob", "dave"]), 13
        )

    def test_a_damaged_revision_does_not_bring_the_old_secret_back(self):
        archive, places = history()
        archive.data[places[3] + 60] ^= 1
        self.expect_everywhere(archive.data, (13, ["alice", "dave"]), (13, ["alice", "dave"]), 13)

    def test_damage_in_a_dead_item_is_not_seen_at_random(self):
        archive, places = history()
        archive.data[places[2] + 60] ^= 1
        self.expect_everywhere(
            archive.data, (0, ["alice", "bob", "dave"]), (13, ["alice", "bob", "dave"]), 13
        )

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
            return (
                uuid(9)
                + bytes(16)
                + struct.pack("<QQQB", revision, replaced, length, value)
                + zero
                + attributes
            )

        def many(count):
            keys = (b"%04d" % n for n in range(count - 1))
            rest = b"".join(b"\4" + key + w.field(9, b"") for key in keys)
            return rest + b"\4clas" + w.field(w.TEXT, b"genp")

        a = bytes([1, 97])
        bad = [
            item(revision=0),
            item(replaced=8192),
            item(revision=2, replaced=16),
            item(revision=2, replaced=8192 + 8),
            item(revision=2, replaced=1 << 40),
            item(length=1),
            item(value=2),
            item(zero=b"\0" * 6 + b"\1"),
            item(length=(1 << 43) + 1, value=1),
            item(a + w.field(w.TEXT, b"\xff")),
            item(a + w.field(w.INTEGER, b"1234567")),
            item(a + w.field(w.BOOLEAN, b"\2")),
            item((a + w.field(w.TEXT, b"")) * 2),
            item(b"\0" + w.field(w.TEXT, b"")),
            item(bytes([1, 98]) + w.field(w.TEXT, b"") + a + w.field(w.TEXT, b"")),
            item(a + w.field(w.TEXT, b"x")[:-1]),
            item(a),
            item(b"\1"),
            uuid(9) * 3,
            item(many(1025)),
            item(b"\4acct" + w.field(w.TEXT, b"a")),
            item(b"\4clas" + w.field(w.BYTES, b"genp")),
        ]
        self.expect(self.malformed(w.ITEM, 0, item(many(1024))), 0, None, "--scan")
        for content in bad:
            data = self.malformed(w.ITEM, 0, content, index=True)
            self.expect(data, 14, ["alice"])
            self.expect(data, 14, None, "--scan")
        self.expect(self.malformed(w.ITEM, 2, item()), 14, None, "--scan")
        self.expect(self.malformed(w.ITEM, 1, item(revision=1)), 14, None, "--scan")

    def test_authentic_but_malformed_plaintexts_are_14(self):
        good = struct.pack("<IB3x", 70, 1) + b"v" * 70
        bad = [
            good.ljust(64 * 3, b"\0"),  # not P(78) bytes
            good.ljust(127, b"\0") + b"\1",  # padding not zero
            (good[:5] + b"\1" + good[6:]).ljust(128, b"\0"),
            (struct.pack("<IB3x", 121, 1) + b"v" * 120),  # longer than its frame
            (struct.pack("<IB3x", 70, 5) + b"v" * 70).ljust(128, b"\0"),  # unknown bit
            (struct.pack("<IB3x", 70, 9) + b"v" * 70).ljust(128, b"\0"),
        ]
        for plaintext in [good.ljust(128, b"\0")] + bad:
            archive = w.Archive(KEYS, [SLOT])
            archive.begin(segment(1))
            archive.item(uuid(1), password("alice"), b"")
            value = len(archive.data) - 112
            archive.data[value:] = KEYS.sealed_frame(w.VALUE, 1, segment(1), plaintext)
            place = archive.live[uuid(1)][1]
            archive.data[place:value] = KEYS.frame(
                w.ITEM,
                0,
                segment(1),
                0,
                uuid(1)
                + KEYS.token(password("alice"))
                + struct.pack("<QQQB7x", 1, 0, w.UNKNOWN, 1)
                + w.attribute_bytes(password("alice")),
            )
            archive.commit()
            status = 14 if plaintext in bad else 0
            self.expect(archive.data, status, [] if status else ["alice"])
            self.expect(archive.data, status, None, "--scan")

    def test_malformed_voids_are_found(self):
        for offset, fixed, status in ((40, False, 13), (24, True, 14), (40, None, 14)):
            archive, places = small()
            archive.shred((places[1], places[2] - places[1]))
            data, place = archive.data, places[1]
            data[place + offset] ^= 1
            if fixed:
                crc = zlib.crc32(data[place : place + 28])
                data[place + 28 : place + 32] = crc.to_bytes(4, "little")
            if fixed is None:  # a second word makes the sum zero again: weights 5 and 7
                low = (-5 * int.from_bytes(data[place + 40 : place + 44], "little")) % 2**32
                word = low * pow(7, -1, 2**32) % 2**32
                data[place + 44 : place + 48] = word.to_bytes(4, "little")
            lines = self.expect(data, 14, None, "--verify")[1]
            found = [line["status"] for line in lines if line["reason"].startswith("void frame")]
            self.assertEqual(found, [status])

    def test_malformed_tombstones_are_14(self):
        archive, places = small()
        first, good = len(archive.data), (places[1], places[2] - places[1])
        place, length = good
        bad = [
            [(place + 8, length)],
            [(place, length - 8)],
            [(place, 0)],
            [(8192 - 16, length)],
            [(place, first - place + 16)],
            [good, (first, 2**64 - 16)],
        ]
        for extents in [[good]] + bad:
            archive, _ = small()
            archive.begin(segment(2))
            archive.tombstone(uuid(1), extents)
            archive.commit()
            self.expect(archive.data, 14 if extents in bad else 0, None, "--scan")
        for value, rest in ((1, b""), (0, bytes(8))):
            archive, _ = small()
            archive.begin(segment(2))
            token, replaced, _, _, revision, _ = archive.live.pop(uuid(1))
            content = struct.pack("<QQQB7x", revision + 1, replaced, 0, value) + rest
            archive.append(w.ITEM, 1, uuid(1) + token + content)
            archive.changed = True
            archive.commit()
            self.expect(archive.data, 14, None, "--scan")

    def test_frames_out_of_bounds_are_14_before_their_end_is_looked_for(self):
        archive, places = small()
        for size in (64, 88, 2**20 + 32, 2**24 - 1):
            data = bytearray(archive.data)
            data[places[1] + 5 : places[1] + 8] = size.to_bytes(3, "little")
            crc = zlib.crc32(data[places[1] : places[1] + 28])
            data[places[1] + 28 : places[1] + 32] = crc.to_bytes(4, "little")
            reasons = self.expect(data, 14, ["alice", "carol"])[2]
            self.assertIn("frame length out of bounds", reasons)

    def test_a_wrong_magic_is_13_even_when_the_crc_holds(self):
        archive, places = small()
        archive.data[places[1]] ^= 1
        w.repair(archive.data, places[1])
        self.expect(archive.data, 13, ["alice", "carol"])

    def test_frames_where_none_belong_are_14(self):
        for kind, code, content in (
            (w.VALUE, 1, b"v"),
            (w.VALUE, 5, b"v"),
            (w.INDEX, 6, bytes(40)),
            (6, 0, b""),
            (127, 0, b""),
            (w.COMMIT, 0, bytes(132)),
        ):
            self.expect(self.malformed(kind, code, content), 14, None, "--scan")

    def test_a_value_cut_short_or_too_long_is_14(self):
        for chunks in (
            [(0, b"short"), (1, b"x")],
            [(0, bytes(w.CHUNK)), (1, b"")],
            [(1, b"12345")],
            [(3, b"not deflated")],
            [(3, w.raw_deflate(b"1234") + b"x")],
            [(3, w.raw_deflate(bytes(w.CHUNK + 1)))],
            [(0, bytes(w.CHUNK))],
        ):
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
        for changes in (
            {"number": 0},
            {"previous": 8192},
            {"first": 8208},
            {"root_place": 0},
            {"root_level": 1},
            {"root_sequence": 0},
            {"header_sequence": 0},
            {"previous_hash": b"\1" * 32},
            {"live_items": 0},
            {"root_level": 6},
            {"zero": b"\0\0\1"},
            {"number": 2, "previous": 16384, "first": 16896},
            {"number": 2, "previous": 8704 - 512, "first": 8704},
            {"number": 2, "previous": 8200, "first": 8712},
        ):
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
        for end in (
            8,
            4096,
            8191,
            8192,
            8200,
            places[1] + 40,
            archive.previous,
            archive.previous + 239,
        ):
            for option in ([], ["--scan"], ["--verify"]):
                result = self.run_reader(bytes(archive.data[:end]), *option)
                self.assertEqual(result[0], 4, (end, result))
                self.assertEqual([line for line in result[1] if "account" in line], [])
        self.assertIn("1 whole items", self.run_reader(bytes(archive.data[: places[1] + 40]))[2])

    def test_a_cut_inside_the_newest_session_gives_the_older_state(self):
        archive, places = history()
        for end in (places[5] + 10, archive.previous, archive.previous + 200):
            self.expect_everywhere(
                archive.data[:end],
                (0, ["alice", "bob", "carol", "dave"]),
                (4, ["alice", "bob", "carol", "dave"]),
                4,
            )

    def test_a_cut_inside_the_end_of_session_loses_nothing(self):
        archive, _ = small()
        everyone = ["alice", "bob", "carol"]
        for end in (240, 300, 480, 511):
            self.expect_everywhere(
                archive.data[: archive.previous + end], (0, everyone), (4, everyone), 4
            )

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
        data = archive.data + archive.data[first.previous : first.previous + 512]
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
        self.expect_everywhere(
            data, (0, ["alice", "bob", "dave"]), (13, ["alice", "bob", "dave"]), 13
        )

    def test_a_session_of_a_fork_in_the_middle_is_14(self):
        archive, places = history()
        fork, _ = small()
        fork.begin(segment(9))
        fork.item(uuid(1), password("bob"), b"old")
        fork.item(uuid(3), password("dave"), b"\x00\xff")
        fork.commit()
        data = bytearray(archive.data)
        data[len(small()[0].data) : len(fork.data)] = fork.data[len(small()[0].data) :]
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
        self.assertEqual(set(archive.data[places[1] + 32 : places[1] + 80]), {0})
        self.expect_everywhere(archive.data, *[(0, ["alice", "carol"])] * 2, 0)

    def test_an_unfinished_shred_is_4_for_verify(self):
        archive, places = self.shredded(overwrite=False)
        self.expect_everywhere(archive.data, *[(0, ["alice", "carol"])] * 2, 4)
        archive.data[places[1] + 50 : places[1] + 90] = bytes(40)
        self.expect_everywhere(archive.data, *[(0, ["alice", "carol"])] * 2, 4)

    def test_voids_without_a_tombstone_are_14_also_after_a_rollback(self):
        archive, places = small()
        archive.shred((places[1], places[2] - places[1]))
        self.expect_everywhere(archive.data, (14, ["alice", "carol"]), (14, ["alice", "carol"]), 14)
        archive, places = self.shredded()
        self.expect(archive.data[: len(small()[0].data)], 14, None, "--scan")

    def test_a_void_before_a_lost_value_is_14(self):
        archive, places = small()
        archive.shred((places[0], places[1] - places[0]))
        archive.data[places[2] - 5] ^= 1
        lines = self.expect(archive.data, 14, ["carol"], "--scan")[2]
        self.assertIn("a void that nothing explains", lines)

    def test_a_void_before_a_lost_frame_is_part_of_that_damage(self):
        archive, places = self.shredded()
        tombstone = len(small()[0].data)
        archive.data[tombstone + 50] ^= 1
        self.expect(archive.data, 13, ["alice", "carol"], "--scan")
        self.expect(archive.data, 13, None, "--verify")


if __name__ == "__main__":
    unittest.main()
