//! Kernels of every family against OpenSSL and RustCrypto: every length, each byte's carry, cuts
//! into calls, alignments, in place and apart, between unreadable pages.

mod families;
mod guarded;
mod libraries;
mod native;

use aesmith_arrange::Dim;
use aesmith_cipher::{Direction, KeySize, Problem, Task, contract, problem::STREAMS};
use aesmith_kernel::dispatch;
use families::{KeySetUp, Ready};
use guarded::{CANARY, Guarded};
use libraries::Libraries;
use native::{Bytes, Code};

/// One stream: a message, what the libraries make of it, and the memory that kernels see it in.
struct Stream {
    key: Vec<u8>,
    iv: [u8; 16],
    input: Vec<u8>,
    expected: Vec<u8>,
    key_structure: Guarded,
    key_at: usize,
    iv_memory: Guarded,
    source: Guarded,
    target: Guarded,
}

/// Which part of a stream's message a call takes, and where it lies.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: usize,
    length: usize,
    from: usize,
    /// `None` is in place.
    to: Option<usize>,
}

impl Stream {
    /// A random message of `length` bytes, a multiple of 16, under a random key.
    fn new(
        problem: Problem,
        libraries: &Libraries,
        set_up: &KeySetUp,
        bytes: &mut Bytes,
        length: usize,
    ) -> Stream {
        let key = bytes.take(problem.key.bytes());
        let structure = set_up.structures(&key).swap_remove(bytes.below(2));
        // Kernels of CTR may read the table; others have nothing to read past the round keys.
        let used = match problem.task {
            Task::Ctr => contract::TABLE_OFFSET + contract::TABLE_BYTES,
            _ => 16 * (problem.key.rounds() + 1),
        };
        let mut key_structure = Guarded::new(used);
        let key_at = key_structure.size() - used;
        key_structure.bytes()[key_at..].copy_from_slice(&structure[..used]);
        let memory = || Guarded::new(length + 128);
        let mut stream = Stream {
            key,
            iv: [0; 16],
            input: bytes.take(length),
            expected: Vec::new(),
            key_structure,
            key_at,
            iv_memory: Guarded::new(16),
            source: memory(),
            target: memory(),
        };
        stream.restart(problem, libraries, bytes.take(16).try_into().unwrap());
        stream
    }

    /// The same message under another IV.
    fn restart(&mut self, problem: Problem, libraries: &Libraries, iv: [u8; 16]) {
        self.iv = iv;
        self.expected = libraries.message(problem, &self.key, &iv, &self.input);
    }

    /// The IV that stands before byte `at` of the message, `at` being a multiple of 16 or, in CTR,
    /// the end of a call inside a block.
    fn iv_at(&self, problem: Problem, at: usize) -> [u8; 16] {
        let chain = match problem.task {
            Task::Ctr => {
                let counter = u128::from_be_bytes(self.iv);
                return counter.wrapping_add(at.div_ceil(16) as u128).to_be_bytes();
            }
            Task::CbcEncrypt { .. } => &self.expected,
            Task::CbcDecrypt => &self.input,
            _ => return self.iv,
        };
        if at < 16 { self.iv } else { chain[at / 16 * 16 - 16..][..16].try_into().unwrap() }
    }

    /// Puts a part's text and IV where the call expects them; gives its key, IV, input and output.
    fn place(&mut self, problem: Problem, part: Part) -> (*const u8, *mut u8, *const u8, *mut u8) {
        let text = &self.input[part.start..][..part.length];
        self.source.bytes()[part.from..][..part.length].copy_from_slice(text);
        let iv = self.iv_at(problem, part.start);
        let iv_at = self.iv_memory.size() - 16;
        self.iv_memory.bytes()[iv_at..].copy_from_slice(&iv);
        let source = self.source.pointer(part.from);
        let target = part.to.map_or(source, |to| self.target.pointer(to));
        (self.key_structure.pointer(self.key_at), self.iv_memory.pointer(iv_at), source, target)
    }

