"""Vectors of ITEM, its attributes, its value, and tombstones."""

import struct

from .building import EVERYONE, SECRETS, WITHOUT_BOB, File, attribute, basic, text_field, token_of
from .primitives import (
    BOOLEAN,
    BYTES,
    CHUNK,
    DATE,
    INTEGER,
    PLIST,
    REAL,
    TEXT,
    UNKNOWN,
    VALUE,
    deflated,
)
from .vector import vector


def bob_is(name, section, why, status, value=SECRETS["bob"], said=None, **twist):
    """Alice, bob as told, carol; the index lists all of them."""
    file = basic(("alice",))
    file.item("bob", value, **twist)
    file.item("carol", SECRETS["carol"])
    file.commit()
    items = [("alice", SECRETS["alice"]), ("bob", value), ("carol", SECRETS["carol"])]
    vector(
        "item_" + name,
        section,
        why,
        file.data,
        status,
        items=WITHOUT_BOB if status else items,
        structure=0,
        **(said or {}),
    )


def fields():
    section = "ITEM"
    bob_is("revision_0", section, "Revisions begin at 1.", 14, revision=0)
    bob_is(
        "revision_7", section, "A higher revision that replaces nothing: compacting.", 0, revision=7
    )
    bob_is("revision_largest", section, "The highest revision.", 0, revision=(1 << 64) - 1)
    bob_is("revision_1_replaces", section, "Revision 1 replaces nothing.", 14, replaced=8192)
    why = "What is replaced is before the session, whose first place the index does not tell."
    said = dict(read=(0, 14), free=("list", "read"))
    bob_is("replaces_own_session", section, why, 14, said=said, revision=2, replaced=8192)
    bob_is(
        "replaces_header",
        section,
        "What is replaced is at 2S or later.",
        14,
        revision=2,
        replaced=4096,
    )
    bob_is(
        "replaces_odd_place", section, "Places are multiples of 16.", 14, revision=2, replaced=8200
    )
    bob_is(
        "replaces_beyond",
        section,
        "A place behind the end of the file.",
        14,
        revision=2,
        replaced=1 << 40,
    )
    bob_is(
        "replaces_largest", section, "The highest place.", 14, revision=2, replaced=(1 << 64) - 16
    )
    bob_is("value_2", section, "Value is 0 or 1.", 14, has_value=2)
    bob_is("value_255", section, "Value is 0 or 1.", 14, has_value=255)
    bob_is("length_without_value", section, "Value 0 has length 0.", 14, value=None, length=1)
    bob_is(
        "unknown_length_without_value",
        section,
        "Value 0 has length 0.",
        14,
        value=None,
        length=UNKNOWN,
    )
    bob_is(
        "length_above_8_tib", section, "A value has at most 2^43 bytes.", 14, length=(1 << 43) + 1
    )
    bob_is("length_below_unknown", section, "2^64 - 2 is no length.", 14, length=UNKNOWN - 1)
    for i in (0, 3, 6):
        zero = bytes(i) + b"\1" + bytes(6 - i)
        bob_is("zero_%d" % (57 + i), section, "Reserved bytes are zero.", 14, zero=zero)
    bob_is(
        "63_bytes",
        section,
        "Content ends in the fields.",
        14,
        content=bytes(16) + token_of("bob") + bytes(31),
    )
    bob_is("empty", section, "No content at all.", 14, content=b"")
    bob_is("no_attributes", "Attributes", "An item has a class.", 14, attributes=b"")
    bob_is("no_value", section, "No value.", 0, value=None)
    bob_is("empty_value", "VALUE", "An empty value is one empty last chunk.", 0, value=b"")
    bob_is(
        "length_unknown",
        section,
        "The length was not known when the ITEM was written.",
        0,
        known=False,
    )
    bob_is(
        "empty_value_length_unknown",
        section,
        "The same of an empty value.",
        0,
        value=b"",
        known=False,
    )
    bob_is("uuid_zero", section, "Any 16 bytes.", 0, uuid=bytes(16))
    odd = bytes(range(16))
    bob_is(
        "token_not_of_attributes",
        "Tokens",
        "Readers do not refuse an item for its token.",
        0,
        token=odd,
    )
    alice = token_of("alice")
    bob_is("token_of_another", "Tokens", "Equal tokens are legal.", 0, token=alice)


