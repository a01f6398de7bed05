"""Vectors of COMMIT and of the chain of commits: fields that lie, copies that differ, pins."""

import hashlib
import struct

from .building import (
    AFTER_HISTORY,
    KEYS,
    SECRETS,
    TIME,
    File,
    Placed,
    basic,
    endmark,
    history,
    made,
    one_session,
    segment,
    uuid,
)
from .primitives import COMMIT, ITEM, VALUE, plaintext, repaired, with_crc
from .vector import GIVING, vector

EVERYONE = made()
SECTION = "COMMIT"


def said(name, why, every, items=(), pipe=None, verify=None, free=(), **fields):
    """One session whose COMMIT says something else, in both copies."""
    file = basic()
    file.commit(**fields)
    pipe = every if pipe is None else pipe
    verify = every if verify is None else verify
    vector("commit_" + name, SECTION, why, file.data, every, pipe=pipe, verify=verify, items=items, free=free)


def fields():
    why = "Number 0 is none."
    said("number_0", why, 14, free=GIVING, number=0)
    said("number_7_first", "The first commit after compacting goes on counting.", 0, EVERYONE, number=7, previous_hash=b"h" * 32)
    said("number_7_without_hash", "Any previous hash, zeros too, may be the source's.", 0, EVERYONE, number=7)
    said("number_1_with_hash", "Number 1 has no previous hash.", 14, free=GIVING, previous_hash=b"h" * 32)
    said("number_1_with_previous", "Number 1 has no previous.", 14, free=GIVING, previous=8192)
    said("first_place_later", "Previous 0: first place is 2S.", 14, free=GIVING, first=8192 + 288)
    said("first_place_in_header", "Previous 0: first place is 2S.", 14, free=GIVING, first=4096)
    said("first_place_behind", "First place is at or before the own place.", 14, free=GIVING, first=1 << 40)
    said("header_sequence_0", "Header sequences begin at 1.", 14, free=GIVING, header_sequence=0)
    said("header_sequence_2", "A newer header is sealed than the one that is there.", 17, header_sequence=2)
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
    vector("commit_sequence_one_more", SECTION, why, file.data, 0, pipe=14, verify=14, structure=14, items=EVERYONE, free=("pipe", "pipe-list"))
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
        ("second_time_differs", "The copies differ in more than they must.", dict(second=dict(time=TIME + 1)), 14),
        ("second_live_bytes_differ", "The copies differ.", dict(second=dict(live_bytes=1)), 14),
        ("mark_place_older", "A sound ENDMARK of another place.", dict(mark=dict(place=8192)), 14),
        ("mark_number_2", "A sound ENDMARK of another number.", dict(mark=dict(number=2)), 14),
        ("mark_aid", "A sound ENDMARK of another archive.", dict(mark=dict(aid=b"other archive id")), 14),
        ("mark_magic", "Another magic under a good CRC-32.", dict(mark=dict(magic=b"KCAEND\n\r")), 14),
    ]:
        file = basic()
        file.commit(**twist)
        structure = 14 if name in ("mark_place_older", "mark_aid", "mark_magic") else None
        vector("commit_" + name, section, why, file.data, 0, verify=verify, structure=structure, items=EVERYONE)
    for name, value in [("zeros", bytes(32)), ("crc_wrong", None), ("text", b"this is no mark but a sentence..")]:
        file = one_session()
        if value is None:
            file.flip(len(file.data) - 1)
        else:
            file.data[-32:] = value
        vector("commit_mark_" + name, section, "ENDMARK zeros, or its CRC-32 wrong.", file.data, 0, verify=13, structure=13, items=EVERYONE)
    for i in (0, 9, 17, 25):
        file = one_session()
        file.flip(len(file.data) - 32 + i)
        vector("commit_mark_flipped_%d" % i, section, "One bit of the ENDMARK differs.", file.data, 0, verify=13, structure=13, items=EVERYONE)
    file = one_session()
    first = file.commits[0]
    file.flip(first + 60).flip(len(file.data) - 5)
    vector("commit_1_and_mark_flipped", section, "Copy 2 alone is whole: it is searched for.", file.data, 0, verify=13, structure=13, items=EVERYONE)
    file = one_session()
    file.flip(first + 300).flip(len(file.data) - 5)
    vector("commit_2_and_mark_flipped", section, "Copy 1 alone is whole: it is searched for.", file.data, 0, verify=13, structure=13, items=EVERYONE)


