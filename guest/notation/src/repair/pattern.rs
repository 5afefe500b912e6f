//! Patterns of tokens with holes, and what they are rewritten to.

use crate::repair::tokens::Tokens;
use crate::syntax::Kind;

/// An item of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item<'p> {
    Token(&'p str),
    Hole(char),
}

/// What holes have taken: tokens from an index up to another.
type Taken = Vec<(char, usize, usize)>;

/// A match of a pattern.
pub(super) struct Match {
    pub(super) from: usize,
    pub(super) to: usize,
    taken: Taken,
}

/// Words before which a hole of each kind ends. All end where brackets, lists and statements do.
fn ends(hole: char) -> &'static [&'static str] {
    match hole {
        'T' => &["and", "or", "&&", "||", "??", "?", ":", "if", "else", "for", "then", "|>"],
        'A' | 'C' => &["if", "else", "for", "then", "as"],
        _ => &["for"],
    }
}

/// Marks behind which an expression begins.
const BEGIN: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "=>", ":", "?", "->", ":=", "return", "throw", "else", "then",
    "const", "let", "case", "in", "of",
];

fn items(pattern: &str) -> Vec<Item<'_>> {
    let item = |word| {
        let mut characters = str::chars(word);
        match (characters.next(), characters.next()) {
            (Some(hole @ 'A'..='Z'), None) => Item::Hole(hole),
            _ => Item::Token(word),
        }
    };
    pattern.split(' ').map(item).collect()
}

/// Finds a match of which one token is at an index.
pub(super) fn find(tokens: &Tokens<'_>, pattern: &str, at: usize) -> Option<Match> {
    let items = items(pattern);
    let here = tokens.mark(at);
    (0..items.len()).find_map(|anchor| {
        if items.get(anchor) != Some(&Item::Token(here)) || here.is_empty() {
            return None;
        }
        let (before, behind) = (items.get(..anchor)?, items.get(anchor + 1..)?);
        let mut taken = Taken::new();
        let from = backward(tokens, before, at, &mut taken)?;
        let to = forward(tokens, behind, at + 1, &mut taken)?;
        Some(Match { from, to, taken })
    })
}

/// Notes what a hole takes. It must be equal to what it took before.
fn take(tokens: &Tokens<'_>, taken: &mut Taken, (hole, from, to): (char, usize, usize)) -> bool {
    let known = taken.iter().find(|(it, ..)| *it == hole && hole != 'L');
    let is_equal =
        known.is_none_or(|(_, known, end)| tokens.part(*known, *end) == tokens.part(from, to));
    if known.is_none() {
        taken.push((hole, from, to));
    }
    is_equal
}

fn forward(
    tokens: &Tokens<'_>,
    items: &[Item<'_>],
    from: usize,
    taken: &mut Taken,
) -> Option<usize> {
    let mut at = from;
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::Token(text) => {
                if tokens.mark(at) != *text && !(is_literal(text) && tokens.text(at) == *text) {
                    return None;
                }
                at += 1;
            }
            Item::Hole(hole) => {
                let next = items.get(index + 1).and_then(|item| match item {
                    Item::Token(text) => Some(*text),
                    Item::Hole(_) => None,
                });
                let end = extent(tokens, *hole, at, next)?;
                if !take(tokens, taken, (*hole, at, end)) {
                    return None;
                }
                at = end;
            }
        }
    }
    Some(at)
}

