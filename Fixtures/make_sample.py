#!/usr/bin/env python3
"""Makes vaults/sample/items.jsonl: what a keychain of an invented person might hold.

    python3 make_sample.py > vaults/sample/items.jsonl

Needs `cryptography`, for the certificate and its key in vaults/sample/files/certificates, which
openssl made once. Everything is our own data and opens nothing anywhere. The lines are as
`kcarchive restore --to jsonl` writes them, so that both can be compared byte by byte.
"""

import base64
import hashlib
import json
import pathlib
import plistlib

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

FILES = pathlib.Path(__file__).parent / "vaults" / "sample" / "files"
GROUP = "QX7ZEXAMPL.org.example.garden"
SHARED = "QX7ZEXAMPL.org.example.shared"
# The order in which items are written: what tells them apart, the rest by column, dates.
LEADING = ["service", "server", "path", "account"]
LEADING += ["accessGroup", "accessible", "synchronizable", "label"]
TRAILING = ["created", "modified"]


def data(content):
    return {"base64": base64.b64encode(content).decode()}


def utf8(text):
    return {"utf8": text}


def item(item_class, value=None, **attributes):
    """One line. Attributes that are in neither list above come in the order of their columns."""
    names = [n for n in LEADING if n in attributes]
    names += [n for n in attributes if n not in LEADING + TRAILING]
    names += [n for n in TRAILING if n in attributes]
    out = {"class": item_class}
    for name in names:
        content = attributes[name]
        out[name] = data(content) if isinstance(content, bytes) else content
    if value is not None:
        out["value"] = value
    line = json.dumps(out, ensure_ascii=False, separators=(",", ":"))
    # A line separator would end the line in some readers' eyes.
    print(line.replace("\u2028", "\\u2028"))


def keyed_archive():
    """A dictionary as NSKeyedArchiver lays it out, made by Python's plistlib."""
    uid = plistlib.UID

    def described(*names):
        return {"$classname": names[0], "$classes": [*names, "NSObject"]}

    objects = [
        "$null",
        {"$class": uid(6), "NS.keys": [uid(2), uid(3)], "NS.objects": [uid(4), uid(5)]},
        "token",
        "expires",
        "r3-fresh-as-dew",
        {"$class": uid(7), "NS.time": 736_000_000.25},
        described("NSMutableDictionary", "NSDictionary"),
        described("NSDate"),
    ]
    archive = {
        "$archiver": "NSKeyedArchiver",
        "$version": 100_000,
        "$top": {"root": uid(1)},
        "$objects": objects,
    }
    return plistlib.dumps(archive, fmt=plistlib.FMT_BINARY, sort_keys=True)


def generic_passwords():
    created, modified = "2023-03-01T08:00:00Z", "2024-05-02T08:30:00.125Z"
    item(
        "genp", utf8("four beds, one pond"), service="org.example.garden", account="rosa",
        accessGroup=GROUP, accessible="ck", synchronizable=False, label="Garden club",
        created=created, modified=modified,
    )
    item(
        "genp", utf8("vier Beete, ein Teich 🐸"), service="org.example.garden",
        account="Zoë Müller", accessGroup=GROUP, accessible="ak", synchronizable=True,
        label="Gartenverein „Grünes Eck“",
        created="2001-01-01T00:00:00Z", modified="2024-02-29T23:59:59.999999Z",
    )
    item(
        "genp", utf8(""), service="org.example.garden", account="nobody", accessGroup=GROUP,
        accessible="ck", label="A password that is empty", created=created, modified=created,
    )
    item(
        "genp", service="org.example.garden", account="reminder", accessGroup=GROUP,
        accessible="ck", label="An item without any value", created=created, modified=created,
    )
    item("genp", utf8("an item with the least that an item has"), service="", account="")
    item(
        "genp", data(bytes(range(256))), service="org.example.pump", account="calibration",
        accessGroup=GROUP, accessible="ck", label="Every byte there is",
        created="1999-12-31T23:59:59.5Z", modified="2024-05-02T08:30:00.0000001Z",
    )
    item(
        "genp", data(keyed_archive()), service="org.example.gardenapp.session", account="session",
        accessGroup=GROUP, accessible="ck", generic=b"org.example.gardenapp.session",
        created=created, modified=modified,
    )
    for group in (GROUP, SHARED):
        item(
            "genp", utf8("seen by all apps of the club" if group == SHARED else "seen by one app"),
            service="org.example.sync", account="device", accessGroup=group, accessible="ck",
            synchronizable=False, created=created, modified=created,
        )
    item(
        "genp", utf8("5F0C7E6A-2B1D-4C3E-9A8B-7D6E5F4C3B2A"), service="org.example.gardenapp",
        account="device-identifier", accessGroup=SHARED, accessible="cku",
        label="Stays on its device", created=created, modified=created,
    )
    item(
        "genp", utf8("only while unlocked, only here"), service="org.example.gardenapp",
        account="pin", accessGroup=GROUP, accessible="akpu", accessControl=b"\x31\x00",
        creator=1196578372, description="application password", comment="a\tb\nc",
        isInvisible=False, isNegative=True,
        created=created, modified=modified,
    )
    item(
        "genp", utf8("kept with everything"), service="org.example.later", account="rosa",
        accessGroup=GROUP, accessible="dk",
        futureFlag=True, futureNote="an attribute of a later system", futureRatio=0.1,
        futureToken=b"\x00\x01\xfe\xff",
        created=-1e300, modified=modified,
    )


