//! A piece of AES put together from an extension's instructions: what a goal wants is a sum over bytes
//! ([`crate::form`]), and so is what instructions give, one after the other; a goal is covered by the
//! cheapest instructions whose sums make it up. Two instructions in a row at most stand between the
//! state and a part of the sum, besides plain rotations, masks and MixColumns. What is found is a
//! proposal: kernels made of it are proved as all are.

mod linear;
mod search;

use aesmith_cipher::problem::Direction;
use aesmith_isa::Isa;

use crate::file::Extension;
use crate::form::Form;
use crate::program::{Goal, Program, Word};
use crate::value::{Value, goal_values};
use search::{Line, Search};

/// What plain instructions cost on a base, in instructions, beside one for each of the extension's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// A rotation by bytes.
    pub turn: f64,
    /// Some bytes of a word.
    pub keep: f64,
    /// MixColumns of a column.
    pub mix: f64,
}

/// The cheapest line that is found for a goal, or why there is none.
pub fn cover(extension: &Extension, isa: &Isa, goal: Goal, costs: &Costs) -> Result<Program, String> {
    let forms = forms(extension, isa)?;
    if forms.is_empty() {
        return Err(format!("no instruction of {} is a sum over bytes that AES could use", extension.name));
    }
    let wanted = goal_values(goal, extension.layout);
    let words = wanted[0].terms.len();
    let mut search = Search::new(extension, &forms, costs, words);
    search.first();
    let mut targets: Vec<Vec<Value>> = vec![wanted.clone()];
    // A round may also be the last round, or ShiftRows alone, and then MixColumns of each column.
    if let Goal::Round(direction) = goal {
        targets.push(goal_values(Goal::Last(direction), extension.layout));
        targets.push(targets[1].iter().map(Value::plain).collect());
    }
    let all: Vec<Value> = targets.concat();
    search.second(&all);
    search.cut(&all);
    let key = goal != Goal::InverseMix;
    let mut line = Line::default();
    line.program.inputs = words + if key { wanted.len() } else { 0 };
    for (output, target) in wanted.iter().enumerate() {
        let before = match goal {
            Goal::Round(direction) => targets[1..].iter().map(|t| (t[output].clone(), direction)).collect(),
            Goal::InverseMix => vec![(Value::word(words, 0), Direction::Decrypt)],
            _ => Vec::new(),
        };
        let parts = search.column(&line, target, key, &before);
        let parts = parts.ok_or_else(|| search.missing(goal, target))?;
        let word = search.sum(&mut line, &parts, key.then_some(Word::Input(words + output)));
        line.program.outputs.push(word);
    }
    Ok(line.program)
}

/// Instruction, selectors, form.
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
    use crate::file::Layout;
    use crate::form::matrix;
    use crate::{meaning, sets};
    use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};

    const COSTS: Costs = Costs { turn: 3.0, keep: 1.0, mix: 20.0 };

    /// What a goal is, by bytes.
    fn reference(goal: Goal, layout: Layout, inputs: &[u32]) -> Vec<u32> {
        let byte = |w: usize, b: usize| inputs[w].to_le_bytes()[b];
        let state = |direction: Direction, mixes: bool| {
            let substituted = |row: usize, column: usize| {
                let shift = if direction == Direction::Encrypt { row } else { 4 - row };
                let (w, b) = layout.find(row, (column + shift) % 4);
                let table = if direction == Direction::Encrypt { &SBOX } else { &INV_SBOX };
                table[usize::from(byte(w, b))]
            };
            let matrix = matrix(direction);
            let out = |word: usize, b: usize| {
                let (row, column) = layout.place(word, b);
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
            for goal in Goal::ALL {
                let Ok(program) = cover(&extension, &isa, goal, &COSTS) else { continue };
                for k in 1..20u32 {
                    let inputs: Vec<u32> =
                        (1..=8u32).map(|i| (k * 8 + i).wrapping_mul(0x9e37_79b9).rotate_left(k)).collect();
                    let got = program.run(&extension, &isa, &inputs).expect("runs");
                    assert_eq!(got, reference(goal, extension.layout, &inputs), "{name}, {goal:?}");
                }
            }
        }
    }

    /// MixColumns was left to plain code, of twenty instructions a column, although there was xtime.
    #[test]
    fn mixcolumns_is_made_of_xtime_and_rotations() {
        let extension = Extension::parse(sets::find("packed").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let count = |goal: Goal, costs: &Costs| {
            let program = cover(&extension, &isa, goal, costs).expect("is covered");
            let mixed = program.steps.iter().any(|s| matches!(s, crate::program::Step::Mix(..)));
            assert!(!mixed, "{goal:?}");
            program.customs()
        };
        // Four of SubWord and four of xtime, as by hand: 2 (s + t) + t + turned (s + t), t being s turned.
        assert_eq!(count(Goal::Round(Direction::Encrypt), &COSTS), 8);
        // Two more of xtime for each column before MixColumns.
        assert_eq!(count(Goal::Round(Direction::Decrypt), &COSTS), 16);
        assert_eq!(count(Goal::InverseMix, &COSTS), 3);
        // Where MixColumns is cheap, it stays.
        let cheap = Costs { mix: 1.0, ..COSTS };
        let program = cover(&extension, &isa, Goal::Round(Direction::Encrypt), &cheap).expect("is covered");
        assert_eq!(program.customs(), 4);
    }

    #[test]
    fn smix_covers_a_round_with_sixteen_instructions() {
        let extension = Extension::parse(sets::find("smix3").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let round = cover(&extension, &isa, Goal::Round(Direction::Encrypt), &COSTS).expect("is covered");
        assert_eq!((round.steps.len(), round.customs()), (16, 16));
        let bytes = Extension::parse(sets::find("bertoni-bytes").expect("it is there")).expect("parses");
        let isa = meaning::table(&bytes).expect("compiles");
        // The place of the byte is the instruction's to choose: nothing is rotated.
        let word = cover(&bytes, &isa, Goal::SubWord { turned: true }, &COSTS).expect("is covered");
        assert_eq!((word.steps.len(), word.customs()), (4, 4));
        let extension = Extension::parse(sets::find("smix3").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let why = cover(&extension, &isa, Goal::Round(Direction::Decrypt), &COSTS).unwrap_err();
        assert!(why.contains("the inverse S-box of byte 0 of word 0"), "{why}");
    }
}
