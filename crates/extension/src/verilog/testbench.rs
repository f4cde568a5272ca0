//! A test bench that compares the unit with the interpreter: every value of every byte of every register read, with
//! every selector; every selector with random words; and more random words.

use std::fmt::Write;

use crate::code::functions;
use crate::file::{Extension, Mistake};
use crate::meaning::{compute, table};
use crate::verilog::{identifier, port_names, ports, wired};

/// An input of a unit, and the expected answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// The function code.
    pub operation: u16,
    /// The ports: named registers, then those that it is wired to.
    pub inputs: Vec<u32>,
    /// The result.
    pub result: u32,
}

/// A pseudorandom word from a generator without a crate: xorshift (Marsaglia 2003), so that benches are the same
/// everywhere.
fn next(state: &mut u64) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as u32
}

/// The maximum number of selector choices that are all combined with every byte value; more are combined in turn.
const EACH: usize = 16;

/// Test vectors of every instruction, with `random` random words each.
pub fn vectors(extension: &Extension, random: usize) -> Result<Vec<Vector>, Mistake> {
    let isa = table(extension)?;
    let (named, wired) = (ports(extension), wired(extension));
    let mut found = Vec::new();
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for (instruction, functions) in extension.instructions.iter().zip(functions(extension)?) {
        let choices: Vec<Vec<u8>> = instruction.choices().collect();
        // The ports that the instruction reads.
        let mut used: Vec<usize> = (0..instruction.reads.len()).collect();
        let place = |name: &String| named + wired.iter().position(|w| w == name).unwrap_or_default();
        used.extend(instruction.fixed.iter().map(place));
        let mut one = |selectors: &[u8], inputs: Vec<u32>| -> Result<(), Mistake> {
            let words: Vec<u32> = used.iter().map(|&k| inputs[k]).collect();
            let result = compute(&isa, instruction, &words, selectors)
                .map_err(|what| Mistake { line: instruction.lines.meaning, what })?;
            found.push(Vector { operation: functions.number(instruction, selectors), inputs, result });
            Ok(())
        };
        let words = |state: &mut u64| (0..named + wired.len()).map(|_| next(state)).collect::<Vec<u32>>();
        let mut turn = choices.iter().cycle();
        let together = if choices.len() <= EACH { choices.len() } else { 1 };
        for &port in &used {
            for byte in 0..4 {
                for x in 0..256u32 {
                    for selectors in turn.by_ref().take(together) {
                        let mut inputs = words(&mut state);
                        inputs[port] = inputs[port] & !(0xff << (8 * byte)) | x << (8 * byte);
                        one(selectors, inputs)?;
                    }
                }
                // The next byte starts with other selectors.
                turn.next();
            }
        }
        for selectors in &choices {
            for _ in 0..16 {
                one(selectors, words(&mut state))?;
            }
        }
        for _ in 0..random {
            let choice = next(&mut state) as usize % choices.len();
            one(&choices[choice], words(&mut state))?;
        }
    }
    Ok(found)
}

/// The file of the vectors: `operation inputs.. result` in hexadecimal, for `$readmemh`.
pub fn file(vectors: &[Vector]) -> String {
    let mut text = String::new();
    for vector in vectors {
        let _ = write!(text, "{:08x}", vector.operation);
        for word in &vector.inputs {
            let _ = write!(text, "{word:08x}");
        }
        let _ = writeln!(text, "{:08x}", vector.result);
    }
    text
}

/// The bench: reads `NAME_vectors.hex`, prints `N passed, N failed`, and ends in an error if any failed. It ends when
/// no events are left, so that several can run side by side.
pub fn bench(extension: &Extension, count: usize) -> String {
    let name = identifier(&extension.name);
    let names = port_names(extension);
    let words = names.len() + 2;
    let at = |k: usize| format!("vector[{}:{}]", 32 * (words - k) - 1, 32 * (words - 1 - k));
    let connections: String =
        names.iter().enumerate().map(|(k, p)| format!(", .{p}({})", at(k + 1))).collect();
    format!(
        "`timescale 1ns/1ns
module {name}_tb;
  reg [{top}:0] vectors [0:{last}];
  reg [{top}:0] vector;
  reg clk, reset, valid;
  wire ready;
  wire [31:0] result;
  integer i, failed, waited;
  {name}_unit unit(.clk(clk), .reset(reset), .valid(valid), .operation(vector[{operation}:{low}]){connections}, .ready(ready), .result(result));
  initial begin
    $readmemh(\"{name}_vectors.hex\", vectors);
    failed = 0;
    clk = 0;
    reset = 1;
    valid = 0;
    #1 clk = 1;
    #1 clk = 0;
    reset = 0;
    for (i = 0; i < {count}; i = i + 1) begin
      vector = vectors[i];
      valid = 1;
      waited = 0;
      #1;
      while (!ready && waited < 64) begin
        clk = 1;
        #1 clk = 0;
        #1 waited = waited + 1;
      end
      if (!ready || result !== vector[31:0]) begin
        failed = failed + 1;
        if (failed < 10) $display(\"vector %0d, operation %0d: %h, not %h\", i, vector[{operation}:{low}], result, vector[31:0]);
      end
      clk = 1;
      #1 clk = 0;
      valid = i[0];
    end
    $display(\"{name}: %0d passed, %0d failed\", {count} - failed, failed);
    if (failed != 0) $fatal(1, \"the unit is not what its meaning says\");
  end
endmodule
",
        top = 32 * words - 1,
        last = count - 1,
        low = 32 * (words - 1),
        operation = 32 * (words - 1) + 9,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets;

    #[test]
    fn every_byte_value_meets_every_choice_of_selectors() {
        for name in ["smix3", "zkn", "bertoni-words"] {
            let extension = sets::included(name).expect("parses");
            let wired = wired(&extension);
            let found = vectors(&extension, 0).expect("computes");
            // The purely random vectors come last.
            let fixed: usize = extension.instructions.iter().map(|i| 16 << i.selector_bits()).sum();
            let wanted = |i: &crate::file::Instruction| (1024 * i.inputs()) << i.selector_bits();
            let all: usize = extension.instructions.iter().map(wanted).sum();
            assert_eq!(found.len(), all + fixed, "{name}");
            for (instruction, functions) in
                extension.instructions.iter().zip(functions(&extension).expect("fit"))
            {
                let place =
                    |f: &String| ports(&extension) + wired.iter().position(|w| w == f).expect("wired");
                let ports = (0..instruction.reads.len()).chain(instruction.fixed.iter().map(place));
                for port in ports {
                    for byte in 0..4 {
                        let mut seen = vec![[false; 256]; 1 << functions.selector_bits];
                        let own = |v: &&Vector| {
                            (0..seen.len()).contains(&usize::from(v.operation.wrapping_sub(functions.first)))
                        };
                        let own: Vec<&Vector> = found.iter().filter(own).collect();
                        for vector in own {
                            let x = vector.inputs[port] >> (8 * byte) & 0xff;
                            seen[usize::from(vector.operation - functions.first)][x as usize] = true;
                        }
                        assert!(seen.iter().flatten().all(|s| *s), "{name}: {}", instruction.name);
                    }
                }
            }
        }
    }
}
