//! Translation of the steps of independent blocks to vector instructions: operands, keys, texts, counters.

use crate::kernels::asm::{Assembler, Constant};
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_arrange::Slot;
use aesmith_dataflow::{Dataflow, Op, Value};
use aesmith_order::Reg;
use iced_x86::Register;

/// General registers that hold a kernel's arguments.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// Key structure.
    pub key: Register,
    /// IV or counter block.
    pub iv: Register,
    /// Source text.
    pub input: Register,
    /// Destination text.
    pub output: Register,
    /// Bytes left.
    pub len: Register,
}

/// The source of a block's counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// No counter: ECB and CBC.
    None,
    /// A register of byte-swapped counters, advanced by a constant and swapped for each block.
    Swap(Reg),
    /// A register of big-endian counters whose low bytes do not wrap within the group.
    Add(Reg),
    /// Like `Add`, with round key 0 added once per iteration and the rest by XOR.
    Precomputed(Reg),
    /// The group's constant of the counter-mode cache, and the register that points to the table.
    Cached(Reg, Register),
    /// The register that holds the counter block.
    Given(Reg),
}

/// The parameters of the translation from steps to instructions.
pub struct Context<'a> {
    /// The dataflow of a block.
    pub flow: &'a Dataflow,
    /// 128-bit lanes per register.
    pub lanes: usize,
    /// Registers per group.
    pub registers: usize,
    /// Pipeline stages.
    pub stages: usize,
    /// The stage whose step reads the block's own text.
    pub source_stage: u8,
    /// The stage whose step reads the previous text.
    pub chain_stage: u8,
    /// Arguments of the kernel.
    pub arguments: Arguments,
    /// The machine register of each round key that is kept in one.
    pub keys: [Option<u8>; 15],
    /// Displacements of the round keys in stack slots; all lanes of a slot are equal.
    pub spilled: [Option<i32>; 15],
    /// The source of counters.
    pub counter: Counter,
    /// The byte-reversal control for [`Counter::Swap`]: a constant or a register.
    pub reverse: Src,
    /// The increment of [`Counter::Swap`]: a constant or a register.
    pub step: Src,
    /// Register of the previous ciphertext (CBC decryption); its last lane is the preceding block.
    pub chain: Option<Reg>,
    /// First of the `(stages - 1) * registers` machine registers that hold the pipeline's state.
    pub pipeline: u8,
    /// True if stores bypass the caches.
    pub streaming: bool,
    /// Prefetch of a block's source text.
    pub prefetch: Prefetch,
}

/// Prefetch of source text, as selected by the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// None.
    Off,
    /// Into the cache: this block's text, this many iterations ahead.
    Cache(usize, usize),
    /// Into a register: this block's text, at the first step of the other block.
    Register(usize, usize),
}

/// Instructions in the making.
pub struct Body<'a, 'c> {
    context: &'c Context<'a>,
    asm: &'c mut Assembler,
    /// The instructions so far.
    pub code: Vec<Vector>,
    /// Virtual registers used so far.
    pub virtuals: usize,
    state: Vec<Option<Reg>>,
    last_key: Option<(u8, Reg)>,
    keyed: Option<Reg>,
    before_first: Option<Reg>,
    fetched: Option<(usize, Reg)>,
}

