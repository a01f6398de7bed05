"""Vectors of frames in the wrong place, of nonces, unknown types, and padding."""

from .building import (
    EVERYONE,
    SECRETS,
    WITHOUT_BOB,
    File,
    basic,
    comment_of,
    made,
    one_session,
    password,
    segment,
)
from .primitives import ITEM, VALUE
from .vector import vector

from .cases_frames import place_of


def order():
    """Frames that stand where they do not belong."""
    section = "Checking a frame"
    open_pipe = ("pipe", "pipe-list")

    def sliced(file, name):
        return file.named[name].place, file.named[name + "/0"].end

    file = one_session()
    (a, b), (c, d) = sliced(file, "alice"), sliced(file, "bob")
    data = bytearray(file.data)
    data[a:d] = data[c:d] + data[a:b]
    carol = [("carol", SECRETS["carol"])]
    vector(
        "order_items_exchanged",
        section,
        "Two items have changed places.",
        data,
        14,
        items=carol,
        free=open_pipe,
    )
    data = bytearray(file.data)
    data[c:d] = data[a:b]
    vector(
        "order_item_repeated",
        section,
        "An item stands where another one stood.",
        data,
        14,
        items=WITHOUT_BOB,
        free=open_pipe,
    )
    data = bytearray(file.data)
    one, two = file.named["alice/0"], file.named["bob/0"]
    data[one.place : one.end], data[two.place : two.end] = (
        file.data[two.place : two.end],
        file.data[one.place : one.end],
    )
    vector(
        "order_values_exchanged",
        section,
        "The values of two items have changed places.",
        data,
        14,
        list=0,
        list_items=EVERYONE,
        items=carol,
        free=open_pipe,
    )
    data = bytearray(file.data)
    data[two.place : two.end] = data[one.place : one.end]
    vector(
        "order_value_of_another_item",
        section,
        "The value of one item stands behind another one.",
        data,
        14,
        list=0,
        list_items=EVERYONE,
        items=WITHOUT_BOB,
        free=open_pipe,
    )
    other = one_session_under(7)
    data = bytearray(file.data)
    data[c:d] = other.data[c:d]
    vector(
        "order_item_of_a_fork",
        section,
        "An item of a fork of this archive, same place and sequence.",
        data,
        14,
        items=WITHOUT_BOB,
        free=open_pipe,
    )
    data = bytearray(file.data)
    data[two.place : two.end] = other.data[two.place : two.end]
    vector(
        "order_value_of_a_fork",
        section,
        "A value of a fork, same place and sequence.",
        data,
        14,
        list=0,
        list_items=EVERYONE,
        items=WITHOUT_BOB,
        free=open_pipe,
    )
    data = bytearray(file.data)
    index = place_of(file, "index")
    data[index.place : index.end] = other.data[index.place : index.end]
    vector(
        "order_index_of_a_fork",
        section,
        "The index of a fork: readers fall back to a scan.",
        data,
        14,
        items=EVERYONE,
        free=open_pipe,
        outdated=("list", "read"),
    )
    data = bytearray(file.data)
    data[index.place - 0 : index.place] = b""
    for name, removed, why, status in [
        (
            "item_removed",
            (c, d),
            "The bytes of an item are missing: the COMMITs stand before their place.",
            13,
        ),
        ("value_removed", (two.place, two.end), "The bytes of a value are missing.", 13),
        ("index_removed", (index.place, index.end), "The bytes of the index are missing.", 13),
        (
            "100_bytes_removed",
            (c, c + 100),
            "100 bytes are missing: nothing stands at multiples of 16.",
            4,
        ),
    ]:
        data = bytearray(file.data)
        del data[removed[0] : removed[1]]
        vector("order_" + name, "Finding the state", why, data, status)
    data = bytearray(file.data)
    data[c:c] = data[a:b]
    vector(
        "order_item_inserted",
        "Finding the state",
        "An item is there twice: the COMMITs stand behind their place.",
        data,
        13,
    )
    data = bytearray(file.data)
    data[c:c] = bytes(16)
    vector(
        "order_zeros_inserted", "Finding the state", "16 bytes too many in the session.", data, 13
    )
    data = bytearray(file.data)
    first, second = place_of(file, "commit_1"), place_of(file, "commit_2")
    data[first.place : second.end] = (
        file.data[second.place : second.end] + file.data[first.place : first.end]
    )
    vector(
        "order_commits_exchanged",
        "Finding the state",
        "The COMMIT copies have changed places: their sequences do not follow, so this is no end.",
        data,
        4,
    )
    data = bytearray(file.data)
    data[second.place : second.end] = file.data[first.place : first.end]
    vector(
        "order_commit_1_twice",
        "Finding the state",
        "Copy 1 stands in the place of copy 2.",
        data,
        0,
        verify=14,
        items=EVERYONE,
    )
    data = bytearray(file.data)
    data[first.place : first.end] = file.data[second.place : second.end]
    vector(
        "order_commit_2_twice",
        "Finding the state",
        "Copy 2 stands in the place of copy 1.",
        data,
        0,
        verify=14,
        pipe=(0, 14),
        items=EVERYONE,
    )
    file = basic(("alice",))
    file.sequence += 1
    file.item("bob", SECRETS["bob"])
    file.item("carol", SECRETS["carol"])
    file.commit()
    vector(
        "order_sequence_gap",
        "By a scan",
        "A number of the sequence is left out, all else is right.",
        file.data,
        0,
        pipe=14,
        verify=14,
        structure=14,
        items=EVERYONE,
        free=open_pipe,
    )
    file = File().begin(1)
    file.sequence = 1
    for name, value in EVERYONE:
        file.item(name, value)
    file.commit()
    vector(
        "order_sequence_from_1",
        "Sessions",
        "The sequence begins at 1.",
        file.data,
        0,
        pipe=14,
        verify=14,
        structure=14,
        items=EVERYONE,
        free=open_pipe,
    )
    file = basic(("alice",))
    file.item("bob", SECRETS["bob"])
    file.sequence -= 1
    file.item("carol", SECRETS["carol"])
    file.commit()
    vector(
        "order_sequence_repeated",
        "By a scan",
        "A number of the sequence stands twice.",
        file.data,
        0,
        pipe=14,
        verify=14,
        structure=14,
        items=EVERYONE,
        free=open_pipe,
    )
    file = basic(("alice",))
    old = file.segment
    file.segment = segment(8)
    file.item("bob", SECRETS["bob"])
    file.segment = old
    file.item("carol", SECRETS["carol"])
    file.commit()
    vector(
        "order_segment_inside",
        "By a scan",
        "A frame of another segment inside a session.",
        file.data,
        0,
        pipe=14,
        verify=14,
        structure=14,
        items=EVERYONE,
        free=open_pipe,
    )


