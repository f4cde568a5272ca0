//! Our own judge: it interprets a processor's table over numbers, with its machine model for cycles. It runs any
//! program and reports its effects.

use std::collections::BTreeMap;

use aesmith_isa::Insn;
use aesmith_isa::convention::Return;
use aesmith_isa::execute::{Executed, Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::{Numbers, mask};
use aesmith_isa::table::LowestBit;

use crate::core::Core;
use aesmith_judge::judge::{Answer, Call, Emulator, Instrument, Kind, Question};
use rustc_hash::FxHashMap as Map;

/// The complete record of a call.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The answer in a judge's form.
    pub answer: Option<Answer>,
    /// Instructions executed, by timing class.
    pub classes: BTreeMap<String, u64>,
    /// Ranges of data memory read: start, end (exclusive).
    pub read: Vec<(u64, u64)>,
    /// Ranges of data memory written.
    pub written: Vec<(u64, u64)>,
    /// A hash of the addresses of all instructions and of all accesses to data memory, in order: it differs between
    /// calls with different data if addresses depend on data.
    pub path: u64,
}

/// A callback for every instruction of a call.
pub type Watch<'a> = &'a mut dyn FnMut(&Executed, Option<(u64, u8, bool)>, u32);

/// Interpreter and machine model of a processor, for one program: instructions are decoded once.
pub struct Interpreter {
    core: &'static Core,
    decoded: Map<u64, Insn>,
    /// If set, an access outside these ranges of data memory ends a call with an error.
    pub allowed: Option<Vec<(u64, u64, bool)>>,
    /// Values of bits that the manual leaves undefined (see [`Numbers::open`]): if two calls with different values
    /// differ, the program relies on such bits.
    pub open: u128,
}

/// Return address of the function: no program reaches it.
const NOWHERE: u64 = 0x00ff_fff0;
/// Return address on processors whose program counter has 16 bits.
const NOWHERE_SMALL: u64 = 0x1_fffe;

impl Interpreter {
    /// An interpreter of a processor.
    pub fn new(core: &'static Core) -> Interpreter {
        Interpreter { core, decoded: Map::default(), allowed: None, open: 0 }
    }

    /// Runs one call and records all its effects.
    pub fn trace(&mut self, image: &Image, function: u64, call: &Call, limit: u64) -> Result<Trace, String> {
        self.watched(image, function, call, limit, &mut |_, _, _| {})
    }

