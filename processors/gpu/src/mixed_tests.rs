//! Kernels with two kinds of warps: they are the cipher, and texts in which the kinds do not divide the text
//! exactly are refused.

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::Insn;
use aesmith_isa::table::Kind;
use aesmith_processor::trial::is_soak;
use aesmith_prove::grid::Part;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::kernel_tests::launched;
use crate::proof_tests::{faulty, printed, proved};
use crate::table::isa;
use crate::text;

const CTR: &str = "aes128-ctr technique=mixed";
const CACHED: &str = "aes128-ctr technique=mixed counter=cached";
const ECB: &str = "aes128-ecb technique=mixed";

/// The stride through a list of cases: proofs and runs of two kinds take seconds.
pub(crate) fn step() -> usize {
    if is_soak() { 1 } else { 4 }
}

/// With cached counters, where numbers begin before the text; in a soak also without.
fn both() -> &'static [&'static str] {
    if is_soak() { &[CACHED, ECB] } else { &[CACHED] }
}

#[test]
fn two_kinds_of_warps_are_proved() {
    for (variant, blocks, inner) in [
        (CTR, 2, [9, 1]),
        (CACHED, 8, [7, 2]),
        ("aes192-ctr technique=mixed counter=cached share=1", 8, [9, 2]),
        ("aes256-ctr technique=mixed share=8", 2, [13, 1]),
        (ECB, 2, [9, 1]),
        ("aes192-ecb technique=mixed share=2", 2, [11, 1]),
        ("aes256-ecb-dec technique=mixed share=4", 2, [13, 1]),
    ] {
        let (text, contract) = printed(variant);
        let proof = proved(&text, &contract).unwrap_or_else(|e| panic!("{variant}: {e}"));
        assert!(proof.constant_time, "{variant}: {:?}", proof.hangs.first());
        let share = variant.split_once("share=").map_or(3, |(_, share)| share.parse().expect("a number"));
        let part = Some(Part { shift: 13, times: 256 * share });
        let [sliced, tables] = proof.kinds[..] else { panic!("{variant}: {:?}", proof.kinds) };
        assert_eq!((sliced.threads, sliced.a_turn, sliced.inner), (128, 32, inner[0]), "{variant}");
        assert_eq!((sliced.from, sliced.until), (None, part), "{variant}");
        assert_eq!((tables.threads, tables.a_turn, tables.inner), (128, blocks, inner[1]), "{variant}");
        assert_eq!((tables.from, tables.until), (part, None), "{variant}");
    }
}

#[test]
fn two_kinds_of_warps_are_the_cipher() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for (variant, counts) in [
        (CACHED, &[0, 8192 + 301][..]),
        (CTR, &[8192 + 31]),
        (ECB, &[8192 + 5]),
        ("aes256-ctr technique=mixed counter=cached share=8", &[2 * 8192 + 77]),
        ("aes192-ecb-dec technique=mixed", &[8192 + 129]),
        (CACHED, &[8191]),
    ]
    .into_iter()
    .step_by(step())
    {
        let (text, _) = printed(variant);
        for &count in counts {
            let groups = random.random_range(1..4);
            let ran = launched(&text, variant, groups, count, &mut random);
            assert!(ran.most_words <= 1, "{variant}: each lane has a bank of its own");
        }
    }
}

/// A text with its program changed.
fn edited(text: &str, change: impl FnOnce(&mut Vec<Insn>)) -> String {
    let mut program = text::read(text).expect("is read");
    change(&mut program.insns);
    text::print(&program)
}

fn is(insn: &Insn, row: &str) -> bool {
    isa().of(insn).name == row
}

fn field(insn: &Insn, name: &str) -> usize {
    isa().of(insn).fields.iter().position(|f| f.name == name).expect("it has the field")
}

fn operand(insn: &Insn, name: &str) -> i32 {
    insn.fields[field(insn, name)]
}

/// The index at which the bit-sliced threads' instructions end and those of the others begin.
fn divided(insns: &[Insn]) -> usize {
    insns.iter().position(|insn| is(insn, "ret")).expect("a kind ends") + 1
}

/// The instructions of a row whose field has a value, as numbers among all instructions of the row.
fn which(text: &str, row: &str, (name, value): (&str, i32)) -> Vec<usize> {
    let program = text::read(text).expect("is read");
    let all = program.insns.iter().filter(|insn| is(insn, row));
    (0..).zip(all).filter(|(_, insn)| operand(insn, name) == value).map(|(at, _)| at).collect()
}

/// Checks that each text is refused for its reason; outside a soak, every fourth one.
fn all_refused(variant: &str, contract: &Firmware, text: &str, wrong: &[(&str, String, &str)]) {
    for (what, wrong, why) in wrong.iter().step_by(step()) {
        assert_ne!(wrong, text, "{variant}: {what}");
        let refused = match proved(wrong, contract) {
            Ok(proof) => panic!("{variant}: {what} is proved: {:?}", proof.kinds),
            Err(refused) => refused.to_string(),
        };
        assert!(refused.contains(why), "{variant}: {what}: {refused}");
    }
}

