//! Programs with faults that samples rarely show: each must be refuted, or proved with the properties that it has.

use crate::machine;
use aesmith_cipher::{Direction, KeySize, Task};
use aesmith_isa::assemble::{Item, Part, Section, assemble_aligned};
use aesmith_isa::convention::Convention;
use aesmith_prove::bits::{Proof, prove};

use crate::machine::{CONVENTION, Code, by_tables, contract, messages, tables};
use aesmith_isa::Unaligned;

const BLOCK: Task = Task::Ecb(Direction::Encrypt);
const CBC: Task = Task::CbcEncrypt { streams: 1 };

fn proved(code: &Code, task: Task, convention: &Convention) -> Result<Proof, String> {
    let image = code.image(tables());
    let start = image.symbol("f").expect("is there");
    let contract = contract(KeySize::Aes128, task);
    prove(&code.isa, convention, &image, start, &contract).map_err(|e| e.sentence)
}

/// The block function with extra instructions before it and before its return.
fn block(before: impl Fn(&mut Code), after: impl Fn(&mut Code)) -> Result<Proof, String> {
    block_by(&CONVENTION, before, after)
}

/// [`block`] by another convention.
fn block_by(
    convention: &Convention,
    before: impl Fn(&mut Code),
    after: impl Fn(&mut Code),
) -> Result<Proof, String> {
    let whole = by_tables(KeySize::Aes128);
    let mut code = Code::new();
    before(&mut code);
    let last = whole.items.len() - 1;
    code.items.extend(whole.items[1..last].iter().cloned());
    after(&mut code);
    code.push("ret", &[]);
    proved(&code, BLOCK, convention)
}

fn refuted(what: &str, found: Result<Proof, String>, because: &str) {
    match found {
        Ok(_) => panic!("{what} is proved"),
        Err(sentence) => assert!(sentence.contains(because), "{what}: {sentence}"),
    }
}

#[test]
fn blocks_that_break_a_rule_are_refuted() {
    let nothing = |_: &mut Code| {};
    assert!(block(nothing, nothing).is_ok());
    type Fault = fn(&mut Code);
    let faults: [(&str, Fault, &str); 12] = [
        ("output before input is read", |c| c.two("sw", 14, 2, 0), "which is wrong where they are the same"),
        ("a store below the stack pointer", |c| c.two("sw", 14, 13, -8), "where interrupts write"),
        ("a store to the caller's stack", |c| c.two("sw", 14, 13, 0), "caller's part of the stack"),
        ("a store to the input", |c| c.two("sw", 14, 1, 12), "is only read"),
        ("a store to the key", |c| c.two("sw", 14, 0, 0), "is only read"),
        ("a store behind the output", |c| c.two("sb", 14, 2, 16), "has offsets 0 to 15"),
        ("a load before the input", |c| c.two("lb", 3, 1, -1), "has offsets 0 to 15"),
        ("a load behind the key", |c| c.two("lw", 3, 0, 174), "has offsets 0 to 175"),
        ("a load of stack that nobody wrote", |c| c.two("lb", 3, 13, -4), "nothing was written"),
        ("a changed saved register", |c| c.push("li", &[("d", 4), ("k", 7)]), "without register r4"),
        ("a return to elsewhere", |c| c.two("addi", 14, 14, 4), "not a number"),
        ("a branch on what registers held", |c| c.push("bnz", &[("d", 9), ("to", 4)]), "unknown"),
    ];
    for (what, fault, because) in faults {
        let late = ["changed saved", "return to", "behind"].iter().any(|w| what.contains(w));
        let found = if late { block(nothing, fault) } else { block(fault, nothing) };
        refuted(what, found, because);
    }
    let to_table = |c: &mut Code| {
        c.push("lui", &[("d", 12), ("k", 0x20000)]);
        c.two("sb", 3, 12, 5);
    };
    refuted("a store to a table", block(to_table, nothing), "in no declared buffer");
    let behind_table = |at: i32| {
        move |c: &mut Code| {
            c.push("lui", &[("d", 12), ("k", 0x20000)]);
            c.two("lw", 3, 12, at);
        }
    };
    refuted("a load across a table's end", block(behind_table(0x4fe), nothing), "in no declared buffer");
    assert!(block(behind_table(0x4fc), nothing).is_ok());
    let by_secret = |c: &mut Code| {
        c.two("lb", 3, 0, 0);
        c.three("add", 3, 3, 2);
        c.two("sb", 3, 3, 0);
    };
    refuted("a store where a secret says", block(by_secret, nothing), "not known");
}

