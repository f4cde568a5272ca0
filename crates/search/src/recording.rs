//! A recorded space: all its variants with their costs and samples, in one compressed file, so that strategies can be
//! compared without the machine. docs/DATA.md documents the format.

use crate::trial::Verdict;
use aesmith_arrange::{Axis, Space, Table, Technique, Variant};
use aesmith_cipher::Problem;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;

/// The kind of the file, in its first line.
pub const KIND: &str = "aesmith-recording";
/// The format's version: it rises when a key is removed or changes its meaning.
pub const VERSION: u32 = 1;
/// Variants per line.
const LINE: usize = 4096;
/// Maximum unpacked size of a recording, in bytes.
const MOST: u64 = 1 << 30;

/// The first line: the subject and origin of the recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`KIND`].
    pub kind: String,
    /// [`VERSION`].
    pub version: u32,
    /// The problem's name.
    pub problem: String,
    /// The technique's name.
    pub technique: String,
    /// Bytes of each stream's message.
    pub size: u64,
    /// The unit of costs: `cycles per byte`.
    pub unit: String,
    /// The processor's key in wisdom.
    pub processor: String,
    /// The processor and the machine in words.
    pub machine: String,
    /// The clock of the measurements: core cycles calibrated against the time-stamp counter.
    pub clock: String,
    /// Time of recording, in UTC.
    pub made: String,
    /// The version of aesmith, and the commit if it is known.
    pub by: String,
    /// The dimensions and their values, which make the space.
    pub axes: Vec<Values>,
    /// The number of variants.
    pub variants: u64,
}

/// A dimension's values in text form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Values {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

/// A line after the first: some variants, in the order in which the space enumerates them.
#[derive(Serialize, Deserialize)]
struct Lot {
    /// Number of the first variant.
    first: u64,
    /// Kernels that no earlier line has: cost, and the cycles of each timed call.
    kernels: Vec<(f64, Vec<f64>)>,
    /// For each variant the number of its kernel, counted over the file, or a negative number for one of [`VERDICTS`].
    answers: Vec<i64>,
}

/// Verdicts of variants without a cost; the verdict at index i has the number -1 - i in the file.
const VERDICTS: [Verdict; 4] =
    [Verdict::DoesNotFit, Verdict::Refuted, Verdict::Unsupported, Verdict::NotRecorded];
/// The number of a fault in the file.
const FAULT: i64 = -5;

/// A measured kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedKernel {
    /// Its cost, in the unit of the header.
    pub cost: f64,
    /// Cycles of each timed call.
    pub samples: Vec<f64>,
}

/// The recorded answer for a variant.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Its kernel, by the SHA-256 of its bytes.
    Kernel(String),
    /// No cost.
    Without(Verdict),
}

/// The axes of a space in the form of the header.
pub fn axes(space: &Space) -> Vec<Values> {
    let of = |axis: &Axis| Values {
        name: axis.dimension.name.into(),
        values: axis.values.iter().map(|v| axis.dimension.show(*v)).collect(),
    };
    space.axes.iter().map(of).collect()
}

