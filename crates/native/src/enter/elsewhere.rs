//! A machine that there are no kernels for yet: nobody enters any.

use super::{RING, Stopped};
use crate::fault::JudgeError;

/// The right to run kernels, which nobody has on this machine.
pub(crate) enum Entrance {}

impl Entrance {
    /// Says that there are no kernels for this machine.
    pub fn new() -> Result<Self, JudgeError> {
        Err(JudgeError::no_kernels())
    }

    /// # Safety
    /// None is needed: it cannot be called.
    pub unsafe fn checked(&mut self, _: *const u8, _: [u64; 5]) -> Result<Vec<&'static str>, Stopped> {
        match *self {}
    }

    /// # Safety
    /// None is needed: it cannot be called.
    pub unsafe fn timed(&mut self, _: *const u8, _: [u64; 5], _: u64) -> Result<u64, Stopped> {
        match *self {}
    }

    /// # Safety
    /// None is needed: it cannot be called.
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
    /// None is needed: it cannot be called.
    pub unsafe fn dependent(&mut self, _: *const u8, _: [u64; 5], _: u64, _: u64) -> Result<u64, Stopped> {
        match *self {}
    }

    pub fn allow(&self, _: f64) {
        match *self {}
    }
}
