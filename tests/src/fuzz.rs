//! What fuzzing checks, one function for each target: bytes in, and an error that says what is
//! wrong. The targets in `tests/fuzz` and the ordinary tests call the same functions, so every
//! input that was ever worth keeping is tried again by `cargo test`.

#[cfg(feature = "host")]
pub mod broker;
pub mod differential;
pub mod evaluate;
pub mod javascript;
pub mod memory;
pub mod notation;
pub mod parse;
pub mod program;
#[cfg(feature = "host")]
pub mod seeds;
#[cfg(feature = "host")]
pub mod wire;

use anyhow::Result;

/// A target: its name, the folder of its inputs in `tests/fuzz/corpus`, and what it checks.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As `cargo x fuzz` names it.
    pub name: &'static str,
    /// Targets that read the same kind of bytes share their inputs.
    pub corpus: &'static str,
    /// Fails if the bytes show something that is wrong.
    pub check: fn(&[u8]) -> Result<()>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    #[cfg(feature = "host")]
    Target { name: "broker", corpus: "broker", check: broker::check },
    Target { name: "differential", corpus: "program", check: differential::check },
    Target { name: "evaluate", corpus: "program", check: evaluate::check },
    Target { name: "javascript", corpus: "program", check: javascript::check },
    Target { name: "memory", corpus: "program", check: memory::check },
    #[cfg(feature = "host")]
    Target { name: "wire", corpus: "wire", check: wire::check },
    Target { name: "parse", corpus: "program", check: parse::check },
    Target { name: "notation", corpus: "program", check: notation::check },
];
