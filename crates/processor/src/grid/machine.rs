//! An interpreter of grids: it executes blocks of threads one after another, and in each the warps, in lockstep as long
//! as their threads agree. It counts the words that a warp's access requests from a bank, and finds races between
//! threads of a block.

use std::collections::BTreeMap;

use aesmith_cipher::mode::Role;
use aesmith_isa::Isa;
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::grid::{BARRIER, EXIT, GridProgram, Launch, Parameter};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;

use super::launch::{Arguments, Arrays, parameter_bytes};
use super::memory::{ARRAYS, Access, BUFFERS, CONSTANTS, Memory, SHARED};

/// A launch.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// Blocks of threads.
    pub blocks: u32,
    /// The key in its memory layout; for several streams, one key after another.
    pub key: &'a [u8],
    /// The counter or IV, if there is a common one.
    pub iv: [u8; 16],
    /// The text, whole blocks; for several streams, one text after another.
    pub input: &'a [u8],
    /// See [`aesmith_cipher::firmware::Firmware::elements`].
    pub elements: [usize; 2],
    /// The streams, for programs of several.
    pub streams: &'a [Stream],
    /// True if the result overwrites the text.
    pub in_place: bool,
}

impl Call<'_> {
    /// Number of blocks of text, or of cipher keys.
    pub fn count(&self) -> usize {
        self.input.len() / self.elements[0]
    }
}

/// One stream of a launch with several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Its blocks of text.
    pub blocks: u64,
    /// Its IV, if there is one.
    pub iv: [u8; 16],
}

/// Results of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The result.
    pub output: Vec<u8>,
    /// Instructions that threads executed.
    pub instructions: u64,
    /// Instructions that warps issued.
    pub issued: u64,
    /// Accesses of warps to shared memory.
    pub shared: u64,
    /// Bank rounds of these accesses: for each access the maximum number of words requested from one bank.
    pub bank_rounds: u64,
    /// Maximum number of words that one access requested from one bank, over accesses of 4 bytes a thread.
    pub most_words: u32,
    /// Races, in sentences: words of shared memory that one thread wrote and another read or wrote without a barrier
    /// between; only the first few.
    pub races: Vec<String>,
}

/// Maximum number of reported races.
const TOLD: usize = 8;
/// Maximum instructions of a thread; more mean that the grid does not end.
const LIMIT: u64 = 2_000_000;

/// A thread.
struct Thread {
    machine: Machine<u128>,
    state: State,
    instructions: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Waits,
    Ended,
}

/// Threads that have accessed a word of shared memory since the last barrier.
#[derive(Clone, Copy, Default)]
struct Touched {
    writer: Option<u32>,
    reader: Option<u32>,
    /// True if several threads read it.
    several: bool,
}

/// Executes a grid.
///
/// # Errors
/// A thread accesses memory outside its buffers, threads of a block wait for others that have ended, or one does not
/// end.
pub fn run(isa: &Isa, launch: &Launch, program: &GridProgram, call: &Call) -> Result<Ran, String> {
    let mut memory = Memory {
        numbers: Numbers::new(&Image::default(), &isa.about, &[]),
        parameters: parameters(program, call)?,
        arrays: arrays(program, call),
        constants: &program.constants,
        shared: Vec::new(),
        written: Vec::new(),
        input: call.input,
        output: if call.in_place { call.input.to_vec() } else { vec![0xa5; call.count() * call.elements[1]] },
        in_place: call.in_place,
        access: None,
    };
    let mut ran = Ran::default();
    for block in 0..call.blocks {
        memory.shared = vec![0; program.shared as usize];
        memory.written = vec![false; program.shared as usize];
        Block { isa, launch, program, memory: &mut memory, touched: BTreeMap::new(), ran: &mut ran }
            .run(block, call.blocks)
            .map_err(|e| format!("block {block} of the grid: {e}"))?;
    }
    ran.output = memory.output;
    Ok(ran)
}

