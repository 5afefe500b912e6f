//! The compiled analyst, from which instances are made.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use wasmtime::component::{Component, InstancePre, Linker};

use super::artifact::{self, ANALYST, ANALYST_HASH, CacheState};
use super::bindings::{Questions, Reductions};
use super::ceiling::Ceiling;
use super::error::Error;

/// The compiled analyst. A server has it before it is sealed. A command makes it ready when it first
/// asks something, since most commands ask nothing.
pub(super) struct Analyst {
    pub(super) opened: OnceLock<Result<CompiledAnalyst, Error>>,
    /// The directory that keeps its compiled code between starts.
    pub(super) cache: Option<PathBuf>,
}

pub(super) struct CompiledAnalyst {
    pub(super) component: InstancePre<Ceiling>,
    pub(super) questions: Questions,
    pub(super) reductions: Reductions,
}

impl CompiledAnalyst {
    pub(super) fn new(component: &Component) -> Result<Self, Error> {
        let linker = Linker::new(component.engine());
        let component = linker.instantiate_pre(component).map_err(Error::component)?;
        let questions = Questions::new(&component).map_err(Error::component)?;
        let reductions = Reductions::new(&component).map_err(Error::component)?;
        Ok(Self { component, questions, reductions })
    }
}

impl Analyst {
    /// An analyst that is not ready yet.
    pub(super) fn closed(cache: Option<&Path>) -> Self {
        Self { opened: OnceLock::new(), cache: cache.map(artifact::cache_of_analyst) }
    }

    /// Takes the compiled code.
    pub(super) fn settle(&self, component: Result<Component, Error>) {
        // It is set only once.
        let _ = self.opened.set(component.and_then(|component| CompiledAnalyst::new(&component)));
    }
}

/// Loads the compiled code from its directory, or compiles it and keeps it there.
pub(super) fn prepared(
    engine: &wasmtime::Engine,
    cache: Option<&Path>,
) -> Result<Component, Error> {
    let kept = cache.map(|directory| match artifact::find_for(engine, ANALYST_HASH, directory)? {
        CacheState::Loaded(component, _) => Ok(component),
        CacheState::Missing(path) => {
            artifact::keep(engine, ANALYST, &path)?;
            artifact::load(engine, &path)
        }
        CacheState::Unusable(reason) => Err(reason),
    });
    match kept {
        Some(Ok(component)) => Ok(component),
        Some(Err(reason)) => {
            tracing::debug!(reason, "the compiled analyst is not kept");
            Component::new(engine, ANALYST).map_err(Error::component)
        }
        None => Component::new(engine, ANALYST).map_err(Error::component),
    }
}