/// Writes a recording.
///
/// # Errors
/// It cannot be written.
pub fn write(
    to: impl Write,
    header: &Header,
    space: &Space,
    kernels: &HashMap<String, RecordedKernel>,
    answer: &dyn Fn(&Variant) -> Answer,
) -> io::Result<()> {
    let mut to = GzEncoder::new(to, Compression::best());
    let mut line = |line: &dyn erased::Line| -> io::Result<()> {
        to.write_all(line.text()?.as_bytes())?;
        to.write_all(b"\n")
    };
    line(header)?;
    let mut numbers: HashMap<String, i64> = HashMap::new();
    let mut lot = Lot { first: 0, kernels: Vec::new(), answers: Vec::new() };
    let mut failed = None;
    space.each(|variant| {
        let number = match answer(&variant) {
            Answer::Kernel(hash) => match (numbers.get(&hash), kernels.get(&hash)) {
                (Some(number), _) => *number,
                (None, Some(kernel)) => {
                    let number = numbers.len() as i64;
                    lot.kernels.push((kernel.cost, kernel.samples.clone()));
                    numbers.insert(hash, number);
                    number
                }
                (None, None) => code(&Verdict::NotRecorded),
            },
            Answer::Without(verdict) => code(&verdict),
        };
        lot.answers.push(number);
        if lot.answers.len() == LINE {
            let first = lot.first + LINE as u64;
            let full = std::mem::replace(&mut lot, Lot { first, kernels: Vec::new(), answers: Vec::new() });
            failed = line(&full).err();
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(why) = failed {
        return Err(why);
    }
    if !lot.answers.is_empty() {
        line(&lot)?;
    }
    to.finish()?.flush()
}

mod erased {
    //! Writes values as lines.
    use serde::Serialize;
    use std::io;

    pub trait Line {
        fn text(&self) -> io::Result<String>;
    }

    impl<T: Serialize> Line for T {
        fn text(&self) -> io::Result<String> {
            Ok(serde_json::to_string(self)?)
        }
    }
}

fn code(verdict: &Verdict) -> i64 {
    match VERDICTS.iter().position(|known| known == verdict) {
        Some(place) => -1 - place as i64,
        None => FAULT,
    }
}

fn verdict(code: i64) -> Option<Verdict> {
    if code == FAULT {
        return Some(Verdict::Fault("recorded".into()));
    }
    VERDICTS.get(usize::try_from(-1 - code).ok()?).cloned()
}

/// The text of a file, compressed or not.
///
/// # Errors
/// The file is not text, damaged, or too long.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return String::from_utf8(bytes.to_vec()).map_err(|_| "it is neither text nor gzip".into());
    }
    let mut text = String::new();
    let read = MultiGzDecoder::new(bytes).take(MOST).read_to_string(&mut text);
    read.map_err(|why| {
        format!("its compression is broken ({why}); it may not have been written to its end")
    })?;
    if text.len() as u64 == MOST {
        return Err("it is longer than 1 GiB unpacked".into());
    }
    Ok(text)
}

/// The header, if a text is of this format.
pub fn header(text: &str) -> Option<Result<Header, String>> {
    let first = text.lines().next()?;
    let kind: serde_json::Value = serde_json::from_str(first).ok()?;
    if kind["kind"] != KIND {
        return None;
    }
    let header = serde_json::from_str::<Header>(first).map_err(|why| format!("its first line: {why}"));
    Some(header.and_then(|header| match header.version {
        VERSION => Ok(header),
        other => {
            Err(format!("it has version {other} of the format, and this aesmith reads version {VERSION}"))
        }
    }))
}

/// The space that a header describes, of a processor with these dimensions.
///
/// # Errors
/// A name or value is unknown.
pub fn space(header: &Header, table: &'static Table) -> Result<Space, String> {
    let problem: Problem =
        header.problem.parse().map_err(|_| format!("`{}` is no problem", header.problem))?;
    let technique: Technique =
        header.technique.parse().map_err(|_| format!("`{}` is no technique", header.technique))?;
    let mut space = table.space_by(problem, technique, usize::MAX);
    for axis in &mut space.axes {
        let recorded = header.axes.iter().find(|a| a.name == axis.dimension.name);
        axis.values = match recorded {
            Some(values) => {
                let read = values.values.iter().map(|v| axis.dimension.read(v).map_err(|why| why.0));
                read.collect::<Result<_, String>>()?
            }
            // A dimension that was added after the recording had its default value.
            None => vec![axis.dimension.default],
        };
        if axis.values.is_empty() {
            return Err(format!("its dimension `{}` has no value", axis.dimension.name));
        }
    }
    let unknown = header.axes.iter().find(|a| !space.axes.iter().any(|axis| axis.dimension.name == a.name));
    if let Some(unknown) = unknown {
        return Err(format!("it has a dimension `{}`, which this aesmith does not know", unknown.name));
    }
    let count = space.count();
    if count != u128::from(header.variants) {
        return Err(format!(
            "its first line speaks of {} variants, and its space has {count}",
            header.variants
        ));
    }
    Ok(space)
}

/// Calls `visit` with every variant: its kernel's number and cost, or the verdict.
///
/// # Errors
/// The file is incomplete, or not of this format.
pub fn each(
    text: &str,
    space: &Space,
    visit: &mut dyn FnMut(Variant, Result<(u64, f64), Verdict>),
) -> Result<(), String> {
    let mut answers: Vec<i64> = Vec::new();
    let mut costs: Vec<f64> = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1).filter(|(_, l)| !l.trim().is_empty()) {
        let wrong = |why: String| format!("line {}: {why}", number + 1);
        let lot: Lot = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
        if lot.first != answers.len() as u64 {
            return Err(wrong(format!("it begins with variant {}, not {}", lot.first, answers.len())));
        }
        if lot.kernels.iter().any(|(cost, _)| !cost.is_finite() || *cost <= 0.0) {
            return Err(wrong("a cost must be a positive number".into()));
        }
        costs.extend(lot.kernels.iter().map(|(cost, _)| cost));
        let known = |answer: &i64| {
            usize::try_from(*answer).is_ok_and(|n| n < costs.len()) || verdict(*answer).is_some()
        };
        if let Some(answer) = lot.answers.iter().find(|answer| !known(answer)) {
            return Err(wrong(format!("{answer} is neither a kernel's number nor a verdict's")));
        }
        answers.extend(lot.answers);
    }
    if answers.len() as u128 != space.count() {
        return Err(format!(
            "it has {} of {} variants: it was not recorded to its end",
            answers.len(),
            space.count()
        ));
    }
    let mut answers = answers.into_iter();
    space.each(|variant| {
        if let Some(answer) = answers.next() {
            let found = match usize::try_from(answer) {
                Ok(kernel) => Ok((kernel as u64, costs[kernel])),
                Err(_) => Err(verdict(answer).unwrap_or(Verdict::NotRecorded)),
            };
            visit(variant, found);
        }
        ControlFlow::Continue(())
    });
    Ok(())
}
