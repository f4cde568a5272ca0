//! Stores every sample ever taken, and the best confirmed kernels per problem, size and processor.
//!
//! The store is one SQLite file in the user's data directory. A sample is in it before the next is taken, and stays
//! there if the process is killed. Everything is keyed by the processor. The stored data are readable text and numbers;
//! [`export`] and [`import`] carry them between stores.
//!
//! ```
//! use aesmith_wisdom::Store;
//! use aesmith_wisdom::read::Filter;
//!
//! let path = std::env::temp_dir().join(format!("aesmith-doc-{}.sqlite", std::process::id()));
//! let store = Store::open(&path).unwrap();
//! assert!(store.bests(&Filter::default()).unwrap().is_empty());
//! # drop(store);
//! # std::fs::remove_file(&path).unwrap();
//! ```

pub mod costed;
pub mod earlier;
pub mod error;
pub mod export;
pub mod import;
pub mod place;
pub mod preferred;
pub mod read;
pub mod record;
mod rows;
pub mod samples;
pub mod schema;
pub mod store;
pub mod write;

pub use costed::Costed;
pub use error::WisdomError;
pub use import::Imported;
pub use preferred::{Merits, preferred};
pub use read::{Cell, Filter, RunRow, Sampled, leaders};
pub use record::{Best, Costs, Cpu, Processor, Run, Sample};
pub use store::{RunId, Store};
pub use write::finding_of;
