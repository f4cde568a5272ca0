//! The timing tables against GCC's descriptions of the same processors.

use aesmith_isa::Insn;
use aesmith_judge::outside::gcc::{Line, Scheduled, compare};
use aesmith_judge::outside::need;

use super::cycles::{MPC7410, MPC7450};
use super::judge::binutils;
use super::table::isa;

fn scheduled(cpu: &str) -> Result<Scheduled, String> {
    Ok(Scheduled {
        compiler: need("powerpc-linux-gnu-gcc", "gcc-powerpc-linux-gnu")?,
        options: vec![format!("-mcpu={cpu}"), "-mno-altivec".into()],
        assembler: binutils("as")?,
        assembler_options: vec!["-m7400"],
        comment: '#',
        length: 4,
    })
}

/// The reason why GCC starts an instruction later than units and latencies require, if it does.
fn caution(before: &[Line], insn: &Insn) -> Option<&'static str> {
    let class = |insn: &Insn| isa().of(insn).class.as_str();
    let any = |name: &str| before.iter().any(|(_, _, insn)| class(insn) == name);
    match class(insn) {
        "load" if any("store") => Some("a store before it may be to the same place"),
        "branch" | "return" if any("compare") => Some("GCC keeps a comparison away from its branch"),
        _ => None,
    }
}

#[test]
fn instructions_begin_when_gcc_says() {
    for (cpu, timing) in [("7400", &MPC7410), ("7450", &MPC7450)] {
        compare(isa(), timing, scheduled(cpu), caution);
    }
}
