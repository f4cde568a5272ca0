//! Finds proofs about AVR: at most one loop over blocks has a statement, all other loops are followed.

use aesmith_check::avr::bytes::{Atom, ByteId, Terms, VARIABLES, WORDS};
use aesmith_check::avr::run::{Run, State, Stop};
use aesmith_check::avr::{Head, Line, Link, Proof, ROWS};
use aesmith_check::certificate::Edge;
use aesmith_check::linear::Linear;
use aesmith_check::rows::Rows;
use aesmith_check::spec::Mode;
use std::fmt::Write;

/// The name of the loop over blocks, and of the number of blocks that are done there.
const LOOP: &str = "loop";
const DONE: &str = "p";
/// The most rounds in which statements are weakened.
const ROUNDS: usize = 8;

/// Completes a proof that has neither statements nor paths, and lets it depend on secrets where the code does.
///
/// # Errors
/// The reason why a path of the code cannot be followed, or that no statement was found.
pub fn find(claim: &Proof) -> Result<Proof, String> {
    let mut claim = claim.clone();
    loop {
        match find_as_claimed(&claim) {
            Err(why) if why.contains("address of a load depends on a secret") && !claim.lookups => {
                claim.lookups = true;
            }
            Err(why) if why.contains("condition depends on a secret") && !claim.skips => claim.skips = true,
            found => return found,
        }
    }
}

fn find_as_claimed(claim: &Proof) -> Result<Proof, String> {
    if claim.contract.mode == Mode::Ecb {
        let mut proof = claim.clone();
        let mut run = Run::new(claim)?;
        let entry = run.entry();
        (proof.entry, _) = explore(&mut run, entry, "")?;
        return Ok(proof);
    }
    // That over blocks is the longest.
    let at = longest_loop(claim).ok_or("the code has no loop")?;
    with_loop(claim, at)
}

/// The place to which the code jumps back farthest.
fn longest_loop(claim: &Proof) -> Option<usize> {
    let rows = Rows::read(ROWS).ok()?;
    let (mut at, mut all) = (0, Vec::new());
    while let Some(i) = claim.code.get(at..).and_then(|rest| rows.decode(rest)) {
        let next = at + i.length;
        let words = rows.0[i.row].distance(&i).map(|words| 2 * words as isize);
        let target = match claim.links.get(&at) {
            Some(Link::Place(place)) => Some(*place),
            _ => words.and_then(|bytes| next.checked_add_signed(bytes)),
        };
        all.extend(target.filter(|&target| target < at).map(|target| (at - target, target)));
        at = next;
    }
    all.into_iter().max().map(|(_, target)| target)
}

