//! The loop around the blocks: interleaving, pipelining, unrolling, streams, counter-mode caching;
//! and the variant that chooses among them.

pub mod dimensions;
pub mod pipeline;
pub mod space;
pub mod variant;

pub use aesmith_dataflow::{Choices, Technique};
pub use dimensions::{DIMENSIONS, Dim, Dimension, Values, dimensions};
pub use pipeline::{Pipeline, Slot};
pub use space::{Axis, Space};
pub use variant::{Move, Variant, VariantError};
