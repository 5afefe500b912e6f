//! A value of the wrong type, in words: what is wrong, and what to write instead.

use crate::fault::{Code, Fault};
use crate::form::{Form, Row, Shape};
use crate::kind::{self, swapped};
use crate::primitive::TOGETHER;
use crate::term::{TermId, Terms};

fn ordinal(operand: usize) -> String {
    match operand {
        0 => "first".to_owned(),
        1 => "second".to_owned(),
        2 => "third".to_owned(),
        _ => match (operand + 1, (operand + 1) % 10) {
            (n, 1) if n % 100 != 11 => format!("{n}st"),
            (n, 2) if n % 100 != 12 => format!("{n}nd"),
            (n, 3) if n % 100 != 13 => format!("{n}rd"),
            (n, _) => format!("{n}th"),
        },
    }
}

/// What an operand is called.
fn which(terms: &Terms, term: TermId, operand: usize) -> String {
    let form = terms.form(term);
    let (name, is_only) = (form.name(), terms.operands(term).len() == 1);
    match form {
        _ if operand == TOGETHER => format!("the operands of `{name}`"),
        Form::If => "the condition of `if`".to_owned(),
        Form::Quote => "what `unquote` puts into a quote".to_owned(),
        Form::Cons => "the tail of `cons`".to_owned(),
        _ if is_only => format!("the operand of `{name}`"),
        _ => format!("the {} operand of `{name}`", ordinal(operand)),
    }
}