/// Both kinds must derive the same part from the number of blocks, and no more than that number.
#[test]
fn parts_that_do_not_meet_are_refused() {
    for &variant in both() {
        let (text, contract) = printed(variant);
        let shifted = |row: &str, value: i32, of: usize, to: i32| {
            faulty(&text, row, which(&text, row, ("m", value))[of], "m", |_| to)
        };
        let both = |row: &str, value: i32, to: i32| {
            let places = which(&text, row, ("m", value));
            assert_eq!(places.len(), 2, "{variant}: {row}");
            places.into_iter().fold(text.clone(), |text, place| faulty(&text, row, place, "m", |_| to))
        };
        let (none, hangs) = ("no threads take the blocks of text from", "control hangs on");
        all_refused(
            variant,
            &contract,
            &text,
            &[
                ("a part of more than all", both("shl64", 9, 14), hangs),
                ("a part of half as much", shifted("shr64", 13, 0, 14), none),
                ("a part that ends later", shifted("shl64", 9, 0, 10), none),
                ("a part that ends earlier", shifted("shl64", 9, 0, 8), none),
                ("a part that begins later", shifted("shl64", 9, 1, 10), none),
                ("a part that begins earlier", shifted("shl64", 9, 1, 8), none),
                ("a part of twice as much behind", shifted("shr64", 13, 1, 12), none),
                ("parts of too few blocks", both("shr64", 13, 9), hangs),
                ("a part of all", both("shr64", 13, 0), ""),
                ("a part of none", both("shr64", 13, 25), hangs),
            ],
        );
        // Other divisions are valid, too, if both kinds use the same.
        for other in [both("shl64", 9, 10), both("shr64", 13, 10)] {
            assert_eq!(proved(&other, &contract).map(|proof| proof.kinds.len()), Ok(2), "{variant}");
        }
    }
}

/// Threads of one kind process blocks of the others, or leave some of their own.
#[test]
fn what_is_of_the_other_kind_is_not_taken() {
    for variant in [CTR, CACHED] {
        let (text, contract) = printed(variant);
        // From the first comparison of the bit-sliced threads on, or after it, their part is the whole text.
        let without_end = |behind: bool| {
            let (begin, compare) = text.match_indices("    setp.ge.u64 ").next().expect("their loop");
            let line = &text[begin..begin + text[begin..].find('\n').expect("a line") + 1];
            let part = line[compare.len()..].trim_end_matches([';', '\n']).split(' ').nth(2).expect("a part");
            let all = format!("    ld.param.u64 {part}, [blocks];\n");
            let both = if behind { format!("{line}{all}") } else { format!("{all}{line}") };
            text.replacen(line, &both, 1)
        };
        let cached = variant == CACHED;
        // The addend of the first number of the tables' threads.
        let from_the_first = edited(&text, |insns| {
            let begin = divided(insns);
            let at = begin + insns[begin..].iter().position(|insn| is(insn, "ge")).expect("their loop");
            let next = operand(&insns[at], "y");
            let sum =
                insns[begin..at].iter().rposition(|insn| is(insn, "add64") && operand(insn, "x") == next);
            let sum = &mut insns[begin + sum.expect("a sum")];
            let (x, y) = (operand(sum, "x"), operand(sum, "y"));
            *sum = isa().insn("mov64", &[("x", x), ("y", y)]);
        });
        // Changes their first number before it is compared with the end.
        let moved = |change: &str| {
            let (begin, compare) = text.match_indices("    setp.ge.u64 ").nth(1).expect("their loop");
            let next = text[begin + compare.len()..].split([',', ' ']).nth(2).expect("their number");
            format!("{}    {}\n{}", &text[..begin], change.replace("NEXT", next), &text[begin..])
        };
        // Without cached counters each block of the other kind is refused by itself, in the first case of the list.
        let mut wrong = Vec::new();
        if !cached {
            wrong.push((
                "blocks of bit slices behind their part",
                without_end(true),
                "where other threads begin",
            ));
        }
        wrong.extend([
            (
                "bit slices to the end of the text",
                without_end(false),
                if cached { "" } else { "of two kinds" },
            ),
            ("tables from the first block on", from_the_first, "no threads take the blocks of text"),
            ("a group of 256 between both kinds", moved("add.u64 NEXT, NEXT, 256;"), "none first"),
            ("threads with tables two by two", moved("and.b64 NEXT, NEXT, 2147483646;"), ""),
            ("threads with tables an address on", moved("add.u64 NEXT, NEXT, NEXT;"), ""),
        ]);
        all_refused(variant, &contract, &text, &wrong);
    }
}

