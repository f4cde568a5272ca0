//! Operations on concrete bytes.

use super::elements::{INVERSE, by_elements, half, holds, integer, result_flags};
use super::{Bytes, Flags, Stop};
use aesmith_cipher::block::{INV_MIX, INV_SHIFT_ROWS, MIX, SBOX, gf_mul, inv_sub_shift, mix, sub_shift};
use aesmith_isa::lanes::{
    Access, AesRound, Binary, Condition, Decision, Domain, FlagSet, Half, Logic, Shift, Unary, Width,
};
use std::array::from_fn;

fn check_alignment(access: Access, address: u64, size: usize) -> Result<(), Stop> {
    if access != Access::Unaligned && !address.is_multiple_of(size as u64) {
        return Err(Stop::Misaligned { address, alignment: size });
    }
    Ok(())
}

impl Domain for Bytes {
    type Lane = [u8; 16];
    type Word = u64;
    type Mask = u64;
    type Flags = Flags;
    type Error = Stop;

    fn lane(&mut self, bytes: [u8; 16]) -> [u8; 16] {
        bytes
    }

    fn xor(&mut self, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| a[i] ^ b[i]))
    }

    fn logic(&mut self, op: Logic, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| match op {
            Logic::And => a[i] & b[i],
            Logic::Or => a[i] | b[i],
            Logic::AndNot => !a[i] & b[i],
        }))
    }

    fn ternary(&mut self, table: u8, a: [u8; 16], b: [u8; 16], c: [u8; 16]) -> Result<[u8; 16], Stop> {
        let bit = |byte: u8, k: u32| byte >> k & 1;
        Ok(from_fn(|i| {
            (0..8).fold(0, |byte, k| {
                let index = bit(a[i], k) << 2 | bit(b[i], k) << 1 | bit(c[i], k);
                byte | bit(table, u32::from(index)) << k
            })
        }))
    }

    fn aes_round(&mut self, round: AesRound, a: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(match round {
            AesRound::Encrypt => mix(sub_shift(a), MIX),
            AesRound::EncryptLast => sub_shift(a),
            AesRound::Decrypt => mix(inv_sub_shift(a), INV_MIX),
            AesRound::DecryptLast => inv_sub_shift(a),
        })
    }

    fn inv_mix_columns(&mut self, a: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(mix(a, INV_MIX))
    }

    fn key_generation_assist(&mut self, a: [u8; 16], rcon: u8) -> Result<[u8; 16], Stop> {
        // sub_shift is SubBytes after ShiftRows; an inverse ShiftRows first leaves SubBytes only.
        let s = sub_shift(from_fn(|i| a[INV_SHIFT_ROWS[i]]));
        debug_assert_eq!(s[5], SBOX[a[5] as usize]);
        let [x1, x3] = [4, 12].map(|i| [s[i], s[i + 1], s[i + 2], s[i + 3]]);
        let rotated = |x: [u8; 4]| [x[1] ^ rcon, x[2], x[3], x[0]];
        let words = [x1, rotated(x1), x3, rotated(x3)];
        Ok(from_fn(|i| words[i / 4][i % 4]))
    }

    fn add(&mut self, element: Width, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(by_elements(element, a, b, u64::wrapping_add))
    }

    fn subtract(&mut self, element: Width, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(by_elements(element, a, b, u64::wrapping_sub))
    }

    fn compare_equal(&mut self, element: Width, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(by_elements(element, a, b, |a, b| if a == b { u64::MAX } else { 0 }))
    }

    fn shuffle_bytes(&mut self, a: [u8; 16], control: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(control.map(|c| if c & 0x80 != 0 { 0 } else { a[usize::from(c & 15)] }))
    }

    fn shuffle_dwords(&mut self, a: [u8; 16], order: u8) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| a[usize::from(order >> (2 * (i / 4)) & 3) * 4 + i % 4]))
    }

    fn shift_bytes_left(&mut self, a: [u8; 16], count: u8) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| i.checked_sub(count.into()).map_or(0, |k| a[k])))
    }

    fn shift_bytes_right(&mut self, a: [u8; 16], count: u8) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| a.get(i + usize::from(count)).copied().unwrap_or(0)))
    }

    fn align_bytes(&mut self, high: [u8; 16], low: [u8; 16], count: u8) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| low.iter().chain(&high).nth(i + usize::from(count)).copied().unwrap_or(0)))
    }

    fn pair_halves(&mut self, low: ([u8; 16], Half), high: ([u8; 16], Half)) -> Result<[u8; 16], Stop> {
        let halves = [half(low.0, low.1), half(high.0, high.1)];
        Ok(from_fn(|i| halves[i / 8][i % 8]))
    }

    fn blend_dwords(&mut self, a: [u8; 16], b: [u8; 16], choice: u8) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| if choice >> (i / 4) & 1 == 1 { b[i] } else { a[i] }))
    }

    fn select(
        &mut self,
        mask: u64,
        first: u32,
        element: Width,
        new: [u8; 16],
        old: [u8; 16],
    ) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| if mask >> (first as usize + i / element.bytes()) & 1 == 1 { new[i] } else { old[i] }))
    }

    fn shift_bits(&mut self, op: Shift, element: Width, a: [u8; 16], count: u8) -> Result<[u8; 16], Stop> {
        let (bits, by) = (element.bits(), u32::from(count));
        Ok(by_elements(element, a, a, |x, _| match op {
            Shift::Left => x.checked_shl(by).unwrap_or(0),
            Shift::Right => x.checked_shr(by).unwrap_or(0),
            Shift::RotateRight if by.is_multiple_of(bits) => x,
            Shift::RotateRight => x >> (by % bits) | x << (bits - by % bits),
        }))
    }

    fn shuffle_words(&mut self, half: Half, a: [u8; 16], order: u8) -> Result<[u8; 16], Stop> {
        let start = if half == Half::High { 8 } else { 0 };
        Ok(from_fn(|i| match i.checked_sub(start) {
            Some(k @ 0..8) => a[start + usize::from(order >> (k / 2 * 2) & 3) * 2 + i % 2],
            _ => a[i],
        }))
    }

    fn interleave(&mut self, element: Width, half: Half, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        let (size, start) = (element.bytes(), if half == Half::High { 8 } else { 0 });
        Ok(from_fn(|i| {
            let from = start + i / (2 * size) * size + i % size;
            if i / size % 2 == 0 { a[from] } else { b[from] }
        }))
    }

    fn affine(
        &mut self,
        inverse: bool,
        a: [u8; 16],
        matrix: [u8; 16],
        constant: u8,
    ) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| {
            let x = if inverse { INVERSE[usize::from(a[i])] } else { a[i] };
            let rows = &matrix[i / 8 * 8..][..8];
            let product = (0..8).map(|bit| ((x & rows[7 - bit]).count_ones() as u8 & 1) << bit);
            product.fold(constant, |sum, bit| sum ^ bit)
        }))
    }

    fn multiply(&mut self, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        Ok(from_fn(|i| gf_mul(a[i], b[i])))
    }

    fn carryless_product(&mut self, a: ([u8; 16], Half), b: ([u8; 16], Half)) -> Result<[u8; 16], Stop> {
        let [a, b] = [a, b].map(|(lane, choice)| u128::from(integer(&half(lane, choice))));
        Ok((0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ a << i).to_le_bytes())
    }

    fn permute_bytes(&mut self, index: [u8; 16], table: &[[u8; 16]]) -> Result<[u8; 16], Stop> {
        let bytes = table.as_flattened();
        Ok(index.map(|i| bytes[usize::from(i) % bytes.len()]))
    }

    fn compare_greater(&mut self, element: Width, a: [u8; 16], b: [u8; 16]) -> Result<[u8; 16], Stop> {
        let signed = |x: u64| (x << (64 - element.bits())).cast_signed();
        Ok(by_elements(element, a, b, |a, b| if signed(a) > signed(b) { u64::MAX } else { 0 }))
    }

    fn sign_bits(&mut self, element: Width, lanes: &[[u8; 16]]) -> Result<u64, Stop> {
        let highest = lanes.as_flattened().iter().skip(element.bytes() - 1).step_by(element.bytes());
        Ok(highest.enumerate().fold(0, |mask, (i, byte)| mask | u64::from(byte >> 7) << i))
    }

    fn second_byte(&mut self, a: u64) -> Result<u64, Stop> {
        Ok(a >> 8 & 0xff)
    }

    fn lane_from_word(&mut self, element: Width, word: u64) -> Result<[u8; 16], Stop> {
        let bytes = (word & element.mask()).to_le_bytes();
        Ok(from_fn(|i| bytes.get(i).copied().unwrap_or(0)))
    }

    fn word_from_lane(&mut self, element: Width, a: [u8; 16], index: u8) -> Result<u64, Stop> {
        let start = usize::from(index) * element.bytes();
        Ok(integer(&a[start..start + element.bytes()]))
    }

    fn mask(&mut self, bits: u64) -> u64 {
        bits
    }

    fn mask_from_word(&mut self, width: Width, word: u64) -> Result<u64, Stop> {
        Ok(word & width.mask())
    }

    fn word_from_mask(&mut self, width: Width, mask: u64) -> Result<u64, Stop> {
        Ok(mask & width.mask())
    }

    fn word(&mut self, value: u64) -> u64 {
        value
    }

    fn code_address(&mut self, offset: u64) -> u64 {
        self.code_base.wrapping_add(offset)
    }

    fn address(
        &mut self,
        base: Option<u64>,
        index: Option<(u64, u8)>,
        displacement: i64,
    ) -> Result<u64, Stop> {
        let (index, scale) = index.unwrap_or((0, 1));
        let sum = base.unwrap_or(0).wrapping_add(index.wrapping_mul(scale.into()));
        Ok(sum.wrapping_add_signed(displacement))
    }

    fn zero_extend(&mut self, from: Width, a: u64) -> Result<u64, Stop> {
        Ok(a & from.mask())
    }

    fn replace_low(&mut self, width: Width, old: u64, value: u64) -> Result<u64, Stop> {
        Ok(old & !width.mask() | value & width.mask())
    }

    fn binary(
        &mut self,
        op: Binary,
        width: Width,
        a: u64,
        b: u64,
        flags: Flags,
    ) -> Result<(u64, Flags), Stop> {
        let (a, b) = (a & width.mask(), b & width.mask());
        let top = |value: u64| value >> (width.bits() - 1) & 1 == 1;
        let carry_in = u64::from(flags.carry && matches!(op, Binary::Adc | Binary::Sbb));
        Ok(match op {
            Binary::Add | Binary::Adc => {
                let sum = u128::from(a) + u128::from(b) + u128::from(carry_in);
                let value = sum as u64 & width.mask();
                let carry = sum > u128::from(width.mask());
                let overflow = top(a) == top(b) && top(value) != top(a);
                (value, result_flags(width, value, carry, overflow))
            }
            Binary::Sub | Binary::Sbb => {
                let value = a.wrapping_sub(b).wrapping_sub(carry_in) & width.mask();
                let carry = u128::from(a) < u128::from(b) + u128::from(carry_in);
                let overflow = top(a) != top(b) && top(value) != top(a);
                (value, result_flags(width, value, carry, overflow))
            }
            Binary::And => (a & b, result_flags(width, a & b, false, false)),
            Binary::Or => (a | b, result_flags(width, a | b, false, false)),
            Binary::Xor => (a ^ b, result_flags(width, a ^ b, false, false)),
            Binary::Bzhi => {
                let index = b as u8;
                let beyond = u32::from(index) >= width.bits();
                let value = if beyond { a } else { a & ((1 << index) - 1) };
                (value, result_flags(width, value, beyond, false))
            }
        })
    }

    fn unary(&mut self, op: Unary, width: Width, a: u64, flags: Flags) -> Result<(u64, Flags), Stop> {
        Ok(match op {
            Unary::Inc | Unary::Dec => {
                let op = if op == Unary::Inc { Binary::Add } else { Binary::Sub };
                let (value, new) = self.binary(op, width, a, 1, flags)?;
                (value, Flags { carry: flags.carry, ..new })
            }
            Unary::Neg => self.binary(Binary::Sub, width, 0, a, flags)?,
            Unary::Not => (!a & width.mask(), flags),
            Unary::Bswap => ((a & width.mask()).swap_bytes() >> (64 - width.bits()), flags),
        })
    }

    fn shift(
        &mut self,
        op: Shift,
        width: Width,
        a: u64,
        count: u8,
        flags: Flags,
    ) -> Result<(u64, Flags), Stop> {
        let (a, bits, count) = (a & width.mask(), width.bits(), u32::from(count));
        let bit = |k: u32| k < 64 && a >> k & 1 == 1;
        let top = |value: u64| value >> (bits - 1) & 1 == 1;
        Ok(match op {
            Shift::Left => {
                let value = (u128::from(a) << count) as u64 & width.mask();
                let carry = count <= bits && bit(bits - count);
                (value, result_flags(width, value, carry, top(value) != carry))
            }
            Shift::Right => {
                let value = a >> count;
                (value, result_flags(width, value, bit(count - 1), top(a)))
            }
            Shift::RotateRight => {
                let count = count % bits;
                let value = match count {
                    0 => a,
                    _ => (a >> count | a << (bits - count)) & width.mask(),
                };
                let overflow = top(value) != (value >> (bits - 2) & 1 == 1);
                (value, Flags { carry: top(value), overflow, ..flags })
            }
        })
    }

    fn undefined(&mut self, flags: Flags, _which: FlagSet) -> Flags {
        flags
    }

    fn branch(&mut self, condition: Condition, flags: Flags) -> Result<Decision, Stop> {
        Ok(if holds(condition, flags) { Decision::Taken } else { Decision::NotTaken })
    }

    fn choose(&mut self, condition: Condition, flags: Flags, yes: u64, no: u64) -> Result<u64, Stop> {
        Ok(if holds(condition, flags) { yes } else { no })
    }

    fn load_word(&mut self, width: Width, address: u64) -> Result<u64, Stop> {
        self.at(address, width.bytes(), false).map(|bytes| integer(bytes))
    }

    fn store_word(&mut self, width: Width, address: u64, value: u64) -> Result<(), Stop> {
        let bytes = value.to_le_bytes();
        self.at(address, width.bytes(), true)?.copy_from_slice(&bytes[..width.bytes()]);
        Ok(())
    }

    fn load_element(&mut self, element: Width, address: u64) -> Result<[u8; 16], Stop> {
        let word = self.load_word(element, address)?;
        self.lane_from_word(element, word)
    }

    fn store_element(&mut self, element: Width, address: u64, a: [u8; 16], index: u8) -> Result<(), Stop> {
        let word = self.word_from_lane(element, a, index)?;
        self.store_word(element, address, word)
    }

    fn load(&mut self, access: Access, address: u64, lanes: &mut [[u8; 16]]) -> Result<(), Stop> {
        let bytes = lanes.as_flattened_mut();
        check_alignment(access, address, bytes.len())?;
        bytes.copy_from_slice(self.at(address, bytes.len(), false)?);
        Ok(())
    }

    fn store(&mut self, access: Access, address: u64, lanes: &[[u8; 16]]) -> Result<(), Stop> {
        let bytes = lanes.as_flattened();
        check_alignment(access, address, bytes.len())?;
        self.at(address, bytes.len(), true)?.copy_from_slice(bytes);
        Ok(())
    }

    fn load_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: u64,
        address: u64,
        lanes: &mut [[u8; 16]],
    ) -> Result<(), Stop> {
        let bytes = lanes.as_flattened_mut();
        check_alignment(access, address, bytes.len())?;
        for (i, piece) in bytes.chunks_mut(element.bytes()).enumerate() {
            if mask >> i & 1 == 1 {
                let from = address.wrapping_add((i * element.bytes()) as u64);
                piece.copy_from_slice(self.at(from, element.bytes(), false)?);
            }
        }
        Ok(())
    }

    fn store_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: u64,
        address: u64,
        lanes: &[[u8; 16]],
    ) -> Result<(), Stop> {
        let bytes = lanes.as_flattened();
        check_alignment(access, address, bytes.len())?;
        for (i, piece) in bytes.chunks(element.bytes()).enumerate() {
            if mask >> i & 1 == 1 {
                let to = address.wrapping_add((i * element.bytes()) as u64);
                self.at(to, element.bytes(), true)?.copy_from_slice(piece);
            }
        }
        Ok(())
    }

    fn prefetch(&mut self, _address: u64) -> Result<(), Stop> {
        Ok(())
    }
}