/// Accesses of several bytes, of which some are allowed and others are not.
#[test]
fn accesses_that_are_allowed_in_part_are_refuted() {
    let nothing = |_: &mut Code| {};
    // A frame of eight bytes, with a list of accesses at offsets in it.
    let framed = |inside: &'static [(&'static str, i32)]| {
        move |c: &mut Code| {
            c.push("li", &[("d", 3), ("k", 7)]);
            c.two("addi", 13, 13, -8);
            for &(name, at) in inside {
                c.two(name, 3, 13, at);
            }
            c.two("addi", 13, 13, 8);
        }
    };
    for (what, inside, because) in [
        ("a word that ends in the caller's stack", &[("sw", 6)][..], "caller's part of the stack"),
        ("a word of which a byte was written", &[("sb", 0), ("lw", 0)], "nothing was written"),
        ("a word of which three bytes were written", &[("sw", 1), ("lw", 0)], "nothing was written"),
        ("a byte above the frame", &[("sw", 4), ("lb", 8)], "nothing was written"),
    ] {
        refuted(what, block(framed(inside), nothing), because);
    }
    assert!(block(framed(&[("sw", 4), ("sw", 0), ("lw", 0), ("lb", 7)]), nothing).is_ok());
    // A byte of the output is stored, and then input is read.
    let over = |byte: i32, name: &'static str, at: i32| {
        move |c: &mut Code| {
            c.two("lb", 3, 1, byte);
            c.two("sb", 3, 2, byte);
            c.two(name, 3, 1, at);
        }
    };
    let same = "which is wrong where they are the same";
    for (byte, name, at) in [(3, "lw", 0), (2, "lw", 0), (0, "lw", 0), (5, "lb", 5), (8, "lw", 6)] {
        let inside = |c: &mut Code| over(byte, name, at)(c);
        refuted(&format!("{name} of {at} behind a store of byte {byte}"), block(inside, nothing), same);
    }
}

/// The stack as interrupts see it, and secrets left on it and in registers.
#[test]
fn the_stack_is_its_own_above_the_stack_pointer_only() {
    let nothing = |_: &mut Code| {};
    // Steps that move the stack pointer, and accesses relative to it.
    let steps = |steps: &'static [(&'static str, i32)]| {
        move |c: &mut Code| {
            c.two("lb", 3, 0, 0);
            for &(name, by) in steps {
                match name {
                    "sp" => c.two("addi", 13, 13, by),
                    name => c.two(name, 3, 13, by),
                }
            }
        }
    };
    for (what, wrong, because) in [
        (
            "a frame left and entered again",
            &[("sp", -8), ("sw", 0), ("sp", 8), ("sp", -8), ("lw", 0)][..],
            "nothing was written",
        ),
        (
            "a frame left in part",
            &[("sp", -8), ("sw", 0), ("sp", 4), ("sp", -4), ("lw", 0)],
            "nothing was written",
        ),
        ("a stack pointer above the caller's", &[("sp", 4), ("sp", -4)], "above where it was at entry"),
        ("a load below the stack pointer", &[("sp", -8), ("sw", 4), ("lw", -4)], "nothing was written"),
        ("a store below the stack pointer", &[("sp", -8), ("sb", -1)], "where interrupts write"),
        ("a stack pointer that comes back lower", &[("sp", -8)], ""),
    ] {
        refuted(what, block(steps(wrong), nothing), because);
    }
    let clean = block(nothing, nothing).expect("is AES");
    assert!(!clean.secret_stack && !clean.secret_registers.contains(&"r15".to_owned()));
    let left = block(steps(&[("sp", -8), ("sw", 0), ("sp", 8)]), nothing).expect("is AES");
    assert!(left.secret_stack, "a secret below the stack pointer");
    let over = block(steps(&[("sp", -8), ("sw", 0), ("sp", 4), ("sp", 4)]), nothing).expect("is AES");
    assert!(over.secret_stack, "a secret below the stack pointer, which moved on since");
    let register = block(nothing, |c| c.two("lb", 12, 0, 7)).expect("is AES");
    assert!(register.secret_registers.contains(&"r12".to_owned()), "{:?}", register.secret_registers);
    let cleared = block(nothing, |c| c.push("li", &[("d", 12), ("k", 7)])).expect("is AES");
    assert!(!cleared.secret_registers.contains(&"r12".to_owned()), "{:?}", cleared.secret_registers);
}

