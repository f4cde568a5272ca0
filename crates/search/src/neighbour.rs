//! Steps from a variant to its neighbours: one argument changed, drawn by weight, or one instruction of the loop moved.

use aesmith_arrange::{Axis, Move, Orders, Place, Space, Values, Variant};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Maximum number of instruction moves in a variant, so that the list does not grow without limit.
const LONGEST_ORDER: usize = 64;
/// Maximum number of draws until one changes the variant and stays within the space.
const DRAWS: usize = 64;

/// A space and its neighbour relation.
#[derive(Debug)]
pub struct Neighbourhood<'s> {
    space: &'s Space,
    /// Axes with a choice, and the running sum of their weights.
    choices: Vec<(&'s Axis, u32)>,
}

impl<'s> Neighbourhood<'s> {
    /// The neighbourhood of a space.
    pub fn new(space: &'s Space) -> Self {
        let mut sum = 0;
        let free = space.axes.iter().filter(|a| a.values.len() > 1 && a.weight > 0);
        let choices = free
            .map(|axis| {
                sum += axis.weight;
                (axis, sum)
            })
            .collect();
        Neighbourhood { space, choices }
    }

    /// The variant without optimization, or the nearest one in this space.
    pub fn start(&self) -> Variant {
        let mut variant = self.space.plain.clone();
        for axis in &self.space.axes {
            variant.set(axis.dimension.place, axis.plainest());
        }
        variant.clamped()
    }

    /// The dimensions that are numbers or sets, by descending weight, each with its values in ascending order; for a
    /// set, these are its first n elements, for each n.
    pub(crate) fn ladders(&self) -> Vec<(Place, Vec<u16>)> {
        let mut axes: Vec<&Axis> = self.choices.iter().map(|(axis, _)| *axis).collect();
        axes.sort_by_key(|axis| std::cmp::Reverse(axis.weight));
        let ladder = |axis: &&Axis| {
            let rungs: Vec<u16> = match axis.dimension.values {
                Values::Named(_) => return None,
                Values::Range(..) => axis.values.clone(),
                Values::Mask(_) => {
                    let firsts = (0..=self.useful_bits(axis)).map(low);
                    firsts.filter(|mask| axis.values.binary_search(mask).is_ok()).collect()
                }
            };
            (rungs.len() > 1).then_some((axis.dimension.place, rungs))
        };
        axes.iter().filter_map(ladder).collect()
    }

    /// The kind of a dimension's values.
    pub fn values(&self, place: Place) -> Option<Values> {
        self.choices
            .iter()
            .find(|(axis, _)| axis.dimension.place == place)
            .map(|(axis, _)| axis.dimension.values)
    }

    /// The dimensions that are choices by name, with their values.
    pub fn named(&self) -> Vec<(Place, Vec<u16>)> {
        let named = self.choices.iter().filter(|(axis, _)| matches!(axis.dimension.values, Values::Named(_)));
        named.map(|(axis, _)| (axis.dimension.place, axis.values.clone())).collect()
    }

    /// True if a variant is valid and the space allows each of its values.
    pub fn contains(&self, variant: &Variant) -> bool {
        variant.problem == self.space.plain.problem
            && variant.table == self.space.plain.table
            && self.space.allows(variant)
            && variant.check().is_ok()
    }

    /// A variant drawn at random in every dimension, with the original order of instructions. Masks are drawn by their
    /// number of bits: nearly all uniformly drawn masks have about half of the bits.
    pub fn random(&self, rng: &mut ChaCha8Rng) -> Variant {
        for _ in 0..DRAWS {
            let mut variant = self.start();
            for (axis, _) in &self.choices {
                variant.set(axis.dimension.place, self.draw(axis, rng));
            }
            let variant = variant.clamped();
            if self.contains(&variant) {
                return variant;
            }
        }
        self.start()
    }

    /// A neighbour: one argument, drawn by weight, has another value.
    pub fn step(&self, from: &Variant, rng: &mut ChaCha8Rng) -> Variant {
        let Some(&(_, sum)) = self.choices.last() else { return from.clone() };
        for _ in 0..DRAWS {
            let ticket = rng.random_range(0..sum);
            let place = self.choices.partition_point(|(_, upto)| *upto <= ticket);
            let to = self.change(from, self.choices[place].0, rng);
            if to != *from && self.contains(&to) {
                return to;
            }
        }
        from.clone()
    }

    /// All neighbours that differ in one argument; for a mask, all with one bit flipped and all runs of bits from
    /// either end.
    pub fn around(&self, from: &Variant) -> Vec<Variant> {
        let mut all = Vec::new();
        for (axis, _) in &self.choices {
            let (dim, value) = (axis.dimension.place, from.get(axis.dimension.place));
            let values: Vec<u16> = match axis.dimension.values {
                Values::Mask(_) => {
                    let bits = self.useful_bits(axis);
                    let runs = (0..=bits).flat_map(|n| [low(n), high(n, bits)]);
                    (0..bits).map(|b| value ^ (1 << b)).chain(runs).collect()
                }
                _ => axis.values.clone(),
            };
            for v in values {
                let to = from.clone().with(dim, v).clamped();
                if v != value && self.contains(&to) && !all.contains(&to) {
                    all.push(to);
                }
            }
        }
        all
    }

