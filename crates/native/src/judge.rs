//! The judge: runs a measuring process, sends it candidates in batches, starts another when it dies, and remembers the
//! candidates that killed it, so that they are not run again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use aesmith_cipher::Problem;
use aesmith_judge::judge::{Instrument, Kind};
use aesmith_processor::measured::MachineModel;
use aesmith_processor::measured::TimingClass;

use crate::bench::{Bench, BenchRow, Contender};
use crate::fault::{Fault, FaultClass, JudgeError};
use crate::measuring::Worker;
use crate::native::{Candidate, Screening, Turns, bytes_per_call};
use crate::place::Spacing;
use crate::quiet::Quiet;
use crate::timing::{Comparison, Samples, Screen, compare, noise_floor};
use crate::worker::{Answer, Item, Request};

/// Configuration of a judge.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program that becomes the worker: it calls [`crate::worker::run_if_worker`] first.
    pub program: PathBuf,
    /// The CPU that it is pinned to; the last allowed one if `None`.
    pub cpu: Option<usize>,
    /// Seed of all keys, messages and orders.
    pub seed: u64,
    /// CPU seconds that an evaluation may take beyond the time that its number of bytes explains.
    pub time_out: f64,
    /// Variables that are added to the worker's environment: for example, `OPENSSL_ia32cap` tells a peer which CPU
    /// features to use.
    pub environment: Vec<(String, String)>,
    /// Folder for the reproduction of each fault, one JSON file each; none is written if `None`.
    pub quarantine: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        let program = PathBuf::from("/proc/self/exe");
        Config { program, cpu: None, seed: 1, time_out: 0.2, environment: Vec::new(), quarantine: None }
    }
}

/// The outcome of a duel.
#[derive(Clone, Debug)]
pub struct Duel {
    /// Samples of each candidate, in the order given.
    pub outcomes: Vec<Result<Samples, Fault>>,
    /// The second set of the first candidate that ran.
    pub again: Samples,
    /// The A-against-A noise floor: the maximum distance from 1 of the 99 % interval of the ratio of two sets of the
    /// same candidate's samples. Infinite with fewer than 8 rounds.
    pub noise: f64,
}

impl Duel {
    /// Compares candidate `a` with candidate `b`; `None` if one failed.
    pub fn compare(&self, a: usize, b: usize) -> Option<Comparison> {
        match (&self.outcomes[a], &self.outcomes[b]) {
            (Ok(a), Ok(b)) => Some(compare(a, b, self.noise)),
            _ => None,
        }
    }
}

impl Instrument for NativeJudge {
    fn name(&self) -> String {
        "this machine".into()
    }

    fn present(&self) -> Result<(), String> {
        if self.runs() { Ok(()) } else { Err(JudgeError::no_kernels().to_string()) }
    }

    fn kind(&self) -> Kind {
        Kind::Noisy
    }
}

/// Runs candidates in a separate guarded process.
pub struct NativeJudge {
    config: Config,
    worker: Option<Worker>,
    next_seed: u64,
    /// Faults of candidates that killed a worker, by problem and code.
    killers: HashMap<(String, Vec<u8>), Fault>,
    /// Number of workers that died.
    deaths: usize,
}

impl NativeJudge {
    /// A judge whose worker starts on the first request.
    pub fn new(config: Config) -> Self {
        let next_seed = config.seed;
        NativeJudge { config, worker: None, next_seed, killers: HashMap::new(), deaths: 0 }
    }

    /// Starts a judge and its worker.
    pub fn start(config: Config) -> Result<Self, JudgeError> {
        let mut judge = NativeJudge::new(config);
        if !judge.runs() {
            return Err(JudgeError::no_kernels());
        }
        judge.worker()?;
        Ok(judge)
    }

    /// True if kernels run on this machine.
    fn runs(&self) -> bool {
        aesmith_x86::processor::X86_64.is_here()
    }

    /// Core cycles a tick of the time-stamp counter, as measured when the worker started.
    pub fn ratio(&mut self) -> Result<f64, JudgeError> {
        Ok(self.worker()?.ratio)
    }

    /// Checks in the running worker if the machine is quiet, for a fifth of a second (see [`crate::quiet`]).
    pub fn quiet(&mut self) -> Result<Quiet, JudgeError> {
        match self.ask(&Request::Quiet, &[], Duration::from_secs(30))? {
            Some(Answer::Quiet(quiet)) => Ok(quiet),
            Some(other) => Err(unexpected(other)),
            None => Err(JudgeError::Worker("it died while looking at the machine".into())),
        }
    }

    /// Measures the machine, in the worker (see [`crate::model`]).
    pub fn measure_machine(&mut self) -> Result<MachineModel, JudgeError> {
        self.measure_model(None)
    }

