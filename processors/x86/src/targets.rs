//! Named sets of x86-64 features that kernels are made for.

use crate::features;
use crate::processor::X86_64;
use crate::requirements::VEX;
use aesmith_processor::measured::{Features, Target};

/// All features that kernels can use.
pub const ALL: Target = of(crate::requirements::USED);
/// Two-operand AES instructions and carry-less products.
pub const AESNI_SSE: Target =
    of(features::SSE2.and(features::SSSE3).and(features::SSE41).and(features::AES).and(features::PCLMULQDQ));
/// Three-operand AES instructions and carry-less products on xmm.
pub const AESNI: Target = of(VEX.and(features::AES).and(features::PCLMULQDQ));
/// AES and carry-less products on ymm, without AVX-512.
pub const VAES: Target = of(AESNI.features.and(features::AVX2).and(features::VAES).and(features::VPCLMULQDQ));
/// No feature that kernels could use.
pub const NONE: Target = of(Features::NONE);

/// A target with these features.
pub const fn of(features: Features) -> Target {
    Target::of(&X86_64, features)
}

/// The machine that the program runs on.
pub fn here() -> Target {
    Target::here(&X86_64)
}
