//! A piece of AES put together from an extension's instructions: what a goal wants is a sum over bytes
//! ([`crate::form`]), and so is what instructions give, one after the other; a goal is covered by the
//! cheapest instructions whose sums make it up. Two instructions in a row at most stand between the
//! state and a part of the sum, besides plain rotations, masks and MixColumns. What is found is a
//! proposal: kernels made of it are proved as all are.

use std::collections::HashMap;

use aesmith_cipher::problem::Direction;
use aesmith_isa::Isa;

use crate::file::Extension;
use crate::form::{Form, matrix};
use crate::program::{Custom, Goal, Program, Step, Word};
use crate::value::{Value, goal_values};

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

/// Most pairs of operands that the second instruction is tried with.
const PAIRS: usize = 400_000;

/// The cheapest line that is found for a goal, or why there is none.
pub fn cover(extension: &Extension, isa: &Isa, goal: Goal, costs: &Costs) -> Result<Program, String> {
    let forms = forms(extension, isa)?;
    if forms.is_empty() {
        return Err(format!("no instruction of {} is a sum over bytes that AES could use", extension.name));
    }
    let wanted = goal_values(goal, extension.layout);
    let words = wanted[0].terms.len();
    let mut search =
        Search { extension, forms: &forms, costs, words, nodes: Vec::new(), known: HashMap::new() };
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

/// How a word is made.
#[derive(Clone, Debug)]
enum Made {
    Input(usize),
    /// Which form, and its operands; the accumulator, and what it does not look at, have none.
    Custom(usize, Vec<Option<usize>>),
    Turn(usize, u8),
    Keep(usize, u8),
    Mix(usize, Direction),
    /// The sum of several.
    Sum(Vec<usize>),
}

struct Node {
    value: Value,
    made: Made,
}

struct Search<'a> {
    extension: &'a Extension,
    forms: &'a [Formed],
    costs: &'a Costs,
    words: usize,
    nodes: Vec<Node>,
    known: HashMap<Value, usize>,
}

