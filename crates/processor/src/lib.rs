//! Processors: registers, one-line-an-instruction tables, semantics over abstract words, machine models, selection.

pub mod domain;
pub mod x86;
