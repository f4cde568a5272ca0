//! The race's judge: contenders are built and proved, then screened and duelled by the native judge; every
//! sample is stored.

use crate::bound::correct;
use crate::error::TuneError;
use crate::evaluate::keeps_promises;
use crate::evaluate::record;
use crate::floor::{CLOCK, floor_per_byte, least_believable};
use crate::key_life::Price;
use crate::options::Event;
use crate::workplace::Workplace;
use aesmith_arrange::Variant;
use aesmith_judge::judge::{Judge, Trial};
use aesmith_native::Screening;
use aesmith_processor::measured::Kernel;
use aesmith_search::Duel;
use aesmith_search::racing::{Confirmed, Quartiles, Race, Racer};
use aesmith_wisdom::{RunId, Sample};
use std::collections::HashMap;
use std::time::Instant;

/// Contenders of a question that are measured even after the deadline.
const ALWAYS: usize = 2;

/// One race's judge, at one message size.
pub struct Contest<'a> {
    place: &'a mut Workplace,
    run: RunId,
    size: usize,
    kernels: HashMap<Variant, Option<(Kernel, String)>>,
    failure: Option<TuneError>,
    /// Notes for the user: bounds that were corrected.
    notes: Vec<String>,
    price: Price,
    /// Deadline for building and proving further kernels.
    ends: Option<Instant>,
}

impl<'a> Contest<'a> {
    /// Creates a judge for one size whose samples belong to `run`.
    pub fn new(place: &'a mut Workplace, run: RunId, size: usize) -> Self {
        Contest {
            place,
            run,
            size,
            kernels: HashMap::new(),
            failure: None,
            notes: Vec::new(),
            price: Price::default(),
            ends: None,
        }
    }

    /// Adds the price of a kernel's set-up to the costs that a race sees. Stored costs stay as measured.
    pub(crate) fn priced(self, price: Price) -> Self {
        Contest { price, ..self }
    }

    /// Sets a deadline. Contenders that are not proved by then are left out, except the first two of each
    /// question: the baseline and the best so far.
    pub fn until(self, ends: Option<Instant>) -> Self {
        Contest { ends, ..self }
    }

    /// Races contenders against a baseline.
    ///
    /// # Errors
    /// The store or the judge failed, or the baseline cannot be measured.
    pub(crate) fn race(
        mut self,
        race: &Race,
        (baseline, contenders): (&Variant, &[Variant]),
        observer: &mut dyn FnMut(Event),
    ) -> Result<Confirmed, TuneError> {
        let progress = &mut |text: &str| observer(Event::Detail(text));
        let result = Racer { race, judge: &mut self, progress }.run(baseline, contenders);
        self.finish(observer)?;
        result.map_err(TuneError::NoResult)
    }

