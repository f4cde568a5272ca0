//! The race with a noisy judge whose true costs are known.

use aesmith_arrange::Variant;
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_search::racing::{Comparative, FLOOR, versus};
use aesmith_search::{Confirmed, Duel, Race, Racer};
use aesmith_x86::dimensions::{self, Dim};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

const CTR: Problem = Problem::new(KeySize::Aes256, Task::Ctr);

/// Measures with noise: usually a little too slow, sometimes much too slow, and rarely too fast.
struct Noisy {
    rng: ChaCha8Rng,
    /// True costs.
    truth: HashMap<Variant, f64>,
    /// The bound of every variant.
    bound: f64,
    /// Size of a process's placement effect on each variant.
    placement: f64,
    /// Variants whose samples of the first process come from a disturbed clock, with the factor.
    disturbed: HashMap<Variant, f64>,
    /// Bounds that were corrected.
    corrected: Vec<Variant>,
    /// Number of samples of each variant.
    measured: HashMap<Variant, usize>,
    processes: usize,
}

impl Noisy {
    fn new(seed: u64, costs: &[f64], bound: f64) -> (Noisy, Vec<Variant>) {
        let variants: Vec<Variant> = (0..costs.len() as u16)
            .map(|i| dimensions::baseline(CTR).with(Dim::Keys, i + 1).with(Dim::Width, 2))
            .collect();
        let mut truth: HashMap<_, _> = variants.iter().cloned().zip(costs.iter().copied()).collect();
        truth.insert(dimensions::baseline(CTR), 1.0);
        let noisy = Noisy {
            rng: ChaCha8Rng::seed_from_u64(seed),
            truth,
            bound,
            placement: 0.0005,
            disturbed: HashMap::new(),
            corrected: Vec::new(),
            measured: HashMap::new(),
            processes: 0,
        };
        (noisy, variants)
    }

    fn sample(&mut self, variant: &Variant, shift: f64) -> f64 {
        *self.measured.entry(variant.clone()).or_default() += 1;
        let slow = 0.004 * -(1.0 - self.rng.random::<f64>()).ln();
        let burst = if self.rng.random_bool(0.1) { self.rng.random_range(0.05..1.0) } else { 0.0 };
        // One sample in a hundred has a disturbed clock.
        let fast = if self.rng.random_bool(0.01) { 0.97 } else { 1.0 };
        let disturbed = self.disturbed.get(variant).copied().filter(|_| self.processes == 0);
        let factor = disturbed.unwrap_or(1.0);
        self.truth[variant] * (1.0 + slow + burst) * fast * factor * (1.0 + shift)
    }
}

impl Duel for Noisy {
    fn screen(&mut self, contenders: &[Variant]) -> Vec<Option<f64>> {
        contenders.iter().map(|v| Some(self.sample(v, 0.0))).collect()
    }

    fn duel(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
        contenders.iter().map(|v| (0..rounds).map(|_| self.sample(v, 0.0)).collect()).collect()
    }

    fn confirm(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
        self.processes += 1;
        let placement = self.placement;
        let one = |v: &Variant| {
            let shift = self.rng.random_range(-placement..placement);
            (0..rounds).map(|_| self.sample(v, shift)).collect()
        };
        contenders.iter().map(one).collect()
    }

    fn bound(&mut self, _: &Variant) -> Option<f64> {
        Some(self.bound)
    }

    fn confirmed(&mut self, variant: &Variant, median: f64) {
        if median < self.bound {
            self.bound = median;
            self.corrected.push(variant.clone());
        }
    }
}

fn race(judge: &mut Noisy, contenders: &[Variant]) -> Confirmed {
    Racer { race: &Race::default(), judge, progress: &mut |_| {} }
        .run(&dimensions::baseline(CTR), contenders)
        .unwrap()
}

