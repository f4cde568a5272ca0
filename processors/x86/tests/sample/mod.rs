//! Random instructions of a row: registers, memory forms, opmasks and immediates that the operand kinds of the
//! form allow.

use aesmith_x86::registers::gpr_number;
use aesmith_x86::table::{Form, Operation};
use iced_x86::{Code, EncodingKind, Instruction, OpCodeInfo, OpCodeOperandKind as Kind, OpKind, Register};
use rand::Rng;

/// The targets of a sample's rip-relative operands and branches.
#[derive(Clone, Copy)]
pub struct Targets {
    /// Address of rip-relative data.
    pub data: u64,
    /// Address of branch targets.
    pub code: u64,
}

/// One random instruction. `memory` requests the memory form if there is a choice.
pub fn sample(form: &Form, memory: bool, targets: Targets, rng: &mut impl Rng) -> Instruction {
    let op_code = form.code.op_code();
    let mut i = Instruction::new();
    i.set_code(form.code);
    for k in 0..op_code.op_count() {
        operand(&mut i, k, op_code, memory, targets, rng);
    }
    if matches!(form.operation, Operation::MaskOnes | Operation::MaskZero) {
        i.set_op2_register(i.op1_register());
    }
    // A read of ah, ch, dh or bh, which an instruction with a REX prefix cannot name.
    let plain = gpr_number(i.op0_register()).is_some_and(|(number, _)| number < 8);
    if form.code == Code::Movzx_r32_rm8 && i.op1_kind() == OpKind::Register && plain && rng.random() {
        i.set_op1_register(Register::AH + rng.random_range(0..4u32));
    }
    let touches_memory = (0..op_code.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
    // Only moves of vectors have semantics for a memory operand under an opmask.
    let maskable = !touches_memory || matches!(form.operation, Operation::Move(_));
    if op_code.can_use_op_mask_register() && maskable && rng.random_bool(0.5) {
        i.set_op_mask(Register::K0 + rng.random_range(1..8u32));
        let stores = i.op0_kind() == OpKind::Memory;
        i.set_zeroing_masking(op_code.can_use_zeroing_masking() && !stores && rng.random());
    }
    if touches_memory && op_code.can_broadcast() {
        i.set_is_broadcast(rng.random());
    }
    i
}

fn operand(i: &mut Instruction, k: u32, op: &OpCodeInfo, memory: bool, targets: Targets, rng: &mut impl Rng) {
    let register = |i: &mut Instruction, register| {
        i.set_op_kind(k, OpKind::Register);
        i.set_op_register(k, register);
    };
    let vectors = if op.encoding() == EncodingKind::EVEX { 32 } else { 16 };
    match op.op_kind(k) {
        Kind::mem => set_memory(i, k, targets, rng),
        Kind::r8_or_mem
        | Kind::r16_or_mem
        | Kind::r32_or_mem
        | Kind::r64_or_mem
        | Kind::xmm_or_mem
        | Kind::ymm_or_mem
        | Kind::zmm_or_mem
        | Kind::k_or_mem
            if memory =>
        {
            set_memory(i, k, targets, rng);
        }
        Kind::r8_or_mem | Kind::r8_reg | Kind::r8_opcode => {
            let number = gpr(rng);
            register(i, if number < 4 { Register::AL + number } else { Register::SPL + (number - 4) });
        }
        Kind::r16_or_mem | Kind::r16_reg | Kind::r16_opcode => register(i, Register::AX + gpr(rng)),
        Kind::r32_or_mem | Kind::r32_reg | Kind::r32_rm | Kind::r32_opcode | Kind::r32_vvvv => {
            register(i, Register::EAX + gpr(rng));
        }
        Kind::r64_or_mem | Kind::r64_reg | Kind::r64_rm | Kind::r64_opcode | Kind::r64_vvvv => {
            register(i, Register::RAX + gpr(rng));
        }
        Kind::xmm_or_mem | Kind::xmm_reg | Kind::xmm_rm | Kind::xmm_vvvv => {
            register(i, Register::XMM0 + rng.random_range(0..vectors as u32));
        }
        Kind::ymm_or_mem | Kind::ymm_reg | Kind::ymm_rm | Kind::ymm_vvvv => {
            register(i, Register::YMM0 + rng.random_range(0..vectors as u32));
        }
        Kind::zmm_or_mem | Kind::zmm_reg | Kind::zmm_rm | Kind::zmm_vvvv => {
            register(i, Register::ZMM0 + rng.random_range(0..vectors as u32));
        }
        Kind::k_or_mem | Kind::k_reg | Kind::k_rm | Kind::k_vvvv => {
            register(i, Register::K0 + rng.random_range(0..8u32));
        }
        Kind::al => register(i, Register::AL),
        Kind::eax => register(i, Register::EAX),
        Kind::rax => register(i, Register::RAX),
        Kind::imm8 => {
            // Often values at which counts end and selectors change.
            let edges = [0, 1, 4, 8, 15, 16, 31, 32, 63, 64, 0x88, 0xff];
            i.set_op_kind(k, OpKind::Immediate8);
            i.set_immediate8(if rng.random() {
                edges[rng.random_range(0..edges.len())]
            } else {
                rng.random()
            });
        }
        Kind::imm8_const_1 => {
            i.set_op_kind(k, OpKind::Immediate8);
            i.set_immediate8(1);
        }
        Kind::imm8sex32 => {
            i.set_op_kind(k, OpKind::Immediate8to32);
            i.set_immediate8to32(rng.random::<i8>().into());
        }
        Kind::imm8sex64 => {
            i.set_op_kind(k, OpKind::Immediate8to64);
            i.set_immediate8to64(rng.random::<i8>().into());
        }
        Kind::imm16 => {
            i.set_op_kind(k, OpKind::Immediate16);
            i.set_immediate16(rng.random());
        }
        Kind::imm32 => {
            i.set_op_kind(k, OpKind::Immediate32);
            i.set_immediate32(rng.random());
        }
        Kind::imm32sex64 => {
            i.set_op_kind(k, OpKind::Immediate32to64);
            i.set_immediate32to64(rng.random::<i32>().into());
        }
        Kind::imm64 => {
            i.set_op_kind(k, OpKind::Immediate64);
            i.set_immediate64(rng.random());
        }
        Kind::br64_1 | Kind::br64_4 => {
            i.set_op_kind(k, OpKind::NearBranch64);
            i.set_near_branch64(targets.code);
        }
        other => panic!("{:?}: samples need to know operand kind {other:?}", i.code()),
    }
}

/// Any general-purpose register but rsp, which the harness needs.
fn gpr(rng: &mut impl Rng) -> u32 {
    let number = rng.random_range(0..15);
    if number < 4 { number } else { number + 1 }
}

fn set_memory(i: &mut Instruction, k: u32, targets: Targets, rng: &mut impl Rng) {
    i.set_op_kind(k, OpKind::Memory);
    let shape = rng.random_range(0..5);
    if shape == 0 {
        i.set_memory_base(Register::RIP);
        i.set_memory_displ_size(8);
        i.set_memory_displacement64(targets.data);
        return;
    }
    i.set_memory_base(Register::RAX + gpr(rng));
    if shape >= 3 {
        i.set_memory_displ_size(1);
        i.set_memory_displacement64(rng.random_range(-300..300i64) as u64);
    }
    if shape % 2 == 0 {
        let index = loop {
            let index = Register::RAX + gpr(rng);
            if index != i.memory_base() {
                break index;
            }
        };
        i.set_memory_index(index);
        i.set_memory_index_scale(1 << rng.random_range(0..4));
    }
    debug_assert!(gpr_number(i.memory_base()).is_some());
}
