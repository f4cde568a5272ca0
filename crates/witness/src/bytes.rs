//! Finds proofs about processors with rows of instructions: at most one loop over blocks has a statement, all other loops
//! are followed.

use aesmith_check::avr::Avr;
use aesmith_check::bytes::claim::{Block, Keys};
use aesmith_check::bytes::memory::Stop;
use aesmith_check::bytes::run::{Machine, Run, State};
use aesmith_check::bytes::terms::{Atom, Byte, ByteId, TABLES, VARIABLES, WORDS};
use aesmith_check::bytes::{Head, Line, Link, Proof, TITLE, Table};
use aesmith_check::certificate::Edge;
use aesmith_check::linear::{AtomId, Linear};
use aesmith_check::spec::Mode;
use aesmith_check::words::{FAMILIES, Words};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The name of the loop over blocks, and of the number of blocks that are done there.
const LOOP: &str = "loop";
const DONE: &str = "p";
/// The most rounds in which statements are weakened.
const ROUNDS: usize = 8;
/// The most letters of a statement about a register.
const MOST_LETTERS: usize = 4000;
/// The bytes of a table of words with an index of a byte: an alignment of use where indices are inserted into addresses.
pub const INDEXED: usize = 1024;
/// The most instructions of a run: sixteen times fewer than the checker allows. Around a wrong loop, runs do not end.
const MOST_STEPS: usize = 1 << 16;
/// The most time for a proof: a few instructions on large sums of bits may take minutes.
const MOST_TIME: Duration = Duration::from_secs(30);

