//! GCC's own descriptions of processors, to compare tables of timing with: the cycle in which GCC schedules each
//! instruction of some C code (`-fdump-rtl-sched2 -fsched-verbose=6`).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aesmith_isa::execute::Executed;
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};

use super::gnu::assembled;
use super::step;

/// C code with look-ups, sums, products and comparisons.
const SOURCE: &str = include_str!("scheduled.c");

/// A compiler whose schedules are read, with its options.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The compiler.
    pub compiler: PathBuf,
    /// Its options: the processor, and those that keep it from instructions that the table lacks.
    pub options: Vec<String>,
    /// The assembler.
    pub assembler: PathBuf,
    /// The assembler's options.
    pub assembler_options: Vec<&'static str>,
    /// The character that begins a comment.
    pub comment: char,
    /// The length of one instruction in GCC's output.
    pub length: u8,
}

/// An instruction: its cycle, its text, and the instruction decoded.
pub type Line = (u32, String, Insn);

/// An instruction whose distance from the previous one differs from GCC's, and the reason if it is known.
type Differing = (String, Option<&'static str>);

impl Scheduled {
    /// Blocks of instructions in GCC's order.
    ///
    /// # Errors
    /// A tool fails, or the table lacks an instruction.
    pub fn blocks(&self, isa: &Isa) -> Result<Vec<Vec<Line>>, String> {
        let name =
            format!("aesmith-scheduled-{}-{}", self.options.first().map_or("", |o| o), std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let blocks = self.in_folder(&folder);
        let _ = std::fs::remove_dir_all(&folder);
        let blocks = blocks?;
        // All of them assembled by GNU as, in this order.
        let all: String = blocks.iter().flatten().map(|(_, code)| format!("    {code}\n")).collect();
        let bytes = assembled(&self.assembler, &self.assembler_options, &all)?;
        let mut words = bytes.chunks_exact(4);
        let decoded = blocks.into_iter().map(|block| {
            let one = |(cycle, code): (u32, String)| {
                let word = words.next().ok_or("fewer instructions than lines")?;
                let insn = isa.decode(word).ok_or_else(|| format!("the table does not hold `{code}`"))?;
                Ok((cycle, code, insn))
            };
            block.into_iter().map(one).collect()
        });
        decoded.collect()
    }

    fn in_folder(&self, folder: &Path) -> Result<Vec<Vec<(u32, String)>>, String> {
        std::fs::write(folder.join("it.c"), SOURCE).map_err(|e| e.to_string())?;
        let mut command = Command::new(&self.compiler);
        command.current_dir(folder).args(["-O2", "-fno-pic", "-w"]).args(&self.options);
        command.args(["-fno-asynchronous-unwind-tables", "-dp", "-fdump-rtl-sched2", "-fsched-verbose=6"]);
        step(command.args(["-S", "it.c", "-o", "it.s"]), Duration::from_secs(60))?;
        let text = std::fs::read_to_string(folder.join("it.s")).map_err(|e| e.to_string())?;
        let dump = std::fs::read_dir(folder)
            .map_err(|e| e.to_string())?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|e| e == "sched2"))
            .ok_or("GCC wrote no dump")?;
        let dump = std::fs::read_to_string(dump).map_err(|e| e.to_string())?;
        // The text of an instruction by function and GCC's number for it: `addi 9,9,2  # 40  [c=4 l=4]  *addsi3/1`.
        let mut lines: HashMap<(String, u32), String> = HashMap::new();
        let mut function = String::new();
        let length = format!("l={}]", self.length);
        for line in text.lines() {
            if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with('.')) {
                label.clone_into(&mut function);
            }
            let Some((code, about)) = line.split_once(self.comment) else { continue };
            let number = about.split_whitespace().next().and_then(|n| n.parse().ok());
            if let (Some(number), true) = (number, about.contains(&length)) {
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
        Ok(blocks)
    }
}

/// Compares a table with GCC's cycles, if GCC and the assembler are installed. `caution` returns the reason, if any, why GCC
/// delays an instruction longer than the processor's units and latencies require.
///
/// # Panics
/// They differ, and the reason is unknown.
pub fn compare(
    isa: &Isa,
    timing: &'static Timing,
    scheduled: Result<Scheduled, String>,
    caution: impl Fn(&[Line], &Insn) -> Option<&'static str>,
) {
    let blocks = match scheduled {
        Ok(scheduled) => scheduled.blocks(isa).unwrap_or_else(|e| panic!("{e}")),
        Err(why) => return println!("skipped: {why}"),
    };
    let (count, differ) = held(isa, timing, &blocks, caution);
    println!("{count} instructions, {} differ:", differ.len());
    for (what, why) in &differ {
        println!("    {what}: {}", why.unwrap_or("for no known reason"));
    }
    assert!(count >= 100, "{count} instructions");
    assert!(differ.iter().all(|(_, why)| why.is_some()), "{differ:?}");
}

/// The number of instructions, and the list of differing ones.
fn held(
    isa: &Isa,
    timing: &'static Timing,
    blocks: &[Vec<Line>],
    caution: impl Fn(&[Line], &Insn) -> Option<&'static str>,
) -> (usize, Vec<Differing>) {
    let (mut count, mut differ) = (0, Vec::new());
    for block in blocks {
        let mut model = timing.model();
        model.start();
        let (mut passed, mut behind) = (0i64, 0);
        for (place, (cycle, code, insn)) in block.iter().enumerate() {
            let executed = Executed {
                isa,
                insn,
                pc: 0,
                ran: true,
                jumped: false,
                skipped: 0,
                target: 0,
                by_register: false,
            };
            passed += i64::from(model.step(&executed));
            count += 1;
            let began = passed - i64::from(timing.cycles(&isa.of(insn).class));
            let late = i64::from(*cycle) - began;
            if late != behind {
                let more = late - behind;
                // Units that wait with a late instruction catch up afterwards.
                let again =
                    (0..behind).contains(&late).then_some("GCC makes up for what began later before it");
                differ.push((
                    format!("{code}: GCC says {more} later"),
                    caution(&block[..place], insn).or(again),
                ));
            }
            behind = late;
        }
    }
    (count, differ)
}
