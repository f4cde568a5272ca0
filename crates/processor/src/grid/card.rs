//! GPUs of this machine: their properties, measured rates and the bound that follows from them, and the interface for
//! measuring kernels. Only proved kernels are launched.

use aesmith_judge::judge::Instrument;
use serde::{Deserialize, Serialize};

use super::Counted;
use super::certificate::ProvedGrid;

/// Access to the GPUs of this machine.
pub trait Cards: Instrument + Sync {
    /// Opens the first GPU.
    ///
    /// # Errors
    /// There is none, or its driver fails.
    fn open(&self) -> Result<Box<dyn Card + '_>, String>;
}

/// An open GPU.
pub trait Card {
    /// Its properties.
    fn about(&self) -> &About;

    /// Measures the throughput of a multiprocessor, by micro-kernels whose loops make `turns` iterations. These are not
    /// AES kernels and have no proof; their results are compared with the expected ones.
    ///
    /// # Errors
    /// The driver rejects a call, or a micro-kernel has a wrong result.
    fn rates(&self, turns: u32) -> Result<Rates, String>;

    /// Loads proved kernels, and allocates memory for a text of `blocks` blocks and its result.
    ///
    /// # Errors
    /// The driver rejects a kernel, or there is too little memory.
    fn session<'a>(&'a self, kernels: &[ProvedGrid], blocks: usize) -> Result<Box<dyn Session + 'a>, String>;
}

/// One of the streams of a text.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its cipher key.
    pub key: Vec<u8>,
    /// Its IV, if there is one.
    pub iv: [u8; 16],
    /// Its blocks of text.
    pub blocks: u64,
}

/// Common arguments of launches.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The cipher key, for kernels that take one.
    pub key: &'a [u8],
    /// The counter of the first block, if there is one.
    pub iv: [u8; 16],
}

/// Kernels on a GPU with a text in its memory.
pub trait Session {
    /// Writes the text.
    ///
    /// # Errors
    /// The driver fails.
    fn write(&mut self, text: &[u8]) -> Result<(), String>;

    /// Sets the streams of the text, which are stored one after another: kernels for several streams take these, each
    /// with its own key and IV.
    ///
    /// # Errors
    /// The driver fails, or kernels take keys in different forms.
    fn divide(&mut self, streams: &[Stream]) -> Result<(), String>;

    /// Fills the result's memory with one byte, so that an earlier result cannot be mistaken for a new one.
    ///
    /// # Errors
    /// The driver fails.
    fn clear(&mut self, byte: u8) -> Result<(), String>;

    /// Launches a kernel `times` times in a row over text and result in the GPU's memory, between two events, and reads
    /// the clock rate before and after.
    ///
    /// # Errors
    /// The driver fails, or its clocks do not run.
    fn launch(&mut self, kernel: usize, times: u32, given: &Given) -> Result<Timed, String>;

    /// Reads a part of the result, from byte `at`.
    ///
    /// # Errors
    /// The driver fails.
    fn read(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), String>;

    /// Streams text through a kernel: copies it from the host's memory and the result back, `times` times the beginning
    /// of a text, with two buffers whose copies overlap.
    ///
    /// # Errors
    /// The driver fails.
    fn streamed(&mut self, kernel: usize, times: u32, text: &[u8], given: &Given)
    -> Result<Streamed, String>;
}

/// The time of a launch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timed {
    /// Milliseconds of one launch, from the events.
    pub milliseconds: f64,
    /// The clock of a multiprocessor, the mean of the rates before and after.
    pub mhz: f64,
}

/// Result of streaming through two buffers of the host.
#[derive(Clone, Debug)]
pub struct Streamed {
    /// Seconds by the host's clock, copies and launches together.
    pub seconds: f64,
    /// Final contents of each buffer: the number of blocks of text before it, and the result.
    pub last: Vec<(u64, Vec<u8>)>,
}

/// Properties of a GPU.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its unique number.
    pub uuid: String,
    /// Its architecture, with the name used for compilation targets.
    pub architecture: String,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of its memory.
    pub memory: u64,
    /// Maximum bytes of shared memory that a launch can give a block.
    pub shared: u32,
    /// The version of the driver's interface.
    pub driver: String,
    /// The clock rate of a multiprocessor that the driver reports as typical.
    pub rated_mhz: f64,
}

/// The number at the end of an architecture's name.
fn number(architecture: &str) -> Option<u32> {
    architecture.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

impl About {
    /// The key of results on such a GPU: one word. Two GPUs of a kind under the same driver have the same key.
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

    /// The counts of machine code for this GPU's architecture, or else for the newest older one.
    pub fn counts<'a>(&self, counts: &'a [Counted]) -> Option<&'a Counted> {
        let own = number(&self.architecture)?;
        let older = counts.iter().filter_map(|c| Some((number(&c.architecture)?, c)));
        older
            .filter(|(number, _)| *number <= own)
            .max_by_key(|(number, _)| *number)
            .map(|(_, counted)| counted)
    }
}

/// Measured throughput of a multiprocessor, in threads that execute an instruction per clock.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rates {
    /// Loads of shared memory, each lane from its own bank.
    pub shared: f64,
    /// Three-input logic.
    pub logic: f64,
    /// Byte permutations.
    pub permutation: f64,
    /// Multiply-adds.
    pub product: f64,
    /// Alternating logic and multiplications.
    pub issued: f64,
    /// Bytes read and written by a copy within the GPU's memory, per clock of a multiprocessor.
    pub memory: f64,
    /// The clock of a multiprocessor during the measurement.
    pub mhz: f64,
}

/// The bound on a kernel on a GPU.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CardBound {
    /// The architecture whose machine code is counted.
    pub architecture: String,
    /// Minimum clocks of a multiprocessor for a block of text.
    pub clocks: f64,
    /// Maximum bits of output per clock of a multiprocessor.
    pub bits: f64,
    /// The unit that gives the bound.
    pub limit: String,
}

impl Rates {
    /// The bound from instruction counts. Logic and byte permutations share a unit: the greater of both rates counts.
    pub fn bound(&self, counted: &Counted) -> CardBound {
        let clocks = |count: u32, rate: f64| f64::from(count) / rate / f64::from(counted.blocks.max(1));
        let units = [
            ("shared memory", clocks(counted.shared, self.shared)),
            ("logic", clocks(counted.logic, self.logic.max(self.permutation))),
            ("products", clocks(counted.product, self.product)),
            ("issue", clocks(counted.issued, self.issued)),
            // Each block is read and written.
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
