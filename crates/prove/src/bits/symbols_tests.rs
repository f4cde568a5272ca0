//! Tests that operations on bits agree with those on numbers, whatever the values of the atoms are.

use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::{Numbers, mask};
use aesmith_isa::values::{Binary, ByteFunction, Shift, Values};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bits::forks::ControlDependence;
use crate::bits::forms::{Bit, Bits, Node};
use crate::bits::memory::Role;
use crate::bits::symbols::{Symbols, Trouble};
use crate::bits::toy::ABOUT;
use crate::bits::value::Value;

/// The values of atoms.
struct Assignment(Vec<bool>);

impl Assignment {
    fn atom(&self, bits: &mut Bits, atom: u32) -> bool {
        let Some((basis, inverse, j)) = bits.atoms[atom as usize].output else {
            return self.0[atom as usize];
        };
        let input = bits.input_of(basis);
        let x = input.iter().rev().fold(0, |x, &bit| x << 1 | usize::from(self.bit(bits, bit)));
        (if inverse { INV_SBOX[x] } else { SBOX[x] }) >> j & 1 == 1
    }

    fn bit(&self, bits: &mut Bits, bit: Bit) -> bool {
        let value = match bits.nodes[(bit >> 1) as usize] {
            Node::Zero => false,
            Node::Linear(..) => {
                bits.atoms_of(bit).to_vec().into_iter().fold(false, |sum, atom| sum ^ self.atom(bits, atom))
            }
            Node::And(a, b) => self.bit(bits, a) && self.bit(bits, b),
            Node::Xor(a, b) => self.bit(bits, a) ^ self.bit(bits, b),
            Node::Function => {
                let sum = bits.resolve(bit & !1).expect("a function is known");
                let form = self.bit(bits, sum.form);
                sum.parts.into_iter().fold(form, |value, (basis, table)| {
                    let forms = bits.forms_of(basis);
                    let x = forms.iter().rev().fold(0, |x, &f| x << 1 | usize::from(self.bit(bits, f)));
                    value ^ (table[x >> 6] >> (x & 63) & 1 == 1)
                })
            }
            Node::Opaque => panic!("nothing is known of it"),
        };
        value ^ (bit & 1 == 1)
    }

    /// The number that a value is; `None` if that is not known.
    fn number(&self, domain: &mut Symbols, value: &Value) -> Option<u128> {
        match value {
            Value::Number(n) => Some(*n),
            Value::Bits(of) if of.iter().any(|&bit| Bits::is_opaque(bit)) => None,
            Value::Bits(of) => {
                let bits = &mut domain.bits;
                Some(of.iter().rev().fold(0, |n, &bit| n << 1 | u128::from(self.bit(bits, bit))))
            }
            _ => None,
        }
    }
}

/// A random value of `width` bits, each an atom, its complement or a constant; and its number.
fn any(
    domain: &mut Symbols,
    given: &mut Assignment,
    random: &mut ChaCha8Rng,
    width: u8,
    secret: bool,
) -> (Value, u128) {
    if random.random_ratio(1, 4) {
        let number = random.random::<u128>() & mask(width);
        return (Value::Number(number), number);
    }
    let constants = random.random_range(0..3);
    let of: Vec<Bit> = (0..width)
        .map(|_| match random.random_range(0..4) < constants {
            true => random.random_range(0..2),
            false => {
                given.0.push(random.random());
                domain.bits.atom(secret) ^ random.random_range(0..2)
            }
        })
        .collect();
    let value = domain.value(of);
    let number = given.number(domain, &value).expect("it is of atoms");
    (value, number)
}

/// Compares a result of the domain with the number; returns true if the domain knows it.
fn same(
    domain: &mut Symbols,
    given: &Assignment,
    what: &str,
    found: &Value,
    wanted: Result<u128, String>,
) -> bool {
    let found = given.number(domain, found);
    if let Some(found) = found {
        assert_eq!(found, wanted.expect("numbers can do it"), "{what}");
    }
    found.is_some()
}