/// The block function with a frame of 16 bytes that begins with the address of the frame before, and instructions before
/// it.
fn with_frames(before: &[(&str, i32, i32, i32)], convention: &Convention) -> Result<Proof, String> {
    let insn = |(name, d, a, s): (&str, i32, i32, i32)| {
        Item::Insn(machine::isa().insn(name, &[("d", d), ("a", a), ("s", s)]))
    };
    let changed = [
        (("addi", 13, 13, -8), ("swu", 13, 13, -16)),
        (("sw", 4, 13, 0), ("sw", 4, 13, 8)),
        (("sw", 5, 13, 4), ("sw", 5, 13, 12)),
        (("lw", 4, 13, 0), ("lw", 4, 13, 8)),
        (("lw", 5, 13, 4), ("lw", 5, 13, 12)),
        (("addi", 13, 13, 8), ("addi", 13, 13, 16)),
    ]
    .map(|(old, new)| (insn(old), insn(new)));
    let mut code = Code::new();
    code.items.extend(before.iter().copied().map(insn));
    for item in &by_tables(KeySize::Aes128).items[1..] {
        let new = changed.iter().find(|(old, _)| old == item).map(|(_, new)| new);
        code.items.push(new.unwrap_or(item).clone());
    }
    proved(&code, BLOCK, convention)
}

/// Some ABIs ask for the stack pointer's alignment at any time, also between two instructions that move it.
#[test]
fn the_stack_pointer_keeps_its_alignment_at_any_time() {
    let sixteen = Convention { stack_alignment: 16, held_alignment: 16, ..CONVENTION };
    let down = |by: i32| [("addi", 13, 13, -by), ("addi", 13, 13, by)];
    for by in [16, 32, 48] {
        assert!(with_frames(&down(by), &sixteen).is_ok(), "{by}");
    }
    for by in [4, 8, 12, 15, 17, 24, 40] {
        refuted("a step between", with_frames(&down(by), &sixteen), "no multiple of 16");
    }
    let steps = [("addi", 13, 13, -32), ("addi", 13, 13, 8), ("addi", 13, 13, 24)];
    refuted("two steps back", with_frames(&steps, &sixteen), "no multiple of 16");
    assert!(with_frames(&down(24), &Convention { held_alignment: 8, ..sixteen }).is_ok());
}

/// The word at the stack pointer leads to the caller's frame at any time, if the ABI asks for it: directly, or by way of
/// other frames of the function, none of which may have lost its word.
#[test]
fn the_chain_of_frames_leads_to_the_caller_at_any_time() {
    let chained = Convention { stack_alignment: 16, held_alignment: 16, back_chain: true, ..CONVENTION };
    let (one, two) = (("swu", 13, 13, -32), ("swu", 13, 13, -16));
    let out = |by: i32| ("addi", 13, 13, by);
    for (what, steps) in [
        ("no frame", &[][..]),
        ("one frame", &[one, out(32)]),
        ("two frames", &[one, two, out(16), out(32)]),
        ("two frames left at once", &[one, two, out(48)]),
        ("a frame that grows", &[one, ("lw", 3, 13, 0), ("swu", 3, 13, -16), out(48)]),
        ("a frame left by its word", &[one, ("lw", 13, 13, 0)]),
        ("another word of the frame", &[one, ("sw", 3, 13, 4), out(32)]),
    ] {
        if let Err(sentence) = with_frames(steps, &chained) {
            panic!("{what}: {sentence}");
        }
    }
    for (what, steps) in [
        ("no word", &[("addi", 13, 13, -32), out(32)][..]),
        ("something else", &[one, ("sw", 3, 13, 0), out(32)]),
        ("a byte of something else", &[one, ("sb", 3, 13, 0), out(32)]),
        ("the last byte of something else", &[one, ("sb", 3, 13, 3), out(32)]),
        ("itself", &[one, ("sw", 13, 13, 0), out(32)]),
        ("the middle of the frame", &[one, ("addi", 3, 13, 16), ("sw", 3, 13, 0), out(32)]),
        ("no multiple of 16", &[one, two, ("addi", 3, 13, 8), ("sw", 3, 13, 0), out(48)]),
        (
            "no multiple of 16, and a word that leads on",
            &[one, ("addi", 3, 13, 32), ("sw", 3, 13, 8), ("addi", 3, 13, 8), ("sw", 3, 13, 0), out(32)],
        ),
        ("beyond the caller's frame", &[one, ("addi", 3, 13, 48), ("sw", 3, 13, 0), out(32)]),
        ("a frame that lost its word", &[one, two, ("sw", 3, 13, 16), out(48)]),
        ("a frame that leads beyond", &[one, two, ("addi", 3, 13, 64), ("sw", 3, 13, 16), out(48)]),
        ("another buffer", &[one, ("sw", 1, 13, 0), out(32)]),
    ] {
        refuted(what, with_frames(steps, &chained), "the frame before");
        assert!(with_frames(steps, &Convention { back_chain: false, ..chained }).is_ok(), "{what}");
    }
}

