//! Messages for a value of the wrong type: the fault and the code to write instead.

use crate::algorithm::trouble::TOGETHER;
use pif_core::fault::{Code, Fault};
use pif_language::form::{Form, Row, Shape};
use pif_language::infer;
use pif_language::infer::swapped;
use pif_language::kinds::{
    self, BOOLEAN, FLOAT, FUNCTION, INTEGER, Kinds, LIST, NULL, NUMBER, NUMBER_OR_STRING, PAIR,
    QUOTED, RECORD, STRING, Wanted,
};

use pif_language::term::{TermId, Terms};
use pif_notation::{called, subject};

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

/// A term with a value of the wrong type, and whose words its fault has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrong<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) term: TermId,
    pub(crate) operand: usize,
    /// Whether the fault quotes the program, which is in the notation.
    pub(crate) is_quoted: bool,
}

impl<'a> Wrong<'a> {
    /// In a note about a term: the program is quoted where it is in the notation.
    pub(crate) fn noted(terms: &'a Terms, term: TermId, operand: usize) -> Self {
        let is_quoted = terms.byte(terms.node(term).token).is_some();
        Self { terms, term, operand, is_quoted }
    }

    /// Names the operand in words.
    fn which(&self) -> String {
        let Self { terms, term, operand, is_quoted } = *self;
        let form = terms.form(term);
        if is_quoted {
            return match terms.evaluated(term).get(operand) {
                Some(part) if operand != TOGETHER => subject(terms, *part),
                _ => format!("the operands of `{}`", called(form)),
            };
        }
        named(terms, term, operand)
    }
}

/// Names an operand by its form and its place.
fn named(terms: &Terms, term: TermId, operand: usize) -> String {
    let form = terms.form(term);
    let (name, is_only) = (form.name(), terms.operands(term).len() == 1);
    match form {
        _ if operand == TOGETHER => format!("the operands of `{name}`"),
        Form::If => "the condition of `if`".to_owned(),
        Form::Quote => "the value of `unquote`".to_owned(),
        Form::Cons => "the tail of `cons`".to_owned(),
        _ if is_only => format!("the operand of `{name}`"),
        _ => format!("the {} operand of `{name}`", ordinal(operand)),
    }
}