thread_local! {
    /// The time at which this thread gives up.
    static END: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// True if the time is over.
fn is_late() -> bool {
    END.get().is_some_and(|end| Instant::now() >= end)
}

/// Completes a proof that has neither statements nor paths, and lets it depend on secrets where the code does.
///
/// # Errors
/// The reason why a path of the code cannot be followed, or that no statement was found.
pub fn find(claim: &Proof) -> Result<Proof, String> {
    END.set(Some(Instant::now() + MOST_TIME));
    let found = match FAMILIES.iter().find(|family| family.name == claim.processor) {
        Some(family) => find_on(Words(family), claim),
        None => find_on(Avr, claim),
    };
    let is_late = is_late();
    END.set(None);
    found
        .map_err(|why| if is_late { format!("{} seconds were not enough", MOST_TIME.as_secs()) } else { why })
}

fn find_on<M: Machine>(machine: M, claim: &Proof) -> Result<Proof, String> {
    let mut claim = claim.clone();
    loop {
        match find_as_claimed(machine, &claim) {
            Err(why) if why.contains("address of a load depends on a secret") && !claim.lookups => {
                claim.lookups = true;
            }
            Err(why) if why.contains("condition depends on a secret") && !claim.skips && M::UNIT == 1 => {
                claim.skips = true;
            }
            found => return found,
        }
    }
}

fn find_as_claimed<M: Machine>(machine: M, claim: &Proof) -> Result<Proof, String> {
    if claim.contract.mode == Mode::Ecb {
        let mut proof = claim.clone();
        let mut run = begun(machine, claim)?;
        let entry = run.start().clone();
        (proof.entry, _) = explore(&mut run, entry, false)?;
        return Ok(proof);
    }
    // That over blocks is the longest, but for those of subroutines.
    let mut why = Vec::new();
    for at in loops(machine, claim)? {
        match with_loop(machine, claim, at) {
            Ok(proof) => return Ok(proof),
            Err(reason) => why.push(format!("with a loop at 0x{at:x}, {reason}")),
        }
    }
    Err(if why.is_empty() { "the code has no loop".into() } else { why.join("\n") })
}

/// The places to which the code jumps back, the farthest first.
fn loops<M: Machine>(machine: M, claim: &Proof) -> Result<Vec<usize>, String> {
    let rows = machine.rows()?;
    let (mut at, mut all) = (claim.first, Vec::new());
    while let Some(i) = claim.code.get(at..).and_then(|rest| rows.decode(rest)) {
        let (row, next) = (&rows.0[i.row], at + i.length);
        let target = match claim.links.get(&at) {
            Some(Link::Place(place)) => Some(*place),
            _ if M::UNIT > 1 => row.jump(&i).and_then(|bytes| at.checked_add_signed(bytes as isize)),
            _ => row.distance(&i).and_then(|words| next.checked_add_signed(2 * words as isize)),
        };
        all.extend(target.filter(|&target| target < at).map(|target| (at - target, target)));
        at = next;
    }
    all.sort_unstable_by(|a, b| b.cmp(a));
    let mut places = Vec::new();
    for (_, target) in all {
        if !places.contains(&target) {
            places.push(target);
        }
    }
    Ok(places)
}

/// A proof with a statement about a loop.
fn with_loop<M: Machine>(machine: M, claim: &Proof, at: usize) -> Result<Proof, String> {
    let mut proof = claim.clone();
    let head = Head { name: LOOP.into(), at, variables: vec![DONE.into()], ..Head::default() };
    proof.heads.push(head);
    // What holds when the loop is reached first.
    let (pointer, mut values, mut has_one, entry) = {
        let mut run = begun(machine, &proof)?;
        let start = run.start().clone();
        let (edges, states) = explore(&mut run, start, false)?;
        let Some((state, done, _)) = states.first() else { return Err("no path reaches the loop".into()) };
        if *done > 0 {
            return Err("blocks are done before the loop".into());
        }
        let has_one = states.iter().all(|(state, ..)| is_left(&run, state, &Linear::number(1)));
        (state.path.pointer, values(&mut run, state), has_one, edges)
    };
    proof.entry = entry;
    let mut held = 16;
    for _ in 0..ROUNDS {
        proof.heads[0].lines = vec![
            Line::Fact(format!("blocks - {DONE} - {}", u8::from(has_one))),
            Line::Done(format!("16*{DONE}")),
            Line::Pointer(pointer),
        ];
        proof.heads[0].lines.extend((held > 0).then(|| Line::Chain(held, DONE.into())));
        proof.heads[0]
            .lines
            .extend(values.iter().filter_map(|(place, all)| Some(place.line(all.first()?, &claim.tables))));
        let mut run = begun(machine, &proof)?;
        let state = run.stated(0).map_err(|stop| said(&run, stop))?;
        let (edges, states) = explore(&mut run, state, true)?;
        if states.iter().any(|(_, count, _)| *count == 0) {
            return Err("the loop may store nothing".into());
        }
        let done = |count: usize| Linear { constant: count as i128, terms: [(VARIABLES, 1)].into() };
        let is_less = |(state, count, _): &Reached<M>| !is_left(&run, state, &done(count + 1));
        let mut is_changed = has_one && states.iter().any(is_less);
        has_one &= !is_changed;
        let mut is_elsewhere = |(state, _, chain): &Reached<M>| {
            let chain = chain.map(|chain| chain[..held].to_vec());
            !is_same(&mut run, Some(state.path.iv[..held].to_vec()), chain, state)
        };
        // The last byte of a counter may be in a register only.
        if held > 0 && states.iter().any(&mut is_elsewhere) {
            (held, is_changed) = (if held > 15 { 15 } else { 0 }, true);
        }
        for (place, choices) in &mut values {
            let is_other = |(state, count, chain): &Reached<M>| {
                let Some(first) = choices.first() else { return false };
                let own = place.of(&run, state);
                if let (Choice::Any(word, mask), Some(own)) = (first, &own) {
                    return !run.memory.terms.is_within(own, word, *mask);
                }
                let after = first.after(&mut run, *count as i128, chain.as_ref());
                !is_same(&mut run, own, after, state)
            };
            if states.iter().any(is_other) {
                choices.remove(0);
                is_changed = true;
            }
        }
        if !is_changed {
            proof.heads[0].edges = edges;
            return Ok(proof);
        }
    }
    Err("the statement at the loop does not become stable".into())
}

/// True if both are known, and equal by what is decided on the path of a state.
fn is_same<M: Machine>(
    run: &mut Run<'_, M>,
    a: Option<Vec<ByteId>>,
    b: Option<Vec<ByteId>>,
    state: &State<M::Registers>,
) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    run.memory.path = state.path.clone();
    run.are_equal(&a, &b)
}

