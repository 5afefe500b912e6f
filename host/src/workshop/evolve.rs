//! How tools come to be, and change: the term is checked, examples are run, callers are looked
//! after, and then the registry and the journal change in one transaction.

pub(super) mod examples;

use std::sync::Arc;

use serde_json::{Value, json};

use super::world::Candidate;
use super::{Tools, Workshop, conform, library, record, refused, stored, unwritten};
use crate::domain::{EntryEnding, EntryKind, Fault, FaultCode, fault};
use crate::journal::Draft;
use crate::registry::{Definition, Evolution, Status};
use crate::sandbox::{Mention, Summary, Watch};
use crate::schema::Schema;
use crate::state::{Change, Effect, Refusal, Write};
use crate::text::{self, MOST_NAME, quote, quote_one};

pub use self::examples::Example;

/// Callers whose examples are run, counting callers of callers.
const MOST_CALLERS: usize = 200;

/// A change that somebody proposes.
#[derive(Debug)]
pub struct Proposal {
    /// The tool.
    pub name: String,
    /// What it does, for those who will call it.
    pub description: String,
    /// The term, as JSON: a string holds the text of one, or is one itself.
    pub code: String,
    /// What the tool is expected to do; None: what was expected of it before, as far as it still
    /// does that.
    pub examples: Option<Vec<Example>>,
    /// What its values have to be like, as JSON Schema: `true` for anything. None: as before.
    pub output_schema: Option<String>,
    /// The revision that is to be changed.
    pub expected: Option<String>,
    /// Whether to refuse a change that breaks examples of callers.
    pub verify_dependents: bool,
}

/// A change that was made.
#[derive(Debug)]
pub struct Evolved {
    /// sha256 of the term.
    pub hash: String,
    /// What the change was.
    pub status: Status,
    /// What there is to say of it.
    pub notes: Vec<String>,
    /// Its entry in the journal.
    pub entry: i64,
}

/// Why a change was not made.
#[derive(Debug)]
pub struct Refused {
    /// What was being tried, if not the change itself.
    pub during: Option<String>,
    /// What went wrong: at least one fault.
    pub faults: Vec<Fault>,
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self { during: None, faults: vec![fault] }
    }
}

impl From<Vec<Fault>> for Refused {
    fn from(faults: Vec<Fault>) -> Self {
        Self { during: None, faults }
    }
}

/// A change that was looked at and can be made, if its examples pass.
#[derive(Debug)]
pub struct Prepared {
    proposal: Proposal,
    schema: Option<Arc<Schema>>,
    summary: Summary,
    /// With the change as a candidate.
    tools: Tools,
    /// What is changed.
    current: Option<Definition>,
    notes: Vec<String>,
}

impl Workshop {
    /// Looks at a change without running anything, or says why it cannot be made; then the journal
    /// tells of that. `arguments` is what was asked for, as text.
    pub fn prepare(
        &self,
        proposal: Proposal,
        arguments: &str,
        watch: &Watch,
    ) -> Result<Prepared, Refused> {
        let name = proposal.name.clone();
        self.tell_refusal(&name, arguments, self.try_prepare(proposal, watch))
    }

    /// Makes a change, or says why not; either way the journal tells of it.
    pub fn make(
        &self,
        prepared: Prepared,
        arguments: &str,
        watch: &Watch,
    ) -> Result<Evolved, Refused> {
        let name = prepared.proposal.name.clone();
        self.tell_refusal(&name, arguments, self.try_make(prepared, arguments, watch))
    }

    /// Does both.
    pub fn evolve(
        &self,
        proposal: Proposal,
        arguments: &str,
        watch: &Watch,
    ) -> Result<Evolved, Refused> {
        let prepared = self.prepare(proposal, arguments, watch)?;
        self.make(prepared, arguments, watch)
    }

    /// Whether to make a change takes runs: of its examples, or of those of callers.
    pub fn has_runs(&self, prepared: &Prepared) -> Result<bool, Fault> {
        let Prepared { proposal, current, summary, .. } = prepared;
        let has_examples = match (&proposal.examples, current) {
            (Some(examples), _) => !examples.is_empty(),
            (None, Some(current)) => !examples::from_json(&current.examples)?.is_empty(),
            (None, None) => false,
        };
        let is_changed = current.as_ref().is_some_and(|current| current.hash != summary.hash);
        Ok(has_examples || (is_changed && self.has_callers(&proposal.name)?))
    }