def internet_passwords():
    common = {"accessGroup": GROUP, "accessible": "ak", "synchronizable": True}
    item(
        "inet", utf8("compost-heap-9"), server="mail.example.org", path="",
        account="rosa@example.org", **common, label="mail.example.org",
        authenticationType="dflt", port=993, protocol="imps",
        securityDomain="", created="2022-11-11T11:11:11.1Z", modified="2024-01-01T00:00:00Z",
    )
    item(
        "inet", utf8("another port, another item"), server="mail.example.org", path="",
        account="rosa@example.org", **common, authenticationType="dflt", port=465, protocol="smtp",
        securityDomain="", created="2022-11-11T11:11:12Z", modified="2024-01-01T00:00:00Z",
    )
    item(
        "inet", utf8("pa\"ss\\w/ö\u2028rd"), server="bücher.example", path="/ausleihe",
        account="emil", **common, comment="Bibliothek", port=443, protocol="htps",
        created="2024-05-01T12:00:00Z", modified="2024-05-01T12:00:00Z",
    )


def certificate_and_key():
    certificate = x509.load_pem_x509_certificate((FILES / "certificates/server.pem").read_bytes())
    key = serialization.load_pem_private_key(
        (FILES / "certificates/server-key.pem").read_bytes(), None
    )
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    scalar = key.private_numbers().private_value.to_bytes(32, "big")
    digest = hashlib.sha1(point).digest()
    serial = certificate.serial_number
    of_certificate = {
        "issuer": certificate.issuer.public_bytes(),
        "serialNumber": serial.to_bytes(serial.bit_length() // 8 + 1, "big"),
    }
    item(
        "cert", data(certificate.public_bytes(Encoding.DER)), accessGroup=GROUP, accessible="ck",
        label="mail.example.org", certificateEncoding=3, certificateType=3,
        issuer=of_certificate["issuer"], publicKeyHash=digest, subjectKeyID=digest,
        serialNumber=of_certificate["serialNumber"],
        subject=certificate.subject.public_bytes(),
        created="2024-03-01T00:00:00Z", modified="2024-03-01T00:00:00Z",
    )
    flags = {"canDecrypt": True, "canDerive": True, "canEncrypt": False}
    # An elliptic-curve key as SecKey gives it out: the point, for a private key its scalar behind.
    item(
        "keys", data(point + scalar), accessGroup=GROUP, accessible="aku", label="mail.example.org",
        applicationTag=b"org.example.mail.tls", keySizeInBits=256, **flags, effectiveKeySize=256,
        isExtractable=True, keyClass=1, applicationLabel=digest, isPermanent=True, isSensitive=True,
        canSign=True, keyType=73, canUnwrap=False, canVerify=False, canWrap=False,
        created="2024-03-01T00:00:00Z", modified="2024-03-01T00:00:00Z",
    )
    item(
        "keys", data(point), accessGroup=GROUP, accessible="ck", label="mail.example.org, public",
        applicationTag=b"org.example.mail.tls", keySizeInBits=256,
        endDate="2034-03-01T00:00:00Z", effectiveKeySize=256, keyClass=0, applicationLabel=digest,
        startDate="2024-03-01T00:00:00Z", keyType=73, canVerify=True,
        created="2024-03-01T00:00:00Z", modified="2024-03-01T00:00:00Z",
    )
    item(
        "idnt", data(certificate.public_bytes(Encoding.DER)), accessGroup=GROUP, accessible="ck",
        label="mail.example.org, with its key", issuer=of_certificate["issuer"],
        applicationLabel=digest, publicKeyHash=digest, serialNumber=of_certificate["serialNumber"],
        created="2024-03-01T00:00:00Z", modified="2024-03-01T00:00:00Z",
    )


generic_passwords()
internet_passwords()
certificate_and_key()
