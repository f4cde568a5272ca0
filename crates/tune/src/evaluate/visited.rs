//! The variants that a search has visited, and the points of those that have costs.

use std::collections::HashMap;

use aesmith_arrange::Variant;
use aesmith_search::{Outcome, Verdict};

use crate::request::Request;

/// Visited variants. `P` is a variant with its costs.
#[derive(Debug)]
pub struct Visited<P> {
    /// The place of each variant's point; `None` for a variant without costs.
    places: HashMap<Variant, Option<usize>>,
    points: Vec<P>,
}

impl<P> Default for Visited<P> {
    fn default() -> Self {
        Visited { places: HashMap::new(), points: Vec::new() }
    }
}

impl<P> Visited<P> {
    /// The points, in the order in which they were taken.
    pub fn points(&self) -> &[P] {
        &self.points
    }

    /// The point at a place.
    pub fn at_mut(&mut self, place: usize) -> &mut P {
        &mut self.points[place]
    }

    /// The visited variants, in no order.
    pub fn variants(&self) -> impl Iterator<Item = &Variant> {
        self.places.keys()
    }

    /// True if a variant was visited.
    pub fn contains(&self, variant: &Variant) -> bool {
        self.places.contains_key(variant)
    }

    /// The point of a variant, if it has costs.
    pub fn of(&self, variant: &Variant) -> Option<&P> {
        self.places.get(variant).copied().flatten().map(|place| &self.points[place])
    }

    /// Takes a variant that was visited, and its point.
    pub fn take(&mut self, variant: Variant, point: Option<P>) {
        let place = point.map(|point| {
            self.points.push(point);
            self.points.len() - 1
        });
        self.places.insert(variant, place);
    }

    /// Removes the point at a place, which the last point takes.
    pub fn remove(&mut self, place: usize) {
        self.points.swap_remove(place);
        let moved = self.points.len();
        for other in self.places.values_mut() {
            *other = match *other {
                Some(known) if known == place => None,
                Some(known) if known == moved => Some(place),
                known => known,
            };
        }
    }

    /// The outcomes that a strategy is told of a batch, as far as its variants were visited.
    pub fn outcomes(
        &self,
        batch: &[Variant],
        request: &Request,
        outcome: impl Fn(&P) -> Outcome,
    ) -> Vec<Outcome> {
        let one = |variant: &Variant| match (request.names(variant), self.contains(variant)) {
            (false, _) => Some(Outcome::without_cost(Verdict::Unsupported)),
            (true, false) => None,
            (true, true) => {
                Some(self.of(variant).map_or(Outcome::without_cost(Verdict::DoesNotFit), &outcome))
            }
        };
        batch.iter().map_while(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processors::core;

    #[test]
    fn places_follow_points_that_are_removed() {
        let table = core("avr").unwrap().table;
        let all: Vec<Variant> =
            (0..4).map(|seed| table.plain("aes128-ecb".parse().unwrap()).seeded(seed)).collect();
        let mut visited = Visited::default();
        for (number, variant) in all.iter().enumerate() {
            visited.take(variant.clone(), (number != 1).then_some(number));
        }
        let found = |visited: &Visited<usize>| all.iter().map(|v| visited.of(v).copied()).collect::<Vec<_>>();
        assert_eq!(found(&visited), [Some(0), None, Some(2), Some(3)]);
        visited.remove(0);
        assert_eq!((found(&visited), visited.points()), (vec![None, None, Some(2), Some(3)], &[3, 2][..]));
        visited.remove(1);
        assert_eq!(found(&visited), [None, None, None, Some(3)]);
        assert!(all.iter().all(|variant| visited.contains(variant)));
    }
}
