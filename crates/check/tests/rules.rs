//! Rules by themselves, at their bounds: the domain of terms is asked for what it must refuse, or must not know, and beside it
//! for what differs in little and is allowed.

use aesmith_check::Certificate;
use aesmith_check::avr::{self, Proof, TITLE};
use aesmith_check::bits::{Basis, Bits};
use aesmith_check::check::Run;
use aesmith_check::claim;
use aesmith_check::contract::Contract;
use aesmith_check::decode::decode;
use aesmith_check::execute::{AND, Domain, Registers, step};
use aesmith_check::linear::Linear;
use aesmith_check::spec::{Mode, Round};
use aesmith_check::symbolic::{Bit, Stop, Symbolic};
use aesmith_check::terms::{Atom, LaneId, Part, Region, SAME, Terms, ZERO};

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

/// Executes an instruction of 64 bits, or with VEX.
fn execute((d, registers): &mut State, bytes: &[u8]) -> Result<(), Stop> {
    step(d, registers, &decode(bytes).expect("an instruction"), 0).map(drop)
}

const NOT_PUBLIC: &str = "depends on a secret";

#[test]
fn what_is_made_of_a_secret_is_one() {
    let mut d = domain("aes128-ctr");
    let number = d.terms.word(Atom::Counter(0));
    let zero = Linear::default();
    let secrets = [
        Part::Text(zero.clone()),
        Part::Chain(zero.clone()),
        Part::Key(0),
        Part::Entry(3, 1),
        Part::Round(Round::Encrypt, 0),
    ];
    let public = d.terms.words(&number, &zero);
    assert!(!d.terms.is_secret_lane(public));
    for part in secrets {
        let part = match part {
            Part::Round(round, _) => {
                let key = d.terms.part(Part::Key(1));
                Part::Round(round, key)
            }
            part => part,
        };
        let secret = d.terms.part(part.clone());
        assert!(d.terms.is_secret_lane(secret), "{part:?}");
        let sums = [d.terms.xor(secret, public), d.terms.xor(public, secret)];
        assert!(sums.iter().all(|&sum| d.terms.is_secret_lane(sum)), "{part:?}");
        let half = d.terms.half(secret, 1);
        assert!(d.terms.is_secret(&half), "{part:?}");
        let count = d.shifted(&half, 58);
        let words = [
            half.plus(&number),
            number.plus(&half),
            d.terms.swapped(&half.offset(1)),
            d.low_bits(&Linear::number(-1), &count).expect("as many as a number of six bits says"),
            count,
        ];
        for word in words {
            assert!(d.terms.is_secret(&word), "{part:?}: {word:?}");
            let lanes = [d.terms.words(&word.offset(1), &zero), d.terms.words(&zero, &word.offset(1))];
            assert!(lanes.iter().all(|&lane| d.terms.is_secret_lane(lane)), "{part:?}: {word:?}");
            let bits = [
                d.is_zero(&word),
                d.disjoint(&word, 1 << 40),
                d.is_below(&word, &number),
                d.is_below(&number, &word),
                d.carries(&word, &number, false),
                d.carries(&number, &word, false),
            ];
            for bit in bits {
                assert!(is_refused(&d.decide(&bit), NOT_PUBLIC), "{part:?}: {bit:?}");
            }
        }
    }
    for atom in [Atom::Entry(9), Atom::Unknown(9)] {
        let word = d.terms.word(atom);
        assert!(d.terms.is_secret(&word));
    }
    let unknown = d.terms.unknown_lane();
    assert!(d.terms.is_secret_lane(unknown));
    assert!(is_refused(&d.decide(&Bit::Arbitrary), NOT_PUBLIC));
}

#[test]
fn bits_of_secrets_are_secret() {
    let (mut d, _) = bits("aes128-ctr");
    let (low, zero) = (d.terms.word(Atom::Counter(0)), Linear::default());
    let public = d.terms.words(&low, &zero);
    let text = d.terms.part(Part::Text(zero));
    assert!(!d.terms.is_secret_lane(public) && d.terms.is_secret_lane(text));
    // The secret is in the upper half, or in a sum, or only under the S-box.
    let up = |k: usize| if k < 8 { ZERO } else { k as u8 };
    let upper = d.terms.shuffled(text, &std::array::from_fn(up));
    assert!(d.terms.is_secret_lane(upper));
    let both = d.terms.xor(public, upper);
    assert!(d.terms.is_secret_lane(both));
    let sum = d.terms.xor(public, text);
    assert!(d.terms.is_secret_lane(sum));
    let round = d.terms.round(Round::EncryptLast, text);
    assert!(d.terms.is_secret_lane(round));
    let half = d.terms.half(round, 0);
    assert!(d.terms.is_secret(&half));
}

#[test]
fn unknown_numbers_have_their_ranges() {
    let mut d = domain("aes128-cbc-x2");
    let least =
        |d: &Symbolic, most: i128, word: &Linear| d.is_natural(&plus(&Linear::number(most), word, -1));
    let low = d.terms.word(Atom::Counter(0));
    let shifted = d.terms.word(Atom::Shifted(low.clone(), 8));
    let variable = d.terms.word(Atom::Variable(0));
    let lengths = [0, 1].map(|stream| d.terms.element(4, stream));
    assert_ne!(lengths[0], lengths[1], "each stream has its own");
    for (word, most) in [
        (low, Some((1 << 64) - 1)),
        (shifted, Some((1 << 56) - 1)),
        (lengths[0].clone(), Some((1 << 63) - 1)),
        (lengths[1].clone(), Some((1 << 63) - 1)),
        (variable, None),
    ] {
        assert!(d.is_natural(&word));
        assert!(!d.is_natural(&word.offset(-1)), "{word:?}");
        let most = most.unwrap_or_else(|| {
            assert!(!least(&d, 1 << 90, &word), "a variable has no bound");
            i128::MAX
        });
        assert!(most == i128::MAX || least(&d, most, &word) && !least(&d, most - 1, &word), "{word:?}");
    }
}

