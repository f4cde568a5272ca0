//! The whole path to a GPU with a stand-in for the driver: its measurements are arithmetic, not a GPU's.

use std::process::Command;
use std::sync::OnceLock;

use aesmith_cipher::modes::message;
use aesmith_judge::judge::{Instrument, Kind};
use aesmith_judge::outside::Temporary;
use aesmith_processor::grid::card::{Cards, Given, Rates, Stream, Streamed};
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::grid::{Architecture, Counted, Grids, Translator, Turn};
use libloading::Library;

use super::micro::{self, A_TURN, UNITS, Unit};
use super::{Cuda, driver};
use crate::GPU;
use crate::machine_code::{Ptxas, loops, translated};

/// A separate stand-in for each test: a copy of the library, with its own variables.
struct StandIn {
    library: Library,
    file: Temporary,
}

impl StandIn {
    /// `None` without a compiler.
    fn new() -> Option<StandIn> {
        let file = Temporary::new(&[]).expect("a file");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda/card.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source, "-o"]);
        let Ok(said) = compiler.arg(&file.path).output() else {
            println!("skipped: there is no C compiler `cc`; install gcc");
            return None;
        };
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        // SAFETY: the stand-in has no initialisers.
        let library = unsafe { Library::new(&file.path) }.expect("is loaded");
        Some(StandIn { library, file })
    }

    fn plant(&self, fault: &str) {
        let fault = std::ffi::CString::new(fault).expect("a text");
        // SAFETY: the function copies a text that ends in 0.
        unsafe {
            let plant =
                self.library.get::<unsafe extern "C" fn(*const std::ffi::c_char)>(b"stand_in_fault\0");
            plant.expect("is there")(fault.as_ptr());
        }
    }

    /// The number of objects allocated and not released.
    fn alive(&self) -> i64 {
        // SAFETY: the function takes no arguments and returns a number.
        unsafe { self.library.get::<unsafe extern "C" fn() -> i64>(b"stand_in_alive\0").expect("is there")() }
    }

    fn cuda(&self) -> Cuda {
        Cuda::of(&self.file.path)
    }
}

/// A translator that does not count machine code, which would take most of the time.
pub(crate) struct Nobody;

impl Instrument for Nobody {
    fn name(&self) -> String {
        "nobody".into()
    }
    fn present(&self) -> Result<(), String> {
        Err("nobody is here".into())
    }
    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Translator for Nobody {
    fn architectures(&self) -> &'static [Architecture] {
        &[]
    }
    fn count(&self, _: &str, _: &Architecture, _: &[Turn]) -> Result<Counted, String> {
        Err("nobody is here".into())
    }
}

const VARIANTS: [&str; 2] = ["aes128-ctr threads=128", "aes128-ctr threads=128 blocks=2"];
const KEY: [u8; 16] = [7; 16];
/// An IV whose increment carries through all bytes.
const IV: [u8; 16] = [0xff; 16];
const BLOCKS: usize = 1000;

fn kernels() -> &'static [ProvedGrid] {
    static KERNELS: OnceLock<Vec<ProvedGrid>> = OnceLock::new();
    let grids = Grids { translator: &Nobody, ..GPU };
    let proved = |text: &str| {
        let variant = GPU.table.parse(text).expect("a variant");
        let kernel = (GPU.build)(&variant).expect("is built");
        ProvedGrid::new(&grids, kernel, "aesmith_aes128_ctr").expect("is proved")
    };
    KERNELS.get_or_init(|| VARIANTS.into_iter().map(proved).collect())
}

fn text() -> Vec<u8> {
    (0..16 * BLOCKS).map(|at| (at * 11 + at / 251) as u8).collect()
}

/// All requests to a GPU.
fn whole_path(cuda: &Cuda) -> Result<(Rates, Vec<Vec<u8>>, Streamed), String> {
    let card = cuda.open()?;
    let rates = card.rates(1)?;
    let mut session = card.session(kernels(), BLOCKS)?;
    session.write(&text())?;
    let given = Given { key: &KEY, iv: IV };
    let mut outputs = Vec::new();
    for kernel in 0..VARIANTS.len() {
        session.clear(0xa5)?;
        let timed = session.launch(kernel, 2, &given)?;
        assert!(timed.milliseconds > 0.0 && (timed.mhz - 1500.0).abs() < 1.0, "{timed:?}");
        let mut output = vec![0; 16 * BLOCKS];
        session.read(0, &mut output)?;
        outputs.push(output);
    }
    let streamed = session.streamed(1, 5, &text(), &given)?;
    Ok((rates, outputs, streamed))
}

