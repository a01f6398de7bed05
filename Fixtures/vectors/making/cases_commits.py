"""Vectors of COMMIT and of the chain of commits: fields that lie, copies that differ, pins."""

from .building import EVERYONE, KEYS, TIME, File, basic, endmark, one_session, segment
from .primitives import COMMIT
from .vector import GIVING, vector

SECTION = "COMMIT"


def said(name, why, every, items=(), pipe=None, verify=None, free=(), **fields):
    """One session whose COMMIT says something else, in both copies."""
    file = basic()
    file.commit(**fields)
    pipe = every if pipe is None else pipe
    verify = every if verify is None else verify
    vector(
        "commit_" + name,
        SECTION,
        why,
        file.data,
        every,
        pipe=pipe,
        verify=verify,
        items=items,
        free=free,
    )


def fields():
    why = "Number 0 is none."
    said("number_0", why, 14, free=GIVING, number=0)
    said(
        "number_7_first",
        "The first commit after compacting goes on counting.",
        0,
        EVERYONE,
        number=7,
        previous_hash=b"h" * 32,
    )
    said(
        "number_7_without_hash",
        "Any previous hash, zeros too, may be the source's.",
        0,
        EVERYONE,
        number=7,
    )
    said(
        "number_1_with_hash",
        "Number 1 has no previous hash.",
        14,
        free=GIVING,
        previous_hash=b"h" * 32,
    )
    said("number_1_with_previous", "Number 1 has no previous.", 14, free=GIVING, previous=8192)
    said("first_place_later", "Previous 0: first place is 2S.", 14, free=GIVING, first=8192 + 288)
    said("first_place_in_header", "Previous 0: first place is 2S.", 14, free=GIVING, first=4096)
    said(
        "first_place_behind",
        "First place is at or before the own place.",
        14,
        free=GIVING,
        first=1 << 40,
    )
    said("header_sequence_0", "Header sequences begin at 1.", 14, free=GIVING, header_sequence=0)
    said(
        "header_sequence_2",
        "A newer header is sealed than the one that is there.",
        17,
        header_sequence=2,
    )
    said("header_sequence_largest", "A newer header is sealed.", 17, header_sequence=(1 << 64) - 1)
    said("time_0", "The time is informative.", 0, EVERYONE, time=0)
    said("time_largest", "The time is informative.", 0, EVERYONE, time=(1 << 64) - 1)
    said("live_bytes_largest", "Live bytes are informative.", 0, EVERYONE, live_bytes=(1 << 64) - 1)
    said("dead_bytes_largest", "Dead bytes are informative.", 0, EVERYONE, dead_bytes=(1 << 64) - 1)
    for i in range(3):
        zero = bytes(i) + b"\1" + bytes(2 - i)
        said("zero_%d" % (129 + i), "Reserved bytes are zero.", 14, free=GIVING, zero=zero)
    why = "The COMMITs open, and name a place behind the one where they stand."
    said("own_place_later", why, 13, place=1 << 20)
    why = "The sequence of copy 1 is the number of frames of the session."
    file = basic()
    file.index()
    file.commit(indexed=True, sequence=file.sequence + 1)
    vector(
        "commit_sequence_one_more",
        SECTION,
        why,
        file.data,
        0,
        pipe=14,
        verify=14,
        structure=14,
        items=EVERYONE,
        free=("pipe", "pipe-list"),
    )
    file = File().begin(1)
    file.commit(sequence=1)
    why = "An empty session's COMMIT has sequence 0."
    vector("commit_empty_sequence_1", SECTION, why, file.data, 14, structure=14)
    file = basic()
    file.index()
    file.commit(indexed=True, sequence=0)
    why = "There are frames in front of the COMMIT, and its sequence is 0."
    vector("commit_sequence_0", SECTION, why, file.data, 14, structure=14, free=GIVING)
    for n in (131, 133):
        file = basic()
        file.index()
        place = len(file.data)
        content = file.commit_content(place)
        content = (content + b"\0")[:n]
        file.add(COMMIT, 0, content)
        file.add(COMMIT, 1, content)
        file.data += endmark(place, 1, KEYS.aid)
        why = "A COMMIT has 132 bytes; neither copy is one, though both are authentic."
        vector("commit_of_%d_bytes" % n, "Finding the state", why, file.data, 14)
    for name, twist in [("zero_5", dict(zero=b"\1\0\0")), ("padding_not_zero", dict(fill=b"\1"))]:
        file = basic()
        file.index()
        place = len(file.data)
        content = file.commit_content(place)
        file.add(COMMIT, 0, content, **twist)
        file.add(COMMIT, 1, content, **twist)
        file.data += endmark(place, 1, KEYS.aid)
        why = "Both copies break the layout of frames."
        vector("commit_" + name, "Finding the state", why, file.data, 14)


