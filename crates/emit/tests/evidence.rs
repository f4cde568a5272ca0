//! Kernels of every family are assembled by GNU as, read back and proved; modified objects are refused, with the
//! reason.

use crate::assembled::{assembler, object};
use aesmith_cipher::Problem;
use aesmith_emit::evidence::{Evidence, differences, evidence};
use aesmith_emit::gnu::assembly;
use aesmith_emit::objects::sections::{FoundSections, contents};
use aesmith_emit::symbol_of_blocks;
use aesmith_processor::bits_certificate::{BitsCertificate, proved};
use aesmith_processor::core::Core;
use aesmith_processor::cost::{BuiltKernel, sha256};
use aesmith_processor::timing::class;
use aesmith_processor::trial::{is_soak, of_last_values};
use aesmith_tune::evaluate::confirm::{Examiner, certify};

fn core(name: &str) -> &'static Core {
    aesmith_processors::core(name).unwrap()
}

fn built(core: &Core, problem: Problem, last: bool) -> Option<BuiltKernel> {
    let kernel = if last { of_last_values(core, problem) } else { (core.build)(&core.table.plain(problem)) };
    Some(BuiltKernel::new(core, kernel.ok()?).unwrap())
}

/// Returns the assembly of a kernel, under its name in packages; a kernel without proof is not emitted.
fn text(core: &Core, made: &BuiltKernel) -> Option<(String, String)> {
    let proof = proved(core, made).inspect_err(|why| println!("{}: {why}", made.kernel.variant)).ok()?;
    let vt = if class(core, &proof) == "VT" { "_vt" } else { "" };
    let symbol = symbol_of_blocks(made.kernel.contract.problem) + vt;
    Some((assembly::code(core, &core.gnu(), &made.kernel, &symbol), symbol))
}

fn read(object: &[u8], symbol: &str) -> FoundSections {
    let all = contents(object).unwrap_or_else(|e| panic!("{symbol}: {e}"));
    all.functions.into_iter().find(|f| f.symbol == symbol).unwrap()
}

/// Returns the reason why a text in place of a kernel's own is refused.
fn refused(core: &'static Core, text: &str, symbol: &str) -> Option<String> {
    let object = object(core, text)?;
    let found = match contents(&object) {
        Err(why) => return Some(why.to_string()),
        Ok(all) => all.functions.into_iter().find(|f| f.symbol == symbol),
    };
    let Some(found) = found else { return Some("it is not there".into()) };
    Some(evidence(core, &found, None).and_then(|e| e.proof.map(|_| ())).expect_err("it is refused"))
}

/// A processor of each instruction set, with the tested problems.
const EVERY: &[(&str, &[&str])] = &[
    ("avr", &["aes128-ecb", "aes128-ctr", "aes192-key", "aes256-cbc-dec"]),
    ("cortex-m0", &["aes128-ecb", "aes128-ctr", "aes128-key-dec"]),
    ("cortex-m3", &["aes128-ecb", "aes128-ecb-dec", "aes128-ctr", "aes256-key"]),
    ("arm7tdmi", &["aes128-ecb", "aes128-ecb-dec", "aes128-cbc", "aes192-key"]),
    ("rv32imc", &["aes128-ecb", "aes128-ctr", "aes256-key-dec"]),
    ("picorv32", &["aes128-ecb", "aes128-cbc-dec"]),
    ("rv32-zkn", &["aes128-ecb"]),
    ("microblaze-5", &["aes128-ecb", "aes128-ctr", "aes128-key"]),
    ("ppc7410", &["aes128-ecb", "aes128-ctr", "aes128-key"]),
    ("ultrasparc3", &["aes128-ecb", "aes128-ctr", "aes128-key"]),
    ("spu", &["aes128-ecb-dec", "aes128-key"]),
    ("pentium4", &["aes128-ecb", "aes128-ctr", "aes128-key-dec"]),
];

#[test]
fn kernels_of_every_family_are_proved_from_objects() {
    let mut proofs = 0;
    for (name, problems) in EVERY {
        let core = core(name);
        for problem in *problems {
            for last in [false, true] {
                // The last technique is often bit slicing, and its proof of counter mode takes ten seconds.
                if last && *problem == "aes128-ctr" && !is_soak() {
                    continue;
                }
                let Some(made) = built(core, problem.parse().unwrap(), last) else { continue };
                let Some((text, symbol)) = text(core, &made) else { continue };
                let Some(object) = object(core, &text) else { continue };
                let found = read(&object, &symbol);
                let evidence =
                    evidence(core, &found, None).unwrap_or_else(|e| panic!("{name} {problem}: {e}"));
                let proof = evidence.proof.unwrap_or_else(|e| panic!("{}: {e}", made.kernel.variant)).proof;
                assert_eq!(proof.packing, made.kernel.contract.packing.name(), "{}", made.kernel.variant);
                assert_eq!(evidence.bytes, made.kernel.flash((core.isa)()), "{}", made.kernel.variant);
                // A certificate is of the program that our assembler makes, wherever that has its tables.
                let machine = aesmith_processors::linking(core.linking.head.number).unwrap();
                let found = found.code.as_ref().unwrap();
                let programs = machine.layouts.iter().map(|&layout| {
                    let image = found.image((core.isa)(), &found.own(layout)).unwrap();
                    sha256(&image)
                });
                assert!(programs.into_iter().any(|sha| sha == made.sha256), "{}", made.kernel.variant);
                proofs += 1;
            }
        }
    }
    // The plain variant of each problem can be proved.
    assert!(proofs == 0 || proofs >= EVERY[0].1.len(), "{proofs} of all kernels are proved");
}

