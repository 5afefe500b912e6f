//! Imports a file: checks each tool and each binding against its hash, runs all examples, then writes
//! tools, memory and session in one transaction, or nothing.

use std::sync::Arc;

use pif_domain::text::{self, MOST_NAME, quote, quote_one};
use pif_domain::{EntryKind, EntryOutcome, Fault, FaultCode, Limit, fault};
use pif_receipt::Trust;
use pif_sandbox::Watch;
use pif_schema::Schema;
use pif_store::journal::Draft;
use pif_store::memory::Note;
use pif_store::registry::{self, Evolution, Status};
use pif_store::session::{Session, Target};
use pif_store::{self, Change, Done, Effect, Write};
use serde_json::json;

use super::bundle::{self, Bundle, BundledMemo, BundledTool, at};
use super::library::{PREFIX as LIBRARY_PREFIX, ensure_outside, library};
use super::memory::keeping;
use super::opening::Workshop;
use super::property::kept;
use super::record;
use super::refusal::{ChangeRefusal, refused, stored, too_large, unkept, unwritten};
use super::vouched::Vouched;
use super::world::{Candidate, Tools};

/// The result for one tool of a file.
#[derive(Debug)]
pub struct ImportedTool {
    /// Its name.
    pub name: String,
    /// sha256 of its term.
    pub hash: String,
    /// The kind of change.
    pub status: Status,
    /// Whether only this revision was imported: the name still refers to another one.
    pub is_pinned: bool,
}

/// The options of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Whether the tools are imported.
    pub tools: bool,
    /// Whether existing tools and keys may be replaced.
    pub replace: bool,
    /// Whether the memory is imported.
    pub memory: bool,
    /// Where the bindings of the session go, and who owns them.
    pub session: Option<(String, Target)>,
    /// Whose certificates count. All tools need one then.
    pub trust: Option<Trust>,
}

/// The result of an import.
#[derive(Debug)]
pub struct ImportResult {
    /// The tools of the file.
    pub tools: Vec<ImportedTool>,
    /// The keys of the memory, each with its ending.
    pub memory: Vec<(String, EntryOutcome)>,
    /// The session or the saved state, and the names that are bound with the kinds of their values.
    pub session: Option<(Session, Vec<(String, String)>)>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// The tools of a file that passed.
pub(super) struct PassedTools {
    pub(super) checked: Vec<CheckedTool>,
    /// All tools as they will be.
    pub(super) tools: Tools,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
}

/// A checked tool of a file.
pub(super) struct CheckedTool {
    packed: BundledTool,
    evolution: Evolution,
    schema: Option<Arc<Schema>>,
    /// Whether the library already has the tool.
    supplied: bool,
}

impl Workshop {
    /// Imports what is wanted of a file. The changes or the refusal are journaled. An existing tool with
    /// other content is replaced only if `wanted.replace` is set; so is a key of the memory. Bindings
    /// stand in place of those that their target has.
    pub fn import(
        &self,
        text: &str,
        wanted: ImportOptions,
        watch: &Watch,
    ) -> Result<ImportResult, ChangeRefusal> {
        let (mut subject, replace) = (None, wanted.replace);
        let is_session = wanted.session.is_some();
        let imported = self.try_import(text, wanted, watch, &mut subject);
        if let Err(ChangeRefusal { faults, .. }) = &imported
            && let Some(first) = faults.first().filter(|first| !first.code.is_of_store())
        {
            if is_session {
                let request = json!({ "bytes": text.len() });
                self.refuse("session import", &request.to_string(), first);
                return imported;
            }
            let subject = subject.map(|name: String| text::line(&name, MOST_NAME));
            let mut draft =
                Draft::new(EntryKind::Import, subject.as_deref(), EntryOutcome::Fault(first.code));
            draft.request = json!({ "arguments": text, "replace": replace });
            draft.outcome = record::fault(first);
            self.journal.append(draft).map_err(stored)?;
        }
        imported
    }

