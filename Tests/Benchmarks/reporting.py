"""Turns samples into what is printed: tables in Markdown, bars, a line about the machine."""

import dataclasses
import os

import measuring

MEBIBYTE = 1 << 20


@dataclasses.dataclass(frozen=True)
class Bar:
    """What kcarchive has to reach.

    `measure` is `wall` or `cpu`, then `limit` is the largest ratio to `peer`; or it is `memory`,
    then `limit` is in bytes and there is no peer.
    """

    measure: str
    limit: float
    peer: str = None
    aim: float = None

    def verdict(self, middles, ours):
        """One line, or None where one of the two was not measured."""
        if ours not in middles or (self.peer and self.peer not in middles):
            return None
        value = getattr(middles[ours], self.measure)
        if self.peer:
            value /= getattr(middles[self.peer], self.measure)
            text = f"{self.measure} against {self.peer}: {value:.2f}, at most {self.limit:.2f}"
        else:
            text = (
                f"memory: {value / MEBIBYTE:.0f} MiB, at most {self.limit / MEBIBYTE:.0f} MiB"
            )
        text += ": met" if value <= self.limit else ": **missed**"
        if self.aim:
            text += f" (the aim, {self.aim:.2f}: {'met' if value <= self.aim else 'not met'})"
        return text


def table(rows, ours, scale):
    """The rows of one comparison; ratios are kcarchive's median over the row's."""
    unit, digits = ("ms", 2) if scale == 1000 else ("s", 3)
    middles = {name: measuring.middle(samples) for name, samples in rows.items()}
    lines = [
        f"| program | wall, {unit} | least wall | CPU, {unit} | least CPU | peak RSS, MiB "
        "| wall ratio | CPU ratio |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, samples in rows.items():
        middle, least = middles[name], measuring.least(samples)
        cells = [name]
        for seconds in (middle.wall, least.wall, middle.cpu, least.cpu):
            cells.append(f"{seconds * scale:.{digits}f}")
        cells.append(f"{middle.memory / MEBIBYTE:.1f}")
        for measure in ("wall", "cpu"):
            if ours in middles and name != ours:
                ratio = getattr(middles[ours], measure) / getattr(middle, measure)
                cells.append(f"{ratio:.2f}")
            else:
                cells.append("")
        lines.append("| " + " | ".join(cells) + " |")
    return lines, middles


def machine(folder):
    """The cores, processor, memory, kernel and file system that the numbers belong to."""
    system = os.uname()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return (
        f"{len(os.sched_getaffinity(0))} cores of {processor()}, {pages / (1 << 30):.0f} GiB, "
        f"{system.sysname} {system.release} {system.machine}, {file_system(folder)}"
    )


def load():
    """How busy the machine was in the last 1, 5 and 15 minutes; more than its cores is shared."""
    return ", ".join(f"{value:.2f}" for value in os.getloadavg())


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model"):
                return value.strip()
    return "an unnamed processor"


def file_system(folder):
    """The type of the file system that holds `folder`: the longest mount point above it."""
    folder = os.path.realpath(folder) + "/"
    best, kind = "", "unknown file system"
    with open("/proc/self/mounts", encoding="utf-8") as file:
        for line in file:
            point, found = line.split()[1:3]
            if folder.startswith(point.rstrip("/") + "/") and len(point) >= len(best):
                best, kind = point, found
    return kind
