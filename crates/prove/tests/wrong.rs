//! Kernels with faults that no single-fault mutant has, each refuted. Most are a proved kernel after some instructions
//! that, for some calls, do not reach the kernel as they seem to. `wrong.txt` gives, beside each, the mistake that the
//! prover would have to make.

use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;

/// The cases of a kind in `wrong.txt`.
fn cases(kind: &str) -> Vec<[&'static str; 4]> {
    let mut lines = include_str!("wrong.txt").lines().filter(|line| !line.is_empty());
    assert!(lines.any(|line| line == kind), "no cases are {kind}");
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with('#')).collect();
    let (cases, rest) = lines.as_chunks();
    assert!(cases.len() > 5 && rest.is_empty(), "{kind}: {} cases", cases.len());
    cases.to_vec()
}

/// AES-128-ECB block by block. The first round key is kept with its halves exchanged, and is lost after the first block
/// by a `vpand` with a block of the text.
const LOST_KEY: &str = "c5f9702f4e4883f910726cc5f970e54ec5fa6f06c5f96ff0c5f9efc4c4e279dc4710c4e279dc4720c4e279dc4730c4e2\
     79dc4740c4e279dc4750c4e279dc4760c4e279dc4770c4e279dc8780000000c4e279dc8790000000c4e279dd87a00000\
     00c5fa7f024883c6104883c2104883e910c5d1dbeeeb8ec3";

fn encoded(hexadecimal: &str) -> Vec<u8> {
    (0..hexadecimal.len() / 2)
        .map(|i| u8::from_str_radix(&hexadecimal[2 * i..2 * i + 2], 16).expect("hexadecimal"))
        .collect()
}

fn kernel(text: &str) -> Vec<u8> {
    let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    build(&variant, &targets::ALL).unwrap_or_else(|e| panic!("{text}: {e}")).bytes
}

fn problem(text: &str) -> aesmith_cipher::Problem {
    dimensions::variant(text).expect("a variant").problem
}

/// `prefix`, no-ops up to the next multiple of 64, and the kernel.
fn behind(prefix: &[u8], kernel: &[u8]) -> Vec<u8> {
    let mut code = prefix.to_vec();
    code.resize(prefix.len().next_multiple_of(64), 0x90);
    code.extend_from_slice(kernel);
    code
}

#[test]
fn a_kernel_behind_something_wrong_is_refuted() {
    let mut prover = prover();
    for [variant, text, bytes, why] in cases("prefixes") {
        let kernel = kernel(variant);
        let harmless = behind(&[0x90], &kernel);
        prover.prove(problem(variant), &harmless).unwrap_or_else(|r| panic!("{variant}: {r}"));
        let wrong = behind(&encoded(bytes), &kernel);
        assert!(prover.prove(problem(variant), &wrong).is_err(), "proved, but {why}: {text}");
    }
}

#[test]
fn a_secret_that_decides_a_branch_is_refuted() {
    let mut prover = prover();
    for [variant, text, bytes, why] in cases("leaks") {
        let leak = behind(&encoded(bytes), &kernel(variant));
        let Err(refutation) = prover.prove(problem(variant), &leak) else {
            panic!("proved, but it branches on {why}: {text}");
        };
        assert!(refutation.reason.contains("a condition depends on"), "{text}: {refutation}");
    }
}

/// The highest bits of key bytes, in an opmask that nothing clears.
#[test]
fn a_secret_in_an_opmask_is_left_behind() {
    let variant = "aes128-ecb interleave=2 wipe=yes";
    let mut prover = prover();
    // vmovdqu xmm0,[rdi]; vpmovb2m k1,xmm0; the last case adds kxorq k1,k1,k1
    for (prefix, wiped) in
        [("90", true), ("c5fa6f0762f27e0829c8", false), ("c5fa6f0762f27e0829c8c4e1f447c9", true)]
    {
        let proof = prover.prove(problem(variant), &behind(&encoded(prefix), &kernel(variant)));
        assert_eq!(proof.unwrap_or_else(|r| panic!("{prefix}: {r}")).wiped, wiped, "{prefix}");
    }
}

