//! Instructions before a kernel that look harmless in the table, but that manuals leave undefined, or that change
//! processor state which belongs to the caller. Beside each is a control that is proved.

use aesmith_isa::Isa;
use aesmith_isa::assemble::Item;
use aesmith_processors::core;
use aesmith_prove::bits::prove;

/// An instruction: its row and fields.
type Line = (&'static str, &'static [(&'static str, i32)]);

/// Proves the kernel of a processor with extra instructions at its entry.
fn proved(processor: &str, lines: &[Line]) -> Result<(), String> {
    let isa: &Isa = (core(processor)?.isa)();
    with(processor, lines.iter().map(|(name, fields)| Item::Insn(isa.insn(name, fields))).collect())
}

/// Proves the kernel of a processor with extra items at its entry.
fn with(processor: &str, more: Vec<Item>) -> Result<(), String> {
    let core = core(processor)?;
    let isa: &Isa = (core.isa)();
    let problem = "aes128-ecb".parse().expect("a problem");
    // Code that addresses its tables relative to itself does not allow extra instructions before it.
    let choices = if ["arm7tdmi", "strongarm"].contains(&processor) { "technique=bitsliced" } else { "" };
    let variant = core.table.read(problem, choices)?;
    let mut kernel = (core.build)(&variant)?;
    let starts = |item: &Item| matches!(item, Item::Label(name) if *name == kernel.symbol);
    let (section, place) = kernel
        .sections
        .iter()
        .enumerate()
        .find_map(|(k, section)| Some((k, section.items.iter().position(starts)?)))
        .ok_or("it has no entry")?;
    kernel.sections[section].items.splice(place + 1..place + 1, more);
    let image = kernel.image(isa)?;
    let function = image.symbol(&kernel.symbol)?;
    let proof = prove(isa, core.convention, &image, function, &kernel.contract);
    proof.map(|_| ()).map_err(|refutation| refutation.sentence)
}

/// Checks that the control is proved, and that the attack is refused for this reason.
fn held(processor: &str, control: &[Line], attack: &[Line], because: &str) {
    proved(processor, control).unwrap_or_else(|e| panic!("{processor}, {control:?}: {e}"));
    match proved(processor, attack) {
        Ok(()) => panic!("{processor}: {attack:?} is proved"),
        Err(why) => assert!(why.contains(because), "{processor}, {attack:?}: {why}"),
    }
}

#[test]
fn avr() {
    let pointer: Line = ("movw", &[("ed", 26), ("er", 24)]);
    held(
        "avr",
        &[pointer, ("ld_x_inc", &[("rd", 18)])],
        &[pointer, ("ld_x_inc", &[("rd", 26)])],
        "is not defined",
    );
    held(
        "avr",
        &[pointer, ("ld_x_inc", &[("rd", 18)]), ("ld_x_dec", &[("rd", 19)])],
        &[pointer, ("ld_x_inc", &[("rd", 18)]), ("ld_x_dec", &[("rd", 27)])],
        "is not defined",
    );
}

/// A caller that keeps interrupts off has a reason, so enabling them is refused even if they are off again at the end.
#[test]
fn interrupts_of_avr() {
    let (get, put): (Line, Line) = (("in_sreg", &[("rd", 18)]), ("out_sreg", &[("rd", 18)]));
    held("avr", &[get, ("cli", &[]), put], &[get, ("sei", &[]), put], "its caller's to set");
    let by_number = [get, ("ldi", &[("hd", 19), ("k", 0x80)]), ("out_sreg", &[("rd", 19)]), put];
    let without = [get, ("ldi", &[("hd", 19), ("k", 0x7f)]), ("out_sreg", &[("rd", 19)]), put];
    held("avr", &without, &by_number, "its caller's to set");
}

#[test]
fn arm() {
    let from: Line = ("mov", &[("rd", 12), ("rm", 1), ("cond", 14)]);
    let cases: [(&[Line], &[Line], &str); 9] = [
        (
            &[("mul", &[("rd", 12), ("rm", 3), ("rs", 2), ("cond", 14)])],
            &[("mul", &[("rd", 12), ("rm", 12), ("rs", 2), ("cond", 14)])],
            "written to its first operand",
        ),
        (
            &[("umull", &[("rd", 12), ("rn", 3), ("rm", 2), ("rs", 2), ("cond", 14)])],
            &[("umull", &[("rd", 12), ("rn", 12), ("rm", 2), ("rs", 2), ("cond", 14)])],
            "both halves to one",
        ),
        (
            &[from, ("ldr_post", &[("rd", 3), ("rn", 12), ("imm", 4), ("cond", 14)])],
            &[from, ("ldr_post", &[("rd", 12), ("rn", 12), ("imm", 4), ("cond", 14)])],
            "is another operand",
        ),
        (
            &[from, ("ldmia_pre", &[("rn", 12), ("list", 0x0008), ("cond", 14)])],
            &[from, ("ldmia_pre", &[("rn", 12), ("list", 0x1008), ("cond", 14)])],
            "is in the list",
        ),
        (
            &[from, ("ldmia_pre", &[("rn", 12), ("list", 0x0008), ("cond", 14)])],
            &[from, ("ldmia_pre", &[("rn", 12), ("list", 0), ("cond", 14)])],
            "list of registers",
        ),
        (
            &[("mov_i", &[("rd", 12), ("con", 1), ("cond", 14)])],
            &[("mov_i", &[("rd", 12), ("con", 1), ("cond", 15)])],
            "no instruction has this condition",
        ),
        (
            &[("sub_i", &[("rd", 15), ("rn", 15), ("con", 4), ("cond", 14)])],
            &[("subs_i", &[("rd", 15), ("rn", 15), ("con", 4), ("cond", 14)])],
            "flags are set where control goes",
        ),
        (
            &[("mov_lsl_r", &[("rd", 12), ("rm", 3), ("rs", 2), ("cond", 14)])],
            &[("mov_lsl_r", &[("rd", 12), ("rm", 15), ("rs", 2), ("cond", 14)])],
            "program counter cannot be",
        ),
        (&[from], &[("mrs", &[("rd", 12), ("cond", 14)])], "depends on how the processor is set"),
    ];
    for (control, attack, because) in cases {
        held("arm7tdmi", control, attack, because);
    }
}

/// Flags that ARMv4 leaves meaningless after products, while emulators keep them.
#[test]
fn flags_after_products_of_arm() {
    let set: [Line; 2] = [
        ("mov_i", &[("rd", 12), ("con", 1), ("cond", 14)]),
        ("cmp_i", &[("rn", 12), ("con", 0), ("cond", 14)]),
    ];
    let [carried, overflowed]: [Line; 2] = [
        ("mov_i", &[("rd", 12), ("con", 2), ("cond", 2)]),
        ("mov_i", &[("rd", 12), ("con", 2), ("cond", 6)]),
    ];
    let product = |name| -> Line { (name, &[("rd", 3), ("rm", 12), ("rs", 12), ("cond", 14)]) };
    let long = |name| -> Line { (name, &[("rd", 3), ("rn", 2), ("rm", 12), ("rs", 12), ("cond", 14)]) };
    // The output's address is in r2.
    let [kept, back]: [Line; 2] = [
        ("stmdb_pre", &[("rn", 13), ("list", 4), ("cond", 14)]),
        ("ldmia_pre", &[("rn", 13), ("list", 4), ("cond", 14)]),
    ];
    for (plain, sets, reads) in [
        (product("mul"), product("muls"), carried),
        (product("mla"), product("mlas"), carried),
        (long("umull"), long("umulls"), carried),
        (long("umlal"), long("umlals"), overflowed),
        (long("smull"), long("smulls"), overflowed),
        (long("smlal"), long("smlals"), carried),
    ] {
        let around = |of: Line| [set[0], set[1], kept, of, reads, back];
        held("arm7tdmi", &around(plain), &around(sets), "control hangs on something unknown");
    }
}

/// Bytes that decode to an instruction but are not the encoding that assemblers write for it.
#[test]
fn other_encodings() {
    let word = |word: u32| vec![Item::Bytes(word.to_le_bytes().to_vec())];
    // mov r12, #64, and the same with another rotation; if the instruction sets flags, the rotation decides the carry.
    with("arm7tdmi", word(0xe3a0_c040)).expect("it is right");
    for other in [0xe3a0_cf01_u32 ^ 0x11, 0xe3a0_cd01] {
        let why = with("arm7tdmi", word(other)).expect_err("it is another encoding");
        assert!(why.contains("is encoded as 40 c0 a0 e3"), "{why}");
    }
    // An SIB byte without an index has two bits that are ignored.
    with("pentium4", vec![Item::Bytes(vec![0x8d, 0x04, 0x24])]).expect("it is right");
    let why =
        with("pentium4", vec![Item::Bytes(vec![0x8d, 0x04, 0x64])]).expect_err("it is another encoding");
    assert!(why.contains("is encoded as 8d 04 24"), "{why}");
}

/// An instruction that a processor lacks is refused by name, and proved on a processor that has it.
#[test]
fn parts_that_a_processor_lacks() {
    let cases: [(&str, &str, &[Line], &str); 8] = [
        ("cortex-m4", "cortex-m3", &[("uadd8", &[("rd", 3), ("rn", 3), ("rm", 3)])], "the DSP extension"),
        ("cortex-m7", "cortex-m33", &[("sel", &[("rd", 3), ("rn", 3), ("rm", 3)])], "the DSP extension"),
        ("cortex-m4", "cortex-m3", &[("uxtb16.ror", &[("rd", 3), ("rm", 3)])], "the DSP extension"),
        ("cortex-m4", "cortex-m3", &[("smlabt", &[("rd", 3), ("rn", 3), ("rm", 3), ("ra", 3)])], "the DSP"),
        ("cortex-m4", "cortex-m3", &[("umaal", &[("rd", 3), ("rd2", 12), ("rn", 3), ("rm", 3)])], "the DSP"),
        ("cortex-m4", "cortex-m3", &[("ssat16", &[("rd", 3), ("rn", 3), ("size", 9)])], "the DSP extension"),
        ("cortex-m7", "cortex-m33", &[("pkhbt", &[("rd", 3), ("rn", 3), ("rm", 3), ("sh", 4)])], "the DSP"),
        ("cortex-m7", "cortex-m33", &[("uxtab", &[("rd", 3), ("rn", 3), ("rm", 3)])], "the DSP extension"),
    ];
    for (has, lacks, lines, because) in cases {
        proved(has, lines).unwrap_or_else(|why| panic!("{has}: {why}"));
        let why = proved(lacks, lines).expect_err("it lacks that");
        assert!(why.contains(because) && why.contains("does not have"), "{lacks}: {why}");
    }
    for (processor, line) in [
        ("strongarm", ("bx", &[("rm", 14), ("cond", 14)][..])),
        ("microblaze-5", ("mulhu", &[("rd", 11), ("ra", 5), ("rb", 5)][..])),
        ("microblaze-3", ("idivu", &[("rd", 11), ("ra", 5), ("rb", 5)][..])),
    ] {
        let why = proved(processor, &[line]).expect_err("it lacks that");
        assert!(why.contains("does not have"), "{processor}: {why}");
    }
    held(
        "microblaze-5",
        &[("mul", &[("rd", 11), ("ra", 5), ("rb", 5)])],
        &[("mulh", &[("rd", 11), ("ra", 5), ("rb", 5)])],
        "does not have",
    );
}

/// ARMv4T returns to both states only by `bx`; other writes to the program counter keep the state.
#[test]
fn returns_of_arm() {
    for (processor, marked) in [("arm7tdmi", true), ("arm9tdmi", true), ("strongarm", false)] {
        let core = core(processor).expect("a processor");
        let isa: &Isa = (core.isa)();
        let variant = core
            .table
            .read("aes128-ecb".parse().expect("a problem"), "technique=bitsliced")
            .expect("a variant");
        let kernel = (core.build)(&variant).expect("a kernel");
        let own = |kernel: &aesmith_processor::core::Kernel| {
            let image = kernel.image(isa).expect("an image");
            let function = image.symbol(&kernel.symbol).expect("its symbol");
            prove(isa, core.convention, &image, function, &kernel.contract).expect("it is proved").own_state
        };
        assert_eq!(own(&kernel), None, "{processor}");
        // The last instruction returns.
        let mut moved = kernel.clone();
        let last = moved.sections[0].items.iter_mut().rev().find(|item| matches!(item, Item::Insn(_)));
        let by_move = isa.insn("mov", &[("rd", 15), ("rm", 14), ("cond", 14)]);
        if marked {
            *last.expect("an instruction") = Item::Insn(by_move);
            assert_eq!(own(&moved).as_deref(), Some("mov pc, lr"), "{processor}");
        }
    }
}

#[test]
fn thumb() {
    let zero: Line = ("movs_imm", &[("rd", 3), ("imm", 0)]);
    let (two, nop): (Line, Line) = (("itt_even", &[("even", 0)]), ("nop", &[]));
    held("cortex-m3", &[zero, two, nop, nop], &[zero, two, ("it_even", &[("even", 0)]), nop], "in a block");
    held(
        "cortex-m3",
        &[zero, two, nop, ("b", &[("label", 2)])],
        &[zero, two, nop, ("beq", &[("label", 2)])],
        "in a block",
    );
    let from: Line = ("mov_any", &[("rd", 12), ("rm", 1)]);
    held(
        "cortex-m3",
        &[from, ("ldr.post_up", &[("rt", 3), ("rn", 12), ("imm", 4)])],
        &[from, ("ldr.post_up", &[("rt", 12), ("rn", 12), ("imm", 4)])],
        "is another operand",
    );
    held(
        "cortex-m3",
        &[("and.reg", &[("rd", 3), ("rn", 12), ("rm", 3)])],
        &[("and.reg", &[("rd", 3), ("rn", 13), ("rm", 3)])],
        "cannot be this operand",
    );
    held(
        "cortex-m3",
        &[from, ("ldrd.imm", &[("rt", 3), ("rt2", 12), ("rn", 1)])],
        &[from, ("ldrd.imm", &[("rt", 3), ("rt2", 3), ("rn", 1)])],
        "written to one register",
    );
    held(
        "cortex-m3",
        &[("ssat.asr", &[("rd", 3), ("size", 9), ("rn", 3), ("sh", 1)])],
        &[("ssat.asr", &[("rd", 3), ("size", 20), ("rn", 3), ("sh", 0)])],
        "saturation is not defined",
    );
    let (down, up): (Line, Line) = (("sp_down", &[("imm", 8)]), ("sp_up", &[("imm", 8)]));
    let eight: Line = ("movs_imm", &[("rd", 3), ("imm", 8)]);
    held(
        "cortex-m3",
        &[eight, down, ("add.reg", &[("rd", 13), ("rn", 13), ("rm", 3)])],
        &[eight, down, ("add.lsr", &[("rd", 13), ("rn", 13), ("rm", 3), ("right", 32)]), up],
        "cannot be this operand",
    );
}

#[test]
fn rv32() {
    held(
        "rv32imc",
        &[("c.addi4spn", &[("cd", 13), ("uimm", 4)])],
        &[("c.addi4spn", &[("cd", 13), ("uimm", 0)])],
        "reserved",
    );
    held(
        "rv32imc",
        &[("c.lui", &[("rd", 13), ("upper", 1)])],
        &[("c.lui", &[("rd", 13), ("upper", 0)])],
        "reserved",
    );
}

#[test]
fn powerpc() {
    let load = |fields| -> Line { ("lwzu", fields) };
    for (fields, because) in [
        (&[("rt", 11), ("ra", 0), ("d", 0)][..], "register 0"),
        (&[("rt", 4), ("ra", 4), ("d", 0)][..], "the register that it loads"),
    ] {
        held("ppc7410", &[load(&[("rt", 11), ("ra", 4), ("d", 0)])], &[load(fields)], because);
    }
}

/// Data below the stack pointer is lost once interrupts could have written there.
#[test]
fn stacks() {
    let moved = |by: &'static [(&'static str, i32)]| -> Line { ("addi", by) };
    let push: Line = ("stwu", &[("rt", 14), ("ra", 1), ("d", -16)]);
    let load: Line = ("lwz", &[("rt", 14), ("ra", 1), ("d", 0)]);
    let (up, down) =
        (moved(&[("rt", 1), ("ra", 1), ("si", 16)]), moved(&[("rt", 1), ("ra", 1), ("si", -16)]));
    held("ppc7410", &[push, load, up], &[push, up, down, load, up], "nothing was written");
    held("ppc7410", &[down, up], &[up, down], "above where it was");
}

#[test]
fn sparc() {
    let clear: Line = ("or", &[("rd", 11)]);
    let over: Line = ("ba", &[("off", 8)]);
    held("ultrasparc3", &[over, clear], &[over, ("brz,pn", &[("rs1", 11), ("off", 8)])], "in a delay slot");
}

/// The system may save register windows at their stack pointers at any time.
#[test]
fn windows_of_sparc() {
    let save = |by: &'static [(&'static str, i32)]| -> Line { ("save_i", by) };
    let frame = save(&[("rs1", 14), ("simm", -192), ("rd", 14)]);
    let back: Line = ("restore", &[]);
    let cases: [(&[Line], &str); 9] = [
        // The rule also holds in the caller's window.
        (&[("add_i", &[("rs1", 14), ("simm", -132), ("rd", 14)])], "at a multiple of 16"),
        (&[("or", &[("rd", 30), ("rs1", 24)])], "the caller's stack pointer is changed"),
        (&[frame, ("ldx_i", &[("rd", 11), ("rs1", 24), ("simm", 4)])], "may be no multiple of 8"),
        (&[save(&[("rs1", 14), ("simm", -64), ("rd", 14)])], "no room for a window"),
        (&[save(&[("rs1", 14), ("simm", -200), ("rd", 14)])], "at a multiple of 16"),
        (&[frame, ("stx_i", &[("rd", 0), ("rs1", 14), ("simm", 2047 + 120)])], "where interrupts write"),
        (&[frame, ("or", &[("rd", 30), ("rs1", 24)])], "the caller's stack pointer is changed"),
        // The contents of a window that is entered again are unknown.
        (&[frame, back], "control goes to the address 0x1, a number"),
        (&[back], "control goes to the address 0x1, a number"),
    ];
    for (attack, because) in cases {
        held("ultrasparc3", &[], attack, because);
    }
}

