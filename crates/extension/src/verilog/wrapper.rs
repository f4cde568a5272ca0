//! Wrappers of units for the ports of real cores: PicoRV32's co-processor interface and VexRiscv's custom function
//! unit, with every module that they need.

use aesmith_isa::pattern::Pattern;

use crate::code::{Bit, functions};
use crate::file::{Extension, Instruction, Mistake};
use crate::verilog::{Unit, identifier, ports, unit};

/// The instruction set of the cores whose ports are served, as files of extensions name it.
pub(crate) const STANDARD: &str = "rv32";

/// Checks that a port that hands over two registers can carry an extension.
fn carried(extension: &Extension, port: &str) -> Result<(), Mistake> {
    let fits = |i: &&Instruction| i.reads.len() <= 2 && i.fixed.is_empty();
    match extension.instructions.iter().find(|i| !fits(i)) {
        None => Ok(()),
        Some(i) => Err(Mistake {
            line: i.lines.reads,
            what: format!(
                "{}: it computes from {} registers, and {port} hands over two; only a core that the unit is wired \
                 into can have it, as the ARM bases here",
                i.name,
                i.inputs()
            ),
        }),
    }
}

/// The connections of the unit's register ports.
fn operands(extension: &Extension, names: [&str; 2]) -> String {
    ["a", "b"].iter().zip(names).take(ports(extension)).map(|(p, n)| format!("    .{p}({n}),\n")).collect()
}

/// The common part of both encodings of custom instructions on RV32: opcode custom-0, where funct7 and funct3 are the
/// function code.
const CUSTOM: u32 = 0b000_1011;

/// Checks that an encoding has registers where RV32 has them: registers read in bits 19:15 and 24:20, the register
/// written in bits 11:7, and one that is both in both places.
pub fn placed(instruction: &Instruction, pattern: &Pattern) -> Result<(), String> {
    let places = |register: &String| -> Vec<u32> {
        let reads = instruction.reads.iter().zip([15, 20]).filter(|(r, _)| *r == register);
        let writes = (instruction.writes == *register).then_some(7);
        writes.into_iter().chain(reads.map(|(_, low)| low)).collect()
    };
    for register in instruction.reads.iter().take(2).chain([&instruction.writes]) {
        let at = pattern.fields.iter().position(|(f, _)| f == register);
        let put = at.map_or(0, |at| pattern.put(at, 0x1f));
        let places = places(register);
        if put != places.iter().fold(0, |sum, low| sum | 0x1f << low) {
            let ranges: Vec<String> = places.iter().map(|low| format!("{} to {low}", low + 4)).collect();
            return Err(format!(
                "its encoding for rv32 has {register} elsewhere than in bits {}. On RV32 the first register that is read stands in \
                 bits 19 to 15, the second in 24 to 20, the one that is written in 11 to 7, and one that is both in both of its \
                 places. Encodings of drafts that write the first register and leave bits 11 to 7 zero (riscv-crypto to 0.8) cannot \
                 be attached: read one register, write another, and put the written one there, as the ratified encoding does",
                ranges.join(" and ")
            ));
        }
    }
    Ok(())
}

/// The condition that an instruction word encodes an instruction, and the function code that it selects.
fn decoded(
    instruction: &Instruction,
    functions: &crate::code::Functions,
) -> Result<(String, String), String> {
    let standard = instruction.encodings.iter().find(|(family, _)| family == STANDARD);
    let Some((_, text)) = standard else {
        let low = functions.selector_bits;
        let number = "{pcpi_insn[31:25], pcpi_insn[14:12]}";
        let mut mask = 0x7f;
        let mut value = CUSTOM;
        // The bits of the function code that are no selectors, where the encoding has them.
        for bit in low..crate::code::BITS {
            let place = if bit < 3 { 12 + bit } else { 22 + bit };
            mask |= 1 << place;
            value |= u32::from(functions.first >> bit & 1) << place;
        }
        return Ok((format!("(pcpi_insn & 32'h{mask:08x}) == 32'h{value:08x}"), number.to_owned()));
    };
    let pattern = Pattern::parse(text)?;
    placed(instruction, &pattern)?;
    let bit = |bit: Bit| match bit {
        Bit::Fixed(value) => Ok(format!("1'b{}", u8::from(value))),
        Bit::Selector(k, at) => {
            let name = &instruction.selectors[k].0;
            let field = pattern
                .fields
                .iter()
                .position(|(f, _)| f == name)
                .ok_or_else(|| format!("its encoding has no field {name}"))?;
            let place = pattern.put(field, 1 << at);
            if place.count_ones() != 1 {
                return Err(format!("its encoding does not hold bit {at} of {name} once"));
            }
            Ok(format!("pcpi_insn[{}]", place.trailing_zeros()))
        }
    };
    let bits: Vec<String> =
        functions.bits(instruction).into_iter().map(bit).collect::<Result<_, String>>()?;
    let (mask, value) = (pattern.mask, pattern.value);
    Ok((format!("(pcpi_insn & 32'h{mask:08x}) == 32'h{value:08x}"), format!("{{{}}}", bits.join(", "))))
}

