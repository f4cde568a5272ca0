//! Features of CPUs, named sets of them, and requirements of techniques.

use aesmith_arrange::Technique;
use aesmith_cipher::problem::nearest;

/// A set of features of one processor, by their indices in its [`Requirements::features`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Features(u64);

impl Features {
    /// The empty set.
    pub const NONE: Features = Features(0);

    /// The set with the one feature of this index.
    pub const fn bit(number: u32) -> Features {
        Features(1 << number)
    }

    /// The union of both sets.
    pub const fn and(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// True if all of `needed` are in the set.
    pub const fn has(self, needed: Features) -> bool {
        needed.0 & !self.0 == 0
    }

    /// The features of `self` that are not in `present`.
    pub const fn missing_in(self, present: Features) -> Features {
        Features(self.0 & !present.0)
    }

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A set of features that many machines have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The name by which it is selected.
    pub name: &'static str,
    /// An alternative name, from a standard level that it is derived from. It contains the features of that level that
    /// kernels use.
    pub alias: Option<&'static str>,
    /// The features that may be used; each level includes those of the lower ones.
    pub features: Features,
    /// A description in a sentence.
    pub meaning: &'static str,
}

/// A width of vector registers.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// The name of its registers.
    pub name: &'static str,
    /// The instructions that it takes, in words.
    pub meaning: &'static str,
    /// Blocks in a register.
    pub blocks: usize,
    /// Features that its kernels need.
    pub needs: Features,
    /// Features that no narrower register needs.
    pub only: Features,
}

/// Requirements of a technique.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// The technique.
    pub technique: Technique,
    /// The features that it always needs.
    pub features: Features,
    /// Additional features that it needs on registers of more than one block.
    pub wide: Features,
    /// `features` in words.
    pub words: &'static str,
    /// `wide` in words.
    pub words_wide: &'static str,
}

/// Features that a processor's CPUs may have, and that kernels need.
#[derive(Debug)]
pub struct Requirements {
    /// Names of features by index, in the order in which sets are printed.
    pub features: &'static [&'static str],
    /// Features, each with one that no CPU has without it: compilers name them, levels do not.
    pub implied: &'static [(&'static str, &'static str)],
    /// Features of every CPU; they do not distinguish one with more features.
    pub baseline: Features,
    /// All features that kernels can use.
    pub used: Features,
    /// Named sets, in order of inclusion.
    pub levels: &'static [Level],
    /// Widths of registers, ascending.
    pub widths: &'static [Width],
    /// Techniques in the expected order of speed if nothing is measured.
    pub techniques: &'static [Needs],
}

impl Requirements {
    /// Names of single features with their sets.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Features)> {
        self.features.iter().enumerate().map(|(number, name)| (*name, Features::bit(number as u32)))
    }

    /// The names of a set, in a fixed order.
    pub fn names(&self, set: Features) -> impl Iterator<Item = &'static str> {
        self.named().filter(move |(_, feature)| set.has(*feature)).map(|(name, _)| name)
    }

    /// Parses a text of names to a set.
    ///
    /// # Errors
    /// The first word that is not a feature.
    pub fn parse(&self, text: &str) -> Result<Features, String> {
        text.split_whitespace().try_fold(Features::NONE, |set, word| {
            let known = self.named().find(|(name, _)| *name == word);
            known
                .map(|(_, feature)| set.and(feature))
                .ok_or_else(|| format!("there is no CPU feature '{word}'"))
        })
    }

    /// The set of the level with this name or alias.
    ///
    /// # Errors
    /// There is no such level; the sentence lists the names with the most similar spelling.
    pub fn level(&self, name: &str) -> Result<Features, String> {
        let names = |level: &Level| [Some(level.name), level.alias].into_iter().flatten();
        if let Some(level) = self.levels.iter().find(|level| names(level).any(|known| known == name)) {
            return Ok(level.features);
        }
        let all: Vec<String> = self.levels.iter().flat_map(names).map(str::to_owned).collect();
        let near = nearest(&name.to_lowercase(), &all, 3).join(", ");
        Err(format!("there is no CPU level '{name}'; nearest are {near}; 'native' is this machine"))
    }

    /// The name of the narrowest registers that hold a number of blocks, or of the widest ones.
    ///
    /// # Panics
    /// The processor has no vector registers.
    pub fn width(&self, blocks: usize) -> &'static str {
        let fits = self.widths.iter().find(|width| width.blocks >= blocks);
        fits.or(self.widths.last()).expect("a processor whose time is measured has vector registers").name
    }

    /// The features without which no kernel runs, in words.
    pub fn least(&self) -> String {
        self.names(self.baseline).collect::<Vec<_>>().join(" and ").to_uppercase()
    }

    /// The requirements of a technique.
    ///
    /// # Panics
    /// The processor has no row for the technique; a test of its family excludes that.
    pub fn needs(&self, technique: Technique) -> &'static Needs {
        self.techniques
            .iter()
            .find(|needs| needs.technique == technique)
            .expect("every technique has a row on every processor whose time is measured")
    }
}
