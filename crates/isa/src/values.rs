//! What instructions compute with. A meaning is written once, in the language of
//! [`crate::language`]; over numbers it is an interpreter, over symbols a proof.

/// Operations of two operands of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// Sum, modulo the width.
    Add,
    /// Difference, modulo the width.
    Subtract,
    /// Product, modulo the width.
    Multiply,
    /// Quotient of unsigned numbers; all ones for a zero divisor.
    Divide,
    /// Remainder of unsigned numbers; the dividend for a zero divisor.
    Remainder,
    /// Bitwise AND.
    And,
    /// Bitwise OR.
    Or,
    /// Bitwise XOR.
    Xor,
    /// One bit: whether they are equal.
    Equal,
    /// One bit: unsigned `<`.
    Below,
    /// One bit: signed `<`.
    Less,
}

/// Shifts. The count may have another width than the value; a shift by the value's width and more
/// gives zeros, or copies of the sign; a rotation is by the count modulo the width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shift {
    /// Towards the high bits.
    Left,
    /// Towards the low bits, zeros entering.
    Right,
    /// Towards the low bits, copies of the sign entering.
    Arithmetic,
    /// Rotation towards the low bits.
    Rotate,
}

/// Functions of a byte that AES is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteFunction {
    /// The S-box (FIPS-197, figure 7).
    Sbox,
    /// Its inverse (FIPS-197, figure 14).
    InverseSbox,
    /// The product with a constant in GF(2^8) modulo 0x11b; by 2 it is FIPS-197's xtime.
    Times(u8),
}

/// Which memory: most processors have one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Data memory.
    Data,
    /// Program memory, where it is apart from data memory (AVR's lpm; a GPU's constant memory).
    Program,
    /// Memory that the threads of a block of a grid share.
    Shared,
    /// Parameters of a launch of a grid.
    Parameter,
}

impl Space {
    /// Whether only a grid has it.
    pub fn is_of_grids(self) -> bool {
        matches!(self, Space::Shared | Space::Parameter)
    }

    /// Whether programs may write there.
    pub fn is_written(self) -> bool {
        matches!(self, Space::Data | Space::Shared)
    }
}

/// A domain of values. Widths are in bits, 1 to 128; a value's width is what the caller says it is.
/// Any operation may refuse.
pub trait Values {
    /// A value.
    type V: Clone;
    /// Why an operation is refused.
    type Error: From<String>;

    /// A number of `width` bits.
    fn constant(&mut self, width: u8, value: u64) -> Self::V;
    /// The address of an instruction that is executed, or of the one behind it.
    fn address(&mut self, width: u8, at: u64) -> Self::V {
        self.constant(width, at)
    }
    /// The number in the field of this place of the instruction at an address.
    fn field(&mut self, _: u64, _: u8, width: u8, value: u64) -> Result<Self::V, Self::Error> {
        Ok(self.constant(width, value))
    }
    /// Both operands have `width` bits, and the result, or 1 bit for comparisons.
    fn binary(&mut self, op: Binary, width: u8, a: &Self::V, b: &Self::V) -> Result<Self::V, Self::Error>;
    /// `a` has `width` bits, `count` has `count_width`.
    fn shift(
        &mut self,
        op: Shift,
        width: u8,
        a: &Self::V,
        count_width: u8,
        count: &Self::V,
    ) -> Result<Self::V, Self::Error>;
    /// The complement.
    fn not(&mut self, width: u8, a: &Self::V) -> Result<Self::V, Self::Error>;
    /// Bits `low .. low + count` of `a`, which has `width` bits.
    fn slice(&mut self, width: u8, a: &Self::V, low: u8, count: u8) -> Result<Self::V, Self::Error>;
    /// `high` above `low`.
    fn join(&mut self, high: (u8, &Self::V), low: (u8, &Self::V)) -> Result<Self::V, Self::Error>;
    /// From `from` bits to `to` bits, with zeros or copies of the sign.
    fn extend(&mut self, signed: bool, from: u8, to: u8, a: &Self::V) -> Result<Self::V, Self::Error>;
    /// `yes` where the one-bit `condition` is 1, else `no`.
    fn select(
        &mut self,
        width: u8,
        condition: &Self::V,
        yes: &Self::V,
        no: &Self::V,
    ) -> Result<Self::V, Self::Error>;
    /// A value that a manual leaves open: it may be any, another one each time, and may depend on `of`, which has as many
    /// bits.
    fn undefined(&mut self, width: u8, of: &Self::V) -> Self::V;
    /// A function of a byte.
    fn function(&mut self, f: ByteFunction, a: &Self::V) -> Result<Self::V, Self::Error>;
    /// Of 32 bytes, those of `high` before those of `low` and in each the highest first, the one that the lowest five bits
    /// of a byte number.
    fn pick(&mut self, high: &Self::V, low: &Self::V, index: &Self::V) -> Result<Self::V, Self::Error>;
    /// `bytes` (1, 2, 4, 8, 16) of memory as a number of so many bytes, in the processor's order; `width` is that
    /// of the address.
    fn load(&mut self, space: Space, bytes: u8, width: u8, address: &Self::V)
    -> Result<Self::V, Self::Error>;
    /// Writes `bytes` of memory that is no program's.
    fn store(
        &mut self,
        space: Space,
        bytes: u8,
        width: u8,
        address: &Self::V,
        value: &Self::V,
    ) -> Result<(), Self::Error>;
    /// Whether a one-bit condition that control flow hangs on holds.
    fn decide(&mut self, condition: &Self::V) -> Result<bool, Self::Error>;
    /// The number that a value is, where one is needed.
    fn number(&mut self, width: u8, a: &Self::V) -> Result<u64, Self::Error>;
    /// The number of the address that control goes to.
    fn target(&mut self, width: u8, a: &Self::V) -> Result<u64, Self::Error> {
        self.number(width, a)
    }
}
