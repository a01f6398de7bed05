"""Slots and header copies, made as told: Spec/container.md, "Header" and "Slots"."""

import hashlib
import struct

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .primitives import HEADER_MAGIC, expand, label, mac, sealed

ARGON2ID, SCRYPT, PBKDF2 = 1, 2, 3


def stretched(kdf, secret, salt):
    """The key derivation (function, a, b, c) of a passphrase slot."""
    function, a, b, c = kdf
    if function == ARGON2ID:
        return hash_secret_raw(secret, salt, b, a, c, 32, Type.ID, 0x13)
    if function == SCRYPT:
        return hashlib.scrypt(secret, salt=salt, n=1 << a, r=b, p=c, dklen=32, maxmem=1 << 26)
    return hashlib.pbkdf2_hmac("sha256", secret, salt, a, 32)


def salt_of(identity):
    return hashlib.sha256(b"salt %d" % identity).digest()


def public_of(secret):
    key = X25519PrivateKey.from_private_bytes(secret).public_key()
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def slot(
    keys,
    kind,
    identity,
    ikm,
    *,
    salt=None,
    extract=None,
    flags=0,
    kdf=(0, 0, 0, 0),
    name=b"",
    wrapped_key=None,
    wrap_aad=None,
    commitment=None,
    sealed_label=None,
):
    """184 bytes. Whatever is left out is what the Spec asks for."""
    salt = salt_of(identity) if salt is None else salt
    prk = mac(salt if extract is None else extract, ikm)
    okm = expand(prk, label("slot") + keys.aid + bytes([kind]), 64)
    front = struct.pack("<BBHIB3xIII", kind, flags, 184, identity, *kdf)
    front += salt + (commitment or okm[32:])
    aad = label("wrap") + keys.aid + b"\1\0" + front if wrap_aad is None else wrap_aad
    front += sealed(okm[:32], bytes(12), wrapped_key or keys.file_key, aad)
    key = expand(keys.file_key, label("label") + keys.aid + salt, 44)
    return front + (sealed_label or sealed(key[:32], key[32:], name.ljust(32, b"\0"), front[:88]))


def key_file_slot(keys, identity, key_file, **more):
    return slot(keys, 4, identity, mac(label("key file"), key_file), **more)


def passphrase_slot(keys, identity, passphrase, kdf, *, mixed=None, nfc=True, **more):
    message = struct.pack("<I", len(passphrase)) + passphrase
    if mixed is not None:
        message += mac(label("key file"), mixed)
    salt = more.pop("salt", salt_of(identity))
    ikm = stretched(kdf, mac(label("passphrase"), message), salt)
    flags = more.pop("flags", (mixed is not None) + 2 * nfc)
    return slot(keys, 1, identity, ikm, salt=salt, flags=flags, kdf=kdf, **more)


def costly_slot(keys, identity, kdf, flags=2):
    """A passphrase slot whose cost nobody pays: its commitment holds for nothing."""
    return slot(keys, 1, identity, b"never derived", flags=flags, kdf=kdf)


def recipient_slot(keys, identity, recipient, **more):
    ephemeral = hashlib.sha256(b"ephemeral %d" % identity).digest()
    secret = X25519PrivateKey.from_private_bytes(ephemeral)
    shared = secret.exchange(X25519PublicKey.from_public_bytes(recipient))
    public = public_of(ephemeral)
    return slot(keys, 2, identity, shared, salt=public, extract=public + recipient, **more)


def recovery_slot(keys, identity, code, **more):
    return slot(keys, 3, identity, code, **more)


def unknown_slot(kind, identity, size=16, flags=0, fill=b"\xa5"):
    return struct.pack("<BBHI", kind, flags, size, identity) + fill * (size - 8)


def header(
    keys,
    slots,
    sequence=1,
    *,
    size=4096,
    magic=HEADER_MAGIC,
    major=1,
    minor=0,
    incompatible=0,
    read_only=0,
    compatible=0,
    said_size=None,
    area_length=None,
    aid=None,
    zero=bytes(8),
    commitment=None,
    behind=b"",
    mac_xor=0,
):
    """A header copy with MAC and checksum over whatever it says."""
    area = b"".join(slots)
    copy = magic + struct.pack(
        "<HHIIIII",
        major,
        minor,
        incompatible,
        read_only,
        compatible,
        size if said_size is None else said_size,
        len(area) if area_length is None else area_length,
    )
    copy += (aid or keys.aid) + struct.pack("<Q", sequence) + zero
    copy += (commitment or keys.of["commit"]) + area + behind
    copy = copy.ljust(size - 64, b"\0")
    tag = mac(keys.of["header"], copy)
    return with_checksum(copy + bytes([tag[0] ^ mac_xor]) + tag[1:] + bytes(32))


def with_checksum(copy):
    """A copy whose checksum holds again, the MAC as it is."""
    return bytes(copy[:-32]) + hashlib.sha256(bytes(copy[:-32])).digest()


def recovery_text(code):
    """A recovery code as people see it."""
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    check = int.from_bytes(hashlib.sha256(label("recovery code") + code).digest()[:3], "big") >> 4
    bits = int.from_bytes(code, "big") << 22 | check
    symbols = "".join(alphabet[bits >> shift & 31] for shift in range(145, -1, -5))
    return "-".join(symbols[i : i + 5] for i in range(0, 30, 5))


def identity_text(secret):
    """AGE-SECRET-KEY-1…: Bech32 of BIP 173."""
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = int.from_bytes(secret, "big") << 4
    values = [bits >> shift & 31 for shift in range(255, -1, -5)]
    human = "age-secret-key-"
    expanded = [ord(c) >> 5 for c in human] + [0] + [ord(c) & 31 for c in human]
    check = bech32_remainder(expanded + values + [0] * 6) ^ 1
    values += [check >> shift & 31 for shift in range(25, -1, -5)]
    return (human + "1" + "".join(alphabet[v] for v in values)).upper()


def bech32_remainder(values):
    generator = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, word in enumerate(generator):
            if top >> bit & 1:
                check ^= word
    return check
