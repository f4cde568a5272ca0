//! What a run with exact judges is asked for, and the part of the space that satisfies it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aesmith_arrange::{Place, Space, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::core::Core;
use aesmith_processor::timing::Timing;
use aesmith_search::Budget;

use crate::error::TuneError;
use crate::exact::costing::Point;
use crate::front::{Budgets, Objective};
use crate::request::TechniqueRequest;

/// Which variants of a processor may be handed out.
#[derive(Clone, Debug, Default)]
pub struct Restriction {
    /// How rounds are computed.
    pub technique: TechniqueRequest,
    /// Dimensions that are restricted to some values.
    pub only: Vec<(Place, Vec<u16>)>,
}

impl Restriction {
    /// How many variants of a space it admits.
    pub fn count(&self, space: &Space) -> u128 {
        // Only a technique is no part of the space by itself.
        if self.technique.one().is_none() {
            return space.count();
        }
        let mut all = 0;
        space.each(|variant| {
            all += u128::from(self.admits(&variant));
            ControlFlow::Continue(())
        });
        all
    }

    /// Whether a variant is of the technique and the values that are asked for.
    pub fn admits(&self, variant: &Variant) -> bool {
        self.technique.one().is_none_or(|technique| variant.technique == technique)
            && self.only.iter().all(|(place, values)| values.contains(&variant.get(*place)))
    }
}

/// What is to be found.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// What is computed.
    pub problem: Problem,
    /// What is sought.
    pub objective: Objective,
    /// Hard limits.
    pub budgets: Budgets,
    /// How a kernel's time may depend on secrets.
    pub timing: Timing,
    /// Which variants may be handed out.
    pub restriction: Restriction,
    /// Bytes of a message over which its cycles are counted; without, those of one block more of a long one.
    pub size: Option<usize>,
    /// The strategy, `name` or `name:option=value,...`; without, all variants where they are few.
    pub strategy: Option<String>,
    /// Longest time.
    pub time: Option<Duration>,
    /// Most variants to cost.
    pub trials: Option<u64>,
    /// Orders and allocations tried of each promising variant.
    pub orders: u32,
    /// Seed of the search.
    pub seed: u64,
    /// Whether what is stored is computed again.
    pub afresh: bool,
    /// Which kernels count besides, if not all.
    pub keep: Option<fn(&Point) -> bool>,
    /// Set to stop.
    pub interrupted: Arc<AtomicBool>,
}

/// Whether cycles of a problem depend on the length of a message, and this is a length that it takes.
///
/// # Errors
/// A sentence; `option` is what gave the length.
pub fn check_size(core: &Core, problem: Problem, size: usize, option: &str) -> Result<(), TuneError> {
    if !problem.has_iv() {
        return Err(TuneError::Usage(format!(
            "{problem} on {} is called a block or a key at a time: no length of a message changes its cycles, \
             so leave {option} out",
            core.name
        )));
    }
    if size == 0 || !size.is_multiple_of(16) {
        return Err(TuneError::Usage(format!(
            "{problem} on {} takes whole blocks of 16 bytes, not {size} bytes",
            core.name
        )));
    }
    Ok(())
}

impl RunRequest {
    /// The fewest cycles, of whatever keeps its time constant on its processor, without limits.
    pub fn new(problem: Problem) -> RunRequest {
        RunRequest {
            problem,
            objective: Objective::Cycles,
            budgets: Budgets::default(),
            timing: Timing::Constant,
            restriction: Restriction::default(),
            size: None,
            strategy: None,
            time: None,
            trials: None,
            orders: 0,
            seed: 1,
            afresh: false,
            keep: None,
            interrupted: Arc::default(),
        }
    }

    /// The part of the space that is asked for.
    ///
    /// # Errors
    /// Nothing of the space is as asked for.
    pub fn space(&self, core: &Core) -> Result<Space, TuneError> {
        if let Some(size) = self.size {
            check_size(core, self.problem, size, "--size")?;
        }
        let mut space = core.table.space(self.problem);
        for axis in &mut space.axes {
            if let Some((_, values)) =
                self.restriction.only.iter().find(|(place, _)| *place == axis.dimension.place)
            {
                axis.values.clone_from(values);
            }
        }
        let mut techniques = Vec::new();
        let mut found = false;
        space.each(|variant| {
            found |= self.restriction.admits(&variant);
            if !techniques.contains(&variant.technique.name()) {
                techniques.push(variant.technique.name());
            }
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match (found, techniques.is_empty()) {
            (true, _) => Ok(space),
            (false, true) => Err(TuneError::Usage(format!(
                "nothing is left to choose from: no variant of {} on {} has these values together; \
                 `aesmith space {} --processor {}` says what each dimension means and where it applies",
                self.problem, core.name, self.problem, core.name
            ))),
            (false, false) => Err(TuneError::Usage(format!(
                "{} has no kernels of {} by the technique {}; it has {}",
                core.name,
                self.problem,
                self.restriction.technique,
                techniques.join(", ")
            ))),
        }
    }

    /// When the search stops.
    pub fn budget(&self) -> Budget {
        Budget { trials: self.trials, time: self.time, interrupted: self.interrupted.clone() }
    }

    /// All of it in words, for the record of the run.
    pub fn options(&self) -> String {
        let RunRequest { objective, timing, trials, orders, .. } = self;
        let Restriction { technique, only } = &self.restriction;
        let limits = self.budgets.describe();
        let limits = if limits.is_empty() { "none".to_owned() } else { limits };
        let trials = trials.map_or_else(|| "all".to_owned(), |t| t.to_string());
        let seconds = self.time.map_or_else(|| "any".to_owned(), |t| t.as_secs_f64().to_string());
        let size = self.size.map_or_else(|| "long".to_owned(), |s| s.to_string());
        format!(
            "objective={objective} timing={timing:?} technique={technique} only={only:?} limits={limits} size={size} \
             seconds={seconds} trials={trials} orders={orders}"
        )
    }
}
