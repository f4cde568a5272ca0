//! The meaning of instructions, once, over an abstract domain: numbers in tests, terms in proofs.
//!
//! Only the carry and zero flags are ever read. All others are arbitrary after each instruction that may change them.

use crate::contract::STACK;
use crate::decode::{Base, Coding, Instruction, Memory, Op, Operand, Shift};
use crate::spec::{INVERSES, Round, product};
use alloc::vec::Vec;

/// The table of [`Domain::logic`] of `b & c`.
pub const AND: u8 = 0x88;
/// That of `b | c`.
pub const OR: u8 = 0xee;
/// That of the sum of `b` and `c`.
pub const XOR: u8 = 0x66;
/// That of the sum of all three.
pub const XOR_OF_THREE: u8 = 0x96;

/// Values, and the memory that they are in. A method fails if the domain has no value for its result, if an access to
/// memory is not allowed, or for the reason that stands there.
pub trait Domain {
    /// 64 bits.
    type Word: Clone;
    /// 128 bits.
    type Lane: Clone + PartialEq;
    /// One bit.
    type Bit: Clone;
    /// A reason not to go on.
    type Stop;

    /// A word that is a number.
    fn number(&mut self, number: u64) -> Self::Word;
    /// The address of a byte of the code.
    fn code(&mut self, offset: u64) -> Self::Word;
    /// `a + factor * b`.
    fn combine(&mut self, a: &Self::Word, b: &Self::Word, factor: i64) -> Self::Word;
    /// `a` shifted left or right; zeros come in.
    fn shifted(&mut self, a: &Self::Word, shift: Shift, by: u8) -> Self::Word;
    /// A bitwise operation: And, Or or Xor.
    fn bitwise(&mut self, op: Op, a: &Self::Word, b: &Self::Word) -> Result<Self::Word, Self::Stop>;
    /// The bytes in reverse order.
    fn swapped(&mut self, a: &Self::Word) -> Self::Word;

