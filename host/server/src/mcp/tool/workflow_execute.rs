//! `workflow_execute`: a durable run of a tool with a record of variables.

use std::sync::Arc;

use pif_domain::Fault;
use pif_sandbox::{Argument, Code, Request};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::arguments::{any, record, text_of};
use super::super::backend::Backend;
use super::super::present::render;
use super::run::ensure_data;
use super::{Call, Tool, ToolResult};
use crate::workshop::Tools;

const TEXT: &str = "\
Run a tool as a durable run, with the record of variables as its argument: its answers are on the disk as \
they come, and it goes on after a crash by run {\"resume\": RUN}.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    workflow_name: String,
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "record")]
    variables: Option<Box<RawValue>>,
    /// answer at once with the number of the run
    #[serde(default)]
    background: bool,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let background = self.background;
        let (request, tools) = match self.request(backend) {
            Ok(asked) => asked,
            Err(fault) => return Err(backend.refuse("workflow_execute", &call, fault).await),
        };
        let foreseen = backend.forewarn(&request, Vec::new(), &tools, &call.caller).await?;
        if !foreseen.is_empty() {
            return Err(backend.refuse_all("workflow_execute", &call, foreseen).await);
        }
        match backend.begin_durable(request, tools, background, &call.caller).await {
            Ok(done) => render(done, &backend.config),
            Err(begun) => Ok(begun?),
        }
    }
}

impl Arguments {
    fn request(self, backend: &Backend) -> Result<(Request, Tools), Fault> {
        let tools = backend.workshop.tools()?;
        if tools.find(&self.workflow_name)?.is_none() {
            return Err(super::run::unknown(&self.workflow_name, &tools, None));
        }
        let variables = self.variables.map_or_else(|| "{}".to_owned(), text_of);
        let request = Request {
            code: Code::Tool(self.workflow_name),
            argument: Argument::Data(variables),
            context: None,
            bindings: Vec::new(),
            keep: false,
            limits: backend.config.limits,
            step: 0,
            max_steps: 0,
            output_schema: None,
            debug: false,
            steps: 0,
        };
        ensure_data(backend, &request)?;
        Ok((request, tools))
    }
}
