"""Vectors of sessions: histories, tails, truncation, forks, deletions and shredding."""

import struct

from .building import (
    AFTER_HISTORY,
    KEYS,
    SECRETS,
    SLOT,
    File,
    Placed,
    basic,
    endmark,
    history,
    made,
    one_session,
    password,
    segment,
    token_of,
    uuid,
)
from .headers import header
from .primitives import COMMIT, HEADER_MAGIC, INDEX, ITEM, VALUE, Keys, plaintext, repaired, with_crc
from .vector import GIVING, vector

EVERYONE = made()
AFTER_TWO = [
    ("alice", SECRETS["alice"]),
    ("bob", b"bob's new password"),
    ("carol", SECRETS["carol"]),
    ("dave", SECRETS["dave"]),
]


def good():
    def case(name, section, why, file, items):
        vector("session_" + name, section, why, file.data, 0, structure=0, items=items)

    case("one", "Sessions", "One session.", one_session(), EVERYONE)
    file = File().begin(1)
    file.commit()
    case("empty", "New archives", "An archive without items.", file, ())
    case("two", "Sessions", "An item replaced, one added.", history(last=False), AFTER_TWO)
    case("three", "Sessions", "An item deleted.", history(), AFTER_HISTORY)
    case("shredded", "Deleting and shredding", "An item deleted and its frames VOID.", history(shred=True), AFTER_HISTORY)
    file = history(shred=True)
    file.begin(4)
    file.item("erin", b"erin's password")
    file.commit()
    case("after_shredding", "Deleting and shredding", "A session behind a shred.", file, AFTER_HISTORY + [("erin", b"erin's password")])
    file = one_session()
    for n in (2, 3, 4):
        file.begin(n)
        file.commit()
    case("empty_behind", "Sessions", "Three empty sessions behind one with items.", file, EVERYONE)
    file = File().begin(1)
    file.commit()
    file.begin(2)
    file.item("alice", SECRETS["alice"])
    file.commit()
    case("empty_first", "Sessions", "The first session is empty.", file, made(("alice",)))
    file = one_session()
    file.begin(2)
    for name in ("alice", "bob", "carol"):
        file.delete(name)
    file.commit()
    case("all_deleted", "Sessions", "Every item deleted: no root.", file, ())
    file = one_session()
    for n in range(2, 7):
        file.begin(n)
        file.item("bob", b"revision %d" % n)
        file.commit()
    case("six_revisions", "ITEM", "Six revisions of one item.", file, [("alice", SECRETS["alice"]), ("bob", b"revision 6"), ("carol", SECRETS["carol"])])
    file = one_session()
    file.begin(2)
    file.item("bob", b"jumped", revision=9)
    file.commit()
    case("revision_jumps", "ITEM", "A change has a higher revision, not the next.", file, [("alice", SECRETS["alice"]), ("bob", b"jumped"), ("carol", SECRETS["carol"])])
    file = one_session()
    file.begin(2)
    file.delete("bob")
    file.commit()
    file.begin(3)
    file.item("bob", b"another bob", uuid=uuid("bob again"), revision=1, replaced=0)
    file.commit()
    case("item_again_under_another_uuid", "ITEM", "Deleted, then made anew.", file, [("alice", SECRETS["alice"]), ("bob", b"another bob"), ("carol", SECRETS["carol"])])
    file = one_session()
    file.begin(2)
    file.item("bob", None)
    file.commit()
    case("value_removed", "ITEM", "A revision without a value.", file, [("alice", SECRETS["alice"]), ("bob", None), ("carol", SECRETS["carol"])])


