//! Runs any program of a processor other than this machine: one of its functions is called, and our
//! interpreter and every available independent judge report its cost and its memory accesses.

use std::collections::BTreeMap;

use aesmith_isa::image::Image;
use aesmith_judge::judge::{Answer, Call, Question};
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::{Interpreter, Trace};

/// An argument of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Number(u32),
    /// The address of a buffer with these bytes.
    Buffer(Vec<u8>),
}

/// Longest buffer for a program, in bytes.
const LONGEST: usize = 1 << 16;

impl std::str::FromStr for Argument {
    type Err = String;

    /// Parses `17`, `-1` and `0x11` as numbers, `hex:0011ff` and `zeros:16` as buffers.
    fn from_str(text: &str) -> Result<Argument, String> {
        let forms = "write a number (17, -1, 0x11), hex:0011ff or zeros:16";
        if let Some(digits) = text.strip_prefix("hex:") {
            let pairs = digits.as_bytes().chunks(2).map(|pair| {
                let pair = std::str::from_utf8(pair).ok().filter(|p| p.len() == 2)?;
                pair.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u8::from_str_radix(pair, 16).ok())?
            });
            let bytes: Option<Vec<u8>> = pairs.collect();
            return match bytes {
                Some(bytes) if (1..=LONGEST).contains(&bytes.len()) => Ok(Argument::Buffer(bytes)),
                Some(_) => Err(format!("a buffer has from 1 to {LONGEST} bytes")),
                None => Err(format!("'{digits}' is not pairs of hexadecimal digits; {forms}")),
            };
        }
        if let Some(count) = text.strip_prefix("zeros:") {
            return match count.parse() {
                Ok(count) if (1..=LONGEST).contains(&count) => Ok(Argument::Buffer(vec![0; count])),
                _ => Err(format!("'{count}' is not a number of bytes from 1 to {LONGEST}; {forms}")),
            };
        }
        let (digits, negative) = text.strip_prefix('-').map_or((text, false), |d| (d, true));
        let number = match digits.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        match number {
            Ok(number) if !negative => Ok(Argument::Number(number)),
            Ok(number) if number <= 1 << 31 => Ok(Argument::Number(number.wrapping_neg())),
            _ => Err(format!("'{text}' is no argument: {forms}")),
        }
    }
}

/// A call of a program's function.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The program.
    pub image: &'a Image,
    /// The function's name.
    pub symbol: &'a str,
    /// Its arguments.
    pub arguments: &'a [Argument],
    /// Number of executed instructions after which a call is ended with an error.
    pub limit: u64,
}

/// A range of memory that was accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The first address, in the processor's address space.
    pub from: u64,
    /// The address after the last.
    pub until: u64,
    /// True if it was written, false if only read.
    pub written: bool,
    /// The object there: an argument, the stack, or a symbol of the program.
    pub what: String,
}

/// The result of an independent judge.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// Its name.
    pub judge: String,
    /// True if its cycles are those of the processor.
    pub counts_cycles: bool,
    /// Its answer, or the reason that there is none.
    pub answer: Result<Answer, String>,
}

/// The results of a call.
#[derive(Clone, Debug)]
pub struct CallResults {
    /// The result of our interpreter, with the machine model's cycles.
    pub ours: Answer,
    /// Executed instructions by timing class.
    pub classes: BTreeMap<String, u64>,
    /// Data memory that was read or written.
    pub touched: Vec<Touched>,
    /// Final contents of the buffers, in the order of the arguments.
    pub buffers: Vec<Vec<u8>>,
    /// Results of the independent judges.
    pub others: Vec<Opinion>,
}

/// A call with the places of its buffers.
struct Placed {
    call: Call,
    /// Argument number, address and length in bytes of each buffer.
    buffers: Vec<(usize, u64, usize)>,
}

/// Places the buffers above the program's data in writable memory, at multiples of 16.
fn place(core: &Core, run: &Run) -> Result<Placed, String> {
    let data = (core.isa)().about.data;
    let area = core.buffers..core.stack_top;
    let in_area = run.image.segments.iter().filter(|s| s.address < area.end && s.end() > area.start);
    let mut next = in_area.map(|s| s.end()).fold(area.start, u64::max);
    let mut placed = Placed { call: Call::default(), buffers: Vec::new() };
    for (number, argument) in run.arguments.iter().enumerate() {
        let value = match argument {
            Argument::Number(number) => *number,
            Argument::Buffer(bytes) => {
                let at = next.next_multiple_of(16);
                next = at + bytes.len() as u64;
                placed.call.writes.push((at, bytes.clone()));
                placed.call.reads.push((at, bytes.len()));
                placed.buffers.push((number, at, bytes.len()));
                (at - data) as u32
            }
        };
        placed.call.arguments.push(value);
    }
    if next > area.end.saturating_sub(64) {
        return Err(format!(
            "the program's data and the arguments need memory up to {:#x}, and the stack of {} begins at {:#x} \
             and grows down: give shorter buffers",
            next - data,
            core.name,
            area.end - data
        ));
    }
    Ok(placed)
}

