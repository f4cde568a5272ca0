//! Judges: whatever runs a kernel and says how long it took. The trait, and emulators as judges.

pub mod judge;
pub mod outside;
