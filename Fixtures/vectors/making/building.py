"""A file in the making: frames, items, index, commits, one after the other, each as told.

A session is `begin`, then items and other frames, then `commit`. What is not said otherwise is
what Spec/container.md asks for; every field can be said otherwise.
"""

import hashlib
import struct
from dataclasses import dataclass, field

from .headers import header, key_file_slot
from .primitives import (
    BYTES,
    CHUNK,
    COMMIT,
    END_MAGIC,
    INDEX,
    ITEM,
    TEXT,
    UNKNOWN,
    VALUE,
    Keys,
    crc,
    deflated,
    plaintext,
    void,
)

KEY_FILE = bytes(range(160, 200))
KEYS = Keys(b"vector archive 1", b"the file key of the vectors, 32B")
SLOT = key_file_slot(KEYS, 1, KEY_FILE, name=b"vectors")
HEADER = header(KEYS, [SLOT])
TIME = 1_714_564_800_000


def segment(n):
    return b"vectors%05d" % n


def uuid(name):
    return hashlib.sha256(b"uuid " + name.encode()).digest()[:16]


def text_field(content, kind=TEXT):
    return struct.pack("<BI", kind, len(content)) + content


def attribute(key, kind, content):
    return bytes([len(key)]) + key + text_field(content, kind)


def password(name, *more):
    """The attributes of a generic password; `more` are further (key, type, bytes)."""
    rows = [(b"acct", TEXT, name.encode()), (b"clas", TEXT, b"genp"), (b"svce", TEXT, b"vectors")]
    return b"".join(attribute(*row) for row in sorted([*rows, *more]))


def token_of(name, keys=KEYS):
    """The token of password(name), whatever further attributes it has outside the keys."""
    lookup = text_field(b"genp") + text_field(name.encode()) + text_field(b"vectors")
    empty, zero = text_field(b""), text_field(bytes(8), 3)
    primary = lookup + empty + zero + empty + empty + text_field(b"", 2) + empty
    return keys.token(lookup, primary)


@dataclass
class Placed:
    """A frame that stands in the file."""

    place: int
    end: int
    kind: int
    segment: bytes
    sequence: int


@dataclass
class Live:
    token: bytes
    frame: Placed
    revision: int
    extents: list = field(default_factory=list)  # (place, length) of every revision

    def entry(self):
        return self.token, self.frame.place, self.frame.segment, self.frame.sequence


