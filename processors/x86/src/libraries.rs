//! Environment variables that restrict other libraries to the features of a less capable CPU.

use crate::features::{self, NAMES};
use crate::print::needs::{FEATURES, Output};
use aesmith_processor::measured::Features;

/// Features that libraries use and our kernels do not, with their CPUID bits; [`FEATURES`] has those of our
/// kernels.
const OF_OTHERS: &[(Features, Output, u32)] =
    &[(features::PCLMULQDQ, Output::Leaf1Ecx, 1), (features::VPCLMULQDQ, Output::Leaf7Ecx, 10)];

/// The variables that restrict libraries to these features. OpenSSL and AWS-LC, which inherits it from OpenSSL,
/// take masks of the CPUID output: EDX and ECX of leaf 1 as one number, then EBX and ECX of leaf 7
/// (OPENSSL_ia32cap(3)).
pub fn withheld(allowed: Features) -> Vec<(&'static str, String)> {
    let named = |name: &str| NAMES.iter().position(|known| *known == name);
    let ours = FEATURES.iter().filter_map(|f| {
        let feature = Features::bit(named(f.name)? as u32);
        Some((feature, f.output, f.bit))
    });
    let (mut leaf1, mut leaf7) = (0u64, 0u64);
    for (feature, output, bit) in ours.chain(OF_OTHERS.iter().copied()) {
        if allowed.has(feature) {
            continue;
        }
        match output {
            Output::Leaf1Ecx => leaf1 |= 1 << (32 + bit),
            Output::Leaf7Ebx => leaf7 |= 1 << bit,
            Output::Leaf7Ecx => leaf7 |= 1 << (32 + bit),
        }
    }
    vec![("OPENSSL_ia32cap", format!("~{leaf1:#x}:~{leaf7:#x}"))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirements::REQUIREMENTS;

    /// The masks, by the bits of Intel's manual.
    #[test]
    fn what_a_level_lacks_is_taken_away() {
        let masks = |level: &str| {
            let all = withheld(REQUIREMENTS.level(level).unwrap());
            let (first, second) = all[0].1.split_once(':').unwrap();
            [first, second].map(|mask| u64::from_str_radix(mask.trim_start_matches("~0x"), 16).unwrap())
        };
        let has = |mask: u64, bit: u32| mask >> bit & 1 == 1;
        let [leaf1, leaf7] = masks("avx2");
        // AES (ECX 25), PCLMULQDQ (ECX 1) and VAES (leaf 7, ECX 9) are cleared; AVX (ECX 28), SSSE3 and AVX2
        // (EBX 5) stay.
        assert!(has(leaf1, 57) && has(leaf1, 33) && has(leaf7, 41) && has(leaf7, 16));
        assert!(!has(leaf1, 60) && !has(leaf1, 41) && !has(leaf7, 5));
        let [leaf1, _] = masks("sse2");
        assert!(has(leaf1, 41) && has(leaf1, 60));
        assert_eq!(masks("vaes")[0] >> 57 & 1, 0);
    }
}
