//! SubWord of key schedules in constant time: a circuit of gates, without look-ups.

use aesmith_dataflow::circuits::{AND, Gates};

use super::writer::Writer;

/// Bit 0 of every byte, and the constant of the S-box in every byte.
const BITS: u32 = 0x0101_0101;
const LEFT_OUT: u32 = 0x6363_6363;

/// SubWord of a word, or of the rotated word: its four bytes pass through the circuit together, bit b of each
/// in bit 0 of its byte. Shifts are by one bit, which is as cheap without a barrel shifter.
pub fn sub_word(w: &mut Writer, word: i32, rotated: bool) -> i32 {
    let mask = w.constant(BITS);
    let mut down = word;
    let mut bits = [word; 8];
    for k in (0..8).rev() {
        bits[k] = w.two("and", down, mask);
        if k > 0 {
            down = w.one("srl", down);
        }
    }
    // Complements would set all other bits, too: their constant is added at the end.
    let out =
        Gates::of(0, false).write(bits, |table, a, b| w.two(if table == AND { "and" } else { "xor" }, a, b));
    let joined = out[1..].iter().fold(out[0], |sum, &bit| {
        let twice = w.two("addk", sum, sum);
        w.xor(twice, bit)
    });
    let left_out = w.constant(LEFT_OUT);
    let sum = w.xor(joined, left_out);
    if !rotated {
        return sum;
    }
    // Moves up by three rows.
    let half = w.two_rows(sum);
    w.up_a_row(half)
}
