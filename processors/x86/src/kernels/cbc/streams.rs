//! Several streams: gathers their keys and chaining values, runs the joint loop, then processes the rest of each
//! stream by itself.

use super::{Form, INPUTS, IVS, KEYS, LEFT, LENGTHS, Loop, OUTPUTS, STREAM, Shape, Writer};
use crate::kernels::Unfit;
use crate::kernels::asm::{If, at, indexed};
use crate::kernels::frame;
use crate::kernels::vector::{Operation, POSITION, Src, Vector};
use aesmith_dataflow::Round;
use aesmith_order::Reg;
use iced_x86::{Code, Register};

impl Writer<'_> {
    pub(super) fn several_streams(&mut self, shape: &Shape, main: &Loop) -> Result<(), Unfit> {
        const SAVED: [Register; 4] = [Register::RBX, Register::R12, Register::R13, Register::RBP];
        for register in SAVED {
            self.asm.one(Code::Push_r64, register);
        }
        let frame = self.select.slots_at + self.slots;
        frame::open_behind_saved(&mut self.asm, frame);
        self.asm.load(LEFT, at(LENGTHS, 0));
        for stream in 1..self.streams as i32 {
            self.asm.load(Register::RAX, at(LENGTHS, 8 * stream));
            self.asm.two(Code::Cmp_r64_rm64, Register::RAX, LEFT);
            self.asm.two(Code::Cmovb_r64_rm64, LEFT, Register::RAX);
        }
        self.asm.two(Code::Xor_r32_rm32, Register::R9D, Register::R9D);
        let alone = self.asm.label();
        self.asm.cmp(LEFT, 16);
        self.asm.jump(If::Below, alone);
        self.gather();
        self.load_keys(&main.keys);
        self.main(shape, main, LEFT)?;
        if shape.leaves_blocks() {
            let single = Shape { together: true, ..Shape::single(Form::Modified) };
            let rest = self.fit(&single, &[])?;
            self.asm.name("joint rest");
            self.joint(&single, &rest.code, &[], LEFT)?;
        }
        self.chains_out();
        self.asm.bind(alone);
        self.alone();
        self.wipe(frame);
        self.asm.name("leave");
        self.asm.mov(Register::RSP, Register::RBP);
        for register in SAVED.into_iter().rev() {
            self.asm.one(Code::Pop_r64, register);
        }
        crate::kernels::leave(&mut self.asm, self.variant, self.lanes, self.select.encoding(self.lanes));
        Ok(())
    }

    /// Copies the round keys of the streams side by side to the frame, and the IVs to the states.
    fn gather(&mut self) {
        const POINTERS: [Register; 4] = [Register::RAX, Register::RBX, Register::R12, Register::R13];
        self.asm.name("gather");
        for group in 0..self.registers {
            let pointers = &POINTERS[..self.lanes];
            let (gathered, state) = (Reg::Fixed(self.registers as u8), Reg::Fixed(group as u8));
            for array in [IVS, KEYS] {
                for (lane, &pointer) in pointers.iter().enumerate() {
                    self.asm.load(pointer, at(array, 8 * (group * self.lanes + lane) as i32));
                }
                let (into, last) = if array == IVS { (state, 0) } else { (gathered, self.rounds) };
                for r in 0..=last {
                    for (lane, &pointer) in pointers.iter().enumerate() {
                        let from = Src::Mem(pointer, 16 * i32::from(r), false);
                        self.push(match lane {
                            0 => Vector::from(Operation::Load, 1, into, from),
                            _ => Vector::new(Operation::Insert(lane as u8), self.lanes, into, into, from),
                        });
                    }
                    if array == KEYS {
                        let to = Src::Mem(Register::RSP, self.slot(group, r), false);
                        self.push(Vector::store(Operation::Store, self.lanes, gathered, to));
                    }
                }
            }
        }
    }

    /// Stores the states to the IVs.
    fn chains_out(&mut self) {
        for group in 0..self.registers {
            for lane in 0..self.lanes {
                self.asm.load(Register::RAX, at(IVS, 8 * (group * self.lanes + lane) as i32));
                let to = Src::Mem(Register::RAX, 0, false);
                let state = Reg::Fixed(group as u8);
                self.push(match lane {
                    0 => Vector::store(Operation::Store, 1, state, to),
                    _ => Vector::store(Operation::Extract(lane as u8), self.lanes, state, to),
                });
            }
        }
    }

    /// Processes the rest of each stream after the shortest has ended, one stream after the other.
    pub(super) fn alone(&mut self) {
        let (key, input, output, left) = (Register::RBX, Register::R12, Register::R13, Register::RAX);
        let (next, again, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let pointer = |array| indexed(array, STREAM, 1, 0);
        let chain = Reg::Fixed(0);
        let text = Reg::Fixed(1);
        self.asm.name("alone");
        self.asm.two(Code::Xor_r32_rm32, Register::R11D, Register::R11D);
        self.asm.bind(next);
        self.asm.load(left, pointer(LENGTHS));
        self.asm.two(Code::Sub_r64_rm64, left, POSITION);
        self.asm.cmp(left, 16);
        self.asm.jump(If::Below, done);
        self.asm.load(key, pointer(KEYS));
        for (register, array) in [(input, INPUTS), (output, OUTPUTS)] {
            self.asm.load(register, pointer(array));
            self.asm.two(Code::Add_r64_rm64, register, POSITION);
        }
        self.asm.load(LEFT, pointer(IVS));
        self.push(Vector::from(Operation::Load, 1, chain, Src::Mem(LEFT, 0, false)));
        self.asm.bind(again);
        self.push(Vector::from(Operation::Load, 1, text, Src::Mem(input, 0, true)));
        self.push(Vector::new(Operation::Xor, 1, text, text, Src::Mem(key, 0, false)));
        self.push(Vector::new(Operation::Xor, 1, chain, chain, Src::Reg(text)));
        for r in 1..=self.rounds {
            let round = if r == self.rounds { Round::EncryptLast } else { Round::Encrypt };
            let from = Src::Mem(key, 16 * i32::from(r), false);
            self.push(Vector::new(Operation::Aes(round), 1, chain, chain, from));
        }
        self.push(Vector::store(Operation::Store, 1, chain, Src::Mem(output, 0, true)));
        self.asm.add(input, 16);
        self.asm.add(output, 16);
        self.asm.sub(left, 16);
        self.asm.cmp(left, 16);
        self.asm.jump(If::AboveEqual, again);
        self.push(Vector::store(Operation::Store, 1, chain, Src::Mem(LEFT, 0, false)));
        self.asm.bind(done);
        self.asm.add(STREAM, 8);
        self.asm.cmp(STREAM, 8 * self.streams as i32);
        self.asm.jump(If::Below, next);
    }
}
