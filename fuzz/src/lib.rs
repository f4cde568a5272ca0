//! The fuzzing targets: the parsers, the prover and the interpreter, each as a function of bytes that panics if
//! something is wrong. libFuzzer calls them (`fuzz_targets`), and so does `drive`, which needs no nightly compiler.

pub mod corpus;
pub mod mutate;

use aesmith_cipher::Problem;
use aesmith_extension::file::Extension;
use aesmith_extension::verilog::Unit;
use aesmith_isa::elf::Head;
use aesmith_isa::image::{Image, Segment};
use aesmith_isa::{ByteOrder, row};
use aesmith_judge::judge::Call;
use aesmith_processor::attach::attached;
use aesmith_processor::interpreter::Interpreter;
use aesmith_x86::dimensions;

/// A target: its name, its function on bytes, and initial inputs.
pub struct Target {
    /// The name, as in `cargo fuzz run NAME`.
    pub name: &'static str,
    /// The function, which panics if something is wrong.
    pub body: fn(&[u8]),
    /// Valid inputs.
    pub corpus: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "variant", body: variant, corpus: corpus::variants },
    Target { name: "wisdom_line", body: wisdom_line, corpus: corpus::wisdom_lines },
    Target { name: "object_file", body: object_file, corpus: corpus::object_files },
    Target { name: "certificate", body: certificate, corpus: corpus::certificates },
    Target { name: "proof", body: proof, corpus: corpus::proofs },
    Target { name: "prover", body: prover, corpus: corpus::kernels },
    Target { name: "elf", body: elf, corpus: corpus::executables },
    Target { name: "meaning", body: meaning, corpus: corpus::meanings },
    Target { name: "program", body: program, corpus: corpus::programs },
    Target { name: "extension", body: extension, corpus: corpus::extensions },
];

/// The text form of a variant: a variant that was read is written and read back unchanged.
pub fn variant(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(variant) = dimensions::variant(text) {
        assert_eq!(dimensions::variant(&variant.to_string()), Ok(variant));
    }
}

/// A line of a wisdom import.
pub fn wisdom_line(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(line) = aesmith_wisdom::import::parse_line(text, &dimensions::TABLE) {
        let again = serde_json::to_string(&line).expect("what was read can be written");
        assert_eq!(aesmith_wisdom::import::parse_line(&again, &dimensions::TABLE), Ok(line));
    }
    imported(text);
}

/// Imports the line, within an export, into a store. The end line has a wrong count, so the import is rolled back and
/// each input meets the same store.
fn imported(text: &str) {
    use aesmith_wisdom::Store;
    static STORE: std::sync::OnceLock<std::sync::Mutex<Store>> = std::sync::OnceLock::new();
    let store = STORE.get_or_init(|| {
        let name = format!("aesmith-fuzz-{}.sqlite", std::process::id());
        let place = std::env::temp_dir().join(&name);
        let store = Store::open(&place).expect("the folder for temporary files can be written");
        // The files stay open and the process may be killed at any time, so their names are removed now.
        for beside in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(place.with_file_name(format!("{name}{beside}")));
        }
        store.into()
    });
    let export = format!("{}{text}\n{{\"kind\":\"end\",\"lines\":0}}\n", corpus::BEFORE_A_LINE);
    let refused = store.lock().expect("no import panics").import(export.as_bytes(), &dimensions::TABLE);
    let refused = refused.expect_err("the end line is wrong");
    assert!(!refused.to_string().is_empty());
}

/// The most bytes of code in a mutated file that are proved; proofs of more take seconds.
const PROVED: usize = 8 << 10;

/// An object file, shared object or archive, as `aesmith verify` reads and proves it.
pub fn object_file(bytes: &[u8]) {
    let Ok(contents) = aesmith_emit::objects::contents(bytes) else { return };
    for found in contents.functions {
        let problem = aesmith_emit::problem_of_symbol(&found.symbol).expect("others are left out");
        match found.bytes {
            Ok(code) => {
                assert!(
                    code.len() <= 2 * bytes.len() + 64,
                    "code, padding and constants, which may overlap in the file"
                );
                if code.len() <= PROVED {
                    let _ = aesmith_x86::instructions::prover().certify(problem, &found.symbol, &code);
                }
            }
            Err(why) => assert!(!why.to_string().is_empty()),
        }
    }
}

