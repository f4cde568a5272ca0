//! Single faults in a kernel's bytes, to test the prover, which must refute each mutant unless it is still
//! correct.
//!
//! | fault | example |
//! |---|---|
//! | register | the next register as operand, or `rbx` |
//! | displacement | a memory operand one block or one byte further on |
//! | immediate | incremented by one |
//! | condition | `jb` becomes `jbe` or `jae` |
//! | round | `aesenc` becomes `aesenclast` or `aesdec` |
//! | dropped | the instruction is removed |
//! | constant | a byte of the pool differs |
//!
//! A fault is applied in place: no other instruction moves. Instructions whose loss never changes a result
//! (prefetches, fences, no-ops, `vzeroupper`) are not dropped. Other mutants may still be correct, such as a
//! loop that leaves one more block to the tail: a prover that proves one of these is right, and the tests of
//! [`aesmith_prove::Prover`] run each of them in the simulator.

use iced_x86::{
    Code, ConditionCode, Decoder, DecoderOptions, Encoder, FlowControl, Instruction, Mnemonic, OpKind,
    Register,
};

/// A kernel with one fault.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Offset of the fault, in bytes.
    pub offset: usize,
    /// Description of the fault.
    pub fault: String,
    /// All bytes.
    pub code: Vec<u8>,
}

/// The single-fault mutants of a kernel, ordered by offset.
pub fn mutants(code: &[u8]) -> impl Iterator<Item = Mutant> + '_ {
    let instructions = instructions(code);
    let end = instructions.last().map_or(0, |i| i.next_ip() as usize);
    let pool_start = instructions
        .iter()
        .filter(|i| i.is_ip_rel_memory_operand())
        .map(|i| i.ip_rel_memory_address() as usize)
        .min()
        .unwrap_or(code.len())
        .max(end);
    let in_code = instructions.into_iter().flat_map(move |i| of_instruction(code, &i));
    let in_pool = (pool_start..code.len()).step_by(5).map(move |offset| {
        let mut mutant = code.to_vec();
        mutant[offset] ^= 1;
        Mutant { offset, fault: format!("constant byte {offset:#x} differs in bit 0"), code: mutant }
    });
    in_code.chain(in_pool)
}

/// The instructions from the entry on, up to the end that no jump passes.
fn instructions(code: &[u8]) -> Vec<Instruction> {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let (mut list, mut furthest) = (Vec::new(), 0);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        list.push(instruction);
        let flow = instruction.flow_control();
        if matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch) {
            furthest = furthest.max(instruction.near_branch_target());
        }
        if matches!(flow, FlowControl::Return | FlowControl::UnconditionalBranch)
            && furthest <= instruction.ip()
        {
            break;
        }
    }
    list
}

fn of_instruction(code: &[u8], original: &Instruction) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut offer = |fault: String, instruction: &Instruction| {
        if let Some(mutant) = patched(code, original, instruction) {
            found.push(Mutant { offset: original.ip() as usize, fault, code: mutant });
        }
    };
    let harmless = matches!(
        original.mnemonic(),
        Mnemonic::Nop
            | Mnemonic::Endbr64
            | Mnemonic::Prefetcht0
            | Mnemonic::Prefetcht1
            | Mnemonic::Prefetcht2
            | Mnemonic::Prefetchnta
            | Mnemonic::Prefetchw
            | Mnemonic::Vzeroupper
            | Mnemonic::Vzeroall
    );
    if harmless {
        return found;
    }
    for operand in 0..original.op_count() {
        match original.op_kind(operand) {
            OpKind::Register => {
                let register = original.op_register(operand);
                for other in neighbours(register) {
                    let mut changed = *original;
                    changed.set_op_register(operand, other);
                    offer(format!("operand {operand} is {other:?}, not {register:?}"), &changed);
                }
            }
            OpKind::Memory if !original.is_ip_rel_memory_operand() => {
                for by in [16i64, -16, 1] {
                    let mut changed = *original;
                    let displacement = (original.memory_displacement64() as i64).wrapping_add(by);
                    changed.set_memory_displacement64(displacement as u64);
                    if changed.memory_displ_size() == 0 {
                        changed.set_memory_displ_size(1);
                    }
                    offer(format!("its address is {by:+}"), &changed);
                }
            }
            OpKind::Immediate8
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32
            | OpKind::Immediate32to64 => {
                for by in [1i64, -1, 16] {
                    let mut changed = *original;
                    let value = (original.immediate(operand) as i64).wrapping_add(by);
                    match original.op_kind(operand) {
                        OpKind::Immediate8 => changed.set_immediate8(value as u8),
                        OpKind::Immediate8to32 => changed.set_immediate8to32(value as i32),
                        OpKind::Immediate8to64 => changed.set_immediate8to64(value),
                        OpKind::Immediate32 => changed.set_immediate32(value as u32),
                        _ => changed.set_immediate32to64(value),
                    }
                    offer(format!("its immediate is {by:+}"), &changed);
                }
            }
            _ => {}
        }
    }
    for other in other_conditions(original.condition_code()) {
        let mut changed = *original;
        let code = with_condition(original.code(), other);
        if let Some(code) = code {
            changed.set_code(code);
            offer(format!("its condition is {other:?}"), &changed);
        }
    }
    if let Some(other) = other_round(original.code()) {
        let mut changed = *original;
        changed.set_code(other);
        offer("it is another round function".to_owned(), &changed);
    }
    // Returns cannot be dropped: no code follows them.
    if original.flow_control() != FlowControl::Return {
        let mut mutant = code.to_vec();
        mutant[original.ip() as usize..original.next_ip() as usize].fill(0x90);
        found.push(Mutant {
            offset: original.ip() as usize,
            fault: "it is not there".to_owned(),
            code: mutant,
        });
    }
    found
}

