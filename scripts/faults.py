"""Plants single faults in a copy of the source and runs tests, of which one has to fail: scripts/faults.sh says how to call
it, crates/prove/attacks/faults/README.md what a list is.

The copy, its build and the record of verdicts stand in target/faults. A file of the copy is written only where its bytes
change, so that cargo builds what a fault reaches and nothing else, and never takes a build with a fault in it for one
without."""

import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = "crates/prove/attacks/faults"
PLACE = ROOT / "target/faults"
COPY = PLACE / "source"
RECORD = PLACE / "record.tsv"
LOG = PLACE / "log"
# What takes far longer than it should fails.
SECONDS = 1200


def files():
    """Paths of the source as it is now: what git knows, and what it does not ignore."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    # What is deleted and not committed is in no copy.
    return sorted(name for name in set(names) if name and os.path.lexists(ROOT / name))


def copy_source():
    """Makes the copy what the source is now. Gives a hash of it."""
    whole, names = hashlib.sha256(), files()
    for name in names:
        source, target = ROOT / name, COPY / name
        is_link = source.is_symlink()
        data = os.readlink(source).encode() if is_link else source.read_bytes()
        whole.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
        if is_link:
            if not target.is_symlink() or os.readlink(target).encode() != data:
                target.unlink(missing_ok=True)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(data.decode())
        else:
            write(target, data)
            shutil.copymode(source, target)
    known = set(names)
    # Folders that are empty then are cases without files for tests that find their cases in folders.
    for path in sorted(COPY.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif str(path.relative_to(COPY)) not in known:
            path.unlink()
    return whole.hexdigest()


def write(target, data):
    """Writes a file unless it has these bytes already."""
    if target.is_symlink():
        target.unlink()
    if not target.is_file() or target.read_bytes() != data:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


class Fault:
    """A fault of a list: its name, its file, the lines that stand there and those instead, tests to run first."""

    def __init__(self, name):
        self.name, self.file, self.old, self.new, self.first = name, "", [], [], []

    def planted(self):
        """The file with the fault in it, where the copy has none."""
        lines = (COPY / self.file).read_text().split("\n")
        at = next(i for i in range(len(lines)) if lines[i : i + len(self.old)] == self.old)
        lines[at : at + len(self.old)] = self.new
        return "\n".join(lines).encode()

    def key(self):
        """A hash of the file with the fault: a verdict on it holds as long as it is the same."""
        return hashlib.sha256(self.planted()).hexdigest()[:16]


def read(path):
    """Tests of a list, each with the dev-dependencies that are left out, and its faults."""
    tests, faults, without = [], [], []
    for line in path.read_text().split("\n"):
        key, _, rest = line.partition(": ")
        if line.startswith("-"):
            faults[-1].old.append(line[1:])
        elif line.startswith("+"):
            faults[-1].new.append(line[1:])
        elif key == "fault":
            faults.append(Fault(rest))
        elif key == "file":
            faults[-1].file = rest
        elif key == "tests" and faults:
            faults[-1].first.append(rest)
        elif key == "tests":
            tests.append((rest, without))
        elif key == "without":
            without = rest.split()
    return tests, faults


class Manifests:
    """Manifests of the copy as the source has them, and what cargo resolved of them."""

    def __init__(self):
        paths = [*COPY.glob("crates/*/Cargo.toml"), *COPY.glob("processors/*/Cargo.toml")]
        self.texts = {path: path.read_text() for path in paths}
        self.lock = (COPY / "Cargo.lock").read_bytes()

    def leave_out(self, package, names):
        """Leaves dev-dependencies out of the manifest of a package: of none, it is as it was."""
        write(COPY / "Cargo.lock", self.lock)
        for path, text in self.texts.items():
            if f'name = "{package}"\n' in text:
                head, dev, rest = text.partition("[dev-dependencies]\n")
                left = [line for line in rest.split("\n") if re.split("[. ]", line)[0] not in names]
                write(path, (head + dev + "\n".join(left)).encode())


def failing(manifests, tests, first):
    """The tests of a list that fail, those that are named first before the others; nothing if none does."""
    order = sorted(tests, key=lambda test: first.index(test[0]) if test[0] in first else len(first))
    for arguments, without in order:
        words = arguments.split()
        manifests.leave_out(words[0], without)
        # Debugging information would be linked again and again, and nobody reads it.
        environment = dict(os.environ, CARGO_TARGET_DIR=str(PLACE / "build"), CARGO_PROFILE_DEV_DEBUG="0")
        with open(LOG, "wb") as log:
            command = ["cargo", "test", "--quiet", "--package", *words]
            run = subprocess.Popen(
                command, cwd=COPY, env=environment, stdout=log, stderr=log, start_new_session=True
            )
            try:
                code = run.wait(SECONDS)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                if run.poll() is None:
                    os.killpg(run.pid, signal.SIGKILL)
                    run.wait()
        if code != 0:
            return arguments
    return None


class Record:
    """Verdicts of runs before this one, the last of each fault."""

    def __init__(self):
        self.last = {}
        for line in RECORD.read_text().splitlines() if RECORD.is_file() else []:
            of, name, *rest = line.split("\t")
            if len(rest) == 5:
                self.last[of, name] = rest

    def add(self, of, name, key, commit, verdict, seconds, by):
        """Notes a verdict. It is on the disk before the next fault is planted."""
        row = [key, commit, verdict, str(round(seconds)), by or ""]
        self.last[of, name] = row
        with open(RECORD, "a") as record:
            record.write("\t".join([of, name, *row]) + "\n")

    def finder(self, of, name):
        """The tests that found a fault last time."""
        row = self.last.get((of, name))
        return [row[4]] if row and row[2] == "found" else []

    def found(self, of, name, key):
        """The commit at which the same fault of the same file was found."""
        row = self.last.get((of, name))
        return row[1] if row and row[0] == key and row[2] == "found" else None


def wanted(number, name, words):
    """Whether a fault is one of those that the command line names, by words of its name or by a range of numbers."""
    numbers = re.fullmatch(r"(\d*)-(\d*)", words)
    if numbers:
        return int(numbers[1] or 1) <= number <= int(numbers[2] or sys.maxsize)
    return words in name


def main(arguments):
    resume = arguments[:1] == ["--resume"]
    arguments = arguments[1:] if resume else arguments
    lists = sorted((ROOT / LISTS).glob("*.txt"))
    if arguments and (ROOT / LISTS / f"{arguments[0]}.txt").is_file():
        lists = [ROOT / LISTS / f"{arguments.pop(0)}.txt"]
    words = " ".join(arguments)
    PLACE.mkdir(parents=True, exist_ok=True)
    lock = open(PLACE / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("faults.sh: another run plants faults in target/faults: wait for its end")
    source = copy_source()
    described = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(described, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    manifests, record, found, before, survivors = Manifests(), Record(), 0, 0, []
    for path in lists:
        of = path.stem
        tests, faults = read(COPY / path.relative_to(ROOT))
        asked = [(n, f) for n, f in enumerate(faults, 1) if wanted(n, f.name, words)]
        left = [(n, f) for n, f in asked if not (resume and record.found(of, f.name, f.key()))]
        before += len(asked) - len(left)
        if not left:
            continue
        known = record.last.get((of, "no fault"))
        if not (resume and known and known[0] == source[:16]):
            if failing(manifests, tests, []):
                sys.stderr.write(LOG.read_text(errors="replace")[-2000:])
                sys.exit(
                    f"faults.sh: without any fault the tests of {of}.txt fail, so that nothing can be learnt from them"
                )
            record.add(of, "no fault", source[:16], commit, "passes", 0, "")
        for number, fault in left:
            started = time.monotonic()
            whole = (COPY / fault.file).read_bytes()
            write(COPY / fault.file, fault.planted())
            by = failing(manifests, tests, record.finder(of, fault.name) + fault.first)
            write(COPY / fault.file, whole)
            verdict = "found" if by else "SURVIVES"
            if by and re.search(rb"^error: could not compile", LOG.read_bytes(), re.M):
                verdict = "does not compile"
            seconds = time.monotonic() - started
            record.add(of, fault.name, fault.key(), commit, verdict, seconds, by)
            more = f" by {by}" if verdict == "found" else ""
            print(f"[{number}/{len(faults)}] {fault.name}: {verdict}{more} ({seconds:.0f} s)", flush=True)
            if verdict == "found":
                found += 1
            else:
                survivors.append(f"{of}: {fault.name}: {verdict}")
    for survivor in survivors:
        print(f"not found: {survivor}")
    if before:
        print(f"{before} were found by runs before, as the file with the fault still is")
    print(f"{found + before} passed, {len(survivors)} failed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
