"""Opens a data-protection item, version 7, as an iPhone keeps it in keychain-2.db, and prints its attributes and value
as JSON: {"acct": ["text", "…"], "v_Data": ["bytes", "hex"], …}. Formats: LE32 version, then a protobuf whose ciphertexts
are keyed archives; AES-256-GCM throughout, the key of the secret wrapped after RFC 3394; plaintexts are DER."""

import datetime
import json
import plistlib
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import aes_key_unwrap


def fields(data):
    """A protobuf's fields by number; of those with a length, their bytes."""
    position, found = 0, {}

    def number():
        nonlocal position
        value, shift = 0, 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while position < len(data):
        tag, value = number(), number()
        if tag & 7 == 2:
            found[tag >> 3] = data[position : position + value]
            position += value
        else:
            found[tag >> 3] = value
    return found


def opened(key, archive):
    objects = plistlib.loads(archive)
    table, root = objects["$objects"], objects["$objects"][objects["$top"]["root"].data]

    def part(name):
        value = root[name]
        return table[value.data] if isinstance(value, plistlib.UID) else value

    sealed = part("SFCiphertext") + part("SFAuthenticationCode")
    return AESGCM(key).decrypt(part("SFInitializationVector"), sealed, None)


def element(data):
    """Tag, content and rest of the first DER element."""
    count, start = data[1], 2
    if count & 128:
        start = 2 + (count & 127)
        count = int.from_bytes(data[2:start], "big")
    return data[0], data[start : start + count], data[start + count :]


def pairs(data):
    rest = element(data)[1]
    while rest:
        _, pair, rest = element(rest)
        _, key, value = element(pair)
        yield key.decode(), element(value)[:2]


def typed(tag, content):
    if tag == 0x0C:
        return ["text", content.decode()]
    if tag == 0x02:
        return ["integer", int.from_bytes(content, "big", signed=True)]
    if tag == 0x18:
        form = "%Y%m%d%H%M%S.%fZ" if b"." in content else "%Y%m%d%H%M%SZ"
        date = datetime.datetime.strptime(content.decode(), form)
        return ["date", (date - datetime.datetime(2001, 1, 1)).total_seconds()]
    return ["bytes", content.hex()]


item = fields(open(sys.argv[1], "rb").read()[4:])
keys = dict(line.strip().split("=") for line in open(sys.argv[2]) if "=" in line)
secret, metadata = fields(item[1]), fields(item[2])
metadata_key = opened(bytes.fromhex(keys["metadata_class_key"]), metadata[2])
secret_key = aes_key_unwrap(bytes.fromhex(keys["class_key"]), fields(secret[2])[1])
attributes = {}
for plaintext in opened(metadata_key, metadata[1]), opened(secret_key, secret[1]):
    attributes.update((key, typed(*value)) for key, value in pairs(plaintext))
json.dump(attributes, sys.stdout)
