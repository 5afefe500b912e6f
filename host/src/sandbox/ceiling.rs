//! The net below the language's own limits: how much wasmtime fuel and memory an instance gets.
//! Both are so generous that a correct evaluator faults by its own limits first; that one of
//! them fires is a defect of the evaluator, and reported as such.

use wasmtime::ResourceLimiter;

use super::bindings::{Argument, Code, Limits, Program};

/// The most memory any instance gets. The component is linked with the same maximum, so it holds
/// in other hosts too.
pub const MEMORY_CAP: u64 = 1280 << 20;

/// Wasm instructions for one unit of language fuel. Typical programs need 10 to 50; the worst
/// unit is a bulk operation on 64 bytes of text or a product of limbs, with its share of the
/// collector.
const FUEL_PER_UNIT: u64 = 5_000;

/// Wasm instructions for one byte of input: parsing, compiling, hashing and printing it.
const FUEL_PER_BYTE: u64 = 2_000;

/// Wasm instructions for one byte of heap: collections beyond those that allocation pays for.
const FUEL_PER_HEAP_BYTE: u64 = 64;

/// Wasm instructions that any call may spend: about a second.
const FUEL_BASE: u64 = 10_000_000_000;

/// Bytes of memory for one byte of input: its syntax tree, code and text.
const MEMORY_PER_BYTE: u64 = 64;

/// Bytes of memory that any instance may use.
const MEMORY_BASE: u64 = 64 << 20;

/// What one instance may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Wasm instructions, roughly.
    pub fuel: u64,
    /// Bytes of linear memory and tables.
    pub memory: u64,
}

impl Allowance {
    /// For a run: its limits and the size of what is submitted. Sources that a machine asks for
    /// later are bounded by the limit on code, which the base covers.
    #[must_use]
    pub fn for_run(limits: Limits, program: &Program) -> Self {
        let Self { fuel, memory } = Self::for_text(size(program));
        Self {
            fuel: fuel
                .saturating_add(limits.fuel.saturating_mul(FUEL_PER_UNIT))
                .saturating_add(limits.memory.saturating_mul(FUEL_PER_HEAP_BYTE)),
            memory: memory.saturating_add(limits.memory.saturating_mul(2)).min(MEMORY_CAP),
        }
    }

    /// For looking at a text of so many bytes.
    #[must_use]
    pub fn for_text(bytes: usize) -> Self {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        Self {
            fuel: FUEL_BASE.saturating_add(bytes.saturating_mul(FUEL_PER_BYTE)),
            memory: MEMORY_BASE
                .saturating_add(bytes.saturating_mul(MEMORY_PER_BYTE))
                .min(MEMORY_CAP),
        }
    }
}

fn size(program: &Program) -> usize {
    let code = match &program.code {
        Code::Term(text) | Code::Tool(text) => text.len(),
    };
    let argument = match &program.argument {
        Argument::None => 0,
        Argument::Input(text) | Argument::Data(text) => text.len(),
    };
    let context = program.context.as_ref().map_or(0, String::len);
    let tools: usize = program.tools.iter().map(|source| source.code.len()).sum();
    code + argument + context + tools
}

/// Keeps an instance within its allowance of memory, and remembers whether it had to.
#[derive(Debug)]
pub(super) struct Ceiling {
    allowance: Allowance,
    /// Whether growth was refused: it tells a failed allocation from other dead ends.
    denied: bool,
}

impl Ceiling {
    pub(super) fn new(allowance: Allowance) -> Self {
        Self { allowance, denied: false }
    }

    pub(super) fn denied(&self) -> bool {
        self.denied
    }

    pub(super) fn allowance(&self) -> Allowance {
        self.allowance
    }

    fn decide(&mut self, desired: usize) -> bool {
        let granted = u64::try_from(desired).is_ok_and(|bytes| bytes <= self.allowance.memory);
        self.denied |= !granted;
        granted
    }
}

impl ResourceLimiter for Ceiling {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.decide(desired))
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.decide(desired.saturating_mul(size_of::<usize>())))
    }
}
