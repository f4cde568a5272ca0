//! Options of the GNU tools and conditions of the C preprocessor for RV32.

use crate::parts;
use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Gnu, NOT_ELF, Optional, Platform, SHARED, is_extended, qemu, wrong};

const BUILDS: Builds = Builds {
    meant: "defined(__riscv)",
    meant_earlier: Some("defined(__riscv) && __riscv_xlen == 32"),
    defines: &["__riscv", "__riscv_xlen=32", "__ELF__"],
    form: "little-endian RV32 with 32 registers",
    wrong: &[
        wrong("__riscv_xlen != 32", "RISC-V of another width"),
        wrong(
            "defined(__riscv_32e) || defined(__riscv_e) || defined(__riscv_abi_rve)",
            "RV32E, which has 16 registers, or its convention",
        ),
        wrong("defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__", "big-endian RISC-V"),
        NOT_ELF,
    ],
    wrong_with_addresses: &[SHARED],
};

/// Extensions that code may use. Compilers have defined macros for each as long as for the base (`__riscv_i`).
/// Directives switch the assembler to compressed instructions independently of the compiler's options.
const OPTIONAL: &[Optional] = &[
    Optional {
        has_row: |row| row.bytes() == 2,
        has: "(defined(__riscv_compressed) || defined(__riscv_c) || defined(__riscv_zca) || !defined(__riscv_i))",
        name: "compressed instructions (C)",
    },
    Optional {
        has_row: |row| row.name.starts_with("mul"),
        has: "(defined(__riscv_mul) || defined(__riscv_zmmul) || !defined(__riscv_i))",
        name: "the multiplier (M)",
    },
    Optional {
        has_row: |row| ["rori", "ror", "rol", "andn", "orn", "xnor", "rev8"].contains(&row.name.as_str()),
        has: "(defined(__riscv_zbkb) || defined(__riscv_zbb) || !defined(__riscv_i))",
        name: "rotations (Zbkb or Zbb)",
    },
    Optional {
        has_row: |row| row.name.starts_with("aes32es"),
        has: "(defined(__riscv_zkne) || defined(__riscv_zkn) || defined(__riscv_zk) || !defined(__riscv_i))",
        name: "AES encryption (Zkne)",
    },
    Optional {
        has_row: |row| row.name.starts_with("aes32ds"),
        has: "(defined(__riscv_zknd) || defined(__riscv_zkn) || defined(__riscv_zk) || !defined(__riscv_i))",
        name: "AES decryption (Zknd)",
    },
];

/// The boards of these platforms have serial or cached flash.
const PLATFORMS: &[Platform] =
    &[Platform { name: "sifive", uncached: false }, Platform { name: "espressif32", uncached: false }];

/// The GNU tool settings of a processor.
pub fn gnu(core: &Core) -> Gnu {
    let extended = is_extended(core);
    let sets = ["rori", "aes32esi", "c.addi", "c_addi", "mul"];
    let [bits, aes, c, c2, m] = sets.map(|row| (core.isa)().find(row).is_some());
    let mut march = format!("rv32i{}{}", if m { "m" } else { "" }, if c || c2 { "c" } else { "" });
    if bits {
        march.push_str("_zbkb");
    }
    if aes && !extended {
        march.push_str("_zkne_zknd");
    }
    Gnu {
        flags: format!("-march={march} -mabi=ilp32"),
        linker: "-melf32lriscv".into(),
        by_length: true,
        // Relaxation would break the alignment of loops.
        directives: "    .option norelax\n".into(),
        platforms: PLATFORMS,
        emulator: match (extended, bits) {
            (true, _) => None,
            (false, true) => qemu("qemu-riscv32 -cpu rv32,zbkb=true,zkne=true,zknd=true"),
            (false, false) => qemu("qemu-riscv32"),
        },
        uneven: parts::RISC_V,
        optional: OPTIONAL,
        arduino: Some("*"),
        zephyr: true,
        pie: Some("Linkers refuse it in a position-independent program (`-pie`)."),
        ..Gnu::plain(
            "riscv64-unknown-elf-",
            BUILDS,
            "#",
            "binutils-riscv64-unknown-elf gcc-riscv64-unknown-elf",
        )
    }
}
