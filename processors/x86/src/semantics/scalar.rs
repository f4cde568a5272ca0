//! General-purpose and opmask instructions, and control flow.

use super::{Flow, Operation, Step};
use crate::registers::gpr::RSP;
use aesmith_isa::lanes::{Binary, Domain, FlagSet, Shift, Unary, Width};

impl<D: Domain> Step<'_, D> {
    pub(super) fn scalar(&mut self) -> Result<Flow, D::Error> {
        use Operation::*;
        let width = self.form.element;
        let undefined = self.form.undefined_flags(self.instruction);
        match self.form.operation {
            ScalarMove => {
                let value = self.word(1, width)?;
                let value = match width {
                    Width::B32 if !self.is_memory(1) => self.domain.zero_extend(width, value)?,
                    _ => value,
                };
                self.set_word(0, width, value)?;
            }
            ZeroExtend(from) => {
                let value = self.word(1, from)?;
                let value = if self.is_memory(1) { value } else { self.domain.zero_extend(from, value)? };
                self.set_word(0, width, value)?;
            }
            ByteSwapMove => {
                let value = self.word(1, width)?;
                let (value, _) = self.domain.unary(Unary::Bswap, width, value, self.machine.flags)?;
                self.set_word(0, width, value)?;
            }
            Push => {
                let value = self.word(0, Width::B64)?;
                let top = self.domain.address(Some(self.machine.gpr[RSP]), None, -8)?;
                self.domain.store_word(Width::B64, top, value)?;
                self.machine.gpr[RSP] = top;
            }
            Pop => {
                let top = self.machine.gpr[RSP];
                let value = self.domain.load_word(Width::B64, top)?;
                self.machine.gpr[RSP] = self.domain.address(Some(top), None, 8)?;
                self.set_word(0, Width::B64, value)?;
            }
            LoadAddress => {
                let address = self.address()?;
                let value = match width {
                    Width::B64 => address,
                    _ => self.domain.zero_extend(width, address)?,
                };
                self.set_word(0, width, value)?;
            }
            Combine(op) => self.update(|step, old| {
                let (a, b) = step.second(op, old)?;
                step.domain.binary(op, width, a, b, step.machine.flags)
            })?,
            Compare(op) => {
                let a = self.word(0, width)?;
                let (a, b) = self.second(op, a)?;
                (_, self.machine.flags) = self.domain.binary(op, width, a, b, self.machine.flags)?;
            }
            Modify(op) => self.update(|step, old| step.domain.unary(op, width, old, step.machine.flags))?,
            ShiftBy(op) => {
                let count = self.form.shift_count(self.instruction);
                self.update(|step, old| match count {
                    0 => Ok((step.domain.zero_extend(width, old)?, step.machine.flags)),
                    _ => step.domain.shift(op, width, old, count, step.machine.flags),
                })?;
            }
            RotateMove => {
                let value = self.word(1, width)?;
                let count = self.immediate_byte() & (width.bits() as u8 - 1);
                let value = match count {
                    0 => self.domain.zero_extend(width, value)?,
                    _ => {
                        let flags = self.machine.flags;
                        self.domain.shift(Shift::RotateRight, width, value, count, flags)?.0
                    }
                };
                self.set_word(0, width, value)?;
            }
            ThreeOperand(op) => {
                let (a, b) = (self.word(1, width)?, self.word(2, width)?);
                let (value, flags) = self.domain.binary(op, width, a, b, self.machine.flags)?;
                self.machine.flags = flags;
                self.set_word(0, width, value)?;
            }
            ConditionalMove(condition) => {
                let (yes, no) = (self.word(1, width)?, self.word(0, width)?);
                let value = self.domain.choose(condition, self.machine.flags, yes, no)?;
                let value = match width {
                    Width::B64 => value,
                    _ => self.domain.zero_extend(width, value)?,
                };
                self.set_word(0, width, value)?;
            }
            SetByte(condition) => {
                let (one, zero) = (self.domain.word(1), self.domain.word(0));
                let value = self.domain.choose(condition, self.machine.flags, one, zero)?;
                self.set_word(0, width, value)?;
            }
            MaskFromScalar => {
                let word = self.word(1, width)?;
                let number = self.mask_register(0)?;
                self.machine.mask[number] = self.domain.mask_from_word(width, word)?;
            }
            MaskToScalar => {
                let mask = self.machine.mask[self.mask_register(1)?];
                let word = self.domain.word_from_mask(width, mask)?;
                self.set_register(self.instruction.op_register(0), word)?;
            }
            MaskMove => self.move_mask(width)?,
            MaskOnes => self.constant_mask(width.mask())?,
            MaskZero => self.constant_mask(0)?,
            Branch(condition) => {
                let decision = self.domain.branch(condition, self.machine.flags)?;
                return Ok(Flow::Branch { target: self.instruction.near_branch_target(), decision });
            }
            Jump => return Ok(Flow::Jump(self.instruction.near_branch_target())),
            Return => {
                self.machine.gpr[RSP] = self.domain.address(Some(self.machine.gpr[RSP]), None, 8)?;
                return Ok(Flow::Return);
            }
            Prefetch => {
                let address = self.address()?;
                self.domain.prefetch(address)?;
            }
            Nop | Fence => {}
            _ => return self.refused("a vector operation in a scalar row"),
        }
        if undefined != FlagSet::NONE {
            self.machine.flags = self.domain.undefined(self.machine.flags, undefined);
        }
        Ok(Flow::Next)
    }

    /// Computes operand 0 from operand 0 and the flags; memory is read and written at one address.
    fn update(
        &mut self,
        operation: impl FnOnce(&mut Self, D::Word) -> Result<(D::Word, D::Flags), D::Error>,
    ) -> Result<(), D::Error> {
        if self.is_memory(0) {
            let address = self.address()?;
            let old = self.domain.load_word(self.form.element, address)?;
            let (value, flags) = operation(self, old)?;
            self.machine.flags = flags;
            self.domain.store_word(self.form.element, address, value)
        } else {
            let old = self.word(0, self.form.element)?;
            let (value, flags) = operation(self, old)?;
            self.machine.flags = flags;
            self.set_register(self.instruction.op_register(0), value)
        }
    }

    /// Both operands, given the first. `xor r, r` and `sub r, r` become operations on zero: their result does
    /// not depend on the old register value.
    fn second(&mut self, op: Binary, first: D::Word) -> Result<(D::Word, D::Word), D::Error> {
        let i = self.instruction;
        let same = !self.is_memory(0)
            && i.op1_kind() == iced_x86::OpKind::Register
            && i.op0_register() == i.op1_register();
        if same && matches!(op, Binary::Xor | Binary::Sub) {
            let zero = self.domain.word(0);
            return Ok((zero, zero));
        }
        Ok((first, self.word(1, self.form.element)?))
    }

    fn move_mask(&mut self, width: Width) -> Result<(), D::Error> {
        if self.is_memory(0) {
            let mask = self.machine.mask[self.mask_register(1)?];
            let word = self.domain.word_from_mask(width, mask)?;
            return self.set_word(0, width, word);
        }
        let number = self.mask_register(0)?;
        self.machine.mask[number] = if self.is_memory(1) {
            let word = self.word(1, width)?;
            self.domain.mask_from_word(width, word)?
        } else {
            let mask = self.machine.mask[self.mask_register(1)?];
            match width {
                Width::B64 => mask,
                _ => {
                    let word = self.domain.word_from_mask(width, mask)?;
                    self.domain.mask_from_word(width, word)?
                }
            }
        };
        Ok(())
    }

    fn constant_mask(&mut self, bits: u64) -> Result<(), D::Error> {
        if self.instruction.op1_register() != self.instruction.op2_register() {
            return self.refused("only of a register with itself");
        }
        let number = self.mask_register(0)?;
        self.machine.mask[number] = self.domain.mask(bits);
        Ok(())
    }
}
