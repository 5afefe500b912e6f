//! `try`: its codes are literal texts, known before the run.

use crate::form::Form;
use crate::hint::nearest;
use crate::parse::shape::missing;
use crate::parse::{Parser, Wrong};
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Token, TokenId};
use pif_core::text::order::order_of;
use pif_core::text::quote::shorten;

use crate::term::NameId;

impl Parser<'_> {
    pub(super) fn attempt(&mut self, token: TokenId, tried: TokenId) -> Result<(), Wrong> {
        let handler = self.tape().member(token, "catch");
        let handler = handler.ok_or_else(|| missing(Form::Try, token, "catch"))?;
        let codes = match self.tape().member(token, "codes") {
            Some(codes) => self.codes(codes)?,
            None => Vec::new(),
        };
        self.build(Form::Try, token, 2, &codes);
        self.operands(&[tried, handler]);
        Ok(())
    }

    /// Returns each code once, in the order of their names, so that equal `try`s have one canonical
    /// text.
    fn codes(&mut self, list: TokenId) -> Result<Vec<NameId>, Wrong> {
        if !matches!(self.tape().token(list), Token::Array { count: 1.., .. }) {
            return Err(self.malformed(Form::Try, list));
        }
        let mut codes = Vec::new();
        for item in self.tape().items(list).collect::<Vec<_>>() {
            let Token::Text(span) = self.tape().token(item) else {
                return Err(self.malformed(Form::Try, item));
            };
            let name = self.tape().str(span);
            let code = code(name).map_err(|fault| Wrong { token: item, fault })?;
            if !codes.contains(&code.name()) {
                codes.push(code.name());
            }
        }
        let name = |at: usize| codes.get(at).copied().unwrap_or_default();
        Ok(order_of(codes.len(), &name).map(|at| self.terms.intern(name(at))).collect())
    }
}

/// Returns the code of this name. `try` must be able to catch it.
fn code(name: &str) -> Result<Code, Fault> {
    let found = Code::ALL.into_iter().find(|code| code.name() == name);
    let name = shorten(name);
    let (message, hint) = match found {
        Some(code) if code.is_catchable() => return Ok(code),
        Some(_) => (format!("no `try` catches the fault `{name}`"), "leave it out".to_owned()),
        None => {
            let mut catchable = Vec::new();
            for code in Code::ALL {
                if code.is_catchable() {
                    catchable.push(code.name());
                }
            }
            let hint = match nearest(&name, catchable.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the codes are {}", catchable.join(", ")),
            };
            (format!("there is no fault code `{name}`"), hint)
        }
    };
    Err(Fault::new(Code::Malformed, message).hint(hint))
}
