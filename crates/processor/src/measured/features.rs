//! Features of CPUs, named sets of them, and what techniques need.

use aesmith_arrange::Technique;
use aesmith_cipher::problem::nearest;

/// A set of features of one processor, by their numbers in its [`Requirements::features`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Features(u64);

impl Features {
    /// The empty set.
    pub const NONE: Features = Features(0);

    /// The feature of a number, alone.
    pub const fn bit(number: u32) -> Features {
        Features(1 << number)
    }

    /// Those of both.
    pub const fn and(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// Whether all of `needed` are here.
    pub const fn has(self, needed: Features) -> bool {
        needed.0 & !self.0 == 0
    }

    /// Those of `self` that are not in `present`.
    pub const fn missing_in(self, present: Features) -> Features {
        Features(self.0 & !present.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A set of features that machines have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// What it is asked for by.
    pub name: &'static str,
    /// Another name of it, which others gave a level that it comes from. Of that level it has what kernels use.
    pub alias: Option<&'static str>,
    /// What may be used. Each level has what its lesser ones have.
    pub features: Features,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// A width of vector registers.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// Blocks in a register.
    pub blocks: usize,
    /// What kernels on it need.
    pub needs: Features,
    /// What no narrower register needs.
    pub only: Features,
}

/// What a technique needs.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// The technique.
    pub technique: Technique,
    /// What it cannot do without.
    pub features: Features,
    /// What it needs besides on registers of more than one block.
    pub wide: Features,
    /// `features` in words.
    pub words: &'static str,
    /// `wide` in words.
    pub words_wide: &'static str,
}

/// What the CPUs of a processor may have, and what kernels need of it.
#[derive(Debug)]
pub struct Requirements {
    /// Names of features by their numbers, in the order in which sets are printed.
    pub features: &'static [&'static str],
    /// What every CPU has: it tells nothing of one that has more.
    pub baseline: Features,
    /// Everything that kernels know how to use.
    pub used: Features,
    /// Named sets, a lesser one before those that build on it.
    pub levels: &'static [Level],
    /// Widths of registers, ascending.
    pub widths: &'static [Width],
    /// Techniques, in the order in which they are expected to do well where nothing is measured.
    pub techniques: &'static [Needs],
}

impl Requirements {
    /// Names and sets of single features.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Features)> {
        self.features.iter().enumerate().map(|(number, name)| (*name, Features::bit(number as u32)))
    }

    /// The names of a set, in a fixed order.
    pub fn names(&self, set: Features) -> impl Iterator<Item = &'static str> {
        self.named().filter(move |(_, feature)| set.has(*feature)).map(|(name, _)| name)
    }

    /// The set of a text of names.
    ///
    /// # Errors
    /// Names the first word that is no feature.
    pub fn parse(&self, text: &str) -> Result<Features, String> {
        text.split_whitespace().try_fold(Features::NONE, |set, word| {
            let known = self.named().find(|(name, _)| *name == word);
            known
                .map(|(_, feature)| set.and(feature))
                .ok_or_else(|| format!("there is no CPU feature '{word}'"))
        })
    }

    /// The set of the level of that name or alias.
    ///
    /// # Errors
    /// There is no such level; the sentence names those that are spelt most like it.
    pub fn level(&self, name: &str) -> Result<Features, String> {
        let names = |level: &Level| [Some(level.name), level.alias].into_iter().flatten();
        if let Some(level) = self.levels.iter().find(|level| names(level).any(|known| known == name)) {
            return Ok(level.features);
        }
        let all: Vec<String> = self.levels.iter().flat_map(names).map(str::to_owned).collect();
        let near = nearest(&name.to_lowercase(), &all, 3).join(", ");
        Err(format!("there is no CPU level '{name}'; nearest are {near}; 'native' is this machine"))
    }

    /// What a technique needs.
    ///
    /// # Panics
    /// Where the processor's row of the technique is missing: a test of its family holds that none is.
    pub fn needs(&self, technique: Technique) -> &'static Needs {
        self.techniques
            .iter()
            .find(|needs| needs.technique == technique)
            .expect("every technique has a row on every processor whose time is measured")
    }
}
