//! Encodings that were found to be the canonical ones of their instructions: most instructions of a kernel occurred in
//! an earlier one, and encoding an instruction again takes longer than executing it.

use std::collections::HashSet;

use aesmith_isa::instructions::{Instruction, Instructions};
use aesmith_isa::lanes::Domain;

/// Length in bytes of the longest encoding that is remembered.
const LONGEST: usize = 15;

/// Correct encodings.
#[derive(Default)]
pub struct Encodings {
    right: HashSet<u128, rustc_hash::FxBuildHasher>,
}

impl Encodings {
    /// [`Instructions::check_encoding`] of an instruction of a kernel.
    ///
    /// # Errors
    /// The message says what the bytes are instead.
    pub fn check<D: Domain>(
        &mut self,
        processor: &dyn Instructions<D>,
        instruction: &Instruction,
        kernel: &[u8],
    ) -> Result<(), String> {
        let bytes = kernel.get(instruction.offset as usize..instruction.end as usize).unwrap_or_default();
        let key = (bytes.len() <= LONGEST).then(|| {
            let mut key = [0; LONGEST + 1];
            key[0] = bytes.len() as u8;
            key[1..=bytes.len()].copy_from_slice(bytes);
            u128::from_le_bytes(key)
        });
        if key.is_some_and(|key| self.right.contains(&key)) {
            return Ok(());
        }
        processor.check_encoding(instruction.number, bytes)?;
        self.right.extend(key);
        Ok(())
    }
}
