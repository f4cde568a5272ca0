//! Goals with AES instructions, and the search's own speed.

use super::{Chapter, Goal, Work};
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_processors::this_machine;
use aesmith_search::{Budget, Duel};
use aesmith_tune::TuneError;
use aesmith_tune::bound::{ctr_bound, problem_bound};
use aesmith_tune::decide::contest::Contest;
use aesmith_tune::decide::quick::{PART, Part, best_of, explore_space};
use aesmith_tune::deliver::chosen;
use aesmith_tune::evaluate::exploration::Explored;
use aesmith_tune::options::{DEFAULT_SIZE, Event};
use aesmith_tune::seeds::seeds;
use aesmith_tune::via::{self, Compiler};
use std::time::Instant;

/// All chapters.
pub(super) const CHAPTERS: [Chapter; 8] =
    [throughput, caching, hashed, tweaked, chained, streaming, narrow, speed];

/// Message sizes of goals besides 32 KiB.
const SHORT: [usize; 2] = [1024, 256];
/// The message size for which streaming stores pay off.
const LARGE: usize = 64 << 20;
impl Work<'_> {
    fn best_of(
        &mut self,
        problem: Problem,
        size: usize,
        only: &[(&str, &[u16])],
    ) -> Result<Option<(Variant, f64)>, TuneError> {
        let what: Vec<String> = only.iter().map(|(dim, values)| format!("{dim} {values:?}")).collect();
        (self.observer)(Event::Stage(&format!("{problem} at {size} bytes, {}", what.join(", "))));
        let budget = self.budget();
        best_of(self.place, &Part { problem, technique: Technique::Aes, size, only }, budget, self.observer)
    }

    fn ours(&self, problem: Problem, size: usize) -> Option<f64> {
        self.found.bench.median(&problem.to_string(), size, "aesmith")
    }
}

/// Percentage of the throughput bound that is reached.
fn throughput(work: &mut Work) -> Result<(), TuneError> {
    use aesmith_cipher::Direction::{Decrypt, Encrypt};
    for key in KeySize::ALL {
        for task in [Task::Ecb(Encrypt), Task::Ecb(Decrypt), Task::CbcDecrypt] {
            let problem = Problem::new(key, task);
            let bound = problem_bound(work.place, problem, DEFAULT_SIZE);
            let part = work.ours(problem, DEFAULT_SIZE).zip(bound).map(|(cost, bound)| 100.0 * bound / cost);
            let what = format!("{problem}, 32 KiB");
            work.push(Goal::at_least(what, "% of the throughput bound", 98.0, 99.0).found(part));
        }
        let problem = Problem::new(key, Task::Ctr);
        let plain = work.best_of(problem, DEFAULT_SIZE, &[("cached", &[0])])?;
        let bound = ctr_bound(work.place, problem, DEFAULT_SIZE, 0);
        let part = plain.zip(bound).map(|((_, cost), bound)| 100.0 * bound / cost);
        let what = format!("{problem} without caching, 32 KiB");
        work.push(Goal::at_least(what, "% of the throughput bound", 98.0, 99.0).found(part));
    }
    Ok(())
}

/// Counter-mode caching relative to the plain bound; and short messages.
fn caching(work: &mut Work) -> Result<(), TuneError> {
    for (key, must, aim) in [(KeySize::Aes128, 0.86, 0.83), (KeySize::Aes256, 0.90, 0.88)] {
        let problem = Problem::new(key, Task::Ctr);
        let bound = ctr_bound(work.place, problem, DEFAULT_SIZE, 0);
        let cost = work.ours(problem, DEFAULT_SIZE);
        let ratio = cost.zip(bound).map(|(cost, bound)| cost / bound);
        let what = format!("{problem} with caching, 32 KiB");
        work.push(Goal::at_most(what, "of the plain bound", must, aim).found(ratio));
    }
    let problem = Problem::new(KeySize::Aes128, Task::Ctr);
    for (size, must) in [(16, 1.0), (64, 0.5), (256, 0.165)] {
        let what = format!("{problem}, independent calls of {size} bytes");
        let cost = work.ours(problem, size);
        work.push(Goal::at_most(what, "cycles/byte", must, None).found(cost));
    }
    Ok(())
}

/// GCM's text against the best other library in this run, and decryption against encryption. Both sides update a message that
/// was begun before: its first block and its tag are in neither time.
fn hashed(work: &mut Work) -> Result<(), TuneError> {
    use aesmith_cipher::Direction::{Decrypt, Encrypt};
    for key in [KeySize::Aes128, KeySize::Aes256] {
        let [encrypt, decrypt] = [Encrypt, Decrypt].map(|direction| Problem::new(key, Task::Gcm(direction)));
        // On family 6 model 207, 0.1654 and 0.2212 cycles/byte are to become 0.158 and 0.206, and in the end 0.152 and 0.198.
        let (must, aim) = if key == KeySize::Aes128 { (1.047, 1.088) } else { (1.074, 1.117) };
        let name = encrypt.to_string();
        let peers = ["openssl", "ipsec-mb"];
        let best = peers.iter().filter_map(|peer| work.found.bench.median(&name, DEFAULT_SIZE, peer));
        let best = best.min_by(f64::total_cmp);
        let ratio = best.zip(work.ours(encrypt, DEFAULT_SIZE)).map(|(peer, own)| peer / own);
        let what = format!("{encrypt}, 32 KiB, against the best other library");
        work.push(Goal::at_least(what, "times as fast", must, aim).found(ratio));
        let both = work.ours(decrypt, DEFAULT_SIZE).zip(work.ours(encrypt, DEFAULT_SIZE));
        let above = both.map(|(decrypt, encrypt)| 100.0 * (decrypt / encrypt - 1.0));
        let what = format!("{decrypt}, 32 KiB");
        work.push(Goal::at_most(what, "% above encryption", 1.0, 0.0).found(above));
    }
    Ok(())
}

