//! The rows of SSE encodings, for CPUs without AVX (columns: see [`super::Form`]): the destination is also the
//! first source, bits above 127 are unchanged, memory operands must be aligned.

use super::rows;
use aesmith_isa::lanes::{AesRound, Half, Logic, Shift};

rows! { legacy {
    // AES rounds.
    Aesenc_xmm_xmmm128:                Aes(AesRound::Encrypt),       x B64, Aes,              [AES];
    Aesenclast_xmm_xmmm128:            Aes(AesRound::EncryptLast),   x B64, Aes,              [AES];
    Aesdec_xmm_xmmm128:                Aes(AesRound::Decrypt),       x B64, Aes,              [AES];
    Aesdeclast_xmm_xmmm128:            Aes(AesRound::DecryptLast),   x B64, Aes,              [AES];
    Aesimc_xmm_xmmm128:                InvMixColumns,                x B64, AesInvMixColumns, [AES];
    Aeskeygenassist_xmm_xmmm128_imm8:  KeyGenerationAssist,          x B64, AesKeyGeneration, [AES];

    // Bitwise.
    Pxor_xmm_xmmm128:                  Xor,                          x B64, Logic,            [SSE2];
    Pand_xmm_xmmm128:                  Bitwise(Logic::And),          x B64, Logic,            [SSE2];
    Pandn_xmm_xmmm128:                 Bitwise(Logic::AndNot),       x B64, Logic,            [SSE2];
    Por_xmm_xmmm128:                   Bitwise(Logic::Or),           x B64, Logic,            [SSE2];

    // Sums, differences and comparisons of elements.
    Paddb_xmm_xmmm128:                 Add(B8),                      x B8,  VectorAdd,        [SSE2];
    Paddw_xmm_xmmm128:                 Add(B16),                     x B16, VectorAdd,        [SSE2];
    Paddd_xmm_xmmm128:                 Add(B32),                     x B32, VectorAdd,        [SSE2];
    Paddq_xmm_xmmm128:                 Add(B64),                     x B64, VectorAdd,        [SSE2];
    Psubb_xmm_xmmm128:                 Subtract(B8),                 x B8,  VectorAdd,        [SSE2];
    Psubw_xmm_xmmm128:                 Subtract(B16),                x B16, VectorAdd,        [SSE2];
    Psubd_xmm_xmmm128:                 Subtract(B32),                x B32, VectorAdd,        [SSE2];
    Psubq_xmm_xmmm128:                 Subtract(B64),                x B64, VectorAdd,        [SSE2];
    Pcmpeqb_xmm_xmmm128:               CompareEqual(B8),             x B8,  VectorAdd,        [SSE2];
    Pcmpeqw_xmm_xmmm128:               CompareEqual(B16),            x B16, VectorAdd,        [SSE2];
    Pcmpeqd_xmm_xmmm128:               CompareEqual(B32),            x B32, VectorAdd,        [SSE2];
    Pcmpeqq_xmm_xmmm128:               CompareEqual(B64),            x B64, VectorAdd,        [SSE41];
    Pcmpgtb_xmm_xmmm128:               CompareGreater(B8),           x B8,  VectorAdd,        [SSE2];
    Pcmpgtd_xmm_xmmm128:               CompareGreater(B32),          x B32, VectorAdd,        [SSE2];

    // Shifts of elements by a constant.
    Psllw_xmm_imm8:                    ShiftBits(Shift::Left, B16),  x B16, VectorShift,      [SSE2];
    Pslld_xmm_imm8:                    ShiftBits(Shift::Left, B32),  x B32, VectorShift,      [SSE2];
    Psllq_xmm_imm8:                    ShiftBits(Shift::Left, B64),  x B64, VectorShift,      [SSE2];
    Psrlw_xmm_imm8:                    ShiftBits(Shift::Right, B16), x B16, VectorShift,      [SSE2];
    Psrld_xmm_imm8:                    ShiftBits(Shift::Right, B32), x B32, VectorShift,      [SSE2];
    Psrlq_xmm_imm8:                    ShiftBits(Shift::Right, B64), x B64, VectorShift,      [SSE2];

    // Shuffles.
    Pslldq_xmm_imm8:                   ShiftBytesLeft,               x B8,  Shuffle,          [SSE2];
    Psrldq_xmm_imm8:                   ShiftBytesRight,              x B8,  Shuffle,          [SSE2];
    Pshufd_xmm_xmmm128_imm8:           ShuffleDwords,                x B32, Shuffle,          [SSE2];
    Pshuflw_xmm_xmmm128_imm8:          ShuffleWords(Half::Low),      x B16, Shuffle,          [SSE2];
    Pshufhw_xmm_xmmm128_imm8:          ShuffleWords(Half::High),     x B16, Shuffle,          [SSE2];
    Punpcklbw_xmm_xmmm128:             Interleave(B8, Half::Low),    x B8,  Shuffle,          [SSE2];
    Punpcklwd_xmm_xmmm128:             Interleave(B16, Half::Low),   x B16, Shuffle,          [SSE2];
    Punpckldq_xmm_xmmm128:             Interleave(B32, Half::Low),   x B32, Shuffle,          [SSE2];
    Punpcklqdq_xmm_xmmm128:            UnpackQwords(Half::Low),      x B64, Shuffle,          [SSE2];
    Punpckhbw_xmm_xmmm128:             Interleave(B8, Half::High),   x B8,  Shuffle,          [SSE2];
    Punpckhwd_xmm_xmmm128:             Interleave(B16, Half::High),  x B16, Shuffle,          [SSE2];
    Punpckhdq_xmm_xmmm128:             Interleave(B32, Half::High),  x B32, Shuffle,          [SSE2];
    Punpckhqdq_xmm_xmmm128:            UnpackQwords(Half::High),     x B64, Shuffle,          [SSE2];
    Pshufb_xmm_xmmm128:                ShuffleBytes,                 x B8,  Shuffle,          [SSSE3];
    Palignr_xmm_xmmm128_imm8:          AlignBytes,                   x B8,  Shuffle,          [SSSE3];
    Pblendw_xmm_xmmm128_imm8:          BlendWords,                   x B16, Shuffle,          [SSE41];

    // GF(2) matrices and GF(2^8).
    Gf2p8affineqb_xmm_xmmm128_imm8:    Affine { inverse: false },    x B8,  GaloisAffine,     [GFNI];
    Gf2p8affineinvqb_xmm_xmmm128_imm8: Affine { inverse: true },     x B8,  GaloisAffine,     [GFNI];
    Gf2p8mulb_xmm_xmmm128:             Multiply,                     x B8,  GaloisMultiply,   [GFNI];

    // Carry-less products.
    Pclmulqdq_xmm_xmmm128_imm8:        CarrylessProduct,             x B64, CarrylessMultiply, [PCLMULQDQ];

    // Moves of whole vectors.
    Movdqu_xmm_xmmm128:                Move(Access::Unaligned),      x B64, VectorMove,       [SSE2];
    Movdqu_xmmm128_xmm:                Move(Access::Unaligned),      x B64, VectorMove,       [SSE2];
    Movups_xmm_xmmm128:                Move(Access::Unaligned),      x B64, VectorMove,       [];
    Movups_xmmm128_xmm:                Move(Access::Unaligned),      x B64, VectorMove,       [];
    Movaps_xmm_xmmm128:                Move(Access::Aligned),        x B64, VectorMove,       [];
    Movaps_xmmm128_xmm:                Move(Access::Aligned),        x B64, VectorMove,       [];
    Movdqa_xmm_xmmm128:                Move(Access::Aligned),        x B64, VectorMove,       [SSE2];
    Movdqa_xmmm128_xmm:                Move(Access::Aligned),        x B64, VectorMove,       [SSE2];
    Movntdq_m128_xmm:                  Move(Access::Streaming),      x B64, StreamingStore,   [SSE2];

    // Between vectors and scalars.
    Movd_xmm_rm32:                     ElementToVector(B32),         x B32, ScalarToVector,   [SSE2];
    Movd_rm32_xmm:                     ElementFromVector(B32),       x B32, VectorToScalar,   [SSE2];
    Movq_xmm_rm64:                     ElementToVector(B64),         x B64, ScalarToVector,   [SSE2];
    Movq_rm64_xmm:                     ElementFromVector(B64),       x B64, VectorToScalar,   [SSE2];
    Movq_xmm_xmmm64:                   ElementToVector(B64),         x B64, VectorMove,       [SSE2];
    Movq_xmmm64_xmm:                   ElementFromVector(B64),       x B64, VectorMove,       [SSE2];
    Pinsrb_xmm_r32m8_imm8:             InsertElement(B8),            x B8,  ScalarToVector,   [SSE41];
    Pextrb_r32m8_xmm_imm8:             ExtractElement(B8),           x B8,  VectorToScalar,   [SSE41];
    Pinsrd_xmm_rm32_imm8:              InsertElement(B32),           x B32, ScalarToVector,   [SSE41];
    Pextrd_rm32_xmm_imm8:              ExtractElement(B32),          x B32, VectorToScalar,   [SSE41];
    Pinsrq_xmm_rm64_imm8:              InsertElement(B64),           x B64, ScalarToVector,   [SSE41];
    Pextrq_rm64_xmm_imm8:              ExtractElement(B64),          x B64, VectorToScalar,   [SSE41];
} }
