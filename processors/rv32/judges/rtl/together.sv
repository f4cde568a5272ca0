// A core and a unit as one netlist.
module top(input logic clk, input logic reset, output logic retired, output logic [31:0] pc,
           output logic trapped);
  logic [127:0] request;
  logic [63:0] response;
  `TOP ported(.clk(clk), .reset(reset), .request(request), .response(response), .retired(retired),
              .pc(pc), .trapped(trapped));
  unit attached(.clk(clk), .reset(reset), .request(request), .response(response));
endmodule