#[test]
fn microblaze() {
    let clear: Line = ("addk", &[("rd", 11)]);
    let one: Line = ("addik", &[("rd", 11), ("imm", 1)]);
    let cases: [(&[Line], &[Line], &str); 7] = [
        // A branch is not allowed there even if it is not taken.
        (
            &[one, ("brid", &[("off", 8)]), one],
            &[one, ("brid", &[("off", 8)]), ("beqi", &[("ra", 11), ("off", 8)])],
            "in a delay slot",
        ),
        (&[clear], &[("mts", &[("ra", 0)])], "which are the caller's"),
        (&[clear], &[("mfs", &[("rd", 11)])], "depends on how the processor is set"),
        (&[("mbar", &[("count", 2)])], &[("mbar", &[("count", 16)])], "to sleep"),
        (&[clear], &[("imm", &[("imm", 5)]), clear], "belongs to no instruction"),
        (
            &[("brid", &[("off", 8)]), ("addik", &[("rd", 11), ("imm", 5)])],
            &[("brid", &[("off", 12)]), ("addik_long", &[("rd", 11), ("imm", 0x5_0000)])],
            "in a delay slot",
        ),
        (
            &[("bsefi", &[("rd", 11), ("ra", 5), ("width", 8), ("count", 24)])],
            &[("bsefi", &[("rd", 11), ("ra", 5), ("width", 9), ("count", 24)])],
            "so many bits",
        ),
    ];
    for (control, attack, because) in cases {
        held("microblaze-5", control, attack, because);
    }
}

