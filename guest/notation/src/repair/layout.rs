//! Programs whose blocks are indented, as in Python: braces around the blocks, parentheses around the
//! heads, and a declaration for each name.

use crate::repair::edit::Edit;
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;
use std::collections::BTreeSet;

/// A line of the program.
struct Line {
    indent: usize,
    /// The tokens, from an index up to another.
    from: usize,
    to: usize,
    /// The line as it is written in the notation.
    text: String,
    /// Whether a block follows.
    is_head: bool,
    /// Whether it goes on with the statement before it, as `else` does.
    goes_on: bool,
}

/// The words that begin a head.
const HEADS: &[&str] = &["def", "if", "elif", "else", "for", "while", "try", "except"];

/// The program with braces, if it has heads that end with `:`.
pub(super) fn blocks(tokens: &Tokens<'_>, _at: usize) -> Option<Edit> {
    let mut lines = lines(tokens)?;
    let is_python = lines.iter().any(|line| line.is_head);
    if !is_python {
        return None;
    }
    declare(tokens, &mut lines);
    let (mut out, mut open) = (String::new(), vec![0_usize]);
    for (index, line) in lines.iter().enumerate() {
        while open.last().is_some_and(|it| *it > line.indent) {
            open.pop();
            let indent = " ".repeat(open.last().copied().unwrap_or_default());
            let is_joined = line.goes_on && open.last() == Some(&line.indent);
            out.push_str(&if is_joined { format!("{indent}}} ") } else { format!("{indent}}}\n") });
        }
        if open.last() != Some(&line.indent) {
            return None;
        }
        if !(line.goes_on && out.ends_with("} ")) {
            out.push_str(&" ".repeat(line.indent));
        }
        out.push_str(&line.text);
        out.push('\n');
        if line.is_head {
            let next = lines.get(index + 1).filter(|next| next.indent > line.indent)?;
            open.push(next.indent);
        }
    }
    while let (Some(_), Some(outer)) = (open.pop(), open.last()) {
        out.push_str(&format!("{}}}\n", " ".repeat(*outer)));
    }
    let start = tokens.source.len() - tokens.source.trim_start().len();
    Some(Edit::new((start, tokens.source.len()), out.trim_end()))
}

/// The lines of statements: what stands in brackets over several lines is one.
fn lines(tokens: &Tokens<'_>) -> Option<Vec<Line>> {
    let (mut lines, mut from) = (Vec::new(), 0);
    while from < tokens.len() {
        let mut to = from + 1;
        if tokens.kind(from) == Kind::Open {
            to = tokens.mate(from) + 1;
        }
        while to < tokens.len() && !tokens.is_on_new_line(to) {
            to = if tokens.kind(to) == Kind::Open { tokens.mate(to) + 1 } else { to + 1 };
        }
        let start = tokens.start(from);
        let line = tokens.source.get(..start)?.rsplit('\n').next()?;
        if line.contains(|c: char| c != ' ') {
            return None;
        }
        lines.extend(line_of(tokens, line.len(), from, to)?);
        from = to;
    }
    Some(lines)
}

/// The position of a mark at the outermost level of a line.
fn position(tokens: &Tokens<'_>, from: usize, to: usize, mark: &str) -> Option<usize> {
    let mut at = from;
    while at < to {
        if tokens.mark(at) == mark {
            return Some(at);
        }
        at = if tokens.kind(at) == Kind::Open { tokens.mate(at) + 1 } else { at + 1 };
    }
    None
}

fn line_of(tokens: &Tokens<'_>, indent: usize, from: usize, to: usize) -> Option<Vec<Line>> {
    let word = tokens.mark(from);
    let plain =
        |text: String, indent| Line { indent, from, to, text, is_head: false, goes_on: false };
    if !HEADS.contains(&word)
        || tokens.mark(from + 1) == ":" && !matches!(word, "else" | "try" | "except")
    {
        return Some(vec![plain(statement(tokens, from, to), indent)]);
    }
    let Some(colon) = position(tokens, from + 1, to, ":") else {
        return Some(vec![plain(statement(tokens, from, to), indent)]);
    };
    if position(tokens, from, colon, "lambda").is_some() {
        return None;
    }
    let text = head(tokens, word, from + 1, colon)?;
    let goes_on = matches!(word, "elif" | "else" | "except");
    let mut lines = vec![Line { indent, from, to: colon, text, is_head: true, goes_on }];
    if colon + 1 < to {
        let inner = statement(tokens, colon + 1, to);
        lines.push(Line { from: colon + 1, ..plain(inner, indent + 4) });
    }
    Some(lines)
}

