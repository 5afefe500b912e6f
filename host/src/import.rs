//! `mcp-pif import`: imports tools, and optionally the memory, from a file.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::Limit;
use pif_domain::text;
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::workshop::{ChangeRefusal, ImportOptions, ImportResult, ImportedTool};
use pif_store::registry::{Status, short};

use super::open::open;
use super::print::{MOST_LINE, Output, complain, fail};
use super::receipt::trust;
use super::settings::{Directory, start};
use super::source::read_file_within;

#[derive(Debug, Args)]
pub(super) struct Import {
    /// A file that `mcp-pif export` has written; `-` reads stdin
    file: String,
    /// Overwrite tools that exist with other content, and with --with-memory also keys
    #[arg(long)]
    replace: bool,
    /// Include the memory
    #[arg(long)]
    with_memory: bool,
    /// A file with public keys in PEM: each tool needs a certificate signed by one of them, and all that
    /// certificates say is checked again; may be given again
    #[arg(long, value_name = "FILE")]
    trust: Vec<String>,
    /// A file with the ids of keys, each with the moment from which its signatures do not count
    #[arg(long, value_name = "FILE", requires = "trust")]
    revoked: Option<String>,
    #[command(flatten)]
    place: Directory,
}

impl Import {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let workshop = open(&config)?;
        let text = read_file_within(&self.file, Limit::ExportFile.fixed())?;
        let Self { replace, with_memory: memory, .. } = self;
        let trust = match self.trust.as_slice() {
            [] => None,
            files => Some(trust(files, self.revoked.as_deref())?),
        };
        let wanted = ImportOptions { tools: true, replace, memory, session: None, trust };
        match workshop.import(&text, wanted, &Watch::new(config.values.time(Limit::WallClock))) {
            Ok(taken) => Ok(print(&taken)),
            Err(refusal) => Ok(refused(&refusal)),
        }
    }
}

/// Prints what an import has taken.
pub(super) fn print(ImportResult { tools, memory, session, notes }: &ImportResult) -> ExitCode {
    for note in notes {
        complain(&text::line(note, MOST_LINE));
    }
    let mut output = Output::open();
    for tool in tools {
        output.line(&render(tool));
    }
    for (key, status) in memory {
        output.line(&format!("memory {}: {status}", text::line(key, MOST_LINE)));
    }
    if let Some((session, bound)) = session {
        for (name, kind) in bound {
            output.line(&format!("{name}: {kind}"));
        }
        output.line(&format!("imported into {}", session.name()));
    }
    output.close()
}

/// Prints why nothing was imported.
pub(super) fn refused(ChangeRefusal { during, faults }: &ChangeRefusal) -> ExitCode {
    if let Some(during) = during {
        complain(&format!("{}:", text::line(during, MOST_LINE)));
    }
    let code = fail(faults);
    complain("nothing was imported");
    code
}

/// A line about an imported tool.
fn render(ImportedTool { name, hash, status, is_pinned }: &ImportedTool) -> String {
    let revision = short(hash);
    match status {
        Status::Unchanged if *is_pinned => format!("{name}@{revision}: is in its history already"),
        Status::Unchanged => format!("{name}: unchanged (revision {revision})"),
        Status::Described => format!("{name}: description changed (still revision {revision})"),
        Status::Changed(previous) => {
            format!("{name}: changed (revision {revision}, from {})", short(previous))
        }
        Status::New if *is_pinned => format!("{name}@{revision}: added as a revision"),
        Status::New => format!("{name}: new (revision {revision})"),
    }
}
