//! A ring buffer on the stack with as many words of the key schedule (FIPS-197, 5.2) as the cipher key has:
//! each round key replaces the words one cipher key before it or, backwards, those one after it.

use aesmith_cipher::problem::KeySize;

use super::expand::{CONSTANTS, substitute};
use super::plan::{EVEN, KEY, ODD, SAVED, SP, TEMPORARY};
use super::writer::Code;

/// The schedule, and the registers that its steps may change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    /// The size of the key, whose words are the first on the stack.
    pub size: KeySize,
    /// The register with the address of the tables.
    pub base: i32,
    /// The offset of the S-box from it.
    pub offset: u32,
    /// The entries have `1 << scale` bytes.
    pub scale: i32,
    /// Two or three temporaries of each step.
    pub places: &'static [i32],
    /// The register that keeps the last word of the previous round key between steps, if the cipher key has
    /// more than four words.
    pub last: i32,
}

impl Ring {
    /// The number of words in the ring.
    fn words(self) -> usize {
        self.size.bytes() / 4
    }

    /// The total number of words of all round keys.
    fn all(self) -> usize {
        4 * (self.size.rounds() + 1)
    }

    /// The registers of all words at the start.
    pub fn registers(self) -> &'static [i32] {
        &SAVED[..self.words()]
    }

    /// Loads the cipher key and pushes it, with more registers above it, then adds its first four words to the
    /// text, in the even registers. The odd ones are free afterwards.
    pub fn whiten(self, code: &mut Code, above: &[i32]) {
        let all: Vec<i32> = self.registers().iter().chain(above).copied().collect();
        code.several("stmdb_pre", SP, &all);
        code.several("ldmia", TEMPORARY[0], &ODD);
        for (k, text) in EVEN.into_iter().zip(ODD) {
            code.op("eor", k, k, text);
        }
    }

    /// Loads the cipher key.
    pub(crate) fn load_cipher_key(self, code: &mut Code) {
        code.several("ldmia", KEY, self.registers());
    }

    /// Loads or stores the words of a round, in consecutive groups; groups without a wanted word are skipped.
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

    /// Loads a round key from the ring.
    pub fn load(self, code: &mut Code, round: usize, to: [i32; 4]) {
        self.several(code, "ldmia", round, to, |_| true);
    }

    /// Adds the difference between word `number` and the word one cipher key before it.
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

    /// The round key of a round after the first, from earlier words; `constant` adds the round constant.
    pub(crate) fn forwards_with(
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

    /// The round key of a round after the first, from earlier words.
    pub(crate) fn forwards(self, code: &mut Code, round: usize, to: [i32; 4]) {
        let constant = |code: &mut Code, k: i32| {
            code.op_i("eor", k, k, CONSTANTS[(4 * round).div_ceil(self.words()) - 1]);
        };
        self.forwards_with(code, round, to, constant);
    }

    /// The round key of a round before the last, from later words.
    pub fn backwards(self, code: &mut Code, round: usize, to: [i32; 4]) {
        let (words, first) = (self.words(), 4 * round);
        // Words from here on have been in the ring since the schedule has run to its end.
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
        // The first round key depends on the words from which the word before it is computed, and on that word.
        let needed = 4.max(words - 1)..ready;
        self.several(code, "stmia", round, to, |number| needed.contains(&number));
    }
}
