//! The net below the language's own limits: how much wasmtime fuel and memory an instance gets.
//! Both are so generous that a correct evaluator faults by its own limits first; that one of
//! them fires is a defect of the evaluator, and reported as such.

use wasmtime::ResourceLimiter;

use super::bindings::{Argument, Code, Limits, Program};
use crate::domain::{Excess, Limit, MEMORY_CAP};

/// Bytes of native stack for the wasm code. The evaluator recurses nowhere.
pub(super) const STACK: usize = Limit::WasmStack.fixed_count();

/// Wasm instructions for one byte of input: parsing, compiling, hashing and printing it. Digits
/// of large integers take by far the most.
pub const FUEL_PER_BYTE: u64 = 20_000;

/// Wasm instructions for one byte of heap that a run may use: collections beyond those that allocation pays for.
pub const FUEL_PER_HEAP_BYTE: u64 = 64;

/// Bytes of memory for one byte of input: its syntax tree, code and text. Nothing but brackets
/// takes half of it.
const MEMORY_PER_BYTE: u64 = 128;

/// Bytes of memory that any instance may use.
const MEMORY_BASE: u64 = 64 << 20;

/// Bytes that a call may hand over, besides the texts it is asked for.
const ANSWER_BASE: usize = 32 << 20;

/// Bytes that looking at a text may hand over for each byte of it.
const ANSWER_PER_BYTE: usize = 8;

/// How wide the net is, as configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Net {
    /// Wasm instructions that any call may spend, besides [`FUEL_PER_BYTE`] and [`FUEL_PER_HEAP_BYTE`].
    pub fuel: u64,
    /// Wasm instructions for one unit of language fuel.
    pub fuel_per_unit: u64,
    /// The most bytes of memory that any instance gets.
    pub memory: u64,
}

impl Net {
    /// Wide enough for every program. Typical ones need 10 to 50 instructions for a unit of fuel;
    /// the worst unit is a bulk operation on 64 bytes of text or a product of limbs, with its share
    /// of the collector. The instructions of any call are about a second's.
    pub const WIDE: Self = Self { fuel: 10_000_000_000, fuel_per_unit: 5_000, memory: MEMORY_CAP };
}

/// What one instance may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Wasm instructions, roughly.
    pub fuel: u64,
    /// Bytes of linear memory and tables.
    pub memory: u64,
    /// Bytes that one call may hand over.
    pub answer: usize,
}

impl Allowance {
    /// For a run: its limits and the size of what is submitted. Sources that the machine asks for
    /// later add to it.
    #[must_use]
    pub fn for_run(net: Net, limits: Limits, program: &Program) -> Self {
        let Self { fuel, memory, .. } = Self::for_text(net, size(program));
        // A continuation tells its input twice.
        let output = usize::try_from(limits.output).unwrap_or(usize::MAX).saturating_mul(2);
        Self {
            fuel: fuel
                .saturating_add(limits.fuel.saturating_mul(net.fuel_per_unit))
                .saturating_add(limits.memory.saturating_mul(FUEL_PER_HEAP_BYTE)),
            memory: memory.saturating_add(limits.memory.saturating_mul(2)).min(net.memory),
            answer: output.saturating_add(ANSWER_BASE),
        }
    }

    /// For looking at a text of so many bytes.
    #[must_use]
    pub fn for_text(net: Net, bytes: usize) -> Self {
        let answer = bytes.saturating_mul(ANSWER_PER_BYTE).saturating_add(ANSWER_BASE);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        Self {
            fuel: net.fuel.saturating_add(bytes.saturating_mul(FUEL_PER_BYTE)),
            memory: MEMORY_BASE
                .saturating_add(bytes.saturating_mul(MEMORY_PER_BYTE))
                .min(net.memory),
            answer,
        }
    }
}

/// What one instance has taken of its allowance. The same on every machine for the same component,
/// unlike time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Wasm instructions, roughly.
    pub instructions: u64,
    /// Bytes of linear memory.
    pub memory: u64,
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
    /// The bytes that were refused, if any were: it tells a failed allocation from other dead ends.
    denied: Option<u64>,
    /// Whether the system had no more memory.
    is_starved: bool,
    /// Bytes of linear memory, which never shrinks.
    memory: u64,
}

impl Ceiling {
    pub(super) fn new(allowance: Allowance) -> Self {
        Self { allowance, denied: None, is_starved: false, memory: 0 }
    }

    /// The same for an instance that was made under another allowance.
    pub(super) fn renew(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    /// Bytes of linear memory.
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    /// The memory ceiling, if it was met.
    pub(super) fn denied(&self) -> Option<Excess> {
        let limit = self.allowance.memory;
        self.denied.map(|used| Excess { name: Limit::InstanceMemory, used, limit })
    }

    /// Whether the system had less memory than the ceiling allows.
    pub(super) fn is_starved(&self) -> bool {
        self.is_starved
    }

    /// What an instance has taken that has so much wasmtime fuel left.
    pub(super) fn taken(&self, left: u64) -> Taken {
        Taken { instructions: self.allowance.fuel.saturating_sub(left), memory: self.memory }
    }

    /// The wasmtime fuel, all of which is used.
    pub(super) fn fuel(&self) -> Excess {
        let limit = self.allowance.fuel;
        Excess { name: Limit::WasmtimeFuel, used: limit, limit }
    }

    /// Allows for another text of so many bytes, with at most so much memory in all. Gives the
    /// fuel for it.
    pub(super) fn admit(&mut self, bytes: usize, most: u64) -> u64 {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let (memory, fuel) =
            (MEMORY_PER_BYTE.saturating_mul(bytes), FUEL_PER_BYTE.saturating_mul(bytes));
        let Allowance { fuel: all, memory: held, .. } = &mut self.allowance;
        *held = held.saturating_add(memory).min(most);
        *all = all.saturating_add(fuel);
        fuel
    }

    fn decide(&mut self, desired: usize) -> bool {
        let desired = u64::try_from(desired).unwrap_or(u64::MAX);
        let granted = desired <= self.allowance.memory;
        if !granted {
            self.denied = Some(desired);
        }
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
        let granted = self.decide(desired);
        if granted {
            self.memory = u64::try_from(desired).unwrap_or(u64::MAX);
        }
        Ok(granted)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.decide(desired.saturating_mul(size_of::<usize>())))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.is_starved = true;
        Ok(())
    }
}
