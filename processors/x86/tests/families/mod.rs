//! Kernels and their code on this CPU: several variants of every family of AES instructions, a plain one of
//! every family of the other techniques, and a covering sample of each technique.

mod covering;

#[allow(unused_imports)]
pub use covering::{covering, tasks};

use crate::native::{Bytes, Code};
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::kernels::{Kernel, Target, Unfit, build};
use aesmith_x86::targets;

/// A condition on tasks, and variants for these.
type Rows = (fn(Task) -> bool, &'static [&'static str]);

/// Variants of the tasks, without the width. Each is built on every width that it fits.
const TABLE: &[Rows] = &[
    (
        |task| task == Task::Ctr,
        &[
            "",
            "keys=0x7fff interleave=4 counter=add fold=yes",
            "interleave=8 counter=precomputed tail=halve align=64",
            "keys=0x0003 interleave=3 counter=swap distance=2 loop=top",
            "keys=0x00f0 interleave=2 ii=2 counter=add",
            "interleave=2 ii=5 counter=swap fold=yes prefetch=register source=2 ahead=1",
            "keys=0x7fff interleave=4 counter=add fold=yes cached=1 wipe=yes",
            "interleave=8 counter=add fold=yes cached=2",
            "interleave=2 ii=2 counter=add cached=2 tail=halve",
            "interleave=4 counter=add streaming=yes prefetch=cache source=3 ahead=1",
            "interleave=15 distance=17 tail=halve streaming=yes",
        ],
    ),
    (
        |task| matches!(task, Task::Ecb(_)),
        &[
            "",
            "keys=0x7fff interleave=4",
            "interleave=8 tail=halve wipe=yes",
            "keys=0x00f0 interleave=3 ii=2 align=32",
            "interleave=6 distance=5 streaming=yes prefetch=register source=4 ahead=2 loop=top",
        ],
    ),
    (
        |task| task == Task::CbcDecrypt,
        &[
            "",
            "keys=0x7fff interleave=4 fold=yes",
            "interleave=8 tail=halve wipe=yes",
            "keys=0x00f0 interleave=3 ii=2 fold=yes",
            "interleave=2 ii=5 distance=3",
            "interleave=6 distance=5 streaming=yes prefetch=cache source=4 ahead=2 loop=top",
        ],
    ),
    (
        |task| matches!(task, Task::CbcEncrypt { .. }),
        &["", "keys=0x7fff unroll=4 xor=modified", "unroll=3 xor=folded loop=top wipe=yes"],
    ),
    (
        |task| matches!(task, Task::CbcEncrypt { streams } if streams <= 8),
        &["unroll=2 streaming=yes prefetch=cache source=2 ahead=1"],
    ),
    (
        |task| matches!(task, Task::CbcEncrypt { streams } if streams <= 4),
        &["unroll=4 streaming=yes prefetch=register source=2 ahead=1 xor=folded"],
    ),
    (
        |task| matches!(task, Task::CbcEncrypt { streams } if streams > 1),
        &[
            "together=yes",
            "keys=0x0003 together=yes unroll=2 xor=modified distance=3",
            "together=yes unroll=4 xor=folded gather=transpose",
            "together=yes unroll=4 xor=modified gather=staggered",
            "unroll=4 gather=buffered",
            "together=yes unroll=4 xor=modified gather=buffered distance=1 wipe=yes",
            "unroll=4 xor=folded gather=buffered prefetch=register source=2 ahead=1",
            "together=yes unroll=2 xor=folded prefetch=cache",
            "together=yes unroll=4 xor=plain gather=transpose distance=2 wipe=yes",
        ],
    ),
];

/// The targets whose code differs, and the widths that each is tried with here: only xmm (AES-NI), ymm with 16
/// registers (VAES without AVX-512), and both wide ones with 32.
const TARGETS: [(Target, &[&str]); 3] =
    [(targets::AESNI, &["xmm"]), (targets::VAES, &["ymm"]), (targets::ALL, &["ymm", "zmm"])];

