//! Statements of heads, found by comparing the states in which a place is reached.

use crate::print;
use aesmith_check::certificate::{Evaluator, Head, Line};
use aesmith_check::check::{Run, State};
use aesmith_check::claim;
use aesmith_check::contract::Contract;
use aesmith_check::linear::Linear;
use aesmith_check::spec::Mode;
use aesmith_check::symbolic::{Bit, Place, Symbolic};
use aesmith_check::terms::{Atom, LaneId, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The variable for the number of blocks done.
const BLOCKS: &str = "p";
/// The variable for the carry out of the low half of the counter.
const CARRY: &str = "c";

/// Expressions that all give the same value, the preferred one first.
type Choices = Vec<String>;

/// A state in which a place is reached, as expressions: without variables, and with them for each rate at which a value
/// may change.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// The number of blocks done, and the carry of the counter.
    variables: [Variable; 2],
    general: Vec<Choices>,
    /// General registers that hold no secret.
    public: BTreeSet<u8>,
    lanes: BTreeMap<(u8, u8), Choices>,
    cells: BTreeMap<Place, Choices>,
    iv: Vec<Choices>,
    aligned: BTreeSet<(String, u64)>,
    facts: Choices,
    secret: BTreeSet<Place>,
    streams: bool,
    /// True if a flag may depend on a secret.
    flags: bool,
    /// Bounds of the bytes that are left.
    left: (Option<i128>, Option<i128>),
    /// The memory of the IV as the caller will see it, without variables.
    class: String,
    /// The number of blocks of the text, at a return.
    blocks: String,
    values: Values,
}

/// The value of a variable.
#[derive(Clone, Debug)]
struct Variable {
    /// The value in terms of the source's variables.
    text: String,
    /// The value, if it is a number.
    number: Option<i128>,
}

/// The variables as forms.
#[derive(Clone, Debug)]
struct Values {
    blocks: Linear,
    carry: Linear,
    /// The low half of the counter, if rounds are split: at the beginning of the path, at its end, and as the kernel has it,
    /// which may be ahead of the blocks done.
    counters: Option<[Linear; 3]>,
}

/// The largest bound of bytes that are left.
const FAR: i128 = 1 << 14;

