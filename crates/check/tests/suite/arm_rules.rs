//! Code for ARM and Thumb that breaks a rule is refused, with its reason.

use aesmith_check::bytes::memory::BLOCKS;
use aesmith_check::bytes::run::Run;
use aesmith_check::bytes::{Proof, check};
use aesmith_check::linear::Linear;
use aesmith_check::words::{FAMILIES, Words};

const NO_ROW: &str = "no instruction with a known meaning";
const NO_MEANING: &str = "a row of the table has no meaning";
const SECRET: &str = "a condition depends on a secret";
const OUTSIDE: &str = "outside the function's own stack";
const CALLER: &str = "a register is not that of the caller";
const TIME: &str = "the time of an instruction depends on a secret";
/// The code is allowed, but stores nothing.
const NO_OUTPUT: &str = "does not end where it should";

/// The mistake, the family, the code, and the reason: key in r0, text in r1, output in r2.
const CASES: &[(&str, &str, &str, &str)] = &[
    // bx lr
    ("a return", "arm", "1eff2fe1", NO_OUTPUT),
    // mov pc, lr
    ("a move to the program counter, to a caller that may be Thumb code", "arm", "0ef0a0e1", NO_ROW),
    // push {r4, lr}; pop {r4, pc}
    ("a list with the program counter, to such a caller", "arm", "10402de91080bde8", NO_ROW),
    // mov pc, lr
    ("a move to the program counter without Thumb", "armv4", "0ef0a0e1", NO_OUTPUT),
    // push {r4, lr}; pop {r4, pc}
    ("a list with the program counter without Thumb", "armv4", "10402de91080bde8", NO_OUTPUT),
    // bx lr
    ("bx without Thumb", "armv4", "1eff2fe1", NO_ROW),
    // ldr r3,[r1]; tst r3,#1; beq .+8; bx lr
    ("a branch on text", "arm", "003091e5010013e30000000a1eff2fe1", SECRET),
    // ldr r3,[r1]; cmp r3,#0; moveq r3,#1
    ("an instruction on text", "arm", "003091e5000053e30130a003", SECRET),
    // cmp r0,r0; ldr r3,[r1]; teq r3,#0; movhi r3,#1
    ("an instruction on the second of two bits", "arm", "000050e1003091e5000033e30130a083", SECRET),
    // movcs r3,#1
    ("a flag of the caller", "arm", "0130a023", SECRET),
    // ldr r3,[r1]; adds r3,r3,r3; movcs r3,#1
    ("a flag of the carry of text", "arm", "003091e5033093e00130a023", SECRET),
    // ldr r3,[r1]; movs r3,r3,lsr #1; movcs r3,#1
    ("a flag of the bit that is moved out", "arm", "003091e5a330b0e10130a023", SECRET),
    // ldr r3,[r1]; movs r3,r3,rrx; movcs r3,#1
    ("a flag of the rotation through the carry", "arm", "003091e56330b0e10130a023", SECRET),
    // ldr r3,[r1]; mov r12,#3; mul r12,r3,r12; mul r3,r12,r3
    ("a factor of text by which the multiplier ends", "arm", "003091e503c0a0e3930c0ce09c0303e0", TIME),
    // ldr r3,[r1]; mov r12,r3,lsl r3
    ("a shift by text", "arm", "003091e513c3a0e1", "by a number that is not known"),
    // ldr r3,[r1]; ldr r3,[r1,r3]
    ("an address of text", "arm", "003091e5033091e7", "depends on a secret"),
    // ldr r3,[r1,#2]
    ("a word at no multiple of 4", "arm", "023091e5", "not aligned"),
    // ldrh r3,[r1,#1]
    ("a half at an odd address", "arm", "b130d1e1", "not aligned"),
    // str r3,[sp,#-4]
    ("a word below the stack pointer", "arm", "04300de5", OUTSIDE),
    // sub sp,sp,#8; str r3,[sp,#-4]!; add sp,sp,#4; str r3,[sp,#-8]
    (
        "a word below the stack pointer, and the stack pointer up",
        "arm",
        "08d04de204302de504d08de208300de5",
        OUTSIDE,
    ),
    // str r3,[sp]
    ("a word behind the arguments", "arm", "00308de5", OUTSIDE),
    // stmdb sp,{r0,r1}
    ("a word that the list stores below the stack pointer", "arm", "03000de9", OUTSIDE),
    // push {r3}; add sp,sp,#4; ldr r3,[sp,#-4]
    ("a word that is popped", "arm", "04302de504d08de204301de5", OUTSIDE),
    // sub sp,sp,#2
    ("a stack pointer at no multiple of 4", "arm", "02d04de2", "no allowed place"),
    // mov r4,#0; bx lr
    ("r4", "arm", "0040a0e31eff2fe1", CALLER),
    // mov r11,#0; bx lr
    ("r11", "arm", "00b0a0e31eff2fe1", CALLER),
    // sub sp,sp,#4; bx lr
    ("the stack pointer", "arm", "04d04de21eff2fe1", CALLER),
    // add lr,lr,#4; bx lr
    ("the link register plus 4", "arm", "04e08ee21eff2fe1", "jumps out of its code"),
    // add r3,pc,#0; bx r3
    ("a place behind the code", "arm", "00308fe213ff2fe1", "executes bytes that are no"),
    // sub r3,pc,#12; bx r3
    ("a place before the code", "arm", "0c304fe213ff2fe1", "jumps out of its code"),
    // sub r3,pc,#6; bx r3
    ("a place within an instruction", "arm", "06304fe213ff2fe1", "executes bytes that are no"),
    // sub r3,pc,#8; add r3,r3,r0; bx r3
    ("a place and another address", "arm", "08304fe2003083e013ff2fe1", "jumps out of its code"),
    // sub r3,pc,#8; str r3,[r3]
    ("a store to the code", "arm", "08304fe2003083e5", "in no object"),
    // ldr r3,[pc,#0]
    ("constants behind the code", "arm", "00309fe5", "outside the code"),
    // ldmia r1!,{r1,r3}
    ("a base in a list that is written back", "arm", "0a00b1e8", NO_MEANING),
    // ldr r1,[r1],#4
    ("a base that is loaded and written back", "arm", "041091e4", NO_MEANING),
    // 0xe0030193
    ("a product in its first factor", "arm", "930103e0", NO_MEANING),
    // add r3,pc,r3
    ("the program counter as an operand", "arm", "03308fe0", NO_ROW),
    // 0xe1513003
    ("a comparison with a register for its result", "arm", "033051e1", NO_ROW),
    // 0xf3a03001
    ("the condition that is none", "arm", "0130a0f3", NO_ROW),
    // b .
    ("a loop", "arm", "feffffea", "a loop has no head"),
    // bx lr
    ("a return", "thumb", "7047", NO_OUTPUT),
    // push {r4, lr}; pop {r4, pc}
    ("a return by the program counter", "thumb", "10b510bd", NO_OUTPUT),
    // mov r3, pc; bx r3; bx lr
    ("a place without the lowest bit", "thumb", "7b4618477047", NO_ROW),
    // mov r8, r0; bx lr
    ("r8", "thumb", "80467047", CALLER),
    // ldr r3,[r1]; lsrs r3,r3,#1; bcs .+4; bx lr
    ("a branch on text", "thumb", "0b685b0800d27047", SECRET),
    // ldr r3,[r1]; rors r3,r3
    ("a rotation by text", "thumb", "0b68db41", "by a number that is not known"),
    // rors r0,r1
    ("a rotation by an address", "thumb", "c841", "by a number that is not known"),
    // mov.w r3,#1
    ("an instruction of ARMv7-M", "thumb", "4ff00103", NO_ROW),
    // cmp r0,#0; it eq; moveq r3,#1
    ("if-then", "thumb2", "002808bf0123", NO_ROW),
    // 0xf04f1300
    ("a number that is none", "thumb2", "4ff00013", NO_MEANING),
    // 0xf3c173c7
    ("bits behind the last", "thumb2", "c1f3c773", NO_MEANING),
    // 0xe8bdc010
    ("a list of the link register and the program counter", "thumb2", "bde810c0", NO_MEANING),
    // 0xe8910008
    ("a list of one register", "thumb2", "91e80800", NO_MEANING),
    // 0xea4d0303
    ("the stack pointer as an operand", "thumb2", "4dea0303", NO_ROW),
];

