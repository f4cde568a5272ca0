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

/// The invented report, every section filled: `report.json`, with curves and surfaces of more points.
pub fn sample() -> ReportData {
    let noise = &mut Noise(7);
    let convergence = |noise: &mut Noise| Convergence {
        strategies: vec![
            strategy("joint", 2.71, 0.197, 0.95, noise),
            strategy("annealing", 2.71, 0.203, 0.62, noise),
            strategy("random", 2.71, 0.214, 0.45, noise),
            strategy("exhaustive", 2.71, 0.26, 0.21, noise),
        ],
        bound: Some(0.1875),
    };
    let sizes = |noise: &mut Noise| Sizes {
        made: "2026-11-21 21:40 UTC".into(),
        subjects: vec![
            subject("aesmith", 0.197, 13.0, true, noise),
            subject("OpenSSL 3.0.19", 0.487, 420.0, false, noise),
            subject("ipsec-mb 1.3", 0.2203, 32.0, false, noise),
            subject("AWS-LC", 0.477, 90.0, false, noise),
            subject("RustCrypto", 0.454, 60.0, false, noise),
        ],
        bound: [(16, 0.93), (64, 0.42), (256, 0.22), (1024, 0.2188), (8192, 0.1875), (1 << 20, 0.1875)]
            .into(),
    };
    let streams = "AES-256-CBC, 4 streams, xmm";
    ReportData {
        figure1: Some(surface("AES-256-CTR, xmm", "initiation interval", 0.438, 0.452, 1.7, noise)),
        figure2: Some(surface(streams, "interleave distance", 0.652, 0.671, 2.6, noise)),
        convergence: Some(convergence(noise)),
        sizes: Some(sizes(noise)),
        loop_chart: Some(loop_chart()),
        ..serde_json::from_str(include_str!("report.json")).expect("a report")
    }
}
