//! Processors that are only described: a folder each, with registers, instruction table, machine
//! model, selection of dataflow operations, and judges.

pub mod avr;
pub mod judge;
pub mod outside;
