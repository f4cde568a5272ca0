//! The table against GNU binutils.

use aesmith_isa::{Insn, Isa, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::binutils;
use super::table::isa;
use aesmith_judge::outside::gnu;

/// The `.text` that GNU as makes from a text.
pub fn assembled(text: &str) -> Result<Vec<u8>, String> {
    gnu::assembled(&binutils("as")?, &[], text)
}

/// Fields with random values that the row can hold.
pub fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    gnu::drawn(isa, row, |field, held| {
        let bits = rng.random::<u64>();
        held & match field.kind {
            // The assembler omits a prefix that is not needed.
            Kind::Number { .. } | Kind::Relative { .. } if held >> 16 != 0 => {
                (bits | 0x10_0000) & 0x7fff_fffc
            }
            _ if field.name == "off" => bits & !3,
            _ => bits,
        }
    })
}

#[test]
fn encodings_are_those_of_gnu_as() {
    if let Err(why) = binutils("as") {
        return println!("skipped: {why}");
    }
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut insns = Vec::new();
    for (number, row) in isa.rows.iter().enumerate() {
        // Added to binutils after the version of Debian 12; GNU as inserts prefixes itself.
        if matches!(row.name.as_str(), "bsefi" | "bsifi" | "imm") {
            continue;
        }
        for _ in 0..20 {
            insns.push(random(isa, number as u16, &mut rng));
        }
    }
    let text: String = insns.iter().map(|i| format!("{}\n", isa.print(i, |_| None))).collect();
    let code = assembled(&text).expect("assembles");
    gnu::held(isa, &insns, &code);
}
