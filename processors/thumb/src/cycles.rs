//! Machine models of the Cortex-M: memory without wait states, tables in SRAM. Cortex-M3 Technical
//! Reference Manual (DDI 0337), 3.3 "Instruction set summary" (table 3-1 and "Load/store timings");
//! Cortex-M4 (DDI 0439), 3.3; Cortex-M0 (DDI 0432), 3.3 (table 3-1), with the multiplier of one cycle.

use aesmith_isa::cycles::Cycles;
use aesmith_isa::execute::Executed;
use aesmith_isa::table::Row;

/// What a core's manual says, in cycles.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// A single load or store that follows no load.
    access: u32,
    /// Whether a load or store right after a single load takes one cycle, if its address does not
    /// need what was loaded; and whether a store with an offset takes one cycle anywhere.
    pipelined: bool,
    /// What a taken branch takes besides its own cycle: P, 1 to 3 in the manuals.
    branch: u32,
    /// The same where the target comes from a register or memory.
    indirect: u32,
    /// `bl` besides its own cycle.
    call: u32,
    /// `pop` with the program counter, besides one cycle and one a register.
    pop: u32,
    /// Multiply and accumulate, long products, long accumulation: the longest where it depends.
    mla: u32,
    mull: u32,
    mlal: u32,
}

/// Cortex-M3. Long products take 3 to 5 and 4 to 7 cycles, divisions 2 to 12: the most is counted.
pub const CORTEX_M3: Rules =
    Rules { access: 2, pipelined: true, branch: 1, indirect: 2, call: 1, pop: 2, mla: 2, mull: 5, mlal: 7 };
/// Cortex-M4.
pub const CORTEX_M4: Rules = Rules { mull: 1, mlal: 1, ..CORTEX_M3 };
/// Cortex-M0: a taken branch takes 3 cycles, `bl` 4, `pop` with the program counter 4 + n.
pub const CORTEX_M0: Rules =
    Rules { access: 2, pipelined: false, branch: 2, indirect: 2, call: 3, pop: 3, mla: 1, mull: 1, mlal: 1 };

/// The model: the rules, and what the instruction before it loaded.
#[derive(Debug)]
pub struct Model {
    rules: Rules,
    /// The register that a single load right before wrote.
    loaded: Option<i32>,
}

impl Model {
    /// By rules.
    pub fn new(rules: Rules) -> Model {
        Model { rules, loaded: None }
    }
}

fn field(row: &Row, executed: &Executed, name: &str) -> Option<i32> {
    row.fields.iter().position(|f| f.name == name).map(|k| executed.insn.fields[k])
}

impl Cycles for Model {
    fn start(&mut self) {
        self.loaded = None;
    }

    fn step(&mut self, executed: &Executed) -> u32 {
        let row = executed.isa.of(executed.insn);
        let rules = &self.rules;
        let before = self.loaded.take();
        if !executed.ran {
            return 1;
        }
        let in_list = || field(row, executed, "list").map_or(2, |list| (list as u32).count_ones());
        match row.class.as_str() {
            "load" | "store" | "store by register" => {
                let loads = row.class == "load";
                let needs = |name| before.is_some() && field(row, executed, name) == before;
                let follows = rules.pipelined && before.is_some() && !needs("rn") && !needs("rm");
                if loads {
                    self.loaded = field(row, executed, "rt");
                }
                let plain = rules.pipelined && row.class == "store";
                let cycles = if follows || plain { 1 } else { rules.access };
                cycles + if executed.jumped { rules.indirect } else { 0 }
            }
            "loads" => 1 + in_list() + if executed.jumped { rules.pop } else { 0 },
            "stores" => 1 + in_list(),
            "mla" => rules.mla,
            "mull" => rules.mull,
            "mlal" => rules.mlal,
            "div" => 12,
            "call" => 1 + rules.call,
            "return" => 1 + rules.indirect,
            // A load, and a branch.
            "table" => 2 + rules.branch,
            _ if executed.jumped => 1 + rules.branch,
            _ => 1,
        }
    }
}
