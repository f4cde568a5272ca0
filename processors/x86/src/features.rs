//! What an x86-64 CPU can do, which CPU it is, and what the operating system lets programs use.

use raw_cpuid::{CpuId, CpuIdReader};
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! features {
    ($($name:ident $text:literal $bit:literal $doc:literal;)*) => {
        impl Features {
            $(#[doc = $doc] pub const $name: Features = Features(1 << $bit);)*
            /// Every feature with its name, in the order in which sets are printed.
            pub const NAMED: &'static [(&'static str, Features)] = &[$(($text, Features::$name)),*];
        }
    };
}

/// A set of CPU features. Written and stored as names with spaces between.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Features(u32);

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

impl Features {
    /// The empty set.
    pub const NONE: Features = Features(0);

    /// Those of both.
    pub const fn and(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// Whether all of `needed` are here.
    pub const fn has(self, needed: Features) -> bool {
        needed.0 & !self.0 == 0
    }

    /// Those of `self` that are not in `present`.
    pub const fn missing_in(self, present: Features) -> Features {
        Features(self.0 & !present.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names, in a fixed order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Features::NAMED.iter().filter(move |(_, f)| self.has(*f)).map(|(name, _)| *name)
    }

    /// The set of a text of names.
    ///
    /// # Errors
    /// Names the first word that is no feature.
    pub fn parse(text: &str) -> Result<Features, String> {
        text.split_whitespace().try_fold(Features::NONE, |set, word| {
            let known = Features::NAMED.iter().find(|(name, _)| *name == word);
            known.map(|(_, f)| set.and(*f)).ok_or_else(|| format!("there is no CPU feature '{word}'"))
        })
    }

    /// What this CPU has and its operating system lets programs use: wide registers count only
    /// if XCR0 says that they are saved (Intel SDM volume 1, 13.3 and 14.3).
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
            add(f.has_sse2(), Features::SSE2);
            add(f.has_aesni(), Features::AES);
            add(f.has_avx() && saved.ymm, Features::AVX);
            add(f.has_pclmulqdq(), Features::PCLMULQDQ);
            add(f.has_movbe(), Features::MOVBE);
            add(f.has_ssse3(), Features::SSSE3);
            add(f.has_sse41(), Features::SSE41);
        }
        if let Some(f) = cpuid.get_extended_feature_info() {
            add(f.has_avx2() && saved.ymm, Features::AVX2);
            add(f.has_vaes() && saved.ymm, Features::VAES);
            add(f.has_vpclmulqdq() && saved.ymm, Features::VPCLMULQDQ);
            add(f.has_gfni(), Features::GFNI);
            add(f.has_bmi2(), Features::BMI2);
            add(f.has_avx512f() && saved.zmm, Features::AVX512F);
            add(f.has_avx512vl() && saved.zmm, Features::AVX512VL);
            add(f.has_avx512bw() && saved.zmm, Features::AVX512BW);
            add(f.has_avx512dq() && saved.zmm, Features::AVX512DQ);
            add(f.has_avx512vbmi() && saved.zmm, Features::AVX512VBMI);
        }
        if let Some(f) = cpuid.get_extended_processor_and_feature_identifiers() {
            add(f.has_prefetchw(), Features::PREFETCHW);
        }
        set
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

impl Serialize for Features {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Features {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Features::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Which wide registers the operating system saves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavedState {
    /// XMM and the upper halves of YMM: XCR0 bits 1 and 2.
    pub ymm: bool,
    /// Also opmasks, the upper halves of ZMM and ZMM16 to 31: XCR0 bits 5 to 7.
    pub zmm: bool,
}

impl SavedState {
    /// Read from XCR0.
    pub fn of_this_system() -> SavedState {
        let xsave = cpuid().get_feature_info().is_some_and(|f| f.has_oxsave());
        // SAFETY: OSXSAVE says that xgetbv is there; XCR0 is readable by every program.
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

/// Only x86-64 has the register.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn xcr0() -> u64 {
    0
}

/// What the instruction CPUID says. A machine of another architecture does not have it: each of its answers
/// is 0 there, which says that nothing is present.
fn cpuid() -> CpuId<impl CpuIdReader> {
    #[cfg(target_arch = "x86_64")]
    return CpuId::new();
    #[cfg(not(target_arch = "x86_64"))]
    CpuId::with_cpuid_reader(|_, _| raw_cpuid::CpuIdResult { eax: 0, ebx: 0, ecx: 0, edx: 0 })
}

/// Which CPU a result belongs to: results are never mixed across two of these.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ProcessorId {
    /// As cpuid spells it: GenuineIntel, AuthenticAMD, ... On a machine without CPUID, the name of its
    /// architecture; nothing else is known of it then.
    pub vendor: String,
    /// Family, extended family added.
    pub family: u8,
    /// Model, extended model included.
    pub model: u8,
    /// Stepping.
    pub stepping: u8,
    /// Features that programs can use.
    pub features: Features,
}

impl ProcessorId {
    /// This CPU.
    pub fn of_this_cpu() -> ProcessorId {
        let cpuid = cpuid();
        let (family, model, stepping) =
            cpuid.get_feature_info().map_or((0, 0, 0), |f| (f.family_id(), f.model_id(), f.stepping_id()));
        let vendor = cpuid.get_vendor_info().map(|v| v.as_str().trim_matches('\0').to_owned());
        let vendor = vendor.filter(|v| !v.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        ProcessorId { vendor, family, model, stepping, features: Features::of_this_cpu() }
    }
}

impl fmt::Display for ProcessorId {
    /// One line that is the same for the same processor and differs for another: a store's key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProcessorId { vendor, family, model, stepping, features } = self;
        write!(f, "{vendor} family {family} model {model} stepping {stepping} [{features}]")
    }
}

/// What else is worth recording of a CPU: it names a machine for a reader, and is no key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Description {
    /// The vendor's name of the model.
    pub brand: String,
    /// The hypervisor's signature; none on bare metal.
    pub hypervisor: Option<String>,
}

impl Description {
    /// This CPU.
    pub fn of_this_cpu() -> Description {
        let cpuid = cpuid();
        Description {
            brand: cpuid
                .get_processor_brand_string()
                .map_or_else(|| "unnamed CPU".to_owned(), |b| b.as_str().trim().to_owned()),
            hypervisor: cpuid.get_hypervisor_info().map(|h| format!("{:?}", h.identify())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(target_arch = "x86_64"))]
    #[test]
    fn another_architecture_has_no_features() {
        let id = ProcessorId::of_this_cpu();
        assert_eq!((id.vendor.as_str(), id.features), (std::env::consts::ARCH, Features::NONE));
        assert_eq!(SavedState::of_this_system(), SavedState { ymm: false, zmm: false });
    }

    #[test]
    fn a_set_reads_back_as_written() {
        let set = Features::AES.and(Features::SSE41).and(Features::AVX512VL);
        assert_eq!(set.to_string(), "aes avx512vl sse4.1");
        assert_eq!(Features::parse(&set.to_string()), Ok(set));
        assert!(Features::parse("aes avx1024").unwrap_err().contains("avx1024"));
    }

    #[test]
    fn a_processor_reads_back_as_stored() {
        let id = ProcessorId::of_this_cpu();
        let text = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<ProcessorId>(&text).unwrap(), id);
        let other = text.replace("\"features\":\"", "\"features\":\"quantum ");
        assert!(serde_json::from_str::<ProcessorId>(&other).unwrap_err().to_string().contains("'quantum'"));
    }

    /// The standard library reads cpuid and XCR0 by itself: a second opinion.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn agrees_with_the_standard_library() {
        let here = Features::of_this_cpu();
        for (feature, theirs) in [
            (Features::AES, is_x86_feature_detected!("aes")),
            (Features::AVX, is_x86_feature_detected!("avx")),
            (Features::AVX2, is_x86_feature_detected!("avx2")),
            (Features::VAES, is_x86_feature_detected!("vaes")),
            (Features::AVX512F, is_x86_feature_detected!("avx512f")),
            (Features::AVX512VL, is_x86_feature_detected!("avx512vl")),
            (Features::AVX512BW, is_x86_feature_detected!("avx512bw")),
            (Features::AVX512DQ, is_x86_feature_detected!("avx512dq")),
            (Features::AVX512VBMI, is_x86_feature_detected!("avx512vbmi")),
            (Features::GFNI, is_x86_feature_detected!("gfni")),
            (Features::VPCLMULQDQ, is_x86_feature_detected!("vpclmulqdq")),
            (Features::PCLMULQDQ, is_x86_feature_detected!("pclmulqdq")),
            (Features::BMI2, is_x86_feature_detected!("bmi2")),
            (Features::MOVBE, is_x86_feature_detected!("movbe")),
            (Features::SSSE3, is_x86_feature_detected!("ssse3")),
            (Features::SSE41, is_x86_feature_detected!("sse4.1")),
            (Features::SSE2, is_x86_feature_detected!("sse2")),
        ] {
            assert_eq!(here.has(feature), theirs, "{feature}");
        }
    }
}