/// XTS, of which all but a few instructions are rounds, against the bound: in percent above. On family 6 model 207, whose bound is
/// 0.156 and 0.218 cycles/byte, 0.1586 and 0.2212 are to become 0.162 and 0.225 with many units a call.
fn tweaked(work: &mut Work) -> Result<(), TuneError> {
    use aesmith_cipher::Direction::{Decrypt, Encrypt};
    for (key, direction) in
        [KeySize::Aes128, KeySize::Aes256].into_iter().flat_map(|k| [(k, Encrypt), (k, Decrypt)])
    {
        let problem = Problem::new(key, Task::Xts(direction));
        let bound = problem_bound(work.place, problem, DEFAULT_SIZE);
        let above =
            work.ours(problem, DEFAULT_SIZE).zip(bound).map(|(own, bound)| 100.0 * (own / bound - 1.0));
        work.push(Goal::at_most(format!("{problem}, 32 KiB"), "% above the bound", 4.0, 2.0).found(above));
    }
    Ok(())
}

/// CBC encryption compared with max(latency, throughput), in percent above; and key schedules.
fn chained(work: &mut Work) -> Result<(), TuneError> {
    for key in KeySize::ALL {
        for (streams, must, aim) in
            [(1, 1.0, 0.3), (2, 5.0, 3.0), (3, 5.0, 3.0), (4, 5.0, 3.0), (8, 5.0, 3.0), (16, 10.0, 5.0)]
        {
            let problem = Problem::new(key, Task::CbcEncrypt { streams });
            above_bound(work, problem, DEFAULT_SIZE, must, aim);
            if streams == 16 {
                for size in SHORT {
                    above_bound(work, problem, size, 20.0, 10.0);
                }
            }
        }
    }
    for (key, must, aim) in [(KeySize::Aes128, 40.0, 32.0), (KeySize::Aes256, 60.0, 48.0)] {
        let problem = Problem::new(key, Task::KeySchedule(aesmith_cipher::Direction::Encrypt));
        let cost = work.ours(problem, 0);
        work.push(Goal::at_most(problem.to_string(), "cycles", must, aim).found(cost));
    }
    Ok(())
}

fn above_bound(work: &mut Work, problem: Problem, size: usize, must: f64, aim: f64) {
    let bound = problem_bound(work.place, problem, size);
    let above = work.ours(problem, size).zip(bound).map(|(cost, bound)| 100.0 * (cost / bound - 1.0));
    let what = format!("{problem}, {size} bytes");
    work.push(Goal::at_most(what, "% above the bound", must, aim).found(above));
}

/// Messages far beyond the caches: streaming stores against plain ones, for the best known structure and the
/// first starting points, each at its fastest. A call takes milliseconds, so there is no search. The screen's
/// buffers are aligned to 64 bytes, as streaming stores demand; duels use various alignments, most of which
/// do not allow them.
fn streaming(work: &mut Work) -> Result<(), TuneError> {
    for key in [KeySize::Aes128, KeySize::Aes256] {
        let problem = Problem::new(key, Task::Ctr);
        (work.observer)(Event::Stage(&format!("{problem} at 64 MiB: streaming stores against plain")));
        let best = work.place.best_known(problem, LARGE)?;
        let mut structures = vec![chosen(&best, LARGE).clone()];
        structures.retain(|v| v.technique.is_instruction());
        let starts = seeds(problem, Technique::Aes, &work.place.target);
        structures.extend(starts.into_iter().filter(|v| v.get("interleave") == 4).take(3));
        let both = |v: &Variant| [0, 1].map(|switch| v.clone().with("streaming", switch));
        let variants: Vec<Variant> = structures.iter().flat_map(both).collect();
        let (run, _) = work.place.start_run(&problem.to_string(), LARGE, "streaming", PART, 1)?;
        let mut contest = Contest::new(work.place, run, LARGE);
        let costs = contest.screen(&variants);
        contest.finish(work.observer)?;
        work.place.store.set_state(run, "finished")?;
        let least =
            |switch: usize| costs.iter().skip(switch).step_by(2).flatten().copied().min_by(f64::total_cmp);
        let ratio = least(0).zip(least(1)).map(|(plain, streamed)| plain / streamed);
        let what = format!("{problem}, 64 MiB: streaming stores against plain");
        work.push(Goal::at_least(what, "times faster", 1.25, 1.5).found(ratio));
        if let Some((plain, streamed)) = least(0).zip(least(1)) {
            let [plain, streamed] = [plain, streamed].map(aesmith_tune::tables::figure);
            work.note(format!("{problem} at 64 MiB: {plain} c/B with plain stores, {streamed} streaming"));
        }
    }
    Ok(())
}

