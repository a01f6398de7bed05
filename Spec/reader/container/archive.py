"""An archive whose file key is known: opening frames, index nodes and values."""

import struct
import zlib

from .frames import Commit, Frame, FrameHeader
from .primitives import (
    CHUNK,
    COMMIT,
    COMMIT_FRAME,
    DAMAGED,
    INDEX,
    ITEM,
    TAMPERED,
    TRUNCATED,
    UNKNOWN_LENGTH,
    VALUE,
    Finding,
    L,
    X,
    body_check,
    number,
    opened,
    padded,
)


class Archive:
    def __init__(self, data, header, fk):
        self.data, self.header, self.fk, self.aid = data, header, fk, header.aid
        self.two_s = 2 * header.size
        self.k_meta = X(fk, L("meta") + self.aid, 32)
        self.k_value = X(fk, L("value") + self.aid, 32)
        self.segment_keys = {}
        self.findings, self.warnings = [], []
        self.commit, self.commit_sequence = None, None

    def note(self, finding):
        if all(
            (f.status, f.place, f.reason) != (finding.status, finding.place, finding.reason)
            for f in self.findings
        ):
            self.findings.append(finding)

    def keys(self, kind, segment):
        key = self.k_value if kind == VALUE else self.k_meta
        if (key, segment) not in self.segment_keys:
            okm = X(key, L("segment") + self.aid + segment, 44)
            self.segment_keys[key, segment] = okm[:32], okm[32:]
        return self.segment_keys[key, segment]

    def frame(self, place, kind=None, segment=None, sequence=None, limit=None):
        """Opens the frame at a place, in the order of checks of the Spec."""
        h = FrameHeader(self.data, place)
        if h.end > len(self.data):
            raise Finding(TRUNCATED, place, "the input ends inside a frame")
        if limit is not None and h.end > limit:
            raise Finding(TAMPERED, place, "frame reaches behind its session")
        if kind is not None and h.type != kind:
            raise Finding(TAMPERED, place, "frame of type %d where %d belongs" % (h.type, kind))
        if segment is not None and h.segment != segment:
            raise Finding(TAMPERED, place, "frame of another session")
        if sequence is not None and h.sequence != sequence:
            raise Finding(TAMPERED, place, "frame out of sequence")
        if h.type not in (ITEM, VALUE, INDEX, COMMIT) and h.type < 128:
            raise Finding(TAMPERED, place, "frame of type %d here" % h.type)
        sealed = bytes(self.data[place + 32 : h.end])
        check_holds = body_check(sealed) == h.check
        key, base = self.keys(h.type, h.segment)
        nonce = base[:8] + bytes(a ^ b for a, b in zip(base[8:], struct.pack("<I", h.sequence)))
        plain = opened(key, nonce, sealed, h.aad)
        if plain is None:
            if check_holds:
                raise Finding(TAMPERED, place, "frame changed since it was written")
            raise Finding(DAMAGED, place, "frame damaged: sealed bytes changed")
        n = number(plain, 0, 4)
        if (
            n > len(plain) - 8
            or any(plain[5:8])
            or any(plain[8 + n :])
            or padded(8 + n) != len(plain)
        ):
            raise Finding(TAMPERED, place, "frame malformed")
        code = plain[4]
        if (
            h.type == INDEX
            and code > 5
            or h.type == VALUE
            and code > 3
            or h.type in (ITEM, COMMIT)
            and code > 1
        ):
            raise Finding(TAMPERED, place, "frame with an unknown code")
        return Frame(h, code, plain[8 : 8 + n], check_holds)

    def commit_frame(self, place):
        """The COMMIT that stands at a place, whatever place it names: (commit, frame)."""
        frame = self.frame(place, COMMIT)
        if len(frame.content) != 132:
            raise Finding(TAMPERED, place, "commit: malformed")
        return Commit(place, frame.content), frame

    def commit_at(self, place):
        """The COMMIT copy at a place that it names itself."""
        commit, frame = self.commit_frame(place)
        if commit.place + COMMIT_FRAME * frame.code != place:
            raise Finding(TAMPERED, place, "a commit of another place (%d)" % commit.place)
        return commit, frame

    def index(self, commit):
        """The leaf entries under a root, and the findings of nodes that could not be read."""
        entries, findings = [], []

        def walk(place, segment, sequence, level, token, above):
            try:
                frame = self.frame(place, INDEX, segment, sequence, above)
                rows = (
                    list(struct.iter_unpack("<16sQ12sI", frame.content))
                    if len(frame.content) % 40 == 0
                    else []
                )
                tokens = [row[0] for row in rows]
                if (
                    not 1 <= len(rows) <= 409
                    or frame.code != level
                    or tokens != sorted(tokens)
                    or (token is not None and tokens[0] != token)
                    or any(row[1] >= place or row[1] % 16 or row[1] < self.two_s for row in rows)
                ):
                    raise Finding(TAMPERED, place, "index node malformed")
                if level == 0 and any(a[:2] >= b[:2] for a, b in zip(rows, rows[1:])):
                    raise Finding(TAMPERED, place, "index leaf out of order")
            except Finding as finding:
                findings.append(finding)
                return
            if level == 0:
                if entries and entries[-1][:2] >= rows[0][:2]:
                    findings.append(Finding(TAMPERED, place, "index leaves out of order"))
                entries.extend(rows)
            else:
                for row in rows:
                    walk(row[1], row[2], row[3], level - 1, row[0], place)

        if commit.root_place:
            walk(
                commit.root_place,
                commit.root_segment,
                commit.root_sequence,
                commit.root_level,
                None,
                commit.place,
            )
        return entries, findings

    def raw(self, frame, chunk):
        """The raw bytes of one VALUE."""
        content, place = frame.content, frame.header.place
        if frame.code & 2:
            inflater = zlib.decompressobj(-15)
            try:
                content = inflater.decompress(frame.content, CHUNK + 1)
            except zlib.error:
                raise Finding(TAMPERED, place, "value: not deflated") from None
            if len(content) > CHUNK or not inflater.eof or inflater.unused_data:
                raise Finding(TAMPERED, place, "value: deflated chunk out of bounds")
        if (
            len(content) > CHUNK
            or (not frame.code & 1 and len(content) != CHUNK)
            or (not content and chunk)
        ):
            raise Finding(TAMPERED, place, "value: chunk out of bounds")
        return content

    def check_total(self, item, total):
        if total > 1 << 43 or item.length not in (total, UNKNOWN_LENGTH):
            raise Finding(TAMPERED, item.place, "value: its length differs")

    def value(self, item):
        """The value of an item, or None when it has none."""
        if not item.has_value:
            return None
        parts, place, total = [], item.end, 0
        while True:
            frame = self.frame(
                place, VALUE, item.segment, item.sequence + 1 + len(parts), self.commit.place
            )
            parts.append(self.raw(frame, len(parts)))
            total += len(parts[-1])
            if item.length != UNKNOWN_LENGTH and total > item.length:
                self.check_total(item, total)
            if frame.code & 1:
                self.check_total(item, total)
                return b"".join(parts)
            place = frame.header.end
