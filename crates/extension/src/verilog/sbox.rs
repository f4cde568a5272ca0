//! The S-box and its inverse in Verilog: a table, or a circuit of gates over a tower of fields.

use std::fmt::Write;

use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};
use aesmith_dataflow::circuits::CIRCUITS;

use crate::verilog::linear::sums;

/// The form of an S-box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SboxForm {
    /// A table of 256 entries, left to the synthesis tool.
    Table,
    /// A circuit by Boyar, Peralta and Çalık for the S-box or its inverse; for both in one, their circuit of the S-box
    /// with linear maps around it.
    Circuit,
}

impl SboxForm {
    /// Both forms.
    pub const ALL: [SboxForm; 2] = [SboxForm::Table, SboxForm::Circuit];

    /// The name in commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            SboxForm::Table => "table",
            SboxForm::Circuit => "circuit",
        }
    }
}

/// The function of an S-box module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The S-box.
    Forward,
    /// Its inverse.
    Inverse,
    /// Both, selected by an input.
    Both,
}

impl Kind {
    /// The name of the module.
    pub fn module(self) -> &'static str {
        match self {
            Kind::Forward => "aes_sbox",
            Kind::Inverse => "aes_isbox",
            Kind::Both => "aes_both",
        }
    }
}

/// The module with ports `in` and `out`, and `inverse` if it computes both.
pub fn module(kind: Kind, form: SboxForm) -> String {
    let question = if kind == Kind::Both { "input inverse, " } else { "" };
    let register = if form == SboxForm::Table { "reg " } else { "" };
    let mut text =
        format!("module {}({question}input [7:0] in, output {register}[7:0] out);\n", kind.module());
    match form {
        SboxForm::Table => table(kind, &mut text),
        SboxForm::Circuit => match kind {
            Kind::Forward | Kind::Inverse => {
                let circuit = &CIRCUITS[0];
                let circuit = if kind == Kind::Forward { circuit.sbox } else { circuit.inverse };
                gates("in", "through", circuit, &mut text);
                text.push_str("  assign out = through;\n");
            }
            Kind::Both => both(&mut text),
        },
    }
    text.push_str("endmodule\n\n");
    text
}

fn table(kind: Kind, text: &mut String) {
    let (question, width) = if kind == Kind::Both { ("{inverse, in}", 9) } else { ("in", 8) };
    let _ = writeln!(text, "  always @* case ({question})");
    let entries = match kind {
        Kind::Forward => SBOX.to_vec(),
        Kind::Inverse => INV_SBOX.to_vec(),
        Kind::Both => [SBOX, INV_SBOX].concat(),
    };
    for (x, y) in entries.iter().enumerate() {
        let _ = writeln!(text, "    {width}'h{x:02x}: out = 8'h{y:02x};");
    }
    text.push_str("  endcase\n");
}

/// The factor `c`, found among all elements of GF(2^8) and their repeated squares: with it [`undone`] takes the fewest
/// XORs, 8 instead of 12 for `c = 1`.
const SCALE: u8 = 0xf1;

/// The map `L`: `c` times the inverse of the S-box's linear map (FIPS-197, 5.1.1). With `S(x) = A(1 / x) + 63` and
/// `1 / (c x) = 1 / c * 1 / x`, the inverse S-box of `y` is `L(S(L(y + 63)) + 63)`.
fn undone(y: u8) -> u8 {
    gf_mul(SCALE, y.rotate_left(1) ^ y.rotate_left(3) ^ y.rotate_left(6))
}

/// Prints both S-boxes in one: the circuit of the S-box, with [`undone`] before and after it for the inverse.
fn both(text: &mut String) {
    maybe_undone("in", "entering", text);
    gates("entering", "through", CIRCUITS[0].sbox, text);
    maybe_undone("through", "leaving", text);
    text.push_str("  assign out = leaving;\n");
}

/// Prints the wires `to`: for the inverse the image under [`undone`] of the wires `from` plus 63, otherwise the wires
/// `from`.
fn maybe_undone(from: &str, to: &str, text: &mut String) {
    let row = |to: usize| (0..8).filter(|from| undone(1 << from) >> to & 1 == 1).collect();
    let found = sums(8, &(0..8).map(row).collect::<Vec<_>>());
    let mut names: Vec<String> = (0..8).map(|bit| format!("{from}[{bit}]")).collect();
    for (k, [a, b]) in found.gates.iter().enumerate() {
        let _ = writeln!(text, "  wire {to}{k} = {} ^ {};", names[*a], names[*b]);
        names.push(format!("{to}{k}"));
    }
    let bit = |to: usize| {
        let name = found.outputs[to].map_or("1'b0", |wire| &names[wire]);
        format!("{}{name}", if undone(0x63) >> to & 1 == 1 { "~" } else { "" })
    };
    let bits: Vec<String> = (0..8).rev().map(bit).collect();
    let _ = writeln!(text, "  wire [7:0] {to} = inverse ? {{{}}} : {from};", bits.join(", "));
}

/// Prints gates in the notation of [`aesmith_dataflow::circuits`], from wires `from` to wires `to`; bit 0 of a circuit
/// is the highest of the byte.
fn gates(from: &str, to: &str, circuit: &str, text: &mut String) {
    for i in 0..8 {
        let _ = writeln!(text, "  wire u{i} = {from}[{}];", 7 - i);
    }
    for gate in circuit.split_whitespace() {
        let Some((result, of)) = gate.split_once('=') else { continue };
        let of = match of.split_once('#') {
            Some((a, b)) => format!("~({a} ^ {b})"),
            None => of.replace('^', " ^ ").replace('&', " & "),
        };
        let _ = writeln!(text, "  wire {result} = {of};");
    }
    let _ = writeln!(text, "  wire [7:0] {to} = {{s0, s1, s2, s3, s4, s5, s6, s7}};");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_the_s_box_between_two_linear_maps() {
        for y in 0..=255u8 {
            let through = SBOX[usize::from(undone(y ^ 0x63))];
            assert_eq!(undone(through ^ 0x63), INV_SBOX[usize::from(y)], "of {y:#x}");
        }
    }
}
