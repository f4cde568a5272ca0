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
            (Doubling::Table, Direction::Encrypt) => 3,
            (Doubling::Table, Direction::Decrypt) | (Doubling::Branch, _) => 4,
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

    /// The column of `s`; `out` is called with the code, the row, and the two registers whose sum is
    /// this row of the product. After the call for a row its `s` is not used again.
    pub fn mix(&self, code: &mut Writer, s: [Reg; 4], out: impl FnMut(&mut Writer, usize, [Reg; 2])) {
        let [a, b, two_t] = [0, 1, 2].map(|k| self.free[k]);
        match (self.doubling, self.direction) {
            (Doubling::Table, Direction::Encrypt) => self.mix_by_table(code, s),
            (Doubling::Table, Direction::Decrypt) => self.inverse_by_table(code, s),
            (_, direction) => {
                let t = self.free[3];
                code.mov(b, s[0]);
                code.eor(b, s[2]);
                code.mov(t, b);
                code.eor(t, s[1]);
                code.eor(t, s[3]);
                self.double(code, b);
                code.mov(two_t, t);
                self.double(code, two_t);
                if direction == Direction::Decrypt {
                    code.mov(a, two_t);
                    self.double(code, a);
                    code.eor(b, a);
                }
                code.mov(a, s[0]);
                code.eor(a, s[1]);
                if direction == Direction::Decrypt {
                    code.eor(a, b);
                }
                self.double(code, a);
                code.eor(a, t);
                code.eor(b, a);
            }
        }
        self.rows(code, s, [a, b, two_t], out);
    }

    /// A in `free[0]`, B in `free[1]`, 2 T in `free[2]`.
    fn mix_by_table(&self, code: &mut Writer, s: [Reg; 4]) {
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
    }

    fn inverse_by_table(&self, code: &mut Writer, s: [Reg; 4]) {
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
    }

    fn rows(
        &self,
        code: &mut Writer,
        s: [Reg; 4],
        [a, b, two_t]: [Reg; 3],
        mut out: impl FnMut(&mut Writer, usize, [Reg; 2]),
    ) {
        out(code, 0, [a, s[0]]);
        out(code, 1, [b, s[1]]);
        code.eor(a, two_t);
        code.eor(b, two_t);
        out(code, 2, [a, s[2]]);
        out(code, 3, [b, s[3]]);
    }

    /// A row: the key's byte at X and the two terms are summed in ZL, and looked up.
    pub fn next(&self, code: &mut Writer, terms: [Reg; 2], to: Reg) {
        code.one("ld_x_inc", ZL);
        code.eor(ZL, terms[0]);
        code.eor(ZL, terms[1]);
        self.sbox(code, to);
    }
}
