//! Statements of heads, found by comparing the states in which a place is reached.

use crate::{gcm, print, states, tables};
use aesmith_check::certificate::{Evaluator, Head, Line};
use aesmith_check::check::{Run, State};
use aesmith_check::claim;
use aesmith_check::contract::Contract;
use aesmith_check::field::matrices::REVERSED_BLOCK;
use aesmith_check::linear::{Facts, Linear};
use aesmith_check::spec::Mode;
use aesmith_check::symbolic::{Bit, Place, Stop, Symbolic};
use aesmith_check::terms::{Atom, LaneId, Part, Region, STREAM, Terms, ZERO, stream_of};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// The variable for the number of blocks done.
const BLOCKS: &str = "p";
/// The variable for the carry out of the low half of the counter; with several streams, for the bytes that are left of the
/// shortest.
const CARRY: &str = "c";
/// The variables for the number of blocks done of each of several streams. `BLOCKS` is then their common position.
const OWN: [&str; 32] = [
    "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15",
    "p16", "p17", "p18", "p19", "p20", "p21", "p22", "p23", "p24", "p25", "p26", "p27", "p28", "p29", "p30",
    "p31",
];

/// The register in which kernels for several streams have their common position, r9, and that of the number of the stream
/// that is processed alone, r11.
const POSITION: usize = 9;
const ALONE: usize = 11;

/// All variables.
fn all_names() -> impl Iterator<Item = &'static str> {
    [BLOCKS, CARRY].into_iter().chain(OWN)
}

/// Expressions that all give the same value, the preferred one first.
type Choices = Vec<String>;

/// A state in which a place is reached, as expressions: without variables, and with them for each rate at which a value
/// may change.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// The values of the variables, in order of their names.
    variables: Vec<Variable>,
    places: Places,
    /// General registers that hold no secret.
    public: BTreeSet<u8>,
    /// The bytes that are done of each stream.
    done: Vec<Choices>,
    aligned: BTreeSet<(String, u64)>,
    facts: Choices,
    /// The inequalities that are known.
    known: Facts,
    secret: BTreeSet<Place>,
    /// The place of a table on the stack.
    table: Option<Place>,
    /// Opmasks that may hold a secret.
    masks: BTreeSet<u8>,
    streams: bool,
    /// True if a flag may depend on a secret.
    flags: bool,
    /// Bounds of the bytes that are left of each stream, and of the second variable of several streams.
    left: Vec<(Option<i128>, Option<i128>)>,
    /// Distances of registers behind the bytes that are left: a kernel that is ahead of its output compares these.
    ahead: BTreeSet<i128>,
    /// Streams of which at least as many bytes are left as the second variable says.
    longer: BTreeSet<usize>,
    /// The memory of the IV as the caller will see it, without variables.
    class: String,
    /// The number of blocks of the text, at a return.
    blocks: String,
    /// In GCM, the number of blocks that GHASH has absorbed.
    hashed: Choices,
    values: Values,
}

/// Expressions for what registers and memory hold.
#[derive(Clone, Debug)]
struct Places {
    general: Vec<Choices>,
    lanes: BTreeMap<(u8, u8), Choices>,
    cells: BTreeMap<Place, Choices>,
    /// The halves of the IVs of all streams.
    iv: Vec<Choices>,
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
    /// The number of blocks done of each of several streams.
    own: Vec<Linear>,
    /// Chain values with their names.
    chains: Vec<(LaneId, String)>,
    /// The low half of the counter, if rounds are split: at the beginning of the path, at its end, and as the kernel has it,
    /// which may be ahead of the blocks done.
    counters: Option<[Linear; 3]>,
}

impl Values {
    /// True if a known number of blocks is done. Then expressions that move with the blocks are preferred.
    fn is_later(&self) -> bool {
        self.blocks.as_number().is_some_and(|number| number != 0)
    }
}

/// The most blocks by which a tweak in a register is ahead.
const FARTHEST_TWEAK: usize = 255;

/// The largest bound of bytes that are left.
const FAR: i128 = 1 << 14;

