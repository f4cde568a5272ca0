//! A second check of constant time: valgrind's memcheck, with key and text marked as undefined, reports each
//! branch and each address that depends on them (Langley's ctgrind). It runs kernels that need no AVX-512, VAES
//! or GFNI.
//!
//! The test starts itself again under valgrind, where it queries the number of reports.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::native::{Bytes, Code, key_structure};
use aesmith_cipher::{Problem, modes};
use aesmith_x86::kernels::build;
use aesmith_x86::requirements::REQUIREMENTS;
use aesmith_x86::targets;
use std::process::Command;

/// Level, variant, and the number of reports expected per block or key: 16 look-ups per round of a table
/// technique, none for the others.
const ROWS: &[(&str, &str, u64)] = &[
    ("avx-aesni", "aes128-ctr width=xmm interleave=4", 0),
    ("avx-aesni", "aes256-ctr width=xmm interleave=4 counter=add cached=2", 0),
    ("avx-aesni", "aes192-ecb-dec width=xmm interleave=8 wipe=yes", 0),
    ("avx-aesni", "aes128-cbc width=xmm", 0),
    ("sse2", "aes128-ecb technique=table", 160),
    ("sse2", "aes256-ecb-dec technique=table tables=1k last=masked", 224),
    ("sse2", "aes192-ctr technique=table tables=2k last=bytes", 192),
    ("sse2", "aes128-cbc technique=table tables=interleaved extract=registers", 160),
    ("sse2", "aes128-cbc-dec technique=table tables=padded", 160),
    ("sse2", "aes128-ecb technique=table extract=memory index=scaled loadxor=combined last=two-bytes", 160),
    ("sse2", "aes128-ctr technique=bitsliced", 0),
    ("sse2", "aes256-ecb-dec technique=bitsliced interleave=2", 0),
    ("sse2", "aes128-ecb technique=bitsliced layout=sliced", 0),
    ("ssse3", "aes192-ctr technique=bitsliced layout=sliced shiftrows=fixsliced", 0),
    ("avx2", "aes128-ctr technique=bitsliced layout=sliced width=ymm", 0),
    ("avx2", "aes256-cbc-dec technique=bitsliced layout=sliced width=ymm", 0),
    ("ssse3", "aes128-cbc technique=vperm", 0),
    ("ssse3", "aes256-ecb-dec technique=vperm interleave=2 wipe=yes", 0),
    ("avx", "aes192-ctr technique=vperm interleave=4 cached=1", 0),
    ("avx2", "aes256-cbc-dec technique=vperm interleave=2 width=ymm", 0),
    ("sse2", "aes256-key technique=bitsliced", 0),
    ("ssse3", "aes192-key-dec technique=vperm", 0),
];

/// Number of blocks in each message.
const BLOCKS: usize = 19;

/// Requests to valgrind (valgrind.h, memcheck.h of valgrind 3.19), whose numbers are stable.
mod request {
    pub const RUNNING_ON_VALGRIND: u64 = 0x1001;
    pub const COUNT_ERRORS: u64 = 0x1201;
    /// The letters of the tool in the upper half: 'M' 'C'.
    pub const MAKE_UNDEFINED: u64 = 0x4d43_0001;
    pub const MAKE_DEFINED: u64 = 0x4d43_0002;
}

/// Sends a request to valgrind; 0 if it is not running.
fn ask(request: u64, address: *const u8, size: usize) -> u64 {
    let arguments = [request, address as u64, size as u64, 0, 0, 0];
    let mut answer = 0u64;
    // SAFETY: the instructions have no effect on a CPU: rotations by 128 bits in all, and an exchange of a
    // register with itself. Valgrind reads the arguments and writes rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") &raw const arguments,
            inout("rdx") answer,
            inout("rdi") 0u64 => _,
        );
    }
    answer
}

fn undefined(bytes: &[u8]) {
    ask(request::MAKE_UNDEFINED, bytes.as_ptr(), bytes.len());
}

fn defined(bytes: &[u8]) {
    ask(request::MAKE_DEFINED, bytes.as_ptr(), bytes.len());
}

