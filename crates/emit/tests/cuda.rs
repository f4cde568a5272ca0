//! Tests packages for CUDA: their host code runs with a stand-in for CUDA's driver, which computes the kernel's proved
//! function. No GPU is needed, and only faults of the host code are found.

mod packed;

use aesmith_emit::grid::{cuda_files, grid_symbol};
use aesmith_emit::package::write;
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::trial::is_soak;
use packed::{gpu, quiet, run, tried};
use std::path::Path;
use std::process::{Command, Output};

fn proved(variant: &str) -> ProvedGrid {
    let variant = gpu().table.parse(variant).expect("a variant");
    let kernel = (gpu().build)(&variant).expect("is built");
    ProvedGrid::new(gpu(), kernel, &grid_symbol(variant.problem, false)).expect("is proved")
}

fn is_missing(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    missing.inspect(|tool| println!("skipped: there is no {tool}")).is_some()
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

/// Checks that a package passes its self-test with the stand-in, and that no compiler warns.
fn passes(variant: &str) {
    let (proved, place) = (proved(variant), tempfile::tempdir().unwrap());
    packed(&proved, place.path());
    let output = checked(place.path(), &[]);
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

/// Checks that each replacement in a package's host code makes its self-test fail.
fn finds(variant: &str, faults: &[(&str, &str)]) {
    let (proved, place) = (proved(variant), tempfile::tempdir().unwrap());
    packed(&proved, place.path());
    let host = place.path().join(format!("{}.cu", proved.certificate().symbol));
    let text = std::fs::read_to_string(&host).unwrap();
    for (number, (from, to)) in faults.iter().enumerate() {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        // The soak tests all of them.
        if number % 3 != 0 && !is_soak() {
            continue;
        }
        std::fs::write(&host, wrong).unwrap();
        // Optimization would only slow the test down.
        let output = checked(place.path(), &["CXXFLAGS=-O0"]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success() && said.contains("FAILED"), "{from} -> {to}: {said}");
    }
}

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
        "aes192-ctr technique=mixed counter=cached",
        "aes128-cbc-dec threads=128",
    ] {
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
    for variant in tried(&all, 4) {
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

#[test]
fn faults_of_the_host_code_are_found_by_the_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    finds(
        "aes128-ctr threads=128",
        &[
            ("advance(next, now);", ""),
            ("result = taken(p);\n", "p->count = 0;\n"),
            ("if (in % 16 || out % 16)", "if (0)"),
            ("return (apart || in != out) && in < out", "return 0 && in < out"),
            ("if (elements >> 38)", "if (0)"),
            ("elements && (!in || !out)", "elements && !in"),
            ("THREADS, 1, 1, SHARED, stream", "THREADS, 1, 1, SHARED - 16, stream"),
            ("constant = times(constant, 2);", ""),
            ("wiped(b->host, b->bytes);", ""),
            (
                "(void *)round_keys, (void *)counter, &in, &out",
                "(void *)round_keys, (void *)counter, &out, &in",
            ),
        ],
    );
}

#[test]
fn faults_of_the_host_code_for_streams_are_found_by_the_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    finds(
        "aes128-cbc threads=128",
        &[
            // Vectors for the next part of a stream, keys of another stream, and progress within a stream.
            ("memcpy(b->memory.host + c->vectors + 16 * k, made", "(void)memcmp(b->memory.host, made"),
            ("made + 16 * (p->now - 1)", "made"),
            ("*fresh = 1;", ""),
            ("c->round_keys + KEYS * p->stream", "c->round_keys + KEYS * k"),
            ("c->ivs + 16 * p->stream", "c->ivs + 16 * k"),
            ("c->in[p->stream] + 16 * p->done", "c->in[p->stream]"),
            ("c->out[p->stream] + 16 * p->done", "c->out[p->stream]"),
            ("p->done = 0;", ""),
            // A missing wait for a buffer, and a buffer that still has streams.
            ("if (cuStreamSynchronize(b->memory.stream) != CUDA_SUCCESS)", "if (0)"),
            ("ended < 2", "ended < 1"),
            // A launch without threads for the last streams, and one with arguments in another order.
            ("streams % A_GROUP != 0", "0"),
            ("&round_keys, &ivs, &in, &out", "&round_keys, &ivs, &out, &in"),
            // Arguments that the certificate does not admit.
            ("|| round_keys % 16", ""),
            ("if (groups >> 31)", "if (0)"),
            ("|| (r->written && r->from < read)", ""),
            ("r->from < written ||", ""),
            ("blocks >> 38 ||", ""),
            ("|| !in || !blocks", ""),
            // Keys and texts that remain in memory.
            ("cuMemsetD8Async(b->device, 0, b->device_bytes, b->stream);", ";"),
        ],
    );
}

#[test]
fn faults_of_the_host_code_for_streams_in_counter_mode_are_found_by_the_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    finds(
        "aes128-ctr keys=thread threads=128",
        &[
            // Counters that do not continue from part to part, advance by a wrong number of blocks, or lose a carry.
            ("advance(b->memory.host + c->vectors + 16 * k, p->now);", ""),
            ("c->vectors + 16 * k, p->now);", "c->vectors + 16 * k, p->now + 1);"),
            ("for (at = 16; at-- && by; by >>= 8)", "for (at = 16; at-- > 8 && by; by >>= 8)"),
            ("for (at = 16; at-- && by; by >>= 8)", "for (at = 16; at-- > 15 && by; by >>= 8)"),
            // Counters and keys of another stream after a place gets a new stream.
            ("c->ivs + 16 * p->stream", "c->ivs + 16 * k"),
            ("c->round_keys + KEYS * p->stream", "c->round_keys + KEYS * k"),
            ("*fresh = 1;", ""),
            ("&round_keys, &ivs, &in, &out", "&ivs, &round_keys, &in, &out"),
            ("|| ivs % 16", ""),
            ("|| !ivs", ""),
            ("cuMemsetD8Async(b->device, 0, b->device_bytes, b->stream);", ";"),
            ("wiped(b->host, b->bytes);", ""),
        ],
    );
}

