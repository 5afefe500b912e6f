//! Files and directories of this user alone: nobody else may be able to write them.

use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::Path;

/// What others must not do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenAccess {
    /// Write it.
    Write,
    /// Read or write it.
    Any,
}

/// Makes a directory that only its owner may use, with those above it. One that is there stays as it is.
pub fn make_private_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// The text of a file of at most so many bytes. The error says what is wrong with it, and what to do.
pub fn read_owned(path: &Path, most: u64, forbidden: ForbiddenAccess) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let ensure_file = |metadata: &Metadata| {
        if metadata.is_file() { Ok(()) } else { Err("this is no file".to_owned()) }
    };
    // To open a pipe would wait for somebody who writes to it.
    ensure_file(&fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    ensure_file(&metadata)?;
    ensure_own(&metadata, forbidden)?;
    if let Some(directory) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        ensure_kept(&fs::metadata(directory).map_err(failed)?)?;
    }
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(format!("it has more than {most} bytes"));
    }
    Ok(text)
}

#[cfg(unix)]
fn ensure_own(metadata: &Metadata, forbidden: ForbiddenAccess) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    if metadata.uid() != own && metadata.uid() != 0 {
        return Err("it belongs to another user".to_owned());
    }
    if metadata.mode() & 0o022 != 0 {
        return Err("others can write it: chmod go-w it".to_owned());
    }
    if forbidden == ForbiddenAccess::Any && metadata.mode() & 0o077 != 0 {
        return Err("others can read it: chmod 600 it".to_owned());
    }
    Ok(())
}

/// A directory that others can write to lets them put another file in its place, unless it is
/// one for everybody, where each owns what is theirs.
#[cfg(unix)]
fn ensure_kept(metadata: &Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    const STICKY: u32 = 0o1000;
    if metadata.mode() & 0o022 != 0 && metadata.mode() & STICKY == 0 {
        return Err("others can write to its directory: chmod go-w it".to_owned());
    }
    Ok(())
}

#[cfg(not(unix))]
fn ensure_own(_metadata: &Metadata, _forbidden: ForbiddenAccess) -> Result<(), String> {
    Ok(())
}

#[cfg(not(unix))]
fn ensure_kept(_metadata: &Metadata) -> Result<(), String> {
    Ok(())
}
