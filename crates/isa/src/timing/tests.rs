//! Tests on a toy processor with two ALUs and one memory unit, which issues two instructions a cycle, and on a toy with
//! single issue.

use std::sync::OnceLock;

use crate::cycles::Cycles;
use crate::execute::Executed;
use crate::{Description, Insn, Isa, Kind, row};

use super::*;

fn isa() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        let about = Description {
            name: "toy",
            unit: 2,
            registers: &[("r0", 32), ("r1", 32), ("r2", 32), ("r3", 32), ("r4", 32), ("r5", 32)],
            general: 6,
            kinds: &[
                ("d", Kind::Register { base: 0, step: 1 }),
                ("a", Kind::Register { base: 0, step: 1 }),
                ("branch", Kind::Relative { bias: 0, width: 32 }),
                ("to", Kind::Relative { bias: 0, width: 32 }),
            ],
            ..Description::PLAIN
        };
        let three = |name: &str, code: &str, class: &str| {
            let meaning = "d = a ^ a2";
            row(name, name, &format!("{code} d[2:0] a[2:0] a2[2:0]"), meaning, class)
        };
        let rows = [
            three("alu", "0000000", "alu"),
            three("mul", "0000001", "mul"),
            three("custom", "0000010", "custom 4 2"),
            row("ld", "ld", "0000011 d[2:0] a[2:0] 000", "d = m32[a]", "load"),
            row("st", "st", "0000100 d[2:0] a[2:0] 000", "m32[a] = d", "store"),
            row("jump", "jump", "0000101 000 a[2:0] 000", "jump a", "branch"),
            three("sync", "0000110", "sync"),
            row(
                "often",
                "often",
                "0000111 d[2:0] a[2:0] a2[2:0]",
                "d = a ^ a ^ a ^ a ^ a ^ a ^ a ^ a ^ a ^ a2",
                "alu",
            ),
            row("hint", "hint", "0001000 branch[4:1] to[5:1]", "", "hint"),
        ];
        Isa::new(about, &rows).expect("the table is right")
    })
}

/// An instruction: name, written, read, read.
type Line = (&'static str, i32, i32, i32);

/// The cycles that each instruction adds.
fn cycles(timing: &'static Timing, lines: &[Line]) -> Vec<u32> {
    timing.check(isa()).expect("the timing is right");
    let mut model = timing.model();
    model.start();
    lines.iter().map(|line| model.step(&executed(&insn(line)))).collect()
}

fn insn(&(name, d, a, a2): &Line) -> Insn {
    let fields = [("d", d), ("a", a), ("a2", a2)];
    let row = &isa().rows[usize::from(isa().row(name))];
    let has: Vec<_> = fields.into_iter().filter(|(f, _)| row.fields.iter().any(|g| g.name == *f)).collect();
    isa().insn(name, &has)
}

fn executed(insn: &Insn) -> Executed<'_> {
    let jumped = isa().of(insn).class == "branch";
    Executed { isa: isa(), insn, pc: 0, ran: true, jumped, skipped: 0, target: 0, by_register: false }
}

const ALU: &[Use] = &[Use { any_of: &["alu0", "alu1"], cycles: 1 }];
const MEMORY: &[Use] = &[Use { any_of: &["memory"], cycles: 1 }];

static DUAL: Timing = Timing {
    source: "made up",
    units: &["alu0", "alu1", "memory"],
    classes: &[
        class("alu", 1, 1, "two units").on(ALU),
        class("load", 1, 2, "one a cycle").on(MEMORY),
        class("store", 1, 1, "one a cycle").on(MEMORY),
        class("mul", 1, 3, "only the first ALU, for two cycles").on(&[Use { any_of: &["alu0"], cycles: 2 }]),
        class("branch", 1, 1, "ends a group").taken(2),
        class("sync", 1, 1, "issues by itself").by_itself(),
    ],
    // Stored data is read late: a store may issue with the instruction that produces it.
    bypasses: &[Bypass { from: &["alu"], to: &["store"], operands: &["d"], latency: 0 }],
    overtaking: Overtaking::Waits,
    issue: Issue { width: 2, together: &[] },
    ..Timing::SCALAR
};

