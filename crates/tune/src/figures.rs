//! What the paper's three figures need, measured again: exhaustive searches of two small parts of
//! the space, the table's problems, and each strategy at the same budget.

use crate::error::TuneError;
use crate::options::{DEFAULT_SIZE, Event};
use crate::quick::{Part, explore, explore_space};
use crate::workplace::Workplace;
use aesmith_arrange::{Dim, Space, Technique, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_report::{Axis, Cell, Figure3Row, Surface};
use aesmith_search::Budget;
use aesmith_wisdom::{Best, Filter, Sampled};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What wisdom notes as options of runs that compare strategies.
pub const COMPARED: &str = "strategies compared";
/// Strategies compared, and trials of each: as many as the paper's annealing took.
const STRATEGIES: [&str; 3] = ["random", "annealing", "memetic"];
const TRIALS: u64 = 1500;

/// The first k round keys in registers, k from 0 to 15.
const KEYS: [u16; 16] = {
    let mut masks = [0; 16];
    let mut k = 1;
    while k < 16 {
        masks[k] = (1 << k) - 1;
        k += 1;
    }
    masks
};
/// Initiation intervals and interleave distances.
const STEPS: [u16; 18] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17];

/// Dimensions and what they may be.
type Only<'a> = &'a [(Dim, &'a [u16])];

/// What varies in Figure 1, which is on xmm as in the paper.
const FIGURE_1: Only = &[
    (Dim::Width, &[0]),
    (Dim::Keys, &KEYS),
    (Dim::Interval, &STEPS),
    (Dim::Interleave, &[1, 2, 4]),
    (Dim::Distance, &[0]),
    (Dim::Cached, &[0]),
    (Dim::Fold, &[1]),
];
/// What varies in Figure 2: four streams of CBC on xmm, interleaved.
const FIGURE_2: Only = &[
    (Dim::Width, &[0]),
    (Dim::Keys, &KEYS),
    (Dim::Distance, &STEPS),
    (Dim::Unroll, &[1, 2]),
    (Dim::Streams, &[1]),
    (Dim::Xor, &[2]),
];

/// The space of a figure: what is not named is at its default.
fn figure_space(problem: Problem, only: Only) -> Space {
    let mut space = Space::new(problem, 1);
    for axis in &mut space.axes {
        let named = only.iter().find(|(dim, _)| *dim == axis.dimension.place);
        axis.values = named.map_or(vec![axis.dimension.default], |(_, values)| values.to_vec());
    }
    space
}

/// Measures what the paper's three figures need and wisdom does not have, for `time` at most.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn paper_figures(
    place: &mut Workplace,
    problem: Problem,
    time: Duration,
    interrupted: &Arc<AtomicBool>,
    observer: &mut dyn FnMut(Event),
) -> Result<(), TuneError> {
    if place.target.lanes() == 0 {
        observer(Event::Note("the paper's figures are about AES instructions, which are not used here"));
        return Ok(());
    }
    let deadline = Instant::now() + time;
    let left = |part: f64| deadline.saturating_duration_since(Instant::now()).mul_f64(part);
    let over = || interrupted.load(Ordering::Relaxed) || Instant::now() >= deadline;
    let budget = |time| Budget { time: Some(time), interrupted: interrupted.clone(), ..Budget::default() };
    for (number, figure_problem, only) in [(1, figure_1(problem), FIGURE_1), (2, figure_2(problem), FIGURE_2)]
    {
        let surface = surface(place, figure_problem, only, number)?;
        if surface.is_some_and(|s| measured_whole(&s)) || over() {
            continue;
        }
        observer(Event::Detail(&format!("Figure {number} of the paper: {figure_problem}")));
        let space = figure_space(figure_problem, only);
        explore_space(place, space, DEFAULT_SIZE, ("exhaustive", "figure"), budget(left(0.3)), observer)?;
    }
    for (index, way) in STRATEGIES.iter().enumerate() {
        if over() {
            break;
        }
        observer(Event::Detail(&format!("{way}, {TRIALS} trials of {problem}")));
        let budget = Budget { trials: Some(TRIALS), ..budget(left(0.5 / (STRATEGIES.len() - index) as f64)) };
        let space = Space::new(problem, place.target.lanes());
        let size = if problem.is_message() { DEFAULT_SIZE } else { 0 };
        explore_space(place, space, size, (way, COMPARED), budget, observer)?;
    }
    let rows = figure_3_parts();
    for (index, (_, part_problem, only)) in rows.iter().enumerate() {
        if over() {
            break;
        }
        let part = Part { problem: *part_problem, technique: Technique::default(), size: DEFAULT_SIZE, only };
        observer(Event::Detail(&format!("Figure 3 of the paper: {part_problem}")));
        explore(place, &part, "memetic", budget(left(1.0 / (rows.len() - index) as f64)), 1, observer)?;
    }
    Ok(())
}

/// The problem of Figure 1 in the report of `problem`: counter mode with its key.
fn figure_1(problem: Problem) -> Problem {
    Problem::new(problem.key, Task::Ctr)
}

fn figure_2(problem: Problem) -> Problem {
    Problem::new(problem.key, Task::CbcEncrypt { streams: 4 })
}

/// Figure 1 of the report of `problem`, from wisdom.
///
/// # Errors
/// Trouble with the store.
pub fn surface_1(place: &Workplace, problem: Problem) -> Result<Option<Surface>, TuneError> {
    surface(place, figure_1(problem), FIGURE_1, 1)
}

/// Figure 2 of the report of `problem`, from wisdom.
///
/// # Errors
/// Trouble with the store.
pub fn surface_2(place: &Workplace, problem: Problem) -> Result<Option<Surface>, TuneError> {
    surface(place, figure_2(problem), FIGURE_2, 2)
}

/// A surface over keys in registers, or `None` if nothing of it was measured.
fn surface(
    place: &Workplace,
    problem: Problem,
    only: Only,
    number: u8,
) -> Result<Option<Surface>, TuneError> {
    let (x, name) = if number == 1 {
        (Dim::Interval, "initiation interval")
    } else {
        (Dim::Distance, "interleave distance")
    };
    let part = Part { problem, technique: Technique::default(), size: DEFAULT_SIZE, only };
    let cells = place.store.surface((&place.key, problem, DEFAULT_SIZE as u64), x, Dim::Keys, |text| {
        text.parse().is_ok_and(|v| part.holds(&v) && v.order.is_empty())
    })?;
    if cells.is_empty() {
        return Ok(None);
    }
    let bound = crate::floor::floor_per_byte(&place.model, &Variant::baseline(problem), DEFAULT_SIZE);
    let grid = Grid::of(&cells);
    if grid.across.min(grid.up) < 2 || grid.kernels < FEWEST {
        return Ok(None);
    }
    Ok(Some(Surface {
        title: format!("{} on xmm", title(problem)),
        ends: grid.ends(problem, name),
        x: Axis { name: name.into(), values: STEPS[..grid.across].iter().map(|s| f64::from(*s)).collect() },
        y: Axis { name: "round keys in registers".into(), values: (0..grid.up).map(|k| k as f64).collect() },
        cells: grid.cells,
        kernels: grid.kernels,
        bound,
    }))
}

/// Kernels of which a surface can be seen at all.
const FEWEST: u64 = 8;

/// Whether little is missing of what could be measured.
fn measured_whole(surface: &Surface) -> bool {
    let cells = surface.x.values.len() * surface.y.values.len();
    surface.y.values.len() > 8 && surface.cells.iter().flatten().count() * 10 >= cells * 9
}

/// The cells of a figure up to the last row and column that hold a kernel of their own: keys that do not
/// fit stay in memory, so that beyond there the kernels are the same bytes again.
struct Grid {
    across: usize,
    up: usize,
    cells: Vec<Option<Cell>>,
    kernels: u64,
    /// Whether there are measured cells to the right of the last column, and above the last row.
    copies: (bool, bool),
}

impl Grid {
    fn of(found: &[aesmith_wisdom::read::Cell]) -> Grid {
        // A kernel has one cost, in whichever cell it was measured.
        let mut costs: BTreeMap<&str, f64> = BTreeMap::new();
        for (hash, cost) in found.iter().flat_map(|c| &c.kernels) {
            let lowest = costs.entry(hash).or_insert(f64::INFINITY);
            *lowest = lowest.min(*cost);
        }
        let best = |cell: &aesmith_wisdom::read::Cell| {
            let all = cell.kernels.keys().map(|hash| (costs[hash.as_str()], hash.clone()));
            all.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)))
        };
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let (mut across, mut up) = (0, 0);
        let mut all = vec![vec![None; STEPS.len()]; KEYS.len()];
        for (y, row) in all.iter_mut().enumerate() {
            for (x, place) in row.iter_mut().enumerate() {
                let cell = found.iter().find(|c| usize::from(c.x) == x && usize::from(c.y) == y);
                let Some((cell, (cost, hash))) = cell.and_then(|c| Some((c, best(c)?))) else { continue };
                let copy = !seen.insert(hash);
                if !copy {
                    (across, up) = (across.max(x + 1), up.max(y + 1));
                }
                *place = Some(Cell { cost, variants: cell.samples, copy });
            }
        }
        let kept = all[..up].iter().flat_map(|row| row[..across].to_vec()).collect();
        let copies =
            (found.iter().any(|c| usize::from(c.x) >= across), found.iter().any(|c| usize::from(c.y) >= up));
        Grid { across, up, cells: kept, kernels: seen.len() as u64, copies }
    }

    /// Why the axes end, where they end before what was asked for.
    fn ends(&self, problem: Problem, across: &str) -> String {
        let mut sentences = Vec::new();
        if self.copies.1 {
            let (most, all) = (self.up - 1, problem.key.rounds() + 1);
            sentences.push(if most >= all {
                format!("AES-{} has {all} round keys, so the axis ends there.", problem.key.bits())
            } else {
                format!(
                    "More than {most} keys give no other kernel: no further one finds a register beside the \
                     blocks, so the axis ends there."
                )
            });
        }
        if self.copies.0 {
            sentences
                .push(format!("Beyond {across} {} the kernels are the same again.", STEPS[self.across - 1]));
        }
        sentences.join(" ")
    }
}

