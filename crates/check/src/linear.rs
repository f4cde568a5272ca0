//! Integers: linear forms over atoms, and inequalities between them.
//!
//! A form is an integer, `constant + sum of coefficient * atom`. A 64-bit word is a form modulo 2^64, with reduced
//! coefficients, so that equal forms mean equal words.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;

/// The number of an unknown integer; see [`crate::terms::Atom`].
pub type AtomId = u32;

/// A linear form over atoms. Two equal forms have equal values; there is one form for each polynomial of degree one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// The constant.
    pub constant: i128,
    /// Atoms with their coefficients, which are not zero, in order of the atoms.
    pub terms: Vec<(AtomId, i128)>,
}

/// The largest coefficient of a form. Sums of a few such forms cannot overflow.
const LARGEST: i128 = 1 << 100;

impl Linear {
    /// A constant.
    pub fn number(constant: i128) -> Linear {
        Linear { constant, terms: Vec::new() }
    }

    /// An atom.
    pub fn atom(atom: AtomId) -> Linear {
        Linear { constant: 0, terms: [(atom, 1)].into() }
    }

    /// The constant, if there are no atoms.
    pub fn as_number(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The atom, if the form is just one.
    pub fn as_atom(&self) -> Option<AtomId> {
        match self.terms[..] {
            [(atom, 1)] if self.constant == 0 => Some(atom),
            _ => None,
        }
    }

    /// `self + factor * other`; `None` if a coefficient becomes too large.
    pub fn checked(&self, other: &Linear, factor: i128) -> Option<Linear> {
        let is_allowed = |c: &i128| (-LARGEST..=LARGEST).contains(c);
        let scaled = |c: i128| c.checked_mul(factor).filter(is_allowed);
        let sum = |a: i128, b: i128| a.checked_add(scaled(b)?).filter(is_allowed);
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        for (atom, a, b) in merged(&self.terms, &other.terms) {
            let coefficient = sum(a, b)?;
            if coefficient != 0 {
                terms.push((atom, coefficient));
            }
        }
        Some(Linear { constant: sum(self.constant, other.constant)?, terms })
    }

    /// The form plus a number; `None` if it becomes too large.
    pub fn offset_checked(&self, number: i128) -> Option<Linear> {
        self.checked(&Linear::number(number), 1)
    }

    /// The form modulo 2^64, each coefficient between -2^63 and 2^63 - 1.
    #[must_use]
    pub fn word(&self) -> Linear {
        let reduce = |c: i128| i128::from(c as i64);
        let terms = self.terms.iter().map(|&(a, c)| (a, reduce(c))).filter(|t| t.1 != 0).collect();
        Linear { constant: reduce(self.constant), terms }
    }

    /// Reduces modulo 2^64, as [`Linear::word`] does, a form that often is reduced already.
    #[must_use]
    pub fn into_word(self) -> Linear {
        let is_reduced = |c: i128| i64::try_from(c).is_ok();
        if is_reduced(self.constant) && self.terms.iter().all(|t| is_reduced(t.1)) {
            return self;
        }
        self.word()
    }

    /// `self + other` as words.
    #[must_use]
    pub fn plus(&self, other: &Linear) -> Linear {
        self.combine(other, 1)
    }

    /// `self - other` as words.
    #[must_use]
    pub fn minus(&self, other: &Linear) -> Linear {
        self.combine(other, -1)
    }

    /// The word plus a number.
    #[must_use]
    pub fn offset(&self, number: i128) -> Linear {
        self.combine(&Linear::number(number), 1)
    }

    /// `self + factor * other` as words. The sum of reduced coefficients cannot overflow.
    #[must_use]
    pub fn combine(&self, other: &Linear, factor: i64) -> Linear {
        let sum = |a: i128, b: i128| i128::from((a as i64).wrapping_add((b as i64).wrapping_mul(factor)));
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let sums = merged(&self.terms, &other.terms).map(|(atom, a, b)| (atom, sum(a, b)));
        terms.extend(sums.filter(|term| term.1 != 0));
        Linear { constant: sum(self.constant, other.constant), terms }
    }

    /// A quotient by a number that divides all coefficients.
    pub fn divided(&self, by: i128) -> Option<Linear> {
        let all = self.terms.iter().map(|t| t.1).chain([self.constant]);
        let is_multiple = all.into_iter().all(|c| c % by == 0);
        is_multiple.then(|| Linear {
            constant: self.constant / by,
            terms: self.terms.iter().map(|&(a, c)| (a, c / by)).collect(),
        })
    }

    /// True if the integer is at least `bound` because no atom is negative.
    pub fn is_plainly_at_least(&self, bound: i128) -> bool {
        self.constant >= bound && self.terms.iter().all(|t| t.1 > 0)
    }
}

/// The atoms of two forms in order, each with its two coefficients.
fn merged<'t>(
    mut left: &'t [(AtomId, i128)],
    mut right: &'t [(AtomId, i128)],
) -> impl Iterator<Item = (AtomId, i128, i128)> + use<'t> {
    core::iter::from_fn(move || {
        let atom = left.first().into_iter().chain(right.first()).map(|term| term.0).min()?;
        let take = |side: &mut &'t [(AtomId, i128)]| match side.split_first() {
            Some((term, rest)) if term.0 == atom => {
                *side = rest;
                term.1
            }
            _ => 0,
        };
        Some((atom, take(&mut left), take(&mut right)))
    })
}

