"""Vectors of INDEX: nodes that are malformed, and nodes that lie about what stands where."""

import struct

from .building import (
    AFTER_HISTORY,
    EVERYONE,
    SECRETS,
    WITHOUT_BOB,
    File,
    Live,
    basic,
    history,
    segment,
    token_of,
    uuid,
)
from .primitives import INDEX
from .vector import GIVING, vector

SECTION = "INDEX"


def lying(name, why, change, *, file=None, status=14, items=WITHOUT_BOB, pipe=0, live=None, **more):
    """An index whose leaf is what `change` makes of its entries. `items`: what `read` gives."""
    file = file or basic()
    rows = change(file, file.entries())
    file.index(entries=rows)
    file.commit(indexed=True, **({} if live is None else {"live_items": live}))
    vector(
        "index_" + name,
        SECTION,
        why,
        file.data,
        pipe=pipe,
        read=status,
        verify=14,
        items=EVERYONE,
        read_items=items,
        **more,
    )


def of(file, name):
    return next(row for row in file.entries() if row[0] == token_of(name))


def replaced(name, **fields):
    """A change that gives the entry of an item other fields."""

    def change(file, rows):
        out = []
        for token, place, session, sequence in rows:
            if token == token_of(name):
                said = dict(token=token, place=place, segment=session, sequence=sequence)
                said.update({k: v(file) if callable(v) else v for k, v in fields.items()})
                token, place, session, sequence = said.values()
            out.append((token, place, session, sequence))
        return sorted(out)

    return change


def entries():
    def near(offset):
        return lambda file: file.named["bob"].place + offset

    lying(
        "entry_place_of_value",
        "An entry points to a VALUE.",
        replaced("bob", place=lambda f: f.named["bob/0"].place),
    )
    lying(
        "entry_place_of_another_item",
        "An entry points to the next ITEM.",
        replaced("bob", place=lambda f: f.named["carol"].place),
    )
    lying("entry_sequence", "The entry's sequence is not the ITEM's.", replaced("bob", sequence=4))
    lying(
        "entry_segment",
        "The entry's segment is not the ITEM's.",
        replaced("bob", segment=segment(2)),
    )
    other = bytes(a ^ b for a, b in zip(token_of("bob"), bytes(15) + b"\1"))
    lying("entry_token", "The entry's token is not the ITEM's.", replaced("bob", token=other))

    def carol_for_bob(file, rows):
        carol = of(file, "carol")
        return sorted((r[0], *carol[1:]) if r[0] == token_of("bob") else r for r in rows)

    lying(
        "entry_of_another_item",
        "One item under the token of another: whoever finds it must not take it.",
        carol_for_bob,
    )
    both = ("list", "read")
    for what, place in [
        ("in_the_header", 4096),
        ("0", 0),
        ("behind_the_file", 1 << 40),
        ("largest", (1 << 64) - 16),
        ("odd", near(8)),
        ("of_the_leaf", lambda f: f.frames[-1].end),
    ]:
        why = "An entry's place is no place of an ITEM before the leaf."
        rows = replaced("bob", place=place)
        lying("entry_place_" + what, why, rows, pipe=(0, 14), free=both)


def counts():
    def lacking(file, rows):
        return [row for row in rows if row[0] != token_of("bob")]

    lying(
        "misses_an_item", "A live item is not listed; the COMMIT counts three.", lacking, status=0
    )
    lying(
        "misses_an_item_counted",
        "A live item is not listed, and the COMMIT counts two.",
        lacking,
        status=0,
        live=2,
    )
    why = "The COMMIT counts otherwise than the leaves: readers give what is there."
    for count in (1, 2, 4, (1 << 64) - 1):
        lying(
            "commit_counts_%d" % count,
            why,
            lambda f, rows: rows,
            status=0,
            items=EVERYONE,
            live=count,
        )
    twice = lambda f, rows: sorted(rows + [of(f, "bob")])
    node = dict(pipe=(0, 14), maybe=GIVING, items=EVERYONE)
    lying("entry_twice", "(token, place) rise strictly in a leaf.", twice, **node)
    lying("not_sorted", "(token, place) rise in a leaf.", lambda f, rows: rows[::-1], **node)

    def dead(file):
        file.begin(2)
        file.item("bob", b"bob's new password")
        return file

    file = basic()
    file.commit()
    old = of(file, "bob")
    dead(file)
    file.index(entries=sorted(file.entries() + [old]))
    file.commit(indexed=True)
    now = [("alice", SECRETS["alice"]), ("bob", b"bob's new password"), ("carol", SECRETS["carol"])]
    both = now + [("bob", SECRETS["bob"])]
    vector(
        "index_lists_a_dead_item",
        SECTION,
        "The leaves list exactly the live items: an old revision is one too many.",
        file.data,
        0,
        verify=14,
        items=now,
        read_items=both,
    )
    file = basic()
    file.commit()
    old = of(file, "bob")
    dead(file)
    file.index(entries=sorted([old, of(file, "alice"), of(file, "carol")]))
    file.commit(indexed=True)
    before = [("alice", SECRETS["alice"]), ("bob", SECRETS["bob"]), ("carol", SECRETS["carol"])]
    vector(
        "index_lists_the_old_revision",
        SECTION,
        "A stale index lists the revision that was replaced.",
        file.data,
        0,
        verify=14,
        items=now,
        read_items=before,
    )
    file = history(last=False)
    file.begin(3)
    old = of(file, "carol")
    file.delete("carol")
    file.index(entries=sorted(file.entries() + [old]))
    file.commit(indexed=True)
    vector(
        "index_lists_a_deleted_item",
        SECTION,
        "A stale index lists an item that was deleted.",
        file.data,
        0,
        verify=14,
        items=AFTER_HISTORY,
        read_items=AFTER_HISTORY + [("carol", SECRETS["carol"])],
    )
    file = history(last=False)
    file.begin(3)
    file.delete("carol")
    tomb = file.named["tomb of carol"]
    row = (token_of("carol"), tomb.place, tomb.segment, tomb.sequence)
    file.index(entries=sorted(file.entries() + [row]))
    file.commit(indexed=True)
    vector(
        "index_lists_a_tombstone",
        SECTION,
        "An entry leads to an ITEM of code 1.",
        file.data,
        14,
        pipe=0,
        items=AFTER_HISTORY,
    )


