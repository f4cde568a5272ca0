//! A column of a round in registers: (Inv)MixColumns, the next round key, and the S-box after it.
//!
//! With x = s0 + s1, r = s0 + s2 and T the sum of all four, MixColumns (FIPS-197, 5.1.3) is
//!
//! ```text
//! A = 2 x + T    B = A + 2 r        w0 = A + s0          w1 = B + s1
//!                                   w2 = A + 2 T + s2    w3 = B + 2 T + s3
//! ```
//!
//! so that three doublings serve four bytes, and A and B are formed once for two of them. The
//! inverse (5.3.3) is the same after 4 r and 4 (T + r) have been added to the bytes; put together,
//!
//! ```text
//! p = 2 r + 4 T  A = 2 (x + p) + T  B = A + p           w0 ... w3 as above
//! ```
//!
//! which is four doublings. A doubling is a look-up of 256 bytes whose pointer is the sum itself, or
//! a shift. The round key's byte is loaded into the pointer to the S-box, and the terms of w are
//! added to it there: no byte is moved into a pointer.

use aesmith_cipher::problem::Direction;

use super::writer::{Reg, Writer, YL, ZL};

/// How a byte is doubled in GF(2^8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubling {
    /// By a table in RAM, through Y.
    Table,
    /// By a shift and a branch over the reduction: 3 cycles whichever way it goes.
    Branch,
    /// By a shift, and a mask made of the carry.
    Mask,
}

/// The rows of a column's product.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Registers whose sum is the row. For decryption the first is no other row's.
    pub terms: [Vec<Reg>; 4],
    /// A register that is free once this row and those before it have been summed.
    pub homes: [Reg; 4],
}

/// What the code of a column needs to know.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Which MixColumns.
    pub direction: Direction,
    /// How bytes are doubled.
    pub doubling: Doubling,
    /// Whether the S-box lies in flash.
    pub flash: bool,
    /// 0x1b, where doubling is not by table.
    pub reduction: Reg,
    /// Free registers, as many as [`Columns::wants`].
    pub free: Vec<Reg>,
}

impl Columns {
    /// How many free registers a column needs.
    pub fn wants(direction: Direction, doubling: Doubling) -> usize {
        match (doubling, direction) {
            (Doubling::Table | Doubling::Branch, Direction::Encrypt) => 3,
            (Doubling::Table | Doubling::Branch, Direction::Decrypt) => 4,
            (Doubling::Mask, _) => 5,
        }
    }

    /// The S-box of the byte that ZL holds.
    pub fn sbox(&self, code: &mut Writer, to: Reg) {
        match self.flash {
            true => code.one("lpm", to),
            false => code.displaced("ldd_z", to, 0),
        }
    }

    /// Doubles a register.
    pub fn double(&self, code: &mut Writer, r: Reg) {
        match self.doubling {
            Doubling::Table => {
                code.mov(YL, r);
                code.displaced("ldd_y", r, 0);
            }
            Doubling::Branch => {
                code.two("add", r, r);
                code.over_one("brcc");
                code.eor(r, self.reduction);
            }
            Doubling::Mask => {
                let mask = self.free[4];
                code.two("add", r, r);
                code.two("sbc", mask, mask);
                code.two("and", mask, self.reduction);
                code.eor(r, mask);
            }
        }
    }

    /// The column of `s`: the rows of the product as sums of registers, `s` or free ones. Rows that
    /// are `apart` have their own s as first term, which no other row uses, and may take its place.
    pub fn mix(&self, code: &mut Writer, s: [Reg; 4], apart: bool) -> Rows {
        match (self.doubling, self.direction) {
            (Doubling::Table, Direction::Encrypt) if apart => self.mix_apart_by_table(code, s),
            (_, Direction::Encrypt) if apart => self.mix_apart_by_shift(code, s),
            (Doubling::Table, Direction::Encrypt) => self.mix_by_table(code, s),
            (_, Direction::Encrypt) => self.mix_by_shift(code, s),
            (Doubling::Table, Direction::Decrypt) => self.inverse_by_table(code, s),
            (_, Direction::Decrypt) => self.inverse_by_shift(code, s),
        }
    }

    fn mix_by_table(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [two_x, two_y, two_u] = [0, 1, 2].map(|k| self.free[k]);
        code.eor(s[2], s[3]);
        code.mov(YL, s[2]);
        code.displaced("ldd_y", two_y, 0);
        code.mov(YL, s[0]);
        code.eor(YL, s[1]);
        code.displaced("ldd_y", two_x, 0);
        code.eor(s[0], s[2]);
        code.eor(YL, s[3]);
        code.eor(two_y, YL);
        code.eor(YL, s[0]);
        code.displaced("ldd_y", two_u, 0);
        code.eor(s[2], two_x);
        self.encrypted(s, two_y, two_u)
    }

