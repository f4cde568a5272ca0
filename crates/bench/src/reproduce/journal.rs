//! The progress of a reproduction, a line of JSON for each unit of work: an interrupted reproduction
//! continues from there.

use aesmith_tune::TuneError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file's name.
pub const FILE: &str = "progress.jsonl";

/// Origin of the work: results of another machine or version are not reused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Name of the reproduction.
    pub reproduction: String,
    /// The processor's key in wisdom.
    pub processor: String,
    /// The program's version.
    pub version: String,
}

#[derive(Serialize, Deserialize)]
struct Line {
    unit: String,
    data: Value,
}

/// The file and its content.
pub struct Journal {
    path: PathBuf,
    file: File,
    units: HashMap<String, Value>,
}

impl Journal {
    /// Opens or creates the file in a folder.
    ///
    /// # Errors
    /// The file belongs to another machine or version, is not such a file, or cannot be read or written.
    pub fn open(folder: &Path, header: &Header) -> Result<Journal, TuneError> {
        let path = folder.join(FILE);
        let trouble = |what: &str, why: std::io::Error| {
            TuneError::NoResult(format!("{} cannot be {what}: {why}", path.display()))
        };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(why) => return Err(trouble("read", why)),
        };
        // A line cut off by a power failure is incomplete: it is written again.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = whole.lines();
        if let Some(first) = lines.next() {
            let other: Header = serde_json::from_str(first).map_err(|_| {
                TuneError::Usage(format!(
                    "{} is not the progress of a reproduction; give another folder with -o",
                    path.display()
                ))
            })?;
            if other != *header {
                return Err(TuneError::Usage(format!(
                    "{} is of {} by version {}, and this is {} by version {}; give another folder with -o, or \
                     remove that file to begin anew",
                    path.display(),
                    other.processor,
                    other.version,
                    header.processor,
                    header.version
                )));
            }
        }
        let mut units = HashMap::new();
        for (number, line) in lines.enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|why| {
                TuneError::Usage(format!(
                    "line {} of {} is no unit of work: {why}; remove the file to begin anew",
                    number + 2,
                    path.display()
                ))
            })?;
            units.insert(line.unit, line.data);
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|why| trouble("written", why))?;
        file.set_len(whole.len() as u64).map_err(|why| trouble("written", why))?;
        let mut journal = Journal { path, file, units };
        if whole.is_empty() {
            journal.write(header)?;
        }
        Ok(journal)
    }

    /// The data of a finished unit.
    pub fn get<T: DeserializeOwned>(&self, unit: &str) -> Option<T> {
        serde_json::from_value(self.units.get(unit)?.clone()).ok()
    }

    /// Records a finished unit.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&mut self, unit: &str, data: &impl Serialize) -> Result<(), TuneError> {
        let data = serde_json::to_value(data).map_err(|why| TuneError::NoResult(why.to_string()))?;
        self.write(&Line { unit: unit.to_owned(), data: data.clone() })?;
        self.units.insert(unit.to_owned(), data);
        Ok(())
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), TuneError> {
        let mut text = serde_json::to_string(line).map_err(|why| TuneError::NoResult(why.to_string()))?;
        text.push('\n');
        // One write per line: the file consists of whole lines, and at most one incomplete line.
        self.file.write_all(text.as_bytes()).map_err(|why| {
            TuneError::NoResult(format!(
                "{} cannot be written: {why}; what was done before is in it, and the same command goes on from there",
                self.path.display()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(processor: &str) -> Header {
        Header { reproduction: "manley2010".into(), processor: processor.into(), version: "1".into() }
    }

    #[test]
    fn what_was_done_is_there_again_and_a_broken_line_is_not() {
        let folder = std::env::temp_dir().join(format!("aesmith-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut journal = Journal::open(&folder, &header("one")).unwrap();
        journal.put("a", &[1.5, 2.5]).unwrap();
        drop(journal);
        let file = folder.join(FILE);
        let mut text = std::fs::read_to_string(&file).unwrap();
        text.push_str("{\"unit\":\"b\",\"da");
        std::fs::write(&file, &text).unwrap();
        let mut journal = Journal::open(&folder, &header("one")).unwrap();
        assert_eq!(journal.get::<Vec<f64>>("a"), Some(vec![1.5, 2.5]));
        assert_eq!(journal.get::<Vec<f64>>("b"), None);
        journal.put("b", &[3.0]).unwrap();
        let journal = Journal::open(&folder, &header("one")).unwrap();
        assert_eq!(journal.get::<Vec<f64>>("b"), Some(vec![3.0]));
        let refused = Journal::open(&folder, &header("two")).err().unwrap().to_string();
        assert!(refused.contains("another folder"), "{refused}");
        std::fs::write(&file, "something else\n").unwrap();
        assert!(Journal::open(&folder, &header("one")).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
