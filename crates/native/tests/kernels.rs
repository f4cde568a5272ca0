//! Runs sound and faulty kernels: each is classified correctly, and the judge survives.

use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_native::assemble::Assembly;
use aesmith_native::{
    Bench, Candidate, Config, Contender, FaultClass, NativeJudge, Quantity, Samples, Screening, Turns,
    Verdict,
};
use aesmith_x86::features;
use iced_x86::{Code, Instruction, Register as R};

const ECB: Problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));

/// The fault of an [`ecb`] kernel.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    /// A wrong output.
    DroppedRound,
    OverRead,
    OverWrite,
    ClobbersRbx,
    SlowEveryBlock,
}

/// AES-128 ECB encryption, one block at a time on xmm: rdi key, rsi in, rdx out, rcx len.
fn ecb(flaw: Flaw) -> Vec<u8> {
    let build = || -> Result<Vec<u8>, iced_x86::IcedError> {
        let mut a = Assembly::default();
        if flaw == Flaw::ClobbersRbx {
            a.rr(Code::Mov_r64_rm64, R::RBX, R::RCX)?;
        }
        a.push(Instruction::with2(Code::Shr_rm64_imm8, R::RCX, 4)?)?;
        // The counters start one block back: each iteration begins by advancing them.
        a.push(Instruction::with2(Code::Shl_rm64_imm8, R::RCX, 4)?)?;
        a.push(Instruction::with2(Code::Add_rm64_imm8, R::RCX, 16)?)?;
        a.push(Instruction::with2(Code::Sub_rm64_imm8, R::RSI, 16)?)?;
        a.push(Instruction::with2(Code::Sub_rm64_imm8, R::RDX, 16)?)?;
        let skip = a.here();
        let mut body = Assembly::default();
        body.rm(Code::Movups_xmm_xmmm128, R::XMM0, R::RSI, 0)?;
        if flaw == Flaw::OverRead {
            body.rm(Code::Movups_xmm_xmmm128, R::XMM1, R::RSI, 16)?;
        }
        body.rm(Code::Movups_xmm_xmmm128, R::XMM1, R::RDI, 0)?;
        body.rr(Code::Pxor_xmm_xmmm128, R::XMM0, R::XMM1)?;
        for round in 1..=10 {
            if flaw == Flaw::DroppedRound && round == 7 {
                continue;
            }
            body.rm(Code::Movups_xmm_xmmm128, R::XMM1, R::RDI, 16 * round)?;
            let code = if round == 10 { Code::Aesenclast_xmm_xmmm128 } else { Code::Aesenc_xmm_xmmm128 };
            body.rr(code, R::XMM0, R::XMM1)?;
        }
        body.mr(Code::Movups_xmmm128_xmm, R::RDX, 0, R::XMM0)?;
        if flaw == Flaw::OverWrite {
            body.mr(Code::Movups_xmmm128_xmm, R::RDX, 1, R::XMM0)?;
        }
        if flaw == Flaw::SlowEveryBlock {
            for _ in 0..100 {
                body.rr(Code::Imul_r64_rm64, R::RAX, R::RAX)?;
            }
        }
        let body = body.finish();
        // Each iteration: advance, subtract, leave if nothing is left, else run the body and repeat.
        let turn = |a: &mut Assembly| -> Result<(), iced_x86::IcedError> {
            a.push(Instruction::with2(Code::Add_rm64_imm8, R::RSI, 16)?)?;
            a.push(Instruction::with2(Code::Add_rm64_imm8, R::RDX, 16)?)?;
            a.push(Instruction::with2(Code::Sub_rm64_imm8, R::RCX, 16)?)
        };
        turn(&mut a)?;
        let leave = a.here() + 6 + body.len() as u64 + 5;
        a.push(Instruction::with_branch(Code::Je_rel32_64, leave)?)?;
        let mut bytes = a.finish();
        bytes.extend(&body);
        let at = bytes.len() as i64 + 5;
        bytes.push(0xe9); // jmp rel32, back to the start of the iteration
        bytes.extend(((skip as i64 - at) as i32).to_le_bytes());
        bytes.push(0xc3);
        Ok(bytes)
    };
    build().expect("the test kernel encodes")
}

