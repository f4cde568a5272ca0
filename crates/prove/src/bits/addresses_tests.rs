//! Comparisons of addresses and numbers of blocks have the results that they have for numbers.

use aesmith_isa::image::Image;
use aesmith_isa::numbers::mask;
use aesmith_isa::values::Binary;

use crate::bits::memory::{Cell, Role};
use crate::bits::symbols::Symbols;
use crate::bits::toy::ABOUT;
use crate::bits::value::{Question, Value};

/// Signs and comparisons with signs are those of numbers, for any number of blocks that memory has room for.
#[test]
fn numbers_of_blocks_are_less_as_numbers_with_signs_are() {
    const WIDTH: u8 = 16;
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let [count, input] =
        [Role::Count, Role::Input].map(|role| domain.memory.object(role, WIDTH, 0, 0, false));
    let lefts = || (0..40i64).chain((1 << 12) - 40..1 << 12);
    let answer = |domain: &Symbols, value: &Value, left: i64| match value {
        Value::Number(n) => *n == 1,
        Value::Bits(bits) => {
            let asked = domain.questions.iter().find(|(bit, _)| *bit == bits[0] & !1).expect("asked").1;
            let number = (left + asked.offset) & 0xffff;
            (asked.below && number < asked.is as i64) != (bits[0] & 1 == 1)
        }
        other => panic!("{other:?}"),
    };
    let numbers: [i64; 13] = [-0x3fff, -0x1000, -17, -2, -1, 0, 1, 2, 3, 30, 0xfff, 0x1000, 0x3fff];
    for at in numbers {
        let of = Value::Pointer(count, at);
        let sign = domain.bits_of_address(count, at, WIDTH - 1, 1);
        for left in lefts() {
            assert_eq!(answer(&domain, &sign, left), left + at < 0, "{left} and {at}: {sign:?}");
        }
        for number in numbers.into_iter().filter(|n| n.abs() < 0x3fff) {
            let n = Value::Number(number as u128 & mask(WIDTH));
            let less = domain.addresses(Binary::Less, WIDTH, &of, &n).expect("a small number");
            let more = domain.addresses(Binary::Less, WIDTH, &n, &of).expect("a small number");
            for left in lefts() {
                assert_eq!(answer(&domain, &less, left), left + at < number, "{left}, {at}, {number}");
                assert_eq!(answer(&domain, &more, left), number < left + at, "{left}, {at}, {number}");
            }
        }
    }
    for (object, at, number) in [(count, 0, 0x4000), (count, 0x4000, 0), (count, -0x4000, 0), (input, 0, 1)] {
        assert!(domain.is_less(object, at, number).is_none(), "{at} and {number}");
    }
    assert!(matches!(domain.bits_of_address(count, 0, WIDTH - 2, 1), Value::Part(_, 0, 14)));
    assert!(matches!(domain.bits_of_address(count, 0, WIDTH - 2, 2), Value::Part(_, 0, 14)));
}

/// Only the OR of both bytes of one number of blocks asks if it is zero.
#[test]
fn a_number_of_blocks_is_zero_if_the_or_of_its_bytes_is() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let [count, wide, input] = [(Role::Count, 16), (Role::Count, 32), (Role::Input, 16)]
        .map(|(role, width)| domain.memory.object(role, width, 0, 0, false));
    let part = |object, at, low| Value::Part(object, at, low);
    let (low, high) = (part(count, -1, 0), part(count, -1, 8));
    for (a, b) in [(&low, &high), (&high, &low)] {
        let both = domain.addresses(Binary::Or, 8, a, b).expect("both bytes");
        let asked = domain.addresses(Binary::Equal, 8, &both, &Value::Number(0));
        let Some(Value::Bits(bit)) = &asked else { panic!("{asked:?}") };
        let question = Question { object: count, offset: -1, low: 0, width: 16, is: 0, below: false };
        assert_eq!(domain.questions.as_slice(), [(bit[0], question)]);
        assert!(domain.addresses(Binary::Equal, 8, &both, &Value::Number(1)).is_none());
    }
    for (a, b) in [
        (low.clone(), part(count, -2, 8)),
        (low.clone(), part(count, -1, 16)),
        (part(wide, -1, 0), part(wide, -1, 8)),
        (part(input, -1, 0), part(input, -1, 8)),
        (low.clone(), part(wide, -1, 8)),
    ] {
        assert!(domain.addresses(Binary::Or, 8, &a, &b).is_none(), "{a:?} or {b:?}");
    }
    assert!(domain.addresses(Binary::And, 8, &low, &high).is_none());
}