#[test]
fn the_truly_best_wins_though_others_were_luckier_in_the_screen() {
    // Forty variants, half a percent apart; the screen's order is shuffled.
    let costs: Vec<f64> = (0..40).map(|i| 0.2200 * (1.0 + 0.005 * f64::from((i * 17) % 40))).collect();
    for seed in 0..20 {
        let (mut judge, variants) = Noisy::new(seed, &costs, 0.2188);
        let confirmed = race(&mut judge, &variants);
        assert_eq!(judge.truth[&confirmed.winner.variant], 0.22, "seed {seed}: {confirmed:?}");
        assert_eq!(confirmed.winner.against_baseline.verdict, Comparative::Faster);
        assert!(confirmed.winner.cost.median >= FLOOR * 0.2188);
        assert!((confirmed.baseline.median / 1.0 - 1.0).abs() < 0.02);
        assert_eq!(judge.processes, Race::default().sessions, "confirmed in fresh processes");
        // Most work is spent on likely winners.
        let most = judge.measured[&confirmed.winner.variant];
        let least = variants.iter().map(|v| judge.measured[v]).min().unwrap();
        assert!(most > 10 * least, "{most} samples of the winner, {least} of a loser");
    }
}

#[test]
fn a_clock_that_was_disturbed_once_never_wins() {
    let costs = [0.2200, 0.2210, 0.2220, 0.2230, 0.2240, 0.2300];
    for seed in 0..20 {
        let (mut judge, variants) = Noisy::new(seed, &costs, 0.2188);
        judge.disturbed.insert(variants[5].clone(), 0.92);
        let confirmed = race(&mut judge, &variants);
        assert_eq!(confirmed.winner.variant, variants[0], "seed {seed}");
        assert_eq!(judge.corrected, [], "what fresh processes do not confirm corrects no bound");
    }
}

#[test]
fn a_kernel_below_its_bound_wins_and_the_bound_is_corrected() {
    let costs = [0.2300, 0.2210, 0.2220, 0.2100, 0.2240, 0.2250];
    for seed in 0..20 {
        // The bound is 4 % too high for the best, and 1 % for the next.
        let (mut judge, variants) = Noisy::new(seed, &costs, 0.2190);
        let confirmed = race(&mut judge, &variants);
        assert_eq!(confirmed.winner.variant, variants[3], "seed {seed}");
        assert_eq!(judge.corrected[0], variants[3], "seed {seed}");
        let winner = confirmed.winner;
        assert!(winner.bound.unwrap() <= winner.cost.median, "no bound is above what was measured");
    }
}

#[test]
fn without_evidence_the_baseline_stays() {
    for seed in 0..20 {
        let (mut judge, variants) = Noisy::new(seed, &[1.0, 1.0, 1.0, 1.002], 0.2);
        let confirmed = race(&mut judge, &variants);
        assert_eq!(confirmed.winner.variant, dimensions::baseline(CTR), "seed {seed}: {confirmed:?}");
        assert_eq!(confirmed.winner.against_baseline.verdict, Comparative::NoEvidence);
    }
}

/// Four rounds are not significant, but a kernel that takes less than half of the time still wins.
#[test]
fn of_a_few_rounds_the_clearly_faster_is_taken_without_a_claim() {
    for seed in 0..20 {
        let (mut judge, variants) = Noisy::new(seed, &[0.4, 0.45], 0.3);
        let short = Race { confirm_rounds: 4, sessions: 1, ..Race::default() };
        let mut racer = Racer { race: &short, judge: &mut judge, progress: &mut |_| {} };
        let confirmed = racer.run(&dimensions::baseline(CTR), &variants).unwrap();
        assert_eq!(confirmed.winner.against_baseline.verdict, Comparative::NoEvidence);
        assert!(confirmed.winner.variant != dimensions::baseline(CTR), "seed {seed}: {confirmed:?}");
    }
}

#[test]
fn slower_contenders_lose_to_the_baseline_and_equal_ones_to_nobody() {
    let (mut judge, variants) = Noisy::new(1, &[1.2, 1.3], 0.2);
    let confirmed = race(&mut judge, &variants);
    assert_eq!(confirmed.winner.variant, dimensions::baseline(CTR));
    assert_eq!(confirmed.finalists[0].against_baseline.verdict, Comparative::Slower);
    let (mut judge, variants) = Noisy::new(1, &[0.5, 0.5], 0.2);
    let (_, against) = race(&mut judge, &variants).against_runner_up.unwrap();
    assert_eq!(against.verdict, Comparative::NoEvidence);
    assert!(against.interval.0 < 1.0 && 1.0 < against.interval.1, "{against:?}");
}

