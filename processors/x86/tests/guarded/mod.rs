//! Buffers between inaccessible pages, and a message that names the kernel that touched one.

use std::cell::Cell;
use std::ptr::null_mut;

const PAGE: usize = 4096;
/// The initial value of each buffer byte.
pub const CANARY: u8 = 0x5a;

/// Bytes with a PROT_NONE page directly before and after them.
pub struct Guarded {
    at: *mut u8,
    size: usize,
}

impl Guarded {
    /// At least `least` bytes, filled with canaries.
    pub fn new(least: usize) -> Guarded {
        let size = least.next_multiple_of(PAGE);
        // SAFETY: a fresh private mapping without access, the middle of which is then opened.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let whole = libc::mmap(null_mut(), size + 2 * PAGE, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(whole, libc::MAP_FAILED);
            let at = whole.cast::<u8>().add(PAGE);
            assert_eq!(libc::mprotect(at.cast(), size, libc::PROT_READ | libc::PROT_WRITE), 0);
            at.write_bytes(CANARY, size);
            Guarded { at, size }
        }
    }

    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The address of the byte at `offset`, which may be the end of the buffer.
    pub fn pointer(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.size);
        // SAFETY: within the mapping.
        unsafe { self.at.add(offset) }
    }

    /// All bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: mapped for reading and writing, and ours.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.size) }
    }

    /// True if it holds only canaries.
    pub fn is_clean(&mut self) -> bool {
        self.bytes().as_chunks::<PAGE>().0.iter().all(|page| *page == [CANARY; PAGE])
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.at.sub(PAGE).cast(), self.size + 2 * PAGE) };
    }
}

thread_local! {
    static RUNNING: Cell<(*const u8, usize)> = const { Cell::new((std::ptr::null(), 0)) };
}

/// Runs `work` such that a fault in it prints `name` before it ends the test program.
pub fn named<T>(name: &str, work: impl FnOnce() -> T) -> T {
    // SAFETY: a handler that only writes, and leaves the termination to the default action.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = fault as *const () as usize;
        action.sa_flags = libc::SA_RESETHAND;
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL] {
            libc::sigaction(signal, &action, null_mut());
        }
    }
    RUNNING.set((name.as_ptr(), name.len()));
    let done = work();
    RUNNING.set((std::ptr::null(), 0));
    done
}

/// Prints the name of the kernel that runs on this thread. The instruction is then retried, and ends the
/// program.
extern "C" fn fault(_signal: libc::c_int) {
    let (name, length) = RUNNING.get();
    let before = b"\na fault (a byte outside the buffers was touched) in: ";
    // SAFETY: write is safe in a handler; `named` keeps the name alive while it runs.
    unsafe {
        libc::write(2, before.as_ptr().cast(), before.len());
        libc::write(2, name.cast(), length);
        libc::write(2, b"\n".as_ptr().cast(), 1);
    }
}