impl Arrival {
    /// The state at the end of a path. `known` gives the statement that is being found for a class of states there: only its
    /// expressions are of interest then.
    pub(crate) fn new<'t>(
        run: &mut Run,
        state: &State,
        names: &[String],
        known: impl FnOnce(String) -> Option<&'t Template>,
    ) -> Result<Arrival, String> {
        const LARGE: &str = "numbers are too large";
        let s = &mut run.symbolic;
        s.path = state.path.clone();
        let (mut rests, mut own, mut partial) = (Vec::new(), Vec::new(), 0);
        for stream in 0..s.path.texts.len() {
            let stored = s.stored(stream).ok_or("output is stored with gaps at a place where paths meet")?;
            let (_, done) = stream_of(&s.path.texts[stream].done, 16);
            let done = done.checked(&Linear::number(stored), 1).ok_or(LARGE)?;
            rests.push(s.lengths[stream].checked(&done, -1).ok_or(LARGE)?);
            partial = stored.rem_euclid(16);
            let whole = done.offset_checked(-partial).and_then(|done| done.divided(16));
            own.push(whole.ok_or("half a block")?);
        }
        let has_streams = own.len() > 1;
        let (blocks, carry) = if has_streams {
            (position(s, state), shortest(s, state, names, &rests))
        } else {
            (own[0].clone(), self::carry(s, &own[0]).unwrap_or_default())
        };
        let last = if partial == 0 { own[0].clone() } else { own[0].offset(1) };
        let counter = s.terms.word(s.counting());
        let first = s.path.texts[0].done.divided(16).filter(|_| s.splits > 0);
        let counters = first.map(|first| {
            let last = counter.plus(&blocks);
            let is_ahead = |word: &&Linear| {
                word.minus(&last).as_number().is_some_and(|distance| (0..FAR).contains(&distance))
            };
            let ahead = state.registers.general.iter().find(is_ahead).unwrap_or(&last).clone();
            [counter.plus(&first), last, ahead]
        });
        s.path.table = tables::found(s);
        let table = s.path.table.as_ref().map(|table| table.at);
        let done =
            own.iter().enumerate().map(|(stream, own)| done(stream, own, &blocks, has_streams)).collect();
        let mut chains = chains(s, &own, &blocks);
        chains.extend(s.path.table.as_ref().map(|table| (table.rest, tables::REST.to_string())));
        let own = if has_streams { own } else { Vec::new() };
        let v = Values { blocks, carry, own, chains, counters };
        let is_public = |&register: &u8| !s.terms.is_secret(&state.registers.general[usize::from(register)]);
        let public = (0..16).filter(is_public).collect();
        if s.contract.mode == Mode::Xts {
            // The matrices of all tweaks that may be in registers.
            s.terms.doubling(FARTHEST_TWEAK);
        }
        let ivs: Vec<Linear> = s.path.texts.iter().flat_map(|text| text.iv.clone()).collect();
        let class = match s.contract.mode {
            Mode::Ctr => ivs.iter().map(|word| print::form(&s.terms, word, &no_variable)).collect(),
            // Short messages have no table.
            Mode::Gcm { .. } => table.map(|_| "_table".into()),
            // The number of the stream that is processed alone.
            _ if has_streams => state.registers.general[ALONE].as_number().map(|number| format!("_{number}")),
            _ => None,
        };
        let class: String = class.unwrap_or_default();
        let places = match known(class_of(&class)) {
            Some(template) => Places::known(s, state, &ivs, &v, &template.state.places),
            None => Places::new(s, state, &ivs, &v),
        };
        let mut aligned = BTreeSet::new();
        for (bit, value) in &s.path.decided {
            if let (Bit::Disjoint(word, mask), true) = (bit, value) {
                aligned.extend(words(s, word, &v).into_iter().map(|text| (text, *mask)));
            }
        }
        // Bounds of the length are found apart.
        // A byte that is at most a number was compared: it is below, or equal.
        let weaker = |fact: &Linear| if s.contract.mode.is_gcm() { fact.offset_checked(1) } else { None };
        let facts = s.path.facts.all().iter().flat_map(|fact| [Some(fact.clone()), weaker(fact)]);
        let facts = facts.flatten().flat_map(|fact| match counted(s, &fact) {
            // The byte of a counter and its quotient move together.
            Some(sign) => {
                let moving = Rates { blocks: sign, carry: 0, own: None, inner: Inner::Blocks };
                let fixed = Rates { blocks: 0, inner: Inner::Fixed, ..moving };
                [fixed, moving].into_iter().filter_map(|rates| text(s, &fact, &v, rates, false)).collect()
            }
            None => rates(s, &fact, &v, &FACTS, false),
        });
        let facts: Choices = facts.filter(|text| text.contains('.') || text.contains('(')).collect();
        let left = rests.iter().chain(has_streams.then_some(&v.carry)).map(|rest| {
            let least = |bound: i128| s.is_at_most(&Linear::number(bound), rest);
            let most = |bound: i128| s.is_at_most(rest, &Linear::number(bound));
            (bound(&|b| least(-b)).map(|b| -b), bound(&most))
        });
        let left = left.collect();
        let behind =
            |word: &Linear| rests.iter().map(|rest| rest.minus(word).as_number()).collect::<Vec<_>>();
        let ahead = state.registers.general.iter().flat_map(behind).flatten();
        let ahead = ahead.filter(|distance| (0..FAR).contains(distance)).chain([0]).collect();
        let longer = (0..rests.len()).filter(|&n| has_streams && s.is_at_most(&v.carry, &rests[n])).collect();
        let named = |s: &Symbolic, form: &Linear| {
            let name = |id| variable(&s.terms, id, names);
            let text = print::form(&s.terms, form, &name).ok_or("a number has no name")?;
            Ok::<_, String>(Variable { text, number: form.as_number() })
        };
        let all = [&v.blocks, &v.carry].into_iter().chain(&v.own);
        let variables = all.map(|form| named(s, form)).collect::<Result<Vec<_>, _>>()?;
        let mut last = named(s, &last)?.text;
        if has_streams {
            last = variables[2..].iter().map(|own| own.text.clone()).collect::<Vec<_>>().join("; ");
        }
        let (secret, streams) = (s.path.secret_cells.clone(), s.path.streams);
        let holds_secret = |&mask: &u8| {
            state.registers.signs[usize::from(mask)].iter().any(|&lane| s.terms.is_secret_lane(lane))
        };
        let masks = (0..8).filter(|mask| s.contract.wipes && holds_secret(mask)).collect();
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
            let [low, high] = [0, 1].map(|half| s.path.texts[0].iv[half].clone());
            let iv = s.terms.words(&low, &high);
            let mut carries = claim::carries(s).into_iter();
            if carries.any(|carry| claim::chain_with(s, &all, &carry).is_ok_and(|chain| chain == iv)) {
                last = BY_LENGTH.into();
            }
        }
        if s.contract.mode.is_gcm() {
            let blocks = gcm::counted(s).and_then(|blocks| named(s, &blocks).ok());
            last = blocks.map_or(last, |blocks| blocks.text);
        }
        let hashed =
            gcm::absorbed(s, state).map_or(Vec::new(), |hashed| rates(s, &hashed, &v, &[1, 0], false));
        Ok(Arrival {
            variables,
            hashed,
            places,
            public,
            done,
            aligned,
            facts,
            known: state.path.facts.clone(),
            secret,
            table,
            masks,
            streams,
            flags: state.registers.flags.is_secret,
            left,
            ahead,
            longer,
            class,
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
        class_of(&self.class)
    }
}

