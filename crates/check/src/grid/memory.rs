//! The memory of one thread that stands for all: look-ups in shared memory, text and output.

use crate::bytes::claim::{Block, Keys, cipher, mix, round_keys, sum};
use crate::bytes::terms::{Atom, Byte, ByteId};
use crate::grid::symbols::{
    BLOCKS, CTAID, HIGH, INPUT, INPUTS, IVS, KEYS, LOW, NCTAID, OUTPUT, STREAMS, Stop, Symbols, TABLES,
    THREAD, TURN, Value, WORDS, refused, thread,
};
use crate::linear::{Facts, Linear};
use crate::spec::Mode;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// All that is known on a path, besides registers.
#[derive(Clone, Debug)]
pub struct Path {
    /// Inequalities.
    pub facts: Facts,
    /// True behind the barrier.
    pub is_behind: bool,
    /// True if the path begins at a head, and the number of its turn.
    pub is_turn: bool,
    /// The number of the turn.
    pub turn: Linear,
    /// Bytes of output that are stored, by the number of the block in the turn.
    pub stored: BTreeMap<usize, Vec<Option<ByteId>>>,
}

impl Path {
    /// The knowledge at the entry, with the number of the first turn.
    pub fn entry(threads: usize, turn: Linear) -> Path {
        let mut facts = Facts::default();
        let (count, own) = (Linear::atom(NCTAID), Linear::atom(CTAID));
        let last = Linear::number(threads as i128 - 1);
        let all = [
            count.offset_checked(-1),
            count.checked(&own, -1).and_then(|rest| rest.offset_checked(-1)),
            last.checked(&thread(threads), -1),
        ];
        all.into_iter().flatten().for_each(|fact| facts.add(fact));
        Path { facts, is_behind: false, is_turn: false, turn, stored: BTreeMap::new() }
    }
}

/// A form with another one for the number of the turn.
pub fn at_turn(form: &Linear, turn: &Linear) -> Option<Linear> {
    let (own, rest) = form.terms.iter().partition(|term| term.0 == TURN);
    let rest = Linear { constant: form.constant, terms: rest };
    let own: Vec<_> = own;
    own.iter().try_fold(rest, |sum, term| sum.checked(turn, term.1))
}

