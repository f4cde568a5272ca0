//! The table against GNU binutils.

use aesmith_isa::{Insn, Isa, Kind};
use aesmith_judge::outside::gnu::{assembled, held};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::{OPTIONS, binutils};
use super::table::{EAX, isa};

/// Fields with random values for which assemblers choose this row and no shorter one.
fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    let mut insn = Insn { row, fields: [0; 8] };
    let row = &isa.rows[usize::from(row)];
    for (place, field) in row.fields.iter().enumerate() {
        let bits = u32::from(row.pattern.width(place));
        let beyond_a_byte = rng.random_range(0x400..i32::MAX) * if rng.random() { 1 } else { -1 };
        insn.fields[place] = match (field.kind, field.name.as_str()) {
            (Kind::Relative { .. }, "short") => rng.random_range(-120..120),
            (Kind::Relative { .. }, _) => beyond_a_byte / 2,
            (_, "c") => rng.random_range(2..32),
            (Kind::Number { .. }, _) if bits == 32 => beyond_a_byte,
            (Kind::Number { .. }, _) => rng.random_range(1..128) * if rng.random() { 1 } else { -1 },
            _ => rng.random_range(0..1 << bits),
        };
    }
    insn
}

/// True if assemblers have a shorter encoding for it, with the accumulator.
fn is_longer(isa: &Isa, insn: &Insn) -> bool {
    let name = isa.of(insn).name.as_str();
    let is_eax = |field| isa.operand(insn, field) == Some(EAX);
    match name {
        "xchg" => is_eax("r") || is_eax("m"),
        "mov_r_at" | "mov_m_at" | "movw_m_at" => is_eax("r"),
        "movb_m_l_at" => is_eax("q"),
        _ => name.ends_with("_n32") && is_eax("m"),
    }
}

#[test]
fn encodings_are_those_of_gnu_as() {
    let assembler = match binutils("as") {
        Ok(assembler) => assembler,
        Err(why) => return println!("skipped: {why}"),
    };
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut insns = Vec::new();
    for number in 0..isa.rows.len() {
        let mut taken = 0;
        for _ in 0..40 {
            let insn = random(isa, number as u16, &mut rng);
            if taken < 12 && isa.encode(&insn).is_ok() && !is_longer(isa, &insn) {
                insns.push(insn);
                taken += 1;
            }
        }
        assert!(taken >= 8 || isa.rows[number].fields.is_empty(), "{}: {taken}", isa.rows[number].name);
    }
    let text: String = insns.iter().map(|i| format!("{}\n", isa.print(i, |_| None))).collect();
    // A missing index is written as `%eiz`.
    let options = [OPTIONS, &["-mindex-reg"]].concat();
    let code = assembled(&assembler, &options, &text).expect("assembles");
    held(isa, &insns, &code);
    println!("{} rows, {} instructions", isa.rows.len(), insns.len());
}

/// A form whose byte would name another one is refused, and such bytes decode to the other.
#[test]
fn registers_that_a_form_cannot_name_are_refused() {
    let isa = isa();
    for (row, fields) in [
        ("mov_r_base0", [("b", 4), ("r", 1)]),
        ("mov_r_base0", [("b", 5), ("r", 1)]),
        ("mov_r_base8", [("b", 4), ("r", 1)]),
        ("mov_r_index0", [("b", 5), ("i", 1)]),
        ("mov_r_index32", [("b", 1), ("i", 4)]),
        ("mov_r_table", [("i", 4), ("r", 1)]),
    ] {
        let why = isa.encode(&isa.insn(row, &fields)).expect_err("is another");
        assert!(why.contains("another instruction"), "{why}");
    }
    let named = |bytes: &[u8]| isa.decode(bytes).map(|insn| isa.print(&insn, |_| None));
    assert_eq!(named(&[0x8b, 0x04, 0x24]).as_deref(), Some("movl (%esp), %eax"));
    assert_eq!(named(&[0x8b, 0x05, 1, 0, 2, 0]).as_deref(), Some("movl 131073, %eax"));
    assert_eq!(named(&[0x33, 0x0c, 0xc5, 3, 0, 2, 0]).as_deref(), Some("xorl 131075(,%eax,8), %ecx"));
    assert_eq!(named(&[0x0f, 0xb6, 0xff]).as_deref(), Some("movzbl %bh, %edi"));
    assert_eq!(named(&[0x0f]), None);
}