/// The verdict on code that claims AES-128-ECB.
fn refusal(processor: &str, code: &str, lines: &str) -> String {
    let text = format!(
        "aesmith certificate with proof, version 3\nprocessor {processor}\ncontract aes128-ecb\ncode {code}\n{lines}to exit\n"
    );
    check(&Proof::read(&text).expect("a proof")).expect_err("it is no cipher")
}

#[test]
fn code_for_arm_that_breaks_a_rule_is_refused_with_a_reason() {
    for (what, processor, code, reason) in CASES {
        let why = refusal(processor, code, "");
        assert!(why.contains(reason), "{what} on {processor}: {why}");
    }
}

/// ldr r3, the address of a table plus a number; rors r0, r3; bx lr. The table's alignment tells by how much.
#[test]
fn a_rotation_by_an_address_is_known_modulo_32() {
    let code = "014bd841704700bf00000000";
    let by = |alignment: &str, add: &str| {
        refusal("thumb", code, &format!("table t{alignment}\nbytes 00\nlink 0x8 word t {add}\n"))
    };
    assert!(by(" 32", "24").contains(NO_OUTPUT));
    assert!(by(" 64", "33").contains(NO_OUTPUT));
    for (alignment, add) in [("", "24"), (" 16", "24"), (" 32", "0"), (" 32", "32"), (" 64", "64")] {
        let why = by(alignment, add);
        assert!(why.contains("by a number that is not known"), "{alignment} {add}: {why}");
    }
}

