//! A block from the cipher key itself. Its words stay in registers, and each new word replaces the one a cipher
//! key before it; AES-256 has too many, and keeps two round keys on the stack. Decryption is the
//! straightforward inverse cipher (FIPS-197, 5.3), after the schedule has run to its end.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_extension::order::Order;
use aesmith_extension::program::Program;
use aesmith_isa::assemble::Section;

use super::block::store;
use super::frame;
use super::line::{Input, Line, WIRED, is_wired};
use super::rounds;
use super::words::{Words, add, all, inverse_mix};
use crate::kernels::plan::{KEY, LR, SAVED, SP};
use aesmith_arrange::Variant;
use aesmith_processor::attach::Attached;

/// The address of the text.
const IN: i32 = 1;
/// Size of two round keys, in bytes.
const TWO: u32 = 32;

/// A function in the making.
struct Fly {
    attached: &'static Attached,
    size: KeySize,
    /// The order of the state; round keys are converted to it when they are computed.
    order: Order,
    /// The programs of a round and of the last round.
    programs: [&'static Program; 2],
    line: Line,
    /// True if rounds read the state from fixed registers.
    wired: bool,
    state: Vec<i32>,
    /// The address between two round keys on the stack, that of even rounds first.
    slots: i32,
}

/// `void name(const void *cipher_key, const uint8_t in[16], uint8_t out[16])`
pub fn function(
    attached: &'static Attached,
    variant: &Variant,
    symbol: &str,
    direction: Direction,
) -> Result<Section, String> {
    let size = variant.problem.key;
    let free: Vec<i32> = [3, 12].into_iter().chain(SAVED).chain([LR]).collect();
    let (order, programs) = rounds(attached, variant, direction)?;
    let [round, last] = programs;
    let wired = is_wired(attached, last) || direction == Direction::Encrypt && is_wired(attached, round);
    let mut made = Err(String::new());
    // The output pointer stays in its register, unless that is needed.
    for aside in [false, true] {
        let line = Line::new(attached, &free);
        let mut fly = Fly { attached, size, order, programs, line, wired, state: Vec::new(), slots: KEY };
        if aside {
            fly.line.put_aside();
        }
        // There is one S-box for rounds and key schedule; decryption would need both.
        if direction == Direction::Encrypt && round.looks() + last.looks() > 0 {
            fly.line.look_up(direction)?;
        }
        made = match (direction, size) {
            (Direction::Encrypt, KeySize::Aes256) => fly.encrypt_by_slots(),
            (Direction::Encrypt, _) => fly.encrypt(),
            (Direction::Decrypt, KeySize::Aes256) => fly.decrypt_by_slots(),
            (Direction::Decrypt, _) => fly.decrypt(),
        }
        .map(|()| fly);
        if made.is_ok() {
            break;
        }
    }
    let fly = made.map_err(|e| format!("{} from the cipher key: {e}", variant.problem))?;
    frame::function(attached, variant, symbol, fly.line)
}

impl Fly {
    /// Loads the cipher key, whose pointer is then free.
    fn key(&mut self) -> Result<Words, String> {
        self.line.give(KEY);
        let registers = self.line.take_ascending(self.size.bytes() / 4)?;
        self.line.code.several("ldmia", KEY, &registers);
        Ok(Words::new(self.size, registers))
    }

    /// Reserves the registers of a state that the unit is wired to, until the text is loaded.
    fn reserve(&mut self) -> Result<(), String> {
        if self.wired && !WIRED.into_iter().all(|r| self.line.claim(r)) {
            return Err("the registers that the unit is wired to hold the key".into());
        }
        Ok(())
    }

    /// Loads the text.
    fn text(&mut self) -> Result<(), String> {
        self.state = if self.wired {
            WIRED.to_vec()
        } else {
            self.line.give(IN);
            self.line.take_ascending(4)?
        };
        self.line.code.several("ldmia", IN, &self.state);
        if self.wired {
            self.line.give(IN);
        }
        Ok(())
    }

    /// Adds the first round key.
    fn whiten(&mut self, key: [i32; 4]) -> Result<(), String> {
        for (s, k) in self.state.iter().zip(key) {
            self.line.code.op("eor", *s, *s, k);
        }
        self.state = self.line.laid_out(self.order, &self.state, false)?;
        Ok(())
    }

    /// A round, or the `last`; `kept` round keys stay live.
    fn round(&mut self, last: bool, key: [i32; 4], kept: bool, more: bool) -> Result<(), String> {
        let program = self.programs[usize::from(last)];
        // After conversion to an order, they are in separate registers.
        let own = self.order != Order::default();
        let key = self.line.laid_out(self.order, &key, kept)?;
        let state = self.state.iter().map(|&register| Input { register, kept: false });
        let key = key.iter().map(|&register| Input { register, kept: kept && !own });
        let inputs: Vec<Input> = state.chain(key).collect();
        if program.mixes() {
            self.line.reduce()?;
        }
        self.state = self.line.program(program, &inputs, (self.wired && more).then_some(&WIRED[..]))?;
        Ok(())
    }

    fn round_of(&mut self, number: usize, key: [i32; 4], kept: bool) -> Result<(), String> {
        let more = number < self.size.rounds();
        self.round(!more, key, kept && more, more)
    }

