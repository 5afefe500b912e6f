//! `let` and `letrec`: names, the terms bound to them, and the body that sees them.

use super::shape::missing;
use super::{Parser, Wrong, describe};
use crate::form::Form;
use crate::term::NameId;
use pif_core::fault::{Code, Fault};
use pif_core::hint::Hint;
use pif_core::json::tape::{Token, TokenId};
use pif_core::limits::{MOST_PARAMETERS, to_u32};
use pif_core::text::quote::shorten;

impl Parser<'_> {
    pub(super) fn bindings(
        &mut self,
        form: Form,
        token: TokenId,
        value: TokenId,
    ) -> Result<(), Wrong> {
        let body = self.tape().member(token, "in");
        let body = body.ok_or_else(|| missing(form, token, "in"))?;
        let (mut names, mut operands) = (Vec::new(), Vec::new());
        match self.tape().token(value) {
            Token::Object { count: 1, .. } => {
                for (key, bound) in self.tape().members(value).collect::<Vec<_>>() {
                    let name = self.tape().str(key).to_owned();
                    names.push(self.terms.intern(&name));
                    operands.push(bound);
                }
            }
            Token::Array { .. } => {
                for binding in self.tape().items(value).collect::<Vec<_>>() {
                    let Token::Array { count: 2, .. } = self.tape().token(binding) else {
                        return Err(self.malformed(form, binding));
                    };
                    names.push(self.name(binding + 1, form)?);
                    operands.push(self.tape().after(binding + 1));
                }
            }
            _ => return Err(self.malformed(form, value)),
        }
        if form == Form::Letrec {
            self.ensure_functions(value, &names, &operands)?;
        }
        operands.push(body);
        self.build(form, token, to_u32(operands.len()), &names);
        self.operands(&operands);
        Ok(())
    }

    /// Makes sure that a `letrec` binds different names to functions, and not too many.
    fn ensure_functions(
        &self,
        value: TokenId,
        names: &[NameId],
        bound: &[TokenId],
    ) -> Result<(), Wrong> {
        if names.len() > MOST_PARAMETERS {
            let message = "`letrec` binds at most 64 functions at once";
            let fault = Fault::new(Code::TooLarge, message);
            return Err(Wrong { token: value, fault: fault.hint("nest one `letrec` in another") });
        }
        for (index, (name, bound)) in names.iter().zip(bound).enumerate() {
            if names.get(..index).is_some_and(|earlier| earlier.contains(name)) {
                // The name stands right before its term.
                return Err(self.repeated(*bound - 1, "function", Form::Letrec));
            }
            let found = match self.form_of(*bound) {
                Some((Form::Lam, _)) => continue,
                Some((form, _)) => format!("the form `{}`", form.name()),
                None => describe(self.tape(), *bound),
            };
            let name = shorten(self.terms.name(*name));
            let message = format!("`letrec` binds functions only, and `{name}` is {found}");
            let example = format!(r#"["{name}", {{"lam": "x", "body": t}}]"#);
            let hint =
                Hint::from("write ").example(example).words(format!(", or bind `{name}` by `let`"));
            let fault = Fault::new(Code::Malformed, message).hint(hint);
            return Err(Wrong { token: *bound, fault });
        }
        Ok(())
    }

    /// A name that stands twice where each must differ.
    pub(super) fn repeated(&self, token: TokenId, what: &str, form: Form) -> Wrong {
        let name = match self.tape().token(token) {
            Token::Text(span) => shorten(self.tape().str(span)),
            _ => String::new(),
        };
        let message = format!("the {what} `{name}` stands twice in one `{}`", form.name());
        let fault = Fault::new(Code::Malformed, message);
        Wrong { token, fault: fault.hint(format!("give each {what} its own name")) }
    }
}
