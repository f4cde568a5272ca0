//! Machine code for NVIDIA's GPUs without a GPU: NVIDIA's compiler `ptxas` and disassembler `nvdisasm`, from
//! their packages on PyPI, and the number of instructions of each unit per iteration of a kernel's loop.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use aesmith_judge::judge::{Instrument, Kind};
use aesmith_judge::outside::wheel::{Wheel, fetched};
use aesmith_judge::outside::{Temporary, need, run};
use aesmith_processor::grid::occupancy::Room;
use aesmith_processor::grid::{Architecture, Counted, Device, Executed, Translator, Turn};

const NVCC: Wheel = Wheel {
    name: "nvidia-cuda-nvcc",
    version: "13.0.88",
    sha256: "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
};
const NVDISASM: Wheel = Wheel {
    name: "nvidia-cuda-nvdisasm",
    version: "13.5.37",
    sha256: "d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
};

/// CUDA C++ Programming Guide: "Arithmetic Instructions" (64 results per clock of 32-bit logic, shifts, byte
/// permutations and products for compute capabilities 7.x, 8.0 and 9.0), "Shared Memory" (32 banks of 32 bits
/// per clock), "Technical Specifications" (shared memory of a thread block). Four schedulers issue an
/// instruction of a warp each. The 128 KiB of code were measured on Volta (Jia, Maggioni, Staiger and
/// Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, on its L1.5
/// instruction cache); for the others no figure is known here.
const fn architecture(name: &'static str, kib: u32, room: Room, device: Device) -> Architecture {
    Architecture {
        name,
        shared: 32,
        logic: 64,
        product: 64,
        issued: 128,
        memory: kib << 10,
        code: 128 << 10,
        instruction: INSTRUCTION,
        room,
        device,
    }
}

/// Size of an instruction on all three architectures, in bytes (CUDA Binary Utilities).
const INSTRUCTION: u32 = 16;

/// Sources: the same guide, "Technical Specifications per Compute Capability" (warps, blocks, registers and
/// shared memory of a multiprocessor) and "Shared Memory" of 8.x and 9.0 (1 KiB per thread block reserved for
/// the system). Allocation units, and the division of the registers into four parts, are from
/// `cuda_occupancy.h` of the CUDA runtime.
const fn room(warps: u32, blocks: u32, kib: u32, memory_unit: u32, reserved: u32) -> Room {
    let (registers, register_unit, parts) = (64 << 10, 256, 4);
    Room { warps, blocks, registers, register_unit, parts, memory: kib << 10, memory_unit, reserved }
}

/// A device of each architecture with its number of multiprocessors, from NVIDIA's white papers on Turing, A100
/// and H100.
static ARCHITECTURES: [Architecture; 3] = [
    architecture("sm_75", 64, room(32, 16, 64, 256, 0), Device { name: "T4", multiprocessors: 40 }),
    architecture("sm_80", 163, room(64, 32, 164, 128, 1024), Device { name: "A100", multiprocessors: 108 }),
    architecture(
        "sm_90",
        227,
        room(64, 32, 228, 128, 1024),
        Device { name: "H100 SXM", multiprocessors: 132 },
    ),
];

/// NVIDIA's PTX compiler.
pub(crate) struct Ptxas;

const PATIENCE: Duration = Duration::from_secs(60);

/// A program from a package. Files that pip unpacks may lack execute permission.
fn program(wheel: &Wheel, name: &str) -> Result<PathBuf, String> {
    use std::os::unix::fs::PermissionsExt;
    let path = fetched(wheel)?.join("nvidia/cu13/bin").join(name);
    let failed = |e: std::io::Error| format!("{} cannot be used: {e}", path.display());
    let permissions = std::fs::metadata(&path).map_err(failed)?.permissions();
    if permissions.mode() & 0o100 == 0 {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).map_err(failed)?;
    }
    Ok(path)
}