    /// `subject` is the tool in progress, for the refusal's entry.
    fn try_import(
        &self,
        text: &str,
        wanted: ImportOptions,
        watch: &Watch,
        subject: &mut Option<String>,
    ) -> Result<ImportResult, ChangeRefusal> {
        let mut file = bundle::read(text)?;
        let unwanted = unwanted(&mut file, &wanted);
        if let Some(session) = &file.session {
            session.ensure(self.session_capacity())?;
        }
        let ImportOptions { replace, session, trust, .. } = wanted;
        let vouched = match &trust {
            Some(trust) => {
                let tools: Vec<String> = file.tools.iter().map(BundledTool::reference).collect();
                file.certificates.vouch(&tools, trust)?
            }
            None => Vec::new(),
        };
        let tried = self.try_tools(file.tools, replace, watch, subject);
        let PassedTools { checked, tools, mut notes } = tried.map_err(in_tools)?;
        if trust.is_some() {
            let packed: Vec<&BundledTool> = checked.iter().map(|it| &it.packed).collect();
            self.ensure_certified(&packed, &vouched, &tools, watch)?;
            notes.extend(vouched.iter().map(Vouched::note));
        } else if !file.certificates.is_empty() {
            notes.push("the file has certificates: `--trust KEYS` checks them".to_owned());
        }
        notes.extend(unwanted);
        let remembered = file.memory.into_iter().map(note).collect::<Result<Vec<_>, Fault>>()?;
        let bound = match session {
            None => None,
            Some((owner, target)) => {
                let Some(packed) = file.session else { return Err(no_session().into()) };
                let (told, write) = self.try_session(packed, owner, target, &tools, watch)?;
                Some((told, write))
            }
        };
        let mut certificates = vouched.into_iter();
        let taken = checked.iter().map(|it| it.write(replace, certificates.next()));
        let kept = remembered.iter().map(|(note, it)| keeping(note.clone(), replace, it));
        let (bound, last) = bound.unzip();
        let writes: Vec<Write> = taken.chain(kept).chain(last).collect();
        let mut done = self.journal.commit(&writes).map_err(unwritten)?.into_iter();
        self.announce();
        let tools = checked.into_iter().zip(&mut done).filter_map(|(it, done)| it.result(done));
        let tools = tools.collect();
        let memory = remembered.into_iter().zip(&mut done).filter_map(|((note, _), done)| {
            let Effect::Kept(kept) = done.effect else { return None };
            Some((note.key().to_owned(), kept.status))
        });
        let memory = memory.collect();
        let session = match (bound, done.next().map(|done| done.effect)) {
            (None, _) => None,
            (Some(bound), Some(Effect::Session(session))) => Some((*session, bound)),
            (Some(_), _) => return Err(unwritten(pif_store::Refusal::CONFUSED).into()),
        };
        Ok(ImportResult { tools, memory, session, notes })
    }

    /// Checks tools of a file and runs their examples, with all of them there.
    pub(super) fn try_tools(
        &self,
        packed: Vec<BundledTool>,
        replace: bool,
        watch: &Watch,
        subject: &mut Option<String>,
    ) -> Result<PassedTools, ChangeRefusal> {
        let mut checked = Vec::new();
        for packed in packed {
            *subject = Some(packed.name.clone());
            checked.push(self.check_packed(packed, watch)?);
        }
        self.add_members(&mut checked, replace, watch, subject)?;
        let candidates: Arc<[Candidate]> = checked.iter().map(CheckedTool::candidate).collect();
        let tools = Tools { candidates, ..self.tools()? };
        let mut notes = Vec::new();
        for CheckedTool { packed, evolution, .. } in &checked {
            *subject = Some(packed.name.clone());
            let (reference, examples) = (packed.reference(), packed.examples.clone());
            // The notes on passed examples are dropped.
            self.try_examples(&reference, examples, &tools, watch, &mut Vec::new())
                .map_err(|refused| refused.of(&packed.quoted()))?;
            let properties = packed.properties.as_slice();
            self.try_properties(&reference, properties, &tools, watch, &mut Vec::new())
                .map_err(|refused| refused.of(&packed.quoted()))?;
            notes.extend(missing(packed, evolution, &tools)?);
            if is_change(packed, &tools)? {
                self.broken_callers(&packed.name, &tools, watch, &mut notes)?;
            }
        }
        *subject = None;
        Ok(PassedTools { checked, tools, notes })
    }

