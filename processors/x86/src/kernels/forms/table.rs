//! The forms of every operation, one row each.

use crate::kernels::vector::Operation::{self, *};
use crate::table::forms;
use aesmith_dataflow::Round;
use aesmith_dataflow::program::Element::{B8, B16, B32, B64};
use iced_x86::Code;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Chooses a row: the instruction in legacy encoding, with VEX and with EVEX. `W` and `N` stand for the register and its bits;
/// a name without them exists for xmm alone. `a|b` is `a` for xmm and `b` for wider registers; `-` is none.
macro_rules! rows {
    ($store:ident; $($pattern:pat $(if $guard:ident)? => $legacy:literal $vex:literal $evex:literal;)*) => {
        /// The form of an operation in each encoding and width: legacy xmm, VEX xmm and ymm, EVEX xmm, ymm
        /// and zmm.
        pub(super) fn code(operation: Operation, $store: bool) -> [Code; 6] {
            match operation {
                $($pattern $(if $guard)? => {
                    static CODES: LazyLock<[Code; 6]> = LazyLock::new(|| codes($legacy, $vex, $evex));
                    *CODES
                })*
                Prefetch => [Code::Prefetcht0_m8; 6],
                ShiftLeft(B8, _) | ShiftRight(B8, _) | Rotate(B8 | B16, _) => [Code::INVALID; 6],
            }
        }

        #[cfg(test)]
        const ROWS: &[[&str; 3]] = &[$([$legacy, $vex, $evex]),*];
    };
}