/// The rows of Figure 3: name, problem, and what the row is restricted to.
fn figure_3_parts() -> Vec<(&'static str, Problem, Only<'static>)> {
    const PLAIN: Only = &[(Dim::Interval, &[0])];
    const PIPELINED: Only = &[(Dim::Interval, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])];
    let mut rows = Vec::new();
    for key in [KeySize::Aes128, KeySize::Aes256] {
        rows.push(("CTR", Problem::new(key, Task::Ctr), PLAIN));
        rows.push(("CTR-SP", Problem::new(key, Task::Ctr), PIPELINED));
        for (name, streams) in [("CBC-1", 1), ("CBC-2", 2), ("CBC-3", 3), ("CBC-4", 4)] {
            rows.push((name, Problem::new(key, Task::CbcEncrypt { streams }), &[][..]));
        }
    }
    rows
}

/// The kernel that the report is about, and its costs: its row of Figure 3 says them.
pub struct Own<'a> {
    /// Its variant.
    pub variant: &'a Variant,
    /// Its cost.
    pub cost: Option<f64>,
    /// Whether the cost was confirmed.
    pub confirmed: bool,
    /// The cost of its baseline.
    pub baseline: Option<f64>,
}

/// How much lower a screened cost must be to stand before a confirmed one.
const SCREENED: f64 = 1.03;

