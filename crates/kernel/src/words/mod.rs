//! Kernels of techniques on words: a block is four words of 32 bits in general registers.
//!
//! ```text
//! entry    arguments to their homes; CTR: the counter after the message, at once
//! loop     groups of blocks; CTR with cached rounds: within 256 counters, then refreshed
//! single   block by block, right for every counter carry
//! tail     CTR: the last bytes, from a key stream on the stack
//! leave    wiping, the registers of the caller, return
//! ```

mod flow;
mod select;

use crate::asm::{Assembler, If, Label, at, constant_operand, indexed};
use crate::target::Target;
use crate::{Parts, Unfit};
use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::Task;
use aesmith_dataflow::Technique;
use aesmith_processor::x86::features::Features;
use flow::{Cipher, Flow, Source};
use iced_x86::{Code, Instruction, Register};
use select::{Extract, Machine, Options, Place, Regions, Set, r8, r32, r64, select, xmm};

/// Base of the read-only memory.
const TABLE: u8 = 15;
/// All registers but the stack pointer.
const ALL: Set = 0xffef;
/// Those that the caller wants back.
const SAVED: [u8; 6] = [3, 5, 12, 13, 14, 15];
/// Where CBC encryption keeps its chain between blocks, by word.
const CHAIN: [u8; 4] = [0, 3, 1, 2];
/// Where the fast counter bytes of a group's blocks are made.
const FAST: [u8; 2] = [7, 6];

/// The stack frame, in bytes from the stack pointer: counter blocks, or texts where the input's
/// address has no register, or the key stream of the last bytes.
const COUNTERS: i32 = 0;
/// The chain of CBC decryption.
const PREVIOUS: i32 = 32;
/// Variables that found no register.
const HOMES: i32 = PREVIOUS + 16;
/// The round-key byte of the fast counter byte.
const FAST_KEY: i32 = HOMES + 8 * 7;
/// Constants of the counter-mode cache.
const CACHED: i32 = FAST_KEY + 8;
/// Padded round keys, from round key 1 on.
const PADDED: i32 = CACHED + 8 * 5;

/// What lives across blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Var {
    Key,
    Input,
    Output,
    /// The lower half of the counter as a native integer.
    Low,
    Length,
    /// The upper half.
    High,
    Iv,
}

/// Where one of them lives.
#[derive(Clone, Copy, Debug)]
enum Home {
    Register(u8),
    Frame(i32),
}

struct Writer<'v> {
    variant: &'v Variant,
    asm: Assembler,
    regions: Regions,
    cipher: Cipher,
    options: Options,
    /// How many variables have registers.
    level: u8,
    scratch: i32,
    scratch_used: u32,
    leave: Label,
    single: Label,
}

