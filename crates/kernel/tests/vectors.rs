//! Vectors that nobody here wrote, run through every family of kernels, under key structures that
//! kernels made.

mod families;
mod known_answers;
mod native;

use aesmith_cipher::{Direction, KeySize, Problem, Task, contract, problem::STREAMS};
use families::{KeySetUp, Ready};
use known_answers::{Answers, Vector};
use native::{Bytes, key_structure};
use std::collections::BTreeMap;

/// Key structures by key, made by kernels: by one method and the other, turn about.
type Structures = BTreeMap<Vec<u8>, Vec<u8>>;

fn structures<'a>(problem: Problem, keys: impl Iterator<Item = &'a Vec<u8>>) -> Option<Structures> {
    let set_up = KeySetUp::new(problem)?;
    let made = keys.enumerate().map(|(i, key)| {
        let mut both = set_up.structures(key);
        (key.clone(), both.swap_remove(i % both.len()))
    });
    Some(made.collect())
}

/// Key schedules and counter tables of every published key, by each method, are the oracle's.
#[test]
fn key_set_up() {
    for size in KeySize::ALL {
        let answers = Answers::new(size);
        for (task, end) in
            [(Task::Ctr, contract::TABLE_OFFSET + contract::TABLE_BYTES), (Task::CbcDecrypt, 256)]
        {
            let problem = Problem::new(size, task);
            let Some(set_up) = KeySetUp::new(problem) else { return };
            for key in answers.blocks.keys() {
                let made = set_up.structures(key);
                assert_eq!(made.len(), 2);
                for structure in made {
                    assert_eq!(structure[..end], key_structure(problem, key)[..end], "{problem} {key:02x?}");
                }
            }
        }
    }
}

fn run(ready: &Ready, structure: &[u8], vector: &Vector) -> ([u8; 16], Vec<u8>) {
    let (mut iv, length) = (vector.iv, vector.input.len());
    let mut output = vec![0x5a; length + 16];
    // SAFETY: a kernel of its problem, that problem's key structure, whole buffers.
    unsafe {
        let input = vector.input.as_ptr();
        ready.code.message(
            ready.kernel.variant.problem,
            structure,
            &mut iv,
            input,
            output.as_mut_ptr(),
            length,
        );
    }
    assert_eq!(output.split_off(length), [0x5a; 16], "past the end: {}", ready.kernel.variant);
    (iv, output)
}

/// Whole messages of a task, each key's blocks as one message long enough for the widest loop.
fn known_answers(task: Task) {
    for size in KeySize::ALL {
        let (problem, answers) = (Problem::new(size, task), Answers::new(size));
        let all = answers.blocks.keys().chain(answers.cbc.iter().map(|v| &v.key));
        let Some(structures) = structures(problem, all) else { return };
        // The widest loops take 60 blocks a pass (15 zmm registers).
        let messages = [answers.messages(task, 1), answers.messages(task, 130)].concat();
        families::each(problem, |ready| {
            for vector in &messages {
                let (_, output) = run(ready, &structures[&vector.key], vector);
                assert!(output == vector.output, "{}\nunder {:02x?}", ready.kernel.variant, vector.key);
            }
        });
    }
}

#[test]
fn ecb() {
    known_answers(Task::Ecb(Direction::Encrypt));
    known_answers(Task::Ecb(Direction::Decrypt));
}

#[test]
fn cbc() {
    known_answers(Task::CbcEncrypt { streams: 1 });
    known_answers(Task::CbcDecrypt);
}

/// CTR from one-block answers: the counter of block `k` is the published plain block, so block `k`
/// of the key stream is its cipher block. Counting up to plain blocks like 80..00 and ff..f0 goes
/// over the carry into every byte.
#[test]
fn ctr_from_blocks() {
    let mut bytes = Bytes(21);
    let text = bytes.take(16 * 256);
    for size in KeySize::ALL {
        let (problem, answers) = (Problem::new(size, Task::Ctr), Answers::new(size));
        let Some(structures) = structures(problem, answers.blocks.keys()) else { return };
        families::each(problem, |ready| {
            for (key, pairs) in &answers.blocks {
                for (plain, cipher) in pairs {
                    let before = bytes.below(2 * ready.kernel.loop_blocks + 2);
                    let first = u128::from_be_bytes(*plain).wrapping_sub(before as u128);
                    let length = 16 * before + 1 + bytes.below(64);
                    let vector = Vector {
                        mode: "ctr".into(),
                        key: key.clone(),
                        iv: first.to_be_bytes(),
                        input: text[..length].to_vec(),
                        output: Vec::new(),
                    };
                    let (next, output) = run(ready, &structures[key], &vector);
                    let stream = output.iter().zip(&text).map(|(o, t)| o ^ t).skip(16 * before);
                    let context = || format!("{}\nblock {before} of {length} bytes", ready.kernel.variant);
                    assert!(stream.zip(cipher).all(|(got, c)| got == *c), "{}", context());
                    let past = first.wrapping_add(length.div_ceil(16) as u128);
                    assert_eq!(u128::from_be_bytes(next), past, "counter: {}", context());
                }
            }
        });
    }
}

/// Published messages in CTR, whole and cut at every multiple of a block.
#[test]
fn ctr_messages() {
    for size in KeySize::ALL {
        let (problem, answers) = (Problem::new(size, Task::Ctr), Answers::new(size));
        assert!(answers.ctr.len() >= 3);
        let Some(structures) = structures(problem, answers.ctr.iter().map(|v| &v.key)) else { return };
        families::each(problem, |ready| {
            for vector in &answers.ctr {
                for cut in (0..=vector.input.len()).step_by(16) {
                    let (start, end) = vector.input.split_at(cut);
                    let start = Vector { input: start.to_vec(), ..vector.clone() };
                    let (iv, mut output) = run(ready, &structures[&vector.key], &start);
                    let end = Vector { iv, input: end.to_vec(), ..vector.clone() };
                    output.extend(run(ready, &structures[&vector.key], &end).1);
                    assert!(output == vector.output, "{}\ncut at {cut}", ready.kernel.variant);
                }
            }
        });
    }
}

/// Streams of messages with different keys and lengths, in calls of as many as the kernel takes.
fn run_streams(ready: &Ready, structures: &Structures, vectors: &[&Vector]) -> Vec<Vec<u8>> {
    let mut ivs: Vec<[u8; 16]> = vectors.iter().map(|v| v.iv).collect();
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

#[test]
fn cbc_streams() {
    let mut bytes = Bytes(22);
    for size in KeySize::ALL {
        let answers = Answers::new(size);
        let all = answers.blocks.keys().chain(answers.cbc.iter().map(|v| &v.key));
        let one = Problem::new(size, Task::CbcEncrypt { streams: 1 });
        let Some(structures) = structures(one, all) else { return };
        let mut messages = [answers.messages(one.task, 1), answers.messages(one.task, 33)].concat();
        // Neighbours of unequal length, and no group the same from one count of streams to the next.
        for i in (1..messages.len()).rev() {
            messages.swap(i, bytes.below(i + 1));
        }
        for streams in STREAMS.into_iter().filter(|&streams| streams > 1) {
            families::each(Problem::new(size, Task::CbcEncrypt { streams }), |ready| {
                for vectors in messages.chunks_exact(streams.into()) {
                    let vectors: Vec<&Vector> = vectors.iter().collect();
                    let outputs = run_streams(ready, &structures, &vectors);
                    for (stream, (output, vector)) in outputs.iter().zip(&vectors).enumerate() {
                        assert!(*output == vector.output, "{}\nstream {stream}", ready.kernel.variant);
                    }
                }
            });
        }
    }
}
