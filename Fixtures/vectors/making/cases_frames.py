"""Vectors of the sections "Frames" and "Padding": one frame of a small archive is not as it was."""

import struct

from .building import (
    EVERYONE,
    SECRETS,
    WITHOUT_BOB,
    basic,
    comment_of,
    one_session,
    password,
    segment,
)
from .primitives import COMMIT, INDEX, ITEM, VALUE, padded, repaired, with_crc
from .vector import vector

FIELDS = [
    ("magic", 0),
    ("type", 4),
    ("length", 6),
    ("sequence", 8),
    ("segment", 12),
    ("body_check", 24),
    ("crc", 28),
    ("ciphertext", 32),
]


def changed(offset, mask=1):
    def change(frame):
        frame[offset] ^= mask
        return frame

    return change


def patched(offset, value, mend):
    def change(frame):
        frame[offset : offset + len(value)] = value
        return mend(frame)

    return change


def place_of(file, what):
    if what == "item":
        return file.named["bob"]
    if what == "value":
        return file.named["bob/0"]
    kind, which = {"index": (INDEX, 0), "commit_1": (COMMIT, 0), "commit_2": (COMMIT, 1)}[what]
    return [frame for frame in file.frames if frame.kind == kind][which]


def outcome(what, status):
    """Paths and items when a frame of the archive does not open with this status."""
    if what == "item":
        return dict(every=status, items=WITHOUT_BOB)
    if what == "value":
        lists = dict(list_items=EVERYONE, pipe_list_items=EVERYONE)
        return dict(every=status, list=0, items=WITHOUT_BOB, **lists)
    if what == "index":
        return dict(every=status, items=EVERYONE, outdated=("list", "read", "pipe-list", "pipe"))
    append = 0 if status == 13 else 14  # a damaged copy is sealed again, a changed one never
    return dict(every=0, verify=status, items=EVERYONE, append=append)


def flips():
    why = "One bit of the frame differs: an accident. It costs one item at most."
    for what in ("item", "value", "index", "commit_1", "commit_2"):
        for name, offset in FIELDS + [("tag", -1)]:
            file = one_session()
            file.patch(place_of(file, what), changed(offset))
            more = outcome(what, 13)
            if what == "value" and offset >= 32 or offset < 0 and what == "value":
                more["pipe_list"] = 0  # its header is sound, its body is not opened
            vector(
                "frame_%s_flipped_%s" % (what, name),
                "Checking a frame",
                why,
                file.data,
                structure=13,
                **more,
            )
    file = one_session()
    both = [place_of(file, "commit_1"), place_of(file, "commit_2")]
    for name, change, status in [
        ("body_flipped", changed(50), 13),
        ("body_changed", patched(50, b"\xff\xff\xff\xff", repaired), 14),
        ("header_flipped", changed(9), 4),
    ]:
        file = one_session()
        for frame in both:
            file.patch(frame, change)
        why = "Neither COMMIT copy opens: the archive has no state. What stands there decides."
        vector("frame_commits_both_" + name, "Finding the state", why, file.data, status)
    file = one_session()
    file.patch(both[0], changed(50)).patch(both[1], patched(50, b"\xff\xff\xff\xff", repaired))
    why = "One copy damaged, the other tampered with: the worse of the two."
    vector("frame_commits_both_different", "Finding the state", why, file.data, 14)


def changes():
    """Changed frames whose unkeyed checks hold again."""
    for what in ("item", "value", "index", "commit_1", "commit_2"):
        kind = {"item": ITEM, "value": VALUE, "index": INDEX}.get(what, COMMIT)
        changes = [
            ("ciphertext", 40, b"\xde\xad\xbe\xef"),
            ("tag", -4, b"\xde\xad\xbe\xef"),
            ("sequence", 8, struct.pack("<I", 77)),
            ("segment", 12, segment(9)),
        ]
        changes += [("type_%d" % t, 4, bytes([t])) for t in (1, 2, 3, 4) if t != kind]
        changes += [("type_%d" % t, 4, bytes([t])) for t in (0, 6, 127, 128, 255)]
        for name, offset, value in changes:
            if what.startswith("commit") and name not in ("ciphertext", "tag", "segment", "type_1"):
                continue
            if what in ("value", "index") and name in ("type_6", "type_127", "type_255"):
                continue
            file = one_session()
            offset %= place_of(file, what).end - place_of(file, what).place
            file.patch(place_of(file, what), patched(offset, value, repaired))
            more = outcome(what, 14)
            lost_track = name in ("sequence", "segment") or name.startswith("type")
            if what in ("item", "value") and lost_track:
                more["free"] = ("pipe", "pipe-list")
            if what == "value" and not lost_track:
                more["pipe_list"] = 0
            if what == "index":
                more["free"] = ("pipe", "pipe-list")
            if what.startswith("commit") and name != "ciphertext" and name != "tag":
                more["pipe"] = more["pipe_list"] = (0, 14)
            vector(
                "frame_%s_changed_%s" % (what, name),
                "Checking a frame",
                "Somebody changed the frame and mended its checks: the tag tells.",
                file.data,
                **more,
            )
    file = one_session()
    file.patch(place_of(file, "item"), patched(24, b"\1\2\3\4", with_crc))
    why = "The tag holds and the body check differs: readers take the frame."
    vector(
        "frame_item_other_body_check",
        "Checking a frame",
        why,
        file.data,
        0,
        verify=13,
        structure=13,
        items=EVERYONE,
    )
    file = one_session()
    file.patch(place_of(file, "value"), patched(24, b"\1\2\3\4", with_crc))
    vector(
        "frame_value_other_body_check",
        "Checking a frame",
        why,
        file.data,
        0,
        verify=13,
        structure=13,
        items=EVERYONE,
    )
    file = one_session()
    file.patch(place_of(file, "commit_1"), patched(24, b"\1\2\3\4", with_crc))
    vector(
        "frame_commit_other_body_check",
        "Checking a frame",
        why,
        file.data,
        0,
        verify=13,
        structure=13,
        items=EVERYONE,
    )


