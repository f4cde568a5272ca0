//! Several kernels joined to one that chooses by length: each is written for the lengths it is chosen for,
//! and all are proved together. A kernel with code that no length reaches is refused; then the plan without
//! it is used.

use crate::deliver::judged::as_asked;
use crate::deliver::lengths::Plan;
use crate::deliver::{Delivery, kernel_name, named};
use crate::error::TuneError;
use crate::evaluate::keeps_promises;
use crate::request::Request;
use aesmith_arrange::Variant;
use aesmith_processor::measured::{Joined, Kernel, Target, Unfit};
use aesmith_prove::{Coverage, LanesCertificate, Prover};

/// Reasons why kernels are not joined.
#[derive(Debug)]
enum Unjoined {
    /// A kernel, by its index in the plan, does not fit its lengths.
    Part(usize, String),
    /// Any other error.
    Other(TuneError),
}

impl From<Unfit> for Unjoined {
    fn from(unfit: Unfit) -> Unjoined {
        Unjoined::Other(TuneError::Unsupported(unfit.to_string()))
    }
}

/// The kernel of a plan. If a part does not fit its lengths, for example because some of its code would be
/// dead, its neighbour takes them.
///
/// # Errors
/// A variant is not a kernel or is not admitted, or the code is not proved.
pub fn joined(
    plan: &Plan,
    target: &Target,
    request: &Request,
    prover: &mut Prover,
) -> Result<Delivery, TuneError> {
    let mut plan = plan.clone();
    let mut notes = Vec::new();
    loop {
        if let [(_, variant)] = &plan[..] {
            return Ok(Delivery { notes, ..Delivery::of_variant(variant, target, request, prover)? });
        }
        match join(&plan, target, request, prover) {
            Ok(kernel) => return Ok(Delivery { notes, ..kernel }),
            Err(Unjoined::Other(error)) => return Err(error),
            Err(Unjoined::Part(part, why)) => {
                let (_, variant) = plan.remove(part);
                notes.push(format!("`{variant}` is not among the kernels chosen by length: {why}"));
                if let Some((limit, _)) = plan.last_mut() {
                    *limit = None;
                }
            }
        }
    }
}

/// The kernel of exactly this plan.
fn join(plan: &Plan, target: &Target, request: &Request, prover: &mut Prover) -> Result<Delivery, Unjoined> {
    let limits: Vec<Option<u64>> = plan.iter().map(|(limit, _)| limit.map(|l| l as u64)).collect();
    let wanted: Vec<_> = limits.iter().copied().zip(plan.iter().map(|(_, variant)| variant)).collect();
    let kernels = target.parts(&wanted)?;
    if let Some(part) = kernels.iter().position(|kernel| !request.admits(&kernel.variant)) {
        let why =
            format!("what its lengths reach of it is `{}`, which is not asked for", kernels[part].variant);
        return Err(Unjoined::Part(part, why));
    }
    let chosen: Vec<(Option<u64>, &Kernel)> = limits.into_iter().zip(&kernels).collect();
    let joined = (target.processor.join)(&chosen)?;
    if joined.bytes.len() > target.most_bytes {
        return Err(Unjoined::Other(TuneError::Unsupported(format!(
            "together they take {} bytes, and the most is {}",
            joined.bytes.len(),
            target.most_bytes
        ))));
    }
    let last = &kernels[kernels.len() - 1].variant;
    let technique = last.technique_name();
    let name = named(technique, &format!("by-length-{}", plan.len()), &joined.bytes);
    let (certificate, coverage) = proved(last, &name, &joined, prover)?;
    for kernel in &kernels {
        keeps_promises(&kernel.variant, certificate.is_variable_time(), certificate.wiped)
            .map_err(|why| Unjoined::Other(TuneError::NotProved(why)))?;
    }
    let mut places = vec![("choice by length".to_owned(), 0)];
    for (kernel, (start, limit)) in kernels.iter().zip(&joined.parts) {
        let range = limit.map_or("every other length".to_owned(), |l| format!("up to {l} bytes"));
        places.push((format!("{}, {range}", kernel_name(kernel)), *start));
        places.extend(kernel.places.iter().map(|(name, at)| ((*name).to_owned(), start + at)));
    }
    let delivery = Delivery {
        processor: target.processor,
        problem: last.problem,
        name,
        bytes: joined.bytes,
        places,
        variants: plan.clone(),
        written: kernels.into_iter().map(|kernel| kernel.variant).collect(),
        technique: technique.to_owned(),
        certificate,
        coverage,
        notes: Vec::new(),
        confirmed: Vec::new(),
        cost: None,
        hint: String::new(),
    };
    let unchecked = |why| Unjoined::Other(TuneError::NoResult(format!("together {why}")));
    as_asked(request, &delivery.claim()).map_err(unchecked)?;
    Ok(delivery)
}