#[test]
fn bits_are_computed_with_as_numbers() {
    let mut random = ChaCha8Rng::seed_from_u64(40);
    let image = Image::default();
    let mut numbers = Numbers::new(&image, &ABOUT, &[]);
    let (mut tried, mut known) = (0, 0);
    for turn in 0..60 {
        let mut domain = Symbols::new(&image, &ABOUT);
        let mut given = Assignment(Vec::new());
        let width = [4, 8, 16, 32][turn % 4];
        let secret = turn % 3 > 0;
        let (a, x) = any(&mut domain, &mut given, &mut random, width, secret);
        // Some iterations combine a value with itself, and some with its complement.
        let (b, y) = match turn % 7 {
            0 => (a.clone(), x),
            1 => (domain.not(width, &a).expect("is made"), !x & mask(width)),
            _ => any(&mut domain, &mut given, &mut random, width, secret),
        };
        let mut held = |domain: &mut Symbols, what: &str, found: &Value, wanted: Result<u128, String>| {
            tried += 1;
            known += u32::from(same(domain, &given, &format!("{what} of {x:#x}, {y:#x}"), found, wanted));
        };
        use Binary::{Add, And, Below, Equal, Less, Multiply, Or, Subtract, Xor};
        for op in [Add, And, Below, Equal, Less, Multiply, Or, Subtract, Xor] {
            let found = domain.binary(op, width, &a, &b).expect("is made");
            held(&mut domain, &format!("{op:?}"), &found, numbers.binary(op, width, &x, &y));
        }
        for count in [0, 1, 3, 7, width - 1, width, width + 1, width + 8] {
            for op in [Shift::Left, Shift::Right, Shift::Arithmetic, Shift::Rotate] {
                let n = u128::from(count);
                let found = domain.shift(op, width, &a, 8, &Value::Number(n)).expect("is made");
                held(&mut domain, &format!("{op:?} by {count}"), &found, numbers.shift(op, width, &x, 8, &n));
            }
        }
        for signed in [false, true] {
            let found = domain.extend(signed, width, width + 9, &a).expect("is made");
            let wanted = numbers.extend(signed, width, width + 9, &x);
            held(&mut domain, &format!("extended {signed}"), &found, wanted);
        }
        let found = domain.join((width, &a), (width, &b)).expect("is made");
        held(&mut domain, "joined", &found, numbers.join((width, &x), (width, &y)));
        let found = domain.slice(width, &a, 1, width - 2).expect("is made");
        held(&mut domain, "a slice", &found, numbers.slice(width, &x, 1, width - 2));
        let condition = domain.slice(width, &a, 0, 1).expect("is made");
        let found = domain.select(width, &condition, &a, &b).expect("is made");
        held(&mut domain, "chosen", &found, numbers.select(width, &(x & 1), &x, &y));
        if width == 8 {
            for f in [ByteFunction::Sbox, ByteFunction::InverseSbox, ByteFunction::Times(0x8d)] {
                let found = domain.function(f, &a).expect("is made");
                held(&mut domain, &format!("{f:?}"), &found, numbers.function(f, &x));
            }
        }
    }
    assert!(known * 4 > tried * 3, "of {tried} results {known} are known");
}

/// Bytes of a pair of registers are picked as from numbers, by an index that is a number or bits.
#[test]
fn bytes_are_picked_as_of_numbers() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let image = Image::default();
    let mut numbers = Numbers::new(&image, &ABOUT, &[]);
    for turn in 0..12 {
        let mut domain = Symbols::new(&image, &ABOUT);
        let mut given = Assignment(Vec::new());
        let [(high, x), (low, y)] = [(); 2].map(|()| any(&mut domain, &mut given, &mut random, 128, true));
        let (index, n) = if turn % 2 == 0 {
            let n = random.random_range(0..256);
            (Value::Number(n), n)
        } else {
            any(&mut domain, &mut given, &mut random, 8, true)
        };
        let found = domain.pick(&high, &low, &index).expect("is made");
        let is_known = same(&mut domain, &given, "picked", &found, numbers.pick(&x, &y, &n));
        assert!(is_known, "byte {n}");
    }
}

