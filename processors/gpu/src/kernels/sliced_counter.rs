//! Bit-sliced counters in groups of 256 that share most of two rounds, as in [`super::counter`].
//!
//! A thread processes every eighth of 256 counters, so that only the lowest byte differs between its 32 blocks.
//! All other bytes of the state are equal in them: their part of these two rounds is computed once, in planes,
//! words that each hold one bit of the 16 bytes. The result is then spread, each bit to a word of all ones or
//! all zeros, and the differing bytes are added.
//!
//! In a plane, the byte of a row and a column has bit `8 row + column`. Bits 4 to 7 of each byte of a plane are
//! unused.

use super::counter::Even;
use super::message::{Course, around, sum};
use super::sliced::{BLOCKS, Byte, Places, Sliced, State, chosen, exchanged};
use super::tables::xor3;
use super::writer::Writer;

/// Threads that process one group of 256 counters.
const THREADS: i32 = 256 / BLOCKS as i32;
/// The used bits of a plane.
const MEANT: i32 = 0x0f0f_0f0f;
/// For each bit of a number, the mask of those bit positions of a word (a thread's blocks) whose number has
/// this bit.
const NUMBERS: [i32; 5] = [
    0xaaaa_aaaa_u32 as i32,
    0xcccc_cccc_u32 as i32,
    0xf0f0_f0f0_u32 as i32,
    0xff00_ff00_u32 as i32,
    -0x1_0000,
];

/// The offset of a thread's 256 counters among those of a thread block.
pub fn first(w: &mut Writer, thread: i32, threads: i32) -> i32 {
    let group = w.word("and_n", &[("a", thread), ("n", threads - THREADS)]);
    w.word("shl", &[("a", group), ("n", BLOCKS.trailing_zeros() as i32)])
}

/// Writes the loop.
pub fn write(kernel: Sliced, w: &mut Writer, course: &Course) {
    let even = Even::begin(w, course, THREADS);
    around(w, course, even.end, |w| {
        let begun = even.counter(w, course);
        let state = after_two_rounds(kernel, w, begun, even.byte);
        let state = kernel.rounds(w, 3, state);
        let number = even.number(w, course);
        kernel.put(w, course, Places { number, first_is_there: false, apart: THREADS }, &state);
    });
}

/// The state of a thread's blocks after two rounds. `counter` does not contain byte 15, which is `byte`.
fn after_two_rounds(kernel: Sliced, w: &mut Writer, counter: [i32; 4], byte: i32) -> State {
    let key = kernel.whole_key(w, 0);
    let entered = sum(w, counter, key);
    // The first round: ShiftRows moves the differing byte to row 3 of the first column.
    let same = round(kernel, w, entered, 1 << 24, 1);
    let differs = w.word("xor", &[("a", byte), ("b", key[3])]);
    let mut differs: Byte = spread(w, differs)[3];
    for (bit, numbers) in differs[3..].iter_mut().zip(NUMBERS) {
        *bit = w.word("xor_n", &[("a", *bit), ("n", numbers)]);
    }
    let mut column = spread(w, same[0]);
    contributed(kernel, w, &mut column, differs, 3);
    // The second round: the bytes of the first column move to one row each of different columns.
    let rows: i32 = (0..4).map(|row| 1 << (8 * row + (4 - row) % 4)).sum();
    let same = round(kernel, w, same, rows, 2);
    let mut state = [[0; 8]; 16];
    for (c, word) in same.into_iter().enumerate() {
        let row = (4 - c) % 4;
        let mut bytes = spread(w, word);
        contributed(kernel, w, &mut bytes, column[row], row);
        state[4 * c..4 * c + 4].copy_from_slice(&bytes);
    }
    state
}