/// The arrays of a launch with several streams, each with its address.
fn arrays(program: &GridProgram, call: &Call) -> Vec<(u64, Vec<u8>)> {
    let texts: Vec<u64> = call
        .streams
        .iter()
        .scan(0, |at, stream| {
            *at += 16 * stream.blocks;
            Some(*at - 16 * stream.blocks)
        })
        .collect();
    let pointers = |base: u64| texts.iter().flat_map(|at| (base + at).to_le_bytes()).collect();
    let array = |role: Role| -> Vec<u8> {
        match role {
            Role::Key | Role::CipherKey => call.key.to_vec(),
            Role::Iv => call.streams.iter().flat_map(|stream| stream.iv).collect(),
            Role::Input => pointers(BUFFERS[0]),
            Role::Output => pointers(BUFFERS[usize::from(!call.in_place)]),
            Role::Length => call.streams.iter().flat_map(|stream| stream.blocks.to_le_bytes()).collect(),
        }
    };
    let each = program.parameters.iter().filter(|parameter| parameter.each);
    each.map(|parameter| (array_at(parameter), array(parameter.role))).collect()
}

/// Address of the array for a parameter.
fn array_at(parameter: &Parameter) -> u64 {
    ARRAYS + (parameter.at << 32)
}

/// The parameters of a launch, each with its offset.
fn parameters(program: &GridProgram, call: &Call) -> Result<Vec<(u64, Vec<u8>)>, String> {
    let at = |role: Role| {
        let array = program.parameters.iter().find(|parameter| parameter.each && parameter.role == role);
        array.map_or(0, array_at)
    };
    let streams = Arrays {
        keys: at(Role::Key),
        ivs: at(Role::Iv),
        input: at(Role::Input),
        output: at(Role::Output),
        blocks: at(Role::Length),
        count: call.streams.len() as u64,
    };
    let given = Arguments {
        key: call.key,
        iv: call.iv,
        input: BUFFERS[0],
        output: BUFFERS[usize::from(!call.in_place)],
        blocks: call.count() as u64,
        streams: Some(streams),
    };
    let places = program.parameters.iter().map(|parameter| parameter.at);
    Ok(places.zip(parameter_bytes(program, &given)?).collect())
}

/// A block of threads, being executed.
struct Block<'a, 'm> {
    isa: &'a Isa,
    launch: &'a Launch,
    program: &'a GridProgram,
    memory: &'a mut Memory<'m>,
    touched: BTreeMap<u64, Touched>,
    ran: &'a mut Ran,
}

impl Block<'_, '_> {
    fn run(&mut self, block: u32, blocks: u32) -> Result<(), String> {
        let mut threads: Vec<Thread> = (0..self.program.threads)
            .map(|thread| {
                // Initial values of registers are arbitrary.
                let mut registers: Vec<u128> = self
                    .isa
                    .about
                    .registers
                    .iter()
                    .map(|(_, width)| 0x5a3c_00a5_5a3c_0fa5 & u128::MAX >> (128 - width))
                    .collect();
                let launch = self.launch;
                for (register, number) in [
                    (launch.thread, thread.into()),
                    (launch.block, block.into()),
                    (launch.blocks, blocks.into()),
                    (launch.shared, SHARED),
                    (launch.constants, CONSTANTS),
                    (launch.key, self.program.parameter(Role::Key).map_or(0, |key| key.at)),
                ] {
                    registers[usize::from(register)] = number.into();
                }
                let machine = Machine::new(registers, 0);
                Thread { machine, state: State::Runs, instructions: 0 }
            })
            .collect();
        loop {
            let warp = usize::from(self.launch.warp);
            for (number, warp) in threads.chunks_mut(warp).enumerate() {
                self.warp(number as u32 * u32::from(self.launch.warp), warp)?;
            }
            if threads.iter().all(|thread| thread.state == State::Ended) {
                return Ok(());
            }
            if threads.iter().any(|thread| thread.state == State::Ended) {
                return Err("some threads wait at a barrier that others never reach".into());
            }
            let at = threads[0].machine.pc;
            if threads.iter().any(|thread| thread.machine.pc != at) {
                return Err("threads of a block wait at different barriers".into());
            }
            for thread in &mut threads {
                (thread.state, thread.machine.pc) = (State::Runs, at + 1);
            }
            self.touched.clear();
        }
    }

