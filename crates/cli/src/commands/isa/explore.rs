//! `aesmith isa explore`: the gain of an extension's instructions on processors.

use crate::arguments::isa::Explore;
use crate::deliver;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table, say};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::{cycles, grouped};
use crate::sources::store_or_copy;
use aesmith_cipher::Problem;
use aesmith_emit::package::{self, File};
use aesmith_emit::{Function, assembly};
use aesmith_explore::kernel::Figures;
use aesmith_explore::paper::TABLE_1;
use aesmith_explore::part::{Kind, Part};
use aesmith_explore::{Base, Exploration, ExploreError, ExploreRequest, Outcome, Row, explore};
use aesmith_extension::area::ASSUMPTIONS;
use aesmith_tune::deliver::firmware::made;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::Ordering;

/// The number of orders and allocations tried for each promising variant.
const SEEDS: u32 = 4;

/// Explores and prints the results.
pub fn run(options: &Explore, wisdom: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    if let Some(file) = &options.html {
        overwrite::allowed(file, options.force)?;
    }
    let extension = super::read(&options.extension)?;
    let asked = ExploreRequest {
        extension,
        unit: options.unit.unit(),
        bases: super::bases(&options.base, &options.extension, extension)?,
        parts: parts(options.problem)?,
        hardware: true,
        seeds: SEEDS,
        interrupted: interrupt::flag(),
    };
    if let Some(time) = options.time {
        let over = asked.interrupted.clone();
        std::thread::spawn(move || {
            std::thread::sleep(time);
            over.store(true, Ordering::Relaxed);
        });
    }
    let mut store = store_or_copy(wisdom)?;
    let mut reporter = Reporter::new("cycles");
    let found = explore(&asked, &mut store, &mut |event| reporter.show(event));
    reporter.finish();
    let found = found.map_err(|error| match error {
        ExploreError::Nothing(reason) => Failure::Other(format!("{}, {reason}", options.extension)),
        ExploreError::Wisdom(error) => error.into(),
    })?;
    if output.json {
        objects(&found, output)?
    } else {
        print(&found, output)?
    }
    if let Some(directory) = &options.output {
        for path in write(&found, directory, options.force)? {
            if !output.json {
                output.line(path)?;
            }
        }
    }
    if let Some(file) = &options.html {
        super::page::write(&found, file, options.force)?;
        if !output.json {
            output.line(format!("report: {}", file.display()))?;
        }
    }
    interrupt::signal().map_or(Ok(()), |signal| {
        say("aesmith: interrupted; kernels that are shown are proved and kept, others are missing, and the same command goes on");
        Err(Failure::Interrupted(signal))
    })
}

/// The kernels to explore: all, or those of a problem.
///
/// # Errors
/// No kernel has this problem.
fn parts(problem: Option<Problem>) -> Result<Vec<Part>, Failure> {
    let all = Part::all();
    let Some(problem) = problem else { return Ok(all) };
    let of: Vec<Part> = all.iter().copied().filter(|part| part.problem() == problem).collect();
    if of.is_empty() {
        let mut names: Vec<String> = all.iter().map(|part| part.problem().to_string()).collect();
        names.sort();
        names.dedup();
        return Err(Failure::Usage(format!(
            "custom instructions are explored for {}, not for {problem}",
            names.join(", ")
        )));
    }
    Ok(of)
}

/// Prints a line of JSON for the extension, one for each kernel, and one for the paper's table.
fn objects(found: &Exploration, output: &mut Output) -> Result<(), Failure> {
    output.object(&json!({
        "what": "extension",
        "extension": found.extension,
        "about": found.about,
        "source": found.source,
        "instructions": found.instructions.iter().map(|(n, a)| json!({ "name": n, "about": a })).collect::<Vec<_>>(),
        "bases": found.bases,
        "hardware": found.hardware,
        "seconds": found.seconds,
        "known": found.known,
        "interrupted": found.interrupted,
    }))?;
    for row in &found.rows {
        let mut object = serde_json::to_value(row).map_err(|e| Failure::Other(e.to_string()))?;
        object["what"] = "kernel".into();
        object["over_plain"] = row.over_plain().into();
        object["over_baseline"] = row.over_baseline().into();
        output.object(&object)?;
    }
    for line in &TABLE_1 {
        let mut object = serde_json::to_value(line).map_err(|e| Failure::Other(e.to_string()))?;
        object["what"] = "paper".into();
        output.object(&object)?;
    }
    Ok(())
}

fn print(found: &Exploration, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{}: {}", found.extension, found.about))?;
    for base in &found.bases {
        output.line("")?;
        one(found, base, output)?;
    }
    output.line("")?;
    paper(found, output)?;
    output.line("")?;
    hardware(found, output)?;
    output.line("")?;
    output.line(format!(
        "{} kernels in {:.1} s, {} of them proved and examined before{}",
        found.rows.iter().flat_map(|r| [&r.extended, &r.plain, &r.baseline]).filter(|f| f.is_ok()).count(),
        found.seconds,
        found.known,
        match (found.interrupted, interrupt::signal()) {
            (false, _) => "",
            (true, Some(_)) => "; interrupted",
            (true, None) =>
                "; the time was over: kernels without figures are left, and the same command goes on",
        }
    ))
}