fn reports() -> u64 {
    ask(request::COUNT_ERRORS, std::ptr::null(), 0)
}

/// The number of reports for one call of a kernel, whose output must also be correct.
fn reports_of(level: &str, text: &str, bytes: &mut Bytes) -> u64 {
    let target = targets::of(REQUIREMENTS.level(level).unwrap());
    let variant = aesmith_x86::dimensions::variant(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let kernel = build(&variant, &target).unwrap_or_else(|error| panic!("{level}, {text}: {error}"));
    let problem: Problem = variant.problem;
    let code = Code::new(&kernel.bytes);
    let key = bytes.take(problem.key.bytes());
    if problem.is_key_set_up() {
        return key_set_up(problem, &code, &key);
    }
    let structure = key_structure(problem, &key);
    let input = bytes.take(16 * BLOCKS);
    let mut iv: [u8; 16] = bytes.take(16).try_into().unwrap();
    let expected = modes::message(problem, &key, iv, &input);
    let mut output = vec![0; input.len()];
    undefined(&structure);
    undefined(&input);
    let before = reports();
    // SAFETY: a kernel of this problem, its key structure and whole buffers.
    unsafe { code.message(problem, &structure, &mut iv, input.as_ptr(), output.as_mut_ptr(), input.len()) };
    let found = reports() - before;
    for secret in [&structure[..], &input, &output, &iv] {
        defined(secret);
    }
    assert!((output, iv) == expected, "{level}, {text}: wrong output on valgrind's CPU");
    found
}

/// The number of reports for one call of a key schedule.
fn key_set_up(problem: Problem, code: &Code, key: &[u8]) -> u64 {
    let expected = key_structure(problem, key);
    let mut structure = vec![0; expected.len()];
    undefined(key);
    let before = reports();
    // SAFETY: a key schedule's kernel and room for its result.
    unsafe { code.key(structure.as_mut_ptr(), key.as_ptr()) };
    let found = reports() - before;
    for secret in [key, &structure] {
        defined(secret);
    }
    let round_keys = ..16 * (problem.key.rounds() + 1);
    assert!(structure[round_keys] == expected[round_keys], "{problem}: wrong round keys on valgrind's CPU");
    found
}

/// `movzx eax, byte [rdi]; movzx eax, byte [rsi + rax]; ret`, which must be reported once.
fn reports_of_a_look_up() -> u64 {
    let code = Code::new(&[0x0f, 0xb6, 0x07, 0x0f, 0xb6, 0x04, 0x06, 0xc3]);
    let (mut secret, table) = ([7u8], [0u8; 256]);
    undefined(&secret);
    let before = reports();
    // SAFETY: one byte is read at each address, and the index is a byte.
    unsafe { code.key(secret.as_mut_ptr(), table.as_ptr()) };
    defined(&secret);
    reports() - before
}

#[test]
fn memcheck_sees_the_look_ups_and_no_others() {
    if ask(request::RUNNING_ON_VALGRIND, std::ptr::null(), 0) > 0 {
        assert_eq!(reports_of_a_look_up(), 1, "a look-up at a secret address");
        let mut bytes = Bytes(0x3a1);
        for &(level, variant, each) in ROWS {
            let found = reports_of(level, variant, &mut bytes);
            let times = if variant.contains("-key") { 1 } else { BLOCKS as u64 };
            println!("{level}, {variant}: {found} reports");
            assert_eq!(found, each * times, "{level}, {variant}");
        }
        return;
    }
    let this = std::env::current_exe().unwrap();
    let again = Command::new("valgrind")
        .args(["--quiet", "--error-limit=no", "--num-callers=2"])
        .arg(this)
        .args([
            "--exact",
            "valgrind::memcheck_sees_the_look_ups_and_no_others",
            "--nocapture",
            "--test-threads=1",
        ])
        .output();
    let Ok(output) = again else {
        println!("skipped: valgrind is not installed (Debian package valgrind)");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.matches(" reports\n").count(), ROWS.len(), "every row must have run");
}
