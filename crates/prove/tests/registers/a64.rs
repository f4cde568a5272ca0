//! Some instructions of AArch64 (A64) over the lanes machine, as the Arm Architecture Reference Manual encodes them:
//! 31 general-purpose registers and the stack pointer, 32 vector registers of one lane, no opmasks, and NZCV.

use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::instructions::{Flow, Instruction, Instructions, Leads, Registers, Role, Uses};
use aesmith_isa::lanes::{
    Access, AesRound, Binary, Condition, Counts, Domain, Machine, Unary, Unsupported, Width,
};

/// The stack pointer, or in data processing the register that reads as zero.
pub const SP: u8 = 31;

/// The registers of AArch64.
pub const COUNTS: Counts = Counts { general: 32, vector: 32, mask: 0 };

/// The general-purpose registers of AAPCS64. A kernel here leaves v8 to v15 alone, whose low halves are callee-saved.
static AAPCS64: Convention = Convention {
    name: "AAPCS64",
    source: "Procedure Call Standard for the Arm 64-bit Architecture, 6",
    arguments: &[&[0], &[1], &[2], &[3], &[4], &[5], &[6], &[7]],
    stack_pointer: SP,
    stack_arguments: 0,
    alignment: 16,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Register(30, 0),
    saved: &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
    fixed: &[],
    windows: None,
    stack_alignment: 16,
    held_alignment: 16,
    back_chain: false,
    callers_by_fours: true,
    slot: 0,
    reserved: &[],
    halves: None,
    buffers: 16,
};

/// An instruction. Registers are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum A64 {
    /// `ldr q, [x, #bytes]`
    LoadVector { to: u8, base: u8, bytes: u16 },
    /// `str q, [x]`
    StoreVector { from: u8, base: u8 },
    /// `aese`: AddRoundKey, SubBytes, ShiftRows.
    AesEncrypt { state: u8, key: u8 },
    /// `aesmc`: MixColumns.
    AesMix { to: u8, from: u8 },
    /// `eor` of vectors.
    Xor { to: u8, a: u8, b: u8 },
    /// `mov`
    Move { to: u8, from: u8 },
    /// `add x, x, #n`
    Increase { to: u8, from: u8, by: u16 },
    /// `subs x, x, #n`
    Decrease { to: u8, from: u8, by: u16 },
    /// `adds`, `adcs`, `subs`, `sbcs` of registers.
    Sum { subtracts: bool, carries: bool, to: u8, a: u8, b: u8 },
    /// `sub x, x, #n`
    Lower { to: u8, from: u8, by: u16 },
    /// `str x, [x]`
    Store { from: u8, base: u8 },
    /// `ldr x, [sp], #16`
    Pop(u8),
    /// `b.condition`: the condition's code, and the distance in instructions.
    Branch { condition: u8, distance: i32 },
    /// `ret`
    Return,
}

use A64::*;

impl A64 {
    /// The encoding.
    pub fn word(self) -> u32 {
        let three =
            |head: u32, to: u8, a: u8, b: u8| head | u32::from(to) | u32::from(a) << 5 | u32::from(b) << 16;
        let number = |head: u32, to: u8, from: u8, n: u16| three(head, to, from, 0) | u32::from(n) << 10;
        match self {
            LoadVector { to, base, bytes } => number(0x3dc0_0000, to, base, bytes / 16),
            StoreVector { from, base } => number(0x3d80_0000, from, base, 0),
            AesEncrypt { state, key } => three(0x4e28_4800, state, key, 0),
            AesMix { to, from } => three(0x4e28_6800, to, from, 0),
            Xor { to, a, b } => three(0x6e20_1c00, to, a, b),
            Move { to, from } => three(0xaa00_03e0, to, 0, from),
            Increase { to, from, by } => number(0x9100_0000, to, from, by),
            Decrease { to, from, by } => number(0xf100_0000, to, from, by),
            Sum { subtracts, carries, to, a, b } => {
                let head = if carries { 0xba00_0000 } else { 0xab00_0000 };
                three(head | u32::from(subtracts) << 30, to, a, b)
            }
            Lower { to, from, by } => number(0xd100_0000, to, from, by),
            Store { from, base } => number(0xf900_0000, from, base, 0),
            Pop(register) => 0xf841_07e0 | u32::from(register),
            Branch { condition, distance } => {
                0x5400_0000 | (distance as u32 & 0x7_ffff) << 5 | u32::from(condition)
            }
            Return => 0xd65f_03c0,
        }
    }

