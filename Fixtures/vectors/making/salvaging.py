"""What salvaging takes out of any bytes, worked out from the section "Salvaging" of the Spec.

It looks at the finished bytes of a vector, whatever case made them, with the file key at hand. All
of it is told by `Found`: the items that come out, and whether there is anything to tell (status 3).
"""

import hashlib
import hmac
import struct
import zlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .primitives import (
    CHUNK,
    COMMIT,
    END_MAGIC,
    HEADER_MAGIC,
    INDEX,
    ITEM,
    UNKNOWN,
    VALUE,
    VOID,
    mac,
    padded,
)

HIGHEST_CODE = {ITEM: 1, VALUE: 3, INDEX: 5, COMMIT: 1}


@dataclass
class Opened:
    """A frame that opened."""

    place: int
    end: int
    kind: int
    segment: bytes
    sequence: int
    code: int
    content: bytes


@dataclass
class Kept:
    """The newest revision of an item."""

    frame: Opened
    tombstone: bool
    token: bytes
    revision: int
    length: int
    has_value: bool
    name: str


def sessions_start(data, keys):
    """2S of the first header copy that is this archive's; None where there is none."""
    for k in range(7):
        size = 4096 << k
        for place in (0, size):
            copy = bytes(data[place : place + size])
            if (
                len(copy) == size
                and copy[:8] == HEADER_MAGIC
                and int.from_bytes(copy[24:28], "little") == size
                and hashlib.sha256(copy[:-32]).digest() == copy[-32:]
                and hmac.compare_digest(mac(keys.of["header"], copy[:-64]), copy[-64:-32])
                and len(data) >= 2 * size
            ):
                return 2 * size
    return None


class Search:
    """The magic is searched at every offset; what lies between the frames is told."""

    def __init__(self, data, keys, start):
        self.data, self.keys = bytes(data), keys
        self.frames, self.tells = {}, False
        place, behind = 0, start
        while True:
            place = self.data.find(b"KCF1", place)
            if place < 0:
                break
            end = self.frame_end(place)
            if end is None:
                self.tells = True
                place += 1
                continue
            self.hole(behind, place)
            place = behind = end
        self.hole(behind, len(self.data))

    def hole(self, start, end):
        """Bytes that are no frame: nothing to tell of a whole ENDMARK."""
        mark = self.data[start:end]
        whole = len(mark) == 32 and mark[:8] == END_MAGIC
        if start < end and not (whole and zlib.crc32(mark[:28]) == number(mark, 28, 4)):
            self.tells = True

    def frame_end(self, place):
        """The end of the frame at a place if it opens, or is VOID."""
        head = self.data[place : place + 32]
        if len(head) < 32 or zlib.crc32(head[:28]) != number(head, 28, 4):
            return None
        kind, size, sequence = head[4], number(head, 5, 3), number(head, 8, 4)
        end = place + 32 + size
        if not 80 <= size <= (1 << 20) + 16 or size % 16 or end > len(self.data):
            return None
        if kind == VOID:
            return end
        if kind not in HIGHEST_CODE and kind < 128:
            return None
        key, nonce = self.keys.frame_key(kind, head[12:24], sequence)
        try:
            plain = AESGCM(key).decrypt(nonce, self.data[place + 32 : end], head[:24])
        except InvalidTag:
            return None
        n, code = number(plain, 0, 4), plain[4]
        if (
            n > len(plain) - 8
            or any(plain[5:8])
            or any(plain[8 + n :])
            or padded(8 + n) != len(plain)
            or code > HIGHEST_CODE.get(kind, 255)
        ):
            return None
        content = plain[8 : 8 + n]
        self.frames[place] = Opened(place, end, kind, head[12:24], sequence, code, content)
        return end


def number(data, offset, size):
    return int.from_bytes(data[offset : offset + size], "little")


def item(frame):
    """The ITEM in a frame, None where it is malformed. Places may have moved: they are not judged."""
    c = frame.content
    if len(c) < 64 or any(c[57:64]) or c[56] > 1:
        return None
    revision, replaced, length = struct.unpack_from("<QQQ", c, 32)
    tombstone, has_value = frame.code == 1, c[56] == 1
    if (
        revision < 1
        or (revision == 1 and replaced)
        or replaced % 16
        or (length > 1 << 43 and length != UNKNOWN)
        or (not has_value and length)
        or (tombstone and (has_value or not replaced or len(c) % 16))
    ):
        return None
    attributes = {} if tombstone else attributes_of(c[64:])
    if attributes is None or (not tombstone and attributes.get(b"clas", (0,))[0] != 1):
        return None
    name = attributes.get(b"acct", (0, b"?"))[1].decode("utf-8", "replace")
    return Kept(frame, tombstone, c[16:32], revision, length, has_value, name)


