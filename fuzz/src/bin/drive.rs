//! Fuzzes without libFuzzer, on a stable compiler: `drive [--seconds N] [--seed N] [TARGET...]` runs each target for
//! that time on mutations of its corpus. `drive --seed N --only NUMBER TARGET` repeats one input.
//!
//! Inputs run in child processes, which record the number of each input before they run it. However a child fails, by a
//! panic, a signal or a timeout, the command that repeats the input is printed.

use aesmith_fuzz::{TARGETS, Target, mutate};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// The number of inputs of a child: memory that a target leaks is freed when the child ends.
const INPUTS: u64 = 20_000;
/// The time limit of one input.
const PATIENCE: Duration = Duration::from_secs(60);

struct Options {
    seconds: u64,
    seed: u64,
    only: Option<u64>,
    /// For a child: the first input, and the file in which it records its progress.
    child: Option<(u64, String)>,
    targets: Vec<&'static Target>,
}

fn read() -> Result<Options, String> {
    let mut asked = Options { seconds: 60, seed: 1, only: None, child: None, targets: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
        match word.as_str() {
            "--seconds" => asked.seconds = number(value()?)?,
            "--seed" => asked.seed = number(value()?)?,
            "--only" => asked.only = Some(number(value()?)?),
            "--child" => asked.child = Some((number(value()?)?, value()?)),
            name => {
                let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
                let found = TARGETS.iter().find(|t| t.name == name);
                asked.targets.push(found.ok_or_else(|| format!("no target {name}; there are {}", names.join(", ")))?);
            }
        }
    }
    if asked.targets.is_empty() {
        asked.targets = TARGETS.iter().collect();
    }
    Ok(asked)
}

fn main() -> ExitCode {
    let asked = match read() {
        Ok(asked) => asked,
        Err(sentence) => {
            eprintln!("drive: {sentence}");
            return ExitCode::from(2);
        }
    };
    if let Some(number) = asked.only {
        for target in &asked.targets {
            let bytes = mutate::input(&(target.corpus)(), asked.seed, number);
            println!("{}, {} bytes: {}", target.name, bytes.len(), bytes.escape_ascii());
            (target.body)(&bytes);
        }
        return ExitCode::SUCCESS;
    }
    if let Some((first, place)) = &asked.child {
        return child(asked.targets[0], &asked, *first, place);
    }
    let failed = asked.targets.iter().filter(|target| !holds(target, &asked)).count();
    println!("{} of {} targets hold", asked.targets.len() - failed, asked.targets.len());
    ExitCode::from(u8::from(failed > 0))
}

/// Runs inputs until there are enough or the time is up; each number is recorded before its input runs.
fn child(target: &Target, asked: &Options, first: u64, place: &str) -> ExitCode {
    let started = Instant::now();
    let file = File::options().write(true).open(place).expect("the parent made it");
    let corpus = (target.corpus)();
    for number in first..first + INPUTS {
        file.write_all_at(&number.to_le_bytes(), 0).expect("the parent made it");
        if started.elapsed().as_secs() >= asked.seconds {
            return ExitCode::SUCCESS;
        }
        (target.body)(&mutate::input(&corpus, asked.seed, number));
    }
    file.write_all_at(&(first + INPUTS).to_le_bytes(), 0).expect("the parent made it");
    ExitCode::SUCCESS
}

/// Runs children for the given time, and reports the first that fails.
fn holds(target: &Target, asked: &Options) -> bool {
    let started = Instant::now();
    let place = std::env::temp_dir().join(format!("aesmith-drive-{}", std::process::id()));
    std::fs::write(&place, [0; 8]).expect("the folder for temporary files can be written");
    let mut next = 0;
    let mut good = true;
    while good && started.elapsed().as_secs() < asked.seconds {
        let left = asked.seconds - started.elapsed().as_secs();
        let words = [
            "--seconds".to_owned(),
            left.to_string(),
            "--seed".into(),
            asked.seed.to_string(),
            "--child".into(),
            next.to_string(),
            place.display().to_string(),
            target.name.into(),
        ];
        let program = std::env::current_exe().expect("it runs");
        let mut running = Command::new(program).args(words).spawn().expect("it can be started again");
        let (why, reached) = wait(&mut running, &place);
        next = reached;
        if let Some(why) = why {
            let name = target.name;
            eprintln!("{name}: input {next} {why}; `drive --seed {} --only {next} {name}` repeats it", asked.seed);
            good = false;
        }
    }
    let _ = std::fs::remove_file(&place);
    println!("{}: {next} inputs in {:.0} s", target.name, started.elapsed().as_secs_f64());
    good
}

/// Waits for a child; returns the reason if it failed, and the number of its last input.
fn wait(running: &mut std::process::Child, place: &std::path::Path) -> (Option<String>, u64) {
    let at = || {
        let bytes = std::fs::read(place).expect("it was written");
        u64::from_le_bytes(bytes[..8].try_into().expect("it has eight bytes"))
    };
    let (mut last, mut since) = (at(), Instant::now());
    loop {
        if let Some(status) = running.try_wait().expect("it was started") {
            let why = (!status.success()).then(|| format!("ended the process ({status})"));
            return (why, at());
        }
        std::thread::sleep(Duration::from_millis(50));
        let now = at();
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > PATIENCE {
            let _ = running.kill();
            let _ = running.wait();
            return (Some(format!("took longer than {} s", PATIENCE.as_secs())), now);
        }
    }
}
