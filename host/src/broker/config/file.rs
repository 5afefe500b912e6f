//! Files that decide what programs may do: nobody else may be able to write them.

use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::Path;

use super::error::Error;

/// Bytes of a configuration.
const MOST: u64 = 1 << 20;

/// Bytes of a secret.
const MOST_SECRET: u64 = 64 << 10;

/// The text of a configuration, which others cannot write.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    read_with(path, MOST, Access::Write)
}

/// The text of a secret without the line break at its end, which others cannot read either.
pub(super) fn read_secret(path: &Path) -> Result<String, Error> {
    let text = read_with(path, MOST_SECRET, Access::Any)?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Err(Error("the file is empty".to_owned()));
    }
    Ok(text.to_owned())
}

/// What others must not do with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Write,
    Any,
}

fn read_with(path: &Path, most: u64, forbidden: Access) -> Result<String, Error> {
    let failed = |error: std::io::Error| Error(error.to_string());
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(Error("this is no file".to_owned()));
    }
    ensure_own(&metadata, forbidden)?;
    if let Some(directory) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        ensure_kept(&fs::metadata(directory).map_err(failed)?)?;
    }
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(Error(format!("it has more than {most} bytes")));
    }
    Ok(text)
}

#[cfg(unix)]
fn ensure_own(metadata: &Metadata, forbidden: Access) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    if metadata.uid() != own && metadata.uid() != 0 {
        return Err(Error("it belongs to another user".to_owned()));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(Error("others can write it: chmod go-w it".to_owned()));
    }
    if forbidden == Access::Any && metadata.mode() & 0o077 != 0 {
        return Err(Error("others can read it: chmod 600 it".to_owned()));
    }
    Ok(())
}

/// A directory that others can write to lets them put another file in its place, unless it is
/// one for everybody, where each owns what is theirs.
#[cfg(unix)]
fn ensure_kept(metadata: &Metadata) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt as _;
    const STICKY: u32 = 0o1000;
    if metadata.mode() & 0o022 != 0 && metadata.mode() & STICKY == 0 {
        return Err(Error("others can write to its directory: chmod go-w it".to_owned()));
    }
    Ok(())
}

#[cfg(not(unix))]
fn ensure_own(_metadata: &Metadata, _forbidden: Access) -> Result<(), Error> {
    Ok(())
}

#[cfg(not(unix))]
fn ensure_kept(_metadata: &Metadata) -> Result<(), Error> {
    Ok(())
}
