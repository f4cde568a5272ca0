//! `verify` accepts every package that `emit` writes, before and behind `make`: of each processor one in `make test`, of every
//! problem and objective in the soak. `emit` asks `verify` itself before it writes, so that a package that would be
//! refused is not written.

mod support;

use aesmith_cipher::firmware::Firmware;
use aesmith_cipher::{Problem, Task};
use aesmith_processor::core::Core;
use support::{Place, has_aes};

/// Values of a dimension by which few kernels are built, by the beginning of a processor's name, and how many modes are
/// emitted in turn by its family: those whose search takes long have the first alone outside of the soak.
const FEW: &[(&str, &str, usize)] = &[
    ("avr", "rounds=looped", 9),
    ("cortex", "rounds=unrolled", 9),
    ("arm", "rounds=looped", 9),
    ("strongarm", "rounds=looped", 9),
    ("microblaze", "rounds=looped", 9),
    ("ppc", "technique=table", 1),
    ("ultrasparc", "words=plain", 1),
    ("pentium", "bytes=registers", 2),
    ("core2", "bytes=registers", 2),
    ("athlon", "bytes=registers", 2),
    ("spu", "technique=vperm", 1),
    ("", "rounds=looped", 2),
];

/// Emits a package, and verifies it once more by itself, and as make has built it.
fn holds(place: &Place, folder: &str, arguments: &[&str]) -> Result<(), String> {
    let said = place.run(&[&["emit"], arguments, &["-o", folder]].concat());
    if said.code == 2 && said.err.contains("--only") {
        return Err("no kernel has the value".into());
    }
    let failed =
        |what: &str, said: &support::Said| Err(format!("{arguments:?}: {what}: {}{}", said.out, said.err));
    if said.code != 0 {
        return failed("emit", &said);
    }
    if said.err.contains("was not run on it") {
        println!("skipped: {}", said.err);
        return Ok(());
    }
    for step in ["", "make -s -C"] {
        if !step.is_empty() && place.shell(&format!("{step} {folder}"), &[]).code != 0 {
            println!("not built: {folder}");
            continue;
        }
        let said = place.run(&["verify", folder]);
        if said.code != 0 {
            return failed(if step.is_empty() { "verify" } else { "verify behind make" }, &said);
        }
    }
    Ok(())
}

fn problems(core: &Core) -> Vec<Problem> {
    Problem::all().into_iter().filter(|p| Firmware::is_offered(*p) && (core.solves)(*p)).collect()
}

#[test]
fn a_package_of_every_processor_is_verified() {
    let place = Place::new("own-packages");
    let mut wrong = Vec::new();
    for (number, core) in aesmith_processors::cores().enumerate() {
        // Another mode for each, so that families have all.
        let messages: Vec<Problem> =
            problems(core).into_iter().filter(|p| p.key.bits() == 128 && p.is_message()).collect();
        let (_, few, modes) =
            FEW.iter().find(|(family, ..)| core.name.starts_with(family)).expect("has a row");
        let problem = messages[number % messages.len().min(*modes)].to_string();
        let plain = [&*problem, "--processor", core.name, "--as", "package", "--allow-variable-time"];
        let made = holds(&place, core.name, &[&plain[..], &["--only", few]].concat());
        if let Err(why) = made {
            wrong.push(format!("{}: {why}", core.name));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn packages_for_this_machine_are_verified() {
    if !has_aes() {
        return;
    }
    let place = Place::new("own-packages-x86");
    let mut wrong = Vec::new();
    let all = Problem::all().into_iter().filter(|p| p.task != Task::CtrTable);
    let soak = aesmith_processor::trial::is_soak();
    let options: &[&[&str]] = &[
        &[],
        &["--cpu", "sse2,avx-aesni"],
        &["--technique", "table", "--allow-variable-time", "--prefix", "mine"],
        &["--cpu", "avx2"],
    ];
    for (number, problem) in all.enumerate() {
        for (which, option) in options.iter().enumerate() {
            if !soak && (number + which) % 4 != 0 {
                continue;
            }
            let name = problem.to_string();
            let arguments = [&[&*name, "--as", "package"], *option].concat();
            wrong.extend(holds(&place, &format!("p{number}-{which}"), &arguments).err());
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
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
            let name = problem.to_string();
            let arguments = [&*name, "--processor", "gpu", "--as", form, "--allow-variable-time"];
            wrong.extend(holds(&place, &format!("{name}-{form}"), &arguments).err());
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Hours: `make soak` asks for them.
#[test]
fn packages_of_every_problem_and_objective_are_verified() {
    if !aesmith_processor::trial::is_soak() {
        return println!(
            "skipped: `make soak` verifies every package of every processor, problem and objective"
        );
    }
    let place = Place::new("own-packages-all");
    let mut wrong = Vec::new();
    for core in aesmith_processors::cores() {
        for problem in problems(core) {
            for objective in ["cycles", "code", "ram"] {
                let name = problem.to_string();
                let folder = format!("{}-{name}-{objective}", core.name);
                let arguments = [
                    &*name,
                    "--processor",
                    core.name,
                    "--as",
                    "package",
                    "--allow-variable-time",
                    "--objective",
                    objective,
                ];
                wrong.extend(holds(&place, &folder, &arguments).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
