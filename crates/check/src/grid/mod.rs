//! Proofs about grids: kernels of GPUs in PTX. Many threads execute one text, each with its number. docs/CERTIFICATES.md describes the text of proofs.

pub mod memory;
pub mod module;
pub mod rows;
pub mod run;
pub mod setup;
pub mod symbols;

use crate::certificate::{is_name, offset};
use crate::check::Accepted;
use crate::contract::Contract;
use crate::spec::Mode;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use module::{Module, Parameter};
use run::Run;

/// The beginning of a proof.
pub const TITLE: &str = "aesmith certificate with proof, version 3\nprocessor ptx\n";
/// The line before the text of the module.
pub const MODULE: &str = "\nmodule\n";
/// The most blocks of a turn.
const MOST_BLOCKS: usize = 64;

/// A proof: the claim, the module, and what holds at places.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The problem.
    pub contract: Contract,
    /// True if addresses in shared memory may depend on secrets.
    pub lookups: bool,
    /// True if they may, and each lane of a warp then has a bank of its own.
    pub banks: bool,
    /// The kernel.
    pub module: Module,
    /// The number of a thread's stream, if a launch has several with keys of their own: an expression.
    pub stream: Option<String>,
    /// The numbers of the blocks of text of a thread's turn: expressions.
    pub blocks: Vec<String>,
    /// The statements.
    pub heads: Vec<Head>,
}

/// A statement that holds whenever execution reaches a place.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The name.
    pub name: String,
    /// The instruction.
    pub at: usize,
    /// Statements.
    pub lines: Vec<Line>,
}

/// A statement of a head. Values are expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A form is at least 0.
    Fact(String),
    /// A register of 32 or 64 bits, by its number.
    Register(u32, usize, String),
}

/// True if a text is such a proof.
pub fn is_meant(text: &str) -> bool {
    text.starts_with(TITLE)
}

/// Checks a proof.
///
/// # Errors
/// The reason why it is refused.
pub fn check(proof: &Proof) -> Result<Accepted, String> {
    Run::new(proof)?.checked()
}

/// The parameters of a kernel, in order. Of several streams they are arrays in memory, and the number of streams.
pub fn parameters(contract: &Contract, has_streams: bool) -> Vec<Parameter> {
    let keys = (contract.mode != Mode::Keys).then_some(("keys", contract.key_bytes() as usize));
    let iv = contract.has_iv().then_some(("iv", 16));
    let all = keys.into_iter().chain(iv).chain([("in", 0), ("out", 0), ("blocks", 0)]);
    let all = all.map(|(name, bytes)| (name, if has_streams { 0 } else { bytes }));
    let all = all.chain(has_streams.then_some(("streams", 0)));
    all.map(|(name, bytes)| Parameter { name: name.to_string(), bytes }).collect()
}

impl Proof {
    /// True if the text is known not to be where the output is.
    pub fn is_apart(&self) -> bool {
        self.contract.mode == Mode::Keys || self.contract.mode == Mode::Cbc && self.contract.is_inverse
    }

    /// True for CBC encryption, where each block needs the output of the one before.
    pub fn is_chained(&self) -> bool {
        self.contract.mode == Mode::Cbc && !self.contract.is_inverse
    }

    /// The bytes of a block of text, and of one of output: of a key schedule, a cipher key and its round keys.
    pub fn units(&self) -> [usize; 2] {
        match self.contract.mode {
            Mode::Keys => [self.contract.cipher_key_bytes() as usize, self.contract.key_bytes() as usize],
            _ => [16; 2],
        }
    }

    /// The claim in words.
    pub fn claim(&self) -> String {
        let lookups = if self.banks {
            ", look-ups in own banks"
        } else if self.lookups {
            ", look-ups"
        } else {
            ""
        };
        let (threads, shared) = (self.module.threads, self.module.shared);
        let streams = if self.stream.is_some() { " of many streams" } else { "" };
        format!(
            "{}{streams} in PTX, {threads} threads, {shared} bytes of shared memory{lookups}",
            self.contract
        )
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn read(text: &str) -> Result<Proof, String> {
        let rest = text.strip_prefix(TITLE).ok_or_else(|| format!("it does not begin with `{TITLE}`"))?;
        let (rest, module) = rest.split_once(MODULE).ok_or("it has no module")?;
        let module = Module::read(module)?;
        let (mut contract, mut stream, mut lookups, mut banks) = (None, None, false, false);
        let (mut blocks, mut heads) = (Vec::new(), Vec::<Head>::new());
        for line in rest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("this line is not understood: {line}");
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (word, rest) {
                ("contract", name) if contract.is_none() => {
                    let is_allowed = |contract: &Contract| {
                        contract.streams == 1 && (contract.mode.is_plain() || contract.mode == Mode::Keys)
                    };
                    contract = Some(Contract::named(name).filter(is_allowed).ok_or_else(wrong)?);
                }
                ("lookups", "") => lookups = true,
                ("banks", "") => banks = true,
                ("stream", form) if stream.is_none() => stream = Some(form.to_string()),
                ("block", form) if blocks.len() < MOST_BLOCKS => blocks.push(form.to_string()),
                ("head", rest) => {
                    let (name, label) = rest.split_once(' ').ok_or_else(wrong)?;
                    let is_new = is_name(name) && heads.iter().all(|head| head.name != name);
                    let at = module.labels.get(label).filter(|_| is_new).ok_or_else(wrong)?;
                    heads.push(Head { name: name.to_string(), at: *at, lines: Vec::new() });
                }
                _ => {
                    let line = statement(word, rest, &module).ok_or_else(wrong)?;
                    heads.last_mut().ok_or_else(wrong)?.lines.push(line);
                }
            }
        }
        let contract = contract.ok_or("it names no contract")?;
        let is_chained = contract.mode == Mode::Cbc && !contract.is_inverse;
        if contract.mode == Mode::Keys && stream.is_some() || is_chained && stream.is_none() {
            return Err("a key schedule has no streams, and CBC encryption has some".into());
        }
        if module.parameters != parameters(&contract, stream.is_some()) {
            return Err("the parameters of the kernel are not those of the contract".into());
        }
        Ok(Proof { contract, lookups, banks, module, stream, blocks, heads })
    }
}

fn statement(word: &str, rest: &str, module: &Module) -> Option<Line> {
    if word == "fact" {
        return Some(Line::Fact(rest.strip_suffix(" >= 0")?.into()));
    }
    let value = rest.strip_prefix("= ")?.to_string();
    let (bits, number) = match word.strip_prefix("rd") {
        Some(number) => (64, number),
        None => (32, word.strip_prefix('r')?),
    };
    let number = offset(number).filter(|&number| number < module.registers[bits as usize / 32])?;
    Some(Line::Register(bits, number, value))
}
