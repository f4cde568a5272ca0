//! The search for summands: the results of one instruction on the words, those of a second on these, bytes masked out
//! of either, and the cheapest of them that add up to a value.

use std::collections::HashMap;

use aesmith_cipher::problem::Direction;

use super::{Costs, Formed};
use crate::file::Extension;
use crate::form::{Form, Via, matrix};
use crate::program::{Custom, Goal, Look, Program, Step, Word};
use crate::value::Value;

/// The maximum number of operand choices to try for the second instruction.
const PAIRS: usize = 400_000;

/// The way in which a word is computed.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum BuiltKernel {
    Input(usize),
    /// A form and its operands; `None` for the accumulator and for operands that it ignores.
    Custom(usize, Vec<Option<usize>>),
    Turn(usize, u8),
    Keep(usize, u8),
    Mix(usize, Direction),
    Look(usize, Look),
    /// The sum of several nodes.
    Sum(Vec<usize>),
}

struct Node {
    value: Value,
    made: BuiltKernel,
}

pub(super) struct Search<'a> {
    extension: &'a Extension,
    forms: &'a [Formed],
    costs: &'a Costs,
    words: usize,
    nodes: Vec<Node>,
    known: HashMap<Value, usize>,
    /// The table in which bytes of the words are looked up, if any.
    table: Option<Direction>,
}

impl<'a> Search<'a> {
    /// Starts a search over `words` input words, with or without look-ups in a table.
    pub(super) fn new(
        extension: &'a Extension,
        forms: &'a [Formed],
        costs: &'a Costs,
        words: usize,
        table: Option<Direction>,
    ) -> Self {
        Search { extension, forms, costs, words, nodes: Vec::new(), known: HashMap::new(), table }
    }

    /// Adds a node, or returns the node that has its value already, with the cheaper way to compute it.
    fn add(&mut self, value: Value, made: BuiltKernel) -> usize {
        let Some(&known) = self.known.get(&value) else {
            self.known.insert(value.clone(), self.nodes.len());
            return self.push(value, made);
        };
        if self.needs(&made, known) {
            return known;
        }
        let nothing = Line::default();
        let before = self.joined(&nothing, &[known], true);
        let old = std::mem::replace(&mut self.nodes[known].made, made);
        if self.joined(&nothing, &[known], true) >= before {
            self.nodes[known].made = old;
        }
        known
    }

    /// True if a word depends on a node, directly or not.
    fn needs(&self, made: &BuiltKernel, node: usize) -> bool {
        let one = |n: &usize| *n == node || self.needs(&self.nodes[*n].made, node);
        match made {
            BuiltKernel::Input(_) => false,
            BuiltKernel::Custom(_, operands) => operands.iter().flatten().any(one),
            BuiltKernel::Turn(n, _)
            | BuiltKernel::Keep(n, _)
            | BuiltKernel::Mix(n, _)
            | BuiltKernel::Look(n, _) => one(n),
            BuiltKernel::Sum(parts) => parts.iter().any(one),
        }
    }

    /// The value of a form applied to nodes.
    pub(super) fn apply(&self, form: usize, operands: &[Option<usize>]) -> Option<Value> {
        let operands: Vec<Option<&Value>> =
            operands.iter().map(|o| o.map(|node| &self.nodes[node].value)).collect();
        Value::of(self.words, &self.forms[form].2, &operands)
    }

    /// The operands that a form reads, without the accumulator.
    pub(super) fn free(&self, form: usize) -> Vec<usize> {
        let (number, _, form) = &self.forms[form];
        let named = self.extension.instructions[*number].reads.len();
        let seen = |&k: &usize| form.inputs[k].iter().any(|t| !t.is_nothing());
        (0..named).filter(|k| Some(*k) != form.accumulator()).filter(seen).collect()
    }

    /// True if a form reads the registers that its unit is wired to.
    pub(super) fn wired(&self, form: usize) -> bool {
        !self.extension.instructions[self.forms[form].0].fixed.is_empty()
    }

