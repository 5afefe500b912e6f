//! The operators of the notation, its words, and the names of forms.

use pif_language::form::{Callback, Form, Row, Shape};

/// An operator between two operands.
#[derive(Debug)]
pub(crate) struct Operator {
    pub(crate) mark: &'static str,
    /// How tightly it binds.
    pub(crate) precedence: u8,
    pub(crate) form: Form,
    pub(crate) style: Style,
}

/// How operands and operators of one kind go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `a + b + c` is one form of three.
    Many,
    /// `a - b - c` is `(a - b) - c`.
    Left,
    /// `a ** b ** c` is `a ** (b ** c)`.
    Right,
    /// `a < b < c` is refused.
    Single,
}

pub(crate) const PIPE: u8 = 1;
pub(crate) const ARROW: u8 = 2;
pub(crate) const CHOICE: u8 = 3;
pub(crate) const EITHER: u8 = 4;
pub(crate) const BOTH: u8 = 5;
pub(crate) const EQUALITY: u8 = 9;
pub(crate) const SUM: u8 = 12;
pub(crate) const POWER: u8 = 14;
pub(crate) const PREFIX: u8 = 15;
pub(crate) const PATH: u8 = 16;
/// Where anything may stand.
pub(crate) const ROOT: u8 = 0;
/// The precedence of a subject before a point that protects nothing before it.
pub(crate) const SUBJECT: u8 = PATH + 1;
/// The precedence of what closes itself, such as a call.
pub(crate) const ATOM: u8 = PATH + 2;

/// The operators. The printer takes the first of a form.
pub(crate) const OPERATORS: [Operator; 28] = {
    use Style::{Left, Many, Right, Single};
    const fn row(mark: &'static str, precedence: u8, form: Form, style: Style) -> Operator {
        Operator { mark, precedence, form, style }
    }
    [
        row("|>", PIPE, Form::Pipe, Many),
        row("??", EITHER, Form::Coalesce, Many),
        row("||", EITHER, Form::Or, Many),
        row("||", EITHER, Form::Either, Many),
        row("&&", BOTH, Form::And, Many),
        row("&&", BOTH, Form::Both, Many),
        row("|", 6, Form::Bits, Left),
        row("^", 7, Form::Bits, Left),
        row("&", 8, Form::Bits, Left),
        row("==", EQUALITY, Form::Eq, Single),
        row("!=", EQUALITY, Form::Not, Single),
        row("<=", 10, Form::Lte, Single),
        row("<", 10, Form::Lt, Single),
        row(">=", 10, Form::Gte, Single),
        row(">", 10, Form::Gt, Single),
        row("<<", 11, Form::Bits, Left),
        row(">>", 11, Form::Bits, Left),
        row(">>>", 11, Form::Bits, Left),
        row("+", SUM, Form::Plus, Many),
        row("+", SUM, Form::Add, Many),
        row("+", SUM, Form::Concat, Many),
        row("-", SUM, Form::Sub, Left),
        row("*", 13, Form::Mul, Many),
        row("/", 13, Form::Divide, Left),
        row("%", 13, Form::Rem, Left),
        row("**", POWER, Form::Pow, Right),
        row("===", EQUALITY, Form::Eq, Single),
        row("!==", EQUALITY, Form::Not, Single),
    ]
};

/// The operator that a form is written with, if it has one of its own.
pub(crate) fn operator(form: Form) -> Option<&'static Operator> {
    let has_own = !matches!(form, Form::Bits | Form::Not);
    OPERATORS.iter().find(|row| row.form == form && has_own)
}

/// The operator of a mark.
pub(crate) fn marked(mark: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.mark == mark)
}

/// How many words, from the first, are values.
pub(crate) const CONSTANTS: usize = 6;

/// Words that are no names of variables: those of values, then those of the language.
pub(crate) const WORDS: [&str; 34] = [
    "true",
    "false",
    "null",
    "undefined",
    "Infinity",
    "NaN",
    "if",
    "else",
    "const",
    "let",
    "var",
    "return",
    "function",
    "for",
    "of",
    "in",
    "while",
    "do",
    "break",
    "continue",
    "switch",
    "case",
    "default",
    "try",
    "catch",
    "finally",
    "throw",
    "new",
    "typeof",
    "void",
    "delete",
    "async",
    "await",
    "instanceof",
];

/// Tells whether a form is called by its name: all but those that have a notation of their own.
pub(crate) fn is_called(form: Form) -> bool {
    let has_own = |row: &Row| {
        matches!(
            row.shape,
            Shape::Lambda
                | Shape::Bindings
                | Shape::Functions
                | Shape::Name
                | Shape::Application
                | Shape::Fields
        )
    };
    !form.row().is_some_and(has_own)
}

/// The form of a name, which may be in `camelCase`.
pub(crate) fn form(name: &str) -> Option<Form> {
    if let Some(form) = Form::of_key(name) {
        return Some(form);
    }
    if name.len() > 24 || !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    Form::of_key(&snake)
}

/// Which operand of a form stands before the point where it is written as a member.
pub(crate) fn subject(form: Form) -> usize {
    form.row().map_or(0, |row| row.subject)
}

/// The function that a form applies to elements; nothing of other forms.
pub(crate) fn callback(form: Form) -> Option<Callback> {
    form.row()?.callback
}
