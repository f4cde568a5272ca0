//! The number of blocks of threads that a multiprocessor holds at once, and the resource that limits it.

use super::Architecture;

/// Resources of a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Maximum number of warps.
    pub warps: u32,
    /// Maximum number of blocks of threads.
    pub blocks: u32,
    /// Number of registers.
    pub registers: u32,
    /// Granularity of a warp's registers.
    pub register_unit: u32,
    /// Number of partitions, each with its own warps and its own share of the registers.
    pub parts: u32,
    /// Bytes of shared memory.
    pub memory: u32,
    /// Granularity of a block's shared memory, in bytes.
    pub memory_unit: u32,
    /// Bytes of shared memory that the system reserves for each block of threads.
    pub reserved: u32,
}

/// Resources that a kernel needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Threads of a block.
    pub threads: u32,
    /// Registers of a thread; `None` if they were not counted.
    pub registers: Option<u32>,
    /// Bytes of shared memory of a block.
    pub shared: u32,
}

/// Number of blocks of threads on a multiprocessor that each limit admits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occupancy {
    /// Warps of a block of threads.
    pub warps: u32,
    /// Limit by registers; `None` if they were not counted.
    pub registers: Option<u32>,
    /// Limit by shared memory; `None` if a block uses none.
    pub shared: Option<u32>,
    /// Limit by threads: the number of warps that a multiprocessor holds.
    pub threads: u32,
    /// Limit by the maximum number of blocks of a multiprocessor.
    pub blocks: u32,
}

impl Occupancy {
    /// The limits with their names.
    pub fn limits(&self) -> [(&'static str, Option<u32>); 4] {
        [
            ("registers", self.registers),
            ("shared memory", self.shared),
            ("threads", Some(self.threads)),
            ("blocks", Some(self.blocks)),
        ]
    }

    /// Number of resident blocks of threads, and the first limit that admits no more.
    pub fn resident(&self) -> (u32, &'static str) {
        let known = self.limits().into_iter().filter_map(|(name, most)| Some((most?, name)));
        known.min_by_key(|(most, _)| *most).unwrap_or((self.blocks, "blocks"))
    }

    /// Number of resident warps.
    pub fn resident_warps(&self) -> u32 {
        self.warps * self.resident().0
    }
}

impl Architecture {
    /// The number of blocks of threads of a kernel that a multiprocessor holds, with warps of `warp` threads, by the
    /// rules of NVIDIA's `cuda_occupancy.h`: each partition of a multiprocessor has whole warps.
    pub fn occupancy(&self, warp: u32, needs: &Needs) -> Occupancy {
        let room = &self.room;
        let warps = needs.threads.div_ceil(warp).max(1);
        let of_registers = |registers: u32| {
            let of_a_warp = (registers * warp).next_multiple_of(room.register_unit);
            if of_a_warp * warps.next_multiple_of(room.parts) > room.registers {
                return 0;
            }
            (room.registers / room.parts)
                .checked_div(of_a_warp)
                .map_or(room.blocks, |n| n * room.parts / warps)
        };
        let memory = (needs.shared + room.reserved).next_multiple_of(room.memory_unit);
        let of_memory = |memory: u32| if needs.shared > self.memory { 0 } else { room.memory / memory };
        Occupancy {
            warps,
            registers: needs.registers.map(of_registers),
            shared: (memory > 0).then(|| of_memory(memory)),
            threads: room.warps / warps,
            blocks: room.blocks,
        }
    }
}
