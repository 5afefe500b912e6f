//! What the process takes away from itself before it serves, so that even a program that broke
//! out of WebAssembly finds nothing to take: no files but those it writes to, no network, no
//! other processes, no new machine code. Linux only; elsewhere every layer is `unsupported`.
//!
//! Landlock binds the thread that asks for it and the threads it starts later, so it comes
//! first, while there is one thread. seccomp binds all threads at once and comes last, when what
//! needs sockets (the runtime, for signals) has them. Whatever is to be read from files is read
//! before.
//!
//! A later setting that lets the server write somewhere (a data directory) is one more entry in
//! [`Paths::writable`].

#[cfg(target_os = "linux")]
mod landlock;
mod layer;
#[cfg(target_os = "linux")]
mod process;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod seccomp;

pub use self::layer::{Hardening, Layer, Paths};

/// Restricts the process to `paths` and to computing, as far as the system allows it; nothing
/// happens without paths. `start` is called in between, with the files closed and sockets still
/// open, and makes what has to be made there, above all threads.
pub fn apply<T>(paths: Option<&Paths>, start: impl FnOnce() -> T) -> (T, Hardening) {
    let (started, seal) = begin(paths, start);
    (started, seal.close())
}

/// The same up to where system calls are restricted, for whoever has to load code first.
pub fn begin<T>(paths: Option<&Paths>, start: impl FnOnce() -> T) -> (T, Seal) {
    let files = paths.map(restrict_files);
    (start(), Seal { files })
}

/// What is left to do of [`apply`].
#[derive(Debug)]
#[must_use]
pub struct Seal {
    files: Option<(Layer, i32)>,
}

impl Seal {
    /// Restricts system calls, in all threads.
    #[must_use]
    pub fn close(self) -> Hardening {
        let Some((landlock, abi)) = self.files else { return Hardening::OFF };
        let report = Hardening { landlock, abi, seccomp: restrict_calls() };
        tracing::info!(
            landlock = landlock.name(),
            abi,
            seccomp = report.seccomp.name(),
            "hardened"
        );
        report
    }
}

/// The first half of [`apply`]: no other thread may exist yet. Gives the version of Landlock too.
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

/// The same where there is no Landlock.
#[cfg(not(target_os = "linux"))]
pub fn restrict_files(_paths: &Paths) -> (Layer, i32) {
    (Layer::Unsupported, 0)
}

/// The second half of [`apply`], for all threads there are and will be.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[must_use]
pub fn restrict_calls() -> Layer {
    match seccomp::restrict() {
        Ok(()) => Layer::Enforced,
        Err(error) => {
            tracing::warn!(%error, "seccomp is not in force");
            Layer::Unsupported
        }
    }
}

/// The same where there is no seccomp.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[must_use]
pub fn restrict_calls() -> Layer {
    Layer::Unsupported
}
