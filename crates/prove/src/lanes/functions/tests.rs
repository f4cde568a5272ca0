//! Tests of functions of forms.

use super::*;
use aesmith_cipher::block::gf_mul;

fn byte(forms: &mut Forms, index: u8) -> Form {
    forms.atom(ByteAtom::Lane { atom: 3, index })
}

/// `values` of `x`, by two look-ups of its nibbles.
fn by_nibbles(forms: &mut Forms, x: Form, low: &Values, high: &Values) -> Form {
    let keep = forms.matrices.number(Matrix::keep(15));
    let down = forms.matrices.number(Matrix::shifted(-4));
    let (a, b) = (forms.times(keep, x), forms.times(down, x));
    let (a, b) = (forms.function(a, low), forms.function(b, high));
    forms.add(a, b)
}

#[test]
fn nibbles_of_a_byte_have_one_parent() {
    let mut forms = Forms::new();
    let (x, y) = (byte(&mut forms, 0), byte(&mut forms, 1));
    let x = forms.combine(&[(x, 1), (y, 7), (Form(0x1d), 1)]);
    // A linear map, split into two look-ups.
    let times = |by: u8, shift: usize| -> Values { std::array::from_fn(|v| gf_mul(by, (v << shift) as u8)) };
    let product = by_nibbles(&mut forms, x, &times(0x8e, 0), &times(0x8e, 4));
    assert_eq!(product, forms.times(0x8e, x));
    // Squares of nibbles as integers: not a linear map, but a function of x.
    let square: Values = std::array::from_fn(|v| (v * v) as u8);
    let sum = by_nibbles(&mut forms, x, &square, &square);
    let direct: Values = std::array::from_fn(|v| square[v & 15] ^ square[v >> 4]);
    assert_eq!(sum, forms.function(x, &direct));
    // Adding the same function of it cancels.
    assert_eq!(forms.add(sum, sum), Form(0));
    let more = forms.add(sum, y);
    assert_eq!(forms.add(more, sum), y);
    assert!(forms.is_functional(sum) && !forms.is_functional(y));
}

#[test]
fn a_table_of_the_s_box_is_the_s_box() {
    let mut forms = Forms::new();
    let (x, y) = (byte(&mut forms, 0), byte(&mut forms, 1));
    let x = forms.combine(&[(x, 1), (y, 2), (Form(0x35), 1)]);
    for inverse in [false, true] {
        let table = if inverse { &INV_SBOX } else { &SBOX };
        let s = forms.sbox(inverse, x);
        assert_eq!(forms.function(x, table), s);
        let twice = forms.function(x, &table.map(|v| gf_mul(2, v) ^ 5));
        assert_eq!(twice, forms.combine(&[(s, 2), (Form(5), 1)]));
        // Through another basis of the argument and of the result.
        let basis = Matrix(0x8040_2010_0804_0203);
        let back = basis.inverse().unwrap();
        let number = forms.matrices.number(basis);
        let moved = forms.times(number, x);
        let inside: Values = std::array::from_fn(|v| table[back.apply(v as u8) as usize]);
        assert_eq!(forms.function(moved, &inside), s);
        // The other S-box of it is the byte itself, and a table with a wrong entry is no S-box.
        assert_eq!(forms.function(s, if inverse { &SBOX } else { &INV_SBOX }), x);
        let mut wrong = *table;
        wrong[200] ^= 1;
        let other = forms.function(x, &wrong);
        assert!(forms.is_functional(other));
        let difference = forms.add(other, s);
        assert!(forms.is_functional(difference));
    }
}

#[test]
fn inversion_is_the_s_box_in_every_basis_that_is_a_multiple() {
    let mut forms = Forms::new();
    let x = byte(&mut forms, 0);
    let y = byte(&mut forms, 1);
    let x = forms.combine(&[(x, 3), (y, 1), (Form(9), 1)]);
    let s = forms.sbox(false, x);
    assert!(!forms.is_functional(s));
    assert_eq!(forms.function(x, &SBOX), s);
    assert_eq!(forms.sbox(true, s), x);
}

