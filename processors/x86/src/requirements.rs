//! The requirements of x86-64 kernels on a CPU: features, register widths, and the features of each technique.

use crate::features;
use crate::levels::LEVELS;
use aesmith_dataflow::Technique;
use aesmith_processor::measured::{Features, Needs, Requirements, Width};

/// The AVX-512 features that kernels use, except AES instructions and the later extensions.
pub(crate) const AVX512: Features = features::AVX2
    .and(features::AVX512F)
    .and(features::AVX512VL)
    .and(features::AVX512BW)
    .and(features::AVX512DQ)
    .and(features::BMI2);
/// Three-operand instructions on 128 bits.
pub(crate) const VEX: Features = features::SSE2.and(features::SSSE3).and(features::SSE41).and(features::AVX);

/// All features that kernels can use.
pub(crate) const USED: Features = VEX
    .and(AVX512)
    .and(features::AES)
    .and(features::VAES)
    .and(features::PCLMULQDQ)
    .and(features::VPCLMULQDQ)
    .and(features::GFNI)
    .and(features::AVX512VBMI);

const fn of(technique: Technique, features: Features, words: &'static str) -> Needs {
    Needs { technique, features, wide: features, words, words_wide: words }
}

/// The techniques on x86-64 with their needs.
static TECHNIQUES: [Needs; 7] = [
    Needs {
        wide: features::VAES,
        words_wide: "VAES and AVX2",
        ..of(Technique::Aes, features::AES.and(features::SSSE3), "AES instructions and SSSE3")
    },
    of(Technique::Gfni, features::GFNI.and(features::SSSE3), "GFNI and SSSE3"),
    of(Technique::Vperm, features::SSSE3, "SSSE3"),
    of(Technique::Bitsliced, features::SSE2, "SSE2"),
    of(Technique::Vbmi, features::AVX512VBMI, "AVX-512 with VBMI"),
    of(Technique::Table, features::SSE2, "SSE2"),
    of(Technique::Bytewise, features::SSE2, "SSE2"),
];

static WIDTHS: [Width; 3] = [
    Width { name: "xmm", meaning: "AES-NI", blocks: 1, needs: features::SSE2, only: Features::NONE },
    Width {
        name: "ymm",
        meaning: "VAES and AVX2",
        blocks: 2,
        needs: VEX.and(features::AVX2),
        only: features::AVX2.and(features::VAES).and(features::VPCLMULQDQ),
    },
    Width {
        name: "zmm",
        meaning: "VAES and AVX-512",
        blocks: 4,
        needs: AVX512,
        only: features::AVX512F
            .and(features::AVX512VL)
            .and(features::AVX512BW)
            .and(features::AVX512DQ)
            .and(features::AVX512VBMI),
    },
];

/// Features that CPUs may have, and the needs of kernels.
pub static REQUIREMENTS: Requirements = Requirements {
    // The second "pclmulqdq" is the name of the CPU's feature, which compilers call "pclmul".
    implied: &[("sse3", "ssse3"), ("bmi", "bmi2"), ("pclmul", "pclmulqdq")],
    features: features::NAMES,
    baseline: features::SSE2,
    used: USED,
    levels: LEVELS,
    widths: &WIDTHS,
    techniques: &TECHNIQUES,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technique_has_a_row() {
        for technique in Technique::ALL {
            assert_eq!(REQUIREMENTS.needs(technique).technique, technique);
        }
    }
}
