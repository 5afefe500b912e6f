//! Tools come from a file: each is checked against its hash, all examples are run, and then all of
//! them are registered in one transaction, or none.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::bundle::{self, Packed, Remembered};
use super::evolve::told;
use super::world::Candidate;
use super::{
    LIBRARY_PREFIX, Refused, Tools, Workshop, library, record, refused, stored, too_large, unkept,
};
use crate::domain::{EntryEnding, EntryKind, Fault, FaultCode, Limit, fault};
use crate::journal::Draft;
use crate::memory::Note;
use crate::registry::{self, Change, Definition, Status};
use crate::sandbox::Watch;
use crate::schema::Schema;
use crate::store::{self, Durability, Transaction};
use crate::text::{self, MOST_NAME, quote, quote_one};

/// What became of a tool of a file.
#[derive(Debug)]
pub struct Imported {
    /// Its name.
    pub name: String,
    /// sha256 of its term.
    pub hash: String,
    /// What the change was.
    pub status: Status,
    /// Whether it came as a revision of a name that stands for another one.
    pub is_pinned: bool,
}

/// What a file is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// It may change what is here.
    pub replace: bool,
    /// Also what it remembers.
    pub memory: bool,
}

/// What came of a file.
#[derive(Debug)]
pub struct Taken {
    /// Its tools.
    pub tools: Vec<Imported>,
    /// Keys of the memory, and what became of them in a word.
    pub memory: Vec<(String, EntryEnding)>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// A tool of a file that was checked.
struct Checked {
    packed: Packed,
    change: Change,
    schema: Option<Arc<Schema>>,
}

/// Why a transaction was given up.
enum Stopped {
    Registry(registry::Error),
    Refused(Fault),
}

impl From<store::Error> for Stopped {
    fn from(error: store::Error) -> Self {
        Self::Registry(error.into())
    }
}

impl From<registry::Error> for Stopped {
    fn from(error: registry::Error) -> Self {
        Self::Registry(error)
    }
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

impl Workshop {
    /// Registers the tools of a file, or says why not; either way the journal tells of it. A tool
    /// that is here with other content is changed only if `replace` says so; so is a key of the
    /// memory.
    pub fn import(&self, text: &str, wanted: Wanted, watch: &Watch) -> Result<Taken, Refused> {
        let mut subject = None;
        let imported = self.try_import(text, wanted, watch, &mut subject);
        if let Err(Refused { faults, .. }) = &imported
            && let Some(first) = faults.first().filter(|first| first.code != FaultCode::Storage)
        {
            let subject = subject.map(|name: String| text::line(&name, MOST_NAME));
            let mut draft =
                Draft::new(EntryKind::Import, subject.as_deref(), EntryEnding::Fault(first.code));
            draft.request = json!({ "arguments": text, "replace": wanted.replace });
            draft.outcome = record::fault(first);
            self.journal.append(&draft).map_err(stored)?;
        }
        imported
    }

    /// `subject` is set to the tool that is looked at, as long as that may refuse the import.
    fn try_import(
        &self,
        text: &str,
        Wanted { replace, memory }: Wanted,
        watch: &Watch,
        subject: &mut Option<String>,
    ) -> Result<Taken, Refused> {
        let mut checked = Vec::new();
        let file = bundle::read(text)?;
        for packed in file.tools {
            *subject = Some(packed.name.clone());
            checked.push(self.check_packed(packed, replace, watch)?);
        }
        let candidates: Arc<[Candidate]> = checked.iter().map(Checked::candidate).collect();
        let tools = Tools { candidates, ..self.tools()? };
        let mut notes = Vec::new();
        for Checked { packed, change, .. } in &checked {
            *subject = Some(packed.name.clone());
            let (reference, examples) = (packed.reference(), packed.examples.clone());
            // How many passed is not worth a line for each tool.
            self.try_examples(&reference, examples, &tools, watch, &mut Vec::new())
                .map_err(|refused| refused.of(&packed.quoted()))?;
            notes.extend(missing(packed, change, &tools)?);
            if is_change(packed, &tools)? {
                self.broken_callers(&packed.name, &tools, watch, &mut notes)?;
            }
        }
        *subject = None;
        notes.extend(unasked(&file.memory, memory));
        let wanted = if memory { file.memory } else { Vec::new() };
        let remembered = wanted.into_iter().map(note).collect::<Result<Vec<_>, Fault>>()?;
        let done = self.store.write(Durability::Power, |db| {
            let mut before: BTreeMap<&str, Option<Definition>> = BTreeMap::new();
            for Checked { packed, .. } in &checked {
                before.insert(&packed.name, self.registry.current(db, &packed.name)?);
            }
            let of = |name: &str| before.get(name).cloned().flatten();
            let register = |it: &Checked| self.register(db, it, of(&it.packed.name), replace);
            let tools = checked.iter().map(register).collect::<Result<Vec<_>, Stopped>>()?;
            let take = |(note, arguments): &(Note, String)| {
                let kept = self.take(db, note, arguments, replace)?;
                Ok((note.key().to_owned(), kept.status))
            };
            let memory = remembered.iter().map(take).collect::<Result<Vec<_>, Stopped>>()?;
            Ok((tools, memory))
        });
        let (tools, memory) = done.map_err(|stopped| match stopped {
            Stopped::Registry(error) => refused(error),
            Stopped::Refused(fault) => fault,
        })?;
        self.announce();
        Ok(Taken { tools, memory, notes })
    }

