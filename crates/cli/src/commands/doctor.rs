//! `aesmith doctor`: the capabilities of this machine, missing tools, and how to install them.

mod tools;

use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::sources::wisdom_path;
use aesmith_arrange::Technique;
use aesmith_native::quiet;
use aesmith_processor::measured::Target;
use aesmith_processors::this_machine;
use aesmith_wisdom::{Filter, Store, WisdomError};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use tools::{Tool, installed};

/// Prints the state of this machine. A missing tool is not an error; only the features that use it are unavailable.
pub fn run(named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let processor = this_machine();
    let (id, requirements, target) = ((processor.here)(), processor.requirements, Target::here(processor));
    let tools: Vec<Tool> = tools::all();
    let missing_features: Vec<&str> =
        requirements.named().filter(|(_, f)| !id.features.has(*f)).map(|(name, _)| name).collect();
    let techniques = techniques(&target);
    let levels: Vec<&str> =
        requirements.levels.iter().filter(|l| target.has(l.features)).map(|l| l.name).collect();
    let hypervisor = id.hypervisor.clone().unwrap_or_else(|| "none".into());
    let (memory, available) = memory();
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let system = system();
    let wisdom = wisdom(named);
    let quarantine = quarantine(named);
    let judges = judges();
    let (ratio, quiet) = quiet::here().unzip();
    if output.json {
        return output.object(&json!({
            "cpu": id.brand,
            "vendor": id.vendor,
            "family": id.family,
            "model": id.model,
            "stepping": id.stepping,
            "features": requirements.names(id.features).collect::<Vec<_>>(),
            "features_missing": missing_features,
            "techniques": techniques.iter().filter(|t| t.here != "no").map(|t| t.name).collect::<Vec<_>>(),
            "cpu_levels": levels,
            "hypervisor": hypervisor,
            "cpus": cpus,
            "memory_mib": memory,
            "memory_available_mib": available,
            "system": system,
            "clock": ratio,
            "quiet": quiet.map(|q| q.is_quiet()),
            "looks": quiet,
            "tools": tools,
            "judges": judges,
            "packages_missing": missing_packages(&tools, &judges, installed),
            "wisdom": wisdom,
            "quarantine": quarantine,
            "version": env!("CARGO_PKG_VERSION"),
        }));
    }
    let mut table = Table::new("|");
    table.row(["CPU", &id.brand]);
    table.row([
        "",
        &format!("{} family {} model {} stepping {}", id.vendor, id.family, id.model, id.stepping),
    ]);
    table.row(["cores", &format!("{cpus} that this process may use")]);
    table.row(["memory", &format!("{memory} MiB, {available} MiB available")]);
    table.row(["hypervisor", &hypervisor]);
    table.row(["system", &system]);
    let clock = ratio.zip(quiet).map(|(ratio, quiet)| format!("{ratio:.4} core cycles a tick; {quiet}"));
    table.row(["clock", &clock.unwrap_or_else(|| "none: what runs here cannot be measured".into())]);
    table.row(["wisdom", &wisdom]);
    table.row(["quarantine", &quarantine]);
    table.row(["aesmith", env!("CARGO_PKG_VERSION")]);
    output.table(&table)?;
    output.line("")?;
    for (heading, names) in [
        ("CPU features that kernels use, present:", requirements.names(id.features).collect()),
        ("absent:", missing_features),
    ] {
        output.line(heading)?;
        let names = if names.is_empty() { "none".to_owned() } else { names.join(" ") };
        output.sentence(&names, "    ")?;
    }
    output.line("")?;
    let mut table = Table::new("technique|here|needs|secret addresses");
    for t in techniques {
        table.row([t.name, &t.here, t.needs, t.secret_addresses]);
    }
    output.table(&table)?;
    output.line("")?;
    output.line("CPUs that can be tuned for here (--cpu):")?;
    output.sentence(&levels.join(" "), "    ")?;
    output.line("")?;
    let mut table = Table::new("tool|found|package|what for");
    for tool in &tools {
        table.row([tool.name, tool.found.as_deref().unwrap_or("MISSING"), tool.package, tool.purpose]);
    }
    output.table(&table)?;
    output.line("")?;
    let mut table = Table::new("judge of other processors|here|packages|of");
    for judge in &judges {
        let here = if judge.missing.is_none() { "yes" } else { "MISSING" };
        let packages = judge.needs.join(" ");
        table.row([judge.name.as_str(), here, &packages, &judge.of.join(", ")]);
    }
    output.table(&table)?;
    for missing in judges.iter().filter_map(|j| j.missing.as_ref()) {
        output.sentence(missing, "    ")?;
    }
    output.line("")?;
    match missing_packages(&tools, &judges, installed) {
        packages if packages.is_empty() => output.line("Nothing is missing."),
        packages => output.line(format!(
            "To get what is missing (Debian, Ubuntu): apt-get install {}",
            packages.into_iter().collect::<Vec<_>>().join(" ")
        )),
    }
}

