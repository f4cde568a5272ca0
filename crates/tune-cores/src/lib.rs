//! What is done with described processors. Any [`program`] is judged. Of kernels, [`cost`] says what
//! they cost, [`search`] finds the cheap ones, [`exam`] and [`confirm`]
//! hold them against proof and judge, [`tune`] does all of it, [`goals`] says what is to be reached, and
//! [`handout`] finds what is known. [`explore`] says what custom instructions buy.

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
