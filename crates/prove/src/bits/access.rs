//! Loads of values from tables, and from the bytes of earlier stores.

use aesmith_isa::ByteOrder;
use aesmith_isa::values::{Space, Values};

use crate::bits::forks::ControlDependence;
use crate::bits::forms::Bit;
use crate::bits::memory::{Cell, ObjectId};
use crate::bits::symbols::{Symbols, Trouble};
use crate::bits::value::Value;

impl Symbols<'_> {
    /// Notes a load at an address that depends on secrets. Where words may be unaligned, an access that lies across two
    /// of them takes longer, with and without a cache.
    pub(crate) fn note_secret_address(&mut self, bytes: u8, bits: &[Bit]) {
        let is_secret = |bits: &[Bit]| bits.iter().any(|&b| self.bits.is_secret(b));
        let within = usize::from(bytes).next_power_of_two().trailing_zeros() as usize;
        let (any, lowest) = (is_secret(bits), is_secret(&bits[..within.min(bits.len())]));
        let kinds = [(any, ControlDependence::Address), (lowest, ControlDependence::Alignment)];
        let found = kinds.into_iter().filter(|(is, _)| *is).map(|(_, kind)| (self.pc, kind));
        self.hangs.extend(found);
    }

    pub(crate) fn load_bits(&mut self, space: Space, bytes: u8, bits: &[Bit]) -> Result<Value, Trouble> {
        self.note_secret_address(bytes, bits);
        let data = if space == Space::Data { self.memory.data } else { 0 };
        let memory = &mut self.memory;
        let found = self.bits.look_up(bits, bytes, (ObjectId::from(space == Space::Program), 0), |at| {
            memory.constant(at.wrapping_add(data), bytes)
        })?;
        match found {
            Some(loaded) => Ok(self.value(loaded)),
            None => Err("memory is read at an address that more than eight bits decide".to_owned().into()),
        }
    }

    /// A value of `bytes` bytes, assembled from the cells of earlier stores.
    pub(crate) fn assembled(&mut self, object: ObjectId, offset: i64, bytes: u8) -> Result<Value, Trouble> {
        let cells = self.memory.load(object, offset, bytes)?.to_vec();
        self.of_cells(cells.into_iter().flatten().collect(), bytes)
    }

    /// A value of `bytes` bytes, from cells in the order of their addresses.
    pub(crate) fn of_cells(&mut self, mut cells: Vec<Cell>, bytes: u8) -> Result<Value, Trouble> {
        // From here on, the lowest byte of the value comes first.
        if self.memory.order == ByteOrder::Big {
            cells.reverse();
        }
        // The value was stored and is loaded as a whole.
        if let Some(first) = cells.first()
            && first.bytes == bytes
            && cells
                .iter()
                .enumerate()
                .all(|(i, c)| usize::from(c.at) == i && c.bytes == bytes && c.value.same(&first.value))
        {
            return Ok(first.value.clone());
        }
        let mut whole: Option<Value> = None;
        for (i, cell) in cells.iter().enumerate() {
            let byte = self.slice(8 * cell.bytes, &cell.value, 8 * cell.at, 8)?;
            whole = Some(match whole {
                None => byte,
                Some(low) => self.join((8, &byte), (8 * i as u8, &low))?,
            });
        }
        whole.ok_or_else(|| "no bytes are read".to_owned().into())
    }
}

/// The byte in a cell.
pub fn byte_of(domain: &mut Symbols, cell: &Cell) -> Option<Value> {
    domain.slice(8 * cell.bytes, &cell.value, 8 * cell.at, 8).ok()
}