    /// Judges a tool as far as that is possible without the others.
    fn check_packed(
        &self,
        packed: Packed,
        replace: bool,
        watch: &Watch,
    ) -> Result<Checked, Refused> {
        let (name, quoted) = (&packed.name, packed.quoted());
        self.registry.review(name, &packed.description, None).map_err(refused)?;
        if !name.starts_with(LIBRARY_PREFIX) {
            library::ensure_outside(name)?;
        }
        let length = packed.source.get().len();
        if length > self.most_code {
            return Err(too_large(Limit::Code, name, length, self.most_code).into());
        }
        let checked = self.sandbox.check(packed.source.get(), &watch.again());
        let summary = checked.map_err(|faults| Refused {
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
        if let Some(current) = self.tools()?.find(name)? {
            ensure_replaced(&packed, &current, replace)?;
        }
        let schema = packed.schema()?;
        let change = Change {
            name: name.clone(),
            description: packed.description.clone(),
            tools: summary.names(),
            source: summary.canonical,
            hash: summary.hash,
            examples: packed.examples(),
            output_schema: schema.as_ref().map(|schema| schema.text().to_owned()),
            expected: None,
        };
        Ok(Checked { packed, change, schema: schema.map(Arc::new) })
    }

    /// Registers a tool whose name stood for something else `before`, and journals it.
    fn register(
        &self,
        db: &Transaction<'_>,
        checked: &Checked,
        before: Option<Definition>,
        replace: bool,
    ) -> Result<Imported, Stopped> {
        let Checked { packed, change, .. } = checked;
        let entry = self.journal.next(db)?;
        let status = match (packed.pinned, before) {
            // What the library has is in no store.
            (_, None) if library().holds(packed)? => Status::Unchanged,
            (true, _) if self.registry.has_stood_for(db, &packed.name, &change.hash)? => {
                Status::Unchanged
            }
            (true, Some(current)) => {
                // It goes into the history, and the name goes on to stand for what it stood for.
                self.registry.evolve(db, change, entry)?;
                self.registry.evolve(db, &again(current), entry)?;
                Status::New
            }
            (false, Some(current)) => {
                // Somebody may have changed it since it was looked at.
                if ensure_replaced(packed, &current, replace)? {
                    Status::Unchanged
                } else {
                    self.registry.evolve(db, change, entry)?;
                    let is_described = current.hash == change.hash;
                    if is_described { Status::Described } else { Status::Changed(current.hash) }
                }
            }
            (_, None) => {
                self.registry.evolve(db, change, entry)?;
                Status::New
            }
        };
        let mut draft = Draft::new(EntryKind::Import, Some(&packed.name), status.ending());
        // Its parts are texts and JSON already.
        let arguments = serde_json::to_string(packed).unwrap_or_default();
        draft.request = json!({ "arguments": arguments, "replace": replace });
        draft.outcome = told(&change.hash, &status);
        self.journal.add(db, &draft)?;
        let (name, hash) = (packed.name.clone(), change.hash.clone());
        Ok(Imported { name, hash, status, is_pinned: packed.pinned })
    }
}

impl Checked {
    fn candidate(&self) -> Candidate {
        let Change { name, source, hash, .. } = &self.change;
        Candidate {
            name: name.clone(),
            source: source.clone(),
            hash: hash.clone(),
            is_pinned: self.packed.pinned,
            output_schema: self.schema.clone(),
        }
    }
}

impl Refused {
    /// The same, of one tool among several.
    fn of(self, tool: &str) -> Self {
        let during = self.during.map(|during| format!("{tool}: {during}"));
        Self { during, ..self }
    }
}

/// What is to be remembered, and how a caller would have asked for it.
fn note(packed: Remembered) -> Result<(Note, String), Fault> {
    let arguments = serde_json::to_string(&packed).unwrap_or_default();
    let note = Note::new(packed.key, packed.value.get(), Some(packed.tags)).map_err(unkept)?;
    Ok((note, arguments))
}

/// A note on a memory that is there and not asked for, or the other way round.
fn unasked(memory: &[Remembered], is_wanted: bool) -> Option<String> {
    match (memory.len(), is_wanted) {
        (0, true) => Some("the file holds no memory".to_owned()),
        (1.., false) => Some("the file also holds a memory: `--memory` imports it".to_owned()),
        _ => None,
    }
}

/// Whether the name of a tool is going to stand for another term than it does.
fn is_change(packed: &Packed, tools: &Tools) -> Result<bool, Fault> {
    let current = tools.find(&packed.name)?;
    Ok(!packed.pinned && current.is_some_and(|current| current.hash != packed.sha256))
}

/// Whether a tool is here as it is in the file; refuses it where it is not and may not be changed.
fn ensure_replaced(packed: &Packed, current: &Definition, replace: bool) -> Result<bool, Fault> {
    let is_same = packed.is_same(current)?;
    if is_same || packed.pinned || replace {
        return Ok(is_same);
    }
    let how = if current.hash == packed.sha256 {
        "with another description, other examples or another output schema".to_owned()
    } else {
        format!("at the revision `{}`", current.short())
    };
    let message = format!("{} is here already, {how}", packed.quoted());
    Err(fault(FaultCode::Malformed, message, Some("`--replace` takes the tools of the file")))
}

/// A change that makes a tool what it was.
fn again(tool: Definition) -> Change {
    let Definition { name, hash, source, description, examples, output_schema, .. } = tool;
    let (tools, expected) = (Vec::new(), None);
    Change { name, description, source, hash, tools, examples, output_schema, expected }
}

/// A note on tools that a term names and that are neither here nor in the file.
fn missing(packed: &Packed, change: &Change, tools: &Tools) -> Result<Option<String>, Fault> {
    let mut missing = Vec::new();
    for tool in &change.tools {
        if tools.look_up(tool)?.is_none() {
            missing.push(tool.as_str());
        }
    }
    let name = quote_one(&packed.name);
    let is_any = !missing.is_empty();
    Ok(is_any.then(|| format!("warning: {name} names {}, which does not exist", quote(&missing))))
}
