"""Vectors of attacks that a person with the file, and without its key, can make; see ../README.md."""

from .building import AFTER_TWO, EVERYONE, KEYS, SLOT, WITHOUT_BOB, File, history, one_session
from .cases_header import OTHER
from .cases_slots import IDENTITY
from .headers import header, identity_text, public_of, recipient_slot
from .primitives import repaired
from .vector import vector


def strangers():
    """Who knows a recipient can make a header, or a whole archive, that its identity opens."""
    identity = ["identity: " + identity_text(IDENTITY)]
    recipient = public_of(IDENTITY)
    ours = header(KEYS, [SLOT, recipient_slot(KEYS, 2, recipient)])
    theirs = header(OTHER, [recipient_slot(OTHER, 1, recipient)], 5)
    data = one_session(head=ours * 2).data
    section = "Choosing and opening a copy"
    for name, head in [("a", theirs + ours), ("b", ours + theirs)]:
        vector(
            "header_%s_of_a_stranger_for_a_recipient" % name,
            section,
            "It opens, and no COMMIT opens under it: the other one is used.",
            head + bytes(data[8192:]),
            0,
            verify=14,
            append=14,
            items=EVERYONE,
            credentials=identity,
        )
    vector(
        "header_both_of_a_stranger_for_a_recipient",
        "Finding the state",
        "Both copies are a stranger's: two sound COMMIT headers, and neither copy opens.",
        theirs * 2 + bytes(data[8192:]),
        14,
        credentials=identity,
        salvage=3,
    )
    whole = File(theirs * 2, keys=OTHER, header_sequence=5).begin(1)
    whole.item("mallory", b"mallory's password")
    whole.commit()
    vector(
        "session_of_a_stranger_for_a_recipient",
        "Rationale",
        "Recipients prove no origin: a whole archive of a stranger is sound.",
        whole.data,
        0,
        structure=0,
        items=[("mallory", b"mallory's password")],
        credentials=identity,
        keys=OTHER,
    )


def blocks():
    """Two blocks of the cipher change places within a frame."""

    def exchanged(frame):
        frame[32:48], frame[48:64] = frame[48:64], frame[32:48]
        return frame

    for name, change, status, structure in [
        ("blocks_exchanged", exchanged, 13, 13),
        ("blocks_exchanged_and_mended", lambda frame: repaired(exchanged(frame)), 14, 0),
    ]:
        file = one_session()
        file.patch(file.named["bob"], change)
        vector(
            "frame_item_" + name,
            "Checking a frame",
            "The body check knows the order of words, the tag all of them.",
            file.data,
            status,
            structure=structure,
            items=WITHOUT_BOB,
        )
        file = one_session()
        file.patch(file.named["bob/0"], change)
        vector(
            "frame_value_" + name,
            "Checking a frame",
            "The body check knows the order of words, the tag all of them.",
            file.data,
            status,
            list=0,
            pipe_list=0,
            structure=structure,
            items=WITHOUT_BOB,
            list_items=EVERYONE,
            pipe_list_items=EVERYONE,
        )


def old_ends():
    """The newest session's last 512 bytes are overwritten by those of an older one."""
    file = history()
    for n in (1, 2):
        old = bytes(file.data[file.commits[n - 1] : file.commits[n - 1] + 512])
        vector(
            "tail_newest_end_is_that_of_session_%d" % n,
            "Finding the state",
            "An old end of session stands where the newest was.",
            bytes(file.data[:-512]) + old,
            14,
            append=14,
            items=AFTER_TWO,
        )


def uncommitted_shred():
    """The first step of shredding: the tombstone is written, and no COMMIT."""
    file = history(last=False)
    file.begin(3)
    file.delete("bob", shred=True)
    file.index()
    for name, data in [
        ("written", file.data),
        ("half_written", file.data[: file.named["tomb of bob"].end - 40]),
    ]:
        vector(
            "shred_tombstone_" + name,
            "Deleting and shredding",
            "Nothing is deleted before the tombstone is committed.",
            data,
            0,
            pipe=4,
            verify=4,
            structure=4,
            append=0,
            items=AFTER_TWO,
        )


def make():
    strangers()
    blocks()
    old_ends()
    uncommitted_shred()