/// A cipher key of 24 bytes, with the 8 bytes that follow it in the same 16 bytes.
#[test]
fn what_stands_beside_a_buffer_is_read_with_it_or_not_at_all() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let key = domain.memory.object(Role::CipherKey, 32, 0, 32, false);
    let cell = Some(Cell { value: Value::Number(0), at: 0, bytes: 1 });
    domain.memory.objects[usize::from(key)].cells.fill(cell);
    domain.memory.objects[usize::from(key)].beside = 8;
    assert!(domain.memory.load(key, 16, 8).is_ok() && !domain.memory.beside);
    for (offset, bytes) in [(24, 4), (20, 8), (12, 16), (24, 8)] {
        assert!(domain.memory.load(key, offset, bytes).is_err(), "{bytes} bytes at {offset}");
    }
    assert!(domain.memory.load(key, 16, 16).is_ok() && domain.memory.beside);
    // Memory may end after the object's own bytes, so only the addresses of these are known to be in order.
    assert!(domain.is_ordered(key, 0, 24) && !domain.is_ordered(key, 0, 32));
}

/// Addresses in a message are in order up to its end, which may be before that of the cells that the proof has for it.
#[test]
fn addresses_are_in_order_within_what_there_is() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let [input, key] = [Role::Input, Role::Key].map(|role| domain.memory.object(role, 64, 0, 64, true));
    domain.memory.limit = 32;
    for (object, end) in [(input, 32), (key, 64)] {
        for at in [-1, 0, 1, 31, 32, 33, 48, 63, 64, 65] {
            let is_within = (0..=end).contains(&at);
            assert_eq!(domain.is_ordered(object, 0, at), is_within, "{end}: {at}");
            assert_eq!(domain.is_ordered(object, at, 0), is_within, "{end}: {at}");
        }
    }
}

/// The high byte of an address has the carry and the borrow of its own low byte alone.
#[test]
fn carries_and_borrows_belong_to_the_address_whose_low_byte_they_are_of() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let [input, other] = [Role::Input, Role::Output].map(|role| domain.memory.object(role, 16, 0, 64, true));
    let part = Value::Part(input, 0x123, 8);
    for (object, from, by, [adds, subtracts]) in [
        (input, 0x23, 4, [true, false]),
        (input, 0x1f, 4, [false, true]),
        (input, 0x123, 0, [true, true]),
        (input, 0x24, 4, [false, false]),
        (input, 0x21, 4, [false, false]),
        (other, 0x23, 4, [false, false]),
        (other, 0x1f, 4, [false, false]),
    ] {
        let carry = Value::WideCarry(object, from, by);
        for (op, is_known, to) in
            [(Binary::Add, adds, 0x123 + i64::from(by)), (Binary::Subtract, subtracts, 0x123 - i64::from(by))]
        {
            let found = domain.addresses(op, 8, &part, &carry);
            let wanted = is_known.then_some(Value::Part(input, to, 8));
            let is_wanted = match (&found, &wanted) {
                (Some(found), Some(wanted)) => found.same(wanted),
                (found, wanted) => found.is_none() && wanted.is_none(),
            };
            assert!(is_wanted, "{op:?} {from:#x} {by}: {found:?}");
        }
    }
}
