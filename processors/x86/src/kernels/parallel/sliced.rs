//! The main loop on a transposed group: texts or counters are packed, pass through all rounds as words of
//! state, and are unpacked. The round keys are prepared on entry in the form that the words need, and are kept
//! in the frame.

use super::{Plan, SPARE, Writer, epoch};
use crate::dimensions::Dim;
use crate::kernels::Unfit;
use crate::kernels::asm::{If, Label};
use crate::kernels::body::{low_quadword, reversal};
use crate::kernels::forms::exists;
use crate::kernels::select::Selection;
use crate::kernels::translate::Template;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_arrange::Variant;
use aesmith_cipher::Direction;
use aesmith_dataflow::program::{Program, Value};
use aesmith_dataflow::technique::{self, KeyForm, Sliced};
use aesmith_order::{Reg, apply_moves};
use iced_x86::Register;

/// The group of a technique, and the frame slots of its round keys.
pub(super) struct Group {
    sliced: Sliced,
    form: KeyForm,
    /// Displacement of each prepared key lane from the stack pointer, round by round.
    keys: Vec<Vec<i32>>,
    /// Frame slots of the bytes that a refresh of the counter-mode cache writes; empty without a cache.
    prepared: Vec<i32>,
    /// Size of all of them, in bytes.
    pub(super) size: i32,
}

impl Group {
    /// The group of a variant in a sliced layout.
    pub(super) fn new(variant: &Variant, select: &Selection, lanes: usize) -> Result<Group, Unfit> {
        let rounds = variant.problem.key.rounds();
        let inverse = variant.problem.mode().direction == Direction::Decrypt;
        let technique = variant.technique;
        let sliced = technique::sliced(technique, select.choices(lanes), rounds, inverse);
        let Some(sliced) = sliced else {
            return Err(Unfit::Shape(format!(
                "technique {technique} works on registers of whole blocks alone: layout=blocks has it"
            )));
        };
        // A doubleword for the whole register if an instruction can broadcast its operand.
        let form = match sliced.key_form {
            KeyForm::Byte if exists(Operation::BroadcastDword, lanes, select.encoding(lanes)) => {
                KeyForm::Byte
            }
            _ => KeyForm::Lane,
        };
        let cached = variant.get(Dim::Cached);
        let step = if form == KeyForm::Byte { 4 } else { 16 };
        let mut size = 0;
        let mut places = |count: usize| {
            let first = size;
            size += step * count as i32;
            (0..count as i32).map(|i| first + step * i).collect()
        };
        let prepared = places(if cached > 0 { epoch::BYTES } else { 0 });
        let keys = sliced.keys.iter().map(|program| places(program.outputs.len())).collect();
        Ok(Group { sliced, form, keys, prepared, size: (size + 63) & !63 })
    }

    /// The number of text registers.
    pub(super) fn texts(&self) -> usize {
        self.sliced.texts
    }

    /// Frame slots of the bytes that a refresh of the counter-mode cache writes.
    pub(super) fn prepared(&self) -> &[i32] {
        &self.prepared
    }

    /// True if two rounds come from the counter-mode cache.
    pub(super) fn cached(&self) -> bool {
        !self.prepared.is_empty()
    }

    /// Size of a prepared byte or key lane, in bytes.
    pub(super) fn step(&self) -> i32 {
        if self.form == KeyForm::Byte { 4 } else { 16 }
    }

    /// The program of a group after the counter-mode cache. Inputs: the last counter bytes, the bytes that a
    /// refresh prepared, and the key lanes.
    fn cached_program(&self) -> Program {
        let s = &self.sliced;
        let inputs = 1 + self.prepared.len() + self.keys.iter().map(Vec::len).sum::<usize>();
        let mut p = Program::new(s.pack.word, inputs as u16);
        let all: Vec<Value> = (0..inputs).map(|i| p.input(i)).collect();
        let (prepared, keys) = all[1..].split_at(self.prepared.len());
        let mut state = epoch::two_rounds(&mut p, all[0], keys[15], prepared);
        for (keys, round) in keys.chunks(s.words).skip(3).zip(&s.rounds[2..]) {
            state.extend(keys);
            state = p.append(round, &state);
        }
        p.outputs = p.append(&s.unpack, &state);
        p
    }

