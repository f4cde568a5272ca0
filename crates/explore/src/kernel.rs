//! One kernel of an exploration. The machine model costs all its variants, a judge that counts cycles ranks the best,
//! and the winner is proved and examined. No kernel is shown without proof.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use aesmith_arrange::Variant;
use aesmith_isa::Isa;
use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::cycles::custom;
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::interpreter::Interpreter;
use aesmith_wisdom::WisdomError;
use serde::Serialize;

use crate::known::Known;
use crate::part::{Column, Part};
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::cost::{BuiltKernel, LIMIT};
use aesmith_tune::evaluate::confirm::{Examiner, certify, judge_of};
use aesmith_tune::evaluate::costing::{Point, point};
use aesmith_tune::evaluate::stored::{self, certificate};

/// The number of variants given to a judge that counts cycles. It takes little longer than the model for a call, and it
/// knows caches, which models do not.
const FINALISTS: usize = 60;
/// The number of variants of an extended processor whose orders and allocations are searched.
const PROMISING: usize = 2;

/// The figures of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The choices of its variant, in text form.
    pub variant: String,
    /// Cycles of one block or key: the judge's if it counts them, else the model's.
    pub cycles: f64,
    /// Cycles by the machine model.
    pub modelled: f64,
    /// The judge that counted, or `machine model`.
    pub by: String,
    /// True if a judge counted `cycles`.
    pub counted: bool,
    /// Instructions executed.
    pub instructions: u64,
    /// Instructions of the extension among them.
    pub custom: u64,
    /// Bytes of code.
    pub code: u64,
    /// Bytes of tables.
    pub tables: u64,
    /// Bytes of stack.
    pub stack: u64,
    /// The layout of its key in memory.
    pub key: String,
    /// True if its time is proved not to depend on secrets.
    pub constant_time: bool,
    /// Calls that were answered correctly: vectors, a chain, random data.
    pub tested: u64,
    /// The judge that ran these calls.
    pub tester: String,
    /// The certificate of the kernel.
    #[serde(skip)]
    pub certificate: Box<BitsCertificate>,
}

/// The reason why there are no figures.
#[derive(Debug)]
pub enum Failed {
    /// There is no such kernel, for this reason.
    Reason(String),
    /// The exploration was interrupted.
    Interrupted,
    /// The store failed.
    Wisdom(WisdomError),
}

impl From<WisdomError> for Failed {
    fn from(error: WisdomError) -> Failed {
        Failed::Wisdom(error)
    }
}

/// Finds the best kernels.
pub(crate) struct Finder<'s> {
    /// Results stored before and during this exploration.
    pub known: Known<'s>,
    /// Versions of stored rows: of extended processors, of plain ones.
    pub versions: [String; 2],
    /// The number of orders and allocations tried for each promising variant of an extended processor.
    pub seeds: u32,
    /// Set to stop the search.
    pub interrupted: &'s AtomicBool,
    /// The number of kernels that were already known.
    pub remembered: AtomicUsize,
}

/// A candidate with its cycles by the judge, if it counts them.
struct Candidate {
    point: Point,
    judged: Option<f64>,
}