    /// Measures the machine in a fresh worker: at another time, at other addresses.
    pub fn measure_machine_afresh(&mut self) -> Result<MachineModel, JudgeError> {
        self.renew();
        self.measure_model(None)
    }

    /// Measures the AES instructions alone, in the running worker: some milliseconds.
    pub fn measure_aes(&mut self) -> Result<MachineModel, JudgeError> {
        self.measure_model(Some(vec![TimingClass::Aes]))
    }

    fn measure_model(&mut self, only: Option<Vec<TimingClass>>) -> Result<MachineModel, JudgeError> {
        match self.ask(&Request::Model { only }, &[], Duration::from_secs(120))? {
            Some(Answer::Model(model)) => Ok(model),
            Some(other) => Err(unexpected(other)),
            None => Err(JudgeError::Worker("it died while measuring the machine".into())),
        }
    }

    /// Compares kernels and the peers of this machine (see [`crate::bench`]). Kernels must have been proved or screened
    /// before: one that kills the worker is an error here.
    pub fn bench(
        &mut self,
        problem: Problem,
        kernels: &[Contender],
        how: &Bench,
    ) -> Result<Vec<BenchRow>, JudgeError> {
        let candidates: Vec<Candidate> = kernels.iter().map(|k| Candidate::new(problem, k.code)).collect();
        let request = Request::Bench {
            how: how.clone(),
            seed: self.seeds(1),
            names: kernels.iter().map(|k| k.name.to_owned()).collect(),
            items: candidates.iter().map(Item::new).collect(),
            problem: problem.to_string(),
        };
        let patience = how.sizes.iter().map(|&size| {
            patience(&[Candidate::new(problem, &[])], size, how.rounds * 72 * (kernels.len() + 10), how.cold)
        });
        let patience = patience.sum();
        match self.ask(&request, &candidates, patience)? {
            Some(Answer::Benched(rows)) => Ok(rows),
            Some(other) => Err(unexpected(other)),
            None => Err(JudgeError::Worker(format!("it died in a bench of {problem}"))),
        }
    }

    /// Number of workers that have died so far.
    pub fn deaths(&self) -> usize {
        self.deaths
    }

    /// Checks each candidate and times it briefly; the answers are in the order given.
    pub fn screen(
        &mut self,
        candidates: &[Candidate],
        how: &Screening,
    ) -> Result<Vec<Result<Screen, Fault>>, JudgeError> {
        let seed = self.seeds(candidates.len());
        let mut answers = vec![None; candidates.len()];
        let mut fresh = Vec::new();
        for (i, c) in candidates.iter().enumerate() {
            match self.killers.get(&key(c)) {
                Some(fault) => answers[i] = Some(Err(fault.clone())),
                None => fresh.push(i),
            }
        }
        let batch: Vec<Candidate> = fresh.iter().map(|&i| candidates[i]).collect();
        for (i, answer) in fresh.into_iter().zip(self.screen_fresh(&batch, how, seed)?) {
            answers[i] = Some(answer);
        }
        let answers: Vec<_> = answers.into_iter().flatten().collect();
        self.keep(answers.iter().filter_map(|a| a.as_ref().err()))?;
        Ok(answers)
    }