    /// Passes notes on.
    ///
    /// # Errors
    /// The store or the judge failed meanwhile.
    pub fn finish(&mut self, observer: &mut dyn FnMut(Event)) -> Result<(), TuneError> {
        self.notes.drain(..).for_each(|note| observer(Event::Note(&note)));
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Indices of the contenders that become proved kernels.
    fn prepare(&mut self, contenders: &[Variant]) -> Vec<usize> {
        let Contest { place, kernels, ends, .. } = self;
        let mut sound = Vec::new();
        for (index, variant) in contenders.iter().enumerate() {
            let is_over = ends.is_some_and(|end| Instant::now() >= end);
            if index >= ALWAYS && is_over && !kernels.contains_key(variant) {
                continue;
            }
            let kernel = kernels.entry(variant.clone()).or_insert_with(|| {
                let kernel = place.target.build(variant).ok()?;
                let proof = place.prover.prove(variant.problem, &kernel.bytes).ok()?;
                keeps_promises(variant, proof.is_variable_time(), proof.wiped).ok()?;
                let hash = aesmith_prove::certificate::sha256(&kernel.bytes);
                Some((kernel, hash))
            });
            if kernel.is_some() {
                sound.push(index);
            }
        }
        sound
    }

    fn sample(&self, phase: &str, variant: &Variant) -> Sample {
        let kernel = self.kernels.get(variant).and_then(Option::as_ref);
        Sample {
            sha256: kernel.map(|(_, hash)| hash.clone()),
            instructions: kernel.map_or(0, |(k, _)| k.loop_instructions),
            ..record::sample(phase, variant, self.size)
        }
    }

    /// Median cost of each contender over `rounds` interleaved rounds; `None` for a contender without cost.
    ///
    /// # Errors
    /// The store or the judge failed.
    pub fn medians(&mut self, contenders: &[Variant], rounds: usize) -> Result<Vec<Option<f64>>, TuneError> {
        let costs = self.try_duel(contenders, rounds, false)?;
        Ok(costs.iter().map(|c| Quartiles::of(c).map(|q| q.median)).collect())
    }

    fn try_screen(&mut self, contenders: &[Variant]) -> Result<Vec<Option<f64>>, TuneError> {
        let sound = self.prepare(contenders);
        let how = Screening { cold: self.place.calls().is_cold(), ..Screening::of(self.size) };
        let trials = trials(&self.kernels, self.place, contenders, &sound, self.size);
        let outcomes = self.place.judge.calls(how).measure(&trials)?;
        let mut costs = vec![None; contenders.len()];
        let mut samples = Vec::new();
        for (&index, outcome) in sound.iter().zip(&outcomes) {
            let sample = record::judged(self.sample("screen", &contenders[index]), outcome);
            costs[index] = sample.cost;
            samples.push(sample);
        }
        self.place.store.record(self.run, &samples)?;
        Ok(costs)
    }

    fn try_duel(
        &mut self,
        contenders: &[Variant],
        rounds: usize,
        fresh: bool,
    ) -> Result<Vec<Vec<f64>>, TuneError> {
        let sound = self.prepare(contenders);
        let mut costs = vec![Vec::new(); contenders.len()];
        if sound.is_empty() {
            return Ok(costs);
        }
        let how = Screening { cold: self.place.calls().is_cold(), ..Screening::of(self.size) };
        let trials = trials(&self.kernels, self.place, contenders, &sound, self.size);
        let mut judge = self.place.judge.calls(how);
        if fresh {
            judge.renew();
        }
        let outcomes = judge.duel(&trials, rounds)?;
        // The measured AES instructions bound the kernels that use them.
        if fresh && contenders.iter().any(|variant| variant.technique.is_instruction()) {
            self.place.recalibrate()?;
        }
        let phase = if fresh { "confirm" } else { "duel" };
        let mut samples = Vec::new();
        for (&index, outcome) in sound.iter().zip(outcomes) {
            let outcome = outcome.map(|rounds| {
                costs[index] = rounds.iter().filter_map(|round| round.cost).collect();
                record::together(rounds)
            });
            samples.push(record::judged(self.sample(phase, &contenders[index]), &outcome));
        }
        // A sample without rounds is not kept.
        samples.retain(|s| s.cost.is_some() || s.verdict != "measured");
        self.place.store.record(self.run, &samples)?;
        Ok(costs)
    }

    fn rounds(&mut self, contenders: &[Variant], rounds: usize, fresh: bool) -> Vec<Vec<f64>> {
        let result = self.try_duel(contenders, rounds, fresh);
        let mut costs = self.answer(result, contenders.len(), Vec::new);
        for (variant, costs) in contenders.iter().zip(&mut costs) {
            costs.iter_mut().for_each(|cost| *cost += self.price.of(variant));
        }
        costs
    }

    fn answer<T>(
        &mut self,
        result: Result<Vec<T>, TuneError>,
        contenders: usize,
        nothing: fn() -> T,
    ) -> Vec<T> {
        result.unwrap_or_else(|failure| {
            self.failure.get_or_insert(failure);
            (0..contenders).map(|_| nothing()).collect()
        })
    }
}

impl Duel for Contest<'_> {
    fn screen(&mut self, contenders: &[Variant]) -> Vec<Option<f64>> {
        let result = self.try_screen(contenders);
        let costs = self.answer(result, contenders.len(), || None);
        let priced = contenders.iter().zip(costs);
        priced.map(|(variant, cost)| cost.map(|cost| cost + self.price.of(variant))).collect()
    }

    fn duel(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
        self.rounds(contenders, rounds, false)
    }

    fn confirm(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
        self.rounds(contenders, rounds, true)
    }

    fn bound(&mut self, variant: &Variant) -> Option<f64> {
        if self.place.calls().is_cold() {
            return None;
        }
        floor_per_byte(&self.place.model, variant, self.size).map(|floor| floor * CLOCK)
    }

    fn confirmed(&mut self, variant: &Variant, median: f64) {
        if self.place.calls().is_cold() {
            return;
        }
        match correct(self.place, variant, self.size, median - self.price.of(variant)) {
            Ok(note) => self.notes.extend(note),
            Err(failure) => drop(self.failure.get_or_insert(failure)),
        }
    }
}

fn trials<'k>(
    kernels: &'k HashMap<Variant, Option<(Kernel, String)>>,
    place: &Workplace,
    contenders: &[Variant],
    sound: &[usize],
    size: usize,
) -> Vec<Trial<'k, Kernel>> {
    sound
        .iter()
        .map(|&index| {
            let variant = &contenders[index];
            let (kernel, _) = kernels[variant].as_ref().expect("sound contenders have a kernel");
            let floor = least_believable(&place.model, variant, size).filter(|_| !place.calls().is_cold());
            Trial { kernel, floor }
        })
        .collect()
}
