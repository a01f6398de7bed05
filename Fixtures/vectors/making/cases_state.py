"""Vectors of the state of an archive: what stands behind the newest COMMIT, and cut files."""

import struct

from .building import AFTER_HISTORY, AFTER_TWO, EVERYONE, SLOT, history, one_session, segment
from .headers import header
from .primitives import HEADER_MAGIC, INDEX, Keys, repaired
from .vector import vector


def tails():
    section = "Finding the state"

    def tail(
        name,
        why,
        extra,
        every=0,
        pipe=None,
        verify=None,
        items=AFTER_HISTORY,
        structure=None,
        file=None,
    ):
        data = bytes((file or history()).data) + extra
        pipe = every or 4 if pipe is None else pipe
        verify = every or 4 if verify is None else verify
        structure = 4 if verify == 4 else structure
        append = {4: 0}.get(verify, every or 0)  # an unfinished append is cut, all else refused
        vector(
            "tail_" + name,
            section,
            why,
            data,
            every,
            pipe=pipe,
            verify=verify,
            structure=structure,
            append=append,
            items=items,
        )

    unfinished = "Something unfinished behind the newest COMMIT."
    tail("one_byte", unfinished, b"\0")
    tail("16_zeros", unfinished, bytes(16))
    tail("5000_zeros", unfinished, bytes(5000))
    tail("text", unfinished, b"appended by mistake\n")
    file = history()
    file.begin(4)
    file.item("erin", b"erin's password")
    start = file.first
    session = bytes(file.data[start:])
    tail("whole_frames", unfinished, session)
    tail("half_a_frame", unfinished, session[:100])
    tail("half_a_header", unfinished, session[:20])
    file.commit()
    whole = bytes(file.data[start:])
    tail("without_the_end", "All frames, and no end of session.", whole[:-512])
    erin = AFTER_HISTORY + [("erin", b"erin's password")]
    section_end = "The file ends inside the newest commit's end: nothing is lost."
    for left, name in [(239, "copy_1"), (241, "copy_2"), (300, "copy_2_body"), (479, "copy_2_end")]:
        data = bytes(history().data) + whole[: len(whole) - 512 + left]
        if left < 240:
            vector(
                "cut_in_" + name,
                section,
                unfinished,
                data,
                0,
                pipe=4,
                verify=4,
                structure=4,
                append=0,
                items=AFTER_HISTORY,
            )
        else:
            vector(
                "cut_in_" + name,
                section,
                section_end,
                data,
                0,
                pipe=4,
                verify=4,
                structure=4,
                append=0,
                items=erin,
            )
    for left, name in [
        (240, "behind_copy_1"),
        (480, "behind_copy_2"),
        (481, "in_the_mark"),
        (511, "before_the_last_byte"),
    ]:
        data = bytes(history().data) + whole[: len(whole) - 512 + left]
        vector(
            "cut_" + name,
            section,
            section_end,
            data,
            0,
            pipe=4,
            verify=4,
            structure=4,
            append=0,
            items=erin,
        )
    broken = bytearray(whole)
    broken[-512 + 9] ^= 1
    tail(
        "one_commit_header_damaged",
        "One COMMIT is whole: the session counts.",
        bytes(broken),
        0,
        0,
        13,
        erin,
    )
    broken[-272 + 9] ^= 1
    tail(
        "both_commit_headers_damaged",
        "No two sound COMMIT headers: an unfinished append.",
        bytes(broken),
    )
    broken = bytearray(whole)
    broken[-512 + 60] ^= 1
    broken[-272 + 60] ^= 1
    tail(
        "commits_damaged",
        "Two sound COMMIT headers, neither opens: a session was lost.",
        bytes(broken),
        13,
    )
    for side in (-512, -272):
        frame = bytes(broken[side : side + 240])
        broken[side : side + 240] = repaired(frame)
    tail(
        "commits_changed",
        "Two sound COMMIT headers, neither opens, checks mended.",
        bytes(broken),
        14,
    )
    broken[-512:-272] = whole[-512:-272]
    broken[-512 + 60] ^= 1
    tail("commit_damaged_and_changed", "The worse of the two copies' findings.", bytes(broken), 14)
    pair = bytearray(whole[-512:])
    other = repaired(bytes(pair[240:252]) + segment(8) + bytes(pair[264:480]))
    pair[60] ^= 1
    tail(
        "two_commits_of_two_segments",
        "Two COMMIT headers of two segments are no end.",
        bytes(pair[:240]) + other,
    )
    other = repaired(bytes(pair[240:248]) + struct.pack("<I", 77) + bytes(pair[252:480]))
    tail(
        "two_commits_not_following",
        "Sequences that do not follow are no end.",
        bytes(pair[:240]) + other,
    )
    broken = whole[-512:]
    tail(
        "end_without_frames",
        "The end of a session whose frames are missing.",
        broken,
        13,
        verify=13,
    )
    moved = whole[:160] + whole[176:]
    tail("16_bytes_missing", "Bytes are missing in the middle of the newest session.", moved, 13)
    older = history()
    ends = [bytes(older.data[p : p + 512]) for p in older.commits]
    old = "An old end of session was put behind the newest."
    tail("end_of_session_1", old, ends[0], 14)
    tail("end_of_session_2", old, ends[1], 14)
    tail("end_of_session_3", "The newest end of session stands there twice.", ends[2], 14)
    tail("old_copy_1", "A single old COMMIT is no end of session.", ends[0][:240])
    tail("old_mark", "An ENDMARK alone proves nothing.", ends[0][480:])
    tail("old_copies_without_mark", "Two old COMMITs.", ends[1][:480], 14)
    tail("end_at_odd_place", "An old end, not at a multiple of 16.", bytes(8) + ends[0])
    first = bytes(older.data[8192 : older.commits[0] + 512])
    tail("session_1_again", "An old session was appended.", first, 14)
    joined = "A header magic at a multiple of 16: two archives were joined."
    tail("another_archive", joined, bytes(one_session().data), 13, structure=(13, 14))
    tail("header_magic", joined, HEADER_MAGIC + bytes(8), 13, structure=13)
    tail("header_magic_behind_zeros", joined, bytes(64) + HEADER_MAGIC, 13)
    tail(
        "header_magic_at_odd_place",
        "A header magic elsewhere is an unfinished append.",
        bytes(8) + HEADER_MAGIC,
    )
    stranger = Keys(b"another archive!", b"another file key of the vectors!")
    foreign = bytes(one_session(keys=stranger, head=header(stranger, [SLOT]) * 2).data[-512:])
    tail("end_of_a_stranger", "The end of another archive's session.", foreign, 14)
    lost = bytearray(whole)
    for offset in (-512 + 60, -272 + 60):
        lost[offset] ^= 1
    why = "A damaged end of session and an old one: the worse counts."
    tail("lost_end_and_old_end", why, bytes(lost) + ends[0], 14)
    tail("old_end_and_lost_end", why, ends[0] + bytes(lost), 14)
    tail(
        "archive_and_old_end",
        "Joined archives are judged first.",
        bytes(16) + HEADER_MAGIC + bytes(8) + ends[0],
        13,
    )


