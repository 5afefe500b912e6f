//! Statements, and where they end.

use crate::ast::{ExprId, Kind as Word, PatternId, Statement, StmtId};
use crate::syntax::lexer::Kind;
use crate::syntax::operand::is_reserved;
use crate::syntax::parser::{Around, Parser, Read, Reader};
use pif_core::stack::Answer;
use pif_core::text::words;

/// Words that begin a statement.
const WORDS: &str = "const let var function async return if for while do break continue throw try \
    switch class import export";

impl<'s> Reader<'_, 's> {
    /// Reads the statements of the program.
    pub(super) async fn program(self) -> Read<Vec<StmtId>> {
        let end = self.tokens.len().saturating_sub(1);
        if end == 0 {
            return self.wrong(
                self.token(0).start,
                "the text is empty",
                "write a term, such as 1 + 2",
            );
        }
        Ok(self.statements(end).await)
    }

    /// Reads statements up to a token. Faults are taken down.
    pub(super) async fn statements(&self, close: usize) -> Vec<StmtId> {
        let is_program = self.token_at(close).kind == Kind::End;
        let mut all = Vec::new();
        loop {
            while self.take(";") {}
            let begin = self.at.get();
            if begin >= close || self.is_full() {
                self.at.set(close);
                return all;
            }
            if self.is_directive(all.is_empty()) {
                self.pass(1);
                continue;
            }
            let statement = if is_program && self.is_record_statement(all.is_empty()) {
                self.stack.call(self.clone().expression_statement()).await
            } else {
                self.statement().await
            };
            match statement {
                Ok(statement) => all.push(statement),
                Err(wrong) => self.recover(wrong, begin, close),
            }
        }
    }

    pub(super) fn statement(&self) -> Answer<Read<StmtId>> {
        self.stack.call(self.clone().read_statement())
    }

    async fn read_statement(self) -> Read<StmtId> {
        let token = self.token(0);
        match (token.kind, self.spelling(token)) {
            (Kind::Open, "{") => {
                let body = self.block().await?;
                Ok(self.add_statement(Statement::Block(body), token.start))
            }
            (Kind::Mark, ";") => {
                self.pass(1);
                Ok(self.add_statement(Statement::Empty, token.start))
            }
            (Kind::Name, word) if is_reserved(word) || word == "async" => {
                self.begin_word(word).await
            }
            (Kind::Name, label) if self.is(1, ":") => self.labeled(label).await,
            _ => self.clone().expression_statement().await,
        }
    }

    /// A statement that begins with a word of the language.
    async fn begin_word(&self, word: &'s str) -> Read<StmtId> {
        match word {
            "const" | "let" | "var" => self.declaration().await,
            // A function without a name is a value.
            "function" | "async" if self.is_declared_function() => self.declared_function().await,
            "if" if !self.is_strict_if() => self.choice_statement().await,
            "for" => self.for_loop().await,
            "while" => self.while_loop().await,
            "do" => self.do_loop().await,
            "return" | "throw" => self.leave(word).await,
            "break" => self.jump(word),
            "continue" if !self.is(1, "(") || self.token(1).on_new_line => self.jump(word),
            "try" if !self.is(1, "(") => self.attempt().await,
            "switch" => self.switch().await,
            "export" if self.is(1, "default") => {
                self.pass(2);
                self.clone().expression_statement().await
            }
            "with" | "class" | "import" | "export" | "enum" => self.refused(self.token(0)),
            "debugger" => {
                let start = self.token(0).start;
                self.pass(1);
                self.end_statement()?;
                Ok(self.add_statement(Statement::Empty, start))
            }
            _ => self.clone().expression_statement().await,
        }
    }

    async fn expression_statement(self) -> Read<StmtId> {
        let start = self.token(0).start;
        let value = self.sequence(Around::default()).await?;
        let statement = self.add_statement(Statement::Expression(value), start);
        self.end_statement()?;
        Ok(statement)
    }

    async fn declaration(&self) -> Read<StmtId> {
        let start = self.token(0).start;
        let what = self.declared(Around::default()).await?;
        let statement = self.add_statement(what, start);
        self.end_statement()?;
        Ok(statement)
    }

    /// `const a = 1, [b, c] = xs`
    pub(super) async fn declared(&self, around: Around) -> Read<Statement<'s>> {
        let kind = self.declaring();
        let mut names = Vec::new();
        loop {
            names.push(self.declared_name(kind, around).await?);
            if !self.take(",") {
                return Ok(Statement::Declare { kind, names });
            }
        }
    }

    async fn declared_name(&self, kind: Word, around: Around) -> Read<(PatternId, Option<ExprId>)> {
        let is_name = self.token(0).kind == Kind::Name;
        let pattern = if is_name { self.name_pattern()? } else { self.pattern(false).await? };
        if self.take("=") {
            return Ok((pattern, Some(self.value(around).await?)));
        }
        if self.is(0, ":") {
            return self.typed();
        }
        if self.is(0, "of") || self.is(0, "in") {
            return self.unexpected();
        }
        if !is_name || kind == Word::Const {
            let hint = "write const x = 1, or let x";
            return self.wrong(self.token(0).start, "a name lacks its value", hint);
        }
        Ok((pattern, None))
    }

    async fn declared_function(&self) -> Read<StmtId> {
        let start = self.token(0).start;
        let name = self.function_head()?;
        let function = self.function(start, name).await?;
        Ok(self.add_statement(Statement::Function(function), start))
    }

    /// `return t`, `return`, `throw t`
    async fn leave(&self, word: &str) -> Read<StmtId> {
        let token = self.token(0);
        self.pass(1);
        let returns = word == "return";
        let is_alone = self.ends_here() || self.is(0, "else");
        let what = match (returns, is_alone) {
            (true, true) => Statement::Return(None),
            (true, false) => Statement::Return(Some(self.sequence(Around::default()).await?)),
            (false, true) => {
                let hint = "write throw new Error(\"no stock\")";
                return self.wrong(token.start, "`throw` lacks a value", hint);
            }
            (false, false) => Statement::Throw(self.sequence(Around::default()).await?),
        };
        let statement = self.add_statement(what, token.start);
        self.end_statement()?;
        Ok(statement)
    }

    async fn labeled(&self, label: &'s str) -> Read<StmtId> {
        let start = self.token(0).start;
        if !self.is_labeled(self.at.get() + 2) && !self.is(2, "{") {
            let hint = "write ({name: 1}) for a record, c ? a : b for a choice";
            return self.wrong(self.token(1).start, "`:` stands behind the label of a loop", hint);
        }
        self.pass(2);
        let inner = self.statement().await?;
        Ok(self.add_statement(Statement::Labeled(label, inner), start))
    }
}

