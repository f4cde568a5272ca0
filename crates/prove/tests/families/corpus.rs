//! The kernels in which faults are planted: of each family some of every dataflow and mode.

/// A kernel, by its processor and its variant.
pub struct Source {
    /// The processor.
    pub core: &'static str,
    /// The set of custom instructions that is attached to it, or nothing.
    pub set: &'static str,
    /// Problem and choices.
    pub variant: &'static str,
    /// So many faults of each kind are tried; with none, the kernel is only tried where time does not matter.
    pub of_each: usize,
}

const fn plain(core: &'static str, variant: &'static str, of_each: usize) -> Source {
    Source { core, set: "", variant, of_each }
}

const fn with(core: &'static str, set: &'static str, variant: &'static str, of_each: usize) -> Source {
    Source { core, set, variant, of_each }
}

pub const AVR: &[Source] = &[
    plain("avr", "aes128-ecb", 3),
    plain("avr", "aes128-ecb sbox=flash doubling=branch rounds=compact schedule=onthefly", 3),
    plain("avr", "aes256-ecb doubling=mask rounds=looped convention=registers", 3),
    plain("avr", "aes128-ecb-dec rounds=threes", 3),
    plain("avr", "aes128-key sbox=flash", 3),
    plain("avr", "aes192-key-dec rounds=compact", 3),
    plain("avr", "aes128-key rounds=looped", 3),
    plain("avr", "aes128-ecb-dec rounds=looped keys=forward", 3),
    plain("avr", "aes128-ecb sbox=flash doubling=branch rounds=steps", 3),
    plain("avr", "aes128-ecb-dec sbox=flash doubling=branch rounds=steps keys=forward", 3),
    plain("avr", "aes128-ecb sbox=flash doubling=branch rounds=joined", 3),
    plain("avr", "aes128-ctr caching=first", 3),
    plain("avr", "aes128-ctr rounds=looped", 3),
    plain("avr", "aes128-cbc rounds=looped", 3),
    plain("avr", "aes128-cbc-dec sbox=flash rounds=looped", 3),
];

pub const ARM: &[Source] = &[
    plain("arm7tdmi", "aes128-ecb", 7),
    plain("arm7tdmi", "aes128-ecb technique=sbox rounds=looped", 7),
    plain("arm7tdmi", "aes128-ecb state=sliced", 5),
    plain("strongarm", "aes128-ecb technique=sbox schedule=fly", 7),
    plain("arm9tdmi", "aes256-ecb-dec rounds=looped body=one", 5),
    plain("arm7tdmi", "aes128-key", 8),
    plain("arm7tdmi", "aes192-key-dec rounds=looped", 7),
    plain("strongarm", "aes256-key state=sliced rounds=looped sbox=circuit", 8),
    plain("arm7tdmi", "aes128-ctr rounds=looped", 5),
    plain("arm9tdmi", "aes128-ctr counter=each rounds=looped last=table", 5),
    plain("arm7tdmi", "aes128-cbc rounds=looped", 2),
    plain("arm7tdmi", "aes128-cbc-dec rounds=looped", 4),
    plain("arm7tdmi", "aes128-ctr state=sliced rounds=looped", 0),
    plain("arm9tdmi", "aes128-cbc state=sliced rounds=looped", 1),
    plain("strongarm", "aes128-cbc-dec state=sliced rounds=looped", 1),
];

