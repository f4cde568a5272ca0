//! The kernels in which faults are planted: for each family, some of every dataflow and mode.

/// A kernel, by its processor and variant.
pub struct Source {
    /// The processor.
    pub core: &'static str,
    /// The set of custom instructions attached to it, or an empty string.
    pub set: &'static str,
    /// The problem and the choices.
    pub variant: &'static str,
    /// The number of faults of each kind to try; with 0, the kernel is only tried in a soak.
    pub of_each: usize,
}

const fn plain(core: &'static str, variant: &'static str, of_each: usize) -> Source {
    Source { core, set: "", variant, of_each }
}

const fn with(core: &'static str, set: &'static str, variant: &'static str, of_each: usize) -> Source {
    Source { core, set, variant, of_each }
}

pub const AVR: &[Source] = &[
    plain("avr", "aes128-ecb", 2),
    plain("avr", "aes128-ecb sbox=flash doubling=branch rounds=compact schedule=fly", 2),
    plain("avr", "aes256-ecb doubling=mask rounds=looped convention=registers", 2),
    plain("avr", "aes128-ecb-dec rounds=threes", 2),
    plain("avr", "aes128-key sbox=flash", 2),
    plain("avr", "aes192-key-dec rounds=compact", 2),
    plain("avr", "aes128-key rounds=looped", 2),
    plain("avr", "aes128-ecb-dec rounds=looped keys=forward", 2),
    plain("avr", "aes128-ecb sbox=flash doubling=branch rounds=steps", 2),
    plain("avr", "aes128-ecb-dec sbox=flash doubling=branch rounds=steps keys=forward", 2),
    plain("avr", "aes128-ecb sbox=flash doubling=branch rounds=joined", 2),
    plain("avr", "aes128-ctr counter=cached", 2),
    plain("avr", "aes128-ctr rounds=looped", 2),
    plain("avr", "aes128-cbc rounds=looped", 2),
    plain("avr", "aes128-cbc-dec sbox=flash rounds=looped", 2),
];

pub const ARM: &[Source] = &[
    plain("arm7tdmi", "aes128-ecb", 3),
    plain("arm7tdmi", "aes128-ecb technique=bytewise rounds=looped", 3),
    plain("arm7tdmi", "aes128-ecb technique=bitsliced", 3),
    plain("strongarm", "aes128-ecb technique=bytewise schedule=fly", 3),
    plain("arm9tdmi", "aes256-ecb-dec rounds=looped body=one", 3),
    plain("arm7tdmi", "aes128-key", 4),
    plain("arm7tdmi", "aes192-key-dec rounds=looped", 3),
    plain("strongarm", "aes256-key technique=bitsliced rounds=looped sbox=circuit", 4),
    plain("arm7tdmi", "aes128-ctr rounds=looped", 3),
    plain("arm9tdmi", "aes128-ctr counter=each rounds=looped last=table", 3),
    plain("arm7tdmi", "aes128-cbc rounds=looped", 2),
    plain("arm7tdmi", "aes128-cbc-dec rounds=looped", 2),
    plain("arm7tdmi", "aes128-ctr technique=bitsliced rounds=looped", 0),
    plain("arm9tdmi", "aes128-cbc technique=bitsliced rounds=looped", 1),
    plain("strongarm", "aes128-cbc-dec technique=bitsliced rounds=looped", 1),
];

