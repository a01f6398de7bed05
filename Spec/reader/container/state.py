"""The newest COMMIT, what stands behind it, and the ends of sessions: "Finding the state"."""

import struct
import zlib

from .frames import FrameHeader, Item
from .primitives import (
    COMMIT,
    COMMIT_FRAME,
    DAMAGED,
    END_MAGIC,
    FRAME_MAGIC,
    HEADER_MAGIC,
    ITEM,
    TAMPERED,
    TRUNCATED,
    VALUE,
    Finding,
    number,
)


def newest_commit(archive, below):
    """The newest COMMIT in front of a place that opens where it names itself, or None."""
    place = archive.data.rfind(FRAME_MAGIC, archive.two_s, below)
    while place >= 0:
        if place % 16 == 0 and archive.data[place + 4 : place + 8] == b"\x04\xd0\x00\x00":
            try:
                return archive.commit_at(place)
            except Finding:
                pass
        place = archive.data.rfind(FRAME_MAGIC, archive.two_s, place + 3)
    return None


def find_state(archive):
    """Finds the newest COMMIT; without one raises what that means."""
    newest = newest_commit(archive, len(archive.data))
    if newest is None:
        finding = tail_finding(archive, archive.two_s)
        if finding.status == TRUNCATED:
            finding.reason = "no commit: %d whole items, none of them committed" % whole_items(
                archive
            )
        raise finding
    archive.commit, frame = newest
    archive.commit_sequence = frame.header.sequence - frame.code
    archive.commit.check(archive.commit_sequence, archive.two_s)
    archive.segment = frame.header.segment


def tail_finding(archive, start):
    """The finding for the bytes from a place on that no COMMIT covers."""
    place = archive.data.find(HEADER_MAGIC, start)
    while place >= 0:
        if place % 16 == 0:
            return Finding(DAMAGED, place, "another archive begins here")
        place = archive.data.find(HEADER_MAGIC, place + 1)
    found = None
    place = archive.data.find(FRAME_MAGIC, start)
    while place >= 0:
        finding = lost_commit(archive, place, start) if place % 16 == 0 else None
        if finding and (found is None or finding.status > found.status):
            found = finding
        place = archive.data.find(FRAME_MAGIC, place + 1)
    return found or Finding(
        TRUNCATED,
        start,
        "%d bytes behind the newest commit: an unfinished " "append" % (len(archive.data) - start),
    )


def lost_commit(archive, place, start):
    """The finding for a pair of sound COMMIT headers at a place, or None when there is no pair."""
    try:
        pair = [FrameHeader(archive.data, place + i * COMMIT_FRAME) for i in (0, 1)]
    except Finding:
        return None
    if (
        any(h.type != COMMIT or h.sealed != 208 for h in pair)
        or pair[0].segment != pair[1].segment
        or pair[0].sequence + 1 != pair[1].sequence
    ):
        return None
    status = DAMAGED
    for h in pair:
        try:
            commit, _ = archive.commit_frame(h.place)
            if commit.place < start:
                return Finding(TAMPERED, place, "an old commit stands here")
        except Finding as finding:
            status = max(status, finding.status)
    return Finding(status, place, "neither copy of this commit opens")


def commit_parts(archive, commit):
    """Findings for the 512 bytes that end a session."""
    found, opened_copies = [], []
    for code in (0, 1):
        place = commit.place + code * COMMIT_FRAME
        try:
            frame = archive.commit_at(place)[1]
            if frame.code != code:
                raise Finding(TAMPERED, place, "commit copies exchanged")
            opened_copies.append(frame)
            if not frame.check_holds:
                found.append(Finding(DAMAGED, place, "commit copy: body check differs"))
        except Finding as finding:
            found.append(finding)
    if len(opened_copies) == 2:
        one, two = opened_copies
        if (
            one.content != two.content
            or one.header.segment != two.header.segment
            or one.header.sequence + 1 != two.header.sequence
        ):
            found.append(Finding(TAMPERED, commit.place, "the commit's copies differ"))
    place = commit.place + 2 * COMMIT_FRAME
    mark = bytes(archive.data[place : place + 32])
    if len(mark) < 32:
        found.append(Finding(TRUNCATED, place, "the file ends inside the session's end"))
    elif zlib.crc32(mark[:28]) != number(mark, 28, 4):
        found.append(Finding(DAMAGED, place, "end mark damaged"))
    elif mark[:28] != END_MAGIC + struct.pack("<QQ", commit.place, commit.number) + archive.aid[:4]:
        found.append(Finding(TAMPERED, place, "end mark of another commit"))
    return found


def whole_items(archive):
    """How many items with all of their value stand in an archive without a COMMIT."""
    count, place, waiting = 0, archive.two_s, False
    while place < len(archive.data):
        try:
            frame = archive.frame(place)
            if frame.header.type == ITEM and frame.code == 0:
                waiting = Item(frame, archive.two_s, None).has_value
                count += not waiting
            elif frame.header.type == VALUE and waiting and frame.code & 1:
                waiting, count = False, count + 1
            place = frame.header.end
        except Finding as finding:
            if finding.status == TRUNCATED:
                break
            waiting, place = False, place + 16
    return count
