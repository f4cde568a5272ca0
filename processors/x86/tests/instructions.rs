//! The table's semantics against the CPU that runs the tests: every row that it supports, on random operands
//! and complete random machine states.
//!
//! One function is generated per instruction: load every register from the state, execute the instruction,
//! store every register. The domain of bytes executes the same instruction on a copy of the state; registers,
//! flags and memory must agree.

use crate::sample;
use aesmith_isa::instructions::Flow;
use aesmith_isa::lanes::{Access, FlagSet, Machine};
use aesmith_processor::measured::Features;
use aesmith_x86::concrete::{Bytes, Flags, zeroed};
use aesmith_x86::features;
use aesmith_x86::registers::{gpr::RSP, gpr_number};
use aesmith_x86::semantics::execute;
use aesmith_x86::table::{Form, Operation, forms};
use aesmith_x86::targets;
use iced_x86::{Code, Decoder, DecoderOptions, Encoder, Instruction, MemoryOperand, OpKind, Register};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PAGE: usize = 4096;
/// Page 0 holds code, page 1 the state, pages 2 and 3 operands, page 4 a stack; an inaccessible page follows.
const PAGES: usize = 5;
const STATE: usize = PAGE;
const OPERANDS: usize = 2 * PAGE;
const STACK: usize = 4 * PAGE;

// Offsets in the page of the state.
const GPR: usize = STATE;
const FLAGS: usize = STATE + 128;
const SAVED_RSP: usize = STATE + 136;
const FELL_THROUGH: usize = STATE + 144;
const MASKS: usize = STATE + 192;
const VECTORS: usize = STATE + 256;

const INSTRUCTIONS_A_ROW: usize = 10;
const TRIALS_AN_INSTRUCTION: usize = 6;

/// CF, PF, ZF, SF, OF: the modelled flags.
const MODELLED: u64 = 0x8c5;
/// AF, which no row reads.
const AUXILIARY: u64 = 0x10;

struct Mapping(*mut u8);

impl Mapping {
    fn new() -> Mapping {
        // SAFETY: a fresh anonymous mapping at an address that the system chooses; failure is checked.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                (PAGES + 1) * PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(start, libc::MAP_FAILED);
        // SAFETY: the last page of the mapping just made.
        let result = unsafe { libc::mprotect(start.byte_add(PAGES * PAGE), PAGE, libc::PROT_NONE) };
        assert_eq!(result, 0, "mprotect");
        Mapping(start.cast())
    }

    fn address(&self, offset: usize) -> u64 {
        self.0 as u64 + offset as u64
    }

    /// Writable data or executable code, never both.
    fn protect_code(&self, protection: i32) {
        // SAFETY: the first page of this mapping; nothing runs in it now.
        let result = unsafe { libc::mprotect(self.0.cast(), PAGE, protection) };
        assert_eq!(result, 0, "mprotect");
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping lives as long as self, is borrowed mutably here, and its first PAGES
        // pages are readable; callers write code only while that page is writable.
        unsafe { std::slice::from_raw_parts_mut(self.0, PAGES * PAGE) }
    }

    fn load(&mut self, code: &[u8]) {
        self.protect_code(libc::PROT_READ | libc::PROT_WRITE);
        self.bytes()[..code.len()].copy_from_slice(code);
        self.protect_code(libc::PROT_READ | libc::PROT_EXEC);
    }

    fn run(&mut self) {
        // SAFETY: `load` put a function there that keeps the calling convention, touches this
        // mapping only, and executes one instruction whose memory operand was aimed into it.
        let function: extern "C" fn() = unsafe { std::mem::transmute(self.0) };
        function();
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the whole mapping, which nothing refers to any more.
        unsafe { libc::munmap(self.0.cast(), (PAGES + 1) * PAGE) };
    }
}

/// The register file of this CPU.
#[derive(Clone, Copy)]
struct Registers {
    vectors: usize,
    lanes: usize,
    masks: bool,
}

fn registers(cpu: Features) -> Registers {
    let masks = cpu.has(features::AVX512F.and(features::AVX512BW));
    match (masks, cpu.has(features::AVX)) {
        (true, _) => Registers { vectors: 32, lanes: 4, masks },
        (_, true) => Registers { vectors: 16, lanes: 2, masks },
        _ => Registers { vectors: 16, lanes: 1, masks },
    }
}

/// Appends instructions at their final addresses.
struct Writer {
    base: u64,
    code: Vec<u8>,
}

