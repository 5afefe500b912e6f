//! The cache of the compiled components on disk. Compiling one takes a second or two; loading takes a
//! fraction of a millisecond. The first start therefore writes its result to a private cache. If
//! the cache fails in any way, the component is compiled in memory instead.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{Hash, Hasher};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::ptr;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::engine::{Addresses, Engines, portable};

/// The evaluator that the build script compiled.
pub static COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/evaluator.wasm"));

/// The analyst that the build script compiled.
pub static ANALYST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/analyst.wasm"));

/// The language reference of the component, as Markdown.
pub const REFERENCE: &str = include_str!(concat!(env!("OUT_DIR"), "/LANGUAGE.md"));

/// sha256 of [`COMPONENT`], 64 hexadecimal digits.
pub const HASH: &str = env!("PIF_GUEST_SHA256");

/// sha256 of [`ANALYST`], 64 hexadecimal digits.
pub const ANALYST_HASH: &str = env!("PIF_ANALYST_SHA256");

/// A component that is embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddedComponent {
    /// What runs programs.
    Evaluator,
    /// What tells of programs before they run.
    Analyst,
}

impl EmbeddedComponent {
    /// The component, and the directory below a cache that keeps its compiled code. Each has a
    /// directory of its own, so that two processes can compile both at once.
    fn parts(self, cache: &Path) -> (&'static [u8], &'static str, PathBuf) {
        match self {
            Self::Evaluator => (COMPONENT, HASH, cache.to_owned()),
            Self::Analyst => (ANALYST, ANALYST_HASH, cache_of_analyst(cache)),
        }
    }
}

/// The directory below a cache that keeps the compiled code of the analyst.
pub(super) fn cache_of_analyst(cache: &Path) -> PathBuf {
    cache.join("analyst")
}

/// The extension of a file that is not complete yet.
const BESIDE: &str = "tmp";

/// The number of files of other versions that are kept.
const OTHERS: usize = 3;

/// The time a file may be unused before its modification time is updated, and the age at which an
/// incomplete file is removed.
const DAY: Duration = Duration::from_hours(24);

/// The longest time a process waits for another process to compile, which takes a few seconds.
const LONGEST: Duration = Duration::from_mins(1);

/// The time between two attempts to take the lock.
const LOOK: Duration = Duration::from_millis(20);

/// The origin of the running code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The code was loaded from this file.
    Loaded(PathBuf),
    /// The code was compiled at this start and written to this file for the next.
    Cached(PathBuf),
    /// The code was compiled at this start and could not be cached, for this reason.
    InMemory(String),
}

/// The state of the compiled code in the cache.
pub(super) enum CacheState {
    /// The code is cached in this file.
    Loaded(Component, PathBuf),
    /// The code has to be compiled and will be cached in this file.
    Missing(PathBuf),
    /// The code has to be compiled and cannot be cached, for this reason.
    Unusable(String),
}

/// Looks for the evaluator in a cache.
pub(super) fn find(engines: &Engines, hash: &str, cache: Option<&Path>) -> CacheState {
    let Some(directory) = cache else {
        return CacheState::Unusable("there is no cache directory".to_owned());
    };
    let found = engines.portable().and_then(|engine| find_for(engine, hash, directory));
    found.unwrap_or_else(CacheState::Unusable)
}

/// Looks for a component in the directory that keeps its compiled code.
pub(super) fn find_for(
    engine: &Engine,
    hash: &str,
    directory: &Path,
) -> Result<CacheState, String> {
    let path = place(engine, hash, directory)?;
    if is_present(&path).map_err(|error| describe(&path, &error))? {
        return Ok(CacheState::Loaded(load(engine, &path)?, path));
    }
    Ok(CacheState::Missing(path))
}

/// Returns the path of a component in a cache. Creates the directory if it does not exist.
fn place(engine: &Engine, hash: &str, directory: &Path) -> Result<PathBuf, String> {
    ensure_directory(directory).map_err(|error| describe(directory, &error))?;
    Ok(directory.join(format!("{}-{hash}.cwasm", fingerprint(engine))))
}

/// Loads a cached component.
pub(super) fn load(engine: &Engine, path: &Path) -> Result<Component, String> {
    note_use(path);
    Engines::load(engine, path).map_err(|error| format!("{error:#}"))
}

/// Compiles a component and writes the code to `path`, unless another process writes it first. When
/// many processes start at once, one compiles and the others wait.
pub(super) fn keep(engine: &Engine, guest: &[u8], path: &Path) -> Result<(), String> {
    let directory = path.parent().unwrap_or(path);
    let is_there = || is_present(path).map_err(|error| describe(path, &error));
    let _turn = wait_for_turn(directory, &is_there)?;
    if is_there()? {
        return Ok(());
    }
    // Opens the file before compiling, to fail early if the directory is not writable.
    let half = half(path).map_err(|error| describe(path, &error))?;
    let code = engine.precompile_component(guest).map_err(|error| format!("{error:#}"))?;
    half.fill(&code, path).map_err(|error| describe(path, &error))?;
    forget(directory, path);
    Ok(())
}

