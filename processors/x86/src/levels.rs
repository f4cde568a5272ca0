//! Named sets of CPU features: the features that a kernel for less capable machines may use.

use crate::features;
use aesmith_processor::measured::{Features, Level};

macro_rules! levels {
    ($($name:literal $($alias:literal)?: $base:ident $($feature:ident)*, $constant:ident, $meaning:literal;)*) => {
        mod sets {
            use super::{Features, features};
            const NONE: Features = Features::NONE;
            $(pub const $constant: Features = $base$(.and(features::$feature))*;)*
        }
        /// Every level; each comes before the levels that build on it.
        pub const LEVELS: &[Level] = &[$(Level {
            name: $name,
            alias: levels!(@ $($alias)?),
            features: sets::$constant,
            meaning: $meaning,
        }),*];
    };
    (@) => { None };
    (@ $alias:literal) => { Some($alias) };
}

// Name, alias, base, added features.
levels! {
    "sse2" "baseline":      NONE SSE2,                                    SSE2,
        "128-bit integer vectors in two operands: every x86-64 CPU since 2003.";
    "ssse3":                SSE2 SSSE3,                                   SSSE3,
        "Byte shuffles besides: Intel Core 2 (2006), AMD Bobcat and Bulldozer (2011).";
    "sse4.1" "x86-64-v2":   SSSE3 SSE41,                                  SSE41,
        "Blends, inserts and extracts besides: Intel Penryn (2008), AMD Bulldozer (2011).";
    "aesni":                SSE41 AES PCLMULQDQ,                          AESNI,
        "AES instructions in two operands: Intel Westmere (2010), Atom Silvermont to Tremont.";
    "gfni-sse":             SSE41 GFNI,                                   GFNI_SSE,
        "Galois-field instructions in two operands, no AES instructions: Atom Tremont (2020) without AES.";
    "avx":                  SSE41 AVX,                                    AVX,
        "128-bit integer vectors in three operands, no AES instructions: Intel Sandy Bridge (2011) without AES.";
    "avx-aesni":            AVX AES PCLMULQDQ,                            AVX_AESNI,
        "AES instructions in three operands: Intel Sandy Bridge, AMD Bulldozer (2011).";
    "avx2" "x86-64-v3":     AVX AVX2 BMI2 MOVBE,                          AVX2,
        "256-bit integer vectors, no AES instructions: Intel Haswell (2013), AMD Zen (2017), without AES.";
    "avx2-aesni":           AVX2 AES PCLMULQDQ,                           AVX2_AESNI,
        "AES instructions on 128 bits beside 256-bit vectors: Intel Haswell (2013), AMD Zen (2017).";
    "avx2-gfni":            AVX2 GFNI,                                    AVX2_GFNI,
        "Galois-field instructions on 256 bits, no AES instructions: Intel Alder Lake (2021) without AES.";
    "avx2-vaes":            AVX2_AESNI VAES VPCLMULQDQ,                   AVX2_VAES,
        "AES instructions on 256 bits: AMD Zen 3 (2020), Intel Alder Lake (2021).";
    "avx512" "x86-64-v4":   AVX2 AVX512F AVX512VL AVX512BW AVX512DQ,      AVX512,
        "512-bit vectors and opmasks, no AES instructions: Intel Skylake-SP (2017) without AES.";
    "avx512-aesni":         AVX512 AES PCLMULQDQ,                         AVX512_AESNI,
        "AES instructions on 128 bits beside 512-bit vectors: Intel Skylake-SP (2017).";
    "vbmi":                 AVX512 AVX512VBMI,                            VBMI,
        "Byte permutations over 512 bits, no AES instructions: Intel Cannon Lake (2018) without AES.";
    "gfni":                 VBMI GFNI,                                    GFNI,
        "Galois-field instructions on 512 bits, no AES instructions: Intel Ice Lake, AMD Zen 4, without AES.";
    "vaes":                 GFNI AES PCLMULQDQ VAES VPCLMULQDQ,           VAES,
        "All of it, AES instructions on 512 bits: Intel Ice Lake (2019), AMD Zen 4 (2022).";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirements::REQUIREMENTS;

    #[test]
    fn names_and_aliases_find_their_sets() {
        for level in LEVELS {
            assert_eq!(REQUIREMENTS.level(level.name), Ok(level.features));
            if let Some(alias) = level.alias {
                assert_eq!(REQUIREMENTS.level(alias), Ok(level.features));
            }
        }
        assert_eq!(REQUIREMENTS.level("baseline"), Ok(features::SSE2));
    }

    #[test]
    fn an_unknown_name_is_told_the_nearest() {
        let sentence = REQUIREMENTS.level("AVX-512").unwrap_err();
        assert!(sentence.contains("'AVX-512'") && sentence.contains("nearest are avx512"), "{sentence}");
        assert!(REQUIREMENTS.level("ssse4").unwrap_err().contains("ssse3"));
    }

    /// The sets differ, and include the prerequisites of their instructions.
    #[test]
    fn levels_are_closed_and_distinct() {
        let needs = [
            (features::SSSE3, features::SSE2),
            (features::SSE41, features::SSSE3),
            (features::AVX, features::SSE41),
            (features::AVX2, features::AVX),
            (features::AVX512F, features::AVX2),
            (features::AVX512BW, features::AVX512F),
            (features::AVX512VBMI, features::AVX512BW),
            (features::VAES, features::AES.and(features::AVX2)),
            (features::VPCLMULQDQ, features::PCLMULQDQ),
        ];
        for (i, level) in LEVELS.iter().enumerate() {
            assert!(level.meaning.ends_with('.'), "{}", level.name);
            for (feature, needed) in needs {
                assert!(!level.features.has(feature) || level.features.has(needed), "{}", level.name);
            }
            assert!(LEVELS[..i].iter().all(|other| other.features != level.features), "{}", level.name);
            assert_eq!(
                level.features.has(features::AES),
                level.name.ends_with("aesni") || level.name.ends_with("vaes")
            );
        }
    }
}
