//! Joint choice of the kernels for one program: the best combination within the limits, or the one nearest to
//! them. Sizes are those of the program: equal tables count once.
//!
//! Branch and bound: the cost of some of the kernels is a lower bound on the cost of all, so a partial
//! combination that is worse than a known complete one is dropped.

use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Packing;
use aesmith_emit::package::sizes::Sizes;
use aesmith_processor::cost::Cost;
use std::collections::BTreeMap;

use crate::front::{Budgets, Objective};

/// True if sizes are within limits.
pub fn keeps(limits: Budgets, sizes: Sizes) -> bool {
    limits.hold(&cost(0.0, sizes))
}

/// Cycles and sizes as a cost.
fn cost(cycles: f64, Sizes { flash, ram, stack }: Sizes) -> Cost {
    Cost { cycles, once: 0.0, flash, ram, stack }
}

/// The key schedule that makes the key that a kernel reads, and the packing of its output.
pub type Schedule = (Problem, Packing);

/// A kernel as a candidate for the choice.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Cycles that the caller pays.
    pub cycles: f64,
    /// Sizes without shared tables.
    pub own: Sizes,
    /// The shared tables that it uses, by index in [`Parts::tables`], in ascending order.
    pub tables: Vec<usize>,
    /// The key schedule that it needs; `None` if it reads the cipher key itself.
    pub needs: Option<Schedule>,
}

impl Candidate {
    /// True if another candidate is at least as good in everything, so that this one is never needed.
    fn is_beaten_by(&self, other: &Candidate) -> bool {
        other.needs == self.needs
            && other.cycles <= self.cycles
            && other.own.flash <= self.own.flash
            && other.own.ram <= self.own.ram
            && other.own.stack <= self.own.stack
            && other.tables.iter().all(|table| self.tables.contains(table))
    }
}

/// The candidates to choose from.
pub struct Parts {
    /// Candidates for each function on blocks or messages.
    pub functions: Vec<Vec<Candidate>>,
    /// The key schedule that names each function's key; `None` for a key schedule by itself. Functions that
    /// share a key read it in one form.
    pub keys: Vec<Option<Problem>>,
    /// Candidates for each key schedule that some function needs.
    pub schedules: BTreeMap<Schedule, Vec<Candidate>>,
    /// Sizes of the shared tables.
    pub tables: Vec<Sizes>,
}

/// A combination.
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// Index of each function's kernel.
    pub functions: Vec<usize>,
    /// The key schedules that they need, each with the index of its kernel.
    pub schedules: Vec<(Schedule, usize)>,
    /// Their total sizes.
    pub sizes: Sizes,
    /// The excess over the limits, as in [`Budgets::excess`].
    pub excess: f64,
    /// True if all combinations were examined or ruled out.
    pub complete: bool,
}

/// Assumed number of blocks per key, over which the cycles of its schedule are spread.
const BLOCKS_A_KEY: f64 = 16.0;
/// Number of partial combinations to visit before the best so far is taken: about a second.
const MOST: u64 = 1_000_000;