/// The fault of a list operand with an element of another type than `wanted`.
pub(crate) fn element(at: Wrong<'_>, (wanted, found): (Wanted, Kinds)) -> Fault {
    let Wrong { terms, term, .. } = at;
    let which = at.which();
    let message = format!(
        "{which} must be {wanted}, not one that holds a value of type {}",
        kinds::name(found)
    );
    let fault = Fault::new(Code::TypeMismatch, message);
    match idiom(terms.form(term), wanted, found) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// The fault of an operand of the wrong type.
pub(crate) fn mismatch(at: Wrong<'_>, (wanted, found): (Wanted, Kinds)) -> Fault {
    let Wrong { terms, term, operand, .. } = at;
    let which = at.which();
    let fault = Fault::new(
        Code::TypeMismatch,
        format!("{which} must be {wanted}, not a value of type {}", kinds::name(found)),
    );
    let form = terms.form(term);
    if let Some(hint) = misplaced(form, operand, wanted, found) {
        return fault.hint(hint);
    }
    // In the place of a function, the fault is about the function's value.
    let accepted = form.accepted(operand);
    let swapped = swapped(terms, term, operand, found);
    if let Some(syntax) = swapped.filter(|_| accepted != kinds::FUNCTION) {
        return fault.hint(format!("the order is {syntax}"));
    }
    let given = terms.operand(term, 0);
    if let Some(Row { shape: Shape::Operand, syntax, .. }) = form.row()
        && LIST & accepted == 0
        && terms.form(given) == Form::List
        && terms.operands(given).len() == 1
        && may_be(terms, terms.operand(given, 0), accepted)
    {
        return fault.hint(format!("write {syntax}, without brackets"));
    }
    if matches!(form, Form::Eq | Form::Lt | Form::Gt | Form::Lte | Form::Gte)
        && terms.operands(term).iter().any(|it| terms.form(*it) == Form::Text)
    {
        return fault.hint(
            r#"a variable is written {"var": "x"}; `parse_int` converts a text to a number"#,
        );
    }
    let hint = idiom(form, wanted, found);
    let bracket =
        form.row().filter(|row| row.shape == Shape::ListOrBare && wanted == Wanted::One(LIST));
    match (bracket, hint) {
        (None, None) => fault,
        (None, Some(hint)) => fault.hint(hint),
        (Some(Row { name, .. }), None) => fault.hint(one_element(name)),
        // The brackets hold an element, not a list written in another way.
        (Some(Row { name, .. }), Some(_)) if !is_of_texts(form) && is_bracketed(terms, term) => {
            fault.hint(one_element(name))
        }
        (Some(Row { name, .. }), Some(hint)) => {
            fault.hint(format!("{hint}; {}", one_element(name)))
        }
    }
}

/// Tells whether the value of a term may have one of these types, as far as the term shows.
fn may_be(terms: &Terms, term: TermId, kinds: Kinds) -> bool {
    let given = infer::given(terms, term);
    given == 0 || given & kinds != 0
}

/// Shows how a form of one list takes a single element.
fn one_element(name: &str) -> String {
    format!(r#"a list of one element has two brackets, {{"{name}": [[a]]}}"#)
}

/// Tells whether people give a form of one list a text as often as a list of one text.
fn is_of_texts(form: Form) -> bool {
    matches!(form, Form::Reverse | Form::Last | Form::Distinct)
}

/// Tells whether the operand of a form is a single literal in brackets.
fn is_bracketed(terms: &Terms, term: TermId) -> bool {
    let operand = terms.form(terms.operand(term, 0));
    matches!(operand, Form::Text | Form::Record | Form::Integer)
}

/// Advises where an operand's type says more than the order of the operands.
fn misplaced(form: Form, operand: usize, wanted: Wanted, found: Kinds) -> Option<&'static str> {
    Some(match (form, operand, found) {
        (Form::Contains | Form::IndexOf, 0, RECORD) => r#"write {"has": [record, key]}"#,
        (Form::Lookup, 0, RECORD) => r#"write {"get": [record, key]}"#,
        (Form::Put, 1, STRING) => r#"to a list, add with {"append": [list, [x]]}"#,
        (Form::Update, 1, STRING) => r#"for each element of a list, write {"map": [f, list]}"#,
        (Form::Slice, 0, RECORD) => r#"write {"pick": [record, [key, …]]}"#,
        (Form::GetIn | Form::PutIn | Form::UpdateIn, 1, STRING) => {
            r#"the path is a list of keys and indices, such as ["a", "b", 0]"#
        }
        (Form::DateAdd, 1, _) if wanted == Wanted::One(RECORD) => {
            r#"write {"date_add": [n, {"record": {"days": 1}}]}"#
        }
        (Form::FormatNumber, 1, INTEGER) => {
            r#"options are a record: {"format_number": [n, {"record": {"decimals": 2}}]}"#
        }
        (Form::FromCharCode, 0, LIST) => {
            r#"write {"join": [{"map": [{"lam": "n", "body": {"from_char_code": {"var": "n"}}}, list]}, ""]}"#
        }
        (Form::Pick | Form::Omit, 1, STRING) => r#"the keys are a list, such as ["a"]"#,
        _ => return None,
    })
}

/// Advises where a form of lists or dates gets a text.
fn of_text(form: Form) -> &'static str {
    match form {
        Form::Head => r#"the first character is {"slice": [s, 0, 1]}"#,
        Form::Tail => r#"all characters but the first are {"slice": [s, 1]}"#,
        Form::Last => r#"the last character is {"slice": [s, -1]}"#,
        Form::Take => r#"the first characters are {"slice": [s, 0, n]}"#,
        Form::Drop => r#"all but the first characters are {"slice": [s, n]}"#,
        Form::Nth => r#"a character is {"nth": [{"chars": s}, i]}"#,
        Form::IsEmpty => r#"for a text, write {"eq": [s, ""]}"#,
        Form::Reverse => r#"for a text, write {"join": [{"reverse": {"chars": s}}, ""]}"#,
        Form::Append => {
            r#"join texts with {"concat": [a, b]}; add an element with {"append": [list, [x]]}"#
        }
        Form::Join => r#"the texts are a list of their own: {"join": [["a", "b"], ","]}"#,
        _ => r#"the characters of a text are {"chars": s}; read JSON text with {"json_parse": s}"#,
    }
}

/// Advises where a form of records gets a list.
fn of_list(form: Form) -> &'static str {
    match form {
        Form::Remove => r#"for a list, write {"filter": [f, list]}"#,
        Form::Merge => r#"join lists with {"append": [a, b]}"#,
        Form::Pick | Form::Omit => {
            r#"for each record in a list, write {"map": [{"lam": "r", "body": {"pick": [{"var": "r"}, ["a"]]}}, list]}"#
        }
        _ => r#"make one with {"from_entries": pairs}"#,
    }
}