/// Waits for the lock on a directory and returns it. The lock ends when it is dropped or when the
/// process ends. Returns `None` without waiting where directories cannot be locked; also when the
/// file appears meanwhile, or after [`LONGEST`].
fn wait_for_turn(
    directory: &Path,
    is_there: &impl Fn() -> Result<bool, String>,
) -> Result<Option<File>, String> {
    let Ok(lock) = File::open(directory) else { return Ok(None) };
    let start = Instant::now();
    while let Err(TryLockError::WouldBlock) = lock.try_lock() {
        if is_there()? || start.elapsed() > LONGEST {
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
    Ok(Some(lock))
}

/// Returns the code of an embedded component, compiled for `addresses`. Reads it from the cache,
/// and writes it there first if it is missing.
pub fn compile(
    which: EmbeddedComponent,
    cache: &Path,
    addresses: Addresses,
) -> Result<Vec<u8>, String> {
    let engine = portable(None, addresses).map_err(|error| format!("{error:#}"))?;
    let (component, hash, directory) = which.parts(cache);
    let path = place(&engine, hash, &directory)?;
    keep(&engine, component, &path)?;
    fs::read(&path).map_err(|error| describe(&path, &error))
}

/// The sha256 of a component, in hexadecimal. The hash of the embedded component is a constant,
/// because computing it takes a fifth of a start.
pub(super) fn hash(guest: &[u8]) -> String {
    if ptr::eq(guest, COMPONENT) { HASH.to_owned() } else { hex(&Sha256::digest(guest)) }
}

fn describe(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Updates the modification time of a file, so that [`forget`] does not remove it first.
fn note_use(path: &Path) {
    let now = SystemTime::now();
    let used = fs::metadata(path).and_then(|found| found.modified());
    if used.is_ok_and(|used| now.duration_since(used).unwrap_or_default() > DAY) {
        // If the time cannot be set, the file may be removed and compiled again.
        let _ = OpenOptions::new().write(true).open(path).and_then(|file| file.set_modified(now));
    }
}

/// Removes the files of other versions, except the most recently used ones. Each version of the
/// evaluator or of wasmtime leaves one file, which can be compiled again.
fn forget(directory: &Path, present: &Path) {
    let mut others: Vec<(SystemTime, PathBuf)> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path() != present && is_ours(&entry.file_name()))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    others.sort_unstable_by(|a, b| b.cmp(a));
    let is_half = |path: &Path| path.extension().is_some_and(|it| it == BESIDE);
    let mut kept = 0;
    for (used, path) in others {
        // Another process may still be writing an incomplete file.
        let is_kept = if is_half(&path) {
            SystemTime::now().duration_since(used).unwrap_or_default() < DAY
        } else {
            kept += 1;
            kept <= OTHERS
        };
        if !is_kept && let Err(error) = fs::remove_file(&path) {
            tracing::debug!(%error, path = %path.display(), "it stays");
        }
    }
}

/// Whether a file has a name that [`place`] or [`half`] gives.
fn is_ours(name: &OsStr) -> bool {
    let is_hash = |text: &str, length| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let Some((stem, ending)) = name.to_str().and_then(|name| name.split_once('.')) else {
        return false;
    };
    let is_half = || {
        let process = ending.strip_suffix(BESIDE).and_then(|rest| rest.strip_suffix('.'));
        process.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    stem.split_once('-').is_some_and(|(engine, guest)| is_hash(engine, 16) && is_hash(guest, 64))
        && (ending == "cwasm" || is_half())
}

/// A hash of everything in an engine that its compiled code depends on, as 16 hexadecimal digits.
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

/// Whether `path` holds a trusted file. A file that other users could have written is an error,
/// because overwriting it would hide the intrusion.
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

/// A file that is written next to its target and renamed when it is complete. No other process can
/// load an incomplete file. Dropping it removes the file unless it was renamed.
struct Half {
    file: File,
    path: PathBuf,
}

fn half(target: &Path) -> io::Result<Half> {
    let path = target.with_extension(format!("{}.{BESIDE}", process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A process with this number may have left a file behind.
    let _ = fs::remove_file(&path);
    Ok(Half { file: options.open(&path)?, path })
}

impl Half {
    fn fill(mut self, code: &[u8], target: &Path) -> io::Result<()> {
        self.file.write_all(code)?;
        fs::rename(&self.path, target)
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        // The file exists only after an error, which is reported elsewhere.
        let _ = fs::remove_file(&self.path);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_files() {
        let stem = format!("{}-{}", "0a".repeat(8), "1b".repeat(32));
        for (ending, expected) in [
            (".cwasm", true),
            (".4711.tmp", true),
            (".tmp", false),
            (".x.tmp", false),
            (".cwasm.bak", false),
            ("", false),
        ] {
            assert_eq!(is_ours(OsStr::new(&format!("{stem}{ending}"))), expected, "{ending}");
        }
        assert!(!is_ours(OsStr::new("notes.cwasm")));
    }
}
