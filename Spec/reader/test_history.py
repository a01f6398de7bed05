"""Tests of the second reader on what only a holder of the file key can write wrongly: sessions,
commits, indexes and histories that open and do not fit together."""

import struct
import unittest
import zlib

import archive_writer as w
from reader_case import KEYS, SLOT, ReaderTest, history, password, segment, small, uuid


class Histories(ReaderTest):
    def reasons(self, data, status=14):
        """The findings of --verify, whose worst must be `status`."""
        lines = self.expect(data, status, None, "--verify")[1]
        return {line["reason"] for line in lines}

    def second_session(self, number=2):
        archive, places = small()
        archive.begin(segment(number))
        return archive, places

    def test_the_two_copies_of_a_commit_must_agree(self):
        archive, _ = small()
        place = archive.previous
        content = w.AESGCM(KEYS.segment_key(w.COMMIT, segment(1))[0])
        base = KEYS.segment_key(w.COMMIT, segment(1))[1]
        nonce = base[:8] + (int.from_bytes(base[8:], "little") ^ 7).to_bytes(4, "little")
        frame = bytes(archive.data[place : place + 240])
        fields = content.decrypt(nonce, frame[32:], frame[:24])[8:140]
        other = bytearray(fields)
        other[72] ^= 1  # the time
        for sequence, seg, body in ((8, 1, other), (9, 1, fields), (8, 5, fields)):
            data = bytearray(archive.data)
            copy = KEYS.frame(w.COMMIT, sequence, segment(seg), 1, bytes(body))
            data[place + 240 : place + 480] = copy
            self.expect(data, 0, ["alice", "bob", "carol"])
            self.assertIn("the commit's copies differ", self.reasons(data))

    def test_a_body_check_of_a_commit_is_seen_by_verify_only(self):
        archive, _ = history()
        place = archive.previous
        archive.data[place + 24] ^= 1
        crc = zlib.crc32(archive.data[place : place + 28])
        archive.data[place + 28 : place + 32] = crc.to_bytes(4, "little")
        self.expect(archive.data, 0, ["alice", "bob", "dave"])
        self.assertEqual(self.reasons(archive.data, 13), {"commit copy: body check differs"})

    def test_an_end_mark_of_another_commit_is_14_for_verify(self):
        for offset in (8, 16, 24):
            archive, _ = small()
            place = archive.previous + 480
            archive.data[place + offset] ^= 1
            crc = zlib.crc32(archive.data[place : place + 28])
            archive.data[place + 28 : place + 32] = crc.to_bytes(4, "little")
            self.expect(archive.data, 0, ["alice", "bob", "carol"])
            self.assertEqual(self.reasons(archive.data), {"end mark of another commit"})

    def test_a_chain_that_does_not_fit_is_14(self):
        for changes in ({"number": 3}, {"previous_hash": b"\1" * 32}):
            archive, _ = self.second_session()
            archive.item(uuid(9), password("zoe"), b"v")
            archive.commit(**changes)
            self.assertIn("the chain of commits does not fit", self.reasons(archive.data))
            self.expect(archive.data, 14, [], "--require-commit", "1")

    def test_a_segment_used_twice_is_14(self):
        archive, _ = self.second_session(1)
        archive.commit()
        self.assertIn("a session with the segment of another one", self.reasons(archive.data))

    def test_gaps_and_repeats_in_the_sequence_are_14(self):
        for step in (1, -1):
            archive = w.Archive(KEYS, [SLOT])
            archive.begin(segment(1))
            archive.item(uuid(1), password("alice"))
            archive.sequence += step
            archive.item(uuid(2), password("bob"))
            archive.commit()
            self.assertIn("frame out of sequence", self.reasons(archive.data))
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        archive.item(uuid(1), password("alice"))
        archive.root, archive.changed = archive.index([archive.live[uuid(1)][:4]]), False
        archive.sequence += 1
        archive.commit()
        self.assertIn("commit out of sequence", self.reasons(archive.data))

    def test_a_frame_of_another_segment_in_a_session_is_14(self):
        archive, _ = self.second_session()
        archive.segment = segment(8)
        archive.item(uuid(9), password("zoe"))
        archive.segment = segment(2)
        archive.commit()
        self.assertIn("frame of another session", self.reasons(archive.data))

    def test_a_frame_that_reaches_into_the_commit_is_14(self):
        archive, _ = small()
        place = archive.root[0]
        archive.data[place + 5 : place + 8] = (4096).to_bytes(3, "little")
        w.repair(archive.data, place)
        self.assertIn("frame reaches behind its session", self.reasons(archive.data))

    def test_an_item_twice_in_a_session_is_14(self):
        archive, _ = self.second_session()
        archive.item(uuid(1), password("bob"), b"2")
        archive.live[uuid(1)] = archive.live[uuid(1)][:1] + (0,) + archive.live[uuid(1)][2:]
        archive.item(uuid(1), password("bob"), b"3", revision=3)
        archive.commit()
        self.assertIn("an item twice in one session", self.reasons(archive.data))

    def test_an_item_after_its_tombstone_is_14(self):
        archive, _ = history()
        archive.begin(segment(4))
        archive.item(uuid(2), password("carol"), b"back")
        archive.commit()
        self.assertEqual(self.reasons(archive.data), {"an item after its tombstone"})

    def test_a_place_replaced_must_be_the_latest_revision_of_the_item(self):
        def replacing(place, number, revision=3):
            archive, places = history()
            old = archive.live[uuid(number)]
            archive.live[uuid(number)] = old[:1] + (place(places),) + old[2:]
            archive.begin(segment(4))
            archive.item(uuid(number), password("bob"), b"x", revision=revision)
            archive.commit()
            return self.reasons(archive.data)

        wrong = "replaces what is not an earlier revision of it"
        self.assertIn("replaces what was replaced before", replacing(lambda p: p[1], 1))
        self.assertIn(wrong, replacing(lambda p: p[0], 1))
        self.assertIn(wrong, replacing(lambda p: p[3], 1, revision=2))
        self.assertIn(wrong, replacing(lambda p: p[5], 2 + 1))
        self.assertIn("replaces what is no item", replacing(lambda p: p[0] + 16, 1))

    def test_an_extent_over_half_a_frame_is_14(self):
        archive, places = small()
        archive.begin(segment(2))
        archive.tombstone(uuid(1), [(places[1], 160)])
        archive.commit()
        self.assertIn("an extent ends inside a frame", self.reasons(archive.data))
        archive, places = small()
        archive.begin(segment(2))
        archive.tombstone(uuid(1), [(places[1], places[2] - places[1] - 16)])
        archive.commit()  # the ITEM is whole, and not VOID yet; its VALUE is cut
        self.assertIn("an extent ends inside a frame", self.reasons(archive.data))