#[test]
fn only_equal_columns_stay_equal() {
    let mut t = Terms::default();
    let key = t.part(Part::Key(1));
    let columns = |count: usize| -> [u8; 16] {
        std::array::from_fn(|k| if k / 4 < count { k as u8 % 4 } else { k as u8 })
    };
    let equal = t.shuffled(key, &columns(4));
    let (one, all) = (t.constant(1), t.constant(0x0000_0001_0000_0001_0000_0001_0000_0001));
    let (other, same) = (t.xor(equal, one), t.xor(equal, all));
    let two = t.shuffled(key, &columns(2));
    let mut is_whole = |round: Round, lane: LaneId| {
        let part = t.round(round, lane);
        let mask = t.get_lane(part).parts[0].1;
        *t.get_mask(mask) == SAME
    };
    for round in [Round::Encrypt, Round::EncryptLast, Round::Decrypt, Round::DecryptLast] {
        for (lane, is_equal) in [(equal, true), (same, true), (other, false), (two, false), (key, false)] {
            assert_ne!(is_whole(round, lane), is_equal, "{round:?}");
        }
    }
}

#[test]
fn a_register_is_the_callers_in_its_own_place() {
    for (mut d, registers) in [entry("aes128-ecb"), bits("aes128-ecb")] {
        let own = registers.vectors[3][1];
        let one = d.terms.constant(1);
        let sum = d.terms.xor(own, one);
        assert!(d.terms.is_entry(own, 3, 1));
        for (lane, register, number) in [(own, 3, 0), (own, 2, 1), (sum, 3, 1)] {
            assert!(!d.terms.is_entry(lane, register, number), "{register}, {number}");
        }
    }
}

/// Tables of bytes whose bits are neither affine nor of the S-box, by one entry, or only for three bits and more.
#[test]
fn tables_of_bytes_are_compared_as_a_whole() {
    let (mut d, _) = bits("aes128-ecb");
    let text = d.terms.part(Part::Text(Linear::default()));
    let low = std::array::from_fn(|k| if k == 0 { 0 } else { ZERO });
    let byte = d.terms.shuffled(text, &low);
    let sbox = |x: usize| Round::EncryptLast.apply(x as u128) as u8;
    let affine = |x: usize| (x as u8).rotate_left(3) ^ 0x5a;
    let mut applied = |table: &dyn Fn(usize) -> u8| d.applied(&byte, &std::array::from_fn(table)).is_ok();
    for place in [0, 1, 3, 7, 63, 64, 128, 200, 254, 255] {
        assert!(applied(&sbox) && applied(&affine) && applied(&|x| sbox(x) ^ affine(x)));
        for bit in [0, 7] {
            let other = |x: usize| u8::from(x == place) << bit;
            assert!(!applied(&|x| sbox(x) ^ other(x)), "{place}");
            assert!(!applied(&|x| affine(x) ^ other(x)), "{place}");
            assert!(!applied(&other), "{place}");
        }
    }
    for bits in [3, 7, 0x83, 0xff] {
        assert!(!applied(&|x| u8::from(x & bits == bits)), "{bits:#x}");
    }
}

#[test]
fn given_bits_make_each_byte_once() {
    let columns = |last: u8| [1, 2, 4, 8, 16, 32, 64, last];
    assert!(Basis::new(true, false, columns(128), 0x63).is_some());
    for last in [0, 1, 3, 0x7f] {
        assert!(Basis::new(true, false, columns(last), 0x63).is_none(), "{last}");
    }
}

/// A half of a lane is a word if all 64 bits are its, in order or with bytes reversed.
#[test]
fn sixty_three_bits_are_no_word() {
    let (mut d, _) = bits("aes128-ctr");
    let (word, zero) = (d.terms.word(Atom::Counter(0)), Linear::default());
    let lane = d.terms.words(&word, &zero);
    assert_eq!(d.terms.half(lane, 0), word);
    for other in [0, 31, 62, 63] {
        let from = std::array::from_fn(|at| if at == other { 128 } else { at as u8 });
        let changed = d.terms.moved_to(lane, &from).expect("a lane");
        assert_ne!(d.terms.half(changed, 0), word, "{other}");
    }
}

#[test]
fn alignments_are_those_that_are_assumed() {
    let mut d = domain("aes128-ctr");
    d.frame = Some((-8, 64));
    let least = |d: &mut Symbolic, region: Region, distance: i128, mask: u64| {
        let word = at(d, region, distance);
        d.disjoint(&word, mask)
    };
    assert_eq!(least(&mut d, Region::Code, 0, 63), Bit::Known(true));
    assert!(matches!(least(&mut d, Region::Code, 0, 127), Bit::Disjoint(..)));
    assert_eq!(least(&mut d, Region::Stack, 8, 15), Bit::Known(true));
    assert_eq!(least(&mut d, Region::Stack, 0, 15), Bit::Known(false));
    for distance in [-8, 8, 24] {
        assert!(matches!(least(&mut d, Region::Stack, distance, 31), Bit::Disjoint(..)));
    }
    assert_eq!(least(&mut d, Region::Frame, 0, 63), Bit::Known(true));
    assert!(matches!(least(&mut d, Region::Frame, 0, 127), Bit::Disjoint(..)));
    for region in [Region::Key, Region::Iv, Region::Input, Region::Output] {
        assert!(matches!(least(&mut d, region, 0, 1), Bit::Disjoint(..)), "{region:?}");
    }
    // Only multiples of a power of two above the mask are left out.
    let p = d.terms.word(Atom::Variable(0));
    for (factor, mask, is_known) in [(4, 3, true), (3, 3, false), (2, 3, false), (8, 5, true), (5, 5, false)]
    {
        let word = Linear::default().combine(&p, factor);
        assert_eq!(matches!(d.disjoint(&word, mask), Bit::Known(true)), is_known, "{factor}, {mask}");
    }
    // An operand of 32 bytes at a multiple of 16.
    let place = at(&mut d, Region::Stack, 8);
    assert!(d.aligned(&place, 16).is_ok());
    for bytes in [32, 64] {
        assert!(is_refused(&d.aligned(&place, bytes), "may be none"));
    }
    let place = at(&mut d, Region::Stack, 16);
    assert!(is_refused(&d.aligned(&place, 16), "may be none"));
}

