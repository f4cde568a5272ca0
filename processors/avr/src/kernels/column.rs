//! A column of a round in registers: (Inv)MixColumns, the next round key, and the S-box after it.
//!
//! With x = s0 + s1, u = s1 + s2, y = s2 + s3, r = s0 + s2 and T the sum of all four, MixColumns
//! (FIPS-197, 5.1.3) is
//!
//! ```text
//! w0 = 2 x + u + s3     w1 = (s1 + 2 u) + T     w2 = w0 + (r + 2 T)     w3 = (s1 + 2 u) + (r + 2 T)
//! ```
//!
//! so that three doublings suffice for four bytes. The inverse (5.3.3) is MixColumns after 4 r has been
//! added to s0 and s2, and 4 (T + r) to s1 and s3; combined, it takes three doublings as well:
//!
//! ```text
//! p = 2 (r + 2 T)       g = 2 (x + p)
//! w0 = g + T + s0       w1 = w0 + x + p       w2 = w0 + 2 T + r     w3 = g + 2 T + s2 + x + p
//! ```
//!
//! These are the shortest sums that an exhaustive search over straight-line programs of up to eleven
//! additions has found, for a machine with two operands whose doublings need their argument in the
//! pointer: x, u and T are computed there one from another. With the addition of the round key this
//! takes 16 operations besides the look-ups for MixColumns, and 18 for the inverse. If shifts double,
//! each doubling overwrites a register, and w0 = 2 x + y + s1, w1 = 2 u + y + s0, w2 = 2 y + x + s3,
//! w3 = w2 + 2 x + 2 u + y take fewer.
//!
//! If bytes must return to the registers they came from (in a loop), the sums are computed separately:
//!
//! ```text
//! A = 2 x + T    B = A + 2 r        w0 = A + s0          w1 = B + s1
//!                                   w2 = A + 2 T + s2    w3 = B + 2 T + s3
//! ```
//!
//! and with A = g + T and B = A + p for the inverse. A doubling is a look-up in 256 bytes whose
//! index is the sum itself, or a shift. The round key's byte is loaded into the pointer to the
//! S-box, and the terms of w are added to it there: no byte is moved into a pointer.

use aesmith_cipher::problem::Direction;

use super::writer::{Reg, Writer, YL, ZL};

/// The implementation of doubling in GF(2^8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubling {
    /// A table in RAM, addressed by Y.
    Table,
    /// A shift and a branch over the reduction: 3 cycles on both paths.
    Branch,
    /// A shift, and a mask made from the carry.
    Mask,
}

/// The registers that the rows of a column may be put in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Each row has its own s as first term, which no other row uses, and may replace it.
    Apart,
    /// The rows replace s in some order.
    InPlace,
    /// The rows replace s and free registers.
    Free,
}

/// The rows of a column's product.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The registers whose sum is the row.
    pub terms: [Vec<Reg>; 4],
    /// A register that is free once this row and all earlier ones have been summed.
    pub homes: [Reg; 4],
    /// The registers that are free once all rows have been put in their homes.
    pub free: Vec<Reg>,
}

/// The parameters of the code of a column.
#[derive(Clone, Debug)]
pub struct Columns {
    /// MixColumns or InvMixColumns.
    pub direction: Direction,
    /// The implementation of doubling.
    pub doubling: Doubling,
    /// True if the S-box lies in flash.
    pub flash: bool,
    /// A register that holds 0x1b, unless doubling uses a table.
    pub reduction: Reg,
    /// Free registers, [`Columns::wants`] of them.
    pub free: Vec<Reg>,
    /// True if round keys are added before MixColumns, from the last byte of a key to its first: the inverse cipher
    /// with the encryption round keys (FIPS-197, 5.3).
    pub keys_before: bool,
}

impl Columns {
    /// The number of free registers that a column needs; `apart` selects [`Form::Apart`].
    pub fn wants(direction: Direction, doubling: Doubling, apart: bool) -> usize {
        let sums = match (direction, doubling) {
            (Direction::Encrypt, Doubling::Table) if !apart => 2,
            (Direction::Encrypt, _) => 3,
            (Direction::Decrypt, _) if apart => 4,
            (Direction::Decrypt, Doubling::Table) => 2,
            (Direction::Decrypt, _) => 3,
        };
        sums + usize::from(doubling == Doubling::Mask)
    }

