//! All rounds as one loop of the cipher's steps, each written once: the smallest code that keeps the state in
//! registers. A variant adds the key where bytes are looked up, which saves one move per byte and round, and adds the
//! last key after the loop.

use super::block::Block;
use super::column::Form;
use super::writer::{Reg, Writer, YL, ZL};

impl Block {
    /// The steps of FIPS-197 in a loop; the result replaces the state in its registers.
    pub fn steps(&self, code: &mut Writer) {
        let [again, first, last, end] = ["round", "first", "last", "end"].map(|about| code.fresh(about));
        let rounds = self.count;
        let brought = |code: &mut Writer, i: usize| code.mov(ZL, self.state[i]);
        code.constant("ldi", self.counter, rounds + 1);
        code.label(&again);
        self.add_key(code);
        code.one("dec", self.counter);
        code.far("breq", &end);
        if self.columns.keys_before {
            // The inverse cipher adds a key before InvMixColumns, and has no InvMixColumns after the first.
            code.constant("cpi", self.counter, rounds);
            code.far("breq", &first);
            self.mix_columns(code);
            code.label(&first);
            self.substitute(code, brought);
        } else {
            self.substitute(code, brought);
            code.constant("cpi", self.counter, 1);
            code.far("breq", &last);
            self.mix_columns(code);
            code.label(&last);
        }
        code.back(&again);
        code.label(&end);
    }

    /// Like the above, with the key added to the S-box index; Y points to the key and advances.
    pub fn joined(&self, code: &mut Writer) {
        let [again, end] = ["round", "end"].map(|about| code.fresh(about));
        code.constant("ldi", self.counter, self.count);
        code.label(&again);
        self.substitute(code, |code, i| {
            code.displaced("ldd_y", ZL, i as u8);
            code.eor(ZL, self.state[i]);
        });
        code.word("adiw", YL, 16);
        code.one("dec", self.counter);
        code.far("breq", &end);
        self.mix_columns(code);
        code.back(&again);
        code.label(&end);
        for (i, r) in self.state.into_iter().enumerate() {
            code.displaced("ldd_y", ZL, i as u8);
            code.eor(r, ZL);
        }
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

    /// SubBytes and ShiftRows, or their inverses: the bytes of a row rotate, one of them through a free register.
    /// `bring` moves a byte into the S-box pointer.
    fn substitute(&self, code: &mut Writer, bring: impl Fn(&mut Writer, usize)) {
        let through = self.columns.free[0];
        for r in 0..4 {
            let mut done = [false; 4];
            let place = |c: usize| self.state[4 * c + r];
            let next = |c: usize| self.source(r, c) / 4;
            while let Some(start) = done.iter().position(|d| !d) {
                bring(code, 4 * start + r);
                done[start] = true;
                if next(start) == start {
                    self.columns.sbox(code, place(start));
                    continue;
                }
                self.columns.sbox(code, through);
                let mut c = start;
                while next(c) != start {
                    bring(code, 4 * next(c) + r);
                    self.columns.sbox(code, place(c));
                    c = next(c);
                    done[c] = true;
                }
                code.mov(place(c), through);
            }
        }
    }
}