#[test]
fn a_condition_says_what_it_says_and_no_more() {
    let length = |d: &mut Symbolic| d.terms.word(Atom::Length);
    let reach = |d: &Symbolic, form: &Linear, number: i128| d.is_natural(&form.offset(number));
    // 16 < length, and not.
    for (value, least) in [(true, -17), (false, 16)] {
        let mut d = domain("aes128-ecb");
        let length = length(&mut d);
        let form = if value { length.clone() } else { plus(&Linear::default(), &length, -1) };
        let bit = d.is_below(&Linear::number(16), &length);
        d.assume(&bit, value);
        assert!(reach(&d, &form, least) && !reach(&d, &form, least - 1), "{value}");
        assert_eq!(d.decide(&bit).ok(), Some(value));
    }
    // length - 16 may be negative, and p may be 2^64: then they are not the words.
    for is_length in [true, false] {
        for value in [true, false] {
            let mut d = domain("aes128-ecb");
            let (length, p) = (length(&mut d), d.terms.word(Atom::Variable(0)));
            let bit = Bit::Zero(if is_length { length.offset(-16) } else { p.clone() });
            d.assume(&bit, value);
            assert!(!reach(&d, &length, -16) && !reach(&d, &plus(&Linear::default(), &length, -1), 15));
            assert!(!reach(&d, &plus(&Linear::default(), &p, -1), 0) && !reach(&d, &p, -1));
        }
    }
    // Of sums, the carry in counts.
    for carry in [false, true] {
        let mut d = domain("aes128-ecb");
        let length = d.terms.word(Atom::Length);
        let bit = d.carries(&length, &Linear::number(-16), carry);
        d.assume(&bit, true);
        let least = if carry { -15 } else { -16 };
        assert!(reach(&d, &length, least) && !reach(&d, &length, least - 1), "{carry}");
    }
}

#[test]
fn low_bits_are_those_of_their_word() {
    let mut d = domain("aes128-ctr");
    let (length, low) = (d.terms.word(Atom::Length), d.terms.word(Atom::Counter(0)));
    let quotient = d.shifted(&length, 6);
    assert_eq!(d.is_zero(&length.combine(&quotient, -64)), d.disjoint(&length, 63));
    let other = low.combine(&quotient, -64);
    assert_eq!(d.is_zero(&other), Bit::Zero(other));
    // The rest of a quotient is at most 63.
    let rest = plus(&length, &quotient, -64);
    let room = |number: i128| plus(&Linear::number(number), &rest, -1);
    assert!(d.is_natural(&room(63)) && !d.is_natural(&room(62)));
    // Masks: ones at the end, ones at the beginning, and others.
    for (mask, is_known) in [(63, true), (-64, true), (64, false), (0x5f, false), (0x10_0000_003f, false)] {
        assert_eq!(
            d.bitwise(aesmith_check::decode::Op::And, &length, &Linear::number(mask)).is_ok(),
            is_known
        );
    }
    // A word that may be one more than the mask is not the word.
    let mut d = domain("aes128-ctr");
    let length = d.terms.word(Atom::Length);
    known(&mut d, &plus(&Linear::number(64), &length, -1));
    let word = d.bitwise(aesmith_check::decode::Op::And, &length, &Linear::number(63)).expect("a word");
    assert_ne!(word, length);
    known(&mut d, &plus(&Linear::number(63), &length, -1));
    let word = d.bitwise(aesmith_check::decode::Op::And, &length, &Linear::number(63)).expect("a word");
    assert_eq!(word, length);
}

/// A mask is of ones, as many as a number that is at most 64.
#[test]
fn masks_are_of_ones() {
    let mut d = domain("aes128-ctr");
    let (length, ones) = (d.terms.word(Atom::Length), Linear::number(-1));
    known(&mut d, &plus(&Linear::number(65), &length, -1));
    assert!(d.low_bits(&ones, &length).is_err(), "65 is too much");
    known(&mut d, &plus(&Linear::number(64), &length, -1));
    assert!(d.low_bits(&ones, &length).is_ok());
    for other in [0, 1, -2, 0xffff_ffff] {
        assert!(d.low_bits(&Linear::number(other), &length).is_err(), "{other}");
    }
}

/// Accesses at the bounds of objects: loads of lanes, loads of words, stores of lanes, stores of words.
#[test]
fn accesses_lie_in_their_objects() {
    use Region::{Code, Iv, Key, Stack};
    let lane = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.load_lane(&place).is_ok()
    };
    let mut d = domain("aes128-ctr");
    for (region, distance, is_allowed) in [
        (Key, 0, true),
        (Key, 160, true),
        (Key, 176, false),
        (Key, 161, false),
        (Key, 8, false),
        (Key, -16, false),
        (Iv, 0, true),
        (Iv, 8, false),
        (Iv, -8, false),
        (Code, 32, true),
        (Code, 48, true),
        (Code, 31, false),
        (Code, 49, false),
        (Code, 0, false),
        (Region::Output, 0, false),
    ] {
        assert_eq!(lane(&mut d, region, distance), is_allowed, "{region:?} {distance}");
    }
    let value = d.terms.constant(7);
    for (region, distance, is_allowed) in [
        (Iv, 0, true),
        (Iv, 8, false),
        (Key, 0, false),
        (Code, 32, false),
        (Code, 0, false),
        (Region::Input, 0, false),
        (Stack, 0, false),
        (Stack, -8, false),
        (Stack, -16, false),
    ] {
        let place = at(&mut d, region, distance);
        assert_eq!(d.store_lane(&place, &value).is_ok(), is_allowed, "{region:?} {distance}");
    }
    // Words of the IV and of the stack, whole and in order.
    let pointer = at(&mut d, Stack, -32);
    d.stack(&pointer).expect("a place on the stack");
    let word = Linear::number(5);
    for (region, distance, bytes, is_allowed) in [
        (Iv, 0, 8, true),
        (Iv, 8, 8, true),
        (Iv, 4, 8, false),
        (Iv, 16, 8, false),
        (Iv, 0, 4, false),
        (Key, 0, 8, false),
        (Stack, -32, 8, true),
        (Stack, -8, 8, true),
        (Stack, -12, 8, false),
        (Stack, -40, 8, false),
        (Stack, 0, 8, false),
        (Stack, 8, 8, false),
        (Stack, -16, 4, false),
        (Stack, -16, 1, false),
        (Region::Frame, -8, 8, false),
    ] {
        let place = at(&mut d, region, distance);
        assert_eq!(d.store(&place, bytes, &word).is_ok(), is_allowed, "{region:?} {distance}, {bytes}");
        assert_eq!(d.load(&place, bytes).is_ok(), is_allowed, "{region:?} {distance}, {bytes}");
    }
    let place = at(&mut d, Stack, -24);
    assert!(is_refused(&d.load(&place, 8), "nothing is known of"), "it was not written");
    // What was stored there is there.
    let place = at(&mut d, Iv, 0);
    assert!(d.store(&place, 8, &Linear::number(9)).is_ok());
    let (whole, low) = (d.load_lane(&place).expect("the IV"), d.terms.constant(5 << 64 | 9));
    assert_eq!(whole, low);
}

