//! The contract at both ends of a call: the registers at entry, and the memory written at the return.

use aesmith_cipher::mode::{Next, Role, Unit};
use aesmith_isa::lanes::{Counts, Machine};

use super::State;
use crate::lanes::scalar::{Base, Linear, Split, Word};
use crate::lanes::symbolic::{Flags, Mask, Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Index, Lane, Order};

/// The registers at entry, by the contract.
pub(super) fn entry(symbolic: &Symbolic, counts: Counts) -> State {
    let flags = Flags::Unknown { secret: false };
    let mut machine = Machine::filled(counts, Word::Public, Lane::PUBLIC, Mask::Unknown, flags);
    let gpr = &mut machine.gpr;
    for (number, word) in gpr.iter_mut().enumerate() {
        *word = Word::Initial(number as u8);
    }
    let address = |base| Word::Linear(Linear::address(base, 0, 0));
    gpr[usize::from(symbolic.convention.stack_pointer)] = address(Base::Frame);
    let several = symbolic.problem.streams() > 1;
    for (registers, argument) in symbolic.convention.arguments.iter().zip(symbolic.mode.arguments) {
        gpr[usize::from(registers[0])] = match (argument.role, several) {
            (Role::Key, false) => address(Base::Key),
            (Role::Key, true) => address(Base::Keys),
            (Role::Iv, false) => address(Base::Iv),
            (Role::Iv, true) => address(Base::Ivs),
            (Role::Input, false) => address(Base::Input),
            (Role::Input, true) => address(Base::Inputs),
            (Role::Output, false) => address(Base::Output),
            (Role::Output, true) => address(Base::Outputs),
            (Role::Length, false) => Word::Linear(Linear::remaining(0)),
            (Role::Length, true) => address(Base::Lengths),
            (Role::CipherKey, _) => address(Base::CipherKey),
        };
    }
    machine
}

impl Symbolic {
    /// Checks that all of a stream's output is written.
    pub(super) fn check_written(&mut self, stream: u8) -> Result<(), Stop> {
        let (length, written) =
            (self.path.facts.lengths[stream as usize], self.path.written[stream as usize]);
        let whole = if self.mode.unit == Unit::Byte {
            let tail_done = match length.tail.exact() {
                Some(tail) => {
                    length.blocks.exact() == Some(written.blocks)
                        && i64::from(written.bytes) == (1 << tail) - 1
                }
                None => false,
            };
            written.to_end || length.bytes.high <= 16 * written.blocks || tail_done
        } else {
            length.blocks.high <= written.blocks
        };
        if whole {
            return Ok(());
        }
        refuse(format!(
            "it returns with only {} blocks{} of the output written, where {}",
            written.blocks,
            if stream > 0 { format!(" of stream {stream}") } else { String::new() },
            self.remaining_text(stream)
        ))
    }

    /// Checks that the IV memory holds the value from which the next call continues.
    pub(super) fn check_chain(&mut self, stream: u8) -> Result<(), Stop> {
        let found = self.path.iv[stream as usize];
        let length = self.path.facts.lengths[stream as usize];
        let expected = match self.mode.next() {
            Next::Counter | Next::Counter32 => {
                let index = match self.terms.as_atom(found) {
                    Some(Atom::Counter { index, order: Order::MEMORY }) => Some(self.settled_index(index)),
                    _ => None,
                };
                let end = self.settled_index(Index::End(0));
                if index == Some(end) {
                    return Ok(());
                }
                if let (Index::End(_), Some(Index::At(_))) = (end, index)
                    && let Some(split) = self.path.facts.halve(stream)
                {
                    return Err(Stop::Split(split));
                }
                self.counter(end, Order::MEMORY)
            }
            Next::Output | Next::Text | Next::Doubled => {
                let Some(blocks) = length.blocks.exact() else {
                    return match self.path.facts.halve(stream) {
                        Some(split) if length.blocks.width() > 1 => Err(Stop::Split(split)),
                        _ => refuse("it returns without having processed every block"),
                    };
                };
                self.chain_before(stream, blocks as i32)
            }
            Next::Nothing => return Ok(()),
        };
        if self.same_lane(found, expected) {
            return Ok(());
        }
        let what = match self.mode.next() {
            Next::Counter | Next::Counter32 => "counter",
            Next::Doubled => "tweak",
            _ => "IV",
        };
        refuse(format!(
            "it leaves {} in the {what}, not {}",
            self.terms.describe(found, 1),
            self.terms.describe(expected, 1)
        ))
    }

    /// Checks that the memory of GHASH's value holds that from which the next call continues.
    pub(super) fn check_hash(&mut self) -> Result<(), Stop> {
        if self.mode.hashed().is_none() {
            return Ok(());
        }
        let length = self.path.facts.lengths[0];
        let (Some(blocks), Some(partial)) = (length.blocks.exact(), length.partial()) else {
            let split = match length.blocks.exact() {
                Some(_) => Some(Split::by_partial(0)),
                None => self.path.facts.halve(0),
            };
            return match split {
                Some(split) if length.blocks.width() <= 256 => Err(Stop::Split(split)),
                _ => refuse("it returns without having processed every block"),
            };
        };
        let blocks = i32::try_from(blocks).unwrap_or(i32::MAX);
        let expected = match partial {
            0 => self.hash_before(blocks),
            _ => self.hash_after_partial(blocks, None),
        };
        let found = self.path.hash;
        let found = self.terms.in_field(found).unwrap_or(found);
        if !found.is_unknown() && found == expected {
            return Ok(());
        }
        if let (1, Some(bytes)) = (partial, length.tail.exact())
            && !found.is_unknown()
            && found == self.hash_after_partial(blocks, Some(bytes as usize))
        {
            return Ok(());
        }
        refuse(format!(
            "it leaves {} as the value of GHASH, not {}",
            self.terms.describe(found, 2),
            self.terms.describe(expected, 2)
        ))
    }
}