#[test]
fn an_unknown_value_is_not_what_was_there_before() {
    let problem = problem("aes128-ecb");
    let code = encoded(LOST_KEY);
    assert!(prover().prove(problem, &code).is_err());
    // Without the instruction that loses the key, the code is right.
    let lost = code.windows(4).position(|w| w == [0xc5, 0xd1, 0xdb, 0xee]).expect("vpand");
    let mut kept = code;
    kept[lost..lost + 4].fill(0x90);
    prover().prove(problem, &kept).unwrap_or_else(|refutation| panic!("{refutation}"));
}

/// `movzx eax,byte [rdi]; lea r9,[rip+..]` for an address before the end of the constants, and an instruction that uses
/// both: an address that depends on the first byte of a round key. Nothing else reads the last 512 bytes of the
/// constants.
fn at_secret_place(before_end: usize, instruction: &str) -> Vec<u8> {
    let mut rest = encoded(instruction);
    let kernel = kernel("aes128-ecb interleave=2");
    let mut code = behind(&encoded(&format!("0fb6074c8d0d00000000{instruction}")), &kernel);
    code.resize(code.len().next_multiple_of(64) + 512, 0);
    let base = (code.len() - before_end) as i32;
    let mut prefix = encoded("0fb6074c8d0d");
    prefix.extend((base - 10).to_le_bytes());
    prefix.append(&mut rest);
    code[..prefix.len()].copy_from_slice(&prefix);
    code
}

/// Secrets may decide which of the kernel's constants are read, within their bounds, and nothing else; and the proof
/// says so.
#[test]
fn secret_addresses_are_of_constants_only() {
    let problem = problem("aes128-ecb");
    let mut prover = prover();
    // mov eax,[r9+rax]
    let inside = at_secret_place(512, "418b0401");
    let proof = prover.prove(problem, &inside).unwrap_or_else(|r| panic!("{r}"));
    assert_eq!((proof.secret_loads, proof.constant_time()), (1, "VT"));
    for (before_end, instruction, why) in [
        (255 + 3, "418b0401", "reads byte"),
        // mov eax,[rsi+rax]; mov eax,[rdi+rax]
        (512, "8b0406", "in the input"),
        (512, "8b0407", "in the key structure"),
        // mov [r9+rax],al; prefetcht0 [rsi+rax]
        (512, "41880401", "not public"),
        (512, "0f180c06", "prefetch"),
    ] {
        let Err(refutation) = prover.prove(problem, &at_secret_place(before_end, instruction)) else {
            panic!("proved, with {instruction} at a secret address");
        };
        assert!(refutation.reason.contains(why), "{instruction}: {refutation}");
    }
}

/// A linker may separate constants from the code that reads them, so nothing may be read at an address of code,
/// computed from one, or read between the two.
#[test]
fn code_is_no_constant() {
    let problem = problem("aes128-ecb");
    let mut prover = prover();
    let kernel = kernel("aes128-ecb interleave=2");
    let with = |displacement: i32, load: &str| {
        let mut prefix = encoded(load);
        prefix.extend(displacement.to_le_bytes());
        behind(&prefix, &kernel)
    };
    // mov rax,[rip+0] reads the next instruction.
    assert!(prover.prove(problem, &with(0, "488b05")).is_err());
    // lea r9,[rip+0] alone is harmless: nothing reads at that address.
    assert!(prover.prove(problem, &with(0, "4c8d0d")).is_ok());
    // lea r9,[rip+0]; mov rax,[r9+N], where byte N + 7 is one of the constants.
    let far = |displacement: i32| {
        let mut prefix = encoded("4c8d0d00000000498b81");
        prefix.extend(displacement.to_le_bytes());
        let mut code = behind(&prefix, &kernel);
        code.resize(code.len().next_multiple_of(64) + 64, 0);
        code
    };
    let constants = far(0).len() as i32 - 64;
    assert!(prover.prove(problem, &far(constants - 7)).is_err());
    // mov rax,[rip+N] of the same constant, and of the padding between code and constants.
    let direct = |at: i32| {
        let mut code = with(at - 7, "488b05");
        let end = code.len();
        code.resize(end.next_multiple_of(64) + 64, 0);
        (end, code)
    };
    let (end, code) = direct(0);
    let constants = code.len() - 64;
    assert!(end + 8 <= constants, "the kernel's code has to end before its last cache line does");
    assert!(prover.prove(problem, &direct(constants as i32).1).is_ok());
    assert!(prover.prove(problem, &direct(constants as i32 - 8).1).is_err());
}

