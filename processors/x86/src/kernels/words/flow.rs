//! What one pass of a loop computes by T-tables, as one program: the blocks of a group round by
//! round in turn, from where their words stand to the words to be stored.

use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::{Direction, Task};
use aesmith_dataflow::memory::{self, Layout};
use aesmith_dataflow::program::{Node, Program, Value, Word};
use aesmith_dataflow::table::{ALL, Last, Present, SLOW, Shape, Tables};

/// What an input of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A word of a block's text, or of its counter.
    State(usize, usize),
    /// A word of a round key; padded between the first round and the last, if the state is.
    Key(usize, usize),
    /// The fast counter byte of a block with its byte of round key 0 added.
    Fast(usize),
    /// A constant of the counter-mode cache.
    Cached(usize),
    /// CBC encryption: a word of the block before, ciphertext or IV.
    Chain(usize),
}

/// A program and what its inputs are.
pub(super) struct Flow {
    pub program: Program,
    pub sources: Vec<Source>,
}

/// Everything that decides what is computed.
#[derive(Clone, Copy)]
pub(super) struct Cipher {
    pub tables: Tables,
    pub rounds: usize,
    /// Words of the cipher key.
    key_words: usize,
    recomputed: bool,
    pub task: Task,
}

impl Cipher {
    /// The choices of a variant.
    pub fn new(variant: &Variant) -> Cipher {
        let problem = variant.problem;
        let inverse = matches!(problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt);
        Cipher {
            tables: Tables {
                layout: Layout::ALL[usize::from(variant.get(Dim::Tables))],
                last: Last::ALL[usize::from(variant.get(Dim::Last))],
                direction: if inverse { memory::Direction::Inverse } else { memory::Direction::Forward },
            },
            rounds: problem.key.rounds(),
            key_words: problem.key.bytes() / 4,
            recomputed: variant.get(Dim::RoundKeys) == 1,
            task: problem.task,
        }
    }

    /// Whether round key `round` is kept in padded words.
    pub fn padded_key(&self, round: usize) -> bool {
        self.tables.padded() && round > 0 && round < self.rounds
    }

    /// The two words of round keys, as (round, word), whose sum word `w` of round key `round` is,
    /// if it is the sum of two that are used before: the recurrence of the key schedule (FIPS-197,
    /// 5.2), which InvMixColumns keeps, read backwards for the inverse cipher.
    fn summands(&self, round: usize, w: usize) -> Option<[(usize, usize); 2]> {
        let inverse = self.tables.direction == memory::Direction::Inverse;
        let outer = |r: usize| r == 0 || r == self.rounds;
        let alike = |r: usize| !(inverse || self.tables.padded()) || outer(r) == outer(round);
        let nk = self.key_words;
        // Words after which the schedule has no plain sum.
        let breaks = |i: usize| i.is_multiple_of(nk) || (nk == 8 && i % 8 == 4);
        let both = if inverse {
            let i = 4 * (self.rounds - round) + w + nk;
            let at = |i: usize| self.rounds.checked_sub(i / 4).map(|r| (r, i % 4));
            (!breaks(i)).then(|| Some([at(i)?, at(i - 1)?])).flatten()?
        } else {
            let i = 4 * round + w;
            let at = |i: usize| (i / 4, i % 4);
            (i >= nk && !breaks(i)).then(|| [at(i - nk), at(i - 1)])?
        };
        both.iter().all(|&(r, _)| alike(r)).then_some(both)
    }
}

/// A program under construction.
struct Builder<'c> {
    cipher: &'c Cipher,
    program: Program,
    sources: Vec<Source>,
    /// Round keys that were recomputed, or are words kept.
    keys: Vec<((usize, usize), Value)>,
}

type Columns = [Value; 4];

