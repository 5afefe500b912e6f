//! Opens a sandbox. Compiled code is loaded from the cache at once. If there is none, a server
//! starts another process to compile: that process may write to the cache, while the server is
//! about to give up its permission to write there.

use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, OnceLock};
use std::thread;

use tokio_util::sync::CancellationToken;
use wasmtime::Engine;
use wasmtime::component::Component;

use super::artifact::{
    self, ANALYST, ANALYST_HASH, COMPONENT, CacheState, EmbeddedComponent, Origin,
};
use super::ceiling::Net;
use super::compiled_analyst::Analyst;
use super::engine::{Addresses, Engines, Size};
use super::error::Error;
use super::evaluator::{Sandbox, Setup};
use super::instance::CompiledEvaluator;

/// The work that is left before a sandbox is ready.
#[derive(Debug)]
pub struct Opening {
    sandbox: Arc<Sandbox>,
    engine: Engine,
    evaluator: Need,
    analyst: Need,
}

/// What it takes to have the compiled code of a component.
enum Need {
    /// Nothing: it was loaded from this file.
    Loaded(Component, PathBuf),
    /// A process compiles. It writes the code to its output and to this file.
    Compiler(Box<Child>, PathBuf),
    /// This process has to compile. The code cannot be cached, for this reason.
    Here(String),
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loaded(_, path) => f.debug_tuple("Loaded").field(path).finish(),
            Self::Compiler(child, path) => {
                f.debug_tuple("Compiler").field(child).field(path).finish()
            }
            Self::Here(reason) => f.debug_tuple("Here").field(reason).finish(),
        }
    }
}

impl Need {
    /// Asks a process to compile what is missing.
    fn of(found: CacheState, compiler: impl FnOnce() -> io::Result<Child>) -> Self {
        match found {
            CacheState::Loaded(component, path) => Self::Loaded(component, path),
            CacheState::Unusable(reason) => Self::Here(reason),
            CacheState::Missing(path) => match compiler() {
                Ok(child) => Self::Compiler(Box::new(child), path),
                Err(error) => Self::Here(format!("no process can be started: {error}")),
            },
        }
    }

    /// The compiled code of `guest`.
    fn meet(self, engine: &Engine, guest: &[u8]) -> (Result<Component, Error>, Origin) {
        let reason = match self {
            Self::Loaded(component, path) => return (Ok(component), Origin::Loaded(path)),
            Self::Compiler(child, path) => match take(*child, engine) {
                Ok(component) => return (Ok(component), Origin::Cached(path)),
                Err(reason) => reason,
            },
            Self::Here(reason) => reason,
        };
        (compile_here(engine, guest), Origin::InMemory(reason))
    }
}

impl Sandbox {
    /// Compiles the evaluator, or loads its code from `cache`. At most `concurrency` machines are
    /// alive at once.
    pub fn open(cache: Option<&Path>, concurrency: usize) -> Result<Self, Error> {
        Self::set_up(&Setup { component: COMPONENT, cache, concurrency, net: Net::WIDE })
    }