/// The class of a state, from the expressions for its IV.
fn class_of(iv: &str) -> String {
    match () {
        () if iv.contains("counter.1 + 1") => "_carry".into(),
        () if iv.starts_with('_') => iv.into(),
        () => String::new(),
    }
}

impl Places {
    /// All expressions for a state.
    fn new(s: &mut Symbolic, state: &State, ivs: &[Linear], v: &Values) -> Places {
        let mut own_word = |word: &Linear| {
            let word = s.word_again(word);
            registers(s, &word, v)
        };
        let general = state.registers.general.iter().map(&mut own_word).collect();
        let cells = cells(s).into_iter().map(|(at, word)| (at, registers(s, &word, v))).collect();
        let has_iv = s.contract.has_iv();
        let iv = ivs.iter().filter(|_| has_iv).map(|word| iv_words(s, word, v)).collect();
        let (mut lanes, mut found) = (BTreeMap::new(), BTreeMap::new());
        for (register, all) in state.registers.vectors.iter().enumerate() {
            for (number, &lane) in all.iter().enumerate() {
                let lane = s.again(lane);
                // A round key is in all lanes of its register.
                let choices = found.entry(lane).or_insert_with(|| {
                    let mut choices = self::lanes(s, lane, v);
                    choices.retain(|text| is_right(s, text, v, |e, text| Ok(e.lane(text)? == lane)));
                    choices
                });
                if !choices.is_empty() {
                    lanes.insert((register as u8, number as u8), choices.clone());
                }
            }
        }
        Places { general, lanes, cells, iv }
    }

    /// The expressions of a statement that are right for a state: this takes a small part of the time that all expressions
    /// take.
    fn known(s: &mut Symbolic, state: &State, ivs: &[Linear], v: &Values, all: &Places) -> Places {
        let facts = s.path.facts.clone();
        let variables = assigned(v);
        let right_word = |s: &mut Symbolic, choices: &Choices, word: &Linear| -> Choices {
            let mut evaluator = Evaluator { s, variables: &variables };
            let is_right = |text: &&String| evaluator.form(text).is_ok_and(|form| form.into_word() == *word);
            choices.iter().filter(is_right).cloned().collect()
        };
        let general = all.general.iter().zip(&state.registers.general).map(|(choices, word)| {
            let word = s.word_again(word);
            right_word(s, choices, &word)
        });
        let general = general.collect();
        let mut own = Places { general, lanes: BTreeMap::new(), cells: BTreeMap::new(), iv: Vec::new() };
        for (at, word) in cells(s) {
            let choices = all.cells.get(&at).map(|choices| right_word(s, choices, &word));
            own.cells.insert(at, choices.unwrap_or_default());
        }
        own.iv = all.iv.iter().zip(ivs).map(|(choices, word)| right_word(s, choices, word)).collect();
        for (&(register, number), choices) in &all.lanes {
            let lane = s.again(state.registers.vectors[usize::from(register)][usize::from(number)]);
            let mut evaluator = Evaluator { s, variables: &variables };
            let is_right = |text: &&String| evaluator.lane(text).is_ok_and(|found| found == lane);
            own.lanes.insert((register, number), choices.iter().filter(is_right).cloned().collect());
        }
        s.path.facts = facts;
        own
    }
}

/// The words of the stack apart from a table there.
fn cells(s: &Symbolic) -> Vec<(Place, Linear)> {
    let is_apart = |at: Place| s.path.table.as_ref().is_none_or(|table| !table.has(at));
    s.path.cells.iter().filter(|(at, _)| is_apart(**at)).map(|(&at, word)| (at, word.clone())).collect()
}

/// The values of the variables by their names.
fn assigned(values: &Values) -> BTreeMap<&'static str, Linear> {
    all_names().zip([&values.blocks, &values.carry].into_iter().chain(&values.own).cloned()).collect()
}

/// Expressions for the bytes of a stream that are done.
fn done(stream: usize, own: &Linear, position: &Linear, has_streams: bool) -> Choices {
    let number = (own.as_number() == Some(0)).then(|| "0".to_string());
    let common = (own == position).then(|| format!("16*{BLOCKS}"));
    let own = has_streams.then(|| format!("16*{}", OWN[stream]));
    number.into_iter().chain(common).chain(own).collect()
}

/// The common position of several streams in blocks, in the register in which kernels have it.
fn position(s: &Symbolic, state: &State) -> Linear {
    let position = state.registers.general[POSITION].divided(16);
    position.filter(|position| s.is_natural(position) && !s.terms.is_secret(position)).unwrap_or_default()
}

/// The number of bytes left of the shortest of several streams: a register that is at most what is left of one.
fn shortest(s: &Symbolic, state: &State, names: &[String], rests: &[Linear]) -> Linear {
    let is_length = |id: u32| match s.terms.get_atom(id) {
        Atom::Length | Atom::OtherLength(_) => true,
        _ => variable(&s.terms, id, names).is_some_and(|name| name == CARRY),
    };
    let is_shortest = |word: &&Linear| {
        word.terms.iter().any(|term| is_length(term.0))
            && s.is_natural(word)
            && rests.iter().any(|rest| s.is_at_most(word, rest))
    };
    state.registers.general[10..].iter().find(is_shortest).cloned().unwrap_or_default()
}