def malformed():
    """Leaves whose content breaks the layout: readers fall back to a scan."""

    def leaf(name, why, content=None, **twist):
        file = basic()
        rows = file.entries()
        content = (
            b"".join(struct.pack("<16sQ12sI", *r) for r in rows)
            if content is None
            else content(rows)
        )
        placed = file.add(INDEX, twist.pop("code", 0), content, **twist)
        file.root = (placed.place, placed.segment, placed.sequence, twist.get("level", 0))
        file.commit(indexed=True)
        vector(
            "index_" + name, SECTION, why, file.data, 14, pipe=(0, 14), items=EVERYONE, maybe=GIVING
        )

    def packed(rows):
        return b"".join(struct.pack("<16sQ12sI", *row) for row in rows)

    leaf("entries_and_a_byte", "n is a multiple of 40.", lambda rows: packed(rows) + b"\0")
    leaf("half_an_entry", "n is a multiple of 40.", lambda rows: packed(rows)[:100])
    leaf("no_entries", "At least one entry.", lambda rows: b"")
    leaf("level_1_as_leaf", "The root's level is not the COMMIT's.", code=1)
    leaf("level_5_as_leaf", "The root's level is not the COMMIT's.", code=5)

    def many(count):
        file = File().begin(1)
        for n in range(count):
            file.item("user-%03d" % n, None)
        return file

    file = many(410)
    file.index(width=410)
    file.commit(indexed=True)
    vector(
        "index_410_entries",
        "Bounds",
        "One entry too many.",
        file.data,
        14,
        pipe=(0, 14),
        free=GIVING,
    )


def trees():
    def tree(name, why, items=EVERYONE, width=1, levels=1):
        file = basic()
        file.index(width=width, levels=levels)
        file.commit(indexed=True)
        vector("index_" + name, SECTION, why, file.data, 0, structure=0, items=items)

    tree("root_with_one_child", "A root with one child is legal.", width=409, levels=2)
    tree("leaves_of_one_entry", "Leaves of one entry are legal.", width=2, levels=2)
    tree("six_levels", "Levels 0 to 5.", width=409, levels=6)
    file = basic()
    file.index(width=409, levels=7)
    file.commit(indexed=True)
    vector(
        "index_seven_levels",
        "Bounds",
        "Level 6 is none: the COMMIT can't have such a root.",
        file.data,
        14,
        pipe=14,
        verify=14,
        free=GIVING,
    )
    file = File().begin(1)
    for n in range(6):
        file.item(
            "twin", b"value %d" % n, uuid=uuid("twin %d" % n), revision=1, replaced=0, listed=False
        )
        placed = file.named["twin"]
        file.live["twin %d" % n] = Live(token_of("twin"), placed, 1, [(placed.place, 0)])
    row = [file.node(0, [entry]) for entry in file.entries()]
    row = file.node(1, row)
    file.root = (*row[1:], 1)
    file.commit(indexed=True)
    twins = [("twin", b"value %d" % n) for n in range(6)]
    vector(
        "index_equal_tokens",
        SECTION,
        "Six items of one token in six leaves: inner tokens repeat.",
        file.data,
        0,
        items=twins,
    )


