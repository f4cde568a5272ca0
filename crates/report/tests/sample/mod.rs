//! A report filled with invented numbers of a plausible shape, gaps included. No measurement.

use aesmith_report::*;

/// Repeatable noise in -1..1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    }
}

fn cost(median: f64, spread: f64) -> Cost {
    Cost { median, low: median * (1.0 - spread), high: median * (1.0 + 1.6 * spread) }
}

fn surface(title: &str, across: &str, bound: f64, floor: f64, valley: f64, noise: &mut Noise) -> Surface {
    let (x, y): (Vec<f64>, Vec<f64>) = ((0..18).map(f64::from).collect(), (0..16).map(f64::from).collect());
    let mut cells = Vec::new();
    for keys in &y {
        for distance in &x {
            let gap = *distance > 14.0 && *keys > 12.0 || noise.next() > 0.985;
            let spill = (keys - 10.0).max(0.0) * 0.05 * floor;
            let stall = 0.9 * floor * (-distance / valley).exp()
                + 0.012 * floor * (distance - 6.0).max(0.0).powf(1.3);
            let value = floor + stall + spill + (15.0 - keys) * 0.006 * floor + 0.01 * floor * noise.next();
            cells.push((!gap).then_some(Cell { cost: value, variants: 96 }));
        }
    }
    Surface {
        title: title.into(),
        x: Axis { name: across.into(), values: x },
        y: Axis { name: "keys in registers".into(), values: y },
        cells,
        bound: Some(bound),
        kernels: 203,
        ends: "AES-256 has 15 round keys, so the axis ends there.".into(),
        noise: Some(0.01),
    }
}

fn strategy(name: &str, start: f64, end: f64, rate: f64, noise: &mut Noise) -> Strategy {
    let mut best = vec![(1, start)];
    for trial in 2..=1500u64 {
        let level = end + (start - end) * (-(trial as f64).ln() * rate).exp();
        if level < best.last().unwrap().1 * 0.997 && noise.next() > 0.6 {
            best.push((trial, level));
        }
    }
    let last = best.last().unwrap().1;
    best.push((1500, last));
    Strategy { name: name.into(), best }
}

fn subject(name: &str, per_byte: f64, per_call: f64, ours: bool, noise: &mut Noise) -> Subject {
    let points = (4..=20)
        .map(|power| {
            let bytes = 1u64 << power;
            let slow = if bytes > 1 << 19 { 1.12 } else { 1.0 };
            let median = (per_byte * slow + per_call / bytes as f64) * (1.0 + 0.015 * noise.next());
            SizePoint { bytes, cost: cost(median, 0.02 + 0.02 * noise.next().abs()) }
        })
        .collect();
    Subject { name: name.into(), ours, points }
}

fn loop_chart() -> LoopChart {
    let mut instructions = Vec::new();
    let mut slot = |text: String, unit, start: f64, occupies: f64, latency: f64, iteration| {
        let load = text.contains('[').then_some((start, 0.5));
        instructions.push(Slot { text, unit, start, occupies, latency, load, iteration });
    };
    for r in 0..4 {
        slot(format!("vpaddd zmm{r}, zmm{r}, zmm31"), 3, 0.25 * f64::from(r), 0.5, 1.0, 1);
    }
    for round in 0..14 {
        for r in 0..4 {
            let (start, name) =
                (4.0 * f64::from(round) + f64::from(r), if round == 13 { "last" } else { "" });
            let key = if round < 9 {
                format!("zmm{}", 16 + round)
            } else {
                format!("[rdi + {:#x}]", 64 * (round - 9))
            };
            slot(format!("vaesenc{name} zmm{}, zmm{}, {key}", r + 8, r + 8), 0, start, 1.0, 3.0, 0);
            if round == 12 {
                slot(
                    format!("vpxorq zmm{}, zmm30, [rdx + {:#x}]", r + 4, 64 * r),
                    1,
                    start + 0.5,
                    0.5,
                    8.0,
                    0,
                );
            }
        }
    }
    for r in 0..4 {
        slot(format!("vmovdqu64 [rcx + {:#x}], zmm{}", 64 * r, r + 8), 2, 4.0 + f64::from(r), 1.0, 1.0, -1);
    }
    slot("add rdx, 256".into(), 4, 53.0, 0.25, 1.0, 0);
    slot("cmp rdx, r9".into(), 4, 54.0, 0.25, 1.0, 0);
    slot("jb 0x40".into(), 4, 55.0, 0.5, 1.0, 0);
    LoopChart {
        variant: "vaes zmm; blocks 4; keys 0x3fef; cache 2; distance 3; order 9e21; align 64".into(),
        pipes: vec![1, 3, 2, 2, 4],
        units: ["AES", "load", "store", "vector ALU", "scalar and branch"].map(String::from).to_vec(),
        instructions,
        cycles_per_iteration: 56.3,
        bytes_per_iteration: 256,
        note: "Steady state in the machine model, entered with a full reorder buffer.".into(),
    }
}

