"""The live items without the index: the section "By a scan", and what `verify` adds to it."""

from .chain import sessions
from .frames import FrameHeader, Item, check_void
from .primitives import (
    COMMIT,
    DAMAGED,
    FRAME_MAGIC,
    ITEM,
    TAMPERED,
    TRUNCATED,
    UNKNOWN_LENGTH,
    VALUE,
    VOID,
    Finding,
)


def scan(archive, verify=False, values=True):
    """The live items by reading everything: (items by place, whether every frame opened).

    Without `values` no VALUE is opened, only counted. What its header says may then be wrong: behind
    an ITEM whose length is not known, items of older sessions have `listed_only` set.
    """
    live, replaced, extents, voids = {}, set(), [], []
    everything, failures = {}, []
    uncertain = False
    for session in sessions(archive):
        own, gone = [], []
        for kind, thing in session_frames(archive, session, extents, verify, values):
            if kind == "item":
                own.append(thing)
                if thing.tombstone:
                    gone.extend(thing.extents)
            elif kind == "void":
                voids.append(thing)
            else:
                if kind == "lost":
                    failures.append(thing.place)
                archive.note(thing)
        seen = set()
        for item in own:
            everything[item.place] = item
            if item.uuid in seen:
                archive.note(Finding(TAMPERED, item.place, "an item twice in one session"))
            seen.add(item.uuid)
            dead = item.place in replaced or any(a <= item.place < b for a, b in extents)
            if not item.tombstone and not dead:
                live[item.place] = item
                item.listed_only = uncertain
        replaced.update(item.replaced for item in own if item.replaced)
        extents.extend(gone)
        uncertain |= not values and any(item.length == UNKNOWN_LENGTH for item in own)
    for place in voids:
        if not any(a <= place < b for a, b in extents):
            lost = any(p > place and may_be_item(archive, p) for p in failures)
            archive.note(
                Finding(DAMAGED if lost else TAMPERED, place, "a void that nothing explains")
            )
    if verify:
        check_history(archive, everything, extents)
    return live, not failures


def session_frames(archive, session, extents, verify, values):
    """Yields ("item", Item), ("void", place), and findings for one session.

    A finding is "lost" when the frame may have been an ITEM, "broken" when only a value is.
    """
    place, sequence, segment = session.first, 0, session.segment
    gap = False  # after a lost header or an extent any higher sequence may follow
    orphans = False  # after a lost ITEM its VALUEs have no owner
    item, chunk, total = None, 0, 0  # the ITEM whose VALUEs are awaited
    while place < session.end:
        inside = next((e for e in extents if e[0] <= place < e[1]), None)
        if inside:
            if verify:
                check_extent(archive, place, min(inside[1], session.end))
            place, gap, orphans, item = inside[1], True, True, None
            continue
        try:
            h = FrameHeader(archive.data, place)
        except Finding as finding:
            yield "lost", finding
            place = resume(archive, place, session.end, segment, sequence)
            gap, orphans, item = True, True, None
            continue
        frame = None
        try:
            if h.end > session.end:
                raise Finding(TAMPERED, place, "frame reaches behind its session")
            if segment is not None and h.segment != segment:
                raise Finding(TAMPERED, place, "frame of another session")
            if h.sequence < sequence or h.sequence != sequence and not gap:
                raise Finding(TAMPERED, place, "frame out of sequence")
            sequence, gap = h.sequence + 1, False
            if h.type == VOID:
                check_void(archive.data, h)
                yield "void", place
                place, orphans, item = h.end, True, None
                continue
            if h.type == COMMIT:
                raise Finding(TAMPERED, place, "a commit inside a session")
            if h.type == VALUE and not values:
                chunk += 1
                if item is None and not orphans:
                    raise Finding(TAMPERED, place, "value without an item")
                if item is not None and chunk == item.chunks:
                    item = None
                place = h.end
                continue
            frame = archive.frame(place, limit=session.end)
            segment = h.segment
            if verify and not frame.check_holds:
                archive.note(Finding(DAMAGED, place, "body check differs"))
            if h.type == VALUE:
                if item is None and not orphans:
                    raise Finding(TAMPERED, place, "value without an item")
                if item is not None:
                    total += len(archive.raw(frame, chunk))
                    chunk += 1
                    if frame.code & 1:
                        archive.check_total(item, total)
                        item = None
            else:
                if item is not None:
                    owner, item = item, None
                    if values:
                        yield "broken", Finding(TAMPERED, owner.place, "its value has no end")
                    elif owner.chunks or not chunk:
                        yield "lost", Finding(TAMPERED, owner.place, "its value is not all there")
                orphans = False
                if h.type == ITEM:
                    parsed = Item(frame, archive.two_s, session.first)
                    yield "item", parsed
                    if parsed.has_value:
                        item, chunk, total = parsed, 0, 0
            place = h.end
        except Finding as finding:
            yield "broken" if frame is not None and h.type == VALUE else "lost", finding
            place, orphans, item = min(h.end, session.end), True, None
    if item is not None and values:
        yield "broken", Finding(TAMPERED, item.place, "its value has no end")
    elif item is not None and (item.chunks or not chunk):
        yield "lost", Finding(TAMPERED, item.place, "its value is not all there")
    if session.commit is not None and not gap and sequence != session.sequence:
        yield "lost", Finding(TAMPERED, session.end, "commit out of sequence")


def resume(archive, place, end, segment, sequence):
    """Where a scan goes on after a frame header that could not be read."""
    while True:
        place = archive.data.find(FRAME_MAGIC, place + 1, end)
        if place < 0:
            return end
        try:
            h = FrameHeader(archive.data, place)
        except Finding:
            continue
        if place % 16 == 0 and segment in (None, h.segment) and h.sequence > sequence:
            return place


def may_be_item(archive, place):
    """Whether the frame at a place, which did not open, may have been an ITEM."""
    try:
        return FrameHeader(archive.data, place).type == ITEM
    except Finding:
        return True


def check_extent(archive, place, end):
    """verify: an extent covers whole frames, each of them VOID, or the shred is unfinished."""
    while place < end:
        try:
            h = FrameHeader(archive.data, place)
        except Finding:
            archive.note(Finding(TRUNCATED, place, "an unfinished shred"))
            return
        if h.end > end:
            archive.note(Finding(TAMPERED, place, "an extent ends inside a frame"))
            return
        try:
            if h.type != VOID:
                raise Finding(TAMPERED, place, "not void")
            check_void(archive.data, h)
        except Finding:
            archive.note(Finding(TRUNCATED, place, "an unfinished shred"))
        place = h.end


def check_history(archive, everything, extents):
    """verify: what replaces what, and that no uuid comes back after its tombstone."""
    buried, replaced = set(), set()
    for place in sorted(everything):
        item = everything[place]
        if item.uuid in buried:
            archive.note(Finding(TAMPERED, place, "an item after its tombstone"))
        if item.tombstone:
            buried.add(item.uuid)
        if item.replaced in replaced:
            archive.note(Finding(TAMPERED, place, "replaces what was replaced before"))
        replaced.update([item.replaced] if item.replaced else [])
        old = everything.get(item.replaced)
        if (
            item.replaced
            and old is not None
            and (old.uuid != item.uuid or old.revision >= item.revision or old.tombstone)
        ):
            archive.note(Finding(TAMPERED, place, "replaces what is not an earlier revision of it"))
        if (
            item.replaced
            and old is None
            and not archive.findings
            and not any(a <= item.replaced < b for a, b in extents)
        ):
            archive.note(Finding(TAMPERED, place, "replaces what is no item"))
