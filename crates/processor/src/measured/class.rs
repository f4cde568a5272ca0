//! Classes of instructions whose time is measured, and their vector widths.

use serde::{Deserialize, Serialize};

/// Vector width of an instruction. Stored models name it by the registers of x86-64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Vectors {
    /// No vectors.
    #[serde(rename = "scalar")]
    Scalar,
    /// 128 bits.
    #[serde(rename = "xmm")]
    Bits128,
    /// 256 bits.
    #[serde(rename = "ymm")]
    Bits256,
    /// 512 bits.
    #[serde(rename = "zmm")]
    Bits512,
}

impl Vectors {
    /// The width of registers of 1, 2 or 4 blocks.
    pub const fn of(blocks: usize) -> Vectors {
        match blocks {
            1 => Vectors::Bits128,
            2 => Vectors::Bits256,
            _ => Vectors::Bits512,
        }
    }

    /// Lanes of 128 bits.
    pub const fn lanes(self) -> usize {
        match self {
            Vectors::Scalar => 0,
            Vectors::Bits128 => 1,
            Vectors::Bits256 => 2,
            Vectors::Bits512 => 4,
        }
    }
}

/// Instructions that occupy the same units for the same time. The time is measured ([`super::MachineModel`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimingClass {
    /// AES rounds.
    Aes,
    /// InvMixColumns of a round key.
    AesInvMixColumns,
    /// Steps of the key schedule.
    AesKeyGeneration,
    /// Bitwise vector operations.
    Logic,
    /// Vector additions, subtractions, comparisons.
    VectorAdd,
    /// Shifts and rotations of elements.
    VectorShift,
    /// GF(2) matrices times bytes.
    GaloisAffine,
    /// Products in GF(2^8).
    GaloisMultiply,
    /// Carry-less products.
    CarrylessMultiply,
    /// Blends by a constant.
    Blend,
    /// Blends by an opmask.
    MaskedBlend,
    /// Shuffles within lanes.
    Shuffle,
    /// Shuffles across lanes.
    CrossLane,
    /// Bytes of one vector across lanes.
    BytePermute,
    /// Bytes of two vectors across lanes.
    BytePermuteTwo,
    /// Insertion of lanes.
    LaneInsert,
    /// Extraction of lanes.
    LaneExtract,
    /// Repetition of an element.
    Broadcast,
    /// Repetition of lanes of memory, which the load unit does alone.
    BroadcastLoad,
    /// Vector register to register.
    VectorMove,
    /// General-purpose register to vector.
    ScalarToVector,
    /// Vector to general-purpose register.
    VectorToScalar,
    /// Opmask moves.
    MaskMove,
    /// Vector to opmask.
    MaskFromVector,
    /// Opmask to vector.
    VectorFromMask,
    /// Operations of opmasks.
    MaskLogic,
    /// Clearing of the upper halves of vector registers.
    ZeroUpper,
    /// Scalar register to register.
    ScalarMove,
    /// Scalar arithmetic and logic.
    ScalarAlu,
    /// Scalar operations that read flags.
    ScalarCarry,
    /// Shifts and rotations.
    ScalarShift,
    /// Byte reversal.
    ByteSwap,
    /// Address computation.
    Lea,
    /// Jumps.
    Branch,
    /// Returns.
    Return,
    /// Loads of any width.
    Load,
    /// Stores of any width.
    Store,
    /// Stores past the caches.
    StreamingStore,
    /// Prefetches.
    Prefetch,
    /// Fences.
    Fence,
    /// Occupies issue width only.
    Nop,
}
