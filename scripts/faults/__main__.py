"""Plants faults in a copy of the source and runs tests, of which one has to find each: scripts/faults.sh says how to call
it, crates/prove/attacks/faults/README.md what a list is.

The copy, its build and the record of verdicts stand in target/faults."""

import fcntl
import hashlib
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time

import building
import lists
import planting
import running
import source
from places import ALONE, LISTS, PLACE, ROOT
from record import Record, Row


class Lists:
    """The lists that are asked for: their faults, tests, and the sources with faults, as they are without any."""

    def __init__(self, paths):
        self.tests, self.faults, self.texts = {}, [], {}
        for path in paths:
            self.tests[path.stem], faults = lists.read(path)
            self.faults += faults
        for file in sorted({fault.file for fault in self.faults}):
            self.texts[file] = (ROOT / file).read_text()
        self.known_alone = set(ALONE.read_text().split()) if ALONE.is_file() else set()
        self.switched, self.regions = set(), {}

    def planted(self, fault):
        """The source of a fault with it."""
        return fault.planted(self.texts[fault.file])

    def key(self, fault):
        """A hash of the source of a fault with it."""
        return fault.key(self.texts[fault.file])

    def plant(self):
        """Writes all sources with all faults that can stand behind a switch. Gives a hash of them."""
        whole = hashlib.sha256()
        for file, text in self.texts.items():
            candidates = [
                fault for fault in self.faults if fault.file == file and self.key(fault) not in self.known_alone
            ]
            planted = {fault.id: self.planted(fault) for fault in candidates}
            new, self.regions[file] = planting.plant(text, planted)
            source.put(file, new.encode())
            whole.update(new.encode())
        self.switched = {fault for regions in self.regions.values() for region in regions for fault in region.faults}
        return whole.hexdigest()

    def programs(self):
        """Builds the copy as it is. Gives the programs that run the tests of each list."""
        built = building.build([test for tests in self.tests.values() for test in tests])
        programs = {of: [] for of in self.tests}
        for of, tests in self.tests.items():
            for test in tests:
                for name in (f"{test.package} {program}" for program in test.programs):
                    programs[of].append(running.listed(name, *built[name], test.filter))
        return programs

    def build(self):
        """Builds the copy with all faults that compile behind a switch. Gives a hash of their sources, and the programs."""
        while True:
            planted = self.plant()
            try:
                return planted, self.programs()
            except building.Failed as failed:
                blamed = self.blamed(failed.errors)
                if not blamed:
                    sys.exit(f"{failed}\nfaults.sh: the source does not compile")
                self.known_alone |= {self.key(fault) for fault in blamed}
                ALONE.write_text("\n".join(sorted(self.known_alone)) + "\n")

    def blamed(self, errors):
        """The faults in the code that does not compile."""
        places = [place for error in errors for place in error.lines]
        ids = set()
        for file, regions in self.regions.items():
            ids |= planting.blamed(regions, [line for name, line in places if name == file])
        return [fault for fault in self.faults if fault.id in ids]


class Run:
    """A run: what it does with each fault, and what it counts."""

    def __init__(self, asked, runner, record, commit):
        self.asked, self.runner, self.record, self.commit = asked, runner, record, commit
        self.found, self.others, self.lock = 0, [], threading.Lock()

    def note(self, fault, begun, verdict, finding):
        """Records and prints a verdict."""
        seconds = time.monotonic() - begun
        by = (finding.program, finding.test) if finding else ("", "")
        more = f" by {finding.program}: {finding.test} {finding.how}" if finding else ""
        of = sum(1 for other in self.asked.faults if other.of == fault.of)
        with self.lock:
            row = Row(self.asked.key(fault), self.commit, verdict, str(round(seconds)), *by)
            self.record.add(fault.of, fault.name, row)
            print(f"{fault.of} [{fault.number}/{of}] {fault.name}: {verdict}{more} ({seconds:.0f} s)", flush=True)
            if verdict == "found":
                self.found += 1
            else:
                self.others.append(f"{fault.of}: {fault.name}: {verdict}")

    def examine(self, fault, programs, switch):
        """Runs the tests of a fault."""
        begun = time.monotonic()
        others = [other for other in self.asked.faults if other.of == fault.of]
        with self.lock:
            finders = self.record.finders(fault, others)
        finding = self.runner.find(programs[fault.of], switch, finders)
        self.note(fault, begun, "found" if finding else "SURVIVES", finding)

    def examine_alone(self, fault):
        """Builds the copy with a fault that stands behind no switch, and runs its tests."""
        begun = time.monotonic()
        source.put(fault.file, self.asked.planted(fault).encode())
        try:
            programs = self.asked.programs()
        except building.Failed:
            self.note(fault, begun, "does not compile", None)
        else:
            self.examine(fault, programs, None)
        finally:
            self.asked.plant()

    def check_without(self, of, programs):
        """Ends the run if a test fails without any fault."""

        def check(program):
            if finding := self.runner.find([program], None, []):
                print(f"{finding.output}\n{program.name}: {finding.test} {finding.how}", file=sys.stderr)
                raise RuntimeError(
                    f"without any fault the tests of {of}.txt fail, so that nothing can be learnt from them"
                )

        self.runner.each(check, programs)


