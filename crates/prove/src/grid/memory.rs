//! Accesses of a thread to the memories of a grid.

use std::rc::Rc;

use aesmith_cipher::mode::Role;
use aesmith_isa::grid::Parameter;

use crate::bits::forms::Bit;
use crate::bits::value::Value as Data;
use crate::grid::domain::{Domain, Phase, Trouble, Value};
use crate::grid::facts::Question;
use crate::grid::index::{Form, Symbol};
use crate::grid::shared::own_banks;

impl Domain<'_> {
    /// The block of text that an offset in a buffer refers to, and the byte in it; in a schedule of many keys, the
    /// number of the key.
    pub(super) fn block(&mut self, role: Role, offset: &Form, bytes: u8) -> Result<(Form, usize), Trouble> {
        let size = self.elements[usize::from(role == Role::Output)];
        let (number, at) = offset
            .in_elements(size as u32)
            .ok_or_else(|| format!("`{offset}` is no offset of a block of text"))?;
        let bytes = usize::from(bytes);
        // Buffers are aligned to 16 bytes, and each element lies at a multiple of its size from there. An access at a multiple
        // of its size, which the element's is a multiple of as well, ends within the element.
        if !(at.is_multiple_of(bytes) && size.is_multiple_of(bytes)) {
            return Err(format!(
                "{bytes} bytes at {at} of a block of text are accessed: not one access of it"
            )
            .into());
        }
        // An access that depends on the presence of one block may not access another.
        let is_there = match &self.assumed {
            Some(assumed) => assumed.low == number,
            None => self.path.facts.is_there(&number) == Some(true),
        };
        if !is_there {
            return Err(format!(
                "block `{number}` of the text is accessed, and nothing says that there is such a block"
            )
            .into());
        }
        if let Some(end) = &self.end {
            let within = Question::within(&number, end);
            if self.assumed.as_ref() != Some(&within) && self.path.facts.answer(&within) != Some(true) {
                return Err(format!(
                    "block `{number}` of the text is accessed, and nothing says that it is below `{end}`, where other threads begin"
                )
                .into());
            }
        }
        Ok((number, at))
    }

    pub(super) fn parameter(&mut self, at: u64, bytes: u8) -> Result<Value, Trouble> {
        // A read across a parameter's end is refused below: it is of a part, or the parameter has fewer bytes.
        let within = |p: &&Parameter| p.at <= at && at < p.at + u64::from(p.bytes);
        let parameter = self
            .program
            .parameters
            .iter()
            .find(within)
            .ok_or_else(|| format!("{bytes} bytes at {at:#x} of the parameters are no parameter"))?;
        let place = (at - parameter.at) as usize;
        if !place.is_multiple_of(bytes.into()) {
            return Err(
                format!("{bytes} bytes at {place} of a parameter are at no multiple of their size").into()
            );
        }
        match parameter.role {
            _ if bytes != 8 && !parameter.by_value() => Err("a parameter is read in part".into()),
            role if parameter.each => Ok(Value::Array(role, Form::default())),
            Role::Length if self.program.has_streams() => Ok(Value::Index(Form::of(Symbol::Streams, 1))),
            Role::Key | Role::Iv => {
                let of = if parameter.role == Role::Key { &self.key } else { &self.iv };
                let bits = of.get(place..place + usize::from(bytes)).ok_or("a parameter has fewer bytes")?;
                let bits = bits.concat();
                Ok(Value::Data(self.symbols.value(bits)))
            }
            Role::Input | Role::Output => Ok(Value::Text(parameter.role, Form::default())),
            Role::Length => Ok(Value::Index(Form::of(Symbol::Count, 1))),
            Role::CipherKey => Err("no proof knows this parameter".into()),
        }
    }

    /// A part of the key, at an offset in bytes from its beginning among the parameters.
    pub(super) fn key_at(&mut self, at: u64, bytes: u8) -> Result<Value, Trouble> {
        let key = self.program.parameters.iter().find(|p| p.role == Role::Key && p.by_value());
        let key = key.ok_or("the key is no parameter")?;
        let inside = at.checked_add(bytes.into()).is_some_and(|end| end <= key.bytes.into());
        if !inside {
            return Err(format!("{bytes} bytes at {at:#x} of the key are not there").into());
        }
        self.parameter(key.at + at, bytes)
    }

    /// A stream's element of an array, or a part of it; only of the thread's own stream.
    pub(super) fn element(&mut self, role: Role, offset: &Form, bytes: u8) -> Result<Value, Trouble> {
        // An element that is not loaded because one block is missing may be needed for other blocks.
        if self.assumed.is_some() {
            return Err("what is of a stream is accessed only where a block of its text is there".into());
        }
        let size = match role {
            Role::Key => self.key.len() as u64,
            Role::Iv => 16,
            _ => 8,
        };
        let place = offset.factor(Symbol::One) % size;
        let whole = offset.minus(&Form::number(place));
        let number = whole
            .divided(size)
            .ok_or_else(|| format!("`{offset}` is no offset of an array of elements of {size} bytes"))?;
        let own = self.stream.get_or_insert_with(|| number.clone());
        if *own != number {
            return Err(format!("a thread of stream `{own}` accesses memory of stream `{number}`").into());
        }
        let there = Question { low: number, high: Form::of(Symbol::Streams, 1) };
        if self.path.facts.answer(&there) != Some(true) {
            return Err(format!(
                "memory of stream `{}` is accessed, and nothing says that there is such a stream",
                there.low
            )
            .into());
        }
        if !(place.is_multiple_of(bytes.into()) && size.is_multiple_of(bytes.into())) {
            return Err(format!("{bytes} bytes at {place} of an element are accessed: no part of it").into());
        }
        match role {
            Role::Key | Role::Iv => {
                let of = if role == Role::Key { &self.key } else { &self.iv };
                let bits = of.get(place as usize..place as usize + usize::from(bytes));
                let bits = bits.ok_or("an element has fewer bytes")?.concat();
                Ok(Value::Data(self.symbols.value(bits)))
            }
            _ if bytes != 8 => Err("an element is read in part".into()),
            Role::Input | Role::Output => Ok(Value::Text(role, Form::default())),
            Role::Length => Ok(Value::Index(Form::of(Symbol::Count, 1))),
            Role::CipherKey => Err("no proof knows this array".into()),
        }
    }

    /// The value of a program's constants at an offset.
    pub(super) fn constant_at(&mut self, offset: &Data, bytes: u8) -> Result<Value, Trouble> {
        let constants = &self.program.constants;
        let read = |at: u64| -> Result<u128, String> {
            let end = at.checked_add(bytes.into()).filter(|&end| end <= constants.len() as u64);
            let end = end.filter(|_| at.is_multiple_of(bytes.into())).ok_or_else(|| {
                format!(
                    "{bytes} bytes at {at:#x} of the constants are not there, or at no multiple of their size"
                )
            })?;
            Ok(constants[at as usize..end as usize].iter().rev().fold(0, |n, &b| n << 8 | u128::from(b)))
        };
        match offset {
            Data::Number(at) => Ok(Value::Data(Data::Number(read(*at as u64)?))),
            Data::Bits(address) => {
                let address = Rc::clone(address);
                if address.iter().any(|&bit| self.symbols.bits.is_secret(bit)) {
                    self.hang("address");
                }
                let found = self.symbols.bits.look_up(&address, bytes, (1, 0), read)?;
                let found =
                    found.ok_or("constants are read at an address that more than eight bits decide")?;
                Ok(Value::Data(self.symbols.value(found)))
            }
            _ => Err("constants are read at an address that is not known".into()),
        }
    }

    pub(super) fn shared_at(&mut self, offset: &Data, bytes: u8) -> Result<Value, Trouble> {
        if self.phase != Phase::Behind {
            return Err(
                "shared memory is read before the barrier, where others may not have written it yet".into()
            );
        }
        match offset {
            Data::Number(at) => Ok(Value::Data(Data::Number(self.shared.read(*at as u64, bytes)?))),
            _ if self.sketches => Ok(Value::unknown(true)),
            Data::Bits(address) => {
                let address = Rc::clone(address);
                self.note_bank(&address);
                let found = self.shared.look_up(&mut self.symbols.bits, &address, bytes)?;
                let found =
                    found.ok_or("shared memory is read at an address that more than eight bits decide")?;
                Ok(Value::Data(self.symbols.value(found)))
            }
            _ => Err("shared memory is read at an address that is not known".into()),
        }
    }

    /// Notes a dependence unless each lane has a bank of its own: then an access with secret rows takes the same time
    /// for all rows.
    fn note_bank(&mut self, address: &[Bit]) {
        let bits = &self.symbols.bits;
        if !address.iter().any(|&bit| bits.is_secret(bit)) {
            return;
        }
        let lanes = (self.launch.warp.trailing_zeros() as usize).min(self.thread.len());
        let (lanes, warp) = self.thread.split_at(lanes);
        let own = self.program.has_streams();
        let counter = self.iv.iter().filter(|_| !own).flatten().flat_map(|&bit| bits.atoms_of(bit));
        let alike: Vec<u32> = warp.iter().chain(counter).copied().collect();
        let bank = &address[2..2 + self.launch.banks.trailing_zeros() as usize];
        if !own_banks(bits, bank, lanes, &alike) {
            self.hang("bank");
        }
    }
}