    /// Begins to open a sandbox for the embedded components. Nothing can run before the returned
    /// [`Opening`] is finished, if there is one. `compiler` starts a process that does the work of
    /// [`compile`] for a cache.
    ///
    /// [`compile`]: super::compile
    pub fn begin(
        setup: &Setup<'_>,
        compiler: impl Fn(EmbeddedComponent, &Path, Addresses) -> io::Result<Child>,
    ) -> Result<(Arc<Self>, Option<Opening>), Error> {
        let engines = engines(setup);
        let sandbox = Arc::new(Self::closed(setup));
        let cache = setup.cache.unwrap_or(Path::new(""));
        let compiler = |which| compiler(which, cache, engines.addresses);
        let found = artifact::find(&engines, &sandbox.hash, setup.cache);
        let evaluator = Need::of(found, || compiler(EmbeddedComponent::Evaluator));
        // Code of one engine does not fit another, so both components have one.
        let (engine, analyst) = match (&evaluator, engines.portable()) {
            (Need::Loaded(..) | Need::Compiler(..), Ok(engine)) => {
                let directory = artifact::cache_of_analyst(cache);
                let found = artifact::find_for(engine, ANALYST_HASH, &directory);
                let found = found.unwrap_or_else(CacheState::Unusable);
                (engine.clone(), Need::of(found, || compiler(EmbeddedComponent::Analyst)))
            }
            (Need::Here(reason), _) => {
                (engines.native().map_err(Error::engine)?, Need::Here(reason.clone()))
            }
            (_, Err(reason)) => return Err(Error::Engine(reason)),
        };
        match (evaluator, analyst) {
            (Need::Loaded(evaluator, path), Need::Loaded(analyst, _)) => {
                sandbox.analyst.settle(Ok(analyst));
                sandbox.settle(Ok(CompiledEvaluator::new(&evaluator)?), Origin::Loaded(path));
                Ok((sandbox, None))
            }
            (evaluator, analyst) => {
                let opening = Opening { sandbox: Arc::clone(&sandbox), engine, evaluator, analyst };
                Ok((sandbox, Some(opening)))
            }
        }
    }

    /// Opens a sandbox with these settings.
    pub fn set_up(setup: &Setup<'_>) -> Result<Self, Error> {
        let engines = engines(setup);
        let sandbox = Self::closed(setup);
        let compiled = match artifact::find(&engines, &sandbox.hash, setup.cache) {
            CacheState::Loaded(component, path) => Ok((component, Origin::Loaded(path))),
            CacheState::Missing(path) => engines.portable().and_then(|engine| {
                artifact::keep(engine, setup.component, &path)?;
                Ok((artifact::load(engine, &path)?, Origin::Cached(path)))
            }),
            CacheState::Unusable(reason) => Err(reason),
        };
        let (component, origin) = match compiled {
            Ok(compiled) => compiled,
            Err(reason) => {
                let engine = engines.native().map_err(Error::engine)?;
                (compile_here(&engine, setup.component)?, Origin::InMemory(reason))
            }
        };
        sandbox.settle(Ok(CompiledEvaluator::new(&component)?), origin);
        Ok(sandbox)
    }

    /// A sandbox that is not open yet.
    fn closed(setup: &Setup<'_>) -> Self {
        Self {
            hash: artifact::hash(setup.component),
            size: setup.component.len(),
            net: setup.net,
            opened: OnceLock::new(),
            is_open: CancellationToken::new(),
            analyst: Analyst::closed(setup.cache),
        }
    }
}

impl Opening {
    /// Finishes opening. Calls `seal` when all code is loaded, before anything runs. No memory has
    /// to become executable after that.
    pub fn finish(self, seal: impl FnOnce()) {
        let Self { sandbox, engine, evaluator, analyst } = self;
        // Where this process has to compile both, it does so at once.
        let (analyst, (component, origin)) = thread::scope(|scope| {
            let other = scope.spawn(|| analyst.meet(&engine, ANALYST).0);
            let evaluator = evaluator.meet(&engine, COMPONENT);
            (other.join().unwrap_or_else(|panic| resume_unwind(panic)), evaluator)
        });
        let opened = component.and_then(|component| CompiledEvaluator::new(&component));
        if let Err(error) = &opened {
            tracing::error!(%error, "nothing can be run");
        }
        sandbox.analyst.settle(analyst);
        seal();
        sandbox.settle(opened, origin);
    }
}

fn engines(setup: &Setup<'_>) -> Engines {
    Engines::new(Size { concurrency: setup.concurrency, memory: setup.net.memory })
}

fn compile_here(engine: &Engine, guest: &[u8]) -> Result<Component, Error> {
    Component::new(engine, guest).map_err(Error::component)
}

/// Takes the code from a process that compiles.
fn take(child: Child, engine: &Engine) -> Result<Component, String> {
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let told = told.trim().strip_prefix("mcp-pif: ").unwrap_or(told.trim()).to_owned();
        return Err(if told.is_empty() { output.status.to_string() } else { told });
    }
    Engines::take(engine, &output.stdout).map_err(|error| format!("{error:#}"))
}
