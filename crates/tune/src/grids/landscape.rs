//! Bounds over two choices, one table per technique: each cell holds the best variant with these values.

use aesmith_arrange::{Dimension, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::grid::certificate::Evidence;
use aesmith_processor::grid::{Gives, Grids};

use crate::decide::grids::{GridDecision, all_bounded, first_proved};
use crate::error::TuneError;
use crate::evaluate::bounding::Candidate;
use crate::request::Request;

/// A choice with the values that kernels have for it, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub values: Vec<String>,
}

/// The best variant of a cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The variant with its bound.
    pub candidate: Candidate,
    /// True if its bound is only by its text, while others are by machine code or there is no translator.
    pub by_text: bool,
    /// True if its timing is proved not to depend on secrets.
    pub constant_time: bool,
    /// True if it is the winner.
    pub wins: bool,
    /// Number of variants in the cell.
    pub variants: u64,
}

/// The bounds of a technique's variants.
#[derive(Clone, Debug)]
pub struct Landscape {
    /// The technique.
    pub technique: &'static str,
    /// The horizontal axis.
    pub across: Axis,
    /// The vertical axis, if variants differ in two choices.
    pub down: Option<Axis>,
    /// The cells, row by row; `None` if no variant has these values.
    pub cells: Vec<Option<Cell>>,
}

/// The dimensions of a technique's table: the first two in which candidates differ, first those that the
/// processor names, then the others. If they differ in none, the first dimension.
fn dimensions(grids: &Grids, of: &[&Candidate]) -> Vec<&'static Dimension> {
    let Some(first) = of.first().map(|candidate| &candidate.variant) else { return Vec::new() };
    let rank = |d: &Dimension| {
        grids.landscape.iter().position(|name| *name == d.name).unwrap_or(grids.landscape.len())
    };
    let mut all: Vec<&Dimension> = first.dimensions().collect();
    all.sort_by_key(|d| rank(d));
    let differ = |d: &&&Dimension| of.iter().any(|c| c.variant.get(**d) != first.get(**d));
    let chosen: Vec<&Dimension> = all.iter().filter(differ).take(2).copied().collect();
    if chosen.is_empty() { all.into_iter().take(1).collect() } else { chosen }
}

/// The processor's name for the technique of a variant.
fn technique(variant: &Variant) -> &'static str {
    variant.text_of("technique").unwrap_or(variant.technique.name())
}

/// Groups candidates by technique, in order of appearance.
fn by_technique(all: &[Candidate]) -> Vec<Vec<&Candidate>> {
    let mut found: Vec<Vec<&Candidate>> = Vec::new();
    for candidate in all {
        let same =
            found.iter_mut().find(|group| technique(&group[0].variant) == technique(&candidate.variant));
        match same {
            Some(group) => group.push(candidate),
            None => found.push(vec![candidate]),
        }
    }
    found
}

/// Indices of the first candidate of each cell and of the first `few`, for sorted candidates.
fn worth(grids: &Grids, all: &[Candidate], few: usize) -> Vec<usize> {
    let mut cells: Vec<(&str, Vec<u16>)> = Vec::new();
    let groups = by_technique(all);
    let cell = |candidate: &Candidate| {
        let own = technique(&candidate.variant);
        let group = groups.iter().find(|group| technique(&group[0].variant) == own);
        let axes = group.map_or(Vec::new(), |group| dimensions(grids, group));
        (own, axes.iter().map(|d| candidate.variant.get(*d)).collect())
    };
    let first_of_its_cell = |candidate: &Candidate| {
        let cell = cell(candidate);
        let is_new = !cells.contains(&cell);
        cells.extend(is_new.then_some(cell));
        is_new
    };
    let firsts: Vec<bool> = all.iter().map(first_of_its_cell).collect();
    (0..all.len()).filter(|&at| at < few || firsts[at]).collect()
}

