#!/usr/bin/env python3
"""Makes Fixtures/plists: preferences lists of invented programs, with secrets and with keys that only look so.

    python3 Fixtures/make_plists.py Fixtures/plists

Needs nothing but Python. The same lists come out each time.
"""

import base64
import datetime
import json
import pathlib
import plistlib
import struct
import sys

UID = plistlib.UID


def archive(objects, top=None):
    """A keyed archive with these objects behind `$null`."""
    return plistlib.dumps(
        {
            "$version": 100000,
            "$archiver": "NSKeyedArchiver",
            "$top": top or {"root": UID(1)},
            "$objects": ["$null", *objects],
        },
        fmt=plistlib.FMT_BINARY,
        sort_keys=False,
    )


def class_of(name, *supers):
    return {"$classname": name, "$classes": [name, *supers, "NSObject"]}


def archived_dictionary(pairs):
    """An archived NSMutableDictionary of strings, as keychain helpers of old programs store it."""
    count = len(pairs)
    strings = [text for pair in zip(*pairs.items()) for text in pair]
    keys = [UID(2 + index) for index in range(count)]
    values = [UID(2 + count + index) for index in range(count)]
    dictionary = {"NS.keys": keys, "NS.objects": values, "$class": UID(2 + 2 * count)}
    return archive(
        [dictionary, *strings, class_of("NSMutableDictionary", "NSDictionary")]
    )


def archived_account():
    """An archive of a class that nobody has any more."""
    return archive(
        [
            {"name": UID(2), "passcode": UID(3), "visits": 12, "$class": UID(4)},
            "rosa",
            "marrow-88",
            class_of("OldGarden.Account"),
        ]
    )


def preferences():
    return {
        "password": "four beds, one pond",
        "OAuthToken": "tok-5f2b-shed",
        "account": {
            "name": "rosa",
            "refreshToken": "ref-91aa-gate",
            "isVerified": True,
            "created": datetime.datetime(2024, 5, 1, 12, 0, 0),
        },
        "pin": 4711,
        "savedLogin": archived_dictionary(
            {
                "com.example.garden.username": "rosa",
                "com.example.garden.password": "beans on poles",
            }
        ),
        "state": archived_account(),
        "backup": json.dumps({"version": 2, "apiKey": "key-0c4e-hedge"}),
        "exported": base64.b64encode(archived_account()).decode(),
        "profiles": [
            {"name": "front", "secret": "rose-1", "weight": 0.5},
            {"name": "back", "weight": 0.25},
        ],
        "mapping": {"left": "right", "pinned": ["a", "b"]},
        "NSWindow Frame Main": "213 84 1024 700 0 0 1680 1027 ",
        "showPassword": False,
        "tokenExpiry": datetime.datetime(2025, 1, 1),
        "greeting": "Grüße aus dem Garten",
        "same": "rosa",
        "name.with.dots": "kept",
        "": "a key without a name",
        "opacity": 0.8,
        "launches": 112,
        "thumbnail": bytes(range(64)),
    }


def with_real32(data, value):
    """The binary list with the 64-bit real `value` as one of 32 bits: a list is laid out anew for it."""
    wide = b"\x23" + struct.pack(">d", value)
    assert data.count(wide) == 1
    size = data[-26]
    references = data[-25]
    count, top, table = struct.unpack(">QQQ", data[-24:])
    offsets = [
        int.from_bytes(data[table + index * size : table + (index + 1) * size], "big")
        for index in range(count)
    ]
    start = data.index(wide)
    narrow = b"\x22" + struct.pack(">f", value)
    objects = data[:start] + narrow + data[start + len(wide) : table]
    offsets = [offset - 4 if offset > start else offset for offset in offsets]
    return (
        objects
        + b"".join(offset.to_bytes(size, "big") for offset in offsets)
        + bytes(6)
        + bytes([size, references])
        + struct.pack(">QQQ", count, top, table - 4)
    )


def items():
    return {
        "genp": [
            {
                "acct": "rosa",
                "svce": "org.example.garden",
                "agrp": "ABCDE12345.org.example",
                "pdmn": "ck",
                "cdat": datetime.datetime(2024, 5, 1, 12, 0, 0),
                "sync": 0,
                "tomb": 0,
                "v_Data": b"four beds, one pond",
            },
            {"acct": "", "svce": "org.example.shed", "v_Data": bytes(range(32))},
        ],
        "inet": [
            {
                "acct": "rosa",
                "srvr": "garden.example",
                "ptcl": "htps",
                "port": 443,
                "v_Data": "gießen".encode(),
                "v_PersistentRef": b"\x00\x01",
            }
        ],
        "cert": [{"labl": "a certificate", "slnr": b"\x01", "v_Data": b"\x30\x00"}],
        "keys": [{"labl": "a key", "klbl": b"\x02", "bsiz": 256, "v_Data": b"\x30\x01"}],
    }


def main(folder):
    folder = pathlib.Path(folder)
    plain = folder / "Preferences"
    contained = folder / "Containers/org.example.garden/Data/Library/Preferences"
    by_host = plain / "ByHost"
    for path in (plain, contained, by_host):
        path.mkdir(parents=True, exist_ok=True)

    def write(path, value, fmt, **options):
        path.write_bytes(plistlib.dumps(value, fmt=fmt, **options))

    binary = plistlib.dumps(preferences(), fmt=plistlib.FMT_BINARY, sort_keys=False)
    (plain / "org.example.garden.plist").write_bytes(with_real32(binary, 0.8))
    write(
        contained / "org.example.garden.plist",
        {"password": "another in its container", "launches": 3},
        plistlib.FMT_BINARY,
    )
    write(
        by_host / "org.example.garden.0F0E0D0C-0B0A-0908-0706-050403020100.plist",
        {"authCookie": "of this host"},
        plistlib.FMT_BINARY,
    )
    write(plain / "org.example.shed.plist", preferences(), plistlib.FMT_XML, sort_keys=False)
    write(
        plain / "org.example.fence.plist",
        {"mapping": "left", "spinner": 3, "NSNavPanelExpandedSizeForOpenMode": "{800, 448}"},
        plistlib.FMT_XML,
    )
    write(folder / "items.plist", items(), plistlib.FMT_XML)
    (folder / "rules.json").write_text(
        json.dumps(
            {
                "version": 1,
                "rules": [
                    {
                        "domain": "org.example.*",
                        "key": "account.refreshToken",
                        "class": "inet",
                        "attributes": {
                            "server": "auth.garden.example",
                            "account": "{value-of:.name}",
                            "label": "{domain}: {key}",
                        },
                    },
                    {"key": "launches"},
                    {"key": "exported", "decode": "base64"},
                    {"key": "OAuthToken", "drop": True},
                ],
            },
            indent=2,
        )
        + "\n"
    )


if __name__ == "__main__":
    main(sys.argv[1])