pub const THUMB: &[Source] = &[
    plain("cortex-m3", "aes128-ecb", 3),
    plain("cortex-m4", "aes128-ecb technique=fixsliced rounds=looped", 3),
    plain("cortex-m3", "aes256-ecb-dec rounds=looped", 3),
    plain("cortex-m3", "aes128-key", 3),
    plain("cortex-m3", "aes128-key technique=fixsliced", 3),
    plain("cortex-m4", "aes192-key technique=fixsliced sbox=circuit", 3),
    plain("cortex-m3", "aes256-key-dec sbox=circuit", 3),
    plain("cortex-m3", "aes128-ctr", 3),
    plain("cortex-m3", "aes128-ctr counter=each", 3),
    plain("cortex-m3", "aes128-ctr counter=copied", 3),
    plain("cortex-m4", "aes128-ctr technique=fixsliced rounds=looped", 0),
    plain("cortex-m3", "aes128-cbc", 3),
    plain("cortex-m3", "aes128-cbc-dec", 3),
    plain("cortex-m0", "aes128-ecb rounds=looped", 3),
    plain("cortex-m0", "aes128-ctr rounds=looped", 3),
    plain("cortex-m0", "aes128-key", 3),
    plain("cortex-m0", "aes128-ecb technique=sliced", 2),
    plain("cortex-m0", "aes256-cbc-dec technique=sliced", 1),
    plain("cortex-m0", "aes128-key sbox=circuit keys=sliced", 2),
    plain("cortex-m0", "aes192-key-dec sbox=circuit", 4),
    plain("cortex-m4", "aes128-ecb entries=bytes rounds=looped", 3),
    plain("cortex-m3", "aes128-ecb rounds=looped last=columns memory=flash", 3),
    plain("cortex-m0", "aes128-ecb rounds=looped entries=bytes memory=flash", 3),
    plain("cortex-m0", "aes192-cbc-dec rounds=looped entries=bytes", 2),
    plain("cortex-m4", "aes128-cbc technique=fixsliced rounds=looped", 2),
    plain("cortex-m3", "aes128-cbc-dec technique=fixsliced rounds=looped", 2),
];

pub const RV32: &[Source] = &[
    plain("rv32i", "aes128-ecb", 3),
    plain("rv32imc", "aes128-ecb state=sliced code=compressed", 3),
    plain("rv32imc", "aes128-ecb technique=sbox rounds=looped code=compressed", 3),
    plain("ibex", "aes128-ecb technique=table schedule=fly", 3),
    plain("vexriscv", "aes256-ecb-dec technique=table rounds=paired", 3),
    plain("picorv32", "aes128-key", 3),
    plain("picorv32", "aes192-key-dec rounds=looped keys=sliced sbox=circuit", 3),
    plain("rv32imc", "aes192-key-dec rounds=looped code=compressed", 1),
    plain("rv32i", "aes128-ctr counter=cached", 3),
    plain("rv32imc", "aes128-ctr rounds=looped code=compressed", 3),
    plain("rv32imc", "aes128-cbc rounds=looped", 3),
    plain("rv32i", "aes128-cbc-dec technique=table rounds=looped", 3),
    plain("rv32i", "aes128-ctr state=sliced rounds=looped", 0),
    plain("rv32imc", "aes128-cbc state=sliced rounds=looped code=compressed", 2),
    plain("rv32i", "aes128-cbc-dec state=sliced rounds=looped", 2),
    plain("rv32-zkn", "aes128-ecb", 3),
    plain("rv32-zkn", "aes128-ctr", 3),
];

pub const POWERPC: &[Source] = &[
    plain("ppc7410", "aes128-ecb", 17),
    plain("ppc7450", "aes256-ecb-dec tables=1", 14),
    plain("ppc7410", "aes128-key", 17),
    plain("ppc7410", "aes192-key-dec", 14),
    plain("ppc7410", "aes128-ctr counter=cached ahead=yes kept=4", 3),
    plain("ppc7450", "aes128-ctr tables=1 counter=cached", 3),
    plain("ppc7450", "aes256-ctr pointers=3 counter=cached", 3),
    plain("ppc7410", "aes128-ctr kept=2", 3),
    plain("ppc7410", "aes128-cbc", 14),
    plain("ppc7450", "aes128-cbc-dec kept=1", 8),
    plain("ppc7410", "aes128-ecb technique=vperm group=1", 3),
    plain("ppc7450", "aes192-key-dec technique=vperm", 2),
    plain("ppc7410", "aes128-cbc technique=vperm rows=fixed", 2),
    plain("ppc7410", "aes128-cbc-dec technique=vperm group=1 begun=1", 1),
];

