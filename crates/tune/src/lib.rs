//! A tuning run: variants become proved kernels, kernels become samples, samples become a confirmed winner;
//! and the products of winners: a dispatcher, a benchmark, an explanation, a report.
//!
//! [`Workplace`] holds what every run needs (wisdom, machine model, judge); [`tune`] is the run on this machine. A run on any
//! processor ([`run`]) goes through three modules, each of which uses only those before it: [`evaluate`] builds, proves and
//! measures variants; [`deliver`] makes kernels that are delivered; [`decide`] finds the winner.
//!
//! ```
//! use aesmith_arrange::Technique;
//! use aesmith_tune::count::executed;
//! use aesmith_tune::seeds::seeds;
//! use aesmith_x86::targets::ALL;
//!
//! // Known-good starting points, with their sources, for a CPU that has everything.
//! let starts = seeds("aes128-ctr".parse().unwrap(), Technique::Aes, &ALL);
//! let kernel = ALL.build(&starts[0]).unwrap();
//! let counts = executed(kernel.processor, kernel.variant.problem, &kernel.bytes).unwrap().steady;
//! assert!(counts.aes >= 2.0, "AES instructions a block");
//! ```

pub mod anatomy;
pub mod bench;
pub mod beside;
pub mod bound;
mod calibration;
pub mod count;
pub mod decide;
pub mod deliver;
pub mod error;
pub mod evaluate;
pub mod explain;
pub mod figures;
pub mod floor;
pub mod front;
pub mod grids;
pub mod key_life;
pub mod loops;
pub mod machine;
pub mod options;
pub mod program;
pub mod report_data;
pub mod request;
pub mod run;
pub mod schedule;
pub mod seeds;
pub mod starts;
pub mod tables;
pub mod via;
pub mod wanted;
pub mod weights;
pub mod workplace;

pub use deliver::Delivery;
pub use deliver::dispatch::KernelRequest;
pub use error::TuneError;
pub use options::{Began, Effort, Event, Room, RunRequest};
pub use request::{Request, TechniqueRequest};
pub use run::Tuned;
pub use run::native::{RaceResult, tune};
pub use weights::Weights;
pub use workplace::{Settings, Workplace};
