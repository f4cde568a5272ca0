//! Rules of processors of words: prefixes, slots, links, addresses into which indices are inserted, and stores with update.

use aesmith_check::bytes::run::Run;
use aesmith_check::bytes::terms::TABLES;
use aesmith_check::bytes::{Proof, TITLE, check};
use aesmith_check::linear::Linear;
use aesmith_check::words::execute::Domain;
use aesmith_check::words::{FAMILIES, Family, Words};

fn family(name: &str) -> &'static Family {
    FAMILIES.iter().find(|family| family.name == name).expect("a family")
}

/// The reason for which code that claims AES-128-ECB is refused; `lines` follow it.
fn refusal(name: &str, words: &[u32], lines: &str) -> String {
    let bytes = |word: &u32| if family(name).is_big { *word } else { word.swap_bytes() };
    let code: String = words.iter().map(|word| format!("{:08x}", bytes(word))).collect();
    let text = format!("{TITLE}{name}\ncontract aes128-ecb\n{lines}\ncode {code}\nto exit\n");
    check(&Proof::read(&text).expect("it is read")).expect_err("it is no cipher")
}

/// The reason to refuse a return that stores nothing.
const DONE: &str = "the output of the path does not end";

#[test]
fn instructions_of_microblaze_belong_together() {
    // rtsd r15, 8; or r0, r0, r0; imm 1; addik r3, r0, 5; bri 8; add r0, r0, r0.
    let (back, nop, imm, load, jump) = (0xb60f_0008, 0x8000_0000, 0xb000_0001, 0x3060_0005, 0xb800_0008);
    for (words, reason) in [
        (&[back, nop][..], DONE),
        (&[imm, load, back, nop], DONE),
        // A jump, a prefix, or nothing in the slot.
        (&[back, jump, nop], "is in the slot behind a jump"),
        (&[back, back, nop], "is in the slot behind a jump"),
        (&[back, imm, load], "is in the slot behind a jump"),
        (&[back], "no instruction with a known meaning"),
        // A prefix before an instruction without a number of 16 bits, a jump, a prefix, or nothing.
        (&[imm, nop, back, nop], "is before an instruction that has none"),
        (&[imm, 0x6463_0003, back, nop], "is before an instruction that has none"),
        (&[imm, jump, nop, back, nop], "is before an instruction that has none"),
        (&[imm, back, nop], "is before an instruction that has none"),
        (&[imm, imm, load, back, nop], "is before an instruction that has none"),
        (&[imm], "no instruction with a known meaning"),
        // The return is 8 bytes behind the address in r15, and to nowhere else.
        (&[0xb60f_0004, nop], "to no known place"),
        (&[0xb60f_000c, nop], "to no known place"),
        (&[0xb60e_0008, nop], "names a register that is not the function's"),
        // addik r15, r15, 4; rtsd r15, 4.
        (&[0x31ef_0004, 0xb60f_0004, nop], DONE),
        // Registers of the system are neither read nor written; r18 is the function's.
        (&[0x3040_0000, back, nop], "names a register"),
        (&[0x306d_0000, back, nop], "names a register"),
        (&[0x306e_0000, back, nop], "names a register"),
        (&[0x3070_0000, back, nop], "names a register"),
        (&[0x3220_0000, back, nop], "names a register"),
        (&[0x3240_0000, back, nop], DONE),
        (&[0x3260_0000, back, nop], "a register is not that of the caller"),
        // The stack pointer moves by words, and comes back in the slot of the return.
        (&[0x3021_fffc, back, 0x3021_0004], DONE),
        (&[0x3021_fffe, back, 0x3021_0002], "the stack pointer is no allowed place"),
        (&[0x3021_fffc, back, nop], "a register is not that of the caller"),
        // A slot is executed once, whether beqid or bneid of 1 jumps or not.
        (&[0x3060_0001, 0xbe03_0008, 0x3021_fffc, 0x3021_0004, back, nop], DONE),
        (&[0x3060_0001, 0xbe23_000c, 0x3021_fffc, nop, back, 0x3021_0004], DONE),
        // srl r0, r3 has no known effect.
        (&[0x9003_0041, back, nop], "no instruction with a known meaning"),
    ] {
        let why = refusal("microblaze", words, "");
        assert!(why.contains(reason), "{words:x?}: {why}");
    }
    // brlid r5, 12; or r0, r0, r0; a return; rtsd r5, 8, which goes behind the slot.
    let called = [0xb8b4_000c, nop, back, 0xb605_0008, nop];
    assert!(refusal("microblaze", &called, "").contains("is in the slot behind a jump"), "a return");
    let called = [0xb8b4_0010, nop, back, nop, 0xb605_0008, nop];
    assert!(refusal("microblaze", &called, "").contains(DONE));
    let called = [0xb8b4_0010, nop, back, nop, 0xb605_0006, nop];
    assert!(refusal("microblaze", &called, "").contains("no instruction with a known meaning"));
}