/// Writes the kernel of a variant of a technique on words.
pub fn write(variant: &Variant, target: &Target) -> Result<Parts, Unfit> {
    if variant.technique != Technique::Table {
        return Err(Unfit::Unsupported(format!(
            "technique {} has no writer of machine code yet",
            variant.technique
        )));
    }
    if variant.problem.is_key_set_up() {
        return Err(Unfit::Unsupported("techniques on words have no key set-up so far; that of another technique makes the same round keys".into()));
    }
    if variant.problem.streams() > 1 {
        return Err(Unfit::Unsupported("techniques on words encrypt one CBC stream at a time so far".into()));
    }
    let blocks = usize::from(variant.get(Dim::Interleave)).max(1);
    if blocks > FAST.len() {
        return Err(Unfit::Shape(format!(
            "interleave={blocks} blocks of four words each do not fit 15 general registers; 2 may"
        )));
    }
    if variant.get(Dim::RoundKeys) == 2 && !target.has(Features::SSE41) {
        return Err(Unfit::Unsupported(
            "roundkeys=vectors takes words from vector registers by pextrd, an SSE4.1 instruction that the \
             target lacks; roundkeys=memory works"
                .into(),
        ));
    }
    let cached = usize::from(variant.get(Dim::Cached));
    let cipher = Cipher::new(variant);
    let padded = if cipher.tables.padded() { 8 * 4 * (cipher.rounds as i32 - 1) } else { 0 };
    let mut flows = vec![flow::group(&cipher, blocks, cached)];
    if cached > 0 || blocks > 1 {
        flows.push(flow::group(&cipher, 1, 0));
    }
    if cached > 0 {
        flows.push(flow::refresh(&cipher, cached));
    }
    let mut asm = Assembler::new();
    let (leave, single) = (asm.label(), asm.label());
    let mut w = Writer {
        variant,
        asm,
        regions: Regions::default(),
        cipher,
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
    w.settle(&flows)?;
    w.kernel(&flows, blocks, cached)?;
    let assembled = w.asm.finish().map_err(Unfit::Shape)?;
    let keys_in_registers =
        if variant.get(Dim::RoundKeys) == 2 { (1 << (w.cipher.rounds + 1)) - 1 } else { 0 };
    Ok(Parts::plain(assembled, keys_in_registers, blocks))
}

impl Writer<'_> {
    fn ctr(&self) -> bool {
        self.cipher.task == Task::Ctr
    }

    fn keys_in_vectors(&self) -> bool {
        self.variant.get(Dim::RoundKeys) == 2
    }

    /// The variables that there are, those first that want registers most. Round keys in memory
    /// are operands, so that their address must have one.
    fn variables(&self) -> impl Iterator<Item = Var> {
        let all = [Var::Key, Var::Input, Var::Output, Var::Low, Var::Length, Var::High];
        let (keys, ctr) = (!self.keys_in_vectors(), self.ctr());
        all.into_iter().filter(move |v| match v {
            Var::Key => keys,
            Var::Low | Var::High => ctr,
            _ => true,
        })
    }

    fn home(&self, var: Var) -> Home {
        match self.variables().position(|v| v == var) {
            Some(place) if place < usize::from(self.level) => Home::Register(TABLE - 1 - place as u8),
            _ => Home::Frame(HOMES + 8 * var as i32),
        }
    }

    /// Registers that programs may use.
    fn free(&self) -> Set {
        (0..=self.level).fold(ALL, |free, i| free & !(1 << (TABLE - i)))
    }

    /// Finds the most variables in registers that leave enough for the programs.
    fn settle(&mut self, flows: &[Flow]) -> Result<(), Unfit> {
        let least = if self.keys_in_vectors() { 0 } else { 1 };
        self.level = self.variables().count() as u8;
        let asm = std::mem::replace(&mut self.asm, Assembler::new());
        let fits = loop {
            match flows.iter().try_for_each(|flow| self.run(flow).map(|_| ())) {
                Err(Unfit::Registers { .. }) if self.level > least => self.level -= 1,
                other => break other,
            }
        };
        self.asm = asm;
        fits
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
            Source::Chain(w) if self.cipher.task == Task::CbcDecrypt => {
                Place::Memory(Register::RSP, PREVIOUS + 4 * w as i32, 4)
            }
            Source::Chain(w) => Place::Register(CHAIN[w]),
        }
    }

    /// The instructions of a program; the registers of its outputs.
    fn run(&mut self, flow: &Flow) -> Result<Vec<u8>, Unfit> {
        let inputs: Vec<Place> = flow.sources.iter().map(|&s| self.place(s)).collect();
        let mut free = self.free();
        for input in &inputs {
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
        select(&mut machine, &flow.program, &inputs)
    }

    /// A variable into a register: its own, or `spare`.
    fn get(&mut self, var: Var, spare: u8) -> Register {
        match self.home(var) {
            Home::Register(r) => r64(r),
            Home::Frame(place) => {
                self.asm.load(r64(spare), at(Register::RSP, place));
                r64(spare)
            }
        }
    }

    fn set(&mut self, var: Var, from: Register) {
        match self.home(var) {
            Home::Register(r) => self.asm.mov(r64(r), from),
            Home::Frame(place) => self.asm.store(at(Register::RSP, place), from),
        }
    }

    /// `op variable, value` for a form with an immediate byte.
    fn small(&mut self, code: Code, var: Var, value: i32) {
        match self.home(var) {
            Home::Register(r) => self.asm.made(Instruction::with2(code, r64(r), value)),
            Home::Frame(place) => self.asm.made(Instruction::with2(code, at(Register::RSP, place), value)),
        }
    }

    /// A register that no variable has and that is not in `taken`.
    fn spare(&self, taken: &[u8]) -> Result<u8, Unfit> {
        let free = taken.iter().fold(self.free(), |free, r| free & !(1 << r));
        match free {
            0 => Err(Unfit::Registers { needed: 16, available: 15 }),
            free => Ok(15 - free.leading_zeros() as u8),
        }
    }

    fn kernel(&mut self, flows: &[Flow], blocks: usize, cached: usize) -> Result<(), Unfit> {
        let carry = self.entry(cached);
        let (main, single) = (&flows[0], flows.get(1).unwrap_or(&flows[0]));
        let text = 16 * blocks as i32;
        self.asm.name("loop");
        if cached > 0 {
            self.cached_loop(main, single, flows.last().expect("refresh comes last"), blocks)?;
        } else if blocks > 1 {
            self.plain_loop(main, blocks, text)?;
        }
        self.asm.bind(self.single);
        self.asm.name("single");
        self.plain_loop(if cached > 0 || blocks > 1 { single } else { main }, 1, 16)?;
        if self.ctr() {
            self.last_bytes(single)?;
        }
        self.leave();
        if let Some(carry) = carry {
            self.carry(carry);
        }
        Ok(())
    }

    /// Saves registers, brings the arguments home, prepares keys and counters. The label is of a
    /// carry out of the counter's lower half.
    fn entry(&mut self, cached: usize) -> Option<Label> {
        self.asm.name("entry");
        for r in SAVED {
            self.asm.one(Code::Push_r64, r64(r));
        }
        let frame = self.frame();
        self.asm.sub(Register::RSP, frame);
        let arguments: &[Var] = match self.variant.problem.has_iv() {
            true => &[Var::Key, Var::Iv, Var::Input, Var::Output, Var::Length],
            false => &[Var::Key, Var::Input, Var::Output, Var::Length],
        };
        const REGISTERS: [u8; 5] = [7, 6, 2, 1, 8];
        for (&var, r) in arguments.iter().zip(REGISTERS) {
            if var != Var::Key || !self.keys_in_vectors() {
                self.set(var, r64(r));
            }
        }
        let (key, iv) = (Register::RDI, Register::RSI);
        let contents = self.regions.contents();
        let tables = self.asm.constant(&contents);
        match Instruction::with2(Code::Lea_r64_m, r64(TABLE), constant_operand()) {
            Ok(lea) => self.asm.push_constant(&lea, tables),
            Err(error) => unreachable!("{error}"),
        }
        if self.keys_in_vectors() {
            for round in 0..=self.cipher.rounds {
                let from = at(key, 16 * round as i32);
                self.asm.made(Instruction::with2(Code::Movdqu_xmm_xmmm128, xmm(round as u8), from));
            }
        }
        if self.cipher.tables.padded() {
            self.pad_keys(key);
        }
        match self.cipher.task {
            Task::Ctr => return Some(self.counter(key, iv, cached)),
            Task::CbcDecrypt => {
                for half in [0, 8] {
                    self.asm.load(Register::RAX, at(iv, half));
                    self.asm.store(at(Register::RSP, PREVIOUS + half), Register::RAX);
                }
            }
            Task::CbcEncrypt { .. } => {
                for (w, r) in CHAIN.into_iter().enumerate() {
                    let from = at(iv, 4 * w as i32);
                    self.asm.made(Instruction::with2(Code::Mov_r32_rm32, r32(r), from));
                }
            }
            _ => {}
        }
        None
    }

    /// Bytes of the stack frame.
    fn frame(&self) -> i32 {
        (self.scratch + 8 * self.scratch_used as i32 + 15) & !15
    }

    /// Padded words of the round keys between the first and the last: each byte times 16, the
    /// bytes 16 bits apart.
    fn pad_keys(&mut self, key: Register) {
        let (word, moved, halves, bytes, i) =
            (Register::RAX, Register::RBX, Register::RBP, Register::R8, Register::RSI);
        // The arguments are home, but for the IV, which is read from here again.
        let keep = Register::RDX;
        self.asm.mov(keep, i);
        self.asm.made(Instruction::with2(Code::Mov_r64_imm64, halves, 0x0000_ffff_0000_ffffu64));
        self.asm.made(Instruction::with2(Code::Mov_r64_imm64, bytes, 0x00ff_00ff_00ff_00ffu64));
        self.asm.two(Code::Xor_r32_rm32, Register::ESI, Register::ESI);
        let again = self.asm.label();
        self.asm.bind(again);
        self.asm.made(Instruction::with2(Code::Mov_r32_rm32, Register::EAX, indexed(key, i, 4, 16)));
        for (shift, mask) in [(16, halves), (8, bytes)] {
            self.asm.mov(moved, word);
            self.asm.shift(Code::Shl_rm64_imm8, moved, shift);
            self.asm.two(Code::Xor_r64_rm64, word, moved);
            self.asm.two(Code::And_r64_rm64, word, mask);
        }
        self.asm.shift(Code::Shl_rm64_imm8, word, 4);
        self.asm.store(indexed(Register::RSP, i, 8, PADDED), word);
        self.asm.add(i, 1);
        self.asm.cmp(i, 4 * (self.cipher.rounds as i32 - 1));
        self.asm.jump(If::Below, again);
        self.asm.mov(i, keep);
    }

    /// CTR's counter at entry, and the one after the message in the caller's memory.
    fn counter(&mut self, key: Register, iv: Register, cached: usize) -> Label {
        let (low, high, end) = (Register::RAX, Register::RBX, Register::RBP);
        let carry = self.asm.label();
        let len = self.get(Var::Length, 8);
        self.asm.two(Code::Test_rm64_r64, len, len);
        self.asm.jump(If::Zero, self.leave);
        self.asm.load(low, at(iv, 8));
        self.asm.load(high, at(iv, 0));
        self.asm.one(Code::Bswap_r64, low);
        self.asm.one(Code::Bswap_r64, high);
        self.set(Var::Low, low);
        self.set(Var::High, high);
        if cached > 0 {
            // Byte 15 of round key 0 goes with the fast byte.
            self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::EDI, at(key, 15)));
            self.asm.store(at(Register::RSP, FAST_KEY), Register::RDI);
        }
        self.asm.lea(end, at(len, 15));
        self.asm.shift(Code::Shr_rm64_imm8, end, 4);
        self.asm.two(Code::Add_r64_rm64, low, end);
        self.asm.jump(If::Below, carry);
        self.asm.one(Code::Bswap_r64, low);
        self.asm.store(at(iv, 8), low);
        carry
    }

    /// The counter leaves its lower half within this message: its new value, then block by block.
    fn carry(&mut self, label: Label) {
        let (low, high) = (Register::RAX, Register::RBX);
        self.asm.bind(label);
        self.asm.name("carry");
        self.asm.one(Code::Bswap_r64, low);
        self.asm.store(at(Register::RSI, 8), low);
        self.asm.add(high, 1);
        self.asm.one(Code::Bswap_r64, high);
        self.asm.store(at(Register::RSI, 0), high);
        self.asm.jump(If::Always, self.single);
    }

    /// The counter blocks of a group into the frame.
    fn counters(&mut self, blocks: usize) {
        let (low, high) = (Register::RAX, Register::RBX);
        for block in 0..blocks as i32 {
            for (register, var) in [(low, Var::Low), (high, Var::High)] {
                let from = self.get(var, register as u8 - Register::RAX as u8);
                if from != register {
                    self.asm.mov(register, from);
                }
            }
            if block > 0 {
                self.asm.add(low, block);
                self.asm.immediate(Code::Adc_rm64_imm8, Code::Adc_rm64_imm32, high, 0);
            }
            self.asm.one(Code::Bswap_r64, low);
            self.asm.one(Code::Bswap_r64, high);
            self.asm.store(at(Register::RSP, COUNTERS + 16 * block + 8), low);
            self.asm.store(at(Register::RSP, COUNTERS + 16 * block), high);
        }
    }

    /// The fast counter bytes of a group, keyed.
    fn fast_bytes(&mut self, blocks: usize) {
        for (block, r) in FAST.into_iter().take(blocks).enumerate() {
            let low = self.get(Var::Low, r);
            let byte = match low {
                low if block == 0 => r8((low as u32 - Register::RAX as u32) as u8),
                low => {
                    self.asm.lea(r64(r), at(low, block as i32));
                    r8(r)
                }
            };
            self.asm.two(Code::Movzx_r32_rm8, r32(r), byte);
            self.asm.made(Instruction::with2(Code::Xor_r32_rm32, r32(r), at(Register::RSP, FAST_KEY)));
        }
    }

    /// A group of blocks from its counters or texts to its results in memory, and everything moved
    /// on past it.
    fn blocks(&mut self, flow: &Flow, blocks: usize, cached: bool) -> Result<(), Unfit> {
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
            let spare = self.spare(&results)?;
            let part = self.spare(&[&results[..], &[spare]].concat())?;
            let input = self.get(Var::Input, spare);
            for half in [0, 8] {
                self.asm.load(r64(part), at(input, 16 * (blocks as i32 - 1) + half));
                self.asm.store(at(Register::RSP, PREVIOUS + half), r64(part));
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
        if matches!(self.cipher.task, Task::CbcEncrypt { .. }) {
            self.move_all(&results, &CHAIN)?;
        }
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
        Ok(())
    }

    /// Moves registers to registers, all at once.
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
                    // A circle: one of them steps aside.
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

    /// Groups of blocks while there is text for them.
    fn plain_loop(&mut self, flow: &Flow, blocks: usize, text: i32) -> Result<(), Unfit> {
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
        self.blocks(flow, blocks, false)?;
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

    /// CTR groups that share what counters have in common that differ in the last byte only.
    fn cached_loop(
        &mut self,
        main: &Flow,
        single: &Flow,
        refresh: &Flow,
        blocks: usize,
    ) -> Result<(), Unfit> {
        let text = 16 * blocks as i32;
        let top = self.variant.on(Dim::Loop);
        let (fresh, again, over, done) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        if blocks > 1 {
            // Until the low byte of the counter is a multiple of the group.
            let aligned = self.asm.label();
            self.asm.name("head");
            let low = self.get(Var::Low, 0);
            let low = r8((low as u32 - Register::RAX as u32) as u8);
            self.asm.made(Instruction::with2(Code::Test_rm8_imm8, low, blocks as u32 - 1));
            self.asm.jump(If::Zero, aligned);
            self.small(Code::Cmp_rm64_imm8, Var::Length, 16);
            self.asm.jump(If::Below, done);
            self.blocks(single, 1, false)?;
            self.asm.bind(aligned);
        }
        if !top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.asm.bind(fresh);
        if top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.counters(1);
        let constants = self.run(refresh)?;
        for (i, r) in constants.into_iter().enumerate() {
            self.asm.store(at(Register::RSP, CACHED + 8 * i as i32), r64(r));
        }
        self.align();
        self.asm.bind(again);
        if top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.asm.name("body");
        self.blocks(main, blocks, true)?;
        self.asm.name("body end");
        match self.home(Var::Low) {
            Home::Register(r) => self.asm.two(Code::Test_rm8_r8, r8(r), r8(r)),
            Home::Frame(place) => {
                self.asm.made(Instruction::with2(Code::Cmp_rm8_imm8, at(Register::RSP, place), 0));
            }
        }
        if top {
            self.asm.jump(If::Zero, fresh);
            self.asm.jump(If::Always, again);
        } else {
            self.asm.jump(If::Zero, over);
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::AboveEqual, again);
            self.asm.jump(If::Always, done);
            self.asm.bind(over);
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::AboveEqual, fresh);
        }
        self.asm.bind(done);
        Ok(())
    }

    /// 1 to 15 bytes of CTR: their key stream on the stack, then byte by byte.
    fn last_bytes(&mut self, stream: &Flow) -> Result<(), Unfit> {
        self.asm.name("tail");
        match self.home(Var::Length) {
            Home::Register(r) => self.asm.two(Code::Test_rm64_r64, r64(r), r64(r)),
            Home::Frame(_) => self.small(Code::Cmp_rm64_imm8, Var::Length, 0),
        }
        self.asm.jump(If::Zero, self.leave);
        self.counters(1);
        let results = self.run(stream)?;
        for (i, r) in results.into_iter().enumerate() {
            let to = at(Register::RSP, COUNTERS + 4 * i as i32);
            self.asm.made(Instruction::with2(Code::Mov_rm32_r32, to, r32(r)));
        }
        let again = self.asm.label();
        let (input, output) = (self.get(Var::Input, 6), self.get(Var::Output, 1));
        let length = self.get(Var::Length, 2);
        self.asm.two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
        self.asm.bind(again);
        let byte = |base, d| indexed(base, Register::RAX, 1, d);
        self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::EBX, byte(input, 0)));
        self.asm.made(Instruction::with2(Code::Xor_r8_rm8, Register::BL, byte(Register::RSP, COUNTERS)));
        self.asm.made(Instruction::with2(Code::Mov_rm8_r8, byte(output, 0), Register::BL));
        self.asm.add(Register::RAX, 1);
        self.asm.two(Code::Cmp_r64_rm64, Register::RAX, length);
        self.asm.jump(If::Below, again);
        Ok(())
    }

    /// The way out.
    fn leave(&mut self) {
        match self.cipher.task {
            Task::CbcEncrypt { .. } => {
                let iv = self.get(Var::Iv, 6);
                for (w, r) in CHAIN.into_iter().enumerate() {
                    let to = at(iv, 4 * w as i32);
                    self.asm.made(Instruction::with2(Code::Mov_rm32_r32, to, r32(r)));
                }
            }
            Task::CbcDecrypt => {
                let iv = self.get(Var::Iv, 6);
                for half in [0, 8] {
                    self.asm.load(Register::RAX, at(Register::RSP, PREVIOUS + half));
                    self.asm.store(at(iv, half), Register::RAX);
                }
            }
            _ => {}
        }
        self.asm.bind(self.leave);
        self.asm.name("leave");
        let frame = self.frame();
        if self.variant.on(Dim::Wipe) {
            for slot in 0..frame / 8 {
                let to = at(Register::RSP, 8 * slot);
                self.asm.made(Instruction::with2(Code::Mov_rm64_imm32, to, 0));
            }
            for r in (0..16).filter(|r| ALL >> r & 1 == 1 && !SAVED.contains(r)) {
                self.asm.two(Code::Xor_r32_rm32, r32(r), r32(r));
            }
            if self.keys_in_vectors() {
                for r in 0..=self.cipher.rounds as u8 {
                    self.asm.two(Code::Pxor_xmm_xmmm128, xmm(r), xmm(r));
                }
            }
        }
        self.asm.add(Register::RSP, frame);
        for r in SAVED.into_iter().rev() {
            self.asm.one(Code::Pop_r64, r64(r));
        }
        self.asm.push(&Instruction::with(Code::Retnq));
    }
}
