//! The measured rows: a representative of each kind of instruction, and mixes of two kinds.

use aesmith_processor::measured::TimingClass as C;
use iced_x86::Code;

/// Layout of a form's operands in a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// `d = d op s`
    Three,
    /// `d = d op s` under an opmask
    Masked,
    /// `d = d op s, imm`
    ThreeImmediate,
    /// `d = op d, imm`
    TwoImmediate,
    /// `d = op d`
    Two,
    /// `d = d op s`, in two operands
    Update,
    /// `d = op d`, in one operand
    One,
    /// `d = d op imm`, in two operands
    UpdateImmediate,
    /// `d = d op s, imm`, in two operands
    UpdateThreeImmediate,
    /// `d = address of [d + 8]`
    Address,
    /// `d = xmm s`, from a wider or narrower register: no chain
    Convert(bool),
    /// `d = lowest element of xmm s`: no chain
    Repeat,
    /// `opmask d = vector or scalar s`: no chain
    ToMask,
    /// `d = opmask s`: no chain
    OfMask,
    /// `d = [memory]`
    Load,
    /// `[memory] = s`
    Store,
    /// `d = vector s` or `vector d = s`: no chain
    ToVector,
    /// `scalar d = vector s`: no chain
    FromVector,
    /// No operands
    Nothing,
}

/// A form with its operands' layout.
pub(super) type Row = (Code, Shape);

/// The measured forms: a representative of each kind.
pub(super) const ROWS: &[Row] = {
    use Code::*;
    use Shape::*;
    &[
        (VEX_Vaesenc_xmm_xmm_xmmm128, Three),
        (VEX_Vaesenc_ymm_ymm_ymmm256, Three),
        (EVEX_Vaesenc_zmm_zmm_zmmm512, Three),
        (VEX_Vaesimc_xmm_xmmm128, Two),
        (VEX_Vaeskeygenassist_xmm_xmmm128_imm8, TwoImmediate),
        (VEX_Vpxor_xmm_xmm_xmmm128, Three),
        (VEX_Vpxor_ymm_ymm_ymmm256, Three),
        (EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, Three),
        (VEX_Vpaddq_xmm_xmm_xmmm128, Three),
        (VEX_Vpaddq_ymm_ymm_ymmm256, Three),
        (EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, Three),
        (VEX_Vpsrlq_xmm_xmm_imm8, TwoImmediate),
        (VEX_Vpsrlq_ymm_ymm_imm8, TwoImmediate),
        (EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, TwoImmediate),
        (VEX_Vgf2p8affineqb_xmm_xmm_xmmm128_imm8, ThreeImmediate),
        (VEX_Vgf2p8affineqb_ymm_ymm_ymmm256_imm8, ThreeImmediate),
        (EVEX_Vgf2p8affineqb_zmm_k1z_zmm_zmmm512b64_imm8, ThreeImmediate),
        (VEX_Vgf2p8mulb_xmm_xmm_xmmm128, Three),
        (VEX_Vgf2p8mulb_ymm_ymm_ymmm256, Three),
        (EVEX_Vgf2p8mulb_zmm_k1z_zmm_zmmm512, Three),
        (VEX_Vpclmulqdq_xmm_xmm_xmmm128_imm8, ThreeImmediate),
        (VEX_Vpclmulqdq_ymm_ymm_ymmm256_imm8, ThreeImmediate),
        (EVEX_Vpclmulqdq_zmm_zmm_zmmm512_imm8, ThreeImmediate),
        (EVEX_Vpblendmb_xmm_k1z_xmm_xmmm128, Masked),
        (EVEX_Vpblendmb_ymm_k1z_ymm_ymmm256, Masked),
        (EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512, Masked),
        (VEX_Vpblendd_xmm_xmm_xmmm128_imm8, ThreeImmediate),
        (VEX_Vpblendd_ymm_ymm_ymmm256_imm8, ThreeImmediate),
        (VEX_Vpshufb_xmm_xmm_xmmm128, Three),
        (VEX_Vpshufb_ymm_ymm_ymmm256, Three),
        (EVEX_Vpshufb_zmm_k1z_zmm_zmmm512, Three),
        (VEX_Vpermq_ymm_ymmm256_imm8, TwoImmediate),
        (EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8, ThreeImmediate),
        (EVEX_Vpermb_xmm_k1z_xmm_xmmm128, Three),
        (EVEX_Vpermb_ymm_k1z_ymm_ymmm256, Three),
        (EVEX_Vpermb_zmm_k1z_zmm_zmmm512, Three),
        (EVEX_Vpermi2b_xmm_k1z_xmm_xmmm128, Three),
        (EVEX_Vpermi2b_ymm_k1z_ymm_ymmm256, Three),
        (EVEX_Vpermi2b_zmm_k1z_zmm_zmmm512, Three),
        (EVEX_Vpmovb2m_kr_xmm, ToMask),
        (EVEX_Vpmovb2m_kr_ymm, ToMask),
        (EVEX_Vpmovb2m_kr_zmm, ToMask),
        (VEX_Kmovq_kr_r64, ToMask),
        (EVEX_Vpmovm2b_xmm_kr, OfMask),
        (EVEX_Vpmovm2b_ymm_kr, OfMask),
        (EVEX_Vpmovm2b_zmm_kr, OfMask),
        (VEX_Vinserti128_ymm_ymm_xmmm128_imm8, Convert(true)),
        (EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8, Convert(true)),
        (VEX_Vextracti128_xmmm128_ymm_imm8, Convert(false)),
        (EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8, Convert(false)),
        (VEX_Vpbroadcastq_xmm_xmmm64, Two),
        (VEX_Vpbroadcastq_ymm_xmmm64, Repeat),
        (EVEX_Vpbroadcastq_zmm_k1z_xmmm64, Repeat),
        (VEX_Vmovdqu_xmm_xmmm128, Load),
        (VEX_Vmovdqu_ymm_ymmm256, Load),
        (EVEX_Vmovdqu64_zmm_k1z_zmmm512, Load),
        (VEX_Vbroadcasti128_ymm_m128, Load),
        (EVEX_Vbroadcasti32x4_zmm_k1z_m128, Load),
        (Mov_r64_rm64, Load),
        (VEX_Vmovdqu_xmmm128_xmm, Store),
        (VEX_Vmovdqu_ymmm256_ymm, Store),
        (EVEX_Vmovdqu64_zmmm512_k1z_zmm, Store),
        (Mov_rm64_r64, Store),
        (VEX_Vmovq_xmm_rm64, ToVector),
        (VEX_Vmovq_rm64_xmm, FromVector),
        (Add_r64_rm64, Update),
        (Adc_r64_rm64, Update),
        (Shl_rm64_imm8, UpdateImmediate),
        (Bswap_r64, One),
        (Lea_r64_m, Address),
        (Nopd, Nothing),
        // The same kinds on CPUs without AVX; a row whose kind was already measured is skipped.
        (Aesenc_xmm_xmmm128, Update),
        (Aesimc_xmm_xmmm128, Two),
        (Aeskeygenassist_xmm_xmmm128_imm8, TwoImmediate),
        (Pxor_xmm_xmmm128, Update),
        (Paddq_xmm_xmmm128, Update),
        (Psrlq_xmm_imm8, UpdateImmediate),
        (Gf2p8affineqb_xmm_xmmm128_imm8, UpdateThreeImmediate),
        (Gf2p8mulb_xmm_xmmm128, Update),
        (Pclmulqdq_xmm_xmmm128_imm8, UpdateThreeImmediate),
        (Pshufb_xmm_xmmm128, Update),
        (Pshufd_xmm_xmmm128_imm8, TwoImmediate),
        (Movdqu_xmm_xmmm128, Load),
        (Movdqu_xmmm128_xmm, Store),
        (Movq_xmm_rm64, ToVector),
        (Movq_rm64_xmm, FromVector),
    ]
};