impl Parser<'_> {
    /// Tells whether `"use strict"` stands here.
    fn is_directive(&self, is_first: bool) -> bool {
        let token = self.token(0);
        let behind = self.token(1);
        is_first
            && token.kind == Kind::Text
            && matches!(self.spelling(token), "\"use strict\"" | "'use strict'")
            && (self.is(1, ";") || behind.on_new_line && behind.kind != Kind::End)
    }

    /// Tells whether `function f`, `async function f` or `function*` begins here.
    fn is_declared_function(&self) -> bool {
        let is_async = self.is(0, "async");
        if is_async && (!self.is(1, "function") || self.token(1).on_new_line) {
            return false;
        }
        !self.is(1 + usize::from(is_async), "(")
    }

    pub(super) fn begins_statement(&self, at: usize) -> bool {
        let token = self.token_at(at);
        token.kind == Kind::Name && words::has(WORDS, self.spelling(token))
    }

    /// Passes the word of a declaration.
    fn declaring(&self) -> Word {
        let word = self.word(0);
        self.pass(1);
        match word {
            "let" => Word::Let,
            "var" => Word::Var,
            _ => Word::Const,
        }
    }

    /// Tells whether a statement can end before the next token.
    fn ends_here(&self) -> bool {
        let token = self.token(0);
        token.on_new_line || matches!(token.kind, Kind::Close | Kind::End) || self.is(0, ";")
    }

    /// Passes the end of a statement.
    fn end_statement(&self) -> Read<()> {
        if self.take(";") || self.ends_here() || self.is(0, "else") {
            Ok(())
        } else {
            self.unexpected()
        }
    }

    /// `break`, `continue`, with a label in the same line.
    fn jump(&self, word: &str) -> Read<StmtId> {
        let start = self.token(0).start;
        self.pass(1);
        let label = self.word(0);
        let has_label = !label.is_empty() && !self.ends_here() && !is_reserved(label);
        let label = has_label.then_some(label);
        self.pass(usize::from(has_label));
        let what =
            if word == "break" { Statement::Break(label) } else { Statement::Continue(label) };
        let statement = self.add_statement(what, start);
        self.end_statement()?;
        Ok(statement)
    }
}
