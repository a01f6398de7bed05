"""The data that the benchmarks run on: made here, the same on every machine, kept for the next run.

Item `i` is a pure function of `i` (a SHA-256 of its number), so that a task can name the item it
wants to find without holding the others. Services and accounts come in no order, as in a real
keychain; rows in key order would flatter a B-tree.
"""

import base64
import collections
import datetime
import hashlib
import json
import os
import plistlib
import random
import time

# In every file name: what an older generator left behind is not taken for this one's.
GENERATOR_VERSION = 1

# Seconds from 1970 to 2001-01-01, where Apple's dates start.
REFERENCE_DATE = 978_307_200

RAW_KEY = hashlib.sha256(b"kcarchive benchmark raw key").digest()
PASSWORD = "benchmark-password"
ACCESS_GROUP = "ABCDE12345.com.example.shared"
SERVICE_COUNT = 4096

WORDS = (
    "account backup build client contract cluster deploy desk device editor gateway home "
    "invoice laptop ledger mail mirror network office pager phone portal printer proxy queue "
    "release router server shared staging store support switch tablet team ticket vault"
).split()

# Made once: json.dumps with separators makes a new one for each call.
ENCODER = json.JSONEncoder(separators=(",", ":"))

KEY_PRAGMA = f"PRAGMA key = \"x'{RAW_KEY.hex()}'\";\n"
# What a careful user sets after the key: pages as in SQLCipher 4, and a cache of 64 MiB, not 2.
TUNED_PAGES = "PRAGMA cipher_page_size = 4096;\n"
TUNED_CACHE = "PRAGMA cache_size = -65536;\n"
COLUMNS = "acct svce agrp sync pdmn labl icmt cdat mdat data".split()
SCHEMA = """CREATE TABLE genp (
  acct TEXT NOT NULL, svce TEXT NOT NULL, agrp TEXT NOT NULL, sync INTEGER NOT NULL,
  pdmn TEXT, labl TEXT, icmt TEXT, cdat REAL, mdat REAL, data BLOB,
  PRIMARY KEY (acct, svce, agrp, sync));
CREATE INDEX genp_svce_acct ON genp (svce, acct);
"""

Item = collections.namedtuple("Item", "service account label comment created modified value")


def item(index):
    """Item number `index`; `created` and `modified` in seconds since 1970."""
    digest = hashlib.sha256(b"kcarchive benchmark item %d" % index).digest()
    text = digest.hex()
    account = f"{text[8:16]}.{index}@example.com"
    created = REFERENCE_DATE + int.from_bytes(digest[8:12], "big") % 700_000_000
    return Item(
        service=f"com.example.service-{int.from_bytes(digest[:4], 'big') % SERVICE_COUNT:04d}",
        account=account,
        label=f"Login of {account}",
        comment=" ".join(WORDS[byte % len(WORDS)] for byte in digest[12:18]),
        created=created,
        modified=created + digest[18] * 3600,
        value=text[-24:],
    )


