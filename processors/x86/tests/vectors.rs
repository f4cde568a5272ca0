//! Published test vectors, run through every family of kernels and through a sample of each technique that
//! covers its options in pairs, with key structures that kernels made.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::families;
use crate::families::{KeySetUp, Ready};
use crate::known_answers::{Answers, Block, Pair, Vector};
use crate::native::{Bytes, key_structure};
use aesmith_arrange::Technique;
use aesmith_cipher::{Direction, KeySize, Problem, Task, contract, problem::STREAMS};
use std::collections::BTreeMap;

/// Key structures by key, made by alternating between two kernels.
type Structures = BTreeMap<Vec<u8>, Vec<u8>>;

/// The published vectors for one key size, as messages of one task.
struct Published {
    task: Task,
    answers: Answers,
    /// Whole messages, and each key's blocks as one message long enough for the widest loop. Messages for
    /// several streams are shuffled, so that neighbors differ in length.
    messages: Vec<Vector>,
    /// One in `every` answers is also embedded in a long message.
    every: usize,
    /// The text that CTR encrypts.
    text: Vec<u8>,
}

/// Length in blocks: the widest loops on whole blocks process 60 per iteration (15 zmm registers), those on bit
/// slices 128.
const LONG: usize = 130;

impl Published {
    fn new(problem: Problem, every: usize) -> Published {
        let (task, answers, mut bytes) = (problem.task, Answers::new(problem.key), Bytes(22));
        let streams = problem.streams() > 1;
        let mut messages = Vec::new();
        if task != Task::Ctr {
            messages = answers.messages(task, 1);
            // 16 streams need as many messages as one to be filled.
            let long = answers.messages(task, if streams { 33 } else { LONG });
            messages.extend(long.into_iter().step_by(every));
        }
        for i in (1..messages.len()).rev().filter(|_| streams) {
            messages.swap(i, bytes.below(i + 1));
        }
        assert!(answers.ctr.len() >= 3 && answers.blocks.len() > 500 && answers.cbc.len() > 10);
        Published { task, answers, messages, every, text: bytes.take(16 * (2 * LONG + 8)) }
    }

    /// Key structures of all keys.
    fn structures(&self, set_up: &KeySetUp) -> Structures {
        let answers = &self.answers;
        let published = answers.cbc.iter().chain(&answers.ctr).map(|vector| &vector.key);
        let made = answers.blocks.keys().chain(published).enumerate().map(|(i, key)| {
            let mut both = set_up.structures(key);
            (key.clone(), both.swap_remove(i % both.len()))
        });
        made.collect()
    }

    /// Runs all vectors through a kernel.
    fn check(&self, ready: &Ready, structures: &Structures) {
        let streams = ready.kernel.variant.problem.streams();
        match self.task {
            Task::Ctr => {
                self.counters(ready, structures);
                self.cut_messages(ready, structures);
            }
            _ if streams > 1 => self.streams(ready, structures, streams),
            _ => self.whole_messages(ready, structures),
        }
    }

    fn whole_messages(&self, ready: &Ready, structures: &Structures) {
        assert!(ready.kernel.loop_blocks < LONG, "a pass of {}", ready.kernel.variant);
        for vector in &self.messages {
            let (_, output) = run(ready, &structures[&vector.key], vector);
            assert!(output == vector.output, "{}\nunder {:02x?}", ready.kernel.variant, vector.key);
        }
    }

    /// CTR from one-block answers: the counter of block `k` is the published plaintext block, so block `k` of
    /// the key stream is its ciphertext block. Counting up to plaintext blocks like 80..00 and ff..f0 carries
    /// into every byte.
    fn counters(&self, ready: &Ready, structures: &Structures) {
        let mut bytes = Bytes(21);
        for (key, pairs) in &self.answers.blocks {
            for pair in pairs {
                let long = 2 * ready.kernel.loop_blocks.min(LONG) + 2;
                let most = if bytes.below(self.every) == 0 { long } else { 3 };
                let before = bytes.below(most);
                let length = 16 * before + 1 + bytes.below(64);
                self.counter(ready, key, &structures[key], pair, before, length);
            }
        }
    }

    /// The answer of one block, `before` blocks into a message.
    fn counter(
        &self,
        ready: &Ready,
        key: &[u8],
        structure: &[u8],
        (plain, cipher): &Pair,
        before: usize,
        length: usize,
    ) {
        let first = u128::from_be_bytes(*plain).wrapping_sub(before as u128);
        let (text, output) = (&self.text[..length], Vec::new());
        let vector = Vector {
            mode: "ctr".into(),
            key: key.to_vec(),
            iv: first.to_be_bytes(),
            input: text.to_vec(),
            output,
        };
        let (next, output) = run(ready, structure, &vector);
        let stream = output.iter().zip(text).map(|(o, t)| o ^ t).skip(16 * before);
        let context = || format!("{}\nblock {before} of {length} bytes", ready.kernel.variant);
        assert!(stream.zip(cipher).all(|(got, c)| got == *c), "{}", context());
        let past = first.wrapping_add(length.div_ceil(16) as u128);
        assert_eq!(u128::from_be_bytes(next), past, "counter: {}", context());
    }

    /// Messages in CTR, whole and split at every multiple of a block.
    fn cut_messages(&self, ready: &Ready, structures: &Structures) {
        for vector in &self.answers.ctr {
            for cut in (0..=vector.input.len()).step_by(16) {
                let (start, end) = vector.input.split_at(cut);
                let start = Vector { input: start.to_vec(), ..vector.clone() };
                let (iv, mut output) = run(ready, &structures[&vector.key], &start);
                let end = Vector { iv, input: end.to_vec(), ..vector.clone() };
                output.extend(run(ready, &structures[&vector.key], &end).1);
                assert!(output == vector.output, "{}\ncut at {cut}", ready.kernel.variant);
            }
        }
    }

