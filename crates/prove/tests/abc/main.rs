//! A second opinion on bit-sliced kernels: their machine code becomes a network of gates, and berkeley-abc compares it
//! with AES made of S-box tables, for every round key and block.
//!
//! It shares with the prover only the semantics that decompose an instruction into operations, not the meaning of the
//! operations. It compares all bits of one block of a group, with all keys and blocks free; where the prover has linear
//! forms and S-box atoms, `&cec` simulates, merges equal gates and asks a SAT solver.
//!
//! Needs Debian's berkeley-abc. Without it the tests print this and pass, but not under `CI=true`.

mod bits;
mod flags;
mod gates;
mod graph;
mod memory;
mod reference;

use aesmith_cipher::block;
use aesmith_x86::dimensions;
use aesmith_x86::kernels::{Kernel, build};
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;
use bits::Byte;
use graph::Graph;
use iced_x86::{Code, Decoder, DecoderOptions, Encoder, Instruction, Mnemonic};
use memory::Call;
use std::array::from_fn;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of round keys of AES-128.
const KEYS: usize = 11;
/// The index in a group of the block whose bits are compared.
const SAMPLED: usize = 5;

/// Variants, and the CPU level that each is built for: gates of two operands on 8 blocks, and three-input logic on 32.
const KERNELS: [(&str, &str); 2] = [
    ("aes128-ecb technique=bitsliced layout=sliced", "sse2"),
    ("aes128-ecb technique=bitsliced layout=sliced width=zmm", "avx512"),
];

fn kernel((variant, level): (&str, &str)) -> Kernel {
    let variant = dimensions::variant(variant).unwrap();
    let target = targets::of(REQUIREMENTS.level(level).unwrap());
    let kernel = build(&variant, &target).unwrap_or_else(|e| panic!("{variant} for {level}: {e}"));
    assert!(kernel.loop_blocks > SAMPLED, "{variant}: a group of {} blocks", kernel.loop_blocks);
    kernel
}

fn call(kernel: &Kernel, code: &[u8]) -> Call {
    let call = memory::call(code, KEYS, kernel.loop_blocks);
    call.unwrap_or_else(|e| panic!("{}: {}", kernel.variant, e.0))
}

/// The offsets of the code between the labels `body` and `body end`.
fn body(kernel: &Kernel) -> std::ops::Range<u64> {
    let place = |name: &str| {
        let found = kernel.places.iter().find(|(label, _)| *label == name);
        found.unwrap_or_else(|| panic!("{} has no place `{name}`", kernel.variant)).1 as u64
    };
    place("body")..place("body end")
}

/// AES of the sampled block of a group, with the same inputs as a kernel, in the same order.
fn specification(blocks: usize) -> (Graph, [Byte; 16]) {
    let mut graph = Graph::new();
    let (keys, input) = memory::inputs(&mut graph, KEYS, blocks);
    let output = reference::encrypt(&mut graph, &keys, input[SAMPLED]);
    (graph, output)
}

/// Pseudo-random numbers (xorshift), the same in each run.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// 64 random assignments of the inputs for a group of `blocks` blocks.
fn assignments(blocks: usize) -> Vec<u64> {
    let mut state = 0x1234_5678_9abc_def1;
    (0..128 * (KEYS + blocks)).map(|_| random(&mut state)).collect()
}

/// The verdict of `abc` on two networks.
#[derive(PartialEq, Eq, Debug)]
enum Verdict {
    Equivalent,
    NotEquivalent,
}

fn abc() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let found = ["berkeley-abc", "abc"]
        .iter()
        .find_map(|name| folders.iter().map(|f| f.join(name)).find(|path| path.is_file()));
    if found.is_none() {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "CI has no berkeley-abc: install it in .ci/run"
        );
        println!("skipped: no berkeley-abc or abc in PATH");
    }
    found
}

