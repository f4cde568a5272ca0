//! Whole messages of GCM, from the nonce to the tag: a package as users build and link it, beside other libraries that do the
//! same work, in the same rounds.

use super::{Goal, Work};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_native::Bench as Rounds;
use aesmith_native::BenchRow;
use aesmith_native::peers::messages::{DATA_BYTES, PACKAGE};
use aesmith_native::timing::Samples;
use aesmith_tune::TuneError;
use aesmith_tune::bench::{OURS, Row, verdict_of};
use aesmith_tune::options::Event;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of texts: short ones, odd ones, a packet, a page, a record.
const SIZES: [usize; 11] = [16, 63, 64, 200, 256, 500, 1024, 1200, 1420, 4096, 32_768];
/// Bytes of additional data: none, and those of a record of TLS 1.2.
const DATA: [usize; 2] = [0, 13];
/// Rounds for each size: a verdict needs eight.
const ROUNDS: usize = 24;

/// A goal at a size without data, in times as fast as the best other library: what must be reached, and what is aimed at. On
/// family 6 model 207 the libraries took 43 | 44 cycles (AES-128 | AES-256) for 16 bytes, 93 | 108 for 256, 217 | 279 for 1 KiB,
/// and 0.1654 | 0.2212 cycles/byte for 32 KiB.
const GOALS: [(KeySize, usize, f64, f64); 8] = [
    (KeySize::Aes128, 16, 1.0, 43.0 / 40.0),
    (KeySize::Aes128, 256, 93.0 / 80.0, 93.0 / 67.0),
    (KeySize::Aes128, 1024, 217.0 / 205.0, 217.0 / 192.0),
    (KeySize::Aes128, 32_768, 0.1654 / 0.158, 0.1654 / 0.152),
    (KeySize::Aes256, 16, 1.0, 44.0 / 41.0),
    (KeySize::Aes256, 256, 108.0 / 95.0, 108.0 / 82.0),
    (KeySize::Aes256, 1024, 279.0 / 262.0, 279.0 / 251.0),
    (KeySize::Aes256, 32_768, 0.2212 / 0.206, 0.2212 / 0.198),
];

/// The name of the rows of messages with some bytes of data.
fn name_of(problem: Problem, data: usize) -> String {
    match data {
        0 => format!("{problem}, whole messages"),
        _ => format!("{problem}, whole messages with {data} bytes of data"),
    }
}

/// Measures the messages of two key sizes, and compares them with the goals.
pub(super) fn messages(work: &mut Work) -> Result<(), TuneError> {
    for key in [KeySize::Aes128, KeySize::Aes256] {
        let problem = Problem::new(key, Task::Gcm(Direction::Encrypt));
        (work.observer)(Event::Stage(&format!("whole messages of {problem}")));
        // A folder that only this user may write into, for its library is loaded; it is removed at the end.
        let folder = tempfile::tempdir().map_err(|error| format!("a folder cannot be made: {error}"));
        match folder.and_then(|folder| Ok((package(work, problem, folder.path())?, folder))) {
            Ok((library, _folder)) => measure(work, problem, &library)?,
            Err(why) => work.note(format!("whole messages of {problem} are not measured: {why}")),
        }
        let name = name_of(problem, 0);
        for &(_, size, must, aim) in GOALS.iter().filter(|goal| goal.0 == key) {
            let of = |subject: &str| work.found.bench.median(&name, size, subject);
            let best = ["openssl", "ipsec-mb"].into_iter().filter_map(of).min_by(f64::total_cmp);
            let ratio = best.zip(of(OURS)).map(|(peer, own)| peer / own);
            let what = format!("{name} of {size} bytes, against the best other library");
            work.push(Goal::at_least(what, "times as fast", must, aim).found(ratio));
        }
    }
    Ok(())
}

/// The shared library of a package of both directions, as `aesmith emit` and `make` give it to users.
fn package(work: &Work, problem: Problem, folder: &Path) -> Result<PathBuf, String> {
    // The program for users stands beside this one.
    let program = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("aesmith");
    let mut emit = Command::new(program);
    emit.args(["emit", &format!("{problem},{problem}-dec"), "--as", "package", "--force", "--output"]);
    emit.arg(folder).arg("--wisdom").arg(&work.place.settings.wisdom);
    finished(emit)?;
    let mut make = Command::new("make");
    make.args(["-s", "shared"]).current_dir(folder);
    finished(make)?;
    Ok(folder.join("libaesmith_aes.so"))
}

/// Runs a command to its end.
fn finished(mut command: Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name} cannot be run: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn measure(work: &mut Work, problem: Problem, library: &Path) -> Result<(), TuneError> {
    let library = library.to_string_lossy().into_owned();
    for data in DATA {
        let count = data.to_string();
        let mut judge = work.place.judge_in(&[(PACKAGE, &library), (DATA_BYTES, &count)])?;
        let how = Rounds { sizes: SIZES.to_vec(), rounds: ROUNDS, cold: false, peers: None, latency: false };
        for row in judge.bench(problem, &[], &how)? {
            let name = name_of(problem, data);
            match &row.outcome {
                Ok(samples) => work.found.bench.rows.push(shown(&row, samples, name)),
                Err(why) => work.note(format!("{} of {name} of {} bytes: {why}", row.subject, row.size)),
            }
        }
    }
    Ok(())
}

/// A row of messages for the tables.
fn shown(row: &BenchRow, samples: &Samples, problem: String) -> Row {
    Row {
        problem,
        bytes: row.size as u64,
        subject: row.subject.clone(),
        cycles_per_byte: samples.cycles_per_byte(0.5),
        low: samples.cycles_per_byte(0.25),
        high: samples.cycles_per_byte(0.75),
        dependent_call_cycles: None,
        cold: None,
        spacings: None,
        kernel: row.version.clone(),
        technique: String::new(),
        verdict: verdict_of(row),
    }
}