impl Writer {
    fn put(&mut self, instruction: Instruction) {
        let mut encoder = Encoder::new(64);
        encoder.encode(&instruction, self.base + self.code.len() as u64).unwrap();
        self.code.extend(encoder.take_buffer());
    }

    fn place(&self, offset: usize) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RIP, (self.base + offset as u64) as i64)
    }

    fn load(&mut self, code: Code, register: Register, offset: usize) {
        let i = Instruction::with2(code, register, self.place(offset)).unwrap();
        self.put(i);
    }

    fn store(&mut self, code: Code, register: Register, offset: usize) {
        let i = Instruction::with2(code, self.place(offset), register).unwrap();
        self.put(i);
    }

    fn wide(&mut self, r: Registers, load: bool) {
        for v in 0..r.vectors as u32 {
            let at = VECTORS + v as usize * 64;
            match (r.lanes, load) {
                (4, true) => self.load(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, Register::ZMM0 + v, at),
                (4, false) => self.store(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, Register::ZMM0 + v, at),
                (2, true) => self.load(Code::VEX_Vmovdqu_ymm_ymmm256, Register::YMM0 + v, at),
                (2, false) => self.store(Code::VEX_Vmovdqu_ymmm256_ymm, Register::YMM0 + v, at),
                (_, true) => self.load(Code::Movdqu_xmm_xmmm128, Register::XMM0 + v, at),
                (_, false) => self.store(Code::Movdqu_xmmm128_xmm, Register::XMM0 + v, at),
            }
        }
        for k in 0..if r.masks { 8u32 } else { 0 } {
            let at = MASKS + k as usize * 8;
            match load {
                true => self.load(Code::VEX_Kmovq_kr_km64, Register::K0 + k, at),
                false => self.store(Code::VEX_Kmovq_m64_kr, Register::K0 + k, at),
            }
        }
    }
}

const KEPT: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// The code before the instruction: loads the state into the machine.
fn prologue(base: u64, r: Registers) -> Writer {
    let mut w = Writer { base, code: Vec::new() };
    for register in KEPT {
        w.put(Instruction::with1(Code::Push_r64, register).unwrap());
    }
    w.store(Code::Mov_rm64_r64, Register::RSP, SAVED_RSP);
    w.wide(r, true);
    let flags = w.place(FLAGS);
    w.put(Instruction::with1(Code::Push_rm64, flags).unwrap());
    w.put(Instruction::with(Code::Popfq));
    for n in 0..16u32 {
        w.load(Code::Mov_r64_rm64, Register::RAX + n, GPR + n as usize * 8);
    }
    w
}

/// Writes a marker for an instruction that did not jump; a taken branch jumps past it.
fn marker(w: &mut Writer) {
    let place = w.place(FELL_THROUGH);
    w.put(Instruction::with2(Code::Mov_rm8_imm8, place, 1u32).unwrap());
}

/// The code after the instruction: stores the machine to the state.
fn epilogue(w: &mut Writer, r: Registers) {
    for n in 0..16u32 {
        w.store(Code::Mov_rm64_r64, Register::RAX + n, GPR + n as usize * 8);
    }
    w.load(Code::Mov_r64_rm64, Register::RSP, SAVED_RSP);
    w.put(Instruction::with(Code::Pushfq));
    let flags = w.place(FLAGS);
    w.put(Instruction::with1(Code::Pop_rm64, flags).unwrap());
    w.wide(r, false);
    if r.lanes > 1 {
        w.put(Instruction::with(Code::VEX_Vzeroupper));
    }
    for register in KEPT.iter().rev() {
        w.put(Instruction::with1(Code::Pop_r64, *register).unwrap());
    }
    w.put(Instruction::with(Code::Retnq));
}

/// Mostly random, often at an edge, where carries and signs change.
fn word(rng: &mut impl Rng) -> u64 {
    match rng.random_range(0..8) {
        0 => 0,
        1 => u64::MAX,
        2 => rng.random_range(0..130),
        3 => u64::MAX - rng.random_range(0..130u64),
        4 => 1 << rng.random_range(0..64),
        _ => rng.random(),
    }
}

fn put(bytes: &mut [u8], offset: usize, value: u64) {
    bytes[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
}

fn get(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().unwrap())
}

