//! A package for this machine's processor within a limit of bytes: each kernel is the best known one, and while their sum
//! exceeds the limit, kernels are chosen again with less room for each.

use super::{best_known, files, from_recipe};
use crate::arguments::{self, Sought};
use crate::deliver::Set;
use crate::failure::Failure;
use crate::output::say;
use crate::quantity::grouped;
use crate::sources::text_of;
use aesmith_arrange::Technique;
use aesmith_cipher::Problem;
use aesmith_emit::package::{File, Package};
use aesmith_processor::measured::Target;
use aesmith_processors::this_machine;
use std::cmp::Reverse;
use std::path::Path;

/// Kernels with the files around them.
pub struct Fitted {
    /// For each problem, a set for each level.
    pub sets: Vec<Vec<Set>>,
    /// The files in the requested form.
    pub files: Vec<File>,
    /// Their package, if they are one.
    pub package: Option<Package>,
}

/// The maximum number of attempts to choose kernels.
const CHOICES: usize = 4;

/// Chooses kernels whose package keeps the limit of bytes. The sizes of C are not known, so that there the limit holds
/// for each kernel.
///
/// # Errors
/// There is no kernel as requested, or no package within the limit was found.
pub fn fitted(options: &arguments::Emit, named: Option<&Path>) -> Result<Fitted, Failure> {
    let most = options.sought.max_flash;
    let (mut each, mut needed) = (most, Vec::new());
    for left in (0..CHOICES).rev() {
        let sought = Sought { max_flash: each, ..options.sought.clone() };
        let limited = arguments::Emit { sought, ..options.clone() };
        let sets = sets(&limited, named)?;
        let (files, package) = files(options, &sets)?;
        let sizes = package.as_ref().and_then(Package::sizes);
        if let (Some(most), Some(all), Some(made)) = (most, sizes, &package)
            && all.flash > most
        {
            needed.push(all.flash);
            // A recipe is used as it is, and nothing is below the smallest kernels.
            if options.variant.is_some() || each == Some(0) {
                break;
            }
            let sizes = made.parts().iter().map(|part| part.sizes.flash).collect();
            let limit = each.unwrap_or(most);
            let room = room_for_each(sizes, most, limit);
            // The last choice is the smallest kernels.
            each = Some(if room < limit && left > 1 { room } else { 0 });
            continue;
        }
        if let (Some(most), Some(best)) = (most, needed.first()) {
            let taken = match each {
                None | Some(0) => "the smallest that are known".to_owned(),
                Some(room) => format!("the best of at most {} each", grouped(room.into())),
            };
            say(format!(
                "the best kernels take {} bytes together, and {} are allowed: taken are {taken}",
                grouped((*best).into()),
                grouped(most.into())
            ));
        }
        if options.variant.is_none() {
            sets.iter().flatten().for_each(|set| say_notes(set, options.choice.cpu.len() > 1));
        }
        return Ok(Fitted { sets, files, package });
    }
    let (most, needed) = (most.unwrap_or_default(), needed.into_iter().min().unwrap_or_default());
    Err(Failure::Other(format!(
        "Does not fit: {needed} bytes of code and constants needed, {most} allowed. The smallest package \
         that was found is of this size, with the key set-up of all its problems and levels; no package is written. \
         `aesmith tune` with --max-code searches for smaller kernels"
    )))
}

/// Reports what is known of a kernel that is taken; the level is named beside other levels.
fn say_notes(set: &Set, several: bool) {
    let level = set.naming.level().filter(|_| several).map_or(String::new(), |level| format!("{level}: "));
    set.main().kernel.notes.iter().for_each(|note| say(format!("{level}{note}")));
}

/// The best known sets of kernels, or those of a recipe.
fn sets(options: &arguments::Emit, named: Option<&Path>) -> Result<Vec<Vec<Set>>, Failure> {
    let Some(file) = &options.variant else {
        let best = |problem: &Problem| best_known(options, *problem, named);
        let mut sets = options.problems.iter().map(best).collect::<Result<Vec<_>, _>>()?;
        by_known_speed(&options.problems, options.size, &mut sets);
        return Ok(sets);
    };
    let text = text_of(file)?;
    let of = |problem| from_recipe(options, problem, (file, &text), named);
    options.problems.iter().map(|problem| of(*problem)).collect()
}

/// Sorts levels by the known speed of their kernels: a CPU with AES instructions and AVX2 takes the level that uses the
/// former. It decides where neither the needs of kernels nor their measured costs do.
fn by_known_speed(problems: &[Problem], size: usize, sets: &mut [Vec<Set>]) {
    let machine = this_machine();
    let all: Vec<Technique> = Target::here(machine).techniques().collect();
    let rank = |problem: Problem, set: &Set| {
        let order = (machine.by_known_speed)(problem, size, all.clone());
        let last = set.main().kernel.variants.last();
        let place = |t: Technique| order.iter().position(|other| *other == t).unwrap_or(order.len());
        last.map(|(_, variant)| (place(variant.technique), Reverse(variant.lanes())))
    };
    let levels = sets.first().map_or(0, Vec::len);
    let mut order: Vec<usize> = (0..levels).collect();
    order.sort_by_key(|&level| {
        let ranks = problems.iter().zip(&*sets).map(|(problem, sets)| rank(*problem, &sets[level]));
        ranks.collect::<Vec<_>>()
    });
    for sets in sets {
        let mut taken: Vec<Option<Set>> = sets.drain(..).map(Some).collect();
        sets.extend(order.iter().filter_map(|&level| taken[level].take()));
    }
}

/// The largest size to which kernels can be limited so that all fit, if those that are larger come down to it. Kernels
/// above the present `limit` are the smallest of their problems.
fn room_for_each(sizes: Vec<u64>, most: u64, limit: u64) -> u64 {
    let (smallest, mut sizes): (Vec<u64>, Vec<u64>) = sizes.into_iter().partition(|size| *size > limit);
    sizes.sort_unstable();
    let mut left = most.saturating_sub(smallest.iter().sum());
    for (at, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - at) as u64;
        if *size > share {
            return share;
        }
        left -= size;
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_kernels_come_down_to_what_small_ones_leave() {
        assert_eq!(room_for_each(vec![300, 4000, 100, 2500], 5000, 5000), 2300);
        assert_eq!(room_for_each(vec![300, 2500], 2800, 2800), 2800);
        assert_eq!(room_for_each(vec![300, 300], 200, 300), 100);
        assert_eq!(room_for_each(Vec::new(), 200, 200), 200);
        // Two that cannot be smaller leave 1,000 for two others.
        assert_eq!(room_for_each(vec![8000, 2000, 8000, 2000], 17_000, 6500), 500);
    }
}
