//! Advice for common mistakes: the code to write instead.

use crate::form::Form;
use crate::forms::form_names;
use crate::mistakes::names;
use crate::term::{TermId, Terms};
use pif_core::hint::Hint;
use pif_core::text::quote::shorten;
use std::borrow::Cow;
use strsim::osa_distance;

/// Most keys of an object to look at, and most names to compare. Advice is for human code, and no
/// fuel pays for it.
pub const MOST_KEYS: usize = 16;
const MOST_NAMES: usize = 1_000;

/// Characters of the longest name that may be a typo.
pub const LONGEST: usize = 64;

/// Advises on an object whose keys name no form. Each key comes with whether its value is a scalar.
/// `excerpt` is the beginning of the object.
#[must_use]
pub fn for_keys(keys: &[(&str, bool)], excerpt: &str) -> Hint {
    let plain = plain(keys, excerpt);
    let single = keys.len() == 1;
    let keys = || keys.iter().copied().filter(|(key, _)| key.len() <= LONGEST);
    let mistake = |(key, is_scalar): (&str, bool)| {
        let (names, is_noun) = names::of_key(key)?;
        (single || !is_noun).then_some((names, is_noun && is_scalar))
    };
    let operator = || keys().filter_map(mistake).find(|(names, _)| names.is_operator);
    if let Some((names, may_be_plain)) = operator().or_else(|| keys().find_map(mistake)) {
        let hint = names.hint();
        return if may_be_plain { plain.words("; or ").extend(hint) } else { hint };
    }
    let meant = |(key, is_scalar): (&str, bool)| {
        let name = word(key).or_else(|| nearest(key, form_names()))?;
        (single || !is_scalar).then_some((name, is_scalar))
    };
    match keys().find_map(meant) {
        Some((name, true)) => plain.words(format!("; or did you mean `{name}`?")),
        Some((name, false)) => Hint::from(format!("did you mean `{name}`? Else ")).extend(plain),
        None => {
            let call = r#"{"app": {"func": {"tool": "name"}, "arg": a}}"#;
            plain.words(", or passed as `data`").and(["a tool is called ", call])
        }
    }
}

/// Tells whether a key is a form's, or one that people write for a form.
#[must_use]
pub fn is_meant_for_form(key: &str) -> bool {
    Form::of_key(key).is_some() || names::of_key(key).is_some_and(|(_, is_noun)| !is_noun)
}

/// Tells whether the only key of an object is one that people write for a form, or nearly one.
/// `is_scalar` tells whether its value is no list and no object.
#[must_use]
pub fn is_nearly_form(key: &str, is_scalar: bool) -> bool {
    let is_marked = key.contains(['.', '$']) && word(key).is_some();
    let is_near = || nearest(key, form_names()).is_some();
    is_marked || !is_scalar && (word(key).is_some() || names::of_key(key).is_some() || is_near())
}

