"""A second checker of certificates with proofs, for ECB and CTR by AES instructions of x86-64 on xmm registers.

It is written from docs/CERTIFICATES.md and the manuals alone, and shares nothing with the checker: a test compares the verdicts
of both. It is slow, and knows fewer instructions (legacy and VEX encodings on 128 bits, without opmasks and stack frames).

`python3 checker.py FILE...` prints a line for each file: `accepted`, `refused: REASON`, or `not covered: REASON` if the code
has an instruction that it does not know.
"""

import base64
import re
import sys
from fractions import Fraction

TITLES = ["aesmith certificate with proof, version 1", "aesmith certificate with proof, version 2"]
PACKED = "aesmith certificate with proof, version 4"
# The most bytes that are unpacked.
MOST = 1 << 24
# The most heads and variables of one, and the most statements that heads take from others.
MOST_HEADS, MOST_COPIED = 1 << 12, 1 << 20
WORD = 1 << 64
GENERAL = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
SAVED = "rbx rbp r12 r13 r14 r15".split()
# The most bytes of stack that a function may take.
STACK = 65536
BASES = ("key", "iv", "in", "out", "stack", "code")


class Refused(Exception):
    """The certificate is not accepted."""


class NotCovered(Exception):
    """The code has an instruction or a statement that this checker does not know."""


class Split(Exception):
    """A condition is not decided."""

    def __init__(self, condition):
        super().__init__()
        self.condition = condition


# Linear forms: integers times atoms, plus an integer. Atoms are tuples.


class Form:
    """A linear form over atoms, with integer coefficients."""

    __slots__ = ("terms", "constant")

    def __init__(self, terms=(), constant=0):
        self.terms = {atom: c for atom, c in dict(terms).items() if c}
        self.constant = constant

    def key(self):
        return (frozenset(self.terms.items()), self.constant)

    def plus(self, other, factor=1):
        if isinstance(other, int):
            return Form(self.terms, self.constant + factor * other)
        terms = dict(self.terms)
        for atom, c in other.terms.items():
            terms[atom] = terms.get(atom, 0) + factor * c
        return Form(terms, self.constant + factor * other.constant)

    def minus(self, other):
        return self.plus(other, -1)

    def times(self, factor):
        return Form({atom: c * factor for atom, c in self.terms.items()}, self.constant * factor)

    def word(self):
        """The same value modulo 2^64, with coefficients of least size."""

        def least(c):
            c %= WORD
            return c - WORD if c > WORD // 2 else c

        return Form({atom: least(c) for atom, c in self.terms.items()}, least(self.constant))

    def number(self):
        return None if self.terms else self.constant

    def is_same(self, other):
        return self.key() == other.key()


def form_of(key):
    return Form(dict(key[0]), key[1])


def atom(*parts):
    return Form({parts: 1})


def swapped(word):
    """The word with its bytes reversed."""
    word = word.word()
    if word.number() is not None:
        return Form((), int.from_bytes((word.constant % WORD).to_bytes(8, "little"), "big")).word()
    if len(word.terms) == 1 and not word.constant:
        ((inner, c),) = word.terms.items()
        if c == 1 and inner[0] == "swap":
            return form_of(inner[1])
    return atom("swap", word.key())


# Lanes: XOR sums of parts, each with its bytes moved by a mask, and a constant. A byte of a mask is the number of a byte, or
# 128 for zero.

SAME = tuple(range(16))
LOW = tuple(range(8)) + (128,) * 8
ZERO = (frozenset(), 0)


def moved(mask, by):
    """The bytes of a mask, moved by another one."""
    return tuple(128 if i > 127 else mask[i & 15] for i in by)


def part(*parts):
    return (frozenset([(parts, SAME)]), 0)


def xor(a, b):
    return (a[0] ^ b[0], a[1] ^ b[1])


def shuffle(lane, by):
    parts = frozenset()
    for inner, mask in lane[0]:
        mask = moved(mask, by)
        if any(i < 128 for i in mask):
            parts ^= frozenset([(inner, mask)])
    old = lane[1].to_bytes(16, "little")
    return (parts, int.from_bytes(bytes(0 if i > 127 else old[i & 15] for i in by), "little"))


def words(low, high):
    """A lane of two words."""
    up = (128,) * 8 + tuple(range(8))
    return xor(half_lane(low), shuffle(half_lane(high), up))


def half_lane(word):
    """A lane with a word in its low half."""
    word = word.word()
    if word.number() is not None:
        return (frozenset(), word.constant % WORD)
    if len(word.terms) == 1 and not word.constant:
        ((inner, c),) = word.terms.items()
        if c == 1 and inner[0] == "swap":
            return shuffle(half_lane(form_of(inner[1])), tuple(range(7, -1, -1)) + (128,) * 8)
        if c == 1 and inner[0] == "low":
            return inner[1]
    return (frozenset([(("word", word.key()), LOW)]), 0)


def low(lane):
    """The low half of a lane as a word."""
    lane = shuffle(lane, LOW)
    if not lane[0]:
        return Form((), lane[1]).word()
    if len(lane[0]) == 1 and not lane[1]:
        ((inner, mask),) = lane[0]
        if inner[0] == "word":
            if mask == LOW:
                return form_of(inner[1])
            if mask == tuple(range(7, -1, -1)) + (128,) * 8:
                return swapped(form_of(inner[1]))
    return atom("low", lane)


def high(lane):
    return low(shuffle(lane, tuple(range(8, 16)) + (128,) * 8))


def round_of(name, lane):
    """A round of the cipher: SubBytes of a constant would have to be computed."""
    if not lane[0]:
        raise NotCovered("a round of a constant")
    return part(name, lane)


def is_secret_lane(lane):
    return any(is_secret_part(inner) for inner, _ in lane[0])


def is_secret_part(inner):
    return is_secret(form_of(inner[1])) if inner[0] == "word" else True


def is_secret(form):
    return any(is_secret_atom(a) for a in form.terms)


def is_secret_atom(a):
    if a[0] in ("old", "unknown"):
        return True
    if a[0] in ("shr", "swap"):
        return is_secret(form_of(a[1]))
    return a[0] == "low" and is_secret_lane(a[1])


# Inequalities.


def has_solution(rows):
    """True if forms that are at least 0 have a common rational solution in natural atoms: the dual simplex algorithm."""
    names = sorted({a for row in rows for a in row.terms}, key=repr)
    for a in names:
        if a[0] != "variable":
            rows = rows + [Form({a: -1}, WORD - 1)]
    # Each row is a variable that depends on those outside: a constant and coefficients.
    table = [[Fraction(row.constant)] + [Fraction(row.terms.get(a, 0)) for a in names] for row in rows]
    inside, outside = list(range(len(names), len(names) + len(rows))), list(range(len(names)))
    while True:
        wrong = [i for i, row in enumerate(table) if row[0] < 0]
        if not wrong:
            return True
        r = min(wrong, key=lambda i: inside[i])
        able = [j for j in range(len(names)) if table[r][j + 1] > 0]
        if not able:
            return False
        c = min(able, key=lambda j: outside[j])
        pivot = table[r][c + 1]
        new = [-x / pivot for x in table[r]]
        new[c + 1] = 1 / pivot
        for i, row in enumerate(table):
            factor = row[c + 1]
            if i != r and factor:
                table[i] = [x + factor * y for x, y in zip(row, new)]
                table[i][c + 1] = factor * new[c + 1]
        table[r] = new
        inside[r], outside[c] = outside[c], inside[r]


# The text of a certificate.