/// The disassembled machine code of a text, and the messages of `ptxas`.
pub(crate) fn translated(text: &str, architecture: &Architecture) -> Result<(String, String), String> {
    let (source, cubin) = (Temporary::new(text.as_bytes())?, Temporary::new(&[])?);
    let mut ptxas = Command::new(program(&NVCC, "ptxas")?);
    ptxas.args(["-v", "-arch", architecture.name]).arg(&source.path).arg("-o").arg(&cubin.path);
    let said = run(&mut ptxas, &[], PATIENCE)?;
    if !said.status.success() {
        return Err(format!("ptxas refuses the kernel for {}: {}", architecture.name, said.errors.trim()));
    }
    let mut nvdisasm = Command::new(program(&NVDISASM, "nvdisasm")?);
    // `-ndf` skips the data-flow analysis, which would find targets of branches through the branch stack.
    let code = run(nvdisasm.args(["-c", "-ndf"]).arg(&cubin.path), &[], PATIENCE)?;
    if !code.status.success() {
        return Err(format!("nvdisasm cannot read what ptxas made: {}", code.errors.trim()));
    }
    Ok((String::from_utf8_lossy(&code.out).into_owned(), said.errors))
}

impl Instrument for Ptxas {
    fn name(&self) -> String {
        format!(
            "NVIDIA's ptxas {} and nvdisasm {} (instructions counted, nothing run)",
            NVCC.version, NVDISASM.version
        )
    }

    fn needs(&self) -> &'static [&'static str] {
        &["python3-pip"]
    }

    fn present(&self) -> Result<(), String> {
        need("python3", "python3-pip")?;
        program(&NVCC, "ptxas")?;
        program(&NVDISASM, "nvdisasm").map(|_| ())
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Translator for Ptxas {
    fn architectures(&self) -> &'static [Architecture] {
        &ARCHITECTURES
    }

    fn count(&self, text: &str, architecture: &Architecture, taken: &[Turn]) -> Result<Counted, String> {
        let (code, said) = translated(text, architecture)?;
        let found = turns(&code, taken)?;
        let number = |before: &str, after: &str| number_of(&said, before, after);
        let one = |(turn, insns): (&Turn, &Insns)| {
            let of = |unit: Unit| insns.iter().filter(|(of, _)| *of == unit).map(|(_, times)| times).sum();
            Executed {
                blocks: turn.blocks,
                shared: of(Unit::Shared),
                logic: of(Unit::Logic),
                product: of(Unit::Product),
                issued: insns.iter().map(|(_, times)| times).sum(),
            }
        };
        let kinds: Vec<Executed> = taken.iter().zip(&found).map(one).collect();
        let counted = Counted {
            registers: number("Used ", " registers")
                .ok_or("ptxas does not say how many registers it used")?,
            spilled: number(" bytes spill stores", "").unwrap_or(0)
                + number(" bytes spill loads", "").unwrap_or(0),
            code: architecture.instruction * found.iter().map(|insns| insns.len() as u32).sum::<u32>(),
            ..Counted::of(architecture.name, taken, &kinds)
        };
        Ok(counted.bounded(architecture, taken.first().map_or(0, |turn| turn.bytes)))
    }
}

/// The number before a word, or between two words.
fn number_of(text: &str, before: &str, after: &str) -> Option<u32> {
    if after.is_empty() {
        let ends = text.split(before).next().filter(|rest| rest.len() < text.len())?;
        return ends.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    }
    text.split(before).skip(1).find_map(|rest| rest.split_once(after)?.0.parse().ok())
}

/// The unit that executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Shared,
    Logic,
    Product,
    Other,
}

/// Names of instructions that the logic unit executes (CUDA Binary Utilities, instruction set reference).
const LOGIC: &[&str] = &[
    "LOP3", "LOP", "PRMT", "SHF", "SHL", "SHR", "IADD3", "VIADD", "LEA", "ISETP", "SEL", "MOV", "PLOP3",
    "IMNMX", "VIMNMX", "BMSK", "SGXT", "POPC", "FLO", "IABS", "P2R", "R2P", "CS2R",
];

fn unit(name: &str) -> Unit {
    match name {
        "LDS" | "STS" => Unit::Shared,
        _ if name.starts_with("IMAD") => Unit::Product,
        _ if LOGIC.contains(&name) => Unit::Logic,
        _ => Unit::Other,
    }
}

