//! `mcp-pif export` and `mcp-pif import`: tools, and what is remembered, from one store to another.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::Directory;
use super::print::{MOST_LINE, Output, complain, fail, print, warn};
use super::source::read_file;
use crate::config::Config;
use crate::quantity::parse_size;
use crate::registry::{Status, short};
use crate::sandbox::Watch;
use crate::text;
use crate::workshop::{Imported, Refused, Wanted, Workshop};

#[derive(Debug, Args)]
pub(super) struct Export {
    /// A tool, or a revision of it as `NAME@HASH`
    #[arg(required_unless_present = "memory", value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    memory: Along,
    #[command(flatten)]
    pub(super) place: Directory,
}

#[derive(Debug, Args)]
pub(super) struct Import {
    /// What `mcp-pif export` has written; `-` reads stdin
    file: String,
    /// Change tools that are here with other content, and with --memory keys
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    memory: Along,
    #[command(flatten)]
    pub(super) place: Directory,
}

/// Whether the memory comes along. Elsewhere `--memory SIZE` is the limit of a run; so it is here
/// where a size is given, before the command or as `--memory=SIZE`.
#[derive(Debug)]
struct Along(bool);

/// The name of the flag, and of the limit that it hides.
const MEMORY: &str = "memory";

/// What stands for a flag without a size: the default of the limit as nobody else writes it.
const NO_SIZE: &str = "65536KiB";

impl Args for Along {
    fn augment_args(command: Command) -> Command {
        let flag = Arg::new(MEMORY).long(MEMORY).value_name("SIZE").value_parser(parse_size);
        let flag = flag.num_args(0..=1).require_equals(true).default_missing_value(NO_SIZE);
        command.arg(flag.help("The memory as well; with a size the limit of a run, as elsewhere"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Along {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.get_raw(MEMORY);
        Ok(Self(given.is_some_and(|mut given| given.any(|it| it == NO_SIZE))))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Export {
    pub(super) fn execute(&self, config: &Config, workshop: &Workshop) -> ExitCode {
        match workshop.export(&self.names, self.memory.0, &Watch::new(config.wall_clock)) {
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
        let wanted = Wanted { replace: self.replace, memory: self.memory.0 };
        match workshop.import(&text, wanted, &Watch::new(config.wall_clock)) {
            Ok(taken) => {
                for note in &taken.notes {
                    complain(&text::line(note, MOST_LINE));
                }
                let mut output = Output::open();
                for tool in &taken.tools {
                    output.line(&tell(tool));
                }
                for (key, status) in &taken.memory {
                    output.line(&format!("memory {}: {status}", text::line(key, MOST_LINE)));
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