def tails():
    section = "Finding the state"

    def tail(name, why, extra, every=0, pipe=None, verify=None, items=AFTER_HISTORY, structure=None, file=None):
        data = bytes((file or history()).data) + extra
        pipe = every or 4 if pipe is None else pipe
        verify = every or 4 if verify is None else verify
        vector("tail_" + name, section, why, data, every, pipe=pipe, verify=verify, structure=structure, items=items)

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
            vector("cut_in_" + name, section, unfinished, data, 0, pipe=4, verify=4, structure=4, items=AFTER_HISTORY)
        else:
            vector("cut_in_" + name, section, section_end, data, 0, pipe=4, verify=4, structure=4, items=erin)
    for left, name in [(240, "behind_copy_1"), (480, "behind_copy_2"), (481, "in_the_mark"), (511, "before_the_last_byte")]:
        data = bytes(history().data) + whole[: len(whole) - 512 + left]
        vector("cut_" + name, section, section_end, data, 0, pipe=4, verify=4, structure=4, items=erin)
    broken = bytearray(whole)
    broken[-512 + 9] ^= 1
    tail("one_commit_header_damaged", "One COMMIT is whole: the session counts.", bytes(broken), 0, 0, 13, erin)
    broken[-272 + 9] ^= 1
    tail("both_commit_headers_damaged", "No two sound COMMIT headers: an unfinished append.", bytes(broken))
    broken = bytearray(whole)
    broken[-512 + 60] ^= 1
    broken[-272 + 60] ^= 1
    tail("commits_damaged", "Two sound COMMIT headers, neither opens: a session was lost.", bytes(broken), 13)
    for side in (-512, -272):
        frame = bytes(broken[side : side + 240])
        broken[side : side + 240] = repaired(frame)
    tail("commits_changed", "Two sound COMMIT headers, neither opens, checks mended.", bytes(broken), 14)
    broken[-512:-272] = whole[-512:-272]
    broken[-512 + 60] ^= 1
    tail("commit_damaged_and_changed", "The worse of the two copies' findings.", bytes(broken), 14)
    pair = bytearray(whole[-512:])
    other = repaired(bytes(pair[240:252]) + segment(8) + bytes(pair[264:480]))
    pair[60] ^= 1
    tail("two_commits_of_two_segments", "Two COMMIT headers of two segments are no end.", bytes(pair[:240]) + other)
    other = repaired(bytes(pair[240:248]) + struct.pack("<I", 77) + bytes(pair[252:480]))
    tail("two_commits_not_following", "Sequences that do not follow are no end.", bytes(pair[:240]) + other)
    broken = whole[-512:]
    tail("end_without_frames", "The end of a session whose frames are missing.", broken, 13, verify=13)
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
    tail("another_archive", joined, bytes(one_session().data), 13)
    tail("header_magic", joined, HEADER_MAGIC + bytes(8), 13)
    tail("header_magic_behind_zeros", joined, bytes(64) + HEADER_MAGIC, 13)
    tail("header_magic_at_odd_place", "A header magic elsewhere is an unfinished append.", bytes(8) + HEADER_MAGIC)
    stranger = Keys(b"another archive!", b"another file key of the vectors!")
    foreign = bytes(one_session(keys=stranger, head=header(stranger, [SLOT]) * 2).data[-512:])
    tail("end_of_a_stranger", "The end of another archive's session.", foreign, 14)
    tail("archive_and_old_end", "Joined archives are judged first.", bytes(16) + HEADER_MAGIC + bytes(8) + ends[0], 13)


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
        vector("cut_" + name, "Finding the state", "No COMMIT is left: no state.", file.data[:place], 4, structure=4)
    full = history()
    for n, items in ((1, EVERYONE), (2, AFTER_TWO)):
        data = full.data[: full.commits[n - 1] + 512]
        vector("cut_behind_session_%d" % n, "Findings", "Cut exactly behind an ENDMARK: an older sound state.", data, 0, structure=0, items=items)
    data = full.data[: full.commits[1] + 300]
    vector("cut_in_end_of_session_2", "Finding the state", "Copy 1 of session 2 is whole.", data, 0, pipe=4, verify=4, structure=4, items=AFTER_TWO)
    data = full.data[: full.commits[1]]
    vector("cut_before_end_of_session_2", "Finding the state", "Session 2 was not committed.", data, 0, pipe=4, verify=4, structure=4, items=EVERYONE)