/// Instructions of an iteration: the unit of each, and its number of executions.
type Insns = Vec<(Unit, u32)>;

/// The instructions of iterations: of the smallest loop that stores text or, if kinds of threads have a loop
/// each, of as many separate loops that store text. The iteration record says how often an inner loop iterates.
fn turns(code: &str, taken: &[Turn]) -> Result<Vec<Insns>, String> {
    let (names, loops) = parsed(code);
    let storing = || loops.iter().filter(|&&(from, until)| names[from..until].contains(&"STG"));
    if let [turn] = taken {
        let smallest = storing().min_by_key(|(from, until)| until - from);
        let smallest = smallest.ok_or("no loop of the machine code stores text")?;
        return Ok(vec![executed(&names, &loops, *smallest, turn.inner)?]);
    }
    let is_within = |&(a, b): &(usize, usize), &(from, until): &(usize, usize)| from <= a && b < until;
    let apart = storing().filter(|one| !storing().any(|other| is_within(one, other)));
    let mut apart: Vec<(usize, usize)> = apart.copied().collect();
    if apart.len() != taken.len() {
        return Err(format!(
            "{} kinds of threads have a loop each, and {} of the machine code store text",
            taken.len(),
            apart.len()
        ));
    }
    let one = |turn: &Turn| {
        // The compiler may emit the loops in another order.
        let looks_up = |&(from, until): &(usize, usize)| names[from..until].contains(&"LDS");
        let at = apart.iter().position(|of| looks_up(of) == turn.looks_up);
        let at = at.ok_or("loops of the machine code are not those of the kinds of threads")?;
        executed(&names, &loops, apart.remove(at), turn.inner)
    };
    taken.iter().map(one).collect()
}

/// Instruction counts of a loop; an inner loop counts by its number of iterations.
fn executed(
    names: &[&str],
    loops: &[(usize, usize)],
    (from, until): (usize, usize),
    inner: u32,
) -> Result<Insns, String> {
    let within: Vec<&(usize, usize)> =
        loops.iter().filter(|&&(a, b)| from <= a && b < until && inner > 1).collect();
    if inner > 1 && within.len() != 1 {
        return Err(format!("a turn has a loop within it, and its machine code {}", within.len()));
    }
    let times = |at: usize| if within.iter().any(|&&(a, b)| (a..b).contains(&at)) { inner } else { 1 };
    Ok((from..until).map(|at| (unit(names[at]), times(at))).collect())
}

/// The names of the instructions of each loop.
#[cfg(test)]
pub(crate) fn loops(code: &str) -> Vec<Vec<&str>> {
    let (names, loops) = parsed(code);
    loops.into_iter().map(|(from, until)| names[from..until].to_vec()).collect()
}