/// Arbitrary bytes are refuted, not followed until the stack is exhausted.
#[test]
fn endless_nesting_is_refuted() {
    // vaesenc xmm0,xmm0,xmm0; vaesimc xmm0,xmm0; vaeskeygenassist xmm0,xmm0,1
    for nested in ["c4e279dcc0", "c4e279dbc0", "c4e379dfc001"] {
        // cmp rcx,16; jae 1f; ret; 1: vmovdqu xmm0,[rsi]; (nested); vmovdqu [rdx],xmm0; ret
        let mut code = encoded("4883f9107301c3c5fa6f06");
        (0..60_000).for_each(|_| code.extend_from_slice(&encoded(nested)));
        code.extend(encoded("c5fa7f02c3"));
        let refutation = prover().prove(problem("aes128-ecb"), &code).unwrap_err();
        assert!(refutation.reason.contains("output block 0 is unknown"), "{refutation}");
    }
    // cmp r8,1 << 30; jb 1f; vmovdqu [rcx + (1 << 29)],xmm0; 1: ret
    let far = encoded("4981f8000000407208c5fa7f8100000020c3");
    let refutation = prover().prove(problem("aes128-cbc"), &far).unwrap_err();
    assert!(refutation.reason.contains("blocks ahead"), "{refutation}");
}

#[test]
fn counters_share_bytes_in_their_window_only() {
    let mut prover = prover();
    for [variant, old, new, why] in cases("sharing") {
        let mut code = kernel(variant);
        prover.prove(problem(variant), &code).unwrap_or_else(|r| panic!("{variant}: {r}"));
        // Dots stand for any byte.
        let pattern: Vec<Option<u8>> =
            (0..old.len() / 2).map(|i| u8::from_str_radix(&old[2 * i..2 * i + 2], 16).ok()).collect();
        let found = |at: &[u8]| at.iter().zip(&pattern).all(|(b, p)| p.is_none_or(|p| p == *b));
        let at = code.windows(pattern.len()).position(found).unwrap_or_else(|| panic!("{variant}: no {old}"));
        for i in 0..new.len() / 2 {
            if let Ok(byte) = u8::from_str_radix(&new[2 * i..2 * i + 2], 16) {
                code[at + i] = byte;
            }
        }
        assert!(prover.prove(problem(variant), &code).is_err(), "{variant}: proved, but {why}");
    }
}

/// The loop overwrites an entry of the table of two rounds after it has read it: the result is wrong only when the low
/// byte of the counter reaches this entry again, 256 blocks later.
#[test]
fn a_table_that_the_loop_writes_over_is_refuted() {
    let mut bytes = kernel("aes128-ctr width=zmm interleave=2 cached=2");
    let ctr = problem("aes128-ctr");
    assert!(prover().prove(ctr, &bytes).is_ok(), "the kernel itself is proved");
    // `je` with a distance of 32 bits, then `add r11, 128`, between iterations: a short `je` leaves room for a store.
    let step = [0x49, 0x81, 0xc3, 0x80, 0, 0, 0];
    let places: Vec<usize> = (6..bytes.len() - 7)
        .filter(|&at| bytes[at..at + 7] == step && bytes[at - 6..at - 4] == [0x0f, 0x84])
        .map(|at| at - 6)
        .collect();
    let [place] = places[..] else { panic!("the kernel has no such place, or several: {places:x?}") };
    let je = [0x74, bytes[place + 2] + 4];
    let store = [0x88, 0x44, 0x24, 0x20]; // mov [rsp + 32], al
    bytes[place..place + 6].copy_from_slice(&[je, [store[0], store[1]], [store[2], store[3]]].concat());
    let why = prover().prove(ctr, &bytes).expect_err("it is wrong").reason;
    assert!(why.contains("of the counter table is not a state after two rounds"), "{why}");
}