/// A note about custom-0 for users who connect the unit to this core.
const OWN_CODES: &str = "\
// Its instructions are in opcode custom-0. With ENABLE_IRQ = 1 PicoRV32 takes those whose funct7 is 0 to 5
// for its own interrupt instructions: build it with ENABLE_IRQ = 0, or give the file encodings for rv32.
";

/// The module `NAME_pcpi`, which connects to PicoRV32's pins of the same names (with `ENABLE_PCPI`), and the unit.
/// Instructions have the encoding in the file for `rv32`, or else are in opcode custom-0, which PicoRV32's own
/// interrupt instructions share: with `ENABLE_IRQ` the core takes those whose funct7 is 0 to 5 for itself (its README,
/// Custom Instructions for IRQ Handling). A unit of one cycle answers in the cycle of the request.
pub fn pcpi(extension: &Extension, built: Unit) -> Result<String, Mistake> {
    carried(extension, "PicoRV32's PCPI")?;
    let mut text = unit(extension, built)?;
    let name = identifier(&extension.name);
    let mut matches = Vec::new();
    let mut wires = String::new();
    let mut operation = String::new();
    for (number, (instruction, functions)) in
        extension.instructions.iter().zip(functions(extension)?).enumerate()
    {
        let (question, function) = decoded(instruction, &functions).map_err(|what| Mistake {
            line: instruction.lines.encoding,
            what: format!("{}: {what}", instruction.name),
        })?;
        wires.push_str(&format!("  wire match{number} = {question}; // {}\n", instruction.name));
        matches.push(format!("match{number}"));
        let last = number + 1 == extension.instructions.len();
        operation.push_str(&if last { function } else { format!("match{number} ? {function} :\n    ") });
    }
    let chosen = extension.instructions.iter().any(|i| !i.encodings.iter().any(|(f, _)| f == STANDARD));
    let irq = if chosen { OWN_CODES } else { "" };
    text.push_str(&format!(
        "// The unit on PicoRV32's co-processor interface.
{irq}module {name}_pcpi(
  input clk,
  input resetn,
  input pcpi_valid,
  input [31:0] pcpi_insn,
  input [31:0] pcpi_rs1,
  input [31:0] pcpi_rs2,
  output pcpi_wr,
  output [31:0] pcpi_rd,
  output pcpi_wait,
  output pcpi_ready
);
{wires}  wire known = pcpi_valid && ({any});
  wire [9:0] operation = {operation};
  {name}_unit unit(
    .clk(clk),
    .reset(!resetn),
    .valid(known),
    .operation(operation),
{operands}    .ready(pcpi_ready),
    .result(pcpi_rd)
  );
  assign pcpi_wr = pcpi_ready;
  assign pcpi_wait = known;
endmodule
",
        any = matches.join(" || "),
        operands = operands(extension, ["pcpi_rs1", "pcpi_rs2"]),
    ));
    Ok(text)
}

/// The module `NAME_cfu`, which connects to VexRiscv's pins `CfuPlugin_bus_...` of the same endings, and the unit. The
/// core sends `{funct7, funct3}` of an instruction in opcode custom-0 as `function_id`, in its execute stage, and takes
/// the answer in the next, its memory stage: results are kept in a register, and a unit of one cycle accepts an
/// instruction in every cycle.
pub fn cfu(extension: &Extension, built: Unit) -> Result<String, Mistake> {
    carried(extension, "VexRiscv's CFU")?;
    let mut text = unit(extension, built)?;
    let name = identifier(&extension.name);
    text.push_str(&format!(
        "// The unit on VexRiscv's bus for custom functions.
module {name}_cfu(
  input clk,
  input reset,
  input cmd_valid,
  output cmd_ready,
  input [9:0] cmd_payload_function_id,
  input [31:0] cmd_payload_inputs_0,
  input [31:0] cmd_payload_inputs_1,
  output reg rsp_valid,
  input rsp_ready,
  output reg [31:0] rsp_payload_outputs_0
);
  wire [31:0] result;
  wire done;
  // The register is free, or becomes free in this cycle.
  wire free = !rsp_valid || rsp_ready;
  {name}_unit unit(
    .clk(clk),
    .reset(reset),
    .valid(cmd_valid && free),
    .operation(cmd_payload_function_id),
{operands}    .ready(done),
    .result(result)
  );
  assign cmd_ready = done;
  always @(posedge clk) begin
    if (reset) rsp_valid <= 1'b0;
    else if (free) rsp_valid <= done;
    if (done) rsp_payload_outputs_0 <= result;
  end
endmodule
",
        operands = operands(extension, ["cmd_payload_inputs_0", "cmd_payload_inputs_1"]),
    ));
    Ok(text)
}
