//! Translation of a program ([`Program`]) into a line: sums are computed in place, and rotations are deferred
//! to an exclusive or, which does them for free (DDI 0100, A5.1).

use aesmith_cipher::problem::Direction;
use aesmith_extension::program::{Custom, Look, Program, Step, Word};

use super::line::{Input, Line, WIRED, wired};
use crate::kernels::mix::Mix;
use crate::kernels::plan::TABLE;
use crate::kernels::rounds::{Last, extract, load_byte};
use aesmith_processor::attach::Attached;

/// A word, and the bytes by which it is still to be rotated towards the high bits.
#[derive(Clone, Copy, Debug)]
struct Value {
    register: i32,
    turn: u8,
}

impl Value {
    /// The rotation for the shifter, in bits towards the low bits.
    fn right(self) -> i32 {
        (32 - 8 * i32::from(self.turn)) % 32
    }
}

impl Line {
    /// Writes a program, with its results in the given registers, if any.
    pub fn program(
        &mut self,
        program: &Program,
        inputs: &[Input],
        places: Option<&[i32]>,
    ) -> Result<Vec<i32>, String> {
        let mut run = Run::new(self, program, inputs, places);
        for step in order(run.line.attached, program) {
            run.step(step)?;
        }
        run.finish()
    }
}