pub const THUMB: &[Source] = &[
    plain("cortex-m3", "aes128-ecb", 2),
    plain("cortex-m4", "aes128-ecb technique=bitsliced rounds=looped", 2),
    plain("cortex-m3", "aes256-ecb-dec rounds=looped", 2),
    plain("cortex-m3", "aes128-key", 2),
    plain("cortex-m3", "aes128-key technique=bitsliced", 2),
    plain("cortex-m4", "aes192-key technique=bitsliced sbox=circuit", 2),
    plain("cortex-m3", "aes256-key-dec sbox=circuit", 2),
    plain("cortex-m3", "aes128-ctr", 2),
    plain("cortex-m3", "aes128-ctr counter=each", 2),
    plain("cortex-m3", "aes128-ctr counter=copied", 2),
    plain("cortex-m4", "aes128-ctr technique=bitsliced rounds=looped", 0),
    plain("cortex-m3", "aes128-cbc", 2),
    plain("cortex-m3", "aes128-cbc-dec", 2),
    plain("cortex-m0", "aes128-ecb rounds=looped", 2),
    plain("cortex-m0", "aes128-ctr rounds=looped", 2),
    plain("cortex-m0", "aes128-key", 2),
    plain("cortex-m0", "aes128-ecb technique=bitsliced", 2),
    plain("cortex-m0", "aes256-cbc-dec technique=bitsliced", 1),
    plain("cortex-m0", "aes128-key sbox=circuit keys=sliced", 2),
    plain("cortex-m0", "aes192-key-dec sbox=circuit", 2),
    plain("cortex-m4", "aes128-ecb technique=bytewise rounds=looped", 2),
    plain("cortex-m3", "aes128-ecb rounds=looped last=columns memory=flash", 2),
    plain("cortex-m0", "aes128-ecb rounds=looped technique=bytewise memory=flash", 2),
    plain("cortex-m0", "aes192-cbc-dec rounds=looped technique=bytewise", 2),
    plain("cortex-m4", "aes128-cbc technique=bitsliced rounds=looped", 2),
    plain("cortex-m3", "aes128-cbc-dec technique=bitsliced rounds=looped", 2),
];

pub const RV32: &[Source] = &[
    plain("rv32i", "aes128-ecb", 2),
    plain("rv32imc", "aes128-ecb technique=bitsliced code=compressed", 2),
    plain("rv32imc", "aes128-ecb technique=bytewise rounds=looped code=compressed", 2),
    plain("ibex", "aes128-ecb technique=table tables=1 schedule=fly", 2),
    plain("vexriscv", "aes256-ecb-dec technique=table tables=1 rounds=paired", 2),
    plain("picorv32", "aes128-key", 2),
    plain("picorv32", "aes192-key-dec rounds=looped keys=sliced sbox=circuit", 2),
    plain("rv32imc", "aes192-key-dec rounds=looped code=compressed", 1),
    plain("rv32i", "aes128-ctr counter=cached", 2),
    plain("rv32imc", "aes128-ctr rounds=looped code=compressed", 2),
    plain("rv32imc", "aes128-cbc rounds=looped", 2),
    plain("rv32i", "aes128-cbc-dec technique=table tables=1 rounds=looped", 2),
    plain("rv32i", "aes128-ctr technique=bitsliced rounds=looped", 0),
    plain("rv32imc", "aes128-cbc technique=bitsliced rounds=looped code=compressed", 2),
    plain("rv32i", "aes128-cbc-dec technique=bitsliced rounds=looped", 2),
    plain("rv32-zkn", "aes128-ecb", 2),
    plain("rv32-zkn", "aes128-ctr", 2),
];

pub const POWERPC: &[Source] = &[
    plain("ppc7410", "aes128-ecb", 6),
    plain("ppc7450", "aes256-ecb-dec tables=1", 6),
    plain("ppc7410", "aes128-key", 6),
    plain("ppc7410", "aes192-key-dec", 6),
    plain("ppc7410", "aes128-ctr counter=cached ahead=yes kept=4", 2),
    plain("ppc7450", "aes128-ctr tables=1 counter=cached", 2),
    plain("ppc7450", "aes256-ctr pointers=3 counter=cached", 2),
    plain("ppc7410", "aes128-ctr kept=2", 2),
    plain("ppc7410", "aes128-cbc", 6),
    plain("ppc7450", "aes128-cbc-dec kept=1", 4),
    plain("ppc7410", "aes128-ecb technique=vperm group=1", 2),
    plain("ppc7450", "aes192-key-dec technique=vperm", 2),
    plain("ppc7410", "aes128-cbc technique=vperm shiftrows=fixsliced", 2),
    plain("ppc7410", "aes128-cbc-dec technique=vperm group=1 begun=1", 1),
];