    /// Finds the functions of native capabilities, with all tools of the file there. Then each tool
    /// is as it will be, and may not be in the way of another one.
    fn add_members(
        &self,
        checked: &mut [CheckedTool],
        replace: bool,
        watch: &Watch,
        subject: &mut Option<String>,
    ) -> Result<(), ChangeRefusal> {
        let candidates: Arc<[Candidate]> = checked.iter().map(CheckedTool::candidate).collect();
        let before = self.tools()?;
        let tools = Tools { candidates, ..before.clone() };
        for CheckedTool { packed, evolution, .. } in checked {
            *subject = Some(packed.name.clone());
            if packed.capability {
                self.ensure_nobody(&packed.name)?;
                evolution.members = Some(self.members(&packed.reference(), &tools, watch)?);
            }
            if let Some(current) = before.find(&packed.name)? {
                let may_stay = packed.pinned || replace;
                let is_same = evolution.ensure_replaced(&current, may_stay).map_err(refused)?;
                if !is_same && !packed.pinned {
                    self.ensure_unstaged()?;
                }
            }
        }
        Ok(())
    }

    /// Checks a tool as far as possible without the other tools of the file.
    fn check_packed(
        &self,
        packed: BundledTool,
        watch: &Watch,
    ) -> Result<CheckedTool, ChangeRefusal> {
        let (name, quoted) = (&packed.name, packed.quoted());
        let tools = self.tools()?.registered;
        tools.review(name, &packed.description, None).map_err(refused)?;
        if !name.starts_with(LIBRARY_PREFIX) {
            ensure_outside(name)?;
        }
        let length = packed.source.get().len();
        if length > self.most_code {
            return Err(too_large(Limit::Code, name, length, self.most_code).into());
        }
        let checked = self.sandbox.check(packed.source.get(), &watch.again());
        let summary = checked.map_err(|faults| ChangeRefusal {
            during: Some(format!("the term of {quoted} is refused")),
            faults,
        })?;
        if summary.hash != packed.sha256 {
            let (is, told) =
                (registry::short(&summary.hash), text::line(&packed.sha256, MOST_NAME));
            let message = format!("the term of {quoted} has the hash {is}…, and not {told}");
            let hint = "the file was altered: export the tool again";
            return Err(fault(FaultCode::Malformed, message, Some(hint)).into());
        }
        let schema = packed.schema()?;
        let evolution = Evolution {
            name: name.clone(),
            description: packed.description.clone(),
            tools: summary.names(),
            members: None,
            properties: kept(&packed.properties),
            source: summary.canonical,
            hash: summary.hash,
            examples: packed.examples(),
            output_schema: schema.as_ref().map(|schema| schema.text().to_owned()),
            expected: None,
        };
        let supplied = library().holds(&evolution, packed.pinned);
        Ok(CheckedTool { packed, evolution, schema: schema.map(Arc::new), supplied })
    }
}

impl CheckedTool {
    /// The write of this tool, with its journal entry.
    pub(super) fn write(&self, replace: bool, certificate: Option<Vouched>) -> Write {
        let Self { packed, evolution, supplied, .. } = self;
        let mut entry = Draft::of_change(EntryKind::Import, &packed.name);
        // This cannot fail: all parts are text and JSON already.
        let arguments = serde_json::to_string(packed).unwrap_or_default();
        let certificate = certificate.map(|it| it.record());
        entry.request = match &certificate {
            None => json!({ "arguments": arguments, "replace": replace }),
            Some(it) => json!({ "arguments": arguments, "replace": replace, "certificate": it }),
        };
        let taken = pif_store::ToolImport {
            evolution: evolution.clone(),
            pinned: packed.pinned,
            supplied: *supplied,
            replace,
            certificate: certificate.map(|it| it.to_string()),
        };
        Write { change: Change::Take(taken), entry }
    }