/// The best combination; `None` unless every function has a kernel whose key schedule has one.
pub fn choose(parts: &Parts, limits: Budgets, objective: Objective) -> Option<Combination> {
    let key = |c: &Candidate| objective.key(&cost(c.cycles, c.own));
    let order = |all: &[Candidate]| {
        let kept = |i: &usize| {
            let beaten = |(j, other): (usize, &Candidate)| {
                // Among equal candidates the first stays.
                all[*i].is_beaten_by(other) && (j < *i || !other.is_beaten_by(&all[*i]))
            };
            !all.iter().enumerate().filter(|(j, _)| j != i).any(beaten)
        };
        let mut kept: Vec<usize> = (0..all.len()).filter(kept).collect();
        kept.sort_by(|a, b| key(&all[*a]).partial_cmp(&key(&all[*b])).unwrap_or(std::cmp::Ordering::Equal));
        kept
    };
    let mut functions: Vec<Vec<usize>> = parts.functions.iter().map(|all| order(all)).collect();
    for (function, key) in parts.keys.iter().enumerate().filter(|(_, key)| key.is_some()) {
        // Drop forms of the key that another function with this key lacks.
        let others: Vec<usize> = (0..functions.len()).filter(|&f| parts.keys[f] == *key).collect();
        let has = |f: usize, form| parts.functions[f].iter().any(|c: &Candidate| c.needs == form);
        functions[function].retain(|&number| {
            let form = parts.functions[function][number].needs;
            others.iter().all(|&f| has(f, form))
        });
    }
    if functions.iter().any(Vec::is_empty) {
        return None;
    }
    let schedules: BTreeMap<Schedule, Vec<usize>> =
        parts.schedules.iter().map(|(name, all)| (*name, order(all))).collect();
    let least_of =
        schedules.iter().map(|(name, kept)| (*name, least(kept, &parts.schedules[name]))).collect();
    let mut search = Search {
        parts,
        limits,
        objective,
        least: functions.iter().zip(&parts.functions).map(|(kept, all)| least(kept, all)).collect(),
        least_of,
        functions,
        schedules,
        best: None,
        looked: 0,
    };
    search.descend(&mut Partial { used: vec![0; parts.tables.len()], ..Partial::default() });
    let complete = search.looked < MOST;
    let (_, best) = search.best?;
    Some(Combination { complete, ..best })
}

/// Least cycles and least own sizes over the kernels of a function.
fn least(kept: &[usize], all: &[Candidate]) -> (f64, Sizes) {
    let of = |size: fn(&Candidate) -> u64| kept.iter().map(|&i| size(&all[i])).min().unwrap_or(0);
    let cycles = kept.iter().map(|&i| all[i].cycles).fold(f64::INFINITY, f64::min);
    (cycles, Sizes { flash: of(|c| c.own.flash), ram: of(|c| c.own.ram), stack: of(|c| c.own.stack) })
}

/// The sort key of combinations: first the excess over the limits, then the objective.
type Rank = (f64, [f64; 4]);

struct Search<'a> {
    parts: &'a Parts,
    limits: Budgets,
    objective: Objective,
    /// The candidates that are examined, the best on its own first.
    functions: Vec<Vec<usize>>,
    schedules: BTreeMap<Schedule, Vec<usize>>,
    least: Vec<(f64, Sizes)>,
    least_of: BTreeMap<Schedule, (f64, Sizes)>,
    best: Option<(Rank, Combination)>,
    looked: u64,
}

/// A partial combination.
#[derive(Default)]
struct Partial {
    functions: Vec<usize>,
    needed: Vec<Schedule>,
    schedules: Vec<usize>,
    cycles: f64,
    sizes: Sizes,
    /// Number of kernels that use each table.
    used: Vec<u32>,
}

