//! A block in sixteen registers. Unrolled rounds implement ShiftRows by renaming registers; in a loop it costs six
//! moves.

use aesmith_cipher::problem::Direction;

use super::column::{Columns, Doubling, Form};
use super::writer::{Reg, Writer, XH, XL, YH, ZH, ZL};

/// The structure of the rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// No loop.
    Unrolled,
    /// A loop of this many rounds, which divides the number of inner rounds.
    Looped(u8),
    /// A loop of all rounds, including the first and the last, that contains each step of the cipher once.
    Steps,
    /// A loop of all rounds except MixColumns of the last one. The key is added where a byte is looked up; the last
    /// key is added after the loop. Y points to the round keys.
    Joined,
}

/// The registers and the form of a block function.
#[derive(Clone, Debug)]
pub struct Block {
    /// The implementation of columns.
    pub columns: Columns,
    /// The state at entry, in the byte order of FIPS-197.
    pub state: [Reg; 16],
    /// Registers that the moves of a loop may use.
    pub spare: Vec<Reg>,
    /// The iteration counter of a loop.
    pub counter: Reg,
    /// The structure of the rounds.
    pub rounds: Rounds,
    /// Number of rounds of the cipher.
    pub count: u8,
}

/// The label of the S-box.
pub const SBOX: &str = "aes_sbox";
/// The inverse S-box.
pub(crate) const INVERSE_SBOX: &str = "aes_inverse_sbox";
/// The table of doubled bytes.
pub(crate) const XTIME: &str = "aes_xtime";

impl Block {
    /// The index of the byte that (Inv)ShiftRows moves to row `r` of column `c`.
    pub fn source(&self, r: usize, c: usize) -> usize {
        let from = match self.columns.direction {
            Direction::Encrypt => c + r,
            Direction::Decrypt => c + 4 - r,
        };
        4 * (from % 4) + r
    }

    /// Loads the page of the S-box.
    pub(crate) fn sbox_page(&self, code: &mut Writer) {
        let sbox = match self.columns.direction {
            Direction::Encrypt => SBOX,
            Direction::Decrypt => INVERSE_SBOX,
        };
        code.address(ZH, sbox, 1);
    }

    /// Loads the pages of the pointers, and constants.
    pub fn pages(&self, code: &mut Writer) {
        self.sbox_page(code);
        match self.columns.doubling {
            Doubling::Table => code.address(YH, XTIME, 1),
            _ => code.constant("ldi", self.columns.reduction, 0x1b),
        }
    }

    /// The registers of column `c` after (Inv)ShiftRows.
    pub fn shifted(&self, now: &[Reg; 16], c: usize) -> [Reg; 4] {
        [0, 1, 2, 3].map(|r| now[self.source(r, c)])
    }

    /// A round whose result may stay in the registers of its columns' bytes or in a free register of `columns`, which
    /// then gets another free register.
    fn round(&self, code: &mut Writer, columns: &mut Columns, form: Form, now: &mut [Reg; 16]) {
        let before = *now;
        for c in columns.order() {
            columns.add_keys(code, self.shifted(&before, c));
            let rows = columns.mix(code, self.shifted(&before, c), form);
            for (r, &home) in rows.homes.iter().enumerate() {
                columns.next(code, &rows.terms[r], home);
                now[4 * c + r] = home;
            }
            columns.free = rows.free;
        }
    }

    /// A round whose result lies in the registers of [`Block::state`]: bytes that occupy these registers are moved
    /// aside.
    fn round_home(&self, code: &mut Writer, now: &mut [Reg; 16]) -> Result<(), String> {
        let mut at = *now;
        let mut spare: Vec<Reg> = self.spare.clone();
        let mut done = [false; 16];
        for c in self.columns.order() {
            let s = self.shifted(&at, c);
            self.columns.add_keys(code, s);
            let sources = [0, 1, 2, 3].map(|r| self.source(r, c));
            let mut rows = self.columns.mix(code, s, Form::Apart);
            for r in 0..4 {
                let home = self.state[4 * c + r];
                done[sources[r]] = true;
                self.columns.sum(code, &rows.terms[r]);
                let own = rows.terms[r][0];
                if !self.state.contains(&own) {
                    spare.push(own);
                }
                if let Some(waiting) = (0..16).find(|&i| at[i] == home && !done[i]) {
                    let aside = spare.pop().ok_or("registers run out for the moves of a loop")?;
                    code.mov(aside, home);
                    at[waiting] = aside;
                    // The moved byte may belong to a later row of this column.
                    rows.terms.iter_mut().flatten().filter(|t| **t == home).for_each(|t| *t = aside);
                }
                self.columns.sbox(code, home);
            }
        }
        *now = self.state;
        Ok(())
    }

    /// Writes all rounds and returns the registers of the result. X points to the round keys.
    pub fn rounds(&self, code: &mut Writer) -> Result<[Reg; 16], String> {
        let mut now = self.state;
        if self.columns.keys_before {
            // X is moved past the keys, by at most 240 bytes.
            code.constant("subi", XL, (16 * (self.count + 1)).wrapping_neg());
            code.constant("sbci", XH, 0xff);
            now.reverse();
        }
        if self.rounds == Rounds::Joined {
            self.joined(code);
            return Ok(self.state);
        }
        if self.rounds == Rounds::Steps {
            self.steps(code);
            return Ok(self.state);
        }
        for r in now {
            self.columns.key_byte(code);
            code.eor(ZL, r);
            self.columns.sbox(code, r);
        }
        now = self.state;
        self.inner(code, &mut now, usize::from(self.count) - 1)?;
        Ok(self.last(code, &now, |code, to| {
            self.columns.key_byte(code);
            code.eor(to, ZL);
        }))
    }

    /// A register that holds no byte of the result.
    pub fn through(&self, out: &[Reg; 16]) -> Reg {
        let mut all = self.state.iter().chain(&self.columns.free).copied();
        all.find(|r| !out.contains(r)).unwrap_or(self.columns.free[0])
    }

    /// The rounds with MixColumns.
    pub fn inner(&self, code: &mut Writer, now: &mut [Reg; 16], count: usize) -> Result<(), String> {
        let mut columns = self.columns.clone();
        match self.rounds {
            Rounds::Steps | Rounds::Joined => return Err("one loop has no rounds by themselves".into()),
            Rounds::Unrolled => (0..count).for_each(|_| self.round(code, &mut columns, Form::Free, now)),
            Rounds::Looped(of) => {
                let of = usize::from(of);
                code.constant("ldi", self.counter, (count / of) as u8);
                let (again, end) = (code.fresh("round"), code.fresh("last"));
                code.label(&again);
                (1..of).for_each(|_| self.round(code, &mut columns, Form::InPlace, now));
                self.round_home(code, now)?;
                code.one("dec", self.counter);
                // The target is out of the range of a branch.
                code.jump("breq", &end);
                code.back(&again);
                code.label(&end);
            }
        }
        Ok(())
    }

    /// The last round after its S-box; `add` adds the key byte to a register.
    pub fn last(
        &self,
        code: &mut Writer,
        now: &[Reg; 16],
        mut add: impl FnMut(&mut Writer, Reg),
    ) -> [Reg; 16] {
        let out: [Reg; 16] = std::array::from_fn(|i| now[self.source(i % 4, i / 4)]);
        let mut in_order = out;
        if self.columns.keys_before {
            in_order.reverse();
        }
        in_order.into_iter().for_each(|r| add(code, r));
        out
    }
}
