//! The strategies, in one table. A new one is a file here and a line there.

mod annealing;
mod exhaustive;
mod memetic;
mod pattern;
mod random;

use crate::knobs::{Knob, Knobs};
use crate::trial::Trials;
use aesmith_arrange::Space;
use aesmith_cipher::problem::nearest;

/// A way through a space.
pub trait Strategy {
    /// Proposes variants to `trials` until those are over, or it has no more to propose. The same
    /// seed and the same answers make the same proposals.
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>);
}

/// One strategy of the table.
#[derive(Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// Its options.
    pub knobs: &'static [Knob],
    /// Makes one.
    pub build: fn(&Knobs) -> Box<dyn Strategy>,
}

/// Every strategy there is.
pub const STRATEGIES: &[Entry] =
    &[exhaustive::ENTRY, random::ENTRY, annealing::ENTRY, annealing::BY_BUDGET, memetic::ENTRY];

/// What a search does unless it is told otherwise.
pub const DEFAULT: &str = memetic::ENTRY.name;

/// The strategy for `name` or `name:option=value,...`.
pub fn strategy(text: &str) -> Result<Box<dyn Strategy>, String> {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    let Some(entry) = STRATEGIES.iter().find(|e| e.name == name) else {
        let names: Vec<String> = STRATEGIES.iter().map(|e| e.name.to_owned()).collect();
        return Err(format!(
            "there is no strategy `{name}`; did you mean {}? All are: {}",
            nearest(name, &names, 1).join(""),
            names.join(", ")
        ));
    };
    Ok((entry.build)(&Knobs::read(name, entry.knobs, options)?))
}
