//! What the machine that a kernel is written for offers.

use std::fmt;

/// Features that decide which forms a kernel may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// AES instructions on xmm with three operands (AES and AVX).
    pub aes: bool,
    /// AES instructions on ymm (VAES and AVX2).
    pub vaes: bool,
    /// AVX-512 F, VL, BW, DQ and BMI2: 32 registers, masks, zmm.
    pub avx512: bool,
}

impl Target {
    /// Everything that kernels know how to use.
    pub const ALL: Target = Target { aes: true, vaes: true, avx512: true };

    /// This machine.
    #[cfg(target_arch = "x86_64")]
    pub fn native() -> Target {
        use std::arch::is_x86_feature_detected as has;
        let aes = has!("aes") && has!("avx");
        let vaes = aes && has!("vaes") && has!("avx2");
        let avx512 =
            has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") && has!("bmi2");
        Target { aes, vaes, avx512: vaes && avx512 }
    }

    /// This machine, which has no x86 AES instructions.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn native() -> Target {
        Target { aes: false, vaes: false, avx512: false }
    }

    /// Blocks in the widest register that has AES instructions: 4, 2, 1, or 0 without any.
    pub fn lanes(&self) -> usize {
        match (self.aes, self.vaes, self.avx512) {
            (false, ..) => 0,
            (true, false, _) => 1,
            (true, true, false) => 2,
            (true, true, true) => 4,
        }
    }

    /// Whether registers of this many lanes are written in EVEX form: 32 of them, and masks.
    /// xmm is kept to VEX, so that the AES-NI technique runs without AVX-512.
    pub fn evex(&self, lanes: usize) -> bool {
        lanes > 1 && self.avx512
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.lanes() {
            0 => "no AES instructions",
            1 => "AES-NI on xmm",
            2 => "VAES on ymm",
            _ => "VAES on zmm (AVX-512)",
        })
    }
}
