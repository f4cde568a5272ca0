//! Counter-mode caching on byte slices. Within 256 blocks only the last counter byte changes: one word of
//! state. Round 1 spreads it to column 0, round 2 one byte of that column to each column; the rest of both
//! rounds is the same for all 256 blocks and is computed once for them (Bernstein and Schwabe 2008, section 4).
//! No packing is needed.

use super::sliced::Group;
use super::{LOW, Plan, SPARE, Writer};
use crate::kernels::asm::If;
use crate::kernels::body::reversal;
use crate::kernels::vector::{Operation, Src, Vector};
use aesmith_cipher::block::{INV_SBOX, MIX, SBOX, gf_mul};
use aesmith_dataflow::Round;
use aesmith_dataflow::program::{Matrix, Node, Program, Value, inverse};
use aesmith_order::Reg;
use iced_x86::Register;

/// Bytes that a refresh prepares: column 0 after round 1 and all columns after round 2, each without the
/// contribution of the changing bytes.
pub(super) const BYTES: usize = 4 + 16;

/// The state after two rounds. Inputs: the last counter bytes, the byte of round key 0 that is added to them,
/// and the bytes that a refresh prepared.
pub(super) fn two_rounds(p: &mut Program, counter: Value, key: Value, prepared: &[Value]) -> Vec<Value> {
    let sbox = Matrix::of(|x| SBOX[usize::from(inverse(x))] ^ SBOX[0]);
    let multiples = |p: &mut Program, of: Value| -> [Value; 2] {
        [1, 2].map(|by| {
            let matrix = Matrix::of(|x| gf_mul(x, by)).after(&sbox);
            p.push(Node::Affine { inverse: true, matrix, constant: gf_mul(SBOX[0], by), of })
        })
    };
    // The contribution of the byte of row `from` to row `to` of its column, plus `rest`.
    let row = |p: &mut Program, s: [Value; 2], from: usize, to: usize, rest: Value| match MIX
        [(from + 4 - to) % 4]
    {
        1 => p.xor(s[0], rest),
        2 => p.xor(s[1], rest),
        _ => p.sum(&[s[0], s[1], rest]),
    };
    let (column, rest) = prepared.split_at(4);
    // ShiftRows moves byte 15 to row 3 of column 0.
    let x = p.xor(counter, key);
    let s = multiples(p, x);
    let first: [Value; 4] = std::array::from_fn(|to| row(p, s, 3, to, column[to]));
    // ShiftRows moves row `r` of column 0 to column `-r`.
    let mut state = vec![counter; 16];
    for (r, &of) in first.iter().enumerate() {
        let s = multiples(p, of);
        for to in 0..4 {
            let at = (4 - r) % 4 * 4 + to;
            state[at] = row(p, s, r, to, rest[at]);
        }
    }
    state
}

impl Writer<'_> {
    /// Once per 256 blocks: loads the last counter bytes into register 0, and stores the shared values in the
    /// frame. Registers 1 and 2 are temporaries.
    pub(super) fn epoch(&mut self, group: &Group) {
        let (counter, block, other) = (Reg::Fixed(0), Reg::Fixed(1), Reg::Fixed(2));
        let lanes = self.lanes;
        self.halves(1, SPARE);
        let everywhere = self.asm.constant(&[0; 16]);
        self.push(Vector::new(Operation::Shuffle, 1, counter, block, Src::Constant(everywhere)));
        if lanes > 1 {
            self.push(Vector::new(Operation::Lanes(0), lanes, counter, counter, Src::Reg(counter)));
        }
        let numbers = Src::Constant(self.numbers());
        self.push(Vector::new(Operation::AddBytes, lanes, counter, counter, numbers));

        let control = Src::Constant(reversal(&mut self.asm, 1));
        self.push(Vector::new(Operation::Shuffle, 1, block, block, control));
        let key = |r: i32| Src::Mem(self.arguments.key, 16 * r, false);
        let keys = [0, 1, 2].map(key);
        self.push(Vector::new(Operation::Xor, 1, block, block, keys[0]));
        let round = Operation::Aes(Round::Encrypt);
        for (r, changing) in [(1, 15..16), (2, 0..4)] {
            // The S-box of the changing bytes is masked to zero.
            let mut mask = [0xffu8; 16];
            let mut zeros = [0u8; 16];
            mask[changing.clone()].fill(0);
            zeros[changing].fill(INV_SBOX[0]);
            let (mask, zeros) = (self.asm.constant(&mask), self.asm.constant(&zeros));
            self.push(Vector::new(Operation::And, 1, block, block, Src::Constant(mask)));
            self.push(Vector::new(Operation::Xor, 1, block, block, Src::Constant(zeros)));
            self.push(Vector::new(round, 1, block, block, keys[r]));
            let places = group.prepared();
            let places = if r == 1 { &places[..4] } else { &places[4..] };
            let step = group.step() as usize;
            for (i, bytes) in (0..places.len()).collect::<Vec<_>>().chunks(16 / step).enumerate() {
                let control: Vec<u8> = bytes.iter().flat_map(|b| vec![*b as u8; step]).collect();
                let control = self.asm.constant(&control);
                self.push(Vector::new(Operation::Shuffle, 1, other, block, Src::Constant(control)));
                let to = Src::Mem(Register::RSP, places[i * bytes.len()], false);
                self.push(Vector::store(Operation::Store, 1, other, to));
            }
        }
    }

    /// Byte `j` of lane `l` is block `l` of text `j`.
    fn numbers(&mut self) -> crate::kernels::asm::Constant {
        let lanes = self.lanes;
        let all: Vec<u8> = (0..lanes).flat_map(|l| (0..16).map(move |j| (j * lanes + l) as u8)).collect();
        self.asm.constant(&all)
    }

    /// The loop over groups within 256 blocks, and the outer loop over these.
    pub(super) fn epochs(&mut self, group: &Group, plan: &Plan, code: &[Vector]) {
        let blocks = (group.texts() * self.lanes) as i32;
        let (refresh, again, over, drain) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        let len = self.arguments.len;
        let scratch = std::mem::replace(&mut self.scratch, plan.pool[2..].to_vec());
        self.asm.bind(refresh);
        self.epoch(group);
        self.scratch = scratch;
        self.align_loop();
        self.asm.bind(again);
        self.asm.name("body");
        for v in code {
            self.select.push(&mut self.asm, v);
        }
        self.asm.name("body end");
        self.advance(16 * blocks, blocks);
        self.asm.two(iced_x86::Code::Test_rm8_r8, super::low(LOW), super::low(LOW));
        self.asm.jump(If::Zero, over);
        let step = self.asm.constant(&vec![blocks as u8; 16 * self.lanes]);
        let counter = Reg::Fixed(0);
        self.push(Vector::new(Operation::AddBytes, self.lanes, counter, counter, Src::Constant(step)));
        self.asm.cmp(len, 16 * blocks);
        self.asm.jump(If::AboveEqual, again);
        self.asm.jump(If::Always, drain);
        self.asm.bind(over);
        self.asm.cmp(len, 16 * blocks);
        self.asm.jump(If::AboveEqual, refresh);
        self.asm.bind(drain);
    }
}
