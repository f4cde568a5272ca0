//! The lines of the table: target figures for each processor, with their sources, from a file.

use aesmith_tune::evaluate::costing::Point;
use aesmith_tune::front::Budgets;
use std::collections::HashMap;

/// The figure that must be reached, and the figure aimed at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// In the line's unit: cycles, cycles per byte or instructions.
    Cycles(f64, f64),
    /// Fractions above the bound.
    AboveBound(f64, f64),
    /// No target: the figure is shown with its bound.
    Shown,
}

/// The unit of a figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Per block or key, as the function is called.
    Call,
    /// Per block in registers, without call and return.
    Registers,
    /// Per byte.
    Byte,
    /// Instructions per additional block of a long message.
    Instructions,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The processor.
    pub processor: &'static str,
    /// The problem.
    pub problem: &'static str,
    /// A description of the line.
    pub what: &'static str,
    /// The target figures.
    pub target: Target,
    /// The unit of the figure.
    pub unit: Unit,
    /// True if only constant-time kernels count.
    pub constant_time: bool,
    /// The published code whose figure must be reached, and how it is counted; empty if the goal is ours.
    pub source: &'static str,
    /// Hard limits.
    pub budgets: Budgets,
    /// True for kernels that count.
    pub only: Option<fn(&Point) -> bool>,
    /// True if the limits apply to a package with encryption, decryption and their key schedules, chosen
    /// together; the figure is that of one function.
    pub package: bool,
}

pub(super) fn line(
    processor: &'static str,
    problem: &'static str,
    what: &'static str,
    target: Target,
) -> Line {
    Line {
        processor,
        problem,
        what,
        target,
        unit: Unit::Call,
        constant_time: false,
        source: "",
        budgets: Budgets::default(),
        only: None,
        package: false,
    }
}

/// A condition of `keep=`.
type Kept = fn(&Point) -> bool;

/// The conditions by their names.
const KEPT: [(&str, Kept); 8] = [
    ("registers", |point| has(point, "convention=registers") && point.cost.ram > 0),
    ("registers-and-flash", |point| has(point, "convention=registers") && point.cost.ram == 0),
    ("registers-and-keys-of-encryption", |point| {
        has(point, "convention=registers") && point.cost.ram > 0 && has(point, "keys=forward")
    }),
    ("bytes", |point| has(point, "technique=bytewise")),
    ("looks-up", |point| has(point, "technique=table")),
    ("permutes", |point| has(point, "technique=vperm")),
    ("single", |point| point.blocks == 1),
    ("two", |point| point.blocks == 2),
];

fn has(point: &Point, choice: &str) -> bool {
    choice.split_once('=').is_some_and(|(name, value)| point.variant.text_of(name) == Some(value))
}

/// The table.
///
/// # Panics
/// A line of the file cannot be read; a test reads them all.
pub(super) fn lines() -> Vec<Line> {
    let text = include_str!("lines.txt").lines();
    let lines = || text.clone().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let sources: HashMap<&str, &str> =
        lines().filter_map(|line| line.strip_prefix("source ")?.split_once(": ")).collect();
    let goals = lines().filter(|line| !line.starts_with("source "));
    goals.map(|line| read(line, &sources).unwrap_or_else(|| panic!("`{line}` is no goal"))).collect()
}

fn read(text: &'static str, sources: &HashMap<&str, &'static str>) -> Option<Line> {
    let (settings, what) = text.split_once(": ")?;
    let mut words = settings.split(' ');
    let mut word = || words.next();
    let (processor, problem, first) = (word()?, word()?, word()?);
    let share = |text: &str| text.strip_prefix('+')?.strip_suffix('%')?.parse().ok().map(|n: f64| n / 100.0);
    let target = match first {
        "shown" => Target::Shown,
        _ if first.starts_with('+') => Target::AboveBound(share(first)?, share(word()?)?),
        _ => Target::Cycles(first.parse().ok()?, word()?.parse().ok()?),
    };
    let mut line = line(processor, problem, what, target);
    for setting in words {
        match setting.split_once('=').unwrap_or((setting, "")) {
            ("unit", "registers") => line.unit = Unit::Registers,
            ("unit", "byte") => line.unit = Unit::Byte,
            ("unit", "instructions") => line.unit = Unit::Instructions,
            ("flash", bytes) => line.budgets.flash = Some(bytes.parse().ok()?),
            ("ram", bytes) => line.budgets.ram = Some(bytes.parse().ok()?),
            ("constant-time", "") => line.constant_time = true,
            ("package", "") => line.package = true,
            ("keep", name) => line.only = Some(KEPT.iter().find(|(known, _)| *known == name)?.1),
            ("source", name) => line.source = sources.get(name).copied()?,
            _ => return None,
        }
    }
    Some(line)
}
