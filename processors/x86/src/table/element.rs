//! The rows of vector instructions that AES needs without AES instructions: bits, bytes and words within
//! elements, GF(2^8), opmasks made from bytes (columns: see [`super::Form`]).

use super::rows;
use aesmith_isa::lanes::{Half, Shift};

rows! {
    // Sums, differences and comparisons of elements.
    VEX_Vpaddw_xmm_xmm_xmmm128:                         Add(B16),                           x B16, VectorAdd,      [AVX];
    VEX_Vpaddw_ymm_ymm_ymmm256:                         Add(B16),                           y B16, VectorAdd,      [AVX2];
    EVEX_Vpaddw_xmm_k1z_xmm_xmmm128:                    Add(B16),                           x B16, VectorAdd,      [AVX512BW AVX512VL];
    EVEX_Vpaddw_ymm_k1z_ymm_ymmm256:                    Add(B16),                           y B16, VectorAdd,      [AVX512BW AVX512VL];
    EVEX_Vpaddw_zmm_k1z_zmm_zmmm512:                    Add(B16),                           z B16, VectorAdd,      [AVX512BW];
    VEX_Vpsubw_xmm_xmm_xmmm128:                         Subtract(B16),                      x B16, VectorAdd,      [AVX];
    VEX_Vpsubw_ymm_ymm_ymmm256:                         Subtract(B16),                      y B16, VectorAdd,      [AVX2];
    EVEX_Vpsubw_xmm_k1z_xmm_xmmm128:                    Subtract(B16),                      x B16, VectorAdd,      [AVX512BW AVX512VL];
    EVEX_Vpsubw_ymm_k1z_ymm_ymmm256:                    Subtract(B16),                      y B16, VectorAdd,      [AVX512BW AVX512VL];
    EVEX_Vpsubw_zmm_k1z_zmm_zmmm512:                    Subtract(B16),                      z B16, VectorAdd,      [AVX512BW];
    VEX_Vpcmpeqb_xmm_xmm_xmmm128:                       CompareEqual(B8),                   x B8,  VectorAdd,      [AVX];
    VEX_Vpcmpeqb_ymm_ymm_ymmm256:                       CompareEqual(B8),                   y B8,  VectorAdd,      [AVX2];
    VEX_Vpcmpeqw_xmm_xmm_xmmm128:                       CompareEqual(B16),                  x B16, VectorAdd,      [AVX];
    VEX_Vpcmpeqw_ymm_ymm_ymmm256:                       CompareEqual(B16),                  y B16, VectorAdd,      [AVX2];
    VEX_Vpcmpeqq_xmm_xmm_xmmm128:                       CompareEqual(B64),                  x B64, VectorAdd,      [AVX];
    VEX_Vpcmpeqq_ymm_ymm_ymmm256:                       CompareEqual(B64),                  y B64, VectorAdd,      [AVX2];
    VEX_Vpcmpgtb_xmm_xmm_xmmm128:                       CompareGreater(B8),                 x B8,  VectorAdd,      [AVX];
    VEX_Vpcmpgtb_ymm_ymm_ymmm256:                       CompareGreater(B8),                 y B8,  VectorAdd,      [AVX2];
    VEX_Vpcmpgtd_xmm_xmm_xmmm128:                       CompareGreater(B32),                x B32, VectorAdd,      [AVX];
    VEX_Vpcmpgtd_ymm_ymm_ymmm256:                       CompareGreater(B32),                y B32, VectorAdd,      [AVX2];

    // Shifts and rotations of elements by a constant.
    VEX_Vpsllw_xmm_xmm_imm8:                            ShiftBits(Shift::Left, B16),        x B16, VectorShift,    [AVX];
    VEX_Vpsllw_ymm_ymm_imm8:                            ShiftBits(Shift::Left, B16),        y B16, VectorShift,    [AVX2];
    EVEX_Vpsllw_xmm_k1z_xmmm128_imm8:                   ShiftBits(Shift::Left, B16),        x B16, VectorShift,    [AVX512BW AVX512VL];
    EVEX_Vpsllw_ymm_k1z_ymmm256_imm8:                   ShiftBits(Shift::Left, B16),        y B16, VectorShift,    [AVX512BW AVX512VL];
    EVEX_Vpsllw_zmm_k1z_zmmm512_imm8:                   ShiftBits(Shift::Left, B16),        z B16, VectorShift,    [AVX512BW];
    VEX_Vpslld_xmm_xmm_imm8:                            ShiftBits(Shift::Left, B32),        x B32, VectorShift,    [AVX];
    VEX_Vpslld_ymm_ymm_imm8:                            ShiftBits(Shift::Left, B32),        y B32, VectorShift,    [AVX2];
    EVEX_Vpslld_xmm_k1z_xmmm128b32_imm8:                ShiftBits(Shift::Left, B32),        x B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8:                ShiftBits(Shift::Left, B32),        y B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8:                ShiftBits(Shift::Left, B32),        z B32, VectorShift,    [AVX512F];
    VEX_Vpsllq_xmm_xmm_imm8:                            ShiftBits(Shift::Left, B64),        x B64, VectorShift,    [AVX];
    VEX_Vpsllq_ymm_ymm_imm8:                            ShiftBits(Shift::Left, B64),        y B64, VectorShift,    [AVX2];
    EVEX_Vpsllq_xmm_k1z_xmmm128b64_imm8:                ShiftBits(Shift::Left, B64),        x B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpsllq_ymm_k1z_ymmm256b64_imm8:                ShiftBits(Shift::Left, B64),        y B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8:                ShiftBits(Shift::Left, B64),        z B64, VectorShift,    [AVX512F];
    VEX_Vpsrlw_xmm_xmm_imm8:                            ShiftBits(Shift::Right, B16),       x B16, VectorShift,    [AVX];
    VEX_Vpsrlw_ymm_ymm_imm8:                            ShiftBits(Shift::Right, B16),       y B16, VectorShift,    [AVX2];
    EVEX_Vpsrlw_xmm_k1z_xmmm128_imm8:                   ShiftBits(Shift::Right, B16),       x B16, VectorShift,    [AVX512BW AVX512VL];
    EVEX_Vpsrlw_ymm_k1z_ymmm256_imm8:                   ShiftBits(Shift::Right, B16),       y B16, VectorShift,    [AVX512BW AVX512VL];
    EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8:                   ShiftBits(Shift::Right, B16),       z B16, VectorShift,    [AVX512BW];
    VEX_Vpsrld_xmm_xmm_imm8:                            ShiftBits(Shift::Right, B32),       x B32, VectorShift,    [AVX];
    VEX_Vpsrld_ymm_ymm_imm8:                            ShiftBits(Shift::Right, B32),       y B32, VectorShift,    [AVX2];
    EVEX_Vpsrld_xmm_k1z_xmmm128b32_imm8:                ShiftBits(Shift::Right, B32),       x B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpsrld_ymm_k1z_ymmm256b32_imm8:                ShiftBits(Shift::Right, B32),       y B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8:                ShiftBits(Shift::Right, B32),       z B32, VectorShift,    [AVX512F];
    VEX_Vpsrlq_xmm_xmm_imm8:                            ShiftBits(Shift::Right, B64),       x B64, VectorShift,    [AVX];
    VEX_Vpsrlq_ymm_ymm_imm8:                            ShiftBits(Shift::Right, B64),       y B64, VectorShift,    [AVX2];
    EVEX_Vpsrlq_xmm_k1z_xmmm128b64_imm8:                ShiftBits(Shift::Right, B64),       x B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpsrlq_ymm_k1z_ymmm256b64_imm8:                ShiftBits(Shift::Right, B64),       y B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8:                ShiftBits(Shift::Right, B64),       z B64, VectorShift,    [AVX512F];
    EVEX_Vprord_xmm_k1z_xmmm128b32_imm8:                ShiftBits(Shift::RotateRight, B32), x B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprord_ymm_k1z_ymmm256b32_imm8:                ShiftBits(Shift::RotateRight, B32), y B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprord_zmm_k1z_zmmm512b32_imm8:                ShiftBits(Shift::RotateRight, B32), z B32, VectorShift,    [AVX512F];
    EVEX_Vprold_xmm_k1z_xmmm128b32_imm8:                RotateBitsLeft(B32),                x B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprold_ymm_k1z_ymmm256b32_imm8:                RotateBitsLeft(B32),                y B32, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprold_zmm_k1z_zmmm512b32_imm8:                RotateBitsLeft(B32),                z B32, VectorShift,    [AVX512F];
    EVEX_Vprorq_xmm_k1z_xmmm128b64_imm8:                ShiftBits(Shift::RotateRight, B64), x B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprorq_ymm_k1z_ymmm256b64_imm8:                ShiftBits(Shift::RotateRight, B64), y B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprorq_zmm_k1z_zmmm512b64_imm8:                ShiftBits(Shift::RotateRight, B64), z B64, VectorShift,    [AVX512F];
    EVEX_Vprolq_xmm_k1z_xmmm128b64_imm8:                RotateBitsLeft(B64),                x B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprolq_ymm_k1z_ymmm256b64_imm8:                RotateBitsLeft(B64),                y B64, VectorShift,    [AVX512F AVX512VL];
    EVEX_Vprolq_zmm_k1z_zmmm512b64_imm8:                RotateBitsLeft(B64),                z B64, VectorShift,    [AVX512F];

    // Shuffles within lanes.
    VEX_Vpshuflw_xmm_xmmm128_imm8:                      ShuffleWords(Half::Low),            x B16, Shuffle,        [AVX];
    VEX_Vpshuflw_ymm_ymmm256_imm8:                      ShuffleWords(Half::Low),            y B16, Shuffle,        [AVX2];
    EVEX_Vpshuflw_xmm_k1z_xmmm128_imm8:                 ShuffleWords(Half::Low),            x B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpshuflw_ymm_k1z_ymmm256_imm8:                 ShuffleWords(Half::Low),            y B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpshuflw_zmm_k1z_zmmm512_imm8:                 ShuffleWords(Half::Low),            z B16, Shuffle,        [AVX512BW];
    VEX_Vpshufhw_xmm_xmmm128_imm8:                      ShuffleWords(Half::High),           x B16, Shuffle,        [AVX];
    VEX_Vpshufhw_ymm_ymmm256_imm8:                      ShuffleWords(Half::High),           y B16, Shuffle,        [AVX2];
    EVEX_Vpshufhw_xmm_k1z_xmmm128_imm8:                 ShuffleWords(Half::High),           x B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpshufhw_ymm_k1z_ymmm256_imm8:                 ShuffleWords(Half::High),           y B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpshufhw_zmm_k1z_zmmm512_imm8:                 ShuffleWords(Half::High),           z B16, Shuffle,        [AVX512BW];
    VEX_Vpunpcklbw_xmm_xmm_xmmm128:                     Interleave(B8, Half::Low),          x B8,  Shuffle,        [AVX];
    VEX_Vpunpcklbw_ymm_ymm_ymmm256:                     Interleave(B8, Half::Low),          y B8,  Shuffle,        [AVX2];
    EVEX_Vpunpcklbw_xmm_k1z_xmm_xmmm128:                Interleave(B8, Half::Low),          x B8,  Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpcklbw_ymm_k1z_ymm_ymmm256:                Interleave(B8, Half::Low),          y B8,  Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpcklbw_zmm_k1z_zmm_zmmm512:                Interleave(B8, Half::Low),          z B8,  Shuffle,        [AVX512BW];
    VEX_Vpunpcklwd_xmm_xmm_xmmm128:                     Interleave(B16, Half::Low),         x B16, Shuffle,        [AVX];
    VEX_Vpunpcklwd_ymm_ymm_ymmm256:                     Interleave(B16, Half::Low),         y B16, Shuffle,        [AVX2];
    EVEX_Vpunpcklwd_xmm_k1z_xmm_xmmm128:                Interleave(B16, Half::Low),         x B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpcklwd_ymm_k1z_ymm_ymmm256:                Interleave(B16, Half::Low),         y B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpcklwd_zmm_k1z_zmm_zmmm512:                Interleave(B16, Half::Low),         z B16, Shuffle,        [AVX512BW];
    VEX_Vpunpckldq_xmm_xmm_xmmm128:                     Interleave(B32, Half::Low),         x B32, Shuffle,        [AVX];
    VEX_Vpunpckldq_ymm_ymm_ymmm256:                     Interleave(B32, Half::Low),         y B32, Shuffle,        [AVX2];
    EVEX_Vpunpckldq_xmm_k1z_xmm_xmmm128b32:             Interleave(B32, Half::Low),         x B32, Shuffle,        [AVX512F AVX512VL];
    EVEX_Vpunpckldq_ymm_k1z_ymm_ymmm256b32:             Interleave(B32, Half::Low),         y B32, Shuffle,        [AVX512F AVX512VL];
    EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32:             Interleave(B32, Half::Low),         z B32, Shuffle,        [AVX512F];
    VEX_Vpunpckhbw_xmm_xmm_xmmm128:                     Interleave(B8, Half::High),         x B8,  Shuffle,        [AVX];
    VEX_Vpunpckhbw_ymm_ymm_ymmm256:                     Interleave(B8, Half::High),         y B8,  Shuffle,        [AVX2];
    EVEX_Vpunpckhbw_xmm_k1z_xmm_xmmm128:                Interleave(B8, Half::High),         x B8,  Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpckhbw_ymm_k1z_ymm_ymmm256:                Interleave(B8, Half::High),         y B8,  Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpckhbw_zmm_k1z_zmm_zmmm512:                Interleave(B8, Half::High),         z B8,  Shuffle,        [AVX512BW];
    VEX_Vpunpckhwd_xmm_xmm_xmmm128:                     Interleave(B16, Half::High),        x B16, Shuffle,        [AVX];
    VEX_Vpunpckhwd_ymm_ymm_ymmm256:                     Interleave(B16, Half::High),        y B16, Shuffle,        [AVX2];
    EVEX_Vpunpckhwd_xmm_k1z_xmm_xmmm128:                Interleave(B16, Half::High),        x B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpckhwd_ymm_k1z_ymm_ymmm256:                Interleave(B16, Half::High),        y B16, Shuffle,        [AVX512BW AVX512VL];
    EVEX_Vpunpckhwd_zmm_k1z_zmm_zmmm512:                Interleave(B16, Half::High),        z B16, Shuffle,        [AVX512BW];
    VEX_Vpunpckhdq_xmm_xmm_xmmm128:                     Interleave(B32, Half::High),        x B32, Shuffle,        [AVX];
    VEX_Vpunpckhdq_ymm_ymm_ymmm256:                     Interleave(B32, Half::High),        y B32, Shuffle,        [AVX2];
    EVEX_Vpunpckhdq_xmm_k1z_xmm_xmmm128b32:             Interleave(B32, Half::High),        x B32, Shuffle,        [AVX512F AVX512VL];
    EVEX_Vpunpckhdq_ymm_k1z_ymm_ymmm256b32:             Interleave(B32, Half::High),        y B32, Shuffle,        [AVX512F AVX512VL];
    EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32:             Interleave(B32, Half::High),        z B32, Shuffle,        [AVX512F];
    VEX_Vpblendw_xmm_xmm_xmmm128_imm8:                  BlendWords,                         x B16, Shuffle,        [AVX];
    VEX_Vpblendw_ymm_ymm_ymmm256_imm8:                  BlendWords,                         y B16, Shuffle,        [AVX2];

    // GF(2) matrices and GF(2^8).
    VEX_Vgf2p8affineqb_xmm_xmm_xmmm128_imm8:            Affine { inverse: false },          x B8,  GaloisAffine,   [AVX GFNI];
    VEX_Vgf2p8affineqb_ymm_ymm_ymmm256_imm8:            Affine { inverse: false },          y B8,  GaloisAffine,   [AVX GFNI];
    EVEX_Vgf2p8affineqb_xmm_k1z_xmm_xmmm128b64_imm8:    Affine { inverse: false },          x B8,  GaloisAffine,   [AVX512F AVX512VL GFNI];
    EVEX_Vgf2p8affineqb_ymm_k1z_ymm_ymmm256b64_imm8:    Affine { inverse: false },          y B8,  GaloisAffine,   [AVX512F AVX512VL GFNI];
    EVEX_Vgf2p8affineqb_zmm_k1z_zmm_zmmm512b64_imm8:    Affine { inverse: false },          z B8,  GaloisAffine,   [AVX512F GFNI];
    VEX_Vgf2p8affineinvqb_xmm_xmm_xmmm128_imm8:         Affine { inverse: true },           x B8,  GaloisAffine,   [AVX GFNI];
    VEX_Vgf2p8affineinvqb_ymm_ymm_ymmm256_imm8:         Affine { inverse: true },           y B8,  GaloisAffine,   [AVX GFNI];
    EVEX_Vgf2p8affineinvqb_xmm_k1z_xmm_xmmm128b64_imm8: Affine { inverse: true },           x B8,  GaloisAffine,   [AVX512F AVX512VL GFNI];
    EVEX_Vgf2p8affineinvqb_ymm_k1z_ymm_ymmm256b64_imm8: Affine { inverse: true },           y B8,  GaloisAffine,   [AVX512F AVX512VL GFNI];
    EVEX_Vgf2p8affineinvqb_zmm_k1z_zmm_zmmm512b64_imm8: Affine { inverse: true },           z B8,  GaloisAffine,   [AVX512F GFNI];
    VEX_Vgf2p8mulb_xmm_xmm_xmmm128:                     Multiply,                           x B8,  GaloisMultiply, [AVX GFNI];
    VEX_Vgf2p8mulb_ymm_ymm_ymmm256:                     Multiply,                           y B8,  GaloisMultiply, [AVX GFNI];
    EVEX_Vgf2p8mulb_xmm_k1z_xmm_xmmm128:                Multiply,                           x B8,  GaloisMultiply, [AVX512F AVX512VL GFNI];
    EVEX_Vgf2p8mulb_ymm_k1z_ymm_ymmm256:                Multiply,                           y B8,  GaloisMultiply, [AVX512F AVX512VL GFNI];
    EVEX_Vgf2p8mulb_zmm_k1z_zmm_zmmm512:                Multiply,                           z B8,  GaloisMultiply, [AVX512F GFNI];

    // Carry-less products.
    VEX_Vpclmulqdq_xmm_xmm_xmmm128_imm8:                CarrylessProduct,                   x B64, CarrylessMultiply, [AVX PCLMULQDQ];
    VEX_Vpclmulqdq_ymm_ymm_ymmm256_imm8:                CarrylessProduct,                   y B64, CarrylessMultiply, [AVX VPCLMULQDQ];
    EVEX_Vpclmulqdq_xmm_xmm_xmmm128_imm8:               CarrylessProduct,                   x B64, CarrylessMultiply, [AVX512F AVX512VL VPCLMULQDQ];
    EVEX_Vpclmulqdq_ymm_ymm_ymmm256_imm8:               CarrylessProduct,                   y B64, CarrylessMultiply, [AVX512F AVX512VL VPCLMULQDQ];
    EVEX_Vpclmulqdq_zmm_zmm_zmmm512_imm8:               CarrylessProduct,                   z B64, CarrylessMultiply, [AVX512F VPCLMULQDQ];

    // Bytes across lanes.
    EVEX_Vpermb_xmm_k1z_xmm_xmmm128:                    PermuteBytes,                       x B8,  BytePermute,    [AVX512VBMI AVX512VL];
    EVEX_Vpermb_ymm_k1z_ymm_ymmm256:                    PermuteBytes,                       y B8,  BytePermute,    [AVX512VBMI AVX512VL];
    EVEX_Vpermb_zmm_k1z_zmm_zmmm512:                    PermuteBytes,                       z B8,  BytePermute,    [AVX512VBMI];
    EVEX_Vpermi2b_xmm_k1z_xmm_xmmm128:                  PermuteBytesByOld,                  x B8,  BytePermuteTwo, [AVX512VBMI AVX512VL];
    EVEX_Vpermi2b_ymm_k1z_ymm_ymmm256:                  PermuteBytesByOld,                  y B8,  BytePermuteTwo, [AVX512VBMI AVX512VL];
    EVEX_Vpermi2b_zmm_k1z_zmm_zmmm512:                  PermuteBytesByOld,                  z B8,  BytePermuteTwo, [AVX512VBMI];
    EVEX_Vpermt2b_xmm_k1z_xmm_xmmm128:                  PermuteBytesOfOld,                  x B8,  BytePermuteTwo, [AVX512VBMI AVX512VL];
    EVEX_Vpermt2b_ymm_k1z_ymm_ymmm256:                  PermuteBytesOfOld,                  y B8,  BytePermuteTwo, [AVX512VBMI AVX512VL];
    EVEX_Vpermt2b_zmm_k1z_zmm_zmmm512:                  PermuteBytesOfOld,                  z B8,  BytePermuteTwo, [AVX512VBMI];

    // Between opmasks and vectors.
    EVEX_Vpmovb2m_kr_xmm:                               SignBits(B8),                       x B8,  MaskFromVector, [AVX512BW AVX512VL];
    EVEX_Vpmovb2m_kr_ymm:                               SignBits(B8),                       y B8,  MaskFromVector, [AVX512BW AVX512VL];
    EVEX_Vpmovb2m_kr_zmm:                               SignBits(B8),                       z B8,  MaskFromVector, [AVX512BW];
    EVEX_Vpmovm2b_xmm_kr:                               MaskToElements(B8),                 x B8,  VectorFromMask, [AVX512BW AVX512VL];
    EVEX_Vpmovm2b_ymm_kr:                               MaskToElements(B8),                 y B8,  VectorFromMask, [AVX512BW AVX512VL];
    EVEX_Vpmovm2b_zmm_kr:                               MaskToElements(B8),                 z B8,  VectorFromMask, [AVX512BW];
    EVEX_Vpblendmb_xmm_k1z_xmm_xmmm128:                 BlendMasked,                        x B8,  MaskedBlend,    [AVX512BW AVX512VL];
    EVEX_Vpblendmb_ymm_k1z_ymm_ymmm256:                 BlendMasked,                        y B8,  MaskedBlend,    [AVX512BW AVX512VL];
    EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512:                 BlendMasked,                        z B8,  MaskedBlend,    [AVX512BW];

    // Bytes and words, repeated, widened, inserted and extracted.
    VEX_Vpbroadcastb_xmm_xmmm8:                         BroadcastElement(B8),               x B8,  Broadcast,      [AVX2];
    VEX_Vpbroadcastb_ymm_xmmm8:                         BroadcastElement(B8),               y B8,  Broadcast,      [AVX2];
    EVEX_Vpbroadcastb_xmm_k1z_xmmm8:                    BroadcastElement(B8),               x B8,  Broadcast,      [AVX512BW AVX512VL];
    EVEX_Vpbroadcastb_ymm_k1z_xmmm8:                    BroadcastElement(B8),               y B8,  Broadcast,      [AVX512BW AVX512VL];
    EVEX_Vpbroadcastb_zmm_k1z_xmmm8:                    BroadcastElement(B8),               z B8,  Broadcast,      [AVX512BW];
    EVEX_Vpbroadcastb_xmm_k1z_r32:                      BroadcastElement(B8),               x B8,  ScalarToVector, [AVX512BW AVX512VL];
    EVEX_Vpbroadcastb_ymm_k1z_r32:                      BroadcastElement(B8),               y B8,  ScalarToVector, [AVX512BW AVX512VL];
    EVEX_Vpbroadcastb_zmm_k1z_r32:                      BroadcastElement(B8),               z B8,  ScalarToVector, [AVX512BW];
    VEX_Vpbroadcastw_xmm_xmmm16:                        BroadcastElement(B16),              x B16, Broadcast,      [AVX2];
    VEX_Vpbroadcastw_ymm_xmmm16:                        BroadcastElement(B16),              y B16, Broadcast,      [AVX2];
    EVEX_Vpbroadcastw_xmm_k1z_xmmm16:                   BroadcastElement(B16),              x B16, Broadcast,      [AVX512BW AVX512VL];
    EVEX_Vpbroadcastw_ymm_k1z_xmmm16:                   BroadcastElement(B16),              y B16, Broadcast,      [AVX512BW AVX512VL];
    EVEX_Vpbroadcastw_zmm_k1z_xmmm16:                   BroadcastElement(B16),              z B16, Broadcast,      [AVX512BW];
    EVEX_Vpbroadcastw_xmm_k1z_r32:                      BroadcastElement(B16),              x B16, ScalarToVector, [AVX512BW AVX512VL];
    EVEX_Vpbroadcastw_ymm_k1z_r32:                      BroadcastElement(B16),              y B16, ScalarToVector, [AVX512BW AVX512VL];
    EVEX_Vpbroadcastw_zmm_k1z_r32:                      BroadcastElement(B16),              z B16, ScalarToVector, [AVX512BW];
    VEX_Vpmovzxbd_xmm_xmmm32:                           WidenBytes,                         x B32, Shuffle,        [AVX];
    VEX_Vpmovzxbd_ymm_xmmm64:                           WidenBytes,                         y B32, CrossLane,      [AVX2];
    EVEX_Vpmovzxbd_xmm_k1z_xmmm32:                      WidenBytes,                         x B32, Shuffle,        [AVX512F AVX512VL];
    EVEX_Vpmovzxbd_ymm_k1z_xmmm64:                      WidenBytes,                         y B32, CrossLane,      [AVX512F AVX512VL];
    EVEX_Vpmovzxbd_zmm_k1z_xmmm128:                     WidenBytes,                         z B32, CrossLane,      [AVX512F];
    VEX_Vpinsrb_xmm_xmm_r32m8_imm8:                     InsertElement(B8),                  x B8,  ScalarToVector, [AVX];
    VEX_Vpextrb_r32m8_xmm_imm8:                         ExtractElement(B8),                 x B8,  VectorToScalar, [AVX];
}