/// Callers leave some bytes of their frame to the function, and no byte beside these.
#[test]
fn of_the_callers_frame_only_what_it_leaves_is_written() {
    let convention = Convention { saves: (4, 8), ..CONVENTION };
    let stored = |name: &str, at: i32, convention: &Convention| {
        let mut code = Code::new();
        code.two(name, 14, 13, at);
        code.items.extend(by_tables(KeySize::Aes128).items[1..].iter().cloned());
        proved(&code, BLOCK, convention)
    };
    for (name, at) in [("sw", 4), ("sb", 4), ("sb", 7)] {
        assert!(stored(name, at, &convention).is_ok(), "{name} at {at}");
        refuted(name, stored(name, at, &CONVENTION), "caller's part of the stack");
    }
    for (name, at) in [("sw", 0), ("sw", 1), ("sw", 6), ("sw", 8), ("sb", 3), ("sb", 8)] {
        refuted(name, stored(name, at, &convention), "caller's part of the stack");
    }
}

/// The block function with jumps through code in other sections: one section, or two that are adjacent in this image; a
/// linker may place the sections anywhere.
fn by_way_of_others(in_one: bool) -> Result<Proof, String> {
    let mut code = Code::new();
    let isa = code.isa.clone();
    let linked = |insn, field: &str, label: &str, part| Item::Linked {
        insn,
        field: field.into(),
        label: label.into(),
        addend: 0,
        part,
    };
    let jump = |to: &str| linked(isa.insn("bnz", &[("d", 3), ("to", 0)]), "to", to, Part::Distance);
    let one = Item::Insn(isa.insn("li", &[("d", 3), ("k", 1)]));
    code.items.extend([one.clone(), jump(".Lother"), Item::Label(".Lback".into())]);
    let tables_at = isa.insn("lui", &[("d", 15), ("k", 0x20000)]);
    code.items.extend(by_tables(KeySize::Aes128).items[1..].iter().map(|item| match item {
        Item::Insn(insn) if *insn == tables_at => linked(tables_at, "k", ".Ltables", Part::Whole),
        other => other.clone(),
    }));
    let mut other = vec![Item::Label(".Lother".into()), one];
    let mut next = vec![Item::Label(".Lnext".into())];
    if in_one { &mut other } else { &mut next }.push(jump(".Lback"));
    let tables = vec![Item::Label(".Ltables".into()), Item::Bytes(tables())];
    let section = |name, address, items| Section { name, address, writable: false, items };
    let sections = [
        section(".text", 0x1_0000, code.items),
        section(".text.other", 0x1_8000, other),
        section(".text.next", 0x1_8004 + 4 * u64::from(in_one), next),
        section(".rodata", 0x2_0000, tables),
    ];
    let image = assemble_aligned(&isa, &sections, |number, _| if number == 3 { 0x1_0000 } else { 4 });
    let image = image.expect("assembles");
    let contract = contract(KeySize::Aes128, BLOCK);
    prove(&isa, &CONVENTION, &image, 0x1_0000, &contract).map_err(|e| e.sentence)
}

/// A jump may lead to code of another section, but control may not run past the end of a section, whatever follows it
/// in this image.
#[test]
fn control_goes_to_another_section_by_jumps_alone() {
    let found = by_way_of_others(true);
    assert!(found.is_ok(), "{found:?}");
    refuted("the end of a section", by_way_of_others(false), "leaves the section");
}

