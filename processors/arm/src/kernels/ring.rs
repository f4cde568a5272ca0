//! As many words of the key schedule (FIPS-197, 5.2) as the cipher key has, in a ring on the stack:
//! each round's key is made in the place of the words one cipher key before it, or, backwards, of
//! those one after it.

use aesmith_cipher::problem::KeySize;

use super::expand::{CONSTANTS, substitute};
use super::plan::{EVEN, KEY, ODD, SAVED, SP, TEMPORARY};
use super::writer::Code;

/// The schedule, and the registers that its steps may change.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Of which key; its words are the first on the stack.
    pub size: KeySize,
    /// What has the address of tables.
    pub base: i32,
    /// How far after it the S-box starts.
    pub offset: u32,
    /// Where in entries of `1 << scale` bytes it stands.
    pub scale: i32,
    /// Changed by each step: two or three.
    pub places: &'static [i32],
    /// Where the last word of the round key before stays from one step to the next, if the cipher key
    /// has more than four words.
    pub last: i32,
}

impl Ring {
    /// How many words the ring has.
    fn words(self) -> usize {
        self.size.bytes() / 4
    }

    /// How many all round keys have.
    fn all(self) -> usize {
        4 * (self.size.rounds() + 1)
    }

    /// The registers of all words where they begin.
    pub fn registers(self) -> &'static [i32] {
        &SAVED[..self.words()]
    }

    /// Loads the cipher key and puts it on the stack, with more registers above it, then adds its
    /// first four words to the text, which goes to the even registers. The odd ones are free then.
    pub fn whiten(self, code: &mut Code, above: &[i32]) {
        let all: Vec<i32> = self.registers().iter().chain(above).copied().collect();
        code.several("stmdb_pre", SP, &all);
        code.several("ldmia", TEMPORARY[0], &ODD);
        for (k, text) in EVEN.into_iter().zip(ODD) {
            code.op("eor", k, k, text);
        }
    }

    /// Loads the cipher key.
    pub fn load_cipher_key(self, code: &mut Code) {
        code.several("ldmia", KEY, self.registers());
    }

    /// Loads or stores a round's words, except where none of those that lie in a row is wanted.
    fn several(
        self,
        code: &mut Code,
        name: &str,
        round: usize,
        to: [i32; 4],
        wanted: impl Fn(usize) -> bool,
    ) {
        let first = 4 * round % self.words();
        let row = (self.words() - first).min(4);
        for (place, range) in [(first, 0..row), (0, row..4)] {
            if !range.clone().any(|k| wanted(4 * round + k)) {
                continue;
            }
            let mut from = SP;
            if place > 0 {
                from = self.places[0];
                code.op_i("add", from, SP, 4 * place as u32);
            }
            code.several(name, from, &to[range]);
        }
    }

    /// Loads a round's key as it is in the ring.
    pub fn load(self, code: &mut Code, round: usize, to: [i32; 4]) {
        self.several(code, "ldmia", round, to, |_| true);
    }

    /// Adds what word `number` is more than the word one cipher key before it.
    fn add(
        self,
        code: &mut Code,
        number: usize,
        (to, before): (i32, i32),
        constant: impl Fn(&mut Code, i32),
    ) {
        let turned = number.is_multiple_of(self.words());
        if !turned && (self.words() < 8 || number % 8 != 4) {
            code.op("eor", to, to, before);
            return;
        }
        if self.offset > 0 {
            code.op_i("add", self.base, self.base, self.offset);
        }
        substitute(code, to, before, turned, self.base, self.scale, self.places);
        if self.offset > 0 {
            code.op_i("sub", self.base, self.base, self.offset);
        }
        if turned {
            constant(code, to);
        }
    }

    /// The key of a round after the first, from those before it; `constant` adds the round constant.
    pub fn forwards_with(
        self,
        code: &mut Code,
        round: usize,
        to: [i32; 4],
        constant: impl Fn(&mut Code, i32),
    ) {
        let (words, all) = (self.words(), self.all());
        self.load(code, round, to);
        let mut before = if words > 4 { self.last } else { to[3] };
        for (number, k) in (4 * round..).zip(to) {
            if number >= words {
                self.add(code, number, (k, before), &constant);
            }
            before = k;
        }
        self.several(code, "stmia", round, to, |number| number >= words && number + words < all);
        let next = 4 * round + 4;
        if words > 4 && next >= words && next < all {
            code.mov(self.last, to[3]);
        }
    }

    /// The key of a round after the first, from those before it.
    pub fn forwards(self, code: &mut Code, round: usize, to: [i32; 4]) {
        let constant = |code: &mut Code, k: i32| {
            code.op_i("eor", k, k, CONSTANTS[(4 * round).div_ceil(self.words()) - 1]);
        };
        self.forwards_with(code, round, to, constant);
    }

    /// The key of a round before the last, from those after it.
    pub fn backwards(self, code: &mut Code, round: usize, to: [i32; 4]) {
        let (words, first) = (self.words(), 4 * round);
        // Words from here on are in the ring since the schedule has run to its end.
        let ready = self.all() - words;
        self.load(code, round, to);
        let before = if words > 4 { self.last } else { to[3] };
        if words > 4 && first < ready {
            let place = (first + words - 1) % words;
            code.memory("ldr", self.last, SP, 4 * place as i32);
        }
        for k in (0..4).rev().filter(|k| first + k < ready) {
            let number = first + k + words;
            let before = if k > 0 { to[k - 1] } else { before };
            self.add(code, number, (to[k], before), |code, k| {
                code.op_i("eor", k, k, CONSTANTS[number / words - 1]);
            });
        }
        // The first round key comes of words that the first word before it is made from, and of that.
        let needed = 4.max(words - 1)..ready;
        self.several(code, "stmia", round, to, |number| needed.contains(&number));
    }
}
