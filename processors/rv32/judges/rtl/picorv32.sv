// PicoRV32 with memory that answers in the cycle of the request (look-ahead interface), a barrel
// shifter, multiplication, division and compressed instructions; all else as the core's defaults.
//
// With PORT the co-processor interface is brought out: `request` is {pcpi_valid, pcpi_insn, pcpi_rs1,
// pcpi_rs2}, `response` {pcpi_wr, pcpi_wait, pcpi_ready, pcpi_rd} (pcpi.sv has the other end).
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

  logic mem_valid, mem_instr, mem_la_read, mem_la_write;
  logic [31:0] mem_addr, mem_wdata, mem_la_addr, mem_la_wdata, mem_rdata;
  logic [3:0] mem_wstrb, mem_la_wstrb;
  logic pcpi_valid, pcpi_wr, pcpi_wait, pcpi_ready;
  logic [31:0] pcpi_insn, pcpi_rs1, pcpi_rs2, pcpi_rd;

`ifdef PORT
  assign request = {31'b0, pcpi_valid, pcpi_insn, pcpi_rs1, pcpi_rs2};
  assign {pcpi_wr, pcpi_wait, pcpi_ready, pcpi_rd} = response[34:0];
  localparam logic ATTACHED = 1;
`else
  assign {pcpi_wr, pcpi_wait, pcpi_ready, pcpi_rd} = 35'b0;
  localparam logic ATTACHED = 0;
`endif

  always @(posedge clk) begin
    if (mem_la_read && !reset) mem_rdata <= memory_read(mem_la_addr, 1);
    if (mem_valid && !reset && mem_wstrb != 0) memory_write(mem_addr, mem_wdata, {28'b0, mem_wstrb});
    if (mem_valid && !reset && mem_wstrb == 0 && !mem_instr) check_read();
  end

  // Look-ahead reads include fetches; those that become data reads are looked at again.
  function void check_read();
    int unused = memory_read(mem_addr, 0);
  endfunction

  picorv32 #(
    .PROGADDR_RESET(32'h000f_0080),
    .BARREL_SHIFTER(1),
    .COMPRESSED_ISA(1),
    .ENABLE_FAST_MUL(1),
    .ENABLE_DIV(1),
    .ENABLE_PCPI(ATTACHED)
  ) core (
    .clk(clk), .resetn(!reset), .trap(trapped),
    .mem_valid(mem_valid), .mem_instr(mem_instr), .mem_ready(1'b1), .mem_addr(mem_addr),
    .mem_wdata(mem_wdata), .mem_wstrb(mem_wstrb), .mem_rdata(mem_rdata),
    .mem_la_read(mem_la_read), .mem_la_write(mem_la_write), .mem_la_addr(mem_la_addr),
    .mem_la_wdata(mem_la_wdata), .mem_la_wstrb(mem_la_wstrb),
    .pcpi_valid(pcpi_valid), .pcpi_insn(pcpi_insn), .pcpi_rs1(pcpi_rs1), .pcpi_rs2(pcpi_rs2),
    .pcpi_wr(pcpi_wr), .pcpi_rd(pcpi_rd), .pcpi_wait(pcpi_wait), .pcpi_ready(pcpi_ready),
    .irq(32'b0), .eoi(),
    .rvfi_valid(retired), .rvfi_pc_rdata(pc),
    .rvfi_order(), .rvfi_insn(), .rvfi_trap(), .rvfi_halt(), .rvfi_intr(), .rvfi_mode(), .rvfi_ixl(),
    .rvfi_rs1_addr(), .rvfi_rs2_addr(), .rvfi_rs1_rdata(), .rvfi_rs2_rdata(), .rvfi_rd_addr(),
    .rvfi_rd_wdata(), .rvfi_pc_wdata(), .rvfi_mem_addr(), .rvfi_mem_rmask(), .rvfi_mem_wmask(),
    .rvfi_mem_rdata(), .rvfi_mem_wdata(), .rvfi_csr_mcycle_rmask(), .rvfi_csr_mcycle_wmask(),
    .rvfi_csr_mcycle_rdata(), .rvfi_csr_mcycle_wdata(), .rvfi_csr_minstret_rmask(),
    .rvfi_csr_minstret_wmask(), .rvfi_csr_minstret_rdata(), .rvfi_csr_minstret_wdata(),
    .trace_valid(), .trace_data()
  );
endmodule
