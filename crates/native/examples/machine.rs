//! Prints the judge's view of this machine: clock, instruction costs, bounds, and the overhead of judging.

use std::time::Instant;

use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_native::assemble::Assembly;
use aesmith_native::bounds::{Allowed, bound};
use aesmith_native::{Candidate, Config, NativeJudge, Screening};
use aesmith_x86::features;
use iced_x86::{Code, IcedError, Register};

fn main() -> Result<(), aesmith_native::JudgeError> {
    aesmith_native::worker::run_if_worker();
    let mut judge = NativeJudge::start(Config::default())?;
    println!("{:.5} core cycles a tick", judge.ratio()?);
    println!("{}", judge.quiet()?);
    let start = Instant::now();
    let model = judge.measure_machine()?;
    println!("machine measured in {:?}; issue width {:?}", start.elapsed(), model.issue_width);
    for t in &model.timings {
        let name = format!("{:?} {:?}", t.kind.class, t.kind.vectors);
        let latency = t.latency.map_or("     -".into(), |l| format!("{l:6.2}"));
        let high = t.throughput_high.unwrap_or(t.reciprocal_throughput);
        println!("{name:24} latency {latency}  one every {:6.3} to {high:6.3}", t.reciprocal_throughput);
    }
    for g in &model.groups {
        println!("together: {:?}", g.members);
    }
    for problem in Problem::all() {
        if let Some(b) = bound(&model, problem, 32768, Allowed::lanes(4)) {
            println!("{problem:18} {:9.4} c/B, {:?}, {} cached", b.cycles_per_byte, b.limit, b.cached_rounds);
        }
    }
    if features::of_this_cpu().has(features::AVX512F.and(features::VAES)) {
        what_judging_costs(&mut judge)?;
    }
    Ok(())
}

/// The time-stamp counter.
fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a counter.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("a judge starts on x86-64 only")
}

/// Screens a batch of ECB kernels on 32 KiB and subtracts the time of their samples.
fn what_judging_costs(judge: &mut NativeJudge) -> Result<(), aesmith_native::JudgeError> {
    let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let code = ecb_of_whole_turns().expect("the kernel encodes");
    // The kernel takes multiples of 512 bytes only, so there are no checks on short messages.
    let batch = vec![Candidate::new(problem, &code); 64];
    let how = Screening { short_checks: 0, ..Screening::of(32768) };
    let mut rates = Vec::new();
    for _ in 0..10 {
        let start = Instant::now();
        let first = ticks();
        let screens = judge.screen(&batch, &how)?;
        let ticks = ticks() - first;
        let each = start.elapsed().as_secs_f64() * 1e6 / batch.len() as f64;
        let screens: Vec<_> = screens.into_iter().map(|s| s.expect("it is sound")).collect();
        let measuring: u64 = screens.iter().flat_map(|s| &s.timing.ticks).sum();
        let best = screens.iter().map(|s| s.cycles_per_byte()).fold(f64::INFINITY, f64::min);
        rates.push((each, each * (1.0 - measuring as f64 / ticks as f64), best));
    }
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (each, beyond, best) = rates[0];
    println!(
        "screening on 32 KiB: {each:.1} us a candidate, {beyond:.1} of them beyond its samples; {best:.4} c/B"
    );
    Ok(())
}

/// AES-128 ECB on zmm, eight registers an iteration.
fn ecb_of_whole_turns() -> Result<Vec<u8>, IcedError> {
    let (data, key) = (|i: u32| Register::ZMM0 + i, |r: u32| Register::ZMM16 + r);
    let mut a = Assembly::default();
    for r in 0..=10 {
        a.rm(Code::EVEX_Vbroadcasti32x4_zmm_k1z_m128, key(r), Register::RDI, 16 * i64::from(r))?;
    }
    let top = a.here();
    for i in 0..8 {
        a.rm(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, data(i), Register::RSI, 64 * i64::from(i))?;
        a.rrr(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, data(i), data(i), key(0))?;
    }
    for r in 1..=10 {
        let code =
            if r < 10 { Code::EVEX_Vaesenc_zmm_zmm_zmmm512 } else { Code::EVEX_Vaesenclast_zmm_zmm_zmmm512 };
        for i in 0..8 {
            a.rrr(code, data(i), data(i), key(r))?;
        }
    }
    for i in 0..8 {
        a.mr(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, Register::RDX, 64 * i64::from(i), data(i))?;
    }
    a.ri(Code::Add_rm64_imm32, Register::RSI, 512)?;
    a.ri(Code::Add_rm64_imm32, Register::RDX, 512)?;
    a.ri(Code::Sub_rm64_imm32, Register::RCX, 512)?;
    a.branch(Code::Jne_rel32_64, top)?;
    a.plain(Code::Retnq)?;
    Ok(a.finish())
}
