//! Finds proofs for the checker: certificates with statements at the places where paths of the code meet.
//!
//! Nothing rests on this crate. It runs the checker's own execution, generalizes the states in which a place is reached to
//! expressions in the number of blocks done, and repeats until no statement changes. If a guess is wrong, the checker
//! refuses the certificate.

mod places;
mod print;
mod template;

use aesmith_check::Certificate;
use aesmith_check::certificate::{Edge, Head, TITLE};
use aesmith_check::check::{End, Run};
use aesmith_check::contract::Contract;
use aesmith_check::symbolic::Stop;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use template::{Arrival, Template};

/// The most rounds of generalization.
const ROUNDS: usize = 40;

/// Finds a certificate for code, whose constants begin at an offset.
///
/// # Errors
/// The reason why a path of the code cannot be followed, or that no statements were found.
pub fn find(contract: Contract, code: &[u8], constants: usize) -> Result<Certificate, String> {
    let places = places::meeting(&code[..constants]);
    let mut templates: BTreeMap<usize, Template> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let heads = templates.iter().map(|(&at, template)| template.head(at)).collect();
        let mut certificate =
            Certificate { contract, code: code.to_vec(), constants, entry: Vec::new(), heads };
        if std::env::var_os("TRACE").is_some() { eprintln!("ROUND\n{}", text(&certificate)); }
        let (arrivals, edges) = explore(&certificate, &places, &templates)?;
        let mut is_changed = false;
        for (at, arrival) in arrivals {
            is_changed |= match templates.get_mut(&at) {
                Some(template) => template.join(&arrival),
                None => {
                    templates.insert(at, Template::new(arrival, contract.wipes));
                    true
                }
            };
        }
        if !is_changed {
            let mut edges = edges.into_iter();
            certificate.entry = edges.next().unwrap_or_default();
            for (head, edges) in certificate.heads.iter_mut().zip(edges) {
                head.edges = edges;
            }
            return Ok(certificate);
        }
    }
    Err("the statements at the heads of loops do not become stable".into())
}

/// States in which places are reached, and the ends of all paths, for the entry and each head.
type Explored = (Vec<(usize, Arrival)>, Vec<Vec<Edge>>);

/// Follows all paths from the entry and the heads.
fn explore(
    certificate: &Certificate,
    places: &BTreeSet<usize>,
    templates: &BTreeMap<usize, Template>,
) -> Result<Explored, String> {
    let mut run = Run::new(certificate);
    let (mut arrivals, mut all) = (Vec::new(), Vec::new());
    let sources = std::iter::once(None).chain(certificate.heads.iter().map(Some));
    for source in sources {
        let say = |run: &Run, stop: Stop| match stop {
            Stop::Refused(reason) => format!("{}: {reason}", run.place()),
            Stop::Split(_) => format!("{}: a condition is not decided", run.place()),
        };
        let state = match source {
            None => run.entry(),
            Some(head) => run.stated(head).map_err(|stop| say(&run, stop))?,
        };
        let (mut waiting, mut edges) = (vec![state], Vec::new());
        while let Some(state) = waiting.pop() {
            let (state, end) =
                run.follow(state, places, &mut waiting).map_err(|stop| say(&run, stop))?;
            let arrival = Arrival::new(&mut run, &state)?;
            edges.push(match end {
                End::Return => Edge::Exit(arrival.blocks()),
                End::Place(at) => {
                    let values = templates.get(&at).map(|template| template.values(&arrival));
                    Edge::Head(name(at), values.unwrap_or_default())
                }
            });
            if let End::Place(at) = end {
                arrivals.push((at, arrival));
            }
        }
        all.push(edges);
    }
    Ok((arrivals, all))
}

/// The name of the head at a place.
fn name(at: usize) -> String {
    format!("at_{at:x}")
}

/// The text of a certificate.
pub fn text(certificate: &Certificate) -> String {
    let mut all = format!("{TITLE}\n");
    let Contract { wipes, .. } = certificate.contract;
    let contract = Contract { wipes: false, ..certificate.contract };
    let _ = writeln!(all, "contract {contract}");
    if wipes {
        all += "wipes\n";
    }
    for line in certificate.code.chunks(48) {
        let digits: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(all, "code {digits}");
    }
    if certificate.constants < certificate.code.len() {
        let _ = writeln!(all, "constants 0x{:x}", certificate.constants);
    }
    for edge in &certificate.entry {
        print::edge(&mut all, edge);
    }
    for Head { name, at, variables, lines, edges } in &certificate.heads {
        let _ = writeln!(all, "head {name} 0x{at:x}");
        for variable in variables {
            let _ = writeln!(all, "variable {variable}");
        }
        for line in lines {
            print::line(&mut all, line);
        }
        for edge in edges {
            print::edge(&mut all, edge);
        }
    }
    all
}
