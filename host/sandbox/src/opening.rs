//! Opens a sandbox. Compiled code is loaded from the cache at once. If there is none, a server
//! starts another process to compile: that process may write to the cache, while the server is
//! about to give up its permission to write there.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;
use wasmtime::Engine;
use wasmtime::component::Component;

use super::artifact::{self, COMPONENT, Found, Origin};
use super::ceiling::Net;
use super::engine::{Addresses, Engines, Size};
use super::error::Error;
use super::evaluator::{Sandbox, Setup};
use super::instance::Opened;

/// The work that is left before a sandbox is ready.
#[derive(Debug)]
pub struct Opening {
    sandbox: Arc<Sandbox>,
    need: Need,
}

#[derive(Debug)]
enum Need {
    /// A process compiles. It writes the code to its output and to this file.
    Compiler(Box<Child>, PathBuf, Engine),
    /// This process has to compile. The code cannot be cached, for this reason.
    Here(String, Engine),
}

impl Sandbox {
    /// Compiles the evaluator, or loads its code from `cache`. At most `concurrency` machines are
    /// alive at once.
    pub fn open(cache: Option<&Path>, concurrency: usize) -> Result<Self, Error> {
        Self::set_up(&Setup { component: COMPONENT, cache, concurrency, net: Net::WIDE })
    }

    /// Begins to open a sandbox for the embedded evaluator. Nothing can run before the returned
    /// [`Opening`] is finished, if there is one. `compiler` starts a process that does the work of
    /// [`compile`] for a directory.
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

    /// Opens a sandbox with these settings.
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
            opened: OnceLock::new(),
            is_open: CancellationToken::new(),
        }
    }
}

impl Opening {
    /// Finishes opening. Calls `seal` when all code is loaded, before anything runs. No memory has
    /// to become executable after that.
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
