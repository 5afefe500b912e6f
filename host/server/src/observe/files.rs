//! The files of traces: one a day, all of a folder within a size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use pif_domain::text::time;

use super::private::own;
use crate::config::Traces;

/// The beginning and the end of the files' names, with a day between them.
const NAMES: (&str, &str) = ("traces-", ".jsonl");

/// Bytes that have to fit onto the disk at the start.
const ROOM: usize = 64 << 10;

/// The name of the file of a day.
#[must_use]
pub fn file_of(day: &str) -> String {
    format!("{}{day}{}", NAMES.0, NAMES.1)
}

/// The day of a file of traces, such as `2026-11-21`; None: it is another file.
#[must_use]
pub fn day_of(name: &str) -> Option<&str> {
    let day = name.strip_prefix(NAMES.0)?.strip_suffix(NAMES.1)?;
    let is_day = day.len() == DAY.len() && day.bytes().all(|it| it.is_ascii_digit() || it == b'-');
    is_day.then_some(day)
}

/// How a day is written.
const DAY: &str = "2026-11-21";

/// Why no traces can be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder is not there.
    #[error("--trace-dir {0}: there is no such folder; make it first, or name another one")]
    Missing(PathBuf),
    /// Nothing can be written there.
    #[error("--trace-dir {0}: no traces can be written there: {1}")]
    Unwritable(PathBuf, io::Error),
}

/// A folder with a file for each day, the one of today open.
#[derive(Debug)]
pub struct TraceFiles {
    directory: PathBuf,
    /// The most bytes of all files together.
    most: u64,
    day: String,
    file: File,
}

impl TraceFiles {
    /// Opens the file of today, and makes sure that the disk has room.
    pub fn open(settings: &Traces) -> Result<Self, Error> {
        let directory = settings.directory.clone();
        let most = settings.most;
        if !directory.is_dir() {
            return Err(Error::Missing(directory));
        }
        let day = today();
        let opened = try_room(&directory).and_then(|()| append(&directory, &day));
        match opened {
            Ok(file) => Ok(Self { directory, most, day, file }),
            Err(error) => Err(Error::Unwritable(directory, error)),
        }
    }

    /// Writes whole lines at once: other servers may write to the file, too. The oldest files go if
    /// there is no room; an error says that today's alone has used it up.
    pub(super) fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        let day = today();
        if day != self.day {
            (self.file, self.day) = (append(&self.directory, &day)?, day);
        }
        self.make_room(u64::try_from(lines.len()).unwrap_or(u64::MAX))?;
        self.file.write_all(lines)
    }

    fn make_room(&self, more: u64) -> io::Result<()> {
        let own = self.file.metadata()?.len().saturating_add(more);
        if own > self.most {
            let message =
                format!("the file of today has all bytes that --trace-size allows: {}", self.most);
            return Err(io::Error::other(message));
        }
        let mut older = self.older()?;
        older.sort_unstable();
        let mut all = older.iter().fold(own, |sum, (_, size)| sum.saturating_add(*size));
        for (path, size) in older {
            if all <= self.most {
                break;
            }
            fs::remove_file(path)?;
            all = all.saturating_sub(size);
        }
        Ok(())
    }

    /// The files of other days with their sizes.
    fn older(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let name = entry.file_name();
            if let Some(day) = name.to_str().and_then(day_of)
                && day != self.day
                && let Ok(metadata) = entry.metadata()
            {
                found.push((entry.path(), metadata.len()));
            }
        }
        Ok(found)
    }
}

/// The day in UTC, such as `2026-11-21`.
fn today() -> String {
    time::format(time::now()).chars().take_while(|c| *c != 'T').collect()
}

fn append(directory: &Path, day: &str) -> io::Result<File> {
    own(OpenOptions::new().append(true).create(true)).open(directory.join(file_of(day)))
}

/// Writes a file and removes it again.
fn try_room(directory: &Path) -> io::Result<()> {
    let path = directory.join(format!(".room-{}", std::process::id()));
    let written = own(OpenOptions::new().write(true).create(true).truncate(true))
        .open(&path)
        .and_then(|mut file| {
            file.write_all(&vec![0; ROOM])?;
            file.sync_all()
        });
    match fs::remove_file(&path) {
        Ok(()) => written,
        Err(error) => written.and(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(directory: &Path, most: u64) -> Traces {
        Traces { directory: directory.to_owned(), most }
    }

    #[test]
    fn traces_keep_within_their_size() {
        let folder = tempfile::tempdir().expect("a folder");
        for (day, size) in [("2020-01-01", 60), ("2020-01-02", 30)] {
            let name = format!("{}{day}{}", NAMES.0, NAMES.1);
            fs::write(folder.path().join(name), vec![b'\n'; size]).expect("a file");
        }
        let other = folder.path().join("traces-of-mine.jsonl");
        fs::write(&other, vec![b'\n'; 1_000]).expect("a file");
        let mut files = TraceFiles::open(&settings(folder.path(), 100)).expect("a folder");
        files.write(&[b'\n'; 10]).expect("there is room");
        let names = || {
            let all = fs::read_dir(folder.path()).expect("a folder").flatten();
            let mut all: Vec<_> =
                all.map(|it| it.file_name().into_string().expect("a name")).collect();
            all.sort();
            all
        };
        assert_eq!(names().len(), 4, "{:?}", names());
        // The oldest day goes first.
        files.write(&[b'\n'; 20]).expect("room is made");
        assert!(!names().iter().any(|name| name.contains("2020-01-01")), "{:?}", names());
        assert!(names().iter().any(|name| name.contains("2020-01-02")), "{:?}", names());
        files.write(&[b'\n'; 70]).expect("room is made");
        assert_eq!(names().len(), 2, "{:?}", names());
        assert!(other.exists());
        let error = files.write(&[b'\n'; 1]).expect_err("today has used it up");
        assert!(error.to_string().contains("--trace-size"), "{error}");
    }

    #[test]
    fn a_folder_that_is_missing_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("gone");
        let error = TraceFiles::open(&settings(&missing, 100)).expect_err("refused");
        assert!(error.to_string().contains("gone: there is no such folder"), "{error}");
    }
}
