//! The files of a configuration.

use std::path::Path;

use pif_system::{ForbiddenAccess, read_owned};

use super::error::Error;

/// Bytes of a configuration.
const MOST: u64 = 1 << 20;

/// Bytes of a secret.
const MOST_SECRET: u64 = 64 << 10;

/// The text of a configuration, which others cannot write.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    read_owned(path, MOST, ForbiddenAccess::Write).map_err(Error)
}

/// The text of a secret without the line break at its end, which others cannot read either.
pub(super) fn read_secret(path: &Path) -> Result<String, Error> {
    let text = read_owned(path, MOST_SECRET, ForbiddenAccess::Any).map_err(Error)?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Err(Error("the file is empty".to_owned()));
    }
    Ok(text.to_owned())
}