#[test]
fn faults_of_the_host_code_for_streams_in_cbc_decryption_are_found_by_the_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    let chain = "        memcpy(b->memory.host + c->vectors + 16 * k, c->in";
    let result = "        memcpy(c->out[p->stream] + 16 * p->done, made, 16 * p->now);\n";
    finds(
        "aes128-cbc-dec keys=group threads=128",
        &[
            // The chain is taken after the result has overwritten the text, from the result, not at all, or from
            // another block.
            (chain, &format!("{result}{chain}")),
            ("c->in[p->stream] + 16 * (p->done + p->now - 1)", "made + 16 * (p->now - 1)"),
            (chain, "        (void)memcmp(b->memory.host + c->vectors + 16 * k, c->in"),
            ("(p->done + p->now - 1), 16)", "p->now, 16)"),
            // Vectors and keys of another stream after a place gets a new stream.
            ("c->ivs + 16 * p->stream", "c->ivs + 16 * k"),
            ("c->round_keys + KEYS * p->stream", "c->round_keys + KEYS * k"),
            // Results in the text's place on the device, where the certificate requires separate memory.
            ("results[k] = addresses[k] + APART * 16 * c->room;", "results[k] = addresses[k];"),
            ("c.results = c.addresses + APART *", "c.results = c.addresses + 0 *"),
            ("bytes + APART * 16 * c.room", "bytes"),
            ("made = m->device + c->text + APART * 16 * c->room", "made = m->device + c->text"),
            ("if (apart || in != out) {", "if (in != out) {"),
            ("blocks[k], APART);", "blocks[k], 0);"),
            ("blocks[k], 0);", "blocks[k], 1);"),
            // Text that is not aligned to 16 bytes, with an odd number of places.
            (
                "sizeof(unsigned long long) * c.places + 15) / 16 * 16;",
                "sizeof(unsigned long long) * c.places + 0) / 1 * 1;",
            ),
            (
                "cuMemsetD8Async(b->device, 0, b->device_bytes, b->stream);",
                "cuMemsetD8Async(b->device, 0, b->bytes, b->stream);",
            ),
            ("wiped(b->host, b->bytes);", ""),
        ],
    );
}

#[test]
fn faults_of_the_host_code_for_key_schedules_are_found_by_the_self_test() {
    if is_missing(&TOOLS) {
        return;
    }
    finds(
        "aes192-key-dec threads=128",
        &[
            // Checks of addresses and numbers.
            ("if (in % 16 || out % 16)", "if (in % 16)"),
            ("if (in % 16 || out % 16)", "if (out % 16)"),
            ("overlaps(out, in, elements, APART)", "0"),
            ("overlaps(out, in, elements, APART)", "overlaps(out, in, elements, 0)"),
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
            ("if (elements >> 38)", "if (0)"),
            ("elements && (!in || !out)", "elements && !in"),
            // Parts of the keys: their beginnings and ends, in the host's memory and in the device's.
            ("in + TAKEN * done", "in"),
            ("out + MADE * done", "out + TAKEN * done"),
            (
                "memcpy(p->out, p->memory.host, MADE * p->count)",
                "memcpy(p->out, p->memory.host, TAKEN * p->count)",
            ),
            ("apart = APART * ((TAKEN * room + 15) / 16 * 16);", "apart = APART * (TAKEN * room);"),
            ("apart = APART * ((TAKEN * room + 15) / 16 * 16);", "apart = 0;"),
            ("apart + MADE * room);", "MADE * room);"),
            ("count - done < room ? count - done : room", "count - done < room ? count - done - 1 : room"),
            // A part that is not waited for, or is lost.
            ("result = taken(p);\n", "p->count = 0;\n"),
            ("if (cuStreamSynchronize(p->memory.stream) != CUDA_SUCCESS)", "if (0)"),
            ("int ended = taken(&pieces[number]);", "int ended = number ? 0 : taken(&pieces[number]);"),
            // A launch with other arguments, and the host's own expansion.
            ("&in, &out, &elements", "&out, &in, &elements"),
            ("THREADS, 1, 1, SHARED, stream", "THREADS, 1, 1, SHARED - 16, stream"),
            ("constant = times(constant, 2);", ""),
            ("times(column[at % 4], 14)", "times(column[at % 4], 9)"),
            // Keys that remain in memory.
            ("wiped(b->host, b->bytes);", ""),
            (
                "cuMemsetD8Async(b->device, 0, b->device_bytes, b->stream);",
                "cuMemsetD8Async(b->device, 0, b->bytes, b->stream);",
            ),
            ("wiped(b->host, b->bytes);", "wiped(b->host, 16);"),
        ],
    );
}
