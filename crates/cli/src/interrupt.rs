//! Ctrl-C and SIGTERM. While work checks the flag, the first signal asks it to stop and keep its results, and the
//! second ends the process at once; otherwise the first one ends it. In each case a sentence says which happens.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// The sentence when a signal ends the process: no command writes a file before all of its files are made.
const ENDED: &[u8] = b"aesmith: interrupted before there was a result, and nothing is written; the same command does it again\n";
/// The sentence when work has been asked to stop.
const STOPPING: &[u8] =
    b"aesmith: stopping, and what was found is kept (a second Ctrl-C ends at once; the same command goes on later)\n";

/// Installs handlers: from now on a signal ends the process with a sentence.
pub fn listen() {
    handle(libc::SIGINT, on_signal as *const () as libc::sighandler_t);
    handle(libc::SIGTERM, on_signal as *const () as libc::sighandler_t);
}

/// The flag that running work checks. From the first call on, signals set it.
pub fn flag() -> Arc<AtomicBool> {
    let flag = FLAG.get_or_init(Arc::default).clone();
    listen();
    flag
}

/// The signal that asked to stop, if there was one.
pub fn signal() -> Option<u8> {
    Some(SIGNAL.load(Ordering::Relaxed)).filter(|&s| s != 0)
}

/// In a measuring process, ignores the Ctrl-C that the terminal also sends to its parent: it must not end before its
/// parent has received its last answer.
pub fn leave_workers_alone() {
    if std::env::var_os(aesmith_native::worker::WORKER_VARIABLE).is_some() {
        handle(libc::SIGINT, libc::SIG_IGN);
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    // Only atomics, write and _exit are used: a handler may interrupt any code.
    let again = SIGNAL.swap(signal as u8, Ordering::Relaxed) != 0;
    let flag = FLAG.get();
    let sentence = if flag.is_some() { STOPPING } else { ENDED };
    if !again {
        // SAFETY: write reads `sentence.len()` bytes of a constant; a failure cannot be reported.
        unsafe { libc::write(libc::STDERR_FILENO, sentence.as_ptr().cast(), sentence.len()) };
    }
    match flag.filter(|_| !again) {
        Some(flag) => flag.store(true, Ordering::Relaxed),
        // SAFETY: _exit takes a number, runs no handlers of this program, and does not return.
        None => unsafe { libc::_exit(128 + signal) },
    }
}

fn handle(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: a zeroed sigaction is valid (no flags, empty mask); the handler is SIG_IGN or a function of the type that
    // a handler without SA_SIGINFO has.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}