/// A certificate: it never holds for its own bytes.
pub fn certificate(bytes: &[u8]) {
    if let Ok(certificate) = serde_json::from_slice::<aesmith_prove::LanesCertificate>(bytes) {
        let over_itself = certificate.check(bytes).is_ok();
        assert!(!over_itself, "a file that contains its own SHA-256");
    }
}

/// A certificate with a proof: it is refused, or written and read again it is the same and accepted again.
pub fn proof(bytes: &[u8]) {
    let read = |text: &str| aesmith_check::Certificate::read(text);
    let Ok(certificate) = std::str::from_utf8(bytes).map_err(|e| e.to_string()).and_then(read) else {
        return;
    };
    let Ok(accepted) = aesmith_check::check(&certificate) else { return };
    let again = read(&aesmith_witness::text(&certificate)).expect("what is written is read");
    assert_eq!((again.contract, &again.code), (certificate.contract, &certificate.code));
    assert_eq!(aesmith_check::check(&again), Ok(accepted));
}

/// Arbitrary machine code: the prover terminates. The first byte chooses the problem.
pub fn prover(bytes: &[u8]) {
    let Some((&choice, code)) = bytes.split_first() else { return };
    let all = Problem::all();
    let _ = aesmith_x86::instructions::prover().prove(all[usize::from(choice) % all.len()], code);
}

/// An ELF executable for another processor: it is read, or refused with a sentence.
pub fn elf(bytes: &[u8]) {
    // The machine's number is at byte 18, in the order given by byte 5; the reader is asked for the machine of the
    // file.
    let order = if bytes.get(5) == Some(&2) { ByteOrder::Big } else { ByteOrder::Little };
    let machine = bytes.get(18..20).map_or(83, |number| order.number(number) as u16);
    let bits = if bytes.get(4) == Some(&2) { 64 } else { 32 };
    match Image::from_elf(bytes, &Head { number: machine, name: "the fuzzer's processor", bits, order }) {
        Ok(image) => {
            assert!(image.segments.windows(2).all(|w| w[0].end() <= w[1].address), "segments overlap");
        }
        Err(sentence) => assert!(!sentence.is_empty()),
    }
}

/// The meaning of an instruction as text: it is compiled, or refused with a sentence.
pub fn meaning(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let core = aesmith_processors::core("rv32i").expect("it is registered");
    let mut isa = (core.isa)().clone();
    // custom-0, an encoding that RISC-V leaves to extensions.
    let line =
        row("new", "new {rd}, {rs1}, {rs2}", "0000000 rs2[4:0] rs1[4:0] 000 rd[4:0] 0001011", text, "alu");
    if let Err(sentence) = isa.add(&line) {
        assert!(sentence.starts_with("new: "), "{sentence}");
    }
}

/// Any bytes as a program of a registered processor, chosen by the first byte: it returns, or ends with a sentence.
pub fn program(bytes: &[u8]) {
    let Some((&choice, code)) = bytes.split_first() else { return };
    let cores: Vec<_> = aesmith_processors::cores().collect();
    let core = cores[usize::from(choice) % cores.len()];
    let address = 0x1000;
    let image = Image {
        segments: vec![Segment { address, bytes: code.to_vec(), writable: false }],
        symbols: Default::default(),
    };
    let call = Call { arguments: vec![core.buffers as u32; 3], writes: Vec::new(), reads: Vec::new() };
    if let Err(sentence) = Interpreter::new(core).trace(&image, address, &call, 10_000) {
        assert!(!sentence.is_empty());
    }
}

/// The file of an extension: it is read, or refused with a line and a sentence. An extension that was read is attached
/// to processors, or refused in the same way. Tables live as long as the process, so memory grows with every file that
/// is read.
pub fn extension(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let extension = match Extension::parse(text) {
        Ok(extension) => Box::leak(Box::new(extension)),
        Err(mistake) => {
            assert!(mistake.line > 0 && !mistake.what.is_empty(), "{mistake}");
            return;
        }
    };
    for base in ["arm7tdmi", "picorv32"] {
        let core = aesmith_processors::core(base).expect("it is registered");
        let port = core.port.expect("it has one");
        if let Err(mistake) = attached(core, port, extension, Unit::default()) {
            assert!(!mistake.what.is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_leave_no_file_behind() {
        corpus::wisdom_lines().iter().for_each(|line| wisdom_line(line));
        let mine = format!("aesmith-fuzz-{}.", std::process::id());
        let there = std::fs::read_dir(std::env::temp_dir()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = there.filter(|name| name.to_string_lossy().starts_with(&mine)).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
