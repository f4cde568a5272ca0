//! Prints the times of this machine's peers: cycles a byte, median and quartiles, by message size.

use aesmith_cipher::Problem;
use aesmith_native::{Bench, Config, NativeJudge};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    aesmith_native::worker::run_if_worker();
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut judge = NativeJudge::start(Config::default())?;
    let how = Bench {
        sizes: vec![16, 64, 256, 1024, 4096, 32768, 1 << 20],
        rounds: 9,
        cold: false,
        peers: None,
        latency: true,
    };
    for name in names {
        let problem: Problem = name.parse()?;
        for row in judge.bench(problem, &[], &how)? {
            match row.outcome {
                Ok(s) => println!(
                    "{:16} {:8} {:12} {:8.4} c/B  ({:.4} .. {:.4}), clean {} of {}",
                    row.problem,
                    row.size,
                    row.subject,
                    s.cycles_per_byte(0.5),
                    s.cycles_per_byte(0.25),
                    s.cycles_per_byte(0.75),
                    s.rounds.iter().filter(|t| t.clean).count(),
                    s.rounds.len()
                ),
                Err(why) => println!("{:16} {:8} {:12} {why}", row.problem, row.size, row.subject),
            }
        }
    }
    Ok(())
}
