"""Slots: structure, cost, and the keys that a credential gives: the section "Slots"."""

import struct

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .primitives import LIMIT, TAMPERED, UNSUPPORTED, Finding, H, L, X, number, opened


def kdf_cost(slot, place):
    """Units (times 2^20: sums are exact) and bytes of memory; checks the format's bounds."""
    kdf, a, b, c = slot[8], number(slot, 12, 4), number(slot, 16, 4), number(slot, 20, 4)
    if kdf == 1:
        fits = 1 <= b <= 64 and 1 <= c <= 16 and 8 * c <= a <= 4 << 20
        cost = (a * b << 10, a << 10)
    elif kdf == 2:
        fits = 1 <= b <= 32 and 1 <= c <= 16 and 1 <= a <= 24 and a < 16 * b
        fits = fits and 128 * b << a <= 1 << 32
        cost = (256 * b * c << a, 128 * b << a) if fits else None
    elif kdf == 3:
        if b or c:
            raise Finding(TAMPERED, place, "slot: PBKDF2 has one parameter")
        fits, cost = 1 <= a <= 100_000_000, (a << 9, 0)
    else:
        raise Finding(UNSUPPORTED, place, "slot: unknown key derivation %d" % kdf)
    if not fits:
        raise Finding(
            LIMIT,
            place,
            "slot: key derivation %d with %d, %d, %d is outside the format's "
            "bounds" % (kdf, a, b, c),
        )
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
        salt = salt + key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    elif form == "recovery code":
        ikm = secret
    else:
        ikm = H(L("key file"), secret)
    keys = X(H(salt, ikm), L("slot") + aid + slot[:1], 64)
    return keys[:32], keys[32:]


def slot_label(slot, aid, fk):
    """The label of a slot of a known kind, or None when it can't be read."""
    okm = X(fk, L("label") + aid + slot[24:56], 44)
    padded = opened(okm[:32], okm[32:], slot[136:184], slot[:88])
    try:
        label = padded.rstrip(b"\0").decode() if padded is not None else None
    except UnicodeDecodeError:
        return None
    return None if label is None or "\0" in label else label


def slots_of(area, place):
    """The slots of a header copy, each checked as far as that goes without a key."""
    slots, ids, offset = [], set(), 0
    while offset < len(area):
        if len(area) - offset < 8:
            raise Finding(TAMPERED, place, "slot area ends inside a slot")
        kind, flags, length, identity = struct.unpack_from("<BBHI", area, offset)
        slot = area[offset : offset + length]
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
