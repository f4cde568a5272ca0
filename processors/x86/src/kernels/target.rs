//! Properties of a target that kernel writers need: the encoding of instructions, and the state that some
//! techniques leave.

use crate::requirements::{AVX512, VEX};
use aesmith_dataflow::Technique;
use aesmith_processor::measured::Target;

/// The encoding of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Two operands, the first of which is also the result; 16 registers of 128 bits.
    Legacy,
    /// Three operands, 16 registers of 128 and 256 bits.
    Vex,
    /// Three operands, 32 registers up to 512 bits, masks.
    Evex,
}

/// The encoding of registers with this number of lanes. xmm uses VEX, so that kernels for AVX run without
/// AVX-512; it uses legacy encodings only without AVX.
pub fn encoding(target: &Target, lanes: usize) -> Encoding {
    if lanes > 1 && target.has(AVX512) {
        Encoding::Evex
    } else if target.has(VEX) {
        Encoding::Vex
    } else {
        Encoding::Legacy
    }
}

/// True if a technique's look-ups leave sign bits of bytes in an opmask, and the upper halves of registers in
/// use.
pub(crate) fn leaves_signs(technique: Technique) -> bool {
    technique == Technique::Vbmi
}

/// The estimated number of stack slots for a technique's rounds on 16 registers, which suffices for most loops.
pub(crate) fn slots(technique: Technique) -> usize {
    match technique {
        Technique::Bitsliced => 20,
        _ => 0,
    }
}

/// Names that compilers have for the features that a technique's intrinsics need on registers of `lanes` blocks.
pub(crate) fn attributes(technique: Technique, lanes: usize) -> Vec<&'static str> {
    let instructions: &[&str] = if technique.is_instruction() { &["aes"] } else { &[] };
    let wide: &[&str] = if technique.is_instruction() { &["vaes"] } else { &[] };
    // C uses byte shuffles at every width.
    let mut all = [instructions, &["ssse3"]].concat();
    if lanes > 1 {
        all.extend(["avx", "avx2"]);
        all.extend(wide);
    }
    let zmm = ["avx512f", "avx512bw", "avx512vl"];
    if lanes > 2 {
        all.extend(zmm);
    }
    let own: &[&str] = match technique {
        Technique::Gfni => &["gfni"],
        // Its look-ups are of zmm, whatever the width around them.
        Technique::Vbmi => &["avx", "avx2", zmm[0], zmm[1], zmm[2], "avx512vbmi"],
        _ => &[],
    };
    all.extend(own.iter().filter(|name| !all.contains(name)).copied().collect::<Vec<_>>());
    all
}

#[cfg(test)]
mod tests {
    use crate::features;
    use crate::levels::LEVELS;
    use crate::targets;

    #[test]
    fn a_kernel_that_is_longer_than_asked_for_is_refused() {
        let variant = crate::dimensions::variant("aes128-ctr width=xmm interleave=8").unwrap();
        let size = crate::kernels::build(&variant, &targets::ALL).unwrap().bytes.len();
        assert!(crate::kernels::build(&variant, &targets::ALL.of_bytes(size)).is_ok());
        let refused = crate::kernels::build(&variant, &targets::ALL.of_bytes(size - 1)).unwrap_err();
        assert!(refused.to_string().contains(&format!("would be {size} bytes")), "{refused}");
        let both = targets::ALL.of_bytes(700).within(targets::AESNI);
        assert_eq!((both.features, both.most_bytes), (targets::AESNI.features, 700));
    }

    #[test]
    fn a_set_of_features_is_a_level_or_a_list() {
        assert_eq!(targets::ALL.cpu(), "vaes");
        for level in LEVELS {
            let target = targets::of(level.features.and(features::PREFETCHW));
            assert_eq!(target.cpu(), level.name);
        }
        assert_eq!(targets::of(features::SSE2.and(features::GFNI)).cpu(), "gfni+sse2");
    }
}