/// True if this number of blocks exists.
fn is_left<M: Machine>(run: &Run<'_, M>, state: &State<M::Registers>, count: &Linear) -> bool {
    let rest = run.memory.blocks().checked(count, -1);
    rest.is_some_and(|rest| state.path.facts.imply(&rest, &|_| Some(run.memory.terms.modulus() - 1)))
}

/// A run that gives up early.
fn begun<M: Machine>(machine: M, proof: &Proof) -> Result<Run<'_, M>, String> {
    let mut run = Run::new(machine, proof)?;
    run.gives_up = |steps| steps > MOST_STEPS || is_late();
    Ok(run)
}

fn said<M: Machine>(run: &Run<'_, M>, stop: Stop) -> String {
    match stop {
        Stop::Refused(reason) => format!("{}: {reason}", run.place()),
        Stop::Split(_) => format!("{}: a condition is not decided", run.place()),
    }
}

/// A state at the loop, with the number of blocks that are done on the way, and the chain value behind them.
type Reached<M> = (State<<M as Machine>::Registers>, usize, Option<Block>);

/// Follows all paths from the entry or from the loop: their ends.
fn explore<M: Machine>(
    run: &mut Run<'_, M>,
    state: State<M::Registers>,
    is_from_loop: bool,
) -> Result<(Vec<Edge>, Vec<Reached<M>>), String> {
    let (mut waiting, mut edges, mut states) = (vec![state], Vec::new(), Vec::new());
    while let Some(state) = waiting.pop() {
        let (state, is_return) = run.follow(state, &mut waiting).map_err(|stop| said(run, stop))?;
        if is_return {
            edges.push(Edge::Exit(String::new()));
        } else {
            let count = state.path.stored.len() / 16;
            let done = if is_from_loop { format!("{DONE}+{count}") } else { count.to_string() };
            edges.push(Edge::Head(LOOP.into(), vec![(DONE.into(), done)]));
            run.memory.path = state.path.clone();
            let end = state.path.done.offset_checked(count as i128);
            let chain = end.and_then(|end| run.completed(&end).ok()).map(|(_, chain)| chain);
            states.push((state, count, chain));
        }
    }
    Ok((edges, states))
}

/// A register or a unit of the stack.
#[derive(Clone, Copy)]
enum Place {
    Register(u8),
    Cell(i128),
}

impl Place {
    fn of<M: Machine>(self, run: &Run<'_, M>, state: &State<M::Registers>) -> Option<Vec<ByteId>> {
        match self {
            Place::Register(register) => {
                Some(run.machine.general(&mut state.registers.clone(), register.into()).to_vec())
            }
            Place::Cell(at) => {
                let cells = (at..at + M::UNIT as i128).map(|at| state.path.cells.get(&at).copied());
                cells.collect::<Option<Vec<_>>>().map(|bytes| run.turned(bytes))
            }
        }
    }

    fn line(self, value: &Choice, tables: &[Table]) -> Line {
        match self {
            Place::Register(register) => Line::Register(register, value.text(tables)),
            Place::Cell(at) => Line::Cell(at, value.text(tables)),
        }
    }
}

/// A candidate for a value at the loop: an atom, a unit of the key, a number, or a word, or a half of one, that changes at a
/// rate with each block.
enum Choice {
    Entry(u8),
    Key(usize),
    Chain(usize),
    Sum(String),
    Number(u8),
    Word(Linear, i128),
    Half(Linear, u8, i128),
    /// An address in a table with any index.
    Any(Linear, u32),
}

