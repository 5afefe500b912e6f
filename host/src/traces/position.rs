//! How far the traces of a directory were sent. Only one process sends them at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// The file beside the traces: `DAY BYTES`, of a fixed length so that it is written at once.
const NAME: &str = "traces.sent";

/// A place in the files: a day, and the bytes of its file before the place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Such as `2026-11-27`; empty before all.
    pub(super) day: String,
    pub(super) bytes: u64,
}

/// The place up to which all was sent.
#[derive(Debug)]
pub(super) struct Position {
    file: File,
    mark: Mark,
}

impl Position {
    /// Opens the position of a directory, which this process has alone from now on.
    pub(super) fn open(directory: &Path) -> Result<Self> {
        let path = directory.join(NAME);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let opened = || format!("cannot open {}", path.display());
        let mut file = options.open(&path).with_context(opened)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("another process sends the traces of {}", directory.display())
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(opened),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(opened)?;
        let mark = if text.is_empty() { Some(Mark::default()) } else { read(&text) };
        let Some(mark) = mark else {
            bail!("{} is broken: remove it to send all traces again", path.display());
        };
        Ok(Self { file, mark })
    }

    pub(super) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Notes that all up to this place was sent.
    pub(super) fn move_to(&mut self, mark: Mark) -> Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(format!("{} {:020}\n", mark.day, mark.bytes).as_bytes())?;
        self.file.sync_data()?;
        self.mark = mark;
        Ok(())
    }
}

fn read(text: &str) -> Option<Mark> {
    let (day, bytes) = text.strip_suffix('\n')?.split_once(' ')?;
    Some(Mark { day: day.to_owned(), bytes: bytes.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_found_again_and_belongs_to_one_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut position = Position::open(folder.path()).expect("a position");
        assert_eq!(position.mark(), &Mark::default());
        let mark = Mark { day: "2026-11-27".to_owned(), bytes: 1_234 };
        position.move_to(mark.clone()).expect("written");
        let error = Position::open(folder.path()).expect_err("refused").to_string();
        assert!(error.starts_with("another process"), "{error}");
        drop(position);
        assert_eq!(Position::open(folder.path()).expect("a position").mark(), &mark);
        std::fs::write(folder.path().join(NAME), "nonsense").expect("a file");
        let error = Position::open(folder.path()).expect_err("refused").to_string();
        assert!(error.contains("is broken"), "{error}");
    }
}