impl<'a, 'c> Body<'a, 'c> {
    /// The instructions of one pass over `slots`. `group` gives the position of a stage's group relative to the text
    /// registers, in groups. `asm` collects the constants.
    pub fn pass<'s>(
        context: &'c Context<'a>,
        asm: &'c mut Assembler,
        slots: impl Iterator<Item = &'s Slot>,
        group: impl Fn(u8) -> i32,
    ) -> Body<'a, 'c> {
        let mut body = Body {
            context,
            asm,
            code: Vec::with_capacity(256),
            virtuals: 0,
            state: vec![None; context.registers],
            last_key: None,
            keyed: None,
            before_first: None,
            fetched: None,
        };
        let mut cached_line = false;
        let mut stage = u8::MAX;
        for slot in slots {
            let base = group(slot.stage) * context.registers as i32 * bytes(context.lanes);
            if slot.stage != stage {
                stage = slot.stage;
                body.last_key = None;
                if stage == context.chain_stage {
                    body.chain(base);
                }
            }
            if let Prefetch::Cache(register, ahead) = context.prefetch
                && slot.stage == 0
                && !cached_line
            {
                cached_line = true;
                let passes = (ahead as i32 + 1) * context.registers as i32;
                let offset = base + (register as i32 + passes) * bytes(context.lanes);
                let line = Src::Mem(context.arguments.input, offset, true);
                body.code.push(Vector::prefetch(context.lanes, line));
            }
            body.step(slot, base);
        }
        body
    }

    fn fresh(&mut self) -> Reg {
        self.virtuals += 1;
        Reg::Virtual(self.virtuals as u16 - 1)
    }

    fn op(&self, value: Value) -> Op {
        self.context.flow.ops[value.0 as usize]
    }

    /// `dst = operation(a, b)` into a fresh register.
    fn emit(&mut self, operation: Operation, a: Reg, b: Src) -> Reg {
        let dst = self.fresh();
        self.code.push(Vector::new(operation, self.context.lanes, dst, a, b));
        dst
    }

    /// Loads for CBC decryption, before a text of the group is overwritten: the texts that precede the group's first
    /// register, and the last block for the next group.
    fn chain(&mut self, base: i32) {
        let Some(chain) = self.context.chain else { return };
        let (lanes, input) = (self.context.lanes, self.context.arguments.input);
        let first = self.fresh();
        self.code.push(Vector::from(Operation::Load, lanes, first, Src::Mem(input, base, true)));
        self.before_first = Some(self.emit(Operation::Previous, chain, Src::Reg(first)));
        let last = base + (self.context.registers as i32 - 1) * bytes(lanes);
        self.code.push(Vector::from(Operation::Load, lanes, chain, Src::Mem(input, last, true)));
    }

    /// Offset of the text of register `register`: in order, or from the last to the first in CBC decryption, which
    /// reads each preceding text before it is overwritten in place.
    fn offset(&self, register: usize, base: i32) -> i32 {
        let position =
            if self.context.chain.is_some() { self.context.registers - 1 - register } else { register };
        base + position as i32 * bytes(self.context.lanes)
    }

    /// A round key as a last operand: a register or memory. Wide registers broadcast it first, and spilled keys are
    /// reloaded.
    fn key(&mut self, r: u8) -> Src {
        let context = self.context;
        let memory = Src::Mem(context.arguments.key, 16 * i32::from(r), false);
        let (operation, from) = match (context.keys[r as usize], context.spilled[r as usize]) {
            (Some(register), _) => return Src::Reg(Reg::Fixed(register)),
            (None, Some(slot)) => (Operation::Load, reloaded(slot)),
            (None, None) if context.lanes == 1 => return memory,
            (None, None) => (Operation::Broadcast, memory),
        };
        if let Some((known, register)) = self.last_key
            && known == r
        {
            return Src::Reg(register);
        }
        let register = self.fresh();
        self.code.push(Vector::from(operation, context.lanes, register, from));
        self.last_key = Some((r, register));
        Src::Reg(register)
    }

    /// A source text as a last operand.
    fn text(&mut self, op: Op, register: usize, base: i32) -> Src {
        let offset = self.offset(register, base);
        let input = self.context.arguments.input;
        match op {
            Op::PreviousSource if register == self.context.registers - 1 => {
                Src::Reg(self.before_first.expect("its stage begins with the chain"))
            }
            Op::PreviousSource => Src::Mem(input, offset - 16, true),
            _ => match self.fetched {
                Some((fetched, reg)) if fetched == register => Src::Reg(reg),
                _ => Src::Mem(input, offset, true),
            },
        }
    }

    /// The XOR of a round key and a text, off the critical path.
    fn key_and_text(&mut self, r: u8, text: Src) -> Reg {
        match (self.key(r), text) {
            (Src::Reg(key), text) => self.emit(Operation::Xor, key, text),
            (memory, Src::Reg(text)) => self.emit(Operation::Xor, text, memory),
            (memory, text) => {
                let loaded = self.fresh();
                self.code.push(Vector::from(Operation::Load, self.context.lanes, loaded, text));
                self.emit(Operation::Xor, loaded, memory)
            }
        }
    }

    fn step(&mut self, slot: &Slot, base: i32) {
        let context = self.context;
        let register = usize::from(slot.register);
        if let Prefetch::Register(fetch, at) = context.prefetch
            && at == register
            && self.fetched.is_none()
            && slot.stage == context.source_stage
        {
            let dst = self.fresh();
            let from = Src::Mem(context.arguments.input, self.offset(fetch, base), true);
            self.code.push(Vector::from(Operation::Load, context.lanes, dst, from));
            self.fetched = Some((fetch, dst));
        }
        if slot.enters {
            let before = context.pipeline + (slot.stage - 1) * context.registers as u8 + slot.register;
            self.state[register] = Some(Reg::Fixed(before));
        }
        let state = self.state[register];
        let op = context.flow.ops[slot.op as usize];
        let first = self.code.len();
        let result = match op {
            Op::Counter | Op::KeyedCounter | Op::CachedState(_) => Some(self.counter(register)),
            Op::Xor(a, b) => Some(match (self.op(a), self.op(b)) {
                (Op::RoundKey(r), text @ (Op::Source | Op::PreviousSource)) => {
                    let text = self.text(text, register, base);
                    self.key_and_text(r, text)
                }
                (_, Op::RoundKey(r)) => {
                    let key = self.key(r);
                    self.emit(Operation::Xor, state.expect("a state precedes its key"), key)
                }
                (_, text) => {
                    let text = self.text(text, register, base);
                    self.emit(Operation::Xor, state.expect("a state precedes its text"), text)
                }
            }),
            Op::Aes(round, _, key) => {
                let key = match self.op(key) {
                    Op::RoundKey(r) => self.key(r),
                    Op::Xor(key, text) => {
                        let Op::RoundKey(r) = self.op(key) else {
                            panic!("a folded key starts with a round key")
                        };
                        let text = self.text(self.op(text), register, base);
                        Src::Reg(self.key_and_text(r, text))
                    }
                    other => panic!("{other:?} is no round key"),
                };
                Some(self.emit(Operation::Aes(round), state.expect("a round has a state"), key))
            }
            Op::Store(_) => {
                let operation = if context.streaming { Operation::Stream } else { Operation::Store };
                let to = Src::Mem(context.arguments.output, self.offset(register, base), true);
                let state = state.expect("a store has a state");
                self.code.push(Vector::store(operation, context.lanes, state, to));
                None
            }
            Op::Source | Op::PreviousSource | Op::RoundKey(_) => panic!("{op:?} is no step"),
        };
        self.state[register] = result;
        // A state that is live after the pass stays in the register of its stage.
        if usize::from(slot.stage) + 1 < context.stages
            && let Some(result) = result
        {
            let home = Reg::Fixed(context.pipeline + slot.stage * context.registers as u8 + slot.register);
            match self.code[first..].iter_mut().rev().find(|v| v.dst == Some(result)) {
                Some(writer) if matches!(result, Reg::Virtual(_)) => {
                    writer.dst = Some(home);
                }
                _ => self.code.push(Vector::from(Operation::Load, context.lanes, home, Src::Reg(result))),
            }
            self.state[register] = Some(home);
        }
    }

    fn counter(&mut self, register: usize) -> Reg {
        let lanes = self.context.lanes;
        match self.context.counter {
            Counter::None => panic!("a kernel without a counter has a counter step"),
            Counter::Given(reg) => reg,
            Counter::Swap(counter) => {
                let swapped = self.emit(Operation::Shuffle, counter, self.context.reverse);
                self.code.push(Vector::new(Operation::Add64, lanes, counter, counter, self.context.step));
                swapped
            }
            Counter::Add(counter) if register == 0 => counter,
            Counter::Add(counter) => {
                let constant = self.low_byte(register * lanes);
                self.emit(Operation::Add32, counter, Src::Constant(constant))
            }
            Counter::Precomputed(counter) => {
                if register == 0 {
                    let key = self.key(0);
                    return self.emit(Operation::Xor, counter, key);
                }
                let keyed = match self.keyed {
                    Some(keyed) => keyed,
                    None => {
                        let key = self.key(0);
                        let keyed = self.emit(Operation::Xor, counter, key);
                        *self.keyed.insert(keyed)
                    }
                };
                let constant = self.low_byte(register * lanes);
                self.emit(Operation::Xor, keyed, Src::Constant(constant))
            }
            Counter::Cached(base, table) => {
                let entry = Src::Mem(table, register as i32 * bytes(lanes), false);
                self.emit(Operation::Xor, base, entry)
            }
        }
    }

    fn low_byte(&mut self, value: usize) -> Constant {
        low_byte(self.asm, self.context.lanes, value)
    }
}