/// Mixes to measure: a, b, and the number of b for each a, large enough that b's units are full even where a could
/// execute elsewhere too. All mixes of the same b form one group.
pub(super) const MIXES: &[(C, C, u32)] = &[
    (C::Aes, C::VectorAdd, 1),
    (C::Aes, C::VectorAdd, 2),
    (C::Aes, C::VectorAdd, 3),
    (C::Aes, C::Logic, 2),
    (C::Aes, C::Shuffle, 3),
    (C::Shuffle, C::VectorAdd, 2),
    (C::Aes, C::Load, 2),
    (C::Aes, C::Store, 1),
    (C::Load, C::Store, 1),
    (C::VectorAdd, C::Logic, 3),
    (C::VectorShift, C::Logic, 3),
    (C::Shuffle, C::Logic, 3),
    (C::CrossLane, C::Logic, 3),
    (C::GaloisAffine, C::Logic, 3),
    (C::GaloisMultiply, C::Logic, 3),
    (C::BytePermute, C::Logic, 3),
    (C::BytePermuteTwo, C::Logic, 3),
    (C::MaskedBlend, C::Logic, 3),
    (C::MaskFromVector, C::Logic, 3),
    (C::VectorFromMask, C::Logic, 3),
    (C::GaloisAffine, C::VectorShift, 3),
    (C::GaloisMultiply, C::VectorShift, 3),
    (C::Aes, C::VectorShift, 3),
    (C::MaskFromVector, C::VectorShift, 3),
    (C::GaloisAffine, C::Shuffle, 3),
    (C::CrossLane, C::Shuffle, 3),
    (C::BytePermute, C::Shuffle, 3),
    (C::BytePermuteTwo, C::Shuffle, 3),
    (C::CarrylessMultiply, C::Logic, 3),
    (C::CarrylessMultiply, C::Shuffle, 3),
    (C::ScalarShift, C::ScalarAlu, 3),
];
