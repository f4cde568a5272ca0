//! `aesmith judge`: the cost of a function of any program on another processor, and the memory that it uses.

use crate::arguments;
use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::quantity::grouped;
use crate::regular;
use aesmith_judge::judge::Answer;
use aesmith_processor::core::Core;
use aesmith_processors::program;
use aesmith_tune::program::{Argument, CallResults, Run, judge};
use serde_json::{Value, json};

/// Judges the program and prints the answer.
pub fn run(options: &arguments::Judge, output: &mut Output) -> Result<(), Failure> {
    let core = aesmith_processors::core(&options.processor).map_err(Failure::Usage)?;
    let path = options.program.display();
    let bytes = regular::read(&options.program, regular::CODE)?;
    let of_program = |e: String| Failure::Other(format!("{path}: {e}"));
    let image = program(core, &bytes).map_err(of_program)?;
    let run = Run { image: &image, symbol: &options.symbol, arguments: &options.args, limit: options.limit };
    let judged = judge(core, &run).map_err(of_program)?;
    if output.json {
        return output.object(&object(options, core, &judged));
    }
    print(options, core, &judged, output)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn figures(answer: &Answer) -> Value {
    json!({ "cycles": answer.cycles, "instructions": answer.instructions, "stack": answer.stack })
}

fn object(options: &arguments::Judge, core: &Core, judged: &CallResults) -> Value {
    let others: Vec<Value> = judged
        .others
        .iter()
        .map(|opinion| match &opinion.answer {
            Ok(answer) => {
                let mut object = figures(answer);
                object["judge"] = opinion.judge.clone().into();
                object["agrees"] = (answer.read == judged.buffers).into();
                object
            }
            Err(why) => json!({ "judge": opinion.judge, "error": why }),
        })
        .collect();
    json!({
        "processor": core.name,
        "program": options.program.display().to_string(),
        "symbol": options.symbol,
        "model": figures(&judged.ours),
        "model_about": core.model_about,
        "classes": judged.classes,
        "touched": judged.touched.iter().map(|t| json!({
            "from": t.from, "bytes": t.until - t.from, "written": t.written, "what": t.what,
        })).collect::<Vec<_>>(),
        "buffers": judged.buffers.iter().map(|b| hex(b)).collect::<Vec<_>>(),
        "judges": others,
    })
}

fn print(
    options: &arguments::Judge,
    core: &Core,
    judged: &CallResults,
    output: &mut Output,
) -> Result<(), Failure> {
    output.line(format!(
        "{} of {} on {}, call and return included as the callee sees them",
        options.symbol,
        options.program.display(),
        core.name
    ))?;
    output.line("")?;
    let mut table = Table::new("judge|>cycles|>instructions|>stack|");
    let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| grouped(n.into()));
    let mut row = |name: &str, answer: &Answer, note: &str| {
        let Answer { cycles, instructions, stack, .. } = answer;
        table.row([name.to_owned(), number(*cycles), number(*instructions), number(*stack), note.to_owned()]);
    };
    row("our interpreter, machine model", &judged.ours, core.model_about);
    for opinion in &judged.others {
        if let Ok(answer) = &opinion.answer {
            let same = answer.read == judged.buffers;
            row(&opinion.judge, answer, if same { "same memory" } else { "OTHER MEMORY than ours" });
        }
    }
    output.table(&table)?;
    for opinion in &judged.others {
        if let Err(why) = &opinion.answer {
            output.line(format!("{}: {why}", opinion.judge))?;
        }
    }
    output.line("")?;
    let mut table = Table::new("instructions of class|>executed");
    let mut classes: Vec<(&String, &u64)> = judged.classes.iter().collect();
    classes.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    for (class, count) in classes {
        table.row([class.clone(), grouped((*count).into())]);
    }
    output.table(&table)?;
    output.line("")?;
    let mut table = Table::new("data memory|>from|>bytes|what");
    for t in &judged.touched {
        let verb = if t.written { "written" } else { "read" };
        table.row([
            verb.to_owned(),
            format!("{:#x}", t.from),
            grouped((t.until - t.from).into()),
            t.what.clone(),
        ]);
    }
    output.table(&table)?;
    let numbers = (1..).zip(&options.args).filter(|(_, a)| matches!(a, Argument::Buffer(_)));
    if !judged.buffers.is_empty() {
        output.line("")?;
    }
    for ((number, _), bytes) in numbers.zip(&judged.buffers) {
        output.line(format!("argument {number} afterwards  hex:{}", hex(bytes)))?;
    }
    Ok(())
}