class Head:
    def __init__(self, name, at):
        self.name, self.at = name, at
        self.variables, self.statements, self.edges = [], [], []


def meant(line):
    """True if a line is neither empty nor a comment."""
    return line and not line.startswith("#")


def plain(lines):
    """The lines of version 2 that those of a packed certificate stand for; other lines stand for themselves."""
    if lines[0] != PACKED:
        return lines
    packed = {"code": "", "text": ""}
    for line in filter(meant, lines[1:]):
        word, digits = line.split(" ", 1)
        packed[word] += digits
    code, text = (unpacked(binary(packed[word])) for word in ("code", "text"))
    lines = [line.strip() for line in text.decode().split("\n")]
    if any(line.startswith("code ") for line in lines):
        raise ValueError
    return [TITLES[1], "code " + code.hex()] + lines


def binary(digits):
    """The bytes of base64 without padding."""
    found = base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
    if base64.b64encode(found).rstrip(b"=").decode() != digits:
        raise ValueError
    return found


def unpacked(block):
    """The bytes of a block of LZ4."""
    found, at = bytearray(), 0

    def length(bits):
        nonlocal at
        last = 255 if bits == 15 else 0
        while last == 255:
            last = block[at]
            at += 1
            bits += last
        return bits

    while True:
        token = block[at]
        at += 1
        count = length(token >> 4)
        if at + count > len(block):
            raise ValueError
        found += block[at : at + count]
        at += count
        if len(found) > MOST:
            raise ValueError
        if at == len(block):
            return bytes(found)
        begin = len(found) - block[at] - 256 * block[at + 1]
        at += 2
        count = length(token & 15) + 4
        if not 0 <= begin < len(found) or len(found) + count > MOST:
            raise ValueError
        for k in range(count):
            found.append(found[begin + k])


class Certificate:
    def __init__(self, text):
        lines = [line.strip() for line in text.split("\n")]
        try:
            lines = plain(lines)
        except (ValueError, IndexError, KeyError) as error:
            raise Refused("it cannot be unpacked") from error
        if lines[0] not in TITLES:
            raise Refused("it does not begin with the title")
        self.is_first = lines[0] == TITLES[0]
        self.contract, self.wipes, self.code, self.constants = None, False, b"", None
        self.entry, self.heads = [], []
        # Statements by the names under which heads share them, and the list to which the next statement belongs.
        self.shared, self.statements, self.copied = {}, None, 0
        for line in lines[1:]:
            if meant(line):
                try:
                    self.line(*line.partition(" ")[::2])
                except (ValueError, AttributeError, IndexError) as error:
                    raise Refused(f"a line is not understood: {line}") from error
        named = re.fullmatch(r"aes(128|192|256)-(ecb|ecb-dec|ctr)", self.contract or "")
        if not named:
            raise NotCovered(f"the contract {self.contract}")
        self.rounds = {"128": 10, "192": 12, "256": 14}[named[1]]
        self.mode = named[2]
        if self.constants is None:
            self.constants = len(self.code)
        if not self.code or self.constants > len(self.code):
            raise Refused("it has no code, or its constants are behind it")

    def line(self, word, rest):
        if self.is_first and self.is_later(word, rest):
            raise ValueError
        if word == "contract" and self.contract is None:
            self.contract = rest
        elif word == "wipes" and self.contract is not None:
            self.wipes = True
        elif word == "code":
            if not re.fullmatch(r"[0-9a-fA-F]*", rest):
                raise ValueError
            self.code += bytes.fromhex(rest)
        elif word == "constants" and self.constants is None:
            self.constants = place_in(rest, WORD)
        elif word in ("split", "bits", "basis", "box", "lookups", "keys") or word.startswith("frame") or (word == "public" and rest in GENERAL):
            raise NotCovered(f"the line {word}")
        elif word == "head":
            name, at = rest.split(" ")
            if not is_name(name) or len(self.heads) == MOST_HEADS or any(h.name == name for h in self.heads):
                raise ValueError
            self.heads.append(Head(name, place_in(at, WORD)))
            self.statements = self.heads[-1].statements
        elif word == "lines":
            if not is_name(rest) or rest in self.shared:
                raise ValueError
            self.statements = self.shared[rest] = []
        elif word == "with":
            if rest not in self.shared:
                raise ValueError
            self.copied += len(self.shared[rest])
            if self.copied > MOST_COPIED:
                raise ValueError
            self.own_head().statements.extend(self.shared[rest])
        elif word == "to":
            edges = self.entry if self.statements is None else self.own_head().edges
            name, _, values = rest.partition(" ")
            if name == "exit":
                edges.append(("exit", values))
            else:
                pairs = [one.split("=", 1) for one in values.split(",") if one.strip()]
                edges.append((name, [(v.strip(), form.strip()) for v, form in pairs]))
        elif word == "variable":
            variables = self.own_head().variables
            if not is_name(rest) or rest == "lane" or len(variables) == MOST_HEADS or rest in variables:
                raise ValueError
            variables.append(rest)
        else:
            self.statements.append(Statement(word, rest))

    @staticmethod
    def is_later(word, rest):
        """True if version 1 has no such line."""
        is_new = word in ("lines", "with", "split", "public") or word.startswith("frame") or word.endswith(".*")
        return is_new or rest.startswith("frame ") or (word == "contract" and ("-key" in rest or "-x" in rest))

    def own_head(self):
        """The head whose lines are read; a line of a head alone is not one that heads share."""
        if not self.heads or self.statements is not self.heads[-1].statements:
            raise ValueError
        return self.heads[-1]


class Statement:
    """A statement: what it is about (a kind, then places), and the expression for it."""

    def __init__(self, word, rest):
        self.text = None
        if word == "fact":
            self.about, self.text = ("fact",), rest.removesuffix(" >= 0")
            if self.text == rest:
                raise ValueError
        elif word == "disjoint":
            self.text, _, mask = rest.rpartition(" ")
            self.about = ("disjoint", place_in(mask, WORD))
        elif word == "kept" and rest.startswith("xmm"):
            self.about = ("kept", place_in(rest[3:], 32))
        elif word == "secret":
            self.about = ("secret", number(rest))
        elif (word, rest) in (("streams", ""), ("flags", "public")):
            self.about = (word,)
        else:
            self.about = self.named(word)
            if not rest.startswith("= "):
                raise ValueError
            self.text = rest[2:]

    @staticmethod
    def named(word):
        """The place whose value is stated."""
        if re.fullmatch(r"done\.[0-9]+|iv\.[0-9]+\.[01]", word):
            raise NotCovered("a statement about another stream")
        if word in GENERAL:
            return ("general", GENERAL.index(word))
        if word in ("done", "carry"):
            return (word,)
        if word in ("iv.0", "iv.1"):
            return ("iv", int(word[3]))
        if word.startswith("stack[") and word.endswith("]"):
            return ("stack", number(word[6:-1]))
        if word.startswith("xmm"):
            register, _, lane = word[3:].partition(".")
            return ("vector", place_in(register, 32), "*" if lane == "*" else place_in(lane or "0", 4))
        raise ValueError


def is_name(text):
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text) is not None


def place_in(text, end):
    """A number from 0 on below an end."""
    value = number(text)
    if not 0 <= value < end:
        raise ValueError
    return value


def number(text):
    if not re.fullmatch(r"-?(0x[0-9a-fA-F]+|[0-9]+)", text):
        raise ValueError
    return int(text, 16 if "0x" in text else 10)