/// Secret shift counts and operands of divisions are noted, and results of operations on secrets are secret.
#[test]
fn what_hangs_on_secrets_is_noted() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let word = |domain: &mut Symbols, secret: bool| {
        let of: Vec<Bit> = (0..32).map(|_| domain.bits.atom(secret)).collect();
        domain.value(of)
    };
    let (public, secret) = (word(&mut domain, false), word(&mut domain, true));
    for (a, count, kinds) in [(&secret, &public, 0), (&public, &public, 0), (&public, &secret, 1)] {
        let found = domain.shift(Shift::Left, 32, a, 32, count).expect("is made");
        assert_eq!(domain.is_secret(&found), !std::ptr::eq(a, count));
        let noted = std::mem::take(&mut domain.hangs);
        assert_eq!(noted, vec![(0, ControlDependence::Count); kinds]);
    }
    for (op, a, b) in [(Binary::Divide, &secret, &public), (Binary::Remainder, &public, &secret)] {
        let found = domain.binary(op, 32, a, b).expect("is made");
        assert!(domain.is_secret(&found));
        assert_eq!(std::mem::take(&mut domain.hangs), [(0, ControlDependence::Operand)]);
    }
    let found = domain.binary(Binary::Divide, 32, &public, &public).expect("is made");
    assert!(!domain.is_secret(&found) && domain.hangs.is_empty() && domain.multiplies.is_empty());
    let found = domain.binary(Binary::Multiply, 32, &public, &secret).expect("is made");
    assert!(domain.is_secret(&found) && domain.hangs.is_empty() && !domain.multiplies.is_empty());
    // The same holds for joined parts, comparisons of many bits, and unknown values.
    let joined = Value::Joined([(32, public.clone()), (32, secret.clone())].into());
    assert!(domain.is_secret(&joined) && domain.is_secret(&Value::Unknown(true)));
    for op in [Binary::Equal, Binary::Below, Binary::Add, Binary::And, Binary::Xor] {
        for (a, b) in [(&public, &secret), (&secret, &public), (&public, &Value::Unknown(true))] {
            let found = domain.binary(op, 32, a, b).expect("is made");
            assert!(domain.is_secret(&found), "{op:?}");
        }
    }
    // One secret bit of many that are compared.
    for secret in [None, Some(0), Some(20)] {
        let mixed: Vec<Bit> = (0..32).map(|k| domain.bits.atom(Some(k) == secret)).collect();
        let mixed = domain.value(mixed);
        let found = domain.binary(Binary::Equal, 32, &mixed, &public).expect("is made");
        assert_eq!(domain.is_secret(&found), secret.is_some(), "{secret:?}");
    }
    let found = domain.function(ByteFunction::Sbox, &Value::Unknown(true)).expect("is made");
    assert!(domain.is_secret(&found));
    // One secret bit is enough, in an S-box and in a table.
    let mixed: Vec<Bit> = (0..8).map(|k| domain.bits.atom(k == 5)).collect();
    let byte = domain.value(mixed.clone());
    let found = domain.function(ByteFunction::Sbox, &byte).expect("is made");
    let Value::Bits(outputs) = &found else { panic!("{found:?}") };
    assert!(outputs.iter().all(|&bit| domain.bits.is_secret(bit)));
    let majority = [0b1110_1000; 4];
    let found = domain.bits.function_of(&mixed[3..6], &majority).expect("three forms");
    assert!(domain.bits.is_secret(found));
    // An unknown bit combined with itself stays unknown.
    let unknown = Bits::opaque(true);
    assert!(
        Bits::is_opaque(domain.bits.xor(unknown, unknown))
            && Bits::is_opaque(domain.bits.and(unknown, unknown))
    );
}

/// A load at a secret address is noted, and apart from that a load that may lie across two words for some secrets.
#[test]
fn secret_addresses_and_secret_alignments_are_noted() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let (public, secret) = (domain.bits.atom(false), domain.bits.atom(true));
    for (bytes, lowest) in [(1, 0), (2, 1), (4, 2), (8, 3), (16, 4)] {
        for place in 0..6 {
            let mut bits = vec![public; 6];
            domain.note_secret_address(bytes, &bits);
            assert!(domain.hangs.is_empty(), "{bytes} bytes");
            bits[place] = secret;
            domain.note_secret_address(bytes, &bits);
            let kinds = [ControlDependence::Address, ControlDependence::Alignment];
            let noted = kinds.map(|kind| domain.hangs.contains(&(domain.pc, kind)));
            assert_eq!(noted, [true, place < lowest], "{bytes} bytes, bit {place}");
            domain.hangs.clear();
        }
    }
}

/// A decision on a bit decides its complement, and nothing else.
#[test]
fn decisions_are_of_a_bit_and_its_complement() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let [bit, other] = [(); 2].map(|()| domain.bits.atom(false));
    let value = |bit: Bit| Value::Bits([bit].into());
    for outcome in [false, true] {
        domain.decided = vec![(bit, outcome)];
        assert_eq!(domain.decide(&value(bit)), Ok(outcome));
        assert_eq!(domain.decide(&value(bit ^ 1)), Ok(!outcome));
        assert_eq!(domain.decide(&value(other)), Err(Trouble::Fork(other)));
        // The sum of both is another bit.
        let sum = domain.bits.xor(bit, other);
        assert_eq!(domain.decide(&value(sum)), Err(Trouble::Fork(sum)));
    }
    assert_eq!(domain.decide(&Value::Number(0)), Ok(false));
    assert_eq!(domain.decide(&Value::Number(2)), Ok(true));
    assert!(matches!(domain.decide(&Value::Unknown(false)), Err(Trouble::Sentence(_))));
    assert!(matches!(domain.decide(&value(Bits::opaque(true))), Err(Trouble::Sentence(_))));
}

