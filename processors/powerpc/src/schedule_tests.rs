//! The timing tables held against GCC's descriptions of the same processors: C that GCC schedules, and the cycle in which
//! it has each instruction begin (`-fdump-rtl-sched2 -fsched-verbose=6`).

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use aesmith_isa::Insn;
use aesmith_isa::execute::Executed;
use aesmith_isa::timing::Timing;
use aesmith_judge::outside::{need, step};

use super::cycles::{MPC7410, MPC7450};
use super::judge::binutils;
use super::table::isa;

const SOURCE: &str = include_str!("scheduled.c");

/// Blocks of instructions in GCC's order, each with its cycle.
type Blocks = Vec<Vec<(u32, String, Insn)>>;

fn scheduled(cpu: &str) -> Result<Blocks, String> {
    let compiler = need("powerpc-linux-gnu-gcc", "gcc-powerpc-linux-gnu")?;
    let folder = std::env::temp_dir().join(format!("aesmith-scheduled-{cpu}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let found = in_folder(&compiler, cpu, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    found
}

fn in_folder(compiler: &std::path::Path, cpu: &str, folder: &std::path::Path) -> Result<Blocks, String> {
    std::fs::write(folder.join("it.c"), SOURCE).map_err(|e| e.to_string())?;
    let mut command = Command::new(compiler);
    command.current_dir(folder).args(["-O2", &format!("-mcpu={cpu}"), "-mno-altivec", "-fno-pic", "-w"]);
    command.args(["-fno-asynchronous-unwind-tables", "-dp", "-fdump-rtl-sched2", "-fsched-verbose=6"]);
    step(command.args(["-S", "it.c", "-o", "it.s"]), Duration::from_secs(60))?;
    let text = std::fs::read_to_string(folder.join("it.s")).map_err(|e| e.to_string())?;
    let dump = std::fs::read_dir(folder)
        .map_err(|e| e.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|e| e == "sched2"))
        .ok_or("GCC wrote no dump")?;
    let dump = std::fs::read_to_string(dump).map_err(|e| e.to_string())?;
    // The code of an instruction by function and GCC's number for it: `addi 9,9,2  # 40  [c=4 l=4]  *addsi3/1`.
    let mut lines: HashMap<(String, u32), String> = HashMap::new();
    let mut function = String::new();
    for line in text.lines() {
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with('.')) {
            label.clone_into(&mut function);
        }
        let Some((code, about)) = line.split_once('#') else { continue };
        let number = about.split_whitespace().next().and_then(|n| n.parse().ok());
        if let (Some(number), true) = (number, about.contains("l=4]")) {
            lines.insert((function.clone(), number), code.trim().to_owned());
        }
    }
    let mut blocks: Vec<Vec<(u32, String)>> = Vec::new();
    for line in dump.lines() {
        if let Some(rest) = line.strip_prefix(";; Function ") {
            rest.split_whitespace().next().unwrap_or_default().clone_into(&mut function);
        }
        if line.contains("-- basic block") {
            blocks.push(Vec::new());
        }
        let Some((cycle, rest)) = line.strip_prefix(";;").and_then(|l| l.split_once("--> b")) else {
            continue;
        };
        let number = rest.split_once(": i").and_then(|(_, r)| r.split_whitespace().next()?.parse().ok());
        let known = number.and_then(|number| lines.get(&(function.clone(), number)));
        if let (Ok(cycle), Some(code), Some(block)) = (cycle.trim().parse(), known, blocks.last_mut()) {
            block.push((cycle, code.clone()));
        }
    }
    // What GNU as makes of all of them, in this order.
    let all: String = blocks.iter().flatten().map(|(_, code)| format!("    {code}\n")).collect();
    std::fs::write(folder.join("all.s"), all).map_err(|e| e.to_string())?;
    let mut assembler = Command::new(binutils("as")?);
    step(assembler.current_dir(folder).args(["-m7400", "all.s", "-o", "all.o"]), Duration::from_secs(60))?;
    let mut copy = Command::new(binutils("objcopy")?);
    let line = ["-O", "binary", "-j", ".text", "all.o", "all.bin"];
    step(copy.current_dir(folder).args(line), Duration::from_secs(60))?;
    let bytes = std::fs::read(folder.join("all.bin")).map_err(|e| e.to_string())?;
    let mut words = bytes.chunks_exact(4);
    let decoded = blocks.into_iter().map(|block| {
        let one = |(cycle, code): (u32, String)| {
            let word = words.next().ok_or("fewer instructions than lines")?;
            let insn = isa().decode(word).ok_or_else(|| format!("the table does not hold `{code}`"))?;
            Ok((cycle, code, insn))
        };
        block.into_iter().map(one).collect()
    });
    decoded.collect()
}

/// Why GCC has an instruction begin later than the processor's units and latencies ask for, if it does.
fn caution(before: &[(u32, String, Insn)], insn: &Insn) -> Option<&'static str> {
    let class = |insn: &Insn| isa().of(insn).class.as_str();
    let any = |name: &str| before.iter().any(|(_, _, insn)| class(insn) == name);
    match class(insn) {
        "load" if any("store") => Some("a store before it may be to the same place"),
        "branch" | "return" if any("compare") => Some("GCC keeps a comparison away from its branch"),
        _ => None,
    }
}

/// Holds a table against GCC's cycles: how many instructions there were, those that begin later or earlier after the one
/// before than GCC says, and why.
fn held(timing: &'static Timing, blocks: &Blocks) -> (usize, Vec<(String, Option<&'static str>)>) {
    let isa = isa();
    let (mut count, mut differ) = (0, Vec::new());
    for block in blocks {
        let mut model = timing.model();
        model.start();
        let (mut passed, mut behind) = (0i64, 0);
        for (place, (cycle, code, insn)) in block.iter().enumerate() {
            let executed = Executed { isa, insn, pc: 0, ran: true, jumped: false, skipped: 0, target: 0 };
            passed += i64::from(model.step(&executed));
            count += 1;
            let late = i64::from(*cycle) - (passed - 1);
            if late != behind {
                let more = late - behind;
                differ.push((format!("{code}: GCC says {more} later"), caution(&block[..place], insn)));
            }
            behind = late;
        }
    }
    (count, differ)
}

#[test]
fn instructions_begin_when_gcc_says() {
    for (cpu, timing) in [("7400", &MPC7410), ("7450", &MPC7450)] {
        let blocks = match scheduled(cpu) {
            Ok(blocks) => blocks,
            Err(why) => return println!("skipped: {why}"),
        };
        let (count, differ) = held(timing, &blocks);
        println!("{cpu}: {count} instructions, {} differ:", differ.len());
        for (what, why) in &differ {
            println!("    {what}: {}", why.unwrap_or("and nobody knows why"));
        }
        assert!(count >= 100, "{cpu}: {count} instructions");
        assert!(differ.iter().all(|(_, why)| why.is_some()), "{cpu}: {differ:?}");
    }
}