rows! { store;
    Aes(Round::Encrypt) => "Aesenc_xmm_xmmm128" "VEX_Vaesenc_W_W_WmN" "EVEX_Vaesenc_W_W_WmN";
    Aes(Round::EncryptLast) => "Aesenclast_xmm_xmmm128" "VEX_Vaesenclast_W_W_WmN" "EVEX_Vaesenclast_W_W_WmN";
    Aes(Round::Decrypt) => "Aesdec_xmm_xmmm128" "VEX_Vaesdec_W_W_WmN" "EVEX_Vaesdec_W_W_WmN";
    Aes(Round::DecryptLast) => "Aesdeclast_xmm_xmmm128" "VEX_Vaesdeclast_W_W_WmN" "EVEX_Vaesdeclast_W_W_WmN";
    InvMix => "Aesimc_xmm_xmmm128" "VEX_Vaesimc_xmm_xmmm128" "VEX_Vaesimc_xmm_xmmm128";
    Xor => "Pxor_xmm_xmmm128" "VEX_Vpxor_W_W_WmN" "EVEX_Vpxorq_W_k1z_W_WmNb64";
    Add64 => "Paddq_xmm_xmmm128" "VEX_Vpaddq_W_W_WmN" "EVEX_Vpaddq_W_k1z_W_WmNb64";
    Add32 => "Paddd_xmm_xmmm128" "VEX_Vpaddd_W_W_WmN" "EVEX_Vpaddd_W_k1z_W_WmNb32";
    Shuffle => "Pshufb_xmm_xmmm128" "VEX_Vpshufb_W_W_WmN" "EVEX_Vpshufb_W_k1z_W_WmN";
    Load | Store if store => "Movdqu_xmmm128_xmm" "VEX_Vmovdqu_WmN_W" "EVEX_Vmovdqu64_WmN_k1z_W";
    Load | Store => "Movdqu_xmm_xmmm128" "VEX_Vmovdqu_W_WmN" "EVEX_Vmovdqu64_W_k1z_WmN";
    Broadcast =>
        "Movdqu_xmm_xmmm128"
        "VEX_Vmovdqu_xmm_xmmm128|VEX_Vbroadcasti128_ymm_m128"
        "EVEX_Vmovdqu64_xmm_k1z_xmmm128|EVEX_Vbroadcasti32x4_W_k1z_m128";
    Previous =>
        "Movdqa_xmm_xmmm128"
        "VEX_Vmovdqu_xmm_xmmm128|VEX_Vperm2i128_ymm_ymm_ymmm256_imm8"
        "EVEX_Vmovdqu64_xmm_k1z_xmmm128|EVEX_Valignq_W_k1z_W_WmNb64_imm8";
    Insert(_) => "-" "-|VEX_Vinserti128_W_W_xmmm128_imm8" "-|EVEX_Vinserti32x4_W_k1z_W_xmmm128_imm8";
    Lanes(_) => "-" "-|VEX_Vperm2i128_ymm_ymm_ymmm256_imm8" "-|EVEX_Vshufi32x4_W_k1z_W_WmNb32_imm8";
    Extract(_) => "-" "-|VEX_Vextracti128_xmmm128_ymm_imm8" "-|EVEX_Vextracti32x4_xmmm128_k1z_W_imm8";
    Stream => "Movntdq_m128_xmm" "VEX_Vmovntdq_mN_W" "EVEX_Vmovntdq_mN_W";
    And => "Pand_xmm_xmmm128" "VEX_Vpand_W_W_WmN" "EVEX_Vpandq_W_k1z_W_WmNb64";
    Or => "Por_xmm_xmmm128" "VEX_Vpor_W_W_WmN" "EVEX_Vpord_W_k1z_W_WmNb32";
    AndNot => "Pandn_xmm_xmmm128" "VEX_Vpandn_W_W_WmN" "EVEX_Vpandnd_W_k1z_W_WmNb32";
    AddBytes => "Paddb_xmm_xmmm128" "VEX_Vpaddb_W_W_WmN" "EVEX_Vpaddb_W_k1z_W_WmN";
    Multiply => "Gf2p8mulb_xmm_xmmm128" "VEX_Vgf2p8mulb_W_W_WmN" "EVEX_Vgf2p8mulb_W_k1z_W_WmN";
    Carryless(_) => "Pclmulqdq_xmm_xmmm128_imm8" "VEX_Vpclmulqdq_W_W_WmN_imm8" "EVEX_Vpclmulqdq_W_W_WmN_imm8";
    Affine { inverse: false, .. } =>
        "Gf2p8affineqb_xmm_xmmm128_imm8"
        "VEX_Vgf2p8affineqb_W_W_WmN_imm8"
        "EVEX_Vgf2p8affineqb_W_k1z_W_WmNb64_imm8";
    Affine { inverse: true, .. } =>
        "Gf2p8affineinvqb_xmm_xmmm128_imm8"
        "VEX_Vgf2p8affineinvqb_W_W_WmN_imm8"
        "EVEX_Vgf2p8affineinvqb_W_k1z_W_WmNb64_imm8";
    AlignBytes(_) => "Palignr_xmm_xmmm128_imm8" "VEX_Vpalignr_W_W_WmN_imm8" "EVEX_Vpalignr_W_k1z_W_WmN_imm8";
    ShuffleDwords(_) => "Pshufd_xmm_xmmm128_imm8" "VEX_Vpshufd_W_WmN_imm8" "EVEX_Vpshufd_W_k1z_WmNb32_imm8";
    ShuffleLow(_) => "Pshuflw_xmm_xmmm128_imm8" "VEX_Vpshuflw_W_WmN_imm8" "EVEX_Vpshuflw_W_k1z_WmN_imm8";
    ShuffleHigh(_) => "Pshufhw_xmm_xmmm128_imm8" "VEX_Vpshufhw_W_WmN_imm8" "EVEX_Vpshufhw_W_k1z_WmN_imm8";
    ShiftLeft(B16, _) => "Psllw_xmm_imm8" "VEX_Vpsllw_W_W_imm8" "EVEX_Vpsllw_W_k1z_WmN_imm8";
    ShiftLeft(B32, _) => "Pslld_xmm_imm8" "VEX_Vpslld_W_W_imm8" "EVEX_Vpslld_W_k1z_WmNb32_imm8";
    ShiftLeft(B64, _) => "Psllq_xmm_imm8" "VEX_Vpsllq_W_W_imm8" "EVEX_Vpsllq_W_k1z_WmNb64_imm8";
    BytesLeft(_) => "Pslldq_xmm_imm8" "VEX_Vpslldq_W_W_imm8" "EVEX_Vpslldq_W_WmN_imm8";
    ShiftRight(B16, _) => "Psrlw_xmm_imm8" "VEX_Vpsrlw_W_W_imm8" "EVEX_Vpsrlw_W_k1z_WmN_imm8";
    ShiftRight(B32, _) => "Psrld_xmm_imm8" "VEX_Vpsrld_W_W_imm8" "EVEX_Vpsrld_W_k1z_WmNb32_imm8";
    ShiftRight(B64, _) => "Psrlq_xmm_imm8" "VEX_Vpsrlq_W_W_imm8" "EVEX_Vpsrlq_W_k1z_WmNb64_imm8";
    BytesRight(_) => "Psrldq_xmm_imm8" "VEX_Vpsrldq_W_W_imm8" "EVEX_Vpsrldq_W_WmN_imm8";
    Rotate(B32, _) => "-" "-" "EVEX_Vprord_W_k1z_WmNb32_imm8";
    Rotate(B64, _) => "-" "-" "EVEX_Vprorq_W_k1z_WmNb64_imm8";
    Interleave(B8, false) => "Punpcklbw_xmm_xmmm128" "VEX_Vpunpcklbw_W_W_WmN" "EVEX_Vpunpcklbw_W_k1z_W_WmN";
    Interleave(B16, false) => "Punpcklwd_xmm_xmmm128" "VEX_Vpunpcklwd_W_W_WmN" "EVEX_Vpunpcklwd_W_k1z_W_WmN";
    Interleave(B32, false) => "Punpckldq_xmm_xmmm128" "VEX_Vpunpckldq_W_W_WmN" "EVEX_Vpunpckldq_W_k1z_W_WmNb32";
    Interleave(B64, false) =>
        "Punpcklqdq_xmm_xmmm128"
        "VEX_Vpunpcklqdq_W_W_WmN"
        "EVEX_Vpunpcklqdq_W_k1z_W_WmNb64";
    Interleave(B8, true) => "Punpckhbw_xmm_xmmm128" "VEX_Vpunpckhbw_W_W_WmN" "EVEX_Vpunpckhbw_W_k1z_W_WmN";
    Interleave(B16, true) => "Punpckhwd_xmm_xmmm128" "VEX_Vpunpckhwd_W_W_WmN" "EVEX_Vpunpckhwd_W_k1z_W_WmN";
    Interleave(B32, true) => "Punpckhdq_xmm_xmmm128" "VEX_Vpunpckhdq_W_W_WmN" "EVEX_Vpunpckhdq_W_k1z_W_WmNb32";
    Interleave(B64, true) => "Punpckhqdq_xmm_xmmm128" "VEX_Vpunpckhqdq_W_W_WmN" "EVEX_Vpunpckhqdq_W_k1z_W_WmNb64";
    Ternary(_) => "-" "-" "EVEX_Vpternlogd_W_k1z_W_WmNb32_imm8";
    PermuteTwo => "-" "-" "EVEX_Vpermi2b_W_k1z_W_WmN";
    Select => "-" "-" "EVEX_Vpblendmb_W_k1z_W_WmN";
    GreaterBytes => "Pcmpgtb_xmm_xmmm128" "VEX_Vpcmpgtb_W_W_WmN" "-";
    Sign => "-" "-" "EVEX_Vpmovm2b_W_kr";
    KeyAssist(_) =>
        "Aeskeygenassist_xmm_xmmm128_imm8"
        "VEX_Vaeskeygenassist_xmm_xmmm128_imm8"
        "VEX_Vaeskeygenassist_xmm_xmmm128_imm8";
    LoadLow => "Movq_xmm_xmmm64" "VEX_Vmovq_xmm_xmmm64" "EVEX_Vmovq_xmm_xmmm64";
    StoreDword => "Movd_rm32_xmm" "VEX_Vmovd_rm32_xmm" "EVEX_Vmovd_rm32_xmm";
    BroadcastDword => "-" "VEX_Vpbroadcastd_W_xmmm32" "EVEX_Vpbroadcastd_W_k1z_xmmm32";
}

