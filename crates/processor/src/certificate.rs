//! The certificate of a kernel of firmware: what is proved of its bytes, and what judges saw.

use aesmith_prove::bits::{Proof, prove};
use serde::{Deserialize, Serialize};

use crate::core::Core;
use crate::cost::{BuiltKernel, Cost};
use crate::timing::{self, class};

/// Calls of the full exam, the Monte-Carlo chain among them, at least.
pub const FULL_EXAM: u64 = 2_000;

/// What is proved and tested of one kernel's bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// `proved`: the bytes compute the problem for every key and text.
    pub level: String,
    /// The class of its time on its processor: `CT`, or `VT` where it may depend on secrets. Older
    /// versions did not say.
    #[serde(default)]
    pub class: String,
    /// `proved`, or what decides the time: with `constant time` and why that does not matter on its
    /// processor, or with `variable time`.
    pub constant_time: String,
    /// The version that proved it.
    pub tool_version: String,
    /// The processor.
    pub processor: String,
    /// The problem.
    pub problem: String,
    /// The variant.
    pub variant: String,
    /// The function's name.
    pub symbol: String,
    /// SHA-256 of the assembled program.
    pub sha256: String,
    /// Its calling convention.
    pub convention: String,
    /// What is proved.
    pub proof: Proof,
    /// Costs by the machine model.
    pub cost: Cost,
    /// What kind of figure the model's cycles are.
    pub model: String,
    /// The independent judge that it was tested in; our interpreter if there is none here.
    pub judge: String,
    /// Whether that judge is independent.
    pub independent: bool,
    /// Calls that the judge answered rightly: vectors, a Monte-Carlo chain, random data.
    pub tested_calls: u64,
    /// Cycles by the judge, as the model's, where it counts them.
    pub judged_cycles: Option<f64>,
    /// Whether calls of equal lengths took equal numbers of cycles, where it counts them.
    pub same_cycles: Option<bool>,
    /// Bytes of stack as the judge saw them, where it does.
    pub judged_stack: Option<u64>,
    /// Sentences on what is missing or differs.
    pub notes: Vec<String>,
}

impl Certificate {
    /// Whether no secret decides an address, a branch or a shift's count.
    pub fn is_constant_time(&self) -> bool {
        self.proof.constant_time
    }

    /// Whether its time may depend on secrets on its processor.
    pub fn is_variable_time(&self) -> bool {
        self.class == "VT"
    }

    /// This certificate with the class and the sentence on its time that this version gives.
    pub fn classed(mut self, core: &Core) -> Certificate {
        self.class = class(core, &self.proof).into();
        self.constant_time = timing::about(core, &self.proof);
        self
    }

    /// Whether it took the full exam, the Monte-Carlo chain too: without, nothing is handed out.
    pub fn in_full(&self) -> bool {
        self.tested_calls >= FULL_EXAM
    }

    /// Cycles of a block or key: the judge's if it counts, else the model's.
    pub fn cycles(&self) -> f64 {
        self.judged_cycles.unwrap_or(self.cost.cycles)
    }
}

/// Proves a kernel.
pub fn proved(core: &Core, made: &BuiltKernel) -> Result<Proof, String> {
    let contract = &made.kernel.contract;
    let proof = prove((core.isa)(), core.convention, &made.image, made.function, contract);
    proof.map_err(|refutation| refutation.to_string())
}
