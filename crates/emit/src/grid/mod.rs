//! Emits GPU kernels as files: the proved text below its description, and its certificate.

mod cuda;
mod elements;
mod fill;
mod opencl;

pub use cuda::cuda_files;
pub use opencl::opencl_files;

use aesmith_cipher::mode::Role;
use aesmith_cipher::{Direction, Problem};
use aesmith_processor::certificate::Certificate;
use aesmith_processor::checked::Verdict;
use aesmith_processor::grid::certificate::{GridCertificate, ProvedGrid, Restated};
use aesmith_processor::grid::{Grids, Language};

use crate::banner::about_packing;
use crate::names::{VARIABLE_TIME_SUFFIX, prefix_of_blocks, symbol};
use crate::package::{File, LICENCE, certificate, licences, proof};
use crate::{EmitError, Naming};

/// The name of a problem's kernel.
pub fn grid_symbol(problem: Problem, variable_time: bool) -> String {
    format!("{}{}", symbol(problem), if variable_time { VARIABLE_TIME_SUFFIX } else { "" })
}

/// The lines of the description above a kernel.
fn said(proved: &ProvedGrid, restated: Option<&Restated>) -> Vec<String> {
    let (kernel, certificate) = (proved.kernel(), proved.certificate());
    let (problem, proof) = (kernel.contract.problem, &certificate.proof);
    let mut lines = vec![
        concat!("SPDX-License-Identifier: ", env!("CARGO_PKG_LICENSE")).to_owned(),
        format!("{}: {}, by aesmith {}.", certificate.symbol, problem.meaning(), certificate.tool_version),
        String::new(),
        format!("variant      {}", certificate.variant),
        format!(
            "certificate  proved{}, for every key and text, every thread of a grid of any size; SHA-256 {}",
            restated.map_or(String::new(), |_| format!(" of the {}", certificate.language)),
            certificate.sha256
        ),
        format!(
            "timing       {}, {}{}",
            certificate.class,
            certificate.constant_time,
            restated.map_or(
                "",
                |_| "; on a GPU of NVIDIA, as the ptx: nothing is proved of the time that this text takes"
            )
        ),
    ];
    if let Some(restated) = restated {
        let executed = restated.executed.iter().map(|e| format!("{} ({} blocks)", e.by, e.blocks));
        let executed: Vec<String> = executed.collect();
        lines.push(format!(
            "this text    restates that program, one statement per instruction; not proved, executed rightly by: {}",
            if executed.is_empty() { "no program".to_owned() } else { executed.join(", ") }
        ));
    }
    for counted in certificate.counts.iter().filter(|_| restated.is_none()) {
        lines.push(format!(
            "static bound, {}: {:.1} bits a clock of a multiprocessor, by {}; {} registers, {} bytes spilled; not measured",
            counted.architecture, counted.bits, counted.limit, counted.registers, counted.spilled
        ));
    }
    lines.push(String::new());
    let (threads, shared) = (proof.threads, proof.shared);
    let (groups, memory) = match restated {
        None if shared > 0 => (
            format!("blocks of {threads} threads"),
            format!(
                ", each with {shared} bytes of dynamic shared memory (beyond 48 KiB the attribute MAX_DYNAMIC_SHARED_SIZE_BYTES \
                 must be set)"
            ),
        ),
        None => (format!("blocks of {threads} threads"), String::new()),
        Some(_) => {
            let memory = match shared {
                0 => String::new(),
                _ => {
                    format!(", each with {shared} bytes of local memory: the last argument, without a value")
                }
            };
            (format!("work-groups of {threads} work-items"), format!("{memory}. The device is little-endian"))
        }
    };
    let suffices = match proof.of_a_stream {
        None => "Few suffice, since each takes its share of the text in turns: as many as the device holds at once.".into(),
        Some(of_a_stream) => format!(
            "Each stream has a key, a text and a length of its own, and {of_a_stream} threads: there must be enough for all. \
             Arrays have an element for each stream."
        ),
    };
    lines.push(format!("A launch has one dimension: {groups}{memory}. {suffices}"));
    let by_value = if restated.is_some() { "in constant memory" } else { "by value" };
    for parameter in &kernel.program.parameters {
        let keys = match problem.mode().direction {
            Direction::Encrypt => "FIPS-197, 5.2",
            Direction::Decrypt => "FIPS-197, 5.3.5, in order of use",
        };
        let mode = problem.mode();
        let what = match parameter.role {
            Role::Key | Role::CipherKey if parameter.each => {
                format!("an array of {} bytes each, at a multiple of 16: {} ({keys})", kernel.contract.key_size(), about_packing(kernel.contract.packing))
            }
            Role::Iv if parameter.each => {
                let what = if mode.counts() { "the counters of the first blocks" } else { "the initial vectors" };
                format!("an array of 16 bytes each, at a multiple of 16: {what}; they are not written back")
            }
            Role::Input if parameter.each => "an array of the addresses of the texts, at multiples of 16".into(),
            Role::Output if parameter.each && !mode.is_in_place_by_threads() => {
                "an array of the addresses of the results, at multiples of 16; each apart from all texts, from other results and from these arrays".into()
            }
            Role::Output if parameter.each => {
                "an array of the addresses of the results, at multiples of 16; each the same as its text's or apart from all, and from these arrays".into()
            }
            Role::Length if parameter.each => "an array of the numbers of whole blocks of text, 0 and more".into(),
            Role::Length if kernel.program.has_streams() => "the number of streams".into(),
            Role::Key | Role::CipherKey => {
                let packing = about_packing(kernel.contract.packing);
                format!("{} bytes {by_value}: {packing} ({keys})", parameter.bytes)
            }
            Role::Iv => {
                let what = if mode.counts() { "the counter" } else { "the initial vector" };
                format!("16 bytes {by_value}: {what} of the first block; it is not written back")
            }
            Role::Input if mode.writes.is_some() => {
                format!("the cipher keys, {} bytes each, at a multiple of 16", problem.key.bytes())
            }
            Role::Output if mode.writes.is_some() => format!(
                "{} bytes for each, at a multiple of 16, apart from the cipher keys: {} ({keys})",
                kernel.contract.key_size(),
                about_packing(kernel.contract.packing)
            ),
            Role::Length if mode.writes.is_some() => "the number of keys, 0 and more".into(),
            Role::Input => "the text, at a multiple of 16".into(),
            Role::Output if mode.is_in_place_by_threads() => {
                "the result, at a multiple of 16; the same memory as the text or apart from it".into()
            }
            Role::Output => "the result, at a multiple of 16, apart from the text".into(),
            Role::Length => "the number of whole blocks of text, 0 and more".into(),
        };
        lines.push(format!("    {:<8}{what}", parameter.name));
    }
    lines
}