/// Prints the kernels of a processor.
fn one(found: &Exploration, base: &Base, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{} ({}), by {}", base.name, base.about, base.port))?;
    if let Some(reason) = &base.refused {
        return output.sentence(reason, "  ");
    }
    let rows: Vec<&Row> = found.rows.iter().filter(|r| r.base == base.name).collect();
    let mut table = Table::new(
        "kernel|>cycles|>plain|>times plain|>S-box code|>times S-box code|>executed|>of these custom|>code|>tables",
    );
    let number = |f: &Outcome<Figures>| f.as_ref().map_or("-".into(), |f| cycles(f.cycles));
    let times = |n: Option<f64>| n.map_or("-".into(), |n| format!("{n:.2}"));
    for row in &rows {
        let of = |read: &dyn Fn(&Figures) -> u64| {
            row.extended.as_ref().map_or("-".into(), |f| grouped(read(f).into()))
        };
        table.row([
            row.part.to_string(),
            number(&row.extended),
            number(&row.plain),
            times(row.over_plain()),
            number(&row.baseline),
            times(row.over_baseline()),
            of(&|f| f.instructions),
            of(&|f| f.custom),
            of(&|f| f.code),
            of(&|f| f.tables),
        ]);
    }
    output.table(&table)?;
    let mut say = |text: &str| output.sentence(text, "  ");
    let by = counted(&rows);
    say(&format!("cycles by {}", by.join("; ")))?;
    if by.iter().any(|b| b.starts_with("machine model")) {
        say(&format!("machine model: {}", base.model))?;
    }
    let constant = |read: fn(&Row) -> &Outcome<Figures>| {
        let all: Vec<&Figures> = rows.iter().filter_map(|r| read(r).as_ref().ok()).collect();
        format!("{} of {}", all.iter().filter(|f| f.constant_time).count(), all.len())
    };
    say(&format!(
        "constant time, proved: {} with the extension, {} of plain code",
        constant(|r| &r.extended),
        constant(|r| &r.plain)
    ))?;
    base.beside.iter().try_for_each(|why| say(why))?;
    unpaid(&rows).iter().try_for_each(|sentence| say(sentence))?;
    reasons(&rows).iter().try_for_each(|reason| say(reason))
}

/// Sentences on kernels without a gain: none of the extension's instructions is used, or plain code is as fast.
fn unpaid(rows: &[&Row]) -> Vec<String> {
    let of = |wanted: &dyn Fn(&Row, &Figures) -> bool| {
        let found = rows.iter().filter(|row| row.extended.as_ref().is_ok_and(|f| wanted(row, f)));
        found.map(|row| row.part.to_string()).collect::<Vec<_>>()
    };
    let unused = of(&|_, figures| figures.custom == 0);
    let slower = of(&|row, figures| figures.custom > 0 && row.over_plain().is_some_and(|times| times <= 1.0));
    let mut sentences = Vec::new();
    if !unused.is_empty() {
        sentences.push(format!("does not pay: no instruction of it is used in {}", unused.join("; ")));
    }
    if !slower.is_empty() {
        sentences.push(format!("does not pay: plain code takes no more cycles in {}", slower.join("; ")));
    }
    sentences
}

/// The judges that counted cycles, those of the extension's kernels first.
pub fn counted(rows: &[&Row]) -> Vec<String> {
    let mut by: Vec<String> = Vec::new();
    let columns: [fn(&Row) -> &Outcome<Figures>; 3] = [|r| &r.extended, |r| &r.plain, |r| &r.baseline];
    for figures in columns.iter().flat_map(|read| rows.iter().filter_map(|row| read(row).as_ref().ok())) {
        if !by.contains(&figures.by) {
            by.push(figures.by.clone());
        }
    }
    by
}

/// The reasons for missing figures, each once with its kernels.
fn reasons(rows: &[&Row]) -> Vec<String> {
    let mut found: Vec<(&String, Vec<String>)> = Vec::new();
    for row in rows {
        for reason in [&row.extended, &row.plain, &row.baseline].into_iter().filter_map(|f| f.as_ref().err())
        {
            match found.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, parts)) => parts.push(row.part.to_string()),
                None => found.push((reason, vec![row.part.to_string()])),
            }
        }
    }
    found.into_iter().map(|(reason, parts)| format!("{reason}: {}", parts.join("; "))).collect()
}

