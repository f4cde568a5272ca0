//! Strategies that search a space of variants, under a budget.
//!
//! A strategy proposes variants, a judge answers with costs, and [`Trials`] counts them, remembers the best and stops.
//! One table, [`STRATEGIES`], lists the strategies; [`racing`] afterwards removes the luck of a noisy screen;
//! [`replay`] compares strategies on recorded costs, without hardware.
//!
//! ```
//! use aesmith_search::racing::{Comparative, versus};
//!
//! // Two kernels in interleaved rounds: a verdict needs an interval outside the noise floor.
//! let first = [1.00, 1.01, 0.99, 1.00, 1.02, 1.00];
//! let second = first.map(|cost| cost * 1.10);
//! assert_eq!(versus(&first, &second, 0.01).verdict, Comparative::Faster);
//! assert_eq!(versus(&first, &first, 0.01).verdict, Comparative::NoEvidence);
//! assert!(aesmith_search::strategy("anealing").is_err_and(|e| e.contains("annealing")));
//! ```

mod knobs;
pub mod neighbour;
pub mod racing;
pub mod rank;
pub mod recording;
pub mod replay;
pub mod strategies;
pub mod trial;

pub use knobs::{Knob, Knobs};
pub use neighbour::Neighbourhood;
pub use racing::{Confirmed, Duel, Race, Racer};
pub use replay::{Comparison, Recording, Replay};
pub use strategies::{DEFAULT, Entry, STRATEGIES, Strategy, strategy};
pub use trial::{
    Budget, Evaluate, Found, Outcome, Progress, Search, Stop, Trials, Verdict, kernel_hash, search,
};
