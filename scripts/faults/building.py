"""Builds the tests' programs of the copy, and says what does not compile."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from places import BUILD, COPY


@dataclass(frozen=True)
class Error:
    """An error of the compiler: its text, and the lines where it is, as pairs of a file and a number."""

    text: str
    lines: tuple


class Failed(Exception):
    """The copy does not compile."""

    def __init__(self, errors):
        super().__init__("".join(error.text for error in errors))
        self.errors = errors


def build(tests):
    """Builds programs. Gives the path and the package's folder of each, by its name such as `aesmith-isa --lib`."""
    packages = sorted({test.package for test in tests})
    programs = sorted({program for test in tests for program in test.programs})
    command = ["cargo", "test", "--no-run", "--locked", "--message-format=json"]
    command += [word for package in packages for word in ("--package", package)]
    command += [word for program in programs for word in program.split()]
    environment = dict(
        os.environ,
        CARGO_TARGET_DIR=str(BUILD),
        # Debugging information would be linked again and again, and is not read.
        CARGO_PROFILE_DEV_DEBUG="0",
        # Bodies that are there several times have code that is not reached.
        RUSTFLAGS="--cap-lints=warn",
    )
    run = subprocess.run(
        command, check=False, cwd=COPY, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    messages = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    if run.returncode == 0:
        return dict(filter(None, map(executable, messages)))
    errors = [error(message["message"]) for message in messages if is_error(message)]
    # A linker's message has no place.
    told = [message["message"] for message in messages if message["reason"] == "compiler-message"]
    said = [message["rendered"] for message in told if message["level"].startswith("error")]
    raise Failed(errors or [Error("".join([*said, run.stderr]), ())])


def executable(message):
    """The name of a test program that was built, its path, and the folder of its package; or None."""
    if message["reason"] != "compiler-artifact" or not message["executable"] or not message["profile"]["test"]:
        return None
    manifest, target = Path(message["manifest_path"]), message["target"]
    package = re.search(r'^name = "(.*)"', manifest.read_text(), re.MULTILINE)[1]
    kind = f"--test {target['name']}" if "test" in target["kind"] else "--lib"
    return f"{package} {kind}", (message["executable"], manifest.parent)


def is_error(message):
    """True if a message of cargo is an error of the compiler with a place."""
    return (
        message["reason"] == "compiler-message"
        and message["message"]["level"].startswith("error")
        and message["message"]["spans"]
    )


def error(message):
    """An error of the compiler. Where none of its main places is in the source, all of them count."""
    spans = [span for span in message["spans"] if span["is_primary"]] or message["spans"]
    return Error(message["rendered"], tuple((span["file_name"], span["line_start"]) for span in spans))