impl Finder<'_> {
    fn version(&self, column: Column) -> &str {
        &self.versions[usize::from(column != Column::Extended)]
    }

    fn stops(&self) -> Result<(), Failed> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Failed::Interrupted) } else { Ok(()) }
    }

    /// Finds the best kernel of a part on `base`, or on `core` with the extension; it is proved and examined.
    pub fn find(
        &self,
        base: &Core,
        core: &'static Core,
        part: Part,
        column: Column,
    ) -> Result<Figures, Failed> {
        let problem = part.problem();
        let variants = core.table.all(problem);
        let variants: Vec<Variant> =
            variants.into_iter().filter(|v| part.has(v) && column.has(base, core, v)).collect();
        if variants.is_empty() || !(core.solves)(problem) {
            return Err(Failed::Reason(column.missing().into()));
        }
        match self.best(core, &variants, column)? {
            Some(figures) => Ok(figures),
            None => {
                // Stored costs belong to different code than is built now.
                self.known.forget(core, problem)?;
                let changed = || Failed::Reason("the same variant gives different code each time".into());
                self.best(core, &variants, column)?.ok_or_else(changed)
            }
        }
    }

    /// The best of `variants`; `None` if its stored cost belongs to different code.
    fn best(
        &self,
        core: &'static Core,
        variants: &[Variant],
        column: Column,
    ) -> Result<Option<Figures>, Failed> {
        let mut points = Vec::new();
        let mut reason = None;
        let seeded = self.known.seeded(variants, self.version(column));
        for variant in variants.iter().chain(&seeded) {
            match self.costed(core, variant, column)? {
                Ok(point) if point.blocks == 1 => points.push(point),
                Ok(_) => {}
                Err(why) => reason = Some(why),
            }
        }
        sort(&mut points);
        if column == Column::Extended {
            points.extend(self.reordered(core, &points)?);
            sort(&mut points);
        }
        let mut candidates = self.judged(core, points, column)?;
        let mut reason = reason.unwrap_or_else(|| "it has no kernel of one block".into());
        while !candidates.is_empty() {
            self.stops()?;
            let candidate = candidates.remove(0);
            match self.confirmed(core, &candidate, column)? {
                Ok(Some(figures)) => return Ok(Some(figures)),
                Ok(None) => return Ok(None),
                Err(why) => reason = format!("not proved: {}: {why}", candidate.point.variant),
            }
        }
        Err(Failed::Reason(reason))
    }

    /// Other orders and allocations of the best variants.
    fn reordered(&self, core: &'static Core, best: &[Point]) -> Result<Vec<Point>, Failed> {
        let mut found = Vec::new();
        for point in best.iter().take(PROMISING) {
            for seed in 1..=self.seeds {
                let variant = point.variant.clone().seeded(seed);
                let Ok(other) = self.costed(core, &variant, Column::Extended)? else { break };
                // Seeds change nothing where nothing can be moved.
                if seed == 1 && other.sha256 == point.sha256 {
                    break;
                }
                found.push(other);
            }
        }
        Ok(found)
    }

    /// Costs a variant by the machine model, unless its cost is stored.
    fn costed(
        &self,
        core: &'static Core,
        variant: &Variant,
        column: Column,
    ) -> Result<Result<Point, String>, Failed> {
        if let Some(known) = self.known.row(variant, self.version(column)) {
            return Ok(stored::point(variant, &known));
        }
        self.stops()?;
        let result = match column {
            Column::Extended => extended(core, variant),
            _ => point(core, variant),
        };
        self.known.put_modelled(core, variant, self.version(column), &result)?;
        Ok(result)
    }

    /// Sorts the candidates, best first: by the judge if it counts cycles, else by the model.
    fn judged(
        &self,
        core: &'static Core,
        points: Vec<Point>,
        column: Column,
    ) -> Result<Vec<Candidate>, Failed> {
        let judge = judge_of(core).ok().filter(|judge| judge.counts_cycles());
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut counted = 0;
        for point in points {
            if candidates.iter().any(|c| c.point.sha256 == point.sha256) {
                continue;
            }
            let mut judged = None;
            if let Some(judge) = judge.as_deref().filter(|_| counted < FINALISTS) {
                let known = self.known.row(&point.variant, self.version(column));
                judged = known.filter(|r| r.judge.as_deref() == Some(&judge.name())).and_then(|r| r.judged);
                if judged.is_none() {
                    self.stops()?;
                    let made = (core.build)(&point.variant).and_then(|kernel| BuiltKernel::new(core, kernel));
                    let cycles = made.and_then(|made| made.judged(judge)).map(|(cycles, _)| cycles);
                    // A judge that refuses the kernel here refuses it again at the exam, with the reason.
                    if let Ok(cycles) = cycles {
                        let sample = stored::judged(&point, &judge.name(), cycles);
                        self.known.put_judged(core, self.version(column), &point, &sample)?;
                        judged = Some(cycles);
                    }
                }
                counted += 1;
            }
            candidates.push(Candidate { point, judged });
        }
        // Candidates without a judge's figure stay behind the others, in the model's order.
        candidates.sort_by(|a, b| match (a.judged, b.judged) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => std::cmp::Ordering::Equal,
        });
        Ok(candidates)
    }

    /// Proves and examines a candidate; `None` if its stored cost belongs to different code.
    fn confirmed(
        &self,
        core: &'static Core,
        candidate: &Candidate,
        column: Column,
    ) -> Result<Result<Option<Figures>, String>, Failed> {
        let point = &candidate.point;
        let made = match (core.build)(&point.variant).and_then(|kernel| BuiltKernel::new(core, kernel)) {
            Ok(made) if made.sha256 == point.sha256 => made,
            _ => return Ok(Ok(None)),
        };
        let known = self.known.row(&point.variant, self.version(column));
        if let Some(certificate) = known.as_ref().and_then(certificate)
            && (certificate.independent || judge_of(core).is_err())
        {
            self.remembered.fetch_add(1, Ordering::Relaxed);
            return Ok(figures(core, &made, &certificate).map(Some));
        }
        if let Some(refuted) = known.filter(|row| row.refuted) {
            return Ok(Err(refuted.message));
        }
        Ok(match certify(core, &mut Examiner::brief(core), &made, point.cost) {
            Ok(certificate) => {
                self.known.put_confirmed(core, self.version(column), point, &certificate)?;
                figures(core, &made, &certificate).map(Some)
            }
            Err(why) => {
                let sample = stored::refuted(point, &why);
                self.known.put_judged(core, self.version(column), point, &sample)?;
                Err(why)
            }
        })
    }
}

