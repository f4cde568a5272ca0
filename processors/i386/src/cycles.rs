//! Resources of three out-of-order processors that instructions use: front-end slots, load and store ports,
//! arithmetic units. The model has no latencies, misses or mispredicted branches, and results are never waited
//! for. So a sum is a static figure: the least cycles for these resources, in program order. It compares
//! kernels; it does not state the cycles that a processor takes.
//!
//! | | Pentium 4 | Core 2 | Athlon 64 |
//! |---|---|---|---|
//! | slots per cycle | 3 micro-operations | 4 fused micro-operations | 3 macro-operations |
//! | a load with an operation; a store; both | 2; 2; 4 slots | 1; 1; 2 slots | 1; 1; 1 slot |
//! | loads per cycle | 1 | 1 | 2, including stores |
//! | stores per cycle | 1 | 1 | |
//! | arithmetic units | 2 at twice the clock | 3 | 3 |
//!
//! IA-32 Intel Architecture Optimization Reference Manual (248966-011), chapter 1 (NetBurst); Intel 64 and
//! IA-32 Architectures Optimization Reference Manual (248966-016), 2.1 (Core); Software Optimization Guide for
//! AMD64 Processors (AMD 25112), chapter 4 and appendix A.

use aesmith_isa::timing::{Class, Issue, STATIC, Timing, Use, class};

/// A class with these uses of units, and without a result latency.
const fn takes(name: &'static str, uses: &'static [Use], source: &'static str) -> Class {
    let mut class = class(name, 1, 1, source).on(uses);
    class.late = -1;
    class
}

const fn one(any_of: &'static [&'static str]) -> Use {
    Use { any_of, cycles: 1 }
}

/// Slots: the use of one of `any_of` for `cycles` cycles.
const fn places(any_of: &'static [&'static str], cycles: u32) -> Use {
    Use { any_of, cycles }
}

const THREE: &[&str] = &["place 1", "place 2", "place 3"];
const FOUR: &[&str] = &["place 1", "place 2", "place 3", "place 4"];
const LOAD: &[&str] = &["load port"];
const STORE: &[&str] = &["store port"];
const EITHER: &[&str] = &["access 1", "access 2"];
/// Two units that execute two operations per cycle each.
const TWICE: &[&str] =
    &["unit 0, first half", "unit 0, second half", "unit 1, first half", "unit 1, second half"];
const UNITS: &[&str] = &["unit 1", "unit 2", "unit 3"];

const NETBURST: &str = "Front end and out-of-order core: three micro-operations a cycle, one load, one store";

/// Pentium 4.
pub(crate) static PENTIUM4: Timing = Timing {
    source: "IA-32 Intel Architecture Optimization Reference Manual, chapter 1",
    classes: &[
        takes("integer", &[one(THREE), one(TWICE)], NETBURST),
        takes("shift", &[one(THREE), one(TWICE)], NETBURST),
        takes("multiply", &[one(THREE)], NETBURST),
        takes("load", &[one(THREE), one(LOAD)], NETBURST),
        takes("read", &[places(THREE, 2), one(LOAD), one(TWICE)], NETBURST),
        takes("store", &[places(THREE, 2), one(STORE)], NETBURST),
        takes("modify", &[places(THREE, 4), one(LOAD), one(STORE), one(TWICE)], NETBURST),
        takes("branch", &[one(THREE)], NETBURST),
        takes("call", &[places(THREE, 4), one(STORE)], NETBURST),
        takes("return", &[places(THREE, 4), one(LOAD)], NETBURST),
    ],
    units: &[THREE[0], THREE[1], THREE[2], LOAD[0], STORE[0], TWICE[0], TWICE[1], TWICE[2], TWICE[3]],
    issue: Issue { width: 3, together: &[] },
    unit: STATIC,
    ..Timing::SCALAR
};

const CORE: &str = "Front end and execution core: four fused micro-operations a cycle, one load, one store";

/// Core 2.
pub(crate) static CORE2: Timing = Timing {
    source: "Intel 64 and IA-32 Architectures Optimization Reference Manual, 2.1",
    classes: &[
        takes("integer", &[one(FOUR), one(UNITS)], CORE),
        takes("shift", &[one(FOUR), one(UNITS)], CORE),
        takes("multiply", &[one(FOUR), one(UNITS)], CORE),
        takes("load", &[one(FOUR), one(LOAD)], CORE),
        takes("read", &[one(FOUR), one(LOAD), one(UNITS)], CORE),
        takes("store", &[one(FOUR), one(STORE)], CORE),
        takes("modify", &[places(FOUR, 2), one(LOAD), one(STORE), one(UNITS)], CORE),
        takes("branch", &[one(FOUR), one(UNITS)], CORE),
        takes("call", &[places(FOUR, 2), one(STORE), one(UNITS)], CORE),
        takes("return", &[one(FOUR), one(LOAD), one(UNITS)], CORE),
    ],
    units: &[FOUR[0], FOUR[1], FOUR[2], FOUR[3], LOAD[0], STORE[0], UNITS[0], UNITS[1], UNITS[2]],
    issue: Issue { width: 4, together: &[] },
    unit: STATIC,
    ..Timing::SCALAR
};

const HAMMER: &str = "Dispatch and L1 data cache: three macro-operations a cycle, two accesses";

/// Athlon 64.
pub(crate) static ATHLON64: Timing = Timing {
    source: "Software Optimization Guide for AMD64 Processors, chapter 4 and appendix A",
    classes: &[
        takes("integer", &[one(UNITS)], HAMMER),
        takes("shift", &[one(UNITS)], HAMMER),
        takes("multiply", &[one(UNITS)], HAMMER),
        takes("load", &[one(EITHER)], HAMMER),
        takes("read", &[one(UNITS), one(EITHER)], HAMMER),
        takes("store", &[one(EITHER)], HAMMER),
        takes("modify", &[one(UNITS), places(EITHER, 2)], HAMMER),
        takes("branch", &[one(UNITS)], HAMMER),
        takes("call", &[one(UNITS), one(EITHER)], HAMMER),
        takes("return", &[one(UNITS), one(EITHER)], HAMMER),
    ],
    units: &[EITHER[0], EITHER[1], UNITS[0], UNITS[1], UNITS[2]],
    issue: Issue { width: 3, together: &[] },
    unit: STATIC,
    ..Timing::SCALAR
};
