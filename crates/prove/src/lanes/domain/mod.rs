//! The symbolic domain: each operation of [`Domain`] on terms and linear forms.

mod masks;
mod scalars;
mod sums;

use aesmith_isa::lanes::{
    Access, AesRound, Binary, Condition, Decision, Domain, FlagSet, Half, Logic, Shift, Unary, Width,
};

use crate::lanes::forms::Form;
use crate::lanes::memory::Place;
use crate::lanes::scalar::Word;
use crate::lanes::symbolic::{CarryFlag, Flags, Mask, OverflowFlag, Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Lane, Op, Order};

impl Symbolic {
    fn check_alignment(&self, access: Access, at: Place, size: i64) -> Result<(), Stop> {
        if access == Access::Unaligned || self.path.is_aligned(at.base, at.stream, at.offset, size) {
            return Ok(());
        }
        refuse(format!(
            "an access that must be aligned to {size} bytes, to {}, of which that is not known",
            at.base.name()
        ))
    }

    fn element_word(&mut self, element: Width, lane: Lane, index: u8) -> Word {
        if element == Width::B64 {
            return self.half(lane, index & 1 == 1);
        }
        let half = self.half(lane, index >> 1 & 1 == 1);
        let size = element.bytes();
        let at = (index as usize * size) % 8;
        match self.word_bytes(half) {
            Some(bytes) => {
                self.word_of_bytes(std::array::from_fn(|i| if i < size { bytes[at + i] } else { Form(0) }))
            }
            None => self.unknown_word(&[half]),
        }
    }

    /// True if a block of the message is added to a lane that may be the previous output block. That block is complete,
    /// so it gets a name: as a function, it would be copied into the functions of all later blocks.
    fn is_chained_sum(&self, sum: Lane) -> bool {
        if !self.mode.is_serial() || !self.terms.has_cones(sum) {
            return false;
        }
        let is_input = |atom: Atom| matches!(atom, Atom::Input { .. });
        // Functions of the message itself are inside the first round.
        let is_begun =
            |atom: Atom| matches!(atom, Atom::Cone { of, .. } if self.terms.atoms(of).any(is_input));
        self.terms.atoms(sum).any(is_input) && !self.terms.atoms(sum).any(is_begun)
    }

    fn stack_place(&mut self, address: Word) -> Result<Place, Stop> {
        let at = self.place(address)?;
        self.above_red_zone(at, self.stack_pointer)?;
        Ok(at)
    }
}

impl Domain for Symbolic {
    type Lane = Lane;
    type Word = Word;
    type Mask = Mask;
    type Flags = Flags;
    type Error = Stop;

    fn lane(&mut self, bytes: [u8; 16]) -> Lane {
        self.terms.constant(u128::from_le_bytes(bytes))
    }

    fn zero_lane(&mut self) -> Lane {
        Lane::ZERO
    }

    #[inline]
    fn xor(&mut self, a: Lane, b: Lane) -> Result<Lane, Stop> {
        let sum = self.terms.xor(a, b);
        if self.is_chained_sum(sum) {
            return Ok(self.terms.coarse(sum));
        }
        if !self.reads_table || !self.terms.holds_rest(sum) {
            return Ok(sum);
        }
        // The rest is the part of a round that a table's entry leaves: that round needs its name.
        let sum = self.terms.named(sum, false, true);
        Ok(self.cancel_rests(sum))
    }

    fn logic(&mut self, op: Logic, a: Lane, b: Lane) -> Result<Lane, Stop> {
        Ok(self.lane_logic(op, a, b))
    }

    fn ternary(&mut self, table: u8, a: Lane, b: Lane, c: Lane) -> Result<Lane, Stop> {
        if let Some(known) = self.terms.remembered(Op::Ternary, [a.0, b.0, c.0], u32::from(table)) {
            return Ok(known);
        }
        let lane = self.lane_ternary(table, [a, b, c]);
        self.terms.remember(Op::Ternary, [a.0, b.0, c.0], u32::from(table), lane);
        Ok(lane)
    }

    #[inline]
    fn aes_round(&mut self, round: AesRound, a: Lane) -> Result<Lane, Stop> {
        let a = if self.terms.constant_part(a) == 0 { a } else { self.absorb_last_byte(a) };
        Ok(self.terms.round(round, a))
    }