    /// Messages with different keys and lengths, as many per call as the kernel has streams.
    fn streams(&self, ready: &Ready, structures: &Structures, streams: usize) {
        for vectors in self.messages.chunks_exact(streams) {
            for (stream, (output, vector)) in
                run_streams(ready, structures, vectors).iter().zip(vectors).enumerate()
            {
                assert!(*output == vector.output, "{}\nstream {stream}", ready.kernel.variant);
            }
        }
    }
}

fn run(ready: &Ready, structure: &[u8], vector: &Vector) -> (Block, Vec<u8>) {
    let (mut iv, length) = (vector.iv, vector.input.len());
    let mut output = vec![0x5a; length + 16];
    let problem = ready.kernel.variant.problem;
    let (input, to) = (vector.input.as_ptr(), output.as_mut_ptr());
    // SAFETY: a kernel of its problem, that problem's key structure, whole buffers.
    unsafe { ready.code.message(problem, structure, &mut iv, input, to, length) };
    assert_eq!(output.split_off(length), [0x5a; 16], "past the end: {}", ready.kernel.variant);
    (iv, output)
}

fn run_streams(ready: &Ready, structures: &Structures, vectors: &[Vector]) -> Vec<Vec<u8>> {
    let mut ivs: Vec<Block> = vectors.iter().map(|v| v.iv).collect();
    let mut outputs: Vec<Vec<u8>> = vectors.iter().map(|v| vec![0; v.input.len()]).collect();
    // SAFETY: a kernel of this many streams, key structures of its problem, whole buffers.
    unsafe {
        ready.code.streams(
            &vectors.iter().map(|v| structures[&v.key].as_ptr()).collect::<Vec<_>>(),
            &ivs.iter_mut().map(|iv| iv.as_mut_ptr()).collect::<Vec<_>>(),
            &vectors.iter().map(|v| v.input.as_ptr()).collect::<Vec<_>>(),
            &outputs.iter_mut().map(|o| o.as_mut_ptr()).collect::<Vec<_>>(),
            &vectors.iter().map(|v| v.input.len()).collect::<Vec<_>>(),
        );
    }
    outputs
}

/// Key schedules and counter tables of every published key, by each method, equal those of the oracle.
fn key_set_up(technique: Technique) {
    for (target, size) in families::targets(technique).flat_map(|t| KeySize::ALL.map(|size| (t, size))) {
        let answers = Answers::new(size);
        for (task, end) in
            [(Task::Ctr, contract::TABLE_OFFSET + contract::TABLE_BYTES), (Task::CbcDecrypt, 256)]
        {
            let problem = Problem::new(size, task);
            let set_up = KeySetUp::by(problem, technique, &target);
            for key in answers.blocks.keys() {
                let expected = key_structure(problem, key);
                let made = set_up.structures(key);
                assert_eq!(made.len(), 2);
                for structure in made {
                    assert_eq!(structure[..end], expected[..end], "{problem} by {technique} {key:02x?}");
                }
            }
        }
    }
}

mod key_set_up {
    by_each_technique!(key_set_up);
}

/// Every family of AES instructions.
fn families_of(tasks: &[Task]) {
    for problem in tasks.iter().flat_map(|task| KeySize::ALL.map(|size| Problem::new(size, *task))) {
        let Some(set_up) = KeySetUp::new(problem) else { return };
        let published = Published::new(problem, 1);
        let structures = published.structures(&set_up);
        families::each(problem, |ready| published.check(ready, &structures));
    }
}

#[test]
fn ecb() {
    families_of(&[Task::Ecb(Direction::Encrypt), Task::Ecb(Direction::Decrypt)]);
}

#[test]
fn cbc() {
    families_of(&[Task::CbcEncrypt { streams: 1 }, Task::CbcDecrypt]);
}

#[test]
fn ctr() {
    families_of(&[Task::Ctr]);
}

#[test]
fn cbc_streams() {
    let several = STREAMS.into_iter().filter(|&streams| streams > 1);
    families_of(&several.map(|streams| Task::CbcEncrypt { streams }).collect::<Vec<_>>());
}

/// Every family of a technique, with key structures that its own kernels made on the same level.
fn family(technique: Technique) {
    families::each_family(technique, |ready| {
        let problem = ready.kernel.variant.problem;
        let published = Published::new(problem, 8);
        let structures = published.structures(&KeySetUp::by(problem, technique, &ready.target));
        published.check(ready, &structures);
    });
}

mod families_of_every_technique {
    by_each_technique!(family);
}

/// The sample of a technique that covers its options. Every answer passes through it once, and some also in a
/// long message: fewer with bit slices, which take long for a single block and whose code between two streaming
/// stores empties the write-combining buffers.
fn options(technique: Technique) {
    let every = if technique == Technique::Bitsliced { 64 } else { 8 };
    let mut made: BTreeMap<(Problem, String), Structures> = BTreeMap::new();
    let kernels = families::covering(technique);
    for alike in kernels.chunk_by(|a, b| a.kernel.variant.problem == b.kernel.variant.problem) {
        let problem = alike[0].kernel.variant.problem;
        let published = Published::new(problem, every);
        // Streams and directions share the parts of a key structure that they read.
        let read = match problem.task {
            Task::Ctr => problem,
            _ => problem.key_schedule(),
        };
        for ready in alike {
            let place = (read, ready.target.set());
            let structures = made
                .entry(place)
                .or_insert_with(|| published.structures(&KeySetUp::by(problem, technique, &ready.target)));
            published.check(ready, structures);
        }
    }
}

mod options_in_pairs {
    by_each_technique!(options);
}
