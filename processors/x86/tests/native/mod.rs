//! Calls of kernels on this CPU for tests: executable memory and the calling contract.

use aesmith_cipher::{Problem, Task};

/// A kernel mapped for execution.
pub struct Code {
    at: *mut libc::c_void,
    size: usize,
}

impl Code {
    /// Maps a copy of `bytes`, then removes write access.
    pub fn new(bytes: &[u8]) -> Code {
        let size = bytes.len().next_multiple_of(4096);
        // SAFETY: a fresh private mapping, written within its size before it is made executable.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let at = libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(at, libc::MAP_FAILED);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.cast(), bytes.len());
            assert_eq!(libc::mprotect(at, size, libc::PROT_READ | libc::PROT_EXEC), 0);
            Code { at, size }
        }
    }

    /// Calls the kernel of a one-stream message problem on `text[start..]` of both buffers.
    ///
    /// # Safety
    /// The code must be a kernel of `problem` and fulfil its contract; `key` is its key structure.
    pub unsafe fn message(
        &self,
        problem: Problem,
        key: &[u8],
        iv: &mut [u8; 16],
        input: *const u8,
        output: *mut u8,
        len: usize,
    ) {
        // SAFETY: by the caller's promise.
        unsafe {
            if problem.task == Task::Ctr || problem.has_iv() {
                type Call = extern "sysv64" fn(*const u8, *mut u8, *const u8, *mut u8, usize);
                let call: Call = std::mem::transmute(self.at);
                call(key.as_ptr(), iv.as_mut_ptr(), input, output, len);
            } else {
                type Call = extern "sysv64" fn(*const u8, *const u8, *mut u8, usize);
                let call: Call = std::mem::transmute(self.at);
                call(key.as_ptr(), input, output, len);
            }
        }
    }

    /// Calls a GCM kernel for a text, with the counter block and the value of GHASH behind it.
    ///
    /// # Safety
    /// The code must be a kernel of GCM and fulfil its contract; `key` is its key structure.
    pub unsafe fn gcm(
        &self,
        key: &[u8],
        state: &mut [u8; 32],
        input: *const u8,
        output: *mut u8,
        len: usize,
    ) {
        type Call = extern "sysv64" fn(*const u8, *mut u8, *const u8, *mut u8, usize);
        // SAFETY: by the caller's promise.
        let call: Call = unsafe { std::mem::transmute(self.at) };
        call(key.as_ptr(), state.as_mut_ptr(), input, output, len);
    }

    /// Calls the kernel of several streams; every argument is an array.
    ///
    /// # Safety
    /// Same requirements as [`Code::message`].
    pub unsafe fn streams(
        &self,
        keys: &[*const u8],
        ivs: &[*mut u8],
        inputs: &[*const u8],
        outputs: &[*mut u8],
        lens: &[usize],
    ) {
        type Call = extern "sysv64" fn(
            *const *const u8,
            *const *mut u8,
            *const *const u8,
            *const *mut u8,
            *const usize,
        );
        // SAFETY: by the caller's promise.
        let call: Call = unsafe { std::mem::transmute(self.at) };
        call(keys.as_ptr(), ivs.as_ptr(), inputs.as_ptr(), outputs.as_ptr(), lens.as_ptr());
    }

    /// Calls a key set-up kernel.
    ///
    /// # Safety
    /// Same requirements as [`Code::message`]; `key` has room for the key structure.
    pub unsafe fn key(&self, key: *mut u8, bytes: *const u8) {
        // SAFETY: by the caller's promise.
        let call: extern "sysv64" fn(*mut u8, *const u8) = unsafe { std::mem::transmute(self.at) };
        call(key, bytes);
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.at, self.size) };
    }
}

/// The key structure that a kernel of `problem` reads, made by the oracle.
pub fn key_structure(problem: Problem, key: &[u8]) -> Vec<u8> {
    use aesmith_cipher::{Direction, block, contract};
    let Task::KeySchedule(direction) = problem.key_schedule().task else { unreachable!() };
    let round_keys = match direction {
        Direction::Encrypt => block::expand_key(problem.key, key),
        Direction::Decrypt => block::expand_key_inverse(problem.key, key),
    };
    let mut structure = round_keys.concat();
    structure.resize(contract::TABLE_OFFSET, 0);
    for value in 0..=255 {
        structure.extend(contract::table_entry(&round_keys[0], value));
    }
    structure
}

/// A small deterministic generator of test bytes (splitmix64).
pub struct Bytes(pub u64);

impl Bytes {
    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// `n` bytes.
    pub fn take(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.word() as u8).collect()
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }
}