#[test]
fn kernels_run_over_a_stand_in_of_the_driver() {
    let Some(stand_in) = StandIn::new() else { return };
    let cuda = stand_in.cuda();
    cuda.present().expect("there is a card");
    let about = cuda.open().expect("opens").about().clone();
    assert_eq!((about.architecture.as_str(), about.multiprocessors, about.shared), ("sm_86", 3, 163 << 10));
    assert_eq!(
        (about.name.as_str(), about.driver.as_str(), about.rated_mhz),
        ("Stand-in of a card", "13.0", 1700.0)
    );
    assert_eq!(about.uuid, "ab".repeat(16));
    let (rates, outputs, streamed) = whole_path(&cuda).expect("runs");
    let problem = kernels()[0].kernel().contract.problem;
    let wanted = message(problem, &KEY, IV, &text()).0;
    assert!(outputs.iter().all(|output| *output == wanted));
    // Each buffer holds the last text that passed through it, with the counters of its position.
    assert_eq!(streamed.last.iter().map(|(before, _)| *before).collect::<Vec<_>>(), [4000, 3000]);
    for (before, output) in &streamed.last {
        let iv = u128::MAX.wrapping_add(u128::from(*before)).to_be_bytes();
        assert!(*output == message(problem, &KEY, iv, &text()).0, "{before}");
    }
    // The stand-in takes some clocks for the code before and after a loop of one iteration.
    let near = |rate: f64, wanted: f64| assert!(rate < wanted && rate > 0.98 * wanted, "{rate} {wanted}");
    for (rate, wanted) in [
        (rates.shared, 32.0),
        (rates.logic, 64.0),
        (rates.permutation, 64.0),
        (rates.product, 64.0),
        (rates.issued, 128.0),
    ] {
        near(rate, wanted);
    }
    assert!((rates.memory - 24.0).abs() < 0.01 && (rates.mhz - 1500.0).abs() < 1.0, "{rates:?}");
    assert_eq!(stand_in.alive(), 0, "all is given back");
}

/// Kernels of several streams process each with its own key and length, over whole texts and in buffers that
/// end within a stream.
#[test]
fn kernels_of_streams_run_over_a_stand_in_of_the_driver() {
    let Some(stand_in) = StandIn::new() else { return };
    let cuda = stand_in.cuda();
    let grids = Grids { translator: &Nobody, ..GPU };
    for (problem, variants) in [
        ("aes128-ecb", &["keys=group threads=128", "keys=thread threads=256 blocks=1"][..]),
        ("aes256-cbc", &["threads=128"][..]),
    ] {
        let proved = |choices: &&str| {
            let variant = GPU.table.parse(&format!("{problem} {choices}")).expect("a variant");
            let kernel = (GPU.build)(&variant).expect("is built");
            ProvedGrid::new(&grids, kernel, &format!("aesmith_{}", problem.replace('-', "_")))
                .expect("is proved")
        };
        let kernels: Vec<ProvedGrid> = variants.iter().map(proved).collect();
        let problem = kernels[0].kernel().contract.problem;
        // More streams than a thread block processes, one of them empty, and the last ends after the text.
        let lengths = (0..300u64).map(|number| if number == 7 { 0 } else { 1 + number % 6 });
        let streams: Vec<Stream> = lengths
            .zip(0u8..=255)
            .map(|(blocks, n)| Stream { key: vec![n; problem.key.bytes()], iv: [n ^ 0x55; 16], blocks })
            .chain([Stream { key: vec![9; problem.key.bytes()], iv: [8; 16], blocks: 1000 }])
            .collect();
        let (text, mut wanted) = (text(), Vec::new());
        for Stream { key, iv, blocks } in &streams {
            let left = text.len() - wanted.len();
            let own = &text[wanted.len()..][..left.min(16 * *blocks as usize)];
            wanted.extend(message(problem, key, *iv, own).0);
        }
        let card = cuda.open().expect("opens");
        let mut session = card.session(&kernels, BLOCKS).expect("opens");
        session.write(&text).expect("is written");
        let given = Given { key: &vec![7; problem.key.bytes()], iv: IV };
        let said = session.launch(0, 1, &given).expect_err("of no streams");
        assert!(said.contains("the kernel is of several streams, and this launch is of one"), "{said}");
        let said = session.divide(&streams[..3]).expect_err("too few");
        assert!(said.contains("the streams of a text of 1000 blocks have 6"), "{said}");
        session.divide(&streams).expect("is divided");
        for kernel in 0..kernels.len() {
            session.clear(0xa5).expect("is cleared");
            session.launch(kernel, 2, &given).expect("is launched");
            let mut output = vec![0; 16 * BLOCKS];
            session.read(0, &mut output).expect("is read");
            assert!(output == wanted, "{problem} {kernel}");
            let part = 16 * 777;
            let streamed = session.streamed(kernel, 3, &text[..part], &given).expect("is streamed");
            assert!(streamed.last.iter().all(|(_, output)| *output == wanted[..part]), "{problem} {kernel}");
        }
        drop(session);
        drop(card);
        assert_eq!(stand_in.alive(), 0, "all is given back");
    }
}

