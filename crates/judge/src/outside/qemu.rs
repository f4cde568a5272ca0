//! qemu's user mode as a judge of outputs. A program becomes a Linux executable together with a harness of some forty
//! instructions (`judges/qemu/*.S`), which executes records that it reads from standard input: system calls (memory is
//! written by `read` and read by `write`) and calls of the function. Instructions and cycles are not counted.
//!
//! A record has twelve words: 0 or 1 (system call or call), its number or the function's address, the stack pointer,
//! eight arguments, and the global pointer (RISC-V). After a call the harness stores the callee-saved registers, which
//! held known values before, and the stack pointer.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use aesmith_isa::ByteOrder;
use aesmith_isa::elf::Head;
use object::{Object, ObjectSection};

use crate::judge::{Answer, Call, Emulator, Instrument, Kind, Question};

use super::runner::GLOBAL_POINTER;
use super::{Output, Temporary, built, find, run, step, version};

/// Address of the harness; its records and results follow on pages of their own.
const HARNESS: u32 = 0xf_0000;
const RECORD: u32 = HARNESS + PAGE;
const RECORD_WORDS: usize = 12;
/// The interval of the timer, as `setitimer` takes it.
const TIMER: u32 = RECORD + 0x100;
const KEPT: u32 = RECORD + 0x800;
const KEPT_FIRST: u32 = 0x5a3c_0010;
/// The largest page size of these processors, in bytes: SPARC's.
const PAGE: u32 = 0x2000;
/// Buffers and stack, mapped for every program.
const RAM: std::ops::Range<u32> = 0x4_0000..STACK_TOP;
const STACK_TOP: u32 = 0x8_0000;
/// Bytes below the stack pointer that are painted before a call and examined after it.
const PAINTED: u32 = 0x2000;
/// `setitimer`'s timer of processor time, and its signal.
const ITIMER_PROF: u32 = 2;
const SIGPROF: i32 = 27;

/// A processor that qemu's user mode emulates, as a judge.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The emulator.
    pub program: &'static str,
    /// Arguments of `-cpu`: the processor itself, followed by others that execute its instructions. The first that this
    /// qemu can run in user mode is used.
    pub cpus: &'static [&'static str],
    /// True if the judge's name includes the processor that qemu runs as.
    pub names_cpu: bool,
    /// The packages that the emulator and the assembler are in.
    pub packages: &'static [&'static str],
    /// The assembler for the harness, or the reason why it is missing.
    pub assembler: fn() -> Result<PathBuf, String>,
    /// Additional options of the assembler.
    pub options: &'static [&'static str],
    /// The harness.
    pub harness: &'static str,
    /// The head of its executables.
    pub head: Head,
    /// `e_flags` of its executables.
    pub flags: u32,
    /// How many arguments are in registers.
    pub in_registers: usize,
    /// Bytes between the stack pointer and the first argument on the stack.
    pub home: u32,
    /// The registers that the harness stores after a call, in addition to the stack pointer.
    pub kept: &'static [&'static str],
    /// The numbers of `read`, `write`, `exit` and `setitimer`.
    pub calls: [u32; 4],
    /// True if functions run in Thumb state.
    pub thumb: bool,
    /// Bytes that a call pushes, which do not belong to the function.
    pub pushed: u64,
}

impl Machine {
    /// A function's address for a call: bit 0 selects Thumb state.
    fn function(&self, address: u32) -> u32 {
        address | u32::from(self.thumb)
    }

    /// A word's bytes in memory.
    fn word(&self, word: u32) -> [u8; 4] {
        match self.head.order {
            ByteOrder::Little => word.to_le_bytes(),
            ByteOrder::Big => word.to_be_bytes(),
        }
    }
}

impl Instrument for Machine {
    fn name(&self) -> String {
        let version = version(self.program);
        if !self.names_cpu {
            return version;
        }
        format!("{version}, {}", cpu(self).unwrap_or(self.cpus[0]))
    }

