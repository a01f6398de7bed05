#!/usr/bin/env python3
"""Measures kcarchive beside age, 7z, sqlcipher, keepassxc-cli and readers of property lists.

What is measured, why so, and what the numbers do not say: README.md beside this file.
"""

import argparse
import os
import shlex
import shutil
import sys

sys.dont_write_bytecode = True

import measuring
import reporting
import tasks
from measuring import Command, Failed
from workload import Workload

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = ".bench/data"
OUTPUT = ".bench/out"
FREE_BYTES_NEEDED = 12 << 30


def main():
    options = parse(sys.argv[1:])
    os.chdir(ROOT)
    # Nothing that an earlier version of the program wrote is measured as this one's.
    shutil.rmtree(OUTPUT, ignore_errors=True)
    os.makedirs(OUTPUT)
    free = shutil.disk_usage(OUTPUT).free
    if not options.quick and free < FREE_BYTES_NEEDED:
        return fail(f"{free >> 30} GiB free for .bench, {FREE_BYTES_NEEDED >> 30} needed; --quick?")
    try:
        return Bench(options).run()
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(OUTPUT, ignore_errors=True)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", metavar="PATH", help="the kcarchive to measure")
    parser.add_argument("--peers-only", action="store_true", help="measure only the others")
    parser.add_argument("--runs", type=int, default=5, help="samples of each row (5)")
    parser.add_argument("--only", metavar="TASK", action="append", help="a task; may be repeated")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it all work?")
    options = parser.parse_args(arguments)
    names = list(tasks.Tasks(None, None, None, None, None).all())
    for name in options.only or []:
        if name not in names:
            parser.error(f"no task '{name}'; there are: {', '.join(names)}")
    if options.runs < 1:
        parser.error("--runs: at least 1")
    if not options.program and not options.peers_only:
        parser.error("--program PATH or --peers-only")
    if options.program and not os.access(options.program, os.X_OK):
        parser.error(f"--program: no program at '{options.program}'")
    if options.program:
        options.program = os.path.relpath(options.program, ROOT)
        if not os.path.dirname(options.program):
            options.program = os.path.join(".", options.program)
    return options


def fail(message):
    print(f"bench: error: {message}", file=sys.stderr)
    return 1


class Bench:
    """One run of the whole: which tasks, with which programs, and the report."""

    def __init__(self, options):
        self.options = options
        # No KCARCHIVE_… and no ~/.sqliterc of whoever runs this.
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": OUTPUT,
            "LC_ALL": "C.UTF-8",
        }
        self.runner = measuring.Runner(
            options.runs, environment, f"{OUTPUT}/standard-error.txt", progress
        )
        self.tasks = tasks.Tasks(
            options.program or tasks.OURS,
            tasks.QUICK if options.quick else tasks.FULL,
            Workload(DATA),
            OUTPUT,
            self.prepare,
        )
        self.failed = False

    def run(self):
        self.head()
        for name, task in self.tasks.all().items():
            if self.options.only and name not in self.options.only:
                continue
            try:
                for comparison in task():
                    self.compare(name, comparison)
            except Failed as failure:
                self.failed = True
                say(f"\n**{name} failed**: {failure}")
        say(f"\nLoad averages at the end: {reporting.load()}")
        return 1 if self.failed else 0

    def head(self):
        say("# kcarchive beside its peers\n")
        say(f"Command: `{shlex.join(['python3', *sys.argv])}`  ")
        say(f"Machine: {reporting.machine(OUTPUT)}  ")
        say(f"Load averages at the start: {reporting.load()}  ")
        say(f"Programs: {'; '.join(self.versions())}\n")
        say(
            f"Medians of {self.options.runs} alternating runs, the least beside them; whole "
            "processes, page cache warm. Ratio: kcarchive / program, below 1 is faster."
        )

    def versions(self):
        """The first line that each installed program prints about itself."""
        asked = {
            tasks.OURS: [self.tasks.program, "version"],
            "age": ["age", "--version"],
            "7z": ["7z", "i"],
            "sqlcipher": ["sqlcipher", ":memory:", "PRAGMA cipher_version;"],
            "keepassxc-cli": ["keepassxc-cli", "--version"],
        }
        path = f"{OUTPUT}/version.txt"
        for name, arguments in asked.items():
            if not self.available(name, arguments[0]):
                yield f"{name} not measured"
                continue
            try:
                self.runner.once(Command(arguments, stdout=path))
            except Failed:
                yield f"{name} of unknown version"
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = [line.strip() for line in file if line.strip()]
            first = lines[0].split(" : ")[0] if lines else "of unknown version"
            yield first if first.startswith(name) else f"{name} {first}"

    def available(self, name, program):
        if name == tasks.OURS and self.options.peers_only:
            return False
        return shutil.which(program) is not None

    def prepare(self, contender):
        if not self.available(contender.name, contender.commands[0].arguments[0]):
            return False
        if not all(os.path.exists(path) for path in contender.outputs):
            progress(f"preparing: {contender.name}")
            list(self.runner.sample(contender))
        return True

    def compare(self, task, comparison):
        say(f"\n## {task}: {comparison.title}\n")
        present, missing = [], []
        for contender in comparison.contenders:
            found = self.available(contender.name, contender.commands[0].arguments[0])
            (present if found else missing).append(contender)
        rows = self.runner.alternate(present)
        scale = 1000 if comparison.milliseconds else 1
        lines, middles = reporting.table(rows, tasks.OURS, scale)
        say("\n".join(lines) + "\n")
        for contender in missing:
            reason = "left out" if self.options.peers_only else "not installed, skipped"
            say(f"* {contender.name}: {reason}")
        for bar in comparison.bars if not self.options.quick else []:
            verdict = bar.verdict(middles, tasks.OURS)
            if verdict:
                say(f"* {verdict}")
        for contender in present:
            say(f"* {contender.name}: `{contender.commands[0]}`")


def say(text):
    print(text, flush=True)


def progress(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
