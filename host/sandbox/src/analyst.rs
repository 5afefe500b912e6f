//! The sandboxed analyst: answers questions about programs that nobody runs.

use pif_domain::{Fault, FaultCode, fault};
use wasmtime::Store;
use wasmtime::component;

use super::artifact::Origin;
use super::bindings::{
    Answers, Came, Completed, Draft, Evidence, Inquired, Inquiry, KnownTool, Law, Misfit, Question,
    Ran, Searched, Subject, TermPlace,
};
use super::ceiling::{Allowance, Ceiling};
use super::compiled_analyst::{CompiledAnalyst, prepared};
use super::error::Error;
use super::evaluator::Sandbox;
use super::instance::Instance;
use super::turn::finish;
use super::watch::Watch;

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
        let bytes = size(subject);
        let told = self.consult(bytes, watch, async |analyst, guest, store| {
            analyst.questions.load(&mut *store, guest)?.call_ask(store, subject, asked).await
        })?;
        told.map_err(Fault::from)
    }

    /// Looks for a proof that two programs are equal.
    pub fn prove(
        &self,
        first: &Subject,
        second: &Subject,
        watch: &Watch,
    ) -> Result<Searched, Fault> {
        let bytes = size(first).saturating_add(size(second));
        let searched = self.consult(bytes, watch, async |analyst, guest, store| {
            analyst.questions.load(&mut *store, guest)?.call_prove(store, first, second).await
        })?;
        searched.map_err(Fault::from)
    }

    /// The laws that a function may have, with proofs where there are any.
    pub fn laws(&self, subject: &Subject, watch: &Watch) -> Result<Vec<Law>, Fault> {
        let bytes = size(subject);
        let laws = self.consult(bytes, watch, async |analyst, guest, store| {
            analyst.questions.load(&mut *store, guest)?.call_laws(store, subject).await
        })?;
        laws.map_err(Fault::from)
    }

    /// Takes what came of the runs of the step before, and tells the next runs of an inquiry, of so many
    /// inputs at most.
    pub fn inquire(
        &self,
        inquiry: &Inquiry,
        (state, came): (Option<&String>, &[Ran]),
        most: u32,
        watch: &Watch,
    ) -> Result<Inquired, Fault> {
        let bytes = state.map_or(0, String::len) + came.iter().map(told).sum::<usize>();
        let bytes = asked(inquiry).saturating_add(bytes);
        let turn = self.consult(bytes, watch, async |analyst, guest, store| {
            analyst
                .questions
                .load(&mut *store, guest)?
                .call_inquire(store, inquiry, state, came, most)
                .await
        })?;
        turn.map_err(Fault::from)?.ok_or_else(|| {
            let message = "the analyst does not know an inquiry of its own".to_owned();
            fault(FaultCode::Internal, message, None)
        })
    }

    /// What may be written at the cursor of a program that is being written.
    pub fn complete(&self, draft: &Draft, watch: &Watch) -> Result<Completed, Fault> {
        self.consult(drafted(draft), watch, async |analyst, guest, store| {
            analyst.questions.load(&mut *store, guest)?.call_complete(store, draft).await
        })
    }

    /// Whether all values of one type are of another.
    pub fn includes(&self, wide: &str, narrow: &str, watch: &Watch) -> Result<bool, Fault> {
        let bytes = wide.len().saturating_add(narrow.len());
        self.consult(bytes, watch, async |analyst, guest, store| {
            analyst
                .questions
                .load(&mut *store, guest)?
                .call_includes(store, &wide.to_owned(), &narrow.to_owned())
                .await
        })
    }

    /// The place at which no value of a type meets a JSON Schema.
    pub fn clash(&self, shape: &str, schema: &str, watch: &Watch) -> Result<Option<Misfit>, Fault> {
        let bytes = shape.len().saturating_add(schema.len());
        self.consult(bytes, watch, async |analyst, guest, store| {
            analyst
                .questions
                .load(&mut *store, guest)?
                .call_clash(store, &shape.to_owned(), &schema.to_owned())
                .await
        })
    }

    /// The smaller value of an index than a JSON value; None: there is no more.
    pub fn smaller_value(
        &self,
        value: &str,
        index: u32,
        watch: &Watch,
    ) -> Result<Option<String>, Fault> {
        let bytes = value.len();
        self.consult(bytes, watch, async |analyst, guest, store| {
            analyst
                .reductions
                .load(&mut *store, guest)?
                .call_value(store, &value.to_owned(), index)
                .await
        })
    }

    /// The shorter term of an index in which the term at a place stands as it is; None: there is no
    /// more. It may be no term.
    pub fn smaller_term(
        &self,
        term: &str,
        place: &TermPlace,
        index: u32,
        watch: &Watch,
    ) -> Result<Option<String>, Fault> {
        let bytes = term.len();
        self.consult(bytes, watch, async |analyst, guest, store| {
            analyst
                .reductions
                .load(&mut *store, guest)?
                .call_term(store, &term.to_owned(), place, index)
                .await
        })
    }

    /// The term at a place of a term.
    pub fn part_of_term(
        &self,
        term: &str,
        place: &TermPlace,
        watch: &Watch,
    ) -> Result<Option<String>, Fault> {
        let bytes = term.len();
        self.consult(bytes, watch, async |analyst, guest, store| {
            analyst
                .reductions
                .load(&mut *store, guest)?
                .call_part(store, &term.to_owned(), place)
                .await
        })
    }

    /// Calls a function of the analyst in a fresh instance, which reads texts of so many bytes.
    fn consult<T>(
        &self,
        bytes: usize,
        watch: &Watch,
        call: impl AsyncFnOnce(
            &CompiledAnalyst,
            &component::Instance,
            &mut Store<Ceiling>,
        ) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let allowance = Allowance::for_text(self.net, bytes);
        finish(async {
            watch.verdict()?;
            let analyst = self.analyst()?;
            let limits = (self.net, allowance);
            let mut instance =
                Instance::enter(&analyst.component, limits, watch, |_, guest| Ok(guest)).await?;
            instance.call(async |guest, store| call(analyst, guest, store).await).await
        })
    }

    /// The parts that instances are made from. It blocks its thread until the sandbox is open.
    fn analyst(&self) -> Result<&CompiledAnalyst, Fault> {
        // A server settles the analyst before it opens the sandbox.
        let engine = self.entrance()?.component.engine();
        let prepare = || {
            let cache = match self.origin() {
                Origin::Loaded(_) | Origin::Cached(_) => self.analyst.cache.as_deref(),
                Origin::InMemory(_) => None,
            };
            CompiledAnalyst::new(&prepared(engine, cache)?)
        };
        let told = |error: &Error| fault(FaultCode::Internal, error.to_string(), None);
        self.analyst.opened.get_or_init(prepare).as_ref().map_err(told)
    }
}