    fn needs(&self) -> &'static [&'static str] {
        self.packages
    }

    fn present(&self) -> Result<(), String> {
        emulator(self)?;
        cpu(self).map(|_| ())
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Emulator for Machine {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        answers(self, question)
    }
}

/// The processor that qemu runs as: the first of [`Machine::cpus`] on which a program that only exits runs. (Debian's
/// qemu 7.2.22 fails an assertion, `page_set_flags`, on every Cortex-M.)
fn cpu(machine: &Machine) -> Result<&'static str, String> {
    static KNOWN: Mutex<BTreeMap<&'static str, &'static str>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let first = machine.cpus[0];
    if let Some(cpu) = known.get(first) {
        return Ok(cpu);
    }
    let mut pages = Pages::default();
    pages.put(HARNESS, &harness(machine)?, false);
    pages.reserve(RECORD..RECORD + PAGE);
    let mut script = Script { machine, bytes: Vec::new() };
    script.system(machine.calls[2], [0; 3]);
    let executable = pages.executable(machine);
    let mut why = String::new();
    for cpu in machine.cpus {
        let output = emulate(machine, cpu, &executable, &script.bytes, Duration::from_secs(60))?;
        if output.status.success() {
            known.insert(first, cpu);
            return Ok(cpu);
        }
        why = format!("{cpu}: {} {}", output.status, output.errors.trim());
    }
    Err(format!("this {} runs no program at all ({why}); a newer qemu may", machine.program))
}

/// Runs an executable, without core files if it crashes.
fn emulate(
    machine: &Machine,
    cpu: &str,
    executable: &[u8],
    input: &[u8],
    patience: Duration,
) -> Result<Output, String> {
    let file = Temporary::new(executable)?;
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -c 0; exec \"$@\"", "sh"]).arg(emulator(machine)?);
    run(command.args(["-cpu", cpu]).arg(&file.path), input, patience)
}

fn emulator(machine: &Machine) -> Result<PathBuf, String> {
    super::need(machine.program, "qemu-user")
        .or_else(|why| find(&format!("{}-static", machine.program)).ok_or(why))
}

/// The harness's machine code.
fn harness(machine: &Machine) -> Result<Vec<u8>, String> {
    let assembler = (machine.assembler)()?;
    let symbols = [
        ("RECORD", RECORD),
        ("RECORD_SIZE", 4 * RECORD_WORDS as u32),
        ("KEPT", KEPT),
        ("KEPT_FIRST", KEPT_FIRST),
    ]
    .map(|(name, value)| format!("{name}={value:#x}"));
    let inputs = [machine.harness.to_owned(), symbols.join(" "), machine.options.join(" ")];
    let name = format!("harness-{}", machine.program);
    let place = built(&name, &inputs.each_ref().map(|text| text.as_bytes()), |work| {
        let source = work.join("harness.S");
        std::fs::write(&source, machine.harness)
            .map_err(|e| format!("{} cannot be written: {e}", source.display()))?;
        let mut command = Command::new(assembler);
        command.args(machine.options).args(symbols.iter().flat_map(|s| ["--defsym", s]));
        step(command.arg("-o").arg(work.join("harness.o")).arg(&source), Duration::from_secs(60)).map(|_| ())
    })?;
    let path = place.join("harness.o");
    let unreadable = |e: String| format!("the harness {} cannot be read: {e}", path.display());
    let bytes = std::fs::read(&path).map_err(|e| unreadable(e.to_string()))?;
    let file = object::File::parse(&*bytes).map_err(|e| unreadable(e.to_string()))?;
    let text = file.section_by_name(".text").ok_or_else(|| unreadable("it has no .text".into()))?;
    Ok(text.data().map_err(|e| unreadable(e.to_string()))?.to_vec())
}

/// Memory by pages: contents, and true if they may be written.
#[derive(Default)]
struct Pages(BTreeMap<u32, (bool, Vec<u8>)>);