def attributes_of(c):
    found, offset, last = {}, 0, b""
    while offset < len(c):
        key = c[offset + 1 : offset + 1 + c[offset]]
        offset += 1 + c[offset]
        if key <= last or offset + 5 > len(c):
            return None
        kind, length = struct.unpack_from("<BI", c, offset)
        value = c[offset + 5 : offset + 5 + length]
        offset += 5 + length
        if offset > len(c) or len(value) != {3: 8, 4: 8, 5: 1, 6: 8}.get(kind, len(value)):
            return None
        if kind == 5 and value[0] > 1 or len(found) == 1024:
            return None
        try:
            key.decode()
            if kind == 1:
                value.decode()
        except UnicodeDecodeError:
            return None
        found[key] = kind, value
        last = key
    return found


def well_formed(commit, start):
    """Whether a COMMIT can be what it says, as far as it can be seen where bytes may be gone."""
    c = commit.content
    if len(c) != 132:
        return False
    last, own, first, previous = struct.unpack_from("<QQQQ", c)
    live, root = number(c, 80, 8), number(c, 104, 8)
    start = first if previous == 0 else 0
    return (
        last >= 1
        and number(c, 64, 8) >= 1
        and not any(c[129:])
        and start <= first <= own
        and not first % 16 + own % 16 + previous % 16
        and (first == previous + 512 if previous else True)
        and (last > 1 or not previous and not any(c[32:64]))
        and (root == 0) == (live == 0)
        and (start <= root < own and c[128] <= 5 and not root % 16 if root else not any(c[104:]))
    )


def value_of(kept, frames):
    """(whether it is whole, the value)."""
    if not kept.has_value:
        return True, None
    parts, place = [], kept.frame.end
    while True:
        frame = frames.get(place)
        if (
            frame is None
            or frame.kind != VALUE
            or frame.segment != kept.frame.segment
            or frame.sequence != kept.frame.sequence + 1 + len(parts)
        ):
            return False, None
        raw = frame.content
        if frame.code & 2:
            inflater = zlib.decompressobj(-15)
            try:
                raw = inflater.decompress(raw, CHUNK + 1)
            except zlib.error:
                return False, None
            if not inflater.eof or inflater.unused_data:
                return False, None
        last = frame.code & 1
        if len(raw) > CHUNK or (not last and len(raw) != CHUNK) or (not raw and parts):
            return False, None
        parts.append(raw)
        if last:
            value = b"".join(parts)
            return kept.length in (len(value), UNKNOWN), value
        place = frame.end


def listed(search, commit):
    """(token, place, segment, sequence) of what a COMMIT's index lists; None where a node can't be read."""
    c = commit.content
    root, level = number(c, 104, 8), c[128]
    if root == 0:
        return set()
    nodes, rows = [(root, c[112:124], number(c, 124, 4), level, None)], []
    while nodes:
        place, segment, sequence, level, token = nodes.pop()
        node = search.frames.get(place)
        if (
            node is None
            or (node.kind, node.segment, node.sequence) != (INDEX, segment, sequence)
            or node.code != level
            or not 0 < len(node.content) <= 409 * 40
            or len(node.content) % 40
            or token not in (None, node.content[:16])
        ):
            return None
        entries = list(struct.iter_unpack("<16sQ12sI", node.content))
        if any(row[1] >= place for row in entries):
            return None
        if level == 0:
            rows += entries
        elif any(a[0] > b[0] for a, b in zip(entries, entries[1:])):
            return None
        else:
            nodes += [(row[1], *row[2:], level - 1, row[0]) for row in reversed(entries)]
    if any(a[:2] >= b[:2] for a, b in zip(rows, rows[1:])):
        return None
    return set(rows)


def salvaged(data, keys):
    """(statuses, [(name, value)]) of salvaging, None where no header copy gives the file key."""
    start = sessions_start(data, keys)
    if start is None:
        return None
    search = Search(data, keys, start)
    kept, tells, newest = {}, search.tells, None
    committed = set()
    for place in sorted(search.frames):
        frame = search.frames[place]
        if frame.kind == ITEM:
            one = item(frame)
            if one is None:
                tells = True
                continue
            uuid = frame.content[:16]
            if uuid not in kept or kept[uuid].revision <= one.revision:
                kept[uuid] = one
        elif frame.kind == COMMIT and not well_formed(frame, start):
            tells = True
        elif frame.kind == COMMIT:
            committed.add(frame.segment)
            if newest is None or number(frame.content, 0, 8) >= number(newest.content, 0, 8):
                newest = frame
    live = sorted((k for k in kept.values() if not k.tombstone), key=lambda k: k.frame.place)
    last = {k.token: k for k in live}
    tells |= len(last) < len(live)
    live = [k for k in live if last[k.token] is k]
    tells |= any(k.frame.segment not in committed for k in live)
    statuses = (3,) if tells else (0,)
    if newest is None or number(newest.content, 8, 8) != newest.place - 240 * newest.code:
        statuses = (3,)  # bytes before it are gone, or there are more
    else:
        entries = listed(search, newest)
        before = [k for k in live if k.frame.place < newest.place]
        # None: what can't be read may have listed more.
        if entries != {
            (k.token, k.frame.place, k.frame.segment, k.frame.sequence) for k in before
        }:
            statuses = (3,)
    items = []
    for one in live:
        whole, value = value_of(one, search.frames)
        if whole:
            items.append((one.name, value))
        else:
            statuses = (3,)
    return statuses, items
