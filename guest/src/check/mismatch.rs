//! A value of the wrong type, in words: what is wrong, and what to write instead.

use crate::algorithm::trouble::TOGETHER;
use crate::fault::{Code, Fault};
use crate::language::form::{Form, Row, Shape};
use crate::language::infer;
use crate::language::infer::swapped;
use crate::language::kinds;
use crate::language::kinds::Kinds;

use crate::language::term::{TermId, Terms};

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
    if let Some(hint) = misplaced(form, operand, wanted, found) {
        return fault.hint(hint);
    }
    if form == Form::Get
        && operand == 0
        && matches!(found, "list" | "string")
        && terms.form(terms.operand(term, 1)) == Form::Text
        && terms.text(terms.operand(term, 1)) == "length"
    {
        return fault.hint(r#"write {"length": l}"#);
    }
    // Where a function is needed, it is what the function gives that is wrong.
    let accepted = form.accepted(operand);
    let swapped = swapped(terms, term, operand, kinds::of_name(found));
    if let Some(syntax) = swapped.filter(|_| accepted != kinds::FUNCTION) {
        return fault.hint(format!("the order is {syntax}"));
    }
    let given = terms.operand(term, 0);
    if let Some(Row { shape: Shape::Operand, syntax, .. }) = form.row()
        && kinds::of_name("list") & accepted == 0
        && terms.form(given) == Form::List
        && terms.operands(given).len() == 1
        && may_be(terms, terms.operand(given, 0), accepted)
    {
        return fault.hint(format!("write {syntax}, without brackets"));
    }
    if matches!(form, Form::Eq | Form::Lt | Form::Gt | Form::Lte | Form::Gte)
        && terms.operands(term).iter().any(|it| terms.form(*it) == Form::Text)
    {
        return fault
            .hint(r#"a variable is written {"var": "x"}; `parse_int` makes a number of a text"#);
    }
    let hint = idiom(form, wanted, found);
    let bracket = form.row().filter(|row| row.shape == Shape::ListOrBare && wanted == "a list");
    match (bracket, hint) {
        (None, None) => fault,
        (None, Some(hint)) => fault.hint(hint),
        (Some(Row { name, .. }), None) => fault.hint(one_element(name)),
        // What is written there is an element, and no list that is written otherwise.
        (Some(Row { name, .. }), Some(_)) if !is_of_texts(form) && is_bracketed(terms, term) => {
            fault.hint(one_element(name))
        }
        (Some(Row { name, .. }), Some(hint)) => {
            fault.hint(format!("{hint}; {}", one_element(name)))
        }
    }
}

/// Whether the value of a term may be of one of these types, as far as can be seen.
fn may_be(terms: &Terms, term: TermId, kinds: Kinds) -> bool {
    let given = infer::given(terms, term);
    given == 0 || given & kinds != 0
}

/// How a form of one list takes a single element.
fn one_element(name: &str) -> String {
    format!(r#"a list of one element has two brackets, {{"{name}": [[a]]}}"#)
}

/// Whether texts are given to a form of one list as often as lists of one text.
fn is_of_texts(form: Form) -> bool {
    matches!(form, Form::Reverse | Form::Last | Form::Distinct)
}

/// Whether the operand of a form is written out as a single value in brackets.
fn is_bracketed(terms: &Terms, term: TermId) -> bool {
    let operand = terms.form(terms.operand(term, 0));
    matches!(operand, Form::Text | Form::Record | Form::Integer)
}

/// What to write where the type of an operand tells more than the order of the operands does.
fn misplaced(form: Form, operand: usize, wanted: &str, found: &str) -> Option<&'static str> {
    Some(match (form, operand, found) {
        (Form::Contains | Form::IndexOf, 0, "record") => r#"write {"has": [record, key]}"#,
        (Form::Slice, 0, "record") => r#"write {"pick": [record, [key, …]]}"#,
        (Form::GetIn | Form::PutIn | Form::UpdateIn, 1, "string") => {
            r#"the path is a list of keys and indices, such as ["a", "b", 0]"#
        }
        (Form::Put, 0, "list") => of_list(form),
        (Form::DateAdd, 1, _) if wanted == "a record" => {
            r#"write {"date_add": [n, {"record": {"days": 1}}]}"#
        }
        (Form::FormatNumber, 1, "integer") => {
            r#"options are a record: {"format_number": [n, {"record": {"decimals": 2}}]}"#
        }
        (Form::FromCharCode, 0, "list") => {
            r#"write {"join": [{"map": [{"lam": "n", "body": {"from_char_code": {"var": "n"}}}, list]}, ""]}"#
        }
        (Form::Pick | Form::Omit, 1, "string") => r#"the keys are a list, such as ["a"]"#,
        (Form::Get | Form::Has | Form::Put | Form::Remove | Form::Update, 1, "integer")
            if wanted == "a string" =>
        {
            r#"a key is a text: write "1" for 1, or {"to_string": a}"#
        }
        _ => return None,
    })
}

/// What to write where a form of lists or of dates is given a text.
fn of_text(form: Form) -> &'static str {
    match form {
        Form::Head => r#"the first character is {"slice": [s, 0, 1]}"#,
        Form::Tail => r#"all characters but the first are {"slice": [s, 1]}"#,
        Form::Last => r#"the last character is {"slice": [s, -1]}"#,
        Form::Take => r#"the first characters are {"slice": [s, 0, n]}"#,
        Form::Drop => r#"all but the first characters are {"slice": [s, n]}"#,
        Form::Nth => r#"a character is {"nth": [{"chars": s}, i]}"#,
        Form::IsEmpty => r#"of a text write {"eq": [s, ""]}"#,
        Form::Reverse => r#"of a text write {"join": [{"reverse": {"chars": s}}, ""]}"#,
        Form::Append => {
            r#"join texts with {"concat": [a, b]}; an element is added by {"append": [list, [x]]}"#
        }
        Form::Join => r#"the texts are a list of their own: {"join": [["a", "b"], ","]}"#,
        _ => r#"the characters of a text are {"chars": s}; JSON text is read by {"json_parse": s}"#,
    }
}

