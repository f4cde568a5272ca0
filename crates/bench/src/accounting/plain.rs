//! The plain program that the accounting begins with: a T-table block in counter mode, counted in the
//! technique's own form; and the savings of techniques that are not choices because every kernel has them.

use super::sum;
use aesmith_cipher::KeySize;
use aesmith_dataflow::memory::{Direction, Layout};
use aesmith_dataflow::program::{Node, Program};
use aesmith_dataflow::table::{Last, Tables};
use aesmith_dataflow::{Round, count};
use aesmith_tune::count::{BASELINE, Mix};
use serde::Serialize;

/// A class of instructions, after Bernstein and Schwabe: an instruction that is neither load nor store is an
/// integer instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Loads.
    Loads,
    /// Stores.
    Stores,
    /// All others.
    Integer,
}

impl Class {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Loads => "loads",
            Class::Stores => "stores",
            Class::Integer => "integer",
        }
    }

    /// A mix of `count` instructions of this class.
    pub fn of(self, count: f64) -> Mix {
        let none = Mix { instructions: count, ..Mix::default() };
        match self {
            Class::Loads => Mix { loads: count, ..none },
            Class::Stores => Mix { stores: count, ..none },
            Class::Integer => Mix { integer: count, ..none },
        }
    }
}

/// One purpose in the plain program, with its instructions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The purpose.
    pub name: &'static str,
    /// Class of its instructions.
    pub class: Class,
    /// Instructions per block.
    pub instructions: f64,
}

/// The rounds of AES-128 with four tables, with no choices made.
pub struct Plain {
    rounds: Vec<Program>,
    counts: count::Counts,
}

/// Look-ups yield whole columns; those of the last round are masked, by the program's table or by
/// instructions.
const TABLES: Tables = Tables { layout: Layout::Separate, last: Last::Masked, direction: Direction::Forward };
const KEY: KeySize = KeySize::Aes128;

impl Plain {
    /// Builds the program.
    pub fn new() -> Plain {
        let last = KEY.rounds();
        let round = |r| TABLES.round(if r == last { Round::EncryptLast } else { Round::Encrypt }, r == 1);
        Plain { rounds: (1..=last).map(round).collect(), counts: count::tables(TABLES, KEY, false) }
    }

    fn nodes(&self, wanted: impl Fn(&Node) -> bool) -> f64 {
        self.rounds.iter().flat_map(|round| &round.nodes).filter(|node| wanted(node)).count() as f64
    }

    /// Look-ups of all rounds.
    pub fn look_ups(&self) -> f64 {
        self.nodes(|node| matches!(node, Node::Load { .. }))
    }

    /// XORs of look-ups and round keys, without the key addition before the first round.
    pub fn sums(&self) -> f64 {
        self.nodes(|node| matches!(node, Node::Xor(..)))
    }

    /// Extractions of the second byte of a word.
    pub(crate) fn second_bytes(&self) -> f64 {
        self.nodes(|node| matches!(node, Node::Byte(_, 1)))
    }

    /// Instructions that only scale an index.
    pub fn scalings(&self) -> f64 {
        self.counts.scalings as f64
    }

    /// Shifts and masks that extract bytes of words as indices.
    pub(crate) fn extractions(&self) -> f64 {
        let words = self.counts.stores as f64;
        self.counts.computing() as f64 - self.sums() - words
    }

    /// Look-ups of the last round; only one byte of each is used.
    pub(crate) fn last_look_ups(&self) -> f64 {
        let last = self.rounds.last().expect("a cipher has rounds");
        last.nodes.iter().filter(|node| matches!(node, Node::Load { .. })).count() as f64
    }

    /// Parts of a block's instructions. The rest of the published baseline is a part of its own.
    pub fn parts(&self) -> Vec<Part> {
        use Class::{Integer, Loads, Stores};
        let words = self.counts.stores as f64;
        let keys = self.counts.loads as f64 - self.look_ups() - words;
        let mut parts: Vec<Part> = [
            ("look-ups in tables", Loads, self.look_ups()),
            ("words of round keys", Loads, keys),
            ("words of input", Loads, words),
            ("words of output", Stores, words),
            ("shifts and masks that extract bytes as indices", Integer, self.extractions()),
            ("XORs of look-ups and round keys", Integer, self.sums() + words),
            ("masks of the last round's look-ups", Integer, self.last_look_ups()),
            ("XORs of key stream and input", Integer, words),
        ]
        .map(|(name, class, instructions)| Part { name, class, instructions })
        .into();
        let rest = BASELINE.minus(sum(&parts));
        let name = "further published instructions, not itemised";
        for (class, instructions) in [(Loads, rest.loads), (Stores, rest.stores), (Integer, rest.integer)] {
            if instructions != 0.0 {
                parts.push(Part { name, class, instructions });
            }
        }
        parts
    }
}
