//! Why the winner wins: its instructions and what they occupy, its bounds, its registers, what was
//! tried, and what each choice around it costs.

use crate::error::TuneError;
use crate::handout::HandOut;
use crate::workplace::Workplace;
use serde::Serialize;

/// An explanation of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The problem's name.
    pub problem: String,
    /// Lines for people, in order, under headings.
    pub sections: Vec<Section>,
}

/// A heading and what stands under it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Names and values, as text.
    pub rows: Vec<(String, String)>,
}

/// Explains a kernel at a message size.
///
/// # Errors
/// Trouble with the store.
pub fn explain(place: &Workplace, kernel: &HandOut, size: usize) -> Result<Explanation, TuneError> {
    let _ = (place, kernel, size);
    todo!()
}