class Parser:
    """Expressions, with values of variables."""

    def __init__(self, text, variables):
        self.tokens = re.findall(r"#[0-9a-fA-F]+|0x[0-9a-fA-F]+|[0-9]+|[A-Za-z_][A-Za-z0-9_.]*|\S", text)
        self.variables = variables

    def take(self, token):
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False

    def need(self, token):
        if not self.take(token):
            raise Refused(f"`{token}` is missing in an expression")

    def next(self):
        if not self.tokens:
            raise Refused("an expression ends early")
        return self.tokens.pop(0)

    def whole(self, value):
        if self.tokens:
            raise Refused(f"an expression does not end before {self.tokens[0]}")
        return value

    def form(self):
        value = self.product().times(-1) if self.take("-") else self.product()
        while self.tokens and self.tokens[0] in "+-":
            factor = 1 if self.next() == "+" else -1
            value = value.plus(self.product(), factor)
        return value

    def product(self):
        token = self.next()
        if token[0].isdigit():
            value = int(token, 16 if token.startswith("0x") else 10)
            return self.atom(self.next()).times(value) if self.take("*") else Form((), value)
        return self.atom(token)

    def atom(self, name):
        if name in self.variables:
            return self.variables[name]
        if name in BASES or name == "len" or name in ("counter.0", "counter.1"):
            return atom(name)
        if name.startswith("old.") and name[4:] in GENERAL:
            return atom("old", name[4:])
        if name in ("shr", "swap", "low", "high"):
            self.need("(")
            if name == "shr":
                inner = self.form()
                self.need(",")
                value = shifted(inner, int(self.next(), 0))
            elif name == "swap":
                value = swapped(self.form())
            else:
                value = (low if name == "low" else high)(self.lane())
            self.need(")")
            return value
        raise Refused(f"{name} is not understood")

    def lane(self):
        value = self.one()
        while self.take("^"):
            value = xor(value, self.one())
        return value

    def one(self):
        token = self.next()
        if re.fullmatch(r"k[0-9]+", token):
            return part("k", int(token[1:]))
        if token.startswith("#"):
            return (frozenset(), int.from_bytes(self.bytes(token), "little"))
        if token == "x":
            self.need("[")
            block = self.form()
            self.need("]")
            return part("x", block.key())
        if token in ("enc", "enclast", "dec", "declast"):
            self.need("(")
            inner = self.lane()
            self.need(")")
            return round_of(token, inner)
        if token == "words":
            self.need("(")
            first = self.form()
            self.need(",")
            value = words(first, self.form())
            self.need(")")
            return value
        if token == "shuffle":
            self.need("(")
            inner = self.lane()
            self.need(",")
            by = tuple(128 if i == 128 else i for i in self.bytes(self.next()))
            if any(15 < i != 128 for i in by):
                raise Refused("a mask is not understood")
            self.need(")")
            return shuffle(inner, by)
        old = re.fullmatch(r"old\.xmm([0-9]+)\.([0-3])", token)
        if old:
            return part("oldv", int(old[1]), int(old[2]))
        raise NotCovered(f"the lane {token}")

    @staticmethod
    def bytes(token):
        value = bytes.fromhex(token[1:])
        if len(value) != 16:
            raise Refused("a constant has 16 bytes")
        return value


def shifted(word, by):
    if word.number() is not None:
        return Form((), (word.constant % WORD) >> by)
    return atom("shr", word.word().key(), by)


# Instructions.


class Memory:
    def __init__(self, base, index, factor, displacement):
        self.base, self.index, self.factor, self.displacement = base, index, factor, displacement


class Instruction:
    def __init__(self, op, operands=(), size=64, value=0, condition=None):
        self.op, self.operands, self.size = op, operands, size
        self.value, self.condition, self.length = value, condition, 0


# VEX encodings on 128 bits: (prefix, map, opcode) to name and operands; v is vvvv, r is ModRM.reg, m is ModRM.rm, M memory only.
VEX = {
    (1, 1, 0x6F): ("mova", "rm"),
    (2, 1, 0x6F): ("movu", "rm"),
    (1, 1, 0x7F): ("mova", "mr"),
    (2, 1, 0x7F): ("movu", "mr"),
    (1, 1, 0xE7): ("movnt", "Mr"),
    (1, 1, 0xEF): ("pxor", "rvm"),
    (1, 1, 0xD4): ("paddq", "rvm"),
    (1, 1, 0xFE): ("paddd", "rvm"),
    (1, 2, 0x00): ("pshufb", "rvm"),
    (1, 2, 0xDC): ("enc", "rvm"),
    (1, 2, 0xDD): ("enclast", "rvm"),
    (1, 2, 0xDE): ("dec", "rvm"),
    (1, 2, 0xDF): ("declast", "rvm"),
}
ARITHMETIC = {0: "add", 1: "or", 2: "adc", 4: "and", 5: "sub", 6: "xor", 7: "cmp"}
CONDITIONS = {2: "c", 3: "nc", 4: "z", 5: "nz", 6: "cz", 7: "ncz"}


