// The other end of PicoRV32's port: the module UNIT, written for its co-processor interface.
module unit(input logic clk, input logic reset, input logic [127:0] request,
            output logic [63:0] response);
  logic [31:0] rd;
  logic wr, waiting, ready;
  `UNIT attached(
    .clk(clk), .resetn(!reset),
    .pcpi_valid(request[96]), .pcpi_insn(request[95:64]), .pcpi_rs1(request[63:32]),
    .pcpi_rs2(request[31:0]),
    .pcpi_wr(wr), .pcpi_rd(rd), .pcpi_wait(waiting), .pcpi_ready(ready)
  );
  assign response = {29'b0, wr, waiting, ready, rd};
endmodule
