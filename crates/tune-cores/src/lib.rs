//! What is done with described processors. Any [`program`] is judged. Of kernels, [`cost`] says what
//! they cost, [`search`] finds the cheap ones, [`exam`] and [`confirm`]
//! hold them against proof and judge, [`tune`] does all of it, [`goals`] says what is to be reached, and
//! [`handout`] finds what is known. [`explore`] says what custom instructions buy.
//!
//! ```
//! use aesmith_tune_cores::cost::Cost;
//! use aesmith_tune_cores::front::front;
//!
//! let cost = |cycles: f64, flash: u64| Cost { cycles, once: 0.0, flash, ram: 0, stack: 0 };
//! // Neither of the first two beats the other; the third is beaten.
//! let on = front(&[(cost(1500.0, 2000), true), (cost(2500.0, 900), true), (cost(2600.0, 2100), true)]);
//! assert_eq!(on, [0, 1]);
//! ```

pub mod confirm;
pub mod cost;
pub mod exam;
pub mod explore;
pub mod front;
pub mod goals;
pub mod handout;
pub mod program;
pub mod search;
pub mod timing;
pub mod tune;
