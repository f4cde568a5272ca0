//! Shared memory with the contents that its block's threads have written, and look-ups in it.

use rustc_hash::FxHashSet;

use crate::bits::forms::{Bit, Bits, ONE, ZERO};

/// The most public bits of an address; their values must not affect a look-up. More are refused.
const MOST_PUBLIC: u32 = 10;

/// Shared memory in words of 4 bytes; `None` for words that were not written.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    words: Vec<Option<u32>>,
    /// Addresses, as masks of fixed, secret and public bits, for which the public bits are known not to matter.
    even: FxHashSet<(u64, u64, u64)>,
    /// The end of the accessed memory, in bytes.
    pub end: u32,
}

/// Deposits the bits of a number at the ones of a mask.
fn spread(number: u64, mask: u64) -> u64 {
    let (mut out, mut rest, mut number) = (0, mask, number);
    while rest != 0 {
        out |= (number & 1) << rest.trailing_zeros();
        number >>= 1;
        rest &= rest - 1;
    }
    out
}

impl Shared {
    /// Memory of this many bytes.
    pub fn new(bytes: u32) -> Shared {
        Shared { words: vec![None; bytes as usize / 4], ..Shared::default() }
    }

    fn place(&mut self, at: u64, bytes: u8) -> Result<usize, String> {
        if bytes < 4 || !at.is_multiple_of(u64::from(bytes)) {
            return Err(format!(
                "{bytes} bytes at {at:#x} of shared memory are accessed: not whole words at a multiple of their size"
            ));
        }
        let end = at + u64::from(bytes);
        if end > 4 * self.words.len() as u64 {
            return Err(format!(
                "{bytes} bytes at {at:#x} of shared memory are accessed, of which a launch gives {:#x}",
                4 * self.words.len()
            ));
        }
        self.end = self.end.max(end as u32);
        Ok(at as usize / 4)
    }

    /// Writes words; each may be written once.
    ///
    /// # Errors
    /// The address is out of range, or a word was written before: two threads may have done so, in any order.
    pub fn write(&mut self, at: u64, bytes: u8, value: u128) -> Result<(), String> {
        let place = self.place(at, bytes)?;
        for k in 0..usize::from(bytes) / 4 {
            if self.words[place + k].replace((value >> (32 * k)) as u32).is_some() {
                let at = at + 4 * k as u64;
                return Err(format!(
                    "the word at {at:#x} of shared memory is written twice, by threads in any order"
                ));
            }
        }
        Ok(())
    }

    /// Reads words.
    ///
    /// # Errors
    /// The address is out of range, or a word was never written.
    pub fn read(&mut self, at: u64, bytes: u8) -> Result<u128, String> {
        let place = self.place(at, bytes)?;
        (0..usize::from(bytes) / 4).rev().try_fold(0, |value, k| match self.words[place + k] {
            Some(word) => Ok(value << 32 | u128::from(word)),
            None => Err(format!("shared memory at {:#x} is read and was not written", at + 4 * k as u64)),
        })
    }

    /// The value at an address with at most eight secret bits; `None` if it has more.
    ///
    /// # Errors
    /// Some possible address is not that of a written word, or the value depends on public bits, such as the thread's
    /// number.
    pub fn look_up(
        &mut self,
        bits: &mut Bits,
        address: &[Bit],
        bytes: u8,
    ) -> Result<Option<Vec<Bit>>, String> {
        let mut known = (0, 0, 0);
        let mut secret = Vec::with_capacity(address.len());
        for (place, &bit) in address.iter().enumerate() {
            let mask = 1u64 << place;
            match bit {
                ONE => known.0 |= mask,
                ZERO => {}
                bit if bits.is_secret(bit) => known.1 |= mask,
                _ => known.2 |= mask,
            }
            let is_public = known.2 & mask != 0;
            secret.push(if is_public { ZERO } else { bit });
        }
        if known.1.count_ones() > 8 {
            return Ok(None);
        }
        if known.2.count_ones() > MOST_PUBLIC {
            return Err(
                "what is found in shared memory may depend on more bits than the proof looks at".into()
            );
        }
        let shape = (known.0, known.1, known.2 | u64::from(bytes) << 40);
        if !self.even.contains(&shape) {
            for index in 0..1 << known.1.count_ones() {
                let row = known.0 | spread(index, known.1);
                let first = self.read(row, bytes)?;
                for replica in 1..1 << known.2.count_ones() {
                    let at = row | spread(replica, known.2);
                    if self.read(at, bytes)? != first {
                        return Err(format!(
                            "what is found in shared memory at {at:#x} is not what is found at {row:#x}: it depends on the thread's number"
                        ));
                    }
                }
            }
            self.even.insert(shape);
        }
        let read = |at: u64| self.read(at, bytes);
        bits.look_up(&secret, bytes, (0, 0), read)
    }
}

