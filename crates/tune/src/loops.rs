//! A report's data on a kernel's loop: its steady state in the machine model, its instructions by unit, and
//! bound, model and measurement side by side.

use crate::anatomy::{Anatomy, UNITS, unit_of};
use crate::bound::shown_bound;
use crate::explain::name as name_of;
use crate::floor::floor_per_byte;
use crate::report_data::Shown;
use crate::schedule::Schedule;
use crate::starts::baseline;
use crate::workplace::Workplace;
use aesmith_arrange::Variant;
use aesmith_cipher::Task;
use aesmith_processor::measured::Kernel;
use aesmith_processor::measured::{Kind, MachineModel};
use aesmith_report::{Cost, Distance, LoopChart, MixPart, Slot};

/// Ratio of bounds above which the bound of a chained mode is attributed to its chain, not to the loop's
/// units.
const CHAINED: f64 = 1.02;

/// The steady state of a loop, every instruction once.
pub fn loop_chart(model: &MachineModel, anatomy: &Anatomy, variant: &Variant) -> LoopChart {
    let schedule = Schedule::of(anatomy, model);
    let slots = anatomy.lines.iter().enumerate().map(|(i, line)| Slot {
        text: line.text.clone(),
        unit: unit_of(line),
        start: schedule.starts[i],
        occupies: schedule.occupies[i],
        latency: schedule.latencies[i],
        load: schedule.loads[i],
        iteration: schedule.passes[i],
    });
    LoopChart {
        variant: variant.to_string(),
        units: UNITS.iter().map(|u| (*u).to_owned()).collect(),
        pipes: schedule.pipes.to_vec(),
        instructions: slots.collect(),
        cycles_per_iteration: schedule.cycles,
        bytes_per_iteration: anatomy.bytes as u64,
        note: "Instructions enter in program order, as many a cycle as the front end delivers; each starts \
               when its operands and its unit are free."
            .into(),
    }
}

/// Instructions of the loop by unit, the largest class first.
pub fn mix(model: &MachineModel, anatomy: &Anatomy) -> Vec<MixPart> {
    let schedule = Schedule::of(anatomy, model);
    let (instructions, operations) = (anatomy.instructions(), anatomy.mix());
    let mut parts: Vec<MixPart> = (0..UNITS.len())
        .filter(|&unit| operations[unit] > 0)
        .map(|unit| MixPart {
            name: UNITS[unit].to_owned(),
            unit,
            count: instructions[unit],
            operations: operations[unit],
            occupancy: schedule.taken[unit],
        })
        .collect();
    parts.sort_by_key(|p| std::cmp::Reverse(p.count));
    parts
}

/// Bound, model and measurement of the kernel and of its baseline.
pub fn distances(place: &Workplace, shown: &Shown, cost: Option<Cost>, plain: Option<f64>) -> Vec<Distance> {
    let problem = shown.delivery.problem;
    let plain_kernel = place.target.build(&baseline(problem, shown.variant.technique, &place.target)).ok();
    let plain = plain.map(|b| Cost { median: b, low: b, high: b });
    let best = distance(place, "best", &shown.kernel, shown.size, cost);
    let plain = plain_kernel.and_then(|kernel| distance(place, "baseline", &kernel, shown.size, plain));
    [best, plain].into_iter().flatten().collect()
}

fn distance(
    place: &Workplace,
    name: &str,
    kernel: &Kernel,
    size: usize,
    measured: Option<Cost>,
) -> Option<Distance> {
    let anatomy = Anatomy::of(kernel)?;
    let units = place.model.throughput_bound(&anatomy.counts);
    let bytes = if size > 0 { anatomy.bytes.max(1) as f64 } else { 1.0 };
    let of_units = units.cycles / bytes;
    let of_rounds = floor_per_byte(&place.model, &kernel.variant, size);
    let of_block = || shown_bound(place, &kernel.variant, size).filter(|_| size > 0);
    let bound = of_rounds.or_else(of_block).unwrap_or(of_units);
    let chained = matches!(kernel.variant.problem.task, Task::CbcEncrypt { .. });
    let limit = match units.bottleneck.as_slice() {
        _ if chained && bound > CHAINED * of_units => {
            "the latency of the rounds, one after another".to_owned()
        }
        [] => "the front end".to_owned(),
        kinds => together(kinds),
    };
    let model = Some(Schedule::of(&anatomy, &place.model).cycles / bytes).filter(|c| *c > 0.0);
    Some(Distance { name: name.into(), bound, limit, model, measured })
}

/// Describes kinds: `logic and shuffle on zmm`, `aes on xmm; load`.
fn together(kinds: &[Kind]) -> String {
    let mut widths: Vec<(String, Vec<String>)> = Vec::new();
    for kind in kinds {
        let name = name_of(*kind);
        let (class, width) = name.split_once(" on ").unwrap_or((&name, ""));
        match widths.iter_mut().find(|(w, _)| w == width) {
            Some((_, classes)) => classes.push(class.to_owned()),
            None => widths.push((width.to_owned(), vec![class.to_owned()])),
        }
    }
    let on = |(width, classes): &(String, Vec<String>)| {
        let classes = match classes.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => classes.concat(),
        };
        if width.is_empty() { classes } else { format!("{classes} on {width}") }
    };
    widths.iter().map(on).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::measured::{TimingClass, Vectors};

    #[test]
    fn what_limits_is_said_once_for_each_width() {
        let zmm = |class| Kind { class, vectors: Vectors::Bits512 };
        let three = [TimingClass::Shuffle, TimingClass::VectorAdd, TimingClass::Logic].map(zmm);
        assert_eq!(together(&three), "shuffle, vector-add and logic on zmm");
        assert_eq!(together(&three[..1]), "shuffle on zmm");
        let load = Kind { class: TimingClass::Load, vectors: Vectors::Scalar };
        assert_eq!(together(&[three[0], load]), "shuffle on zmm; load");
    }
}