/// Prints the paper's Table 1 beside the same kernels here.
fn paper(found: &Exploration, output: &mut Output) -> Result<(), Failure> {
    output.line("AES-128 encryption beside Table 1 of Bertoni et al. (compiled C, on an ARM simulator)")?;
    let mut table = Table::new(
        "|>cipher|>times in cipher|>key schedule|>times in schedule|>on the fly|>times on the fly",
    );
    let kinds = [Kind::Cipher, Kind::KeySchedule, Kind::OnTheFly];
    for line in &TABLE_1 {
        let cells = kinds.map(|k| [line.cycles(k).to_string(), format!("{:.2}", line.speed_up(k))]);
        table.row([format!("paper: {}", line.instructions)].into_iter().chain(cells.into_iter().flatten()));
    }
    for base in found.bases.iter().filter(|b| b.refused.is_none()) {
        let of =
            |kind: Kind| found.rows.iter().find(|r| r.base == base.name && r.part == Part::encrypt128(kind));
        let rows = kinds.map(of);
        let plain = rows.map(|row| {
            let cycles = row.and_then(|r| r.baseline.as_ref().ok()).map(|f| cycles(f.cycles));
            let one = if cycles.is_some() { "1.00" } else { "-" };
            [cycles.unwrap_or("-".into()), one.into()]
        });
        let extended = rows.map(|row| {
            let cycles = row.and_then(|r| r.extended.as_ref().ok()).map(|f| cycles(f.cycles));
            let times = row.and_then(Row::over_baseline).map(|n| format!("{n:.2}"));
            [cycles.unwrap_or("-".into()), times.unwrap_or("-".into())]
        });
        let line = |name: String, cells: [[String; 2]; 3]| {
            [name].into_iter().chain(cells.into_iter().flatten()).collect::<Vec<_>>()
        };
        table.row(line(format!("{}: S-box code", base.name), plain));
        table.row(line(format!("{}: {}", base.name, found.extension), extended));
    }
    output.table(&table)
}

/// Prints the unit's area and depth, and their trade-off against cycles.
fn hardware(found: &Exploration, output: &mut Output) -> Result<(), Failure> {
    match &found.hardware.unit {
        Ok(unit) => output
            .line(format!(
                "unit: {} gate equivalents, {} cells deep, {}",
                grouped(unit.gate_equivalents.round() as u128),
                unit.depth,
                match unit.sboxes {
                    0 => "no S-box".to_owned(),
                    1 => format!("1 S-box as a {}", unit.sbox),
                    more => format!("{more} S-boxes as a {}", unit.sbox),
                }
            ))
            .and_then(|()| output.sentence(&format!("{ASSUMPTIONS}."), "  "))?,
        Err(reason) => {
            let text = format!("unit: gate equivalents -, depth -: {reason}");
            return output.sentence(&text, "");
        }
    }
    let curve = match &found.hardware.curve {
        Ok(curve) => curve,
        Err(reason) => {
            return output.sentence(&format!("no trade: {reason}"), "");
        }
    };
    let names = curve.first().map_or(Vec::new(), |t| t.cycles.iter().map(|(n, _)| *n).collect());
    let columns: Vec<String> = names.iter().map(|name| format!(">cycles on {name}")).collect();
    let mut headings = vec!["S-boxes", ">gate equivalents", ">depth"];
    headings.extend(columns.iter().map(String::as_str));
    let mut table = Table::with(&headings);
    for trade in curve {
        let unit = &trade.unit;
        let fixed = [
            if unit.sboxes == 0 { "none".to_owned() } else { format!("{} as {}", unit.sboxes, unit.sbox) },
            grouped(unit.gate_equivalents.round() as u128),
            unit.depth.to_string(),
        ];
        table.row(fixed.into_iter().chain(trade.cycles.iter().map(|(_, n)| cycles(*n))));
    }
    output.table(&table)?;
    output.line("  cycles of AES-128 encryption of a block by the machine models")
}

/// Writes the extended kernels as assembly, with a directory for each processor, and returns the files' paths.
fn write(found: &Exploration, directory: &Path, force: bool) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    for base in &found.bases {
        let Some(core) = base.extended else { continue };
        let folder = directory.join(base.name);
        let mut files = Vec::new();
        for row in found.rows.iter().filter(|r| r.base == base.name) {
            let Ok(figures) = &row.extended else { continue };
            let certificate = &figures.certificate;
            let made = made(core, row.part.problem(), &certificate.variant).map_err(Failure::Other)?;
            let function = Function::of_firmware(core, made.kernel, certificate)?;
            let fly = if row.part.kind == Kind::OnTheFly { "_fly" } else { "" };
            let name = format!("{}{fly}", function.symbol);
            files.extend(function.facts.iter().map(|stated| package::certificate("", &name, &stated.json)));
            files.push(File { name: format!("{name}.S"), contents: assembly::file(&[function])? });
        }
        paths.extend(deliver::write(&files, &folder, force)?);
    }
    Ok(paths)
}
