//! Kernels with random instructions in them, by a fixed seed: the prover answers soon and without a panic (numeric
//! overflow panics here), and what it proves holds in runs.

use crate::corpus::{Case, assembled};
use crate::tainted::calls::hold;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const LARGE: [&str; 5] = ["rax", "r8", "r9", "r10", "r11"];
const MIDDLE: [&str; 5] = ["eax", "r8d", "r9d", "r10d", "r11d"];
const WORDS: [&str; 5] = ["ax", "r8w", "r9w", "r10w", "r11w"];
const SMALL: [&str; 5] = ["al", "r8b", "r9b", "r10b", "r11b"];
const VECTORS: [&str; 4] = ["xmm1", "xmm2", "xmm3", "xmm4"];
/// Extreme and small numbers.
const ENDS: [&str; 16] = [
    "0",
    "1",
    "2",
    "-1",
    "7",
    "8",
    "15",
    "16",
    "-16",
    "63",
    "64",
    "255",
    "4096",
    "65536",
    "0x7fffffff",
    "-0x80000000",
];

struct Writer<'a> {
    random: &'a mut ChaCha8Rng,
    text: String,
    labels: usize,
}

impl Writer<'_> {
    fn of<'b>(&mut self, list: &[&'b str]) -> &'b str {
        list.choose(self.random).expect("a list")
    }

    fn number(&mut self, below: usize) -> usize {
        self.random.random_range(0..below)
    }

    /// Registers of one width, the name of the width in a memory operand, and its size in bytes.
    fn width(&mut self) -> ([&'static str; 5], &'static str, usize) {
        match self.number(8) {
            0 => (SMALL, "byte ptr", 1),
            1 => (WORDS, "word ptr", 2),
            2..4 => (MIDDLE, "dword ptr", 4),
            _ => (LARGE, "qword ptr", 8),
        }
    }

    fn slot(&mut self, size: usize) -> String {
        let at = match self.number(4) {
            0 => self.number(40) + size,
            _ => (self.number(4) + 1) * 8.max(size),
        };
        format!("[rsp - {at}]")
    }

    fn line(&mut self) {
        let (registers, memory, size) = self.width();
        let (a, b) = (self.of(&registers), self.of(&registers));
        let (x, y, z) = (self.of(&VECTORS), self.of(&VECTORS), self.of(&VECTORS));
        let (n, large, other) = (self.of(&ENDS), self.of(&LARGE), self.of(&LARGE));
        let n = if size < 4 { "7" } else { n };
        let bits = self.number(8 * size);
        let condition = self.of(&["z", "nz", "b", "ae", "be", "a", "l", "ge", "s", "ns"]);
        let slot = self.slot(size);
        let text = match self.number(34) {
            0 => format!("mov {large}, rcx"),
            1 => format!("mov {a}, {n}"),
            2 => format!("mov {a}, {b}"),
            3 => format!("mov {large}, {}", self.of(&["rbx", "rbp", "r12", "rdi", "rsi", "rsp"])),
            4 => format!("mov {a}, {memory} [rdi + {}]", self.number(160)),
            5 | 6 => format!("mov {memory} {slot}, {a}"),
            7 | 8 => format!("mov {a}, {memory} {slot}"),
            9 => format!(
                "{} {a}, {b}",
                self.of(&["add", "sub", "and", "or", "xor", "adc", "sbb", "cmp", "test"])
            ),
            10..13 => {
                format!("{} {a}, {n}", self.of(&["add", "sub", "and", "or", "xor", "adc", "cmp", "test"]))
            }
            13 | 14 => format!("{} {a}, {bits}", self.of(&["shl", "shr", "ror"])),
            15 => format!("{} {a}", self.of(&["inc", "dec", "neg", "not"])),
            16 => format!("lea {large}, [{other} + {}*{large} + {n}]", self.of(&["1", "2", "4", "8"])),
            17 => format!("lea {large}, [{other} + {n}]"),
            18 => format!("bswap {large}"),
            19 => format!("movzx {}, {}", self.of(&MIDDLE), self.of(&SMALL)),
            20 => format!("cmov{condition} {large}, {other}"),
            21 => {
                self.labels += 1;
                format!("j{condition} {0}f\n{0}:", 100 + self.labels)
            }
            22 => format!("vmovq {x}, {large}"),
            23 => format!("vmovq {large}, {x}"),
            24 => format!("vmovdqu {x}, [rdi + {}]", self.number(145)),
            25 => format!("vmovdqu [rsp - {}], {x}", 16 + self.number(32)),
            26 => format!("vmovdqu {x}, [rsp - {}]", 16 + self.number(32)),
            27 => format!(
                "{} {x}, {y}, {z}",
                self.of(&["vpxor", "vpand", "vpandn", "vpor", "vpshufb", "vpaddb"])
            ),
            28 => format!("{} {x}, {y}, {z}", self.of(&["vaesenc", "vpunpcklqdq", "vpunpckhbw", "vpcmpeqb"])),
            29 => format!(
                "{} {x}, {y}, {}",
                self.of(&["vpsrlw", "vpslld", "vpsrlq", "vpsrldq"]),
                self.number(16)
            ),
            30 => format!("vpshufd {x}, {y}, {}", self.number(256)),
            31 => format!("vpinsrq {x}, {y}, {large}, {}", self.number(2)),
            32 => format!("vpextrq {large}, {x}, {}", self.number(2)),
            _ => format!("vpternlogd {x}, {y}, {z}, {}", self.number(256)),
        };
        let _ = writeln!(self.text, "{text}");
    }
}

