"""Finds functions in the text of a Rust source. A scanner is enough: it knows comments, strings, characters and lifetimes,
so that the braces which it counts are those of the code."""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<line>//[^\n]*)
    | (?P<block>/\*)
    | (?P<raw>[bc]?r(?P<hashes>\#*)".*?"(?P=hashes))
    | (?P<string>[bc]?"(?:\\.|[^"\\])*")
    | (?P<character>b?'(?:\\u\{[^}]*\}|\\x[0-9a-fA-F]{2}|\\.|[^\\'\n])')
    | (?P<lifetime>'\w+)
    | (?P<token>\w+|->|[^\w\s])
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text):
    """The tokens of the code, each with its place in the text: no comments, strings, characters and lifetimes."""
    all_of_them, at = [], 0
    while match := TOKEN.search(text, at):
        at = match.end()
        if match["block"]:
            at = comment_end(text, at)
        elif match["token"]:
            all_of_them.append((match["token"], match.start()))
    return all_of_them


def comment_end(text, at):
    """The end of a block comment, behind its opening. Such comments nest."""
    depth = 1
    for mark in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def is_balanced(text):
    """True if each brace of a text closes one of the same text, and none is left open."""
    depth = 0
    for token, _ in tokens(text):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            return False
    return depth == 0


@dataclass(frozen=True)
class Function:
    """A function with a body: the places of its braces, and whether several bodies can stand in it behind a `match`."""

    opening: int
    closing: int
    can_switch: bool

    def encloses(self, start, end):
        """True if a part of the text is within the braces."""
        return self.opening < start and end <= self.closing


def functions(text):
    """All functions of a source that have bodies, also those within others."""
    code = tokens(text)
    closing = closings(code)
    macros = [
        (code[i][1], code[closing[i + 3]][1])
        for i in range(len(code) - 3)
        if code[i][0] == "macro_rules" and code[i + 1][0] == "!"
    ]
    found = []
    for i in range(len(code) - 1):
        if code[i][0] != "fn" or not re.match(r"[^\W\d]", code[i + 1][0]):
            continue
        opening, gives_impl = signature(code, i + 1, closing)
        if opening is None:
            continue
        start, end = code[opening][1], code[closing[opening]][1]
        in_macro = any(first < start < last for first, last in macros)
        found.append(Function(start, end, not (is_const(code, i) or gives_impl or in_macro)))
    return found


def closings(code):
    """The index of the token that closes each opening one."""
    found, opened = {}, []
    for i, (token, _) in enumerate(code):
        if token in ("{", "(", "["):
            opened.append(i)
        elif token in ("}", ")", "]") and opened:
            found[opened.pop()] = i
    return found


def signature(code, at, closing):
    """The index of the brace that opens a function's body, or None, and whether the function returns an `impl`."""
    returns = gives_impl = False
    while at < len(code):
        token = code[at][0]
        if token in ("(", "["):
            at = closing[at]
        elif token == "{":
            return at, gives_impl
        elif token == ";":
            return None, gives_impl
        returns |= token == "->"
        gives_impl |= returns and token == "impl"
        at += 1
    return None, gives_impl


def is_const(code, at):
    """True if the function whose `fn` stands there can be called when constants are computed."""
    while code[at - 1][0] in ("unsafe", "async", "extern"):
        at -= 1
    return code[at - 1][0] == "const"


def innermost(all_functions, start, end):
    """The smallest function that encloses a part of the text, or None."""
    around = [function for function in all_functions if function.encloses(start, end)]
    return min(around, key=lambda function: function.closing - function.opening, default=None)


def outermost(all_functions, start, end):
    """The largest function that encloses a part of the text, or None."""
    around = [function for function in all_functions if function.encloses(start, end)]
    return max(around, key=lambda function: function.closing - function.opening, default=None)
