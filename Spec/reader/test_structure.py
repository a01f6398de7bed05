"""Tests of --verify without a credential: what has no key."""

import struct
import unittest

import archive_writer as w
from reader_case import ReaderTest, history, small


class Structure(ReaderTest):
    def run_structure(self, data):
        return self.run_reader(bytes(data), "--verify", key_file=None)

    def test_a_sound_archive_is_0(self):
        for archive in (small()[0], history()[0]):
            self.assertEqual(self.run_structure(archive.data)[:2], (0, []))

    def test_any_flipped_bit_is_13(self):
        data = bytes(history()[0].data)
        for bit in range(0, len(data) * 8, 397):
            broken = bytearray(data)
            broken[bit // 8] ^= 1 << bit % 8
            self.assertEqual(self.run_structure(broken)[0], 13, bit)

    def test_any_cut_inside_a_session_is_4(self):
        archive, _ = small()
        for end in range(8192, len(archive.data), 16):
            self.assertEqual(self.run_structure(archive.data[:end])[0], 4, end)

    def test_a_changed_header_whose_checksum_holds(self):
        for offset, value, status in (
            (8, 2, 15),
            (12, 1, 15),
            (56, 1, 14),
            (96, 0, 14),
            (97, 8, 14),
        ):
            archive, _ = small()
            for place in (0, 4096):
                archive.data[place + offset] = value
                w.repair_header(archive.data, place)
            self.assertEqual(self.run_structure(archive.data)[0], status, offset)

    def test_what_the_file_key_alone_can_tell_is_not_seen(self):
        archive, places = small()
        archive.data[places[1] + 50] ^= 1
        w.repair(archive.data, places[1])
        self.assertEqual(self.run_structure(archive.data)[0], 0)

    def test_order_and_session_of_frames(self):
        for offset, value in ((8, b"\x09"), (12, b"x")):
            archive, places = small()
            archive.data[places[1] + offset : places[1] + offset + 1] = value
            w.repair(archive.data, places[1])
            self.assertEqual(self.run_structure(archive.data)[0], 14)

    def test_an_end_mark_of_another_place_is_14(self):
        archive, _ = small()
        mark = archive.data[-32:]
        mark[8:16] = struct.pack("<Q", 8192)
        mark[28:] = w.zlib.crc32(mark[:28]).to_bytes(4, "little")
        archive.data[-32:] = mark
        self.assertEqual(self.run_structure(archive.data)[0], 14)


if __name__ == "__main__":
    unittest.main()
