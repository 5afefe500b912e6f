//! Stages operations: each makes new states of tools or of the memory, which a snapshot shows.

use std::sync::Arc;

use pif_domain::text::line;
use pif_domain::text::time::now;
use pif_domain::{EntryKind, Fault, FaultCode, fault};
use pif_sandbox::Watch;
use pif_store::memory;
use pif_store::registry::{self, Definition, Evolution, Overlay};
use pif_store::staging::{Area, Change, Kind, MemoState, Operation, ToolState};

use super::area_work::AreaWork;
use super::wish::{StagedOperation, read_wish};
use crate::workshop::Remember;
use crate::workshop::evolve::DraftChange;
use crate::workshop::opening::Workshop;
use crate::workshop::refusal::{ChangeRefusal, refused, stored, unkept};

/// The most characters of a warning.
const MOST_WARNING: usize = 2_500;

/// The result of staging.
#[derive(Debug)]
pub struct StageResult {
    /// The snapshot.
    pub area: Area,
    /// What the operations of this request change.
    pub changes: Vec<StagedChange>,
    /// What to know of them.
    pub warnings: Vec<String>,
}

/// What an operation changes of a tool or of a key of the memory.
#[derive(Debug)]
pub struct StagedChange {
    /// The operation.
    pub kind: Kind,
    /// The tool, or the key.
    pub subject: String,
    /// The state before; None: there was none.
    pub before: Option<Definition>,
    /// The state after; None: the tool is retired, or it is a key.
    pub after: Option<Definition>,
}

/// What an operation has come to.
pub(super) struct Progress {
    pub(super) operation: Operation,
    /// Terms that the store may not have yet.
    pub(super) terms: Vec<Evolution>,
    pub(super) warnings: Vec<String>,
}

/// A snapshot that operations are added to.
struct Editor<'a> {
    workshop: &'a Workshop,
    area: Area,
    overlay: Arc<Overlay>,
    terms: Vec<Evolution>,
}

impl Editor<'_> {
    /// The workshop within the snapshot as it is so far.
    fn within(&self) -> Workshop {
        let workshop = self.workshop;
        let view = workshop.registry.view(self.area.base, Arc::clone(&self.overlay));
        let memos = self.area.memos().into_iter().cloned().collect();
        Workshop { memory: workshop.memory.showing(memos), view: Some(view), ..workshop.clone() }
    }

    fn add(&mut self, progress: Progress) -> Result<(), Fault> {
        let Progress { operation, terms, .. } = progress;
        let mut overlay = Overlay::clone(&self.overlay);
        for state in &operation.tools {
            let source = match &state.hash {
                None => None,
                Some(hash) => match terms.iter().find(|term| term.hash == *hash) {
                    Some(term) => Some(term.source.clone()),
                    None => self.within().tools()?.registered.source(hash).map_err(stored)?,
                },
            };
            overlay.set(state, source);
        }
        terms.iter().for_each(|term| overlay.know(term));
        self.overlay = Arc::new(overlay);
        self.terms.extend(terms);
        self.area.operations.push(operation);
        Ok(())
    }
}

impl Workshop {
    /// Stages operations in a snapshot, or in a new one, all of them or none. A fault names the
    /// operation by its index. `arguments` is the text of the request.
    pub fn stage(
        &self,
        snapshot: Option<i64>,
        operations: &[String],
        arguments: &str,
        watch: &Watch,
    ) -> Result<StageResult, Fault> {
        let Some(snapshot) = snapshot else {
            return self.stage_in(self.new_area()?, None, operations, arguments, watch);
        };
        let (area, work) = self.begin_work(snapshot)?;
        self.stage_in(area, Some(work), operations, arguments, watch)
    }

