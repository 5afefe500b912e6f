//! `mcp-pif repair`: repairs a program, a tool or a failed run, and tells what is least around its fault.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::{Argument, Watch};
use pif_server::config::Options;
use pif_server::render;
use pif_server::workshop::{Broken, Example, Wrong};

use super::open::open_if_any;
use super::print::{fail, print};
use super::settings::start;
use super::source::{hyphened, read, read_code};

#[derive(Debug, Args)]
pub(super) struct Repair {
    /// A program in the notation or as JSON; `-` reads stdin, `@FILE` a file
    #[arg(
        allow_hyphen_values = true,
        value_parser = hyphened,
        required_unless_present_any = ["tool", "run"]
    )]
    code: Option<String>,
    /// A tool in place of a program
    #[arg(long, value_name = "NAME", conflicts_with_all = ["code", "run"])]
    tool: Option<String>,
    /// A run that failed, by the number of its entry in the journal
    #[arg(long, value_name = "ENTRY", conflicts_with = "code")]
    run: Option<i64>,
    /// The argument as plain JSON; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON", conflicts_with = "run", allow_negative_numbers = true)]
    data: Option<String>,
    /// A JSON object whose members are variables of the program; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON", conflicts_with_all = ["run", "tool"])]
    context: Option<String>,
    /// Examples that the repair has to pass, a JSON list; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    examples: Option<String>,
    /// A property that has to hold of the repair, as `xs => @self(xs).length == xs.length`; may be given
    /// again
    #[arg(long = "property", value_name = "CODE")]
    properties: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Repair {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, None)?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let workshop = open_if_any(config)?;
        let broken = match (self.code, self.tool, self.run) {
            (Some(code), ..) => Broken::Code(read_code(&code)?),
            (_, Some(tool), _) => Broken::Tool(tool),
            (.., run) => Broken::Run(run.unwrap_or_default()),
        };
        let data = self.data.as_deref().map(read).transpose()?;
        let examples = self.examples.as_deref().map(read).transpose()?;
        let examples: Vec<Example> = match &examples {
            Some(text) => serde_json::from_str(text).context("the examples")?,
            None => Vec::new(),
        };
        let wrong = Wrong {
            broken,
            argument: data.map_or(Argument::None, Argument::Data),
            context: self.context.as_deref().map(read).transpose()?,
            error: None,
            examples,
            properties: self.properties,
        };
        Ok(match workshop.repair(&wrong, "{}", &watch) {
            Ok(done) => {
                let reply = render::mended(&done);
                let printed =
                    print(&if self.json { reply.record() } else { reply.text().to_owned() });
                let is_well = done.fault.is_none() || !done.repaired.is_empty();
                if is_well { printed } else { ExitCode::FAILURE }
            }
            Err(fault) => fail(&[fault]),
        })
    }
}
