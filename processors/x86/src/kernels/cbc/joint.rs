//! The joint loop: its keys, the code before and after it that folded XORs need, and its final state.

use super::maker::Maker;
use super::{Form, Gather, INPUTS, Loop, OUTPUTS, Shape, Writer};
use crate::dimensions::Dim;
use crate::kernels::Unfit;
use crate::kernels::asm::{If, at};
use crate::kernels::vector::{Operation, POSITION, Src, Vector};
use aesmith_order::Reg;
use iced_x86::{Code, Instruction, Register};

impl Writer<'_> {
    /// For the folded form: adds the next text and round key 0 to the state, or removes them again.
    pub(super) fn fold(&mut self, keys: &[((usize, u8), u8)]) -> Result<(), Unfit> {
        let shape = Shape::single(Form::Modified);
        let state = (0..self.registers as u8).map(Reg::Fixed).collect();
        let mut maker = Maker::new(self, &shape, keys, state);
        for register in 0..maker.w.registers {
            let mixed = maker.mixed(register, 0);
            let chain = Reg::Fixed(register as u8);
            maker.code.push(Vector::new(Operation::Xor, maker.w.lanes, chain, chain, Src::Reg(mixed)));
        }
        let (code, virtuals) = (maker.code, maker.virtuals);
        let pool: Vec<u8> = ((self.registers + keys.len()) as u8..self.count()).collect();
        let total = usize::from(self.count());
        self.select.write(&mut self.asm, code, virtuals, &pool).map_err(|unfit| match unfit {
            Unfit::Registers { needed, available } => {
                Unfit::Registers { needed: needed + total - available, available: total }
            }
            other => other,
        })
    }

    /// A joint loop that counts `LEFT` or the length down: runs while enough blocks for a pass are left.
    pub(super) fn joint(
        &mut self,
        shape: &Shape,
        code: &[Vector],
        keys: &[((usize, u8), u8)],
        left: Register,
    ) -> Result<(), Unfit> {
        let (text, need) = (shape.text(), shape.need());
        let (again, skip, leave) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.cmp(left, need);
        self.asm.jump(If::Below, skip);
        if shape.form == Form::Folded {
            self.fold(keys)?;
        }
        self.asm.align([1, 16, 32, 64][usize::from(self.variant.get(Dim::Align))]);
        self.asm.bind(again);
        let top = self.variant.on(Dim::Loop);
        if top {
            self.asm.cmp(left, need);
            self.asm.jump(If::Below, leave);
        }
        self.asm.name("body");
        // A register that the loop's code writes before it reads it.
        let spare = Reg::Fixed((self.registers + keys.len()) as u8);
        if shape.gather == Gather::Buffered {
            self.copy(shape, spare, 0);
        }
        self.push_all(code);
        if shape.gather == Gather::Buffered {
            self.copy(shape, spare, 1);
        }
        self.asm.name("body end");
        self.advance(text, left);
        if top {
            self.asm.jump(If::Always, again);
        } else {
            self.asm.cmp(left, need);
            self.asm.jump(If::AboveEqual, again);
        }
        self.asm.bind(leave);
        if shape.form == Form::Folded {
            self.fold(keys)?;
        }
        self.asm.bind(skip);
        Ok(())
    }

    /// Copies the blocks of a pass, stream by stream: texts to their buffer (`which` 0), or results from theirs (1).
    fn copy(&mut self, shape: &Shape, spare: Reg, which: usize) {
        for stream in 0..self.streams {
            for block in (0..shape.unroll).step_by(self.lanes) {
                let buffer = self.buffered(shape, which, (stream, block));
                let (from, to) = match which {
                    0 => (self.text(INPUTS, stream, block), buffer),
                    _ => (buffer, self.text(OUTPUTS, stream, block)),
                };
                self.push_all(&[
                    Vector::from(Operation::Load, self.lanes, spare, from),
                    Vector::store(Operation::Store, self.lanes, spare, to),
                ]);
            }
        }
    }

    pub(super) fn advance(&mut self, text: i32, left: Register) {
        if self.streams == 1 {
            self.asm.add(INPUTS, text);
            self.asm.add(OUTPUTS, text);
        } else {
            self.asm.add(POSITION, text);
        }
        self.asm.sub(left, text);
    }

    pub(super) fn load_keys(&mut self, keys: &[((usize, u8), u8)]) {
        for &((register, r), reg) in keys {
            let from = self.key_memory(register, r);
            self.push(Vector::from(Operation::Load, self.lanes, Reg::Fixed(reg), from));
        }
    }

    /// Stores the spilled round keys of one stream to their stack slots.
    pub(super) fn spill_keys(&mut self, spilled: u16) {
        const SPARE: Reg = Reg::Fixed(1);
        for r in (0..=self.rounds).filter(|r| spilled >> r & 1 == 1) {
            let from = self.key_memory(0, r);
            self.push(Vector::from(Operation::Load, self.lanes, SPARE, from));
            let to = Src::Mem(Register::RSP, self.slot(0, r), false);
            self.push(Vector::store(Operation::Store, self.lanes, SPARE, to));
        }
    }

    /// The main loop, in a streaming form if the variant asks for it and the output is aligned.
    pub(super) fn main(&mut self, shape: &Shape, main: &Loop, left: Register) -> Result<(), Unfit> {
        self.asm.name("loop");
        if !shape.streaming {
            return self.joint(shape, &main.code, &main.keys, left);
        }
        let (plain, done) = (self.asm.label(), self.asm.label());
        if self.streams == 1 {
            self.asm.made(Instruction::with2(Code::Test_rm8_imm8, Register::CL, 15));
            self.asm.jump(If::NotZero, plain);
        } else {
            for stream in 0..self.streams as i32 {
                self.asm.load(Register::RAX, at(OUTPUTS, 8 * stream));
                self.asm.made(Instruction::with2(Code::Test_rm8_imm8, Register::AL, 15));
                self.asm.jump(If::NotZero, plain);
            }
        }
        self.joint(shape, &main.code, &main.keys, left)?;
        self.asm.push(&Instruction::with(Code::Sfence));
        self.asm.jump(If::Always, done);
        self.asm.bind(plain);
        let stored: Vec<Vector> = main
            .code
            .iter()
            .map(|v| match v.operation {
                Operation::Stream => Vector { operation: Operation::Store, ..*v },
                _ => *v,
            })
            .collect();
        self.joint(shape, &stored, &main.keys, left)?;
        self.asm.bind(done);
        Ok(())
    }
}
