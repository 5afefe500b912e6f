//! Replacements of matches, and their groups.

use super::compiled::{Compiled, Spans};
use super::pattern::whole;
use super::{Evaluated, Evaluator};
use pif::fault::Code;
use regex::Regex;

/// A piece of a replacement.
pub(super) enum Piece {
    Text(String),
    /// A group; none that there is not.
    Group(Option<usize>),
    Before,
    After,
}

/// The pieces of a replacement in the syntax of the Rust crates.
pub(super) fn pieces(regex: &Compiled, to: &str) -> Result<Vec<Piece>, Code> {
    let named = Regex::new(r"^\$(?:\$|([0-9A-Za-z_]+)|\{([^}]*)\})").map_err(|_| Code::Internal)?;
    let (mut pieces, mut rest) = (Vec::new(), to);
    while let Some(c) = rest.chars().next() {
        let Some(found) = named.captures(rest) else {
            pieces.push(Piece::Text(c.to_string()));
            rest = &rest[c.len_utf8()..];
            continue;
        };
        rest = &rest[found[0].len()..];
        let Some(name) = found.get(1).or(found.get(2)) else {
            pieces.push(Piece::Text("$".to_owned()));
            continue;
        };
        let group = match name.as_str().parse::<u32>() {
            Ok(number) => Some(number as usize).filter(|number| *number < regex.groups()),
            Err(_) => {
                let mut names = regex.names().into_iter();
                names.find(|(known, _)| known == name.as_str()).map(|(_, number)| number)
            }
        };
        pieces.push(Piece::Group(Some(group.ok_or(Code::Regex)?)));
    }
    Ok(pieces)
}

/// The pieces of a replacement in the syntax of JavaScript.
pub(super) fn script_pieces(regex: &Compiled, to: &str) -> Vec<Piece> {
    let (mut pieces, mut rest) = (Vec::new(), to);
    while let Some(c) = rest.chars().next() {
        let number = |digits: usize| {
            let text = rest.get(1..=digits)?;
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse::<usize>().ok().filter(|_| is_number)?;
            (1..regex.groups())
                .contains(&number)
                .then_some((Piece::Group(Some(number)), 1 + digits))
        };
        let name = || {
            let names = regex.names();
            let (name, _) =
                rest.strip_prefix("$<")?.split_once('>').filter(|_| !names.is_empty())?;
            let group = names.iter().find(|(known, _)| known == name).map(|(_, number)| *number);
            Some((Piece::Group(group), name.len() + 3))
        };
        let (piece, length) = match rest.get(..2) {
            Some("$$") => (Piece::Text("$".to_owned()), 2),
            Some("$&") => (Piece::Group(Some(0)), 2),
            Some("$`") => (Piece::Before, 2),
            Some("$'") => (Piece::After, 2),
            _ if c == '$' => number(2)
                .or_else(|| number(1))
                .or_else(name)
                .unwrap_or((Piece::Text("$".to_owned()), 1)),
            _ => (Piece::Text(c.to_string()), c.len_utf8()),
        };
        pieces.push(piece);
        rest = &rest[length..];
    }
    pieces
}

pub(super) fn has_groups(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| matches!(piece, Piece::Group(Some(1..))))
}

impl Evaluator {
    /// The dollars of a replacement, when it is paid for.
    pub(super) fn dollars(&mut self, to: &str) -> Result<u64, Code> {
        self.charge_texts(&[to])?;
        let dollars = to.matches('$').count() as u64;
        self.work(dollars)?;
        Ok(dollars)
    }

    pub(super) fn replaced(
        &mut self,
        s: &str,
        found: &[Spans],
        pieces: &[Piece],
        dollars: u64,
    ) -> Evaluated {
        let (mut out, mut copied) = (String::new(), 0);
        for spans in found {
            self.work(1 + dollars)?;
            let (start, end) = whole(spans);
            out.push_str(&s[copied..start]);
            for piece in pieces {
                match piece {
                    Piece::Text(text) => out.push_str(text),
                    Piece::Before => out.push_str(&s[..start]),
                    Piece::After => out.push_str(&s[end..]),
                    Piece::Group(group) => {
                        let span = group.and_then(|group| spans.get(group).copied().flatten());
                        out.push_str(span.map_or("", |(a, b)| &s[a..b]));
                    }
                }
            }
            copied = end;
            if out.len() as u64 > self.longest() / 2 {
                return Err(Code::TooLarge);
            }
        }
        out.push_str(&s[copied..]);
        if out.len() as u64 > self.longest() / 2 {
            return Err(Code::TooLarge);
        }
        self.made(&out)
    }
}

/// Whether a replacement has a group as other languages write it: `\1`, `$&`, `$<name>`, `\g<name>`.
/// A mark that stands twice is none.
pub(super) fn names_a_group_otherwise(to: &str) -> bool {
    let other = regex::Regex::new(r"^(?:\\[0-9]|\$&|(?:\$|\\g)<[0-9A-Za-z_]+>)");
    let Ok(other) = other else { return false };
    let mut rest = to;
    while let Some(at) = rest.find(['\\', '$']) {
        let (mark, after) = rest[at..].split_at(1);
        if other.is_match(&rest[at..]) {
            return true;
        }
        rest = after.strip_prefix(mark).unwrap_or(after);
    }
    false
}