impl Search<'_> {
    fn descend(&mut self, at: &mut Partial) {
        self.looked += 1;
        if self.looked >= MOST && self.best.is_some() {
            return;
        }
        let bound = self.bound(at);
        if self.best.as_ref().is_some_and(|(best, _)| !below(&bound, best)) {
            return;
        }
        let parts = self.parts;
        if at.functions.len() < parts.functions.len() {
            let function = at.functions.len();
            for place in 0..self.functions[function].len() {
                let number = self.functions[function][place];
                let candidate = &parts.functions[function][number];
                // A program has one schedule of each name.
                let clash = |&(problem, packing): &Schedule| {
                    at.needed.iter().any(|(p, other)| *p == problem && *other != packing)
                };
                let mut before = at.functions.iter().zip(&parts.functions).zip(&parts.keys);
                let other_form = parts.keys[function].is_some()
                    && before.any(|((&n, all), key)| {
                        *key == parts.keys[function] && all[n].needs != candidate.needs
                    });
                let without = |need| self.schedules.get(need).is_none_or(Vec::is_empty);
                if candidate.needs.as_ref().is_some_and(|need| clash(need) || without(need)) || other_form {
                    continue;
                }
                let new = candidate.needs.filter(|need| !at.needed.contains(need));
                at.needed.extend(new);
                at.functions.push(number);
                self.with(at, candidate, candidate.cycles);
                at.functions.pop();
                if new.is_some() {
                    at.needed.pop();
                }
            }
        } else if let Some(&need) = at.needed.get(at.schedules.len()) {
            for place in 0..self.schedules[&need].len() {
                let number = self.schedules[&need][place];
                let candidate = &parts.schedules[&need][number];
                at.schedules.push(number);
                self.with(at, candidate, candidate.cycles / BLOCKS_A_KEY);
                at.schedules.pop();
            }
        } else {
            let schedules = at.needed.iter().copied().zip(at.schedules.iter().copied()).collect();
            let found = Combination {
                functions: at.functions.clone(),
                schedules,
                sizes: at.sizes,
                excess: bound.0,
                complete: false,
            };
            self.best = Some((bound, found));
        }
    }

    /// Continues the search with one more kernel.
    fn with(&mut self, at: &mut Partial, candidate: &Candidate, cycles: f64) {
        let before = (at.cycles, at.sizes);
        at.cycles += cycles;
        at.sizes = at.sizes.beside(candidate.own);
        for &table in &candidate.tables {
            if at.used[table] == 0 {
                at.sizes = at.sizes.beside(self.parts.tables[table]);
            }
            at.used[table] += 1;
        }
        self.descend(at);
        candidate.tables.iter().for_each(|&table| at.used[table] -= 1);
        (at.cycles, at.sizes) = before;
    }

    /// A lower bound on the rank of all combinations that extend this one.
    fn bound(&self, at: &Partial) -> Rank {
        let (mut cycles, mut sizes) = (at.cycles, at.sizes);
        for (least, own) in &self.least[at.functions.len()..] {
            cycles += least;
            sizes = sizes.beside(*own);
        }
        for need in &at.needed[at.schedules.len()..] {
            let (least, own) = self.least_of[need];
            cycles += least / BLOCKS_A_KEY;
            sizes = sizes.beside(own);
        }
        let cost = cost(cycles, sizes);
        (self.limits.excess(&cost), self.objective.key(&cost))
    }
}

