//! Executable memory: one shared object mapped twice, once writable and once executable, so that
//! no page is ever both (W^X) and loading a kernel costs a copy and no system call.

use std::arch::asm;
use std::ptr::NonNull;

use crate::fault::JudgeError;

/// A mapping that kernels are loaded into.
pub struct CodeMemory {
    write: NonNull<u8>,
    execute: NonNull<u8>,
    capacity: usize,
    has_serialize: bool,
}

impl CodeMemory {
    /// Maps room for kernels of up to `capacity` bytes, rounded up to whole pages.
    pub fn new(capacity: usize) -> Result<Self, JudgeError> {
        let capacity = capacity.next_multiple_of(4096);
        // SAFETY: a NUL-terminated name; the call touches no memory of ours.
        let fd = unsafe { libc::memfd_create(c"aesmith-code".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(JudgeError::last_os("create memory for generated code"));
        }
        let map = |protection| {
            // SAFETY: a fresh mapping at an address of the kernel's choice.
            let at =
                unsafe { libc::mmap(std::ptr::null_mut(), capacity, protection, libc::MAP_SHARED, fd, 0) };
            match NonNull::new(at.cast::<u8>()) {
                Some(at) if at.as_ptr().cast() != libc::MAP_FAILED => Ok(at),
                _ => Err(JudgeError::last_os("map memory for generated code")),
            }
        };
        // SAFETY: `fd` is ours and open.
        let sized = unsafe { libc::ftruncate(fd, capacity as libc::off_t) };
        let result = if sized == 0 {
            map(libc::PROT_READ | libc::PROT_WRITE)
                .and_then(|write| map(libc::PROT_READ | libc::PROT_EXEC).map(|execute| (write, execute)))
        } else {
            Err(JudgeError::last_os("size memory for generated code"))
        };
        // SAFETY: `fd` is ours; the mappings keep the object alive.
        unsafe { libc::close(fd) };
        let (write, execute) = result?;
        // CPUID.(7,0):EDX[14] (Intel SDM volume 2, SERIALIZE).
        let has_serialize = std::arch::x86_64::__cpuid(0).eax >= 7
            && std::arch::x86_64::__cpuid_count(7, 0).edx & (1 << 14) != 0;
        Ok(CodeMemory { write, execute, capacity, has_serialize })
    }

    /// Bytes of room.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Copies `code` to `offset` and gives the address at which it can be called.
    ///
    /// The bytes around it are those of whatever was loaded before. Constants that the code
    /// addresses relative to `rip` keep their alignment when `offset` is a multiple of 64.
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
        self.serialize();
        // SAFETY: inside the executable mapping.
        Ok(unsafe { self.execute.as_ptr().add(offset) })
    }

    /// Code modified through another linear address needs a serializing instruction before it is
    /// run (Intel SDM volume 3, 9.1.3); CPUID is one too, but leaves a virtual machine for 20 us.
    fn serialize(&self) {
        if self.has_serialize {
            // SAFETY: SERIALIZE, present by CPUID; changes no register, flag or memory.
            unsafe { asm!(".byte 0x0f, 0x01, 0xe8", options(nostack, preserves_flags)) };
        } else {
            // An interrupt return to the next instruction: serializing at every privilege level.
            // SAFETY: pushes a five-word frame that IRETQ pops again; the red zone is skipped first
            // and given back after, and the flags are reloaded as they were.
            unsafe {
                asm!(
                    "mov {sp}, rsp",
                    "sub rsp, 128",
                    "and rsp, -16",
                    "mov {t:e}, ss",
                    "push {t}",
                    "push {sp}",
                    "pushfq",
                    "mov {t:e}, cs",
                    "push {t}",
                    "lea {t}, [rip + 2f]",
                    "push {t}",
                    "iretq",
                    "2:",
                    sp = out(reg) _,
                    t = out(reg) _,
                );
            }
        }
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: both mappings are ours and nothing runs in them while `self` is dropped.
        unsafe {
            libc::munmap(self.write.as_ptr().cast(), self.capacity);
            libc::munmap(self.execute.as_ptr().cast(), self.capacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mov eax, imm32; ret, rewritten in place many times: a stale instruction would show.
    #[test]
    fn code_rewritten_in_place_is_the_code_that_runs() {
        let mut memory = CodeMemory::new(4096).unwrap();
        for serialize in [memory.has_serialize, false] {
            memory.has_serialize = serialize;
            for i in 0..1000u32 {
                let mut code = vec![0xb8];
                code.extend(i.to_le_bytes());
                code.push(0xc3);
                let at = memory.load(&code, 64).unwrap();
                // SAFETY: the bytes above are a complete function of this type.
                let function: extern "sysv64" fn() -> u32 = unsafe { std::mem::transmute(at) };
                assert_eq!(function(), i);
            }
        }
        assert!(memory.load(&[0; 64], 4095).is_err());
    }
}
