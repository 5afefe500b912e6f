//! The beginnings of operands.

use crate::ast::{ExprId, What};
use crate::syntax::braces::Braces;
use crate::syntax::lexer::{Kind, Token};
use crate::syntax::number::as_json;
use crate::syntax::parser::{Around, Parser, Read, Reader};
use pif_core::text::quote::shorten;
use pif_core::text::words;

/// Words that are no names of variables.
const RESERVED: &str = "break case catch class const continue debugger default delete do else enum \
    export extends false finally for function if import in instanceof let new null return super \
    switch this throw true try typeof undefined var void while with yield await";

/// Words that begin no operand.
const NO_OPERAND: &str = "break case catch class const continue debugger default do else enum export \
    extends finally for import in instanceof let return super switch this throw try var while with \
    yield";

pub(crate) fn is_reserved(name: &str) -> bool {
    words::has(RESERVED, name)
}

impl Reader<'_, '_> {
    /// Reads an operand: what begins it, its members and calls, and `++` behind it.
    pub(super) async fn operand(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let value = match self.leaf()? {
            Some(value) => value,
            None => self.compound().await?,
        };
        let value = self.chain(value, start).await?;
        let token = self.token(0);
        let increases = match self.spelling(token) {
            "++" => true,
            "--" => false,
            _ => return Ok(value),
        };
        if token.kind != Kind::Mark || token.on_new_line {
            return Ok(value);
        }
        let target = self.target(value, token)?;
        self.pass(1);
        Ok(self.add(What::Update { target, increases, is_prefix: false }, start))
    }

    /// An operand that has others within it.
    async fn compound(&self) -> Read<ExprId> {
        let token = self.token(0);
        match self.spelling(token) {
            "(" => self.group().await,
            "[" => self.list().await,
            "`" => self.template().await,
            "{" if self.is_block() => self.block_value().await,
            "{" => self.record().await,
            "function" | "async" => self.function_expression().await,
            "new" => self.made().await,
            "if" => self.choice_or_form().await,
            _ => self.no_operand(),
        }
    }

    async fn group(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let close = self.open();
        if self.at.get() == close {
            let hint = "write () => 1 for a function of nothing, null for no value";
            return self.wrong(start, "the parentheses are empty", hint);
        }
        let value = self.sequence(Around::default()).await?;
        self.close(close)?;
        if let Some(expr) = self.ast.borrow_mut().exprs.get_mut(value as usize) {
            expr.in_parentheses = true;
        }
        Ok(value)
    }

    /// `if (test) then else otherwise` as an operand, or `if(test, then, otherwise)`.
    async fn choice_or_form(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        if self.is_strict_if() {
            return self.strict_if().await;
        }
        let test = self.condition("if").await?;
        let then = self.side().await?;
        if !self.take("else") {
            let hint = "write if (a > 1) b else c, or a > 1 ? b : c";
            return self.wrong(start, "an `if` without `else` has no value", hint);
        }
        let otherwise = self.side().await?;
        Ok(self.add(What::Conditional { test, then, otherwise }, start))
    }

    /// One side of a choice that is an operand.
    async fn side(&self) -> Read<ExprId> {
        if self.is(0, "return") {
            let hint = "write const y = a > 1 ? b : c; y";
            return self.wrong(
                self.token(0).start,
                "`return` must be a statement of its own",
                hint,
            );
        }
        if self.is(0, "{") && self.braces() != Braces::Record {
            return self.block_value().await;
        }
        self.value(Around { is_single: true, ..Around::default() }).await
    }

    async fn strict_if(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        self.pass(1);
        let close = self.open();
        let test = self.value(Around::default()).await?;
        self.comma(close)?;
        let then = self.value(Around::default()).await?;
        self.comma(close)?;
        let otherwise = self.value(Around::default()).await?;
        self.comma(close)?;
        self.close(close)?;
        Ok(self.add(What::StrictIf([test, then, otherwise]), start))
    }
}

impl<'s> Parser<'s> {
    /// Passes an operand that has no other within it.
    fn leaf(&self) -> Read<Option<ExprId>> {
        let token = self.token(0);
        let what = match token.kind {
            Kind::Number => What::Number(as_json(self.spelling(token))),
            Kind::Text => What::Text(self.unquote(token.start + 1, token.end - 1)?),
            Kind::Regex => self.regex(token)?,
            Kind::Name => match self.name(token)? {
                Some(what) => what,
                None => return Ok(None),
            },
            Kind::Mark if self.spelling(token) == "@" => return self.tool(token).map(Some),
            Kind::Open => return Ok(None),
            _ => return self.no_operand(),
        };
        self.pass(1);
        Ok(Some(self.add(what, token.start)))
    }

