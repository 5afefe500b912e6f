//! Patterns: names for the parts of a value, and what parts are assigned to.

use crate::ast::{Element, ExprId, Key, PatternId, Target};
use crate::syntax::lexer::Kind;
use crate::syntax::operand::is_reserved;
use crate::syntax::parser::{Around, Parser, Read, Reader};
use pif_core::stack::Answer;
use pif_core::text::quote::shorten;

impl<'s> Reader<'_, 's> {
    /// Reads a pattern; one of an assignment may have members of values in it.
    pub(super) fn pattern(&self, assigns: bool) -> Answer<Read<PatternId>> {
        self.stack.call(self.clone().read_pattern(assigns))
    }

    /// Reads a pattern and its default.
    pub(super) async fn element(&self, assigns: bool) -> Read<Element> {
        let pattern = if !assigns && self.token(0).kind == Kind::Name {
            self.name_pattern()?
        } else {
            self.pattern(assigns).await?
        };
        let default = self.default().await?;
        Ok(Element { pattern, default })
    }

    /// `= t`, if it is there.
    async fn default(&self) -> Read<Option<ExprId>> {
        if !self.take("=") {
            return Ok(None);
        }
        self.value(Around::default()).await.map(Some)
    }

    async fn read_pattern(self, assigns: bool) -> Read<PatternId> {
        let is_nested = self.is(0, "[") || self.is(0, "{");
        if assigns && !(is_nested && self.ends_pattern(self.behind(0))) {
            let operand = self.operand().await?;
            return self.target(operand, self.token(0));
        }
        match self.spelling(self.token(0)) {
            "[" => self.list_pattern(assigns).await,
            "{" => self.record_pattern(assigns).await,
            _ => self.name_pattern(),
        }
    }

    async fn list_pattern(&self, assigns: bool) -> Read<PatternId> {
        let start = self.token(0).start;
        let close = self.open();
        let mut elements = Vec::new();
        let mut rest = None;
        while self.at.get() != close {
            if self.take(",") {
                elements.push(None);
                continue;
            }
            if self.take("...") {
                rest = Some(self.pattern(assigns).await?);
                self.check_rest(close)?;
                break;
            }
            elements.push(Some(self.element(assigns).await?));
            self.comma(close)?;
        }
        self.close(close)?;
        Ok(self.add_pattern(Target::List { elements, rest }, start))
    }

    async fn record_pattern(&self, assigns: bool) -> Read<PatternId> {
        let start = self.token(0).start;
        let close = self.open();
        let mut members = Vec::new();
        let mut rest = None;
        while self.at.get() != close {
            if self.take("...") {
                rest = Some(if assigns { self.pattern(true).await? } else { self.name_pattern()? });
                self.check_rest(close)?;
                break;
            }
            members.push(self.member_pattern(assigns).await?);
            self.comma(close)?;
        }
        self.close(close)?;
        Ok(self.add_pattern(Target::Record { members, rest }, start))
    }

    async fn member_pattern(&self, assigns: bool) -> Read<(Key<'s>, Element)> {
        if self.is(0, "[") {
            let inner = self.open();
            let key = self.value(Around::default()).await?;
            self.close(inner)?;
            if !self.take(":") {
                return self.unexpected();
            }
            return Ok((Key::Computed(key), self.element(assigns).await?));
        }
        let token = self.token(0);
        let key = self.key(token)?;
        if self.is(1, ":") {
            self.pass(2);
            return Ok((Key::Named(key), self.element(assigns).await?));
        }
        let pattern = self.name_pattern()?;
        let default = self.default().await?;
        Ok((Key::Named(key), Element { pattern, default }))
    }
}

impl Parser<'_> {
    /// Tells whether nothing that stands here goes on with an operand.
    fn ends_pattern(&self, at: usize) -> bool {
        !["(", "[", "`", ".", "?."].iter().any(|text| self.is_at(at, text))
    }

    fn check_rest(&self, close: usize) -> Read<()> {
        if self.at.get() == close {
            return Ok(());
        }
        let hint = "write [first, ...others] or {name, ...others}";
        self.wrong(self.token(0).start, "nothing follows the rest of a pattern", hint)
    }

    /// Tells whether the next token is a name that can be bound.
    pub(super) fn check_bound(&self) -> Read<()> {
        let token = self.token(0);
        let name = self.spelling(token);
        if token.kind != Kind::Name {
            let hint = "write a name, such as x, or a pattern: [a, b], {name}, {name: x}";
            return self.wrong(token.start, "a name is missing here", hint);
        }
        if is_reserved(name) {
            let message = format!("`{}` cannot be bound", shorten(name));
            return self.wrong(token.start, &message, "write another name, such as x");
        }
        Ok(())
    }

    /// Passes a name that is bound.
    pub(super) fn name_pattern(&self) -> Read<PatternId> {
        self.check_bound()?;
        let token = self.token(0);
        self.pass(1);
        Ok(self.add_pattern(Target::Name(self.spelling(token)), token.start))
    }
}
