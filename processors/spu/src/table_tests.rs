//! The table against GNU binutils, and against some encoded words.

use aesmith_isa::{Insn, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::binutils;
use super::table::isa;
use aesmith_judge::outside::gnu::{assembled, drawn, held};

/// Words with distinct fields, from the architecture's formats.
#[test]
fn encodings_are_those_of_the_architecture() {
    type Fields = &'static [(&'static str, i32)];
    let cases: [(&str, Fields, u32); 4] = [
        ("shufb", &[("rt", 9), ("ra", 10), ("rb", 11), ("rc", 12)], 0xb122_c50c),
        ("selb", &[("rt", 13), ("ra", 14), ("rb", 15), ("rc", 16)], 0x81a3_c710),
        ("xor", &[("rt", 17), ("ra", 18), ("rb", 19)], 0x4824_c911),
        ("lqd", &[("rt", 3), ("ra", 4), ("quads", 0)], 0x3400_0203),
    ];
    for (name, fields, word) in cases {
        let insn: Insn = isa().insn(name, fields);
        let bytes = isa().encode(&insn).expect("encodes");
        assert_eq!(bytes, word.to_be_bytes(), "{name}");
        assert_eq!(isa().decode(&bytes), Some(insn), "{name}");
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
    for (number, row) in isa.rows.iter().enumerate() {
        for _ in 0..20 {
            insns.push(drawn(isa, number as u16, |field, held| {
                let bits = rng.random::<u64>();
                let signed = matches!(field.kind, Kind::Number { signed: true, .. });
                held & match row.name.as_str() {
                    // GNU as refuses counts that shift everything out.
                    name if signed && (name.contains("rothmi") || name == "rotqmbyi") => {
                        (bits & 31).wrapping_neg()
                    }
                    // Of the ten bits, byte operations use eight.
                    name if signed && name.ends_with("bi") => i64::from(bits as i8) as u64,
                    _ => bits,
                }
            }));
        }
    }
    let text: String = insns.iter().map(|i| format!("{}\n", isa.print(i, |_| None))).collect();
    let code = assembled(&assembler, &[], &text).expect("assembles");
    held(isa, &insns, &code);
}
