//! Our own judge: the interpretation of a processor's table over numbers, with its machine model
//! for cycles. It runs any program, and says what it did.

use std::collections::{BTreeMap, HashMap};

use aesmith_isa::Insn;
use aesmith_isa::convention::Return;
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;

use crate::core::Core;
use crate::judge::{Answer, Call, Judge, Question};

/// What one call did, in full.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// What judges say.
    pub answer: Option<Answer>,
    /// Instructions executed, by timing class.
    pub classes: BTreeMap<String, u64>,
    /// Ranges of data memory read: from, until.
    pub read: Vec<(u64, u64)>,
    /// Ranges of data memory written.
    pub written: Vec<(u64, u64)>,
    /// A hash of the addresses of all instructions and of all accesses to data memory, in order: it
    /// differs between calls with different data where addresses depend on data.
    pub path: u64,
}

/// Interpreter and machine model of a processor.
pub struct Interpreter {
    core: &'static Core,
    decoded: HashMap<u64, Insn>,
    /// If set, accesses outside of these ranges of data memory end a call with an error.
    pub allowed: Option<Vec<(u64, u64, bool)>>,
}

/// An address that no program reaches: a function that returns goes there.
const NOWHERE: u64 = 0x00ff_fff0;
/// The same on processors whose program counter has 16 bits.
const NOWHERE_SMALL: u64 = 0x1_fffe;

impl Interpreter {
    /// Of a processor.
    pub fn new(core: &'static Core) -> Interpreter {
        Interpreter { core, decoded: HashMap::new(), allowed: None }
    }

    /// One call, with everything that it did.
    pub fn trace(&mut self, image: &Image, function: u64, call: &Call, limit: u64) -> Result<Trace, String> {
        let core = self.core;
        let isa = (core.isa)();
        let convention = core.convention;
        let mut memory = Numbers::new(image, isa.about.data, core.memory);
        memory.allowed.clone_from(&self.allowed);
        for (at, bytes) in &call.writes {
            memory.bytes_mut(*at, bytes.len())?.copy_from_slice(bytes);
        }
        let mut machine =
            Machine { registers: vec![0; isa.about.registers.len()], pc: function, delayed: None };
        let top = core.stack_top - isa.about.data;
        let entry = enter(core, &mut machine, &mut memory, call, top)?;
        for &(r, value) in convention.fixed {
            machine.registers[usize::from(r)] = value;
        }
        let nowhere = if matches!(convention.returns, Return::Pushed) { NOWHERE_SMALL } else { NOWHERE };
        let back = match convention.returns {
            Return::Register(_, ahead) => nowhere + u64::from(ahead),
            Return::Pushed => nowhere,
        };
        let mut model = (core.model)();
        model.start();
        let (mut cycles, mut instructions) = (0, 0);
        let mut lowest = entry;
        let mut trace = Trace::default();
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
            memory.access = None;
            trace.path = along(trace.path, at);
            let after = at + u64::from(isa.of(&insn).bytes());
            let executed = execute(isa, &insn, &mut memory, &mut machine, || {
                isa.decode(image.at(after)).map_or(0, |next| isa.of(&next).bytes())
            })
            .map_err(|e| format!("at {at:#x}, {}: {e}", isa.print(&insn, |_| None)))?;
            cycles += u64::from(model.step(&executed));
            instructions += 1;
            lowest = lowest.min(machine.registers[usize::from(convention.stack_pointer)]);
            *trace.classes.entry(isa.of(&insn).class.clone()).or_default() += 1;
            if let Some((address, bytes, write)) = memory.access {
                trace.path = along(trace.path, address);
                let ranges = if write { &mut written } else { &mut read };
                ranges.add(address, address + u64::from(bytes));
            }
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
}

/// One more address in a hash of them (the multiplier is that of FNV-1a).
fn along(path: u64, address: u64) -> u64 {
    (path.rotate_left(7) ^ address).wrapping_mul(0x100_0000_01b3)
}

/// Sets arguments, stack and return address; the stack pointer at entry, in the processor's terms.
fn enter(
    core: &Core,
    machine: &mut Machine<u64>,
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
            machine.registers[usize::from(r)] =
                u64::from(*argument) >> (width * k as u32) & u64::MAX >> (64 - width);
        }
    }
    let more = &call.arguments[registers..];
    let mut sp = top - 4 * more.len() as u64 - u64::from(convention.stack_arguments);
    for (k, argument) in more.iter().enumerate() {
        let at = sp + u64::from(convention.stack_arguments) + 4 * k as u64 + isa.about.data;
        memory.bytes_mut(at, 4)?.copy_from_slice(&argument.to_le_bytes());
    }
    match convention.returns {
        Return::Register(r, _) => machine.registers[usize::from(r)] = NOWHERE,
        Return::Pushed => {
            let word = NOWHERE_SMALL / 2;
            sp -= 2;
            let bytes = memory.bytes_mut(sp + 1 + isa.about.data, 2)?;
            bytes.copy_from_slice(&[(word >> 8) as u8, word as u8]);
        }
    }
    machine.registers[usize::from(convention.stack_pointer)] = sp;
    Ok(sp)
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

impl Judge for Interpreter {
    fn name(&self) -> String {
        format!("aesmith's interpreter and machine model of {}", self.core.name)
    }

    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    fn present(&self) -> Result<(), String> {
        Ok(())
    }

    fn counts_cycles(&self) -> bool {
        false
    }

    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        let mut interpreter = Interpreter::new(self.core);
        interpreter.allowed.clone_from(&self.allowed);
        let one = |(k, call): (usize, &Call)| {
            let trace = interpreter.trace(question.image, question.function, call, question.limit);
            trace
                .map_err(|e| format!("call {}: {e}", k + 1))
                .and_then(|t| t.answer.ok_or_else(|| "nothing was answered".to_owned()))
        };
        question.calls.iter().enumerate().map(one).collect()
    }
}