/// Chain values at the blocks done, with their names.
fn chains(s: &mut Symbolic, own: &[Linear], position: &Linear) -> Vec<(LaneId, String)> {
    let (mut all, has_iv) = (Vec::new(), s.contract.has_iv());
    for (stream, blocks) in own.iter().enumerate().filter(|_| has_iv) {
        for ahead in [0, 1] {
            let block = blocks.offset_checked(stream as i128 * STREAM + ahead).unwrap_or_default();
            let Ok(chain) = claim::chain(s, &block) else { continue };
            let variables = [(blocks == position).then_some(BLOCKS), (own.len() > 1).then(|| OWN[stream])];
            for name in variables.into_iter().flatten() {
                all.push((chain, format!("chain{}[{name} + {ahead}]", print::further(stream))));
            }
        }
    }
    all
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
    let carries = if s.contract.mode == Mode::Ctr || !v.own.is_empty() { &[0, 1][..] } else { &[0] };
    // Stored values and those of the caller do not change with the blocks.
    let is_still = |&(id, _): &(u32, i128)| {
        matches!(s.terms.get_atom(id), Atom::Half(_) | Atom::Entry(_) | Atom::Unknown(_) | Atom::Swapped(_))
    };
    let is_fixed = !form.terms.is_empty() && form.terms.iter().all(is_still);
    // The upper half of the counter changes with the carry alone.
    let is_upper = form.terms.iter().any(|(id, _)| *s.terms.get_atom(*id) == Atom::Counter(1));
    let (carries, rates) = match (is_fixed, is_upper) {
        (true, _) => (&[0][..], &[0][..]),
        (_, true) => (carries, &[0][..]),
        _ => (carries, rates),
    };
    let (mut all, mut first) = (Vec::new(), 0);
    let usual = if is_word { usual(s, form, v) } else { None };
    // The place in a table of 256 blocks moves with the counter.
    let is_place = |&(id, _): &(u32, i128)| matches!(s.terms.get_atom(id), Atom::Shifted(_, 8));
    let has_counters = v.counters.is_some() || s.contract.mode.is_gcm();
    let is_moving = has_counters && form.terms.iter().any(is_place);
    let has_inner = Cell::new(false);
    for &inner in Inner::all(v, is_moving) {
        for &carry in carries {
            for &blocks in rates {
                let rates = Rates { blocks, carry, own: None, inner };
                let Some(text) = text_with(s, form, v, rates, is_word, &has_inner) else { continue };
                if !all.contains(&text) {
                    let is_first = usual == Some(blocks);
                    all.insert(if is_first { first } else { all.len() }, text);
                    first += usize::from(is_first);
                }
            }
        }
        if !has_inner.get() {
            break;
        }
    }
    for own in (0..v.own.len()).filter(|_| !is_fixed).flat_map(|stream| [(stream, 16), (stream, -16)]) {
        let rates = Rates { blocks: 0, carry: 0, own: Some(own), inner: Inner::Fixed };
        let text = text(s, form, v, rates, is_word);
        all.extend(text.filter(|text| !all.contains(text)));
    }
    all
}

/// The rate at which a word that was moved changes, as a guess from its only atom, if a known number of blocks is done.
fn usual(s: &Symbolic, form: &Linear, v: &Values) -> Option<i128> {
    if !v.is_later() || form.constant == 0 {
        return None;
    }
    match form.terms[..] {
        [] if !v.own.is_empty() => Some(16),
        [(id, coefficient)] => match s.terms.get_atom(id) {
            Atom::Base(Region::Input | Region::Output) => Some(16 * coefficient),
            Atom::Other(Region::Input | Region::Output, _) => Some(16 * coefficient),
            Atom::Length | Atom::OtherLength(_) => Some(-16 * coefficient),
            Atom::Counter(0 | 2) => Some(coefficient),
            _ => None,
        },
        // The lowest byte of a counter of GCM.
        [(id, 1), _] if *s.terms.get_atom(id) == Atom::Counter(2) => Some(1),
        _ => None,
    }
}

/// The factor of the counter in an inequality about its lowest byte in GCM.
fn counted(s: &Symbolic, fact: &Linear) -> Option<i128> {
    let counter = s.terms.find(&Atom::Counter(2))?;
    fact.terms.iter().find(|term| term.0 == counter).map(|term| term.1)
}

/// Rates at which a form changes, with blocks and carry, or with the blocks of one of several streams.
#[derive(Clone, Copy)]
struct Rates {
    blocks: i128,
    carry: i128,
    own: Option<(usize, i128)>,
    inner: Inner,
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
    /// With the blocks done of a block's stream.
    Own,
}

impl Inner {
    /// Expressions that may matter, for lanes or for words.
    fn all(v: &Values, is_lane: bool) -> &'static [Inner] {
        match () {
            () if !v.own.is_empty() && is_lane && v.is_later() => &[Inner::Blocks, Inner::Own, Inner::Fixed],
            () if !v.own.is_empty() => &[Inner::Fixed, Inner::Blocks, Inner::Own],
            () if v.counters.is_none() && is_lane && v.is_later() => {
                &[Inner::Blocks, Inner::Both, Inner::Fixed]
            }
            () if v.counters.is_none() => &Inner::ALL[..3],
            () if is_lane => &Inner::MOVING,
            () => &Inner::ALL,
        }
    }

    /// Expressions for lanes where rounds are split; ones that move are first.
    const MOVING: [Inner; 8] = [
        Inner::Blocks,
        Inner::Both,
        Inner::Lowest,
        Inner::LowestBoth,
        Inner::Ahead,
        Inner::AheadBoth,
        Inner::AheadFixed,
        Inner::Fixed,
    ];
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

