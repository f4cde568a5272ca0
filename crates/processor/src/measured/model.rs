//! The machine model: the measured costs of each kind of instruction on one CPU, and the lower bounds that follow. It
//! assumes nothing about a CPU; an empty model bounds nothing.

use super::{Line, TimingClass, Vectors};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The model's unit of distinction: a timing class at a vector width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Kind {
    /// Units and operation.
    pub class: TimingClass,
    /// Width.
    pub vectors: Vectors,
}

/// Measured figures of one kind alone, in core cycles: the minimum of several measurements, from which bounds follow,
/// and the maximum.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// The kind.
    #[serde(flatten)]
    pub kind: Kind,
    /// Cycles from operands ready to result ready, in a dependent chain. `None` if there is no chain (stores,
    /// branches).
    pub latency: Option<f64>,
    /// Cycles an instruction if many are independent.
    pub reciprocal_throughput: f64,
    /// The maximum latency over undisturbed measurements; `None` if there was only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_high: Option<f64>,
    /// The maximum reciprocal throughput over undisturbed measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_high: Option<f64>,
    /// True if every measurement of it was disturbed: it counts only if no better one is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubted: bool,
}

impl Timing {
    /// A timing with a single measurement.
    pub fn new(kind: Kind, latency: Option<f64>, reciprocal_throughput: f64) -> Timing {
        Timing {
            kind,
            latency,
            reciprocal_throughput,
            latency_high: None,
            throughput_high: None,
            doubted: false,
        }
    }
}

/// Kinds that compete for the same units: any mix of them takes at least the sum of the cycles that its instructions
/// occupy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnitGroup {
    /// Members, and the cycles for which one instruction of each occupies the whole group.
    pub members: Vec<(Kind, f64)>,
}

/// The costs of one CPU.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct MachineModel {
    /// Each kind alone.
    pub timings: Vec<Timing>,
    /// Kinds measured together.
    pub groups: Vec<UnitGroup>,
    /// Instructions that the front end delivers in a cycle, if measured.
    pub issue_width: Option<f64>,
}

/// Instruction counts of a piece of code by kind.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Counts {
    /// Computing parts, loads and stores are counted separately.
    pub kinds: BTreeMap<Kind, f64>,
    /// Instructions.
    pub instructions: f64,
    /// Number of conditional branches among them.
    pub branches: f64,
}

impl Counts {
    /// Counts one instruction.
    pub fn add(&mut self, line: &Line) {
        self.add_times(line, 1.0);
    }

    /// Counts one instruction `times` times.
    pub fn add_times(&mut self, line: &Line, times: f64) {
        for kind in &line.parts {
            *self.kinds.entry(*kind).or_default() += times;
        }
        self.instructions += times;
        if line.branches_conditionally() {
            self.branches += times;
        }
    }

    /// Minimum number of front-end slots: a processor may fuse a conditional branch with the instruction before it.
    pub fn slots(&self) -> f64 {
        self.instructions - self.branches
    }
}

/// A lower bound on cycles.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    /// Cycles.
    pub cycles: f64,
    /// The kinds that compete for the bottleneck; empty if it is the issue width.
    pub bottleneck: Vec<Kind>,
}

impl MachineModel {
    /// The measured costs of a kind.
    pub fn timing(&self, kind: Kind) -> Option<&Timing> {
        self.timings.iter().find(|t| t.kind == kind)
    }

    /// Learns from a mix of one `a` with `count` of `b` that takes `cycles`; both were measured alone before. If `b`
    /// alone would take less time, `a` occupies the rest of the units of `b`: if `a` can use one of two ports of `b`,
    /// then `a` + 2 `b` take 1.5 cycles, so `a` occupies 0.5 cycles of both. `count` must be so large that `b`'s units
    /// are the bottleneck; a mix that `a` alone explains gives no information and is ignored.
    pub fn learn_mix(&mut self, a: Kind, b: Kind, count: f64, cycles: f64) {
        let (Some(ta), Some(tb)) = (self.timing(a), self.timing(b)) else { return };
        let each = tb.reciprocal_throughput;
        let rest = (cycles - count * each).min(ta.reciprocal_throughput);
        // A hundredth is within the noise of a throughput measurement.
        if cycles > 1.01 * ta.reciprocal_throughput && rest > 0.01 * cycles {
            self.groups.push(UnitGroup { members: vec![(a, rest), (b, each)] });
        }
    }

