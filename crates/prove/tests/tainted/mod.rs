//! A second interpreter: it runs a kernel on bytes, and tracks for each byte of registers, opmasks, flags and memory
//! whether a key or a message may have influenced it. Values are the simulator's. The operands that an instruction
//! reads and writes come from iced-x86, not from our semantics, and the rules are simple: an instruction without a rule
//! of its own makes everything that it writes as secret as anything that it reads.

use aesmith_isa::instructions::Flow;
use aesmith_isa::lanes::{Decision, Machine};
use aesmith_x86::concrete::{Bytes, zeroed};
use aesmith_x86::registers::gpr_number;
use aesmith_x86::semantics::execute;
use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register, RflagsBits,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub mod calls;
mod rules;

/// The most instructions of a run.
const LONGEST: usize = 1_000_000;

/// The observations in a run.
#[derive(Default, Debug)]
pub struct Run {
    /// Secret-dependent branches: address and text.
    pub secret_branches: BTreeMap<u64, String>,
    /// Secret-dependent addresses, except in loads of the kernel's own bytes: address of the instruction and text.
    pub secret_addresses: BTreeMap<u64, String>,
    /// Instructions that load the kernel's own bytes at a secret-dependent address.
    pub secret_loads: BTreeSet<u64>,
    /// Offsets of executed instructions.
    pub executed: BTreeSet<u64>,
    /// Bytes of the key structure that were read, by offset.
    pub key_read: BTreeSet<u64>,
    /// The places that hold secrets at the return.
    pub left: Vec<String>,
}

/// The memory map of a call.
pub struct Layout {
    /// The address of the kernel's first byte.
    pub code: u64,
    /// The kernel's size in bytes.
    pub code_bytes: u64,
    /// The address of the return address.
    pub stack: u64,
    /// The number of mapped bytes below it.
    pub stack_bytes: u64,
    /// Memory that is secret at the call.
    pub secret: Vec<Range<u64>>,
    /// The contents of registers at the call, other than arguments.
    pub registers: [u64; 16],
    /// The key structures; reads of them are noted by offset.
    pub keys: Vec<Range<u64>>,
}

/// The places of secrets.
struct Taint {
    /// Bit `i` is for byte `i`.
    gpr: [u8; 16],
    /// Bit `i` is for byte `i`.
    vector: [u64; 32],
    mask: [bool; 8],
    /// Bits of [`RflagsBits`].
    flags: u32,
    memory: BTreeSet<u64>,
}

/// A mask of `count` bytes of a vector register.
fn ones(count: usize) -> u64 {
    match count {
        64.. => u64::MAX,
        _ => (1 << count) - 1,
    }
}

impl Taint {
    /// The mask of a register's secret bytes, its lowest byte first.
    fn register(&self, register: Register) -> u64 {
        let size = register.size();
        if register.is_gpr() {
            let all = u64::from(self.gpr[register.full_register().number()]);
            let second = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
            return if second { all >> 1 & 1 } else { all & ones(size) };
        }
        if register.is_vector_register() {
            return self.vector[register.number()] & ones(size);
        }
        if register.is_k() {
            return if self.mask[register.number()] { ones(8) } else { 0 };
        }
        0
    }

    /// Writes a register as an instruction does: writes of 32 bits clear the upper half, and all encodings but the
    /// legacy one clear the bytes above a vector.
    fn set_register(&mut self, register: Register, secret: u64, legacy: bool) {
        let size = register.size();
        if register.is_gpr() {
            let place = &mut self.gpr[register.full_register().number()];
            let second = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
            *place = match size {
                _ if second => *place & !2 | (secret as u8 & 1) << 1,
                8 => secret as u8,
                4 => secret as u8 & 0xf,
                _ => *place & !(ones(size) as u8) | (secret & ones(size)) as u8,
            };
        } else if register.is_vector_register() {
            let place = &mut self.vector[register.number()];
            let kept = if legacy { *place & !ones(size) } else { 0 };
            *place = kept | secret & ones(size);
        } else if register.is_k() {
            self.mask[register.number()] = secret != 0;
        }
    }
}

/// A memory access of an instruction: the addresses of its bytes, under a mask only the selected ones.
struct Touched {
    bytes: Vec<u64>,
    read: bool,
    written: bool,
    secret_address: bool,
}

fn reads(access: OpAccess) -> bool {
    use OpAccess::{CondRead, CondWrite, Read, ReadCondWrite, ReadWrite};
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite | CondWrite)
}

fn writes(access: OpAccess) -> bool {
    use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

struct Interpreter<'a> {
    machine: Machine<Bytes>,
    memory: &'a mut Bytes,
    taint: Taint,
    layout: &'a Layout,
    factory: InstructionInfoFactory,
    run: Run,
}

/// Runs a kernel with these arguments, and returns the observations.
pub fn run(memory: &mut Bytes, layout: &Layout, arguments: &[u64]) -> Result<Run, String> {
    let mut machine = zeroed();
    machine.gpr.copy_from_slice(&layout.registers);
    machine.gpr[4] = layout.stack;
    for (&place, argument) in [7, 6, 2, 1, 8].iter().zip(arguments) {
        machine.gpr[place] = *argument;
    }
    let secret = layout.secret.iter().cloned().flatten().collect();
    let taint = Taint { gpr: [0; 16], vector: [0; 32], mask: [false; 8], flags: 0, memory: secret };
    let factory = InstructionInfoFactory::new();
    let mut interpreter = Interpreter { machine, memory, taint, layout, factory, run: Run::default() };
    let mut ip = 0;
    for _ in 0..LONGEST {
        match interpreter.step(ip)? {
            Some(next) => ip = next,
            None => {
                interpreter.note_leftovers();
                return Ok(interpreter.run);
            }
        }
    }
    Err(format!("no return after {LONGEST} instructions"))
}