    /// Applies the operations of a snapshot again, on the registry as it is now.
    pub fn rebase(
        &self,
        snapshot: i64,
        arguments: &str,
        watch: &Watch,
    ) -> Result<StageResult, Fault> {
        let (area, work) = self.begin_work(snapshot)?;
        let requests: Vec<String> = area.operations.iter().map(|it| it.request.clone()).collect();
        let base = self.new_area()?.base;
        let area = Area { base, operations: Vec::new(), ..area };
        self.stage_in(area, Some(work), &requests, arguments, watch)
    }

    fn new_area(&self) -> Result<Area, Fault> {
        let base = self.store.last_change().map_err(stored)?;
        Ok(Area {
            id: 0,
            owner: self.principal().owner().to_string(),
            base,
            created: now(),
            changed: 0,
            version: 0,
            verification: None,
            operations: Vec::new(),
        })
    }

    fn stage_in(
        &self,
        area: Area,
        work: Option<AreaWork<'_>>,
        requests: &[String],
        arguments: &str,
        watch: &Watch,
    ) -> Result<StageResult, Fault> {
        let overlay = Overlay::of(self.store.as_ref(), &area).map_err(stored)?;
        let (overlay, terms) = (Arc::new(overlay), Vec::new());
        let mut editor = Editor { workshop: self, area, overlay, terms };
        let (mut changes, mut warnings) = (Vec::new(), Vec::new());
        for (index, request) in requests.iter().enumerate() {
            watch.verdict()?;
            let before = editor.within();
            let progress = read_wish(request)
                .and_then(|wish| before.operation_of(wish, request, watch))
                .map_err(|fault| of_operation(index, fault))?;
            warnings.extend(progress.warnings.iter().map(|it| line(it, MOST_WARNING)));
            let operation = progress.operation.clone();
            editor.add(progress)?;
            changes.extend(compare(&before, &editor.within(), &operation)?);
        }
        let Editor { mut area, terms, .. } = editor;
        area.version += 1;
        let holder = work.as_ref().map(|work| work.holder.clone());
        let change = Change::Put { area: Box::new(area), terms, holder };
        let area = match work {
            Some(work) => work.end(EntryKind::Stage, change, arguments)?.0,
            None => self.change_area(EntryKind::Stage, change, arguments)?.0,
        };
        Ok(StageResult { area, changes, warnings })
    }

    /// What an operation makes of the tools and the memory that this workshop shows.
    fn operation_of(
        &self,
        wish: StagedOperation,
        request: &str,
        watch: &Watch,
    ) -> Result<Progress, Fault> {
        let operation =
            |kind, tools, memos| Operation { kind, request: request.to_owned(), tools, memos };
        let (terms, warnings) = (Vec::new(), Vec::new());
        Ok(match wish {
            StagedOperation::Evolve(proposal) => {
                let DraftChange { evolution, notes } =
                    self.draft(*proposal, watch).map_err(first)?;
                let operation = operation(Kind::Evolve, vec![state_of(&evolution)], Vec::new());
                Progress { operation, terms: vec![evolution], warnings: notes }
            }
            StagedOperation::Rollback { tool, revision } => {
                let found = self.tools()?.registered.find(&format!("{tool}@{revision}"));
                let past = found.map_err(refused)?.ok_or_else(|| self.no_revision(&tool))?;
                let state = state_of(&Evolution::from(past));
                let operation = operation(Kind::Rollback, vec![state], Vec::new());
                Progress { operation, terms, warnings }
            }
            StagedOperation::Retire(tool) => {
                let current = self.current(&tool)?;
                let state = ToolState { hash: None, ..state_of(&Evolution::from(current)) };
                let callers = self.tools()?.registered.callers(&tool, 1).map_err(stored)?;
                let called = |by: &Definition| format!("`{tool}` is still called by `{}`", by.name);
                let warnings = callers.iter().map(called).collect();
                let operation = operation(Kind::Retire, vec![state], Vec::new());
                Progress { operation, terms, warnings }
            }
            StagedOperation::Rename { from, to } => self.rename(&from, &to, request, watch)?,
            StagedOperation::Memory(change) => {
                let memo = self.memo_state(change)?;
                let operation = operation(Kind::Memory, Vec::new(), vec![memo]);
                Progress { operation, terms, warnings }
            }
        })
    }