pub const SPARC: &[Source] = &[
    plain("ultrasparc3", "aes128-ecb", 12),
    plain("ultrasparc3", "aes256-ecb-dec words=padded last=1", 8),
    plain("ultrasparc3", "aes128-key", 12),
    plain("ultrasparc3", "aes192-key-dec words=narrow tables=2x2", 12),
    plain(
        "ultrasparc3",
        "aes128-ctr words=narrow tables=2x2 last=1 columns=together counter=cached remade=1",
        5,
    ),
    plain("ultrasparc3", "aes128-ctr words=scaled last=parts counter=cached ahead=yes", 5),
    plain("ultrasparc3", "aes256-ctr words=padded last=parts kept=1", 5),
    plain("ultrasparc3", "aes128-cbc words=narrow tables=2x2 last=2", 12),
    plain("ultrasparc3", "aes128-cbc-dec tables=1", 12),
    plain("ultrasparc3", "aes192-ctr words=padded last=1 columns=together counter=cached", 5),
];

pub const SPU: &[Source] = &[
    plain("spu", "aes128-ecb blocks=1 nibbles=even", 9),
    plain("spu", "aes128-ecb-dec blocks=1 rows=fixed", 6),
    plain("spu", "aes128-key", 13),
    plain("spu", "aes256-key-dec nibbles=even columns=even", 4),
    plain("spu", "aes128-cbc rows=fixed", 2),
    plain("spu", "aes128-cbc-dec together=1 begun=2", 1),
];

pub const I386: &[Source] = &[
    plain("pentium4", "aes128-ecb", 12),
    plain("core2", "aes256-ecb-dec tables=four bytes=memory", 6),
    plain("athlon64", "aes128-key", 12),
    plain("pentium4", "aes192-key-dec tables=four", 6),
    plain("pentium4", "aes128-ctr counter=cached", 7),
    plain("core2", "aes192-ctr bytes=memory counter=cached", 7),
    plain("athlon64", "aes256-ctr tables=four", 3),
    plain("pentium4", "aes128-cbc bytes=memory", 8),
    plain("athlon64", "aes128-cbc-dec", 8),
];

pub const MICROBLAZE: &[Source] = &[
    plain("microblaze-5", "aes128-ecb", 3),
    plain("microblaze-3", "aes128-ecb technique=sbox barrel=no rounds=looped", 3),
    plain("microblaze-5", "aes128-ecb tables=1 rounds=looped extract=memory", 3),
    plain("microblaze-5", "aes128-ecb technique=sbox schedule=onthefly", 3),
    plain("microblaze-3", "aes256-ecb-dec tables=2 join=shifts", 3),
    plain("microblaze-5", "aes128-key", 3),
    plain("microblaze-5", "aes192-key-dec rounds=looped", 3),
    plain("microblaze-3", "aes256-key-dec rounds=looped sbox=circuit barrel=no", 4),
    plain("microblaze-5", "aes128-ctr rounds=looped", 3),
    plain("microblaze-5", "aes128-ecb technique=sliced", 4),
    plain("microblaze-3", "aes128-key-dec rounds=looped keys=sliced", 4),
    plain("microblaze-3", "aes128-cbc technique=sliced", 2),
    plain("microblaze-5", "aes128-cbc rounds=looped", 3),
    plain("microblaze-3", "aes128-cbc-dec rounds=looped barrel=no", 3),
];

pub const CUSTOM: &[Source] = &[
    with("arm7tdmi", "smix3", "aes128-ecb", 6),
    with("arm9tdmi", "bertoni", "aes128-ecb schedule=fly", 6),
    with("arm7tdmi", "bertoni", "aes128-key", 6),
    with("vexriscv", "zkn", "aes128-ecb rounds=looped", 6),
    with("vexriscv", "v5", "aes128-ecb", 6),
    with("picorv32", "zkn", "aes128-ecb-dec", 6),
    with("picorv32", "smix3", "aes128-ecb", 6),
    with("vexriscv", "zkn", "aes128-ctr rounds=looped", 6),
    with("vexriscv", "bertoni-bytes", "aes128-cbc rounds=looped", 6),
    with("picorv32", "zkn", "aes256-key", 6),
    with("picorv32", "zkn", "aes192-ecb-dec rounds=looped", 6),
    with("vexriscv", "zkn", "aes128-cbc-dec rounds=looped", 6),
    with("arm7tdmi", "mixcolumns", "aes128-ecb-dec", 6),
    with("picorv32", "mixcolumns", "aes128-ecb rounds=looped", 3),
];
