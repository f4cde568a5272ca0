//! Occupancy against NVIDIA's calculation, and kernels that fill shared memory.

use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::grid::occupancy::Needs;
use aesmith_processor::grid::reach::Reach;
use aesmith_processor::grid::{Counted, Translator};

use crate::machine_code::Ptxas;
use crate::{GPU, TABLE};

/// Architecture; threads, registers and shared memory; and the thread blocks that registers, shared memory,
/// threads and the block limit allow, according to `cuda_occupancy.h` of nvidia-cuda-runtime 13.5.37.
const SAID: &[(&str, [u32; 3], [u32; 4])] = &[
    ("sm_75", [512, 30, 0], [4, u32::MAX, 2, 16]),
    ("sm_75", [512, 30, 60000], [4, 1, 2, 16]),
    ("sm_75", [1024, 65, 0], [0, u32::MAX, 1, 16]),
    ("sm_75", [96, 23, 20000], [28, 3, 10, 16]),
    ("sm_80", [128, 65, 30000], [7, 5, 16, 32]),
    ("sm_80", [992, 58, 160000], [1, 1, 2, 32]),
    ("sm_80", [32, 16, 0], [128, 164, 64, 32]),
    ("sm_80", [160, 100, 5000], [3, 27, 12, 32]),
    ("sm_90", [1024, 30, 130000], [2, 1, 2, 32]),
    ("sm_90", [128, 254, 0], [2, 228, 16, 32]),
    ("sm_90", [96, 44, 70000], [13, 3, 21, 32]),
    ("sm_90", [416, 121, 20000], [1, 11, 4, 32]),
];

#[test]
fn occupancy_is_that_of_nvidias_header() {
    for &(name, [threads, registers, shared], [by_registers, by_memory, by_threads, by_blocks]) in SAID {
        let architecture = Ptxas.architectures().iter().find(|a| a.name == name).expect("an architecture");
        let found = architecture.occupancy(32, &Needs { threads, registers: Some(registers), shared });
        let what = format!("{name}, {threads} threads, {registers} registers, {shared} bytes");
        assert_eq!(found.registers, Some(by_registers), "{what}");
        assert_eq!(found.shared.unwrap_or(u32::MAX), by_memory, "{what}");
        assert_eq!((found.threads, found.blocks), (by_threads, by_blocks), "{what}");
        let least = by_registers.min(by_memory).min(by_threads).min(by_blocks);
        assert_eq!(found.resident().0, least, "{what}");
        assert_eq!(found.resident_warps(), least * threads.div_ceil(32), "{what}");
    }
}

#[test]
fn what_no_architecture_gives_is_not_resident() {
    let turing = &Ptxas.architectures()[0];
    let needs = Needs { threads: 128, registers: None, shared: turing.memory + 4 };
    let found = turing.occupancy(32, &needs);
    assert_eq!((found.registers, found.shared, found.resident()), (None, Some(0), (0, "shared memory")));
    assert_eq!(turing.occupancy(32, &Needs { shared: 0, ..needs }).shared, None);
}

#[test]
fn tables_are_filled_a_word_of_each_bank_a_clock() {
    let variant = TABLE.parse("aes128-ecb threads=128").expect("a variant");
    let kernel = (GPU.build)(&variant).expect("a kernel");
    let shared = kernel.program.shared;
    let proved = ProvedGrid::new(&GPU, kernel, "k").expect("proved");
    let architecture = &Ptxas.architectures()[2];
    let counted = Counted {
        architecture: architecture.name.into(),
        registers: 30,
        spilled: 0,
        blocks: 1,
        shared: 160,
        logic: 259,
        product: 6,
        issued: 430,
        code: 7000,
        kinds: Vec::new(),
        clocks: 0.0,
        bits: 0.0,
        limit: String::new(),
    };
    let reach = Reach::of(&GPU, &proved, &counted, architecture).expect("is known");
    let [taken] = &reach.kinds[..] else { panic!("{:?}", reach.kinds) };
    assert_eq!((taken.clocks, &taken.clocks[..2]), (reach.clocks, &[160.0 / 32.0, 259.0 / 64.0][..]));
    assert_eq!(reach.filling, [f64::from(shared / 4 / 32), 0.0, 0.0, 0.0]);
    assert_eq!((reach.of_a_turn(), taken.of_a_warp, reach.resident), (128, 32, 1));
}

#[test]
fn the_landscape_is_over_choices_that_there_are() {
    for name in GPU.landscape {
        assert!(TABLE.dimensions.iter().any(|dimension| dimension.name == *name), "{name}");
    }
}
