//! Kernels with faults that no single-fault mutant has, each refuted. Most are a proved kernel after some instructions
//! that, for some calls, do not reach the kernel as they seem to. The mistake that the prover would have to make is
//! given beside each.

use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;

/// A variant, the code before its kernel in Intel's notation and encoded, and the fault.
const PREFIXES: [(&str, &str, &str, &str); 11] = [
    (
        "aes128-ecb interleave=2",
        "movabs rax,0x4000000000000000; add rax,rax; jl kernel; ret",
        "48b800000000000000404801c07c01c3",
        "a sum that overflows as a signed number is not what it is as an integer",
    ),
    (
        "aes128-ecb interleave=2",
        "movabs rax,0x8000000000000000; cmp rax,1; jge kernel; ret",
        "48b800000000000000804883f8017d01c3",
        "the difference of signed numbers wraps",
    ),
    (
        "aes128-ecb interleave=2",
        "mov rax,rcx; shr rax,40; jz kernel; ret",
        "4889c848c1e8287401c3",
        "a shift of the length by more than a coefficient holds",
    ),
    (
        "aes128-ecb interleave=2",
        "lea rax,[rcx*4]; add rax,rax; jnc kernel; ret",
        "488d048d000000004801c07301c3",
        "a sum of numbers that are not negative carries all the same",
    ),
    (
        "aes128-ecb interleave=2",
        "lea rax,[rcx+rcx]; movabs r8,0x8000000000000000; cmp rax,r8; jb kernel; ret",
        "488d040949b800000000000000804c39c07201c3",
        "numbers from 2^63 on are not below a negative one as unsigned numbers",
    ),
    (
        "aes128-ecb interleave=2",
        "mov eax,1; ror al,12; cmp al,0x10; jne kernel; ret",
        "b801000000c0c80c3c107501c3",
        "a rotation by more than the width",
    ),
    (
        "aes128-ecb interleave=2",
        "sub rsp,256; mov [rsp],rdi; add rsp,256; sub rsp,256; mov rdi,[rsp]; add rsp,256",
        "4881ec0001000048893c244881c4000100004881ec00010000488b3c244881c400010000",
        "the key's address is read back from where a signal handler may have written",
    ),
    (
        "aes128-ecb interleave=2",
        "mov rax,rsp; mov rsp,rdi; mov rsp,rax",
        "4889e04889fc4889c4",
        "a signal handler would overwrite the key structure",
    ),
    (
        "aes128-ecb interleave=2",
        "add rsp,64; sub rsp,64",
        "4883c4404883ec40",
        "a signal handler would overwrite the return address",
    ),
    (
        "aes128-ctr interleave=2",
        "mov r9,[rsi+8]; bswap r9; lea rax,[r8+15]; shr rax,4; mov r11,r9; add r11,rax; jc \
         kernel; add r9,4; jnc kernel; ret",
        "4c8b4e08490fc9498d400f48c1e8044d89cb4901c372074983c1047301c3",
        "beyond the end of the message the low half may overflow",
    ),
    (
        "aes128-cbc-x2 unroll=2",
        "mov rax,[r8]; sub rax,64; mov r9,[r8+8]; sub r9,64; cmp rax,r9; cmovb r9,rax; cmp r9,16; \
         jl kernel; cmp qword ptr [r8],80; jae kernel; ret",
        "498b004883e8404d8b48084983e9404c39c84c0f42c84983f9107c07498338507301c3",
        "a number that is negative for short streams is not least as an unsigned one",
    ),
];