/// Inequalities that hold: each form is at least 0.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    all: Vec<Linear>,
    /// The atoms with negative coefficients, each with the place of its fact, in order.
    falling: Vec<(AtomId, usize)>,
    /// Known bounds of sums of atoms.
    bounds: RefCell<BTreeMap<Vec<(AtomId, i128)>, Bound>>,
}

/// Constants that make a sum of atoms at least 0, or of which that is not known.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// The least that does.
    known: i128,
    /// The greatest that was tried in vain.
    failed: i128,
}

impl Facts {
    /// Adds `form >= 0`.
    pub fn add(&mut self, form: Linear) {
        let form = tightened(form);
        if !form.is_plainly_at_least(0) && !self.all.contains(&form) {
            for &(atom, _) in form.terms.iter().filter(|t| t.1 < 0) {
                let entry = (atom, self.all.len());
                self.falling.insert(self.falling.partition_point(|known| *known < entry), entry);
            }
            self.all.push(form);
            // Known bounds stay true.
            self.bounds.get_mut().values_mut().for_each(|bound| bound.failed = i128::MIN);
        }
    }

    /// All inequalities.
    pub fn all(&self) -> &[Linear] {
        &self.all
    }

    /// True if `goal >= 0` follows from the facts and the range of each atom, none of which is negative. False means
    /// only that it does not follow for rational numbers, or that numbers become too large.
    pub fn imply(&self, goal: &Linear, range: &dyn Fn(AtomId) -> Option<i128>) -> bool {
        if goal.is_plainly_at_least(0) {
            return true;
        }
        if goal.terms.is_empty() && self.all.is_empty() {
            return false;
        }
        let none = Bound { known: i128::MAX, failed: i128::MIN };
        let mut bound = self.bounds.borrow().get(&goal.terms).copied().unwrap_or(none);
        if bound.known <= goal.constant || goal.constant <= bound.failed {
            return bound.known <= goal.constant;
        }
        let answer = self.derives(goal, 2, range) || self.contradicts(goal, range);
        *(if answer { &mut bound.known } else { &mut bound.failed }) = goal.constant;
        self.bounds.borrow_mut().insert(goal.terms.clone(), bound);
        answer
    }

    /// True if the goal is a sum of a few facts and ranges, and of atoms and numbers that are not negative.
    fn derives(&self, goal: &Linear, most: usize, range: &dyn Fn(AtomId) -> Option<i128>) -> bool {
        let Some(&(atom, c)) = goal.terms.iter().find(|t| t.1 < 0) else { return goal.constant >= 0 };
        let high = range(atom).map(|high| Linear { constant: high, terms: [(atom, -1)].into() });
        let falling = &self.falling[self.falling.partition_point(|known| known.0 < atom)..];
        let facts = falling.iter().take_while(|known| known.0 == atom).map(|known| &self.all[known.1]);
        most > 0
            && facts.chain(&high).any(|fact| {
                // Goal and fact, so scaled that the atom vanishes.
                let d = fact.coefficient(atom);
                let divisor = common_divisor(c.abs(), d.abs());
                let (own, other) = (-d / divisor, c.abs() / divisor);
                let rest = match own {
                    1 => goal.checked(fact, -other),
                    _ => Linear::default().checked(goal, own).and_then(|scaled| scaled.checked(fact, -other)),
                };
                rest.is_some_and(|rest| self.derives(&tightened(rest), most - 1, range))
            })
    }

