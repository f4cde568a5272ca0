//! Entering a kernel and coming back whatever it does, on architectures that there are kernels for.

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use elsewhere::Entrance;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::Entrance;

/// Second arguments that independent calls take turns over: a call finds its IV where none of the calls
/// that are still under way has left one.
pub(crate) const RING: usize = 8;

/// How an entered kernel stopped without returning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped {
    /// The signal.
    pub signal: libc::c_int,
    /// The address it gives, if it gives one.
    pub address: u64,
    /// Whether the access was a write (page-fault error code, bit 1).
    pub write: bool,
    /// Whether `address` is one of an access (a page fault), not of an instruction.
    pub page_fault: bool,
    /// The instruction pointer.
    pub instruction: u64,
}
