//! What the machine that a kernel is written for offers.

use crate::features::Features;
use crate::levels::Level;
use aesmith_dataflow::Technique;
use std::fmt;

/// The CPU features that a kernel may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The set. Instructions outside it are not used.
    pub features: Features,
    /// The most bytes of code and constants of a kernel: longer ones are rejected.
    pub most_bytes: usize,
}

/// Maximum kernel size in bytes where none is given: a quarter of the second-level cache of Golden Cove (2 MiB,
/// Intel's optimization manual), which text and keys want too.
const MOST_BYTES: usize = 512 << 10;

/// How vector instructions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Two operands, the first of which is also the result; 16 registers of 128 bits.
    Legacy,
    /// Three operands, 16 registers of 128 and 256 bits.
    Vex,
    /// Three operands, 32 registers up to 512 bits, masks.
    Evex,
}

/// All that kernels use of AVX-512, but AES instructions and the later extensions.
const AVX512: Features = Features::AVX2
    .and(Features::AVX512F)
    .and(Features::AVX512VL)
    .and(Features::AVX512BW)
    .and(Features::AVX512DQ)
    .and(Features::BMI2);
const VEX: Features = Features::SSE2.and(Features::SSSE3).and(Features::SSE41).and(Features::AVX);

/// What a technique asks of the CPU, and of the writers of kernels.
pub(crate) struct Asked {
    technique: Technique,
    /// What it cannot do without.
    features: Features,
    /// What it needs besides on registers of more than one block.
    wide: Features,
    /// `features` in words.
    needs: &'static str,
    /// `wide` in words.
    needs_wide: &'static str,
    /// Stack slots that are thought to be enough for its rounds on 16 registers.
    pub(crate) slots: usize,
    /// Whether its look-ups leave signs of bytes in an opmask, and the upper halves of registers in use.
    pub(crate) leaves_signs: bool,
    /// Names that compilers have for features that it needs beside those of a width.
    pub(crate) attributes: &'static [&'static str],
}

const fn of(technique: Technique, features: Features, needs: &'static str) -> Asked {
    Asked {
        technique,
        features,
        wide: features,
        needs,
        needs_wide: needs,
        slots: 0,
        leaves_signs: false,
        attributes: &[],
    }
}

/// The register of techniques on x86-64, in the order in which they are expected to do well where nothing
/// is measured.
static TECHNIQUES: [Asked; 7] = [
    Asked {
        wide: Features::VAES,
        needs_wide: "VAES and AVX2",
        ..of(Technique::Aes, Features::AES.and(Features::SSSE3), "AES instructions and SSSE3")
    },
    Asked {
        attributes: &["gfni"],
        ..of(Technique::Gfni, Features::GFNI.and(Features::SSSE3), "GFNI and SSSE3")
    },
    of(Technique::Vperm, Features::SSSE3, "SSSE3"),
    // Stack slots that are enough for the rounds of bit slices on 16 registers, and for most loops.
    Asked { slots: 20, ..of(Technique::Bitsliced, Features::SSE2, "SSE2") },
    Asked {
        leaves_signs: true,
        // Its look-ups are of zmm, whatever the width around them.
        attributes: &["avx", "avx2", "avx512f", "avx512bw", "avx512vl", "avx512vbmi"],
        ..of(Technique::Vbmi, Features::AVX512VBMI, "AVX-512 with VBMI")
    },
    of(Technique::Table, Features::SSE2, "SSE2"),
    of(Technique::Bytewise, Features::SSE2, "SSE2"),
];

/// What a technique asks of the CPU.
pub(crate) fn asked(technique: Technique) -> &'static Asked {
    TECHNIQUES
        .iter()
        .find(|asked| asked.technique == technique)
        .expect("every technique stands in the register")
}

impl Target {
    /// Kernels with these features, of any size that fits the caches near the core.
    pub const fn of(features: Features) -> Target {
        Target { features, most_bytes: MOST_BYTES }
    }

    /// Everything that kernels know how to use.
    pub const ALL: Target = Target::of(
        VEX.and(AVX512).and(Features::AES).and(Features::VAES).and(Features::GFNI).and(Features::AVX512VBMI),
    );
    /// AES instructions of three operands on xmm.
    pub const AESNI: Target = Target::of(VEX.and(Features::AES));
    /// AES instructions on ymm, without AVX-512.
    pub const VAES: Target = Target::of(VEX.and(Features::AVX2).and(Features::AES).and(Features::VAES));
    /// Nothing that kernels could use.
    pub const NONE: Target = Target::of(Features::NONE);

    /// This machine; without any feature if it is no x86-64.
    pub fn native() -> Target {
        Target::of(Features::of_this_cpu())
    }

    /// Those features that `other` has too, and the smaller kernels.
    pub fn within(self, other: Target) -> Target {
        let features = self.features.missing_in(self.features.missing_in(other.features));
        Target { features, most_bytes: self.most_bytes.min(other.most_bytes) }
    }

    /// The same, for kernels of at most so many bytes of code and constants.
    pub fn of_bytes(self, most: usize) -> Target {
        Target { most_bytes: self.most_bytes.min(most), ..self }
    }

