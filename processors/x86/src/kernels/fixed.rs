//! Code on vector registers that its writer chooses: for kernels whose main loop is one order of instructions.

use super::asm::Assembler;
use super::forms;
use super::select::may_be_unaligned;
use super::target::Encoding;
use super::vector::{Operation, Src, Vector};
use aesmith_order::Reg;
use iced_x86::Register;
use std::ops::{Range, RangeInclusive};

/// The arguments of a call for one text with a chain value.
pub(super) const KEY: Register = Register::RDI;
pub(super) const IV: Register = Register::RSI;
pub(super) const INPUT: Register = Register::RDX;
pub(super) const OUTPUT: Register = Register::RCX;
pub(super) const LEN: Register = Register::R8;

/// Instructions on fixed registers.
pub(super) type Vectors = Vec<Vector>;

/// A register as a last operand.
pub(super) fn in_register(number: u8) -> Src {
    Src::Reg(Reg::Fixed(number))
}

/// The register that instructions of two operands take memory from, which need not be aligned.
const LOADED: u8 = 15;

/// The number of registers that a writer may use in an encoding.
pub(super) fn available(encoding: Encoding) -> u8 {
    match encoding {
        Encoding::Legacy => LOADED,
        Encoding::Vex => 16,
        Encoding::Evex => 32,
    }
}

/// True if a round key that no register keeps is loaded into one before it is used; it is a memory operand elsewhere.
pub(super) fn loads_keys(lanes: usize, encoding: Encoding) -> bool {
    lanes > 1 || encoding == Encoding::Legacy
}

/// `dst = operation(a, b)` on the lowest lanes; the others become zero.
pub(super) fn on(lanes: usize, operation: Operation, dst: u8, a: u8, b: Src) -> Vector {
    Vector::new(operation, lanes, Reg::Fixed(dst), Reg::Fixed(a), b)
}

/// `dst = operation(a)`, for operations without a last operand, on the lowest lanes.
pub(super) fn alone(lanes: usize, operation: Operation, dst: u8, a: u8) -> Vector {
    Vector::of(operation, lanes, Reg::Fixed(dst), Reg::Fixed(a))
}

/// `dst = operation(b)`, for operations without a first operand, on the lowest lanes.
pub(super) fn from(lanes: usize, operation: Operation, dst: u8, b: Src) -> Vector {
    Vector::from(operation, lanes, Reg::Fixed(dst), b)
}

/// `dst ^= a ^ b` on the lowest lanes: one instruction of EVEX.
pub(super) fn xor_both(lanes: usize, encoding: Encoding, dst: u8, a: u8, b: u8) -> Vectors {
    if lanes > 1 && encoding == Encoding::Evex {
        let both = on(lanes, Operation::Ternary(0x96), dst, a, in_register(b));
        return vec![Vector { c: Some(Reg::Fixed(dst)), ..both }];
    }
    [a, b].map(|other| on(lanes, Operation::Xor, dst, dst, in_register(other))).to_vec()
}

/// Code in the making, on registers of a width.
pub(super) struct Fixed {
    pub(super) asm: Assembler,
    pub(super) lanes: usize,
    pub(super) encoding: Encoding,
    /// Registers of round keys; the others are memory operands on xmm, and loaded where they are needed on wider registers.
    keys: [Option<u8>; 15],
}

impl Fixed {
    /// The start of a function that keeps no round key in a register.
    pub(super) fn function(lanes: usize, encoding: Encoding) -> Fixed {
        Fixed { asm: Assembler::function(), lanes, encoding, keys: [None; 15] }
    }

    /// Keeps the keys of these rounds, as many as there are registers for.
    pub(super) fn keep_keys(&mut self, rounds: RangeInclusive<u8>, registers: Range<u8>) {
        for (round, register) in rounds.zip(registers) {
            self.keys[usize::from(round)] = Some(register);
        }
    }

    /// The rounds whose keys are in registers, as a mask.
    pub(super) fn kept_keys(&self) -> u16 {
        (0..).zip(self.keys).fold(0, |mask, (round, key)| mask | u16::from(key.is_some()) << round)
    }

    /// Loads the round keys that are kept in registers.
    pub(super) fn load_keys(&self) -> Vectors {
        let load = |(round, register): (u8, Option<u8>)| register.map(|dst| self.load_key(dst, round));
        (0..).zip(self.keys).filter_map(load).collect()
    }

    /// A round key as a last operand: loaded into `spare` before, if need be.
    pub(super) fn round_key(&self, round: u8, spare: u8, code: &mut Vectors) -> Src {
        match self.keys[usize::from(round)] {
            Some(own) => in_register(own),
            None if !loads_keys(self.lanes, self.encoding) => Src::Mem(KEY, 16 * i32::from(round), false),
            None => {
                code.push(self.load_key(spare, round));
                in_register(spare)
            }
        }
    }

    /// Appends an instruction: on xmm registers in the encoding of VEX, if there is one.
    pub(super) fn push(&mut self, vector: Vector) {
        match self.encoding {
            Encoding::Legacy => self.push_of_two(vector),
            _ if vector.lanes == 1 => forms::push(&mut self.asm, &vector, Encoding::Vex),
            encoding => forms::push(&mut self.asm, &vector, encoding),
        }
    }

    /// Appends an instruction of two operands. Memory that may be unaligned is loaded before.
    fn push_of_two(&mut self, vector: Vector) {
        let mut push = |vector: &Vector| forms::push(&mut self.asm, vector, Encoding::Legacy);
        let Some(memory @ Src::Mem(..)) = vector.b.filter(|_| !may_be_unaligned(vector.operation)) else {
            return push(&vector);
        };
        let into = match vector.dst {
            // The result is as good a place, and needs no move of the first operand.
            Some(dst) if forms::commutes(vector.operation) && vector.a != Some(dst) => dst,
            _ => Reg::Fixed(LOADED),
        };
        push(&Vector::from(Operation::Load, 1, into, memory));
        push(&Vector { b: Some(Src::Reg(into)), ..vector });
    }

    /// Appends instructions.
    pub(super) fn write(&mut self, code: Vectors) {
        code.into_iter().for_each(|vector| self.push(vector));
    }

    /// `dst = operation(a, b)` on whole registers.
    pub(super) fn op(&self, operation: Operation, dst: u8, a: u8, b: Src) -> Vector {
        on(self.lanes, operation, dst, a, b)
    }

    pub(super) fn xor(&self, dst: u8, a: u8, b: u8) -> Vector {
        self.op(Operation::Xor, dst, a, in_register(b))
    }

    pub(super) fn xor_both(&self, dst: u8, a: u8, b: u8) -> Vectors {
        xor_both(self.lanes, self.encoding, dst, a, b)
    }

    pub(super) fn load(&self, dst: u8, b: Src) -> Vector {
        from(self.lanes, Operation::Load, dst, b)
    }

    /// A round key in each lane.
    pub(super) fn load_key(&self, dst: u8, round: u8) -> Vector {
        from(self.lanes, Operation::Broadcast, dst, Src::Mem(KEY, 16 * i32::from(round), false))
    }

    /// Goes on by some bytes of text, and compares what is left with as many.
    pub(super) fn advance(&mut self, bytes: i32) {
        self.asm.add(INPUT, bytes);
        self.asm.add(OUTPUT, bytes);
        self.asm.sub(LEN, bytes);
        self.asm.cmp(LEN, bytes);
    }
}