#[test]
fn linkers_write_both_parts_of_an_address() {
    let table = format!("table t\nbytes {}\n", "00".repeat(256));
    let refused = |name: &str, words: &[u32], links: &str| refusal(name, words, &format!("{table}{links}"));
    // imm 0; addik r3, r0, 0; lbui r4, r3, 0; rtsd r15, 8; or r0, r0, r0.
    let words = [0xb000_0000, 0x3060_0000, 0xe083_0000, 0xb60f_0008, 0x8000_0000];
    const OTHER: &str = "a linker writes into another instruction";
    const NO_OBJECT: &str = "an address is in no";
    for (links, reason) in [
        ("link 0 high t 0\nlink 4 low t 0", DONE),
        ("link 0 high t 4\nlink 4 low t 4", DONE),
        ("link 0 high t 255\nlink 4 low t 255", DONE),
        ("link 0 high t 256\nlink 4 low t 256", "an access is outside t"),
        ("link 0 high t 0\nlink 4 low t 4", NO_OBJECT),
        ("link 0 high t 0", NO_OBJECT),
        ("link 4 low t 0", NO_OBJECT),
        ("link 0 low t 0\nlink 4 low t 0", OTHER),
        ("link 0 high t 0\nlink 4 high t 0", OTHER),
        ("link 0 high t 0\nlink 4 low t 0\nlink 8 low t 0", OTHER),
        ("link 0 high t 0\nlink 4 low t 0\nlink 16 low t 0", OTHER),
    ] {
        let why = refused("microblaze", &words, links);
        assert!(why.contains(reason), "{links}: {why}");
    }
    for at in [0, 1] {
        let mut other = words;
        other[at] |= 1;
        assert!(refused("microblaze", &other, "link 0 high t 0\nlink 4 low t 0").contains(OTHER));
    }
    // lis r9, 0; addi r9, r9, 0, or ori r9, r9, 0; lbz r8, 0(r9); blr.
    let words = |low: u32| [0x3d20_0000, low, 0x8909_0000, 0x4e80_0020];
    for (low, links, reason) in [
        (0x3929_0000, "link 0 high t 0\nlink 4 low t 0", DONE),
        (0x3929_0000, "link 0 high t 0\nlink 4 low t 1", NO_OBJECT),
        (0x3929_0001, "link 0 high t 0\nlink 4 low t 0", OTHER),
        (0x6129_0000, "link 0 high t 0\nlink 4 low t 0", OTHER),
        (0x3929_0000, "link 4 high t 0\nlink 0 low t 0", OTHER),
        // stw has another field of the same length.
        (0x9129_0000, "link 0 high t 0\nlink 4 low t 0", "no object"),
    ] {
        let why = refused("ppc", &words(low), links);
        assert!(why.contains(reason), "{low:x}, {links}: {why}");
    }
}

#[test]
fn instructions_of_powerpc_keep_the_stack_and_the_system() {
    let back = 0x4e80_0020;
    for (words, reason) in [
        (&[back][..], DONE),
        // stwu r1, -16(r1); addi r1, r1, 16, and by 8, and none.
        (&[0x9421_fff0, 0x3821_0010, back], DONE),
        (&[0x9421_fff8, 0x3821_0008, back], "the stack pointer is no allowed place"),
        (&[0x9421_fff0, back], "a register is not that of the caller"),
        // stw r0, -16(r1), and mr r9, r1; stwu r0, -16(r9): below the stack pointer.
        (&[0x9001_fff0, back], "outside the function's own stack"),
        (&[0x7c29_0b78, 0x9409_fff0, back], "outside the function's own stack"),
        // stwu r1, 0(r1) writes the caller's frame.
        (&[0x9421_0000, back], "outside the function's own stack"),
        // lwzu r9, 4(r9) has no meaning, and lwzu r8, 4(r4) has one.
        (&[0x8529_0004, back], "no instruction with a known meaning"),
        (&[0x8504_0004, back], DONE),
        // addi r2, r2, 0; addi r13, r13, 0; addi r14, r14, 4; addi r12, r3, 4.
        (&[0x3842_0000, back], "names a register"),
        (&[0x39ad_0000, back], "names a register"),
        (&[0x39ce_0004, back], "a register is not that of the caller"),
        (&[0x3983_0004, back], DONE),
        // mtlr r3; blr. mflr r0; mtlr r0; blr. bctr.
        (&[0x7c68_03a6, back], "to no known place"),
        (&[0x7c08_02a6, 0x7c08_03a6, back], DONE),
        (&[0x4e80_0420], "to no known place"),
        // A branch on a condition that no comparison made, on text, and on an address.
        (&[0x4182_0004, back], "a condition is no bit"),
        (&[0x8104_0000, 0x2808_0000, 0x4182_0004, back], "a condition depends on a secret"),
        (&[0x2803_0000, 0x4182_0004, back], DONE),
        // mullw r3, r3, r4, and cmplwi cr1, r3, 0.
        (&[0x7c63_21d6, back], "no instruction with a known meaning"),
        (&[0x2883_0000, back], "no instruction with a known meaning"),
    ] {
        let why = refusal("ppc", words, "");
        assert!(why.contains(reason), "{words:x?}: {why}");
    }
}

