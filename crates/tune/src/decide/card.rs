//! Finalists on a card: all are launched alternately over one text in its memory, checked against the cipher
//! before and after, and compared with the bound from the card's measured rates. The winner also streams text
//! from the host and back.

use aesmith_arrange::Variant;
use aesmith_cipher::Calls;
use aesmith_judge::judge::{Finding, Instrument, Judge, Kind, Outcome, Refusal, Rounds, Trial};
use aesmith_native::timing::quantile;
use aesmith_processor::checked::GridClaim;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::card::{About, CardBound, Cards, Rates, Session, Timed};
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_search::racing::Quartiles;
use aesmith_wisdom::write::now_ms;
use aesmith_wisdom::{Best, Processor, Sample, Store};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::decide::held::Held;
use crate::error::TuneError;
use crate::evaluate::record::{self, Origin, RunSubject, Started, command};
use crate::request::Request;

/// Most bytes of text.
const TEXT: u64 = 256 << 20;
/// Fraction (1/8) of a card's memory that the text may take; the result takes the same again.
const PART: u64 = 8;
/// Iterations of the micro-kernels' loops: about 70 microseconds each.
const TURNS: u32 = 17;
/// Launches of each kernel before the first timed one.
const WARM: u32 = 3;
/// Target and maximum duration, in milliseconds, of the launches between two events.
const BATCH: f64 = 2.0;
const MOST: f64 = 16.0;
/// Buffers of text that are streamed, and those streamed before as a warm-up.
const STREAMED: u32 = 32;
const STREAMED_FIRST: u32 = 4;

/// Measurements of a kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CardRow {
    /// The variant.
    pub variant: String,
    /// Output in bits per clock of a multiprocessor: the median over the rounds.
    pub bits: f64,
    /// Its first quartile.
    pub low: f64,
    /// Its third quartile.
    pub high: f64,
    /// Output in gigabits per second: the median.
    pub gbps: f64,
    /// Clock of a multiprocessor during the measurement, in MHz: the median.
    pub mhz: f64,
    /// Time relative to the fastest kernel: the median over the rounds, each of which launched both.
    pub times: f64,
    /// True if the difference exceeds the noise.
    pub evidence: bool,
    /// The bound by the card's rates; `None` if no machine code was counted.
    pub bound: Option<CardBound>,
    /// Fraction of the bound that is reached.
    pub of_bound: Option<f64>,
    /// All measured times, for wisdom.
    #[serde(skip)]
    pub findings: Vec<Finding<Timed>>,
}

impl CardRow {
    /// Clocks of a multiprocessor per block of text: first quartile, median, third quartile.
    pub fn clocks(&self) -> [f64; 3] {
        [self.high, self.bits, self.low].map(|bits| 128.0 / bits)
    }
}

/// Measurements on a card.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OnCard {
    /// The card.
    pub card: About,
    /// Its measured rates per clock.
    pub rates: Rates,
    /// Bytes of the text.
    pub bytes: usize,
    /// Number of timed rounds for each kernel.
    pub rounds: usize,
    /// Number of blocks of each result checked against the cipher; all others are checked against the first
    /// kernel's result.
    pub checked: usize,
    /// Relative difference between two series of times of one kernel.
    pub noise: f64,
    /// Least and greatest observed clock of a multiprocessor, in MHz.
    pub clocks: [f64; 2],
    /// The kernels, fastest first.
    pub kernels: Vec<CardRow>,
    /// Output of the fastest kernel in gigabits per second, with copies from and to the host's pinned memory,
    /// by the host's clock.
    pub streamed_gbps: f64,
}

/// Times of a kernel, one per round.
type Times = Vec<Timed>;

/// The card in this machine as a judge of proved kernels of one problem. Costs are clocks of a multiprocessor per block of text.
pub struct ByCard {
    cards: &'static dyn Cards,
    about: About,
    held: Held,
    blocks: usize,
    random: ChaCha8Rng,
    /// Facts of the last duel that concern no single kernel.
    beside: Option<Beside>,
}