/// The certificate of joined kernels, and the coverage of their proof: every instruction.
fn proved(
    last: &Variant,
    name: &str,
    joined: &Joined,
    prover: &mut Prover,
) -> Result<(LanesCertificate, Coverage), Unjoined> {
    let refuted =
        |r| Unjoined::Other(TuneError::NotProved(format!("the kernels joined are not proved: {r}")));
    let certificate = prover.certify(last.problem, name, &joined.bytes).map_err(refuted)?;
    let coverage = prover.prove(last.problem, &joined.bytes).map_err(refuted)?.coverage;
    let unreached = prover.unreached(&coverage, &joined.bytes, &joined.code);
    let Some(first) = unreached.first() else { return Ok((certificate, coverage)) };
    let part = joined.parts.iter().filter(|(start, _)| *start > first.start).count();
    let bytes: usize = unreached.iter().map(ExactSizeIterator::len).sum();
    let why = format!("none of its lengths reaches all of its code; {bytes} bytes of code would be dead");
    Err(Unjoined::Part(part, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions::{self, Dim};
    use aesmith_x86::instructions::prover;
    use aesmith_x86::kernels::{build, dispatch};
    use aesmith_x86::targets;

    fn variant(text: &str) -> Variant {
        dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn a_joined_kernel_with_unreachable_code_is_refused() {
        let small = variant("aes256-ctr width=zmm interleave=8 cached=1");
        let large = variant("aes256-ctr width=zmm interleave=4");
        // Both are written for every length: no message of the first reaches its loop.
        let whole = [&small, &large].map(|v| build(v, &targets::ALL).unwrap());
        let planted = dispatch(&[(Some(480), &whole[0]), (None, &whole[1])]).unwrap();
        let refused = proved(&large, "planted", &planted, &mut prover()).unwrap_err();
        let Unjoined::Part(0, why) = refused else { panic!("{refused:?}") };
        assert!(why.contains("bytes of code would be dead"), "{why}");
        let any = Request::default();
        let plan = vec![(Some(480), small), (None, large)];
        let written_for_it = join(&plan, &targets::ALL, &any, &mut prover()).unwrap();
        assert!(!written_for_it.coverage.reads_table());
    }

    /// Just above twice its group, the second kernel would refill its pipeline after 256 blocks, but no such
    /// message is that long.
    #[test]
    fn where_a_part_is_dead_the_next_kernel_takes_its_lengths() {
        let plan = vec![
            (Some(64), variant("aes256-ctr")),
            (Some(1040), variant("aes256-ctr width=zmm interleave=4 counter=add ii=5")),
            (None, variant("aes256-ctr width=zmm interleave=4")),
        ];
        let (any, mut prover) = (Request::default(), prover());
        let refused = join(&plan, &targets::ALL, &any, &mut prover).unwrap_err();
        assert!(matches!(refused, Unjoined::Part(1, _)), "{refused:?}");
        let kernel = joined(&plan, &targets::ALL, &any, &mut prover).unwrap();
        assert_eq!(kernel.variants, [plan[0].clone(), plan[2].clone()]);
        assert_eq!(kernel.notes.len(), 1, "{:?}", kernel.notes);
    }

    /// A plan of three kernels per mode, each unsuitable for its neighbours' lengths.
    const PLANS: [(&str, [&str; 3]); 4] = [
        ("ecb", ["width=xmm interleave=4", "width=zmm interleave=4", "width=zmm interleave=8 tail=halve"]),
        ("ecb-dec", ["width=zmm", "width=ymm interleave=4", "width=zmm keys=0x7fff interleave=6 ii=4"]),
        (
            "cbc-dec",
            [
                "width=zmm interleave=8",
                "width=ymm interleave=4 fold=yes",
                "width=zmm keys=0x7fff interleave=4",
            ],
        ),
        (
            "cbc",
            [
                "unroll=8 together=yes xor=folded",
                "xor=folded",
                "keys=0x7fff unroll=4 together=yes xor=folded",
            ],
        ),
    ];

    /// Every mode with one length has a choice by length, and all of its code is reached.
    #[test]
    fn kernels_of_every_mode_are_joined() {
        let (any, mut prover) = (Request::default(), prover());
        for key in ["aes128", "aes256"] {
            for (mode, texts) in PLANS {
                let variants = texts.map(|text| variant(&format!("{key}-{mode} {text}")));
                let plan: Plan = [Some(64), Some(512), None].into_iter().zip(variants).collect();
                let kernel = joined(&plan, &targets::ALL, &any, &mut prover).unwrap();
                assert_eq!((&kernel.variants, kernel.notes), (&plan, vec![]), "{key}-{mode}");
                assert!(kernel.name.contains("-by-length-3-"), "{}", kernel.name);
            }
        }
    }

    /// Joined kernels of GCM: one for less than a block and one for a single length know how much is left of a message
    /// where they select its last bytes; none but the first has read the value of GHASH where the paths to it meet.
    #[test]
    fn kernels_of_gcm_are_joined() {
        let parts = [
            ("aes128-gcm", Some(15), "width=zmm interleave=8 cached=2"),
            ("aes128-gcm", Some(63), "width=xmm interleave=4 tail=halve"),
            ("aes128-gcm", Some(300), "width=ymm interleave=8"),
            ("aes128-gcm", Some(4000), "width=zmm interleave=8 counter=add tail=halve absorb=read"),
            ("aes128-gcm", None, "width=zmm interleave=7"),
            ("aes256-gcm-dec", Some(512), "width=zmm interleave=4 tail=group"),
            ("aes256-gcm-dec", Some(513), "width=zmm interleave=8"),
            ("aes256-gcm-dec", None, "width=zmm interleave=8 cached=2"),
            ("aes192-gcm", Some(40), "width=ymm interleave=8"),
            ("aes192-gcm", None, "width=zmm interleave=7 tail=group"),
        ];
        let (any, mut prover) = (Request::default(), prover());
        for of_problem in parts.chunk_by(|a, b| a.0 == b.0) {
            let of =
                |&(problem, limit, choices): &(_, _, _)| (limit, variant(&format!("{problem} {choices}")));
            let plan: Plan = of_problem.iter().map(of).collect();
            let problem = of_problem[0].0;
            // Some code of a part for a single length is dead, which is found only after the proof.
            match join(&plan, &targets::ALL, &any, &mut prover) {
                Ok(kernel) => assert_eq!(kernel.variants, plan),
                Err(Unjoined::Part(part, _)) => assert_eq!(part, 1, "{problem}"),
                Err(Unjoined::Other(why)) => panic!("{problem}: {why}"),
            }
        }
    }

    /// With several streams the first one's length decides; the kernel is correct for any lengths of the
    /// others.
    #[test]
    fn kernels_of_several_streams_are_joined() {
        let (any, mut prover) = (Request::default(), prover());
        for streams in [2, 4, 8, 16] {
            let text = |choices: &str| variant(&format!("aes128-cbc-x{streams} together=yes {choices}"));
            let (short, long) = match streams {
                2 => ("width=xmm", "width=xmm unroll=4 xor=folded"),
                16 => ("width=zmm", "width=zmm unroll=4 xor=folded gather=transpose"),
                _ => ("width=ymm", "width=zmm unroll=4 xor=folded gather=transpose"),
            };
            let plan = vec![(Some(64), text(short)), (None, text(long))];
            let kernel = joined(&plan, &targets::ALL, &any, &mut prover).unwrap();
            assert_eq!((&kernel.variants, kernel.notes), (&plan, vec![]), "{streams} streams");
        }
    }

    /// A caching kernel whose loop no length reaches is reduced to a part that does not cache.
    #[test]
    fn a_part_without_what_is_asked_for_is_not_joined() {
        let small = variant("aes256-ctr width=zmm interleave=8 cached=1");
        let large = variant("aes256-ctr width=zmm interleave=4 cached=1");
        let request = Request { only: vec![(Dim::Cached.into(), vec![1])], ..Request::default() };
        let plan = vec![(Some(480), small), (None, large.clone())];
        let kernel = joined(&plan, &targets::ALL, &request, &mut prover()).unwrap();
        assert_eq!(kernel.variants, [(None, large)]);
        assert!(kernel.coverage.reads_table());
    }
}
