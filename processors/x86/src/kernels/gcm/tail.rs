//! The rest of a message behind its whole registers.

use super::counters::Counting;
use super::{COUNTER, FIRST, LEFT, SCRATCH, Writer};
use crate::dimensions::Dim;
use crate::kernels::asm::{If, Label, at, indexed};
use crate::kernels::fixed::{INPUT, KEY, LEN, OUTPUT, Vectors, in_register, on};
use crate::kernels::forms::register as register_of;
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_arrange::Variant;
use aesmith_cipher::contract::HASH_END;
use aesmith_cipher::mode::Hashed;
use aesmith_order::Reg;
use aesmith_processor::measured::Lengths;
use iced_x86::{Code, Instruction, Register};

impl Writer {
    /// Less than a register of text: loaded and stored under a mask, and absorbed with zeros behind it.
    pub(super) fn last(&mut self, leave: Label) {
        self.to.asm.name("last");
        self.to.asm.two(Code::Test_rm64_r64, LEN, LEN);
        self.to.asm.jump(If::Zero, leave);
        self.last_group(1);
    }

    /// All that the main loop leaves of a message: one group for each number of registers.
    pub(super) fn rest(&mut self, registers: usize, lengths: Lengths, leave: Label) {
        self.to.asm.name("last");
        let register = bytes(self.to.lanes);
        let is_reached =
            |count: &usize| *count == 1 || lengths.reach((*count as u64 - 1) * register as u64 + 1);
        let most = (1..=registers).take_while(is_reached).count();
        self.to.asm.two(Code::Test_rm64_r64, LEN, LEN);
        self.to.asm.jump(If::Zero, leave);
        for count in 1..=most {
            let more = self.to.asm.label();
            if count < most {
                self.to.asm.cmp(LEN, count as i32 * register);
                self.to.asm.jump(If::Above, more);
            }
            self.last_group(count);
            if count < most {
                self.to.asm.jump(If::Always, leave);
            }
            self.to.asm.bind(more);
        }
    }

    /// The last bytes of a message, in this many registers: the last of them is loaded and stored under a mask, and absorbed with
    /// zeros behind its bytes.
    fn last_group(&mut self, registers: usize) {
        let (last, register) = (registers - 1, bytes(self.to.lanes));
        let before = last as i32 * register;
        self.to.asm.lea(LEFT, at(LEN, 15));
        self.to.asm.shift(Code::Shr_rm64_imm8, LEFT, 4);
        self.to.asm.mov(SCRATCH, LEFT);
        self.to.asm.shift(Code::Shl_rm64_imm8, SCRATCH, 4);
        self.to.asm.one(Code::Neg_rm64, SCRATCH);
        self.to.asm.two(Code::Add_r64_rm64, SCRATCH, KEY);
        if last > 0 {
            self.to.asm.sub(LEN, before);
            self.to.asm.sub(LEFT, (last * self.to.lanes) as i32);
        }
        let mut code = Vectors::new();
        for begin in (0..registers).step_by(self.bank.at_once) {
            let some = begin..registers.min(begin + self.bank.at_once);
            let is_end = some.end == registers;
            code.extend(self.stream(some.clone(), Counting::Swapped, !is_end));
            for k in some.filter(|&k| k < last) {
                let (block, place) = (self.block(k), k as i32 * register);
                if self.hashed == Some(Hashed::Text) {
                    code.extend(self.read(place, INPUT, self.absorbed(k)));
                }
                code.push(self.to.op(Operation::Xor, block, block, Src::Mem(INPUT, place, true)));
                let to = Src::Mem(OUTPUT, place, true);
                code.push(Vector::store(Operation::Store, self.to.lanes, Reg::Fixed(block), to));
                if self.hashed == Some(Hashed::Output) {
                    code.push(self.reversed(self.absorbed(k), block));
                }
            }
        }
        self.to.write(code);
        let (block_number, text) = (self.block(last), self.absorbed(last));
        self.to.asm.made(Instruction::with2(Code::Mov_rm64_imm32, Register::R11, -1));
        self.to.asm.made(Instruction::with3(Code::VEX_Bzhi_r64_rm64_r64, Register::R11, Register::R11, LEN));
        self.to.asm.two(Code::VEX_Kmovq_kr_r64, Register::K1, Register::R11);
        let (load, store) = match self.to.lanes {
            2 => (Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256, Code::EVEX_Vmovdqu8_ymmm256_k1z_ymm),
            _ => (Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512, Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm),
        };
        let masked = |instruction: Result<Instruction, iced_x86::IcedError>, zeroing| {
            instruction.map(|mut masked| {
                masked.set_op_mask(Register::K1);
                masked.set_zeroing_masking(zeroing);
                masked
            })
        };
        let [block, text_register] = [block_number, text].map(|r| register_of(self.to.lanes, r));
        self.to.asm.made(masked(Instruction::with2(load, text_register, at(INPUT, before)), true));
        self.to.push(self.to.xor(block_number, block_number, text));
        self.to.asm.made(masked(Instruction::with2(store, at(OUTPUT, before), block), false));
        let cipher = if self.hashed == Some(Hashed::Output) { block } else { text_register };
        self.to.asm.made(masked(Instruction::with2(load, text_register, cipher), true));
        self.to.push(self.reversed(text, text));
        // The powers stand so that the last one is that of the last block, partial or not.
        let end = HASH_END as i32 + registers as i32 * register;
        let absorbed = self.absorb_last(registers, |left| (SCRATCH, end - left));
        self.to.write(absorbed);
        self.to.asm.two(Code::VEX_Vmovd_xmm_rm32, register_of(1, FIRST), Register::EAX);
        self.to.push(on(1, Operation::Add32, COUNTER, COUNTER, in_register(FIRST)));
    }