/// An address is one pointer and a distance that is public.
#[test]
fn addresses_are_of_one_object() {
    let mut d = domain("aes128-ctr");
    let key = at(&mut d, Region::Key, 0);
    let input = at(&mut d, Region::Input, 0);
    let secret = d.terms.word(Atom::Entry(9));
    assert!(d.load_lane(&key).is_ok());
    for address in [key.plus(&key), key.plus(&input), key.plus(&secret), secret.clone(), Linear::number(4096)]
    {
        assert!(d.load_lane(&address).is_err(), "{address:?}");
        assert!(d.load(&address, 8).is_err(), "{address:?}");
        assert!(d.store(&address, 8, &Linear::default()).is_err(), "{address:?}");
    }
    assert!(d.prefetch(&input.plus(&key)).is_ok());
    for address in [secret.clone(), key.plus(&secret)] {
        assert!(is_refused(&d.prefetch(&address), NOT_PUBLIC));
    }
}

#[test]
fn arrays_have_as_many_elements_as_streams() {
    let mut d = domain("aes128-cbc-x2");
    for kind in 0..5 {
        for (distance, bytes, is_allowed) in
            [(0, 8, true), (8, 8, true), (16, 8, false), (4, 8, false), (-8, 8, false), (0, 4, false)]
        {
            let place = at(&mut d, Region::Array(kind), distance);
            assert_eq!(d.load(&place, bytes).is_ok(), is_allowed, "{kind}: {distance}, {bytes}");
            assert!(d.store(&place, bytes, &Linear::default()).is_err());
            assert!(d.load_lane(&place).is_err());
        }
    }
}

#[test]
fn the_stack_pointer_stays_on_the_stack() {
    let mut d = domain("aes128-ecb");
    d.frame = Some((-8, 4096));
    for (region, distance, is_allowed) in [
        (Region::Stack, 0, true),
        (Region::Stack, -8, true),
        (Region::Stack, 8, false),
        (Region::Stack, -65536, true),
        (Region::Stack, -65544, false),
        // The frame may be 4,096 bytes below the place.
        (Region::Frame, 0, true),
        (Region::Frame, 8, false),
        (Region::Frame, 4096 + 8 - 65536, true),
        (Region::Frame, 4096 - 65536, false),
        (Region::Key, 0, false),
    ] {
        let place = at(&mut d, region, distance);
        assert_eq!(d.stack(&place).is_ok(), is_allowed, "{region:?} {distance}");
        assert_eq!(
            d.returns(&place).is_ok(),
            (region, distance) == (Region::Stack, 0),
            "{region:?} {distance}"
        );
    }
}

/// Words below the stack pointer are lost, those of the frame when the pointer is above it, and those between.
#[test]
fn words_that_are_left_are_lost() {
    let mut d = domain("aes128-ecb");
    d.frame = Some((-16, 64));
    let move_to = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.stack(&place).expect("a place on the stack");
    };
    let store = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.store(&place, 8, &Linear::number(1)).is_ok()
    };
    let is_there = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.load(&place, 8).is_ok()
    };
    move_to(&mut d, Region::Stack, -32);
    assert!([-8, -16, -24, -32].iter().all(|&at| store(&mut d, Region::Stack, at)));
    move_to(&mut d, Region::Stack, -24);
    move_to(&mut d, Region::Stack, -32);
    assert!(is_there(&mut d, Region::Stack, -24) && !is_there(&mut d, Region::Stack, -32));
    // Below the place that is aligned nothing is left of the stack.
    move_to(&mut d, Region::Frame, -64);
    assert!(is_there(&mut d, Region::Stack, -16) && !is_there(&mut d, Region::Stack, -24));
    assert!(!store(&mut d, Region::Stack, -24) && !store(&mut d, Region::Frame, 0));
    assert!(
        store(&mut d, Region::Frame, -8)
            && store(&mut d, Region::Frame, -64)
            && !store(&mut d, Region::Frame, -72)
    );
    move_to(&mut d, Region::Stack, -32);
    assert!(!is_there(&mut d, Region::Stack, -24) && !store(&mut d, Region::Frame, -8));
    move_to(&mut d, Region::Frame, -64);
    assert!(!is_there(&mut d, Region::Frame, -8));
}

/// A secret stays one where it was stored, until that place is written again.
#[test]
fn secrets_on_the_stack_are_remembered() {
    let mut d = domain("aes128-ecb");
    d.frame = Some((-8, 64));
    let text = d.terms.part(Part::Text(Linear::default()));
    let (secret, own) = (d.terms.half(text, 0), d.terms.word(Atom::Entry(3)));
    let unknown = d.terms.unknown();
    for (region, pointer) in [(Region::Stack, -64), (Region::Frame, -64)] {
        for (value, is_secret) in [
            (&secret, true),
            (&unknown, true),
            (&own, false),
            (&own.offset(1), true),
            (&Linear::number(0), false),
        ] {
            let lower = at(&mut d, region, pointer);
            d.stack(&lower).expect("a place on the stack");
            let place = at(&mut d, region, -16);
            d.store(&place, 8, value).expect("a word");
            let top = at(&mut d, Region::Stack, 0);
            d.stack(&top).expect("the entry");
            assert_eq!(!d.path.secret_cells.is_empty(), is_secret, "{region:?}: {value:?}");
        }
    }
}

/// A half of a word that was not written is unknown, with terms of bits.
#[test]
fn the_other_half_of_a_word_is_unknown() {
    let (mut d, _) = bits("aes128-ecb");
    let pointer = at(&mut d, Region::Stack, -16);
    d.stack(&pointer).expect("a place on the stack");
    for (distance, is_allowed) in
        [(-16, true), (-12, true), (-14, false), (-10, false), (-20, false), (-2, false)]
    {
        let place = at(&mut d, Region::Stack, distance);
        assert_eq!(d.store(&place, 4, &Linear::number(7)).is_ok(), is_allowed, "{distance}");
    }
    let place = at(&mut d, Region::Stack, -8);
    d.store(&place, 4, &Linear::number(7)).expect("a half");
    let word = d.load(&place, 8).expect("a word");
    assert_eq!(word.as_number(), None);
    assert!(d.terms.is_secret(&word));
    assert_eq!(d.load(&place, 4).ok(), Some(Linear::number(7)));
}