/// The AES-128 key schedule on xmm: rdi key structure, rsi key bytes. `extra` is an additional offset to which the last
/// round key is written.
fn key_schedule(extra: Option<i64>) -> Vec<u8> {
    let build = || -> Result<Vec<u8>, iced_x86::IcedError> {
        let mut a = Assembly::default();
        let (key, assist, shifted) = (R::XMM0, R::XMM1, R::XMM2);
        a.rm(Code::Movups_xmm_xmmm128, key, R::RSI, 0)?;
        a.mr(Code::Movups_xmmm128_xmm, R::RDI, 0, key)?;
        for (i, rcon) in [1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36].into_iter().enumerate() {
            a.push(Instruction::with3(Code::Aeskeygenassist_xmm_xmmm128_imm8, assist, key, rcon)?)?;
            a.push(Instruction::with3(Code::Pshufd_xmm_xmmm128_imm8, assist, assist, 0xff)?)?;
            a.rr(Code::Movdqa_xmm_xmmm128, shifted, key)?;
            for _ in 0..3 {
                a.push(Instruction::with2(Code::Pslldq_xmm_imm8, shifted, 4)?)?;
                a.rr(Code::Pxor_xmm_xmmm128, key, shifted)?;
            }
            a.rr(Code::Pxor_xmm_xmmm128, key, assist)?;
            a.mr(Code::Movups_xmmm128_xmm, R::RDI, 16 * (i as i64 + 1), key)?;
        }
        if let Some(at) = extra {
            a.mr(Code::Movups_xmmm128_xmm, R::RDI, at, key)?;
        }
        a.plain(Code::Retnq)?;
        Ok(a.finish())
    };
    build().expect("the test kernel encodes")
}

fn judge() -> NativeJudge {
    let program = env!("CARGO_BIN_EXE_judge-worker").into();
    NativeJudge::start(Config { program, seed: 7, ..Config::default() }).expect("a judge starts")
}

fn has_aes() -> bool {
    let has = features::of_this_cpu().has(features::AES);
    if !has {
        println!("skipped: this CPU has no AES instructions");
    }
    has
}

