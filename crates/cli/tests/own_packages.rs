//! `verify` accepts every package that `emit` writes, before and after `make`: one for two processors of each family in
//! `make test`, all processors, problems and objectives in the soak test. `emit` runs `verify` before it writes, so that a package that would be
//! refused is not written; outside the soak test only the result of `make` is verified.

use crate::support;
use crate::support::{Place, has_aes, none_wrong};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_judge::outside::{binutils, find};
use aesmith_processor::core::Core;

/// Modes, assigned to the processors of a family in rotation.
const MODES: &[&str] = &["aes128-ctr", "aes128-ecb", "aes128-ecb-dec", "aes128-cbc", "aes128-cbc-dec"];
/// The mode of families with a long search, outside the soak test.
const ECB: &[&str] = &["aes128-ecb"];

/// The start of a processor's name, values of dimensions that limit the number of kernels built, and the modes.
const FEW: &[(&str, &str, &[&str])] = &[
    ("avr", "rounds=looped", MODES),
    ("cortex", "rounds=unrolled", MODES),
    ("arm", "rounds=looped", MODES),
    ("strongarm", "rounds=looped", MODES),
    ("microblaze", "rounds=looped", MODES),
    ("ppc", "technique=table", ECB),
    ("ultrasparc", "words=plain", ECB),
    ("pentium", "bytes=registers", MODES),
    ("core2", "bytes=registers", MODES),
    ("athlon", "bytes=registers", MODES),
    ("spu", "technique=vperm", ECB),
    ("ibex", "rounds=looped technique=table", ECB),
    ("vexriscv", "rounds=looped technique=table", ECB),
    ("picorv32", "rounds=looped technique=table", ECB),
    ("", "rounds=looped", &["aes128-ctr", "aes128-ecb"]),
];

/// Processors whose package is the one that `emit` makes without options: those where choosing among all kernels takes no
/// time. In the soak test it is that of every processor.
const DEFAULT: &[&str] = &["avr", "cortex-m3", "arm7tdmi"];

/// Emits a package and verifies it after `make`, which has to succeed where `tool` is installed; in the soak test also
/// before. Without a tool `make` is not run.
fn holds(place: &Place, folder: &str, arguments: &str, tool: Option<&str>) -> Result<(), String> {
    let said = place.run(&format!("emit {arguments} -o {folder}"));
    if said.code == 2 && said.err.contains("--only") {
        return Err("no kernel has the value".into());
    }
    let failed = |what: &str, said: &support::Said| Err(format!("{arguments}: {what}: {}", said.all()));
    if said.code != 0 {
        return failed("emit", &said);
    }
    if said.err.contains("was not run on it") {
        println!("skipped: {}", said.err);
        return Ok(());
    }
    if aesmith_processor::trial::is_soak() {
        let said = place.run(&format!("verify {folder}"));
        if said.code != 0 {
            return failed("verify", &said);
        }
    }
    if let Some(tool) = tool {
        match (binutils(tool), find("make")) {
            (Some(path), Some(_)) => {
                // Assemblers that were built from source are not in PATH.
                let own = path.parent().expect("a program is in a folder").display();
                let said = place.shell(&format!("PATH=\"$PATH:{own}\" make -s -C {folder}"), &[]);
                if said.code != 0 {
                    return failed("make", &said);
                }
            }
            _ => println!("skipped: {folder} is not built: {tool} or make is not installed"),
        }
    }
    let said = place.run(&format!("verify {folder}"));
    match said.code {
        0 => Ok(()),
        _ => failed("verify behind make", &said),
    }
}

/// The program that builds packages of a processor.
fn tool_of(core: &Core) -> String {
    let gnu = core.gnu();
    format!("{}{}", gnu.prefix, if gnu.compiler { "gcc" } else { "as" })
}

fn problems(core: &Core) -> Vec<Problem> {
    Problem::all().into_iter().filter(|p| Firmware::is_offered(*p) && (core.solves)(*p)).collect()
}

#[test]
fn a_package_of_every_processor_is_verified() {
    let place = Place::new("own-packages");
    let mut wrong = Vec::new();
    let row =
        |core: &Core| FEW.iter().position(|(family, ..)| core.name.starts_with(family)).expect("has a row");
    let all: Vec<&Core> = aesmith_processors::cores().collect();
    for (number, core) in all.iter().enumerate() {
        let (_, few, modes) = FEW[row(core)];
        // Outside of a soak the first and the last of each family, and those of which the default is taken.
        let own = |other: &&Core| row(other) == row(core);
        let is_end = all.iter().copied().find(own).is_some_and(|first| first.name == core.name)
            || all.iter().rev().copied().find(own).is_some_and(|last| last.name == core.name);
        if !is_end && !DEFAULT.contains(&core.name) && !aesmith_processor::trial::is_soak() {
            continue;
        }
        let solved = |mode: &&&str| (core.solves)(mode.parse().unwrap());
        let modes: Vec<&&str> = modes.iter().filter(solved).collect();
        let problem = modes[number % modes.len()];
        // A processor without such a choice has few kernels.
        let has = |choice: &&str| {
            let (dimension, value) = choice.split_once('=').expect("a choice");
            core.table.dimensions.iter().any(|d| d.name == dimension && d.read(value).is_ok())
        };
        let only: String = few.split(' ').filter(has).map(|choice| format!(" --only {choice}")).collect();
        let package = format!("{problem} --processor {} --as package", core.name);
        let arguments = match DEFAULT.contains(&core.name) {
            true => package,
            false => format!("{package} --allow-variable-time{only}"),
        };
        wrong.extend(holds(&place, core.name, &arguments, Some(&tool_of(core))).err());
    }
    none_wrong(&wrong);
}

