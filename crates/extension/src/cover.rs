//! Composes a piece of AES from an extension's instructions. A goal is a sum over bytes ([`crate::form`]), and so is
//! the result of each instruction; a goal is covered by the cheapest instructions whose results add up to it. Between
//! the state and a summand there are at most two instructions in sequence, plus plain rotations, masks and MixColumns,
//! and look-ups in a table of the S-box where no instruction computes it. The result is only a proposal: kernels made
//! of it are proved like all others.

mod linear;
pub mod orders;
mod rows;
mod search;

use aesmith_cipher::problem::Direction;
use aesmith_isa::Isa;

use crate::file::{Extension, Layout};
use crate::form::Form;
use crate::order::Order;
use crate::program::{Goal, Look, Program, Step, Word};
use crate::value::{Value, goal_values};
use search::{Line, Search};

/// The cost of plain operations on a base, in instructions; each instruction of the extension costs one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// The cost of a rotation by bytes.
    pub turn: f64,
    /// The cost of masking bytes of a word.
    pub keep: f64,
    /// The cost of MixColumns of a column.
    pub mix: f64,
    /// The cost of InvMixColumns of a column.
    pub unmix: f64,
    /// The cost of a table look-up of a byte of a word, by the byte's index; the load costs its cycles in instructions.
    pub look: [f64; 4],
    /// The cost of moving its result to another place of a word.
    pub place: f64,
}

impl Costs {
    /// The cost of MixColumns in a direction.
    fn mixed(&self, direction: Direction) -> f64 {
        match direction {
            Direction::Encrypt => self.mix,
            Direction::Decrypt => self.unmix,
        }
    }

    /// The cost of all steps of a program.
    pub fn of(&self, program: &Program) -> f64 {
        let step = |step: &Step| match step {
            Step::Custom(_) | Step::Xor(..) => 1.0,
            Step::Turn(..) => self.turn,
            Step::Keep(..) => self.keep,
            Step::Mix(_, direction) => self.mixed(*direction),
            Step::Look(_, look) => self.looked(*look),
        };
        program.steps.iter().map(step).sum()
    }

    /// The cost of a look-up.
    fn looked(&self, look: Look) -> f64 {
        self.look[usize::from(look.from)] + if look.to == 0 { 0.0 } else { self.place }
    }
}

/// The cheapest program that is found for a goal, or the reason why there is none. Bytes are looked up in a table only
/// if the instructions alone do not suffice, because the address of a look-up is secret-dependent.
pub fn cover(
    extension: &Extension,
    isa: &Isa,
    goal: Goal,
    order: Order,
    costs: &Costs,
) -> Result<Program, String> {
    let forms = forms(extension, isa)?;
    let covered = |goal, table| covered(extension, &forms, goal, order, costs, table);
    let why = match covered(goal, None) {
        Ok(program) => return Ok(program),
        Err(why) => why,
    };
    // Key schedules use a table in plain code where no instruction computes SubWord.
    let (Goal::Round(direction) | Goal::Last(direction)) = goal else { return Err(why) };
    let looked = |goal| covered(goal, Some(direction)).ok();
    // A program of look-ups and plain code alone does not use the extension; only the last round may be one, if the
    // other rounds use it.
    let useful = |goal| looked(goal).filter(|program| program.customs() > 0);
    match goal {
        Goal::Last(_) => useful(Goal::Round(direction)).and_then(|_| looked(goal)),
        _ => useful(goal),
    }
    .ok_or(why)
}

