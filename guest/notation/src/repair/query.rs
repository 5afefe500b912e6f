//! Programs of jq and SQL, as far as they mean one thing: a pipe of filters over `data`; all columns
//! of the rows of a table.

use crate::repair::edit::Edit;
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;

/// Functions of jq that apply a filter to each element, and forms. The filter of the first ones gives
/// the value for each element.
const EACH: &[(&str, &str)] = &[
    ("map", "map"),
    ("select", "filter"),
    ("sort_by", "sort_by"),
    ("group_by", ""),
    ("max_by", "max_by"),
    ("min_by", "min_by"),
    ("any", "some"),
    ("all", "every"),
];

/// Functions of jq without a filter.
const WHOLE: &[(&str, &str)] = &[
    ("length", "length"),
    ("add", "sum()"),
    ("sort", "sort()"),
    ("unique", "distinct().sort()"),
    ("first", "[0]"),
    ("last", "at(-1)"),
    ("min", "min()"),
    ("max", "max()"),
    ("reverse", "toReversed()"),
];

/// A program of jq from its first token on.
pub(super) fn jq(tokens: &Tokens<'_>, _at: usize) -> Option<Edit> {
    let is_stage = |at: usize| {
        let name = tokens.mark(at);
        EACH.iter().any(|it| it.0 == name)
            && tokens.text(at + 1) == "("
            && matches!(tokens.mark(at + 2), "." | "{")
            || EACH.iter().any(|it| it.0 == name)
                && tokens.text(at + 1) == "("
                && tokens.mark(at + 2) == "select"
    };
    let is_path = |at: usize| tokens.mark(at) == "." && at + 1 < tokens.len();
    let behind = tokens.mate(0) + 1;
    let is_last = behind == tokens.len() || tokens.mark(behind) == "|";
    let is_list = tokens.text(0) == "[" && is_path(1) && tokens.text(2) == "[" && is_last;
    if !(is_path(0)
        || is_stage(0)
        || is_list
        || (tokens.mark(0) == "length" && tokens.mark(1) == "|"))
    {
        return None;
    }
    let now = if is_list {
        let list = listed(tokens, 1, tokens.mate(0))?;
        if behind == tokens.len() { list } else { pipe(tokens, behind + 1, tokens.len(), &list)? }
    } else {
        pipe(tokens, 0, tokens.len(), "data")?
    };
    Some(Edit::new(tokens.span(0, tokens.len()), now))
}

/// `[.[] | select(.ok) | .name]`
fn listed(tokens: &Tokens<'_>, from: usize, to: usize) -> Option<String> {
    let mut stages = stages(tokens, from, to).into_iter();
    let (from, to) = stages.next()?;
    let brackets = to.checked_sub(2).filter(|at| tokens.text(*at) == "[" && *at > from)?;
    let mut subject = if brackets == from + 1 {
        "data".to_owned()
    } else {
        value(tokens, from, brackets, "data")?
    };
    for (from, to) in stages {
        if tokens.mark(from) == "select" && tokens.mate(from + 1) + 1 == to {
            let test = value(tokens, from + 2, to - 1, "x")?;
            subject = format!("{subject}.filter(x => {test})");
        } else {
            let given = value(tokens, from, to, "x")?;
            subject = format!("{subject}.map(x => {given})");
        }
    }
    Some(subject)
}

/// The stages between `|`.
fn stages(tokens: &Tokens<'_>, from: usize, to: usize) -> Vec<(usize, usize)> {
    let (mut stages, mut begin, mut at) = (Vec::new(), from, from);
    while at < to {
        if tokens.mark(at) == "|" {
            stages.push((begin, at));
            begin = at + 1;
        }
        at = if tokens.kind(at) == Kind::Open { tokens.mate(at) + 1 } else { at + 1 };
    }
    stages.push((begin, to));
    stages
}

/// A pipe of stages that give one value each.
fn pipe(tokens: &Tokens<'_>, from: usize, to: usize, subject: &str) -> Option<String> {
    let mut subject = subject.to_owned();
    for (from, to) in stages(tokens, from, to) {
        let name = tokens.mark(from);
        let each = EACH.iter().find(|it| it.0 == name && it.0 != "select" && !it.1.is_empty());
        let whole = WHOLE.iter().find(|it| it.0 == name);
        subject = if let Some((_, form)) = each.filter(|_| tokens.mate(from + 1) + 1 == to) {
            let (inner, close) = (from + 2, to - 1);
            let is_select = tokens.mark(inner) == "select" && tokens.mate(inner + 1) + 1 == close;
            if is_select && *form == "map" {
                format!("{subject}.filter(x => {})", value(tokens, inner + 2, close - 1, "x")?)
            } else {
                format!("{subject}.{form}(x => {})", value(tokens, inner, close, "x")?)
            }
        } else if let Some((_, member)) = whole.filter(|_| to == from + 1) {
            let point = if member.starts_with('[') { "" } else { "." };
            format!("{subject}{point}{member}")
        } else if tokens.mark(from) == "." {
            value(tokens, from, to, &subject)?
        } else {
            return None;
        };
    }
    Some(subject)
}

