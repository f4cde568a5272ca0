//! The domain of numbers, which turns meanings into an interpreter.

use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};

use crate::image::Image;
use crate::table::{ByteOrder, Description};
use crate::values::{Binary, ByteFunction, Shift, Space, Values};

/// Concrete memory, with a record of accesses.
#[derive(Clone, Debug)]
pub struct Numbers {
    regions: Vec<Region>,
    data: u64,
    order: ByteOrder,
    /// Data memory read since this was last set to `None`: address, bytes. An instruction that loads several words
    /// loads them from one range.
    pub read: Option<(u64, u8)>,
    /// Data memory written since this was last set to `None`: address, bytes.
    pub written: Option<(u64, u8)>,
    /// The bits of values that a manual leaves undefined are those of this number.
    pub open: u128,
    /// The last misaligned data access since this was last set to `None`: address, bytes.
    pub unaligned: Option<(u64, u8)>,
    /// The ranges within which every access must lie, if set: start, end (exclusive), true if writable.
    pub allowed: Option<Vec<(u64, u64, bool)>>,
}

#[derive(Clone, Debug)]
struct Region {
    address: u64,
    bytes: Vec<u8>,
}

impl Region {
    fn holds(&self, address: u64, count: usize) -> bool {
        let at = address.checked_sub(self.address);
        at.is_some_and(|at| {
            (self.bytes.len() as u64).checked_sub(count as u64).is_some_and(|most| at <= most)
        })
    }
}

impl Numbers {
    /// Memory of a processor that holds a program, with zeroed RAM in `extra` (address, bytes). Addresses are those of
    /// an [`Image`].
    pub fn new(image: &Image, about: &Description, extra: &[(u64, usize)]) -> Numbers {
        let mut regions: Vec<Region> =
            extra.iter().map(|&(address, size)| Region { address, bytes: vec![0; size] }).collect();
        for segment in &image.segments {
            let inside = regions
                .iter_mut()
                .find(|r| r.address <= segment.address && segment.end() <= r.address + r.bytes.len() as u64);
            match inside {
                Some(r) => {
                    let at = (segment.address - r.address) as usize;
                    r.bytes[at..at + segment.bytes.len()].copy_from_slice(&segment.bytes);
                }
                None => regions.push(Region { address: segment.address, bytes: segment.bytes.clone() }),
            }
        }
        let (data, order) = (about.data, about.order);
        Numbers { regions, data, order, read: None, written: None, open: 0, unaligned: None, allowed: None }
    }

    /// The bytes of memory at an image's address.
    pub fn bytes(&self, address: u64, count: usize) -> Result<&[u8], String> {
        let region = self.regions.iter().find(|r| r.holds(address, count));
        let region = region.ok_or_else(|| format!("there is no memory at {address:#x}"))?;
        let at = (address - region.address) as usize;
        Ok(&region.bytes[at..at + count])
    }

    /// The bytes of memory at an image's address, for writing.
    pub fn bytes_mut(&mut self, address: u64, count: usize) -> Result<&mut [u8], String> {
        let region = self.regions.iter_mut().find(|r| r.holds(address, count));
        let region = region.ok_or_else(|| format!("there is no memory at {address:#x}"))?;
        let at = (address - region.address) as usize;
        Ok(&mut region.bytes[at..at + count])
    }

    fn check(&mut self, at: u64, bytes: u8, write: bool) -> Result<(), String> {
        if !at.is_multiple_of(u64::from(bytes.max(1))) {
            self.unaligned = Some((at, bytes));
        }
        let Some(allowed) = &self.allowed else { return Ok(()) };
        let end = at.saturating_add(bytes.into());
        if allowed.iter().any(|&(from, until, writable)| from <= at && end <= until && (writable || !write)) {
            return Ok(());
        }
        let verb = if write { "written" } else { "read" };
        Err(format!("{bytes} bytes at {at:#x} are {verb}, which are in no declared buffer"))
    }
}

/// The error for an access to shared or parameter memory.
const OF_GRIDS: &str =
    "memory that threads share and parameters are of a grid, and one processor's memory has none";

/// The smallest range that contains both ranges.
fn joined(range: Option<(u64, u8)>, at: u64, bytes: u8) -> (u64, u8) {
    let Some((from, size)) = range else { return (at, bytes) };
    let (start, end) = (from.min(at), (from + u64::from(size)).max(at.saturating_add(bytes.into())));
    (start, (end - start).min(255) as u8)
}

/// A mask of the lowest `width` bits.
#[inline]
pub fn mask(width: u8) -> u128 {
    u128::MAX >> (128 - u32::from(width))
}

/// The number in two's complement of this width.
#[inline]
pub fn signed(width: u8, a: u128) -> i128 {
    (a << (128 - width)) as i128 >> (128 - width)
}

/// Applies an operation to two numbers of one width.
#[inline]
pub fn binary(op: Binary, width: u8, a: u128, b: u128) -> u128 {
    mask(width)
        & match op {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide => a.checked_div(b).unwrap_or(u128::MAX),
            Binary::Remainder => a.checked_rem(b).unwrap_or(a),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Equal => u128::from(a == b),
            Binary::Below => u128::from(a < b),
            Binary::Less => u128::from(signed(width, a) < signed(width, b)),
        }
}