def one_session_under(n):
    file = File().begin(n)
    for name, value in EVERYONE:
        file.item(name, value)
    file.commit()
    return file


def nonces():
    file = basic(("alice",))
    file.item("bob", SECRETS["bob"], chunks=[])
    file.add(VALUE, 1, SECRETS["bob"], nonce_of=(file.segment, 99))
    file.item("carol", SECRETS["carol"])
    file.commit()
    lists = dict(list_items=EVERYONE, pipe_list_items=EVERYONE)
    vector(
        "nonce_of_another_sequence",
        "Keys",
        "Sealed under the nonce of another sequence.",
        file.data,
        14,
        list=0,
        pipe_list=0,
        items=WITHOUT_BOB,
        **lists,
    )
    file = basic(("alice",))
    file.item("bob", SECRETS["bob"], chunks=[])
    file.add(VALUE, 1, SECRETS["bob"], nonce_of=(segment(6), file.sequence))
    file.item("carol", SECRETS["carol"])
    file.commit()
    vector(
        "nonce_of_another_segment",
        "Keys",
        "Sealed under the keys of another segment.",
        file.data,
        14,
        list=0,
        pipe_list=0,
        items=WITHOUT_BOB,
        **lists,
    )
    file = File()
    file.begin(1)
    for n in range(257):
        file.add(128, 0, b"%d" % n)
    file.item("alice", SECRETS["alice"])
    file.commit()
    vector(
        "nonce_sequence_above_256",
        "Keys",
        "The sequence goes into the nonce as 32 bits.",
        file.data,
        0,
        structure=0,
        items=made(("alice",)),
    )


def unknown_types():
    section = "Unknown types"
    for name, kind, code, content in [
        ("128", 128, 0, b"something new"),
        ("255", 255, 255, b""),
        ("200_long", 200, 7, b"\x5a" * 2000),
    ]:
        file = File().begin(1)
        file.add(kind, code, content)
        for who, value in EVERYONE:
            file.item(who, value)
            file.add(kind, code, content)
        file.index()
        file.add(kind, code, content)
        file.commit(indexed=True)
        vector(
            "unknown_type_" + name,
            section,
            "Frames that old readers skip.",
            file.data,
            0,
            structure=0,
            items=EVERYONE,
        )
    file = File().begin(1)
    file.add(130, 0, b"nothing else")
    file.commit()
    vector(
        "unknown_type_alone",
        section,
        "A session of nothing but an unknown type.",
        file.data,
        0,
        structure=0,
    )
    for kind in (0, 6, 7, 127):
        file = basic(("alice",))
        file.add(kind, 0, b"not skipped", under=ITEM)
        file.item("bob", SECRETS["bob"])
        file.item("carol", SECRETS["carol"])
        file.commit()
        vector(
            "unknown_type_%d" % kind,
            section,
            "An unknown type below 128, sealed under K_meta.",
            file.data,
            0,
            pipe=14,
            verify=14,
            items=EVERYONE,
            free=("pipe", "pipe-list"),
        )
    for name, twist in [
        ("padding_not_zero", dict(fill=b"\1")),
        ("zero_5", dict(zero=b"\1\0\0")),
        ("n_above", dict(n=1000)),
        ("padded_too_much", dict(size=128)),
        ("sealed_as_value", dict(under=VALUE)),
    ]:
        file = basic(("alice",))
        file.add(128, 0, b"something new", **twist)
        file.item("bob", SECRETS["bob"])
        file.item("carol", SECRETS["carol"])
        file.commit()
        vector(
            "unknown_type_" + name,
            section,
            "An unknown type is opened and its layout checked.",
            file.data,
            0,
            pipe=14,
            verify=14,
            items=EVERYONE,
        )


def sizes():
    """Items at the steps of the padding."""
    for extra in (0, 1, 63, 64, 500, 1000, 4000):
        file = basic(("alice",))
        more = comment_of(extra)
        file.item("bob", bytes(extra), attributes=password("bob", more))
        file.commit()
        items = [("alice", SECRETS["alice"]), ("bob", bytes(extra))]
        vector(
            "padding_%d" % extra,
            "Padding",
            "An attribute and a value of %d bytes." % extra,
            file.data,
            0,
            structure=0,
            items=items,
        )


def make():
    order()
    nonces()
    unknown_types()
    sizes()
