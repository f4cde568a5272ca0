//! Units attached to a core, against the interpreter, and against a single netlist.

use super::*;
use aesmith_extension::meaning::compute;
use aesmith_extension::program::Custom;
use aesmith_isa::image::{Image, Segment};
use aesmith_judge::judge::Call;
use aesmith_processor::attach::attached;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Instructions that read two registers, one of which is also written, and one register; the last with four
/// S-boxes.
const TRIAL: &str = r#"
name = "judge-trial"
about = "instructions of each shape"
source = "a test"

[[instruction]]
name = "apart"
reads = ["a", "b"]
writes = "d"
selectors = { n = 2 }
meaning = "d = a ^ turn(mixed(sbox(byte(b, n))), n)"

[[instruction]]
name = "onto"
reads = ["d", "b"]
writes = "d"
selectors = { m = 1, n = 2 }
meaning = "d = d ^ ror(place(isbox(byte(b, n)), n), zx(m, 5))"

[[instruction]]
name = "alone"
reads = ["a"]
writes = "d"
meaning = "d = subword(a)"
"#;

fn on(base: &str, sboxes: u8) -> &'static Attached {
    with(base, TRIAL, sboxes)
}

fn with(base: &str, text: &str, sboxes: u8) -> &'static Attached {
    let base: &'static Core = crate::CORES.iter().find(|c| c.name == base).expect("a base");
    let extension = Box::leak(Box::new(Extension::parse(text).expect("parses")));
    let unit = Unit { sboxes, ..Unit::default() };
    attached(base, base.port.expect("a port"), extension, unit).expect("attaches")
}

const X: u32 = 12;
const Y: u32 = 13;

fn load(to: u32, place: u32) -> u32 {
    place << 22 | 11 << 15 | 2 << 12 | to << 7 | 0x03
}

fn store(from: u32, place: u32) -> u32 {
    let at = 4 * place;
    (at >> 5) << 25 | from << 20 | 10 << 15 | 2 << 12 | (at & 31) << 7 | 0x23
}

/// Every instruction with every selector, each on the values that the previous one left in x and y; the results
/// are stored after each pair. Also contains the words that it stores, according to the interpreter.
struct Chain {
    code: Vec<u32>,
    steps: Vec<(Custom, [usize; 2], bool)>,
}

fn chain(attached: &Attached) -> Chain {
    let mut chain = Chain { code: vec![load(X, 0), load(Y, 1)], steps: Vec::new() };
    let mut stored = 0;
    for (instruction, about) in attached.extension.instructions.iter().enumerate() {
        for selectors in about.choices() {
            let custom = Custom { instruction, words: Vec::new(), selectors };
            let places = [chain.steps.len() % 2, (chain.steps.len() + 1) % 2];
            let [writes, other] = places.map(|p| [X, Y][p] as i32);
            let insn = attached.insn(&custom, writes, &[writes, other]);
            let bytes = attached.isa.encode(&insn).expect("encodes");
            chain.code.push(u32::from_le_bytes(bytes.try_into().expect("four bytes")));
            let pair = chain.steps.len() % 2 == 1;
            if pair {
                chain.code.extend([store(X, stored), store(Y, stored + 1)]);
                stored += 2;
            }
            chain.steps.push((custom, places, pair));
        }
    }
    chain.code.push(0x0000_8067);
    chain
}

impl Chain {
    fn expected(&self, attached: &Attached, mut state: [u32; 2]) -> Vec<u8> {
        let mut stored = Vec::new();
        for (custom, [writes, other], store) in &self.steps {
            let instruction = &attached.extension.instructions[custom.instruction];
            let inputs = &[state[*writes], state[*other]][..instruction.inputs()];
            state[*writes] =
                compute(&attached.alone, instruction, inputs, &custom.selectors).expect("computes");
            if *store {
                stored.extend(state.map(u32::to_le_bytes).concat());
            }
        }
        stored
    }
}

fn asked(judge: &dyn Emulator, code: &[u32], calls: Vec<Call>) -> Result<Vec<Answer>, String> {
    let bytes = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let image =
        Image { segments: vec![Segment { address: 0x10000, bytes, writable: false }], ..Image::default() };
    judge.answer(&Question { image: &image, function: 0x10000, calls, limit: 10_000 })
}

/// Calls on random words, with the words that they must store.
fn calls(attached: &Attached, chain: &Chain) -> (Vec<Call>, Vec<Vec<u8>>) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let one = |_| {
        let state: [u32; 2] = rng.random();
        let expected = chain.expected(attached, state);
        let call = Call {
            arguments: vec![0x40000, 0x41000],
            writes: vec![(0x41000, state.map(u32::to_le_bytes).concat())],
            reads: vec![(0x40000, expected.len())],
        };
        (call, expected)
    };
    (0..100).map(one).unzip()
}

