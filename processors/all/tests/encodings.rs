//! Encodings of every row of every table, with their fields at corners (zeros, ones, the lowest and the highest bit alone, one
//! register everywhere), read by our tables and written again: what a table accepts, GNU as makes of its text, too. Tables that
//! take a field of 0 for nothing, or forget what a manual refuses, differ here.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use aesmith_isa::Insn;
use aesmith_judge::outside::{Temporary, gnu, need, step};
use aesmith_processor::trial::instructions::attempt;
use aesmith_processor::trial::is_soak;
use aesmith_thumb::table::CONDITIONS;
use object::{Object, ObjectSection};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes from one instruction's place to the next.
const SLOT: usize = 16;

/// The value of a field by its name.
type Fields<'a> = &'a dyn Fn(&str) -> Option<i32>;

/// A family's table, and its assembler.
struct Family {
    /// A processor of it.
    core: &'static str,
    assembler: fn() -> Result<PathBuf, String>,
    options: &'static [&'static str],
    /// The lines before all instructions.
    head: &'static str,
    /// The line before an instruction, by its number of bytes.
    before: fn(u8) -> &'static str,
    /// The lines behind an instruction.
    behind: fn(&str) -> String,
    /// Instructions that the assembler writes otherwise, or does not know, by name and fields.
    apart: fn(name: &str, field: Fields) -> bool,
    /// The linker and its options, where the assembler leaves distances to it.
    linker: Option<(&'static str, &'static [&'static str])>,
}

fn arm() -> Result<PathBuf, String> {
    need("arm-none-eabi-as", "binutils-arm-none-eabi")
}

const PLAIN: Family = Family {
    core: "",
    assembler: arm,
    options: &[],
    head: "",
    before: |_| "",
    behind: |_| String::new(),
    apart: |_, _| false,
    linker: None,
};

const FAMILIES: &[Family] = &[
    Family {
        core: "arm7tdmi",
        head: ".syntax unified\n.arm\n.cpu arm7tdmi\n",
        // The assembler refuses to load the program counter from an unaligned address beside it.
        apart: |name, field| {
            let is_unaligned = field("imm").is_some_and(|n| n & 3 != 0);
            name.starts_with("ldr") && field("rd") == Some(15) && field("rn") == Some(15) && is_unaligned
        },
        ..PLAIN
    },
    Family {
        core: "cortex-m4",
        head: ".syntax unified\n.thumb\n.cpu cortex-m4\n",
        behind: it,
        apart: thumb,
        ..PLAIN
    },
    Family {
        core: "cortex-m0",
        head: ".syntax unified\n.thumb\n.cpu cortex-m0\n",
        // The assembler writes a move for `nop`, and believes ARMv7-M only that a call goes far.
        apart: |name, field| {
            let is_far = name == "bl" && field("far").is_some_and(|n| n.abs() >= 1 << 22);
            thumb(name, field) || name == "nop" || is_far
        },
        ..PLAIN
    },
    Family {
        core: "avr",
        assembler: || need("avr-as", "binutils-avr"),
        options: &["-mmcu=avr5"],
        linker: Some(("avr-ld", &["-m", "avr5", "-Ttext", "0", "-e", "0"])),
        ..PLAIN
    },
    Family {
        core: "rv32-zkn",
        assembler: || need("riscv64-unknown-elf-as", "binutils-riscv64-unknown-elf"),
        options: &["-march=rv32imc_zbkb_zkne_zknd", "-mabi=ilp32", "-mno-relax"],
        before: |bytes| if bytes == 2 { ".option rvc\n" } else { ".option norvc\n" },
        // Shifts by nothing are hints, which the assembler does not write.
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
        // Added to binutils after the version that Debian 12 has; GNU as writes prefixes itself.
        apart: |name, _| matches!(name, "bsefi" | "bsifi" | "imm"),
        ..PLAIN
    },
    Family {
        core: "spu",
        assembler: || aesmith_spu::judge::binutils("as"),
        // The assembler warns of numbers of ten bits for bytes, and refuses counts that leave nothing.
        apart: |name, field| {
            let wide = field("ten").is_some_and(|ten| i8::try_from(ten).is_err());
            let nothing = field("seven").is_some_and(|seven| !(-31..=0).contains(&seven));
            name.ends_with("bi") && wide || matches!(name, "rothmi" | "rotqmbyi") && nothing
        },
        ..PLAIN
    },
    Family {
        core: "pentium4",
        assembler: || aesmith_i386::judge::binutils("as"),
        options: &["--32", "-mindex-reg"],
        // Shorter instructions that do the same.
        apart: |name, field| {
            let is_eax = |operand| field(operand) == Some(0);
            name == "xchg" && (is_eax("r") || is_eax("m")) || field("c") == Some(1)
        },
        ..PLAIN
    },
];

/// A base that is in the list of a load is not written, and the assembler has another text for that; a distance downwards of
/// nothing is one upwards to it, and a sum in one register has a form of its own.
fn thumb(name: &str, field: &dyn Fn(&str) -> Option<i32>) -> bool {
    let nowhere = field("imm") == Some(0) && (name.contains("down") || name.contains("before"));
    let same = name.ends_with("s_imm3") && field("rd") == field("rn");
    let listed = field("list").zip(field("rn")).is_some_and(|(list, rn)| list >> rn & 1 == 1);
    nowhere || same || name == "ldm" && listed
}

/// The instructions behind an `it`, which have to carry its conditions.
fn it(line: &str) -> String {
    let Some((letters, condition)) = line.split_once(' ').filter(|(letters, _)| letters.starts_with("it"))
    else {
        return String::new();
    };
    // Blocks that are always executed have no other condition.
    let number = CONDITIONS.iter().position(|name| *name == condition);
    let other = number.map_or(condition, |number| CONDITIONS[number ^ 1]);
    letters[1..]
        .chars()
        .map(|letter| format!("nop{}\n", if letter == 't' { condition } else { other }))
        .collect()
}

/// The code of these lines, each in its slot.
fn assembled(family: &Family, lines: &[String]) -> Result<Vec<u8>, String> {
    let slot = |line: &String| format!(".balign {SLOT}\n{line}\n{}", (family.behind)(line));
    let text: String = std::iter::once(family.head.to_owned()).chain(lines.iter().map(slot)).collect();
    let Some((linker, options)) = family.linker else {
        return gnu::assembled(&(family.assembler)()?, family.options, &text);
    };
    let [source, object, linked] = [text.as_bytes(), &[], &[]].map(Temporary::new);
    let (source, object, linked) = (source?, object?, linked?);
    let run = |program: PathBuf, options: &[&str], to: &Temporary, from: &Temporary| {
        step(
            Command::new(program).args(options).arg("-o").arg(&to.path).arg(&from.path),
            Duration::from_secs(60),
        )
    };
    run((family.assembler)()?, family.options, &object, &source)?;
    run(need(linker, "binutils")?, options, &linked, &object)?;
    let bytes = std::fs::read(&linked.path).map_err(|e| e.to_string())?;
    let file = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
    let section = file.section_by_name(".text").ok_or("the program has no .text")?;
    Ok(section.data().map_err(|e| e.to_string())?.to_vec())
}

/// The instructions for which GNU as makes other code than the table, and the rows of which it makes the table's own bytes for
/// none.
fn differences(family: &Family, each: usize) -> Result<Vec<String>, String> {
    let isa = (aesmith_processors::core(family.core)?.isa)();
    (family.assembler)()?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let is_apart = |insn: &Insn| (family.apart)(&isa.of(insn).name, &|name| isa.operand(insn, name));
    let mut insns: Vec<Insn> = Vec::new();
    for row in 0..isa.rows.len() as u16 {
        let from = insns.len();
        for tries in 0..40 * each {
            // Some rows accept few operands.
            if tries >= each && insns.len() > from {
                break;
            }
            insns.extend(attempt(isa, row, &mut rng).filter(|i| !is_apart(i)));
        }
        if insns.len() == from {
            // Rows that the manual leaves undefined, or that this processor lacks, are encoded alike.
            let pattern = &isa.rows[usize::from(row)].pattern;
            let bits =
                (0..pattern.fields.len()).map(|k| pattern.put(k, pattern.held(k) & rng.random::<u64>()));
            let bytes = isa.bytes_of(bits.fold(pattern.value, |code, bits| code | bits), row);
            insns
                .extend(isa.decode(&bytes).filter(|i| i.row == row && isa.encode(i).is_ok() && !is_apart(i)));
        }
    }
    let line =
        |insn: &Insn| format!("{}{}", (family.before)(isa.of(insn).bytes()), isa.print(insn, |_| None));
    let lines: Vec<String> = insns.iter().map(line).collect();
    let code = assembled(family, &lines)?;
    let mut all = Vec::new();
    let mut made = vec![false; isa.rows.len()];
    for (k, (insn, line)) in insns.iter().zip(&lines).enumerate() {
        let line = line.lines().last().unwrap_or_default();
        let ours = isa.encode(insn)?;
        let theirs = code.get(SLOT * k..).unwrap_or_default();
        let theirs = &theirs[..theirs.len().min(SLOT)];
        if theirs.starts_with(&ours) {
            made[usize::from(insn.row)] = true;
            continue;
        }
        // Another encoding of the same text, but for a distance of nothing.
        let short = |text: &str| text.replace(" 0(", " (");
        let same = isa.decode(theirs).is_some_and(|other| short(&isa.print(&other, |_| None)) == short(line));
        if !same {
            let theirs = &theirs[..ours.len().min(theirs.len())];
            all.push(format!("`{line}` is {ours:02x?}, and of GNU as {theirs:02x?}"));
        }
    }
    println!("{}: {} instructions at corners", family.core, insns.len());
    let never =
        isa.rows.iter().zip(made).filter(|(row, made)| !made && !(family.apart)(&row.name, &|_| None));
    all.extend(never.map(|(row, _)| format!("{}: never made by GNU as", row.name)));
    Ok(all)
}

#[test]
fn what_tables_accept_at_corners_is_what_gnu_as_makes() {
    let mut all = Vec::new();
    for family in FAMILIES {
        match differences(family, if is_soak() { 200 } else { 20 }) {
            Ok(found) => all.extend(found.into_iter().map(|line| format!("{}: {line}", family.core))),
            Err(why) if (family.assembler)().is_err() => println!("skipped: {}: {why}", family.core),
            Err(why) => all.push(format!("{}: {why}", family.core)),
        }
    }
    assert!(all.is_empty(), "{} differ:\n{}", all.len(), all.join("\n"));
}
