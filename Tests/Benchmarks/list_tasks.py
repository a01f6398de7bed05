"""What is compared of property lists: our library beside those that people read lists with.

Every contender is one process that reads a file, makes plain values of all of it and prints how
many elements the root has. Ours is `codec-bench` (ListReading/), since no verb does just that; it
also reads lists as documents: all is checked, and values are made when somebody asks for one. The
others know no such way, so they do there what they do everywhere.
"""

from measuring import Command, Contender, Failed
from reporting import Bar

OURS = "kcarchive"

# What a short Python program needs to read a list or an archive: argument 1 is the file.
PLISTLIB = """
import plistlib, sys
with open(sys.argv[1], 'rb') as file:
    print(len(plistlib.load(file)))
"""
PLISTLIB_BINARY = """
import plistlib, sys
with open(sys.argv[1], 'rb') as file:
    value = plistlib.load(file)
with open(sys.argv[2], 'wb') as file:
    plistlib.dump(value, file, fmt=plistlib.FMT_BINARY)
"""
BPYLIST2 = """
import sys
from bpylist2 import archiver
with open(sys.argv[1], 'rb') as file:
    print(len(archiver.unarchive(file.read())))
"""


def comparisons(comparison, sizes, data, output, programs):
    """The comparisons; `comparison` makes one of a title, contenders and bars."""

    def reading(name, arguments, source, count):
        printed = f"{output}/{name}-{count}.txt"

        def check():
            with open(printed, encoding="utf-8") as file:
                text = file.read().strip()
            if text != str(count):
                raise Failed(f"{name} found '{text}' elements in {source}, not {count}")

        return Contender(name, [Command([*arguments, source], stdout=printed)], check=check)

    def converting(name, arguments, result):
        return Contender(name, [Command(arguments)], [result])

    count = sizes.list_dictionaries
    for task, kind, encoding, how, bars in (
        ("document", "a binary list", "binary", "as a document", [Bar("wall", 1 / 20, "plistlib")]),
        ("list", "a binary list", "binary", "into plain values", []),
        ("document", "an XML list", "xml", "as a document", [Bar("wall", 1 / 5, "Foundation")]),
        ("list", "an XML list", "xml", "into plain values", []),
        ("document", "an OpenStep list", "openstep", "as a document", []),
        ("list", "an OpenStep list", "openstep", "into plain values", []),
    ):
        source = data.property_list(count, encoding)
        contenders = [
            reading(OURS, [programs.codec, task], source, count),
            reading("plistlib", [programs.python, "-c", PLISTLIB], source, count),
            reading("Foundation", [programs.foundation, "list"], source, count),
        ]
        # plistlib knows no OpenStep lists.
        if encoding == "openstep":
            del contenders[1]
        yield comparison(
            f"Read {kind} of {count:,} dictionaries of seven values {how}", contenders, bars
        )

    source = data.property_list(count, "binary")
    yield comparison(
        f"Decode a binary list of {count:,} dictionaries of seven values into Swift structures",
        [
            reading(OURS, [programs.codec, "types"], source, count),
            reading("Foundation", [programs.foundation, "types"], source, count),
        ],
        [],
    )

    binary, xml = data.property_list(count, "binary"), f"{output}/list.xml"
    yield comparison(
        f"Write a binary list of {count:,} dictionaries as XML",
        [
            converting(OURS, [programs.codec, "xml", binary, xml], xml),
            converting("plistutil", ["plistutil", "-i", binary, "-o", xml, "-f", "xml"], xml),
        ],
        [Bar("wall", 1 / 5, "plistutil")],
    )

    source, result = data.property_list(count, "xml"), f"{output}/list.bplist"
    yield comparison(
        f"Write an XML list of {count:,} dictionaries as a binary one",
        [
            converting(OURS, [programs.codec, "binary", source, result], result),
            converting(
                "plistlib", [programs.python, "-c", PLISTLIB_BINARY, source, result], result
            ),
        ],
        [Bar("wall", 1 / 12, "plistlib", aim=1 / 20)],
    )

    # Foundation takes 17 s for a thousand.
    few = min(count, 1000)
    source, result = data.property_list(few, "binary"), f"{output}/archive.bplist"
    yield comparison(
        f"Archive a list of {few:,} dictionaries of seven values",
        [
            converting(OURS, [programs.codec, "keyed", source, result], result),
            converting("Foundation", [programs.foundation, "keyed", source, result], result),
        ],
        [Bar("wall", 1 / 1000, "Foundation")],
    )

    count = sizes.archive_dictionaries
    source = data.keyed_archive(count)
    # A graph is all of an archive, checked, with the values of objects on demand.
    for task, how in (("graph", "as a graph"), ("archive", "into plain values")):
        yield comparison(
            f"Read a keyed archive of {count:,} dictionaries of four values {how}",
            [
                reading(OURS, [programs.codec, task], source, count),
                reading("bpylist2", [programs.peer_python, "-c", BPYLIST2], source, count),
                reading("Foundation", [programs.foundation, "archive"], source, count),
            ],
            [Bar("wall", 1 / 20, "bpylist2"), Bar("wall", 1 / 20, "Foundation")],
        )
