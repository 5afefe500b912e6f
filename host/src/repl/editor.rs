//! The line editor: completion, history, and texts of several lines.

use std::borrow::Cow;
use std::path::PathBuf;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::command::COMMANDS;
use super::input::{MOST_LINES, parts, program};
use super::room::ReplSession;

/// Lines that the history keeps.
const MOST_HISTORY: usize = 1_000;

/// Completions that are shown at once.
const MOST_COMPLETIONS: usize = 100;

const PROMPT: &str = "pif> ";

/// The prompt of a line that goes on with a program.
const FURTHER: &str = "  …> ";

/// The editor.
pub(super) struct Prompt {
    editor: Editor<Help, FileHistory>,
    room: Rc<ReplSession>,
    history: Option<PathBuf>,
}

impl Prompt {
    pub(super) fn open(room: Rc<ReplSession>) -> Result<Self, ReadlineError> {
        let config = Config::builder().completion_type(CompletionType::List).build();
        let mut editor = Editor::with_config(config)?;
        editor.set_max_history_size(MOST_HISTORY)?;
        let history = room.history_file();
        if let Some(file) = &history {
            // There is none before the first line.
            let _ = editor.load_history(file);
        }
        editor.set_helper(Some(Help { room: Rc::clone(&room) }));
        Ok(Self { editor, room, history })
    }

    /// The width of the terminal.
    pub(super) fn width(&mut self) -> usize {
        self.editor.dimensions().map_or(80, |(columns, _)| usize::from(columns))
    }

    /// The next text. A program without its end goes on in the next line, until an empty one.
    pub(super) fn read(&mut self) -> Result<String, ReadlineError> {
        let mut text = self.editor.readline(PROMPT)?;
        while is_unfinished(&self.room, &text) {
            let line = match self.editor.readline(FURTHER) {
                Ok(line) => line,
                Err(ReadlineError::Eof) => break,
                Err(error) => return Err(error),
            };
            text.push('\n');
            text.push_str(&line);
        }
        if !text.trim().is_empty()
            && self.editor.add_history_entry(text.as_str())?
            && let Some(file) = &self.history
        {
            self.editor.save_history(file)?;
        }
        Ok(text)
    }
}

/// Whether a text ends in a program that goes on in the next line. An empty line ends it.
fn is_unfinished(room: &ReplSession, text: &str) -> bool {
    let ends_blank = text.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let goes_on = |text: &str| program(text).is_some_and(|code| room.goes_on(code));
    let last = parts(text, goes_on).pop();
    !ends_blank && last.is_some_and(|last| last.lines().count() < MOST_LINES && goes_on(last))
}

/// Answers the questions of the editor.
struct Help {
    room: Rc<ReplSession>,
}

impl Helper for Help {}

impl Hinter for Help {
    type Hint = String;
}

impl Completer for Help {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> Result<(usize, Vec<Pair>), ReadlineError> {
        let before = line.get(..pos).unwrap_or_default();
        let (from, candidates) = complete(&self.room, before);
        let pair = |text: String| Pair { display: text.clone(), replacement: text };
        Ok((from, candidates.into_iter().take(MOST_COMPLETIONS).map(pair).collect()))
    }
}

/// Where the word at the end of a text begins, and the words that may stand there.
fn complete(room: &ReplSession, before: &str) -> (usize, Vec<String>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = before.rfind(|c| !is_word(c)).map_or(0, |at| {
        at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    let (head, word) = before.split_at(start);
    let fit = |names: Vec<String>| {
        let mut names: Vec<String> =
            names.into_iter().filter(|name| name.starts_with(word)).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let names = if head.trim_start() == ":" {
        COMMANDS.iter().map(|row| row.name.to_owned()).collect()
    } else if head.ends_with('@') {
        room.tools(word, MOST_COMPLETIONS)
    } else if let Some(path) = head.strip_suffix('.') {
        let from = path.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
        // The members of a member are not known.
        let is_member = path.get(..from).is_some_and(|before| before.ends_with('.'));
        let subject = path.get(from..).filter(|_| !is_member).unwrap_or_default();
        [room.members(subject), room.forms()].concat()
    } else {
        [room.names(), room.forms()].concat()
    };
    (start, fit(names))
}

impl Validator for Help {}

impl Highlighter for Help {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        self.room.paint().strong(prompt).into()
    }
}
