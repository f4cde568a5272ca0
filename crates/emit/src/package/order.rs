//! The order in which a CPU tries the levels of a package, by the needs of their kernels.
//!
//! A level whose kernels need more than another's comes before it: behind it, no CPU would ever reach it. Levels with
//! different needs are in the order of their measured cost, if known, otherwise in the given order.

use super::texts::LevelSets;
use crate::{EmitError, Function};
use std::collections::BTreeSet;

/// The CPU features that functions need.
pub type Needs = BTreeSet<&'static str>;

/// Returns the numbers of these levels in the order in which a CPU tries them. `better` compares levels neither of
/// which needs all that the other does: true if the first is to be tried before the second.
pub fn by_need(needs: &[Needs], better: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut left: Vec<usize> = (0..needs.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let needs_less = |i: usize| {
            left.iter().any(|&other| needs[i].is_subset(&needs[other]) && needs[i] != needs[other])
        };
        let free = left.iter().copied().filter(|&i| !needs_less(i));
        let first = free.reduce(|best, i| if better(i, best) { i } else { best });
        let first = first.expect("of finitely many sets some have none above them");
        order.push(first);
        left.retain(|&i| i != first);
    }
    order
}

/// Levels in the order in which a CPU tries them, and sentences on the omitted ones.
pub(super) struct Arranged<'s> {
    pub levels: Vec<LevelSets<'s>>,
    pub notes: Vec<String>,
}

/// Arranges levels, which are given in order of preference where nothing else decides.
///
/// # Errors
/// A level that no CPU reaches, because another one has the same needs.
pub(super) fn arranged(levels: Vec<LevelSets<'_>>) -> Result<Arranged<'_>, EmitError> {
    let mut notes = Vec::new();
    let mut kept: Vec<LevelSets<'_>> = Vec::new();
    // Of two levels with equal bytes the lower one is kept: its name tells what they need.
    for level in levels.into_iter().rev() {
        match kept.iter().find(|other| same_bytes(&level, other)) {
            Some(other) => notes.push(format!(
                "the level {} is left out: its functions are those of {}, byte for byte",
                level.name(),
                other.name()
            )),
            None => kept.push(level),
        }
    }
    kept.reverse();
    let needs = kept.iter().map(needs).collect::<Result<Vec<_>, _>>()?;
    let costs = |i: usize, j: usize| Some((kept[i].cost()?, kept[j].cost()?));
    let order = by_need(&needs, |i, j| costs(i, j).is_some_and(|(mine, other)| mine < other));
    for (at, &i) in order.iter().enumerate() {
        if let Some(&before) = order[..at].iter().find(|&&before| needs[before].is_subset(&needs[i])) {
            let measured = costs(before, i).map_or(String::new(), |(mine, other)| {
                format!(", and takes {mine:.3} instead of {other:.3} cycles/byte")
            });
            let all = needs[i].iter().copied().collect::<Vec<_>>().join(", ");
            return Err(EmitError(format!(
                "no CPU would reach the level {}: {} needs the same ({}){measured}; leave one of them out",
                kept[i].name(),
                kept[before].name(),
                if all.is_empty() { "nothing beyond the baseline" } else { &all },
            )));
        }
    }
    notes.reverse();
    let mut kept: Vec<Option<LevelSets<'_>>> = kept.into_iter().map(Some).collect();
    let levels = order.into_iter().filter_map(|i| kept[i].take()).collect();
    Ok(Arranged { levels, notes })
}

/// Returns the CPU features that the functions of a level need, from their bytes.
fn needs(level: &LevelSets<'_>) -> Result<Needs, EmitError> {
    let mut all = Needs::new();
    for function in level.functions() {
        let code = function.machine_code()?;
        all.extend((code.dialect.needed)(&code.bytes).map_err(EmitError)?);
    }
    Ok(all)
}

fn same_bytes(level: &LevelSets<'_>, other: &LevelSets<'_>) -> bool {
    let bytes = |f: &Function| f.machine_code().ok().map(|code| code.bytes.clone());
    let all = |set: &LevelSets<'_>| set.functions().map(|f| (f.problem, bytes(f))).collect::<Vec<_>>();
    all(level) == all(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(needs: &[&'static str], better: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let words = |text: &&'static str| text.split(' ').filter(|word| !word.is_empty()).collect();
        by_need(&needs.iter().map(words).collect::<Vec<Needs>>(), better)
    }

    #[test]
    fn whoever_needs_more_comes_first() {
        let given = ["aes avx", "", "aes avx avx2 vaes", "gfni avx", "aes"];
        assert_eq!(order(&given, |_, _| false), [2, 0, 3, 4, 1]);
        // Of levels with different needs, the better one comes first, but never before one that needs more.
        assert_eq!(order(&given, |i, j| (i, j) == (3, 2) || (i, j) == (3, 0)), [3, 2, 0, 4, 1]);
        assert_eq!(order(&given, |i, j| i == 4 && j == 2), [2, 0, 3, 4, 1]);
    }
}