/// Text and output of two blocks, in counter mode of 24 bytes.
fn messages(contract: &str, bytes: i128) -> Symbolic<'static> {
    let mut d = domain(contract);
    let length = d.terms.word(Atom::Length);
    known(&mut d, &length.offset(-bytes));
    known(&mut d, &plus(&Linear::number(bytes), &length, -1));
    d
}

fn load(d: &mut Symbolic, distance: i128, bytes: u16) -> bool {
    let place = at(d, Region::Input, distance);
    if bytes == 16 { d.load_lane(&place).is_ok() } else { d.load(&place, bytes).is_ok() }
}

#[test]
fn text_is_read_in_its_blocks() {
    for (contract, length, cases) in [
        (
            "aes128-ecb",
            40,
            &[(0, 16, true), (16, 16, true), (32, 8, false), (32, 16, false), (-16, 16, false)][..],
        ),
        ("aes128-ecb", 40, &[(8, 8, true), (8, 16, false), (12, 8, false), (-8, 8, false), (15, 1, true)]),
        (
            "aes128-ctr",
            24,
            &[(0, 16, true), (16, 8, true), (16, 16, false), (20, 8, false), (23, 1, true), (24, 1, false)],
        ),
        ("aes192-key", 0, &[(0, 16, true), (16, 8, true), (16, 16, false), (24, 8, false), (24, 1, false)]),
    ] {
        let mut d = messages(contract, length);
        for &(distance, bytes, is_allowed) in cases {
            assert_eq!(load(&mut d, distance, bytes), is_allowed, "{contract}: {distance}, {bytes}");
        }
    }
}

/// A lane of output as it is specified.
fn specified(d: &mut Symbolic, block: i128) -> LaneId {
    let carry = Linear::default();
    claim::output_with(d, &Linear::number(block), &carry).expect("a block")
}

/// The counter does not carry, so that each block has one specification.
fn counting(bytes: i128) -> Symbolic<'static> {
    let mut d = messages("aes128-ctr", bytes);
    assert_eq!(d.contract.mode, Mode::Ctr);
    let low = d.terms.word(Atom::Counter(0));
    known(&mut d, &plus(&Linear::number(1 << 32), &low, -1));
    d
}

#[test]
fn text_is_not_read_where_output_is_stored() {
    let mut d = counting(72);
    let output = specified(&mut d, 1);
    let place = at(&mut d, Region::Output, 16);
    // The high half of the second block.
    let (high, upper) = (d.terms.half(output, 1), at(&mut d, Region::Output, 24));
    d.store(&upper, 8, &high).expect("as specified");
    assert!(load(&mut d, 16, 8) && load(&mut d, 16, 1) && load(&mut d, 0, 16) && load(&mut d, 32, 16));
    for (distance, bytes) in [(24, 8), (31, 1), (16, 16), (20, 4 + 2)] {
        assert!(!load(&mut d, distance, bytes), "{distance}, {bytes}");
    }
    assert!(d.store_lane(&place, &output).is_err(), "a part is stored twice");
    // Blocks that are done are behind.
    let mut d = counting(72);
    d.path.texts[0].done = Linear::number(32);
    assert!(!load(&mut d, 16, 16) && load(&mut d, 32, 16));
    // A block at no known distance must be behind all that is stored.
    let mut d = counting(1 << 20);
    let p = d.terms.word(Atom::Variable(0));
    known(&mut d, &plus(&Linear::number(1 << 10), &p, -1));
    let place = at(&mut d, Region::Input, 0).combine(&p, 16);
    assert!(d.load_lane(&place).is_ok(), "nothing is stored");
    let (first, output) = (at(&mut d, Region::Output, 16), specified(&mut d, 1));
    d.store_lane(&first, &output).expect("as specified");
    known(&mut d, &p.offset(-1));
    assert!(d.load_lane(&place).is_err(), "it may be the block that is stored");
    known(&mut d, &p.offset(-2));
    assert!(d.load_lane(&place).is_ok());
}

#[test]
fn each_byte_of_output_is_compared() {
    for (distance, bytes) in [(0, 1), (7, 1), (0, 8), (8, 8), (16, 2)] {
        let mut d = counting(72);
        let output = specified(&mut d, distance / 16);
        let wrong = d.terms.constant(1 << (8 * (distance % 16)));
        let wrong = d.terms.xor(output, wrong);
        let down = |k: usize| if k < usize::from(bytes) { (k as i128 + distance % 16) as u8 } else { ZERO };
        for (lane, is_right) in [(wrong, false), (output, true)] {
            let lane = d.terms.shuffled(lane, &std::array::from_fn(down));
            let value = d.terms.half(lane, 0);
            let place = at(&mut d, Region::Output, distance);
            let mut other = counting(72);
            std::mem::swap(&mut other.path, &mut d.path);
            d.path = other.path.clone();
            assert_eq!(d.store(&place, bytes, &value).is_ok(), is_right, "{distance}, {bytes}");
            d.path = other.path;
        }
    }
}

