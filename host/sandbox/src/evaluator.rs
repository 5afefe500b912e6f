//! The sandboxed evaluator: starts machines and checks terms.

use std::path::Path;
use std::sync::OnceLock;

use pif_domain::{Fault, FaultCode, fault};
use tokio_util::sync::CancellationToken;
use wasmtime::Store;

use super::artifact::Origin;
use super::bindings::{Limits, Outlook, Place, Program, Renamed, Summary};
use super::ceiling::{Allowance, Ceiling, Net};
use super::compiled_analyst::Analyst;
use super::error::Error;
use super::instance::{CompiledEvaluator, Guest, Instance};
use super::machine::Machine;
use super::turn::finish;
use super::watch::Watch;

/// The settings of a sandbox.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The component. It is never trusted.
    pub component: &'a [u8],
    /// The directory that keeps its compiled code between starts.
    pub cache: Option<&'a Path>,
    /// Machines that may be alive at once, besides [`LOOKS`](super::LOOKS) instances that only
    /// check terms and [`WaitingRuns`](pif_domain::Limit::WaitingRuns) machines that wait for the world.
    pub concurrency: usize,
    /// The ceilings below the language's own limits.
    pub net: Net,
}

/// The compiled evaluator and the compiled analyst, which start instances.
pub struct Sandbox {
    /// sha256 of the component, not of the code compiled from it.
    pub(super) hash: String,
    /// Bytes of the component.
    pub(super) size: usize,
    pub(super) net: Net,
    /// Set when instances can be made, or when opening has failed.
    pub(super) opened: OnceLock<(Result<CompiledEvaluator, Error>, Origin)>,
    /// Canceled after `opened` is set.
    pub(super) is_open: CancellationToken,
    /// What tells of programs before they run.
    pub(super) analyst: Analyst,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// sha256 of the component, 64 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Size of the component in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Parses a program. The machine has not evaluated anything yet.
    pub fn start(
        &self,
        program: &Program,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Machine, Fault> {
        finish(self.start_in_turns(program, limits, watch))
    }

    /// Parses a program and gives way after each turn.
    pub async fn start_in_turns(
        &self,
        program: &Program,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Machine, Fault> {
        let allowance = Allowance::for_run(self.net, limits, program);
        let instance = self.enter(allowance, watch).await?;
        Machine::start(instance, program, limits).await
    }

    /// Checks a term without running it.
    pub fn check(&self, code: &str, watch: &Watch) -> Result<Summary, Vec<Fault>> {
        let code = code.to_owned();
        let checked = self.analyze(code.len(), watch, async |opened, guest, store| {
            let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
            analysis.call_check(store, &code).await
        });
        let told = checked.map_err(|fault| vec![fault])?;
        told.map_err(|faults| faults.into_iter().map(Fault::from).collect())
    }

    /// What can be known of a term before it runs.
    pub fn foresee(&self, code: &str, watch: &Watch) -> Result<Outlook, Fault> {
        let code = code.to_owned();
        let told = self.analyze(code.len(), watch, async |opened, guest, store| {
            let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
            analysis.call_foresee(store, &code).await
        })?;
        told.map_err(Fault::from)
    }

    /// Where a JSON Pointer into a term leads in its text. None: the text is not the notation.
    pub fn locate(&self, code: &str, at: &str, watch: &Watch) -> Option<Place> {
        let (code, at) = (code.to_owned(), at.to_owned());
        let told = self.analyze(code.len(), watch, async |opened, guest, store| {
            let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
            analysis.call_locate(store, &code, &at).await
        });
        told.ok().flatten()
    }

    /// Prints a term in the notation.
    pub fn notation(&self, code: &str, watch: &Watch) -> Result<String, Fault> {
        let code = code.to_owned();
        let told = self.analyze(code.len(), watch, async |opened, guest, store| {
            let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
            analysis.call_notation(store, &code).await
        })?;
        told.map_err(Fault::from)
    }

    /// Gives a tool another name in a term that calls it.
    pub fn rename(
        &self,
        code: &str,
        tool: &str,
        to: &str,
        watch: &Watch,
    ) -> Result<Renamed, Fault> {
        let told = self.analyze(code.len(), watch, async |opened, guest, store| {
            let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
            analysis.call_rename(store, &code.to_owned(), tool, to).await
        })?;
        told.map_err(Fault::from)
    }

    /// The reference of all forms as JSON, and the marks and words of the notation as JSON.
    pub fn tables(&self, watch: &Watch) -> Result<(String, String), Fault> {
        self.analyze(0, watch, async |opened, guest, store| {
            let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
            let forms = analysis.call_forms(&mut *store).await?;
            Ok((forms, analysis.call_words(store).await?))
        })
    }

    /// Calls a function that only reads programs, in a fresh instance, which reads texts of so many bytes.
    fn analyze<T>(
        &self,
        bytes: usize,
        watch: &Watch,
        call: impl AsyncFnOnce(&CompiledEvaluator, &Guest, &mut Store<Ceiling>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let allowance = Allowance::for_text(self.net, bytes);
        finish(async {
            let opened = self.entrance()?;
            let mut instance = self.enter(allowance, watch).await?;
            instance.call(async |guest, store| call(opened, guest, store).await).await
        })
    }

    pub(super) fn settle(&self, opened: Result<CompiledEvaluator, Error>, origin: Origin) {
        // It is set only once.
        let _ = self.opened.set((opened, origin));
        self.is_open.cancel();
    }

    /// Waits until the sandbox is open, without keeping its thread.
    pub async fn opened(&self) {
        self.is_open.cancelled().await;
    }

    /// Whether the sandbox is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open.is_cancelled()
    }

    /// The parts that instances are made from. It blocks its thread until the sandbox is open.
    pub(super) fn entrance(&self) -> Result<&CompiledEvaluator, Fault> {
        let told = |error: &Error| fault(FaultCode::Internal, error.to_string(), None);
        self.opened.wait().0.as_ref().map_err(told)
    }

    /// The origin of the compiled component. It blocks its thread until the sandbox is open.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.opened.wait().1
    }

    /// Returns a fresh instance with this allowance.
    async fn enter(&self, allowance: Allowance, watch: &Watch) -> Result<Instance, Fault> {
        watch.verdict()?;
        let opened = self.entrance()?;
        let load = |store: &mut Store<Ceiling>, instance| {
            Ok(Guest { machines: opened.machines.load(store, &instance)?, instance })
        };
        Instance::enter(&opened.component, (self.net, allowance), watch, load).await
    }
}
