//! Encodings with their fields at corners (zeros, ones, only the lowest or the highest bit, one register
//! everywhere), decoded by our tables and encoded again: GNU as must assemble the text of each accepted
//! encoding to the same bytes. This reveals tables that give no meaning to a field of 0, or that miss a refusal
//! of a manual.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use aesmith_isa::table::{Kind, Stands};
use aesmith_isa::{Insn, Isa};
use aesmith_judge::outside::gnu::at_corner;
use aesmith_judge::outside::{Temporary, need};
use aesmith_processor::trial::is_soak;
use object::{Object, ObjectSection};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The distance between instructions, in bytes.
const SLOT: usize = 16;

/// The value of a field by its name.
type Fields<'a> = &'a dyn Fn(&str) -> Option<i32>;

/// A family's table, and its assembler.
struct Family {
    /// The name of one of its processors.
    core: &'static str,
    assembler: fn() -> Result<PathBuf, String>,
    options: &'static [&'static str],
    /// Text before all instructions.
    head: &'static str,
    /// Text before an instruction with this number of bytes.
    before: fn(u8) -> &'static str,
    /// True for instructions that the assembler writes differently, or does not know, by a field and its value.
    apart: fn(name: &str, field: Fields) -> bool,
}

fn arm() -> Result<PathBuf, String> {
    need("arm-none-eabi-as", "binutils-arm-none-eabi")
}

const PLAIN: Family =
    Family { core: "", assembler: arm, options: &[], head: "", before: |_| "", apart: |_, _| false };

const FAMILIES: &[Family] = &[
    Family { core: "arm7tdmi", head: ".syntax unified\n.arm\n.cpu arm7tdmi\n", ..PLAIN },
    Family { core: "cortex-m4", head: ".syntax unified\n.thumb\n.cpu cortex-m4\n", apart: thumb, ..PLAIN },
    Family {
        core: "cortex-m0",
        head: ".syntax unified\n.thumb\n.cpu cortex-m0\n",
        // The assembler writes a move for `nop`, and accepts far calls only for ARMv7-M.
        apart: |name, field| thumb(name, field) || matches!(name, "nop" | "bl"),
        ..PLAIN
    },
    Family {
        core: "avr",
        assembler: || need("avr-as", "binutils-avr"),
        options: &["-mmcu=avr5"],
        // Distances are left to the linker.
        apart: |_, field| field("t").is_some(),
        ..PLAIN
    },
    Family {
        core: "rv32-zkn",
        assembler: || need("riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf"),
        options: &["-march=rv32imc_zbkb_zkne_zknd", "-mabi=ilp32", "-mno-relax"],
        before: |bytes| if bytes == 2 { ".option rvc\n" } else { ".option norvc\n" },
        // Shifts by zero are hints, which the assembler does not write.
        apart: |name, field| name.starts_with("c.s") && field("shamt") == Some(0),
        ..PLAIN
    },
    Family {
        core: "ppc7410",
        assembler: || aesmith_powerpc::judge::binutils("as"),
        options: &["-m7400"],
        ..PLAIN
    },
    Family {
        core: "ultrasparc3",
        assembler: || aesmith_sparc::judge::binutils("as"),
        options: &["-Av9a"],
        head: ".register %g2, #scratch\n.register %g3, #scratch\n.register %g6, #ignore\n.register %g7, #ignore\n",
        ..PLAIN
    },
    Family {
        core: "microblaze-5",
        assembler: || aesmith_microblaze::judge::binutils("as"),
        // Added to binutils after the version of Debian 12.
        apart: |name, _| matches!(name, "bsefi" | "bsifi"),
        ..PLAIN
    },
    Family {
        core: "spu",
        assembler: || aesmith_spu::judge::binutils("as"),
        // The assembler warns of 10-bit numbers for bytes, and refuses counts that shift everything out.
        apart: |name, _| name.ends_with("bi") || matches!(name, "rothmi" | "rotqmbyi"),
        ..PLAIN
    },
    Family {
        core: "pentium4",
        assembler: || aesmith_i386::judge::binutils("as"),
        options: &["--32", "-mindex-reg"],
        // Shorter instructions have the same effect.
        apart: |name, field| name == "xchg" || field("c") == Some(1),
        ..PLAIN
    },
];

/// A load with its base in the list does not write the base back, and the assembler has another text for that;
/// it encodes a downward offset of zero as an upward one, and a sum in one register has a form of its own.
fn thumb(name: &str, field: &dyn Fn(&str) -> Option<i32>) -> bool {
    let nowhere = field("imm") == Some(0) && (name.contains("down") || name.contains("before"));
    let same = name.ends_with("s_imm3") && field("rd") == field("rn");
    nowhere || same || name == "ldm"
}

/// The bytes of a row with its fields at corners.
fn corner(isa: &Isa, row: u16, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let pattern = &isa.rows[usize::from(row)].pattern;
    let register = rng.random::<u64>();
    let together = rng.random_bool(0.3);
    let mut code = pattern.value;
    for place in 0..pattern.fields.len() {
        let held = pattern.held(place);
        let is_register = matches!(isa.rows[usize::from(row)].fields[place].kind, Kind::Register { .. });
        let bits = if is_register && together { register } else { at_corner(held, rng.random()) };
        code |= pattern.put(place, bits & held);
    }
    isa.bytes_of(code, row)
}

