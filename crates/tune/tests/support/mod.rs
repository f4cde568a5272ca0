//! Common parts of tests of whole runs: a folder for each test, settings, and a `main` that is its own
//! judge's worker.

use aesmith_cipher::Problem;
use aesmith_tune::{RunRequest, Settings, Workplace};
use aesmith_x86::kernels::Target;
use aesmith_x86::targets;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A test and its name.
pub type Test = (&'static str, fn());

/// The tests of a file, by name.
macro_rules! named {
    ($($test:ident),* $(,)?) => { &[$((stringify!($test), $test as fn())),*] };
}
pub(crate) use named;

/// A folder of one test, removed when the test is over.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Creates an empty folder.
    pub fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("aesmith-tune-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that remains in the system's temporary directory does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Settings with a store in a folder.
pub fn settings(folder: &Path, target: Target) -> Settings {
    Settings {
        wisdom: folder.join("wisdom.sqlite"),
        target,
        cpu: None,
        request: Default::default(),
        seed: 7,
        worker: "/proc/self/exe".into(),
        quarantine: None,
        command: "test".into(),
        remeasure: false,
        copy: false,
    }
}

/// A workplace with a store in a folder.
pub fn open(folder: &Folder) -> Workplace {
    Workplace::open(settings(&folder.0, targets::here()), &mut |_| {}).unwrap()
}

/// A problem by its name.
pub fn problem(name: &str) -> Problem {
    name.parse().unwrap()
}

/// Options of a run with some trials.
pub fn short(name: &str) -> RunRequest {
    RunRequest { size: Some(4096), sizes: false, trials: Some(40), ..RunRequest::new(problem(name)) }
}

/// Runs the tests whose names contain the first argument, and ends as the standard harness does.
pub fn run(all: &[Test]) {
    aesmith_native::worker::run_if_worker();
    let filter = std::env::args().nth(1).filter(|a| !a.starts_with('-')).unwrap_or_default();
    let chosen: Vec<_> = all.iter().filter(|(name, _)| name.contains(&filter)).collect();
    println!("\nrunning {} tests", chosen.len());
    let mut failed = 0;
    for (name, test) in &chosen {
        if targets::here().lanes() == 0 {
            println!("skipped: {name}: this CPU has no AES instructions");
            println!("test {name} ... ok");
            continue;
        }
        let passed = std::panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += u32::from(!passed);
    }
    let (result, passed) = (if failed == 0 { "ok" } else { "FAILED" }, chosen.len() as u32 - failed);
    let filtered = all.len() - chosen.len();
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {filtered} filtered out\n"
    );
    std::process::exit(i32::from(failed > 0));
}
