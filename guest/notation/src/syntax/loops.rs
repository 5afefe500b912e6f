//! Loops.

use crate::ast::{Kind as Word, PatternId, Statement, StmtId};
use crate::syntax::lexer::Kind;
use crate::syntax::parser::{Around, Read, Reader};

const HINT: &str =
    "write for (const x of xs) { … }, for (let i = 0; i < n; i++) { … }, or xs.map(x => x + 1)";

impl Reader<'_, '_> {
    pub(super) async fn while_loop(&self) -> Read<StmtId> {
        let start = self.token(0).start;
        let test = self.condition("while").await?;
        let from = self.ast.borrow().exprs.len();
        let body = self.inner().await?;
        if let Some(over) = self.loop_over_matches(test, body, from, start) {
            return Ok(over);
        }
        Ok(self.add_statement(Statement::While { test, body }, start))
    }

    pub(super) async fn do_loop(&self) -> Read<StmtId> {
        let start = self.token(0).start;
        self.pass(1);
        let body = self.inner().await?;
        if !self.is(0, "while") {
            let hint = "write do { … } while (i < n)";
            return self.wrong(self.token(0).start, "a `while` is missing", hint);
        }
        let test = self.condition("while").await?;
        let statement = self.add_statement(Statement::DoWhile { body, test }, start);
        self.take(";");
        Ok(statement)
    }

    /// All kinds of `for`.
    pub(super) async fn for_loop(&self) -> Read<StmtId> {
        let start = self.token(0).start;
        self.pass(1);
        self.take("await");
        if !self.is(0, "(") {
            return self.wrong(start, "the head of `for` stands in parentheses", HINT);
        }
        let close = self.open();
        let kind = self.loop_kind();
        if let Some(pattern) = self.loop_pattern(kind).await? {
            return self.for_each(start, close, (kind, pattern)).await;
        }
        let head = Around { without_in: true, ..Around::default() };
        let from = self.token(0).start;
        let begin = if self.is(0, ";") {
            None
        } else if kind.is_some() {
            let what = self.declared(head).await?;
            Some(self.add_statement(what, from))
        } else {
            let value = self.sequence(head).await?;
            if self.is(0, "of") || self.is(0, "in") {
                let pattern = self.target(value, self.token(0))?;
                return self.for_each(start, close, (None, pattern)).await;
            }
            Some(self.add_statement(Statement::Expression(value), from))
        };
        self.semicolon(close)?;
        let is_left_out = self.is(0, ";");
        let test = if is_left_out { None } else { Some(self.sequence(Around::default()).await?) };
        self.semicolon(close)?;
        let is_left_out = self.at.get() == close;
        let update = if is_left_out { None } else { Some(self.sequence(Around::default()).await?) };
        self.close(close)?;
        let body = self.inner().await?;
        Ok(self.add_statement(Statement::For { begin, test, update, body }, start))
    }

    fn semicolon(&self, close: usize) -> Read<()> {
        if self.at.get() < close && self.take(";") {
            return Ok(());
        }
        if self.at.get() == close {
            return self.wrong(self.token(0).start, "the head of `for` has three parts", HINT);
        }
        self.unexpected()
    }

    /// The word of the declaration that is next.
    fn loop_kind(&self) -> Option<Word> {
        match self.word(0) {
            "const" => Some(Word::Const),
            "let" => Some(Word::Let),
            "var" => Some(Word::Var),
            _ => None,
        }
    }

    /// Reads the pattern before `of` or `in`, if these stand behind it.
    async fn loop_pattern(&self, kind: Option<Word>) -> Read<Option<PatternId>> {
        let first = usize::from(kind.is_some());
        let behind = match self.token(first).kind {
            Kind::Name if kind.is_some() => self.at.get() + first + 1,
            Kind::Open if !self.is(first, "(") => self.behind(first),
            _ => return Ok(None),
        };
        if !self.is_at(behind, "of") && !self.is_at(behind, "in") {
            return Ok(None);
        }
        self.pass(first);
        self.pattern(kind.is_none()).await.map(Some)
    }

    /// `of list) body`, `in record) body`
    async fn for_each(
        &self,
        start: u32,
        close: usize,
        (kind, pattern): (Option<Word>, PatternId),
    ) -> Read<StmtId> {
        let is_list = self.is(0, "of");
        self.pass(1);
        let value = self.value(Around::default()).await?;
        self.close(close)?;
        let body = self.inner().await?;
        let what = if is_list {
            Statement::ForOf { kind, pattern, list: value, body }
        } else {
            Statement::ForIn { kind, pattern, record: value, body }
        };
        Ok(self.add_statement(what, start))
    }
}