/// The kernel with one instruction replaced, if the replacement is no longer than the original.
fn patched(code: &[u8], original: &Instruction, changed: &Instruction) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    let length = encoder.encode(changed, original.ip()).ok()?;
    let bytes = encoder.take_buffer();
    if length > original.len() {
        return None;
    }
    let start = original.ip() as usize;
    let place = start..start + original.len();
    if code[place.clone()][..length] == bytes[..] {
        return None;
    }
    let mut mutant = code.to_vec();
    mutant[place.clone()].fill(0x90);
    mutant[start..start + length].copy_from_slice(&bytes);
    Some(mutant)
}

fn neighbours(register: Register) -> Vec<Register> {
    let next = |first: Register, count: u32| {
        let number = register as u32 - first as u32;
        let base = first as u32;
        Register::try_from((base + (number + 1) % count) as usize).ok()
    };
    let mut others = Vec::new();
    if register.is_xmm() {
        others.extend(next(Register::XMM0, 16));
    } else if register.is_ymm() {
        others.extend(next(Register::YMM0, 32));
    } else if register.is_zmm() {
        others.extend(next(Register::ZMM0, 32));
    } else if register.is_gpr64() {
        others.extend(next(Register::RAX, 16));
        others.push(Register::RBX);
    } else if register.is_gpr8() || register.is_gpr32() {
        others.push(if register.is_gpr8() { Register::BL } else { Register::EBX });
    }
    others.retain(|&other| other != register);
    others.dedup();
    others
}

fn other_conditions(condition: ConditionCode) -> Vec<ConditionCode> {
    use ConditionCode::{a, ae, b, be, e, ne};
    match condition {
        b => vec![be, ae],
        be => vec![b, a],
        ae => vec![a, b],
        a => vec![ae, be],
        e => vec![ne, be],
        ne => vec![e, a],
        _ => Vec::new(),
    }
}

/// A jump or move of the same form with another condition.
fn with_condition(code: Code, condition: ConditionCode) -> Option<Code> {
    use ConditionCode::{a, ae, b, be, e, ne};
    let index = |c| match c {
        b => Some(0),
        ae => Some(1),
        e => Some(2),
        ne => Some(3),
        be => Some(4),
        a => Some(5),
        _ => None,
    };
    const FORMS: [[Code; 6]; 3] = [
        [
            Code::Jb_rel8_64,
            Code::Jae_rel8_64,
            Code::Je_rel8_64,
            Code::Jne_rel8_64,
            Code::Jbe_rel8_64,
            Code::Ja_rel8_64,
        ],
        [
            Code::Jb_rel32_64,
            Code::Jae_rel32_64,
            Code::Je_rel32_64,
            Code::Jne_rel32_64,
            Code::Jbe_rel32_64,
            Code::Ja_rel32_64,
        ],
        [
            Code::Cmovb_r64_rm64,
            Code::Cmovae_r64_rm64,
            Code::Cmove_r64_rm64,
            Code::Cmovne_r64_rm64,
            Code::Cmovbe_r64_rm64,
            Code::Cmova_r64_rm64,
        ],
    ];
    let forms = FORMS.iter().find(|forms| forms.contains(&code))?;
    Some(forms[index(condition)?])
}

/// The last round for an inner one, and the reverse.
fn other_round(code: Code) -> Option<Code> {
    const PAIRS: [(Code, Code); 10] = [
        (Code::VEX_Vaesenc_xmm_xmm_xmmm128, Code::VEX_Vaesenclast_xmm_xmm_xmmm128),
        (Code::VEX_Vaesdec_xmm_xmm_xmmm128, Code::VEX_Vaesdeclast_xmm_xmm_xmmm128),
        (Code::VEX_Vaesenc_ymm_ymm_ymmm256, Code::VEX_Vaesenclast_ymm_ymm_ymmm256),
        (Code::VEX_Vaesdec_ymm_ymm_ymmm256, Code::VEX_Vaesdeclast_ymm_ymm_ymmm256),
        (Code::EVEX_Vaesenc_xmm_xmm_xmmm128, Code::EVEX_Vaesenclast_xmm_xmm_xmmm128),
        (Code::EVEX_Vaesdec_xmm_xmm_xmmm128, Code::EVEX_Vaesdeclast_xmm_xmm_xmmm128),
        (Code::EVEX_Vaesenc_ymm_ymm_ymmm256, Code::EVEX_Vaesenclast_ymm_ymm_ymmm256),
        (Code::EVEX_Vaesdec_ymm_ymm_ymmm256, Code::EVEX_Vaesdeclast_ymm_ymm_ymmm256),
        (Code::EVEX_Vaesenc_zmm_zmm_zmmm512, Code::EVEX_Vaesenclast_zmm_zmm_zmmm512),
        (Code::EVEX_Vaesdec_zmm_zmm_zmmm512, Code::EVEX_Vaesdeclast_zmm_zmm_zmmm512),
    ];
    PAIRS.iter().find_map(|&(inner, last)| {
        if code == inner {
            Some(last)
        } else if code == last {
            Some(inner)
        } else {
            None
        }
    })
}
