//! Kernels of techniques on words: a block is four words of 32 bits in general registers, or 16 bytes of the
//! stack frame.
//!
//! ```text
//! entry    arguments to their homes; CTR: the counter after the message, at once
//! loop     groups of blocks; CTR with cached rounds: within 256 counters, then refreshed
//! single   block by block, correct for every counter carry
//! tail     CTR: the last bytes, from a key stream on the stack
//! leave    wiping, restoring the caller's registers, return
//! ```
//!
//! CBC encryption of several streams processes one after the other.

mod bytewise;
mod counter;
mod entry;
mod extract;
mod flow;
mod homes;
mod schedule;
mod select;

use crate::dimensions::Dim;
use crate::features;
use crate::kernels::asm::{Assembler, If, Label, at};
use crate::kernels::{Parts, Unfit};
use aesmith_arrange::Variant;
use aesmith_cipher::Task;
use aesmith_dataflow::program::Program;
use aesmith_dataflow::technique::Form;
use aesmith_processor::measured::Lengths;
use aesmith_processor::measured::Target;
use bytewise::Steps;
use flow::{Cipher, Flow, Source};
use homes::{CACHED, COUNTERS, Home, PADDED, TABLE, Var};
use iced_x86::{Code, Instruction, Register};
use select::{Extract, Machine, Options, Place, Regions, Set, r32, r64, select};

/// Callee-saved registers.
const SAVED: [u8; 6] = [3, 5, 12, 13, 14, 15];
/// Registers that hold the chaining value of CBC encryption between blocks with tables, by word.
const CHAIN: [u8; 4] = [0, 3, 1, 2];
/// Registers in which the fast counter bytes of a group's blocks are computed.
const FAST: [u8; 2] = [7, 6];

struct Writer<'v> {
    variant: &'v Variant,
    asm: Assembler,
    regions: Regions,
    cipher: Cipher,
    steps: Option<Steps>,
    options: Options,
    /// Number of variables in registers.
    level: u8,
    scratch: i32,
    scratch_used: u32,
    leave: Label,
    single: Label,
}

/// The computation of the blocks of an iteration.
#[derive(Clone, Copy)]
enum Work<'f> {
    /// A program: a group of blocks, optionally with cached rounds.
    Program { flow: &'f Flow, blocks: usize, cached: bool },
    /// One block, step by step.
    Steps,
}

impl Work<'_> {
    fn blocks(&self) -> usize {
        match *self {
            Work::Program { blocks, .. } => blocks,
            Work::Steps => 1,
        }
    }
}

/// Writes the kernel of a variant of a technique on words.
pub fn write(variant: &Variant, target: &Target, lengths: Lengths) -> Result<Parts, Unfit> {
    let blocks = usize::from(variant.get(Dim::Interleave)).max(1);
    if blocks > FAST.len() {
        return Err(Unfit::Shape(format!(
            "interleave={blocks} blocks of four words each do not fit 15 general registers; 2 may"
        )));
    }
    if variant.get(Dim::RoundKeys) == 2 && !target.has(features::SSE41) {
        return Err(Unfit::Unsupported(
            "roundkeys=vectors takes words from vector registers by pextrd, an SSE4.1 instruction that the \
             target lacks; roundkeys=memory works"
                .into(),
        ));
    }
    let looped = lengths.reach(16 * blocks as u64);
    let cached = if looped { usize::from(variant.get(Dim::Cached)) } else { 0 };
    let cipher = Cipher::new(variant);
    let padded = if cipher.tables.padded() { 8 * 4 * (cipher.rounds as i32 - 1) } else { 0 };
    let mut asm = Assembler::function();
    let (leave, single) = (asm.label(), asm.label());
    let steps = (variant.technique.record().form == Form::Steps).then(|| Steps::new(variant));
    let mut w = Writer {
        variant,
        asm,
        regions: Regions::default(),
        cipher,
        steps,
        options: Options {
            extract: [Extract::Shift, Extract::Registers, Extract::Memory]
                [usize::from(variant.get(Dim::Extract))],
            combined: variant.on(Dim::LoadXor),
            scaled: variant.on(Dim::Index),
        },
        level: 0,
        scratch: PADDED + padded,
        scratch_used: 0,
        leave,
        single,
    };
    if variant.problem.is_key_set_up() {
        w.scratch += 4 * schedule::MOST_WORDS;
        w.set_up()?;
    } else if w.steps.is_some() {
        w.settle(Writer::try_steps)?;
        w.kernel(Work::Steps, Work::Steps, None)?;
    } else {
        let main = flow::group(&w.cipher, if looped { blocks } else { 1 }, cached);
        let single = flow::group(&w.cipher, 1, 0);
        let refresh = (cached > 0).then(|| flow::refresh(&w.cipher, cached));
        w.settle(|w| {
            [Some(&main), Some(&single), refresh.as_ref()]
                .into_iter()
                .flatten()
                .try_for_each(|flow| w.run(flow).map(|_| ()))
        })?;
        w.kernel(
            Work::Program { flow: &main, blocks: if looped { blocks } else { 1 }, cached: cached > 0 },
            Work::Program { flow: &single, blocks: 1, cached: false },
            refresh.as_ref(),
        )?;
    }
    let assembled = w.asm.finish().map_err(Unfit::Shape)?;
    let keys_in_registers =
        if variant.get(Dim::RoundKeys) == 2 { (1 << (w.cipher.rounds + 1)) - 1 } else { 0 };
    let blocks = if variant.problem.is_message() { blocks } else { 0 };
    Ok(Parts { without_cache: !looped, ..Parts::plain(assembled, keys_in_registers, blocks) })
}

