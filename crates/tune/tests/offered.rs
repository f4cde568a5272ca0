//! Everything offered works: every problem by every technique on every CPU level is delivered without wisdom,
//! proved, in every form, or refused with a message.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_emit::Naming;
use aesmith_emit::c::{Place, Program, portable, with_c_form};
use aesmith_processor::measured::Features;
use aesmith_processor::timing::Timing;
use aesmith_prove::Prover;
use aesmith_tune::deliver::dispatch::{KernelRequest, best_known};
use aesmith_tune::request::{Request, TechniqueRequest};
use aesmith_tune::seeds::seeds;
use aesmith_tune::{Delivery, TuneError};
use aesmith_x86::features;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{Target, build};
use aesmith_x86::levels::LEVELS;
use aesmith_x86::targets;
use std::collections::BTreeSet;

/// True if a problem has no kernel by a technique that the target can run: sixteen streams do not fit sixteen
/// registers of one block, and registers of four blocks need a multiple of four streams. GCM and XTS have kernels by AES
/// instructions, with carry-less products.
fn has_no_kernel(problem: Problem, technique: Technique, target: &Target) -> bool {
    let streams = problem.streams();
    let fill = streams == 16 && !technique.on_words() && target.lanes_of(technique) == 1;
    let cbc = matches!(problem.task, Task::CbcEncrypt { .. });
    let multiplies = matches!(problem.task, Task::Gcm(_) | Task::GcmTable | Task::Xts(_));
    let needs = features::AVX.and(features::PCLMULQDQ);
    let lacks = multiplies && (technique != Technique::Aes || !target.has(needs));
    fill || lacks || technique == Technique::Vbmi && cbc && !streams.is_multiple_of(4)
}

/// True if a problem's key size represents its task for a technique: each technique covers each task with one
/// size, and the techniques together cover all sizes. The size is the same on every level, so that a kernel
/// common to several levels is proved once.
fn is_of_the_cover(problem: Problem, technique: Technique) -> bool {
    let task = problem.task;
    let own: Vec<Problem> = Problem::all().into_iter().filter(|p| p.key == KeySize::Aes128).collect();
    let number = own.iter().position(|p| p.task == task).expect("a task of every size");
    let sizes: Vec<KeySize> = Problem::all().into_iter().filter(|p| p.task == task).map(|p| p.key).collect();
    problem.key == sizes[(number + technique as usize) % sizes.len()]
}

/// A known-good starting point before `chosen` that can be built: it was skipped because it was not proved.
fn passed_over(chosen: &Variant, target: &Target) -> Option<Variant> {
    let known = seeds(chosen.problem, chosen.technique, target);
    known.into_iter().take_while(|variant| variant != chosen).find(|variant| build(variant, target).is_ok())
}

/// The properties of a level that kernels of a technique depend on: on levels with equal properties they are
/// equal.
fn class(technique: Technique, target: &Target) -> (usize, String) {
    const OWN: Features = features::AES
        .and(features::PCLMULQDQ)
        .and(features::VAES)
        .and(features::VPCLMULQDQ)
        .and(features::GFNI)
        .and(features::AVX512VBMI);
    (target.lanes_of(technique), targets::of(target.features.missing_in(OWN)).set())
}

fn deliver(
    problem: Problem,
    technique: Technique,
    target: &Target,
    prover: &mut Prover,
) -> Result<Delivery, TuneError> {
    let request = Request {
        technique: TechniqueRequest::Only(technique),
        timing: Timing::Variable,
        ..Request::default()
    };
    best_known(None, "", KernelRequest { problem, size: 0, target, request: &request }, prover)
}

/// Checks the C forms of a delivered kernel and its key schedule.
fn in_c(kernel: &Delivery, schedule: Option<&Delivery>) -> Result<(), String> {
    let variant = &with_c_form(&kernel.variants[0].1);
    let problem = kernel.problem;
    let own = schedule.is_none();
    let program = Program {
        problem,
        choices: if own { Vec::new() } else { vec![(None, variant.clone())] },
        schedule: Some(schedule.map_or(variant, |s| &s.variants[0].1).clone()),
        table: false,
        naming: Naming::default(),
    };
    if !problem.mode().is_plain() {
        let error = program.file(Place::Alone).map(|_| format!("{variant} has a C form"));
        return error.map_or_else(|_| Ok(()), Err);
    }
    let technique = variant.technique;
    let portable = portable::file(&program, Place::Alone);
    let has_portable = matches!(technique, Technique::Table | Technique::Bytewise | Technique::Bitsliced);
    match &portable {
        Ok(text) if has_portable => assert!(text.contains("C99 for any processor"), "{variant}"),
        Ok(_) => return Err(format!("{variant} has a portable form")),
        Err(error) if has_portable => return Err(format!("{variant} has no portable form: {error}")),
        Err(error) if error.to_string().contains("technique=bitsliced") => {}
        Err(error) => return Err(format!("{variant}: what to use instead is not said: {error}")),
    }
    if !technique.on_words() {
        program.file(Place::Alone).map_err(|error| format!("{variant} has no C form: {error}"))?;
    }
    Ok(())
}

#[test]
fn every_default_is_proved_in_every_form_or_refused_by_a_sentence() {
    let mut prover = prover();
    let mut wrong = Vec::new();
    let (mut delivered, mut classes, mut refused) = (BTreeSet::new(), BTreeSet::new(), 0);
    for level in LEVELS {
        let target = targets::of(level.features);
        for technique in Technique::ALL {
            if !classes.insert((technique, class(technique, &target))) {
                continue;
            }
            for problem in Problem::all() {
                if !is_of_the_cover(problem, technique) {
                    continue;
                }
                let what = format!("{problem} by {technique} on {}", level.name);
                match deliver(problem, technique, &target, &mut prover) {
                    Ok(kernel) => {
                        let variant = &kernel.variants[0].1;
                        assert_eq!((kernel.problem, variant.technique), (problem, technique), "{what}");
                        if let Some(better) = passed_over(variant, &target) {
                            wrong.push(format!("{what}: `{better}` is passed over"));
                        }
                        let new = delivered.insert(variant.to_string());
                        if new && !problem.is_key_table() {
                            let schedule = problem
                                .is_message()
                                .then(|| deliver(problem.key_schedule(), technique, &target, &mut prover));
                            match schedule.transpose() {
                                Ok(schedule) => wrong.extend(in_c(&kernel, schedule.as_ref()).err()),
                                Err(error) => wrong.push(format!("{what} has no key schedule: {error}")),
                            }
                        }
                    }
                    Err(TuneError::Unsupported(why))
                        if target.lanes_of(technique) == 0 || has_no_kernel(problem, technique, &target) =>
                    {
                        refused += 1;
                        let named = [
                            "would work",
                            "cbc-x8",
                            "do not fill registers of 4 blocks",
                            "technique aes has",
                            "needs PCLMULQDQ",
                            "need PCLMULQDQ",
                        ];
                        if !named.iter().any(|what| why.contains(what)) {
                            wrong.push(format!("{what} is refused, and not with the right sentence: {why}"));
                        }
                    }
                    Err(error) => wrong.push(format!("{what}: {error}")),
                }
            }
        }
    }
    println!("{} variants are delivered, {refused} combinations refused", delivered.len());
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