impl Search<'_> {
    /// A node, unless its value is known already.
    fn add(&mut self, value: Value, made: Made) -> usize {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        self.known.insert(value.clone(), self.nodes.len());
        self.nodes.push(Node { value, made });
        self.nodes.len() - 1
    }

    /// The value of a form over nodes.
    fn apply(&self, form: usize, operands: &[Option<usize>]) -> Option<Value> {
        let operands: Vec<Option<&Value>> =
            operands.iter().map(|o| o.map(|node| &self.nodes[node].value)).collect();
        Value::of(self.words, &self.forms[form].2, &operands)
    }

    /// The operands of a form that are looked at, besides the accumulator.
    fn free(&self, form: usize) -> Vec<usize> {
        let (number, _, form) = &self.forms[form];
        let named = self.extension.instructions[*number].reads.len();
        let seen = |&k: &usize| form.inputs[k].iter().any(|t| !t.is_nothing());
        (0..named).filter(|k| Some(*k) != form.accumulator()).filter(seen).collect()
    }

    /// Whether a form reads the registers that its unit is wired to.
    fn wired(&self, form: usize) -> bool {
        !self.extension.instructions[self.forms[form].0].fixed.is_empty()
    }

    /// The words, and all that one instruction makes of them.
    fn first(&mut self) {
        for word in 0..self.words {
            let value = Value::word(self.words, word);
            self.add(value, Made::Input(word));
        }
        if self.words == 1 {
            for turn in 1..4 {
                let value = self.nodes[0].value.turned(turn);
                self.add(value, Made::Turn(0, turn));
            }
        }
        let pool: Vec<usize> = (0..self.nodes.len()).collect();
        for form in 0..self.forms.len() {
            self.each(form, &pool, &mut |_| true);
        }
    }

    /// Adds a form over all choices of operands, where the value is wanted.
    fn each(&mut self, form: usize, pool: &[usize], wanted: &mut dyn FnMut(&Value) -> bool) {
        let free = self.free(form);
        let inputs = self.forms[form].2.inputs.len();
        let fixed = self.extension.instructions[self.forms[form].0].fixed.len();
        if fixed > 0 && self.words < fixed {
            return;
        }
        let mut choice = vec![0; free.len()];
        loop {
            let mut operands: Vec<Option<usize>> = vec![None; inputs];
            free.iter().zip(&choice).for_each(|(&k, &c)| operands[k] = Some(pool[c]));
            for word in 0..fixed {
                operands[inputs - fixed + word] = Some(word);
            }
            if let Some(value) = self.apply(form, &operands).filter(|v| !v.is_nothing() && wanted(v)) {
                self.add(value, Made::Custom(form, operands));
            }
            let Some(k) = choice.iter().position(|&c| c + 1 < pool.len()) else { return };
            choice[..k].fill(0);
            choice[k] += 1;
        }
    }

    /// What a second instruction makes, as far as it is a part of a target.
    fn second(&mut self, targets: &[Value]) {
        let pool: Vec<usize> = (0..self.nodes.len()).collect();
        for form in 0..self.forms.len() {
            let pairs = pool.len().checked_pow(self.free(form).len() as u32).unwrap_or(usize::MAX);
            if pairs <= PAIRS && !self.wired(form) {
                self.each(form, &pool, &mut |v| targets.iter().any(|t| v.is_part_of(t)));
            }
        }
    }

    /// Some bytes of what there is, rotated, as far as they are parts of a target.
    fn cut(&mut self, targets: &[Value]) {
        for node in 0..self.nodes.len() {
            for turn in 0..4u8 {
                let value = self.nodes[node].value.turned(turn);
                let useful = |v: &Value| targets.iter().any(|t| v.is_part_of(t));
                let kept: Vec<(u8, Value)> = (1..15u8)
                    .map(|mask| (mask, value.kept(mask)))
                    .filter(|(_, v)| !v.is_nothing() && useful(v))
                    .collect();
                if turn > 0 && (!kept.is_empty() || useful(&value)) {
                    self.add(value, Made::Turn(node, turn));
                }
                for (mask, value) in kept {
                    let of = self.known.get(&self.nodes[node].value.turned(turn)).copied().unwrap_or(node);
                    self.add(value, Made::Keep(of, mask));
                }
            }
        }
    }

    /// What a node costs beyond the words that there are already; an accumulator is filled later.
    fn cost(&self, line: &Line, node: usize) -> f64 {
        if line.words.contains_key(&node) {
            return 0.0;
        }
        let of = |n: &usize| self.cost(line, *n);
        match &self.nodes[node].made {
            Made::Input(_) => 0.0,
            Made::Custom(_, operands) => 1.0 + operands.iter().flatten().map(of).sum::<f64>(),
            Made::Turn(n, _) => self.costs.turn + of(n),
            Made::Keep(n, _) => self.costs.keep + of(n),
            Made::Mix(n, _) => self.costs.mix + of(n),
            Made::Sum(parts) => self.joined(line, parts, false),
        }
    }

    /// What the sum of parts costs, with a key or without.
    fn joined(&self, line: &Line, parts: &[usize], key: bool) -> f64 {
        let xors = parts.iter().filter(|&&p| !self.accumulates(p)).count() as f64;
        let own: f64 = parts.iter().map(|&p| self.cost(line, p)).sum();
        // Without a key, the first of them is added to nothing.
        own + if key || xors == 0.0 { xors } else { xors - 1.0 }
    }

    fn accumulates(&self, node: usize) -> bool {
        match &self.nodes[node].made {
            Made::Custom(form, _) => self.forms[*form].2.accumulator().is_some(),
            _ => false,
        }
    }

    /// The cheapest nodes whose sum is a value, each byte's share in one of them.
    fn parts(&self, line: &Line, target: &Value, key: bool) -> Option<(f64, Vec<usize>)> {
        let bytes: Vec<usize> = (0..target.bytes()).filter(|&k| !target.byte(k).is_nothing()).collect();
        let mask = |value: &Value| {
            let set = |(place, &k): (usize, &usize)| usize::from(!value.byte(k).is_nothing()) << place;
            bytes.iter().enumerate().map(set).sum::<usize>()
        };
        let useful: Vec<(usize, usize, f64)> = (0..self.nodes.len())
            .filter(|&n| self.nodes[n].value.is_part_of(target))
            .map(|n| (n, mask(&self.nodes[n].value), self.joined(line, &[n], true)))
            .collect();
        let full = (1usize << bytes.len()) - 1;
        let mut best: Vec<Option<(f64, usize, usize)>> = vec![None; full + 1];
        best[0] = Some((0.0, 0, 0));
        for done in 0..full {
            let Some((cost, ..)) = best[done] else { continue };
            let next = (!done).trailing_zeros();
            for &(node, mask, more) in &useful {
                let (after, more) = (done | mask, cost + more);
                let fits = mask & done == 0 && mask >> next & 1 == 1;
                if fits && best[after].is_none_or(|(c, ..)| more < c) {
                    best[after] = Some((more, node, done));
                }
            }
        }
        let (mut parts, mut at) = (Vec::new(), full);
        while at > 0 {
            let (_, node, before) = best[at]?;
            parts.push(node);
            at = before;
        }
        parts.reverse();
        Some((self.joined(line, &parts, key), parts))
    }

    /// The parts of an output: directly, or by mixing a column of which `before` are the values.
    fn column(
        &mut self,
        line: &Line,
        target: &Value,
        key: bool,
        before: &[(Value, Direction)],
    ) -> Option<Vec<usize>> {
        let mut best = self.parts(line, target, key);
        for (value, direction) in before {
            let Some((_, parts)) = self.parts(line, value, false) else { continue };
            let sum = match parts.as_slice() {
                [one] => *one,
                _ => self.push(value.clone(), Made::Sum(parts)),
            };
            let mut ways = vec![(value.mixed(&matrix(*direction)), Made::Mix(sum, *direction))];
            for form in 0..self.forms.len() {
                if let ([operand], false) = (self.free(form).as_slice(), self.wired(form)) {
                    let mut operands = vec![None; self.forms[form].2.inputs.len()];
                    operands[*operand] = Some(sum);
                    ways.extend(self.apply(form, &operands).map(|v| (v, Made::Custom(form, operands))));
                }
            }
            for (_, made) in ways.into_iter().filter(|(made, _)| made == target) {
                let node = self.push(target.clone(), made);
                let cost = self.joined(line, &[node], key);
                if best.as_ref().is_none_or(|(c, _)| cost < *c) {
                    best = Some((cost, vec![node]));
                }
            }
        }
        best.map(|(_, parts)| parts)
    }

    /// A node whose value may be known by another way, too.
    fn push(&mut self, value: Value, made: Made) -> usize {
        self.nodes.push(Node { value, made });
        self.nodes.len() - 1
    }

    /// The word of a node, with steps added where it is not there yet.
    fn make(&self, line: &mut Line, node: usize, accumulator: Option<Word>) -> Word {
        if let (Some(word), None) = (line.words.get(&node), accumulator) {
            return *word;
        }
        let word = match &self.nodes[node].made {
            Made::Input(k) => Word::Input(*k),
            Made::Sum(parts) => self.sum(line, parts, None),
            Made::Turn(n, by) => {
                let of = self.make(line, *n, None);
                line.step(Step::Turn(of, *by))
            }
            Made::Keep(n, mask) => {
                let of = self.make(line, *n, None);
                line.step(Step::Keep(of, *mask))
            }
            Made::Mix(n, direction) => {
                let of = self.make(line, *n, None);
                line.step(Step::Mix(of, *direction))
            }
            Made::Custom(number, operands) => {
                let (instruction, selectors, form) = &self.forms[*number];
                let made: Vec<Option<Word>> =
                    operands.iter().map(|o| o.map(|n| self.make(line, n, None))).collect();
                // What is not looked at may be any register.
                let any = made.iter().flatten().next().copied().unwrap_or(Word::Zero);
                let one = |(k, word): (usize, &Option<Word>)| match word {
                    Some(word) => *word,
                    None if Some(k) == form.accumulator() => accumulator.unwrap_or(Word::Zero),
                    None => any,
                };
                let words = made.iter().enumerate().map(one).collect();
                let selectors = selectors.clone();
                line.step(Step::Custom(Custom { instruction: *instruction, words, selectors }))
            }
        };
        if accumulator.is_none() {
            line.words.insert(node, word);
        }
        word
    }

    /// The sum of nodes, and of a key.
    fn sum(&self, line: &mut Line, parts: &[usize], key: Option<Word>) -> Word {
        let (adding, others): (Vec<usize>, Vec<usize>) = parts.iter().partition(|&&p| self.accumulates(p));
        let mut sum = key;
        for node in others {
            let word = self.make(line, node, None);
            sum = Some(sum.map_or(word, |before| line.step(Step::Xor(before, word))));
        }
        for node in adding {
            sum = Some(self.make(line, node, sum));
        }
        sum.unwrap_or(Word::Zero)
    }

    /// Why a goal is not covered: the first byte that nothing adds as it is wanted.
    fn missing(&self, goal: Goal, target: &Value) -> String {
        let covered =
            |k: usize| self.nodes.iter().any(|n| !n.value.byte(k).is_nothing() && n.value.is_part_of(target));
        let lacking = (0..target.bytes()).find(|&k| !target.byte(k).is_nothing() && !covered(k));
        let why = match lacking {
            Some(k) => {
                let term = target.byte(k);
                format!(
                    "no instruction, or two of them, adds {} of byte {} of word {} times {:?}",
                    match term.via {
                        crate::form::Via::Same => "the value",
                        crate::form::Via::Sbox => "the S-box",
                        crate::form::Via::InverseSbox => "the inverse S-box",
                    },
                    k % 4,
                    k / 4,
                    term.places
                )
            }
            None => "what its instructions add overlaps in every combination".into(),
        };
        format!("{} cannot compute {}: {why}", self.extension.name, goal.describe())
    }
}

/// A program being written, and where its nodes' words are.
#[derive(Default)]
struct Line {
    program: Program,
    words: HashMap<usize, Word>,
}

impl Line {
    fn step(&mut self, step: Step) -> Word {
        self.program.steps.push(step);
        Word::Step(self.program.steps.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Layout;
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

    #[test]
    fn smix_covers_a_round_with_sixteen_instructions() {
        let extension = Extension::parse(sets::find("smix3").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let round = cover(&extension, &isa, Goal::Round(Direction::Encrypt), &COSTS).expect("is covered");
        assert_eq!((round.steps.len(), round.customs()), (16, 16));
        let why = cover(&extension, &isa, Goal::Round(Direction::Decrypt), &COSTS).unwrap_err();
        assert!(why.contains("the inverse S-box of byte 0 of word 0"), "{why}");
    }
}
