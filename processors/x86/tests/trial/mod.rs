//! Messages for a kernel under test, in memory that reveals accesses outside them, and checked calls on parts
//! of them.

use crate::families::{KeySetUp, Ready};
use crate::guarded::{CANARY, Guarded};
use crate::libraries::Libraries;
use crate::native::Bytes;
use aesmith_cipher::{Problem, Task, contract};
use aesmith_x86::dimensions::Dim;

/// One stream: a message, its output according to the libraries, and the memory that kernels see it in.
pub struct Stream {
    key: Vec<u8>,
    iv: [u8; 16],
    input: Vec<u8>,
    expected: Vec<u8>,
    key_structure: Guarded,
    key_at: usize,
    iv_memory: Guarded,
    /// The memory of the input.
    pub source: Guarded,
    /// The memory of the output.
    pub target: Guarded,
}

/// The part of a stream's message that a call processes, and its place.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Start in the message, in bytes.
    pub start: usize,
    /// Length in bytes.
    pub length: usize,
    /// Offset of the input in its memory, in bytes.
    pub from: usize,
    /// Offset of the output; `None` is in place.
    pub to: Option<usize>,
}

impl Stream {
    /// A random message of `length` bytes, a multiple of 16, with a random key.
    fn new(
        problem: Problem,
        libraries: &Libraries,
        set_up: &KeySetUp,
        bytes: &mut Bytes,
        length: usize,
    ) -> Stream {
        let key = bytes.take(problem.key.bytes());
        let structure = set_up.structures(&key).swap_remove(bytes.below(2));
        // CTR kernels may read the table; others must not read past the round keys.
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

    /// Restarts the same message with another IV.
    pub fn restart(&mut self, problem: Problem, libraries: &Libraries, iv: [u8; 16]) {
        self.iv = iv;
        self.expected = libraries.message(problem, &self.key, &iv, &self.input);
    }

    /// The IV before byte `at` of the message; `at` is a multiple of 16 or, in CTR, the end of a call inside a
    /// block.
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

    /// Puts a part's text and IV where the call expects them; returns its key, IV, input and output.
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

    /// Checks all memory after the call, and resets it.
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
        // The remaining input: all of it, or the bytes after the whole blocks that became output.
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

/// One checked call on as many streams as the kernel has.
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

/// The number of bytes after which a kernel has filled its pipeline, iterated and drained it: four groups, or
/// three more than the number of stages.
fn reach(ready: &Ready) -> usize {
    let variant = &ready.kernel.variant;
    // The steps of a block: rounds, both ends, the counter.
    let steps = variant.problem.key.rounds() + 4;
    let stages = match usize::from(variant.get(Dim::Interval)) {
        0 => 1,
        interval => steps.div_ceil(interval),
    };
    16 * ready.kernel.loop_blocks.max(1) * (stages + 3)
}

/// A kernel under test, and streams of messages for it.
pub struct Trial<'a> {
    /// The kernel.
    pub ready: &'a Ready,
    /// One message per stream of the kernel.
    pub streams: Vec<Stream>,
    /// The messages' length.
    pub most: usize,
    /// The source of random choices.
    pub bytes: Bytes,
    libraries: &'a Libraries,
}

impl<'a> Trial<'a> {
    /// Messages of at least `least` bytes, long enough for the kernel's pipeline plus 80 bytes.
    pub fn new(
        ready: &'a Ready,
        set_up: &KeySetUp,
        libraries: &'a Libraries,
        least: usize,
        seed: u64,
    ) -> Trial<'a> {
        let (problem, most) = (ready.kernel.variant.problem, reach(ready).max(least & !15) + 80);
        let mut bytes = Bytes(seed);
        let stream = |_| Stream::new(problem, libraries, set_up, &mut bytes, most);
        let streams = (0..problem.streams()).map(stream).collect();
        Trial { ready, streams, most, bytes, libraries }
    }

    /// The task of the kernel.
    pub fn task(&self) -> Task {
        self.ready.kernel.variant.problem.task
    }

    /// Restarts the same messages with random IVs.
    pub fn restart(&mut self) {
        for i in 0..self.streams.len() {
            let iv = self.bytes.take(16).try_into().unwrap();
            self.restart_stream(i, iv);
        }
    }

    /// Restarts one of the messages with this IV.
    pub fn restart_stream(&mut self, stream: usize, iv: [u8; 16]) {
        self.streams[stream].restart(self.ready.kernel.variant.problem, self.libraries, iv);
    }

    /// One checked call on a part of each message.
    pub fn call(&mut self, parts: &[Part]) {
        call(self.ready, &mut self.streams, parts);
    }
}
