"""Runs programs and says what each took: the whole process, as wait4 accounts for it."""

import ctypes
import dataclasses
import os
import resource
import shlex
import shutil
import statistics
import time


class Failed(Exception):
    """A program ended with an error, or did not do what it was to do."""


@dataclasses.dataclass(frozen=True)
class Command:
    """One process: its arguments, and the files that are its standard input and output."""

    arguments: list
    stdin: str = os.devnull
    stdout: str = os.devnull

    def __str__(self):
        text = shlex.join(self.arguments)
        if self.stdin != os.devnull:
            text += f" < {shlex.quote(self.stdin)}"
        if self.stdout != os.devnull:
            text += f" > {shlex.quote(self.stdout)}"
        return text


@dataclasses.dataclass
class Sample:
    """Seconds of wall clock and of processor (user and system), and peak resident bytes."""

    wall: float
    cpu: float
    memory: int

    def then(self, later):
        return Sample(
            self.wall + later.wall, self.cpu + later.cpu, max(self.memory, later.memory)
        )


@dataclasses.dataclass
class Contender:
    """One side of a comparison.

    `commands` are run one after the other and are one sample, divided by their number: what takes
    milliseconds is measured over many processes. `outputs` are removed before each sample; one
    whose name ends in a slash is a directory, and is made anew.
    `then_sync` is a file that is flushed to the disk afterwards and counted as a row of its own.
    `check` is called after the first sample, and raises Failed when the result is not right.
    """

    name: str
    commands: list
    outputs: list = dataclasses.field(default_factory=list)
    then_sync: str = None
    check: object = None


def run(command, environment, error_path):
    """Runs one process to its end. The clock starts before it exists and stops when it is reaped.

    posix_spawn, because copying the interpreter's page tables in fork takes longer than some of
    what is measured. The peak memory is at least this interpreter's own: see `small_peak`.
    """
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, command.stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, command.stdout, write, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, error_path, write, 0o600),
    ]
    start = time.perf_counter()
    process = os.posix_spawnp(
        command.arguments[0], command.arguments, environment, file_actions=actions
    )
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        with open(error_path, encoding="utf-8", errors="replace") as file:
            message = file.read(2000).strip()
        raise Failed(f"'{command}' ended with {code}: {message}")
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


class Runner:
    """Runs contenders in turn, so that what else the machine does hits all of them."""

    def __init__(self, runs, environment, error_path, progress):
        self.runs = runs
        self.environment = environment
        self.error_path = error_path
        self.progress = progress

    def once(self, command):
        return run(command, self.environment, self.error_path)

    def alternate(self, contenders):
        """All samples of each row, by its name: A B A B …, not A A B B."""
        rows = {}
        for round_number in range(self.runs):
            for contender in contenders:
                self.progress(f"run {round_number + 1} of {self.runs}: {contender.name}")
                for name, sample in self.sample(contender):
                    rows.setdefault(name, []).append(sample)
                if round_number == 0 and contender.check:
                    contender.check()
        own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        for contender in contenders:
            if max(sample.memory for sample in rows[contender.name]) <= own_peak:
                peak = self.small_peak(contender)
                for name in (contender.name, flushed_name(contender)):
                    for sample in rows.get(name, []):
                        sample.memory = peak
        return rows

    def small_peak(self, contender):
        """The peak of a program that needs less than this interpreter, from one more run.

        Linux starts the peak of a new program at that of the process that became it, here a copy
        of this interpreter. So a shell, which is small, starts the program and ends; the program
        then is this process's to wait for.
        """
        become_subreaper()
        for path in contender.outputs:
            clear(path)
        # The shell gives a background command an empty input unless told otherwise.
        start = 'exec 3<&0; "$@" <&3 3<&- &'
        first = contender.commands[0]
        self.once(
            dataclasses.replace(first, arguments=["sh", "-c", start, "sh", *first.arguments])
        )
        _, status, usage = os.wait4(-1, 0)
        if status != 0:
            raise Failed(f"'{first}' ended with {os.waitstatus_to_exitcode(status)}")
        return usage.ru_maxrss * 1024

    def sample(self, contender):
        """One sample of a contender, and one more where its output is flushed as well."""
        for path in contender.outputs:
            clear(path)
        # What others left to be written is not this one's to wait for.
        os.sync()
        total = Sample(0, 0, 0)
        for command in contender.commands:
            total = total.then(self.once(command))
        count = len(contender.commands)
        yield contender.name, Sample(total.wall / count, total.cpu / count, total.memory)
        if contender.then_sync:
            flushing = self.once(Command(["sync", contender.then_sync]))
            yield flushed_name(contender), total.then(flushing)


def flushed_name(contender):
    return f"{contender.name}, then sync"


def become_subreaper():
    """From now on, processes whose parents have ended become children of this one."""
    set_child_subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def clear(path):
    if path.endswith("/"):
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
    elif os.path.exists(path):
        os.unlink(path)


def middle(samples):
    return Sample(
        statistics.median(sample.wall for sample in samples),
        statistics.median(sample.cpu for sample in samples),
        max(sample.memory for sample in samples),
    )


def least(samples):
    return Sample(
        min(sample.wall for sample in samples),
        min(sample.cpu for sample in samples),
        max(sample.memory for sample in samples),
    )
