//! Settings of the traces.

use std::path::PathBuf;

use clap::Args;
use pif_domain::Limit;
use pif_store::journal::Policy;

use super::limits::Values;
use super::value::directory_parser;

/// Where traces go, and what they hold.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is measured")]
pub(super) struct TraceSettings {
    /// Existing directory for traces of calls: a file a day, each line OTLP in JSON
    #[arg(long, env = "MCP_PIF_TRACE_DIR", value_name = "DIR", value_parser = directory_parser(), global = true)]
    trace_dir: Option<PathBuf>,
    /// What traces hold of arguments and results: `none`, `summary` (sizes and sha256) or `full`
    #[arg(
        long,
        env = "MCP_PIF_TRACE_PAYLOADS",
        value_enum,
        hide_possible_values = true,
        default_value = "summary",
        global = true
    )]
    pub(super) trace_payloads: Policy,
}

/// The settings of the files of traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traces {
    /// The directory of the files.
    pub directory: PathBuf,
    /// The most bytes of all files together.
    pub most: u64,
}

impl TraceSettings {
    /// The settings, if traces are written to files.
    pub(super) fn traces(&self, values: &Values) -> Option<Traces> {
        let directory = self.trace_dir.clone()?;
        let most = values.get(Limit::TraceSize);
        Some(Traces { directory, most })
    }
}
