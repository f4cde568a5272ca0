//! Requirements of a platform, tested on a toy: its own registers, unaligned words, rounded addresses, products.

// The message functions are for other tests.

use aesmith_cipher::{Direction, KeySize, Task};
use aesmith_isa::Unaligned;
use aesmith_isa::assemble::Item;
use aesmith_isa::convention::{Convention, Reserved};
use aesmith_prove::bits::{Proof, prove};

use crate::machine::{CONVENTION, Code, by_tables, contract, tables};

/// The block function after a few instructions.
fn block(
    unaligned: Unaligned,
    reserved: &'static [Reserved],
    before: impl Fn(&mut Code),
) -> Result<Proof, String> {
    block_by(&Convention { reserved, ..CONVENTION }, unaligned, before)
}

/// [`block`] by another convention.
fn block_by(
    convention: &Convention,
    unaligned: Unaligned,
    before: impl Fn(&mut Code),
) -> Result<Proof, String> {
    let mut code = Code::new();
    code.isa.about.unaligned = unaligned;
    before(&mut code);
    // The lowest byte of r3 is extracted by shifts instead of a mask in r12, so that the function does not use r12.
    let [mask, masked] = [
        code.isa.insn("li", &[("d", 12), ("k", 255)]),
        code.isa.insn("and", &[("d", 3), ("a", 3), ("b", 12)]),
    ];
    let shift = |name| code.isa.insn(name, &[("d", 3), ("a", 3), ("n", 24)]);
    let by_shifts = [(mask, shift("shl")), (masked, shift("shr"))];
    for item in &by_tables(KeySize::Aes128).items[1..] {
        let instead = by_shifts.iter().find(|(old, _)| matches!(item, Item::Insn(insn) if insn == old));
        code.items.push(instead.map_or_else(|| item.clone(), |&(_, new)| Item::Insn(new)));
    }
    let image = code.image(tables());
    let start = image.symbol("f").expect("is there");
    let contract = contract(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    prove(&code.isa, convention, &image, start, &contract).map_err(|e| e.sentence)
}

const WORKS: Unaligned = Unaligned::Works { source: "the toy's manual" };
const SINGLE: Unaligned = Unaligned::Single { others: "is a fault", source: "the toy's manual" };
const NEVER: Unaligned = Unaligned::Never { is: "is a fault", source: "the toy's manual" };

const THREAD: Reserved = Reserved {
    registers: &[12],
    holds: "the thread",
    source: "the toy's ABI, 1",
    changes: false,
    only: None,
};

/// Writes register 12 and restores it.
fn borrowed(code: &mut Code) {
    code.two("addi", 3, 12, 0);
    code.push("li", &[("d", 12), ("k", 0)]);
    code.two("addi", 12, 3, 0);
}

#[test]
fn a_register_of_the_platform_is_not_written_even_if_it_is_restored() {
    assert!(block(WORKS, &[], borrowed).is_ok());
    let why = block(WORKS, &[THREAD], borrowed).expect_err("it is written");
    assert!(why.contains("writes r12, which holds the thread (the toy's ABI, 1)"), "{why}");
    let read = |code: &mut Code| code.two("addi", 3, 12, 0);
    assert!(block(WORKS, &[THREAD], read).is_ok());
    // A register that the platform may write at any time holds an unreliable value.
    let volatile = &[Reserved { changes: true, ..THREAD }];
    let why = block(WORKS, volatile, |code| code.three("xor", 3, 12, 12)).expect_err("it is read");
    assert!(why.contains("reads r12"), "{why}");
}

#[test]
fn a_register_that_some_platforms_reserve_is_a_condition() {
    let some = &[Reserved { only: Some("threads of the toy"), ..THREAD }];
    let proof = block(WORKS, some, borrowed).expect("it is restored");
    let said = ["A function may use r12: not so in threads of the toy (the toy's ABI, 1)."];
    assert_eq!(proof.conditions, said);
    assert_eq!(block(WORKS, some, |_| {}).expect("it is not used").conditions, [""; 0]);
}

#[test]
fn words_at_no_multiple_of_their_size_are_what_the_processor_makes_of_them() {
    for (at, works, single, never) in
        [(0, true, true, true), (4, true, true, true), (2, true, true, false), (1, true, true, false)]
    {
        for (rule, right) in [(WORKS, works), (SINGLE, single), (NEVER, never)] {
            let found = block(rule, &[], |code| code.two("lw", 3, 1, at));
            assert_eq!(found.is_ok(), right, "{at}: {rule:?}: {found:?}");
            if let Ok(proof) = found {
                assert_eq!(proof.conditions.is_empty(), at % 4 == 0, "{at}");
                assert_eq!(proof.alignment, 4);
            }
        }
    }
    let why = block(NEVER, &[], |code| code.two("lw", 3, 1, 1)).expect_err("it is a fault");
    assert!(why.contains("which is a fault (the toy's manual)"), "{why}");
}

/// Callers that promise no alignment give words at any address.
#[test]
fn words_of_buffers_at_any_address_need_a_processor_that_loads_them() {
    let found = |buffers: u8, rule| block_by(&Convention { buffers, ..CONVENTION }, rule, |_| {});
    for (buffers, rule, right) in
        [(1, WORKS, true), (1, NEVER, false), (2, NEVER, false), (4, NEVER, true), (1, SINGLE, true)]
    {
        let found = found(buffers, rule);
        assert_eq!(found.is_ok(), right, "{buffers}: {rule:?}: {found:?}");
    }
}

/// Rounding an address down is proved to multiples of four at most.
fn is_of_fours(rounded: impl Fn(i32) -> Result<Proof, String>) {
    assert!(rounded(2).is_ok() && rounded(4).is_ok());
    for to in [8, 16, 32, 64] {
        let why = rounded(to).expect_err("it is at a multiple of 4");
        assert!(why.contains(&format!("rounded down to a multiple of {to}")), "{why}");
    }
}

#[test]
fn addresses_are_rounded_to_what_callers_promise_and_no_more() {
    let rounded = |to: i32| {
        block(NEVER, &[], move |code| {
            // This is minus `to`: `li` loads numbers of 16 bits without a sign.
            code.push("li", &[("d", 3), ("k", 0)]);
            code.two("addi", 3, 3, -to);
            code.three("and", 1, 1, 3);
        })
    };
    is_of_fours(rounded);
}

#[test]
fn addresses_of_the_stack_are_rounded_to_what_the_convention_says_and_no_more() {
    let rounded = |to: i32| {
        block(WORKS, &[], move |code| {
            code.push("li", &[("d", 3), ("k", 0)]);
            code.two("addi", 3, 3, -to);
            code.two("addi", 13, 13, -64);
            code.two("addi", 9, 13, 32);
            code.three("and", 9, 9, 3);
            code.two("sw", 3, 9, 0);
            code.two("addi", 13, 13, 64);
        })
    };
    is_of_fours(rounded);
}

#[test]
fn the_stack_pointer_is_a_multiple_of_four_at_any_time() {
    let moved = |by: i32| {
        block(WORKS, &[], move |code| {
            code.two("addi", 13, 13, -by);
            code.two("addi", 13, 13, by);
        })
    };
    assert!(moved(4).is_ok() && moved(16).is_ok());
    for by in [1, 2, 6] {
        let why = moved(by).expect_err("it is no multiple of 4");
        assert!(why.contains("no multiple of 4"), "{why}");
    }
}

#[test]
fn products_of_secrets_say_which_factors_are_secret() {
    let product = |a, b| {
        block(WORKS, &[], move |code| {
            code.two("lw", 3, 1, 0);
            code.push("li", &[("d", 9), ("k", 27)]);
            code.three("mul", 10, a, b);
        })
        .expect("nobody reads the product")
    };
    let factors = |proof: Proof| proof.products.into_iter().map(|p| (p.class, p.factors)).collect::<Vec<_>>();
    let only = |names: &[&str]| vec![("alu".to_owned(), names.iter().map(|&n| n.to_owned()).collect())];
    assert_eq!(factors(product(3, 9)), only(&["a"]));
    assert_eq!(factors(product(9, 3)), only(&["b"]));
    assert_eq!(factors(product(3, 3)), only(&["a", "b"]));
    assert!(factors(product(9, 9)).is_empty());
}
