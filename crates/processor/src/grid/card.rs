//! Cards: processors of grids that are in this machine. What is known of one, the rates that are measured on it and the
//! bound that follows from them, and what whoever measures kernels asks of it. Only proved kernels are launched.

use aesmith_judge::judge::Judge;
use serde::{Deserialize, Serialize};

use super::Counted;
use super::certificate::ProvedGrid;

/// How cards are found.
pub trait Cards: Judge + Sync {
    /// Opens the first card.
    ///
    /// # Errors
    /// There is none, or its driver refuses it.
    fn open(&self) -> Result<Box<dyn Card + '_>, String>;
}

/// A card that is open.
pub trait Card {
    /// What is known of it.
    fn about(&self) -> &About;

    /// Measures what a multiprocessor executes in a clock, by micro-kernels whose loops take so many turns. These are not
    /// AES and have no proof; what they compute is held against what it should be.
    ///
    /// # Errors
    /// The driver refuses a call, or a micro-kernel has another result.
    fn rates(&self, turns: u32) -> Result<Rates, String>;

    /// Loads proved kernels, and takes memory for a text of so many blocks and its result.
    ///
    /// # Errors
    /// The driver refuses a kernel, or there is too little memory.
    fn session<'a>(&'a self, kernels: &[ProvedGrid], blocks: usize) -> Result<Box<dyn Session + 'a>, String>;
}

/// One of the streams that a text is of.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its cipher key.
    pub key: Vec<u8>,
    /// Its initial vector, where there is one.
    pub iv: [u8; 16],
    /// Its blocks of text.
    pub blocks: u64,
}

/// What launches have in common.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The cipher key of kernels that take one.
    pub key: &'a [u8],
    /// The counter of the first block, where there is one.
    pub iv: [u8; 16],
}

/// Kernels on a card with a text in its memory.
pub trait Session {
    /// Writes the text.
    ///
    /// # Errors
    /// The driver refuses it.
    fn write(&mut self, text: &[u8]) -> Result<(), String>;

    /// Says of which streams the text is, one behind the other: kernels of several streams take these, each with its own key
    /// and initial vector.
    ///
    /// # Errors
    /// The driver refuses it, or kernels take keys in different forms.
    fn divide(&mut self, streams: &[Stream]) -> Result<(), String>;

    /// Fills the result's memory with one byte, so that nothing of an earlier launch is taken for a result.
    ///
    /// # Errors
    /// The driver refuses it.
    fn clear(&mut self, byte: u8) -> Result<(), String>;

    /// Launches a kernel so many times in a row over text and result in the card's memory, between two events, with a look
    /// at the clock before and behind them.
    ///
    /// # Errors
    /// The driver refuses it, or its clocks do not run.
    fn launch(&mut self, kernel: usize, times: u32, given: &Given) -> Result<Timed, String>;

    /// Reads of the result, from a byte on.
    ///
    /// # Errors
    /// The driver refuses it.
    fn read(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), String>;

    /// Has a kernel take text from the host's memory and bring the result back there, so many times the beginning of a
    /// text, by two buffers whose copies overlap.
    ///
    /// # Errors
    /// The driver refuses it.
    fn streamed(&mut self, kernel: usize, times: u32, text: &[u8], given: &Given)
    -> Result<Streamed, String>;
}

/// The time of a launch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timed {
    /// Of a launch, between the events.
    pub milliseconds: f64,
    /// The clock of a multiprocessor, the mean of what it was before and behind.
    pub mhz: f64,
}

/// What went through two buffers of the host.
#[derive(Clone, Debug)]
pub struct Streamed {
    /// By the host's clock, copies and launches together.
    pub seconds: f64,
    /// What each buffer held at the end: how many blocks of text came before it, and the result.
    pub last: Vec<(u64, Vec<u8>)>,
}

/// What is known of a card.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its number, which no other card has.
    pub uuid: String,
    /// Its architecture, named as those that text is translated for.
    pub architecture: String,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of its memory.
    pub memory: u64,
    /// The most bytes of shared memory that a launch can give a block.
    pub shared: u32,
    /// The version of the driver's interface.
    pub driver: String,
    /// The clock of a multiprocessor that the driver calls typical.
    pub rated_mhz: f64,
}

