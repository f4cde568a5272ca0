//! Finds proofs for the checker: certificates with statements at the places where paths of the code meet.
//!
//! The verdict of the checker does not depend on this crate. It runs the checker's own execution, generalizes the states in which a place is reached to
//! expressions in the number of blocks done, and repeats until no statement changes. If a guess is wrong, the checker
//! refuses the certificate.

mod bits;
mod boxes;
pub mod bytes;
mod gcm;
pub mod grid;
mod pack;
mod places;
mod print;
mod states;
mod tables;
mod template;

use aesmith_check::bits::Plan;
use aesmith_check::certificate::{Edge, Head, Line, TITLE};
use aesmith_check::check::{End, Run};
use aesmith_check::contract::Contract;
use aesmith_check::linear::Linear;
use aesmith_check::spec::Mode;
use aesmith_check::symbolic::Stop;
use aesmith_check::{Certificate, check, packed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use template::{Arrival, Template};

/// The most rounds of generalization.
const ROUNDS: usize = 40;

/// Finds a certificate for code, whose constants begin at an offset. Its claim has look-ups only if the code needs them.
///
/// # Errors
/// The reason why a path of the code cannot be followed, or that no statements were found.
pub fn find(contract: Contract, code: &[u8], constants: usize) -> Result<Certificate, String> {
    match find_claimed(contract, code, constants) {
        Err(reason) if reason.contains("the claim has no look-ups") => {
            find_claimed(Contract { lookups: true, ..contract }, code, constants)
        }
        found => found,
    }
}

/// Finds a certificate for just this contract.
fn find_claimed(contract: Contract, code: &[u8], constants: usize) -> Result<Certificate, String> {
    if contract.lookups {
        let claim = claim(contract, code, constants);
        let claim = Certificate { bits: Some(Plan::default()), ..claim };
        return match find_with(&claim) {
            // Round keys may be computed from others.
            Err(reason) if reason.contains("not as specified") && contract.rounds == 10 => {
                find_with(&Certificate { expanded: true, ..claim }).map_err(|_| reason)
            }
            found => found,
        };
    }
    let claim = claim(contract, code, constants);
    let Some(begins) = places::choices(&code[..constants]) else { return find_kernel(&claim, None) };
    // Several kernels behind a choice by length: rounds are split in each by itself.
    let mut all: Option<Certificate> = None;
    for &own in &begins {
        let scope = Scope { begins: &begins, own };
        let mut found = find_kernel(&claim, Some(&scope))?;
        found.heads.retain(|head| scope.has(head));
        match &mut all {
            None => all = Some(found),
            Some(all) => all.heads.append(&mut found.heads),
        }
    }
    kept(all.ok_or("it has no kernel")?)
        .map_err(|reason| format!("the statements about kernels by length are wrong: {reason}"))
}

/// The most inequalities that are dropped.
const DROPPED: usize = 16;

/// A certificate without inequalities that a path does not keep: guesses about the lowest bytes of counters may be wrong.
fn kept(mut found: Certificate) -> Result<Certificate, String> {
    for _ in 0..DROPPED {
        let Err(reason) = check(&found) else { return Ok(found) };
        let wrong =
            reason.split_once("the inequality ").and_then(|(_, rest)| rest.split_once(" >= 0 is not as "));
        let Some((fact, name)) = wrong else { return Err(reason) };
        let name = name.strip_suffix(" states").unwrap_or(name);
        let head = found.heads.iter_mut().find(|head| head.name == name);
        let Some(head) = head else { return Err(reason) };
        head.lines.retain(|line| *line != Line::Fact(fact.into()));
    }
    Err("too many inequalities are not kept".into())
}

/// One of several kernels behind a choice by length, which have no code in common.
struct Scope<'a> {
    /// The beginnings of all.
    begins: &'a BTreeSet<usize>,
    /// Its beginning.
    own: usize,
}

impl Scope<'_> {
    /// True if a statement is about this kernel.
    fn has(&self, head: &Head) -> bool {
        head.at == self.own || !self.begins.contains(&head.at)
    }
}