/// Figure 3 from wisdom: the lowest confirmed cost of each row, or the lowest screened cost where that is
/// clearly lower or nothing was confirmed. The row that `own` belongs to is about that kernel.
///
/// # Errors
/// Trouble with the store.
pub fn figure_3(place: &Workplace, own: Option<&Own>) -> Result<Vec<Figure3Row>, TuneError> {
    let mut rows = Vec::new();
    for (name, problem, only) in figure_3_parts() {
        let part = Part { problem, technique: Technique::default(), size: DEFAULT_SIZE, only };
        let bound = crate::bound::problem_bound(place, problem, DEFAULT_SIZE);
        let (name, key_bits) = (name.to_owned(), problem.key.bits() as u32);
        if let Some(own) = own.filter(|o| o.variant.problem == problem && part.holds(o.variant)) {
            let Own { cost: best, baseline, confirmed, .. } = *own;
            rows.push(Figure3Row { name, key_bits, baseline, best, bound, confirmed, own: true });
            continue;
        }
        let filter = Filter::exactly(&place.key, problem, DEFAULT_SIZE as u64);
        let bests = place.store.bests(&filter)?;
        let inside = |b: &&Best| b.variant.parse().is_ok_and(|v| part.holds(&v));
        let confirmed = bests.iter().filter(inside).min_by(|a, b| a.median.total_cmp(&b.median));
        let known = place.store.known(&filter)?;
        let baseline = crate::measuring::baseline(problem, Technique::default(), &place.target).to_string();
        let cost = |s: &&Sampled| s.cost.filter(|_| s.variant.parse().is_ok_and(|v| part.holds(&v)));
        let best = known.iter().filter_map(|s| cost(&s)).min_by(f64::total_cmp);
        // A screened cost is a few samples: it counts only where it is clear of what was confirmed.
        let clear = |b: &&Best| best.is_none_or(|screened| b.median <= SCREENED * screened);
        let row = match confirmed.filter(clear) {
            Some(b) => {
                let (baseline, best) = (b.baseline, Some(b.median));
                Figure3Row { name, key_bits, baseline, best, bound, confirmed: true, own: false }
            }
            None => {
                let baseline = known.iter().find(|s| s.variant == baseline).and_then(|s| s.cost);
                Figure3Row { name, key_bits, baseline, best, bound, confirmed: false, own: false }
            }
        };
        if row.best.is_some() {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A problem in words: `AES-256-CTR`, `AES-128-CBC, 4 streams`.
pub fn title(problem: Problem) -> String {
    let name = problem.to_string();
    let mode = name.split_once('-').map_or("", |(_, mode)| mode);
    let bits = problem.key.bits();
    match problem.task {
        Task::CbcEncrypt { streams } if streams > 1 => {
            format!("AES-{bits}-CBC encryption, {streams} streams")
        }
        Task::CbcEncrypt { .. } => format!("AES-{bits}-CBC encryption"),
        Task::CbcDecrypt => format!("AES-{bits}-CBC decryption"),
        Task::KeySchedule(_) => {
            format!("AES-{bits} key schedule{}", if mode == "key-dec" { ", decryption" } else { "" })
        }
        Task::CtrTable => format!("AES-{bits} counter table"),
        Task::Ctr | Task::Ecb(_) => match mode.strip_suffix("-dec") {
            Some(mode) => format!("AES-{bits}-{} decryption", mode.to_uppercase()),
            None => format!("AES-{bits}-{}", mode.to_uppercase()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_of_the_figures_has_variants() {
        let problem = Problem::new(KeySize::Aes256, Task::Ctr);
        for (problem, only, count) in
            [(figure_1(problem), FIGURE_1, 18 * 16 * 3), (figure_2(problem), FIGURE_2, 18 * 16 * 2)]
        {
            assert_eq!(figure_space(problem, only).count(), count, "{problem}");
        }
    }

    #[test]
    fn cells_of_one_kernel_are_copies_and_the_axes_end_with_the_last_of_its_own() {
        let cell = |x, y, kernels: &[(&str, f64)]| aesmith_wisdom::read::Cell {
            x,
            y,
            kernels: kernels.iter().map(|(hash, cost)| ((*hash).to_owned(), *cost)).collect(),
            samples: 1,
        };
        // Three keys fit; beyond two steps nothing changes. A kernel was measured twice, with noise.
        let mut found = Vec::new();
        for y in 0..16u16 {
            for x in 0..18u16 {
                let hash = format!("{}-{}", x.min(2), y.min(3));
                found.push(cell(x, y, &[(&hash, 1.0 + f64::from(x + y) / 100.0), ("slow", 3.0)]));
            }
        }
        let grid = Grid::of(&found);
        assert_eq!((grid.across, grid.up, grid.cells.len(), grid.kernels), (3, 4, 12, 12));
        assert!(grid.cells.iter().flatten().all(|c| !c.copy));
        assert!(grid.ends(Problem::new(KeySize::Aes256, Task::Ctr), "distance").contains("More than 3 keys"));

        // Where the last column differs in one row, the rest of it is hatched.
        found.retain(|c| !(c.x == 9 && c.y == 1));
        found.push(cell(9, 1, &[("own", 0.5), ("2-1", 0.9)]));
        let grid = Grid::of(&found);
        assert_eq!((grid.across, grid.up, grid.kernels), (10, 4, 13));
        assert_eq!(grid.cells.iter().flatten().filter(|c| c.copy).count(), 40 - 13);
        let cost = |x: usize, y: usize| grid.cells[y * 10 + x].unwrap().cost;
        assert_eq!((cost(2, 1), cost(5, 1)), (0.9, 0.9), "a kernel has one cost");
    }

    #[test]
    fn titles_are_words() {
        for (name, words) in [
            ("aes256-ctr", "AES-256-CTR"),
            ("aes128-ecb-dec", "AES-128-ECB decryption"),
            ("aes192-cbc-x8", "AES-192-CBC encryption, 8 streams"),
            ("aes128-key-dec", "AES-128 key schedule, decryption"),
        ] {
            assert_eq!(title(name.parse().unwrap()), words);
        }
    }
}
