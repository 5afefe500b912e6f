//! Creates and changes tools: checks the term, runs the examples and those of callers, then writes
//! the registry and the journal in one transaction.

use std::sync::Arc;

use pif_domain::text::{self, MOST_NAME, quote, quote_one};
use pif_domain::{EntryKind, EntryOutcome, Fault, Limit};
use pif_sandbox::{Mention, Summary, Watch};
use pif_schema::Schema;
use pif_store::journal::Draft;
use pif_store::registry::{Definition, Evolution, Status};
use pif_store::{Change, Effect, Refusal, Write};
use serde_json::{Value, json};

use super::example::{Example, from_json, to_json};
use super::opening::Workshop;
use super::property::{kept, of_tool};
use super::refusal::{ChangeRefusal, refused, stored, too_large, unwritten};
use super::types::{MOST_COMPARED, learn};
use super::world::{Candidate, Tools};
use super::{library, record, schemas};

/// A proposed change of a tool.
#[derive(Debug)]
pub struct Proposal {
    /// The tool's name.
    pub name: String,
    /// The description, for callers.
    pub description: String,
    /// The term, as JSON. A string is the text of a term, or is itself the term.
    pub code: String,
    /// The examples. None keeps those of the current revision that still pass.
    pub examples: Option<Vec<Example>>,
    /// Programs that give true for every input. None keeps those of the current revision that do not
    /// fail.
    pub properties: Option<Vec<String>>,
    /// The JSON Schema of the tool's values; `true` allows any value. None keeps the current
    /// schema.
    pub output_schema: Option<String>,
    /// Whether the tool is a native capability. None keeps what it is.
    pub capability: Option<bool>,
    /// The revision to change: the change fails if another one is current. None accepts any.
    pub expected: Option<String>,
    /// Whether a change that breaks examples of callers is refused.
    pub verify_dependents: bool,
}

/// A completed change of a tool.
#[derive(Debug)]
pub struct EvolveResult {
    /// sha256 of the term.
    pub hash: String,
    /// The kind of change.
    pub status: Status,
    /// Notes for the caller.
    pub notes: Vec<String>,
    /// The number of its journal entry.
    pub entry: i64,
}

/// A checked change. Its examples have not run yet.
#[derive(Debug)]
pub struct PreparedChange {
    proposal: Proposal,
    schema: Option<Arc<Schema>>,
    /// Whether it is to be a native capability.
    is_capability: bool,
    summary: Summary,
    /// The tools, with the change as a candidate.
    tools: Tools,
    /// The revision that the change replaces; None for a new tool.
    current: Option<Definition>,
    notes: Vec<String>,
}

/// A change that is ready for its examples.
struct Ready {
    name: String,
    description: String,
    expected: Option<String>,
    verify_dependents: bool,
    schema: Option<Arc<Schema>>,
    members: Option<String>,
    summary: Summary,
    tools: Tools,
    current: Option<Definition>,
    properties: Option<Vec<String>>,
}

/// What is kept with a revision to test it.
struct Tests {
    examples: Vec<Example>,
    properties: Vec<String>,
}

/// A change that was checked, to be staged.
pub(super) struct DraftChange {
    pub(super) evolution: Evolution,
    pub(super) notes: Vec<String>,
}

impl Workshop {
    /// Checks a change without running anything. A refusal is journaled. `arguments` is the text of
    /// the request.
    pub fn prepare(
        &self,
        proposal: Proposal,
        arguments: &str,
        watch: &Watch,
    ) -> Result<PreparedChange, ChangeRefusal> {
        let name = proposal.name.clone();
        self.render_refusal(&name, arguments, self.try_prepare(proposal, watch))
    }

    /// Runs the examples and writes the change. The change or its refusal is journaled.
    pub fn make(
        &self,
        prepared: PreparedChange,
        arguments: &str,
        watch: &Watch,
    ) -> Result<EvolveResult, ChangeRefusal> {
        let name = prepared.proposal.name.clone();
        self.render_refusal(&name, arguments, self.try_make(prepared, arguments, watch))
    }

    /// Calls [`Self::prepare`], then [`Self::make`].
    pub fn evolve(
        &self,
        proposal: Proposal,
        arguments: &str,
        watch: &Watch,
    ) -> Result<EvolveResult, ChangeRefusal> {
        let prepared = self.prepare(proposal, arguments, watch)?;
        self.make(prepared, arguments, watch)
    }

