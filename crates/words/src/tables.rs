//! Tables in memory, and their contents.

use aesmith_cipher::Direction;
use aesmith_cipher::block::{INV_MIX, INV_SBOX, MIX, SBOX, gf_mul};
use aesmith_isa::assemble::Item;

use crate::machine::Size;

/// The distance in bytes from an entry of the first table of a padded pair to that of the second.
pub const ODD: i32 = 8;

/// The rows for which [`Table::Inner`] has words.
pub(crate) const INNER: [usize; 2] = [1, 2];

/// The memory format of tables of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// The number of tables: 4, one for each row; or 2 or 1, whose entries are rotated.
    pub copies: u8,
    /// True if two tables alternate, entry by entry: the first with the second, the third with the fourth.
    pub pairs: bool,
    /// True if entries are padded to 64 bits (see [`crate::machine::Machine::padded_index`]).
    pub padded: bool,
}

impl Form {
    /// Separate tables of words.
    pub const fn apart(copies: u8) -> Form {
        Form { copies, pairs: false, padded: false }
    }

    /// The size of an entry.
    pub fn size(self) -> Size {
        if self.padded { Size::Double } else { Size::Word }
    }

    /// The base-2 logarithm of the distance in bytes between entries of a table.
    pub fn scale(self) -> u8 {
        2 + u8::from(self.padded) + u8::from(self.pairs)
    }

    /// True if padded pairs share an address: an index of an odd row's byte includes [`ODD`], which selects the second
    /// table of the pair (Bernstein and Schwabe, INDOCRYPT 2008: shared bases). The words of the state include it,
    /// since the entries of the first table do.
    pub fn shares(self) -> bool {
        self.pairs && self.padded
    }

    /// The tables that have an address of their own.
    pub fn addressed(self) -> impl DoubleEndedIterator<Item = u8> + ExactSizeIterator + Clone {
        (0..self.copies).step_by(if self.shares() { 2 } else { 1 })
    }

    /// The offset that an index of a row's byte includes besides the byte.
    pub fn odd(self, row: usize) -> i32 {
        if self.shares() && row % 2 == 1 { ODD } else { 0 }
    }

    /// The offset of a table from the first, in bytes.
    pub fn begin(self, table: u8) -> i32 {
        let (group, within) = if self.pairs { (table / 2, table % 2) } else { (table, 0) };
        (i32::from(group) << (8 + self.scale())) + i32::from(within) * self.size().bytes()
    }

    /// For each word of an entry of [`Table::Spread`], the row that holds the byte: with shared addresses, an index of
    /// an odd row selects the second half.
    pub(crate) fn spread_rows(self) -> &'static [usize] {
        if self.shares() { &[0, 2, 1, 3] } else { &[0, 1] }
    }
}

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// SubBytes and MixColumns, or their inverses, of a byte of row 0: 256 columns in memory order. The other copies of
    /// the form follow, each for a byte one row further.
    Words(Direction, Form),
    /// The S-box or its inverse.
    Bytes(Direction),
    /// The S-box as words for indices of a padded form, each with the byte in one row and zeros elsewhere: see
    /// `Form::spread_rows`.
    Spread(Direction, Form),
    /// The S-box as words for indices of words: 256 words with the byte in row 1, and as many with it in row 2.
    Inner(Direction),
    /// InvMixColumns of a byte, in the form of [`Table::Words`].
    Unmixed(Form),
}

impl Table {
    /// The label of the table.
    pub fn label(self) -> &'static str {
        match self {
            Table::Words(Direction::Encrypt, _) => ".Lwords",
            Table::Words(Direction::Decrypt, _) => ".Linverse_words",
            Table::Bytes(Direction::Encrypt) => ".Lsbox",
            Table::Bytes(Direction::Decrypt) => ".Linverse_sbox",
            Table::Unmixed(_) => ".Lunmixed",
            Table::Inner(Direction::Encrypt) => ".Linner",
            Table::Inner(Direction::Decrypt) => ".Linverse_inner",
            Table::Spread(Direction::Encrypt, _) => ".Lspread",
            Table::Spread(Direction::Decrypt, _) => ".Linverse_spread",
        }
    }

    /// The label and the contents.
    pub fn items(self) -> Vec<Item> {
        vec![Item::Align(8), Item::Label(self.label().into()), Item::Bytes(self.bytes())]
    }

    /// The contents, for [`Form::padded`] in big-endian order, which it requires.
    pub fn bytes(self) -> Vec<u8> {
        let direction = match self {
            Table::Bytes(d) | Table::Inner(d) | Table::Words(d, _) | Table::Spread(d, _) => d,
            Table::Unmixed(_) => Direction::Decrypt,
        };
        let (sbox, mix) = match direction {
            Direction::Encrypt => (SBOX, MIX),
            Direction::Decrypt if matches!(self, Table::Unmixed(_)) => {
                (std::array::from_fn(|x| x as u8), INV_MIX)
            }
            Direction::Decrypt => (INV_SBOX, INV_MIX),
        };
        let word = |x: usize, row: usize| (0..4).map(move |r| if r == row { sbox[x] } else { 0 });
        let form = match self {
            Table::Bytes(_) => return sbox.to_vec(),
            Table::Inner(_) => {
                return INNER.into_iter().flat_map(|row| (0..256).flat_map(move |x| word(x, row))).collect();
            }
            Table::Spread(_, form) => {
                let rows = form.spread_rows();
                return (0..256).flat_map(|x| rows.iter().flat_map(move |&row| word(x, row))).collect();
            }
            Table::Words(_, form) | Table::Unmixed(form) => form,
        };
        // This is row r of the column to which a byte of row `from` is multiplied.
        let row = |from: u8, x: usize, r: usize| gf_mul(mix[(4 + usize::from(from) - r) % 4], sbox[x]);
        let entry = |from: u8, x: usize| -> Vec<u8> {
            let rows = (0..4).map(|r| row(from, x, r));
            if form.padded {
                let odd = |r: usize| if from == 0 { form.odd(r) } else { 0 };
                let padded = |(r, byte): (usize, u8)| u16::from(byte) << form.scale() | odd(r) as u16;
                rows.enumerate().flat_map(|one| padded(one).to_be_bytes()).collect()
            } else {
                rows.collect()
            }
        };
        let together = if form.pairs { 2 } else { 1 };
        let group = |first: u8| {
            (0..256).flat_map(move |x| (first..first + together).flat_map(move |from| entry(from, x)))
        };
        (0..form.copies).step_by(together.into()).flat_map(group).collect()
    }
}

/// A row of a column, preferably `wanted`, at which a byte of row `from` has the coefficient 1 of SubBytes alone:
/// encryption multiplies by 1 in two rows of four (FIPS-197, 5.1.3).
pub(crate) fn plain_row(from: usize, wanted: usize) -> Option<usize> {
    let is_plain = |row: usize| MIX[(4 + from - row) % 4] == 1;
    (0..4).map(|k| (wanted + k) % 4).find(|&row| is_plain(row))
}
