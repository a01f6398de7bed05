"""What can be checked of an archive without a credential: the end of the section "Verifying"."""

import struct
import zlib

from .frames import FrameHeader, check_void
from .header import header_copies
from .primitives import (
    COMMIT,
    COMMIT_FRAME,
    DAMAGED,
    END_MAGIC,
    FRAME_MAGIC,
    HEADER_MAGIC,
    LIMIT,
    SESSION_END,
    TAMPERED,
    TRUNCATED,
    UNSUPPORTED,
    VOID,
    Finding,
    body_check,
    number,
)


def structure(data):
    """The findings; raises what keeps everybody from opening the archive."""
    copies = header_copies(data)
    good, outcomes = [], []
    for copy in copies:
        try:
            copy.slots()
            good.append(copy)
        except Finding as finding:
            outcomes.append(finding)
    if not good:
        order = [TAMPERED, UNSUPPORTED, LIMIT]
        raise min(outcomes, key=lambda finding: order.index(finding.status))
    findings = [finding for finding in outcomes if finding.status == TAMPERED]
    if len(copies) == 1:
        header = copies[0]
        findings.append(Finding(DAMAGED, header.size - header.place, "header copy damaged"))
    return findings + Walk(data, good[0]).findings


class Walk:
    """One pass over the frames. What stands behind the last end of session counts as a tail."""

    def __init__(self, data, header):
        self.data, self.aid = data, header.aid
        self.findings, self.pending = [], []  # pending: of the session that has no end yet
        self.place = start = 2 * header.size
        self.begin()
        while self.place < len(data):
            if self.end_stands_here():
                self.end()
                start = self.place
            else:
                self.frame()
        if start < len(data) or start == 2 * header.size:
            self.findings.append(self.tail(start))

    def begin(self):
        self.segment, self.sequence, self.gap = None, 0, False

    def note(self, status, place, reason):
        self.pending.append(Finding(status, place, reason))

    def commit_header(self, place):
        """The header of a COMMIT frame, or None."""
        try:
            h = FrameHeader(self.data, place)
        except Finding:
            return None
        return h if h.type == COMMIT and h.sealed == COMMIT_FRAME - 32 else None

    def end_stands_here(self):
        one = self.commit_header(self.place)
        two = self.commit_header(self.place + COMMIT_FRAME)
        if one and two:
            return one.segment == two.segment and one.sequence + 1 == two.sequence
        mark = self.place + 2 * COMMIT_FRAME
        return (one or two) is not None and self.data[mark : mark + 8] == END_MAGIC

    def in_order(self, h, sequence):
        if self.segment not in (None, h.segment):
            self.note(TAMPERED, h.place, "frame of another session")
        elif sequence != self.sequence and not (self.gap and sequence > self.sequence):
            self.note(TAMPERED, h.place, "frame out of sequence")

    def end(self):
        """The 512 bytes that end a session."""
        first = self.place
        for code in (0, 1):
            place = first + code * COMMIT_FRAME
            h = self.commit_header(place)
            if h is not None:
                self.in_order(h, h.sequence - code)
            if place + COMMIT_FRAME <= len(self.data):
                body = bytes(self.data[place + 32 : place + COMMIT_FRAME])
                if h is None or body_check(body) != h.check:
                    self.note(DAMAGED, place, "commit copy damaged")
        mark = bytes(self.data[first + 2 * COMMIT_FRAME : first + SESSION_END])
        if len(mark) < 32:
            self.note(TRUNCATED, len(self.data), "the file ends inside the session's end")
        elif zlib.crc32(mark[:28]) != number(mark, 28, 4):
            self.note(DAMAGED, first + 2 * COMMIT_FRAME, "end mark damaged")
        elif mark[:16] != END_MAGIC + struct.pack("<Q", first) or mark[24:28] != self.aid[:4]:
            self.note(TAMPERED, first + 2 * COMMIT_FRAME, "end mark of another place")
        self.findings += self.pending
        self.pending, self.place = [], first + SESSION_END
        self.begin()

    def frame(self):
        try:
            h = FrameHeader(self.data, self.place)
        except Finding as finding:
            self.pending.append(finding)
            self.place, self.gap = self.next_header(), True
            return
        self.in_order(h, h.sequence)
        self.segment, self.sequence, self.gap = h.segment, h.sequence + 1, False
        if h.end <= len(self.data):
            try:
                if h.type == VOID:
                    check_void(self.data, h)
                elif body_check(bytes(self.data[h.place + 32 : h.end])) != h.check:
                    self.note(DAMAGED, h.place, "body check differs")
            except Finding as finding:
                self.pending.append(finding)
        self.place = h.end

    def next_header(self):
        """Where a sound frame header, or an end of session, stands next."""
        place = self.place + 16
        while place < len(self.data):
            if self.data[place : place + 4] == FRAME_MAGIC:
                try:
                    FrameHeader(self.data, place)
                    return place
                except Finding:
                    pass
            place += 16
        return place

    def tail(self, start):
        place = self.data.find(HEADER_MAGIC, start)
        while place >= 0 and place % 16:
            place = self.data.find(HEADER_MAGIC, place + 1)
        if place >= 0:
            return Finding(DAMAGED, place, "another archive begins here")
        return Finding(TRUNCATED, start, "no end of session: an unfinished append")
