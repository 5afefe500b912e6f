//! Imports the bindings of a session: checks each term against its hash, and makes its value once.

use std::collections::BTreeMap;

use pif_domain::text::{self, MOST_NAME, quote_one};
use pif_domain::{EntryKind, EntryOutcome, Fault, FaultCode, fault};
use pif_sandbox::{Argument, Binding, Code, Completion, Request, Summary, Watch, finish};
use pif_store::journal::{Digest, Draft};
use pif_store::registry;
use pif_store::session::{BoundValue, Change, Target};
use pif_store::{Change as Changed, Write};
use serde_json::json;

use super::bindings::Bindings;
use super::bundle::{BundledBinding, PackedSession, at, place};
use super::opening::Workshop;
use super::past::waits;
use super::refusal::ChangeRefusal;
use super::run::{RunResult, Start};
use super::session::subject;
use super::world::Tools;

/// The names that are bound, with the kinds of their values.
type BoundNames = Vec<(String, String)>;

impl Workshop {
    /// Checks the bindings of a file, and gives their write.
    pub(super) fn try_session(
        &self,
        PackedSession { title, bindings }: PackedSession,
        owner: String,
        target: Target,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(BoundNames, Write), ChangeRefusal> {
        let mut bound = Vec::new();
        for (index, packed) in bindings.into_iter().enumerate() {
            bound.push(self.check_binding(index, packed, tools, watch)?);
        }
        let told = bound.iter().map(|it| (it.name.clone(), it.kind.clone())).collect();
        Ok((told, write(Change::Import { owner, target, title, bound })))
    }

    /// Checks a binding of a file.
    fn check_binding(
        &self,
        index: usize,
        packed: BundledBinding,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<BoundValue, ChangeRefusal> {
        let within = |fault: Fault| at(&place(index, "term"), fault);
        let BundledBinding { name, kind, sha256, term } = packed;
        let checked = self.sandbox.check(term.get(), &watch.again());
        let summary = checked.map_err(|faults| {
            ChangeRefusal::from(faults.into_iter().map(within).collect::<Vec<_>>())
        })?;
        if summary.hash != sha256 {
            let is = registry::short(&summary.hash);
            let told = text::line(&sha256, MOST_NAME);
            let name = quote_one(&name);
            let message = format!("the term of {name} has the hash {is}…, and not {told}");
            let hint = "the file was altered: export the session again";
            let fault = fault(FaultCode::Malformed, message, Some(hint));
            return Err(at(&place(index, "sha256"), fault).into());
        }
        ensure_tools(&name, &summary, tools).map_err(within)?;
        let bound = BoundValue { name, kind, term: summary.canonical };
        let made = self.kind_of(&bound, tools, &watch.again()).map_err(|fault| {
            let own = format!("/bindings/{}", bound.name);
            let rest = fault.at.strip_prefix(&own).map(str::to_owned);
            within(Fault { at: rest.unwrap_or_default(), ..fault })
        })?;
        if made != bound.kind {
            let name = quote_one(&bound.name);
            let told = quote_one(&bound.kind);
            let message = format!("the value of {name} is of the kind {made}, and not {told}");
            let fault = fault(FaultCode::Malformed, message, None);
            return Err(at(&place(index, "kind"), fault).into());
        }
        Ok(bound)
    }

    /// Makes the value of a binding, as a turn would that names it. Returns its kind.
    fn kind_of(&self, bound: &BoundValue, tools: &Tools, watch: &Watch) -> Result<String, Fault> {
        let BoundValue { name, term, .. } = bound;
        let bindings = Bindings {
            store: None,
            kept: BTreeMap::new(),
            new: BTreeMap::from([(name.clone(), term.clone())]),
        };
        let request = Request {
            code: Code::Term(json!({ "type_of": { "var": name } }).to_string()),
            argument: Argument::None,
            context: None,
            bindings: vec![Binding { name: name.clone(), term: None }],
            keep: false,
            limits: self.limits,
            step: 0,
            max_steps: 0,
            output_schema: None,
            debug: false,
            steps: 0,
        };
        let start = Start { bindings: Some(bindings), ..Start::default() };
        let mut nobody = ();
        let run = self.run_unwritten(&request, tools.clone(), start, &mut nobody, watch);
        // A run that is bound does not wait.
        let Ok((RunResult { outcome, .. }, _)) = finish(run) else { return Err(waits()) };
        match outcome.ending? {
            Completion::Value(value) => serde_json::from_str(&value.json).map_err(|error| {
                let message = format!("the kind of {} is no text: {error}", quote_one(name));
                fault(FaultCode::Internal, message, None)
            }),
            Completion::Continuation(_) => Ok("continuation".to_owned()),
        }
    }
}

/// The write of an import, with an entry that tells the hashes of the terms.
fn write(change: Change) -> Write {
    let mut entry = Draft::new(EntryKind::Session, subject(&change), EntryOutcome::Done);
    if let Change::Import { bound, .. } = &change {
        let hash = |it: &BoundValue| (it.name.clone(), Digest::of(&it.term).sha256);
        let hashes: BTreeMap<String, String> = bound.iter().map(hash).collect();
        entry.request = json!({ "arguments": json!({ "import": hashes }).to_string() });
    }
    Write { change: Changed::Session(change), entry }
}

/// Refuses a term that names a tool which neither the store nor the file has.
fn ensure_tools(name: &str, summary: &Summary, tools: &Tools) -> Result<(), Fault> {
    for mention in &summary.tools {
        if tools.look_up(&mention.name)?.is_some() {
            continue;
        }
        let (name, tool) = (quote_one(name), quote_one(&mention.name));
        let message = format!("{name} names the tool {tool}, which is not here");
        let hint = "`mcp-pif session export --with-tools` and `mcp-pif session import --with-tools` \
            take the tools along";
        let fault = fault(FaultCode::UnknownTool, message, Some(hint));
        let excerpt = mention.excerpt.as_deref().map(Into::into);
        return Err(Fault { at: mention.at.clone(), excerpt, ..fault });
    }
    Ok(())
}
