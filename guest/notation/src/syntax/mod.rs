//! Tokens to the tree of a program as JavaScript. What nests is read by functions on a stack in the
//! heap; nothing is read twice: whether a bracket begins parameters, a pattern or a record is told
//! by what stands in it first, and behind the bracket that closes it.

mod chain;
mod container;
mod control;
mod escape;
mod expression;
mod function;
mod habits;
mod lexer;
mod loops;
mod number;
mod operand;
mod operator;
mod pattern;
mod statement;
mod template;
mod wrap;
mod wrong;

use crate::ast::{Ast, Expr, ExprId, PatternId, Span, Statement, StmtId, Target, What};
use crate::lexer::Wrong;
use crate::stack::{Stack, run};
use lexer::{Kind, Token, tokens};
pub(crate) use operand::is_reserved;
use pif_core::fault::{Code, Fault};
use std::cell::{Cell, RefCell};
use std::ops::Deref;

/// What is read, or the fault that stops the statement around it.
type Read<T> = Result<T, Wrong>;

/// Faults that are told at once.
const MOST_FAULTS: usize = 8;

/// A program that is being read.
pub(crate) struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    /// The next token.
    at: Cell<usize>,
    ast: RefCell<Ast<'s>>,
    faults: RefCell<Vec<Wrong>>,
}

/// A parser, and the stack that its functions call each other on.
#[derive(Clone)]
struct Reader<'p, 's> {
    parser: &'p Parser<'s>,
    stack: Stack<'p>,
}

impl<'s> Deref for Reader<'_, 's> {
    type Target = Parser<'s>;

    fn deref(&self) -> &Parser<'s> {
        self.parser
    }
}

/// What stands around an expression, as far as it matters to what belongs to it.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    /// In the head of a `for`: `in` is no operator.
    without_in: bool,
    /// In a pipe: a function ends at the next `|>`.
    in_pipe: bool,
    /// `|>` is not of this expression.
    is_single: bool,
}

/// Reads a program, or tells what is wrong with it.
pub(crate) fn parse(source: &str) -> Result<Ast<'_>, Vec<Wrong>> {
    let tokens = wrap::part(source).and_then(|part| tokens(source, part));
    let tokens = tokens.map_err(|wrong| vec![wrong])?;
    let parser = Parser {
        source,
        tokens,
        at: Cell::new(0),
        ast: RefCell::default(),
        faults: RefCell::default(),
    };
    let program = {
        let stack = Stack::default();
        let reader = Reader { parser: &parser, stack: stack.clone() };
        run(&stack, reader.program())
    };
    let mut faults = parser.faults.into_inner();
    match program {
        Some(Ok(program)) if faults.is_empty() => {
            let mut ast = parser.ast.into_inner();
            ast.program = program;
            return Ok(ast);
        }
        Some(Err(wrong)) => faults.push(wrong),
        Some(Ok(_)) => {}
        None => {
            faults.push(Box::new(Fault::new(Code::Internal, "the text was not read to its end")));
        }
    }
    faults.sort_by_key(|wrong| wrong.place.as_ref().map(|place| (place.line, place.column)));
    Err(faults)
}

impl<'s> Parser<'s> {
    fn token(&self, ahead: usize) -> Token {
        self.token_at(self.at.get() + ahead)
    }

    fn token_at(&self, at: usize) -> Token {
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
    fn behind(&self, ahead: usize) -> usize {
        self.token(ahead).mate as usize + 1
    }

    /// The characters of a token.
    fn spelling(&self, token: Token) -> &'s str {
        self.source.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    fn is(&self, ahead: usize, text: &str) -> bool {
        self.is_at(self.at.get() + ahead, text)
    }

    /// Whether a token is this mark, word or bracket.
    fn is_at(&self, at: usize, text: &str) -> bool {
        let token = self.token_at(at);
        let has_spelling = matches!(token.kind, Kind::Name | Kind::Mark | Kind::Open | Kind::Close);
        has_spelling && self.spelling(token) == text
    }

    /// The next token as a word; empty if it is none.
    fn word(&self, ahead: usize) -> &'s str {
        let token = self.token(ahead);
        if token.kind == Kind::Name { self.spelling(token) } else { "" }
    }

    fn pass(&self, tokens: usize) {
        self.at.set(self.at.get() + tokens);
    }

    /// Passes a token if it is this one.
    fn take(&self, text: &str) -> bool {
        let is_here = self.is(0, text);
        self.pass(usize::from(is_here));
        is_here
    }

    /// Passes a bracket that opens, and tells the one that closes it.
    fn open(&self) -> usize {
        let close = self.token(0).mate as usize;
        self.pass(1);
        close
    }

    /// Passes the bracket that closes.
    fn close(&self, close: usize) -> Read<()> {
        if self.at.get() != close {
            return self.unexpected();
        }
        self.pass(1);
        Ok(())
    }

    /// Passes a comma, unless the bracket ends here.
    fn comma(&self, close: usize) -> Read<()> {
        if self.at.get() == close || self.take(",") { Ok(()) } else { self.unexpected() }
    }

    /// From a byte to the end of the last token.
    fn since(&self, start: u32) -> Span {
        (start, self.token_at(self.at.get().saturating_sub(1)).end)
    }

    fn add(&self, what: What<'s>, start: u32) -> ExprId {
        self.ast.borrow_mut().add_expr(what, self.since(start))
    }

    fn add_statement(&self, what: Statement<'s>, start: u32) -> StmtId {
        self.ast.borrow_mut().add_stmt(what, self.since(start))
    }

    fn add_pattern(&self, what: Target<'s>, start: u32) -> PatternId {
        self.ast.borrow_mut().add_pattern(what, self.since(start))
    }

    /// Looks at an expression.
    fn look<T>(&self, id: ExprId, at: impl FnOnce(&Expr<'s>) -> T) -> T {
        at(self.ast.borrow().expr(id))
    }

    /// Whether as many faults have been found as are told.
    fn is_full(&self) -> bool {
        self.faults.borrow().len() >= MOST_FAULTS
    }

    /// Takes down a fault of a statement, and goes on at the next, or at the end of the block.
    fn recover(&self, wrong: Wrong, begin: usize, close: usize) {
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

#[cfg(test)]
mod dump;
#[cfg(test)]
mod tests;