/// The stack slot of a spilled round key, as a source of loads. Unlike constant memory, allocation must not fold it
/// into the instruction that needs the key.
pub(crate) fn reloaded(slot: i32) -> Src {
    Src::Mem(Register::RSP, slot, true)
}

/// `value` in the last byte of each lane: the increment of a big-endian counter.
pub fn low_byte(asm: &mut Assembler, lanes: usize, value: usize) -> Constant {
    let mut lane = [0u8; 16];
    lane[15] = value as u8;
    asm.constant(&lane.repeat(lanes))
}

/// The byte reversal of each lane, as a shuffle control.
pub(crate) fn reversal(asm: &mut Assembler, lanes: usize) -> Constant {
    let lane: [u8; 16] = std::array::from_fn(|i| 15 - i as u8);
    asm.constant(&lane.repeat(lanes))
}

/// `value` in the low quadword of each lane: the increment of byte-swapped counters.
pub(crate) fn low_quadword(asm: &mut Assembler, lanes: usize, value: u64) -> Constant {
    let lane: [u8; 16] = u128::from(value).to_le_bytes();
    asm.constant(&lane.repeat(lanes))
}

/// The number of each lane in its low quadword.
pub(crate) fn lane_numbers(asm: &mut Assembler, lanes: usize) -> Constant {
    let all: Vec<u8> = (0..lanes as u128).flat_map(u128::to_le_bytes).collect();
    asm.constant(&all)
}