/// ldr r3, [pc, #N]; bx lr; a word that a linker writes.
#[test]
fn a_word_that_a_linker_writes_is_read_as_a_whole() {
    let load = |instruction: &str, at: &str| {
        let code = format!("{instruction}1eff2fe100000000ffffffff");
        refusal("arm", &code, &format!("table t\nbytes 00\nlink {at} word t 0\n"))
    };
    assert!(load("00309fe5", "0x8").contains(NO_OUTPUT));
    assert!(load("04309fe5", "0x8").contains(NO_OUTPUT));
    // ldrb of its first and its last byte, and a word that is written in part.
    for (instruction, at) in
        [("0030dfe5", "0x8"), ("0330dfe5", "0x8"), ("00309fe5", "0x6"), ("00309fe5", "0xa")]
    {
        let why = load(instruction, at);
        assert!(
            why.contains("outside the code") || why.contains("a linker writes"),
            "{instruction} {at}: {why}"
        );
    }
    // The word is not zero in the code, or is cut.
    assert!(load("04309fe5", "0xc").contains("outside the code"));
    assert!(load("08309fe5", "0x10").contains("outside the code"));
    // A linker writes an instruction.
    assert!(load("00309fe5", "0x0").contains("a linker writes into another instruction"));
}

/// Lines that only some processors have.
#[test]
fn lines_of_processors_of_words_are_read_with_their_numbers() {
    let read = |lines: &str| {
        let text =
            "aesmith certificate with proof, version 3\nprocessor arm\ncontract aes128-ecb\ncode 1eff2fe1\n";
        Proof::read(&format!("{text}{lines}"))
    };
    for lines in ["table t\n", "table t 8\n", "table t 1024\n", "entry 0x4\n"] {
        assert!(read(lines).is_ok(), "{lines}");
    }
    for lines in [
        "table t 4\n",
        "table t 12\n",
        "table t 2\n",
        "table t ram\n",
        "entry 0x4\nentry 0x4\n",
        "table t\nlink 0 word t\n",
    ] {
        assert!(read(lines).is_err(), "{lines}");
    }
}

/// The number of blocks is the fifth argument, on the stack. Its memory is the callee's, so that a head does not know it.
#[test]
fn arguments_on_the_stack_are_known_at_the_entry_only() {
    let text = "aesmith certificate with proof, version 3\nprocessor arm\ncontract aes128-cbc\ncode 1eff2fe1\nhead h 0\n";
    let proof = Proof::read(text).expect("a proof");
    let family = FAMILIES.iter().find(|family| family.name == "arm").expect("a family");
    let mut run = Run::new(Words(family), &proof).expect("a run");
    let start = run.start().clone();
    let blocks = Linear::atom(BLOCKS);
    let argument = [0, 1, 2, 3].map(|k| run.memory.terms.half(&blocks, k));
    let cells: Vec<_> = start.path.cells.iter().map(|(&at, &byte)| (at, byte)).collect();
    assert_eq!(cells, [0, 1, 2, 3].map(|k: usize| (k as i128, argument[k])));
    let state = run.stated(0).expect("a state");
    assert!(state.path.cells.is_empty());
    for flag in 16..20 {
        for registers in [start.registers, state.registers] {
            assert!(run.memory.terms.is_secret(registers[flag][0]), "flag {flag}");
            assert_eq!(run.memory.terms.possible(registers[flag][0]), 1);
        }
    }
    // ECB has three arguments.
    let text = text.replace("cbc", "ecb");
    let proof = Proof::read(&text).expect("a proof");
    assert!(Run::new(Words(family), &proof).expect("a run").start().path.cells.is_empty());
}
