//! Tools come from a file: each is checked against its hash, all examples are run, and then all of
//! them are registered in one transaction, or none.

use std::sync::Arc;

use serde_json::json;

use super::bundle::{self, Packed, Remembered};
use super::memory::keeping;
use super::world::Candidate;
use super::{
    LIBRARY_PREFIX, Refused, Tools, Workshop, library, record, refused, stored, too_large, unkept,
    unwritten,
};
use crate::domain::{EntryEnding, EntryKind, Fault, FaultCode, Limit, fault};
use crate::journal::Draft;
use crate::memory::Note;
use crate::registry::{self, Evolution, Status};
use crate::sandbox::Watch;
use crate::schema::Schema;
use crate::state::{self, Change, Done, Effect, Write};
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
    evolution: Evolution,
    schema: Option<Arc<Schema>>,
    /// Whether the library has it.
    supplied: bool,
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
            self.journal.append(draft).map_err(stored)?;
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
        for Checked { packed, evolution, .. } in &checked {
            *subject = Some(packed.name.clone());
            let (reference, examples) = (packed.reference(), packed.examples.clone());
            // How many passed is not worth a line for each tool.
            self.try_examples(&reference, examples, &tools, watch, &mut Vec::new())
                .map_err(|refused| refused.of(&packed.quoted()))?;
            notes.extend(missing(packed, evolution, &tools)?);
            if is_change(packed, &tools)? {
                self.broken_callers(&packed.name, &tools, watch, &mut notes)?;
            }
        }
        *subject = None;
        notes.extend(unasked(&file.memory, memory));
        let wanted = if memory { file.memory } else { Vec::new() };
        let remembered = wanted.into_iter().map(note).collect::<Result<Vec<_>, Fault>>()?;
        let taken = checked.iter().map(|it| it.write(replace));
        let kept = remembered.iter().map(|(note, it)| keeping(note.clone(), replace, it));
        let writes: Vec<Write> = taken.chain(kept).collect();
        let mut done = self.journal.commit(&writes).map_err(unwritten)?.into_iter();
        self.announce();
        let tools = checked.into_iter().zip(&mut done).filter_map(|(it, done)| it.told(done));
        let tools = tools.collect();
        let memory = remembered.into_iter().zip(done).filter_map(|((note, _), done)| {
            let Effect::Kept(kept) = done.effect else { return None };
            Some((note.key().to_owned(), kept.status))
        });
        Ok(Taken { tools, memory: memory.collect(), notes })
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
        let schema = packed.schema()?;
        let evolution = Evolution {
            name: name.clone(),
            description: packed.description.clone(),
            tools: summary.names(),
            source: summary.canonical,
            hash: summary.hash,
            examples: packed.examples(),
            output_schema: schema.as_ref().map(|schema| schema.text().to_owned()),
            expected: None,
        };
        if let Some(current) = self.tools()?.find(name)? {
            let may_stay = packed.pinned || replace;
            evolution.ensure_replaced(&current, may_stay).map_err(refused)?;
        }
        let supplied = library().holds(&evolution, packed.pinned);
        Ok(Checked { packed, evolution, schema: schema.map(Arc::new), supplied })
    }
}

impl Checked {
    /// What is to be written.
    fn write(&self, replace: bool) -> Write {
        let Self { packed, evolution, supplied, .. } = self;
        let mut entry = Draft::of_change(EntryKind::Import, &packed.name);
        // Its parts are texts and JSON already.
        let arguments = serde_json::to_string(packed).unwrap_or_default();
        entry.request = json!({ "arguments": arguments, "replace": replace });
        let (evolution, pinned) = (evolution.clone(), packed.pinned);
        let taken = state::Taken { evolution, pinned, supplied: *supplied, replace };
        Write { change: Change::Take(taken), entry }
    }

    /// What became of it.
    fn told(self, done: Done) -> Option<Imported> {
        let Effect::Evolved(status) = done.effect else { return None };
        let (name, hash) = (self.packed.name, self.evolution.hash);
        Some(Imported { name, hash, status, is_pinned: self.packed.pinned })
    }

    fn candidate(&self) -> Candidate {
        let Evolution { name, source, hash, .. } = &self.evolution;
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

/// A note on tools that a term names and that are neither here nor in the file.
fn missing(packed: &Packed, evolution: &Evolution, tools: &Tools) -> Result<Option<String>, Fault> {
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
