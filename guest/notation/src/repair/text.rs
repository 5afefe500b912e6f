//! Characters and texts: quotes of word processors, marks of mathematics, comments and texts of
//! other languages.

use crate::repair::edit::Edit;
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;
use pif_language::mistakes::marks;

/// The character or the text that is meant by what stands at a byte.
pub(super) fn character(tokens: &Tokens<'_>, at: usize) -> Option<Edit> {
    let rest = tokens.source.get(at..)?;
    let c = rest.chars().next()?;
    if let Some(mark) = marks::find(c) {
        return Some(Edit::new((at, at + c.len_utf8()), mark.now));
    }
    let (_, closing) = marks::QUOTES.iter().find(|(open, _)| *open == c)?;
    let inner = rest.get(c.len_utf8()..)?;
    let line = inner.lines().next().unwrap_or_default();
    let is_end = |(_, it): &(usize, char)| closing.contains(*it) || *it == '"';
    let (length, close) = line.char_indices().find(is_end)?;
    let text = line.get(..length)?;
    if text.contains(['\\', '\n']) {
        return None;
    }
    let quote = if text.contains('"') { '\'' } else { '"' };
    if text.contains(quote) {
        return None;
    }
    let end = at + c.len_utf8() + length + close.len_utf8();
    Some(Edit::new((at, end), format!("{quote}{text}{quote}")))
}

/// A comment that begins with `#`.
pub(super) fn comment(tokens: &Tokens<'_>, at: usize) -> Option<Edit> {
    let (before, behind) = tokens.source.split_at_checked(at)?;
    let is_apart = before.is_empty() || before.ends_with(char::is_whitespace);
    let is_comment = behind.starts_with('#') && !behind.starts_with("#{");
    (is_apart && is_comment).then(|| Edit::new((at, at + 1), "//"))
}

/// `a // 2`, which is no comment.
pub(super) fn divided(tokens: &Tokens<'_>, at: usize) -> Option<Edit> {
    let rest = tokens.source.get(at..)?.strip_prefix("//")?;
    let digits = rest.trim_start_matches(' ');
    let count = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let divisor = digits.get(..count).filter(|it| !it.is_empty())?;
    let last = tokens.len();
    let mut from = operand_before(tokens, last)?;
    while from > 1 && matches!(tokens.mark(from - 1), "*" | "/" | "%") {
        from = operand_before(tokens, from - 1)?;
    }
    let dividend = tokens.part(from, last);
    let end = tokens.source.len() - digits.len() + count;
    let now = format!("Math.floor({dividend} / {divisor})");
    Some(Edit::new((tokens.start(from), end), now))
}

fn operand_before(tokens: &Tokens<'_>, to: usize) -> Option<usize> {
    super::pattern::operand_before(tokens, to)
}

/// `\x -> x + 1`, as Haskell has it.
pub(super) fn backslash(tokens: &Tokens<'_>, at: usize) -> Option<Edit> {
    let rest = tokens.source.get(at..)?.strip_prefix('\\')?;
    let (name, _) = rest.split_once("->")?;
    let is_name = crate::lexer::is_name(name.trim());
    let end = at + 1 + name.len() + 2;
    is_name.then(|| Edit::new((at, end), format!("{} =>", name.trim())))
}

/// `f"{a}: {b:.2f}"`, as Python has it: a template. `r"…"` and `b"…"` are plain texts.
pub(super) fn with_prefix(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let at = tokens.at(byte)?;
    let at = [Some(at), at.checked_sub(1)].into_iter().flatten().find(|at| {
        tokens.is_name(*at)
            && tokens.kind(at + 1) == Kind::Text
            && tokens.end(at + 1) == tokens.start(at + 1)
    })?;
    let text = tokens.text(at + 1);
    if !matches!(tokens.text(at), "f" | "F") {
        return None;
    }
    let quote = text.chars().next()?;
    let inner = text.get(1..text.len() - 1)?;
    Some(Edit::new(tokens.span(at, at + 2), template(inner, quote)?))
}

/// The template of a text with holes in braces.
fn template(text: &str, quote: char) -> Option<String> {
    let mut out = String::from("`");
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..)?;
        match c {
            '{' | '}' if rest.starts_with(c) => {
                out.push(c);
                rest = rest.get(1..)?;
            }
            '{' => {
                let (hole, behind) = rest.split_once('}')?;
                rest = behind;
                if hole.contains(['{', '\\', '`', quote]) {
                    return None;
                }
                out.push_str("${");
                out.push_str(&formatted(hole)?);
                out.push('}');
            }
            '}' => return None,
            '\\' if rest.starts_with(quote) => {}
            '`' => out.push_str("\\`"),
            '$' if rest.starts_with('{') => out.push_str("\\$"),
            _ => out.push(c),
        }
    }
    out.push('`');
    Some(out)
}

/// A hole, with the format behind its `:`.
fn formatted(hole: &str) -> Option<String> {
    let is_colon = |at: usize| !hole.get(..at).is_some_and(|it| it.contains(['[', '(', '?']));
    let Some((value, format)) = hole.rsplit_once(':').filter(|(it, _)| is_colon(it.len())) else {
        return Some(hole.trim().to_owned());
    };
    let value = value.trim();
    let value = if crate::lexer::is_name(value) { value.to_owned() } else { format!("({value})") };
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit());
    let digits = |format: &str| {
        let digits = format.strip_prefix('.')?.strip_suffix('f')?;
        is_digits(digits).then(|| digits.to_owned())
    };
    if let Some(digits) = digits(format) {
        return Some(format!("{value}.toFixed({digits})"));
    }
    let digits = format.strip_prefix(',').and_then(digits)?;
    Some(format!("format_number({value}, {{decimals: {digits}, group: \",\"}})"))
}
