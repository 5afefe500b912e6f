//! How a term is spelled: of the ways that read back as the term, the shortest.

use crate::lower::library;
use crate::lower::names::changes_in_place;
use crate::print::printer::{Ask, Printer};
use crate::print::scope::can_be_bound;
use crate::table::{Operator, operator, subject};
use pif_language::form::{Evaluation, Form, Row, Shape};
use pif_language::kinds::{self, FUNCTION, Kinds, LIST, NULL, RECORD, STRING};
use pif_language::term::TermId;

/// A spelling of a term.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spelling {
    /// A literal, a name, brackets, a function or a binding.
    Plain,
    /// `c ? a : b`
    Choice,
    /// `if(c, a, b)`
    StrictIf,
    /// `!a`
    Not,
    /// `a != b`
    Unequal,
    /// A term of which only the truth counts, where only that is asked.
    Bare,
    /// `-a`
    Neg,
    /// An operator between operands, from one operand on.
    Operation(&'static Operator, usize),
    /// `~a`, `typeof a`
    Prefix(&'static str),
    Template,
    /// `/a/g`
    Regex,
    /// `r.k`, `xs[0]`
    Member,
    /// A member that has to be there, where it may be absent.
    Strict,
    /// `r?.k`
    Path,
    /// `Math.floor(a / b)`
    Rounded(&'static str),
    /// `x.name(…)`
    Method(Use),
    /// `name(…)`
    Call(Use),
    /// `f(…)`
    Application,
    /// `@name`
    Tool,
    /// `self`
    SelfRef,
}

/// A form as a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) name: &'static str,
    /// The operand before the point.
    pub(super) subject: usize,
    /// Operands that the name stands for, one bit each.
    pub(super) without: u8,
    /// Whether null stands behind the first operand.
    pub(super) has_null: bool,
}

impl Use {
    pub(super) const fn of(name: &'static str) -> Self {
        Self { name, subject: 0, without: 0, has_null: false }
    }

    /// The call without an operand.
    pub(super) const fn without(self, operand: usize) -> Self {
        Self { without: self.without | 1 << operand, ..self }
    }

    pub(super) fn has(self, operand: usize) -> bool {
        operand > 7 || self.without & 1 << operand == 0
    }
}

impl Printer<'_> {
    /// How a term is spelled; nothing if it is written as JSON.
    pub(super) fn spelled(&self, id: TermId, ask: Ask) -> Option<Spelling> {
        if self.facts.is_json(id) { None } else { self.spelling(id, ask) }
    }

    /// How a term is spelled, if its operands are; nothing if there are no words for it.
    pub(super) fn spelling(&self, id: TermId, ask: Ask) -> Option<Spelling> {
        let terms = self.terms;
        let form = terms.form(id);
        let Some(row) = form.row() else {
            let is_word = form == Form::FloatNumber && !terms.float(id).is_finite();
            let is_hidden = is_word && (self.is_bound("Infinity") || self.is_bound("NaN"));
            return (!is_hidden).then_some(Spelling::Plain);
        };
        let plain = |is_one: bool| is_one.then_some(Spelling::Plain);
        match row.shape {
            Shape::Name => return plain(self.is_plain(terms.name(terms.only_name(id)))),
            Shape::Lambda => return plain(self.names_are_words(id)),
            Shape::Bindings | Shape::Functions => return plain(self.binding_has_words(id)),
            Shape::Fields => return Some(Spelling::Plain),
            Shape::Literal => return None,
            Shape::Application => {
                let has_words = self.is_direct(id) || !self.is_bound("app");
                return has_words.then_some(Spelling::Application);
            }
            _ if form == Form::SelfRef => return Some(Spelling::SelfRef),
            _ => {}
        }
        if let Some(special) = self.special(id, form, ask) {
            return Some(special);
        }
        if let Some(script) = self.script(id, form) {
            return Some(script);
        }
        self.called(id, row)
    }

    /// A form with a notation of its own.
    fn special(&self, id: TermId, form: Form, ask: Ask) -> Option<Spelling> {
        let terms = self.terms;
        let operands = terms.operands(id);
        let first = || terms.operand(id, 0);
        match form {
            Form::If if self.is_boolean(first()) => Some(Spelling::Choice),
            Form::If => Some(Spelling::StrictIf),
            Form::Not if self.is_equality(first()) => Some(Spelling::Unequal),
            Form::Not if self.is_boolean(first()) => Some(Spelling::Not),
            Form::Truth if ask == Ask::Truth && self.is_bare(first()) => Some(Spelling::Bare),
            Form::Neg => {
                let is_word =
                    terms.form(first()) == Form::FloatNumber && !terms.float(first()).is_finite();
                (!is_word).then_some(Spelling::Neg)
            }
            Form::Get if self.is_member(id) => Some(match ask {
                Ask::Value => Spelling::Member,
                _ => Spelling::Strict,
            }),
            Form::GetIn if self.is_safe_path(id) => Some(Spelling::Path),
            Form::Concat if self.is_template(id) => Some(Spelling::Template),
            Form::Tool if terms.form(first()) == Form::Text => Some(Spelling::Tool),
            Form::Regex if self.is_regex(id) => Some(Spelling::Regex),
            Form::Typeof => self.type_of(id).then_some(Spelling::Prefix("typeof ")),
            Form::Bits => self.bits(operands),
            Form::Divide => self.rounding(operands),
            _ => {
                let row = operator(form)?;
                self.is_operation(form, operands).then_some(Spelling::Operation(row, 0))
            }
        }
    }

    /// Tells whether a form with these operands is read from its operator.
    fn is_operation(&self, form: Form, operands: &[TermId]) -> bool {
        let all = |test: fn(&Self, TermId) -> bool| operands.iter().all(|id| test(self, *id));
        let two = operands.get(..2).unwrap_or_default();
        let both = |test: fn(&Self, TermId) -> bool| two.iter().all(|id| test(self, *id));
        match form {
            Form::And | Form::Or => all(Self::is_boolean),
            Form::Both | Form::Either => !all(Self::is_boolean),
            Form::Add => all(Self::is_number),
            Form::Concat => all(Self::is_textual),
            Form::Plus => !both(Self::is_number) && !both(Self::is_textual),
            _ => true,
        }
    }

    /// `a & b`, `~a`
    fn bits(&self, operands: &[TermId]) -> Option<Spelling> {
        let mark = operands.first().filter(|id| self.terms.form(**id) == Form::Text)?;
        match (self.terms.text(*mark), operands.len()) {
            ("~", 2) => Some(Spelling::Prefix("~")),
            ("&" | "|" | "^" | "<<" | ">>" | ">>>", 3) => {
                crate::table::marked(self.terms.text(*mark)).map(|row| Spelling::Operation(row, 1))
            }
            _ => None,
        }
    }

    /// `a / b`, `Math.floor(a / b)`, `Math.round(a)`
    fn rounding(&self, operands: &[TermId]) -> Option<Spelling> {
        let [a, b, ref mode @ ..] = *operands else { return None };
        let Some(mode) = mode.first() else {
            return operator(Form::Divide).map(|row| Spelling::Operation(row, 0));
        };
        let is_quotient = self.terms.form(a) == Form::Divide && self.terms.operands(a).len() == 2;
        let is_one = self.terms.form(b) == Form::Integer && self.terms.integer(b) == 1;
        if self.terms.form(*mode) != Form::Text || self.is_bound("Math") {
            return None;
        }
        match self.terms.text(*mode) {
            "round" if is_one && (!is_quotient || self.facts.is_json(a)) => {
                Some(Spelling::Call(Use::of("Math.round").without(1).without(2)))
            }
            "floor" => Some(Spelling::Rounded("Math.floor(")),
            "ceil" => Some(Spelling::Rounded("Math.ceil(")),
            "round" => Some(Spelling::Rounded("Math.round(")),
            "trunc" => Some(Spelling::Rounded("Math.trunc(")),
            _ => None,
        }
    }

    /// Tells whether `typeof` is read so.
    fn type_of(&self, id: TermId) -> bool {
        let terms = self.terms;
        let first = terms.operand(id, 0);
        let is_path = terms.operands(id).len() > 1;
        if is_path {
            let keys = terms.operand(id, 1);
            let is_list = terms.form(keys) == Form::List && !self.facts.is_json(keys);
            return is_list && !terms.operands(keys).is_empty();
        }
        // What nothing binds is undefined.
        terms.form(first) != Form::Var || self.is_bound(terms.name(terms.only_name(first)))
    }

    /// A form that is called by its name, before or behind the point.
    fn called(&self, id: TermId, row: &'static Row) -> Option<Spelling> {
        if self.is_read_otherwise(id) {
            return None;
        }
        let at = subject(row.form);
        let usage = Use { subject: at, ..Use::of(row.name) };
        let is_free = !self.is_bound(row.name);
        let can_be_method = self.can_be_method(id, row);
        // A text alone between the parentheses of `eval` is taken for a program.
        let is_written = |it: TermId| {
            self.terms.form(it) == Form::Text
                || matches!(self.spelled(it, Ask::Value), Some(Spelling::Template))
        };
        let is_text = row.form == Form::Eval && is_written(self.terms.operand(id, 0));
        if can_be_method && (Self::is_method(row) || !is_free || is_text) {
            return Some(Spelling::Method(usage));
        }
        is_free.then_some(Spelling::Call(Use::of(row.name)))
    }

    /// Tells whether a form is written after its subject, if it can be.
    fn is_method(row: &Row) -> bool {
        const BEFORE: Kinds = FUNCTION | LIST | STRING | RECORD | NULL;
        let first = row.takes.first().copied().unwrap_or_default();
        let is_one = first & !NULL != 0 && first & !BEFORE == 0 || row.form == Form::Get;
        let is_named =
            matches!(row.shape, Shape::Members(_) | Shape::MembersOr(_) | Shape::Named(_));
        let applies = row.callback.is_some() || row.evaluation == Evaluation::Elementwise;
        !row.is_apart && (applies || is_one && !is_named)
    }

    /// Tells whether a form by its own name is read from its subject and the others.
    fn can_be_method(&self, id: TermId, row: &Row) -> bool {
        let is_listed = !matches!(
            row.shape,
            Shape::Branches
                | Shape::Try
                | Shape::Ignored
                | Shape::Members(_)
                | Shape::MembersOr(_)
                | Shape::Named(_)
        );
        let operands = self.terms.operands(id);
        let Some(before) = operands.get(subject(row.form)).filter(|_| is_listed) else {
            return false;
        };
        !changes_in_place(row.name)
            && self.is_own_member(id, row)
            && self.can_be_subject(*before, row.name)
    }

    /// Tells whether a member of a value means what the name does: neither a function in a record that
    /// has a name, nor a tool of a server.
    pub(super) fn can_be_subject(&self, before: TermId, name: &str) -> bool {
        let is_variable = self.terms.form(before) == Form::Var;
        let is_member = is_variable && self.facts.may_have(self.terms.name_id(name));
        !is_member && !self.is_of_server(before)
    }

    /// Tells whether a member of the form's name means the form with these operands.
    fn is_own_member(&self, id: TermId, row: &Row) -> bool {
        let terms = self.terms;
        let operands = terms.operands(id);
        let first = || terms.operand(id, 0);
        let is_null = |at: usize| operands.get(at).is_some_and(|id| terms.form(*id) == Form::Unit);
        // How many arguments the function takes, if that can be seen.
        let takes = || self.takes(first());
        match row.form {
            Form::Map => takes().is_none_or(|count| count == 1),
            Form::Filter | Form::Find => {
                let first = first();
                terms.form(first) == Form::Lam
                    && !self.facts.is_json(first)
                    && self.is_boolean(terms.operand(first, 0))
            }
            Form::Reduce => takes().is_none_or(|count| count == 2),
            Form::SortWith => false,
            Form::Slice => operands.len() > 1 && !(operands.len() == 3 && is_null(2)),
            Form::Join => operands.len() == 2 && terms.form(first()) != Form::Text && !is_null(1),
            Form::Split => operands.len() == 3 || operands.len() == 2 && !is_null(1),
            Form::Normalize => operands.len() < 2 || terms.form(terms.operand(id, 1)) != Form::Text,
            Form::Has | Form::Repeat | Form::Trim => true,
            Form::Get => operands.len() == 3,
            _ => !library::has_member(row.name),
        }
    }

    /// How many arguments a function takes, as far as the reader sees it.
    pub(super) fn takes(&self, id: TermId) -> Option<usize> {
        match self.terms.form(id) {
            _ if self.facts.is_json(id) => None,
            Form::Lam => Some(self.terms.names(id).len()),
            Form::Var => self.facts.takes(id),
            _ => None,
        }
    }

    /// Tells whether a call by the form's name means another form.
    fn is_read_otherwise(&self, id: TermId) -> bool {
        let terms = self.terms;
        let operands = terms.operands(id);
        let first = || terms.operand(id, 0);
        match terms.form(id) {
            Form::Join => operands.len() == 2 && terms.form(first()) == Form::Text,
            Form::Concat => operands.len() == 2 && operands.iter().any(|it| self.kind(*it) == LIST),
            Form::Floor | Form::Ceil | Form::ToInt => {
                let first = first();
                !self.facts.is_json(first)
                    && terms.form(first) == Form::Divide
                    && terms.operands(first).len() == 2
            }
            Form::Try => self.kind(terms.operand(id, 1)) & !FUNCTION != 0,
            Form::Typeof => true,
            _ => false,
        }
    }

    /// Tells whether the names that a term binds can be written.
    fn names_are_words(&self, id: TermId) -> bool {
        self.terms.names(id).iter().all(|name| can_be_bound(self.terms.name(*name)))
    }

    /// Tells whether the reader makes a binding of the printed binding again.
    fn binding_has_words(&self, id: TermId) -> bool {
        let terms = self.terms;
        let names = terms.names(id);
        let is_once =
            |name| names.len() < 2 || names.iter().filter(|other| *other == name).count() == 1;
        let is_letrec = terms.form(id) == Form::Letrec;
        !names.is_empty()
            && self.names_are_words(id)
            && (!is_letrec || self.facts.is_recursive(id) && self.are_functions(id))
            && (names.len() > 64 || names.iter().all(is_once))
    }

    /// Tells whether all values of a binding are written as functions.
    fn are_functions(&self, id: TermId) -> bool {
        let values = self.terms.operands(id).split_last().map_or(&[][..], |(_, values)| values);
        values.iter().all(|id| !self.facts.is_json(*id))
    }

    /// Tells whether a term is written as `a == b`.
    fn is_equality(&self, id: TermId) -> bool {
        self.terms.form(id) == Form::Eq && !self.facts.is_json(id)
    }

    /// Tells whether the reader sees that a term gives a boolean.
    pub(super) fn is_boolean(&self, id: TermId) -> bool {
        !self.facts.is_json(id) && self.terms.form(id).given() == kinds::BOOLEAN
    }

    /// Tells whether the reader sees that a term gives a number.
    pub(super) fn is_number(&self, id: TermId) -> bool {
        !self.facts.is_json(id) && self.terms.form(id).given() == kinds::NUMBER
    }

    /// Tells whether the reader sees that a term gives a text.
    pub(super) fn is_textual(&self, id: TermId) -> bool {
        !self.facts.is_json(id) && self.terms.form(id).given() == STRING
    }

    /// Tells whether the reader makes the truth of a term of it, where it asks for that.
    fn is_bare(&self, id: TermId) -> bool {
        !self.is_boolean(id) && !matches!(self.terms.form(id), Form::Both | Form::Either)
    }

    /// The types that the reader sees in a term.
    pub(super) fn kind(&self, id: TermId) -> Kinds {
        let mut at = id;
        for _ in 0..64 {
            let form = self.terms.form(at);
            at = match form {
                _ if self.facts.is_json(at) => return RECORD,
                Form::Let | Form::Letrec => match self.terms.operands(at).last() {
                    Some(body) => *body,
                    None => return kinds::UNKNOWN,
                },
                Form::Slice => self.terms.operand(at, 0),
                _ => return form.given(),
            };
        }
        kinds::UNKNOWN
    }
}