/// What to write where a form of records is given a list.
fn of_list(form: Form) -> &'static str {
    match form {
        Form::Get | Form::GetIn => r#"of a list {"nth": [list, i]} is an element"#,
        Form::Has => r#"of a list write {"contains": [list, x]}"#,
        Form::Keys => r#"the indices of a list are {"range": [0, {"length": list}]}"#,
        Form::Values => "a list has no keys: write the list itself",
        Form::Entries => r#"of a list write {"enumerate": [list]}"#,
        Form::Put => {
            r#"of a list write {"append": [list, [x]]}, or change its elements with {"map": [f, list]}"#
        }
        Form::Update => r#"of a list write {"map": [f, list]}"#,
        Form::Remove => r#"of a list write {"filter": [f, list]}"#,
        Form::Merge => r#"join lists with {"append": [a, b]}"#,
        Form::Pick | Form::Omit => {
            r#"of each record in a list: {"map": [{"lam": "r", "body": {"pick": [{"var": "r"}, ["a"]]}}, list]}"#
        }
        _ => r#"make one with {"from_entries": pairs}"#,
    }
}

/// What to write where a form is given something else than it wants.
#[expect(clippy::too_many_lines, reason = "a table")]
fn idiom(form: Form, wanted: &str, found: &str) -> Option<&'static str> {
    Some(match (form, wanted, found) {
        (
            Form::DateFormat | Form::DateParts | Form::DateAdd | Form::DateDiff,
            "a number",
            "string",
        ) => r#"a date becomes a number by {"date_parse": s}"#,
        (Form::DateParse, "a string", "integer" | "float") => {
            r#"a number of seconds is a date already; {"date_format": [n]} is its text"#
        }
        (Form::Append, "a list", "integer" | "float" | "boolean") => {
            r#"an element is added by {"append": [list, [x]]}"#
        }
        (Form::Min | Form::Max, "a list", _) => "give two or more numbers, or a list",
        (Form::Add, "a number", "list") => {
            r#"join lists with {"append": [a, b]}; {"sum": list} adds up numbers"#
        }
        (Form::Add, "a number", "string") => {
            r#"join texts with {"concat": [a, b]}; `parse_int` makes a number of a text"#
        }
        (Form::Min | Form::Max, "a number", "null") => {
            r#"only {"min": [list]} and {"max": [list]} pass over null"#
        }
        (_, "a number", "string") => "a text becomes a number by `parse_int` or `parse_float`",
        (Form::Concat, _, "list") => r#"join lists with {"append": [a, b]}"#,
        (Form::Concat, _, "integer" | "float" | "number" | "boolean") => {
            r#"write {"to_string": a} for what is no text"#
        }
        (Form::Length, _, "record") => r#"write {"length": {"keys": record}}"#,
        (Form::Get | Form::GetIn, "a record", "pair") => "take pairs apart with `fst` and `snd`",
        (Form::Nth, "a list", "record") => r#"write {"get": [record, key]}"#,
        (_, "a record", "list") => of_list(form),
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
        (_, "a list", "string") => of_text(form),
        (_, "a record", "string") => r#"JSON text is read by {"json_parse": s}"#,
        (Form::FromEntries, _, "list") => r#"an entry is written {"pair": [key, value]}"#,
        (_, "an integer", "float") => {
            "write a number without a point, or make an integer of a float with `to_int` or `round`"
        }
        (_, "a pair", "list") => "take lists apart with `head` and `tail`",
        (_, "a pair", "integer" | "string" | "boolean") => {
            "the function of `fold` gets one pair (accumulator, item), the function of `reduce` two arguments"
        }
        _ => return None,
    })
}

/// Something that is no function is to be applied.
pub(crate) fn no_function(terms: &Terms, term: TermId, operand: usize, found: &str) -> Fault {
    let name = terms.form(term).name();
    if terms.form(term) == Form::Reduce
        && infer::given(terms, terms.operand(term, operand)) == kinds::FUNCTION
    {
        let message = "`reduce` gives its function two arguments, and this one takes one";
        return Fault::new(Code::NotAFunction, message)
            .hint(r#"write {"lam": ["acc", "x"], "body": t}; `fold` gives one pair"#);
    }
    let message = format!("`{name}` needs a function to apply, not a value of type {found}");
    let fault = Fault::new(Code::NotAFunction, message);
    if let Some(syntax) = swapped(terms, term, operand, kinds::of_name(found)) {
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