    /// Checks all memory after the call, and cleans it.
    fn check(&mut self, problem: Problem, part: Part, context: &dyn Fn() -> String) {
        let whole = if problem.task == Task::Ctr { part.length } else { part.length & !15 };
        let end = part.start + whole;
        let expected = &self.expected[part.start..end];
        let (output, at) = match part.to {
            Some(to) => (&mut self.target, to),
            None => (&mut self.source, part.from),
        };
        let output = output.bytes();
        assert!(output[at..at + whole] == *expected, "{}", context());
        if let Some(to) = part.to {
            output[to..to + whole].fill(CANARY);
        }
        // What is left of the input: all of it, or past the whole blocks that became output.
        let (text, source) = (&self.input[part.start..][..part.length], self.source.bytes());
        let kept = if part.to.is_some() { 0 } else { whole };
        assert!(source[part.from + kept..][..part.length - kept] == text[kept..], "source: {}", context());
        source[part.from..][..part.length].fill(CANARY);
        let clean = self.source.is_clean() && self.target.is_clean();
        assert!(clean, "bytes outside the text were written: {}", context());
        if problem.has_iv() {
            let next = self.iv_at(problem, end);
            let left = self.iv_memory.bytes().last_chunk::<16>().unwrap();
            assert_eq!(*left, next, "IV: {}", context());
        }
    }
}

/// One call on as many streams as the kernel has, checked.
fn call(ready: &Ready, streams: &mut [Stream], parts: &[Part]) {
    let problem = ready.kernel.variant.problem;
    let mut arguments = Vec::new();
    for (stream, part) in streams.iter_mut().zip(parts) {
        arguments.push(stream.place(problem, *part));
    }
    // SAFETY: a kernel of this problem, its key structures, whole buffers.
    unsafe {
        if let (&[(_, iv, input, output)], [part]) = (&arguments[..], parts) {
            let stream = &mut streams[0];
            let at = stream.key_at;
            let iv = &mut *iv.cast::<[u8; 16]>();
            let structure = &stream.key_structure.bytes()[at..];
            ready.code.message(problem, structure, iv, input, output, part.length);
        } else {
            ready.code.streams(
                &arguments.iter().map(|a| a.0).collect::<Vec<_>>(),
                &arguments.iter().map(|a| a.1).collect::<Vec<_>>(),
                &arguments.iter().map(|a| a.2).collect::<Vec<_>>(),
                &arguments.iter().map(|a| a.3).collect::<Vec<_>>(),
                &parts.iter().map(|p| p.length).collect::<Vec<_>>(),
            );
        }
    }
    for (i, (stream, part)) in streams.iter_mut().zip(parts).enumerate() {
        let iv = stream.iv;
        stream.check(problem, *part, &|| {
            format!("{}\nstream {i}, IV {iv:02x?}, {part:?}", ready.kernel.variant)
        });
    }
}

/// Bytes after which a kernel has filled its pipeline, gone round and drained it: four groups, or
/// three more than there are stages.
fn reach(ready: &Ready) -> usize {
    let variant = &ready.kernel.variant;
    // Steps of a block: rounds, both ends, the counter.
    let steps = variant.problem.key.rounds() + 4;
    let stages = match usize::from(variant.get(Dim::Interval)) {
        0 => 1,
        interval => steps.div_ceil(interval),
    };
    16 * ready.kernel.loop_blocks.max(1) * (stages + 3)
}

/// Calls `test` with each kernel of a problem of each size, streams for it, and their length.
fn each(task: Task, seed: u64, mut test: impl FnMut(&Ready, &mut [Stream], usize, &mut Bytes, &Libraries)) {
    let libraries = Libraries::new();
    let mut bytes = Bytes(seed);
    for size in KeySize::ALL {
        let problem = Problem::new(size, task);
        let Some(set_up) = KeySetUp::new(problem) else { return };
        families::each(problem, |ready| {
            let length = reach(ready) + 80;
            let mut streams: Vec<Stream> = (0..problem.streams())
                .map(|_| Stream::new(problem, &libraries, &set_up, &mut bytes, length))
                .collect();
            let name = ready.kernel.variant.to_string();
            guarded::named(&name, || test(ready, &mut streams, length, &mut bytes, &libraries));
        });
    }
}