    /// Executes a warp until its threads wait or have ended: always the threads that are furthest behind.
    fn warp(&mut self, first: u32, warp: &mut [Thread]) -> Result<(), String> {
        loop {
            let running = warp.iter().filter(|thread| thread.state == State::Runs);
            let Some(pc) = running.map(|thread| thread.machine.pc).min() else { return Ok(()) };
            let insn = self
                .program
                .insns
                .get(pc as usize)
                .ok_or_else(|| format!("execution reaches {pc}, where the program has no instruction"))?;
            let isa = self.isa;
            let class = isa.of(insn).class.as_str();
            self.ran.issued += 1;
            let mut words: BTreeMap<u64, u8> = BTreeMap::new();
            for (lane, thread) in (0..).zip(warp.iter_mut()) {
                if thread.state != State::Runs || thread.machine.pc != pc {
                    continue;
                }
                thread.instructions += 1;
                self.ran.instructions += 1;
                match class {
                    BARRIER => thread.state = State::Waits,
                    EXIT => thread.state = State::Ended,
                    _ => {
                        let number = first + lane;
                        self.memory.access = None;
                        let done = execute(isa, insn, self.memory, &mut thread.machine, || 1);
                        done.map_err(|e| {
                            format!("thread {number} at {pc}, `{}`: {e}", isa.print(insn, |_| None))
                        })?;
                        if let Some(access) = self.memory.access {
                            self.touch(number, access);
                            words.extend(
                                (access.at / 4..(access.at + u64::from(access.bytes)) / 4)
                                    .map(|w| (w, access.bytes)),
                            );
                        }
                        if thread.instructions > LIMIT {
                            return Err(format!(
                                "thread {number} has executed {LIMIT} instructions without ending"
                            ));
                        }
                    }
                }
            }
            self.count(&words);
        }
    }

    /// Counts the words of an access by their banks.
    fn count(&mut self, words: &BTreeMap<u64, u8>) {
        if words.is_empty() {
            return;
        }
        let mut banks = vec![0u32; usize::from(self.launch.banks)];
        for word in words.keys() {
            banks[(word % u64::from(self.launch.banks)) as usize] += 1;
        }
        let most = banks.into_iter().max().unwrap_or(0);
        self.ran.shared += 1;
        self.ran.bank_rounds += u64::from(most);
        if words.values().all(|&bytes| bytes == 4) {
            self.ran.most_words = self.ran.most_words.max(most);
        }
    }

    /// Records an access, and a race if another thread accessed the word without a barrier between.
    fn touch(&mut self, thread: u32, access: Access) {
        for word in access.at / 4..(access.at + u64::from(access.bytes)) / 4 {
            let touched = self.touched.entry(word).or_default();
            let other = |of: Option<u32>| of.filter(|&of| of != thread);
            let race = if access.written {
                other(touched.writer).or(other(touched.reader)).or(touched.reader.filter(|_| touched.several))
            } else {
                other(touched.writer)
            };
            if let Some(other) = race
                && self.ran.races.len() < TOLD
            {
                let verb = if access.written { "writes" } else { "reads" };
                self.ran.races.push(format!(
                    "thread {thread} {verb} word {word} of shared memory, which thread {other} accesses, and no barrier is between them"
                ));
            }
            if access.written {
                touched.writer = Some(thread);
            } else {
                touched.several |= other(touched.reader).is_some();
                touched.reader = Some(thread);
            }
        }
    }
}
