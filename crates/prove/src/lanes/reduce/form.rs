//! The normal form of a kernel: for each block of its code, the values that the block reads from memory, memory after
//! it, and the condition of its branch, all as numbers of the free algebra; and for each loop, the new values of
//! everything that changes with its iterations. The form does not depend on the positions of instructions, on the
//! registers of values, or on spills.
//!
//! Two kernels with equal forms follow the same blocks from the same registers and memory at entry, and read and write
//! the same there: by induction over the executed blocks, a number means the same in both. A value that changes with a
//! loop's iterations is named by its value when the loop is entered; its value after each iteration is part of the
//! form.

use aesmith_cipher::Problem;
use aesmith_isa::convention::Convention;
use aesmith_isa::instructions::{Flow, Instructions, Leads};

use super::free::{Free, GaveUp, NONE, Value};
use super::graph::Graph;
use super::numbers::Number;
use super::state::State;
use crate::lanes::code::Code;

/// The number of times that a loop is followed until its state no longer changes.
const MOST_TURNS: usize = 12;
/// Marks of the parts of a form.
const BLOCK: Number = Number::MAX;
const LOOP: Number = Number::MAX - 1;
const CONSTANTS: Number = Number::MAX - 2;

/// The effects of a block that its form does not contain.
#[derive(Clone, Default, Debug)]
pub(crate) struct Done {
    /// True if an instruction that is not listed as data-independent handles a possible secret.
    pub unlisted: bool,
    /// Number of instructions that load constants at an address that may be secret.
    pub look_ups: usize,
}

/// A kernel followed over the free algebra.
pub(crate) struct Followed {
    /// Its blocks.
    pub graph: Graph,
    /// The normal form.
    pub form: Vec<Number>,
    /// The effects of each block.
    pub done: Vec<Done>,
    /// The state after each block.
    pub after: Vec<Option<State>>,
}

/// Follows a kernel.
pub(crate) struct Follower<'a> {
    /// The semantics of the instructions.
    pub processor: &'a dyn Instructions<Free>,
    /// The instructions.
    pub code: &'a Code,
    /// The values.
    pub free: &'a mut Free,
    /// The convention.
    pub convention: &'static Convention,
    /// The blocks.
    graph: Graph,
    done: Vec<Done>,
    after: Vec<Option<State>>,
    /// The condition and flags of each block's branch.
    branches: Vec<[Number; 2]>,
    /// The values that each block reads.
    reads: Vec<Vec<Number>>,
    /// The names of each loop, with their values after an iteration.
    turns: Vec<Vec<(Number, Vec<Value>)>>,
}

