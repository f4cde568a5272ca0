//! The table held against GNU binutils.

use aesmith_isa::{Insn, Isa, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::table;
use aesmith_judge::outside::{gnu, need};

/// The `.text` that GNU as makes of a text.
pub fn assembled(text: &str) -> Result<Vec<u8>, String> {
    let options = ["-march=rv32imc_zbkb_zkne_zknd", "-mabi=ilp32", "-mno-relax"];
    gnu::assembled(&need("riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf")?, &options, text)
}

/// Random fields. Compressed instructions keep some registers and zero for other instructions.
pub fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    let mut insn = Insn { row, fields: [0; 8] };
    let row = &isa.rows[usize::from(row)];
    let small = row.bytes() == 2;
    for (place, field) in row.fields.iter().enumerate() {
        let (bits, held) = (row.pattern.width(place), row.pattern.held(place));
        let drawn = rng.random::<u32>() & held as u32;
        insn.fields[place] = match field.kind {
            Kind::Register { base: 0, .. } if small && drawn < 3 => 3 + drawn as i32,
            Kind::Register { base, .. } => i32::from(base) + drawn as i32,
            Kind::Coded { coding, .. } => (coding.number)(u64::from(drawn.max(1))) as i32,
            kind => {
                let lowest = (held & held.wrapping_neg()) as u32;
                let drawn = if small && drawn == 0 { lowest } else { drawn };
                let signed = matches!(kind, Kind::Number { signed: true, .. } | Kind::Relative { .. });
                if signed { ((drawn << (32 - bits)) as i32) >> (32 - bits) } else { drawn as i32 }
            }
        };
    }
    insn
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
