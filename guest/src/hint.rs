//! Advice for the mistakes that people and models make: what to write instead.

use crate::form::Form;
use crate::parse::form_names;

/// Spellings from other languages, and the form that does it here.
const IDIOMS: &[(&[&str], &str)] = &[
    (&["+", "plus"], r#"{"add": [a, b]}"#),
    (&["-", "minus", "subtract"], r#"{"sub": [a, b]}"#),
    (&["*", "times", "multiply"], r#"{"mul": [a, b]}"#),
    (&["/", "//", "divide", "idiv"], r#"{"div": [a, b]}"#),
    (&["%", "modulo", "rem"], r#"{"mod": [a, b]}"#),
    (&["**", "^", "power", "expt"], r#"{"pow": [a, b]}"#),
    (&["=", "==", "===", "equals", "equal"], r#"{"eq": [a, b]}"#),
    (&["!=", "<>", "!==", "neq", "ne", "not_equal"], r#"{"not": {"eq": [a, b]}}"#),
    (&["<", "less"], r#"{"lt": [a, b]}"#),
    (&[">", "greater"], r#"{"gt": [a, b]}"#),
    (&["<=", "le", "leq"], r#"{"lte": [a, b]}"#),
    (&[">=", "ge", "geq"], r#"{"gte": [a, b]}"#),
    (&["&&"], r#"{"and": [a, b]}"#),
    (&["||"], r#"{"or": [a, b]}"#),
    (&["!"], r#"{"not": a}"#),
    (&["function", "lambda", "fn", "func", "λ", "=>"], r#"{"lam": "x", "body": t}"#),
    (&["call", "apply", "invoke"], r#"{"app": {"func": f, "arg": a}}"#),
    (&["for", "while", "loop", "foreach"], r#"{"fold": [f, init, list]}"#),
    (&["reduce", "foldl", "foldr", "inject", "accumulate"], r#"{"fold": [f, init, list]}"#),
    (&["collect", "transform", "mapcar"], r#"{"map": [f, list]}"#),
    (&["where", "select", "grep"], r#"{"filter": [f, list]}"#),
    (&["order_by", "orderby", "sortby", "sort_with"], r#"{"sort_by": [f, list]}"#),
    (&["groupby", "bucket"], r#"{"group_by": [f, list]}"#),
    (&["unique", "uniq", "dedupe", "dedup"], r#"{"distinct": [list]}"#),
    (&["average", "avg"], r#"{"mean": [list]}"#),
    (&["maximum"], r#"{"max": [list]}"#),
    (&["minimum"], r#"{"min": [list]}"#),
    (&["car", "first"], r#"{"head": list}"#),
    (&["cdr", "rest"], r#"{"tail": list}"#),
    (&["at", "index", "elt"], r#"{"nth": [list, i]}"#),
    (&["extend", "list_concat", "++"], r#"{"append": [a, b]}"#),
    (&["push"], r#"{"append": [list, [x]]}"#),
    (&["list", "array"], "[a, b, …]"),
    (&["then", "else", "ternary", "?"], r#"{"if": {"cond": c, "then": t, "else": e}}"#),
    (&["switch", "case", "when", "match"], r#"{"cond": [[test, value], …]}"#),
    (
        &["let*", "letrec", "define", "def", "bind", "begin", "do"],
        r#"{"let": [["x", t]], "in": b}"#,
    ),
    (&["raise", "throw", "error"], r#"{"fail": t}"#),
    (&["catch", "rescue", "except"], r#"{"try": t, "catch": f}"#),
    (&["compose", "|>", "->>"], r#"{"pipe": [x, f, g]}"#),
    (&["print", "log", "console.log", "puts"], r#"{"trace": [label, t]}"#),
    (&["const", "literal", "value", "number", "string"], "the bare JSON value"),
    (&["variable", "name", "ref", "$"], r#"{"var": "x"}"#),
    (&["nil?", "empty", "null?", "is_empty"], r#"{"isEmpty": list}"#),
    (&["len", "size", "count", "strlen"], r#"{"length": list}"#),
    (&["recur", "recurse", "rec"], r#"{"self": true}"#),
    (&["substring", "substr"], r#"{"slice": [s, from, to]}"#),
    (&["uppercase", "touppercase", "upcase"], r#"{"upper": s}"#),
    (&["lowercase", "tolowercase", "downcase"], r#"{"lower": s}"#),
    (&["strip"], r#"{"trim": s}"#),
    (&["str", "tostring", "string_of"], r#"{"to_string": a}"#),
    (&["parseint", "atoi"], r#"{"parse_int": s}"#),
    (&["json_encode", "json_stringify", "tojson"], r#"{"json_text": a}"#),
    (&["json_decode", "fromjson"], r#"{"json_parse": s}"#),
    (&["regex", "regexp", "regex_match", "test"], r#"{"matches": [s, regex]}"#),
    (&["dict", "object", "hash", "struct"], r#"{"record": {"k": t}}"#),
    (&["lookup", "field", "prop", "getattr"], r#"{"get": [record, key]}"#),
    (&["set", "assoc"], r#"{"put": [record, key, value]}"#),
    (&["in", "includes", "member"], r#"{"contains": [list, x]}"#),
    (&["exists", "has_key"], r#"{"has": [record, key]}"#),
    (&["typeof", "type"], r#"{"type_of": a}"#),
    (&["op", "operator", "opcode"], r#"{"add": [a, b]}: the name of the form is the key"#),
    (&["ifelse", "if-else", "cond_if", "iif"], r#"{"if": {"cond": c, "then": t, "else": e}}"#),
    (&["return", "result", "yield"], "the term itself: its value is what it returns"),
    (&["import", "require", "use"], r#"{"tool": "name"}"#),
    (&["now", "today", "random", "rand"], "the value as `data`: a run has no clock and no chance"),
];

/// Keys of an object that are looked at, and names that are compared: advice is for what people
/// write, and no fuel pays for it.
const MOST_KEYS: usize = 16;
const MOST_NAMES: usize = 1_000;

/// Characters of a name that can be a slip of the pen.
pub(crate) const LONGEST: usize = 64;

/// What to write instead of an object with these keys, none of which is a form.
#[must_use]
pub fn for_keys(keys: &[&str]) -> String {
    let keys = keys.get(..MOST_KEYS).unwrap_or(keys);
    let keys = || keys.iter().filter(|key| key.len() <= LONGEST);
    let idiom = |key: &&str| {
        let lower = key.to_lowercase();
        IDIOMS.iter().find(|(names, _)| names.contains(&lower.as_str())).map(|(_, form)| *form)
    };
    // Such as `Math.floor` or `$var`.
    let bare = |key: &&str| key.rsplit(['.', '$', ':', '@']).next().and_then(Form::of_key);
    if let Some(form) = keys().find_map(idiom) {
        let verb = if form.starts_with("the value") { "pass" } else { "write" };
        return format!("{verb} {form}");
    }
    let meant = |key| bare(key).map(Form::name).or_else(|| nearest(key, form_names()));
    if let Some(name) = keys().find_map(meant) {
        return format!("did you mean `{name}`?");
    }
    "an object must have a form key, such as `lam`, `app`, `add`; pass plain objects as `data`"
        .into()
}

/// The candidate that differs least from `name`, if it is close enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let allowed = 1 + length / 4;
    // Names differ by at least as much as their lengths do.
    let is_near =
        |candidate: &&str| candidate.chars().take(2 * LONGEST).count().abs_diff(length) <= allowed;
    let candidates = candidates.filter(is_near).take(MOST_NAMES);
    let ranked = candidates.map(|candidate| (distance(name, candidate), candidate));
    let best = ranked.min_by_key(|(distance, _)| *distance)?;
    (best.0 <= allowed).then_some(best.1)
}

/// Levenshtein distance, without regard to case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let change = corner + usize::from(x != *y);
            corner = *cell;
            left = change.min(corner + 1).min(left + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}