    /// Like `trace`; `watch` receives each instruction, its access to data memory (address, bytes, true for a write)
    /// and its cycles.
    pub fn watched(
        &mut self,
        image: &Image,
        function: u64,
        call: &Call,
        limit: u64,
        watch: Watch,
    ) -> Result<Trace, String> {
        let core = self.core;
        let isa = (core.isa)();
        let convention = core.convention;
        let mut memory = Numbers::new(image, &isa.about, core.memory);
        memory.allowed.clone_from(&self.allowed);
        memory.open = self.open;
        for (at, bytes) in &call.writes {
            memory.bytes_mut(*at, bytes.len())?.copy_from_slice(bytes);
        }
        let mut machine = Machine::new(vec![0; isa.about.registers.len()], function);
        let top = core.stack_top - isa.about.data;
        machine.pc = entrance(core, function)?;
        occupy(core, image, &mut machine);
        let entry = enter(core, &mut machine, &mut memory, call, top)?;
        for &(r, value) in convention.fixed {
            machine.registers[usize::from(r)] = value.into();
        }
        let floor = floor(core, image, call)?;
        let before = machine.registers.clone();
        let nowhere = if matches!(convention.returns, Return::Pushed(2)) { NOWHERE_SMALL } else { NOWHERE };
        let back = match convention.returns {
            Return::Register(_, ahead) => nowhere + u64::from(ahead),
            Return::Pushed(_) => nowhere,
        };
        let mut model = core.timing.model();
        model.start();
        let (mut cycles, mut instructions) = (0, 0);
        // Only memory writes count for the stack depth: a stack pointer of two halves passes through meaningless values
        // while it is set.
        let mut lowest = entry;
        let mut trace = Trace::default();
        let mut executions = vec![0; isa.rows.len()];
        let (mut read, mut written) = (Ranges::default(), Ranges::default());
        while machine.pc != back {
            if instructions >= limit {
                return Err(format!(
                    "it has executed {limit} instructions without returning, and is at {:#x}: a program that runs away, or a limit that is too low (--limit)",
                    machine.pc
                ));
            }
            let at = machine.pc;
            let insn = match self.decoded.get(&at) {
                Some(&insn) => insn,
                None => {
                    let insn = isa.decode_at(image, at)?;
                    self.decoded.insert(at, insn);
                    insn
                }
            };
            (memory.read, memory.written, memory.unaligned) = (None, None, None);
            trace.path = along(trace.path, at);
            let after = at + u64::from(isa.of(&insn).bytes());
            let executed = execute(isa, &insn, &mut memory, &mut machine, || {
                isa.decode(image.at(after)).map_or(0, |next| isa.of(&next).bytes())
            })
            .map_err(|e| format!("at {at:#x}, {}: {e}", isa.print(&insn, |_| None)))?;
            if let Some((address, bytes)) = memory.unaligned
                && let Some((is, source)) = isa.about.unaligned.refused(isa.of(&insn).effects.accesses)
            {
                return Err(format!(
                    "at {at:#x}, {}: {bytes} bytes at {address:#x}, which is no multiple of {bytes}: on {} this {is} \
                     ({source}), and the interpreter does not go on",
                    isa.print(&insn, |_| None),
                    core.name
                ));
            }
            let added = model.step(&executed);
            let accessed = match (memory.read, memory.written) {
                (_, Some((at, bytes))) => Some((at, bytes, true)),
                (read, None) => read.map(|(at, bytes)| (at, bytes, false)),
            };
            watch(&executed, accessed, added);
            cycles += u64::from(added);
            instructions += 1;
            executions[usize::from(insn.row)] += 1;
            if let Some((address, bytes)) = memory.read {
                trace.path = along(trace.path, address);
                read.add(address, address + u64::from(bytes));
            }
            if let Some((address, bytes)) = memory.written {
                trace.path = along(trace.path, address);
                written.add(address, address + u64::from(bytes));
                let stack = stack_pointer(core, &machine.registers);
                lowest = lowest.min(stack);
                let fault = if constant(image, address, bytes) {
                    format!("it writes to {address:#x}, where the program has constants or code")
                } else if stack + isa.about.data < floor {
                    let stack = stack + isa.about.data;
                    format!("the stack has grown down to {stack:#x}, into data that ends at {floor:#x}")
                } else {
                    continue;
                };
                return Err(format!("at {at:#x}, {}: {fault}", isa.print(&insn, |_| None)));
            }
        }
        if let Some(at) = self.rewritten(image, &written) {
            return Err(format!(
                "it has written over its own instruction at {at:#x}; programs that change themselves are not interpreted"
            ));
        }
        kept(core, &before, &machine.registers, entry)?;
        for (row, count) in isa.rows.iter().zip(executions).filter(|&(_, count)| count > 0) {
            *trace.classes.entry(row.class.clone()).or_default() += count;
        }
        trace.answer = Some(Answer {
            read: call
                .reads
                .iter()
                .map(|&(at, count)| memory.bytes(at, count).map(<[u8]>::to_vec))
                .collect::<Result<_, _>>()?,
            cycles: Some(cycles),
            instructions: Some(instructions),
            stack: Some(entry - lowest),
        });
        trace.read = read.0.into_iter().collect();
        trace.written = written.0.into_iter().collect();
        Ok(trace)
    }

    /// The address of an executed instruction that was overwritten.
    fn rewritten(&self, image: &Image, written: &Ranges) -> Option<u64> {
        let mut own = written.0.iter().filter(|&(&from, &until)| {
            image.segments.iter().any(|s| s.writable && s.address < until && from < s.end())
        });
        own.find_map(|(&from, &until)| {
            self.decoded.keys().copied().filter(|at| (from..until).contains(at)).min()
        })
    }
}

