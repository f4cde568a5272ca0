//! Goals without AES instructions: each technique at its best, against OpenSSL's code for CPUs that lack
//! them, and the constant-time winners of lesser CPUs.

use super::{Goal, PART_TIME, Work};
use crate::performance::Lesser;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{Calls, Direction, KeySize, Problem, Task};
use aesmith_native::{Bench as Rounds, Contender, NativeJudge};
use aesmith_processor::measured::Features;
use aesmith_processor::timing::Timing;
use aesmith_search::Budget;
use aesmith_tune::TuneError;
use aesmith_tune::bound::shown_bound;
use aesmith_tune::decide::choose::choose_technique;
use aesmith_tune::decide::quick::{PART, Part, best_of, explore_space};
use aesmith_tune::deliver::Delivery;
use aesmith_tune::front::{Budgets, Objective};
use aesmith_tune::key_life::KeyLife;
use aesmith_tune::options::{DEFAULT_SIZE, Event, RunRequest};
use aesmith_tune::request::{Request, TechniqueRequest};
use aesmith_tune::seeds::seeds;
use std::time::Instant;

/// Message length of Bernstein and Schwabe's measurements.
const TABLE_SIZE: usize = 4096;
/// OpenSSL's bits for AES-NI, and for AES-NI and SSSE3 (ECX of CPUID leaf 1 is the upper half).
const WITHOUT_AESNI: &str = "~0x200000000000000";
const WITHOUT_AESNI_SSSE3: &str = "~0x200020000000000";
/// Rounds of a measurement beside OpenSSL.
const ROUNDS: usize = 16;

const CTR: Problem = Problem::new(KeySize::Aes128, Task::Ctr);
const ECB: Problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));

/// Goals cover every technique, including those that may not be delivered.
const MEASURED: Request = Request {
    technique: TechniqueRequest::Auto,
    timing: Timing::Variable,
    objective: Objective::Cycles,
    budgets: Budgets { flash: None, ram: None, stack: None },
    widest: None,
    only: Vec::new(),
    paper: false,
    key_life: KeyLife::DEFAULT,
    calls: Calls::Steady,
    no_red_zone: false,
    checked: false,
};

/// All chapters.
pub(super) fn chapters() -> [super::Chapter; 4] {
    [techniques, against_openssl, levels, speed]
}

/// The best kernel of a technique on a CPU of some level.
struct Best {
    variant: Variant,
    cost: f64,
}

