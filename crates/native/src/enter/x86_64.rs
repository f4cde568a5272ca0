//! Enters a kernel and comes back whatever it does: the assembly that calls it, and the signal handler that leaves it
//! if it faults or does not end.
//!
//! There are three entries. `checked` makes one call with known values in the registers that the System V ABI
//! preserves, and reports which of them changed. `timed` makes a number of calls back to back between two reads of the
//! time-stamp counter, and in `dependent` each of these calls waits for the previous one. On a signal during any of
//! them, the handler rewrites the interrupted context so that execution continues at `leave`, with the stack pointer
//! that was saved on entry; `sigreturn` then also restores the signal mask.

use std::arch::global_asm;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use super::{RING, Stopped};
use crate::fault::JudgeError;

/// One entry: the function to call, and the result. The assembly in `x86_64.s` addresses the fields by offset.
#[repr(C)]
#[derive(Default)]
struct Entry {
    /// 0: the stack pointer to leave by; 0 outside of kernels.
    stack: u64,
    /// 8: the kernel.
    function: u64,
    /// 16..56: rdi, rsi, rdx, rcx, r8.
    arguments: [u64; 5],
    /// 56: calls to make (timed).
    calls: u64,
    /// 64: time-stamp counter ticks taken (timed).
    ticks: u64,
    /// 72: bit i set: the i-th of [`PRESERVED`] changed (checked).
    changed: u64,
    /// 80: nonzero if the CPU has AVX, so that upper halves are cleared on the way out.
    has_avx: u64,
    /// Written by the signal handler, as are the next four fields.
    signal: u64,
    code: i64,
    address: u64,
    error: u64,
    instruction: u64,
    /// 128..192: the second arguments of successive calls (timed).
    ring: [u64; RING],
    /// 192: address of the last eight bytes of a call's results (chained).
    watched: u64,
}

/// Registers that the ABI preserves, in the order of the bits of `Entry::changed`.
const PRESERVED: [&str; 8] =
    ["rbx", "rbp", "r12", "r13", "r14", "r15", "rsp", "the direction flag (must be clear)"];

global_asm!(include_str!("x86_64.s"), active = sym ACTIVE);

unsafe extern "sysv64" {
    #[link_name = "aesmith_judge_timed"]
    fn timed_entry(entry: *mut Entry);
    #[link_name = "aesmith_judge_chained"]
    fn chained_entry(entry: *mut Entry);
    #[link_name = "aesmith_judge_checked"]
    fn checked_entry(entry: *mut Entry);
    #[link_name = "aesmith_judge_leave"]
    fn leave_entry();
}

/// The entry that is being executed, for the signal handler.
static ACTIVE: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());
/// True if an [`Entrance`] exists: signal handlers and `ACTIVE` are global to the process.
static TAKEN: AtomicBool = AtomicBool::new(false);

const SIGNALS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGILL, libc::SIGBUS, libc::SIGFPE, libc::SIGPROF];

/// The right to run kernels in this process: at most one exists.
pub(crate) struct Entrance {
    entry: Box<Entry>,
    stack: Vec<u8>,
}

