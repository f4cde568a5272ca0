//! The goals of custom instructions: a table of targets, and the figures reached.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use aesmith_extension::area;
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use aesmith_processor::attach::attach;
use aesmith_rv32::scarv;
use aesmith_wisdom::{Filter, Store, WisdomError};

use super::{Goal, markdown};
use aesmith_explore::part::{Kind, Part};
use aesmith_explore::{Exploration, ExploreError, ExploreRequest, Row, explore};
use aesmith_processor::bits_certificate::proved;
use aesmith_processor::cost::BuiltKernel;
use aesmith_tune::Event;
use aesmith_wisdom::write::now_ms;

/// A measured quantity.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Figure {
    /// Cycles of AES-128 encryption.
    Cycles(Kind),
    /// The speed-up of AES-128 encryption over S-box tables and plain MixColumns.
    Times(Kind),
    /// Modelled cycles of AES-128 encryption in a loop of two rounds, with the overhead that Marshall et al. count
    /// around it.
    Loop,
    /// Area of the unit in gate equivalents.
    Area,
    /// Seconds of an exploration of everything when only plain code is known.
    Seconds,
}

/// A target.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Target {
    /// At most the first value; the second is the aim.
    Most(f64, Option<f64>),
    /// At least this.
    Least(f64),
    /// Within a share (the second value) of the first.
    Near(f64, f64),
}

/// A line of the table.
struct Line {
    set: &'static str,
    base: &'static str,
    figure: Figure,
    target: Target,
    about: &'static str,
}

const fn line(
    set: &'static str,
    base: &'static str,
    figure: Figure,
    target: Target,
    about: &'static str,
) -> Line {
    Line { set, base, figure, target, about }
}

use Figure::{Area, Cycles, Loop, Seconds, Times};
use Kind::{Cipher, KeySchedule, OnTheFly};
use Target::{Least, Most, Near};

/// The extension for the timed exploration; the store does not know it.
const NEW: &str = include_str!("ten_lines.toml");
/// The name of this extension in the table.
const TEN_LINES: &str = "ten lines";
/// The processors of the timed exploration.
const FOUR: &str = "arm7tdmi, arm9tdmi, picorv32, vexriscv";

/// Our unit is not the published one. The test `area.rs` of `extension` synthesizes the published one.
const V3_AREA: &str =
    "Marshall et al.: V3's area; their form of the unit, by our recipe, is within 2 % of it";

/// The table. ARM7TDMI is our ARM model nearest to the paper's original: its loads take three or more cycles, as those
/// of a core without caches.
const LINES: &[Line] = &[
    line("bertoni-bytes", "arm7tdmi", Cycles(Cipher), Most(451.0, None), "Table 1: SBox and SMix"),
    line("bertoni-bytes", "arm9tdmi", Cycles(Cipher), Most(451.0, None), "Table 1: SBox and SMix"),
    line("bertoni-subword", "arm7tdmi", Cycles(Cipher), Most(311.0, None), "Table 1: SMixW and SubWord"),
    line("bertoni-subword", "arm7tdmi", Cycles(KeySchedule), Most(533.0, None), "Table 1: SMixW and SubWord"),
    line("bertoni-subword", "arm7tdmi", Cycles(OnTheFly), Most(577.0, None), "Table 1: SMixW and SubWord"),
    line("bertoni-ksfw", "arm7tdmi", Cycles(KeySchedule), Most(703.0, None), "Table 1: KSFw"),
    line("bertoni-words", "arm7tdmi", Cycles(Cipher), Most(311.0, None), "Table 1: all word instructions"),
    line(
        "bertoni-words",
        "arm7tdmi",
        Cycles(KeySchedule),
        Most(443.0, None),
        "Table 1: all word instructions",
    ),
    line("bertoni-words", "arm7tdmi", Cycles(OnTheFly), Most(497.0, None), "Table 1: all word instructions"),
    line("bertoni-words", "arm9tdmi", Cycles(Cipher), Most(311.0, None), "Table 1: all word instructions"),
    line(
        "bertoni-words",
        "arm9tdmi",
        Cycles(KeySchedule),
        Most(443.0, None),
        "Table 1: all word instructions",
    ),
    line("bertoni-words", "arm9tdmi", Cycles(OnTheFly), Most(497.0, None), "Table 1: all word instructions"),
    // The paper's text names these speed-ups for the rows of 311 and 497 cycles.
    line("bertoni-words", "arm7tdmi", Times(Cipher), Least(3.45), "the paper's text; its Table 1: 4.74"),
    line("bertoni-words", "arm7tdmi", Times(OnTheFly), Least(2.56), "the paper's text; its Table 1: 3.56"),
    line("smix3", "arm7tdmi", Cycles(Cipher), Most(264.0, Some(250.8)), "SMix of three operands"),
    line("smix3", "arm9tdmi", Cycles(Cipher), Most(238.0, Some(226.1)), "SMix of three operands"),
    line("smix3", "picorv32", Cycles(Cipher), Most(930.0, Some(883.5)), "SMix of three operands"),
    line("smix3", "vexriscv", Cycles(Cipher), Most(392.0, Some(372.4)), "SMix of three operands"),
    line("pair", "arm7tdmi", Cycles(Cipher), Most(264.0, Some(250.8)), "found by exploring"),
    line("pair", "arm9tdmi", Cycles(Cipher), Most(238.0, Some(226.1)), "found by exploring"),
    line("pair", "picorv32", Cycles(Cipher), Most(930.0, Some(883.5)), "found by exploring"),
    line("pair", "vexriscv", Cycles(Cipher), Most(392.0, Some(372.4)), "found by exploring"),
    line("zkn", "scarv", Loop, Near(291.0, 0.05), "Marshall et al.: V3 on a core of five stages"),
    line("zkn", "", Area, Most(1149.0 * 1.05, Some(1149.0)), V3_AREA),
    line(TEN_LINES, FOUR, Seconds, Most(120.0, None), "a new extension, plain code as far as it is known"),
];

