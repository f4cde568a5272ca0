"""Verdicts of runs before this one, the last of each fault."""

from collections import Counter
from dataclasses import astuple, dataclass

from places import RECORD


@dataclass(frozen=True)
class Row:
    """A verdict on a fault: a hash of its file with it, the commit, the seconds, and what found it: a program and a test."""

    key: str
    commit: str
    verdict: str
    seconds: str
    program: str = ""
    test: str = ""


class Record:
    """The verdicts, by list and name of the fault."""

    def __init__(self):
        self.last = {}
        for line in RECORD.read_text().splitlines() if RECORD.is_file() else []:
            of, name, *rest = line.split("\t")
            # Records of older scripts have fewer columns.
            if len(rest) == 6:
                self.last[of, name] = Row(*rest)

    def add(self, of, name, row):
        """Notes a verdict. It is on the disk before the next one."""
        self.last[of, name] = row
        with open(RECORD, "a") as record:
            record.write("\t".join([of, name, *astuple(row)]) + "\n")

    def holds(self, of, name, key, verdict):
        """True if a verdict on the same file is known."""
        row = self.last.get((of, name))
        return row is not None and (row.key, row.verdict) == (key, verdict)

    def finders(self, fault, others):
        """Programs and tests that are likely to find a fault: what found it last time, then what found other ones, the
        most frequent first."""
        found = [self.last.get((fault.of, name)) for name in (fault.name, *others)]
        found = [(row.program, row.test) if row and row.verdict == "found" else None for row in found]
        return list(dict.fromkeys(filter(None, [found[0], *(pair for pair, _ in Counter(found[1:]).most_common())])))