impl Entrance {
    /// Takes over the process's fault signals and SIGPROF, and gives this thread an alternate signal stack. Kernels
    /// must be entered on this thread only.
    pub fn new() -> Result<Self, JudgeError> {
        if TAKEN.swap(true, Ordering::SeqCst) {
            return Err(JudgeError::Request("this process already has a judge's core running".into()));
        }
        let mut stack = vec![0u8; 64 * 1024];
        let alternate = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: stack.len() };
        // SAFETY: the stack lives as long as `self`, which disables it when dropped.
        if unsafe { libc::sigaltstack(&alternate, ptr::null_mut()) } != 0 {
            TAKEN.store(false, Ordering::SeqCst);
            return Err(JudgeError::last_os("set an alternate signal stack"));
        }
        for signal in SIGNALS {
            // SAFETY: a zeroed sigaction is a valid one; the handler is async-signal-safe.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_signal as *const () as usize;
                libc::sigfillset(&mut action.sa_mask);
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
                libc::sigaction(signal, &action, ptr::null_mut());
            }
        }
        let has_avx = u64::from(std::arch::is_x86_feature_detected!("avx"));
        Ok(Entrance { entry: Box::new(Entry { has_avx, ..Entry::default() }), stack })
    }

    /// Makes one call; returns the names of preserved registers that changed.
    ///
    /// # Safety
    /// `function` is code of the kernels' calling contract with valid `arguments`, or code whose damage to this process
    /// is accepted.
    pub unsafe fn checked(
        &mut self,
        function: *const u8,
        arguments: [u64; 5],
    ) -> Result<Vec<&'static str>, Stopped> {
        self.prepare(function, arguments, 1);
        // SAFETY: guaranteed by the caller; `ACTIVE` points to the entry.
        unsafe { checked_entry(&mut *self.entry) };
        self.outcome()?;
        let changed = self.entry.changed;
        Ok((0..PRESERVED.len()).filter(|i| changed >> i & 1 == 1).map(|i| PRESERVED[i]).collect())
    }

    /// Ticks of the time-stamp counter that `calls` (at least 1) calls in a row took.
    ///
    /// # Safety
    /// That of [`Entrance::checked`]; and the code keeps the preserved registers.
    #[inline]
    pub unsafe fn timed(
        &mut self,
        function: *const u8,
        arguments: [u64; 5],
        calls: u64,
    ) -> Result<u64, Stopped> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.independent(function, arguments, [arguments[1]; RING], calls) }
    }

    /// Ticks of calls whose second argument rotates through the ring, so that each call is independent of the results
    /// of the previous ones. A single call takes the first of the ring.
    ///
    /// # Safety
    /// That of [`Entrance::timed`], with each element of the ring as second argument.
    #[inline]
    pub unsafe fn independent(
        &mut self,
        function: *const u8,
        arguments: [u64; 5],
        mut ring: [u64; RING],
        calls: u64,
    ) -> Result<u64, Stopped> {
        self.prepare(function, arguments, calls);
        // The loop counts down to 1.
        ring.rotate_right(1);
        self.entry.ring = ring;
        // SAFETY: guaranteed by the caller; `ACTIVE` points to the entry.
        unsafe { timed_entry(&mut *self.entry) };
        self.outcome()?;
        Ok(self.entry.ticks)
    }

    /// Ticks of a chain of calls: every argument of a call depends on the eight bytes at `watched`, the last of the
    /// previous call's results.
    ///
    /// # Safety
    /// That of [`Entrance::timed`]; and `watched` can be read.
    #[inline]
    pub unsafe fn dependent(
        &mut self,
        function: *const u8,
        arguments: [u64; 5],
        watched: u64,
        calls: u64,
    ) -> Result<u64, Stopped> {
        self.prepare(function, arguments, calls);
        self.entry.watched = watched;
        // SAFETY: guaranteed by the caller; `ACTIVE` points to the entry.
        unsafe { chained_entry(&mut *self.entry) };
        self.outcome()?;
        Ok(self.entry.ticks)
    }

    fn prepare(&mut self, function: *const u8, arguments: [u64; 5], calls: u64) {
        let entry = &mut *self.entry;
        entry.function = function as u64;
        entry.arguments = arguments;
        entry.calls = calls.max(1);
        entry.signal = 0;
        ACTIVE.store(entry, Ordering::SeqCst);
    }

    fn outcome(&mut self) -> Result<(), Stopped> {
        ACTIVE.store(ptr::null_mut(), Ordering::SeqCst);
        // SAFETY: a read of a field of `self`, volatile because the signal handler writes it.
        let signal = unsafe { ptr::read_volatile(&self.entry.signal) } as libc::c_int;
        if signal == 0 {
            return Ok(());
        }
        let e = &self.entry;
        // SI_KERNEL marks a general protection fault, which has neither an address nor the error code of a page fault.
        let page_fault = signal == libc::SIGSEGV && e.code != i64::from(libc::SI_KERNEL);
        Err(Stopped {
            signal,
            address: e.address,
            write: page_fault && e.error & 2 != 0,
            page_fault,
            instruction: e.instruction,
        })
    }

    /// Allows `seconds` of CPU time from now until the next call of this function; 0 lifts the limit.
    pub fn allow(&self, seconds: f64) {
        let value = libc::timeval {
            tv_sec: seconds.trunc() as libc::time_t,
            tv_usec: (seconds.fract() * 1e6) as libc::suseconds_t,
        };
        // SIGPROF repeats, so that the limit holds even if one arrives between two calls.
        let again = libc::timeval { tv_sec: 0, tv_usec: if seconds > 0.0 { 10_000 } else { 0 } };
        let timer = libc::itimerval { it_interval: again, it_value: value };
        // SAFETY: the call only reads `timer`.
        unsafe { libc::setitimer(libc::ITIMER_PROF, &timer, ptr::null_mut()) };
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        self.allow(0.0);
        for signal in SIGNALS {
            // SAFETY: restores the default action.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        let off =
            libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: self.stack.len() };
        // SAFETY: the alternate stack is not in use, since this code does not run in a handler.
        unsafe { libc::sigaltstack(&off, ptr::null_mut()) };
        TAKEN.store(false, Ordering::SeqCst);
    }
}

extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let entry = ACTIVE.load(Ordering::SeqCst);
    // SAFETY: `entry` is null or the boxed entry of the live `Entrance`; the kernel passes the pointers, which are
    // valid during the handler.
    unsafe {
        if entry.is_null() || ptr::read_volatile(&(*entry).stack) == 0 {
            if signal != libc::SIGPROF {
                // Not caused by a candidate: fault again, with the default action.
                libc::signal(signal, libc::SIG_DFL);
            }
            return;
        }
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        (*entry).signal = signal as u64;
        (*entry).code = i64::from((*info).si_code);
        (*entry).address = (*info).si_addr() as u64;
        (*entry).error = registers[libc::REG_ERR as usize] as u64;
        (*entry).instruction = registers[libc::REG_RIP as usize] as u64;
        registers[libc::REG_RIP as usize] = leave_entry as *const () as i64;
        registers[libc::REG_RBX as usize] = entry as i64;
        registers[libc::REG_RSP as usize] = (*entry).stack as i64;
        // No single-stepping, alignment check or backward direction on the way out.
        registers[libc::REG_EFL as usize] &= !(1 << 8 | 1 << 10 | 1 << 18);
    }
}