/// Two bytes make an address only if they are parts of the same one.
#[test]
fn parts_of_an_address_are_put_together_to_it() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let [stack, other] = [Role::Stack, Role::Input].map(|role| domain.memory.object(role, 16, 0, 16, true));
    let mut joined = |high: Value, low: Value| domain.join((8, &high), (8, &low)).expect("is made");
    let whole = joined(Value::Part(stack, 5, 8), Value::Part(stack, 5, 0));
    assert!(whole.same(&Value::Pointer(stack, 5)), "{whole:?}");
    for (high, low) in [
        (Value::Part(stack, 6, 8), Value::Part(stack, 5, 0)),
        (Value::Part(stack, 5, 8), Value::Part(other, 5, 0)),
        (Value::Part(stack, 5, 0), Value::Part(stack, 5, 8)),
        (Value::Part(stack, 5, 8), Value::Part(stack, 5, 8)),
        (Value::Part(stack, 5, 8), Value::Number(5)),
    ] {
        let found = joined(high.clone(), low.clone());
        assert!(!matches!(found, Value::Pointer(..) | Value::Part(..)), "{high:?} and {low:?}: {found:?}");
    }
}

/// A sum of several bits at once equals their XOR one by one: for constants, forms that share atoms, and gates.
#[test]
fn sums_at_once_are_sums_one_after_another() {
    let mut random = ChaCha8Rng::seed_from_u64(44);
    let mut bits = Bits::new();
    let atoms: Vec<Bit> = (0..6).map(|_| bits.atom(true)).collect();
    let gate = bits.and(atoms[0], atoms[1]);
    for _ in 0..200 {
        let several: Vec<Bit> = (0..random.random_range(0..5))
            .map(|_| {
                let of: Vec<Bit> = atoms.iter().copied().filter(|_| random.random()).collect();
                let form = of.into_iter().fold(random.random_range(0..2), |sum, atom| bits.xor(sum, atom));
                if random.random_ratio(1, 5) { bits.xor(form, gate) } else { form }
            })
            .collect();
        let found = bits.sum(several.iter().copied());
        let wanted = several.iter().fold(0, |sum, &bit| bits.xor(sum, bit));
        let difference = bits.xor(found, wanted);
        assert_eq!(bits.settle(difference), Some(0), "{several:?}");
    }
}

/// Gates that are simplified, as one is an operand of the other, stay the same functions of the atoms.
#[test]
fn gates_are_the_functions_that_they_are_made_as() {
    let mut random = ChaCha8Rng::seed_from_u64(45);
    for _ in 0..40 {
        let mut bits = Bits::new();
        let tables = [0xaaaau16, 0xcccc, 0xf0f0, 0xff00];
        let mut made: Vec<(Bit, u16)> = tables.map(|table| (bits.atom(true), table)).to_vec();
        for _ in 0..30 {
            let [(a, s), (b, t)] = [(); 2].map(|()| {
                let (bit, table) = made[random.random_range(0..made.len())];
                if random.random() { (bit, table) } else { (bit ^ 1, !table) }
            });
            made.push(match random.random_range(0..4) {
                0 => (bits.or(a, b), s | t),
                1 => (bits.xor(a, b), s ^ t),
                _ => (bits.and(a, b), s & t),
            });
        }
        for x in 0..16usize {
            let given = Assignment((0..4).map(|place| x >> place & 1 == 1).collect());
            for &(bit, table) in &made {
                assert_eq!(given.bit(&mut bits, bit), table >> x & 1 == 1, "{bit}, {table:#x} at {x}");
            }
        }
    }
}

#[test]
fn an_s_box_is_undone_by_its_own_outputs_in_their_order_alone() {
    let image = Image::default();
    let mut domain = Symbols::new(&image, &ABOUT);
    let input: Vec<Bit> = (0..8).map(|_| domain.bits.atom(true)).collect();
    let byte = domain.value(input.clone());
    for (there, back) in
        [(ByteFunction::Sbox, ByteFunction::InverseSbox), (ByteFunction::InverseSbox, ByteFunction::Sbox)]
    {
        let Value::Bits(outputs) = domain.function(there, &byte).expect("is made") else {
            panic!("bits are known")
        };
        let mut undone = |of: Vec<Bit>| {
            let of = domain.value(of);
            match domain.function(back, &of).expect("is made") {
                Value::Bits(bits) => bits.to_vec(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(undone(outputs.to_vec()), input);
        let mut exchanged = outputs.to_vec();
        exchanged.swap(2, 6);
        let other = undone(exchanged);
        assert!(other.iter().all(|bit| !input.contains(bit)), "{other:?}");
    }
}
