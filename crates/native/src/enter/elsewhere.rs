//! Stub for machines without kernels: kernels cannot be entered.

use super::{RING, Stopped};
use crate::fault::JudgeError;

/// The uninhabited type of the right to run kernels.
pub(crate) enum Entrance {}

impl Entrance {
    /// Always fails: there are no kernels for this machine.
    pub fn new() -> Result<Self, JudgeError> {
        Err(JudgeError::no_kernels())
    }

    /// # Safety
    /// No requirement: it cannot be called.
    pub unsafe fn checked(&mut self, _: *const u8, _: [u64; 5]) -> Result<Vec<&'static str>, Stopped> {
        match *self {}
    }

    /// # Safety
    /// No requirement: it cannot be called.
    pub unsafe fn timed(&mut self, _: *const u8, _: [u64; 5], _: u64) -> Result<u64, Stopped> {
        match *self {}
    }

    /// # Safety
    /// No requirement: it cannot be called.
    pub unsafe fn independent(
        &mut self,
        _: *const u8,
        _: [u64; 5],
        _: [u64; RING],
        _: u64,
    ) -> Result<u64, Stopped> {
        match *self {}
    }

    /// # Safety
    /// No requirement: it cannot be called.
    pub unsafe fn dependent(&mut self, _: *const u8, _: [u64; 5], _: u64, _: u64) -> Result<u64, Stopped> {
        match *self {}
    }

    pub fn allow(&self, _: f64) {
        match *self {}
    }
}
