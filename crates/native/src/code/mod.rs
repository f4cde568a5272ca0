//! Executable memory: one shared object mapped twice, once writable and once executable, so that
//! no page is ever both (W^X) and loading a kernel costs a copy and no system call.

use std::ptr::NonNull;

use crate::fault::JudgeError;

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(not(target_arch = "x86_64"))]
use elsewhere::Serializer;
#[cfg(target_arch = "x86_64")]
use x86_64::Serializer;

/// A mapping into which kernels are loaded.
pub(crate) struct CodeMemory {
    write: NonNull<u8>,
    execute: NonNull<u8>,
    capacity: usize,
    serializer: Serializer,
}

impl CodeMemory {
    /// Maps room for kernels of up to `capacity` bytes, rounded up to whole pages.
    pub fn new(capacity: usize) -> Result<Self, JudgeError> {
        let serializer = Serializer::of_this_cpu()?;
        let capacity = capacity.next_multiple_of(4096);
        // SAFETY: a NUL-terminated name; the call touches no memory of this process.
        let fd = unsafe { libc::memfd_create(c"aesmith-code".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(JudgeError::last_os("create memory for generated code"));
        }
        let map = |protection| {
            // SAFETY: a fresh mapping at an address that the kernel chooses.
            let at =
                unsafe { libc::mmap(std::ptr::null_mut(), capacity, protection, libc::MAP_SHARED, fd, 0) };
            match NonNull::new(at.cast::<u8>()) {
                Some(at) if at.as_ptr().cast() != libc::MAP_FAILED => Ok(at),
                _ => Err(JudgeError::last_os("map memory for generated code")),
            }
        };
        // SAFETY: this function owns `fd`, which is open.
        let sized = unsafe { libc::ftruncate(fd, capacity as libc::off_t) };
        let result = if sized == 0 {
            map(libc::PROT_READ | libc::PROT_WRITE)
                .and_then(|write| map(libc::PROT_READ | libc::PROT_EXEC).map(|execute| (write, execute)))
        } else {
            Err(JudgeError::last_os("size memory for generated code"))
        };
        // SAFETY: this function owns `fd`; the mappings keep the object alive.
        unsafe { libc::close(fd) };
        let (write, execute) = result?;
        Ok(CodeMemory { write, execute, capacity, serializer })
    }

    /// Copies `code` to `offset` and returns the address at which it can be called.
    ///
    /// The bytes around it are left from earlier loads. Constants that the code addresses relative to `rip` keep their
    /// alignment if `offset` is a multiple of 64.
    pub fn load(&mut self, code: &[u8], offset: usize) -> Result<*const u8, JudgeError> {
        if offset.checked_add(code.len()).is_none_or(|end| end > self.capacity) {
            return Err(JudgeError::Request(format!(
                "a kernel of {} bytes at offset {offset} does not fit into the {} bytes of code memory",
                code.len(),
                self.capacity
            )));
        }
        // SAFETY: the range lies inside the writable mapping, which only `self` writes.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), self.write.as_ptr().add(offset), code.len()) };
        self.serializer.run();
        // SAFETY: inside the executable mapping.
        Ok(unsafe { self.execute.as_ptr().add(offset) })
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: `self` owns both mappings, and no code runs in them while it is dropped.
        unsafe {
            libc::munmap(self.write.as_ptr().cast(), self.capacity);
            libc::munmap(self.execute.as_ptr().cast(), self.capacity);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// mov eax, imm32; ret, rewritten in place many times: a stale instruction would be noticed.
    #[test]
    fn code_rewritten_in_place_is_the_code_that_runs() {
        let mut memory = CodeMemory::new(4096).unwrap();
        for serializer in [Serializer::of_this_cpu().unwrap(), Serializer::by_interrupt_return()] {
            memory.serializer = serializer;
            for i in 0..1000u32 {
                let mut code = vec![0xb8];
                code.extend(i.to_le_bytes());
                code.push(0xc3);
                let at = memory.load(&code, 64).unwrap();
                // SAFETY: the bytes above are a complete function of this type.
                let function: extern "C" fn() -> u32 = unsafe { std::mem::transmute(at) };
                assert_eq!(function(), i);
            }
        }
        assert!(memory.load(&[0; 64], 4095).is_err());
    }
}
