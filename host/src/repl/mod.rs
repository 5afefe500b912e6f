//! `mcp-pif repl`: a session for people, line by line.
//!
//! | module | task |
//! |---|---|
//! | `input` | a line, or several, as a command or a turn |
//! | `command` | the table of commands |
//! | `room` | the session: makes turns and prints what comes of them |
//! | `pages` | long values in pages |
//! | `hint` | hints of faults, as they hold here |
//! | `table` | lists of records as tables; shapes of values |
//! | `editor` | the line editor: completion, history, whether a text goes on |
//! | `interrupt` | Ctrl-C stops the run |
//! | `paint` | colors |

mod command;
mod editor;
mod hint;
mod input;
mod interrupt;
mod next;
mod pages;
mod paint;
mod room;
mod table;

use std::io::{self, BufRead, IsTerminal, Read};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use pif_domain::Limit;
use pif_domain::text::{self, similar::similar};
use pif_server::config::Options;
use pif_server::workshop::Declaration;
use pif_store::session::DEFAULT;
use pif_system::stdio;
use rustyline::error::ReadlineError;

use self::command::COMMANDS;
use self::editor::Prompt;
use self::input::{Input, MOST_LINES, is_command, parts, program};
use self::next::Next;
use self::paint::Paint;
use self::room::ReplSession;
use super::open::open;
use super::print::{complain, fail, is_terminal};
use super::run::link;
use super::settings::{Directory, start};

/// How long lines of stderr are waited for.
const PARTING: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(super) struct Repl {
    /// The session, as `mcp-pif session list` shows it
    #[arg(long, value_name = "NAME", default_value = DEFAULT)]
    session: String,
    #[command(flatten)]
    place: Directory,
}

impl Repl {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let mut config = start(options, Some(&self.place))?;
        let (broker, _runtime) = link(&mut config)?.unzip();
        let workshop = open(&config)?.calling(broker);
        let is_terminal = io::stdin().is_terminal() && is_terminal();
        let paint = Paint(is_terminal && !config.no_color);
        let most = config.values.size(Limit::Code);
        let room =
            Rc::new(ReplSession::new(workshop, &config, self.session, (is_terminal, paint))?);
        if let Err(fault) = room.open() {
            fail(&[fault]);
            return Ok(ExitCode::FAILURE);
        }
        if is_terminal { converse(&room) } else { Ok(read_all(&room, most)) }
    }
}

/// Talks with whoever sits at the terminal.
fn converse(room: &Rc<ReplSession>) -> Result<ExitCode> {
    let mut prompt = Prompt::open(Rc::clone(room)).context("the terminal cannot be used")?;
    room.greet();
    loop {
        room.set_width(prompt.width());
        room.await_input();
        match prompt.read() {
            Ok(text) => {
                if obey_all(room, &text) == Next::Leave {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(error).context("the terminal cannot be read"),
        }
    }
}

/// Obeys all that was typed or pasted at once, up to an interrupt.
fn obey_all(room: &ReplSession, text: &str) -> Next {
    let mut next = Next::Nothing;
    for part in parts(text, |text| goes_on(room, text)) {
        next = obey(room, part);
        // What went to stderr stands above what follows.
        stdio::settle(PARTING);
        if next == Next::Leave || room.is_interrupted() {
            break;
        }
    }
    next
}

/// Takes all that comes through a pipe. The last turn decides about the exit code.
fn read_all(room: &ReplSession, most: usize) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    let mut text = String::new();
    let mut lines = 0;
    let mut input = io::BufReader::new(stdio::stdin());
    loop {
        let line = match read_line(&mut input, most) {
            Ok(line) => line,
            Err(error) => {
                complain(&format!("mcp-pif: stdin cannot be read: {error}"));
                return ExitCode::FAILURE;
            }
        };
        let is_end = line.is_empty();
        if is_command(&line) && !text.trim().is_empty() {
            // What stands before a command has its end there.
            obey(room, &text);
            text.clear();
        }
        text.push_str(&line);
        lines += 1;
        if !is_end && lines < MOST_LINES && text.len() <= most && goes_on(room, &text) {
            continue;
        }
        match obey(room, &text) {
            Next::Done => code = ExitCode::SUCCESS,
            Next::Failed => code = ExitCode::FAILURE,
            Next::Nothing => {}
            Next::Leave => return code,
        }
        if is_end || !room.is_heard() {
            return code;
        }
        text.clear();
        lines = 0;
    }
}

/// The next line with its end, empty behind the last. Of a line that is longer than a program may be
/// the rest is dropped: what is left is refused for its length.
fn read_line(input: &mut impl BufRead, most: usize) -> io::Result<String> {
    let longest = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(2);
    let mut line = Vec::new();
    input.by_ref().take(longest).read_until(b'\n', &mut line)?;
    if line.len() > most && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    String::from_utf8(line).map_err(|_| io::Error::other("a line is not UTF-8"))
}

fn obey(room: &ReplSession, text: &str) -> Next {
    match input::read(text) {
        Input::Nothing => Next::Nothing,
        Input::Command(row, argument) => (row.act)(room, argument),
        Input::Unknown(name) => unknown(room, name),
        Input::Turn { name: None, code } => match room.declaration(code) {
            Some(Declaration { name, value }) => room.turn(Some(name), value),
            None => room.turn(None, code),
        },
        Input::Turn { name, code } => room.turn(name, code),
    }
}

fn unknown(room: &ReplSession, name: &str) -> Next {
    let hint = similar(name, COMMANDS.iter().map(|row| row.name));
    let hint = hint.map_or(":help shows them".to_owned(), |name| format!("did you mean :{name}?"));
    room.wrong(&format!("there is no command :{}; {hint}", text::line(name, 40)))
}

/// Whether a text is only the beginning of a program.
fn goes_on(room: &ReplSession, text: &str) -> bool {
    program(text).is_some_and(|code| room.goes_on(code))
}
