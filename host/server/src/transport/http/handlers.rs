//! The handlers behind the gate.

use pif_domain::Scope;
use pif_domain::json::Object;
use rmcp::ServerHandler;

/// The way by which a request came, in the words of the conventions of tracing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way(pub(crate) &'static str);

/// What serves the requests that pass the gate.
pub(crate) trait Handlers: Send + Sync + 'static {
    /// The handler of a session, or of a request without one.
    type Handler: ServerHandler + Send + 'static;

    /// Makes a handler.
    fn handler(&self) -> Self::Handler;

    /// The scope that a call of a tool needs. The name may be an older one.
    fn needed(&self, tool: &str, arguments: &Object) -> Scope;

    /// Whether requests can be served now, or why not. It may block.
    fn ready(&self) -> Result<(), String>;

    /// The type and the text of what is measured.
    fn metrics(&self) -> (&'static str, String);

    /// Counts a request by its method, one of those that the protocol has.
    fn asked(&self, method: &str);

    /// Counts a reply by its status.
    fn answered(&self, status: u16);
}
