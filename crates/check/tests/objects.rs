//! The program compares objects with proofs: an assembler makes the objects from the bytes of a proof.

use aesmith_check::Certificate;
use aesmith_check::decode::{Base, Operand, decode};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("aesmith-check-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a file");
    }

    /// Runs `aesmith-check`: its exit code, and what it prints.
    fn check(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aesmith-check"));
        let said = command.args(arguments).current_dir(&self.0).output().expect("it runs");
        let all = [said.stdout, said.stderr].concat();
        (said.status.code().expect("a code"), String::from_utf8(all).expect("a text"))
    }

    /// Assembles a text; false if there is no assembler for x86-64.
    fn assemble(&self, name: &str, text: &str) -> bool {
        self.write("x.s", text);
        let mut command = Command::new("as");
        let done = command.args(["--64", "x.s", "-o", name]).current_dir(&self.0).output();
        done.is_ok_and(|done| done.status.success())
    }
}

/// The byte between code and constants.
const PADDING: u8 = 0xcc;

/// The text of a proof of the tests. Older ones have zeros between code and constants.
fn proof(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proofs").join(name);
    let text = std::fs::read_to_string(path).expect("a proof");
    let Certificate { mut code, constants, .. } = Certificate::read(&text).expect("a certificate");
    let end = code[..constants].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    code[end..constants].fill(PADDING);
    let digits: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
    let others: Vec<&str> = text.lines().filter(|line| !line.starts_with("code ")).collect();
    // The code stands before the first path.
    let first = others.iter().position(|line| line.starts_with("to ")).expect("a path");
    format!("{}\ncode {digits}\n{}\n", others[..first].join("\n"), others[first..].join("\n"))
}

/// A function `f` as assembly, with its constants in a section for data. Distances to constants are left to the linker.
fn assembly(text: &str) -> String {
    let Certificate { code, constants, .. } = Certificate::read(text).expect("a proof");
    let mut all = String::from(".text\n.balign 64\n.globl f\n.type f, @function\nf:\n");
    // Behind the last instruction there is padding.
    let end = code[..constants].iter().rposition(|&byte| byte != PADDING).map_or(0, |last| last + 1);
    let (mut at, mut is_apart) = (0, false);
    while at < end {
        let one = decode(&code[at..]).expect("an instruction");
        let next = at + one.length;
        let relative = one.operands.iter().find_map(|operand| match operand {
            Operand::Memory(memory) if memory.base == Base::Next => Some(memory.displacement),
            _ => None,
        });
        let field = relative.and_then(|distance| {
            let place = code[at..next].windows(4).position(|field| field == distance.to_le_bytes())?;
            Some((at + place, next as i64 + i64::from(distance) - constants as i64))
        });
        for (place, byte) in (at..next).zip(&code[at..next]) {
            match field {
                Some((begin, target)) if place == begin => {
                    is_apart = true;
                    let _ = writeln!(all, "    .long pool + {target} - . - {}", next - place);
                }
                Some((begin, _)) if (begin..begin + 4).contains(&place) => {}
                _ => {
                    let _ = writeln!(all, "    .byte {byte}");
                }
            }
        }
        at = next;
    }
    all += ".size f, . - f\n.section .rodata\n.balign 64\npool:\n";
    for byte in &code[constants..] {
        let _ = writeln!(all, "    .byte {byte}");
    }
    assert_eq!(is_apart, constants < code.len(), "constants are read");
    all
}

#[test]
fn the_text_of_a_packed_proof_is_printed() {
    let folder = Folder::new("text");
    let packed = include_str!("packed/aes128-ecb.proof");
    folder.write("packed.proof", packed);
    folder.write("wrong.proof", &packed.replacen("code ", "code f", 1));
    let (code, text) = folder.check(&["--text", "packed.proof"]);
    assert_eq!(code, 0, "{text}");
    folder.write("plain.proof", &text);
    assert_eq!(folder.check(&["--text", "plain.proof"]), (0, text));
    assert_eq!(folder.check(&["plain.proof", "packed.proof"]).0, 0);
    for arguments in [&["--text", "wrong.proof"][..], &["--text", "none.proof"]] {
        assert_eq!(folder.check(arguments).0, 1);
    }
    assert_eq!(folder.check(&["wrong.proof"]).0, 3);
}