def lost():
    """What did not open may have been a tombstone or a newer revision."""
    section = "By a scan"
    for name, change, status in [("flipped", lambda f: f[:40] + bytes([f[40] ^ 1]) + f[41:], 13), ("changed", lambda f: repaired(f[:40] + b"\xde" + f[41:]), 14), ("header_flipped", lambda f: f[:9] + bytes([f[9] ^ 1]) + f[10:], 13)]:
        file = history()
        file.patch(file.named["tomb of carol"], change)
        vector("lost_tombstone_" + name, section, "A damaged tombstone does not bring the item back.", file.data, 0, pipe=status, verify=status, items=AFTER_HISTORY)
        file = history()
        file.patch(file.named["bob"], change)
        without = [item for item in AFTER_HISTORY if item[0] != "bob"]
        vector("lost_revision_" + name, section, "A damaged revision does not bring the old secret back.", file.data, status, items=without)
        file = history()
        dead = next(f for f in file.frames if f.kind == ITEM and f.sequence == 2)
        file.patch(dead, change)
        vector("lost_dead_revision_" + name, "At random", "Damage in a dead item is not seen at random.", file.data, 0, pipe=status, verify=status, items=AFTER_HISTORY)
        file = history()
        stale = next(f for f in file.frames if f.kind == INDEX)
        file.patch(stale, change)
        vector("lost_old_index_" + name, "At random", "Damage in an old index node is not seen at random.", file.data, 0, pipe=status, verify=status, items=AFTER_HISTORY)
    file = history()
    file.patch(file.named["tomb of carol"], lambda f: repaired(f[:4] + b"\2" + f[5:]))
    vector("lost_tombstone_as_value", section, "A tombstone whose header was made to say VALUE does not bring the item back.", file.data, 0, pipe=14, verify=14, items=AFTER_HISTORY)
    file = history()
    file.patch(file.named["bob"], lambda f: repaired(f[:4] + b"\2" + f[5:]))
    without = [item for item in AFTER_HISTORY if item[0] != "bob"]
    vector("lost_revision_as_value", section, "A revision whose header was made to say VALUE.", file.data, 14, items=without)
    file = history()
    root = [f for f in file.frames if f.kind == INDEX][-1]
    file.flip(root.place + 50)
    every = ("list", "read", "pipe", "pipe-list")
    vector("lost_index", section, "The newest index is damaged: the scan gives the items, marked.", file.data, 13, items=AFTER_HISTORY, outdated=every)
    file.flip(file.named["tomb of carol"].place + 60)
    both = AFTER_HISTORY + [("carol", SECRETS["carol"])]
    vector("lost_index_and_tombstone", section, "Index and tombstone are damaged: carol may be outdated.", file.data, 13, items=both, outdated=every)


def replacing():
    """verify: what replaces what."""
    section = "Verifying"

    def second(name, why, make, items, read=0, pipe=(0, 14), free=("pipe", "pipe-list"), verify=14):
        file = one_session()
        file.begin(2)
        make(file)
        file.commit()
        vector("replace_" + name, section, why, file.data, read, pipe=pipe, verify=verify, items=items, free=free)

    new = [("alice", SECRETS["alice"]), ("bob", b"new"), ("carol", SECRETS["carol"])]
    alice = lambda f: f.live["alice"].frame.place
    second("another_uuid", "Place replaced names an ITEM of another uuid.", lambda f: f.item("bob", b"new", replaced=alice(f)), new)
    second("a_value", "Place replaced names a VALUE.", lambda f: f.item("bob", b"new", replaced=f.named["bob/0"].place), new)
    second("inside_a_frame", "Place replaced is inside a frame.", lambda f: f.item("bob", b"new", replaced=f.live["bob"].frame.place + 16), new)

    def twice(file):
        file.item("bob", b"new")
        file.item("bob", b"newer", listed=False, uuid=uuid("bob"), revision=3, replaced=0)

    second("twice_in_a_session", "A session has at most one ITEM of a uuid.", twice, new)
    file = one_session()
    old = file.live["bob"].frame.place
    file.begin(2)
    file.item("bob", b"second")
    file.commit()
    file.begin(3)
    file.item("bob", b"third", replaced=old)
    file.commit()
    items = [("alice", SECRETS["alice"]), ("bob", b"third"), ("carol", SECRETS["carol"])]
    vector("replace_what_was_replaced", section, "Place replaced names an ITEM that was replaced before.", file.data, 0, pipe=(0, 14), verify=14, items=items, free=("pipe", "pipe-list"))
    file = one_session()
    file.begin(2)
    file.delete("bob")
    file.commit()
    file.begin(3)
    file.item("bob", b"back", revision=3, replaced=0)
    file.commit()
    items = [("alice", SECRETS["alice"]), ("bob", b"back"), ("carol", SECRETS["carol"])]
    vector("replace_uuid_after_tombstone", section, "A uuid is never used again after its tombstone.", file.data, 0, pipe=(0, 14), verify=14, items=items)
    file = File().begin(1)
    file.item("bob", SECRETS["bob"], revision=2)
    file.commit()
    file.begin(2)
    file.item("bob", b"new", revision=2)
    file.commit()
    vector("replace_equal_revision", section, "The revision is not higher than what it replaces.", file.data, 0, pipe=(0, 14), verify=14, items=[("bob", b"new")])


