//! The table held against GNU binutils.

use aesmith_isa::{Insn, Isa, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::binutils;
use super::table::isa;
use aesmith_judge::outside::gnu;

/// The `.text` that GNU as makes of a text.
pub fn assembled(text: &str) -> Result<Vec<u8>, String> {
    gnu::assembled(&binutils("as")?, &[], text)
}

/// Fields with random values that the row can hold.
pub fn random(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Insn {
    let mut insn = Insn { row, fields: [0; 8] };
    let row = &isa.rows[usize::from(row)];
    for (place, field) in row.fields.iter().enumerate() {
        let bits = row.pattern.width(place);
        let drawn: u32 = rng.random();
        insn.fields[place] = match field.kind {
            Kind::Number { signed: true, .. } | Kind::Relative { .. } if bits == 16 => {
                i32::from(drawn as i16) & if field.name == "off" { !3 } else { !0 }
            }
            // Behind a prefix, what would not need one is written without by the assembler.
            Kind::Number { .. } | Kind::Relative { .. } if bits == 32 => {
                (drawn | 0x10_0000) as i32 & 0x7fff_fffc
            }
            _ => (drawn & ((1 << bits) - 1)) as i32,
        };
    }
    insn
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
        // Added to binutils after the version that Debian 12 has; GNU as puts prefixes itself.
        if matches!(row.name.as_str(), "bsefi" | "bsifi" | "imm") {
            continue;
        }
        for _ in 0..20 {
            insns.push(random(isa, number as u16, &mut rng));
        }
    }
    let text: String = insns.iter().map(|i| format!("{}\n", isa.print(i, |_| None))).collect();
    let code = assembled(&text).expect("assembles");
    let mut at = 0;
    for insn in &insns {
        let bytes = isa.encode(insn).expect("encodes");
        let shown = isa.print(insn, |_| None);
        assert_eq!(code.get(at..at + bytes.len()), Some(&*bytes), "{shown}");
        let decoded = isa.decode(&bytes).expect("decodes");
        assert_eq!(isa.encode(&decoded).expect("encodes"), bytes, "{shown}");
        at += bytes.len();
    }
    assert_eq!(code.len(), at);
}
