//! The measuring process: reads batches from its standard input, judges them, writes the answers to its standard
//! output, and ends when its input does (so also when its parent dies).
//!
//! A message consists of two little-endian u32 (length of the header, length of the body), a header in JSON, and a body
//! with the code of the candidates, one after the other.

use std::io::{self, Read, Write};

use aesmith_cipher::Problem;
use aesmith_processor::measured::MachineModel;
use aesmith_processor::measured::TimingClass;
use serde::{Deserialize, Serialize};

use crate::bench::{Bench, BenchRow, Contender};
use crate::fault::{Fault, JudgeError};
use crate::native::{Candidate, Core, Screening, Turns};
use crate::quiet::Quiet;
use crate::timing::{Samples, Screen};

/// Environment variable that is 1 in a worker process.
pub const WORKER_VARIABLE: &str = "AESMITH_WORKER";
/// Maximum length of a header or body: a corrupted length must not cause an unlimited allocation.
const LONGEST: usize = 1 << 30;

/// A candidate in a request; its code is in the body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Item {
    /// The problem's name.
    problem: String,
    code_bytes: usize,
    floor: Option<f64>,
}

impl Item {
    pub fn new(candidate: &Candidate) -> Self {
        Item {
            problem: candidate.problem.to_string(),
            code_bytes: candidate.code.len(),
            floor: candidate.floor,
        }
    }
}

/// A request to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The first message: pin to a CPU and start the core.
    Start { cpu: Option<usize>, seed: u64, time_out: f64 },
    /// Screen each candidate; candidate i has seed `seed + i`.
    Screen { how: Screening, seed: u64, items: Vec<Item> },
    /// Measure the machine, or only its instructions of some classes.
    Model { only: Option<Vec<TimingClass>> },
    /// Look if the machine is quiet.
    Quiet,
    /// Measure kernels (named, code in the body) and peers.
    Bench { how: Bench, seed: u64, names: Vec<String>, items: Vec<Item>, problem: String },
    /// Measure candidates in interleaved rounds.
    Duel { turns: Turns, seed: u64, items: Vec<Item> },
}

/// An answer of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The worker is ready; core cycles a tick.
    Started { ratio: f64 },
    /// In the order of the request.
    Screened(Vec<Result<Screen, Fault>>),
    /// The table of the benchmark.
    Benched(Vec<BenchRow>),
    /// The model of the machine.
    Model(MachineModel),
    /// The result of the look at the machine.
    Quiet(Quiet),
    /// In the order of the request, and the second set of samples of the first candidate.
    Dueled(Vec<Result<Samples, Fault>>, Samples),
    /// A failure of the judge itself.
    Failed(String),
}

/// The problem with a name. A name means the same to every version of the program, unlike a place in a list.
fn named(problem: &str) -> Result<Problem, JudgeError> {
    problem.parse().map_err(|e| JudgeError::Worker(format!("a request names no problem: {e}")))
}

/// Becomes a worker, and never returns, if the environment variable says so. A program that lets [`crate::NativeJudge`]
/// re-execute it calls this first in `main`.
pub fn run_if_worker() {
    if std::env::var_os(WORKER_VARIABLE).is_some_and(|v| v == "1") {
        main();
    }
}

/// Runs a worker until its input ends.
pub fn main() -> ! {
    let status = match serve(&mut io::stdin().lock(), &mut io::stdout()) {
        Ok(()) => 0,
        Err(error) => {
            // If this cannot be written, the exit status still shows the failure.
            let _ = writeln!(io::stderr(), "measuring process: {error}");
            1
        }
    };
    std::process::exit(status)
}

fn serve(input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let mut core = None;
    while let Some((header, body)) = read_message(input)? {
        let request: Request = serde_json::from_slice(&header)?;
        let answer = respond(&mut core, request, &body).unwrap_or_else(|e| Answer::Failed(e.to_string()));
        write_message(output, &answer, &[])?;
    }
    Ok(())
}

fn respond(core: &mut Option<Core>, request: Request, body: &[u8]) -> Result<Answer, JudgeError> {
    if let Request::Start { cpu, seed, time_out } = request {
        if let Some(cpu) = cpu {
            pin(cpu)?;
        }
        let started = core.insert(Core::start(seed, time_out)?);
        // Confine only after the start: code memory is an in-memory file, which the limits would not allow to create.
        confine()?;
        return Ok(Answer::Started { ratio: started.clock().ratio() });
    }
    let Some(core) = core else {
        return Err(JudgeError::Worker("it was asked before it was started".into()));
    };
    match request {
        Request::Start { .. } => unreachable!("handled above"),
        Request::Screen { how, seed, items } => {
            core.calibrate()?;
            let mut answers = Vec::with_capacity(items.len());
            for (i, candidate) in candidates(&items, body)?.iter().enumerate() {
                answers.push(core.screen(candidate, &how, seed.wrapping_add(i as u64))?);
            }
            Ok(Answer::Screened(answers))
        }
        Request::Model { only } => Ok(Answer::Model(crate::model::measure(core, only.as_deref())?)),
        Request::Quiet => Ok(Answer::Quiet(core.quiet()?)),
        Request::Bench { how, seed, names, items, problem } => {
            let problem = named(&problem)?;
            let codes = candidates(&items, body)?;
            let contenders: Vec<Contender> =
                names.iter().zip(&codes).map(|(name, c)| Contender { name, code: c.code }).collect();
            core.calibrate()?;
            Ok(Answer::Benched(core.bench(problem, &contenders, &crate::peers::available(), &how, seed)?))
        }
        Request::Duel { turns, seed, items } => {
            core.calibrate()?;
            let (outcomes, again) = core.duel(&candidates(&items, body)?, turns, seed)?;
            Ok(Answer::Dueled(outcomes, again))
        }
    }
}

