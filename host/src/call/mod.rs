//! `mcp-pif call`: calls a tool of a server that is reached over HTTP, for scripts.

mod client;
mod refusal;
mod show;
mod target;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use pif_domain::quantity::parse_duration;
use pif_system::variable;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject};
use tokio::runtime::Builder;
use tokio::time::timeout;

use self::target::Target;
use super::print::{MISUSE, complain, print};
use super::source::{read, read_file_within};

/// The variable that holds the token if no file is named.
const VARIABLE: &str = "MCP_PIF_TOKEN";
/// The most bytes of a file with a token.
const LONGEST_TOKEN: u64 = 16 << 10;

#[derive(Debug, Args)]
pub(super) struct CallTool {
    /// The server: `http://…`, `https://…` or `unix:PATH`; without a path it is `/mcp`
    #[arg(value_parser = Target::parse)]
    url: Target,
    /// The name of the tool
    tool: String,
    /// The arguments, a JSON object; `-` reads stdin, `@FILE` a file
    #[arg(value_name = "JSON", default_value = "{}")]
    arguments: String,
    /// Print the whole result as JSON
    #[arg(long)]
    json: bool,
    /// File that holds the token [default: the token in the variable `MCP_PIF_TOKEN`]
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// The longest time to wait for the answer
    #[arg(long, value_name = "TIME", default_value = "5min", value_parser = parse_duration)]
    timeout: Duration,
}

impl CallTool {
    pub(super) fn execute(self) -> Result<ExitCode> {
        let arguments: JsonObject = match serde_json::from_str(&read(&self.arguments)?) {
            Ok(arguments) => arguments,
            Err(error) => {
                complain(&format!("mcp-pif: the arguments are not a JSON object: {error}"));
                return Ok(ExitCode::from(MISUSE));
            }
        };
        let token = token(self.token_file.as_deref())?;
        if token.is_some() && self.url.is_readable_on_the_way() {
            complain("warning: the token can be read on its way to the server: use https");
        }
        let params = CallToolRequestParams::new(self.tool).with_arguments(arguments);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let called = runtime.block_on(async {
            timeout(self.timeout, client::call(&self.url, token, params)).await
        });
        let Ok(result) = called else {
            bail!("{} does not answer in time: --timeout TIME gives it more", self.url);
        };
        report(&result?, self.json)
    }
}

/// Prints a result. The exit code says whether it is one of success.
fn report(result: &CallToolResult, json: bool) -> Result<ExitCode> {
    let is_error = result.is_error == Some(true);
    let printed = if json {
        print(&serde_json::to_string(result)?)
    } else if is_error {
        complain(&show::text(result));
        ExitCode::FAILURE
    } else {
        print(&show::text(result))
    };
    Ok(if is_error { ExitCode::FAILURE } else { printed })
}

/// The token in the file, or in the environment.
fn token(file: Option<&str>) -> Result<Option<String>> {
    let text = match file {
        Some(file) => Some(read_file_within(file, LONGEST_TOKEN)?),
        None => variable(VARIABLE),
    };
    let Some(text) = text else { return Ok(None) };
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        let place = file.unwrap_or(VARIABLE);
        bail!("{place} holds no token: write one line without blanks");
    }
    Ok(Some(token.to_owned()))
}
