"""Opening an archive, its live items, and verifying it: the sections "Reading" and "Verifying"."""

from .archive import Archive
from .chain import require_commit, sessions
from .frames import Item
from .header import header_copies, spare_finding
from .primitives import (
    DAMAGED,
    ITEM,
    LIMIT,
    ROLLBACK,
    TAMPERED,
    TRUNCATED,
    UNSUPPORTED,
    WRONG_CREDENTIAL,
    Finding,
)
from .scan import scan
from .slots import slot_label
from .state import commit_parts, find_state, newest_commit, tail_finding


def open_archive(data, credentials, limits, accept_old_header=False, require=None):
    """Opens an archive: (Archive with its state, the sound header copies). Raises Finding."""
    copies = header_copies(data)
    copies.sort(key=lambda copy: -copy.sequence)
    outcomes, candidates, tried = [], [], {}
    different = len({(copy.aid, copy.commitment) for copy in copies}) > 1
    for copy in copies:
        try:
            archive = Archive(data, copy, copy.open(credentials, limits, tried))
            candidates.append(archive)
            if not different or newest_commit(archive, len(data)):
                candidates = [archive]
                break
        except Finding as finding:
            outcomes.append(finding)
    if not candidates:
        order = [TAMPERED, UNSUPPORTED, LIMIT, WRONG_CREDENTIAL]
        raise min(outcomes, key=lambda finding: order.index(finding.status))
    archive = candidates[0]
    spare = spare_finding(archive, copies)
    if spare and spare.status == TAMPERED and archive.forked:
        raise spare
    archive.warnings.extend([spare] if spare else [])
    find_state(archive)
    if archive.commit.header_sequence > archive.header.sequence and not accept_old_header:
        raise Finding(
            ROLLBACK,
            archive.header.place,
            "header %d is older than the newest commit's %d"
            % (archive.header.sequence, archive.commit.header_sequence),
        )
    if require:
        require_commit(archive, *require)
    return archive, copies


def items(archive, by_scan, pipe=False, values=True):
    """The live items, in the order of their places. Without `values` a scan opens no VALUE."""
    if archive.commit.end > len(archive.data):
        missing = Finding(TRUNCATED, len(archive.data), "the file ends inside the session's end")
        (archive.findings if pipe else archive.warnings).append(missing)
    else:
        archive.warnings.extend(commit_parts(archive, archive.commit))
    if len(archive.data) > archive.commit.end:
        tail = tail_finding(archive, archive.commit.end)
        (archive.warnings if tail.status == TRUNCATED and not pipe else archive.findings).append(
            tail
        )
    if not by_scan:
        entries, lost = archive.index(archive.commit)
        if not lost:
            return listed(archive, entries)
        for finding in lost:
            archive.note(finding)
    live, complete = scan(archive, values=values)
    if complete and not by_scan:
        complete = not lost
    doubtful = {place for place in live if not complete or live[place].listed_only}
    if not doubtful:
        return [live[place] for place in sorted(live)]
    entries, lost = archive.index(archive.commit)
    places = {entry[1] for entry in entries}
    if not lost:
        return [live[place] for place in sorted(live) if place in places or place not in doubtful]
    archive.note(
        Finding(DAMAGED, archive.commit.root_place, "index incomplete: items may be outdated")
    )
    for place, item in live.items():
        item.outdated = place in doubtful and place not in places
    return [live[place] for place in sorted(live)]


def listed(archive, entries):
    items = []
    for token, place, segment, sequence in sorted(entries, key=lambda entry: entry[1]):
        try:
            frame = archive.frame(place, ITEM, segment, sequence, archive.commit.place)
            item = Item(frame, archive.two_s, place)
            if item.token != token or item.tombstone:
                raise Finding(TAMPERED, place, "not the item of its index entry")
            items.append(item)
        except Finding as finding:
            archive.note(finding)
    return items


def verify(archive, copies):
    """Checks everything; findings are in archive.findings."""
    spare = spare_finding(archive, copies)
    if spare:
        archive.note(spare)
    for slot in archive.header.slots():
        if slot[0] <= 4 and slot_label(slot, archive.aid, archive.fk) is None:
            finding = Finding(TAMPERED, archive.header.place, "the label of a slot does not open")
            archive.note(finding)
    if len(archive.data) > archive.commit.end:
        archive.note(tail_finding(archive, archive.commit.end))
    for session in sessions(archive):
        if session.commit is not None:
            for finding in commit_parts(archive, session.commit):
                archive.note(finding)
    live, complete = scan(archive, verify=True)
    entries, lost = archive.index(archive.commit)
    for finding in lost:
        archive.note(finding)
    if complete and not lost:
        index = {(e[0], e[1], e[2], e[3]) for e in entries}
        if index != {(i.token, i.place, i.segment, i.sequence) for i in live.values()}:
            archive.note(Finding(TAMPERED, archive.commit.root_place, "index and items differ"))
        if len(entries) != archive.commit.live_items:
            archive.note(Finding(TAMPERED, archive.commit.place, "commit counts other items"))