/// The rest of a text of some bytes, by a mask with as many ones.
#[test]
fn masked_accesses_are_to_the_rest() {
    let rest = |d: &mut Symbolic, from: i128, less: i128| {
        let count = d.terms.word(Atom::Length).offset(-from - less);
        d.low_bits(&Linear::number(-1), &count)
    };
    let (input, output) = (Region::Input, Region::Output);
    let mut d = counting(40);
    let mask = rest(&mut d, 16, 0).expect("24 ones");
    let (place, first) = (at(&mut d, input, 16), at(&mut d, input, 0));
    assert!(d.load_masked(&place, &mask, 2).is_ok());
    assert!(d.load_masked(&first, &mask, 2).is_err(), "another place");
    assert!(d.load_masked(&place, &mask, 1).is_err(), "more than 16 bytes");
    for less in [-1, 1] {
        let other = rest(&mut d, 16, less).expect("ones");
        assert!(d.load_masked(&place, &other, 2).is_err(), "{less} less");
    }
    let constant = at(&mut d, Region::Key, 16);
    assert!(d.load_masked(&constant, &mask, 2).is_err());
    // Both lanes are compared.
    let (right, wrong) = ([1, 2].map(|block| specified(&mut d, block)), d.terms.constant(0));
    let place = at(&mut d, output, 16);
    for lanes in [[wrong, right[1]], [right[0], wrong], [right[1], right[0]]] {
        let path = d.path.clone();
        assert!(d.store_masked(&place, &mask, &lanes).is_err());
        d.path = path;
    }
    let facts = d.path.facts.all().len();
    d.store_masked(&place, &mask, &right).expect("as specified");
    assert_eq!(d.path.facts.all().len(), facts, "what is assumed of a lane is known of it only");
    assert_eq!(d.path.rest, Some(16));
    // Nothing is read or stored behind it.
    assert!(!load(&mut d, 0, 16) && !load(&mut d, 32, 8));
    let (place, mask) = (at(&mut d, input, 32), rest(&mut d, 32, 0).expect("8 ones"));
    assert!(d.load_masked(&place, &mask, 1).is_err());
    // Where a part of it is stored there is no rest.
    for (from, is_allowed) in [(0, true), (16, false), (32, false)] {
        let mut d = counting(40);
        let (stored, block) = (at(&mut d, output, from), specified(&mut d, from / 16));
        let half = d.terms.half(block, 0);
        d.store(&stored, 8, &half).expect("as specified");
        let (place, mask) = (at(&mut d, input, 16), rest(&mut d, 16, 0).expect("24 ones"));
        assert_eq!(d.load_masked(&place, &mask, 2).is_ok(), is_allowed, "{from}");
    }
    // Other modes have none.
    let mut d = messages("aes128-ecb", 40);
    let (place, mask) = (at(&mut d, input, 16), rest(&mut d, 16, 0).expect("24 ones"));
    assert!(d.load_masked(&place, &mask, 2).is_err());
}

#[test]
fn bitwise_operations_are_what_they_are() {
    let mut d = domain("aes128-ctr");
    let (text, mask) = (d.terms.part(Part::Text(Linear::default())), d.terms.constant(0xff00));
    let second = d.terms.shuffled(text, &std::array::from_fn(|k| if k == 1 { 1 } else { ZERO }));
    assert_eq!(d.logic(AND, [&text, &text, &mask]).ok(), Some(second));
    // ANDN, OR, and masks with other bits.
    for table in [0x22, 0xee, 0x3c, 0x99] {
        assert!(d.logic(table, [&text, &text, &mask]).is_err(), "{table:#x}");
    }
    for mask in [0x80, 0xf0, 0xfe00, 0xff01] {
        let mask = d.terms.constant(mask);
        assert!(d.logic(AND, [&text, &text, &mask]).is_err());
        assert!(d.logic(AND, [&text, &mask, &text]).is_err());
    }
    // Sums are with whole bytes.
    let (number, low) = (d.terms.word(Atom::Counter(0)), Linear::default());
    let lane = d.terms.words(&low, &number);
    for numbers in [0x0001, 0x0100, 0x01_0000] {
        let numbers = d.terms.constant(numbers);
        assert!(d.add_doubles(&lane, &numbers).is_err());
    }
}

/// Opmasks are public words, or signs of bytes: an instruction takes what was written last, and all of it.
#[test]
fn opmasks_are_what_was_written_last() {
    // vpmovb2m k1, xmm1 and ymm1; vpmovm2b xmm2, k1 and ymm2; kmovq k1, rax.
    let (signs, of_ymm) = ([0x62, 0xf2, 0x7e, 0x08, 0x29, 0xc9], [0x62, 0xf2, 0x7e, 0x28, 0x29, 0xc9]);
    let (bytes, to_ymm) = ([0x62, 0xf2, 0x7e, 0x08, 0x28, 0xd1], [0x62, 0xf2, 0x7e, 0x28, 0x28, 0xd1]);
    let word = [0xc4, 0xe1, 0xfb, 0x92, 0xc8];
    let new = || {
        let mut state = bits("aes128-ctr");
        state.1.general[0] = Linear::number(5);
        state
    };
    for (first, second, is_allowed) in
        [(signs, bytes, true), (of_ymm, to_ymm, true), (signs, to_ymm, false), (of_ymm, bytes, false)]
    {
        let mut state = new();
        assert!(execute(&mut state, &bytes).is_err(), "it holds no signs");
        execute(&mut state, &first).expect("signs");
        assert_eq!(execute(&mut state, &second).is_ok(), is_allowed);
        execute(&mut state, &word).expect("a public word");
        assert!(execute(&mut state, &second).is_err(), "it holds no signs any more");
    }
    let mut state = new();
    state.1.general[0] = state.0.terms.unknown();
    assert!(execute(&mut state, &word).is_err(), "a secret");
    // vpblendmb xmm2 {k1}, xmm3, xmm1 and ymm2.
    let (blend, of_two) = ([0x62, 0xf2, 0x65, 0x09, 0x66, 0xd1], [0x62, 0xf2, 0x65, 0x29, 0x66, 0xd1]);
    for (first, second, is_allowed) in
        [(signs, blend, true), (of_ymm, of_two, true), (signs, of_two, false), (of_ymm, blend, false)]
    {
        let mut state = new();
        // Lanes that a choice has: the same twice.
        state.1.vectors[3] = state.1.vectors[1];
        execute(&mut state, &first).expect("signs");
        assert_eq!(execute(&mut state, &second).is_ok(), is_allowed);
    }
    // vmovdqu8 xmm2 {k1}{z}, [rdx]: the rest of the text, by a mask that is no more.
    let load = [0x62, 0xf1, 0x7f, 0x89, 0x6f, 0x12];
    for is_lost in [false, true] {
        let mut state = new();
        let length = state.0.terms.word(Atom::Length);
        known(&mut state.0, &plus(&Linear::number(16), &length, -1));
        state.1.masks[1] = state.0.low_bits(&Linear::number(-1), &length).expect("ones");
        if is_lost {
            execute(&mut state, &signs).expect("signs");
        }
        assert_eq!(execute(&mut state, &load).is_err(), is_lost);
    }
}

