//! The instructions of one pass over the blocks of several streams: loads of texts, the three forms of the chain,
//! stores of results.

use super::{Form, Gather, INPUTS, OUTPUTS, Shape, Writer};
use crate::kernels::body::reloaded;
use crate::kernels::vector::{Operation, Src, Vector};
use aesmith_dataflow::Round;
use aesmith_order::Reg;

/// The instructions of a loop in the making.
pub(super) struct Maker<'w, 'v> {
    pub(super) w: &'w Writer<'v>,
    shape: &'w Shape,
    keys: &'w [((usize, u8), u8)],
    /// Round keys that are loaded from their stack slots before use.
    pub(super) spilled: u16,
    pub(super) code: Vec<Vector>,
    pub(super) virtuals: usize,
    state: Vec<Reg>,
    fetched: Option<(usize, Vec<Reg>)>,
    /// Per register: the transposed texts with the number of their first block, and the pending results.
    texts: Vec<(usize, Vec<Reg>)>,
    results: Vec<Vec<Reg>>,
}

impl<'w, 'v> Maker<'w, 'v> {
    pub(super) fn new(
        w: &'w Writer<'v>,
        shape: &'w Shape,
        keys: &'w [((usize, u8), u8)],
        state: Vec<Reg>,
    ) -> Self {
        let texts = vec![(0, Vec::new()); w.registers];
        let results = vec![Vec::new(); w.registers];
        Maker {
            w,
            shape,
            keys,
            spilled: 0,
            code: Vec::new(),
            virtuals: 0,
            state,
            fetched: None,
            texts,
            results,
        }
    }
}

impl Maker<'_, '_> {
    fn fresh(&mut self) -> Reg {
        self.virtuals += 1;
        Reg::Virtual(self.virtuals as u16 - 1)
    }

    fn emit(&mut self, operation: Operation, a: Reg, b: Src) -> Reg {
        let dst = self.fresh();
        self.code.push(Vector::new(operation, self.w.lanes, dst, a, b));
        dst
    }

    fn key(&mut self, register: usize, r: u8) -> Src {
        match self.keys.iter().find(|(k, _)| *k == (register, r)) {
            Some((_, reg)) => Src::Reg(Reg::Fixed(*reg)),
            None if self.spilled >> r & 1 == 1 => {
                let key = self.fresh();
                let slot = reloaded(self.w.slot(register, r));
                self.code.push(Vector::from(Operation::Load, self.w.lanes, key, slot));
                Src::Reg(key)
            }
            None => self.w.key_memory(register, r),
        }
    }

    /// The texts of block `block` of a register's streams, in a register.
    fn text(&mut self, register: usize, block: usize) -> Reg {
        if let Some((fetched, regs)) = &self.fetched
            && *fetched == block
        {
            return regs[register];
        }
        let w = self.w;
        // The folded form uses block 0's text a pass earlier, so its blocks count from 1.
        let skew = usize::from(self.shape.form == Form::Folded);
        if let Some(first) = self.group(register, block - skew) {
            let first = first + skew;
            if self.texts[register].0 != first || self.texts[register].1.is_empty() {
                let rows = (0..w.lanes).map(|lane| {
                    let row = self.fresh();
                    let from = w.text(INPUTS, register * w.lanes + lane, first);
                    self.code.push(Vector::from(Operation::Load, w.lanes, row, from));
                    row
                });
                let rows = rows.collect();
                self.texts[register] = (first, self.transposed(rows));
            }
            return self.texts[register].1[block - first];
        }
        let mut text = self.fresh();
        let shape = self.shape;
        // The folded form's last text is of the next pass.
        let from = |lane: usize| match (shape.gather, register * w.lanes + lane) {
            (Gather::Buffered, stream) if block < shape.unroll => w.buffered(shape, 0, (stream, block)),
            (_, stream) => w.text(INPUTS, stream, block),
        };
        self.code.push(Vector::from(Operation::Load, 1, text, from(0)));
        for lane in 1..w.lanes {
            text = self.emit(Operation::Insert(lane as u8), text, from(lane));
        }
        text
    }

    /// The first block of the group that is transposed together with a register's block, if it is.
    fn group(&self, register: usize, block: usize) -> Option<usize> {
        let lanes = self.w.lanes;
        let offset = match self.shape.gather {
            Gather::Insert | Gather::Buffered => return None,
            Gather::Transpose => 0,
            Gather::Staggered => register % lanes,
        };
        let first = offset + block.checked_sub(offset)? / lanes * lanes;
        (first + lanes <= self.shape.unroll).then_some(first)
    }

    /// The texts as a last operand: memory if a register holds one stream.
    fn text_operand(&mut self, register: usize, block: usize) -> Src {
        let fetched = matches!(&self.fetched, Some((b, _)) if *b == block);
        if self.w.lanes == 1 && !fetched {
            self.w.text(INPUTS, register, block)
        } else {
            Src::Reg(self.text(register, block))
        }
    }

