//! Operations of the symbolic domain on lanes other than XOR and rounds. Bytes are moved as bytes as long as they are
//! whole; moved bits are maps of bits on lanes. Results that depend on a byte's value (look-ups, comparisons,
//! selections) are functions of it.

use std::sync::LazyLock;

use aesmith_cipher::block::{SBOX, gf_mul};
use aesmith_isa::lanes::{Half, Logic, Shift, Width};

use crate::algebra::folds::Values;
use crate::algebra::matrices::Matrix;
use crate::lanes::forms::Form;
use crate::lanes::symbolic::Symbolic;
use crate::lanes::terms::{Lane, Op};

/// A zero byte, in an order of bytes.
const NO_BYTE: u8 = 0xff;

/// The inverse of the matrix that the S-box multiplies the inverse by (FIPS-197, 5.1.1).
static FROM_SBOX: LazyLock<Matrix> = LazyLock::new(|| {
    let inverse = |x: u8| (0..=255).find(|&y| gf_mul(x, y) == 1).unwrap_or(0);
    let matrix = Matrix::from_columns(|j| SBOX[inverse(1 << j) as usize] ^ SBOX[0]);
    matrix.inverse().expect("the S-box is a permutation")
});

impl Symbolic {
    /// Bytes selected from the bytes of up to two lanes: `choice(i)` is a lane and a byte of it, or `None` for zero.
    pub(crate) fn choose_bytes(
        &mut self,
        from: [Lane; 2],
        choice: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Lane {
        if from.iter().any(|&lane| self.terms.is_by_bits(lane)) && !from.iter().any(|l| l.is_unknown()) {
            let mut sum = Lane::ZERO;
            for (k, &lane) in from.iter().enumerate() {
                let map = self
                    .terms
                    .maps
                    .of_bytes(|i| choice(i).filter(|&(number, _)| number == k).map(|(_, byte)| byte));
                let part = self.terms.moved(map, lane);
                sum = self.terms.xor(sum, part);
            }
            return sum;
        }
        if from.iter().any(|&lane| self.terms.as_cone(lane).is_some()) {
            let mut sum = Lane::ZERO;
            for (k, &lane) in from.iter().enumerate() {
                let order = std::array::from_fn(|i| {
                    choice(i).filter(|&(number, _)| number == k).map_or(NO_BYTE, |(_, byte)| byte as u8)
                });
                let part = self.bytes_of_one(lane, order);
                sum = self.terms.xor(sum, part);
            }
            return sum;
        }
        self.choose_bytes_anew(from, choice)
    }

    /// A lane's bytes in another order.
    fn bytes_of_one(&mut self, lane: Lane, order: [u8; 16]) -> Lane {
        let choose = |this: &mut Self, lane| {
            this.choose_bytes_anew([lane, Lane::ZERO], |i| {
                Some((0, usize::from(order[i]))).filter(|_| order[i] != NO_BYTE)
            })
        };
        let followed = self.follow(lane, |this, function| {
            let key = (function, u128::from_le_bytes(order));
            if let Some(known) = this.terms.cones.chosen.get(&key) {
                return known;
            }
            let chosen = choose(this, function);
            this.terms.cones.chosen.insert(key, chosen);
            chosen
        });
        followed.unwrap_or_else(|| choose(self, lane))
    }

    /// The result of an operation on a lane that is a function of another lane: the operation is done once on the
    /// function, for any argument. `None` for other lanes.
    fn follow(&mut self, lane: Lane, operation: impl FnOnce(&mut Self, Lane) -> Lane) -> Option<Lane> {
        let (function, of) = self.terms.as_cone(lane)?;
        let blur = self.blur;
        let image = operation(self, function);
        if image.is_unknown() {
            self.blur = blur;
            return None;
        }
        Some(self.terms.image(image, of))
    }

    fn choose_bytes_anew(
        &mut self,
        from: [Lane; 2],
        choice: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Lane {
        let (Some(a), Some(b)) = (self.terms.bytes(from[0]), self.terms.bytes(from[1])) else {
            let used: Vec<Lane> = (0..16).filter_map(&choice).map(|(lane, _)| from[lane]).collect();
            return self.terms.unknown(&used);
        };
        let bytes = std::array::from_fn(|i| match choice(i) {
            Some((0, k)) => a[k],
            Some((_, k)) => b[k],
            None => Form(0),
        });
        self.terms.lane_of_bytes(bytes)
    }

    /// Elementwise sum or difference of two constants.
    pub(crate) fn add_constants(element: Width, a: u128, b: u128, subtract: bool) -> u128 {
        let bits = element.bits();
        let mask = u128::from(element.mask());
        (0..128 / bits).fold(0, |sum, i| {
            let (x, y) = (a >> (i * bits) & mask, b >> (i * bits) & mask);
            let s = if subtract { x.wrapping_sub(y) } else { x.wrapping_add(y) } & mask;
            sum | s << (i * bits)
        })
    }

    /// AND, OR and AND-NOT of lanes.
    pub(crate) fn lane_logic(&mut self, op: Logic, a: Lane, b: Lane) -> Lane {
        let ones = self.terms.constant(u128::MAX);
        match op {
            Logic::And => self.lane_and(a, b),
            Logic::AndNot => {
                let a = self.terms.xor(a, ones);
                self.lane_and(a, b)
            }
            Logic::Or if a == b => a,
            Logic::Or => {
                // a | b = a ^ b ^ (a & b); with a constant, (a & !c) ^ c.
                for (constant, other) in [(a, b), (b, a)] {
                    if self.terms.as_constant(constant).is_some() {
                        let clear = self.terms.xor(constant, ones);
                        let kept = self.lane_and(clear, other);
                        return self.terms.xor(kept, constant);
                    }
                }
                let both = self.lane_and(a, b);
                let sum = self.terms.xor(a, b);
                self.terms.xor(sum, both)
            }
        }
    }

    /// A bitwise function of three inputs.
    pub(crate) fn lane_ternary(&mut self, table: u8, [a, b, c]: [Lane; 3]) -> Lane {
        // A constant selects as a whole from the results of the other inputs: the parts of a sum that is an S-box's
        // output are not outputs by themselves.
        for (k, input) in [(4, a), (2, b), (1, c)] {
            let Some(mask) = self.terms.as_constant(input) else { continue };
            let with = |value: bool| {
                (0..8).fold(0, |t, i| t | (table >> if value { i | k } else { i & !k } & 1) << i)
            };
            let chosen: Vec<Lane> = [(true, mask), (false, !mask)]
                .into_iter()
                .filter(|&(_, mask)| mask != 0)
                .map(|(value, mask)| {
                    let zero = Lane::ZERO;
                    let others = [
                        if k == 4 { zero } else { a },
                        if k == 2 { zero } else { b },
                        if k == 1 { zero } else { c },
                    ];
                    let lane = self.lane_polynomial(with(value), others);
                    let mask = self.terms.constant(mask);
                    self.lane_and(lane, mask)
                })
                .collect();
            return chosen.into_iter().fold(Lane::ZERO, |sum, part| self.terms.xor(sum, part));
        }
        self.lane_polynomial(table, [a, b, c])
    }

    /// The algebraic normal form: the coefficient of the product of the inputs in `m` is the sum of the table over the
    /// subsets of `m`.
    fn lane_polynomial(&mut self, table: u8, [a, b, c]: [Lane; 3]) -> Lane {
        let coefficient = |m: u8| (0..8u8).filter(|i| i & !m == 0).fold(0, |s, i| s ^ (table >> i & 1)) == 1;
        let mut sum = if coefficient(0) { self.terms.constant(u128::MAX) } else { Lane::ZERO };
        for m in 1..8u8 {
            if !coefficient(m) {
                continue;
            }
            let mut product = None;
            for (bit, input) in [(4, a), (2, b), (1, c)] {
                if m & bit != 0 {
                    product = Some(match product {
                        None => input,
                        Some(so_far) => self.lane_and(so_far, input),
                    });
                }
            }
            sum = self.terms.xor(sum, product.expect("m is not empty"));
        }
        sum
    }

    fn lane_and(&mut self, a: Lane, b: Lane) -> Lane {
        for (constant, other) in [(a, b), (b, a)] {
            let Some(mask) = self.terms.as_constant(constant) else { continue };
            return match mask {
                0 => Lane::ZERO,
                u128::MAX => other,
                _ if other.is_unknown() => other,
                _ => {
                    let other = self.terms.settled(other);
                    let set = mask.to_le_bytes();
                    if set.iter().all(|&b| b == 0 || b == 0xff) && !self.terms.is_by_bits(other) {
                        return self.choose_bytes([other, Lane::ZERO], |i| (set[i] != 0).then_some((0, i)));
                    }
                    let map = self.terms.maps.keeping(mask);
                    self.terms.moved(map, other)
                }
            };
        }
        if a.is_unknown() || b.is_unknown() {
            return self.terms.unknown(&[a, b]);
        }
        match self.terms.product(a, b) {
            Some(product) => product,
            None => {
                self.blurred("AND or OR of values that are functions of more than eight bits");
                self.terms.unknown(&[a, b])
            }
        }
    }

    /// Elements shifted or rotated.
    pub(crate) fn lane_shift(&mut self, op: Shift, element: Width, a: Lane, count: u8) -> Lane {
        if op != Shift::RotateRight && u32::from(count) >= element.bits() {
            return Lane::ZERO;
        }
        let a = self.terms.settled(a);
        if count.is_multiple_of(8) && !self.terms.is_by_bits(a) {
            let (size, by) = (element.bytes(), usize::from(count / 8));
            return self.choose_bytes([a, Lane::ZERO], |i| {
                let (first, byte) = (i / size * size, i % size);
                let from = match op {
                    Shift::Left => byte.checked_sub(by),
                    Shift::Right => Some(byte + by).filter(|&b| b < size),
                    Shift::RotateRight => Some((byte + by) % size),
                };
                from.map(|b| (0, first + b))
            });
        }
        let map = self.terms.maps.of_shift(op, element, count);
        self.terms.moved(map, a)
    }

    /// A function of corresponding bytes of two lanes, byte by byte; `None` if a byte depends on more than eight bits.
    pub(crate) fn byte_function(&mut self, a: Lane, b: Lane, of: impl Fn(u8, u8) -> u8) -> Option<Lane> {
        let (x, y) = (self.terms.bytes(a)?, self.terms.bytes(b)?);
        let mut result = [Form(0); 16];
        for i in 0..16 {
            let (parent, values) = self.terms.forms.as_functions([x[i], y[i]])?;
            let values: Values = std::array::from_fn(|v| of(values[0][v], values[1][v]));
            result[i] = self.terms.forms.function(parent, &values);
        }
        Some(self.terms.lane_of_bytes(result))
    }

    /// Like [`Symbolic::byte_function`], but unknown without such a form.
    pub(crate) fn byte_function_or_unknown(
        &mut self,
        a: Lane,
        b: Lane,
        why: &'static str,
        of: impl Fn(u8, u8) -> u8,
    ) -> Lane {
        match self.byte_function(a, b, of) {
            Some(lane) => lane,
            None => {
                self.blurred(why);
                self.terms.unknown(&[a, b])
            }
        }
    }

    /// The instructions gf2p8affineqb and gf2p8affineinvqb.
    pub(crate) fn lane_affine(&mut self, inverse: bool, a: Lane, matrix: Lane, constant: u8) -> Lane {
        let by = u32::from(constant) << 1 | u32::from(inverse);
        if let Some(known) = self.terms.remembered(Op::Affine, [a.0, matrix.0, 0], by) {
            return known;
        }
        if self.terms.as_constant(matrix).is_some() {
            let followed = self.follow(a, |this, a| this.lane_affine(inverse, a, matrix, constant));
            if let Some(lane) = followed {
                self.terms.remember(Op::Affine, [a.0, matrix.0, 0], by, lane);
                return lane;
            }
        }
        let (Some(bytes), Some(rows)) = (self.terms.bytes(a), self.terms.as_constant(matrix)) else {
            self.blurred("a product with a matrix that is not a constant");
            return self.terms.unknown(&[a, matrix]);
        };
        let mut result = [Form(0); 16];
        for i in 0..16 {
            // Byte 7 - k of the matrix is row k.
            let half = (rows >> (64 * (i / 8))) as u64;
            let matrix = Matrix(half.swap_bytes()).transposed();
            let forms = &mut self.terms.forms;
            let (byte, matrix, constant) = if inverse {
                // The inverse is the S-box without its affine part.
                let matrix = matrix.after(*FROM_SBOX);
                (forms.sbox(false, bytes[i]), matrix, constant ^ matrix.apply(SBOX[0]))
            } else {
                (bytes[i], matrix, constant)
            };
            let coefficient = forms.matrices.number(matrix);
            result[i] = forms.combine(&[(byte, coefficient), (Form(u32::from(constant)), 1)]);
        }
        let lane = self.terms.lane_of_bytes(result);
        self.terms.remember(Op::Affine, [a.0, matrix.0, 0], by, lane);
        lane
    }

    /// Products in GF(2^8).
    pub(crate) fn lane_multiply(&mut self, a: Lane, b: Lane) -> Lane {
        for (constant, other) in [(a, b), (b, a)] {
            let Some(factors) = self.terms.as_constant(constant) else { continue };
            let key = [other.0, constant.0, 0];
            if let Some(known) = self.terms.remembered(Op::Multiply, key, 0) {
                return known;
            }
            let followed = self.follow(other, |this, other| this.lane_multiply(constant, other));
            let product = match followed {
                Some(product) => product,
                None => {
                    let Some(bytes) = self.terms.bytes(other) else { continue };
                    let factors = factors.to_le_bytes();
                    let products =
                        std::array::from_fn(|i| self.terms.forms.times(u32::from(factors[i]), bytes[i]));
                    self.terms.lane_of_bytes(products)
                }
            };
            self.terms.remember(Op::Multiply, key, 0, product);
            return product;
        }
        self.byte_function_or_unknown(a, b, "a product of bytes that depend on more than eight bits", gf_mul)
    }

    /// Bytes looked up in constant lanes, or in any lanes by constant indices. `index(v)` is the index for a control
    /// byte `v`, or `None` for zero.
    pub(crate) fn look_up(
        &mut self,
        control: Lane,
        table: &[Lane],
        index: &dyn Fn(u8) -> Option<usize>,
    ) -> Lane {
        let key = match *table {
            [lane] => (Op::Shuffle, [control.0, lane.0, 0], index(0x80).map_or(0, |_| 1)),
            _ => {
                let all = self.tables_number(table);
                (Op::Permutation, [control.0, all, 0], 0)
            }
        };
        if let Some(known) = self.terms.remembered(key.0, key.1, key.2) {
            return known;
        }
        let constant = table.iter().all(|&lane| self.terms.as_constant(lane).is_some());
        let followed = match constant {
            true => self.follow(control, |this, control| this.look_up(control, table, index)),
            false => None,
        };
        let lane = followed.unwrap_or_else(|| self.look_up_anew(control, table, index));
        self.terms.remember(key.0, key.1, key.2, lane);
        lane
    }

    fn look_up_anew(&mut self, control: Lane, table: &[Lane], index: &dyn Fn(u8) -> Option<usize>) -> Lane {
        if let Some(order) = self.terms.as_constant(control)
            && table.iter().any(|&lane| self.terms.as_cone(lane).is_some())
        {
            let order = order.to_le_bytes();
            let mut sum = Lane::ZERO;
            for (k, &lane) in table.iter().enumerate() {
                let of_this = |v: u8| index(v).filter(|at| at / 16 == k).map(|at| (0, at % 16));
                let part = self.choose_bytes([lane, Lane::ZERO], |i| of_this(order[i]));
                sum = self.terms.xor(sum, part);
            }
            return sum;
        }
        let unknown = |this: &mut Self, why| {
            this.blurred(why);
            let all: Vec<Lane> = table.iter().copied().chain([control]).collect();
            this.terms.unknown(&all)
        };
        let Some(controls) = self.terms.bytes(control) else {
            return unknown(self, "a look-up by what is not known");
        };
        let constants: Option<Vec<[u8; 16]>> =
            table.iter().map(|&lane| self.terms.as_constant(lane).map(u128::to_le_bytes)).collect();
        let mut result = [Form(0); 16];
        match constants {
            Some(bytes) => {
                let values: Values =
                    std::array::from_fn(|v| index(v as u8).map_or(0, |at| bytes[at / 16][at % 16]));
                for (byte, &control) in result.iter_mut().zip(&controls) {
                    let forms = &mut self.terms.forms;
                    if forms.is_functional(control) && forms.as_function(control).is_none() {
                        return unknown(self, "a look-up by a sum that depends on more than eight bits");
                    }
                    *byte = forms.function(control, &values);
                }
            }
            None => {
                for (byte, &control) in result.iter_mut().zip(&controls) {
                    let Some(v) = self.terms.forms.as_constant(control) else {
                        return unknown(self, "a look-up in a table that is not a constant");
                    };
                    let Some(at) = index(v) else { continue };
                    let Some(form) = self.terms.byte(table[at / 16], at % 16) else {
                        return unknown(self, "a look-up in what is not known");
                    };
                    *byte = form;
                }
            }
        }
        self.terms.lane_of_bytes(result)
    }

    /// Alternating elements of one half of two lanes.
    pub(crate) fn lane_interleave(&mut self, element: Width, half: Half, a: Lane, b: Lane) -> Lane {
        let size = element.bytes();
        let first = if half == Half::High { 8 } else { 0 };
        self.choose_bytes([a, b], |i| {
            let (element, byte) = (i / size, i % size);
            Some((element % 2, first + element / 2 * size + byte))
        })
    }

    /// Bytes of `new` where bit 7 of the mask's byte is set, else bytes of `old`.
    pub(crate) fn select_by_signs(&mut self, mask: u32, first: u32, new: Lane, old: Lane) -> Option<Lane> {
        let (element, lanes) = self.signs.get(mask);
        let place = first as usize / 16;
        if *element != Width::B8 || !first.is_multiple_of(16) {
            return None;
        }
        self.select_by_lane([*lanes.get(place)?, new, old])
    }

    /// Bytes of the second lane where bit 7 of the first lane's byte is set, else bytes of the third.
    fn select_by_lane(&mut self, [signs, new, old]: [Lane; 3]) -> Option<Lane> {
        let key = [signs.0, new.0, old.0];
        if let Some(known) = self.terms.remembered(Op::Select, key, 0) {
            return Some(known);
        }
        let lane = match self.terms.as_cones([signs, new, old]) {
            Some((functions, of)) => {
                let function = self.select_by_lane(functions)?;
                self.terms.image(function, of)
            }
            None => {
                let (s, x, y) = (self.terms.bytes(signs)?, self.terms.bytes(new)?, self.terms.bytes(old)?);
                let mut result = [Form(0); 16];
                for i in 0..16 {
                    let (parent, values) = self.terms.forms.as_functions([s[i], x[i], y[i]])?;
                    let values: Values =
                        std::array::from_fn(|v| values[if values[0][v] >> 7 == 1 { 1 } else { 2 }][v]);
                    result[i] = self.terms.forms.function(parent, &values);
                }
                self.terms.lane_of_bytes(result)
            }
        };
        self.terms.remember(Op::Select, key, 0, lane);
        Some(lane)
    }
}