    /// A child that takes each argument from one of two parents, and the order from the first.
    pub fn cross(&self, a: &Variant, b: &Variant, rng: &mut ChaCha8Rng) -> Variant {
        let mut child = a.clone();
        for (axis, _) in &self.choices {
            if rng.random_bool(0.5) {
                child.set(axis.dimension.place, b.get(axis.dimension.place));
            }
        }
        let child = child.clamped();
        if self.contains(&child) { child } else { a.clone() }
    }

    /// A neighbour in order: one more move of an instruction within a loop of `instructions`, one fewer, or one moved
    /// elsewhere; if orders are numbered, another number up to `instructions`. `None` if no instruction can be moved.
    pub fn reorder(&self, from: &Variant, instructions: u16, rng: &mut ChaCha8Rng) -> Option<Variant> {
        if instructions < 2 {
            return None;
        }
        if from.table.orders == Orders::Numbers {
            return Some(from.clone().seeded(rng.random_range(1..=u32::from(instructions))));
        }
        let mut to = from.clone();
        let kind = rng.random_range(0..10);
        if to.order.is_empty() || (kind < 7 && to.order.len() < LONGEST_ORDER) {
            to.order.push(draw_move(rng.random_range(0..instructions), instructions, rng));
        } else {
            let place = rng.random_range(0..to.order.len());
            if kind < 9 {
                to.order.remove(place);
            } else {
                to.order[place] = draw_move(to.order[place].from.min(instructions - 1), instructions, rng);
            }
        }
        Some(to)
    }

    /// Changes the value of one argument, by a step that suits its kind.
    fn change(&self, from: &Variant, axis: &Axis, rng: &mut ChaCha8Rng) -> Variant {
        let dim = axis.dimension.place;
        let value = from.get(dim);
        let uniform = |rng: &mut ChaCha8Rng| axis.values[rng.random_range(0..axis.values.len())];
        let new = match axis.dimension.values {
            Values::Mask(_) => {
                let bits = self.useful_bits(axis);
                let mask = match rng.random_range(0..20) {
                    0..8 => value ^ (1 << rng.random_range(0..bits)),
                    8..14 => low(rng.random_range(0..=bits)),
                    14..17 => high(rng.random_range(0..=bits), bits),
                    17 => low(bits),
                    18 => 0,
                    _ => rng.random::<u16>() & low(bits),
                };
                if axis.values.binary_search(&mask).is_ok() { mask } else { uniform(rng) }
            }
            Values::Range(..) if rng.random_bool(0.5) => {
                let place = axis.values.partition_point(|v| *v < value);
                let next = if rng.random() { place + 1 } else { place.wrapping_sub(1) };
                axis.values.get(next).copied().unwrap_or(value)
            }
            _ => uniform(rng),
        };
        from.clone().with(dim, new).clamped()
    }

    fn draw(&self, axis: &Axis, rng: &mut ChaCha8Rng) -> u16 {
        if let Values::Mask(_) = axis.dimension.values {
            let bits = self.useful_bits(axis);
            let count = rng.random_range(0..=bits);
            let mask = match rng.random_range(0..3) {
                0 => low(count),
                1 => high(count, bits),
                _ => {
                    let mut mask = 0u16;
                    while mask.count_ones() < count as u32 {
                        mask |= 1 << rng.random_range(0..bits);
                    }
                    mask
                }
            };
            if axis.values.binary_search(&mask).is_ok() {
                return mask;
            }
        }
        axis.values[rng.random_range(0..axis.values.len())]
    }

    /// Number of meaningful bits of a mask: for the key mask, the number of round keys.
    fn useful_bits(&self, axis: &Axis) -> u16 {
        (axis.dimension.bits)(self.space.plain.problem)
    }
}

/// The lowest `n` bits.
fn low(n: u16) -> u16 {
    ((1u32 << n) - 1) as u16
}

/// The highest `n` of `bits` bits.
fn high(n: u16, bits: u16) -> u16 {
    low(bits) & !low(bits - n)
}

/// The destination of an instruction: usually a few places away, sometimes anywhere.
fn draw_move(from: u16, instructions: u16, rng: &mut ChaCha8Rng) -> Move {
    let last = instructions - 1;
    let to = if rng.random_bool(0.8) {
        let far = rng.random_range(1..=8u16);
        if rng.random() { from.saturating_add(far).min(last) } else { from.saturating_sub(far) }
    } else {
        rng.random_range(0..instructions)
    };
    if to != from {
        return Move { from, to };
    }
    Move { from, to: if from == last { from - 1 } else { from + 1 } }
}
