//! Known-good starting points: published and measured structures, so that short runs end with good results.

use aesmith_arrange::Technique;
use aesmith_cipher::{Direction, Problem, Task};

/// A technique, a test of tasks, and the structures for them.
type Row = (Technique, fn(Task) -> bool, &'static [&'static str]);

/// The counter table has no choice but the width: wider registers need fewer instructions.
const WIDEST_FIRST: &[&str] = &["width=zmm", "width=ymm", "width=xmm"];

/// Structures to try first, best guess first; the problem's name is prepended to each. From the interleaving
/// of ipsec-mb and of Gueron and Drucker's VAES code (4 to 8 registers of AES state) and from the prototypes'
/// measurements on family 6 model 207.
const TABLE: &[Row] = &[
    (
        Technique::Aes,
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
        Technique::Aes,
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
    // Four blocks of a stream at once use whole cache lines. One by one, 16 inputs and 16 outputs that begin
    // at pages evict each other's lines from a first-level cache with ways of a page: 0.69 cycles/byte at 4
    // KiB, against 0.20 this way (family 6 model 207).
    (
        Technique::Aes,
        |task| matches!(task, Task::CbcEncrypt { streams: 16 }),
        &[
            "width=zmm keys=0x07c0 unroll=4 together=yes distance=4 prefetch=register restrict=yes xor=modified gather=transpose",
            "width=zmm unroll=4 together=yes xor=folded gather=transpose",
        ],
    ),
    (
        Technique::Aes,
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
        Technique::Aes,
        |task| matches!(task, Task::CbcEncrypt { streams } if streams > 1),
        &[
            "width=zmm unroll=4 together=yes xor=folded gather=transpose",
            "width=zmm unroll=8 together=yes xor=folded gather=transpose",
            "width=zmm unroll=12 together=yes xor=folded gather=staggered",
            "width=zmm unroll=4 together=yes xor=modified gather=transpose",
            "width=ymm unroll=4 together=yes xor=folded gather=transpose",
        ],
    ),
    (Technique::Aes, |task| matches!(task, Task::KeySchedule(_)), &["schedule=aesenclast"]),
    (Technique::Aes, |task| task == Task::CtrTable, WIDEST_FIRST),
    (Technique::Gfni, |task| task == Task::CtrTable, WIDEST_FIRST),
    (Technique::Vperm, |task| task == Task::CtrTable, WIDEST_FIRST),
    (Technique::Bitsliced, |task| task == Task::CtrTable, WIDEST_FIRST),
    (Technique::Gfni, |task| task == Task::Ctr, &["layout=sliced width=zmm cached=2"]),
    (
        Technique::Gfni,
        independent,
        &[
            "layout=sliced width=zmm multiples=first",
            "layout=sliced width=zmm multiples=second",
            "layout=sliced width=ymm",
            "width=zmm interleave=4",
            "width=zmm interleave=2 multiples=second",
            "width=ymm interleave=4",
            "width=xmm interleave=4",
        ],
    ),
    (
        Technique::Bitsliced,
        independent,
        &[
            "layout=sliced width=zmm circuit=1 spread=4",
            "layout=sliced width=zmm circuit=1 spread=2",
            "layout=sliced width=zmm circuit=1",
            "layout=sliced width=zmm circuit=1 shiftrows=fixsliced",
            "layout=sliced width=ymm shiftrows=fixsliced spread=2",
            "layout=sliced width=ymm circuit=1 spread=4",
            "layout=sliced width=ymm circuit=1",
            "layout=sliced width=ymm",
            "layout=sliced width=ymm shiftrows=fixsliced",
            "layout=sliced width=xmm shiftrows=fixsliced",
            "layout=sliced width=xmm spread=2",
            "layout=sliced width=xmm",
        ],
    ),
    (
        Technique::Vperm,
        independent,
        &[
            "layout=sliced width=zmm",
            "layout=sliced width=ymm",
            "layout=sliced width=xmm",
            "width=zmm interleave=4",
            "width=zmm interleave=2",
            "width=ymm interleave=4",
            "width=ymm interleave=2",
            "width=xmm interleave=4",
            "width=xmm interleave=2",
        ],
    ),
    (Technique::Vbmi, independent, &["interleave=4", "interleave=2", "interleave=1"]),
    (
        Technique::Table,
        |task| task == Task::Ctr,
        &[
            "tables=4x1k last=masked extract=registers loadxor=combined index=scaled cached=2",
            "tables=4x1k last=masked extract=registers loadxor=combined index=scaled cached=2 interleave=2 roundkeys=vectors",
            "tables=4x1k last=masked extract=registers loadxor=combined index=scaled cached=2 interleave=2",
            "tables=4x1k last=sbox extract=registers loadxor=combined index=scaled cached=2",
            "tables=2k last=bytes extract=registers loadxor=combined index=scaled cached=2",
        ],
    ),
    (
        Technique::Table,
        message,
        &[
            "tables=4x1k last=masked extract=registers loadxor=combined index=scaled",
            "tables=4x1k last=sbox extract=registers loadxor=combined index=scaled",
        ],
    ),
    (
        Technique::Table,
        |task| matches!(task, Task::Ecb(Direction::Encrypt) | Task::CbcEncrypt { .. }),
        &["tables=2k last=bytes extract=registers loadxor=combined index=scaled"],
    ),
    (Technique::Bytewise, message, &["subbytes=unrolled mixcolumns=table inline=yes words=yes"]),
];

/// Structures of a problem with a technique, best guess first, each as the values of a variant; for tasks without a row
/// none.
pub(crate) fn starts(problem: Problem, technique: Technique) -> Vec<&'static str> {
    let rows = TABLE.iter().filter(|(t, applies, _)| *t == technique && applies(problem.task));
    rows.flat_map(|(_, _, texts)| *texts).copied().collect()
}

/// Message size in bytes from which bit slices are faster than vector permutes: some groups of the widest
/// registers.
const SLICED: usize = 1024;

/// Moves bit slices ahead of vector permutes where their starting point is faster. For independent blocks bit
/// slices take 7.5 cycles/byte at SSSE3, and vector permutes 10.7 (family 6 model 207); for chained blocks
/// and short messages permutes are faster.
pub(crate) fn by_known_speed(
    problem: Problem,
    size: usize,
    mut techniques: Vec<Technique>,
) -> Vec<Technique> {
    let place = |wanted: Technique| techniques.iter().position(|t| *t == wanted);
    if let (Some(permutes), Some(slices)) = (place(Technique::Vperm), place(Technique::Bitsliced))
        && permutes < slices
        && independent(problem.task)
        && size >= SLICED
    {
        techniques.remove(slices);
        techniques.insert(permutes, Technique::Bitsliced);
    }
    techniques
}

/// True for tasks on messages.
fn message(task: Task) -> bool {
    !matches!(task, Task::KeySchedule(_) | Task::CtrTable)
}

/// True for tasks with independent blocks.
fn independent(task: Task) -> bool {
    matches!(task, Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_stand_before_permutes_where_they_are_faster() {
        let order = |problem: &str, size| {
            let all = vec![Technique::Vperm, Technique::Bitsliced, Technique::Table];
            by_known_speed(problem.parse().unwrap(), size, all)[0]
        };
        assert_eq!(order("aes128-ctr", 32768), Technique::Bitsliced);
        assert_eq!(order("aes128-ecb-dec", 4096), Technique::Bitsliced);
        assert_eq!(order("aes128-ctr", 64), Technique::Vperm);
        assert_eq!(order("aes128-cbc", 32768), Technique::Vperm);
        assert_eq!(order("aes128-key", 0), Technique::Vperm);
    }
}
