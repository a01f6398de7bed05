#!/usr/bin/env python3
"""Makes the worked example of Spec/container.md; the tests compare it with the text there.

`python3 worked_example.py` prints the section; `python3 worked_example.py FILE` writes the archive.
"""

import hashlib
import struct
import sys
import textwrap

import archive_writer as w

AID = bytes(range(0x00, 0x10))
FK = bytes(range(0x20, 0x40))
SALT = bytes(range(0x40, 0x60))
SEGMENT = bytes(range(0x60, 0x6C))
UUID = bytes(range(0x70, 0x80))
PASSPHRASE = "correct horse battery staple"
KDF = 64, 1, 1
TIME = 1_714_564_800_000
ATTRIBUTES = {
    "clas": (w.TEXT, b"genp"),
    "acct": (w.TEXT, b"alice"),
    "svce": (w.TEXT, b"com.example.app"),
    "agrp": (w.TEXT, b"ABCDE12345.com.example"),
    "pdmn": (w.TEXT, b"ck"),
    "sync": (w.BOOLEAN, b"\0"),
    "cdat": (w.DATE, struct.pack("<d", 736_257_600.0)),
}
SECRET = b"s3cret"
EXPECTED = {
    "class": "genp",
    "account": "alice",
    "service": "com.example.app",
    "accessGroup": "ABCDE12345.com.example",
    "accessible": "ck",
    "synchronizable": False,
    "created": "2024-05-01T12:00:00Z",
    "value": {"utf8": "s3cret"},
}

# For the other kinds of slot.
EPHEMERAL = bytes(range(0x80, 0xA0))
IDENTITY = bytes(range(0xA0, 0xC0))
CODE = bytes(range(0xC0, 0xD0))
CODE_SALT, FILE_SALT, MIXED_SALT = (bytes(range(n, n + 32)) for n in (0x41, 0x42, 0x43))
KEY_FILE = bytes(range(0xD0, 0xF0))


def age_text(prefix, content):
    """Bech32 of 32 bytes, in lower case."""
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = int.from_bytes(content, "big") << 4
    values = [bits >> 5 * i & 31 for i in reversed(range(52))]
    prefix = prefix.lower()
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    check = 1
    for value in expanded + values + [0] * 6:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ value
        for i, g in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            if top >> i & 1:
                check ^= g
    check ^= 1
    values += [check >> 5 * i & 31 for i in reversed(range(6))]
    return prefix + "1" + "".join(alphabet[v] for v in values)


def recovery_text(code):
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    check = hashlib.sha256(w.label("recovery code") + code).digest()
    bits = (int.from_bytes(code, "big") << 22) | (int.from_bytes(check[:3], "big") >> 4)
    symbols = "".join(alphabet[bits >> 5 * i & 31] for i in reversed(range(30)))
    return "-".join(symbols[i : i + 5] for i in range(0, 30, 5))


def passphrase_slot(keys):
    return keys.passphrase_slot(1, SALT, PASSPHRASE.encode(), w.argon2id(*KDF), "example")


def archive():
    keys = w.Keys(AID, FK)
    example = w.Archive(keys, [passphrase_slot(keys)[0]])
    example.begin(SEGMENT)
    example.item(UUID, ATTRIBUTES, SECRET)
    example.commit(TIME)
    return example


def dump(data, start=0):
    """Lines of 16 bytes with their places; runs of equal zero lines become one line."""
    lines, skipped = [], False
    for offset in range(0, len(data), 16):
        row = data[offset : offset + 16]
        if not any(row) and 0 < offset < len(data) - 16:
            if not skipped:
                lines.append("*")
            skipped = True
            continue
        skipped = False
        lines.append("%08x  %s" % (start + offset, row.hex(" ")))
    return "\n".join(lines)


def table(rows):
    lines = ["| value | bytes |", "|---|---|"]
    return "\n".join(lines + ["| %s | `%s` |" % (name, content.hex()) for name, content in rows])


def wrapped(part):
    if part[0] in "#|`" or "\n" in part:
        return part
    return textwrap.fill(part, 108, break_long_words=False, break_on_hyphens=False)


def block(text):
    return "```\n%s\n```" % text


def frame_section(keys, data, place, name, kind, sequence):
    size = 32 + int.from_bytes(data[place + 5 : place + 8], "little")
    key, base = keys.segment_key(kind, SEGMENT)
    nonce = base[:8] + (int.from_bytes(base[8:], "little") ^ sequence).to_bytes(4, "little")
    plaintext = w.AESGCM(key).decrypt(
        nonce, bytes(data[place + 32 : place + size]), bytes(data[place : place + 24])
    )
    return "\n\n".join(
        [
            "*%s*, place %d, %d bytes, nonce `%s`. Plaintext:" % (name, place, size, nonce.hex()),
            block(dump(plaintext)),
            "Frame:",
            block(dump(bytes(data[place : place + size]), place)),
        ]
    )


