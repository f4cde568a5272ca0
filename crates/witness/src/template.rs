//! Statements of heads, found by comparing the states in which a place is reached.

use crate::print;
use aesmith_check::certificate::{Head, Line};
use aesmith_check::check::{Run, State};
use aesmith_check::claim;
use aesmith_check::linear::Linear;
use aesmith_check::spec::Mode;
use aesmith_check::symbolic::{Bit, Symbolic};
use aesmith_check::terms::LaneId;
use std::collections::{BTreeMap, BTreeSet};

/// The variable of all statements: the number of blocks done.
const BLOCKS: &str = "p";

/// Expressions that all give the same value, the preferred one first.
type Choices = Vec<String>;

/// A state in which a place is reached, as expressions: without the variable, and with it for each rate at which a
/// value may change.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// The number of blocks done, in terms of the source's variable.
    done: String,
    /// The same, if it is a number.
    number: Option<i128>,
    general: Vec<Choices>,
    lanes: BTreeMap<(u8, u8), Choices>,
    cells: BTreeMap<i128, Choices>,
    iv: Vec<Choices>,
    aligned: BTreeMap<(String, u64), ()>,
    secret: BTreeSet<i128>,
    streams: bool,
    /// True if a flag may depend on a secret.
    flags: bool,
    /// Bounds of the bytes that are left.
    left: (Option<i128>, Option<i128>),
}

/// The largest bound of bytes that are left.
const FAR: i128 = 1 << 14;

impl Arrival {
    /// The state at the end of a path.
    pub(crate) fn new(run: &mut Run, state: &State) -> Result<Arrival, String> {
        let s = &mut run.symbolic;
        s.path = state.path.clone();
        let stored = s.path.stored.len() as i128 * 16;
        if !(0..stored).step_by(16).eq(s.path.stored.iter().copied()) {
            return Err("output is stored with gaps at a place where paths meet".into());
        }
        let done = s.path.done.checked(&Linear::number(stored), 1).ok_or("numbers are too large")?;
        let blocks = done.divided(16).ok_or("half a block is done")?;
        let general = state.registers.general.iter().map(|word| words(s, word, &blocks)).collect();
        let cells = s.path.cells.clone();
        let cells = cells.iter().map(|(&at, word)| (at, words(s, word, &blocks))).collect();
        let iv = s.path.iv.clone();
        let has_iv = s.contract.mode != Mode::Ecb;
        let iv = iv.iter().filter(|_| has_iv).map(|word| words(s, word, &blocks)).collect();
        let mut lanes = BTreeMap::new();
        for (register, all) in state.registers.vectors.iter().enumerate() {
            for (number, &lane) in all.iter().enumerate() {
                let choices = self::lanes(s, lane, &blocks);
                if !choices.is_empty() {
                    lanes.insert((register as u8, number as u8), choices);
                }
            }
        }
        let mut aligned = BTreeMap::new();
        for (bit, value) in &s.path.decided {
            if let (Bit::Disjoint(word, mask), true) = (bit, value) {
                aligned.extend(words(s, word, &blocks).into_iter().map(|text| ((text, *mask), ())));
            }
        }
        let rest = s.length.checked(&done, -1).ok_or("numbers are too large")?;
        let least = |bound: i128| s.is_at_most(&Linear::number(bound), &rest);
        let most = |bound: i128| s.is_at_most(&rest, &Linear::number(bound));
        let left = (bound(&|b| least(-b)).map(|b| -b), bound(&most));
        Ok(Arrival {
            done: print::form(&s.terms, &blocks, &source).ok_or("a number has no name")?,
            number: blocks.as_number(),
            general,
            lanes,
            cells,
            iv,
            aligned,
            secret: s.path.secret_cells.clone(),
            streams: s.path.streams,
            flags: state.registers.flags.is_secret,
            left,
        })
    }

    /// The number of blocks done.
    pub(crate) fn blocks(&self) -> String {
        self.done.clone()
    }
}

