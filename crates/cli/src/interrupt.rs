//! Ctrl-C and SIGTERM: the first asks running work to stop and keep everything, the second ends
//! the process at once.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// The flag that running work looks at. From the first call on, signals set it.
pub fn flag() -> Arc<AtomicBool> {
    let flag = FLAG.get_or_init(Arc::default).clone();
    handle(libc::SIGINT, on_signal as *const () as libc::sighandler_t);
    handle(libc::SIGTERM, on_signal as *const () as libc::sighandler_t);
    flag
}

/// The signal that has asked to stop, if one has.
pub fn signal() -> Option<u8> {
    Some(SIGNAL.load(Ordering::Relaxed)).filter(|&s| s != 0)
}

/// In a measuring process, which gets the terminal's Ctrl-C with its parent: it ends when its
/// parent has heard its last answer, not before.
pub fn leave_workers_alone() {
    if std::env::var_os(aesmith_native::worker::WORKER_VARIABLE).is_some() {
        handle(libc::SIGINT, libc::SIG_IGN);
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    // Only atomics and _exit: a handler may interrupt anything.
    if SIGNAL.swap(signal as u8, Ordering::Relaxed) != 0 {
        // SAFETY: _exit takes a number, runs no handlers of ours, and does not return.
        unsafe { libc::_exit(128 + signal) }
    }
    if let Some(flag) = FLAG.get() {
        flag.store(true, Ordering::Relaxed);
    }
}

fn handle(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: a zeroed sigaction is valid (no flags, empty mask); the handler is either SIG_IGN or a
    // function of the type that a handler without SA_SIGINFO has.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}
