//! The values that instructions compute with. A meaning is written once, in the language of [`crate::language`]; over
//! numbers it is an interpreter, over symbols a proof.

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
    /// One bit: 1 if both are equal.
    Equal,
    /// One bit: unsigned `<`.
    Below,
    /// One bit: signed `<`.
    Less,
}

/// Shifts. The count may have another width than the value. A shift by at least the value's width gives zeros, or
/// copies of the sign; a rotation is by the count modulo the width.
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

/// Functions of a byte from which AES is built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteFunction {
    /// The S-box (FIPS-197, figure 7).
    Sbox,
    /// Its inverse (FIPS-197, figure 14).
    InverseSbox,
    /// The product with a constant in GF(2^8) modulo 0x11b; with 2 it is FIPS-197's xtime.
    Times(u8),
}

/// A memory space: most processors have one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Data memory.
    Data,
    /// Program memory where it is separate from data memory (AVR's lpm; a GPU's constant memory).
    Program,
    /// Memory shared by the threads of a block of a grid.
    Shared,
    /// Parameters of a launch of a grid.
    Parameter,
}

impl Space {
    /// True if only a grid has it.
    pub fn is_of_grids(self) -> bool {
        matches!(self, Space::Shared | Space::Parameter)
    }

    /// True if programs may write there.
    pub fn is_written(self) -> bool {
        matches!(self, Space::Data | Space::Shared)
    }
}

/// A domain of values. Widths are in bits, 1 to 128; the caller states the width of a value. Any operation may refuse.
pub trait Values {
    /// A value.
    type V: Clone;
    /// The reason for refusing an operation.
    type Error: From<String>;

    /// A number of `width` bits.
    fn constant(&mut self, width: u8, value: u64) -> Self::V;
    /// The address of an executed instruction, or of the next one.
    fn address(&mut self, width: u8, at: u64) -> Self::V {
        self.constant(width, at)
    }
    /// The number in the field at this place of the instruction at an address.
    fn field(&mut self, _: u64, _: u8, width: u8, value: u64) -> Result<Self::V, Self::Error> {
        Ok(self.constant(width, value))
    }
    /// Both operands have `width` bits; so has the result, or 1 bit for comparisons.
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
    /// Extension from `from` bits to `to` bits, with zeros or copies of the sign.
    fn extend(&mut self, signed: bool, from: u8, to: u8, a: &Self::V) -> Result<Self::V, Self::Error>;
    /// `yes` where the one-bit `condition` is 1, else `no`.
    fn select(
        &mut self,
        width: u8,
        condition: &Self::V,
        yes: &Self::V,
        no: &Self::V,
    ) -> Result<Self::V, Self::Error>;
    /// A value that a manual leaves undefined: it may be anything, different each time, and may depend on `of`, which
    /// has the same width.
    fn undefined(&mut self, width: u8, of: &Self::V) -> Self::V;
    /// A function of a byte.
    fn function(&mut self, f: ByteFunction, a: &Self::V) -> Result<Self::V, Self::Error>;
    /// The byte at index `index`, taken modulo 32, of `high` followed by `low`, each with its highest byte first.
    fn pick(&mut self, high: &Self::V, low: &Self::V, index: &Self::V) -> Result<Self::V, Self::Error>;
    /// Loads `bytes` (1, 2, 4, 8, 16) bytes of memory as a number in the processor's byte order; `width` is that of the
    /// address.
    fn load(&mut self, space: Space, bytes: u8, width: u8, address: &Self::V)
    -> Result<Self::V, Self::Error>;
    /// Stores `bytes` bytes to memory that holds no program.
    fn store(
        &mut self,
        space: Space,
        bytes: u8,
        width: u8,
        address: &Self::V,
        value: &Self::V,
    ) -> Result<(), Self::Error>;
    /// True if a one-bit condition that decides control flow holds.
    fn decide(&mut self, condition: &Self::V) -> Result<bool, Self::Error>;
    /// The concrete number of a value, where one is needed.
    fn number(&mut self, width: u8, a: &Self::V) -> Result<u64, Self::Error>;
    /// The concrete address that control goes to.
    fn target(&mut self, width: u8, a: &Self::V) -> Result<u64, Self::Error> {
        self.number(width, a)
    }
}
