//! Rounds and key schedules with the custom instructions of a processor: the programs found for them, written
//! over virtual registers.

use aesmith_cipher::problem::Direction;
use aesmith_extension::cover::orders::Ordered;
use aesmith_extension::form::{Form, Term, Via, matrix};
use aesmith_extension::order::Order;
use aesmith_extension::program::{Custom, Goal, Program, Step, Word};

use super::lookup::{Bases, Needs, looked, mixed};
use super::writer::Writer;
use super::writer::register::ZERO;
use aesmith_processor::attach::Attached;

/// An extension, and its programs for a direction.
#[derive(Clone, Copy)]
pub struct Instructions {
    attached: &'static Attached,
    direction: Direction,
    /// The order of the state and round keys.
    pub order: Order,
    rounds: Option<[&'static Program; 2]>,
    sub_word: [Option<&'static Program>; 2],
    inverse: Option<&'static Program>,
}

impl PartialEq for Instructions {
    fn eq(&self, other: &Instructions) -> bool {
        std::ptr::eq(self.attached, other.attached)
            && (self.direction, self.order) == (other.direction, other.order)
    }
}

impl Eq for Instructions {}

impl std::fmt::Debug for Instructions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the instructions of {}", self.attached.extension.name)
    }
}

/// An input word of a program.
#[derive(Clone, Copy)]
pub struct Operand {
    /// Its register.
    pub word: i32,
    /// True if it is dead after the program, so that an instruction may overwrite it.
    pub spent: bool,
}

impl Operand {
    /// A word that is still live afterwards.
    pub fn kept(word: i32) -> Operand {
        Operand { word, spent: false }
    }

    /// A word that is dead afterwards.
    pub fn spent(word: i32) -> Operand {
        Operand { word, spent: true }
    }
}

impl Instructions {
    /// The instructions for key schedules, with the state in the order of the extension's file or, with
    /// `found`, in the one that its instructions need. Tables and shifts do the rest.
    pub fn of_schedules(
        attached: &'static Attached,
        direction: Direction,
        found: bool,
    ) -> Result<Instructions, String> {
        let order = if found { reordered(attached, direction)?.order } else { attached.stated() };
        let sub_word = [false, true].map(|turned| attached.program(Goal::SubWord { turned }).ok());
        let inverse = attached.program(Goal::InverseMix).ok();
        Ok(Instructions { attached, direction, order, rounds: None, sub_word, inverse })
    }

    /// The instructions for messages, or the reason why rounds cannot be computed with them.
    pub(crate) fn of_messages(
        attached: &'static Attached,
        direction: Direction,
        found: bool,
    ) -> Result<Instructions, String> {
        let rounds = if found {
            reordered(attached, direction)?.programs.each_ref()
        } else {
            [attached.program(Goal::Round(direction))?, attached.program(Goal::Last(direction))?]
        };
        let scheduled = Instructions::of_schedules(attached, direction, found)?;
        Ok(Instructions { rounds: Some(rounds), ..scheduled })
    }

    /// The bases that rounds need.
    pub(crate) fn rounds_need(&self) -> Needs {
        let any = |has: fn(&Program) -> bool| {
            self.rounds.is_some_and(|programs| programs.iter().any(|program| has(program)))
        };
        Needs { table: any(|program| program.looks() > 0), mix: any(Program::mixes) }
    }

    /// True if SubWord has a program.
    pub fn substitutes(&self) -> bool {
        self.sub_word.iter().all(Option::is_some)
    }

    /// True if InvMixColumns is computed without MixColumns in plain code.
    pub fn inverts(&self) -> bool {
        self.inverse.is_some_and(|program| !program.mixes())
    }

    /// A round, or the last round.
    pub fn round(
        &self,
        w: &mut Writer,
        bases: &Bases,
        last: bool,
        state: [i32; 4],
        keys: &mut dyn FnMut(&mut Writer, usize) -> Operand,
    ) -> [i32; 4] {
        let program = self.rounds.map(|programs| programs[usize::from(last)]);
        let Some(program) = program else { return state };
        // The caller may need the state in fixed registers: it is never overwritten.
        let words = self.write(w, bases, program, &mut |w, input| match input {
            0..4 => Operand::kept(state[input]),
            _ => keys(w, input - 4),
        });
        std::array::from_fn(|column| words[column])
    }

    /// SubWord of a word, or of its RotWord if `turned`, added to another word. Requires
    /// [`Instructions::substitutes`].
    pub fn sub_word(&self, w: &mut Writer, to: Operand, word: i32, turned: bool) -> i32 {
        let inputs = [Operand::kept(word), to];
        self.word(w, &Bases::default(), self.sub_word[usize::from(turned)], &inputs).unwrap_or(word)
    }

    /// InvMixColumns of a word, if it has a program.
    pub fn inverse_mix(&self, w: &mut Writer, bases: &Bases, word: i32) -> Option<i32> {
        self.word(w, bases, self.inverse, &[Operand::kept(word)])
    }

