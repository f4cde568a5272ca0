//! The paper's Figures 1 and 2: a cost over keys in registers and another choice, with distinct kernels in
//! every cell; and the same cells through C and compilers.
//!
//! A cell holds several variants: all are screened, and the best represents the cell. It is then measured
//! interleaved with its C form through each compiler, and with one kernel common to all cells. The cell shows
//! that measurement, normalized by the cost of the common kernel beside it, because cells are measured
//! minutes apart.

use super::Work;
use super::selective::kernels;
use aesmith_arrange::Variant;
use aesmith_cipher::KeySize;
use aesmith_report::{Cell, Surface};
use aesmith_tune::TuneError;
use aesmith_tune::figures::{FIGURE_1, FIGURE_2, Figure, dimension};
use aesmith_tune::options::{DEFAULT_SIZE, Event};
use aesmith_tune::via::{Compiler, compiled};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The paper's size of key in both figures.
const KEY: KeySize = KeySize::Aes256;
const ROUNDS: usize = 16;
/// The options of these searches in wisdom.
const LABEL: &str = "reproduction, figure";

/// A figure, measured again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Again {
    /// Its number.
    pub number: u8,
    /// The problem, on xmm.
    pub problem: String,
    /// The horizontal axis.
    pub across: String,
    /// Its cells.
    pub cells: Vec<Point>,
    /// Number of all cells, including missing ones.
    pub all: usize,
    /// Relative difference below which costs may be equal: the median noise floor of the cells.
    pub noise: f64,
    /// The rule that selects a cell's variant.
    pub rule: String,
    /// The layers as the report draws them.
    #[serde(skip)]
    pub layers: Vec<Surface>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Its horizontal value.
    pub across: u16,
    /// Number of round keys in registers, or spilled.
    pub keys: usize,
    /// Cost of the machine code emitted directly, in cycles per byte.
    pub direct: f64,
    /// Cost of its C form through gcc -O3.
    pub gcc: Option<f64>,
    /// Cost of its C form through clang -O3.
    pub clang: Option<f64>,
    /// Cost of the common kernel, measured interleaved with this one.
    pub reference: f64,
    /// A-against-A noise floor of the measurement: one kernel is measured twice.
    pub noise: f64,
    /// Number of the cell's variants that were measured.
    pub variants: u64,
    /// The best of them.
    pub variant: String,
}

/// Both figures; only cells that are not done yet are computed.
///
/// # Errors
/// The store or the judge failed.
pub fn run(work: &mut Work) -> Result<Vec<Again>, TuneError> {
    let mut again = Vec::new();
    for figure in [FIGURE_1, FIGURE_2] {
        again.extend(one(work, &figure)?);
    }
    Ok(again)
}

fn one(work: &mut Work, figure: &Figure) -> Result<Option<Again>, TuneError> {
    let space = figure.space(KEY);
    let problem = space.plain.problem;
    let name = format!("Figure {}", figure.number);
    let all = figure.steps.len() * Figure::keys(KEY).len();
    let unit = |across: u16, keys: usize| format!("cell {} {across} {keys}", figure.number);
    let places: Vec<(u16, usize)> = (0..Figure::keys(KEY).len())
        .flat_map(|keys| figure.steps.iter().map(move |across| (*across, keys)))
        .collect();
    let mut cells: Vec<Point> =
        places.iter().filter_map(|(across, keys)| work.journal.get(&unit(*across, *keys))).collect();
    if cells.len() < all && !work.over() {
        (work.observer)(Event::Stage(&format!("{name}: {problem}")));
        work.exhaust(&space, "exhaustive", LABEL)?;
        let mut best: BTreeMap<(u16, usize), (f64, Variant, u64)> = BTreeMap::new();
        for (cost, variant) in kernels(work, &space)? {
            let place = (variant.get(figure.across), variant.get("keys").count_ones() as usize);
            // Kernels are sorted by cost.
            best.entry(place).or_insert((cost, variant, 0)).2 += 1;
        }
        let missing: Vec<(u16, usize)> = places
            .into_iter()
            .filter(|place| !cells.iter().any(|cell| (cell.across, cell.keys) == *place))
            .collect();
        (work.observer)(Event::Stage(&format!("{name}: each cell beside its C form through compilers")));
        // One chunk holds as many cells as there are CPUs to compile on.
        let chunk = std::thread::available_parallelism().map_or(1, usize::from).max(2);
        for places in missing.chunks(chunk) {
            if work.over() {
                break;
            }
            let found: Vec<_> = places.iter().filter_map(|p| Some((*p, best.get(p)?))).collect();
            let forms: Vec<[Option<Vec<u8>>; 2]> = std::thread::scope(|scope| {
                let compile = |variant: &Variant| Compiler::ALL.map(|by| compiled(variant, by).ok());
                let all: Vec<_> =
                    found.iter().map(|(_, (_, variant, _))| scope.spawn(move || compile(variant))).collect();
                all.into_iter().map(|one| one.join().unwrap_or_default()).collect()
            });
            for (((across, keys), (_, variant, variants)), forms) in found.into_iter().zip(forms) {
                if let Some(cell) = cell(work, (across, keys), variant, *variants, &forms)? {
                    work.journal.put(&unit(across, keys), &cell)?;
                    cells.push(cell);
                }
                (work.observer)(Event::Step(cells.len() as u64, all as u64));
            }
        }
    }
    if cells.len() < all {
        work.leave(&format!("{} of {all} cells of {name}", all - cells.len()));
    }
    if cells.is_empty() {
        return Ok(None);
    }
    to_one_clock(&mut cells);
    let mut noises: Vec<f64> = cells.iter().map(|cell| cell.noise).filter(|n| n.is_finite()).collect();
    noises.sort_by(f64::total_cmp);
    let noise = noises.get(noises.len() / 2).copied().unwrap_or(f64::NAN);
    let also = figure.also.iter().filter(|(_, values)| values.len() > 1);
    let also: Vec<String> = also
        .map(|(name, values)| {
            let values: Vec<String> = values.iter().map(|v| dimension(name).show(*v)).collect();
            format!("{name} {}", values.join(", "))
        })
        .collect();
    let mut again = Again {
        number: figure.number,
        problem: problem.to_string(),
        across: figure.name.into(),
        cells,
        all,
        noise,
        rule: format!(
            "A cell shows the variant with the lowest screened cost among the variants with {}. It is measured again, \
             alternating with its C form through the compilers and with the kernel without optimizations, whose cost \
             normalizes cells that are measured at different times.",
            also.join(" and ")
        ),
        layers: Vec::new(),
    };
    again.layers = layers(work, figure, &again);
    Ok(Some(again))
}

