//! The operators of the notation, the words that are no names, and the names that other languages
//! have for what a form does.

use pif_language::form::{Evaluation, Form};
use pif_language::kinds::FUNCTION;

/// An operator between two operands.
#[derive(Debug)]
pub(crate) struct Operator {
    pub(crate) mark: &'static str,
    /// How tightly it binds.
    pub(crate) level: u8,
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
    /// Like `Single`, and the form is negated.
    Negated,
}

pub(crate) const PIPE: u8 = 1;
pub(crate) const ARROW: u8 = 2;
pub(crate) const CHOICE: u8 = 3;
pub(crate) const EITHER: u8 = 4;
pub(crate) const BOTH: u8 = 5;
pub(crate) const POWER: u8 = 10;
pub(crate) const PREFIX: u8 = 11;
pub(crate) const PATH: u8 = 12;
/// Where anything may stand.
pub(crate) const ROOT: u8 = 0;
/// The level of a subject before a point that protects nothing before it.
pub(crate) const SUBJECT: u8 = PATH + 1;
/// What closes itself.
pub(crate) const ATOM: u8 = PATH + 2;

/// The operators. The printer takes the first of a form.
pub(crate) const OPERATORS: [Operator; 18] = {
    use Style::{Left, Many, Negated, Right, Single};
    const fn row(mark: &'static str, level: u8, form: Form, style: Style) -> Operator {
        Operator { mark, level, form, style }
    }
    [
        row("|>", PIPE, Form::Pipe, Many),
        row("??", EITHER, Form::Coalesce, Many),
        row("||", EITHER, Form::Or, Many),
        row("&&", BOTH, Form::And, Many),
        row("==", 6, Form::Eq, Single),
        row("===", 6, Form::Eq, Single),
        row("!=", 6, Form::Eq, Negated),
        row("!==", 6, Form::Eq, Negated),
        row("<=", 7, Form::Lte, Single),
        row("<", 7, Form::Lt, Single),
        row(">=", 7, Form::Gte, Single),
        row(">", 7, Form::Gt, Single),
        row("+", 8, Form::Add, Many),
        row("-", 8, Form::Sub, Left),
        row("*", 9, Form::Mul, Many),
        row("/", 9, Form::Fdiv, Left),
        row("%", 9, Form::Mod, Left),
        row("**", POWER, Form::Pow, Right),
    ]
};

/// The operator that a form is written with.
pub(crate) fn operator(form: Form) -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.form == form && row.style != Style::Negated)
}

/// How many words, from the first, are values.
pub(crate) const CONSTANTS: usize = 4;

/// Words that are no names of variables.
pub(crate) const RESERVED: [&str; 10] =
    ["true", "false", "null", "undefined", "if", "else", "const", "let", "var", "return"];

