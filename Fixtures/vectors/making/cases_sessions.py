"""Vectors of sessions: histories, tails, truncation, forks, deletions and shredding."""

from .building import (
    AFTER_HISTORY,
    AFTER_TWO,
    EVERYONE,
    SECRETS,
    File,
    basic,
    history,
    made,
    one_session,
    uuid,
)
from .primitives import INDEX, ITEM, repaired
from .vector import vector


def good():
    def case(name, section, why, file, items):
        vector("session_" + name, section, why, file.data, 0, structure=0, items=items)

    case("one", "Sessions", "One session.", one_session(), EVERYONE)
    file = File().begin(1)
    file.commit()
    case("empty", "New archives", "An archive without items.", file, ())
    case("two", "Sessions", "An item replaced, one added.", history(last=False), AFTER_TWO)
    case("three", "Sessions", "An item deleted.", history(), AFTER_HISTORY)
    case(
        "shredded",
        "Deleting and shredding",
        "An item deleted and its frames VOID.",
        history(shred=True),
        AFTER_HISTORY,
    )
    file = history(shred=True)
    file.begin(4)
    file.item("erin", b"erin's password")
    file.commit()
    case(
        "after_shredding",
        "Deleting and shredding",
        "A session behind a shred.",
        file,
        AFTER_HISTORY + [("erin", b"erin's password")],
    )
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
    case(
        "six_revisions",
        "ITEM",
        "Six revisions of one item.",
        file,
        [("alice", SECRETS["alice"]), ("bob", b"revision 6"), ("carol", SECRETS["carol"])],
    )
    file = one_session()
    file.begin(2)
    file.item("bob", b"jumped", revision=9)
    file.commit()
    case(
        "revision_jumps",
        "ITEM",
        "A change has a higher revision, not the next.",
        file,
        [("alice", SECRETS["alice"]), ("bob", b"jumped"), ("carol", SECRETS["carol"])],
    )
    file = one_session()
    file.begin(2)
    file.delete("bob")
    file.commit()
    file.begin(3)
    file.item("bob", b"another bob", uuid=uuid("bob again"), revision=1, replaced=0)
    file.commit()
    case(
        "item_again_under_another_uuid",
        "ITEM",
        "Deleted, then made anew.",
        file,
        [("alice", SECRETS["alice"]), ("bob", b"another bob"), ("carol", SECRETS["carol"])],
    )
    file = one_session()
    file.begin(2)
    file.item("bob", None)
    file.commit()
    case(
        "value_removed",
        "ITEM",
        "A revision without a value.",
        file,
        [("alice", SECRETS["alice"]), ("bob", None), ("carol", SECRETS["carol"])],
    )


def lost():
    """What did not open may have been a tombstone or a newer revision."""
    section = "By a scan"
    for name, change, status in [
        ("flipped", lambda f: f[:40] + bytes([f[40] ^ 1]) + f[41:], 13),
        ("changed", lambda f: repaired(f[:40] + b"\xde" + f[41:]), 14),
        ("header_flipped", lambda f: f[:9] + bytes([f[9] ^ 1]) + f[10:], 13),
    ]:
        file = history()
        file.patch(file.named["tomb of carol"], change)
        vector(
            "lost_tombstone_" + name,
            section,
            "A damaged tombstone does not bring the item back.",
            file.data,
            0,
            pipe=status,
            verify=status,
            items=AFTER_HISTORY,
        )
        file = history()
        file.patch(file.named["bob"], change)
        without = [item for item in AFTER_HISTORY if item[0] != "bob"]
        vector(
            "lost_revision_" + name,
            section,
            "A damaged revision does not bring the old secret back.",
            file.data,
            status,
            items=without,
        )
        file = history()
        dead = next(f for f in file.frames if f.kind == ITEM and f.sequence == 2)
        file.patch(dead, change)
        vector(
            "lost_dead_revision_" + name,
            "At random",
            "Damage in a dead item is not seen at random.",
            file.data,
            0,
            pipe=status,
            verify=status,
            items=AFTER_HISTORY,
        )
        file = history()
        stale = next(f for f in file.frames if f.kind == INDEX)
        file.patch(stale, change)
        vector(
            "lost_old_index_" + name,
            "At random",
            "Damage in an old index node is not seen at random.",
            file.data,
            0,
            pipe=status,
            verify=status,
            items=AFTER_HISTORY,
        )
    file = history()
    file.patch(file.named["tomb of carol"], lambda f: repaired(f[:4] + b"\2" + f[5:]))
    vector(
        "lost_tombstone_as_value",
        section,
        "A tombstone whose header was made to say VALUE does not bring the item back.",
        file.data,
        0,
        pipe=14,
        verify=14,
        items=AFTER_HISTORY,
    )
    file = history()
    file.patch(file.named["bob"], lambda f: repaired(f[:4] + b"\2" + f[5:]))
    without = [item for item in AFTER_HISTORY if item[0] != "bob"]
    vector(
        "lost_revision_as_value",
        section,
        "A revision whose header was made to say VALUE.",
        file.data,
        14,
        items=without,
    )
    file = history(last=False)
    file.begin(3)
    file.item("erin", b"erin's password", known=False)
    file.delete("carol")
    file.commit()
    file.patch(file.named["tomb of carol"], lambda f: repaired(f[:4] + b"\2" + f[5:]))
    vector(
        "lost_tombstone_as_value_of_unknown_length",
        section,
        "The same behind an ITEM whose length is not known: nothing to count, so the index decides.",
        file.data,
        0,
        pipe=14,
        pipe_list=(0, 14),
        verify=14,
        items=AFTER_HISTORY + [("erin", b"erin's password")],
    )
    file = history()
    root = [f for f in file.frames if f.kind == INDEX][-1]
    file.flip(root.place + 50)
    every = ("list", "read", "pipe", "pipe-list")
    vector(
        "lost_index",
        section,
        "The newest index is damaged: the scan gives the items, marked.",
        file.data,
        13,
        items=AFTER_HISTORY,
        outdated=every,
    )
    file.flip(file.named["tomb of carol"].place + 60)
    both = AFTER_HISTORY + [("carol", SECRETS["carol"])]
    vector(
        "lost_index_and_tombstone",
        section,
        "Index and tombstone are damaged: carol may be outdated.",
        file.data,
        13,
        items=both,
        outdated=every,
    )


