//! The combinations of the four optimizations.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_processors::this_machine;
use serde::Serialize;
use std::fmt;

/// A combination of the four source-level optimizations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Combination {
    /// SubBytes is unrolled instead of a loop.
    pub unrolled: bool,
    /// Products in MixColumns are looked up instead of computed.
    pub looked_up: bool,
    /// Steps are inlined instead of called.
    pub inlined: bool,
    /// The state is held in 32-bit words instead of bytes.
    pub words: bool,
}

impl Combination {
    /// All 16 combinations, in the order of the numbers whose bits they are.
    pub fn all() -> impl Iterator<Item = Combination> {
        (0..16).map(|bits| Combination {
            unrolled: bits & 1 != 0,
            looked_up: bits & 2 != 0,
            inlined: bits & 4 != 0,
            words: bits & 8 != 0,
        })
    }

    /// The variant of `problem` with these optimizations.
    pub fn variant(self, problem: Problem) -> Variant {
        let plain = this_machine().table.plain_by(problem, Technique::Bytewise);
        plain
            .with("subbytes", self.unrolled.into())
            .with("mixcolumns", self.looked_up.into())
            .with("inline", self.inlined.into())
            .with("words", self.words.into())
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (self.unrolled, "unrolled"),
            (self.looked_up, "look-up"),
            (self.inlined, "inlined"),
            (self.words, "words"),
        ];
        let on: Vec<&str> = names.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        if on.is_empty() { f.write_str("none") } else { f.write_str(&on.join(" + ")) }
    }
}
