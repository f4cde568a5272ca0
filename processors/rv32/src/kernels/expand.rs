//! Key schedules: `key, cipher key`.

use aesmith_cipher::block::SBOX;
use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_extension::order::Order;
use aesmith_isa::assemble::Item;
use aesmith_words::keys::is_sum;

use super::custom::Operand;
use super::function::{Function, Target};
use super::lookup::{Bases, Lookup, Needs, Technique};
use super::order;
use super::rounds::{Shape, fixed};
use super::schedule::Schedule;
use super::sliced;
use super::writer::register::A0;
use super::writer::{Writer, region};

const KEY: u8 = A0;
const CIPHER_KEY: u8 = A0 + 1;

/// Stack slots for spilled values of the S-box circuit.
const SLOTS: usize = 32;

/// The parameters of a key expansion.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The size of the key.
    pub size: KeySize,
    /// For the cipher, or the equivalent inverse cipher.
    pub direction: Direction,
    /// [`Technique::Sbox`], [`Technique::Circuit`] or [`Technique::Custom`].
    pub technique: Technique,
    /// [`Shape::Unrolled`] or [`Shape::Looped`].
    pub shape: Shape,
    /// True if round keys become bit slices.
    pub sliced: bool,
    /// The order of the state that the round keys are for.
    pub order: Order,
}

impl Expansion {
    /// The S-box of key expansion is that of the cipher in both directions.
    pub fn lookup(&self) -> Lookup {
        Lookup { technique: self.technique, direction: Direction::Encrypt }
    }

    fn needs(&self) -> Needs {
        self.lookup().schedule_needs(self.direction)
    }

    /// The tables' contents.
    pub fn tables(&self) -> Vec<Item> {
        if self.needs().table { vec![Item::Bytes(SBOX.to_vec())] } else { Vec::new() }
    }

    fn lasting(&self) -> Vec<u8> {
        let mut all = vec![KEY, CIPHER_KEY, fixed::END];
        let Needs { table, mix } = self.needs();
        if table {
            all.push(fixed::TABLE);
        }
        if mix {
            all.extend([fixed::TOPS, fixed::FOLDS]);
        }
        all
    }

    /// The function.
    pub fn function(&self, target: Target, symbol: &str, saved: usize) -> Result<Function, String> {
        match self.shape {
            Shape::Unrolled => self.unrolled(target, symbol, saved),
            Shape::Paired | Shape::Looped => self.looped(target, symbol, saved),
        }
    }

    fn unrolled(&self, target: Target, symbol: &str, saved: usize) -> Result<Function, String> {
        let lasting: &[u8] = if self.sliced { &[KEY, CIPHER_KEY] } else { &[] };
        let mut f = Function::new(target, symbol, lasting, saved);
        let rounds = self.size.rounds();
        // Slices take twice the space: the second half is written first.
        let from_start = if self.sliced { 4 * (rounds + 1) } else { 0 };
        f.block(!self.sliced, |w| {
            let lookup = self.lookup();
            let bases = lookup.bases(w, self.needs());
            let (to, from) = (w.lasting(KEY), w.lasting(CIPHER_KEY));
            let count = self.size.bytes() / 4;
            let words: Vec<i32> = (0..count).map(|k| w.load("lw", from, 4 * k as i32, None)).collect();
            let mut schedule = Schedule::new(lookup, self.size, bases, &words);
            let mut keys = Vec::new();
            let mut inverted: Vec<Option<i32>> = Vec::new();
            for n in 0..4 * (rounds + 1) {
                let (round, column) = (n / 4, n % 4);
                let mut word = schedule.word(w, n);
                let mut at = n;
                if self.direction == Direction::Decrypt {
                    at = 4 * (rounds - round) + column;
                    let is_middle = round != 0 && round != rounds;
                    if is_middle {
                        // InvMixColumns is linear: its value for a sum is the sum of its values for the terms.
                        let of = |n: Option<usize>| n.and_then(|n| inverted[n]);
                        word = match (is_sum(self.size, n), of(n.checked_sub(count)), of(n.checked_sub(1))) {
                            (true, Some(a), Some(b)) => w.xor(a, b),
                            _ => lookup.inverted(w, &bases, word),
                        };
                    }
                    inverted.push(is_middle.then_some(word));
                }
                keys.push(word);
                if let Some(words) = self.due(w, &mut keys) {
                    for (k, &word) in words.iter().enumerate() {
                        let at = at + 1 - words.len() + k;
                        w.store(word, to, 4 * (from_start + at) as i32, region::KEYS + at as u16);
                    }
                }
            }
        })?;
        if self.sliced {
            sliced::keys(&mut f, self.size)?;
        }
        Ok(f)
    }