impl Arrival {
    /// The state at the end of a path.
    pub(crate) fn new(run: &mut Run, state: &State, names: &[String]) -> Result<Arrival, String> {
        const LARGE: &str = "numbers are too large";
        let s = &mut run.symbolic;
        s.path = state.path.clone();
        let stored = s.stored().ok_or("output is stored with gaps at a place where paths meet")?;
        let done = s.path.done.checked(&Linear::number(stored), 1).ok_or(LARGE)?;
        let rest = s.length.checked(&done, -1).ok_or(LARGE)?;
        let partial = Linear::number(stored.rem_euclid(16));
        let blocks = done.checked(&partial, -1).and_then(|done| done.divided(16)).ok_or("half a block")?;
        let last = if partial.as_number() == Some(0) { blocks.clone() } else { blocks.offset(1) };
        let carry = self::carry(s, &blocks).unwrap_or_default();
        let counter = s.terms.word(Atom::Counter(0));
        let first = s.path.done.divided(16).filter(|_| s.splits);
        let counters = first.map(|first| {
            let last = counter.plus(&blocks);
            let is_ahead = |word: &&Linear| {
                word.minus(&last).as_number().is_some_and(|distance| (0..FAR).contains(&distance))
            };
            let ahead = state.registers.general.iter().find(is_ahead).unwrap_or(&last).clone();
            [counter.plus(&first), last, ahead]
        });
        let v = Values { blocks, carry, counters };
        let general = state.registers.general.iter().map(|word| words(s, word, &v)).collect();
        let is_public = |&register: &u8| !s.terms.is_secret(&state.registers.general[usize::from(register)]);
        let public = (0..16).filter(is_public).collect();
        let cells = s.path.cells.iter().map(|(&at, word)| (at, words(s, word, &v))).collect();
        let has_iv = s.contract.has_iv();
        let iv = s.path.iv.iter().filter(|_| has_iv).map(|word| words(s, word, &v)).collect();
        let class = s.path.iv.iter().map(|word| print::form(&s.terms, word, &no_variable));
        let class = if s.contract.mode == Mode::Ctr { class.collect() } else { Some(String::new()) };
        let mut lanes = BTreeMap::new();
        for (register, all) in state.registers.vectors.iter().enumerate() {
            for (number, &lane) in all.iter().enumerate() {
                let choices = self::lanes(s, lane, &v);
                if !choices.is_empty() {
                    lanes.insert((register as u8, number as u8), choices);
                }
            }
        }
        let mut aligned = BTreeSet::new();
        for (bit, value) in &s.path.decided {
            if let (Bit::Disjoint(word, mask), true) = (bit, value) {
                aligned.extend(words(s, word, &v).into_iter().map(|text| (text, *mask)));
            }
        }
        // Bounds of the length are found apart.
        let facts = s.path.facts.all().iter().flat_map(|fact| rates(s, fact, &v, &FACTS, false));
        let facts: Choices = facts.filter(|text| text.contains('.') || text.contains('(')).collect();
        let least = |bound: i128| s.is_at_most(&Linear::number(bound), &rest);
        let most = |bound: i128| s.is_at_most(&rest, &Linear::number(bound));
        let left = (bound(&|b| least(-b)).map(|b| -b), bound(&most));
        let named = |form: &Linear| {
            let terms = &s.terms;
            let name = |id| variable(terms, id, names);
            let text = print::form(terms, form, &name).ok_or("a number has no name")?;
            Ok::<_, String>(Variable { text, number: form.as_number() })
        };
        let variables = [named(&v.blocks)?, named(&v.carry)?];
        let mut last = named(&last)?.text;
        let (secret, streams) = (s.path.secret_cells.clone(), s.path.streams);
        // Facts that always hold are not needed.
        let known = core::mem::take(&mut s.path.facts);
        let mut evaluator = Evaluator { s, variables: &assigned(&v) };
        let facts = facts.into_iter().filter(|fact| {
            let form = evaluator.form(fact);
            form.is_ok_and(|form| !evaluator.s.is_natural(&form))
        });
        let facts = facts.collect();
        s.path.facts = known;
        // The next IV counts the blocks of the text by the length.
        const BY_LENGTH: &str = "shr(len + 15, 4)";
        if s.contract.mode == Mode::Ctr {
            let all = Evaluator { s, variables: &BTreeMap::new() }.form(BY_LENGTH).unwrap_or_default();
            let [low, high] = s.path.iv.clone();
            let iv = s.terms.words(&low, &high);
            let mut carries = claim::carries(s).into_iter();
            if carries.any(|carry| claim::chain_with(s, &all, &carry).is_ok_and(|chain| chain == iv)) {
                last = BY_LENGTH.into();
            }
        }
        Ok(Arrival {
            variables,
            general,
            public,
            lanes,
            cells,
            iv,
            aligned,
            facts,
            secret,
            streams,
            flags: state.registers.flags.is_secret,
            left,
            class: class.unwrap_or_default(),
            blocks: last,
            values: v,
        })
    }

    /// The number of blocks of the text.
    pub(crate) fn blocks(&self) -> String {
        self.blocks.clone()
    }

    /// States with different classes have statements of their own: whether the whole message overflows the low half of
    /// the counter, by the memory of the next IV.
    pub(crate) fn class(&self) -> String {
        if self.class.contains("counter.1 + 1") { "_carry".into() } else { String::new() }
    }
}

/// The values of the variables by their names.
fn assigned(values: &Values) -> BTreeMap<&'static str, Linear> {
    BTreeMap::from([(BLOCKS, values.blocks.clone()), (CARRY, values.carry.clone())])
}

/// The carry of the counter of a block, if the mode has one and facts tell.
fn carry(s: &mut Symbolic, blocks: &Linear) -> Option<Linear> {
    if s.contract.mode != Mode::Ctr {
        return None;
    }
    let sum = s.terms.word(Atom::Counter(0)).checked(blocks, 1)?;
    let next = s.path.carry.offset_checked(1)?;
    let all = [s.path.carry.clone(), next, Linear::default(), Linear::number(1)];
    all.into_iter().find(|carry| claim::is_carry(s, &sum, carry))
}

