//! The target machine of a kernel.

use super::{Features, Kernel, Lengths, Measured, Needs, Unfit};
use aesmith_arrange::{Technique, Variant};
use std::fmt;

/// The features of a processor that a kernel may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The processor.
    pub processor: &'static Measured,
    /// The set of features. Other instructions are not used.
    pub features: Features,
    /// Maximum bytes of code and constants of a kernel: larger ones are rejected.
    pub most_bytes: usize,
}

/// Default maximum kernel size in bytes: a quarter of the second-level cache of Golden Cove (2 MiB, Intel's
/// optimization manual), which text and keys need too.
const MOST_BYTES: usize = 512 << 10;

impl Target {
    /// A target with these features, for kernels of any size that fits the caches near the core.
    pub const fn of(processor: &'static Measured, features: Features) -> Target {
        Target { processor, features, most_bytes: MOST_BYTES }
    }

    /// The machine that the program runs on.
    pub fn here(processor: &'static Measured) -> Target {
        Target::of(processor, (processor.here)().features)
    }

    /// A target with all features that kernels can use.
    pub const fn all(processor: &'static Measured) -> Target {
        Target::of(processor, processor.requirements.used)
    }

    /// The target with only those of its features that are in `features`.
    pub const fn only(self, features: Features) -> Target {
        let both = self.features.missing_in(self.features.missing_in(features));
        Target { features: both, ..self }
    }

    /// The target with only those of its features that `other` has too, and the smaller size limit.
    pub fn within(self, other: Target) -> Target {
        self.only(other.features).of_bytes(other.most_bytes)
    }

    /// The target for kernels of at most `most` bytes of code and constants.
    pub fn of_bytes(self, most: usize) -> Target {
        Target { most_bytes: self.most_bytes.min(most), ..self }
    }

    /// The target without features that only registers of more than `blocks` blocks need.
    pub fn up_to(self, blocks: usize) -> Target {
        let wider = self.processor.requirements.widths.iter().filter(|width| width.blocks > blocks);
        let features = wider.fold(self.features, |features, width| features.missing_in(width.only));
        Target { features, ..self }
    }

    /// The set in words: the name of its level, or its features.
    pub fn set(&self) -> String {
        let requirements = self.processor.requirements;
        let level = requirements.levels.iter().find(|level| level.features == self.features);
        level.map_or_else(|| format!("[{}]", self.listed(" ")), |level| level.name.to_owned())
    }

    /// The set in one word that `--cpu` accepts: the lowest level for which the same kernels are built, or features
    /// joined by `+`.
    pub fn cpu(&self) -> String {
        let used = |features| Target::all(self.processor).only(features);
        let own = used(self.features);
        let level = self.processor.requirements.levels.iter().find(|level| used(level.features) == own);
        level.map_or_else(|| own.listed("+"), |level| level.name.to_owned())
    }

    fn listed(&self, between: &str) -> String {
        self.processor.requirements.names(self.features).collect::<Vec<_>>().join(between)
    }

    /// True if all of `needed` may be used.
    pub const fn has(&self, needed: Features) -> bool {
        self.features.has(needed)
    }

    /// Blocks in the widest register that the default technique can use; 0 if it cannot be used at all.
    pub fn lanes(&self) -> usize {
        self.lanes_of(Technique::default())
    }

    /// Blocks in the widest register that a technique can use here; 0 if it cannot be used at all. Techniques on words
    /// use no vector registers and count as 1.
    pub fn lanes_of(&self, technique: Technique) -> usize {
        let needs = self.processor.requirements.needs(technique);
        if !self.has(needs.features) {
            return 0;
        }
        let widths = self.processor.requirements.widths.iter();
        let widest =
            widths.filter(|width| self.has(width.needs)).map(|width| width.blocks).max().unwrap_or(0);
        let widest = if self.has(needs.wide) { widest } else { widest.min(1) };
        match technique.record().only_lanes {
            _ if technique.on_words() => widest.min(1),
            Some(only) if only > widest => 0,
            Some(only) => only,
            None => widest,
        }
    }

    /// The requirements of a technique.
    pub fn needs(&self, technique: Technique) -> &'static Needs {
        self.processor.requirements.needs(technique)
    }

    /// The techniques that can be used here, in the expected order of speed if nothing is measured.
    pub fn techniques(&self) -> impl Iterator<Item = Technique> {
        let all = self.processor.requirements.techniques.iter();
        all.map(|needs| needs.technique).filter(|&technique| self.lanes_of(technique) > 0)
    }

    /// Builds the kernel of a variant.
    ///
    /// # Errors
    /// The reason why the variant has no kernel.
    pub fn build(&self, variant: &Variant) -> Result<Kernel, Unfit> {
        (self.processor.build)(variant, self, Lengths::ALL)
    }

    /// Builds kernels to be joined behind a dispatch by length, each for its lengths, from variants with the maximum
    /// length of each. If there are several streams, the dispatch uses only the first one's length, so each kernel
    /// supports every length.
    ///
    /// # Errors
    /// A variant has no kernel here.
    pub fn parts(&self, plan: &[(Option<u64>, &Variant)]) -> Result<Vec<Kernel>, Unfit> {
        let lengths = Lengths::between(plan.iter().map(|(limit, _)| *limit));
        plan.iter()
            .zip(lengths)
            .map(|((_, variant), lengths)| match variant.problem.streams() {
                1 => (self.processor.build)(variant, self, lengths),
                _ => self.build(variant),
            })
            .collect()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.set())
    }
}
