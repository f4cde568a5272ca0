//! The table against GNU binutils.

use aesmith_isa::{Insn, Isa, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::binutils;
use super::table::isa;
use aesmith_judge::outside::gnu::{assembled, at_corner, drawn, held};

/// Fields with random values that the row can hold, and that do not make it another row.
fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    drawn(isa, row, |field, held| match (field.kind, at_corner(held, rng.random())) {
        (_, bits) if field.name == "off" => bits & !3,
        (Kind::Register { .. }, bits) => bits.max(1),
        (_, bits) => bits,
    })
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
            // GNU as refuses instructions that the architecture calls invalid.
            if (isa.undefined)(isa, &insn, Default::default()).is_none() {
                insns.push(insn);
            }
        }
    }
    let text: String = insns.iter().map(|i| format!("{}\n", isa.print(i, |_| None))).collect();
    let code = assembled(&assembler, &["-m7400"], &text).expect("assembles");
    held(isa, &insns, &code);
}
