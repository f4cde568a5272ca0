//! The table against GNU binutils.

use aesmith_isa::{Insn, Isa, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::table;
use aesmith_judge::outside::{gnu, need};

/// The `.text` that GNU as makes from a text.
pub fn assembled(text: &str) -> Result<Vec<u8>, String> {
    let options = ["-march=rv32imc_zbkb_zkne_zknd", "-mabi=ilp32", "-mno-relax"];
    gnu::assembled(&need("riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf")?, &options, text)
}

/// Random fields. Compressed encodings with some registers, or with zero, are other instructions.
pub fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    let small = isa.rows[usize::from(row)].bytes() == 2;
    gnu::drawn(isa, row, |field, held| match (field.kind, gnu::at_corner(held, rng.random())) {
        (Kind::Register { base: 0, .. }, bits @ 0..3) if small => 3 + bits,
        (Kind::Register { .. }, bits) => bits,
        (Kind::Coded { .. }, bits) => bits.max(1),
        (_, 0) if small => held & held.wrapping_neg(),
        (_, bits) => bits,
    })
}

#[test]
fn encodings_are_those_of_gnu_as() {
    if let Err(why) = need("riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf") {
        return println!("skipped: {why}");
    }
    let isa = table::zkn();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut insns = Vec::new();
    for number in 0..isa.rows.len() as u16 {
        insns.extend((0..20).map(|_| random(isa, number, &mut rng)));
    }
    let mut text = String::new();
    for insn in &insns {
        let option = if isa.of(insn).bytes() == 2 { "rvc" } else { "norvc" };
        text.push_str(&format!(".option {option}\n{}\n", isa.print(insn, |_| None)));
    }
    let code = assembled(&text).expect("assembles");
    gnu::held(isa, &insns, &code);
}