/// The meaning of a name of another language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The form, of the operands as they are.
    Form(Form),
    /// The form of the first operand: a second, such as a radix, says nothing new.
    First(Form),
    /// `floor`, of an integer quotient where a quotient is rounded.
    Floor,
    /// The element at an index, or the last.
    At,
    /// Whether a value has a type.
    Is(&'static str),
    /// A number.
    Number(&'static str),
    /// A number with so many decimals.
    Fixed,
    /// `join`, in either order.
    Join,
    /// `append` of lists, or `concat`.
    Concat,
}

/// A name of another language.
#[derive(Debug)]
pub(crate) struct Alias {
    pub(crate) name: &'static str,
    pub(crate) how: How,
}

/// Names that are read as forms wherever they are called, as functions and as members. Forms in
/// `camelCase` need none.
pub(crate) const ALIASES: [Alias; 69] = {
    const fn form(name: &'static str, form: Form) -> Alias {
        Alias { name, how: How::Form(form) }
    }
    const fn how(name: &'static str, how: How) -> Alias {
        Alias { name, how }
    }
    [
        form("toUpperCase", Form::Upper),
        form("toLowerCase", Form::Lower),
        form("includes", Form::Contains),
        form("some", Form::Any),
        form("every", Form::All),
        how("flat", How::First(Form::Flatten)),
        how("at", How::At),
        form("padStart", Form::PadLeft),
        form("padEnd", Form::PadRight),
        form("replaceAll", Form::Replace),
        form("startswith", Form::StartsWith),
        form("endswith", Form::EndsWith),
        form("strip", Form::Trim),
        form("len", Form::Length),
        form("count", Form::Length),
        form("size", Form::Length),
        form("str", Form::ToString),
        form("String", Form::ToString),
        form("Number", Form::ParseFloat),
        how("parseInt", How::First(Form::ParseInt)),
        form("sorted", Form::Sort),
        form("toSorted", Form::Sort),
        form("reversed", Form::Reverse),
        form("toReversed", Form::Reverse),
        form("first", Form::Head),
        form("rest", Form::Tail),
        form("is_empty", Form::IsEmpty),
        form("unique", Form::Distinct),
        form("uniq", Form::Distinct),
        form("avg", Form::Mean),
        form("average", Form::Mean),
        form("substring", Form::Slice),
        form("hasOwnProperty", Form::Has),
        form("trunc", Form::ToInt),
        how("toFixed", How::Fixed),
        how("join", How::Join),
        how("concat", How::Concat),
        form("Object.keys", Form::Keys),
        form("Object.values", Form::Values),
        form("Object.entries", Form::Entries),
        form("Object.fromEntries", Form::FromEntries),
        form("Object.assign", Form::Merge),
        form("Object.hasOwn", Form::Has),
        form("JSON.parse", Form::JsonParse),
        how("JSON.stringify", How::Form(Form::JsonText)),
        how("Array.isArray", How::Is("list")),
        how("Number.isInteger", How::Is("integer")),
        how("Number.parseInt", How::First(Form::ParseInt)),
        form("Number.parseFloat", Form::ParseFloat),
        form("String.fromCharCode", Form::FromCharCode),
        form("Math.max", Form::Max),
        form("Math.min", Form::Min),
        form("Math.abs", Form::Abs),
        how("Math.floor", How::Floor),
        form("Math.ceil", Form::Ceil),
        form("Math.round", Form::Round),
        form("Math.trunc", Form::ToInt),
        form("Math.sqrt", Form::Sqrt),
        form("Math.pow", Form::Pow),
        form("Math.exp", Form::Exp),
        form("Math.log", Form::Ln),
        form("Math.log10", Form::Log10),
        how("Math.PI", How::Number("3.141592653589793")),
        how("Math.E", How::Number("2.718281828459045")),
        how("Number.MAX_SAFE_INTEGER", How::Number("9007199254740991")),
        form("json.dumps", Form::JsonText),
        form("json.loads", Form::JsonParse),
        form("math.sqrt", Form::Sqrt),
        how("math.floor", How::Floor),
    ]
};

/// The alias of a name. A form of that name goes before another name for a form.
pub(crate) fn alias(name: &str) -> Option<How> {
    let how = ALIASES.iter().find(|alias| alias.name == name)?.how;
    (!matches!(how, How::Form(_)) || Form::of_key(name).is_none()).then_some(how)
}

/// Tells whether a form is called by its name: all but those that have a notation of their own.
pub(crate) fn is_called(form: Form) -> bool {
    !matches!(form, Form::Lam | Form::Let | Form::Letrec | Form::Var | Form::App | Form::Record)
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
    match form {
        Form::Fold | Form::Reduce => 2,
        Form::Trace => 1,
        _ => usize::from(form.row().is_some_and(|row| row.takes.first() == Some(&FUNCTION))),
    }
}

/// How many arguments the function gets that a form applies to elements; nothing of other forms.
pub(crate) fn arguments(form: Form) -> Option<usize> {
    match form {
        Form::Reduce => Some(2),
        Form::Fold => Some(1),
        _ => (form.evaluation() == Evaluation::Elementwise).then_some(1),
    }
}