def tombstones():
    section = "ITEM"
    without_bob = [item for item in EVERYONE if item[0] != "bob"]

    def tomb(name, why, status=14, extents=None, verify=None, free=(), **fields):
        file = one_session()
        file.begin(2)
        file.delete("bob", extents=extents(file) if extents else None, **fields)
        file.commit()
        verify = status if verify is None else verify
        vector("tombstone_" + name, section, why, file.data, 0, pipe=status, verify=verify, items=without_bob, free=free)

    tomb("replaces_nothing", "A tombstone names what it replaces.", replaced=0)
    tomb("with_value", "A tombstone has no value.", has_value=1, length=5)
    tomb("with_length", "A tombstone has no value.", length=5)
    tomb("revision_1", "Revision 1 replaces nothing.", revision=1)
    tomb("attributes", "Extents are pairs of 8 bytes.", attributes=password("bob"))
    tomb("half_an_extent", "Extents are pairs of 8 bytes.", attributes=struct.pack("<Q", 8192))
    bob = lambda f: f.live["bob"].extents[0]
    tomb("extent_odd_place", "Multiples of 16.", extents=lambda f: [(bob(f)[0] + 8, 16)])
    tomb("extent_odd_length", "Multiples of 16.", extents=lambda f: [(bob(f)[0], 24)])
    tomb("extent_empty", "The length is not zero.", extents=lambda f: [(bob(f)[0], 0)])
    tomb("extent_in_header", "An extent begins at 2S or later.", extents=lambda f: [(4096, 16)])
    tomb("extent_into_session", "An extent ends before the session.", extents=lambda f: [(f.first - 16, 32)])
    tomb("extent_behind", "An extent ends before the session.", extents=lambda f: [(1 << 40, 16)])
    tomb("extent_wraps", "Place and length add up to more than 2^64.", extents=lambda f: [(bob(f)[0], (1 << 64) - 16)])
    tomb("not_yet_void", "A frame in an extent that is not VOID: an unfinished shred.", 0, extents=lambda f: [bob(f)], verify=4)
    why = "An extent covers whole frames."
    open_scan = (0, 13, 14)
    tomb("extent_ends_in_frame", why, open_scan, lambda f: [(bob(f)[0], bob(f)[1] - 16)], 14)
    why = "An extent covers frames of the deleted item only."
    alice = lambda f: [f.live["alice"].extents[0]]
    tomb("extent_of_another_item", why, open_scan, alice, 14, free=("pipe", "pipe-list"))
    tomb("next_revision_jumps", "A tombstone's revision is the last one + 1.", (0, 14), revision=9, verify=(0, 14))


