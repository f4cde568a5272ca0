//! A proved kernel of a grid, and its certificate. Only such kernels are emitted.

use aesmith_prove::certificate::sha256;
use aesmith_prove::grid::{GridProof, prove};
use serde::{Deserialize, Serialize};

use super::machine::{Call, Stream, run};
use super::{Counted, GridKernel, Grids, Language};

/// Results of proof and counts of one kernel's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridCertificate {
    /// `proved`: the text computes the problem for every key and message, in every thread of a grid of any size.
    pub level: String,
    /// `CT`, or `VT` if its time may depend on secrets.
    pub class: String,
    /// The reason for the class, in a sentence.
    pub constant_time: String,
    /// The version that proved it.
    pub tool_version: String,
    /// The processor.
    pub processor: String,
    /// The language of the text.
    pub language: String,
    /// The problem.
    pub problem: String,
    /// The variant.
    pub variant: String,
    /// The kernel's name.
    pub symbol: String,
    /// SHA-256 of the printed text without the comments above it.
    pub sha256: String,
    /// The proof.
    pub proof: GridProof,
    /// Static counts of machine code and their bounds, one per architecture; empty without the compiler.
    pub counts: Vec<Counted>,
    /// Blocks of text that our interpreter encrypted correctly.
    pub tested_blocks: u64,
    /// The kernel in another language, if it is emitted in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restated: Option<Restated>,
    /// Sentences about missing results.
    pub notes: Vec<String>,
}

/// A proved kernel re-emitted in another language. Its equality with the proved text is not proved: it is executed and
/// compared with the cipher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restated {
    /// The language.
    pub language: String,
    /// SHA-256 of the text without the comments above it.
    pub sha256: String,
    /// The programs that executed it, with the numbers of blocks of text that they encrypted correctly.
    pub executed: Vec<Executed>,
}

/// See [`Restated::executed`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Executed {
    /// Name of the program.
    pub by: String,
    /// Blocks of text.
    pub blocks: u64,
}

/// The proof of a text, and the class of its time.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The proof.
    pub proof: GridProof,
    /// See [`GridCertificate::class`].
    pub class: &'static str,
    /// See [`GridCertificate::constant_time`].
    pub about: String,
}

impl Evidence {
    /// Proves a kernel.
    ///
    /// # Errors
    /// The reason why it is not proved.
    pub fn of(grids: &Grids, kernel: &GridKernel) -> Result<Evidence, String> {
        let proof = prove((grids.isa)(), grids.launch, &kernel.program, &kernel.contract)
            .map_err(|e| e.to_string())?;
        let class = if proof.constant_time { "CT" } else { "VT" };
        let about = match proof.hangs.first() {
            None if kernel.program.shared == 0 => {
                "proved: no secret decides an address, a branch or a count".to_owned()
            }
            None => "proved: each lane of a warp has a bank of shared memory of its own".to_owned(),
            Some(place) => format!(
                "variable time: the {} of `{}` at {} depends on secrets, and {} others do",
                place.what,
                place.instruction,
                place.address,
                proof.hangs.len() - 1
            ),
        };
        Ok(Evidence { proof, class, about })
    }
}

/// A proved kernel with its text; it can only be created by a proof.
#[derive(Clone, Debug)]
pub struct ProvedGrid {
    kernel: GridKernel,
    text: String,
    certificate: GridCertificate,
}

/// A launch in an exam.
struct Launched {
    /// Blocks of threads.
    groups: u32,
    /// Number of complete iterations that these make.
    turns: usize,
    /// Number of additional blocks of text.
    more: usize,
    in_place: bool,
}

/// An exam: one block; an iteration and one block; and more than an iteration of several blocks of threads.
const EXAM: [Launched; 3] = [
    Launched { groups: 1, turns: 0, more: 1, in_place: false },
    Launched { groups: 1, turns: 1, more: 1, in_place: true },
    Launched { groups: 2, turns: 1, more: 31, in_place: false },
];

