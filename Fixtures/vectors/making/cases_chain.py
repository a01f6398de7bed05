"""Vectors of the chain of commits, and of commits that a user requires."""

import hashlib

from .building import (
    AFTER_HISTORY,
    AFTER_TWO,
    EVERYONE,
    KEYS,
    SECRETS,
    File,
    Placed,
    endmark,
    history,
    one_session,
    segment,
)
from .primitives import COMMIT, repaired
from .vector import GIVING, vector

SECTION = "COMMIT"


def chain():
    """Three sessions; the second or third COMMIT lies about the chain."""
    section = "Verifying"

    def third(name, why, read=0, items=None, pipe=(0, 14), free=(), **fields):
        file = history(last=False)
        file.begin(3)
        file.delete("carol")
        file.commit(**{k: v(file) if callable(v) else v for k, v in fields.items()})
        items = AFTER_HISTORY if items is None else items
        vector(
            "chain_" + name,
            section,
            why,
            file.data,
            read,
            pipe=pipe,
            verify=14,
            items=items,
            free=free,
        )

    ended = dict(read=14, pipe=14, free=GIVING)
    third(
        "hash_wrong", "The previous hash is not that of the COMMIT before.", previous_hash=bytes(32)
    )
    third(
        "hash_of_copy_2",
        "The previous hash is that of copy 2.",
        previous_hash=lambda f: hashlib.sha256(
            bytes(f.data[f.previous + 240 : f.previous + 480])
        ).digest(),
    )
    third("number_2_twice", "The number is not one more than the previous one's.", number=2)
    third("number_4", "The number is not one more than the previous one's.", number=4)
    third(
        "previous_too_early",
        "First place is previous + 512.",
        previous=lambda f: f.commits[0],
        **ended
    )
    third(
        "previous_in_header",
        "Previous is at 2S or later.",
        previous=4096,
        first=4096 + 512,
        **ended
    )
    third(
        "previous_odd",
        "Previous is a multiple of 16.",
        previous=lambda f: f.previous + 8,
        first=lambda f: f.previous + 8 + 512,
        **ended
    )
    third(
        "previous_of_itself",
        "First place is at or before the own place.",
        previous=lambda f: len(f.data) + 144,
        first=lambda f: len(f.data) + 656,
        **ended
    )
    third(
        "previous_0", "Previous 0: first place is 2S.", previous=0, previous_hash=bytes(32), **ended
    )
    third(
        "first_too_late",
        "First place is previous + 512: a frame would belong to no session.",
        first=lambda f: f.first + 176,
        **ended
    )
    third(
        "first_too_early", "First place is previous + 512.", first=lambda f: f.first - 512, **ended
    )

    file = one_session()
    file.data += bytes(16)
    file.begin(2)
    file.item("dave", SECRETS["dave"])
    file.commit()
    vector(
        "chain_gap_between_sessions",
        SECTION,
        "16 bytes between two sessions: first place is not previous + 512.",
        file.data,
        14,
        structure=(13, 14),
        free=GIVING,
    )
    file = history()
    hole = file.commits[1]
    for place in (hole, hole + 240):
        file.flip(place + 50)
    vector(
        "chain_middle_commit_damaged",
        section,
        "Both copies of an older COMMIT are damaged.",
        file.data,
        0,
        pipe=13,
        verify=13,
        structure=13,
        items=AFTER_HISTORY,
    )
    file = history()
    file.flip(hole + 50)
    vector(
        "chain_middle_copy_1_damaged",
        section,
        "Copy 1 of an older COMMIT is damaged; copy 2 gives the same bytes.",
        file.data,
        0,
        pipe=(0, 13),
        verify=13,
        structure=13,
        items=AFTER_HISTORY,
    )
    file = history()
    file.flip(hole + 290)
    vector(
        "chain_middle_copy_2_damaged",
        section,
        "Copy 2 of an older COMMIT is damaged.",
        file.data,
        0,
        pipe=(0, 13),
        verify=13,
        structure=13,
        items=AFTER_HISTORY,
    )
    file = history()
    file.flip(hole + 490)
    vector(
        "chain_middle_mark_damaged",
        section,
        "The ENDMARK of an older session is damaged.",
        file.data,
        0,
        pipe=(0, 13),
        verify=13,
        structure=13,
        items=AFTER_HISTORY,
    )
    file = history()
    file.data[hole + 480 : hole + 512] = endmark(file.commits[0], 1, KEYS.aid)
    vector(
        "chain_middle_mark_stale",
        section,
        "The ENDMARK of an older session is that of the session before it.",
        file.data,
        0,
        pipe=(0, 14),
        verify=14,
        structure=14,
        items=AFTER_HISTORY,
    )
    file = history()
    file.patch(
        Placed(hole, hole + 240, COMMIT, segment(2), 0),
        lambda f: repaired(f[:100] + b"\xde\xad" + f[102:]),
    )
    vector(
        "chain_middle_copy_1_changed",
        section,
        "Copy 1 of an older COMMIT is tampered with.",
        file.data,
        0,
        pipe=(0, 14),
        verify=14,
        items=AFTER_HISTORY,
    )
    file = one_session()
    file.begin(1)
    file.item("dave", SECRETS["dave"])
    file.commit()
    everyone = EVERYONE + [("dave", SECRETS["dave"])]
    vector(
        "chain_segment_reused",
        "Sessions",
        "A session with the segment of an earlier one.",
        file.data,
        0,
        pipe=14,
        verify=14,
        items=everyone,
        free=("pipe", "pipe-list"),
    )


