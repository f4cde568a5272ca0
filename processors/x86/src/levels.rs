//! Named sets of CPU features: what a kernel that is made for lesser machines may use.

use super::features::Features;
use aesmith_cipher::problem::nearest;

/// A set of features that machines have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// What it is asked for by.
    pub name: &'static str,
    /// The same by the x86-64 psABI's name of the level that it comes from. Of that level it has
    /// what kernels use.
    pub alias: Option<&'static str>,
    /// What may be used. Each level has what its lesser ones have.
    pub features: Features,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

macro_rules! levels {
    ($($name:literal $($alias:literal)?: $base:ident $($feature:ident)*, $constant:ident, $meaning:literal;)*) => {
        mod sets {
            use super::Features;
            const NONE: Features = Features::NONE;
            $(pub const $constant: Features = $base$(.and(Features::$feature))*;)*
        }
        impl Level {
            /// Every level, a lesser one before those that build on it.
            pub const ALL: &'static [Level] = &[$(Level {
                name: $name,
                alias: levels!(@ $($alias)?),
                features: sets::$constant,
                meaning: $meaning,
            }),*];
        }
    };
    (@) => { None };
    (@ $alias:literal) => { Some($alias) };
}

// Name, alias, what it builds on, what it adds.
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

impl Features {
    /// The set of the level of that name or alias.
    ///
    /// # Errors
    /// There is no such level; the sentence names those that are spelt most like it.
    pub fn level(name: &str) -> Result<Features, String> {
        let names = |level: &'static Level| [Some(level.name), level.alias].into_iter().flatten();
        if let Some(level) = Level::ALL.iter().find(|level| names(level).any(|known| known == name)) {
            return Ok(level.features);
        }
        let all: Vec<String> = Level::ALL.iter().flat_map(names).map(str::to_owned).collect();
        let near = nearest(&name.to_lowercase(), &all, 3).join(", ");
        Err(format!("there is no CPU level '{name}'; nearest are {near}; 'native' is this machine"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_find_their_sets() {
        for level in Level::ALL {
            assert_eq!(Features::level(level.name), Ok(level.features));
            if let Some(alias) = level.alias {
                assert_eq!(Features::level(alias), Ok(level.features));
            }
        }
        assert_eq!(Features::level("baseline"), Ok(Features::SSE2));
    }

    #[test]
    fn an_unknown_name_is_told_the_nearest() {
        let sentence = Features::level("AVX-512").unwrap_err();
        assert!(sentence.contains("'AVX-512'") && sentence.contains("nearest are avx512"), "{sentence}");
        assert!(Features::level("ssse4").unwrap_err().contains("ssse3"));
    }

    /// Sets are told apart, and hold what their own instructions build on.
    #[test]
    fn levels_are_closed_and_distinct() {
        let needs = [
            (Features::SSSE3, Features::SSE2),
            (Features::SSE41, Features::SSSE3),
            (Features::AVX, Features::SSE41),
            (Features::AVX2, Features::AVX),
            (Features::AVX512F, Features::AVX2),
            (Features::AVX512BW, Features::AVX512F),
            (Features::AVX512VBMI, Features::AVX512BW),
            (Features::VAES, Features::AES.and(Features::AVX2)),
            (Features::VPCLMULQDQ, Features::PCLMULQDQ),
        ];
        for (i, level) in Level::ALL.iter().enumerate() {
            assert!(level.meaning.ends_with('.'), "{}", level.name);
            for (feature, needed) in needs {
                assert!(!level.features.has(feature) || level.features.has(needed), "{}", level.name);
            }
            assert!(Level::ALL[..i].iter().all(|other| other.features != level.features), "{}", level.name);
            assert_eq!(
                level.features.has(Features::AES),
                level.name.ends_with("aesni") || level.name.ends_with("vaes")
            );
        }
    }
}