/// True if the threads of a warp access different banks, for all data: bits of a word's bank are sums of bits of the
/// thread's number, and no two lanes have the same bank. `lanes` are the atoms of the lane's bits, `alike` those that
/// are equal for all threads of a warp.
pub(crate) fn own_banks(bits: &Bits, bank: &[Bit], lanes: &[u32], alike: &[u32]) -> bool {
    let mut rows: Vec<u64> = Vec::new();
    for &bit in bank {
        if !bits.is_linear(bit) {
            return false;
        }
        let atoms = bits.atoms_of(bit);
        if !atoms.iter().all(|atom| lanes.contains(atom) || alike.contains(atom)) {
            return false;
        }
        let mut row = (0..).zip(lanes).fold(0, |row, (k, lane)| row | u64::from(atoms.contains(lane)) << k);
        for other in &rows {
            row = row.min(row ^ other);
        }
        rows.extend((row != 0).then_some(row));
    }
    rows.len() == lanes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of 256 rows with 32 replicas, of which one may be wrong.
    fn table(wrong: Option<u64>) -> Shared {
        let mut shared = Shared::new(0x8000);
        for at in (0..0x8000).step_by(4) {
            let row = at >> 7;
            let value = if Some(at) == wrong { 0 } else { row * 3 + 1 };
            shared.write(at, 4, value.into()).expect("there is room");
        }
        shared
    }

    #[test]
    fn replicas_are_alike_or_the_lane_matters() {
        let mut bits = Bits::new();
        let lanes: Vec<Bit> = (0..5).map(|_| bits.atom(false)).collect();
        let byte: Vec<Bit> = (0..8).map(|_| bits.atom(true)).collect();
        let address: Vec<Bit> = [ZERO, ZERO].iter().chain(&lanes).chain(&byte).copied().collect();
        assert!(matches!(table(None).look_up(&mut bits, &address, 4), Ok(Some(_))));
        // In the lower half of the rows and in the upper one, in the first replica and in the last.
        for wrong in [0x1200, 0x1234, 0x127c, 0x7f80, 0x7fb4, 0x7ffc] {
            let refused = table(Some(wrong)).look_up(&mut bits, &address, 4);
            assert!(refused.is_err_and(|why| why.contains("depends on the thread's number")), "{wrong:#x}");
        }
        let mut shared = table(None);
        assert!(shared.write(0x40, 4, 1).is_err(), "it was written");
        let beyond: Vec<Bit> = address.iter().copied().chain([ONE]).collect();
        assert!(table(None).look_up(&mut bits, &beyond, 4).is_err(), "there is no such memory");
    }

    /// Words that are alike at multiples of eight may stand beside others that are not.
    #[test]
    fn replicas_are_alike_for_each_size() {
        let mut bits = Bits::new();
        let lanes: Vec<Bit> = (0..4).map(|_| bits.atom(false)).collect();
        let byte: Vec<Bit> = (0..8).map(|_| bits.atom(true)).collect();
        let address: Vec<Bit> = [ZERO; 3].iter().chain(&lanes).chain(&byte).copied().collect();
        let mut shared = table(Some(0x1234));
        assert!(matches!(shared.look_up(&mut bits, &address, 4), Ok(Some(_))));
        let refused = shared.look_up(&mut bits, &address, 8);
        assert!(refused.is_err_and(|why| why.contains("depends on the thread's number")));
    }

    #[test]
    fn accesses_are_of_words_at_multiples_of_their_size() {
        let mut shared = table(None);
        for (at, bytes) in [(4, 8), (8, 16), (4, 16), (2, 4), (0, 2)] {
            assert!(shared.read(at, bytes).is_err_and(|why| why.contains("at a multiple")), "{at} {bytes}");
            assert!(Shared::new(0x100).write(at, bytes, 0).is_err(), "{at} {bytes}");
        }
        for (at, bytes) in [(4, 4), (8, 8), (16, 16)] {
            assert!(shared.read(at, bytes).is_ok(), "{at} {bytes}");
        }
    }

    #[test]
    fn banks_are_told_apart() {
        let mut bits = Bits::new();
        let lanes: Vec<Bit> = (0..5).map(|_| bits.atom(false)).collect();
        let (warp, secret) = (bits.atom(false), bits.atom(true));
        let atoms: Vec<u32> = lanes.iter().map(|&lane| bits.atoms_of(lane)[0]).collect();
        let alike = bits.atoms_of(warp).to_vec();
        let own_banks =
            |bits: &Bits, bank: &[Bit], lanes: &[u32]| super::own_banks(bits, bank, lanes, &alike);
        assert!(own_banks(&bits, &lanes, &atoms));
        let own = bits.atom(false);
        let hidden = bits.xor(lanes[0], own);
        assert!(
            !own_banks(&bits, &[hidden, lanes[1], lanes[2], lanes[3], lanes[4]], &atoms),
            "a public bit of each lane's own may undo the lane's"
        );
        let mixed = bits.xor(lanes[0], lanes[1]);
        let moved = bits.xor(lanes[0], warp);
        assert!(own_banks(&bits, &[moved, mixed, lanes[2], lanes[3], lanes[4]], &atoms));
        assert!(
            !own_banks(&bits, &[mixed, mixed, lanes[2], lanes[3], lanes[4]], &atoms),
            "two lanes share a bank"
        );
        assert!(!own_banks(&bits, &[lanes[0], lanes[1], lanes[2], lanes[3], ZERO], &atoms));
        assert!(!own_banks(&bits, &[lanes[0], lanes[1], lanes[2], lanes[3], secret], &atoms));
    }
}
