//! The nearest instruction that a port can carry: where an instruction reads more than a processor
//! hands over, one of the sets that come along may add the same to a word, a part at a time.

use std::collections::BTreeSet;

use aesmith_isa::Isa;

use crate::file::{Extension, Instruction};
use crate::form::{Form, Via};
use crate::{meaning, sets};

/// What bytes are multiplied with, and what is done to them first, over all choices of selectors and
/// all bytes; and the most bytes that one instruction takes.
type Shares = (BTreeSet<(u8, [u8; 4])>, usize);

/// What an instruction adds of the bytes that it does not only pass on.
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

/// The instruction of a set that adds what this one does, of those that fit a port: the set's name, the
/// instruction's, and of how many bytes. Alike are those that multiply bytes with the same constants;
/// among them the one that takes the most bytes, needs no accumulator and the fewest selectors.
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
            // How much of what either adds both add, in 1/1000.
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
