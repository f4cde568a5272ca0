//! Measurements for the paper's three figures: exhaustive searches of two small parts of the space, the
//! table's problems, and each strategy with the same budget.

use crate::decide::quick::{Part, explore, explore_space};
use crate::error::TuneError;
use crate::options::{DEFAULT_SIZE, Event};
use crate::workplace::Workplace;
use aesmith_arrange::{Dimension, Space, Table, Technique, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_processors::this_machine;
use aesmith_report::{Axis, Cell, Figure3Row, Surface};
use aesmith_search::Budget;
use aesmith_wisdom::{Best, Filter, Sampled};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The options in wisdom of runs that compare strategies.
pub(crate) const COMPARED: &str = "strategies compared";
/// Strategies to compare, and trials of each: as many as the paper's annealing took.
const STRATEGIES: [&str; 3] = ["random", "annealing", "memetic"];
const TRIALS: u64 = 1500;

/// The dimensions of the kernels that the paper's figures are about.
pub fn table() -> &'static Table {
    this_machine().table
}

/// The dimension of the figures with a name.
pub fn dimension(name: &str) -> &'static Dimension {
    table().dimensions.iter().find(|dimension| dimension.name == name).expect("a dimension of the figures")
}

/// Names of dimensions, and their allowed values.
type Only<'a> = &'a [(&'a str, &'a [u16])];

/// One of the paper's two surfaces: a cost over the number of round keys in registers and another dimension,
/// on xmm as in the paper. Round keys without a register are spilled, as a compiler does, so that every cell
/// has its own kernels.
pub struct Figure {
    /// Its number in the paper.
    pub number: u8,
    /// The task, shown with AES-256; other key sizes have fewer rows.
    pub task: Task,
    /// The dimension on the horizontal axis.
    pub across: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its values: all that yield distinct kernels.
    pub steps: &'static [u16],
    /// Other dimensions that vary, where a cell holds the best, or that are not at their default.
    pub also: Only<'static>,
    /// The reason for the ends of the axes.
    pub ends: &'static str,
}

