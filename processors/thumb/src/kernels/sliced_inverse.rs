//! Decryption of two blocks in constant time, in the slices of [`super::sliced`], by the equivalent inverse
//! cipher (FIPS-197, 5.3.5). InvShiftRows is applied in every round, so all rounds are equal.

use aesmith_dataflow::circuits::{AND, Gates, XNOR};
use aesmith_isa::assemble::Item;

use super::sliced::{arranged, entered, keyed, leave, mixed, repeated, reversed, transposed};
use super::sliced_keys::{mask, odd_rows, two_rows};
use super::writer::{Line, Turned};

/// InvSubBytes; words are in order from the highest bit.
fn substituted(line: &mut Line, s: [i32; 8]) -> [i32; 8] {
    Gates::of(0, true).write(s, |table, a, b| {
        let value = line.op(if table == AND { "and" } else { "eor" }, a, b);
        if table == XNOR { line.made("mvn.reg", &[("rm", value)]) } else { value }
    })
}

/// InvShiftRows: moves row r up by r columns.
fn shifted(line: &mut Line, s: [i32; 8]) -> [i32; 8] {
    let rows = mask(line, 0x0f0f_0000);
    s.map(|x| {
        let x = odd_rows(line, x);
        two_rows(line, x, rows)
    })
}

/// Doubling (FIPS-197, 4.2.1): takes the next lower bit; the highest bit is added to bits 0, 1, 3 and 4.
fn doubled(line: &mut Line, s: [i32; 8]) -> [i32; 8] {
    std::array::from_fn(|w| {
        let next = s[(w + 1) % 8];
        if matches!(w, 3 | 4 | 6) { line.op("eor", next, s[0]) } else { next }
    })
}

/// InvMixColumns: the inverse matrix is that of MixColumns times circ(5, 0, 4, 0).
fn unmixed(line: &mut Line, s: [i32; 8]) -> [i32; 8] {
    let sums = s.map(|x| line.xor(Turned { v: x, by: 16 }, Turned::plain(x)).v);
    let twice = doubled(line, sums);
    let four = doubled(line, twice);
    let s = std::array::from_fn(|w| line.op("eor", s[w], four[w]));
    mixed(line, s, 0)
}

/// The rounds between the first round key and the last round.
pub fn middle(rounds: i32, symbol: &str, looped: bool) -> Result<Vec<Item>, String> {
    let (mut line, key, state) = entered();
    let state = substituted(&mut line, state);
    let state = shifted(&mut line, state);
    let state = unmixed(&mut line, state);
    let state = keyed(&mut line, key, state);
    leave(&mut line, key, state);
    let round = arranged(&line)?;
    Ok(if looped {
        repeated(rounds - 1, round, symbol)
    } else {
        (1..rounds).flat_map(|_| round.iter().cloned()).collect()
    })
}

/// The last round in a line of its own, with the words of text that it computes.
pub fn ended() -> (Line, [i32; 8]) {
    let (mut tail, key, state) = entered();
    let state = substituted(&mut tail, state);
    let state = shifted(&mut tail, state);
    let state = keyed(&mut tail, key, state);
    let words = transposed(&mut tail, reversed(state));
    (tail, words)
}
