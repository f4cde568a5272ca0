// VexRiscv as LiteX generates its variant "full+cfu": five stages with all bypasses, barrel shifter,
// static branch prediction, 4 KiB direct-mapped caches of instructions and data with lines of 32
// bytes (write-through). The buses answer in the cycle of the request.
module top(input logic clk, input logic reset, output logic retired, output logic [31:0] pc,
           output logic trapped);
  import "DPI-C" function int memory_read(input int address, input bit instruction);
  import "DPI-C" function void memory_write(input int address, input int word, input int bytes);

  logic i_cyc, i_stb, d_cyc, d_stb, d_we;
  logic [29:0] i_adr, d_adr;
  logic [31:0] i_data, d_data, d_write;
  logic [3:0] d_sel;

  always_comb begin
    i_data = 0;
    if (i_cyc && i_stb && !reset) i_data = memory_read({i_adr, 2'b0}, 1);
  end
  always_comb begin
    d_data = 0;
    if (d_cyc && d_stb && !d_we && !reset) d_data = memory_read({d_adr, 2'b0}, 0);
  end
  always @(posedge clk)
    if (d_cyc && d_stb && d_we && !reset) memory_write({d_adr, 2'b0}, d_write, {28'b0, d_sel});

  assign retired = core.lastStageIsFiring;
  assign pc = core.lastStagePc;
  assign trapped = core.CsrPlugin_hadException;

  VexRiscv core (
    .externalResetVector(32'h000f_0080),
    .timerInterrupt(1'b0), .softwareInterrupt(1'b0), .externalInterruptArray(32'b0),
    // A custom function unit would be attached here.
    .CfuPlugin_bus_cmd_ready(1'b1), .CfuPlugin_bus_rsp_valid(1'b0),
    .CfuPlugin_bus_rsp_payload_outputs_0(32'b0),
    .iBusWishbone_CYC(i_cyc), .iBusWishbone_STB(i_stb), .iBusWishbone_ACK(i_cyc && i_stb),
    .iBusWishbone_ADR(i_adr), .iBusWishbone_DAT_MISO(i_data), .iBusWishbone_ERR(1'b0),
    .dBusWishbone_CYC(d_cyc), .dBusWishbone_STB(d_stb), .dBusWishbone_ACK(d_cyc && d_stb),
    .dBusWishbone_WE(d_we), .dBusWishbone_ADR(d_adr), .dBusWishbone_DAT_MISO(d_data),
    .dBusWishbone_DAT_MOSI(d_write), .dBusWishbone_SEL(d_sel), .dBusWishbone_ERR(1'b0),
    .clk(clk), .reset(reset)
  );
endmodule