def shreds():
    section = "Deleting and shredding"
    file = history(last=False)
    file.begin(3)
    extents = file.delete("bob", shred=True)
    file.commit()
    after = [item for item in AFTER_TWO if item[0] != "bob"]
    untouched = bytes(file.data)
    vector("shred_not_begun", section, "Committed, and nothing overwritten yet: an unfinished shred.", untouched, 0, verify=4, items=after)
    file.shred(extents[:1])
    vector("shred_half_done", section, "One revision of two is VOID.", file.data, 0, verify=4, items=after)
    torn = bytearray(file.data)
    torn[extents[1][0] : extents[1][0] + 60] = bytes(60)
    vector("shred_torn_frame", section, "A frame overwritten in part: never damage inside an extent.", torn, 0, verify=4, items=after)
    file.shred(extents[1:])
    done = bytes(file.data)
    vector("shred_done", section, "All revisions are VOID.", done, 0, structure=0, items=after)
    broken = bytearray(done)
    broken[extents[0][0] + 40] ^= 1
    vector("shred_void_not_zero", section, "A VOID in an extent whose body is not zero: an unfinished shred.", broken, 0, verify=4, items=after)
    broken = bytearray(done)
    broken[extents[0][0] + 9] ^= 1
    vector("shred_void_header_flipped", section, "A VOID in an extent whose header is damaged.", broken, 0, verify=4, items=after)
    broken = bytearray(done)
    place = extents[0][0]
    size = 32 + int.from_bytes(broken[place + 5 : place + 8], "little")
    broken[place : place + size] = with_crc(bytes(broken[place : place + 24]) + b"\1\0\0\0" + bytes(broken[place + 28 : place + size]))
    vector("shred_void_with_body_check", section, "A VOID in an extent whose body check is not zero.", broken, 0, verify=4, items=after)
    cut = history(last=False)
    cut.begin(3)
    gone = cut.delete("carol", shred=True)
    end = cut.first
    cut.commit()
    cut.shred(gone)
    vector("shred_cut_behind_session_2", "Findings", "Cut behind an ENDMARK, but a later session had shredded: VOIDs without an extent.", cut.data[:end], 14, verify=14, structure=0, items=[i for i in AFTER_TWO if i[0] != "carol"])
    file = one_session()
    bob = file.live["bob"].extents
    file.shred(bob)
    without = [item for item in EVERYONE if item[0] != "bob"]
    vector("void_of_a_live_item", "VOID (5)", "A VOID where an index entry points.", file.data, 14, structure=0, items=without)
    file = history()
    dead = next(f for f in file.frames if f.kind == ITEM and f.sequence == 2)
    value = next(f for f in file.frames if f.kind == VALUE and f.sequence == 3)
    file.shred([(dead.place, value.end - dead.place)])
    vector("void_of_a_dead_item", "VOID (5)", "A VOID outside every extent; all ITEM frames behind it open.", file.data, 0, pipe=14, verify=14, structure=0, items=AFTER_HISTORY)
    file.flip(file.named["tomb of carol"].place + 60)
    vector("void_and_damage_behind", "VOID (5)", "A VOID outside every extent; an ITEM frame behind it did not open: part of that damage.", file.data, 0, pipe=13, verify=13, structure=13, items=AFTER_HISTORY)
    for name, at, value, status in [("not_zero", 40, b"\1", 13), ("body_check", 24, b"\1\0\0\0", 14)]:
        file = history()
        file.shred([(dead.place, value_end(file) - dead.place)])
        frame = bytearray(file.data[dead.place : dead.end])
        frame[at : at + len(value)] = value
        file.data[dead.place : dead.end] = with_crc(bytes(frame))
        vector("void_%s" % name, "VOID (5)", "A VOID outside every extent that is malformed besides.", file.data, 0, pipe=14, verify=14, structure=status, items=AFTER_HISTORY)
    file = history(shred=True)
    file.flip(file.named["tomb of carol"].place + 60)
    vector("shred_tombstone_lost", section, "The tombstone that explains the VOIDs is damaged: part of that damage.", file.data, 0, pipe=13, verify=13, structure=13, items=AFTER_HISTORY)


def value_end(file):
    return next(f for f in file.frames if f.kind == VALUE and f.sequence == 3).end


def make():
    good()
    tails()
    cuts()
    lost()
    replacing()
    tombstones()
    shreds()