def chain():
    """Three sessions; the second or third COMMIT lies about the chain."""
    section = "Verifying"

    def third(name, why, read=0, items=None, pipe=(0, 14), free=(), **fields):
        file = history(last=False)
        file.begin(3)
        file.delete("carol")
        file.commit(**{k: v(file) if callable(v) else v for k, v in fields.items()})
        items = AFTER_HISTORY if items is None else items
        vector("chain_" + name, section, why, file.data, read, pipe=pipe, verify=14, items=items, free=free)

    ended = dict(read=14, pipe=14, free=GIVING)
    third("hash_wrong", "The previous hash is not that of the COMMIT before.", previous_hash=bytes(32))
    third("hash_of_copy_2", "The previous hash is that of copy 2.", previous_hash=lambda f: hashlib.sha256(bytes(f.data[f.previous + 240 : f.previous + 480])).digest())
    third("number_2_twice", "The number is not one more than the previous one's.", number=2)
    third("number_4", "The number is not one more than the previous one's.", number=4)
    third("previous_too_early", "First place is previous + 512.", previous=lambda f: f.commits[0], **ended)
    third("previous_in_header", "Previous is at 2S or later.", previous=4096, first=4096 + 512, **ended)
    third("previous_odd", "Previous is a multiple of 16.", previous=lambda f: f.previous + 8, first=lambda f: f.previous + 8 + 512, **ended)
    third("previous_of_itself", "First place is at or before the own place.", previous=lambda f: len(f.data) + 144, first=lambda f: len(f.data) + 656, **ended)
    third("previous_0", "Previous 0: first place is 2S.", previous=0, previous_hash=bytes(32), **ended)
    third("first_too_late", "First place is previous + 512: a frame would belong to no session.", first=lambda f: f.first + 176, **ended)
    third("first_too_early", "First place is previous + 512.", first=lambda f: f.first - 512, **ended)

    file = one_session()
    file.data += bytes(16)
    file.begin(2)
    file.item("dave", SECRETS["dave"])
    file.commit()
    vector("chain_gap_between_sessions", SECTION, "16 bytes between two sessions: first place is not previous + 512.", file.data, 14, structure=(13, 14), free=GIVING)
    file = history()
    hole = file.commits[1]
    for place in (hole, hole + 240):
        file.flip(place + 50)
    vector("chain_middle_commit_damaged", section, "Both copies of an older COMMIT are damaged.", file.data, 0, pipe=13, verify=13, structure=13, items=AFTER_HISTORY)
    file = history()
    file.flip(hole + 50)
    vector("chain_middle_copy_1_damaged", section, "Copy 1 of an older COMMIT is damaged; copy 2 gives the same bytes.", file.data, 0, pipe=(0, 13), verify=13, structure=13, items=AFTER_HISTORY)
    file = history()
    file.flip(hole + 290)
    vector("chain_middle_copy_2_damaged", section, "Copy 2 of an older COMMIT is damaged.", file.data, 0, pipe=(0, 13), verify=13, structure=13, items=AFTER_HISTORY)
    file = history()
    file.flip(hole + 490)
    vector("chain_middle_mark_damaged", section, "The ENDMARK of an older session is damaged.", file.data, 0, pipe=(0, 13), verify=13, structure=13, items=AFTER_HISTORY)
    file = history()
    file.data[hole + 480 : hole + 512] = endmark(file.commits[0], 1, KEYS.aid)
    vector("chain_middle_mark_stale", section, "The ENDMARK of an older session is that of the session before it.", file.data, 0, pipe=(0, 14), verify=14, structure=14, items=AFTER_HISTORY)
    file = history()
    file.patch(Placed(hole, hole + 240, COMMIT, segment(2), 0), lambda f: repaired(f[:100] + b"\xde\xad" + f[102:]))
    vector("chain_middle_copy_1_changed", section, "Copy 1 of an older COMMIT is tampered with.", file.data, 0, pipe=(0, 14), verify=14, items=AFTER_HISTORY)
    file = one_session()
    file.begin(1)
    file.sequence = 50
    file.item("dave", SECRETS["dave"])
    file.commit()
    everyone = EVERYONE + [("dave", SECRETS["dave"])]
    vector("chain_segment_reused", "Sessions", "A session with the segment of an earlier one.", file.data, 0, pipe=14, verify=14, items=everyone, free=("pipe", "pipe-list"))