impl Work<'_> {
    /// Searches a technique's space, as on a CPU with only these features.
    fn best_on(
        &mut self,
        cpu: Option<Features>,
        problem: Problem,
        technique: Technique,
        size: usize,
        only: &[(&str, &[u16])],
    ) -> Result<Option<Best>, TuneError> {
        let what: Vec<String> = only.iter().map(|(dim, values)| format!(", {dim} {values:?}")).collect();
        let stage = format!("{problem} by {technique} at {size} bytes{}", what.concat());
        (self.observer)(Event::Stage(&stage));
        let budget =
            Budget { time: Some(PART_TIME), interrupted: self.interrupted.clone(), ..Budget::default() };
        let part = Part { problem, technique, size, only };
        let observer = &mut *self.observer;
        let found = self.place.on_cpu(cpu, |place| match place.target.lanes_of(technique) {
            0 => Ok(None),
            _ => best_of(place, &part, budget, observer),
        });
        match found {
            Ok(found) => Ok(found.map(|(variant, cost)| Best { variant, cost })),
            Err(TuneError::NoResult(why)) => {
                self.note(format!("{stage}: {why}"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Cycles per byte of our kernel and of OpenSSL, interleaved, OpenSSL with some CPU features masked.
    fn beside_openssl(
        &mut self,
        judge: &mut NativeJudge,
        cpu: Option<Features>,
        best: &Best,
        size: usize,
    ) -> Result<Option<(f64, f64)>, TuneError> {
        let target = self.place.on_cpu(cpu, |place| Ok(place.target))?;
        let kernel = Delivery::of_variant(&best.variant, &target, &MEASURED, &mut self.place.prover)?;
        let contenders = [Contender { name: "aesmith", code: &kernel.bytes }];
        let how = Rounds {
            sizes: vec![size],
            rounds: ROUNDS,
            cold: false,
            peers: Some(vec!["openssl".into()]),
            latency: false,
        };
        let rows = judge.bench(best.variant.problem, &contenders, &how)?;
        let median = |subject: &str| {
            let row = rows.iter().find(|r| r.subject == subject)?;
            row.outcome.as_ref().ok().map(|s| s.cycles_per_byte(0.5))
        };
        Ok(median("aesmith").zip(median("openssl")))
    }
}

/// Each technique at its best on this CPU.
fn techniques(work: &mut Work) -> Result<(), TuneError> {
    let rows = [
        (Technique::Gfni, 2, "zmm", 0.48, 0.42),
        (Technique::Bitsliced, 2, "zmm", 1.5, 1.3),
        (Technique::Bitsliced, 1, "ymm", 2.1, 1.9),
    ];
    for (technique, value, width, must, aim) in rows {
        let best = work.best_on(None, CTR, technique, DEFAULT_SIZE, &[("width", &[value])])?;
        let what = format!("{CTR} by {technique} on {width}, constant time, 32 KiB");
        work.push(Goal::at_most(what, "cycles/byte", must, aim).found(best.map(|b| b.cost)));
    }
    Ok(())
}

/// Our kernels against OpenSSL's code for CPUs without AES instructions, interleaved.
fn against_openssl(work: &mut Work) -> Result<(), TuneError> {
    let table = work.best_on(None, CTR, Technique::Table, TABLE_SIZE, &[])?;
    let mut judge = work.place.judge_in(&[("OPENSSL_ia32cap", WITHOUT_AESNI_SSSE3)])?;
    let pair = match &table {
        Some(best) => work.beside_openssl(&mut judge, None, best, TABLE_SIZE)?,
        None => None,
    };
    if let Some(best) = &table {
        // The fastest kernel is not the one with the fewest instructions: loads are the bottleneck.
        let starts = seeds(CTR, Technique::Table, &work.place.target);
        let mut counted: Vec<(f64, &Variant)> = Vec::new();
        for variant in starts.iter().chain([&best.variant]) {
            let Ok(kernel) = work.place.target.build(variant) else { continue };
            let counts = aesmith_tune::count::executed(kernel.processor, CTR, &kernel.bytes)?.at_4096;
            counted.extend(counts.map(|c| (c.instructions, variant)));
        }
        let least = counted.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let what = format!("{CTR} by table, variable time, 4 KiB: fewest instructions per block");
        work.push(Goal::at_most(what, "instructions", 410.0, 390.0).found(least.map(|(n, _)| *n)));
        if let (Some((fewest, variant)), Some((of_fastest, _))) = (least, counted.last()) {
            work.note(format!(
                "instructions per block by table: {fewest:.1} in `{variant}`, {of_fastest:.1} in the fastest kernel"
            ));
        }
        work.note(format!("the table kernel of the goals: `{}`", best.variant));
    }
    let cost = table.as_ref().map(|b| b.cost);
    let what = format!("{CTR} by table, variable time, 4 KiB");
    work.push(Goal::at_most(what, "cycles/byte", 5.0, 4.4).found(cost));
    let what = format!("{CTR} by table, 4 KiB, against OpenSSL's tables (AES-NI and SSSE3 masked)");
    let ratio = pair.map(|(ours, theirs)| theirs / ours);
    work.push(Goal::at_least(what, "times faster", 1.15, None).found(ratio));

    let mut judge = work.place.judge_in(&[("OPENSSL_ia32cap", WITHOUT_AESNI)])?;
    let rows = [
        ("sse2", Technique::Bitsliced, CTR, "BSAES (SSSE3)"),
        ("ssse3", Technique::Bitsliced, CTR, "BSAES"),
        ("avx2", Technique::Bitsliced, CTR, "BSAES (no wider version exists)"),
        ("ssse3", Technique::Vperm, ECB, "VPAES"),
        ("avx2", Technique::Vperm, ECB, "VPAES (no wider version exists)"),
    ];
    for (level, technique, problem, theirs) in rows {
        let cpu = work.place.target.processor.requirements.level(level).ok();
        let best = work.best_on(cpu, problem, technique, DEFAULT_SIZE, &[])?;
        let pair = match &best {
            Some(best) => work.beside_openssl(&mut judge, cpu, best, DEFAULT_SIZE)?,
            None => None,
        };
        if let Some((ours, others)) = pair {
            let [ours, others] = [ours, others].map(aesmith_tune::tables::figure);
            work.note(format!(
                "{problem} by {technique} at {level}, 32 KiB: {ours} c/B, OpenSSL's {theirs} {others}"
            ));
        }
        let what = format!("{problem} by {technique} at {level} against OpenSSL's {theirs}");
        let ratio = pair.map(|(ours, theirs)| theirs / ours);
        work.push(Goal::at_least(what, "times faster", 1.0, 1.3).found(ratio));
    }
    Ok(())
}

/// The constant-time winner without AES instructions of each level.
fn levels(work: &mut Work) -> Result<(), TuneError> {
    for level in ["sse2", "ssse3", "avx2", "avx512", "gfni"] {
        let features = work.place.target.processor.requirements.level(level).map_err(TuneError::Usage)?;
        if !work.place.target.has(features) {
            work.note(format!("level {level} is skipped: this CPU lacks some of its features"));
            continue;
        }
        for key in [KeySize::Aes128, KeySize::Aes256] {
            for task in [Task::Ctr, Task::Ecb(Direction::Encrypt), Task::Ecb(Direction::Decrypt)] {
                let problem = Problem::new(key, task);
                // The technique with the fastest starting points, as `tune` chooses.
                let observer = &mut *work.observer;
                let options = RunRequest::new(problem);
                let technique = work.place.on_cpu(Some(features), |place| {
                    choose_technique(place, &options, DEFAULT_SIZE, observer)
                })?;
                let best = work.best_on(Some(features), problem, technique, DEFAULT_SIZE, &[])?;
                let Some(Best { variant, cost }) = best else { continue };
                let bound = work
                    .place
                    .on_cpu(Some(features), |place| Ok(shown_bound(place, &variant, DEFAULT_SIZE)))?;
                work.found.lesser.push(Lesser {
                    level: level.into(),
                    problem: problem.to_string(),
                    bytes: DEFAULT_SIZE as u64,
                    technique: variant.technique_name().into(),
                    variant: variant.to_string(),
                    cycles_per_byte: cost,
                    bound_cycles_per_byte: bound,
                });
            }
        }
    }
    Ok(())
}

/// Speed of proofs and searches of larger kernels.
fn speed(work: &mut Work) -> Result<(), TuneError> {
    let text = "aes256-ctr technique=bitsliced layout=sliced";
    let variant = work.place.table().parse(text).expect("a variant");
    let kernel = work.place.target.build(&variant).map_err(|e| TuneError::Unsupported(e.to_string()))?;
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        let proof = work.place.prover.prove_anew(variant.problem, &kernel.bytes);
        proof.map_err(|r| TuneError::NotProved(r.to_string()))?;
        times.push(started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let what = format!("proof of `{text}` ({} blocks per pass)", kernel.loop_blocks);
    work.push(Goal::at_most(what, "seconds", 1.0, 0.2).found(times[2]));
    for technique in work.place.target.techniques().filter(|t| !t.is_instruction()).collect::<Vec<_>>() {
        (work.observer)(Event::Stage(&format!("speed of the search: {technique}")));
        let lanes = work.place.target.lanes_of(technique);
        let space = work.place.table().space_by(CTR, technique, lanes);
        let budget =
            Budget { trials: Some(600), time: Some(PART_TIME), interrupted: work.interrupted.clone() };
        let started = Instant::now();
        let explored =
            explore_space(work.place, space, DEFAULT_SIZE, ("random", PART), budget, work.observer)?;
        let rate = explored.found.trials as f64 / started.elapsed().as_secs_f64();
        let counts = explored.counts;
        work.note(format!(
            "search of {CTR} by {technique}: {} variants, {} kernels built in {:.2} s, {} proved in {:.2} s ({} by \
             reduction), screened in {:.2} s on another CPU in parallel",
            explored.found.trials,
            counts.kernels,
            counts.building.as_secs_f64(),
            counts.proved,
            (counts.reducing + counts.proving).as_secs_f64(),
            counts.reduced,
            counts.screening.as_secs_f64()
        ));
        let what = format!("variants of {CTR} by {technique}, proved and screened");
        work.push(Goal::at_least(what, "variants/second", 500.0, None).found(rate));
    }
    Ok(())
}
