//! All rounds as one loop of the cipher's steps, each written once: the smallest code that keeps the state in registers.

use super::block::Block;
use super::column::Form;
use super::writer::{Reg, Writer, ZL};

impl Block {
    /// The steps of FIPS-197 in a loop; the result is where the state was.
    pub fn steps(&self, code: &mut Writer) {
        let [again, first, last, end] = ["round", "first", "last", "end"].map(|about| code.fresh(about));
        let rounds = self.count;
        code.constant("ldi", self.counter, rounds + 1);
        code.label(&again);
        self.add_key(code);
        code.one("dec", self.counter);
        code.far("breq", &end);
        if self.columns.keys_before {
            // The inverse cipher adds a key before InvMixColumns, and has none after the first.
            code.constant("cpi", self.counter, rounds);
            code.far("breq", &first);
            self.mix_columns(code);
            code.label(&first);
            self.substitute(code);
        } else {
            self.substitute(code);
            code.constant("cpi", self.counter, 1);
            code.far("breq", &last);
            self.mix_columns(code);
            code.label(&last);
        }
        code.back(&again);
        code.label(&end);
    }

    fn add_key(&self, code: &mut Writer) {
        let mut state = self.state;
        if self.columns.keys_before {
            state.reverse();
        }
        for r in state {
            self.columns.key_byte(code);
            code.eor(r, ZL);
        }
    }

    fn mix_columns(&self, code: &mut Writer) {
        for c in 0..4 {
            let s: [Reg; 4] = std::array::from_fn(|r| self.state[4 * c + r]);
            for terms in self.columns.mix(code, s, Form::Apart).terms {
                terms[1..].iter().for_each(|&term| code.eor(terms[0], term));
            }
        }
    }

    /// SubBytes and ShiftRows, or their inverses: a row's bytes go round, one of them through a free register.
    fn substitute(&self, code: &mut Writer) {
        let through = self.columns.free[0];
        for r in 0..4 {
            let mut done = [false; 4];
            while let Some(start) = done.iter().position(|d| !d) {
                let place = |c: usize| self.state[4 * c + r];
                let next = |c: usize| self.source(r, c) / 4;
                if next(start) == start {
                    code.mov(ZL, place(start));
                    self.columns.sbox(code, place(start));
                    done[start] = true;
                    continue;
                }
                code.mov(ZL, place(start));
                self.columns.sbox(code, through);
                let mut c = start;
                while next(c) != start {
                    code.mov(ZL, place(next(c)));
                    self.columns.sbox(code, place(c));
                    done[c] = true;
                    c = next(c);
                }
                code.mov(place(c), through);
                done[c] = true;
            }
        }
    }
}
