//! The certificate of a firmware kernel: the proof about its bytes, and the results of judges.

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

/// Minimum number of calls of the full exam, including the Monte-Carlo chain.
pub const FULL_EXAM: u64 = 2_000;

/// The format of certificates that this version writes: 2 lists the conditions of a proof. Earlier certificates have no
/// number.
pub const FORMAT: u32 = 2;

/// Results of proof and tests of one kernel's bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BitsCertificate {
    /// [`FORMAT`], or 0 in earlier certificates.
    #[serde(default)]
    pub format: u32,
    /// `proved`: the bytes compute the problem for every key and text.
    pub level: String,
    /// The class of its time on its processor: `CT`, or `VT` if it may depend on secrets. Missing in earlier versions.
    #[serde(default)]
    pub class: String,
    /// `proved`, or the reason for the time: with `constant time` and why the dependence does not matter on its
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
    /// The proof.
    pub proof: Proof,
    /// Costs by the machine model.
    pub cost: Cost,
    /// The kind of the model's cycle figures.
    pub model: String,
    /// The independent judge of its tests; our interpreter if none is available.
    pub judge: String,
    /// True if that judge is independent.
    pub independent: bool,
    /// Number of calls that the judge answered correctly: vectors, a Monte-Carlo chain, random data.
    pub tested_calls: u64,
    /// Cycles by the judge, in the same unit as the model's, if it counts them: if they depend on data, the mean over
    /// 1,000 random calls.
    pub judged_cycles: Option<f64>,
    /// Their minimum and maximum, if they depend on data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_range: Option<[f64; 2]>,
    /// True if calls of equal lengths took equal numbers of cycles; `None` if the judge does not count them.
    pub same_cycles: Option<bool>,
    /// Bytes of stack measured by the judge, if it does so.
    pub judged_stack: Option<u64>,
    /// Sentences about missing results or differences.
    pub notes: Vec<String>,
    /// The function on a block in registers that is exported beside it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_registers: Option<InRegisters>,
}

/// A function on a block in registers. It is not a C function; its convention consists only of these fields, which are
/// proved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InRegisters {
    /// Suffix of its name, after the C function's name.
    pub suffix: String,
    /// Offset in bytes from the start of the C function.
    pub at: u64,
    /// Registers of the key's address at entry, lowest part first.
    pub key: Vec<String>,
    /// Registers of the block at entry, first byte first.
    pub block: Vec<String>,
    /// Registers of the result at return, first byte first.
    pub result: Vec<String>,
    /// Registers whose value at return may differ from that at entry.
    pub changed: Vec<String>,
    /// Bytes of stack, including the return address.
    pub stack: u64,
    /// Cycles from its first instruction through its return, by the machine model; 0 if it is only proved again.
    pub cycles: u64,
}

impl BitsCertificate {
    /// True if no secret determines an address, a branch or a shift count, or the time of a multiplication.
    pub fn is_constant_time(&self) -> bool {
        self.proof.constant_time && !self.is_variable_time()
    }

    /// True if its time may depend on secrets on its processor.
    pub fn is_variable_time(&self) -> bool {
        self.class == "VT"
    }

    /// A word for the independence of its time from secrets: `yes` if no secret determines an address or a branch,
    /// `here` if secrets determine addresses but the processor's memory takes equal time for all, `no` if the time may
    /// depend on secrets.
    pub fn short_time(&self) -> &'static str {
        match (self.is_variable_time(), self.is_constant_time()) {
            (true, _) => "no",
            (false, true) => "yes",
            (false, false) => "here",
        }
    }

    /// This certificate with this version's class of its time and sentence about it.
    pub fn classed(mut self, core: &Core) -> BitsCertificate {
        self.class = class(core, &self.proof).into();
        self.constant_time = timing::about(core, &self.proof);
        self
    }

    /// True if it passed the full exam with the Monte-Carlo chain, without which no kernel is delivered. Versions that
    /// counted only one call where cycles depend on data gave no valid exam.
    pub fn in_full(&self) -> bool {
        let one_of_many =
            self.same_cycles == Some(false) && self.judged_cycles.is_some() && self.judged_range.is_none();
        self.tested_calls >= FULL_EXAM && !one_of_many
    }

    /// Cycles of a block or key: the judge's if it counts them, else the model's.
    pub fn cycles(&self) -> f64 {
        self.judged_cycles.unwrap_or(self.cost.cycles)
    }
}

/// Proves the function on a block in registers beside a kernel's C function, if there is one.
///
/// # Errors
/// It does not have the properties that its processor declares.
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

/// Like `in_registers`, for the function at an address.
///
/// # Errors
/// The fault, in a sentence.
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
    /// The registers in which it takes and returns a block, from the certificate.
    ///
    /// # Errors
    /// A name is not that of a register.
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
