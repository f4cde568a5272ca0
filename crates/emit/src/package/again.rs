//! What stands around kernels in a package, made again from what was proved of them alone: header, build files and C are
//! held against it, so that no promise of theirs goes beyond the proof.

use super::blocks::around;
use super::facts::{Facts, KernelFacts, Key, KeySetUp, LevelFacts, Member};
use super::texts::key_structure_bytes;
use super::{File, Form};
use crate::part::Part;
use crate::{Certificate, EmitError, VARIABLE_TIME_SUFFIX};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_isa::assemble::Section;
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::dialect::Dialect;

/// What is proved of a function over whole blocks.
#[derive(Clone, Debug)]
pub struct ProvedBlocks {
    /// Its name.
    pub symbol: String,
    /// The assembly file that has it, without its ending.
    pub file: String,
    /// What it computes, of which form of the key, and how many blocks at a call.
    pub contract: Firmware,
    /// Whether it may be given no block at all, where it is given their number.
    pub none: bool,
    /// At multiples of so many bytes its buffers must lie.
    pub alignment: u8,
    /// Whether its time depends on secrets.
    pub variable_time: bool,
    /// Whether it does so for the reason alone that the processor has no data cache.
    pub uncached: bool,
}

/// A problem of a package over texts.
#[derive(Clone, Debug)]
pub struct ProvedMember {
    /// The problem.
    pub problem: Problem,
    /// The public function; of a key schedule by itself, what its key is named after.
    pub name: String,
    /// What its key is named after.
    pub key: String,
}

/// What is proved of the functions of a level, or of a package of one.
#[derive(Clone, Debug)]
pub struct ProvedLevel {
    /// The name of its file.
    pub symbol: String,
    /// The function of each problem.
    pub kernels: Vec<String>,
    /// Of each key, in the order in which problems have them: its schedule, and the builder of the counter table.
    pub keys: Vec<(String, Option<String>)>,
    /// The level, where it stands beside others.
    pub level: Option<String>,
    /// The CPU features that its instructions need.
    pub features: Vec<&'static str>,
}

/// The files of a package over whole blocks, with key structures in the header or, as packages of version 0.1.0 had it, without;
/// in place of assembly there is none, and certificates are empty.
///
/// # Errors
/// A processor without GNU tools, or metadata that cannot be written.
pub fn of_blocks(
    core: &'static Core,
    name: &str,
    functions: &[ProvedBlocks],
    keys: bool,
) -> Result<Vec<File>, EmitError> {
    let mut files: Vec<&str> = Vec::new();
    let kernels: Vec<(Kernel, Certificate)> = functions
        .iter()
        .map(|f| {
            if !files.contains(&f.file.as_str()) {
                files.push(&f.file);
            }
            // Functions of one file have one code: a section stands for it.
            let place = files.iter().position(|file| *file == f.file).unwrap_or_default();
            let code = Section { name: ".text", address: place as u64, writable: false, items: Vec::new() };
            let kernel = Kernel {
                variant: core.table.plain(f.contract.problem),
                contract: f.contract,
                symbol: f.symbol.clone(),
                sections: vec![code],
                table_alignment: 1,
            };
            let certificate = Certificate {
                constant_time: if f.variable_time { "VT" } else { "CT" }.to_owned(),
                uncached: f.uncached,
                none: f.none,
                alignment: f.alignment,
                ..Certificate::default()
            };
            (kernel, certificate)
        })
        .collect();
    let parts = kernels
        .iter()
        .zip(functions)
        .map(|((kernel, certificate), f)| Part { symbol: &f.symbol, core, kernel, certificate })
        .collect();
    around(core, name, parts, keys)
}

/// The files of a package over texts; in place of assembly there is none.
pub fn of_texts(
    dialect: &'static Dialect,
    name: &str,
    all: &[ProvedMember],
    levels: &[ProvedLevel],
) -> Vec<File> {
    let kernel = |symbol: &String| KernelFacts {
        symbol: symbol.clone(),
        technique: String::new(),
        variants: Vec::new(),
        sha256: None,
    };
    let set_up = |(schedule, table): &(String, Option<String>)| KeySetUp {
        schedule: schedule.clone(),
        table: table.clone(),
    };
    let level = |level: &ProvedLevel| LevelFacts {
        name: level.level.clone(),
        symbol: level.symbol.clone(),
        kernels: level.kernels.iter().map(kernel).collect(),
        keys: level.keys.iter().map(set_up).collect(),
        features: dialect.features.iter().copied().filter(|f| level.features.contains(f)).collect(),
    };
    let (mut members, mut keys): (Vec<Member>, Vec<Key>) = (Vec::new(), Vec::new());
    for ProvedMember { problem, name, key: stem } in all {
        let schedule = problem.key_schedule();
        let known = keys.iter().position(|key| key.schedule == schedule);
        let key = known.unwrap_or(keys.len());
        if known.is_none() {
            let table =
                levels.iter().any(|level| level.keys.get(key).is_some_and(|(_, table)| table.is_some()));
            keys.push(Key { stem: stem.clone(), schedule, bytes: key_structure_bytes(table) });
        }
        members.push(Member { problem: *problem, name: name.clone(), key });
    }
    let facts = Facts {
        members,
        keys,
        levels: levels.iter().map(level).collect(),
        recipes: Vec::new(),
        prefix: None,
        variable_time: name.ends_with(VARIABLE_TIME_SUFFIX),
        dialect: Some(dialect),
        certificates: Vec::new(),
        name: name.to_owned(),
    };
    facts.description(Vec::new(), "S").package().files(Form::Package)
}

/// What the header of a package over texts says of the CPU, in words.
pub fn asked_of_the_cpu(levels: &[ProvedLevel]) -> String {
    let some_need = levels.iter().all(|level| !level.features.is_empty());
    if some_need { "Whether this CPU and operating system can run".into() } else { "Always 1:".into() }
}