class Lists(ReaderTest):
    """--list: items without their values, at random and by a scan."""

    def test_no_value_is_opened(self):
        archive, places = small()
        archive.data[places[2] - 5] ^= 128
        everyone = ["alice", "bob", "carol"]
        for option in ([], ["--scan"]):
            lines = self.expect(archive.data, 0, everyone, "--list", *option)[1]
            self.assertFalse(any("value" in line for line in lines))

    def test_a_tombstone_that_was_made_to_look_like_a_value_hides_nothing(self):
        for known in (True, False):
            archive, _ = history()
            archive.begin(segment(4))
            archive.item(uuid(4), password("erin"), b"e", known=known)
            place = archive.tombstone(uuid(3))
            archive.commit()
            archive.data[place + 4] = w.VALUE
            w.repair(archive.data, place)
            people = ["alice", "bob", "erin"]
            self.expect(archive.data, 14 if known else 0, people, "--list", "--scan")
            self.expect(archive.data, 14, people, "--scan")

    def test_a_chunk_too_many_is_14(self):
        for value in (b"", b"one chunk"):
            archive = w.Archive(KEYS, [SLOT])
            archive.begin(segment(1))
            archive.item(uuid(1), password("alice"), value)
            archive.append(w.VALUE, 1, b"another one")
            archive.commit()
            self.expect(archive.data, 14, ["alice"], "--list", "--scan")
            self.expect(archive.data, 0, ["alice"], "--list")


class Indexes(ReaderTest):
    def archive(self, change):
        """Three items whose leaf lists what `change` makes of the right entries."""
        archive = w.Archive(KEYS, [SLOT])
        archive.begin(segment(1))
        for n, account in enumerate(["alice", "bob", "carol"]):
            archive.item(uuid(n), password(account), b"v")
        entries = sorted(entry[:4] for entry in archive.live.values())
        archive.root, archive.changed = archive.index(change(entries)), False
        archive.commit()
        return archive.data

    def test_an_index_that_is_not_the_live_items_is_14_for_verify(self):
        data = self.archive(lambda entries: entries[1:])
        self.assertEqual(len(self.expect(data, 0)[1]), 2)
        self.expect(data, 14, None, "--verify")

    def test_an_entry_that_is_not_its_item_is_14(self):
        def other_token(entries):
            return [(bytes(16), *entries[0][1:])] + entries[1:]

        def other_sequence(entries):
            return [(*entries[0][:3], entries[0][3] + 1)] + entries[1:]

        for change in (other_token, other_sequence):
            self.assertEqual(len(self.expect(self.archive(change), 14)[1]), 2)

    def test_a_leaf_out_of_order_is_14(self):
        for change in (lambda e: e[::-1], lambda e: [e[0], e[0]] + e[1:]):
            self.expect(self.archive(change), 14)

    def test_an_entry_for_a_tombstone_is_14(self):
        archive, places = small()
        archive.begin(segment(2))
        token = archive.live[uuid(1)][0]
        entry = (token, archive.tombstone(uuid(1)), segment(2), 0)
        entries = [e[:4] for e in archive.live.values()] + [entry]
        archive.root, archive.changed = archive.index(sorted(entries)), False
        archive.commit(live_items=3)
        self.expect(archive.data, 14, ["alice", "carol"])

    def test_malformed_nodes_are_14(self):
        good = struct.pack("<16sQ12sI", bytes(16), 8192, segment(1), 0)
        ahead = struct.pack("<16sQ12sI", bytes(16), 1 << 40, segment(1), 0)
        for level, content in ((0, b""), (0, good[:39]), (0, good * 410), (0, ahead), (1, good)):
            archive = w.Archive(KEYS, [SLOT])
            archive.begin(segment(1))
            archive.item(uuid(1), password("alice"))
            sequence = archive.sequence
            place = archive.append(w.INDEX, level, content)
            archive.root, archive.changed = (place, segment(1), sequence, level), False
            archive.commit()
            self.expect(archive.data, 14, ["alice"])


if __name__ == "__main__":
    unittest.main()