    /// Whether other tools call this one.
    pub fn has_callers(&self, name: &str) -> Result<bool, Fault> {
        let callers = self.tools()?.registered.callers(name, 1).map_err(stored)?;
        Ok(!callers.is_empty())
    }

    fn tell_refusal<T>(
        &self,
        name: &str,
        arguments: &str,
        done: Result<T, Refused>,
    ) -> Result<T, Refused> {
        if let Err(Refused { faults, .. }) = &done
            && let Some(first) = faults.first().filter(|first| first.code != FaultCode::Storage)
        {
            let name = text::line(name, MOST_NAME);
            let mut draft =
                Draft::new(EntryKind::Evolve, Some(&name), EntryEnding::Fault(first.code));
            draft.request = json!({ "arguments": arguments });
            draft.outcome = record::fault(first);
            self.journal.append(draft).map_err(stored)?;
        }
        done
    }

    fn try_prepare(&self, proposal: Proposal, watch: &Watch) -> Result<Prepared, Refused> {
        let Proposal { name, description, code, output_schema, expected, .. } = &proposal;
        self.registry.review(name, description, expected.as_deref()).map_err(refused)?;
        // A store may have had the name since before it was the library's.
        if self.tools()?.registered.find(name).map_err(refused)?.is_none() {
            library::ensure_outside(name)?;
        }
        let schema = self.schema_of(name, output_schema.as_deref())?;
        let (summary, mut notes) = self.check_function(code, watch)?;
        let candidate = Candidate {
            name: name.clone(),
            source: summary.canonical.clone(),
            hash: summary.hash.clone(),
            is_pinned: false,
            output_schema: schema.clone(),
        };
        let tools = Tools { candidates: Arc::new([candidate]), ..self.tools()? };
        let current = tools.find(name)?;
        if output_schema.is_none() && schema.is_some() {
            notes
                .push("the tool keeps its output schema: give `output_schema` to change it, or true to remove it".to_owned());
        }
        notes.extend(missing(name, &summary, &tools)?);
        Ok(Prepared { proposal, schema, summary, tools, current, notes })
    }

    fn try_make(
        &self,
        prepared: Prepared,
        arguments: &str,
        watch: &Watch,
    ) -> Result<Evolved, Refused> {
        let Prepared { proposal, schema, summary, tools, current, mut notes } = prepared;
        let Proposal { name, description, examples, expected, verify_dependents, .. } = proposal;
        let kept = match examples {
            Some(examples) => self.try_examples(&name, examples, &tools, watch, &mut notes)?,
            None => self.carry_over(&name, current.as_ref(), &tools, watch, &mut notes)?,
        };
        if current.as_ref().is_some_and(|current| current.hash != summary.hash) {
            let broken = self.broken_callers(&name, &tools, watch, &mut notes)?;
            if let (true, Some(first)) = (verify_dependents, broken.into_iter().next()) {
                return Err(first);
            }
        }
        if let Some(other) = self.registry.lookalike(&name).map_err(stored)? {
            notes.push(format!(
                "warning: `{name}` resembles the tool `{other}`: do not confuse them"
            ));
        }
        let (tools, Summary { canonical, hash, .. }) = (summary.names(), summary);
        let evolution = Evolution {
            name,
            description,
            source: canonical,
            hash: hash.clone(),
            tools,
            examples: examples::to_json(&kept),
            output_schema: schema.map(|schema| schema.text().to_owned()),
            expected,
        };
        let (status, entry) = self.commit(evolution, arguments).map_err(unwritten)?;
        Ok(Evolved { hash, status, notes, entry })
    }

    /// The schema that a change gives a tool, or that it leaves it.
    fn schema_of(&self, name: &str, text: Option<&str>) -> Result<Option<Arc<Schema>>, Fault> {
        let kept = match text {
            Some(_) => None,
            None => self.tools()?.find(name)?.and_then(|tool| tool.output_schema),
        };
        let Some(text) = text.or(kept.as_deref()) else { return Ok(None) };
        let schema = conform::read(text)?;
        Ok((!schema.is_trivial()).then(|| Arc::new(schema)))
    }

    /// Writes a change and its entry.
    fn commit(&self, evolution: Evolution, arguments: &str) -> Result<(Status, i64), Refusal> {
        let mut entry = Draft::of_change(EntryKind::Evolve, &evolution.name);
        entry.request = json!({ "arguments": arguments });
        let done = self.journal.commit_one(Write { change: Change::Evolve(evolution), entry })?;
        let Effect::Evolved(status) = done.effect else { return Err(Refusal::CONFUSED) };
        self.announce();
        Ok((status, done.entry))
    }