/// A variant, the code before its kernel, and the secret that a branch reveals. Both ways lead to the kernel: only the
/// time differs.
const LEAKS: [(&str, &str, &str, &str); 8] = [
    (
        "aes128-ecb interleave=2",
        "mov rax,[rdi]; cmp rax,5; mov r9d,0; adc r9,0; test r9,r9; jz next",
        "488b074883f80541b9000000004983d1004d85c97400",
        "the borrow of a secret, added to a number",
    ),
    (
        "aes128-ecb interleave=2",
        "mov rax,[rdi]; cmp rax,5; sbb r9d,r9d; test r9,r9; jz next",
        "488b074883f8054519c94d85c97400",
        "the borrow of a secret in every bit",
    ),
    (
        "aes128-ecb interleave=2",
        "mov rax,[rdi]; cmp rax,5; inc r9; jc next",
        "488b074883f80549ffc17200",
        "a carry that an increment leaves alone",
    ),
    (
        "aes128-ecb interleave=2",
        "mov rax,[rdi]; add rax,rax; adc r9,r9; test r9,r9; jz next",
        "488b074801c04d11c94d85c97400",
        "a secret's highest bit",
    ),
    (
        "aes128-ecb interleave=2",
        "mov rax,[rdi]; shr rax,1; adc r9,r9; test r9,r9; jz next",
        "488b0748d1e84d11c94d85c97400",
        "a secret's lowest bit",
    ),
    (
        "aes128-ecb interleave=2",
        "lea r10,[r11+r9]; lea r9,[r10+r11]; mov rax,[rdi]; cmp rax,5; cmovb r10,r9; test r10,r10; jz \
         next",
        "4f8d140b4f8d0c1a488b074883f8054d0f42d14d85d27400",
        "which of two public numbers, of neither of which anything is known",
    ),
    (
        "aes128-ecb interleave=2",
        "vmovdqu xmm0,[rdi]; vpmovb2m k1,xmm0; vpblendmb xmm2{k1},xmm3,xmm4; vmovq rax,xmm2; test \
         rax,rax; jz next",
        "c5fa6f0762f27e0829c862f2650966d4c4e1f97ed04885c07400",
        "which of two vectors by a mask of secret bits",
    ),
    (
        "aes128-ecb interleave=2",
        "vmovdqu xmm0,[rdi]; vpmovb2m k1,xmm0; vmovdqu8 xmm2{k1},xmm3; vmovq rax,xmm2; test \
         rax,rax; jz next",
        "c5fa6f0762f27e0829c862f17f096fd3c4e1f97ed04885c07400",
        "a move under a mask of secret bits",
    ),
];

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
    for (variant, text, bytes, why) in PREFIXES {
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
    for (variant, text, bytes, why) in LEAKS {
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

/// Kernels that share rounds among 256 counters, and changes that make other counters share them: bytes of the code
/// (their first occurrence), their replacement, and the resulting fault.
const SHARING: [(&str, &str, &str, &str); 6] = [
    (
        "aes128-ctr technique=gfni layout=sliced width=zmm cached=2",
        "4584c90f84........",
        "4584c9909090909090",
        "what counters shared is not prepared again after their last byte wraps",
    ),
    (
        "aes128-ctr technique=gfni layout=sliced width=zmm cached=2",
        "4040404040404040404040404040404040404040404040404040404040404040",
        "3f40404040404040404040404040404040404040404040404040404040404040",
        "one counter of the next group is that before it",
    ),
    (
        "aes128-ctr technique=gfni layout=sliced width=zmm cached=2",
        "0105090d1115191d2125292d3135393d",
        "0105090d1115191d2125292d3135393e",
        "one counter of a group is that after it",
    ),
    (
        "aes128-ctr technique=table extract=registers roundkeys=vectors cached=2 interleave=2",
        "807c2440000f84........",
        "807c244000909090909090",
        "what counters shared is not prepared again after their last byte wraps",
    ),
    (
        "aes128-ctr technique=table extract=registers roundkeys=vectors cached=2 interleave=2",
        "a8010f84",
        "a8010f85",
        "groups of two begin at odd counters: the last byte wraps within them",
    ),
    (
        "aes128-ctr technique=table extract=registers roundkeys=vectors cached=2 interleave=2",
        "488d7601400fb6f6",
        "488d7602400fb6f6",
        "the second block has the last byte of the third",
    ),
];

#[test]
fn counters_share_bytes_in_their_window_only() {
    let mut prover = prover();
    for (variant, old, new, why) in SHARING {
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
