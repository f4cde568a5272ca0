//! Features of an x86-64 CPU, its identity, and the register state that the operating system enables.

use aesmith_processor::measured::{Features, Identity};
use raw_cpuid::{CpuId, CpuIdReader};

macro_rules! features {
    ($($name:ident $text:literal $bit:literal $doc:literal;)*) => {
        $(#[doc = $doc] pub const $name: Features = Features::bit($bit);)*
        /// The names of the features, by number.
        pub const NAMES: &[&str] = &[$($text),*];

        #[test]
        fn names_stand_at_their_numbers() {
            $(assert_eq!(NAMES[$bit], $text);)*
        }
    };
}

features! {
    AES "aes" 0 "AES instructions on 128 bits.";
    AVX "avx" 1 "VEX encodings, 256-bit registers.";
    AVX2 "avx2" 2 "Integer operations on 256 bits.";
    VAES "vaes" 3 "AES instructions on 256 and 512 bits.";
    AVX512F "avx512f" 4 "EVEX encodings, 512-bit registers, opmasks.";
    AVX512VL "avx512vl" 5 "EVEX encodings of 128 and 256 bits.";
    AVX512BW "avx512bw" 6 "AVX-512 on bytes and words, 64-bit opmasks.";
    AVX512DQ "avx512dq" 7 "AVX-512 additions for dwords and qwords.";
    AVX512VBMI "avx512vbmi" 8 "Byte permutations across lanes.";
    GFNI "gfni" 9 "Affine maps over GF(2) and GF(2^8).";
    VPCLMULQDQ "vpclmulqdq" 10 "Carry-less products on 256 and 512 bits.";
    PCLMULQDQ "pclmulqdq" 11 "Carry-less product.";
    BMI2 "bmi2" 12 "bzhi and flagless shifts.";
    MOVBE "movbe" 13 "Moves with byte reversal.";
    PREFETCHW "prefetchw" 14 "Prefetch for writing.";
    SSSE3 "ssse3" 15 "Byte shuffles.";
    SSE41 "sse4.1" 16 "Blends, inserts, extracts on 128 bits.";
    SSE2 "sse2" 17 "Integer operations on 128 bits: every x86-64.";
}

/// The features that this CPU has and its operating system enables: wide registers count only if XCR0 says that they
/// are saved (Intel SDM volume 1, 13.3 and 14.3).
pub fn of_this_cpu() -> Features {
    let cpuid = cpuid();
    let mut set = Features::NONE;
    let mut add = |present: bool, feature: Features| {
        if present {
            set = set.and(feature);
        }
    };
    let saved = SavedState::of_this_system();
    if let Some(f) = cpuid.get_feature_info() {
        add(f.has_sse2(), SSE2);
        add(f.has_aesni(), AES);
        add(f.has_avx() && saved.ymm, AVX);
        add(f.has_pclmulqdq(), PCLMULQDQ);
        add(f.has_movbe(), MOVBE);
        add(f.has_ssse3(), SSSE3);
        add(f.has_sse41(), SSE41);
    }
    if let Some(f) = cpuid.get_extended_feature_info() {
        add(f.has_avx2() && saved.ymm, AVX2);
        add(f.has_vaes() && saved.ymm, VAES);
        add(f.has_vpclmulqdq() && saved.ymm, VPCLMULQDQ);
        add(f.has_gfni(), GFNI);
        add(f.has_bmi2(), BMI2);
        add(f.has_avx512f() && saved.zmm, AVX512F);
        add(f.has_avx512vl() && saved.zmm, AVX512VL);
        add(f.has_avx512bw() && saved.zmm, AVX512BW);
        add(f.has_avx512dq() && saved.zmm, AVX512DQ);
        add(f.has_avx512vbmi() && saved.zmm, AVX512VBMI);
    }
    if let Some(f) = cpuid.get_extended_processor_and_feature_identifiers() {
        add(f.has_prefetchw(), PREFETCHW);
    }
    set
}

/// The wide registers that the operating system saves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavedState {
    /// XMM and the upper halves of YMM: XCR0 bits 1 and 2.
    pub ymm: bool,
    /// Also opmasks, the upper halves of ZMM0 to 15, and ZMM16 to 31: XCR0 bits 5 to 7.
    pub zmm: bool,
}

impl SavedState {
    /// Reads the saved state from XCR0.
    pub(crate) fn of_this_system() -> SavedState {
        let xsave = cpuid().get_feature_info().is_some_and(|f| f.has_oxsave());
        // SAFETY: OSXSAVE says that xgetbv exists; every program may read XCR0.
        let xcr0 = if xsave { unsafe { xcr0() } } else { 0 };
        SavedState { ymm: xcr0 & 0x06 == 0x06, zmm: xcr0 & 0xe6 == 0xe6 }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "xsave")]
