//! Programs that are profiled on a processor other than this machine: the emitted C compiled for RISC-V, and aesmith's
//! own instructions for MicroBlaze, for which no compiler is available here.

use crate::{Combination, ProfileError, Sizes, Step, callgrind, sizes, tools};
use aesmith_cipher::Problem;
use aesmith_emit::Naming;
use aesmith_emit::c::portable::{self, Steps};
use aesmith_emit::c::{Place, Program};
use aesmith_isa::assemble::assemble;
use aesmith_isa::image::Image;
use aesmith_microblaze::bytewise::{self, Choices};
use aesmith_processor::core::Core;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program with AES-128 in steps.
pub struct Code {
    /// The program.
    pub image: Image,
    /// The name of the key schedule's function: `(key, cipher key)`.
    pub expand: String,
    /// The name of the cipher's function: `(key, in, out, bytes)`. Aesmith's own code ignores the number of bytes.
    pub encrypt: String,
    /// Sizes of the functions and their tables, in bytes.
    pub sizes: Sizes,
    /// A description of the program's making, for the report.
    pub made: String,
    names: Names,
}

/// The source of the function name at an address.
enum Names {
    /// The last symbol at or before the address.
    Symbols(Vec<(u64, String)>),
    /// Debug information of the program at this path.
    Lines(PathBuf),
}

/// The GNU tools whose compiler makes programs of C.
const PREFIX: &str = "riscv64-unknown-elf-";
const COMPILER: &str = "riscv64-unknown-elf-gcc";
const ADDRESSES: &str = "riscv64-unknown-elf-addr2line";
const OPTIONS: &[&str] =
    &["-O2", "-g", "-std=gnu99", "-ffreestanding", "-fno-ipa-icf", "-mabi=ilp32", "-nostdlib"];

/// Functions that a compiler may call without the source mentioning them.
const MEMORY: &str = "#include <stddef.h>\nvoid *memcpy(void *to, const void *from, size_t n)\n{\n    \
    char *t = to;\n    const char *f = from;\n    while (n--) {\n        *t++ = *f++;\n    }\n    return to;\n}\n\
    void *memset(void *to, int c, size_t n)\n{\n    char *t = to;\n    while (n--) {\n        *t++ = (char)c;\n    \
    }\n    return to;\n}\n";

/// Builds the program of a combination for a processor; files are left in `folder`.
pub fn code(core: &'static Core, combination: Combination, folder: &Path) -> Result<Code, ProfileError> {
    // The lab report's own processor has a writer of these programs; on others a compiler makes them of C.
    if bytewise::writes_for(core) {
        own(core, combination)
    } else if core.gnu().prefix == PREFIX {
        compiled(core, combination, folder)
    } else {
        Err(ProfileError(format!(
            "the lab report is profiled on MicroBlaze and RISC-V processors, not on {}; `aesmith processors` \
             lists them",
            core.name
        )))
    }
}

fn own(core: &'static Core, combination: Combination) -> Result<Code, ProfileError> {
    let Combination { unrolled, looked_up, inlined, words } = combination;
    let choices = Choices { unrolled, looked_up, inlined, words };
    let sections = bytewise::program(choices, core).map_err(ProfileError)?;
    let isa = (core.isa)();
    let image = assemble(isa, &sections).map_err(ProfileError)?;
    let mut symbols: Vec<(u64, String)> = image.symbols.iter().map(|(n, &at)| (at, n.clone())).collect();
    symbols.sort();
    Ok(Code {
        expand: bytewise::EXPAND.into(),
        encrypt: bytewise::ENCRYPT.into(),
        // The state is on the stack and the round keys are the caller's: nothing else is written.
        sizes: Sizes { text: sections.iter().map(|s| s.size(isa)).sum(), data: 0, bss: 0 },
        made: "aesmith's own instructions, each straight line ordered by the machine model".into(),
        names: Names::Symbols(symbols),
        image,
    })
}