#[test]
fn two_issue_in_a_cycle_if_units_are_free_and_operands_there() {
    let alu = [("alu", 0, 4, 5), ("alu", 1, 4, 5), ("alu", 2, 4, 5), ("alu", 3, 4, 5), ("alu", 0, 4, 5)];
    assert_eq!(cycles(&DUAL, &alu), [1, 0, 1, 0, 1]);
    // One load a cycle, with an addition beside each.
    assert_eq!(cycles(&DUAL, &[("ld", 0, 4, 0), ("ld", 1, 5, 0), ("alu", 2, 4, 5)]), [1, 1, 0]);
    assert_eq!(cycles(&DUAL, &[("alu", 2, 4, 5), ("ld", 0, 4, 0), ("ld", 1, 5, 0)]), [1, 0, 1]);
    // Results with latencies of one and two cycles.
    assert_eq!(cycles(&DUAL, &[("alu", 0, 4, 5), ("alu", 1, 0, 5)]), [1, 1]);
    assert_eq!(cycles(&DUAL, &[("ld", 0, 4, 0), ("alu", 1, 0, 5), ("alu", 2, 4, 5)]), [1, 2, 0]);
    // Two writes to one register.
    assert_eq!(cycles(&DUAL, &[("alu", 0, 4, 5), ("alu", 0, 4, 5)]), [1, 1]);
}

#[test]
fn units_are_occupied_and_bypasses_shorten_waits() {
    // The second product waits until the unit is free; additions use the other ALU.
    assert_eq!(cycles(&DUAL, &[("mul", 0, 4, 5), ("mul", 1, 4, 5), ("alu", 2, 4, 5)]), [1, 2, 0]);
    assert_eq!(cycles(&DUAL, &[("mul", 0, 4, 5), ("alu", 1, 4, 5), ("alu", 2, 4, 5)]), [1, 0, 1]);
    // Stored data may be produced in the same cycle; the address may not.
    assert_eq!(cycles(&DUAL, &[("alu", 0, 4, 5), ("st", 0, 4, 0)]), [1, 0]);
    assert_eq!(cycles(&DUAL, &[("alu", 0, 4, 5), ("st", 4, 0, 0)]), [1, 1]);
    // A result later than the bypass latency is not delayed.
    assert_eq!(cycles(&DUAL, &[("ld", 0, 4, 0), ("st", 0, 4, 0)]), [1, 2]);
}

#[test]
fn jumps_and_instructions_by_themselves_end_groups() {
    assert_eq!(cycles(&DUAL, &[("jump", 0, 4, 0), ("alu", 0, 4, 5), ("alu", 1, 4, 5)]), [3, 1, 0]);
    assert_eq!(cycles(&DUAL, &[("alu", 0, 4, 5), ("sync", 1, 4, 5), ("alu", 2, 4, 5)]), [1, 1, 1]);
}

/// A meaning may name one operand several times: the model still waits for the others.
#[test]
fn all_operands_are_waited_for() {
    assert_eq!(cycles(&SINGLE, &[("ld", 0, 4, 0), ("often", 1, 5, 0)]), [1, 3]);
    assert_eq!(cycles(&DUAL, &[("ld", 0, 4, 0), ("often", 1, 5, 0)]), [1, 2]);
}

static HINTED: Timing = Timing {
    source: "made up",
    classes: &[class("branch", 1, 1, "two more").taken(2)],
    hint: Some(Hint { class: "hint", branch: "branch", to: "to", cycles: 3, reach: 30 }),
    issue: Issue { width: 2, together: &[] },
    ..Timing::SCALAR
};

/// A branch that follows its hint costs as much as one that is not taken; another costs as much as one without a hint.
/// A late hint has no effect.
#[test]
fn hints_count_if_they_are_early_and_right() {
    HINTED.check(isa()).expect("the timing is right");
    let jump = insn(&("jump", 0, 4, 0));
    // The jump is 10 bytes after the hint, and its target is 6 bytes before the hint.
    let of_jump = |between: u32, jumped: bool, target: u64| {
        let hint = isa().insn("hint", &[("branch", 10), ("to", -6)]);
        let mut model = HINTED.model();
        let step = |model: &mut Box<dyn Cycles>, insn: &Insn, pc: u64| {
            model.step(&Executed {
                isa: isa(),
                insn,
                pc,
                ran: true,
                jumped: false,
                skipped: 0,
                target: 0,
                by_register: false,
            })
        };
        step(&mut model, &hint, 100);
        // Each instruction waits for the one before.
        for _ in 0..between {
            step(&mut model, &insn(&("alu", 0, 0, 0)), 0);
        }
        let jump = Executed {
            isa: isa(),
            insn: &jump,
            pc: 110,
            ran: true,
            jumped,
            skipped: 0,
            target,
            by_register: false,
        };
        model.step(&jump)
    };
    assert!(of_jump(4, true, 94) <= 1, "as it was told");
    assert!(of_jump(4, true, 96) >= 2, "elsewhere");
    assert!(of_jump(4, false, 112) >= 2, "not at all");
    assert!(of_jump(1, true, 94) >= 2, "too late");
}

static PAIRED: Timing = Timing {
    source: "made up",
    classes: &[class("load", 1, 4, "four stages")],
    issue: Issue { width: 2, together: &[Pair { first: &["alu"], second: &["load", "store"] }] },
    ..Timing::SCALAR
};