    fn inv_mix_columns(&mut self, a: Lane) -> Result<Lane, Stop> {
        Ok(if a.is_unknown() || self.terms.is_too_deep(a) {
            self.terms.unknown(&[a])
        } else {
            self.terms.atom(Atom::InvMix { of: a })
        })
    }

    fn key_generation_assist(&mut self, a: Lane, rcon: u8) -> Result<Lane, Stop> {
        let Some(bytes) = self.terms.bytes(a) else { return Ok(a) };
        let mut result = [Form(0); 16];
        for half in 0..2 {
            for i in 0..4 {
                let s = self.terms.forms.sbox(false, bytes[4 + 8 * half + i]);
                result[8 * half + i] = s;
                // RotWord: byte i moves to position i - 1.
                result[8 * half + 4 + (i + 3) % 4] = s;
            }
            let first = &mut result[8 * half + 4];
            *first = self.terms.forms.add(*first, Form(u32::from(rcon)));
        }
        Ok(self.terms.lane_of_bytes(result))
    }

    fn add(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        self.lane_sum(element, a, b)
    }

    fn subtract(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        self.lane_difference(element, a, b)
    }

    fn compare_equal(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        self.lane_equal(element, a, b)
    }

    fn compare_greater(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        self.lane_greater(element, a, b)
    }

