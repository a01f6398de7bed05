"""What is compared: for each task the commands of kcarchive and of the programs beside it."""

import dataclasses
import filecmp
import os

import list_tasks
import workload
from measuring import Command, Contender, Failed
from reporting import MEBIBYTE, Bar

OURS = "kcarchive"
SQLCIPHER = "sqlcipher"
TUNED = "sqlcipher, tuned"


@dataclasses.dataclass(frozen=True)
class Sizes:
    items: int
    many_items: int
    keepass_items: int
    file_bytes: int
    gets: int
    # KeePassXC takes a second where the others take milliseconds.
    keepass_gets: int
    list_dictionaries: int
    archive_dictionaries: int


FULL = Sizes(100_000, 1_000_000, 10_000, 1 << 30, 20, 3, 200_000, 50_000)
QUICK = Sizes(2_000, 20_000, 500, 16 * MEBIBYTE, 5, 2, 2_000, 500)


@dataclasses.dataclass(frozen=True)
class Programs:
    """What reads property lists: built by `make bench`, installed by `make bench-peers`."""

    codec: str = ".build/release/codec-bench"
    foundation: str = ".bench/foundation-peer"
    python: str = "/usr/bin/python3"
    peer_python: str = ".build/peers/bin/python3"


@dataclasses.dataclass
class Comparison:
    title: str
    contenders: list
    bars: list = dataclasses.field(default_factory=list)
    milliseconds: bool = False