/// The block function with extra instructions right before its first word is stored, from r4.
fn before_stores(insert: impl Fn(&mut Code)) -> Result<Proof, String> {
    let mut code = by_tables(KeySize::Aes128);
    let store = machine::isa().insn("sw", &[("d", 4), ("a", 2), ("s", 0)]);
    let place = code.items.iter().position(|item| matches!(item, Item::Insn(i) if *i == store));
    let rest = code.items.split_off(place.expect("is there"));
    insert(&mut code);
    code.items.extend(rest);
    proved(&code, BLOCK, &CONVENTION)
}

#[test]
fn results_that_differ_in_a_bit_are_refuted() {
    let constant = |k: i32| {
        move |c: &mut Code| {
            c.push("li", &[("d", 3), ("k", k)]);
            c.three("xor", 4, 4, 3);
        }
    };
    assert!(before_stores(constant(0)).is_ok());
    refuted("a complement", before_stores(constant(1)), "is the complement");
    refuted("the last complement", before_stores(constant(0x8000)), "bit 7 of byte 1");
    let key = |c: &mut Code| {
        c.two("lb", 3, 0, 9);
        c.three("xor", 4, 4, 3);
    };
    refuted("a byte of the key too many", before_stores(key), "differs from what FIPS-197 says by a sum");
    let product = |c: &mut Code| {
        c.two("lb", 3, 0, 9);
        c.two("lb", 12, 0, 10);
        c.three("and", 3, 3, 12);
        c.three("xor", 4, 4, 3);
    };
    refuted("a product of two bytes of the key", before_stores(product), "does not recognise");
    let mut short = by_tables(KeySize::Aes128);
    let [word, byte] = ["sw", "sb"].map(|name| machine::isa().insn(name, &[("d", 7), ("a", 2), ("s", 12)]));
    for item in &mut short.items {
        if matches!(item, Item::Insn(insn) if *insn == word) {
            *item = Item::Insn(byte);
        }
    }
    refuted(
        "an output of 13 bytes",
        proved(&short, BLOCK, &CONVENTION),
        "byte 13 of block 0 of the output is not written",
    );
}

/// Secret-dependent branches are followed both ways: each register has the value of the way taken, and nothing may be
/// stored.
#[test]
fn both_ways_of_a_secret_are_followed() {
    // r3 is a bit of the key; r12 becomes this bit, or its complement if `wrong` is 1.
    let chosen = |wrong: i32| {
        move |c: &mut Code| {
            c.two("lb", 3, 0, 0);
            c.push("li", &[("d", 9), ("k", 1)]);
            c.three("and", 3, 3, 9);
            c.push("li", &[("d", 12), ("k", 1 ^ wrong)]);
            c.push("bnz", &[("d", 3), ("to", 8)]);
            c.push("li", &[("d", 12), ("k", wrong)]);
            c.three("xor", 12, 12, 3);
            c.three("xor", 4, 4, 12);
        }
    };
    let proof = before_stores(chosen(0)).expect("adds nothing");
    assert!(!proof.constant_time && proof.hangs.iter().any(|place| place.what == "branch"));
    refuted("what the other way left", before_stores(chosen(1)), "is the complement");
    let jumped = |name: &'static str, to: i32| {
        move |c: &mut Code| {
            c.two("lb", 3, 0, 0);
            c.push("li", &[("d", 9), ("k", 1)]);
            c.three("and", 3, 3, 9);
            c.push("bnz", &[("d", 3), ("to", to)]);
            c.two(name, 12, 2, 0);
        }
    };
    for name in ["sw", "sb"] {
        let because = "memory is written where a secret decides whether";
        refuted("a store on a secret", before_stores(jumped(name, 8)), because);
    }
    refuted("a loop on a secret", before_stores(jumped("addi", -4)), "not a short one ahead");
    refuted("a loop of one on a secret", before_stores(jumped("addi", 0)), "not a short one ahead");
    assert!(before_stores(jumped("addi", 8)).is_ok());
    // Stores after the ways meet again are allowed.
    let proof = block(|c| jumped("addi", 8)(c), |_| {}).expect("nothing hangs on it");
    assert!(proof.hangs.iter().any(|place| place.what == "branch"));
}