/// A proof with a statement about a loop.
fn with_loop(claim: &Proof, at: usize) -> Result<Proof, String> {
    let mut proof = claim.clone();
    let head = Head { name: LOOP.into(), at, variables: vec![DONE.into()], ..Head::default() };
    proof.heads.push(head);
    // What holds when the loop is reached first.
    let (lines, mut values, entry) = {
        let mut run = Run::new(&proof)?;
        let start = run.entry();
        let (edges, states) = explore(&mut run, start, "0")?;
        let Some(state) = states.first() else { return Err("no path reaches the loop".into()) };
        (common(&run, state), values(&run.memory.terms, state), edges)
    };
    proof.entry = entry;
    for _ in 0..ROUNDS {
        proof.heads[0].lines.clone_from(&lines);
        proof.heads[0].lines.extend(values.iter().filter_map(|(place, all)| Some(place.line(all.first()?))));
        let mut run = Run::new(&proof)?;
        let state = run.stated(0).map_err(|stop| said(&run, stop))?;
        let (edges, states) = explore(&mut run, state, &format!("{DONE}+1"))?;
        let mut is_changed = false;
        for (place, choices) in &mut values {
            let Some(after) = choices.first().map(|first| first.after(&mut run.memory.terms)) else {
                continue;
            };
            if states.iter().any(|state| place.of(state) != Some(after)) {
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

fn said(run: &Run, stop: Stop) -> String {
    match stop {
        Stop::Refused(reason) => format!("{}: {reason}", run.place()),
        Stop::Split(_) => format!("{}: a condition is not decided", run.place()),
    }
}

/// Follows all paths: their ends, and the states at the loop.
fn explore(run: &mut Run, state: State, done: &str) -> Result<(Vec<Edge>, Vec<State>), String> {
    let (mut waiting, mut edges, mut states) = (vec![state], Vec::new(), Vec::new());
    while let Some(state) = waiting.pop() {
        let (state, is_return) = run.follow(state, &mut waiting).map_err(|stop| said(run, stop))?;
        if is_return {
            edges.push(Edge::Exit(String::new()));
        } else {
            edges.push(Edge::Head(LOOP.into(), vec![(DONE.into(), done.into())]));
            states.push(state);
        }
    }
    Ok((edges, states))
}

/// Statements that every loop over blocks has.
fn common(run: &Run, state: &State) -> Vec<Line> {
    let at_least_one = run.memory.blocks().offset_checked(-1);
    let has_one = at_least_one.is_some_and(|form| state.path.facts.imply(&form, &|_| Some(65535)));
    vec![
        Line::Fact(format!("blocks - {DONE} - {}", u8::from(has_one))),
        Line::Done(format!("16*{DONE}")),
        Line::Pointer(state.path.pointer),
        Line::Chain(DONE.into()),
    ]
}

/// A register or a byte of the stack.
#[derive(Clone, Copy)]
enum Place {
    Register(u8),
    Cell(i128),
}

impl Place {
    fn of(self, state: &State) -> Option<ByteId> {
        match self {
            Place::Register(register) => Some(state.registers.general[usize::from(register)]),
            Place::Cell(at) => state.path.cells.get(&at).copied(),
        }
    }

    fn line(self, value: &Choice) -> Line {
        match self {
            Place::Register(register) => Line::Register(register, value.text()),
            Place::Cell(at) => Line::Cell(at, value.text()),
        }
    }
}

/// A candidate for a byte at the loop: an atom, a number, or a half of a word that changes at a rate with each block.
enum Choice {
    Entry(u8),
    Number(u8),
    Half(Linear, u8, i128),
}

impl Choice {
    /// The value behind one more block.
    fn after(&self, terms: &mut Terms) -> ByteId {
        match self {
            Choice::Entry(register) => terms.atom(Atom::Entry(*register)),
            Choice::Number(number) => terms.constant(*number),
            Choice::Half(word, half, rate) => {
                let moved = Linear { constant: *rate, terms: [(VARIABLES, *rate)].into() };
                let moved = if *rate == 0 { Linear::default() } else { moved };
                let word = word.checked(&moved, 1).unwrap_or_default();
                terms.half(&word, *half)
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Choice::Entry(register) => format!("old.r{register}"),
            Choice::Number(number) => number.to_string(),
            Choice::Half(word, half, rate) => {
                let mut all: Vec<String> = word
                    .terms
                    .iter()
                    .map(|&(id, factor)| {
                        let name = WORDS.get(id as usize).unwrap_or(&"");
                        if factor == 1 { (*name).to_string() } else { format!("{factor}*{name}") }
                    })
                    .collect();
                all.extend((word.constant != 0).then(|| word.constant.to_string()));
                all.extend((*rate != 0).then(|| format!("{rate}*{DONE}")));
                format!(
                    "{}({})",
                    if *half == 0 { "low" } else { "high" },
                    all.join(" + ").replace("+ -", "- ")
                )
            }
        }
    }
}

/// Candidates for registers and stack of a state as blocks are done: pointers to text and output move on, the number of
/// blocks falls, or all stays.
fn values(terms: &Terms, state: &State) -> Vec<(Place, Vec<Choice>)> {
    let registers = (0..32).map(Place::Register);
    let cells = state.path.cells.keys().map(|&at| Place::Cell(at));
    registers.chain(cells).filter_map(|place| Some((place, choices(terms, place.of(state)?)))).collect()
}

fn choices(terms: &Terms, byte: ByteId) -> Vec<Choice> {
    if let Some(number) = terms.as_constant(byte) {
        return vec![Choice::Number(number)];
    }
    match terms.as_atom(byte) {
        Some(Atom::Entry(register)) => vec![Choice::Entry(*register)],
        Some(Atom::Half(word, half)) => {
            let has = |name: &str| {
                word.terms.iter().any(|&(id, factor)| factor == 1 && WORDS.get(id as usize) == Some(&name))
            };
            let is_known = word.terms.iter().all(|&(id, _)| (id as usize) < WORDS.len());
            let rates: &[i128] = match () {
                () if has("in") || has("out") => &[16, 0],
                () if has("blocks") => &[-1, 0],
                () => &[0],
            };
            let rates = rates.iter().filter(|_| is_known);
            rates.map(|&rate| Choice::Half(word.clone(), *half, rate)).collect()
        }
        _ => Vec::new(),
    }
}

/// The text of a proof.
pub fn text(proof: &Proof) -> String {
    let mut all = format!("{}contract {}\n", aesmith_check::avr::TITLE, proof.contract);
    let hex = |all: &mut String, word: &str, bytes: &[u8]| {
        for line in bytes.chunks(48) {
            let digits: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(all, "{word} {digits}");
        }
    };
    let keys = aesmith_check::avr::claim::Keys::ALL.iter().find(|keys| keys.1 == proof.keys);
    all.extend(keys.map(|keys| format!("keys {}\n", keys.0)));
    for (is_there, word) in [(proof.lookups, "lookups\n"), (proof.skips, "skips\n")] {
        all += if is_there { word } else { "" };
    }
    hex(&mut all, "code", &proof.code);
    for table in &proof.tables {
        let _ = writeln!(all, "table {} {}", table.name, if table.is_flash { "flash" } else { "ram" });
        hex(&mut all, "bytes", &table.bytes);
    }
    for (at, link) in &proof.links {
        let _ = match link {
            Link::Table(table, half) => {
                let half = if *half == 0 { "low" } else { "high" };
                writeln!(all, "link 0x{at:x} {half} {}", proof.tables[*table].name)
            }
            Link::Place(place) => writeln!(all, "link 0x{at:x} to 0x{place:x}"),
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
                Line::Chain(text) => writeln!(all, "chain = {text}"),
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
