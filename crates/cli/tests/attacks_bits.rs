//! Attacks on the proofs for the other processors: behaviour that a manual leaves open, forbids or defines for other
//! processors only.
//!
//! A case is a file in `attacks/bits/NAME/refuse` or `accept`: lines of assembly that are put into a kernel that is
//! emitted for it. Its first comments say why they are wrong, or right, on which processor, with which choices of a
//! kernel, and after which line they are inserted (default: the function's label). Every file in these folders is
//! verified.
//!
//! Cases on requirements of platforms (reserved registers, unaligned words, stack pointers that are set in halves,
//! products that end early, lengths of messages) are folders of `attacks/bits-platform`: `kernel` names a processor and
//! choices that few of its kernels have, and may name a problem; each file in `accept` and in `refuse` contains instructions
//! that are put before the first one of a proved kernel. A comment in its first line is part of the output of `verify`.

use crate::support::{Place, mistakes, none_wrong, of_tests, sorted};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A case.
struct Case {
    file: PathBuf,
    what: String,
    processor: String,
    choices: String,
    behind: Option<String>,
    lines: String,
}

fn read(file: &Path) -> Case {
    let text = fs::read_to_string(file).unwrap();
    let comments: Vec<&str> =
        text.lines().map_while(|line| line.strip_prefix("/* ")?.strip_suffix(" */")).collect();
    let said = |name: &str| comments.iter().find_map(|c| c.strip_prefix(name)?.strip_prefix(": "));
    let wanted =
        |name: &str| said(name).unwrap_or_else(|| panic!("{}: no `{name}`", file.display())).to_owned();
    Case {
        file: file.to_owned(),
        what: (*comments.first().expect("a comment on what it is")).to_owned(),
        processor: wanted("on"),
        choices: wanted("with"),
        behind: said("behind").map(str::to_owned),
        lines: text.lines().skip(comments.len()).fold(String::new(), |all, line| all + line + "\n"),
    }
}

/// All files in the `refuse` or `accept` folders.
fn cases(kind: &str) -> Vec<Case> {
    let files = sorted(&of_tests("attacks/bits")).into_iter().flat_map(|folder| sorted(&folder.join(kind)));
    files.map(|file| read(&file)).collect()
}

/// The name of a kernel, and its assembly.
type Kernel = (String, String);

/// The kernel that cases are put into: the best of those with some choices, such as `rounds=looped,technique=table`.
fn kernel(place: &Place, processor: &str, choices: &str, problem: &str) -> Kernel {
    let folder = format!("{processor}-{problem}-{}", choices.replace(['=', ','], "-"));
    let only: String = choices.split(',').map(|choice| format!(" --only {choice}")).collect();
    place.ok(&format!(
        "emit {problem} --processor {processor} --as asm --allow-variable-time{only} -o {folder}"
    ));
    let begin = match problem {
        "aes128-ecb" => "aesmith_aes128_encrypt".to_owned(),
        _ => format!("aesmith_{}", problem.replace('-', "_")),
    };
    let symbol = place.symbol(&folder, &begin);
    let text = place.read(format!("{folder}/{symbol}.S"));
    (symbol, text)
}

/// Verifies all cases of a kind, each of which must be accepted or refused with these words.
fn verified(kind: &str, says: &str) {
    let place = Place::new(&format!("attacks-bits-{kind}"));
    let mut kernels: BTreeMap<(String, String), Kernel> = BTreeMap::new();
    let (mut wrong, cases) = (Vec::new(), cases(kind));
    for (number, case) in cases.iter().enumerate() {
        let of = (case.processor.clone(), case.choices.clone());
        let (symbol, text) =
            kernels.entry(of).or_insert_with(|| kernel(&place, &case.processor, &case.choices, "aes128-ecb"));
        let line = case.behind.clone().unwrap_or(format!("{symbol}:"));
        let mut lines = text.lines();
        let before: Vec<&str> = lines.by_ref().take_while(|l| l.trim() != line).collect();
        let after: Vec<&str> = lines.collect();
        assert!(!after.is_empty(), "{}: no `{line}`", case.file.display());
        let (before, after) = (before.join("\n"), after.join("\n"));
        fs::create_dir(place.path(number.to_string())).unwrap();
        let file = format!("{number}/{symbol}.S");
        place.write(&file, format!("{before}\n{line}\n{}{after}\n", case.lines));
        let name = format!("{} ({})", case.file.display(), case.what);
        let mut command = place.command(&format!("verify {file} --processor {}", case.processor));
        wrong.extend(mistakes(&name, &mut command, kind == "accept", says));
    }
    none_wrong(&wrong);
    println!("{kind}: {} cases", cases.len());
}

#[test]
fn attacks_are_refused() {
    // The prover must refuse it: an assembler that refuses a line shows nothing about the prover.
    verified("refuse", "with round keys: ");
}

#[test]
fn controls_are_accepted() {
    verified("accept", "");
}