#[test]
fn functions_of_functions_compose() {
    let mut forms = Forms::new();
    let x = byte(&mut forms, 5);
    let (f, g): (Values, Values) =
        (std::array::from_fn(|v| (v * 7 % 251) as u8), std::array::from_fn(|v| ((v * v) >> 3) as u8));
    let inner = forms.function(x, &f);
    let outer = forms.function(inner, &g);
    let direct = std::array::from_fn(|v| g[f[v] as usize]);
    assert_eq!(outer, forms.function(x, &direct));
    let other = byte(&mut forms, 6);
    assert!(forms.as_functions([inner, other]).is_none());
    let both = forms.combine(&[(inner, 1), (x, 3)]);
    let (parent, values) = forms.as_functions([both, inner]).unwrap();
    assert_eq!(parent, x);
    assert!((0..256).all(|v| values[0][v] == f[v] ^ gf_mul(3, v as u8) && values[1] == f));
}

/// A form's value for given bytes of the lanes, by number of the lane.
fn value(forms: &Forms, form: Form, bytes: [u8; 3]) -> u8 {
    forms.terms(form).fold(forms.constant_part(form), |sum, (atom, coefficient)| {
        let x = match atom {
            ByteAtom::Lane { atom, .. } => bytes[atom as usize],
            ByteAtom::Sbox { inverse: false, of } => SBOX[usize::from(value(forms, of, bytes))],
            ByteAtom::Sbox { inverse: true, of } => INV_SBOX[usize::from(value(forms, of, bytes))],
            ByteAtom::Function { number } => {
                let Function { of, values } = &forms.functions[number as usize];
                values[usize::from(value(forms, *of, bytes))]
            }
        };
        sum ^ forms.matrices.get(coefficient).apply(x)
    })
}

/// Random sums and functions have the correct values, including functions of several bytes, which may have a parent
/// other than themselves.
#[test]
fn forms_have_the_values_of_what_they_stand_for() {
    let mut state = 1u64;
    let mut random = move || {
        state = mix(state, 0x9e37_79b9_7f4a_7c15);
        state >> 17 ^ state << 40
    };
    for _ in 0..1500 {
        let mut forms = Forms::new();
        let points: [[u8; 3]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| random() as u8));
        let mut made: Vec<(Form, [u8; 6])> = (0..3)
            .map(|k| (forms.atom(ByteAtom::Lane { atom: k, index: 0 }), points.map(|p| p[k as usize])))
            .collect();
        for _ in 0..12 {
            let mut one = || made[random() as usize % made.len()];
            let ((a, x), (b, y)) = (one(), one());
            let mut matrix = || match random() % 5 {
                0 => Matrix(random()),
                1 => Matrix::keep(random() as u8),
                2 => Matrix::shifted((random() % 15) as i32 - 7),
                _ => Matrix::IDENTITY,
            };
            let (m, n) = (matrix(), matrix());
            let (kind, constant) = (random() % 4, random() as u8 & random() as u8);
            let (form, expected) = match kind {
                0 | 1 => {
                    let numbers = [m, n].map(|matrix| forms.matrices.number(matrix));
                    let parts = [(a, numbers[0]), (b, numbers[1]), (Form(constant.into()), 1)];
                    let sum = |q: usize| m.apply(x[q]) ^ n.apply(y[q]) ^ constant;
                    (forms.combine(&parts), std::array::from_fn(sum))
                }
                2 => {
                    let few = if constant & 1 == 1 { 15 } else { 255 };
                    let table: Values = match random() % 4 {
                        0 => SBOX.map(|v| m.apply(v)),
                        1 => INV_SBOX,
                        _ => {
                            let seed = random();
                            std::array::from_fn(|v| (mix(seed, v as u64 & few) >> 30) as u8)
                        }
                    };
                    (forms.function(a, &table), x.map(|v| table[usize::from(v)]))
                }
                _ => {
                    let Some((of, values)) = forms.as_functions([a, b]) else { continue };
                    let both: Values = std::array::from_fn(|v| values[0][v] & values[1][v]);
                    (forms.function(of, &both), std::array::from_fn(|q| x[q] & y[q]))
                }
            };
            assert_eq!(points.map(|point| value(&forms, form, point)), expected);
            made.push((form, expected));
        }
    }
}