/// Finds a certificate of a kernel by itself, or of what is reached from the beginning of one of several.
fn find_kernel(claim: &Certificate, scope: Option<&Scope>) -> Result<Certificate, String> {
    match find_at(claim, false, scope) {
        // Most proofs are shorter without.
        Err(reason) if reason.contains("rounds are not split") => {
            let found = find_at(&Certificate { splits: 1, ..claim.clone() }, false, scope)?;
            if scope.is_some() {
                return Ok(found);
            }
            kept(found).map_err(|reason| format!("the statements about split rounds are wrong: {reason}"))
        }
        Err(reason) if scope.is_none() && NEEDS_BITS.iter().any(|words| reason.contains(words)) => {
            let bits = boxes::plan(claim);
            find_with(&Certificate { bits, ..claim.clone() })
        }
        // A table on the stack is filled by a loop.
        Err(_) if claim.contract.mode.has_counter() && claim.frame.is_some() => {
            let claim = Certificate { splits: 2, ..claim.clone() };
            let found = match find_at(&claim, false, scope) {
                Err(reason) if reason.contains("no place of a table") => find_at(&claim, true, scope)?,
                found => found?,
            };
            if scope.is_some() || claim.contract.mode == Mode::Ctr {
                return Ok(found);
            }
            kept(found).map_err(|reason| format!("the statements about split rounds are wrong: {reason}"))
        }
        found => found,
    }
}

/// Words of the reasons for which a proof needs terms of bits.
const NEEDS_BITS: [&str; 4] = ["not about bits", "a bitwise operation", "whole bytes", "a shuffle is by no"];

/// A certificate without a proof.
fn claim(contract: Contract, code: &[u8], constants: usize) -> Certificate {
    Certificate {
        contract,
        code: code.to_vec(),
        constants,
        entry: Vec::new(),
        heads: Vec::new(),
        splits: 0,
        expanded: false,
        frame: places::frame(&code[..constants]),
        bits: None,
    }
}

/// Finds the proof of a certificate without one.
fn find_with(claim: &Certificate) -> Result<Certificate, String> {
    find_at(claim, false, None)
}

/// Finds a proof. A table that is read behind the loop that fills it is stated at a place between, if `is_behind`. Of one of
/// several kernels only its own statements have paths, and rounds are not split on the way to it.
fn find_at(claim: &Certificate, is_behind: bool, scope: Option<&Scope>) -> Result<Certificate, String> {
    let Certificate { contract, code, constants, splits, .. } = claim;
    let mut places = match contract.mode {
        // The loop over a counter table ends after a fixed number of turns, which are all followed.
        Mode::Table => BTreeSet::new(),
        _ => places::meeting(&code[..*constants], contract.streams > 1, contract.lookups),
    };
    if contract.lookups || claim.splits == 2 {
        let code = &code[..*constants];
        let outer = places::outer(code, &places, &split(claim));
        let behind = if is_behind { places::behind(code, &places, &outer) } else { BTreeSet::new() };
        places = outer.union(&behind).copied().collect();
    }
    let compared = places::compared(&code[..*constants]);
    let mut templates: Templates = BTreeMap::new();
    let mut followed = Followed::new();
    let mut claim = claim.clone();
    if let Some(scope) = scope {
        places.extend(scope.begins);
        claim.splits = 0;
    }
    for _ in 0..ROUNDS * usize::from(contract.streams) {
        let head = |(key, template): (&Key, &Template)| Head { splits: *splits, ..template.head(key) };
        let mut certificate = Certificate { heads: templates.iter().map(head).collect(), ..claim.clone() };
        if !explore(&certificate, scope, (&places, &compared), &mut templates, &mut followed)? {
            let ends = |name: &str| {
                followed.get(name).map_or(vec![], |(_, ends)| edges(ends, &certificate.heads, &templates))
            };
            let all: Vec<Vec<Edge>> = certificate.heads.iter().map(|head| ends(&head.name)).collect();
            certificate.entry = ends("");
            for (head, edges) in certificate.heads.iter_mut().zip(all) {
                head.edges = edges;
            }
            return Ok(certificate);
        }
    }
    Err("the statements at the heads of loops do not become stable".into())
}

/// The most paths on which a condition is followed both ways.
const TWICE: usize = 2;

/// The offsets of conditions that known values do not decide, on some paths from the entry.
fn split(claim: &Certificate) -> BTreeSet<usize> {
    let jumps = places::conditions(&claim.code[..claim.constants]);
    let (mut run, mut times) = (Run::new(claim), BTreeMap::<usize, usize>::new());
    let mut waiting = vec![run.entry()];
    while let Some(mut state) = waiting.pop() {
        let count = waiting.len();
        if state.path.table.is_none() {
            run.symbolic.path = state.path.clone();
            state.path.table = tables::found(&mut run.symbolic);
        }
        // Where a path is refused, the reason is found again.
        let end = run.follow(state, &jumps, &mut waiting);
        // The other path begins at the condition, which may be that of a sum with carry.
        if let Some(other) = waiting.get(count) {
            let times = times.entry(other.at).or_default();
            *times += 1;
            if *times > TWICE {
                waiting.truncate(count);
                continue;
            }
        }
        waiting.extend(end.ok().filter(|(_, end)| *end != End::Return).map(|(state, _)| state));
    }
    times.into_keys().collect()
}

