//! Bernstein and Schwabe's instruction accounting of a block of AES-128 in counter mode, repeated for our
//! kernels: from the 720 instructions of a plain table-based program to the instructions that a processor's
//! kernel executes, one technique at a time.
//!
//! The saving of a technique that is a choice is counted on kernels with and without it, as `aesmith count`
//! does. If every kernel has the technique, the saving is computed from the plain program and marked as such.
//! The difference between the first kernel and that program is a row of its own, so that every account adds
//! up.

mod plain;
mod print;
mod targets;
mod techniques;

use aesmith_arrange::{Place, Table, Variant};
use aesmith_processor::measured::Target;
use aesmith_tune::TuneError;
use aesmith_tune::count::{BASELINE, Classes, Mix, Step, Waterfall, counting, counting_on, descend};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;

use plain::Plain;
pub use plain::{Class, Part};
pub use print::{ABOUT, document, page, reason};
use targets::{Code, Line, Stance, lines};
use techniques::{SOURCE, TECHNIQUES};

/// The problem whose instructions are counted.
pub const PROBLEM: &str = "aes128-ctr";

/// Relation of a technique to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// A choice that the kernel makes.
    Chosen,
    /// A choice that the kernel does not make.
    NotChosen,
    /// Part of every kernel.
    Always,
    /// Would apply, but the generator cannot do it.
    Missing,
    /// Does not apply to the processor.
    DoesNotApply,
}

/// A row of an account.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Key of the technique in data; `kernel` for the difference between the first kernel and the plain
    /// program.
    pub technique: &'static str,
    /// Display name.
    pub name: &'static str,
    /// Relation of the technique to the kernel.
    pub standing: Standing,
    /// `counted` on kernels or `computed` from the plain program; `None` without a figure.
    pub by: Option<&'static str>,
    /// The choices that make up the technique, in the words of variants; empty if there are none.
    pub choice: &'static str,
    /// Instructions saved here; negative if the technique costs instructions. For a choice that is not made,
    /// relative to the final kernel.
    pub saved: Option<Mix>,
    /// The published saving.
    pub published: Option<u64>,
    /// Qualifier of the published saving: `about`, `up to`, `another`; empty if it is exact.
    pub published_meant: &'static str,
    /// Instructions left after this step; `None` if the technique is not in the kernel or has no figure.
    pub left: Option<Mix>,
    /// Why the technique is not in the kernel, or a remark on it; may be empty.
    pub why: &'static str,
}

/// The account of one processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// Key of the target in data.
    pub target: &'static str,
    /// Display name.
    pub name: &'static str,
    /// The architecture.
    pub architecture: &'static str,
    /// Processor whose kernels are counted: one that `aesmith processors` lists, or x86-64.
    pub processor: &'static str,
    /// CPU level that the kernels are made for; `None` if the processor has no levels.
    pub level: Option<&'static str>,
    /// Variant of the kernel that the account begins with.
    pub start: String,
    /// Variant of the kernel that the account ends with.
    pub variant: String,
    /// Rows from the plain program to the kernel.
    pub rows: Vec<Row>,
    /// Instructions of a block in the final kernel.
    pub remains: Mix,
    /// Published total for this processor.
    pub published: Option<u64>,
    /// Further published figures, or why there are none.
    pub about: &'static str,
}

/// The whole accounting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accounting {
    /// The problem.
    pub problem: &'static str,
    /// Source of the published figures.
    pub source: &'static str,
    /// The published baseline.
    pub baseline: Mix,
    /// Parts of the baseline, computed from the plain program.
    pub parts: Vec<Part>,
    /// The account of each processor.
    pub targets: Vec<Account>,
}

/// Instructions of the parts together.
fn sum(parts: &[Part]) -> Mix {
    parts
        .iter()
        .fold(Mix::default(), |sum, part| sum.minus(Mix::default().minus(part.class.of(part.instructions))))
}

/// Counts all processors of the accounting.
///
/// # Errors
/// A kernel cannot be built, or does not run to its end in the interpreter.
pub fn accounting() -> Result<Accounting, TuneError> {
    let (plain, known) = (Plain::new(), Known::default());
    Ok(Accounting {
        problem: PROBLEM,
        source: SOURCE,
        baseline: BASELINE,
        parts: plain.parts(),
        targets: lines().iter().map(|line| account(line, &plain, &known)).collect::<Result<_, _>>()?,
    })
}

