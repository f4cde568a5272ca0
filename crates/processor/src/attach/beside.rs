//! Why a round takes other instructions beside those of an extension, in a sentence.

use aesmith_cipher::problem::Direction;
use aesmith_extension::program::{Goal, Program, Step};

use super::Attached;

/// The round key is added by as many exclusive ors where no instruction adds it.
const KEYS: usize = 4;

/// A number of things, in words.
fn counted(count: usize, one: &str, several: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {several}")),
    }
}

/// The instructions that a program takes beside those of the extension, by what they do.
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

/// What is done to words before and after the instructions.
fn moves(program: &Program) -> Option<&'static str> {
    let any = |of: fn(&Step) -> bool| program.steps.iter().any(of);
    let (turns, keeps) = (any(|s| matches!(s, Step::Turn(..))), any(|s| matches!(s, Step::Keep(..))));
    match (turns || keeps, any(|s| matches!(s, Step::Mix(..)))) {
        (true, true) => {
            Some("bytes are brought to where its instructions read them, and columns are mixed without them")
        }
        (true, false) => {
            Some("bytes are brought to where its instructions read them or the next round wants them")
        }
        (false, true) => Some("none of its instructions mixes a column that lies so"),
        (false, false) => None,
    }
}

impl Attached {
    /// Why a round of a direction takes others beside the extension's instructions, and what avoids it; nothing where it takes
    /// none but those that add the round key, and where it cannot be computed.
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
        let (others, _) = kinds(stated);
        let why = moves(stated);
        if others <= KEYS && why.is_none() {
            return None;
        }
        let why = why.unwrap_or(
            "what its instructions compute is added up, and they do not add to a register themselves",
        );
        Some(format!("{goal} takes {}: {why}; no other order of the state takes less", takes(stated)))
    }
}
