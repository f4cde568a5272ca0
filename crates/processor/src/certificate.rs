//! The certificate of a kernel of firmware: what is proved of its bytes, and what judges saw.

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::Isa;
use aesmith_isa::execute::Executed;
use aesmith_isa::image::Image;
use aesmith_prove::bits::{self, Places, Proof, prove};
use serde::{Deserialize, Serialize};

use crate::core::{Core, IN_REGISTERS};
use crate::cost::{BuiltKernel, Cost, LIMIT};
use crate::interpreter::Interpreter;
use crate::timing::{self, class};

/// Calls of the full exam, the Monte-Carlo chain among them, at least.
pub const FULL_EXAM: u64 = 2_000;

/// The format of certificates that this version writes: 2 states under which conditions a proof holds. Certificates of
/// before have no number.
pub const FORMAT: u32 = 2;

/// What is proved and tested of one kernel's bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// [`FORMAT`], or 0 in certificates of before.
    #[serde(default)]
    pub format: u32,
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
    /// Cycles by the judge, as the model's, where it counts them: where they depend on data, the mean over 1,000 random
    /// calls.
    pub judged_cycles: Option<f64>,
    /// The fewest and the most of them, where they depend on data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_range: Option<[f64; 2]>,
    /// Whether calls of equal lengths took equal numbers of cycles, where it counts them.
    pub same_cycles: Option<bool>,
    /// Bytes of stack as the judge saw them, where it does.
    pub judged_stack: Option<u64>,
    /// Sentences on what is missing or differs.
    pub notes: Vec<String>,
    /// The function on a block in registers that stands beside it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_registers: Option<InRegisters>,
}

/// A function on a block in registers: it is no C function, and keeps no convention but what stands here, which is
/// proved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InRegisters {
    /// What stands behind the C function's name in its own.
    pub suffix: String,
    /// How many bytes of code behind the C function's begin it begins.
    pub at: u64,
    /// Registers of the key's address at entry, lowest part first.
    pub key: Vec<String>,
    /// Registers of the block at entry, first byte first.
    pub block: Vec<String>,
    /// Registers of the result at return, first byte first.
    pub result: Vec<String>,
    /// Registers that do not hold at return what they held at entry.
    pub changed: Vec<String>,
    /// Bytes of stack, the address of return among them.
    pub stack: u64,
    /// Cycles from its first instruction through its return, by the machine model; 0 in what is proved again.
    pub cycles: u64,
}

impl Certificate {
    /// Whether no secret decides an address, a branch or a shift's count, nor the time of a product.
    pub fn is_constant_time(&self) -> bool {
        self.proof.constant_time && !self.is_variable_time()
    }

    /// Whether its time may depend on secrets on its processor.
    pub fn is_variable_time(&self) -> bool {
        self.class == "VT"
    }

    /// Whether its time depends on secrets: `yes` where no secret decides an address or a branch, `here` where secrets
    /// decide addresses and the processor's memory takes the same time at any, `no` where the time may depend on them.
    pub fn short_time(&self) -> &'static str {
        match (self.is_variable_time(), self.is_constant_time()) {
            (true, _) => "no",
            (false, true) => "yes",
            (false, false) => "here",
        }
    }

    /// This certificate with the class and the sentence on its time that this version gives.
    pub fn classed(mut self, core: &Core) -> Certificate {
        self.class = class(core, &self.proof).into();
        self.constant_time = timing::about(core, &self.proof);
        self
    }

    /// Whether it took the full exam, the Monte-Carlo chain too: without, nothing is handed out. Versions that counted
    /// one call where cycles depend on data gave no exam that counts.
    pub fn in_full(&self) -> bool {
        let one_of_many =
            self.same_cycles == Some(false) && self.judged_cycles.is_some() && self.judged_range.is_none();
        self.tested_calls >= FULL_EXAM && !one_of_many
    }

    /// Cycles of a block or key: the judge's if it counts, else the model's.
    pub fn cycles(&self) -> f64 {
        self.judged_cycles.unwrap_or(self.cost.cycles)
    }
}

/// Proves the function on a block in registers that stands beside a kernel's C function, if there is one.
///
/// # Errors
/// It is not what its processor says of it.
pub fn in_registers(core: &'static Core, made: &BuiltKernel) -> Result<Option<InRegisters>, String> {
    let Some(places) = (core.in_registers)(&made.kernel.variant) else { return Ok(None) };
    let inner = made.image.symbol(&format!("{}{IN_REGISTERS}", made.kernel.symbol))?;
    let mut proved = proved_in_registers(core, (&made.image, inner), &made.kernel.contract, &places)?;
    proved.at = inner - made.function;
    let code = made.image.segments.iter().find(|s| (s.address..s.end()).contains(&inner));
    let code = inner..code.map_or(inner, |s| s.end());
    if let Some((_, call)) = made.timed(1).first() {
        let mut count = |executed: &Executed, _: Option<(u64, u8, bool)>, cycles: u32| {
            proved.cycles += if code.contains(&executed.pc) { u64::from(cycles) } else { 0 };
        };
        Interpreter::new(core).watched(&made.image, made.function, call, LIMIT, &mut count)?;
    }
    Ok(Some(proved))
}

/// The same of the function at an address.
///
/// # Errors
/// What is wrong, in a sentence.
pub fn proved_in_registers(
    core: &Core,
    (image, function): (&Image, u64),
    contract: &Firmware,
    places: &Places,
) -> Result<InRegisters, String> {
    let isa = (core.isa)();
    let changes = bits::in_registers(isa, core.convention, image, function, contract, places);
    let changes = changes.map_err(|why| format!("its function on a block in registers: {why}"))?;
    let names = |registers: &[u8]| -> Vec<String> {
        registers.iter().map(|&r| isa.about.registers[usize::from(r)].0.to_owned()).collect()
    };
    Ok(InRegisters {
        suffix: IN_REGISTERS.into(),
        at: 0,
        key: names(&places.key),
        block: names(&places.block),
        result: names(&places.result),
        changed: names(&changes.registers),
        stack: changes.stack_bytes,
        cycles: 0,
    })
}

impl InRegisters {
    /// Where it takes and leaves a block, as a certificate says.
    ///
    /// # Errors
    /// A name that is no register's.
    pub fn places(&self, isa: &Isa) -> Result<Places, String> {
        let numbers = |names: &[String]| -> Result<Vec<u8>, String> {
            let number = |name: &String| isa.register(name).ok_or_else(|| format!("`{name}` is no register"));
            names.iter().map(number).collect()
        };
        Ok(Places { key: numbers(&self.key)?, block: numbers(&self.block)?, result: numbers(&self.result)? })
    }
}

/// Proves a kernel.
pub fn proved(core: &Core, made: &BuiltKernel) -> Result<Proof, String> {
    let contract = &made.kernel.contract;
    let proof = prove((core.isa)(), core.convention, &made.image, made.function, contract);
    proof.map_err(|refutation| refutation.to_string())
}