    fn mix_by_shift(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [two_x, two_y, u] = [0, 1, 2].map(|k| self.free[k]);
        code.eor(s[2], s[3]);
        code.mov(two_y, s[2]);
        self.double(code, two_y);
        code.mov(u, s[0]);
        code.eor(u, s[1]);
        code.mov(two_x, u);
        self.double(code, two_x);
        code.eor(s[0], s[2]);
        code.eor(u, s[3]);
        code.eor(two_y, u);
        code.eor(u, s[0]);
        self.double(code, u);
        code.eor(s[2], two_x);
        self.encrypted(s, two_y, u)
    }

    fn mix_apart_by_table(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [a, b, two_t] = [0, 1, 2].map(|k| self.free[k]);
        code.mov(YL, s[0]);
        code.eor(YL, s[1]);
        code.displaced("ldd_y", a, 0);
        code.eor(YL, s[2]);
        code.eor(YL, s[3]);
        code.displaced("ldd_y", two_t, 0);
        code.eor(a, YL);
        code.mov(YL, s[0]);
        code.eor(YL, s[2]);
        code.displaced("ldd_y", b, 0);
        code.eor(b, a);
        apart(s, [a, b, two_t])
    }

    fn mix_apart_by_shift(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [a, b, t] = [0, 1, 2].map(|k| self.free[k]);
        code.mov(b, s[0]);
        code.eor(b, s[2]);
        code.mov(t, b);
        code.eor(t, s[1]);
        code.eor(t, s[3]);
        self.double(code, b);
        code.mov(a, s[0]);
        code.eor(a, s[1]);
        self.double(code, a);
        code.eor(a, t);
        code.eor(b, a);
        self.double(code, t);
        apart(s, [a, b, t])
    }

    /// s0 holds s0 + y and s2 holds y + 2 x by now; `w2` is the third row.
    fn encrypted(&self, s: [Reg; 4], w2: Reg, two_u: Reg) -> Rows {
        Rows {
            terms: [vec![s[1], s[2]], vec![s[0], two_u], vec![w2], vec![s[2], two_u, w2]],
            homes: [s[1], s[0], s[3], s[2]],
        }
    }

    fn inverse_by_table(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [a, b, two_t, t] = [0, 1, 2, 3].map(|k| self.free[k]);
        code.mov(YL, s[0]);
        code.eor(YL, s[2]);
        code.displaced("ldd_y", b, 0);
        code.eor(YL, s[1]);
        code.eor(YL, s[3]);
        code.displaced("ldd_y", two_t, 0);
        code.mov(t, YL);
        code.mov(YL, two_t);
        code.displaced("ldd_y", YL, 0);
        code.eor(b, YL);
        code.mov(YL, s[0]);
        code.eor(YL, s[1]);
        code.eor(YL, b);
        code.displaced("ldd_y", a, 0);
        code.eor(a, t);
        code.eor(b, a);
        apart(s, [a, b, two_t])
    }

    fn inverse_by_shift(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [a, b, two_t, t] = [0, 1, 2, 3].map(|k| self.free[k]);
        code.mov(b, s[0]);
        code.eor(b, s[2]);
        code.mov(t, b);
        code.eor(t, s[1]);
        code.eor(t, s[3]);
        self.double(code, b);
        code.mov(two_t, t);
        self.double(code, two_t);
        code.mov(a, two_t);
        self.double(code, a);
        code.eor(b, a);
        code.mov(a, s[0]);
        code.eor(a, s[1]);
        code.eor(a, b);
        self.double(code, a);
        code.eor(a, t);
        code.eor(b, a);
        apart(s, [a, b, two_t])
    }

    /// A row: the key's byte at X and its terms are summed in ZL, and looked up.
    pub fn next(&self, code: &mut Writer, terms: &[Reg], to: Reg) {
        code.one("ld_x_inc", ZL);
        for &term in terms {
            code.eor(ZL, term);
        }
        self.sbox(code, to);
    }
}

/// Rows of A, B and 2 T.
fn apart(s: [Reg; 4], [a, b, two_t]: [Reg; 3]) -> Rows {
    Rows { terms: [vec![s[0], a], vec![s[1], b], vec![s[2], a, two_t], vec![s[3], b, two_t]], homes: s }
}