/// Where a text of `length` bytes lies: its end at the page after it, or its start at the page before.
fn at_edge(memory: &Guarded, length: usize, end: bool) -> usize {
    if end { memory.size() - length } else { 0 }
}

/// Every length: bytes in CTR; elsewhere blocks, and some bytes more, which must be left alone.
fn lengths(ready: &Ready, streams: &mut [Stream], most: usize, bytes: &mut Bytes) {
    let ctr = ready.kernel.variant.problem.task == Task::Ctr;
    let step = if ctr { 1 } else { 16 };
    for length in (0..=most - 16).step_by(step) {
        for (to_end, in_place) in [(true, false), (false, false), (length / step % 2 == 0, true)] {
            let rest = if ctr || bytes.below(2) == 0 { 0 } else { bytes.below(16) };
            let equal = bytes.below(2) == 0;
            let parts: Vec<Part> = streams
                .iter()
                .enumerate()
                .map(|(i, stream)| {
                    let other = i > 0 && !equal;
                    let length = rest + if other { bytes.below(most - 16) & !15 } else { length };
                    let to = at_edge(&stream.target, length, to_end);
                    let from = at_edge(&stream.source, length, to_end);
                    Part { start: 0, length, from, to: if in_place { None } else { Some(to) } }
                })
                .collect();
            call(ready, streams, &parts);
        }
    }
}

/// Every distance of source and destination from a cache line's start, and each with the
/// destination on one, as streaming stores need.
fn alignments(task: Task, seed: u64) {
    each(task, seed, |ready, streams, most, bytes, _| {
        for i in 0..128 {
            let (from, to) = (i % 64, if i < 64 { 0 } else { i * 11 % 64 });
            let in_place = i % 5 == 4;
            let parts: Vec<Part> = streams
                .iter()
                .enumerate()
                .map(|(stream, _)| {
                    let length = most - bytes.below(64);
                    let length = if task == Task::Ctr { length } else { length & !15 };
                    let (from, to) = ((from + 5 * stream) % 64, (to + 9 * stream) % 64);
                    Part { start: 0, length, from, to: if in_place { None } else { Some(to) } }
                })
                .collect();
            call(ready, streams, &parts);
        }
    });
}

/// Messages in several calls, each taking up the IV where the one before left it.
fn cuts(task: Task, seed: u64) {
    each(task, seed, |ready, streams, most, bytes, libraries| {
        let problem = ready.kernel.variant.problem;
        for _ in 0..4 {
            for stream in streams.iter_mut() {
                stream.restart(problem, libraries, bytes.take(16).try_into().unwrap());
            }
            let mut starts = vec![0; streams.len()];
            for calls in (0..1 + bytes.below(6)).rev() {
                let parts: Vec<Part> = starts
                    .iter()
                    .map(|&start| {
                        let left = most - start;
                        let length = if calls == 0 { left } else { bytes.below(left + 1) & !15 };
                        let (from, to) = (bytes.below(64), bytes.below(64));
                        Part { start, length, from, to: if bytes.below(3) == 0 { None } else { Some(to) } }
                    })
                    .collect();
                call(ready, streams, &parts);
                starts.iter_mut().zip(&parts).for_each(|(start, part)| *start += part.length);
            }
        }
    });
}

const PARALLEL: [Task; 4] =
    [Task::Ctr, Task::Ecb(Direction::Encrypt), Task::Ecb(Direction::Decrypt), Task::CbcDecrypt];

fn tasks() -> impl Iterator<Item = (Task, u64)> {
    let streams = STREAMS.map(|streams| Task::CbcEncrypt { streams });
    PARALLEL.into_iter().chain(streams).zip(31..)
}

#[test]
fn every_length() {
    for (task, seed) in tasks() {
        each(task, seed, |ready, streams, most, bytes, _| lengths(ready, streams, most, bytes));
    }
}

#[test]
fn every_alignment() {
    tasks().for_each(|(task, seed)| alignments(task, seed));
}

#[test]
fn cuts_into_calls() {
    tasks().for_each(|(task, seed)| cuts(task, seed));
}