    /// True if the facts and `goal <= -1` have no common solution.
    fn contradicts(&self, goal: &Linear, range: &dyn Fn(AtomId) -> Option<i128>) -> bool {
        let Some(negated) = Linear::number(-1).checked(goal, -1) else { return false };
        let mut system = Vec::from([tightened(negated)]);
        // Facts that share atoms with the goal, directly or through other facts.
        let mut atoms: Vec<AtomId> = goal.terms.iter().map(|t| t.0).collect();
        let mut rest: Vec<&Linear> = self.all.iter().collect();
        loop {
            let is_near =
                |fact: &&Linear| fact.terms.is_empty() || fact.terms.iter().any(|t| atoms.contains(&t.0));
            let (near, far): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_near);
            rest = far;
            if near.is_empty() {
                break;
            }
            for fact in near {
                system.push(fact.clone());
                let new = fact.terms.iter().map(|t| t.0).filter(|atom| !atoms.contains(atom));
                let new: Vec<AtomId> = new.collect();
                atoms.extend(new);
            }
        }
        for &atom in &atoms {
            let high = range(atom);
            system.extend(high.map(|high| Linear { constant: high, terms: [(atom, -1)].into() }));
        }
        has_no_solution(&system, &atoms).unwrap_or(false)
    }
}

impl Linear {
    /// The coefficient of an atom.
    fn coefficient(&self, atom: AtomId) -> i128 {
        self.terms.iter().find(|t| t.0 == atom).map_or(0, |t| t.1)
    }
}

/// Divides by the common divisor of the coefficients. The constant is rounded down, since the atoms are integers.
fn tightened(mut form: Linear) -> Linear {
    let divisor = form.terms.iter().fold(0, |d, t| if d == 1 { 1 } else { common_divisor(d, t.1.abs()) });
    if divisor > 1 {
        form.constant = form.constant.div_euclid(divisor);
        for term in &mut form.terms {
            term.1 /= divisor;
        }
    }
    form
}

fn common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        // Short divisions are faster.
        (a, b) = match (u64::try_from(a), u64::try_from(b)) {
            (Ok(x), Ok(y)) => (b, i128::from(x % y)),
            _ => (b, a % b),
        };
        if b == 1 {
            return 1;
        }
    }
    a
}

/// True if no rational numbers, none negative, satisfy all `form >= 0`; `None` if numbers become too large. The method
/// is the simplex algorithm with Bland's rule.
///
/// A row says `scale * owner = constant + sum of coefficient * other`, where all others are zero at first. A row with a
/// negative constant needs another with a positive coefficient to grow. They change places. Without one there is no
/// solution.
fn has_no_solution(system: &[Linear], atoms: &[AtomId]) -> Option<bool> {
    // The last number of a row is the constant, the one before the scale.
    let width = atoms.len();
    let row = |form: &Linear| {
        let coefficients = atoms.iter().map(|&atom| form.coefficient(atom));
        coefficients.chain([1, form.constant]).collect::<Vec<i128>>()
    };
    let mut rows: Vec<Vec<i128>> = system.iter().map(row).collect();
    // Unknowns are the atoms, then the values of the forms.
    let mut columns: Vec<usize> = (0..width).collect();
    let mut owners: Vec<usize> = (width..width + rows.len()).collect();
    loop {
        let negative = (0..rows.len()).filter(|&r| rows[r][width + 1] < 0).min_by_key(|&r| owners[r]);
        let Some(r) = negative else { return Some(false) };
        let growing = (0..width).filter(|&c| rows[r][c] > 0).min_by_key(|&c| columns[c]);
        let Some(c) = growing else { return Some(true) };
        core::mem::swap(&mut owners[r], &mut columns[c]);
        // coefficient * other = scale * owner - constant - rest.
        let mut pivot: Vec<i128> = rows[r].iter().map(|&number| -number).collect();
        (pivot[c], pivot[width]) = (rows[r][width], rows[r][c]);
        for (number, row) in rows.iter_mut().enumerate() {
            let factor = row[c];
            if number == r || factor == 0 {
                continue;
            }
            row[c] = 0;
            let divisor = common_divisor(factor.abs(), pivot[width]);
            let (scale, factor) = (pivot[width] / divisor, factor / divisor);
            for (k, (own, &other)) in row.iter_mut().zip(&pivot).enumerate() {
                if scale != 1 {
                    *own = product(*own, scale)?;
                }
                if other != 0 && k != width {
                    *own = own.checked_add(product(other, factor)?).filter(is_small)?;
                }
            }
            // Divisions are slow, and needed only if numbers grow.
            if row.iter().any(|number| number.unsigned_abs() > 1 << 80) {
                let divisor =
                    row.iter().fold(0, |d, &number| if d == 1 { 1 } else { common_divisor(d, number.abs()) });
                row.iter_mut().for_each(|number| *number /= divisor.max(1));
            }
        }
        rows[r] = pivot;
    }
}

