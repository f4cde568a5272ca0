//! The S-box and its inverse as Verilog: a table, or the circuit of gates over a tower of fields.

use std::fmt::Write;

use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_dataflow::circuits::CIRCUITS;

/// How the S-box is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SboxForm {
    /// 256 entries, left to the synthesis tool.
    Table,
    /// The circuit of Boyar, Peralta and Çalık.
    Circuit,
}

/// The module `aes_sbox` or `aes_isbox` with ports `in` and `out`.
pub fn module(inverse: bool, form: SboxForm) -> String {
    let name = if inverse { "aes_isbox" } else { "aes_sbox" };
    let mut text = format!(
        "module {name}(input [7:0] in, output {}[7:0] out);\n",
        if form == SboxForm::Table { "reg " } else { "" }
    );
    match form {
        SboxForm::Table => {
            text.push_str("  always @* case (in)\n");
            let table = if inverse { &INV_SBOX } else { &SBOX };
            for (x, y) in table.iter().enumerate() {
                let _ = writeln!(text, "    8'h{x:02x}: out = 8'h{y:02x};");
            }
            text.push_str("  endcase\n");
        }
        SboxForm::Circuit => {
            let circuit = &CIRCUITS[0];
            let gates = if inverse { circuit.inverse } else { circuit.sbox };
            // Bit 0 of a circuit is the highest of the byte.
            for i in 0..8 {
                let _ = writeln!(text, "  wire u{i} = in[{}];", 7 - i);
            }
            for gate in gates.split_whitespace() {
                let Some((to, of)) = gate.split_once('=') else { continue };
                let of = match of.split_once('#') {
                    Some((a, b)) => format!("~({a} ^ {b})"),
                    None => of.replace('^', " ^ ").replace('&', " & "),
                };
                let _ = writeln!(text, "  wire {to} = {of};");
            }
            text.push_str("  assign out = {s0, s1, s2, s3, s4, s5, s6, s7};\n");
        }
    }
    text.push_str("endmodule\n\n");
    text
}
