//! The specification of the kernel's memory, as terms: the cipher, the modes by their chaining rules, and the key
//! schedules (FIPS-197, 5.2 and 5.3.5), counted from the bytes processed so far.

use aesmith_cipher::Direction;
use aesmith_cipher::block::{INV_MIX, MIX, xtime};
use aesmith_cipher::contract::{HASH_ZEROS, POWERS};
use aesmith_cipher::mode::{Added, Enters, Hashed, KeyPart, Next};
use aesmith_isa::lanes::AesRound;

use crate::algebra::field;
use crate::algebra::maps::MapNumber;
use crate::lanes::forms::Form;
use crate::lanes::symbolic::Symbolic;
use crate::lanes::terms::{Atom, Index, Lane, Order};

impl Symbolic {
    /// The contents of the IV memory before block 0 of the rest of the message.
    pub fn chain(&mut self, stream: u8) -> Lane {
        self.chain_before(stream, 0)
    }

    /// The chain value of a block of the rest of the message.
    pub(crate) fn chain_before(&mut self, stream: u8, block: i32) -> Lane {
        match self.mode.next() {
            Next::Counter | Next::Counter32 => self.counter(Index::At(block), Order::MEMORY),
            Next::Output if block == 0 => self.terms.atom(Atom::Chain { stream }),
            Next::Output => self.output(stream, block - 1),
            Next::Text => self.terms.atom(Atom::Input { stream, block: block - 1 }),
            Next::Doubled => self.doubled(stream, block),
            Next::Nothing => Lane::ZERO,
        }
    }

    /// The tweak of a block of the rest of the message: that of block 0 times a power of x.
    fn doubled(&mut self, stream: u8, block: i32) -> Lane {
        // More blocks than kernels process between two heads of loops. Tweaks of earlier blocks have no name.
        const MOST_BLOCKS: u32 = 1024;
        let Some(count) = u32::try_from(block).ok().filter(|count| *count <= MOST_BLOCKS) else {
            return Lane::UNKNOWN;
        };
        let first = self.terms.atom(Atom::Chain { stream });
        let map = self.terms.maps.of_doublings(count);
        self.terms.moved(map, first)
    }

    /// Output block `block` of a stream, from block 0 of the rest of the message.
    pub fn output(&mut self, stream: u8, block: i32) -> Lane {
        if let Some(known) = self.outputs.get(&(stream, block)) {
            return known;
        }
        let input = self.terms.atom(Atom::Input { stream, block });
        let rule = self.mode.rule.expect("key set-ups have no output blocks");
        let state = match rule.enters {
            Enters::Text => input,
            Enters::Chain => self.chain_before(stream, block),
            Enters::Both => {
                let before = self.chain_before(stream, block);
                self.terms.xor(input, before)
            }
        };
        let state = self.cipher(stream, state);
        let output = match rule.added {
            Added::Nothing => state,
            Added::Text => self.terms.xor(state, input),
            Added::Chain => {
                let before = self.chain_before(stream, block);
                self.terms.xor(state, before)
            }
        };
        self.outputs.insert((stream, block), output);
        output
    }

    /// A sum of blocks for GHASH, with output blocks in place of what they are made of: each has the text of its own.
    pub(crate) fn with_cipher(&mut self, lane: Lane) -> Lane {
        if self.mode.hashed() != Some(Hashed::Output) {
            return lane;
        }
        let mut sum = lane;
        for k in 0..self.terms.summands(lane) {
            let (number, map) = self.terms.member(lane, k);
            let Atom::Input { stream: 0, block } = self.terms.atoms[number as usize] else { continue };
            let (value, name) = (self.output(0, block), self.terms.atom(Atom::Cipher { block }));
            sum = self.exchanged(sum, map, value, name);
        }
        sum
    }

    /// A sum of lanes with a name in place of an equal value, both under a map.
    fn exchanged(&mut self, sum: Lane, map: MapNumber, value: Lane, name: Lane) -> Lane {
        let both = self.terms.xor(value, name);
        let moved = self.terms.moved(map, both);
        self.terms.xor(sum, moved)
    }

    /// A lane with the hash key by its name, in the set-up of its powers.
    pub(crate) fn with_hash_key(&mut self, lane: Lane) -> Lane {
        if self.mode.writes != Some(KeyPart::HashTable) || lane.is_unknown() {
            return lane;
        }
        let key = self.cipher(0, Lane::ZERO);
        let name = self.terms.atom(Atom::HashBlock);
        let last = (0..self.terms.summands(key))
            .map(|k| self.terms.member(key, k).0)
            .find(|number| matches!(self.terms.atoms[*number as usize], Atom::Round { .. }));
        let mut sum = lane;
        for k in 0..self.terms.summands(lane) {
            let (number, map) = self.terms.member(lane, k);
            if Some(number) == last {
                sum = self.exchanged(sum, map, key, name);
            }
        }
        sum
    }

    /// The entries of the powers of the hash key, and the zeros behind them ([`aesmith_cipher::contract`]).
    pub(crate) fn hash_entries(&mut self) -> Vec<Lane> {
        let hash_key = self.terms.atom(Atom::HashBlock);
        let entry = self.terms.maps.number(*field::ENTRY);
        let powers = (1..=POWERS as u16).rev().map(|exponent| {
            let power = match exponent {
                1 => hash_key,
                _ => self.terms.atom(Atom::Power { of: hash_key, power: exponent - 1 }),
            };
            self.terms.moved(entry, power)
        });
        let mut entries: Vec<Lane> = powers.collect();
        entries.extend([Lane::ZERO; HASH_ZEROS / 16]);
        entries
    }