/// The address of a function. An odd address marks Thumb functions.
pub fn function(core: &Core, image: &Image, symbol: &str) -> Result<u64, String> {
    let address = image.symbol(symbol)?;
    if core.linking.mark == 0 {
        return Ok(address);
    }
    let thumb = (core.isa)().about.unit == 2;
    match (thumb, address % 2 == 1) {
        (false, true) => Err(format!(
            "'{symbol}' is a Thumb function, and {} is known in ARM state only; compile it with -marm",
            core.name
        )),
        _ => Ok(address & !1),
    }
}

/// Calls the function in our interpreter, then in each independent judge.
pub fn judge(core: &'static Core, run: &Run) -> Result<CallResults, String> {
    let address = function(core, run.image, run.symbol)?;
    let placed = place(core, run)?;
    let trace = Interpreter::new(core).trace(run.image, address, &placed.call, run.limit)?;
    let Trace { answer, classes, read, written, .. } = trace;
    let ours = answer.ok_or("the interpreter gave no answer")?;
    let stack = ours.stack.unwrap_or(0);
    let question =
        Question { image: run.image, function: address, calls: vec![placed.call.clone()], limit: run.limit };
    let others = (core.judges)().into_iter().map(|judge| Opinion {
        judge: judge.name(),
        counts_cycles: judge.counts_cycles(),
        answer: judge
            .present()
            .and_then(|()| judge.answer(&question))
            .and_then(|mut answers| answers.pop().ok_or_else(|| "it gave no answer".to_owned())),
    });
    let others = others.collect();
    let ranges = read.into_iter().map(|r| (r, false)).chain(written.into_iter().map(|w| (w, true)));
    let touched = ranges
        .map(|((from, until), is_written)| Touched {
            what: what_lies(core, run, &placed, stack, from),
            from: from - (core.isa)().about.data,
            until: until - (core.isa)().about.data,
            written: is_written,
        })
        .collect();
    Ok(CallResults { buffers: ours.read.clone(), ours, classes, touched, others })
}

/// Describes the object at an address of data memory.
fn what_lies(core: &Core, run: &Run, placed: &Placed, stack: u64, at: u64) -> String {
    let buffer = placed.buffers.iter().find(|(_, from, length)| (*from..from + *length as u64).contains(&at));
    if let Some((number, ..)) = buffer {
        return format!("argument {}", number + 1);
    }
    // A call may push its return address below the stack's top, and arguments may lie there.
    let deepest = core.stack_top.saturating_sub(stack + 8 + 4 * placed.call.arguments.len() as u64);
    if (deepest..=core.stack_top + 4).contains(&at) {
        return "stack".into();
    }
    let segment = run.image.segments.iter().find(|s| (s.address..s.end()).contains(&at));
    let symbol = segment.and_then(|s| {
        let near = run.image.symbols.iter().filter(|(_, a)| (s.address..=at).contains(a));
        near.max_by_key(|(_, a)| **a)
    });
    match (symbol, segment) {
        (Some((name, address)), _) if *address == at => name.clone(),
        (Some((name, address)), _) => format!("{name}+{}", at - address),
        (None, Some(_)) => "the program".into(),
        (None, None) => "elsewhere".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        assert_eq!("17".parse(), Ok(Argument::Number(17)));
        assert_eq!("0xff".parse(), Ok(Argument::Number(255)));
        assert_eq!("-1".parse(), Ok(Argument::Number(u32::MAX)));
        assert_eq!("hex:00fF".parse(), Ok(Argument::Buffer(vec![0, 255])));
        assert_eq!("zeros:3".parse(), Ok(Argument::Buffer(vec![0; 3])));
        for wrong in
            ["", "x", "hex:", "hex:0", "hex:+1", "hex:0g", "zeros:0", "zeros:70000", "-0x", "4294967296"]
        {
            let error = wrong.parse::<Argument>().unwrap_err();
            assert!(error.contains("zeros:16") || error.contains("from 1 to"), "{wrong}: {error}");
        }
    }
}
