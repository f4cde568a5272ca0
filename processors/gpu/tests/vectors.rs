//! Published vectors and NIST's Monte Carlo chains on kernels of grids, in our interpreter, run from the
//! emitted text.

#[path = "../../../tests/vectors/mod.rs"]
mod known_answers;

use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_gpu::table::{LAUNCH, isa};
use aesmith_gpu::{TABLE, kernels, text};
use aesmith_processor::grid::GridKernel;
use aesmith_processor::grid::machine::{Call, Stream, run};
use known_answers::{Answers, Block, Vector, read};

/// The kernel parsed from its emitted text.
fn kernel(problem: Problem, choices: &str) -> GridKernel {
    let threads = if choices.contains("bitsliced") { "warps=1" } else { "threads=128" };
    let variant = TABLE.parse(&format!("{problem} {threads} {choices}")).expect("a variant");
    let mut kernel = kernels::build(&variant).expect("is built");
    kernel.program = text::read(&text::print(&kernel.program)).expect("is read");
    kernel
}

/// The output of a kernel for messages: those of several streams in one launch, others in one each.
fn made(kernel: &GridKernel, messages: &[Vector]) -> Vec<Vec<u8>> {
    let whole = |vector: &Vector| {
        let mut text = vector.input.clone();
        text.resize(text.len().next_multiple_of(16), 0);
        text
    };
    let call = |messages: &[Vector], streams: &[Stream]| {
        let keys: Vec<u8> =
            messages.iter().flat_map(|vector| kernel.contract.key_bytes(&vector.key)).collect();
        let input: Vec<u8> = messages.iter().flat_map(whole).collect();
        let of_a_stream = if kernel.variant.text_of("keys") == Some("group") { 16 } else { 1 };
        let threads = of_a_stream * streams.len().max(1) as u32;
        let call = Call {
            blocks: threads.div_ceil(kernel.program.threads),
            key: &keys,
            iv: messages[0].iv,
            input: &input,
            elements: kernel.contract.elements(),
            streams,
            in_place: false,
        };
        let ran = run(isa(), &LAUNCH, &kernel.program, &call);
        ran.unwrap_or_else(|e| panic!("{}: {e}", kernel.variant)).output
    };
    if !kernel.program.has_streams() {
        return messages.iter().map(|vector| call(std::slice::from_ref(vector), &[])).collect();
    }
    let blocks = |vector: &Vector| vector.input.len().div_ceil(16) as u64;
    let streams: Vec<Stream> =
        messages.iter().map(|vector| Stream { blocks: blocks(vector), iv: vector.iv }).collect();
    let mut output = &call(messages, &streams)[..];
    let lengths = streams.iter().map(|stream| 16 * stream.blocks as usize);
    lengths.map(|length| output.split_off(..length).expect("is as long").to_vec()).collect()
}

fn check(kernel: &GridKernel, messages: &[Vector]) {
    assert!(!messages.is_empty(), "{}", kernel.variant);
    for (vector, made) in messages.iter().zip(made(kernel, messages)) {
        let Vector { key, output, .. } = vector;
        assert!(made[..output.len()] == output[..], "{} under {key:02x?}", kernel.variant);
    }
}

#[test]
fn known_answers_come_of_streams_with_a_key_each() {
    for (size, choices) in
        KeySize::ALL.into_iter().zip(["keys=thread tables=1", "keys=group", "keys=thread tables=2 blocks=2"])
    {
        let answers = Answers::new(size);
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let task = Task::Ecb(direction);
            check(&kernel(Problem::new(size, task), choices), &answers.messages(task, 1));
        }
        let task = Task::CbcEncrypt { streams: 1 };
        check(&kernel(Problem::new(size, task), "schedule=once"), &answers.messages(task, 1));
    }
}

#[test]
fn known_answers_come_of_launches_of_their_own() {
    for size in KeySize::ALL {
        let answers = Answers::new(size);
        for choices in ["tables=1 replicas=4", "counter=cached", "technique=bitsliced"] {
            check(&kernel(Problem::new(size, Task::Ctr), choices), &answers.ctr);
        }
        check(
            &kernel(Problem::new(size, Task::CbcDecrypt), "tables=1"),
            &answers.messages(Task::CbcDecrypt, 1)[..4],
        );
    }
}

/// The results of NIST's Monte Carlo test of a mode, for one key size.
fn results(mode: &str, size: KeySize) -> Vec<Vector> {
    let all = known_answers::MONTE_CARLO.iter().flat_map(|file| read(file));
    let all: Vec<Vector> = all.filter(|v| v.mode == mode && v.key.len() == size.bytes()).collect();
    assert_eq!(all.len(), 100, "results of {mode}");
    all
}

/// A thousand zero blocks in CBC encryption compute ECB's test: each block encrypts the previous one, and the
/// initial vector is the first text.
#[test]
fn monte_carlo_chains_go_through_streams() {
    for size in KeySize::ALL {
        let kernel = kernel(Problem::new(size, Task::CbcEncrypt { streams: 1 }), "tables=1 schedule=once");
        let mut wanted: Vec<Block> = Vec::new();
        let chains: Vec<Vector> = results("ecb", size)
            .into_iter()
            .step_by(50)
            .map(|result| {
                wanted.push(result.output[..].try_into().expect("a block"));
                let iv = result.input[..].try_into().expect("a block");
                Vector { iv, input: vec![0; 16_000], ..result }
            })
            .collect();
        for (chain, wanted) in made(&kernel, &chains).iter().zip(wanted) {
            assert_eq!(chain[chain.len() - 16..], wanted, "{}", kernel.variant);
        }
    }
}

/// For the first result, all thousand launches, each of which encrypts the output of the previous one.
#[test]
fn monte_carlo_chains_go_through_launches() {
    for (mode, task, choices) in [
        ("ecb", Task::Ecb(Direction::Encrypt), "tables=1 replicas=4"),
        ("ecb-dec", Task::Ecb(Direction::Decrypt), "tables=1 replicas=4"),
        // The counter is the block to be encrypted, and the text is zero.
        ("ecb", Task::Ctr, "tables=1 replicas=4"),
    ] {
        let kernel = kernel(Problem::new(KeySize::Aes256, task), choices);
        let result = results(mode, KeySize::Aes256).swap_remove(0);
        let mut vector = result.clone();
        if task == Task::Ctr {
            vector.iv = vector.input[..].try_into().expect("a block");
            vector.input = vec![0; 16];
        }
        for _ in 0..1000 {
            let made = made(&kernel, std::slice::from_ref(&vector)).swap_remove(0);
            match task {
                Task::Ctr => vector.iv = made.try_into().expect("a block"),
                _ => vector.input = made,
            }
        }
        let last = if task == Task::Ctr { vector.iv.to_vec() } else { vector.input };
        assert_eq!(last, result.output, "{}", kernel.variant);
    }
}
