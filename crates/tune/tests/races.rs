//! Races replayed from recorded answers (`examples/race.rs`): the questions are the same, call by call, the
//! same contender wins, and it is the one that is delivered. Nothing is measured here.

use aesmith_arrange::Variant;
use aesmith_cipher::{Calls, Problem};
use aesmith_processor::measured::MachineModel;
use aesmith_search::Duel;
use aesmith_search::racing::{Confirmed, Quartiles, Race, Racer};
use aesmith_tune::deliver::chosen;
use aesmith_tune::deliver::dispatch::best_known;
use aesmith_tune::floor::{CLOCK, floor_per_byte};
use aesmith_tune::key_life::{KeyLife, Price, SetUp};
use aesmith_tune::{KernelRequest, Request};
use aesmith_wisdom::{Best, Processor, Run, Store};
use aesmith_x86::dimensions;
use aesmith_x86::targets;
use serde::Deserialize;
use std::path::PathBuf;

/// A machine's races.
#[derive(Deserialize)]
struct Machine {
    cpu: String,
    source: String,
    races: Vec<Recorded>,
}

/// A recorded race.
#[derive(Deserialize)]
struct Recorded {
    problem: String,
    size: usize,
    calls: String,
    /// Cost of setting up the table of a key, which some kernels of counter mode read.
    table_cycles: f64,
    variants: Vec<String>,
    /// In order: the question, the index of the variant, and its costs by round.
    answers: Vec<(String, usize, Vec<f64>)>,
    winner: String,
    median: f64,
}

impl Recorded {
    fn problem(&self) -> Problem {
        self.problem.parse().unwrap()
    }

    fn calls(&self) -> Calls {
        self.calls.parse().unwrap()
    }

    /// The price that the race adds for a kernel that reads the table.
    fn price(&self) -> Price {
        let set_up = SetUp { schedule_cycles: 0.0, table_cycles: self.table_cycles };
        Price::new(Some(set_up), KeyLife::DEFAULT, self.size)
    }

    fn variant(&self, place: usize) -> Variant {
        dimensions::variant(&self.variants[place]).unwrap()
    }
}

/// A judge that gives the recorded answers in their order.
struct Replayed<'r> {
    recorded: &'r Recorded,
    model: &'r MachineModel,
    next: usize,
}

impl Replayed<'_> {
    /// The next answer, which must be for this question.
    fn answer(&mut self, asked: &str, variant: &Variant) -> Vec<f64> {
        let (phase, place, costs) = self.recorded.answers.get(self.next).unwrap_or_else(|| {
            panic!("`{asked}` of {variant} was never asked: the recorded race was over by then")
        });
        let known = (phase.as_str(), self.recorded.variant(*place));
        assert_eq!((asked, variant), (known.0, &known.1), "question {} of the race", self.next);
        self.next += 1;
        costs.iter().map(|cost| cost + self.recorded.price().of(variant)).collect()
    }

    fn rounds(&mut self, asked: &str, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
        let all: Vec<Vec<f64>> = contenders.iter().map(|variant| self.answer(asked, variant)).collect();
        assert!(all.iter().all(|costs| costs.len() == rounds), "{rounds} rounds were not recorded");
        all
    }
}

impl Duel for Replayed<'_> {
    fn screen(&mut self, contenders: &[Variant]) -> Vec<Option<f64>> {
        contenders.iter().map(|variant| self.answer("screen", variant).pop()).collect()
    }

    fn duel(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
        self.rounds("duel", contenders, rounds)
    }

    fn confirm(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>> {
        self.rounds("confirm", contenders, rounds)
    }

    fn bound(&mut self, variant: &Variant) -> Option<f64> {
        match self.recorded.calls() {
            Calls::Cold => None,
            Calls::Steady => floor_per_byte(self.model, variant, self.recorded.size).map(|f| f * CLOCK),
        }
    }

    fn confirmed(&mut self, _: &Variant, _: f64) {}
}