/// Compares two AIGER files with `&cec`. Any output but one of its two verdicts fails.
fn compare(abc: &Path, name: &str, left: &[u8], right: &[u8]) -> Verdict {
    let folder = std::env::temp_dir().join(format!("aesmith-abc-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("left.aig"), left).unwrap();
    std::fs::write(folder.join("right.aig"), right).unwrap();
    let run = Command::new(abc).args(["-q", "&r left.aig; &cec right.aig"]).current_dir(&folder).output();
    std::fs::remove_dir_all(&folder).ok();
    let run = run.unwrap_or_else(|e| panic!("{} does not start: {e}", abc.display()));
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{name}: {} fails: {text}", abc.display());
    let says = |sentence: &str| text.lines().filter(|line| line.starts_with(sentence)).count();
    match (says("Networks are equivalent."), says("Networks are NOT EQUIVALENT.")) {
        (1, 0) => Verdict::Equivalent,
        (0, 1) => Verdict::NotEquivalent,
        _ => panic!("{name}: no verdict in what {} says: {text}", abc.display()),
    }
}

/// The instruction with one gate changed: AND becomes OR, or one entry of three-input logic is flipped.
fn with_other_gate(instruction: &Instruction, entry: u64) -> Option<Instruction> {
    const OR_FOR_AND: [(Code, Code); 3] = [
        (Code::Pand_xmm_xmmm128, Code::Por_xmm_xmmm128),
        (Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32),
        (Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64),
    ];
    let mut changed = *instruction;
    if let Some((_, or)) = OR_FOR_AND.iter().find(|(and, _)| *and == instruction.code()) {
        changed.set_code(*or);
        return Some(changed);
    }
    if matches!(instruction.mnemonic(), Mnemonic::Vpternlogd | Mnemonic::Vpternlogq) {
        changed.set_immediate8(instruction.immediate8() ^ 1 << (entry % 8));
        return Some(changed);
    }
    None
}

/// The kernel with one gate of its body changed at a pseudo-random place, such that the sampled block differs under
/// random inputs (not every entry of three-input logic is ever used).
fn mutant(kernel: &Kernel, sound: &Call, state: &mut u64) -> (String, Call) {
    let body = body(kernel);
    let places: Vec<u64> = sound.trace.iter().copied().filter(|at| body.contains(at)).collect();
    let inputs = assignments(kernel.loop_blocks);
    let right = sound.graph.evaluate(&inputs, sound.output[SAMPLED].as_flattened());
    for _ in 0..10_000 {
        let at = places[random(state) as usize % places.len()];
        let code = &kernel.bytes[at as usize..];
        let instruction = Decoder::with_ip(64, code, at, DecoderOptions::NONE).decode();
        let Some(changed) = with_other_gate(&instruction, random(state) >> 32) else { continue };
        let mut encoder = Encoder::new(64);
        if encoder.encode(&changed, at).ok() != Some(instruction.len()) {
            continue;
        }
        let mut bytes = kernel.bytes.clone();
        bytes[at as usize..][..instruction.len()].copy_from_slice(&encoder.take_buffer());
        let mutant = call(kernel, &bytes);
        if mutant.graph.evaluate(&inputs, mutant.output[SAMPLED].as_flattened()) != right {
            return (format!("at offset {at:#x} `{changed}` for `{instruction}`"), mutant);
        }
    }
    panic!("{}: no gate in its body can be changed", kernel.variant);
}

/// The gates agree with the cipher on 64 random keys and blocks: a check of the networks that needs no abc.
#[test]
fn networks_agree_with_the_cipher() {
    for named in KERNELS {
        let kernel = kernel(named);
        let Call { graph, output, trace } = call(&kernel, &kernel.bytes);
        assert!(trace.iter().any(|at| body(&kernel).contains(at)), "{named:?}: its body is not executed");
        let inputs = assignments(kernel.loop_blocks);
        let (reference, expected) = specification(kernel.loop_blocks);
        let byte = |bits: &[u64], lane: usize| (0..8).fold(0, |b, i| b | ((bits[i] >> lane & 1) as u8) << i);
        let values = graph.evaluate(&inputs, output.as_flattened().as_flattened());
        let expected = reference.evaluate(&inputs, expected.as_flattened());
        for lane in 0..64 {
            let take = |bits: &[u64]| -> Vec<[u8; 16]> {
                bits.chunks(128).map(|block| from_fn(|i| byte(&block[8 * i..8 * i + 8], lane))).collect()
            };
            let (keys, blocks) = inputs.split_at(128 * KEYS);
            let encrypted: Vec<[u8; 16]> =
                take(blocks).iter().map(|b| block::encrypt(&take(keys), *b)).collect();
            assert_eq!(take(&values), encrypted, "{named:?}");
            assert_eq!(take(&expected), [encrypted[SAMPLED]], "the tables as gates");
        }
    }
}

/// `abc` finds the sampled block of this kernel equivalent to tables, and that of its mutants not equivalent.
fn second_opinion(named: (&str, &str)) {
    let Some(abc) = abc() else { return };
    let kernel = kernel(named);
    let (reference, expected) = specification(kernel.loop_blocks);
    let (right, right_gates) = reference.aiger(expected.as_flattened()).unwrap();
    let sampled = |call: &Call| call.graph.aiger(call.output[SAMPLED].as_flattened());
    let sound = call(&kernel, &kernel.bytes);
    let (left, gates) = sampled(&sound).unwrap_or_else(|e| panic!("{named:?}: {e}"));
    println!("{named:?}: {gates} gates against {right_gates} of tables");
    let verdict = compare(&abc, &format!("{}-sound", named.1), &left, &right);
    assert_eq!(verdict, Verdict::Equivalent, "{named:?}");
    let mut state = 0x0a0a_5a5a_1234_5678;
    for fault in 0..2 {
        let (what, wrong) = mutant(&kernel, &sound, &mut state);
        let (left, _) = sampled(&wrong).unwrap_or_else(|e| panic!("{named:?} {what}: {e}"));
        let verdict = compare(&abc, &format!("{}-fault-{fault}", named.1), &left, &right);
        println!("{named:?} {what}: {verdict:?}");
        assert_eq!(verdict, Verdict::NotEquivalent, "{named:?} {what}");
    }
}

#[test]
fn abc_agrees_on_gates_of_two_operands() {
    second_opinion(KERNELS[0]);
}

#[test]
fn abc_agrees_on_three_input_logic() {
    second_opinion(KERNELS[1]);
}
