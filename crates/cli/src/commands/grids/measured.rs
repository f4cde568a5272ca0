//! Measurements of `aesmith tune` on a card in this machine, and their output.

use super::alone::alone;
use crate::failure::Failure;
use crate::output::{Output, Table, say};
use crate::sources::{store_to_read, wisdom_path, wisdom_path_to_read};
use aesmith_cipher::Problem;
use aesmith_emit::grid::grid_symbol;
use aesmith_processor::grid::card::About;
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::grid::{Gives, Grids};
use aesmith_tune::decide::card::remember;
use aesmith_tune::decide::card::{ByCard, OnCard, measured};
use aesmith_tune::decide::grids::{GridDecision, finalists};
use aesmith_tune::deliver::remembered::best_known;
use aesmith_tune::front::Objective;
use aesmith_tune::{Effort, Request};
use aesmith_wisdom::Store;
use std::path::Path;

/// The GPU in this machine. `Err` inside: no GPU (a message).
///
/// # Errors
/// The driver failed.
pub fn card(grids: &'static Grids) -> Result<Result<About, String>, Failure> {
    match grids.cards.present() {
        Ok(()) => grids.cards.open().map(|card| Ok(card.about().clone())).map_err(Failure::Other),
        Err(why) => Ok(Err(why)),
    }
}

/// The number of kernels to measure, and the rounds of each.
fn extent(effort: Effort) -> (usize, usize) {
    match effort {
        Effort::Estimate => (2, 5),
        Effort::Measure => (8, 15),
        Effort::Patient => (16, 51),
        Effort::Exhaustive => (usize::MAX, 51),
    }
}

/// The fastest kernel that the wisdom knows for a card like the one in this machine. `None` without a card, without a
/// stored result, or if the kernel needs more than `gives`.
pub fn known(
    grids: &'static Grids,
    problem: Problem,
    request: &Request,
    gives: Gives,
    wisdom: Option<&Path>,
) -> Result<Option<ProvedGrid>, Failure> {
    let Some(store) = store_to_read(&wisdom_path_to_read(wisdom)?)? else { return Ok(None) };
    let card = match card(grids) {
        Ok(Ok(card)) => card,
        Ok(Err(_)) => return Ok(None),
        Err(failure) => {
            say(format!("static bounds decide: {}", failure.sentence().unwrap_or_default()));
            return Ok(None);
        }
    };
    let known = best_known(&store, grids, &card, problem, request, &grid_symbol)?;
    let known = known.filter(|known| gives.is_enough(&known.proved.kernel().program));
    Ok(known.map(|known| {
        let name = &card.name;
        say(format!("measured on {name}: {:.2} bits a clock of a multiprocessor", 128.0 / known.clocks));
        known.proved
    }))
}

/// Measures the best kernels by the static bound, each proved, and stores the results; the fastest becomes the winner.
pub fn race(
    grids: &'static Grids,
    card: &About,
    found: &mut GridDecision,
    request: &Request,
    (effort, seed, wisdom): (Effort, u64, Option<&Path>),
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<OnCard, Failure> {
    let mut store = Store::open(&wisdom_path(wisdom)?)?;
    let (most, rounds) = extent(effort);
    let mut proved = finalists(grids, found, request, most, &grid_symbol, goes_on)?;
    // A fixed order makes the wisdom return the same one of equally fast kernels.
    proved.sort_by(|a, b| a.certificate().variant.cmp(&b.certificate().variant));
    let judge = ByCard::new(grids.cards, card, &proved, seed)?;
    let alone = alone(&card.uuid)?;
    let (fastest, on_card) = measured(judge, &proved, rounds)?;
    drop(alone);
    // A winner within limits of memory, or of a front, is not the fastest that is known.
    let limits = request.budgets;
    if limits.ram.is_none() && limits.stack.is_none() && request.objective == Objective::Cycles {
        remember(&mut store, grids, &proved, &on_card, (request, seed))?;
    }
    found.winner = proved.swap_remove(fastest);
    for row in &on_card.kernels {
        if let Some(part) = row.of_bound.filter(|part| *part > 1.0) {
            say(format!(
                "`{}` was measured at {part:.3} of its bound on this card: rates or clock were measured too low, or the driver's \
                 translator makes other code than the one that was counted",
                row.variant
            ));
        }
    }
    Ok(on_card)
}

/// Prints the measurements.
pub fn print(on_card: &OnCard, output: &mut Output) -> Result<(), Failure> {
    let (card, rates) = (&on_card.card, &on_card.rates);
    output.line(format!(
        "measured on {} ({}, {} multiprocessors, {} MiB, CUDA {}), clock {:.0} to {:.0} MHz, {:.0} by its driver",
        card.name,
        card.architecture,
        card.multiprocessors,
        card.memory >> 20,
        card.driver,
        on_card.clocks[0],
        on_card.clocks[1],
        card.rated_mhz
    ))?;
    output.line(format!(
        "its rates, in threads a clock of a multiprocessor: shared memory {:.2}, logic {:.2}, permutations {:.2}, products {:.2}, \
         all {:.2}; its memory copies {:.2} bytes",
        rates.shared, rates.logic, rates.permutation, rates.product, rates.issued, rates.memory
    ))?;
    let mut table = Table::new("variant|>b/clk/SM|>quartiles|>Gbit/s|>MHz|>time|>bound|by|>of it");
    for (at, row) in on_card.kernels.iter().enumerate() {
        let bound = row.bound.as_ref();
        table.row([
            row.variant.clone(),
            format!("{:.2}", row.bits),
            format!("{:.2} to {:.2}", row.low, row.high),
            format!("{:.1}", row.gbps),
            format!("{:.0}", row.mhz),
            format!("{:.3}{}", row.times, if row.evidence || at == 0 { "" } else { " (noise)" }),
            bound.map_or("none".into(), |bound| format!("{:.2}", bound.bits)),
            bound.map_or(String::new(), |bound| format!("{}, {}", bound.limit, bound.architecture)),
            row.of_bound.map_or(String::new(), |part| format!("{part:.2}")),
        ]);
    }
    output.table(&table)?;
    output.line(format!(
        "{} KiB of text and its result in the card's memory, {} rounds, noise {:.1} %; {} blocks of each result held against the \
         cipher, before and after, all others against the first kernel's",
        on_card.bytes >> 10,
        on_card.rounds,
        100.0 * on_card.noise,
        on_card.checked
    ))?;
    output.line(format!(
        "the winner with copies from and to pinned memory of the host: {:.1} Gbit/s by the host's clock",
        on_card.streamed_gbps
    ))
}
