"""Runs tests' programs, and ends them at the first test that fails."""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from places import TEMPORARY

# A test that takes longer fails: most take less than a second, the longest a minute.
SECONDS = 600
START = re.compile(rb"^test (\S+)(?: - should panic)? \.\.\. ")


class Stopped(Exception):
    """The run was interrupted."""


@dataclass(frozen=True)
class Program:
    """A test program: its name, its path, the folder in which it runs, and its tests; none if it has its own harness."""

    name: str
    path: str
    folder: str
    tests: tuple


@dataclass(frozen=True)
class Finding:
    """A failure: the program, the test, and how it ended."""

    program: str
    test: str
    how: str
    output: str


def listed(name, path, folder, words):
    """A program with those of its tests that have words in their names."""
    command = [path, "--list", *([words] if words else [])]
    said = subprocess.run(command, check=False, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    is_standard = said.returncode == 0 and re.search(r"^\d+ tests?, \d+ benchmarks$", said.stdout, re.MULTILINE)
    tests = tuple(re.findall(r"^(.*): test$", said.stdout, re.MULTILINE)) if is_standard else ()
    if is_standard and not tests:
        sys.exit(f"faults.sh: {name} has no test with `{words}` in its name")
    return Program(name, path, folder, tests)


class Runner:
    """Runs programs, several at once if asked to, until it is stopped."""

    def __init__(self, jobs):
        self.jobs, self.is_stopped, self.running, self.lock = jobs, False, set(), threading.Lock()

    def each(self, task, items):
        """Calls a function with each item, in as many threads as there are jobs."""
        left, failures = list(items), []

        def work():
            while not failures:
                with self.lock:
                    if not left or self.is_stopped:
                        return
                    item = left.pop(0)
                try:
                    task(item)
                except Exception as failure:
                    failures.append(failure)

        threads = [threading.Thread(target=work) for _ in range(self.jobs)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        except BaseException:
            # Ctrl-C, which only the main thread is told.
            self.stop()
            raise
        if failures:
            raise failures[0]

    def stop(self):
        """Ends all programs that run."""
        with self.lock:
            self.is_stopped = True
            for run in self.running:
                kill(run)

    def find(self, programs, fault, finders):
        """The first failure of some programs with a fault switched on; None if all tests pass. Tests that are likely to
        find it are run before the others."""
        tried = {}
        for name, test in finders:
            program = next((p for p in programs if p.name == name and (test in p.tests or not p.tests)), None)
            if program:
                tried.setdefault(name, set()).add(test)
                if finding := self.failure(program, [test] if test else [], fault):
                    return finding
        for program in programs:
            tests = [test for test in program.tests if test not in tried.get(program.name, ())]
            is_left = tests or (not program.tests and program.name not in tried)
            if is_left and (finding := self.failure(program, tests, fault)):
                return finding
        return None

    def failure(self, program, tests, fault):
        """The first of some tests of a program that fails; None if all pass."""
        temporary = TEMPORARY / str(threading.get_ident())
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        environment = {name: value for name, value in os.environ.items() if name != "AESMITH_FAULT"}
        environment |= {"TMPDIR": str(temporary)} | ({"AESMITH_FAULT": fault} if fault else {})
        command = [program.path, *(["--test-threads=1", "--exact", *tests] if tests else [])]
        with self.lock:
            if self.is_stopped:
                raise Stopped
            run = subprocess.Popen(
                command,
                cwd=program.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self.running.add(run)
        try:
            test, how, output = watch(run)
        finally:
            with self.lock:
                self.running.discard(run)
                # What tests have started ends with them.
                kill(run)
            run.wait()
            run.stdout.close()
            shutil.rmtree(temporary, ignore_errors=True)
        if self.is_stopped:
            raise Stopped
        return Finding(program.name, test, how, output) if how else None


def kill(run):
    """Kills a program and what it started."""
    try:
        os.killpg(run.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def watch(run):
    """Reads the output of a program up to the first failure. Gives the test, how it failed, if it did, and the end of the
    output."""
    test, begun, output, line, how = "", time.monotonic(), b"", b"", None
    while how is None:
        is_over, read = run.poll() is not None, b""
        if select.select([run.stdout], [], [], 0 if is_over else 1)[0]:
            read = os.read(run.stdout.fileno(), 65536)
            output = (output + read)[-20000:]
        for piece in read.splitlines(keepends=True):
            line += piece
            start = START.match(line)
            if start and start[1].decode() != test:
                test, begun = start[1].decode(), time.monotonic()
            if line.endswith(b"\n"):
                if test and line.endswith(b"FAILED\n"):
                    # The tests behind it in the same piece of output have not failed.
                    how = "failed"
                    break
                line = b""
        if how is None and is_over and not read:
            how = "" if run.returncode == 0 else "failed" if run.returncode > 0 else "was killed"
        elif how is None and time.monotonic() - begun > SECONDS:
            how = f"took longer than {SECONDS} s"
        elif not read:
            # A program that has closed its output may go on.
            time.sleep(0.01)
    return test, how, output.decode(errors="replace")