/// The contribution of a byte to its column in a round.
fn contributed(kernel: Sliced, w: &mut Writer, column: &mut [Byte; 4], byte: Byte, row: usize) {
    let s = kernel.substituted(w, byte);
    for (k, out) in column.iter_mut().enumerate() {
        let by = [2, 1, 1, 3][(4 + k - row) % 4];
        for bit in 0..8 {
            let mut terms = vec![out[bit]];
            if by != 2 {
                terms.push(s[bit]);
            }
            if by != 1 {
                terms.push(s[(bit + 7) % 8]);
                terms.extend([1, 3, 4].contains(&bit).then_some(s[7]));
            }
            out[bit] = match terms[..] {
                [a, b] => w.word("xor", &[("a", a), ("b", b)]),
                [a, b, c] => xor3(w, a, b, c),
                [a, b, c, d] => {
                    let sum = xor3(w, a, b, c);
                    w.word("xor", &[("a", sum), ("b", d)])
                }
                _ => out[bit],
            };
        }
    }
}

/// A round on one block, in which the bytes of a mask of planes contribute nothing to their columns.
fn round(kernel: Sliced, w: &mut Writer, block: [i32; 4], without: i32, number: usize) -> [i32; 4] {
    let shifted = std::array::from_fn(|column| {
        let from = |row: usize| block[kernel.shifted(column, row)];
        let low = w.word("prmt", &[("a", from(0)), ("b", from(1)), ("n", 0x0050)]);
        let high = w.word("prmt", &[("a", from(2)), ("b", from(3)), ("n", 0x7200)]);
        w.word("prmt", &[("a", low), ("b", high), ("n", 0x7610)])
    });
    let planes = planes(w, shifted);
    let planes = kernel.substituted(w, planes).map(|plane| w.word("and_n", &[("a", plane), ("n", !without)]));
    let turned = |w: &mut Writer, word: i32, n: i32| w.word("prmt", &[("a", word), ("b", word), ("n", n)]);
    let next = planes.map(|plane| turned(w, plane, 0x0321));
    let sums: Byte = std::array::from_fn(|k| w.word("xor", &[("a", planes[k]), ("b", next[k])]));
    let mixed = std::array::from_fn(|k| {
        let after = turned(w, sums[k], 0x1032);
        // 2 (a + b) + b + c + d, for the byte `a` of each row and the following ones.
        let sum = xor3(w, sums[(k + 7) % 8], next[k], after);
        if [1, 3, 4].contains(&k) { w.word("xor", &[("a", sum), ("b", sums[7])]) } else { sum }
    });
    let words = words(w, mixed);
    let key = kernel.whole_key(w, number);
    sum(w, words, key)
}

/// The words of a block as planes.
fn planes(w: &mut Writer, block: [i32; 4]) -> Byte {
    let low = crossed(w, block);
    let high = low.map(|word| w.word("shr", &[("a", word), ("n", 4)]));
    std::array::from_fn(|k| if k < 4 { low[k] } else { high[k - 4] })
}

/// Planes back to the words of a block.
fn words(w: &mut Writer, planes: Byte) -> [i32; 4] {
    let both = std::array::from_fn(|k| {
        let high = w.word("shl", &[("a", planes[k + 4]), ("n", 4)]);
        chosen(w, MEANT, planes[k], high)
    });
    crossed(w, both)
}

/// Transposes four words by nibbles, in groups of four by four.
fn crossed(w: &mut Writer, [a, b, c, d]: [i32; 4]) -> [i32; 4] {
    let ([a, b], [c, d]) = (exchanged(w, [a, b], 1, 0x5555_5555), exchanged(w, [c, d], 1, 0x5555_5555));
    let ([a, c], [b, d]) = (exchanged(w, [a, c], 2, 0x3333_3333), exchanged(w, [b, d], 2, 0x3333_3333));
    [a, b, c, d]
}

/// The bytes of a word, with each bit as a word of all ones or all zeros: shifts the bit to the top of a byte
/// and replicates it.
fn spread(w: &mut Writer, word: i32) -> [Byte; 4] {
    let mut bytes = [[0; 8]; 4];
    for bit in 0..8 {
        let up = if bit == 7 { word } else { w.word("shl", &[("a", word), ("n", 7 - bit as i32)]) };
        for (byte, out) in bytes.iter_mut().enumerate() {
            let sign = 0x1111 * (8 + byte as i32);
            out[bit] = w.word("prmt", &[("a", up), ("b", up), ("n", sign)]);
        }
    }
    bytes
}
