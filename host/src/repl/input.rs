//! A text that was typed: a command, a definition or a program.

use pif_store::session::is_name;

use super::command::{COMMANDS, Row};

/// The most lines of one program. A longer one is in a file: `mcp-pif run @FILE`.
pub(super) const MOST_LINES: usize = 200;

/// What a text asks for.
#[derive(Debug)]
pub(super) enum Input<'a> {
    Nothing,
    /// A command with its argument.
    Command(&'static Row, &'a str),
    /// A command that does not exist.
    Unknown(&'a str),
    /// A turn. With a name its value is bound.
    Turn {
        name: Option<&'a str>,
        code: &'a str,
    },
}

pub(super) fn read(text: &str) -> Input<'_> {
    let text = text.trim();
    if text.is_empty() {
        return Input::Nothing;
    }
    if let Some(rest) = text.strip_prefix(':') {
        let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let row = COMMANDS.iter().find(|row| row.name == name);
        return row.map_or(Input::Unknown(name), |row| Input::Command(row, argument.trim()));
    }
    let (name, code) = definition(text).map_or((None, text), |(name, code)| (Some(name), code));
    Input::Turn { name, code }
}

/// The name and the code of `name = code`.
fn definition(text: &str) -> Option<(&str, &str)> {
    let (name, code) = text.split_once('=')?;
    let is_definition = is_name(name.trim_end()) && !code.starts_with(['=', '>']);
    is_definition.then(|| (name.trim_end(), code.trim_start()))
}

/// Whether a line is a command that there is. It ends a program that has no end.
pub(super) fn is_command(line: &str) -> bool {
    matches!(read(line), Input::Command(..))
}

/// What a line begins with that goes on with the line before it.
const GOING_ON: [&str; 8] = [".", "?", "&&", "||", "*", "else", "catch", "finally"];

/// Cuts a text of several lines into what is obeyed one after another. `goes_on` tells whether a text
/// is only the beginning of a program.
pub(super) fn parts<'a>(text: &'a str, goes_on: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let (mut parts, mut start, mut end, mut count) = (Vec::new(), 0, 0, 0);
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        end += line.len();
        count += 1;
        let part = text.get(start..end).unwrap_or_default();
        if part.trim().is_empty() {
            (start, count) = (end, 0);
            continue;
        }
        let is_continued = lines.peek().is_some_and(|next| {
            let next = next.trim_start();
            let is_within =
                || GOING_ON.iter().any(|begin| next.starts_with(begin)) || goes_on(part);
            count < MOST_LINES && !is_command(next) && program(part).is_some() && is_within()
        });
        if !is_continued {
            parts.push(part);
            (start, count) = (end, 0);
        }
    }
    parts
}

/// The program of a text, if it has one.
pub(super) fn program(text: &str) -> Option<&str> {
    match read(text) {
        Input::Turn { code, .. } => Some(code),
        Input::Command(row, code) if row.takes_code() => Some(code),
        _ => None,
    }
}

/// The beginning of a program at the end of a text, with the blanks behind it; empty if it has not begun.
pub(super) fn program_begun(text: &str) -> Option<&str> {
    let start = text.len() - text.trim_start().len();
    match program(text) {
        Some(code) if !code.is_empty() => {
            let found = text.rfind(code).unwrap_or(start);
            text.get(found..)
        }
        Some(_) => Some(""),
        None => text.trim().is_empty().then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, parts, read};

    fn turn(text: &str) -> (Option<&str>, &str) {
        match read(text) {
            Input::Turn { name, code } => (name, code),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_definition_is_a_name_an_equals_sign_and_code() {
        assert_eq!(turn("a = 1"), (Some("a"), "1"));
        assert_eq!(turn(" total=os => os.sum() "), (Some("total"), "os => os.sum()"));
        for text in ["a == 1", "x => x + 1", "f(a) = 1", "\"a = b\"", "{a: 1}", "a"] {
            assert_eq!(turn(text), (None, text));
        }
    }

    #[test]
    fn a_text_of_several_lines_is_several_inputs() {
        let goes_on = |text: &str| text.contains('[') && !text.contains(']');
        for (text, expected) in [
            ("a = 1\nb = 2\n\na + b\n", vec!["a = 1\n", "b = 2\n", "a + b\n"]),
            (
                "[1,\n\n2]\n.sum()\n:help\n:fuel\n1",
                vec!["[1,\n\n2]\n.sum()\n", ":help\n", ":fuel\n", "1"],
            ),
            ("[1,\n:help", vec!["[1,\n", ":help"]),
            (":check [1\n]\n2", vec![":check [1\n]\n", "2"]),
            ("\n \n", vec![]),
        ] {
            assert_eq!(parts(text, goes_on), expected, "{text:?}");
        }
    }

    #[test]
    fn commands_begin_with_a_colon() {
        let Input::Command(row, argument) = read(" :type  1 + 1 ") else { panic!() };
        assert_eq!((row.name, argument), ("type", "1 + 1"));
        assert!(matches!(read(":nothing"), Input::Unknown("nothing")));
        assert!(matches!(read("  \n"), Input::Nothing));
    }
}
