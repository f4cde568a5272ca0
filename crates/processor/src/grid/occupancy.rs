//! How many blocks of threads a multiprocessor holds at once, and what limits them.

use super::Architecture;

/// What a multiprocessor has room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Warps.
    pub warps: u32,
    /// Blocks of threads.
    pub blocks: u32,
    /// Registers.
    pub registers: u32,
    /// A warp takes a multiple of so many registers.
    pub register_unit: u32,
    /// Parts, each with its own warps and its own share of the registers.
    pub parts: u32,
    /// Bytes of shared memory.
    pub memory: u32,
    /// A block of threads takes a multiple of so many bytes of shared memory.
    pub memory_unit: u32,
    /// Bytes of shared memory that the system takes for each block of threads.
    pub reserved: u32,
}

/// What a kernel needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Threads of a block.
    pub threads: u32,
    /// Registers of a thread; `None` where nobody has counted them.
    pub registers: Option<u32>,
    /// Bytes of shared memory of a block.
    pub shared: u32,
}

/// How many blocks of threads each limit admits on a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occupancy {
    /// Warps of a block of threads.
    pub warps: u32,
    /// By registers; `None` where nobody has counted them.
    pub registers: Option<u32>,
    /// By shared memory; `None` where a block takes none.
    pub shared: Option<u32>,
    /// By threads: warps that a multiprocessor has room for.
    pub threads: u32,
    /// By the number of blocks that a multiprocessor has room for.
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

    /// Blocks of threads that are resident, and the first limit that admits no more.
    pub fn resident(&self) -> (u32, &'static str) {
        let known = self.limits().into_iter().filter_map(|(name, most)| Some((most?, name)));
        known.min_by_key(|(most, _)| *most).unwrap_or((self.blocks, "blocks"))
    }

    /// Warps that are resident.
    pub fn resident_warps(&self) -> u32 {
        self.warps * self.resident().0
    }
}

impl Architecture {
    /// How many blocks of threads of a kernel a multiprocessor holds, with warps of so many threads. These are the rules of
    /// NVIDIA's `cuda_occupancy.h`: each part of a multiprocessor has whole warps.
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
