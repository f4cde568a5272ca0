// Ibex with memories that grant a request at once and answer in the next cycle, without instruction
// cache and branch predictor, single-cycle multiplier. With the macro WRITEBACK: the write-back stage
// and the branch-target ALU; without: the two-stage core.
`ifdef WRITEBACK
`define THIRD_STAGE 1'b1
`else
`define THIRD_STAGE 1'b0
`endif

module top(input logic clk, input logic reset, output logic retired, output logic [31:0] pc,
           output logic trapped);
  import "DPI-C" function int memory_read(input int address, input bit instruction);
  import "DPI-C" function void memory_write(input int address, input int word, input int bytes);

  logic instr_req, instr_rvalid, data_req, data_rvalid, data_we, trap;
  logic [31:0] instr_addr, instr_rdata, data_addr, data_wdata, data_rdata;
  logic [3:0] data_be;
  logic rf_we;
  logic [4:0] rf_raddr_a, rf_raddr_b, rf_waddr;
  logic [31:0] rf_wdata, rf_rdata_a, rf_rdata_b;

  always @(posedge clk) begin
    instr_rvalid <= instr_req && !reset;
    data_rvalid <= data_req && !reset;
    if (instr_req && !reset) instr_rdata <= memory_read(instr_addr, 1);
    if (data_req && !reset) begin
      if (data_we) memory_write(data_addr, data_wdata, {28'b0, data_be});
      else data_rdata <= memory_read(data_addr, 0);
    end
  end

  assign trapped = retired && trap;

  ibex_core #(
    .RV32M(ibex_pkg::RV32MSingleCycle),
    .BranchTargetALU(`THIRD_STAGE),
    .WritebackStage(`THIRD_STAGE)
  ) core (
    .clk_i(clk), .rst_ni(!reset),
    .hart_id_i(32'b0), .boot_addr_i(32'h000f_0000),
    .instr_req_o(instr_req), .instr_gnt_i(instr_req), .instr_rvalid_i(instr_rvalid),
    .instr_addr_o(instr_addr), .instr_rdata_i(instr_rdata), .instr_err_i(1'b0),
    .data_req_o(data_req), .data_gnt_i(data_req), .data_rvalid_i(data_rvalid), .data_we_o(data_we),
    .data_be_o(data_be), .data_addr_o(data_addr), .data_wdata_o(data_wdata),
    .data_rdata_i(data_rdata), .data_err_i(1'b0),
    .rf_raddr_a_o(rf_raddr_a), .rf_raddr_b_o(rf_raddr_b), .rf_waddr_wb_o(rf_waddr),
    .rf_we_wb_o(rf_we), .rf_wdata_wb_ecc_o(rf_wdata), .rf_rdata_a_ecc_i(rf_rdata_a),
    .rf_rdata_b_ecc_i(rf_rdata_b),
    .ic_tag_rdata_i('{default: '0}), .ic_data_rdata_i('{default: '0}), .ic_scr_key_valid_i(1'b0),
    .irq_software_i(1'b0), .irq_timer_i(1'b0), .irq_external_i(1'b0), .irq_fast_i(15'b0),
    .irq_nm_i(1'b0), .debug_req_i(1'b0),
    .rvfi_valid(retired), .rvfi_pc_rdata(pc), .rvfi_trap(trap),
    .fetch_enable_i(ibex_pkg::IbexMuBiOn)
  );

  ibex_register_file_ff registers (
    .clk_i(clk), .rst_ni(!reset), .test_en_i(1'b0), .dummy_instr_id_i(1'b0), .dummy_instr_wb_i(1'b0),
    .raddr_a_i(rf_raddr_a), .rdata_a_o(rf_rdata_a), .raddr_b_i(rf_raddr_b), .rdata_b_o(rf_rdata_b),
    .waddr_a_i(rf_waddr), .wdata_a_i(rf_wdata), .we_a_i(rf_we), .err_o()
  );
endmodule
