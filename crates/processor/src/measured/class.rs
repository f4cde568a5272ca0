//! Classes of instructions whose time is measured, and their vector widths.

use serde::{Deserialize, Serialize};

/// Vector width of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vectors {
    /// No vectors.
    Scalar,
    /// 128 bits.
    Xmm,
    /// 256 bits.
    Ymm,
    /// 512 bits.
    Zmm,
}

impl Vectors {
    /// Lanes of 128 bits.
    pub const fn lanes(self) -> usize {
        match self {
            Vectors::Scalar => 0,
            Vectors::Xmm => 1,
            Vectors::Ymm => 2,
            Vectors::Zmm => 4,
        }
    }
}

/// Instructions that occupy the same units for the same time. The time is measured ([`super::MachineModel`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimingClass {
    /// AES rounds.
    Aes,
    /// aesimc.
    AesInvMixColumns,
    /// aeskeygenassist.
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
    /// vzeroupper, vzeroall.
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