def markdown():
    keys, example = w.Keys(AID, FK), archive()
    data = bytes(example.data)
    slot, values = passphrase_slot(keys)
    primary, lookup = w.canonical_keys(ATTRIBUTES)
    key, base = keys.segment_key(w.ITEM, SEGMENT)
    value_key, value_base = keys.segment_key(w.VALUE, SEGMENT)
    item = 8192
    value = item + 32 + int.from_bytes(data[item + 5 : item + 8], "little")
    index, commit = example.root[0], example.previous
    recipient = w.x25519_public(IDENTITY)
    others = [
        ("kind 2, id 2", keys.recipient_slot(2, EPHEMERAL, recipient)),
        ("kind 3, id 3", keys.slot(3, 3, CODE_SALT, CODE)),
        ("kind 4, id 4", keys.slot(4, 4, FILE_SALT, w.key_file_digest(KEY_FILE))),
    ]
    shown = ["ikm", "PRK", "KEK", "commitment"]
    parts = [
        "## Worked example",
        "An archive with one passphrase and one item, all random values being given. (The cost of "
        "the key derivation is far below what writers allow.) `reader/worked_example.py` made it, "
        "and the reader's tests compare it with this text. `*` stands for lines of zeros left out.",
        "Inputs: passphrase `%s`; Argon2id m = %d KiB, t = %d, p = %d; slot label `example`; "
        "header sequence 1; commit time %d; one item of class `genp` with account `alice`, service "
        "`com.example.app`, access group `ABCDE12345.com.example`, accessible `ck`, synchronizable "
        "false (a boolean), created 2024-05-01T12:00:00Z, and the value `s3cret`."
        % (PASSPHRASE, *KDF, TIME),
        table(
            [
                ("aid", AID),
                ("FK", FK),
                ("slot's salt", SALT),
                ("segment", SEGMENT),
                ("item's uuid", UUID),
            ]
        ),
        "### Keys of the example",
        table(
            [
                ("`K_header`", keys.header),
                ("`C_fk`", keys.commitment),
                ("`K_meta`", keys.meta),
                ("`K_value`", keys.value),
                ("`K_token`", keys.token_key),
                ("segment key under `K_meta`", key),
                ("its base", base),
                ("segment key under `K_value`", value_key),
                ("its base", value_base),
            ]
        ),
        "### The passphrase's slot",
        table([("`P'`" if name == "P'" else name, content) for name, content in values.items()]),
        block(dump(slot, 96)),
        "### The header's copies",
        "Copy A; copy B at place 4096 is equal.",
        block(dump(data[:4096])),
        "### The item's token",
        table(
            [("lookup key", lookup), ("primary key", primary), ("token", keys.token(ATTRIBUTES))]
        ),
        "### Frames of the example",
        frame_section(keys, data, item, "ITEM, sequence 0", w.ITEM, 0),
        frame_section(keys, data, value, "VALUE, sequence 1", w.VALUE, 1),
        frame_section(keys, data, index, "INDEX, sequence 2", w.INDEX, 2),
        frame_section(keys, data, commit, "COMMIT copy 1, sequence 3", w.COMMIT, 3),
        frame_section(keys, data, commit + 240, "COMMIT copy 2, sequence 4", w.COMMIT, 4),
        "*ENDMARK*, place %d:" % (commit + 480),
        block(dump(data[commit + 480 :], commit + 480)),
        "The file has %d bytes. SHA-256 of COMMIT copy 1, the commit's hash: `%s`. SHA-256 of the "
        "whole file: `%s`."
        % (len(data), example.previous_hash.hex(), hashlib.sha256(data).hexdigest()),
        "### Slots of the other kinds",
        "For the same file key and aid, without labels; not part of the file above.",
        table(
            [
                ("kind 2: ephemeral secret", EPHEMERAL),
                ("kind 2: identity", IDENTITY),
                ("kind 2: recipient", recipient),
                ("kind 3: code", CODE),
                ("kind 4: key file", KEY_FILE),
                ("kind 4: D", w.key_file_digest(KEY_FILE)),
            ]
        ),
        "The identity is written `%s`, the recipient `%s`, the recovery code `%s`."
        % (
            age_text("age-secret-key-", IDENTITY).upper(),
            age_text("age", recipient),
            recovery_text(CODE),
        ),
    ]
    for name, (content, steps) in others:
        parts += ["Slot of %s:" % name, table([(n, steps[n]) for n in shown]), block(dump(content))]
    mixed, steps = keys.passphrase_slot(
        5, MIXED_SALT, PASSPHRASE.encode(), w.scrypt(4, 1, 1), key_file=KEY_FILE
    )
    parts += [
        "Slot of kind 1, id 5, scrypt with log2 N = 4, r = 1, p = 1, the key " "file mixed in:",
        table([("`P'`", steps["P'"])] + [(n, steps[n]) for n in shown]),
        block(dump(mixed)),
    ]
    return "\n\n".join(wrapped(part) for part in parts) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "wb") as file:
            file.write(archive().data)
    else:
        sys.stdout.write(markdown())