impl Choice {
    /// The value behind more blocks.
    fn after<M: Machine>(
        &self,
        run: &mut Run<'_, M>,
        count: i128,
        chain: Option<&Block>,
    ) -> Option<Vec<ByteId>> {
        let moved = |word: &Linear, rate: i128| {
            let moved = Linear { constant: rate * count, terms: [(VARIABLES, rate)].into() };
            let moved = if rate == 0 { Linear::default() } else { moved };
            word.checked(&moved, 1).unwrap_or_default()
        };
        Some(match self {
            Choice::Entry(register) => {
                let mut start = run.start().registers.clone();
                run.machine.general(&mut start, (*register).into()).to_vec()
            }
            Choice::Key(place) => run.turned(run.memory.key.chunks_exact(M::UNIT).nth(*place)?.to_vec()),
            Choice::Chain(place) => run.turned(chain?.chunks_exact(M::UNIT).nth(*place)?.to_vec()),
            Choice::Sum(text) => run.value(text, &BTreeMap::new(), chain?).ok()?,
            Choice::Number(number) => vec![run.memory.terms.constant(*number)],
            Choice::Word(word, rate) => {
                let word = moved(word, *rate);
                (0..M::WIDTH).map(|k| run.memory.terms.half(&word, k)).collect()
            }
            Choice::Half(word, half, rate) => vec![run.memory.terms.half(&moved(word, *rate), *half)],
            Choice::Any(word, mask) => run.memory.terms.within(word, *mask).to_vec(),
        })
    }

    fn text(&self, tables: &[Table]) -> String {
        match self {
            Choice::Entry(register) => format!("old.r{register}"),
            Choice::Key(place) => format!("key.{place}"),
            Choice::Chain(place) => format!("chain.{place}"),
            Choice::Sum(text) => text.clone(),
            Choice::Number(number) => number.to_string(),
            Choice::Word(word, rate) => sum(word, *rate, tables),
            Choice::Any(word, mask) => format!("{} + any({mask})", sum(word, 0, tables)),
            Choice::Half(word, half, rate) => {
                format!("{}({})", if *half == 0 { "low" } else { "high" }, sum(word, *rate, tables))
            }
        }
    }
}

/// The name of an unknown integer.
fn name(id: AtomId, tables: &[Table]) -> Option<&str> {
    let table = id.checked_sub(TABLES).and_then(|number| tables.get(number as usize));
    WORDS.get(id as usize).copied().or(table.map(|table| table.name.as_str()))
}

/// The text of a form, and of the number of blocks that are done times a rate.
fn sum(word: &Linear, rate: i128, tables: &[Table]) -> String {
    let term = |&(id, factor): &(u32, i128)| {
        let name = name(id, tables).unwrap_or_default();
        if factor == 1 { name.to_string() } else { format!("{factor}*{name}") }
    };
    let mut all: Vec<String> = word.terms.iter().map(term).collect();
    all.extend((word.constant != 0 || all.is_empty()).then(|| word.constant.to_string()));
    all.extend((rate != 0).then(|| format!("{rate}*{DONE}")));
    all.join(" + ").replace("+ -", "- ")
}

/// Candidates for registers and stack of a state as blocks are done: pointers to text and output move on, the number of
/// blocks falls, or all stays.
fn values<M: Machine>(run: &mut Run<'_, M>, state: &State<M::Registers>) -> Vec<(Place, Vec<Choice>)> {
    let registers = (0..run.machine.registers()).map(Place::Register);
    let cells = state.path.cells.keys().filter(|&&at| at % M::UNIT as i128 == 0).map(|&at| Place::Cell(at));
    let places: Vec<Place> = registers.chain(cells).collect();
    let all = places.into_iter();
    all.filter_map(|place| {
        let own = place.of(run, state)?;
        Some((place, choices(run, &own)))
    })
    .collect()
}

