"""Header copies: finding, judging and opening them: the section "Header"."""

import hashlib
import hmac

from .primitives import (
    DAMAGED,
    FRAME_MAGIC,
    HEADER_MAGIC,
    HEADER_SIZES,
    LIMIT,
    NOT_FOUND,
    TAMPERED,
    TRUNCATED,
    UNSUPPORTED,
    WRONG_CREDENTIAL,
    Finding,
    H,
    L,
    X,
    number,
    opened,
)
from .slots import kdf_cost, slot_keys, slots_of


class Header:
    """One sound header copy: its checksum holds and its S is allowed."""

    def __init__(self, data, place):
        self.place, self.size = place, number(data, place + 24, 4)
        self.bytes = bytes(data[place : place + self.size])
        self.aid, self.sequence = self.bytes[32:48], number(self.bytes, 48, 8)
        self.commitment = self.bytes[64:96]

    @staticmethod
    def at(data, place):
        """The copy at a place, or None when it isn't sound."""
        if data[place : place + 8] != HEADER_MAGIC or len(data) < place + 4096:
            return None
        size = number(data, place + 24, 4)
        if size not in HEADER_SIZES or len(data) < place + size or place not in (0, size):
            return None
        copy = bytes(data[place : place + size])
        if hashlib.sha256(copy[:-32]).digest() != copy[-32:]:
            return None
        return Header(data, place)

    def slots(self):
        """Checks the copy's fields (step 1) and gives its slots."""
        b, area = self.bytes, number(self.bytes, 28, 4)
        if number(b, 8, 2) != 1:
            raise Finding(UNSUPPORTED, self.place, "major version %d" % number(b, 8, 2))
        if number(b, 12, 4):
            raise Finding(UNSUPPORTED, self.place, "incompatible features %#x" % number(b, 12, 4))
        if any(b[56:64]) or self.sequence == 0 or area > self.size - 160:
            raise Finding(TAMPERED, self.place, "header fields out of bounds")
        if any(b[96 + area : -64]):
            raise Finding(TAMPERED, self.place, "bytes behind the slots are not zero")
        return slots_of(b[96 : 96 + area], self.place)

    def mac_holds(self, fk):
        good = H(X(fk, L("header") + self.aid, 32), self.bytes[:-64])
        return hmac.compare_digest(good, self.bytes[-64:-32])

    def open(self, credentials, limits, tried):
        """The file key. `tried` remembers derivations between copies with equal slots."""
        pairs = [(s, c) for s in self.slots() for c in credentials.fitting(s)]
        costs = [kdf_cost(s, self.place) for s, _ in pairs if s[0] == 1]
        units, memory = sum(u for u, _ in costs), max([m for _, m in costs], default=0)
        if units > limits[0] << 20:
            raise Finding(
                LIMIT,
                self.place,
                "key derivation needs %d units, the limit is %d "
                "(--kdf-max-time)" % (-(-units >> 20), limits[0]),
            )
        if memory > limits[1]:
            raise Finding(
                LIMIT,
                self.place,
                "key derivation needs %d bytes, the limit is %d "
                "(--kdf-max-memory)" % (memory, limits[1]),
            )
        pairs.sort(key=lambda pair: kdf_cost(pair[0], self.place)[0] if pair[0][0] == 1 else 0)
        for slot, credential in pairs:
            question = (self.aid, slot, credential)
            if question not in tried:
                tried[question] = slot_keys(slot, self.aid, credential)
            keys = tried[question]
            if keys is None or not hmac.compare_digest(keys[1], slot[56:88]):
                continue
            fk = opened(
                keys[0],
                bytes(12),
                slot[88:136],
                L("wrap") + self.aid + self.bytes[8:10] + slot[:88],
            )
            if fk is None:
                raise Finding(TAMPERED, self.place, "the wrapped file key does not open")
            if not hmac.compare_digest(X(fk, L("commit") + self.aid, 32), self.commitment):
                raise Finding(TAMPERED, self.place, "the file key is not the header's")
            if not self.mac_holds(fk):
                raise Finding(TAMPERED, self.place, "the header's MAC fails")
            return fk
        raise Finding(WRONG_CREDENTIAL, self.place, "no credential opens any of the slots")


def header_copies(data):
    """The sound copies, copy A first; raises when there is none or the file ends before 2S."""
    first = Header.at(data, 0)
    places = [first.size] if first else HEADER_SIZES
    second = next(filter(None, (Header.at(data, p) for p in places)), None)
    if first and len(data) < 2 * first.size:
        raise Finding(TRUNCATED, len(data), "the file ends inside its header: 0 items")
    if first or second:
        return [copy for copy in (first, second) if copy]
    if len(data) < 8 or (
        all(data[p : p + 8] != HEADER_MAGIC for p in [0] + HEADER_SIZES)
        and all(data[2 * p : 2 * p + 4] != FRAME_MAGIC for p in HEADER_SIZES)
    ):
        raise Finding(NOT_FOUND, 0, "not a kcarchive file")
    size = number(data, 24, 4) if len(data) >= 28 else 0
    if data[:8] == HEADER_MAGIC and (
        len(data) < 8192 or (size in HEADER_SIZES and len(data) < 2 * size)
    ):
        raise Finding(TRUNCATED, len(data), "the file ends inside its header: 0 items")
    raise Finding(DAMAGED, 0, "both header copies are damaged")


def spare_finding(archive, copies):
    """What is wrong with the header copy that was not opened, or None. Sets archive.forked."""
    header, fk = archive.header, archive.fk
    spare = next((copy for copy in copies if copy is not header), None)
    archive.forked = False
    if spare is None:
        return Finding(DAMAGED, header.size - header.place, "header copy damaged")
    if spare.bytes == header.bytes:
        return None
    if (spare.aid, spare.commitment) != (header.aid, header.commitment) or not spare.mac_holds(fk):
        return Finding(TAMPERED, spare.place, "header copy: its MAC fails")
    if spare.sequence != header.sequence:
        return Finding(TRUNCATED, spare.place, "an unfinished change of the header")
    archive.forked = True
    return Finding(TAMPERED, spare.place, "two headers of one sequence")