/// A product; `None` if it is too large.
fn product(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b).filter(is_small),
    }
}

/// True for all numbers that have a negative: all but the least.
fn is_small(number: &i128) -> bool {
    *number != i128::MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(constant: i128, terms: &[(AtomId, i128)]) -> Linear {
        Linear { constant, terms: terms.to_vec() }
    }

    fn natural(_: AtomId) -> Option<i128> {
        None
    }

    #[test]
    fn words_have_one_form() {
        let a = form(i128::from(u64::MAX), &[(3, 1 << 63)]);
        assert_eq!(a.word(), form(-1, &[(3, -(1 << 63))]));
        assert_eq!(a.plus(&a), form(-2, &[]));
        assert_eq!(a.minus(&a), Linear::default());
        assert_eq!(
            form(8, &[(1, 1)]).combine(&form(1, &[(1, 4), (2, 1)]), -4),
            form(4, &[(1, -15), (2, -4)])
        );
    }

    #[test]
    fn inequalities_follow_or_do_not() {
        // Atom 0 is a length and atom 1 a loop number.
        let mut facts = Facts::default();
        facts.add(form(-64, &[(0, 1), (1, -64)]));
        assert!(facts.imply(&form(-64, &[(0, 1)]), &natural));
        assert!(facts.imply(&form(-60, &[(0, 1), (1, -64)]), &natural));
        assert!(facts.imply(&form(-64, &[(0, 1), (1, -63)]), &natural));
        assert!(!facts.imply(&form(-65, &[(0, 1)]), &natural));
        assert!(!facts.imply(&form(-64, &[(0, 1), (1, -65)]), &natural));
        assert!(!facts.imply(&form(0, &[(2, -1)]), &natural));
        // Integers: 0 <= 2 a - 1 means a >= 1.
        let mut odd = Facts::default();
        odd.add(form(-1, &[(0, 2)]));
        assert!(odd.imply(&form(-1, &[(0, 1)]), &natural));
        // A contradiction implies everything.
        odd.add(form(0, &[(0, -1)]));
        assert!(odd.imply(&form(-9, &[(5, -1)]), &natural) || odd.imply(&form(-9, &[(0, 1)]), &natural));
    }

    #[test]
    fn too_large_forms_are_none() {
        let half = form(0, &[(0, -(1 << 63))]);
        assert_eq!(Linear::default().checked(&half, 1 << 64), None, "-2^127 has no negative");
        assert_eq!(Linear::default().checked(&half, 1 << 38), None);
        assert!(Linear::default().checked(&half, 1 << 37).is_some());
    }

    /// Numbers of the second step are as large as -2^127, which has no negative. Atom 2 is 2, the others are 0.
    #[test]
    fn large_numbers_imply_nothing() {
        let system = [
            form(-(1 << 64), &[(0, -(1 << 96)), (1, 3), (2, 1 << 63)]),
            form(-3, &[(1, -(1 << 31)), (2, 3)]),
        ];
        assert_ne!(has_no_solution(&system, &[0, 1, 2]), Some(true));
    }
}
