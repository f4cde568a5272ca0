//! The order of the state in four words during the rounds: columns, tiles or rows, and the order of the bytes within a
//! word.

use aesmith_cipher::Shuffle;
use aesmith_cipher::firmware::Packing;

use crate::file::Layout;

/// The place of each byte of the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Order {
    /// The layout of the words.
    pub layout: Layout,
    /// The order of the bytes within a word.
    pub bytes: Shuffle,
}

impl From<Layout> for Order {
    fn from(layout: Layout) -> Order {
        Order { layout, bytes: Shuffle::NOTHING }
    }
}

/// Byte orders of a tile that keep its rows and columns together: with its columns, its rows, or both exchanged, and
/// the same with the two bytes of a row adjacent.
const TILES: [[u8; 4]; 8] = [
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [2, 3, 0, 1],
    [3, 2, 1, 0],
    [0, 2, 1, 3],
    [2, 0, 3, 1],
    [1, 3, 0, 2],
    [3, 1, 2, 0],
];

impl Order {
    /// The row and column of a byte of a word.
    pub fn place(self, word: usize, byte: usize) -> (usize, usize) {
        self.layout.place(word, self.bytes.from(byte))
    }

    /// The word and byte of a row and column.
    pub fn find(self, row: usize, column: usize) -> (usize, usize) {
        let (word, byte) = self.layout.find(row, column);
        (word, self.bytes.place(byte))
    }

    /// Distinct candidate orders of the state, of this layout or, without one, of all. A round with all columns rotated
    /// is still a round (ShiftRows moves each row by its number, MixColumns is a circulant matrix), so only one of the
    /// four rotations of a column order is included.
    pub fn candidates(stated: Option<Layout>) -> Vec<Order> {
        let of = |layout: Layout, bytes: Shuffle| Order { layout, bytes };
        let columns =
            Shuffle::all().filter(|bytes| bytes.from(0) == 0).map(|bytes| of(Layout::Columns, bytes));
        let in_tiles = |bytes: &Shuffle| TILES.contains(&bytes.of([0, 1, 2, 3]));
        let tiles = Shuffle::all().filter(in_tiles).map(|bytes| of(Layout::Tiles, bytes));
        let rows = [Order::from(Layout::Rows)];
        columns
            .chain(tiles)
            .chain(rows)
            .filter(|order| stated.is_none_or(|layout| layout == order.layout))
            .collect()
    }

    /// The number of columns of a round key that are converted together, to the same number of words.
    pub fn together(self) -> usize {
        match self.layout {
            Layout::Columns => 1,
            Layout::Tiles => 2,
            Layout::Rows => 4,
        }
    }

    /// The index in a round key in memory of a word of the state: words that are converted together are adjacent.
    pub fn in_memory(self, word: usize) -> usize {
        if self.layout == Layout::Tiles { 2 * (word % 2) + word / 2 } else { word }
    }

    /// The memory format of round keys.
    pub fn packing(self) -> Packing {
        match (self.layout, self.bytes) {
            (Layout::Columns, Shuffle::NOTHING) => Packing::RoundKeys,
            (Layout::Tiles, Shuffle::NOTHING) => Packing::Tiles,
            (Layout::Rows, _) => Packing::Rows,
            (layout, bytes) => Packing::Shuffled { tiles: layout == Layout::Tiles, bytes },
        }
    }

    /// The order in words, for messages.
    pub fn about(self) -> String {
        let [a, b, c, d] = self.bytes.of([0, 1, 2, 3]);
        match self.layout {
            Layout::Columns => {
                format!("a column's rows in the order {a}, {b}, {c}, {d} from the lowest byte of a word")
            }
            Layout::Rows => "a row of the state in a word".to_owned(),
            Layout::Tiles if self.bytes == Shuffle::NOTHING => {
                "tiles of two rows and two columns in a word".to_owned()
            }
            Layout::Tiles => {
                let byte = |k: u8| {
                    let (row, column) = Layout::Tiles.place(0, usize::from(k));
                    format!("row {row} of column {column}")
                };
                let each = [a, b, c, d].map(byte).join(", ");
                format!(
                    "tiles of two rows and two columns in a word, from the lowest byte {each} in the first"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_the_state_has_one_place_in_each_order() {
        let all = Order::candidates(None);
        assert_eq!(all.len(), 6 + 8 + 1);
        assert_eq!(Order::candidates(Some(Layout::Columns)).len(), 6);
        for order in all {
            for (word, byte) in (0..16).map(|k| (k / 4, k % 4)) {
                let (row, column) = order.place(word, byte);
                assert_eq!(order.find(row, column), (word, byte), "{order:?}");
            }
            // A key's bytes in memory are those of the state's words.
            let key = order.packing().pack(&[std::array::from_fn(|k| k as u8)]);
            for (word, byte) in (0..16).map(|k| (k / 4, k % 4)) {
                let (row, column) = order.place(word, byte);
                assert_eq!(usize::from(key[4 * order.in_memory(word) + byte]), 4 * column + row, "{order:?}");
            }
        }
    }
}