/// A random state whose registers point the memory operand to `target`.
fn randomize(mapping: &mut Mapping, instruction: &Instruction, target: u64, rng: &mut impl Rng) {
    let stack = mapping.address(STACK + PAGE / 2);
    let bytes = mapping.bytes();
    rng.fill(&mut bytes[OPERANDS..STACK + PAGE]);
    for at in (MASKS..VECTORS + 32 * 64).step_by(8) {
        put(bytes, at, word(rng));
    }
    for n in 0..16 {
        put(bytes, GPR + 8 * n, word(rng));
    }
    // Bit 1 is always set, and bit 9 enables interrupts (Intel SDM volume 1, 3.4.3).
    put(bytes, FLAGS, 0x202 | rng.random::<u64>() & (MODELLED | AUXILIARY));
    put(bytes, GPR + 8 * RSP, stack);
    put(bytes, FELL_THROUGH, 0);
    if let Some((base, _)) = gpr_number(instruction.memory_base()) {
        let index = gpr_number(instruction.memory_index()).map_or(0, |(n, _)| {
            get(bytes, GPR + 8 * n).wrapping_mul(instruction.memory_index_scale().into())
        });
        let value = target.wrapping_sub(index).wrapping_sub(instruction.memory_displacement64());
        put(bytes, GPR + 8 * base, value);
    }
}

fn machine_of(bytes: &[u8], r: Registers) -> Machine<Bytes> {
    let mut machine = zeroed();
    for (n, word) in machine.gpr.iter_mut().enumerate() {
        *word = get(bytes, GPR + 8 * n);
    }
    for (n, mask) in machine.mask.iter_mut().enumerate() {
        *mask = get(bytes, MASKS + 8 * n);
    }
    for (n, lanes) in machine.vector.iter_mut().enumerate().take(r.vectors) {
        let at = VECTORS + 64 * n;
        lanes.as_flattened_mut()[..16 * r.lanes].copy_from_slice(&bytes[at..at + 16 * r.lanes]);
    }
    let flags = get(bytes, FLAGS);
    let bit = |k: u32| flags >> k & 1 == 1;
    machine.flags = Flags { carry: bit(0), parity: bit(2), zero: bit(6), sign: bit(7), overflow: bit(11) };
    machine
}

fn flag_bits(f: Flags) -> u64 {
    [(f.carry, 0), (f.parity, 2), (f.zero, 6), (f.sign, 7), (f.overflow, 11)]
        .iter()
        .map(|(set, bit)| u64::from(*set) << bit)
        .sum()
}

/// The flag bits that the manual leaves undefined, in which processors differ.
fn undefined(form: &Form, i: &Instruction) -> u64 {
    let FlagSet { carry, parity, zero, sign, overflow } = form.undefined_flags(i);
    flag_bits(Flags { carry, parity, zero, sign, overflow })
}

struct Bench {
    mapping: Mapping,
    registers: Registers,
    rng: ChaCha8Rng,
}

impl Bench {
    /// Runs one generated function on several states.
    fn try_instruction(&mut self, form: &Form, memory: bool) {
        let target = {
            let aligned = match form.operation {
                Operation::Move(access) => access != Access::Unaligned,
                _ => form.legacy,
            };
            let offset = self.rng.random_range(0..PAGE);
            self.mapping.address(OPERANDS + if aligned { offset & !63 } else { offset })
        };
        self.try_at(form, memory, target, |_| true, |_, _| {});
    }

    /// Generates the function of a sample that `wanted` accepts, and runs it on random states after `adjusted`.
    fn try_at(
        &mut self,
        form: &Form,
        memory: bool,
        target: u64,
        wanted: impl Fn(&Instruction) -> bool,
        adjusted: impl Fn(&Instruction, &mut [u8]),
    ) {
        let mut w = prologue(self.mapping.address(0), self.registers);
        let start = w.code.len();
        let ip = w.base + start as u64;
        // A branch jumps past the marker: 2, 5 or 6 bytes of its own and 7 of the marker.
        let targets = sample::Targets { data: target, code: ip + 16 };
        let sampled = loop {
            let i = sample::sample(form, memory, targets, &mut self.rng);
            if wanted(&i) {
                break i;
            }
        };
        w.put(sampled);
        let instruction = Decoder::with_ip(64, &w.code[start..], ip, DecoderOptions::NONE).decode();
        assert_eq!(instruction.code(), form.code);
        marker(&mut w);
        while w.code.len() < start + 16 {
            w.put(Instruction::with(Code::Nopd));
        }
        epilogue(&mut w, self.registers);
        assert!(w.code.len() <= PAGE);
        self.mapping.load(&w.code);
        for _ in 0..TRIALS_AN_INSTRUCTION {
            randomize(&mut self.mapping, &instruction, target, &mut self.rng);
            adjusted(&instruction, self.mapping.bytes());
            self.trial(form, &instruction);
        }
    }