    /// The instruction of an encoding; `None` for all others. It is the only one that is encoded so.
    fn read(word: u32) -> Option<A64> {
        let field = |low: u32, bits: u32| word >> low & ((1 << bits) - 1);
        let register = |low: u32| field(low, 5) as u8;
        let (to, a, b, n) = (register(0), register(5), register(16), field(10, 12) as u16);
        let candidates = [
            LoadVector { to, base: a, bytes: 16 * n },
            StoreVector { from: to, base: a },
            AesEncrypt { state: to, key: a },
            AesMix { to, from: a },
            Xor { to, a, b },
            Move { to, from: b },
            Increase { to, from: a, by: n },
            Decrease { to, from: a, by: n },
            Sum { subtracts: field(30, 1) == 1, carries: field(28, 1) == 1, to, a, b },
            Lower { to, from: a, by: n },
            Store { from: to, base: a },
            Pop(to),
            Branch { condition: field(0, 4) as u8, distance: (field(5, 19) << 13).cast_signed() >> 13 },
            Return,
        ];
        candidates.into_iter().find(|candidate| candidate.word() == word)
    }

    /// The instruction with the registers of these numbers exchanged: two general ones and two vectors.
    pub fn renamed(self, general: [u8; 2], vectors: [u8; 2]) -> A64 {
        let swap = |r: u8, [a, b]: [u8; 2]| match r {
            _ if r == a => b,
            _ if r == b => a,
            _ => r,
        };
        let (x, v) = (|r| swap(r, general), |r| swap(r, vectors));
        match self {
            LoadVector { to, base, bytes } => LoadVector { to: v(to), base: x(base), bytes },
            StoreVector { from, base } => StoreVector { from: v(from), base: x(base) },
            AesEncrypt { state, key } => AesEncrypt { state: v(state), key: v(key) },
            AesMix { to, from } => AesMix { to: v(to), from: v(from) },
            Xor { to, a, b } => Xor { to: v(to), a: v(a), b: v(b) },
            Move { to, from } => Move { to: x(to), from: x(from) },
            Increase { to, from, by } => Increase { to: x(to), from: x(from), by },
            Decrease { to, from, by } => Decrease { to: x(to), from: x(from), by },
            Sum { subtracts, carries, to, a, b } => Sum { subtracts, carries, to: x(to), a: x(a), b: x(b) },
            Lower { to, from, by } => Lower { to: x(to), from: x(from), by },
            Store { from, base } => Store { from: x(from), base: x(base) },
            Pop(r) => Pop(x(r)),
            Branch { .. } | Return => self,
        }
    }
}

/// The condition of a code, where the machine's carry is the complement of C.
pub const fn condition(code: u8) -> Option<Condition> {
    use Condition::*;
    Some(match code {
        0 => Equal,
        1 => NotEqual,
        2 => AboveEqual,
        3 => Below,
        4 => Sign,
        5 => NoSign,
        6 => Overflow,
        7 => NoOverflow,
        8 => Above,
        9 => BelowEqual,
        10 => GreaterEqual,
        11 => Less,
        12 => Greater,
        13 => LessEqual,
        _ => return None,
    })
}