impl Pages {
    fn page(&mut self, address: u32, writable: bool) -> &mut [u8] {
        let page = self.0.entry(address & !(PAGE - 1)).or_insert_with(|| (false, vec![0; PAGE as usize]));
        page.0 |= writable;
        &mut page.1
    }

    fn put(&mut self, address: u32, bytes: &[u8], writable: bool) {
        for (at, byte) in (address..).zip(bytes) {
            self.page(at, writable)[(at % PAGE) as usize] = *byte;
        }
    }

    fn reserve(&mut self, range: std::ops::Range<u32>) {
        for address in (range.start & !(PAGE - 1)..range.end).step_by(PAGE as usize) {
            self.page(address, true);
        }
    }

    /// An executable that starts at the harness, with a program header for every run of pages with equal rights (ELF
    /// specification, figures 1-3 and 2-1).
    fn executable(&self, machine: &Machine) -> Vec<u8> {
        let mut runs: Vec<(u32, bool, Vec<u8>)> = Vec::new();
        for (&address, (writable, bytes)) in &self.0 {
            match runs.last_mut() {
                Some((start, same, run)) if same == writable && *start + run.len() as u32 == address => {
                    run.extend_from_slice(bytes);
                }
                _ => runs.push((address, *writable, bytes.clone())),
            }
        }
        let wide = machine.head.bits == 64;
        let (header, program_header) = if wide { (64, 56) } else { (52, 32) };
        let order = if machine.head.order == ByteOrder::Little { 1 } else { 2 };
        let mut elf = vec![0x7f, b'E', b'L', b'F', 1 + u8::from(wide), order, 1];
        elf.resize(16, 0);
        let halves = |elf: &mut Vec<u8>, values: &[u16]| {
            elf.extend(values.iter().flat_map(|&v| machine.head.order.bytes(v, 2)));
        };
        let words = |elf: &mut Vec<u8>, values: &[u32]| {
            elf.extend(values.iter().flat_map(|&v| machine.word(v)));
        };
        let addresses = |elf: &mut Vec<u8>, values: &[u32]| {
            elf.extend(values.iter().flat_map(|&v| machine.head.order.bytes(v, if wide { 8 } else { 4 })));
        };
        halves(&mut elf, &[2, machine.head.number]);
        words(&mut elf, &[1]);
        addresses(&mut elf, &[machine.function(HARNESS), header, 0]);
        words(&mut elf, &[machine.flags]);
        halves(&mut elf, &[header as u16, program_header as u16, runs.len() as u16, 40, 0, 0]);
        let mut offset = (header + program_header * runs.len() as u32).next_multiple_of(PAGE);
        for (address, writable, bytes) in &runs {
            let size = bytes.len() as u32;
            // Readable and executable, and writable or not; in 64-bit files this field precedes the addresses.
            let allowed = if *writable { 7 } else { 5 };
            words(&mut elf, &[1, allowed][..1 + usize::from(wide)]);
            addresses(&mut elf, &[offset, *address, *address, size, size]);
            if !wide {
                words(&mut elf, &[allowed]);
            }
            addresses(&mut elf, &[PAGE]);
            offset += size;
        }
        elf.resize(elf.len().next_multiple_of(PAGE as usize), 0);
        elf.extend(runs.into_iter().flat_map(|(_, _, bytes)| bytes));
        elf
    }
}

fn address_of(address: u64) -> Result<u32, String> {
    u32::try_from(address).map_err(|_| format!("address {address:#x} is beyond 32 bits"))
}