#[test]
fn what_the_platform_asks_for_is_kept() {
    let place = Place::new("bits-platform");
    let mut kernels: BTreeMap<[String; 3], Kernel> = BTreeMap::new();
    let mut wrong = Vec::new();
    let cases = sorted(&of_tests("attacks/bits-platform"));
    for case in &cases {
        let text = fs::read_to_string(case.join("kernel")).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        let (processor, choices, problem) = match words[..] {
            [processor, choices] => (processor, choices, "aes128-ecb"),
            [processor, choices, problem] => (processor, choices, problem),
            _ => panic!("{}: a processor, choices and maybe a problem", case.display()),
        };
        let of = [processor, choices, problem].map(str::to_owned);
        let (symbol, text) = kernels.entry(of).or_insert_with(|| kernel(&place, processor, choices, problem));
        let label = format!("\n{symbol}:\n");
        let (head, body) = text.split_once(&label).expect("the function's label");
        for verdict in ["accept", "refuse"] {
            for file in sorted(&case.join(verdict)) {
                let lines = fs::read_to_string(&file).unwrap();
                let says = lines.strip_prefix("# ").and_then(|rest| rest.split_once('\n'));
                let (says, lines) = says.unwrap_or(("", &lines));
                // This folder contains no certificate.
                place.write(format!("{symbol}.S"), format!("{head}{label}{lines}{body}"));
                let mut command = place.command(&format!("verify {symbol}.S --processor {processor}"));
                let name = file.display().to_string();
                wrong.extend(mistakes(&name, &mut command, verdict == "accept", says));
            }
        }
    }
    none_wrong(&wrong);
}

/// A secret in a flag is left there, though no instruction of the table reads the flag.
#[test]
fn a_secret_left_in_a_flag_is_not_wiped() {
    let place = Place::new("bits-flags");
    let check = |base: &str, processor: &str, changes: &[(&str, String)], wiped: bool| {
        let mut text = fs::read_to_string(of_tests("edits/bases").join(base)).unwrap();
        for (line, more) in changes {
            assert_eq!(text.matches(*line).count(), 1, "{base}: {line}");
            text = text.replace(*line, &format!("{more}{line}"));
        }
        place.write("kernel.S", text);
        let found = place.json(&format!("verify kernel.S --processor {processor} --json"));
        assert_eq!(found["wiped"], wiped, "{changes:?}: {found}");
    };
    // Saturation of a secret sets Q, which no comparison clears.
    let (first, last) =
        ("    ldr r3, [r1, #4]\n", "    ldmia.w sp!, {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
    let cleared = ["r0", "r2", "r3", "r12", "lr"].map(|r| format!("    mov {r}, r1\n")).concat();
    let cleared = format!("    movs r1, #0\n{cleared}    cmp r1, r1\n");
    for (processor, lines, wiped) in [
        ("cortex-m3", "", true),
        ("cortex-m3", "    movs r3, #200\n    usat lr, #5, r3\n", true),
        ("cortex-m3", "    usat lr, #31, r4\n", false),
        ("cortex-m3", "    ssat lr, #8, r4, asr #3\n", false),
        // smlabb lr, r4, r4, r2; usat16 lr, #7, r4
        ("cortex-m4", "    .inst.w 0xfb142e04\n", false),
        ("cortex-m4", "    .inst.w 0xf3a40e07\n", false),
    ] {
        check("thumb-ecb.S", processor, &[(first, lines.to_owned()), (last, cleared.clone())], wiped);
    }
    // The parity of a byte of the key, and the carry out of its lowest four bits, which an exclusive or leaves undefined.
    let (first, last) = ("    addl $48, %esp\n", "    popl %edi\n");
    let cleared: String = (0..12).map(|k| format!("    movl $0, {}(%esp)\n", 4 * k)).collect();
    let byte = "    movl 20(%esp), %ecx\n    movzbl (%ecx), %eax\n";
    let zero = "    movl $0, %ecx\n    movl $0, %eax\n    movl $0, %edx\n";
    for (lines, wiped) in [
        ("", true),
        ("    orl $0x80000001, %eax\n", false),
        ("    orl $0x80000001, %eax\n    movl $0, %eax\n    subl %eax, %eax\n", true),
        ("    addl $1, %eax\n    xorl %eax, %eax\n", false),
        ("    addl $1, %eax\n    movl $0, %eax\n    subl %eax, %eax\n", true),
    ] {
        let end = [byte, lines, zero].concat();
        check("i386-ctr.S", "pentium4", &[(first, cleared.clone()), (last, end)], wiped);
    }
}

/// A secret that only some iterations of a loop leave on the stack is left there: the first has not written it yet.
#[test]
fn what_one_iteration_leaves_on_the_stack_is_not_wiped() {
    let place = Place::new("bits-wiped");
    let base = fs::read_to_string(of_tests("edits/bases/rv32-cbc.S")).unwrap();
    let registers =
        "    addi t2, zero, 0\n    addi t4, zero, 0\n    addi t5, zero, 0\n    addi t6, zero, 0\n";
    let last = "    addi sp, sp, 96\n    jalr zero, 0(ra)\n";
    let next = "    jal zero, .Laesmith_aes128_cbc_encrypt_block\n";
    for (left, wiped) in [("", true), ("    sw zero, 0(sp)\n", true), ("    sw t2, 0(sp)\n", false)] {
        assert!(base.matches(last).count() == 1 && base.matches(next).count() == 1);
        let text =
            base.replace(last, &(registers.to_owned() + last)).replace(next, &(left.to_owned() + next));
        place.write("kernel.S", text);
        let found = place.json("verify kernel.S --processor rv32i --json");
        assert_eq!(found["wiped"], wiped, "{left}: {found}");
    }
}
