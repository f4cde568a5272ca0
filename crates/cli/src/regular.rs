//! Files that are read whole: only regular ones, up to a size. A device or a pipe may never end, and a pipe may never
//! begin.

use crate::failure::Failure;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The maximum size of a text in bytes: variants, recipes, certificates, extensions, headers.
pub const TEXT: u64 = 16 << 20;
/// The maximum size of a program, an object or an archive in bytes.
pub const CODE: u64 = 256 << 20;

/// Opens a regular file for reading.
pub fn open(file: &Path) -> Result<File, Failure> {
    let cannot = |why: String| Failure::Other(format!("{} cannot be read: {why}", file.display()));
    // Without blocking, a pipe that has no writer is opened at once, and then refused.
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(file);
    let opened = opened.map_err(|e| cannot(e.to_string()))?;
    let kind = opened.metadata().map_err(|e| cannot(e.to_string()))?.file_type();
    if kind.is_dir() {
        return Err(cannot("it is a directory".into()));
    }
    if !kind.is_file() {
        return Err(cannot("it is no regular file; put what it gives into one".into()));
    }
    Ok(opened)
}

/// All bytes of a regular file of at most `limit` bytes.
pub fn read(file: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let name = file.display().to_string();
    up_to(open(file)?, limit, &name)
}

/// The text of a regular file of at most [`TEXT`] bytes.
pub fn read_text(file: &Path) -> Result<String, Failure> {
    let bytes = read(file, TEXT)?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::Other(format!("{} cannot be read: it is no text in UTF-8", file.display())))
}

/// The first [`TEXT`] bytes of a regular file; bytes that are not UTF-8 are replaced.
pub fn beginning(file: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = open(file)?.take(TEXT).read_to_end(&mut bytes);
    read.map_err(|e| Failure::Other(format!("{} cannot be read: {e}", file.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text of standard input, of at most [`TEXT`] bytes.
pub fn standard_input() -> Result<String, Failure> {
    let bytes = up_to(std::io::stdin(), TEXT, "standard input")?;
    String::from_utf8(bytes).map_err(|_| Failure::Other("standard input is no text in UTF-8".into()))
}

fn up_to(from: impl Read, limit: u64, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = from.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|e| Failure::Other(format!("{name} cannot be read: {e}")))?;
    if bytes.len() as u64 > limit {
        return Err(Failure::Other(format!("{name} is not read: it has more than {limit} bytes")));
    }
    Ok(bytes)
}