/// The start address of execution. Symbols of Thumb functions have bit 0 set (ELF for the Arm Architecture, section
/// 5.5.3).
fn entrance(core: &Core, function: u64) -> Result<u64, String> {
    if function & 1 == 0 {
        return Ok(function);
    }
    Err(match (core.isa)().about.lowest_bit() {
        LowestBit::Thumb => return Ok(function & !1),
        LowestBit::Caller => format!(
            "the function at {:#x} is in Thumb state, and {} is known in ARM state only; compile it with -marm",
            function & !1,
            core.name
        ),
        LowestBit::Nothing => {
            format!("{function:#x} is odd; no instruction of {} can stand there", core.name)
        }
    })
}

/// Gives registers values that no code expects, and sets those that stand for symbols.
fn occupy(core: &Core, image: &Image, machine: &mut Machine<u128>) {
    let isa = (core.isa)();
    for r in 0..isa.about.general {
        let width = isa.about.registers[usize::from(r)].1;
        machine.registers[usize::from(r)] =
            (0x5a3c_00a5_5a3c_00a5_5a3c_00a5_5a3c_00a5 ^ (u128::from(r) * 7)) & u128::MAX >> (128 - width);
    }
    for (register, symbol) in core.linking.anchors {
        if let (Some(r), Some(&address)) = (isa.register(register), image.symbols.get(*symbol)) {
            machine.registers[usize::from(r)] = core.convention.put(address);
        }
    }
}

/// Checks that a function preserved its caller's registers (the convention's callee-saved ones); the error is a
/// sentence.
fn kept(core: &Core, before: &[u128], after: &[u128], entry: u64) -> Result<(), String> {
    let convention = core.convention;
    let fixed = convention.fixed.iter().map(|(r, _)| r);
    let platform = convention.reserved.iter().filter(|of| of.only.is_none()).flat_map(|of| of.registers);
    if let Some(&r) = convention
        .saved
        .iter()
        .chain(fixed)
        .chain(platform)
        .find(|&&r| before[usize::from(r)] != after[usize::from(r)])
    {
        let name = (core.isa)().about.registers[usize::from(r)].0;
        return Err(format!("the function returned with {name} changed, which belongs to its caller"));
    }
    let expected = entry + convention.pushed() as u64;
    let found = stack_pointer(core, after);
    if found != expected {
        return Err(format!(
            "the function returned with the stack pointer at {found:#x} instead of {expected:#x}"
        ));
    }
    Ok(())
}

/// The end of all data below the stack, which limits its growth.
fn floor(core: &Core, image: &Image, call: &Call) -> Result<u64, String> {
    let data = (core.isa)().about.data;
    if let Some(s) = image.segments.iter().find(|s| s.address < core.stack_top && core.stack_top < s.end()) {
        return Err(format!(
            "the program's segment from {:#x} to {:#x} covers {:#x}, where the stack is; link it elsewhere",
            s.address,
            s.end(),
            core.stack_top
        ));
    }
    let segments = image.segments.iter().map(|s| (s.address, s.end()));
    let writes = call.writes.iter().map(|(at, bytes)| (*at, at + bytes.len() as u64));
    let reads = call.reads.iter().map(|&(at, count)| (at, at + count as u64));
    let below = segments.chain(writes).chain(reads).filter(|r| r.0 >= data && r.1 <= core.stack_top);
    Ok(below.map(|(_, end)| end).max().unwrap_or(0))
}

/// True if an access touches a read-only segment of the program.
fn constant(image: &Image, address: u64, bytes: u8) -> bool {
    let end = address + u64::from(bytes);
    image.segments.iter().any(|s| !s.writable && s.address < end && address < s.end())
}

/// Adds an address to a hash of them (the multiplier is that of FNV-1a).
fn along(path: u64, address: u64) -> u64 {
    (path.rotate_left(7) ^ address).wrapping_mul(0x100_0000_01b3)
}

