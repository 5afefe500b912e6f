//! How wasmtime is set up: for one of two kinds of processors of the target, because compiled code
//! may be kept on disk, and a disk may move; and where it cannot be kept, for this very processor.

use std::path::Path;

use wasmtime::component::Component;
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
};

use super::ceiling::{MEMORY_CAP, STACK};

/// What stays mapped of a finished instance's memory, to spare the next one its page faults:
/// more where the kernel tells which pages were written, because only those must be cleared.
const KEEP_RESIDENT: usize = 64 << 10;
const KEEP_RESIDENT_SCANNED: usize = 16 << 20;

/// Places in the pool beyond the machines that may run at once: one made ahead, one that is torn down
/// later, and others still being torn down must not refuse the next one.
const SPARE: usize = 4;

/// The engine that machines run in, and what it takes to make another one.
pub(super) struct Engines {
    portable: Result<Engine, String>,
    concurrency: usize,
}

impl Engines {
    pub(super) fn new(concurrency: usize) -> wasmtime::Result<Self> {
        let mut portable = settings(concurrency)?;
        add_common_features(&mut portable);
        let portable =
            portable.target(env!("PIF_TARGET")).and_then(|portable| Engine::new(portable));
        Ok(Self { portable: portable.map_err(|error| format!("{error:#}")), concurrency })
    }

    /// The engine that compiles for the cache, and runs what it has compiled.
    pub(super) fn portable(&self) -> Result<&Engine, String> {
        self.portable.as_ref().map_err(Clone::clone)
    }

    /// An engine for this very processor.
    pub(super) fn native(&self) -> wasmtime::Result<Engine> {
        Engine::new(&settings(self.concurrency)?)
    }

    /// Loads code that [`Engines::portable`] compiled.
    #[expect(unsafe_code, reason = "code compiled ahead of time is trusted as written")]
    pub(super) fn load(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
        // SAFETY: the file is what `precompile_component` of this wasmtime wrote. The caller has
        // made sure that it lies in a directory which only we can write, and belongs to us.
        unsafe { Component::deserialize_file(engine, path) }
    }
}

/// Adds what nearly every processor of the last ten years has to the plainest one of the target, if
/// this one has all of it: level `x86-64-v3` of the System V ABI's supplement for this architecture.
/// Without it, to look for a bit or to shuffle bytes is a call.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "none to add"))]
fn add_common_features(config: &mut Config) {
    macro_rules! features {
        ($($flag:literal $feature:tt)*) => {
            #[cfg(target_arch = "x86_64")]
            if true $(&& std::is_x86_feature_detected!($feature))* {
                for flag in [$($flag),*] {
                    // SAFETY: the processor has it, and code is only loaded where it has.
                    #[expect(unsafe_code, reason = "flags of Cranelift are not checked")]
                    unsafe { config.cranelift_flag_enable(flag) };
                }
            }
        };
    }
    features! {
        "has_sse3" "sse3"
        "has_ssse3" "ssse3"
        "has_sse41" "sse4.1"
        "has_sse42" "sse4.2"
        "has_popcnt" "popcnt"
        "has_avx" "avx"
        "has_avx2" "avx2"
        "has_fma" "fma"
        "has_bmi1" "bmi1"
        "has_bmi2" "bmi2"
        "has_lzcnt" "lzcnt"
    }
}

fn settings(concurrency: usize) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .cranelift_opt_level(OptLevel::Speed)
        .cranelift_nan_canonicalization(true)
        .wasm_backtrace_max_frames(None)
        .max_wasm_stack(STACK)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool(concurrency)?));
    Ok(config)
}

fn pool(concurrency: usize) -> wasmtime::Result<PoolingAllocationConfig> {
    let places = u32::try_from(concurrency + SPARE)?;
    let scanned = PoolingAllocationConfig::is_pagemap_scan_available();
    let keep = if scanned { KEEP_RESIDENT_SCANNED } else { KEEP_RESIDENT };
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(places)
        .total_core_instances(places.saturating_mul(4))
        .total_memories(places)
        .total_tables(places.saturating_mul(4))
        .max_memory_size(usize::try_from(MEMORY_CAP)?)
        .max_unused_warm_slots(places)
        .linear_memory_keep_resident(keep)
        .table_keep_resident(KEEP_RESIDENT)
        .total_stacks(places)
        .async_stack_keep_resident(KEEP_RESIDENT)
        .pagemap_scan(Enabled::Auto);
    Ok(pool)
}
