//! Forms of one operand that accept a list, or anything. Others refuse or unwrap a list of one
//! element; these take it unchanged.

use crate::form::{Evaluation, Form};
use crate::infer;
use crate::kinds;
use crate::parse::Parser;
use crate::term::TermId;
use pif_core::hint::Hint;

impl Parser<'_> {
    /// Warns of a literal list of one element if the element is probably the operand.
    pub(super) fn warn_bracket(&mut self, term: TermId) {
        let terms = &*self.terms;
        let form = terms.form(term);
        let [operand] = *terms.operands(term) else { return };
        if terms.form(operand) != Form::List || !takes_lists(form) {
            return;
        }
        let [item] = *terms.operands(operand) else { return };
        if !self.is_meant(form, item) || !self.may_warn() {
            return;
        }
        let (token, shown) = (terms.node(operand).token, terms.excerpt(terms.node(item).token));
        let name = form.name();
        let message = format!("the brackets make a list of one element, and `{name}` takes that");
        let example = format!(r#"{{"{name}": {shown}}}"#);
        let hint = Hint::from("for the element, write ").example(example);
        self.note("likely-mistake", token, message, hint);
    }

    /// Tells whether the element would do as the operand and is not plainly a value of a list.
    fn is_meant(&self, form: Form, item: TermId) -> bool {
        let (accepted, given) = (form.accepted(0), infer::given(&*self.terms, item));
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

fn takes_lists(form: Form) -> bool {
    let is_bare = form.row().is_some_and(|row| row.shape.is_bare());
    matches!(form, Form::Head | Form::Tail | Form::IsEmpty | Form::Length)
        || is_bare && form.accepted(0) == kinds::ANY && !matches!(form, Form::Quote | Form::Unquote)
}
