//! Imports bindings from a file: checks each term against its hash, makes its value once, and writes
//! all bindings in one transaction, or none.

use std::collections::BTreeMap;

use pif_domain::text::{self, MOST_NAME, quote_one};
use pif_domain::{EntryEnding, EntryKind, Fault, FaultCode, fault};
use pif_sandbox::{Argument, Binding, Code, Ending, Request, Summary, Watch, finish};
use pif_store::journal::{Digest, Draft};
use pif_store::registry;
use pif_store::session::{Bound, Change, Session, Target};
use pif_store::{Change as Changed, Effect, Refusal, Write};
use serde_json::json;

use super::bindings::Bindings;
use super::import::{Imported, Tried};
use super::opening::Workshop;
use super::past::waits;
use super::refusal::{Refused, unwritten};
use super::run::{Ran, Start};
use super::session::subject;
use super::shelf::{self, Shelf, Shelved, at, place};
use super::world::Tools;

/// What an import of bindings is asked for.
#[derive(Debug, Clone)]
pub struct Shelving {
    /// The owner of the session.
    pub owner: String,
    /// Where the bindings go.
    pub target: Target,
    /// Whether the tools of the file are imported, too.
    pub tools: bool,
    /// Whether existing tools may be replaced.
    pub replace: bool,
}

/// The result of an import of bindings.
#[derive(Debug)]
pub struct Unshelved {
    /// The session or the saved state.
    pub session: Session,
    /// The names that are bound, with the kinds of their values.
    pub bound: Vec<(String, String)>,
    /// The tools of the file.
    pub tools: Vec<Imported>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Workshop {
    /// Imports bindings from a file, in place of those that its target has. The journal tells of the
    /// import, or of the refusal.
    pub fn unshelve(
        &self,
        text: &str,
        wanted: Shelving,
        watch: &Watch,
    ) -> Result<Unshelved, Refused> {
        let taken = self.try_unshelve(text, wanted, watch);
        if let Err(Refused { faults, .. }) = &taken
            && let Some(first) = faults.first().filter(|first| first.code != FaultCode::Storage)
        {
            let request = json!({ "bytes": text.len() });
            self.refuse("session import", &request.to_string(), first);
        }
        taken
    }

    fn try_unshelve(
        &self,
        text: &str,
        wanted: Shelving,
        watch: &Watch,
    ) -> Result<Unshelved, Refused> {
        let Shelf { title, bindings, tools: packed, .. } =
            shelf::read(text, self.session_capacity())?;
        let Shelving { owner, target, tools: takes_tools, replace } = wanted;
        let untaken = (!takes_tools && !packed.is_empty())
            .then(|| "the file also holds tools: `--with-tools` imports them".to_owned());
        let packed = if takes_tools { packed } else { Vec::new() };
        let Tried { checked, tools, mut notes } =
            self.try_tools(packed, replace, watch, &mut None).map_err(in_tools)?;
        notes.extend(untaken);
        let mut bound = Vec::new();
        for (index, shelved) in bindings.into_iter().enumerate() {
            bound.push(self.check_shelved(index, shelved, &tools, watch)?);
        }
        let told = bound.iter().map(|it| (it.name.clone(), it.kind.clone())).collect();
        let mut writes: Vec<Write> = checked.iter().map(|it| it.write(replace)).collect();
        writes.push(write(Change::Import { owner, target, title, bound }));
        let mut done = self.journal.commit(&writes).map_err(unwritten)?;
        let Some(Effect::Session(session)) = done.pop().map(|done| done.effect) else {
            return Err(unwritten(Refusal::CONFUSED).into());
        };
        self.announce();
        let tools = checked.into_iter().zip(done).filter_map(|(it, done)| it.told(done)).collect();
        Ok(Unshelved { session: *session, bound: told, tools, notes })
    }

    /// Checks a binding of a file.
    fn check_shelved(
        &self,
        index: usize,
        shelved: Shelved,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Bound, Refused> {
        let within = |fault: Fault| at(&place(index, "term"), fault);
        let Shelved { name, kind, sha256, term } = shelved;
        let checked = self.sandbox.check(term.get(), &watch.again());
        let summary = checked
            .map_err(|faults| Refused::from(faults.into_iter().map(within).collect::<Vec<_>>()))?;
        if summary.hash != sha256 {
            let (is, told) = (registry::short(&summary.hash), text::line(&sha256, MOST_NAME));
            let name = quote_one(&name);
            let message = format!("the term of {name} has the hash {is}…, and not {told}");
            let hint = "the file was altered: export the session again";
            let fault = fault(FaultCode::Malformed, message, Some(hint));
            return Err(at(&place(index, "sha256"), fault).into());
        }
        ensure_tools(&name, &summary, tools).map_err(within)?;
        let bound = Bound { name, kind, term: summary.canonical };
        let made = self.kind_of(&bound, tools, &watch.again()).map_err(|fault| {
            let own = format!("/bindings/{}", bound.name);
            let rest = fault.at.strip_prefix(&own).map(str::to_owned);
            within(Fault { at: rest.unwrap_or_default(), ..fault })
        })?;
        if made != bound.kind {
            let (name, told) = (quote_one(&bound.name), quote_one(&bound.kind));
            let message = format!("the value of {name} is of the kind {made}, and not {told}");
            let fault = fault(FaultCode::Malformed, message, None);
            return Err(at(&place(index, "kind"), fault).into());
        }
        Ok(bound)
    }

    /// Makes the value of a binding, as a turn would that names it. Returns its kind.
    fn kind_of(&self, bound: &Bound, tools: &Tools, watch: &Watch) -> Result<String, Fault> {
        let Bound { name, term, .. } = bound;
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
        let (start, mut nobody) = (Start { bindings: Some(bindings), ..Start::default() }, ());
        let run = self.run_unwritten(&request, tools.clone(), start, &mut nobody, watch);
        // A run that is bound does not wait.
        let Ok(Ran { outcome, .. }) = finish(run) else { return Err(waits()) };
        match outcome.ending? {
            Ending::Value(value) => serde_json::from_str(&value.json).map_err(|error| {
                let message = format!("the kind of {} is no text: {error}", quote_one(name));
                fault(FaultCode::Internal, message, None)
            }),
            Ending::Continuation(_) => Ok("continuation".to_owned()),
        }
    }
}

/// The write of an import, with an entry that tells the hashes of the terms.
fn write(change: Change) -> Write {
    let mut entry = Draft::new(EntryKind::Session, subject(&change), EntryEnding::Done);
    if let Change::Import { bound, .. } = &change {
        let hash = |it: &Bound| (it.name.clone(), Digest::of(&it.term).sha256);
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

/// A refusal that is about the tools of the file.
fn in_tools(refused: Refused) -> Refused {
    let place = |fault: Fault| if fault.at.is_empty() { at("/tools", fault) } else { fault };
    Refused { faults: refused.faults.into_iter().map(place).collect(), ..refused }
}
