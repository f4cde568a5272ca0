//! Key schedules in portable C, for both directions (FIPS-197, 5.2 and 5.3.5). SubWord looks up the S-box in a table or
//! computes it by the circuit.

use super::super::statements;
use super::{decrypts, table};
use crate::c::choices;
use aesmith_arrange::Variant;
use aesmith_processor::c::Text;

/// Writes the key schedule of a variant as `function`.
pub(super) fn write(t: &mut Text, variant: &Variant, function: &str, structure: &str, storage: &str) {
    let key = variant.problem.key;
    let (rounds, words) = (key.rounds(), key.bytes() / 4);
    let total = 4 * (rounds + 1);
    let inverse = decrypts(variant.problem.task);
    t.blank();
    sub_word(t, variant);
    t.blank();
    t.line(&format!("/* {variant} */"));
    t.open(&format!("{storage}void {function}({structure} *key_structure, const uint8_t *key_bytes)"));
    t.line(&format!("uint32_t w[{total}], rcon = 1;"));
    t.line("size_t i;");
    t.open_bare(&format!("for (i = 0; i < {words}; i++)"));
    t.line("w[i] = load32(key_bytes + 4 * i);");
    t.close();
    t.open_bare(&format!("for (; i < {total}; i++)"));
    t.line("uint32_t word = w[i - 1];");
    t.open_bare(&format!("if (i % {words} == 0)"));
    t.line("word = sub_word(rotate(word, 8)) ^ rcon;");
    t.line("rcon = double_bytes(rcon);");
    if words > 6 {
        t.turn(&format!("else if (i % {words} == 4)"));
        t.line("word = sub_word(word);");
    }
    t.close();
    t.line(&format!("w[i] = w[i - {words}] ^ word;"));
    t.close();
    if inverse {
        t.line("/* The last round key first; the inner ones go through InvMixColumns. */");
    }
    t.open_bare(&format!("for (i = 0; i < {total}; i++)"));
    if inverse {
        t.line(&format!("const size_t from = 4 * ({rounds} - i / 4) + i % 4;"));
        t.line(&format!(
            "store32(key_structure->bytes + 4 * i, i < 4 || i >= {} ? w[from] : inverse_mix(w[from]));",
            total - 4
        ));
    } else {
        t.line("store32(key_structure->bytes + 4 * i, w[i]);");
    }
    t.close();
    if variant.on(choices::WIPE) {
        t.line("wipe(w, sizeof w);");
    }
    t.close();
}

fn sub_word(t: &mut Text, variant: &Variant) {
    if variant.technique.on_words() {
        table::sbox(t, "schedule_sbox", false);
        t.blank();
        t.open("static uint32_t sub_word(uint32_t w)");
        t.line("return (uint32_t)schedule_sbox[w & 255] | (uint32_t)schedule_sbox[w >> 8 & 255] << 8");
        t.line(
            "    | (uint32_t)schedule_sbox[w >> 16 & 255] << 16 | (uint32_t)schedule_sbox[w >> 24] << 24;",
        );
        t.close();
        return;
    }
    let circuit = super::bitsliced::sbox_circuit(variant);
    t.line("/* The S-box of each byte by its circuit: bit i of all four bytes in x[i]. */");
    t.open("static uint32_t sub_word(uint32_t w)");
    for i in 0..8 {
        t.line(&format!("const uint32_t x{i} = w >> {i} & 0x01010101u;"));
    }
    let inputs: Vec<String> = (0..8).map(|i| format!("x{i}")).collect();
    let outputs = statements::words(t, &circuit, &inputs, "s", 32);
    let terms: Vec<String> =
        outputs.iter().enumerate().map(|(i, y)| format!("({y} & 0x01010101u) << {i}")).collect();
    t.line("/* The circuit leaves the S-box's constant out. */");
    t.line(&format!("return (\n        {}) ^ 0x63636363u;", terms.join("\n        | ")));
    t.close();
}
