//! Valid inputs, made by the program itself: their mutations reach deeper than random bytes.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_emit::{Function, objects};
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{Kernel, build};
use aesmith_x86::{dimensions, targets};

/// The plain variant of every problem and technique that has one.
fn plain() -> impl Iterator<Item = Variant> {
    Problem::all().into_iter().flat_map(|p| Technique::ALL.map(|t| dimensions::plain(p, t)))
}

/// The kernels of the plain variants, with the index of their problem in the list of problems.
fn built() -> impl Iterator<Item = (u8, Kernel)> {
    let place = |p: Problem| Problem::all().iter().position(|q| *q == p).expect("it is in the list") as u8;
    plain().filter_map(move |v| Some((place(v.problem), build(&v, &targets::ALL).ok()?)))
}

/// Texts of variants.
pub fn variants() -> Vec<Vec<u8>> {
    plain().map(|v| v.to_string().into_bytes()).collect()
}

/// A line of every kind of an export.
pub fn wisdom_lines() -> Vec<Vec<u8>> {
    let sha256 = "0".repeat(64);
    let run = "\"problem\":\"aes128-ctr\",\"size\":32768";
    [
        r#"{"kind":"aesmith-wisdom","version":1,"tool_version":"0.1.0","exported_ms":1}"#.to_owned(),
        r#"{"kind":"processor","vendor":"GenuineIntel","family":6,"model":207,"stepping":2,"features":["aes","avx"],"name":"Xeon"}"#.to_owned(),
        r#"{"kind":"machine-model","processor":"GenuineIntel/6/207/2/aes+avx","made_ms":1,"tool_version":"0.1.0","model":{}}"#.to_owned(),
        format!(r#"{{"kind":"run","key":"k","processor":"p",{run},"strategy":"random","seed":1,"options":"","judge":"native","tool_version":"0.1.0","session":"s","command":"c","state":"finished","started_ms":1,"finished_ms":2}}"#),
        format!(r#"{{"kind":"sample","run":"k","number":1,"trial":1,"phase":"screen","size":32768,"variant":"aes128-ctr width=xmm","sha256":"{sha256}","verdict":"measured","message":"","instructions":10,"cost":0.5,"cycles":[1.0,2.5],"ticks":[3,4],"time_ms":1}}"#),
        format!(r#"{{"kind":"best","processor":"p",{run},"run":"k","confirmed_ms":1,"variant":"aes128-ctr width=xmm","sha256":"{sha256}","certificate":{{}},"low":0.1,"median":0.2,"high":0.3,"baseline":0.5,"bound":0.1}}"#),
        r#"{"kind":"processor","key":"avr","name":"8-bit AVR","attributes":{}}"#.to_owned(),
        format!(r#"{{"kind":"run","key":"m","processor":"avr","problem":"aes128-ecb","size":0,"strategy":"descent","seed":1,"options":"","judge":"machine model","unit":"cycles per block","tool_version":"0.1.0","session":"s","command":"c","state":"finished","started_ms":1,"finished_ms":2}}"#),
        format!(r#"{{"kind":"sample","run":"m","number":1,"trial":1,"phase":"model","size":0,"variant":"aes128-ecb processor=avr sbox=ram","technique":"","sha256":"{sha256}","verdict":"measured","message":"","instructions":0,"cost":1600.0,"costs":{{"once":0.0,"flash":1,"ram":2,"stack":3,"same_path":true,"blocks":1}},"judge":"simavr","cycles":[],"ticks":[],"time_ms":1}}"#),
        r#"{"kind":"described","processor":"avr","problem":"aes128-ecb","variant":"aes128-ecb processor=avr sbox=ram","tool_version":"0.1.0","sha256":null,"verdict":"modelled","message":"","cycles":1600.0,"once":0.0,"flash":1,"ram":2,"stack":3,"same_path":true,"blocks":1,"certificate":null,"judge":null,"judged":null,"time_ms":1}"#.to_owned(),
        r#"{"kind":"end","lines":10}"#.to_owned(),
    ]
    .map(String::into_bytes)
    .to_vec()
}

/// The lines of an export before the fuzzed line, which define its run and processor.
pub const BEFORE_A_LINE: &str = concat!(
    r#"{"kind":"aesmith-wisdom","version":1,"tool_version":"0.1.0","exported_ms":1}"#,
    "\n",
    r#"{"kind":"processor","vendor":"GenuineIntel","family":6,"model":207,"stepping":2,"features":["aes","avx"],"name":"Xeon"}"#,
    "\n",
    r#"{"kind":"run","key":"k","processor":"GenuineIntel/6/207/2/aes+avx","problem":"aes128-ctr","size":32768,"strategy":"random","seed":1,"options":"","judge":"native","tool_version":"0.1.0","session":"s","command":"c","state":"finished","started_ms":1,"finished_ms":2}"#,
    "\n",
);

/// Objects of some kernels, an archive of them, and a shared object if there is a linker.
pub fn object_files() -> Vec<Vec<u8>> {
    let every = built().step_by(23);
    let mut all: Vec<Vec<u8>> =
        every.filter_map(|(_, kernel)| objects::object(&[Function::new(&kernel)]).ok()).collect();
    let mut archive = b"!<arch>\n".to_vec();
    for (number, object) in all.iter().take(2).enumerate() {
        archive.extend(
            format!(
                "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                format!("{number}.o/"),
                0,
                0,
                0,
                644,
                object.len()
            )
            .bytes(),
        );
        archive.extend(object);
        archive.resize(archive.len().next_multiple_of(2), b'\n');
    }
    all.extend(all.first().and_then(|object| shared(object)));
    all.push(archive);
    all
}

/// Links an object to a shared object.
fn shared(object: &[u8]) -> Option<Vec<u8>> {
    let place = std::env::temp_dir().join(format!("aesmith-corpus-{}", std::process::id()));
    let linked = place.with_extension("so");
    std::fs::write(&place, object).ok()?;
    let done = std::process::Command::new("ld").arg("-shared").arg("-o").arg(&linked).arg(&place).output();
    let read = std::fs::read(&linked);
    let _ = std::fs::remove_file(&place);
    let _ = std::fs::remove_file(&linked);
    done.ok().filter(|said| said.status.success())?;
    read.ok()
}

/// Certificates of some kernels.
pub fn certificates() -> Vec<Vec<u8>> {
    let mut prover = prover();
    let certified = built().step_by(31).filter_map(|(_, kernel)| {
        let certificate = prover.certify(kernel.variant.problem, "kernel", &kernel.bytes).ok()?;
        serde_json::to_vec(&certificate).ok()
    });
    certified.collect()
}

/// Proofs of some kernels.
pub fn proofs() -> Vec<Vec<u8>> {
    let claims = built().filter_map(|(_, kernel)| {
        let contract = aesmith_check::contract::Contract::named(&kernel.variant.problem.to_string())?;
        let constants = (aesmith_x86::print::DIALECT.split)(&kernel.bytes).ok()?.constants;
        let proof = aesmith_witness::find(contract, &kernel.bytes, constants).ok()?;
        Some(aesmith_witness::text(&proof).into_bytes())
    });
    claims.collect()
}

/// Machine code after the index of its problem.
pub fn kernels() -> Vec<Vec<u8>> {
    built().map(|(place, kernel)| [vec![place], kernel.bytes].concat()).collect()
}

/// A small executable for ARM: one segment, one section of symbols.
pub fn executables() -> Vec<Vec<u8>> {
    let mut file = Vec::new();
    let half = |of: &[u16]| of.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let word = |of: &[u32]| of.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    file.extend([0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // An executable for machine 40: entry, program headers at 52, section headers at 136.
    file.extend(half(&[2, 40]));
    file.extend(word(&[1, 0x10000, 52, 136, 0]));
    file.extend(half(&[52, 32, 1, 40, 4, 3]));
    // Code at 84, symbols at 92, their names at 124, names of sections at 127.
    file.extend(word(&[1, 84, 0x10000, 0x10000, 8, 8, 5, 4]));
    file.extend(word(&[0xe12fff1e, 0xeafffffe]));
    file.extend(word(&[0, 0, 0, 0]));
    file.extend(word(&[1, 0x10000, 8]));
    file.extend([0x12, 0, 1, 0]);
    file.extend(b"\0f\0");
    file.extend(b"\0t\0s\0n\0\0\0");
    for section in [
        [0; 10],
        [1, 1, 6, 0x10000, 84, 8, 0, 0, 4, 0],
        [3, 2, 0, 0, 92, 32, 3, 1, 4, 16],
        [5, 3, 0, 0, 124, 12, 0, 0, 1, 0],
    ] {
        file.extend(word(&section));
    }
    vec![file]
}

/// Meanings of instructions.
pub fn meanings() -> Vec<Vec<u8>> {
    let own = [
        "rd = rs1 + rs2",
        "rd = rs1 ^ (rs2 << 3)",
        "rd = zext(32, sbox(rs1[7:0]))",
        "x := rs1; rd = x - rs2",
    ];
    let shipped = extensions_read().into_iter().flat_map(|e| e.instructions).map(|i| i.meaning);
    own.map(str::to_owned).into_iter().chain(shipped).map(String::into_bytes).collect()
}

/// Code for other processors after the index of the processor.
pub fn programs() -> Vec<Vec<u8>> {
    let problem = "aes128-ecb".parse().expect("it is a problem");
    let code = |(place, core): (usize, &'static aesmith_processor::core::Core)| {
        let plain = core.table.plain(problem);
        let image = (core.build)(&plain).ok()?.image((core.isa)()).ok()?;
        Some([vec![place as u8], image.segments.first()?.bytes.clone()].concat())
    };
    aesmith_processors::cores().enumerate().filter_map(code).collect()
}

/// The files of the extension sets that come with aesmith.
pub fn extensions() -> Vec<Vec<u8>> {
    sets::ALL.iter().map(|(_, text)| text.as_bytes().to_vec()).collect()
}

fn extensions_read() -> Vec<Extension> {
    sets::ALL.iter().filter_map(|(_, text)| Extension::parse(text).ok()).collect()
}