def copies():
    section = "Finding the state"
    for name, why, twist, verify in [
        ("codes_0_0", "Copy 2 has code 0: it stands for another place.", dict(codes=(0, 0)), 14),
        ("codes_1_1", "Copy 1 has code 1: it stands for another place.", dict(codes=(1, 1)), 14),
        ("code_2_in_copy_2", "A code of a COMMIT is 0 or 1.", dict(codes=(0, 2)), 14),
        (
            "second_time_differs",
            "The copies differ in more than they must.",
            dict(second=dict(time=TIME + 1)),
            14,
        ),
        ("second_live_bytes_differ", "The copies differ.", dict(second=dict(live_bytes=1)), 14),
        ("second_sequence_skips", "Copy 2 has the next sequence.", dict(second=dict(skip=1)), 14),
        (
            "second_segment_differs",
            "Copy 2 has the segment of the session.",
            dict(second=dict(segment=segment(2))),
            14,
        ),
        ("mark_place_older", "A sound ENDMARK of another place.", dict(mark=dict(place=8192)), 14),
        ("mark_number_2", "A sound ENDMARK of another number.", dict(mark=dict(number=2)), 14),
        (
            "mark_aid",
            "A sound ENDMARK of another archive.",
            dict(mark=dict(aid=b"other archive id")),
            14,
        ),
        (
            "mark_magic",
            "Another magic under a good CRC-32.",
            dict(mark=dict(magic=b"KCAEND\n\r")),
            14,
        ),
    ]:
        file = basic()
        file.commit(**twist)
        structure = 14 if name in ("mark_place_older", "mark_aid", "mark_magic") else None
        vector(
            "commit_" + name,
            section,
            why,
            file.data,
            0,
            verify=verify,
            pipe=(0, 14) if name in ("second_sequence_skips", "second_segment_differs") else 0,
            free=("pipe", "pipe-list") if name == "second_segment_differs" else (),
            structure=structure,
            append=None if name.startswith("second") else 14,
            items=EVERYONE,
        )
    for name, value in [
        ("zeros", bytes(32)),
        ("crc_wrong", None),
        ("text", b"this is no mark but a sentence.."),
    ]:
        file = one_session()
        if value is None:
            file.flip(len(file.data) - 1)
        else:
            file.data[-32:] = value
        vector(
            "commit_mark_" + name,
            section,
            "ENDMARK zeros, or its CRC-32 wrong.",
            file.data,
            0,
            verify=13,
            structure=13,
            append=0,
            items=EVERYONE,
        )
    for i in (0, 9, 17, 25):
        file = one_session()
        file.flip(len(file.data) - 32 + i)
        vector(
            "commit_mark_flipped_%d" % i,
            section,
            "One bit of the ENDMARK differs.",
            file.data,
            0,
            verify=13,
            structure=13,
            append=0,
            items=EVERYONE,
        )
    file = one_session()
    first = file.commits[0]
    file.flip(first + 60).flip(len(file.data) - 5)
    vector(
        "commit_1_and_mark_flipped",
        section,
        "Copy 2 alone is whole: it is searched for.",
        file.data,
        0,
        verify=13,
        structure=13,
        append=0,
        items=EVERYONE,
    )
    file = one_session()
    file.flip(first + 300).flip(len(file.data) - 5)
    vector(
        "commit_2_and_mark_flipped",
        section,
        "Copy 1 alone is whole: it is searched for.",
        file.data,
        0,
        verify=13,
        structure=13,
        append=0,
        items=EVERYONE,
    )


def make():
    fields()
    copies()
