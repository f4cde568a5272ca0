//! Finds the nearest instruction that a port supports: where an instruction reads more registers than a processor
//! passes to the unit, an included set may have one that adds the same to a word in parts.

use std::collections::BTreeSet;

use aesmith_isa::Isa;

use crate::file::{Extension, Instruction};
use crate::form::{Form, Via};
use crate::{meaning, sets};

/// The functions and coefficients applied to bytes, over all selectors and all bytes; and the maximum number of bytes
/// that one instruction uses.
type Shares = (BTreeSet<(u8, [u8; 4])>, usize);

/// The contributions of an instruction, without bytes that it only passes on.
fn shares(isa: &Isa, instruction: &Instruction) -> Option<Shares> {
    let (mut found, mut most) = (BTreeSet::new(), 0);
    for selectors in instruction.choices() {
        let form = Form::find(isa, instruction, &selectors).ok()??;
        let passed = |term: &&crate::form::Term| {
            term.via == Via::Same && term.places.iter().map(|&p| u32::from(p)).sum::<u32>() <= 1
        };
        let terms: Vec<_> = form.inputs.iter().flatten().filter(|t| !passed(t)).collect();
        most = most.max(terms.len());
        found.extend(terms.iter().map(|t| (t.via as u8, t.places)));
    }
    Some((found, most))
}

/// The most similar instruction of an included set that fits a port: the set's name, the instruction's name, and its
/// number of bytes. Similarity is the share of common coefficients; ties prefer more bytes, no accumulator and fewer
/// selectors.
pub fn nearest(
    extension: &Extension,
    instruction: &Instruction,
    fits: impl Fn(&Instruction) -> bool,
) -> Option<(String, String, usize)> {
    let (wanted, _) = shares(&meaning::table(extension).ok()?, instruction)?;
    if wanted.is_empty() {
        return None;
    }
    let mut best = None;
    for (name, _) in sets::ALL {
        let Ok(set) = sets::included(name) else { continue };
        let Ok(isa) = meaning::table(&set) else { continue };
        for candidate in set.instructions.iter().filter(|i| fits(i) && i.selector_bits() <= 6) {
            let Some((given, bytes)) = shares(&isa, candidate) else { continue };
            let common = wanted.intersection(&given).count();
            if common == 0 {
                continue;
            }
            // The similarity is the number of common contributions over the number of all, in 1/1000.
            let alike = 1000 * common / wanted.union(&given).count();
            let rank =
                (alike, bytes, candidate.tied().is_none(), std::cmp::Reverse(candidate.selector_bits()));
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, (set.name.clone(), candidate.name.clone(), bytes)));
            }
        }
    }
    best.map(|(_, found)| found)
}
