//! The table against GNU binutils.

use aesmith_isa::{Insn, Isa};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::binutils;
use super::table::isa;
use aesmith_judge::outside::gnu::{assembled, at_corner, drawn, held};

/// Fields with random values that the row can hold.
fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    drawn(isa, row, |field, held| {
        let bits = at_corner(held, rng.random());
        // GNU as has names for some of these, and objdump for others.
        if field.name == "imm" { bits.max(1) } else { bits }
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
    for number in 0..isa.rows.len() as u16 {
        insns.extend((0..20).map(|_| random(isa, number, &mut rng)));
    }
    let text: String = insns.iter().map(|i| format!("{}\n", isa.print(i, |_| None))).collect();
    let text = format!(
        ".register %g2, #scratch\n.register %g3, #scratch\n.register %g6, #ignore\n.register %g7, #ignore\n{text}"
    );
    let code = assembled(&assembler, &["-Av9a"], &text).expect("assembles");
    held(isa, &insns, &code);
}
