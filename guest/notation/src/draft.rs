//! A program that is being written: what stands at the cursor, and programs that it may become.
//!
//! A name that the program does not have takes the place of the word at the cursor: the *hole*. An analysis
//! of a program with the hole tells about the place of the cursor.

use crate::code::looks_like_json;
use crate::lexer::{self, begins_name, goes_on};
use crate::lower::names::is_global;
use crate::syntax::{Kind, Token, tokens_before_fault};
use crate::table;
use pif_language::form::Form;

/// The kind of word that is wanted at a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A member of what stands before the point.
    Member,
    /// A member of an object of JavaScript such as `Math`, or of a server. Its name may be a variable.
    MemberOf(String),
    /// A name.
    Name,
    /// The name of a tool.
    Tool,
}

/// A program that is being written.
#[derive(Clone, Debug)]
pub struct Draft<'s> {
    /// The kind of word that is wanted at the cursor.
    pub wanted: Wanted,
    /// The byte where the word at the cursor begins.
    pub start: usize,
    /// The part of it before the cursor.
    pub word: &'s str,
    /// The name in place of the word.
    pub hole: String,
    /// Texts with the hole, the first of which that can be read is the program.
    pub texts: Vec<String>,
    /// The names that stand in the program.
    pub names: Vec<&'s str>,
}

/// Bytes of the longest program that is mended in more than one way.
const MOST_MENDED: usize = 64 << 10;

/// The draft of a program, with the cursor at a byte of its text. None where nothing can be proposed: in a
/// text, in a comment, in a number, in a program in JSON.
#[must_use]
pub fn draft(source: &str, cursor: usize) -> Option<Draft<'_>> {
    if looks_like_json(source) {
        return None;
    }
    let (before, after) = source.split_at_checked(cursor)?;
    let start = word_start(before);
    let (before, word) = source.split_at_checked(start).map(|it| (it.0, before.get(start..)))?;
    let word = word.filter(|it| it.is_empty() || it.starts_with(begins_name))?;
    let after = after.trim_start_matches(goes_on);
    let (tokens, open, _) = tokens_before_fault(before);
    let tokens = tokens.get(..tokens.len().saturating_sub(1)).unwrap_or_default();
    let text = |token: &Token| source.get(token.start as usize..token.end as usize).unwrap_or("");
    let behind = tokens.last().map_or(0, |it| it.end as usize);
    if !is_blank(before.get(behind..)?) || is_in_template(tokens, &open, source) {
        return None;
    }
    let wanted = match tokens {
        [.., last] if last.kind == Kind::Mark && text(last) == "@" => Wanted::Tool,
        [rest @ .., last] if last.kind == Kind::Mark && matches!(text(last), "." | "?.") => {
            of_subject(rest, text)?
        }
        [.., last] if last.kind == Kind::Number && behind == start => return None,
        _ => Wanted::Name,
    };
    let hole = format!("hole{}", "_".repeat(longest_run(source, '_') + 1));
    let whole = (source.len() <= MOST_MENDED).then(|| format!("{before}{hole}{after}"));
    let closed = format!("{before}{hole}{}", closing(tokens, &open, text));
    // A program ends in a value, and one that is being written may end in a declaration.
    let valued = |text: &String| format!("{text}\nnull");
    let last = whole.as_ref().map(valued);
    let texts = whole.into_iter().chain([closed.clone(), valued(&closed)]).chain(last).collect();
    let is_name = |it: &&Token| it.kind == Kind::Name;
    let names = tokens.iter().filter(is_name).map(text).collect();
    Some(Draft { wanted, start, word, hole, texts, names })
}

/// The most times that a character stands after itself in a text.
fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The byte where the word at the end of a text begins.
fn word_start(text: &str) -> usize {
    text.trim_end_matches(goes_on).len()
}

/// Whether nothing but blanks and comments stands in a part of a text, and no comment is open at its end.
fn is_blank(text: &str) -> bool {
    let mut left = text.trim_start();
    loop {
        let rest = match left.get(..2) {
            Some("//") => left.split_once('\n').map(|it| it.1),
            Some("/*") => left.split_once("*/").map(|it| it.1),
            _ => return left.is_empty() || left == "\u{feff}",
        };
        let Some(rest) = rest else { return false };
        left = rest.trim_start();
    }
}

/// Whether a text ends in the characters of a template, and not in one of its holes.
fn is_in_template(tokens: &[Token], open: &[u32], source: &str) -> bool {
    let token = open.last().and_then(|at| tokens.get(*at as usize));
    token.is_some_and(|it| source.get(it.start as usize..it.end as usize) == Some("`"))
}

/// The kind of word that is wanted behind a point.
fn of_subject<'s>(before: &[Token], text: impl Fn(&Token) -> &'s str) -> Option<Wanted> {
    let [rest @ .., last] = before else { return None };
    let is_point = |it: &Token| it.kind == Kind::Mark && matches!(text(it), "." | "?." | "@");
    match last.kind {
        Kind::Number | Kind::Mark | Kind::Open | Kind::Piece | Kind::End => None,
        Kind::Name if !rest.last().is_some_and(is_point) => {
            Some(Wanted::MemberOf(text(last).to_owned()))
        }
        Kind::Name | Kind::Text | Kind::Regex | Kind::Close => Some(Wanted::Member),
    }
}

/// The text that closes the open brackets at the end of a text, and the conditions and heads of statements in them.
fn closing<'s>(tokens: &[Token], open: &[u32], text: impl Fn(&Token) -> &'s str) -> String {
    let mut out = String::new();
    let mut end = tokens.len();
    for at in open.iter().rev() {
        let at = *at as usize;
        out.push_str(&alternatives(tokens, at + 1..end, &text));
        let bracket = tokens.get(at).map_or("", &text);
        let word = at.checked_sub(1).and_then(|it| tokens.get(it)).map_or("", &text);
        out.push_str(match (bracket, word) {
            ("(", "if" | "while" | "for" | "switch") => ") {}",
            ("(", _) => ")",
            ("[", _) => "]",
            ("`", _) => "`",
            (_, "try") => "} catch {}",
            (_, "do") => "} while (false)",
            _ => "}",
        });
        end = at;
    }
    out.push_str(&alternatives(tokens, 0..end, &text));
    out
}

/// The branches that conditions lack which stand in some brackets and have no `:` yet.
fn alternatives<'s>(
    tokens: &[Token],
    range: std::ops::Range<usize>,
    text: impl Fn(&Token) -> &'s str,
) -> String {
    let mut at = range.start;
    let end = range.end;
    let mut lacking = 0_usize;
    while let Some(token) = tokens.get(at).filter(|_| at < end) {
        match (token.kind, text(token)) {
            (Kind::Open, _) => at = at.max(token.mate as usize),
            (Kind::Mark, "?") => lacking += 1,
            (Kind::Mark, ":") => lacking = lacking.saturating_sub(1),
            (Kind::Mark, ";") => lacking = 0,
            _ => {}
        }
        at += 1;
    }
    " : null".repeat(lacking)
}

/// Whether a name is that of an object of JavaScript whose members are functions.
#[must_use]
pub fn is_object(name: &str) -> bool {
    is_global(name)
}

/// Whether a form is called by its name.
#[must_use]
pub fn is_called(form: Form) -> bool {
    table::is_called(form)
}

/// Whether a key can be written behind a point.
#[must_use]
pub fn is_name(key: &str) -> bool {
    lexer::is_name(key)
}
