//! The choice among several techniques: the one with the fastest starting points is searched.

use crate::decide::contest::Contest;
use crate::deliver::dispatch::starting_points;
use crate::error::TuneError;
use crate::options::{Event, RunRequest};
use crate::starts::Patience;
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_search::Duel;

/// The fraction of a run's time for the comparison of starting points. Techniques known to be slower come
/// last, and are left out when it is over.
const COMPARED: f64 = 0.2;

/// The technique to search: the requested one, or the one with the fastest starting points.
///
/// # Errors
/// The store or the judge failed, or no technique can be chosen.
pub fn choose_technique(
    place: &mut Workplace,
    options: &RunRequest,
    size: usize,
    observer: &mut dyn FnMut(Event),
) -> Result<Technique, TuneError> {
    let problem = options.problem;
    let request = place.settings.request.clone();
    let techniques = request.techniques(&place.target)?;
    if let [only] = techniques[..] {
        return Ok(only);
    }
    observer(Event::Detail(&format!("comparing the starting points of {} techniques", techniques.len())));
    let mut starts: Vec<Variant> = Vec::new();
    let mut refused = None;
    let mut patience = Patience::of_run(options, COMPARED / 2.0);
    for technique in (place.target.processor.by_known_speed)(problem, size, techniques) {
        match starting_points(place.wanted(problem, size), technique, &mut patience) {
            Ok(points) => starts.extend(points),
            Err(error) => refused = Some(error),
        }
    }
    if let (true, Some(refused)) = (starts.is_empty(), refused) {
        return Err(refused);
    }
    let (run, _) = place.start_run(&problem.to_string(), size, "techniques", "", options.seed)?;
    let mut contest = Contest::new(place, run, size).until(options.until(COMPARED));
    let costs = contest.screen(&starts);
    contest.finish(observer)?;
    place.store.set_state(run, "finished")?;
    let mut found: Vec<(f64, Technique)> = Vec::new();
    for (variant, cost) in starts.iter().zip(costs) {
        if let Some(cost) = cost {
            match found.iter_mut().find(|(_, t)| *t == variant.technique) {
                Some(known) => known.0 = known.0.min(cost),
                None => found.push((cost, variant.technique)),
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: Vec<String> = found.iter().map(|(cost, t)| format!("{t} {cost:.3}")).collect();
    observer(Event::Note(&format!("techniques by their starting points: {}", all.join(", "))));
    found.first().map(|(_, t)| *t).ok_or_else(|| {
        TuneError::NoResult(format!("no technique has a kernel of {problem} that can be measured here"))
    })
}