/// A kernel that has been mapped and can be called.
pub struct Ready {
    /// The kernel.
    pub kernel: Kernel,
    /// Its code.
    pub code: Code,
    /// The target that it was built for.
    pub target: Target,
}

impl Ready {
    /// Builds and maps a variant.
    pub fn of(variant: &Variant, target: &Target) -> Result<Ready, Unfit> {
        let kernel = build(variant, target)?;
        Ok(Ready { code: Code::new(&kernel.bytes), kernel, target: *target })
    }

    /// Like [`Ready::of`]; `None` if the variant's choices do not fit the target.
    pub fn new(variant: &Variant, target: &Target) -> Option<Ready> {
        match Ready::of(variant, target) {
            Ok(ready) => Some(ready),
            Err(Unfit::Registers { .. } | Unfit::Shape(_)) => None,
            Err(error) => panic!("{variant}: {error}"),
        }
    }

    /// Like [`Ready::new`], from the text of a variant.
    fn read(text: &str, target: &Target) -> Option<Ready> {
        let variant = dimensions::variant(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        Ready::new(&variant, target)
    }
}

/// True if this CPU runs kernels for `target`.
fn runs(target: &Target) -> bool {
    targets::here().lanes() >= target.lanes()
}

/// Like [`runs`]; prints a note if false.
fn runs_or_note(target: &Target) -> bool {
    if !runs(target) {
        println!("skipped: kernels for {target}, as this CPU has {}", targets::here());
    }
    runs(target)
}

/// Calls `visit` with each kernel of a problem that this CPU runs.
///
/// # Panics
/// If a row of the table fits no width of any target.
pub fn each(problem: Problem, mut visit: impl FnMut(&Ready)) {
    let targets: Vec<_> = TARGETS.iter().filter(|(target, _)| runs_or_note(target)).collect();
    for (_, rows) in TABLE.iter().filter(|(applies, _)| applies(problem.task)) {
        for row in *rows {
            let mut fitting = 0;
            for (target, widths) in &targets {
                for width in *widths {
                    if let Some(ready) = Ready::read(&format!("{problem} width={width} {row}"), target) {
                        visit(&ready);
                        fitting += 1;
                    }
                }
            }
            assert!(fitting > 0 || targets.len() < TARGETS.len(), "no width fits {problem} {row}");
        }
    }
}

/// A kernel of a random variant of `problem`, from the whole space. `None` if none of many fits, for example 16
/// streams on xmm, the only width of some CPUs.
pub fn random(problem: Problem, bytes: &mut Bytes) -> Option<Ready> {
    let targets: Vec<Target> = TARGETS.iter().map(|(target, _)| *target).filter(runs).collect();
    (0..2000).find_map(|_| {
        let target = targets.get(bytes.below(targets.len().max(1)))?;
        let mut variant = dimensions::baseline(problem);
        for axis in &dimensions::space(problem, target.lanes()).axes {
            variant.set(axis.dimension.place, axis.values[bytes.below(axis.values.len())]);
        }
        // Most deep pipelines and odd groups do not fit, so they are avoided half the time.
        if bytes.below(2) == 0 {
            variant.set(Dim::Interval, 0);
        }
        if bytes.below(2) == 0 {
            variant.set(Dim::Interleave, variant.get(Dim::Interleave).next_power_of_two().min(8));
        }
        variant.set(Dim::Wipe, bytes.below(2) as u16);
        Ready::new(&variant.clamped(), target)
    })
}

/// Calls `visit` with a kernel for each task that a technique supports, in each layout, at each CPU level and
/// width for which its code differs and which this CPU has; the key size alternates.
///
/// # Panics
/// If a family has no kernel.
pub fn each_family(technique: Technique, mut visit: impl FnMut(&Ready)) {
    let mut turn = 0;
    for (target, width) in covering::places_here(technique) {
        // A register of several streams' blocks holds one block per stream.
        let served = |task: &Task| match task {
            Task::CbcEncrypt { streams } => streams.is_multiple_of(1 << width),
            _ => true,
        };
        for task in tasks().filter(served) {
            let axes = dimensions::TABLE.space_by(Problem::new(KeySize::Aes128, task), technique, 4).axes;
            let layouts = 1 + u16::from(axes.iter().any(|axis| axis.dimension.place == Dim::Layout));
            for layout in 0..layouts {
                turn += 1;
                let problem = Problem::new(KeySize::ALL[turn % 3], task);
                let mut variant = dimensions::plain(problem, technique);
                variant.set(Dim::Width, if technique.on_words() { 0 } else { width });
                variant.set(Dim::Layout, layout);
                if !technique.on_words() {
                    variant.set(Dim::Interleave, 2);
                    variant.set(Dim::Tail, 1);
                }
                let variant = variant.clamped();
                match Ready::new(&variant, &target) {
                    Some(ready) => visit(&ready),
                    // As many blocks as registers leave no working registers.
                    None if problem.streams() >> width >= 16 => {}
                    None => panic!("{variant} does not fit {}", target.set()),
                }
            }
        }
    }
}

/// The CPU levels of this CPU for which the code of a technique differs.
pub fn targets(technique: Technique) -> impl Iterator<Item = Target> {
    let mut targets: Vec<Target> = covering::places_here(technique).into_iter().map(|p| p.0).collect();
    targets.dedup();
    targets.into_iter()
}

/// Defines a test of a check for each technique, so that they run in parallel and have names.
#[allow(unused_macros)]
macro_rules! by_each_technique {
    ($check:ident) => {
        by_each_technique!($check: aes Aes, gfni Gfni, vperm Vperm, vbmi Vbmi, bitsliced Bitsliced,
            table Table, bytewise Bytewise);
    };
    ($check:ident: $($name:ident $technique:ident),*) => {
        $(
            #[test]
            fn $name() {
                super::$check(aesmith_arrange::Technique::$technique);
            }
        )*
    };
}

/// The kernels of a key set-up: schedules by two methods or variants, and the counter table.
pub struct KeySetUp {
    schedule: Vec<Ready>,
    table: Option<Ready>,
}

impl KeySetUp {
    /// The set-up of the keys that kernels of `problem` read; `None`, with a note, on a CPU without AES.
    pub fn new(problem: Problem) -> Option<KeySetUp> {
        let target = targets::here();
        if !runs_or_note(&TARGETS[0].0) {
            return None;
        }
        Some(KeySetUp::by(problem, Technique::Aes, &target))
    }

