//! The T-table computation of one loop iteration as one program: the blocks of a group, interleaved round by
//! round, from loads of their words to the words to be stored.

use crate::dimensions::Dim;
use aesmith_arrange::Variant;
use aesmith_cipher::{Direction, Task};
use aesmith_dataflow::memory::{self, Layout};
use aesmith_dataflow::program::{Node, Program, Value, Word};
use aesmith_dataflow::table::{ALL, Last, Present, SLOW, Shape, Tables};

/// The source of a program's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A word of a block's text, or of its counter.
    State(usize, usize),
    /// A word of a round key; padded between the first round and the last if the state is.
    Key(usize, usize),
    /// The fast counter byte of a block, with its byte of round key 0 added.
    Fast(usize),
    /// A constant of the counter-mode cache.
    Cached(usize),
    /// CBC encryption: a word of the previous block, ciphertext or IV.
    Chain(usize),
}

/// A program with the sources of its inputs.
pub(super) struct Flow {
    pub program: Program,
    pub sources: Vec<Source>,
}

/// The parameters of the computation.
#[derive(Clone, Copy)]
pub(super) struct Cipher {
    pub tables: Tables,
    pub rounds: usize,
    /// Number of words of the cipher key.
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

    /// True if round key `round` is kept in padded words.
    pub(crate) fn padded_key(&self, round: usize) -> bool {
        self.tables.padded() && round > 0 && round < self.rounds
    }

    /// The two round key words, as (round, word), whose sum is word `w` of round key `round`, if it is the sum
    /// of two words that are used earlier: the recurrence of the key schedule (FIPS-197, 5.2), which
    /// InvMixColumns preserves, read backwards for the inverse cipher.
    fn summands(&self, round: usize, w: usize) -> Option<[(usize, usize); 2]> {
        let inverse = self.tables.direction == memory::Direction::Inverse;
        let outer = |r: usize| r == 0 || r == self.rounds;
        let alike = |r: usize| !(inverse || self.tables.padded()) || outer(r) == outer(round);
        let nk = self.key_words;
        // Words after which the schedule is not a plain sum.
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
    /// Round keys that were recomputed, or whose words are kept.
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

/// A group of blocks. With `cached` rounds, their counters are the fast byte and the constants of [`refresh`].
/// The last addition (texts in CTR, previous blocks in CBC decryption) is not part of it.
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

/// The values shared by counters that differ only in the last byte: the columns after round 1 without that
/// byte's contribution to the first; with two rounds, that first column and then the columns after round 2
/// without its contribution to them.
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