/// Counts so far: CPUs of one level share most of their kernels.
type Known = RefCell<HashMap<(Variant, Option<&'static str>), Classes>>;

/// Counts the kernels of a processor.
///
/// # Errors
/// See [`accounting`].
fn account(line: &Line, plain: &Plain, known: &Known) -> Result<Account, TuneError> {
    match line.code {
        Code::Table(name) => {
            let core = aesmith_processors::core(name).map_err(TuneError::Usage)?;
            walk(line, plain, (core.table, None), &once(known, None, counting_on(core)))
        }
        Code::Level(level) => {
            let processor = aesmith_processors::this_machine();
            let features = processor.requirements.level(level).map_err(TuneError::Usage)?;
            let target = Target::all(processor).only(features);
            walk(line, plain, (processor.table, Some(level)), &once(known, Some(level), counting(&target)))
        }
    }
}

/// Wraps `count` so that each kernel is counted once.
fn once(
    known: &Known,
    level: Option<&'static str>,
    count: impl Fn(&Variant) -> Result<Classes, TuneError>,
) -> impl Fn(&Variant) -> Result<Classes, TuneError> {
    move |variant| {
        let key = (variant.clone(), level);
        let found = known.borrow().get(&key).copied();
        if let Some(counted) = found {
            return Ok(counted);
        }
        let counted = count(variant)?;
        known.borrow_mut().insert(key, counted);
        Ok(counted)
    }
}

/// Builds an account row by row, from the plain program to the kernel.
fn walk(
    line: &Line,
    plain: &Plain,
    (table, level): (&'static Table, Option<&'static str>),
    count: &impl Fn(&Variant) -> Result<Classes, TuneError>,
) -> Result<Account, TuneError> {
    let start = table.parse(&format!("{PROBLEM} {}", line.start));
    let start = start.map_err(|e| TuneError::Usage(format!("{}: {e}", line.name)))?;
    let chosen = line.techniques.iter().filter_map(|(key, stance)| Some((key, stance.chosen()?)));
    let steps: Vec<Step> = chosen
        .map(|(key, choices)| Ok(Step { name: (*key).into(), values: values(&start, choices)? }))
        .collect::<Result<_, TuneError>>()?;
    let fall = descend(start.clone(), steps, count)?;
    let mut rows = vec![besides(line, plain, &fall)?];
    let mut left = rows[0].left.expect("what a kernel has besides is known");
    let mut chosen = line.techniques.iter().filter_map(|(_, stance)| stance.chosen());
    let variant = chosen.try_fold(start.clone(), |variant, choices| with(&variant, choices))?;
    let remains = fall.steps.last().map_or(Mix::of(&fall.plain), |(_, classes)| Mix::of(classes));
    let mut counted = (Mix::of(&fall.plain), fall.steps.iter());
    for &(key, stance) in line.techniques {
        let mut row = row(key, stance)?;
        match stance {
            Stance::Chosen(choices, _) => {
                let now = counted.1.next().filter(|(name, _)| name == key);
                let Some((_, now)) = now.map(|(name, classes)| (name, Mix::of(classes))) else {
                    return Err(TuneError::Unsupported(format!(
                        "`{choices}` does not stand alone on {}: put its technique behind the one that it needs",
                        line.name
                    )));
                };
                row = Row { by: Some("counted"), saved: Some(counted.0.minus(now)), ..row };
                counted.0 = now;
            }
            Stance::Refused(choices, _) => {
                let other = with(&variant, choices)?;
                other.check().map_err(|e| TuneError::Usage(e.to_string()))?;
                let other = Mix::of(&count(&other)?);
                row = Row { by: Some("counted"), saved: Some(remains.minus(other)), ..row };
            }
            Stance::Always(_) => {
                let spares = technique(key)?.spares;
                row.saved = spares.map(|spares| spares(plain));
                row.by = row.saved.map(|_| "computed");
            }
            Stance::Missing(_) | Stance::Foreign(_) => {}
        }
        if let (Some(saved), false) = (row.saved, row.standing == Standing::NotChosen) {
            left = left.minus(saved);
            row.left = Some(left);
        }
        rows.push(row);
    }
    Ok(Account {
        target: line.key,
        name: line.name,
        architecture: line.architecture,
        processor: table.processor,
        level,
        start: start.to_string(),
        variant: variant.to_string(),
        rows,
        remains,
        published: line.published,
        about: line.about,
    })
}

/// The row for the first kernel's difference from the plain program, less the savings of techniques that
/// every kernel has.
fn besides(line: &Line, plain: &Plain, fall: &Waterfall) -> Result<Row, TuneError> {
    let mut program = BASELINE;
    for (key, stance) in line.techniques {
        if let (Stance::Always(_), Some(spares)) = (stance, technique(key)?.spares) {
            program = program.minus(spares(plain));
        }
    }
    let saved = program.minus(Mix::of(&fall.plain));
    Ok(Row {
        technique: "kernel",
        name: "overhead beyond the plain program",
        standing: Standing::Always,
        by: Some("counted"),
        choice: line.start,
        saved: Some(saved),
        published: None,
        published_meant: "",
        left: Some(BASELINE.minus(saved)),
        why: line.besides,
    })
}

/// A row without its figures.
fn row(key: &'static str, stance: Stance) -> Result<Row, TuneError> {
    let technique = technique(key)?;
    let (standing, choice, why) = match stance {
        Stance::Chosen(choice, why) => (Standing::Chosen, choice, why),
        Stance::Refused(choice, why) => (Standing::NotChosen, choice, why),
        Stance::Always(why) => (Standing::Always, "", why),
        Stance::Missing(why) => (Standing::Missing, "", why),
        Stance::Foreign(why) => (Standing::DoesNotApply, "", why),
    };
    Ok(Row {
        technique: key,
        name: technique.name,
        standing,
        by: None,
        choice,
        saved: None,
        published: technique.published,
        published_meant: technique.meant,
        left: None,
        why,
    })
}

fn technique(key: &str) -> Result<&'static techniques::Technique, TuneError> {
    let found = TECHNIQUES.iter().find(|technique| technique.key == key);
    found.ok_or_else(|| TuneError::Usage(format!("`{key}` is no technique of the accounting")))
}

/// Sets choices, given in the words of variants, in a variant.
fn with(variant: &Variant, choices: &str) -> Result<Variant, TuneError> {
    let values = values(variant, choices)?;
    Ok(values.into_iter().fold(variant.clone(), |variant, (place, value)| variant.with(place, value)))
}

/// Parses choices as values of a variant's dimensions.
fn values(variant: &Variant, choices: &str) -> Result<Vec<(Place, u16)>, TuneError> {
    let value = |choice: &str| {
        let (name, text) = choice.split_once('=')?;
        let dimension = variant.table.dimensions.iter().find(|d| d.name == name)?;
        Some((dimension.place, dimension.read(text).ok()?))
    };
    let named = |choice: &str| TuneError::Usage(format!("`{choice}` is no choice of `{variant}`"));
    choices.split_whitespace().map(|choice| value(choice).ok_or_else(|| named(choice))).collect()
}

#[cfg(test)]
mod tests;
