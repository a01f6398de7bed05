"""A vector and its text form, as ../README.md describes it."""

import base64
import hashlib
import textwrap
import zlib

from .building import KEY_FILE

PATHS = ("list", "read", "pipe-list", "pipe", "verify", "structure", "append")
GIVING = ("list", "read", "pipe-list", "pipe")
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
    **paths,
):
    """Registers a vector.

    `every` is the status of every path but `structure` and `append`; paths (`read` …) say
    otherwise; a tuple is a choice. `items` are (name, value) of all giving paths; `list_items` and
    so on say otherwise. `free` names paths whose items the Spec leaves open. `outdated` are the
    paths where items are marked, `maybe` those where they may be.
    """
    if name in VECTORS:
        raise ValueError("two vectors are named " + name)
    paths = {key.replace("_", "-"): value for key, value in paths.items()}
    given = {path: paths.pop(path + "-items", None) for path in GIVING}
    statuses = {}
    for path in PATHS:
        like = {"list": "read", "pipe-list": "pipe"}.get(path)
        optional = path in ("structure", "append")
        fallback = paths.get(like, every) if like else None if optional else every
        if path == "append":
            fallback = appended(statuses)
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


def item_lines(items, given, statuses, free, marks):
    """A line for each (name, value): its digest and the paths that give it."""
    rows = {}
    for path in GIVING:
        if path in free or all(status in ENDING for status in statuses[path]):
            continue
        fallback = (
            given["pipe"] if path == "pipe-list" else given["read"] if path == "list" else None
        )
        chosen = given[path] if given[path] is not None else fallback
        for item in items if chosen is None else chosen:
            rows.setdefault(tuple(item), []).append(path + marks.get(path, ""))
    return [
        "item: %s %s %s" % (name, digest(value), " ".join(paths))
        for (name, value), paths in rows.items()
    ]
