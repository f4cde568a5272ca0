//! Every operation of the semantics as an uninterpreted function.

use aesmith_isa::lanes::{
    Access, AesRound, Binary, Condition, Decision, Domain, FlagSet, Half, Logic, Shift, Unary, Width,
};

use super::frame::Slot;
use super::free::{Free, GaveUp, NONE, Value};
use super::numbers::{Made, Number, Traits};

/// An operation's name.
#[derive(Clone, Copy)]
enum Name {
    Xor,
    Logic,
    Ternary,
    AesRound,
    InvMixColumns,
    KeyGenerationAssist,
    Add,
    Subtract,
    CompareEqual,
    CompareGreater,
    ShuffleBytes,
    ShuffleDwords,
    ShiftBytesLeft,
    ShiftBytesRight,
    AlignBytes,
    PairHalves,
    BlendDwords,
    Select,
    ShiftBits,
    ShuffleWords,
    Interleave,
    Affine,
    Multiply,
    CarrylessProduct,
    PermuteBytes,
    SignBits,
    SecondByte,
    LaneFromWord,
    WordFromLane,
    MaskFromWord,
    WordFromMask,
    ZeroExtend,
    ReplaceLow,
    Binary,
    BinaryFlags,
    Unary,
    UnaryFlags,
    Shift,
    ShiftFlags,
    Undefined,
    Choose,
    LanesOfSlots,
    WordOfHalf,
    LowPart,
}

/// The code of a name with up to three small numbers.
const fn named(name: Name, small: [u8; 3]) -> u64 {
    (name as u64) << 32 | (small[0] as u64) << 16 | (small[1] as u64) << 8 | small[2] as u64
}

impl Free {
    fn lanes(&mut self, name: Name, small: [u8; 3], of: &[Number]) -> Result<Number, GaveUp> {
        Ok(self.operation([named(name, small), 0], of))
    }

    fn scalar(&mut self, name: Name, small: [u8; 3], of: &[Value]) -> Value {
        let mut numbers = [NONE; 3];
        for (number, value) in numbers.iter_mut().zip(of) {
            *number = self.number(*value);
        }
        Value { root: self.operation([named(name, small), 0], &numbers[..of.len()]), offset: 0 }
    }

    fn half_of(&mut self, at: Value) -> Result<Number, GaveUp> {
        match self.slot(at)? {
            Slot::Word(value) => Ok(self.number(value)),
            Slot::Half(lane, high) => self.lanes(Name::WordOfHalf, [u8::from(high), 0, 0], &[lane]),
            Slot::Untouched | Slot::Lost { .. } => {
                Err(GaveUp("a load from stack that was not written on every way"))
            }
        }
    }

    fn lane_at(&mut self, at: Value) -> Result<Number, GaveUp> {
        if let Some(offset) = Free::in_code(at) {
            let bytes = self.constants(offset, 16)?;
            let value = u128::from_le_bytes(bytes.try_into().expect("16 were asked for"));
            return Ok(self.lane(value.to_le_bytes()));
        }
        if !self.on_stack(at) {
            return self.loaded(at, 16);
        }
        match (self.slot(at)?, self.slot(at.plus(8))?) {
            (Slot::Half(low, false), Slot::Half(high, true)) if low == high => Ok(low),
            _ => {
                let halves = [self.half_of(at)?, self.half_of(at.plus(8))?];
                self.lanes(Name::LanesOfSlots, [0; 3], &halves)
            }
        }
    }

    fn put_lane(&mut self, at: Value, lane: Number) -> Result<(), GaveUp> {
        if !self.on_stack(at) {
            return self.stored(at, 16, lane);
        }
        self.set_slot(at, Slot::Half(lane, false))?;
        self.set_slot(at.plus(8), Slot::Half(lane, true))
    }
}

impl Domain for Free {
    type Lane = Number;
    type Word = Value;
    type Mask = Number;
    type Flags = Number;
    type Error = GaveUp;

