//! Process hardening. Before it serves, the process gives up most of its rights. A program that
//! escaped from WebAssembly then finds no files except those the server writes, no network, no
//! other processes and no way to make machine code. It works on Linux only; elsewhere every layer
//! is `unsupported`.
//!
//! Landlock binds the calling thread and the threads it starts later, so it comes first, while
//! there is one thread. seccomp binds all threads at once and comes last, when the runtime has its
//! sockets for signals. Files outside `paths` are read before.
//!
//! A setting that lets the server write to another directory adds an entry to [`Paths::writable`].

#[cfg(target_os = "linux")]
use std::io;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod landlock;
mod layer;
#[cfg(target_os = "linux")]
mod process;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod seccomp;

pub use self::layer::{Hardening, Layer, Network, Paths};

/// Restricts the process to `paths` and to computing, as far as the system allows. Restricts
/// nothing if `paths` is `None`. Calls `start` after files are closed and while sockets are still
/// allowed. `start` makes everything that needs them, above all threads.
pub fn apply<T>(paths: Option<&Paths>, start: impl FnOnce() -> T) -> (T, Hardening) {
    let (started, seal) = begin(paths, start);
    (started, seal.close(Network::default()))
}

/// Restricts files and calls `start`. You call [`Seal::close`] to restrict system calls once all
/// code is loaded.
pub fn begin<T>(paths: Option<&Paths>, start: impl FnOnce() -> T) -> (T, Seal) {
    let files = paths.map(restrict_files);
    (start(), Seal { files })
}

/// The second half of [`apply`], which is still to be done.
#[derive(Debug)]
#[must_use]
pub struct Seal {
    files: Option<(Layer, i32)>,
}

impl Seal {
    /// Restricts system calls in all threads. Returns the state of the layers.
    #[must_use]
    pub fn close(self, network: Network) -> Hardening {
        let Some((landlock, abi)) = self.files else { return Hardening::OFF };
        let report = Hardening { landlock, abi, seccomp: restrict_calls(network) };
        tracing::info!(
            landlock = landlock.name(),
            abi,
            seccomp = report.seccomp.name(),
            "hardened"
        );
        report
    }
}

/// Restricts files. No other thread may exist yet. Returns the state of the layer and the kernel's
/// version of Landlock.
#[cfg(target_os = "linux")]
pub fn restrict_files(paths: &Paths) -> (Layer, i32) {
    let alone = process::is_single_threaded();
    process::keep_memory_private();
    let (layer, abi) = match landlock::restrict(paths) {
        Ok(restricted) => restricted,
        Err(error) => {
            tracing::warn!(%error, "Landlock is not in force");
            return (Layer::Unsupported, 0);
        }
    };
    if layer == Layer::Unsupported {
        tracing::warn!("this kernel has no Landlock: files and network are not closed by it");
    } else if !alone {
        tracing::warn!("threads were started too early: Landlock does not bind them");
        return (Layer::Partial, abi);
    }
    (layer, abi)
}

/// Restricts nothing, because this system has no Landlock.
#[cfg(not(target_os = "linux"))]
pub fn restrict_files(_paths: &Paths) -> (Layer, i32) {
    (Layer::Unsupported, 0)
}

/// Restricts this process, and the program that it becomes, to files of the system and these.
#[cfg(target_os = "linux")]
pub fn confine(read: &[PathBuf], write: &[PathBuf]) -> io::Result<()> {
    match landlock::confine(read, write) {
        Ok(Layer::Unsupported) => Err(io::Error::other("this kernel has no Landlock")),
        Ok(_) => Ok(()),
        Err(error) => Err(io::Error::other(format!("Landlock refuses: {error}"))),
    }
}

/// Restricts the system calls of all present and future threads.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[must_use]
pub fn restrict_calls(network: Network) -> Layer {
    match seccomp::restrict(network) {
        Ok(()) => Layer::Enforced,
        Err(error) => {
            tracing::warn!(%error, "seccomp is not in force");
            Layer::Unsupported
        }
    }
}

/// Restricts nothing, because seccomp is not supported here.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[must_use]
pub fn restrict_calls(_: Network) -> Layer {
    Layer::Unsupported
}
