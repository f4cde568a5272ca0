//! The best kernel for each class of message lengths, which the dispatcher chooses among.

use crate::bound::variant_bound;
use crate::error::TuneError;
use crate::exploration::{Exploration, Explored};
use crate::options::{Event, Options};
use crate::run::{baseline, former_bests, leave_streaming_out, remember, run_race, within};
use crate::seeds::seeds;
use crate::workplace::Workplace;
use aesmith_arrange::{Dim, Space, Variant};
use aesmith_search::racing::Race;
use aesmith_search::{Budget, Found};
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The best of one message size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeBest {
    /// Bytes of a message.
    pub bytes: u64,
    /// Confirmed median.
    pub cycles_per_byte: f64,
    /// What the machine allows.
    pub bound_cycles_per_byte: Option<f64>,
    /// The variant.
    pub variant: String,
}

/// Message sizes for which counter mode has a best of its own.
pub const SIZES: [usize; 7] = [16, 64, 256, 1024, 4096, 32 << 10, 1 << 20];

/// The best for each message size: leaders of the search and starting points raced at that size.
/// Which structure is best depends on the length through set-up, tail and table only, so the
/// leaders at the search's size are not all that take part.
///
/// # Errors
/// Trouble with the store or the judge, or no kernel at a size.
pub fn bests_by_size(
    place: &mut Workplace,
    options: &Options,
    space: &Space,
    found: &Found,
    started: Instant,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<SizeBest>, TuneError> {
    let problem = options.problem;
    let deadline = options.time.map(|whole| started + whole.mul_f64(0.95));
    let mut field: Vec<Variant> = found.leaders.iter().take(12).map(|l| l.variant.clone()).collect();
    field.extend(seeds(problem, space.technique, &place.target));
    field.extend(former_bests(place, problem)?);
    field.retain(|v| within(v, space));
    let baseline = baseline(problem, space.technique, &place.target);
    let mut bests = Vec::new();
    for (index, &size) in SIZES.iter().enumerate() {
        if options.interrupted.load(Ordering::Relaxed) {
            break;
        }
        let share = deadline.map_or(Duration::from_secs(3), |end| {
            end.saturating_duration_since(Instant::now()) / (SIZES.len() - index) as u32
        });
        observer(Event::Stage(&format!("{problem} at {size} bytes")));
        let mut space = space.clone();
        if !options.only.iter().any(|(dim, _)| *dim == Dim::Streaming) {
            leave_streaming_out(&mut space, size);
        }
        let wanted = Exploration {
            space,
            size,
            starts: field.clone(),
            recalled: Vec::new(),
            way: "memetic",
            label: "by size",
            budget: Budget {
                trials: options.trials.map(|n| n / SIZES.len() as u64),
                time: Some(share.mul_f64(0.6)),
                interrupted: options.interrupted.clone(),
            },
            seed: options.seed,
        };
        let Explored { found, run, key, .. } = wanted.run(place, observer)?;
        let mut contenders: Vec<Variant> = found.leaders.into_iter().take(24).map(|l| l.variant).collect();
        contenders.extend(field.iter().cloned());
        let rounds = if size > 1 << 18 { 4 } else { 8 };
        let race = Race {
            rounds,
            finalists: 3,
            sessions: 2,
            confirm_rounds: rounds * 5,
            interrupted: options.interrupted.clone(),
        };
        let confirmed = run_race(place, run, &baseline, size, &race, &contenders, observer)?;
        remember(place, &key, options, size, &confirmed)?;
        place.store.set_state(run, "finished")?;
        bests.push(SizeBest {
            bytes: size as u64,
            cycles_per_byte: confirmed.winner.cost.median,
            bound_cycles_per_byte: variant_bound(place, &confirmed.winner.variant, size),
            variant: confirmed.winner.variant.to_string(),
        });
    }
    Ok(bests)
}