/// The encodings among them that the table accepts.
fn accepted(isa: &Isa, each: usize, rng: &mut ChaCha8Rng) -> Vec<Insn> {
    let mut insns = Vec::new();
    for row in 0..isa.rows.len() as u16 {
        for _ in 0..each {
            let bytes = corner(isa, row, rng);
            let Some(insn) = isa.decode(&bytes) else { continue };
            let defined = (isa.undefined)(isa, &insn, Stands::default()).is_none();
            if defined && isa.lacking(&insn).is_none() && isa.encode(&insn).is_ok_and(|again| again == bytes)
            {
                insns.push(insn);
            }
        }
    }
    insns
}

/// The code of each line in its slot, and the assembler's messages for refused lines.
fn assembled(family: &Family, lines: &[String]) -> Result<(Vec<u8>, BTreeMap<usize, String>), String> {
    let program = (family.assembler)()?;
    let mut refused = BTreeMap::new();
    for _ in 0..30 {
        let mut text = family.head.to_owned();
        let mut first = BTreeMap::new();
        for (k, line) in lines.iter().enumerate() {
            text.push_str(&format!(".balign {SLOT}\n"));
            text.push_str(if refused.contains_key(&k) { ".space 4" } else { line });
            text.push('\n');
            first.insert(text.lines().count(), k);
        }
        let (source, object) = (Temporary::new(text.as_bytes())?, Temporary::new(&[])?);
        let said = Command::new(&program)
            .args(family.options)
            .arg("-o")
            .arg(&object.path)
            .arg(&source.path)
            .output()
            .map_err(|e| e.to_string())?;
        if said.status.success() {
            let bytes = std::fs::read(&object.path).map_err(|e| e.to_string())?;
            let file = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
            let section = file.section_by_name(".text").ok_or("the object has no .text")?;
            return Ok((section.data().map_err(|e| e.to_string())?.to_vec(), refused));
        }
        let before = refused.len();
        for error in String::from_utf8_lossy(&said.stderr).lines() {
            let mut parts = error.splitn(3, ':').skip(1);
            let (Some(Ok(line)), Some(what)) = (parts.next().map(str::parse::<usize>), parts.next()) else {
                continue;
            };
            if let Some((_, k)) = first.range(line..).next().filter(|_| what.contains("Error")) {
                refused.insert(*k, what.trim().to_owned());
            }
        }
        if refused.len() == before {
            return Err(String::from_utf8_lossy(&said.stderr).into_owned());
        }
    }
    Err("the assembler refuses more and more lines".into())
}

/// The tables against GNU as.
fn differences(family: &Family, each: usize, seed: u64) -> Result<Vec<String>, String> {
    let isa = (aesmith_processors::core(family.core)?.isa)();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut insns = accepted(isa, each, &mut rng);
    // Instructions after an `it` must carry its conditions.
    let is_apart = |insn: &Insn| {
        isa.of(insn).class == "it" || (family.apart)(&isa.of(insn).name, &|name| isa.operand(insn, name))
    };
    insns.retain(|insn| !is_apart(insn));
    let lines: Vec<String> = insns
        .iter()
        .map(|insn| format!("{}{}", (family.before)(isa.of(insn).bytes()), isa.print(insn, |_| None)))
        .collect();
    let (code, refused) = assembled(family, &lines)?;
    let mut all = Vec::new();
    for (k, (insn, line)) in insns.iter().zip(&lines).enumerate() {
        let line = line.lines().last().unwrap_or_default();
        let name = &isa.of(insn).name;
        let ours = isa.encode(insn)?;
        if let Some(why) = refused.get(&k) {
            all.push(format!("{name}: `{line}` {ours:02x?}: GNU as: {why}"));
            continue;
        }
        let theirs = code.get(SLOT * k..).unwrap_or_default();
        let theirs = &theirs[..theirs.len().min(SLOT)];
        if theirs.starts_with(&ours) {
            continue;
        }
        // Another encoding of the same text, apart from a displacement of zero.
        let short = |text: &str| text.replace(" 0(", " (");
        let same = isa.decode(theirs).is_some_and(|other| short(&isa.print(&other, |_| None)) == short(line));
        if !same {
            all.push(format!(
                "{name}: `{line}` is {ours:02x?}, and of GNU as {:02x?}",
                &theirs[..ours.len().min(theirs.len())]
            ));
        }
    }
    println!("{}: {} instructions at corners", family.core, insns.len());
    Ok(all)
}

#[test]
fn what_tables_accept_at_corners_is_what_gnu_as_makes() {
    let mut all = Vec::new();
    for family in FAMILIES {
        match differences(family, if is_soak() { 200 } else { 8 }, 1) {
            Ok(found) => all.extend(found.into_iter().map(|line| format!("{}: {line}", family.core))),
            Err(why) => println!("skipped: {}: {why}", family.core),
        }
    }
    assert!(all.is_empty(), "{} differ:\n{}", all.len(), all.join("\n"));
}