    /// The value of GHASH before block `block`, from block 0 of the rest of the message: Y' = (Y + X) H (SP 800-38D, 6.4).
    pub(crate) fn hash_before(&mut self, block: i32) -> Lane {
        // More blocks than kernels absorb between two heads of loops.
        const MOST_BLOCKS: i32 = 256;
        // The value before earlier blocks has no name.
        if !(0..=MOST_BLOCKS).contains(&block) {
            return Lane::UNKNOWN;
        }
        let mut value = self.terms.atom(Atom::Hash);
        for absorbed in 0..block {
            if let Some(known) = self.hashes.get(&absorbed) {
                value = known;
                continue;
            }
            let own = match self.mode.hashed() {
                Some(Hashed::Output) => self.terms.atom(Atom::Cipher { block: absorbed }),
                _ => self.terms.atom(Atom::Input { stream: 0, block: absorbed }),
            };
            value = self.absorbed_block(value, own);
            self.hashes.insert(absorbed, value);
        }
        value
    }

    /// The value of GHASH at the end of the message, `block` whole blocks and a partial one further on. If its bytes are counted
    /// (1 to 15), the first of them are moved bits of its block; else they are an atom.
    pub(crate) fn hash_after_partial(&mut self, block: i32, bytes: Option<usize>) -> Lane {
        let before = self.hash_before(block);
        let own = match (self.mode.hashed(), bytes) {
            (Some(Hashed::Output), Some(_)) => self.terms.atom(Atom::Cipher { block }),
            (Some(Hashed::Output), None) => self.output(0, block),
            _ => self.terms.atom(Atom::Input { stream: 0, block }),
        };
        let own = match bytes {
            Some(count) => {
                let map = self.terms.maps.of_bytes(|i| (i < count).then_some(i));
                self.terms.moved(map, own)
            }
            None => self.partial(own),
        };
        self.absorbed_block(before, own)
    }

    fn absorbed_block(&mut self, before: Lane, own: Lane) -> Lane {
        let sum = self.terms.xor(before, own);
        self.terms.times_power(sum, 1).unwrap_or(Lane::UNKNOWN)
    }

    /// The cipher (FIPS-197, 5.1), or the equivalent inverse cipher (5.3.5), of a lane.
    fn cipher(&mut self, stream: u8, state: Lane) -> Lane {
        let rounds = self.problem.key.rounds() as u8;
        let (inner, last) = match self.mode.direction {
            Direction::Encrypt => (AesRound::Encrypt, AesRound::EncryptLast),
            Direction::Decrypt => (AesRound::Decrypt, AesRound::DecryptLast),
        };
        let key = self.terms.atom(Atom::Key { stream, round: 0 });
        let mut state = self.terms.xor(state, key);
        for round in 1..=rounds {
            state = self.terms.round(if round == rounds { last } else { inner }, state);
            let key = self.terms.atom(Atom::Key { stream, round });
            state = self.terms.xor(state, key);
        }
        state
    }

    /// The round keys, in order of use, as bytes of the cipher key.
    pub fn round_keys(&mut self, direction: Direction) -> Vec<[Form; 16]> {
        let size = self.problem.key;
        let nk = size.bytes() / 4;
        let mut words: Vec<[Form; 4]> = Vec::new();
        for part in 0..size.bytes().div_ceil(16) {
            let lane = self.terms.atom(Atom::CipherKey { part: part as u8 });
            let bytes = self.terms.bytes(lane).expect("known");
            words.extend(bytes.chunks(4).map(|w| <[Form; 4]>::try_from(w).expect("four bytes")));
        }
        words.truncate(nk);
        let mut rcon = 1u8;
        for i in nk..4 * (size.rounds() + 1) {
            let mut word = words[i - 1];
            if i % nk == 0 || (nk > 6 && i % nk == 4) {
                word = word.map(|b| self.terms.forms.sbox(false, b));
            }
            if i % nk == 0 {
                word.rotate_left(1);
                word[0] = self.terms.forms.add(word[0], Form(u32::from(rcon)));
                rcon = xtime(rcon);
            }
            words.push(std::array::from_fn(|k| self.terms.forms.add(words[i - nk][k], word[k])));
        }
        let mut keys: Vec<[Form; 16]> =
            words.chunks(4).map(|c| c.concat().try_into().expect("four words")).collect();
        if direction == Direction::Decrypt {
            keys.reverse();
            let last = keys.len() - 1;
            for key in &mut keys[1..last] {
                *key = self.terms.mix_columns(*key, INV_MIX);
            }
        }
        keys
    }

    /// An entry of the counter table: [`aesmith_cipher::contract::table_entry`].
    pub fn table_entry(&mut self, value: u8) -> [Form; 16] {
        let key = self.terms.atom(Atom::Key { stream: 0, round: 0 });
        let key = self.terms.bytes(key).expect("known");
        let byte = self.terms.forms.add(key[15], Form(u32::from(value)));
        let s = self.terms.forms.sbox(false, byte);
        std::array::from_fn(|row| {
            if row < 4 { self.terms.forms.combine(&[(s, u32::from(MIX[(7 - row) % 4]))]) } else { Form(0) }
        })
    }
}
