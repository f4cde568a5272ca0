//! The S-box and its inverse as Verilog: a table, or a circuit of gates over a tower of fields.

use std::fmt::Write;

use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_dataflow::circuits::CIRCUITS;

/// How the S-box is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SboxForm {
    /// 256 entries, left to the synthesis tool.
    Table,
    /// A circuit: Boyar, Peralta and Çalık's of the S-box or its inverse, our own of both in one.
    Circuit,
}

impl SboxForm {
    /// Both.
    pub const ALL: [SboxForm; 2] = [SboxForm::Table, SboxForm::Circuit];

    /// Its name in commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            SboxForm::Table => "table",
            SboxForm::Circuit => "circuit",
        }
    }
}

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The S-box.
    Forward,
    /// Its inverse.
    Inverse,
    /// The one or the other, as is asked.
    Both,
}

impl Kind {
    /// The module's name.
    pub fn module(self) -> &'static str {
        match self {
            Kind::Forward => "aes_sbox",
            Kind::Inverse => "aes_isbox",
            Kind::Both => "aes_both",
        }
    }
}

/// The module with ports `in` and `out`, and `inverse` if it is both.
pub fn module(kind: Kind, form: SboxForm) -> String {
    let question = if kind == Kind::Both { "input inverse, " } else { "" };
    let register = if form == SboxForm::Table { "reg " } else { "" };
    let mut text =
        format!("module {}({question}input [7:0] in, output {register}[7:0] out);\n", kind.module());
    match form {
        SboxForm::Table => table(kind, &mut text),
        SboxForm::Circuit => match kind {
            Kind::Forward => gates("", CIRCUITS[0].sbox, &mut text),
            Kind::Inverse => gates("", CIRCUITS[0].inverse, &mut text),
            Kind::Both => {
                gates("f_", CIRCUITS[0].sbox, &mut text);
                gates("i_", CIRCUITS[0].inverse, &mut text);
                text.push_str("  assign out = inverse ? i_out : f_out;\n");
            }
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

/// Gates as [`aesmith_dataflow::circuits`] writes them; bit 0 of a circuit is the highest of the byte.
fn gates(prefix: &str, circuit: &str, text: &mut String) {
    for i in 0..8 {
        let _ = writeln!(text, "  wire {prefix}u{i} = in[{}];", 7 - i);
    }
    for gate in circuit.split_whitespace() {
        let Some((to, of)) = gate.split_once('=') else { continue };
        let named = |(a, b): (&str, &str), sign: &str| format!("{prefix}{a} {sign} {prefix}{b}");
        let of = if let Some(pair) = of.split_once('#') {
            format!("~({})", named(pair, "^"))
        } else if let Some(pair) = of.split_once('^') {
            named(pair, "^")
        } else {
            of.split_once('&').map_or(String::new(), |pair| named(pair, "&"))
        };
        let _ = writeln!(text, "  wire {prefix}{to} = {of};");
    }
    let all: Vec<String> = (0..8).map(|i| format!("{prefix}s{i}")).collect();
    let all = all.join(", ");
    if prefix.is_empty() {
        let _ = writeln!(text, "  assign out = {{{all}}};");
    } else {
        let _ = writeln!(text, "  wire [7:0] {prefix}out = {{{all}}};");
    }
}
