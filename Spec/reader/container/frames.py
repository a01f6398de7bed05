"""What frames are made of, without keys: the sections "Frames" and "Frame contents"."""

import struct
import zlib

from .primitives import (
    CHUNK,
    DAMAGED,
    FRAME_MAGIC,
    MAX_PLACE,
    SESSION_END,
    TAMPERED,
    TRUNCATED,
    UNKNOWN_LENGTH,
    Finding,
    body_check,
    number,
)


class FrameHeader:
    """The 32 bytes in front of a frame, with magic, CRC-32 and bounds checked."""

    def __init__(self, data, place):
        head = bytes(data[place : place + 32])
        if len(head) < 32:
            raise Finding(TRUNCATED, place, "the input ends inside a frame's header")
        if head[:4] != FRAME_MAGIC or zlib.crc32(head[:28]) != number(head, 28, 4):
            raise Finding(DAMAGED, place, "frame header damaged")
        self.place, self.aad = place, head[:24]
        self.type, self.sealed = head[4], number(head, 5, 3)
        self.sequence, self.segment = number(head, 8, 4), head[12:24]
        self.check = number(head, 24, 4)
        if not 80 <= self.sealed <= (1 << 20) + 16 or self.sealed % 16:
            raise Finding(TAMPERED, place, "frame length out of bounds")
        self.end = place + 32 + self.sealed


def check_void(data, h):
    """Checks a VOID, whose header is given."""
    body = bytes(data[h.place + 32 : h.end])
    if h.check:
        raise Finding(TAMPERED, h.place, "void frame with a body check")
    if any(body):
        status = DAMAGED if body_check(body) else TAMPERED
        raise Finding(status, h.place, "void frame not empty")


class Frame:
    def __init__(self, header, code, content, check_holds):
        self.header, self.code, self.content = header, code, content
        self.check_holds = check_holds


class Item:
    """A parsed ITEM frame (or tombstone), and where it stands."""

    def __init__(self, frame, two_s, first):
        place, c = frame.header.place, frame.content

        def require(condition, what):
            if not condition:
                raise Finding(TAMPERED, place, "item: " + what)

        require(frame.code in (0, 1), "unknown code")
        require(len(c) >= 64 and not any(c[57:64]), "malformed")
        self.place, self.segment, self.sequence = place, frame.header.segment, frame.header.sequence
        self.end = frame.header.end
        self.tombstone = frame.code == 1
        self.uuid, self.token = c[:16], c[16:32]
        self.revision, self.replaced, self.length = struct.unpack_from("<QQQ", c, 32)
        self.has_value = c[56]
        self.attributes, self.extents = {}, []
        self.outdated = self.listed_only = False
        require(self.revision >= 1 and self.has_value in (0, 1), "malformed")
        require(
            self.length <= 1 << 43 or self.length == UNKNOWN_LENGTH, "value length out of bounds"
        )
        require(self.has_value or self.length == 0, "length without a value")
        known = self.length != UNKNOWN_LENGTH
        self.chunks = max(1, -(-self.length // CHUNK)) if known else None
        if self.replaced:
            require(
                self.revision > 1
                and self.replaced % 16 == 0
                and two_s <= self.replaced
                and (first is None or self.replaced < first),
                "replaces an impossible place",
            )
        if self.tombstone:
            require(self.replaced and not self.has_value, "malformed tombstone")
            require((len(c) - 64) % 16 == 0, "malformed extents")
            for start, length in struct.iter_unpack("<QQ", c[64:]):
                require(
                    start % 16 == 0
                    and length % 16 == 0
                    and length
                    and start >= two_s
                    and start + length <= (MAX_PLACE if first is None else first),
                    "extent out of bounds",
                )
                self.extents.append((start, start + length))
            return
        offset, last = 64, b""
        while offset < len(c):
            key = c[offset + 1 : offset + 1 + c[offset]]
            offset += 1 + c[offset]
            require(key > last and offset + 5 <= len(c), "attribute keys out of order or cut")
            kind, length = struct.unpack_from("<BI", c, offset)
            require(offset + 5 + length <= len(c), "attribute cut")
            value = c[offset + 5 : offset + 5 + length]
            offset += 5 + length
            require(
                len(value) == {3: 8, 4: 8, 5: 1, 6: 8}.get(kind, len(value)), "attribute length"
            )
            require(kind != 5 or value[0] < 2, "boolean attribute")
            for text in [key] + ([value] if kind == 1 else []):
                try:
                    text.decode()
                except UnicodeDecodeError:
                    require(False, "attribute is not UTF-8")
            self.attributes[key.decode()] = (kind, value)
            last = key
            require(len(self.attributes) <= 1024, "too many attributes")
        require(self.attributes.get("clas", (0, b""))[0] == 1, "item without a class")


class Commit:
    """The content of a COMMIT."""

    def __init__(self, place, content):
        (
            self.number,
            self.place,
            self.first,
            self.previous,
            self.previous_hash,
            self.header_sequence,
            self.time,
            self.live_items,
            self.live_bytes,
            self.dead_bytes,
            self.root_place,
            self.root_segment,
            self.root_sequence,
            self.root_level,
        ) = struct.unpack("<QQQQ32sQQQQQQ12sIB3x", content)
        self.content, self.found_at = content, place
        self.end = self.place + SESSION_END

    def check(self, sequence, two_s):
        """What can be judged without another frame."""
        c = self
        good = (
            not any(c.content[129:])
            and c.number >= 1
            and two_s <= c.first <= c.place
            and c.header_sequence >= 1
            and (c.number > 1 or (c.previous == 0 and not any(c.previous_hash)))
            and (
                c.first == two_s
                if c.previous == 0
                else c.previous >= two_s
                and c.previous % 16 == 0
                and c.first == c.previous + SESSION_END
            )
            and (c.root_place == 0) == (c.live_items == 0)
            and c.root_level <= 5
            and (
                two_s <= c.root_place < c.place and c.root_place % 16 == 0
                if c.live_items
                else not any(c.content[104:])
            )
            and (sequence == 0) == (c.first == c.place)
        )
        if not good:
            raise Finding(TAMPERED, c.place, "commit: malformed")


class Session:
    """Bounds of a committed session; commit is None when neither copy of its COMMIT opens."""

    def __init__(self, first, end, commit, segment, sequence):
        self.first, self.end, self.commit = first, end, commit
        self.segment, self.sequence = segment, sequence
