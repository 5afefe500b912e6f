//! The compiled evaluator on disk. Compiling takes a good tenth of a second, loading a fraction
//! of a millisecond, so the first start leaves its result in a private cache.
//! Whatever goes wrong there is a reason to compile in memory, never to fail.

use std::fmt::Write as _;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use super::engine::Engines;

/// The component, as the build script left it.
pub static COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.wasm"));

/// sha256 of [`COMPONENT`], 64 hexadecimal digits.
pub const HASH: &str = env!("PIF_GUEST_SHA256");

/// Where the running code came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It was loaded from this file.
    Loaded(PathBuf),
    /// It was compiled at this start, and written to this file for the next.
    Cached(PathBuf),
    /// It was compiled at this start and could not be kept, for this reason.
    InMemory(String),
}

/// What is known of the compiled component.
#[derive(Debug)]
pub(super) struct Artifact {
    pub(super) origin: Origin,
    /// sha256 of the component, not of the code compiled from it.
    pub(super) hash: String,
    /// Bytes of the component.
    pub(super) size: usize,
}

/// Loads the evaluator from `cache`, or compiles it and leaves it there.
pub(super) fn load(
    engines: &Engines,
    guest: &[u8],
    cache: Option<&Path>,
) -> wasmtime::Result<(Component, Artifact)> {
    let hash = hex(&Sha256::digest(guest));
    let cached = match cache {
        Some(directory) => load_cached(engines, guest, directory, &hash),
        None => Err("there is no cache directory".to_owned()),
    };
    let (component, origin) = match cached {
        Ok(found) => found,
        Err(reason) => (engines.compile(guest)?, Origin::InMemory(reason)),
    };
    Ok((component, Artifact { origin, hash, size: guest.len() }))
}

fn load_cached(
    engines: &Engines,
    guest: &[u8],
    directory: &Path,
    hash: &str,
) -> Result<(Component, Origin), String> {
    let portable = engines.portable()?;
    let path = directory.join(format!("{}-{hash}.cwasm", fingerprint(portable)));
    let describe = |error: io::Error| format!("{}: {error}", path.display());
    ensure_directory(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let found = is_present(&path).map_err(describe)?;
    if !found {
        let code = portable.precompile_component(guest).map_err(|error| format!("{error:#}"))?;
        write_private(&path, &code).map_err(describe)?;
    }
    let component = engines.load(&path).map_err(|error| format!("{error:#}"))?;
    Ok((component, if found { Origin::Loaded(path) } else { Origin::Cached(path) }))
}

/// Names everything about an engine that its compiled code depends on.
fn fingerprint(engine: &wasmtime::Engine) -> String {
    struct Fingerprint(Sha256);
    impl Hasher for Fingerprint {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            self.0
                .clone()
                .finalize()
                .iter()
                .take(8)
                .fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    }
    let mut fingerprint = Fingerprint(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut fingerprint);
    format!("{:016x}", fingerprint.finish())
}

/// Whether `path` holds a file that we can trust. A file that others could have written is an
/// error: to overwrite it would hide that somebody put it there.
fn is_present(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(refusal("is not a regular file")),
        Ok(found) => ensure_private(&found).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn refusal(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

#[cfg(unix)]
fn ensure_private(found: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(refusal("belongs to another user"));
    }
    if found.mode() & 0o022 != 0 {
        return Err(refusal("can be written by other users"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn ensure_private(_found: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

fn ensure_directory(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    ensure_private(&fs::metadata(directory)?)
}

/// Writes beside the target and renames, so that no other process ever loads half a file.
fn write_private(path: &Path, code: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.tmp", process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&beside)
        .and_then(|mut file| file.write_all(code))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The error that led here is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
