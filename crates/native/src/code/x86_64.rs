//! Tells an x86-64 CPU that code was changed.

use std::arch::asm;

use crate::fault::JudgeError;

/// Code modified through another linear address needs a serializing instruction before it is run (Intel SDM volume 3,
/// 9.1.3). CPUID serializes too, but exits from a virtual machine, which takes 20 us.
pub(super) struct Serializer {
    has_serialize: bool,
}

impl Serializer {
    /// The fastest method that this CPU supports.
    pub fn of_this_cpu() -> Result<Self, JudgeError> {
        // CPUID.(7,0):EDX[14] (Intel SDM volume 2, SERIALIZE).
        let has_serialize = std::arch::x86_64::__cpuid(0).eax >= 7
            && std::arch::x86_64::__cpuid_count(7, 0).edx & (1 << 14) != 0;
        Ok(Serializer { has_serialize })
    }

    /// The method that every CPU supports.
    #[cfg(test)]
    pub(crate) fn by_interrupt_return() -> Self {
        Serializer { has_serialize: false }
    }

    /// Returns once no previously fetched instruction is left in the pipeline.
    pub fn run(&self) {
        if self.has_serialize {
            // SAFETY: SERIALIZE, present by CPUID; changes no register, flag or memory.
            unsafe { asm!(".byte 0x0f, 0x01, 0xe8", options(nostack, preserves_flags)) };
        } else {
            // An interrupt return to the next instruction serializes at every privilege level.
            // SAFETY: pushes a five-word frame that IRETQ pops again; the red zone is skipped first and restored after,
            // and the flags are reloaded as they were.
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