    /// Merges groups with the same last member: the cycles for which each first member occupies that kind's units,
    /// whatever other units it could use, are lost for all others, so a mix of them all takes at least the sum.
    /// `learn_mix` puts the units' own kind last.
    pub fn merge_groups(&mut self) {
        let mut merged: Vec<UnitGroup> = Vec::new();
        for group in self.groups.drain(..) {
            match merged.iter_mut().find(|m| m.members.last() == group.members.last()) {
                Some(same) => {
                    let new: Vec<_> =
                        group.members.into_iter().filter(|member| !same.members.contains(member)).collect();
                    same.members.splice(0..0, new);
                }
                None => merged.push(group),
            }
        }
        self.groups = merged;
    }

    /// The maximum over each kind alone, each group, and the front end. Kinds that were never measured count as zero,
    /// so it stays a lower bound.
    pub fn throughput_bound(&self, counts: &Counts) -> Bound {
        let count = |kind: &Kind| counts.kinds.get(kind).copied().unwrap_or(0.0);
        let alone = self
            .timings
            .iter()
            .map(|t| Bound { cycles: count(&t.kind) * t.reciprocal_throughput, bottleneck: vec![t.kind] });
        let together = self.groups.iter().map(|g| Bound {
            cycles: g.members.iter().map(|(kind, cycles)| count(kind) * cycles).sum(),
            bottleneck: g.members.iter().map(|(kind, _)| *kind).filter(|kind| count(kind) > 0.0).collect(),
        });
        let front_end =
            self.issue_width.map(|width| Bound { cycles: counts.slots() / width, bottleneck: vec![] });
        let none = Bound { cycles: 0.0, bottleneck: vec![] };
        alone
            .chain(together)
            .chain(front_end)
            .fold(none, |best, bound| if bound.cycles > best.cycles { bound } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AES: Kind = Kind { class: TimingClass::Aes, vectors: Vectors::Bits512 };
    const ADD: Kind = Kind { class: TimingClass::VectorAdd, vectors: Vectors::Bits512 };

    /// The mixes of zmm aesenc and vpaddq on a Sapphire Rapids core: one of the two adding ports also does AES, so 1 +
    /// 1 take 1.0 cycles and 1 + 2 take 1.5.
    fn model() -> MachineModel {
        let timing = Timing::new;
        let mut model = MachineModel {
            timings: vec![timing(AES, Some(3.0), 1.0), timing(ADD, Some(1.0), 0.5)],
            groups: vec![],
            issue_width: Some(6.0),
        };
        model.learn_mix(AES, ADD, 1.0, 1.0);
        assert!(model.groups.is_empty(), "one add hides behind one aesenc");
        model.learn_mix(AES, ADD, 2.0, 1.5);
        model
    }

    fn bound(model: &MachineModel, aes: f64, add: f64) -> Bound {
        let kinds = [(AES, aes), (ADD, add)].into_iter().collect();
        model.throughput_bound(&Counts { kinds, instructions: aes + add, branches: 0.0 })
    }

    #[test]
    fn units_shared_by_two_kinds_bound_their_mix() {
        let model = model();
        assert_eq!(bound(&model, 10.0, 0.0), Bound { cycles: 10.0, bottleneck: vec![AES] });
        assert_eq!(bound(&model, 10.0, 4.0).cycles, 10.0);
        assert_eq!(bound(&model, 10.0, 20.0), Bound { cycles: 15.0, bottleneck: vec![AES, ADD] });
        assert_eq!(MachineModel::default().throughput_bound(&Counts::default()).cycles, 0.0);
    }

    /// Golden Cove's ports 0 and 5 on zmm: shifts on one, shuffles on the other, additions on both.
    #[test]
    fn all_that_share_units_bound_a_mix_together() {
        let [shift, shuffle] = [TimingClass::VectorShift, TimingClass::Shuffle]
            .map(|class| Kind { class, vectors: Vectors::Bits512 });
        let mut model = model();
        for kind in [shift, shuffle] {
            model.timings.push(Timing::new(kind, Some(1.0), 1.0));
            model.learn_mix(kind, ADD, 4.0, 2.5);
        }
        model.merge_groups();
        assert_eq!(model.groups.len(), 1);
        let kinds = [(shift, 10.0), (shuffle, 10.0), (ADD, 10.0)].into_iter().collect();
        let bound = model.throughput_bound(&Counts { kinds, instructions: 30.0, branches: 0.0 });
        assert_eq!(bound, Bound { cycles: 15.0, bottleneck: vec![shuffle, shift, ADD] });
    }

    #[test]
    fn a_model_reads_back_as_stored() {
        let text = serde_json::to_string(&model()).unwrap();
        assert_eq!(serde_json::from_str::<MachineModel>(&text).unwrap(), model());
        assert!(
            text.contains(r#"{"class":"aes","vectors":"zmm","latency":3.0,"reciprocal_throughput":1.0}"#)
        );
    }
}