/// The text of a form within a function, with rates as a guess from its atoms.
fn inner_text(
    s: &Symbolic,
    form: &Linear,
    v: &Values,
    inner: Inner,
    (other, is_word): (i128, bool),
) -> Option<String> {
    let form = lowest(v, form, inner);
    let has = |half| form.terms.iter().any(|(id, _)| *s.terms.get_atom(*id) == Atom::Counter(half));
    let both = i128::from(matches!(inner, Inner::Both | Inner::LowestBoth | Inner::AheadBoth));
    let (blocks, carry) = match inner {
        Inner::Fixed | Inner::AheadFixed | Inner::Own => (0, 0),
        _ if has(1) => (0, both),
        _ if has(0) || has(2) => (1, 0),
        _ if form.terms.iter().any(|(id, _)| matches!(s.terms.get_atom(*id), Atom::Shifted(..))) => (0, 0),
        _ => (other, 0),
    };
    let rates = Rates { blocks, carry, own: None, inner };
    if v.own.is_empty() {
        return text(s, form, v, rates, is_word);
    }
    // Blocks of streams.
    let (stream, form) = stream_of(form, 1);
    let is_moving = i128::from(inner == Inner::Blocks);
    let own = (inner == Inner::Own).then_some((stream, 1));
    text(s, &form, v, Rates { blocks: is_moving, own, ..rates }, false)
}

/// The counter at the end of the path in place of another one.
fn lowest<'f>(v: &'f Values, form: &'f Linear, inner: Inner) -> &'f Linear {
    let Some([first, last, ahead]) = &v.counters else { return form };
    let is_counter = |distance: i128| (-FAR..FAR).contains(&distance);
    if !form.minus(first).as_number().is_some_and(is_counter) {
        return form;
    }
    match inner {
        Inner::Fixed | Inner::Blocks | Inner::Both | Inner::Own => form,
        Inner::Lowest | Inner::LowestBoth => last,
        Inner::Ahead | Inner::AheadBoth | Inner::AheadFixed => ahead,
    }
}

/// An expression for a form that changes at these rates, of blocks and carry, and whose arguments of functions change
/// or not.
fn text(s: &Symbolic, form: &Linear, v: &Values, rates: Rates, is_word: bool) -> Option<String> {
    text_with(s, form, v, rates, is_word, &Cell::new(false))
}

