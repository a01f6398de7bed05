"""Vectors of tombstones, shredding, and VOID."""

import struct

from .building import AFTER_HISTORY, AFTER_TWO, EVERYONE, history, one_session, password
from .primitives import ITEM, VALUE, with_crc
from .vector import vector


def tombstones():
    section = "ITEM"
    without_bob = [item for item in EVERYONE if item[0] != "bob"]

    def tomb(name, why, status=14, extents=None, verify=None, free=(), **fields):
        file = one_session()
        file.begin(2)
        file.delete("bob", extents=extents(file) if extents else None, **fields)
        file.commit()
        verify = status if verify is None else verify
        vector(
            "tombstone_" + name,
            section,
            why,
            file.data,
            0,
            pipe=status,
            verify=verify,
            items=without_bob,
            free=free,
        )

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
    tomb(
        "extent_into_session",
        "An extent ends before the session.",
        extents=lambda f: [(f.first - 16, 32)],
    )
    tomb("extent_behind", "An extent ends before the session.", extents=lambda f: [(1 << 40, 16)])
    tomb(
        "extent_wraps",
        "Place and length add up to more than 2^64.",
        extents=lambda f: [(bob(f)[0], (1 << 64) - 16)],
    )
    tomb(
        "not_yet_void",
        "A frame in an extent that is not VOID: an unfinished shred.",
        0,
        extents=lambda f: [bob(f)],
        verify=4,
    )
    why = "An extent covers whole frames."
    open_scan = (0, 13, 14)
    tomb("extent_ends_in_frame", why, open_scan, lambda f: [(bob(f)[0], bob(f)[1] - 16)], 14)
    why = "An extent covers frames of the deleted item only."
    alice = lambda f: [f.live["alice"].extents[0]]
    tomb("extent_of_another_item", why, open_scan, alice, 14, free=("pipe", "pipe-list"))
    tomb(
        "next_revision_jumps",
        "A tombstone's revision is the last one + 1.",
        (0, 14),
        revision=9,
        verify=(0, 14),
    )


def shreds():
    section = "Deleting and shredding"
    file = history(last=False)
    file.begin(3)
    extents = file.delete("bob", shred=True)
    file.commit()
    after = [item for item in AFTER_TWO if item[0] != "bob"]
    untouched = bytes(file.data)
    vector(
        "shred_not_begun",
        section,
        "Committed, and nothing overwritten yet: an unfinished shred.",
        untouched,
        0,
        verify=4,
        append=0,
        items=after,
    )
    file.shred(extents[:1])
    vector(
        "shred_half_done",
        section,
        "One revision of two is VOID.",
        file.data,
        0,
        verify=4,
        append=0,
        items=after,
    )
    torn = bytearray(file.data)
    torn[extents[1][0] : extents[1][0] + 60] = bytes(60)
    vector(
        "shred_torn_frame",
        section,
        "A frame overwritten in part: never damage inside an extent.",
        torn,
        0,
        verify=4,
        append=0,
        items=after,
    )
    file.shred(extents[1:])
    done = bytes(file.data)
    vector("shred_done", section, "All revisions are VOID.", done, 0, structure=0, items=after)
    broken = bytearray(done)
    broken[extents[0][0] + 40] ^= 1
    vector(
        "shred_void_not_zero",
        section,
        "A VOID in an extent whose body is not zero: an unfinished shred.",
        broken,
        0,
        verify=4,
        append=0,
        items=after,
    )
    broken = bytearray(done)
    broken[extents[0][0] + 9] ^= 1
    vector(
        "shred_void_header_flipped",
        section,
        "A VOID in an extent whose header is damaged.",
        broken,
        0,
        verify=4,
        append=0,
        items=after,
    )
    broken = bytearray(done)
    place = extents[0][0]
    size = 32 + int.from_bytes(broken[place + 5 : place + 8], "little")
    broken[place : place + size] = with_crc(
        bytes(broken[place : place + 24]) + b"\1\0\0\0" + bytes(broken[place + 28 : place + size])
    )
    vector(
        "shred_void_with_body_check",
        section,
        "A VOID in an extent whose body check is not zero.",
        broken,
        0,
        verify=4,
        append=0,
        items=after,
    )
    cut = history(last=False)
    cut.begin(3)
    gone = cut.delete("carol", shred=True)
    end = cut.first
    cut.commit()
    cut.shred(gone)
    vector(
        "shred_cut_behind_session_2",
        "Findings",
        "Cut behind an ENDMARK, but a later session had shredded: VOIDs without an extent.",
        cut.data[:end],
        14,
        verify=14,
        structure=0,
        items=[i for i in AFTER_TWO if i[0] != "carol"],
    )
    file = one_session()
    bob = file.live["bob"].extents
    file.shred(bob)
    without = [item for item in EVERYONE if item[0] != "bob"]
    vector(
        "void_of_a_live_item",
        "VOID (5)",
        "A VOID where an index entry points.",
        file.data,
        14,
        structure=0,
        items=without,
    )
    file = history()
    dead = next(f for f in file.frames if f.kind == ITEM and f.sequence == 2)
    value = next(f for f in file.frames if f.kind == VALUE and f.sequence == 3)
    file.shred([(dead.place, value.end - dead.place)])
    vector(
        "void_of_a_dead_item",
        "VOID (5)",
        "A VOID outside every extent; all ITEM frames behind it open.",
        file.data,
        0,
        pipe=14,
        verify=14,
        structure=0,
        items=AFTER_HISTORY,
    )
    file.flip(file.named["tomb of carol"].place + 60)
    vector(
        "void_and_damage_behind",
        "VOID (5)",
        "A VOID outside every extent; an ITEM frame behind it did not open: part of that damage.",
        file.data,
        0,
        pipe=13,
        verify=13,
        structure=13,
        items=AFTER_HISTORY,
    )
    for name, at, value, status in [
        ("not_zero", 40, b"\1", 13),
        ("body_check", 24, b"\1\0\0\0", 14),
    ]:
        file = history()
        file.shred([(dead.place, value_end(file) - dead.place)])
        frame = bytearray(file.data[dead.place : dead.end])
        frame[at : at + len(value)] = value
        file.data[dead.place : dead.end] = with_crc(bytes(frame))
        vector(
            "void_%s" % name,
            "VOID (5)",
            "A VOID outside every extent that is malformed besides.",
            file.data,
            0,
            pipe=14,
            verify=14,
            structure=status,
            items=AFTER_HISTORY,
        )
    file = history(shred=True)
    file.flip(file.named["tomb of carol"].place + 60)
    vector(
        "shred_tombstone_lost",
        section,
        "The tombstone that explains the VOIDs is damaged: part of that damage.",
        file.data,
        0,
        pipe=13,
        verify=13,
        structure=13,
        items=AFTER_HISTORY,
    )


def value_end(file):
    return next(f for f in file.frames if f.kind == VALUE and f.sequence == 3).end


def make():
    tombstones()
    shreds()
