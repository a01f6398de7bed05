#!/usr/bin/env python3
"""A reader of kcarchive files, written from Spec/container.md alone.

It exists to prove that the text suffices, and to judge test vectors beside the product: nothing
here was taken from the product's sources. It keeps the archive and one value at a time in memory.

    kcarchive_reader.py ARCHIVE              every live item with its value, a JSON object a line
    kcarchive_reader.py --list ARCHIVE       every live item; no value is opened
    kcarchive_reader.py --scan ARCHIVE       either without the index, as from a pipe ("-" is one)
    kcarchive_reader.py --verify ARCHIVE     every finding, a JSON object a line; without a
                                             credential, what has no key

Warnings and errors go to standard error; the exit status is that of Spec/container.md, "Findings".
"""

import argparse
import json
import os
import sys

from container.credentials import Credentials, age_identity, recovery_code, without_newline
from container.items_json import item_json
from container.primitives import (
    DAMAGED,
    FAILED,
    NOT_FOUND,
    TAMPERED,
    TRUNCATED,
    USAGE,
    Finding,
    worst,
)
from container.reading import items, open_archive, verify
from container.structure import structure


def size_argument(text):
    for suffix, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if text.endswith(suffix):
            return int(text[:-3]) << shift
    return int(text)


def required_commit(text):
    wanted, _, prefix = text.partition(":")
    if prefix and (len(prefix) < 16 or any(c not in "0123456789abcdef" for c in prefix.lower())):
        raise ValueError(text)
    return int(wanted), prefix.lower()


def arguments(words):
    parser = argparse.ArgumentParser(description="read a kcarchive file")
    parser.add_argument("archive", help="path, or - for standard input")
    parser.add_argument("--key-file", action="append", default=[])
    parser.add_argument("--with-key-file", action="append", default=[])
    parser.add_argument("-i", "--identity", action="append", default=[])
    parser.add_argument("--recovery-code-file", action="append", default=[])
    parser.add_argument("--scan", action="store_true", help="don't use the index, as from a pipe")
    parser.add_argument("--list", action="store_true", help="items without their values")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--accept-old-header", action="store_true")
    parser.add_argument("--require-commit", type=required_commit)
    parser.add_argument("--kdf-max-time", type=int, default=16384)
    parser.add_argument("--kdf-max-memory", type=size_argument, default=1 << 30)
    return parser.parse_args(words)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def gather_credentials(options):
    credentials = Credentials()
    environment = os.environb
    if b"KCARCHIVE_PASSPHRASE" in environment:
        credentials.passphrases.append(environment[b"KCARCHIVE_PASSPHRASE"])
    elif b"KCARCHIVE_PASSPHRASE_FILE" in environment:
        credentials.passphrases.append(
            without_newline(read(environment[b"KCARCHIVE_PASSPHRASE_FILE"]))
        )
    credentials.key_files = [read(path) for path in options.key_file]
    credentials.mixed_key_files = [read(path) for path in options.with_key_file]
    for path in options.identity:
        lines = [line.strip() for line in read(path).decode().splitlines()]
        credentials.identities += [age_identity(t) for t in lines if t and not t.startswith("#")]
    for path in options.recovery_code_file:
        credentials.recovery_codes.append(recovery_code(read(path).decode()))
    if b"" in credentials.passphrases:
        raise Finding(USAGE, None, "an empty passphrase")
    if any(len(f) < 32 for f in credentials.key_files + credentials.mixed_key_files):
        raise Finding(USAGE, None, "a key file has at least 32 bytes")
    if not (
        credentials.passphrases
        or credentials.key_files
        or credentials.identities
        or credentials.recovery_codes
    ):
        if options.verify:
            return None
        raise Finding(USAGE, None, "no credential: set KCARCHIVE_PASSPHRASE or give --key-file")
    return credentials


def say(severity, finding):
    where = "" if finding.place is None else " (at %d)" % finding.place
    print("kcarchive_reader: %s: %s%s" % (severity, finding.reason, where), file=sys.stderr)


def report(findings):
    """Prints the findings of --verify; gives the status of the worst."""
    for finding in sorted(findings, key=lambda f: f.place):
        row = {"status": finding.status, "place": finding.place, "reason": finding.reason}
        print(json.dumps(row))
    return worst({finding.status for finding in findings})


def main(words=None):
    """Runs the program on the words of a command line; gives the exit status."""
    options = arguments(words)
    try:
        credentials = gather_credentials(options)
        pipe = options.scan or options.archive == "-"
        data = sys.stdin.buffer.read() if options.archive == "-" else read(options.archive)
        if credentials is None:
            return report(structure(data))
        archive, copies = open_archive(
            data,
            credentials,
            (options.kdf_max_time, options.kdf_max_memory),
            options.accept_old_header,
            options.require_commit,
        )
    except Finding as finding:
        if options.verify and finding.status in (DAMAGED, TAMPERED, TRUNCATED):
            report([finding])
        say("error", finding)
        return finding.status
    except OSError as error:
        say("error", Finding(NOT_FOUND, None, str(error)))
        return NOT_FOUND if isinstance(error, FileNotFoundError) else FAILED
    if options.verify:
        verify(archive, copies)
        return report(archive.findings)
    for item in items(archive, pipe, pipe, not options.list):
        try:
            value = None if options.list else archive.value(item)
            print(json.dumps(item_json(item, value), ensure_ascii=False))
        except Finding as finding:
            archive.note(finding)
    for finding in archive.warnings:
        say("warning", finding)
    for finding in archive.findings:
        say("error", finding)
    return worst({f.status for f in archive.findings})


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
