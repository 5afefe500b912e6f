//! What is measured: the calls of tools, by tool, with the parts that they take time for. It keeps
//! the last calls, counts for `/metrics`, writes traces, and publishes a snapshot for
//! `mcp-pif top`. It knows neither the protocol nor what programs compute.

mod files;
mod ids;
mod measures;
mod metrics;
mod names;
mod notes;
mod otlp;
mod parent;
mod private;
mod process;
mod publish;
mod recent_calls;
mod record;
mod rollup;
mod snapshot;
mod traced;
mod traces;

pub use self::files::{Error, TraceFiles, day_of, file_of};
pub use self::ids::Ids;
pub use self::measures::Measures;
pub use self::metrics::CONTENT_TYPE;
pub use self::notes::{CallNotes, Notes, Span, UpstreamCall};
pub use self::parent::Parent;
pub use self::publish::{Publisher, published};
pub use self::record::{CallEnd, CallStart, Record};
pub use self::rollup::{OfTool, OfUpstream, Rollup, Times};
pub use self::snapshot::{LastFault, Slots, Snapshot, WorkSnapshot};
pub use self::traced::CallTrace;
pub use self::traces::Traces;
