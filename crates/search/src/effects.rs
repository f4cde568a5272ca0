//! A model of cost that learns as it goes: the logarithm of the cost as a sum of effects of single
//! values and of pairs of values, and likewise whether there is a cost at all.

use aesmith_arrange::{Space, Values, Variant};

/// Learning rates of the effects of single values and of pairs of values. Pairs learn slower, so
/// that what a single value explains is not put down to pairs.
const RATES: [f32; 2] = [0.10, 0.03];
/// A variant without a cost is worth so many e-folds of cost more than the model says.
const PENALTY: f32 = 1.0;

/// Effects of values and of pairs of values on cost.
#[derive(Debug)]
pub struct Effects {
    /// Where each axis starts among the single values.
    offsets: Vec<usize>,
    singles: usize,
    cost: Sums,
    failure: Sums,
    mean: f32,
    seen: u32,
}

/// One learned sum: weights and the squared gradients that scale their steps (Duchi, Hazan and
/// Singer, "Adaptive Subgradient Methods", JMLR 2011). Singles first, then pairs.
#[derive(Debug)]
struct Sums {
    weights: Vec<f32>,
    squares: Vec<f32>,
}

impl Sums {
    fn new(singles: usize) -> Sums {
        let all = singles + singles * singles;
        Sums { weights: vec![0.0; all], squares: vec![1e-4; all] }
    }

    fn sum(&self, features: &[usize]) -> f32 {
        features.iter().map(|&f| self.weights[f]).sum()
    }

    fn step(&mut self, features: &[usize], singles: usize, gradient: f32) {
        for &f in features {
            self.squares[f] += gradient * gradient;
            let rate = RATES[usize::from(f >= singles)];
            self.weights[f] -= rate * gradient / self.squares[f].sqrt();
        }
    }
}

impl Effects {
    /// A model of a space that knows nothing.
    pub fn new(space: &Space) -> Effects {
        let mut singles = 0;
        let offsets = space
            .axes
            .iter()
            .map(|axis| {
                let offset = singles;
                singles += match axis.dimension.values {
                    Values::Mask(bits) => bits as usize + 1,
                    values => values.count() as usize + 1,
                };
                offset
            })
            .collect();
        Effects {
            offsets,
            singles,
            cost: Sums::new(singles),
            failure: Sums::new(singles),
            mean: 0.0,
            seen: 0,
        }
    }

    /// What of a variant has effects: each value (of a mask, its number of bits), and each pair.
    pub fn features(&self, space: &Space, variant: &Variant) -> Vec<usize> {
        let mut features: Vec<usize> = space
            .axes
            .iter()
            .zip(&self.offsets)
            .filter(|(axis, _)| axis.values.len() > 1)
            .map(|(axis, offset)| {
                let value = variant.get(axis.dimension.dim);
                offset
                    + match axis.dimension.values {
                        Values::Mask(_) => value.count_ones() as usize,
                        Values::Range(first, _) => (value - first) as usize,
                        Values::Named(_) => value as usize,
                    }
            })
            .collect();
        let singles = features.len();
        for i in 0..singles {
            for j in i + 1..singles {
                features.push(self.singles * (1 + features[i]) + features[j]);
            }
        }
        features
    }

    /// Learns one answer.
    pub fn learn(&mut self, features: &[usize], cost: Option<f64>) {
        let failed = 1.0 / (1.0 + (-self.failure.sum(features)).exp());
        self.failure.step(features, self.singles, failed - f32::from(u8::from(cost.is_none())));
        let Some(cost) = cost.filter(|c| *c > 0.0) else { return };
        let target = (cost as f32).ln();
        self.seen += 1;
        self.mean += (target - self.mean) / self.seen as f32;
        let error = self.mean + self.cost.sum(features) - target;
        self.cost.step(features, self.singles, error.clamp(-1.0, 1.0));
    }

    /// How promising a variant is: the logarithm of the cost expected, and a penalty as it is
    /// likely to have none. Lower is better.
    pub fn score(&self, features: &[usize]) -> f32 {
        let failed = 1.0 / (1.0 + (-self.failure.sum(features)).exp());
        self.mean + self.cost.sum(features) + PENALTY * failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbourhood;
    use aesmith_arrange::Dim;
    use aesmith_cipher::{KeySize, Problem, Task};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn it_ranks_unseen_variants_of_an_interacting_cost() {
        let space = Space::new(Problem::new(KeySize::Aes128, Task::Ctr), 4);
        let neighbourhood = Neighbourhood::new(&space);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        // Interleaving pays on xmm only: an interaction that no sum of single effects can hold.
        let truth = |v: &Variant| {
            let wide = v.get(Dim::Width) == 2;
            let gain = if wide { 0.0 } else { 0.1 * f64::from(v.get(Dim::Interleave).min(8)) };
            2.0 - gain + 0.3 * f64::from(v.get(Dim::Loop))
        };
        let mut effects = Effects::new(&space);
        for _ in 0..2000 {
            let v = neighbourhood.random(&mut rng);
            let features = effects.features(&space, &v);
            effects.learn(&features, Some(truth(&v)));
        }
        let (mut right, mut wrong) = (0, 0);
        for _ in 0..500 {
            let (a, b) = (neighbourhood.random(&mut rng), neighbourhood.random(&mut rng));
            if (truth(&a) - truth(&b)).abs() < 0.05 {
                continue;
            }
            let score = |v| effects.score(&effects.features(&space, v));
            if (score(&a) < score(&b)) == (truth(&a) < truth(&b)) { right += 1 } else { wrong += 1 }
        }
        assert!(right > 19 * wrong, "{right} right, {wrong} wrong");
    }

    #[test]
    fn it_learns_what_fails() {
        let space = Space::new(Problem::new(KeySize::Aes128, Task::Ctr), 4);
        let neighbourhood = Neighbourhood::new(&space);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let fails = |v: &Variant| v.get(Dim::Interleave) > 9;
        let mut effects = Effects::new(&space);
        for _ in 0..1000 {
            let v = neighbourhood.random(&mut rng);
            let features = effects.features(&space, &v);
            effects.learn(&features, (!fails(&v)).then_some(1.0));
        }
        let start = neighbourhood.start();
        let score = |v: &Variant| effects.score(&effects.features(&space, v));
        assert!(
            score(&start.clone().with(Dim::Interleave, 12)) > score(&start.with(Dim::Interleave, 6)) + 0.3
        );
    }
}
