//! `let` and `letrec`: names, the terms bound to them, and the body that sees them.

use super::shape::missing;
use super::{Parser, Wrong, describe};
use crate::form::Form;
use crate::term::{NameId, Terms};
use pif_core::fault::{Code, Fault};
use pif_core::hint::Hint;
use pif_core::ids::IdSet;
use pif_core::json::tape::{Token, TokenId};
use pif_core::limits::{MOST_PARAMETERS, to_u32};
use pif_core::text::quote::shorten;

impl Parser<'_, '_> {
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
                    names.push(self.builder.terms.intern(&name));
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
        ensure_few(names).map_err(|fault| Wrong { token: value, fault })?;
        for (name, bound) in names.iter().zip(bound) {
            let found = match self.form_of(*bound) {
                Some((Form::Lam, _)) => continue,
                Some((form, _)) => format!("the form `{}`", form.name()),
                None => describe(self.tape(), *bound),
            };
            let name = shorten(self.builder.terms.name(*name));
            let message = format!("`letrec` binds functions only, and `{name}` is {found}");
            let example = format!(r#"["{name}", {{"lam": "x", "body": t}}]"#);
            let hint =
                Hint::from("write ").example(example).words(format!(", or bind `{name}` by `let`"));
            let fault = Fault::new(Code::Malformed, message).hint(hint);
            return Err(Wrong { token: *bound, fault });
        }
        // A name stands right before its term.
        let tokens: Vec<TokenId> = bound.iter().map(|bound| *bound - 1).collect();
        self.ensure_different(Form::Letrec, names, &tokens)
    }

    /// Makes sure that the names of a form differ. They stand at these tokens.
    pub(super) fn ensure_different(
        &self,
        form: Form,
        names: &[NameId],
        tokens: &[TokenId],
    ) -> Result<(), Wrong> {
        ensure_different(&*self.builder.terms, form, names)
            .map_err(|(index, fault)| Wrong { token: tokens[index], fault })
    }
}

/// Makes sure that a `letrec` does not bind too many functions.
pub fn ensure_few(names: &[NameId]) -> Result<(), Fault> {
    if names.len() <= MOST_PARAMETERS {
        return Ok(());
    }
    let fault = Fault::new(Code::TooLarge, "`letrec` binds at most 64 functions at once");
    Err(fault.hint("nest one `letrec` in another"))
}

/// Makes sure that the names of parameters or functions differ. Fails with the index of the first that
/// stands twice.
pub fn ensure_different(terms: &Terms, form: Form, names: &[NameId]) -> Result<(), (usize, Fault)> {
    let mut seen = IdSet::default();
    let Some(index) = names.iter().position(|name| !seen.add(*name)) else { return Ok(()) };
    let name = names.get(index).map_or("", |name| terms.name(*name));
    let what = if form == Form::Lam { "parameter" } else { "function" };
    let message = format!("the {what} `{}` stands twice in one `{}`", shorten(name), form.name());
    let fault = Fault::new(Code::Malformed, message);
    Err((index, fault.hint(format!("give each {what} its own name"))))
}
