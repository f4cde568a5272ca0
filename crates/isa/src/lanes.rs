//! The interface over which the meanings of instructions are written. The semantics are written once, generic over
//! [`Domain`]: with bytes they are a simulator, with symbolic terms a proof, with address sets a footprint check.

mod machine;
mod operations;

pub use machine::{Bank, Counts, MOST_GENERAL, MOST_MASKS, MOST_VECTORS, Machine};
pub use operations::{
    Access, AesRound, Binary, Condition, Decision, FlagSet, Half, Logic, Shift, Unary, Width,
};

/// The values that instructions compute with, and the operations on them. Lanes are 128 bits
/// with byte 0 the lowest; scalars are 64 bits.
///
/// Scalar operations of a `Width` read the low bits of their operands, ignore the higher bits, and return the result
/// with the bits above the width zero. Any operation may refuse.
pub trait Domain {
    /// A 128-bit lane of a vector.
    type Lane: Copy;
    /// A 64-bit scalar.
    type Word: Copy;
    /// A 64-bit opmask.
    type Mask: Copy;
    /// The status flags.
    type Flags: Copy;
    /// The reason for refusing an operation.
    type Error: From<Unsupported>;

    // Lanes.

    /// A lane of these bytes.
    fn lane(&mut self, bytes: [u8; 16]) -> Self::Lane;
    /// A lane of zeros, which every write of a narrow vector needs.
    fn zero_lane(&mut self) -> Self::Lane {
        self.lane([0; 16])
    }
    /// `a ^ b`
    fn xor(&mut self, a: Self::Lane, b: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// AND, OR, AND-NOT.
    fn logic(&mut self, op: Logic, a: Self::Lane, b: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// Each bit of the result is bit `4 a + 2 b + c` of `table` (vpternlog).
    fn ternary(
        &mut self,
        table: u8,
        a: Self::Lane,
        b: Self::Lane,
        c: Self::Lane,
    ) -> Result<Self::Lane, Self::Error>;
    /// An AES round without its key addition.
    fn aes_round(&mut self, round: AesRound, a: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// InvMixColumns (aesimc).
    fn inv_mix_columns(&mut self, a: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// aeskeygenassist: dwords 0 and 2 are SubWord of dwords 1 and 3, dwords 1 and 3 their
    /// rotations xored with `rcon`.
    fn key_generation_assist(&mut self, a: Self::Lane, rcon: u8) -> Result<Self::Lane, Self::Error>;
    /// Sums of elements.
    fn add(&mut self, element: Width, a: Self::Lane, b: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// Differences of elements, `a - b`.
    fn subtract(&mut self, element: Width, a: Self::Lane, b: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// All ones in each element where `a` equals `b`, else zero.
    fn compare_equal(
        &mut self,
        element: Width,
        a: Self::Lane,
        b: Self::Lane,
    ) -> Result<Self::Lane, Self::Error>;
    /// Byte `i` is byte `control[i] & 15` of `a`, or zero where bit 7 of `control[i]` is set.
    fn shuffle_bytes(&mut self, a: Self::Lane, control: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// Dword `i` is dword `(order >> 2 i) & 3` of `a`.
    fn shuffle_dwords(&mut self, a: Self::Lane, order: u8) -> Result<Self::Lane, Self::Error>;
    /// Shifts towards the high bytes by `count` bytes, zeros entering (vpslldq); 16 and more give zero.
    fn shift_bytes_left(&mut self, a: Self::Lane, count: u8) -> Result<Self::Lane, Self::Error>;
    /// Shifts towards the low bytes by `count` bytes, zeros entering (vpsrldq); 16 and more give zero.
    fn shift_bytes_right(&mut self, a: Self::Lane, count: u8) -> Result<Self::Lane, Self::Error>;
    /// Bytes `count .. count + 16` of `low` followed by `high` and zeros (vpalignr).
    fn align_bytes(
        &mut self,
        high: Self::Lane,
        low: Self::Lane,
        count: u8,
    ) -> Result<Self::Lane, Self::Error>;
    /// A lane of two halves: its low half from `low`, its high half from `high`.
    fn pair_halves(
        &mut self,
        low: (Self::Lane, Half),
        high: (Self::Lane, Half),
    ) -> Result<Self::Lane, Self::Error>;
    /// Dword `i` from `b` where bit `i` of `choice` (0 to 15) is set, else from `a`.
    fn blend_dwords(&mut self, a: Self::Lane, b: Self::Lane, choice: u8) -> Result<Self::Lane, Self::Error>;
    /// Element `i` from `new` where bit `first + i` of `mask` is set, else from `old`.
    fn select(
        &mut self,
        mask: Self::Mask,
        first: u32,
        element: Width,
        new: Self::Lane,
        old: Self::Lane,
    ) -> Result<Self::Lane, Self::Error>;

    /// Each element (`B16`, `B32`, `B64`) shifted or rotated by `count` bits; a shift by the
    /// element's size and more gives zero.
    fn shift_bits(
        &mut self,
        op: Shift,
        element: Width,
        a: Self::Lane,
        count: u8,
    ) -> Result<Self::Lane, Self::Error>;
    /// Words (16 bits) of one half of `a` in the order of `order`, two bits a place; the other
    /// half as it is (pshuflw, pshufhw).
    fn shuffle_words(&mut self, half: Half, a: Self::Lane, order: u8) -> Result<Self::Lane, Self::Error>;
    /// Elements (`B8`, `B16`, `B32`) of one half of `a` and of `b` in turn, `a`'s first (punpck).
    fn interleave(
        &mut self,
        element: Width,
        half: Half,
        a: Self::Lane,
        b: Self::Lane,
    ) -> Result<Self::Lane, Self::Error>;
    /// Each byte `x`, or with `inverse` its inverse in GF(2^8) modulo 0x11b (0 for 0), times the
    /// 8x8 matrix in the 64-bit half of `matrix` beside it, plus `constant`: bit `i` of the
    /// result is the parity of `x & (byte 7 - i of the matrix)` (gf2p8affineqb, -invqb).
    fn affine(
        &mut self,
        inverse: bool,
        a: Self::Lane,
        matrix: Self::Lane,
        constant: u8,
    ) -> Result<Self::Lane, Self::Error>;
    /// Products of bytes in GF(2^8) modulo 0x11b (gf2p8mulb).
    fn multiply(&mut self, a: Self::Lane, b: Self::Lane) -> Result<Self::Lane, Self::Error>;
    /// The product of two halves as polynomials over GF(2), of 127 bits (pclmulqdq).
    fn carryless_product(
        &mut self,
        a: (Self::Lane, Half),
        b: (Self::Lane, Half),
    ) -> Result<Self::Lane, Self::Error>;
    /// Byte `i` is byte `index[i]` of the lanes of `table` one after another; the index is taken
    /// modulo their bytes, a power of two (vpermb with 1, 2 or 4 lanes, vpermi2b with twice that).
    fn permute_bytes(&mut self, index: Self::Lane, table: &[Self::Lane]) -> Result<Self::Lane, Self::Error>;
    /// All ones in each element where `a` is greater than `b` as signed integers, else zero.
    fn compare_greater(
        &mut self,
        element: Width,
        a: Self::Lane,
        b: Self::Lane,
    ) -> Result<Self::Lane, Self::Error>;
    /// Bit `i` is the highest bit of element `i` of the lanes one after another (vpmovb2m).
    fn sign_bits(&mut self, element: Width, lanes: &[Self::Lane]) -> Result<Self::Mask, Self::Error>;
    /// Bits 8 to 15 of a scalar, zero-extended (a read of ah, bh, ch, dh).
    fn second_byte(&mut self, a: Self::Word) -> Result<Self::Word, Self::Error>;

    // Between lanes, masks and scalars.

    /// A lane whose lowest element (`B32` or `B64`) is the scalar, the rest zero.
    fn lane_from_word(&mut self, element: Width, word: Self::Word) -> Result<Self::Lane, Self::Error>;
    /// Element `index` (`B32` or `B64`) of a lane.
    fn word_from_lane(&mut self, element: Width, a: Self::Lane, index: u8)
    -> Result<Self::Word, Self::Error>;
    /// A mask of these bits.
    fn mask(&mut self, bits: u64) -> Self::Mask;
    /// The low `width` bits of a scalar as a mask.
    fn mask_from_word(&mut self, width: Width, word: Self::Word) -> Result<Self::Mask, Self::Error>;
    /// The low `width` bits of a mask as a scalar.
    fn word_from_mask(&mut self, width: Width, mask: Self::Mask) -> Result<Self::Word, Self::Error>;

    // Scalars.

    /// The scalar of this value.
    fn word(&mut self, value: u64) -> Self::Word;
    /// The address of the code's byte at `offset` (rip-relative operands), counted from where
    /// the decoder's instruction pointer counts.
    fn code_address(&mut self, offset: u64) -> Self::Word;
    /// `base + index * scale + displacement`, modulo 2^64; `scale` is 1, 2, 4 or 8.
    fn address(
        &mut self,
        base: Option<Self::Word>,
        index: Option<(Self::Word, u8)>,
        displacement: i64,
    ) -> Result<Self::Word, Self::Error>;
    /// The low bits of a scalar, zero-extended.
    fn zero_extend(&mut self, from: Width, a: Self::Word) -> Result<Self::Word, Self::Error>;
    /// `old` with its low bits (`B8`, `B16`) replaced by those of `value`.
    fn replace_low(
        &mut self,
        width: Width,
        old: Self::Word,
        value: Self::Word,
    ) -> Result<Self::Word, Self::Error>;
    /// A result and the new flags. AF is not modelled, so no form reads it.
    fn binary(
        &mut self,
        op: Binary,
        width: Width,
        a: Self::Word,
        b: Self::Word,
        flags: Self::Flags,
    ) -> Result<(Self::Word, Self::Flags), Self::Error>;
    /// A result and the new flags.
    fn unary(
        &mut self,
        op: Unary,
        width: Width,
        a: Self::Word,
        flags: Self::Flags,
    ) -> Result<(Self::Word, Self::Flags), Self::Error>;
    /// A result and the new flags; `count` is already taken modulo 32 or 64 and is not zero.
    /// Shifts set all flags, rotations CF and OF and leave the others.
    fn shift(
        &mut self,
        op: Shift,
        width: Width,
        a: Self::Word,
        count: u8,
        flags: Self::Flags,
    ) -> Result<(Self::Word, Self::Flags), Self::Error>;
    /// The flags, where those in `which` may have any value: the manual leaves them undefined, and processors differ. A
    /// simulator may keep the old values.
    fn undefined(&mut self, flags: Self::Flags, which: FlagSet) -> Self::Flags;
    /// Decides whether a jump is taken.
    fn branch(&mut self, condition: Condition, flags: Self::Flags) -> Result<Decision, Self::Error>;
    /// `yes` when the condition holds, else `no` (cmovcc; setcc with 1 and 0).
    fn choose(
        &mut self,
        condition: Condition,
        flags: Self::Flags,
        yes: Self::Word,
        no: Self::Word,
    ) -> Result<Self::Word, Self::Error>;

    // Memory.

    /// A scalar, zero-extended.
    fn load_word(&mut self, width: Width, address: Self::Word) -> Result<Self::Word, Self::Error>;
    /// The low bits of a scalar.
    fn store_word(&mut self, width: Width, address: Self::Word, value: Self::Word)
    -> Result<(), Self::Error>;
    /// A lane whose lowest element (`B32` or `B64`) comes from memory, the rest zero. Only that
    /// element's bytes are read.
    fn load_element(&mut self, element: Width, address: Self::Word) -> Result<Self::Lane, Self::Error>;
    /// Stores element `index` (`B32` or `B64`) of a lane.
    fn store_element(
        &mut self,
        element: Width,
        address: Self::Word,
        a: Self::Lane,
        index: u8,
    ) -> Result<(), Self::Error>;
    /// Fills `lanes` (1, 2 or 4) from `16 * lanes.len()` bytes.
    fn load(
        &mut self,
        access: Access,
        address: Self::Word,
        lanes: &mut [Self::Lane],
    ) -> Result<(), Self::Error>;
    /// Stores `16 * lanes.len()` bytes.
    fn store(&mut self, access: Access, address: Self::Word, lanes: &[Self::Lane])
    -> Result<(), Self::Error>;
    /// Loads those elements whose mask bit is set and leaves the others of `lanes` as they are.
    /// Memory under a clear bit is not touched.
    fn load_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Self::Mask,
        address: Self::Word,
        lanes: &mut [Self::Lane],
    ) -> Result<(), Self::Error>;
    /// Stores those elements whose mask bit is set. Memory under a clear bit is not touched.
    fn store_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Self::Mask,
        address: Self::Word,
        lanes: &[Self::Lane],
    ) -> Result<(), Self::Error>;
    /// Prefetches an address into the caches: nothing is read and no address faults.
    fn prefetch(&mut self, address: Self::Word) -> Result<(), Self::Error>;
}

/// An instruction that the table does not hold, or a form of it without semantics here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Its address: the decoder's instruction pointer.
    pub ip: u64,
    /// The instruction, and the missing part.
    pub what: String,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at offset {:#x}: {}", self.ip, self.what)
    }
}

impl std::error::Error for Unsupported {}
