//! Judges run kernels and report their time. This crate has the traits, and emulators as judges.

pub mod judge;
pub mod outside;
