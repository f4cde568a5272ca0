//! Regenerates the files around the kernels of a package from the proved facts alone. Header, build files and C are
//! compared with the result, so that they promise nothing beyond the proof.

use super::blocks::around;
use super::facts::{Facts, KernelFacts, Key, KeySetUp, LevelFacts, Member};
use super::texts::key_structure_bytes;
use super::{File, Form};
use crate::part::Part;
use crate::{CodeFacts, EmitError, VARIABLE_TIME_SUFFIX};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_isa::assemble::Section;
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::dialect::Dialect;

/// The facts proved of a function over whole blocks.
#[derive(Clone, Debug)]
pub struct ProvedBlocks {
    /// Its name.
    pub symbol: String,
    /// The assembly file that contains it, without its extension.
    pub file: String,
    /// The problem, the form of the key, and the number of blocks in a call.
    pub contract: Firmware,
    /// True if a function with a number of blocks accepts 0.
    pub none: bool,
    /// Required alignment of its buffers in bytes.
    pub alignment: u8,
    /// True if its time depends on secrets.
    pub variable_time: bool,
    /// True if its time is constant only because the processor has no data cache.
    pub uncached: bool,
}

/// A problem of a package over texts.
#[derive(Clone, Debug)]
pub struct ProvedMember {
    /// The problem.
    pub problem: Problem,
    /// The public function; for a key schedule alone, the name of its key.
    pub name: String,
    /// The name of its key.
    pub key: String,
}

/// The facts proved of the functions of a level, or of a package with one level.
#[derive(Clone, Debug)]
pub struct ProvedLevel {
    /// The name of its file.
    pub symbol: String,
    /// The function of each problem.
    pub kernels: Vec<String>,
    /// For each key, in the order of the problems: its schedule, and the builder of the counter table.
    pub keys: Vec<(String, Option<String>)>,
    /// The level, if there are others.
    pub level: Option<String>,
    /// The CPU features that its instructions need.
    pub features: Vec<&'static str>,
}

/// Returns the files of a package over whole blocks. With `keys`, the header has key structures; packages of version
/// 0.1.0 had none. Assembly is left out, and certificates are empty.
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
    let kernels: Vec<(Kernel, CodeFacts)> = functions
        .iter()
        .map(|f| {
            if !files.contains(&f.file.as_str()) {
                files.push(&f.file);
            }
            // Functions of one file have equal code; a placeholder section identifies it.
            let place = files.iter().position(|file| *file == f.file).unwrap_or_default();
            let code = Section { name: ".text", address: place as u64, writable: false, items: Vec::new() };
            let kernel = Kernel {
                variant: core.table.plain(f.contract.problem),
                contract: f.contract,
                symbol: f.symbol.clone(),
                sections: vec![code],
                table_alignment: 1,
            };
            let facts = CodeFacts {
                constant_time: if f.variable_time { "VT" } else { "CT" }.to_owned(),
                uncached: f.uncached,
                none: f.none,
                alignment: f.alignment,
                ..CodeFacts::default()
            };
            (kernel, facts)
        })
        .collect();
    let parts = kernels
        .iter()
        .zip(functions)
        .map(|((kernel, facts), f)| Part { symbol: &f.symbol, core, kernel, facts })
        .collect();
    around(core, name, parts, keys)
}

/// Returns the files of a package over texts, without assembly.
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
        let known = keys.iter().position(|key| key.stem == *stem);
        let key = known.unwrap_or(keys.len());
        if known.is_none() {
            let has_table =
                levels.iter().any(|level| level.keys.get(key).is_some_and(|(_, table)| table.is_some()));
            // Of problems with one key, some may have a kernel that reads the table.
            let users = all.iter().filter(|member| member.key == *stem);
            let table = users.filter_map(|member| member.problem.key_table()).find(|_| has_table);
            let schedule = problem.key_schedule();
            keys.push(Key { stem: stem.clone(), schedule, table, bytes: key_structure_bytes(table) });
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

/// The header's words about the CPU for a package over texts.
pub fn asked_of_the_cpu(levels: &[ProvedLevel]) -> String {
    let some_need = levels.iter().all(|level| !level.features.is_empty());
    if some_need { "Whether this CPU and operating system can run".into() } else { "Always 1:".into() }
}