/// A run with a table at a multiple of 1024, and the word of a number.
fn with_table<'a>(proof: &'a Proof) -> Run<'a, Words> {
    Run::new(Words(family("ppc")), proof).expect("a run")
}

#[test]
fn an_index_is_inserted_into_an_aligned_address() {
    for (alignment, add, mask, is_allowed) in [
        (1024, 0, 0x3fc, true),
        (1024, 0, 0x3ff, true),
        (1024, 1024, 0x3fc, true),
        (1024, 2, 0x3fc, true),
        (1024, 0, 0x7fc, false),
        (1024, 4, 0x3fc, false),
        (1024, 512, 0x3fc, false),
        (512, 0, 0x3fc, false),
        (512, 0, 0x1fc, true),
    ] {
        let text = format!("{TITLE}ppc\ncontract aes128-ctr\ntable t {alignment}\nbytes 00\n");
        let proof = Proof::read(&text).expect("a claim");
        let mut run = with_table(&proof);
        let form = Linear { constant: add, terms: [(TABLES, 1)].into() };
        let address = [0, 1, 2, 3].map(|k| run.memory.terms.half(&form, k));
        let [index, other] = [(); 2].map(|()| [(); 4].map(|()| run.memory.terms.unknown(true)));
        let mask = run.memory.number(mask);
        let one = run.memory.inserted(address, index, mask);
        let chosen = run.memory.and(index, mask);
        let sum = run.memory.sum(address, chosen);
        assert_eq!(one == sum, is_allowed, "{alignment} {add}");
        // Another index replaces the first.
        let two = run.memory.inserted(one, other, mask);
        let direct = run.memory.inserted(address, other, mask);
        assert!(two == direct || !is_allowed, "{alignment} {add}");
        // One that leaves bits of the first does not.
        let fewer = run.memory.number(0x0fc);
        let both = run.memory.inserted(one, other, fewer);
        assert!(both != run.memory.inserted(address, other, fewer));
    }
}

#[test]
fn an_address_is_within_its_bits() {
    let proof = Proof::read(&format!("{TITLE}ppc\ncontract aes128-ctr\ntable t 1024\nbytes 00\n"));
    let proof = proof.expect("a claim");
    let mut run = with_table(&proof);
    let terms = &mut run.memory.terms;
    let form = Linear::atom(TABLES);
    let address = [0, 1, 2, 3].map(|k| terms.half(&form, k));
    let (with, other) = (terms.within(&form, 0x3fc), terms.within(&form, 0x3fc));
    assert!(with != other, "two indices are two");
    assert!(with.iter().all(|&byte| terms.is_secret(byte)));
    for (mask, is_allowed) in [(0x3fc, true), (0x3ff, true), (0x1fc, false), (0x3f8, false), (0, false)] {
        assert_eq!(terms.is_within(&with, &form, mask), is_allowed, "{mask:x}");
        assert!(terms.is_within(&address, &form, mask));
        assert!(!terms.is_within(&with, &form.offset(4), mask));
        assert!(!terms.is_within(&address, &form.offset(4), mask));
        assert!(!terms.is_within(&with[..3], &form, mask));
    }
}

#[test]
fn alignments_of_tables_are_powers_of_two() {
    for (text, is_read) in [
        ("", true),
        (" 8", true),
        (" 1024", true),
        (" 65536", true),
        (" 4", false),
        (" 131072", false),
        (" 12", false),
        (" ram", false),
    ] {
        let read = Proof::read(&format!("{TITLE}ppc\ncontract aes128-ctr\ntable t{text}\n"));
        assert_eq!(read.is_ok(), is_read, "{text}");
    }
    assert!(Proof::read(&format!("{TITLE}avr\ncontract aes128-ctr\ntable t 256\n")).is_err());
}

#[test]
fn registers_that_statements_name_are_those_of_the_family() {
    for (name, last) in [("rv32", 31), ("microblaze", 32), ("ppc", 38)] {
        for (number, is_read) in [(last, true), (last + 1, false)] {
            let head = format!("head h 0\nr{number} = 5\n");
            let read = Proof::read(&format!("{TITLE}{name}\ncontract aes128-ctr\n{head}"));
            assert_eq!(read.is_ok(), is_read, "{name} r{number}");
        }
    }
}
