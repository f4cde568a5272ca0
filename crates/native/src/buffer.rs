//! Buffers between inaccessible pages, so that an access out of bounds raises a signal instead of depending on luck.

use std::ptr::NonNull;

use crate::fault::JudgeError;

const PAGE: usize = 4096;

/// A zeroed buffer with a PROT_NONE page before and after it; pages are backed when touched.
pub struct Guarded {
    map: NonNull<u8>,
    capacity: usize,
}

impl Guarded {
    /// Maps `capacity` bytes, rounded up to whole pages, and the two guards.
    pub fn new(capacity: usize) -> Result<Self, JudgeError> {
        let capacity = capacity.max(1).next_multiple_of(PAGE);
        let whole = capacity + 2 * PAGE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping at an address that the kernel chooses.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
        let Some(map) = NonNull::new(map.cast::<u8>()).filter(|m| m.as_ptr().cast() != libc::MAP_FAILED)
        else {
            return Err(JudgeError::last_os(format!("map a buffer of {capacity} bytes")));
        };
        let buffer = Guarded { map, capacity };
        // SAFETY: the inner pages of the mapping just made.
        let opened =
            unsafe { libc::mprotect(buffer.start().cast(), capacity, libc::PROT_READ | libc::PROT_WRITE) };
        if opened != 0 {
            return Err(JudgeError::last_os("open a guarded buffer"));
        }
        Ok(buffer)
    }

    /// First byte, page-aligned.
    pub fn start(&self) -> *mut u8 {
        // SAFETY: the mapping is longer than a page.
        unsafe { self.map.as_ptr().add(PAGE) }
    }

    /// Bytes between the guards.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The address of byte `offset`.
    ///
    /// # Panics
    /// If `offset` is past the end.
    pub fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.capacity, "offset {offset} of a buffer of {}", self.capacity);
        // SAFETY: inside the mapping, or one past its last open byte.
        unsafe { self.start().add(offset) }
    }

    /// The bytes `offset .. offset + len`.
    ///
    /// # Panics
    /// If they are not all inside.
    pub fn bytes(&mut self, offset: usize, len: usize) -> &mut [u8] {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.capacity));
        // SAFETY: inside the open pages, initialised by the kernel (zeros), borrowed from `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start().add(offset), len) }
    }

    /// If `address` lies in a guard page: its distance in bytes from the start (negative) or from the end (from 0) of
    /// the buffer.
    pub fn beyond(&self, address: u64) -> Option<i64> {
        let start = self.start() as u64;
        let end = start + self.capacity as u64;
        if (start - PAGE as u64..start).contains(&address) {
            Some(address as i64 - start as i64)
        } else if (end..end + PAGE as u64).contains(&address) {
            Some((address - end) as i64)
        } else {
            None
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: `self` owns the mapping, guards included.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.capacity + 2 * PAGE) };
    }
}
