//! `mcp-pif export` and `mcp-pif import`: tools from one store to another.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::Directory;
use super::print::{MOST_LINE, Output, complain, fail, print, read_file, warn};
use crate::config::Config;
use crate::registry::{Status, short};
use crate::sandbox::Watch;
use crate::text;
use crate::workshop::{Imported, Refused, Workshop};

#[derive(Debug, Args)]
pub(super) struct Export {
    /// A tool, or a revision of it as `NAME@HASH`
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    pub(super) place: Directory,
}

#[derive(Debug, Args)]
pub(super) struct Import {
    /// What `mcp-pif export` has written; `-` reads stdin
    file: String,
    /// Change tools that are here with other content
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    pub(super) place: Directory,
}

impl Export {
    pub(super) fn execute(&self, config: &Config, workshop: &Workshop) -> ExitCode {
        match workshop.export(&self.names, &Watch::new(config.wall_clock)) {
            Ok(exported) => {
                warn(&exported.notes);
                print(&exported.text)
            }
            Err(fault) => fail(&[fault]),
        }
    }
}

impl Import {
    pub(super) fn execute(&self, config: &Config, workshop: &Workshop) -> Result<ExitCode> {
        let text = read_file(&self.file)?;
        match workshop.import(&text, self.replace, &Watch::new(config.wall_clock)) {
            Ok((imported, notes)) => {
                for note in &notes {
                    complain(&text::line(note, MOST_LINE));
                }
                let mut output = Output::open();
                for tool in &imported {
                    output.line(&tell(tool));
                }
                Ok(output.close())
            }
            Err(Refused { during, faults }) => {
                if let Some(during) = during {
                    complain(&format!("{}:", text::line(&during, MOST_LINE)));
                }
                let code = fail(&faults);
                complain("nothing was imported");
                Ok(code)
            }
        }
    }
}

fn tell(Imported { name, hash, status, is_pinned }: &Imported) -> String {
    let revision = short(hash);
    match status {
        Status::Unchanged if *is_pinned => format!("{name}@{revision}: is in its history already"),
        Status::Unchanged => format!("{name}: unchanged (revision {revision})"),
        Status::Described => format!("{name}: described anew (revision {revision} as before)"),
        Status::Changed(previous) => {
            format!("{name}: changed (revision {revision}, from {})", short(previous))
        }
        Status::New if *is_pinned => format!("{name}@{revision}: added as a revision"),
        Status::New => format!("{name}: new (revision {revision})"),
    }
}
