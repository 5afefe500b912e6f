//! `mcp-pif person`: shows and erases what belongs to one person of a team.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use pif_domain::Fault;
use pif_domain::text;
use pif_server::config::Options;
use pif_server::workshop::{Belongings, Workshop};
use pif_store::session::Session;
use serde_json::json;

use super::open::open;
use super::print::{Output, fail};
use super::settings::{Directory, existing};

#[derive(Debug, Args)]
pub(super) struct Person {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List all who have sessions, memory or runs that wait
    List(OutputFormat),
    /// Show what belongs to one: sessions, saved states, keys of the memory, runs that wait
    Show(One),
    /// Erase all of that. Tools stay, and so do entries of the journal
    Erase(Name),
}

#[derive(Debug, Args)]
struct OutputFormat {
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct One {
    #[command(flatten)]
    name: Name,
    #[command(flatten)]
    shown: OutputFormat,
}

#[derive(Debug, Args)]
struct Name {
    /// The name in the file of tokens, or `oauth:SUB`
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
}

/// The user of this machine has no name, and erases by other commands.
fn name(text: &str) -> Result<String, String> {
    match text {
        "" => Err("name a person, as `mcp-pif person list` shows them".to_owned()),
        name => Ok(name.to_owned()),
    }
}

impl Person {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let workshop = open(&existing(options, &self.place)?)?;
        let done = match self.command {
            Command::List(shown) => list(&workshop, &shown),
            Command::Show(one) => show(&workshop, &one),
            Command::Erase(person) => erase(&workshop, &person.name),
        };
        Ok(done.unwrap_or_else(|fault| fail(&[fault])))
    }
}

fn list(workshop: &Workshop, shown: &OutputFormat) -> Result<ExitCode, Fault> {
    let mut output = Output::open();
    for name in workshop.people()? {
        let Belongings { sessions, saved, keys, waiting, .. } = workshop.belongings(&name)?;
        let counts = [sessions.len(), saved.len(), keys.len(), waiting.len()];
        let [sessions, saved, keys, waiting] = counts;
        output.line(&if shown.json {
            let counts = json!({
                "principal": name, "sessions": sessions, "saved": saved, "keys": keys,
                "waiting": waiting,
            });
            counts.to_string()
        } else {
            format!(
                "{}: {sessions} sessions, {saved} saved states, {keys} keys, {waiting} runs that wait",
                message(&name)
            )
        });
    }
    Ok(output.close())
}

fn show(workshop: &Workshop, One { name, shown }: &One) -> Result<ExitCode, Fault> {
    let Belongings { sessions, saved, keys, waiting, .. } = workshop.belongings(&name.name)?;
    let names =
        |all: &[Session]| all.iter().map(|it| it.name().to_owned()).collect::<Vec<String>>();
    let sessions = names(&sessions);
    let saved = names(&saved);
    let mut output = Output::open();
    if shown.json {
        let all = json!({
            "principal": name.name, "sessions": sessions, "saved": saved, "keys": keys,
            "waiting": waiting,
        });
        output.line(&all.to_string());
        return Ok(output.close());
    }
    let waiting: Vec<String> = waiting.iter().map(ToString::to_string).collect();
    for (what, all) in
        [("session", &sessions), ("saved", &saved), ("key", &keys), ("waiting run", &waiting)]
    {
        for one in all {
            output.line(&format!("{what} {}", text::visible(one)));
        }
    }
    Ok(output.close())
}

fn erase(workshop: &Workshop, name: &str) -> Result<ExitCode, Fault> {
    let erased = workshop.erase(name)?;
    let mut output = Output::open();
    output.line(&format!(
        "erased of {}: {} sessions and saved states, {} keys, {} runs that waited",
        message(name),
        erased.sessions,
        erased.keys,
        erased.runs
    ));
    output.line("the journal keeps what was done: entries go when it is full [--journal-size]");
    Ok(output.close())
}

/// A name as it is shown.
fn message(name: &str) -> String {
    if name.is_empty() { "the user of this machine".to_owned() } else { text::visible(name).into() }
}
