//! The timing tables against GCC's descriptions of the same processors.

use aesmith_isa::Insn;
use aesmith_judge::outside::gcc::{Line, Scheduled, held};
use aesmith_judge::outside::need;

use super::cycles::{MPC7410, MPC7450};
use super::judge::binutils;
use super::table::isa;

fn asked(cpu: &str) -> Result<Scheduled, String> {
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
        let blocks = match asked(cpu) {
            Ok(asked) => asked.blocks(isa()).expect("what GCC writes is read"),
            Err(why) => return println!("skipped: {why}"),
        };
        let (count, differ) = held(isa(), timing, &blocks, caution);
        println!("{cpu}: {count} instructions, {} differ:", differ.len());
        for (what, why) in &differ {
            println!("    {what}: {}", why.unwrap_or("and nobody knows why"));
        }
        assert!(count >= 100, "{cpu}: {count} instructions");
        assert!(differ.iter().all(|(_, why)| why.is_some()), "{cpu}: {differ:?}");
    }
}