    /// Words to be stored, as soon as they are complete: one, or a pair of columns in tiles.
    fn due(&self, w: &mut Writer, columns: &mut Vec<i32>) -> Option<Vec<i32>> {
        if columns.len() < self.order.together() {
            return None;
        }
        Some(order::keyed(w, self.order, &std::mem::take(columns)))
    }

    /// The next words after those in registers, at most `wanted`, stored after them.
    fn group(&self, w: &mut Writer, old: &[i32], constant: i32, wanted: usize) -> Vec<i32> {
        let (lookup, bases) = (self.lookup(), Bases::fixed());
        let mut last = old[old.len() - 1];
        let (mut new, mut keys) = (Vec::new(), Vec::new());
        for (k, &word) in old.iter().enumerate().take(wanted) {
            last = if k == 0 {
                let sum = w.xor(word, constant);
                lookup.sub_word(w, &bases, Operand::spent(sum), last, true)
            } else if k == 4 && old.len() > 6 {
                lookup.sub_word(w, &bases, Operand::kept(word), last, false)
            } else {
                w.xor(word, last)
            };
            new.push(last);
            keys.push(last);
            if let Some(words) = self.due(w, &mut keys) {
                for (n, &word) in words.iter().enumerate() {
                    let at = old.len() + k + 1 - words.len() + n;
                    w.store(word, i32::from(KEY), 4 * at as i32, region::KEYS + at as u16);
                }
            }
        }
        new
    }

    fn looped(&self, target: Target, symbol: &str, saved: usize) -> Result<Function, String> {
        const CONSTANT: u8 = 12;
        const WORDS: [u8; 8] = [13, 14, 15, 16, 17, 5, 6, 28];
        if !(self.size.bytes() / 4).is_multiple_of(self.order.together()) {
            return Err(format!(
                "a loop makes {} words at once, and they are stored by {}",
                self.size.bytes() / 4,
                self.order.together()
            ));
        }
        let mut f = Function::new(target, symbol, &self.lasting(), saved);
        if self.technique == Technique::Circuit {
            f.slots = SLOTS;
        }
        let count = self.size.bytes() / 4;
        let total = 4 * (self.size.rounds() + 1);
        let (groups, rest) = ((total - count) / count, (total - count) % count);
        let words = &WORDS[..count];
        // Slices take twice the space: the second half is written first.
        let start = if self.sliced { 4 * total as i32 } else { 0 };
        if self.sliced {
            f.with("addi", KEY, KEY, start);
        }
        f.block_before(&[KEY, CIPHER_KEY], |w| {
            self.lookup().bases(w, self.needs()).last(w, self.needs());
            let mut keys = Vec::new();
            for (k, &r) in words.iter().enumerate() {
                let word = w.load("lw", i32::from(CIPHER_KEY), 4 * k as i32, None);
                keys.push(word);
                if let Some(words) = self.due(w, &mut keys) {
                    for (n, &word) in words.iter().enumerate() {
                        let at = k + 1 - words.len() + n;
                        w.store(word, i32::from(KEY), 4 * at as i32, region::KEYS + at as u16);
                    }
                }
                w.block.leave(word, Some(r));
            }
            let one = w.with("addi", 0, 1);
            w.block.leave(one, Some(CONSTANT));
            let end = w.with("addi", i32::from(KEY), 4 * (count * groups) as i32);
            w.block.leave(end, Some(fixed::END));
        })?;
        f.with("addi", CIPHER_KEY, KEY, 0);
        f.label("group");
        f.block(false, |w| {
            let old: Vec<i32> = words.iter().map(|&r| w.block.enter(r)).collect();
            let constant = w.block.enter(CONSTANT);
            let new = self.group(w, &old, constant, count);
            new.iter().zip(words).for_each(|(&v, &r)| w.block.leave(v, Some(r)));
            // Doubles the constant in GF(2^8).
            let up = w.shift("slli", constant, 1);
            let over = w.shift("srli", up, 8);
            let mask = w.two("sub", 0, over);
            let fold = w.with("andi", mask, 0x11b);
            let constant = w.xor(up, fold);
            w.block.leave(constant, Some(CONSTANT));
            w.change("addi", KEY, i32::from(KEY), 4 * count as i32);
        })?;
        f.branch("bne", KEY, fixed::END, "group");
        if rest > 0 {
            f.block(false, |w| {
                let old: Vec<i32> = words.iter().map(|&r| w.block.enter(r)).collect();
                let constant = w.block.enter(CONSTANT);
                self.group(w, &old, constant, rest);
            })?;
        }
        if self.direction == Direction::Decrypt {
            self.reverse(&mut f)?;
        }
        if self.sliced {
            // The reversal has advanced from the first round key.
            let (at, by) = match self.direction {
                Direction::Encrypt => (CIPHER_KEY, 0),
                Direction::Decrypt => (fixed::END, 16 * self.size.rounds() as i32),
            };
            f.with("addi", KEY, at, -(by + start));
            sliced::keys(&mut f, self.size)?;
        }
        Ok(f)
    }

