//! Staging areas, which people call snapshots, and the operations in them.

use serde::{Deserialize, Serialize};

use crate::error::Error as StoreError;
use crate::registry::Evolution;

/// A staging area: changes of tools and of the memory that do not count yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// Its number; 0 until it is written.
    pub id: i64,
    /// Who it belongs to.
    pub owner: String,
    /// The change of the registry that it is based on.
    pub base: i64,
    /// When it was begun, in milliseconds since 1970.
    pub created: i64,
    /// When it changed last, in milliseconds since 1970.
    pub changed: i64,
    /// How often it has changed.
    pub version: i64,
    /// The last verification.
    pub verification: Option<Verification>,
    /// The operations, in order.
    pub operations: Vec<Operation>,
}

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The version of the area that was verified.
    pub version: i64,
    /// Whether everything passed.
    pub passed: bool,
    /// What was run, on which revisions, with which result: a JSON text.
    pub record: String,
}

/// The kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Makes or changes a tool.
    Evolve,
    /// Makes an earlier revision current.
    Rollback,
    /// Hides a tool.
    Retire,
    /// Gives a tool another name, and changes its callers.
    Rename,
    /// Changes the memory.
    Memory,
}

impl Kind {
    /// The name in requests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Evolve => "evolve",
            Self::Rollback => "rollback",
            Self::Retire => "retire",
            Self::Rename => "rename",
            Self::Memory => "memory",
        }
    }
}

/// An operation, as the states that it brings about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// What was asked for.
    pub kind: Kind,
    /// The request, as JSON text, to apply it again on another base.
    pub request: String,
    /// The new states of tools, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolState>,
    /// The new states of keys of the memory, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memos: Vec<MemoState>,
}

/// The state of a tool after an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolState {
    /// The tool.
    pub name: String,
    /// sha256 of its term; None: the tool is retired.
    pub hash: Option<String>,
    /// The author's description.
    pub description: String,
    /// A JSON list of examples.
    pub examples: String,
    /// A JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<String>,
    /// The functions of a native capability, as a JSON list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<String>,
    /// A JSON list of properties.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<String>,
}

/// The state of a key of the memory after an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoState {
    /// The key.
    pub key: String,
    /// The value as JSON text; None: the key is forgotten.
    pub value: Option<String>,
    /// The tags. None: the key keeps those that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The situation in which it helps. None: as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// How sure its author is. None: as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Whether the entry helped. Then it stays as it is otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<bool>,
    /// When the key changed last before, in milliseconds since 1970; None: it was not there.
    pub before: Option<i64>,
}

/// A requested change of staging areas.
#[derive(Debug, Clone)]
pub enum Change {
    /// Writes an area: a new one, or one that still has the version before this.
    Put {
        /// The area.
        area: Box<Area>,
        /// The terms of its new tools, each with the tools that it names.
        terms: Vec<Evolution>,
        /// Who has worked on it. None: it was made at once.
        holder: Option<String>,
    },
    /// Keeps the result of a verification, if the area still has its version.
    Verify {
        /// The area.
        id: i64,
        /// The result.
        verification: Verification,
        /// Who has worked on it.
        holder: Option<String>,
    },
    /// Makes the changes of an area count, and removes it.
    Commit {
        /// The area.
        id: i64,
        /// Whether it counts without a verification.
        force: bool,
    },
    /// Removes an area.
    Discard {
        /// The area.
        id: i64,
    },
}

/// What an owner may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagingCapacity {
    /// The most areas of an owner.
    pub areas: u64,
    /// The most operations of an area.
    pub operations: u64,
    /// How long an area lives since its last change, in milliseconds.
    pub life: i64,
}

impl StagingCapacity {
    /// No limit.
    pub const UNLIMITED: Self = Self { areas: u64::MAX, operations: u64::MAX, life: i64::MAX };
}

impl Area {
    /// When its time is over, in milliseconds since 1970.
    #[must_use]
    pub fn expires(&self, life: i64) -> i64 {
        self.changed.saturating_add(life)
    }

    /// The last state of each tool that it changes, in the order of the first operation on it.
    #[must_use]
    pub fn tools(&self) -> Vec<&ToolState> {
        let mut last: Vec<&ToolState> = Vec::new();
        for state in self.operations.iter().flat_map(|operation| &operation.tools) {
            match last.iter_mut().find(|it| it.name == state.name) {
                Some(it) => *it = state,
                None => last.push(state),
            }
        }
        last
    }

    /// The states of keys of the memory, in the order of the operations.
    #[must_use]
    pub fn memos(&self) -> Vec<&MemoState> {
        self.operations.iter().flat_map(|operation| &operation.memos).collect()
    }

    /// Whether it was verified since its last change, and passed.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.verification.as_ref().is_some_and(|it| it.passed && it.version == self.version)
    }
}

/// Reads the rows of staging areas, and what is needed to judge them.
pub trait Rows {
    /// An area by its number.
    fn area(&self, id: i64) -> Result<Option<Area>, StoreError>;
    /// The areas of an owner, in the order of their numbers.
    fn areas(&self, owner: &str) -> Result<Vec<Area>, StoreError>;
    /// The names that have changed after a change of the registry, in order.
    fn changed_since(&self, change: i64) -> Result<Vec<String>, StoreError>;
    /// The names of the tools that the term with this hash names.
    fn uses(&self, hash: &str) -> Result<Vec<String>, StoreError>;
    /// The stored source of the term with this hash.
    fn source(&self, hash: &str) -> Result<Option<String>, StoreError>;
}