#[test]
fn an_object_is_the_code_of_its_proof() {
    let place = Folder::new("objects");
    for name in ["aes128-ecb.proof", "ctr-add.proof", "ctr-wide-swap.proof", "cbc-dec-wide.proof"] {
        let text = proof(name);
        if !place.assemble("f.o", &assembly(&text)) {
            return println!("skipped: there is no assembler for x86-64");
        }
        place.write("f.proof", &text);
        let (code, said) = place.check(&["f.o"]);
        assert!(code == 0 && said.contains("f.o: accepted: f keeps aes"), "{name}: {said}");
        let (code, said) = place.check(&[".", "--json"]);
        assert!(
            code == 0 && said.contains(r#""function":"f","proof":"./f.proof","contract":"aes"#),
            "{name}: {said}"
        );
    }
}

#[test]
fn other_bytes_than_those_of_the_proof_are_refused() {
    let place = Folder::new("others");
    let text = proof("ctr-add.proof");
    let good = assembly(&text);
    place.write("f.proof", &text);
    let lines: Vec<&str> = good.lines().collect();
    let at = |words: &str| lines.iter().position(|line| line.contains(words)).expect(words);
    let changed = |at: usize, line: &str| {
        let mut all = lines.clone();
        all[at] = line;
        all.join("\n") + "\n"
    };
    let pool = at("pool:");
    let first = at(".long pool");
    for (text, reason) in [
        (changed(at("f:") + 2, "    .byte 0x90"), "another one than in the proof"),
        (changed(pool + 3, "    .byte 0x5a"), "its constants are other ones"),
        (changed(first, &lines[first].replace("pool", "pool + 64")), "constants are not together"),
        (changed(first, "    .long 0x100"), "another one than in the proof"),
        (changed(pool - 1, ".balign 16"), "at no multiple of 64"),
        (changed(pool - 2, ".data"), "in no section for them"),
        (changed(at(".balign"), ".balign 16"), "is not at a multiple of 64"),
        (changed(at(".size"), ".byte 0x90\n.size f, . - f"), "another one than in the proof"),
        (changed(at(".size"), ".size f, . - f - 1"), "its code ends at another place"),
        (changed(pool + 1, "    .long f - ."), "a linker writes into its constants"),
    ] {
        if !place.assemble("f.o", &text) {
            return println!("skipped: there is no assembler for x86-64");
        }
        let (code, said) = place.check(&["f.o"]);
        assert!(code == 3 && said.contains("refused") && said.contains(reason), "{reason}: {code}, {said}");
    }
    // The proof itself is refused.
    assert!(place.assemble("f.o", &good));
    place.write("f.proof", &text.replace("contract aes", "contract aes192-ecb\n# "));
    let (code, said) = place.check(&["f.o"]);
    assert!(code == 3 && said.contains("its proof is refused"), "{said}");
}

#[test]
fn files_that_cannot_be_read_are_no_acceptance() {
    let place = Folder::new("unread");
    assert_eq!(place.check(&["f.o"]).0, 1, "there is no file");
    assert_eq!(place.check(&["."]).0, 1, "there is no proof");
    assert_eq!(place.check(&[]).0, 2, "nothing is named");
    assert_eq!(place.check(&["--no"]).0, 2, "no option");
    let text = proof("aes128-ecb.proof");
    if !place.assemble("f.o", &assembly(&text)) {
        return println!("skipped: there is no assembler for x86-64");
    }
    let (code, said) = place.check(&["f.o"]);
    assert!(code == 1 && said.contains("no certificate with a proof"), "{said}");
    // Every cut of an object is refused or damaged, without a panic.
    place.write("f.proof", &text);
    let whole = std::fs::read(place.0.join("f.o")).expect("an object");
    for end in (4..whole.len()).step_by(37) {
        std::fs::write(place.0.join("f.o"), &whole[..end]).expect("a file");
        let (code, said) = place.check(&["f.o"]);
        assert!(code == 1 || code == 3, "{end}: {said}");
    }
    // An archive of the object.
    std::fs::write(place.0.join("f.o"), &whole).expect("a file");
    let made = Command::new("ar").args(["rcs", "libf.a", "f.o"]).current_dir(&place.0).status();
    if made.is_ok_and(|made| made.success()) {
        let (code, said) = place.check(&["libf.a"]);
        assert!(code == 0 && said.contains("libf.a: accepted: f keeps aes128-ecb by"), "{said}");
    }
}