#[test]
fn sound_kernels_are_timed_and_faulty_ones_classed() {
    if !has_aes() {
        return;
    }
    let mut judge = judge();
    let segfault = [0x48, 0x31, 0xc0, 0x8b, 0x00, 0xc3]; // xor rax,rax; mov eax,[rax]; ret
    let forever = [0xeb, 0xfe]; // jmp to itself
    let illegal = [0x0f, 0x0b]; // ud2
    let lost_stack = [0x31, 0xe4, 0xc3]; // xor esp,esp; ret
    let kernels = [
        (ecb(Flaw::None), None),
        (segfault.to_vec(), Some(FaultClass::Trap)),
        (ecb(Flaw::DroppedRound), Some(FaultClass::Wrong)),
        (forever.to_vec(), Some(FaultClass::TimeOut)),
        (ecb(Flaw::OverRead), Some(FaultClass::OverRead)),
        (ecb(Flaw::OverWrite), Some(FaultClass::OverWrite)),
        (ecb(Flaw::ClobbersRbx), Some(FaultClass::Abi)),
        (illegal.to_vec(), Some(FaultClass::Trap)),
        (lost_stack.to_vec(), Some(FaultClass::Trap)),
        (vec![0xc3], Some(FaultClass::Wrong)),
        (ecb(Flaw::None), None),
    ];
    let candidates: Vec<Candidate> = kernels.iter().map(|(code, _)| Candidate::new(ECB, code)).collect();
    let how = Screening { short_checks: 8, ..Screening::of(4096) };
    let answers = judge.screen(&candidates, &how).unwrap();
    for (answer, (code, wanted)) in answers.iter().zip(&kernels) {
        match (answer, wanted) {
            (Ok(screen), None) => {
                assert_eq!(screen.bytes, 4096);
                assert_eq!(screen.timing.ticks.len(), 15);
                assert!(screen.cycles() > 0.0 && screen.cycles().is_finite());
            }
            (Err(fault), Some(class)) => {
                assert_eq!(fault.class, *class, "{fault}");
                assert_eq!(fault.code, *code);
                let text = serde_json::to_string(fault).unwrap();
                assert_eq!(serde_json::from_str::<aesmith_native::Fault>(&text).unwrap(), *fault);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(judge.deaths(), 0, "every fault was recovered within the worker");
}

#[test]
fn whoever_kills_the_worker_is_found_and_not_run_again() {
    if !has_aes() {
        return;
    }
    let mut judge = judge();
    let sound = ecb(Flaw::None);
    // mov eax, 231 (exit_group); syscall
    let killer = [0xb8, 231, 0, 0, 0, 0x0f, 0x05];
    let batch = [Candidate::new(ECB, &sound), Candidate::new(ECB, &killer), Candidate::new(ECB, &sound)];
    let how = Screening::of(1024);
    for _ in 0..2 {
        let answers = judge.screen(&batch, &how).unwrap();
        assert!(answers[0].is_ok() && answers[2].is_ok());
        assert_eq!(answers[1].as_ref().unwrap_err().class, FaultClass::Trap);
    }
    assert_eq!(judge.deaths(), 2, "once in the batch, once alone, never again");
}

#[test]
fn what_is_faster_than_its_bound_is_kept_and_what_is_too_slow_is_given_up() {
    if !has_aes() {
        return;
    }
    let mut judge = judge();
    let (sound, slow) = (ecb(Flaw::None), ecb(Flaw::SlowEveryBlock));
    let impossible = Candidate { floor: Some(1e9), ..Candidate::new(ECB, &sound) };
    let answers = judge.screen(&[impossible], &Screening::of(1024)).unwrap();
    let screen = answers[0].as_ref().expect("a kernel faster than its bound is no fault");
    assert!(screen.timing.ticks.len() == 15 && screen.timing.best() < 1e9);
    let duel = judge.duel(&[impossible, Candidate::new(ECB, &slow)], Turns::steady(1024, 8)).unwrap();
    assert_eq!(duel.outcomes[0].as_ref().unwrap().rounds.len(), 8, "each of its rounds counts");
    assert!(duel.compare(0, 1).unwrap().ratio < 0.5);
    let how = Screening { give_up_above: Some(1.0), ..Screening::of(1024) };
    let answers = judge.screen(&[Candidate::new(ECB, &slow)], &how).unwrap();
    let screen = answers[0].as_ref().unwrap();
    assert!(screen.cut && screen.timing.ticks.len() == 2);
}

#[test]
fn a_duel_tells_the_slow_from_the_fast_and_not_the_same_from_the_same() {
    if !has_aes() {
        return;
    }
    let mut judge = judge();
    let (sound, slow) = (ecb(Flaw::None), ecb(Flaw::SlowEveryBlock));
    let candidates = [sound.as_slice(), &slow, &sound, &[0x0f, 0x0b]].map(|code| Candidate::new(ECB, code));
    judge.renew();
    let duel = judge.duel(&candidates, Turns::steady(2048, 20)).unwrap();
    assert_eq!(duel.outcomes[0].as_ref().unwrap().rounds.len(), 20);
    assert_eq!(duel.again.rounds.len(), 20);
    assert_eq!(duel.outcomes[3].as_ref().unwrap_err().class, FaultClass::Trap);
    // One kernel takes 300 dependent cycles a block on top of 40: more than any noise.
    assert!(duel.compare(0, 1).unwrap().ratio < 0.5);
    if duel.noise < 0.5 {
        assert_eq!(duel.compare(0, 1).unwrap().verdict, Verdict::Faster);
    }
    assert!(duel.compare(0, 3).is_none());
}

#[test]
fn peers_compute_the_same_and_are_held_against_a_kernel() {
    if !has_aes() {
        return;
    }
    let mut judge = judge();
    let how = Bench { sizes: vec![64, 1024], rounds: 8, cold: false, peers: None, latency: true };
    for problem in Problem::all().into_iter().filter(Problem::is_message) {
        let code = ecb(Flaw::None);
        let kernels = if problem == ECB { vec![Contender { name: "mine", code: &code }] } else { vec![] };
        let rows = judge.bench(problem, &kernels, &how).unwrap();
        if rows.is_empty() {
            println!("{problem}: no peer on this machine");
        }
        for row in &rows {
            let samples = row.outcome.as_ref().unwrap_or_else(|e| panic!("{} {problem}: {e}", row.subject));
            assert_eq!(samples.rounds.len(), 8);
            assert!(samples.cycles_per_byte(0.5) > 0.05, "{} {problem}", row.subject);
            let latency = row.latency.as_ref().unwrap();
            assert_eq!((samples.quantity, latency.quantity), (Quantity::Throughput, Quantity::Latency));
            assert_eq!((latency.bytes, latency.rounds.len()), (samples.bytes, 8));
        }
        assert_eq!(rows.iter().filter(|r| r.subject == "mine").count(), if problem == ECB { 2 } else { 0 });
    }
    let cold = Bench { cold: true, rounds: 1, ..how };
    let code = ecb(Flaw::DroppedRound);
    let rows = judge.bench(ECB, &[Contender { name: "wrong", code: &code }], &cold).unwrap();
    assert!(rows[0].outcome.as_ref().unwrap_err().starts_with("wrong"), "{:?}", rows[0].outcome);
}

/// `tune`'s comparisons and `bench`'s tables use the same number of calls a sample, samples a round, and quantity, at
/// every length.
#[test]
fn a_duel_and_a_benchmark_measure_one_quantity_by_one_path() {
    if !has_aes() {
        return;
    }
    let mut judge = judge();
    let code = ecb(Flaw::None);
    let lengths = [16, 64, 256, 4096, 32768];
    for (size, cold) in lengths.iter().flat_map(|size| [(*size, false), (*size, true)]) {
        let turns = Turns { cold, ..Turns::steady(size, 8) };
        let duel = judge.duel(&[Candidate::new(ECB, &code)], turns).unwrap();
        let how = Bench { sizes: vec![size], rounds: 8, cold, peers: Some(vec![]), latency: true };
        let rows = judge.bench(ECB, &[Contender { name: "mine", code: &code }], &how).unwrap();
        let shape = |s: &Samples| {
            let rounds: Vec<_> = s.rounds.iter().map(|t| (t.calls, t.ticks.len())).collect();
            (s.bytes, s.quantity, rounds)
        };
        let (of_duel, of_bench) = (duel.outcomes[0].as_ref().unwrap(), rows[0].outcome.as_ref().unwrap());
        assert_eq!(shape(of_duel), shape(of_bench), "{size} bytes");
        assert_eq!(of_duel.quantity, Quantity::Throughput, "where one number is shown, it is this");
        let screening = Screening { cold, ..Screening::of(size) };
        let screen = &judge.screen(&[Candidate::new(ECB, &code)], &screening).unwrap()[0];
        assert_eq!(screen.as_ref().unwrap().timing.calls, of_duel.rounds[0].calls);
        assert!(!cold || of_duel.rounds[0].calls == 1, "a cold call is one alone, at {size} bytes, too");
        let latency = rows[0].latency.as_ref().unwrap();
        assert_eq!(latency.rounds[0].calls, of_duel.rounds[0].calls);
    }
}

#[test]
fn key_set_ups_are_judged_too() {
    if !has_aes() {
        return;
    }
    let mut judge = judge();
    let schedule = Problem::new(KeySize::Aes128, Task::KeySchedule(Direction::Encrypt));
    let table = Problem::new(KeySize::Aes128, Task::CtrTable);
    let kernels = [key_schedule(None), key_schedule(Some(240)), key_schedule(Some(0)), vec![0xc3]];
    let mut candidates: Vec<Candidate> = kernels.iter().map(|code| Candidate::new(schedule, code)).collect();
    candidates.push(Candidate::new(table, &[0xc3]));
    let answers = judge.screen(&candidates, &Screening::of(0)).unwrap();
    assert!(answers[0].as_ref().unwrap().cycles() > 1.0);
    let classes: Vec<FaultClass> = answers[1..].iter().map(|a| a.as_ref().unwrap_err().class).collect();
    use FaultClass::{OverWrite, Wrong};
    assert_eq!(classes, [OverWrite, Wrong, Wrong, Wrong]);
}

#[cfg(not(target_arch = "x86_64"))]
#[test]
fn a_machine_without_kernels_is_told_so() {
    let refused = NativeJudge::start(Config::default()).err().expect("nothing is measured here").to_string();
    assert!(refused.contains(std::env::consts::ARCH) && refused.contains("no kernels"), "{refused}");
}

#[test]
fn a_worker_ends_when_its_input_does_and_refuses_nonsense() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    for (input, ends_well) in [(&b""[..], true), (b"\xff\xff\xff\xff\0\0\0\0", false)] {
        let mut worker = Command::new(env!("CARGO_BIN_EXE_judge-worker"))
            .env(aesmith_native::worker::WORKER_VARIABLE, "1")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        worker.stdin.take().unwrap().write_all(input).unwrap();
        assert_eq!(worker.wait().unwrap().success(), ends_well);
    }
}
