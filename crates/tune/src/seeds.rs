//! Known-good starting points: published and measured structures, so that short runs end well.

use aesmith_arrange::Variant;
use aesmith_cipher::{Problem, Task};

/// The tasks that a row is for, and its structures.
type Row = (fn(Task) -> bool, &'static [&'static str]);

/// Structures worth trying first, best guess first; the problem's name goes before each. From the
/// interleaving of ipsec-mb and of Gueron's and Drucker's VAES code (4 to 8 registers of AES state)
/// and from the prototypes' measurements on family 6 model 207.
const TABLE: &[Row] = &[
    (
        |task| task == Task::Ctr,
        &[
            "width=zmm keys=0x7fff interleave=1 ii=3 counter=add fold=yes cached=2",
            "width=zmm keys=0x7fff interleave=2 counter=add fold=yes cached=2",
            "width=zmm keys=0x7fff interleave=4 counter=add fold=yes cached=2",
            "width=zmm keys=0x7fff interleave=8 counter=add fold=yes cached=2",
            "width=zmm keys=0x7fff interleave=4 counter=add fold=yes cached=1",
            "width=zmm keys=0x7fff interleave=8 counter=add fold=yes cached=1",
            "width=zmm keys=0x7fff interleave=4 counter=add fold=yes",
            "width=zmm keys=0x7fff interleave=8 counter=add fold=yes",
            "width=zmm keys=0x7fff interleave=8 counter=precomputed fold=yes tail=halve",
            "width=zmm keys=0x7fff interleave=4 counter=swap",
            "width=ymm keys=0x7fff interleave=8 counter=add fold=yes cached=2",
            "width=ymm keys=0x7fff interleave=8 counter=add fold=yes",
            "width=xmm interleave=8 counter=add fold=yes cached=2",
            "width=xmm interleave=8 counter=precomputed fold=yes",
            "width=xmm interleave=8 counter=swap",
        ],
    ),
    (
        |task| matches!(task, Task::Ecb(_) | Task::CbcDecrypt),
        &[
            "width=zmm keys=0x7fff interleave=4",
            "width=zmm keys=0x7fff interleave=8",
            "width=zmm keys=0x7fff interleave=8 tail=halve",
            "width=zmm keys=0x0000 interleave=6",
            "width=ymm keys=0x7fff interleave=8",
            "width=xmm interleave=8",
        ],
    ),
    (
        |task| matches!(task, Task::CbcEncrypt { .. }),
        &[
            "width=xmm keys=0x7fff unroll=4 together=yes xor=folded",
            "width=xmm unroll=1 together=yes xor=folded",
            "width=xmm unroll=2 together=yes xor=folded",
            "width=zmm unroll=1 together=yes xor=folded",
            "width=zmm unroll=2 together=yes xor=folded",
            "width=zmm unroll=4 together=yes xor=folded",
            "width=ymm unroll=2 together=yes xor=folded",
            "width=zmm unroll=2 together=yes xor=modified",
        ],
    ),
    (
        |task| matches!(task, Task::CbcEncrypt { streams } if streams > 1),
        &[
            "width=zmm unroll=4 together=yes xor=folded gather=transpose",
            "width=zmm unroll=8 together=yes xor=folded gather=transpose",
            "width=zmm unroll=12 together=yes xor=folded gather=staggered",
            "width=zmm unroll=4 together=yes xor=modified gather=transpose",
            "width=ymm unroll=4 together=yes xor=folded gather=transpose",
        ],
    ),
    (|task| matches!(task, Task::KeySchedule(_)), &["schedule=aesenclast"]),
];

/// The starting points of a problem for registers of at most `lanes` blocks.
pub fn seeds(problem: Problem, lanes: usize) -> Vec<Variant> {
    let texts = TABLE.iter().filter(|(applies, _)| applies(problem.task)).flat_map(|(_, texts)| *texts);
    texts
        .map(|text| format!("{problem} {text}").parse::<Variant>().expect("the table holds variants"))
        .filter(|v| v.lanes() <= lanes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_variant() {
        for problem in Problem::all().into_iter().filter(Problem::is_message) {
            assert!(!seeds(problem, 1).is_empty(), "{problem}");
            assert!(seeds(problem, 4).len() >= seeds(problem, 1).len());
        }
    }
}
