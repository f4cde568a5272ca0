//! Byte extraction from words, and look-ups: by shifts and masks, by al and ah, or through memory; indices are
//! multiplied by the addressing mode or by a shift.

use super::select::{Extract, Place, Selector, WITH_SECOND_BYTE, WITHOUT_REX, load_code, r8, r16, r32, r64};
use crate::kernels::Unfit;
use crate::kernels::asm::at;
use aesmith_dataflow::program::{Node, Value};
use iced_x86::{Code, Instruction, Register};

impl Selector<'_, '_, '_> {
    /// True if all remaining uses of `a` are its bytes or halves from the `k`-th on.
    fn only_upper(&self, a: Value, k: u8) -> bool {
        let left = self.uses[usize::from(a.0)] as usize;
        let upper = self.users(a).filter(|n| matches!(**n, Node::Byte(_, j) | Node::Half(_, j) if j >= k));
        upper.count() == left
    }

    /// The multiplication that the look-ups of index `v` need and the addressing mode cannot do, in bits.
    fn factor(&self, v: Value) -> u8 {
        let scales = self.users(v).filter_map(|n| match *n {
            Node::Load { scale, .. } => Some(scale),
            _ => None,
        });
        scales.map(|s| self.shift_of(s)).max().unwrap_or(0)
    }

    /// The number of bits that an index is shifted by for a scale.
    fn shift_of(&self, scale: u8) -> u8 {
        if self.m.options.scaled && scale <= 8 { 0 } else { scale.trailing_zeros() as u8 }
    }

    pub(super) fn byte(&mut self, v: Value, a: Value, k: u8) -> Result<(), Unfit> {
        if self.m.options.extract == Extract::Memory && !matches!(self.place(a), Place::Memory(..)) {
            self.store(a)?;
        }
        if let Place::Memory(base, displacement, _) = self.place(a) {
            let to = self.allocate(v)?;
            let memory = at(base, displacement + i32::from(k));
            self.m.asm.made(Instruction::with2(Code::Movzx_r32_rm8, r32(to), memory));
            self.used(a);
            self.make(v, to);
            return Ok(());
        }
        let from = self.in_register(a)?;
        let last = self.uses[usize::from(a.0)] == 1;
        let registers = self.m.options.extract == Extract::Registers;
        if registers && k >= 2 && self.shifted[usize::from(a.0)] == 0 && self.only_upper(a, k) {
            self.shift_right(from, 16);
            self.shifted[usize::from(a.0)] = 16;
        }
        let down = 8 * k - self.shifted[usize::from(a.0)];
        let here = if last { 1 << from } else { 0 };
        if registers
            && down == 8
            && WITH_SECOND_BYTE >> from & 1 == 1
            && (self.free | here) & WITHOUT_REX != 0
        {
            let second = Register::AH + u32::from(from);
            self.used(a);
            let to = self.take(self.free & WITHOUT_REX)?;
            self.two(Code::Movzx_r32_rm8, r32(to), second);
            self.make(v, to);
            return Ok(());
        }
        if down == 0 {
            self.used(a);
            let to = self.allocate(v)?;
            self.two(Code::Movzx_r32_rm8, r32(to), r8(from));
            self.make(v, to);
            return Ok(());
        }
        let factor = self.factor(v);
        let to = if last && k == 3 {
            self.uses[usize::from(a.0)] -= 1;
            from
        } else {
            let to = self.allocate(v)?;
            self.copy(to, from, 4);
            self.used(a);
            to
        };
        self.shift_right(to, down - factor);
        self.scaled[usize::from(v.0)] = factor;
        if factor > 0 {
            self.immediate(Code::And_rm32_imm32, r32(to), 0xff << factor);
        } else if k < 3 {
            self.two(Code::Movzx_r32_rm8, r32(to), r8(to));
        }
        self.make(v, to);
        Ok(())
    }

    pub(super) fn half(&mut self, v: Value, a: Value, k: u8) -> Result<(), Unfit> {
        let from = self.in_register(a)?;
        if k >= 2 && self.shifted[usize::from(a.0)] == 0 && self.only_upper(a, k) {
            self.immediate(Code::Shr_rm64_imm8, r64(from), 32);
            self.shifted[usize::from(a.0)] = 32;
        }
        let down = 16 * k - self.shifted[usize::from(a.0)];
        let last = self.uses[usize::from(a.0)] == 1;
        let to = if last && down == 16 {
            self.uses[usize::from(a.0)] -= 1;
            from
        } else {
            self.allocate(v)?
        };
        match down {
            0 => self.two(Code::Movzx_r32_rm16, r32(to), r16(from)),
            // A 32-bit shift drops the upper bits.
            16 => {
                if to != from {
                    self.copy(to, from, 4);
                }
                self.shift_right(to, 16);
            }
            _ => {
                self.copy(to, from, 8);
                self.immediate(Code::Shr_rm64_imm8, r64(to), down.into());
                if k < 3 {
                    self.two(Code::Movzx_r32_rm16, r32(to), r16(to));
                }
            }
        }
        if to != from {
            self.used(a);
        }
        self.make(v, to);
        Ok(())
    }

    pub(super) fn lookup(
        &mut self,
        v: Value,
        index: Value,
        scale: u8,
        displacement: i32,
        bytes: u8,
    ) -> Result<(), Unfit> {
        self.in_register(index)?;
        let wanted = self.shift_of(scale);
        let done = self.scaled[usize::from(index.0)];
        if wanted > done {
            if self.uses[usize::from(index.0)] > 1 {
                return Err(Unfit::Shape("an index that is looked up twice is not shifted for both".into()));
            }
            let Place::Register(r) = self.place(index) else { panic!("an index stands in a register") };
            self.shift_left(r, wanted - done);
            self.scaled[usize::from(index.0)] = wanted;
        }
        let scale = if wanted > 0 { 1 } else { scale };
        let only_xored =
            self.uses[usize::from(v.0)] == 1 && self.users(v).any(|n| matches!(n, Node::Xor(..)));
        if self.m.options.combined && bytes >= 4 && only_xored {
            self.place[usize::from(v.0)] = Some(Place::Entry(index, scale, displacement, bytes));
            return Ok(());
        }
        let memory = self.entry(index, scale, displacement);
        self.used(index);
        let to = self.allocate(v)?;
        let (code, register) = match bytes {
            8 => (Code::Mov_r64_rm64, r64(to)),
            bytes => (load_code(bytes), r32(to)),
        };
        self.m.asm.made(Instruction::with2(code, register, memory));
        self.make(v, to);
        Ok(())
    }
}
