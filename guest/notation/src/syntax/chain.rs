//! Members, indices and calls behind an operand; and `new`.

use crate::ast::{ExprId, Item, What};
use crate::syntax::lexer::Kind;
use crate::syntax::parser::{Around, Parser, Read, Reader};

impl<'s> Reader<'_, 's> {
    /// Reads members, indices and calls of a value.
    pub(super) async fn chain(&self, value: ExprId, start: u32) -> Read<ExprId> {
        let mut value = value;
        loop {
            let token = self.token(0);
            let what = match (token.kind, self.spelling(token)) {
                (Kind::Open, "(") => self.call(value, false).await?,
                (Kind::Open, "[") => self.index(value, false).await?,
                (Kind::Open, "`") => return self.tagged(start),
                (Kind::Mark, "?.") if self.is(1, "(") => {
                    self.pass(1);
                    self.call(value, true).await?
                }
                (Kind::Mark, "?.") if self.is(1, "[") => {
                    self.pass(1);
                    self.index(value, true).await?
                }
                (Kind::Mark, mark @ ("." | "?.")) => self.member(value, mark == "?.")?,
                _ => return Ok(value),
            };
            value = self.add(what, start);
        }
    }

    async fn call(&self, callee: ExprId, is_optional: bool) -> Read<What<'s>> {
        let arguments = self.arguments().await?;
        Ok(What::Call { callee, arguments, is_optional })
    }

    async fn index(&self, object: ExprId, is_optional: bool) -> Read<What<'s>> {
        let close = self.open();
        if self.is(0, ":") {
            return self.slice();
        }
        let index = self.value(Around::default()).await?;
        if self.is(0, ":") {
            return self.slice();
        }
        if self.is(0, ",") {
            let hint = "write xs[1][2]";
            return self.wrong(self.token(0).start, "an index is one value", hint);
        }
        self.close(close)?;
        Ok(What::Index { object, index, is_optional })
    }

    /// The arguments of a call.
    pub(super) async fn arguments(&self) -> Read<Vec<Item>> {
        let close = self.open();
        let mut arguments = Vec::new();
        while self.at.get() != close {
            let is_spread = self.take("...");
            let value = self.value(Around::default()).await?;
            arguments.push(Item { value, is_spread });
            self.comma(close)?;
        }
        self.close(close).map(|()| arguments)
    }

    /// `new Name`, `new Name(…)`.
    pub(super) async fn made(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let name = self.token(1);
        if matches!(self.spelling(name), "class" | "this") {
            return self.refused(name);
        }
        if name.kind != Kind::Name || matches!(self.spelling(name), "function" | "new") {
            let hint = "write new Map(pairs), new Set(xs), or a record {name: 1}";
            return self.wrong(name.start, "a name is missing after `new`", hint);
        }
        self.pass(2);
        while self.is(0, ".") && self.token(1).kind == Kind::Name {
            self.pass(2);
        }
        let end = self.since(start).1;
        let whole = self.source.get(name.start as usize..end as usize).unwrap_or_default();
        if self.is(0, "<") {
            return self.wrong(
                self.token(0).start,
                "a name has no type",
                "write new Map(), new Set(xs)",
            );
        }
        let arguments = if self.is(0, "(") { self.arguments().await? } else { Vec::new() };
        Ok(self.add(What::New { name: whole, arguments }, start))
    }
}

impl<'s> Parser<'s> {
    /// `.name`, `?.name`
    fn member(&self, object: ExprId, is_optional: bool) -> Read<What<'s>> {
        let name = self.token(1);
        self.pass(1);
        if name.kind != Kind::Name {
            let hint = "write r.name, r[\"a name\"] or xs[0]";
            return self.wrong(name.start, "a name is missing after the point", hint);
        }
        self.pass(1);
        Ok(What::Member { object, name: self.spelling(name), name_at: name.start, is_optional })
    }

    fn slice<T>(&self) -> Read<T> {
        let hint = "write xs.slice(1, 2); xs.slice(1) to the end";
        self.wrong(self.token(0).start, "slice takes a part of a list or text", hint)
    }

    fn tagged<T>(&self, start: u32) -> Read<T> {
        let hint = "write f(`a ${x}`), or an operator between them";
        self.wrong(start, "a template has no function before it", hint)
    }
}