impl Values for Numbers {
    type V = u128;
    type Error = String;

    #[inline]
    fn constant(&mut self, _: u8, value: u64) -> u128 {
        value.into()
    }

    #[inline]
    fn binary(&mut self, op: Binary, width: u8, a: &u128, b: &u128) -> Result<u128, String> {
        Ok(binary(op, width, *a, *b))
    }

    #[inline]
    fn shift(&mut self, op: Shift, width: u8, a: &u128, _: u8, count: &u128) -> Result<u128, String> {
        let (a, wide) = (*a, u128::from(width));
        let small = (*count).min(wide) as u32;
        Ok(mask(width)
            & match op {
                Shift::Left => a.checked_shl(small).unwrap_or(0),
                Shift::Right => a.checked_shr(small).unwrap_or(0),
                Shift::Arithmetic => (signed(width, a) >> small.min(127)) as u128,
                Shift::Rotate => match (*count % wide) as u32 {
                    0 => a,
                    n => a >> n | a << (wide as u32 - n),
                },
            })
    }

    #[inline]
    fn not(&mut self, width: u8, a: &u128) -> Result<u128, String> {
        Ok(!a & mask(width))
    }

    #[inline]
    fn slice(&mut self, _: u8, a: &u128, low: u8, count: u8) -> Result<u128, String> {
        Ok(a >> low & mask(count))
    }

    #[inline]
    fn join(&mut self, high: (u8, &u128), low: (u8, &u128)) -> Result<u128, String> {
        Ok(high.1 << low.0 | low.1)
    }

    #[inline]
    fn extend(&mut self, sign: bool, from: u8, to: u8, a: &u128) -> Result<u128, String> {
        Ok(if sign { signed(from, *a) as u128 & mask(to) } else { *a })
    }

    #[inline]
    fn select(&mut self, _: u8, condition: &u128, yes: &u128, no: &u128) -> Result<u128, String> {
        Ok(if *condition == 0 { *no } else { *yes })
    }

    #[inline]
    fn undefined(&mut self, width: u8, _: &u128) -> u128 {
        self.open & mask(width)
    }

    #[inline]
    fn function(&mut self, f: ByteFunction, a: &u128) -> Result<u128, String> {
        let byte = *a as u8;
        Ok(u128::from(match f {
            ByteFunction::Sbox => SBOX[usize::from(byte)],
            ByteFunction::InverseSbox => INV_SBOX[usize::from(byte)],
            ByteFunction::Times(n) => gf_mul(n, byte),
        }))
    }

    #[inline]
    fn pick(&mut self, high: &u128, low: &u128, index: &u128) -> Result<u128, String> {
        let from = if index & 16 == 0 { high } else { low };
        Ok(from >> (8 * (15 - (index & 15))) & 0xff)
    }

    fn load(&mut self, space: Space, bytes: u8, _: u8, address: &u128) -> Result<u128, String> {
        if space.is_of_grids() {
            return Err(OF_GRIDS.to_owned());
        }
        let address = *address as u64;
        let at = if space == Space::Data { address.wrapping_add(self.data) } else { address };
        if space == Space::Data {
            self.check(at, bytes, false)?;
            self.read = Some(joined(self.read, at, bytes));
        }
        Ok(self.order.wide_number(self.bytes(at, usize::from(bytes))?))
    }

    fn store(&mut self, space: Space, bytes: u8, _: u8, address: &u128, value: &u128) -> Result<(), String> {
        if space.is_of_grids() {
            return Err(OF_GRIDS.to_owned());
        }
        let at = (*address as u64).wrapping_add(self.data);
        self.check(at, bytes, true)?;
        self.written = Some(joined(self.written, at, bytes));
        let stored = self.order.bytes(*value, usize::from(bytes));
        self.bytes_mut(at, stored.len())?.copy_from_slice(&stored);
        Ok(())
    }

    #[inline]
    fn decide(&mut self, condition: &u128) -> Result<bool, String> {
        Ok(*condition != 0)
    }

    #[inline]
    fn number(&mut self, _: u8, a: &u128) -> Result<u64, String> {
        Ok(*a as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::{binary, mask};
    use crate::values::Binary;

    /// Quotients by zero have all bits set, and remainders are the dividend, as on RISC-V (The RISC-V Instruction Set
    /// Manual, volume I, table 11). Rows of processors with other results say so.
    #[test]
    fn divisions_by_zero_have_results() {
        for width in [8, 32, 64] {
            for a in [0, 1, 5, mask(width)] {
                assert_eq!(binary(Binary::Divide, width, a, 0), mask(width), "{a} of {width} bits");
                assert_eq!(binary(Binary::Remainder, width, a, 0), a, "{a} of {width} bits");
            }
            assert_eq!(binary(Binary::Divide, width, 17, 5), 3);
            assert_eq!(binary(Binary::Remainder, width, 17, 5), 2);
        }
    }
}