/// The name of a variable in a path's source.
fn variable(terms: &Terms, id: u32, names: &[String]) -> Option<String> {
    match terms.get_atom(id) {
        Atom::Variable(number) => names.get(*number as usize & 0xffff).cloned(),
        _ => None,
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

fn no_variable(_: u32) -> Option<String> {
    None
}

/// Rates at which registers change, of the blocks done.
const REGISTERS: [i128; 7] = [0, 16, -16, 1, -1, 32, -32];
/// Rates of inequalities that are kept.
const FACTS: [i128; 3] = [0, 1, -1];

/// Expressions for a word: without variables, and for each rate.
fn words(s: &Symbolic, word: &Linear, v: &Values) -> Choices {
    rates(s, word, v, &REGISTERS, true)
}

/// Expressions for a form, of the lowest rates first.
fn rates(s: &Symbolic, form: &Linear, v: &Values, rates: &[i128], is_word: bool) -> Choices {
    let carries = if s.contract.mode == Mode::Ctr { &[0, 1][..] } else { &[0] };
    let mut all = Vec::new();
    for is_inner in Inner::ALL {
        for &carry in carries {
            for &rate in rates {
                let text = text(s, form, v, ((rate, carry), is_inner), is_word);
                all.extend(text.filter(|text| !all.contains(text)));
            }
        }
    }
    all
}

/// How forms within functions and lanes change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    /// They do not.
    Fixed,
    /// With the blocks done.
    Blocks,
    /// And the carry.
    Both,
    /// With the blocks done, and the counter at the beginning of the path is that at the end: they differ in the lowest
    /// byte only.
    Lowest,
    /// And the carry.
    LowestBoth,
    /// With the blocks done, and counters are the one that the kernel has.
    Ahead,
    /// And the carry.
    AheadBoth,
    /// Without changes; counters are the one that the kernel has.
    AheadFixed,
}

impl Inner {
    const ALL: [Inner; 8] = [
        Inner::Fixed,
        Inner::Blocks,
        Inner::Both,
        Inner::Lowest,
        Inner::LowestBoth,
        Inner::Ahead,
        Inner::AheadBoth,
        Inner::AheadFixed,
    ];
}

/// The rates at which a form within a function changes with blocks and carry, as a guess from its atoms.
fn usual(s: &Symbolic, form: &Linear, inner: Inner, other: i128) -> (i128, i128) {
    let has = |half| form.terms.iter().any(|(id, _)| *s.terms.get_atom(*id) == Atom::Counter(half));
    match inner {
        Inner::Fixed | Inner::AheadFixed => (0, 0),
        _ if has(1) => (0, i128::from(matches!(inner, Inner::Both | Inner::LowestBoth | Inner::AheadBoth))),
        _ if has(0) => (1, 0),
        _ => (other, 0),
    }
}

/// The counter at the end of the path in place of another one.
fn lowest<'f>(v: &'f Values, form: &'f Linear, inner: Inner) -> &'f Linear {
    let Some([first, last, ahead]) = &v.counters else { return form };
    let is_counter = |distance: i128| (-FAR..FAR).contains(&distance);
    if !form.minus(first).as_number().is_some_and(is_counter) {
        return form;
    }
    match inner {
        Inner::Fixed | Inner::Blocks | Inner::Both => form,
        Inner::Lowest | Inner::LowestBoth => last,
        Inner::Ahead | Inner::AheadBoth | Inner::AheadFixed => ahead,
    }
}

/// An expression for a form that changes at these rates, of blocks and carry, and whose arguments of functions change
/// or not.
fn text(
    s: &Symbolic,
    form: &Linear,
    v: &Values,
    ((rate, carry), is_inner): ((i128, i128), Inner),
    is_word: bool,
) -> Option<String> {
    let rest = form.checked(&v.blocks, -rate)?.checked(&v.carry, -carry)?;
    let rest = if is_word { rest.word() } else { rest };
    let inner = |form: &Linear| {
        let form = lowest(v, form, is_inner);
        let rates = usual(s, form, is_inner, 0);
        text(s, form, v, (rates, is_inner), true)
    };
    let mut all = print::form_with(&s.terms, &rest, &no_variable, &inner)?;
    for (rate, name) in [(rate, BLOCKS), (carry, CARRY)] {
        let product = if rate.abs() == 1 { name.into() } else { format!("{}*{name}", rate.abs()) };
        all = match rate {
            0 => all,
            1.. if all == "0" => product,
            1.. => format!("{all} + {product}"),
            _ => format!("{all} - {product}"),
        };
    }
    Some(all)
}

/// Expressions for a lane: without variables, with block numbers relative to the blocks done, and with a chain value.
fn lanes(s: &mut Symbolic, lane: LaneId, v: &Values) -> Choices {
    let mut all = plain(s, lane, v);
    if s.contract.has_iv() {
        for ahead in [0, 1] {
            let Ok(chain) = claim::chain(s, &v.blocks.offset(ahead)) else { continue };
            let rest = s.terms.xor(lane, chain);
            let parts = |lane| s.terms.get_lane(lane).parts.len();
            if parts(rest) < parts(lane) {
                let name = format!("chain[{BLOCKS} + {ahead}]");
                all.extend(plain(s, rest, v).into_iter().map(|rest| format!("{name} ^ {rest}")));
            }
        }
    }
    all
}

/// Expressions for a lane without chain values.
fn plain(s: &Symbolic, lane: LaneId, v: &Values) -> Choices {
    let mut all = Vec::new();
    for inner in Inner::ALL {
        let renamed = |form: &Linear| {
            let form = lowest(v, form, inner);
            text(s, form, v, (usual(s, form, inner, 1), inner), false)
        };
        let text = print::lane(&s.terms, lane, &renamed);
        all.extend(text.filter(|text| !all.contains(text)));
    }
    all
}

/// A statement that is being found.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    state: Arrival,
    /// The variables, if they were the same whenever the place was reached.
    numbers: [Option<i128>; 2],
    /// The number of times that bounds changed.
    changes: usize,
    contract: Contract,
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
    pub(crate) fn new(state: Arrival, contract: Contract) -> Template {
        let numbers = [state.variables[0].number, state.variables[1].number];
        Template { numbers, state, changes: 0, contract }
    }

    /// Weakens the statement so that it holds in another state, which the run is in. True if it changes.
    pub(crate) fn join(&mut self, run: &mut Run, other: &Arrival) -> bool {
        let own = &mut self.state;
        let mut is_changed = false;
        for (number, variable) in self.numbers.iter_mut().zip(&other.variables) {
            if number.is_some() && *number != variable.number {
                *number = None;
                is_changed = true;
            }
        }
        let others = other.general.iter().chain(&other.iv);
        for (own, other) in own.general.iter_mut().chain(&mut own.iv).zip(others) {
            is_changed |= keep(own, other);
        }
        let none = Vec::new();
        for (place, choices) in &mut own.lanes {
            is_changed |= keep(choices, other.lanes.get(place).unwrap_or(&none));
        }
        for (place, choices) in &mut own.cells {
            is_changed |= keep(choices, other.cells.get(place).unwrap_or(&none));
        }
        let before = (own.aligned.len(), own.facts.len(), own.secret.len());
        let mut evaluator = Evaluator { s: &mut run.symbolic, variables: &assigned(&other.values) };
        own.facts.retain(|fact| {
            let form = evaluator.form(fact);
            form.is_ok_and(|form| evaluator.s.is_natural(&form))
        });
        own.aligned.retain(|(text, mask)| {
            let Ok(form) = evaluator.form(text) else { return false };
            let bit = evaluator.s.disjoint(&form.word(), *mask);
            bit == Bit::Known(true) || evaluator.s.path.decided.contains(&(bit, true))
        });
        own.secret.extend(&other.secret);
        let public = own.public.len();
        own.public.retain(|register| other.public.contains(register));
        is_changed |= public != own.public.len();
        is_changed |= before != (own.aligned.len(), own.facts.len(), own.secret.len());
        is_changed |= other.streams && !own.streams || other.flags && !own.flags;
        own.streams |= other.streams;
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

    /// The names of the variables.
    fn names(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let is_free = |&(at, _): &(usize, &str)| self.numbers[at].is_none();
        [BLOCKS, CARRY].into_iter().enumerate().filter(is_free)
    }

    /// The values of the variables for a path that ends in a state.
    pub(crate) fn values(&self, arrival: &Arrival) -> Vec<(String, String)> {
        self.names().map(|(at, name)| (name.to_string(), arrival.variables[at].text.clone())).collect()
    }

    /// The statement.
    pub(crate) fn head(&self, key: &(usize, String)) -> Head {
        let own = &self.state;
        // A variable with one value has no name.
        let is_usable = |text: &&String| {
            let fixed = [BLOCKS, CARRY].into_iter().enumerate().filter(|&(at, _)| self.numbers[at].is_some());
            fixed.into_iter().all(|(_, name)| !uses(text, name))
        };
        let chosen = |choices: &Choices| choices.iter().find(is_usable).cloned();
        let mut lines = Vec::new();
        let done = self.numbers[0].map_or_else(|| format!("16*{BLOCKS}"), |number| (16 * number).to_string());
        if let Some(least) = own.left.0 {
            lines.push(Line::Fact(format!("len - {done} - {least}").replace("- -", "+ ")));
        }
        if let Some(most) = own.left.1 {
            lines.push(Line::Fact(format!("{most} - len + {done}")));
        }
        lines.extend(own.facts.iter().filter(is_usable).map(|fact| Line::Fact(fact.clone())));
        lines.push(Line::Done(done));
        if self.contract.mode == Mode::Ctr {
            lines
                .push(Line::Carry(self.numbers[1].map_or_else(|| CARRY.into(), |number| number.to_string())));
        }
        let aligned = own.aligned.iter().filter(|(text, _)| is_usable(&text));
        lines.extend(aligned.map(|(text, mask)| Line::Disjoint(text.clone(), *mask)));
        for (register, choices) in own.general.iter().enumerate() {
            let unknown = (self.contract.wipes && own.public.contains(&(register as u8)))
                .then_some(Line::Public(register as u8));
            lines.extend(chosen(choices).map(|text| Line::General(register as u8, text)).or(unknown));
        }
        // Vectors at entry, and lanes that are zero, matter only where all have to be wiped.
        let chosen_lanes: BTreeMap<(u8, u8), String> =
            own.lanes.iter().filter_map(|(&place, choices)| Some((place, chosen(choices)?))).collect();
        let is_kept = |&register: &u8| {
            let is_old = |lane: u8| {
                chosen_lanes
                    .get(&(register, lane))
                    .is_some_and(|text| *text == format!("old.xmm{register}.{lane}"))
            };
            (0..4).all(is_old)
        };
        let kept: BTreeSet<u8> = (0..32).filter(is_kept).collect();
        for (&(register, lane), text) in &chosen_lanes {
            let lane_text = |lane| chosen_lanes.get(&(register, lane)).map(String::as_str);
            let texts = [lane_text(0), lane_text(1), lane_text(2), lane_text(3)];
            let common = match texts {
                [Some(a), Some(b), Some(c), Some(d)] if !a.starts_with("old.xmm") => {
                    print::common([a, b, c, d])
                }
                _ => None,
            };
            if let Some(common) = common {
                lines.extend((lane == 0).then_some(Line::Vectors(register, common)));
                continue;
            }
            let is_idle = text.starts_with("old.xmm")
                || lane > 0 && text.starts_with("#00000000000000000000000000000000");
            if !kept.contains(&register) && (self.contract.wipes || !is_idle) {
                lines.push(Line::Vector(register, lane, text.clone()));
            }
        }
        if self.contract.wipes {
            lines.extend(kept.into_iter().map(Line::Kept));
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
        if self.contract.wipes && !own.flags {
            lines.push(Line::PublicFlags);
        }
        let variables = self.names().map(|(_, name)| name.to_string()).collect();
        Head { name: crate::name(key), at: key.0, variables, lines, edges: Vec::new() }
    }
}

/// True if an expression contains a name.
fn uses(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.split(|c| !is_letter(c)).any(|word| word == name)
}