/// Builds and costs a variant; an error if it uses no custom instruction.
fn extended(core: &'static Core, variant: &Variant) -> Result<Point, String> {
    let isa = (core.isa)();
    let kernel = (core.build)(variant)?;
    let items = kernel.sections.iter().flat_map(|section| &section.items);
    let uses = |item: &Item| matches!(item, Item::Insn(insn) if custom(&isa.of(insn).class).is_some());
    if !items.into_iter().any(uses) {
        return Err("the extension has no instruction that it could use: it is plain code".into());
    }
    point(core, variant)
}

/// Sorts by cycles, then by size.
fn sort(points: &mut [Point]) {
    points.sort_by(|a, b| a.cost.cycles.total_cmp(&b.cost.cycles).then(a.cost.flash.cmp(&b.cost.flash)));
}

/// The figures of a kernel, from its certificate.
fn figures(
    core: &'static Core,
    made: &BuiltKernel,
    certificate: &BitsCertificate,
) -> Result<Figures, String> {
    let calls = made.timed(1);
    let (_, call) = calls.last().ok_or("the kernel takes no call")?;
    let trace = Interpreter::new(core).trace(&made.image, made.function, call, LIMIT)?;
    let of_unit = trace.classes.iter().filter(|(class, _)| custom(class).is_some());
    let size = made.kernel.flash((core.isa)());
    let code = code((core.isa)(), &made.kernel);
    let counted = certificate.judged_cycles.is_some();
    let start = format!("{} processor={} ", certificate.problem, core.name);
    Ok(Figures {
        variant: certificate.variant.strip_prefix(&start).unwrap_or(&certificate.variant).into(),
        cycles: certificate.cycles(),
        modelled: certificate.cost.cycles,
        by: if counted { certificate.judge.clone() } else { "machine model".into() },
        counted,
        instructions: trace.answer.and_then(|a| a.instructions).unwrap_or(0),
        custom: of_unit.map(|(_, count)| count).sum(),
        code,
        tables: size - code,
        stack: certificate.cost.stack,
        key: made.kernel.contract.packing.name().into(),
        constant_time: certificate.is_constant_time(),
        tested: certificate.tested_calls,
        tester: certificate.judge.clone(),
        certificate: Box::new(certificate.clone()),
    })
}

/// Bytes of instructions, without tables.
fn code(isa: &Isa, kernel: &Kernel) -> u64 {
    let instructions = |section: &Section| -> u64 {
        let bytes = section.items.iter().map(|item| match item {
            Item::Insn(insn) | Item::Linked { insn, .. } => u64::from(isa.of(insn).bytes()),
            _ => 0,
        });
        bytes.sum()
    };
    kernel.sections.iter().map(instructions).sum()
}