fn is_literal(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// The token behind those that a hole takes.
fn extent(tokens: &Tokens<'_>, hole: char, from: usize, next: Option<&str>) -> Option<usize> {
    match hole {
        'K' | 'M' | 'N' => return tokens.is_name(from).then_some(from + 1),
        'P' | 'Q' => return operand(tokens, from),
        _ => {}
    }
    let has_lines = tokens.has_lines(from);
    let mut at = from;
    while at < tokens.len() {
        let mark = tokens.mark(at);
        if Some(mark) == next && !mark.is_empty() && at > from {
            break;
        }
        match tokens.kind(at) {
            Kind::Close => break,
            Kind::Open => {
                if hole != 'L' && mark == "{" && next == Some("{") {
                    break;
                }
                at = tokens.mate(at) + 1;
                continue;
            }
            _ => {}
        }
        let is_over = match hole {
            'L' => false,
            _ => {
                matches!(mark, "," | ";")
                    || ends(hole).contains(&mark)
                    || has_lines && at > from && tokens.begins_line(at)
            }
        };
        if is_over {
            break;
        }
        at += 1;
    }
    (hole == 'L' || at > from).then_some(at)
}

fn backward(
    tokens: &Tokens<'_>,
    items: &[Item<'_>],
    to: usize,
    taken: &mut Taken,
) -> Option<usize> {
    let mut at = to;
    for (index, item) in items.iter().enumerate().rev() {
        match item {
            Item::Token(text) => {
                at = at.checked_sub(1).filter(|at| tokens.mark(*at) == *text)?;
            }
            Item::Hole(hole) => {
                let before = index.checked_sub(1).and_then(|it| items.get(it));
                let before = before.and_then(|item| match item {
                    Item::Token(text) => Some(*text),
                    Item::Hole(_) => None,
                });
                let begin = beginning(tokens, *hole, at, before)?;
                if !take(tokens, taken, (*hole, begin, at)) {
                    return None;
                }
                at = begin;
            }
        }
    }
    Some(at)
}

/// The first of the tokens that a hole takes which ends before an index.
fn beginning(tokens: &Tokens<'_>, hole: char, to: usize, token: Option<&str>) -> Option<usize> {
    match hole {
        'K' | 'M' | 'N' => return to.checked_sub(1).filter(|at| tokens.is_name(*at)),
        'P' | 'Q' => return operand_before(tokens, to),
        _ => {}
    }
    let has_lines = tokens.has_lines(to);
    let mut at = to;
    while let Some(before) = at.checked_sub(1) {
        let mark = tokens.mark(before);
        match tokens.kind(before) {
            Kind::Open => break,
            Kind::Close => {
                if has_lines && mark == "}" && tokens.is_on_new_line(at) && at < to {
                    break;
                }
                at = tokens.mate(before);
                continue;
            }
            _ => {}
        }
        let is_over = match hole {
            'L' => false,
            _ if token == Some(mark) => true,
            _ => {
                matches!(mark, "," | ";")
                    || token.is_none() && BEGIN.contains(&mark)
                    || ends(hole).contains(&mark)
                    || has_lines && at < to && tokens.begins_line(at)
            }
        };
        if is_over {
            break;
        }
        at = before;
    }
    (hole == 'L' || at < to).then_some(at)
}

/// The token behind an operand with its members, calls and indices.
pub(super) fn operand(tokens: &Tokens<'_>, from: usize) -> Option<usize> {
    let mut at = match tokens.kind(from) {
        Kind::Name | Kind::Number | Kind::Text | Kind::Regex => from + 1,
        Kind::Open => tokens.mate(from) + 1,
        _ => return None,
    };
    loop {
        let is_tight = !tokens.is_on_new_line(at);
        match tokens.mark(at) {
            "." | "?." if tokens.is_name(at + 1) => at += 2,
            "(" | "[" if is_tight => at = tokens.mate(at) + 1,
            _ => return Some(at),
        }
    }
}

/// The first token of the operand that ends before an index.
pub(super) fn operand_before(tokens: &Tokens<'_>, to: usize) -> Option<usize> {
    let mut at = to;
    loop {
        let before = at.checked_sub(1)?;
        match tokens.kind(before) {
            Kind::Close => at = tokens.mate(before),
            Kind::Name | Kind::Number | Kind::Text | Kind::Regex => at = before,
            _ => return None,
        }
        let Some(before) = at.checked_sub(1) else { return Some(at) };
        if matches!(tokens.mark(before), "." | "?.") {
            at = before;
            continue;
        }
        let is_suffix = matches!(tokens.mark(at), "(" | "[") && !tokens.is_on_new_line(at);
        let has_subject = matches!(tokens.kind(before), Kind::Name | Kind::Close | Kind::Text)
            && !BEGIN.contains(&tokens.mark(before))
            && !tokens.is_operator(before);
        if !(is_suffix && has_subject) {
            return Some(at);
        }
    }
}

/// Writes what a pattern is rewritten to.
pub(super) fn write(tokens: &Tokens<'_>, found: &Match, template: &str) -> String {
    let characters: Vec<char> = template.chars().collect();
    let (mut out, mut at) = (String::new(), 0);
    let is_word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let mut lists = 0;
    while let Some(c) = characters.get(at) {
        let is_operand = *c == '<' && characters.get(at + 2) == Some(&'>');
        let hole = if is_operand { characters.get(at + 1) } else { Some(c) };
        let is_alone = is_operand
            || !is_word(at.checked_sub(1).and_then(|at| characters.get(at)))
                && !is_word(characters.get(at + 1));
        // Each `L` of a pattern is another one.
        let skipped = if hole == Some(&'L') { lists } else { 0 };
        let taken = hole.filter(|_| is_alone).and_then(|hole| {
            let mut of_hole = found.taken.iter().filter(|(it, ..)| it == hole);
            of_hole.nth(skipped)
        });
        let Some((hole, from, to)) = taken else {
            out.push(*c);
            at += 1;
            continue;
        };
        lists += usize::from(*hole == 'L');
        let part = tokens.part(*from, *to);
        let is_block = tokens.mark(*from) == "{" && out.ends_with("=> ");
        let is_loose = is_operand && operand(tokens, *from) != Some(*to);
        if is_block || is_loose {
            out.push('(');
            out.push_str(part);
            out.push(')');
        } else {
            out.push_str(part);
        }
        at += if is_operand { 3 } else { 1 };
    }
    out
}
