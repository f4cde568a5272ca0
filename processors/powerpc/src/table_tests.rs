//! The table held against GNU binutils.

use aesmith_isa::{Insn, Isa, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::binutils;
use super::table::isa;
use aesmith_judge::outside::gnu::{assembled, held};

/// Fields with random values that the row can hold, none of which makes it another row.
fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    let mut insn = Insn { row, fields: [0; 8] };
    let row = &isa.rows[usize::from(row)];
    for (place, field) in row.fields.iter().enumerate() {
        let bits = u32::from(row.pattern.width(place));
        let drawn: i32 = rng.random::<i32>() >> (32 - bits) & if field.name == "off" { !3 } else { !0 };
        insn.fields[place] = match field.kind {
            Kind::Number { signed: true, .. } | Kind::Relative { .. } => drawn,
            Kind::Register { base, .. } => i32::from(base) + (drawn & ((1 << bits) - 1)).max(1),
            _ => drawn & ((1 << bits) - 1),
        };
    }
    insn
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
        for _ in 0..20 {
            let insn = random(isa, number as u16, &mut rng);
            // GNU as refuses what the architecture calls invalid.
            if (isa.undefined)(isa, &insn, Default::default()).is_none() {
                insns.push(insn);
            }
        }
    }
    let text: String = insns.iter().map(|i| format!("{}\n", isa.print(i, |_| None))).collect();
    let code = assembled(&assembler, &["-m7400"], &text).expect("assembles");
    held(isa, &insns, &code);
}
