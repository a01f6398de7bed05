"""A small writer of kcarchive files for tests and for the worked example of Spec/container.md.

It takes every random value as an argument, so its archives are the same each time; for that reason
alone it must never be used for anybody's secrets. It shares no code with the reader: where both
misread the Spec in the same way, the worked example's printed values are there to show it.
"""

import hashlib
import hmac
import re
import struct
import zlib

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ITEM, VALUE, INDEX, COMMIT, VOID = range(1, 6)
TEXT, BYTES, INTEGER, DATE, BOOLEAN, REAL, PLIST = range(1, 8)
CHUNK = 2**20 - 8
UNKNOWN = 2**64 - 1


def label(text):
    return ("kcarchive/1 " + text + "\0").encode("ascii")


def mac(key, *parts):
    return hmac.digest(key, b"".join(parts), "sha256")


def expand(key, info, size):
    return HKDFExpand(algorithm=hashes.SHA256(), length=size, info=info).derive(key)


def seal(key, nonce, plaintext, aad):
    return AESGCM(key).encrypt(nonce, plaintext, aad)


def x25519_public(secret):
    key = X25519PrivateKey.from_private_bytes(secret).public_key()
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def padded_size(size):
    exponent = 0
    while 2 ** (exponent + 1) <= size:
        exponent += 1
    digits = 0
    while 2 ** (digits + 1) <= exponent:
        digits += 1
    unit = 2 ** (exponent - digits - 1)
    padme = (size + unit - 1) // unit * unit
    return max(64, (padme + 63) // 64 * 64)


def frame_header(kind, sealed_length, sequence, segment, check):
    head = b"KCF1" + bytes([kind]) + sealed_length.to_bytes(3, "little")
    head += sequence.to_bytes(4, "little") + segment + check.to_bytes(4, "little")
    return head + zlib.crc32(head).to_bytes(4, "little")


def weighted_sum(sealed):
    total, weight = 0, 1
    for (word,) in struct.iter_unpack("<I", sealed):
        total, weight = total + weight * word, weight + 2
    return total % 2**32


def repair(data, place):
    """Makes the unkeyed checks of the frame at a place hold again, in a bytearray."""
    size = int.from_bytes(data[place + 5 : place + 8], "little")
    check = (
        weighted_sum(bytes(data[place + 32 : place + 32 + size])) if data[place + 4] != VOID else 0
    )
    data[place + 24 : place + 28] = check.to_bytes(4, "little")
    data[place + 28 : place + 32] = zlib.crc32(data[place : place + 28]).to_bytes(4, "little")


def repair_header(data, place, size=4096):
    end = place + size
    data[end - 32 : end] = hashlib.sha256(data[place : end - 32]).digest()


# Tokens

S_COLUMNS = "clas acct svce agrp sdmn srvr path vwht tkid ggrp ptcl atyp".split()
D_COLUMNS = "issr slnr klbl atag musr".split()
T_COLUMNS = "sdat edat".split()
TAIL = " agrp sync vwht tkid musr ggrp"
KEYS = {  # class: primary key, lookup key
    "genp": ("acct svce" + TAIL, "acct svce"),
    "inet": ("acct sdmn srvr ptcl atyp port path" + TAIL, "acct srvr"),
    "cert": ("ctyp issr slnr" + TAIL, "issr slnr"),
    "keys": ("kcls klbl atag crtr type bsiz esiz sdat edat" + TAIL, "klbl"),
    "idnt": ("ctyp issr slnr klbl" + TAIL, "issr slnr"),
    "file": ("path", "path"),
}


def field(kind, content):
    return struct.pack("<BI", kind, len(content)) + content


def column(name, attribute):
    if name in S_COLUMNS:
        if attribute is None:
            return field(TEXT, b"")
        kind, content = attribute
        if kind in (TEXT, BYTES):
            return field(TEXT, content)
        if name in ("ptcl", "atyp") and kind == INTEGER and content[4:] == bytes(4):
            letters = content[3::-1].strip(b"\0") if content == bytes(8) else content[3::-1]
            if all(0x20 <= letter <= 0x7E for letter in letters):
                return field(TEXT, letters)
    elif name in D_COLUMNS:
        if attribute is None:
            return field(BYTES, b"")
        kind, content = attribute
        if kind in (TEXT, BYTES):
            return field(BYTES, content)
    elif name in T_COLUMNS:
        if attribute is None:
            return field(DATE, bytes(8))
        kind, content = attribute
        if kind == INTEGER:
            content = struct.pack("<d", float(int.from_bytes(content, "little", signed=True)))
        if kind in (INTEGER, DATE, REAL):
            negative_zero = struct.pack("<d", -0.0)
            return field(DATE, bytes(8) if content == negative_zero else content)
    else:
        if attribute is None:
            return field(INTEGER, bytes(8))
        kind, content = attribute
        if kind in (INTEGER, BOOLEAN):
            return field(INTEGER, content.ljust(8, b"\0"))
        if kind == TEXT and re.fullmatch(rb"0|-?[1-9][0-9]{0,18}", content):
            if -(2**63) <= int(content) < 2**63:
                return field(INTEGER, struct.pack("<q", int(content)))
    return field(kind, content)


def canonical_keys(attributes):
    """Primary and lookup key of {key: (type, bytes)}."""
    kind = attributes.get("clas", (TEXT, b""))[1]
    columns = KEYS.get(kind.decode())
    if columns is None:
        rest = sorted((k.encode(), v) for k, v in attributes.items() if k != "clas")
        named = b"".join(field(TEXT, key) + field(*value) for key, value in rest)
        return field(TEXT, kind) + named, field(TEXT, kind)
    return tuple(
        field(TEXT, kind) + b"".join(column(c, attributes.get(c)) for c in names.split())
        for names in columns
    )


# Slots


def argon2id(m, t, p):
    return 1, m, t, p, lambda secret, salt: hash_secret_raw(secret, salt, t, m, p, 32, Type.ID)


def scrypt(log_n, r, p):
    return (
        2,
        log_n,
        r,
        p,
        lambda secret, salt: Scrypt(salt=salt, length=32, n=2**log_n, r=r, p=p).derive(secret),
    )


def pbkdf2(iterations):
    return (
        3,
        iterations,
        0,
        0,
        lambda secret, salt: PBKDF2HMAC(
            algorithm=hashes.SHA256(), length=32, salt=salt, iterations=iterations
        ).derive(secret),
    )


NO_KDF = 0, 0, 0, 0, None


def key_file_digest(content):
    return mac(label("key file"), content)


class Keys:
    """What follows from the file key."""

    def __init__(self, aid, fk):
        self.aid, self.fk = aid, fk
        self.header, self.commitment, self.meta, self.value, self.token_key = (
            expand(fk, label(name) + aid, 32)
            for name in ("header", "commit", "meta", "value", "token")
        )

    def slot(self, kind, identity, salt, ikm, name="", flags=0, kdf=NO_KDF, extract_salt=None):
        """The 184 bytes of a slot, and the intermediate values by name."""
        code, a, b, c, _ = kdf
        prk = mac(extract_salt or salt, ikm)
        okm = expand(prk, label("slot") + self.aid + bytes([kind]), 64)
        front = struct.pack("<BBHIB3xIII", kind, flags, 184, identity, code, a, b, c)
        front += salt + okm[32:]
        wrapped = seal(okm[:32], bytes(12), self.fk, label("wrap") + self.aid + b"\1\0" + front)
        key = expand(self.fk, label("label") + self.aid + salt, 44)
        sealed = seal(key[:32], key[32:], name.encode().ljust(32, b"\0"), front)
        values = {
            "ikm": ikm,
            "PRK": prk,
            "KEK": okm[:32],
            "commitment": okm[32:],
            "wrapped file key": wrapped,
            "label key": key[:32],
            "label nonce": key[32:],
            "sealed label": sealed,
        }
        return front + wrapped + sealed, values

    def passphrase_slot(self, identity, salt, passphrase, kdf, name="", key_file=None, nfc=True):
        message = len(passphrase).to_bytes(4, "little") + passphrase
        if key_file is not None:
            message += key_file_digest(key_file)
        hashed = mac(label("passphrase"), message)
        slot, values = self.slot(
            1,
            identity,
            salt,
            kdf[4](hashed, salt),
            name,
            flags=(key_file is not None) + 2 * nfc,
            kdf=kdf,
        )
        return slot, {"P'": hashed, **values}

    def recipient_slot(self, identity, ephemeral, recipient, name=""):
        secret = X25519PrivateKey.from_private_bytes(ephemeral)
        public = x25519_public(ephemeral)
        shared = secret.exchange(X25519PublicKey.from_public_bytes(recipient))
        return self.slot(2, identity, public, shared, name, extract_salt=public + recipient)

    def header_copy(self, sequence, slots, size=4096, major=1, incompatible=0):
        area = b"".join(slots)
        head = bytes.fromhex("894b43410d0a1a0a") + struct.pack(
            "<HHIIIII", major, 0, incompatible, 0, 0, size, len(area)
        )
        head += self.aid + sequence.to_bytes(8, "little") + bytes(8) + self.commitment
        head = (head + area).ljust(size - 64, b"\0")
        head += mac(self.header, head)
        return head + hashlib.sha256(head).digest()

    def signed_header(self, copy):
        """A changed header copy with its MAC and its checksum made anew, as a malformed one."""
        copy = bytes(copy[:-64])
        copy += mac(self.header, copy)
        return copy + hashlib.sha256(copy).digest()

    def token(self, attributes):
        primary, lookup = canonical_keys(attributes)
        return (
            mac(self.token_key, label("lookup"), lookup)[:8]
            + mac(self.token_key, label("primary"), primary)[:8]
        )

    def segment_key(self, kind, segment):
        """Key and base nonce for the frames of a type in a segment."""
        okm = expand(
            self.value if kind == VALUE else self.meta, label("segment") + self.aid + segment, 44
        )
        return okm[:32], okm[32:]

    def frame(self, kind, sequence, segment, code, content):
        plaintext = struct.pack("<IB3x", len(content), code) + content
        plaintext = plaintext.ljust(padded_size(len(plaintext)), b"\0")
        return self.sealed_frame(kind, sequence, segment, plaintext)

    def sealed_frame(self, kind, sequence, segment, plaintext):
        """A frame of any plaintext, to make malformed ones."""
        key, base = self.segment_key(kind, segment)
        nonce = base[:8] + (int.from_bytes(base[8:], "little") ^ sequence).to_bytes(4, "little")
        aad = frame_header(kind, len(plaintext) + 16, sequence, segment, 0)[:24]
        sealed = seal(key, nonce, plaintext, aad)
        return frame_header(kind, len(sealed), sequence, segment, weighted_sum(sealed)) + sealed


def attribute_bytes(attributes):
    out = b""
    for key in sorted(attributes, key=str.encode):
        kind, content = attributes[key]
        out += bytes([len(key.encode())]) + key.encode() + field(kind, content)
    return out


def raw_deflate(content):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return compressor.compress(content) + compressor.flush()


class Archive:
    """An archive that grows session by session; `data` is the file."""

    def __init__(
        self, keys, slots, header_sequence=1, size=4096, number=0, previous_hash=bytes(32)
    ):
        self.keys, self.size, self.header_sequence = keys, size, header_sequence
        header = keys.header_copy(header_sequence, slots, size)
        self.data = bytearray(header * 2)
        self.number, self.previous, self.previous_hash = number, 0, previous_hash
        self.live = {}  # uuid: (token, place, segment, sequence, revision, bytes of its frames)
        self.root = (0, bytes(12), 0, 0)
        self.node_bytes = 0
        self.segment = None

    def begin(self, segment):
        self.segment, self.sequence, self.first = segment, 0, len(self.data)
        self.changed = False

    def append(self, kind, code, content):
        """Adds a frame to the open session and gives its place."""
        place = len(self.data)
        self.data += self.keys.frame(kind, self.sequence, self.segment, code, content)
        self.sequence += 1
        return place

    def item(self, uuid, attributes, value=None, known=True, deflate=False, revision=None):
        """Adds or replaces the item with that uuid; gives its place."""
        token, old = self.keys.token(attributes), self.live.get(uuid)
        replaced = old[1] if old else 0
        revision = revision or (old[4] + 1 if old else 1)
        length = 0 if value is None else len(value) if known else UNKNOWN
        start = self.sequence
        place = self.append(
            ITEM,
            0,
            uuid
            + token
            + struct.pack("<QQQB7x", revision, replaced, length, value is not None)
            + attribute_bytes(attributes),
        )
        if value is not None:
            chunks = [value[i : i + CHUNK] for i in range(0, len(value), CHUNK)] or [b""]
            for i, chunk in enumerate(chunks):
                packed = raw_deflate(chunk) if deflate else chunk
                self.append(VALUE, (i + 1 == len(chunks)) + 2 * deflate, packed)
        self.live[uuid] = (token, place, self.segment, start, revision, len(self.data) - place)
        self.changed = True
        return place

    def tombstone(self, uuid, extents=()):
        token, replaced, _, _, revision, _ = self.live.pop(uuid)
        content = uuid + token + struct.pack("<QQQB7x", revision + 1, replaced, 0, 0)
        self.changed = True
        return self.append(ITEM, 1, content + b"".join(struct.pack("<QQ", *e) for e in extents))

    def shred(self, *extents):
        """Overwrites the frames in the extents, (place, length) each, by VOIDs."""
        for place, length in extents:
            end = place + length
            while place < end:
                size = int.from_bytes(self.data[place + 5 : place + 8], "little")
                head = bytes(self.data[place : place + 32])
                self.data[place : place + 32 + size] = frame_header(
                    VOID, size, int.from_bytes(head[8:12], "little"), head[12:24], 0
                ) + bytes(size)
                place += 32 + size

    def index(self, entries, width=409):
        """Writes the whole index anew; gives (place, segment, sequence, level) of its root."""
        if not entries:
            return 0, bytes(12), 0, 0
        level, start = 0, len(self.data)
        while True:
            above = []
            for i in range(0, len(entries), width):
                part = entries[i : i + width]
                sequence = self.sequence
                place = self.append(
                    INDEX, level, b"".join(struct.pack("<16sQ12sI", *entry) for entry in part)
                )
                above.append((part[0][0], place, self.segment, sequence))
            if len(above) == 1:
                self.node_bytes = len(self.data) - start
                return *above[0][1:], level
            entries, level = above, level + 1

    def commit(self, time=1_714_564_800_000, width=409, **changes):
        """Ends the session; `changes` replaces fields of the COMMIT, to make malformed ones."""
        if self.changed:
            self.root = self.index(sorted(entry[:4] for entry in self.live.values()), width)
        place = len(self.data)
        live_bytes = sum(entry[5] for entry in self.live.values())
        live_bytes += self.node_bytes if self.live else 0
        root_place, root_segment, root_sequence, root_level = self.root
        fields = {
            "number": self.number + 1,
            "place": place,
            "first": self.first,
            "previous": self.previous,
            "previous_hash": self.previous_hash,
            "header_sequence": self.header_sequence,
            "time": time,
            "live_items": len(self.live),
            "live_bytes": live_bytes,
            "dead_bytes": place - 2 * self.size - live_bytes,
            "root_place": root_place,
            "root_segment": root_segment,
            "root_sequence": root_sequence,
            "root_level": root_level,
            "zero": bytes(3),
            **changes,
        }
        content = struct.pack("<QQQQ32sQQQQQQ12sIB3s", *fields.values())
        for code in (0, 1):
            self.append(COMMIT, code, content)
        mark = b"KCAEND\r\n" + struct.pack("<QQ", place, fields["number"]) + self.keys.aid[:4]
        self.data += mark + zlib.crc32(mark).to_bytes(4, "little")
        self.number, self.previous = fields["number"], place
        self.previous_hash = hashlib.sha256(self.data[place : place + 240]).digest()
        return place
