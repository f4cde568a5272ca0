//! The kernels to be checked, and comparisons in loops.

use aesmith_cipher::{KeySize, Task};
use aesmith_isa::assemble::Item;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::trial::kernels::{Checks, near, refuted_or_proved, variants};
use aesmith_processor::trial::{built, is_soak, part};

use super::CORES;
use super::dimensions::Group;
use super::table::isa;

/// Counter mode in its fastest form.
const GROUPS: &str = "aes128-ctr shiftrows=fixsliced counter=cached begun=1";

#[test]
fn kernels_are_right_and_proved() {
    let core = &CORES[0];
    // Kernels for longer keys and for chained blocks are similar.
    let mut all = near(core, &[""], [3, 100]);
    all.retain(|v| v.problem.task != Task::Ctr && (v.problem.key != KeySize::Aes128 || !v.is(Group::One)));
    all.extend(variants(core, &["aes128-ctr together=1", "aes192-ctr together=1", "aes256-ctr together=1"]));
    // The proof of counter mode by groups takes half a minute, so it is left to a soak.
    all.extend(variants(core, if is_soak() { &[GROUPS] } else { &[] }));
    Checks { constant: |_| Some(true), ..Checks::PROVED }.of(core, &all);
}

/// An iteration of four blocks takes little more than the bound of its pipes, with the hint for its branch.
#[test]
fn counter_mode_by_the_block() {
    let core = &CORES[0];
    let variant = &variants(core, &[GROUPS])[0];
    let kernel = BuiltKernel::new(core, built(core, variant).expect("is built")).expect("assembles");
    let cycles = kernel.cost(core).expect("runs").0.cycles;
    let (bound, _) = (core.bound)(variant).expect("there is one");
    assert!(cycles <= 114.5 && bound <= cycles && cycles <= 1.02 * bound, "{cycles} of {bound}");
}

/// An iteration begins with the next blocks: the test in the previous iteration has ensured that their counters
/// do not wrap, or that their text exists. If that test, or the one before the first iteration, is off by one,
/// a kernel is wrong only for one last byte of the counter or for one number of blocks.
#[test]
fn a_question_that_is_off_by_one_is_refuted() {
    let core = &CORES[0];
    // The number that a comparison tests for, minus one, and the error: last bytes with which a group of four wraps, and two
    // blocks, the second of which has been started. The proof of the group takes ten seconds, so it is left to a soak.
    for (text, number, by) in part([("aes128-cbc-dec together=1 begun=2", 1, -1), (GROUPS, 252, 1)], 2) {
        let right = built(core, &variants(core, &[text])[0]).expect("is built");
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
            assert!(refuted_or_proved(core, &wrong).is_err(), "{text}: the comparison at {at} is off by one");
        }
    }
}
