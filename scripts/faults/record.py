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
        """Programs and tests that are likely to find a fault: what found it last time, then what found others of its file,
        then what found others of its list; of each the most frequent first."""
        groups = [[fault], [f for f in others if f.file == fault.file], others]
        found = []
        for group in groups:
            rows = [self.last.get((f.of, f.name)) for f in group]
            counted = Counter((row.program, row.test) for row in rows if row and row.verdict == "found")
            found += [finder for finder, _ in counted.most_common()]
        return list(dict.fromkeys(found))
