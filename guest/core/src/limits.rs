//! The deterministic bounds of a run, equal on every platform.

/// Bounds of one run. LANGUAGE.md (Limits) lists the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Fuel for evaluated term nodes and work, at the prices of the forms.
    pub fuel: u64,
    /// Pending evaluations.
    pub depth: u32,
    /// Bytes of heap, stack and frames.
    pub memory: u64,
    /// Bytes of JSON text of the result.
    pub output: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fuel: 100_000_000, depth: 1_000_000, memory: 64 << 20, output: 16 << 20 }
    }
}

/// Fuel, memory and depth that a run has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Fuel spent.
    pub fuel: u64,
    /// Peak bytes.
    pub peak_memory: u64,
    /// Peak of pending evaluations, at the points where the machine looks.
    pub peak_depth: u32,
}

/// Nested `eval`s.
pub const EVAL_DEPTH: u32 = 100;
/// Parameters that a function takes at once, and functions that a `letrec` binds.
pub const MOST_PARAMETERS: usize = 64;
/// Bits of the largest integer.
pub const INTEGER_BITS: u64 = 1 << 20;
/// Bytes of the longest text.
pub const TEXT_BYTES: u64 = 1 << 28;

/// Returns how many bytes a form may take outside a heap of `words` words until it has its value:
/// half the heap's size plus 32 MiB.
#[must_use]
pub fn aside(words: usize) -> u64 {
    (32 << 20) + 4 * words as u64
}

/// Converts a count to 32 bits. No count is larger: texts, heaps and tapes end before.
#[must_use]
pub fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
