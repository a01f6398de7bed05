"""Prints the graphs of keyed archives as plistlib's UIDs tell them, one JSON array a line.

    python3 keyed_graphs.py FILE...

An independent look at what our reader finds: Python's own parser, and nothing but the rules of the frame. For each
file ["file", name], then ["top", name, reference] for the keys of $top, then for each object either
["object", number, class, [superclasses], [[field, reference]]] or ["value", number, value]. A file that plistlib
cannot read gets ["unreadable"].

References are ["nil"], ["ref", number], or a value in place. Values are ["string", text], ["integer", digits],
["real", bits in hexadecimal], ["boolean", "true" or "false"], ["date", microseconds], ["data", hexadecimal],
["array", references], ["dictionary", [[key, reference]]].
"""

import datetime
import json
import plistlib
import struct
import sys

EPOCH = datetime.datetime(2001, 1, 1)


def uid(value):
    """The number of a UID, which XML has as a dictionary; None for other values."""
    if isinstance(value, plistlib.UID):
        return value.data
    if isinstance(value, dict) and list(value) == ["CF$UID"] and type(value["CF$UID"]) is int:
        return value["CF$UID"]
    return None


def reference(value):
    number = uid(value)
    if number is None:
        return plain(value)
    return ["nil"] if number == 0 else ["ref", str(number)]


def plain(value):
    if isinstance(value, str):
        return ["string", value]
    if isinstance(value, bool):
        return ["boolean", "true" if value else "false"]
    if isinstance(value, int):
        return ["integer", str(value)]
    if isinstance(value, float):
        return ["real", struct.pack(">d", value).hex()]
    if isinstance(value, bytes):
        return ["data", value.hex()]
    if isinstance(value, datetime.datetime):
        return ["date", str((value - EPOCH) // datetime.timedelta(microseconds=1))]
    if isinstance(value, list):
        return ["array", [reference(element) for element in value]]
    if isinstance(value, dict):
        return ["dictionary", [[key, reference(element)] for key, element in value.items()]]
    raise TypeError(type(value))


def field_name(key):
    """Archivers put one more $ before names that begin with one."""
    return key[1:] if key.startswith("$$") else key


def archived_class(value, objects):
    """The description of an object's class; None for an object without one."""
    if not isinstance(value, dict):
        return None
    number = uid(value.get("$class"))
    if number is None or not 0 < number < len(objects):
        return None
    found = objects[number]
    return found if isinstance(found, dict) and "$classname" in found else None


def graph(archive):
    objects = archive["$objects"]
    for key, value in archive["$top"].items():
        yield ["top", field_name(key), reference(value)]
    for number, value in enumerate(objects):
        description = archived_class(value, objects)
        if description is None:
            yield ["value", str(number), reference(value)]
        else:
            fields = [
                [field_name(key), reference(element)]
                for key, element in value.items()
                if key != "$class"
            ]
            name = description["$classname"]
            yield ["object", str(number), name, description.get("$classes", []), fields]


def main(names):
    for name in names:
        print(line(["file", name]))
        try:
            with open(name, "rb") as file:
                lines = [line(part) for part in graph(plistlib.load(file))]
        except Exception:  # plistlib's errors are of many types
            lines = [line(["unreadable"])]
        print("\n".join(lines))


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main(sys.argv[1:])