    /// The checked term, and what there is to say of it.
    fn check_function(&self, code: &str, watch: &Watch) -> Result<(Summary, Vec<String>), Refused> {
        let summary = self.check_code(code, watch)?;
        let mut notes: Vec<String> =
            summary.notes.iter().map(|note| format!("warning: {note}")).collect();
        match summary.free.as_slice() {
            [variable] if summary.form != "lam" => {
                notes.push(format!("made a function of its free variable {}", quote_one(variable)));
                let code = abstract_over(variable, &summary.canonical);
                Ok((self.sandbox.check(&code, watch)?, notes))
            }
            [] => Ok((summary, notes)),
            free => {
                let names = quote(free);
                notes.push(format!("warning: no lambda binds {names}; using them will be a fault"));
                Ok((summary, notes))
            }
        }
    }

    /// Checks the code: a term, or a JSON string with its text in either notation.
    fn check_code(&self, code: &str, watch: &Watch) -> Result<Summary, Refused> {
        let text: Option<String> = serde_json::from_str(code).ok();
        Ok(self.sandbox.check(text.as_deref().unwrap_or(code), watch)?)
    }

    /// Runs the examples of tools that call this one, directly or not, and tells of those that
    /// no longer pass. All of them share one clock.
    pub(super) fn broken_callers(
        &self,
        name: &str,
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Refused>, Fault> {
        let before = Tools { candidates: Arc::default(), ..tools.clone() };
        let (mut seen, mut next) = (vec![name.to_owned()], 0);
        let (mut broken, mut names) = (Vec::new(), Vec::new());
        let watch = watch.again();
        while let Some(called) = seen.get(next).cloned() {
            next += 1;
            for caller in tools.registered.callers(&called, MOST_CALLERS).map_err(stored)? {
                // A caller that changes too has been tried by examples of its own.
                let is_known = seen.contains(&caller.name) || tools.is_candidate(&caller.name);
                if is_known || seen.len() > MOST_CALLERS {
                    continue;
                }
                seen.push(caller.name.clone());
                if let Err(refusal) = self.try_caller(&caller, tools, &before, &watch) {
                    names.push(caller.name);
                    broken.push(refusal);
                }
                if watch.verdict().is_err() {
                    notes.push(
                        "warning: not all examples of callers could be run in time".to_owned(),
                    );
                    return Ok(broken);
                }
            }
        }
        if !names.is_empty() {
            let (are, names) = (if names.len() == 1 { "is" } else { "are" }, quote(&names));
            notes.push(format!(
                "warning: examples of {names} no longer pass: what they call {are} changed"
            ));
        }
        Ok(broken)
    }

    /// An example of a caller that fails now and did not fail before.
    fn try_caller(
        &self,
        caller: &Definition,
        tools: &Tools,
        before: &Tools,
        watch: &Watch,
    ) -> Result<(), Refused> {
        for (index, example) in examples::from_json(&caller.examples)?.iter().enumerate() {
            let Err(refusal) = self.try_example(&caller.name, example, tools, watch) else {
                continue;
            };
            if self.try_example(&caller.name, example, before, watch).is_ok() {
                let during = format!(
                    "example {index} of `{}`, which calls this tool, refuses the change",
                    caller.name
                );
                return Err(Refused { during: Some(during), faults: vec![refusal] });
            }
        }
        Ok(())
    }
}

/// A note on tools that a term names and nobody has made yet.
fn missing(name: &str, summary: &Summary, tools: &Tools) -> Result<Option<String>, Fault> {
    let mut missing = Vec::new();
    for Mention { name: tool, .. } in &summary.tools {
        if tool != name && tools.find(tool)?.is_none() {
            missing.push(tool.as_str());
        }
    }
    let is_any = !missing.is_empty();
    Ok(is_any.then(|| format!("warning: there is no tool {} yet", quote(&missing))))
}

fn abstract_over(variable: &str, canonical: &str) -> String {
    format!("{{\"body\":{canonical},\"lam\":{}}}", Value::from(variable))
}

/// The fault of an example that came out otherwise.
fn unexpected(expected: &str, found: &str, hint: &str) -> Fault {
    let message = format!("expected {expected}, got {found}");
    fault(FaultCode::Fail, message, Some(hint))
}