impl<'c> Builder<'c> {
    fn new(cipher: &'c Cipher) -> Builder<'c> {
        let word = if cipher.tables.padded() { Word::U64 } else { Word::U32 };
        Builder { cipher, program: Program::new(word, 0), sources: Vec::new(), keys: Vec::new() }
    }

    fn input(&mut self, source: Source) -> Value {
        self.sources.push(source);
        self.program.inputs += 1;
        self.program.push(Node::Input(self.program.inputs - 1))
    }

    fn key(&mut self, round: usize, w: usize) -> Value {
        if !self.cipher.recomputed {
            return self.input(Source::Key(round, w));
        }
        if let Some((_, known)) = self.keys.iter().find(|(key, _)| *key == (round, w)) {
            return *known;
        }
        let value = match self.cipher.summands(round, w) {
            Some([a, b]) => {
                let (a, b) = (self.key(a.0, a.1), self.key(b.0, b.1));
                self.program.xor(a, b)
            }
            None => self.input(Source::Key(round, w)),
        };
        self.keys.push(((round, w), value));
        value
    }

    fn keys(&mut self, round: usize) -> Columns {
        std::array::from_fn(|w| self.key(round, w))
    }

    fn columns(
        &mut self,
        state: [Option<Value>; 4],
        start: Columns,
        round: usize,
        present: Present,
    ) -> Columns {
        let shape = Shape { plain: round == 1, last: round == self.cipher.rounds };
        self.cipher.tables.columns(&mut self.program, state, start, shape, present)
    }

    fn round(&mut self, state: Columns, round: usize) -> Columns {
        let keys = self.keys(round);
        self.columns(state.map(Some), keys, round, ALL)
    }

    fn finish(mut self, outputs: impl IntoIterator<Item = Value>) -> Flow {
        self.program.outputs = outputs.into_iter().collect();
        Flow { program: self.program, sources: self.sources }
    }
}

/// A group of blocks. With `cached` rounds, their counters are the fast byte and the constants of
/// [`refresh`]. What is added last, texts in CTR and the blocks before in CBC decryption, is not in it.
pub(super) fn group(cipher: &Cipher, blocks: usize, cached: usize) -> Flow {
    let mut b = Builder::new(cipher);
    let mut states: Vec<Columns> = Vec::with_capacity(blocks);
    let mut first = 1;
    if cached > 0 {
        first = cached + 1;
        for block in 0..blocks {
            let fast = b.input(Source::Fast(block));
            let mut state: Columns = std::array::from_fn(|i| b.input(Source::Cached(i)));
            state[0] = cipher.tables.fast(&mut b.program, state[0], fast);
            if cached == 2 {
                let start = std::array::from_fn(|i| b.input(Source::Cached(1 + i)));
                state = b.columns([Some(state[0]), None, None, None], start, 2, ALL);
            }
            states.push(state);
        }
    } else {
        for block in 0..blocks {
            let state = std::array::from_fn(|w| {
                let mut word = b.input(Source::State(block, w));
                if matches!(cipher.task, Task::CbcEncrypt { .. }) {
                    let chain = b.input(Source::Chain(w));
                    word = b.program.xor(chain, word);
                }
                let key = b.key(0, w);
                b.program.xor(word, key)
            });
            states.push(state);
        }
    }
    for round in first..=cipher.rounds {
        for state in &mut states {
            *state = b.round(*state, round);
        }
    }
    b.finish(states.into_iter().flatten())
}

/// What counters share that differ in the last byte only: the columns after round 1 without what
/// that byte adds to the first; with two rounds, that first column and then the columns after
/// round 2 without what it adds to them.
pub(super) fn refresh(cipher: &Cipher, cached: usize) -> Flow {
    let mut b = Builder::new(cipher);
    let state: [Option<Value>; 4] = std::array::from_fn(|w| {
        let counter = b.input(Source::State(0, w));
        let key = b.key(0, w);
        Some(b.program.xor(counter, key))
    });
    let keys = b.keys(1);
    let one = b.columns(state, keys, 1, SLOW);
    if cached == 1 {
        return b.finish(one);
    }
    let keys = b.keys(2);
    let two = b.columns([None, Some(one[1]), Some(one[2]), Some(one[3])], keys, 2, ALL);
    b.finish([one[0]].into_iter().chain(two))
}
