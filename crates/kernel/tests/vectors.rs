//! Vectors that nobody here wrote, run through every family of kernels, under key structures that
//! kernels made.

mod families;
mod known_answers;
mod native;

use aesmith_cipher::{Direction, KeySize, Problem, Task, contract, problem::STREAMS};
use families::{KeySetUp, Ready};
use known_answers::{Answers, MONTE_CARLO, Vector};
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
