//! Opens the store: creates it if it does not exist, migrates it if it is older, and refuses it, with a sentence, if it
//! is damaged, foreign, newer, or cannot be written. A refused file stays unchanged.

use crate::WisdomError;
use crate::schema::{APPLICATION_ID, STEPS, VERSION};
use aesmith_cipher::Calls;
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) path: PathBuf,
    /// The calls whose runs are read where costs are compared.
    pub(crate) calls: Calls,
}

/// A run in the open store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunId(pub(crate) i64);

/// Size in bytes up to which the whole file is checked when it is opened; larger files are checked by `doctor`.
const CHECKED_WHOLE: u64 = 16 << 20;

/// Page size in bytes of the built-in SQLite.
const PAGE: u64 = 4096;

/// Number of pages that are copied before other processes get a chance to write.
const PAGES_AT_ONCE: i32 = 1024;

/// Waits for another process's lock: retries after 1, 2, 4, ... 32 ms, then every 50 ms; prints a message after about a
/// second, and gives up after about a minute.
fn wait_for_lock(times: i32) -> bool {
    if times == 20 {
        // Only a message: a failure to write it changes nothing.
        let _ = writeln!(std::io::stderr(), "wisdom: another process is writing; waiting for it");
    }
    std::thread::sleep(Duration::from_millis(if times < 6 { 1 << times } else { 50 }));
    times < 1200
}