/// A system that runs kernels of a package: its name, and the form of `aesmith emit` for it.
struct System {
    name: &'static str,
    form: &'static str,
}

/// The README's section with the command and the lines that reproduce a package.
fn recipe(stated: &GridCertificate, system: &System) -> String {
    let naming = prefix_of_blocks(&stated.symbol);
    let prefix =
        Naming::with_prefix(naming).ok().and_then(|naming| Some(format!("prefix {}\n", naming.prefix()?)));
    format!(
        "## Recipe\n\nThis makes the same package again from the lines below:\n\n```sh\n\
         aesmith emit {} --processor {}{} --as {} --variant README.md -o FOLDER\n```\n\n\
         ```\nversion {}\n{}variant {}\n```\n",
        stated.problem,
        stated.processor,
        if stated.class == "VT" { " --allow-variable-time" } else { "" },
        system.form,
        env!("CARGO_PKG_VERSION"),
        prefix.unwrap_or_default(),
        stated.variant,
    )
}

/// The files around a kernel and its host code: a README with the kernel's description and recipe, and the licences.
fn around(proved: &ProvedGrid, system: &System, restated: Option<&Restated>) -> Vec<File> {
    let stated = proved.certificate();
    let symbol = &stated.symbol;
    // The first lines, licence and name, are elsewhere in the README.
    let said: Vec<String> = said(proved, restated).into_iter().skip(3).collect();
    let contents = format!(
        "# {symbol}\n\n{} for {}, written by aesmith {}.\n\n```\n{}\n```\n\n\
         ```\nmake            # lib{symbol}.a\nmake check      # self-test, on the device at hand\n```\n\n\
         `{symbol}.certificate.json` states what is proved about the text; `aesmith verify .` proves it again.\n\n\
         {}\n{LICENCE}\n",
        proved.kernel().contract.problem.meaning(),
        system.name,
        stated.tool_version,
        said.join("\n"),
        recipe(stated, system),
    );
    [File { name: "README.md".into(), contents }].into_iter().chain(licences()).collect()
}

/// Returns the certificate of a proved kernel and, if the checker of proofs accepts one, the proof.
///
/// # Errors
/// The certificate cannot be written as JSON.
pub fn evidence_files(proved: &ProvedGrid, verdict: &Verdict) -> Result<Vec<File>, EmitError> {
    let stated = proved.certificate();
    let json = stated.stated(verdict).map_err(EmitError)?;
    let accepted = verdict.proof().map(|text| proof("", &stated.symbol, text));
    Ok([certificate("", &stated.symbol, &json)].into_iter().chain(accepted).collect())
}

/// Returns the text of a proved kernel as a file and, if it is restated in another language, that text.
pub fn grid_files(grids: &Grids, proved: &ProvedGrid, restated: Option<(&Language, &str)>) -> Vec<File> {
    let stated = proved.certificate();
    let file = |ending: &str, lines: Vec<String>, text: &str| {
        let lines =
            lines.into_iter().map(|line| format!("{} {line}", grids.comment).trim_end().to_owned() + "\n");
        File {
            name: format!("{}.{ending}", stated.symbol),
            contents: lines.collect::<String>() + "\n" + text,
        }
    };
    let other =
        restated.map(|(language, text)| file(language.ending, said(proved, stated.restated.as_ref()), text));
    let own = file(grids.language, said(proved, None), proved.text());
    other.into_iter().chain([own]).collect()
}
