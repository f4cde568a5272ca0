//! Secrets, ranges, and lanes that are compared as a whole.

use crate::{NOT_PUBLIC, bits, domain, entry, is_refused, plus};
use aesmith_check::bits::{Basis, Bits, Mark};
use aesmith_check::decode::Shift;
use aesmith_check::execute::{AND, Domain};
use aesmith_check::linear::Linear;
use aesmith_check::spec::{Round, product};
use aesmith_check::symbolic::{Bit, Symbolic};
use aesmith_check::terms::{Atom, LaneId, Part, SAME, Terms, ZERO};

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
        let count = d.shifted(&half, Shift::Right, 58);
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
    let public = d.terms.words(&low, &low);
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

/// For the inverse S-box, a byte `v` may be the one of which it is the inverse in the field: that of `x = A v + 63`.
#[test]
fn inverses_of_bytes_are_the_inverse_sbox_of_others() {
    let (mut d, _) = bits("aes128-ecb-dec");
    let text = d.terms.part(Part::Text(Linear::default()));
    let low = std::array::from_fn(|k| if k == 0 { 0 } else { ZERO });
    let byte = d.terms.shuffled(text, &low);
    let of_x = |v: usize| (0..5).fold(0x63, |sum, k| sum ^ (v as u8).rotate_left(k));
    let sbox = |x: usize| Round::DecryptLast.apply(x as u128) as u8;
    let inverse = |v: usize| sbox(usize::from(of_x(v)));
    assert!((1..256).all(|v| product(v as u8, inverse(v)) == 1) && inverse(0) == 0);
    let mut applied =
        |lane: &LaneId, table: &dyn Fn(usize) -> u8| d.applied(lane, &std::array::from_fn(table)).ok();
    let other = applied(&byte, &of_x).expect("an affine map");
    let (expected, found) = (applied(&other, &sbox), applied(&byte, &inverse));
    assert!(found.is_some() && found == expected);
    assert_ne!(found, applied(&byte, &sbox));
    for place in [1, 2, 63, 128, 255] {
        assert!(applied(&byte, &|v| inverse(v) ^ (v as u8).rotate_left(3)).is_some());
        assert_eq!(applied(&byte, &|v| inverse(v) ^ u8::from(v == place)), None, "{place}");
    }
    // The inverse of another byte.
    assert_eq!(applied(&byte, &|v| inverse(usize::from(of_x(v)))), None);
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

/// Functions of groups of bytes and of bits: what is given, which group, and constants that differ between places.
#[test]
fn functions_are_of_one_group_and_all_its_bits() {
    let identity =
        |is_bytes| Basis::new(is_bytes, false, std::array::from_fn(|k| 1 << k), 0).expect("a basis");
    let mut t = Terms::of_bits(Bits::new(false, vec![identity(true), identity(false)]));
    let [text, other] = [0, 1].map(|k| t.part(Part::Text(Linear::number(k))));
    let nibbles: [u8; 128] = std::array::from_fn(|at| if at % 8 < 4 { at as u8 } else { 128 });
    let [low, low_other] = [text, other].map(|lane| t.moved_to(lane, &nibbles).expect("bits"));
    // Four given bits in a byte, whose others must be zero.
    let mark = Mark { group: 0, basis: 0, first: 0, count: 4, others: 0 };
    assert_eq!(t.marked(&mark, 0, text), None);
    let one = t.marked(&mark, 0, low).expect("a function");
    let two = t.marked(&Mark { group: 1, ..mark }, 0, low_other).expect("a function");
    assert_eq!(t.logic(AND, [one, one, two]), None, "functions of two groups");
    assert_eq!(t.logic(AND, [one, one, one]), Some(one));
    // One given bit at each place, and constants that are not the same at all places.
    let mark = Mark { group: 2, basis: 1, first: 0, count: 1, others: 0 };
    let function = t.marked(&mark, 0, text).expect("a function");
    let bits = t.bits_of(text).expect("bits");
    for mask in [0, u128::MAX, 0xffff, 0xff, u128::MAX / 255 * 15, !0xff, 1 << 127] {
        let constant = t.constant(mask);
        let both = t.logic(AND, [function, function, constant]).expect("a lane");
        let found = t.bits_of(both).expect("bits");
        for at in 0..128 {
            assert_eq!(found[at], if mask >> at & 1 == 1 { bits[at] } else { 0 }, "{mask:x}, {at}");
        }
    }
    // A table of bytes is applied to the bytes of the lane, not to bits.
    let table = std::array::from_fn(|x| (x as u8).rotate_left(3) ^ 0x5a);
    let expected = t.applied(text, &table).expect("a lane");
    assert_eq!(t.applied(function, &table), Some(expected));
    // NOT of all bits.
    let inverse = t.logic(0x0f, [text, text, text]).expect("a lane");
    let inverse = t.bits_of(inverse).expect("bits");
    assert!(inverse.iter().zip(&bits).all(|(&inverse, &bit)| {
        let (own, all) = (t.summands(bit), t.summands(inverse));
        own.0 == all.0 && !own.1 && all.1
    }));
}

/// A half of a lane is a word in order, or with its bytes reversed, and only without a constant.
#[test]
fn a_word_with_a_constant_or_reversed_is_another() {
    let mut d = domain("aes128-ctr");
    let (word, zero) = (d.terms.word(Atom::Counter(0)), Linear::default());
    let (swapped, one) = (d.terms.swapped(&word), d.terms.constant(1));
    assert_ne!(swapped, word);
    let lanes = [&word, &swapped].map(|word| d.terms.words(word, &zero));
    assert_ne!(lanes[0], lanes[1]);
    for (lane, own) in lanes.into_iter().zip([&word, &swapped]) {
        assert_eq!(d.terms.half(lane, 0), *own);
        let other = d.terms.xor(lane, one);
        let half = d.terms.half(other, 0);
        assert!(half != word && half != swapped, "{half:?}");
    }
}

/// Words of a round key but the first are sums of the one before and of the same one of the key before.
#[test]
fn words_of_round_keys_of_a_schedule_are_sums() {
    let mut d = domain("aes128-ecb");
    d.expanded = true;
    let keys = [0, 1].map(|number| d.round_key(number));
    let mut word = |key: usize, word: usize| {
        let mask = std::array::from_fn(|k| if k < 4 { (4 * word + k) as u8 } else { ZERO });
        d.terms.shuffled(keys[key], &mask)
    };
    let words: Vec<[LaneId; 3]> = (1..4).map(|k| [word(1, k), word(1, k - 1), word(0, k)]).collect();
    for [own, before, above] in words {
        assert_eq!(d.terms.xor(before, above), own);
        assert_ne!(own, before);
    }
}