    /// Less than a register of text without masks: a whole block, and bytes one after another. They enter the block to absorb
    /// at its lowest byte, so that the first comes to stand highest.
    pub(super) fn last_bytes(&mut self, variant: &Variant, has_block: bool, leave: Label) {
        let lanes = std::mem::replace(&mut self.to.lanes, 1);
        if lanes > 1 && has_block {
            let after = self.to.asm.label();
            let one = self.fewer(1);
            self.turns(&one, after, false, false);
            self.to.asm.bind(after);
        }
        // The bytes of the key stream leave a register, and those of the ciphertext enter one.
        let (leaves, enters) = match self.to.encoding {
            Encoding::Legacy => (Code::Movd_rm32_xmm, Code::Movd_xmm_rm32),
            _ => (Code::VEX_Vmovd_rm32_xmm, Code::VEX_Vmovd_xmm_rm32),
        };
        self.to.asm.name("last");
        self.to.asm.two(Code::Test_rm64_r64, LEN, LEN);
        self.to.asm.jump(If::Zero, leave);
        let (stream, absorbed) = (self.blocks, self.absorbed(0));
        let mut code = self.last_stream(true);
        code.push(self.to.xor(absorbed, absorbed, absorbed));
        self.to.write(code);
        let byte = |base| indexed(base, LEFT, 1, 0);
        let (text, key_byte) = (SCRATCH, Register::R11);
        let up = Vector::of(Operation::BytesLeft(1), 1, Reg::Fixed(absorbed), Reg::Fixed(absorbed));
        let (again, pad) = (self.to.asm.label(), self.to.asm.label());
        self.to.asm.two(Code::Xor_r32_rm32, LEFT.full_register32(), LEFT.full_register32());
        self.to.asm.bind(again);
        self.to.asm.two(leaves, key_byte.full_register32(), register_of(1, stream));
        self.to.push(Vector::of(Operation::BytesRight(1), 1, Reg::Fixed(stream), Reg::Fixed(stream)));
        self.to.push(up);
        self.to.asm.made(Instruction::with2(Code::Movzx_r32_rm8, SCRATCH.full_register32(), byte(INPUT)));
        self.to.asm.two(Code::Xor_r32_rm32, key_byte.full_register32(), text.full_register32());
        self.to.asm.made(Instruction::with2(Code::Mov_rm8_r8, byte(OUTPUT), Register::R11L));
        if self.hashed == Some(Hashed::Output) {
            self.to.asm.two(Code::Movzx_r32_rm8, text.full_register32(), Register::R11L);
        }
        self.to.asm.two(enters, register_of(1, FIRST), text.full_register32());
        self.to.push(self.to.xor(absorbed, absorbed, FIRST));
        self.to.asm.add(LEFT, 1);
        self.to.asm.two(Code::Cmp_r64_rm64, LEFT, LEN);
        self.to.asm.jump(If::Below, again);
        self.to.asm.bind(pad);
        self.to.push(up);
        self.to.asm.add(LEFT, 1);
        self.to.asm.cmp(LEFT, 16);
        self.to.asm.jump(If::Below, pad);
        let absorbed = self.absorb_last(1, |left| (KEY, HASH_END as i32 - left));
        self.to.write(absorbed);
        if variant.on(Dim::Wipe) {
            for secret in [text, key_byte].map(Register::full_register32) {
                self.to.asm.two(Code::Xor_r32_rm32, secret, secret);
            }
        }
        self.to.lanes = lanes;
    }
}