/// An operand is a list, but there is a value of another type in it than in `wanted`.
pub(crate) fn element(
    terms: &Terms,
    term: TermId,
    operand: usize,
    (wanted, found): (&str, &str),
) -> Fault {
    let which = which(terms, term, operand);
    let message = format!("{which} must be {wanted}, not one with a value of type {found} in it");
    let fault = Fault::new(Code::TypeMismatch, message);
    match idiom(terms.form(term), wanted, found) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// An operand is of another type than it must be.
pub(crate) fn mismatch(
    terms: &Terms,
    term: TermId,
    operand: usize,
    (wanted, found): (&str, &str),
) -> Fault {
    let which = which(terms, term, operand);
    let fault = Fault::new(
        Code::TypeMismatch,
        format!("{which} must be {wanted}, not a value of type {found}"),
    );
    let form = terms.form(term);
    // Where a function is needed, it is what the function gives that is wrong.
    let accepted = kind::accepted(form, operand);
    let swapped = swapped(terms, term, operand, kind::of_name(found));
    if let Some(syntax) = swapped.filter(|_| accepted != kind::FUNCTION) {
        return fault.hint(format!("the order is {syntax}"));
    }
    let given = terms.operand(term, 0);
    if let Some(Row { shape: Shape::Operand, syntax, .. }) = form.row()
        && kind::of_name("list") & accepted == 0
        && terms.form(given) == Form::List
        && terms.operands(given).len() == 1
    {
        return fault.hint(format!("write {syntax}, without brackets"));
    }
    if matches!(form, Form::Eq | Form::Lt | Form::Gt | Form::Lte | Form::Gte)
        && terms.operands(term).iter().any(|it| terms.form(*it) == Form::Text)
    {
        return fault
            .hint(r#"a variable is written {"var": "x"}; `parse_int` makes a number of a text"#);
    }
    match idiom(form, wanted, found) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// What to write where a form is given something else than it wants.
#[expect(clippy::too_many_lines, reason = "a table")]
fn idiom(form: Form, wanted: &str, found: &str) -> Option<&'static str> {
    Some(match (form, wanted, found) {
        (Form::Append, "a list", "integer" | "float" | "string" | "boolean") => {
            r#"an element is added by {"append": [list, [x]]}"#
        }
        (Form::Min | Form::Max, "a list", _) => "give two or more numbers, or a list",
        (Form::Add, "a number", "list") => {
            r#"join lists with {"append": [a, b]}; {"sum": list} adds up numbers"#
        }
        (Form::Add, "a number", "string") => {
            r#"join texts with {"concat": [a, b]}; `parse_int` makes a number of a text"#
        }
        (Form::Min | Form::Max, "a number", "unit") => {
            r#"only {"min": [list]} and {"max": [list]} pass over null"#
        }
        (_, "a number", "string") => "a text becomes a number by `parse_int` or `parse_float`",
        (Form::Concat, _, "list") => r#"join lists with {"append": [a, b]}"#,
        (Form::Concat, _, "integer" | "float" | "number" | "boolean") => {
            r#"write {"to_string": a} for what is no text"#
        }
        (Form::Head | Form::Tail, _, "string") => {
            r#"take texts apart with {"slice": [s, from, to]} or {"chars": s}"#
        }
        (Form::Length, _, "record") => r#"write {"length": {"keys": record}}"#,
        (Form::Get | Form::GetIn, "a record", "list") => {
            r#"of a list {"nth": [list, i]} is an element"#
        }
        (Form::Get | Form::GetIn, "a record", "pair") => "take pairs apart with `fst` and `snd`",
        (Form::Nth, "a list", "record") => r#"write {"get": [record, key]}"#,
        (_, "a record", "list") => r#"make one with {"from_entries": pairs}"#,
        (_, "a list", "record") => {
            r#"write {"values": record}, {"keys": record} or {"entries": record}"#
        }
        (_, "a number" | "a number or a string", "pair") => {
            "the function of `fold` gets one pair (accumulator, item): take it apart with `fst` and `snd`"
        }
        (_, "a quoted term", "function") => {
            r#"apply a function with {"app": {"func": f, "arg": a}}"#
        }
        (_, "a quoted term", "record") => {
            r#"`data` is never code: pass a term as `input`, or make one with {"data_to_term": d}"#
        }
        (_, "a list of numbers", "string") => {
            r#"make numbers of texts: {"map": [{"lam": "s", "body": {"parse_int": {"var": "s"}}}, list]}"#
        }
        (_, "a list of numbers", "record") => {
            r#"get the number of each: {"map": [{"lam": "r", "body": {"get": [{"var": "r"}, "key"]}}, list]}"#
        }
        (_, "a list of numbers", "list") => {
            r#"{"flatten": lists} is the list of all their elements"#
        }
        (_, "a list of strings", "integer" | "float" | "boolean") => {
            r#"make texts of them: {"map": [{"lam": "x", "body": {"to_string": {"var": "x"}}}, list]}"#
        }
        (_, "a list" | "a record", "string") => r#"JSON text is read by {"json_parse": s}"#,
        (Form::FromEntries, _, "list") => r#"an entry is written {"pair": [key, value]}"#,
        (_, "an integer", "float") => {
            "write a number without a point, or make an integer of a float with `to_int` or `round`"
        }
        (_, "a pair", "list") => "take lists apart with `head` and `tail`",
        (_, "a pair", "integer" | "string" | "boolean") => {
            "the function of `fold` gets one pair: (accumulator, item)"
        }
        _ => return None,
    })
}

/// Something that is no function is to be applied.
pub(crate) fn no_function(terms: &Terms, term: TermId, operand: usize, found: &str) -> Fault {
    let name = terms.form(term).name();
    let message = format!("`{name}` needs a function to apply, not a value of type {found}");
    let fault = Fault::new(Code::NotAFunction, message);
    if let Some(syntax) = swapped(terms, term, operand, kind::of_name(found)) {
        return fault.hint(format!("the order is {syntax}"));
    }
    fault.hint(match found {
        "quoted" => {
            r#"evaluate it first: {"eval": {"code_of": "name"}}, or write {"tool": "name"}"#
        }
        "string" => r#"a tool is named by {"tool": "name"}"#,
        "record" => "`data` is never code: pass a function as `input`",
        _ => r#"a function is written {"lam": "x", "body": t}"#,
    })
}
