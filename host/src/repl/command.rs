//! The table of commands.

use super::next::Next;
use super::room::ReplSession;

/// A command.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Its argument, for people.
    takes: &'static str,
    /// What it does, for people.
    says: &'static str,
    pub(super) act: fn(&ReplSession, &str) -> Next,
}

impl Row {
    /// Whether its argument is a program.
    pub(super) fn takes_code(&self) -> bool {
        self.takes.starts_with("CODE")
    }
}

const fn row(
    name: &'static str,
    takes: &'static str,
    says: &'static str,
    act: fn(&ReplSession, &str) -> Next,
) -> Row {
    Row { name, takes, says, act }
}

/// All commands.
pub(super) const COMMANDS: [Row; 18] = [
    row("help", "", "shows this list", |room, _| room.say(&help())),
    row("bindings", "", "names, kinds and sizes of the bindings", |room, _| room.bindings()),
    row("source", "NAME", "the source of a binding or a tool", ReplSession::source),
    row("type", "CODE", "kind and shape of a value; a turn", ReplSession::shape),
    row(
        "fuel",
        "CODE | N",
        "what a program costs, a turn; with a number as 10M the fuel of runs",
        ReplSession::fuel,
    ),
    row("memory", "SIZE", "the memory of runs from now on, such as 128MiB", ReplSession::memory),
    row("depth", "N", "the depth of runs from now on", ReplSession::depth),
    row("more", "[all]", "goes on with a value that was cut", ReplSession::more),
    row("trace", "CODE", "the steps of an evaluation; a turn", ReplSession::trace),
    row("check", "CODE", "checks a program without running it", ReplSession::check),
    row("fix", "", "runs the last program with its repair", ReplSession::fix),
    row("doc", "NAME", "what a form does", ReplSession::doc),
    row("limits", "", "what the session may hold, and a run may use", |room, _| room.limits()),
    row("save", "NAME", "saves the bindings under a name", ReplSession::save),
    row("load", "NAME", "takes saved bindings in place of these", ReplSession::load),
    row("forget", "[NAME…]", "removes bindings; all without a name", ReplSession::forget),
    row("history", "", "the turns of the session", |room, _| room.history()),
    row("quit", "", "leaves; the session stays", |_, _| Next::Leave),
];

fn help() -> String {
    let width = |row: &Row| row.name.len() + row.takes.chars().count() + 2;
    let widest = COMMANDS.iter().map(width).max().unwrap_or_default();
    let lines = COMMANDS.iter().map(|row| {
        let head = format!(":{} {}", row.name, row.takes);
        let gap = " ".repeat((widest + 2).saturating_sub(head.chars().count()));
        format!("{head}{gap}{}", row.says)
    });
    let programs = "\
A line is a program in the notation or as JSON: [1, 2].map(x => x * 2)
NAME = PROGRAM binds its value; _1, _2 and _3 are the last values.
An open bracket goes on in the next line, until an empty one. Lines that are pasted are turns.
Ctrl-C stops a run, Ctrl-D leaves.";
    std::iter::once(programs.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}
