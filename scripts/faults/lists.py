"""Reads lists of faults. crates/prove/attacks/faults/README.md says what stands in one."""

import hashlib
from dataclasses import dataclass, field


@dataclass
class Fault:
    """A fault: its list, its number there, its name, its file, the lines that stand in it and those instead."""

    of: str
    number: int
    name: str
    file: str = ""
    old: list = field(default_factory=list)
    new: list = field(default_factory=list)

    @property
    def id(self):
        """The value of AESMITH_FAULT that switches it on."""
        return f"{self.of}-{self.number}"

    def planted(self, text):
        """The text of its file with the fault in it."""
        lines = text.split("\n")
        at = next(i for i in range(len(lines)) if lines[i : i + len(self.old)] == self.old)
        lines[at : at + len(self.old)] = self.new
        return "\n".join(lines)

    def key(self, text):
        """A hash of its file with the fault alone: a verdict holds as long as it is the same."""
        return hashlib.sha256(self.planted(text).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Tests:
    """A line that names tests: a package, programs (`--lib` or `--test NAME`) and a part of the tests' names."""

    package: str
    programs: tuple
    filter: str

    @staticmethod
    def read(line):
        package, *words = line.split()
        programs, names = [], []
        while words:
            word = words.pop(0)
            if word == "--lib":
                programs.append(word)
            elif word == "--test":
                programs.append(f"--test {words.pop(0)}")
            else:
                names.append(word)
        return Tests(package, tuple(programs), " ".join(names))


def read(path):
    """The lines of a list that name tests, and its faults."""
    tests, faults = [], []
    for line in path.read_text().split("\n"):
        key, _, rest = line.partition(": ")
        if line.startswith("-"):
            faults[-1].old.append(line[1:])
        elif line.startswith("+"):
            faults[-1].new.append(line[1:])
        elif key == "fault":
            faults.append(Fault(path.stem, len(faults) + 1, rest))
        elif key == "file":
            faults[-1].file = rest
        elif key == "tests":
            tests.append(Tests.read(rest))
    return tests, faults