#[test]
fn pairs_have_an_order() {
    assert_eq!(cycles(&PAIRED, &[("alu", 0, 4, 5), ("ld", 1, 4, 0)]), [1, 0]);
    assert_eq!(cycles(&PAIRED, &[("ld", 1, 4, 0), ("alu", 0, 4, 5)]), [1, 1]);
    assert_eq!(cycles(&PAIRED, &[("alu", 0, 4, 5), ("alu", 1, 4, 5), ("st", 2, 3, 0)]), [1, 1, 0]);
}

static SINGLE: Timing = Timing {
    source: "made up",
    classes: &[class("load", 1, 3, "two late"), class("mul", 2, 4, "two late"), class("store", 2, 2, "slow")],
    custom: Some(Coupling { cycles: 1, latency: 1 }),
    runs: &[Run { after: &["load"], result: "d", classes: &["store"], address: &["a"], cycles: 1 }],
    distances: &[Distance { after: &["store"], classes: &["custom"], cycles: 5 }],
    ..Timing::SCALAR
};

#[test]
fn one_at_a_time_waits_for_operands_distances_and_units_of_its_own() {
    assert_eq!(cycles(&SINGLE, &[("ld", 0, 4, 0), ("alu", 1, 0, 5), ("alu", 2, 0, 5)]), [1, 3, 1]);
    assert_eq!(cycles(&SINGLE, &[("ld", 0, 4, 0), ("alu", 1, 4, 5), ("alu", 2, 0, 5)]), [1, 1, 2]);
    // The occupancy is two plus one, the latency four plus one.
    assert_eq!(cycles(&SINGLE, &[("custom", 0, 4, 5), ("custom", 1, 0, 5)]), [3, 5]);
    assert_eq!(cycles(&SINGLE, &[("st", 0, 4, 0), ("custom", 1, 4, 5)]), [2, 6]);
    // A store right after a load, whose address does not depend on the load.
    assert_eq!(cycles(&SINGLE, &[("ld", 0, 4, 0), ("st", 1, 4, 0), ("st", 1, 4, 0)]), [1, 1, 2]);
    assert_eq!(cycles(&SINGLE, &[("ld", 0, 4, 0), ("st", 1, 0, 0)]), [1, 4]);
}

#[test]
fn a_new_start_forgets_what_is_on_its_way() {
    for timing in [&DUAL, &PAIRED, &SINGLE] {
        let mut model = timing.model();
        let (load, add) = (insn(&("ld", 0, 4, 0)), insn(&("alu", 1, 0, 5)));
        for _ in 0..3 {
            model.start();
            assert_eq!(model.step(&executed(&add)), 1, "{}", timing.classes[0].source);
            model.step(&executed(&load));
        }
    }
}

const LATE: &[Class] = &[class("load", 1, 3, "two late")];

static EARLIER: [(Overtaking, [u32; 3]); 3] =
    [(Overtaking::Replaced, [1, 1, 1]), (Overtaking::Kept, [1, 1, 2]), (Overtaking::Waits, [1, 3, 1])];

#[test]
fn earlier_results_are_forgotten_waited_for_or_not_overtaken() {
    for (overtaking, wanted) in EARLIER {
        let timing: &'static Timing =
            Box::leak(Box::new(Timing { source: "made up", classes: LATE, overtaking, ..Timing::SCALAR }));
        let found = cycles(timing, &[("ld", 0, 4, 0), ("alu", 0, 4, 5), ("alu", 1, 0, 5)]);
        assert_eq!(found, wanted, "{overtaking:?}");
    }
}

#[test]
fn mistakes_in_tables_are_found() {
    let wrong = |timing: Timing| timing.check(isa()).unwrap_err();
    assert_eq!(wrong(Timing { ..Timing::SCALAR }), "the timing of toy: no source is named");
    let classes = |classes| Timing { source: "made up", classes, ..Timing::SCALAR };
    const SLIP: &[Class] = &[class("lod", 1, 1, "a slip")];
    assert!(wrong(classes(SLIP)).contains("no instruction is of the class 'lod'"));
    const NOWHERE: &[Class] = &[class("load", 1, 1, "")];
    assert!(wrong(classes(NOWHERE)).contains("the class 'load' names no source"));
    const UNIT: &[Class] = &[class("alu", 1, 1, "no unit").on(ALU)];
    assert!(wrong(classes(UNIT)).contains("'alu' occupies 'alu0', which is no unit"));
    let hint = Some(Hint { class: "hint", branch: "brnch", to: "to", cycles: 3, reach: 30 });
    assert!(
        wrong(Timing { source: "made up", hint, ..Timing::SCALAR }).contains("'hint' has no field 'brnch'")
    );
    const TWICE: &[Class] = &[class("load", 1, 1, "one"), class("load", 1, 2, "two")];
    assert!(wrong(classes(TWICE)).contains("two classes 'load'"));
}