/// Linkers place a section at multiples of its alignment, and no instruction can be in between.
#[test]
fn code_is_aligned_to_its_instructions() {
    for name in FAMILIES {
        let Some((core, _, text, symbol)) = attacked(name) else { continue };
        let found = read(&object(core, &text).unwrap(), &symbol);
        let mut loose = found.clone();
        loose.code.as_mut().unwrap().pieces[0].alignment = 1;
        let again = evidence(core, &loose, None).and_then(|e| e.proof.map(|_| ()));
        // Linkers refuse calls to odd addresses on AVR, and on i386 any byte can begin an instruction.
        match name {
            "avr" | "pentium4" => assert_eq!(again, Ok(()), "{name}"),
            _ => assert!(again.unwrap_err().contains("is aligned to 1"), "{name}"),
        }
    }
}

/// A file's flags tell which of several processors and which calling convention it is made for.
#[test]
fn flags_of_other_processors_are_refused() {
    for (name, at, flags, what) in [("avr", 0x24, 100, "avrtiny"), ("picorv32", 0x24, 8, "RV32E")] {
        let Some((core, _, text, symbol)) = attacked(name) else { continue };
        let mut file = object(core, &text).unwrap();
        assert!(contents(&file).is_ok());
        file[at] = flags;
        let said = contents(&file).map(|_| ()).unwrap_err().to_string();
        assert!(said.contains(what), "{symbol}: {said}");
    }
}

/// Returns a kernel to be attacked, with the name of its function.
fn attacked(name: &str) -> Option<(&'static Core, BuiltKernel, String, String)> {
    let core = core(name);
    assembler(core)?;
    let made = built(core, "aes128-ecb".parse().unwrap(), false).unwrap();
    let (text, symbol) = text(core, &made)?;
    Some((core, made, text, symbol))
}

/// Writes an archive as GNU's `ar` does, without an index.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let header =
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, data.len());
        all.extend([header.as_bytes(), data].concat());
        all.resize(all.len().next_multiple_of(2), b'\n');
    }
    all
}

/// A call from another object finds the global function of a name, whatever local ones there are.
#[test]
fn a_local_function_of_another_member_takes_no_name() {
    for name in FAMILIES {
        let Some((core, _, text, symbol)) = attacked(name) else { continue };
        let good = object(core, &text).unwrap();
        let [local, weak] = ["local", "weak"].map(|binding| {
            let line = format!("    .global {symbol}\n");
            let changed = text.replace(&line, &format!("    .{binding} {symbol}\n"));
            assert_ne!(changed, text, "{name}");
            object(core, &changed).unwrap()
        });
        let of = |other: &[u8]| {
            let all = contents(&archive(&[("good.o", &good), ("other.o", other)])).unwrap();
            let [member, beside] = ["good.o", "other.o"].map(|member| {
                all.functions
                    .iter()
                    .find(|f| f.symbol == symbol && f.member.as_deref() == Some(member))
                    .cloned()
            });
            (
                member.unwrap().code,
                beside.is_some(),
                all.others.contains(&format!("{symbol} (local to other.o)")),
            )
        };
        assert!(matches!(of(&local), (Ok(_), false, true)), "{name}");
        let (found, listed, _) = of(&weak);
        assert!(found.unwrap_err().to_string().contains("stands for two functions") && listed, "{name}");
        // A local function by itself is visible to no other object.
        let alone = read(&local, &symbol).code.unwrap_err();
        assert!(alone.to_string().contains("is local"), "{name}: {alone}");
    }
}

const FAMILIES: [&str; 8] =
    ["avr", "cortex-m3", "arm7tdmi", "picorv32", "microblaze-5", "ppc7410", "ultrasparc3", "pentium4"];