    fn screen_fresh(
        &mut self,
        batch: &[Candidate],
        how: &Screening,
        seed: u64,
    ) -> Result<Vec<Result<Screen, Fault>>, JudgeError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let request = Request::Screen { how: *how, seed, items: batch.iter().map(Item::new).collect() };
        let patience = patience(batch, how.size, how.samples * 5, how.cold);
        match self.ask(&request, batch, patience)? {
            Some(Answer::Screened(answers)) if answers.len() == batch.len() => Ok(answers),
            Some(other) => Err(unexpected(other)),
            None if batch.len() > 1 => {
                // A candidate of the batch killed the worker: run each alone, to find it.
                let mut answers = Vec::new();
                for (i, candidate) in batch.iter().enumerate() {
                    let alone = std::slice::from_ref(candidate);
                    answers.extend(self.screen_fresh(alone, how, seed.wrapping_add(i as u64))?);
                }
                Ok(answers)
            }
            None => {
                let fault = Fault {
                    class: FaultClass::Trap,
                    detail: "the measuring process died of it".into(),
                    problem: batch[0].problem.to_string(),
                    size: how.size,
                    seed,
                    code: batch[0].code.to_vec(),
                };
                self.killers.insert(key(&batch[0]), fault.clone());
                Ok(vec![Err(fault)])
            }
        }
    }

    /// Measures candidates in `rounds` interleaved rounds, in the running worker.
    pub fn duel(&mut self, candidates: &[Candidate], turns: Turns) -> Result<Duel, JudgeError> {
        let seed = self.seeds(1);
        // The screen finds candidates that kill workers; the duel itself would not survive them.
        let how = Screening { samples: 1, ..Screening::of(turns.size) };
        let screened = self.screen(candidates, &how)?;
        let sound: Vec<Candidate> =
            candidates.iter().zip(&screened).filter(|(_, s)| s.is_ok()).map(|(c, _)| *c).collect();
        let request = Request::Duel { turns, seed, items: sound.iter().map(Item::new).collect() };
        let patience = patience(&sound, turns.size, turns.rounds * 36, turns.cold);
        match self.ask(&request, &sound, patience)? {
            Some(Answer::Dueled(outcomes, again)) if outcomes.len() == sound.len() => {
                let mut outcomes = outcomes.into_iter();
                let merged: Vec<Result<Samples, Fault>> = screened
                    .into_iter()
                    .map(|s| s.and_then(|_| outcomes.next().expect("one for each sound candidate")))
                    .collect();
                let first = merged.iter().find_map(|outcome| outcome.as_ref().ok());
                let noise = first.map_or(f64::INFINITY, |first| noise_floor(first, &again));
                let duel = Duel { outcomes: merged, again, noise };
                self.keep(duel.outcomes.iter().filter_map(|o| o.as_ref().err()))?;
                Ok(duel)
            }
            Some(other) => Err(unexpected(other)),
            None => Err(JudgeError::Worker(
                "it died in a duel of kernels that had each run alone; run the duel again".into(),
            )),
        }
    }

    /// Ends the worker. The next request starts another, with other addresses and pages: the fastest sample of a long search
    /// is luck, so a winner is decided in new processes.
    pub fn renew(&mut self) {
        self.worker = None;
    }

    /// Reserves `count` consecutive seeds that no evaluation has used; returns the first.
    fn seeds(&mut self, count: usize) -> u64 {
        let seed = self.next_seed;
        self.next_seed = seed.wrapping_add(count as u64);
        seed
    }

    fn worker(&mut self) -> Result<&mut Worker, JudgeError> {
        if self.worker.is_none() {
            // Another worker gets other keys, messages and addresses.
            let seed = self.seeds(1);
            self.worker = Some(Worker::start(&self.config, seed)?);
        }
        Ok(self.worker.as_mut().expect("just started"))
    }

    /// Sends a request to the worker; `None` if it died or did not answer in time.
    fn ask(
        &mut self,
        request: &Request,
        candidates: &[Candidate],
        patience: Duration,
    ) -> Result<Option<Answer>, JudgeError> {
        let body: Vec<u8> = candidates.iter().flat_map(|c| c.code).copied().collect();
        let answer = self.worker()?.ask(request, &body, patience);
        if answer.is_err() {
            self.worker = None;
            self.deaths += 1;
        }
        match answer {
            Ok(Answer::Failed(text)) => Err(JudgeError::Worker(text)),
            other => Ok(other.ok()),
        }
    }

    /// Writes the reproductions of faults to the quarantine folder.
    fn keep<'a>(&self, faults: impl Iterator<Item = &'a Fault>) -> Result<(), JudgeError> {
        let Some(folder) = &self.config.quarantine else { return Ok(()) };
        for fault in faults {
            let write = || {
                std::fs::create_dir_all(folder)?;
                let path = folder.join(format!("{}-{}-{}.json", fault.problem, fault.class, fault.seed));
                std::fs::write(path, serde_json::to_vec_pretty(fault)?)
            };
            write().map_err(|cause| JudgeError::System {
                attempt: format!("write a fault's reproduction to {}", folder.display()),
                cause,
            })?;
        }
        Ok(())
    }
}

fn key(candidate: &Candidate) -> (String, Vec<u8>) {
    (candidate.problem.to_string(), candidate.code.to_vec())
}

pub(crate) fn unexpected(answer: Answer) -> JudgeError {
    JudgeError::Worker(format!("it answered something else than was asked: {answer:?}"))
}

/// Wall-clock time after which a worker is given up. Its own time-outs count CPU time, so this limit is for a worker
/// that is stuck or gets no CPU time.
fn patience(candidates: &[Candidate], size: usize, calls: usize, cold: bool) -> Duration {
    let bytes = |c: &Candidate| bytes_per_call(c.problem, size).max(8192) * Spacing::of(c.problem).len();
    let bytes: usize = candidates.iter().map(bytes).sum();
    // Time of the work before a cold call, at a clock of 1 GHz.
    let before = if cold { 3e-4 * (candidates.len() * calls) as f64 } else { 0.0 };
    Duration::from_secs_f64(
        30.0 + candidates.len() as f64 + bytes as f64 * (calls + 8) as f64 * 1e-7 + before,
    )
}
