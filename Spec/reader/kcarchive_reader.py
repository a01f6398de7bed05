#!/usr/bin/env python3
"""A reader of kcarchive files, written from Spec/container.md alone.

It exists to prove that the text suffices, and to judge test vectors beside the product: nothing here
was taken from the product's sources. It keeps the whole archive and one value at a time in memory.

    kcarchive_reader.py ARCHIVE              every live item with its value, a JSON object a line
    kcarchive_reader.py --scan ARCHIVE       the same without the index, as from a pipe ("-" is one)
    kcarchive_reader.py --verify ARCHIVE     every finding, a JSON object a line

Warnings and errors go to standard error; the exit status is that of Spec/container.md, "Findings".
"""

import argparse
import base64
import datetime
import decimal
import hashlib
import hmac
import json
import os
import struct
import sys
import unicodedata
import zlib

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

FAILED, USAGE, TRUNCATED, NOT_FOUND = 1, 2, 4, 10
WRONG_CREDENTIAL, DAMAGED, TAMPERED, UNSUPPORTED, LIMIT, ROLLBACK = 12, 13, 14, 15, 16, 17

HEADER_MAGIC = bytes.fromhex("894b43410d0a1a0a")
HEADER_SIZES = [4096 << k for k in range(7)]
FRAME_MAGIC = b"KCF1"
END_MAGIC = b"KCAEND\r\n"
ITEM, VALUE, INDEX, COMMIT, VOID = 1, 2, 3, 4, 5
CHUNK = (1 << 20) - 8
COMMIT_FRAME, SESSION_END = 240, 512
UNKNOWN_LENGTH = (1 << 64) - 1
MAX_PLACE = (1 << 63) - 1


class Finding(Exception):
    """Something wrong: an exit status, the place in the file where it was seen, and what it is."""

    def __init__(self, status, place, reason):
        super().__init__(reason)
        self.status, self.place, self.reason = status, place, reason


def worst(statuses):
    """The status that stands for many: 14 before 13 before 4 before nothing."""
    return next((s for s in (TAMPERED, DAMAGED, TRUNCATED) if s in statuses), 0)


# Primitives

def L(text):
    return b"kcarchive/1 " + text.encode() + b"\0"


