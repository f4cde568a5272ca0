//! The machine of a measurement, in words.

use crate::bench::Bench;
use crate::error::TuneError;
use crate::options::OF_A_RUN;
use crate::workplace::{TOOL_VERSION, Workplace};
use aesmith_report::Machine;
use aesmith_wisdom::RunRow;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The processor: `Intel Xeon (family 6, model 207, stepping 2)`.
pub fn processor(place: &Workplace) -> String {
    let cpu = place.processor.cpu().unwrap_or_default();
    format!(
        "{} (family {}, model {}, stepping {})",
        place.processor.name, cpu.family, cpu.model, cpu.stepping
    )
}

/// Now, in UTC: `2026-11-21 21:40 UTC`.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", seconds / 3600 % 24, seconds / 60 % 60)
}

/// The Gregorian date of a day since 1970-01-01. Years are counted from March, so that leap days come last
/// (E. G. Richards, "Mapping Time", 1998).
fn civil(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (month, date) = (if month < 10 { month + 3 } else { month - 9 }, of_year - (153 * month + 2) / 5 + 1);
    (era * 400 + year + u64::from(month <= 2), month, date)
}

/// A report's data on the machine; seed and command are those of the newest run.
///
/// # Errors
/// The judge failed.
pub fn machine(place: &mut Workplace, runs: &[RunRow], bench: &Bench) -> Result<Machine, TuneError> {
    let (ratio, quiet) = (place.judge.ratio()?, place.judge.quiet()?);
    let cpu = place.processor.cpu().unwrap_or_default();
    let newest = runs.iter().rev().find(|r| r.run.options.starts_with(OF_A_RUN)).or(runs.last());
    let release = read("/proc/sys/kernel/osrelease").unwrap_or_default();
    Ok(Machine {
        cpu: format!("{} {}", cpu.vendor, place.processor.name),
        model: format!(
            "family {}, model {}, stepping {}, microcode {}",
            cpu.family,
            cpu.model,
            cpu.stepping,
            microcode()
        ),
        features: cpu.features,
        hypervisor: (place.target.processor.here)().hypervisor.unwrap_or_else(|| "none".into()),
        kernel: format!("Linux {}", release),
        clock: format!(
            "{ratio:.4} core cycles a tick of the time-stamp counter; when the report was made the machine was {quiet}"
        ),
        toolchain: libraries(bench),
        tool_version: TOOL_VERSION.into(),
        commit: None,
        compiler: None,
        governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        load: load(),
        seed: newest.map_or(0, |r| r.run.seed),
        command: newest.map_or_else(|| place.settings.command.clone(), |r| r.run.command.clone()),
    })
}

fn microcode() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("microcode"));
    line.and_then(|l| l.split(':').nth(1)).map_or("not told".into(), |v| v.trim().to_owned())
}

/// The trimmed content of a file, if it exists and is not empty.
fn read(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Load averages over 1, 5 and 15 minutes, and the number of CPUs.
fn load() -> Option<String> {
    let text = read("/proc/loadavg")?;
    let averages: Vec<&str> = text.split(' ').take(3).collect();
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    Some(format!("{} (1, 5 and 15 minutes) on {cpus} CPUs when the report was made", averages.join(", ")))
}

/// The libraries that were measured, with their versions, and the installed C compilers. Compilers do not
/// make a kernel's bytes, but its C form and the profile of byte-wise AES.
fn libraries(bench: &Bench) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for row in bench.rows.iter().filter(|r| r.subject != "aesmith" && r.subject != "bound") {
        if !all.iter().any(|(name, _)| *name == row.subject) {
            all.push((row.subject.clone(), row.kernel.clone()));
        }
    }
    all.extend(["gcc", "clang"].iter().filter_map(|program| version(program)));
    all
}

fn version(program: &str) -> Option<(String, String)> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // In "gcc (Debian 12.2.0-14) 12.2.0" the name is redundant.
    let first = text.lines().next()?;
    Some((program.to_owned(), first.strip_prefix(program).unwrap_or(first).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn dates_of_the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(20_778), (2026, 11, 21));
    }
}