impl ProvedGrid {
    /// Proves a kernel, examines it in our interpreter, and counts its instructions by the compiler if that is
    /// available.
    ///
    /// # Errors
    /// It is not proved, fails the exam, or the compiler rejects it.
    pub fn new(grids: &Grids, mut kernel: GridKernel, symbol: &str) -> Result<ProvedGrid, String> {
        kernel.program.symbol = symbol.to_owned();
        ProvedGrid::again(grids, kernel)?.confirmed(grids)
    }

    /// Like [`ProvedGrid::new`], for a kernel whose timing is admitted and determines its name. Gives the evidence of another
    /// timing.
    ///
    /// # Errors
    /// See [`ProvedGrid::new`].
    pub fn admitted(
        grids: &Grids,
        kernel: GridKernel,
        admits: &dyn Fn(&Evidence) -> bool,
        symbol: &dyn Fn(&Evidence) -> String,
    ) -> Result<Result<ProvedGrid, Evidence>, String> {
        let (mut kernel, _) = printed(grids, kernel)?;
        let evidence = Evidence::of(grids, &kernel)?;
        if !admits(&evidence) {
            return Ok(Err(evidence));
        }
        // The program of the text with the final name must be the proved one.
        kernel.program.symbol = symbol(&evidence);
        let proved = kernel.program.clone();
        let (kernel, text) = printed(grids, kernel)?;
        if kernel.program != proved {
            return Err("another name makes another program of its text: this is a fault of aesmith".into());
        }
        ProvedGrid::with(grids, kernel, text, evidence).confirmed(grids).map(Ok)
    }

    /// Examines a kernel in our interpreter, and counts its instructions.
    fn confirmed(mut self, grids: &Grids) -> Result<ProvedGrid, String> {
        let ProvedGrid { kernel, text, certificate } = &mut self;
        fits(&certificate.proof, kernel)?;
        certificate.tested_blocks = examined(grids, kernel, certificate.proof.of_a_stream)?;
        match grids.translator.present() {
            Ok(()) => certificate.counts = counted(grids, text, kernel)?,
            Err(why) => certificate.notes.push(format!("no machine code was counted: {why}")),
        }
        Ok(self)
    }

    /// Proves a kernel that was read back from a file, without executing it or counting instructions.
    ///
    /// # Errors
    /// It is not proved.
    pub fn again(grids: &Grids, kernel: GridKernel) -> Result<ProvedGrid, String> {
        let (kernel, text) = printed(grids, kernel)?;
        let evidence = Evidence::of(grids, &kernel)?;
        Ok(ProvedGrid::with(grids, kernel, text, evidence))
    }

    fn with(grids: &Grids, kernel: GridKernel, text: String, evidence: Evidence) -> ProvedGrid {
        let Evidence { proof, class, about } = evidence;
        let certificate = GridCertificate {
            level: "proved".into(),
            class: class.into(),
            constant_time: about,
            tool_version: env!("CARGO_PKG_VERSION").into(),
            processor: grids.name.into(),
            language: grids.language.into(),
            problem: kernel.contract.problem.to_string(),
            variant: kernel.variant.to_string(),
            symbol: kernel.program.symbol.clone(),
            sha256: sha256(text.as_bytes()),
            proof,
            counts: Vec::new(),
            tested_blocks: 0,
            restated: None,
            notes: Vec::new(),
        };
        ProvedGrid { kernel, text, certificate }
    }

