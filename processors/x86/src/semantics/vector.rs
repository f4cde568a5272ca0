//! Vector instructions. Operations work lane by lane; moves between lanes are done here, so a domain sees them
//! only if they split a lane in halves. VEX and EVEX forms clear the bits of the register above the vector's
//! width, up to bit 511; SSE forms keep them.

use super::{Operation, Step};
use crate::registers::{gpr_number, mask_number};
use aesmith_isa::lanes::{Access, Domain, Half, Logic, Shift, Width};
use iced_x86::OpKind;

impl<D: Domain> Step<'_, D> {
    pub(super) fn vector(&mut self) -> Result<(), D::Error> {
        use Operation::*;
        let n = self.form.vectors.lanes();
        match self.form.operation {
            Aes(round) => self.two_sources(|d, a, b| {
                let state = d.aes_round(round, a)?;
                d.xor(state, b)
            }),
            Xor | Subtract(_) | Bitwise(Logic::AndNot) if self.same_sources() => {
                let zero = self.domain.zero_lane();
                self.write([zero; 4], n)
            }
            CompareGreater(_) if self.same_sources() => {
                let zero = self.domain.zero_lane();
                self.write([zero; 4], n)
            }
            CompareEqual(_) if self.same_sources() => {
                let ones = self.domain.lane([0xff; 16]);
                self.write([ones; 4], n)
            }
            Xor => self.two_sources(|d, a, b| d.xor(a, b)),
            Bitwise(op) => self.two_sources(|d, a, b| d.logic(op, a, b)),
            Add(element) => self.two_sources(|d, a, b| d.add(element, a, b)),
            Subtract(element) => self.two_sources(|d, a, b| d.subtract(element, a, b)),
            CompareEqual(element) => self.two_sources(|d, a, b| d.compare_equal(element, a, b)),
            CompareGreater(element) => self.two_sources(|d, a, b| d.compare_greater(element, a, b)),
            Affine { inverse } => {
                let constant = self.immediate_byte();
                self.two_sources(|d, a, b| d.affine(inverse, a, b, constant))
            }
            Multiply => self.two_sources(|d, a, b| d.multiply(a, b)),
            CarrylessProduct => {
                let choice = self.immediate_byte();
                let half = |bit: u8| if choice >> bit & 1 == 1 { Half::High } else { Half::Low };
                self.two_sources(|d, a, b| d.carryless_product((a, half(0)), (b, half(4))))
            }
            Interleave(element, half) => self.two_sources(|d, a, b| d.interleave(element, half, a, b)),
            ShiftBits(op, element) => {
                let count = self.immediate_byte();
                self.one_source(|d, a| d.shift_bits(op, element, a, count))
            }
            RotateBitsLeft(element) => {
                let count = self.immediate_byte().wrapping_neg();
                self.one_source(|d, a| d.shift_bits(Shift::RotateRight, element, a, count))
            }
            ShuffleWords(half) => {
                let order = self.immediate_byte();
                self.one_source(|d, a| d.shuffle_words(half, a, order))
            }
            BlendWords => {
                let choice = self.immediate_byte();
                let mask = self.domain.mask(choice.into());
                self.two_sources(|d, a, b| d.select(mask, 0, Width::B16, b, a))
            }
            BlendMasked => self.blend_masked(n),
            PermuteBytes | PermuteBytesByOld | PermuteBytesOfOld => self.permute_bytes(n),
            SignBits(element) => {
                let lanes = self.machine.vector[self.vector_register(1)?];
                let number = self.mask_register(0)?;
                self.machine.mask[number] = self.domain.sign_bits(element, &lanes[..n])?;
                Ok(())
            }
            MaskToElements(element) => {
                let mask = self.machine.mask[self.mask_register(1)?];
                let (zero, ones) = (self.domain.zero_lane(), self.domain.lane([0xff; 16]));
                let mut result = [zero; 4];
                for (i, lane) in result[..n].iter_mut().enumerate() {
                    let first = (i * 16 / element.bytes()) as u32;
                    *lane = self.domain.select(mask, first, element, ones, zero)?;
                }
                self.write(result, n)
            }
            WidenBytes => self.widen_bytes(n),
            ShuffleBytes => self.two_sources(|d, a, b| d.shuffle_bytes(a, b)),
            UnpackQwords(half) => self.two_sources(|d, a, b| d.pair_halves((a, half), (b, half))),
            AlignBytes => {
                let count = self.immediate_byte();
                self.two_sources(|d, a, b| d.align_bytes(a, b, count))
            }
            BlendDwords => {
                let choice = self.immediate_byte();
                let mut lane = 0;
                self.two_sources(|d, a, b| {
                    let here = choice >> (4 * lane) & 15;
                    lane += 1;
                    d.blend_dwords(a, b, here)
                })
            }
            Ternary => self.ternary(n),
            InvMixColumns => self.one_source(|d, a| d.inv_mix_columns(a)),
            KeyGenerationAssist => {
                let rcon = self.immediate_byte();
                self.one_source(|d, a| d.key_generation_assist(a, rcon))
            }
            ShuffleDwords => {
                let order = self.immediate_byte();
                self.one_source(|d, a| d.shuffle_dwords(a, order))
            }
            ShiftBytesLeft => {
                let count = self.immediate_byte();
                self.one_source(|d, a| d.shift_bytes_left(a, count))
            }
            ShiftBytesRight => {
                let count = self.immediate_byte();
                self.one_source(|d, a| d.shift_bytes_right(a, count))
            }
            AlignQwords => self.align_qwords(n),
            PermuteQwords => self.permute_qwords(n),
            ShuffleLanes => self.shuffle_lanes(n),
            PermuteLanes => self.permute_lanes(),
            InsertLanes(count) => self.insert_lanes(n, count),
            ExtractLanes(count) => self.extract_lanes(n, count),
            BroadcastLanes(count) => {
                let source = self.source(1, count)?;
                self.write(std::array::from_fn(|i| source[i % count]), n)
            }
            BroadcastElement(element) => {
                let lane = self.element(1, element)?;
                let all = self.repeat(element, lane)?;
                self.write([all; 4], n)
            }
            Move(access) => self.move_vector(access, n),
            ElementToVector(element) => {
                let lane = self.element(1, element)?;
                let zero = self.domain.zero_lane();
                // vmovq between vector registers does not copy the rest of the source.
                let low = match self.is_memory(1) || self.is_scalar(1) {
                    true => lane,
                    false => self.domain.pair_halves((lane, Half::Low), (zero, Half::Low))?,
                };
                self.write([low; 4], 1)
            }
            ElementFromVector(element) => {
                let a = self.vector_register(1)?;
                let lane = self.machine.vector[a][0];
                self.set_element(element, lane, 0)
            }
            InsertElement(element) => self.insert_element(element),
            ExtractElement(element) => {
                let a = self.vector_register(1)?;
                let lane = self.machine.vector[a][0];
                let index = self.immediate_byte() & (16 / element.bytes() as u8 - 1);
                match element {
                    Width::B8 => self.extract_byte(lane, index),
                    _ => self.set_element(element, lane, index),
                }
            }
            ZeroUpper | ZeroAll => {
                let zero = self.domain.zero_lane();
                let first = if self.form.operation == ZeroAll { 0 } else { 1 };
                for register in &mut self.machine.vector[..16] {
                    register[first..].fill(zero);
                }
                Ok(())
            }
            _ => self.refused("a scalar operation in a vector row"),
        }
    }

    fn is_scalar(&self, operand: u32) -> bool {
        gpr_number(self.instruction.op_register(operand)).is_some()
    }

    /// The number of the first of two sources; the second is the next operand.
    fn first(&self) -> u32 {
        if self.form.legacy { 0 } else { 1 }
    }

    /// True if the two sources are one register: the result of some operations is then a constant.
    fn same_sources(&self) -> bool {
        let first = self.first();
        !self.is_memory(first + 1)
            && self.instruction.op_register(first) == self.instruction.op_register(first + 1)
    }

    fn two_sources(
        &mut self,
        mut operation: impl FnMut(&mut D, D::Lane, D::Lane) -> Result<D::Lane, D::Error>,
    ) -> Result<(), D::Error> {
        let n = self.form.vectors.lanes();
        let first = self.first();
        let a = self.vector_register(first)?;
        let mut result = self.source(first + 1, n)?;
        for (lane, b) in result[..n].iter_mut().enumerate() {
            *b = operation(self.domain, self.machine.vector[a][lane], *b)?;
        }
        self.write(result, n)
    }

    fn one_source(
        &mut self,
        mut operation: impl FnMut(&mut D, D::Lane) -> Result<D::Lane, D::Error>,
    ) -> Result<(), D::Error> {
        let n = self.form.vectors.lanes();
        // The only vector of SSE shifts by a constant is operand 0.
        let operand = if self.instruction.op_kind(1) == OpKind::Immediate8 { 0 } else { 1 };
        let mut result = self.source(operand, n)?;
        for lane in &mut result[..n] {
            *lane = operation(self.domain, *lane)?;
        }
        self.write(result, n)
    }

    /// The first `n` lanes of a register or of memory, or one element of memory, broadcast.
    pub(super) fn source(&mut self, operand: u32, n: usize) -> Result<[D::Lane; 4], D::Error> {
        if !self.is_memory(operand) {
            return Ok(self.machine.vector[self.vector_register(operand)?]);
        }
        let address = self.address()?;
        if self.instruction.is_broadcast() {
            let lane = self.domain.load_element(self.form.broadcast(), address)?;
            return Ok([self.repeat(self.form.broadcast(), lane)?; 4]);
        }
        let mut lanes = [self.domain.zero_lane(); 4];
        let access = if self.form.legacy { Access::Aligned } else { Access::Unaligned };
        self.domain.load(access, address, &mut lanes[..n])?;
        Ok(lanes)
    }

    /// Writes operand 0, a register: `n` lanes under the opmask. The lanes above become zero, or stay unchanged
    /// in SSE forms.
    pub(super) fn write(&mut self, mut lanes: [D::Lane; 4], n: usize) -> Result<(), D::Error> {
        let register = self.vector_register(0)?;
        let zero = self.domain.zero_lane();
        if let Some(mask) = self.opmask() {
            let per_lane = 16 / self.form.element.bytes() as u32;
            for (i, lane) in lanes[..n].iter_mut().enumerate() {
                let old = match self.instruction.zeroing_masking() {
                    true => zero,
                    false => self.machine.vector[register][i],
                };
                *lane = self.domain.select(mask, per_lane * i as u32, self.form.element, *lane, old)?;
            }
        }
        match self.form.legacy {
            true => lanes[n..].copy_from_slice(&self.machine.vector[register][n..]),
            false => lanes[n..].fill(zero),
        }
        self.machine.vector[register] = lanes;
        Ok(())
    }

    fn opmask(&self) -> Option<D::Mask> {
        mask_number(self.instruction.op_mask()).map(|number| self.machine.mask[number])
    }

    fn ternary(&mut self, n: usize) -> Result<(), D::Error> {
        let table = self.immediate_byte();
        if table == 0 || table == 0xff {
            // The result is a constant, but memory is still read.
            self.source(2, n)?;
            let constant = self.domain.lane([table; 16]);
            return self.write([constant; 4], n);
        }
        let old = self.machine.vector[self.vector_register(0)?];
        let mut i = 0;
        self.two_sources(|d, b, c| {
            let a = old[i];
            i += 1;
            if table == 0x96 {
                let ab = d.xor(a, b)?;
                return d.xor(ab, c);
            }
            d.ternary(table, a, b, c)
        })
    }

    /// Bytes of the second source where the opmask is set, of the first or zero elsewhere.
    fn blend_masked(&mut self, n: usize) -> Result<(), D::Error> {
        let a = self.machine.vector[self.vector_register(1)?];
        let mut result = self.source(2, n)?;
        if let Some(mask) = self.opmask() {
            let zero = self.domain.zero_lane();
            let per_lane = 16 / self.form.element.bytes() as u32;
            for (i, lane) in result[..n].iter_mut().enumerate() {
                let other = if self.instruction.zeroing_masking() { zero } else { a[i] };
                *lane = self.domain.select(mask, per_lane * i as u32, self.form.element, *lane, other)?;
            }
        }
        result[n..].fill(self.domain.zero_lane());
        let register = self.vector_register(0)?;
        self.machine.vector[register] = result;
        Ok(())
    }

    pub(super) fn store(&mut self, access: Access, lanes: &[D::Lane]) -> Result<(), D::Error> {
        let address = self.address()?;
        match self.opmask() {
            None => self.domain.store(access, address, lanes),
            Some(mask) => self.domain.store_masked(access, self.form.element, mask, address, lanes),
        }
    }

    fn move_vector(&mut self, access: Access, n: usize) -> Result<(), D::Error> {
        if self.is_memory(0) {
            let lanes = self.machine.vector[self.vector_register(1)?];
            return self.store(access, &lanes[..n]);
        }
        if !self.is_memory(1) {
            let lanes = self.machine.vector[self.vector_register(1)?];
            return self.write(lanes, n);
        }
        let address = self.address()?;
        let register = self.vector_register(0)?;
        let zero = self.domain.zero_lane();
        let mut lanes = match self.form.legacy {
            true => self.machine.vector[register],
            false => [zero; 4],
        };
        match self.opmask() {
            None => self.domain.load(access, address, &mut lanes[..n])?,
            Some(mask) => {
                if !self.instruction.zeroing_masking() {
                    lanes[..n].copy_from_slice(&self.machine.vector[register][..n]);
                }
                self.domain.load_masked(access, self.form.element, mask, address, &mut lanes[..n])?;
            }
        }
        self.machine.vector[register] = lanes;
        Ok(())
    }

    /// A lane that starts with the scalar, memory or vector operand; the bytes after the element are zero
    /// unless the operand is a vector.
    fn element(&mut self, operand: u32, element: Width) -> Result<D::Lane, D::Error> {
        if self.is_memory(operand) {
            let address = self.address()?;
            match element {
                Width::B32 | Width::B64 => self.domain.load_element(element, address),
                _ => {
                    let word = self.domain.load_word(element, address)?;
                    self.domain.lane_from_word(Width::B32, word)
                }
            }
        } else if self.is_scalar(operand) {
            let word = self.word(operand, element)?;
            self.domain.lane_from_word(element.max(Width::B32), word)
        } else {
            Ok(self.machine.vector[self.vector_register(operand)?][0])
        }
    }

    /// Writes an element to operand 0: a scalar register, memory, or a vector register.
    fn set_element(&mut self, element: Width, lane: D::Lane, index: u8) -> Result<(), D::Error> {
        if self.is_memory(0) {
            let address = self.address()?;
            self.domain.store_element(element, address, lane, index)
        } else if self.is_scalar(0) {
            let word = self.domain.word_from_lane(element, lane, index)?;
            self.set_register(self.instruction.op_register(0), word)
        } else {
            let zero = self.domain.zero_lane();
            let low = self.domain.pair_halves((lane, Half::Low), (zero, Half::Low))?;
            self.write([low; 4], 1)
        }
    }

    fn insert_element(&mut self, element: Width) -> Result<(), D::Error> {
        let first = self.first();
        let a = self.machine.vector[self.vector_register(first)?][0];
        let inserted = self.element(first + 1, element)?;
        let index = self.immediate_byte() & (16 / element.bytes() as u8 - 1);
        let result = match (element, index) {
            (Width::B64, 0) => self.domain.pair_halves((inserted, Half::Low), (a, Half::High))?,
            (Width::B64, _) => self.domain.pair_halves((a, Half::Low), (inserted, Half::Low))?,
            (Width::B32, _) => {
                let everywhere = self.repeat(element, inserted)?;
                self.domain.blend_dwords(a, everywhere, 1 << index)?
            }
            _ => {
                let everywhere = self.repeat(element, inserted)?;
                let mask = self.domain.mask(1 << index);
                self.domain.select(mask, 0, element, everywhere, a)?
            }
        };
        self.write([result; 4], 1)
    }

    /// Writes a byte, zero-extended, to a register, or to memory.
    fn extract_byte(&mut self, lane: D::Lane, index: u8) -> Result<(), D::Error> {
        let lowest = self.domain.shift_bytes_right(lane, index)?;
        let word = self.domain.word_from_lane(Width::B32, lowest, 0)?;
        let byte = self.domain.zero_extend(Width::B8, word)?;
        self.set_word(0, Width::B8, byte)
    }

    /// Broadcasts the lowest element within the lane.
    fn repeat(&mut self, element: Width, lane: D::Lane) -> Result<D::Lane, D::Error> {
        match element {
            Width::B64 => self.domain.pair_halves((lane, Half::Low), (lane, Half::Low)),
            Width::B32 => self.domain.shuffle_dwords(lane, 0),
            _ => {
                let order = self.domain.lane(std::array::from_fn(|i| (i % element.bytes()) as u8));
                self.domain.shuffle_bytes(lane, order)
            }
        }
    }
}