    /// The state of a key after a change, with the moment at which it changed last before.
    fn memo_state(&self, change: Remember) -> Result<MemoState, Fault> {
        let state = match change {
            Remember::Keep(note) => MemoState {
                key: note.key,
                value: Some(note.value),
                tags: note.tags,
                context: note.context,
                confidence: note.confidence,
                outcome: None,
                before: None,
            },
            Remember::Forget(key) => forgotten(key),
            Remember::Outcome { key, helped } => {
                if self.memory.brief(&key).map_err(stored)?.is_none() {
                    return Err(unkept(memory::Error::Unknown(key)));
                }
                MemoState { outcome: Some(helped), ..forgotten(key) }
            }
        };
        let before = self.store.memo(self.principal().owner(), &state.key).map_err(stored)?;
        Ok(MemoState { before: before.map(|memo| memo.updated), ..state })
    }

    /// The tool of a name that is not the library's.
    pub(in crate::workshop) fn current(&self, name: &str) -> Result<Definition, Fault> {
        let found = self.tools()?.registered.find(name).map_err(refused)?;
        found.ok_or_else(|| refused(registry::Error::Unknown(name.to_owned())))
    }

    fn no_revision(&self, name: &str) -> Fault {
        match self.current(name) {
            Err(fault) => fault,
            Ok(_) => fault(
                FaultCode::Malformed,
                format!("`{name}` has no such revision"),
                Some("`inspect` shows the history"),
            ),
        }
    }
}

/// The state of a key that is forgotten.
fn forgotten(key: String) -> MemoState {
    let (value, tags, context, confidence) = (None, None, None, None);
    MemoState { key, value, tags, context, confidence, outcome: None, before: None }
}

/// The state of a tool that an evolution asks for.
pub(super) fn state_of(evolution: &Evolution) -> ToolState {
    let Evolution { name, description, hash, examples, output_schema, .. } = evolution;
    ToolState {
        name: name.clone(),
        hash: Some(hash.clone()),
        description: description.clone(),
        examples: examples.clone(),
        output_schema: output_schema.clone(),
        members: evolution.members.clone(),
        properties: evolution.properties.clone(),
    }
}

/// What an operation changes, seen from before and after it.
fn compare(
    before: &Workshop,
    after: &Workshop,
    operation: &Operation,
) -> Result<Vec<StagedChange>, Fault> {
    let (before, after) = (before.tools()?.registered, after.tools()?.registered);
    let mut changes = Vec::new();
    for state in &operation.tools {
        changes.push(StagedChange {
            kind: operation.kind,
            subject: state.name.clone(),
            before: before.find(&state.name).map_err(refused)?,
            after: after.find(&state.name).map_err(refused)?,
        });
    }
    changes.extend(operation.memos.iter().map(|memo| StagedChange {
        kind: operation.kind,
        subject: memo.key.clone(),
        before: None,
        after: None,
    }));
    Ok(changes)
}

/// The fault of an operation, with its index.
fn of_operation(index: usize, fault: Fault) -> Fault {
    let at = format!("/operations/{index}{}", fault.at);
    Fault { message: format!("operation {index}: {}", fault.message), at, ..fault }
}

/// The first fault of a refused change.
pub(super) fn first(refused: ChangeRefusal) -> Fault {
    let ChangeRefusal { during, faults } = refused;
    match faults.into_iter().next() {
        Some(fault) => match during {
            Some(during) => Fault { message: format!("{during}: {}", fault.message), ..fault },
            None => fault,
        },
        None => {
            fault(FaultCode::Internal, "a change was refused without a reason".to_owned(), None)
        }
    }
}