/// The packages that provide all missing tools, libraries and judges, without duplicates.
fn missing_packages<'a>(
    tools: &'a [Tool],
    judges: &'a [Judging],
    installed: impl Fn(&str) -> bool,
) -> BTreeSet<&'a str> {
    let missing = tools.iter().filter(|t| t.found.is_none()).map(|t| t.package);
    // A missing judge names all packages that it is built with, some of which may be installed.
    let there = |package: &&str| tools.iter().any(|t| t.package == *package && t.found.is_some());
    let judges = judges.iter().filter(|j| j.missing.is_some()).flat_map(|j| j.needs.iter().copied());
    missing.chain(judges.filter(|package| !there(package) && !installed(package))).collect()
}

/// A judge, and the processors that it judges.
#[derive(Serialize)]
struct Judging {
    name: String,
    missing: Option<String>,
    needs: Vec<&'static str>,
    of: Vec<&'static str>,
}

/// All judges, without duplicates.
fn judges() -> Vec<Judging> {
    let mut all: Vec<Judging> = Vec::new();
    for core in aesmith_processors::all() {
        for standing in super::processors::judges(core) {
            match all.iter_mut().find(|j| j.name == standing.name) {
                Some(judging) => judging.of.push(core.name()),
                None => all.push(Judging {
                    name: standing.name,
                    missing: standing.missing,
                    needs: standing.needs,
                    of: vec![core.name()],
                }),
            }
        }
    }
    all
}

/// The usability of a technique on this machine.
struct Usable {
    name: &'static str,
    here: String,
    needs: &'static str,
    secret_addresses: &'static str,
}

/// All techniques, with the registers that they use here and the features that they need.
fn techniques(target: &Target) -> Vec<Usable> {
    Technique::ALL
        .into_iter()
        .map(|technique| Usable {
            name: technique.name(),
            here: registers(target, technique),
            needs: target.needs(technique).words,
            secret_addresses: if technique.looks_up_secrets() { "yes" } else { "no" },
        })
        .collect()
}

/// The registers that a technique uses here, in words.
fn registers(target: &Target, technique: Technique) -> String {
    let requirements = target.processor.requirements;
    match (target.lanes_of(technique), technique.record().only_lanes) {
        (0, _) => "no".into(),
        _ if technique.on_words() => "general registers".into(),
        (_, Some(only)) => requirements.width(only).into(),
        (widest, None) => {
            let widths = requirements.widths.iter().filter(|width| width.blocks <= widest);
            widths.map(|width| width.name).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Total and available memory in MiB (proc(5), meminfo).
fn memory() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
    };
    (field("MemTotal"), field("MemAvailable"))
}

fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name =
        release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME=")).map(|n| n.trim_matches('"').to_owned());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{}, Linux {}", name.unwrap_or_else(|| "unknown system".into()), kernel.trim())
}

/// The folder of kernels that failed in a run, beside the wisdom, and its state.
fn quarantine(named: Option<&Path>) -> String {
    let Ok(wisdom) = wisdom_path(named) else { return "unknown".into() };
    let Some(folder) = wisdom.parent().map(|d| d.join("quarantine")) else { return "unknown".into() };
    match std::fs::read_dir(&folder).map_or(0, Iterator::count) {
        0 => format!("{}: empty, no kernel has failed when it was run", folder.display()),
        kept => format!(
            "{}: {kept} kernels that failed when they were run, each with what runs it again; delete the folder \
             to clear it",
            folder.display()
        ),
    }
}

fn wisdom(named: Option<&Path>) -> String {
    let opened = wisdom_path(named).and_then(|path| {
        let store = Store::open_to_read(&path)?;
        store.check_whole()?;
        let runs = store.all_runs(&Filter::default())?;
        let samples: u64 = runs.iter().map(|r| r.samples).sum();
        Ok(format!("{}: sound, {} runs with {samples} samples", path.display(), runs.len()))
    });
    match opened {
        Ok(text) => text,
        Err(Failure::Wisdom(WisdomError::Missing(path))) => format!("{}: none yet", path.display()),
        Err(failure) => failure.sentence().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_names_every_missing_package_once() {
        let tool = |package, found: bool| Tool {
            name: "a tool",
            found: found.then(|| "1.0".into()),
            package,
            purpose: "a purpose",
        };
        let judge = |missing: Option<&str>, needs: &[&'static str]| Judging {
            name: "a judge".into(),
            missing: missing.map(str::to_owned),
            needs: needs.to_vec(),
            of: vec!["avr"],
        };
        let tools =
            [tool("binutils", false), tool("gcc", true), tool("clang", false), tool("binutils", false)];
        let judges = [
            judge(Some("why"), &["gcc", "libsimavr-dev", "libelf-dev", "libzstd-dev"]),
            judge(None, &["verilator"]),
        ];
        let missing: Vec<&str> =
            missing_packages(&tools, &judges, |p| p == "libzstd-dev").into_iter().collect();
        assert_eq!(
            missing,
            ["binutils", "clang", "libelf-dev", "libsimavr-dev"],
            "neither is here, nor a tool's"
        );
    }
}
