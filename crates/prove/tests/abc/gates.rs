//! The domain of gates: each bit of a word, lane or mask is a literal of an and-inverter graph. Operations that no
//! bit-sliced kernel uses have no gates.

use crate::bits::{self, Sum, moved, shifted, widened};
use crate::flags::{Flags, holds, of_result};
use crate::graph::{FALSE, Graph, Literal, TRUE};
use crate::memory::{CODE, Region, word};
use aesmith_isa::lanes::{
    Access, AesRound, Binary, Condition, Decision, Domain, FlagSet, Half, Logic, Shift, Unary, Unsupported,
    Width,
};
use std::array::from_fn;

type Lane = [Literal; 128];
type Word = [Literal; 64];

/// A graph that grows, and the memory that the code works on.
pub struct Gates {
    pub graph: Graph,
    pub regions: Vec<Region>,
}

/// The reason why execution stops.
#[derive(Debug)]
pub struct Refused(pub String);

impl From<Unsupported> for Refused {
    fn from(unsupported: Unsupported) -> Refused {
        Refused(unsupported.to_string())
    }
}

fn refuse<T>(what: &str) -> Result<T, Refused> {
    Err(Refused(format!("{what} has no gates here, as no bit-sliced kernel needs it")))
}

/// The integer of these bits.
///
/// # Errors
/// They are not all constants.
pub fn known(bits: &[Literal], what: &str) -> Result<u64, Refused> {
    bits::known(bits).ok_or_else(|| {
        Refused(format!("{what} is no constant: it depends on a key, a block, or what the caller left"))
    })
}

/// Moves whole bytes, like [`moved`].
fn moved_bytes(a: Lane, source: impl Fn(usize) -> Option<usize>) -> Lane {
    moved(a, |i| source(i / 8).map(|byte| byte * 8 + i % 8))
}

fn bits_of(half: Half) -> usize {
    if half == Half::High { 64 } else { 0 }
}

impl Gates {
    fn each(&mut self, a: Lane, b: Lane, f: impl Fn(&mut Graph, Literal, Literal) -> Literal) -> Lane {
        from_fn(|i| f(&mut self.graph, a[i], b[i]))
    }

    /// Applies `f` to elements, each a vector of bits.
    fn elements(
        &mut self,
        element: Width,
        a: Lane,
        b: Lane,
        f: impl Fn(&mut Graph, &[Literal], &[Literal]) -> Vec<Literal>,
    ) -> Lane {
        let width = element.bits() as usize;
        let pairs = a.chunks(width).zip(b.chunks(width));
        let result: Vec<Literal> = pairs.flat_map(|(a, b)| f(&mut self.graph, a, b)).collect();
        result.try_into().unwrap()
    }
}

impl Domain for Gates {
    type Lane = Lane;
    type Word = Word;
    type Mask = Word;
    type Flags = Flags;
    type Error = Refused;

    fn lane(&mut self, bytes: [u8; 16]) -> Lane {
        from_fn(|i| if bytes[i / 8] >> (i % 8) & 1 == 1 { TRUE } else { FALSE })
    }

    fn xor(&mut self, a: Lane, b: Lane) -> Result<Lane, Refused> {
        Ok(self.each(a, b, Graph::xor))
    }

    fn logic(&mut self, op: Logic, a: Lane, b: Lane) -> Result<Lane, Refused> {
        Ok(self.each(a, b, |graph, a, b| match op {
            Logic::And => graph.and(a, b),
            Logic::Or => graph.or(a, b),
            Logic::AndNot => graph.and(a ^ 1, b),
        }))
    }

    fn ternary(&mut self, table: u8, a: Lane, b: Lane, c: Lane) -> Result<Lane, Refused> {
        let graph = &mut self.graph;
        let entry = |i: usize| Literal::from(table >> i & 1);
        Ok(from_fn(|k| {
            let by_c: [Literal; 4] = from_fn(|i| graph.choose(c[k], entry(2 * i + 1), entry(2 * i)));
            let by_b: [Literal; 2] = from_fn(|i| graph.choose(b[k], by_c[2 * i + 1], by_c[2 * i]));
            graph.choose(a[k], by_b[1], by_b[0])
        }))
    }

    fn aes_round(&mut self, _: AesRound, _: Lane) -> Result<Lane, Refused> {
        refuse("an AES instruction")
    }

    fn inv_mix_columns(&mut self, _: Lane) -> Result<Lane, Refused> {
        refuse("an AES instruction")
    }

    fn key_generation_assist(&mut self, _: Lane, _: u8) -> Result<Lane, Refused> {
        refuse("an AES instruction")
    }

