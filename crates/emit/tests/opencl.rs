//! Tests packages for OpenCL: their self-test runs on PoCL, which compiles for this processor, with a wrapper that
//! delays results until they are waited for and checks that memory is wiped.

mod packed;

use aesmith_emit::grid::{grid_symbol, opencl_files};
use aesmith_emit::package::write;
use aesmith_processor::grid::Language;
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::trial::is_soak;
use packed::{gpu, quiet, run, tried};
use std::path::Path;
use std::process::{Command, Output};

fn opencl() -> &'static Language {
    gpu().others.iter().find(|language| language.name == "opencl").expect("there is one")
}

/// True if there is no compiler, or no OpenCL platform on this machine.
fn is_skipped() -> bool {
    let platform = opencl().executors[0].present();
    let tools = ["make", "gcc"].map(|tool| Command::new(tool).arg("--version").output().map(|_| ()));
    let missing = tools.into_iter().find_map(Result::err).map(|e| e.to_string()).or(platform.err());
    missing.inspect(|why| println!("skipped: {why}")).is_some()
}

const COMPILED: [&str; 7] = ["-std=c99", "-Wall", "-Wextra", "-O2", "-x", "c", "-c"];

/// Writes a package and the wrapper around OpenCL; returns its kernel's name.
fn packed(variant: &str, place: &Path) -> String {
    // Lanes that share banks make time variable.
    let is_variable = variant.contains("replicas");
    let variant = gpu().table.parse(variant).expect("a variant");
    let kernel = (gpu().build)(&variant).expect("is built");
    let symbol = grid_symbol(variant.problem, is_variable);
    let proved = ProvedGrid::new(gpu(), kernel, &symbol).expect("is proved");
    // The self-test, and the code that emits packages, check that the text is correct.
    let text = (opencl().print)(&proved.kernel().program).expect("has statements");
    write(&opencl_files(gpu(), &proved, (opencl(), &text)).expect("has files"), place).expect("is written");
    let watch = format!("{}/tests/opencl/watch.c", env!("CARGO_MANIFEST_DIR"));
    quiet(Command::new("gcc").args(COMPILED).args(["-o", "watch.o", &watch]).current_dir(place));
    symbol
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
    let symbol = packed(variant, place.path());
    let output = checked(place.path(), &[]);
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{variant}: {said}{errors}");
    assert!(said.contains(&format!("{symbol}: right on ")), "{variant}: {said}");
    let is_there = |tool: &&str| Command::new(tool).arg("--version").output().is_ok();
    for compiler in ["gcc", "clang"].into_iter().filter(is_there) {
        for name in [symbol.clone(), format!("{symbol}_test")] {
            let file = format!("{name}.c");
            quiet(Command::new(compiler).args(COMPILED).args(["-o", "c.o", &file]).current_dir(place.path()));
        }
    }
    for name in [format!("{symbol}.h"), format!("{symbol}.c"), "Makefile".into(), "CMakeLists.txt".into()] {
        let text = std::fs::read_to_string(place.path().join(&name)).unwrap();
        // Makefiles have names of their own between these signs, such as `$@`.
        let left = text.match_indices('@').filter(|(at, _)| !text[..*at].ends_with('$')).count();
        assert_eq!(left, 0, "{name}: {text}");
    }
}