/// Executes an instruction at an offset of the code.
///
/// # Errors
/// The domain refuses it, or it is not one of these.
pub fn execute<D: Domain>(
    machine: &mut Machine<D>,
    domain: &mut D,
    (offset, instruction): (u64, Option<A64>),
) -> Result<Flow, D::Error> {
    let sp = usize::from(SP);
    let unsupported = || Unsupported { ip: offset, what: "no instruction of these tests".to_owned() };
    let Some(instruction) = instruction else { return Err(unsupported().into()) };
    match instruction {
        LoadVector { to, base, bytes } => {
            let address = domain.address(Some(machine.gpr[usize::from(base)]), None, bytes.into())?;
            domain.load(Access::Unaligned, address, &mut machine.vector[usize::from(to)][..1])?;
        }
        StoreVector { from, base } => {
            let address = machine.gpr[usize::from(base)];
            domain.store(Access::Unaligned, address, &machine.vector[usize::from(from)][..1])?;
        }
        AesEncrypt { state, key } => {
            let (a, b) = (machine.vector[usize::from(state)][0], machine.vector[usize::from(key)][0]);
            let sum = domain.xor(a, b)?;
            machine.vector[usize::from(state)][0] = domain.aes_round(AesRound::EncryptLast, sum)?;
        }
        AesMix { to, from } => {
            // The polynomial of MixColumns has order 4: its third power is its inverse.
            let mut lane = machine.vector[usize::from(from)][0];
            for _ in 0..3 {
                lane = domain.inv_mix_columns(lane)?;
            }
            machine.vector[usize::from(to)][0] = lane;
        }
        Xor { to, a, b } => {
            let (a, b) = (machine.vector[usize::from(a)][0], machine.vector[usize::from(b)][0]);
            machine.vector[usize::from(to)][0] = domain.xor(a, b)?;
        }
        Move { to, from } => {
            machine.gpr[usize::from(to)] = register(machine, domain, from);
        }
        Increase { to, from, by } => {
            let sum = domain.address(Some(machine.gpr[usize::from(from)]), None, by.into())?;
            machine.gpr[usize::from(to)] = sum;
        }
        Decrease { to, from, by } => {
            let by = domain.word(by.into());
            let from = machine.gpr[usize::from(from)];
            let (difference, flags) = domain.binary(Binary::Sub, Width::B64, from, by, machine.flags)?;
            machine.gpr[usize::from(to)] = difference;
            machine.flags = flags;
        }
        Sum { subtracts, carries, to, a, b } => {
            let (a, mut b) = (register(machine, domain, a), register(machine, domain, b));
            if !subtracts {
                (b, _) = domain.unary(Unary::Not, Width::B64, b, machine.flags)?;
            }
            let mut flags = machine.flags;
            if !carries && !subtracts {
                // 0 - 1 borrows: C is 0.
                let (zero, one) = (domain.word(0), domain.word(1));
                (_, flags) = domain.binary(Binary::Sub, Width::B64, zero, one, flags)?;
            }
            let op = if carries || !subtracts { Binary::Sbb } else { Binary::Sub };
            let (sum, flags) = domain.binary(op, Width::B64, a, b, flags)?;
            machine.gpr[usize::from(to)] = sum;
            machine.flags = flags;
        }
        Lower { to, from, by } => {
            let difference = domain.address(Some(machine.gpr[usize::from(from)]), None, -i64::from(by))?;
            machine.gpr[usize::from(to)] = difference;
        }
        Store { from, base } => {
            let (base, from) = (machine.gpr[usize::from(base)], machine.gpr[usize::from(from)]);
            domain.store_word(Width::B64, base, from)?;
        }
        Pop(register) => {
            machine.gpr[usize::from(register)] = domain.load_word(Width::B64, machine.gpr[sp])?;
            machine.gpr[sp] = domain.address(Some(machine.gpr[sp]), None, 16)?;
        }
        Branch { condition: code, distance } => {
            let target = offset.wrapping_add_signed(4 * i64::from(distance));
            let condition = condition(code).ok_or_else(unsupported)?;
            return Ok(Flow::Branch { target, decision: domain.branch(condition, machine.flags)? });
        }
        Return => return Ok(Flow::Return),
    }
    Ok(Flow::Next)
}

/// A register of data processing.
fn register<D: Domain>(machine: &Machine<D>, domain: &mut D, number: u8) -> D::Word {
    if number == SP { domain.word(0) } else { machine.gpr[usize::from(number)] }
}

/// Decoded instructions with their offsets.
#[derive(Default)]
pub struct Decoded(Vec<(u64, Option<A64>)>);

impl<D: Domain> Instructions<D> for Decoded {
    fn convention(&self) -> &'static Convention {
        &AAPCS64
    }

    fn registers(&self) -> Counts {
        COUNTS
    }

    fn listing(&self) -> &'static str {
        "PSTATE.DIT covers each."
    }

    fn general_name(&self, number: u8) -> &'static str {
        const NAMES: [&str; 32] = [
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
            "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
            "x29", "x30", "sp",
        ];
        NAMES[usize::from(number)]
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn decode(&mut self, code: &[u8], from: u64, more: &mut dyn FnMut(Instruction) -> bool) {
        for (k, bytes) in code[from as usize..].as_chunks().0.iter().enumerate() {
            let offset = from + 4 * k as u64;
            let read = A64::read(u32::from_le_bytes(*bytes));
            let leads = match read {
                Some(Branch { condition: code, distance }) => Leads::Branch {
                    target: offset.wrapping_add_signed(4 * i64::from(distance)),
                    condition: condition(code),
                },
                Some(Return) => Leads::Return,
                Some(_) => Leads::Next,
                None => Leads::Nowhere,
            };
            let number = self.0.len() as u32;
            self.0.push((offset, read));
            let (role, end) = (Role::Plain, offset + 4);
            let decoded = Instruction { number, offset, end, leads, role, unlisted: false, compared: None };
            if !more(decoded) {
                return;
            }
        }
    }

    fn execute(&self, number: u32, machine: &mut Machine<D>, domain: &mut D) -> Result<Flow, D::Error> {
        execute(machine, domain, self.0[number as usize])
    }

    fn check_encoding(&self, _: u32, _: &[u8]) -> Result<(), String> {
        // `A64::read` reads nothing but the one encoding of an instruction.
        Ok(())
    }

    fn operands(&self, _: u32) -> Option<Registers> {
        Some(Registers::ALL)
    }

    fn uses(&mut self, _: u32) -> Uses {
        Uses { read: Registers::ALL, written: Registers::NONE }
    }

    fn text(&self, number: u32) -> String {
        self.0[number as usize].1.map_or("no instruction".to_owned(), |read| format!("{read:?}"))
    }
}
