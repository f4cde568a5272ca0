//! Conversions of the state between columns and the order that custom instructions need: four tiles of two rows
//! and two columns ([`aesmith_extension::file::Layout::Tiles`]), made by exchanging halves of words; rows; or
//! words with permuted bytes. Tiles of round keys are stored pair by pair.

use aesmith_cipher::Shuffle;
use aesmith_extension::order::Order;

use super::writer::Writer;

/// The lower halves of two words as one word, and the upper halves.
fn halves(w: &mut Writer, [a, b]: [i32; 2]) -> [i32; 2] {
    let down = w.shift("srli", a, 16);
    let other = w.xor(down, b);
    let up = w.shift("slli", other, 16);
    let low = w.xor(a, up);
    let rest = w.shift("srli", up, 16);
    [low, w.xor(b, rest)]
}

/// A word with its bytes permuted.
fn shuffled(w: &mut Writer, word: i32, bytes: Shuffle) -> i32 {
    let parts = bytes.parts();
    let whole = parts.len() == 1;
    let mut part = |(by, mask): (u8, u8)| {
        let turned = if by == 0 { word } else { w.rotated(word, 32 - 8 * i32::from(by)) };
        if whole { turned } else { w.masked(turned, mask) }
    };
    let made: Vec<i32> = parts.into_iter().map(&mut part).collect();
    made.into_iter().reduce(|a, b| w.two("or", a, b)).unwrap_or(word)
}

/// The even bytes of two words in one, and the odd ones: converts two rows of pairs of columns to rows.
fn rows(w: &mut Writer, [a, b]: [i32; 2]) -> [i32; 2] {
    let down = w.shift("srli", a, 8);
    let other = w.xor(down, b);
    let other = w.masked(other, 0b0101);
    let up = w.shift("slli", other, 8);
    [w.xor(a, up), w.xor(b, other)]
}

/// Transposes rows of four columns, or columns of four rows.
fn transposed(w: &mut Writer, [a, b, c, d]: [i32; 4]) -> [i32; 4] {
    let [low, high] = halves(w, [a, c]);
    let [other, upper] = halves(w, [b, d]);
    let [[a, b], [c, d]] = [rows(w, [low, other]), rows(w, [high, upper])];
    [a, b, c, d]
}

/// Adjacent columns, [`Order::together`] of them, as words in an order; for tiles, rows 0 and 1, then rows 2
/// and 3.
pub fn keyed(w: &mut Writer, order: Order, columns: &[i32]) -> Vec<i32> {
    let words = match *columns {
        // The second column becomes the low half.
        [a, b] => halves(w, [b, a]).to_vec(),
        [a, b, c, d] => transposed(w, [a, b, c, d]).to_vec(),
        _ => columns.to_vec(),
    };
    words.into_iter().map(|word| shuffled(w, word, order.bytes)).collect()
}

/// The columns of words made by [`keyed`].
pub(crate) fn unkeyed(w: &mut Writer, order: Order, words: &[i32]) -> Vec<i32> {
    let words: Vec<i32> = words.iter().map(|&word| shuffled(w, word, order.bytes.undone())).collect();
    match words[..] {
        [a, b] => {
            let [b, a] = halves(w, [a, b]);
            vec![a, b]
        }
        [a, b, c, d] => transposed(w, [a, b, c, d]).to_vec(),
        _ => words,
    }
}

/// The four columns in an order.
pub fn entered(w: &mut Writer, order: Order, columns: [i32; 4]) -> [i32; 4] {
    let words: Vec<i32> = columns.chunks(order.together()).flat_map(|some| keyed(w, order, some)).collect();
    std::array::from_fn(|word| words[order.in_memory(word)])
}

/// The columns of a state in an order.
pub fn left(w: &mut Writer, order: Order, state: [i32; 4]) -> [i32; 4] {
    let mut words = state;
    (0..4).for_each(|word| words[order.in_memory(word)] = state[word]);
    let columns: Vec<i32> = words.chunks(order.together()).flat_map(|some| unkeyed(w, order, some)).collect();
    std::array::from_fn(|column| columns[column])
}
