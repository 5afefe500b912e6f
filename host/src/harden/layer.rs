//! How much hardening leaves to the process, and how far each of its layers holds.

use std::path::PathBuf;

/// What the process can still reach in the file system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// Directories that must exist, whose files may be read, written, made and removed.
    pub writable: Vec<PathBuf>,
}

/// How far a layer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// In every respect.
    Enforced,
    /// As far as this kernel can, or not in all threads.
    Partial,
    /// Not at all: the system has no such thing, or does not let us. The log says why.
    Unsupported,
    /// Not at all, as configured.
    Off,
}

impl Layer {
    /// The name by which the layer's state is reported.
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

/// Which layers are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hardening {
    /// Files, TCP, abstract sockets and signals to other processes.
    pub landlock: Layer,
    /// The version of Landlock in the kernel, 0 without one.
    pub abi: i32,
    /// System calls.
    pub seccomp: Layer,
}

impl Hardening {
    /// Nothing is restricted.
    pub const OFF: Self = Self { landlock: Layer::Off, abi: 0, seccomp: Layer::Off };
}