/// The best kernel, among the `few` that are best by their text and the best of each cell, and the
/// landscapes, with that of its technique first. `goes_on` decides before each further translation.
///
/// # Errors
/// See [`crate::decide::grids::best`].
pub fn surveyed(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    symbol: &dyn Fn(Problem, bool) -> String,
    few: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(GridDecision, Vec<Landscape>), TuneError> {
    let found = {
        let chosen = |all: &[Candidate]| worth(grids, all, few);
        let bounding = all_bounded(grids, problem, request, Gives::ANYTHING)?;
        let all = bounding.translated(&chosen, goes_on)?;
        first_proved(grids, problem, (request, &bounding), symbol, all, &mut || true)?
    };
    let by_machine = grids.translator.present().is_ok();
    let of_text = if by_machine { &found.rest[..] } else { &found.candidates };
    let all: Vec<Candidate> = found.candidates.iter().chain(&found.rest).cloned().collect();
    let own = technique(&found.winner.kernel().variant);
    let mut groups = by_technique(&all);
    groups.sort_by_key(|group| technique(&group[0].variant) != own);
    let is_of_text = |candidate: &Candidate| of_text.iter().any(|c| c.variant == candidate.variant);
    let landscapes =
        groups.iter().map(|group| landscape(grids, &found, group, &is_of_text)).collect::<Result<_, _>>()?;
    Ok((found, landscapes))
}

/// The values of a dimension that occur in candidates, in ascending order if they are numbers.
fn values(dimension: &Dimension, of: &[&Candidate]) -> Vec<u16> {
    let mut values: Vec<u16> =
        dimension.all().filter(|value| of.iter().any(|c| c.variant.get(dimension) == *value)).collect();
    if values.iter().all(|value| dimension.show(*value).parse::<u64>().is_ok()) {
        values.sort_by_key(|value| dimension.show(*value).parse::<u64>().ok());
    }
    values
}

/// The landscape of one technique's candidates, which are sorted best first.
fn landscape(
    grids: &Grids,
    found: &GridDecision,
    of: &[&Candidate],
    is_of_text: &dyn Fn(&Candidate) -> bool,
) -> Result<Landscape, TuneError> {
    let axes: Vec<(&Dimension, Vec<u16>)> =
        dimensions(grids, of).into_iter().map(|d| (d, values(d, of))).collect();
    let axis = |at: usize| {
        let (dimension, values) = axes.get(at)?;
        let values = values.iter().map(|value| dimension.show(*value)).collect();
        Some(Axis { name: dimension.name, values })
    };
    let Some(across) = axis(0) else {
        return Err(TuneError::NoResult(format!(
            "kernels on {} have no choices to be shown over",
            grids.name
        )));
    };
    let (columns, rows) = (across.values.len(), axis(1).map_or(1, |down| down.values.len()));
    let cell = |at: usize| {
        let place = [at % columns, at / columns];
        let is_here =
            |c: &&Candidate| axes.iter().zip(place).all(|((d, values), k)| c.variant.get(*d) == values[k]);
        let here: Vec<&Candidate> = of.iter().copied().filter(|c| is_here(c)).collect();
        the_best(grids, found, &here, is_of_text)
    };
    Ok(Landscape {
        technique: technique(&of[0].variant),
        across,
        down: axis(1),
        cells: (0..columns * rows).map(cell).collect::<Result<_, _>>()?,
    })
}

/// The winner, if it is here, else the first; its proof then decides whether its time is constant, unless
/// that is known.
fn the_best(
    grids: &Grids,
    found: &GridDecision,
    here: &[&Candidate],
    is_of_text: &dyn Fn(&Candidate) -> bool,
) -> Result<Option<Cell>, TuneError> {
    let winner = &found.winner.kernel().variant;
    let Some(best) = here.iter().find(|c| c.variant == *winner).or(here.first()).copied() else {
        return Ok(None);
    };
    let wins = best.variant == *winner;
    let constant_time = if wins {
        found.winner.certificate().proof.constant_time
    } else if found.variable.contains(&best.variant) {
        false
    } else {
        let kernel = (grids.build)(&best.variant).map_err(TuneError::NoResult)?;
        let refuted = |why| TuneError::NotProved(format!("`{}` is not proved: {why}", best.variant));
        Evidence::of(grids, &kernel).map_err(refuted)?.proof.constant_time
    };
    let (candidate, variants) = (best.clone(), here.len() as u64);
    Ok(Some(Cell { by_text: is_of_text(best), candidate, constant_time, wins, variants }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processors::grids;

    /// Candidates counted by their text whose variant contains the words.
    fn by_text(problem: &str, words: &[&str]) -> (&'static Grids, Vec<Candidate>) {
        let grids = grids().next().expect("a processor of grids");
        let problem = problem.parse().expect("a problem");
        let request = Request::default();
        let all = all_bounded(grids, problem, &request, Gives::ANYTHING).expect("are bounded").candidates();
        let has = |c: &Candidate| words.iter().all(|word| c.variant.to_string().contains(word));
        (grids, all.into_iter().filter(has).collect())
    }

    fn names(grids: &Grids, of: &[Candidate]) -> Vec<&'static str> {
        dimensions(grids, &of.iter().collect::<Vec<_>>()).iter().map(|d| d.name).collect()
    }

    #[test]
    fn a_landscape_is_over_what_candidates_differ_in() {
        for (words, axes) in [
            (&["technique=table "][..], &["threads", "replicas"][..]),
            (&["technique=table ", "replicas=32 "], &["threads", "blocks"]),
            (&["technique=table ", "threads=128 "], &["replicas", "blocks"]),
            (&["technique=table ", "threads=128 ", "replicas=32 ", "blocks=1"], &["tables"]),
            (&["technique=table ", "threads=128 ", "replicas=32 ", "blocks=1", "tables=4 "], &["threads"]),
        ] {
            let (grids, all) = by_text("aes128-ecb", words);
            assert_eq!(names(grids, &all), axes, "{words:?}");
        }
    }

    #[test]
    fn the_best_of_each_cell_is_translated() {
        let (grids, mut all) = by_text("aes128-ecb", &["technique=table "]);
        let refs: Vec<&Candidate> = all.iter().collect();
        let axes = dimensions(grids, &refs);
        let cell = |c: &Candidate| [c.variant.get(axes[0]), c.variant.get(axes[1])];
        let firsts = worth(grids, &all, 0);
        for (at, candidate) in all.iter().enumerate() {
            let is_first = all[..at].iter().all(|other| cell(other) != cell(candidate));
            assert_eq!(firsts.contains(&at), is_first, "{}", candidate.variant);
        }
        assert!(firsts.len() > 8 && firsts.len() < all.len(), "{firsts:?}");
        let more = worth(grids, &all, 5);
        assert!((0..5).all(|at| more.contains(&at)) && firsts.iter().all(|at| more.contains(at)));
        // Another technique has its own cells.
        let mut others = all.clone();
        let place = |c: &Candidate| c.variant.dimensions().find(|d| d.name == "technique").expect("has it");
        others.iter_mut().for_each(|c| c.variant.set(place(c), 1));
        all.extend(others);
        assert_eq!(by_technique(&all).len(), 2);
        assert_eq!(worth(grids, &all, 0).len(), 2 * firsts.len());
    }

    #[test]
    fn values_that_are_numbers_stand_in_their_order() {
        let (grids, all) = by_text("aes128-ecb", &["technique=table "]);
        let refs: Vec<&Candidate> = all.iter().collect();
        let threads = dimensions(grids, &refs)[0];
        let shown: Vec<String> = values(threads, &refs).into_iter().map(|v| threads.show(v)).collect();
        assert_eq!(shown, ["128", "256", "512", "1024"]);
    }
}
