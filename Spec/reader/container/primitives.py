"""Constants, findings and primitives of Spec/container.md: Conventions, Keys, Padding."""

import hashlib
import hmac
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

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
    return int.from_bytes(data[offset : offset + size], "little")


def padded(x):
    e = x.bit_length() - 1
    step = 1 << (e - e.bit_length())
    padme = (x + step - 1) // step * step
    return max(64, (padme + 63) // 64 * 64)


def body_check(sealed):
    words = struct.unpack("<%dI" % (len(sealed) // 4), sealed)
    return sum((2 * i + 1) * w for i, w in enumerate(words)) & 0xFFFFFFFF
