//! Addressing forms of memory operands: the bytes after an opcode (Intel SDM, volume 2, 2.1.5, tables 2-2 and
//! 2-3).
//!
//! More specific forms come before the others, as their bytes are those of the others with a register that
//! cannot be named there: an index of 4 means none, a base of 5 without a displacement means none, and a base
//! of 4 means that another byte follows.

/// A displacement of four bytes, lowest first.
pub const FOUR: &str = "d[7:0] d[15:8] d[23:16] d[31:24]";

/// The addressing form of a memory operand.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The suffix of a row's name.
    pub name: &'static str,
    /// The byte ModRM with `R` for its three middle bits, and the bytes that follow it; `D` stands for
    /// [`FOUR`].
    encoding: &'static str,
    /// The address.
    pub address: &'static str,
    /// The address in assembler syntax.
    pub syntax: &'static str,
}

impl Form {
    /// The bytes after an opcode, with these three bits.
    pub fn encoding(&self, three: &str) -> String {
        self.encoding.replace('R', three).replace('D', FOUR)
    }
}

const fn form(
    name: &'static str,
    encoding: &'static str,
    address: &'static str,
    syntax: &'static str,
) -> Form {
    Form { name, encoding, address, syntax }
}

/// All forms. Forms that assemblers write only on request, with an index byte that names no index, end in
/// `plain`.
pub const FORMS: &[Form] = &[
    form("at_plain", "00 R 100 .. 100 101 D", "d", "{d}(,%eiz,1)"),
    form("table", "00 R 100 s[1:0] i[2:0] 101 D", "(i << s) + d", "{d}(,%{i},{s})"),
    form("stack0", "00 R 100 .. 100 100", "esp", "(%esp)"),
    form("stack8", "01 R 100 .. 100 100 d[7:0]", "esp + d", "{d}(%esp)"),
    form("stack32", "10 R 100 .. 100 100 D", "esp + d", "{d}(%esp)"),
    form("base0_plain", "00 R 100 .. 100 b[2:0]", "b", "(%{b},%eiz,1)"),
    form("base8_plain", "01 R 100 .. 100 b[2:0] d[7:0]", "b + d", "{d}(%{b},%eiz,1)"),
    form("base32_plain", "10 R 100 .. 100 b[2:0] D", "b + d", "{d}(%{b},%eiz,1)"),
    form("index0", "00 R 100 s[1:0] i[2:0] b[2:0]", "b + (i << s)", "(%{b},%{i},{s})"),
    form("index8", "01 R 100 s[1:0] i[2:0] b[2:0] d[7:0]", "b + (i << s) + d", "{d}(%{b},%{i},{s})"),
    form("index32", "10 R 100 s[1:0] i[2:0] b[2:0] D", "b + (i << s) + d", "{d}(%{b},%{i},{s})"),
    form("at", "00 R 101 D", "d", "{d}"),
    form("base0", "00 R b[2:0]", "b", "(%{b})"),
    form("base8", "01 R b[2:0] d[7:0]", "b + d", "{d}(%{b})"),
    form("base32", "10 R b[2:0] D", "b + d", "{d}(%{b})"),
];
