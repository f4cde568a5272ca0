//! The table against some encoded words.

use aesmith_isa::Insn;

use super::table::isa;

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
