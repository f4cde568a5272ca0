//! A tuning run: variants become proved kernels, kernels become samples, samples become a confirmed winner;
//! and the products of winners: a dispatcher, a benchmark, an explanation, a report.
//!
//! [`Workplace`] holds what every run needs (wisdom, machine model, judge); [`tune`] is the run.
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
pub mod bound;
pub mod by_size;
mod calibration;
pub mod choose;
pub mod confirm;
pub mod contest;
pub mod count;
pub mod crossover;
pub mod dispatch;
pub mod error;
pub mod exact;
pub mod exam;
pub mod explain;
pub mod exploration;
pub mod figures;
pub mod floor;
pub mod front;
pub mod grids;
pub mod handout;
pub mod join;
pub mod judged;
pub mod key_life;
pub mod loops;
pub mod machine;
pub mod measuring;
pub mod modelled;
pub mod options;
pub mod pipeline;
pub mod program;
pub mod quick;
pub mod report_data;
pub mod request;
pub mod run;
pub mod schedule;
pub mod search_times;
pub mod seeds;
pub mod tables;
pub mod title;
pub mod via;
pub mod weights;
pub mod workplace;

pub use dispatch::KernelRequest;
pub use error::TuneError;
pub use handout::Delivery;
pub use measuring::{RaceResult, tune};
pub use options::{Began, Effort, Event, Room, RunRequest};
pub use request::{Request, TechniqueRequest};
pub use run::Tuned;
pub use weights::Weights;
pub use workplace::{Settings, Workplace};