fn machines() -> Vec<(Machine, MachineModel)> {
    #[derive(Deserialize)]
    struct ModelFile {
        model: MachineModel,
    }
    let texts = [(include_str!("machines/amd-25-17-races.json"), include_str!("machines/amd-25-17.json"))];
    let read = |(races, model): &(&str, &str)| {
        let machine: Machine = serde_json::from_str(races).unwrap();
        let measured: ModelFile = serde_json::from_str(model).unwrap();
        assert!(!machine.source.is_empty() && machine.races.len() > 1, "{}", machine.cpu);
        (machine, measured.model)
    };
    texts.iter().map(read).collect()
}

/// The race, run again with the recorded answers.
fn replay(recorded: &Recorded, model: &MachineModel) -> Confirmed {
    let mut judge = Replayed { recorded, model, next: 0 };
    let of = |asked: &str| {
        let all = recorded.answers.iter().filter(|(phase, ..)| phase == asked);
        all.map(|(_, place, _)| recorded.variant(*place)).collect::<Vec<Variant>>()
    };
    // The baseline heads every duel, and the second screen has all others in their order.
    let (contenders, baseline) = (of("screen"), of("duel").swap_remove(0));
    let race = Race::default();
    let result = Racer { race: &race, judge: &mut judge, progress: &mut |_| {} }.run(&baseline, &contenders);
    assert_eq!(judge.next, recorded.answers.len(), "the recorded race went on");
    result.unwrap()
}

#[test]
fn the_same_contender_wins_at_the_same_cost() {
    for (machine, model) in machines() {
        for recorded in &machine.races {
            let what = format!("{} for {} calls on {}", recorded.problem, recorded.calls, machine.cpu);
            let Confirmed { winner, baseline, .. } = replay(recorded, &model);
            assert_eq!(winner.variant.to_string(), recorded.winner, "{what}");
            let median = winner.cost.median - recorded.price().of(&winner.variant);
            assert!((median / recorded.median - 1.0).abs() < 1e-4, "{what}: {winner:?}");
            assert!(winner.cost.median < baseline.median, "{what}");
            if let Some(bound) = winner.bound {
                assert!(bound <= median && median < 3.0 * bound, "{what}: {bound} beside {median}");
            }
        }
    }
}

/// A race with changed answers has another winner: the replayed answers decide.
#[test]
fn another_answer_makes_another_winner() {
    let (mut machine, model) = machines().swap_remove(0);
    let recorded = &mut machine.races[0];
    let before = replay(recorded, &model).winner.variant;
    let slow = recorded.variants.iter().position(|v| *v == recorded.winner).unwrap();
    for (phase, place, costs) in &mut recorded.answers {
        if phase == "confirm" && *place == slow {
            costs.iter_mut().for_each(|cost| *cost *= 2.0);
        }
    }
    assert_ne!(replay(recorded, &model).winner.variant, before);
}

/// A finished run.
fn run(number: usize, processor: &str, (problem, size): (&str, usize), calls: &str) -> Run {
    Run {
        key: number.to_string(),
        processor: processor.into(),
        problem: problem.into(),
        size: size as u64,
        strategy: "memetic".into(),
        seed: 1,
        options: String::new(),
        judge: "native".into(),
        unit: "cycles per byte".into(),
        calls: calls.into(),
        search: None,
        tool_version: "0.1.0".into(),
        session: String::new(),
        command: String::new(),
        state: "finished".into(),
        started_ms: 1,
        finished_ms: Some(2),
    }
}

/// A confirmation of a run, without code size and noise.
fn best(run: &Run, moment: usize, variant: &Variant, median: f64) -> Best {
    Best {
        processor: run.processor.clone(),
        problem: run.problem.clone(),
        size: run.size,
        run: run.key.clone(),
        confirmed_ms: moment as u64,
        variant: variant.to_string(),
        technique: variant.technique.name().into(),
        sha256: "0".repeat(64),
        judge: String::new(),
        certificate: serde_json::json!({}),
        low: median,
        median,
        high: median,
        baseline: None,
        bound: None,
        restriction: String::new(),
        code: None,
        noise: None,
    }
}