    fn add(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Refused> {
        Ok(self.elements(element, a, b, |graph, a, b| bits::add(graph, a, b, FALSE).bits))
    }

    fn subtract(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Refused> {
        Ok(self.elements(element, a, b, |graph, a, b| bits::subtract(graph, a, b, FALSE).bits))
    }

    fn compare_equal(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Refused> {
        Ok(self.elements(element, a, b, |graph, a, b| {
            let differences: Vec<Literal> = a.iter().zip(b).map(|(a, b)| graph.xor(*a, *b)).collect();
            vec![bits::is_zero(graph, &differences); a.len()]
        }))
    }

    fn shuffle_bytes(&mut self, a: Lane, control: Lane) -> Result<Lane, Refused> {
        let mut result = control;
        for byte in result.chunks_mut(8) {
            let kept = byte[7] ^ 1;
            let found = bits::look_up(&mut self.graph, a.as_chunks().0, &byte[..4]);
            byte.copy_from_slice(&found.map(|bit| self.graph.and(kept, bit)));
        }
        Ok(result)
    }

    fn shuffle_dwords(&mut self, a: Lane, order: u8) -> Result<Lane, Refused> {
        Ok(moved_bytes(a, |i| Some(usize::from(order >> (i / 4 * 2) & 3) * 4 + i % 4)))
    }

    fn shift_bytes_left(&mut self, a: Lane, count: u8) -> Result<Lane, Refused> {
        Ok(moved_bytes(a, |i| i.checked_sub(count.into())))
    }

    fn shift_bytes_right(&mut self, a: Lane, count: u8) -> Result<Lane, Refused> {
        Ok(moved_bytes(a, |i| Some(i + usize::from(count)).filter(|k| *k < 16)))
    }

    fn align_bytes(&mut self, high: Lane, low: Lane, count: u8) -> Result<Lane, Refused> {
        Ok(from_fn(|i| low.iter().chain(&high).nth(i + 8 * usize::from(count)).copied().unwrap_or(FALSE)))
    }

    fn pair_halves(&mut self, low: (Lane, Half), high: (Lane, Half)) -> Result<Lane, Refused> {
        let of = |(lane, half): (Lane, Half), i: usize| lane[bits_of(half) + i % 64];
        Ok(from_fn(|i| of(if i < 64 { low } else { high }, i)))
    }

    fn blend_dwords(&mut self, a: Lane, b: Lane, choice: u8) -> Result<Lane, Refused> {
        Ok(from_fn(|i| if choice >> (i / 32) & 1 == 1 { b[i] } else { a[i] }))
    }

    fn select(
        &mut self,
        mask: Word,
        first: u32,
        element: Width,
        new: Lane,
        old: Lane,
    ) -> Result<Lane, Refused> {
        let place = |i: usize| first as usize + i / element.bits() as usize;
        Ok(from_fn(|i| self.graph.choose(mask[place(i)], new[i], old[i])))
    }

    fn shift_bits(&mut self, op: Shift, element: Width, a: Lane, count: u8) -> Result<Lane, Refused> {
        Ok(shifted(op, element.bits() as usize, a, count.into()))
    }

    fn shuffle_words(&mut self, half: Half, a: Lane, order: u8) -> Result<Lane, Refused> {
        let start = bits_of(half) / 8;
        Ok(moved_bytes(a, |i| match i.checked_sub(start) {
            Some(k @ 0..8) => Some(start + usize::from(order >> (k / 2 * 2) & 3) * 2 + i % 2),
            _ => Some(i),
        }))
    }

    fn interleave(&mut self, element: Width, half: Half, a: Lane, b: Lane) -> Result<Lane, Refused> {
        let size = element.bits() as usize;
        Ok(from_fn(|i| {
            let from = bits_of(half) + i / (2 * size) * size + i % size;
            if (i / size).is_multiple_of(2) { a[from] } else { b[from] }
        }))
    }

    fn affine(&mut self, _: bool, _: Lane, _: Lane, _: u8) -> Result<Lane, Refused> {
        refuse("an affine map of GFNI")
    }

    fn multiply(&mut self, _: Lane, _: Lane) -> Result<Lane, Refused> {
        refuse("a product of GFNI")
    }

    fn carryless_product(&mut self, a: (Lane, Half), b: (Lane, Half)) -> Result<Lane, Refused> {
        let [a, b] =
            [a, b].map(|(lane, half)| if half == Half::High { &lane[64..] } else { &lane[..64] }.to_vec());
        let mut result = [FALSE; 128];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let product = self.graph.and(*x, *y);
                result[i + j] = self.graph.xor(result[i + j], product);
            }
        }
        Ok(result)
    }

    fn permute_bytes(&mut self, index: Lane, table: &[Lane]) -> Result<Lane, Refused> {
        let (table, mut result) = (table.as_flattened().as_chunks().0, index);
        for byte in result.chunks_mut(8) {
            let used = table.len().trailing_zeros() as usize;
            byte.copy_from_slice(&bits::look_up(&mut self.graph, table, &byte[..used]));
        }
        Ok(result)
    }

    fn compare_greater(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Refused> {
        Ok(self.elements(element, a, b, |graph, a, b| {
            // `a` is greater if `b - a` is negative without overflow, or not negative with overflow.
            let Sum { bits, carry, into_top } = bits::subtract(graph, b, a, FALSE);
            let overflow = graph.xor(carry, into_top);
            vec![graph.xor(bits[bits.len() - 1], overflow); a.len()]
        }))
    }

    fn sign_bits(&mut self, element: Width, lanes: &[Lane]) -> Result<Word, Refused> {
        let width = element.bits() as usize;
        let bits: Vec<Literal> = lanes.as_flattened().chunks(width).map(|bits| bits[width - 1]).collect();
        Ok(widened(&bits))
    }

    fn second_byte(&mut self, a: Word) -> Result<Word, Refused> {
        Ok(widened(&a[8..16]))
    }

    fn lane_from_word(&mut self, element: Width, word: Word) -> Result<Lane, Refused> {
        Ok(from_fn(|i| if i < element.bits() as usize { word[i] } else { FALSE }))
    }

    fn word_from_lane(&mut self, element: Width, a: Lane, index: u8) -> Result<Word, Refused> {
        Ok(widened(a.chunks(element.bits() as usize).nth(index.into()).unwrap()))
    }

    fn mask(&mut self, bits: u64) -> Word {
        word(bits)
    }

    fn mask_from_word(&mut self, width: Width, word: Word) -> Result<Word, Refused> {
        self.zero_extend(width, word)
    }

    fn word_from_mask(&mut self, width: Width, mask: Word) -> Result<Word, Refused> {
        self.zero_extend(width, mask)
    }

    fn word(&mut self, value: u64) -> Word {
        word(value)
    }

    fn code_address(&mut self, offset: u64) -> Word {
        word(CODE + offset)
    }

    fn address(
        &mut self,
        base: Option<Word>,
        index: Option<(Word, u8)>,
        displacement: i64,
    ) -> Result<Word, Refused> {
        let (base, (index, scale)) = (base.unwrap_or([FALSE; 64]), index.unwrap_or(([FALSE; 64], 1)));
        let scaled = shifted(Shift::Left, 64, index, scale.trailing_zeros() as usize);
        let sum = bits::add(&mut self.graph, &base, &scaled, FALSE).bits;
        let sum = bits::add(&mut self.graph, &sum, &word(displacement.cast_unsigned()), FALSE);
        Ok(widened(&sum.bits))
    }

    fn zero_extend(&mut self, from: Width, a: Word) -> Result<Word, Refused> {
        Ok(widened(&a[..from.bits() as usize]))
    }

    fn replace_low(&mut self, width: Width, old: Word, value: Word) -> Result<Word, Refused> {
        Ok(from_fn(|i| if i < width.bits() as usize { value[i] } else { old[i] }))
    }

    fn binary(
        &mut self,
        op: Binary,
        width: Width,
        a: Word,
        b: Word,
        flags: Flags,
    ) -> Result<(Word, Flags), Refused> {
        let (a, b) = (&a[..width.bits() as usize], &b[..width.bits() as usize]);
        let graph = &mut self.graph;
        let carry_in = if matches!(op, Binary::Adc | Binary::Sbb) { flags[0] } else { FALSE };
        let pairs = a.iter().zip(b);
        let (value, carry, overflow) = match op {
            Binary::Add | Binary::Adc | Binary::Sub | Binary::Sbb => {
                let borrows = matches!(op, Binary::Sub | Binary::Sbb);
                let add = if borrows { bits::subtract } else { bits::add };
                let Sum { bits, carry, into_top } = add(graph, a, b, carry_in);
                (bits, carry ^ Literal::from(borrows), graph.xor(carry, into_top))
            }
            Binary::And => (pairs.map(|(a, b)| graph.and(*a, *b)).collect(), FALSE, FALSE),
            Binary::Or => (pairs.map(|(a, b)| graph.or(*a, *b)).collect(), FALSE, FALSE),
            Binary::Xor => (pairs.map(|(a, b)| graph.xor(*a, *b)).collect(), FALSE, FALSE),
            Binary::Bzhi => {
                let index = known(&b[..8], "an index of a bit")? as usize;
                let kept = a.iter().enumerate().map(|(i, bit)| if i < index { *bit } else { FALSE });
                (kept.collect(), Literal::from(index >= a.len()), FALSE)
            }
        };
        Ok((widened(&value), of_result(&mut self.graph, &value, carry, overflow)))
    }

    fn unary(&mut self, op: Unary, width: Width, a: Word, flags: Flags) -> Result<(Word, Flags), Refused> {
        let bits = width.bits() as usize;
        Ok(match op {
            Unary::Inc | Unary::Dec => {
                let op = if op == Unary::Inc { Binary::Add } else { Binary::Sub };
                let (value, new) = self.binary(op, width, a, word(1), flags)?;
                (value, [flags[0], new[1], new[2], new[3], new[4]])
            }
            Unary::Neg => self.binary(Binary::Sub, width, word(0), a, flags)?,
            Unary::Not => (from_fn(|i| if i < bits { a[i] ^ 1 } else { FALSE }), flags),
            Unary::Bswap => (moved(a, |i| (i < bits).then(|| bits - 8 - i / 8 * 8 + i % 8)), flags),
        })
    }

    fn shift(
        &mut self,
        op: Shift,
        width: Width,
        a: Word,
        count: u8,
        flags: Flags,
    ) -> Result<(Word, Flags), Refused> {
        let (bits, count) = (width.bits() as usize, usize::from(count));
        let low = self.zero_extend(width, a)?;
        let value = self.zero_extend(width, shifted(op, bits, low, count))?;
        // The flag is defined for a count of 1 only, and no kernel reads it.
        let overflow = self.graph.unknown();
        let carry = match op {
            Shift::Left if count <= bits => low[bits - count],
            Shift::Right if count <= bits => low[count - 1],
            Shift::Left | Shift::Right => FALSE,
            Shift::RotateRight => {
                return Ok((value, [value[bits - 1], flags[1], flags[2], overflow, flags[4]]));
            }
        };
        Ok((value, of_result(&mut self.graph, &value[..bits], carry, overflow)))
    }

    fn undefined(&mut self, flags: Flags, _which: FlagSet) -> Flags {
        flags
    }

    fn branch(&mut self, condition: Condition, flags: Flags) -> Result<Decision, Refused> {
        let holds = holds(&mut self.graph, condition, flags);
        Ok(match known(&[holds], "a branch")? {
            0 => Decision::NotTaken,
            _ => Decision::Taken,
        })
    }

    fn choose(&mut self, condition: Condition, flags: Flags, yes: Word, no: Word) -> Result<Word, Refused> {
        let holds = holds(&mut self.graph, condition, flags);
        Ok(from_fn(|i| self.graph.choose(holds, yes[i], no[i])))
    }

    fn load_word(&mut self, width: Width, address: Word) -> Result<Word, Refused> {
        Ok(widened(self.at(address, width.bytes(), false)?.as_flattened()))
    }

    fn store_word(&mut self, width: Width, address: Word, value: Word) -> Result<(), Refused> {
        self.write(address, &value[..width.bits() as usize])
    }

    fn load_element(&mut self, element: Width, address: Word) -> Result<Lane, Refused> {
        let word = self.load_word(element, address)?;
        self.lane_from_word(element, word)
    }

    fn store_element(&mut self, element: Width, address: Word, a: Lane, index: u8) -> Result<(), Refused> {
        let word = self.word_from_lane(element, a, index)?;
        self.store_word(element, address, word)
    }

    fn load(&mut self, access: Access, address: Word, lanes: &mut [Lane]) -> Result<(), Refused> {
        Gates::aligned(access, address, 16 * lanes.len())?;
        let bytes = self.at(address, 16 * lanes.len(), false)?;
        lanes.as_flattened_mut().copy_from_slice(bytes.as_flattened());
        Ok(())
    }

    fn store(&mut self, access: Access, address: Word, lanes: &[Lane]) -> Result<(), Refused> {
        Gates::aligned(access, address, 16 * lanes.len())?;
        self.write(address, lanes.as_flattened())
    }

    fn load_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Word,
        address: Word,
        lanes: &mut [Lane],
    ) -> Result<(), Refused> {
        Gates::aligned(access, address, 16 * lanes.len())?;
        for (from, bit) in Gates::chosen(mask, element, address, lanes.len())? {
            let bytes = self.at(from, element.bytes(), false)?.as_flattened();
            lanes.as_flattened_mut()[bit..bit + bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }

    fn store_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Word,
        address: Word,
        lanes: &[Lane],
    ) -> Result<(), Refused> {
        Gates::aligned(access, address, 16 * lanes.len())?;
        for (to, bit) in Gates::chosen(mask, element, address, lanes.len())? {
            self.write(to, &lanes.as_flattened()[bit..bit + element.bits() as usize])?;
        }
        Ok(())
    }

    fn prefetch(&mut self, _: Word) -> Result<(), Refused> {
        Ok(())
    }
}