/// The invented report, every section filled.
pub fn sample() -> ReportData {
    let noise = &mut Noise(7);
    let text = String::from;
    ReportData {
        problem: text("aes256-ctr"),
        title: text("AES-256-CTR"),
        processor: text("Sample data: Intel Xeon, family 6, model 207, stepping 2"),
        made: text("2026-11-21 21:40 UTC"),
        unit: text("cycles/byte"),
        cold: false,
        summary: Some(Summary {
            message_bytes: 32 << 10,
            baseline: cost(2.71, 0.006),
            best: cost(0.1972, 0.004),
            confirmed: true,
            openssl: Some(cost(0.4871, 0.008)),
            beside_openssl: Some(cost(0.1975, 0.005)),
            bound: 0.1875,
            variants_by_length: 3,
            variant: text("vaes zmm; blocks 4; keys 0x3fef; cache 2; distance 3; order 9e21; align 64"),
            kernel: text("aes256_ctr_vaes512_7c1f09"),
            technique: text("VAES on zmm, two rounds cached"),
            variants_tried: 221_184,
            seconds: 57.31,
            kernel_path: Some(text("out/aes256_ctr.S")),
        }),
        figure1: Some(surface("AES-256-CTR, xmm", "initiation interval", 0.438, 0.452, 1.7, noise)),
        figure2: Some(surface(
            "AES-256-CBC, 4 streams, xmm",
            "interleave distance",
            0.652,
            0.671,
            2.6,
            noise,
        )),
        figure3: [
            ("CTR", 2.05, 0.319, 0.3125),
            ("CTR-SP", 2.05, 0.316, 0.3125),
            ("CBC-1", 2.11, 1.869, 1.863),
            ("CBC-2", 1.19, 0.938, 0.9315),
            ("CBC-3", 0.94, 0.629, 0.621),
            ("CBC-4", 0.81, 0.487, 0.4658),
        ]
        .iter()
        .flat_map(|&(name, baseline, best, bound)| {
            [(128, 1.0), (256, 1.4)].map(|(key_bits, longer)| Figure3Row {
                name: name.into(),
                key_bits,
                baseline: Some(baseline * longer),
                best: Some(best * longer),
                bound: Some(bound * longer),
                confirmed: name != "CBC-2",
                own: name == "CTR-SP" && key_bits == 256,
            })
        })
        .collect(),
        convergence: Some(Convergence {
            strategies: vec![
                strategy("joint", 2.71, 0.197, 0.95, noise),
                strategy("annealing", 2.71, 0.203, 0.62, noise),
                strategy("random", 2.71, 0.214, 0.45, noise),
                strategy("exhaustive", 2.71, 0.26, 0.21, noise),
            ],
            bound: Some(0.1875),
        }),
        sizes: Some(Sizes {
            subjects: vec![
                subject("aesmith", 0.197, 13.0, true, noise),
                subject("OpenSSL 3.0.19", 0.487, 420.0, false, noise),
                subject("ipsec-mb 1.3", 0.2203, 32.0, false, noise),
                subject("AWS-LC", 0.477, 90.0, false, noise),
                subject("RustCrypto", 0.454, 60.0, false, noise),
            ],
            bound: vec![
                (16, 0.93),
                (64, 0.42),
                (256, 0.22),
                (1024, 0.2188),
                (8192, 0.1875),
                (1 << 20, 0.1875),
            ],
        }),
        loop_chart: Some(loop_chart()),
        mix: [
            ("AES", 0, 56, 56, 0.996),
            ("load", 1, 4, 24, 0.14),
            ("store", 2, 4, 4, 0.07),
            ("vector ALU", 3, 4, 4, 0.04),
            ("scalar and branch", 4, 3, 3, 0.02),
        ]
        .map(|(name, unit, count, operations, occupancy)| MixPart {
            name: name.into(),
            unit,
            count,
            operations,
            occupancy: Some(occupancy),
        })
        .to_vec(),
        distances: vec![
            Distance {
                name: text("best"),
                bound: 0.1875,
                limit: text("throughput of the two AES pipes, two rounds cached"),
                model: Some(0.1931),
                measured: Some(cost(0.1972, 0.004)),
            },
            Distance {
                name: text("runner-up"),
                bound: 0.2188,
                limit: text("throughput of the two AES pipes"),
                model: Some(0.2191),
                measured: Some(cost(0.2203, 0.004)),
            },
            Distance {
                name: text("OpenSSL"),
                bound: 0.4375,
                limit: text("throughput of the AES pipes on xmm"),
                model: None,
                measured: Some(cost(0.4871, 0.008)),
            },
        ],
        accounting: [
            ("baseline, 10 rounds by T-tables", 208.0, 4.0, 508.0, 0.0),
            ("second-byte instruction", 208.0, 4.0, 388.0, 0.0),
            ("combined load-xor", 208.0, 4.0, 228.0, 0.0),
            ("counter-mode caching: the winner", 176.0, 4.0, 171.0, 1.0),
        ]
        .map(|(name, loads, stores, integer, branches)| Account {
            name: name.into(),
            loads,
            stores,
            integer,
            branches,
        })
        .to_vec(),
        profile: Some(Profile {
            how: "callgrind".into(),
            unit: "instructions".into(),
            functions: ["ExpandKey", "AddRoundKey", "SubBytes", "ShiftRows", "MixColumns"]
                .map(str::to_owned)
                .to_vec(),
            rows: [("none", 1.0), ("unrolled, tables", 0.6), ("unrolled, tables, inline, words", 0.35)]
                .map(|(name, part)| ProfileRow {
                    name: name.into(),
                    parts: [1903.0, 2541.0, 2210.0, 410.0, 7030.0].map(|p| p * part).to_vec(),
                    whole: 14_300.0 * part,
                    text: 2889,
                    data: 0,
                    bss: 176,
                })
                .to_vec(),
        }),
        outcomes: [
            ("measured", "proved, run, timed, output right", 18_204),
            ("same bytes", "identical to a kernel already proved and timed", 201_377),
            ("screened out", "cut off after a slow first run", 1_598),
            ("unstable", "samples disturbed; measured again", 5),
            ("not proved", "never run", 0),
        ]
        .map(|(name, meaning, count)| Outcome { name: name.into(), meaning: meaning.into(), count })
        .to_vec(),
        search: Some(SearchTime {
            strategy: text("memetic"),
            own: true,
            samples: 18_204,
            stages: [
                ("generate", vec![(19_802, text("different kernels built"))], 2.1, false),
                ("reduce", vec![(17_655, text("proofs reduced to another\u{2019}s"))], 5.2, false),
                ("prove", vec![(549, text("proofs made")), (3, text("refused"))], 7.4, false),
                ("store", Vec::new(), 0.9, false),
                ("measure", vec![(18_204, text("proved kernels run"))], 14.8, true),
            ]
            .map(|(name, did, seconds, beside)| SearchStage { name: name.into(), did, seconds, beside })
            .to_vec(),
        }),
        certificate: Some(Certificate {
            kernel: text("aes256_ctr_vaes512_7c1f09"),
            level: text("E3"),
            constant_time: text("CT2"),
            sha256: text("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            bytes: 3_392,
            claims: [
                ("Every block equals FIPS-197 for every key and block", "proved"),
                ("The counter is right across every carry of 128 bits", "proved"),
                (
                    "Every length from 0 to 2^63 - 1 is processed, and nothing beyond it read or written",
                    "proved",
                ),
                ("Callee-saved registers and the stack are restored", "proved"),
                ("Output equals the oracle on 12,000 differential cases with guard pages", "tested"),
            ]
            .map(|(claim, shown)| Claim { claim: claim.into(), shown: shown.into() })
            .to_vec(),
            assumptions: vec![
                text("The CPU executes the instructions as the instruction table says."),
                text("in and out are the same address or do not overlap."),
            ],
            tool_version: text("aesmith 0.1.0"),
            path: Some(text("out/aes256_ctr.certificate.json")),
        }),
        machine: Some(Machine {
            cpu: text("Intel Xeon Processor (sample)"),
            model: text("family 6, model 207, stepping 2, microcode 0x1"),
            features: ["aes", "avx2", "avx512f", "avx512bw", "avx512vl", "vaes", "vpclmulqdq", "gfni"]
                .map(text)
                .to_vec(),
            hypervisor: text("KVM"),
            kernel: text("Linux 6.1.0"),
            clock: text("1.312 core cycles a tick; two dependent chains agree within 0.2 %"),
            toolchain: vec![
                (text("rustc"), text("1.95.0")),
                (text("gcc"), text("12.2.0")),
                (text("OpenSSL"), text("3.0.19")),
            ],
            tool_version: text("0.1.0"),
            commit: Some(text("7251a15c0ffe")),
            compiler: Some(text("rustc 1.95.0")),
            governor: Some(text("performance")),
            load: Some(text("0.02, 0.10, 0.15 (1, 5 and 15 minutes) on 2 CPUs when the report was made")),
            seed: 20_101_121,
            command: text("aesmith tune aes256-ctr --effort patient --seed 20101121"),
        }),
    }
}