/// The program, all buffers, RAM and harness as an executable.
fn executable(machine: &Machine, question: &Question, harness: &[u8]) -> Result<Vec<u8>, String> {
    let mut pages = Pages::default();
    let reserved = HARNESS..RECORD + PAGE;
    let checked = |address: u64, length: usize| {
        let start = address_of(address)?;
        let end = address_of(address + length as u64)?;
        if start < reserved.end && reserved.start < end {
            return Err(format!(
                "{length} bytes at {start:#x} lie where the harness for {} is ({:#x} to {:#x}); link the program elsewhere",
                machine.program, reserved.start, reserved.end
            ));
        }
        Ok(start..end)
    };
    pages.reserve(RAM);
    for segment in &question.image.segments {
        let range = checked(segment.address, segment.bytes.len())?;
        pages.put(range.start, &segment.bytes, segment.writable);
    }
    for call in &question.calls {
        for (address, bytes) in &call.writes {
            pages.reserve(checked(*address, bytes.len())?);
        }
        // Memory that is only read after a call may be the program's own: its pages stay unchanged.
        for (address, length) in &call.reads {
            for at in checked(*address, *length)?.step_by(PAGE as usize) {
                pages.0.entry(at & !(PAGE - 1)).or_insert_with(|| (true, vec![0; PAGE as usize]));
            }
        }
    }
    pages.put(HARNESS, harness, false);
    pages.reserve(RECORD..RECORD + PAGE);
    Ok(pages.executable(machine))
}

fn paint(at: u32) -> u8 {
    (at.wrapping_mul(0x9e37_79b1) >> 24) as u8
}

/// The input of the harness, record by record.
struct Script<'a> {
    machine: &'a Machine,
    bytes: Vec<u8>,
}

impl Script<'_> {
    fn record(&mut self, words: &[u32]) {
        let padded = words.iter().copied().chain(std::iter::repeat(0)).take(RECORD_WORDS);
        self.bytes.extend(padded.flat_map(|word| self.machine.word(word)));
    }

    fn system(&mut self, number: u32, arguments: [u32; 3]) {
        self.record(&[0, number, 0, arguments[0], arguments[1], arguments[2]]);
    }

    fn write(&mut self, address: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.system(self.machine.calls[0], [0, address, bytes.len() as u32]);
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn read(&mut self, address: u32, length: u32) {
        if length > 0 {
            self.system(self.machine.calls[1], [1, address, length]);
        }
    }

    fn call(&mut self, question: &Question, call: &Call, painted: &[u8]) -> Result<(), String> {
        for segment in question.image.segments.iter().filter(|s| s.writable) {
            self.write(address_of(segment.address)?, &segment.bytes);
        }
        let (in_registers, on_stack) =
            call.arguments.split_at(call.arguments.len().min(self.machine.in_registers));
        let stack_pointer = stack_pointer(self.machine, call);
        self.write(STACK_TOP - PAINTED, painted);
        let stacked: Vec<u8> = on_stack.iter().flat_map(|&a| self.machine.word(a)).collect();
        self.write(stack_pointer + self.machine.home, &stacked);
        for (address, bytes) in &call.writes {
            self.write(address_of(*address)?, bytes);
        }
        self.system(self.machine.calls[3], [ITIMER_PROF, TIMER, 0]);
        let function = self.machine.function(address_of(question.function)?);
        let mut words = vec![1, function, stack_pointer];
        words.extend(in_registers);
        words.resize(RECORD_WORDS - 1, 0);
        words.push(match question.image.symbols.get(GLOBAL_POINTER) {
            Some(address) => address_of(*address)?,
            None => 0,
        });
        self.record(&words);
        self.read(KEPT, kept_size(self.machine) as u32);
        self.read(STACK_TOP - PAINTED, PAINTED);
        for (address, length) in &call.reads {
            self.read(address_of(*address)?, *length as u32);
        }
        Ok(())
    }
}

fn kept_size(machine: &Machine) -> usize {
    4 * (machine.kept.len() + 1)
}

/// The stack pointer at a call, aligned for every convention.
fn stack_pointer(machine: &Machine, call: &Call) -> u32 {
    let on_stack = call.arguments.len().saturating_sub(machine.in_registers) as u32;
    STACK_TOP - (machine.home + 4 * on_stack).next_multiple_of(16)
}