/// Unaligned words are faults, in loads and in stores, if accesses must be aligned.
#[test]
fn unaligned_words_are_faults_where_the_processor_says_so() {
    let strict = |name: &str, at: i32| {
        let mut code = by_tables(KeySize::Aes128);
        code.isa.about.unaligned = Unaligned::Never { is: "is a fault", source: "the toy's manual" };
        let insn = code.isa.insn(name, &[("d", 3), ("a", 13), ("s", at)]);
        // This place is after the set-up of the frame.
        code.items.insert(4, Item::Insn(insn));
        proved(&code, BLOCK, &CONVENTION)
    };
    for (name, at) in [("lw", 2), ("sw", 2), ("lw", 1), ("lw", 3)] {
        refuted(&format!("{name} at {at}"), strict(name, at), "may be no multiple of");
    }
    for (name, at) in [("lw", 4), ("lb", 3)] {
        assert!(strict(name, at).is_ok(), "{name} at {at}");
    }
}

/// Bytes after the last block belong to others, and not one of them may be touched.
#[test]
fn what_is_behind_the_last_block_is_not_touched() {
    let reading = |name: &str, at: i32| {
        let mut code = messages(CBC);
        // This place is after the load of the pointer to this block.
        let loaded = machine::isa().insn("lw", &[("d", 2), ("a", 13), ("s", 8)]);
        let place = code.items.iter().position(|item| matches!(item, Item::Insn(i) if *i == loaded));
        let read = machine::isa().insn(name, &[("d", 12), ("a", 2), ("s", at)]);
        code.items.insert(place.expect("is there") + 1, Item::Insn(read));
        proved(&code, CBC, &CONVENTION)
    };
    for (name, at) in [("lw", 16), ("lb", 16), ("lw", 14), ("lb", 31), ("lw", 13)] {
        refuted(&format!("{name} at {at} of the block"), reading(name, at), "beyond the last block");
    }
    for (name, at) in [("lw", 12), ("lb", 15)] {
        assert!(reading(name, at).is_ok(), "{name} at {at}");
    }
}

/// The return address is given by the caller and is not a number, although a number stands for it in the proof.
#[test]
fn a_function_returns_where_it_was_called_from_only() {
    let nothing = |_: &mut Code| {};
    let returning = |to: u32| {
        move |c: &mut Code| {
            c.push("lui", &[("d", 14), ("k", (to & 0xffff_0000) as i32)]);
            c.push("li", &[("d", 9), ("k", (to & 0xffff) as i32)]);
            c.three("add", 14, 14, 9);
        }
    };
    for to in [0x7ffe, 0x7fff, 0x10_7ffe] {
        refuted("a computed address of return", block(nothing, returning(to)), "");
    }
    let up_and_down = |c: &mut Code| {
        c.two("addi", 14, 14, 64);
        c.two("addi", 14, 14, -64);
    };
    assert!(block(nothing, up_and_down).is_ok());
    let saved = |c: &mut Code| {
        c.two("sw", 14, 13, -4);
        c.two("addi", 14, 14, 4);
    };
    refuted("a saved address below the stack", block(saved, nothing), "where interrupts write");
    let compared = |c: &mut Code| {
        c.push("li", &[("d", 9), ("k", 0x7ffe)]);
        c.three("sub", 9, 14, 9);
        c.push("bnz", &[("d", 9), ("to", 4)]);
    };
    refuted("a choice by the address of return", block(compared, nothing), "unknown");
    let masked = |c: &mut Code| {
        c.push("li", &[("d", 9), ("k", 0xfff0)]);
        c.three("and", 14, 14, 9);
    };
    refuted("a part of the address of return", block(nothing, masked), "not a number");
}

/// Bytes of the program that are not executed are constants wherever they stand; bytes of executed instructions are
/// not.
#[test]
fn code_is_read_as_data_only_where_it_is_not_executed() {
    let reading = |name: &'static str, at: i32| {
        block(
            move |c| {
                c.push("li", &[("d", 9), ("k", 1)]);
                c.push("bnz", &[("d", 9), ("to", 8)]);
                c.items.push(Item::Word(None, 0x1234_5678));
                c.push("lui", &[("d", 12), ("k", 0x10000)]);
                c.two(name, 3, 12, at);
            },
            |_| {},
        )
    };
    assert!(reading("lw", 8).is_ok(), "a literal");
    assert!(reading("lb", 11).is_ok(), "its last byte");
    for (name, at) in
        [("lw", 0), ("lw", 4), ("lb", 7), ("lw", 6), ("lw", 10), ("lb", 12), ("lb", 16), ("lw", 64)]
    {
        refuted(&format!("{name} of {at}"), reading(name, at), "of its own code is read as data");
    }
}