def inner():
    """Two leaves under a root that lies."""

    def built(name, why, make, pipe=(0, 14)):
        file = basic()
        rows = file.entries()
        root, level = make(file, rows)
        file.root = (*root[1:], level)
        file.commit(indexed=True)
        vector(
            "index_" + name, SECTION, why, file.data, 14, pipe=pipe, items=EVERYONE, maybe=GIVING
        )

    def leaves(file, rows):
        return file.node(0, rows[:2]), file.node(0, rows[2:])

    def with_root(change):
        def make(file, rows):
            return file.node(1, change(file, *leaves(file, rows))), 1

        return make

    built(
        "child_token",
        "The first token of a child is not the entry's.",
        with_root(lambda f, a, b: [a, (b"\xff" * 16, *b[1:])]),
        pipe=0,
    )
    built(
        "child_segment",
        "The segment of a child is not the entry's.",
        with_root(lambda f, a, b: [a, (*b[:2], segment(3), b[3])]),
        pipe=0,
    )
    built(
        "child_sequence",
        "The sequence of a child is not the entry's.",
        with_root(lambda f, a, b: [a, (*b[:3], b[3] - 1)]),
        pipe=0,
    )
    built(
        "child_place_of_an_item",
        "A child that is an ITEM.",
        with_root(lambda f, a, b: [a, (b[0], *f.entries()[2][1:])]),
        pipe=0,
    )
    built(
        "children_exchanged",
        "Tokens of an inner node do not fall.",
        with_root(lambda f, a, b: [b, a]),
    )
    built(
        "child_twice",
        "A leaf stands under the root twice.",
        with_root(lambda f, a, b: [a, a, b]),
        pipe=0,
    )
    built(
        "child_is_the_root",
        "A node that is its own child: a loop.",
        with_root(lambda f, a, b: [a, (b[0], b[1] + 112, segment(1), b[3] + 1)]),
    )
    built("child_behind_the_root", "A child behind its parent.", lambda f, rows: behind(f, rows))

    def level_gap(file, rows):
        return file.node(2, list(leaves(file, rows))), 2

    built("child_level_gap", "A node of level 2 over leaves.", level_gap, pipe=0)

    def same_level(file, rows):
        lower = file.node(1, list(leaves(file, rows)))
        return file.node(1, [lower]), 1

    built("child_same_level", "A node of level 1 over one of level 1.", same_level, pipe=0)

    def overlapping(file, rows):
        one, two = file.node(0, rows[::2]), file.node(0, rows[1:2])
        return file.node(1, sorted([one, two])), 1

    file = basic()
    rows = file.entries()
    root, level = overlapping(file, rows)
    file.root = (*root[1:], level)
    file.commit(indexed=True)
    why = "From the last entry of a leaf to the first of the next, (token, place) rise too."
    vector(
        "index_leaves_overlap",
        SECTION,
        why,
        file.data,
        (0, 14),
        verify=14,
        pipe=0,
        items=EVERYONE,
        maybe=GIVING,
    )


def behind(file, rows):
    """A root before one of its leaves: the leaf's place is known before it is written."""
    one = file.node(0, rows[:2])
    root_sequence = file.sequence
    leaf_place = len(file.data) + 32 + 128 + 16
    root = file.node(1, [one, (rows[2][0], leaf_place, file.segment, root_sequence + 1)])
    file.node(0, rows[2:])
    return root, 1


def roots():
    def root(name, why, change, **more):
        file = basic()
        file.index()
        file.commit(indexed=True, **{k: v(file) if callable(v) else v for k, v in change.items()})
        more = {"items": EVERYONE, "maybe": GIVING, "pipe": (0, 14), **more}
        vector("commit_root_" + name, "COMMIT", why, file.data, 14, **more)

    root("sequence", "The root's sequence is not the COMMIT's.", dict(root_sequence=0))
    root("segment", "The root's segment is not the COMMIT's.", dict(root_segment=segment(2)))
    root("level_1", "The root's level is not the COMMIT's.", dict(root_level=1))
    root("is_an_item", "The root is an ITEM.", dict(root_place=lambda f: f.named["bob"].place))
    final = dict(items=(), free=GIVING, pipe=14)
    root("level_6", "Levels go to 5.", dict(root_level=6), **final)
    root(
        "is_the_commit",
        "The root stands before the COMMIT.",
        dict(root_place=lambda f: len(f.data)),
        **final,
    )
    root("behind_the_file", "The root stands before the COMMIT.", dict(root_place=1 << 50), **final)
    root(
        "in_the_header",
        "The root stands at 2S or later.",
        dict(root_place=4096),
        **{**final, "pipe": (0, 14)},
    )
    root(
        "0_with_items",
        "The root's place is zero exactly when there are no items.",
        dict(root_place=0, root_segment=bytes(12), root_sequence=0),
        **final,
    )
    root(
        "without_items",
        "The root's place is zero exactly when there are no items.",
        dict(live_items=0),
        **final,
    )
    for key, value in [("segment", segment(1)), ("sequence", 1), ("level", 1)]:
        file = File().begin(1)
        file.commit(**{"root_" + key: value})
        vector("commit_no_root_but_" + key, "COMMIT", "Zero without items.", file.data, 14)
    file = basic()
    file.commit()
    old = file.root
    file.begin(2)
    file.item("bob", b"bob's new password")
    file.index()
    file.root = old
    file.commit(indexed=True)
    now = [("alice", SECRETS["alice"]), ("bob", b"bob's new password"), ("carol", SECRETS["carol"])]
    why = "A replayed root: that of the session before, in a session that replaced an item."
    vector(
        "commit_root_replayed",
        "INDEX",
        why,
        file.data,
        0,
        verify=14,
        items=now,
        read_items=EVERYONE,
    )


def make():
    entries()
    counts()
    malformed()
    trees()
    inner()
    roots()
