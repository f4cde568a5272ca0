//! Single faults in programs, to test the prover: what it still proves must still compute the same.
//!
//! | fault | for example |
//! |---|---|
//! | field | the next register, a number one more or less, another condition |
//! | row | `eor` is `or`: the next rows of the table with the same operands |
//! | constant | a bit of a table differs |

use aesmith_isa::Isa;
use aesmith_isa::image::Image;

/// A program with one fault.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Where it is.
    pub address: u64,
    /// What it is.
    pub fault: String,
    /// The program.
    pub image: Image,
}

/// The faults of the instructions from an address up to another, one in `every`.
pub fn mutants(isa: &Isa, image: &Image, from: u64, until: u64, every: usize) -> Vec<Mutant> {
    let mut found = Vec::new();
    let (mut at, mut number) = (from, 0);
    while at < until {
        let Some(insn) = isa.decode(image.at(at)) else { break };
        let row = isa.of(&insn);
        let mut others = Vec::new();
        for field in 0..row.fields.len() {
            for by in [1, -1] {
                let mut other = insn;
                other.fields[field] += by;
                others.push(other);
            }
        }
        let shape = |r: usize| {
            let pattern = &isa.rows[r].pattern;
            (pattern.bits, pattern.fields.clone())
        };
        let this = usize::from(insn.row);
        let alike = (1..isa.rows.len()).map(|k| (this + k) % isa.rows.len());
        for other_row in alike.filter(|&r| shape(r) == shape(this)).take(2) {
            let mut other = insn;
            other.row = other_row as u16;
            others.push(other);
        }
        for other in others {
            let Ok(bytes) = isa.encode(&other) else { continue };
            if image.at(at).starts_with(&bytes) {
                continue;
            }
            number += 1;
            if number % every == 0 {
                let print = |insn| isa.print(insn, |_| None);
                let fault = format!("`{}` is `{}`", print(&insn), print(&other));
                if let Some(image) = patched(image, at, &bytes) {
                    found.push(Mutant { address: at, fault, image });
                }
            }
        }
        at += u64::from(row.bytes());
    }
    found
}

/// Faults in constants: a bit of one byte in `every`.
pub fn wrong_constants(image: &Image, from: u64, until: u64, every: usize) -> Vec<Mutant> {
    let places = (from..until).step_by(every);
    let wrong = places.filter_map(|at| {
        let byte = *image.at(at).first()?;
        let bit = (at / every as u64 % 8) as u32;
        let image = patched(image, at, &[byte ^ 1 << bit])?;
        Some(Mutant { address: at, fault: format!("bit {bit} of the byte at {at:#x} differs"), image })
    });
    wrong.collect()
}

fn patched(image: &Image, at: u64, bytes: &[u8]) -> Option<Image> {
    let mut image = image.clone();
    let segment = image.segments.iter_mut().find(|s| (s.address..s.end()).contains(&at))?;
    let place = (at - segment.address) as usize;
    segment.bytes.get_mut(place..place + bytes.len())?.copy_from_slice(bytes);
    Some(image)
}

/// What became of mutants.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    /// Refuted, and wrong when run too.
    pub refuted: usize,
    /// Refuted, though they ran as they should on the samples: they break a rule that samples do not
    /// show, or the proof does not follow them.
    pub refuted_only: usize,
    /// Proved, and right when run: no faults.
    pub proved: usize,
    /// Proved, and wrong when run: each is a fault of the prover.
    pub missed: Vec<Mutant>,
}

/// Holds proofs against runs: `proves` asks the prover, `agrees` runs the program on samples.
pub fn sorted(
    mutants: Vec<Mutant>,
    mut proves: impl FnMut(&Image) -> bool,
    mut agrees: impl FnMut(&Image) -> bool,
) -> Outcome {
    let mut outcome = Outcome::default();
    for mutant in mutants {
        match (proves(&mutant.image), agrees(&mutant.image)) {
            (true, true) => outcome.proved += 1,
            (true, false) => outcome.missed.push(mutant),
            (false, true) => outcome.refuted_only += 1,
            (false, false) => outcome.refuted += 1,
        }
    }
    outcome
}
