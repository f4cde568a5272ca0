// VexRiscv as LiteX generates its variant "full+cfu": five stages with all bypasses, barrel shifter,
// static branch prediction, 4 KiB direct-mapped caches of instructions and data with lines of 32
// bytes (write-through). The buses answer in the cycle of the request.
//
// With PORT the bus of custom functions is brought out: `request` is {rsp_ready, cmd_valid,
// function_id, inputs_0, inputs_1}, `response` {cmd_ready, rsp_valid, outputs_0} (cfu.sv has the other
// end). The core takes custom instructions only after bit 31 of CSR 0xbc0 is set.
`ifndef TOP
`define TOP top
`endif
module `TOP(input logic clk, input logic reset,
`ifdef PORT
           output logic [127:0] request, input logic [63:0] response,
`endif
           output logic retired, output logic [31:0] pc, output logic trapped);
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

  logic cmd_valid, cmd_ready, rsp_valid, rsp_ready;
  logic [9:0] function_id;
  logic [31:0] inputs_0, inputs_1, outputs_0;

`ifdef PORT
  assign request = {52'b0, rsp_ready, cmd_valid, function_id, inputs_0, inputs_1};
  assign {cmd_ready, rsp_valid, outputs_0} = response[33:0];
`else
  assign {cmd_ready, rsp_valid, outputs_0} = {1'b1, 1'b0, 32'b0};
`endif

  assign retired = core.lastStageIsFiring;
  assign pc = core.lastStagePc;
  assign trapped = core.CsrPlugin_hadException;

  VexRiscv core (
    .externalResetVector(32'h000f_0080),
    .timerInterrupt(1'b0), .softwareInterrupt(1'b0), .externalInterruptArray(32'b0),
    .CfuPlugin_bus_cmd_valid(cmd_valid), .CfuPlugin_bus_cmd_ready(cmd_ready),
    .CfuPlugin_bus_cmd_payload_function_id(function_id),
    .CfuPlugin_bus_cmd_payload_inputs_0(inputs_0), .CfuPlugin_bus_cmd_payload_inputs_1(inputs_1),
    .CfuPlugin_bus_rsp_valid(rsp_valid), .CfuPlugin_bus_rsp_ready(rsp_ready),
    .CfuPlugin_bus_rsp_payload_outputs_0(outputs_0),
    .iBusWishbone_CYC(i_cyc), .iBusWishbone_STB(i_stb), .iBusWishbone_ACK(i_cyc && i_stb),
    .iBusWishbone_ADR(i_adr), .iBusWishbone_DAT_MISO(i_data), .iBusWishbone_ERR(1'b0),
    .dBusWishbone_CYC(d_cyc), .dBusWishbone_STB(d_stb), .dBusWishbone_ACK(d_cyc && d_stb),
    .dBusWishbone_WE(d_we), .dBusWishbone_ADR(d_adr), .dBusWishbone_DAT_MISO(d_data),
    .dBusWishbone_DAT_MOSI(d_write), .dBusWishbone_SEL(d_sel), .dBusWishbone_ERR(1'b0),
    .clk(clk), .reset(reset)
  );
endmodule
