//! Operators before their operands, as in Lisp: `(+ 1 (* 2 x))`.

use crate::repair::edit::Edit;
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;

/// Operators of Lisp and those of the notation.
const OPERATORS: &[(&str, &str)] = &[
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("<", "<"),
    (">", ">"),
    ("<=", "<="),
    (">=", ">="),
    ("=", "=="),
    ("==", "=="),
    ("and", "&&"),
    ("or", "||"),
    ("&&", "&&"),
    ("||", "||"),
];

/// Functions of Lisp and those of the notation.
const FUNCTIONS: &[(&str, &str)] = &[
    ("car", "head"),
    ("first", "head"),
    ("cdr", "tail"),
    ("rest", "tail"),
    ("length", "length"),
    ("count", "length"),
    ("reverse", "reverse"),
    ("max", "max"),
    ("min", "min"),
    ("map", "map"),
    ("mapcar", "map"),
    ("filter", "filter"),
    ("sqrt", "sqrt"),
    ("abs", "abs"),
    ("mod", "mod"),
];

/// The outermost list around a fault whose parts all are of Lisp.
pub(super) fn prefix(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let at = tokens.at(byte)?;
    let mut open = tokens.around(at)?;
    if tokens.kind(at) == Kind::Open && tokens.text(at) == "(" && !is_list(tokens, open) {
        open = at;
    }
    while let Some(outer) = tokens.around(open).filter(|outer| is_list(tokens, *outer)) {
        open = outer;
    }
    is_list(tokens, open).then_some(())?;
    let now = write(tokens, open)?;
    Some(Edit::new(tokens.span(open, tokens.mate(open) + 1), now))
}

/// Tells whether a list begins with an operator or a word, and an operand without a comma follows.
fn is_list(tokens: &Tokens<'_>, open: usize) -> bool {
    let is_apart = tokens.end(open + 2) < tokens.start(open + 2);
    let close = tokens.mate(open);
    let head = tokens.mark(open + 1);
    let is_word = matches!(head, "if" | "lambda" | "not")
        || OPERATORS.iter().any(|it| it.0 == head)
        || FUNCTIONS.iter().any(|it| it.0 == head);
    tokens.text(open) == "("
        && is_word
        && is_apart
        && close > open + 2
        && (open + 2..close).all(|at| !matches!(tokens.mark(at), "," | ":" | "=>" | ";"))
}

/// A piece of work: a list to write, or text behind it.
enum Work {
    Part(usize),
    Text(String),
}

fn write(tokens: &Tokens<'_>, open: usize) -> Option<String> {
    let (mut out, mut work) = (String::new(), vec![Work::Part(open)]);
    while let Some(next) = work.pop() {
        let at = match next {
            Work::Text(text) => {
                out.push_str(&text);
                continue;
            }
            Work::Part(at) => at,
        };
        if tokens.kind(at) != Kind::Open {
            out.push_str(tokens.text(at));
            continue;
        }
        if tokens.text(at) != "(" {
            return None;
        }
        let parts = parts(tokens, at)?;
        let (head, rest) = parts.split_first()?;
        let pieces = list(tokens, *head, rest)?;
        work.extend(pieces.into_iter().rev());
    }
    Some(out)
}

/// The parts of a list.
fn parts(tokens: &Tokens<'_>, open: usize) -> Option<Vec<usize>> {
    let (mut at, close, mut parts) = (open + 1, tokens.mate(open), Vec::new());
    while at < close {
        let is_operand =
            matches!(tokens.kind(at), Kind::Name | Kind::Number | Kind::Text | Kind::Open);
        if !is_operand && !parts.is_empty() {
            return None;
        }
        parts.push(at);
        at = if tokens.kind(at) == Kind::Open { tokens.mate(at) + 1 } else { at + 1 };
    }
    Some(parts)
}

fn list(tokens: &Tokens<'_>, head: usize, rest: &[usize]) -> Option<Vec<Work>> {
    let name = tokens.mark(head);
    let text = |text: &str| Work::Text(text.to_owned());
    let find = |table: &[(&str, &'static str)]| table.iter().find(|it| it.0 == name).map(|it| it.1);
    let mut out = Vec::new();
    match (name, rest) {
        ("if", [test, yes, no]) => {
            out.extend([text("("), Work::Part(*test), text(" ? "), Work::Part(*yes)]);
            out.extend([text(" : "), Work::Part(*no), text(")")]);
        }
        ("not", [operand]) => out.extend([text("!"), Work::Part(*operand)]),
        ("-", [operand]) => out.extend([text("-"), Work::Part(*operand)]),
        ("lambda", [names, body]) if tokens.text(*names) == "(" => {
            let names: Vec<&str> =
                parts(tokens, *names)?.iter().map(|at| tokens.text(*at)).collect();
            out.extend([
                Work::Text(format!("(({}) => ", names.join(", "))),
                Work::Part(*body),
                text(")"),
            ]);
        }
        (_, [_, _, ..]) if find(OPERATORS).is_some() => {
            let mark = find(OPERATORS)?;
            // A chain of comparisons is one of each two neighbors.
            if rest.len() > 2 && !matches!(mark, "+" | "-" | "*" | "/" | "&&" | "||") {
                return None;
            }
            out.push(text("("));
            for (index, part) in rest.iter().enumerate() {
                if index > 0 {
                    out.push(Work::Text(format!(" {mark} ")));
                }
                out.push(Work::Part(*part));
            }
            out.push(text(")"));
        }
        _ => {
            out.push(Work::Text(format!("{}(", find(FUNCTIONS)?)));
            for (index, part) in rest.iter().enumerate() {
                if index > 0 {
                    out.push(text(", "));
                }
                out.push(Work::Part(*part));
            }
            out.push(text(")"));
        }
    }
    Some(out)
}