/// Advises where a form gets another type than it needs.
#[expect(clippy::too_many_lines, reason = "a table")]
fn idiom(form: Form, wanted: Wanted, found: Kinds) -> Option<&'static str> {
    Some(match (form, wanted, found) {
        (
            Form::DateFormat | Form::DateParts | Form::DateAdd | Form::DateDiff,
            Wanted::One(NUMBER),
            STRING,
        ) => r#"convert a date with {"date_parse": s}"#,
        (Form::DateParse, Wanted::One(STRING), INTEGER | FLOAT) => {
            r#"a number of seconds is already a date; {"date_format": [n]} is its text"#
        }
        (Form::Append, _, INTEGER | FLOAT | BOOLEAN) => {
            r#"add an element with {"append": [list, [x]]}"#
        }
        (Form::Plus | Form::AsText, _, LIST | PAIR) => {
            r#"write x.join(", ") or JSON.stringify(x) for the text of a list"#
        }
        (Form::Plus | Form::AsText, _, RECORD) => {
            "write JSON.stringify(x) for the text of a record"
        }
        (Form::Plus, _, FUNCTION) => "call the function, as in f(x)",
        (Form::Min | Form::Max, Wanted::One(LIST), _) => "give two or more numbers, or a list",
        (Form::Add, Wanted::One(NUMBER), LIST) => {
            r#"join lists with {"append": [a, b]}; {"sum": list} adds up numbers"#
        }
        (Form::Add, Wanted::One(NUMBER), STRING) => {
            r#"join texts with {"concat": [a, b]}; `parse_int` converts a text to a number"#
        }
        (Form::Min | Form::Max, Wanted::One(NUMBER), NULL) => {
            r#"only {"min": [list]} and {"max": [list]} skip null"#
        }
        (_, Wanted::One(NUMBER), STRING) => "convert a text with `parse_int` or `parse_float`",
        (Form::Concat, _, LIST) => r#"join lists with {"append": [a, b]}"#,
        (Form::Concat, _, INTEGER | FLOAT | NUMBER | BOOLEAN) => {
            r#"convert other values with {"to_string": a}"#
        }
        (Form::Length, _, RECORD) => r#"write {"length": {"keys": record}}"#,
        (Form::Nth, Wanted::One(LIST), RECORD) => r#"write {"get": [record, key]}"#,
        (_, Wanted::One(RECORD), LIST) => of_list(form),
        (_, Wanted::One(LIST), RECORD) => {
            r#"write {"values": record}, {"keys": record} or {"entries": record}"#
        }
        (_, Wanted::One(NUMBER | NUMBER_OR_STRING), PAIR) => {
            "the function of `fold` gets one pair (accumulator, item): take it apart with `fst` and `snd`"
        }
        (_, Wanted::One(QUOTED), FUNCTION) => {
            r#"apply a function with {"app": {"func": f, "arg": a}}"#
        }
        (_, Wanted::One(QUOTED), RECORD) => {
            r#"`data` is never code: pass a term as `input`, or make one with {"data_to_term": d}"#
        }
        (_, Wanted::ListOf(NUMBER), STRING) => {
            r#"convert the texts: {"map": [{"lam": "s", "body": {"to_number": {"var": "s"}}}, list]}"#
        }
        (_, Wanted::ListOf(NUMBER), RECORD) => {
            r#"get the number of each: {"map": [{"lam": "r", "body": {"get": [{"var": "r"}, "key"]}}, list]}"#
        }
        (_, Wanted::ListOf(NUMBER), LIST) => {
            r#"{"flatten": lists} is the list of all their elements"#
        }
        (_, Wanted::ListOf(STRING), INTEGER | FLOAT | BOOLEAN) => {
            r#"convert them: {"map": [{"lam": "x", "body": {"to_string": {"var": "x"}}}, list]}"#
        }
        (_, Wanted::One(LIST), STRING) => of_text(form),
        (_, Wanted::One(RECORD), STRING) => r#"read JSON text with {"json_parse": s}"#,
        (Form::FromEntries, _, LIST) => r#"an entry is written {"pair": [key, value]}"#,
        (_, Wanted::One(INTEGER), FLOAT) => {
            "write a number without a point, or convert a float with `to_int` or `round`"
        }
        (_, Wanted::One(PAIR), LIST) => {
            "only a list of two is taken apart as a pair; write `head` and `tail`, or `nth`"
        }
        (_, Wanted::One(PAIR), INTEGER | STRING | BOOLEAN) => {
            "the function of `fold` gets one pair (accumulator, item), the function of `reduce` two arguments"
        }
        _ => return None,
    })
}

/// The fault of an applied value that is not a function.
pub(crate) fn no_function(at: Wrong<'_>, found: Kinds) -> Fault {
    let Wrong { terms, term, operand, is_quoted } = at;
    let name = terms.form(term).name();
    if terms.form(term) == Form::Reduce
        && infer::given(terms, terms.operand(term, operand)) == kinds::FUNCTION
    {
        let message = "`reduce` gives its function two arguments, and this one takes one";
        return Fault::new(Code::NotAFunction, message)
            .hint(r#"write {"lam": ["acc", "x"], "body": t}; `fold` gives one pair"#);
    }
    let message = if is_quoted {
        format!("{} must be a function, not a value of type {}", at.which(), kinds::name(found))
    } else {
        format!("`{name}` needs a function to apply, not a value of type {}", kinds::name(found))
    };
    let fault = Fault::new(Code::NotAFunction, message);
    if let Some(syntax) = swapped(terms, term, operand, found) {
        return fault.hint(format!("the order is {syntax}"));
    }
    fault.hint(match found {
        QUOTED => r#"evaluate it first: {"eval": {"code_of": "name"}}, or write {"tool": "name"}"#,
        STRING => r#"for a tool, write {"tool": "name"}"#,
        RECORD => "`data` is never code: pass a function as `input`",
        _ => r#"write a function as {"lam": "x", "body": t}"#,
    })
}
