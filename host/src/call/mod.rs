//! `mcp-pif call`: calls a tool of a server that is reached over HTTP, for scripts.

mod connection;
mod events;
mod refusal;
mod reply;
mod show;
mod speech;
mod target;
mod wire;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use pif_domain::json::Members;
use pif_domain::quantity::parse_duration;
use pif_system::variable;
use tokio::runtime::Builder;

use self::speech::Request;
use self::target::Target;
use self::wire::Wire;
use super::print::{MISUSE, complain, print, print_bytes};
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
    /// Print the whole result as JSON, as the server wrote it
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
        let arguments = read(&self.arguments)?;
        if let Err(error) = Members::parse(&arguments) {
            complain(&format!("mcp-pif: the arguments are not a JSON object: {error}"));
            return Ok(ExitCode::from(MISUSE));
        }
        let token = token(self.token_file.as_deref())?;
        if token.is_some() && self.url.is_readable_on_the_way() {
            complain("warning: the token can be read on its way to the server: use https");
        }
        let wire = Wire::new(self.url, token, self.timeout)?;
        let request = Request { tool: &self.tool, arguments: &arguments };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let result = runtime.block_on(request.send(&wire))?;
        report(&result, self.json)
    }
}

/// Prints a result. The exit code says whether it is one of success.
fn report(result: &str, json: bool) -> Result<ExitCode> {
    let is_error = show::is_error(result)?;
    let printed = if json {
        print_bytes(&[result.as_bytes(), b"\n"].concat())
    } else if is_error {
        complain(&show::text(result)?);
        ExitCode::FAILURE
    } else {
        print(&show::text(result)?)
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