fn head(tokens: &Tokens<'_>, word: &str, from: usize, to: usize) -> Option<String> {
    let rest = tokens.part(from, to);
    Some(match word {
        "def" => {
            let end = position(tokens, from, to, "->").unwrap_or(to);
            format!("function {} {{", tokens.part(from, end))
        }
        "if" => format!("if ({rest}) {{"),
        "elif" => format!("else if ({rest}) {{"),
        "else" => "else {".to_owned(),
        "while" => format!("while ({rest}) {{"),
        "try" => "try {".to_owned(),
        "except" => {
            let name = if to > from && tokens.is_name(to - 1) && to - from > 2 {
                tokens.text(to - 1)
            } else {
                "e"
            };
            format!("catch ({name}) {{")
        }
        "for" => {
            let colon = position(tokens, from, to, "in")?;
            let (names, count) = (tokens.part(from, colon), colon - from);
            let ends = |name| {
                let open = to.checked_sub(2).filter(|at| tokens.mark(*at) == "(");
                open.is_some_and(|at| tokens.mark(at - 1) == name)
            };
            let is_enumerated =
                tokens.mark(colon + 1) == "enumerate" && tokens.mate(colon + 2) == to - 1;
            let of = if ends("items") {
                format!("Object.entries({})", tokens.part(colon + 1, to - 4))
            } else if ends("values") {
                format!("Object.values({})", tokens.part(colon + 1, to - 4))
            } else if ends("keys") {
                format!("Object.keys({})", tokens.part(colon + 1, to - 4))
            } else if is_enumerated {
                format!("{}.entries()", tokens.part(colon + 3, to - 1))
            } else {
                tokens.part(colon + 1, to).to_owned()
            };
            match count {
                1 => format!("for (const {names} of {of}) {{"),
                3 => format!("for (const [{names}] of {of}) {{"),
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn statement(tokens: &Tokens<'_>, from: usize, to: usize) -> String {
    let is_append = tokens.mark(from + 2) == "append" || tokens.mark(from + 2) == "add";
    if is_append && tokens.mark(from + 1) == "." && tokens.mate(from + 3) + 1 == to {
        let method = if tokens.mark(from + 2) == "append" { "push" } else { "add" };
        return format!("{}.{method}{}", tokens.text(from), tokens.part(from + 3, to));
    }
    if to == from + 1 && tokens.mark(from) == "pass" {
        return String::new();
    }
    if let Some(mark) = position(tokens, from, to, "=")
        && position(tokens, from, mark, ",").is_some()
    {
        let value = tokens.part(mark + 1, to);
        let value = match position(tokens, mark + 1, to, ",") {
            Some(_) => format!("[{value}]"),
            None => value.to_owned(),
        };
        return format!("[{}] = {value}", tokens.part(from, mark));
    }
    tokens.part(from, to).to_owned()
}

/// Writes `let` where a name gets its first value. A name that gets it within a block is declared
/// before the block, since it lives as long as the function.
fn declare(tokens: &Tokens<'_>, lines: &mut Vec<Line>) {
    // The functions around a line, each with its indentation, the line of its block that stands
    // outermost, and its names.
    let mut scopes: Vec<(usize, usize, BTreeSet<String>)> = vec![(0, 0, BTreeSet::new())];
    let mut hoisted: Vec<(usize, String)> = Vec::new();
    for index in 0..lines.len() {
        let Some(Line { indent, from, to, .. }) = lines.get(index) else { return };
        let (indent, from, to) = (*indent, *from, *to);
        while scopes.len() > 1 && scopes.last().is_some_and(|it| indent < it.0) {
            scopes.pop();
        }
        let Some(scope) = scopes.last_mut() else { return };
        if indent == scope.0 {
            scope.1 = index;
        }
        if tokens.mark(from) == "def" {
            let inner = lines.get(index + 1).map_or(indent, |line| line.indent);
            let close = tokens.mate(from + 2);
            let parameters = (from + 3..close).filter(|at| tokens.is_name(*at));
            let names = parameters.map(|at| tokens.text(at).to_owned()).collect();
            scopes.push((inner, index + 1, names));
            continue;
        }
        let Some(mark) = position(tokens, from, to, "=") else { continue };
        let targets: Vec<&str> = (from..mark).step_by(2).map(|at| tokens.text(at)).collect();
        let is_plain = (from..mark).all(|at| match (at - from) % 2 {
            0 => tokens.is_name(at),
            _ => tokens.mark(at) == ",",
        });
        if !is_plain || HEADS.contains(&tokens.mark(from)) {
            continue;
        }
        let (is_outermost, top) = (indent == scope.0, scope.1);
        let fresh: Vec<&str> =
            targets.iter().copied().filter(|it| !scope.2.contains(*it)).collect();
        scope.2.extend(fresh.iter().map(|name| (*name).to_owned()));
        if fresh.is_empty() {
            continue;
        }
        if is_outermost && fresh.len() == targets.len() {
            if let Some(line) = lines.get_mut(index) {
                line.text.insert_str(0, "let ");
            }
        } else {
            hoisted.extend(fresh.iter().map(|name| (top, (*name).to_owned())));
        }
    }
    for (at, name) in hoisted.into_iter().rev() {
        let Some(Line { indent, from, .. }) = lines.get(at) else { continue };
        let line = Line {
            indent: *indent,
            from: *from,
            to: *from,
            text: format!("let {name};"),
            is_head: false,
            goes_on: false,
        };
        lines.insert(at, line);
    }
}