/// The cheapest program, with look-ups in the S-box of a direction if `table` gives one.
fn covered(
    extension: &Extension,
    forms: &[Formed],
    goal: Goal,
    order: Order,
    costs: &Costs,
    table: Option<Direction>,
) -> Result<Program, String> {
    if forms.is_empty() {
        return Err(format!("no instruction of {} is a sum over bytes that AES could use", extension.name));
    }
    let wanted = goal_values(goal, order);
    let words = wanted[0].terms.len();
    let mut search = Search::new(extension, forms, costs, words, table);
    search.first();
    let mut targets: Vec<Vec<Value>> = vec![wanted.clone()];
    // A round may also be the last round, or ShiftRows alone, followed by MixColumns of each column.
    if let Goal::Round(direction) = goal {
        targets.push(goal_values(Goal::Last(direction), order));
        targets.push(targets[1].iter().map(Value::plain).collect());
    }
    let all: Vec<Value> = targets.concat();
    search.second(&all);
    search.cut(&all);
    let key = goal != Goal::InverseMix;
    let inputs: usize = words + if key { wanted.len() } else { 0 };
    let start = || {
        let mut line = Line::default();
        line.program.inputs = inputs;
        line
    };
    let added = |output: usize| key.then_some(Word::Input(words + output));
    let mut line = start();
    let mut lacking = None;
    for (output, target) in wanted.iter().enumerate() {
        let before = match goal {
            Goal::Round(direction) => targets[1..].iter().map(|t| (t[output].clone(), direction)).collect(),
            Goal::InverseMix => vec![(Value::word(words, 0), Direction::Decrypt)],
            _ => Vec::new(),
        };
        let Some(parts) = search.column(&line, target, key, &before) else {
            lacking = Some(search.missing(goal, target));
            break;
        };
        let word = search.sum(&mut line, &parts, added(output));
        line.program.outputs.push(word);
    }
    let by_words = lacking.map_or(Ok(line.program), Err);
    let (Goal::Round(direction), Layout::Rows) = (goal, order.layout) else { return by_words };
    let Some(rows) = search.rows(&wanted, &targets[1], direction) else { return by_words };
    let mut line = start();
    for (output, parts) in rows.iter().enumerate() {
        let word = search.sum(&mut line, parts, added(output));
        line.program.outputs.push(word);
    }
    match by_words {
        Ok(program) if costs.of(&program) <= costs.of(&line.program) => Ok(program),
        _ => Ok(line.program),
    }
}

/// An instruction, its selectors, and its form.
type Formed = (usize, Vec<u8>, Form);

