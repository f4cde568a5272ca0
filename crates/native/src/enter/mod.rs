//! Enters a kernel and comes back whatever it does, on architectures with kernels.

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use elsewhere::Entrance;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::Entrance;

/// Number of second arguments that successive independent calls rotate through: enough that a call does not depend on
/// an IV that a call still in flight writes back.
pub(crate) const RING: usize = 8;

/// The signal that stopped an entered kernel before it returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped {
    /// The signal.
    pub signal: libc::c_int,
    /// The address that the signal reports, if any.
    pub address: u64,
    /// True if the access was a write (page-fault error code, bit 1).
    pub write: bool,
    /// True if `address` is that of a data access (a page fault), not that of an instruction.
    pub page_fault: bool,
    /// The instruction pointer.
    pub instruction: u64,
}
