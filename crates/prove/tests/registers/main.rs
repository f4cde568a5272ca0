//! The lanes machine has as many registers as its processor: kernels of a processor with 31 general-purpose registers
//! and a stack pointer, 32 vector registers and the flags NZCV run in the simulator and the prover of x86-64.

mod a64;

use a64::A64::{self, *};
use a64::{COUNTS, Decoded, SP, condition, execute};
use aesmith_cipher::{KeySize, Problem, block, modes};
use aesmith_isa::instructions::Flow;
use aesmith_isa::lanes::{Decision, Domain, Machine};
use aesmith_prove::Prover;
use aesmith_x86::concrete::{Bytes, Flags, zeroed};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Codes of conditions: different; unsigned greater or equal, less, greater.
const NE: u8 = 1;
const HS: u8 = 2;
const LO: u8 = 3;
const HI: u8 = 8;
const STATE: u8 = 31;
/// The first of the eleven vector registers of round keys.
const KEYS: u8 = 16;

fn problem() -> Problem {
    "aes128-ecb".parse().unwrap()
}

/// AES-128-ECB in registers that x86-64 lacks: x17, x28 and sp, v16 to v26 and v31.
fn kernel() -> Vec<A64> {
    let mut code = vec![Decrease { to: 3, from: 3, by: 16 }, Branch { condition: LO, distance: 0 }];
    code.extend([Lower { to: SP, from: SP, by: 16 }, Store { from: 28, base: SP }]);
    code.extend([Move { to: 28, from: 1 }, Move { to: 17, from: 2 }]);
    code.extend((0..11).map(|k| LoadVector { to: KEYS + k, base: 0, bytes: 16 * u16::from(k) }));
    let head = code.len();
    code.push(LoadVector { to: STATE, base: 28, bytes: 0 });
    for round in 0..10 {
        code.push(AesEncrypt { state: STATE, key: KEYS + round });
        if round < 9 {
            code.push(AesMix { to: STATE, from: STATE });
        }
    }
    code.extend([Xor { to: STATE, a: STATE, b: KEYS + 10 }, StoreVector { from: STATE, base: 17 }]);
    code.extend([28, 17].map(|pointer| Increase { to: pointer, from: pointer, by: 16 }));
    code.push(Decrease { to: 3, from: 3, by: 16 });
    code.push(Branch { condition: HS, distance: head as i32 - code.len() as i32 });
    code.push(Pop(28));
    code[1] = Branch { condition: LO, distance: code.len() as i32 - 1 };
    code.push(Return);
    code
}

fn bytes(code: &[A64]) -> Vec<u8> {
    code.iter().flat_map(|instruction| instruction.word().to_le_bytes()).collect()
}

/// The kernel with each instruction `from` replaced.
fn with(from: A64, to: A64) -> Vec<u8> {
    let mut code = kernel();
    let mut changed = 0;
    for instruction in code.iter_mut().filter(|instruction| **instruction == from) {
        *instruction = to;
        changed += 1;
    }
    assert!(changed > 0, "the kernel has no {from:?}");
    bytes(&code)
}

fn filled() -> Machine<Bytes> {
    Machine::filled(COUNTS, 0, [0; 16], 0, Flags::default())
}

#[test]
fn a_kernel_in_the_upper_registers_is_proved() {
    let proof = Prover::new::<Decoded>().prove(problem(), &bytes(&kernel()));
    let proof = proof.unwrap_or_else(|refutation| panic!("{refutation}"));
    assert_eq!((proof.constant_time(), proof.frame_bytes), ("CT2", 16));
    assert_eq!(proof.instructions, kernel().len());
    assert!(!proof.wiped, "it leaves round keys in v16 to v26");
}

#[test]
fn a_fault_in_an_upper_register_is_refused() {
    let last = Xor { to: STATE, a: STATE, b: KEYS + 10 };
    let again = |condition| Branch { condition, distance: -25 };
    for (from, to, why) in [
        (last, Xor { to: STATE, a: STATE, b: KEYS + 9 }, "output block 0 is key 9"),
        (Pop(28), Increase { to: SP, from: SP, by: 16 }, "x28 does not hold what it held at entry"),
        (Pop(28), Pop(29), "x28 does not hold what it held at entry"),
        (Pop(28), Increase { to: 28, from: 28, by: 0 }, "the stack pointer is not what it was"),
        (Move { to: 17, from: 2 }, Move { to: 30, from: 2 }, "not known to lie in any object"),
        (Move { to: 28, from: 1 }, Move { to: 28, from: 2 }, "it reads output block 0"),
        (Increase { to: 17, from: 17, by: 16 }, Increase { to: 17, from: 28, by: 16 }, "not known to lie"),
        (again(HS), again(HI), "it returns with only 1 blocks of the output written"),
        (again(HS), again(NE), "it may read outside of the input"),
    ] {
        let result = Prover::new::<Decoded>().prove(problem(), &with(from, to));
        let refutation = result.expect_err(&format!("{to:?} for {from:?} is proved")).to_string();
        assert!(refutation.contains(why), "{to:?} for {from:?}: {refutation}");
    }
}

/// `ret` jumps to x30, so a kernel that overwrites it does not return to its caller.
#[test]
fn a_changed_return_address_is_refused() {
    let mut prover = Prover::new::<Decoded>();
    let right = bytes(&kernel());
    prover.prove(problem(), &right).unwrap();
    for to in [28, 17, 3] {
        let mut code = kernel();
        let end = code.len() - 1;
        code.insert(end, Move { to: 30, from: to });
        let refutation = prover.prove_like(problem(), &bytes(&code), &right).expect_err("proved");
        assert!(refutation.to_string().contains("return address"), "{refutation}");
    }
}