def attributes():
    section = "Attributes"
    clas = attribute(b"clas", TEXT, b"genp")
    acct = attribute(b"acct", TEXT, b"bob")
    svce = attribute(b"svce", TEXT, b"vectors")
    base = acct + clas + svce

    def case(name, why, status, content):
        bob_is("attribute_" + name, section, why, status, attributes=content)

    for name, row in [
        ("text_empty", (b"zzzz", TEXT, b"")),
        ("text_not_ascii", (b"zzzz", TEXT, "größe 💾 \0".encode())),
        ("bytes", (b"zzzz", BYTES, bytes(range(256)))),
        ("integer_least", (b"zzzz", INTEGER, struct.pack("<q", -(1 << 63)))),
        ("integer_most", (b"zzzz", INTEGER, struct.pack("<q", (1 << 63) - 1))),
        ("date", (b"zzzz", DATE, struct.pack("<d", 1e9 + 0.25))),
        ("date_infinite", (b"zzzz", DATE, struct.pack("<d", float("inf")))),
        ("date_no_number", (b"zzzz", DATE, b"\1\0\0\0\0\0\xf8\x7f")),
        ("false", (b"zzzz", BOOLEAN, b"\0")),
        ("true", (b"zzzz", BOOLEAN, b"\1")),
        ("real", (b"zzzz", REAL, struct.pack("<d", -0.0))),
        ("property_list_not_judged", (b"zzzz", PLIST, b"no property list")),
        ("type_0", (b"zzzz", 0, b"kept")),
        ("type_8", (b"zzzz", 8, b"kept")),
        ("type_255", (b"zzzz", 255, b"")),
        ("key_of_1_byte", (b"z", TEXT, b"x")),
        ("key_of_255_bytes", (b"z" * 255, TEXT, b"x")),
        ("key_not_ascii", ("größe".encode(), TEXT, b"x")),
        ("key_prefix_first", (b"svcea", TEXT, b"x")),
        ("long", (b"zzzz", BYTES, b"y" * 9000)),
    ]:
        rows = sorted(
            [(b"acct", acct), (b"clas", clas), (b"svce", svce), (row[0], attribute(*row))]
        )
        case(name, "Legal.", 0, b"".join(content for _, content in rows))
    for name, why, content in [
        ("key_empty", "A key has at least one byte.", attribute(b"", TEXT, b"x") + base),
        ("key_twice", "Keys rise strictly.", acct + acct + clas + svce),
        ("keys_out_of_order", "Keys rise.", acct + svce + clas),
        (
            "keys_prefix_behind",
            "A prefix stands before the longer key.",
            acct + clas + attribute(b"svcea", TEXT, b"") + svce,
        ),
        (
            "keys_signed_order",
            "Keys are unsigned bytes.",
            attribute("ü".encode(), TEXT, b"") + base,
        ),
        ("cut_in_key", "The key's bytes are not all there.", base + b"\4zz"),
        ("cut_behind_key", "Type and length are missing.", base + b"\4zzzz"),
        ("cut_in_length", "The length is not all there.", base + b"\4zzzz\1\0\0"),
        (
            "cut_in_bytes",
            "The bytes are not all there.",
            base + b"\4zzzz" + text_field(b"xyz")[:-1],
        ),
        ("length_largest", "A length of 2^32 - 1.", base + b"\4zzzz\1\xff\xff\xff\xff"),
        ("one_byte_behind", "Attributes end exactly at n.", base + b"\4"),
        ("text_not_utf8", "Text is UTF-8.", base + attribute(b"zzzz", TEXT, b"\xff")),
        ("text_cut", "Text is UTF-8.", base + attribute(b"zzzz", TEXT, "ü".encode()[:1])),
        (
            "text_surrogate",
            "UTF-8 has no surrogates.",
            base + attribute(b"zzzz", TEXT, b"\xed\xa0\x80"),
        ),
        (
            "text_overlong",
            "UTF-8 has no longer forms.",
            base + attribute(b"zzzz", TEXT, b"\xc0\xaf"),
        ),
        ("integer_of_7", "An integer has 8 bytes.", base + attribute(b"zzzz", INTEGER, bytes(7))),
        ("integer_of_9", "An integer has 8 bytes.", base + attribute(b"zzzz", INTEGER, bytes(9))),
        ("integer_empty", "An integer has 8 bytes.", base + attribute(b"zzzz", INTEGER, b"")),
        ("date_of_4", "A date has 8 bytes.", base + attribute(b"zzzz", DATE, bytes(4))),
        ("real_of_4", "A real has 8 bytes.", base + attribute(b"zzzz", REAL, bytes(4))),
        ("boolean_2", "A boolean is 0 or 1.", base + attribute(b"zzzz", BOOLEAN, b"\2")),
        ("boolean_of_2", "A boolean has one byte.", base + attribute(b"zzzz", BOOLEAN, b"\1\0")),
        ("boolean_empty", "A boolean has one byte.", base + attribute(b"zzzz", BOOLEAN, b"")),
        ("class_missing", "An item has a class.", acct + svce),
        ("class_bytes", "The class is text.", acct + attribute(b"clas", BYTES, b"genp") + svce),
    ]:
        case(name, why, 14, content)
    many = b"".join(attribute(b"z%04d" % n, TEXT, b"") for n in range(1021))
    case("count_1024", "1,024 attributes.", 0, base + many)
    case("count_1025", "At most 1,024 attributes.", 14, base + many + attribute(b"zz", TEXT, b""))


