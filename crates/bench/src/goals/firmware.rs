//! The goals of processors other than this machine: target figures in one table, and the figures reached.

mod lines;

use aesmith_cipher::{Direction, Problem, Task};
use aesmith_judge::judge::Emulator;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::core::{Core, IN_REGISTERS};
use aesmith_processor::interpreter::Interpreter;
use aesmith_wisdom::Store;

use super::{Goal, GoalKernel, markdown};
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::timing::Timing;
use aesmith_tune::TuneError;
use aesmith_tune::count::executed_on;
use aesmith_tune::deliver::firmware::made;
use aesmith_tune::deliver::package::{PackageRequest, package};
use aesmith_tune::evaluate::confirm::judge_of;
use aesmith_tune::options::{Event, RunRequest};
use aesmith_tune::request::Request;
use aesmith_tune::run::exact::tune;
use lines::{Line, Target, Unit, line, lines};

/// Further problems that are shown for every processor that solves them, with their bounds.
const SHOWN: [&str; 5] = ["aes128-ecb-dec", "aes192-ecb", "aes192-ecb-dec", "aes256-ecb", "aes256-ecb-dec"];

/// Measures all lines; `wanted` gives time, seed and other options of each search.
pub fn goals(
    store: &mut Store,
    wanted: &RunRequest,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Goal>, TuneError> {
    let solved = |core: &Core, problem: &str| problem.parse().is_ok_and(|problem| (core.solves)(problem));
    let shown: Vec<Line> = aesmith_processors::cores()
        .flat_map(|core| {
            let problems = SHOWN.into_iter().filter(move |problem| solved(core, problem));
            problems.map(move |problem| line(core.name, problem, "", Target::Shown))
        })
        .collect();
    let mut all = Vec::new();
    for line in lines().iter().chain(&shown) {
        if wanted.interrupted.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
        observer(Event::Stage(&format!("{} on {} {}", line.problem, line.processor, line.what)));
        all.push(reach(store, line, wanted, observer)?);
    }
    Ok(all)
}

fn reach(
    store: &mut Store,
    line: &Line,
    wanted: &RunRequest,
    observer: &mut dyn FnMut(Event),
) -> Result<Goal, TuneError> {
    let timed = aesmith_processors::core(line.processor).map_or("cycles", |core| core.timing.unit);
    let unit = match line.unit {
        Unit::Byte => "cycles/byte",
        Unit::Instructions => "instructions",
        Unit::Call | Unit::Registers => timed,
    };
    let goal = match line.target {
        Target::Cycles(must, aim) => Goal::at_most(line.what, unit, must, aim),
        // The bound is known once a kernel is.
        Target::AboveBound(..) | Target::Shown => Goal::shown(line.what, unit),
    };
    let goal = Goal {
        processor: line.processor.into(),
        problem: line.problem.into(),
        source: line.source.into(),
        ..goal
    };
    let problem: Problem = line.problem.parse().map_err(|e| TuneError::Usage(format!("{e}")))?;
    let found = aesmith_processors::core(line.processor).map_err(TuneError::Usage).and_then(|core| {
        let timing = if line.constant_time { Timing::Proved } else { Timing::Variable };
        let request = Request { budgets: line.budgets, timing, ..Request::default() };
        if line.package {
            return Ok((core, of_package(core, store, problem, &request)?));
        }
        let wanted = RunRequest { problem, keep: line.only, ..wanted.clone() };
        let mut tuned = tune(core, store, (&request, &wanted), &mut |event| {
            if matches!(event, Event::Step(..)) {
                observer(event);
            }
        })?;
        let winner = tuned.result.winners.pop();
        Ok((core, winner.map(|winner| (winner.certificate, winner.bound))))
    });
    match found {
        Ok((core, Some((certificate, bound)))) => {
            reached(goal, core, line, (&certificate, bound)).map_err(TuneError::NoResult)
        }
        Ok((_, None)) => Ok(goal.without("nothing was confirmed")),
        Err(TuneError::Wisdom(error)) => Err(TuneError::Wisdom(error)),
        // No kernel keeps the limits of the goal.
        Err(TuneError::NoResult(why)) if goal.must.is_some() => Ok(goal.missed(&why)),
        Err(error) => Ok(goal.without(&error.to_string())),
    }
}

/// A function of a package with both directions, and its bound.
fn of_package(
    core: &'static Core,
    store: &Store,
    problem: Problem,
    request: &Request,
) -> Result<Option<(BitsCertificate, Option<f64>)>, TuneError> {
    let both = [Direction::Encrypt, Direction::Decrypt].map(|d| Problem::new(problem.key, Task::Ecb(d)));
    let wanted = PackageRequest::of(both.to_vec(), request);
    let chosen = package(core, Some(store), &wanted)?;
    let part = chosen.parts.into_iter().find(|part| part.made.kernel.contract.problem == problem);
    Ok(part.map(|part| (part.certificate, (core.bound)(&part.made.kernel.variant).map(|(bound, _)| bound))))
}

/// The goal with the figures of the best kernel.
fn reached(
    goal: Goal,
    core: &'static Core,
    line: &Line,
    (c, bound): (&BitsCertificate, Option<f64>),
) -> Result<Goal, String> {
    let per = if line.unit == Unit::Byte { 16.0 } else { 1.0 };
    let measured = match line.unit {
        Unit::Registers => {
            let problem = line.problem.parse::<Problem>().map_err(|e| e.to_string())?;
            in_registers(core, &made(core, problem, &c.variant)?)?
        }
        Unit::Instructions => {
            let problem = line.problem.parse::<Problem>().map_err(|e| e.to_string())?;
            let counted = executed_on(core, &made(core, problem, &c.variant)?).map_err(|e| e.to_string())?;
            counted.steady.instructions
        }
        _ => c.cycles() / per,
    };
    let bound = bound.filter(|_| line.unit != Unit::Instructions).map(|b| b / per);
    let (must, aim) = match (line.target, bound) {
        (Target::AboveBound(must, aim), Some(bound)) => {
            (Some(bound * (1.0 + must)), Some(bound * (1.0 + aim)))
        }
        _ => (goal.must, goal.aim),
    };
    let kernel = GoalKernel {
        variant: c.variant.clone(),
        flash: c.cost.flash,
        ram: c.cost.ram,
        stack: c.cost.stack,
        constant_time: c.short_time(),
    };
    let by = match (line.unit, c.judged_cycles) {
        (Unit::Instructions, _) => "interpreter".into(),
        (_, Some(_)) => c.judge.clone(),
        (_, None) => "machine model".into(),
    };
    Ok(Goal { must, aim, bound, by, kernel: Some(kernel), ..goal }.found(measured))
}

/// Cycles of the subroutine on a block in registers, without its call and return: cycles of a call of the
/// function, less those of a call whose subroutine returns at once. By the judge if it counts cycles, else by
/// the model.
fn in_registers(core: &'static Core, made: &BuiltKernel) -> Result<f64, String> {
    let inner = made.image.symbol(&format!("{}{IN_REGISTERS}", made.kernel.symbol))?;
    let isa = (core.isa)();
    let back = isa.encode(&isa.insn("ret", &[]))?;
    let mut empty = made.image.clone();
    for segment in &mut empty.segments {
        if (segment.address..segment.end()).contains(&inner) {
            let at = (inner - segment.address) as usize;
            segment.bytes[at..at + back.len()].copy_from_slice(&back);
        }
    }
    let judge: Box<dyn Emulator> = match judge_of(core) {
        Ok(judge) if judge.counts_cycles() => judge,
        _ => Box::new(Interpreter::new(core)),
    };
    let cycles = |image| {
        let calls = made.timed(1).into_iter().map(|(_, call)| call).collect();
        let mut question = made.question(calls);
        question.image = image;
        let answers = judge.answer(&question)?;
        let counted = answers.first().and_then(|a| a.cycles);
        counted.ok_or_else(|| format!("{} counts no cycles", judge.name()))
    };
    Ok(cycles(&made.image)? as f64 - cycles(&empty)? as f64)
}

/// The table as a Markdown document.
pub fn document(all: &[Goal]) -> String {
    let about = concat!(
        "# Processors other than this machine\n\nWritten by `aesmith-bench goals processors --markdown docs/PROCESSORS.md` (aesmith ",
        env!("CARGO_PKG_VERSION"),
        ").\n\nCycles are per block or key, for a call of the C function with saved registers and return, unless the line \
         says otherwise; for messages, they are the cycles of each further block. `static cycles` are not cycles of the \
         processor: they add up the places, ports and units that instructions occupy, because no public model gives more; \
         goals there compare instructions. Every kernel is proved and passed NIST vectors, a Monte-Carlo chain and 1,000 \
         random keys and blocks in its judge. `machine model` means modelled cycles, because no judge that counts cycles is \
         available. Cycles that depend on data are the mean over 1,000 random blocks. The bound is the bound of the kernel's \
         dataflow. Flash counts code and all tables, RAM counts tables. Constant time: `yes` if no secret determines an \
         address or a branch, `here` if secrets determine only addresses and the processor's memory takes the same time at \
         any address, `no` otherwise. The source is the published code whose figure must be reached.\n\n",
    );
    format!("{about}{}", markdown(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_problems_and_aim_below_what_must_be() {
        let lines = lines();
        assert!(lines.len() > 50, "{} goals", lines.len());
        for line in &lines {
            assert!(line.problem.parse::<Problem>().is_ok(), "{}", line.problem);
            if let Target::Cycles(must, aim) | Target::AboveBound(must, aim) = line.target {
                assert!(aim <= must, "{line:?}");
            }
        }
    }
}
