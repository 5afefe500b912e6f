//! Attributes of a trace that the record of a call does not have.

use std::sync::Arc;

use super::ids::Ids;
use super::parent::Parent;

/// What a trace tells of a call beside its record.
#[derive(Debug)]
pub struct CallTrace {
    /// The names of its spans.
    pub ids: Ids,
    /// The caller's place in a trace.
    pub parent: Option<Parent>,
    /// The id of the request, as JSON.
    pub request: String,
    /// The version of the protocol.
    pub protocol: String,
    /// `pipe`, `tcp` or `unix`.
    pub transport: &'static str,
    /// The arguments as JSON, unless the policy keeps nothing of them.
    pub arguments: Option<Arc<str>>,
    /// The result as JSON, unless the policy keeps nothing of it.
    pub result: Option<String>,
}

impl CallTrace {
    /// Bytes of its payloads.
    pub(super) fn size(&self) -> usize {
        let arguments = self.arguments.as_ref().map_or(0, |it| it.len());
        arguments + self.result.as_ref().map_or(0, String::len)
    }
}