/// The reduction to a kernel that is already proved follows the upper registers, too.
#[test]
fn a_kernel_with_other_registers_is_reduced() {
    let mut prover = Prover::new::<Decoded>();
    let right = bytes(&kernel());
    prover.prove(problem(), &right).unwrap();
    for (general, vectors) in [([28, 27], [31, 7]), ([17, 16], [16, 30]), ([28, 29], [20, 26])] {
        let code: Vec<A64> = kernel().into_iter().map(|i| i.renamed(general, vectors)).collect();
        assert_ne!(code, kernel());
        let proof = prover.prove_like(problem(), &bytes(&code), &right);
        let proof = proof.unwrap_or_else(|refutation| panic!("{general:?}, {vectors:?}: {refutation}"));
        assert!(proof.reduced_to.is_some(), "{general:?}, {vectors:?} is proved from scratch");
    }
    assert!(prover.reduce(problem(), &with(Pop(28), Pop(29)), &right).is_none());
}

#[test]
fn a_kernel_in_the_upper_registers_computes_the_cipher() {
    const AT: [u64; 4] = [0x1000, 0x2000, 0x3000, 0x8000];
    let (code, key) = (kernel(), [0x5a; 16]);
    for blocks in 0..5 {
        let input: Vec<u8> = (0..16 * blocks as u8).collect();
        let mut memory = Bytes::default();
        memory.map(AT[0], block::expand_key(KeySize::Aes128, &key).concat(), false);
        memory.map(AT[1], input.clone(), false);
        memory.map(AT[2], vec![0; input.len()], true);
        memory.map(AT[3] - 64, vec![0; 64], true);
        let mut machine = filled();
        for (number, word) in machine.gpr.iter_mut().enumerate() {
            *word = 0xabcd_0000 + number as u64;
        }
        machine.gpr[..3].copy_from_slice(&AT[..3]);
        machine.gpr[3] = input.len() as u64;
        machine.gpr[usize::from(SP)] = AT[3];
        let mut at = 0;
        loop {
            let instruction = code[at as usize / 4];
            at = match execute(&mut machine, &mut memory, (at, Some(instruction))).unwrap() {
                Flow::Branch { target, decision: Decision::Taken } => target,
                Flow::Return => break,
                _ => at + 4,
            };
        }
        let written = memory.at(AT[2], input.len(), false).unwrap().to_vec();
        assert_eq!(written, modes::message(problem(), &key, [0; 16], &input).0, "{blocks} blocks");
        assert_eq!(machine.gpr[19..31], core::array::from_fn::<_, 12, _>(|k| 0xabcd_0013 + k as u64));
        assert_eq!(machine.gpr[usize::from(SP)], AT[3]);
    }
}

/// NZCV after an addition, as the manual's `AddWithCarry` defines them, and the result.
fn add_with_carry(a: u64, b: u64, carry: bool) -> (u64, [bool; 4]) {
    let unsigned = u128::from(a) + u128::from(b) + u128::from(carry);
    let signed = i128::from(a.cast_signed()) + i128::from(b.cast_signed()) + i128::from(carry);
    let sum = unsigned as u64;
    (sum, [sum >> 63 == 1, sum == 0, u128::from(sum) != unsigned, i128::from(sum.cast_signed()) != signed])
}

/// The manual's `ConditionHolds`.
fn holds(code: u8, [n, z, c, v]: [bool; 4]) -> bool {
    let base = match code >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        _ => n == v && !z,
    };
    base != (code & 1 == 1)
}

#[test]
fn the_flags_are_nzcv() {
    let mut rng = ChaCha8Rng::seed_from_u64(0x6e7a_6376);
    let mut memory = Bytes::default();
    let mut machine = filled();
    // The manual leaves NZCV at entry open; a first comparison sets them.
    execute(&mut machine, &mut memory, (0, Some(Decrease { to: 0, from: 0, by: 0 }))).unwrap();
    let mut flags = add_with_carry(0, !0, true).1;
    let mut seen = [[false; 2]; 14];
    for _ in 0..20_000 {
        let mut operand = || match rng.random_range(0..4) {
            0 => rng.random_range(0..3u64),
            1 => u64::MAX - rng.random_range(0..3u64),
            2 => (1 << 63) - rng.random_range(0..2u64),
            _ => rng.random(),
        };
        let (a, b) = (operand(), operand());
        let (subtracts, carries) = (rng.random(), rng.random());
        (machine.gpr[29], machine.gpr[30]) = (a, b);
        let sum = Sum { subtracts, carries, to: 28, a: 29, b: 30 };
        execute(&mut machine, &mut memory, (0, Some(sum))).unwrap();
        let carry = if carries { flags[2] } else { subtracts };
        let wanted;
        (wanted, flags) = add_with_carry(a, if subtracts { !b } else { b }, carry);
        assert_eq!(machine.gpr[28], wanted, "{sum:?} of {a:#x} and {b:#x}, carry {carry}");
        for code in 0..14 {
            let decision = memory.branch(condition(code).unwrap(), machine.flags).unwrap();
            let taken = decision == Decision::Taken;
            assert_eq!(taken, holds(code, flags), "condition {code} after {sum:?} of {a:#x} and {b:#x}");
            seen[usize::from(code)][usize::from(taken)] = true;
        }
    }
    assert_eq!(seen, [[true; 2]; 14], "conditions that held, and did not");
}

#[test]
fn a_machine_has_the_registers_of_its_processor() {
    let (here, there) = (zeroed(), filled());
    assert_eq!((here.gpr.len(), here.vector.len(), here.mask.len()), (16, 32, 8));
    assert_eq!((there.gpr.len(), there.vector.len(), there.mask.len()), (32, 32, 0));
    assert_eq!(here.gpr.get(16), None);
}