/// Numbers of threads, kinds and strides.
#[test]
fn threads_of_wrong_kinds_and_steps_are_refused() {
    for &variant in both() {
        let (text, contract) = printed(variant);
        let fault = |row: &str, which: usize, field: &str, change: &dyn Fn(i32) -> i32| {
            faulty(&text, row, which, field, change)
        };
        let (own, half) = (which(&text, "and_n", ("n", 127))[0], which(&text, "shr", ("n", 7))[0]);
        let kind = which(&text, "lt_n", ("n", 1))[0];
        // Kinds selected by another bit.
        let by = |bit: i32| {
            edited(&text, |insns| {
                let insn = insns.iter_mut().find(|insn| is(insn, "shr") && operand(insn, "n") == 7);
                let insn = insn.expect("half of the threads");
                let (d, a) = (operand(insn, "d"), operand(insn, "a"));
                *insn = isa().insn("and_n", &[("d", d), ("a", a), ("n", 1 << bit)]);
            })
        };
        let data = "control hangs on data";
        all_refused(
            variant,
            &contract,
            &text,
            &[
                ("lanes of two kinds", by(4), data),
                ("64 numbers of 128 threads", fault("and_n", own, "n", &|_| 63), "of numbers"),
                ("a quarter of the threads", fault("shr", half, "n", &|_| 6), data),
                ("kinds by bit 6", by(6), "of numbers"),
                ("all threads bit-sliced", fault("lt_n", kind, "n", &|_| 2), "of numbers"),
                ("none of them", fault("lt_n", kind, "n", &|_| 0), "of numbers"),
                ("blocks left out by bit slices", fault("product", 0, "m", &|m| 2 * m), "the next begins"),
                ("turns left out by bit slices", fault("product", 1, "m", &|m| 2 * m), "the next begins"),
                ("blocks left out by tables", fault("product", 2, "m", &|m| 2 * m), "the next begins"),
                ("turns left out by tables", fault("product", 3, "m", &|m| 2 * m), "the next begins"),
                ("blocks taken twice by bit slices", fault("product", 0, "m", &|m| m / 2), "the next begins"),
                ("blocks taken twice by tables", fault("product", 3, "m", &|m| m / 2), "the next begins"),
            ],
        );
        // The other half of the threads may be the bit-sliced ones.
        let other = edited(&text, |insns| {
            let insn = insns.iter_mut().find(|insn| is(insn, "bra_unless")).expect("kinds go their ways");
            let (p, to) = (operand(insn, "p"), operand(insn, "to"));
            *insn = isa().insn("bra_if", &[("p", p), ("to", to)]);
        });
        let turned =
            proved(&other, &contract).map(|proof| proof.kinds.iter().map(|k| k.a_turn).collect::<Vec<_>>());
        assert_eq!(turned, Ok(vec![if variant == CACHED { 8 } else { 2 }, 32]), "{variant}");
        // A replica of another lane holds the same word, in a bank that two lanes share.
        let lane = which(&text, "and_n", ("n", 31))[0];
        let shared = proved(&fault("and_n", lane, "n", &|n| n >> 1), &contract).expect("is the cipher");
        assert!(!shared.constant_time && shared.hangs[0].what == "bank", "{variant}: {:?}", shared.hangs);
    }
}

/// Single faults in the code before the loops of both kinds: a text that is still proved must compute the
/// cipher.
#[test]
fn no_fault_before_the_loops_is_proved_and_wrong() {
    let (text, contract) = printed(CACHED);
    let program = text::read(&text).expect("is read");
    let barrier = program.insns.iter().position(|insn| is(insn, "barrier")).expect("tables are filled");
    let heads = program.insns.iter().enumerate().filter(|(_, insn)| is(insn, "ge")).map(|(at, _)| at + 2);
    let heads: Vec<usize> = heads.collect();
    let places: Vec<usize> = (barrier + 1..heads[0]).chain(divided(&program.insns)..heads[1]).collect();
    let mut random = ChaCha8Rng::seed_from_u64(31);
    let (mut refuted, mut harmless) = (0, 0);
    let tried = if is_soak() { 100 } else { 4 };
    for _ in 0..tried {
        let at = places[random.random_range(0..places.len())];
        let wrong = edited(&text, |insns| {
            let row = isa().of(&insns[at]);
            if row.fields.is_empty() {
                return;
            }
            let place = random.random_range(0..row.fields.len());
            let field = &mut insns[at].fields[place];
            *field = match row.fields[place].kind {
                Kind::Register { base, .. } => {
                    i32::from(base) + (*field - i32::from(base) + random.random_range(1..4)) % 8
                }
                Kind::Names { names, .. } => (*field + 1) % names.len() as i32,
                _ => *field ^ 1 << random.random_range(0..8),
            };
        });
        // A changed number may not be encodable in the instruction, and a place may be outside the program.
        let Ok(read) = text::read(&wrong) else { continue };
        if read == program {
            continue;
        }
        match proved(&wrong, &contract) {
            Err(_) => refuted += 1,
            Ok(_) => {
                harmless += 1;
                launched(&wrong, CACHED, 2, 8192 + 300, &mut random);
            }
        }
    }
    assert!(refuted > tried / 3, "{refuted} refuted, {harmless} harmless");
}
