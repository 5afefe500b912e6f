//! `try`: its codes are literal texts, known before the run.

use crate::form::Form;
use crate::hint::nearest;
use crate::parse::shape::missing;
use crate::parse::{Parser, Wrong};
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Token, TokenId};
use pif_core::text::quote::shorten;

use crate::term::NameId;
use std::collections::BTreeSet;

impl Parser<'_, '_> {
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

    /// Reads a list of codes.
    fn codes(&mut self, list: TokenId) -> Result<Vec<NameId>, Wrong> {
        if !matches!(self.tape().token(list), Token::Array { count: 1.., .. }) {
            return Err(self.malformed(Form::Try, list));
        }
        let items: Vec<TokenId> = self.tape().items(list).collect();
        let mut names = Vec::with_capacity(items.len());
        for item in &items {
            let Token::Text(span) = self.tape().token(*item) else {
                return Err(self.malformed(Form::Try, *item));
            };
            names.push(self.tape().str(span));
        }
        let codes = codes(&names).map_err(|(index, fault)| Wrong {
            token: items.get(index).copied().unwrap_or(list),
            fault,
        })?;
        Ok(codes.into_iter().map(|code| self.builder.terms.intern(code)).collect())
    }
}

/// Returns the name of each code once, in order, so that equal `try`s have one canonical text. Fails
/// with the index of the first that is none.
pub fn codes(names: &[&str]) -> Result<Vec<&'static str>, (usize, Fault)> {
    let mut codes = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        codes.insert(code(name).map_err(|fault| (index, fault))?.name());
    }
    Ok(codes.into_iter().collect())
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
