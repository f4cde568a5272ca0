//! Explains in a sentence why a round needs instructions other than those of an extension.

use aesmith_cipher::problem::Direction;
use aesmith_extension::program::{Goal, Program, Step};

use super::Attached;

/// Number of exclusive ors that add the round key if no instruction does so.
const KEYS: usize = 4;

/// A number with its noun.
fn counted(count: usize, one: &str, several: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {several}")),
    }
}

/// The instructions of a program that are not the extension's, by kind.
fn kinds(program: &Program) -> (usize, String) {
    let count = |of: fn(&Step) -> bool| program.steps.iter().filter(|step| of(step)).count();
    let all = [
        counted(count(|s| matches!(s, Step::Turn(..))), "rotation", "rotations"),
        counted(count(|s| matches!(s, Step::Keep(..))), "mask", "masks"),
        counted(
            count(|s| matches!(s, Step::Mix(..))),
            "MixColumns in plain code",
            "MixColumns in plain code",
        ),
        counted(count(|s| matches!(s, Step::Look(..))), "look-up in the S-box", "look-ups in the S-box"),
        counted(count(|s| matches!(s, Step::Xor(..))), "exclusive or", "exclusive ors"),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    let listed = match all.as_slice() {
        [] => String::new(),
        [one] => format!(" ({one})"),
        [first @ .., last] => format!(" ({} and {last})", first.join(", ")),
    };
    (program.steps.len() - program.customs(), listed)
}

/// `8 added instructions and 4 others (4 exclusive ors)`.
fn takes(program: &Program) -> String {
    let (others, listed) = kinds(program);
    let added = counted(program.customs(), "added instruction", "added instructions");
    let others = counted(others, "other", "others").map(|others| format!("{others}{listed}"));
    [added, others].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// The reasons why a program needs more than the extension's instructions and the round key's exclusive ors.
fn reasons(program: &Program) -> Vec<&'static str> {
    let any = |of: fn(&Step) -> bool| program.steps.iter().any(of);
    let moves = any(|s| matches!(s, Step::Turn(..) | Step::Keep(..)));
    let mut reasons = Vec::new();
    if program.looks() > 0 {
        reasons.push("none of its instructions has the S-box");
    }
    if moves {
        reasons.push("bytes are brought to where its instructions read them or the next round wants them");
    }
    if program.mixes() {
        reasons.push("none of its instructions mixes columns that lie so");
    }
    let sums = program.steps.iter().filter(|step| matches!(step, Step::Xor(..))).count();
    if reasons.is_empty() && sums > KEYS {
        reasons.push("what its instructions compute is added up, as they add to no register themselves");
    }
    reasons
}

impl Attached {
    /// Explains why a round of a direction needs instructions other than the extension's, and how to avoid them; `None`
    /// if it needs only those that add the round key, and if it cannot be computed.
    pub fn beside(&self, direction: Direction) -> Option<String> {
        let goal = Goal::Round(direction).describe();
        let stated = self.program(Goal::Round(direction)).ok();
        if let Some(found) = self.reordered(direction) {
            let now = match stated {
                Some(stated) => format!("takes {} with {}", takes(stated), self.stated().about()),
                None => format!("is not covered with {}", self.stated().about()),
            };
            return Some(format!(
                "{goal} {now}; with {}, as the instructions want them, it takes {}: kernels with `layout=found` keep state \
                 and round keys so, and turn the text once at the beginning and at the end",
                found.order.about(),
                takes(&found.programs[0]),
            ));
        }
        let stated = stated?;
        let why = reasons(stated);
        if why.is_empty() {
            return None;
        }
        let (takes, why) = (takes(stated), why.join(", and "));
        Some(format!("{goal} takes {takes}: {why}; no other order of the state takes less"))
    }
}
