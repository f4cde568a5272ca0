//! What is done with described processors. [`descent`] finds the cheap ones, [`exam`] and [`confirm`]
//! hold them against proof and judge, [`stored`] says what of it is stored, [`tune`] does all of it, [`goals`] says what is to be reached, and
//! [`handout`] finds what is known.
//!
//! ```
//! use aesmith_processor::cost::Cost;
//! use aesmith_tune::exact::front::front;
//!
//! let cost = |cycles: f64, flash: u64| Cost { cycles, once: 0.0, flash, ram: 0, stack: 0 };
//! // Neither of the first two beats the other; the third is beaten.
//! let on = front(&[(cost(1500.0, 2000), true), (cost(2500.0, 900), true), (cost(2600.0, 2100), true)]);
//! assert_eq!(on, [0, 1]);
//! ```

pub mod confirm;
pub mod descent;
pub mod exam;
pub mod front;
pub mod goals;
pub mod handout;
pub mod stored;
pub mod tune;