    fn regex(&self, token: Token) -> Read<What<'s>> {
        let text = self.spelling(token);
        let (pattern, flags) = text.get(1..).and_then(|it| it.rsplit_once('/')).unwrap_or_default();
        let odd = flags.char_indices().find(|(at, c)| {
            !"dgimsuvy".contains(*c) || flags.get(..*at).is_some_and(|before| before.contains(*c))
        });
        if odd.is_some() {
            let message = format!("`{}` are no flags of a regular expression", shorten(flags));
            return self.wrong(
                token.start,
                &message,
                "write /[0-9]+/gi: the flags are g i m s u y",
            );
        }
        Ok(What::Regex { pattern, flags })
    }

    /// The literal that a word stands for, if any.
    fn name(&self, token: Token) -> Read<Option<What<'s>>> {
        let name = self.spelling(token);
        Ok(Some(match name {
            "true" => What::Boolean(true),
            "false" => What::Boolean(false),
            "null" | "undefined" => What::Null,
            "function" | "new" | "if" => return Ok(None),
            "async" if self.is(1, "function") && !self.token(1).on_new_line => return Ok(None),
            "json" if self.is(1, "(") && (self.is(2, "{") || self.is(2, "[")) => self.json(),
            "try" | "continue" if self.is(1, "(") => What::Name(name),
            _ if words::has(NO_OPERAND, name) => return self.no_operand(),
            "eval" if self.is(1, "(") && !self.is_text_alone(1) => What::Name(name),
            "eval" | "Symbol" if self.is(1, "(") || self.is(1, ".") => return self.refused(token),
            _ => What::Name(name),
        }))
    }

    /// Tells whether a text or a template stands alone behind a bracket so many tokens ahead.
    fn is_text_alone(&self, ahead: usize) -> bool {
        let first = self.token(ahead + 1);
        let close = self.token(ahead).mate as usize;
        let last = match first.kind {
            Kind::Text => self.at.get() + ahead + 1,
            _ if self.is(ahead + 1, "`") => first.mate as usize,
            _ => return false,
        };
        last + 1 == close
    }

    /// `json({…})`: what stands between the parentheses is JSON, and nothing else looks at it.
    fn json(&self) -> What<'s> {
        let open = self.token(1);
        let close = self.behind(1) - 1;
        self.at.set(close);
        What::Json(open.end, self.token_at(close).start)
    }

    /// `@name` or `@"name"`.
    fn tool(&self, token: Token) -> Read<ExprId> {
        let name = self.token(1);
        let text = match name.kind {
            Kind::Name => self.spelling(name).into(),
            Kind::Text => self.unquote(name.start + 1, name.end - 1)?,
            _ => return self.no_operand(),
        };
        self.pass(2);
        let dash = self.token(0);
        let rest = self.token(1);
        let is_part = name.kind == Kind::Name && self.is(0, "-") && rest.kind == Kind::Name;
        if is_part && dash.start == name.end && rest.start == dash.end {
            let hint = format!("write @\"{}-{}\"", self.spelling(name), self.spelling(rest));
            return self.wrong(token.start, "a tool's name with `-` stands in quotes", &hint);
        }
        Ok(self.add(What::Tool(text), token.start))
    }

    /// Tells whether `if(c, a, b)` begins here: two commas stand between its parentheses, and no statement
    /// behind them.
    pub(super) fn is_strict_if(&self) -> bool {
        let behind = self.token_at(self.behind(1));
        let is_head = !behind.on_new_line
            && matches!(
                behind.kind,
                Kind::Name | Kind::Number | Kind::Text | Kind::Regex | Kind::Open
            )
            && !self.is_at(self.behind(1), "else");
        if !self.is(1, "(") || is_head {
            return false;
        }
        let mut at = self.at.get() + 2;
        let close = self.token(1).mate as usize;
        let mut commas = 0;
        while at < close {
            let token = self.token_at(at);
            commas += u32::from(self.is_at(at, ",") && at + 1 < close);
            at = if token.kind == Kind::Open { token.mate as usize + 1 } else { at + 1 };
        }
        commas == 2
    }

    /// Tells whether a brace begins statements and no record: a word that begins one stands after it.
    fn is_block(&self) -> bool {
        let is_word =
            matches!(self.word(1), "const" | "let" | "var" | "return" | "if" | "for" | "while")
                && !(self.is(2, ":") || self.is(2, ",") || self.is(2, "}"));
        let is_method = self.is(2, "(") && self.braces() == Braces::Record;
        is_word && !is_method || self.is(1, "{")
    }
}