fn below(a: &Rank, b: &Rank) -> bool {
    a.partial_cmp(b).is_some_and(std::cmp::Ordering::is_lt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::Direction;
    use aesmith_cipher::problem::{KeySize, Task};
    use proptest::prelude::*;

    const KEYS: Schedule =
        (Problem::new(KeySize::Aes128, Task::KeySchedule(Direction::Encrypt)), Packing::RoundKeys);

    fn candidate(cycles: u32, flash: u64, tables: &[usize], needs: bool) -> Candidate {
        Candidate {
            cycles: f64::from(cycles),
            own: Sizes { flash, ram: 0, stack: flash % 7 },
            tables: tables.to_vec(),
            needs: needs.then_some(KEYS),
        }
    }

    /// Tries every combination.
    fn all_in_turn(parts: &Parts, limits: Budgets, objective: Objective) -> Option<Rank> {
        let mut best: Option<Rank> = None;
        for first in &parts.functions[0] {
            for second in &parts.functions[1] {
                let needed = first.needs.is_some() || second.needs.is_some();
                let none = [None];
                let some: Vec<Option<&Candidate>> = parts.schedules[&KEYS].iter().map(Some).collect();
                for schedule in if needed { &some[..] } else { &none } {
                    let chosen: Vec<&Candidate> = [first, second].into_iter().chain(*schedule).collect();
                    let tables: std::collections::BTreeSet<usize> =
                        chosen.iter().flat_map(|c| c.tables.iter().copied()).collect();
                    let sizes = chosen.iter().map(|c| c.own).chain(tables.iter().map(|&t| parts.tables[t]));
                    let sizes = sizes.fold(Sizes::default(), Sizes::beside);
                    let cycles =
                        first.cycles + second.cycles + schedule.map_or(0.0, |s| s.cycles / BLOCKS_A_KEY);
                    let cost = cost(cycles, sizes);
                    let rank = (limits.excess(&cost), objective.key(&cost));
                    if best.as_ref().is_none_or(|best| below(&rank, best)) {
                        best = Some(rank);
                    }
                }
            }
        }
        best
    }

    fn kernels() -> impl Strategy<Value = Vec<Candidate>> {
        let one = (1u32..50, 1u64..60, proptest::collection::btree_set(0usize..3, 0..3), any::<bool>());
        let make = |(cycles, flash, tables, needs): (_, _, std::collections::BTreeSet<usize>, _)| {
            candidate(cycles, flash, &tables.into_iter().collect::<Vec<_>>(), needs)
        };
        proptest::collection::vec(one.prop_map(make), 1..7)
    }

    proptest! {
        #[test]
        fn nothing_is_better_than_what_is_chosen(
            functions in proptest::collection::vec(kernels(), 2),
            schedules in kernels(),
            limit in 20u64..200,
            number in 0usize..3,
        ) {
            let free = schedules.into_iter().map(|c| Candidate { needs: None, ..c }).collect();
            let tables = [20, 16, 64].map(|flash| Sizes { flash, ram: flash / 2, stack: 0 }).to_vec();
            let parts = Parts { functions, keys: vec![None; 2], schedules: [(KEYS, free)].into(), tables };
            let objective = [Objective::Cycles, Objective::Code, Objective::Ram][number];
            let limits = Budgets { flash: Some(limit), ..Budgets::default() };
            let found = choose(&parts, limits, objective).expect("there is a combination");
            prop_assert!(found.complete);
            let best = all_in_turn(&parts, limits, objective).expect("there is a combination");
            prop_assert_eq!(found.excess, best.0);
            let schedule = |&(s, i): &(Schedule, usize)| parts.schedules[&s][i].cycles / BLOCKS_A_KEY;
            let cycles: f64 = found.functions.iter().zip(&parts.functions).map(|(i, all)| all[*i].cycles).sum();
            let cycles = cycles + found.schedules.iter().map(schedule).sum::<f64>();
            let rank = objective.key(&cost(cycles, found.sizes));
            for (a, b) in rank.iter().zip(&best.1) {
                prop_assert!((a - b).abs() < 1e-9, "{:?} {:?}", rank, best.1);
            }
        }
    }

    /// The fastest kernels read different forms; together the functions read the form in which both are fast
    /// enough.
    #[test]
    fn functions_that_share_a_key_read_it_in_one_form() {
        let both = vec![candidate(10, 1, &[], false), candidate(20, 1, &[], true)];
        let other = vec![candidate(10, 1, &[], true), candidate(30, 1, &[], false)];
        let choose_with = |keys: [Option<Problem>; 2]| {
            let schedules = [(KEYS, vec![candidate(0, 1, &[], false)])].into();
            let functions = vec![both.clone(), other.clone()];
            let parts = Parts { functions, keys: keys.to_vec(), schedules, tables: Vec::new() };
            choose(&parts, Budgets::default(), Objective::Cycles).expect("there is a combination").functions
        };
        assert_eq!(choose_with([Some(KEYS.0), Some(KEYS.0)]), [1, 0]);
        assert_eq!(choose_with([Some(KEYS.0), None]), [0, 0]);
        let schedules = [(KEYS, vec![candidate(0, 1, &[], false)])].into();
        let apart = vec![vec![candidate(1, 1, &[], false)], vec![candidate(1, 1, &[], true)]];
        let parts = Parts { functions: apart, keys: vec![Some(KEYS.0); 2], schedules, tables: Vec::new() };
        assert_eq!(choose(&parts, Budgets::default(), Objective::Cycles), None);
    }
}