#[test]
fn i386() {
    const EAX: i32 = 0;
    const ESP: i32 = 4;
    let shift: Line = ("shl_n", &[("m", EAX), ("c", 3)]);
    held("pentium4", &[shift], &[("shl_n", &[("m", EAX), ("c", 32)])], "no place from 1 to 31");
    // After a shift by several places, the overflow flag is undefined.
    let once: Line = ("shl_1", &[("m", EAX)]);
    let clear: Line = ("xor", &[("m", EAX), ("r", EAX)]);
    let over: Line = ("jo_short", &[("short", 2)]);
    held("pentium4", &[clear, once, over], &[clear, shift, over], "control hangs on something unknown");
    // The undefined flags of a product and of a rotation are different unknowns, not equal ones.
    let product: Line = ("imul", &[("r", EAX), ("m", EAX)]);
    let turn: Line = ("rol_n", &[("m", EAX), ("c", 3)]);
    let less: Line = ("jl_short", &[("short", 2)]);
    held(
        "pentium4",
        &[clear, product, turn, clear, less],
        &[clear, product, turn, less],
        "control hangs on something unknown",
    );
    let (down, up): (Line, Line) = (("sub_n8", &[("m", ESP), ("n", 4)]), ("add_n8", &[("m", ESP), ("n", 4)]));
    let below: Line = ("mov_m_stack8", &[("r", EAX), ("d", -4)]);
    let own: Line = ("mov_m_stack0", &[("r", EAX)]);
    held("pentium4", &[down, own, up], &[below], "beyond the stack pointer");
    held("pentium4", &[down, up], &[up, down], "nothing was written");
    let (far, back): (Line, Line) =
        (("add_n8", &[("m", ESP), ("n", 8)]), ("sub_n8", &[("m", ESP), ("n", 8)]));
    held("pentium4", &[back, far], &[far, back], "above where it was");
    // The return address, and the first argument above it.
    held("pentium4", &[down, own, up], &[own], "the caller's part of the stack");
    let argument: Line = ("mov_m_stack8", &[("r", EAX), ("d", 4)]);
    held("pentium4", &[down, own, up], &[argument], "the caller's part of the stack");
}