fn lines(random: &mut ChaCha8Rng, most: usize) -> String {
    let count = random.random_range(0..=most);
    let mut writer = Writer { random, text: String::new(), labels: 0 };
    for _ in 0..count {
        writer.line();
    }
    writer.text
}

/// The longest time for such small proofs, on a slow machine.
const LONGEST: Duration = Duration::from_secs(20);

#[test]
fn random_instructions_in_a_kernel_do_no_harm() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let mut prover = prover();
    let (mut proved, mut refused) = (0, 0);
    let rounds = std::env::var("AESMITH_RANDOM").map_or(1, |n| n.parse().expect("a number of rounds"));
    for round in 0..rounds {
        let cases: Vec<Case> = (0..1500)
            .map(|number| {
                let cleared = "vpxor xmm1, xmm1, xmm1\nvpxor xmm2, xmm2, xmm2\nvpxor xmm3, xmm3, xmm3\n\
                               vpxor xmm4, xmm4, xmm4\nxor eax, eax\nxor r8d, r8d\nxor r9d, r9d\nxor r10d, r10d\n\
                               xor r11d, r11d\n";
                let most = random.random_range(1..12);
                let mut places: [String; 4] = std::array::from_fn(|_| match random.random_range(0..3) {
                    0 => lines(&mut random, most),
                    _ => String::new(),
                });
                places[0].insert_str(0, cleared);
                if random.random_range(0..4) == 0 {
                    places[2].push_str("vpand xmm1, xmm1, xmm2\nvpxor xmm0, xmm0, xmm1\n");
                }
                if random.random_range(0..4) == 0 {
                    places[3].push_str("vzeroall\nxor eax, eax\nxor r8d, r8d\nxor r9d, r9d\nxor r10d, r10d\nxor r11d, r11d\n");
                }
                Case::of_places(&number.to_string(), places)
            })
            .collect();
        for (case, code) in cases.iter().zip(assembled(&format!("random{round}"), &cases)) {
            let start = Instant::now();
            let found = prover.prove(case.problem, &code);
            assert!(start.elapsed() < LONGEST, "{:?} for\n{}", start.elapsed(), case.text());
            match found {
                Ok(proof) => {
                    proved += 1;
                    if let Err(what) = hold(case.problem, &code, &proof, 3) {
                        panic!("round {round}: {what}\n{}", case.text());
                    }
                }
                Err(_) => refused += 1,
            }
        }
    }
    println!("{proved} proved, {refused} refused");
    assert!(proved > 200 && refused > 200, "{proved} proved, {refused} refused");
}

/// Kernels with randomly changed bytes, as from the fuzzing driver: the prover answers soon and without a panic.
#[test]
fn kernels_changed_at_random_are_answered() {
    let mut random = ChaCha8Rng::seed_from_u64(43);
    let mut prover = prover();
    let texts = [
        "aes128-ecb width=zmm interleave=2 wipe=yes",
        "aes128-ctr width=zmm interleave=2 cached=1",
        "aes128-ctr interleave=4 cached=2",
        "aes128-cbc-x4 unroll=2 together=yes",
        "aes256-cbc-dec width=ymm interleave=3 tail=halve",
        "aes128-ctr technique=table",
        "aes192-key schedule=aesenclast",
    ];
    let kernels =
        texts.map(|text| build(&aesmith_x86::dimensions::variant(text).unwrap(), &targets::ALL).unwrap());
    let (mut refused, mut longest) = (0, Duration::ZERO);
    for _ in 0..3000 {
        let kernel = kernels.choose(&mut random).expect("kernels");
        let mut bytes = kernel.bytes.clone();
        for _ in 0..random.random_range(1..5) {
            let at = random.random_range(0..kernel.code_end);
            match random.random_range(0..4) {
                0 => bytes[at] ^= 1 << random.random_range(0..8),
                1 => bytes[at] = random.random(),
                2 => {
                    let ends = [0, 1, 0x7f, 0xff, 0x7fff, 0x7fff_ffff, 0x8000_0000, u32::MAX];
                    let end = ends.choose(&mut random).expect("numbers").to_le_bytes();
                    let until = (at + 4).min(bytes.len());
                    bytes[at..until].copy_from_slice(&end[..until - at]);
                }
                _ => {
                    let other = random.random_range(0..kernel.code_end);
                    let count = random.random_range(1..12).min(bytes.len() - at.max(other));
                    bytes.copy_within(other..other + count, at);
                }
            }
        }
        let start = Instant::now();
        refused += usize::from(prover.prove(kernel.variant.problem, &bytes).is_err());
        longest = longest.max(start.elapsed());
        assert!(longest < LONGEST, "{longest:?} for {}: {bytes:02x?}", kernel.variant);
    }
    println!("{refused} of 3000 refused, {longest:?} at most");
    assert!(refused > 2000, "{refused}");
}