#[test]
fn what_a_secret_decides_is_reported() {
    let nothing = |_: &mut Code| {};
    let kinds = |proof: &Proof| proof.hangs.iter().map(|p| p.what.clone()).collect::<Vec<_>>();
    let branch = block(
        |c| {
            c.two("lb", 3, 0, 0);
            c.push("li", &[("d", 9), ("k", 1)]);
            c.three("and", 3, 3, 9);
            c.push("bnz", &[("d", 3), ("to", 8)]);
            c.push("li", &[("d", 9), ("k", 1)]);
        },
        nothing,
    );
    assert!(kinds(&branch.expect("its ways meet")).contains(&"branch".to_owned()));
    let divided = block(
        |c| {
            c.two("lw", 3, 0, 0);
            c.three("div", 3, 3, 3);
        },
        nothing,
    );
    assert!(kinds(&divided.expect("nobody reads the quotient")).contains(&"operand".to_owned()));
    let product = block(
        |c| {
            c.two("lw", 3, 0, 0);
            c.three("mul", 3, 3, 3);
        },
        nothing,
    );
    let product = product.expect("nobody reads the product");
    assert!(product.conditions.iter().any(|a| a.starts_with("Products take the same time")));
    let words = |proof: &Proof| proof.conditions.iter().any(|a| a.contains("words at any address"));
    assert!(!words(&product));
    assert!(words(&block(|c| c.two("lw", 3, 0, 2), nothing).expect("the word is not used")));
}

#[test]
fn control_leaves_no_delay_slot() {
    let code = |second: &'static str| {
        block(
            move |c| {
                c.push("li", &[("d", 3), ("k", 1)]);
                c.push("bad", &[("d", 3), ("to", 8)]);
                c.push(second, if second == "bnz" { &[("d", 3), ("to", 4)] } else { &[("d", 3), ("k", 1)] });
            },
            |_| {},
        )
    };
    assert!(code("li").is_ok());
    refuted("a jump in a delay slot", code("bnz"), "delay slot");
}

/// The message function with the branch of its loop replaced.
fn looped(task: Task, name: &str) -> Code {
    let mut code = messages(task);
    let insn = code.isa.insn(name, &[("d", 3)]);
    for item in &mut code.items {
        if let Item::Linked { insn: old, part: Part::Distance, .. } = item {
            *old = insn;
        }
    }
    code
}

#[test]
fn a_count_of_which_a_byte_is_asked_is_no_count() {
    assert!(proved(&looped(CBC, "bnz"), CBC, &CONVENTION).is_ok());
    // This is right for up to 256 blocks.
    refuted("a byte of the count", proved(&looped(CBC, "bnb"), CBC, &CONVENTION), "is not the number");
    refuted("a loop while few are left", proved(&looped(CBC, "blo"), CBC, &CONVENTION), "");
}

#[test]
fn arguments_in_saved_registers_are_restored_as_they_were() {
    // The number of blocks is passed in r4, which belongs to the caller. What is left of it at the end is what the next
    // iteration would take for the number of blocks.
    let convention = Convention { arguments: &[&[0], &[1], &[2], &[3], &[4]], saved: &[4, 5], ..CONVENTION };
    let mut code = messages(CBC);
    let count = code.isa.insn("lw", &[("d", 3), ("a", 13), ("s", 32)]);
    let restore = code.isa.insn("lw", &[("d", 4), ("a", 13), ("s", 0)]);
    let (mut taken, mut given) = (0, 0);
    for item in &mut code.items {
        match item {
            Item::Insn(insn) if *insn == count => {
                *insn = machine::isa().insn("addi", &[("d", 3), ("a", 4), ("s", 0)]);
                taken += 1;
            }
            Item::Insn(insn) if *insn == restore => {
                *insn = machine::isa().insn("lw", &[("d", 4), ("a", 13), ("s", 20)]);
                given += 1;
            }
            _ => {}
        }
    }
    assert_eq!((taken, given), (1, 1));
    refuted("what is left of the count", proved(&code, CBC, &convention), "without register r4");
}