class Decoder:
    """Decodes an instruction, and refuses encodings that an assembler does not choose."""

    def __init__(self, code, at):
        self.code, self.begin, self.at = code, at, at
        self.w = self.r = self.x = self.b = 0

    def byte(self):
        if self.at >= len(self.code):
            raise Refused("the code ends within an instruction")
        self.at += 1
        return self.code[self.at - 1]

    def signed(self, size):
        value = self.code[self.at : self.at + size]
        if len(value) < size:
            raise Refused("the code ends within an instruction")
        self.at += size
        return int.from_bytes(value, "little", signed=True)

    def modrm(self, is_vector=False):
        """ModRM.reg, and the register or memory of ModRM.rm."""
        modrm = self.byte()
        mod, reg, rm = modrm >> 6, (modrm >> 3 & 7) + 8 * self.r, modrm & 7
        if mod == 3:
            if self.x:
                raise Refused("an unusual encoding")
            return reg, (("v" if is_vector else "g"), rm + 8 * self.b)
        base, index, factor = rm + 8 * self.b, None, 1
        is_sib = rm == 4
        if is_sib:
            sib = self.byte()
            base, number = (sib & 7) + 8 * self.b, (sib >> 3 & 7) + 8 * self.x
            index, factor = (None, 1) if number == 4 else (number, 1 << (sib >> 6))
            if (index is None and (sib >> 6 or base & 7 != 4)) or (mod == 0 and sib & 7 == 5):
                raise Refused("an unusual encoding")
        elif self.x:
            raise Refused("an unusual encoding")
        if mod == 0 and rm == 5:
            if self.b:
                raise Refused("an unusual encoding")
            return reg, Memory("next", None, 1, self.signed(4))
        displacement = self.signed(1) if mod == 1 else self.signed(4) if mod == 2 else 0
        needs = 0 if displacement == 0 and base & 7 != 5 else 1 if -128 <= displacement < 128 else 2
        if needs != mod:
            # Long no-ops have longer displacements than they need; the caller decides.
            self.is_long = True
        return reg, Memory(base, index, factor, displacement)

    def extended(self, is_vector=False):
        """The number in ModRM.reg that is a part of the opcode, and the register or memory of ModRM.rm."""
        if self.r:
            raise Refused("an unusual encoding")
        return self.modrm(is_vector)

    def decode(self):
        self.is_long = False
        found = self.opcode()
        if self.is_long and found.op != "nop":
            raise Refused("an unusual encoding")
        found.length = self.at - self.begin
        return found

    def opcode(self):
        prefix = 0
        first = self.byte()
        if first == 0x66:
            prefix, first = 1, self.byte()
        elif first == 0xF3:
            prefix, first = 2, self.byte()
        if first in (0xC4, 0xC5) and not prefix:
            return self.vex(first)
        has_rex = first & 0xF0 == 0x40
        if has_rex:
            rex, first = first, self.byte()
            self.w, self.r, self.x, self.b = rex >> 3 & 1, rex >> 2 & 1, rex >> 1 & 1, rex & 1
        found = self.two(prefix) if first == 0x0F else self.one(first, prefix)
        if found.op == "nop" and has_rex:
            raise NotCovered("a no-op with a prefix")
        if has_rex and rex == 0x40 and not (found.size == 8):
            raise Refused("an unusual encoding")
        return found

    def two(self, prefix):
        second = self.byte()
        if prefix == 2 and second == 0x1E and self.byte() == 0xFA:
            return Instruction("nop")
        if second == 0x1F:
            place = self.extended()[1]
            if not isinstance(place, Memory) or place.displacement:
                raise NotCovered("a no-op that assemblers do not choose")
            return Instruction("nop")
        if prefix:
            raise NotCovered("a legacy encoding of vectors")
        if second == 0xAE and self.byte() == 0xF8:
            return Instruction("sfence")
        if second == 0x18:
            reg, place = self.extended()
            if reg in (1, 2, 3) and isinstance(place, Memory):
                return Instruction("prefetch", (place,))
        if 0xC8 <= second <= 0xCF and self.w:
            return Instruction("bswap", (("g", second - 0xC8 + 8 * self.b),))
        if second & 0xF0 == 0x80 and second & 15 in CONDITIONS:
            return Instruction("jump", (), 64, self.signed(4), CONDITIONS[second & 15])
        raise NotCovered(f"the opcode 0f {second:02x}")

    def one(self, first, prefix):
        if prefix:
            raise NotCovered("a prefix")
        size = 64 if self.w else 32
        if first == 0xC3:
            return Instruction("return")
        if first == 0xEB:
            return Instruction("jump", (), 64, self.signed(1))
        if first == 0xE9:
            return Instruction("jump", (), 64, self.signed(4))
        if first & 0xF0 == 0x70 and first & 15 in CONDITIONS:
            return Instruction("jump", (), 64, self.signed(1), CONDITIONS[first & 15])
        if first < 0x40 and first & 7 in (0, 1, 2, 3) and first >> 3 in ARITHMETIC:
            reg, place = self.modrm()
            size = 8 if first & 1 == 0 else size
            own = ("g", reg)
            operands = (own, place) if first & 2 else (place, own)
            return Instruction(ARITHMETIC[first >> 3], operands, size)
        if first in (0x81, 0x83):
            reg, place = self.extended()
            value = self.signed(4 if first == 0x81 else 1)
            if first == 0x81 and -128 <= value < 128:
                raise Refused("an unusual encoding")
            if reg in ARITHMETIC:
                return Instruction(ARITHMETIC[reg], (place, ("n", value)), size)
        if first in (0x84, 0x85):
            reg, place = self.modrm()
            return Instruction("test", (place, ("g", reg)), size if first & 1 else 8)
        if first in (0xF6, 0xF7):
            reg, place = self.extended()
            if reg == 0:
                value = self.signed(1 if first == 0xF6 else 4)
                return Instruction("test", (place, ("n", value)), size if first & 1 else 8)
        if first in (0x88, 0x89, 0x8A, 0x8B):
            reg, place = self.modrm()
            operands = (("g", reg), place) if first & 2 else (place, ("g", reg))
            return Instruction("mov", operands, size if first & 1 else 8)
        if first == 0x8D:
            reg, place = self.modrm()
            if isinstance(place, Memory):
                return Instruction("lea", (("g", reg), place), size)
        if first == 0xC1:
            reg, place = self.extended()
            if reg == 5:
                return Instruction("shr", (place,), size, self.byte())
        raise NotCovered(f"the opcode {first:02x}")

    def vex(self, first):
        second = self.byte()
        self.r = 1 - (second >> 7)
        if first == 0xC5:
            code_map, last = 1, second
        else:
            self.x, self.b, code_map = 1 - (second >> 6 & 1), 1 - (second >> 5 & 1), second & 31
            last = self.byte()
            self.w = last >> 7
            if code_map == 1 and not (self.x or self.b or self.w):
                raise Refused("an unusual encoding")
        v, is_wide, prefix = 15 - (last >> 3 & 15), last >> 2 & 1, last & 3
        opcode = self.byte()
        if (prefix, code_map, opcode) == (0, 1, 0x77) and v == 0:
            if self.r or first == 0xC4:
                raise Refused("an unusual encoding")
            return Instruction("zeroall" if is_wide else "zeroupper")
        if is_wide:
            raise NotCovered("a vector of 256 bits")
        if (code_map, opcode) == (3, 0x22) and prefix == 1 and self.w:
            reg, place = self.modrm()
            return Instruction("pinsrq", (reg, v, place), 64, self.byte())
        if (code_map, opcode) in ((1, 0x6E), (1, 0x7E)) and prefix == 1 and v == 0:
            reg, place = self.modrm()
            return Instruction("movin" if opcode == 0x6E else "movout", (reg, place), 64 if self.w else 32)
        if (code_map, opcode) == (1, 0x73) and prefix == 1:
            reg, place = self.extended(True)
            if reg == 3 and not isinstance(place, Memory):
                return Instruction("psrldq", (v, place[1]), 128, self.byte())
        row = VEX.get((prefix, code_map, opcode))
        if not row or ("v" not in row[1] and v):
            raise NotCovered(f"the VEX opcode {prefix} {code_map} {opcode:02x}")
        # The processor ignores W here.
        reg, place = self.modrm(True)
        if row[1][0] == "M" and not isinstance(place, Memory):
            raise Refused("it executes bytes that are no instruction")
        # An assembler exchanges registers where this makes an encoding shorter; both are the instruction.
        named = {"r": ("v", reg), "m": place, "M": place, "v": ("v", v)}
        return Instruction(row[0], tuple(named[kind] for kind in row[1]), 128)


# Execution.


class State:
    """All that is known on a path."""

    def __init__(self):
        self.at = 0
        self.general, self.vector = {}, {}
        self.iv = [None, None]
        self.facts, self.assumed, self.disjoint, self.nonzero = [], {}, [], []
        self.done, self.carry, self.extra = Form(), Form(), {}
        self.carry_flag, self.zero_flag = ("secret",), ("secret",)
        self.streams, self.steps = False, 0

    def copy(self):
        new = State.__new__(State)
        new.__dict__ = {
            name: value.copy() if isinstance(value, (dict, list)) else value for name, value in self.__dict__.items()
        }
        return new


