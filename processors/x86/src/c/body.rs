//! Prints the steps of independent blocks as statements: one for each step, in the order of the pipeline.

use super::words::Words;
use aesmith_arrange::{Pipeline, Slot};
use aesmith_dataflow::{Dataflow, Op, Value};
use aesmith_processor::c::Text;

/// The way in which counters are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    /// No counter.
    None,
    /// `counter` holds byte-swapped counters; it is swapped and advanced for each register.
    Swap,
    /// `counter` holds big-endian counters, whose fast bytes do not wrap within a group.
    Add,
    /// Like `Add`, but round key 0 is added once an iteration and the rest is added by XOR.
    Precomputed,
    /// `base` and the table row at `row`.
    Cached,
}

/// Prefetch of source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefetch {
    /// None.
    Off,
    /// Into the cache: this register's text, the given number of iterations ahead.
    Cache(usize, usize),
    /// Into a register: this register's text, at the first step of the other register.
    Register(usize, usize),
}

/// The parameters of the statements.
pub(super) struct Body<'a> {
    pub words: Words,
    pub flow: &'a Dataflow,
    pub pipeline: &'a Pipeline,
    /// Bit `r`: round key `r` is in the variable `k<r>`.
    pub keys: u16,
    pub counter: Counter,
    /// CBC decryption: `chain` holds the previous register, and texts are processed from last to first.
    pub chained: bool,
    pub streaming: bool,
    pub prefetch: Prefetch,
}

/// `in + 32`, `out - 16`, `in`.
pub(super) fn place(pointer: &str, offset: i64) -> String {
    match offset {
        0 => pointer.to_owned(),
        n if n > 0 => format!("{pointer} + {n}"),
        n => format!("{pointer} - {}", -n),
    }
}

