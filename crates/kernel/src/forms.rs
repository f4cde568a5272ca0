//! Forms of instructions: an operation, a width and an encoding choose one row of one table.

use crate::asm::{Assembler, Constant, at, constant_operand, indexed};
use crate::target::Encoding;
use crate::vector::{Operation, POINTER, POSITION, Src, Vector};
use aesmith_dataflow::Round;
use aesmith_dataflow::program::Element;
use aesmith_order::Reg;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// The form of an operation in each encoding and width: legacy xmm, VEX xmm and ymm, EVEX xmm, ymm
/// and zmm.
fn code(operation: Operation, store: bool) -> [Code; 6] {
    use Code::*;
    use Element::{B8, B16, B32, B64};
    match operation {
        Operation::Aes(Round::Encrypt) => [
            Aesenc_xmm_xmmm128,
            VEX_Vaesenc_xmm_xmm_xmmm128,
            VEX_Vaesenc_ymm_ymm_ymmm256,
            EVEX_Vaesenc_xmm_xmm_xmmm128,
            EVEX_Vaesenc_ymm_ymm_ymmm256,
            EVEX_Vaesenc_zmm_zmm_zmmm512,
        ],
        Operation::Aes(Round::EncryptLast) => [
            Aesenclast_xmm_xmmm128,
            VEX_Vaesenclast_xmm_xmm_xmmm128,
            VEX_Vaesenclast_ymm_ymm_ymmm256,
            EVEX_Vaesenclast_xmm_xmm_xmmm128,
            EVEX_Vaesenclast_ymm_ymm_ymmm256,
            EVEX_Vaesenclast_zmm_zmm_zmmm512,
        ],
        Operation::Aes(Round::Decrypt) => [
            Aesdec_xmm_xmmm128,
            VEX_Vaesdec_xmm_xmm_xmmm128,
            VEX_Vaesdec_ymm_ymm_ymmm256,
            EVEX_Vaesdec_xmm_xmm_xmmm128,
            EVEX_Vaesdec_ymm_ymm_ymmm256,
            EVEX_Vaesdec_zmm_zmm_zmmm512,
        ],
        Operation::Aes(Round::DecryptLast) => [
            Aesdeclast_xmm_xmmm128,
            VEX_Vaesdeclast_xmm_xmm_xmmm128,
            VEX_Vaesdeclast_ymm_ymm_ymmm256,
            EVEX_Vaesdeclast_xmm_xmm_xmmm128,
            EVEX_Vaesdeclast_ymm_ymm_ymmm256,
            EVEX_Vaesdeclast_zmm_zmm_zmmm512,
        ],
        Operation::InvMix => {
            [Aesimc_xmm_xmmm128, VEX_Vaesimc_xmm_xmmm128, INVALID, VEX_Vaesimc_xmm_xmmm128, INVALID, INVALID]
        }
        Operation::Xor => [
            Pxor_xmm_xmmm128,
            VEX_Vpxor_xmm_xmm_xmmm128,
            VEX_Vpxor_ymm_ymm_ymmm256,
            EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
        ],
        Operation::Add64 => [
            Paddq_xmm_xmmm128,
            VEX_Vpaddq_xmm_xmm_xmmm128,
            VEX_Vpaddq_ymm_ymm_ymmm256,
            EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        ],
        Operation::Add32 => [
            Paddd_xmm_xmmm128,
            VEX_Vpaddd_xmm_xmm_xmmm128,
            VEX_Vpaddd_ymm_ymm_ymmm256,
            EVEX_Vpaddd_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        ],
        Operation::Shuffle => [
            Pshufb_xmm_xmmm128,
            VEX_Vpshufb_xmm_xmm_xmmm128,
            VEX_Vpshufb_ymm_ymm_ymmm256,
            EVEX_Vpshufb_xmm_k1z_xmm_xmmm128,
            EVEX_Vpshufb_ymm_k1z_ymm_ymmm256,
            EVEX_Vpshufb_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Load | Operation::Store if store => [
            Movdqu_xmmm128_xmm,
            VEX_Vmovdqu_xmmm128_xmm,
            VEX_Vmovdqu_ymmm256_ymm,
            EVEX_Vmovdqu64_xmmm128_k1z_xmm,
            EVEX_Vmovdqu64_ymmm256_k1z_ymm,
            EVEX_Vmovdqu64_zmmm512_k1z_zmm,
        ],
        Operation::Load | Operation::Store => [
            Movdqu_xmm_xmmm128,
            VEX_Vmovdqu_xmm_xmmm128,
            VEX_Vmovdqu_ymm_ymmm256,
            EVEX_Vmovdqu64_xmm_k1z_xmmm128,
            EVEX_Vmovdqu64_ymm_k1z_ymmm256,
            EVEX_Vmovdqu64_zmm_k1z_zmmm512,
        ],
        Operation::Broadcast => [
            Movdqu_xmm_xmmm128,
            VEX_Vmovdqu_xmm_xmmm128,
            VEX_Vbroadcasti128_ymm_m128,
            EVEX_Vmovdqu64_xmm_k1z_xmmm128,
            EVEX_Vbroadcasti32x4_ymm_k1z_m128,
            EVEX_Vbroadcasti32x4_zmm_k1z_m128,
        ],
        Operation::Previous => [
            Movdqa_xmm_xmmm128,
            VEX_Vmovdqu_xmm_xmmm128,
            VEX_Vperm2i128_ymm_ymm_ymmm256_imm8,
            EVEX_Vmovdqu64_xmm_k1z_xmmm128,
            EVEX_Valignq_ymm_k1z_ymm_ymmm256b64_imm8,
            EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8,
        ],
        Operation::Insert(_) => [
            INVALID,
            INVALID,
            VEX_Vinserti128_ymm_ymm_xmmm128_imm8,
            INVALID,
            EVEX_Vinserti32x4_ymm_k1z_ymm_xmmm128_imm8,
            EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8,
        ],
        Operation::Lanes(_) => [
            INVALID,
            INVALID,
            VEX_Vperm2i128_ymm_ymm_ymmm256_imm8,
            INVALID,
            EVEX_Vshufi32x4_ymm_k1z_ymm_ymmm256b32_imm8,
            EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8,
        ],
        Operation::Extract(_) => [
            INVALID,
            INVALID,
            VEX_Vextracti128_xmmm128_ymm_imm8,
            INVALID,
            EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8,
            EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8,
        ],
        Operation::Stream => [
            Movntdq_m128_xmm,
            VEX_Vmovntdq_m128_xmm,
            VEX_Vmovntdq_m256_ymm,
            EVEX_Vmovntdq_m128_xmm,
            EVEX_Vmovntdq_m256_ymm,
            EVEX_Vmovntdq_m512_zmm,
        ],
        Operation::Prefetch => [Prefetcht0_m8; 6],
        Operation::And => [
            Pand_xmm_xmmm128,
            VEX_Vpand_xmm_xmm_xmmm128,
            VEX_Vpand_ymm_ymm_ymmm256,
            EVEX_Vpandq_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
        ],
        Operation::Or => [
            Por_xmm_xmmm128,
            VEX_Vpor_xmm_xmm_xmmm128,
            VEX_Vpor_ymm_ymm_ymmm256,
            EVEX_Vpord_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vpord_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        ],
        Operation::AndNot => [
            Pandn_xmm_xmmm128,
            VEX_Vpandn_xmm_xmm_xmmm128,
            VEX_Vpandn_ymm_ymm_ymmm256,
            EVEX_Vpandnd_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vpandnd_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32,
        ],
        Operation::AddBytes => [
            Paddb_xmm_xmmm128,
            VEX_Vpaddb_xmm_xmm_xmmm128,
            VEX_Vpaddb_ymm_ymm_ymmm256,
            EVEX_Vpaddb_xmm_k1z_xmm_xmmm128,
            EVEX_Vpaddb_ymm_k1z_ymm_ymmm256,
            EVEX_Vpaddb_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Multiply => [
            Gf2p8mulb_xmm_xmmm128,
            VEX_Vgf2p8mulb_xmm_xmm_xmmm128,
            VEX_Vgf2p8mulb_ymm_ymm_ymmm256,
            EVEX_Vgf2p8mulb_xmm_k1z_xmm_xmmm128,
            EVEX_Vgf2p8mulb_ymm_k1z_ymm_ymmm256,
            EVEX_Vgf2p8mulb_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Affine { inverse: false, .. } => [
            Gf2p8affineqb_xmm_xmmm128_imm8,
            VEX_Vgf2p8affineqb_xmm_xmm_xmmm128_imm8,
            VEX_Vgf2p8affineqb_ymm_ymm_ymmm256_imm8,
            EVEX_Vgf2p8affineqb_xmm_k1z_xmm_xmmm128b64_imm8,
            EVEX_Vgf2p8affineqb_ymm_k1z_ymm_ymmm256b64_imm8,
            EVEX_Vgf2p8affineqb_zmm_k1z_zmm_zmmm512b64_imm8,
        ],
        Operation::Affine { inverse: true, .. } => [
            Gf2p8affineinvqb_xmm_xmmm128_imm8,
            VEX_Vgf2p8affineinvqb_xmm_xmm_xmmm128_imm8,
            VEX_Vgf2p8affineinvqb_ymm_ymm_ymmm256_imm8,
            EVEX_Vgf2p8affineinvqb_xmm_k1z_xmm_xmmm128b64_imm8,
            EVEX_Vgf2p8affineinvqb_ymm_k1z_ymm_ymmm256b64_imm8,
            EVEX_Vgf2p8affineinvqb_zmm_k1z_zmm_zmmm512b64_imm8,
        ],
        Operation::AlignBytes(_) => [
            Palignr_xmm_xmmm128_imm8,
            VEX_Vpalignr_xmm_xmm_xmmm128_imm8,
            VEX_Vpalignr_ymm_ymm_ymmm256_imm8,
            EVEX_Vpalignr_xmm_k1z_xmm_xmmm128_imm8,
            EVEX_Vpalignr_ymm_k1z_ymm_ymmm256_imm8,
            EVEX_Vpalignr_zmm_k1z_zmm_zmmm512_imm8,
        ],
        Operation::ShuffleDwords(_) => [
            Pshufd_xmm_xmmm128_imm8,
            VEX_Vpshufd_xmm_xmmm128_imm8,
            VEX_Vpshufd_ymm_ymmm256_imm8,
            EVEX_Vpshufd_xmm_k1z_xmmm128b32_imm8,
            EVEX_Vpshufd_ymm_k1z_ymmm256b32_imm8,
            EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8,
        ],
        Operation::ShuffleLow(_) => [
            Pshuflw_xmm_xmmm128_imm8,
            VEX_Vpshuflw_xmm_xmmm128_imm8,
            VEX_Vpshuflw_ymm_ymmm256_imm8,
            EVEX_Vpshuflw_xmm_k1z_xmmm128_imm8,
            EVEX_Vpshuflw_ymm_k1z_ymmm256_imm8,
            EVEX_Vpshuflw_zmm_k1z_zmmm512_imm8,
        ],
        Operation::ShuffleHigh(_) => [
            Pshufhw_xmm_xmmm128_imm8,
            VEX_Vpshufhw_xmm_xmmm128_imm8,
            VEX_Vpshufhw_ymm_ymmm256_imm8,
            EVEX_Vpshufhw_xmm_k1z_xmmm128_imm8,
            EVEX_Vpshufhw_ymm_k1z_ymmm256_imm8,
            EVEX_Vpshufhw_zmm_k1z_zmmm512_imm8,
        ],
        Operation::ShiftLeft(B16, _) => [
            Psllw_xmm_imm8,
            VEX_Vpsllw_xmm_xmm_imm8,
            VEX_Vpsllw_ymm_ymm_imm8,
            EVEX_Vpsllw_xmm_k1z_xmmm128_imm8,
            EVEX_Vpsllw_ymm_k1z_ymmm256_imm8,
            EVEX_Vpsllw_zmm_k1z_zmmm512_imm8,
        ],
        Operation::ShiftLeft(B32, _) => [
            Pslld_xmm_imm8,
            VEX_Vpslld_xmm_xmm_imm8,
            VEX_Vpslld_ymm_ymm_imm8,
            EVEX_Vpslld_xmm_k1z_xmmm128b32_imm8,
            EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8,
            EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
        ],
        Operation::ShiftLeft(B64, _) => [
            Psllq_xmm_imm8,
            VEX_Vpsllq_xmm_xmm_imm8,
            VEX_Vpsllq_ymm_ymm_imm8,
            EVEX_Vpsllq_xmm_k1z_xmmm128b64_imm8,
            EVEX_Vpsllq_ymm_k1z_ymmm256b64_imm8,
            EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
        ],
        Operation::BytesLeft(_) => [
            Pslldq_xmm_imm8,
            VEX_Vpslldq_xmm_xmm_imm8,
            VEX_Vpslldq_ymm_ymm_imm8,
            EVEX_Vpslldq_xmm_xmmm128_imm8,
            EVEX_Vpslldq_ymm_ymmm256_imm8,
            EVEX_Vpslldq_zmm_zmmm512_imm8,
        ],
        Operation::ShiftRight(B16, _) => [
            Psrlw_xmm_imm8,
            VEX_Vpsrlw_xmm_xmm_imm8,
            VEX_Vpsrlw_ymm_ymm_imm8,
            EVEX_Vpsrlw_xmm_k1z_xmmm128_imm8,
            EVEX_Vpsrlw_ymm_k1z_ymmm256_imm8,
            EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8,
        ],
        Operation::ShiftRight(B32, _) => [
            Psrld_xmm_imm8,
            VEX_Vpsrld_xmm_xmm_imm8,
            VEX_Vpsrld_ymm_ymm_imm8,
            EVEX_Vpsrld_xmm_k1z_xmmm128b32_imm8,
            EVEX_Vpsrld_ymm_k1z_ymmm256b32_imm8,
            EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
        ],
        Operation::ShiftRight(B64, _) => [
            Psrlq_xmm_imm8,
            VEX_Vpsrlq_xmm_xmm_imm8,
            VEX_Vpsrlq_ymm_ymm_imm8,
            EVEX_Vpsrlq_xmm_k1z_xmmm128b64_imm8,
            EVEX_Vpsrlq_ymm_k1z_ymmm256b64_imm8,
            EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
        ],
        Operation::BytesRight(_) => [
            Psrldq_xmm_imm8,
            VEX_Vpsrldq_xmm_xmm_imm8,
            VEX_Vpsrldq_ymm_ymm_imm8,
            EVEX_Vpsrldq_xmm_xmmm128_imm8,
            EVEX_Vpsrldq_ymm_ymmm256_imm8,
            EVEX_Vpsrldq_zmm_zmmm512_imm8,
        ],
        Operation::Rotate(B32, _) => [
            INVALID,
            INVALID,
            INVALID,
            EVEX_Vprord_xmm_k1z_xmmm128b32_imm8,
            EVEX_Vprord_ymm_k1z_ymmm256b32_imm8,
            EVEX_Vprord_zmm_k1z_zmmm512b32_imm8,
        ],
        Operation::Rotate(B64, _) => [
            INVALID,
            INVALID,
            INVALID,
            EVEX_Vprorq_xmm_k1z_xmmm128b64_imm8,
            EVEX_Vprorq_ymm_k1z_ymmm256b64_imm8,
            EVEX_Vprorq_zmm_k1z_zmmm512b64_imm8,
        ],
        Operation::Interleave(B8, false) => [
            Punpcklbw_xmm_xmmm128,
            VEX_Vpunpcklbw_xmm_xmm_xmmm128,
            VEX_Vpunpcklbw_ymm_ymm_ymmm256,
            EVEX_Vpunpcklbw_xmm_k1z_xmm_xmmm128,
            EVEX_Vpunpcklbw_ymm_k1z_ymm_ymmm256,
            EVEX_Vpunpcklbw_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Interleave(B16, false) => [
            Punpcklwd_xmm_xmmm128,
            VEX_Vpunpcklwd_xmm_xmm_xmmm128,
            VEX_Vpunpcklwd_ymm_ymm_ymmm256,
            EVEX_Vpunpcklwd_xmm_k1z_xmm_xmmm128,
            EVEX_Vpunpcklwd_ymm_k1z_ymm_ymmm256,
            EVEX_Vpunpcklwd_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Interleave(B32, false) => [
            Punpckldq_xmm_xmmm128,
            VEX_Vpunpckldq_xmm_xmm_xmmm128,
            VEX_Vpunpckldq_ymm_ymm_ymmm256,
            EVEX_Vpunpckldq_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vpunpckldq_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32,
        ],
        Operation::Interleave(B64, false) => [
            Punpcklqdq_xmm_xmmm128,
            VEX_Vpunpcklqdq_xmm_xmm_xmmm128,
            VEX_Vpunpcklqdq_ymm_ymm_ymmm256,
            EVEX_Vpunpcklqdq_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vpunpcklqdq_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64,
        ],
        Operation::Interleave(B8, true) => [
            Punpckhbw_xmm_xmmm128,
            VEX_Vpunpckhbw_xmm_xmm_xmmm128,
            VEX_Vpunpckhbw_ymm_ymm_ymmm256,
            EVEX_Vpunpckhbw_xmm_k1z_xmm_xmmm128,
            EVEX_Vpunpckhbw_ymm_k1z_ymm_ymmm256,
            EVEX_Vpunpckhbw_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Interleave(B16, true) => [
            Punpckhwd_xmm_xmmm128,
            VEX_Vpunpckhwd_xmm_xmm_xmmm128,
            VEX_Vpunpckhwd_ymm_ymm_ymmm256,
            EVEX_Vpunpckhwd_xmm_k1z_xmm_xmmm128,
            EVEX_Vpunpckhwd_ymm_k1z_ymm_ymmm256,
            EVEX_Vpunpckhwd_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Interleave(B32, true) => [
            Punpckhdq_xmm_xmmm128,
            VEX_Vpunpckhdq_xmm_xmm_xmmm128,
            VEX_Vpunpckhdq_ymm_ymm_ymmm256,
            EVEX_Vpunpckhdq_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vpunpckhdq_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32,
        ],
        Operation::Interleave(B64, true) => [
            Punpckhqdq_xmm_xmmm128,
            VEX_Vpunpckhqdq_xmm_xmm_xmmm128,
            VEX_Vpunpckhqdq_ymm_ymm_ymmm256,
            EVEX_Vpunpckhqdq_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vpunpckhqdq_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64,
        ],
        Operation::Ternary(_) => [
            INVALID,
            INVALID,
            INVALID,
            EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8,
            EVEX_Vpternlogd_ymm_k1z_ymm_ymmm256b32_imm8,
            EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8,
        ],
        Operation::PermuteTwo => [
            INVALID,
            INVALID,
            INVALID,
            EVEX_Vpermi2b_xmm_k1z_xmm_xmmm128,
            EVEX_Vpermi2b_ymm_k1z_ymm_ymmm256,
            EVEX_Vpermi2b_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Select => [
            INVALID,
            INVALID,
            INVALID,
            EVEX_Vpblendmb_xmm_k1z_xmm_xmmm128,
            EVEX_Vpblendmb_ymm_k1z_ymm_ymmm256,
            EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512,
        ],
        Operation::GreaterBytes => [
            Pcmpgtb_xmm_xmmm128,
            VEX_Vpcmpgtb_xmm_xmm_xmmm128,
            VEX_Vpcmpgtb_ymm_ymm_ymmm256,
            INVALID,
            INVALID,
            INVALID,
        ],
        Operation::Sign => {
            [INVALID, INVALID, INVALID, EVEX_Vpmovm2b_xmm_kr, EVEX_Vpmovm2b_ymm_kr, EVEX_Vpmovm2b_zmm_kr]
        }
        Operation::KeyAssist(_) => [
            Aeskeygenassist_xmm_xmmm128_imm8,
            VEX_Vaeskeygenassist_xmm_xmmm128_imm8,
            INVALID,
            VEX_Vaeskeygenassist_xmm_xmmm128_imm8,
            INVALID,
            INVALID,
        ],
        Operation::LoadLow => {
            [Movq_xmm_xmmm64, VEX_Vmovq_xmm_xmmm64, INVALID, EVEX_Vmovq_xmm_xmmm64, INVALID, INVALID]
        }
        Operation::StoreDword => {
            [Movd_rm32_xmm, VEX_Vmovd_rm32_xmm, INVALID, EVEX_Vmovd_rm32_xmm, INVALID, INVALID]
        }
        Operation::BroadcastDword => [
            INVALID,
            VEX_Vpbroadcastd_xmm_xmmm32,
            VEX_Vpbroadcastd_ymm_xmmm32,
            EVEX_Vpbroadcastd_xmm_k1z_xmmm32,
            EVEX_Vpbroadcastd_ymm_k1z_xmmm32,
            EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        ],
        Operation::ShiftLeft(B8, _) | Operation::ShiftRight(B8, _) | Operation::Rotate(B8 | B16, _) => {
            [INVALID; 6]
        }
    }
}

/// The machine register with this number and lanes.
pub fn register(lanes: usize, number: u8) -> Register {
    let first = match lanes {
        1 => Register::XMM0,
        2 => Register::YMM0,
        _ => Register::ZMM0,
    };
    first + u32::from(number)
}

/// The opmask that signs of bytes are taken to; the first is that of a message's last bytes.
const SIGNS: Register = Register::K2;

/// The column of [`code`] for registers of so many lanes.
fn column(lanes: usize, encoding: Encoding) -> usize {
    let width = lanes.ilog2() as usize;
    match encoding {
        Encoding::Legacy => width,
        Encoding::Vex => 1 + width,
        Encoding::Evex => 3 + width,
    }
}

/// Whether an operation has a form for registers of so many lanes in an encoding.
pub fn exists(operation: Operation, lanes: usize, encoding: Encoding) -> bool {
    code(operation, false)[column(lanes, encoding)] != Code::INVALID
}

/// The immediate byte of an operation, in its form `code`.
fn immediate(operation: Operation, code: Code, lanes: usize) -> Option<u32> {
    use Operation::*;
    Some(match operation {
        // VPERM2I128 numbers the lanes of both operands together, four bits a choice.
        Lanes(pick) if code == Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 => {
            u32::from(pick & 1) | u32::from(2 + (pick >> 1 & 1)) << 4
        }
        // Low half from the high half of the first operand, high from the low of the second.
        Previous if code == Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 => 0x21,
        // The concatenation b:a shifted right by all quadwords of a but the last two.
        Previous if lanes > 1 => 2 * lanes as u32 - 2,
        Lanes(n)
        | Insert(n)
        | Extract(n)
        | Ternary(n)
        | ShiftLeft(_, n)
        | ShiftRight(_, n)
        | Rotate(_, n) => n.into(),
        BytesLeft(n) | BytesRight(n) | AlignBytes(n) | ShuffleDwords(n) | ShuffleLow(n) | ShuffleHigh(n) => {
            n.into()
        }
        Affine { constant: n, .. } | KeyAssist(n) => n.into(),
        _ => return None,
    })
}

/// An operand of an instruction in the making.
#[derive(Clone, Copy)]
enum Operand {
    Register(Register),
    Memory(MemoryOperand),
}

fn made(
    code: Code,
    operands: &[Operand],
    immediate: Option<u32>,
) -> Result<Instruction, iced_x86::IcedError> {
    use Operand::{Memory as M, Register as R};
    match (operands, immediate) {
        (&[M(m)], None) => Instruction::with1(code, m),
        (&[R(a)], Some(i)) => Instruction::with2(code, a, i),
        (&[R(a), R(b)], None) => Instruction::with2(code, a, b),
        (&[R(a), M(m)], None) => Instruction::with2(code, a, m),
        (&[M(m), R(a)], None) => Instruction::with2(code, m, a),
        (&[R(a), R(b)], Some(i)) => Instruction::with3(code, a, b, i),
        (&[R(a), M(m)], Some(i)) => Instruction::with3(code, a, m, i),
        (&[M(m), R(a)], Some(i)) => Instruction::with3(code, m, a, i),
        (&[R(a), R(b), R(c)], None) => Instruction::with3(code, a, b, c),
        (&[R(a), R(b), M(m)], None) => Instruction::with3(code, a, b, m),
        (&[R(a), R(b), R(c)], Some(i)) => Instruction::with4(code, a, b, c, i),
        (&[R(a), R(b), M(m)], Some(i)) => Instruction::with4(code, a, b, m, i),
        _ => panic!("no form of {code:?} has {} operands", operands.len()),
    }
}

/// Whether `a` and `b` may change places.
pub fn commutes(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, Xor | And | Or | Add64 | Add32 | AddBytes | Multiply)
}

/// A function of three bits with its arguments renamed: argument `i` of the new is `from[i]` of
/// the old, where 0 is the lowest bit of the index.
pub fn renamed(table: u8, from: [usize; 3]) -> u8 {
    (0..8u8).fold(0, |new, index| {
        let old = (0..3).fold(0, |old, i| old | (index >> i & 1) << from[i]);
        new | (table >> old & 1) << index
    })
}

/// Appends a vector instruction whose registers are all fixed. Where its form overwrites a source
/// that the result does not replace, a move comes first.
///
/// # Panics
/// If a register is still virtual, or the operation has no such form.
pub fn push(asm: &mut Assembler, v: &Vector, encoding: Encoding) {
    let v = &placed(asm, *v, encoding);
    let lanes = v.lanes as usize;
    let fixed = |r: Reg| match r {
        Reg::Fixed(number) => register(lanes, number),
        Reg::Virtual(n) => panic!("virtual register {n} was never given a machine register"),
    };
    let code = code(v.operation, v.dst.is_none())[column(lanes, encoding)];
    let code = match (code, v.b) {
        (Code::Movdqu_xmm_xmmm128, Some(Src::Reg(_))) => Code::Movdqa_xmm_xmmm128,
        _ => code,
    };
    assert!(code != Code::INVALID, "{:?} has no form for {lanes} lanes in {encoding:?}", v.operation);
    let mut constant: Option<Constant> = None;
    let b = v.b.map(|b| match b {
        Src::Reg(Reg::Fixed(number)) => Operand::Register(match v.operation {
            // From the lowest element of an xmm register.
            Operation::BroadcastDword => register(1, number),
            _ => register(lanes, number),
        }),
        Src::Reg(r) => Operand::Register(fixed(r)),
        Src::Mem(base, displacement, _) => Operand::Memory(at(base, displacement)),
        Src::Dword(base, displacement) => Operand::Memory(MemoryOperand {
            is_broadcast: v.operation != Operation::BroadcastDword,
            ..at(base, displacement)
        }),
        Src::Stream(pointers, stream, displacement) => {
            asm.load(POINTER, at(pointers, 8 * i32::from(stream)));
            Operand::Memory(indexed(POINTER, POSITION, 1, displacement))
        }
        Src::Constant(c) => {
            constant = Some(c);
            Operand::Memory(constant_operand())
        }
    });
    let (dst, a) = (v.dst.map(|r| Operand::Register(fixed(r))), v.a.map(|r| Operand::Register(fixed(r))));
    let tied = encoding == Encoding::Legacy && v.dst.is_some() && v.operation != Operation::Previous;
    let operands = match v.operation {
        Operation::Store | Operation::Stream | Operation::StoreDword | Operation::Extract(_) => [b, a, None],
        Operation::Previous if lanes == 1 => [dst, a, None],
        // VALIGNQ takes the high half of the concatenation first.
        Operation::Previous if encoding == Encoding::Evex => [dst, b, a],
        Operation::Select | Operation::Sign => {
            let (masks, signs) = match lanes {
                1 => (Code::EVEX_Vpmovb2m_kr_xmm, v.c),
                2 => (Code::EVEX_Vpmovb2m_kr_ymm, v.c),
                _ => (Code::EVEX_Vpmovb2m_kr_zmm, v.c),
            };
            let signs = signs.map(fixed).or(match b {
                Some(Operand::Register(r)) => Some(r),
                _ => None,
            });
            asm.two(masks, SIGNS, signs.expect("signs are taken of a register"));
            match v.operation {
                Operation::Select => [dst, a, b],
                _ => [dst, Some(Operand::Register(SIGNS)), None],
            }
        }
        _ if tied && v.a.is_some() => [dst, b, None],
        _ => [dst, a, b],
    };
    let mut list = [Operand::Register(Register::None); 3];
    let mut count = 0;
    for operand in operands.into_iter().flatten() {
        list[count] = operand;
        count += 1;
    }
    let immediate = immediate(v.operation, code, lanes);
    let instruction = made(code, &list[..count], immediate).map(|mut instruction| {
        if v.operation == Operation::Select {
            instruction.set_op_mask(SIGNS);
        }
        instruction
    });
    match (instruction, constant) {
        (Ok(instruction), Some(c)) => asm.push_constant(&instruction, c),
        (made, _) => asm.made(made),
    }
}

/// The instruction with the source that its form overwrites in the place of the result: by
/// exchanging operands where that is enough, or by a move before it.
fn placed(asm: &mut Assembler, v: Vector, encoding: Encoding) -> Vector {
    let Some(dst) = v.dst else { return v };
    let b = match v.b {
        Some(Src::Reg(r)) => Some(r),
        _ => None,
    };
    let copied = |asm: &mut Assembler, from: Reg| {
        assert!(b != Some(dst), "{v:?} overwrites its last operand before it is read");
        push(asm, &Vector::from(Operation::Load, v.lanes.into(), dst, Src::Reg(from)), encoding);
    };
    match v.operation {
        Operation::Ternary(table) => {
            let Some(c) = v.c else { return v };
            if c == dst {
                v
            } else if v.a == Some(dst) {
                Vector { operation: Operation::Ternary(renamed(table, [0, 2, 1])), a: v.c, c: v.a, ..v }
            } else if b == Some(dst) {
                let operation = Operation::Ternary(renamed(table, [2, 1, 0]));
                Vector { operation, b: Some(Src::Reg(c)), c: b, ..v }
            } else {
                copied(asm, c);
                Vector { c: Some(dst), ..v }
            }
        }
        Operation::PermuteTwo => {
            if let Some(c) = v.c.filter(|c| *c != dst) {
                assert!(v.a != Some(dst), "{v:?} overwrites a table before it is read");
                copied(asm, c);
            }
            Vector { c: Some(dst), ..v }
        }
        Operation::Previous => v,
        _ if encoding == Encoding::Legacy => match v.a {
            Some(a) if a != dst => {
                if b == Some(dst) && commutes(v.operation) {
                    return Vector { a: b, b: Some(Src::Reg(a)), ..v };
                }
                copied(asm, a);
                Vector { a: Some(dst), ..v }
            }
            _ => v,
        },
        _ => v,
    }
}
