//! Tests of the engine on a small table: decoding inverts encoding, meanings compute the right values, and errors name
//! the mistakes in a table.

use aesmith_isa::assemble::{Item, Part, Section, assemble, text};
use aesmith_isa::elf::Head;
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;
use aesmith_isa::table::Text;
use aesmith_isa::{ByteOrder, Description, Insn, Isa, Kind, row};
use proptest::prelude::*;

fn about() -> Description {
    Description {
        name: "toy",
        address: 16,
        unit: 2,
        registers: &[("r0", 8), ("r1", 8), ("r2", 8), ("r3", 8), ("sp", 16), ("cf", 1), ("zf", 1)],
        general: 4,
        pairs: &[("P", "r1", "r0")],
        kinds: &[
            ("d", Kind::Register { base: 0, step: 1 }),
            ("w", Kind::Register { base: 0, step: 2 }),
            ("k", Kind::Number { signed: false, width: 8 }),
            ("s", Kind::Number { signed: true, width: 16 }),
            ("to", Kind::Relative { bias: 2, width: 16 }),
        ],
        macros: &[("sets(e)", "x := e; zf = x == 0"), ("twice(e)", "e + e"), ("shifted(e, n)", "e << n")],
        data: 0x1000,
        ..Description::PLAIN
    }
}

fn texts() -> Vec<Text> {
    vec![
        row(
            "add",
            "add {d}, {d2}",
            "0001 d[1:0] d2[1:0] 00000000",
            "t := zx(d, 9) + zx(d2, 9); cf = t[8]; sets(t[7:0]); d = t[7:0]",
            "alu",
        ),
        row("ldi", "ldi {d}, {k}", "0010 d[1:0] 00 k[7:0]", "d = k", "alu"),
        row("ld", "ld {d}, P", "0011 d[1:0] 0000000000", "d = m8[P]; P = P + 1", "load"),
        row("st", "st P, {d}", "0100 d[1:0] 0000000000", "m8[P] = d", "store"),
        row("br", "br {to}", "0101 to[12:1]", "if zf { jump pc + to }", "branch"),
        row("sub", "sub {d}, {d2}", "0110 d[1:0] d2[1:0] 00000000", "sets(d - d2); d = x", "alu"),
        row(
            "mix",
            "mix {d}",
            "0111 d[1:0] 0000000000",
            "d = sbox(d) ^ twice(shifted(d, 1)) ^ xtime(ror(d, 4))",
            "alu",
        ),
        row("adw", "adw {w}, {s}", "1000 w[0] s[10:0]", "pair(w) = pair(w) + s", "alu"),
        row("skz", "skz", "1001 000000000000", "if zf { skip }", "skip"),
        row("clr", "clr {d}", "1011 d[1:0] d[1:0] 00000000", "d = 0", "alu"),
        row("long", "long {k}", "1010 0000 k[7:0] 0000 0000 0000 0000", "sp = cat(k, r0)", "alu"),
    ]
}

fn isa() -> Isa {
    Isa::new(about(), &texts()).expect("the table is right")
}

fn run(isa: &Isa, items: Vec<Item>, steps: usize) -> (Machine<u128>, Numbers) {
    let section = Section { name: ".text", address: 0, writable: false, items };
    let image = assemble(isa, &[section]).expect("assembles");
    let mut memory = Numbers::new(&image, &isa.about, &[(0x1000, 256)]);
    memory.bytes_mut(0x1010, 2).expect("RAM").copy_from_slice(&[7, 9]);
    let mut machine = Machine::new(vec![0; 7], 0);
    for _ in 0..steps {
        let insn = isa.decode_at(&image, machine.pc).expect("decodes");
        let after = machine.pc + u64::from(isa.of(&insn).bytes());
        execute(isa, &insn, &mut memory, &mut machine, || {
            isa.decode(image.at(after)).map_or(0, |next| isa.of(&next).bytes())
        })
        .expect("executes");
    }
    (machine, memory)
}

#[test]
fn meanings_compute_what_they_say() {
    let isa = isa();
    let insn = |name: &str, fields: &[(&str, i32)]| Item::Insn(isa.insn(name, fields));
    let items = vec![
        insn("ldi", &[("d", 0), ("k", 0x10)]),
        insn("ld", &[("d", 2)]),
        insn("ld", &[("d", 3)]),
        insn("add", &[("d", 2), ("d2", 3)]),
        insn("st", &[("d", 2)]),
        insn("adw", &[("w", 0), ("s", -3)]),
        insn("mix", &[("d", 3)]),
        insn("long", &[("k", 0xab)]),
    ];
    let (machine, memory) = run(&isa, items, 8);
    assert_eq!(machine.registers[..3], [0x0f, 0, 16], "7 + 9, the pointer back by 3");
    // The terms are S(9) = 01, 4 * 9, and 2 * 90 = 120 + 11b.
    assert_eq!(machine.registers[3], 0x01 ^ 36 ^ 0x3b);
    assert_eq!(memory.bytes(0x1012, 1).expect("RAM"), [16]);
    assert_eq!(machine.registers[4], 0xab0f);
    assert_eq!((machine.registers[5], machine.registers[6]), (0, 0));
    assert_eq!((memory.read, memory.written), (Some((0x1010, 2)), Some((0x1012, 1))));
}