class File:
    def __init__(
        self, head=HEADER * 2, *, keys=KEYS, header_sequence=1, number=0, before=bytes(32)
    ):
        self.keys, self.header_sequence = keys, header_sequence
        self.data = bytearray(head)
        self.two_s = len(head)
        self.number, self.previous, self.hash = number, 0, before
        self.live, self.commits, self.frames = {}, [], []
        self.root = (0, bytes(12), 0, 0)
        self.named = {}  # what a case wants to find again: name → Placed

    def begin(self, n):
        self.segment, self.sequence, self.first = segment(n), 0, len(self.data)
        self.changed = False
        return self

    def add(
        self, kind, code, content, *, plain=None, sequence=None, under=None, nonce_of=None, **p
    ):
        """Adds a frame to the session; gives where it stands."""
        sequence = self.sequence if sequence is None else sequence
        plain = plaintext(code, content, **p) if plain is None else plain
        frame = self.keys.frame(kind, sequence, self.segment, plain, under, nonce_of)
        return self.add_raw(frame, kind, sequence)

    def add_raw(self, frame, kind, sequence):
        place = len(self.data)
        self.data += frame
        self.sequence = sequence + 1
        placed = Placed(place, len(self.data), kind, self.segment, sequence)
        self.frames.append(placed)
        return placed

    def item(self, name, value=None, *, known=True, pack=False, listed=True, chunks=None, **fields):
        """Adds or replaces an item with its VALUEs."""
        placed = self.item_frame(name, value, known, **fields)
        if chunks is None and value is not None:
            parts = [value[i : i + CHUNK] for i in range(0, len(value), CHUNK)] or [b""]
            chunks = [
                ((i + 1 == len(parts)) + 2 * pack, deflated(part) if pack else part)
                for i, part in enumerate(parts)
            ]
        for i, (code, content) in enumerate(chunks or []):
            self.named["%s/%d" % (name, i)] = self.add(VALUE, code, content)
        old = self.live.get(name)
        extents = (old.extents if old else []) + [(placed.place, len(self.data) - placed.place)]
        self.changed = True
        if listed:
            token = fields.get("listed_token", fields.get("token", token_of(name, self.keys)))
            revision = (old.revision if old else 0) + 1
            self.live[name] = Live(token, placed, fields.get("revision", revision), extents)
        return placed

    def item_frame(self, name, value, known, *, code=0, attributes=None, content=None, **fields):
        old = self.live.get(name)
        if content is None:
            content = fields.get("uuid", uuid(name))
            content += fields.get("token", token_of(name, self.keys))
            content += struct.pack(
                "<QQQB",
                fields.get("revision", old.revision + 1 if old else 1),
                fields.get("replaced", old.frame.place if old else 0),
                fields.get("length", UNKNOWN if not known else 0 if value is None else len(value)),
                fields.get("has_value", int(value is not None)),
            )
            content += fields.get("zero", bytes(7))
            content += password(name) if attributes is None else attributes
        frame = {k: fields[k] for k in ("n", "size", "fill", "under", "plain") if k in fields}
        placed = self.add(ITEM, code, content, zero=fields.get("head_zero", bytes(3)), **frame)
        self.named[name] = placed
        return placed

    def delete(self, name, shred=False, extents=None, unlist=True, **fields):
        """Adds a tombstone; with `shred` its extents cover every revision."""
        old = self.live[name]
        extents = (old.extents if shred else []) if extents is None else extents
        rows = b"".join(struct.pack("<QQ", *extent) for extent in extents)
        fields = {"revision": old.revision + 1, "replaced": old.frame.place, **fields}
        fields.setdefault("attributes", rows)
        placed = self.item_frame(name, None, True, code=1, **fields)
        if unlist:
            del self.live[name]
        self.changed = True
        self.named["tomb of " + name] = placed
        return extents

    def shred(self, extents):
        """Overwrites the frames in the extents by VOIDs."""
        for place, size in extents:
            end = place + size
            while place < end:
                length = 32 + int.from_bytes(self.data[place + 5 : place + 8], "little")
                self.data[place : place + length] = void(self.data[place : place + length])
                place += length

    def entries(self):
        return sorted(live.entry() for live in self.live.values())

    def node(self, level, entries, **twist):
        """Adds an INDEX node; gives (token, place, segment, sequence) for the node above."""
        content = b"".join(struct.pack("<16sQ12sI", *entry) for entry in entries)
        placed = self.add(INDEX, twist.pop("code", level), content, **twist)
        first = entries[0][0] if entries else bytes(16)
        return first, placed.place, placed.segment, placed.sequence

    def index(self, width=409, entries=None, levels=1):
        """Adds the whole index; sets the root. At least `levels` levels."""
        row, level = self.entries() if entries is None else entries, 0
        while row:
            row = [self.node(level, row[i : i + width]) for i in range(0, len(row), width)]
            if len(row) == 1 and level + 1 >= levels:
                self.root = (*row[0][1:], level)
                return
            level += 1
        self.root = (0, bytes(12), 0, 0)

    def commit_content(self, own, **fields):
        live_bytes = sum(size for live in self.live.values() for _, size in live.extents[-1:])
        everything = {
            "number": self.number + 1,
            "place": own,
            "first": self.first,
            "previous": self.previous,
            "previous_hash": self.hash,
            "header_sequence": self.header_sequence,
            "time": TIME,
            "live_items": len(self.live),
            "live_bytes": live_bytes,
            "dead_bytes": own - self.two_s - live_bytes,
            "root_place": self.root[0],
            "root_segment": self.root[1],
            "root_sequence": self.root[2],
            "root_level": self.root[3],
            "zero": bytes(3),
            **fields,
        }
        return struct.pack("<QQQQ32sQQQQQQ12sIB3s", *everything.values())

    def commit(
        self, *, second=None, codes=(0, 1), mark=None, indexed=False, sequence=None, **fields
    ):
        """Ends the session. `second`: fields of copy 2 alone; `mark`: fields of the ENDMARK."""
        if self.changed and not indexed:
            self.index()
        place = len(self.data)
        content = self.commit_content(place, **fields)
        if sequence is not None:
            self.sequence = sequence
        one = self.add(COMMIT, codes[0], content)
        second = dict(second or {})
        self.sequence += second.pop("skip", 0)
        self.segment = second.pop("segment", self.segment)
        self.add(COMMIT, codes[1], self.commit_content(place, **{**fields, **second}))
        self.number = fields.get("number", self.number + 1)
        self.data += endmark(place, self.number, self.keys.aid, **(mark or {}))
        self.previous = place
        self.hash = hashlib.sha256(bytes(self.data[place : one.end])).digest()
        self.commits.append(place)
        return place

    def flip(self, place, mask=1):
        self.data[place] ^= mask
        return self

    def patch(self, placed, change):
        """Replaces a frame by what `change` makes of it; the size stays."""
        frame = bytes(self.data[placed.place : placed.end])
        changed = change(bytearray(frame))
        self.data[placed.place : placed.place + len(changed)] = changed
        return self


def endmark(own, last, archive_id, **said):
    said = {"magic": END_MAGIC, "place": own, "number": last, "aid": archive_id, **said}
    mark = said["magic"] + struct.pack("<QQ", said["place"], said["number"]) + said["aid"][:4]
    return mark + crc(mark)


SECRETS = {
    "alice": b"alice's password",
    "bob": b"bob's password",
    "carol": b"carol's password",
    "dave": b"dave's password",
}


def basic(names=("alice", "bob", "carol"), **options):
    """One session with an item for each name, not yet committed."""
    file = File(**options).begin(1)
    for name in names:
        file.item(name, SECRETS[name])
    return file


def one_session(**options):
    file = basic(**options)
    file.commit()
    return file


def history(last=True, shred=False, **options):
    """Three sessions: three items; bob replaced and dave added; carol deleted."""
    file = one_session(**options)
    file.begin(2)
    file.item("bob", b"bob's new password")
    file.item("dave", SECRETS["dave"])
    file.commit()
    if last:
        file.begin(3)
        extents = file.delete("carol", shred)
        file.commit()
        file.shred(extents)
    return file


def made(names=("alice", "bob", "carol"), **options):
    """(name, value) of the items of basic()."""
    return [(name, SECRETS[name]) for name in names]


NEW_BOB = ("bob", b"bob's new password")
AFTER_HISTORY = [("alice", SECRETS["alice"]), NEW_BOB, ("dave", SECRETS["dave"])]
AFTER_TWO = [
    ("alice", SECRETS["alice"]),
    NEW_BOB,
    ("carol", SECRETS["carol"]),
    ("dave", SECRETS["dave"]),
]
EVERYONE = made()
WITHOUT_BOB = [item for item in EVERYONE if item[0] != "bob"]


def comment_of(size):
    """A further attribute for password()."""
    return b"icmt", BYTES, b"x" * size
