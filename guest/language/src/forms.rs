//! The table of forms. A row holds all data about a form for the parser, the checker, the compiler,
//! the prices, `help` and the reference.

use super::form::{Evaluation, Form, LITERALS, NO_ORIGINAL, Row};
use super::kinds::{ANY, Kinds, LIST, UNKNOWN, VALUE};
use super::prices::{self, Fuel};
use super::rows::GROUPS;
use super::typing::Rule;

/// The number of forms with a row.
pub const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// All forms, in the order of `Form`.
pub static FORMS: &[Row] = &{
    let mut rows = [GROUPS[0][0]; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut row = 0;
        while row < GROUPS[group].len() {
            rows[at] = GROUPS[group][row];
            (at, row) = (at + 1, row + 1);
        }
        group += 1;
    }
    rows
};

/// Names the form whose row lacks the rule of its types.
const _: () = {
    let mut at = 0;
    while at < COUNT {
        if matches!(FORMS[at].typing, Rule::Missing) {
            panic!("{}", FORMS[at].name);
        }
        at += 1;
    }
};

impl Form {
    /// Returns the form's row. A literal has none.
    #[must_use]
    pub fn row(self) -> Option<&'static Row> {
        FORMS.get(self as usize)
    }

    /// Returns the name and the type of a literal.
    fn literal(self) -> Option<(&'static str, Kinds)> {
        LITERALS.get((self as usize).checked_sub(COUNT)?).copied()
    }

    /// Tells whether the form is a literal other than a list.
    #[must_use]
    pub fn is_literal(self) -> bool {
        self as usize >= COUNT && self != Self::List
    }

    /// Returns the form's key, or a literal's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().map_or_else(|| self.literal().map_or("", |it| it.0), |row| row.name)
    }

    /// Tells whether the form belongs to the original calculus. `input` reads only those as code.
    #[must_use]
    pub fn is_original(self) -> bool {
        self.row().is_some_and(|row| row.original != NO_ORIGINAL)
    }

    /// Returns the place of the form in the search of an object for a form: the forms of the
    /// original calculus come first, in the order in which that looks for them, then the others in
    /// the order of the table.
    #[must_use]
    pub fn precedence(self) -> (u8, Self) {
        (self.row().map_or(NO_ORIGINAL, |row| row.original), self)
    }

    /// Returns how the form is evaluated.
    #[must_use]
    pub fn evaluation(self) -> Evaluation {
        self.row().map_or(Evaluation::Literal, |row| row.evaluation)
    }

    /// Returns the types that the form accepts for an operand.
    #[must_use]
    pub fn accepted(self, operand: usize) -> Kinds {
        let takes = self.row().map_or(&[][..], |row| row.takes);
        takes.get(operand).or(takes.last()).copied().unwrap_or(ANY)
    }

    /// Tells whether the form takes a list for an operand, and not values of every type.
    #[must_use]
    pub fn takes_list(self, operand: usize) -> bool {
        let kinds = self.accepted(operand);
        kinds != ANY && kinds != VALUE && kinds & LIST != 0
    }

    /// Returns the type of the form's value, or `UNKNOWN` if it depends on operands.
    #[must_use]
    pub fn given(self) -> Kinds {
        self.row().map_or_else(|| self.literal().map_or(UNKNOWN, |it| it.1), |row| row.gives)
    }

    /// Returns the fuel of a visit of a node of this form.
    #[must_use]
    pub fn visit_price(self) -> u16 {
        self.fuel().visit
    }

    /// Returns the fuel of each application that this form makes.
    #[must_use]
    pub fn application_price(self) -> u16 {
        self.fuel().application
    }

    /// Returns the fuel of a unit of this form's work.
    #[must_use]
    pub fn work_price(self) -> u64 {
        self.fuel().work.into()
    }

    fn fuel(self) -> Fuel {
        self.row().map_or(prices::LITERAL, |row| row.fuel)
    }
}

/// Iterates over the names of all forms, for suggestions.
pub fn form_names() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|row| row.name)
}