/// Round keys in registers against the initiation interval, in counter mode.
pub const FIGURE_1: Figure = Figure {
    number: 1,
    task: Task::Ctr,
    across: "ii",
    name: "initiation interval",
    steps: &[0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    also: &[("interleave", &[1, 2, 4]), ("fold", &[1])],
    ends: "An interval of 0 is no software pipelining; one of 1 needs more registers than there are, and from 17 on a \
           block is over before the next begins, which is none again.",
};
/// Round keys in registers against the distance of interleaved blocks, for four streams of CBC.
pub const FIGURE_2: Figure = Figure {
    number: 2,
    task: Task::CbcEncrypt { streams: 4 },
    across: "distance",
    name: "interleave distance",
    steps: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    also: &[("unroll", &[1, 2]), ("together", &[1]), ("xor", &[2])],
    ends: "From a distance of 14 on a stream's block is over before the next stream's begins.",
};

impl Figure {
    /// The problem with a size of key.
    pub fn problem(&self, key: KeySize) -> Problem {
        Problem::new(key, self.task)
    }

    /// Masks of the first `n` round keys, for `n` from none to all.
    pub fn keys(key: KeySize) -> Vec<u16> {
        (0..=key.rounds() as u32 + 1).map(|count| ((1u32 << count) - 1) as u16).collect()
    }

    /// Its space with a size of key: dimensions that are not named keep their default.
    pub fn space(&self, key: KeySize) -> Space {
        let mut space = table().space_by(self.problem(key), Technique::default(), 1);
        for axis in &mut space.axes {
            let also = self.also.iter().find(|(dim, _)| *dim == axis.dimension.name);
            axis.values = match axis.dimension.name {
                "keys" => Figure::keys(key),
                "overflow" => vec![SPILLED],
                name if name == self.across => self.steps.to_vec(),
                _ => also.map_or(vec![axis.dimension.default], |(_, values)| values.to_vec()),
            };
        }
        space
    }

    /// The two axes: names and values.
    pub fn axes(&self, key: KeySize) -> (Axis, Axis) {
        let keys = 0..Figure::keys(key).len();
        (
            Axis { name: self.name.into(), values: self.steps.iter().map(|s| f64::from(*s)).collect() },
            Axis { name: "round keys in registers".into(), values: keys.map(|k| k as f64).collect() },
        )
    }
}

/// The value of the dimension `overflow` that spills.
pub const SPILLED: u16 = 1;

/// Measures the data of the paper's three figures that wisdom lacks, for `time` at most.
///
/// # Errors
/// The store or the judge failed.
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
    for figure in [FIGURE_1, FIGURE_2] {
        let surface = surface(place, problem, &figure)?;
        if surface.is_some_and(|s| measured_whole(&s)) || over() {
            continue;
        }
        let space = figure.space(problem.key);
        observer(Event::Detail(&format!("Figure {} of the paper: {}", figure.number, space.plain.problem)));
        explore_space(place, space, DEFAULT_SIZE, ("exhaustive", "figure"), budget(left(0.3)), observer)?;
    }
    for (index, way) in STRATEGIES.iter().enumerate() {
        if over() {
            break;
        }
        observer(Event::Detail(&format!("{way}, {TRIALS} trials of {problem}")));
        let budget = Budget { trials: Some(TRIALS), ..budget(left(0.5 / (STRATEGIES.len() - index) as f64)) };
        let space = place.table().space_by(problem, Technique::default(), place.target.lanes());
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

/// A figure for the report of `problem`, from wisdom: `None` if few of its cells were measured.
///
/// # Errors
/// The store failed.
pub fn surface(place: &Workplace, problem: Problem, figure: &Figure) -> Result<Option<Surface>, TuneError> {
    let (space, problem) = (figure.space(problem.key), figure.problem(problem.key));
    let found = place.store.surface(
        (&place.key, problem, DEFAULT_SIZE as u64),
        dimension(figure.across),
        dimension("keys"),
        |text| place.table().parse(text).is_ok_and(|v| v.order.is_empty() && space.allows(&v)),
    )?;
    if found.len() < FEWEST {
        return Ok(None);
    }
    let (x, y) = figure.axes(problem.key);
    let mut cells = vec![None; x.values.len() * y.values.len()];
    for cell in &found {
        let lowest = cell.kernels.values().copied().min_by(f64::total_cmp);
        let across = figure.steps.iter().position(|step| *step == cell.x);
        if let (Some(cost), Some(across)) = (lowest, across) {
            cells[usize::from(cell.y) * x.values.len() + across] =
                Some(Cell { cost, variants: cell.samples });
        }
    }
    let kernels: BTreeSet<&String> = found.iter().flat_map(|cell| cell.kernels.keys()).collect();
    Ok(Some(Surface {
        title: format!("{} on {}", title(problem), this_machine().requirements.width(1)),
        ends: figure.ends.into(),
        x,
        y,
        cells,
        kernels: kernels.len() as u64,
        bound: crate::floor::floor_per_byte(&place.model, &place.table().plain(problem), DEFAULT_SIZE),
        noise: None,
    }))
}

/// Least number of cells that make a surface visible.
const FEWEST: usize = 8;

/// True if at least nine tenths of the cells are measured.
fn measured_whole(surface: &Surface) -> bool {
    surface.cells.iter().flatten().count() * 10 >= surface.cells.len() * 9
}

/// The rows of Figure 3: name, problem, and restriction.
fn figure_3_parts() -> Vec<(&'static str, Problem, Only<'static>)> {
    const PLAIN: Only = &[("ii", &[0])];
    const PIPELINED: Only = &[("ii", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])];
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

/// The report's own kernel and its costs, which its row of Figure 3 shows.
pub struct Own<'a> {
    /// Its variant.
    pub variant: &'a Variant,
    /// Its cost.
    pub cost: Option<f64>,
    /// True if the cost was confirmed.
    pub confirmed: bool,
    /// The cost of its baseline.
    pub baseline: Option<f64>,
}

/// Factor by which a screened cost must be lower to precede a confirmed one.
const SCREENED: f64 = 1.03;

/// Figure 3 from wisdom: the lowest confirmed cost of each row, or the lowest screened cost if that is
/// clearly lower or none was confirmed. The row of `own` shows that kernel.
///
/// # Errors
/// The store failed.
pub(crate) fn figure_3(place: &Workplace, own: Option<&Own>) -> Result<Vec<Figure3Row>, TuneError> {
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
        let inside = |b: &&Best| place.table().parse(&b.variant).is_ok_and(|v| part.holds(&v));
        let confirmed = bests.iter().filter(inside).min_by(|a, b| a.median.total_cmp(&b.median));
        let known = place.store.known(&filter)?;
        let baseline = crate::starts::baseline(problem, Technique::default(), &place.target).to_string();
        let cost =
            |s: &&Sampled| s.cost.filter(|_| place.table().parse(&s.variant).is_ok_and(|v| part.holds(&v)));
        let best = known.iter().filter_map(|s| cost(&s)).min_by(f64::total_cmp);
        // A screened cost is a few samples: it counts only if it is clearly below the confirmed one.
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
        Task::GcmTable => format!("AES-{bits} powers of a hash key"),
        Task::Ctr | Task::Ecb(_) | Task::Gcm(_) | Task::Xts(_) => match mode.strip_suffix("-dec") {
            Some(mode) => format!("AES-{bits}-{} decryption", mode.to_uppercase()),
            None => format!("AES-{bits}-{}", mode.to_uppercase()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;

    #[test]
    fn no_cell_of_the_figures_holds_a_kernel_of_another() {
        for (figure, count) in [(FIGURE_1, 16 * 16 * 3), (FIGURE_2, 14 * 16 * 2)] {
            let space = figure.space(KeySize::Aes256);
            assert_eq!(space.count(), count);
            let mut cells: BTreeMap<Vec<u8>, (u16, u32)> = BTreeMap::new();
            let mut filled = BTreeSet::new();
            space.each(|variant| {
                let cell = (variant.get(figure.across), variant.get("keys").count_ones());
                if let Ok(kernel) = aesmith_x86::targets::AESNI.build(&variant) {
                    filled.insert(cell);
                    let first = *cells.entry(kernel.bytes).or_insert(cell);
                    assert_eq!(first, cell, "Figure {}", figure.number);
                }
                ControlFlow::Continue(())
            });
            assert_eq!(filled.len(), 16 * figure.steps.len(), "a cell of Figure {} is empty", figure.number);
        }
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
