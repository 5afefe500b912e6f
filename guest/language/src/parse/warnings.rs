//! Warnings of terms that are read in another way than they look.

use crate::form::{Evaluation, Form};
use crate::infer;
use crate::kinds;
use crate::parse::builder::Builder;
use crate::term::TermId;
use pif_core::hint::Hint;
use pif_core::text::quote::shorten;

impl Builder<'_> {
    /// Warns of a type name that no value has, in a comparison with `type_of`.
    pub(super) fn warn_type(&mut self, id: TermId) {
        let terms = &self.terms;
        let has_type = terms.operands(id).iter().any(|it| terms.form(*it) == Form::TypeOf);
        let text = terms.operands(id).iter().find(|it| terms.form(**it) == Form::Text).copied();
        let Some(text) = text.filter(|_| has_type) else { return };
        let name = terms.text(text);
        let token = terms.node(text).token;
        if kinds::names().contains(&name) {
            return;
        }
        let message = format!("there is no type `{}`", shorten(name));
        let hint = match name {
            "unit" | "nil" | "none" | "undefined" => r#"the type of null is "null""#.into(),
            _ => format!("the types are {}", kinds::names().join(", ")).into(),
        };
        self.note("likely-mistake", token, message, hint);
    }

    /// Warns of a literal list of one element if the element is probably the operand.
    pub(super) fn warn_bracket(&mut self, term: TermId) {
        let terms = &*self.terms;
        let form = terms.form(term);
        let [operand] = *terms.operands(term) else { return };
        if terms.form(operand) != Form::List || !takes_lists(form) {
            return;
        }
        let [item] = *terms.operands(operand) else { return };
        if !self.is_meant(form, item) {
            return;
        }
        let token = terms.node(operand).token;
        let shown = terms.excerpt_of(item);
        let name = form.name();
        let message = format!("the brackets make a list of one element, and `{name}` takes that");
        let example = format!(r#"{{"{name}": {shown}}}"#);
        let hint = Hint::from("for the element, write ").example(example);
        self.note("likely-mistake", token, message, hint);
    }

    /// Tells whether the element would do as the operand and is not plainly a value of a list.
    fn is_meant(&self, form: Form, item: TermId) -> bool {
        let accepted = form.accepted(0);
        let given = infer::given(&*self.terms, item);
        let inner = self.terms.form(item);
        if matches!(inner, Form::Var | Form::Text) {
            return true;
        }
        if accepted != kinds::ANY {
            return given == 0 || given & accepted != 0;
        }
        let is_plain =
            matches!(inner, Form::Nil | Form::Lam | Form::Quote | Form::Record | Form::Pair);
        !is_plain && inner.evaluation() != Evaluation::Literal
    }
}

/// Tells whether a form of one operand accepts a list, or anything, and takes a list of one element
/// unchanged. Others refuse or unwrap it.
fn takes_lists(form: Form) -> bool {
    let is_bare = form.row().is_some_and(|row| row.shape.is_bare());
    matches!(form, Form::Head | Form::Tail | Form::IsEmpty | Form::Length)
        || is_bare && form.accepted(0) == kinds::ANY && !matches!(form, Form::Quote | Form::Unquote)
}
