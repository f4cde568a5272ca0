//! The fastest kernel that was measured on a kind of card, by wisdom: a card only receives kernels that were measured on its kind.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::card::About;
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_wisdom::{Best, Filter, Store};

use crate::deliver::grids::given;
use crate::error::TuneError;
use crate::request::Request;

/// The fastest kernel on a kind of card, and its clocks of a multiprocessor per block.
#[derive(Debug)]
pub struct Remembered {
    /// The kernel, proved again.
    pub proved: ProvedGrid,
    /// The measured median.
    pub clocks: f64,
}

/// The fastest kernel of the last run with the same request on this kind of card; kernels whose text has
/// changed since are left out.
///
/// # Errors
/// The store cannot be read, or a kernel is not proved.
pub fn best_known(
    store: &Store,
    grids: &Grids,
    about: &About,
    problem: Problem,
    request: &Request,
    symbol: &dyn Fn(Problem, bool) -> String,
) -> Result<Option<Remembered>, TuneError> {
    let filter =
        Filter { processor: Some(about.key(grids.name)), problem: Some(problem), ..Filter::default() };
    let restriction = request.restriction();
    let mut known: Vec<(Best, Variant)> = store
        .bests(&filter)?
        .into_iter()
        .filter_map(|best| grids.table.parse(&best.variant).ok().map(|variant| (best, variant)))
        .filter(|(best, variant)| best.restriction == restriction && request.names(variant))
        .collect();
    // Figures of two runs are not compared: clocks may have differed.
    let Some(last) = known.iter().map(|(best, _)| best.confirmed_ms).max() else { return Ok(None) };
    known.retain(|(best, _)| best.confirmed_ms == last);
    // Sorted by measured cost; ties are broken by the text of variants.
    let cost = |best: &Best| (best.median * 1e6).round();
    known.sort_by(|(a, _), (b, _)| cost(a).total_cmp(&cost(b)).then_with(|| a.variant.cmp(&b.variant)));
    for (best, variant) in known {
        let proved = match given(grids, &variant, request, symbol) {
            Ok(proved) => proved,
            // Its choices no longer fit together, or it has variable time, which is not requested.
            Err(TuneError::Usage(_)) => continue,
            Err(error) => return Err(error),
        };
        if proved.certificate().sha256 == best.sha256 {
            return Ok(Some(Remembered { proved, clocks: best.median }));
        }
    }
    Ok(None)
}