    /// Whether the change has examples to run: its own, or those of callers.
    pub fn has_runs(&self, prepared: &PreparedChange) -> Result<bool, Fault> {
        let PreparedChange { proposal, current, summary, is_capability, .. } = prepared;
        let has_examples = match (&proposal.examples, current) {
            (Some(examples), _) => !examples.is_empty(),
            (None, Some(current)) => !from_json(&current.examples)?.is_empty(),
            (None, None) => false,
        };
        let has_properties = match (&proposal.properties, current) {
            (Some(properties), _) => !properties.is_empty(),
            (None, Some(current)) => current.properties.is_some(),
            (None, None) => false,
        };
        let is_changed = current.as_ref().is_some_and(|current| current.hash != summary.hash);
        let has_own = *is_capability || has_examples || has_properties;
        Ok(has_own || (is_changed && self.has_callers(&proposal.name)?))
    }

    /// Whether other registered tools call this one.
    pub fn has_callers(&self, name: &str) -> Result<bool, Fault> {
        let callers = self.tools()?.registered.callers(name, 1).map_err(stored)?;
        Ok(!callers.is_empty())
    }

    fn render_refusal<T>(
        &self,
        name: &str,
        arguments: &str,
        done: Result<T, ChangeRefusal>,
    ) -> Result<T, ChangeRefusal> {
        if let Err(ChangeRefusal { faults, .. }) = &done
            && let Some(first) = faults.first().filter(|first| !first.code.is_of_store())
        {
            let name = text::line(name, MOST_NAME);
            let mut draft =
                Draft::new(EntryKind::Evolve, Some(&name), EntryOutcome::Fault(first.code));
            draft.request = json!({ "arguments": arguments });
            draft.outcome = record::fault(first);
            self.journal.append(draft).map_err(stored)?;
        }
        done
    }

    fn try_prepare(
        &self,
        proposal: Proposal,
        watch: &Watch,
    ) -> Result<PreparedChange, ChangeRefusal> {
        let Proposal { name, description, code, output_schema, expected, .. } = &proposal;
        let tools = self.tools()?.registered;
        tools.review(name, description, expected.as_deref()).map_err(refused)?;
        // A store may hold a tool of this name from before the library had the prefix.
        if tools.find(name).map_err(refused)?.is_none() {
            library::ensure_outside(name)?;
        }
        let schema = self.schema_of(name, output_schema.as_deref())?;
        let before = self.tools()?.native(name)?.is_some();
        let is_capability = proposal.capability.unwrap_or(before);
        if is_capability {
            self.ensure_nobody(name)?;
        }
        if tools.find(name).map_err(refused)?.is_some() {
            self.ensure_unstaged()?;
        }
        let (summary, mut notes) = self.check_function(code, watch)?;
        // Only examples show what was written.
        let has_examples = match &proposal.examples {
            Some(examples) => !examples.is_empty(),
            None => tools.find(name).map_err(refused)?.is_some_and(|it| it.examples != "[]"),
        };
        let candidate = Candidate {
            name: name.clone(),
            source: summary.canonical.clone(),
            hash: summary.hash.clone(),
            is_pinned: false,
            output_schema: schema.clone(),
            members: None,
            written: if has_examples { self.written(code, &summary, watch) } else { None },
        };
        let tools = Tools { candidates: Arc::new([candidate]), ..self.tools()? };
        let current = tools.find(name)?;
        if output_schema.is_none() && schema.is_some() {
            notes
                .push("the tool keeps its output schema: give `output_schema` to change it, or true to remove it".to_owned());
        }
        notes.extend(missing(name, &summary, &tools)?);
        let sight = self.ready_sight(&tools);
        let is_compared = summary.canonical.len() <= MOST_COMPARED;
        let code = summary.canonical.as_str();
        if let Some(told) = sight.type_of(&summary, code, is_compared, &watch.again()) {
            let clash = schema.as_ref().and_then(|it| self.clash(&told.typing, it.text(), watch));
            notes.extend(clash);
            let normal = told.normal.and_then(|it| it.hash);
            learn(&summary.hash, normal.clone());
            if let Some(equal) = normal.and_then(|it| sight.equal_tool(name, &it)) {
                notes.push(format!("warning: the same as {}", quote_one(&equal)));
            }
        }
        Ok(PreparedChange { proposal, schema, is_capability, summary, tools, current, notes })
    }

