"""Puts many faults into one source. Each stands behind a switch, so that one build has them all: the variable
AESMITH_FAULT of the environment names the fault that is there, as `bits-12`. Without it there is none.

A function with faults gets its body once for each, and once without."""

import os
from dataclasses import dataclass

import rust


@dataclass(frozen=True)
class Region:
    """Lines of a source with faults in it, counted from one, and the faults that stand there."""

    first: int
    last: int
    faults: frozenset


def changed(old, new):
    """The part of the old text that the new one replaces: its start, its end and the text instead of it."""
    start = len(os.path.commonprefix([old, new]))
    rest = min(len(old), len(new)) - start
    same = len(os.path.commonprefix([old[::-1][:rest], new[::-1][:rest]]))
    return start, len(old) - same, new[start : len(new) - same]


def bodies(text, planted):
    """Bodies of functions with a fault in them, by function and fault: of the faults that can stand behind a switch.
    `planted` has the whole text with each fault in it."""
    all_functions = rust.functions(text)
    changes, places = {}, {}
    for fault, new in planted.items():
        start, end, instead = changed(text, new)
        function = rust.innermost(all_functions, start, end)
        if function and function.can_switch:
            changes[fault], places[fault] = (start, end, instead), function
    # A function within another that is switched, too, would be there several times.
    switched = set(places.values())
    found = {}
    for fault, (start, end, instead) in changes.items():
        function = rust.outermost(switched, start, end)
        body = text[function.opening + 1 : start] + instead + text[end : function.closing]
        if rust.is_balanced(body):
            found.setdefault(function, {})[fault] = body
    return found


def switch(faults):
    """The head of a function that switches between faults: what stands in front of the arms of its `match`."""
    rows = "".join(f'Ok("{fault}") => {i}, ' for i, fault in enumerate(faults, 1))
    number = f'match planted::env::var("AESMITH_FAULT").as_deref() {{ {rows}_ => 0 }}'
    # Some crates are without the standard library.
    std = "extern crate std as planted;"
    lock = f"planted::sync::LazyLock<u32> = planted::sync::LazyLock::new(|| {number})"
    return f" {std} static PLANTED: {lock}; match *PLANTED {{\n"


def plant(text, planted):
    """A text with all faults that can stand behind a switch, and the regions where they are, the smaller ones first."""
    result, at, arms, whole = "", 0, [], []
    for function, by_fault in sorted(bodies(text, planted).items(), key=lambda pair: pair[0].opening):
        result += text[at : function.opening + 1]
        first = result.count("\n") + 1
        result += switch(by_fault)
        for i, (fault, body) in enumerate(by_fault.items(), 1):
            start = result.count("\n") + 1
            result += f"{i} => {{{body}\n}}\n"
            arms.append(Region(start, result.count("\n"), frozenset([fault])))
        result += "_ => {" + text[function.opening + 1 : function.closing] + "\n}\n}"
        whole.append(Region(first, result.count("\n") + 1, frozenset(by_fault)))
        at = function.closing
    return result + text[at:], arms + whole


def blamed(regions, lines):
    """The faults that stand at one of these lines of a source."""
    around = (next((r.faults for r in regions if r.first <= line <= r.last), frozenset()) for line in lines)
    return frozenset().union(*around)
