//! Work of developers, which no user needs: the goals and the figures reached, documents with them, the reproduction of a
//! paper's evaluation, the accounting of instructions, and recordings of spaces and of runs on a card.

pub mod accounting;
pub mod card;
pub mod goals;
pub mod performance;
pub mod record;
pub mod reproduce;
