//! The parser: its tokens, its place in them, and the tree so far.

use crate::ast::{Ast, Expr, ExprId, PatternId, Span, Statement, StmtId, Target, What};
use crate::lexer::Wrong;
use crate::syntax::lexer::{Kind, Token};
use pif_core::stack::Stack;
use std::cell::{Cell, RefCell};
use std::ops::Deref;

/// A piece of the tree, or the fault that stops the statement around it.
pub(super) type Read<T> = Result<T, Wrong>;

/// Most faults that are reported at once.
pub(super) const MOST_FAULTS: usize = 8;

/// A program that is being read.
pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) tokens: Vec<Token>,
    /// The next token.
    pub(super) at: Cell<usize>,
    pub(super) ast: RefCell<Ast<'s>>,
    pub(super) faults: RefCell<Vec<Wrong>>,
}

/// A parser, and the stack that its functions call each other on.
#[derive(Clone)]
pub(super) struct Reader<'p, 's> {
    pub(super) parser: &'p Parser<'s>,
    pub(super) stack: Stack<'p>,
}

impl<'s> Deref for Reader<'_, 's> {
    type Target = Parser<'s>;

    fn deref(&self) -> &Parser<'s> {
        self.parser
    }
}

/// The surroundings of an expression, which decide where it ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// In the head of a `for`: `in` is no operator.
    pub(super) without_in: bool,
    /// In a pipe: a function ends at the next `|>`.
    pub(super) in_pipe: bool,
    /// `|>` is not of this expression.
    pub(super) is_single: bool,
}

impl<'s> Parser<'s> {
    pub(super) fn token(&self, ahead: usize) -> Token {
        self.token_at(self.at.get() + ahead)
    }

    pub(super) fn token_at(&self, at: usize) -> Token {
        let last = self.tokens.last().copied();
        self.tokens.get(at).copied().or(last).unwrap_or(Token {
            kind: Kind::End,
            on_new_line: false,
            start: 0,
            end: 0,
            mate: 0,
        })
    }

    /// The token behind the bracket that matches one so many tokens ahead.
    pub(super) fn behind(&self, ahead: usize) -> usize {
        self.token(ahead).mate as usize + 1
    }

    /// The characters of a token.
    pub(super) fn spelling(&self, token: Token) -> &'s str {
        self.source.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    pub(super) fn is(&self, ahead: usize, text: &str) -> bool {
        self.is_at(self.at.get() + ahead, text)
    }

    /// Tells whether a token is this mark, word or bracket.
    pub(super) fn is_at(&self, at: usize, text: &str) -> bool {
        let token = self.token_at(at);
        let has_spelling = matches!(token.kind, Kind::Name | Kind::Mark | Kind::Open | Kind::Close);
        has_spelling && self.spelling(token) == text
    }

    /// The next token as a word; empty if it is none.
    pub(super) fn word(&self, ahead: usize) -> &'s str {
        let token = self.token(ahead);
        if token.kind == Kind::Name { self.spelling(token) } else { "" }
    }

    pub(super) fn pass(&self, tokens: usize) {
        self.at.set(self.at.get() + tokens);
    }

    /// Passes a token if it is this one.
    pub(super) fn take(&self, text: &str) -> bool {
        let is_here = self.is(0, text);
        self.pass(usize::from(is_here));
        is_here
    }

    /// Passes a bracket that opens, and tells the one that closes it.
    pub(super) fn open(&self) -> usize {
        let close = self.token(0).mate as usize;
        self.pass(1);
        close
    }

    /// Passes the bracket that closes.
    pub(super) fn close(&self, close: usize) -> Read<()> {
        if self.at.get() != close {
            return self.unexpected();
        }
        self.pass(1);
        Ok(())
    }

    /// Passes a comma, unless the bracket ends here.
    pub(super) fn comma(&self, close: usize) -> Read<()> {
        if self.at.get() == close || self.take(",") { Ok(()) } else { self.unexpected() }
    }

    /// From a byte to the end of the last token.
    pub(super) fn since(&self, start: u32) -> Span {
        (start, self.token_at(self.at.get().saturating_sub(1)).end)
    }

    pub(super) fn add(&self, what: What<'s>, start: u32) -> ExprId {
        self.ast.borrow_mut().add_expr(what, self.since(start))
    }

    pub(super) fn add_statement(&self, what: Statement<'s>, start: u32) -> StmtId {
        self.ast.borrow_mut().add_stmt(what, self.since(start))
    }

    pub(super) fn add_pattern(&self, what: Target<'s>, start: u32) -> PatternId {
        self.ast.borrow_mut().add_pattern(what, self.since(start))
    }

    /// Looks at an expression.
    pub(super) fn look<T>(&self, id: ExprId, at: impl FnOnce(&Expr<'s>) -> T) -> T {
        at(self.ast.borrow().expr(id))
    }

    /// Tells whether as many faults have been found as are reported.
    pub(super) fn is_full(&self) -> bool {
        self.faults.borrow().len() >= MOST_FAULTS
    }

    /// Takes down a fault of a statement, and goes on at the next, or at the end of the block.
    pub(super) fn recover(&self, wrong: Wrong, begin: usize, close: usize) {
        if self.is_full() {
            return;
        }
        self.faults.borrow_mut().push(wrong);
        let here = self.at.get();
        let mut at = begin;
        while at < close {
            let token = self.token_at(at);
            let is_over = at > here || at == here && at > begin;
            if is_over && token.on_new_line && self.begins_statement(at) {
                break;
            }
            at = if token.kind == Kind::Open { token.mate as usize + 1 } else { at + 1 };
            if at > here && self.is_at(at - 1, ";") {
                break;
            }
        }
        self.at.set(at.min(close));
    }
}
