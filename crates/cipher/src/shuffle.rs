//! Byte orders of a word.

/// An order of the four bytes of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shuffle([u8; 4]);

impl Default for Shuffle {
    fn default() -> Shuffle {
        Shuffle::NOTHING
    }
}

/// Defines one row per order: its bytes, and the names of key formats whose words have it.
macro_rules! orders {
    ($($a:literal $b:literal $c:literal $d:literal),*) => {
        const ORDERS: [(Shuffle, [&str; 2], [&str; 2]); 24] = [$((
            Shuffle([$a, $b, $c, $d]),
            [
                concat!("round keys with the bytes of words in the order ", $a, $b, $c, $d),
                concat!("round keys in tiles with the bytes of words in the order ", $a, $b, $c, $d),
            ],
            [
                concat!("round keys in order of use, of each column rows ", $a, ", ", $b, ", ", $c, " and ", $d),
                concat!(
                    "round keys in tiles of two rows and two columns, of each word bytes ",
                    $a, ", ", $b, ", ", $c, " and ", $d
                ),
            ],
        )),*];
    };
}

orders! {
    0 1 2 3, 0 1 3 2, 0 2 1 3, 0 2 3 1, 0 3 1 2, 0 3 2 1,
    1 0 2 3, 1 0 3 2, 1 2 0 3, 1 2 3 0, 1 3 0 2, 1 3 2 0,
    2 0 1 3, 2 0 3 1, 2 1 0 3, 2 1 3 0, 2 3 0 1, 2 3 1 0,
    3 0 1 2, 3 0 2 1, 3 1 0 2, 3 1 2 0, 3 2 0 1, 3 2 1 0
}

impl Shuffle {
    /// The identity.
    pub const NOTHING: Shuffle = Shuffle([0, 1, 2, 3]);

    /// All orders, [`Shuffle::NOTHING`] first.
    pub fn all() -> impl Iterator<Item = Shuffle> {
        ORDERS.iter().map(|(shuffle, ..)| *shuffle)
    }

    /// The index in the original word of the byte at this place in this order.
    pub fn from(self, place: usize) -> usize {
        usize::from(self.0[place])
    }

    /// The place in this order of a byte of the original word.
    pub fn place(self, byte: usize) -> usize {
        self.0.iter().position(|&from| usize::from(from) == byte).unwrap_or(byte)
    }

    /// The inverse order.
    pub fn undone(self) -> Shuffle {
        Shuffle([0, 1, 2, 3].map(|byte| self.place(byte) as u8))
    }

    /// The bytes of a word, the lowest first, in this order.
    pub fn of<T: Copy>(self, word: [T; 4]) -> [T; 4] {
        self.0.map(|from| word[usize::from(from)])
    }

    /// The order as a sum of rotations: for each rotation that occurs, its number of bytes towards the high bits and
    /// the mask of the bytes to keep; bytes that stay in place come first.
    pub fn parts(self) -> Vec<(u8, u8)> {
        let mut parts = Vec::new();
        for by in 0..4u8 {
            let kept = |place: &usize| self.from((place + usize::from(by)) % 4) == *place;
            let mask = (0..4).filter(kept).fold(0, |mask, place| mask | 1 << ((place + usize::from(by)) % 4));
            if mask != 0 {
                parts.push((by, mask));
            }
        }
        parts
    }

    /// The name of the key format whose words, or tiles, have this order.
    pub(crate) fn name(self, tiles: bool) -> &'static str {
        self.row().1[usize::from(tiles)]
    }

    /// A description of the memory contents for users.
    pub fn about(self, tiles: bool) -> &'static str {
        self.row().2[usize::from(tiles)]
    }

    fn row(self) -> &'static (Shuffle, [&'static str; 2], [&'static str; 2]) {
        ORDERS.iter().find(|(shuffle, ..)| *shuffle == self).unwrap_or(&ORDERS[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_is_made_of_its_parts_and_undone() {
        let word = 0x4433_2211u32;
        let mut names = Vec::new();
        for shuffle in Shuffle::all() {
            let kept = |value: u32, mask: u8| {
                let bytes = value.to_le_bytes();
                u32::from_le_bytes(std::array::from_fn(|k| if mask >> k & 1 == 1 { bytes[k] } else { 0 }))
            };
            let parts = shuffle.parts();
            let made = parts
                .iter()
                .fold(0, |sum, &(by, mask)| sum ^ kept(word.rotate_left(8 * u32::from(by)), mask));
            assert_eq!(made, u32::from_le_bytes(shuffle.of(word.to_le_bytes())), "{shuffle:?}");
            assert_eq!(shuffle.undone().of(shuffle.of([1, 2, 3, 4])), [1, 2, 3, 4], "{shuffle:?}");
            names.extend([shuffle.name(false), shuffle.name(true)]);
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 48);
    }
}
