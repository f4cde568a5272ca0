//! The simulator (the semantics over bytes) runs whole functions, on any host: the CPU that runs the tests
//! executes none of their instructions.

use aesmith_cipher::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse};
use aesmith_cipher::problem::KeySize;
use aesmith_x86::concrete::{Bytes, Stop, zeroed};
use aesmith_x86::registers::gpr::RSP;
use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

const CODE: u64 = 0x1000;
const DATA: u64 = 0x8000;
const STACK: u64 = 0x9000;

fn encode(instructions: &[Instruction]) -> Vec<u8> {
    let mut encoder = Encoder::new(64);
    let mut ip = CODE;
    for i in instructions {
        ip += encoder.encode(i, ip).unwrap() as u64;
    }
    encoder.take_buffer()
}

fn memory(instructions: &[Instruction], data: Vec<u8>) -> Bytes {
    let mut memory = Bytes::default();
    memory.map(CODE, encode(instructions), false);
    memory.map(DATA, data, true);
    memory.map(STACK, vec![0; 64], true);
    memory
}

/// Four blocks at a time in a zmm register, with round keys broadcast from memory.
fn four_blocks(round: Code, last: Code, rounds: usize) -> Vec<Instruction> {
    let key = |n: usize| MemoryOperand::with_base_displ(Register::RDI, 16 * n as i64);
    let broadcast =
        |n| Instruction::with2(Code::EVEX_Vbroadcasti32x4_zmm_k1z_m128, Register::ZMM17, key(n)).unwrap();
    let apply = |code| Instruction::with3(code, Register::ZMM1, Register::ZMM1, Register::ZMM17).unwrap();
    let block = |register| MemoryOperand::with_base(register);
    let mut code = vec![
        Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, Register::ZMM1, block(Register::RSI))
            .unwrap(),
        broadcast(0),
        apply(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64),
    ];
    for n in 1..=rounds {
        code.push(broadcast(n));
        code.push(apply(if n == rounds { last } else { round }));
    }
    code.push(
        Instruction::with2(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, block(Register::RDX), Register::ZMM1)
            .unwrap(),
    );
    code.push(Instruction::with(Code::Retnq));
    code
}

#[test]
fn simulated_rounds_are_the_cipher() {
    for size in [KeySize::Aes128, KeySize::Aes192, KeySize::Aes256] {
        let key: Vec<u8> = (0..size.bytes() as u8).map(|i| i.wrapping_mul(37) ^ 0x5a).collect();
        let blocks: Vec<Block> =
            (0..4u8).map(|n| std::array::from_fn(|i| (n * 60) ^ (i as u8 * 13))).collect();
        type Cipher = fn(&[Block], Block) -> Block;
        for (keys, round, last, cipher) in [
            (
                expand_key(size, &key),
                Code::EVEX_Vaesenc_zmm_zmm_zmmm512,
                Code::EVEX_Vaesenclast_zmm_zmm_zmmm512,
                encrypt as Cipher,
            ),
            (
                expand_key_inverse(size, &key),
                Code::EVEX_Vaesdec_zmm_zmm_zmmm512,
                Code::EVEX_Vaesdeclast_zmm_zmm_zmmm512,
                decrypt as Cipher,
            ),
        ] {
            let data = [keys.concat(), blocks.concat(), vec![0; 64]].concat();
            let source = DATA + 16 * keys.len() as u64;
            let mut memory = memory(&four_blocks(round, last, size.rounds()), data);
            memory.call(&mut zeroed(), CODE, STACK, &[DATA, source, source + 64], 1000).unwrap();
            let expected: Vec<Block> = blocks.iter().map(|b| cipher(&keys, *b)).collect();
            assert_eq!(memory.at(source + 64, 64, false).unwrap(), expected.concat(), "AES-{}", size.bits());
        }
    }
}

/// Stores its third argument at the address in its second while counting it down to zero.
fn count_down() -> Vec<Instruction> {
    let place = MemoryOperand::with_base(Register::RSI);
    vec![
        Instruction::with2(Code::Mov_rm64_r64, place, Register::RDX).unwrap(),
        Instruction::with1(Code::Dec_rm64, Register::RDX).unwrap(),
        Instruction::with_branch(Code::Jne_rel8_64, CODE).unwrap(),
        Instruction::with(Code::Retnq),
    ]
}

#[test]
fn it_loops_and_returns() {
    let mut memory = memory(&count_down(), vec![0; 64]);
    let mut machine = zeroed();
    assert_eq!(memory.call(&mut machine, CODE, STACK, &[0, DATA, 5], 100), Ok(16));
    assert_eq!(memory.at(DATA, 8, false).unwrap(), 1u64.to_le_bytes());
    assert_eq!(machine.gpr[RSP], STACK + 8);
}

#[test]
fn it_stops_with_a_reason() {
    let mut counting = memory(&count_down(), vec![0; 64]);
    let mut call = |at, count| counting.call(&mut zeroed(), CODE, STACK, &[0, at, count], 100).unwrap_err();
    assert_eq!(call(DATA, 50), Stop::TooLong(100));
    assert_eq!(call(DATA + 57, 5), Stop::Unmapped { address: DATA + 57, size: 8, store: true });
    assert_eq!(call(CODE, 5), Stop::Unmapped { address: CODE, size: 8, store: true });

    let push = [Instruction::with1(Code::Push_r64, Register::RBX).unwrap(), Instruction::with(Code::Retnq)];
    let unbalanced = memory(&push, vec![]).call(&mut zeroed(), CODE, STACK + 32, &[], 100);
    assert_eq!(unbalanced, Err(Stop::Unbalanced(STACK + 24)));

    let place = MemoryOperand::with_base_displ(Register::RSI, 16);
    let aligned = [Instruction::with2(Code::VEX_Vmovdqa_ymm_ymmm256, Register::YMM3, place).unwrap()];
    let misaligned = memory(&aligned, vec![0; 64]).call(&mut zeroed(), CODE, STACK, &[0, DATA], 100);
    assert_eq!(misaligned, Err(Stop::Misaligned { address: DATA + 16, alignment: 32 }));

    // Accesses on which SSE encodings fault and AVX encodings do not.
    let place = MemoryOperand::with_base_displ(Register::RSI, 8);
    let sse = [Instruction::with2(Code::Pxor_xmm_xmmm128, Register::XMM3, place).unwrap()];
    let misaligned = memory(&sse, vec![0; 64]).call(&mut zeroed(), CODE, STACK, &[0, DATA], 100);
    assert_eq!(misaligned, Err(Stop::Misaligned { address: DATA + 8, alignment: 16 }));

    let unknown =
        memory(&[Instruction::with(Code::Cpuid)], vec![]).call(&mut zeroed(), CODE, STACK, &[], 100);
    let sentence = unknown.unwrap_err().to_string();
    assert!(sentence.contains("0x1000") && sentence.contains("no row for Cpuid"), "{sentence}");
}
