//! Rules by themselves, at their bounds: the domain of terms is asked for what it must refuse, or must not know, and beside it
//! for what differs in little and is allowed.

mod avr;
mod conditions;
mod counters;
mod heads;
mod instructions;
mod memory;
mod terms;
mod text;
mod words;

use aesmith_check::bits::Bits;
use aesmith_check::contract::Contract;
use aesmith_check::execute::Registers;
use aesmith_check::linear::Linear;
use aesmith_check::symbolic::{Stop, Symbolic};
use aesmith_check::terms::{Atom, Region, Terms};

type State = (Symbolic<'static>, Registers<Symbolic<'static>>);

/// The state at the entry of a function of a contract, with 32 bytes of constants behind 32 of code.
fn entry(contract: &str) -> State {
    let contract = Contract::named(contract).expect("a contract");
    Symbolic::entry(Terms::default(), contract, &[0x5a; 64], 32..64)
}

/// The domain at an entry.
fn domain(contract: &str) -> Symbolic<'static> {
    entry(contract).0
}

/// The domain at an entry, with terms of bits.
fn bits(contract: &str) -> State {
    let contract = Contract::named(contract).expect("a contract");
    let terms = Terms::of_bits(Bits::new(contract.has_inverse_boxes(), Vec::new()));
    Symbolic::entry(terms, contract, &[], 0..0)
}

/// The address of a region, and a distance.
fn at(d: &mut Symbolic, region: Region, distance: i128) -> Linear {
    d.terms.word(Atom::Base(region)).offset(distance)
}

/// Adds that a form is not negative.
fn known(d: &mut Symbolic, form: &Linear) {
    d.path.facts.add(form.clone());
}

/// A form plus another, as integers.
fn plus(a: &Linear, b: &Linear, factor: i128) -> Linear {
    a.checked(b, factor).expect("small numbers")
}

fn is_refused<T>(result: &Result<T, Stop>, words: &str) -> bool {
    matches!(result, Err(Stop::Refused(reason)) if reason.contains(words))
}

const NOT_PUBLIC: &str = "depends on a secret";
