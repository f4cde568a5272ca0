// The other end of VexRiscv's port: the module UNIT, written for its bus of custom functions.
module unit(input logic clk, input logic reset, input logic [127:0] request,
            output logic [63:0] response);
  logic [31:0] outputs;
  logic cmd_ready, rsp_valid;
  `UNIT attached(
    .clk(clk), .reset(reset),
    .cmd_valid(request[74]), .cmd_ready(cmd_ready), .cmd_payload_function_id(request[73:64]),
    .cmd_payload_inputs_0(request[63:32]), .cmd_payload_inputs_1(request[31:0]),
    .rsp_valid(rsp_valid), .rsp_ready(request[75]), .rsp_payload_outputs_0(outputs)
  );
  assign response = {30'b0, cmd_ready, rsp_valid, outputs};
endmodule