fn forms(extension: &Extension, isa: &Isa) -> Result<Vec<Formed>, String> {
    let mut found = Vec::new();
    for (number, instruction) in extension.instructions.iter().enumerate() {
        if instruction.selector_bits() > 8 {
            continue;
        }
        for selectors in instruction.choices() {
            if let Some(form) = Form::find(isa, instruction, &selectors)? {
                found.push((number, selectors, form));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::matrix;
    use crate::{meaning, sets};
    use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};

    pub(super) const COSTS: Costs =
        Costs { turn: 3.0, keep: 1.0, mix: 16.0, unmix: 35.0, look: [3.0, 4.0, 4.0, 3.0], place: 1.0 };

    /// The reference result of a goal, computed bytewise.
    pub(super) fn reference(goal: Goal, order: Order, inputs: &[u32]) -> Vec<u32> {
        let byte = |w: usize, b: usize| inputs[w].to_le_bytes()[b];
        let state = |direction: Direction, mixes: bool| {
            let substituted = |row: usize, column: usize| {
                let shift = if direction == Direction::Encrypt { row } else { 4 - row };
                let (w, b) = order.find(row, (column + shift) % 4);
                let table = if direction == Direction::Encrypt { &SBOX } else { &INV_SBOX };
                table[usize::from(byte(w, b))]
            };
            let matrix = matrix(direction);
            let out = |word: usize, b: usize| {
                let (row, column) = order.place(word, b);
                let mixed = |sum: u8, k: usize| sum ^ gf_mul(matrix[row][k], substituted(k, column));
                let x = if mixes { (0..4).fold(0, mixed) } else { substituted(row, column) };
                x ^ byte(4 + word, b)
            };
            (0..4).map(|w| u32::from_le_bytes(std::array::from_fn(|b| out(w, b)))).collect()
        };
        match goal {
            Goal::Round(d) => state(d, true),
            Goal::Last(d) => state(d, false),
            Goal::SubWord { turned } => {
                let word = if turned { inputs[0].rotate_right(8) } else { inputs[0] };
                vec![u32::from_le_bytes(word.to_le_bytes().map(|x| SBOX[usize::from(x)])) ^ inputs[1]]
            }
            Goal::InverseMix => {
                let (m, bytes) = (matrix(Direction::Decrypt), inputs[0].to_le_bytes());
                let row = |r: usize| (0..4).fold(0, |sum, k| sum ^ gf_mul(m[r][k], bytes[k]));
                vec![u32::from_le_bytes(std::array::from_fn(row))]
            }
        }
    }

    #[test]
    fn what_is_covered_computes_its_goal() {
        for (name, text) in sets::ALL {
            let extension = Extension::parse(text).unwrap_or_else(|m| panic!("{name}: {m}"));
            let isa = meaning::table(&extension).unwrap_or_else(|m| panic!("{name}: {m}"));
            let order = Order::from(extension.layout.unwrap_or_default());
            for goal in Goal::ALL {
                let Ok(program) = cover(&extension, &isa, goal, order, &COSTS) else { continue };
                for k in 1..20u32 {
                    let inputs: Vec<u32> =
                        (1..=8u32).map(|i| (k * 8 + i).wrapping_mul(0x9e37_79b9).rotate_left(k)).collect();
                    let got = program.run(&extension, &isa, &inputs).expect("runs");
                    assert_eq!(got, reference(goal, order, &inputs), "{name}, {goal:?}");
                }
            }
        }
    }

    /// A regression test: MixColumns was left to plain code, with twenty instructions per column, although there was
    /// xtime.
    #[test]
    fn mixcolumns_is_made_of_xtime_and_rotations() {
        let extension = Extension::parse(sets::find("packed").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let count = |goal: Goal, costs: &Costs| {
            let program = cover(&extension, &isa, goal, Order::default(), costs).expect("is covered");
            let mixed = program.steps.iter().any(|s| matches!(s, crate::program::Step::Mix(..)));
            assert!(!mixed, "{goal:?}");
            program.customs()
        };
        // The count is four for SubWord and four for xtime, as by hand: 2 (s + t) + t + turned (s + t), where t is s
        // turned.
        assert_eq!(count(Goal::Round(Direction::Encrypt), &COSTS), 8);
        // InvMixColumns adds two xtime for each column before MixColumns.
        assert_eq!(count(Goal::Round(Direction::Decrypt), &COSTS), 16);
        assert_eq!(count(Goal::InverseMix, &COSTS), 3);
        // Where plain MixColumns is cheap, it is used.
        let cheap = Costs { mix: 1.0, ..COSTS };
        let program = cover(&extension, &isa, Goal::Round(Direction::Encrypt), Order::default(), &cheap)
            .expect("is covered");
        assert_eq!(program.customs(), 4);
    }

    /// The programs of an extension without an S-box: a round, the last round, and InvMixColumns in each direction.
    fn beside_a_table(text: &str) -> [[Program; 2]; 2] {
        let extension = Extension::parse(text).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        [Direction::Encrypt, Direction::Decrypt].map(|direction| {
            [Goal::Round(direction), Goal::Last(direction)].map(|goal| {
                let program = cover(&extension, &isa, goal, Order::default(), &COSTS)
                    .unwrap_or_else(|why| panic!("{why}"));
                for k in 1..20u32 {
                    let inputs: Vec<u32> =
                        (1..=8u32).map(|i| (k * 8 + i).wrapping_mul(0x9e37_79b9).rotate_left(k)).collect();
                    let got = program.run(&extension, &isa, &inputs).expect("runs");
                    assert_eq!(got, reference(goal, Order::default(), &inputs), "{goal:?}");
                }
                // Every byte is looked up once.
                assert_eq!((program.looks(), program.mixes()), (16, false), "{goal:?}");
                program
            })
        })
    }

    fn one(name: &str, reads: &str, selectors: &str, meaning: &str) -> String {
        format!(
            "name = \"x\"\n[[instruction]]\nname = \"{name}\"\nreads = {reads}\nwrites = \"d\"\n\
             selectors = {{ {selectors} }}\nmeaning = \"{meaning}\"\n"
        )
    }

    /// A regression test: without an S-box instruction a round was refused, although the instructions computed
    /// MixColumns.
    #[test]
    fn linear_instructions_stand_beside_look_ups() {
        let counts = |text: &str| beside_a_table(text).map(|both| both.map(|p| p.customs()));
        // InvMixColumns of a column is MixColumns three times, since the fourth power of the matrix is the identity.
        let column = one("mixw", "[\"a\"]", "", "d = mixcolumn(a)");
        assert_eq!(counts(&column), [[4, 0], [12, 0]]);
        let both = sets::find("mixcolumns").expect("it is there");
        assert_eq!(counts(both), [[4, 0], [4, 0]]);
        let xtimes = "cat(xtime(byte(a, 3)), xtime(byte(a, 2)), xtime(byte(a, 1)), xtime(byte(a, 0)))";
        let packed = one("xtw", "[\"a\"]", "", &format!("d = {xtimes}"));
        assert_eq!(counts(&packed), [[4, 0], [12, 0]]);
        // The instruction adds a byte's contribution to its column in place: no plain code moves it.
        let share = one("mixb", "[\"a\", \"b\"]", "n = 2", "d = a ^ turn(mixed(byte(b, 0)), n)");
        let extension = Extension::parse(&share).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let round = cover(&extension, &isa, Goal::Round(Direction::Encrypt), Order::default(), &COSTS)
            .expect("is covered");
        assert_eq!((round.steps.len(), round.looks(), round.customs()), (32, 16, 16));
        // The inverse matrix needs coefficients that the instruction does not have.
        let why =
            cover(&extension, &isa, Goal::Round(Direction::Decrypt), Order::default(), &COSTS).unwrap_err();
        assert!(why.contains("the inverse S-box of byte 0 of word 0"), "{why}");
    }

    #[test]
    fn what_instructions_substitute_is_not_looked_up() {
        for (name, text) in sets::ALL.iter().filter(|(name, _)| *name != "mixcolumns") {
            let extension = Extension::parse(text).expect("parses");
            let isa = meaning::table(&extension).expect("compiles");
            for goal in Goal::ALL {
                let order = Order::from(extension.layout.unwrap_or_default());
                let looks = cover(&extension, &isa, goal, order, &COSTS).map_or(0, |program| program.looks());
                assert_eq!(looks, 0, "{name}, {goal:?}");
            }
        }
    }

    #[test]
    fn smix_covers_a_round_with_sixteen_instructions() {
        let extension = Extension::parse(sets::find("smix3").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let round = cover(&extension, &isa, Goal::Round(Direction::Encrypt), Order::default(), &COSTS)
            .expect("is covered");
        assert_eq!((round.steps.len(), round.customs()), (16, 16));
        let bytes = Extension::parse(sets::find("bertoni-bytes").expect("it is there")).expect("parses");
        let isa = meaning::table(&bytes).expect("compiles");
        // The instruction itself selects the byte's place: no rotation is needed.
        let word = cover(&bytes, &isa, Goal::SubWord { turned: true }, Order::default(), &COSTS)
            .expect("is covered");
        assert_eq!((word.steps.len(), word.customs()), (4, 4));
        let extension = Extension::parse(sets::find("smix3").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let why =
            cover(&extension, &isa, Goal::Round(Direction::Decrypt), Order::default(), &COSTS).unwrap_err();
        assert!(why.contains("the inverse S-box of byte 0 of word 0"), "{why}");
    }
}