def pins():
    """--require-commit."""
    section = "Finding the state"
    file = history()
    hashes = [hashlib.sha256(bytes(file.data[p : p + 240])).hexdigest() for p in file.commits]

    def pin(name, why, option, status, data=None, items=AFTER_HISTORY, verify=None):
        data = file.data if data is None else data
        option = ["--require-commit " + option]
        verify = status if verify is None else verify
        vector("pin_" + name, section, why, data, status, verify=verify, items=items, options=option)

    pin("newest", "The newest commit has the number.", "3", 0)
    pin("older", "An older commit is there.", "1", 0)
    pin("newer", "The newest number is less.", "4", 17)
    pin("largest", "The newest number is less.", "18446744073709551615", 17)
    pin("newest_hash", "Number and hash.", "3:" + hashes[2], 0)
    pin("newest_hash_short", "16 digits are enough.", "3:" + hashes[2][:16], 0)
    pin("newest_hash_upper_case", "Hexadecimal digits.", "3:" + hashes[2].upper(), 0)
    pin("newest_hash_wrong", "The hash begins otherwise.", "3:" + hashes[1][:16], 17)
    pin("newest_hash_last_digit", "All digits count.", "3:" + hashes[2][:-1] + "0123456789abcdef"[int(hashes[2][-1], 16) ^ 1], 17)
    pin("older_hash", "Found through previous.", "1:" + hashes[0], 0)
    pin("middle_hash", "Found through previous.", "2:" + hashes[1][:20], 0)
    pin("older_hash_wrong", "The hash begins otherwise.", "1:" + "0" * 16, 17)
    cut = bytes(file.data[: file.commits[1] + 512])
    pin("of_a_cut_session", "The last session is gone, which nothing else tells.", "3", 17, cut)
    pin("below_a_cut_session", "The commit before it is there.", "2:" + hashes[1], 0, cut, AFTER_TWO)
    damaged = bytearray(file.data)
    damaged[file.commits[0] + 50] ^= 1
    pin("of_damaged_copy_1", "Copy 1 is rebuilt from copy 2.", "1:" + hashes[0], 0, damaged, verify=13)
    damaged = bytearray(file.data)
    damaged[file.commits[2] + 50] ^= 1
    pin("newest_of_damaged_copy_1", "Copy 1 is rebuilt from copy 2.", "3:" + hashes[2], 0, damaged, verify=13)
    damaged = bytearray(file.data)
    damaged[file.commits[1] + 50] ^= 1
    damaged[file.commits[1] + 290] ^= 1
    pin("behind_lost_commit", "Commit 1 can't be reached through previous.", "1", 17, damaged)
    source = bytes.fromhex(hashes[2])
    compacted = File(number=3, before=source).begin(9)
    for name, value in AFTER_HISTORY:
        compacted.item(name, value, revision=2)
    compacted.commit()
    pin("compacted_source", "The source's newest commit is known by its hash.", "3:" + hashes[2], 0, compacted.data)
    pin("compacted_source_number", "The same without a hash.", "3", 0, compacted.data)
    pin("compacted_source_other", "Another source.", "3:" + hashes[1], 17, compacted.data)
    pin("compacted_older", "Older commits are gone.", "2", 17, compacted.data)
    pin("compacted_newest", "The commit of the compacted archive.", "4", 0, compacted.data)
    broken = history(last=False)
    broken.begin(3)
    broken.delete("carol")
    broken.commit(previous_hash=bytes(32))
    pin("broken_chain", "A COMMIT met on the way whose hash does not fit.", "1", 14, broken.data, ())


AFTER_TWO = [
    ("alice", SECRETS["alice"]),
    ("bob", b"bob's new password"),
    ("carol", SECRETS["carol"]),
    ("dave", SECRETS["dave"]),
]


def make():
    fields()
    copies()
    chain()
    pins()