#[test]
fn an_interrupted_race_still_confirms_in_a_fresh_process() {
    let costs: Vec<f64> = (0..40).map(|i| 0.22 + 0.001 * f64::from(i)).collect();
    let (mut judge, variants) = Noisy::new(1, &costs, 0.2188);
    let quick = Race { interrupted: std::sync::Arc::new(true.into()), ..Race::default() };
    let mut racer = Racer { race: &quick, judge: &mut judge, progress: &mut |_| {} };
    let confirmed = racer.run(&dimensions::baseline(CTR), &variants).unwrap();
    assert_eq!(confirmed.winner.variant, variants[0]);
    assert_eq!((judge.processes, judge.measured.len()), (1, 5), "four finalists and the baseline");
}

/// A race with a deadline has fewer rounds, processes and finalists, down to the shortest confirmation.
#[test]
fn a_race_keeps_its_time() {
    struct Slow(Noisy, std::time::Duration);
    impl Slow {
        fn wait(&self, contenders: usize, rounds: usize) {
            std::thread::sleep(self.1 * (contenders * rounds) as u32);
        }
    }
    impl Duel for Slow {
        fn screen(&mut self, contenders: &[Variant]) -> Vec<Option<f64>> {
            self.wait(contenders.len(), 2);
            self.0.screen(contenders)
        }
        fn duel(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
            self.wait(contenders.len(), rounds);
            self.0.duel(contenders, rounds)
        }
        fn confirm(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
            self.wait(contenders.len(), rounds);
            self.0.confirm(contenders, rounds)
        }
        fn bound(&mut self, variant: &Variant) -> Option<f64> {
            self.0.bound(variant)
        }
        fn confirmed(&mut self, variant: &Variant, median: f64) {
            self.0.confirmed(variant, median);
        }
    }
    let costs: Vec<f64> = (0..40).map(|i| 0.22 + 0.001 * f64::from(i)).collect();
    // The full race would take 3,700 rounds of one contender.
    for (milliseconds, most) in [(0, 500), (400, 1200)] {
        let (judge, variants) = Noisy::new(1, &costs, 0.2188);
        let began = std::time::Instant::now();
        let ends = Some(began + std::time::Duration::from_millis(milliseconds));
        let quick = Race { ends, ..Race::default() };
        let mut judge = Slow(judge, std::time::Duration::from_millis(1));
        let mut racer = Racer { race: &quick, judge: &mut judge, progress: &mut |_| {} };
        let confirmed = racer.run(&dimensions::baseline(CTR), &variants).unwrap();
        let took = began.elapsed().as_millis();
        assert!(took < most, "{took} ms where the race was to be over after {milliseconds}");
        assert_eq!(confirmed.winner.against_baseline.verdict, Comparative::Faster);
        assert!(confirmed.pace.is_some());
    }
}

#[test]
fn a_race_without_contenders_or_without_a_baseline() {
    let (mut judge, _) = Noisy::new(1, &[], 0.2);
    assert_eq!(race(&mut judge, &[]).winner.variant, dimensions::baseline(CTR));
    struct Dead;
    impl Duel for Dead {
        fn screen(&mut self, contenders: &[Variant]) -> Vec<Option<f64>> {
            vec![None; contenders.len()]
        }
        fn duel(&mut self, contenders: &[Variant], _: usize) -> Vec<Vec<f64>> {
            vec![Vec::new(); contenders.len()]
        }
        fn confirm(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
            self.duel(contenders, rounds)
        }
        fn bound(&mut self, _: &Variant) -> Option<f64> {
            None
        }
        fn confirmed(&mut self, _: &Variant, _: f64) {}
    }
    let mut racer = Racer { race: &Race::default(), judge: &mut Dead, progress: &mut |_| {} };
    let error = racer.run(&dimensions::baseline(CTR), &[]).unwrap_err();
    assert!(error.contains("baseline"), "{error}");
}

#[test]
fn a_comparison_says_no_more_than_its_samples_do() {
    let ten = |x: f64| (0..10).map(|i| x + 0.001 * f64::from(i)).collect::<Vec<f64>>();
    assert_eq!(versus(&ten(1.0), &ten(1.1), 0.0).verdict, Comparative::Faster);
    assert_eq!(versus(&ten(1.1), &ten(1.0), 0.0).verdict, Comparative::Slower);
    assert_eq!(versus(&ten(1.0), &ten(1.1), 0.2).verdict, Comparative::NoEvidence, "within the noise floor");
    assert_eq!(versus(&ten(1.0)[..4], &ten(1.1), 0.0).verdict, Comparative::NoEvidence, "too few");
    assert_eq!(versus(&[], &ten(1.1), 0.0).verdict, Comparative::NoEvidence);
}
