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
}

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

impl Target {
    /// Everything that kernels know how to use.
    pub const ALL: Target = Target {
        features: VEX
            .and(AVX512)
            .and(Features::AES)
            .and(Features::VAES)
            .and(Features::GFNI)
            .and(Features::AVX512VBMI),
    };
    /// AES instructions of three operands on xmm.
    pub const AESNI: Target = Target { features: VEX.and(Features::AES) };
    /// AES instructions on ymm, without AVX-512.
    pub const VAES: Target =
        Target { features: VEX.and(Features::AVX2).and(Features::AES).and(Features::VAES) };
    /// Nothing that kernels could use.
    pub const NONE: Target = Target { features: Features::NONE };

    /// This machine.
    pub fn native() -> Target {
        #[cfg(target_arch = "x86_64")]
        return Target { features: Features::of_this_cpu() };
        #[cfg(not(target_arch = "x86_64"))]
        Target::NONE
    }

    /// Those features that `other` has too.
    pub fn within(self, other: Target) -> Target {
        Target { features: self.features.missing_in(self.features.missing_in(other.features)) }
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
        Target { features: self.features.missing_in(wide) }
    }

    /// The set in words: the level that it is, or its features.
    pub fn set(&self) -> String {
        let level = Level::ALL.iter().find(|level| level.features == self.features);
        level.map_or_else(|| format!("[{}]", self.features), |level| level.name.to_owned())
    }

    /// The set in one word that `--cpu` takes: the least level of which the same kernels are built,
    /// or features with `+` between.
    pub fn cpu(&self) -> String {
        let used = |features| Target { features }.within(Target::ALL).features;
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
        self.lanes_of(Technique::Aes)
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
        match technique {
            Technique::Table | Technique::Bytewise => widest.min(1),
            Technique::Bitsliced => widest,
            Technique::Vperm if self.has(Features::SSSE3) => widest,
            Technique::Gfni if self.has(Features::GFNI.and(Features::SSSE3)) => widest,
            Technique::Vbmi if widest == 4 && self.has(Features::AVX512VBMI) => 4,
            Technique::Aes if self.has(Features::AES.and(Features::SSSE3)) => {
                if self.has(Features::VAES) {
                    widest
                } else {
                    1
                }
            }
            _ => 0,
        }
    }

    /// The CPU features that a technique cannot do without.
    pub const fn needs(technique: Technique) -> &'static str {
        match technique {
            Technique::Aes => "AES instructions and SSSE3",
            Technique::Gfni => "GFNI and SSSE3",
            Technique::Vperm => "SSSE3",
            Technique::Vbmi => "AVX-512 with VBMI",
            Technique::Bitsliced | Technique::Table | Technique::Bytewise => "SSE2",
        }
    }

    /// The techniques that can be used here.
    pub fn techniques(&self) -> impl Iterator<Item = Technique> {
        Technique::ALL.into_iter().filter(|&technique| self.lanes_of(technique) > 0)
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
    fn a_set_of_features_is_a_level_or_a_list() {
        assert_eq!(Target::ALL.cpu(), "vaes");
        for level in Level::ALL {
            let target = Target { features: level.features.and(Features::PREFETCHW) };
            assert_eq!(target.cpu(), level.name);
        }
        assert_eq!(Target { features: Features::SSE2.and(Features::GFNI) }.cpu(), "gfni+sse2");
    }
}