    /// Adds the words, and the results of one instruction on them.
    pub(super) fn first(&mut self) {
        for word in 0..self.words {
            let value = Value::word(self.words, word);
            self.add(value, BuiltKernel::Input(word));
        }
        if self.words == 1 {
            for turn in 1..4 {
                let value = self.nodes[0].value.turned(turn);
                self.add(value, BuiltKernel::Turn(0, turn));
            }
        }
        let pool: Vec<usize> = (0..self.nodes.len()).collect();
        for form in 0..self.forms.len() {
            self.each(form, &pool, &mut |_| true);
        }
        if let Some(direction) = self.table {
            for (word, from, to) in (0..self.words).flat_map(|w| (0..16).map(move |k| (w, k / 4, k % 4))) {
                let look = Look { from, to, direction };
                self.add(Value::looked(self.words, word, look), BuiltKernel::Look(word, look));
            }
        }
    }

    /// Adds a form with all choices of operands whose value `wanted` accepts.
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
                self.add(value, BuiltKernel::Custom(form, operands));
            }
            let Some(k) = choice.iter().position(|&c| c + 1 < pool.len()) else { return };
            choice[..k].fill(0);
            choice[k] += 1;
        }
    }

    /// Adds the results of a second instruction that are a part of a target.
    pub(super) fn second(&mut self, targets: &[Value]) {
        let pool: Vec<usize> = (0..self.nodes.len()).collect();
        for form in 0..self.forms.len() {
            let pairs = pool.len().checked_pow(self.free(form).len() as u32).unwrap_or(usize::MAX);
            if pairs <= PAIRS && !self.wired(form) {
                self.each(form, &pool, &mut |v| targets.iter().any(|t| v.is_part_of(t)));
            }
        }
    }

    /// Adds masked and rotated bytes of the nodes that are a part of a target.
    pub(super) fn cut(&mut self, targets: &[Value]) {
        for node in 0..self.nodes.len() {
            for turn in 0..4u8 {
                let value = self.nodes[node].value.turned(turn);
                let useful = |v: &Value| targets.iter().any(|t| v.is_part_of(t));
                let kept: Vec<(u8, Value)> = (1..15u8)
                    .map(|mask| (mask, value.kept(mask)))
                    .filter(|(_, v)| !v.is_nothing() && useful(v))
                    .collect();
                if turn > 0 && (!kept.is_empty() || useful(&value)) {
                    self.add(value, BuiltKernel::Turn(node, turn));
                }
                for (mask, value) in kept {
                    let of = self.known.get(&self.nodes[node].value.turned(turn)).copied().unwrap_or(node);
                    self.add(value, BuiltKernel::Keep(of, mask));
                }
            }
        }
    }

    /// The cost of nodes beyond the words that exist already, each counted once; an accumulator is filled later.
    fn cost(&self, line: &Line, nodes: &[usize], seen: &mut Vec<usize>) -> f64 {
        let mut cost = 0.0;
        for &node in nodes {
            if line.words.contains_key(&node) || seen.contains(&node) {
                continue;
            }
            seen.push(node);
            cost += match &self.nodes[node].made {
                BuiltKernel::Input(_) => 0.0,
                BuiltKernel::Custom(_, operands) => {
                    let operands: Vec<usize> = operands.iter().flatten().copied().collect();
                    1.0 + self.cost(line, &operands, seen)
                }
                BuiltKernel::Turn(n, _) => self.costs.turn + self.cost(line, &[*n], seen),
                BuiltKernel::Keep(n, _) => self.costs.keep + self.cost(line, &[*n], seen),
                BuiltKernel::Mix(n, direction) => self.costs.mixed(*direction) + self.cost(line, &[*n], seen),
                BuiltKernel::Look(n, look) => self.costs.looked(*look) + self.cost(line, &[*n], seen),
                BuiltKernel::Sum(parts) => self.added(line, parts, false, seen),
            };
        }
        cost
    }

    /// The cost of the sum of summands, with or without a key.
    pub(super) fn joined(&self, line: &Line, parts: &[usize], key: bool) -> f64 {
        self.added(line, parts, key, &mut Vec::new())
    }

    fn added(&self, line: &Line, parts: &[usize], key: bool, seen: &mut Vec<usize>) -> f64 {
        let xors = parts.iter().filter(|&&p| !self.accumulates(p)).count() as f64;
        let own = self.cost(line, parts, seen);
        // Without a key, the first of them needs no XOR.
        own + if key || xors == 0.0 { xors } else { xors - 1.0 }
    }

    fn accumulates(&self, node: usize) -> bool {
        match &self.nodes[node].made {
            BuiltKernel::Custom(form, _) => self.forms[*form].2.accumulator().is_some(),
            _ => false,
        }
    }

    /// The cheapest nodes whose sum is a value; each byte's contribution comes from one of them.
    pub(super) fn parts(&self, line: &Line, target: &Value, key: bool) -> Option<(f64, Vec<usize>)> {
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

    /// The summands of an output: directly, or by mixing a column whose values are `before`.
    pub(super) fn column(
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
                _ => self.push(value.clone(), BuiltKernel::Sum(parts)),
            };
            let mut ways = vec![(value.mixed(&matrix(*direction)), BuiltKernel::Mix(sum, *direction))];
            for form in 0..self.forms.len() {
                if let ([operand], false) = (self.free(form).as_slice(), self.wired(form)) {
                    let mut operands = vec![None; self.forms[form].2.inputs.len()];
                    operands[*operand] = Some(sum);
                    ways.extend(
                        self.apply(form, &operands).map(|v| (v, BuiltKernel::Custom(form, operands))),
                    );
                }
            }
            let linear = self.by_linear(line, sum, *direction);
            ways.extend(linear.into_iter().map(|made| (value.mixed(&matrix(*direction)), made)));
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

    /// Returns the node computed in this way, added if necessary.
    pub(super) fn new_node(&mut self, value: Value, made: BuiltKernel) -> usize {
        let same = |node: &Node| node.made == made;
        self.nodes.iter().position(same).unwrap_or_else(|| self.push(value, made))
    }

    /// The value of a node.
    pub(super) fn value(&self, node: usize) -> &Value {
        &self.nodes[node].value
    }

    /// The number of forms.
    pub(super) fn forms(&self) -> usize {
        self.forms.len()
    }

    /// The form with this number.
    pub(super) fn form(&self, form: usize) -> &Form {
        &self.forms[form].2
    }

    /// Adds a node, even if another node has its value.
    pub(super) fn push(&mut self, value: Value, made: BuiltKernel) -> usize {
        self.nodes.push(Node { value, made });
        self.nodes.len() - 1
    }

    /// Returns the word of a node; adds the missing steps to the program.
    fn make(&self, line: &mut Line, node: usize, accumulator: Option<Word>) -> Word {
        if let (Some(word), None) = (line.words.get(&node), accumulator) {
            return *word;
        }
        let word = match &self.nodes[node].made {
            BuiltKernel::Input(k) => Word::Input(*k),
            BuiltKernel::Sum(parts) => self.sum(line, parts, None),
            BuiltKernel::Turn(n, by) => {
                let of = self.make(line, *n, None);
                line.step(Step::Turn(of, *by))
            }
            BuiltKernel::Keep(n, mask) => {
                let of = self.make(line, *n, None);
                line.step(Step::Keep(of, *mask))
            }
            BuiltKernel::Mix(n, direction) => {
                let of = self.make(line, *n, None);
                line.step(Step::Mix(of, *direction))
            }
            BuiltKernel::Look(n, look) => {
                let of = self.make(line, *n, None);
                line.step(Step::Look(of, *look))
            }
            BuiltKernel::Custom(number, operands) => {
                let (instruction, selectors, form) = &self.forms[*number];
                let made: Vec<Option<Word>> =
                    operands.iter().map(|o| o.map(|n| self.make(line, n, None))).collect();
                // Any register can stand for an ignored operand.
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

    /// Adds the sum of nodes, and of a key if one is given.
    pub(super) fn sum(&self, line: &mut Line, parts: &[usize], key: Option<Word>) -> Word {
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

    /// The reason why a goal is not covered: the first byte whose contribution nothing computes.
    pub(super) fn missing(&self, goal: Goal, target: &Value) -> String {
        let covered =
            |k: usize| self.nodes.iter().any(|n| !n.value.byte(k).is_nothing() && n.value.is_part_of(target));
        let lacking = (0..target.bytes()).find(|&k| !target.byte(k).is_nothing() && !covered(k));
        let why = match lacking {
            Some(k) => {
                let term = target.byte(k);
                format!(
                    "no instruction, or two of them, adds {} of byte {} of word {} times {:?}",
                    match term.via {
                        Via::Same => "the value",
                        Via::Sbox => "the S-box",
                        Via::InverseSbox => "the inverse S-box",
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

/// A program under construction, with the words of its nodes.
#[derive(Default)]
pub(super) struct Line {
    pub program: Program,
    words: HashMap<usize, Word>,
}

impl Line {
    fn step(&mut self, step: Step) -> Word {
        self.program.steps.push(step);
        Word::Step(self.program.steps.len() - 1)
    }
}