/// The least bound that holds, if one does.
fn bound(holds: &dyn Fn(i128) -> bool) -> Option<i128> {
    let (mut low, mut high) = (-FAR, FAR);
    if !holds(high) {
        return None;
    }
    while low < high {
        let middle = (low + high).div_euclid(2);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

/// The name of the variable in a path's source.
fn source(_: u32) -> Option<String> {
    Some(BLOCKS.into())
}

fn no_variable(_: u32) -> Option<String> {
    None
}

/// Expressions for a form: without the variable, and for each rate.
fn words(s: &Symbolic, word: &Linear, blocks: &Linear) -> Choices {
    rates(s, word, blocks, &[0, 16, -16, 1, -1, 32, -32])
}

fn rates(s: &Symbolic, word: &Linear, blocks: &Linear, rates: &[i128]) -> Choices {
    let mut all = Vec::new();
    for &rate in rates {
        let Some(rest) = word.checked(blocks, -rate) else { continue };
        let Some(rest) = print::form(&s.terms, &rest.word(), &no_variable) else { continue };
        let product = if rate.abs() == 1 { BLOCKS.into() } else { format!("{}*{BLOCKS}", rate.abs()) };
        all.push(match (rate, rest.as_str()) {
            (0, _) => rest,
            (1.., "0") => product,
            (1.., _) => format!("{rest} + {product}"),
            _ => format!("{rest} - {product}"),
        });
    }
    all
}

/// Expressions for a lane: without the variable, with block numbers relative to the blocks done, and as a chain value.
fn lanes(s: &mut Symbolic, lane: LaneId, blocks: &Linear) -> Choices {
    let mut all = Vec::new();
    for rate in [0, 1] {
        let renamed = |form: &Linear| rates(s, form, blocks, &[rate]).pop();
        all.extend(print::lane(&s.terms, lane, &renamed));
    }
    if s.contract.mode != Mode::Ecb && claim::chain(s, blocks).is_ok_and(|chain| chain == lane) {
        all.push(format!("chain[{BLOCKS}]"));
    }
    all
}

/// A statement that is being found.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    state: Arrival,
    /// The number of blocks done, if it was the same whenever the place was reached.
    number: Option<i128>,
    /// The number of times that bounds changed.
    changes: usize,
    /// True if the contract wants secrets to be wiped.
    wipes: bool,
}

/// The number of changes after which a bound is given up.
const PATIENCE: usize = 6;

/// Keeps the choices that are also in others. True if some are not.
fn keep(own: &mut Choices, others: &Choices) -> bool {
    let before = own.len();
    own.retain(|choice| others.contains(choice));
    own.len() != before
}

impl Template {
    /// The statement of a state.
    pub(crate) fn new(state: Arrival, wipes: bool) -> Template {
        Template { number: state.number, state, changes: 0, wipes }
    }

    /// Weakens the statement so that it holds in another state. True if it changes.
    pub(crate) fn join(&mut self, other: &Arrival) -> bool {
        let own = &mut self.state;
        let mut is_changed = false;
        if self.number.is_some() && self.number != other.number {
            self.number = None;
            is_changed = true;
        }
        for (own, other) in own.general.iter_mut().chain(&mut own.iv).zip(other.general.iter().chain(&other.iv)) {
            is_changed |= keep(own, other);
        }
        let none = Vec::new();
        for (place, choices) in &mut own.lanes {
            is_changed |= keep(choices, other.lanes.get(place).unwrap_or(&none));
        }
        for (place, choices) in &mut own.cells {
            is_changed |= keep(choices, other.cells.get(place).unwrap_or(&none));
        }
        let before = own.aligned.len();
        own.aligned.retain(|place, ()| other.aligned.contains_key(place));
        is_changed |= own.aligned.len() != before;
        let before = own.secret.len();
        own.secret.extend(&other.secret);
        is_changed |= own.secret.len() != before;
        is_changed |= other.streams && !own.streams;
        own.streams |= other.streams;
        is_changed |= other.flags && !own.flags;
        own.flags |= other.flags;
        let least = own.left.0.zip(other.left.0).map(|(a, b)| a.min(b));
        let most = own.left.1.zip(other.left.1).map(|(a, b)| a.max(b));
        if (least, most) != own.left {
            is_changed = true;
            self.changes += 1;
            let is_given_up = self.changes > PATIENCE;
            let kept = |new, old| if is_given_up && new != old { None } else { new };
            own.left = (kept(least, own.left.0), kept(most, own.left.1));
        }
        is_changed
    }

    /// The values of the variables for a path that ends in a state.
    pub(crate) fn values(&self, arrival: &Arrival) -> Vec<(String, String)> {
        match self.number {
            Some(_) => Vec::new(),
            None => vec![(BLOCKS.into(), arrival.done.clone())],
        }
    }

    /// The statement.
    pub(crate) fn head(&self, at: usize) -> Head {
        let own = &self.state;
        // Without the variable its expressions have no value.
        let is_usable = |choice: &&String| self.number.is_none() || !uses_variable(choice);
        let chosen = |choices: &Choices| choices.iter().find(is_usable).cloned();
        // Vectors at entry matter only where all have to be wiped.
        let is_needed = |text: &String| self.wipes || !text.starts_with("old.xmm");
        let mut lines = Vec::new();
        let done = self.number.map_or_else(|| format!("16*{BLOCKS}"), |number| (16 * number).to_string());
        if let Some(least) = own.left.0 {
            lines.push(Line::Fact(format!("len - {done} - {least}").replace("- -", "+ ")));
        }
        if let Some(most) = own.left.1 {
            lines.push(Line::Fact(format!("{most} - len + {done}")));
        }
        lines.push(Line::Done(done));
        for (text, mask) in own.aligned.keys() {
            if is_usable(&text) {
                lines.push(Line::Disjoint(text.clone(), *mask));
            }
        }
        for (register, choices) in own.general.iter().enumerate() {
            lines.extend(chosen(choices).map(|text| Line::General(register as u8, text)));
        }
        for (&(register, lane), choices) in &own.lanes {
            let value = chosen(choices).filter(is_needed);
            lines.extend(value.map(|text| Line::Vector(register, lane, text)));
        }
        for (&at, choices) in &own.cells {
            lines.extend(chosen(choices).map(|text| Line::Cell(at, text)));
        }
        for (half, choices) in own.iv.iter().enumerate() {
            lines.extend(chosen(choices).map(|text| Line::Iv(half as u8, text)));
        }
        lines.extend(own.secret.iter().map(|&at| Line::SecretCell(at)));
        if own.streams {
            lines.push(Line::Streams);
        }
        if self.wipes && !own.flags {
            lines.push(Line::PublicFlags);
        }
        let variables = if self.number.is_none() { vec![BLOCKS.to_string()] } else { Vec::new() };
        Head { name: crate::name(at), at, variables, lines, edges: Vec::new() }
    }
}

/// True if an expression contains the variable.
fn uses_variable(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.split(|c| !is_letter(c)).any(|word| word == BLOCKS)
}
