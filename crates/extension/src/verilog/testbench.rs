//! A test bench that holds the unit against the interpreter: every byte value in every byte of every
//! register read, every selector, and random words.

use std::fmt::Write;

use aesmith_isa::Isa;

use crate::file::Extension;
use crate::meaning::compute;
use crate::verilog::{identifier, operation_bits, packed, ports, selector_bits};

/// Words of a generator that needs no crate: xorshift (Marsaglia 2003), so that benches are the same
/// everywhere.
fn next(state: &mut u64) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as u32
}

/// Lines of `operation select a b c result` in hexadecimal, for `$readmemh`.
pub fn vectors(extension: &Extension, isa: &Isa, random: usize) -> Result<Vec<[u32; 6]>, String> {
    let mut found = Vec::new();
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for (operation, instruction) in extension.instructions.iter().enumerate() {
        let combinations = instruction.selectors.iter().fold(1u32, |n, (_, bits)| n << bits);
        let mut one = |select: u32, reads: [u32; 3]| -> Result<(), String> {
            let mut left = select;
            let mut values = Vec::new();
            for (_, bits) in &instruction.selectors {
                values.push((left & ((1 << bits) - 1)) as u8);
                left >>= bits;
            }
            let result = compute(isa, instruction, &reads[..instruction.reads.len()], &values)?;
            let [a, b, c] = reads;
            found.push([operation as u32, packed(instruction, &values), a, b, c, result]);
            Ok(())
        };
        for select in 0..combinations.min(256) {
            for register in 0..instruction.reads.len() {
                for byte in 0..4 {
                    for x in 0..256u32 {
                        let mut reads = [next(&mut state), next(&mut state), next(&mut state)];
                        reads[register] = reads[register] & !(0xff << (8 * byte)) | x << (8 * byte);
                        one(select, reads)?;
                    }
                }
            }
        }
        for _ in 0..random {
            let select = next(&mut state) % combinations;
            one(select, [next(&mut state), next(&mut state), next(&mut state)])?;
        }
    }
    Ok(found)
}

/// The text of the vectors' file.
pub fn vectors_file(vectors: &[[u32; 6]]) -> String {
    let mut text = String::new();
    for line in vectors {
        for word in line {
            let _ = write!(text, "{word:08x}");
        }
        text.push('\n');
    }
    text
}

/// The bench: reads `NAME_vectors.hex`, prints `N passed, N failed`, and ends in an error if any failed.
pub fn bench(extension: &Extension, count: usize) -> String {
    let name = identifier(&extension.name);
    let ports: String = ["a", "b", "c"][..ports(extension)]
        .iter()
        .enumerate()
        .map(|(k, p)| format!(", .{p}(vector[{}:{}])", 127 - 32 * k, 96 - 32 * k))
        .collect();
    format!(
        "module {name}_tb;
  reg [191:0] vectors [0:{last}];
  reg [191:0] vector;
  wire [31:0] result;
  integer i, failed;
  {name}_unit unit(.operation(vector[{op}:160]), .select(vector[{sel}:128]){ports}, .result(result));
  initial begin
    $readmemh(\"{name}_vectors.hex\", vectors);
    failed = 0;
    for (i = 0; i < {count}; i = i + 1) begin
      vector = vectors[i];
      #1;
      if (result !== vector[31:0]) begin
        failed = failed + 1;
        if (failed < 10) $display(\"operation %0d select %0d a %h b %h c %h: %h, not %h\", vector[191:160], vector[159:128], vector[127:96], vector[95:64], vector[63:32], result, vector[31:0]);
      end
    end
    $display(\"%0d passed, %0d failed\", {count} - failed, failed);
    if (failed != 0) $fatal(1, \"the unit is not what its meaning says\");
    $finish;
  end
endmodule
",
        last = count - 1,
        op = 159 + u32::from(operation_bits(extension)),
        sel = 127 + u32::from(selector_bits(extension)),
    )
}
