//! Packages for CUDA: their host code against a stand-in of CUDA's driver, which computes what the kernel is proved to. No GPU
//! is needed, and what is found is of the host code alone.

use aesmith_emit::grid::{cuda_files, grid_symbol};
use aesmith_emit::package::write;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;
use std::path::Path;
use std::process::{Command, Output};

fn gpu() -> &'static Grids {
    aesmith_processors::grids().find(|grids| grids.name == "gpu").expect("there is one")
}

fn proved(variant: &str) -> ProvedGrid {
    let variant = gpu().table.parse(variant).expect("a variant");
    let kernel = (gpu().build)(&variant).expect("is built");
    ProvedGrid::new(gpu(), kernel, &grid_symbol(variant.problem, false)).expect("is proved")
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// A command that must succeed and say nothing on standard error.
fn quiet(command: &mut Command) {
    let output = run(command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
}

fn is_missing(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    missing.inspect(|tool| println!("skipped: there is no {tool}")).is_some()
}

fn stand_in() -> String {
    format!("{}/tests/cuda", env!("CARGO_MANIFEST_DIR"))
}

/// Writes a package and the driver that goes with it.
fn packed(proved: &ProvedGrid, place: &Path) {
    write(&cuda_files(gpu(), proved).expect("has files"), place).expect("is written");
    let (program, contract) = (&proved.kernel().program, proved.kernel().contract);
    let problem = contract.problem;
    let decrypts = problem.mode().direction == aesmith_cipher::Direction::Decrypt;
    quiet(
        Command::new("gcc")
            .args(["-std=c99", "-Wall", "-Wextra", "-O1", "-shared", "-fPIC", "-o", "libcuda.so"])
            .arg(format!("-I{}", stand_in()))
            .arg(format!("-I{}/../../processors/gpu/tests/cuda", env!("CARGO_MANIFEST_DIR")))
            .arg(format!("-DROUNDS={}", problem.key.rounds()))
            .arg(format!("-DPLAIN={}", contract.packing.plain_keys(problem.key)))
            .arg(format!("-DIV={}", u8::from(problem.has_iv())))
            .arg(format!("-DDECRYPTS={}", u8::from(decrypts)))
            .arg(format!("-DTHREADS={}", program.threads))
            .arg(format!("-DSHARED={}", program.shared))
            .arg(format!("-DNAME=\"{}\"", program.symbol))
            .arg(format!("{}/driver.c", stand_in()))
            .current_dir(place),
    );
}

/// Builds a package as its Makefile says and runs the self-test, in buffers of few blocks.
fn checked(place: &Path) -> Output {
    run(Command::new("make")
        .args(["-s", "check", "LDLIBS=-L. -lcuda -Wl,-rpath,."])
        .arg(format!("CPPFLAGS=-I{} -DAESMITH_CHUNK=1000", stand_in()))
        .env("CUDA_STAND_IN", place.join("loaded.ptx"))
        .current_dir(place))
}

const TOOLS: [&str; 3] = ["make", "gcc", "g++"];

#[test]
fn packages_pass_their_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    for variant in [
        "aes128-ctr counter=cached threads=128",
        "aes192-ecb threads=128",
        "aes256-ecb-dec threads=128",
        "aes128-ctr technique=bitsliced counter=cached warps=1",
        "aes128-cbc-dec threads=128",
    ] {
        let (proved, place) = (proved(variant), tempfile::tempdir().unwrap());
        packed(&proved, place.path());
        let output = checked(place.path());
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{variant}: {said}{errors}");
        assert!(said.contains("right on a stand-in"), "{variant}: {said}");
        let loaded = std::fs::read_to_string(place.path().join("loaded.ptx")).unwrap();
        assert_eq!(loaded, proved.text(), "{variant}: what is loaded is what is proved");
        let symbol = &proved.certificate().symbol;
        for compiler in ["gcc", "clang"].into_iter().filter(|compiler| !is_missing(&[compiler])) {
            for name in [symbol.clone(), format!("{symbol}_test")] {
                quiet(
                    Command::new(compiler)
                        .args(["-std=c99", "-Wall", "-Wextra", "-O2", "-x", "c", "-c", "-o", "c.o"])
                        .arg(format!("-I{}", stand_in()))
                        .arg(format!("{name}.cu"))
                        .current_dir(place.path()),
                );
            }
        }
    }
}

#[test]
fn faults_of_the_host_code_are_found_by_the_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    let (proved, place) = (proved("aes128-ctr threads=128"), tempfile::tempdir().unwrap());
    packed(&proved, place.path());
    let host = place.path().join(format!("{}.cu", proved.certificate().symbol));
    let text = std::fs::read_to_string(&host).unwrap();
    for (from, to) in [
        ("advance(next, now);", ""),
        ("result = taken(b);\n", "b->blocks = 0;\n"),
        ("if (in % 16 || out % 16)", "if (0)"),
        ("if ((APART || in != out) && in < out", "if (0 && in < out"),
        ("THREADS, 1, 1, SHARED, stream", "THREADS, 1, 1, SHARED - 16, stream"),
        ("constant = times(constant, 2);", ""),
        ("(void *)round_keys, (void *)counter, &in, &out", "(void *)round_keys, (void *)counter, &out, &in"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        std::fs::write(&host, wrong).unwrap();
        let output = checked(place.path());
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success() && said.contains("FAILED"), "{from} -> {to}: {said}");
    }
}
