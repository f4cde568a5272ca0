//! Measurements of a delivered kernel beside other libraries over message sizes. A run makes and stores them; reports show them.

use crate::bench::{Bench, BenchOptions, OURS, bench};
use crate::deliver::dispatch::tune_command;
use crate::error::TuneError;
use crate::machine::now;
use crate::options::{DEFAULT_SIZE, Event, Room, SIZES};
use crate::workplace::{TOOL_VERSION, Workplace};
use aesmith_cipher::Problem;
use aesmith_wisdom::finding_of;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The number of rounds.
const ROUNDS: usize = 24;
/// The number of kernels and libraries, most of them with two quantities.
const SUBJECTS: usize = 6;
/// The minimum number of rounds; below it message sizes are left out.
const FEWEST: usize = 4;

/// The message sizes besides the report's own that fit into the time, and the number of rounds.
fn extent(size: usize, room: Option<Room>) -> (Vec<usize>, usize) {
    let Some(room) = room else { return (SIZES.to_vec(), ROUNDS) };
    for longest in [usize::MAX, 32 << 10, 1 << 10] {
        let sizes: Vec<usize> = SIZES.into_iter().filter(|&other| other <= longest).collect();
        let all: Vec<usize> = sizes.iter().copied().chain([size]).collect();
        let rounds = room.rounds(&all, SUBJECTS, ROUNDS);
        if rounds >= FEWEST {
            return (sizes, rounds);
        }
    }
    (Vec::new(), room.rounds(&[size], SUBJECTS, ROUNDS).max(2))
}

/// The name of a kernel's measurements in wisdom.
fn name(place: &Workplace, problem: Problem, size: usize, kernel: &str) -> String {
    let size = if problem.is_message() { size } else { 0 };
    finding_of(problem, size as u64, &format!("{} {kernel}", place.calls().name()))
}

/// Measures the kernel that is delivered for messages of `size` bytes beside other libraries, at that size and, as far as the
/// room of a run allows, at others. The measurements are stored.
///
/// # Errors
/// The store or the judge failed.
pub fn measure(
    place: &mut Workplace,
    problem: Problem,
    (size, room, interrupted): (usize, Option<Room>, &Arc<AtomicBool>),
    observer: &mut dyn FnMut(Event),
) -> Result<Bench, TuneError> {
    observer(Event::Detail("measuring the best known beside other libraries"));
    let (mut sizes, rounds) = extent(size, room);
    if let Err(place) = sizes.binary_search(&size) {
        sizes.insert(place, size);
    }
    let (cold, interrupted) = (place.calls().is_cold(), interrupted.clone());
    let wanted = BenchOptions { problems: vec![problem], sizes, best_at: size, rounds, cold, interrupted };
    let measured = Bench { made: now(), ..bench(place, &wanted, observer)? };
    // An interrupted measurement has no row, and the earlier one stays.
    let own = measured.rows.iter().find(|row| row.subject == OURS);
    if let (Some(own), Ok(json)) = (own, serde_json::to_value(&measured)) {
        let name = name(place, problem, size, &own.kernel);
        place.store.put_finding(&place.key, &name, TOOL_VERSION, &json)?;
    }
    Ok(measured)
}

/// The command that finds a kernel for messages of `size` bytes and measures it beside other libraries.
pub fn command(place: &Workplace, problem: Problem, size: usize) -> String {
    let of_size =
        if problem.is_message() && size != DEFAULT_SIZE { format!(" --size {size}") } else { String::new() };
    tune_command(Some(&place.store), problem, &place.target) + &of_size
}

/// The stored measurements of the kernel that is delivered for messages of `size` bytes; `None` if it was not measured.
///
/// # Errors
/// The store failed, or there is no kernel.
pub fn measured(place: &mut Workplace, problem: Problem, size: usize) -> Result<Option<Bench>, TuneError> {
    let kernel = place.best_known(problem, size)?.name;
    let json = place.store.finding(&place.key, &name(place, problem, size, &kernel))?;
    Ok(json.and_then(|json| serde_json::from_value(json).ok()))
}
