//! Key expansion (FIPS-197, 5.2): of many keys, as a kernel of its own; or of a thread's stream, by the thread.
//!
//! SubWord looks up the first table of the rounds, whose words hold the S-box in their second byte.

use aesmith_cipher::{Direction, KeySize, Problem};

use super::message::{Course, Share, around, bytes_at, load};
use super::tables::{Places, Shape, xor3};
use super::writer::Writer;

/// Words of the key schedule, computed on demand in order: registers.
pub struct Schedule {
    key: KeySize,
    words: Vec<i32>,
}

impl Schedule {
    /// The schedule of a cipher key in registers.
    pub fn of(key: KeySize, cipher_key: Vec<i32>) -> Schedule {
        Schedule { key, words: cipher_key }
    }

    /// The round key with this number; computes all earlier words, too.
    pub fn round_key(&mut self, w: &mut Writer, shape: Shape, places: Places, round: usize) -> [i32; 4] {
        while self.words.len() < 4 * round + 4 {
            let word = self.next(w, shape, places);
            self.words.push(word);
        }
        std::array::from_fn(|k| self.words[4 * round + k])
    }

    /// The word after the computed ones.
    fn next(&self, w: &mut Writer, shape: Shape, places: Places) -> i32 {
        let (at, of_key) = (self.words.len(), self.key.bytes() / 4);
        let (before, last) = (self.words[at - of_key], self.words[at - 1]);
        // RotWord takes each byte from the next higher position.
        if at.is_multiple_of(of_key) {
            let word = shape.substituted(w, places, std::array::from_fn(|k| (last, (k + 1) % 4)));
            let sum = w.word("xor", &[("a", before), ("b", word)]);
            let constant = (1..at / of_key).fold(1, |constant, _| aesmith_cipher::block::xtime(constant));
            return w.word("xor_n", &[("a", sum), ("n", constant.into())]);
        }
        let word = match of_key == 8 && at % 8 == 4 {
            true => shape.substituted(w, places, std::array::from_fn(|k| (last, k))),
            false => last,
        };
        w.word("xor", &[("a", before), ("b", word)])
    }
}

/// Loads the cipher key at an address into registers: two words at a time if keys are not at multiples of 16
/// bytes.
pub fn cipher_key(w: &mut Writer, key: KeySize, at: i32) -> Vec<i32> {
    let size = key.bytes() as i32;
    match size % 16 {
        0 => (0..size).step_by(16).flat_map(|off| load(w, at, off)).collect(),
        _ => (0..size).step_by(8).flat_map(|off| bytes_at(w, at, off)).collect(),
    }
}

/// A kernel for the schedules of many keys; a thread processes keys at a fixed stride.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The problem.
    pub problem: Problem,
    /// The implementation of SubWord.
    pub shape: Shape,
}

impl Expansion {
    /// The address of the element for a thread's first key, in a buffer of elements of `size` bytes.
    fn first(self, w: &mut Writer, buffer: i32, thread: i32, size: i32) -> i32 {
        let block = w.word("ctaid", &[]);
        let above = w.double("product", &[("a", block), ("m", self.shape.threads * size)]);
        let own = w.double("product", &[("a", thread), ("m", size)]);
        let at = w.double("add64", &[("y", buffer), ("z", above)]);
        w.double("add64", &[("y", at), ("z", own)])
    }

    /// Writes the kernel.
    pub fn write(self, w: &mut Writer) {
        let (places, thread) = self.shape.begin(w);
        let course = Course::write(w, self.problem, thread, self.shape.threads, Share::All);
        let blocks = w.word("nctaid", &[]);
        let key = self.problem.key;
        let sizes = [key.bytes() as i32, 16 * (key.rounds() as i32 + 1)];
        let [from, to] = [(course.input, sizes[0]), (course.output, sizes[1])]
            .map(|(buffer, size)| self.first(w, buffer, thread, size));
        let steps = sizes.map(|size| w.double("product", &[("a", blocks), ("m", self.shape.threads * size)]));
        around(w, &course, course.count, |w| {
            let cipher_key = cipher_key(w, key, from);
            let mut schedule = Schedule::of(key, cipher_key);
            let last = key.rounds();
            for round in 0..=last {
                let words = schedule.round_key(w, self.shape, places, round);
                let (words, place) = match self.problem.mode().direction {
                    Direction::Encrypt => (words, round),
                    // The keys of the equivalent inverse cipher, in order of use (5.3.5).
                    Direction::Decrypt if round == 0 || round == last => (words, last - round),
                    Direction::Decrypt => (words.map(|word| unmixed(w, word)), last - round),
                };
                super::message::store(w, to, 16 * place as i32, None, words);
            }
            for (at, step) in [from, to].into_iter().zip(steps) {
                w.put("add64", &[("x", at), ("y", at), ("z", step)]);
            }
        });
        w.put("ret", &[]);
    }
}

/// Multiplies each byte of a word by x (FIPS-197, 4.2.1): `prmt` replicates the sign bits over their bytes.
fn doubled(w: &mut Writer, word: i32) -> i32 {
    let signs = w.word("prmt", &[("a", word), ("b", word), ("n", 0xba98)]);
    let reduced = w.word("and_n", &[("a", signs), ("n", 0x1b1b_1b1b)]);
    let low = w.word("and_n", &[("a", word), ("n", 0x7f7f_7f7f)]);
    let shifted = w.word("add", &[("a", low), ("b", low)]);
    w.word("xor", &[("a", shifted), ("b", reduced)])
}

/// A column after InvMixColumns. Let `t` be four times the column. The sum of the column and of `t` with rows
/// two apart swapped enters MixColumns: the product of both matrices is InvMixColumns (Daemen and Rijmen, "The
/// Design of Rijndael", 4.1.3).
fn unmixed(w: &mut Writer, word: i32) -> i32 {
    let rotated = |w: &mut Writer, word: i32, n: i32| w.word("prmt", &[("a", word), ("b", word), ("n", n)]);
    let twice = doubled(w, word);
    let fourfold = doubled(w, twice);
    let swapped = rotated(w, fourfold, 0x1032);
    let entered = xor3(w, word, fourfold, swapped);
    // MixColumns: 2a + 3b + c + d for each byte and the following ones.
    let double = doubled(w, entered);
    let both = w.word("xor", &[("a", double), ("b", entered)]);
    let next = rotated(w, both, 0x0321);
    let [second, third] = [0x1032, 0x2103].map(|n| rotated(w, entered, n));
    let sum = xor3(w, double, next, second);
    w.word("xor", &[("a", sum), ("b", third)])
}