/// A store in which each race of a machine left its confirmations.
fn wisdom(path: &std::path::Path, machine: &Machine, model: &MachineModel) -> Store {
    let mut store = Store::open(path).unwrap();
    let processor = store.put_processor(&Processor::named("recorded", &machine.cpu)).unwrap();
    for (number, recorded) in machine.races.iter().enumerate() {
        let run = run(number, &processor, (&recorded.problem, recorded.size), &recorded.calls);
        store.start_run(&run).unwrap();
        let Confirmed { winner, finalists, .. } = replay(recorded, model);
        // The kernels that it beat are known as well, and were confirmed later.
        let beaten = finalists.into_iter().filter(|f| f.cost.median > winner.cost.median);
        for (place, standing) in [winner.clone()].into_iter().chain(beaten).enumerate() {
            let Quartiles { low, median, high } = standing.cost;
            let best = Best { low, high, ..best(&run, place, &standing.variant, median) };
            store.put_best(&best).unwrap();
        }
    }
    store
}

#[test]
fn the_winner_of_each_race_is_delivered_for_its_calls() {
    let folder: PathBuf = std::env::temp_dir().join(format!("aesmith-races-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (number, (machine, model)) in machines().iter().enumerate() {
        let path = folder.join(number.to_string());
        drop(wisdom(&path, machine, model));
        for recorded in &machine.races {
            let store = Store::open(&path).unwrap().about(recorded.calls());
            let request = Request { calls: recorded.calls(), ..Request::default() };
            let (problem, size, target) = (recorded.problem(), recorded.size, targets::ALL);
            let wanted = KernelRequest { problem, size, target: &target, request: &request };
            let mut prover = (target.processor.prover)();
            let kernel = best_known(Some(&store), "recorded", wanted, &mut prover).unwrap();
            let what = format!("{problem} for {} calls", recorded.calls);
            assert_eq!(chosen(&kernel, size).to_string(), recorded.winner, "{what}");
        }
    }
    // A folder that remains in the system's temporary directory does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

/// Two kernels: one takes more than twice the code of the other, and is faster by 0.25 %.
#[test]
fn of_kernels_alike_in_speed_the_smaller_is_delivered_and_that_is_said() {
    let [large, small] = ["interleave=15 keys=0x7fff", "interleave=4"]
        .map(|choices| dimensions::variant(&format!("aes128-ecb width=xmm {choices}")).unwrap());
    let code = |variant: &Variant| targets::ALL.build(variant).unwrap().bytes.len() as u64;
    assert!(code(&large) > 2 * code(&small), "{} and {} bytes", code(&large), code(&small));
    let path = std::env::temp_dir().join(format!("aesmith-smaller-{}.sqlite", std::process::id()));
    let said = |noise: Option<f64>| {
        let _ = std::fs::remove_file(&path);
        let mut store = Store::open(&path).unwrap();
        let processor = store.put_processor(&Processor::named("recorded", "a CPU")).unwrap();
        let run = run(0, &processor, ("aes128-ecb", 4096), "steady");
        store.start_run(&run).unwrap();
        for (moment, (variant, median)) in [(&large, 0.4), (&small, 0.401)].into_iter().enumerate() {
            let known = Best { code: Some(code(variant)), noise, ..best(&run, moment, variant, median) };
            store.put_best(&known).unwrap();
        }
        let request = Request::default();
        let wanted =
            KernelRequest { problem: large.problem, size: 4096, target: &targets::ALL, request: &request };
        let mut prover = (targets::ALL.processor.prover)();
        let kernel = best_known(Some(&store), "recorded", wanted, &mut prover).unwrap();
        let notes: Vec<String> =
            kernel.notes.iter().filter(|n| n.contains("for its size")).cloned().collect();
        (chosen(&kernel, 4096).clone(), notes)
    };
    let (variant, notes) = said(Some(0.005));
    assert_eq!((variant, notes.len()), (small.clone(), 1), "{notes:?}");
    assert!(notes[0].contains("faster by 0.25 %, within the noise of 0.50 %"), "{notes:?}");
    assert_eq!(said(Some(0.002)), (large.clone(), vec![]), "a difference that is shown decides");
    assert_eq!(said(None), (large.clone(), vec![]), "wisdom of before noise was noted");
    let _ = std::fs::remove_file(&path);
}