def wanted(fault, words):
    """True if a fault is one of those that the command line names, by words of its name or by a range of numbers."""
    numbers = re.fullmatch(r"(\d*)-(\d*)", words)
    if numbers:
        return int(numbers[1] or 1) <= fault.number <= int(numbers[2] or sys.maxsize)
    return words in fault.name


def named_list(argument):
    """A name that may be that of a list, with the words for its faults, if there are any."""
    name, _, words = argument.partition(":")
    return name, words


def one_run_at_a_time():
    """Gives a file that is locked as long as it is open."""
    PLACE.mkdir(parents=True, exist_ok=True)
    lock = open(PLACE / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("faults.sh: another run plants faults in target/faults: wait for its end")
    return lock


def main(arguments):
    resume, jobs, words = False, len(os.sched_getaffinity(0)), []
    arguments = list(arguments)
    while arguments:
        argument = arguments.pop(0)
        if argument == "--resume":
            resume = True
        elif argument == "--jobs":
            jobs = int(arguments.pop(0))
        else:
            words.append(argument)
    paths = {path.stem: path for path in sorted(LISTS.glob("*.txt"))}
    named = dict(itertools.takewhile(lambda list_of: list_of[0] in paths, (named_list(word) for word in words)))
    words = " ".join(words[len(named) :])
    lock = one_run_at_a_time()
    described = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(described, check=False, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    asked, record = Lists([paths[name] for name in named or paths]), Record()
    faults = [fault for fault in asked.faults if wanted(fault, named.get(fault.of, "") or words)]
    left = [f for f in faults if not (resume and record.holds(f.of, f.name, asked.key(f), "found"))]
    run = Run(asked, running.Runner(jobs), record, commit)
    if left:
        run_all(run, left, resume)
    for other in run.others:
        print(f"not found: {other}")
    before = len(faults) - len(left)
    if before:
        print(f"{before} were found by runs before, as the file with the fault still is")
    print(f"{run.found + before} passed, {len(run.others)} failed")
    lock.close()
    return 1 if run.others else 0


def run_all(run, left, resume):
    """Builds, and runs tests without a fault and with each that is left."""
    rest = source.copy(run.asked.texts)
    begun = time.monotonic()
    planted, programs = run.asked.build()
    key = hashlib.sha256((rest + planted).encode()).hexdigest()[:16]
    switched, alone = len(run.asked.switched), len(run.asked.faults) - len(run.asked.switched)
    print(f"{switched} faults in one build, {alone} alone ({time.monotonic() - begun:.0f} s)", flush=True)
    for of in sorted({fault.of for fault in left}):
        if not (resume and run.record.holds(of, "no fault", key, "passes")):
            begun = time.monotonic()
            run.check_without(of, programs[of])
            seconds = time.monotonic() - begun
            run.record.add(of, "no fault", Row(key, run.commit, "passes", str(round(seconds))))
            print(f"{of}: without a fault all tests pass ({seconds:.0f} s)", flush=True)
    run.runner.each(
        lambda fault: run.examine(fault, programs, fault.id), [f for f in left if f.id in run.asked.switched]
    )
    for fault in left:
        if fault.id not in run.asked.switched:
            run.examine_alone(fault)


def interrupted(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupted)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("faults.sh: interrupted; --resume goes on")
    except (RuntimeError, running.Stopped) as failure:
        sys.exit(f"faults.sh: {failure}")