unsafe fn xcr0() -> u64 {
    // SAFETY: register 0 exists wherever xgetbv does.
    unsafe { std::arch::x86_64::_xgetbv(0) }
}

/// Returns 0, as only x86-64 has the register.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn xcr0() -> u64 {
    0
}

/// The CPUID instruction. On other architectures each answer is 0, so that no feature is present.
fn cpuid() -> CpuId<impl CpuIdReader> {
    #[cfg(target_arch = "x86_64")]
    return CpuId::new();
    #[cfg(not(target_arch = "x86_64"))]
    CpuId::with_cpuid_reader(|_, _| raw_cpuid::CpuIdResult { eax: 0, ebx: 0, ecx: 0, edx: 0 })
}

/// The identity of this machine. Without CPUID the vendor is the name of the architecture, and nothing else is known.
pub(crate) fn of_this_machine() -> Identity {
    let cpuid = cpuid();
    let (family, model, stepping) =
        cpuid.get_feature_info().map_or((0, 0, 0), |f| (f.family_id(), f.model_id(), f.stepping_id()));
    let vendor = cpuid.get_vendor_info().map(|v| v.as_str().trim_matches('\0').to_owned());
    Identity {
        vendor: vendor.filter(|v| !v.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        family,
        model,
        stepping,
        features: of_this_cpu(),
        brand: cpuid
            .get_processor_brand_string()
            .map_or_else(|| "unnamed CPU".to_owned(), |b| b.as_str().trim().to_owned()),
        hypervisor: cpuid.get_hypervisor_info().map(|h| format!("{:?}", h.identify())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirements::REQUIREMENTS;

    #[cfg(not(target_arch = "x86_64"))]
    #[test]
    fn another_architecture_has_no_features() {
        let id = of_this_machine();
        assert_eq!((id.vendor.as_str(), id.features), (std::env::consts::ARCH, Features::NONE));
        assert!(!crate::processor::X86_64.is_here());
        assert_eq!(SavedState::of_this_system(), SavedState { ymm: false, zmm: false });
    }

    #[test]
    fn a_machine_without_the_features_of_every_cpu_is_another_processor() {
        let x86_64 = &crate::processor::X86_64;
        let with = |features| Identity { features, ..of_this_machine() };
        assert!(x86_64.matches(&with(SSE2.and(AES))));
        assert!(!x86_64.matches(&with(Features::NONE)) && !x86_64.matches(&with(AES)));
        assert_eq!(x86_64.is_here(), cfg!(target_arch = "x86_64"));
    }

    #[test]
    fn a_set_reads_back_as_written() {
        let set = AES.and(SSE41).and(AVX512VL);
        let names = REQUIREMENTS.names(set).collect::<Vec<_>>().join(" ");
        assert_eq!(names, "aes avx512vl sse4.1");
        assert_eq!(REQUIREMENTS.parse(&names), Ok(set));
        assert!(REQUIREMENTS.parse("aes avx1024").unwrap_err().contains("avx1024"));
    }

    /// An independent check: the standard library reads CPUID and XCR0 by itself.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn agrees_with_the_standard_library() {
        let here = of_this_cpu();
        for (feature, theirs) in [
            (AES, is_x86_feature_detected!("aes")),
            (AVX, is_x86_feature_detected!("avx")),
            (AVX2, is_x86_feature_detected!("avx2")),
            (VAES, is_x86_feature_detected!("vaes")),
            (AVX512F, is_x86_feature_detected!("avx512f")),
            (AVX512VL, is_x86_feature_detected!("avx512vl")),
            (AVX512BW, is_x86_feature_detected!("avx512bw")),
            (AVX512DQ, is_x86_feature_detected!("avx512dq")),
            (AVX512VBMI, is_x86_feature_detected!("avx512vbmi")),
            (GFNI, is_x86_feature_detected!("gfni")),
            (VPCLMULQDQ, is_x86_feature_detected!("vpclmulqdq")),
            (PCLMULQDQ, is_x86_feature_detected!("pclmulqdq")),
            (BMI2, is_x86_feature_detected!("bmi2")),
            (MOVBE, is_x86_feature_detected!("movbe")),
            (SSSE3, is_x86_feature_detected!("ssse3")),
            (SSE41, is_x86_feature_detected!("sse4.1")),
            (SSE2, is_x86_feature_detected!("sse2")),
        ] {
            assert_eq!(here.has(feature), theirs, "{feature:?}");
        }
    }
}