    fn shift_bits(&mut self, op: Shift, element: Width, a: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.lane_shift(op, element, a, count))
    }

    fn shuffle_words(&mut self, half: Half, a: Lane, order: u8) -> Result<Lane, Stop> {
        let first = if half == Half::High { 8 } else { 0 };
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            let word = usize::from(order >> (2 * (i % 8 / 2)) & 3);
            Some((0, if i & 8 == first { first + 2 * word + i % 2 } else { i }))
        }))
    }

    fn interleave(&mut self, element: Width, half: Half, a: Lane, b: Lane) -> Result<Lane, Stop> {
        Ok(self.lane_interleave(element, half, a, b))
    }

    fn affine(&mut self, inverse: bool, a: Lane, matrix: Lane, constant: u8) -> Result<Lane, Stop> {
        Ok(self.lane_affine(inverse, a, matrix, constant))
    }

    fn multiply(&mut self, a: Lane, b: Lane) -> Result<Lane, Stop> {
        Ok(self.lane_multiply(a, b))
    }

    fn carryless_product(&mut self, a: (Lane, Half), b: (Lane, Half)) -> Result<Lane, Stop> {
        Ok(self.carryless(a, b))
    }

    fn permute_bytes(&mut self, index: Lane, table: &[Lane]) -> Result<Lane, Stop> {
        let bytes = 16 * table.len();
        Ok(self.look_up(index, table, &|v| Some(usize::from(v) % bytes)))
    }

    fn sign_bits(&mut self, element: Width, lanes: &[Lane]) -> Result<Mask, Stop> {
        self.signs_of_lanes(element, lanes)
    }

    fn second_byte(&mut self, a: Word) -> Result<Word, Stop> {
        match (a.as_number(), self.word_byte(a, 1)) {
            (Some(number), _) => Ok(Word::number(number >> 8 & 0xff)),
            (None, Some(byte)) => {
                Ok(self.word_of_bytes(std::array::from_fn(|i| if i == 0 { byte } else { Form(0) })))
            }
            _ => Ok(self.unknown_word(&[a])),
        }
    }

    fn shuffle_bytes(&mut self, a: Lane, control: Lane) -> Result<Lane, Stop> {
        let Some(control) = self.terms.as_constant(control) else {
            return Ok(self.look_up(control, &[a], &|v| (v < 0x80).then_some(usize::from(v & 15))));
        };
        let control = control.to_le_bytes();
        // Blocks for GHASH are reversed as a whole: their halves are found by maps of bits.
        if self.mode.hashed().is_some()
            && (0..16).all(|i| control[i] == 15 - i as u8)
            && !matches!(self.terms.as_atom(a), Some(Atom::Counter { .. }))
        {
            let map = self.terms.maps.of_bytes(|i| Some(15 - i));
            return Ok(self.terms.moved(map, a));
        }
        if let Some(Atom::Counter { index, order }) = self.terms.as_atom(a) {
            let found = [Order::MEMORY, Order::SWAPPED_HALVES, Order::SWAPPED_BYTES, Order::REVERSED]
                .into_iter()
                .find(|o| (0..16).all(|i| control[i] as usize == o.source(i)));
            if let Some(by) = found {
                return Ok(self.counter(index, Order(order.0 ^ by.0)));
            }
        }
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            (control[i] & 0x80 == 0).then_some((0, usize::from(control[i] & 15)))
        }))
    }

    fn shuffle_dwords(&mut self, a: Lane, order: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            Some((0, usize::from(order >> (2 * (i / 4)) & 3) * 4 + i % 4))
        }))
    }

    fn shift_bytes_left(&mut self, a: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([a, Lane::ZERO], |i| i.checked_sub(count as usize).map(|k| (0, k))))
    }

    fn shift_bytes_right(&mut self, a: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            let k = i + count as usize;
            (k < 16).then_some((0, k))
        }))
    }

    fn align_bytes(&mut self, high: Lane, low: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([low, high], |i| {
            let k = i + count as usize;
            (k < 32).then_some((k / 16, k % 16))
        }))
    }

    fn pair_halves(&mut self, low: (Lane, Half), high: (Lane, Half)) -> Result<Lane, Stop> {
        if low.0 == high.0 && low.1 == Half::Low && high.1 == Half::High {
            return Ok(low.0);
        }
        if self.terms.is_by_bits(low.0) || self.terms.is_by_bits(high.0) {
            let from = |half| if half == Half::High { 8 } else { 0 };
            let (a, b) = (from(low.1), from(high.1));
            return Ok(self.choose_bytes([low.0, high.0], |i| Some((i / 8, i % 8 + [a, b][i / 8]))));
        }
        let low = self.half(low.0, low.1 == Half::High);
        let high = self.half(high.0, high.1 == Half::High);
        Ok(self.pair(low, high))
    }

    fn blend_dwords(&mut self, a: Lane, b: Lane, choice: u8) -> Result<Lane, Stop> {
        match choice & 15 {
            0 => Ok(a),
            15 => Ok(b),
            choice => Ok(self.choose_bytes([a, b], |i| Some((usize::from(choice >> (i / 4) & 1), i)))),
        }
    }

    fn select(&mut self, mask: Mask, first: u32, element: Width, new: Lane, old: Lane) -> Result<Lane, Stop> {
        self.lane_select(mask, first, element, new, old)
    }

    fn lane_from_word(&mut self, element: Width, word: Word) -> Result<Lane, Stop> {
        let word = if element == Width::B64 { word } else { self.zero_extend(element, word)? };
        let word = match word {
            Word::Linear(linear) => Word::Linear(self.path.facts.resolve(linear)),
            other => other,
        };
        Ok(self.pair(word, Word::number(0)))
    }

    fn word_from_lane(&mut self, element: Width, a: Lane, index: u8) -> Result<Word, Stop> {
        Ok(self.element_word(element, a, index))
    }

    fn mask(&mut self, bits: u64) -> Mask {
        Mask::Bits(bits)
    }

    fn mask_from_word(&mut self, width: Width, word: Word) -> Result<Mask, Stop> {
        self.mask_of_word(width, word)
    }

    fn word_from_mask(&mut self, width: Width, mask: Mask) -> Result<Word, Stop> {
        self.word_of_mask(width, mask)
    }

    fn word(&mut self, value: u64) -> Word {
        Word::number(value)
    }

    fn code_address(&mut self, offset: u64) -> Word {
        self.code_word(offset)
    }

    fn address(
        &mut self,
        base: Option<Word>,
        index: Option<(Word, u8)>,
        displacement: i64,
    ) -> Result<Word, Stop> {
        self.address_of(base, index, displacement)
    }

    fn zero_extend(&mut self, from: Width, a: Word) -> Result<Word, Stop> {
        self.word_zero_extend(from, a)
    }

    fn replace_low(&mut self, width: Width, old: Word, value: Word) -> Result<Word, Stop> {
        self.word_replace_low(width, old, value)
    }

    fn binary(
        &mut self,
        op: Binary,
        width: Width,
        a: Word,
        b: Word,
        flags: Flags,
    ) -> Result<(Word, Flags), Stop> {
        self.word_binary(op, width, a, b, flags)
    }

    fn unary(&mut self, op: Unary, width: Width, a: Word, flags: Flags) -> Result<(Word, Flags), Stop> {
        self.word_unary(op, width, a, flags)
    }

    fn shift(
        &mut self,
        op: Shift,
        width: Width,
        a: Word,
        count: u8,
        flags: Flags,
    ) -> Result<(Word, Flags), Stop> {
        self.word_shift(op, width, a, count, flags)
    }

    fn undefined(&mut self, flags: Flags, which: FlagSet) -> Flags {
        let (mut carry, mut overflow) = (self.carry_in(flags), self.overflow_in(flags));
        if which.carry {
            carry = CarryFlag::Secret;
        }
        if which.overflow {
            overflow = OverflowFlag::Secret;
        }
        // Conditions on parity are refused in any case.
        match which.zero || which.sign {
            true => Flags::Unknown { secret: true },
            false if which.carry || which.overflow => self.with_carry_and_overflow(flags, carry, overflow),
            false => flags,
        }
    }

    fn branch(&mut self, condition: Condition, flags: Flags) -> Result<Decision, Stop> {
        let decision = self.decide(condition, flags)?;
        if decision == Decision::Both {
            self.undecided = Some((condition, flags));
        }
        Ok(decision)
    }

    fn choose(&mut self, condition: Condition, flags: Flags, yes: Word, no: Word) -> Result<Word, Stop> {
        // Two unknown values are not equal: which of them is chosen may be a secret.
        if yes == no && yes != Word::Public {
            return Ok(yes);
        }
        if let Some(least) = self.least(condition, flags, yes, no) {
            return Ok(least);
        }
        Ok(match self.decide(condition, flags)? {
            Decision::Taken => yes,
            Decision::NotTaken => no,
            Decision::Both => self.unknown_word(&[yes, no]),
        })
    }

    fn load_word(&mut self, width: Width, address: Word) -> Result<Word, Stop> {
        if let Word::Lookup { base, index } = address {
            return self.load_looked_up(width, base, index);
        }
        let at = self.stack_place(address)?;
        self.load_scalar(at, width.bytes() as i64)
    }

    fn store_word(&mut self, width: Width, address: Word, value: Word) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.store_scalar(at, width.bytes() as i64, value)
    }

    fn load_element(&mut self, element: Width, address: Word) -> Result<Lane, Stop> {
        let word = self.load_word(element, address)?;
        self.lane_from_word(element, word)
    }

    fn store_element(&mut self, element: Width, address: Word, a: Lane, index: u8) -> Result<(), Stop> {
        let word = self.element_word(element, a, index);
        self.store_word(element, address, word)
    }

    fn load(&mut self, access: Access, address: Word, lanes: &mut [Lane]) -> Result<(), Stop> {
        if let Word::CounterByte { index, mask: 0xff, scale: 16, base } = address
            && access == Access::Unaligned
        {
            return self.load_table(index, base, lanes);
        }
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = self.load_lane(Place { offset: at.offset + 16 * i as i64, ..at })?;
        }
        Ok(())
    }

    fn store(&mut self, access: Access, address: Word, lanes: &[Lane]) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        for (i, &lane) in lanes.iter().enumerate() {
            self.store_lane(Place { offset: at.offset + 16 * i as i64, ..at }, lane)?;
        }
        Ok(())
    }

    fn load_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Mask,
        address: Word,
        lanes: &mut [Lane],
    ) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        if let Mask::Bits(bits) = mask {
            return self.load_lanes_chosen(at, element, bits, lanes);
        }
        if element != Width::B8 {
            return refuse("a load under a mask of elements wider than bytes, of unknown number");
        }
        self.load_lanes_masked(at, mask, lanes)
    }

    fn store_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Mask,
        address: Word,
        lanes: &[Lane],
    ) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        if let Mask::Bits(bits) = mask {
            return self.store_lanes_chosen(at, element, bits, lanes);
        }
        if element != Width::B8 {
            return refuse("a store under a mask of elements wider than bytes, of unknown number");
        }
        self.store_lanes_masked(at, mask, lanes)
    }

    fn prefetch(&mut self, address: Word) -> Result<(), Stop> {
        if self.word_is_secret(address) {
            return refuse("a prefetch of an address that may be secret");
        }
        Ok(())
    }
}