/// Takes a call's answer from the front of the harness's output; `None` if it is incomplete.
fn answer(machine: &Machine, call: &Call, out: &mut &[u8], painted: &[u8]) -> Option<Result<Answer, String>> {
    let kept = out.split_off(..kept_size(machine))?;
    let stack = out.split_off(..PAINTED as usize)?;
    let read = call.reads.iter().map(|(_, n)| Some(out.split_off(..*n)?.to_vec())).collect::<Option<_>>()?;
    let stack_pointer = stack_pointer(machine, call);
    let names = machine.kept.iter().copied().chain(["the stack pointer"]);
    let expected = (KEPT_FIRST..).take(machine.kept.len()).chain([stack_pointer]);
    for ((name, expected), found) in names.zip(expected).zip(kept.chunks_exact(4)) {
        if machine.word(expected) != found {
            return Some(Err(format!(
                "the function returned with {name} changed, which belongs to its caller"
            )));
        }
    }
    let below = stack_pointer - (STACK_TOP - PAINTED);
    let untouched = stack.iter().zip(painted).take_while(|(a, b)| a == b).count() as u32;
    // If the lowest bytes were written, the stack may have grown below the painted bytes.
    let written = u64::from(below.saturating_sub(untouched));
    let stack = (untouched > 64).then(|| written.saturating_sub(machine.pushed));
    Some(Ok(Answer { read, cycles: None, instructions: None, stack }))
}

/// The answers of qemu.
fn answers(machine: &Machine, question: &Question) -> Result<Vec<Answer>, String> {
    let elf = executable(machine, question, &harness(machine)?)?;
    let painted: Vec<u8> = (STACK_TOP - PAINTED..STACK_TOP).map(paint).collect();
    let mut script = Script { machine, bytes: Vec::new() };
    // qemu does not count instructions; it executes at least this many in a second of processor time.
    const A_SECOND: u64 = 20_000_000;
    let milliseconds = 300 + question.limit.saturating_mul(1000) / A_SECOND;
    // Seconds are as long as an address; of the others, which are not on every system, there are none.
    let (seconds, long) = (milliseconds.div_ceil(1000), usize::from(machine.head.bits) / 8);
    script.write(TIMER, &[0, 0, seconds, 0].map(|v| machine.head.order.bytes(v, long)).concat());
    for call in &question.calls {
        script.call(question, call, &painted)?;
    }
    script.system(machine.calls[2], [0; 3]);
    let patience = 60 + question.calls.len() as u64 * milliseconds / 100;
    let patience = Duration::from_secs(patience.min(3600));
    let output = emulate(machine, cpu(machine)?, &elf, &script.bytes, patience)?;
    let mut out = output.out.as_slice();
    let mut answers = Vec::with_capacity(question.calls.len());
    for (number, call) in question.calls.iter().enumerate() {
        let wrong = |why: String| format!("call {}: {why}", number + 1);
        answers.push(match answer(machine, call, &mut out, &painted) {
            Some(answer) => answer.map_err(wrong)?,
            None => return Err(wrong(ended(machine, question.limit, &output))),
        });
    }
    Ok(answers)
}

/// The reason why the harness did not finish.
fn ended(machine: &Machine, limit: u64, output: &Output) -> String {
    let signal = output.status.signal().or_else(|| output.status.code().map(|code| code - 128));
    let program = machine.program;
    match signal {
        Some(SIGPROF) => format!(
            "the function did not return in the processor time that {limit} instructions take at most"
        ),
        Some(4) => format!("{program} met an instruction that {} does not have", machine.cpus[0]),
        Some(7 | 11) => {
            "the function accessed memory that is not there, or wrote where it may only read".to_owned()
        }
        _ => format!("{program} ended ({}): {}", output.status, output.errors.trim()),
    }
}