fn cell(
    work: &mut Work,
    (across, keys): (u16, usize),
    variant: &Variant,
    variants: u64,
    forms: &[Option<Vec<u8>>; 2],
) -> Result<Option<Point>, TuneError> {
    let direct = work.proved(variant)?;
    let reference = work.proved(&variant.table.plain(variant.problem))?;
    let mut codes: Vec<&[u8]> = vec![&direct, &reference];
    codes.extend(forms.iter().flatten().map(Vec::as_slice));
    let (costs, noise) = work.medians(variant.problem, &codes, ROUNDS)?;
    let mut costs = costs.into_iter();
    let (Some(direct), Some(reference)) = (costs.next().flatten(), costs.next().flatten()) else {
        return Ok(None);
    };
    let mut of = |form: &Option<Vec<u8>>| form.as_ref().and_then(|_| costs.next().flatten());
    let (gcc, clang) = (of(&forms[0]), of(&forms[1]));
    let variant = variant.to_string();
    Ok(Some(Point { across, keys, direct, gcc, clang, reference, noise, variants, variant }))
}

/// Normalizes costs to an equal cost of the common kernel: the median of its costs.
fn to_one_clock(cells: &mut [Point]) {
    let mut references: Vec<f64> = cells.iter().map(|cell| cell.reference).collect();
    references.sort_by(f64::total_cmp);
    let Some(&middle) = references.get(references.len() / 2) else { return };
    for cell in cells {
        let factor = middle / cell.reference;
        cell.direct *= factor;
        cell.reference = middle;
        for cost in [&mut cell.gcc, &mut cell.clang].into_iter().flatten() {
            *cost *= factor;
        }
    }
}

/// A value of a cell.
type Layer = (&'static str, fn(&Point) -> Option<f64>);

fn layers(work: &Work, figure: &Figure, again: &Again) -> Vec<Surface> {
    let all: [Layer; 3] = [
        ("machine code written directly", |cell| Some(cell.direct)),
        ("through C and gcc -O3", |cell| cell.gcc),
        ("through C and clang -O3", |cell| cell.clang),
    ];
    let problem = figure.problem(KEY);
    let bound = aesmith_tune::floor::floor_per_byte(
        &work.place.model,
        &work.place.table().plain(problem),
        DEFAULT_SIZE,
    );
    all.into_iter()
        .filter_map(|(name, cost)| {
            let (x, y) = figure.axes(KEY);
            let mut cells = vec![None; x.values.len() * y.values.len()];
            for point in &again.cells {
                let column = figure.steps.iter().position(|step| *step == point.across)?;
                cells[point.keys * x.values.len() + column] =
                    cost(point).map(|cost| Cell { cost, variants: point.variants });
            }
            let kernels = cells.iter().flatten().count() as u64;
            (kernels > 0).then(|| Surface {
                title: format!("{} on xmm, {name}", aesmith_tune::figures::title(problem)),
                x,
                y,
                cells,
                bound,
                kernels,
                ends: figure.ends.into(),
                noise: Some(again.noise).filter(|n| n.is_finite()),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_another_clock_are_brought_to_that_of_the_middle() {
        let cell = |direct, reference| Point {
            across: 0,
            keys: 0,
            direct,
            gcc: Some(2.0 * direct),
            clang: None,
            reference,
            noise: 0.0,
            variants: 1,
            variant: String::new(),
        };
        let mut cells = [cell(1.0, 2.0), cell(0.9, 1.8), cell(1.1, 2.0)];
        to_one_clock(&mut cells);
        assert_eq!(cells.each_ref().map(|cell| cell.direct), [1.0, 1.0, 1.1]);
        assert_eq!(cells[1].gcc, Some(2.0));
        assert!(cells.iter().all(|cell| cell.reference == 2.0));
    }
}