/// Errors of a final release are ignored; errors of all other calls name the function.
#[test]
fn a_call_that_fails_is_named_in_a_sentence() {
    let Some(stand_in) = StandIn::new() else { return };
    let released = ["Release", "Unload", "cuMemFree", "Destroy"];
    let names = driver::NAMES.iter().filter(|name| !released.iter().any(|part| name.contains(part)));
    let mut asked = 0;
    for name in names {
        for time in [1, 4] {
            // A context, a device and the like are requested once.
            let fault = format!("fail={name}:{time}");
            stand_in.plant(&fault);
            match whole_path(&stand_in.cuda()) {
                Ok(_) => assert!(time > 1, "{name} fails, and nobody says so"),
                Err(said) => {
                    asked += time;
                    assert!(said.contains(&format!("refuses {name}: out of memory (2)")), "{fault}: {said}");
                    let said_by_translator = said.contains("line 7: a fault is planted");
                    assert_eq!(said_by_translator, *name == "cuModuleLoadDataEx", "{said}");
                }
            }
            assert_eq!(stand_in.alive(), 0, "{fault}: all is given back");
        }
    }
    assert!(asked > 80, "later calls fail, too: {asked}");
}

#[test]
fn what_cannot_be_is_refused() {
    let Some(stand_in) = StandIn::new() else { return };
    for (fault, why) in [
        ("cards=0", "CUDA's driver knows no GPU"),
        ("multiprocessors=0", "has no multiprocessors"),
        ("multiprocessors=-1", "refuses cuDeviceGetAttribute: invalid argument (1)"),
        ("word=31", "stores another word in thread 31"),
        ("word=2100", "has other words in block 2"),
        ("rate=1", "which cannot be"),
        ("rate=100000000", "which cannot be"),
        ("still=1", "the clocks of the card do not run"),
        ("lost=1", "has lost its byte"),
        ("shared=65536", "cannot be loaded: CUDA's driver refuses cuFuncSetAttribute"),
        ("resident=0", "does not fit on a multiprocessor"),
    ] {
        stand_in.plant(fault);
        let said = whole_path(&stand_in.cuda()).expect_err(fault);
        assert!(said.contains(why), "{fault}: {said}");
        assert_eq!(stand_in.alive(), 0, "{fault}");
    }
    let said = Cuda::of("/nowhere/libcuda.so.1").present().expect_err("there is none");
    assert!(
        said.contains("no GPU here: CUDA's driver library /nowhere/libcuda.so.1 cannot be loaded"),
        "{said}"
    );
    assert!(said.contains("No such file"), "{said}");
    // A library that is not a driver.
    let said = Cuda::of("libc.so.6").present().expect_err("is none");
    assert!(said.contains("libc.so.6 is no driver of CUDA, or too old: it lacks cuGetErrorString"), "{said}");
}

/// No compiler shortens a micro-kernel's loop: it has as many instructions of the kind as are counted, and few
/// others.
#[test]
fn machine_code_of_micro_kernels_does_what_is_counted() {
    if let Err(why) = Ptxas.present() {
        return println!("skipped: {why}");
    }
    for architecture in Ptxas.architectures() {
        let (code, said) = translated(&micro::text(), architecture).expect("is translated");
        assert!(!said.contains(" bytes spill stores") || said.contains("0 bytes spill stores"), "{said}");
        for unit in UNITS {
            let own = code.split(&format!(".text.{}:", unit.name())).nth(1).expect("is there");
            let own = own.split("\n.text.").next().unwrap_or(own);
            let names = loops(own).into_iter().max_by_key(Vec::len).expect("has a loop");
            let of = |name: &str| names.iter().filter(|other| **other == name).count() as u32;
            let counted = match unit {
                Unit::Logic => of("LOP3"),
                Unit::Permutation => of("PRMT"),
                Unit::Product => of("IMAD"),
                Unit::Shared => of("LDS"),
                Unit::Issue if of("LOP3") == of("IMAD") => of("LOP3") + of("IMAD"),
                Unit::Issue => 0,
            };
            assert_eq!(counted, A_TURN, "{unit:?} on {}", architecture.name);
            if unit == Unit::Issue {
                // They read two registers each; reading three meets another limit.
                let read = |line: &&str| {
                    line.split('R').filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).count()
                };
                let three = own.lines().filter(|line| line.contains(" LOP3.LUT ") || line.contains(" IMAD "));
                let three = three.filter(|line| read(line) > 3).count();
                assert!(three < 10, "{unit:?} on {}: {three} of three registers", architecture.name);
            }
            assert!(names.len() as u32 <= A_TURN + 4, "{unit:?} on {}: {}", architecture.name, names.len());
        }
    }
}
