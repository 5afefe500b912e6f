//! Words and patterns of other languages: the tables of mistakes, applied at the place of a fault.

use crate::repair::edit::Edit;
use crate::repair::pattern::{find, write};
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;
use crate::table::WORDS;
use pif_language::hint::only_near;
use pif_language::mistakes::rewrites::REWRITES;
use pif_language::mistakes::words::{self, AFTER, BEFORE, NAME, Places, REFUSED};

/// The pattern that matches around a token, or around the one before it.
pub(super) fn rewrite(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let at = tokens.at(byte).unwrap_or(tokens.len());
    let before = at.checked_sub(1).filter(|it| tokens.is_name(*it));
    // A comprehension may be wrong before its `for`.
    let open = tokens.around(at);
    let inner =
        open.and_then(|open| (open..tokens.mate(open)).find(|it| tokens.mark(*it) == "for"));
    [Some(at), before, inner].into_iter().flatten().find_map(|at| {
        REWRITES.iter().find_map(|row| {
            let found = find(tokens, row.from, at)?;
            if row.is_statement && !tokens.begins_statement(found.from) {
                return None;
            }
            let now = write(tokens, &found, row.to);
            Some(Edit::new(tokens.span(found.from, found.to), now))
        })
    })
}

/// The word that is meant by another one at a place.
pub(super) fn word(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let at = tokens.at(byte)?;
    // No parameter stands before this arrow.
    let is_member = at > 1 && tokens.is_name(at - 1) && tokens.mark(at - 2) == ".";
    if tokens.mark(at) == "=>" && is_member {
        return Some(Edit::new(tokens.span(at, at + 1), ">="));
    }
    let before = at.checked_sub(1).filter(|it| tokens.is_name(*it));
    let now = |at: usize, places| replaced(tokens, at, places);
    now(at, BEFORE | AFTER | REFUSED).or_else(|| now(before?, AFTER))
}

/// The word that is meant by a name that nothing binds.
pub(super) fn name(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    replaced(tokens, tokens.at(byte)?, NAME)
}

fn replaced(tokens: &Tokens<'_>, at: usize, places: Places) -> Option<Edit> {
    let mark = Some(tokens.mark(at)).filter(|mark| !mark.is_empty())?;
    let now = words::find(places, mark)?.now?;
    Some(Edit::new(tokens.span(at, at + 1), now))
}

/// A word of the notation in place of the name before a fault, if only one is near.
pub(super) fn near_word(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let here = tokens.at(byte).unwrap_or(tokens.len());
    let at = [here.checked_sub(1)?, here].into_iter().find(|at| {
        let name = tokens.text(*at);
        let is_member = at.checked_sub(1).is_some_and(|it| matches!(tokens.mark(it), "." | "?."));
        // A word alone in its line is a value.
        let goes_on = at + 1 < tokens.len()
            && !tokens.is_on_new_line(at + 1)
            && tokens.kind(at + 1) != Kind::Close
            && tokens.mark(at + 1) != ";";
        tokens.is_name(*at) && !is_member && goes_on && name.len() > 2 && !WORDS.contains(&name)
    })?;
    let now = only_near(tokens.text(at), &mut WORDS.iter().copied())?;
    Some(Edit::new(tokens.span(at, at + 1), now))
}

/// Without the type behind a name: `(x: number, y?: T[]) => …`, `const a: Map<string, number> = …`
pub(super) fn types(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let at = tokens.at(byte).filter(|at| tokens.mark(*at) == ":" && *at > 1)?;
    let from = if tokens.mark(at - 1) == "?" { at - 1 } else { at };
    let end = type_end(tokens, at + 1)?;
    let is_bound = matches!(tokens.mark(from - 2), "const" | "let" | "var");
    let is_declared = tokens.is_name(from - 1) && is_bound && tokens.mark(end) == "=";
    let is_result = tokens.text(from - 1) == ")" && matches!(tokens.mark(end), "=>" | "{");
    let is_parameter = tokens.around(at).is_some_and(|open| {
        let behind = tokens.mate(open) + 1;
        let begins = matches!(tokens.mark(from - 2), "(" | "," | "...") || from - 2 == open;
        tokens.text(open) == "("
            && begins
            && tokens.is_name(from - 1)
            && matches!(tokens.mark(behind), "=>" | "{" | ":")
            && matches!(tokens.mark(end), "," | ")" | "=")
    });
    let is_type = is_declared || is_result || is_parameter;
    is_type.then(|| Edit::new((tokens.end(from), tokens.end(end)), ""))
}

/// The token behind a type: names, with what stands in angles, `[]`, and alternatives.
fn type_end(tokens: &Tokens<'_>, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match tokens.kind(at) {
            Kind::Name | Kind::Text => at += 1,
            Kind::Open if tokens.text(at) == "{" => at = tokens.mate(at) + 1,
            _ => return None,
        }
        if tokens.mark(at) == "<" {
            let mut depth = 0_i32;
            while at < tokens.len() {
                depth += match tokens.mark(at) {
                    "<" => 1,
                    ">" => -1,
                    ">>" => -2,
                    _ => 0,
                };
                at += 1;
                if depth <= 0 {
                    break;
                }
            }
        }
        while tokens.text(at) == "[" && tokens.mate(at) == at + 1 {
            at += 2;
        }
        if tokens.mark(at) != "|" {
            return Some(at);
        }
        at += 1;
    }
}

/// `let` before the first assignment of a name.
pub(super) fn undeclared(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let at = tokens.at(byte)?;
    let name = tokens.text(at);
    let is_first = || (0..at).all(|it| !tokens.is_name(it) || tokens.text(it) != name);
    let is_used = || (at + 1..tokens.len()).any(|it| tokens.text(it) == name);
    let is_bare = tokens.around(at).is_none();
    let is_assigned = tokens.is_name(at) && tokens.mark(at + 1) == "=";
    if !is_assigned || !is_bare || !tokens.begins_statement(at) || !is_first() || !is_used() {
        return None;
    }
    Some(Edit::new((tokens.start(at), tokens.start(at)), "let "))
}
