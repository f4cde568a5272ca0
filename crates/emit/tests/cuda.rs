//! Tests packages for CUDA: their host code runs with a stand-in for CUDA's driver, which computes the kernel's proved
//! function. No GPU is needed, and only faults of the host code are found.

use crate::packed::{faults_are_found, gpu, is_missing, passed, quiet, run, tried};
use aesmith_emit::grid::{cuda_files, grid_symbol};
use aesmith_emit::package::write;
use aesmith_processor::grid::certificate::ProvedGrid;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn proved(variant: &str) -> ProvedGrid {
    let variant = gpu().table.parse(variant).expect("a variant");
    let kernel = (gpu().build)(&variant).expect("is built");
    ProvedGrid::new(gpu(), kernel, &grid_symbol(variant.problem, false)).expect("is proved")
}

fn stand_in() -> String {
    format!("{}/tests/cuda", env!("CARGO_MANIFEST_DIR"))
}

/// Writes a package and the stand-in for the driver.
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
            .arg(format!("-DKEY_BYTES={}", contract.key_size()))
            .arg(format!("-DPLAIN={}", contract.packing.plain_keys(problem.key)))
            .arg(format!("-DIV={}", u8::from(problem.has_iv())))
            .arg(format!("-DDECRYPTS={}", u8::from(decrypts)))
            .arg(format!("-DSERIAL={}", u8::from(problem.mode().is_serial())))
            .arg(format!("-DAPART={}", u8::from(!problem.mode().is_in_place_by_threads())))
            .arg(format!("-DEXPANDS={}", u8::from(problem.mode().writes.is_some())))
            .arg(format!("-DTHREADS={}", program.threads))
            .arg(format!("-DSHARED={}", program.shared))
            .arg(format!("-DOF_A_STREAM={}", proved.certificate().proof.of_a_stream.unwrap_or(0)))
            .arg(format!("-DNAME=\"{}\"", program.symbol))
            .arg(format!("{}/driver.c", stand_in()))
            .current_dir(place),
    );
}

/// Builds a package as its Makefile says, with more variables, and runs the self-test in buffers of few blocks.
fn checked(place: &Path, flags: &[&str]) -> Output {
    run(Command::new("make")
        .args(["-s", "check", "LDLIBS=-L. -lcuda -Wl,-rpath,."])
        .arg(format!("CPPFLAGS=-I{} -DAESMITH_CHUNK=1000", stand_in()))
        .args(flags)
        .env("CUDA_STAND_IN", place.join("loaded.ptx"))
        .current_dir(place))
}

const TOOLS: [&str; 3] = ["make", "gcc", "g++"];

/// The host code of a package in a folder.
fn host(proved: &ProvedGrid, place: &Path) -> PathBuf {
    place.join(format!("{}.cu", proved.certificate().symbol))
}

/// Checks that a package passes its self-test with the stand-in, and that no compiler warns.
fn passes(variant: &str) {
    let (proved, place) = (proved(variant), tempfile::tempdir().unwrap());
    packed(&proved, place.path());
    let output = checked(place.path(), &[]);
    let include = [format!("-I{}", stand_in())];
    passed(&output, "right on a stand-in", place.path(), &host(&proved, place.path()), &include);
    let loaded = std::fs::read_to_string(place.path().join("loaded.ptx")).unwrap();
    assert_eq!(loaded, proved.text(), "{variant}: what is loaded is what is proved");
}

#[test]
fn packages_pass_their_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    let all = [
        "aes128-ctr counter=cached threads=128",
        "aes256-ecb-dec threads=128",
        "aes192-ctr technique=mixed counter=cached",
        "aes192-ecb threads=128",
        "aes128-ctr technique=bitsliced counter=cached warps=1",
        "aes128-cbc-dec threads=128",
    ];
    for variant in tried(&all, 3) {
        passes(variant);
    }
}

/// A driver or device older than the kernel's text gives a result of its own, whose sentence says what to install.
#[test]
fn what_is_too_old_for_the_text_has_a_sentence() {
    if is_missing(&TOOLS) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    packed(&proved("aes128-ecb threads=128"), place.path());
    assert!(checked(place.path(), &[]).status.success());
    let mut program = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path());
    let program =
        program.find(|path| path.to_string_lossy().ends_with("_test")).expect("the self-test is there");
    for (variable, value, sentence) in [
        (
            "CUDA_STAND_IN_REFUSES",
            "222",
            "the driver is older than the kernel's text (PTX 7.8): install a driver of CUDA 11.8",
        ),
        ("CUDA_STAND_IN_REFUSES", "218", "CUDA's driver refused a call"),
        (
            "CUDA_STAND_IN_MAJOR",
            "7",
            "the device is older than the kernel's target (sm_75, compute capability 7.5)",
        ),
    ] {
        let output = Command::new(&program).current_dir(place.path()).env(variable, value).output().unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(sentence), "{variable}={value}: {said}");
    }
}

#[test]
fn packages_of_streams_pass_their_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    let all = [
        "aes256-ecb-dec keys=group threads=128 blocks=1",
        "aes256-cbc threads=128",
        "aes192-ctr keys=thread schedule=once threads=128",
        "aes128-cbc-dec keys=group threads=128",
        "aes128-ecb keys=group threads=128",
        "aes192-ecb-dec keys=thread threads=128",
        "aes192-ecb keys=group schedule=fly threads=128",
        "aes128-ctr keys=group threads=128",
        "aes256-ctr keys=thread threads=128",
        "aes192-cbc-dec keys=thread threads=128",
    ];
    for variant in tried(&all, 3) {
        passes(variant);
    }
}

#[test]
fn packages_of_key_schedules_pass_their_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    let all = [
        "aes128-key threads=128",
        "aes256-key-dec threads=128",
        "aes192-key threads=128",
        "aes256-key threads=128",
        "aes128-key-dec threads=128",
        "aes192-key-dec threads=128",
    ];
    for variant in tried(&all, 2) {
        passes(variant);
    }
}

/// The faults are files in `cuda/faults`.
#[test]
fn faults_of_the_host_code_are_found_by_the_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    let pack = |variant: &str, place: &Path| {
        let proved = proved(variant);
        packed(&proved, place);
        host(&proved, place)
    };
    // Optimization would only slow the test down.
    faults_are_found("cuda/faults", 3, pack, |place| checked(place, &["CXXFLAGS=-O0"]));
}