def picks(count, total):
    """`count` items of the first `total`, spread evenly over the whole range."""
    return [item((2 * position + 1) * total // (2 * count)) for position in range(count)]


def json_line(entry):
    """One line of what `kcarchive pack` reads; about 400 bytes."""
    fields = {
        "class": "genp",
        "service": entry.service,
        "account": entry.account,
        "accessGroup": ACCESS_GROUP,
        "accessible": "ck",
        "synchronizable": False,
        "label": entry.label,
        "comment": entry.comment,
        "created": rfc3339(entry.created),
        "modified": rfc3339(entry.modified),
        "value": {"utf8": entry.value},
    }
    return ENCODER.encode(fields) + "\n"


def rfc3339(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def dictionary(index):
    """A dictionary of seven values, one of each kind; about 175 bytes of a binary list."""
    entry = item(index)
    digest = hashlib.sha256(entry.account.encode()).digest()
    return {
        "name": entry.account,
        "identifier": int.from_bytes(digest[:8], "big") >> 4,
        "score": int.from_bytes(digest[8:12], "big") / 3,
        "created": datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=entry.created),
        "token": digest,
        "enabled": index % 2 == 0,
        "group": f"group-{index % 1000}",
    }


def openstep_dictionary(index):
    """A dictionary of seven values as OpenStep text; numbers, dates and booleans are strings."""
    lines = []
    for key, value in dictionary(index).items():
        text = f"<{value.hex()}>" if isinstance(value, bytes) else f'"{value}"'
        lines.append(f"        {key} = {text};\n")
    return "    {\n" + "".join(lines) + "    },\n"


def archived_objects(count):
    """`$objects` of an array of dictionaries of four values, as NSKeyedArchiver lays it out."""
    objects = ["$null"]
    uid = plistlib.UID

    def add(value):
        objects.append(value)
        return uid(len(objects) - 1)

    root = {"NS.objects": []}
    add(root)
    keys = classes = None
    for index in range(count):
        row = {}
        root["NS.objects"].append(add(row))
        source = dictionary(index)
        names = ("name", "identifier", "score", "token")
        keys = keys or [add(name) for name in names]
        row["NS.keys"] = keys
        row["NS.objects"] = [add(source[name]) for name in names]
        classes = classes or add(
            {"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]}
        )
        row["$class"] = classes
    root["$class"] = add({"$classname": "NSArray", "$classes": ["NSArray", "NSObject"]})
    return objects


def sql_row(entry):
    """The same item as a row. No text that `item` makes holds a quote."""
    return (
        f"INSERT INTO genp VALUES('{entry.account}','{entry.service}','{ACCESS_GROUP}',0,'ck',"
        f"'{entry.label}','{entry.comment}',{entry.created - REFERENCE_DATE}.0,"
        f"{entry.modified - REFERENCE_DATE}.0,x'{entry.value.encode().hex()}');\n"
    )


def sql_select(entry, tuned):
    """The value of one item; the page size has to be the one that the rows were inserted with."""
    settings = TUNED_PAGES if tuned else ""
    where = f"svce='{entry.service}' AND acct='{entry.account}'"
    return f"{KEY_PRAGMA}{settings}SELECT data FROM genp WHERE {where};\n"


def keepass_entry(entry, number):
    strings = {
        "Title": entry.account,
        "UserName": entry.account,
        "Password": entry.value,
        "Notes": entry.comment,
    }
    pairs = "".join(
        f"<String><Key>{key}</Key><Value>{text}</Value></String>" for key, text in strings.items()
    )
    return f"<Entry><UUID>{keepass_uuid(b'entry', number)}</UUID>{pairs}</Entry>\n"


def keepass_uuid(kind, number):
    return base64.b64encode(hashlib.sha256(b"%s %d" % (kind, number)).digest()[:16]).decode()


class Workload:
    """The input files, each made when first asked for, in `folder`."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def items(self, count):
        def write(file):
            for index in range(count):
                file.write(json_line(item(index)).encode())

        return self._made(f"items-{count}.jsonl", write)

    def inserts(self, count, tuned=False):
        """The statements that make a SQLCipher database of the same items, in one transaction."""
        settings = TUNED_PAGES + TUNED_CACHE if tuned else ""

        def write(file):
            file.write((KEY_PRAGMA + settings + SCHEMA + "BEGIN;\n").encode())
            for index in range(count):
                file.write(sql_row(item(index)).encode())
            file.write(b"COMMIT;\n")

        return self._made(f"inserts-{count}{'-tuned' if tuned else ''}.sql", write)

    def keepass_export(self, count):
        """A KeePass XML export: a group for each service, an entry titled by its account."""

        def write(file):
            groups = collections.defaultdict(list)
            for index in range(count):
                entry = item(index)
                groups[entry.service].append(keepass_entry(entry, index))
            file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<KeePassFile><Meta/><Root>')
            file.write(f"<Group><UUID>{keepass_uuid(b'root', 0)}</UUID><Name>Root</Name>".encode())
            for number, (service, entries) in enumerate(groups.items()):
                head = f"<Group><UUID>{keepass_uuid(b'group', number)}</UUID><Name>{service}</Name>"
                file.write((head + "".join(entries) + "</Group>\n").encode())
            file.write(b"</Group></Root></KeePassFile>\n")

        return self._made(f"keepass-{count}.xml", write)

    def property_list(self, count, encoding):
        """A list of dictionaries of seven values, `binary`, `xml` or `openstep`."""
        form = plistlib.FMT_BINARY if encoding == "binary" else plistlib.FMT_XML

        def write(file):
            if encoding == "openstep":
                file.write(b"(\n")
                for index in range(count):
                    file.write(openstep_dictionary(index).encode())
                file.write(b")\n")
                return
            rows = [dictionary(index) for index in range(count)]
            plistlib.dump(rows, file, fmt=form, sort_keys=False)

        return self._made(f"list-{count}-{encoding}.plist", write)

    def keyed_archive(self, count):
        """A binary keyed archive of an array of dictionaries of four values."""

        def write(file):
            archive = {
                "$version": 100000,
                "$archiver": "NSKeyedArchiver",
                "$top": {"root": plistlib.UID(1)},
                "$objects": archived_objects(count),
            }
            plistlib.dump(archive, file, fmt=plistlib.FMT_BINARY, sort_keys=False)

        return self._made(f"archive-{count}.plist", write)

    def random_file(self, byte_count):
        """Bytes that do not compress."""

        def write(file):
            source = random.Random(GENERATOR_VERSION)
            for start in range(0, byte_count, 1 << 20):
                file.write(source.randbytes(min(1 << 20, byte_count - start)))

        return self._made(f"random-{byte_count}.bin", write)

    def key_file(self):
        return self._made("key", lambda file: file.write(RAW_KEY))

    def _made(self, name, write):
        path = os.path.join(self.folder, f"v{GENERATOR_VERSION}-{name}")
        if not os.path.exists(path):
            with open(path + ".partial", "wb") as file:
                write(file)
            os.replace(path + ".partial", path)
        else:
            warm(path)
        return path


def warm(path):
    """Reads a file once, so that no program is the one that pays for a cold page cache."""
    with open(path, "rb", buffering=0) as file:
        chunk = bytearray(1 << 20)
        while file.readinto(chunk):
            pass
