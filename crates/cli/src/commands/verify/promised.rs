//! What callers are promised of a function, as far as it is proved: headers and the C around kernels are held against it.

use aesmith_cipher::firmware::Firmware;
use aesmith_processor::core::Core;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;

/// By the kind of code.
pub enum Promised {
    /// Over texts of any number of bytes, at any addresses.
    Texts {
        /// The CPU features that the instructions need, or why nobody knows.
        features: Result<Vec<&'static str>, String>,
    },
    /// Over whole blocks, for firmware.
    Blocks {
        core: &'static Core,
        contract: Firmware,
        /// Buffers lie at multiples of so many bytes.
        alignment: u8,
        /// Whether it may be given no block at all, where it is given their number.
        none: bool,
        variable_time: bool,
        /// Its time is constant for the reason alone that the processor has no data cache.
        uncached: bool,
    },
    /// A launch of a grid of threads.
    Grid { grids: &'static Grids, proved: Box<ProvedGrid> },
}

/// Bytes at whose multiples buffers of a launch lie.
const OF_A_LAUNCH: u8 = 16;

impl Promised {
    /// Blocks that a call takes; none where it is told how much text there is, or makes keys.
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

    /// At multiples of so many bytes buffers must lie.
    pub fn alignment(&self) -> u8 {
        match self {
            Promised::Texts { .. } => 1,
            Promised::Blocks { alignment, .. } => (*alignment).max(1),
            Promised::Grid { .. } => OF_A_LAUNCH,
        }
    }

    /// The CPU features that its instructions need beside those that every CPU has, where they are known one by one.
    pub fn features(&self) -> Option<&[&'static str]> {
        match self {
            Promised::Texts { features } => features.as_ref().ok().map(Vec::as_slice),
            _ => None,
        }
    }

    /// All of it, for people.
    pub fn sentence(&self) -> String {
        let blocks = match (self, self.blocks_a_call()) {
            (_, Some(1)) => "1 block a call; ".to_owned(),
            (_, Some(blocks)) => format!("{blocks} blocks a call; "),
            (Promised::Blocks { contract, .. }, None) if contract.problem.is_message() => {
                "any number of blocks a call; ".to_owned()
            }
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