/// The number at the end of an architecture's name.
fn number(architecture: &str) -> Option<u32> {
    architecture.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

impl About {
    /// What results on such a card are kept by: a word. Two cards of a kind under the same driver have the same.
    pub fn key(&self, processor: &str) -> String {
        let word = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("-").replace('/', "-");
        format!(
            "{processor}/{}/{}/{}/{}",
            word(&self.name),
            word(&self.architecture),
            self.multiprocessors,
            word(&self.driver)
        )
    }

    /// The counts of machine code for this card's architecture, or the newest that is not newer.
    pub fn counts<'a>(&self, counts: &'a [Counted]) -> Option<&'a Counted> {
        let own = number(&self.architecture)?;
        let older = counts.iter().filter_map(|c| Some((number(&c.architecture)?, c)));
        older
            .filter(|(number, _)| *number <= own)
            .max_by_key(|(number, _)| *number)
            .map(|(_, counted)| counted)
    }
}

/// What a multiprocessor was measured to do in a clock, in threads that execute an instruction.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rates {
    /// Loads of shared memory, a bank a lane.
    pub shared: f64,
    /// Three-input logic.
    pub logic: f64,
    /// Permutations of bytes.
    pub permutation: f64,
    /// Products with a sum.
    pub product: f64,
    /// Logic and products in turn.
    pub issued: f64,
    /// Bytes that a copy within the card's memory reads and writes, in a clock of a multiprocessor.
    pub memory: f64,
    /// The clock of a multiprocessor at that time.
    pub mhz: f64,
}

/// What a kernel cannot pass on a card.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CardBound {
    /// The architecture whose machine code is counted.
    pub architecture: String,
    /// Clocks of a multiprocessor for a block of text, at least.
    pub clocks: f64,
    /// Bits of output a clock of a multiprocessor, at most.
    pub bits: f64,
    /// The unit that is the bound.
    pub limit: String,
}

impl Rates {
    /// The bound of counted instructions. Logic and permutations are one unit's: the greater of both rates counts.
    pub fn bound(&self, counted: &Counted) -> CardBound {
        let clocks = |count: u32, rate: f64| f64::from(count) / rate / f64::from(counted.blocks.max(1));
        let units = [
            ("shared memory", clocks(counted.shared, self.shared)),
            ("logic", clocks(counted.logic, self.logic.max(self.permutation))),
            ("products", clocks(counted.product, self.product)),
            ("issue", clocks(counted.issued, self.issued)),
            // A block is read and written.
            ("the card's memory", 32.0 / self.memory),
        ];
        let (limit, clocks) = units.into_iter().fold(("", 0.0), |a, b| if b.1 > a.1 { b } else { a });
        CardBound {
            architecture: counted.architecture.clone(),
            clocks,
            bits: 128.0 / clocks,
            limit: limit.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(architecture: &str) -> Counted {
        Counted {
            architecture: architecture.into(),
            registers: 32,
            spilled: 0,
            blocks: 2,
            shared: 320,
            logic: 500,
            product: 6,
            issued: 860,
            code: 1600,
            kinds: Vec::new(),
            clocks: 0.0,
            bits: 0.0,
            limit: String::new(),
        }
    }

    fn about(architecture: &str) -> About {
        About {
            name: "A Card/PCIe".into(),
            uuid: String::new(),
            architecture: architecture.into(),
            multiprocessors: 46,
            memory: 0,
            shared: 0,
            driver: "13.0".into(),
            rated_mhz: 0.0,
        }
    }

    #[test]
    fn a_bound_is_the_slowest_unit_at_the_measured_rates() {
        let rates = Rates {
            shared: 32.0,
            logic: 63.0,
            permutation: 64.0,
            product: 64.0,
            issued: 127.0,
            memory: 25.0,
            mhz: 0.0,
        };
        let bound = rates.bound(&counted("sm_90"));
        assert_eq!((bound.limit.as_str(), bound.clocks, bound.bits), ("shared memory", 5.0, 25.6));
        let bound = Rates { shared: 128.0, ..rates }.bound(&counted("sm_90"));
        assert_eq!((bound.limit.as_str(), bound.clocks), ("logic", 500.0 / 64.0 / 2.0));
        let bound = Rates { memory: 4.0, ..rates }.bound(&counted("sm_90"));
        assert_eq!((bound.limit.as_str(), bound.clocks), ("the card's memory", 8.0));
    }

    #[test]
    fn counts_are_of_the_newest_architecture_that_is_not_newer() {
        let counts = [counted("sm_75"), counted("sm_80"), counted("sm_90")];
        for (own, wanted) in [("sm_75", "sm_75"), ("sm_86", "sm_80"), ("sm_89", "sm_80"), ("sm_120", "sm_90")]
        {
            assert_eq!(about(own).counts(&counts).map(|c| c.architecture.as_str()), Some(wanted), "{own}");
        }
        assert_eq!(about("sm_70").counts(&counts), None);
        assert_eq!(about("sm_89").key("gpu"), "gpu/A-Card-PCIe/sm_89/46/13.0");
    }
}
