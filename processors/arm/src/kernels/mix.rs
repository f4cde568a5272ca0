//! MixColumns of a column in plain code, four bytes at once (FIPS-197, 5.1.3 and 5.3.3).

use aesmith_cipher::problem::Direction;

use super::writer::Code;

/// The registers for it.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// The highest bit of each byte.
    pub high: i32,
    /// The reductions of these bits.
    pub low: i32,
    /// Two temporaries.
    pub changed: [i32; 2],
}

impl Mix {
    /// Loads the constants.
    pub fn numbers(self, code: &mut Code) {
        for (register, byte) in [(self.high, 0x80), (self.low, 0x1b)] {
            code.number(register, byte);
            code.op_sh("orr", register, register, register, "lsl", 8);
            code.op_sh("orr", register, register, register, "lsl", 16);
        }
    }

    /// Doubles each byte of the first temporary. A high bit h becomes 0x80 - 0x01 = 0x7f, which is masked with
    /// 0x1b.
    fn double(self, code: &mut Code) {
        let [a, t] = self.changed;
        code.op("and", t, a, self.high);
        code.op("eor", a, a, t);
        code.op_sh("sub", t, t, t, "lsr", 7);
        code.op("and", t, t, self.low);
        code.op_sh("eor", a, t, a, "lsl", 1);
    }

    /// MixColumns of a word, which may be in place. The inverse is MixColumns after the addition of 4 (w ^ w'),
    /// where w' has its halves exchanged, as the matrix is the product of the two.
    pub fn column(self, code: &mut Code, direction: Direction, to: i32, from: i32) {
        let x = self.changed[0];
        let mut w = from;
        if direction == Direction::Decrypt {
            code.op_sh("eor", x, w, w, "ror", 16);
            self.double(code);
            self.double(code);
            code.op("eor", to, w, x);
            w = to;
        }
        code.op_sh("eor", x, w, w, "ror", 8);
        code.op_sh("eor", to, w, x, "ror", 8);
        self.double(code);
        code.op_sh("eor", to, x, to, "ror", 8);
    }
}
