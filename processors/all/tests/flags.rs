//! Flags that rows write: a secret may stay in a flag that a table forgets. The lists are by hand, from the manuals.

use std::collections::BTreeSet;

/// Processor, rows, and the flags that each of these writes.
const WRITTEN: [(&str, &str, &str); 29] = [
    // AVR Instruction Set Manual (DS40002198).
    ("avr", "add adc sub sbc cp cpc subi sbci cpi neg", "cf zf nf vf sf hf"),
    ("avr", "com asr lsr ror adiw sbiw", "cf zf nf vf sf"),
    ("avr", "and eor or andi ori inc dec", "zf nf vf sf"),
    ("avr", "mul muls mulsu", "cf zf"),
    ("avr", "bst", "tf"),
    ("avr", "out_sreg", "cf zf nf vf sf hf tf ief"),
    // Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; it leaves some of them undefined.
    ("pentium4", "add adc sub sbb cmp neg shl_1 shr_n sar_cl imul", "cf pf af zf sf of"),
    ("pentium4", "add_m_n8_base0 cmp_eax sub_r_at imul_r_index8", "cf pf af zf sf of"),
    ("pentium4", "and or xor test xor_n8 test_m_base8", "cf pf af zf sf of"),
    ("pentium4", "inc dec inc_m_base0", "pf af zf sf of"),
    ("pentium4", "rol_1 ror_n", "cf of"),
    ("pentium4", "not mov bswap lea_base8 movzbl_l", ""),
    // ARMv6-M and ARMv7-M Architecture Reference Manuals (DDI 0419, A6.7, and DDI 0403, A7.7).
    ("cortex-m0", "adds_reg subs_imm8 cmp_reg adcs_reg rsbs_zero", "N Z C V"),
    (
        "cortex-m4",
        "adds_reg subs_imm8 cmp_imm cmn_reg adcs_reg rsbs_zero adds.imm sbcs.reg cmp.lsl",
        "N Z C V",
    ),
    ("cortex-m4", "lsls_imm asrs_imm lsrs_reg rors_reg ands.lsl tst.imm movs.ror lsls.by", "N Z C"),
    ("cortex-m4", "movs_reg movs_imm ands_reg eors_reg muls_reg bics_reg tst_reg", "N Z"),
    ("cortex-m4", "ssat.lsl usat.asr ssat16 usat16 smlabb smlatt", "Q"),
    ("cortex-m4", "uadd8 usub8", "ge"),
    ("cortex-m4", "smulbb mla umull sel uxtb.ror", ""),
    // ARM Architecture Reference Manual (DDI 0100), A4.1.
    ("arm7tdmi", "adds subs_i rsbs adcs cmp cmn_i umulls smlals msr", "n z c v"),
    ("arm7tdmi", "ands_lsl movs_ror tst_asr_r bics_i muls mlas", "n z c"),
    ("arm7tdmi", "ands eors movs", "n z"),
    // MicroBlaze Processor Reference Guide (UG984).
    ("microblaze-5", "add addc rsub rsubic addi_long sra src srl", "carry"),
    ("microblaze-5", "addk rsubkc or mul", ""),
    // PowerPC Microprocessor Family: The Programming Environments for 32-Bit Microprocessors.
    ("ppc7410", "addc adde addze addme subfc subfe sraw srawi", "ca"),
    ("ppc7410", "add. mullw. and. extsb.", "cr0"),
    ("ppc7410", "addc. subfze. srawi.", "ca cr0"),
    ("ppc7410", "add subf neg mullw and slw", ""),
    // The SPARC Architecture Manual, version 9, A.
    ("ultrasparc3", "addcc subcc andcc xnorcc subccc", "icc_n icc_z icc_v icc_c xcc_n xcc_z xcc_v xcc_c"),
];

#[test]
fn rows_write_every_flag_of_the_manuals() {
    for (processor, rows, flags) in WRITTEN {
        let isa = (aesmith_processors::core(processor).unwrap().isa)();
        let wanted: BTreeSet<&str> = flags.split_whitespace().collect();
        for name in rows.split(' ') {
            let row = isa.rows.iter().find(|row| row.name == name);
            let row = row.unwrap_or_else(|| panic!("{processor} has no row {name}"));
            let written = row.effects.writes.iter().map(|&r| isa.about.registers[usize::from(r)]);
            // Wider ones hold numbers.
            let written: BTreeSet<&str> =
                written.filter(|(_, width)| *width <= 4).map(|(name, _)| name).collect();
            assert_eq!(written, wanted, "{processor}: {name}");
        }
    }
}