/// Sets arguments, stack and return address; returns the stack pointer at entry, in the processor's form.
fn enter(
    core: &Core,
    machine: &mut Machine<u128>,
    memory: &mut Numbers,
    call: &Call,
    top: u64,
) -> Result<u64, String> {
    let isa = (core.isa)();
    let convention = core.convention;
    let registers = convention.arguments.len().min(call.arguments.len());
    let width = u32::from(isa.about.registers[0].1);
    for (argument, places) in call.arguments.iter().zip(convention.arguments) {
        for (k, &r) in places.iter().enumerate() {
            let part = u64::from(*argument) >> (width * k as u32) & mask(width.min(64) as u8) as u64;
            machine.registers[usize::from(r)] = convention.put(part);
        }
    }
    let more = &call.arguments[registers..];
    // Integers have 16 bits on AVR, whose stack pointer is one byte below the last pushed byte; elsewhere they have 32
    // bits, and conventions need up to 16-byte alignment of the stack.
    let size = if width == 8 { 2 } else { 4 };
    // If the return address is pushed, offsets of arguments are counted from below it.
    let pushed = if convention.below() == 0 { convention.pushed() as u64 } else { 0 };
    let begin = u64::from(convention.stack_arguments) - pushed;
    let above = size as u64 * more.len() as u64 + begin;
    let mut sp = if width == 8 { top - above + 1 } else { (top - above) & !15 };
    for (k, argument) in more.iter().enumerate() {
        let at = sp + begin + (size * k) as u64 + isa.about.data;
        memory.bytes_mut(at, size)?.copy_from_slice(&isa.about.order.bytes(u64::from(*argument), size));
    }
    match convention.returns {
        Return::Register(r, _) => {
            machine.registers[usize::from(r)] = convention.put(NOWHERE | isa.about.mark());
        }
        Return::Pushed(bytes) if convention.below() == 0 => {
            sp -= u64::from(bytes);
            let place = memory.bytes_mut(sp + isa.about.data, bytes.into())?;
            place.copy_from_slice(&isa.about.order.bytes(NOWHERE, bytes.into()));
        }
        Return::Pushed(_) => {
            let word = NOWHERE_SMALL / 2;
            sp -= 2;
            let bytes = memory.bytes_mut(sp + 1 + isa.about.data, 2)?;
            bytes.copy_from_slice(&[(word >> 8) as u8, word as u8]);
        }
    }
    let register = sp.wrapping_add_signed(-convention.bias());
    machine.registers[usize::from(convention.stack_pointer)] = convention.put(register);
    Ok(sp)
}

/// The address in the stack pointer.
fn stack_pointer(core: &Core, registers: &[u128]) -> u64 {
    let convention = core.convention;
    let register = registers[usize::from(convention.stack_pointer)];
    convention.get(register).wrapping_add_signed(convention.bias())
}

/// Disjoint ranges of addresses.
#[derive(Default)]
struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    fn add(&mut self, mut from: u64, mut until: u64) {
        if let Some((&start, &end)) = self.0.range(..=from).next_back()
            && end >= from
        {
            if end >= until {
                return;
            }
            from = start;
        }
        let inside: Vec<u64> = self.0.range(from..=until).map(|(&start, _)| start).collect();
        for start in inside {
            until = until.max(self.0.remove(&start).unwrap_or(until));
        }
        self.0.insert(from, until);
    }
}

impl Instrument for Interpreter {
    fn name(&self) -> String {
        format!("aesmith's interpreter and machine model of {}", self.core.name)
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Emulator for Interpreter {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        let mut interpreter = Interpreter::new(self.core);
        interpreter.allowed.clone_from(&self.allowed);
        interpreter.open = self.open;
        let one = |(k, call): (usize, &Call)| {
            let trace = interpreter.trace(question.image, question.function, call, question.limit);
            trace
                .map_err(|e| format!("call {}: {e}", k + 1))
                .and_then(|t| t.answer.ok_or_else(|| "nothing was answered".to_owned()))
        };
        question.calls.iter().enumerate().map(one).collect()
    }
}
