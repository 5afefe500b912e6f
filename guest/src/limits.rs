//! The deterministic bounds of a run, equal on every platform.

/// Bounds of one run. There is no default: hosts decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Evaluated term nodes and work, at the prices of the forms.
    pub fuel: u64,
    /// Pending evaluations.
    pub depth: u32,
    /// Bytes of heap, stack and frames.
    pub memory: u64,
    /// Bytes of JSON text of the result.
    pub output: u32,
}

/// What a run has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Fuel spent.
    pub fuel: u64,
    /// Bytes at the highest point.
    pub peak_memory: u64,
    /// Pending evaluations at the highest point that was looked at.
    pub peak_depth: u32,
}

/// Evals that may be active inside one another.
pub const EVAL_DEPTH: u32 = 100;
/// Parameters that a function takes at once, and functions that a `letrec` binds.
pub(crate) const MOST_PARAMETERS: usize = 64;
/// Bits of the largest integer.
pub const INTEGER_BITS: u64 = 1 << 20;
/// Bytes of the longest text.
pub const TEXT_BYTES: u64 = 1 << 28;

/// Bytes that a form may take beside a heap of at most so many words, until it has its value: half
/// as much, and some to spare.
pub(crate) fn aside(words: usize) -> u64 {
    (32 << 20) + 4 * words as u64
}