class Checker:
    def __init__(self, certificate):
        self.c = certificate
        self.fresh = 0
        self.known = {}

    # Knowledge.

    def holds(self, state, goal):
        """True if a form is at least 0."""
        if goal.number() is not None:
            return goal.constant >= 0
        # Atoms are not negative.
        if goal.constant >= 0 and all(c > 0 for c in goal.terms.values()):
            return True
        # Of facts with the same atoms the least one implies the others.
        least = {}
        for fact in state.facts:
            terms = frozenset(fact.terms.items())
            if terms not in least or fact.constant < least[terms].constant:
                least[terms] = fact
        facts = list(least.values())
        key = (goal.key(), frozenset(fact.key() for fact in facts))
        if key not in self.known:
            self.known[key] = not has_solution(facts + self.shifts(state, goal) + [goal.times(-1).plus(-1)])
        return self.known[key]

    def shifts(self, state, goal):
        """What the definition says of shifted integers."""
        rows, seen = [], set()
        for form in list(state.facts) + [goal]:
            for a in form.terms:
                if a[0] == "shr" and a not in seen:
                    seen.add(a)
                    # The sum of a length and a small number does not overflow.
                    inner = form_of(a[1])
                    if all(b == ("len",) and c == 1 for b, c in inner.terms.items()) and 0 <= inner.constant < 1 << 32:
                        rest = inner.plus(Form({a: 1 << a[2]}), -1)
                        rows += [rest, rest.times(-1).plus((1 << a[2]) - 1)]
        return rows

    def natural(self, state, word):
        """The integer between 0 and 2^64 - 1 that a word is."""
        word = word.word()
        over = [Form(), state.carry.times(-WORD), Form((), -WORD), Form((), WORD)]
        for change in over:
            value = word.plus(change)
            if self.holds(state, value) and self.holds(state, value.times(-1).plus(WORD - 1)):
                return value
        return None

    def decide(self, state, condition):
        kind = condition[0]
        if kind == "is":
            return condition[1]
        if kind == "secret":
            raise Refused("a condition depends on a secret")
        forms = [form_of(key) for key in condition[1:] if isinstance(key, tuple)]
        if any(is_secret(form) for form in forms):
            raise Refused("a condition depends on a secret")
        if condition in state.assumed:
            return state.assumed[condition]
        if kind == "public":
            raise Split(condition)
        if all(form.number() is not None for form in forms):
            values = [form.constant % WORD for form in forms]
            if kind == "below":
                return values[0] < values[1]
            if kind == "over":
                return sum(values) >= WORD
            if kind == "zero":
                return values[0] == 0
            return values[0] & condition[2] == 0
        truths = self.facts_of(state, condition)
        for value in (True, False):
            opposite = truths[not value]
            if opposite is not None and any(self.holds(state, fact.times(-1).plus(-1)) for fact in opposite):
                return value
        raise Split(condition)

    def facts_of(self, state, condition):
        """Facts that are equivalent to the condition, and to its opposite, if there are such."""
        kind, none = condition[0], {True: None, False: None}
        if kind in ("bits", "public"):
            return none
        values = [self.natural(state, form_of(key)) for key in condition[1:]]
        if None in values:
            return none
        if kind == "below":
            less = values[1].minus(values[0])
            return {True: [less.plus(-1)], False: [less.times(-1)]}
        if kind == "over":
            total = values[0].plus(values[1]).plus(-WORD)
            return {True: [total], False: [total.times(-1).plus(-1)]}
        return {True: [values[0].times(-1)], False: [values[0].plus(-1)]}

    def assume(self, state, condition, value):
        facts = self.facts_of(state, condition)[value]
        state.assumed[condition] = value
        state.facts += facts or []
        if condition[0] == "bits":
            word, mask = form_of(condition[1]), condition[2]
            if value and mask & (mask + 1) == 0:
                state.disjoint.append((word, mask))
            elif not value and mask == 255:
                state.nonzero.append(word)

    def is_disjoint(self, state, word, mask):
        """True if a word has no bit in common with the lowest bits."""
        step = mask + 1
        if mask & step:
            return False

        def is_multiple(form):
            return all(c % step == 0 for c in form.terms.values()) and form.constant % step == 0

        # The code begins at a multiple of 64, and the stack pointer is 8 above one of 16.
        for name, aligned, rest in (("code", 64, 0), ("stack", 16, 8)):
            if step <= aligned:
                factor = word.terms.get((name,), 0)
                word = word.plus(atom(name), -factor).plus(rest * factor)
        near = (word.minus(known) for known, other in state.disjoint if other & mask == mask)
        return is_multiple(word) or any(map(is_multiple, near))

    # Memory.

    def address(self, state, place, after):
        """The region and the distance of an operand in memory."""
        if place.base == "next":
            return "code", Form((), after + place.displacement)
        value = self.word(state, place.base).plus(place.displacement)
        if place.index is not None:
            value = value.plus(self.word(state, place.index).times(place.factor))
        value = value.word()
        bases = [a for a in value.terms if a[0] in BASES]
        if len(bases) != 1 or value.terms[bases[0]] != 1:
            raise Refused("an address is not that of a known object")
        distance = value.plus(Form({bases[0]: -1}))
        if is_secret(distance):
            raise Refused("an address depends on a secret")
        return bases[0][0], distance

    def word(self, state, register):
        value = state.general[register]
        return value if isinstance(value, Form) else low(value)

    def load(self, state, place, after, size, is_aligned=False):
        """A lane with bytes of memory in its lowest ones."""
        region, distance = self.address(state, place, after)
        constant = distance.number()
        if is_aligned and not self.is_aligned(state, region, distance):
            raise Refused("an address must be a multiple of 16")
        if region == "code" and constant is not None and self.c.constants <= constant <= len(self.c.code) - size:
            return (frozenset(), int.from_bytes(self.c.code[constant : constant + size], "little"))
        if region == "key" and constant is not None and 0 <= constant <= 16 * self.c.rounds and size == 16:
            if constant % 16 == 0:
                return part("k", constant // 16)
        if region == "iv" and self.c.mode == "ctr" and constant is not None and 0 <= constant <= 16 - size:
            if size == 8 and constant in (0, 8):
                return half_lane(state.iv[constant // 8])
            if size == 16:
                return words(state.iv[0], state.iv[1])
        if region == "in":
            return self.text(state, distance, size)
        raise Refused(f"a load of {size} bytes from {region} is not supported, or outside")

    def text(self, state, distance, size):
        if not self.holds(state, distance.minus(self.stored(state))):
            raise Refused("text may be read after it is overwritten")
        if not self.holds(state, atom("len").minus(distance).plus(-size)):
            raise Refused("a read outside of the text")
        offset = distance.constant % 16
        if any(c % 16 for c in distance.terms.values()) or offset + size > 16:
            raise Refused("bytes of a text at an unknown place")
        block = Form({a: c // 16 for a, c in distance.terms.items()}, distance.constant // 16)
        by = tuple(offset + i if i < size else 128 for i in range(16))
        return shuffle(part("x", block.key()), by)

    def is_aligned(self, state, region, distance):
        """True if an address is a multiple of 16. The code begins at such a multiple."""
        base = Form() if region == "code" else atom(region)
        return self.is_disjoint(state, base.plus(distance), 15)

    def stored(self, state):
        """The number of bytes of output that are stored from the beginning."""
        return state.done.plus(len(state.extra) and self.front(state))

    @staticmethod
    def front(state):
        count = 0
        while count in state.extra:
            count += 1
        return count

    def store(self, state, place, after, size, lane, is_streaming=False):
        region, distance = self.address(state, place, after)
        if is_streaming and not self.is_aligned(state, region, distance):
            raise Refused("an address must be a multiple of 16")
        if region == "iv" and self.c.mode == "ctr":
            constant = distance.number()
            if size == 8 and constant in (0, 8):
                state.iv[constant // 8] = low(lane)
                return
            if size == 16 and constant == 0:
                state.iv = [low(lane), high(lane)]
                return
        if region != "out":
            raise Refused(f"a store to {region} is not supported")
        if not self.holds(state, distance) or not self.holds(state, atom("len").minus(distance).plus(-size)):
            raise Refused("a store outside of the output")
        place = distance.minus(state.done).number()
        if place is None or not 0 <= place < 4096:
            raise Refused("a store at an unknown distance from those before")
        offset = distance.constant % 16
        if any(c % 16 for c in distance.terms.values()) or offset + size > 16:
            raise Refused("a store at an unknown place of a block")
        block = Form({a: c // 16 for a, c in distance.terms.items()}, distance.constant // 16)
        by = tuple(offset + i if i < size else 128 for i in range(16))
        cut = tuple(i if i < size else 128 for i in range(16))
        stored = shuffle(lane, cut)
        if not any(stored == shuffle(output, by) for output in self.outputs(state, block)):
            raise Refused("what is stored is not as specified")
        for number in range(place, place + size):
            if number in state.extra:
                raise Refused("a byte of output is stored twice")
            state.extra[number] = True
        state.streams |= is_streaming

    # The specification.

    def outputs(self, state, block):
        """The output of a block, by each carry of its counter that is known to be right."""
        text = part("x", block.key())
        if self.c.mode == "ctr":
            for upper, lower in self.sums(state, block):
                yield xor(self.cipher(words(swapped(upper), swapped(lower)), "enc"), text)
        else:
            yield self.cipher(text, "dec" if self.c.mode == "ecb-dec" else "enc")

    def cipher(self, lane, name):
        lane = xor(lane, part("k", 0))
        for number in range(1, self.c.rounds + 1):
            lane = round_of(name if number < self.c.rounds else name + "last", lane)
            lane = xor(lane, part("k", number))
        return lane

    def sums(self, state, block):
        """The halves of the counter of a block, by each carry that is known to be right."""
        total = atom("counter.0").plus(block)
        for carry in (state.carry, state.carry.plus(1), Form(), Form((), 1)):
            rest = total.plus(carry, -WORD)
            if self.holds(state, rest) and self.holds(state, rest.times(-1).plus(WORD - 1)):
                yield atom("counter.1").plus(carry).word(), total.word()

    # Instructions.

    def value(self, state, operand, after, size):
        """An operand as a word, or as a lane if it is bytes of one."""
        if isinstance(operand, Memory):
            lane = self.load(state, operand, after, size // 8)
            return low(lane) if size == 64 else lane
        if operand[0] == "n":
            return Form((), operand[1])
        if size == 8 and 4 <= operand[1] < 8:
            raise NotCovered("a byte register that needs a prefix")
        return state.general[operand[1]]

    def step(self, state, one):
        after = state.at + one.length
        run = getattr(self, "do_" + one.op, None)
        if run is None:
            if one.op not in ("enc", "enclast", "dec", "declast"):
                raise NotCovered(one.op)
            self.do_round(state, one, after)
        else:
            run(state, one, after)
        pointer = self.word(state, 4).minus(atom("stack")).word().number()
        if pointer is None or not -STACK <= pointer <= 0:
            raise Refused("the stack pointer is no place of its stack")
        if one.op not in ("jump", "return"):
            state.at = after

    def do_nop(self, state, one, after):
        pass

    def do_sfence(self, state, one, after):
        state.streams = False

    def do_prefetch(self, state, one, after):
        value = Form()
        place = one.operands[0]
        for register in (place.base, place.index):
            if register not in (None, "next"):
                value = value.plus(self.word(state, register))
        if is_secret(value):
            raise Refused("a prefetch depends on a secret")

    def do_mov(self, state, one, after):
        to, source = one.operands
        value = self.value(state, source, after, one.size)
        if isinstance(to, Memory):
            lane = value if not isinstance(value, Form) else half_lane(value)
            return self.store(state, to, after, one.size // 8, lane)
        if one.size == 64:
            state.general[to[1]] = value
        else:
            raise NotCovered("a move of a part of a register")

    def do_lea(self, state, one, after):
        place = one.operands[1]
        if one.size != 64 or place.base == "next":
            raise NotCovered("an address of constants")
        value = self.word(state, place.base).plus(place.displacement)
        if place.index is not None:
            value = value.plus(self.word(state, place.index).times(place.factor))
        state.general[one.operands[0][1]] = value.word()

    def do_bswap(self, state, one, after):
        register = one.operands[0][1]
        state.general[register] = swapped(self.word(state, register))

    def do_shr(self, state, one, after):
        (place,) = one.operands
        if isinstance(place, Memory) or one.size != 64 or not 0 < one.value < 64:
            raise NotCovered("a shift")
        state.general[place[1]] = shifted(self.word(state, place[1]), one.value)
        state.carry_flag = state.zero_flag = ("secret",)

    def arithmetic(self, state, one, after):
        """The operands of an operation on 64 bits."""
        if one.size != 64 or isinstance(one.operands[0], Memory):
            raise NotCovered("an operation on a part of a register")
        values = [self.value(state, operand, after, 64) for operand in one.operands]
        return [value.word() if isinstance(value, Form) else low(value) for value in values]

    def do_add(self, state, one, after):
        a, b = self.arithmetic(state, one, after)
        total = a.plus(b).word()
        state.general[one.operands[0][1]] = total
        state.carry_flag, state.zero_flag = ("over", a.key(), b.key()), ("zero", total.key())

    def do_adc(self, state, one, after):
        a, b = self.arithmetic(state, one, after)
        carry = int(self.decide(state, state.carry_flag))
        total = a.plus(b).plus(carry).word()
        state.general[one.operands[0][1]] = total
        # The flag is known if no carry comes in.
        state.carry_flag = ("secret",) if carry else ("over", a.key(), b.key())
        state.zero_flag = ("zero", total.key())

    def do_sub(self, state, one, after):
        a, b = self.arithmetic(state, one, after)
        rest = a.minus(b).word()
        if one.op == "sub":
            state.general[one.operands[0][1]] = rest
        state.carry_flag = ("below", a.key(), b.key())
        state.zero_flag = ("zero", rest.key())

    do_cmp = do_sub

    def do_test(self, state, one, after):
        a, b = one.operands
        if isinstance(a, Memory):
            raise NotCovered("a test of memory")
        word = self.word(state, a[1])
        if one.size == 64 and a == b:
            condition = ("zero", word.key())
        elif one.size == 8 and (a == b or b[0] == "n") and not 4 <= a[1] < 8:
            condition = ("bits", word.key(), 255 if a == b else b[1] & 255)
        else:
            raise NotCovered("a test")
        state.carry_flag, state.zero_flag = ("is", False), condition

    def do_xor(self, state, one, after):
        to, source = one.operands
        if to == source and one.size in (32, 64):
            state.general[to[1]] = Form()
            state.carry_flag, state.zero_flag = ("is", False), ("is", True)
            return
        if one.size != 8 or isinstance(to, Memory) or not isinstance(source, Memory):
            raise NotCovered("an exclusive or")
        own = state.general[to[1]]
        own = half_lane(own) if isinstance(own, Form) else own
        state.general[to[1]] = xor(own, self.load(state, source, after, 1))
        state.carry_flag, state.zero_flag = ("is", False), ("secret",)

    def do_movin(self, state, one, after):
        register, source = one.operands
        value = self.value(state, source, after, one.size)
        lane = half_lane(value) if isinstance(value, Form) else value
        cut = tuple(i if i < one.size // 8 else 128 for i in range(16))
        self.set(state, register, shuffle(lane, cut))

    def do_movout(self, state, one, after):
        register, to = one.operands
        if isinstance(to, Memory):
            return self.store(state, to, after, one.size // 8, state.vector[register][0])
        cut = tuple(i if i < one.size // 8 else 128 for i in range(16))
        state.general[to[1]] = low(shuffle(state.vector[register][0], cut))
        if one.size == 32:
            state.general[to[1]] = shuffle(state.vector[register][0], cut)

    def do_pinsrq(self, state, one, after):
        register, first, source = one.operands
        value = self.value(state, source, after, 64)
        lane = half_lane(value) if isinstance(value, Form) else value
        old = state.vector[first][0]
        if one.value & 1:
            lane = xor(shuffle(old, LOW), shuffle(lane, (128,) * 8 + tuple(range(8))))
        else:
            lane = xor(shuffle(old, (128,) * 8 + tuple(range(8, 16))), shuffle(lane, LOW))
        self.set(state, register, lane)

    def do_psrldq(self, state, one, after):
        to, source = one.operands
        by = tuple(i + one.value if i + one.value < 16 else 128 for i in range(16))
        self.set(state, to, shuffle(state.vector[source][0], by))

    @staticmethod
    def set(state, register, lane):
        """VEX encodings make the upper parts zero."""
        state.vector[register] = [lane, ZERO, ZERO, ZERO]

    def lane(self, state, operand, after, is_aligned=False):
        if isinstance(operand, Memory):
            return self.load(state, operand, after, 16, is_aligned)
        return state.vector[operand[1]][0]

    def do_movu(self, state, one, after):
        to, source = one.operands
        if isinstance(to, Memory):
            return self.store(state, to, after, 16, self.lane(state, source, after), one.op != "movu")
        self.set(state, to[1], self.lane(state, source, after, one.op == "mova"))

    do_movnt = do_movu

    def do_mova(self, state, one, after):
        streams = state.streams
        self.do_movu(state, one, after)
        state.streams = streams

    def do_pxor(self, state, one, after):
        to, a, b = one.operands
        self.set(state, to[1], xor(self.lane(state, a, after), self.lane(state, b, after)))

    def do_pshufb(self, state, one, after):
        to, a, b = one.operands
        mask = self.lane(state, b, after)
        if mask[0]:
            raise Refused("bytes are moved by a mask that is not known")
        by = tuple(128 if i > 127 else i & 15 for i in mask[1].to_bytes(16, "little"))
        self.set(state, to[1], shuffle(self.lane(state, a, after), by))

    def do_round(self, state, one, after):
        to, a, b = one.operands
        first = self.summed(state, self.lane(state, a, after))
        self.set(state, to[1], xor(round_of(one.op, first), self.lane(state, b, after)))

    def summed(self, state, lane):
        """A lane in which XOR of a number with the lowest byte of a word, whose bits there are zero, is a sum."""
        for inner, mask in lane[0]:
            if inner[0] != "word" or mask.count(0) != 1:
                continue
            place = mask.index(0)
            value = lane[1] >> 8 * place & 255
            word = form_of(inner[1])
            if value and self.is_disjoint(state, word, (1 << value.bit_length()) - 1):
                changed = shuffle(half_lane(word.plus(value)), mask)
                lane = (lane[0] - {(inner, mask)}, lane[1] ^ value << 8 * place)
                return self.summed(state, xor(lane, changed))
        return lane

    def do_paddq(self, state, one, after):
        to, a, b = one.operands
        a, b = self.lane(state, a, after), self.lane(state, b, after)
        self.set(state, to[1], words(low(a).plus(low(b)), high(a).plus(high(b))))

    def do_paddd(self, state, one, after):
        """A sum in the highest byte of the lane, which holds the lowest byte of a word: the counter's."""
        to, a, b = one.operands
        a, b = self.lane(state, a, after), self.lane(state, b, after)
        if b[0] or b[1] & ((1 << 120) - 1):
            raise Refused("a sum of vectors is not supported")
        count, own = b[1] >> 120, high(a)
        if not (len(own.terms) == 1 and own.constant == 0 and next(iter(own.terms))[0] == "swap"):
            raise Refused("a sum of vectors is not that of a word")
        word = swapped(own)
        step = max(s for s in (1, 2, 4, 8, 16, 32, 64, 128) if s == 1 or self.is_disjoint(state, word, s - 1))
        # The byte passes these multiples of the step: none is a multiple of 256.
        for number in range(step, count + 1, step):
            total = word.plus(number)
            if not any(self.is_multiple_of_256(total.minus(known)) for known in state.nonzero):
                raise Refused("a sum of bytes may overflow")
        self.set(state, to[1], words(low(a), swapped(word.plus(count))))

    @staticmethod
    def is_multiple_of_256(form):
        return form.constant % 256 == 0 and all(c % 256 == 0 for c in form.terms.values())

    def do_zeroall(self, state, one, after):
        for register in range(16):
            self.set(state, register, ZERO)

    def do_zeroupper(self, state, one, after):
        for register in range(16):
            self.set(state, register, state.vector[register][0])

    def do_jump(self, state, one, after):
        target = after + one.value
        if one.condition is None:
            state.at = target
            return
        name = one.condition.lstrip("n")
        value = False
        if "c" in name:
            value = self.decide(state, state.carry_flag)
        if "z" in name and not value:
            value = self.decide(state, state.zero_flag)
        state.at = target if value != one.condition.startswith("n") else after

    # Paths.

    def entry(self):
        state = State()
        for number, name in enumerate(GENERAL):
            state.general[number] = atom("old", name)
        for number in range(32):
            state.vector[number] = [part("oldv", number, i) for i in range(4)]
        names = ["key", "iv", "in", "out", "len"] if self.c.mode == "ctr" else ["key", "in", "out", "len"]
        for register, name in zip((7, 6, 2, 1, 8), names):
            state.general[register] = atom(name)
        state.general[4] = atom("stack")
        if self.c.mode == "ctr":
            state.iv = [swapped(atom("counter.1")), swapped(atom("counter.0"))]
        state.facts = [Form({("len",): -1}, (1 << 63) - 1)]
        return state

    def at_head(self, head):
        state = self.entry()
        for number in range(16):
            self.fresh += 1
            state.general[number] = atom("unknown", self.fresh)
        for number in range(32):
            self.fresh += 4
            state.vector[number] = [part("unknown", self.fresh + i) for i in range(4)]
        state.iv = [None, None]
        if self.c.mode == "ctr":
            self.fresh += 2
            state.iv = [atom("unknown", self.fresh), atom("unknown", self.fresh + 1)]
        variables = {name: atom("variable", head.name, name) for name in head.variables}
        state.at = head.at
        for statement in head.statements:
            for about, value in self.claims(statement, variables):
                self.suppose(state, about, value)
        if not any(statement.about == ("general", 4) for statement in head.statements):
            raise Refused(f"{head.name} does not state rsp")
        if self.c.mode == "ctr":
            rest = self.rest_of_counter(state.done, state.carry)
            state.facts += [rest, rest.times(-1).plus(WORD - 1)]
        return state, variables

    def claims(self, statement, variables):
        """What a statement is about and the value of it, for each single place, with values of variables."""
        kind, *places = statement.about

        def form():
            p = Parser(statement.text, variables)
            return p.whole(p.form())

        def lane(names):
            p = Parser(statement.text, names)
            return p.whole(p.lane())

        if kind == "kept":
            for i in range(4):
                yield ("vector", places[0], i), part("oldv", places[0], i)
        elif kind == "vector" and places[1] == "*":
            for i in range(4):
                yield ("vector", places[0], i), lane({**variables, "lane": Form((), i)})
        elif kind == "vector":
            yield statement.about, lane(variables)
        elif kind == "general" or (kind == "iv" and self.c.mode == "ctr"):
            yield statement.about, form().word()
        elif kind in ("fact", "disjoint", "done", "carry"):
            yield statement.about, form()
        elif kind in ("streams", "flags"):
            yield statement.about, None
        else:
            raise NotCovered(f"a statement about {kind}")

    def suppose(self, state, about, value):
        """Assumes a claim."""
        kind, *places = about
        if kind == "fact":
            state.facts.append(value)
        elif kind == "disjoint":
            state.disjoint.append((value, places[0]))
        elif kind == "streams":
            state.streams = True
        elif kind == "flags":
            self.fresh += 2
            state.carry_flag, state.zero_flag = ("public", self.fresh), ("public", self.fresh + 1)
        elif kind == "general":
            state.general[places[0]] = value
        elif kind == "vector":
            state.vector[places[0]][places[1]] = value
        elif kind == "iv":
            state.iv[places[0]] = value
        elif kind == "done":
            state.done = value
        else:
            state.carry = value

    def is_true(self, state, about, value):
        """True if a claim holds in a state; those about what is done are verified together."""
        kind, *places = about
        if kind == "fact":
            return self.holds(state, value)
        if kind == "disjoint":
            return self.is_disjoint(state, value, places[0])
        if kind == "general":
            return self.word(state, places[0]).word().is_same(value)
        if kind == "vector":
            return state.vector[places[0]][places[1]] == value
        if kind == "iv":
            return state.iv[places[0]].is_same(value)
        if kind == "flags":
            self.public_flags(state)
        return True

    def check(self):
        heads = {head.name: head for head in self.c.heads}
        places = {head.at for head in self.c.heads}
        still = {}
        for head in [None] + self.c.heads:
            state, variables = (self.entry(), {}) if head is None else self.at_head(head)
            edges = list(self.c.entry if head is None else head.edges)
            waiting, is_first = [state], True
            while waiting:
                end = self.follow(waiting.pop(), places, waiting)
                if not edges:
                    raise Refused("there are more paths than are listed")
                target, values = edges.pop(0)
                if end == "exit":
                    raise Refused("a path has no end")
                if target == "exit":
                    if end.at is not None:
                        raise Refused("a path does not return")
                    self.at_exit(end, variables, values)
                else:
                    if target not in heads or end.at != heads[target].at:
                        raise Refused(f"a path does not end at {target}")
                    self.arrive(end, variables, heads[target], values)
                    if head is not None and not end.extra:
                        still.setdefault(head.name, set()).add(target)
                is_first = False
            if edges:
                raise Refused("there are fewer paths than are listed")
        self.ends(still)

    def ends(self, still):
        """Refuses circles of heads on which nothing is stored."""
        done, active = set(), set()

        def visit(name):
            if name in active:
                raise Refused("a circle of heads stores nothing")
            if name not in done:
                active.add(name)
                for other in still.get(name, ()):
                    visit(other)
                active.remove(name)
                done.add(name)

        for name in list(still):
            visit(name)

    def follow(self, state, places, waiting):
        """Follows a path to its end; other sides of its conditions wait."""
        begin = True
        while begin or state.at not in places:
            if not 0 <= state.at < self.c.constants:
                raise Refused("execution leaves the code")
            state.steps += 1
            if state.steps > 20000:
                raise Refused("too many steps")
            one = Decoder(self.c.code[: self.c.constants], state.at).decode()
            if one.op == "return":
                if not state.general[4].is_same(atom("stack")):
                    raise Refused("the stack pointer is another one at the return")
                state.at = None
                return state
            before = state.copy()
            try:
                self.step(state, one)
            except Split as split:
                other = before.copy()
                self.assume(before, split.condition, True)
                self.assume(other, split.condition, False)
                waiting.append(other)
                state = before
                continue
            begin = False
        return state

    def finished(self, state):
        front = self.front(state)
        if front != len(state.extra):
            raise Refused("bytes of output are left out")
        return state.done.plus(front)

    @staticmethod
    def rest_of_counter(done, carry):
        """The low half of the counter of the first block that is not done, less its carry."""
        if any(c % 16 for c in done.terms.values()) or done.constant % 16:
            raise Refused("the counter of a part of a block")
        block = Form({a: c // 16 for a, c in done.terms.items()}, done.constant // 16)
        return atom("counter.0").plus(block).plus(carry, -WORD)

    def arrive(self, state, variables, head, values):
        """Verifies the statement of a head."""
        given = dict(values)
        if set(given) != set(head.variables) or len(values) != len(given):
            raise Refused(f"a path has other variables than {head.name}")
        of = {}
        for name, text in values:
            p = Parser(text, variables)
            of[name] = p.whole(p.form())
            if not self.holds(state, of[name]):
                raise Refused(f"{name} may be negative")
            if is_secret(of[name]):
                raise Refused(f"{name} depends on a secret")
        # The last of several values counts; without one it is 0.
        last = {"done": Form(), "carry": Form()}
        for statement in head.statements:
            for about, value in self.claims(statement, of):
                if not self.is_true(state, about, value):
                    raise Refused(f"{about} is not as {head.name} states")
                last[about[0]] = value
        if not self.finished(state).is_same(last["done"]):
            raise Refused(f"the output does not end where {head.name} states")
        if self.c.mode == "ctr":
            rest = self.rest_of_counter(last["done"], last["carry"])
            if not (self.holds(state, rest) and self.holds(state, rest.times(-1).plus(WORD - 1))):
                raise Refused(f"the carry is not as {head.name} states")
        if state.streams and "streams" not in last:
            raise Refused("streaming stores are not fenced")

    def at_exit(self, state, variables, text):
        p = Parser(text, variables)
        blocks = p.whole(p.form())
        rest = atom("len").plus(blocks, -16)
        done = self.finished(state)
        if self.c.mode == "ctr":
            rest = rest.times(-1)
            missing = atom("len").minus(done)
            is_done = self.holds(state, missing) and self.holds(state, missing.times(-1))
        else:
            is_done = done.is_same(blocks.times(16))
        if not (self.holds(state, rest) and self.holds(state, rest.times(-1).plus(15))):
            raise Refused("the text has another number of blocks")
        if not is_done:
            raise Refused("another number of bytes is stored")
        for name in SAVED:
            if not self.word(state, GENERAL.index(name)).is_same(atom("old", name)):
                raise Refused(f"{name} is not preserved")
        if state.streams:
            raise Refused("streaming stores are not fenced")
        if self.c.mode == "ctr":
            sums = self.sums(state, blocks)
            if not any(state.iv[0].is_same(swapped(u)) and state.iv[1].is_same(swapped(l)) for u, l in sums):
                raise Refused("the IV is not the next counter")
        if self.c.wipes:
            self.wiped(state)

    def wiped(self, state):
        """Refuses secrets of the call in registers and flags."""
        for register in range(16):
            own = atom("old", GENERAL[register])
            word = self.word(state, register)
            if is_secret(word) and not word.is_same(own):
                raise Refused(f"{GENERAL[register]} may hold a secret")
        for register in range(32):
            for lane in state.vector[register]:
                if any(inner[0] != "oldv" and is_secret_part(inner) for inner, _ in lane[0]):
                    raise Refused(f"xmm{register} may hold a secret")
        self.public_flags(state)

    @staticmethod
    def public_flags(state):
        for flag in (state.carry_flag, state.zero_flag):
            if flag[0] == "secret" or any(is_secret(form_of(k)) for k in flag[1:] if isinstance(k, tuple)):
                raise Refused("flags may hold a secret")


def verdict(text):
    try:
        Checker(Certificate(text)).check()
        return "accepted"
    except Refused as why:
        return f"refused: {why}"
    except NotCovered as why:
        return f"not covered: {why}"


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            print(verdict(file.read()), flush=True)
