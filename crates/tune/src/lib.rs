//! A tuning run: variants become proved kernels, kernels become samples, samples become a confirmed
//! winner; and what is made of the winners: a dispatcher, a benchmark, an explanation, a report.
//!
//! [`Workplace`] holds what every run needs (wisdom, machine model, judge); [`tune`] is the run.

pub mod anatomy;
pub mod bench;
pub mod bound;
pub mod by_size;
mod calibration;
pub mod choose;
pub mod contest;
pub mod count;
pub mod crossover;
pub mod dispatch;
pub mod error;
pub mod explain;
pub mod exploration;
pub mod figures;
pub mod floor;
pub mod goals;
pub mod handout;
pub mod join;
pub mod key_life;
pub mod loops;
pub mod machine;
pub mod options;
pub mod pipeline;
pub mod quick;
pub mod report_data;
pub mod request;
pub mod run;
pub mod schedule;
pub mod seeds;
pub mod tables;
pub mod title;
pub mod via;
pub mod workplace;

pub use dispatch::Wanted;
pub use error::TuneError;
pub use handout::HandOut;
pub use options::{Effort, Event, Options};
pub use request::{Asked, Request};
pub use run::{Tuned, tune};
pub use workplace::{Settings, Workplace};