    /// Converts round keys from `CIPHER_KEY` on, in encryption order, to those of the equivalent inverse cipher
    /// in place.
    fn reverse(&self, f: &mut Function) -> Result<(), String> {
        const UP: u8 = CIPHER_KEY;
        const DOWN: u8 = KEY;
        let last = 16 * self.size.rounds() as i32;
        f.with("addi", DOWN, UP, last);
        f.with("addi", fixed::END, UP, last);
        f.with("addi", fixed::KEY, UP, 16);
        f.label("swap");
        f.block_before(&[self.lasting(), vec![fixed::KEY]].concat(), |w| {
            for k in 0..4 {
                let word = 4 * k;
                let low = w.load("lw", i32::from(UP), word, Some(region::KEYS + k as u16));
                let high = w.load("lw", i32::from(DOWN), word, Some(region::KEYS + k as u16));
                w.store(high, i32::from(UP), word, region::KEYS + k as u16);
                w.store(low, i32::from(DOWN), word, region::KEYS + k as u16);
            }
            w.change("addi", UP, i32::from(UP), 16);
            w.change("addi", DOWN, i32::from(DOWN), -16);
        })?;
        f.branch("bltu", UP, DOWN, "swap");
        f.label("mix");
        f.block_before(&[self.lasting(), vec![fixed::KEY]].concat(), |w| {
            let at = i32::from(fixed::KEY);
            let together = self.order.together();
            let load = |w: &mut Writer, k| w.load("lw", at, 4 * k as i32, Some(region::KEYS + k as u16));
            let words: Vec<i32> = (0..together).map(|k| load(w, k)).collect();
            let columns = order::unkeyed(w, self.order, &words);
            let inverted = columns.into_iter().map(|word| self.lookup().inverted(w, &Bases::fixed(), word));
            let inverted: Vec<i32> = inverted.collect();
            for (k, word) in order::keyed(w, self.order, &inverted).into_iter().enumerate() {
                w.store(word, at, 4 * k as i32, region::KEYS + k as u16);
            }
            w.change("addi", fixed::KEY, at, 4 * together as i32);
        })?;
        f.branch("bne", fixed::KEY, fixed::END, "mix");
        Ok(())
    }
}
