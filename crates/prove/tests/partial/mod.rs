//! Loads and stores that are unaligned, overlapping or partial: a branch on a loaded value is accepted only if no byte
//! of it is secret, according to a model of the stack in bytes. Tests every size at every offset over every mixture of
//! slots, and sequences of stores of every size.

use crate::corpus;
use aesmith_cipher::Problem;
use aesmith_x86::instructions::prover;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The contents of a byte of the stack.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Byte {
    Secret,
    Public,
    Unwritten,
}

/// The source of a stored value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Source {
    Key,
    Number,
    Caller,
}

const SOURCES: [Source; 3] = [Source::Key, Source::Number, Source::Caller];

/// The number of bytes below the return address.
const LOWEST: i64 = 40;

struct Stack([Byte; LOWEST as usize + 8]);

impl Stack {
    fn new() -> Self {
        let mut bytes = [Byte::Unwritten; LOWEST as usize + 8];
        bytes[LOWEST as usize..].fill(Byte::Public);
        Stack(bytes)
    }

    fn store(&mut self, at: i64, size: i64, source: Source) {
        let byte = if source == Source::Key { Byte::Secret } else { Byte::Public };
        self.0[(at + LOWEST) as usize..(at + LOWEST + size) as usize].fill(byte);
    }

    /// The bytes of a load; `None` if one of them is the caller's.
    fn load(&self, at: i64, size: i64) -> Option<&[Byte]> {
        self.0.get((at + LOWEST) as usize..(at + LOWEST + size) as usize)
    }
}

/// Loads a source into rax, or into xmm1 if `size` is 16.
fn take(code: &mut Vec<u8>, size: i64, source: Source) {
    match (source, size) {
        (Source::Key, 16) => code.extend([0xc5, 0xfa, 0x6f, 0x0f]),
        (Source::Key, _) => code.extend([0x48, 0x8b, 0x07]),
        // vpxor xmm1, xmm1, xmm1; mov eax, 0x12345678
        (Source::Number, 16) => code.extend([0xc5, 0xf1, 0xef, 0xc9]),
        (Source::Number, _) => code.extend([0xb8, 0x78, 0x56, 0x34, 0x12]),
        // vmovq xmm1, rbx; mov rax, rbx
        (Source::Caller, 16) => code.extend([0xc4, 0xe1, 0xf9, 0x6e, 0xcb]),
        (Source::Caller, _) => code.extend([0x48, 0x89, 0xd8]),
    }
}

fn store(code: &mut Vec<u8>, at: i64, size: i64) {
    match size {
        1 => code.extend([0x88, 0x44, 0x24]),
        2 => code.extend([0x66, 0x89, 0x44, 0x24]),
        4 => code.extend([0x89, 0x44, 0x24]),
        8 => code.extend([0x48, 0x89, 0x44, 0x24]),
        _ => code.extend([0xc5, 0xfa, 0x7f, 0x4c, 0x24]),
    }
    code.push(at as u8);
}

/// Loads a value and branches on it; both ways continue at the same place.
fn branch_on(code: &mut Vec<u8>, at: i64, size: i64) {
    match size {
        1 => code.extend([0x0f, 0xb6, 0x44, 0x24]),
        2 => code.extend([0x0f, 0xb7, 0x44, 0x24]),
        4 => code.extend([0x8b, 0x44, 0x24]),
        8 => code.extend([0x48, 0x8b, 0x44, 0x24]),
        _ => code.extend([0xc5, 0xfa, 0x6f, 0x4c, 0x24]),
    }
    code.push(at as u8);
    let branch = [0x48, 0x85, 0xc0, 0x74, 0x00];
    if size == 16 {
        // vmovq rax, xmm1; vpextrq rax, xmm1, 1
        code.extend([0xc4, 0xe1, 0xf9, 0x7e, 0xc8]);
        code.extend(branch);
        code.extend([0xc4, 0xe3, 0xf9, 0x16, 0xc8, 0x01]);
    }
    code.extend(branch);
}

/// A correct kernel, which follows the code under test.
fn template() -> (Problem, Vec<u8>) {
    let mut cases = corpus::files().into_iter().flat_map(|(_, cases)| cases);
    let (case, code) = cases.find(|(case, _)| case.name == "template").expect("the template");
    assert!(!case.why.is_empty() && case.verdict.is_some());
    (case.problem, code)
}

#[test]
fn loads_of_every_size_at_every_offset_are_as_secret_as_any_byte() {
    let (problem, template) = template();
    let mut prover = prover();
    let (mut refused, mut proved) = (0, 0);
    for mixture in 0..27usize {
        let slots =
            [-8, -16, -24].map(|at: i64| (at, SOURCES[mixture / 3usize.pow((-at / 8 - 1) as u32) % 3]));
        let (mut stack, mut before) = (Stack::new(), Vec::new());
        for (at, source) in slots {
            take(&mut before, 8, source);
            store(&mut before, at, 8);
            stack.store(at, 8, source);
        }
        for size in [1, 2, 4, 8, 16] {
            for at in -32..8 {
                let mut code = before.clone();
                branch_on(&mut code, at, size);
                code.extend(&template);
                let right =
                    stack.load(at, size).is_some_and(|bytes| bytes.iter().all(|&byte| byte == Byte::Public));
                let found = prover.prove(problem, &code);
                assert_eq!(found.is_ok(), right, "{slots:?}, {size} bytes at {at}: {found:?}");
                match right {
                    true => proved += 1,
                    false => refused += 1,
                }
            }
        }
    }
    assert_eq!(
        (refused + proved, proved > 500, refused > 3000),
        (27 * 5 * 40, true, true),
        "{refused} {proved}"
    );
}

#[test]
fn stores_of_every_size_make_no_secret_public() {
    let (problem, template) = template();
    let mut prover = prover();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut leaks, mut proved) = (0, 0);
    for _ in 0..20_000 {
        let (mut stack, mut code) = (Stack::new(), Vec::new());
        let mut said = Vec::new();
        // Whole slots come first, so that most of the bytes loaded were written.
        for at in [-8, -16, -24] {
            let source = SOURCES[random.random_range(0..3)];
            take(&mut code, 8, source);
            store(&mut code, at, 8);
            stack.store(at, 8, source);
            said.push((at, 8, source));
        }
        for _ in 0..random.random_range(1..5) {
            let size = [1, 2, 4, 8, 16][random.random_range(0..5)];
            let at = random.random_range(-32..=-size);
            let source = SOURCES[random.random_range(0..3)];
            take(&mut code, size, source);
            store(&mut code, at, size);
            stack.store(at, size, source);
            said.push((at, size, source));
        }
        let size = [1, 2, 4, 8, 16][random.random_range(0..5)];
        let at = random.random_range(-32..8);
        branch_on(&mut code, at, size);
        code.extend(&template);
        let right = stack.load(at, size).is_some_and(|bytes| bytes.iter().all(|&b| b == Byte::Public));
        // The prover may refuse more: it does not split unknown values into parts.
        let found = prover.prove(problem, &code);
        assert!(right || found.is_err(), "{said:?}, {size} bytes at {at} are proved");
        leaks += usize::from(!right);
        proved += usize::from(found.is_ok());
    }
    assert!(leaks > 5000 && proved > 1000, "{leaks} leak, {proved} are proved");
}
