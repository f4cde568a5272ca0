//! The goals of processors that execute grids: static bounds of the winners' machine code, and measurements
//! on a card, if there are any.

use aesmith_cipher::Problem;
use aesmith_processor::grid::certificate::GridCertificate;
use aesmith_processor::grid::{Gives, Grids};
use aesmith_processor::timing::Timing;

use super::{Goal, markdown};
use crate::card::Recorded;
use aesmith_arrange::Dimension;
use aesmith_tune::TuneError;
use aesmith_tune::decide::grids::best;
use aesmith_tune::options::Event;
use aesmith_tune::request::Request;

/// The architecture whose bounds are compared with goals.
const ON: &str = "sm_90";
const BITS: &str = "b/clk/SM";
const GROUPS: &str = "a key for every 16 threads";
const TABLE: &str = "table";
const CACHED: &str = "table, cached rounds";
const SLICED: &str = "bitsliced";
const MIXED: &str = "mixed";

/// A bound to reach: problem, description, `must` and `aim`, and the source of published figures.
type Line = (&'static str, &'static str, Option<(f64, f64)>, &'static str);

const LINES: [Line; 26] = [
    (
        "aes128-ctr",
        CACHED,
        Some((27.0, 30.0)),
        "12.4 on an RTX 2070 Super, 9.8 on an RTX 4090 from device memory, measured (Tezcan 2021 and later)",
    ),
    ("aes192-ctr", CACHED, None, ""),
    ("aes256-ctr", CACHED, Some((18.5, 20.4)), ""),
    (
        "aes128-ecb",
        TABLE,
        Some((23.0, 25.6)),
        "0.83 on a GTX 295, measured (Osvik, Bos, Stefan and Canright 2010)",
    ),
    ("aes192-ecb", TABLE, None, ""),
    // 18.286 is 128 / (224 / 32): the look-ups of a block take 224 words of shared memory, at most 32 a
    // clock.
    ("aes256-ecb", TABLE, Some((16.5, 18.3)), "the bound of the look-ups is 18.29"),
    ("aes128-ecb-dec", TABLE, Some((22.0, 25.0)), "0.83 on a GTX 295, measured (the same)"),
    ("aes192-ecb-dec", TABLE, None, ""),
    ("aes256-ecb-dec", TABLE, Some((15.5, 18.0)), ""),
    ("aes128-ctr", SLICED, Some((14.5, 15.8)), "12 to 13 on a V100, measured"),
    ("aes192-ctr", SLICED, None, ""),
    ("aes256-ctr", SLICED, Some((10.3, 11.2)), ""),
    ("aes128-ecb", SLICED, None, ""),
    ("aes256-ecb", SLICED, None, ""),
    ("aes128-ecb-dec", SLICED, None, ""),
    ("aes256-ecb-dec", SLICED, None, ""),
    ("aes128-ctr", MIXED, None, ""),
    ("aes192-ctr", MIXED, None, ""),
    ("aes256-ctr", MIXED, None, ""),
    ("aes128-ecb", MIXED, None, ""),
    ("aes256-ecb", MIXED, None, ""),
    ("aes128-ecb-dec", MIXED, None, ""),
    ("aes256-ecb-dec", MIXED, None, ""),
    ("aes128-ecb", GROUPS, Some((18.0, 22.0)), ""),
    ("aes256-ecb", GROUPS, Some((13.0, 16.0)), ""),
    ("aes128-ecb-dec", GROUPS, None, ""),
];
/// Logic operations per block of AES-128-CTR: must and aim.
const LOGIC: (f64, f64) = (290.0, 254.0);
/// Milliseconds for a proof: must and aim.
const PROOF: (f64, f64) = (2000.0, 300.0);

/// Sets a bound, which is not a measurement.
fn bounded(goal: Goal, bound: f64) -> Goal {
    let goal = goal.found(bound);
    Goal { measured: None, bound: goal.measured, ..goal }
}

/// A choice restricted to one value, both given by name.
fn only(
    grids: &Grids,
    problem: Problem,
    name: &str,
    value: &str,
) -> Result<(&'static Dimension, Vec<u16>), TuneError> {
    let dimension = grids.table.find(problem, grids.table.plain(problem).technique, name);
    let read = dimension.and_then(|dimension| Ok((dimension, vec![dimension.read(value)?])));
    read.map_err(|e| TuneError::NoResult(e.to_string()))
}

/// True if a measured kernel belongs to a line, by its technique and by whether each stream has its own key.
fn is_of(line: &Line, variant: &str) -> bool {
    let (_, what, _, _) = *line;
    let technique = if [SLICED, MIXED].contains(&what) { what } else { TABLE };
    let choice = |name: &str| variant.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let keys = choice("keys").unwrap_or("launch");
    // Kernels with fewer copies have secret-dependent timing.
    choice("technique") == Some(technique)
        && keys == if what == GROUPS { "group" } else { "launch" }
        && (technique == SLICED || choice("replicas").is_none_or(|replicas| replicas == "32"))
}

/// A goal with its bound, and with a card's measurement, which the verdict then refers to.
fn with_card(line: &Line, goal: Goal, recorded: Option<&Recorded>) -> Goal {
    let found = recorded.and_then(|run| Some((run, run.fastest(line.0, |variant| is_of(line, variant))?)));
    let Some((run, (_, kernel))) = found else { return goal };
    let of_bound = kernel.of_bound.map_or(String::new(), |part| format!(", {part:.2} of the card's bound"));
    let by = format!("{}; measured on {}{of_bound}", goal.by, run.who());
    let bound = goal.bound;
    Goal { bound, by, ..goal.found(kernel.bits) }
}

/// The goals that follow from a winner's certificate.
fn of_winner(
    line: &Line,
    named: &dyn Fn(Goal) -> Goal,
    certificate: &GridCertificate,
    recorded: Option<&Recorded>,
) -> Vec<Goal> {
    let (problem, what, limits, _) = *line;
    let goal = named(match limits {
        Some((must, aim)) => Goal::at_least(what, BITS, must, aim),
        None => Goal::shown(what, BITS),
    });
    let Some(counted) = certificate.counts.iter().find(|counted| counted.architecture == ON) else {
        let why = certificate.notes.first().map_or("no machine code was counted", |note| note);
        return vec![goal.without(why)];
    };
    let by = |goal: Goal, by: &str| Goal { by: by.to_owned(), source: String::new(), ..named(goal) };
    let ptxas = format!("machine code for {ON}");
    let bound =
        Goal { by: format!("static bound, {ON}, by {}", counted.limit), ..bounded(goal, counted.bits) };
    let mut all = vec![with_card(line, bound, recorded)];
    if problem == "aes128-ctr" && what == CACHED {
        let logic = f64::from(counted.logic) / f64::from(counted.blocks.max(1));
        let goal = Goal::at_most("logic operations per block", "instructions", LOGIC.0, LOGIC.1);
        all.push(by(goal.found(logic), &ptxas));
    }
    let spilled = Goal::at_most("spilled", "bytes", 0.0, None);
    all.push(by(spilled.found(f64::from(counted.spilled)), &ptxas));
    let proof = Goal::at_most("proof", "ms", PROOF.0, PROOF.1);
    all.push(by(proof.found(certificate.proof.microseconds as f64 / 1000.0), "this machine"));
    all
}

/// Counts the winners of all lines, and looks up the measurement of each.
///
/// # Errors
/// A line has no kernel, or a kernel is not proved.
pub fn goals(
    grids: &Grids,
    recorded: Option<&Recorded>,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Goal>, TuneError> {
    let mut all = Vec::new();
    for line in &LINES {
        let (problem, what, _, source) = *line;
        if !goes_on() {
            break;
        }
        let named = |goal: Goal| Goal {
            processor: grids.name.into(),
            problem: problem.into(),
            source: source.into(),
            ..goal
        };
        observer(Event::Stage(&format!("{problem} on {}", grids.name)));
        let asked: Problem = problem.parse().map_err(|e| TuneError::Usage(format!("{e}")))?;
        let technique = if [SLICED, MIXED].contains(&what) { what } else { TABLE };
        let mut request = Request { timing: Timing::Proved, ..Request::default() };
        request.only.push(only(grids, asked, "technique", technique)?);
        // With fewer copies lanes share banks: such kernels have variable time, and need not be translated.
        if technique == TABLE {
            request.only.push(only(grids, asked, "replicas", "32")?);
        }
        if what == GROUPS {
            request.only.push(only(grids, asked, "keys", "group")?);
        }
        let found = best(grids, asked, &request, Gives::ANYTHING, symbol, goes_on)?;
        all.extend(of_winner(line, &named, found.winner.certificate(), recorded));
    }
    Ok(all)
}

/// The table as a document, followed by a card's measurements if a run is given.
pub fn document(all: &[Goal], recorded: Option<&Recorded>) -> String {
    let written = concat!(
        "# GPUs\n\nWritten by `aesmith-bench goals gpu --markdown docs/GPU-BOUNDS.md` (aesmith ",
        env!("CARGO_PKG_VERSION"),
        ").",
    );
    let (measured, below) = match recorded {
        None => ("**No throughput in this table is measured.**".to_owned(), String::new()),
        Some(run) => (
            format!(
                "A throughput is measured only if the column `by` names {}; the measurements are from the file of \
                 `scripts/card.sh` that `--card` names. Other throughputs are not measured, and their verdicts are about the bound.",
                run.who()
            ),
            format!("\n## On a card\n\n{}", run.markdown()),
        ),
    };
    format!(
        "{written}\n\n{measured} A bound is the maximum throughput that the winner's machine code allows, by `ptxas` for \
         sm_90 with data in device memory: bits of output per clock cycle of a multiprocessor ([GPU.md](GPU.md)). All \
         winners are proved to have constant time. Published figures are measurements, so they must not be compared with \
         a bound.\n\n{}{below}",
        markdown(all)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_problems_and_aim_above_what_must_be() {
        for (problem, _, limits, _) in LINES {
            assert!(problem.parse::<Problem>().is_ok(), "{problem}");
            assert!(limits.is_none_or(|(must, aim)| must < aim), "{problem}");
        }
    }

    #[test]
    fn a_bound_is_not_called_measured() {
        let goal = bounded(Goal::at_least("", BITS, 27.0, 30.0), 30.06);
        assert_eq!((goal.measured, goal.bound, &goal.verdict[..]), (None, Some(30.06), "aim reached"));
        assert_eq!(bounded(Goal::at_least("", BITS, 27.0, 30.0), 26.0).verdict, "missed");
    }

    #[test]
    fn kernels_that_were_measured_belong_to_their_line() {
        let line = |problem: &str, what: &str| {
            LINES.into_iter().find(|line| (line.0, line.1) == (problem, what)).expect("a line")
        };
        let (table, groups) = (line("aes128-ecb", TABLE), line("aes128-ecb", GROUPS));
        let (cached, sliced) = (line("aes128-ctr", CACHED), line("aes128-ctr", SLICED));
        let kernel = "processor=gpu technique=table tables=4 replicas=32 threads=512";
        assert!(is_of(&table, kernel) && is_of(&cached, kernel) && !is_of(&groups, kernel));
        let group = format!("{kernel} keys=group");
        assert!(is_of(&groups, &group) && !is_of(&table, &group));
        let variable = kernel.replace("replicas=32", "replicas=4");
        assert!(!is_of(&table, &variable), "its time depends on secrets");
        let bits = "processor=gpu technique=bitsliced tables=4 replicas=32 counter=cached";
        assert!(is_of(&sliced, bits) && !is_of(&cached, bits));
        assert!(!is_of(&table, &kernel.replace("technique=table", "technique=mixed")));
    }
}