/// Flags depend on all operands, and on what they were before if they stay.
#[test]
fn flags_are_as_secret_as_what_they_come_from() {
    // inc rax; dec rax; add rax, rcx; add rcx, rax; cmp; xor; test.
    for (bytes, secret, before, is_secret) in [
        (&[0x48, 0xff, 0xc0][..], None, true, true),
        (&[0x48, 0xff, 0xc8], None, true, true),
        (&[0x48, 0xff, 0xc0], None, false, false),
        (&[0x48, 0xff, 0xc0], Some(0), false, true),
        (&[0x48, 0x01, 0xc8], Some(1), false, true),
        (&[0x48, 0x01, 0xc8], Some(0), false, true),
        (&[0x48, 0x01, 0xc8], None, true, false),
        (&[0x48, 0x39, 0xc8], Some(1), false, true),
        (&[0x48, 0x31, 0xc8], Some(1), false, true),
        (&[0x48, 0x85, 0xc8], Some(1), false, true),
        (&[0x48, 0x85, 0xc8], Some(0), false, true),
        (&[0x48, 0x85, 0xc8], None, true, false),
        (&[0x31, 0xc0], Some(0), true, false),
    ] {
        let mut state = entry("aes128-ctr");
        (state.1.general[0], state.1.general[1]) = (Linear::number(5), Linear::number(6));
        if let Some(register) = secret {
            let text = state.0.terms.part(Part::Text(Linear::default()));
            state.1.general[register] = state.0.terms.half(text, 0);
        }
        state.1.flags.is_secret = before;
        execute(&mut state, bytes).expect("it is executed");
        assert_eq!(state.1.flags.is_secret, is_secret, "{bytes:x?}, {secret:?}, {before}");
    }
}

/// Loads and stores that must be aligned, and stores past the caches.
#[test]
fn operands_are_aligned_where_they_must_be() {
    // movdqa xmm0, [rdi]; movdqa [rdx], xmm0; pxor xmm0, [rdi]; aesenc xmm0, [rdi]; vmovntdq [rdx], xmm0; movdqu xmm0, [rdi].
    let cases: [(&[u8], bool); 7] = [
        (&[0x66, 0x0f, 0x6f, 0x07], true),
        (&[0x66, 0x0f, 0x7f, 0x02], true),
        (&[0x66, 0x0f, 0xef, 0x07], true),
        (&[0x66, 0x0f, 0x38, 0xdc, 0x07], true),
        (&[0xc5, 0xf9, 0xe7, 0x02], true),
        (&[0xf3, 0x0f, 0x6f, 0x07], false),
        (&[0xc5, 0xf9, 0xef, 0x07], false),
    ];
    for (bytes, must) in cases {
        let mut state = entry("aes128-ecb");
        let verdict = execute(&mut state, bytes);
        assert_eq!(is_refused(&verdict, "must be a multiple"), must, "{bytes:x?}: {verdict:?}");
    }
    for (bytes, streams) in
        [(&[0xc5, 0xf9, 0xe7, 0x04, 0x24], true), (&[0xc5, 0xf9, 0x7f, 0x04, 0x24], false)]
    {
        let mut state = entry("aes128-ecb");
        let pointer = at(&mut state.0, Region::Stack, -24);
        state.0.stack(&pointer).expect("a place on the stack");
        state.1.general[4] = pointer;
        execute(&mut state, bytes).expect("it is aligned");
        assert_eq!(state.0.path.streams, streams, "{bytes:x?}");
    }
}

/// A head that states the stack pointer only: all else is unknown, and secret.
#[test]
fn what_a_head_does_not_state_is_unknown() {
    for (contract, of_bits) in [("aes128-cbc", ""), ("aes128-ctr", ""), ("aes128-cbc", "bits\n")] {
        let text = format!(
            "aesmith certificate with proof, version 2\ncontract {contract}\n{of_bits}code c3\nhead h 0\nrsp = stack\n"
        );
        let certificate = Certificate::read(&text).expect("it is read");
        let mut run = Run::new(&certificate);
        let start = run.entry();
        let state = run.stated(&certificate.heads[0]).expect("a state");
        let terms = &run.symbolic.terms;
        for register in (0..16).filter(|&register| register != 4) {
            let word = &state.registers.general[register];
            assert!(terms.is_secret(word) && *word != start.registers.general[register], "{register}");
        }
        for (own, old) in
            state.registers.vectors.iter().flatten().zip(start.registers.vectors.iter().flatten())
        {
            assert!(terms.is_secret_lane(*own) && own != old);
        }
        assert!(state.registers.flags.is_secret);
        assert_eq!(
            (state.registers.flags.carry, state.registers.flags.zero),
            (Bit::Arbitrary, Bit::Arbitrary)
        );
        for half in &state.path.texts[0].iv {
            assert!(terms.is_secret(half));
        }
        assert!(state.path.cells.is_empty() && state.path.decided.is_empty());
    }
}

