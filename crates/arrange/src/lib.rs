//! The loop around the blocks: interleaving, pipelining, unrolling, streams, counter-mode caching; and the variant that
//! selects among them. A family of processors provides a [`Table`] of its dimensions.
//!
//! ```
//! use aesmith_arrange::{Dimension, Table, Technique, choices, numbered};
//!
//! choices! { Rounds "rounds" { Unrolled "unrolled", Looped "looped" } }
//! static DIMENSIONS: &[Dimension] = &numbered([Dimension::of::<Rounds>("rounds in a row, or as a loop", |_| true)]);
//! static TABLE: Table = Table::new("example", DIMENSIONS, |_| Technique::Table);
//!
//! let variant = TABLE.parse("aes128-ctr rounds=looped").unwrap();
//! assert!(variant.is(Rounds::Looped));
//! assert_eq!(TABLE.parse(&variant.to_string()), Ok(variant), "a variant is a line of text");
//! assert_eq!(TABLE.space("aes128-ctr".parse().unwrap()).count(), 2);
//! ```

pub mod dimension;
pub mod earlier;
pub mod pipeline;
pub mod space;
pub mod table;
pub mod variant;

pub use aesmith_dataflow::{Choices, Technique};
pub use dimension::{Choice, Dimension, Exhaustive, Handle, Likeness, Place, Role, Search, Values, numbered};
pub use earlier::Earlier;
pub use pipeline::{Interleaving, Pipeline, Slot};
pub use space::{Axis, Space};
pub use table::{Orders, Table};
pub use variant::{Move, Variant, VariantError};