#[test]
fn an_instruction_or_a_byte_of_a_table_that_differs_is_refused() {
    for name in FAMILIES {
        let Some((core, _, text, symbol)) = attacked(name) else { continue };
        let object = object(core, &text).unwrap();
        let found = read(&object, &symbol);
        let code = found.code.clone().unwrap();
        let proof = evidence(core, &found, None).unwrap().proof.unwrap().proof;
        for piece in 0..code.pieces.len() {
            let mut other = code.clone();
            // The middle is a round, or table entries, of which not all are ever looked up.
            let middle = (code.pieces[piece].bytes.len() / 2) & !3;
            other.pieces[piece].bytes[middle..middle + 4].iter_mut().for_each(|byte| *byte ^= 1);
            let changed = FoundSections { code: Ok(other), ..found.clone() };
            let again = evidence(core, &changed, None).and_then(|e| e.proof);
            let what = &proof.problem;
            assert!(again.is_err(), "{name}: piece {piece} differs at {middle:#x} and is proved: {what}");
        }
    }
}

#[test]
fn symbols_sections_and_relocations_that_linkers_would_change_are_refused() {
    for name in FAMILIES {
        let Some((core, _, text, symbol)) = attacked(name) else { continue };
        let (global, size) = (format!("    .global {symbol}"), format!("\n    .size {symbol}, .-{symbol}"));
        let plain = format!(".text.{symbol}, \"ax\"");
        for (wanted, changed, why) in [
            (&*symbol, text.replace(&global, &format!("    .weak {symbol}")), "is weak"),
            ("aesmith_aes128_decrypt", text.replace(&symbol, "aesmith_aes128_decrypt"), "form of the key"),
            (&*symbol, text.replace(&symbol, "another"), "not there"),
            (&*symbol, text.replace(&size, ""), "has no size"),
            (&*symbol, text.replace(&plain, &plain.replace("ax", "awx")), "may be written"),
            (&*symbol, text.replace(&format!(".section .text.{symbol}"), ".section .init"), "only `.text`"),
            (&*symbol, format!("{text}    .section .text.{symbol}\n    .long unknown\n"), "relocation"),
        ] {
            if changed == text {
                continue;
            }
            let said = refused(core, &changed, wanted).unwrap();
            // A word with another target is refused for its kind, or for the symbol that it names.
            let also = why == "relocation" && said.contains("not in this object");
            assert!(said.contains(why) || also, "{name}, {why}: {said}");
        }
        // The control: data elsewhere in the file does no harm.
        let elsewhere = "    .section .text.elsewhere, \"ax\"\n    .global other\nother:\n    .long other\n";
        let found = read(&object(core, &format!("{text}{elsewhere}")).unwrap(), &symbol);
        assert!(evidence(core, &found, None).unwrap().proof.is_ok(), "{name}");
    }
}

#[test]
fn another_machine_and_another_state_are_refused() {
    let Some((m3, _, text, symbol)) = attacked("cortex-m3") else { return };
    let found = read(&object(m3, &text).unwrap(), &symbol);
    let why = |name: &str| evidence(core(name), &found, None).unwrap_err();
    assert!(why("avr").contains("for 32-bit ARM, and avr is not"), "{}", why("avr"));
    assert!(why("arm7tdmi").contains("Thumb code, and arm7tdmi runs ARM code"), "{}", why("arm7tdmi"));
}

/// Tables with a lower alignment than the code relies on.
#[test]
fn an_alignment_that_linkers_need_not_keep_is_refused() {
    let Some((avr, _, text, symbol)) = attacked("avr") else { return };
    let changed = text.replace("    .balign 256\n", "    .balign 4\n");
    assert_ne!(changed, text);
    let why = refused(avr, &changed, &symbol).unwrap();
    assert!(why.contains("is not the table that its name says"), "{why}");
    // A group's name also contains its alignment.
    let renamed = changed.replace("aesmith_table_256_", "aesmith_table_4_");
    let why = refused(avr, &renamed, &symbol).unwrap();
    assert!(why.contains("a linker chooses"), "{why}");
}

#[test]
fn certificates_of_the_kernel_agree_and_others_do_not() {
    let Some((avr, made, text, symbol)) = attacked("avr") else { return };
    let certificate = |made: &BuiltKernel| -> BitsCertificate {
        let (cost, _) = made.cost(avr).unwrap();
        certify(avr, &mut Examiner::brief(avr), made, cost).unwrap()
    };
    let own = certificate(&made);
    let found = read(&object(avr, &text).unwrap(), &symbol);
    let with = |said: &BitsCertificate| -> (Evidence, Vec<String>) {
        let evidence = evidence(avr, &found, Some(said)).unwrap();
        let differs = differences(avr, said, &evidence);
        (evidence, differs)
    };
    let (evidence, differs) = with(&own);
    assert!(evidence.proof.is_ok());
    assert_eq!(differs, Vec::<String>::new());
    let other = certificate(&built(avr, "aes128-ecb".parse().unwrap(), true).unwrap());
    assert!(with(&other).1.iter().any(|d| d.starts_with("`sha256`")));
    let mut less = own.clone();
    less.proof.stack_bytes -= 1;
    assert!(with(&less).1.iter().any(|d| d.starts_with("`proof.stack_bytes`")));
    let mut claims = own.clone();
    claims.constant_time = "proved".into();
    assert!(with(&claims).1.iter().any(|d| d.starts_with("`constant_time`")));
}