#[test]
fn messages_that_break_a_rule_are_refuted() {
    // Faults at the end of the loop: the chain is stored one byte short or not at all, or steps have the wrong size.
    let fault = |find: (&str, [i32; 3]), put: (&str, [i32; 3])| {
        let mut code = messages(CBC);
        let insn =
            |(name, [d, a, s]): (&str, [i32; 3])| machine::isa().insn(name, &[("d", d), ("a", a), ("s", s)]);
        let (old, new) = (insn(find), insn(put));
        let last = code.items.iter().rposition(|item| matches!(item, Item::Insn(i) if *i == old));
        code.items[last.expect("is there")] = Item::Insn(new);
        proved(&code, CBC, &CONVENTION)
    };
    let kept = ("addi", [12, 12, 0]);
    for (what, find, put) in [
        ("a chain that is not written back", ("sw", [7, 1, 12]), kept),
        ("an output of 15 bytes", ("sw", [7, 1, 12]), ("sb", [7, 1, 12])),
        ("an input that does not move", ("addi", [2, 2, 16]), ("addi", [2, 2, 0])),
        ("an input that moves by two blocks", ("addi", [2, 2, 16]), ("addi", [2, 2, 32])),
        ("an output that does not move", ("addi", [1, 1, 16]), ("addi", [1, 1, 0])),
        ("a count that falls by two", ("addi", [3, 3, -1]), ("addi", [3, 3, -2])),
        ("a count that does not fall", ("addi", [3, 3, -1]), ("addi", [3, 3, 0])),
        ("a count that grows", ("addi", [3, 3, -1]), ("addi", [3, 3, 1])),
        ("a stack that stays down", ("addi", [13, 13, 32]), ("addi", [13, 13, 28])),
    ] {
        refuted(what, fault(find, put), "");
    }
}

/// A register that always holds a number for C, as r1 of AVR holds zero.
#[test]
fn a_register_with_a_fixed_number_has_it_at_the_return() {
    // The block function leaves this number there.
    let fixed = Convention { fixed: &[(12, 255)], ..CONVENTION };
    let ending = |after: fn(&mut Code)| block_by(&fixed, |_| {}, after);
    assert!(ending(|_| {}).is_ok());
    let faults: [fn(&mut Code); 3] = [
        |c| c.push("li", &[("d", 12), ("k", 7)]),
        |c| c.push("li", &[("d", 12), ("k", 0)]),
        |c| c.two("addi", 12, 9, 0),
    ];
    for fault in faults {
        refuted("another number", ending(fault), "another value than 255 in r12");
    }
}

/// A flag that the caller sets may be off for a while.
#[test]
fn a_flag_of_the_caller_is_not_set_and_is_as_it_was_at_the_return() {
    let kept = Convention { saved: &[4, 5, 16], ..CONVENTION };
    let ending = |after: fn(&mut Code)| block_by(&kept, |_| {}, after);
    assert!(ending(|_| {}).is_ok());
    let restored = |c: &mut Code| {
        c.push("get", &[("d", 3)]);
        c.push("off", &[]);
        c.push("put", &[("d", 3)]);
    };
    assert!(ending(restored).is_ok());
    refuted("a flag that is off", ending(|c| c.push("off", &[])), "without register on as it was");
    let set = |c: &mut Code| {
        c.push("get", &[("d", 3)]);
        c.push("on", &[]);
        c.push("put", &[("d", 3)]);
    };
    refuted("a flag that is set", ending(set), "it sets on, which is its caller's to set");
}

/// Code clears a register of which nothing is known by its own value.
#[test]
fn a_register_less_itself_is_nothing_whatever_it_held() {
    let moved = |a: i32, b: i32| {
        let before = move |c: &mut Code| {
            // A product of unknown numbers is no sum of their bits.
            c.three("mul", 9, 9, 10);
            c.three("sub", 3, a, b);
            c.three("add", 1, 1, 3);
        };
        block(before, |_| {})
    };
    assert!(moved(9, 9).is_ok() && moved(10, 10).is_ok());
    refuted("another register", moved(9, 10), "");
}
