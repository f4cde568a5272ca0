"""Where runs keep their files."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LISTS = ROOT / "crates/prove/attacks/faults"
PLACE = ROOT / "target/faults"
COPY = PLACE / "source"
BUILD = PLACE / "build"
TEMPORARY = PLACE / "tmp"
RECORD = PLACE / "record.tsv"
# Faults that compile alone, but not behind a switch: hashes of their files.
ALONE = PLACE / "alone"
