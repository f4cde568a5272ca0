//! Errors of the store, each with a sentence about the remedy.

use rusqlite::ErrorCode;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why the store refused an operation. The store is unchanged.
#[derive(Debug)]
pub enum WisdomError {
    /// There is no data directory to put it in.
    NoPlace,
    /// There is no file to read.
    Missing(PathBuf),
    /// The file is a database of another tool, or not a database at all.
    NotWisdom(PathBuf),
    /// The file is damaged.
    Corrupt(PathBuf, String),
    /// The file was written by a newer version of this tool: its schema, and the newest known.
    Newer(PathBuf, i64, i64),
    /// The file or its directory cannot be written.
    ReadOnly(PathBuf),
    /// The disk is full.
    Full(PathBuf),
    /// Another process has been writing for too long.
    Locked(PathBuf),
    /// The operating system refused.
    System(PathBuf, String),
    /// A line of an import is wrong, and nothing was imported.
    Import {
        /// Number of the line, from 1.
        line: u64,
        /// The error in the line.
        why: String,
    },
    /// A value to be stored is not valid.
    Invalid(String),
}

impl WisdomError {
    pub(crate) fn sqlite(path: &Path, error: rusqlite::Error) -> WisdomError {
        let path = path.to_path_buf();
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => WisdomError::NotWisdom(path),
            Some(ErrorCode::DatabaseCorrupt) => WisdomError::Corrupt(path, text),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => WisdomError::ReadOnly(path),
            Some(ErrorCode::DiskFull) => WisdomError::Full(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => WisdomError::Locked(path),
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => WisdomError::System(path, text),
            // A row has types or values that this tool would not write.
            _ => WisdomError::Corrupt(path, text),
        }
    }
}

impl fmt::Display for WisdomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WisdomError::NoPlace => f.write_str(
                "there is no place for wisdom: neither AESMITH_WISDOM nor XDG_DATA_HOME nor HOME is set; \
                 set AESMITH_WISDOM to a file name",
            ),
            // Without a directory for wisdom, no file exists either.
            WisdomError::Missing(p) if p.as_os_str().is_empty() => WisdomError::NoPlace.fmt(f),
            WisdomError::Missing(p) => write!(
                f,
                "there is no wisdom yet ({} does not exist); `aesmith tune` makes some",
                p.display()
            ),
            WisdomError::NotWisdom(p) => write!(
                f,
                "{} is not a wisdom file and is left alone; move it away, or set AESMITH_WISDOM to another file",
                p.display()
            ),
            WisdomError::Corrupt(p, why) => write!(
                f,
                "the wisdom file {} is damaged ({why}) and is left alone; move it away to start anew, or try \
                 `sqlite3 FILE .recover`",
                p.display()
            ),
            WisdomError::Newer(p, found, known) => write!(
                f,
                "the wisdom file {} was written by a newer aesmith (schema {found}, this one knows up to \
                 {known}) and is left alone; update aesmith, or set AESMITH_WISDOM to another file",
                p.display()
            ),
            WisdomError::ReadOnly(p) => write!(
                f,
                "the wisdom file {} cannot be written; change the permissions of it and its directory, or set \
                 AESMITH_WISDOM to another file",
                p.display()
            ),
            WisdomError::Full(p) => write!(
                f,
                "the disk with the wisdom file {} is full; what was stored before is kept; make room and run \
                 the same command again",
                p.display()
            ),
            WisdomError::Locked(p) => write!(
                f,
                "another process has kept the wisdom file {} locked for too long; wait for it to end and run \
                 the same command again",
                p.display()
            ),
            WisdomError::System(p, why) => {
                write!(f, "the wisdom file {} cannot be opened or accessed: {why}", p.display())
            }
            WisdomError::Import { line, why } => {
                write!(f, "line {line} of the import: {why}; nothing was imported")
            }
            WisdomError::Invalid(why) => write!(f, "not stored: {why}"),
        }
    }
}

impl std::error::Error for WisdomError {}
