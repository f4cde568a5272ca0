//! Read-only tables for programs over words: T-tables in their layouts, tables masked for the last round, S-boxes, and
//! products by a constant.

use aesmith_cipher::block::{INV_MIX, INV_SBOX, MIX, SBOX, gf_mul};
use std::sync::{Mutex, PoisonError};

/// The memory layout of the four T-tables (Bernstein and Schwabe, Indocrypt 2008, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Four consecutive tables of 1 KB.
    Separate,
    /// One table of 8-byte entries, each twice an entry of T0: the four tables are four offsets into it, three of them
    /// unaligned.
    Unaligned,
    /// One table of 1 KB; the other three are its rotations.
    Rotated,
    /// Alternating entries of T0 and T1, then of T2 and T3.
    Interleaved,
    /// The layout `Interleaved` with entries of 8 bytes whose bytes, times 16, are 16 bits apart: 0xc66363a5 is
    /// 0x0c60_0630_0630_0a50. A shift gives an offset into the table without a mask.
    Padded,
}

impl Layout {
    /// All layouts, in the order of the dimension `tables`.
    pub const ALL: [Layout; 5] =
        [Layout::Separate, Layout::Unaligned, Layout::Rotated, Layout::Interleaved, Layout::Padded];
}

/// A read-only table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// The T-tables: table `k` maps byte `k` of a column, through the S-box, to its contribution to the column after
    /// MixColumns.
    Mixed(Layout, Direction),
    /// The T-tables without MixColumns: the S-box in byte `k`, zeros elsewhere.
    Masked(Layout, Direction),
    /// The S-box, or its inverse.
    Substitution(Direction),
    /// Products of each byte by a constant in GF(2^8).
    Products(u8),
}

/// The cipher that a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The cipher.
    Forward,
    /// The equivalent inverse cipher.
    Inverse,
}

impl Direction {
    /// The S-box, or its inverse.
    pub fn substitution(self) -> &'static [u8; 256] {
        match self {
            Direction::Forward => &SBOX,
            Direction::Inverse => &INV_SBOX,
        }
    }

    /// The first row of the matrix of MixColumns or InvMixColumns.
    pub const fn matrix(self) -> [u8; 4] {
        match self {
            Direction::Forward => MIX,
            Direction::Inverse => INV_MIX,
        }
    }
}

/// The position of a table's entries: the entry of `x` is at `scale x + offset` and needs a rotation by `rotate` bits
/// towards the high bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The distance between entries in bytes.
    pub scale: u8,
    /// The offset of the first entry in bytes.
    pub offset: u16,
    /// The rotation that an entry still needs, in bits.
    pub rotate: u8,
}

impl Memory {
    /// The position of table `k` (0 to 3).
    pub fn place(self, k: u8) -> Place {
        let wide = u16::from(k);
        let (Memory::Mixed(layout, _) | Memory::Masked(layout, _)) = self else {
            return Place { scale: 1, offset: 0, rotate: 8 * k };
        };
        let (scale, offset, rotate) = match layout {
            Layout::Separate => (4, 1024 * wide, 0),
            // A masked table has its S-box in entry byte 3.
            Layout::Unaligned if matches!(self, Memory::Masked(..)) => (8, 3 - wide, 0),
            Layout::Unaligned => (8, (4 - wide) % 4, 0),
            Layout::Rotated => (4, 0, 8 * k),
            Layout::Interleaved => (8, 2048 * (wide / 2) + 4 * (wide % 2), 0),
            Layout::Padded => (16, 4096 * (wide / 2) + 8 * (wide % 2), 0),
        };
        Place { scale, offset, rotate }
    }

    /// Size in bytes.
    pub const fn size(self) -> usize {
        match self {
            Memory::Mixed(layout, _) | Memory::Masked(layout, _) => match layout {
                Layout::Separate | Layout::Interleaved => 4096,
                Layout::Unaligned => 2048,
                Layout::Rotated => 1024,
                Layout::Padded => 8192,
            },
            Memory::Substitution(_) | Memory::Products(_) => 256,
        }
    }

    /// The byte at `at`.
    pub fn byte(self, at: usize) -> u8 {
        let (layout, direction, masked) = match self {
            Memory::Mixed(layout, direction) => (layout, direction, false),
            Memory::Masked(layout, direction) => (layout, direction, true),
            Memory::Substitution(direction) => return direction.substitution()[at],
            Memory::Products(by) => return gf_mul(at as u8, by),
        };
        // Byte `row` of the entry of `x` in table `k`.
        let entry = |k: usize, x: usize, row: usize| {
            let s = direction.substitution()[x];
            match masked {
                true if k == row => s,
                true => 0,
                false => gf_mul(direction.matrix()[(k + 4 - row) % 4], s),
            }
        };
        match layout {
            Layout::Separate => entry(at / 1024, at % 1024 / 4, at % 4),
            Layout::Unaligned if masked => entry(3, at / 8, if at % 8 == 3 { 3 } else { 0 }),
            Layout::Unaligned => entry(0, at / 8, at % 4),
            Layout::Rotated => entry(0, at / 4, at % 4),
            Layout::Interleaved => entry(at / 2048 * 2 + at % 8 / 4, at % 2048 / 8, at % 4),
            Layout::Padded => {
                let byte = entry(at / 4096 * 2 + at % 16 / 8, at % 4096 / 16, at % 8 / 2);
                (u16::from(byte) << 4).to_le_bytes()[at % 2]
            }
        }
    }

    /// The whole contents, computed once.
    pub fn contents(self) -> &'static [u8] {
        static KNOWN: Mutex<Vec<(Memory, &[u8])>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = known.iter().find(|(memory, _)| *memory == self) {
            return bytes;
        }
        let bytes: Vec<u8> = (0..self.size()).map(|at| self.byte(at)).collect();
        let bytes: &'static [u8] = bytes.leak();
        known.push((self, bytes));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(memory: Memory, at: usize, bytes: usize) -> u64 {
        (0..bytes).fold(0, |word, i| word | u64::from(memory.byte(at + i)) << (8 * i))
    }

    #[test]
    fn every_layout_holds_the_same_four_tables() {
        for direction in [Direction::Forward, Direction::Inverse] {
            for kind in [Memory::Mixed, Memory::Masked] {
                let plain = kind(Layout::Separate, direction);
                for layout in [Layout::Unaligned, Layout::Rotated, Layout::Interleaved] {
                    let memory = kind(layout, direction);
                    for k in 0..4 {
                        let place = memory.place(k);
                        for x in 0..256usize {
                            let at = x * usize::from(place.scale) + usize::from(place.offset);
                            let found = (word(memory, at, 4) as u32).rotate_left(place.rotate.into());
                            let expected = word(plain, 1024 * usize::from(k) + 4 * x, 4) as u32;
                            assert_eq!(found, expected, "{memory:?} table {k} entry {x}");
                        }
                    }
                }
            }
        }
    }

    /// The example of the paper (section 4), with bytes in the order of this CPU.
    #[test]
    fn a_padded_entry() {
        let plain = Memory::Mixed(Layout::Separate, Direction::Forward);
        let padded = Memory::Mixed(Layout::Padded, Direction::Forward);
        assert_eq!(word(plain, 0, 4), 0xa563_63c6);
        assert_eq!(word(padded, 0, 8), 0x0a50_0630_0630_0c60);
        assert_eq!(word(padded, 4096, 8), 0x0630_0c60_0a50_0630);
    }
}
