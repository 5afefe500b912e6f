//! `mcp-pif analyze`: answers what is asked about a program before it runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::render;
use pif_server::workshop::{Equality, Question, Questions, Subject};

use super::open::open_if_any;
use super::print::{fail, print};
use super::settings::{Directory, start};
use super::source::{hyphened, read_code};

#[derive(Debug, Args)]
pub(super) struct Analyze {
    /// A program in the notation or as JSON; `-` reads stdin, `@FILE` a file
    #[arg(allow_hyphen_values = true, value_parser = hyphened, required_unless_present = "tool")]
    code: Option<String>,
    /// A tool in place of a program
    #[arg(long, value_name = "NAME", conflicts_with = "code")]
    tool: Option<String>,
    /// What to tell; may be given again [default: all but laws, if nothing is asked]
    #[arg(long, value_name = "QUESTION")]
    ask: Vec<Question>,
    /// Compare it with another program, or with a tool as `@NAME`
    #[arg(long, value_name = "CODE", allow_hyphen_values = true, value_parser = hyphened)]
    against: Option<String>,
    /// Write the proof that both are equal to a file, for `mcp-pif proof check`
    #[arg(long, value_name = "FILE", requires = "against")]
    proof: Option<PathBuf>,
    /// Try a property: a function that gives true for every input, in which `@self` is the program; may
    /// be given again
    #[arg(long, value_name = "CODE", value_parser = hyphened)]
    property: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Directory,
}

impl Analyze {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let workshop = open_if_any(config)?;
        let about = match (self.code, self.tool) {
            (Some(code), _) => Subject::Code(read_code(&code)?),
            (None, tool) => Subject::Tool(tool.unwrap_or_default()),
        };
        let against = self.against.as_deref().map(read_against).transpose()?;
        let questions = Questions { ask: self.ask, against, properties: self.property };
        Ok(match workshop.analyze(&about, &questions, &watch) {
            Ok(told) => {
                if let (Some(file), Some(Equality::Equal(proof))) = (&self.proof, &told.equality) {
                    let written = fs::write(file, format!("{proof}\n"));
                    written.with_context(|| format!("{} cannot be written", file.display()))?;
                }
                let reply = render::analyzed(&told);
                let record = reply.record();
                print(&if self.json { record } else { reply.text().to_owned() })
            }
            Err(faults) => fail(&faults),
        })
    }
}

/// Another program: one in the notation may begin with the name of a tool, `@NAME`, which is no file.
fn read_against(text: &str) -> Result<String> {
    match text.strip_prefix('@') {
        Some(file) if !Path::new(file).exists() => Ok(text.to_owned()),
        _ => read_code(text),
    }
}