impl Symbols<'_> {
    /// The block of a number in a turn.
    ///
    /// # Errors
    /// If its number is too large.
    pub fn block(&self, number: usize, turn: &Linear) -> Result<Linear, Stop> {
        at_turn(&self.blocks[number], turn).map_or_else(|| refused("the number of a block is too large"), Ok)
    }

    /// The number of a thread's first turn: that of its block, or of a stream's 0.
    pub fn first_turn(&self) -> Linear {
        if self.proof.stream.is_some() { Linear::default() } else { Linear::atom(CTAID) }
    }

    /// The turn behind one, or the first: all blocks of threads take turns, of a stream its threads.
    pub fn next_turn(&self) -> Linear {
        let step = if self.proof.stream.is_some() { Linear::number(1) } else { Linear::atom(NCTAID) };
        let next = if self.path.is_turn { self.path.turn.checked(&step, 1) } else { None };
        next.unwrap_or_else(|| self.path.turn.clone())
    }

    /// The chain value before the first block, or its counter.
    pub fn first_chain(&mut self) -> Vec<ByteId> {
        match self.proof.contract.mode {
            Mode::Ctr => {
                let halves = [HIGH, LOW].map(Linear::atom);
                (0..16).map(|k| self.half(&halves[k / 8], 7 - k % 8)).collect()
            }
            _ => (0..16).map(|k| self.terms.atom(Atom::Chain(Linear::default(), k))).collect(),
        }
    }

    /// The counter of a block: the sum of 128 bits, the highest byte first.
    pub fn counter(&mut self, block: &Linear) -> Option<Block> {
        let low = Linear::atom(LOW).checked(block, 1)?;
        let high = Linear::atom(HIGH).checked(&self.carry_of(&low), 1)?;
        Some(core::array::from_fn(|k| self.half(if k < 8 { &high } else { &low }, 7 - k % 8)))
    }

    /// True if a block is known to be one of the text.
    fn exists(&self, block: &Linear) -> bool {
        let room = Linear::atom(BLOCKS).checked(block, -1).and_then(|room| room.offset_checked(-1));
        self.is_natural(block) && room.is_some_and(|room| self.is_natural(&room))
    }

    /// True if a block is known to be behind the text, or, unless that is wanted alone, before it.
    pub fn is_outside(&self, block: &Linear, is_behind: bool) -> bool {
        let behind = block.checked(&Linear::atom(BLOCKS), -1);
        let before = Linear::number(-1).checked(block, -1);
        behind.is_some_and(|form| self.is_natural(&form))
            || !is_behind && before.is_some_and(|form| self.is_natural(&form))
    }

    /// The block of the text or of the output at an address, and the distance in it.
    fn place(&mut self, address: &Value, base: u32, bytes: usize) -> Result<(Linear, usize), Stop> {
        let Some(mut form) = self.form(address) else {
            return refused("the address of an access depends on a secret, or is not known");
        };
        let count = form.terms.len();
        form.terms.retain(|term| *term != (base, 1));
        if form.terms.len() == count {
            return refused("an access is in no memory that allows it");
        }
        let unit = self.proof.units()[usize::from(base == OUTPUT)] as i128;
        let distance = form.constant.rem_euclid(unit);
        form.constant -= distance;
        let is_aligned = unit % bytes as i128 == 0 && distance % bytes as i128 == 0;
        let Some(block) = form.divided(unit).filter(|_| is_aligned) else {
            return refused("an access is not aligned");
        };
        if self.exists(&block) {
            Ok((block, distance as usize))
        } else {
            refused("an access may be outside the text")
        }
    }

    /// Bytes of the text.
    ///
    /// # Errors
    /// If they may not be read.
    pub fn load_global(&mut self, address: &Value, bytes: usize) -> Result<Vec<ByteId>, Stop> {
        if let Some(stream) = self.stream.clone()
            && let Some(found) = self.load_array(address, bytes, &stream)?
        {
            return Ok(found);
        }
        let (block, distance) = self.place(address, INPUT, bytes)?;
        if !self.proof.is_apart() {
            // The text may be where the output is: only this thread stores there, and it has not yet.
            let turns = [self.path.turn.clone(), self.next_turn()];
            let is_own =
                |(number, turn): (usize, &Linear)| self.block(number, turn).is_ok_and(|own| own == block);
            let numbers = 0..self.blocks.len();
            if !numbers.clone().any(|number| is_own((number, &turns[0])) || is_own((number, &turns[1]))) {
                return refused("text is read that another thread may have written over");
            }
            if numbers
                .into_iter()
                .any(|number| is_own((number, &turns[0])) && self.path.stored.contains_key(&number))
            {
                return refused("text is read after it was written over");
            }
        }
        let byte = |k| self.terms.atom(Atom::Text(block.clone(), k as u8));
        Ok((distance..distance + bytes).map(byte).collect())
    }

    /// Bytes of an array with an element for each stream, if the address is in one: of that of the thread's stream.
    fn load_array(
        &mut self,
        address: &Value,
        bytes: usize,
        stream: &Linear,
    ) -> Result<Option<Vec<ByteId>>, Stop> {
        let Some(mut form) = self.form(address) else { return Ok(None) };
        let array = form.terms.iter().find(|term| (KEYS..STREAMS).contains(&term.0) && term.1 == 1);
        let Some(&(array, _)) = array else { return Ok(None) };
        form.terms.retain(|term| term.0 != array);
        let element = match array {
            KEYS => self.key.clone(),
            IVS => self.first_chain(),
            _ => {
                let own = Linear::atom(INPUT + array - INPUTS);
                (0..8).map(|k| self.half(&own, k)).collect()
            }
        };
        let room = Linear::atom(STREAMS).checked(stream, -1).and_then(|room| room.offset_checked(-1));
        if !self.is_natural(stream) || !room.is_some_and(|room| self.is_natural(&room)) {
            return refused("an array is read at a stream that may not be there");
        }
        let distance = form.checked(stream, -(element.len() as i128)).and_then(|rest| rest.as_number());
        let at = distance.and_then(|at| usize::try_from(at).ok());
        let at = at.filter(|at| at.is_multiple_of(bytes) && element.len().is_multiple_of(bytes));
        match at.and_then(|at| element.get(at..at + bytes)) {
            Some(found) => Ok(Some(found.to_vec())),
            None => refused("an array is read at another stream than the thread's, or not aligned"),
        }
    }

    /// True if the thread is known to have no stream.
    pub fn has_no_stream(&self) -> bool {
        let behind = self.stream.as_ref().and_then(|stream| stream.checked(&Linear::atom(STREAMS), -1));
        behind.is_some_and(|behind| self.is_natural(&behind))
    }

    /// The chain value before a block.
    pub fn chain(&mut self, block: &Linear) -> Block {
        core::array::from_fn(|k| self.terms.atom(Atom::Chain(block.clone(), k as u8)))
    }

    /// Stores bytes of output.
    ///
    /// # Errors
    /// If they may not be written.
    pub fn store_global(&mut self, address: &Value, bytes: &[ByteId]) -> Result<(), Stop> {
        let (block, distance) = self.place(address, OUTPUT, bytes.len())?;
        let turn = self.path.turn.clone();
        let mut numbers = 0..self.blocks.len();
        let number = numbers.find(|&number| self.block(number, &turn).is_ok_and(|own| own == block));
        let Some(number) = number.filter(|_| self.path.is_turn) else {
            return refused("a block is written that is not of the thread's turn");
        };
        let unit = self.proof.units()[1];
        let stored = self.path.stored.entry(number).or_insert_with(|| vec![None; unit]);
        for (place, &byte) in stored[distance..].iter_mut().zip(bytes) {
            if place.replace(byte).is_some() {
                return refused("a byte of output is written twice");
            }
        }
        Ok(())
    }

    /// Bytes of the constants.
    ///
    /// # Errors
    /// If the address is not known, or is not theirs.
    pub fn load_constant(&mut self, address: &Value, bytes: usize) -> Result<Vec<ByteId>, Stop> {
        let form = self.form(address).unwrap_or_default();
        let at = match form.terms[..] {
            [(WORDS, 1)] => usize::try_from(form.constant).ok().filter(|at| at.is_multiple_of(bytes)),
            _ => None,
        };
        match at.and_then(|at| self.module.constants.get(at..at + bytes)) {
            Some(found) => Ok(found.iter().map(|&byte| self.terms.constant(byte)).collect()),
            None => refused("an access is not within the constants, or not aligned"),
        }
    }

    /// Bytes of shared memory at an index of which eight bits, those that are secret if any is, say what is read.
    ///
    /// # Errors
    /// If they may not be read, or are no S-box and no linear map.
    pub fn load_shared(&mut self, address: &Value, bytes: usize) -> Result<Vec<ByteId>, Stop> {
        if !self.path.is_behind {
            return refused("shared memory is read before the barrier");
        }
        let (form, index) = match address {
            Value::Indexed(form, index) => (form.clone(), index.clone()),
            _ => (self.form(address).unwrap_or_default(), vec![]),
        };
        if form.terms != [(TABLES, 1)] {
            return refused("an access is not in shared memory, or its address is not known");
        }
        let mut begin = form.constant;
        let (mut secret, mut public) = (Vec::new(), Vec::new());
        for (k, &byte) in index.iter().enumerate() {
            let Byte { constant, parts } = self.terms.get(byte);
            for place in 0..8 {
                let mut own =
                    parts.iter().filter(|part| part.1.iter().any(|column| column >> place & 1 == 1));
                match own.next() {
                    None => begin += i128::from(constant >> place & 1) << (8 * k + place),
                    Some(first)
                        if core::iter::once(first)
                            .chain(own)
                            .any(|part| self.terms.atoms.is_secret(part.0)) =>
                    {
                        secret.push(8 * k + place);
                    }
                    Some(_) => public.push(8 * k + place),
                }
            }
        }
        let proof = self.proof;
        if secret.is_empty() {
            core::mem::swap(&mut secret, &mut public);
        } else if proof.banks {
            if bytes != 4 || !self.has_own_bank(index[0]) {
                return refused("an address depends on a secret, and lanes of a warp may share a bank");
            }
        } else if !proof.lookups {
            return refused("an address depends on a secret");
        }
        if secret.len() > 8 || public.len() > 8 {
            return refused("an index has more than a byte");
        }
        let begin = if begin.rem_euclid(1 << 32) < 1 << 31 {
            begin.rem_euclid(1 << 32)
        } else {
            begin.rem_euclid(1 << 32) - (1 << 32)
        };
        let mask = |places: &[usize]| places.iter().fold(0_u64, |mask, place| mask | 1 << place);
        let key = (begin, mask(&secret), mask(&public), bytes);
        if !self.found.contains_key(&key) {
            let tables = self.tables(begin, &secret, &public, bytes)?;
            self.found.insert(key, tables);
        }
        // The byte of these bits.
        let mut byte = self.terms.constant(0);
        for (bit, &place) in secret.iter().enumerate() {
            let mut columns = [0; 8];
            columns[place % 8] = 1 << bit;
            let share = self.terms.mapped(index[place / 8], columns);
            byte = self.terms.xor(byte, share);
        }
        let tables = self.found[&key].clone();
        let found: Option<Vec<ByteId>> = tables.iter().map(|table| self.terms.entry(table, byte)).collect();
        found.map_or_else(|| refused("what is looked up is no S-box and no linear map"), Ok)
    }

    /// The bytes that are read, by the bits of a byte, for all values of the public bits.
    fn tables(
        &self,
        begin: i128,
        secret: &[usize],
        public: &[usize],
        bytes: usize,
    ) -> Result<Vec<[u8; 256]>, Stop> {
        let sum = |places: &[usize], value: usize| {
            let set = places.iter().enumerate().filter(|(bit, _)| value >> bit & 1 == 1);
            set.map(|(_, place)| 1_i128 << place).sum::<i128>()
        };
        let memory = self.shared.as_ref().map_or(&[][..], |shared| &shared.0);
        let mut tables = vec![[0; 256]; bytes];
        for value in 0..256 {
            let used = value & ((1 << secret.len()) - 1);
            for other in 0..1_usize << public.len() {
                let at = begin + sum(secret, used) + sum(public, other);
                let at = usize::try_from(at).ok().filter(|at| at.is_multiple_of(bytes));
                let Some(found) = at.and_then(|at| memory.get(at..at + bytes)) else {
                    return refused("a look-up is not within shared memory, or not aligned");
                };
                for (table, &byte) in tables.iter_mut().zip(found) {
                    match byte {
                        Some(byte) if other == 0 => table[value] = byte,
                        Some(byte) if table[value] == byte => {}
                        Some(_) => return refused("what is looked up depends on the thread"),
                        None => return refused("a byte of shared memory is read that no thread wrote"),
                    }
                }
            }
        }
        Ok(tables)
    }

    /// True if bits 2 to 6 of a byte are public, and the threads of each warp have different ones.
    fn has_own_bank(&self, byte: ByteId) -> bool {
        let Byte { constant, parts } = self.terms.get(byte);
        let mut bits = Vec::new();
        for (atom, columns) in parts.iter().filter(|part| part.1.iter().any(|column| column & 127 != 0)) {
            match self.terms.get_atom(*atom) {
                Atom::Half(form, 0)
                    if form.as_atom().is_some_and(|bit| (THREAD..THREAD + 10).contains(&bit)) =>
                {
                    bits.push((form.terms[0].0 - THREAD, columns[0]));
                }
                _ => return false,
            }
        }
        let bank = |thread: usize| {
            let set = bits.iter().filter(|(bit, _)| thread >> bit & 1 == 1);
            set.fold(*constant, |sum, (_, column)| sum ^ column) >> 2 & 31
        };
        // In every other warp the banks are those of the first, exclusive-or a constant: a thread's bits from the fifth on.
        let warp = 0..self.module.threads.min(32);
        warp.clone().map(bank).collect::<BTreeSet<u8>>().len() == warp.len()
    }

    /// The output of a block.
    ///
    /// # Errors
    /// If the block before it, or the counter, is not known.
    pub fn specified(&mut self, block: &Linear) -> Result<Vec<ByteId>, Stop> {
        let (contract, unit) = (self.proof.contract, self.proof.units()[0]);
        let terms = &mut self.terms;
        let text = (0..unit).map(|k| terms.atom(Atom::Text(block.clone(), k as u8)));
        let text: Vec<ByteId> = text.collect();
        if contract.mode == Mode::Keys {
            let mut keys = round_keys(terms, Keys::Cipher, contract.rounds, &text);
            if contract.is_inverse {
                // FIPS-197, 5.3.5: in the opposite order, and all but the first and the last are mixed.
                keys.reverse();
                let last = keys.len() - 1;
                keys[1..last].iter_mut().for_each(|key| *key = mix(terms, key, true));
            }
            return Ok(keys.concat());
        }
        let as_block = |bytes: &[ByteId]| -> Block { core::array::from_fn(|k| bytes[k]) };
        let text = as_block(&text);
        let input = match contract.mode {
            Mode::Ctr => self.counter(block),
            _ if self.proof.is_chained() => {
                let chain = self.chain(block);
                Some(sum(&mut self.terms, &text, &chain))
            }
            _ => Some(text),
        };
        let Some(input) = input else { return refused("the counter of a block is too large") };
        let keys: Vec<Block> = self.key.chunks_exact(16).map(as_block).collect();
        let out = cipher(&mut self.terms, contract.is_inverse, false, &keys, &input);
        let other = match contract.mode {
            Mode::Ctr => text,
            Mode::Cbc if contract.is_inverse => {
                let before = block.offset_checked(-1).unwrap_or_default();
                let first = Linear::default().checked(block, -1).unwrap_or(Linear::number(-1));
                if self.is_natural(&first) {
                    as_block(&self.first_chain())
                } else if self.is_natural(&before) {
                    core::array::from_fn(|k| self.terms.atom(Atom::Text(before.clone(), k as u8)))
                } else {
                    return refused("a path does not say whether a block is the first");
                }
            }
            _ => return Ok(out.to_vec()),
        };
        Ok(sum(&mut self.terms, &out, &other).to_vec())
    }
}