/// The names of all instructions, and the index ranges of loops among them.
fn parsed(code: &str) -> (Vec<&str>, Vec<(usize, usize)>) {
    let mut labels: Vec<(&str, usize)> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for line in code.lines() {
        let line = line.trim();
        if let Some(label) = line.strip_suffix(':') {
            labels.push((label, names.len()));
            continue;
        }
        let Some((_, insn)) = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) else {
            continue;
        };
        let mut words = insn.split_whitespace().filter(|word| !word.starts_with('@'));
        let Some(name) = words.next().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
        else {
            continue;
        };
        let name = name.split(['.', ';']).next().unwrap_or(name);
        if name == "BRA" {
            let target = insn.split_once("`(").and_then(|(_, rest)| rest.split_once(')'));
            let back = target.and_then(|(to, _)| labels.iter().find(|(label, _)| *label == to));
            loops.extend(back.map(|&(_, from)| (from, names.len() + 1)));
        }
        names.push(name);
    }
    (names, loops)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_within_a_turn_counts_as_often_as_it_is_gone_round() {
        let code = "
.L_x_1:
        /*0010*/                   PRMT R16, R17, 0x5524, R8 ;
.L_x_2:
        /*0020*/                   LOP3.LUT R3, R3, R4, R5, 0x96, !PT ;
        /*0030*/               @P0 BRA `(.L_x_2) ;
        /*0040*/                   STG.E.128 desc[UR6][R16.64], R8 ;
        /*0050*/               @P1 BRA `(.L_x_1) ;
";
        let times: Vec<u32> = turn(code, 9).expect("a turn").into_iter().map(|(_, times)| times).collect();
        assert_eq!(times, [1, 9, 9, 1, 1]);
    }

    /// The instructions of the only kind of threads.
    fn turn(code: &str, inner: u32) -> Result<Insns, String> {
        turns(code, &[Turn { blocks: 1, inner, bytes: 16, times: 1, looks_up: true }])
            .map(|mut found| found.remove(0))
    }

    #[test]
    fn each_kind_of_threads_has_its_loop() {
        let tables = "
.L_x_0:
        /*0000*/                   LDS R3, [R16+UR4+0x10000] ;
.L_x_1:
        /*0010*/                   LDS R3, [R16+UR4+0x10000] ;
        /*0020*/                   STG.E.128 desc[UR6][R16.64], R8 ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0038*/               @P1 BRA `(.L_x_0) ;
        /*0040*/                   EXIT ;
";
        let sliced = "
.L_x_2:
        /*0050*/                   PRMT R16, R17, 0x5524, R8 ;
.L_x_3:
        /*0060*/                   LOP3.LUT R3, R3, R4, R5, 0x96, !PT ;
        /*0070*/               @P0 BRA `(.L_x_3) ;
        /*0080*/                   STG.E.128 desc[UR6][R16.64], R8 ;
        /*0090*/               @P1 BRA `(.L_x_2) ;
";
        let kind = |inner| Turn { blocks: 8, inner, bytes: 16, times: 3, looks_up: inner == 2 };
        for code in [[tables, sliced].concat(), [sliced, tables].concat()] {
            let found = turns(&code, &[kind(9), kind(2)]).expect("two loops");
            let times = |of: &Insns| of.iter().map(|(_, times)| *times).collect::<Vec<_>>();
            assert_eq!((times(&found[0]), times(&found[1])), (vec![1, 9, 9, 1, 1], vec![1, 2, 2, 2, 1]));
            assert_eq!(found[1][0].0, Unit::Shared);
            assert!(turns(&code, &[kind(9), kind(9)]).is_err());
            assert!(turns(&code, &[kind(2), kind(2)]).is_err());
            assert!(turns(&code, &[kind(9), kind(2), kind(2)]).is_err());
        }
        assert!(turns(tables, &[kind(9), kind(2)]).is_err(), "one loop");
    }

    #[test]
    fn a_turn_is_the_smallest_loop_that_stores() {
        let code = "
.L_x_2:
        /*0000*/                   S2R R2, SR_TID.X ;
.L_x_1:
        /*0010*/              @!P0 LDS R3, [R16+UR4+0x10000] ;
        /*0020*/                   IMAD.MOV.U32 R3, RZ, RZ, RZ ;
        /*0030*/                   PRMT R16, R17, 0x5524, R8 ;
        /*0040*/                   STG.E.128 desc[UR6][R16.64], R8 ;
        /*0050*/               @P0 BRA `(.L_x_1) ;
        /*0060*/                   BRA `(.L_x_2);
";
        let units = [Unit::Shared, Unit::Product, Unit::Logic, Unit::Other, Unit::Other];
        assert_eq!(turn(code, 1), Ok(units.map(|unit| (unit, 1)).to_vec()));
        assert!(turn("/*0000*/ EXIT ;", 1).is_err());
        assert!(turn(code, 9).is_err(), "there is no loop within");
        let said = "    0 bytes stack frame, 16 bytes spill stores, 8 bytes spill loads\nptxas info    : Used 42 registers, ";
        assert_eq!(number_of(said, "Used ", " registers"), Some(42));
        assert_eq!(number_of(said, " bytes spill stores", ""), Some(16));
        assert_eq!(number_of(said, " bytes spill loads", ""), Some(8));
    }
}