/// Bytes of the texts of an inquiry.
fn asked(inquiry: &Inquiry) -> usize {
    match inquiry {
        Inquiry::Difference((first, second)) => size(first).saturating_add(size(second)),
        Inquiry::Property((subject, name)) => size(subject) + name.len(),
        Inquiry::Law((subject, name, law)) => size(subject) + name.len() + law.len(),
    }
}

/// Bytes of what came of a run.
fn told(ran: &Ran) -> usize {
    match &ran.told {
        Came::Value((json, kind)) => json.len() + kind.len(),
        Came::Fault(code) => code.len(),
        Came::Nothing => 0,
    }
}

/// Bytes of all texts of a program that is being written, and of what it may name.
fn drafted(draft: &Draft) -> usize {
    let Draft { code, variables, input, tools, .. } = draft;
    let evidence = |it: &Evidence| match it {
        Evidence::Shape(text) | Evidence::Data(text) | Evidence::Term(text) => text.len(),
    };
    let bound = variables.iter().map(|it| it.name.len() + evidence(&it.evidence));
    let input = input.as_ref().map_or(0, evidence);
    code.len() + bound.sum::<usize>() + input + tools.iter().map(known).sum::<usize>()
}

/// Bytes of all texts of a subject.
fn size(subject: &Subject) -> usize {
    let Subject { code, variables, tools, .. } = subject;
    let variables = variables.iter().map(|it| it.name.len() + it.shape.len());
    code.len() + variables.sum::<usize>() + tools.iter().map(known).sum::<usize>()
}

/// Bytes of what is known of a tool.
fn known(tool: &KnownTool) -> usize {
    let given = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let schemas = tool.schemas.as_ref();
    let schemas = schemas.map_or(0, |it| given(&it.input) + given(&it.output));
    tool.name.len() + given(&tool.shape) + given(&tool.code) + schemas
}