/// Checks that each replacement in a package's host code makes its self-test fail.
fn finds(variant: &str, faults: &[(&str, &str)]) {
    let place = tempfile::tempdir().unwrap();
    let symbol = packed(variant, place.path());
    let host = place.path().join(format!("{symbol}.c"));
    let text = std::fs::read_to_string(&host).unwrap();
    for (number, (from, to)) in faults.iter().enumerate() {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        // The soak tests all of them.
        if number % 2 == 1 && !is_soak() {
            continue;
        }
        std::fs::write(&host, wrong).unwrap();
        // Optimization would only slow the test down.
        let output = checked(place.path(), &["CFLAGS=-O0"]);
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("FAILED"), "{from} -> {to}: {said}{errors}");
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

#[test]
fn faults_of_the_host_code_are_found_by_the_self_test() {
    if is_skipped() {
        return;
    }
    finds(
        "aes128-ctr tables=1 replicas=8 threads=128",
        &[
            // Counters from part to part, and carries.
            ("advance(next, now);", ""),
            ("for (at = 16; at-- && by; by >>= 8)", "for (at = 16; at-- > 8 && by; by >>= 8)"),
            // A part that is not waited for.
            ("result = taken(p);\n", "p->count = 0;\n"),
            ("if (clFinish(p->queue) != CL_SUCCESS)\n        return", "if (0)\n        return"),
            // Arguments that are not admitted.
            ("return (apart || in != out) && in < out", "return 0 && in < out"),
            ("overlaps(made.from, text.from, count, APART)", "overlaps(made.from, text.from, count, 1)"),
            ("clGetMemObjectInfo(memory, CL_MEM_OFFSET, sizeof r->from, &r->from, NULL)", "(r->from = 0)"),
            ("text.bytes / TAKEN < count ||", ""),
            ("|| made.bytes / MADE < count", ""),
            ("if ((unsigned long long)count >> 38)", "if (0)"),
            ("if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)", "if (0)"),
            ("!kernel || !queue ||", "!kernel ||"),
            // Arguments, and the host's key expansion.
            (
                "{ sizeof in, &in },\n        { sizeof out, &out }",
                "{ sizeof out, &out },\n        { sizeof in, &in }",
            ),
            ("constant = times(constant, 2);", ""),
            ("{ SHARED, NULL }", "{ SHARED, &count }"),
            // Keys, counters and texts that remain in memory.
            ("status = clEnqueueFillBuffer(queue, memory, &zero, 1, 0, count, 0, NULL, NULL);", ""),
            ("wiped(p->host, MADE * p->room);", ""),
            ("clEnqueueFillBuffer(p->queue, p->text, &zero, 1, 0, TAKEN * p->room, 0, NULL, NULL);", ";"),
        ],
    );
    finds(
        "aes256-cbc-dec tables=1 replicas=8 threads=128",
        &[
            ("memcpy(next, in + 16 * (done + now) - 16, 16);", ""),
            (
                "memcpy(next, in + 16 * (done + now) - 16, 16);",
                "memcpy(next, out + 16 * (done + now) - 16, 16);",
            ),
            ("cl_mem made = APART ? p->made : p->text;", "cl_mem made = p->text;"),
            ("overlaps(made.from, text.from, count, APART)", "overlaps(made.from, text.from, count, 0)"),
            ("clEnqueueFillBuffer(p->queue, p->made, &zero, 1, 0, MADE * p->room, 0, NULL, NULL);", ";"),
        ],
    );
    finds(
        "aes192-key-dec threads=128",
        &[
            (
                "in < out + MADE * count && out < in + TAKEN * count",
                "in < out + TAKEN * count && out < in + TAKEN * count",
            ),
            (
                "in < out + MADE * count && out < in + TAKEN * count",
                "in < out + MADE * count && out < in + count",
            ),
            (
                "overlaps((uintptr_t)out, (uintptr_t)in, count, HOST_APART)",
                "overlaps((uintptr_t)out, (uintptr_t)in, count, 0)",
            ),
            ("in + TAKEN * done", "in"),
            ("out + MADE * done", "out + TAKEN * done"),
            ("times(column[at % 4], 14)", "times(column[at % 4], 9)"),
            ("clEnqueueFillBuffer(p->queue, p->made, &zero, 1, 0, MADE * p->room, 0, NULL, NULL);", ";"),
            ("clEnqueueFillBuffer(p->queue, p->text, &zero, 1, 0, TAKEN * p->room, 0, NULL, NULL);", ";"),
        ],
    );
}
