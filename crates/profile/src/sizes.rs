//! Sizes of the sections of an object file, by kind.

use crate::ProfileError;
use object::{Object, ObjectSection, SectionKind};
use serde::Serialize;

/// Sizes of an object file in bytes, as `size` counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// Code and constants: everything that is read-only.
    pub text: u64,
    /// Initialized writable data.
    pub data: u64,
    /// Data that starts as zeros.
    pub bss: u64,
}

/// The sizes of an object file.
///
/// # Errors
/// `file` is not an object file.
pub fn read(file: &[u8]) -> Result<Sizes, ProfileError> {
    let object = object::File::parse(file)
        .map_err(|e| ProfileError(format!("the compiler's object file cannot be read: {e}")))?;
    let mut sizes = Sizes::default();
    for section in object.sections() {
        let size = section.size();
        match section.kind() {
            SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString => sizes.text += size,
            SectionKind::Data => sizes.data += size,
            SectionKind::UninitializedData => sizes.bss += size,
            _ => {}
        }
    }
    Ok(sizes)
}