def H(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def X(prk, info, length):
    out, block, counter = b"", b"", 1
    while len(out) < length:
        block = H(prk, block + info + bytes([counter]))
        out, counter = out + block, counter + 1
    return out[:length]


def opened(key, nonce, sealed, aad):
    """The plaintext, or None when the tag fails."""
    try:
        return AESGCM(key).decrypt(nonce, bytes(sealed), bytes(aad))
    except InvalidTag:
        return None


def number(data, offset, size):
    return int.from_bytes(data[offset:offset + size], "little")


def padded(x):
    e = x.bit_length() - 1
    step = 1 << (e - e.bit_length())
    padme = (x + step - 1) // step * step
    return max(64, (padme + 63) // 64 * 64)


def body_check(sealed):
    words = struct.unpack("<%dI" % (len(sealed) // 4), sealed)
    return sum((2 * i + 1) * w for i, w in enumerate(words)) & 0xFFFFFFFF


# Credentials

class Credentials:
    def __init__(self):
        self.passphrases, self.mixed_key_files, self.key_files = [], [], []
        self.identities, self.recovery_codes = [], []

    def fitting(self, slot):
        """What can be tried on a slot: tuples whose first element names the input of the derivation."""
        kind = slot[0]
        if kind == 1:
            for passphrase in self.passphrases:
                if slot[1] & 2:
                    try:
                        passphrase = unicodedata.normalize("NFC", passphrase.decode()).encode()
                    except UnicodeDecodeError:
                        continue
                if slot[1] & 1:
                    for key_file in self.mixed_key_files:
                        yield "passphrase", passphrase, key_file
                else:
                    yield "passphrase", passphrase, None
        elif kind == 2:
            for identity in self.identities:
                yield "identity", identity, None
        elif kind == 3:
            for code in self.recovery_codes:
                yield "recovery code", code, None
        elif kind == 4:
            for key_file in self.key_files:
                yield "key file", key_file, None


def without_newline(text):
    return text[:-2] if text.endswith(b"\r\n") else text[:-1] if text.endswith(b"\n") else text


def recovery_code(text):
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    symbols = text.upper().translate(str.maketrans("ILO", "110", "- \t\r\n"))
    if len(symbols) != 30 or any(c not in alphabet for c in symbols):
        raise Finding(USAGE, None, "a recovery code has 30 letters and digits")
    bits = 0
    for symbol in symbols:
        bits = bits << 5 | alphabet.index(symbol)
    code = (bits >> 22).to_bytes(16, "big")
    check = int.from_bytes(hashlib.sha256(L("recovery code") + code).digest()[:3], "big") >> 4
    if bits & 0x3FFFFF != check:  # two padding bits and twenty of the check
        raise Finding(USAGE, None, "the recovery code is mistyped")
    return code


def age_identity(text):
    """The 32 bytes of AGE-SECRET-KEY-1…: Bech32 of BIP 173, without its limit of length."""
    alphabet, generator = "qpzry9x8gf2tvdw0s3jn54khce6mua7l", [
        0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]
    prefix, _, rest = text.rpartition("1")
    if prefix != "AGE-SECRET-KEY-" or rest != rest.upper():
        raise Finding(UNSUPPORTED, None, "only AGE-SECRET-KEY-1… identities are supported")
    values = [alphabet.find(c) for c in rest.lower()]
    check = 1
    low = prefix.lower()
    for v in [ord(c) >> 5 for c in low] + [0] + [ord(c) & 31 for c in low] + values:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ max(v, 0)
        for i in range(5):
            check ^= generator[i] if top >> i & 1 else 0
    if -1 in values or check != 1 or len(values) != 52 + 6:
        raise Finding(USAGE, None, "the identity is mistyped")
    bits = 0
    for v in values[:52]:
        bits = bits << 5 | v
    if bits & 15:
        raise Finding(USAGE, None, "the identity is mistyped")
    return (bits >> 4).to_bytes(32, "big")


# Slots

def kdf_cost(slot, place):
    """Units (times 2^20, so that sums are exact) and bytes of memory; checks the format's bounds."""
    kdf, a, b, c = slot[8], number(slot, 12, 4), number(slot, 16, 4), number(slot, 20, 4)
    if kdf == 1:
        fits = 1 <= b <= 64 and 1 <= c <= 16 and 8 * c <= a <= 4 << 20
        cost = (a * b << 10, a << 10)
    elif kdf == 2:
        fits = 1 <= a <= 24 and 1 <= b <= 32 and 1 <= c <= 16 and 128 * b << a <= 1 << 32
        cost = (256 * b * c << a, 128 * b << a) if fits else None
    elif kdf == 3:
        if b or c:
            raise Finding(TAMPERED, place, "slot: PBKDF2 has one parameter")
        fits, cost = 1 <= a <= 100_000_000, (a << 9, 0)
    else:
        raise Finding(UNSUPPORTED, place, "slot: unknown key derivation %d" % kdf)
    if not fits:
        raise Finding(LIMIT, place, "slot: key derivation %d with %d, %d, %d is outside the format's "
                      "bounds" % (kdf, a, b, c))
    return cost


def kdf(slot, secret):
    a, b, c, salt = number(slot, 12, 4), number(slot, 16, 4), number(slot, 20, 4), slot[24:56]
    if slot[8] == 1:
        return hash_secret_raw(secret, salt, b, a, c, 32, Type.ID, 0x13)
    if slot[8] == 2:
        return Scrypt(salt=salt, length=32, n=1 << a, r=b, p=c).derive(secret)
    return PBKDF2HMAC(algorithm=hashes.SHA256(), length=32, salt=salt, iterations=a).derive(secret)


def slot_keys(slot, aid, credential):
    """KEK and commitment that a credential gives for a slot, or None."""
    form, secret, mixed = credential
    salt = slot[24:56]
    if form == "passphrase":
        message = struct.pack("<I", len(secret)) + secret
        if mixed is not None:
            message += H(L("key file"), mixed)
        ikm = kdf(slot, H(L("passphrase"), message))
    elif form == "identity":
        key = X25519PrivateKey.from_private_bytes(secret)
        try:
            ikm = key.exchange(X25519PublicKey.from_public_bytes(salt))
        except ValueError:  # the all-zero result
            return None
        salt = salt + key.public_key().public_bytes_raw()
    elif form == "recovery code":
        ikm = secret
    else:
        ikm = H(L("key file"), secret)
    keys = X(H(salt, ikm), L("slot") + aid + slot[:1], 64)
    return keys[:32], keys[32:]


def slots_of(area, place):
    """The slots of a header copy, each checked as far as that goes without a key."""
    slots, ids, offset = [], set(), 0
    while offset < len(area):
        if len(area) - offset < 8:
            raise Finding(TAMPERED, place, "slot area ends inside a slot")
        kind, flags, length, identity = struct.unpack_from("<BBHI", area, offset)
        slot = area[offset:offset + length]
        if kind == 0 or length % 8 or not 8 <= length <= 1024 or len(slot) != length:
            raise Finding(TAMPERED, place, "slot with kind %d and length %d" % (kind, length))
        if identity == 0 or identity in ids:
            raise Finding(TAMPERED, place, "slot id %d is zero or not unique" % identity)
        ids.add(identity)
        slots.append(slot)
        offset += length
        if len(slots) > 64:
            raise Finding(LIMIT, place, "more than 64 slots")
        if kind > 4:
            continue
        if length != 184 or any(slot[9:12]) or flags & ~(3 if kind == 1 else 0):
            raise Finding(TAMPERED, place, "slot %d breaks the layout of its kind" % identity)
        if kind == 1:
            kdf_cost(slot, place)
        elif any(slot[8:24]):
            raise Finding(TAMPERED, place, "slot %d has a key derivation" % identity)
    if not slots:
        raise Finding(TAMPERED, place, "header without slots")
    return slots


# Header

class Header:
    """One sound header copy: its checksum holds and its S is allowed."""

    def __init__(self, data, place):
        self.place, self.size = place, number(data, place + 24, 4)
        self.bytes = bytes(data[place:place + self.size])
        self.aid, self.sequence = self.bytes[32:48], number(self.bytes, 48, 8)
        self.commitment = self.bytes[64:96]

    @staticmethod
    def at(data, place):
        """The copy at a place, or None when it isn't sound."""
        if data[place:place + 8] != HEADER_MAGIC or len(data) < place + 4096:
            return None
        size = number(data, place + 24, 4)
        if size not in HEADER_SIZES or len(data) < place + size or place not in (0, size):
            return None
        copy = bytes(data[place:place + size])
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
        if any(b[96 + area:-64]):
            raise Finding(TAMPERED, self.place, "bytes behind the slots are not zero")
        return slots_of(b[96:96 + area], self.place)

    def mac_holds(self, fk):
        good = H(X(fk, L("header") + self.aid, 32), self.bytes[:-64])
        return hmac.compare_digest(good, self.bytes[-64:-32])

    def open(self, credentials, limits, tried):
        """The file key. `tried` remembers derivations between copies with equal slots."""
        pairs = [(s, c) for s in self.slots() for c in credentials.fitting(s)]
        costs = [kdf_cost(s, self.place) for s, _ in pairs if s[0] == 1]
        units, memory = sum(u for u, _ in costs), max([m for _, m in costs], default=0)
        if units > limits[0] << 20:
            raise Finding(LIMIT, self.place, "key derivation needs %d units, the limit is %d "
                          "(--kdf-max-time)" % (-(-units >> 20), limits[0]))
        if memory > limits[1]:
            raise Finding(LIMIT, self.place, "key derivation needs %d bytes, the limit is %d "
                          "(--kdf-max-memory)" % (memory, limits[1]))
        pairs.sort(key=lambda pair: kdf_cost(pair[0], self.place)[0] if pair[0][0] == 1 else 0)
        for slot, credential in pairs:
            question = (self.aid, slot, credential)
            if question not in tried:
                tried[question] = slot_keys(slot, self.aid, credential)
            keys = tried[question]
            if keys is None or not hmac.compare_digest(keys[1], slot[56:88]):
                continue
            fk = opened(keys[0], bytes(12), slot[88:136],
                        L("wrap") + self.aid + self.bytes[8:10] + slot[:88])
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
            all(data[p:p + 8] != HEADER_MAGIC for p in [0] + HEADER_SIZES)
            and all(data[2 * p:2 * p + 4] != FRAME_MAGIC for p in HEADER_SIZES)):
        raise Finding(NOT_FOUND, 0, "not a kcarchive file")
    size = number(data, 24, 4) if len(data) >= 28 else 0
    if data[:8] == HEADER_MAGIC and (
            len(data) < 8192 or (size in HEADER_SIZES and len(data) < 2 * size)):
        raise Finding(TRUNCATED, len(data), "the file ends inside its header: 0 items")
    raise Finding(DAMAGED, 0, "both header copies are damaged")


# Frames

class FrameHeader:
    """The 32 bytes in front of a frame, with magic, CRC-32 and bounds checked."""

    def __init__(self, data, place):
        head = bytes(data[place:place + 32])
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
        self.outdated = False
        require(self.revision >= 1 and self.has_value in (0, 1), "malformed")
        require(self.length <= 1 << 43 or self.length == UNKNOWN_LENGTH, "value length out of bounds")
        require(self.has_value or self.length == 0, "length without a value")
        if self.replaced:
            require(self.revision > 1 and self.replaced % 16 == 0 and two_s <= self.replaced
                    and (first is None or self.replaced < first), "replaces an impossible place")
        if self.tombstone:
            require(self.replaced and not self.has_value, "malformed tombstone")
            require((len(c) - 64) % 16 == 0, "malformed extents")
            for start, length in struct.iter_unpack("<QQ", c[64:]):
                require(start % 16 == 0 and length % 16 == 0 and length and start >= two_s
                        and start + length <= (MAX_PLACE if first is None else first),
                        "extent out of bounds")
                self.extents.append((start, start + length))
            return
        offset, last = 64, b""
        while offset < len(c):
            key = c[offset + 1:offset + 1 + c[offset]]
            offset += 1 + c[offset]
            require(key > last and offset + 5 <= len(c), "attribute keys out of order or cut")
            kind, length = struct.unpack_from("<BI", c, offset)
            require(offset + 5 + length <= len(c), "attribute cut")
            value = c[offset + 5:offset + 5 + length]
            offset += 5 + length
            require(len(value) == {3: 8, 4: 8, 5: 1, 6: 8}.get(kind, len(value)), "attribute length")
            require(kind != 5 or value[0] < 2, "boolean attribute")
            for text in [key] + ([value] if kind == 1 else []):
                try:
                    text.decode()
                except UnicodeDecodeError:
                    require(False, "attribute is not UTF-8")
            self.attributes[key.decode()] = (kind, value)
            last = key
            require(len(self.attributes) <= 1024, "too many attributes")


class Commit:
    """The content of a COMMIT."""

    def __init__(self, place, content):
        (self.number, self.place, self.first, self.previous, self.previous_hash, self.header_sequence,
         self.time, self.live_items, self.live_bytes, self.dead_bytes, self.root_place,
         self.root_segment, self.root_sequence, self.root_level) = struct.unpack(
             "<QQQQ32sQQQQQQ12sIB3x", content)
        self.content, self.found_at = content, place
        self.end = self.place + SESSION_END

    def check(self, sequence, two_s):
        """What can be judged without another frame."""
        c = self
        good = (
            not any(c.content[129:]) and c.number >= 1 and two_s <= c.first <= c.place
            and c.header_sequence >= 1
            and (c.number > 1 or (c.previous == 0 and not any(c.previous_hash)))
            and (c.first == two_s if c.previous == 0
                 else c.previous >= two_s and c.previous % 16 == 0
                 and c.first == c.previous + SESSION_END)
            and (c.root_place == 0) == (c.live_items == 0) and c.root_level <= 5
            and (two_s <= c.root_place < c.place and c.root_place % 16 == 0 if c.live_items
                 else not any(c.content[104:]))
            and (sequence == 0) == (c.first == c.place))
        if not good:
            raise Finding(TAMPERED, c.place, "commit: malformed")


class Session:
    """Bounds of a committed session; commit is None when neither copy of its COMMIT opens."""

    def __init__(self, first, end, commit, segment, sequence):
        self.first, self.end, self.commit = first, end, commit
        self.segment, self.sequence = segment, sequence


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
        if all((f.status, f.place, f.reason) != (finding.status, finding.place, finding.reason)
               for f in self.findings):
            self.findings.append(finding)

    # Frames

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
        sealed = bytes(self.data[place + 32:h.end])
        check_holds = body_check(sealed) == h.check
        key, base = self.keys(h.type, h.segment)
        nonce = base[:8] + bytes(a ^ b for a, b in zip(base[8:], struct.pack("<I", h.sequence)))
        plain = opened(key, nonce, sealed, h.aad)
        if plain is None:
            if check_holds:
                raise Finding(TAMPERED, place, "frame changed since it was written")
            raise Finding(DAMAGED, place, "frame damaged: sealed bytes changed")
        n = number(plain, 0, 4)
        if n > len(plain) - 8 or any(plain[5:8]) or any(plain[8 + n:]) or padded(8 + n) != len(plain):
            raise Finding(TAMPERED, place, "frame malformed")
        code = plain[4]
        if h.type == INDEX and code > 5 or h.type == VALUE and code > 3 \
                or h.type in (ITEM, COMMIT) and code > 1:
            raise Finding(TAMPERED, place, "frame with an unknown code")
        return Frame(h, code, plain[8:8 + n], check_holds)

    def void(self, h):
        """Checks a VOID, whose header stands at h.place."""
        body = bytes(self.data[h.place + 32:h.end])
        if h.check:
            raise Finding(TAMPERED, h.place, "void frame with a body check")
        if any(body):
            raise Finding(DAMAGED if body_check(body) else TAMPERED, h.place, "void frame not empty")

    # The state

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

    def newest_commit(self, below):
        """The newest COMMIT in front of a place that opens where it names itself, or None."""
        place = self.data.rfind(FRAME_MAGIC, self.two_s, below)
        while place >= 0:
            if place % 16 == 0 and self.data[place + 4:place + 8] == b"\x04\xd0\x00\x00":
                try:
                    return self.commit_at(place)
                except Finding:
                    pass
            place = self.data.rfind(FRAME_MAGIC, self.two_s, place + 3)
        return None

    def tail_finding(self, start):
        """The finding for the bytes from a place on that no COMMIT covers."""
        place = self.data.find(HEADER_MAGIC, start)
        while place >= 0:
            if place % 16 == 0:
                return Finding(DAMAGED, place, "another archive begins here")
            place = self.data.find(HEADER_MAGIC, place + 1)
        found = None
        place = self.data.find(FRAME_MAGIC, start)
        while place >= 0:
            finding = self.lost_commit(place, start) if place % 16 == 0 else None
            if finding and (found is None or finding.status > found.status):
                found = finding
            place = self.data.find(FRAME_MAGIC, place + 1)
        return found or Finding(TRUNCATED, start, "%d bytes behind the newest commit: an unfinished "
                                "append" % (len(self.data) - start))

    def lost_commit(self, place, start):
        """The finding for a pair of sound COMMIT headers at a place, or None when there is no pair."""
        try:
            pair = [FrameHeader(self.data, place + i * COMMIT_FRAME) for i in (0, 1)]
        except Finding:
            return None
        if any(h.type != COMMIT or h.sealed != 208 for h in pair) \
                or pair[0].segment != pair[1].segment or pair[0].sequence + 1 != pair[1].sequence:
            return None
        status = DAMAGED
        for h in pair:
            try:
                commit, _ = self.commit_frame(h.place)
                if commit.place < start:
                    return Finding(TAMPERED, place, "an old commit stands here")
            except Finding as finding:
                status = max(status, finding.status)
        return Finding(status, place, "neither copy of this commit opens")

    def commit_parts(self, commit):
        """Findings for the 512 bytes that end a session."""
        found, opened_copies = [], []
        for code in (0, 1):
            place = commit.place + code * COMMIT_FRAME
            try:
                frame = self.commit_at(place)[1]
                if frame.code != code:
                    raise Finding(TAMPERED, place, "commit copies exchanged")
                opened_copies.append(frame)
                if not frame.check_holds:
                    found.append(Finding(DAMAGED, place, "commit copy: body check differs"))
            except Finding as finding:
                found.append(finding)
        if len(opened_copies) == 2:
            one, two = opened_copies
            if one.content != two.content or one.header.segment != two.header.segment \
                    or one.header.sequence + 1 != two.header.sequence:
                found.append(Finding(TAMPERED, commit.place, "the commit's copies differ"))
        place = commit.place + 2 * COMMIT_FRAME
        mark = bytes(self.data[place:place + 32])
        if len(mark) < 32:
            found.append(Finding(TRUNCATED, place, "the file ends inside the session's end"))
        elif zlib.crc32(mark[:28]) != number(mark, 28, 4):
            found.append(Finding(DAMAGED, place, "end mark damaged"))
        elif mark[:28] != END_MAGIC + struct.pack("<QQ", commit.place, commit.number) + self.aid[:4]:
            found.append(Finding(TAMPERED, place, "end mark of another commit"))
        return found

    def find_state(self):
        """Finds the newest COMMIT; without one raises what that means."""
        newest = self.newest_commit(len(self.data))
        if newest is None:
            finding = self.tail_finding(self.two_s)
            if finding.status == TRUNCATED:
                finding.reason = "no commit: %d whole items, none of them committed" \
                    % self.whole_items()
            raise finding
        self.commit, frame = newest
        self.commit_sequence = frame.header.sequence - frame.code
        self.commit.check(self.commit_sequence, self.two_s)
        self.segment = frame.header.segment

    def whole_items(self):
        """How many items with all of their value stand in an archive without a COMMIT."""
        count, place, waiting = 0, self.two_s, False
        while place < len(self.data):
            try:
                frame = self.frame(place)
                if frame.header.type == ITEM and frame.code == 0:
                    waiting = Item(frame, self.two_s, None).has_value
                    count += not waiting
                elif frame.header.type == VALUE and waiting and frame.code & 1:
                    waiting, count = False, count + 1
                place = frame.header.end
            except Finding as finding:
                if finding.status == TRUNCATED:
                    break
                waiting, place = False, place + 16
        return count

    # The index

    def index(self, commit):
        """The leaf entries under a root, and the findings of nodes that could not be read."""
        entries, findings = [], []

        def walk(place, segment, sequence, level, token, above):
            try:
                frame = self.frame(place, INDEX, segment, sequence, above)
                rows = list(struct.iter_unpack("<16sQ12sI", frame.content)) \
                    if len(frame.content) % 40 == 0 else []
                tokens = [row[0] for row in rows]
                if not 1 <= len(rows) <= 409 or frame.code != level or tokens != sorted(tokens) \
                        or (token is not None and tokens[0] != token) \
                        or any(row[1] >= place or row[1] % 16 or row[1] < self.two_s for row in rows):
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
            walk(commit.root_place, commit.root_segment, commit.root_sequence, commit.root_level,
                 None, commit.place)
        return entries, findings

    # Sessions

    def sessions(self, limit=0):
        """All sessions, newest first, following `previous`; notes what does not fit."""
        commit, segment, found = self.commit, self.segment, []
        sequence = self.commit_sequence
        while True:
            found.append(Session(commit.first, commit.place, commit, segment, sequence))
            if commit.previous == 0 or commit.number <= limit:
                return found
            newer, place = commit, commit.previous
            older, problems = None, []
            for code in (0, 1):
                try:
                    older = self.commit_at(place + code * COMMIT_FRAME)
                    break
                except Finding as finding:
                    problems.append(finding)
            if older is None:
                for problem in problems:
                    self.note(problem)
                below = self.newest_commit(place)
                first = below[0].end if below else self.two_s
                found.append(Session(first, place, None, None, None))
                if below is None:
                    return found
                commit, segment = below[0], below[1].header.segment
                sequence = below[1].header.sequence - below[1].code
                continue
            commit, frame = older
            segment, sequence = frame.header.segment, frame.header.sequence - frame.code
            try:
                commit.check(sequence, self.two_s)
                if commit.number + 1 != newer.number or commit.place != place \
                        or self.commit_hash(commit, frame) != newer.previous_hash:
                    raise Finding(TAMPERED, place, "the chain of commits does not fit")
                if any(s.segment == segment for s in found):
                    raise Finding(TAMPERED, place, "a session with the segment of another one")
            except Finding as finding:
                self.note(finding)
                if commit.place != place or commit.first > place:
                    return found

    def commit_hash(self, commit, frame):
        """SHA-256 of copy 1, which is sealed again when only copy 2 opened."""
        if frame.code == 0:
            start = frame.header.place
            return hashlib.sha256(bytes(self.data[start:start + COMMIT_FRAME])).digest()
        sequence = frame.header.sequence - 1
        aad = FRAME_MAGIC + b"\x04\xd0\0\0" + struct.pack("<I", sequence) + frame.header.segment
        plain = struct.pack("<IB3x", 132, 0) + frame.content
        key, base = self.keys(COMMIT, frame.header.segment)
        nonce = base[:8] + bytes(a ^ b for a, b in zip(base[8:], struct.pack("<I", sequence)))
        sealed = AESGCM(key).encrypt(nonce, plain.ljust(192, b"\0"), aad)
        head = aad + struct.pack("<I", body_check(sealed))
        return hashlib.sha256(head + struct.pack("<I", zlib.crc32(head)) + sealed).digest()

    def require_commit(self, wanted, prefix):
        """--require-commit: raises 17 when commit `wanted` isn't in the chain with that hash."""
        sessions = self.sessions(limit=wanted)
        for finding in self.findings:
            if finding.status == TAMPERED:
                raise finding
        for session in sessions:
            commit = session.commit
            if commit is None:
                break
            found = None
            if commit.number == wanted:
                for code in (0, 1):
                    try:
                        found = self.commit_hash(*self.commit_at(commit.place + code * COMMIT_FRAME))
                        break
                    except Finding:
                        pass
            elif commit.number == wanted + 1 and commit.previous == 0:
                found = commit.previous_hash
            if found is not None:
                if found.hex().startswith(prefix):
                    return
                raise Finding(ROLLBACK, commit.place, "commit %d has another hash" % wanted)
        raise Finding(ROLLBACK, self.commit.place, "commit %d is not in this archive, the newest is %d"
                      % (wanted, self.commit.number))

    # Scans

    def scan(self, verify=False):
        """The live items by reading everything: (items by place, whether every frame opened)."""
        live, replaced, extents, voids = {}, set(), [], []
        everything, failures = {}, []
        for session in self.sessions():
            own, gone = [], []
            for kind, thing in self.session_frames(session, extents, verify):
                if kind == "item":
                    own.append(thing)
                    if thing.tombstone:
                        gone.extend(thing.extents)
                elif kind == "void":
                    voids.append(thing)
                else:
                    failures.append(thing.place)
                    self.note(thing)
            seen = set()
            for item in own:
                everything[item.place] = item
                if item.uuid in seen:
                    self.note(Finding(TAMPERED, item.place, "an item twice in one session"))
                seen.add(item.uuid)
                dead = item.place in replaced or any(a <= item.place < b for a, b in extents)
                if not item.tombstone and not dead:
                    live[item.place] = item
            replaced.update(item.replaced for item in own if item.replaced)
            extents.extend(gone)
        for place in voids:
            if not any(a <= place < b for a, b in extents):
                lost = any(p > place for p in failures)
                self.note(Finding(DAMAGED if lost else TAMPERED, place, "a void that nothing explains"))
        if verify:
            self.check_history(everything, extents)
        return live, not failures

    def session_frames(self, session, extents, verify):
        """Yields ("item", Item), ("void", place) and ("failure", Finding) for one session."""
        place, sequence, segment = session.first, 0, session.segment
        gap = False  # after a lost header or an extent any higher sequence may follow
        orphans = False  # after a lost ITEM its VALUEs have no owner
        item, chunk, total = None, 0, 0  # the ITEM whose VALUEs are awaited
        while place < session.end:
            inside = next((e for e in extents if e[0] <= place < e[1]), None)
            if inside:
                if verify:
                    self.check_extent(place, min(inside[1], session.end))
                place, gap, orphans, item = inside[1], True, True, None
                continue
            try:
                h = FrameHeader(self.data, place)
            except Finding as finding:
                yield "failure", finding
                place = self.resume(place, session.end, segment, sequence)
                gap, orphans, item = True, True, None
                continue
            try:
                if h.end > session.end:
                    raise Finding(TAMPERED, place, "frame reaches behind its session")
                if segment is not None and h.segment != segment:
                    raise Finding(TAMPERED, place, "frame of another session")
                if h.sequence < sequence or h.sequence != sequence and not gap:
                    raise Finding(TAMPERED, place, "frame out of sequence")
                sequence, gap = h.sequence + 1, False
                if h.type == VOID:
                    self.void(h)
                    yield "void", place
                    place, orphans, item = h.end, True, None
                    continue
                if h.type == COMMIT:
                    raise Finding(TAMPERED, place, "a commit inside a session")
                frame = self.frame(place, limit=session.end)
                segment = h.segment
                if verify and not frame.check_holds:
                    self.note(Finding(DAMAGED, place, "body check differs"))
                if h.type == VALUE:
                    if item is None and not orphans:
                        raise Finding(TAMPERED, place, "value without an item")
                    if item is not None:
                        total += len(self.raw(frame, chunk))
                        chunk += 1
                        if frame.code & 1:
                            self.check_total(item, total)
                            item = None
                else:
                    if item is not None:
                        owner, item = item, None
                        yield "failure", Finding(TAMPERED, owner.place, "its value has no end")
                    orphans = False
                    if h.type == ITEM:
                        parsed = Item(frame, self.two_s, session.first)
                        yield "item", parsed
                        if parsed.has_value:
                            item, chunk, total = parsed, 0, 0
                place = h.end
            except Finding as finding:
                yield "failure", finding
                place, orphans, item = min(h.end, session.end), True, None
        if item is not None:
            yield "failure", Finding(TAMPERED, item.place, "its value has no end")
        if session.commit is not None and not gap and sequence != session.sequence:
            yield "failure", Finding(TAMPERED, session.end, "commit out of sequence")

    def resume(self, place, end, segment, sequence):
        """Where a scan goes on after a frame header that could not be read."""
        while True:
            place = self.data.find(FRAME_MAGIC, place + 1, end)
            if place < 0:
                return end
            try:
                h = FrameHeader(self.data, place)
            except Finding:
                continue
            if place % 16 == 0 and segment in (None, h.segment) and h.sequence > sequence:
                return place

    def check_extent(self, place, end):
        """verify: everything in an extent is VOID, or the shred is unfinished."""
        while place < end:
            try:
                h = FrameHeader(self.data, place)
                if h.type != VOID or h.end > end:
                    raise Finding(TAMPERED, place, "not void")
                self.void(h)
                place = h.end
            except Finding:
                self.note(Finding(TRUNCATED, place, "an unfinished shred"))
                return

    def check_history(self, everything, extents):
        """verify: what replaces what, and that no uuid comes back after its tombstone."""
        buried, replaced = set(), set()
        for place in sorted(everything):
            item = everything[place]
            if item.uuid in buried:
                self.note(Finding(TAMPERED, place, "an item after its tombstone"))
            if item.tombstone:
                buried.add(item.uuid)
            if item.replaced in replaced:
                self.note(Finding(TAMPERED, place, "replaces what was replaced before"))
            replaced.update([item.replaced] if item.replaced else [])
            old = everything.get(item.replaced)
            if item.replaced and old is not None and (
                    old.uuid != item.uuid or old.revision >= item.revision or old.tombstone):
                self.note(Finding(TAMPERED, place, "replaces what is not an earlier revision of it"))
            if item.replaced and old is None and not self.findings \
                    and not any(a <= item.replaced < b for a, b in extents):
                self.note(Finding(TAMPERED, place, "replaces what is no item"))

    # Values

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
        if len(content) > CHUNK or (not frame.code & 1 and len(content) != CHUNK) \
                or (not content and chunk):
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
            frame = self.frame(place, VALUE, item.segment, item.sequence + 1 + len(parts),
                               self.commit.place)
            parts.append(self.raw(frame, len(parts)))
            total += len(parts[-1])
            if item.length != UNKNOWN_LENGTH and total > item.length:
                self.check_total(item, total)
            if frame.code & 1:
                self.check_total(item, total)
                return b"".join(parts)
            place = frame.header.end

    # What a reader gives

    def items(self, by_scan, pipe=False):
        """The live items, in the order of their places."""
        if self.commit.end > len(self.data):
            missing = Finding(TRUNCATED, len(self.data), "the file ends inside the session's end")
            (self.findings if pipe else self.warnings).append(missing)
        else:
            self.warnings.extend(self.commit_parts(self.commit))
        if len(self.data) > self.commit.end:
            tail = self.tail_finding(self.commit.end)
            (self.warnings if tail.status == TRUNCATED and not pipe else self.findings).append(tail)
        if not by_scan:
            entries, lost = self.index(self.commit)
            if not lost:
                return self.listed(entries)
            for finding in lost:
                self.note(finding)
        live, complete = self.scan()
        if complete and not by_scan:
            complete = not lost
        if complete:
            return [live[place] for place in sorted(live)]
        entries, lost = self.index(self.commit)
        listed = {entry[1] for entry in entries}
        if not lost:
            return [live[place] for place in sorted(live) if place in listed]
        self.note(Finding(DAMAGED, self.commit.root_place, "index incomplete: items may be outdated"))
        for place, item in live.items():
            item.outdated = place not in listed
        return [live[place] for place in sorted(live)]

    def listed(self, entries):
        items = []
        for token, place, segment, sequence in sorted(entries, key=lambda entry: entry[1]):
            try:
                frame = self.frame(place, ITEM, segment, sequence, self.commit.place)
                item = Item(frame, self.two_s, place)
                if item.token != token or item.tombstone:
                    raise Finding(TAMPERED, place, "not the item of its index entry")
                items.append(item)
            except Finding as finding:
                self.note(finding)
        return items

    def verify(self, copies):
        """Checks everything; findings are in self.findings."""
        spare = spare_finding(self, copies)
        if spare:
            self.note(spare)
        if len(self.data) > self.commit.end:
            self.note(self.tail_finding(self.commit.end))
        for session in self.sessions():
            if session.commit is not None:
                for finding in self.commit_parts(session.commit):
                    self.note(finding)
        live, complete = self.scan(verify=True)
        entries, lost = self.index(self.commit)
        for finding in lost:
            self.note(finding)
        if complete and not lost:
            index = {(e[0], e[1], e[2], e[3]) for e in entries}
            if index != {(i.token, i.place, i.segment, i.sequence) for i in live.values()}:
                self.note(Finding(TAMPERED, self.commit.root_place, "index and items differ"))
            if len(entries) != self.commit.live_items:
                self.note(Finding(TAMPERED, self.commit.place, "commit counts other items"))


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
            if not different or archive.newest_commit(len(data)):
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
    archive.find_state()
    if archive.commit.header_sequence > archive.header.sequence and not accept_old_header:
        raise Finding(ROLLBACK, archive.header.place, "header %d is older than the newest commit's %d"
                      % (archive.header.sequence, archive.commit.header_sequence))
    if require:
        archive.require_commit(*require)
    return archive, copies


# Items as JSON (Spec/cli.md)

NAMES = {
    "clas": "class", "cdat": "created", "mdat": "modified", "labl": "label", "alis": "alias",
    "agrp": "accessGroup", "pdmn": "accessible", "accc": "accessControl", "sync": "synchronizable",
    "vwht": "syncViewHint", "tkid": "tokenID", "desc": "description", "icmt": "comment",
    "crtr": "creator", "type": "type", "scrp": "scriptCode", "invi": "isInvisible",
    "nega": "isNegative", "acct": "account", "svce": "service", "gena": "generic",
    "sdmn": "securityDomain", "srvr": "server", "ptcl": "protocol", "atyp": "authenticationType",
    "port": "port", "path": "path", "ctyp": "certificateType", "cenc": "certificateEncoding",
    "subj": "subject", "issr": "issuer", "slnr": "serialNumber", "skid": "subjectKeyID",
    "pkhh": "publicKeyHash", "kcls": "keyClass", "klbl": "applicationLabel",
    "atag": "applicationTag", "bsiz": "keySizeInBits", "esiz": "effectiveKeySize",
    "sdat": "startDate", "edat": "endDate", "perm": "isPermanent", "sens": "isSensitive",
    "extr": "isExtractable", "encr": "canEncrypt", "decr": "canDecrypt", "drve": "canDerive",
    "sign": "canSign", "vrfy": "canVerify", "wrap": "canWrap", "unwp": "canUnwrap",
}


def date_text(seconds):
    """RFC 3339 with as many digits as the number needs; None outside the years 1 to 9999."""
    try:
        exact = decimal.Decimal(repr(seconds))
        whole = int(exact.to_integral_value(decimal.ROUND_FLOOR))
        moment = datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=whole)
    except (OverflowError, ValueError, decimal.InvalidOperation):
        return None
    with decimal.localcontext() as context:
        context.prec = 400
        fraction = format(abs(exact - whole), "f")[1:].rstrip("0").rstrip(".")
    return moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + fraction + "Z"


def attribute_json(kind, value):
    if kind == 1:
        return value.decode()
    if kind == 3:
        return int.from_bytes(value, "little", signed=True)
    if kind == 5:
        return value[0] == 1
    if kind in (4, 6):
        real = struct.unpack("<d", value)[0]
        text = date_text(real) if kind == 4 else None
        if text is not None:
            return text
        if real - real == 0:  # finite
            return real
    plain = {"base64": base64.b64encode(value).decode()}
    return plain if kind == 2 else {"type": kind, **plain}


def item_json(item, value):
    out = {"class": ""}
    for key, (kind, content) in item.attributes.items():
        out[NAMES.get(key, key)] = attribute_json(kind, content)
    if value is not None:
        try:
            text = value.decode()
            plain = all(c in "\t\n\r" or unicodedata.category(c) != "Cc" for c in text)
        except UnicodeDecodeError:
            plain = False
        out["value"] = {"utf8": text} if plain else {"base64": base64.b64encode(value).decode()}
    if item.outdated:
        out["mayBeOutdated"] = True
    return out


# The program

def size_argument(text):
    for suffix, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if text.endswith(suffix):
            return int(text[:-3]) << shift
    return int(text)


def required_commit(text):
    wanted, _, prefix = text.partition(":")
    if prefix and (len(prefix) < 16 or any(c not in "0123456789abcdef" for c in prefix.lower())):
        raise ValueError(text)
    return int(wanted), prefix.lower()


def arguments():
    parser = argparse.ArgumentParser(description="read a kcarchive file")
    parser.add_argument("archive", help="path, or - for standard input")
    parser.add_argument("--key-file", action="append", default=[])
    parser.add_argument("--with-key-file", action="append", default=[])
    parser.add_argument("-i", "--identity", action="append", default=[])
    parser.add_argument("--recovery-code-file", action="append", default=[])
    parser.add_argument("--scan", action="store_true", help="don't use the index, as from a pipe")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--accept-old-header", action="store_true")
    parser.add_argument("--require-commit", type=required_commit)
    parser.add_argument("--kdf-max-time", type=int, default=16384)
    parser.add_argument("--kdf-max-memory", type=size_argument, default=1 << 30)
    return parser.parse_args()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def gather_credentials(options):
    credentials = Credentials()
    environment = os.environb
    if b"KCARCHIVE_PASSPHRASE" in environment:
        credentials.passphrases.append(environment[b"KCARCHIVE_PASSPHRASE"])
    elif b"KCARCHIVE_PASSPHRASE_FILE" in environment:
        credentials.passphrases.append(
            without_newline(read(environment[b"KCARCHIVE_PASSPHRASE_FILE"])))
    credentials.key_files = [read(path) for path in options.key_file]
    credentials.mixed_key_files = [read(path) for path in options.with_key_file]
    for path in options.identity:
        lines = [line.strip() for line in read(path).decode().splitlines()]
        credentials.identities += [age_identity(t) for t in lines if t and not t.startswith("#")]
    for path in options.recovery_code_file:
        credentials.recovery_codes.append(recovery_code(read(path).decode()))
    if b"" in credentials.passphrases:
        raise Finding(USAGE, None, "an empty passphrase")
    if any(len(f) < 32 for f in credentials.key_files + credentials.mixed_key_files):
        raise Finding(USAGE, None, "a key file has at least 32 bytes")
    if not (credentials.passphrases or credentials.key_files or credentials.identities
            or credentials.recovery_codes):
        raise Finding(USAGE, None, "no credential: set KCARCHIVE_PASSPHRASE or give --key-file")
    return credentials


def say(severity, finding):
    where = "" if finding.place is None else " (at %d)" % finding.place
    print("kcarchive_reader: %s: %s%s" % (severity, finding.reason, where), file=sys.stderr)


def main():
    options = arguments()
    try:
        credentials = gather_credentials(options)
        pipe = options.scan or options.archive == "-"
        data = sys.stdin.buffer.read() if options.archive == "-" else read(options.archive)
        archive, copies = open_archive(
            data, credentials, (options.kdf_max_time, options.kdf_max_memory),
            options.accept_old_header, options.require_commit)
    except Finding as finding:
        if options.verify and finding.status in (DAMAGED, TAMPERED, TRUNCATED):
            print(json.dumps({"status": finding.status, "place": finding.place,
                              "reason": finding.reason}))
        say("error", finding)
        return finding.status
    except OSError as error:
        say("error", Finding(NOT_FOUND, None, str(error)))
        return NOT_FOUND if isinstance(error, FileNotFoundError) else FAILED
    if options.verify:
        archive.verify(copies)
        for finding in sorted(archive.findings, key=lambda f: f.place):
            print(json.dumps({"status": finding.status, "place": finding.place,
                              "reason": finding.reason}))
        return worst({f.status for f in archive.findings})
    for item in archive.items(pipe, pipe):
        try:
            print(json.dumps(item_json(item, archive.value(item)), ensure_ascii=False))
        except Finding as finding:
            archive.note(finding)
    for finding in archive.warnings:
        say("warning", finding)
    for finding in archive.findings:
        say("error", finding)
    return worst({f.status for f in archive.findings})


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
