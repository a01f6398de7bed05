"""The sessions of an archive, newest first, and commits that a user requires."""

import hashlib
import struct
import zlib

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .frames import Session
from .primitives import COMMIT, COMMIT_FRAME, FRAME_MAGIC, ROLLBACK, TAMPERED, Finding, body_check
from .state import newest_commit


def sessions(archive, limit=0):
    """All sessions, newest first, following `previous`; notes what does not fit."""
    commit, segment, found = archive.commit, archive.segment, []
    sequence = archive.commit_sequence
    while True:
        found.append(Session(commit.first, commit.place, commit, segment, sequence))
        if commit.previous == 0 or commit.number <= limit:
            return found
        newer, place = commit, commit.previous
        older, problems = None, []
        for code in (0, 1):
            try:
                older = archive.commit_at(place + code * COMMIT_FRAME)
                break
            except Finding as finding:
                problems.append(finding)
        if older is None:
            for problem in problems:
                archive.note(problem)
            below = newest_commit(archive, place)
            first = below[0].end if below else archive.two_s
            found.append(Session(first, place, None, None, None))
            if below is None:
                return found
            commit, segment = below[0], below[1].header.segment
            sequence = below[1].header.sequence - below[1].code
            continue
        commit, frame = older
        segment, sequence = frame.header.segment, frame.header.sequence - frame.code
        try:
            commit.check(sequence, archive.two_s)
            if (
                commit.number + 1 != newer.number
                or commit.place != place
                or commit_hash(archive, commit, frame) != newer.previous_hash
            ):
                raise Finding(TAMPERED, place, "the chain of commits does not fit")
            if any(s.segment == segment for s in found):
                raise Finding(TAMPERED, place, "a session with the segment of another one")
        except Finding as finding:
            archive.note(finding)
            if commit.place != place or commit.first > place:
                return found


def commit_hash(archive, commit, frame):
    """SHA-256 of copy 1, which is sealed again when only copy 2 opened."""
    if frame.code == 0:
        start = frame.header.place
        return hashlib.sha256(bytes(archive.data[start : start + COMMIT_FRAME])).digest()
    sequence = frame.header.sequence - 1
    aad = FRAME_MAGIC + b"\x04\xd0\0\0" + struct.pack("<I", sequence) + frame.header.segment
    plain = struct.pack("<IB3x", 132, 0) + frame.content
    key, base = archive.keys(COMMIT, frame.header.segment)
    nonce = base[:8] + bytes(a ^ b for a, b in zip(base[8:], struct.pack("<I", sequence)))
    sealed = AESGCM(key).encrypt(nonce, plain.ljust(192, b"\0"), aad)
    head = aad + struct.pack("<I", body_check(sealed))
    return hashlib.sha256(head + struct.pack("<I", zlib.crc32(head)) + sealed).digest()


def require_commit(archive, wanted, prefix):
    """--require-commit: raises 17 when commit `wanted` isn't in the chain with that hash."""
    chain = sessions(archive, limit=wanted)
    for finding in archive.findings:
        if finding.status == TAMPERED:
            raise finding
    for session in chain:
        commit = session.commit
        if commit is None:
            break
        found = None
        if commit.number == wanted:
            for code in (0, 1):
                try:
                    found = commit_hash(
                        archive, *archive.commit_at(commit.place + code * COMMIT_FRAME)
                    )
                    break
                except Finding:
                    pass
        elif commit.number == wanted + 1 and commit.previous == 0:
            found = commit.previous_hash
        if found is not None:
            if found.hex().startswith(prefix):
                return
            raise Finding(ROLLBACK, commit.place, "commit %d has another hash" % wanted)
    raise Finding(
        ROLLBACK,
        archive.commit.place,
        "commit %d is not in this archive, the newest is %d" % (wanted, archive.commit.number),
    )
