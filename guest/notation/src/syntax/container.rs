//! Lists and records.

use crate::ast::{ExprId, Item, Member, What};
use crate::syntax::lexer::{Kind, Token};
use crate::syntax::number::as_json;
use crate::syntax::operand::is_reserved;
use crate::syntax::parser::{Around, Parser, Read, Reader};
use crate::tree::Words;

impl<'s> Reader<'_, 's> {
    pub(super) async fn list(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let close = self.open();
        let mut items = Vec::new();
        while self.at.get() != close {
            if self.is(0, ",") {
                let hint = "write [a, b], and null for an element without a value";
                return self.wrong(self.token(0).start, "an element is missing before `,`", hint);
            }
            let is_spread = self.take("...");
            let value = self.value(Around::default()).await?;
            items.push(Item { value, is_spread });
            self.comma(close)?;
        }
        self.close(close)?;
        Ok(self.add(What::List(items), start))
    }

    pub(super) async fn record(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let close = self.open();
        let mut members = Vec::new();
        while self.at.get() != close {
            members.push(self.record_member(close).await?);
            self.comma(close)?;
        }
        self.close(close)?;
        Ok(self.add(What::Record(members), start))
    }

    async fn record_member(&self, close: usize) -> Read<Member<'s>> {
        if self.take("...") {
            return Ok(Member::Spread(self.value(Around::default()).await?));
        }
        if self.is(0, "[") {
            return self.computed_member().await;
        }
        self.check_accessor()?;
        let is_async = self.is(0, "async") && self.token(1).kind == Kind::Name;
        self.pass(usize::from(is_async));
        let token = self.token(0);
        let name = self.key(token)?;
        self.pass(1);
        let value = if self.take(":") {
            self.value(Around::default()).await?
        } else if self.is(0, "(") && self.is_at(self.behind(0), "{") {
            self.method(token.start).await?
        } else {
            self.shorthand(token, close)?
        };
        Ok(Member::Named { name, value })
    }

    /// `[k]: t`
    async fn computed_member(&self) -> Read<Member<'s>> {
        let start = self.token(0).start;
        let inner = self.open();
        let key = self.value(Around::default()).await?;
        self.close(inner)?;
        let value = if self.is(0, "(") {
            self.method(start).await?
        } else if self.take(":") {
            self.value(Around::default()).await?
        } else {
            let hint = "write {[k]: 1}";
            return self.wrong(self.token(0).start, "a `:` is missing after the key", hint);
        };
        Ok(Member::Computed { key, value })
    }

    /// `k(…) { … }`
    async fn method(&self, start: u32) -> Read<ExprId> {
        let function = self.function(start, None).await?;
        Ok(self.add(What::Function(function), start))
    }
}

impl<'s> Parser<'s> {
    /// A key that is written as a name, a text or a number.
    pub(super) fn key(&self, token: Token) -> Read<Words<'s>> {
        match token.kind {
            Kind::Name => Ok(self.spelling(token).into()),
            Kind::Text => self.unquote(token.start + 1, token.end - 1),
            Kind::Number => {
                let number = as_json(self.spelling(token));
                let is_whole = number.bytes().all(|byte| byte.is_ascii_digit());
                let float = number.parse::<f64>().ok().filter(|_| !is_whole);
                Ok(float.map_or(number, |float| float.to_string().into()))
            }
            _ => {
                let hint = "write {name: 1, \"a name\": 2, [k]: 3, ...r}";
                self.wrong(token.start, "a key is missing", hint)
            }
        }
    }

    /// `get k() {…}`, `set k(v) {…}` and `*k() {…}` are refused.
    fn check_accessor(&self) -> Read<()> {
        let start = self.token(0).start;
        let word = self.word(0);
        let is_key =
            matches!(self.token(1).kind, Kind::Name | Kind::Text | Kind::Number) || self.is(1, "[");
        if matches!(word, "get" | "set") && is_key {
            let message = format!("`{word}`: a member of a record is a value");
            return self.wrong(
                start,
                &message,
                "write {area: w * h}, or a function {area: () => w * h}",
            );
        }
        if self.is(0, "*") || word == "async" && self.is(1, "*") {
            return self.generator(start);
        }
        Ok(())
    }

    /// `{name}` is `{name: name}`.
    fn shorthand(&self, token: Token, close: usize) -> Read<ExprId> {
        let is_here = token.kind == Kind::Name && (self.is(0, ",") || self.at.get() == close);
        let name = self.spelling(token);
        if !is_here || is_reserved(name) && !matches!(name, "undefined") {
            let (message, hint) = if self.is(0, "=") {
                ("`=` stands where a `:` belongs", "write {name: 1}")
            } else if self.is(0, "(") {
                ("a method has a block", "write {name: x => x + 1}, or {name(x) { return x + 1; }}")
            } else {
                ("a `:` is missing after the key", "write {name: 1}")
            };
            return self.wrong(self.token(0).start, message, hint);
        }
        let what = match name {
            "undefined" => What::Null,
            _ => What::Name(name),
        };
        Ok(self.ast.borrow_mut().add_expr(what, (token.start, token.end)))
    }
}