    /// A known bit.
    fn bit(&mut self, bit: bool) -> Self::Bit;
    /// `a < b` without sign.
    fn is_below(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit;
    /// `a + b + carry >= 2^64` without sign.
    fn carries(&mut self, a: &Self::Word, b: &Self::Word, carry: bool) -> Self::Bit;
    /// `a == 0`.
    fn is_zero(&mut self, a: &Self::Word) -> Self::Bit;
    /// `a & b == 0`.
    fn is_disjoint(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit;
    /// A bit that no instruction may read.
    fn arbitrary(&mut self) -> Self::Bit;
    /// The value of a bit on this path. It fails if the path has to be split, or the bit is secret.
    fn decide(&mut self, bit: &Self::Bit) -> Result<bool, Self::Stop>;
    /// True if a word depends on a secret.
    fn is_secret(&self, word: &Self::Word) -> bool;

    /// A lane that is a number.
    fn lane(&mut self, number: u128) -> Self::Lane;
    /// The XOR of two lanes.
    fn xor(&mut self, a: &Self::Lane, b: &Self::Lane) -> Self::Lane;
    /// A function of three bits at each place: bit `4 a + 2 b + c` of the table is its value.
    fn logic(&mut self, table: u8, lanes: [&Self::Lane; 3]) -> Result<Self::Lane, Self::Stop>;
    /// Bit `i` is bit `from[i]` of the lane, or zero if that is 128.
    fn moved(&mut self, a: &Self::Lane, from: &[u8; 128]) -> Result<Self::Lane, Self::Stop>;
    /// Each byte is replaced by the one of a table.
    fn applied(&mut self, a: &Self::Lane, table: &[u8; 256]) -> Result<Self::Lane, Self::Stop>;
    /// The sums of the four numbers of 32 bits.
    fn add_doubles(&mut self, a: &Self::Lane, b: &Self::Lane) -> Result<Self::Lane, Self::Stop>;
    /// Byte `i` is byte `mask[i]` of the lane, or zero if that is 0x80.
    fn shuffled(&mut self, a: &Self::Lane, mask: &[u8; 16]) -> Self::Lane;
    /// The number that a lane is. It fails if it is none.
    fn known(&mut self, a: &Self::Lane) -> Result<u128, Self::Stop>;
    /// The carry-less product of the low (0) or high (1) halves of two lanes.
    fn product(&mut self, a: (&Self::Lane, u8), b: (&Self::Lane, u8)) -> Result<Self::Lane, Self::Stop>;
    /// A round of the cipher.
    fn round(&mut self, round: Round, a: &Self::Lane) -> Self::Lane;
    /// The lane of two words.
    fn words(&mut self, low: &Self::Word, high: &Self::Word) -> Self::Lane;
    /// The low (0) or high (1) word of a lane.
    fn half(&mut self, a: &Self::Lane, which: u8) -> Self::Word;

    /// Loads 1 to 8 bytes into a word, with zeros above.
    fn load(&mut self, address: &Self::Word, bytes: u16) -> Result<Self::Word, Self::Stop>;
    /// Stores the low bytes of a word.
    fn store(&mut self, address: &Self::Word, bytes: u16, value: &Self::Word) -> Result<(), Self::Stop>;
    /// Loads a lane.
    fn load_lane(&mut self, address: &Self::Word) -> Result<Self::Lane, Self::Stop>;
    /// Stores a lane.
    fn store_lane(&mut self, address: &Self::Word, value: &Self::Lane) -> Result<(), Self::Stop>;
    /// The low bits of a word, as many as another says, which is at most 64.
    fn low_bits(&mut self, a: &Self::Word, count: &Self::Word) -> Result<Self::Word, Self::Stop>;
    /// Loads the bytes of some lanes that a mask selects; the others are zero.
    fn load_masked(
        &mut self,
        address: &Self::Word,
        mask: &Self::Word,
        lanes: usize,
    ) -> Result<Vec<Self::Lane>, Self::Stop>;
    /// Stores the bytes of some lanes that a mask selects.
    fn store_masked(
        &mut self,
        address: &Self::Word,
        mask: &Self::Word,
        lanes: &[Self::Lane],
    ) -> Result<(), Self::Stop>;
    /// Lanes with zeros in place of the bytes that a mask does not select.
    fn begins(&mut self, mask: &Self::Word, lanes: &[Self::Lane]) -> Result<Vec<Self::Lane>, Self::Stop>;
    /// Requires an address to be a multiple of some bytes.
    fn aligned(&mut self, address: &Self::Word, bytes: u16) -> Result<(), Self::Stop>;
    /// Requires an address of a prefetch to be public. Nothing is accessed.
    fn prefetch(&mut self, address: &Self::Word) -> Result<(), Self::Stop>;
    /// The stack pointer moves to a place on the stack: what is below is lost.
    fn stack(&mut self, pointer: &Self::Word) -> Result<(), Self::Stop>;
    /// A store past the caches (true), or a fence behind all of them.
    fn streams(&mut self, begins: bool);
    /// The function returns, with this stack pointer, where the return address must be.
    fn returns(&mut self, pointer: &Self::Word) -> Result<(), Self::Stop>;
    /// An instruction is not supported with these operands.
    fn unsupported(&self) -> Self::Stop;
}

/// The flags.
#[derive(Clone, Debug)]
pub struct Flags<B> {
    /// The carry flag.
    pub carry: B,
    /// The zero flag.
    pub zero: B,
    /// True if a flag may depend on a secret.
    pub is_secret: bool,
}

/// The registers.
#[derive(Debug)]
pub struct Registers<D: Domain> {
    /// The general registers.
    pub general: [D::Word; 16],
    /// The vector registers, four lanes each.
    pub vectors: [[D::Lane; 4]; 32],
    /// The opmasks.
    pub masks: [D::Word; 8],
    /// For opmasks that are signs of bytes instead, whole bytes of these.
    pub signs: [Vec<D::Lane>; 8],
    /// The flags.
    pub flags: Flags<D::Bit>,
}

impl<D: Domain> Clone for Registers<D> {
    fn clone(&self) -> Self {
        Registers {
            general: self.general.clone(),
            vectors: self.vectors.clone(),
            masks: self.masks.clone(),
            signs: self.signs.clone(),
            flags: Flags { carry: self.flags.carry.clone(), ..self.flags.clone() },
        }
    }
}

/// The next place of execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next instruction.
    Next,
    /// A distance from there.
    Jump(i64),
    /// The caller.
    Return,
}

/// True if the instruction may ask for the value of a flag, and so split a path. It asks before it changes anything.
pub fn reads_flags(op: Op) -> bool {
    matches!(op, Op::JumpIf | Op::MoveIf | Op::Adc | Op::Sbb)
}

/// Executes an instruction of the code, `next` being the place behind it.
///
/// # Errors
/// The domain refuses the instruction, or splits the path.
pub fn step<D: Domain>(d: &mut D, r: &mut Registers<D>, i: &Instruction, next: u64) -> Result<Flow, D::Stop> {
    let [a, b, c] = &i.operands;
    match i.op {
        Op::Nothing => {}
        Op::Jump => return Ok(Flow::Jump(i.number)),
        Op::JumpIf => {
            if holds(d, r, i.condition)? {
                return Ok(Flow::Jump(i.number));
            }
        }
        Op::MoveIf => {
            // Memory is read in any case, and the upper half of 32 bits becomes zero.
            let is_moved = holds(d, r, i.condition)?;
            let (old, new) = (get(d, r, a, i.bits, next)?, get(d, r, b, i.bits, next)?);
            set(d, r, a, i.bits, if is_moved { new } else { old }, next)?;
        }
        Op::Return => {
            let pointer = r.general[usize::from(STACK)].clone();
            d.returns(&pointer)?;
            return Ok(Flow::Return);
        }
        Op::Push | Op::Pop => {
            let pointer = r.general[usize::from(STACK)].clone();
            let eight = d.number(8);
            if i.op == Op::Push {
                let value = get(d, r, a, 64, next)?;
                let pointer = d.combine(&pointer, &eight, -1);
                set(d, r, &Operand::General(STACK), 64, pointer.clone(), next)?;
                d.store(&pointer, 8, &value)?;
            } else {
                let value = d.load(&pointer, 8)?;
                let pointer = d.combine(&pointer, &eight, 1);
                set(d, r, &Operand::General(STACK), 64, pointer, next)?;
                set(d, r, a, 64, value, next)?;
            }
        }
        Op::Mov => {
            let value = get(d, r, b, i.bits, next)?;
            set(d, r, a, i.bits, value, next)?;
        }
        Op::MovZeroExtended => {
            let value = get(d, r, b, i.bits, next)?;
            set(d, r, a, 64, value, next)?;
        }
        Op::Lea => {
            let Operand::Memory(memory) = b else { return Err(d.unsupported()) };
            let value = address(d, r, memory, next);
            let value = truncated(d, value, i.bits)?;
            set(d, r, a, i.bits, value, next)?;
        }
        Op::Bswap if i.bits == 64 => {
            let value = get(d, r, a, 64, next)?;
            let value = d.swapped(&value);
            set(d, r, a, 64, value, next)?;
        }
        Op::Prefetch => {
            let Operand::Memory(memory) = a else { return Err(d.unsupported()) };
            let address = address(d, r, memory, next);
            d.prefetch(&address)?;
        }
        Op::StoreFence => d.streams(false),
        Op::Add | Op::Adc | Op::Sub | Op::Sbb | Op::Cmp | Op::Inc | Op::Dec | Op::Neg => {
            arithmetic(d, r, i, next)?;
        }
        Op::And | Op::Or | Op::Xor | Op::Test | Op::Not => logic(d, r, i, next)?,
        Op::Shl | Op::Shr | Op::Ror => shift(d, r, i, next)?,
        Op::ToVector => {
            let (value, zero) = (get(d, r, b, i.bits, next)?, d.number(0));
            let lane = d.words(&value, &zero);
            set_lanes(d, r, i, &[lane])?;
        }
        Op::FromVector | Op::ExtractQuad | Op::ExtractDouble => {
            let bytes = i.bits as u8 / 8;
            let first = if i.op == Op::FromVector { 0 } else { (i.number as u8).wrapping_mul(bytes) & 15 };
            let lanes = lanes(d, r, i, b, next)?;
            let lane = d.shuffled(&lanes[0], &moved(first.into()));
            let value = d.half(&lane, 0);
            let value = truncated(d, value, i.bits)?;
            set(d, r, a, i.bits, value, next)?;
        }
        Op::InsertQuad => {
            let (old, new) = (lanes(d, r, i, b, next)?, get(d, r, c, 64, next)?);
            let kept = d.half(&old[0], 1 - (i.number as u8 & 1));
            let lane = if i.number & 1 == 1 { d.words(&kept, &new) } else { d.words(&new, &kept) };
            set_lanes(d, r, i, &[lane])?;
        }
        Op::LowBits => {
            let (value, count) = (get(d, r, b, 64, next)?, get(d, r, c, 64, next)?);
            let result = d.low_bits(&value, &count)?;
            // The adjust and parity flags are undefined: they may be the old ones.
            let is_secret = d.is_secret(&value) || d.is_secret(&count) || r.flags.is_secret;
            r.flags = Flags { carry: d.arbitrary(), zero: d.is_zero(&result), is_secret };
            set(d, r, a, 64, result, next)?;
        }
        Op::ToMask => {
            let Operand::Mask(number) = *a else { return Err(d.unsupported()) };
            // So no opmask ever holds a secret.
            let value = get(d, r, b, 64, next)?;
            if d.is_secret(&value) {
                return Err(d.unsupported());
            }
            r.masks[usize::from(number)] = value;
            r.signs[usize::from(number)].clear();
        }
        // An opmask XORed with itself is zero, and no secret.
        Op::MaskXor if a == b && b == c => {
            let Operand::Mask(number) = *a else { return Err(d.unsupported()) };
            r.masks[usize::from(number)] = d.number(0);
            r.signs[usize::from(number)].clear();
        }
        Op::SignsToMask => {
            let Operand::Mask(number) = *a else { return Err(d.unsupported()) };
            let mut signs = Vec::new();
            for lane in lanes(d, r, i, b, next)? {
                signs.push(d.applied(&lane, &SIGNS)?);
            }
            r.signs[usize::from(number)] = signs;
        }
        Op::MaskToBytes => {
            let Operand::Mask(number) = *b else { return Err(d.unsupported()) };
            let signs = r.signs[usize::from(number)].clone();
            if signs.len() != i.lanes() {
                return Err(d.unsupported());
            }
            set_lanes(d, r, i, &signs)?;
        }
        Op::MoveBytes if !r.signs[usize::from(i.mask())].is_empty() => return Err(d.unsupported()),
        Op::MoveBytes => {
            let mask = r.masks[usize::from(i.mask())].clone();
            match (a, b) {
                (Operand::Vector(_), Operand::Memory(memory)) => {
                    let address = address(d, r, memory, next);
                    let all = d.load_masked(&address, &mask, i.lanes())?;
                    set_lanes(d, r, i, &all)?;
                }
                (Operand::Memory(memory), Operand::Vector(_)) => {
                    let all = lanes(d, r, i, b, next)?;
                    let address = address(d, r, memory, next);
                    d.store_masked(&address, &mask, &all)?;
                }
                (Operand::Vector(_), Operand::Vector(_)) => {
                    let all = lanes(d, r, i, b, next)?;
                    let all = d.begins(&mask, &all)?;
                    set_lanes(d, r, i, &all)?;
                }
                _ => return Err(d.unsupported()),
            }
        }
        Op::ZeroUpper | Op::ZeroAll => {
            let zero = d.lane(0);
            for vector in &mut r.vectors[..16] {
                vector[usize::from(i.op == Op::ZeroUpper)..].fill(zero.clone());
            }
        }
        _ => vector(d, r, i, next)?,
    }
    Ok(Flow::Next)
}

/// The value of a condition (Intel, volume 1, appendix B). Only those without sign are supported.
fn holds<D: Domain>(d: &mut D, r: &Registers<D>, condition: u8) -> Result<bool, D::Stop> {
    let value = match condition >> 1 {
        1 => d.decide(&r.flags.carry)?,
        2 => d.decide(&r.flags.zero)?,
        3 => d.decide(&r.flags.carry)? || d.decide(&r.flags.zero)?,
        _ => return Err(d.unsupported()),
    };
    Ok(value != (condition & 1 == 1))
}

/// The address of a memory operand.
fn address<D: Domain>(d: &mut D, r: &Registers<D>, memory: &Memory, next: u64) -> D::Word {
    let base = match memory.base {
        Base::Register(number) => r.general[usize::from(number)].clone(),
        Base::Next => d.code(next),
    };
    let displacement = d.number(i64::from(memory.displacement) as u64);
    let mut sum = d.combine(&base, &displacement, 1);
    if let Some((index, scale)) = memory.index {
        sum = d.combine(&sum, &r.general[usize::from(index)], 1 << scale);
    }
    sum
}

/// A word with only its low bits.
fn truncated<D: Domain>(d: &mut D, value: D::Word, bits: u16) -> Result<D::Word, D::Stop> {
    if bits == 64 {
        return Ok(value);
    }
    let mask = d.number((1 << bits) - 1);
    d.bitwise(Op::And, &value, &mask)
}

/// The value of a general operand, with zeros above its bits.
fn get<D: Domain>(
    d: &mut D,
    r: &Registers<D>,
    operand: &Operand,
    bits: u16,
    next: u64,
) -> Result<D::Word, D::Stop> {
    match operand {
        Operand::General(number) => {
            let value = r.general[usize::from(*number)].clone();
            truncated(d, value, bits)
        }
        Operand::High(number) => {
            let value = d.shifted(&r.general[usize::from(*number)], Shift::Right, 8);
            truncated(d, value, bits)
        }
        Operand::Number(number) => Ok(d.number(*number as u64 & u64::MAX >> (64 - bits))),
        Operand::Memory(memory) => {
            let address = address(d, r, memory, next);
            d.load(&address, bits / 8)
        }
        _ => Err(d.unsupported()),
    }
}

/// Writes a general operand. The value has zeros above its bits; a register of 8 bits keeps its upper part.
fn set<D: Domain>(
    d: &mut D,
    r: &mut Registers<D>,
    operand: &Operand,
    bits: u16,
    value: D::Word,
    next: u64,
) -> Result<(), D::Stop> {
    match operand {
        Operand::General(number) => {
            let mut value = value;
            let old = &mut r.general[usize::from(*number)];
            if bits == 8 {
                let mask = d.number(!0xff);
                let kept = d.bitwise(Op::And, old, &mask)?;
                value = d.bitwise(Op::Xor, &kept, &value)?;
            }
            *old = value.clone();
            if *number == STACK { d.stack(&value) } else { Ok(()) }
        }
        Operand::Memory(memory) => {
            let address = address(d, r, memory, next);
            d.store(&address, bits / 8, &value)
        }
        _ => Err(d.unsupported()),
    }
}

/// Sums and differences.
fn arithmetic<D: Domain>(d: &mut D, r: &mut Registers<D>, i: &Instruction, next: u64) -> Result<(), D::Stop> {
    let [a, b, _] = &i.operands;
    let is_step = matches!(i.op, Op::Inc | Op::Dec);
    let carry = if matches!(i.op, Op::Adc | Op::Sbb) { d.decide(&r.flags.carry)? } else { false };
    let mut x = get(d, r, a, i.bits, next)?;
    let mut y = if is_step { d.number(1) } else { get(d, r, b, i.bits, next)? };
    if i.op == Op::Neg {
        (x, y) = (d.number(0), x);
    }
    let is_sum = matches!(i.op, Op::Add | Op::Adc | Op::Inc);
    let factor = if is_sum { 1 } else { -1 };
    let (sum, one) = (d.combine(&x, &y, factor), d.number(u64::from(carry)));
    let full = d.combine(&sum, &one, factor);
    let result = truncated(d, full, i.bits)?;
    let is_secret = d.is_secret(&x) || d.is_secret(&y) || is_step && r.flags.is_secret;
    let carry = match i.op {
        Op::Inc | Op::Dec => r.flags.carry.clone(),
        // A borrow of 1 makes no supported difference: the bit is arbitrary.
        Op::Sbb => d.arbitrary(),
        Op::Sub | Op::Cmp | Op::Neg => d.is_below(&x, &y),
        _ if i.bits == 64 => d.carries(&x, &y, carry),
        // The sum of 32 bits without carry is smaller than its operand if it wraps.
        Op::Add => d.is_below(&result, &x),
        _ => d.arbitrary(),
    };
    r.flags = Flags { carry, zero: d.is_zero(&result), is_secret };
    if i.op != Op::Cmp {
        set(d, r, a, i.bits, result, next)?;
    }
    Ok(())
}

/// Bitwise operations and shifts.
fn logic<D: Domain>(d: &mut D, r: &mut Registers<D>, i: &Instruction, next: u64) -> Result<(), D::Stop> {
    let [a, b, _] = &i.operands;
    // A register XORed with itself is zero, and no secret.
    if i.op == Op::Xor && matches!(a, Operand::General(_)) && a == b && i.bits >= 32 {
        let zero = d.number(0);
        r.flags = Flags { carry: d.bit(false), zero: d.bit(true), is_secret: false };
        return set(d, r, a, i.bits, zero, next);
    }
    let x = get(d, r, a, i.bits, next)?;
    if i.op == Op::Not {
        // No flags change.
        let ones = d.number(u64::MAX >> (64 - i.bits));
        let value = d.combine(&ones, &x, -1);
        return set(d, r, a, i.bits, value, next);
    }
    let y = get(d, r, b, i.bits, next)?;
    let is_secret = d.is_secret(&x) || d.is_secret(&y);
    let (carry, zero) = (d.bit(false), d.is_disjoint(&x, &y));
    if i.op == Op::Test {
        r.flags = Flags { carry, zero: if a == b { d.is_zero(&x) } else { zero }, is_secret };
        return Ok(());
    }
    let value = d.bitwise(i.op, &x, &y)?;
    r.flags = Flags { carry, zero: if i.op == Op::And { zero } else { d.is_zero(&value) }, is_secret };
    set(d, r, a, i.bits, value, next)
}

/// Shifts, and rotations of a word by their numbers of places.
fn shift<D: Domain>(d: &mut D, r: &mut Registers<D>, i: &Instruction, next: u64) -> Result<(), D::Stop> {
    let [a, b, _] = &i.operands;
    let x = get(d, r, a, i.bits, next)?;
    let count = match *b {
        Operand::Number(count) if (1..i64::from(i.bits).min(63)).contains(&count) => count as u8,
        _ => return Err(d.unsupported()),
    };
    let mut value = d.shifted(&x, if i.op == Op::Shl { Shift::Left } else { Shift::Right }, count);
    if i.op == Op::Ror {
        let rest = d.shifted(&x, Shift::Left, i.bits as u8 - count);
        value = d.bitwise(Op::Xor, &value, &rest)?;
    }
    let value = truncated(d, value, i.bits)?;
    // The overflow flag is undefined but for shifts by one place: it may be the old one. Rotations keep the zero flag.
    let is_secret = d.is_secret(&x) || (count != 1 || i.op == Op::Ror) && r.flags.is_secret;
    let zero = if i.op == Op::Ror { r.flags.zero.clone() } else { d.is_zero(&value) };
    r.flags = Flags { carry: d.arbitrary(), zero, is_secret };
    set(d, r, a, i.bits, value, next)
}

/// The lanes of a vector operand, as many as the instruction has. Memory operands of legacy encodings are aligned.
fn lanes<D: Domain>(
    d: &mut D,
    r: &Registers<D>,
    i: &Instruction,
    operand: &Operand,
    next: u64,
) -> Result<Vec<D::Lane>, D::Stop> {
    let count = usize::from(i.bits.div_ceil(128));
    match operand {
        Operand::Vector(number) => Ok(r.vectors[usize::from(*number)][..count].to_vec()),
        Operand::Memory(memory) => {
            let address = address(d, r, memory, next);
            if i.coding == Coding::Legacy && i.op != Op::Move(false) || i.op == Op::Move(true) {
                d.aligned(&address, i.bits / 8)?;
            }
            if let Some(bytes) = i.repeated().or((i.op == Op::BroadcastDouble).then_some(4)) {
                let (element, zero) = (d.load(&address, bytes)?, d.number(0));
                let lane = d.words(&element, &zero);
                let lane = d.shuffled(&lane, &core::array::from_fn(|k| k as u8 % bytes as u8));
                return Ok((0..count).map(|_| lane.clone()).collect());
            }
            let count = if i.op == Op::InsertLane { 1 } else { count };
            let mut all = Vec::with_capacity(count);
            for k in 0..count {
                let offset = d.number(16 * k as u64);
                let address = d.combine(&address, &offset, 1);
                all.push(d.load_lane(&address)?);
            }
            Ok(all)
        }
        _ => Err(d.unsupported()),
    }
}

/// Writes the first operand, a vector register. Lanes above are zero after all encodings but legacy ones.
fn set_lanes<D: Domain>(
    d: &mut D,
    r: &mut Registers<D>,
    i: &Instruction,
    lanes: &[D::Lane],
) -> Result<(), D::Stop> {
    let Operand::Vector(number) = i.operands[0] else { return Err(d.unsupported()) };
    let zero = d.lane(0);
    for (k, lane) in r.vectors[usize::from(number)].iter_mut().enumerate() {
        match lanes.get(k) {
            Some(value) => *lane = value.clone(),
            None if i.coding != Coding::Legacy => *lane = zero.clone(),
            None => {}
        }
    }
    Ok(())
}

/// Instructions on vectors, lane by lane.
fn vector<D: Domain>(d: &mut D, r: &mut Registers<D>, i: &Instruction, next: u64) -> Result<(), D::Stop> {
    let [a, b, c] = &i.operands;
    let count = usize::from(i.bits / 128);
    let number = i.number as u8;
    if let (Op::Move(_) | Op::Stream, Operand::Memory(memory)) = (i.op, a) {
        let all = lanes(d, r, i, b, next)?;
        let address = address(d, r, memory, next);
        if i.op != Op::Move(false) {
            d.aligned(&address, i.bits / 8)?;
        }
        if i.op == Op::Stream {
            d.streams(true);
        }
        for (k, lane) in all.iter().enumerate() {
            let offset = d.number(16 * k as u64);
            let address = d.combine(&address, &offset, 1);
            d.store_lane(&address, lane)?;
        }
        return Ok(());
    }
    if let (Op::Broadcast, Operand::Memory(memory)) = (i.op, b) {
        let address = address(d, r, memory, next);
        let lane = d.load_lane(&address)?;
        // The row's size is that of memory; the register's is in the prefix.
        let all: Vec<D::Lane> = (0..i.lanes()).map(|_| lane.clone()).collect();
        return set_lanes(d, r, i, &all);
    }
    let x = lanes(d, r, i, b, next)?;
    let y = if *c == Operand::Absent { x.clone() } else { lanes(d, r, i, c, next)? };
    let mut all = Vec::with_capacity(count);
    match i.op {
        Op::Ternary => {
            let old = lanes(d, r, i, a, next)?;
            for ((old, x), y) in old.iter().zip(&x).zip(&y) {
                all.push(d.logic(number, [old, x, y])?);
            }
        }
        Op::BroadcastDouble => {
            let lane = d.shuffled(&x[0], &core::array::from_fn(|k| k as u8 % 4));
            all.extend((0..count).map(|_| lane.clone()));
        }
        Op::PermuteTwo => {
            let mut table = Vec::new();
            for lane in x.iter().chain(&y) {
                table.extend(d.known(lane)?.to_le_bytes());
            }
            for index in &lanes(d, r, i, a, next)? {
                all.push(d.applied(index, &core::array::from_fn(|k| table[k % table.len()]))?);
            }
        }
        Op::Blend => {
            let mask = r.signs[usize::from(i.mask())].clone();
            if mask.len() != count {
                return Err(d.unsupported());
            }
            for (mask, (x, y)) in mask.iter().zip(x.iter().zip(&y)) {
                all.push(d.logic(0xac, [mask, x, y])?);
            }
        }
        Op::ExtractLane => {
            let lane = &x[usize::from(number) % count];
            if let Operand::Memory(memory) = a {
                let address = address(d, r, memory, next);
                return d.store_lane(&address, lane);
            }
            return set_lanes(d, r, i, core::slice::from_ref(lane));
        }
        Op::InsertLane => {
            all.extend_from_slice(&x);
            all[usize::from(number) % count] = y[0].clone();
        }
        Op::ShuffleLanes => {
            // The lower half comes from the first operand, the upper from the second.
            let bits = if count == 4 { 2 } else { 1 };
            for k in 0..count {
                let from = if k < count / 2 { &x } else { &y };
                all.push(from[usize::from(number >> (bits * k)) % count].clone());
            }
        }
        Op::PermuteLanes => {
            let from = [&x[0], &x[1], &y[0], &y[1]];
            for field in [number, number >> 4] {
                all.push(if field & 8 == 0 { from[usize::from(field & 3)].clone() } else { d.lane(0) });
            }
        }
        Op::AlignQuads => {
            // The words of both operands in a row, the second below.
            let mut words = Vec::new();
            for lane in y.iter().chain(&x) {
                words.extend([d.half(lane, 0), d.half(lane, 1)]);
            }
            let first = usize::from(number) % (2 * count);
            for pair in words[first..].chunks_exact(2).take(count) {
                all.push(d.words(&pair[0], &pair[1]));
            }
        }
        _ => {
            for (x, y) in x.iter().zip(&y) {
                all.push(lane_by_lane(d, i, x, y)?);
            }
        }
    }
    set_lanes(d, r, i, &all)
}

/// The lane of a result that depends on one lane of each operand.
fn lane_by_lane<D: Domain>(d: &mut D, i: &Instruction, x: &D::Lane, y: &D::Lane) -> Result<D::Lane, D::Stop> {
    let number = i.number as u8;
    Ok(match i.op {
        Op::Move(_) => x.clone(),
        Op::VectorXor => d.xor(x, y),
        Op::Logic(table) => d.logic(table, [x, x, y])?,
        Op::ShiftBits(size, shift) => d.moved(x, &shifted_bits(size, shift, number))?,
        Op::Shuffle if d.known(y).is_err() => {
            // The lane is a table, and the shuffle looks up bytes in it.
            let table = d.known(x)?.to_le_bytes();
            let entry = |k: usize| if k < 0x80 { table[k & 15] } else { 0 };
            d.applied(y, &core::array::from_fn(entry))?
        }
        Op::ShuffleHalf(is_high) => {
            let from = |k: u8| match (k / 8 == u8::from(is_high), k & 8) {
                (true, half) => half + 2 * (number >> (k / 2 % 4 * 2) & 3) + k % 2,
                (false, _) => k,
            };
            d.shuffled(x, &core::array::from_fn(|k| from(k as u8)))
        }
        Op::Unpack(size, is_high) => {
            // Elements of both in turn.
            let from = |k: u8, second: u8| match (k / size % 2 == second, u8::from(is_high)) {
                (true, high) => 8 * high + k / size / 2 * size + k % size,
                (false, _) => 0x80,
            };
            let first = d.shuffled(x, &core::array::from_fn(|k| from(k as u8, 0)));
            let second = d.shuffled(y, &core::array::from_fn(|k| from(k as u8, 1)));
            d.xor(&first, &second)
        }
        // Bytes with the highest bit are negative.
        Op::GreaterBytes if d.known(x).is_ok_and(|zero| zero == 0) => d.applied(y, &SIGNS)?,
        // A byte plus itself is moved up.
        Op::AddBytes if x == y => d.moved(x, &shifted_bits(8, Shift::Left, 1))?,
        Op::Affine(is_inverse) => {
            let matrices = d.known(y)?;
            let key = |k: usize| (matrices >> (64 * (k / 8))) as u64;
            by_tables(d, x, core::array::from_fn(key), &|matrix, byte| {
                let byte = if is_inverse { INVERSES[usize::from(byte)] } else { byte };
                // The row of the highest bit is the first.
                let bit = |bit: u32| (matrix.to_be_bytes()[bit as usize] & byte).count_ones() as u8 & 1;
                (0..8).fold(number, |all, k| all ^ bit(k) << k)
            })?
        }
        Op::Multiply => {
            let (x, factors) = match d.known(y) {
                Ok(factors) => (x, factors),
                Err(_) => (y, d.known(x)?),
            };
            let keys = factors.to_le_bytes().map(u64::from);
            by_tables(d, x, keys, &|factor, byte| product(factor as u8, byte))?
        }
        Op::AddQuads => {
            let low = (d.half(x, 0), d.half(y, 0));
            let high = (d.half(x, 1), d.half(y, 1));
            let (low, high) = (d.combine(&low.0, &low.1, 1), d.combine(&high.0, &high.1, 1));
            d.words(&low, &high)
        }
        Op::AddDoubles => d.add_doubles(x, y)?,
        // Other bits of the number do not matter.
        Op::Carryless => d.product((x, number & 1), (y, number >> 4 & 1))?,
        Op::Shuffle => {
            let mask = d.known(y)?.to_le_bytes();
            d.shuffled(x, &mask.map(|byte| if byte < 0x80 { byte & 15 } else { 0x80 }))
        }
        Op::ShuffleWords => {
            let from = |k: usize| 4 * (number >> (2 * (k / 4)) & 3) + k as u8 % 4;
            d.shuffled(x, &core::array::from_fn(from))
        }
        Op::ShiftLeft => d.shuffled(x, &moved(-i32::from(number))),
        Op::ShiftRight => d.shuffled(x, &moved(i32::from(number))),
        // The two lanes in a row, the second operand below, shifted right.
        Op::Align => {
            let low = d.shuffled(y, &moved(i32::from(number)));
            let high = d.shuffled(x, &moved(i32::from(number) - 16));
            d.xor(&low, &high)
        }
        Op::UnpackLow | Op::UnpackHigh => {
            let which = u8::from(i.op == Op::UnpackHigh);
            let (low, high) = (d.half(x, which), d.half(y, which));
            d.words(&low, &high)
        }
        // Words 1 and 3, and both rotated, with a constant. A last round of equal columns is SubWord of each.
        Op::KeyAssist => {
            let mut sum = d.lane(u128::from(number) << 32 | u128::from(number) << 96);
            for (column, from) in
                [[4, 5, 6, 7], [5, 6, 7, 4], [12, 13, 14, 15], [13, 14, 15, 12]].iter().enumerate()
            {
                let word = d.shuffled(x, &core::array::from_fn(|k| from[k % 4]));
                let word = d.round(Round::EncryptLast, &word);
                let only = core::array::from_fn(|k| if k / 4 == column { k as u8 } else { 0x80 });
                let word = d.shuffled(&word, &only);
                sum = d.xor(&sum, &word);
            }
            sum
        }
        // One operand is the state, the other is XORed to the result.
        Op::Aes(Round::InverseMix) => d.round(Round::InverseMix, x),
        Op::Aes(round) => {
            let state = d.round(round, x);
            d.xor(&state, y)
        }
        _ => return Err(d.unsupported()),
    })
}

/// All bits of a byte are its highest one.
const SIGNS: [u8; 256] = {
    let mut all = [0; 256];
    let mut at = 128;
    while at < 256 {
        all[at] = 0xff;
        at += 1;
    }
    all
};

/// The value of a table at each byte of a lane, each with a key of its own.
fn by_tables<D: Domain>(
    d: &mut D,
    x: &D::Lane,
    keys: [u64; 16],
    table: &dyn Fn(u64, u8) -> u8,
) -> Result<D::Lane, D::Stop> {
    let mut sum = d.lane(0);
    for (k, key) in keys.iter().enumerate().filter(|(k, key)| !keys[..*k].contains(key)) {
        let all = d.applied(x, &core::array::from_fn(|byte| table(*key, byte as u8)))?;
        if keys == [keys[k]; 16] {
            return Ok(all);
        }
        let own = |at: usize| if keys[at] == *key { at as u8 } else { 0x80 };
        let own = d.shuffled(&all, &core::array::from_fn(own));
        sum = d.xor(&sum, &own);
    }
    Ok(sum)
}

/// The places from which a shift or a rotation of elements of some bits takes each bit.
pub(crate) fn shifted_bits(size: u8, shift: Shift, count: u8) -> [u8; 128] {
    let (size, count) = (usize::from(size), usize::from(count));
    core::array::from_fn(|at| {
        let (first, at) = (at / size * size, at % size);
        let from = match shift {
            Shift::Left => at.checked_sub(count),
            Shift::Right => Some(at + count).filter(|&at| at < size),
            Shift::RotateRight => Some((at + count) % size),
        };
        from.map_or(128, |at| (first + at) as u8)
    })
}

/// The shuffle that moves bytes down by a distance; zeros come in.
fn moved(distance: i32) -> [u8; 16] {
    core::array::from_fn(|k| u8::try_from(k as i32 + distance).ok().filter(|&from| from < 16).unwrap_or(0x80))
}