def values():
    section = "VALUE"
    zeros, tail = bytes(CHUNK), b"the last bytes"
    many = ("pipe", "pipe-list")

    def good(name, why, value, **twist):
        file = basic(("alice",))
        file.item("bob", value, **twist)
        file.commit()
        items = [("alice", SECRETS["alice"]), ("bob", value)]
        vector("value_" + name, section, why, file.data, 0, structure=0, items=items)

    good("two_chunks", "A whole chunk and a rest, deflated.", zeros + tail, pack=True)
    good("three_chunks", "Two whole chunks and a rest.", zeros * 2 + tail, pack=True)
    good("exactly_a_chunk", "One chunk.", zeros, pack=True)
    good("one_byte_above_a_chunk", "Two chunks.", zeros + b"\1", pack=True)
    good(
        "length_unknown_two_chunks",
        "Not known when the ITEM was written.",
        zeros + tail,
        pack=True,
        known=False,
    )
    good("stored_5000", "Stored although deflating would save.", bytes(5000))
    good(
        "deflated_small",
        "The rules of saving bind writers only.",
        b"abc",
        chunks=[(3, deflated(b"abc"))],
    )
    good("deflated_empty", "An empty value, deflated.", b"", chunks=[(3, deflated(b""))])
    good(
        "deflated_stored_block",
        "A stored block of deflate.",
        b"abc" * 9,
        chunks=[(3, deflated(b"abc" * 9, 0))],
    )
    mixed_chunks = [(2, deflated(zeros)), (1, tail)]
    good("deflated_then_stored", "Each chunk says for itself.", zeros + tail, chunks=mixed_chunks)
    pieces = b"\0\3\0\xfc\xffabc" + b"\1\2\0\xfd\xffde"
    good("deflate_two_blocks", "Two blocks, one stream.", b"abcde", chunks=[(3, pieces)])

    def bad(name, why, chunks, length, pipe_list=None, listed=(0,)):
        file = basic(("alice",))
        file.item("bob", b"", length=length, chunks=chunks)
        file.item("carol", SECRETS["carol"])
        file.commit()
        vector(
            "value_" + name,
            section,
            why,
            file.data,
            14,
            list=0,
            list_items=EVERYONE,
            pipe_list=(0, 14) if pipe_list is None else pipe_list,
            pipe_list_items=EVERYONE,
            items=WITHOUT_BOB,
        )

    bad("missing", "An ITEM with a value, and the next ITEM follows.", [], 5, 14)
    bad("missing_length_unknown", "An ITEM with a value, and the next ITEM follows.", [], UNKNOWN)
    bad("without_last_mark", "No chunk is marked as the last.", [(0, b"hello")], 5)
    bad(
        "short_chunk_not_last",
        "A chunk that is not the last is full.",
        [(0, b"hel"), (1, b"lo")],
        5,
        14,
    )
    bad(
        "empty_chunk_last",
        "No empty chunk but for an empty value.",
        [(2, deflated(zeros)), (1, b"")],
        CHUNK,
        14,
    )
    bad(
        "empty_chunk_last_unknown",
        "The same where the length is not known.",
        [(2, deflated(zeros)), (1, b"")],
        UNKNOWN,
    )
    bad(
        "empty_chunk_not_last",
        "An empty chunk that is not the last.",
        [(0, b""), (1, b"hello")],
        5,
        14,
    )
    bad("length_less", "The length is one less than the sum.", [(1, b"hello")], 4)
    bad("length_more", "The length is one more than the sum.", [(1, b"hello")], 6)
    bad("length_0", "The length is 0, the chunk is not empty.", [(1, b"hello")], 0)
    bad("length_8_tib", "The longest length, a short value.", [(1, b"hello")], 1 << 43, 14)
    bad(
        "length_of_two_chunks",
        "The length of two chunks, one is there.",
        [(1, b"hello")],
        CHUNK + 5,
        14,
    )
    bad("deflate_garbage", "No stream of deflate.", [(3, b"\xff" * 40)], 40)
    bad("deflate_empty_content", "No bytes are no stream.", [(3, b"")], 0)
    bad("deflate_cut", "The stream is not finished.", [(3, deflated(b"hello" * 50)[:-2])], 250)
    bad("deflate_bytes_behind", "The stream ends before n.", [(3, deflated(b"hello") + b"\0")], 5)
    bad(
        "deflate_two_streams",
        "The stream ends before n.",
        [(3, deflated(b"he") + deflated(b"llo"))],
        5,
    )
    bad(
        "deflate_with_zlib_header",
        "Raw deflate, no wrapper.",
        [(3, b"\x78\x9c" + deflated(b"hello") + b"\x06\x2c\x02\x15")],
        5,
    )
    bad(
        "deflate_one_byte_above",
        "A chunk inflates to at most 2^20 - 8 bytes.",
        [(3, deflated(zeros + b"\0"))],
        CHUNK + 1,
    )
    bad(
        "deflate_bomb",
        "One frame that inflates to 16 MiB.",
        [(3, deflated(bytes(16 << 20)))],
        UNKNOWN,
    )
    bad(
        "deflate_bomb_with_length",
        "The bomb's length is said as it is.",
        [(3, deflated(bytes(4 << 20)))],
        4 << 20,
        14,
    )
    bad(
        "deflate_far_distance",
        "A distance before the chunk's start.",
        [(3, b"\x03\x02\x00")],
        UNKNOWN,
    )

    def between(name, why, make, pipe_list=14, every=14, list_=0, given=None):
        file = basic(("alice",))
        make(file)
        file.item("carol", SECRETS["carol"])
        file.commit()
        given = WITHOUT_BOB if given is None else given
        vector(
            "value_" + name,
            section,
            why,
            file.data,
            every,
            list=list_,
            pipe=14,
            verify=14,
            pipe_list=pipe_list,
            list_items=EVERYONE,
            items=given,
            free=many,
        )

    def unknown_between(file):
        file.item("bob", SECRETS["bob"], chunks=[])
        file.add(128, 0, b"between")
        file.add(VALUE, 1, SECRETS["bob"])

    def after_last(file):
        file.item("bob", SECRETS["bob"])
        file.add(VALUE, 1, b"one more")

    def without_value(file):
        file.item("bob", None)
        file.add(VALUE, 1, b"not mine")

    def index_between(file):
        file.item("bob", SECRETS["bob"], chunks=[])
        file.node(0, file.entries())
        file.add(VALUE, 1, SECRETS["bob"])

    between("behind_unknown_type", "An unknown type never stands before a VALUE.", unknown_between)
    between("behind_index", "An INDEX between an ITEM and its VALUE.", index_between)
    between("behind_the_last", "A VALUE behind the last one.", after_last, every=0, given=EVERYONE)
    file = basic(("alice",))
    without_value(file)
    file.item("carol", SECRETS["carol"])
    file.commit()
    items = [("alice", SECRETS["alice"]), ("bob", None), ("carol", SECRETS["carol"])]
    vector(
        "value_of_no_value",
        section,
        "A VALUE behind an ITEM without one.",
        file.data,
        0,
        pipe=14,
        verify=14,
        items=items,
        free=many,
    )
    file = File().begin(1)
    file.add(VALUE, 1, b"nobody's")
    for name, value in EVERYONE:
        file.item(name, value)
    file.commit()
    vector(
        "value_first",
        section,
        "A session begins with a VALUE.",
        file.data,
        0,
        pipe=14,
        verify=14,
        items=EVERYONE,
        free=many,
    )
    file = basic()
    file.index()
    file.add(VALUE, 1, b"nobody's")
    file.commit(indexed=True)
    vector(
        "value_behind_the_index",
        section,
        "A VALUE that belongs to no ITEM.",
        file.data,
        0,
        pipe=14,
        verify=14,
        items=EVERYONE,
        free=many,
    )
    file = basic(("alice",))
    file.item("bob", b"", length=CHUNK + len(tail), chunks=[(2, deflated(zeros)), (1, tail)])
    file.item("carol", SECRETS["carol"])
    file.commit()
    file.flip(file.named["bob/1"].place + 40)
    vector(
        "value_second_chunk_flipped",
        "At random",
        "The first chunk is whole, the second damaged: the value is not.",
        file.data,
        13,
        list=0,
        pipe_list=0,
        list_items=EVERYONE,
        pipe_list_items=EVERYONE,
        items=WITHOUT_BOB,
        structure=13,
    )


def make():
    fields()
    attributes()
    values()