fn ports() -> [(Port, &'static str); 2] {
    [(PCPI, "picorv32"), (CFU, "vexriscv")]
}

#[test]
fn units_compute_what_the_interpreter_does() {
    for (port, base) in ports() {
        for sboxes in [4, 1] {
            let attached = on(base, sboxes);
            let judge = WithUnit::new(port, attached);
            if let Err(why) = judge.present() {
                println!("skipped: {why}");
                continue;
            }
            let chain = chain(attached);
            let (calls, expected) = calls(attached, &chain);
            let answers = asked(&judge, &chain.code, calls).expect("answers");
            for (answer, expected) in answers.iter().zip(&expected) {
                assert_eq!(&answer.read[0], expected, "{}, {sboxes} S-boxes", judge.name());
                assert_eq!(answer.cycles, answers[0].cycles, "cycles depend on no operand");
            }
            println!("{}, {sboxes} S-boxes: {:?} cycles", judge.name(), answers[0].cycles);
        }
    }
}

/// The cycles stated in the file, or those for the available S-boxes if these are more.
#[test]
fn a_file_s_cycles_are_those_of_the_model_and_of_the_netlist() {
    let slow = TRIAL.replacen("n))), n)\"\n", "n))), n)\"\nlatency = 3\n", 1);
    let slow = slow.replacen("zx(m, 5))\"\n", "zx(m, 5))\"\noccupancy = 2\n", 1);
    for (port, base) in ports() {
        for (sboxes, wanted) in [(4, [3, 2, 1]), (1, [3, 2, 4])] {
            let attached = with(base, &slow, sboxes);
            let cycles: Vec<u8> = attached.extension.instructions.iter().map(|i| i.latency).collect();
            assert_eq!(cycles, wanted, "{sboxes} S-boxes");
            let judge = WithUnit::new(port, attached);
            if let Err(why) = judge.present() {
                println!("skipped: {why}");
                continue;
            }
            let chain = chain(attached);
            let (calls, expected) = calls(attached, &chain);
            let core: &'static Core = Box::leak(Box::new((attached.port.core)(attached.base, attached)));
            let model = Interpreter::new(core);
            let of = |judge: &dyn Emulator| {
                let answers = asked(judge, &chain.code, calls.clone()).expect("answers");
                assert!(answers.iter().zip(&expected).all(|(a, e)| a.read[0] == *e), "{}", judge.name());
                answers[0].cycles.expect("counted")
            };
            let (real, modelled) = (of(&judge), of(&model));
            println!("{}, {sboxes} S-boxes: {real} cycles, model {modelled}", judge.name());
            assert_eq!(real, modelled, "{}, {sboxes} S-boxes", judge.name());
        }
    }
}

/// With one S-box, some instructions complete in the cycle of their request and some later.
#[test]
fn a_unit_beside_the_core_is_one_netlist_with_it() {
    for (port, base) in ports() {
        let attached = on(base, 1);
        let judge = WithUnit::new(port, attached);
        if let Err(why) = judge.present() {
            println!("skipped: {why}");
            continue;
        }
        let chain = chain(attached);
        let (calls, _) = calls(attached, &chain);
        let beside = asked(&judge, &chain.code, calls.clone()).expect("answers");
        let together = Together(&judge);
        assert_eq!(asked(&together, &chain.code, calls).expect("answers"), beside, "{}", judge.name());
    }
}

/// Core and unit compiled by Verilator as a single netlist.
struct Together<'a>(&'a WithUnit);

impl Instrument for Together<'_> {
    fn name(&self) -> String {
        format!("{}, one netlist", self.0.name)
    }

    fn beneath(&self) -> Option<&dyn Instrument> {
        Some(self.0)
    }

    fn kind(&self) -> Kind {
        Kind::Exact
    }
}

impl Emulator for Together<'_> {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        let unit = format!("-DUNIT={}", self.0.module);
        let options = [self.0.port.options, &["-DTOP=ported", &unit]].concat();
        let files = [
            ("together.sv", include_str!("../../judges/rtl/together.sv")),
            ("unit.sv", self.0.port.end),
            ("attached.v", self.0.verilog()?),
        ];
        let more = More { key: "-together", options: &options, files: &files, by: "" };
        Rtl::answers(&mut Command::new(self.0.port.rtl.runner(more)?), question)
    }
}

#[test]
fn a_wrong_unit_is_found() {
    for (port, base) in ports() {
        let attached = on(base, 4);
        let right = WithUnit::new(port, attached);
        if let Err(why) = right.present() {
            println!("skipped: {why}");
            continue;
        }
        let chain = chain(attached);
        let (calls, expected) = calls(attached, &chain);
        let with = |from: &str, to: &str| {
            let verilog = right.verilog().expect("there");
            assert!(verilog.contains(from), "{from} is in the unit");
            let judge = WithUnit::new(port, attached);
            let judge = WithUnit { verilog: Ok(verilog.replace(from, to)), ..judge };
            asked(&judge, &chain.code, calls.clone())
        };
        let first = if base == "picorv32" { "pcpi_rs1" } else { "cmd_payload_inputs_0" };
        let answers = with(&format!(".a({first})"), &format!(".a({first} ^ 32'd1)")).expect("answers");
        assert!(answers.iter().zip(&expected).all(|(a, e)| a.read[0] != *e), "{base}");
        let valid = if base == "picorv32" { "known" } else { "cmd_valid && free" };
        let error = with(&format!(".valid({valid})"), ".valid(1'b0)").expect_err("it never answers");
        assert!(error.contains("the core stopped after the instruction at 0x10"), "{base}: {error}");
    }
}