impl<'a> Follower<'a> {
    /// A follower of a decoded kernel.
    pub fn new(
        processor: &'a dyn Instructions<Free>,
        code: &'a Code,
        free: &'a mut Free,
    ) -> Result<Follower<'a>, GaveUp> {
        let graph = Graph::of(code)?;
        let count = graph.blocks.len();
        Ok(Follower {
            processor,
            code,
            free,
            convention: processor.convention(),
            graph,
            done: vec![Done::default(); count],
            after: vec![None; count],
            branches: vec![[NONE; 2]; count],
            reads: vec![Vec::new(); count],
            turns: vec![Vec::new(); count],
        })
    }

    /// Follows the whole kernel.
    pub fn follow(mut self, problem: Problem, bytes: &[u8]) -> Result<Followed, GaveUp> {
        self.free.begin(problem, self.convention, bytes);
        self.free.constants_from = (self.code.end() as usize).next_multiple_of(64);
        let entry = State::entry(self.free, self.processor.registers());
        let all: Vec<usize> = (0..self.graph.blocks.len()).collect();
        self.region(&all, Some(&entry))?;
        let form = self.form();
        Ok(Followed { graph: self.graph, form, done: self.done, after: self.after })
    }

    /// Follows blocks in order; the first starts in state `entry`, if given.
    fn region(&mut self, blocks: &[usize], entry: Option<&State>) -> Result<(), GaveUp> {
        let mut inner: Vec<usize> = Vec::new();
        for (k, &block) in blocks.iter().enumerate() {
            if inner.contains(&block) {
                continue;
            }
            let entry = if k == 0 { entry } else { None };
            let body = &self.graph.blocks[block].body;
            if body.is_empty() {
                let state = self.state_before(block, entry)?;
                self.block(block, state)?;
            } else {
                let body = body.to_vec();
                let first = self.state_before(block, entry)?;
                self.turn(block, &body, first)?;
                inner.extend(body);
            }
        }
        Ok(())
    }

    /// The state before a block, from the edges that come from earlier blocks.
    fn state_before(&mut self, block: usize, entry: Option<&State>) -> Result<State, GaveUp> {
        let ways = self.graph.blocks[block].before.iter().filter(|&&from| from < block);
        let mut states = Vec::new();
        for &from in ways {
            states.push(self.after[from].as_ref().ok_or(GaveUp("a way from what was not followed"))?);
        }
        states.extend(entry);
        let Some((first, others)) = states.split_first() else {
            return Err(GaveUp("a block without a way to it"));
        };
        let mut state = (*first).clone();
        if !others.is_empty() {
            state.meet(self.free, block, others)?;
        }
        Ok(state)
    }

    /// Follows a loop until the state at its head no longer changes.
    fn turn(&mut self, head: usize, body: &[usize], mut state: State) -> Result<(), GaveUp> {
        for _ in 0..MOST_TURNS {
            self.block(head, state.clone())?;
            self.region(&body[1..], None)?;
            let ways = self.graph.blocks[head].before.iter().filter(|&&from| from >= head);
            let mut back = Vec::new();
            for &from in ways {
                back.push(self.after[from].as_ref().ok_or(GaveUp("a way from what was not followed"))?);
            }
            if let Some(became) = state.turn(self.free, head, &back)? {
                self.turns[head] = became.into_iter().collect();
                self.turns[head].sort_unstable_by_key(|(name, _)| *name);
                return Ok(());
            }
        }
        Err(GaveUp("a loop whose state goes on changing"))
    }

    /// Executes a block.
    fn block(&mut self, block: usize, state: State) -> Result<(), GaveUp> {
        let State { mut machine, memory, stack } = state;
        let sp = usize::from(self.convention.stack_pointer);
        self.free.memory = memory;
        self.free.stack = Some(stack);
        self.free.reads.clear();
        self.free.branch = None;
        let mut done = Done::default();
        let (first, last) = (self.graph.blocks[block].first, self.graph.blocks[block].last);
        for instruction in &self.code.list[first..=last] {
            let pointer = machine.gpr[sp];
            self.free.pointer = Some(pointer);
            self.free.accessed = None;
            self.free.looks_up = false;
            let secret = |free: &Free, machine: &_| {
                let named = self.processor.operands(instruction.number);
                named.is_none_or(|registers| free.hold_secret(machine, registers))
            };
            let before = instruction.unlisted && secret(self.free, &machine);
            let flow = self.processor.execute(instruction.number, &mut machine, self.free)?;
            done.unlisted |= before || (instruction.unlisted && secret(self.free, &machine));
            done.look_ups += usize::from(self.free.looks_up);
            let now = machine.gpr[sp];
            if let (Some(at), Some(stack)) = (self.free.accessed.take(), &mut self.free.stack) {
                stack.note_below([pointer, now], at);
            }
            if now != pointer {
                self.free.stack_moved(now)?;
            }
            if flow == Flow::Return && instruction.leads != Leads::Return {
                return Err(GaveUp("a return by an instruction that is no return"));
            }
            let branches = matches!(instruction.leads, Leads::Branch { .. });
            if branches != self.free.branch.is_some() {
                return Err(GaveUp("a branch without a condition"));
            }
        }
        self.branches[block] = match self.free.branch {
            Some((condition, flags)) => [1 + condition as Number, flags],
            None => [NONE; 2],
        };
        let mut reads = std::mem::take(&mut self.free.reads);
        reads.sort_unstable();
        reads.dedup();
        self.reads[block] = reads;
        self.done[block] = done;
        let stack = self.free.stack.take().expect("begun");
        self.after[block] = Some(State { machine, memory: self.free.memory, stack });
        Ok(())
    }

    /// The whole form as one list.
    fn form(&mut self) -> Vec<Number> {
        let mut form: Vec<Number> = Vec::new();
        for (k, block) in self.graph.blocks.iter().enumerate() {
            let way = |to: Option<usize>| to.map_or(NONE, |to| to as Number + 1);
            let memory = self.after[k].as_ref().map_or(NONE, |state| state.memory);
            let [condition, flags] = self.branches[k];
            for &value in self.reads[k].iter().chain([&flags, &memory]) {
                self.free.numbers.use_whole(value);
            }
            form.extend([BLOCK, way(block.next[0]), way(block.next[1]), condition, flags, memory]);
            form.extend(&self.reads[k]);
        }
        // The new values of a name are used as soon as the name is.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (head, turns) in self.turns.iter().enumerate() {
            open.extend((0..turns.len()).map(|k| (head, k)));
        }
        let mut named: Vec<(usize, usize)> = Vec::new();
        loop {
            self.free.numbers.use_quiet();
            let count = open.len();
            open.retain(|&(head, k)| {
                let (name, became) = &self.turns[head][k];
                if !self.free.numbers.is_used(*name) {
                    return true;
                }
                for value in became {
                    let number = self.free.number(*value);
                    self.free.numbers.use_whole(number);
                }
                named.push((head, k));
                false
            });
            if open.len() == count {
                break;
            }
        }
        named.sort_unstable_by_key(|&(head, k)| (head, self.turns[head][k].0));
        for (head, k) in named {
            let (name, became) = &self.turns[head][k];
            form.extend([LOOP, head as Number, *name]);
            form.extend(became.iter().map(|value| self.free.number(*value)));
        }
        if self.free.indexes_constants {
            form.extend([CONSTANTS, self.free.constants_from as Number]);
            let constants = self.free.code.get(self.free.constants_from..).unwrap_or_default();
            form.extend(constants.iter().map(|&byte| Number::from(byte)));
        }
        form
    }
}
