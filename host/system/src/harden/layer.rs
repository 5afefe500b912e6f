//! The paths that hardening leaves to the process, and the state of its layers.

use std::path::PathBuf;

/// The paths that the process can still reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// Existing directories in which the process may read, write, create and remove files.
    pub writable: Vec<PathBuf>,
    /// Existing directories in which the process may read files.
    pub readable: Vec<PathBuf>,
}

/// What the process may do with sockets that are open, besides reading and writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Network {
    /// Accept connections.
    pub accepts: bool,
    /// Take over sockets that another process hands to it.
    pub receives: bool,
}

/// The state of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// It is fully in force.
    Enforced,
    /// It is in force as far as this kernel supports it, or not in all threads.
    Partial,
    /// It is not in force, because the system lacks it or refuses it. The log gives the reason.
    Unsupported,
    /// It is disabled by a setting.
    Off,
}

impl Layer {
    /// The name of the state in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Partial => "partial",
            Self::Unsupported => "unsupported",
            Self::Off => "off",
        }
    }
}

/// The state of each layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hardening {
    /// The layer that restricts files, TCP, abstract sockets and signals to other processes.
    pub landlock: Layer,
    /// The version of Landlock in the kernel, or 0 without Landlock.
    pub abi: i32,
    /// The layer that restricts system calls.
    pub seccomp: Layer,
}

impl Hardening {
    /// The report without hardening.
    pub const OFF: Self = Self { landlock: Layer::Off, abi: 0, seccomp: Layer::Off };
}