    /// The set-up by a technique on a target that it fits.
    pub fn by(problem: Problem, technique: Technique, target: &Target) -> KeySetUp {
        let plain = |task| dimensions::plain(Problem::new(problem.key, task), technique);
        let made = |variant: Variant| {
            Ready::new(&variant, target).unwrap_or_else(|| panic!("{variant} does not fit {}", target.set()))
        };
        let first = plain(problem.key_schedule().task);
        let other = match technique {
            Technique::Aes => first.clone().with(Dim::Schedule, 1),
            Technique::Bitsliced => first.clone().with(Dim::Circuit, 1),
            _ => first.clone(),
        };
        let table = (problem.task == Task::Ctr).then(|| made(plain(Task::CtrTable)));
        KeySetUp { schedule: vec![made(first), made(other.with(Dim::Wipe, 1))], table }
    }

    /// The key structures of one key, one per method, all made by kernels.
    pub fn structures(&self, key: &[u8]) -> Vec<Vec<u8>> {
        let mut made = Vec::new();
        for schedule in &self.schedule {
            let table_bytes = if self.table.is_some() { 4096 } else { 0 };
            let mut structure = vec![0; 256 + table_bytes];
            // SAFETY: kernels of key set-ups, room for the whole key structure, a key of their size.
            unsafe {
                schedule.code.key(structure.as_mut_ptr(), key.as_ptr());
                if let Some(table) = &self.table {
                    table.code.key(structure.as_mut_ptr(), std::ptr::null());
                }
            }
            made.push(structure);
        }
        made
    }
}