fn choices<M: Machine>(run: &mut Run<'_, M>, bytes: &[ByteId]) -> Vec<Choice> {
    let (machine, mut start) = (run.machine, run.start().registers.clone());
    if let Some(own) =
        (0..machine.registers()).find(|&register| machine.general(&mut start, register.into()) == bytes)
        && matches!(run.memory.terms.as_atom(bytes[0]), Some(Atom::Entry(_)))
    {
        return vec![Choice::Entry(own)];
    }
    if M::UNIT > 1 {
        let turned = run.turned(bytes.to_vec());
        let place = |all: &[ByteId]| all.chunks_exact(M::UNIT).position(|unit| unit == turned);
        // At the loop it is the chain value before the first block.
        let chosen = place(&run.memory.key).map(Choice::Key);
        if let Some(chosen) = chosen.or_else(|| place(&run.start().path.iv).map(Choice::Chain)) {
            return vec![chosen];
        }
    }
    if let [a, b, c, d] = *bytes
        && let Some((mut form, _)) = run.memory.terms.as_indexed([a, b, c, d])
    {
        form.constant = run.memory.signed(form.constant);
        return any_index(run.proof, &form).into_iter().collect();
    }
    let terms = &mut run.memory.terms;
    let (word, half) = match *bytes {
        [a, b, c, d] => (terms.as_word([a, b, c, d]), None),
        [byte] => match terms.as_atom(byte) {
            Some(Atom::Half(word, half)) => (Some(word.clone()), Some(*half)),
            _ => return terms.as_constant(byte).map(Choice::Number).into_iter().collect(),
        },
        _ => (None, None),
    };
    let Some(mut word) = word else {
        if M::UNIT == 1 {
            return Vec::new();
        }
        let all: Option<Vec<String>> = bytes.iter().map(|&byte| sum_of(run, byte)).collect();
        let all = all.map(|all| format!("word({})", all.join("; ")));
        return all.filter(|all| all.len() < MOST_LETTERS).map(Choice::Sum).into_iter().collect();
    };
    if half.is_none() {
        word.constant = run.memory.signed(word.constant);
        word.terms.iter_mut().for_each(|term| term.1 = run.memory.signed(term.1));
    }
    let factor = |name: &str| {
        let own = word.terms.iter().find(|&&(id, _)| WORDS.get(id as usize) == Some(&name));
        own.map(|term| term.1)
    };
    let is_known = word.terms.iter().all(|&(id, _)| name(id, &run.proof.tables).is_some());
    let rates = match () {
        () if factor("in") == Some(1) || factor("out") == Some(1) => vec![16, 0],
        () if factor("blocks").is_some() => vec![-factor("blocks").unwrap_or(0), 0],
        () => vec![0],
    };
    let rates = rates.into_iter().filter(|_| is_known);
    let all = rates.map(|rate| match half {
        Some(half) => Choice::Half(word.clone(), half, rate),
        None => Choice::Word(word.clone(), rate),
    });
    let any = any_index(run.proof, &word).filter(|_| half.is_none());
    all.chain(any).collect()
}

/// An address in a table that is aligned, into which an index may be inserted.
fn any_index(proof: &Proof, word: &Linear) -> Option<Choice> {
    let [(id, 1)] = word.terms[..] else { return None };
    let table = proof.tables.get(id.checked_sub(TABLES)? as usize)?;
    (table.alignment >= INDEXED).then(|| Choice::Any(word.clone(), INDEXED as u32 - 4))
}