/// Bytes that no processor takes, or that mean something else, beside others that differ in little.
#[test]
fn encodings_are_those_of_the_table() {
    let cases: [(&str, &[u8], &[u8]); 11] = [
        (
            "a masked store without an opmask",
            &[0x62, 0xf1, 0x7f, 0x09, 0x7f, 0x09],
            &[0x62, 0xf1, 0x7f, 0x08, 0x7f, 0x09],
        ),
        (
            "a masked store with zeros",
            &[0x62, 0xf1, 0x7f, 0x09, 0x7f, 0x09],
            &[0x62, 0xf1, 0x7f, 0x89, 0x7f, 0x09],
        ),
        (
            "a masked load without zeros",
            &[0x62, 0xf1, 0x7f, 0x89, 0x6f, 0x12],
            &[0x62, 0xf1, 0x7f, 0x09, 0x6f, 0x12],
        ),
        // vpxorq xmm0, xmm0, [rdi] and vaesenc; vmovdqu64 xmm0, [rdi]: one element in all places.
        (
            "rounds of one element",
            &[0x62, 0xf2, 0x7d, 0x08, 0xdc, 0x07],
            &[0x62, 0xf2, 0x7d, 0x18, 0xdc, 0x07],
        ),
        (
            "a move of one element",
            &[0x62, 0xf1, 0xfd, 0x18, 0xef, 0x07],
            &[0x62, 0xf1, 0xfe, 0x18, 0x6f, 0x07],
        ),
        (
            "one element of a register",
            &[0x62, 0xf1, 0xfd, 0x18, 0xef, 0x07],
            &[0x62, 0xf1, 0xfd, 0x18, 0xef, 0xc7],
        ),
        // mov eax, [rbp + 2*rcx + 0]; mov eax, [2*rcx + 0].
        ("no base", &[0x8b, 0x44, 0x4d, 0x00], &[0x8b, 0x04, 0x4d, 0, 0, 0, 0]),
        ("a prefix of sfence", &[0x0f, 0xae, 0xf8], &[0x66, 0x0f, 0xae, 0xf8]),
        ("a prefix of vzeroupper", &[0xc5, 0xf8, 0x77], &[0x66, 0xc5, 0xf8, 0x77]),
        ("vaesimc of 256 bits", &[0xc4, 0xe2, 0x79, 0xdb, 0xc0], &[0xc4, 0xe2, 0x7d, 0xdb, 0xc0]),
        (
            "vaeskeygenassist of 256 bits",
            &[0xc4, 0xe3, 0x79, 0xdf, 0xc0, 1],
            &[0xc4, 0xe3, 0x7d, 0xdf, 0xc0, 1],
        ),
    ];
    for (what, right, wrong) in cases {
        // What stands behind an instruction is no part of it.
        let behind = |bytes: &[u8]| decode(&[bytes, &[0x90; 8]].concat()).map(|found| found.length);
        assert_eq!(behind(right), Some(right.len()), "{what}");
        assert_eq!(behind(wrong), None, "{what}");
    }
}

/// A proof about AVR with some code and lines.
fn on_avr(contract: &str, code: &str, lines: &str) -> Proof {
    Proof::read(&format!("{TITLE}contract {contract}\ncode {code}\n{lines}")).expect("it is read")
}

#[test]
fn what_a_head_of_avr_does_not_state_is_unknown() {
    let proof = on_avr("aes128-cbc", "0895", "head h 0\n");
    let mut run = avr::run::Run::new(&proof).expect("a run");
    let start = run.entry();
    let state = run.stated(0).expect("a state");
    let terms = &run.memory.terms;
    for (own, old) in state.registers.general.iter().zip(start.registers.general) {
        assert!(terms.is_secret(*own) && *own != old);
    }
    // The last flag is that of interrupts, which is as at entry.
    for flag in &state.registers.flags[..7] {
        assert!(terms.is_secret(*flag));
    }
    assert_eq!(state.registers.flags[7], start.registers.flags[7]);
    for (own, old) in state.path.iv.iter().zip(start.path.iv) {
        assert!(terms.is_secret(*own) && *own != old);
    }
    assert!(state.path.cells.is_empty() && state.path.stored.is_empty());
}

/// A number of blocks is compared with 5, and its bytes with 0: each side of the branch knows what was decided, and no more.
#[test]
fn branches_on_words_of_avr_decide_their_bounds() {
    // cpi r16, 5; cpc r17, r1; brcs or brcc .+2. or r0, r16 with r17; breq .+2.
    for (code, bound) in [("0530110508f00000", 5), ("0530110508f40000", 5), ("0115110509f00000", 1)] {
        let proof = on_avr("aes128-ctr", code, "");
        let mut run = avr::run::Run::new(&proof).expect("a run");
        let (state, mut waiting) = (run.entry(), Vec::new());
        let end = run.follow(state, &mut waiting);
        assert!(end.is_err(), "the code ends there");
        let other = waiting.pop().expect("another side");
        assert!(waiting.is_empty());
        let blocks = run.memory.blocks();
        let least =
            |path: &avr::run::Path, number: i128| path.facts.imply(&blocks.offset(-number), &|_| Some(65535));
        let most = |path: &avr::run::Path, number: i128| {
            path.facts.imply(&plus(&Linear::number(number), &blocks, -1), &|_| Some(65535))
        };
        let is_high = least(&other.path, bound);
        assert_ne!(is_high, most(&other.path, bound - 1), "{code}");
        assert!(!least(&other.path, bound + 1) && (is_high || !most(&other.path, bound - 2)), "{code}");
        assert!(!is_high || !most(&other.path, 65534), "{code}");
    }
}

/// AND of two bytes is as secret as both, and nothing is known of it but bits that are zero in one.
#[test]
fn a_bitwise_and_of_bytes_is_unknown() {
    let mut t = avr::bytes::Terms::default();
    let (secret, public) = (t.unknown(true), t.unknown(false));
    let low = t.constant(0x0f);
    let half = t.and(public, low);
    for (a, b, bits) in
        [(secret, public, 0xff), (public, secret, 0xff), (secret, half, 0x0f), (half, secret, 0x0f)]
    {
        let both = t.and(a, b);
        assert!(t.is_secret(both));
        for bit in 0..8 {
            let mask = t.constant(1 << bit);
            let one = t.and(both, mask);
            assert_eq!(t.as_constant(one).is_none(), bits >> bit & 1 == 1, "bit {bit}");
        }
    }
    let other = t.unknown(false);
    let both = t.and(public, other);
    assert!(!t.is_secret(both));
}

/// Carries out of four bits, of complements, and of the high byte of a word with the carry of another.
#[test]
fn carries_are_those_of_their_sums() {
    let mut t = avr::bytes::Terms::default();
    let (zero, one, ones) = (t.constant(0), t.constant(1), t.constant(255));
    let words = [0, 3].map(|atom| Linear::atom(atom));
    let [key, out] = words.map(|word| [0, 1].map(|half| t.half(&word, half)));
    let number = t.constant(200);
    let carries = [key, out].map(|[low, _]| t.carry(low, number, zero, 8));
    assert_ne!(carries[0], carries[1]);
    let high = t.sum(key[1], zero, carries[0]);
    assert_eq!(high, t.half(&Linear::atom(0).offset(200), 1));
    assert_ne!(t.sum(key[1], zero, carries[1]), high);
    // Half a carry is another bit.
    assert_ne!(t.carry(key[0], number, zero, 4), carries[0]);
    // x + ~x + c carries if c is 1.
    let byte = t.unknown(true);
    let inverse = t.xor(byte, ones);
    for bits in [4, 8] {
        assert_eq!(t.carry(byte, inverse, zero, bits), zero);
        assert_eq!(t.carry(byte, inverse, one, bits), one);
    }
}