fn candidates<'a>(items: &[Item], mut body: &'a [u8]) -> Result<Vec<Candidate<'a>>, JudgeError> {
    let short = || JudgeError::Worker("a request is shorter than it says".into());
    // The candidates of a request are mostly of one problem, whose name is read once.
    let mut last: Option<(&str, Problem)> = None;
    items
        .iter()
        .map(|item| {
            let (code, rest) = body.split_at_checked(item.code_bytes).ok_or_else(short)?;
            body = rest;
            let problem = match last.filter(|(name, _)| *name == item.problem) {
                Some((_, problem)) => problem,
                None => named(&item.problem)?,
            };
            last = Some((&item.problem, problem));
            Ok(Candidate { problem, code, floor: item.floor })
        })
        .collect()
}

/// Reads a message; `None` at the end of the input.
pub(crate) fn read_message(input: &mut impl Read) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut lengths = [0; 8];
    match input.read_exact(&mut lengths) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = |at| u32::from_le_bytes(std::array::from_fn(|i| lengths[at + i])) as usize;
    if length(0) > LONGEST || length(4) > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message's length is nonsense"));
    }
    let (mut header, mut body) = (vec![0; length(0)], vec![0; length(4)]);
    input.read_exact(&mut header)?;
    input.read_exact(&mut body)?;
    Ok(Some((header, body)))
}

/// Writes a message and flushes it.
pub(crate) fn write_message(output: &mut impl Write, header: &impl Serialize, body: &[u8]) -> io::Result<()> {
    let header = serde_json::to_vec(header)?;
    let mut message = Vec::with_capacity(8 + header.len() + body.len());
    message.extend((header.len() as u32).to_le_bytes());
    message.extend((body.len() as u32).to_le_bytes());
    message.extend(header);
    message.extend(body);
    output.write_all(&message)?;
    output.flush()
}

/// Limits of a process that runs generated code: no core dumps, no files, no children.
fn confine() -> Result<(), JudgeError> {
    for (resource, limit) in
        [(libc::RLIMIT_CORE, 0), (libc::RLIMIT_FSIZE, 0), (libc::RLIMIT_NPROC, 0), (libc::RLIMIT_NOFILE, 32)]
    {
        let value = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the call only reads `value`.
        if unsafe { libc::setrlimit(resource, &value) } != 0 {
            return Err(JudgeError::last_os("limit what the measuring process may do"));
        }
    }
    Ok(())
}

fn pin(cpu: usize) -> Result<(), JudgeError> {
    // SAFETY: a zeroed set is empty; CPU_SET writes inside it for cpu < CPU_SETSIZE.
    let done = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        cpu < libc::CPU_SETSIZE as usize && {
            libc::CPU_SET(cpu, &mut set);
            libc::sched_setaffinity(0, size_of_val(&set), &set) == 0
        }
    };
    if done { Ok(()) } else { Err(JudgeError::last_os(format!("run on CPU {cpu} only"))) }
}

/// The CPUs that this process may run on.
pub(crate) fn allowed_cpus() -> Vec<usize> {
    // SAFETY: the set is local and has the given size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of_val(&set), &mut set) != 0 {
            return Vec::new();
        }
        (0..libc::CPU_SETSIZE as usize).filter(|&c| libc::CPU_ISSET(c, &set)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_round_trip_and_broken_ones_are_refused() {
        let mut bytes = Vec::new();
        write_message(&mut bytes, &Request::Model { only: None }, &[1, 2, 3]).unwrap();
        let (header, body) = read_message(&mut bytes.as_slice()).unwrap().unwrap();
        assert!(matches!(serde_json::from_slice(&header).unwrap(), Request::Model { only: None }));
        assert_eq!(body, [1, 2, 3]);
        assert!(read_message(&mut &bytes[..0]).unwrap().is_none());
        assert!(read_message(&mut &bytes[..bytes.len() - 1]).is_err());
        assert!(read_message(&mut [0xff; 64].as_slice()).is_err());
    }

    #[test]
    fn a_request_longer_than_its_body_is_refused() {
        let problem = Problem::all()[0];
        let items = [Item::new(&Candidate::new(problem, &[0xc3; 8]))];
        assert_eq!(candidates(&items, &[0xc3; 8]).unwrap()[0].problem, problem);
        assert!(candidates(&items, &[0xc3; 7]).is_err());
        let unknown = [Item { problem: "aes128-ccm".into(), code_bytes: 8, floor: None }];
        assert!(candidates(&unknown, &[0xc3; 8]).is_err_and(|e| e.to_string().contains("names no problem")));
    }
}
