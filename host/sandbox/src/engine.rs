//! The configuration of wasmtime. Code for the cache is compiled for one of two kinds of processors
//! of the target, because the disk may move to another computer. Code that cannot be cached is
//! compiled for the present processor.

use std::path::Path;

use pif_domain::Limit;
use wasmtime::component::Component;
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
};

use super::ceiling::STACK;
use super::gate::LOOKS;

/// Bytes of a finished instance's memory that stay mapped, to save the next instance page faults.
/// More stays where the kernel reports the written pages, because only those must be cleared.
const KEEP_RESIDENT: usize = 64 << 10;
const KEEP_RESIDENT_SCANNED: usize = 16 << 20;

/// Places in the pool beyond the machines that may run at once. They hold one instance made ahead,
/// one that is torn down later, and others that are being torn down.
const SPARE: usize = 4;

/// Bytes of a page of wasm.
const PAGE: u64 = 64 << 10;

/// Bytes of address space reserved for the memory of an instance where address space is scarce, and
/// reserved again whenever the memory moves to grow.
const RESERVED: u64 = 64 << 20;

/// The number and the size of instances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Machines at once.
    pub(super) concurrency: usize,
    /// Bytes of memory of an instance, at most.
    pub(super) memory: u64,
}

/// The way instances get their memory. Compiled code fits only one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// Each instance has its own place in a pool, as large as all that 32 bits can address. The
    /// code checks no access, and the memory never moves.
    Ample,
    /// Memory is allocated when it is needed. The code checks every access, and the memory moves
    /// when it grows.
    Scarce,
}

/// The engine that runs machines, and the settings to make another one.
pub(super) struct Engines {
    portable: Result<Engine, String>,
    size: Size,
    pub(super) addresses: Addresses,
}

impl Engines {
    /// Makes the engine. The pool only reserves address space. If that is too small, the engine
    /// uses [`Addresses::Scarce`].
    pub(super) fn new(size: Size) -> Self {
        match portable(Some(size), Addresses::Ample) {
            Ok(engine) => Self { portable: Ok(engine), size, addresses: Addresses::Ample },
            Err(error) => {
                let scarce = portable(Some(size), Addresses::Scarce);
                let addresses =
                    if scarce.is_ok() { warn_of_scarcity(&error) } else { Addresses::Ample };
                Self { portable: scarce.map_err(|_| format!("{error:#}")), size, addresses }
            }
        }
    }

    /// The engine that compiles code for the cache and runs it.
    pub(super) fn portable(&self) -> Result<&Engine, String> {
        self.portable.as_ref().map_err(Clone::clone)
    }

    /// Makes an engine for the present processor.
    pub(super) fn native(&self) -> wasmtime::Result<Engine> {
        let make = |addresses| Engine::new(&settings(Some(self.size), addresses)?);
        match make(self.addresses) {
            Err(error) if self.addresses == Addresses::Ample => {
                let engine = make(Addresses::Scarce)?;
                warn_of_scarcity(&error);
                Ok(engine)
            }
            made => made,
        }
    }

    /// Loads code that [`Engines::portable`] compiled.
    #[expect(unsafe_code, reason = "code compiled ahead of time is trusted as written")]
    pub(super) fn load(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
        // SAFETY: the file was written by `precompile_component` of this wasmtime. The caller has
        // checked that the file belongs to us and that no other user can write to its directory.
        unsafe { Component::deserialize_file(engine, path) }
    }

    /// Loads code that a process of ours has sent through a pipe.
    #[expect(unsafe_code, reason = "code compiled ahead of time is trusted as written")]
    pub(super) fn take(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
        // SAFETY: the process runs this program and sent code that it has loaded or compiled under
        // the conditions above. No other process can write to the pipe.
        unsafe { Component::deserialize(engine, code) }
    }
}

/// Adds the features that nearly every processor of the last ten years has, if this one has all of
/// them: level `x86-64-v3` of the System V ABI's supplement for this architecture. Without them,
/// counting bits and shuffling bytes are function calls.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "none to add"))]
fn add_common_features(config: &mut Config) {
    macro_rules! features {
        ($($flag:literal $feature:tt)*) => {
            #[cfg(target_arch = "x86_64")]
            if true $(&& std::is_x86_feature_detected!($feature))* {
                for flag in [$($flag),*] {
                    // SAFETY: this processor has the feature, and code is loaded only on processors
                    // that have it.
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

/// Makes an engine whose code runs on any processor of the target, or on nearly any. An engine
/// without a size only compiles.
pub(super) fn portable(size: Option<Size>, addresses: Addresses) -> wasmtime::Result<Engine> {
    let mut config = settings(size, addresses)?;
    add_common_features(&mut config);
    Engine::new(config.target(env!("PIF_TARGET"))?)
}

fn warn_of_scarcity(error: &wasmtime::Error) -> Addresses {
    tracing::debug!(error = format!("{error:#}"), "no pool");
    tracing::warn!(
        "this process may use little address space (`ulimit -v` shows how much), so memory is not kept ready \
         for runs: they work as always, and take somewhat longer"
    );
    Addresses::Scarce
}

fn settings(size: Option<Size>, addresses: Addresses) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .cranelift_opt_level(OptLevel::Speed)
        .cranelift_nan_canonicalization(true)
        .wasm_backtrace_max_frames(None)
        .max_wasm_stack(STACK)
        .allocation_strategy(InstanceAllocationStrategy::OnDemand);
    match (addresses, size) {
        (Addresses::Ample, None) => {}
        (Addresses::Ample, Some(size)) => {
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(size)?));
        }
        (Addresses::Scarce, _) => {
            config
                .memory_reservation(RESERVED)
                .memory_reservation_for_growth(RESERVED)
                .memory_guard_size(0)
                .guard_before_linear_memory(false)
                .memory_may_move(true);
        }
    }
    Ok(config)
}

fn pool(size: Size) -> wasmtime::Result<PoolingAllocationConfig> {
    let runs = size.concurrency + Limit::WaitingRuns.fixed_count();
    let places = u32::try_from(runs + LOOKS + SPARE)?;
    let scanned = PoolingAllocationConfig::is_pagemap_scan_available();
    let keep = if scanned { KEEP_RESIDENT_SCANNED } else { KEEP_RESIDENT };
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(places)
        .total_core_instances(places.saturating_mul(4))
        .total_memories(places)
        .total_tables(places.saturating_mul(4))
        .max_memory_size(usize::try_from(size.memory.next_multiple_of(PAGE))?)
        .max_unused_warm_slots(places)
        .linear_memory_keep_resident(keep)
        .table_keep_resident(KEEP_RESIDENT)
        .total_stacks(places)
        .async_stack_keep_resident(KEEP_RESIDENT)
        .pagemap_scan(Enabled::Auto);
    Ok(pool)
}