pub const SPARC: &[Source] = &[
    plain("ultrasparc3", "aes128-ecb", 6),
    plain("ultrasparc3", "aes256-ecb-dec words=padded last=1", 4),
    plain("ultrasparc3", "aes128-key", 6),
    plain("ultrasparc3", "aes192-key-dec words=narrow tables=2x2", 6),
    plain(
        "ultrasparc3",
        "aes128-ctr words=narrow tables=2x2 last=1 columns=together counter=cached remade=1",
        5,
    ),
    plain("ultrasparc3", "aes128-ctr words=scaled last=parts counter=cached ahead=yes", 3),
    plain("ultrasparc3", "aes256-ctr words=padded last=parts kept=1", 3),
    plain("ultrasparc3", "aes128-cbc words=narrow tables=2x2 last=2", 6),
    plain("ultrasparc3", "aes128-cbc-dec tables=1", 6),
    plain("ultrasparc3", "aes192-ctr words=padded last=1 columns=together counter=cached", 3),
];

pub const SPU: &[Source] = &[
    plain("spu", "aes128-ecb blocks=1 nibbles=even", 4),
    plain("spu", "aes128-ecb-dec blocks=1 shiftrows=fixsliced", 3),
    plain("spu", "aes128-key", 6),
    plain("spu", "aes256-key-dec nibbles=even columns=even", 2),
    plain("spu", "aes128-cbc shiftrows=fixsliced", 2),
    plain("spu", "aes128-cbc-dec together=1 begun=2", 1),
];

pub const I386: &[Source] = &[
    plain("pentium4", "aes128-ecb", 6),
    plain("core2", "aes256-ecb-dec tables=four bytes=memory", 3),
    plain("athlon64", "aes128-key", 6),
    plain("pentium4", "aes192-key-dec tables=four", 3),
    plain("pentium4", "aes128-ctr counter=cached", 3),
    plain("core2", "aes192-ctr bytes=memory counter=cached", 3),
    plain("athlon64", "aes256-ctr tables=four", 2),
    plain("pentium4", "aes128-cbc bytes=memory", 4),
    plain("athlon64", "aes128-cbc-dec", 4),
];

pub const MICROBLAZE: &[Source] = &[
    plain("microblaze-5", "aes128-ecb", 2),
    plain("microblaze-3", "aes128-ecb technique=bytewise barrel=no rounds=looped", 2),
    plain("microblaze-5", "aes128-ecb tables=1 rounds=looped extract=memory", 2),
    plain("microblaze-5", "aes128-ecb technique=bytewise schedule=fly", 2),
    plain("microblaze-3", "aes256-ecb-dec tables=2 join=shifts", 2),
    plain("microblaze-5", "aes128-key", 2),
    plain("microblaze-5", "aes192-key-dec rounds=looped", 2),
    plain("microblaze-3", "aes256-key-dec rounds=looped sbox=circuit barrel=no", 2),
    plain("microblaze-5", "aes128-ctr rounds=looped", 2),
    plain("microblaze-5", "aes128-ecb technique=bitsliced", 2),
    plain("microblaze-3", "aes128-key-dec rounds=looped keys=sliced", 2),
    plain("microblaze-3", "aes128-cbc technique=bitsliced", 2),
    plain("microblaze-5", "aes128-cbc rounds=looped", 2),
    plain("microblaze-3", "aes128-cbc-dec rounds=looped barrel=no", 2),
];

pub const CUSTOM: &[Source] = &[
    with("arm7tdmi", "smix3", "aes128-ecb", 3),
    with("arm9tdmi", "bertoni", "aes128-ecb schedule=fly", 3),
    with("arm7tdmi", "bertoni", "aes128-key", 3),
    with("vexriscv", "zkn", "aes128-ecb rounds=looped", 3),
    with("vexriscv", "v5", "aes128-ecb", 3),
    with("picorv32", "zkn", "aes128-ecb-dec", 3),
    with("picorv32", "smix3", "aes128-ecb", 3),
    with("vexriscv", "zkn", "aes128-ctr rounds=looped", 3),
    with("vexriscv", "bertoni-bytes", "aes128-cbc rounds=looped", 3),
    with("picorv32", "zkn", "aes256-key", 3),
    with("picorv32", "zkn", "aes192-ecb-dec rounds=looped", 3),
    with("vexriscv", "zkn", "aes128-cbc-dec rounds=looped", 3),
    with("arm7tdmi", "mixcolumns", "aes128-ecb-dec", 3),
    with("picorv32", "mixcolumns", "aes128-ecb rounds=looped", 2),
];
