//! The CPU features that a kernel's instructions need, read from its bytes, and the CPUID bits that report them
//! (Intel SDM volume 1, 13 and 14; volume 2, CPUID).

use super::listing::Listing;
use iced_x86::{CpuidFeature, EncodingKind, OpKind};
use std::collections::BTreeSet;

/// A register that CPUID returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// EBX of leaf 7.
    Leaf7Ebx,
    /// ECX of leaf 7.
    Leaf7Ecx,
    /// ECX of leaf 1.
    Leaf1Ecx,
}

impl Output {
    /// Its name in the generated C.
    pub fn c_name(self) -> &'static str {
        match self {
            Output::Leaf7Ebx => "leaf7_ebx",
            Output::Leaf7Ecx => "leaf7_ecx",
            Output::Leaf1Ecx => "leaf1_ecx",
        }
    }
}

/// The state that the operating system must save: bits of XCR0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// XMM registers only, which every x86-64 system saves.
    Xmm,
    /// XMM and YMM.
    Ymm,
    /// Like `Ymm`, and the mask registers, ZMM and registers 16 to 31.
    Zmm,
}

impl State {
    /// The bits of XCR0 that must be set.
    pub(crate) fn xcr0(self) -> u32 {
        match self {
            State::Xmm => 0,
            State::Ymm => 0x06,
            State::Zmm => 0xe6,
        }
    }
}

/// A CPU feature.
#[derive(Debug)]
pub struct Feature {
    /// Its name in texts and in `__attribute__((target))`.
    pub name: &'static str,
    /// The CPUID output that reports it.
    pub output: Output,
    /// The number of the bit.
    pub bit: u32,
    /// The state that the system must save for it.
    pub state: State,
    iced: CpuidFeature,
}

macro_rules! features {
    ($($name:literal $iced:ident $output:ident $bit:literal $state:ident;)*) => {
        /// The features that kernels may need beyond x86-64 itself.
        pub(crate) const FEATURES: &[Feature] = &[$(Feature {
            name: $name, output: Output::$output, bit: $bit, state: State::$state,
            iced: CpuidFeature::$iced,
        }),*];
    };
}

features! {
    "sse3"      SSE3       Leaf1Ecx  0 Xmm;
    "pclmul"    PCLMULQDQ  Leaf1Ecx  1 Xmm;
    "ssse3"     SSSE3      Leaf1Ecx  9 Xmm;
    "sse4.1"    SSE4_1     Leaf1Ecx 19 Xmm;
    "movbe"     MOVBE      Leaf1Ecx 22 Xmm;
    "aes"       AES        Leaf1Ecx 25 Xmm;
    "avx"       AVX        Leaf1Ecx 28 Ymm;
    "bmi"       BMI1       Leaf7Ebx  3 Xmm;
    "avx2"      AVX2       Leaf7Ebx  5 Ymm;
    "bmi2"      BMI2       Leaf7Ebx  8 Xmm;
    "avx512f"   AVX512F    Leaf7Ebx 16 Zmm;
    "avx512dq"  AVX512DQ   Leaf7Ebx 17 Zmm;
    "avx512bw"  AVX512BW   Leaf7Ebx 30 Zmm;
    "avx512vl"  AVX512VL   Leaf7Ebx 31 Zmm;
    "avx512vbmi" AVX512_VBMI Leaf7Ecx 1 Zmm;
    "gfni"      GFNI       Leaf7Ecx  8 Xmm;
    "vaes"      VAES       Leaf7Ecx  9 Ymm;
    "vpclmulqdq" VPCLMULQDQ Leaf7Ecx 10 Ymm;
}

/// Features that every x86-64 CPU has.
const ALWAYS: &[CpuidFeature] = &[
    CpuidFeature::INTEL8086,
    CpuidFeature::INTEL186,
    CpuidFeature::INTEL386,
    CpuidFeature::INTEL486,
    CpuidFeature::X64,
    CpuidFeature::CMOV,
    CpuidFeature::SSE,
    CpuidFeature::SSE2,
    CpuidFeature::CLFSH,
    CpuidFeature::MULTIBYTENOP,
    // endbr64 is a NOP on every x86-64 CPU that does not implement it (Intel SDM volume 2).
    CpuidFeature::CET_IBT,
];

/// The features that these bytes need, in table order.
///
/// # Errors
/// The bytes are not a kernel, or an instruction needs a feature that is not in the table.
pub fn needed(bytes: &[u8]) -> Result<Vec<&'static Feature>, String> {
    let listing = Listing::new(bytes)?;
    let mut needed = BTreeSet::new();
    for (at, instruction) in &listing.code {
        // iced lists PREFETCH under features of its own; every x86-64 CPU has it.
        for feature in instruction.cpuid_features().iter().filter(|f| !ALWAYS.contains(f)) {
            let Some(index) = FEATURES.iter().position(|f| f.iced == *feature) else {
                return Err(format!(
                    "at offset {at:#x}: the instruction needs {feature:?}, for which no CPUID bit is in \
                     the table of processors/x86/src/print/needs.rs"
                ));
            };
            needed.insert(index);
        }
        // EVEX forms of the AES instructions are listed only under VAES and AVX512VL.
        let zmm = |n| instruction.op_kind(n) == OpKind::Register && instruction.op_register(n).is_zmm();
        if instruction.encoding() == EncodingKind::EVEX || (0..instruction.op_count()).any(zmm) {
            needed.insert(FEATURES.iter().position(|f| f.name == "avx512f").expect("in the table"));
        }
    }
    Ok(needed.into_iter().map(|i| &FEATURES[i]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dimensions::{self, Dim};
    use crate::kernels::build;
    use crate::targets;

    #[test]
    fn widths_need_their_features() {
        for (width, present, absent) in [
            (0, &["aes", "avx"][..], &["avx2", "avx512f", "vaes"][..]),
            (2, &["vaes", "avx512f", "avx512bw", "bmi2"], &["gfni"]),
        ] {
            let problem = "aes128-ctr".parse().unwrap();
            let kernel =
                build(&dimensions::baseline(problem).with(Dim::Width, width), &targets::ALL).unwrap();
            let names: Vec<_> = needed(&kernel.bytes).unwrap().iter().map(|f| f.name).collect();
            assert!(present.iter().all(|n| names.contains(n)), "{names:?}");
            assert!(absent.iter().all(|n| !names.contains(n)), "{names:?}");
        }
    }
}
