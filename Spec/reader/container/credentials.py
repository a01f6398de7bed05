"""Passphrases, key files, age identities and recovery codes: the section "Slots"."""

import hashlib
import unicodedata

from .primitives import UNSUPPORTED, USAGE, Finding, L


class Credentials:
    def __init__(self):
        self.passphrases, self.mixed_key_files, self.key_files = [], [], []
        self.identities, self.recovery_codes = [], []

    def fitting(self, slot):
        """What can be tried on a slot: (form, secret, key file mixed in)."""
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
        0x3B6A57B2,
        0x26508E6D,
        0x1EA119FA,
        0x3D4233DD,
        0x2A1462B3,
    ]
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