/// Facts of a duel that concern no single kernel.
struct Beside {
    rates: Rates,
    /// A second series of the first kernel.
    again: Times,
    /// The fastest kernel, by its place among the trials.
    fastest: usize,
    streamed_gbps: f64,
}

impl ByCard {
    /// Makes a text for kernels of one problem, and the known blocks of its result, before the card is used: this takes
    /// seconds, during which others may use the card.
    ///
    /// # Errors
    /// There is no kernel, or the card has too little memory.
    pub fn new(
        cards: &'static dyn Cards,
        about: &About,
        kernels: &[ProvedGrid],
        seed: u64,
    ) -> Result<ByCard, TuneError> {
        let fault = |why: String| fault(about, &why);
        let first = kernels.first().ok_or_else(|| fault("there is no kernel to measure".into()))?;
        let blocks = (TEXT.min(about.memory / PART) / 16) as usize;
        if blocks == 0 {
            return Err(fault(format!("it has {} bytes of memory, too few for a text", about.memory)));
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let of_streams = first.kernel().program.has_streams();
        let held = Held::new(first.kernel().contract.problem, blocks, of_streams, &mut random);
        Ok(ByCard { cards, about: about.clone(), held, blocks, random, beside: None })
    }

    fn try_duel(&mut self, trials: &[Trial<'_, ProvedGrid>], rounds: usize) -> Result<Vec<Times>, String> {
        let ByCard { cards, held, blocks, random, .. } = self;
        let card = cards.open()?;
        let kernels: Vec<ProvedGrid> = trials.iter().map(|trial| trial.kernel.clone()).collect();
        let rates = card.rates(TURNS)?;
        let mut session = card.session(&kernels, *blocks)?;
        session.write(held.text())?;
        session.divide(held.streams())?;
        let variants: Vec<&Variant> = kernels.iter().map(|proved| &proved.kernel().variant).collect();
        for (kernel, variant) in variants.iter().enumerate() {
            session.clear(0xa5)?;
            session.launch(kernel, 1, &held.given())?;
            held.check(&mut *session, variant, "before timing")?;
        }
        let mut taken = timed(&mut *session, &variants, held, rounds, random)?;
        let again = taken.pop().ok_or("nothing was timed")?;
        let fastest = fastest(&taken);
        let streamed_gbps = streamed(&mut *session, fastest, variants[fastest], held)?;
        self.beside = Some(Beside { rates, again, fastest, streamed_gbps });
        Ok(taken)
    }

    fn finding(&self, timed: Timed) -> Finding<Timed> {
        let clocks = clocks_of(&timed, &self.about, self.blocks);
        let ticks = vec![(timed.milliseconds * 1e6).round() as u64];
        Finding { cost: Some(clocks), cycles: vec![clocks], ticks, facts: timed }
    }
}

impl Instrument for ByCard {
    fn name(&self) -> String {
        self.cards.name()
    }

    fn beneath(&self) -> Option<&dyn Instrument> {
        Some(self.cards)
    }

    fn kind(&self) -> Kind {
        self.cards.kind()
    }
}

impl Judge for ByCard {
    type Kernel = ProvedGrid;
    type Facts = Timed;
    type Error = TuneError;

    fn measure(&mut self, trials: &[Trial<'_, ProvedGrid>]) -> Result<Vec<Outcome<Timed>>, TuneError> {
        let nothing = || Refusal::from("nothing was timed".to_owned());
        let last = |rounds: Rounds<Timed>| rounds.and_then(|mut rounds| rounds.pop().ok_or_else(nothing));
        Ok(self.duel(trials, 1)?.into_iter().map(last).collect())
    }

    fn duel(
        &mut self,
        trials: &[Trial<'_, ProvedGrid>],
        rounds: usize,
    ) -> Result<Vec<Rounds<Timed>>, TuneError> {
        let taken = self.try_duel(trials, rounds).map_err(|why| fault(&self.about, &why))?;
        let findings = |times: Times| Ok(times.into_iter().map(|timed| self.finding(timed)).collect());
        Ok(taken.into_iter().map(findings).collect())
    }
}

fn fault(about: &About, why: &str) -> TuneError {
    TuneError::NoResult(format!("nothing is measured on {}: {why}", about.name))
}

/// Measures proved kernels of one problem. Returns the index of the fastest.
///
/// # Errors
/// The card or its driver reports an error, or a kernel's result differs from the cipher's.
pub fn measured(
    mut judge: ByCard,
    kernels: &[ProvedGrid],
    rounds: usize,
) -> Result<(usize, OnCard), TuneError> {
    let trials: Vec<Trial<ProvedGrid>> = kernels.iter().map(Trial::new).collect();
    let found = judge.duel(&trials, rounds)?.into_iter().collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|refusal| fault(&judge.about, &refusal.why))?;
    let ByCard { about, held, blocks, beside, .. } = judge;
    let Some(Beside { rates, again, fastest, streamed_gbps }) = beside else {
        return Err(fault(&about, "nothing was timed"));
    };
    let taken: Vec<Times> =
        found.iter().map(|rounds| rounds.iter().map(|round| round.facts).collect()).collect();
    let noise = noise(&taken[0], &again);
    let measure = |(at, findings): (usize, Vec<Finding<Timed>>)| {
        let counted = about.counts(&kernels[at].certificate().counts);
        let bound = counted.map(|counted| rates.bound(counted));
        let variant = &kernels[at].kernel().variant;
        let row = of_times(variant, &taken[at], &taken[fastest], (&about, blocks, noise), bound);
        CardRow { findings, ..row }
    };
    let mut rows: Vec<CardRow> = found.into_iter().enumerate().map(measure).collect();
    rows.sort_by(|a, b| a.times.total_cmp(&b.times));
    let seen = taken.iter().flatten().chain(&again).map(|timed| timed.mhz);
    let clocks = seen.fold([f64::INFINITY, 0.0], |[low, high], mhz| [mhz.min(low), mhz.max(high)]);
    let on_card = OnCard {
        card: about,
        rates,
        bytes: 16 * blocks,
        rounds,
        checked: held.checked(),
        noise,
        clocks,
        kernels: rows,
        streamed_gbps,
    };
    Ok((fastest, on_card))
}

/// Stores measurements: every time, and each kernel's figure. They are stored by the kind of card and its driver, so that a card
/// only receives kernels that were measured on its kind.
///
/// # Errors
/// The store cannot be written.
pub fn remember(
    store: &mut Store,
    grids: &'static Grids,
    kernels: &[ProvedGrid],
    on_card: &OnCard,
    (request, seed): (&Request, u64),
) -> Result<(), TuneError> {
    let Some(problem) = kernels.first().map(|proved| proved.certificate().problem.clone()) else {
        return Ok(());
    };
    // Kernels of one race have one time: `fastest` compares those of the last race only.
    let (about, now) = (&on_card.card, now_ms());
    let attributes = serde_json::to_value(about).ok().and_then(|value| value.as_object().cloned());
    let processor = Processor {
        key: about.key(grids.name),
        name: about.name.clone(),
        attributes: attributes.unwrap_or_default(),
    };
    let subject = RunSubject {
        processor: &processor,
        problem: problem.clone(),
        size: on_card.bytes as u64,
        judge: format!("{}, CUDA {}", about.name, about.driver),
        unit: "cycles per block".into(),
        calls: Calls::Steady,
        command: command(),
    };
    let options = format!("{} rounds", on_card.rounds);
    let version = env!("CARGO_PKG_VERSION");
    let origin = Origin { strategy: "finalists by static bound", options: &options, seed, version };
    let Started { id, key } = record::start(store, subject, origin)?;
    let of = |row: &CardRow| kernels.iter().find(|proved| proved.certificate().variant == row.variant);
    for (row, proved) in on_card.kernels.iter().filter_map(|row| Some((row, of(row)?))) {
        let certificate = proved.certificate();
        let [low, median, high] = row.clocks();
        let variant = &proved.kernel().variant;
        let found = record::together(row.findings.clone());
        let sample = Sample {
            sha256: Some(certificate.sha256.clone()),
            ..record::sample("confirm", variant, on_card.bytes)
        };
        // The figure that the page shows is the median of bits per clock.
        store.record(id, &[Sample { cost: Some(median), ..record::judged(sample, &Ok(found)) }])?;
        let verdict = GridClaim::of(grids, proved).judge();
        let best = record::best(
            (&key, &processor.key),
            variant,
            (certificate, &verdict),
            Quartiles { low, median, high },
        );
        store.put_best(&Best {
            size: on_card.bytes as u64,
            confirmed_ms: now,
            bound: row.bound.as_ref().map(|bound| bound.clocks),
            restriction: request.restriction(),
            ..best
        })?;
    }
    Ok(store.set_state(id, "finished")?)
}

/// Times of all kernels, launched in rounds of changing order, with a second series of the first kernel for
/// comparison with itself. The results of the last launches are checked.
fn timed(
    session: &mut dyn Session,
    variants: &[&Variant],
    held: &mut Held,
    rounds: usize,
    random: &mut ChaCha8Rng,
) -> Result<Vec<Times>, String> {
    let kernels: Vec<usize> = (0..variants.len()).chain([0]).collect();
    let mut batches = Vec::new();
    for &kernel in &kernels {
        let one = session.launch(kernel, WARM, &held.given())?.milliseconds;
        if !(one.is_finite() && one > 0.0) {
            return Err(format!("a launch of `{}` took {one} ms by the card's events", variants[kernel]));
        }
        batches.push((BATCH / one).ceil().clamp(1.0, MOST) as u32);
    }
    let mut taken = vec![Times::new(); kernels.len()];
    let mut order: Vec<usize> = (0..kernels.len()).collect();
    for round in 1..=rounds {
        order.shuffle(random);
        for &at in &order {
            let last = round == rounds;
            if last {
                session.clear(0x5a)?;
            }
            let timed = session.launch(kernels[at], batches[at], &held.given())?;
            if !(timed.milliseconds.is_finite() && timed.milliseconds > 0.0) {
                let ms = timed.milliseconds;
                return Err(format!(
                    "a launch of `{}` took {ms} ms by the card's events",
                    variants[kernels[at]]
                ));
            }
            taken[at].push(timed);
            if last {
                held.check(session, variants[kernels[at]], "after timing")?;
            }
        }
    }
    Ok(taken)
}

/// A quantile over the rounds of the ratio of two times.
fn ratio(of: &[Timed], to: &[Timed], q: f64) -> f64 {
    let mut ratios: Vec<f64> = of.iter().zip(to).map(|(a, b)| a.milliseconds / b.milliseconds).collect();
    quantile(&mut ratios, q)
}

/// The kernel with the least time relative to the first, by the median.
fn fastest(taken: &[Times]) -> usize {
    let mut best = (0, 1.0);
    for (at, times) in taken.iter().enumerate().skip(1) {
        let times = ratio(times, &taken[0], 0.5);
        if times < best.1 {
            best = (at, times);
        }
    }
    best.0
}

/// Relative difference between two series of one kernel: the larger deviation of the quartiles from 1.
fn noise(once: &[Timed], again: &[Timed]) -> f64 {
    let distance = |q: f64| (ratio(again, once, q) - 1.0).abs();
    distance(0.25).max(distance(0.75))
}

/// Clocks of a multiprocessor per block of text.
fn clocks_of(timed: &Timed, about: &About, blocks: usize) -> f64 {
    timed.milliseconds * timed.mhz * 1000.0 * f64::from(about.multiprocessors) / blocks as f64
}

fn of_times(
    variant: &Variant,
    own: &[Timed],
    best: &[Timed],
    (about, blocks, noise): (&About, usize, f64),
    bound: Option<CardBound>,
) -> CardRow {
    let bits = |timed: &Timed| 128.0 / clocks_of(timed, about, blocks);
    let mut all: Vec<f64> = own.iter().map(bits).collect();
    let [low, median, high] = [0.25, 0.5, 0.75].map(|q| quantile(&mut all, q));
    let middle = |of: fn(&Timed) -> f64| quantile(&mut own.iter().map(of).collect::<Vec<f64>>(), 0.5);
    CardRow {
        variant: variant.to_string(),
        bits: median,
        low,
        high,
        gbps: 128.0 * blocks as f64 / middle(|timed| timed.milliseconds) / 1e6,
        mhz: middle(|timed| timed.mhz),
        times: ratio(own, best, 0.5),
        evidence: ratio(own, best, 0.25) > 1.0 + noise,
        of_bound: bound.as_ref().map(|bound| median / bound.bits),
        bound,
        findings: Vec::new(),
    }
}

/// Throughput in gigabits per second, including copies.
fn streamed(session: &mut dyn Session, kernel: usize, variant: &Variant, held: &Held) -> Result<f64, String> {
    session.streamed(kernel, STREAMED_FIRST, held.text(), &held.given())?;
    let streamed = session.streamed(kernel, STREAMED, held.text(), &held.given())?;
    let mut bytes = 0;
    for (before, output) in &streamed.last {
        held.check_part(*before, output, variant, "when text is streamed from the host")?;
        bytes = output.len();
    }
    Ok(f64::from(STREAMED) * 8.0 * bytes as f64 / streamed.seconds / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions;

    fn times(milliseconds: &[f64]) -> Times {
        milliseconds.iter().map(|&milliseconds| Timed { milliseconds, mhz: 1500.0 }).collect()
    }

    /// A slow round slows both kernels that were launched in it.
    #[test]
    fn kernels_are_compared_within_rounds() {
        let [a, b] = [times(&[1.0, 2.0, 1.0, 4.0, 1.0]), times(&[0.9, 1.8, 0.9, 3.6, 0.9])];
        assert_eq!(fastest(&[a.clone(), b.clone()]), 1);
        assert!((ratio(&a, &b, 0.5) - 1.0 / 0.9).abs() < 1e-12);
        assert_eq!(noise(&a, &a), 0.0);
        let again = times(&[1.1, 2.2, 1.1, 4.4, 1.1]);
        assert!((noise(&a, &again) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn bits_are_of_a_clock_of_a_multiprocessor() {
        let about = About {
            name: String::new(),
            uuid: String::new(),
            architecture: "sm_90".into(),
            multiprocessors: 100,
            memory: 0,
            shared: 0,
            driver: String::new(),
            rated_mhz: 0.0,
        };
        let variant = dimensions::variant("aes128-ctr technique=aes").expect("a variant");
        // 1.5 million clocks of 100 multiprocessors, for 30 million blocks: 5 clocks a block.
        let own = times(&[1.0, 1.0, 1.0]);
        let bound =
            CardBound { architecture: "sm_90".into(), clocks: 4.0, bits: 32.0, limit: "logic".into() };
        let found = of_times(&variant, &own, &own, (&about, 30_000_000, 0.0), Some(bound));
        assert!((found.bits - 25.6).abs() < 1e-9 && (found.gbps - 3840.0).abs() < 1e-6, "{found:?}");
        assert!((found.of_bound.unwrap() - 0.8).abs() < 1e-9 && !found.evidence);
        let slower = of_times(&variant, &times(&[1.1, 1.1, 1.2]), &own, (&about, 1, 0.05), None);
        assert!(slower.evidence && (slower.times - 1.1).abs() < 1e-12);
    }
}
