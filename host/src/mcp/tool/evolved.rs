//! Evolved tools under their own names. What a model wrote about them is shown as description
//! and nowhere else; everything a client may rely on is derived here.

use std::sync::Arc;

use rmcp::model::Tool;

use super::super::arguments::Arguments;
use super::super::host::{Host, Tools};
use super::super::reply::tell;
use super::run::{ensure_data, output_schema, read_settings, settings_schema};
use super::{Call, Description, ToolResult, arguments};
use crate::config::Profile;
use crate::registry::Revision;
use crate::sandbox::Code;
use crate::text;

const KNOWN: [&str; 8] = ["input", "data", "fuel", "memory", "depth", "max_steps", "step", "trace"];

/// What the protocol lists of an evolved tool.
pub(in super::super) fn describe(name: &str, revision: &Revision, profile: Profile) -> Tool {
    let description = Description {
        title: name.to_owned(),
        text: format!(
            "{}\n(evolved tool, revision {})",
            text::visible(&revision.description),
            revision.short(),
        ),
        input: arguments(&settings_schema(), &[]),
        output: output_schema(profile),
        read_only: true,
    };
    description.into_listed(name.to_owned(), profile)
}

/// Calls an evolved tool, which exists.
pub(in super::super) async fn call(host: &Arc<Host>, name: &str, call: Call) -> ToolResult {
    let arguments = Arguments::parse(&call.arguments, name, &KNOWN)?;
    let request = read_settings(&arguments, host, Code::Tool(name.to_owned()))?;
    ensure_data(host, &request)?;
    let report = host.evaluate(request, Tools::of(host), &call.caller).await;
    tell(report, host)
}
