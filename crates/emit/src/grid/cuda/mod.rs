//! A kernel as a package for CUDA: its text, host code over the driver's interface that holds the text, and a self-test. What
//! packages have in common is in the templates of this module; a launch takes one array of blocks or keys, or several streams.

mod single;
mod streams;

use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;

use super::fill::{common, filled, quoted};
use super::{around, grid_files};
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

/// The files of a package.
///
/// # Errors
/// The certificate cannot be written as JSON.
pub fn cuda_files(grids: &Grids, proved: &ProvedGrid) -> Result<Vec<File>, EmitError> {
    let mut values = match proved.certificate().proof.of_a_stream {
        None => single::values(proved),
        Some(of_a_stream) => streams::values(proved, of_a_stream),
    };
    values.push(("@PTX@", quoted(proved.text())));
    values.extend(common(proved, "GPUs of NVIDIA"));
    let mut files = filled(&FILES, &values);
    files.extend(grid_files(grids, proved, None)?);
    files.extend(around(proved, "GPUs of NVIDIA, with host code for CUDA", None));
    Ok(files)
}