fn compiled(core: &'static Core, combination: Combination, folder: &Path) -> Result<Code, ProfileError> {
    let problem: Problem = crate::program::PROBLEM.parse().expect("a problem's name");
    let variant = combination.variant(problem);
    let schedule = variant.table.plain_by(problem.key_schedule(), variant.technique);
    let program = Program {
        problem,
        choices: vec![(None, variant)],
        schedule: Some(schedule),
        table: false,
        naming: Naming::default(),
    };
    let source =
        portable::file_with(&program, Place::Alone, Steps::Plain).map_err(|e| ProfileError(e.to_string()))?;
    let encrypt = portable::name(&program);
    let version = tools::version(COMPILER).ok_or_else(|| {
        ProfileError(format!(
            "the C forms must be compiled for RISC-V, and there is no {COMPILER}; apt-get install \
             gcc-riscv64-unknown-elf brings it"
        ))
    })?;
    tools::write(&folder.join("kernel.c"), &source)?;
    tools::write(&folder.join("memory.c"), MEMORY)?;
    // The core's instruction set, without compressed instructions.
    let multiplies = (core.isa)().find("mul").is_some();
    let march = format!("-march=rv32i{}", if multiplies { "m" } else { "" });
    let compile = |arguments: &[&str]| {
        tools::run(Command::new(COMPILER).current_dir(folder).args(OPTIONS).arg(&march).args(arguments))
    };
    compile(&["-c", "kernel.c", "-o", "kernel.o"])?;
    compile(&["-fno-tree-loop-distribute-patterns", "-c", "memory.c", "-o", "memory.o"])?;
    let entry = format!("-Wl,--no-relax,-Ttext=0x10000,-e,{encrypt}");
    compile(&[&entry, "kernel.o", "memory.o", "-lgcc", "-o", "program"])?;
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|e| ProfileError(format!("{} cannot be read: {e}", path.display())))
    };
    Ok(Code {
        image: Image::from_elf(&read("program")?, &core.linking.head).map_err(ProfileError)?,
        expand: format!("{encrypt}_schedule"),
        encrypt,
        sizes: sizes::read(&read("kernel.o")?)?,
        made: format!("{version}, {march} {}", OPTIONS.join(" ")),
        names: Names::Lines(folder.join("program")),
    })
}

impl Code {
    /// The step that each address belongs to; addresses outside every step are left out.
    pub fn steps(&self, addresses: &[u64]) -> Result<HashMap<u64, Step>, ProfileError> {
        let mut found = HashMap::new();
        match &self.names {
            Names::Symbols(symbols) => {
                for &at in addresses {
                    let before = symbols.partition_point(|(start, _)| *start <= at);
                    let name = before.checked_sub(1).map(|k| symbols[k].1.as_str());
                    found.extend(name.and_then(callgrind::step_of).map(|step| (at, step)));
                }
            }
            Names::Lines(program) => {
                for (at, names) in inlined(program, addresses)? {
                    let named = names.iter().find_map(|name| callgrind::step_of(name));
                    let shared = || names.iter().any(|n| callgrind::is_shared(n)).then_some(Step::MixColumns);
                    found.extend(named.or_else(shared).map(|step| (at, step)));
                }
            }
        }
        Ok(found)
    }
}

/// The functions at each address, the innermost inlined one first.
fn inlined(program: &Path, addresses: &[u64]) -> Result<Vec<(u64, Vec<String>)>, ProfileError> {
    let mut asked = String::new();
    for at in addresses {
        let _ = writeln!(asked, "{at:#x}");
    }
    let list = program.with_extension("addresses");
    tools::write(&list, &asked)?;
    let input = std::fs::File::open(&list)
        .map_err(|e| ProfileError(format!("{} cannot be read: {e}", list.display())))?;
    let mut command = Command::new(ADDRESSES);
    command.args(["-a", "-f", "-i", "-e"]).arg(program).stdin(Stdio::from(input));
    let output = tools::run(&mut command)?;
    let mut found: Vec<(u64, Vec<String>)> = Vec::new();
    let mut is_name = true;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(hex) = line.strip_prefix("0x") {
            found.push((u64::from_str_radix(hex, 16).unwrap_or(0), Vec::new()));
            is_name = true;
            continue;
        }
        if let (true, Some((_, names))) = (is_name, found.last_mut()) {
            names.push(line.to_owned());
        }
        is_name = !is_name;
    }
    Ok(found)
}