class Tasks:
    """Each task yields its comparisons one by one: a later one reads what an earlier one left.

    `prepare` runs a contender once, unmeasured, where its output is not there yet, and says whether
    it is there now (its program may not be installed).
    """

    def __init__(self, program, sizes, data, output, prepare):
        self.program = program
        self.sizes = sizes
        self.data = data
        self.output = output
        self.prepare = prepare

    def all(self):
        return {
            "pack": self.pack,
            "get": self.get,
            "file": self.file,
            "million": self.million,
            "keepassxc": self.keepassxc,
            "lists": self.lists,
        }

    def pack(self):
        count = self.sizes.items
        yield Comparison(
            f"Pack {count:,} items, read back",
            [self.packing(count), self.inserting(count), self.inserting(count, tuned=True)],
            [Bar("wall", 0.5, peer, aim=0.25) for peer in (SQLCIPHER, TUNED)],
        )

    def get(self):
        for count in (self.sizes.items, self.sizes.many_items):
            # Filling a million rows by the defaults takes minutes and tells nothing new.
            kinds = (False, True) if count == self.sizes.items else (True,)
            for source in (self.packing(count), *(self.inserting(count, kind) for kind in kinds)):
                self.prepare(source)
            peers = [self.selecting(count, kind) for kind in kinds]
            yield Comparison(
                f"Get one of {count:,} values by service and account, a process for each",
                [self.getting(count), *peers],
                [
                    *(Bar("wall", 2.0, peer.name) for peer in peers),
                    Bar("memory", 32 * MEBIBYTE),
                ],
                milliseconds=True,
            )

    def file(self):
        source = self.data.random_file(self.sizes.file_bytes)
        size = f"{self.sizes.file_bytes // MEBIBYTE:,} MiB"
        archive, encrypted = self.path("file.kcarchive"), self.path("file.age")
        identity, recipient = self.age_key()
        copy, dd = self.path("copy"), ["dd", "status=none"]
        yield Comparison(
            f"Pack a file of {size} that does not compress",
            [
                self.packing_file(source, archive),
                self.writing("age", ["age", "-r", recipient, "-o", encrypted, source], encrypted),
                self.adding_7z(source),
                Contender(
                    "dd, fsync",
                    [Command([*dd, f"if={source}", f"of={copy}", "bs=1M", "conv=fsync"])],
                    [copy],
                ),
            ],
            [
                Bar("cpu", 1.0, "age"),
                *(Bar("wall", 0.8, peer) for peer in ("age", "age, then sync", "7z")),
                Bar("memory", 64 * MEBIBYTE),
            ],
        )

        folder, plain = self.path("restored/"), self.path("file.plain")
        decrypting = self.writing(
            "age", ["age", "-d", "-i", identity, "-o", plain, encrypted], plain
        )
        decrypting.check = lambda: same_content(plain, source)
        yield Comparison(
            f"Restore the file of {size}",
            [
                Contender(
                    OURS,
                    [self.ours("restore", archive, "-C", folder, "--force")],
                    [folder],
                    check=lambda: same_content(only_file(folder), source),
                ),
                decrypting,
            ],
            [
                *(Bar("wall", 0.8, peer) for peer in ("age", "age, then sync")),
                Bar("cpu", 0.8, "age"),
                Bar("memory", 64 * MEBIBYTE),
            ],
        )

    def million(self):
        count = self.sizes.many_items
        archive, database = self.archive(count), self.database(count, tuned=True)
        yield Comparison(
            f"Pack {count:,} items, read back",
            [self.packing(count), self.inserting(count, tuned=True)],
            [Bar("wall", 0.5, TUNED), Bar("memory", 64 * count + 64 * MEBIBYTE)],
        )
        listed, rows = self.path("list.jsonl"), self.path("list.txt")
        columns = ",".join(column for column in workload.COLUMNS if column != "data")
        yield Comparison(
            f"List {count:,} items without their values",
            [
                self.printing(OURS, self.ours("list", archive, "--jsonl"), listed, count),
                self.querying("list", f"SELECT {columns} FROM genp;", database, rows, count),
            ],
        )
        yield Comparison(
            f"Verify {count:,} items",
            [
                Contender(OURS, [self.ours("verify", archive)]),
                self.querying("verify", "PRAGMA integrity_check;", database, rows, 1),
            ],
        )
        restored = self.path("restored.jsonl")
        restoring = self.ours("restore", archive, "--to", "jsonl", "-o", restored)
        yield Comparison(
            f"Restore {count:,} items with their values as text",
            [
                Contender(OURS, [restoring], [restored], check=lambda: has_lines(restored, count)),
                self.querying("restore", "SELECT * FROM genp;", database, rows, count),
            ],
        )

    def keepassxc(self):
        count = self.sizes.keepass_items
        name, key = "keepassxc-cli", self.data.key_file()
        export, database = self.data.keepass_export(count), self.path("items.kdbx")
        arguments = [name, "import", "-q", "--set-key-file", key, export, database]
        yield Comparison(
            f"Pack {count:,} items, read back",
            [self.packing(count), Contender(name, [Command(arguments)], [database])],
        )
        for source in (self.packing(count), Contender(name, [Command(arguments)], [database])):
            self.prepare(source)
        show = [name, "show", "-q", "--no-password", "-k", key, "-s", "-a", "Password", database]
        yield Comparison(
            f"Get one of {count:,} values, a process for each",
            [
                self.getting(count),
                self.finding(
                    name,
                    workload.picks(self.sizes.keepass_gets, count),
                    lambda entry: Command([*show, f"{entry.service}/{entry.account}"]),
                ),
            ],
            milliseconds=True,
        )

    def lists(self):
        yield from list_tasks.comparisons(
            Comparison, self.sizes, self.data, self.output, Programs()
        )

    # The contenders.

    def path(self, name):
        return f"{self.output}/{name}"

    def archive(self, count):
        return self.path(f"items-{count}.kcarchive")

    def database(self, count, tuned):
        return self.path(f"items-{count}{'-tuned' if tuned else ''}.db")

    def ours(self, verb, archive, *arguments):
        key = ["--key-file", self.data.key_file()]
        return Command([self.program, verb, archive, *key, *arguments])

    def packing(self, count):
        return self.packing_file(self.data.items(count), self.archive(count))

    def packing_file(self, source, archive):
        key = ["--key-file", self.data.key_file()]
        return Contender(
            OURS, [Command([self.program, "pack", "-o", archive, *key, source])], [archive]
        )

    def inserting(self, count, tuned=False):
        database = self.database(count, tuned)
        return Contender(
            TUNED if tuned else SQLCIPHER,
            [Command(["sqlcipher", "-bail", database], stdin=self.data.inserts(count, tuned))],
            [database],
        )

    def finding(self, name, entries, command):
        """One process for each of some items; each has to print its value."""
        commands = [
            dataclasses.replace(command(entry), stdout=self.path(f"value-{number}.txt"))
            for number, entry in enumerate(entries)
        ]

        def check():
            for entry, found in zip(entries, commands):
                with open(found.stdout, encoding="utf-8") as file:
                    if file.read().rstrip("\n") != entry.value:
                        raise Failed(f"'{found}' did not print the value '{entry.value}'")

        return Contender(name, commands, check=check)

    def getting(self, count):
        return self.finding(
            OURS,
            workload.picks(self.sizes.gets, count),
            lambda entry: self.ours(
                "get", self.archive(count), "-s", entry.service, "-a", entry.account
            ),
        )

    def selecting(self, count, tuned=False):
        def command(entry):
            # Statements on standard input, so that the key is in no argument list.
            name = f"select-{entry.account}{'-tuned' if tuned else ''}"
            statement = self.statement(name, workload.sql_select(entry, tuned))
            return Command(["sqlcipher", "-bail", self.database(count, tuned)], stdin=statement)

        entries = workload.picks(self.sizes.gets, count)
        return self.finding(TUNED if tuned else SQLCIPHER, entries, command)

    def statement(self, name, text):
        path = self.path(f"{name}.sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def querying(self, name, statement, database, output, line_count):
        text = workload.KEY_PRAGMA + workload.TUNED_PAGES + workload.TUNED_CACHE + statement + "\n"
        command = Command(
            ["sqlcipher", "-bail", database], stdin=self.statement(name, text)
        )
        return self.printing(TUNED, command, output, line_count)

    def printing(self, name, command, output, line_count):
        return Contender(
            name,
            [dataclasses.replace(command, stdout=output)],
            [output],
            check=lambda: has_lines(output, line_count),
        )

    def writing(self, name, arguments, output):
        """A program that leaves its output to the kernel's caches: also measured with a flush."""
        return Contender(name, [Command(arguments)], [output], then_sync=output)

    def adding_7z(self, source):
        output = self.path("file.7z")
        quiet = ["-y", "-bso0", "-bsp0"]
        arguments = ["7z", "a", *quiet, "-mx0", f"-p{workload.PASSWORD}", output, source]
        return self.writing("7z", arguments, output)

    def age_key(self):
        """A new identity's file and its recipient, which is empty where age is not installed."""
        path = self.path("age.identity")
        if not self.prepare(Contender("age", [Command(["age-keygen", "-o", path])], [path])):
            return path, ""
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("# public key: "):
                    return path, line.split()[-1]
        raise Failed(f"{path} names no recipient")


def only_file(folder):
    found = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    if len(found) != 1:
        raise Failed(f"{folder} holds {len(found)} files, not one")
    return found[0]


def same_content(path, source):
    if not filecmp.cmp(path, source, shallow=False):
        raise Failed(f"{path} differs from {source}")


def has_lines(path, count):
    with open(path, "rb") as file:
        found = sum(1 for _ in file)
    if found != count:
        raise Failed(f"{path} has {found} lines, not {count}")
