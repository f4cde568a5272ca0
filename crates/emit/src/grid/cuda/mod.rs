//! A kernel as a package for CUDA: its text, host code for the driver API that embeds the text, and a self-test. The
//! templates of this module hold the common parts; a launch takes one array of blocks or keys, or several streams.

mod single;
mod streams;

use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;

use super::fill::{Values, common, filled, quoted};
use super::{System, around, grid_files};
use crate::EmitError;
use crate::package::File;

/// Files with their templates: `@S@` stands for the kernel's name.
const FILES: [(&str, &str); 5] = [
    ("@S@.h", include_str!("template/host.h")),
    ("@S@.cu", include_str!("template/host.cu")),
    ("@S@_test.cu", include_str!("template/test.cu")),
    ("Makefile", include_str!("template/Makefile")),
    ("CMakeLists.txt", include_str!("template/CMakeLists.txt")),
];

/// Versions of PTX that kernels use: the CUDA version that introduced each, and its first driver for Linux (CUDA
/// release notes, table of toolkit and driver versions).
const VERSIONS: [(&str, &str, &str); 2] = [("7.8", "11.8", "520.61.05"), ("8.1", "12.1", "530.30.02")];

/// Returns the requirements of a text on driver and device.
///
/// # Errors
/// The text names no version or no target that is known here.
fn needs(text: &str) -> Result<Values, EmitError> {
    let after = |directive: &str| {
        text.lines().find_map(|line| line.strip_prefix(directive)).unwrap_or_default().trim()
    };
    let (version, target) = (after(".version "), after(".target sm_"));
    let known = VERSIONS.iter().find(|(ptx, ..)| *ptx == version);
    let (Some((ptx, cuda, driver)), Ok(number)) = (known, target.parse::<u32>()) else {
        return Err(EmitError(format!(
            "the kernel's text is PTX `{version}` for `sm_{target}`, and which drivers and devices take that is not known here"
        )));
    };
    Ok(vec![
        ("@PTX_VERSION@", (*ptx).into()),
        ("@CUDA_VERSION@", (*cuda).into()),
        ("@DRIVER_VERSION@", (*driver).into()),
        ("@CAPABILITY@", format!("{}.{}", number / 10, number % 10)),
        ("@TARGET@", target.into()),
    ])
}

/// Returns the files of a package, without certificate and proof.
///
/// # Errors
/// It is not known which drivers and devices take the kernel's text.
pub fn cuda_files(grids: &Grids, proved: &ProvedGrid) -> Result<Vec<File>, EmitError> {
    let mut values = match proved.certificate().proof.of_a_stream {
        None => single::values(proved),
        Some(of_a_stream) => streams::values(proved, of_a_stream),
    };
    values.push(("@PTX@", quoted(proved.text())));
    values.extend(needs(proved.text())?);
    values.extend(common(proved, "GPUs of NVIDIA"));
    let mut files = filled(&FILES, &values);
    files.extend(grid_files(grids, proved, None));
    let system = System { name: "GPUs of NVIDIA, with host code for CUDA", form: "cuda" };
    files.extend(around(proved, &system, None));
    Ok(files)
}