    fn try_make(
        &self,
        prepared: PreparedChange,
        arguments: &str,
        watch: &Watch,
    ) -> Result<EvolveResult, ChangeRefusal> {
        let mut notes = Vec::new();
        let (ready, examples) = self.ready(prepared, watch, &mut notes)?;
        let Ready { name, current, tools, summary, .. } = &ready;
        let kept = match examples {
            Some(examples) => self.try_examples(name, examples, tools, watch, &mut notes)?,
            None => self.carry_over(name, current.as_ref(), tools, watch, &mut notes)?,
        };
        let properties = match &ready.properties {
            Some(properties) => {
                self.try_properties(name, properties, tools, watch, &mut notes)?;
                properties.clone()
            }
            None => {
                let current = current.as_ref();
                self.carry_over_properties(name, current, tools, watch, &mut notes)?
            }
        };
        if current.as_ref().is_some_and(|current| current.hash != summary.hash) {
            let broken = self.broken_callers(name, tools, watch, &mut notes)?;
            if let (true, Some(first)) = (ready.verify_dependents, broken.into_iter().next()) {
                return Err(first);
            }
        }
        let tests = Tests { examples: kept, properties };
        let evolution = self.evolution(ready, &tests, &mut notes)?;
        let hash = evolution.hash.clone();
        let (status, entry) = self.commit_evolution(evolution, arguments).map_err(unwritten)?;
        Ok(EvolveResult { hash, status, notes, entry })
    }

    /// Checks a change that is staged. An example that fails becomes a note.
    pub(super) fn draft(
        &self,
        proposal: Proposal,
        watch: &Watch,
    ) -> Result<DraftChange, ChangeRefusal> {
        let mut notes = Vec::new();
        let prepared = self.try_prepare(proposal, watch)?;
        let (ready, examples) = self.ready(prepared, watch, &mut notes)?;
        let Ready { name, current, tools, .. } = &ready;
        let kept = match (examples, current) {
            (Some(examples), _) => examples,
            (None, Some(current)) => from_json(&current.examples)?,
            (None, None) => Vec::new(),
        };
        for (index, example) in kept.iter().enumerate() {
            // All of them share one deadline: the verification runs them again.
            if watch.verdict().is_err() {
                notes.push(format!("warning: not all examples of `{name}` could be run in time"));
                break;
            }
            if let Err(fault) = self.try_example(name, example, tools, &watch.again()) {
                let told = &fault.message;
                notes.push(format!("warning: example {index} of `{name}` fails: {told}"));
            }
        }
        // The verification tries the properties.
        let properties = match (&ready.properties, current) {
            (Some(properties), _) => properties.clone(),
            (None, Some(current)) => of_tool(current)?,
            (None, None) => Vec::new(),
        };
        let tests = Tests { examples: kept, properties };
        let evolution = self.evolution(ready, &tests, &mut notes)?;
        Ok(DraftChange { evolution, notes })
    }

