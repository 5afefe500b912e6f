//! How a sandbox comes to be ready. What was compiled before is loaded at once. Else a server does
//! not wait: another process compiles, for the cache belongs to it and the server is about to give
//! up its leave to write there.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre, Linker};

use super::artifact::{self, COMPONENT, Found, Origin};
use super::bindings::{Analysis, MachinesIndices};
use super::ceiling::Ceiling;
use super::engine::{Addresses, Engines, Size};
use super::{Error, Sandbox, Setup, Spare};
use crate::domain::{Fault, FaultCode, fault};

/// The compiled evaluator, ready to make instances of.
pub(super) struct Opened {
    pub(super) component: InstancePre<Ceiling>,
    pub(super) machines: MachinesIndices,
    pub(super) analysis: Analysis,
}

impl Opened {
    fn new(component: &Component) -> Result<Self, Error> {
        let linker = Linker::new(component.engine());
        let component = linker.instantiate_pre(component).map_err(Error::component)?;
        let machines = MachinesIndices::new(&component).map_err(Error::component)?;
        let analysis = Analysis::new(&component).map_err(Error::component)?;
        Ok(Self { component, machines, analysis })
    }
}

/// What has to be done before a sandbox is ready.
#[derive(Debug)]
pub struct Opening {
    sandbox: Arc<Sandbox>,
    need: Need,
}

#[derive(Debug)]
enum Need {
    /// A process writes the code to its output, and to this file.
    Compiler(Box<Child>, PathBuf, Engine),
    /// It has to be compiled here, and cannot be kept, for this reason.
    Here(String, Engine),
}

impl Sandbox {
    /// Begins to open a sandbox for the embedded evaluator, in which nothing can be run before the
    /// rest is done, if there is any. `compiler` starts the process that does what [`compile`]
    /// does, for a directory.
    ///
    /// [`compile`]: super::compile
    pub fn begin(
        setup: &Setup<'_>,
        compiler: impl FnOnce(&Path, Addresses) -> io::Result<Child>,
    ) -> Result<(Arc<Self>, Option<Opening>), Error> {
        let engines = engines(setup);
        let sandbox = Arc::new(Self::closed(setup));
        let here =
            |reason| Ok::<_, Error>(Need::Here(reason, engines.native().map_err(Error::engine)?));
        let need = match artifact::find(&engines, &sandbox.hash, setup.cache) {
            Found::Loaded(component, path) => {
                sandbox.settle(Ok(Opened::new(&component)?), Origin::Loaded(path));
                return Ok((sandbox, None));
            }
            Found::Unusable(reason) => here(reason)?,
            Found::Missing(path) => {
                let directory = path.parent().unwrap_or(&path);
                match (compiler(directory, engines.addresses), engines.portable()) {
                    (Ok(child), Ok(engine)) => {
                        Need::Compiler(Box::new(child), path, engine.clone())
                    }
                    (Err(error), _) => here(format!("no process can be started: {error}"))?,
                    (_, Err(reason)) => here(reason)?,
                }
            }
        };
        Ok((Arc::clone(&sandbox), Some(Opening { sandbox, need })))
    }

    /// Opens a sandbox with every setting given.
    pub fn set_up(setup: &Setup<'_>) -> Result<Self, Error> {
        let engines = engines(setup);
        let sandbox = Self::closed(setup);
        let compiled = match artifact::find(&engines, &sandbox.hash, setup.cache) {
            Found::Loaded(component, path) => Ok((component, Origin::Loaded(path))),
            Found::Missing(path) => engines.portable().and_then(|engine| {
                artifact::keep(engine, setup.component, &path)?;
                Ok((artifact::load(engine, &path)?, Origin::Cached(path)))
            }),
            Found::Unusable(reason) => Err(reason),
        };
        let (component, origin) = match compiled {
            Ok(compiled) => compiled,
            Err(reason) => {
                let engine = engines.native().map_err(Error::engine)?;
                (compile_here(&engine, setup.component)?, Origin::InMemory(reason))
            }
        };
        sandbox.settle(Ok(Opened::new(&component)?), origin);
        Ok(sandbox)
    }

    /// A sandbox that is not open yet.
    fn closed(setup: &Setup<'_>) -> Self {
        Self {
            hash: artifact::hash(setup.component),
            size: setup.component.len(),
            net: setup.net,
            spare: Spare::default(),
            opened: OnceLock::new(),
            is_open: CancellationToken::new(),
        }
    }

    fn settle(&self, opened: Result<Opened, Error>, origin: Origin) {
        // It is done once.
        let _ = self.opened.set((opened, origin));
        self.is_open.cancel();
    }

    /// Waits until the sandbox is open, without keeping its thread.
    pub async fn opened(&self) {
        self.is_open.cancelled().await;
    }

    /// Whether it is.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open.is_cancelled()
    }

    /// What it takes to make instances. It keeps its thread until the sandbox is open.
    pub(super) fn entrance(&self) -> Result<&Opened, Fault> {
        let told = |error: &Error| fault(FaultCode::Internal, error.to_string(), None);
        self.opened.wait().0.as_ref().map_err(told)
    }

    /// How the component came to be compiled. It keeps its thread until that has happened.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.opened.wait().1
    }
}

impl Opening {
    /// Does what is left to do, and calls `seal` when all code is loaded: after that nothing needs
    /// to be executable any more, and before it nothing runs.
    pub fn finish(self, seal: impl FnOnce()) {
        let Self { sandbox, need } = self;
        let (component, origin) = match need {
            Need::Here(reason, engine) => {
                (compile_here(&engine, COMPONENT), Origin::InMemory(reason))
            }
            Need::Compiler(child, path, engine) => match take(*child, &engine) {
                Ok(component) => (Ok(component), Origin::Cached(path)),
                Err(reason) => (compile_here(&engine, COMPONENT), Origin::InMemory(reason)),
            },
        };
        let opened = component.and_then(|component| Opened::new(&component));
        if let Err(error) = &opened {
            tracing::error!(%error, "nothing can be run");
        }
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

/// Takes the code that a process has compiled.
fn take(child: Child, engine: &Engine) -> Result<Component, String> {
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let told = told.trim().strip_prefix("mcp-pif: ").unwrap_or(told.trim()).to_owned();
        return Err(if told.is_empty() { output.status.to_string() } else { told });
    }
    Engines::take(engine, &output.stdout).map_err(|error| format!("{error:#}"))
}