/// Shows how to write an object as a record in code. A long or nested object shows only its first
/// key.
fn plain(keys: &[(&str, bool)], excerpt: &str) -> Hint {
    let is_whole = excerpt.ends_with('}') && excerpt.matches('{').count() == 1;
    let members = match keys.first() {
        Some((key, _)) if !is_whole => format!(r#"{{"{}":t,…}}"#, shorten(key)),
        _ => excerpt.to_owned(),
    };
    Hint::from("a plain object is written ").example(format!(r#"{{"record":{members}}}"#))
}

/// Finds the form in a key such as `Math.floor`, `$var` or `sum_list`: all of it after a mark, or
/// one of its words.
fn word(key: &str) -> Option<&'static str> {
    let bare = key.rsplit(['.', '$', ':', '@']).next().unwrap_or(key);
    let known = |name: &str| Form::of_key(name).and_then(Form::row).map(|row| row.name);
    // A word of two letters says too little.
    known(bare).or_else(|| bare.split('_').filter(|word| word.len() > 2).find_map(known))
}

/// Advises on code that is not JSON.
#[must_use]
pub fn for_text(text: &str) -> Hint {
    let text = text.trim_start();
    let is_function = ["lambda", "function", "fn", "def ", "λ", "\\"]
        .into_iter()
        .any(|word| text.starts_with(word));
    if is_function || text.contains("=>") || text.contains("->") {
        let lambda = r#"{"lam": "x", "body": t}"#;
        let variable = r#"{"var": "x"}"#;
        ["code is JSON: a function is written ", lambda, ", and its variable ", variable].into()
    } else if text.starts_with(['{', '[', '"']) {
        "fix the JSON there: use double quotes, and no comma before a closing bracket".into()
    } else {
        let form = r#"{"add": [1, 2]}"#;
        let variable = r#"{"var": "x"}"#;
        ["code is JSON: a form is an object such as ", form, ", a variable ", variable].into()
    }
}

/// Shows how a form is written.
#[must_use]
pub fn syntax(before: impl Into<Cow<'static, str>>, form: Form) -> Hint {
    // A second way to write it begins an object, too.
    let ways = form.row().map_or("", |row| row.syntax).split_inclusive(" or {");
    let (mut hint, mut open) = (Hint::default().words(before), "");
    for way in ways {
        let (way, or) = way.strip_suffix(" or {").map_or((way, ""), |way| (way, " or "));
        hint = hint.example(format!("{open}{way}")).words(or);
        open = "{";
    }
    hint
}

/// Returns the spelling with `letrec`, if a variable is in a function that a `let` binds to its name.
#[must_use]
pub fn recursive(terms: &Terms, variable: TermId) -> Option<Hint> {
    let name = terms.only_name(variable);
    let token = terms.node(variable).token;
    let holds = |function: TermId| {
        let from = terms.node(function).token;
        terms.form(function) == Form::Lam && (from..terms.tape.after(from)).contains(&token)
    };
    // A term comes after those in it.
    let mut around = (variable..terms.len()).filter(|it| terms.form(*it) == Form::Let);
    let found = around.any(|it| {
        let bound = terms.operands(it).split_last().map_or(&[][..], |(_, bound)| bound);
        terms.names(it).contains(&name) && bound.iter().any(|function| holds(*function))
    });
    let before = "a function bound by `let` does not see itself; write ";
    found.then(|| syntax(before, Form::Letrec))
}

/// Returns the candidate nearest to `name`, whatever the case, if it is close enough. Two swapped
/// neighbors are one edit.
pub fn nearest<'a>(name: &str, mut candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(name, &mut candidates)
}

#[inline(never)]
fn nearest_of<'a>(name: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let allowed = 1 + length / 4;
    // The distance of two names is at least the difference of their lengths.
    let is_near =
        |candidate: &&str| candidate.chars().take(2 * LONGEST).count().abs_diff(length) <= allowed;
    let candidates = candidates.filter(is_near).take(MOST_NAMES);
    let ranked =
        candidates.map(|candidate| (osa_distance(&name, &candidate.to_lowercase()), candidate));
    let best = ranked.min_by_key(|(distance, _)| *distance)?;
    (best.0 <= allowed).then_some(best.1)
}

/// The digits of a name. Nobody writes one by mistake for a letter.
fn digits(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(char::is_ascii_digit)
}

/// Returns the only candidate that is near to `name`, for a sure repair: one edit away, two where the
/// name has eight letters or more and none is one edit away, or equal but for its case. On a tie
/// there is none.
pub fn only_near<'a>(name: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if !(3..=LONGEST).contains(&length) {
        return None;
    }
    let allowed = if length < 8 { 1 } else { 2 };
    let lower = name.to_lowercase();
    // Names that are equal but for their case, then those that are one or two edits away.
    let mut found: [Vec<&str>; 3] = Default::default();
    for candidate in candidates.take(MOST_NAMES) {
        let is_close = candidate.len() > 2
            && candidate.len().abs_diff(name.len()) <= 2 * allowed
            && digits(candidate).eq(digits(name));
        if candidate == name || !is_close {
            continue;
        }
        let edits = osa_distance(&lower, &candidate.to_lowercase());
        if let Some(group) = found.get_mut(edits).filter(|_| edits <= allowed)
            && !group.contains(&candidate)
        {
            group.push(candidate);
        }
    }
    let group = found.iter().find(|group| !group.is_empty())?;
    // Of names that are equal but for their case, the one with fewer other letters.
    let first = group.first()?.to_lowercase();
    let edits = |candidate: &str| osa_distance(name, candidate);
    let least = group.iter().map(|candidate| edits(candidate)).min()?;
    let mut best = group.iter().filter(|candidate| edits(candidate) == least);
    let is_one_name = group.iter().all(|candidate| candidate.to_lowercase() == first);
    best.next().copied().filter(|_| is_one_name && best.next().is_none())
}