    /// Looks up the S-box at the byte in ZL.
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
                let mask = self.free[self.free.len() - 1];
                code.two("add", r, r);
                code.two("sbc", mask, mask);
                code.two("and", mask, self.reduction);
                code.eor(r, mask);
            }
        }
    }

    /// The rows of the product for column `s`, as sums of registers: those of `s` or free ones.
    pub fn mix(&self, code: &mut Writer, s: [Reg; 4], form: Form) -> Rows {
        match (self.doubling, self.direction, form) {
            (Doubling::Table, Direction::Encrypt, Form::Apart) => self.mix_apart_by_table(code, s),
            (_, Direction::Encrypt, Form::Apart) => self.mix_apart_by_shift(code, s),
            (Doubling::Table, Direction::Decrypt, Form::Apart) => self.inverse_apart_by_table(code, s),
            (_, Direction::Decrypt, Form::Apart) => self.inverse_apart_by_shift(code, s),
            (Doubling::Table, Direction::Encrypt, _) => self.mix_by_table(code, s),
            (_, Direction::Encrypt, _) => self.mix_by_shift(code, s),
            (Doubling::Table, Direction::Decrypt, Form::Free) => self.inverse_by_table(code, s),
            (Doubling::Table, Direction::Decrypt, _) => self.inverse_in_place_by_table(code, s),
            (_, Direction::Decrypt, _) => self.inverse_by_shift(code, s),
        }
    }

    fn rows(&self, terms: [Vec<Reg>; 4], homes: [Reg; 4]) -> Rows {
        Rows { terms, homes, free: self.free.clone() }
    }

    fn mix_by_table(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [w, doubled] = [0, 1].map(|k| self.free[k]);
        // Rotated by one row, so that each row finds a free register: the sums of the module comment with s3, s0, s1,
        // s2 in place of s0, s1, s2, s3.
        let [s1, s2, s3, s0] = s;
        code.mov(YL, s0);
        code.eor(YL, s1);
        code.displaced("ldd_y", w, 0);
        code.eor(s2, s0);
        code.eor(YL, s2);
        code.displaced("ldd_y", doubled, 0);
        code.eor(s1, doubled);
        code.eor(YL, s3);
        code.eor(w, YL);
        code.eor(YL, s0);
        code.displaced("ldd_y", doubled, 0);
        code.eor(s2, doubled);
        // Now w = w0, s1 = s1 + 2 u, s2 = r + 2 T, and YL = T.
        self.rows([vec![s1, YL], vec![w, s2], vec![s1, s2], vec![w]], [s0, s3, s1, s2])
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
        // Now s0 = s0 + y and s2 = y + 2 x.
        let terms = [vec![s[1], s[2]], vec![s[0], u], vec![two_y], vec![s[2], u, two_y]];
        self.rows(terms, [s[1], s[0], s[3], s[2]])
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
        self.apart(s, [a, b, two_t])
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
        self.apart(s, [a, b, t])
    }

    fn inverse_by_table(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let doubled = self.free[0];
        // Rotated by two rows.
        let [s2, s3, s0, s1] = s;
        code.eor(s1, s0);
        code.eor(s3, s1);
        code.eor(s3, s2);
        code.mov(YL, s3);
        code.displaced("ldd_y", doubled, 0);
        code.eor(s2, doubled);
        code.eor(s0, s2);
        code.mov(YL, s0);
        code.displaced("ldd_y", doubled, 0);
        code.eor(s1, doubled);
        code.mov(YL, s1);
        code.displaced("ldd_y", doubled, 0);
        code.eor(s2, doubled);
        code.eor(s3, s2);
        code.eor(s0, s3);
        // Now s0 = w0, s1 = x + p, s2 = g + 2 T + s2, s3 = w2.
        let mut rows = self.rows([vec![s3], vec![s2, s1], vec![s0], vec![s0, s1]], [s3, s2, doubled, s0]);
        rows.free[0] = s1;
        rows
    }

    fn inverse_in_place_by_table(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [two_t, p] = [0, 1].map(|k| self.free[k]);
        code.eor(s[1], s[0]);
        code.eor(s[1], s[2]);
        code.eor(s[3], s[1]);
        code.mov(YL, s[3]);
        code.displaced("ldd_y", two_t, 0);
        code.eor(two_t, s[2]);
        code.eor(s[0], two_t);
        code.mov(YL, s[0]);
        code.displaced("ldd_y", p, 0);
        code.mov(YL, s[2]);
        code.eor(YL, s[1]);
        code.eor(YL, p);
        code.displaced("ldd_y", p, 0);
        self.decrypted(code, s, [two_t, p, YL])
    }

    fn inverse_by_shift(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [two_t, p, x] = [0, 1, 2].map(|k| self.free[k]);
        code.eor(s[1], s[0]);
        code.eor(s[1], s[2]);
        code.eor(s[3], s[1]);
        code.mov(two_t, s[3]);
        self.double(code, two_t);
        code.eor(two_t, s[2]);
        code.eor(s[0], two_t);
        code.mov(p, s[0]);
        self.double(code, p);
        code.mov(x, s[2]);
        code.eor(x, s[1]);
        code.eor(x, p);
        code.mov(p, x);
        self.double(code, p);
        self.decrypted(code, s, [two_t, p, x])
    }

    fn inverse_apart_by_table(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [a, b, two_t, t] = [0, 1, 2, 3].map(|k| self.free[k]);
        code.mov(YL, s[0]);
        for r in &s[1..] {
            code.eor(YL, *r);
        }
        code.displaced("ldd_y", two_t, 0);
        code.mov(t, YL);
        code.mov(YL, two_t);
        code.eor(YL, s[0]);
        code.eor(YL, s[2]);
        code.displaced("ldd_y", b, 0);
        code.mov(YL, s[0]);
        code.eor(YL, s[1]);
        code.eor(YL, b);
        code.displaced("ldd_y", a, 0);
        code.eor(a, t);
        code.eor(b, a);
        self.apart(s, [a, b, two_t])
    }

    fn inverse_apart_by_shift(&self, code: &mut Writer, s: [Reg; 4]) -> Rows {
        let [a, b, two_t, t] = [0, 1, 2, 3].map(|k| self.free[k]);
        code.mov(t, s[0]);
        for r in &s[1..] {
            code.eor(t, *r);
        }
        code.mov(two_t, t);
        self.double(code, two_t);
        code.mov(b, two_t);
        code.eor(b, s[0]);
        code.eor(b, s[2]);
        self.double(code, b);
        code.mov(a, s[0]);
        code.eor(a, s[1]);
        code.eor(a, b);
        self.double(code, a);
        code.eor(a, t);
        code.eor(b, a);
        self.apart(s, [a, b, two_t])
    }

    /// A row: sums the key byte at X and the row's terms in ZL, and looks the sum up.
    pub fn next(&self, code: &mut Writer, terms: &[Reg], to: Reg) {
        self.sum(code, terms);
        self.sbox(code, to);
    }

    /// The sum of a row's terms in ZL, with the key byte unless it has been added already.
    pub fn sum(&self, code: &mut Writer, terms: &[Reg]) {
        let mut terms = terms.iter();
        match terms.as_slice() {
            [first, ..] if self.keys_before => {
                code.mov(ZL, *first);
                terms.next();
            }
            _ => code.one("ld_x_inc", ZL),
        }
        for &term in terms {
            code.eor(ZL, term);
        }
    }

    /// Adds the column's part of the key that X points past, if keys are added before MixColumns.
    pub(crate) fn add_keys(&self, code: &mut Writer, s: [Reg; 4]) {
        if self.keys_before {
            for r in s.into_iter().rev() {
                code.one("ld_x_dec", ZL);
                code.eor(r, ZL);
            }
        }
    }

    /// The columns in the order in which round keys are read.
    pub fn order(&self) -> [usize; 4] {
        if self.keys_before { [3, 2, 1, 0] } else { [0, 1, 2, 3] }
    }

    /// Loads a byte of the first or the last round key into ZL.
    pub(crate) fn key_byte(&self, code: &mut Writer) {
        code.one(if self.keys_before { "ld_x_dec" } else { "ld_x_inc" }, ZL);
    }

    /// The rest of a column of decryption: s0 holds r + 2 T, s1 holds x + s2, s3 holds T, `mixed` holds 2 T + s2, `g`
    /// holds 2 (x + p) and `x` holds x + p.
    fn decrypted(&self, code: &mut Writer, s: [Reg; 4], [mixed, g, x]: [Reg; 3]) -> Rows {
        code.eor(mixed, g);
        code.eor(s[3], mixed);
        code.eor(s[0], s[3]);
        self.rows([vec![s[0]], vec![s[0], x], vec![s[3]], vec![mixed, x]], [s[1], s[0], s[3], s[2]])
    }

    /// The rows as sums of A, B and 2 T.
    fn apart(&self, s: [Reg; 4], [a, b, two_t]: [Reg; 3]) -> Rows {
        self.rows([vec![s[0], a], vec![s[1], b], vec![s[2], a, two_t], vec![s[3], b, two_t]], s)
    }
}