/// Measures all lines of the table.
pub fn goals(
    store: &mut Store,
    seeds: u32,
    interrupted: &Arc<AtomicBool>,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Goal>, WisdomError> {
    let mut explored: Vec<(&str, Result<Exploration, String>)> = Vec::new();
    for set in ["bertoni-bytes", "bertoni-subword", "bertoni-ksfw", "bertoni-words", "smix3", "pair"] {
        let mut bases: Vec<&str> = LINES.iter().filter(|l| l.set == set).map(|l| l.base).collect();
        bases.dedup();
        bases.sort_unstable();
        bases.dedup();
        let parts = Kind::ALL.map(Part::encrypt128).to_vec();
        let found = asked(sets::find(set).unwrap_or_default(), &bases, parts, seeds, interrupted)
            .and_then(|asked| explored_by(&asked, store, observer));
        explored.push((set, found));
    }
    // With an unused name, neither kernels nor unit are known, only plain code.
    let text = NEW.replacen("ten-lines", &format!("ten-lines-{}", now_ms()), 1);
    let bases: Vec<&str> = FOUR.split(", ").collect();
    let found = asked(&text, &bases, Part::all(), 0, interrupted)
        .and_then(|asked| explored_by(&ExploreRequest { hardware: true, ..asked }, store, observer));
    if let Ok(found) = &found {
        for core in found.bases.iter().filter_map(|base| base.extended) {
            store.forget(&Filter { processor: Some(core.name.into()), ..Filter::default() })?;
        }
    }
    explored.push((TEN_LINES, found));
    Ok(LINES.iter().map(|line| reached(line, &explored)).collect())
}

fn asked(
    text: &str,
    bases: &[&str],
    parts: Vec<Part>,
    seeds: u32,
    interrupted: &Arc<AtomicBool>,
) -> Result<ExploreRequest, String> {
    let extension = Extension::parse(text).map_err(|m| m.to_string())?;
    Ok(ExploreRequest {
        extension: Box::leak(Box::new(extension)),
        unit: Unit::default(),
        bases: bases.iter().map(|name| aesmith_processors::core(name)).collect::<Result<_, _>>()?,
        parts,
        hardware: false,
        seeds,
        interrupted: interrupted.clone(),
    })
}

fn explored_by(
    asked: &ExploreRequest,
    store: &mut Store,
    observer: &mut dyn FnMut(Event),
) -> Result<Exploration, String> {
    explore(asked, store, observer).map_err(|e: ExploreError| e.to_string())
}

fn reached(line: &Line, explored: &[(&str, Result<Exploration, String>)]) -> Goal {
    let (what, unit) = match line.figure {
        Cycles(kind) => (kind.to_string(), "cycles"),
        Times(kind) => (kind.to_string(), "times as fast as S-box code"),
        Loop => ("cipher in a loop of two rounds, as measured".into(), "cycles"),
        Area => ("area".into(), "gate equivalents"),
        Seconds => ("exploring everything".into(), "seconds"),
    };
    let goal = match line.target {
        Most(most, aim) => Goal::at_most(what, unit, most, aim),
        Least(least) => Goal::at_least(what, unit, least, None),
        Near(near, share) => Goal::near(what, unit, near, share),
    };
    let goal =
        Goal { extension: line.set.into(), processor: line.base.into(), source: line.about.into(), ..goal };
    match figure(line, explored) {
        Ok((value, by)) => Goal { by, ..goal }.found(value),
        Err(reason) => goal.without(&reason),
    }
}

/// The figure of a line, and the name of the judge or tool that counted it.
fn figure(line: &Line, explored: &[(&str, Result<Exploration, String>)]) -> Result<(f64, String), String> {
    if matches!(line.figure, Area | Loop) {
        let extension = Extension::parse(sets::find(line.set).unwrap_or_default());
        let extension = extension.map_err(|m| m.to_string())?;
        return match line.figure {
            Area => Ok((area::area(&extension, Unit::default())?.gate_equivalents, "yosys".into())),
            _ => Ok((in_a_loop(line.base, Box::leak(Box::new(extension)))?, "machine model".into())),
        };
    }
    let found = explored.iter().find(|(set, _)| *set == line.set).ok_or("it was not explored")?;
    let found = found.1.as_ref().map_err(Clone::clone)?;
    if found.interrupted {
        return Err(aesmith_explore::INTERRUPTED.into());
    }
    let row = |kind: Kind| -> Result<&Row, String> {
        let part = Part::encrypt128(kind);
        let row = found.rows.iter().find(|r| r.base == line.base && r.part == part);
        row.ok_or_else(|| {
            let refused = found.bases.iter().find(|b| b.name == line.base).and_then(|b| b.refused.clone());
            refused.unwrap_or_else(|| "it has no such kernel".into())
        })
    };
    match line.figure {
        Cycles(kind) => {
            let figures = row(kind)?.extended.as_ref().map_err(Clone::clone)?;
            Ok((figures.cycles, figures.by.clone()))
        }
        Times(kind) => {
            let row = row(kind)?;
            let reasons = [&row.extended, &row.baseline];
            let reason = reasons.into_iter().find_map(|f| f.as_ref().err()).cloned().unwrap_or_default();
            let by = row.extended.as_ref().map_or(String::new(), |f| f.by.clone());
            Ok((row.over_baseline().ok_or(reason)?, by))
        }
        Area | Loop | Seconds => Ok((found.seconds, "the clock".into())),
    }
}

/// Cycles of a proved kernel with a loop of two rounds, counted as the published figure.
fn in_a_loop(base: &str, extension: &'static Extension) -> Result<f64, String> {
    let core =
        attach(aesmith_processors::core(base)?, extension, Unit::default()).map_err(|m| m.to_string())?;
    let variant = core.table.read(Part::encrypt128(Cipher).problem(), "rounds=paired")?;
    let made = BuiltKernel::new(core, (core.build)(&variant)?)?;
    proved(core, &made)?;
    Ok(scarv::measured(made.cost(core)?.0.cycles as u64) as f64)
}

/// The table as a Markdown document.
pub fn document(all: &[Goal]) -> String {
    let about = concat!(
        "# Custom instructions\n\nWritten by `aesmith-bench goals extensions --markdown docs/INSTRUCTIONS.md` (aesmith ",
        env!("CARGO_PKG_VERSION"),
        ").\n\nCycles are per block or key of AES-128 encryption, for a call of the C function with saved registers and \
         return. Every kernel is proved and passed NIST vectors and 1,000 random keys and blocks in its judge. \
         `machine model` means modelled; RTL is the processor's own RTL with the extension's unit attached. Speed-ups are \
         relative to S-box tables with MixColumns in plain code on the same processor, the original of Bertoni et al. \
         (ASAP 2006).\n\n",
    );
    format!("{about}{}", markdown(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_what_there_is() {
        for line in LINES.iter().filter(|l| l.set != TEN_LINES) {
            assert!(sets::find(line.set).is_some(), "{}", line.set);
            assert!(line.base.is_empty() || aesmith_processors::core(line.base).is_ok(), "{}", line.base);
            if let Most(must, Some(aim)) = line.target {
                assert!(aim < must);
            }
        }
        assert!(Extension::parse(NEW).is_ok());
        assert_eq!(NEW.lines().count(), 10);
    }
}