impl Writer<'_> {
    /// True if CBC encryption keeps its chaining value in registers.
    fn chain_in_registers(&self) -> bool {
        matches!(self.cipher.task, Task::CbcEncrypt { .. }) && self.steps.is_none()
    }

    fn kernel(&mut self, main: Work, single: Work, refresh: Option<&Flow>) -> Result<(), Unfit> {
        self.entry();
        let streams = self.variant.problem.streams();
        if streams > 1 {
            self.arrays();
            let next = self.asm.label();
            self.asm.bind(next);
            self.asm.name("stream");
            self.next_stream();
            self.prepare();
            self.asm.name("loop");
            self.plain_loop(main)?;
            self.keep_chain();
            self.small(Code::Add_rm64_imm8, Var::Stream, 8);
            self.immediate(Code::Cmp_rm64_imm8, Code::Cmp_rm64_imm32, Var::Stream, 8 * streams as i32);
            self.asm.jump(If::Below, next);
        } else {
            self.arguments();
            self.prepare();
            let carry = self.ctr().then(|| self.counter(refresh.is_some()));
            self.asm.name("loop");
            if let Some(refresh) = refresh {
                self.cached_loop(main, single, refresh)?;
            } else if main.blocks() > 1 {
                self.plain_loop(main)?;
            }
            self.asm.bind(self.single);
            self.asm.name("single");
            self.plain_loop(single)?;
            self.keep_chain();
            if self.ctr() {
                self.last_bytes(single)?;
            }
            self.leave();
            if let Some(carry) = carry {
                self.carry(carry);
            }
            return Ok(());
        }
        self.leave();
        Ok(())
    }

    fn place(&self, source: Source) -> Place {
        match source {
            Source::State(block, w) => {
                let (base, start) = match self.home(Var::Input) {
                    Home::Register(r) if !self.ctr() => (r64(r), 0),
                    _ => (Register::RSP, COUNTERS),
                };
                Place::Memory(base, start + (16 * block + 4 * w) as i32, 4)
            }
            Source::Key(round, w) if self.cipher.padded_key(round) => {
                Place::Memory(Register::RSP, PADDED + 8 * (4 * (round as i32 - 1) + w as i32), 8)
            }
            Source::Key(round, w) => match self.home(Var::Key) {
                Home::Register(r) => Place::Memory(r64(r), (16 * round + 4 * w) as i32, 4),
                Home::Frame(_) => Place::Vector(round as u8, w as u8),
            },
            Source::Fast(block) => Place::Register(FAST[block]),
            Source::Cached(i) => Place::Memory(
                Register::RSP,
                CACHED + 8 * i as i32,
                if self.cipher.tables.padded() { 8 } else { 4 },
            ),
            Source::Chain(w) => Place::Register(CHAIN[w]),
        }
    }

    /// Writes the instructions of a program; returns the registers of its outputs.
    fn run(&mut self, flow: &Flow) -> Result<Vec<u8>, Unfit> {
        let inputs: Vec<Place> = flow.sources.iter().map(|&s| self.place(s)).collect();
        self.run_program(&flow.program, &inputs, 0)
    }

    /// Like [`Writer::run`] with given inputs; `kept` registers are neither inputs nor free.
    fn run_program(&mut self, program: &Program, inputs: &[Place], kept: Set) -> Result<Vec<u8>, Unfit> {
        let mut free = self.free() & !kept;
        for input in inputs {
            if let Place::Register(r) = input {
                free &= !(1 << r);
            }
        }
        let mut machine = Machine {
            asm: &mut self.asm,
            regions: &mut self.regions,
            free,
            table: r64(TABLE),
            scratch: self.scratch,
            scratch_used: &mut self.scratch_used,
            options: self.options,
        };
        select(&mut machine, program, inputs)
    }

    /// Processes a group of blocks from its counters or texts to its results in memory, and advances.
    fn blocks(&mut self, work: Work) -> Result<(), Unfit> {
        let Work::Program { flow, blocks, cached } = work else { return self.one_by_steps() };
        if cached {
            self.fast_bytes(blocks);
        } else if self.ctr() {
            self.counters(blocks);
        }
        if let (false, Home::Frame(_)) = (self.ctr(), self.home(Var::Input)) {
            let (input, part) = (self.get(Var::Input, FAST[0]), r64(FAST[1]));
            for half in 0..2 * blocks as i32 {
                self.asm.load(part, at(input, 8 * half));
                self.asm.store(at(Register::RSP, COUNTERS + 8 * half), part);
            }
        }
        let results = self.run(flow)?;
        if self.cipher.task == Task::CbcDecrypt {
            // The caller's IV holds the chaining value.
            let iv = self.spare(&results)?;
            let part = self.spare(&[&results[..], &[iv]].concat())?;
            let from = self.get(Var::Iv, iv);
            for (i, r) in results[..4].iter().enumerate() {
                self.asm.made(Instruction::with2(Code::Xor_r32_rm32, r32(*r), at(from, 4 * i as i32)));
            }
            let input = match self.home(Var::Input) {
                Home::Register(r) => r64(r),
                // In this case the texts were copied to the frame.
                Home::Frame(_) => Register::RSP,
            };
            for (i, r) in results[4..].iter().enumerate() {
                self.asm.made(Instruction::with2(Code::Xor_r32_rm32, r32(*r), at(input, 4 * i as i32)));
            }
            for half in [0, 8] {
                self.asm.load(r64(part), at(input, 16 * (blocks as i32 - 1) + half));
                self.asm.store(at(from, half), r64(part));
            }
        }
        if self.ctr() {
            let spare = self.spare(&results)?;
            let input = self.get(Var::Input, spare);
            for (i, r) in results.iter().enumerate() {
                self.asm.made(Instruction::with2(Code::Xor_r32_rm32, r32(*r), at(input, 4 * i as i32)));
            }
        }
        let spare = self.spare(&results)?;
        let output = self.get(Var::Output, spare);
        for (i, r) in results.iter().enumerate() {
            self.asm.made(Instruction::with2(Code::Mov_rm32_r32, at(output, 4 * i as i32), r32(*r)));
        }
        if self.chain_in_registers() {
            self.move_all(&results, &CHAIN)?;
        }
        self.advance(blocks, cached);
        Ok(())
    }

    /// Advances texts, length and counter past a group.
    fn advance(&mut self, blocks: usize, cached: bool) {
        let text = 16 * blocks as i32;
        self.small(Code::Add_rm64_imm8, Var::Input, text);
        self.small(Code::Add_rm64_imm8, Var::Output, text);
        if self.ctr() {
            self.small(Code::Add_rm64_imm8, Var::Low, blocks as i32);
            if !cached {
                self.small(Code::Adc_rm64_imm8, Var::High, 0);
            }
        }
        self.small(Code::Sub_rm64_imm8, Var::Length, text);
    }

    /// A parallel move of registers to registers.
    fn move_all(&mut self, from: &[u8], to: &[u8]) -> Result<(), Unfit> {
        let mut moves: Vec<(u8, u8)> =
            from.iter().copied().zip(to.iter().copied()).filter(|(a, b)| a != b).collect();
        while !moves.is_empty() {
            let ready = moves.iter().position(|&(_, to)| moves.iter().all(|&(from, _)| from != to));
            match ready {
                Some(i) => {
                    let (from, to) = moves.swap_remove(i);
                    self.asm.two(Code::Mov_r32_rm32, r32(to), r32(from));
                }
                None => {
                    // A cycle: one of the registers is saved first.
                    let aside = self.spare(&[from, to].concat())?;
                    let waiting = moves[0].0;
                    self.asm.two(Code::Mov_r32_rm32, r32(aside), r32(waiting));
                    moves[0].0 = aside;
                }
            }
        }
        Ok(())
    }

    fn align(&mut self) {
        self.asm.align([1, 16, 32, 64][usize::from(self.variant.get(Dim::Align))]);
    }

    /// Processes groups of blocks while there is enough text.
    fn plain_loop(&mut self, work: Work) -> Result<(), Unfit> {
        let text = 16 * work.blocks() as i32;
        let (again, done) = (self.asm.label(), self.asm.label());
        let top = self.variant.on(Dim::Loop);
        if !top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.align();
        self.asm.bind(again);
        if top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.asm.name("body");
        self.blocks(work)?;
        self.asm.name("body end");
        if top {
            self.asm.jump(If::Always, again);
        } else {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::AboveEqual, again);
        }
        self.asm.bind(done);
        Ok(())
    }
}