impl Interpreter<'_> {
    fn step(&mut self, ip: u64) -> Result<Option<u64>, String> {
        let region = self.memory.regions.iter().find(|r| r.base == self.layout.code).expect("the code");
        let code = region.bytes.get(ip as usize..).ok_or("execution leaves the code")?;
        let instruction = Decoder::with_ip(64, code, ip, DecoderOptions::NONE).decode();
        self.run.executed.insert(ip);
        let touched = self.touched(&instruction);
        self.look_at(&instruction, &touched);
        // Rules use the values before the instruction.
        self.follow(&instruction, &touched);
        let flow = execute(&mut self.machine, self.memory, &instruction);
        Ok(match flow.map_err(|stop| format!("at {ip:#x}: {stop}"))? {
            Flow::Next => Some(instruction.next_ip()),
            Flow::Jump(target) | Flow::Branch { target, decision: Decision::Taken } => Some(target),
            Flow::Branch { .. } => Some(instruction.next_ip()),
            Flow::Return if self.machine.gpr[4] == self.layout.stack + 8 => None,
            Flow::Return => return Err("it returns with the stack pointer elsewhere".to_owned()),
        })
    }

    fn value(&self, register: Register) -> Option<u64> {
        let (number, _) = gpr_number(register)?;
        Some(self.machine.gpr[number])
    }

    /// The memory accesses of an instruction, according to iced-x86.
    fn touched(&mut self, instruction: &Instruction) -> Vec<Touched> {
        let used = self.factory.info(instruction).used_memory().to_vec();
        let all = used.into_iter().map(|used| {
            let size = used.memory_size().size() as u64;
            let address = match instruction.is_ip_rel_memory_operand() && used.base() != Register::RSP {
                true => instruction.ip_rel_memory_address().wrapping_add(self.layout.code),
                false => {
                    let part = |register| self.value(register).unwrap_or(0);
                    let scaled = part(used.index()).wrapping_mul(u64::from(used.scale()));
                    part(used.base()).wrapping_add(scaled).wrapping_add(used.displacement())
                }
            };
            // Under a mask, only the selected elements are accessed.
            let element = (used.memory_size().element_size() as u64).max(1);
            let chosen = |i: u64| match instruction.op_mask() {
                Register::None => true,
                mask => self.machine.mask[mask.number()] >> (i / element) & 1 == 1,
            };
            let broadcast = instruction.is_broadcast();
            let bytes = (0..size).filter(|&i| broadcast || chosen(i)).map(|i| address.wrapping_add(i));
            let secret_address =
                self.taint.register(used.base()) != 0 || self.taint.register(used.index()) != 0;
            let (read, written) = (reads(used.access()), writes(used.access()));
            Touched { bytes: bytes.collect(), read, written, secret_address }
        });
        all.collect()
    }

    /// Notes secret-dependent branches and addresses, and reads of the key.
    fn look_at(&mut self, instruction: &Instruction, touched: &[Touched]) {
        let ip = instruction.ip();
        let own = self.layout.code..self.layout.code + self.layout.code_bytes;
        for touched in touched {
            if touched.read {
                for range in &self.layout.keys {
                    let inside = touched.bytes.iter().filter(|byte| range.contains(byte));
                    self.run.key_read.extend(inside.map(|byte| byte - range.start));
                }
            }
            if touched.secret_address {
                let constant = touched.bytes.iter().all(|byte| own.contains(byte)) && !touched.written;
                match constant {
                    true => drop(self.run.secret_loads.insert(ip)),
                    false => drop(self.run.secret_addresses.insert(ip, format!("{instruction}"))),
                }
            }
        }
        if instruction.is_jcc_short_or_near() && instruction.rflags_read() & self.taint.flags != 0 {
            self.run.secret_branches.insert(ip, format!("{instruction}"));
        }
        let shifts = matches!(
            instruction.mnemonic(),
            Mnemonic::Shl | Mnemonic::Shr | Mnemonic::Sar | Mnemonic::Rol | Mnemonic::Ror
        );
        let by_cl = instruction.op_count() > 1 && instruction.op_kind(1) == OpKind::Register;
        if shifts && by_cl && self.taint.gpr[1] & 1 != 0 {
            self.run.secret_branches.insert(ip, format!("{instruction}"));
        }
    }

    /// Notes all remaining secrets.
    fn note_leftovers(&mut self) {
        let (taint, left) = (&self.taint, &mut self.run.left);
        for (number, bytes) in taint.gpr.iter().enumerate().filter(|(_, bytes)| **bytes != 0) {
            left.push(format!("general register {number}, bytes {bytes:#010b}"));
        }
        for (number, bytes) in taint.vector.iter().enumerate().filter(|(_, bytes)| **bytes != 0) {
            left.push(format!("vector register {number}, bytes {bytes:#x}"));
        }
        for (number, _) in taint.mask.iter().enumerate().filter(|(_, secret)| **secret) {
            left.push(format!("opmask {number}"));
        }
        let status = RflagsBits::CF | RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF | RflagsBits::PF;
        if taint.flags & status != 0 {
            left.push(format!("flags {:#x}", taint.flags & status));
        }
        let stack = self.layout.stack - self.layout.stack_bytes..self.layout.stack;
        let bytes = taint.memory.range(stack).count();
        if bytes > 0 {
            left.push(format!("{bytes} bytes of the stack"));
        }
    }
}

/// True if an instruction has the legacy encoding, which keeps the bytes above a vector.
fn is_legacy(instruction: &Instruction) -> bool {
    instruction.encoding() == EncodingKind::Legacy
}