/// Like [`text`]; notes if there are forms within functions or lanes, without which they need not be tried at other rates.
fn text_with(
    s: &Symbolic,
    form: &Linear,
    v: &Values,
    rates: Rates,
    is_word: bool,
    has_inner: &Cell<bool>,
) -> Option<String> {
    let mut rest = form.checked(&v.blocks, -rates.blocks)?.checked(&v.carry, -rates.carry)?;
    if let Some((stream, rate)) = rates.own {
        rest = rest.checked(v.own.get(stream)?, -rate)?;
    }
    let rest = if is_word { rest.word() } else { rest };
    let inner = |form: &Linear| {
        has_inner.set(true);
        inner_text(s, form, v, rates.inner, (0, true))
    };
    let mut all = print::form_with(&s.terms, &rest, &no_variable, &inner)?;
    let own = rates.own.map_or((0, BLOCKS), |(stream, rate)| (rate, OWN[stream]));
    for (rate, name) in [(rates.blocks, BLOCKS), (rates.carry, CARRY), own] {
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
    if s.contract.mode.is_gcm() {
        let named = gcm::named(s, lane);
        if let Some((name, block, is_reversed)) = named {
            return moved_blocks(s, name, &block, is_reversed, v);
        }
    }
    let (plain_one, mut all) = (plain(s, lane, v), Vec::new());
    for (chain, name) in &v.chains {
        let rest = s.terms.xor(lane, *chain);
        let parts = |lane| {
            let lane = s.terms.get_lane(lane);
            lane.parts.len() + lane.bits.iter().filter(|bit| **bit > 1).count()
        };
        // What a table's blocks have in common may also be hidden in a sum that is shorter.
        if name == tables::REST || parts(rest) < parts(lane) {
            all.extend(plain(s, rest, v).into_iter().map(|rest| format!("{name} ^ {rest}")));
        }
    }
    // A chain value of CBC is another block, or its cipher, which may have no name in the statement.
    let at = if s.contract.mode == Mode::Cbc { all.len() } else { 0 };
    all.splice(at..at, plain_one);
    if all.is_empty()
        && let Some(state) = states::of(s, lane)
    {
        let rest = s.terms.xor(lane, state.lane);
        all = with_state(s, &state, rest, v, &|text| text);
    }
    all
}

/// Expressions for the sum of a state and a rest, in another expression.
fn with_state(
    s: &Symbolic,
    state: &states::State,
    rest: LaneId,
    v: &Values,
    outer: &dyn Fn(String) -> String,
) -> Choices {
    let mut all = Choices::new();
    for &inner in Inner::all(v, true) {
        let renamed = |form: &Linear| inner_text(s, form, v, inner, (1, false));
        let texts = [state.block, rest].map(|lane| print::lane(&s.terms, lane, &renamed));
        let [Some(block), Some(rest)] = texts else { continue };
        let text = format!("{} ^ {rest}", outer(state.text(&block)));
        if is_named(&text) && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// Expressions for a value before a block, or for a block, whose bytes may be reversed.
fn moved_blocks(s: &Symbolic, name: &str, block: &Linear, is_reversed: bool, v: &Values) -> Choices {
    let mut all = Choices::new();
    for &inner in Inner::all(v, true) {
        let Some(block) = inner_text(s, block, v, inner, (1, false)) else { continue };
        let text = format!("{name}[{block}]");
        let digits: String = REVERSED_BLOCK.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = if is_reversed { format!("shuffle({text}, #{digits})") } else { text };
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// True if an expression has the value that it is for, by an evaluator. Where rounds are split, counters may stand for others
/// with the same upper bytes, and how a round is written depends on what is known of the counter in it.
fn is_right(
    s: &mut Symbolic,
    text: &str,
    v: &Values,
    is_value: impl Fn(&mut Evaluator, &str) -> Result<bool, Stop>,
) -> bool {
    if s.splits == 0 || !["counter.0", "counter.2"].iter().any(|name| text.contains(name)) {
        return true;
    }
    let facts = s.path.facts.clone();
    let is_value = is_value(&mut Evaluator { s, variables: &assigned(v) }, text);
    s.path.facts = facts;
    is_value.unwrap_or(false)
}

/// True if all chain values in an expression have names: those before the blocks done have none.
fn is_named(text: &str) -> bool {
    let is_before = |rest: &str| rest.split('[').nth(1).is_some_and(|block| block.starts_with('-'));
    !text.split("chain").skip(1).any(is_before)
}

/// Expressions for a general register, or a word of the stack: words of four or eight bytes of a chain value, or others.
fn registers(s: &mut Symbolic, word: &Linear, v: &Values) -> Choices {
    let (mut all, has_words) = (Choices::new(), s.contract.mode == Mode::Cbc && s.terms.has_bits());
    for (chain, name) in v.chains.iter().filter(|_| has_words) {
        for (bytes, first) in [(8, 0), (8, 8), (4, 0), (4, 4), (4, 8), (4, 12)] {
            let mask = std::array::from_fn(|k| if k < bytes { (k + first) as u8 } else { ZERO });
            let part = s.terms.shuffled(*chain, &mask);
            if s.terms.half(part, 0) == *word {
                let digits: String = mask.iter().map(|byte| format!("{byte:02x}")).collect();
                all.push(format!("low(shuffle({name}, #{digits}))"));
            }
        }
    }
    all.extend(words(s, word, v));
    all.retain(|text| is_right(s, text, v, |e, text| Ok(e.form(text)?.into_word() == *word)));
    // A half of a state that is spilled.
    if all.is_empty()
        && let Some(&Atom::Half(half)) = word.as_atom().map(|atom| s.terms.get_atom(atom))
        && let Some(state) = states::of(s, half)
    {
        for first in [0, 8] {
            let mask = std::array::from_fn(|k| if k < 8 { (k + first) as u8 } else { ZERO });
            let own = s.terms.shuffled(state.lane, &mask);
            let rest = s.terms.xor(half, own);
            let digits: String = mask.iter().map(|byte| format!("{byte:02x}")).collect();
            let outer = |text: String| format!("shuffle({text}, #{digits})");
            let found = with_state(s, &state, rest, v, &outer);
            all.extend(found.into_iter().map(|text| format!("low({text})")));
        }
    }
    all
}

/// Expressions for a word of an IV's memory.
fn iv_words(s: &mut Symbolic, word: &Linear, v: &Values) -> Choices {
    let mut all = Vec::new();
    for (chain, name) in v.chains.iter().filter(|_| matches!(s.contract.mode, Mode::Cbc | Mode::Xts)) {
        let halves = [s.terms.half(*chain, 0), s.terms.half(*chain, 1)];
        let which = halves.iter().position(|half| half == word);
        all.extend(which.map(|which| format!("{}({name})", ["low", "high"][which])));
    }
    all.extend(words(s, word, v).into_iter().filter(|text| is_named(text)));
    all.retain(|text| is_right(s, text, v, |e, text| Ok(e.form(text)?.into_word() == *word)));
    all
}

/// Expressions for a lane without chain values.
fn plain(s: &Symbolic, lane: LaneId, v: &Values) -> Choices {
    let (mut all, has_forms) = (Vec::new(), Cell::new(false));
    // A block that is in flight has the upper bytes of its own counter.
    let own = v
        .counters
        .clone()
        .zip(own_counter(s, lane))
        .map(|([first, last, _], own)| Values { counters: Some([first, last, own]), ..v.clone() });
    for v in [v].into_iter().chain(&own) {
        for &inner in Inner::all(v, true) {
            let renamed = |form: &Linear| {
                has_forms.set(true);
                inner_text(s, form, v, inner, (1, false))
            };
            let text = print::lane(&s.terms, lane, &renamed);
            all.extend(text.filter(|text| is_named(text) && !all.contains(text)));
            // Without forms all expressions are the same.
            if !has_forms.get() {
                return all;
            }
        }
    }
    all
}

/// The counter whose lowest byte has gone through rounds to a lane.
fn own_counter(s: &Symbolic, lane: LaneId) -> Option<Linear> {
    let counter = s.terms.find(&s.counting())?;
    s.terms.get_lane(lane).parts.iter().find_map(|&(part, mask)| match s.terms.get_part(part) {
        Part::Word(word) => {
            let is_own =
                s.terms.get_mask(mask).contains(&0) && word.terms.iter().any(|term| term.0 == counter);
            is_own.then(|| word.clone())
        }
        Part::Round(_, inner) => own_counter(s, *inner),
        _ => None,
    })
}

/// A statement that is being found.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    state: Arrival,
    /// The variables, if they were the same whenever the place was reached.
    numbers: Vec<Option<i128>>,
    /// The number of times that each pair of bounds changed.
    changes: Vec<usize>,
    contract: Contract,
}

/// The number of changes after which a bound is one of those that the code compares with.
const FINE: usize = 2;
/// The number of changes after which a bound is given up.
const PATIENCE: usize = 24;

/// Keeps the choices that are also in others. True if some are not.
fn keep(own: &mut Choices, others: &Choices) -> bool {
    let before = own.len();
    own.retain(|choice| others.contains(choice));
    own.len() != before
}

impl Template {
    /// The statement of a state.
    pub(crate) fn new(state: Arrival, contract: Contract) -> Template {
        // Values at a number of blocks other than 0 have no expressions without the variable.
        let numbers =
            state.variables.iter().map(|variable| variable.number.filter(|&number| number == 0)).collect();
        Template { numbers, changes: vec![0; state.left.len()], state, contract }
    }

    /// Weakens the statement so that it holds in another state, which the run is in. True if it changes.
    /// `compared` has the numbers that the code compares with.
    pub(crate) fn join(&mut self, run: &mut Run, other: &Arrival, compared: &BTreeSet<i128>) -> bool {
        let own = &mut self.state;
        let compared = compared.iter().flat_map(|number| other.ahead.iter().map(move |ahead| number + ahead));
        let compared: BTreeSet<i128> = compared.collect();
        let mut is_changed = false;
        for (number, variable) in self.numbers.iter_mut().zip(&other.variables) {
            if number.is_some() && *number != variable.number {
                *number = None;
                is_changed = true;
            }
        }
        let (places, others) = (&mut own.places, &other.places);
        let words = places.general.iter_mut().chain(&mut places.iv).chain(&mut own.done);
        is_changed |= keep(&mut own.hashed, &other.hashed);
        for (own, other) in words.zip(others.general.iter().chain(&others.iv).chain(&other.done)) {
            is_changed |= keep(own, other);
        }
        let none = Vec::new();
        for (place, choices) in &mut places.lanes {
            is_changed |= keep(choices, others.lanes.get(place).unwrap_or(&none));
        }
        for (place, choices) in &mut places.cells {
            is_changed |= keep(choices, others.cells.get(place).unwrap_or(&none));
        }
        let before = (own.aligned.len(), own.facts.len(), own.secret.len(), own.masks.len());
        let mut evaluator = Evaluator { s: &mut run.symbolic, variables: &assigned(&other.values) };
        // Each by itself: others may be dropped later, with the quotients in them.
        own.facts.retain(|fact| {
            evaluator.s.path.facts.clone_from(&other.known);
            let form = evaluator.form(fact);
            form.is_ok_and(|form| evaluator.s.is_natural(&form))
        });
        own.aligned.retain(|(text, mask)| {
            let Ok(form) = evaluator.form(text) else { return false };
            let bit = evaluator.s.disjoint(&form.word(), *mask);
            bit == Bit::Known(true) || evaluator.s.path.decided.contains(&(bit, true))
        });
        own.secret.extend(&other.secret);
        is_changed |= own.table.is_some() && own.table != other.table;
        own.table = own.table.filter(|_| own.table == other.table);
        own.masks.extend(&other.masks);
        let public = own.public.len();
        own.public.retain(|register| other.public.contains(register));
        is_changed |= public != own.public.len();
        is_changed |= before != (own.aligned.len(), own.facts.len(), own.secret.len(), own.masks.len());
        is_changed |= other.streams && !own.streams || other.flags && !own.flags;
        own.streams |= other.streams;
        own.flags |= other.flags;
        let longer = own.longer.len();
        own.longer.retain(|stream| other.longer.contains(stream));
        is_changed |= longer != own.longer.len();
        for ((own, other), changes) in own.left.iter_mut().zip(&other.left).zip(&mut self.changes) {
            let least = own.0.zip(other.0).map(|(a, b)| a.min(b));
            let most = own.1.zip(other.1).map(|(a, b)| a.max(b));
            if (least, most) != *own {
                is_changed = true;
                *changes += 1;
                let is_given_up = *changes > PATIENCE;
                let kept = |new, old| if is_given_up && new != old { None } else { new };
                let (mut new_least, mut new_most) = (kept(least, own.0), kept(most, own.1));
                if *changes > FINE && new_least != own.0 {
                    new_least = new_least.and_then(|least| compared.range(..=least).next_back().copied());
                }
                if *changes > FINE && new_most != own.1 {
                    let above = |most: i128| compared.range(most..).next().copied();
                    new_most = new_most.and_then(|most| {
                        if compared.contains(&(most + 1)) { Some(most) } else { above(most) }
                    });
                }
                *own = (new_least, new_most);
            }
        }
        is_changed
    }

    /// The names of the variables.
    fn names(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let is_free = |&(at, _): &(usize, &str)| self.numbers[at].is_none();
        all_names().take(self.numbers.len()).enumerate().filter(is_free)
    }

    /// The values of the variables for a path that ends in a state.
    pub(crate) fn values(&self, arrival: &Arrival, variables: &[String]) -> Vec<(String, String)> {
        let used = self.names().filter(|(_, name)| variables.iter().any(|variable| variable == name));
        used.map(|(at, name)| (name.to_string(), arrival.variables[at].text.clone())).collect()
    }

    /// The statement.
    pub(crate) fn head(&self, key: &(usize, String)) -> Head {
        let own = &self.state;
        // A variable with one value has no name.
        let is_usable = |text: &&String| {
            let is_fixed = |&(at, _): &(usize, &str)| self.numbers.get(at).is_some_and(Option::is_some);
            let is_free = all_names().enumerate().filter(is_fixed).all(|(_, name)| !uses(text, name));
            is_free && (own.table.is_some() || !uses(text, tables::REST))
        };
        let done: Vec<String> = own
            .done
            .iter()
            .map(|choices| choices.iter().find(is_usable).cloned().unwrap_or_else(|| "0".into()))
            .collect();
        // Of a stream, either the common position or its own variable is used, since no statement says that they are equal.
        let is_usable = |text: &&String| {
            let is_apart = |(stream, done): (usize, &String)| {
                let (is_own, name) = (uses(done, OWN[stream]), format!("chain{}[", print::further(stream)));
                let mut chains =
                    text.split(&*name).skip(1).map(|rest| rest.split(']').next().unwrap_or_default());
                let fits = |block: &str| {
                    uses(block, OWN[stream]) == is_own && (uses(done, BLOCKS) || !uses(block, BLOCKS))
                };
                (is_own || !uses(text, OWN[stream])) && chains.all(fits)
            };
            is_usable(text) && (done.len() == 1 || done.iter().enumerate().all(is_apart))
        };
        // Tweaks have names by their distance from one that moves, or does not; of values of GHASH one has a name.
        let hashed = own.hashed.iter().find(is_usable).cloned();
        let is_near = |text: &str| {
            let has = |name: &str, is_known: &dyn Fn(&str) -> bool| {
                text.split(name).skip(1).all(|rest| is_known(rest.split(']').next().unwrap_or_default()))
            };
            match self.contract.mode {
                Mode::Xts => has("chain[", &|block| uses(block, BLOCKS) == uses(&done[0], BLOCKS)),
                _ => has("hash[", &|block| hashed.as_deref() == Some(block)),
            }
        };
        let is_usable = |text: &&String| is_usable(text) && is_near(text);
        let chosen = |choices: &Choices| choices.iter().find(is_usable).cloned();
        let mut lines = Vec::new();
        lines.extend(own.table.map(|at| Line::Table(at, tables::entry(self.contract.mode))));
        for (stream, (done, bounds)) in done.iter().zip(&own.left).enumerate() {
            let length = format!("len{}", print::further(stream));
            if let Some(least) = bounds.0 {
                lines.push(Line::Fact(format!("{length} - {done} - {least}").replace("- -", "+ ")));
            }
            if let Some(most) = bounds.1 {
                lines.push(Line::Fact(format!("{most} - {length} + {done}")));
            }
            if own.longer.contains(&stream) && self.numbers[1].is_none() {
                lines.push(Line::Fact(format!("{length} - {done} - {CARRY}")));
            }
            lines.push(Line::Done(stream, done.clone()));
        }
        // Bounds of what is left of the shortest stream.
        if let Some(bounds) = own.left.get(own.done.len()).filter(|_| self.numbers[1].is_none()) {
            let texts = [
                bounds.0.map(|least| format!("{CARRY} - {least}")),
                bounds.1.map(|most| format!("{most} - {CARRY}")),
            ];
            lines.extend(texts.into_iter().flatten().map(|text| Line::Fact(text.replace("- -", "+ "))));
        }
        lines.extend(own.facts.iter().filter(is_usable).map(|fact| Line::Fact(fact.clone())));
        lines.extend(hashed.clone().map(Line::Hashed));
        if self.contract.mode == Mode::Ctr {
            lines
                .push(Line::Carry(self.numbers[1].map_or_else(|| CARRY.into(), |number| number.to_string())));
        }
        let aligned = own.aligned.iter().filter(|(text, _)| is_usable(&text));
        lines.extend(aligned.map(|(text, mask)| Line::Disjoint(text.clone(), *mask)));
        for (register, choices) in own.places.general.iter().enumerate() {
            let unknown = (self.contract.wipes && own.public.contains(&(register as u8)))
                .then_some(Line::Public(register as u8));
            lines.extend(chosen(choices).map(|text| Line::General(register as u8, text)).or(unknown));
        }
        // Vectors at entry, and lanes that are zero, matter only where all have to be wiped.
        let chosen_lanes: BTreeMap<(u8, u8), String> =
            own.places.lanes.iter().filter_map(|(&place, choices)| Some((place, chosen(choices)?))).collect();
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
            // The value of GHASH is added to all lanes of a register.
            let is_stated = self.contract.wipes || self.contract.mode.is_gcm() || !is_idle;
            if !kept.contains(&register) && is_stated {
                lines.push(Line::Vector(register, lane, text.clone()));
            }
        }
        if self.contract.wipes {
            lines.extend(kept.into_iter().map(Line::Kept));
        }
        for (&at, choices) in &own.places.cells {
            lines.extend(chosen(choices).map(|text| Line::Cell(at, text)));
        }
        for (half, choices) in own.places.iv.iter().enumerate() {
            // That of GCM has four words.
            let (stream, half) = if self.contract.mode.is_gcm() { (0, half) } else { (half / 2, half % 2) };
            lines.extend(chosen(choices).map(|text| Line::Iv(stream, half as u8, text)));
        }
        let mut secret: Vec<(Place, i128)> = Vec::new();
        for &(region, at) in &own.secret {
            match secret.last_mut() {
                Some(((own, first), count)) if *own == region && *first + 8 * *count == at => *count += 1,
                _ => secret.push(((region, at), 1)),
            }
        }
        lines.extend(secret.into_iter().map(|(at, count)| Line::SecretCells(at, count)));
        lines.extend(own.masks.iter().map(|&mask| Line::SecretMask(mask)));
        if own.streams {
            lines.push(Line::Streams);
        }
        if self.contract.wipes && !own.flags {
            lines.push(Line::PublicFlags);
        }
        // Of several streams, only variables that are used.
        let is_used =
            |name: &str| own.done.len() == 1 || lines.iter().any(|line| uses(&print::line(line), name));
        let variables =
            self.names().filter(|(_, name)| is_used(name)).map(|(_, name)| name.to_string()).collect();
        Head { name: crate::name(key), at: key.0, variables, lines, ..Head::default() }
    }
}

/// True if an expression contains a name.
fn uses(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.split(|c| !is_letter(c)).any(|word| word == name)
}