def replacing():
    """verify: what replaces what."""
    section = "Verifying"

    def second(name, why, make, items, read=0, pipe=(0, 14), free=("pipe", "pipe-list"), verify=14):
        file = one_session()
        file.begin(2)
        make(file)
        file.commit()
        vector(
            "replace_" + name,
            section,
            why,
            file.data,
            read,
            pipe=pipe,
            verify=verify,
            items=items,
            free=free,
        )

    new = [("alice", SECRETS["alice"]), ("bob", b"new"), ("carol", SECRETS["carol"])]
    alice = lambda f: f.live["alice"].frame.place
    second(
        "another_uuid",
        "Place replaced names an ITEM of another uuid.",
        lambda f: f.item("bob", b"new", replaced=alice(f)),
        new,
    )
    second(
        "a_value",
        "Place replaced names a VALUE.",
        lambda f: f.item("bob", b"new", replaced=f.named["bob/0"].place),
        new,
    )
    second(
        "inside_a_frame",
        "Place replaced is inside a frame.",
        lambda f: f.item("bob", b"new", replaced=f.live["bob"].frame.place + 16),
        new,
    )

    def twice(file):
        file.item("bob", b"new")
        file.item("bob", b"newer", listed=False, uuid=uuid("bob"), revision=3, replaced=0)

    second("twice_in_a_session", "A session has at most one ITEM of a uuid.", twice, new)
    file = basic(("alice",))
    file.item("bob", SECRETS["bob"])
    one = file.live.pop("bob")
    file.item("bob", b"new", revision=2)
    file.live["first bob"] = one
    file.commit()
    items = [("alice", SECRETS["alice"]), ("bob", SECRETS["bob"]), ("bob", b"new")]
    why = "A session has at most one ITEM of a uuid; the index lists both."
    name = "replace_twice_in_a_session_listed"
    vector(name, section, why, file.data, 0, pipe=(0, 14), verify=14, items=items)
    file = one_session()
    old = file.live["bob"].frame.place
    file.begin(2)
    file.item("bob", b"second")
    file.commit()
    file.begin(3)
    file.item("bob", b"third", replaced=old)
    file.commit()
    items = [("alice", SECRETS["alice"]), ("bob", b"third"), ("carol", SECRETS["carol"])]
    vector(
        "replace_what_was_replaced",
        section,
        "Place replaced names an ITEM that was replaced before.",
        file.data,
        0,
        pipe=(0, 14),
        verify=14,
        items=items,
        free=("pipe", "pipe-list"),
    )
    file = one_session()
    file.begin(2)
    file.delete("bob")
    file.commit()
    file.begin(3)
    file.item("bob", b"back", revision=3, replaced=0)
    file.commit()
    items = [("alice", SECRETS["alice"]), ("bob", b"back"), ("carol", SECRETS["carol"])]
    vector(
        "replace_uuid_after_tombstone",
        section,
        "A uuid is never used again after its tombstone.",
        file.data,
        0,
        pipe=(0, 14),
        verify=14,
        items=items,
    )
    file = File().begin(1)
    file.item("bob", SECRETS["bob"], revision=2)
    file.commit()
    file.begin(2)
    file.item("bob", b"new", revision=2)
    file.commit()
    vector(
        "replace_equal_revision",
        section,
        "The revision is not higher than what it replaces.",
        file.data,
        0,
        pipe=(0, 14),
        verify=14,
        items=[("bob", b"new")],
    )


def make():
    good()
    lost()
    replacing()