impl Body<'_> {
    /// Bytes of a group.
    pub(crate) fn group_bytes(&self) -> usize {
        self.pipeline.registers * self.words.bytes()
    }

    /// The variable of a register's state in a stage.
    fn state(&self, stage: u8, register: u8) -> String {
        if self.pipeline.stages == 1 { format!("b{register}") } else { format!("s{stage}_{register}") }
    }

    /// Declares the states and the other variables of an iteration.
    pub fn declare(&self, t: &mut Text) {
        for stage in 0..self.pipeline.stages as u8 {
            let states: Vec<String> =
                (0..self.pipeline.registers as u8).map(|r| self.state(stage, r)).collect();
            let used = |s: &Slot| s.stage == stage && !matches!(self.flow.ops[s.op as usize], Op::Store(_));
            if self.pipeline.body.iter().any(used) {
                t.line(&format!("{} {};", self.words.vec, states.join(", ")));
            }
        }
        if matches!(self.prefetch, Prefetch::Register(..)) {
            t.line(&format!("{} ahead;", self.words.vec));
        }
        if self.chained {
            t.line(&format!("{} before;", self.words.vec));
        }
        if self.counter == Counter::Precomputed {
            t.line(&format!("{} keyed;", self.words.vec));
        }
    }

    /// The stage that uses the texts.
    fn text_stage(&self) -> Option<u8> {
        let text = |v: Value| matches!(self.op(v), Op::Source | Op::PreviousSource);
        let folded = |v: Value| matches!(self.op(v), Op::Xor(_, b) if text(b));
        let uses = |op: Op| match op {
            Op::Aes(_, _, key) => folded(key),
            Op::Xor(a, b) => text(a) || text(b),
            _ => false,
        };
        // CBC decryption reads the text twice; the later read, of the predecessor, counts.
        self.pipeline.body.iter().filter(|s| uses(self.flow.ops[s.op as usize])).map(|s| s.stage).max()
    }

    /// The stage that reads the source texts themselves.
    fn source_stage(&self) -> Option<u8> {
        let source = |v: Value| self.op(v) == Op::Source;
        let uses = |op: Op| match op {
            Op::Aes(_, _, key) => matches!(self.op(key), Op::Xor(_, b) if source(b)),
            Op::Xor(a, b) => source(a) || source(b),
            _ => false,
        };
        self.pipeline.body.iter().find(|s| uses(self.flow.ops[s.op as usize])).map(|s| s.stage)
    }

    /// Prints the statements of one iteration over `slots`; `group` gives a stage's group relative to the pointers, in
    /// groups.
    pub fn pass<'s>(&self, t: &mut Text, slots: impl Iterator<Item = &'s Slot>, group: impl Fn(u8) -> i64) {
        let (text_stage, source_stage) = (self.text_stage(), self.source_stage());
        let mut stage = u8::MAX;
        let mut fetched = None;
        for slot in slots {
            let base = group(slot.stage) * self.group_bytes() as i64;
            if slot.stage != stage {
                stage = slot.stage;
                self.enter(t, stage, base, self.chained && text_stage == Some(stage));
            }
            if let Prefetch::Register(fetch, at) = self.prefetch
                && at == usize::from(slot.register)
                && source_stage == Some(stage)
                && fetched.is_none()
            {
                fetched = Some(fetch as u8);
                t.line(&format!("ahead = {};", self.words.load(&place("in", self.offset(fetch, base)))));
            }
            let fetched = fetched.filter(|_| source_stage == Some(stage));
            self.step(t, slot, base, fetched);
        }
    }

    /// Prints the statements before the steps of a stage.
    fn enter(&self, t: &mut Text, stage: u8, base: i64, chains: bool) {
        let w = &self.words;
        if self.pipeline.stages > 1 {
            let whose = match base / -(self.group_bytes() as i64) {
                0 => "this pass's group".to_owned(),
                1 => "the group of the pass before".to_owned(),
                n if n > 1 => format!("the group of {n} passes before"),
                n => format!("the group {} behind these", -n),
            };
            t.line(&format!("/* Stage {stage}: {whose}. */"));
        }
        if chains {
            let last = base + (self.group_bytes() - w.bytes()) as i64;
            if w.lanes == 1 {
                t.line("before = chain;");
            } else {
                let first = w.load(&place("in", base));
                t.line(&format!("before = previous{}(chain, {first});", w.bits));
            }
            t.line(&format!("chain = {};", w.load(&place("in", last))));
        }
        if let Prefetch::Cache(register, passes) = self.prefetch
            && stage == 0
        {
            let offset = self.offset(register, base) + ((passes + 1) * self.group_bytes()) as i64;
            // Computed as an integer: the line may lie beyond the text, and is only a hint.
            t.line(&format!("_mm_prefetch((const char *)((uintptr_t)in + {offset}u), _MM_HINT_T0);"));
        }
        if self.counter == Counter::Precomputed && stage == 0 {
            t.line(&format!("keyed = {};", w.xor("counter", &self.key(0))));
        }
    }

    /// Offset of a register's text: in order, or from last to first in CBC decryption, which reads each text's
    /// predecessor before it is overwritten in place.
    fn offset(&self, register: usize, base: i64) -> i64 {
        let position = if self.chained { self.pipeline.registers - 1 - register } else { register };
        base + (position * self.words.bytes()) as i64
    }

    fn op(&self, value: Value) -> Op {
        self.flow.ops[value.0 as usize]
    }

    fn key(&self, r: u8) -> String {
        if self.keys >> r & 1 == 1 { format!("k{r}") } else { self.words.round_key("key", r) }
    }

    fn text(&self, op: Op, register: u8, base: i64, fetched: Option<u8>) -> String {
        let offset = self.offset(register.into(), base);
        match op {
            Op::PreviousSource if usize::from(register) == self.pipeline.registers - 1 => "before".into(),
            Op::PreviousSource => self.words.load(&place("in", offset - 16)),
            _ if fetched == Some(register) => "ahead".into(),
            _ => self.words.load(&place("in", offset)),
        }
    }

    fn step(&self, t: &mut Text, slot: &Slot, base: i64, fetched: Option<u8>) {
        let (w, register) = (&self.words, slot.register);
        let to = self.state(slot.stage, register);
        let from = if slot.enters { self.state(slot.stage - 1, register) } else { to.clone() };
        let text = |value: Value| self.text(self.op(value), register, base, fetched);
        let value = match self.flow.ops[slot.op as usize] {
            Op::Counter | Op::KeyedCounter | Op::CachedState(_) => {
                t.line(&format!("{to} = {};", self.counter(register)));
                if self.counter == Counter::Swap {
                    t.line(&format!("counter = {};", w.add(64, "counter", "step")));
                }
                return;
            }
            Op::Xor(a, b) => match (self.op(a), self.op(b)) {
                (Op::RoundKey(r), Op::Source | Op::PreviousSource) => w.xor(&text(b), &self.key(r)),
                (_, Op::RoundKey(r)) => w.xor(&from, &self.key(r)),
                _ => w.xor(&from, &text(b)),
            },
            Op::Aes(round, _, key) => match self.op(key) {
                Op::RoundKey(r) => w.round(round, &from, &self.key(r)),
                Op::Xor(k, b) => {
                    let Op::RoundKey(r) = self.op(k) else { panic!("a folded key starts with a round key") };
                    w.round(round, &from, &w.xor(&self.key(r), &text(b)))
                }
                other => panic!("{other:?} is no round key"),
            },
            Op::Store(_) => {
                let pointer = place("out", self.offset(register.into(), base));
                t.line(&w.store(&pointer, &from, self.streaming));
                return;
            }
            other => panic!("{other:?} is no step"),
        };
        t.line(&format!("{to} = {value};"));
    }

    fn counter(&self, register: u8) -> String {
        let w = &self.words;
        let distance = usize::from(register) * w.lanes;
        match self.counter {
            Counter::None => panic!("a kernel without a counter has a counter step"),
            Counter::Swap => w.shuffle("counter", "reversal"),
            Counter::Add if register == 0 => "counter".into(),
            Counter::Add => w.add(32, "counter", &w.fast_byte(distance)),
            Counter::Precomputed if register == 0 => "keyed".into(),
            Counter::Precomputed => w.xor("keyed", &w.fast_byte(distance)),
            Counter::Cached => w.xor("base", &w.load(&place("row", (16 * distance) as i64))),
        }
    }
}
