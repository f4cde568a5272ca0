//! Vector instructions that move data between lanes.

use super::{Operation, Step};
use aesmith_isa::lanes::{Access, Domain, Half, Width};

impl<D: Domain> Step<'_, D> {
    pub(super) fn permute_bytes(&mut self, n: usize) -> Result<(), D::Error> {
        let old = self.machine.vector[self.vector_register(0)?];
        let a = self.machine.vector[self.vector_register(1)?];
        let b = self.source(2, n)?;
        let (index, low, high): (_, _, &[D::Lane]) = match self.form.operation {
            Operation::PermuteBytes => (a, b, &[]),
            Operation::PermuteBytesByOld => (old, a, &b[..n]),
            _ => (a, old, &b[..n]),
        };
        let mut table = [self.domain.zero_lane(); 8];
        table[..n].copy_from_slice(&low[..n]);
        table[n..n + high.len()].copy_from_slice(high);
        let mut result = index;
        for lane in &mut result[..n] {
            *lane = self.domain.permute_bytes(*lane, &table[..n + high.len()])?;
        }
        self.write(result, n)
    }

    /// Turns each dword of the source into a lane: its bytes zero-extended, in two steps.
    pub(super) fn widen_bytes(&mut self, n: usize) -> Result<(), D::Error> {
        let source = if !self.is_memory(1) {
            self.machine.vector[self.vector_register(1)?][0]
        } else if n == 4 {
            self.source(1, 1)?[0]
        } else {
            let address = self.address()?;
            self.domain.load_element(if n == 1 { Width::B32 } else { Width::B64 }, address)?
        };
        let zero = self.domain.zero_lane();
        let mut result = [zero; 4];
        for (i, lane) in result[..n].iter_mut().enumerate() {
            let dword = self.domain.shuffle_dwords(source, i as u8)?;
            let words = self.domain.interleave(Width::B8, Half::Low, dword, zero)?;
            *lane = self.domain.interleave(Width::B16, Half::Low, words, zero)?;
        }
        self.write(result, n)
    }

    pub(super) fn align_qwords(&mut self, n: usize) -> Result<(), D::Error> {
        let high = self.machine.vector[self.vector_register(1)?];
        let low = self.source(2, n)?;
        let shift = self.immediate_byte() as usize & (2 * n - 1);
        let qword = |i: usize| {
            let lane = if i < 2 * n { low[i / 2] } else { high[i / 2 - n] };
            (lane, if i.is_multiple_of(2) { Half::Low } else { Half::High })
        };
        let mut result = low;
        for (i, lane) in result[..n].iter_mut().enumerate() {
            *lane = self.domain.pair_halves(qword(shift + 2 * i), qword(shift + 2 * i + 1))?;
        }
        self.write(result, n)
    }

    pub(super) fn permute_qwords(&mut self, n: usize) -> Result<(), D::Error> {
        let source = self.source(1, n)?;
        let order = self.immediate_byte();
        let qword = |i: usize| {
            let chosen = order >> (2 * (i % 4)) & 3;
            let lane = source[i / 4 * 2 + chosen as usize / 2];
            (lane, if chosen.is_multiple_of(2) { Half::Low } else { Half::High })
        };
        let mut result = source;
        for (i, lane) in result[..n].iter_mut().enumerate() {
            *lane = self.domain.pair_halves(qword(2 * i), qword(2 * i + 1))?;
        }
        self.write(result, n)
    }

    pub(super) fn shuffle_lanes(&mut self, n: usize) -> Result<(), D::Error> {
        let a = self.machine.vector[self.vector_register(1)?];
        let b = self.source(2, n)?;
        let order = self.immediate_byte() as usize;
        let result = match n {
            2 => [a[order & 1], b[order >> 1 & 1], a[0], a[0]],
            _ => [a[order & 3], a[order >> 2 & 3], b[order >> 4 & 3], b[order >> 6]],
        };
        self.write(result, n)
    }

    pub(super) fn permute_lanes(&mut self) -> Result<(), D::Error> {
        let a = self.machine.vector[self.vector_register(1)?];
        let b = self.source(2, 2)?;
        let zero = self.domain.zero_lane();
        let order = self.immediate_byte();
        let chosen = |control: u8| match control & 0b1011 {
            0 => a[0],
            1 => a[1],
            2 => b[0],
            3 => b[1],
            _ => zero,
        };
        self.write([chosen(order), chosen(order >> 4), zero, zero], 2)
    }

    pub(super) fn insert_lanes(&mut self, n: usize, count: usize) -> Result<(), D::Error> {
        let mut result = self.machine.vector[self.vector_register(1)?];
        let inserted = self.source(2, count)?;
        let place = self.immediate_byte() as usize % (n / count) * count;
        result[place..place + count].copy_from_slice(&inserted[..count]);
        self.write(result, n)
    }

    pub(super) fn extract_lanes(&mut self, n: usize, count: usize) -> Result<(), D::Error> {
        let source = self.machine.vector[self.vector_register(1)?];
        let place = self.immediate_byte() as usize % (n / count) * count;
        let mut lanes = source;
        lanes.copy_within(place..place + count, 0);
        if self.is_memory(0) {
            self.store(Access::Unaligned, &lanes[..count])
        } else {
            self.write(lanes, count)
        }
    }
}