    /// A program with one result.
    fn word(
        &self,
        w: &mut Writer,
        bases: &Bases,
        program: Option<&Program>,
        inputs: &[Operand],
    ) -> Option<i32> {
        let words = self.write(w, bases, program?, &mut |_, k| inputs[k]);
        words.first().copied()
    }

    /// Byte `row` of a word, substituted and mixed, added to a column; `None` without an instruction for it.
    pub fn add(&self, w: &mut Writer, column: i32, word: i32, row: usize) -> Option<i32> {
        let (custom, accumulator) = self.share(row)?;
        let mut reads = [word; 2];
        reads[accumulator] = column;
        let rd = match self.tied(&custom) {
            Some(tied) => w.with("addi", reads[tied], 0),
            None => w.block.fresh(),
        };
        w.block.push(self.attached.insn(&custom, rd, &reads));
        Some(rd)
    }

    /// The instruction that adds a byte's contribution to a column, and the index of its column operand.
    pub fn share(&self, row: usize) -> Option<(Custom, usize)> {
        let via = Via::substitution(self.direction);
        let matrix = matrix(self.direction);
        let mut wanted = [Term::NOTHING; 4];
        wanted[row] = Term { via, places: std::array::from_fn(|place| matrix[place][row]) };
        let Attached { extension, alone, .. } = self.attached;
        for (instruction, text) in extension.instructions.iter().enumerate() {
            if text.inputs() != 2 {
                continue;
            }
            for selectors in text.choices() {
                let Ok(Some(form)) = Form::find(alone, text, &selectors) else { continue };
                let Some(accumulator) = form.accumulator() else { continue };
                if form.constant == 0 && form.inputs[1 - accumulator] == wanted {
                    let words = vec![Word::Input(0), Word::Input(1)];
                    return Some((Custom { instruction, words, selectors }, accumulator));
                }
            }
        }
        None
    }

    fn tied(&self, custom: &Custom) -> Option<usize> {
        self.attached.extension.instructions[custom.instruction].tied()
    }

    /// Writes the steps of a program, and returns its results; each input is requested when it is first needed.
    fn write(
        &self,
        w: &mut Writer,
        bases: &Bases,
        program: &Program,
        input: &mut dyn FnMut(&mut Writer, usize) -> Operand,
    ) -> Vec<i32> {
        let mut inputs: Vec<Option<Operand>> = vec![None; program.inputs];
        let mut made: Vec<i32> = Vec::new();
        let mut value = |w: &mut Writer, made: &[i32], word: Word| match word {
            Word::Zero => Operand::kept(i32::from(ZERO)),
            Word::Input(k) => *inputs[k].get_or_insert_with(|| input(w, k)),
            Word::Step(k) => Operand::spent(made[k]),
        };
        for (place, step) in program.steps.iter().enumerate() {
            let result = match step {
                Step::Custom(custom) => {
                    let operands: Vec<Operand> =
                        custom.words.iter().map(|&word| value(w, &made, word)).collect();
                    let reads: Vec<i32> = operands.iter().map(|o| o.word).collect();
                    let rd = match self.tied(custom) {
                        None => w.block.fresh(),
                        Some(tied) => {
                            let word = custom.words[tied];
                            let once = custom.words.iter().filter(|o| **o == word).count() == 1;
                            if operands[tied].spent && once && !needed(program, word, place) {
                                reads[tied]
                            } else {
                                w.with("addi", reads[tied], 0)
                            }
                        }
                    };
                    w.block.push(self.attached.insn(custom, rd, &reads));
                    rd
                }
                Step::Xor(a, b) => {
                    let (a, b) = (value(w, &made, *a).word, value(w, &made, *b).word);
                    w.xor(a, b)
                }
                Step::Turn(a, bytes) => {
                    let a = value(w, &made, *a).word;
                    w.rotated(a, 32 - 8 * i32::from(*bytes))
                }
                Step::Keep(a, mask) => {
                    let a = value(w, &made, *a).word;
                    w.masked(a, *mask)
                }
                Step::Mix(a, direction) => {
                    let a = value(w, &made, *a).word;
                    mixed(w, bases, a, *direction)
                }
                Step::Look(a, look) => {
                    let a = value(w, &made, *a).word;
                    let byte = looked(w, (bases.table, 0), a, usize::from(look.from));
                    if look.to == 0 { byte } else { w.shift("slli", byte, 8 * i32::from(look.to)) }
                }
            };
            made.push(result);
        }
        program.outputs.iter().map(|&word| value(w, &made, word).word).collect()
    }
}

/// The rounds of a direction in the order that the instructions need.
fn reordered(attached: &'static Attached, direction: Direction) -> Result<&'static Ordered, String> {
    let none = || format!("{} wants no other order of the state than its file says", attached.extension.name);
    attached.reordered(direction).ok_or_else(none)
}

/// True if a word is read after a step.
fn needed(program: &Program, word: Word, step: usize) -> bool {
    program.outputs.contains(&word) || program.steps[step + 1..].iter().any(|s| s.words().contains(&word))
}