    /// The program of a group. Inputs: the texts, then the key lanes.
    fn program(&self) -> Program {
        if self.cached() {
            return self.cached_program();
        }
        let s = &self.sliced;
        let inputs = s.texts + self.keys.iter().map(Vec::len).sum::<usize>();
        let mut p = Program::new(s.pack.word, inputs as u16);
        let texts: Vec<Value> = (0..s.texts).map(|i| p.input(i)).collect();
        let mut state = p.append(&s.pack, &texts);
        let mut at = s.texts;
        for (keys, round) in self.keys.iter().zip(std::iter::once(&s.whiten).chain(&s.rounds)) {
            state.extend((at..at + keys.len()).map(|i| p.input(i)));
            at += keys.len();
            state = p.append(round, &state);
        }
        p.outputs = p.append(&s.unpack, &state);
        p
    }

    fn key(&self, displacement: i32) -> (Operation, Src) {
        match self.form {
            KeyForm::Byte => (Operation::BroadcastDword, Src::Dword(Register::RSP, displacement)),
            KeyForm::Lane => (Operation::Broadcast, Src::Mem(Register::RSP, displacement, false)),
        }
    }
}

impl Writer<'_> {
    /// The code of the loop with allocated registers.
    pub(super) fn sliced_plan(&mut self, group: &Group) -> Result<Plan, Unfit> {
        let pool: Vec<u8> = (1..self.count()).collect();
        let (code, mut virtuals) = self.sliced_body(group);
        let mut code = self.select.lower(&mut self.asm, code, &mut virtuals)?;
        let movable = code.len() as u16;
        apply_moves(&mut code, self.variant.order.iter().map(|m| (m.from.into(), m.to.into())));
        self.select
            .allocate(&mut code, virtuals, &pool)
            .map_err(|p| Unfit::Registers { needed: p.needed, available: p.available })?;
        Ok(Plan { keys: [None; 15], spilled: Vec::new(), reverse: None, step: None, pool, code, movable })
    }

    fn sliced_body(&mut self, group: &Group) -> (Vec<Vector>, usize) {
        let (lanes, a) = (self.lanes, self.arguments);
        let program = group.program();
        let template: Template = self.select.translate(&mut self.asm, &program, lanes);
        let mut code = Vec::with_capacity(template.code.len() + 64);
        let mut virtuals = 0usize;
        let mut fresh = || {
            virtuals += 1;
            Reg::Virtual(virtuals as u16 - 1)
        };
        let text = |i: usize| i as i32 * bytes(lanes);
        let pinned = Reg::Fixed(0);
        let count = group.texts();
        let mut inputs = Vec::new();
        let mut before_first = None;
        if self.chained() {
            // The texts before the first register, and the last block for the next group.
            let (first, before) = (fresh(), fresh());
            code.push(Vector::from(Operation::Load, lanes, first, Src::Mem(a.input, 0, true)));
            code.push(Vector::new(Operation::Previous, lanes, before, pinned, Src::Reg(first)));
            let last = Src::Mem(a.input, text(count - 1), true);
            code.push(Vector::from(Operation::Load, lanes, pinned, last));
            before_first = Some(before);
        }
        if group.cached() {
            inputs.push(Src::Reg(pinned));
        }
        for i in (0..count).filter(|_| !group.cached()) {
            let dst = fresh();
            if self.ctr() {
                let swapped = if i == 0 { pinned } else { fresh() };
                if i > 0 {
                    let number = low_quadword(&mut self.asm, lanes, (i * lanes) as u64);
                    let number = Src::Constant(number);
                    code.push(Vector::new(Operation::Add64, lanes, swapped, pinned, number));
                }
                let control = Src::Constant(reversal(&mut self.asm, lanes));
                code.push(Vector::new(Operation::Shuffle, lanes, dst, swapped, control));
            } else {
                code.push(Vector::from(Operation::Load, lanes, dst, Src::Mem(a.input, text(i), true)));
            }
            inputs.push(Src::Reg(dst));
        }
        for &displacement in group.prepared.iter().chain(group.keys.iter().flatten()) {
            let (operation, from) = group.key(displacement);
            let dst = fresh();
            code.push(Vector::from(operation, lanes, dst, from));
            inputs.push(Src::Reg(dst));
        }
        let outputs = self.select.append(&template, lanes, &inputs, &mut code, &mut virtuals);
        if self.ctr() && !group.cached() {
            let step = low_quadword(&mut self.asm, lanes, (count * lanes) as u64);
            code.push(Vector::new(Operation::Add64, lanes, pinned, pinned, Src::Constant(step)));
        }
        // In place, a chained text is needed until the next one has been stored.
        let order: Vec<usize> =
            if self.chained() { (0..count).rev().collect() } else { (0..count).collect() };
        for i in order {
            let mut result = outputs[i];
            let other = match (self.ctr(), before_first) {
                (true, _) => Some(Src::Mem(a.input, text(i), true)),
                (false, Some(before)) if i == 0 => Some(Src::Reg(before)),
                (false, Some(_)) => Some(Src::Mem(a.input, text(i) - 16, true)),
                (false, None) => None,
            };
            if let Some(other) = other {
                virtuals += 1;
                let sum = Reg::Virtual(virtuals as u16 - 1);
                code.push(Vector::new(Operation::Xor, lanes, sum, result, other));
                result = sum;
            }
            code.push(Vector::store(Operation::Store, lanes, result, Src::Mem(a.output, text(i), true)));
        }
        (code, virtuals)
    }

    /// Prepares the round keys in the form of the group and stores them in the frame.
    pub(super) fn sliced_keys(&mut self, group: &Group) -> Result<(), Unfit> {
        self.asm.name("keys");
        for (r, (program, places)) in group.sliced.keys.iter().zip(&group.keys).enumerate() {
            let template = self.select.translate(&mut self.asm, program, 1);
            let key = Reg::Virtual(0);
            let from = Src::Mem(self.arguments.key, 16 * r as i32, false);
            let mut code = vec![Vector::from(Operation::Load, 1, key, from)];
            let mut virtuals = 1;
            let lanes = self.select.append(&template, 1, &[Src::Reg(key)], &mut code, &mut virtuals);
            let store = match group.form {
                KeyForm::Byte => Operation::StoreDword,
                KeyForm::Lane => Operation::Store,
            };
            for (lane, &place) in lanes.into_iter().zip(places) {
                code.push(Vector::store(store, 1, lane, Src::Mem(Register::RSP, place, false)));
            }
            let pool: Vec<u8> = (2..16).collect();
            self.select.write(&mut self.asm, code, virtuals, &pool)?;
        }
        Ok(())
    }

    /// The loop over groups.
    pub(super) fn sliced_loop(&mut self, group: &Group, code: &[Vector]) {
        let blocks = (group.texts() * self.lanes) as i32;
        let (again, done): (Label, Label) = (self.asm.label(), self.asm.label());
        let len = self.arguments.len;
        let top = self.variant.on(Dim::Loop);
        self.align_loop();
        self.asm.bind(again);
        if top {
            self.asm.cmp(len, 16 * blocks);
            self.asm.jump(If::Below, done);
        }
        self.asm.name("body");
        for v in code {
            self.select.push(&mut self.asm, v);
        }
        self.asm.name("body end");
        self.advance(16 * blocks, blocks);
        if top {
            self.asm.jump(If::Always, again);
        } else {
            self.asm.cmp(len, 16 * blocks);
            self.asm.jump(If::AboveEqual, again);
        }
        self.asm.bind(done);
    }

    /// The alignment that the variant asks for.
    pub(super) fn align_loop(&mut self) {
        self.asm.align([1, 16, 32, 64][usize::from(self.variant.get(Dim::Align))]);
    }

    /// The other set-up of the loop: keys in the frame, and counters.
    pub(super) fn sliced_set_up(&mut self, group: &Group) -> Result<(), Unfit> {
        self.sliced_keys(group)?;
        if self.ctr() && !group.cached() {
            self.vector_counter(SPARE);
        }
        Ok(())
    }
}