    /// The change with its functions, if it is a native capability, and the examples that it brings.
    fn ready(
        &self,
        prepared: PreparedChange,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<(Ready, Option<Vec<Example>>), ChangeRefusal> {
        let PreparedChange { proposal, schema, is_capability, summary, mut tools, current, .. } =
            prepared;
        notes.extend(prepared.notes);
        let Proposal { name, description, examples, expected, verify_dependents, .. } = proposal;
        let properties = proposal.properties;
        let mut members = None;
        if is_capability {
            let found = self.members(&name, &tools, watch)?;
            notes.extend(callable(&name, &found));
            tools = tools.with_members(&found);
            members = Some(found);
        }
        let ready = Ready {
            name,
            description,
            expected,
            verify_dependents,
            schema,
            members,
            summary,
            tools,
            current,
            properties,
        };
        Ok((ready, examples))
    }

    /// The request to the registry.
    fn evolution(
        &self,
        ready: Ready,
        tests: &Tests,
        notes: &mut Vec<String>,
    ) -> Result<Evolution, ChangeRefusal> {
        let Ready { name, description, expected, schema, members, summary, tools, .. } = ready;
        if let Some(other) = self.registry.lookalike(&name).map_err(stored)? {
            notes.push(format!(
                "warning: `{name}` resembles the tool `{other}`: do not confuse them"
            ));
        }
        let tools = tools.named(&summary, self.effects.as_ref())?;
        Ok(Evolution {
            name,
            description,
            source: summary.canonical,
            hash: summary.hash,
            tools,
            examples: to_json(&tests.examples),
            output_schema: schema.map(|schema| schema.text().to_owned()),
            members,
            properties: kept(&tests.properties),
            expected,
        })
    }

    /// The schema that the tool has after the change: the given text, or else the current schema.
    /// None if every value conforms.
    fn schema_of(&self, name: &str, text: Option<&str>) -> Result<Option<Arc<Schema>>, Fault> {
        let kept = match text {
            Some(_) => None,
            None => self.tools()?.find(name)?.and_then(|tool| tool.output_schema),
        };
        let Some(text) = text.or(kept.as_deref()) else { return Ok(None) };
        let schema = schemas::read(text)?;
        Ok((!schema.is_trivial()).then(|| Arc::new(schema)))
    }

    /// Writes a change and its journal entry. Returns the status and the entry's number.
    fn commit_evolution(
        &self,
        evolution: Evolution,
        arguments: &str,
    ) -> Result<(Status, i64), Refusal> {
        let mut entry = Draft::of_change(EntryKind::Evolve, &evolution.name);
        entry.request = json!({ "arguments": arguments });
        let done = self.journal.commit_one(Write { change: Change::Evolve(evolution), entry })?;
        let Effect::Evolved(status) = done.effect else { return Err(Refusal::CONFUSED) };
        self.announce();
        Ok((status, done.entry))
    }

    /// Checks the code as a term without free variables. Returns the summary and notes.
    fn check_function(
        &self,
        code: &str,
        watch: &Watch,
    ) -> Result<(Summary, Vec<String>), ChangeRefusal> {
        let summary = self.check_code(code, watch)?;
        let mut notes: Vec<String> =
            summary.notes.iter().map(|note| format!("warning: {note}")).collect();
        match summary.free.as_slice() {
            [variable] if summary.form != "lam" => {
                notes.push(format!("made a function of its free variable {}", quote_one(variable)));
                let code = abstract_over(variable, &summary.canonical);
                Ok((self.check_length(self.sandbox.check(&code, watch)?)?, notes))
            }
            [] => Ok((summary, notes)),
            free => {
                let names = quote(free);
                notes.push(format!("warning: no lambda binds {names}; using them will be a fault"));
                let tools = self.tools()?;
                notes.extend(free.iter().filter_map(|name| self.meant_by(name, &tools)));
                Ok((summary, notes))
            }
        }
    }

    /// The text of a term in the notation, if it was not made a function of its free variable.
    fn written(&self, code: &str, summary: &Summary, watch: &Watch) -> Option<String> {
        let text: String = serde_json::from_str(code).ok()?;
        let same = self.sandbox.check(&text, &watch.again()).ok()?.hash == summary.hash;
        same.then_some(text)
    }

    /// Checks the code: a term, or a JSON string with its text in either notation. A term in the
    /// notation can be shorter than its canonical text, which is kept, so that has the same limit.
    fn check_code(&self, code: &str, watch: &Watch) -> Result<Summary, ChangeRefusal> {
        let text: Option<String> = serde_json::from_str(code).ok();
        self.check_length(self.sandbox.check(text.as_deref().unwrap_or(code), watch)?)
    }

    fn check_length(&self, summary: Summary) -> Result<Summary, ChangeRefusal> {
        match summary.canonical.len() {
            length if length > self.most_code => {
                Err(too_large(Limit::Code, "code", length, self.most_code).into())
            }
            _ => Ok(summary),
        }
    }
}

/// A note on tools that a term names and that do not exist yet.
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

/// A note on what can be called of a native capability.
fn callable(name: &str, members: &str) -> Option<String> {
    let members: Vec<String> = serde_json::from_str(members).ok()?;
    let names: Vec<String> = members.iter().map(|member| format!("{name}.{member}")).collect();
    Some(format!("programs can call {}", quote(&names)))
}

fn abstract_over(variable: &str, canonical: &str) -> String {
    format!("{{\"body\":{canonical},\"lam\":{}}}", Value::from(variable))
}