/// AES-NI without VAES.
fn narrow(work: &mut Work) -> Result<(), TuneError> {
    for (key, must, aim) in [(KeySize::Aes128, 0.28, 0.27), (KeySize::Aes256, 0.41, 0.395)] {
        let problem = Problem::new(key, Task::Ctr);
        let best = work.best_of(problem, DEFAULT_SIZE, &[("width", &[0])])?;
        let what = format!("{problem} on {} only, 32 KiB", this_machine().requirements.width(1));
        work.push(Goal::at_most(what, "cycles/byte", must, aim).found(best.map(|(_, cost)| cost)));
    }
    Ok(())
}

/// The search's own speed.
fn speed(work: &mut Work) -> Result<(), TuneError> {
    let problem = Problem::new(KeySize::Aes256, Task::Ctr);
    let lanes = work.place.target.lanes();
    let whole = work.place.table().space_by(problem, Technique::Aes, lanes);
    let spaces = [
        ("random variants of the whole space", whole.clone(), "random", 6000u64),
        ("simulated annealing", whole, "annealing-budget", 1500),
    ];
    for (what, space, way, trials) in spaces {
        (work.observer)(Event::Stage(&format!("speed of the search: {what}")));
        let budget =
            Budget { trials: Some(trials), interrupted: work.interrupted.clone(), ..Budget::default() };
        let started = Instant::now();
        let Explored { found, counts, .. } =
            explore_space(work.place, space, DEFAULT_SIZE, (way, PART), budget, work.observer)?;
        let seconds = started.elapsed().as_secs_f64();
        work.note(format!(
            "{what}: {} variants in {seconds:.2} s, {} kernels built in {:.2} s and {} proved in {:.2} s ({} by \
             reduction) on one CPU, screened in {:.2} s on another in parallel",
            found.trials,
            counts.kernels,
            counts.building.as_secs_f64(),
            counts.proved,
            (counts.reducing + counts.proving).as_secs_f64(),
            counts.reduced,
            counts.screening.as_secs_f64()
        ));
        if way == "annealing-budget" {
            let what = "1,500 annealing trials".to_owned();
            work.push(Goal::at_most(what, "seconds", 5.0, None).found(seconds));
        } else {
            let what = "variants proved and screened".to_owned();
            let rate = found.trials as f64 / seconds;
            work.push(Goal::at_least(what, "variants/second", 3000.0, 8000.0).found(rate));
        }
    }
    papers_subspace(work, problem, lanes)?;
    gcc_route(work, problem)
}

/// All of the paper's counter-mode combinations.
fn papers_subspace(work: &mut Work, problem: Problem, lanes: usize) -> Result<(), TuneError> {
    let Some(space) = work.place.table().paper(problem, lanes) else { return Ok(()) };
    let count = space.count();
    (work.observer)(Event::Stage(&format!("the paper's {count} counter-mode combinations")));
    let budget = Budget { interrupted: work.interrupted.clone(), ..Budget::default() };
    let started = Instant::now();
    let Explored { found, counts, .. } =
        explore_space(work.place, space, DEFAULT_SIZE, ("exhaustive", PART), budget, work.observer)?;
    let seconds = started.elapsed().as_secs_f64();
    if u128::from(found.trials) < count {
        work.note("the search of the paper's subspace did not finish");
        return Ok(());
    }
    work.note(format!(
        "the paper's {count} combinations are {} different kernels, each proved and screened once",
        counts.kernels
    ));
    let what = format!("the paper's {count} CTR combinations");
    work.push(Goal::at_most(what, "seconds", 30.0, Some(15.0)).found(seconds));
    Ok(())
}

/// One variant through C and a compiler, compared with the same variant assembled directly.
fn gcc_route(work: &mut Work, problem: Problem) -> Result<(), TuneError> {
    let variant =
        seeds(problem, Technique::Aes, &work.place.target).into_iter().find(|v| v.get("cached") == 0);
    let Some(variant) = variant else { return Ok(()) };
    for compiler in [Compiler::Gcc, Compiler::Clang] {
        (work.observer)(Event::Stage(&format!("one variant through C and {}", compiler.name())));
        match via::compare(work.place, &variant, DEFAULT_SIZE, compiler) {
            Ok(c) => work.note(format!(
                "one variant (`{variant}`) through C and {}: {:.2} s to machine code, {:.4} c/B; directly: {:.6} s \
                 including the proof, {:.4} c/B",
                c.version,
                c.compiling.as_secs_f64(),
                c.compiled,
                c.building.as_secs_f64(),
                c.direct
            )),
            Err(TuneError::Unsupported(why)) => work.note(why),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
