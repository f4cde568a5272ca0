//! A test of gate equivalents: a unit as it was published, and its published area.

use std::process::Command;

use aesmith_extension::area::measure;
use aesmith_extension::verilog::SboxForm;
use aesmith_extension::verilog::sbox::{Kind, module};

/// The unit of V3 as Marshall et al. draw it (TCHES 2021(1), section 4): S-box and inverse S-box side by side, products
/// with constants as sums of doublings, a rotation with one-hot selection. The unit of aesmith has another structure
/// and is smaller.
const AS_PUBLISHED: &str = "
module v3(input dec, input mix, input [1:0] bs, input [31:0] rs1, input [31:0] rs2, output [31:0] rd);
  wire [7:0] x = rs2 >> {bs, 3'b000};
  wire [7:0] forward, inverse;
  aes_sbox there(.in(x), .out(forward));
  aes_isbox back(.in(x), .out(inverse));
  wire [7:0] s = dec ? inverse : forward;
  wire [7:0] two = {s[6:0], 1'b0} ^ (s[7] ? 8'h1b : 8'h00);
  wire [7:0] four = {two[6:0], 1'b0} ^ (two[7] ? 8'h1b : 8'h00);
  wire [7:0] eight = {four[6:0], 1'b0} ^ (four[7] ? 8'h1b : 8'h00);
  wire [7:0] m0 = dec ? eight ^ four ^ two : two;
  wire [7:0] m1 = dec ? eight ^ s : s;
  wire [7:0] m2 = dec ? eight ^ four ^ s : s;
  wire [7:0] m3 = dec ? eight ^ two ^ s : two ^ s;
  wire [31:0] word = mix ? {m3, m2, m1, m0} : {24'd0, s};
  wire [31:0] turned = {32{bs == 2'd0}} & word
    | {32{bs == 2'd1}} & {word[23:0], word[31:24]}
    | {32{bs == 2'd2}} & {word[15:0], word[31:16]}
    | {32{bs == 2'd3}} & {word[7:0], word[31:8]};
  assign rd = rs1 ^ turned;
endmodule
";

#[test]
fn a_published_unit_has_its_published_area() {
    if Command::new("yosys").arg("-V").output().is_err() {
        println!("skipped: yosys is not installed (package yosys)");
        return;
    }
    let boxes = [Kind::Forward, Kind::Inverse].map(|kind| module(kind, SboxForm::Circuit)).concat();
    let area = measure(&(boxes + AS_PUBLISHED), "v3").expect("is synthesized");
    println!("{area:?}");
    // The published area is 1,149 gate equivalents (the same paper, V3).
    assert!((area.gate_equivalents / 1149.0 - 1.0).abs() < 0.05, "{area:?}");
}
