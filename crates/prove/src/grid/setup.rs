//! The execution of a block's threads before the barrier, thread by thread; and of a thread step by step.

use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::grid::{BARRIER, EXIT, GridProgram, Launch};
use aesmith_isa::meaning::Step;
use aesmith_isa::{Insn, Isa};

use crate::bits::Refutation;
use crate::bits::value::Value as Data;
use crate::grid::domain::{Domain, Phase, Trouble, Value};
use crate::grid::facts::{Facts, Question};
use crate::grid::index::{Form, Symbol};

/// The number of instructions after which a thread counts as endless.
pub(super) const LIMIT: u64 = 100_000;

/// The outcome of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Executed; with `true`, control went back.
    Went(bool),
    /// The thread waits at it.
    Barrier,
    /// The thread ends.
    Exit,
    /// Not executed: control flow depends on this question.
    Asks(Question),
}

/// A program and the domain that it is executed over.
pub struct Thread<'a> {
    /// The instruction table.
    pub isa: &'a Isa,
    /// The program.
    pub program: &'a GridProgram,
    /// The registers that a launch sets.
    pub launch: &'a Launch,
    /// Values and memory.
    pub domain: Domain<'a>,
    /// Instructions executed.
    pub instructions: u64,
    /// The largest number of iterations of a loop nested in an iteration.
    pub inner: u32,
}

impl Thread<'_> {
    /// The registers at the beginning, for a thread with this number.
    pub fn begin(&self, thread: Value) -> Machine<Value> {
        // Registers may hold secrets of another kernel.
        let mut registers = vec![Value::unknown(true); self.isa.about.registers.len()];
        let launch = self.launch;
        for (register, value) in [
            (launch.thread, thread),
            (launch.block, Value::Index(Form::of(Symbol::Block, 1))),
            (launch.blocks, Value::Index(Form::of(Symbol::Grid, 1))),
            (launch.shared, Value::Shared(Data::Number(0))),
            (launch.constants, Value::Constant(Data::Number(0))),
            (launch.key, Value::Key(Data::Number(0))),
        ] {
            registers[usize::from(register)] = value;
        }
        Machine::new(registers, 0)
    }

    fn insn(&self, at: u64) -> Option<&Insn> {
        self.program.insns.get(at as usize)
    }

    /// True if an instruction is an access that is conditional on a block of text being there, or below the end of the
    /// range that threads take.
    fn is_guarded(&self, insn: &Insn, question: &Question) -> bool {
        let effects = &self.isa.of(insn).effects;
        // For the block before one, the value in the other case matters.
        (effects.loads || effects.stores)
            && (*question == Question::there(&question.low)
                || self.domain.end.as_ref() == Some(&question.high))
            && !Facts::asks_for_one_before(question)
    }

    /// The refutation at an instruction.
    pub fn refuse(&self, at: u64, sentence: impl Into<String>) -> Refutation {
        let instruction = self.insn(at).map(|insn| self.isa.print(insn, |_| None)).unwrap_or_default();
        Refutation { address: at, instruction, sentence: sentence.into() }
    }

    /// Executes an instruction, unless control flow depends on a question.
    pub fn step(&mut self, machine: &mut Machine<Value>) -> Result<Stop, Refutation> {
        let at = machine.pc;
        let Some(&insn) = self.insn(at) else {
            return Err(self.refuse(at, "execution leaves the program"));
        };
        self.domain.symbols.pc = at;
        self.domain.names = self.isa.of(&insn).effects.read_fields.is_empty();
        self.instructions += 1;
        match self.isa.of(&insn).class.as_str() {
            BARRIER => return Ok(Stop::Barrier),
            EXIT => return Ok(Stop::Exit),
            _ => {}
        }
        // Only a step with `If` forks.
        let forks = self.isa.of(&insn).steps.iter().any(|step| matches!(step, Step::If(..)));
        let before = forks.then(|| machine.clone());
        match execute(self.isa, &insn, &mut self.domain, machine, || 1) {
            Ok(executed) => {
                self.domain.note_hangs();
                Ok(Stop::Went(executed.jumped && executed.target <= at))
            }
            Err(Trouble::Sentence(sentence)) => Err(self.refuse(at, sentence)),
            Err(Trouble::Fork(question)) => match before {
                Some(before) if self.domain.assumed.is_none() && self.is_guarded(&insn, &question) => {
                    // It is executed only if the block of text is there: then it is an access of that block, or
                    // refused.
                    *machine = before;
                    self.domain.assumed = Some(question);
                    let went = self.step(machine);
                    self.domain.assumed = None;
                    went
                }
                Some(before) => {
                    *machine = before;
                    Ok(Stop::Asks(question))
                }
                None => Err(self.refuse(at, "a value hangs on how many blocks of text there are")),
            },
        }
    }

    /// Executes a thread up to its barrier; returns its state there.
    pub(crate) fn until_barrier(&mut self, thread: Value) -> Result<Machine<Value>, Refutation> {
        let mut machine = self.begin(thread);
        let first = self.instructions;
        loop {
            match self.step(&mut machine)? {
                Stop::Went(_) if self.instructions - first < LIMIT => {}
                Stop::Went(_) => return Err(self.refuse(machine.pc, "a thread does not come to its barrier")),
                Stop::Barrier => return Ok(machine),
                Stop::Exit => return Err(self.refuse(machine.pc, "a thread ends before any barrier")),
                Stop::Asks(_) => {
                    let why = "what is done before the barrier hangs on the launch";
                    return Err(self.refuse(machine.pc, why));
                }
            }
        }
    }

    /// Fills shared memory: each thread of a block comes to the barrier, all to the same one. Returns the address of
    /// the barrier, or `None` without barrier and shared memory.
    pub fn fill(&mut self) -> Result<Option<u64>, Refutation> {
        let waits = |insn: &Insn| self.isa.of(insn).class == BARRIER;
        if self.program.shared == 0 && !self.program.insns.iter().any(waits) {
            return Ok(None);
        }
        self.domain.phase = Phase::Filling;
        let mut barrier = None;
        for thread in 0..self.program.threads {
            let machine = self.until_barrier(Value::number(thread.into())).map_err(|mut refutation| {
                refutation.sentence = format!("thread {thread}: {}", refutation.sentence);
                refutation
            })?;
            if *barrier.get_or_insert(machine.pc) != machine.pc {
                return Err(self.refuse(machine.pc, "threads of a block wait at different barriers"));
            }
        }
        barrier.map(Some).ok_or_else(|| self.refuse(0, "a block has no threads"))
    }
}