impl Store {
    /// Opens the store for reading and writing; creates it (and its directory) if it does not exist.
    pub fn open(path: &Path) -> Result<Store, WisdomError> {
        if let Some(directory) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
            std::fs::create_dir_all(directory).map_err(|e| match e.kind() {
                std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                    WisdomError::ReadOnly(path.into())
                }
                std::io::ErrorKind::StorageFull => WisdomError::Full(path.into()),
                _ => WisdomError::System(path.into(), e.to_string()),
            })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Store::connect(path, path, flags)?;
        // SQLite opens a read-only file for reading without an error.
        if store.db.is_readonly("main").map_err(|e| store.error(e))? {
            return Err(WisdomError::ReadOnly(path.into()));
        }
        store.verify()?;
        // A process that is killed loses nothing that was committed, with NORMAL as with FULL; after a power cut,
        // NORMAL may lose the last commits, but the file is intact.
        store.retry(|db| db.pragma_update(None, "journal_mode", "WAL"))?;
        store.retry(|db| db.pragma_update(None, "synchronous", "NORMAL"))?;
        store.retry(|db| db.pragma_update(None, "foreign_keys", true))?;
        store.migrate()?;
        Ok(store)
    }

    /// Opens the store, or a copy of it in memory if it cannot be written or has no place (an empty path). Data stored
    /// in the copy are lost with it; the flag is `true` for a copy.
    pub fn open_or_copy(path: &Path) -> Result<(Store, bool), WisdomError> {
        if !path.as_os_str().is_empty() {
            match Store::open(path) {
                Err(WisdomError::ReadOnly(_) | WisdomError::System(..)) => {}
                opened => return opened.map(|store| (store, false)),
            }
        }
        Store::copy(path).map(|store| (store, true))
    }

    /// A copy of the store in memory.
    fn copy(path: &Path) -> Result<Store, WisdomError> {
        let mut db = Connection::open_in_memory().map_err(|e| WisdomError::sqlite(path, e))?;
        if path.exists() {
            let from = Store::readable(path)?;
            let copied = Backup::new(&from.db, &mut db)
                .and_then(|backup| backup.run_to_completion(PAGES_AT_ONCE, Duration::ZERO, None));
            copied.map_err(|e| WisdomError::sqlite(path, e))?;
        }
        let mut store = Store { db, path: path.into(), calls: Calls::default() };
        store.retry(|db| db.pragma_update(None, "foreign_keys", true))?;
        store.migrate()?;
        Ok(store)
    }

    /// Opens the store for reading only, also on read-only media.
    pub fn open_to_read(path: &Path) -> Result<Store, WisdomError> {
        let store = Store::readable(path)?;
        let version = store.number("PRAGMA user_version")?;
        if version < VERSION {
            // Views and columns may be missing, and migration needs write access.
            drop(store);
            return Store::open_or_copy(path).map(|(store, _)| store);
        }
        Ok(store)
    }

    /// Opens the store as it is in its file, of any schema version.
    fn readable(path: &Path) -> Result<Store, WisdomError> {
        if !path.exists() {
            return Err(WisdomError::Missing(path.into()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let plain = Store::connect(path, path, flags).and_then(|s| s.verify().map(|()| s));
        match plain {
            // A store in WAL mode in a read-only directory: no other process writes there.
            Err(WisdomError::System(..) | WisdomError::ReadOnly(_)) => {
                let store = Store::immutable(path)?;
                store.verify()?;
                Ok(store)
            }
            other => other,
        }
    }

    /// Checks the whole file, which takes time in proportion to its size.
    pub fn check_whole(&self) -> Result<(), WisdomError> {
        let said: String =
            self.db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|e| self.error(e))?;
        if said == "ok" { Ok(()) } else { Err(WisdomError::Corrupt(self.path.clone(), said)) }
    }

    /// The store, set to read the runs for these calls wherever costs are compared; a newly opened store reads those
    /// for calls in steady state.
    pub fn about(self, calls: Calls) -> Store {
        Store { calls, ..self }
    }

    /// The calls whose runs are read where costs are compared.
    pub fn calls(&self) -> Calls {
        self.calls
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connect(path: &Path, name: &Path, flags: OpenFlags) -> Result<Store, WisdomError> {
        // Opening a pipe without a writer would block forever, and a device may have no end.
        for beside in ["", "-wal", "-shm", "-journal"] {
            let mut file = path.as_os_str().to_owned();
            file.push(beside);
            if std::fs::metadata(&file).is_ok_and(|m| !m.is_file()) {
                let why = format!("{} is no regular file", file.display());
                return Err(WisdomError::System(path.into(), why));
            }
        }
        let db = Connection::open_with_flags(name, flags).map_err(|e| WisdomError::sqlite(path, e))?;
        let store = Store { db, path: path.into(), calls: Calls::default() };
        store.db.busy_handler(Some(wait_for_lock)).map_err(|e| store.error(e))?;
        store.db.set_prepared_statement_cache_capacity(64);
        Ok(store)
    }

    fn immutable(path: &Path) -> Result<Store, WisdomError> {
        let name = format!("file:{}?immutable=1", percent(path));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Store::connect(path, Path::new(&name), flags | OpenFlags::SQLITE_OPEN_URI)
    }

    /// Refuses a file that is not wisdom, or newer, or damaged.
    fn verify(&self) -> Result<(), WisdomError> {
        self.verify_length()?;
        let id = self.number("PRAGMA application_id")?;
        let version = self.number("PRAGMA user_version")?;
        let tables = self.number("SELECT count(*) FROM sqlite_schema")?;
        let fresh = id == 0 && version == 0 && tables == 0;
        if !fresh && id != i64::from(APPLICATION_ID) {
            return Err(WisdomError::NotWisdom(self.path.clone()));
        }
        if version > VERSION {
            return Err(WisdomError::Newer(self.path.clone(), version, VERSION));
        }
        let bytes = std::fs::metadata(&self.path).map_or(0, |m| m.len());
        if bytes <= CHECKED_WHOLE { self.check_whole() } else { Ok(()) }
    }

    /// SQLite takes a file of less than a page for an empty one and would overwrite it, and pads a truncated last page.
    /// If there is a log beside the file, the file itself may still be incomplete.
    fn verify_length(&self) -> Result<(), WisdomError> {
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        let bytes = std::fs::metadata(&self.path).map_or(0, |m| m.len());
        if bytes.is_multiple_of(PAGE) || std::fs::metadata(log).is_ok_and(|m| m.len() > 0) {
            return Ok(());
        }
        let mut start = Vec::new();
        let read = std::fs::File::open(&self.path).and_then(|f| f.take(16).read_to_end(&mut start));
        read.map_err(|e| WisdomError::System(self.path.clone(), e.to_string()))?;
        if !b"SQLite format 3\0".starts_with(&start) {
            return Err(WisdomError::NotWisdom(self.path.clone()));
        }
        Err(WisdomError::Corrupt(self.path.clone(), format!("it was cut off after {bytes} bytes")))
    }

    fn migrate(&mut self) -> Result<(), WisdomError> {
        if self.number("PRAGMA user_version")? == VERSION {
            return Ok(());
        }
        let path = self.path.clone();
        let write = self.transaction()?;
        let all = || -> rusqlite::Result<()> {
            // Another process may have migrated it while this one waited.
            let done: i64 = write.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            for step in STEPS.iter().skip(done as usize) {
                step.take(&write)?;
            }
            write.pragma_update(None, "application_id", APPLICATION_ID)?;
            write.pragma_update(None, "user_version", VERSION)?;
            write.execute("INSERT OR REPLACE INTO meta VALUES ('schema', ?1)", [VERSION.to_string()])?;
            Ok(())
        };
        all().and_then(|()| write.commit()).map_err(|e| WisdomError::sqlite(&path, e))
    }

    /// A transaction that waits for other writers only at its start.
    pub(crate) fn transaction(&mut self) -> Result<Transaction<'_>, WisdomError> {
        let path = &self.path;
        self.db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|e| WisdomError::sqlite(path, e))
    }

    pub(crate) fn error(&self, error: rusqlite::Error) -> WisdomError {
        WisdomError::sqlite(&self.path, error)
    }

    fn number(&self, sql: &str) -> Result<i64, WisdomError> {
        self.db.query_row(sql, [], |row| row.get(0)).map_err(|e| self.error(e))
    }

    /// Repeats a step that answers "busy": switching to the write-ahead log does so without asking the busy handler if
    /// two processes open a new file at once.
    fn retry(&self, mut step: impl FnMut(&Connection) -> rusqlite::Result<()>) -> Result<(), WisdomError> {
        let mut times = 0;
        loop {
            match step(&self.db).map_err(|e| self.error(e)) {
                Err(WisdomError::Locked(_)) if wait_for_lock(times) => times += 1,
                other => return other,
            }
        }
    }
}

/// A path in a `file:` URI.
fn percent(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let byte = |b: &u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => (*b as char).to_string(),
        other => format!("%{other:02X}"),
    };
    absolute.as_os_str().as_bytes().iter().map(byte).collect()
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
