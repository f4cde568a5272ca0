"""Files that no tool makes: archives by hand, and ELF files of 64 bits with fields changed."""

import struct


def header(name, size):
    return ("%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, "100644", size)).encode()


def archive(members, index=None, wide=False):
    """Members as (name, bytes); the index as (symbol, number of a member or offset in bytes after 1000)."""
    front, place = b"", 8
    if index is not None:
        names = b"".join(symbol.encode() + b"\0" for symbol, _ in index)
        size = (8 if wide else 4) * (len(index) + 1) + len(names)
        place += 60 + size + size % 2
    places = []
    for _, data in members:
        places.append(place)
        place += 60 + len(data) + len(data) % 2
    if index is not None:
        number = ">Q" if wide else ">I"
        to = [places[of] if of < 1000 else of - 1000 for _, of in index]
        data = struct.pack(number, len(index)) + b"".join(struct.pack(number, at) for at in to) + names
        front = header("/SYM64/" if wide else "/", len(data)) + data + b"\n" * (len(data) % 2)
    body = b"".join(header(name, len(data)) + data + b"\n" * (len(data) % 2) for name, data in members)
    return b"!<arch>\n" + front + body


class Elf:
    """An ELF file of 64 bits, the lowest byte first."""

    SECTION = ("name", "type", "flags", "addr", "offset", "size", "link", "info", "align", "entsize")

    def __init__(self, path):
        self.data = bytearray(open(path, "rb").read())
        self.read()

    def read(self):
        (self.phoff, self.shoff) = struct.unpack_from("<QQ", self.data, 32)
        (self.phnum, _, self.shnum, self.shstrndx) = struct.unpack_from("<HHHH", self.data, 56)
        # Of more sections than 16 bits number, the first says how many, and which has the names.
        if self.shoff and self.shnum == 0:
            (self.shnum,) = struct.unpack_from("<Q", self.data, self.shoff + 32)
        if self.shstrndx == 0xFFFF:
            (self.shstrndx,) = struct.unpack_from("<I", self.data, self.shoff + 40)
        self.sections = [
            dict(zip(self.SECTION, struct.unpack_from("<IIQQQQIIQQ", self.data, self.shoff + 64 * i)), index=i)
            for i in range(self.shnum)
        ]
        names = self.sections[self.shstrndx]["offset"] if self.shnum else 0
        for section in self.sections:
            section["title"] = self.text(names + section["name"])

    def text(self, at):
        return self.data[at : self.data.index(0, at)].decode("latin-1")

    def section(self, title):
        return next(s for s in self.sections if s["title"] == title)

    def set_section(self, title, field, value):
        """Changes a field of a section's header."""
        section = self.section(title) if isinstance(title, str) else self.sections[title]
        place = self.shoff + 64 * section["index"]
        at = dict(name=0, type=4, flags=8, addr=16, offset=24, size=32, link=40, info=44, align=48, entsize=56)[field]
        width = "<I" if field in ("name", "type", "link", "info") else "<Q"
        struct.pack_into(width, self.data, place + at, value)
        self.read()

    def add(self, data, align=16):
        """Bytes at the end of the file, and where they stand."""
        self.data += b"\0" * (-len(self.data) % align)
        at = len(self.data)
        self.data += data
        return at

    def add_section(self, title, kind, data, flags=0, link=0, info=0, align=1, entsize=0):
        """A section behind the others; its number."""
        names = self.sections[self.shstrndx]
        old = bytes(self.data[names["offset"] : names["offset"] + names["size"]])
        where = self.add(old + title.encode() + b"\0")
        at = self.add(data, 64)
        table = self.data[self.shoff : self.shoff + 64 * self.shnum]
        table += struct.pack("<IIQQQQIIQQ", len(old), kind, flags, 0, at, len(data), link, info, align, entsize)
        struct.pack_into("<QQ", table, 64 * self.shstrndx + 24, where, len(old) + len(title) + 1)
        shoff = self.add(table, 64)
        struct.pack_into("<Q", self.data, 40, shoff)
        struct.pack_into("<H", self.data, 60, self.shnum + 1)
        self.read()
        return self.shnum - 1

    def symbols(self, table=".symtab"):
        """Names of symbols by where their entries stand, in order."""
        section = self.section(table)
        names = self.sections[section["link"]]["offset"]
        places = range(section["offset"], section["offset"] + section["size"], 24)
        return {at: self.text(names + struct.unpack_from("<I", self.data, at)[0]) for at in places}

    def symbol(self, name, table=".symtab"):
        return next(at for at, known in self.symbols(table).items() if known == name)

    def index(self, name, table=".symtab"):
        return (self.symbol(name, table) - self.section(table)["offset"]) // 24

    def programs(self, kind=None):
        """Where program headers of a kind stand."""
        all = [self.phoff + 56 * i for i in range(self.phnum)]
        return [at for at in all if kind is None or self.get("<I", at) == kind]

    def dynamic(self):
        """Entries of the dynamic section: where each stands, by its tag."""
        section = self.section(".dynamic")
        places = range(section["offset"], section["offset"] + section["size"], 16)
        found = {}
        for at in places:
            found.setdefault(self.get("<Q", at), at)
        return found

    def offset(self, address):
        """Where an address stands in the file."""
        for at in self.programs(1):
            offset, start, _, size = struct.unpack_from("<QQQQ", self.data, at + 8)
            if start <= address < start + size:
                return offset + address - start

    def get(self, form, at):
        return struct.unpack_from(form, self.data, at)[0]

    def put(self, form, at, value):
        struct.pack_into(form, self.data, at, value)

    def save(self, path):
        open(path, "wb").write(self.data)


def gnu_hash(name):
    value = 5381
    for byte in name.encode():
        value = value * 33 + byte & 0xFFFFFFFF
    return value