/// The text of a byte as a sum of bytes of key and chain value, and of S-boxes of such, at the entry; none if it is long: a
/// round has four times the letters of the one before.
fn sum_of<M: Machine>(run: &Run<'_, M>, byte: ByteId) -> Option<String> {
    let terms = &run.memory.terms;
    let Byte { constant, parts } = terms.get(byte);
    let mut all = Vec::new();
    let mut letters = 0;
    for (atom, columns) in parts {
        let atom = terms.get_atom(*atom);
        let of = |byte: &ByteId| terms.as_atom(*byte) == Some(atom);
        let text = match atom {
            Atom::Sbox(is_inverse, of) => {
                format!("{}({})", if *is_inverse { "inverse" } else { "box" }, sum_of(run, *of)?)
            }
            _ => match run.memory.key.iter().position(of) {
                Some(place) => format!("key[{place}]"),
                None => format!("chain[{}]", run.start().path.iv.iter().position(of)?),
            },
        };
        let is_same = (0..8).all(|bit| columns[bit] == 1 << bit);
        let digits: String = columns.iter().map(|column| format!("{column:02x}")).collect();
        all.push(if is_same { text } else { format!("map({digits} {text})") });
        letters += all.last().map_or(0, String::len);
        if letters > MOST_LETTERS {
            return None;
        }
    }
    all.extend((*constant != 0 || all.is_empty()).then(|| constant.to_string()));
    Some(all.join(" ^ "))
}

/// The text of a proof.
pub fn text(proof: &Proof) -> String {
    let mut all = format!("{TITLE}{}\ncontract {}\n", proof.processor, proof.contract);
    let hex = |all: &mut String, word: &str, bytes: &[u8]| {
        for line in bytes.chunks(48) {
            let digits: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(all, "{word} {digits}");
        }
    };
    if proof.blocks > 1 {
        let _ = writeln!(all, "blocks {}", proof.blocks);
    }
    let keys = Keys::ALL.iter().find(|keys| keys.1 == proof.keys);
    all.extend(keys.map(|keys| format!("keys {}\n", keys.0)));
    for (is_there, word) in [(proof.lookups, "lookups\n"), (proof.skips, "skips\n")] {
        all += if is_there { word } else { "" };
    }
    hex(&mut all, "code", &proof.code);
    if proof.first > 0 {
        let _ = writeln!(all, "entry 0x{:x}", proof.first);
    }
    let is_avr = proof.processor == aesmith_check::bytes::AVR;
    for table in &proof.tables {
        let kind = match (is_avr, table.is_flash, table.alignment) {
            (true, true, _) => " flash".into(),
            (true, false, _) => " ram".into(),
            (false, _, 4) => String::new(),
            (false, _, alignment) => format!(" {alignment}"),
        };
        let _ = writeln!(all, "table {}{kind}", table.name);
        hex(&mut all, "bytes", &table.bytes);
    }
    let part = |is_high: bool| if is_high { "high" } else { "low" };
    for (at, link) in &proof.links {
        let _ = match link {
            Link::Table(table, half) => {
                writeln!(all, "link 0x{at:x} {} {}", part(*half > 0), proof.tables[*table].name)
            }
            Link::Place(place) => writeln!(all, "link 0x{at:x} to 0x{place:x}"),
            Link::Word(table, add) => {
                writeln!(all, "link 0x{at:x} word {} {add}", proof.tables[*table].name)
            }
            Link::Part(table, is_high, add) => {
                writeln!(all, "link 0x{at:x} {} {} {add}", part(*is_high), proof.tables[*table].name)
            }
        };
    }
    edges(&mut all, &proof.entry);
    for head in &proof.heads {
        let _ = writeln!(all, "head {} 0x{:x}", head.name, head.at);
        for variable in &head.variables {
            let _ = writeln!(all, "variable {variable}");
        }
        for line in &head.lines {
            let _ = match line {
                Line::Fact(text) => writeln!(all, "fact {text} >= 0"),
                Line::Done(text) => writeln!(all, "done = {text}"),
                Line::Pointer(at) => writeln!(all, "pointer = {at}"),
                Line::Register(register, text) => writeln!(all, "r{register} = {text}"),
                Line::Cell(at, text) => writeln!(all, "stack[{at}] = {text}"),
                Line::Chain(16, text) => writeln!(all, "chain = {text}"),
                Line::Chain(count, text) => writeln!(all, "chain.{count} = {text}"),
            };
        }
        edges(&mut all, &head.edges);
    }
    all
}

fn edges(all: &mut String, edges: &[Edge]) {
    for edge in edges {
        crate::print::edge(all, edge);
    }
}
