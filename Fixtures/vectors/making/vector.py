"""A vector and its text form, as ../README.md describes it."""

import base64
import hashlib
import textwrap
import zlib

from .building import KEY_FILE, KEYS
from .salvaging import salvaged

PATHS = (
    "list",
    "read",
    "pipe-list",
    "pipe",
    "verify",
    "structure",
    "append",
    "compact",
    "salvage",
)
GIVING = ("list", "read", "pipe-list", "pipe", "compact", "salvage")
MADE = ("compact", "salvage")  # paths that make a new archive, and give what is in it
ENDING = (10, 12, 15, 16, 17)  # findings with which nothing is given out
VECTORS = {}


def digest(value):
    return "none" if value is None else hashlib.sha256(value).hexdigest()


def vector(
    name,
    section,
    why,
    data,
    every=None,
    *,
    items=(),
    credentials=None,
    options=(),
    outdated=(),
    maybe=(),
    free=(),
    keys=KEYS,
    **paths,
):
    """Registers a vector.

    `every` is the status of every path but `structure` and those that write; paths (`read` …) say
    otherwise; a tuple is a choice. `items` are (name, value) of all giving paths; `list_items` and
    so on say otherwise. What salvaging gives is worked out from the bytes. `free` names paths whose items the Spec leaves open. `outdated` are the
    paths where items are marked, `maybe` those where they may be.
    """
    if name in VECTORS:
        raise ValueError("two vectors are named " + name)
    paths = {key.replace("_", "-"): value for key, value in paths.items()}
    given = {path: paths.pop(path + "-items", None) for path in GIVING}
    statuses = {}
    for path in PATHS:
        like = {"list": "read", "pipe-list": "pipe"}.get(path)
        optional = path in ("structure", "append", *MADE)
        fallback = paths.get(like, every) if like else None if optional else every
        if path == "append":
            fallback = appended(statuses)
        elif path == "compact":
            fallback = compacted(statuses)
        elif path == "salvage":
            fallback, salvage_items = salvage(name, data, keys, statuses)
            if given[path] is None:
                given[path] = salvage_items
        status = paths.pop(path, fallback)
        if status is None and not optional:
            raise ValueError("%s: no status for %s" % (name, path))
        statuses[path] = status if isinstance(status, tuple) or status is None else (status,)
    if paths:
        raise ValueError("%s: unknown paths %s" % (name, paths))
    lines = [
        "kcarchive vector 1",
        "name: " + name,
        "spec: " + section,
        "why: " + " ".join(why.split()),
    ]
    lines += credentials if credentials is not None else ["key-file: " + KEY_FILE.hex()]
    lines += ["option: " + option for option in options]
    for path in PATHS:
        if statuses[path] is not None:
            lines.append("%s: %s" % (path, " or ".join(map(str, statuses[path]))))
    lines += item_lines(
        items, given, statuses, free, {**dict.fromkeys(outdated, "*"), **dict.fromkeys(maybe, "?")}
    )
    for path in GIVING:
        if path in free:
            lines.append("free: " + path)
    data = bytes(data)
    lines += ["size: %d" % len(data), "sha256: " + hashlib.sha256(data).hexdigest(), ""]
    packed = base64.b64encode(zlib.compress(data, 9)).decode()
    VECTORS[name] = "\n".join(lines + textwrap.wrap(packed, 100)) + "\n"


def appended(statuses):
    """What a writer answers where nothing else is said: as readers, if that is plain."""
    if statuses["read"] == statuses["verify"] and statuses["read"][0] in (0, *ENDING):
        return statuses["read"]
    return None


def compacted(statuses):
    """A writer's answer; then everything is read as from a pipe, but a tail has been cut off."""
    if statuses["append"] is not None and statuses["append"] != (0,):
        return statuses["append"]
    if statuses["pipe"] == (0,) or statuses["append"] == (0,) and statuses["pipe"] == (4,):
        return statuses["append"]
    return None


def salvage(name, data, keys, statuses):
    """Salvaging asks for the file key; nothing else that keeps readers off matters to it."""
    refused = statuses["list"]
    is_of_header = name.startswith(("header_", "slot_"))
    if refused[0] in (10, 12, 15, 16) or is_of_header and refused[0] in (13, 14):
        return refused, []
    found = salvaged(data, keys)
    return found if found is not None else (refused, [])


def item_lines(items, given, statuses, free, marks):
    """A line for each (name, value): its digest and the paths that give it."""
    rows = {}
    for path in GIVING:
        if path in free or statuses[path] is None:
            continue
        if all(status in ENDING for status in statuses[path]):
            continue
        if path == "compact" and statuses[path] != (0,):
            continue
        fallback = (
            given["read"]
            if path == "list"
            else given["pipe"]
            if path in ("pipe-list", "compact")
            else None
        )
        chosen = given[path] if given[path] is not None else fallback
        for item in items if chosen is None else chosen:
            mark = "" if path in MADE else marks.get(path, "")
            rows.setdefault(tuple(item), []).append(path + mark)
    return [
        "item: %s %s %s" % (name, digest(value), " ".join(paths))
        for (name, value), paths in rows.items()
    ]
