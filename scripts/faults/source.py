"""The copy of the source in which faults are planted. A file is written only where its bytes change, so that cargo builds
what a fault reaches and nothing else, and never takes a build with a fault in it for one without."""

import hashlib
import os
import shutil
import subprocess

from places import COPY, ROOT


def files():
    """Paths of the source as it is now: what git knows, and what it does not ignore."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    # What is deleted and not committed is in no copy.
    return sorted(name for name in set(names) if name and os.path.lexists(ROOT / name))


def copy(apart):
    """Makes the copy what the source is now, but for some files that `put` writes. Gives a hash of all that is copied."""
    whole, names = hashlib.sha256(), files()
    for name in names:
        if name not in apart:
            data = copy_file(name)
            whole.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    known = set(names)
    # Folders that are empty then are cases without files for tests that find their cases in folders.
    for path in sorted(COPY.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif str(path.relative_to(COPY)) not in known:
            path.unlink()
    return whole.hexdigest()


def copy_file(name):
    """Copies a file or a link, and gives its bytes."""
    source, target = ROOT / name, COPY / name
    if not source.is_symlink():
        data = source.read_bytes()
        put(name, data)
        shutil.copymode(source, target)
        return data
    link = os.readlink(source)
    if not target.is_symlink() or os.readlink(target) != link:
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(link)
    return link.encode()


def put(name, data):
    """Writes a file of the copy unless it has these bytes already."""
    target = COPY / name
    if target.is_symlink():
        target.unlink()
    if not target.is_file() or target.read_bytes() != data:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
