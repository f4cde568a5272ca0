//! What is done with described processors. Any [`program`] is judged.

pub mod program;
