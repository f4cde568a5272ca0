//! The table against GNU as: every row, with random values of its fields, printed, assembled and compared with
//! our own encoding.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use aesmith_judge::outside::gnu::at_corner;
use aesmith_judge::outside::{Temporary, need, step};

/// True for rows and fields that assemblers neither refuse nor reinterpret.
fn allowed(isa: &Isa, insn: &Insn) -> bool {
    let row = isa.of(insn);
    let get = |name: &str| row.fields.iter().position(|f| f.name == name).map(|f| insn.fields[f]);
    let same = |a: &str, b: &str| matches!((get(a), get(b)), (Some(a), Some(b)) if a == b);
    let registers = ["rd", "rn", "rm", "rs"];
    let moves = row.class.starts_with("alu") && !row.class.ends_with("register");
    let base_written = row.name.ends_with("_pre") || row.name.ends_with("_post");
    // The program counter is allowed as an operand of data processing only.
    (moves || registers.iter().all(|f| get(f) != Some(i32::from(PC))))
        && !(row.name.starts_with("mrs") && get("rd") == Some(i32::from(PC)))
        && !(row.name.starts_with("msr") && get("rm") == Some(i32::from(PC)))
        && !(base_written && (same("rd", "rn") || same("rm", "rn")))
        && !(row.class == "exchange" && (same("rd", "rn") || same("rm", "rn")))
        && !(row.class.contains("product") && (same("rd", "rm") || same("rn", "rm") || same("rd", "rn")))
        && get("list").is_none_or(|l| l != 0 && (!base_written || l >> get("rn").unwrap_or(0) & 1 == 0))
        && get("cond").is_none_or(|cond| (cond as usize) < isa.conditions.len())
}

/// A random instruction of a row, with fields at corners: no bit set, all bits, only the lowest, or only the
/// highest.
pub fn random(isa: &Isa, row: usize, rng: &mut ChaCha8Rng) -> Insn {
    let about = &isa.rows[row];
    loop {
        let fields = 0..about.fields.len();
        let code = fields.fold(about.pattern.value, |code, f| {
            let held = about.pattern.held(f);
            let bits = at_corner(held, rng.random());
            code | about.pattern.put(f, bits)
        });
        // Some bit patterns belong to more specific rows, or are not canonical.
        let bytes = isa.bytes_of(code, row as u16);
        let insn = isa.decode(&bytes).filter(|insn| usize::from(insn.row) == row);
        let insn = insn.filter(|insn| isa.encode(insn).as_deref() == Ok(&*bytes));
        if let Some(insn) = insn.filter(|insn| allowed(isa, insn)) {
            return insn;
        }
    }
}

#[test]
fn encodings_are_those_of_gnu_as() {
    let assembler = match need("arm-none-eabi-as", "binutils-arm-none-eabi") {
        Ok(path) => path,
        Err(why) => return println!("skipped: {why}"),
    };
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut source = ".syntax unified\n.arm\n.cpu arm7tdmi\n".to_owned();
    let mut insns = Vec::new();
    for row in 0..isa.rows.len() {
        for _ in 0..6 {
            let insn = random(isa, row, &mut rng);
            source.push_str(&isa.print(&insn, |_| None));
            source.push('\n');
            insns.push(insn);
        }
    }
    let text = assembled(&assembler, &source);
    assert_eq!(text.len(), 4 * insns.len());
    for (insn, theirs) in insns.iter().zip(text.chunks(4)) {
        let printed = isa.print(insn, |_| None);
        let ours = isa.encode(insn).unwrap();
        assert_eq!(ours, theirs, "{printed}: {ours:x?} {theirs:x?}");
        let back = isa.decode(&ours).unwrap();
        assert_eq!(isa.print(&back, |_| None), printed);
        assert_eq!(isa.encode(&back).unwrap(), ours);
    }
}

/// The .text that GNU as makes from a source.
pub fn assembled(assembler: &Path, source: &str) -> Vec<u8> {
    use object::{Object, ObjectSection};
    let input = Temporary::new(source.as_bytes()).unwrap();
    let object = input.path.with_extension("o");
    let made = step(
        Command::new(assembler).arg("--fatal-warnings").arg("-o").arg(&object).arg(&input.path),
        Duration::from_secs(60),
    );
    made.unwrap();
    let bytes = std::fs::read(&object).unwrap();
    std::fs::remove_file(&object).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}