    fn inverse_round(&mut self, number: usize, key: [i32; 4], kept: bool) -> Result<(), String> {
        self.round(true, key, kept && number > 0, number > 0)?;
        if number > 0 {
            let inverse = inverse_mix(self.attached);
            if inverse.mixes() {
                self.line.reduce()?;
            }
            self.state = self.line.columns(self.order, &self.state)?;
            for (register, place) in self.state.iter_mut().zip(WIRED) {
                let inputs = [Input { register: *register, kept: false }];
                let place = [place];
                let made = self.line.program(&inverse, &inputs, self.wired.then_some(&place[..]))?;
                *register = made[0];
            }
            self.state = self.line.laid_out(self.order, &self.state, false)?;
        }
        Ok(())
    }

    /// Stores the result.
    fn finish(&mut self) -> Result<(), String> {
        let state = self.line.columns(self.order, &self.state)?;
        let out = self.line.out()?;
        store(&mut self.line, &state, out);
        Ok(())
    }

    fn encrypt(&mut self) -> Result<(), String> {
        self.reserve()?;
        self.text()?;
        let words = self.key()?;
        self.whiten(words.round(0))?;
        for round in 1..=self.size.rounds() {
            for number in (4 * round..4 * round + 4).filter(|&n| n >= words.registers.len()) {
                words.step(&mut self.line, self.attached, number)?;
            }
            self.round_of(round, words.round(round), true)?;
        }
        self.finish()
    }

    fn decrypt(&mut self) -> Result<(), String> {
        self.reserve()?;
        let words = self.key()?;
        let count = words.registers.len();
        for number in count..all(self.size) {
            words.step(&mut self.line, self.attached, number)?;
        }
        let rounds = self.size.rounds();
        self.text()?;
        self.whiten(words.round(rounds))?;
        let mut lowest = all(self.size) - count;
        for round in (0..rounds).rev() {
            while lowest > 4 * round {
                lowest -= 1;
                words.step(&mut self.line, self.attached, lowest + count)?;
            }
            self.inverse_round(round, words.round(round), true)?;
        }
        self.finish()
    }

    /// Reserves space for two round keys on the stack.
    fn make_slots(&mut self) -> Result<(), String> {
        self.line.room = TWO;
        self.slots = self.line.take()?;
        self.line.code.op_i("add", self.slots, SP, TWO / 2);
        Ok(())
    }

    /// Loads or stores the slot of a round.
    fn slot(&mut self, name: &str, round: usize, key: [i32; 4]) {
        let mode = if round.is_multiple_of(2) { "db" } else { "ia" };
        self.line.code.several(&format!("{name}{mode}"), self.slots, &key);
    }

    /// The round key that follows from the one in its slot; `last` is the last word of the round key between
    /// them.
    fn loaded(&mut self, round: usize, number: usize, last: i32) -> Result<[i32; 4], String> {
        let key = self.line.take_ascending(4)?;
        let key: [i32; 4] = std::array::from_fn(|k| key[k]);
        self.slot("ldm", round, key);
        let backwards = number > 4 * round;
        let chain = |line: &mut Line, k: usize| line.code.op("eor", key[k], key[k], key[k - 1]);
        if backwards {
            (1..4).rev().for_each(|k| chain(&mut self.line, k));
        }
        add(&mut self.line, self.attached, self.size, number, (key[0], last))?;
        if !backwards {
            (1..4).for_each(|k| chain(&mut self.line, k));
        }
        self.line.give(last);
        Ok(key)
    }

    /// A copy of a word.
    fn copied(&mut self, word: i32) -> Result<i32, String> {
        let copy = self.line.take()?;
        self.line.code.mov(copy, word);
        Ok(copy)
    }

    fn encrypt_by_slots(&mut self) -> Result<(), String> {
        self.reserve()?;
        self.make_slots()?;
        self.text()?;
        let words = self.key()?;
        let rounds = self.size.rounds();
        let [first, mut key] = [words.round(0), words.round(1)];
        self.whiten(first)?;
        self.slot("stm", 0, first);
        self.slot("stm", 1, key);
        first.into_iter().for_each(|r| self.line.give(r));
        let mut last = self.copied(key[3])?;
        self.round_of(1, key, false)?;
        for round in 2..=rounds {
            key = self.loaded(round, 4 * round, last)?;
            if round + 2 <= rounds {
                self.slot("stm", round, key);
            }
            if round < rounds {
                last = self.copied(key[3])?;
            }
            self.round_of(round, key, false)?;
        }
        self.finish()
    }

    fn decrypt_by_slots(&mut self) -> Result<(), String> {
        self.reserve()?;
        let words = self.key()?;
        for number in words.registers.len()..all(self.size) {
            words.step(&mut self.line, self.attached, number)?;
        }
        self.make_slots()?;
        let rounds = self.size.rounds();
        let [first, mut key] = [words.round(rounds), words.round(rounds - 1)];
        self.text()?;
        self.whiten(first)?;
        self.slot("stm", rounds, first);
        self.slot("stm", rounds - 1, key);
        first.into_iter().for_each(|r| self.line.give(r));
        let mut last = self.copied(key[3])?;
        self.inverse_round(rounds - 1, key, false)?;
        for round in (0..rounds - 1).rev() {
            key = self.loaded(round, 4 * round + 8, last)?;
            if round >= 2 {
                self.slot("stm", round, key);
            }
            if round > 0 {
                last = self.copied(key[3])?;
            }
            self.inverse_round(round, key, false)?;
        }
        self.finish()
    }
}
