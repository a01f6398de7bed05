"""The primitives of Spec/container.md as the vectors need them: keys, frames, padding.

Nothing here checks anything: every function makes exactly the bytes it is told to make, so that
archives can be wrong in one chosen place. Keys and nonces are fixed; never use this for secrets.
"""

import hashlib
import hmac
import struct
import zlib

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ITEM, VALUE, INDEX, COMMIT, VOID = 1, 2, 3, 4, 5
TEXT, BYTES, INTEGER, DATE, BOOLEAN, REAL, PLIST = 1, 2, 3, 4, 5, 6, 7
CHUNK = (1 << 20) - 8
UNKNOWN = (1 << 64) - 1
HEADER_MAGIC = bytes.fromhex("894b43410d0a1a0a")
END_MAGIC = bytes.fromhex("4b4341454e440d0a")


def label(text):
    return b"kcarchive/1 %s\0" % text.encode()


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def expand(prk, info, size):
    """HKDF-Expand of RFC 5869 with SHA-256."""
    out, last = b"", b""
    for counter in range(1, 256):
        last = mac(prk, last, info, bytes([counter]))
        out += last
        if len(out) >= size:
            break
    return out[:size]


def sealed(key, nonce, plaintext, aad):
    return AESGCM(key).encrypt(nonce, bytes(plaintext), bytes(aad))


def crc(data):
    return struct.pack("<I", zlib.crc32(bytes(data)))


def body_sum(body):
    words = struct.unpack("<%dI" % (len(body) // 4), body)
    return sum((2 * i + 1) * word for i, word in enumerate(words)) % (1 << 32)


def padded(size):
    """P(x): how long the plaintext of x bytes is."""
    e = size.bit_length() - 1
    unit = 1 << (e - e.bit_length())
    padme = -(-size // unit) * unit
    return max(64, -(-padme // 64) * 64)


def plaintext(code, content, n=None, zero=bytes(3), size=None, fill=b"\0"):
    """A frame's plaintext; each part can be given otherwise than it should be."""
    head = struct.pack("<IB", len(content) if n is None else n, code) + zero
    whole = head + content
    size = padded(len(whole)) if size is None else size
    return whole + (fill * size)[: size - len(whole)]


class Keys:
    """Everything that follows from an archive id and a file key."""

    def __init__(self, aid, file_key):
        self.aid, self.file_key = aid, file_key
        self.of = {
            name: expand(file_key, label(name) + aid, 32)
            for name in ("header", "commit", "meta", "value", "token")
        }

    def frame_key(self, kind, segment, sequence):
        """Key and nonce of the frame of a type at (segment, sequence)."""
        root = self.of["value" if kind == VALUE else "meta"]
        okm = expand(root, label("segment") + self.aid + segment, 44)
        tail = bytes(a ^ b for a, b in zip(okm[40:], struct.pack("<I", sequence)))
        return okm[:32], okm[32:40] + tail

    def token(self, lookup, primary):
        key = self.of["token"]
        return mac(key, label("lookup"), lookup)[:8] + mac(key, label("primary"), primary)[:8]

    def frame(self, kind, sequence, segment, plain, under=None, nonce_of=None):
        """A whole frame, sealed under the key of a type, with the nonce of (segment, sequence)."""
        front = b"KCF1" + bytes([kind]) + struct.pack("<I", len(plain) + 16)[:3]
        front += struct.pack("<I", sequence) + segment
        named = nonce_of or (segment, sequence)
        key, nonce = self.frame_key(kind if under is None else under, *named)
        return with_checks(front, sealed(key, nonce, plain, front))


def with_checks(front, body, check=None):
    """A frame of its first 24 bytes and its sealed bytes, with body check and CRC-32."""
    front += struct.pack("<I", body_sum(body) if check is None else check)
    return front + crc(front) + body


def void(frame):
    """The VOID that replaces a frame."""
    return with_checks(frame[:4] + b"\5" + frame[5:24], bytes(len(frame) - 32), 0)


def repaired(frame):
    """A changed frame whose unkeyed checks hold again."""
    return with_checks(bytes(frame[:24]), bytes(frame[32:]))


def with_crc(frame):
    """A changed frame whose CRC-32 holds again, the body check as it is."""
    return bytes(frame[:28]) + crc(frame[:28]) + bytes(frame[32:])


def deflated(content, level=9):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()