def pins():
    """--require-commit."""
    section = "Finding the state"
    file = history()
    hashes = [hashlib.sha256(bytes(file.data[p : p + 240])).hexdigest() for p in file.commits]

    def pin(name, why, option, status, data=None, items=AFTER_HISTORY, verify=None):
        data = file.data if data is None else data
        option = ["--require-commit " + option]
        verify = status if verify is None else verify
        vector(
            "pin_" + name, section, why, data, status, verify=verify, items=items, options=option
        )

    pin("newest", "The newest commit has the number.", "3", 0)
    pin("older", "An older commit is there.", "1", 0)
    pin("newer", "The newest number is less.", "4", 17)
    pin("largest", "The newest number is less.", "18446744073709551615", 17)
    pin("newest_hash", "Number and hash.", "3:" + hashes[2], 0)
    pin("newest_hash_short", "16 digits are enough.", "3:" + hashes[2][:16], 0)
    pin("newest_hash_upper_case", "Hexadecimal digits.", "3:" + hashes[2].upper(), 0)
    pin("newest_hash_wrong", "The hash begins otherwise.", "3:" + hashes[1][:16], 17)
    pin(
        "newest_hash_last_digit",
        "All digits count.",
        "3:" + hashes[2][:-1] + "0123456789abcdef"[int(hashes[2][-1], 16) ^ 1],
        17,
    )
    pin("older_hash", "Found through previous.", "1:" + hashes[0], 0)
    pin("middle_hash", "Found through previous.", "2:" + hashes[1][:20], 0)
    pin("older_hash_wrong", "The hash begins otherwise.", "1:" + "0" * 16, 17)
    cut = bytes(file.data[: file.commits[1] + 512])
    pin("of_a_cut_session", "The last session is gone, which nothing else tells.", "3", 17, cut)
    pin(
        "below_a_cut_session", "The commit before it is there.", "2:" + hashes[1], 0, cut, AFTER_TWO
    )
    damaged = bytearray(file.data)
    damaged[file.commits[0] + 50] ^= 1
    pin(
        "of_damaged_copy_1",
        "Copy 1 is rebuilt from copy 2.",
        "1:" + hashes[0],
        0,
        damaged,
        verify=13,
    )
    damaged = bytearray(file.data)
    damaged[file.commits[2] + 50] ^= 1
    pin(
        "newest_of_damaged_copy_1",
        "Copy 1 is rebuilt from copy 2.",
        "3:" + hashes[2],
        0,
        damaged,
        verify=13,
    )
    damaged = bytearray(file.data)
    damaged[file.commits[1] + 50] ^= 1
    damaged[file.commits[1] + 290] ^= 1
    pin("behind_lost_commit", "Commit 1 can't be reached through previous.", "1", 17, damaged)
    source = bytes.fromhex(hashes[2])
    compacted = File(number=3, before=source).begin(9)
    for name, value in AFTER_HISTORY:
        compacted.item(name, value, revision=2)
    compacted.commit()
    pin(
        "compacted_source",
        "The source's newest commit is known by its hash.",
        "3:" + hashes[2],
        0,
        compacted.data,
    )
    pin("compacted_source_number", "The same without a hash.", "3", 0, compacted.data)
    pin("compacted_source_other", "Another source.", "3:" + hashes[1], 17, compacted.data)
    pin("compacted_older", "Older commits are gone.", "2", 17, compacted.data)
    pin("compacted_newest", "The commit of the compacted archive.", "4", 0, compacted.data)
    broken = history(last=False)
    broken.begin(3)
    broken.delete("carol")
    broken.commit(previous_hash=bytes(32))
    pin(
        "broken_chain", "A COMMIT met on the way whose hash does not fit.", "1", 14, broken.data, ()
    )


def make():
    chain()
    pins()
