//! Kernels of grids as files: the text that was proved below what is said of it, and its certificate.

use aesmith_cipher::mode::Role;
use aesmith_cipher::{Direction, Problem};
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;

use crate::EmitError;
use crate::names::{VARIABLE_TIME_SUFFIX, symbol};
use crate::package::{File, certificate};

/// The name of a problem's kernel.
pub fn grid_symbol(problem: Problem, variable_time: bool) -> String {
    format!("{}{}", symbol(problem), if variable_time { VARIABLE_TIME_SUFFIX } else { "" })
}

/// What is said above a kernel, a line each.
fn said(proved: &ProvedGrid) -> Vec<String> {
    let (kernel, certificate) = (proved.kernel(), proved.certificate());
    let (problem, proof) = (kernel.contract.problem, &certificate.proof);
    let mut lines = vec![
        concat!("SPDX-License-Identifier: ", env!("CARGO_PKG_LICENSE")).to_owned(),
        format!("{}: {}, by aesmith {}.", certificate.symbol, problem.meaning(), certificate.tool_version),
        String::new(),
        format!("variant      {}", certificate.variant),
        format!(
            "certificate  proved, for every key and text, every thread of a grid of any size; SHA-256 {}",
            certificate.sha256
        ),
        format!("timing       {}, {}", certificate.class, certificate.constant_time),
    ];
    for counted in &certificate.counts {
        lines.push(format!(
            "static bound, {}: {:.1} bits a clock of a multiprocessor, by {}; {} registers, {} bytes spilled; not measured",
            counted.architecture, counted.bits, counted.limit, counted.registers, counted.spilled
        ));
    }
    lines.push(String::new());
    lines.push(format!(
        "A launch has one dimension: blocks of {} threads, each with {} bytes of dynamic shared memory (beyond 48 KiB \
         the attribute MAX_DYNAMIC_SHARED_SIZE_BYTES must be set). Few blocks suffice, since each takes its share of \
         the text in turns: as many as multiprocessors hold at once.",
        proof.threads, proof.shared
    ));
    for parameter in &kernel.program.parameters {
        let keys = match problem.mode().direction {
            Direction::Encrypt => "FIPS-197, 5.2",
            Direction::Decrypt => "FIPS-197, 5.3.5, in order of use",
        };
        let what = match parameter.role {
            Role::Key | Role::CipherKey => {
                format!("{} bytes by value: the round keys ({keys})", parameter.bytes)
            }
            Role::Iv => "16 bytes by value: the counter of the first block; it is not written back".into(),
            Role::Input => "the text, at a multiple of 16".into(),
            Role::Output => {
                "the result, at a multiple of 16; the same memory as the text or apart from it".into()
            }
            Role::Length => "the number of whole blocks of text, 0 and more".into(),
        };
        lines.push(format!("    {:<7}{what}", parameter.name));
    }
    lines
}

/// The files of a proved kernel.
///
/// # Errors
/// The certificate cannot be written as JSON.
pub fn grid_files(grids: &Grids, proved: &ProvedGrid) -> Result<Vec<File>, EmitError> {
    let stated = proved.certificate();
    let lines =
        said(proved).into_iter().map(|line| format!("{} {line}", grids.comment).trim_end().to_owned() + "\n");
    let contents = lines.collect::<String>() + "\n" + proved.text();
    let json = serde_json::to_string_pretty(stated).map_err(|e| EmitError(e.to_string()))? + "\n";
    let name = format!("{}.{}", stated.symbol, grids.language);
    Ok(vec![File { name, contents }, certificate("", &stated.symbol, &json)])
}