    fn lane(&mut self, bytes: [u8; 16]) -> Number {
        let (halves, _) = bytes.as_chunks::<8>();
        self.numbers.made(Made::Constant, [u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])], &[])
    }

    fn zero_lane(&mut self) -> Number {
        NONE
    }

    fn xor(&mut self, a: Number, b: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::Xor, [0; 3], &[a.min(b), a.max(b)])
    }

    fn logic(&mut self, op: Logic, a: Number, b: Number) -> Result<Number, GaveUp> {
        let of = if op == Logic::AndNot { [a, b] } else { [a.min(b), a.max(b)] };
        self.lanes(Name::Logic, [op as u8, 0, 0], &of)
    }

    fn ternary(&mut self, table: u8, a: Number, b: Number, c: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::Ternary, [table, 0, 0], &[a, b, c])
    }

    fn aes_round(&mut self, round: AesRound, a: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::AesRound, [round as u8, 0, 0], &[a])
    }

    fn inv_mix_columns(&mut self, a: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::InvMixColumns, [0; 3], &[a])
    }

    fn key_generation_assist(&mut self, a: Number, rcon: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::KeyGenerationAssist, [rcon, 0, 0], &[a])
    }

    fn add(&mut self, element: Width, a: Number, b: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::Add, [element as u8, 0, 0], &[a.min(b), a.max(b)])
    }

    fn subtract(&mut self, element: Width, a: Number, b: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::Subtract, [element as u8, 0, 0], &[a, b])
    }

    fn compare_equal(&mut self, element: Width, a: Number, b: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::CompareEqual, [element as u8, 0, 0], &[a.min(b), a.max(b)])
    }

    fn compare_greater(&mut self, element: Width, a: Number, b: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::CompareGreater, [element as u8, 0, 0], &[a, b])
    }

    fn shuffle_bytes(&mut self, a: Number, control: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::ShuffleBytes, [0; 3], &[a, control])
    }

    fn shuffle_dwords(&mut self, a: Number, order: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::ShuffleDwords, [order, 0, 0], &[a])
    }

    fn shift_bytes_left(&mut self, a: Number, count: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::ShiftBytesLeft, [count, 0, 0], &[a])
    }

    fn shift_bytes_right(&mut self, a: Number, count: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::ShiftBytesRight, [count, 0, 0], &[a])
    }

    fn align_bytes(&mut self, high: Number, low: Number, count: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::AlignBytes, [count, 0, 0], &[high, low])
    }

    fn pair_halves(&mut self, low: (Number, Half), high: (Number, Half)) -> Result<Number, GaveUp> {
        if low.0 == high.0 && low.1 == Half::Low && high.1 == Half::High {
            return Ok(low.0);
        }
        self.lanes(Name::PairHalves, [low.1 as u8, high.1 as u8, 0], &[low.0, high.0])
    }

    fn blend_dwords(&mut self, a: Number, b: Number, choice: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::BlendDwords, [choice, 0, 0], &[a, b])
    }

    fn select(
        &mut self,
        mask: Number,
        first: u32,
        element: Width,
        new: Number,
        old: Number,
    ) -> Result<Number, GaveUp> {
        let constants = [named(Name::Select, [element as u8, 0, 0]), first.into()];
        Ok(self.operation(constants, &[mask, new, old]))
    }

    fn shift_bits(&mut self, op: Shift, element: Width, a: Number, count: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::ShiftBits, [op as u8, element as u8, count], &[a])
    }

    fn shuffle_words(&mut self, half: Half, a: Number, order: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::ShuffleWords, [half as u8, order, 0], &[a])
    }

    fn interleave(&mut self, element: Width, half: Half, a: Number, b: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::Interleave, [element as u8, half as u8, 0], &[a, b])
    }

    fn affine(&mut self, inverse: bool, a: Number, matrix: Number, constant: u8) -> Result<Number, GaveUp> {
        self.lanes(Name::Affine, [u8::from(inverse), constant, 0], &[a, matrix])
    }

    fn multiply(&mut self, a: Number, b: Number) -> Result<Number, GaveUp> {
        self.lanes(Name::Multiply, [0; 3], &[a.min(b), a.max(b)])
    }

    fn carryless_product(&mut self, a: (Number, Half), b: (Number, Half)) -> Result<Number, GaveUp> {
        self.lanes(Name::CarrylessProduct, [a.1 as u8, b.1 as u8, 0], &[a.0, b.0])
    }

    fn permute_bytes(&mut self, index: Number, table: &[Number]) -> Result<Number, GaveUp> {
        let mut of = [index; 9];
        of[1..=table.len()].copy_from_slice(table);
        self.lanes(Name::PermuteBytes, [0; 3], &of[..=table.len()])
    }

    fn sign_bits(&mut self, element: Width, lanes: &[Number]) -> Result<Number, GaveUp> {
        self.lanes(Name::SignBits, [element as u8, 0, 0], lanes)
    }

    fn second_byte(&mut self, a: Value) -> Result<Value, GaveUp> {
        Ok(self.scalar(Name::SecondByte, [0; 3], &[a]))
    }

    fn lane_from_word(&mut self, element: Width, word: Value) -> Result<Number, GaveUp> {
        Ok(self.scalar(Name::LaneFromWord, [element as u8, 0, 0], &[word]).root)
    }

    fn word_from_lane(&mut self, element: Width, a: Number, index: u8) -> Result<Value, GaveUp> {
        let root = self.lanes(Name::WordFromLane, [element as u8, index, 0], &[a])?;
        Ok(Value { root, offset: 0 })
    }

    fn mask(&mut self, bits: u64) -> Number {
        self.numbers.made(Made::Constant, [bits, 1], &[])
    }

    fn mask_from_word(&mut self, width: Width, word: Value) -> Result<Number, GaveUp> {
        Ok(self.scalar(Name::MaskFromWord, [width as u8, 0, 0], &[word]).root)
    }

    fn word_from_mask(&mut self, width: Width, mask: Number) -> Result<Value, GaveUp> {
        let root = self.lanes(Name::WordFromMask, [width as u8, 0, 0], &[mask])?;
        Ok(Value { root, offset: 0 })
    }

    fn word(&mut self, value: u64) -> Value {
        Value::constant(value)
    }

    fn code_address(&mut self, offset: u64) -> Value {
        Free::code_at(offset)
    }

    fn address(
        &mut self,
        base: Option<Value>,
        index: Option<(Value, u8)>,
        displacement: i64,
    ) -> Result<Value, GaveUp> {
        let base = base.unwrap_or(Value::constant(0)).plus(displacement);
        let Some((index, scale)) = index else { return Ok(base) };
        let offset = base.offset.wrapping_add(index.offset.wrapping_mul(scale.into()));
        let root = match (base.root, index.root) {
            (root, NONE) => root,
            (NONE, root) if scale == 1 => root,
            (a, b) if scale == 1 => self.numbers.made(Made::Indexed, [1, 0], &[a.min(b), a.max(b)]),
            (a, b) => self.numbers.made(Made::Indexed, [scale.into(), 0], &[a, b]),
        };
        Ok(Value { root, offset })
    }

    fn zero_extend(&mut self, from: Width, a: Value) -> Result<Value, GaveUp> {
        Ok(match a.as_constant() {
            _ if from == Width::B64 => a,
            Some(value) => Value::constant(value & from.mask()),
            None => self.scalar(Name::ZeroExtend, [from as u8, 0, 0], &[a]),
        })
    }

    fn replace_low(&mut self, width: Width, old: Value, value: Value) -> Result<Value, GaveUp> {
        Ok(self.scalar(Name::ReplaceLow, [width as u8, 0, 0], &[old, value]))
    }

    fn binary(
        &mut self,
        op: Binary,
        width: Width,
        a: Value,
        b: Value,
        flags: Number,
    ) -> Result<(Value, Number), GaveUp> {
        let small = [op as u8, width as u8, 0];
        let numbers = [self.number(a), self.number(b), flags];
        let carries = matches!(op, Binary::Adc | Binary::Sbb);
        let of = if carries { &numbers[..] } else { &numbers[..2] };
        let new_flags = self.operation([named(Name::BinaryFlags, small), 0], of);
        let value = match (op, width, a.as_constant(), b.as_constant()) {
            (Binary::Add, Width::B64, _, Some(by)) => a.plus(by.cast_signed()),
            (Binary::Add, Width::B64, Some(by), _) => b.plus(by.cast_signed()),
            (Binary::Sub, Width::B64, _, Some(by)) => a.plus(by.wrapping_neg().cast_signed()),
            // The idiom that clears a register.
            (Binary::Xor, _, Some(0), Some(0)) => Value::constant(0),
            _ => Value { root: self.operation([named(Name::Binary, small), 0], of), offset: 0 },
        };
        if (op, width) == (Binary::And, Width::B64)
            && let Some(mask) = b.as_constant()
            && self.on_stack(a)
        {
            let multiple = mask.wrapping_neg();
            if multiple.is_power_of_two()
                && multiple <= 4096
                && !self.aligned.iter().any(|k| k.0 == value.root)
            {
                self.aligned.push((value.root, a, multiple.cast_signed()));
            }
        }
        Ok((value, new_flags))
    }

    fn unary(&mut self, op: Unary, width: Width, a: Value, flags: Number) -> Result<(Value, Number), GaveUp> {
        let small = [op as u8, width as u8, 0];
        let of = [self.number(a), flags];
        let new_flags = match op {
            Unary::Not | Unary::Bswap => flags,
            _ => self.operation([named(Name::UnaryFlags, small), 0], &of),
        };
        let value = match (op, width) {
            (Unary::Inc, Width::B64) => a.plus(1),
            (Unary::Dec, Width::B64) => a.plus(-1),
            _ => Value { root: self.operation([named(Name::Unary, small), 0], &of[..1]), offset: 0 },
        };
        Ok((value, new_flags))
    }

    fn shift(
        &mut self,
        op: Shift,
        width: Width,
        a: Value,
        count: u8,
        flags: Number,
    ) -> Result<(Value, Number), GaveUp> {
        let small = [op as u8, width as u8, count];
        let of = [self.number(a), flags];
        let new_flags = self.operation([named(Name::ShiftFlags, small), 0], &of);
        let root = self.operation([named(Name::Shift, small), 0], &of[..1]);
        Ok((Value { root, offset: 0 }, new_flags))
    }

    fn undefined(&mut self, flags: Number, which: FlagSet) -> Number {
        let set = [which.carry, which.parity, which.zero, which.sign, which.overflow];
        let bits = set.iter().fold(0, |bits, &is| bits << 1 | u8::from(is));
        // Undefined flags may hold a part of any operand.
        let constants = [named(Name::Undefined, [bits, 0, 0]), 0];
        self.numbers.entered(Made::Operation, constants, &[flags], Traits::SECRET)
    }

    fn branch(&mut self, condition: Condition, flags: Number) -> Result<Decision, GaveUp> {
        self.branch = Some((condition, flags));
        Ok(Decision::Both)
    }

    fn choose(
        &mut self,
        condition: Condition,
        flags: Number,
        yes: Value,
        no: Value,
    ) -> Result<Value, GaveUp> {
        let of = [flags, self.number(yes), self.number(no)];
        let root = self.operation([named(Name::Choose, [condition as u8, 0, 0]), 0], &of);
        Ok(Value { root, offset: 0 })
    }

    fn load_word(&mut self, width: Width, address: Value) -> Result<Value, GaveUp> {
        let size = width.bytes();
        if let Some(offset) = Free::in_code(address) {
            let bytes = self.constants(offset, size)?;
            return Ok(Value::constant(bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b))));
        }
        if !self.on_stack(address) {
            return Ok(Value { root: self.loaded(address, size as i64)?, offset: 0 });
        }
        let within = address.offset.rem_euclid(8);
        if within + size as i64 > 8 {
            return Err(GaveUp("a load across slots of the stack"));
        }
        let slot = address.plus(-within);
        match (width, self.slot(slot)?) {
            (Width::B64, Slot::Word(value)) => Ok(value),
            (Width::B64, _) => Ok(Value { root: self.half_of(slot)?, offset: 0 }),
            _ => {
                let slot = self.half_of(slot)?;
                let root = self.lanes(Name::LowPart, [width as u8, within as u8, 0], &[slot])?;
                Ok(Value { root, offset: 0 })
            }
        }
    }

    fn store_word(&mut self, width: Width, address: Value, value: Value) -> Result<(), GaveUp> {
        if !self.on_stack(address) {
            let stored = match (width, value.as_constant()) {
                (Width::B64, _) => self.number(value),
                // The bits above the width are not stored.
                _ => {
                    let low = self.zero_extend(width, value)?;
                    self.number(low)
                }
            };
            return self.stored(address, width.bytes() as i64, stored);
        }
        match width {
            Width::B64 => self.set_slot(address, Slot::Word(value)),
            _ => Err(GaveUp("a store of a part of a slot of the stack")),
        }
    }

    fn load_element(&mut self, element: Width, address: Value) -> Result<Number, GaveUp> {
        let word = self.load_word(element, address)?;
        self.lane_from_word(element, word)
    }

    fn store_element(&mut self, element: Width, address: Value, a: Number, index: u8) -> Result<(), GaveUp> {
        let word = self.word_from_lane(element, a, index)?;
        self.store_word(element, address, word)
    }

    fn load(&mut self, access: Access, address: Value, lanes: &mut [Number]) -> Result<(), GaveUp> {
        if access != Access::Unaligned {
            self.must_be_aligned(address, 16 * lanes.len() as i64)?;
        }
        for (k, lane) in lanes.iter_mut().enumerate() {
            *lane = self.lane_at(address.plus(16 * k as i64))?;
        }
        Ok(())
    }

    fn store(&mut self, access: Access, address: Value, lanes: &[Number]) -> Result<(), GaveUp> {
        if access != Access::Unaligned {
            self.must_be_aligned(address, 16 * lanes.len() as i64)?;
        }
        for (k, &lane) in lanes.iter().enumerate() {
            self.put_lane(address.plus(16 * k as i64), lane)?;
        }
        Ok(())
    }

    fn load_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Number,
        address: Value,
        lanes: &mut [Number],
    ) -> Result<(), GaveUp> {
        self.may_be_masked(address)?;
        if access != Access::Unaligned {
            return Err(GaveUp("an aligned access under a mask"));
        }
        let known = self.addressed(address).or(Traits::SECRET);
        let count = lanes.len() as u64;
        for (k, lane) in lanes.iter_mut().enumerate() {
            let constants = [(element as u64) << 16 | count << 8 | k as u64, address.offset.cast_unsigned()];
            let of = [self.memory, address.root, mask, *lane];
            // Elements that are not loaded keep their values.
            let traits = self.numbers.traits_of(&of[2..]).or(known);
            *lane = self.numbers.entered(Made::LoadedMasked, constants, &of, traits);
            self.reads.push(*lane);
        }
        Ok(())
    }

    fn store_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Number,
        address: Value,
        lanes: &[Number],
    ) -> Result<(), GaveUp> {
        self.may_be_masked(address)?;
        if access != Access::Unaligned {
            return Err(GaveUp("an aligned access under a mask"));
        }
        lanes.iter().try_for_each(|&lane| self.may_be_stored(lane))?;
        let mut of = [self.memory; 7];
        of[1..3].copy_from_slice(&[address.root, mask]);
        of[3..3 + lanes.len()].copy_from_slice(lanes);
        let constants = [element as u64, address.offset.cast_unsigned()];
        let of = &of[..3 + lanes.len()];
        self.memory = self.numbers.entered(Made::StoredMasked, constants, of, Traits::default());
        Ok(())
    }

    fn prefetch(&mut self, address: Value) -> Result<(), GaveUp> {
        match self.numbers.is_secret(address.root) {
            true => Err(GaveUp("a prefetch of an address that may be secret")),
            false => Ok(()),
        }
    }
}
