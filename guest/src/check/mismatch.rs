//! Messages for a value of the wrong type: the fault and the code to write instead.

use crate::algorithm::trouble::TOGETHER;
use pif_core::fault::{Code, Fault};
use pif_core::hint::Hint;
use pif_language::form::{Form, Row};
use pif_language::hint::syntax;
use pif_language::infer;
use pif_language::infer::is_swapped;
use pif_language::kinds::{self, Kinds, LIST, Wanted};
use pif_language::mistakes::kinds::{applied, placed, typed};

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
    let name = form.name();
    let is_only = terms.operands(term).len() == 1;
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
    let (which, name) = (at.which(), kinds::name(found));
    let message = format!("{which} must be {wanted}, not one that holds a value of type {name}");
    let fault = Fault::new(Code::TypeMismatch, message);
    match typed(at.terms.form(at.term), at.operand, wanted, found) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// The fault of an operand of the wrong type.
pub(crate) fn mismatch(at: Wrong<'_>, (wanted, found): (Wanted, Kinds)) -> Fault {
    let (which, name) = (at.which(), kinds::name(found));
    let message = format!("{which} must be {wanted}, not a value of type {name}");
    let fault = Fault::new(Code::TypeMismatch, message);
    Fault { hint: advice(at, wanted, found), ..fault }
}

/// The hint for an operand of the wrong type.
fn advice(at: Wrong<'_>, wanted: Wanted, found: Kinds) -> Option<Hint> {
    let Wrong { terms, term, operand, .. } = at;
    let form = terms.form(term);
    if let Some(hint) = placed(form, operand, wanted, found) {
        return Some(hint.into());
    }
    // In the place of a function, the fault is about the function's value.
    let accepted = form.accepted(operand);
    if accepted != kinds::FUNCTION && is_swapped(terms, term, operand, found) {
        return Some(syntax("the order is ", form));
    }
    let given = terms.operand(term, 0);
    if let Some(Row { shape, .. }) = form.row()
        && shape.is_bare()
        && LIST & accepted == 0
        && terms.form(given) == Form::List
        && terms.operands(given).len() == 1
        && may_be(terms, terms.operand(given, 0), accepted)
    {
        return Some(syntax("write ", form).words(", without brackets"));
    }
    if matches!(form, Form::Eq | Form::Lt | Form::Gt | Form::Lte | Form::Gte)
        && terms.operands(term).iter().any(|it| terms.form(*it) == Form::Text)
    {
        let behind = "; `parse_int` converts a text to a number";
        return Some(["a variable is written ", r#"{"var": "x"}"#, behind].into());
    }
    let hint = typed(form, operand, wanted, found).map(Hint::from);
    let bracket = form
        .row()
        .filter(|row| row.shape.takes_list() && wanted == Wanted::One(LIST))
        .map(|row| one_element(row.name));
    match (hint, bracket) {
        // The brackets hold an element, not a list written in another way.
        (Some(_), Some(bracket)) if !is_of_texts(form) && is_bracketed(terms, term) => {
            Some(bracket)
        }
        (Some(hint), Some(bracket)) => Some(hint.and(bracket)),
        (hint, bracket) => hint.or(bracket),
    }
}

/// Tells whether the value of a term may have one of these types, as far as the term shows.
fn may_be(terms: &Terms, term: TermId, kinds: Kinds) -> bool {
    let given = infer::given(terms, term);
    given == 0 || given & kinds != 0
}

/// Shows how a form of one list takes a single element.
fn one_element(name: &str) -> Hint {
    let hint = Hint::from("a list of one element has two brackets, ");
    hint.example(format!(r#"{{"{name}": [[a]]}}"#))
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

/// The fault of an applied value that is not a function.
pub(crate) fn no_function(at: Wrong<'_>, found: Kinds) -> Fault {
    let Wrong { terms, term, operand, is_quoted } = at;
    let name = terms.form(term).name();
    if terms.form(term) == Form::Reduce
        && infer::given(terms, terms.operand(term, operand)) == kinds::FUNCTION
    {
        let message = "`reduce` gives its function two arguments, and this one takes one";
        return Fault::new(Code::NotAFunction, message).hint([
            "write ",
            r#"{"lam": ["acc", "x"], "body": t}"#,
            "; `fold` gives one pair",
        ]);
    }
    let message = if is_quoted {
        format!("{} must be a function, not a value of type {}", at.which(), kinds::name(found))
    } else {
        format!("`{name}` needs a function to apply, not a value of type {}", kinds::name(found))
    };
    let fault = Fault::new(Code::NotAFunction, message);
    if is_swapped(terms, term, operand, found) {
        return fault.hint(syntax("the order is ", terms.form(term)));
    }
    match applied(found) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}