/// The order of a program's steps: first the inputs of the instructions that read the state in place, so that
/// its registers are free for results afterwards.
fn order(attached: &Attached, program: &Program) -> Vec<usize> {
    let mut first = vec![false; program.steps.len()];
    for (k, step) in program.steps.iter().enumerate().rev() {
        first[k] |= wired(attached, step);
        if first[k] {
            for word in step.words() {
                if let Word::Step(before) = word {
                    first[before] = true;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..first.len()).collect();
    order.sort_by_key(|&k| !first[k]);
    order
}

/// The translation of a program in progress.
struct Run<'a> {
    line: &'a mut Line,
    program: &'a Program,
    places: Option<&'a [i32]>,
    /// The places of words: inputs, then results of steps.
    values: Vec<Option<Value>>,
    /// The number of remaining reads of each word.
    reads: Vec<u32>,
    /// The number of remaining reads of each register's value.
    holds: [u32; 16],
    zero: Option<i32>,
}

impl<'a> Run<'a> {
    fn new(line: &'a mut Line, program: &'a Program, inputs: &[Input], places: Option<&'a [i32]>) -> Run<'a> {
        let count = program.inputs + program.steps.len();
        let holds = [0; 16];
        let values = vec![None; count];
        let mut run = Run { line, program, places, values, reads: vec![0; count], holds, zero: None };
        let all = program.steps.iter().flat_map(Step::words).chain(program.outputs.iter().copied());
        for word in all {
            if let Some(n) = run.number(word) {
                run.reads[n] += 1;
            }
        }
        for (n, input) in inputs.iter().enumerate() {
            run.values[n] = Some(Value { register: input.register, turn: 0 });
            run.holds[input.register as usize] += run.reads[n] + u32::from(input.kept);
            if run.holds[input.register as usize] == 0 {
                run.line.give(input.register);
            }
        }
        run
    }

    fn number(&self, word: Word) -> Option<usize> {
        match word {
            Word::Zero => None,
            Word::Input(k) => Some(k),
            Word::Step(k) => Some(self.program.inputs + k),
        }
    }

    /// Counts one read of a word.
    fn read(&mut self, word: Word) -> Result<Option<Value>, String> {
        let Some(n) = self.number(word) else { return Ok(None) };
        let value = self.values[n].ok_or("a step of the program reads what is not made yet")?;
        self.reads[n] -= 1;
        self.holds[value.register as usize] -= 1;
        Ok(Some(value))
    }

    /// Applies the pending rotation of a word, if any.
    fn whole(&mut self, word: Word) -> Result<(), String> {
        let Some(n) = self.number(word) else { return Ok(()) };
        let Some(value) = self.values[n].filter(|v| v.turn > 0) else { return Ok(()) };
        let left = self.reads[n];
        let from = value.register as usize;
        self.holds[from] -= left;
        let to = if self.holds[from] == 0 { value.register } else { self.line.take()? };
        self.turned(to, value);
        self.holds[to as usize] = left;
        self.values[n] = Some(Value { register: to, turn: 0 });
        Ok(())
    }

    fn turned(&mut self, to: i32, value: Value) {
        let code = &mut self.line.code;
        match value.right() {
            0 => code.mov(to, value.register),
            by => code.put("mov_ror", &[("rd", to), ("rm", value.register), ("sh", by)]),
        }
    }

    /// The register of a step's result: the requested one, else that of an operand that is dead, else a free
    /// one. The registers of other dead operands become free.
    fn result(&mut self, step: usize, operands: &[Value]) -> Result<i32, String> {
        let idle: Vec<i32> =
            operands.iter().map(|v| v.register).filter(|&r| self.holds[r as usize] == 0).collect();
        let wanted = self.place(step).filter(|r| idle.contains(r) || self.line.free.contains(r));
        let to = match wanted.or(idle.first().copied()) {
            Some(register) => register,
            None => self.line.take()?,
        };
        self.settle(to, &idle);
        Ok(to)
    }

    /// Frees the registers of dead operands, except that of the result.
    fn settle(&mut self, to: i32, idle: &[i32]) {
        self.line.claim(to);
        for (k, &register) in idle.iter().enumerate() {
            if register != to && !idle[..k].contains(&register) {
                self.line.give(register);
            }
        }
    }

    fn place(&self, step: usize) -> Option<i32> {
        let output = self.program.outputs.iter().position(|w| *w == Word::Step(step))?;
        Some(self.places?[output])
    }

    fn made(&mut self, step: usize, value: Value) {
        let n = self.program.inputs + step;
        self.values[n] = Some(value);
        self.holds[value.register as usize] += self.reads[n];
    }

    fn step(&mut self, number: usize) -> Result<(), String> {
        let program = self.program;
        let value = match &program.steps[number] {
            Step::Custom(custom) => self.custom(number, custom)?,
            Step::Turn(a, bytes) => match self.read(*a)? {
                Some(value) => Value { turn: (value.turn + bytes) % 4, ..value },
                None => self.nothing(number)?,
            },
            Step::Xor(a, b) => match (self.read(*a)?, self.read(*b)?) {
                (Some(a), Some(b)) => {
                    // The sum keeps the pending rotation of its first operand: an unrotated one, if there is
                    // one.
                    let (a, b) = if a.turn > 0 { (b, a) } else { (a, b) };
                    let to = self.result(number, &[a, b])?;
                    let by = Value { turn: (b.turn + 4 - a.turn) % 4, ..b }.right();
                    self.line.code.op_sh("eor", to, a.register, b.register, "ror", by);
                    Value { register: to, turn: a.turn }
                }
                (Some(value), None) | (None, Some(value)) => value,
                (None, None) => self.nothing(number)?,
            },
            Step::Keep(a, mask) => match self.read(*a)? {
                Some(value) => self.keep(number, value, *mask)?,
                None => self.nothing(number)?,
            },
            Step::Mix(a, direction) => match self.read(*a)? {
                Some(value) => self.mix(number, value, *direction)?,
                None => self.nothing(number)?,
            },
            Step::Look(a, look) => {
                let value = self.read(*a)?.ok_or("a byte of zero is looked up")?;
                self.look(number, value, *look)?
            }
        };
        self.made(number, value);
        Ok(())
    }

    /// Zero as a step's result.
    fn nothing(&mut self, step: usize) -> Result<Value, String> {
        let to = self.result(step, &[])?;
        self.line.code.number(to, 0);
        Ok(Value { register: to, turn: 0 })
    }

    fn custom(&mut self, step: usize, custom: &Custom) -> Result<Value, String> {
        let attached = self.line.attached;
        let instruction = &attached.extension.instructions[custom.instruction];
        let (named, seen) = custom.words.split_at(instruction.reads.len());
        for &word in named {
            self.whole(word)?;
        }
        for (&word, at) in seen.iter().zip(WIRED) {
            if self.read(word)?.is_none_or(|v| v.register != at || v.turn > 0) {
                let name = &instruction.name;
                return Err(format!(
                    "{name} sees the state in r4 to r7, and the program wants another word there"
                ));
            }
        }
        let read = named.iter().map(|&w| self.read(w)).collect::<Result<Vec<_>, String>>()?;
        let operands: Vec<Value> = read.iter().flatten().copied().collect();
        let seen: Vec<Value> =
            WIRED.into_iter().take(seen.len()).map(|register| Value { register, turn: 0 }).collect();
        let to = match instruction.tied().map(|k| read[k]) {
            Some(Some(tied)) if self.holds[tied.register as usize] == 0 => {
                let idle: Vec<i32> = operands.iter().chain(&seen).map(|v| v.register).collect();
                let idle: Vec<i32> = idle.into_iter().filter(|&r| self.holds[r as usize] == 0).collect();
                self.settle(tied.register, &idle);
                tied.register
            }
            Some(tied) => {
                // Operands are read after the destination is set.
                let to = self.line.take()?;
                match tied {
                    Some(tied) => self.line.code.mov(to, tied.register),
                    None => self.line.code.number(to, 0),
                }
                let idle: Vec<i32> = operands.iter().chain(&seen).map(|v| v.register).collect();
                let idle: Vec<i32> = idle.into_iter().filter(|&r| self.holds[r as usize] == 0).collect();
                self.settle(to, &idle);
                to
            }
            None => self.result(step, &[operands, seen].concat())?,
        };
        let mut registers = Vec::new();
        for value in read {
            registers.push(match value {
                Some(value) => value.register,
                None => self.zero()?,
            });
        }
        self.line.code.insn(attached.insn(custom, to, &registers));
        Ok(Value { register: to, turn: 0 })
    }

    /// A register that holds zero until the program ends.
    fn zero(&mut self) -> Result<i32, String> {
        if let Some(register) = self.zero {
            return Ok(register);
        }
        let register = self.line.take()?;
        self.line.code.number(register, 0);
        self.zero = Some(register);
        Ok(register)
    }

    /// Some bytes of a word: immediates of instructions have one byte.
    fn keep(&mut self, step: usize, value: Value, mask: u8) -> Result<Value, String> {
        let to = self.result(step, &[value])?;
        let bits = |bytes: u8| (0..4).filter(|k| bytes >> k & 1 == 1).fold(0u32, |m, k| m | 0xff << (8 * k));
        let mask = bits(mask).rotate_right(8 * u32::from(value.turn));
        let code = &mut self.line.code;
        if mask.count_ones() == 8 {
            code.op_i("and", to, value.register, mask);
        } else if mask == 0 {
            code.number(to, 0);
        } else {
            let mut from = value.register;
            for byte in (0..4).map(|k| 0xff << (8 * k)).filter(|byte| mask & byte == 0) {
                code.op_i("bic", to, from, byte);
                from = to;
            }
            if mask == u32::MAX && to != from {
                code.mov(to, from);
            }
        }
        Ok(Value { register: to, ..value })
    }

    /// MixColumns of a word in plain code, or its inverse.
    fn mix(&mut self, step: usize, value: Value, direction: Direction) -> Result<Value, String> {
        let [high, low] = self.line.reduction.ok_or("plain MixColumns needs its numbers in registers")?;
        let from = value.register;
        let w = self.result(step, &[value])?;
        let changed = [self.line.take()?, self.line.take()?];
        Mix { high, low, changed }.column(&mut self.line.code, direction, w, from);
        changed.into_iter().for_each(|r| self.line.give(r));
        // MixColumns commutes with the rotation of a column.
        Ok(Value { register: w, ..value })
    }

    /// Looks a byte up in the table; the instruction that adds it puts it into place.
    fn look(&mut self, step: usize, value: Value, look: Look) -> Result<Value, String> {
        if self.line.tables.substitution != Some(look.direction) {
            return Err("no register is left for the address of the S-box's table".into());
        }
        let to = self.result(step, &[value])?;
        let row = usize::from((4 + look.from - value.turn) % 4);
        let code = &mut self.line.code;
        // The highest byte is an index after a shift, without a mask.
        let index = if row == 3 { value.register } else { to };
        if row < 3 {
            extract(code, to, value.register, row);
        }
        load_byte(code, to, index, row, Last::Substitution(TABLE));
        Ok(Value { register: to, turn: look.to })
    }

    /// Moves results to the requested registers.
    fn finish(mut self) -> Result<Vec<i32>, String> {
        if let Some(zero) = self.zero.take() {
            self.line.give(zero);
        }
        let program = self.program;
        let Some(places) = self.places else {
            let mut results = Vec::new();
            for &word in &program.outputs {
                self.whole(word)?;
                results.push(match self.read(word)? {
                    Some(value) => value.register,
                    None => return Err("a result of the program is zero".into()),
                });
            }
            return Ok(results);
        };
        let mut moves: Vec<(Value, i32)> = Vec::new();
        for (&word, &to) in program.outputs.iter().zip(places) {
            let value = self.read(word)?.ok_or("a result of the program is zero")?;
            moves.push((value, to));
        }
        let sources: Vec<i32> = moves.iter().map(|(v, _)| v.register).collect();
        for &to in places {
            self.line.claim(to);
        }
        moves.retain(|(v, to)| v.register != *to || v.turn > 0);
        while !moves.is_empty() {
            let ready = |&(k, &(_, to)): &(usize, &(Value, i32))| {
                !moves.iter().enumerate().any(|(j, (v, _))| j != k && v.register == to)
            };
            if let Some((k, _)) = moves.iter().enumerate().find(ready) {
                let (value, to) = moves.remove(k);
                self.turned(to, value);
            } else {
                // A cycle: one of its words is saved first.
                let aside = self.line.take()?;
                self.line.code.mov(aside, moves[0].0.register);
                moves[0].0.register = aside;
                self.line.give(aside);
            }
        }
        for source in sources {
            if !places.contains(&source) && self.holds[source as usize] == 0 {
                self.line.give(source);
            }
        }
        Ok(places.to_vec())
    }
}