    /// Step `row` of block `block` of a register: 0 is the XORs before the rounds, then come the rounds, then the
    /// store.
    pub(super) fn step(&mut self, register: usize, block: usize, row: u8) {
        /// The step before which the next texts are loaded, well before they are needed.
        const FETCH: u8 = 3;
        let rounds = self.w.rounds;
        if row == FETCH && self.shape.gather == Gather::Staggered {
            let next = block + usize::from(self.shape.form != Form::Folded);
            if next < self.shape.unroll && self.group(register, next) == Some(next) {
                self.text(register, block + 1);
            }
        }
        let state = self.state[register];
        // The last state of a pass is the next one's first.
        let ends = row == rounds && block + 1 == self.shape.unroll;
        if row == 0 {
            match self.shape.form {
                Form::Folded => {}
                Form::Plain => {
                    let text = self.text_operand(register, block);
                    let x = self.emit(Operation::Xor, state, text);
                    let key = self.key(register, 0);
                    self.advance(register, Operation::Xor, (x, key), ends);
                }
                Form::Modified => {
                    let mixed = self.mixed(register, block);
                    self.advance(register, Operation::Xor, (state, Src::Reg(mixed)), ends);
                }
            }
        } else if row < rounds {
            let key = self.key(register, row);
            self.advance(register, Operation::Aes(Round::Encrypt), (state, key), ends);
        } else if row == rounds {
            let last = Operation::Aes(Round::EncryptLast);
            if self.shape.form == Form::Folded {
                let mixed = self.mixed(register, block + 1);
                let key = self.key(register, rounds);
                let key = self.emit(Operation::Xor, mixed, key);
                self.advance(register, last, (state, Src::Reg(key)), ends);
                let out = self.emit(Operation::Xor, mixed, Src::Reg(self.state[register]));
                self.store(register, block, out);
            } else {
                let key = self.key(register, rounds);
                self.advance(register, last, (state, key), ends);
            }
        } else if self.shape.form != Form::Folded {
            self.store(register, block, state);
        }
    }

    /// Computes a register's next state; in the register that holds it between passes if this step `ends` a pass, or if
    /// texts come from a buffer: then each of sixteen registers counts.
    fn advance(&mut self, register: usize, operation: Operation, (a, b): (Reg, Src), ends: bool) {
        let dst = match ends || self.shape.gather == Gather::Buffered {
            true => Reg::Fixed(register as u8),
            false => self.fresh(),
        };
        self.code.push(Vector::new(operation, self.w.lanes, dst, a, b));
        self.state[register] = dst;
    }

    /// Text XOR round key 0, off the critical path.
    pub(super) fn mixed(&mut self, register: usize, block: usize) -> Reg {
        match self.key(register, 0) {
            Src::Reg(key) => {
                let text = self.text_operand(register, block);
                self.emit(Operation::Xor, key, text)
            }
            memory => {
                let text = self.text(register, block);
                self.emit(Operation::Xor, text, memory)
            }
        }
    }

    /// Transposes the lanes of these registers: a square matrix.
    fn transposed(&mut self, rows: Vec<Reg>) -> Vec<Reg> {
        let mut pair = |a: Reg, b: Reg, pick| self.emit(Operation::Lanes(pick), a, Src::Reg(b));
        if let [a, b] = rows[..] {
            return vec![pair(a, b, 0), pair(a, b, 3)];
        }
        let [a, b, c, d] = rows[..] else { panic!("registers have two or four lanes") };
        let low = (pair(a, b, 0x44), pair(c, d, 0x44));
        let high = (pair(a, b, 0xee), pair(c, d, 0xee));
        vec![
            pair(low.0, low.1, 0x88),
            pair(low.0, low.1, 0xdd),
            pair(high.0, high.1, 0x88),
            pair(high.0, high.1, 0xdd),
        ]
    }

    fn store(&mut self, register: usize, block: usize, value: Reg) {
        let w = self.w;
        if self.group(register, block).is_some() {
            self.results[register].push(value);
            if self.results[register].len() == w.lanes {
                let results = std::mem::take(&mut self.results[register]);
                let rows = self.transposed(results);
                for (lane, row) in rows.into_iter().enumerate() {
                    let to = w.text(OUTPUTS, register * w.lanes + lane, block + 1 - w.lanes);
                    self.code.push(Vector::store(Operation::Store, w.lanes, row, to));
                }
            }
            return;
        }
        let operation = if self.shape.streaming { Operation::Stream } else { Operation::Store };
        let shape = self.shape;
        let to = |lane: usize| match (shape.gather, register * w.lanes + lane) {
            (Gather::Buffered, stream) => w.buffered(shape, 1, (stream, block)),
            (_, stream) => w.text(OUTPUTS, stream, block),
        };
        self.code.push(Vector::store(operation, 1, value, to(0)));
        for lane in 1..w.lanes {
            self.code.push(Vector::store(Operation::Extract(lane as u8), w.lanes, value, to(lane)));
        }
    }

    pub(super) fn prefetch(&mut self, block: usize) {
        let (kind, source, ahead) = self.shape.prefetch;
        if kind == 1 && block == 0 {
            for stream in 0..self.w.streams {
                let from = self.w.text(INPUTS, stream, source + self.shape.unroll * (ahead + 1));
                self.code.push(Vector::prefetch(self.w.lanes, from));
            }
        }
        if kind == 2 && block == source.saturating_sub(ahead) && source < self.shape.unroll {
            // The folded form uses a block's text at the end of the preceding block.
            let wanted = source + usize::from(self.shape.form == Form::Folded);
            let texts = (0..self.w.registers).map(|register| self.text(register, wanted)).collect();
            self.fetched = Some((wanted, texts));
        }
    }
}