    /// Re-emits the kernel in another language and executes it on all available executors; returns its text. The
    /// certificate then records the results.
    ///
    /// # Errors
    /// The language cannot express it, or an executor has a wrong result.
    pub fn restate(&mut self, language: &Language) -> Result<String, String> {
        let text = (language.print)(&self.kernel.program)?;
        let mut executed = Vec::new();
        for executor in language.executors {
            let (shared, threads) = (self.kernel.program.shared, self.kernel.program.threads);
            let fits = |(memory, most): (u64, u64)| match memory >= shared.into() && most >= threads.into() {
                true => Ok(()),
                false => Err(format!(
                    "{} gives {memory} bytes of local memory and {most} work-items a work-group, and the kernel needs {shared} and {threads}",
                    executor.name()
                )),
            };
            if let Err(why) = executor.present().and_then(|()| fits(executor.limits())) {
                let note = format!("the kernel in {} is not executed by all that can: {why}", language.about);
                self.certificate.notes.push(note);
                continue;
            }
            let wrong = format!(
                "{} finds the kernel in {} wrong: it is not what is proved, which is a fault of aesmith, or what executes it is wrong",
                executor.name(),
                language.about
            );
            let blocks =
                exam(&self.kernel, None, &wrong, &|call| executor.run(&text, &self.kernel.program, call))?;
            executed.push(Executed { by: executor.name(), blocks });
        }
        if executed.is_empty() {
            let notes = &mut self.certificate.notes;
            notes.push(format!(
                "no program has executed the kernel in {}: its equality with the proved text is not tested",
                language.about
            ));
        }
        let sha256 = sha256(text.as_bytes());
        self.certificate.restated = Some(Restated { language: language.name.into(), sha256, executed });
        Ok(text)
    }

