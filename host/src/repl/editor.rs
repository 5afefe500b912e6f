//! The line editor: completion, history, and texts of several lines.

use std::borrow::Cow;
use std::path::PathBuf;
use std::rc::Rc;

use pif_domain::text;
use rustyline::completion::{Completer, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::command::COMMANDS;
use super::input::{MOST_LINES, parts, program, program_begun};
use super::room::ReplSession;

/// Lines that the history keeps.
const MOST_HISTORY: usize = 1_000;

/// Completions that are shown at once.
const MOST_COMPLETIONS: usize = 100;

/// The most characters of a proposal with its type.
const MOST_SHOWN: usize = 76;

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
        editor.set_helper(Some(Help { room: Rc::clone(&room), above: String::new() }));
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
            self.tell_above(&format!("{text}\n"));
            let line = self.editor.readline(FURTHER);
            self.tell_above("");
            let line = match line {
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

impl Prompt {
    /// Tells the completion the lines of the program before the next one.
    fn tell_above(&mut self, lines: &str) {
        if let Some(help) = self.editor.helper_mut() {
            lines.clone_into(&mut help.above);
        }
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
    /// The lines of the program before this one.
    above: String,
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
        let (from, mut candidates) = complete(&self.room, &self.above, before);
        candidates.truncate(MOST_COMPLETIONS);
        Ok((from, candidates))
    }
}

/// Where the word at the end of a text begins, and what may stand there. `above` holds the lines before
/// this one.
fn complete(room: &ReplSession, above: &str, before: &str) -> (usize, Vec<Pair>) {
    if let Some(word) = before.trim_start().strip_prefix(':').filter(|it| is_word(it)) {
        let commands = COMMANDS.iter().map(|row| row.name).filter(|it| it.starts_with(word));
        return (before.len() - word.len(), commands.map(|it| pair(it, "")).collect());
    }
    let text = format!("{above}{before}");
    let last = parts(&text, |text| program(text).is_some_and(|code| room.goes_on(code))).pop();
    let Some(code) = last.and_then(program_begun) else { return (before.len(), Vec::new()) };
    let Some(told) = room.proposals(code) else { return (before.len(), Vec::new()) };
    let start = usize::try_from(told.start).unwrap_or(usize::MAX);
    let word = code.len().saturating_sub(start);
    let pairs = told.proposals.iter().map(|it| pair(&it.label, &it.detail)).collect();
    (before.len().saturating_sub(word), pairs)
}

/// A proposal: the text to insert, and the line to show.
fn pair(label: &str, detail: &str) -> Pair {
    let display = if detail.is_empty() { label.to_owned() } else { format!("{label}: {detail}") };
    Pair { display: text::line(&display, MOST_SHOWN), replacement: label.to_owned() }
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

impl Validator for Help {}

impl Highlighter for Help {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        self.room.paint().strong(prompt).into()
    }
}
