//! The ceilings below the language's own limits: the wasmtime fuel and the memory of an instance.
//! Both are so large that a correct evaluator meets its own limits first. Meeting one of these
//! ceilings is a defect of the evaluator and is reported as one.

use pif_domain::{Excess, Limit, MEMORY_CAP};
use wasmtime::ResourceLimiter;

use super::bindings::{Argument, Code, Limits, Program};

/// Bytes of native stack for the wasm code. The evaluator does not recurse.
pub(super) const STACK: usize = Limit::WasmStack.fixed_count();

/// Wasm instructions for one byte of input, to parse, compile, hash and print it. Digits of large
/// integers take the most.
pub const FUEL_PER_BYTE: u64 = 20_000;

/// Wasm instructions for one byte of heap that a run may use. They pay for collections beyond those
/// that allocation pays for.
pub const FUEL_PER_HEAP_BYTE: u64 = 64;

/// Bytes of memory for one byte of input, for its syntax tree, code and text. Input that consists
/// only of brackets takes half of it.
const MEMORY_PER_BYTE: u64 = 128;

/// Bytes of memory that every instance may use, besides those for its input and heap.
const MEMORY_BASE: u64 = 64 << 20;

/// Bytes that the answer of a call may have, besides those for its texts.
const ANSWER_BASE: usize = 32 << 20;

/// Bytes that the answer of a check may have for each byte of the checked text.
const ANSWER_PER_BYTE: usize = 8;

/// The configured ceilings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Net {
    /// Wasm instructions that every call may spend, besides [`FUEL_PER_BYTE`] and
    /// [`FUEL_PER_HEAP_BYTE`].
    pub fuel: u64,
    /// Wasm instructions for one unit of language fuel.
    pub fuel_per_unit: u64,
    /// The most bytes of memory that any instance gets.
    pub memory: u64,
}

impl Net {
    /// Ceilings that suffice for every program. Typical programs need 10 to 50 instructions for a
    /// unit of fuel. The most expensive unit is a bulk operation on 64 bytes of text or a product
    /// of limbs, with its share of the collector. The base fuel of a call lasts about a second.
    pub const WIDE: Self = Self { fuel: 10_000_000_000, fuel_per_unit: 5_000, memory: MEMORY_CAP };
}

/// The allowance of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Wasm instructions, roughly.
    pub fuel: u64,
    /// Bytes of linear memory and tables.
    pub memory: u64,
    /// Bytes that the answer of one call may have.
    pub answer: usize,
}

impl Allowance {
    /// The allowance of a run with these limits and this program. Each source that the machine asks
    /// for later adds to it.
    #[must_use]
    pub fn for_run(net: Net, limits: Limits, program: &Program) -> Self {
        let Self { fuel, memory, .. } = Self::for_text(net, size(program));
        // A continuation contains its input twice.
        let output = usize::try_from(limits.output).unwrap_or(usize::MAX).saturating_mul(2);
        Self {
            fuel: fuel
                .saturating_add(limits.fuel.saturating_mul(net.fuel_per_unit))
                .saturating_add(limits.memory.saturating_mul(FUEL_PER_HEAP_BYTE)),
            memory: memory.saturating_add(limits.memory.saturating_mul(2)).min(net.memory),
            answer: output.saturating_add(ANSWER_BASE),
        }
    }

    /// The allowance to check a text of this many bytes.
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

/// The resources that one instance has used. Unlike time, these numbers are equal on every machine
/// for the same component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceUsage {
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
        Argument::None | Argument::Unapplied => 0,
        Argument::Input(text) | Argument::Data(text) => text.len(),
    };
    let context = program.context.as_ref().map_or(0, String::len);
    let tools: usize = program.tools.iter().map(|source| source.code.len()).sum();
    let bindings: usize =
        program.bindings.iter().filter_map(|bound| bound.term.as_deref()).map(str::len).sum();
    code + argument + context + bindings + tools
}

/// Keeps an instance within its allowance of memory and records refusals.
#[derive(Debug)]
pub(super) struct Ceiling {
    allowance: Allowance,
    /// The bytes that were refused, if any. They distinguish a failed allocation from other traps.
    denied: Option<u64>,
    /// Whether the system ran out of memory.
    is_starved: bool,
    /// Bytes of linear memory, which never shrinks.
    memory: u64,
}

impl Ceiling {
    pub(super) fn new(allowance: Allowance) -> Self {
        Self { allowance, denied: None, is_starved: false, memory: 0 }
    }

    /// The excess over the memory ceiling, if the instance met it.
    pub(super) fn denied(&self) -> Option<Excess> {
        let limit = self.allowance.memory;
        self.denied.map(|used| Excess { name: Limit::InstanceMemory, used, limit })
    }

    /// Whether the system had less memory than the ceiling allows.
    pub(super) fn is_starved(&self) -> bool {
        self.is_starved
    }

    /// The resources that the instance has used. `left` is its remaining wasmtime fuel.
    pub(super) fn taken(&self, left: u64) -> InstanceUsage {
        InstanceUsage {
            instructions: self.allowance.fuel.saturating_sub(left),
            memory: self.memory,
        }
    }

    /// The excess of an instance that has used all its wasmtime fuel.
    pub(super) fn fuel(&self) -> Excess {
        let limit = self.allowance.fuel;
        Excess { name: Limit::WasmtimeFuel, used: limit, limit }
    }

    /// Adds a text of this many bytes to the allowance, with at most `most` bytes of memory in
    /// total. Returns the added fuel.
    pub(super) fn admit(&mut self, bytes: usize, most: u64) -> u64 {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let memory = MEMORY_PER_BYTE.saturating_mul(bytes);
        let fuel = FUEL_PER_BYTE.saturating_mul(bytes);
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
