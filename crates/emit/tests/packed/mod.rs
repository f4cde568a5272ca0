//! Helpers of the tests of packages for GPUs.

use aesmith_processor::grid::Grids;
use aesmith_processor::trial::is_soak;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The grids of GPUs.
pub fn gpu() -> &'static Grids {
    aesmith_processors::grids().find(|grids| grids.name == "gpu").expect("there is one")
}

/// Returns the first few variants; in a soak all of them.
pub fn tried<'v>(variants: &[&'v str], few: usize) -> Vec<&'v str> {
    variants.iter().copied().take(if is_soak() { variants.len() } else { few }).collect()
}

/// Runs a command and returns its output.
pub fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// Runs a command that must succeed and write nothing to standard error.
pub fn quiet(command: &mut Command) {
    let output = run(command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
}

/// True if a tool is missing, which is printed.
pub fn is_missing(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    missing.inspect(|tool| println!("skipped: there is no {tool}")).is_some()
}

/// Options of compilers for the host code as C.
pub const COMPILED: [&str; 7] = ["-std=c99", "-Wall", "-Wextra", "-O2", "-x", "c", "-c"];

/// Checks that a self-test has passed with these words, and that no compiler warns of the host code and the self-test.
pub fn passed(output: &Output, words: &str, place: &Path, host: &Path, options: &[String]) {
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{}: {said}{errors}", host.display());
    assert!(said.contains(words), "{}: {said}", host.display());
    let (stem, ending) = (host.file_stem().unwrap().display(), host.extension().unwrap().display());
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| !is_missing(&[compiler])) {
        for name in [format!("{stem}.{ending}"), format!("{stem}_test.{ending}")] {
            let mut command = Command::new(compiler);
            command.args(COMPILED).args(options).args(["-o", "c.o", &name]).current_dir(place);
            quiet(&mut command);
        }
    }
}

/// Lines of the host code, and their replacement.
type Fault = (String, String);

/// Reads a file of faults: `variant TEXT`, then paragraphs with lines `- OLD` and `+ NEW`; other lines are comments.
fn faults(path: &Path) -> (String, Vec<Fault>) {
    let text = std::fs::read_to_string(path).unwrap();
    let (variant, rest) = text.split_once("\n\n").unwrap();
    let lines = |paragraph: &str, sign: &str| {
        paragraph.lines().filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>().join("\n")
    };
    let faults = rest.split("\n\n").map(|paragraph| (lines(paragraph, "- "), lines(paragraph, "+ ")));
    (variant.strip_prefix("variant ").unwrap().to_owned(), faults.collect())
}

/// Checks that the self-test of a package finds each fault of the files in a folder. `pack` writes the package of a
/// variant and returns the path of its host code; `check` builds it with an option and runs the self-test. All faults are
/// tried in a soak, otherwise one of `every`.
pub fn faults_are_found(
    folder: &str,
    every: usize,
    pack: fn(&str, &Path) -> PathBuf,
    check: impl Fn(&Path) -> Output + Sync,
) {
    let found = |path: &Path| {
        let (variant, faults) = faults(path);
        let place = tempfile::tempdir().unwrap();
        let host = pack(&variant, place.path());
        let text = std::fs::read_to_string(&host).unwrap();
        for (number, (from, to)) in faults.iter().enumerate() {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            if number % every != 0 && !is_soak() {
                continue;
            }
            std::fs::write(&host, wrong).unwrap();
            let output = check(place.path());
            let said = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains("FAILED"), "{from} -> {to}: {said}{errors}");
        }
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3, "{} files of faults", files.len());
    let found = &found;
    std::thread::scope(|scope| files.iter().for_each(|path| drop(scope.spawn(move || found(path)))));
}
