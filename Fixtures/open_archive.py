"""Prints the value in a keyed archive as other programs find it, on one line.

    python3 open_archive.py plistlib|bpylist2 FILE

With plistlib the references are followed here; bpylist2 is a reader of its own. Values are ["null"], ["string", text],
["integer", digits], ["real", bits in hexadecimal], ["boolean", "true" or "false"], ["date", microseconds since 2001],
["data", hexadecimal], ["array", values], ["dictionary", [[key, value]]] with keys in order of their text.
"""

import datetime
import json
import plistlib
import struct
import sys

EPOCH = datetime.datetime(2001, 1, 1)


def with_plistlib(content):
    archive = plistlib.loads(content)
    objects = archive["$objects"]

    def resolve(value):
        if isinstance(value, plistlib.UID):
            return None if value.data == 0 else resolve(objects[value.data])
        if not isinstance(value, dict):
            return value
        name = objects[value["$class"].data]["$classname"]
        if name == "NSDate":
            return EPOCH + datetime.timedelta(seconds=value["NS.time"])
        elements = [resolve(element) for element in value["NS.objects"]]
        if name == "NSArray":
            return elements
        if name == "NSDictionary":
            return dict(zip((resolve(key) for key in value["NS.keys"]), elements, strict=True))
        raise ValueError(name)

    return resolve(archive["$top"]["root"])


def with_bpylist2(content):
    from bpylist2 import archiver

    return archiver.unarchive(content)


def is_timestamp(value):
    """bpylist2's dates are seconds since 1970, of a type of their own."""
    return isinstance(value, float) and type(value).__name__ == "timestamp"


def plain(value):
    if value is None:
        return ["null"]
    if isinstance(value, str):
        return ["string", value]
    if isinstance(value, bool):
        return ["boolean", "true" if value else "false"]
    if isinstance(value, int):
        return ["integer", str(value)]
    if is_timestamp(value):
        return ["date", str(round((value - 978_307_200) * 1_000_000))]
    if isinstance(value, float):
        return ["real", struct.pack(">d", value).hex()]
    if isinstance(value, (bytes, bytearray)):
        return ["data", bytes(value).hex()]
    if isinstance(value, datetime.datetime):
        value = value.replace(tzinfo=None)
        return ["date", str((value - EPOCH) // datetime.timedelta(microseconds=1))]
    if isinstance(value, list):
        return ["array", [plain(element) for element in value]]
    if isinstance(value, dict):
        return ["dictionary", [[key, plain(value[key])] for key in sorted(value)]]
    raise TypeError(type(value))


def main(reader, name):
    with open(name, "rb") as file:
        content = file.read()
    value = {"plistlib": with_plistlib, "bpylist2": with_bpylist2}[reader](content)
    print(json.dumps(plain(value), separators=(",", ":")))


if __name__ == "__main__":
    main(*sys.argv[1:])