def lengths():
    for length in (0, 16, 64, 72, 81, 88, (1 << 20) + 32, 0xFFFFF0, 0xFFFFFF):
        file = one_session()
        value = struct.pack("<I", length)[:3]
        file.patch(file.named["bob"], patched(5, value, with_crc))
        vector(
            "frame_item_length_%d" % length,
            "Bounds",
            "A sealed length that no frame may have; the CRC-32 holds.",
            file.data,
            14,
            items=WITHOUT_BOB,
            structure=14,
            free=("pipe", "pipe-list"),
        )
    for name, length in (("shorter", 80), ("longer", 320), ("behind_the_commit", 0x10000)):
        file = one_session()
        file.patch(file.named["bob"], patched(5, struct.pack("<I", length)[:3], with_crc))
        vector(
            "frame_item_length_" + name,
            "Checking a frame",
            "An allowed length that is not the frame's. Its body check differs with it, unless the "
            "frame reaches behind its COMMIT (14) or, where that is not known, the input (4).",
            file.data,
            (4, 13, 14) if name == "behind_the_commit" else 13 if name == "longer" else 13,
            verify=(4, 13, 14) if name == "behind_the_commit" else (13, 14),
            pipe=(4, 13, 14) if name == "behind_the_commit" else (13, 14),
            items=WITHOUT_BOB,
            free=("pipe", "pipe-list") + (("list", "read") if name == "behind_the_commit" else ()),
        )
    file = one_session()
    reaching = file.commits[0] + 64 - file.named["bob"].place - 32
    value = struct.pack("<I", reaching)[:3]
    file.patch(file.named["bob"], patched(5, value, with_crc))
    vector(
        "frame_item_length_into_the_commit",
        "Checking a frame",
        "A frame that reaches behind its session's COMMIT, judged before its body check.",
        file.data,
        14,
        pipe=(13, 14),
        items=WITHOUT_BOB,
        free=("pipe", "pipe-list"),
    )


def malformed():
    """Frames sealed with the file key whose plaintext breaks the layout."""
    section = "Layout"

    def item_case(name, why, **twist):
        file = basic(("alice",))
        file.item("bob", SECRETS["bob"], **twist)
        file.item("carol", SECRETS["carol"])
        file.commit()
        vector("frame_item_" + name, section, why, file.data, 14, items=WITHOUT_BOB)

    size = 64 + len(password("bob"))
    item_case("n_one_more", "Attributes do not end at n.", n=size + 1)
    item_case(
        "n_above_plaintext", "n is above the plaintext's length less 8.", n=padded(8 + size) - 7
    )
    item_case("n_largest", "n is above the plaintext's length less 8.", n=0xFFFFFFFF)
    item_case("n_0", "n says that there is no content.", n=0)
    for i in range(3):
        zero = bytes(i) + b"\1" + bytes(2 - i)
        item_case("zero_%d" % (5 + i), "Reserved bytes are zero.", head_zero=zero)
    item_case("padding_not_zero", "Padding is zero.", fill=b"\1")
    item_case(
        "padded_too_much", "The plaintext has exactly P(8 + n) bytes.", size=padded(8 + size) + 64
    )
    longer = password("bob", comment_of(20))  # 8 + n is above 128, so P is 192
    why = "The plaintext has exactly P(8 + n) bytes."
    item_case("padded_to_16", why, attributes=longer, size=144)
    item_case("code_2", "A code of an ITEM is 0 or 1.", code=2)
    item_case("code_255", "A code of an ITEM is 0 or 1.", code=255)
    item_case("sealed_as_value", "Sealed under the key of VALUEs.", under=VALUE)
    for name, twist in [
        ("n_above_plaintext", dict(n=57)),
        ("zero_5", dict(zero=b"\1\0\0")),
        ("padding_not_zero", dict(fill=b"\1")),
        ("padded_too_much", dict(size=128)),
        ("sealed_as_item", dict(under=ITEM)),
        ("code_bit_2", dict(code=5)),
        ("code_bit_7", dict(code=129)),
    ]:
        file = basic(("alice",))
        file.item("bob", SECRETS["bob"], chunks=[])
        code = twist.pop("code", 1)
        file.add(VALUE, code, SECRETS["bob"], **twist)
        file.item("carol", SECRETS["carol"])
        file.commit()
        vector(
            "frame_value_" + name,
            section,
            "A VALUE that breaks the layout of frames.",
            file.data,
            14,
            list=0,
            pipe_list=0,
            list_items=EVERYONE,
            pipe_list_items=EVERYONE,
            items=WITHOUT_BOB,
        )
    for name, twist in [
        ("zero_6", dict(zero=b"\0\1\0")),
        ("padding_not_zero", dict(fill=b"\1")),
        ("padded_too_much", dict(size=256)),
        ("code_6", dict(code=6)),
    ]:
        file = basic(("alice", "bob"))
        row = file.node(0, file.entries(), **twist)
        file.root = (*row[1:], 0)
        file.commit(indexed=True)
        vector(
            "frame_index_" + name,
            section,
            "An INDEX that breaks the layout of frames: readers fall back to a scan.",
            file.data,
            14,
            items=EVERYONE[:2],
            outdated=("list", "read", "pipe-list", "pipe"),
        )


def make():
    flips()
    changes()
    lengths()
    malformed()