/// A counter that reaches the carry out of byte `carry` from the right, 1 to 16, within `blocks`
/// blocks or just after: 2^(8 carry) itself, or with a random part above it.
fn before_carry(carry: usize, blocks: usize, bytes: &mut Bytes) -> [u8; 16] {
    let high = u128::from(bytes.word()) << 64 | u128::from(bytes.word());
    let above = if bytes.below(2) == 0 { 1 } else { high };
    let power = above.checked_shl(8 * carry as u32).unwrap_or(0);
    power.wrapping_sub(bytes.below(blocks + 2) as u128).to_be_bytes()
}

/// Carries out of each byte of the counter in the middle of a message.
#[test]
fn every_carry() {
    each(Task::Ctr, 51, |ready, streams, most, bytes, libraries| {
        let problem = ready.kernel.variant.problem;
        for trial in 0..96 {
            let iv = before_carry(1 + trial % 16, most / 16, bytes);
            streams[0].restart(problem, libraries, iv);
            let (length, from, to) = (most - bytes.below(most / 2), bytes.below(64), bytes.below(64));
            let to = if bytes.below(4) == 0 { None } else { Some(to) };
            call(ready, streams, &[Part { start: 0, length, from, to }]);
        }
    });
}

/// Several kernels behind a choice by length: every length, over each crossover.
#[test]
fn dispatched() {
    let (libraries, mut bytes) = (Libraries::new(), Bytes(71));
    for (task, _) in tasks().filter(|(task, _)| Problem::new(KeySize::Aes128, *task).streams() == 1) {
        let problem = Problem::new(KeySize::Aes256, task);
        let Some(set_up) = KeySetUp::new(problem) else { return };
        let mut kernels = Vec::new();
        families::each(problem, |ready| kernels.push(ready.kernel.clone()));
        for limits in [[16, 100], [255, 256]] {
            let mut take = || kernels[bytes.below(kernels.len())].clone();
            let (small, middle, large) = (take(), take(), take());
            let parts = [(Some(limits[0]), &small), (Some(limits[1]), &middle), (None, &large)];
            let code = Code::new(&dispatch(&parts).unwrap().bytes);
            let ready = Ready { kernel: large, code };
            let most = reach(&ready).max(400);
            let mut streams = [Stream::new(problem, &libraries, &set_up, &mut bytes, most)];
            let name = format!("{} after {} and {}", ready.kernel.variant, small.variant, middle.variant);
            guarded::named(&name, || lengths(&ready, &mut streams, most, &mut bytes));
        }
    }
}

/// Random variants from the whole space, each on random calls at the edges of the memory.
#[test]
fn random_variants() {
    let (libraries, mut bytes) = (Libraries::new(), Bytes(61));
    for (task, _) in tasks() {
        for trial in 0..24 {
            let problem = Problem::new(KeySize::ALL[trial % 3], task);
            let Some(set_up) = KeySetUp::new(problem) else { return };
            let Some(ready) = families::random(problem, &mut bytes) else {
                println!("skipped: random variants of {problem}, as none fits this CPU");
                continue;
            };
            let most = reach(&ready) + 80;
            let mut streams: Vec<Stream> = (0..problem.streams())
                .map(|_| Stream::new(problem, &libraries, &set_up, &mut bytes, most))
                .collect();
            let name = ready.kernel.variant.to_string();
            guarded::named(&name, || {
                for call_number in 0..24 {
                    if task == Task::Ctr {
                        let iv = before_carry(1 + call_number % 16, most / 16, &mut bytes);
                        streams[0].restart(problem, &libraries, iv);
                    }
                    let (end, in_place) = (bytes.below(2) == 0, bytes.below(3) == 0);
                    let parts: Vec<Part> = streams
                        .iter()
                        .map(|stream| {
                            let length = bytes.below(most + 1);
                            let to = at_edge(&stream.target, length, end);
                            let from = at_edge(&stream.source, length, end);
                            Part { start: 0, length, from, to: if in_place { None } else { Some(to) } }
                        })
                        .collect();
                    call(&ready, &mut streams, &parts);
                }
            });
        }
    }
}
