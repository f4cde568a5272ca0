//! The proved part of a function's contract with its callers: headers and the C around kernels must agree with it.

use aesmith_cipher::firmware::Firmware;
use aesmith_processor::core::Core;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;

/// The contract, by kind of code.
pub enum Promised {
    /// A function over texts of any number of bytes, at any addresses.
    Texts {
        /// The CPU features that the instructions need, or the reason why they are unknown.
        features: Result<Vec<&'static str>, String>,
    },
    /// A function over whole blocks, for firmware.
    Blocks {
        core: &'static Core,
        contract: Firmware,
        /// The alignment of buffers in bytes.
        alignment: u8,
        /// True if it accepts zero blocks, where the number of blocks is an argument.
        none: bool,
        variable_time: bool,
        /// True if its time is constant only because the processor has no data cache.
        uncached: bool,
    },
    /// A launch of a grid of threads.
    Grid { grids: &'static Grids, proved: Box<ProvedGrid> },
}

/// The alignment of a launch's buffers in bytes.
const OF_A_LAUNCH: u8 = 16;

impl Promised {
    /// The number of blocks in a call; `None` if it is an argument, or if the function makes keys.
    pub fn blocks_a_call(&self) -> Option<u8> {
        match self {
            Promised::Blocks { contract, .. }
                if contract.problem.is_message() && !contract.counts_blocks() =>
            {
                Some(contract.a_call())
            }
            _ => None,
        }
    }

    /// The required alignment of buffers in bytes.
    pub fn alignment(&self) -> u8 {
        match self {
            Promised::Texts { .. } => 1,
            Promised::Blocks { alignment, .. } => (*alignment).max(1),
            Promised::Grid { .. } => OF_A_LAUNCH,
        }
    }

    /// The CPU features that its instructions need beyond the baseline of all CPUs, if they are known individually.
    pub fn features(&self) -> Option<&[&'static str]> {
        match self {
            Promised::Texts { features } => features.as_ref().ok().map(Vec::as_slice),
            _ => None,
        }
    }

    /// The whole contract as a sentence.
    pub fn sentence(&self) -> String {
        let blocks = match (self, self.blocks_a_call()) {
            (_, Some(1)) => "1 block a call; ".to_owned(),
            (_, Some(blocks)) => format!("{blocks} blocks a call; "),
            (Promised::Blocks { contract, none, .. }, None) if contract.problem.is_message() => match none {
                true => "any number of blocks a call; ".to_owned(),
                false => "at least 1 block a call; ".to_owned(),
            },
            _ => String::new(),
        };
        let alignment = match self.alignment() {
            1 => "buffers at any address".to_owned(),
            most => format!("buffers at multiples of {most}"),
        };
        let features = match self {
            Promised::Texts { features: Ok(none) } if none.is_empty() => "; runs on every CPU".to_owned(),
            Promised::Texts { features: Ok(features) } => {
                format!("; needs a CPU with {}", features.join(", "))
            }
            Promised::Texts { features: Err(why) } => {
                format!("; which CPU features it needs is not known: {why}")
            }
            _ => String::new(),
        };
        format!("{blocks}{alignment}{features}")
    }
}
