//! Rules about values of dimensions that exclude each other.

use super::{DIMENSIONS, Dim, factor};
use aesmith_arrange::{Dimension, Technique, Variant, VariantError};
use aesmith_cipher::{Direction, Problem, Task};

/// The reason why a dimension keeps its default in a layout.
pub(super) fn idle(variant: &Variant, d: &Dimension) -> VariantError {
    let (what, here, there) = match variant.on(Dim::Layout) {
        true => ("registers of whole blocks", "sliced", "blocks"),
        false => ("a transposed group of blocks", "blocks", "sliced"),
    };
    VariantError(format!(
        "{}={} is about {what} and does not go with layout={here}; layout={there} has it",
        d.name,
        d.show(variant.get(d))
    ))
}

/// Checks rules between values that are each in range and apply.
pub(super) fn check(variant: &Variant) -> Result<(), VariantError> {
    check_width(variant)?;
    check_tables(variant)?;
    check_cached(variant)?;
    let (source, ahead) = (variant.get(Dim::Source), variant.get(Dim::Ahead));
    let most = most_ahead(variant);
    if source > most || ahead >= most {
        return Err(VariantError(format!(
            "source={source} ahead={ahead} do not go with a factor of {most}: source is 1 to the \
             factor and ahead 0 to the factor less 1 (both fixed at 1 and 0 without prefetch)"
        )));
    }
    Ok(())
}

/// Maximum number of registers or blocks that a source text is loaded ahead.
fn most_ahead(variant: &Variant) -> u16 {
    if variant.get(Dim::Prefetch) == 0 { 1 } else { factor(variant) }
}

/// Checks that a technique for one register width has that width.
fn check_width(variant: &Variant) -> Result<(), VariantError> {
    if let Some(only) = variant.technique.record().only_lanes
        && variant.has(Dim::Width)
        && 1 << variant.get(Dim::Width) != only
    {
        let width = &DIMENSIONS[Dim::Width as usize];
        return Err(VariantError(format!(
            "technique={} works on {} bytes at a time: width={} is its only width",
            variant.technique,
            16 * only,
            width.show(only.ilog2() as u16)
        )));
    }
    Ok(())
}

/// Checks options of the tables that exclude each other.
fn check_tables(variant: &Variant) -> Result<(), VariantError> {
    if !variant.has(Dim::Tables) {
        return Ok(());
    }
    let name = |dim: Dim| DIMENSIONS[dim as usize].show(variant.get(dim));
    let (tables, last) = (variant.get(Dim::Tables), variant.get(Dim::Last));
    let excluded = |what: Dim, why: &str| {
        let text = format!(
            "{}={} does not go with tables={}: {why}",
            DIMENSIONS[what as usize].name,
            name(what),
            name(Dim::Tables)
        );
        Err(VariantError(text))
    };
    let inverse = matches!(variant.problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt);
    if inverse && last >= 2 {
        return Err(VariantError(format!(
            "last={} does not go with decryption: no entry of its tables holds the inverse S-box \
             itself, so last=sbox or last=masked works",
            name(Dim::Last)
        )));
    }
    const PADDED: u16 = 4;
    if tables == PADDED && variant.get(Dim::Extract) != 0 {
        return excluded(
            Dim::Extract,
            "bytes that stand 16 bits apart are taken by shifts, so extract=shift works",
        );
    }
    if tables == PADDED && variant.get(Dim::RoundKeys) == 2 {
        return excluded(Dim::RoundKeys, "a padded round key is a word of memory, so roundkeys=memory works");
    }
    if tables == PADDED && last != 0 {
        return excluded(Dim::Last, "a padded entry has no byte by itself in place, so last=sbox works");
    }
    Ok(())
}

/// True if a mode has a value: GCM has no table of one round in its key structure, and absorbs what its counters encrypt, which
/// must be counters. It alone has tails of one group.
pub(super) fn has_value(problem: Problem, dim: Dim, value: u16) -> bool {
    match (problem.task, dim) {
        (Task::Gcm(_), Dim::Cached) => value != 1,
        (Task::Gcm(_), Dim::Counter) => value != 2,
        (Task::Gcm(_), _) => true,
        (_, Dim::Tail) => value != 2,
        _ => true,
    }
}

/// Checks that the mode has its values, and that the rounds that it takes from a table are supported: see [`most_cached`].
fn check_cached(variant: &Variant) -> Result<(), VariantError> {
    let (cached, sliced) = (variant.get(Dim::Cached), variant.on(Dim::Layout));
    for dim in [Dim::Cached, Dim::Counter, Dim::Tail] {
        if !has_value(variant.problem, dim, variant.get(dim)) {
            let dimension = &DIMENSIONS[dim as usize];
            return Err(VariantError(format!(
                "{}={} does not go with {}: {} does",
                dimension.name,
                dimension.show(variant.get(dim)),
                variant.problem,
                match dim {
                    Dim::Cached => "cached=2",
                    Dim::Counter => "counter=add",
                    _ => "tail=halve",
                },
            )));
        }
    }
    if sliced && cached == 1 {
        return Err(VariantError(
            "cached=1 does not go with layout=sliced, which caches both rounds or none: cached=2 has it"
                .into(),
        ));
    }
    if cached > most_cached(variant.technique, sliced) {
        return Err(VariantError(format!(
            "cached={cached} does not go with technique={} and layout=blocks: its table of two rounds is not \
             always proved; cached=1 is{}",
            variant.technique,
            if variant.technique.record().caches_slices { ", and layout=sliced has cached=2" } else { "" }
        )));
    }
    Ok(())
}

/// Clamps values that depend on others to the ranges that those allow.
pub(super) fn settle(variant: &mut Variant) {
    if let Some(lanes) = variant.technique.record().only_lanes
        && variant.has(Dim::Width)
    {
        variant.set(Dim::Width, lanes.ilog2() as u16);
    }
    if check_tables(variant).is_err() {
        for dim in [Dim::Extract, Dim::RoundKeys, Dim::Last] {
            variant.set(dim, 0);
        }
    }
    for (dim, nearest) in [(Dim::Counter, 1), (Dim::Cached, 2), (Dim::Tail, 1)] {
        if !has_value(variant.problem, dim, variant.get(dim)) {
            variant.set(dim, nearest);
        }
    }
    if check_cached(variant).is_err() {
        variant.set(Dim::Cached, if variant.on(Dim::Layout) { 2 } else { 1 });
    }
    let most = most_ahead(variant);
    variant.set(Dim::Source, variant.get(Dim::Source).clamp(1, most));
    variant.set(Dim::Ahead, variant.get(Dim::Ahead).min(most - 1));
}

/// Maximum number of rounds that a layout of a technique takes from a table over the fast counter byte.
pub(super) fn most_cached(technique: Technique, sliced: bool) -> u16 {
    if sliced { 2 } else { technique.record().cached }
}