    /// Without what only registers of more than so many lanes need.
    pub fn up_to(self, lanes: usize) -> Target {
        let mut wide = Features::NONE;
        if lanes < 4 {
            wide = wide
                .and(Features::AVX512F)
                .and(Features::AVX512VL)
                .and(Features::AVX512BW)
                .and(Features::AVX512DQ)
                .and(Features::AVX512VBMI);
        }
        if lanes < 2 {
            wide = wide.and(Features::AVX2).and(Features::VAES).and(Features::VPCLMULQDQ);
        }
        Target { features: self.features.missing_in(wide), ..self }
    }

    /// The set in words: the level that it is, or its features.
    pub fn set(&self) -> String {
        let level = Level::ALL.iter().find(|level| level.features == self.features);
        level.map_or_else(|| format!("[{}]", self.features), |level| level.name.to_owned())
    }

    /// The set in one word that `--cpu` takes: the least level of which the same kernels are built,
    /// or features with `+` between.
    pub fn cpu(&self) -> String {
        let used = |features| Target::of(features).within(Target::ALL).features;
        let own = used(self.features);
        let level = Level::ALL.iter().find(|level| used(level.features) == own);
        level.map_or_else(|| own.to_string().replace(' ', "+"), |level| level.name.to_owned())
    }

    /// Whether all of `needed` may be used.
    pub const fn has(&self, needed: Features) -> bool {
        self.features.has(needed)
    }

    /// Whether registers of 32 and masks are there.
    pub const fn avx512(&self) -> bool {
        self.has(AVX512)
    }

    /// Blocks in the widest register that has AES instructions: 4, 2, 1, or 0 without any.
    pub fn lanes(&self) -> usize {
        self.lanes_of(Technique::default())
    }

    /// Blocks in the widest register that a technique can use here: 4, 2, 1, or 0 if it cannot be
    /// used at all. Techniques on words use no vector registers and count as 1.
    pub fn lanes_of(&self, technique: Technique) -> usize {
        let widest = if self.avx512() {
            4
        } else if self.has(VEX.and(Features::AVX2)) {
            2
        } else {
            usize::from(self.has(Features::SSE2))
        };
        let asked = asked(technique);
        if !self.has(asked.features) {
            return 0;
        }
        let widest = if self.has(asked.wide) { widest } else { widest.min(1) };
        match technique.record().only_lanes {
            _ if technique.on_words() => widest.min(1),
            Some(only) if only > widest => 0,
            Some(only) => only,
            None => widest,
        }
    }

    /// The CPU features that a technique cannot do without, in words.
    pub fn needs(technique: Technique) -> &'static str {
        asked(technique).needs
    }

    /// The same of registers of more than one block.
    pub fn needs_wide(technique: Technique) -> &'static str {
        asked(technique).needs_wide
    }

    /// Names that compilers have for features that a technique needs beside those of a width.
    pub fn attributes(technique: Technique) -> &'static [&'static str] {
        asked(technique).attributes
    }

    /// The techniques that can be used here, in the order in which they are expected to do well where
    /// nothing is measured.
    pub fn techniques(&self) -> impl Iterator<Item = Technique> {
        TECHNIQUES.iter().map(|asked| asked.technique).filter(|&technique| self.lanes_of(technique) > 0)
    }

    /// How registers of this many lanes are written. xmm is kept to VEX, so that what is made for
    /// AVX runs without AVX-512; it is legacy only where there is no AVX.
    pub fn encoding(&self, lanes: usize) -> Encoding {
        if lanes > 1 && self.avx512() {
            Encoding::Evex
        } else if self.has(VEX) {
            Encoding::Vex
        } else {
            Encoding::Legacy
        }
    }

    /// Whether registers of this many lanes are written in EVEX form.
    pub fn evex(&self, lanes: usize) -> bool {
        self.encoding(lanes) == Encoding::Evex
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.lanes() {
            0 => "no AES instructions",
            1 if self.encoding(1) == Encoding::Legacy => "AES-NI on xmm, two operands",
            1 => "AES-NI on xmm",
            2 => "VAES on ymm",
            _ => "VAES on zmm (AVX-512)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_longer_than_asked_for_is_refused() {
        let variant = "aes128-ctr width=xmm interleave=8".parse().unwrap();
        let size = crate::kernels::build(&variant, &Target::ALL).unwrap().bytes.len();
        assert!(crate::kernels::build(&variant, &Target::ALL.of_bytes(size)).is_ok());
        let refused = crate::kernels::build(&variant, &Target::ALL.of_bytes(size - 1)).unwrap_err();
        assert!(refused.to_string().contains(&format!("would be {size} bytes")), "{refused}");
        let both = Target::ALL.of_bytes(700).within(Target::AESNI);
        assert_eq!((both.features, both.most_bytes), (Target::AESNI.features, 700));
    }

    #[test]
    fn a_set_of_features_is_a_level_or_a_list() {
        assert_eq!(Target::ALL.cpu(), "vaes");
        for level in Level::ALL {
            let target = Target::of(level.features.and(Features::PREFETCHW));
            assert_eq!(target.cpu(), level.name);
        }
        assert_eq!(Target::of(Features::SSE2.and(Features::GFNI)).cpu(), "gfni+sse2");
    }
}