/// The codes of a row.
fn codes(legacy: &str, vex: &str, evex: &str) -> [Code; 6] {
    let columns = [(legacy, 0), (vex, 0), (vex, 1), (evex, 0), (evex, 1), (evex, 2)];
    columns.map(|(names, width)| named(names, width))
}

/// The instruction with a name for registers of a width.
fn named(names: &str, width: usize) -> Code {
    static BY_NAME: LazyLock<HashMap<String, Code>> =
        LazyLock::new(|| forms().map(|form| (format!("{:?}", form.code), form.code)).collect());
    let (narrow, wide) = names.split_once('|').unwrap_or((names, names));
    let name = if width == 0 { narrow } else { wide };
    let register = ["xmm", "ymm", "zmm"][width];
    let exists = name != "-" && (width == 0 || names.contains(['|', 'W', 'N']));
    if !exists {
        return Code::INVALID;
    }
    let name = name.replace('W', register).replace('N', ["128", "256", "512"][width]);
    *BY_NAME.get(&name).unwrap_or_else(|| panic!("{name} has no row in the table of instructions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_an_instruction() {
        let all: Vec<Code> = ROWS.iter().flat_map(|[legacy, vex, evex]| codes(legacy, vex, evex)).collect();
        let some = all.iter().filter(|code| **code != Code::INVALID).count();
        assert!(all.len() > 300 && some > 280, "{some} of {}", all.len());
    }
}