/// An expression of jq: each path begins at a subject.
fn value(tokens: &Tokens<'_>, from: usize, to: usize, subject: &str) -> Option<String> {
    if from >= to || stages(tokens, from, to).len() > 1 {
        return None;
    }
    let is_record = tokens.text(from) == "{" && tokens.mate(from) + 1 == to;
    if is_record {
        return record(tokens, from, to, subject);
    }
    let mut out = String::new();
    let (mut last, mut at) = (tokens.start(from), from);
    while at < to {
        let mark = tokens.mark(at);
        let ends = at > from
            && (matches!(tokens.kind(at - 1), Kind::Name | Kind::Close | Kind::Text)
                && !matches!(tokens.mark(at - 1), "and" | "or" | "not"));
        out.push_str(tokens.source.get(last..tokens.start(at))?);
        last = tokens.end(at + 1);
        match mark {
            // Streams of values have no place in an expression.
            "[" if tokens.mate(at) == at + 1 => return None,
            "." if !ends => {
                out.push_str(subject);
                let is_alone = !tokens.is_name(at + 1) && tokens.text(at + 1) != "[";
                if tokens.is_name(at + 1) && tokens.end(at + 1) == tokens.start(at + 1) {
                    out.push('.');
                } else if !is_alone {
                    // `.[0]`
                } else if at + 1 < to
                    && !tokens.is_operator(at + 1)
                    && tokens.kind(at + 1) != Kind::Close
                {
                    return None;
                }
            }
            "and" => out.push_str("&&"),
            "or" => out.push_str("||"),
            "not" | "select" | "map" => return None,
            _ if tokens.is_name(at)
                && !ends
                && tokens.mark(at.saturating_sub(1)) != "."
                && !matches!(mark, "true" | "false" | "null") =>
            {
                return None;
            }
            _ => out.push_str(tokens.text(at)),
        }
        at += 1;
    }
    Some(out)
}

/// `{name, total: .qty}`
fn record(tokens: &Tokens<'_>, from: usize, to: usize, subject: &str) -> Option<String> {
    let (mut members, mut at) = (Vec::new(), from + 1);
    while at < to - 1 {
        let key = tokens.text(at);
        if !matches!(tokens.kind(at), Kind::Name | Kind::Text) {
            return None;
        }
        let mut end = at + 1;
        while end < to - 1 && tokens.mark(end) != "," {
            end = if tokens.kind(end) == Kind::Open { tokens.mate(end) + 1 } else { end + 1 };
        }
        members.push(if end == at + 1 {
            format!("{key}: {subject}.{key}")
        } else if tokens.mark(at + 1) == ":" {
            format!("{key}: {}", value(tokens, at + 2, end, subject)?)
        } else {
            return None;
        });
        at = end + 1;
    }
    Some(format!("({{{}}})", members.join(", ")))
}

/// `SELECT * FROM data WHERE qty > 1 ORDER BY qty DESC LIMIT 3`. A query that names columns may mean
/// records or values.
pub(super) fn sql(tokens: &Tokens<'_>, _at: usize) -> Option<Edit> {
    let is = |at: usize, word: &str| tokens.text(at).eq_ignore_ascii_case(word);
    let is_all = is(0, "select") && is(1, "*") && is(2, "from") && tokens.is_name(3);
    if !is_all {
        return None;
    }
    let mut out = tokens.text(3).to_owned();
    let mut at = 4;
    if is(at, "where") {
        let from = at + 1;
        let ends = |at: &usize| {
            is(*at, "order") || is(*at, "limit") || is(*at, "group") || tokens.mark(*at) == ";"
        };
        let to = (from..tokens.len()).find(ends).unwrap_or(tokens.len());
        out.push_str(&format!(".filter(r => {})", condition(tokens, from, to)?));
        at = to;
    }
    if is(at, "order") && is(at + 1, "by") && tokens.is_name(at + 2) {
        let column = tokens.text(at + 2);
        let is_down = is(at + 3, "desc");
        let order = if is_down { ", \"desc\"" } else { "" };
        out.push_str(&format!(".sort_by(r => r.{column}{order})"));
        at += 3 + usize::from(is_down || is(at + 3, "asc"));
    }
    if is(at, "limit") && tokens.kind(at + 1) == Kind::Number {
        out.push_str(&format!(".take({})", tokens.text(at + 1)));
        at += 2;
    }
    at += usize::from(tokens.mark(at) == ";");
    (at == tokens.len()).then(|| Edit::new(tokens.span(0, at), out))
}

/// A condition of SQL on the columns of a row.
fn condition(tokens: &Tokens<'_>, from: usize, to: usize) -> Option<String> {
    let mut out = Vec::new();
    for at in from..to {
        let text = tokens.text(at);
        let upper = text.to_ascii_uppercase();
        out.push(match (tokens.kind(at), upper.as_str()) {
            (Kind::Name, "AND") => "&&".to_owned(),
            (Kind::Name, "OR") => "||".to_owned(),
            (Kind::Name, "NOT" | "LIKE" | "IN" | "BETWEEN" | "IS" | "EXISTS") => return None,
            (Kind::Name, "NULL" | "TRUE" | "FALSE") => text.to_lowercase(),
            (Kind::Name, _) if tokens.mark(at + 1) == "(" => return None,
            (Kind::Name, _) => format!("r.{text}"),
            (Kind::Mark, "=") => "==".to_owned(),
            (Kind::Mark, "<>") => "!=".to_owned(),
            (Kind::Mark, "." | ",") => return None,
            _ => text.to_owned(),
        });
    }
    (!out.is_empty()).then(|| out.join(" "))
}
