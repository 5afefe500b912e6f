//! The sandboxed analyst: answers questions about programs that nobody runs.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pif_domain::{Fault, FaultCode, fault};
use wasmtime::Store;
use wasmtime::component::{self, Component, InstancePre, Linker};

use super::artifact::{self, ANALYST, ANALYST_HASH, Found, Origin};
use super::bindings::{Answers, Misfit, Question, Questions, Subject};
use super::ceiling::{Allowance, Ceiling};
use super::error::Error;
use super::evaluator::Sandbox;
use super::instance::Instance;
use super::turn::finish;
use super::watch::Watch;

/// The compiled analyst. A server has it before it is sealed. A command makes it ready when it first
/// asks something, since most commands ask nothing.
pub(super) struct Analyst {
    opened: OnceLock<Result<Opened, Error>>,
    /// The directory that keeps its compiled code between starts.
    cache: Option<PathBuf>,
}

struct Opened {
    component: InstancePre<Ceiling>,
    questions: Questions,
}

impl Opened {
    fn new(component: &Component) -> Result<Self, Error> {
        let linker = Linker::new(component.engine());
        let component = linker.instantiate_pre(component).map_err(Error::component)?;
        let questions = Questions::new(&component).map_err(Error::component)?;
        Ok(Self { component, questions })
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
        let _ = self.opened.set(component.and_then(|component| Opened::new(&component)));
    }
}

impl Sandbox {
    /// Makes the analyst ready, which may take a second or two. Do it before a clock starts.
    pub fn ready_analyst(&self) {
        if let Err(fault) = self.analyst() {
            tracing::error!(message = fault.message, "nothing can be analyzed");
        }
    }

    /// Asks the analyst about a program.
    pub fn ask(
        &self,
        subject: &Subject,
        asked: &[Question],
        watch: &Watch,
    ) -> Result<Answers, Fault> {
        let allowance = Allowance::for_text(self.net, size(subject));
        let told = finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let questions = &self.analyst()?.questions;
            let ask = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let questions = questions.load(&mut *store, guest)?;
                questions.call_ask(store, subject, asked).await
            };
            instance.call(ask).await
        })?;
        told.map_err(Fault::from)
    }

    /// Whether all values of one type are of another.
    pub fn includes(&self, wide: &str, narrow: &str, watch: &Watch) -> Result<bool, Fault> {
        let allowance = Allowance::for_text(self.net, wide.len().saturating_add(narrow.len()));
        finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let questions = &self.analyst()?.questions;
            let includes = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let questions = questions.load(&mut *store, guest)?;
                questions.call_includes(store, &wide.to_owned(), &narrow.to_owned()).await
            };
            instance.call(includes).await
        })
    }

    /// The place at which no value of a type meets a JSON Schema.
    pub fn clash(&self, shape: &str, schema: &str, watch: &Watch) -> Result<Option<Misfit>, Fault> {
        let allowance = Allowance::for_text(self.net, shape.len().saturating_add(schema.len()));
        finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let questions = &self.analyst()?.questions;
            let clash = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let questions = questions.load(&mut *store, guest)?;
                questions.call_clash(store, &shape.to_owned(), &schema.to_owned()).await
            };
            instance.call(clash).await
        })
    }

    /// Returns a fresh instance with this allowance.
    async fn consult(
        &self,
        allowance: Allowance,
        watch: &Watch,
    ) -> Result<Instance<component::Instance>, Fault> {
        watch.verdict()?;
        let component = &self.analyst()?.component;
        Instance::enter(component, (self.net, allowance), watch, |_, instance| Ok(instance)).await
    }

    /// The parts that instances are made from. It blocks its thread until the sandbox is open.
    fn analyst(&self) -> Result<&Opened, Fault> {
        // A server settles the analyst before it opens the sandbox.
        let engine = self.entrance()?.component.engine();
        let prepare = || {
            let cache = match self.origin() {
                Origin::Loaded(_) | Origin::Cached(_) => self.analyst.cache.as_deref(),
                Origin::InMemory(_) => None,
            };
            Opened::new(&prepared(engine, cache)?)
        };
        let told = |error: &Error| fault(FaultCode::Internal, error.to_string(), None);
        self.analyst.opened.get_or_init(prepare).as_ref().map_err(told)
    }
}

/// Loads the compiled code from its directory, or compiles it and keeps it there.
fn prepared(engine: &wasmtime::Engine, cache: Option<&Path>) -> Result<Component, Error> {
    let kept = cache.map(|directory| match artifact::find_for(engine, ANALYST_HASH, directory)? {
        Found::Loaded(component, _) => Ok(component),
        Found::Missing(path) => {
            artifact::keep(engine, ANALYST, &path)?;
            artifact::load(engine, &path)
        }
        Found::Unusable(reason) => Err(reason),
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

/// Bytes of all texts of a subject.
fn size(subject: &Subject) -> usize {
    let Subject { code, variables, tools, .. } = subject;
    let variables = variables.iter().map(|it| it.name.len() + it.shape.len());
    let given = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let tools = tools.iter().map(|it| {
        let schemas = it.schemas.as_ref();
        let schemas = schemas.map_or(0, |it| given(&it.input) + given(&it.output));
        it.name.len() + given(&it.shape) + given(&it.code) + schemas
    });
    code.len() + variables.sum::<usize>() + tools.sum::<usize>()
}
