//! Prints this machine as the judge sees it: clock, instruction costs, bounds, and what judging costs.

use std::time::Instant;

use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_judge::bounds::bound;
use aesmith_judge::{Candidate, Config, Judge, Screening};

fn main() -> Result<(), aesmith_judge::JudgeError> {
    aesmith_judge::worker::run_if_worker();
    let mut judge = Judge::start(Config::default())?;
    println!("{:.5} core cycles a tick", judge.ratio()?);
    let start = Instant::now();
    let model = judge.measure_machine()?;
    println!("machine measured in {:?}; issue width {:?}", start.elapsed(), model.issue_width);
    for t in &model.timings {
        let name = format!("{:?} {:?}", t.kind.class, t.kind.vectors);
        let latency = t.latency.map_or("     -".into(), |l| format!("{l:6.2}"));
        println!("{name:24} latency {latency}  one every {:6.3}", t.reciprocal_throughput);
    }
    for g in &model.groups {
        println!("together: {:?}", g.members);
    }
    for problem in Problem::all() {
        if let Some(b) = bound(&model, problem, 32768) {
            println!("{problem:18} {:9.4} c/B, {:?}, {} cached", b.cycles_per_byte, b.limit, b.cached_rounds);
        }
    }
    // A kernel that does nothing is right for messages of no bytes: what is left is overhead.
    let empty = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let batch = vec![Candidate::new(empty, &[0xc3]); 64];
    let how = Screening { samples: 1, short_checks: 0, ..Screening::of(0) };
    for _ in 0..3 {
        let start = Instant::now();
        judge.screen(&batch, &how)?.into_iter().for_each(|s| assert!(s.is_ok()));
        println!(
            "{:.1} us a candidate of a batch of 64, with nothing to measure",
            start.elapsed().as_secs_f64() * 1e6 / 64.0
        );
    }
    Ok(())
}
