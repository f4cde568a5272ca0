//! The timing table against GCC's description of the same processor.

use aesmith_isa::Insn;
use aesmith_judge::outside::gcc::{Line, Scheduled, compare};
use aesmith_judge::outside::need;

use super::cycles::ULTRASPARC3;
use super::judge::binutils;
use super::table::isa;

fn scheduled() -> Result<Scheduled, String> {
    Ok(Scheduled {
        compiler: need("sparc64-linux-gnu-gcc", "gcc-sparc64-linux-gnu")?,
        options: ["-mcpu=ultrasparc3", "-mno-fpu", "-mno-vis", "-fno-delayed-branch"]
            .map(str::to_owned)
            .into(),
        assembler: binutils("as")?,
        assembler_options: vec!["-Av9a"],
        comment: '!',
        length: 1,
    })
}

/// The reason why GCC starts an instruction later than units and latencies require, if it does.
fn caution(before: &[Line], insn: &Insn) -> Option<&'static str> {
    let class = |insn: &Insn| isa().of(insn).class.as_str();
    let any = |name: &str| before.iter().any(|(_, _, insn)| class(insn) == name);
    let operand = |insn: &Insn, name: &str| isa().operand(insn, name);
    // The pointer of a loop, which GCC advances before the loads that it adjusts for that.
    let moved = |of: &Insn| {
        let base = operand(insn, "rs1");
        isa().of(of).name == "add_i" && operand(of, "rd") == base && operand(of, "rs1") == base
    };
    match class(insn) {
        "load" | "load late" if any("store") => Some("a store before it may be to the same place"),
        "load" if before.iter().any(|(_, _, of)| moved(of)) => {
            Some("GCC has moved a sum of addresses before it, and changed its offset")
        }
        _ if any("multiply") => {
            Some("products keep the processor busy for 6 to 9 cycles, which GCC spreads otherwise")
        }
        _ => None,
    }
}

#[test]
fn instructions_begin_when_gcc_says() {
    compare(isa(), &ULTRASPARC3, scheduled(), caution);
}
