//! The sandboxed analyst: answers questions about programs that nobody runs.

use pif_domain::{Fault, FaultCode, fault};
use wasmtime::Store;
use wasmtime::component;

use super::artifact::Origin;
use super::bindings::{
    Answers, Came, Completed, Draft, Inquired, Inquiry, KnownTool, Law, Misfit, Question, Ran,
    Searched, Subject, TermPlace, Worth,
};
use super::ceiling::{Allowance, Ceiling};
use super::consulted::{CompiledAnalyst, prepared};
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

    /// Looks for a proof that two programs are equal.
    pub fn prove(
        &self,
        first: &Subject,
        second: &Subject,
        watch: &Watch,
    ) -> Result<Searched, Fault> {
        let allowance = Allowance::for_text(self.net, size(first).saturating_add(size(second)));
        let searched = finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let questions = &self.analyst()?.questions;
            let prove = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let questions = questions.load(&mut *store, guest)?;
                questions.call_prove(store, first, second).await
            };
            instance.call(prove).await
        })?;
        searched.map_err(Fault::from)
    }

    /// The laws that a function may have, with proofs where there are any.
    pub fn laws(&self, subject: &Subject, watch: &Watch) -> Result<Vec<Law>, Fault> {
        let allowance = Allowance::for_text(self.net, size(subject));
        let laws = finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let questions = &self.analyst()?.questions;
            let laws = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let questions = questions.load(&mut *store, guest)?;
                questions.call_laws(store, subject).await
            };
            instance.call(laws).await
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
        let allowance = Allowance::for_text(self.net, asked(inquiry).saturating_add(bytes));
        let turn = finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let questions = &self.analyst()?.questions;
            let inquire = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let questions = questions.load(&mut *store, guest)?;
                questions.call_inquire(store, inquiry, state, came, most).await
            };
            instance.call(inquire).await
        })?;
        turn.map_err(Fault::from)?.ok_or_else(|| {
            let message = "the analyst does not know an inquiry of its own".to_owned();
            fault(FaultCode::Internal, message, None)
        })
    }

    /// What may be written at the cursor of a program that is being written.
    pub fn complete(&self, draft: &Draft, watch: &Watch) -> Result<Completed, Fault> {
        let allowance = Allowance::for_text(self.net, drafted(draft));
        finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let questions = &self.analyst()?.questions;
            let complete = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let questions = questions.load(&mut *store, guest)?;
                questions.call_complete(store, draft).await
            };
            instance.call(complete).await
        })
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

    /// The smaller value of an index than a JSON value; None: there is no more.
    pub fn smaller_value(
        &self,
        value: &str,
        index: u32,
        watch: &Watch,
    ) -> Result<Option<String>, Fault> {
        let allowance = Allowance::for_text(self.net, value.len());
        finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let reductions = &self.analyst()?.reductions;
            let smaller = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let reductions = reductions.load(&mut *store, guest)?;
                reductions.call_value(store, &value.to_owned(), index).await
            };
            instance.call(smaller).await
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
        let allowance = Allowance::for_text(self.net, term.len());
        finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let reductions = &self.analyst()?.reductions;
            let smaller = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let reductions = reductions.load(&mut *store, guest)?;
                reductions.call_term(store, &term.to_owned(), place, index).await
            };
            instance.call(smaller).await
        })
    }

    /// The term at a place of a term.
    pub fn part_of_term(
        &self,
        term: &str,
        place: &TermPlace,
        watch: &Watch,
    ) -> Result<Option<String>, Fault> {
        let allowance = Allowance::for_text(self.net, term.len());
        finish(async {
            let mut instance = self.consult(allowance, watch).await?;
            let reductions = &self.analyst()?.reductions;
            let part = async |guest: &component::Instance, store: &mut Store<Ceiling>| {
                let reductions = reductions.load(&mut *store, guest)?;
                reductions.call_part(store, &term.to_owned(), place).await
            };
            instance.call(part).await
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
    let worth = |it: &Worth| match it {
        Worth::Shape(text) | Worth::Data(text) | Worth::Term(text) => text.len(),
    };
    let bound = variables.iter().map(|it| it.name.len() + worth(&it.worth));
    let input = input.as_ref().map_or(0, worth);
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
