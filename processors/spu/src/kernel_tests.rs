//! Kernels in the interpreter and in the prover.

use aesmith_arrange::Variant;
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_isa::assemble::Item;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::{is_soak, judged, part};

use super::CORES;
use super::dimensions;
use super::table::isa;

/// Counter mode with one block at a time.
fn of_one(plain: &Variant) -> Variant {
    plain.with_choice(dimensions::Together::One).expect("a choice")
}

/// Counter mode in its fastest form.
fn of_groups(plain: &Variant) -> Variant {
    let fixed = plain.with_choice(dimensions::Rows::Fixed);
    let cached = fixed.and_then(|v| v.with_choice(dimensions::Counter::Cached));
    cached.and_then(|v| v.with_choice(dimensions::Begun::One)).expect("choices")
}

#[test]
fn kernels_are_right_and_proved() {
    let core = &CORES[0];
    for problem in Problem::all().into_iter().filter(|&p| (core.solves)(p)) {
        let plain = core.table.plain(problem);
        // Kernels for longer keys and for chained blocks are similar. The proof of counter mode by groups takes
        // half a minute, so it is left to a soak.
        let (plain, near) = match (problem.key, problem.task) {
            (KeySize::Aes128, Task::Ctr) if is_soak() => (of_one(&plain), vec![of_groups(&plain)]),
            (_, Task::Ctr) => (of_one(&plain), Vec::new()),
            (KeySize::Aes128, _) => {
                let near = plain.neighbours().into_iter().filter(|v| !v.is(dimensions::Group::One));
                (plain, part(near, 3).collect())
            }
            _ => (plain, Vec::new()),
        };
        for variant in std::iter::once(plain).chain(near) {
            let kernel = (core.build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let ours = judged(core, &kernel, &Interpreter::new(core), 5);
            let (bound, _) = (core.bound)(&variant).expect("there is one");
            let cycles = ours[0].cycles.expect("cycles");
            println!("{variant}: {cycles} cycles, bound {bound}");
            let image = kernel.image(isa()).expect("assembles");
            let function = image.symbol(&kernel.symbol).expect("the function");
            let proof =
                aesmith_prove::bits::prove(isa(), core.convention, &image, function, &kernel.contract);
            match proof {
                Ok(proof) => assert!(proof.constant_time, "{variant}: {:?}", proof.hangs),
                Err(why) => panic!("{variant}: {why}"),
            }
        }
    }
}

/// The published figures are 11.1 and 14.2 cycles per byte (Osvik, Bos, Stefan and Canright, FSE 2010: 13.8 and
/// 10.8 Gbps on six SPEs at 3.2 GHz).
#[test]
fn sixteen_blocks_by_the_byte() {
    let core = &CORES[0];
    for (problem, most) in [("aes128-ecb", 9.4), ("aes128-ecb-dec", 11.3)] {
        let plain = core.table.plain(problem.parse().expect("a problem"));
        let variant = plain.with_choice(dimensions::Rows::Fixed).expect("a choice");
        let kernel = (core.build)(&variant).expect("is built");
        let cycles = judged(core, &kernel, &Interpreter::new(core), 5)[0].cycles.expect("cycles");
        assert!(cycles as f64 / 256.0 <= most, "{variant}: {cycles}");
    }
}

/// An iteration of four blocks takes little more than the bound of its pipes, with the hint for its branch.
#[test]
fn counter_mode_by_the_block() {
    let core = &CORES[0];
    let variant = of_groups(&core.table.plain("aes128-ctr".parse().expect("a problem")));
    let built = BuiltKernel::new(core, (core.build)(&variant).expect("is built")).expect("assembles");
    let cycles = built.cost(core).expect("runs").0.cycles;
    let (bound, _) = (core.bound)(&variant).expect("there is one");
    assert!(cycles <= 114.5 && bound <= cycles && cycles <= 1.02 * bound, "{cycles} of {bound}");
}

/// An iteration begins with the next blocks: the test in the previous iteration has ensured that their counters
/// do not wrap, or that their text exists. If that test, or the one before the first iteration, is off by one,
/// a kernel is wrong only for one last byte of the counter or for one number of blocks.
#[test]
fn a_question_that_is_off_by_one_is_refuted() {
    let core = &CORES[0];
    let plain = |problem: &str| core.table.plain(problem.parse().expect("a problem"));
    let begun = of_one(&plain("aes128-cbc-dec")).with_choice(dimensions::Begun::Two).expect("a choice");
    // The number that a comparison tests for, minus one, and the error: last bytes with which a group of four
    // wraps, and two blocks, the second of which has been started. The proof of the group takes ten seconds, so
    // it is left to a soak.
    for (variant, number, by) in part([(begun, 1, -1), (of_groups(&plain("aes128-ctr")), 252, 1)], 2) {
        let right = (core.build)(&variant).expect("is built");
        let items = &right.sections[0].items;
        let asked = |item: &Item| match item {
            Item::Insn(insn) if isa().of(insn).name == "clgti" => {
                let place = isa().of(insn).fields.iter().position(|f| f.name == "ten").expect("a number");
                (insn.fields[place] == number).then_some(place)
            }
            _ => None,
        };
        // The tests before the first iteration and in each; the one at the end of the last has no effect.
        let places = items.iter().enumerate().filter_map(|(at, item)| Some((at, asked(item)?)));
        let places: Vec<(usize, usize)> = places.take(2).collect();
        assert_eq!(places.len(), 2);
        for (at, place) in places {
            let mut wrong = right.clone();
            if let Item::Insn(insn) = &mut wrong.sections[0].items[at] {
                insn.fields[place] += by;
            }
            let image = wrong.image(isa()).expect("assembles");
            let function = image.symbol(&wrong.symbol).expect("the function");
            let proof = aesmith_prove::bits::prove(isa(), core.convention, &image, function, &wrong.contract);
            assert!(proof.is_err(), "{variant}: the comparison at {at} is off by one");
        }
    }
}