    fn trial(&mut self, form: &Form, instruction: &Instruction) {
        let data = self.mapping.address(OPERANDS);
        let before = self.mapping.bytes().to_vec();
        let mut machine = machine_of(&before, self.registers);
        let mut domain = Bytes::default();
        domain.map(data, before[OPERANDS..].to_vec(), true);
        let context = |what: &str| format!("{:?} '{instruction}': {what}", form.code);
        let flow = execute(&mut machine, &mut domain, instruction)
            .unwrap_or_else(|e| panic!("{}", context(&e.to_string())));

        self.mapping.run();
        let after = self.mapping.bytes().to_vec();
        let theirs = machine_of(&after, self.registers);
        assert_eq!(machine.gpr[..], theirs.gpr[..], "{}", context("general-purpose registers"));
        let defined = !undefined(form, instruction);
        assert_eq!(
            flag_bits(machine.flags) & defined,
            flag_bits(theirs.flags) & defined,
            "{}",
            context("flags")
        );
        assert_eq!(machine.mask[..], theirs.mask[..], "{}", context("opmasks"));
        for n in 0..self.registers.vectors {
            let lanes = ..self.registers.lanes;
            assert_eq!(
                machine.vector[n][lanes],
                theirs.vector[n][lanes],
                "{}",
                context(&format!("vector {n}"))
            );
        }
        assert!(domain.regions[0].bytes == after[OPERANDS..], "{}", context("memory"));
        let fell_through = after[FELL_THROUGH] == 1;
        let ours = match flow {
            Flow::Next => true,
            Flow::Jump(_) => false,
            Flow::Branch { decision, .. } => decision == aesmith_isa::lanes::Decision::NotTaken,
            Flow::Return => unreachable!("returns are not run here"),
        };
        assert_eq!(ours, fell_through, "{}", context("direction of the jump"));
    }
}

#[test]
fn semantics_agree_with_this_cpu() {
    let cpu = features::of_this_cpu();
    let mut bench =
        Bench { mapping: Mapping::new(), registers: registers(cpu), rng: ChaCha8Rng::seed_from_u64(0x5e3a) };
    let (mut tried, mut skipped) = (0, Vec::new());
    for form in forms() {
        // A return would leave the harness; the simulator's own test covers it.
        if form.operation == Operation::Return {
            continue;
        }
        if !cpu.has(form.features) {
            skipped.push(targets::of(form.features.missing_in(cpu)).set());
            continue;
        }
        for n in 0..INSTRUCTIONS_A_ROW {
            bench.try_instruction(form, n % 2 == 1);
        }
        tried += 1;
    }
    println!(
        "{tried} rows agree with this CPU on {} random states each",
        INSTRUCTIONS_A_ROW * TRIALS_AN_INSTRUCTION
    );
    if !skipped.is_empty() {
        skipped.sort();
        skipped.dedup();
        println!("rows skipped, this CPU lacks: {}", skipped.join("; "));
    }
}

/// Memory under a clear opmask bit is not accessed, even if it is unmapped: a masked tail at the end of a
/// buffer relies on this (Intel SDM volume 1, 15.6).
#[test]
fn masked_accesses_end_where_their_mask_ends() {
    let cpu = features::of_this_cpu();
    if !cpu.has(features::AVX512F.and(features::AVX512BW)) {
        println!("skipped: this CPU has no opmasks (avx512f, avx512bw)");
        return;
    }
    let mut bench =
        Bench { mapping: Mapping::new(), registers: registers(cpu), rng: ChaCha8Rng::seed_from_u64(0x7a11) };
    let end = bench.mapping.address(PAGES * PAGE);
    let masked_moves = forms().filter(|form| {
        let evex = form.code.op_code().can_use_op_mask_register();
        evex && form.operation == Operation::Move(Access::Unaligned) && cpu.has(form.features)
    });
    let mut tried = 0;
    for form in masked_moves {
        let size = form.element.bytes();
        let elements = form.vectors.lanes() * 16 / size;
        for kept in 0..=elements {
            let reaches = |i: &Instruction| {
                (i.op0_kind() == OpKind::Memory || i.op1_kind() == OpKind::Memory)
                    && i.op_mask() != Register::None
            };
            bench.try_at(form, true, end - (kept * size) as u64, reaches, |i, state| {
                let k = (i.op_mask() as usize) - Register::K0 as usize;
                put(state, MASKS + 8 * k, u64::MAX.checked_shr(64 - kept as u32).unwrap_or(0));
            });
            tried += 1;
        }
    }
    println!("{tried} masks end at the last byte of memory, and nothing beyond is touched");
}