#[test]
fn jumps_and_skips() {
    let isa = isa();
    let insn = |name: &str, fields: &[(&str, i32)]| Item::Insn(isa.insn(name, fields));
    let branch = Item::Linked {
        insn: isa.insn("br", &[]),
        field: "to".into(),
        label: ".Lend".into(),
        addend: 0,
        part: Part::Distance,
    };
    let items = vec![
        insn("sub", &[("d", 1), ("d2", 1)]),
        insn("skz", &[]),
        insn("long", &[("k", 1)]),
        branch,
        insn("ldi", &[("d", 0), ("k", 1)]),
        Item::Label(".Lend".into()),
        insn("ldi", &[("d", 2), ("k", 5)]),
    ];
    let section = Section { name: ".text", address: 0, writable: false, items: items.clone() };
    let printed = text(&isa, &section, ";");
    assert!(printed.contains("    br .Lend\n") && printed.contains("    ldi r2, 5\n"), "{printed}");
    let (machine, _) = run(&isa, items, 4);
    assert_eq!(machine.registers, [0, 0, 5, 0, 0, 0, 1]);
}

/// A register that stands in two places of an encoding is one register.
#[test]
fn bits_that_stand_in_two_places_are_equal() {
    let isa = isa();
    for code in 0..16_u8 {
        let unit = 0xb000_u16 | u16::from(code) << 8;
        let found = isa.decode(&unit.to_le_bytes());
        assert_eq!(found.is_some(), code & 3 == code >> 2, "{unit:#x}: {found:?}");
    }
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(which in 0usize..11, values in prop::array::uniform3(any::<i32>())) {
        let isa = isa();
        let row = &isa.rows[which];
        let mut insn = Insn { row: which as u16, fields: [0; 8] };
        for (k, field) in row.fields.iter().enumerate() {
            insn.fields[k] = match field.kind {
                Kind::Register { step, .. } => (values[k] & 3) / i32::from(step) * i32::from(step),
                Kind::Number { signed: true, .. } => values[k] << 21 >> 21,
                Kind::Number { .. } => values[k] & 0xff,
                _ => (values[k] << 19 >> 19 & !1) + 2,
            };
        }
        let bytes = isa.encode(&insn).expect("fits");
        prop_assert_eq!(isa.decode(&bytes), Some(insn));
        prop_assert_eq!(bytes.len(), usize::from(row.bytes()));
    }

    #[test]
    fn images_of_anything_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut elf = vec![0x7f, b'E', b'L', b'F', 1, 1, 1];
        elf.extend(bytes);
        let head = Head { number: 83, name: "the toy", bits: 32, order: ByteOrder::Little };
        let _ = Image::from_elf(&elf, &head);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let isa = isa();
    let refused =
        |name: &str, fields: &[(&str, i32)]| isa.encode(&isa.insn(name, fields)).expect_err("refused");
    assert_eq!(refused("ldi", &[("k", 256)]), "ldi: 256 does not fit into 'k'");
    assert_eq!(refused("adw", &[("w", 1)]), "adw: register 1 cannot be 'w'");
    assert_eq!(refused("br", &[("to", 3)]), "br: 3 does not fit into 'to'");
    assert!(isa.encode(&isa.insn("br", &[("to", -4094)])).is_ok());
}

#[test]
fn mistakes_of_a_table_are_named() {
    let wrong = |encoding: &str, meaning: &str| {
        let mut isa = isa();
        isa.add(&row("new", "new", encoding, meaning, "alu")).expect_err("refused")
    };
    let free = "1111 d[1:0] d2[1:0] 00000000";
    assert_eq!(wrong(free, "d = sp"), "new: d: 8 bits are wanted, the value has 16");
    assert_eq!(
        wrong(free, "d = d + sp"),
        "new: d: operands of 8 and 16 bits are combined; extend one with zx or sx"
    );
    assert_eq!(wrong(free, "d = x9"), "new: d: 'x9' is no field, register or local name");
    assert_eq!(wrong(free, "d = (d + 1"), "new: ')' is missing (at byte 10)");
    assert_eq!(wrong(free, "d = d $ 1"), "new: '$' is no part of the language (at byte 6)");
    assert_eq!(wrong(free, "m8[d] = d"), "new: an address has 16 bits, this one has 8");
    assert_eq!(
        wrong("0001 d[1:0] d2[1:0] 00000000", "d = d2"),
        "new: its encoding is hidden by that of add, which stands before it"
    );
    assert_eq!(wrong("1111 q[3:0] 00000000", "zf = 1"), "new: no kind of field is named 'q'");
    assert_eq!(
        wrong("1111", "zf = 1"),
        "new: an encoding has whole bytes, at most 15, this one has 4 bits: 1111"
    );
    assert_eq!(wrong(free, "d = d[9:8]"), "new: d: bit 9 of a value of 8 bits");
    assert_eq!(wrong(free, "d = frob(d)"), "new: d: there is no function 'frob' of 1 arguments");
}
