//! The loop around the blocks: interleaving, pipelining, unrolling, streams, counter-mode caching; and the variant that
//! selects among them.
//!
//! ```
//! use aesmith_arrange::{Space, Technique, Variant};
//!
//! let problem = "aes128-ctr".parse().unwrap();
//! let variant: Variant = "aes128-ctr width=zmm interleave=4".parse().unwrap();
//! assert_eq!(variant.to_string().parse(), Ok(variant), "a variant is a line of text");
//! assert!(Space::of(problem, Technique::Aes, 4).count() > 1_000_000_000);
//! ```

pub mod dimension;
pub mod earlier;
pub mod pipeline;
pub mod space;
pub mod table;
pub mod variant;
pub mod vectors;

pub use aesmith_dataflow::{Choices, Technique};
pub use dimension::{Choice, Dimension, Place, Values, numbered};
pub use earlier::Earlier;
pub use pipeline::{Pipeline, Slot};
pub use space::{Axis, Space};
pub use table::{Orders, Table};
pub use variant::{Move, Variant, VariantError};
pub use vectors::{DIMENSIONS, Dim, dimensions};