    /// The kernel.
    pub fn kernel(&self) -> &GridKernel {
        &self.kernel
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its certificate.
    pub fn certificate(&self) -> &GridCertificate {
        &self.certificate
    }
}

/// A kernel's text, and the kernel with the program that is parsed from it: that program is proved.
fn printed(grids: &Grids, kernel: GridKernel) -> Result<(GridKernel, String), String> {
    let text = (grids.print)(&kernel.program);
    let program = (grids.read)(&text)?;
    Ok((GridKernel { program, ..kernel }, text))
}

/// Checks that the counted program is the proved one.
fn fits(proof: &GridProof, kernel: &GridKernel) -> Result<(), String> {
    let found: Vec<(u32, u32)> = proof.kinds().iter().map(|kind| (kind.a_turn, kind.inner)).collect();
    let built: Vec<(u32, u32)> = kernel.turns.iter().map(|turn| (turn.blocks, turn.inner)).collect();
    if found != built {
        return Err(format!(
            "by the proof, the blocks of text of an iteration and the iterations of its inner loop are {found:?}, and not {built:?}: this is a fault of aesmith"
        ));
    }
    // In a text of which each kind takes complete iterations, the kinds' shares must be those by which their iterations
    // are counted.
    let text = u64::from(u32::MAX) + 1;
    let all: u64 = kernel.turns.iter().map(|turn| u64::from(turn.times * turn.blocks)).sum();
    let shares = proof.kinds().iter().map(|kind| kind.text(text)).collect::<Vec<_>>();
    for (share, turn) in shares.iter().zip(&kernel.turns) {
        if share * all != text * u64::from(turn.times * turn.blocks) {
            return Err(format!(
                "kinds of threads take {shares:?} of {text} blocks of text, and turns are counted by other shares: this is a fault of aesmith"
            ));
        }
    }
    Ok(())
}

/// Counts for the architectures that give a block as much shared memory as the kernel needs.
///
/// # Errors
/// The compiler rejects the text.
pub fn counted(grids: &Grids, text: &str, kernel: &GridKernel) -> Result<Vec<Counted>, String> {
    let fitting = grids.translator.architectures().iter().filter(|a| kernel.program.shared <= a.memory);
    fitting.map(|architecture| grids.translator.count(text, architecture, &kernel.turns)).collect()
}

/// Compares a kernel with the cipher in our interpreter, which also looks for races.
fn examined(grids: &Grids, kernel: &GridKernel, of_a_stream: Option<u32>) -> Result<u64, String> {
    let wrong = "the interpreter finds it wrong, though it is proved: this is a fault of aesmith";
    exam(kernel, of_a_stream, wrong, &|call| {
        let ran = run((grids.isa)(), grids.launch, &kernel.program, call)?;
        match ran.races.first() {
            Some(race) => Err(format!(
                "the interpreter finds a race, though it is proved: {race}; this is a fault of aesmith"
            )),
            None => Ok(ran.output),
        }
    })
}

/// Compares the results of an executor of a kernel with the cipher: the key of FIPS-197, appendix C, and its text in
/// the first block. Returns the number of correct blocks of text.
fn exam(
    kernel: &GridKernel,
    of_a_stream: Option<u32>,
    wrong: &str,
    answer: &dyn Fn(&Call) -> Result<Vec<u8>, String>,
) -> Result<u64, String> {
    let problem = kernel.contract.problem;
    let key: Vec<u8> = (0..problem.key.bytes() as u8).collect();
    let packed = kernel.contract.key_bytes(&key);
    if let Some(of_a_stream) = of_a_stream {
        return exam_of_streams(kernel, of_a_stream as usize, wrong, answer);
    }
    let iv: [u8; 16] = std::array::from_fn(|i| if i < 8 { i as u8 } else { 0xff });
    let elements = kernel.contract.elements();
    let mut tested = 0;
    let taken = kernel.program.threads as usize * usize::from(kernel.contract.blocks);
    for Launched { groups, turns, more, in_place } in EXAM {
        let count = groups as usize * turns * taken + more;
        // FIPS-197's text, followed by bytes with a long period.
        let input: Vec<u8> =
            (0..elements[0] * count).map(|at| (at * 0x11 % 0x110 + at / 16 * 7 + at / 4096) as u8).collect();
        let in_place = in_place && problem.mode().is_in_place_by_threads();
        let call = Call { blocks: groups, key: &packed, iv, input: &input, elements, streams: &[], in_place };
        if answer(&call)? != kernel.contract.results(&key, iv, &input) {
            return Err(format!("{wrong}, for {count} blocks"));
        }
        tested += count as u64;
    }
    Ok(tested)
}

/// Numbers of blocks of text of the streams of an exam.
const STREAMS: [u64; 9] = [1, 0, 33, 2, 16, 5, 64, 17, 31];

/// An exam of streams with a key each: more streams than a block of threads takes, of several lengths.
fn exam_of_streams(
    kernel: &GridKernel,
    of_a_stream: usize,
    wrong: &str,
    answer: &dyn Fn(&Call) -> Result<Vec<u8>, String>,
) -> Result<u64, String> {
    let problem = kernel.contract.problem;
    let threads = kernel.program.threads as usize;
    let groups = 2;
    let streams: Vec<Stream> = (0u64..)
        .zip(STREAMS.into_iter().cycle())
        .map(|(number, blocks)| Stream { blocks, iv: [number as u8; 16] })
        .take(threads / of_a_stream + 3)
        .collect();
    let (mut keys, mut input, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    for (number, &Stream { blocks, iv }) in streams.iter().enumerate() {
        let key: Vec<u8> = (0..problem.key.bytes()).map(|at| (at + 7 * number) as u8).collect();
        let text: Vec<u8> =
            (0..16 * blocks as usize).map(|at| (at * 0x11 % 0x110 + 3 * number) as u8).collect();
        keys.extend(kernel.contract.key_bytes(&key));
        wanted.extend(kernel.contract.results(&key, iv, &text));
        input.extend(text);
    }
    let mut tested = 0;
    for in_place in [false, true] {
        if in_place && !problem.mode().is_in_place_by_threads() {
            continue;
        }
        let call = Call {
            blocks: groups,
            key: &keys,
            iv: [0; 16],
            input: &input,
            elements: kernel.contract.elements(),
            streams: &streams,
            in_place,
        };
        if answer(&call)? != wanted {
            return Err(format!("{wrong}, for {} streams", streams.len()));
        }
        tested += streams.iter().map(|stream| stream.blocks).sum::<u64>();
    }
    Ok(tested)
}