    /// The result for the caller.
    pub(super) fn result(self, done: Done) -> Option<ImportedTool> {
        let Effect::Evolved(status) = done.effect else { return None };
        let (name, hash) = (self.packed.name, self.evolution.hash);
        Some(ImportedTool { name, hash, status, is_pinned: self.packed.pinned })
    }

    fn candidate(&self) -> Candidate {
        let Evolution { name, source, hash, members, .. } = &self.evolution;
        Candidate {
            name: name.clone(),
            source: source.clone(),
            hash: hash.clone(),
            is_pinned: self.packed.pinned,
            output_schema: self.schema.clone(),
            members: members.clone(),
            written: None,
        }
    }
}

impl ChangeRefusal {
    /// Adds the name of the tool to the failed step.
    fn of(self, tool: &str) -> Self {
        let during = self.during.map(|during| format!("{tool}: {during}"));
        Self { during, ..self }
    }
}

/// The note to keep, and the arguments of an equivalent `memory_store` call.
fn note(packed: BundledMemo) -> Result<(Note, String), Fault> {
    let arguments = serde_json::to_string(&packed).unwrap_or_default();
    let BundledMemo { key, tags, value, context, confidence, outcomes } = packed;
    let note = Note::new(key, value.get(), Some(tags)).map_err(unkept)?;
    // An older file tells neither of these.
    let is_told = confidence.is_some();
    let note = note.learned(is_told.then_some(context), confidence).map_err(unkept)?;
    Ok((Note { outcomes: is_told.then_some(outcomes), ..note }, arguments))
}

/// Takes out of a file what is not wanted. Gives a note on each part, and on one that is not there.
fn unwanted(file: &mut Bundle, wanted: &ImportOptions) -> Vec<String> {
    let mut notes = Vec::new();
    let mut also = |what: &str, how: &str| {
        notes.push(format!("the file also holds {what}: {how} imports it"));
    };
    if !wanted.tools && !std::mem::take(&mut file.tools).is_empty() {
        also("tools", "`--with-tools`");
    }
    if wanted.session.is_none() && file.session.take().is_some() {
        also("a session", "`mcp-pif session import`");
    }
    if !wanted.memory && !std::mem::take(&mut file.memory).is_empty() {
        also("a memory", "`--with-memory`");
    } else if wanted.memory && file.memory.is_empty() {
        notes.push("the file holds no memory".to_owned());
    }
    notes
}

fn no_session() -> Fault {
    let hint =
        "`mcp-pif session export` writes one with a session; `mcp-pif import` takes this one";
    fault(FaultCode::Malformed, "the file holds no session".to_owned(), Some(hint))
}

/// A refusal that is about the tools of the file.
fn in_tools(refused: ChangeRefusal) -> ChangeRefusal {
    let place = |fault: Fault| if fault.at.is_empty() { at("/tools", fault) } else { fault };
    ChangeRefusal { faults: refused.faults.into_iter().map(place).collect(), ..refused }
}

/// Whether the import changes the term that the tool's name refers to.
fn is_change(packed: &BundledTool, tools: &Tools) -> Result<bool, Fault> {
    let current = tools.find(&packed.name)?;
    Ok(!packed.pinned && current.is_some_and(|current| current.hash != packed.sha256))
}

/// A note on tools that a term names and that neither the store nor the file has.
fn missing(
    packed: &BundledTool,
    evolution: &Evolution,
    tools: &Tools,
) -> Result<Option<String>, Fault> {
    let mut missing = Vec::new();
    for tool in &evolution.tools {
        if tools.look_up(tool)?.is_none() {
            missing.push(tool.as_str());
        }
    }
    let name = quote_one(&packed.name);
    let is_any = !missing.is_empty();
    Ok(is_any.then(|| format!("warning: {name} names {}, which does not exist", quote(&missing))))
}
