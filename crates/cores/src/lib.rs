//! Processors that are only described: a folder each, with registers, instruction table, machine
//! model, selection of dataflow operations, and judges.

pub mod attach;
pub mod calls;
pub mod core;
pub mod interpreter;
pub mod judge;
pub mod order;
pub mod outside;
pub mod register;
#[cfg(test)]
mod trial;
pub mod variant;

pub mod arm;
pub mod avr;
pub mod microblaze;
pub mod rv32;
pub mod thumb;
