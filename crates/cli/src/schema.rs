//! Names of the JSON schemas of commands.

use crate::arguments::{Command, Judging, Wisdom, developer, isa::Isa};
use crate::kernels::form;

/// The name of the form of a command's JSON, by which readers distinguish objects. The file in docs/schemas is named
/// after the command and describes all its forms: with `--processor`, some commands print other keys. The processor's
/// kernels say which form.
pub fn schema(command: &Command) -> String {
    let of = |name: &str, processor: &Option<String>| format!("{name}{}", form(processor.as_deref()));
    // GPUs print the space of a table, and have no profile of their own.
    let by_table = |name: &str, processor: &Option<String>| match form(processor.as_deref()) {
        "" => name.to_owned(),
        _ => format!("{name}-processor"),
    };
    let fixed = match command {
        Command::Tune(t) if t.judge == Judging::Model && form(t.sought.processor.as_deref()).is_empty() => {
            "tune-model"
        }
        Command::Tune(t) => return of("tune", &t.sought.processor),
        Command::Emit(e) => return of("emit", &e.sought.processor),
        Command::Explain(e) => return of("explain", &e.processor),
        Command::Space(s) => return by_table("space", &s.processor),
        Command::Bench(b) => return by_table("bench", &b.processor),
        Command::Profile(p) => return by_table("profile", &p.processor),
        Command::Count(c) if form(c.processor.as_deref()) == "-grid" => "count-grid",
        Command::Verify(_) => "verify",
        Command::Wisdom(Wisdom::List { .. }) => "wisdom-list",
        Command::Wisdom(Wisdom::Show { .. }) => "wisdom-show",
        Command::Wisdom(Wisdom::Export { .. }) => "wisdom-export",
        Command::Wisdom(Wisdom::Import { .. }) => "wisdom-import",
        Command::Wisdom(Wisdom::Forget { .. }) => "wisdom-forget",
        Command::Report(_) => "report",
        Command::Replay(_) => "replay",
        Command::Reproduce(_) => "reproduce",
        Command::Count(c) if c.accounting => "count-accounting",
        Command::Count(_) => "count",
        Command::Processors => "processors",
        Command::Judge(_) => "judge",
        Command::Isa(Isa::List) => "isa-list",
        Command::Isa(Isa::Check(_)) => "isa-check",
        Command::Isa(Isa::Explore(_)) => "isa-explore",
        Command::Isa(Isa::Verilog(_)) => "isa-verilog",
        Command::Doctor => "doctor",
        Command::Completions(_) => "completions",
        Command::Man(_) => "man",
    };
    fixed.to_owned()
}

/// The name of the schema of a command of `aesmith-bench`, that of the command of `aesmith` with the same output.
pub fn developer_schema(command: &developer::Command) -> &'static str {
    match command {
        developer::Command::Goals(_) | developer::Command::Bench(_) => "bench",
        developer::Command::Reproduce(_) => "reproduce",
        developer::Command::Accounting(_) | developer::Command::Count(_) => "count-accounting",
        developer::Command::Replay(_) => "replay",
        developer::Command::Completions(_) => "completions",
        developer::Command::Man(_) => "man",
    }
}