/// A place and a class of states there, which have one statement.
type Key = (usize, String);
/// The statements that are being found.
type Templates = BTreeMap<Key, Template>;

/// The ends of the paths from the entry, or from a head with a statement: the place and class of each, or the return.
type Ends = Vec<(Option<Key>, Arrival)>;
/// Heads that were followed, with the statement from which it was, by the name of the head.
type Followed = BTreeMap<String, (Option<Head>, Ends)>;

/// Follows all paths from the entry and the heads whose statements are new, and weakens statements so that they hold where
/// paths end. True if one changes. A path from a statement that other paths weaken is followed again, so its failure counts
/// only if none does: a statement about a single state may be a wrong guess.
fn explore(
    certificate: &Certificate,
    scope: Option<&Scope>,
    (places, compared): (&BTreeSet<usize>, &BTreeSet<i128>),
    templates: &mut Templates,
    followed: &mut Followed,
) -> Result<bool, String> {
    let mut run = Run::new(certificate);
    let (mut is_changed, mut failed) = (false, None);
    let heads = certificate.heads.iter().filter(|head| scope.is_none_or(|scope| scope.has(head)));
    let splits = certificate.heads.first().map_or(certificate.splits, |head| head.splits);
    let sources = std::iter::once(None).chain(heads.map(Some));
    for source in sources {
        let own = source.map_or(String::new(), |head| head.name.clone());
        let is_same = |head: &Head| {
            source.is_some_and(|other| other.lines == head.lines && other.variables == head.variables)
        };
        if followed.get(&own).is_some_and(|(head, _)| head.as_ref().is_none_or(is_same)) {
            continue;
        }
        let say = |run: &Run, stop: Stop| match stop {
            Stop::Refused(reason) => format!("{}: {reason}{}", run.place(), differing(run)),
            Stop::Split(_) => format!("{}: a condition is not decided", run.place()),
        };
        let names = source.map_or(&[][..], |head| &head.variables);
        let state = match source {
            None => run.entry(),
            Some(head) => run.stated(head).map_err(|stop| say(&run, stop))?,
        };
        let (mut waiting, mut ends, mut is_followed) = (vec![state], Vec::new(), true);
        while let Some(state) = waiting.pop() {
            let (state, end) = match run.follow(state, places, &mut waiting) {
                Ok(found) => found,
                Err(stop) => {
                    failed.get_or_insert(say(&run, stop));
                    is_followed = false;
                    break;
                }
            };
            let known = |class| match end {
                End::Place(at) => templates.get(&(at, class)),
                End::Return => None,
            };
            // Statements at a head have its own split of rounds.
            let own_splits = run.symbolic.splits;
            if end != End::Return {
                run.symbolic.splits = splits;
            }
            let arrival = Arrival::new(&mut run, &state, names, known)?;
            let key = match end {
                End::Return => None,
                End::Place(at) => Some((at, arrival.class())),
            };
            if let Some(key) = &key {
                match templates.get_mut(key) {
                    Some(template) => is_changed |= template.join(&mut run, &arrival, compared),
                    None => {
                        templates.insert(key.clone(), Template::new(arrival.clone(), certificate.contract));
                        is_changed = true;
                    }
                }
            }
            run.symbolic.splits = own_splits;
            ends.push((key, arrival));
        }
        if is_followed {
            followed.insert(own, (source.cloned(), ends));
        }
    }
    match failed.filter(|_| !is_changed) {
        Some(reason) => Err(reason),
        None => Ok(is_changed),
    }
}

/// The ends of paths as certificates list them.
fn edges(ends: &Ends, heads: &[Head], templates: &Templates) -> Vec<Edge> {
    let edge = |(key, arrival): &(Option<Key>, Arrival)| {
        let Some(key) = key else { return Edge::Exit(arrival.blocks()) };
        let name = name(key);
        let variables = heads.iter().find(|head| head.name == name).map_or(&[][..], |head| &head.variables);
        Edge::Head(name, templates[key].values(arrival, variables))
    };
    ends.iter().map(edge).collect()
}

