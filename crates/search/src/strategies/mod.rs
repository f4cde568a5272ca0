//! The strategies, listed in one table. A new one needs a file here and a line in the table.

mod annealing;
mod exhaustive;
mod memetic;
mod pattern;
mod random;

use crate::knobs::{Knob, Knobs};
use crate::trial::Trials;
use aesmith_arrange::Space;
use aesmith_cipher::problem::nearest;

/// A method of searching a space.
pub trait Strategy {
    /// Proposes variants to `trials` until those are over, or it has no more to propose. The proposals depend only on
    /// the seed and the answers.
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>);
}

/// One strategy of the table.
#[derive(Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// A one-sentence description for users.
    pub summary: &'static str,
    /// Its options.
    pub knobs: &'static [Knob],
    /// Builds the strategy.
    pub build: fn(&Knobs) -> Box<dyn Strategy>,
}

/// All strategies.
pub const STRATEGIES: &[Entry] =
    &[exhaustive::ENTRY, random::ENTRY, annealing::ENTRY, annealing::BY_BUDGET, memetic::ENTRY];

/// The name of the default strategy.
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