/// Packages of several problems; in the soak test also of all key sizes and both directions, and within limits.
#[test]
fn packages_of_several_functions_are_verified() {
    let place = Place::new("own-packages-several");
    let soak = aesmith_processor::trial::is_soak();
    let all: &[&str] = match soak {
        true => &[
            "aes128-ecb,aes128-ctr",
            "aes128-ecb --keys all --directions both --objective code",
            "aes128-ecb --max-flash 64k",
        ],
        false => &["aes128-ecb,aes128-ctr --only rounds=looped"],
    };
    let mut wrong = Vec::new();
    for core in aesmith_processors::cores().filter(|core| soak || core.name == "avr") {
        for (number, arguments) in all.iter().enumerate() {
            let arguments = format!("{arguments} --processor {} --as package", core.name);
            let vary = if core.cached { " --allow-variable-time" } else { "" };
            let folder = format!("{}-{number}", core.name);
            wrong.extend(holds(&place, &folder, &(arguments + vary), Some(&tool_of(core))).err());
        }
    }
    none_wrong(&wrong);
}

#[test]
fn packages_for_this_machine_are_verified() {
    if !has_aes() {
        return;
    }
    let place = Place::new("own-packages-x86");
    let mut wrong = Vec::new();
    let all = Problem::all().into_iter().filter(Problem::is_tuned);
    let soak = aesmith_processor::trial::is_soak();
    let options =
        ["", "--cpu sse2,avx-aesni", "--technique table --allow-variable-time --prefix mine", "--cpu avx2"];
    for (number, problem) in all.enumerate() {
        for (which, option) in options.iter().enumerate() {
            // The search for a proof of many streams without AES instructions takes seconds.
            let is_turn = match problem.streams() {
                // Their states would fill all registers of one block.
                16 if aesmith_x86::targets::here().lanes() == 1 => false,
                8 | 16 => which == 0 && problem.key.bits() == 256,
                // There are kernels of one technique.
                _ if !problem.mode().is_plain() => which == 0 && problem.key.bits() == 128,
                _ => (number + 5 * which) % 16 == 0,
            };
            if !soak && !is_turn {
                continue;
            }
            let arguments = format!("{problem} --as package {option}");
            wrong.extend(holds(&place, &format!("p{number}-{which}"), &arguments, Some("cc")).err());
        }
    }
    none_wrong(&wrong);
}

#[test]
fn texts_for_gpus_are_verified() {
    let place = Place::new("own-packages-gpu");
    let soak = aesmith_processor::trial::is_soak();
    let mut wrong = Vec::new();
    let forms: &[&str] = if soak { &["ptx", "cuda", "opencl"] } else { &["opencl"] };
    let problems = if soak { Problem::all() } else { vec!["aes128-ecb".parse().unwrap()] };
    for problem in problems {
        let solves = aesmith_processors::grids().any(|grids| (grids.solves)(problem));
        for form in forms.iter().filter(|_| solves) {
            let arguments = format!("{problem} --processor gpu --as {form} --allow-variable-time");
            // Host code needs the headers of CUDA or OpenCL; `crates/emit/tests` builds it.
            wrong.extend(holds(&place, &format!("{problem}-{form}"), &arguments, None).err());
        }
    }
    none_wrong(&wrong);
}

/// This takes hours; `make soak` runs it.
#[test]
fn packages_of_every_problem_and_objective_are_verified() {
    if !aesmith_processor::trial::is_soak() {
        return println!("skipped: `make soak` verifies a package of each processor, problem and objective");
    }
    let place = Place::new("own-packages-all");
    let mut wrong = Vec::new();
    for core in aesmith_processors::cores() {
        for problem in problems(core) {
            for objective in ["cycles", "code", "ram"] {
                let folder = format!("{}-{problem}-{objective}", core.name);
                let package = format!("{problem} --processor {} --as package", core.name);
                let arguments = format!("{package} --allow-variable-time --objective {objective}");
                wrong.extend(holds(&place, &folder, &arguments, Some(&tool_of(core))).err());
            }
            if !core.cached {
                let (folder, tool) = (format!("{}-{problem}", core.name), tool_of(core));
                let package = format!("{problem} --processor {} --as package", core.name);
                wrong.extend(holds(&place, &folder, &package, Some(&tool)).err());
            }
        }
    }
    none_wrong(&wrong);
}
