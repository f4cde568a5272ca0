//! Tests packages for OpenCL: their self-test runs on PoCL, which compiles for this processor, with a wrapper that
//! delays results until they are waited for and checks that memory is wiped.

use crate::packed::{COMPILED, faults_are_found, gpu, is_missing, passed, quiet, run, tried};
use aesmith_emit::grid::{grid_symbol, opencl_files};
use aesmith_emit::package::write;
use aesmith_processor::grid::Language;
use aesmith_processor::grid::certificate::ProvedGrid;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn opencl() -> &'static Language {
    gpu().others.iter().find(|language| language.name == "opencl").expect("there is one")
}

/// True if there is no compiler, or no OpenCL platform on this machine.
fn is_skipped() -> bool {
    let platform = opencl().executors[0].present();
    let none = platform.err().inspect(|why| println!("skipped: {why}"));
    none.is_some() || is_missing(&["make", "gcc"])
}

/// Writes a package and the wrapper around OpenCL; returns the path of its host code.
fn packed(variant: &str, place: &Path) -> PathBuf {
    // Lanes that share banks make time variable.
    let is_variable = variant.contains("replicas");
    let variant = gpu().table.parse(variant).expect("a variant");
    let kernel = (gpu().build)(&variant).expect("is built");
    let symbol = grid_symbol(variant.problem, is_variable);
    let proved = ProvedGrid::new(gpu(), kernel, &symbol).expect("is proved");
    // The self-test, and the code that emits packages, check that the text is correct.
    let text = (opencl().print)(&proved.kernel().program).expect("has statements");
    write(&opencl_files(gpu(), &proved, (opencl(), &text)), place).expect("is written");
    let watch = format!("{}/tests/opencl/watch.c", env!("CARGO_MANIFEST_DIR"));
    quiet(Command::new("gcc").args(COMPILED).args(["-o", "watch.o", &watch]).current_dir(place));
    place.join(format!("{symbol}.c"))
}

/// The wrapped functions.
const WATCHED: [&str; 8] = [
    "clCreateBuffer",
    "clCreateCommandQueue",
    "clReleaseCommandQueue",
    "clReleaseMemObject",
    "clFinish",
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueMapBuffer",
];

/// Builds a package as its Makefile says, with more variables, and runs the self-test in buffers of few blocks.
fn checked(place: &Path, flags: &[&str]) -> Output {
    let wrapped = WATCHED.map(|name| format!(" -Wl,--wrap={name}")).concat();
    run(Command::new("make")
        .args(["-s", "check", "CPPFLAGS=-DAESMITH_CHUNK=1000"])
        .arg(format!("LDLIBS=watch.o -lOpenCL{wrapped}"))
        .args(flags)
        .current_dir(place))
}

/// Checks that a package passes its self-test, and that no compiler warns.
fn passes(variant: &str) {
    let place = tempfile::tempdir().unwrap();
    let host = packed(variant, place.path());
    let symbol = host.file_stem().unwrap().display().to_string();
    passed(&checked(place.path(), &[]), &format!("{symbol}: right on "), place.path(), &host, &[]);
    for name in [format!("{symbol}.h"), format!("{symbol}.c"), "Makefile".into(), "CMakeLists.txt".into()] {
        let text = std::fs::read_to_string(place.path().join(&name)).unwrap();
        // Makefiles have names of their own between these signs, such as `$@`.
        let left = text.match_indices('@').filter(|(at, _)| !text[..*at].ends_with('$')).count();
        assert_eq!(left, 0, "{name}: {text}");
    }
}

#[test]
fn packages_pass_their_self_test() {
    if is_skipped() {
        return;
    }
    let all = [
        "aes192-ecb-dec tables=2 replicas=8 threads=128",
        "aes256-ctr counter=cached replicas=8 threads=128",
        "aes128-cbc-dec tables=1 replicas=8 threads=128",
        "aes192-key-dec threads=128",
        "aes128-ecb replicas=8 threads=128",
        "aes192-ctr tables=2 replicas=4 threads=128 blocks=2",
        // Round keys as masks, and no local memory.
        "aes128-ecb technique=bitsliced warps=1",
        "aes128-key threads=128",
        "aes256-key-dec replicas=8 threads=128",
    ];
    for variant in tried(&all, 4) {
        passes(variant);
    }
}

/// The faults are files in `opencl/faults`.
#[test]
fn faults_of_the_host_code_are_found_by_the_self_test() {
    if is_skipped() {
        return;
    }
    // Optimization would only slow the test down.
    faults_are_found("opencl/faults", 2, packed, |place| checked(place, &["CFLAGS=-O0"]));
}