def cuts():
    """A file of one session, cut: without a COMMIT nothing is given."""
    file = one_session()
    names = file.named
    index = next(frame for frame in file.frames if frame.kind == INDEX)
    for name, place in [
        ("behind_the_header", 8192),
        ("in_the_first_frame_header", 8192 + 17),
        ("in_the_first_item", 8192 + 100),
        ("behind_the_first_item", names["alice"].end),
        ("in_the_first_value", names["alice/0"].place + 40),
        ("behind_the_first_value", names["alice/0"].end),
        ("in_the_index", index.place + 50),
        ("behind_the_index", index.end),
        ("in_the_only_commit", file.commits[0] + 200),
    ]:
        vector(
            "cut_" + name,
            "Finding the state",
            "No COMMIT is left: no state.",
            file.data[:place],
            4,
            structure=4,
        )
    full = history()
    for n, items in ((1, EVERYONE), (2, AFTER_TWO)):
        data = full.data[: full.commits[n - 1] + 512]
        vector(
            "cut_behind_session_%d" % n,
            "Findings",
            "Cut exactly behind an ENDMARK: an older sound state.",
            data,
            0,
            structure=0,
            items=items,
        )
    data = full.data[: full.commits[1] + 300]
    vector(
        "cut_in_end_of_session_2",
        "Finding the state",
        "Copy 1 of session 2 is whole.",
        data,
        0,
        pipe=4,
        verify=4,
        structure=4,
        append=0,
        items=AFTER_TWO,
    )
    data = full.data[: full.commits[1]]
    vector(
        "cut_before_end_of_session_2",
        "Finding the state",
        "Session 2 was not committed.",
        data,
        0,
        pipe=4,
        verify=4,
        structure=4,
        append=0,
        items=EVERYONE,
    )


def make():
    tails()
    cuts()
