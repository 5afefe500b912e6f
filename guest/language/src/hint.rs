//! Advice for common mistakes: the code to write instead.

use crate::form::Form;
use crate::forms::form_names;
use crate::term::{TermId, Terms};
use pif_core::text::quote::shorten;
use pif_core::text::words;

/// Keys for an operator in other languages. They say more than the keys beside them.
const OPERATOR: &str = "op operator opcode callee";

/// Spellings of other languages, in lower case and without `_`, with blanks between them, and the
/// form to use here.
const IDIOMS: &[(&str, &str)] = &[
    ("+ plus", r#"{"add": [a, b]}"#),
    ("- minus subtract", r#"{"sub": [a, b]}"#),
    ("* times multiply", r#"{"mul": [a, b]}"#),
    ("/ // divide idiv floordiv", r#"{"div": [a, b]}"#),
    ("% modulo rem", r#"{"mod": [a, b]}"#),
    ("** ^ power expt", r#"{"pow": [a, b]}"#),
    ("square sqr", r#"{"mul": [a, a]}"#),
    ("inc increment succ", r#"{"add": [a, 1]}"#),
    ("dec decrement pred", r#"{"sub": [a, 1]}"#),
    ("= == === equals equal", r#"{"eq": [a, b]}"#),
    ("!= <> !== neq ne notequal xor", r#"{"not": {"eq": [a, b]}}"#),
    ("isnull isnone isnil null?", r#"{"eq": [a, null]}"#),
    ("< less", r#"{"lt": [a, b]}"#),
    ("> greater", r#"{"gt": [a, b]}"#),
    ("<= le leq", r#"{"lte": [a, b]}"#),
    (">= ge geq", r#"{"gte": [a, b]}"#),
    ("&&", r#"{"and": [a, b]}"#),
    ("||", r#"{"or": [a, b]}"#),
    ("!", r#"{"not": a}"#),
    ("function lambda fn func λ => arrow", r#"{"lam": "x", "body": t}"#),
    ("apply invoke", r#"{"app": {"func": f, "arg": a}}"#),
    ("for while loop foreach until", r#"{"fold": [f, init, list]}"#),
    ("foldl foldr inject accumulate", r#"{"fold": [f, init, list]}"#),
    ("collect transform mapcar", r#"{"map": [f, list]}"#),
    ("where select grep", r#"{"filter": [f, list]}"#),
    ("orderby sortby sortwith", r#"{"sort_by": [f, list]}"#),
    ("groupby bucket", r#"{"group_by": [f, list]}"#),
    ("unique uniq dedupe dedup", r#"{"distinct": [list]}"#),
    ("average avg", r#"{"mean": [list]}"#),
    ("maximum", r#"{"max": [list]}"#),
    ("minimum", r#"{"min": [list]}"#),
    ("car first", r#"{"head": list}"#),
    ("cdr rest", r#"{"tail": list}"#),
    ("at index elt", r#"{"nth": [list, i]}"#),
    ("extend listconcat ++", r#"{"append": [a, b]}"#),
    ("push", r#"{"append": [list, [x]]}"#),
    ("list array", "[a, b, …]"),
    (
        "then else ternary ? unless ifelse if-else condif iif",
        r#"{"if": {"cond": c, "then": t, "else": e}}"#,
    ),
    ("switch case when match elif elseif", r#"{"cond": [[test, value], …]}"#),
    ("let* define def bind begin do", r#"{"let": [["x", t]], "in": b}"#),
    (
        "letrec letrec* labels flet letfn fix",
        r#"{"letrec": [["f", {"lam": "x", "body": t}]], "in": b}"#,
    ),
    ("raise throw error assert", r#"{"fail": t}"#),
    ("catch rescue except", r#"{"try": t, "catch": f}"#),
    ("compose |> ->>", r#"{"pipe": [x, f, g]}"#),
    ("print log console.log puts", r#"{"trace": [label, t]}"#),
    ("const literal value number integer string text true false null none", "the bare JSON value"),
    ("variable name ref $", r#"{"var": "x"}"#),
    ("nil? empty", r#"{"isEmpty": list}"#),
    ("len size count strlen", r#"{"length": list}"#),
    ("recur recurse rec", r#"{"self": true}"#),
    ("substring substr", r#"{"slice": [s, from, to]}"#),
    ("uppercase touppercase upcase", r#"{"upper": s}"#),
    ("lowercase tolowercase downcase", r#"{"lower": s}"#),
    ("strip", r#"{"trim": s}"#),
    ("str stringof totext tostr", r#"{"to_string": a}"#),
    ("parseint atoi int toint tonumber", r#"{"parse_int": s}"#),
    ("jsonencode jsonstringify tojson", r#"{"json_text": a}"#),
    ("json jsondecode fromjson", r#"{"json_parse": s}"#),
    ("regex regexp regexmatch test", r#"{"matches": [s, regex]}"#),
    ("dict object hash struct", r#"{"record": {"k": t}}"#),
    ("lookup field prop getattr", r#"{"get": [record, key]}"#),
    ("set assoc", r#"{"put": [record, key, value]}"#),
    ("in includes member", r#"{"contains": [list, x]}"#),
    ("exists haskey", r#"{"has": [record, key]}"#),
    ("typeof type", r#"{"type_of": a}"#),
    (OPERATOR, r#"{"add": [a, b]}: the name of the form is the key"#),
    ("return result yield expr expression term code", "the term itself: its value is the result"),
    ("import require use", r#"{"tool": "name"}"#),
    (
        "now today random rand sleep fetch http readfile open env",
        "the value as `data`: a run has no clock, no random numbers and no network",
    ),
    (
        "input data args arguments params argument",
        r#"{"lam": "x", "body": t}: the variable is the argument"#,
    ),
    ("some exist", r#"{"any": [f, list]}"#),
    ("every forall", r#"{"all": [f, list]}"#),
    ("format sprintf template interpolate", r#"{"concat": [a, b, …]}"#),
    ("delete del dissoc", r#"{"remove": [record, key]}"#),
    ("items pairs", r#"{"entries": record}"#),
    ("sublist", r#"{"take": [{"drop": [list, n]}, n]}"#),
    ("ceiling", r#"{"ceil": a}"#),
];

/// Idioms that are just as likely to be keys of data. Beside other keys they say nothing.
const NOUNS: &str = "\
    args array at average avg case code count data dict empty end env error expr field first \
    format hash in index input integer items json list log match maximum member minimum minus \
    name number object open pairs params plus power rand random ref rem rest result set size \
    string struct template term test text times today true type unique value variable where";

/// Most keys of an object to look at, and most names to compare. Advice is for human code, and no
/// fuel pays for it.
pub const MOST_KEYS: usize = 16;
const MOST_NAMES: usize = 1_000;

/// Characters of the longest name that may be a typo.
pub const LONGEST: usize = 64;

/// Advises on an object whose keys name no form. Each key comes with whether its value is a scalar.
/// `excerpt` is the beginning of the object.
#[must_use]
pub fn for_keys(keys: &[(&str, bool)], excerpt: &str) -> String {
    let plain = plain(keys, excerpt);
    let single = keys.len() == 1;
    let keys = || keys.iter().copied().filter(|(key, _)| key.len() <= LONGEST);
    let idiom = |(key, is_scalar): (&str, bool)| {
        let word = spelling(key);
        let found = idiom_of(&word)?;
        let is_noun = words::has(NOUNS, &word);
        (single || !is_noun).then_some((found, is_noun && is_scalar))
    };
    let operator = || keys().filter_map(idiom).find(|((names, _), _)| *names == OPERATOR);
    if let Some(((_, form), may_be_plain)) = operator().or_else(|| keys().find_map(idiom)) {
        let verb = if form.starts_with("the value") { "pass" } else { "write" };
        return if may_be_plain {
            format!("{plain}; or {verb} {form}")
        } else {
            format!("{verb} {form}")
        };
    }
    if let Some((name, _)) = keys().find(|(key, _)| key.starts_with("std_")) {
        return format!(
            r#"a tool is called {{"app": {{"func": {{"tool": "{name}"}}, "arg": a}}}}"#
        );
    }
    let meant = |(key, is_scalar): (&str, bool)| {
        let name = word(key).or_else(|| nearest(key, form_names()))?;
        (single || !is_scalar).then_some((name, is_scalar))
    };
    match keys().find_map(meant) {
        Some((name, true)) => format!("{plain}; or did you mean `{name}`?"),
        Some((name, false)) => format!("did you mean `{name}`? Else {plain}"),
        None => format!(
            r#"{plain}, or passed as `data`; a tool is called {{"app": {{"func": {{"tool": "name"}}, "arg": a}}}}"#
        ),
    }
}

/// Whether a key is a form's, or one that people write for a form.
#[must_use]
pub fn is_meant_for_form(key: &str) -> bool {
    if Form::of_key(key).is_some() || key.starts_with("std_") {
        return true;
    }
    let word = spelling(key);
    idiom_of(&word).is_some() && !words::has(NOUNS, &word)
}

/// A key as the idioms are spelled.
#[inline(never)]
fn spelling(key: &str) -> String {
    key.to_lowercase().replace('_', "")
}

/// The idiom with a spelling.
fn idiom_of(word: &str) -> Option<&'static (&'static str, &'static str)> {
    IDIOMS.iter().find(|(names, _)| words::has(names, word))
}

/// Whether the only key of an object is one that people write for a form, or nearly one; whether
/// its value is no list and no object.
#[must_use]
pub fn is_nearly_form(key: &str, is_scalar: bool) -> bool {
    let is_idiom = || idiom_of(&spelling(key)).is_some();
    let is_marked = key.contains(['.', '$']) && word(key).is_some();
    is_marked
        || !is_scalar && (word(key).is_some() || is_idiom() || nearest(key, form_names()).is_some())
}

/// Shows how to write an object as a record in code. A long or nested object shows only its first
/// key.
fn plain(keys: &[(&str, bool)], excerpt: &str) -> String {
    let is_whole = excerpt.ends_with('}') && excerpt.matches('{').count() == 1;
    let members = match keys.first() {
        Some((key, _)) if !is_whole => format!(r#"{{"{}":t,…}}"#, shorten(key)),
        _ => excerpt.to_owned(),
    };
    format!(r#"a plain object is written {{"record":{members}}}"#)
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
pub fn for_text(text: &str) -> &'static str {
    let text = text.trim_start();
    let is_function = ["lambda", "function", "fn", "def ", "λ", "\\"]
        .into_iter()
        .any(|word| text.starts_with(word));
    if is_function || text.contains("=>") || text.contains("->") {
        r#"code is JSON: a function is written {"lam": "x", "body": t}, and its variable {"var": "x"}"#
    } else if text.starts_with(['{', '[', '"']) {
        "fix the JSON there: use double quotes, and no comma before a closing bracket"
    } else {
        r#"code is JSON: a form is an object such as {"add": [1, 2]}, a variable {"var": "x"}"#
    }
}

/// Returns the spelling with `letrec`, if a variable is in a function that a `let` binds to its name.
#[must_use]
pub fn recursive(terms: &Terms, variable: TermId) -> Option<String> {
    let (name, token) = (terms.only_name(variable), terms.node(variable).token);
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
    let row = Form::Letrec.row().filter(|_| found)?;
    Some(format!("a function bound by `let` does not see itself; write {}", row.syntax))
}

/// Returns the candidate nearest to `name`, if it is close enough.
pub fn nearest<'a>(name: &str, mut candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(name, &mut candidates)
}

#[inline(never)]
fn nearest_of<'a>(name: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let allowed = 1 + length / 4;
    // The distance of two names is at least the difference of their lengths.
    let is_near =
        |candidate: &&str| candidate.chars().take(2 * LONGEST).count().abs_diff(length) <= allowed;
    let candidates = candidates.filter(is_near).take(MOST_NAMES);
    let ranked = candidates.map(|candidate| (distance(name, candidate), candidate));
    let best = ranked.min_by_key(|(distance, _)| *distance)?;
    (best.0 <= allowed).then_some(best.1)
}

/// Counts the edits between two names, without regard to case. Two swapped neighbors are one edit.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    // The row before the last, the last row, and this one.
    let mut rows = [const { Vec::new() }; 3];
    let [above, last, row] = &mut rows;
    *row = (0..=b.len()).collect();
    let mut before = None;
    for (i, x) in a.to_lowercase().chars().enumerate() {
        std::mem::swap(above, last);
        std::mem::swap(last, row);
        row.clear();
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let change = at(last, j) + usize::from(x != *y);
            let mut least = change.min(at(last, j + 1) + 1).min(at(row, j) + 1);
            if j > 0 && before == Some(*y) && b.get(j - 1) == Some(&x) {
                least = least.min(at(above, j - 1) + 1);
            }
            row.push(least);
        }
        before = Some(x);
    }
    row.last().copied().unwrap_or_default()
}