/// The difference between a stored block and the specification, if that is the reason of a refusal.
fn differing(run: &Run) -> String {
    let s = &run.symbolic;
    let Some((stored, expected)) = s.differing else { return String::new() };
    let name = |id: u32| Some(format!("v{id}"));
    let form = |form: &Linear| print::form(&s.terms, form, &name);
    let text = |lane| print::lane(&s.terms, lane, &form).unwrap_or_else(|| "unknown".into());
    format!("\n    stored    {}\n    specified {}", text(stored), text(expected))
}

/// The name of a head.
fn name((at, class): &Key) -> String {
    format!("at_{at:x}{class}")
}

/// The most bytes of a text that is not packed.
const MOST_PLAIN: usize = 30 << 10;

/// The text of a certificate, which is packed if it is long.
pub fn text(certificate: &Certificate) -> String {
    let plain = format!("{TITLE}\n{}", lines(certificate, &certificate.code));
    if plain.len() <= MOST_PLAIN {
        return plain;
    }
    let mut all = format!("{}\n", packed::TITLE);
    pack::lines(&mut all, "code", &certificate.code);
    pack::lines(&mut all, "text", lines(certificate, &[]).as_bytes());
    all
}

/// The lines for rounds that are not split, and for one and two that are.
const SPLITS: [&str; 3] = ["split 0\n", "split\n", "split 2\n"];

/// The lines behind the first, with some code.
fn lines(certificate: &Certificate, code: &[u8]) -> String {
    let mut all = String::new();
    let Contract { wipes, lookups, .. } = certificate.contract;
    let contract = Contract { wipes: false, lookups: false, ..certificate.contract };
    let _ = writeln!(all, "contract {contract}");
    if wipes {
        all += "wipes\n";
    }
    if lookups {
        all += "lookups\n";
    }
    if certificate.splits > 0 {
        all += SPLITS[usize::from(certificate.splits)];
    }
    if certificate.expanded {
        all += "keys expanded\n";
    }
    if let Some((from, alignment)) = certificate.frame {
        let _ = writeln!(all, "frame {from} {alignment}");
    }
    if let Some(plan) = &certificate.bits {
        print::plan(&mut all, plan);
    }
    for line in code.chunks(48) {
        let digits: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(all, "code {digits}");
    }
    if certificate.constants < certificate.code.len() {
        let _ = writeln!(all, "constants 0x{:x}", certificate.constants);
    }
    for edge in &certificate.entry {
        print::edge(&mut all, edge);
    }
    let printed = |head: &Head| head.lines.iter().map(print::line).collect::<Vec<String>>();
    let printed: Vec<Vec<String>> = certificate.heads.iter().map(printed).collect();
    let shared = shared(&printed);
    for (number, (lines, _)) in shared.iter().enumerate() {
        let _ = writeln!(all, "lines s{number}");
        all.extend(lines.iter().flat_map(|line| [line, "\n"]));
    }
    for (place, (head, own)) in certificate.heads.iter().zip(&printed).enumerate() {
        let Head { name, at, variables, splits, edges, .. } = head;
        let _ = writeln!(all, "head {name} 0x{at:x}");
        if *splits != certificate.splits {
            all += SPLITS[usize::from(*splits)];
        }
        for variable in variables {
            let _ = writeln!(all, "variable {variable}");
        }
        let used = || shared.iter().enumerate().filter(|(_, (_, heads))| heads.contains(&place));
        for (number, _) in used() {
            let _ = writeln!(all, "with s{number}");
        }
        let rest = own.iter().filter(|line| !used().any(|(_, (lines, _))| lines.contains(&line.as_str())));
        all.extend(rest.flat_map(|line| [line, "\n"]));
        for edge in edges {
            print::edge(&mut all, edge);
        }
    }
    all
}

/// Lines that the same heads share, with these heads, if naming them saves text.
fn shared(heads: &[Vec<String>]) -> Vec<(Vec<&str>, Vec<usize>)> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, lines) in heads.iter().enumerate() {
        for line in lines {
            places.entry(line).or_default().push(number);
        }
    }
    let mut groups: BTreeMap<Vec<usize>, Vec<&str>> = BTreeMap::new();
    for (line, places) in places {
        groups.entry(places).or_default().push(line);
    }
    /// The length of a line that names a group.
    const NAMING: usize = 9;
    let is_shorter = |(heads, lines): &(Vec<usize>, Vec<&str>)| {
        let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
        bytes * (heads.len() - 1) > NAMING * (heads.len() + 1)
    };
    groups.into_iter().filter(is_shorter).map(|(heads, lines)| (lines, heads)).collect()
}
